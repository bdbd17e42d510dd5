"""Partial processing of long data sets: solve short windows, release one letter a window [SP, V-C1, corrected].

**Theorem.** Windows B_1, …, B_m of consecutive samples cover 1..n and neighbours share exactly κ samples,
T_j = B_j ∩ B_{j+1}. Letter Y_j is drawn from X_{B_j} alone, with fresh randomness, and is independent of every κ
consecutive samples of B_j. The samples form a Markov chain of order at most κ (independent samples: order 0). Then

1. Y = (Y_1, …, Y_m) is independent of every κ consecutive samples, whatever the position,
2. the letters are independent of each other, and
3. I(Xⁿ;Y) = Σ_j I(X_{B_j};Y_j).

*Proof.* Write L_j = (Y_1, …, Y_j). Claim: P(L_j | T_j = t) = Π_{i≤j} P(Y_i) for every t. L_{j−1} is drawn from samples up
to the end of T_{j−1}; given T_{j−1}, κ consecutive samples of a chain of order ≤ κ, these are independent of the later
samples of B_j, so P(l_{j−1} | x_{B_j}) = P(l_{j−1} | t_{j−1}), which is Π_{i<j} P(y_i) by induction. Summing
P(x_{B_j} | t) P(y_j | x_{B_j}) P(l_{j−1} | x_{B_j}) over x_{B_j} leaves Π_{i<j} P(y_i) · P(y_j | t), and P(y_j | t) = P(y_j)
because T_j is κ consecutive samples of B_j. The same holds from the right, with R_j = (Y_{j+1}, …, Y_m). A group g of κ
consecutive samples lies in some B_j; given x_{B_j} the two sides are independent, so P(y | x_g) is the sum of
P(x_{B_j} | x_g) P(l_{j−1} | t_{j−1}) P(y_j | x_{B_j}) P(r_j | t_j), that is Π_{i≠j} P(y_i) · P(y_j | x_g) = Π_i P(y_i): this
is 1 and 2. Given Xⁿ the letters are independent with P(y_j | x_{B_j}), so 3. ∎

For κ = 1 neighbours share one sample (stride k − 1). The paper's stride 1 with windows of k ≥ 3 shares k − 1 samples
while protecting single ones, and is not private: four Bernoulli(0.3) samples with k = 3 leak 0.15 bits. Under dependence
of longer range than κ nothing is claimed: a sample outside a window may depend on two of its samples jointly, hence
on Y_j.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet import _checks as checks
from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.sample_privacy._analysis import information, leak, marginal, windows_of
from discreet.sample_privacy._problem import entropy
from discreet.sample_privacy._processes import DISTINCT, Process, RowSampler, check_samples, checked_process
from discreet.sample_privacy._solving import solve


@dataclass(frozen=True, eq=False)
class PartialProcessing:
    """One letter a window, for a whole data set.

    information: I(Xⁿ;Y) in bits, the sum over windows (theorem above), recomputed from the mappings; error_bar: 0.
    upper_bound: no mapping discloses more, H(Xⁿ) − max H(κ consecutive samples) [SP, Lemma 6]. residual: largest
    I(X_g;Y_j) of any window's mapping, recomputed. starts: first sample of each window. distinct: mappings solved.
    """

    starts: IntArray
    window: int
    protect: int
    entropy: float
    information: float
    error_bar: float
    upper_bound: float
    residual: float
    distinct: int
    how: str
    sizes: IntArray
    weights: IntArray
    row_of: IntArray
    kind: IntArray
    sampler: RowSampler

    @property
    def efficiency(self) -> float:
        """I(Xⁿ;Y) / H(Xⁿ)."""
        return self.information / self.entropy if self.entropy > 0 else 0.0

    def draw(self, samples: Any, rng: np.random.Generator) -> IntArray:
        """The letters to release for n samples, one a window; independent of every `protect` consecutive samples."""
        codes = check_samples(samples, self.sizes)
        rows = self.row_of[self.kind].copy()
        for i in range(self.window):
            place = np.minimum(self.starts + i, len(codes) - 1)  # a short last window has weight 0 there
            rows += codes[place] * self.weights[self.kind, i]
        return self.sampler.draw(rows, checks.generator(rng))


Solver = Callable[..., Any]


def partial_processing(
    process: Process, window: int, *, protect: int = 1, solver: Solver | None = None, **options: Any
) -> PartialProcessing:
    """Solve windows of `window` samples that share `protect` samples, so that Y hides every `protect` consecutive ones.

    process: `Independent` or `MarkovChain`, of order at most `protect`: the guarantee is a theorem under that model and
    void outside it. Each distinct pmf of a window is solved once. solver: by default the exact engines; options go to it.
    The last window is shorter when n does not fit.
    """
    n = checked_process(process).n
    window, protect = checks.count(window, name="window"), checks.count(protect, name="protect")
    if not 1 <= protect < window or protect >= n:
        raise InputError(
            f"windows of {window} cannot protect {protect} consecutive samples out of {n}: take a longer window"
        )
    if process.order > protect:
        raise InputError(
            f"a chain of order {process.order} needs protect={process.order} or more: windows that share fewer samples leak"
        )
    if solver is None:
        solver = solve
    starts = np.arange(0, n - protect, window - protect, dtype=np.int64)
    lengths = np.minimum(window, n - starts)
    kind, first = _kinds(process, starts, lengths)
    if len(first) > DISTINCT:
        raise InputError(f"{len(first)} windows differ, more than {DISTINCT}: give alike samples one pmf")
    counts = np.bincount(kind)
    total, residual, largest = 0.0, 0.0, 0.0
    rows: list[tuple[IntArray, FloatArray]] = []
    weights = np.zeros((len(first), window), dtype=np.int64)
    row_of = np.zeros(len(first), dtype=np.int64)
    for number, j in enumerate(first):
        length = int(lengths[j])
        p = process.window(int(starts[j]), length)
        groups = windows_of(length, protect)
        channel = np.asarray(solver(p, None, groups, **options).channel)
        total += float(counts[number]) * information((p[..., None] * channel).reshape(p.size, -1))
        residual = max([residual, *(leak(p, channel, group=g) for g in groups)])
        largest = max([largest, *(float(entropy(marginal(p, g))) for g in groups)])
        weights[number, :length] = [int(np.prod(p.shape[i + 1 :])) for i in range(length)]
        row_of[number] = len(rows)
        flat = channel.reshape(p.size, -1)
        rows.extend((np.flatnonzero(row > 0).astype(np.int64), row[row > 0]) for row in flat)
    return PartialProcessing(
        starts,
        window,
        protect,
        process.entropy,
        total,
        0.0,
        max(0.0, process.entropy - largest),
        residual,
        len(first),
        f"{len(starts)} windows of {window} samples sharing {protect}, {len(first)} distinct; exact for "
        + ("independent samples" if process.order == 0 else f"a Markov chain of order {process.order}"),
        process.sizes,
        weights,
        row_of,
        kind,
        RowSampler.of(rows),
    )


def _kinds(process: Process, starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """A number for each window's pmf, and the first window of each number. Only the last window may be shorter."""
    full = lengths == lengths[0]
    kind = np.zeros(len(starts), dtype=np.int64)
    kind[full] = process.kinds(starts[full], int(lengths[0]))
    kind[~full] = kind.max() + 1
    _, first, place = np.unique(kind, return_index=True, return_inverse=True)
    return place.ravel().astype(np.int64), first.astype(np.int64)
