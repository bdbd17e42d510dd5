"""Agglomeration on the Lagrangian: merge the pair of blocks that changes it least, down to one block, and keep the path.

SPEC 8: L_PF = I(S;X̂) − λ I(X;X̂) = const + (1/N) Σ_B D(t_B) with D(t) = Σ_s h(t_s) − (1−λ) h(Σ_s t_s), and the
bottleneck's Lagrangian is its negative. With G and F the changes of Σ_B Σ_s h(t_s) and of Σ_B h(Σ_s t_s), a merge
changes N·L_PF by G − (1−λ) F; all in whole numbers (`_integers.py`), so ties are exact and figures do not drift.

Space is O(pairs + n); time O(n · pairs) for the merges themselves and O(pairs) for each block that must be looked
through again (`_dendrogram_kernels.py`), of which there are few.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import FloatArray, IntArray, Problem
from discreet.errors import InputError
from discreet.release._partitions import Merged, Partitions, canonical
from discreet.search.information._integers import Integers, integers_of
from discreet.search.information._least_records import first_allowed, least_count

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.search.information._weights import Weights


CHUNKS = 64
"""Progress is told this many times."""


@dataclass(frozen=True, eq=False)
class Dendrogram(Partitions):
    """Every merge of a run, and what the partition was worth after each: step i is over after i merges.

    `leakage` is I(S;X̂) at each step, or another leakage where the engine has one, `utility` I(X;X̂) = H(X̂), both in
    bits.
    """

    merges: IntArray = field(kw_only=True)
    """Merge t joins block `merges[t, 1]` to block `merges[t, 0]`, which is lower: a block's name is its lowest letter."""
    first: int = field(kw_only=True)
    """The first step at which the side condition holds."""

    @classmethod
    def of(cls, start: IntArray, merges: IntArray, leakage: FloatArray, utility: FloatArray, first: int) -> Dendrogram:
        """From the partition at step 0, each letter's block by name, and the merges."""
        left, right = (np.ascontiguousarray(column) for column in merges.T)
        store = Merged(start, left, right, np.arange(len(merges) + 1))
        return cls(leakage, utility, store, merges=merges, first=first)

    @property
    def allowed(self) -> Partitions:
        """The steps at which the side condition holds."""
        return self.take(np.arange(self.first, len(self)))

    def __repr__(self) -> str:
        return f"Dendrogram({len(self.merges)} merges)"


def checked_multiplier(multiplier: float) -> float:
    """λ as a number in [0, 1], or InputError."""
    if not 0 <= multiplier <= 1:
        raise InputError(
            f"the multiplier must lie in [0, 1], not {multiplier}: above 1 the funnel merges nothing and the bottleneck "
            "everything, below 0 the other way round"
        )
    return float(multiplier)


def checked_problem(problem: str) -> Problem:
    """The problem's name, or InputError."""
    if problem == "funnel":
        return "funnel"
    if problem == "bottleneck":
        return "bottleneck"
    raise InputError(f"there is no problem {problem!r}: choose 'funnel' or 'bottleneck'")


def canonical_start(integers: Integers, start: IntArray | None) -> IntArray:
    """A partition with each block named by its lowest letter; singletons unless given."""
    if start is None:
        return np.arange(integers.n)
    if np.shape(start) != (integers.n,):
        raise InputError(
            f"a partition needs one block for each of the {integers.n} letters, not shape {np.shape(start)}"
        )
    return canonical(np.unique(start, return_inverse=True)[1])


