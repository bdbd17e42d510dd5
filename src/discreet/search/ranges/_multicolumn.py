"""Several numeric columns: L0 against distortion in any l_p norm, with a proven bound (SPEC 9).

For each k the best of cuts that leave the least larger extent (Mondrian's recursion with another rule than its median,
which `_baselines.mondrian` has), balls round the hardest letter first and whatever partitions the caller brings
is improved by relocations and swaps of single letters among the worst blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet._typing import Codeword, FloatArray, IntArray
from discreet.release._partitions import Listed, canonical
from discreet.search._letters import Letters
from discreet.search.ranges._annealing import Schedule, Task, improve
from discreet.search.ranges._closed_forms import degrees_of, most_blocks
from discreet.search.ranges._costs import CODEWORDS, distinct, distortion, measured_values, required_values
from discreet.search.ranges._level_bounds import window_bound
from discreet.search.ranges._line import Column
from discreet.search.ranges._optimised import Optimised, serve_weaker, settle_bound

ALL_LEVELS = 50
"""Up to this many distinct s every k is a level; beyond it a geometric grid of about as many."""

HARDEST = 2_000
"""Letters that may be looked at to raise one medoid bound."""


def default_levels(n_s: int) -> IntArray:
    """Every k from 2 to |[[S]]|, or a geometric grid with both ends where there are too many."""
    if n_s <= ALL_LEVELS:
        return np.arange(2, n_s + 1)
    return np.unique(np.geomspace(2, n_s, ALL_LEVELS).round().astype(np.int64))


def optimise(
    letters: Letters,
    codeword: Codeword = "centroid",
    *,
    ks: IntArray | None = None,
    starts: Sequence[IntArray] = (),
    rng: np.random.Generator | None = None,
    schedule: Schedule | None = None,
) -> Optimised:
    """The L0-distortion frontier for values with several columns.

    Parameters
    ----------
    ks
        Levels k, increasing; see `default_levels`.
    starts
        Partitions worth starting from, e.g. those of a greedy path; each serves the levels that it satisfies, so the
        result is never dominated by them.
    rng
        Source of the annealing seeds; `default_rng(0)` unless given.

    Notes
    -----
    O(n^2) for the distances, once. With "chebyshev" in l_1 and three or more columns the search measures blocks by
    their l_2 balls; the costs reported are exact l_1.
    """
    values = required_values(letters)
    levels = default_levels(letters.n_s) if ks is None else np.asarray(ks, np.int64)
    seeds = (rng or np.random.default_rng(0)).integers(1, 2**63, size=len(levels))
    search = _Search.of(letters, values, codeword, schedule or Schedule(4, 8_000, 24, 300, 1e-3))
    brought = [(distinct(letters, p), distortion(letters, p, codeword), p) for p in starts]
    cost, bound = np.zeros(len(levels)), np.zeros(len(levels))
    has = np.zeros(len(levels), np.int64)
    kept: list[IntArray] = []
    for i, k in enumerate(levels):
        served = [(c, p) for promised, c, p in brought if promised >= k]
        block_of, bound[i] = search.level(int(k), served, int(seeds[i]))
        cost[i] = distortion(letters, block_of, codeword)
        has[i] = distinct(letters, block_of)
        if has[i] < k:
            raise AssertionError(f"a partition offered for k = {k} has a block with fewer distinct s")
        kept.append(block_of)
    source = serve_weaker(cost)
    cost = cost[source]
    scale = float(np.ptp(values, axis=0).sum()) if letters.n else 0.0
    return Optimised(levels, has[source], cost, settle_bound(bound, cost, scale), Listed.of(kept).take(source))


@dataclass(frozen=True, eq=False)
class _Search:
    """Distances and projections, computed once and used for every level."""

    letters: Letters
    values: FloatArray
    codeword: Codeword
    schedule: Schedule
    reach: FloatArray
    axes: tuple[Column, ...]
    near: IntArray

    @classmethod
    def of(cls, letters: Letters, values: FloatArray, codeword: Codeword, schedule: Schedule) -> _Search:
        from scipy.spatial import cKDTree

        from discreet.search.ranges._multicolumn_kernels import nearest_distinct

        reach = nearest_distinct(values, letters.indptr, letters.indices, letters.n_s, letters.norm)
        axes = tuple(
            Column.of(Letters(letters.indptr, letters.indices, letters.n_s, values[:, [c]]))
            for c in range(values.shape[1])
        )
        _, near = cKDTree(values).query(values, k=min(letters.n, 17), p=letters.norm)
        return cls(letters, values, codeword, schedule, reach, axes, near.reshape(letters.n, -1))

    def level(self, k: int, served: list[tuple[float, IntArray]], seed: int) -> tuple[IntArray, float]:
        """A partition with k distinct s in every block, and a lower bound on any such partition's distortion."""
        from discreet.search.ranges import _multicolumn_kernels as kernels_several

        one = self.letters
        whole = np.zeros(one.n, np.int64)
        if most_blocks(degrees_of(one), k) == 1:
            return whole, distortion(one, whole, self.codeword)
        arrays = (self.values, one.indptr, one.indices, one.n_s, k, one.norm)
        hardest = np.argsort(-self.reach[:, k - 1], kind="stable")
        made = [kernels_several.least_extent_cuts(*arrays), kernels_several.balls(*arrays, hardest)]
        options = [(distortion(one, p, self.codeword), p) for p in (canonical(labels) for labels in made)]
        cost, block_of = min([*options, *served], key=lambda option: option[0])
        bound = self.bound(k, hardest, cost)
        if cost > bound:
            values, norm = measured_values(one, self.codeword)
            # Of three columns or more the search has no l_1 balls; those of l_2 are the nearest thing it can measure.
            norm = 2.0 if self.codeword == "chebyshev" and norm == 1.0 else norm
            task = Task(
                values, one.indptr, one.indices, one.n_s, norm, CODEWORDS[self.codeword], k,
                self._partners, self._around,
            )  # fmt: skip
            _, labels = np.unique(block_of, return_inverse=True)
            better = canonical(improve(task, lambda _: [], labels, bound, cost, self.schedule, seed))
            if distortion(one, better, self.codeword) < cost:
                block_of = better
        return block_of, bound

    def bound(self, k: int, hardest: IntArray, cost: float) -> float:
        """No policy with k distinct s in every block has a smaller distortion.

        A block of distortion R round any codeword has diameter at most 2R, so each of its letters sees k distinct s
        within 2R. A block with medoid c sees them within R of c. And no coordinate of x - codeword exceeds the norm, so
        each column alone, where windows and means are easy, bounds the whole: a centroid's columns are the columns'
        centroids, and other codewords do no better than half the width.
        """
        from discreet.search.ranges import _line_bounds as kernels_bounds
        from discreet.search.ranges import _multicolumn_kernels as kernels_several

        low = 0.5 * float(self.reach[hardest[0], k - 1])
        for column in self.axes:
            low = max(low, window_bound(column, k))
            if self.codeword == "centroid":
                back = column.mirrored()
                ends = np.array([0, len(column.x) - 1])
                low = kernels_bounds.centroid_bound(
                    (column.x, column.indptr, column.indices), (back.x, back.indptr, back.indices),
                    column.n_s, k, ends, low, cost, 400_000,
                )  # fmt: skip
        if self.codeword == "medoid":
            low = kernels_several.medoid_bound(
                self.values,
                np.ascontiguousarray(self.reach[:, k - 1]),
                hardest,
                self.letters.norm,
                low,
                HARDEST,
            )
        return float(low)

    def _partners(self, part: IntArray, blocks: int) -> IntArray:
        from scipy.spatial import cKDTree

        points = self.values[part]
        count = min(len(part), max(13, 3 * len(part) // blocks), 65)
        near = np.asarray(cKDTree(points).query(points, k=count, p=self.letters.norm)[1]).reshape(len(part), -1)
        # A letter may come after others at the same place; whichever place it has, it is no partner of its own.
        own = near == np.arange(len(part))[:, None]
        near[~own.any(axis=1), -1] = np.flatnonzero(~own.any(axis=1))
        own = near == np.arange(len(part))[:, None]
        partners: IntArray = near[~own].reshape(len(part), -1)
        return partners

    def _around(self, block: IntArray) -> IntArray:
        return np.unique(self.near[block])
