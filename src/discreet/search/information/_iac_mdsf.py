"""IAC-MDSF, [PF, Algorithm 1]: merge, again and again, the set of blocks that lowers the Lagrangian most.

From X̂ = X, each iteration takes the W that minimises I(S;X̂_W) − λ I(X̂;X̂_W) for PF, or its negative for IB, and makes one block
of it, until |W| ≤ 1 or one block is left. How W is found is the caller's choice: the paper's submodular–supermodular
procedure, or modular–modular.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from discreet._typing import BoolArray, FloatArray, Problem
from discreet.errors import InputError, listed
from discreet.release._partitions import Listed, Partitions
from discreet.search._protocol import Found, Task
from discreet.search._watch import Watch
from discreet.search.information._information_engine import InformationEngine, measured, point_of
from discreet.search.information._mdsf import (
    FALL,
    best_of,
    best_pairs,
    modular_modular,
    step_difference,
    submodular_supermodular,
)
from discreet.search.information._theorem import Merges
from discreet.search.information._weights import Weights, information

if TYPE_CHECKING:
    from discreet._typing import IntArray, Progress
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point

Solver = Literal["submodular-supermodular", "modular-modular"]

AFFORDED = 1_000_000
"""Letters × pairs × seeds of the grid below."""

MULTIPLIERS = np.linspace(0.0, 1.0, 41)
"""Of a frontier, each its own run."""

SEEDS = 10
"""Runs of each multiplier, where they are affordable."""

RESTARTS = 8
"""Random starts of the modular-modular procedure, and as many from pairs: it is quick, and easily stuck."""


@dataclass(frozen=True, eq=False)
class MergePath(Partitions):
    """The partitions of one run, finest first, with I(S;X̂) and I(X;X̂) in bits.

    Each comes from the one before by merging one set of its blocks.
    """

    multiplier: float = field(kw_only=True)
    problem: Problem = field(kw_only=True)

    def __repr__(self) -> str:
        blocks = [len(np.unique(block_of)) for block_of in self]
        return f"MergePath({self.problem}, λ={self.multiplier:g}, blocks={blocks})"

    @property
    def objective(self) -> FloatArray:
        """L_PF = I(S;X̂) − λ I(X;X̂) of each, or L_IB, its negative: falling along the path, in bits [PF, (2)]."""
        lagrangian = self.leakage - self.multiplier * self.utility
        return lagrangian if self.problem == "funnel" else -lagrangian


def iac_mdsf(
    weights: Weights,
    multiplier: float,
    problem: Problem = "funnel",
    solver: Solver = "submodular-supermodular",
    *,
    seed: int = 0,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> MergePath:
    """Run Algorithm 1 for one multiplier.

    Parameters
    ----------
    multiplier
        λ ≥ 0. PF merges everything at 0 and nothing from 1 on; IB the other way round.
    problem
        "funnel" keeps I(X;X̂) while it hides S; "bottleneck" keeps I(S;X̂) while it shortens X̂.
    solver
        How the set to merge is found: "submodular-supermodular" is the paper's, over a minimum-norm-point solver;
        "modular-modular" takes the best of several starts. A better step need not make a better frontier: large merges
        leave few partitions on the way.
    seed
        Of the random orders.
    watch
        Asked between merges whether to go on.

    Returns
    -------
    MergePath
        Every partition on the way; the last is the paper's answer.

    Raises
    ------
    InputError
        A multiplier below 0 or not a number.
    """
    if not (multiplier >= 0 and math.isfinite(multiplier)):
        raise InputError(
            f"multiplier {multiplier:g} has no meaning here: λ weighs I(X;X^) against I(S;X^), use a number from 0 to 1"
        )
    for value, choices, name in ((problem, get_args(Problem), "problem"), (solver, get_args(Solver), "solver")):
        if value not in choices:
            raise InputError(f"{name}={value!r} is not known: use one of {listed(choices)}")
    # Other multipliers draw other orders: a frontier over many of them then sees more local minima.
    rng = np.random.default_rng([seed, *np.array([multiplier]).view(np.uint32)])
    find = _finder(multiplier, problem, solver, rng)
    merges = Merges.of(weights)
    block_of = np.arange(weights.n)
    partitions = [block_of]
    while merges.n > 1 and not (watch is not None and watch.over()):
        if progress:
            progress(f"{merges.n} blocks at multiplier {multiplier:g}", None)
        member = find(merges)
        if member is None or member.sum() <= 1:
            break
        lowest = np.unique(block_of)  # blocks of `merges` are in the order of their names
        merged = np.isin(block_of, lowest[member])
        block_of = np.where(merged, lowest[member][0], block_of)
        partitions.append(block_of)
        merges = merges.after(member)
    reached = np.array([information(weights, block_of) for block_of in partitions])
    return MergePath(reached[:, 0], reached[:, 1], Listed.of(partitions), multiplier=multiplier, problem=problem)


def _finder(
    multiplier: float, problem: Problem, solver: Solver, rng: np.random.Generator
) -> Callable[[Merges], BoolArray | None]:
    """How one iteration finds its W; None where no merge lowers the objective."""
    if multiplier >= 1 or multiplier == 0:
        # At λ = 0 only I(S;X̂_W) counts, which never rises in W; from λ = 1 on (1−λ) f − g never falls [PF, III-B and III-C].
        # So the whole set is a minimiser for one of the problems and the empty set for the other.
        everything = (multiplier == 0) == (problem == "funnel")
        return lambda merges: np.ones(merges.n, bool) if everything else None

    def find(merges: Merges) -> BoolArray | None:
        difference = step_difference(merges, multiplier, problem)
        if solver == "submodular-supermodular":
            found = submodular_supermodular(difference, rng)
            if found.value >= -FALL:
                # A random order can be stuck at the empty set where some merge helps; the paper means to stop only where
                # none does [PF, III-A]. The best pair is at least a merge to begin with.
                (pair,) = best_pairs(merges, multiplier, problem, 1)
                found = submodular_supermodular(difference, rng, start=pair)
        else:
            several = [rng.random(merges.n) < share for share in rng.random(RESTARTS)]
            pairs = best_pairs(merges, multiplier, problem, RESTARTS)
            found = best_of(difference, modular_modular, [None, *pairs, *several], rng)
        return found.member if found.value < -FALL else None

    return find


class IacMdsf(InformationEngine):
    """Algorithm 1 of PF over a grid of λ, all iterates kept; a multiplier is a run of its own."""

    name = method = "iac-mdsf"
    takes_at_least = False

    def search(self, task: Task) -> Found:
        """Every iterate of every run."""
        return Found(iterates(task))

    def stop(self, frontier: Frontier, multiplier: float) -> Point | None:
        """Where the run of this multiplier ends."""
        task = Task(frontier.setting)
        return point_of(task, iac_mdsf(task.weights, multiplier, task.problem, seed=task.seed).partition(-1))


def iterates(task: Task) -> Partitions:
    """Every iterate over the grid; the funnel's step has many local minima, so it is run with several seeds.

    How many depends on the size of the problem and not on the clock, so that results repeat.
    """
    weights = task.weights
    afford = int(AFFORDED / (weights.n * len(weights.weight)))
    seeds = 1 if task.setting.is_bottleneck else max(1, min(SEEDS, afford))
    runs = [(seed, i) for seed in range(task.seed, task.seed + seeds) for i in range(len(MULTIPLIERS))]
    partitions: dict[bytes, IntArray] = {}
    with task.watch as watch:
        for done, (seed, i) in enumerate(runs):
            if watch.over():
                break
            task.say("IAC-MDSF", done / len(runs))
            path = iac_mdsf(weights, float(MULTIPLIERS[i]), task.problem, seed=seed, watch=watch)
            for each in path:
                partitions.setdefault(each.tobytes(), each)
    for each in (np.arange(weights.n), np.zeros(weights.n, np.int64)):  # however early it ended
        partitions.setdefault(each.tobytes(), each)
    return measured(task, list(partitions.values()))