def dendrogram(
    weights: Weights,
    multiplier: float,
    problem: Problem = "funnel",
    *,
    start: IntArray | None = None,
    at_least: float = 0.0,
    progress: Progress | None = None,
) -> Dendrogram:
    """Merge down to one block, each time the pair that raises the Lagrangian least (or lowers it most).

    Parameters
    ----------
    multiplier
        λ in [0, 1].
    problem
        "funnel" has L = I(S;X̂) − λ I(X;X̂), "bottleneck" its negative. In the bottleneck letters with equal p(s|x)
        are merged first, in the order of letters: they merge for free (SPEC 8).
    start
        A partition to start from, any labels; single letters unless given.
    at_least
        Side condition: while a block weighs less, only pairs with such a block merge. `Dendrogram.first` is the first
        step that meets it.

    Returns
    -------
    Dendrogram
        Of equal costs the pair with the earliest lower name merges first, then the earliest higher name.

    Raises InputError for a multiplier outside [0, 1] and for a condition that nothing meets.
    """
    rest = 1.0 - checked_multiplier(multiplier)
    if checked_problem(problem) == "funnel":
        return agglomerate(weights, (1.0, rest), start=start, at_least=at_least, progress=progress)
    return agglomerate(weights, (-1.0, -rest), start=start, at_least=at_least, alike_first=True, progress=progress)


def agglomerate(
    weights: Weights,
    cost: tuple[float, float],
    *,
    use: tuple[int, int] = (0, 0),
    budget: int = 0,
    start: IntArray | None = None,
    at_least: float = 0.0,
    alike_first: bool = False,
    progress: Progress | None = None,
) -> Dendrogram:
    """Merge the cheapest pair while one fits the budget: cost c_G G − c_F F, use u_G G + u_F F in units of h."""
    from discreet.search.information._dendrogram_kernels import SHANNON, Rule

    of_inside, of_outside = cost
    # Theorem 1 of [PF]: both parts are superadditive and 0 ≤ G ≤ F, so a pair with that F costs at least slope · F.
    slope = min(0.0, of_inside) - of_outside
    rule = Rule(SHANNON, of_inside, of_outside, slope, *use, np.zeros(0))
    integers = integers_of(weights)
    run = merged_by(rule, integers, start, at_least, budget=budget, alike_first=alike_first, progress=progress)
    leakage, utility = run.blocks.information(np.arange(run.blocks.n))
    return run.path(
        integers.bits(leakage + np.append(0, np.cumsum(run.inside - run.outside))),
        integers.bits(utility - np.append(0, np.cumsum(run.outside))),
    )


@dataclass(frozen=True, eq=False)
class Run:
    """What the kernel found, for the blocks of the starting partition."""

    start: IntArray
    names: IntArray
    blocks: Integers
    merges: IntArray
    inside: IntArray
    outside: IntArray
    tops: FloatArray
    least: int

    def path(self, leakage: FloatArray, utility: FloatArray) -> Dendrogram:
        """The run as a dendrogram of the letters."""
        first = first_allowed(self.blocks.of_letter, self.merges, self.least)
        return Dendrogram.of(
            self.start, self.names[self.merges], np.maximum(0.0, leakage), np.maximum(0.0, utility), first
        )


def merged_by(
    rule: Any,
    integers: Integers,
    start: IntArray | None,
    at_least: float,
    *,
    budget: int = 0,
    alike_first: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Run the kernel under a rule: alike letters first, then while blocks are too light, then to the end."""
    from discreet.search.information import _dendrogram_kernels as kernel

    least = least_count(integers, at_least)
    begin = canonical_start(integers, start)
    blocks, names = integers.merged(begin)
    n = blocks.n
    state = kernel.new_state(rule, blocks, budget)
    if alike_first:
        alike = blocks.alike()
        later = np.flatnonzero(alike != np.arange(n))
        kernel.merge_given(rule, state, np.column_stack((alike[later], later)))
    chunk = max(1, -(-n // CHUNKS))
    for phase in (least, 0) if least else (0,):
        for first in range(0, n, chunk):
            if progress:
                progress("comparing letters", first / n)
            kernel.list_partners(rule, state, phase, first, min(n, first + chunk))
        while kernel.merge_on(rule, state, chunk):
            if progress:
                progress("merging", int(state.made[0]) / n)
    made = int(state.made[0])
    return Run(
        begin, names, blocks, state.merges[:made], state.inside[:made], state.outside[:made], state.tops[:made], least
    )
