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
from discreet.release._partitions import canonical
from discreet.search._letters import Letters
from discreet.search._protocol import Aim
from discreet.search.ranges._annealing import Schedule, Task, improve
from discreet.search.ranges._closed_forms import degrees_of, most_blocks
from discreet.search.ranges._costs import CODEWORDS, distinct, distortion, measured_values, required_values
from discreet.search.ranges._level_bounds import window_bound
from discreet.search.ranges._levels import Effort, Levels
from discreet.search.ranges._line import Column
from discreet.search.ranges._optimised import Optimised

ALL_LEVELS = 50
"""Up to this many distinct s every k is a level; beyond it a geometric grid of about as many."""

REACHES = 100_000_000
"""Letters × distinct s up to which the distances to the nearest k distinct s are computed."""

HARDEST = 2_000
"""Letters that may be looked at to raise one medoid bound."""


def default_levels(n_s: int, aim: Aim | None = None) -> IntArray:
    """Every k from 2 to |[[S]]|, or a geometric grid with both ends where there are too many, and the one aimed at."""
    if n_s <= ALL_LEVELS:
        return np.arange(2, n_s + 1)
    aimed = [aim.level] if aim is not None and aim.level is not None and aim.level > 1 else []
    return np.unique([*np.geomspace(2, n_s, ALL_LEVELS).round().astype(np.int64).tolist(), *aimed])


def is_affordable(letters: Letters) -> bool:
    """Whether distances fit into memory."""
    return letters.n * letters.n_s <= REACHES


def optimise(
    letters: Letters,
    codeword: Codeword = "centroid",
    *,
    ks: IntArray | None = None,
    starts: Sequence[IntArray] = (),
    rng: np.random.Generator | None = None,
    schedule: Schedule | None = None,
    effort: Effort | None = None,
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
    effort
        What is asked for, and when to stop; every level to the end unless given.

    Notes
    -----
    O(n^2) for the distances, once. With "chebyshev" in l_1 and three or more columns the search measures blocks by
    their l_2 balls; the costs reported are exact l_1.
    """
    values = required_values(letters)
    effort = effort or Effort()
    levels = default_levels(letters.n_s, effort.aim) if ks is None else np.asarray(ks, np.int64)
    seeds = (rng or np.random.default_rng(0)).integers(1, 2**63, size=letters.n_s + 1)
    brought = [(distinct(letters, p), distortion(letters, p, codeword), p) for p in starts]
    search = _Search.of(letters, values, codeword, schedule or Schedule(4, 8_000, 24, 300, 1e-3), brought)
    found = Levels(letters, codeword, search, np.arange(letters.n))
    place = {k: i for i, k in enumerate(levels.tolist())}
    found.run(levels, lambda k: int(seeds[place.get(k, k)]), effort)
    return found.optimised(float(np.ptp(values, axis=0).sum()) if letters.n else 0.0)


def hardest(letters: Letters, k: int) -> IntArray:
    """Letters by the radius within which they see k distinct s, the widest first: half of it bounds every policy."""
    from discreet.search.ranges._multicolumn_kernels import nearest_distinct

    reach = nearest_distinct(required_values(letters), letters.indptr, letters.indices, letters.n_s, letters.norm)
    return np.argsort(-reach[:, k - 1], kind="stable")


@dataclass(frozen=True, eq=False)
class _Draft:
    """A first policy for a level."""

    k: int
    block_of: IntArray
    cost: float
    bound: float


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
    brought: list[tuple[int, float, IntArray]]

    @classmethod
    def of(
        cls,
        letters: Letters,
        values: FloatArray,
        codeword: Codeword,
        schedule: Schedule,
        brought: list[tuple[int, float, IntArray]],
    ) -> _Search:
        from scipy.spatial import cKDTree

        from discreet.search.ranges._multicolumn_kernels import nearest_distinct

        reach = nearest_distinct(values, letters.indptr, letters.indices, letters.n_s, letters.norm)
        axes = tuple(
            Column.of(Letters(letters.indptr, letters.indices, letters.n_s, values[:, [c]]))
            for c in range(values.shape[1])
        )
        _, near = cKDTree(values).query(values, k=min(letters.n, 17), p=letters.norm)
        return cls(letters, values, codeword, schedule, reach, axes, near.reshape(letters.n, -1), brought)

    def construct(self, k: int) -> _Draft:
        """A partition with k distinct s in every block, and a lower bound on any such partition's distortion."""
        from discreet.search.ranges import _multicolumn_kernels as kernels_several

        one = self.letters
        whole = np.zeros(one.n, np.int64)
        if most_blocks(degrees_of(one), k) == 1:
            cost = distortion(one, whole, self.codeword)
            return _Draft(k, whole, cost, cost)
        arrays = (self.values, one.indptr, one.indices, one.n_s, k, one.norm)
        hardest = np.argsort(-self.reach[:, k - 1], kind="stable")
        made = [kernels_several.least_extent_cuts(*arrays), kernels_several.balls(*arrays, hardest)]
        options = [(distortion(one, p, self.codeword), p) for p in (canonical(labels) for labels in made)]
        served = [(cost, p) for promised, cost, p in self.brought if promised >= k]
        cost, block_of = min([*options, *served], key=lambda option: option[0])
        return _Draft(k, block_of, cost, self.bound(k, hardest, cost))

    def improved(self, draft: _Draft, seed: int) -> IntArray:
        """The draft after relocations and swaps of single letters."""
        one = self.letters
        values, norm = measured_values(one, self.codeword)
        # Of three columns or more the search has no l_1 balls; those of l_2 are the nearest thing it can measure.
        norm = 2.0 if self.codeword == "chebyshev" and norm == 1.0 else norm
        task = Task(
            values, one.indptr, one.indices, one.n_s, norm, CODEWORDS[self.codeword], draft.k,
            self._partners, self._around,
        )  # fmt: skip
        _, labels = np.unique(draft.block_of, return_inverse=True)
        return canonical(improve(task, lambda _: [], labels, draft.bound, draft.cost, self.schedule, seed))

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
