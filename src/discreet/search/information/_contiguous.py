"""The bottleneck for binary S: runs of letters in the order of p(s = 1|x).

Which of its problems runs solve exactly:

* The most I(S;X̂) with k blocks, for every k. The leakage is a sum over blocks of a convex function of t_B.
* The largest Lagrangian I(S;X̂) − λ I(X;X̂), for every λ in [0, 1], and so every supported point of the frontier: the
  vertices of its concave envelope. The Lagrangian is const + Σ_B D(t_B) with D convex (SPEC 8). A convex function of the
  blocks' sums is largest at a vertex of the partition polytope, where some c_B give every letter x to a block with the
  largest c_B · t_x (Barnes, Hoffman & Rothblum 1992). These inequalities are homogeneous, so blocks lie in cones, and cones
  in the quadrant of (t_0, t_1) are runs in the order of t_1/t_0.

What they do not: Pareto-optimal points between supported ones need not be runs, and may even part letters with equal
p(s|x). With counts (4,1) (4,4) (5,5) (3,2) (1,4) (1,1) and H(X̂) ≤ 0.316, {1 … 5}{6} has I(S;X̂) > 0 and no two runs do. Nor is
any of this true of the funnel, where D is minimised.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray, Problem
from discreet.release._partitions import Packed, Partitions
from discreet.search.information._theorem import table_of
from discreet.search.information._weights import Weights, h_of

SOLVED = 500_000_000
"""Runs looked at in all for supported points; beyond it those that open the widest gap have been found first."""

STARTS_KEPT = 4_000_000
"""Entries of the table of best starts, k by letters: limits k on large alphabets."""

RESOLUTION = 1e-11
"""Bits: a gain below this is rounding."""


@dataclass(frozen=True, eq=False)
class Contiguous(Partitions):
    """Candidates from runs, most useful first, with I(S;X̂) and I(X;X̂) in bits.

    Attributes
    ----------
    supported
        Whether a candidate maximises I(S;X̂) − λ I(X;X̂) over all partitions for some λ.
    complete
        Whether every vertex of the frontier's concave envelope is among the candidates.
    """

    supported: npt.NDArray[np.bool_] = field(kw_only=True)
    complete: bool = field(kw_only=True)


def contiguous(weights: Weights, problem: Problem = "bottleneck") -> Contiguous:
    """All supported policies of a binary bottleneck, and the most I(S;X̂) for every number of blocks.

    Letters with equal p(s|x) are one: parting them helps neither. Supported points are found by bisection: the line
    through two neighbours gives a λ, and either a new policy lies beyond it or none does. O(n²) per point, n the number of
    distinct posteriors.

    Raises
    ------
    ValueError
        For more than two s, or for the funnel.
    """
    if problem != "bottleneck" or int(np.count_nonzero(weights.of_s)) > 2:
        raise ValueError("runs solve the bottleneck with two values of s")
    runs = _Runs.of(weights)
    by_number = runs.by_number()
    chosen, complete = runs.supported()
    every = dict.fromkeys([*chosen, *by_number])
    figures = np.array([runs.figures(cuts) for cuts in every])
    order = np.lexsort((-figures[:, 0], -figures[:, 1]))
    labels = [np.searchsorted(np.array(cuts), runs.level_of, side="right") for cuts in every]
    return Contiguous(
        figures[order, 0],
        figures[order, 1],
        Packed.of(labels, np.argsort(runs.level_of, kind="stable")).take(order),
        supported=(np.arange(len(labels)) < len(chosen))[order],
        complete=complete,
    )


Cuts = tuple[int, ...]
"""Where runs start, the first run's 0 left out."""


@dataclass(frozen=True, eq=False)
class _Runs:
    """Letters by p(s = 1|x), those with equal ones together, as cumulated weights."""

    first: FloatArray
    second: FloatArray
    level_of: IntArray
    table: FloatArray
    outside: float  # h(N) − Σ_s h(N_s)

    @classmethod
    def of(cls, weights: Weights) -> _Runs:
        present = np.flatnonzero(weights.of_s)
        is_second = weights.indices == present[-1]
        if len(present) == 1:
            is_second[:] = False
        ones = np.bincount(weights.letter_of_pair, weights=weights.weight * is_second, minlength=weights.n)
        posterior = np.round(ones / weights.of_letter, 12)
        level, level_of = np.unique(posterior, return_inverse=True)
        second = np.bincount(level_of, weights=ones, minlength=len(level))
        first = np.bincount(level_of, weights=weights.of_letter, minlength=len(level)) - second
        outside = float(h_of(np.array([weights.total]))[0] - h_of(weights.of_s).sum())
        return cls(
            np.concatenate(([0.0], np.cumsum(np.maximum(first, 0.0)))),
            np.concatenate(([0.0], np.cumsum(second))),
            level_of.astype(np.int64),
            table_of(weights),
            outside,
        )

    @property
    def n(self) -> int:
        return len(self.first) - 1

    def figures(self, cuts: Cuts) -> tuple[float, float]:
        """(I(S;X̂), I(X;X̂)) in bits."""
        ends = np.array([0, *cuts, self.n])
        a, b = np.diff(self.first[ends]), np.diff(self.second[ends])
        total = self.first[-1] + self.second[-1]
        whole = float(h_of(a + b).sum())
        leakage = (self.outside + float(h_of(a).sum() + h_of(b).sum()) - whole) / total
        return max(0.0, leakage), max(0.0, (total * float(np.log2(total)) - whole) / total)

    def by_number(self) -> list[Cuts]:
        from discreet.search.information._contiguous_kernels import best_runs_by_number

        most = max(1, min(self.n, STARTS_KEPT // (self.n + 1)))
        parent = best_runs_by_number(self.first, self.second, most, self.table)
        found = []
        for k in range(1, most + 1):
            cuts, end = [], self.n
            for j in range(k, 1, -1):
                end = int(parent[j, end])
                cuts.append(end)
            found.append(tuple(cuts[::-1]))
        return found

    def at(self, multiplier: float) -> Cuts:
        """The runs with the largest Lagrangian."""
        from discreet.search.information._contiguous_kernels import best_runs

        parent = best_runs(self.first, self.second, multiplier, self.table)
        cuts, end = [], int(parent[self.n])
        while end > 0:
            cuts.append(end)
            end = int(parent[end])
        return tuple(cuts[::-1])

    def supported(self) -> tuple[list[Cuts], bool]:
        """The vertices of the concave envelope, widest gaps first, and whether these are all."""
        finest = tuple(range(1, self.n))
        coarsest = self.at(1.0)
        points = {cuts: self.figures(cuts) for cuts in ((), coarsest, finest)}
        solves = max(8, SOLVED // (self.n * self.n))
        heap: list[tuple[float, Cuts, Cuts]] = []

        def open_gap(low: Cuts, high: Cuts) -> None:
            (l0, u0), (l1, u1) = points[low], points[high]
            if u1 - u0 > RESOLUTION and l1 - l0 > RESOLUTION:
                heapq.heappush(heap, (-(u1 - u0) * (l1 - l0), low, high))

        open_gap(coarsest, finest)
        while heap and solves:
            _, low, high = heapq.heappop(heap)
            solves -= 1
            (l0, u0), (l1, u1) = points[low], points[high]
            slope = (l1 - l0) / (u1 - u0)
            cuts = self.at(slope)
            leakage, utility = self.figures(cuts)
            if leakage - slope * utility > l0 - slope * u0 + RESOLUTION and cuts not in points:
                points[cuts] = leakage, utility
                open_gap(low, cuts)
                open_gap(cuts, high)
        return list(points), not heap
