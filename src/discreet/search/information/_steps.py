"""Step 3 of [PF, Algorithm 1] solved as well as we can: the best set of blocks to merge next (SPEC 8).

With t_x the weights of block x by s, h(y) = y log2 y and D(t) = Σ_s h(t_s) − (1−λ) h(Σ_s t_s), merging W changes the
Lagrangian by F(1_W), where

    N·F(z) = D(Σ_x z_x t_x) − Σ_x z_x D(t_x)

is convex in z for λ in [0, 1]. The funnel minimises it: relax z to the cube, round by the best beginning of the order by z,
flip single blocks and pairs; a tangent plane of the relaxation proves a lower bound. The bottleneck maximises it: CCCP from
pairs, whose iterates are vertices of the cube, then flips. Few blocks are enumerated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet._typing import BoolArray, FloatArray, IntArray, Problem
from discreet.search.information._mdsf import FALL, best_pairs, step_difference, submodular_supermodular
from discreet.search.information._theorem import Merges

ENUMERATED = 13
"""Up to this many blocks every subset is looked at."""

SWEEPS = 400
"""Rounds of the relaxation at most; a few dozen are usual."""

STARTS = 8
"""Pairs and descents that the funnel's flips start from, next to the rounded relaxation."""

LOOKED_AT = 30_000_000
"""Stored weights that the first steps of CCCP may look at: all pairs of 300 blocks with 600 of them."""

KEPT = 24
"""Sets that CCCP hands on to the flips."""

PAIRED = 400
"""Up to this many blocks the flips try pairs too."""

ALL_PAIRED = 60
"""Up to this many they do so from every start, beyond it from the best only."""

KICKS = 64
"""Times that a few blocks of the best set are flipped at random, and the flips begin again from there."""


@dataclass(frozen=True, eq=False)
class BestMerge:
    """A set of blocks to merge, what it adds to the objective, and what no set can go below, in bits."""

    member: BoolArray
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """value − bound."""
        return max(0.0, self.value - self.bound)


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The funnel's step over the cube: z, F(z), and a lower bound on F over the cube, hence over all sets, in bits."""

    z: FloatArray
    value: float
    bound: float


def best_merge(
    merges: Merges, multiplier: float, problem: Problem = "funnel", *, enumerated: int = ENUMERATED
) -> BestMerge:
    """The set W that minimises (1−λ) f − g [PF, (5)] or, for the bottleneck, its negative [PF, (7)]; 0 ≤ λ ≤ 1.

    Proven optimal (gap 0) up to `enumerated` blocks. Beyond, the funnel's bound is the relaxation's; the bottleneck's is
    λ f(V), as g ≥ f and f is nonincreasing.
    """
    keep = 1 - multiplier
    sign = 1.0 if problem == "funnel" else -1.0
    cost = merges.own[1] - keep * merges.own[0]
    if merges.n <= enumerated:
        from discreet.search.information._steps_kernels import least_subset

        member = least_subset(merges.rows, merges.weights.n_s, cost, keep, sign, merges.table)
        value = merges.change(member, multiplier, problem)
        return BestMerge(member, value, value)
    if problem == "funnel":
        relaxed = relaxation(merges, multiplier)
        starts, bound = _funnel_starts(merges, multiplier, relaxed), relaxed.bound
    else:
        starts = _bottleneck_starts(merges, multiplier)
        bound = multiplier * merges.f(np.ones(merges.n, bool))
    return _flipped(merges, starts, multiplier, problem, bound)


def relaxation(merges: Merges, multiplier: float, *, precision: float = 1e-7) -> Relaxation:
    """Minimise the convex F over the cube until value − bound ≤ `precision` bits, by exact steps along one z_x at a time."""
    from discreet.search.information._steps_kernels import relax

    keep, n_records = 1 - multiplier, merges.weights.total
    z = np.full(merges.n, 0.5)
    cost = merges.own[1] - keep * merges.own[0]
    value, bound = relax(z, merges.rows, merges.weights.n_s, cost, keep, SWEEPS, precision * n_records)
    return Relaxation(z, float(value) / n_records, min(0.0, float(bound) / n_records))


def _funnel_starts(merges: Merges, multiplier: float, relaxed: Relaxation) -> list[BoolArray]:
    """The rounded relaxation, everything, the best pairs, and what the paper's procedure finds from a few orders."""
    order = np.argsort(-relaxed.z, kind="stable")
    along = np.cumsum((1 - multiplier) * merges.f_gains(order) - merges.g_gains(order))
    rounded = np.zeros(merges.n, bool)
    rounded[order[: int(np.argmin(along)) + 1]] = True
    difference = step_difference(merges, multiplier, "funnel")
    rng = np.random.default_rng(0)
    descents = [submodular_supermodular(difference, rng).member for _ in range(STARTS)]
    return [rounded, np.ones(merges.n, bool), *best_pairs(merges, multiplier, "funnel", STARTS), *descents]


def _bottleneck_starts(merges: Merges, multiplier: float) -> list[BoolArray]:
    """Everything, the best pairs, and what CCCP makes of all pairs (of the nearest, where there are too many)."""
    from discreet.search.information._steps_kernels import climb

    keep = 1 - multiplier
    cost = merges.own[1] - keep * merges.own[0]
    pairs = _pairs(merges, multiplier)
    climbed = climb(pairs, merges.rows, merges.weights.n_s, cost, keep, merges.table, KEPT)
    return [*climbed, np.ones(merges.n, bool), *best_pairs(merges, multiplier, "bottleneck", STARTS)]


def _pairs(merges: Merges, multiplier: float) -> IntArray:
    most = max(1, LOOKED_AT // len(merges.weights.weight))
    if merges.n * (merges.n - 1) // 2 <= most:
        return np.argwhere(np.tri(merges.n, k=-1, dtype=bool))
    return np.array([np.flatnonzero(pair) for pair in best_pairs(merges, multiplier, "bottleneck", most)])


def _flipped(merges: Merges, starts: list[BoolArray], multiplier: float, problem: Problem, bound: float) -> BestMerge:
    """The best of the starts, each after flips of single blocks, then of pairs; then kicked out of its local minimum."""
    from discreet.search.information._steps_kernels import descend

    keep = 1 - multiplier
    sign = 1.0 if problem == "funnel" else -1.0
    cost = merges.own[1] - keep * merges.own[0]
    least = 1e-12 * merges.weights.total

    def improved(start: BoolArray, pairs: bool) -> tuple[float, BoolArray]:
        member = start.copy()
        descend(member, merges.rows, merges.weights.n_s, cost, keep, sign, merges.table, least, pairs)
        return merges.change(member, multiplier, problem), member

    value, member = min((improved(start, merges.n <= ALL_PAIRED) for start in starts), key=lambda found: found[0])
    if merges.n <= PAIRED:
        value, member = improved(member, True)
    rng = np.random.default_rng(0)
    for _ in range(KICKS):
        kicked = member ^ (rng.random(merges.n) < 3 / merges.n)
        other = improved(kicked, merges.n <= ALL_PAIRED)
        if other[0] < value - FALL:
            value, member = other
    if value >= 0:
        value, member = 0.0, np.zeros(merges.n, bool)
    return BestMerge(member, value, min(bound, value))
