"""One numeric column: L0 against distortion, for every k, with a proven bound (SPEC 9).

For each k three constructions compete: the contiguous dynamic program, overlapping windows where it misses the bound,
and annealing where both do. Letters are sorted by value once; positions below are places in that order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet._typing import Codeword, FloatArray, IntArray
from discreet.release._partitions import canonical
from discreet.search._letters import Letters, chosen_rows
from discreet.search.ranges._annealing import Schedule, Task, improve
from discreet.search.ranges._closed_forms import most_blocks
from discreet.search.ranges._costs import CODEWORDS, distortion, required_values
from discreet.search.ranges._levels import Effort, Levels, levels_up_to
from discreet.search.ranges._optimised import Optimised

SCANNED = 4_000_000
"""Letters that sharpening one centroid bound may look at."""


FEW = 3
"""Up to this many blocks the bound asks what the blocks must have in common."""

TRIALS = 8
"""Extents tried between the bound and what the dynamic program reached."""

Attempt = Callable[[float], tuple[IntArray, bool] | None]
"""A cover of that extent as labels by position, and whether every block has k distinct s; None: there is no cover."""


@dataclass(frozen=True, eq=False)
class Column:
    """The letters in the order of their value: what all sweeps work on."""

    x: FloatArray
    indptr: IntArray
    indices: npt.NDArray[np.int32]
    order: IntArray
    n_s: int

    @classmethod
    def of(cls, letters: Letters) -> Column:
        """Sort by value, ties by letter. Several columns raise ValueError."""
        values = required_values(letters)
        if values.shape[1] != 1:
            raise ValueError(f"windows need one numeric column, not {values.shape[1]}")
        order = np.argsort(values[:, 0], kind="stable")
        indptr, indices = chosen_rows(letters.indptr, letters.indices, order)
        return cls(values[order, 0], indptr, indices, order, letters.n_s)

    def mirrored(self) -> Column:
        """The same letters from right to left, on the negated values."""
        back = np.arange(len(self.x))[::-1]
        indptr, indices = chosen_rows(self.indptr, self.indices, back)
        return Column(-self.x[::-1], indptr, indices, self.order[::-1].copy(), self.n_s)

    def block_of(self, labels: IntArray) -> IntArray:
        """Labels by position, as a canonical partition of the letters."""
        out = np.empty_like(labels)
        out[self.order] = labels
        return canonical(out)


def optimise(
    letters: Letters,
    codeword: Codeword = "centroid",
    *,
    ks: IntArray | None = None,
    rng: np.random.Generator | None = None,
    schedule: Schedule | None = None,
    effort: Effort | None = None,
) -> Optimised:
    """The L0-distortion frontier of one numeric column.

    Parameters
    ----------
    ks
        Levels k, increasing; see `levels_up_to`.
    rng
        Source of the annealing seeds; `default_rng(0)` unless given.
    schedule
        How long to anneal; chosen from the number of letters unless given.
    effort
        What is asked for, and when to stop; every level to the end unless given.

    Returns
    -------
    Optimised
        Levels k; O(nnz) per level beside the annealing.
    """
    column = Column.of(letters)
    effort = effort or Effort()
    levels = levels_up_to(letters.n_s, effort.aim) if ks is None else np.asarray(ks, np.int64)
    first = 2 if ks is None else int(levels[0])
    # A seed for every k there is, so that a level's policy does not depend on which others are searched.
    seeds = (rng or np.random.default_rng(0)).integers(1, 2**63, size=letters.n_s + 1)
    search = _Search(letters, column, codeword, schedule or Schedule.for_letters(letters.n))
    found = Levels(letters, codeword, search, column.order)
    found.run(levels, lambda k: int(seeds[k - first]), effort)
    return found.optimised(float(np.ptp(column.x)) if letters.n else 0.0)


@dataclass(frozen=True, eq=False)
class _Draft:
    """What is known of a level before it is improved: a policy, its cost by position, and covers of a given extent."""

    k: int
    labels: IntArray  # by position
    block_of: IntArray
    cost: float
    bound: float
    blocks: int
    attempt: Attempt


@dataclass(frozen=True, eq=False)
class _Search:
    """All that is needed to solve one level, always in the same way."""

    letters: Letters
    column: Column
    codeword: Codeword
    schedule: Schedule

    def construct(self, k: int) -> _Draft:
        """A partition with k distinct s in every block, and a lower bound on any such partition's distortion."""
        from discreet.search.ranges import _line_bounds as kernels_bounds
        from discreet.search.ranges import _line_kernels as kernels_windows

        c = self.column
        degrees = np.bincount(c.indices, minlength=c.n_s)
        blocks = most_blocks(degrees, k)
        if blocks == 1:
            whole = np.zeros(len(c.x), np.int64)
            cost = self._cost(whole)
            return _Draft(k, whole, c.block_of(whole), cost, cost, 1, lambda _: None)
        starts = kernels_windows.window_starts(c.indptr, c.indices, c.n_s, k)
        required = starts if blocks > FEW else self._common_starts(degrees, k, blocks, starts)
        widths = kernels_windows.narrowest_windows(c.x, required)
        width = float(widths.max())
        bound = 0.5 * width
        labels, cost = self._contiguous(starts)
        if self.codeword == "medoid":
            reach = kernels_bounds.ball_reach(c.x, required)
            bound = float(kernels_bounds.medoid_bound(c.x, reach, bound, float(reach.max())))
            attempt, low = self._by_balls(k, reach), bound
        else:
            if self.codeword == "centroid":
                bound = self._sharpen(k, widths, bound, cost)
            attempt, low = self._by_windows(k, required), width
        if cost > bound:
            high = 2 * cost if self.codeword != "medoid" else cost
            overlapping = _bisect(attempt, low, high)
            if overlapping is not None and (other := self._cost(overlapping)) < cost:
                labels, cost = overlapping, other
        return _Draft(k, labels, c.block_of(labels), cost, bound, blocks, attempt)

    def improved(self, draft: _Draft, seed: int) -> IntArray:
        """The draft annealed."""
        c = self.column
        values, codeword = c.x[:, None], CODEWORDS[self.codeword]
        task = Task(values, c.indptr, c.indices, c.n_s, 2.0, codeword, draft.k, _near, self._around)

        def covers(radius: float) -> list[IntArray]:
            # A cover whose split failed has blocks of the right extent, a few of them short of some s. Means are
            # off centre in windows over an uneven stretch, so for many letters centroids have no use for it. On
            # few letters equal runs are a start too: as many blocks as there can be.
            few = len(c.x) <= self.schedule.whole
            cover = draft.attempt(radius if self.codeword == "medoid" else 2 * radius)
            runs = [np.arange(len(c.x)) * draft.blocks // len(c.x)] if few else []
            return runs if cover is None or (self.codeword == "centroid" and not few) else [cover[0], *runs]

        labels = improve(task, covers, draft.labels, draft.bound, draft.cost, self.schedule, seed)
        return c.block_of(labels)

    def _common_starts(self, degrees: IntArray, k: int, blocks: int, starts: IntArray) -> IntArray:
        """Window starts for policies that can only have a few blocks, whose blocks must share the common s.

        Of b blocks with k distinct s each, one that misses t of the s with at least b letters leaves at most
        sum_s min(deg_s, b) - t for all b together; so t <= sum_s min(deg_s, b) - k b. A policy has one number b of
        blocks out of 2..blocks (or is a single block, which costs no less than any window), so the weakest of these
        demands holds for every policy.
        """
        from discreet.search.ranges._line_kernels import window_starts

        c = self.column
        weakest = np.full_like(starts, -1)
        for b in range(2, blocks + 1):
            common = degrees >= b
            least = int(common.sum()) - (int(np.minimum(degrees, b).sum()) - k * b)
            if least <= 0:
                return starts
            rows = np.repeat(np.arange(len(c.x)), np.diff(c.indptr))[common[c.indices]]
            indptr = np.searchsorted(rows, np.arange(len(c.x) + 1))
            demanded = window_starts(indptr, c.indices[common[c.indices]], c.n_s, least)
            weakest = np.maximum(weakest, demanded)
        return np.minimum(weakest, starts)

    def _cost(self, labels: IntArray) -> float:
        return distortion(self.letters, self.column.block_of(labels), self.codeword)

    def _contiguous(self, starts: IntArray) -> tuple[IntArray, float]:
        from discreet.search.ranges import _line_kernels as kernels_windows

        x = self.column.x
        if self.codeword == "chebyshev":
            parent = kernels_windows.contiguous_midrange(x, starts)
        else:
            shifted = x - x[len(x) // 2]
            sums = np.concatenate(([0.0], np.cumsum(shifted)))
            reach = int(np.clip(2_000_000 // len(x), 16, len(x)))
            parent = kernels_windows.contiguous_codeword(shifted, sums, starts, CODEWORDS[self.codeword], reach)
        labels: IntArray = kernels_windows.blocks_from_parents(parent)
        return labels, self._cost(labels)

    def _sharpen(self, k: int, widths: FloatArray, bound: float, cost: float) -> float:
        from discreet.search.ranges._line_bounds import centroid_bound

        c, back = self.column, self.column.mirrored()
        # Letters at the ends come first: a block round them is lopsided, and its mean far from its midrange.
        ends = np.array([0, len(c.x) - 1])
        count = min(len(widths), max(64, SCANNED // len(c.x)))
        widest = np.sort(np.argpartition(-widths, count - 1)[:count])
        hardest = np.concatenate((ends, widest[np.argsort(-widths[widest], kind="stable")]))
        forth, mirror = (c.x, c.indptr, c.indices), (back.x, back.indptr, back.indices)
        return float(centroid_bound(forth, mirror, c.n_s, k, hardest, bound, cost, SCANNED))

    def _around(self, block: IntArray) -> IntArray:
        """The block's stretch of positions and as much again on either side."""
        low, high = int(block.min()), int(block.max()) + 1
        pad = max(16, min(high - low, 2 * len(block)))
        return np.arange(max(0, low - pad), min(len(self.column.x), high + pad))

    def _by_windows(self, k: int, starts: IntArray) -> Attempt:
        """Blocks of a given width: single ones bridged by overlapping pairs, else a cover by overlapping windows."""
        from discreet.search.ranges import _line_cuts as kernels_cuts
        from discreet.search.ranges import _line_kernels as kernels_windows

        c = self.column
        free = np.full(len(c.x), -1)

        def attempt(width: float) -> tuple[IntArray, bool] | None:
            labels = kernels_cuts.blocks_within(c.x, c.indptr, c.indices, c.n_s, k, starts, width)
            if len(labels):
                return labels, True
            first, end = kernels_windows.cover_by_windows(c.x, starts, width)
            if not len(first):
                return None
            labels, served = kernels_windows.split_overlaps(c.indptr, c.indices, c.n_s, k, first, end, free)
            return labels, bool(served)

        return attempt

    def _by_balls(self, k: int, reach: FloatArray) -> Attempt:
        """The same with balls of a given radius round letters, which then are the medoids."""
        from discreet.search.ranges import _line_kernels as kernels_windows

        c = self.column

        def attempt(radius: float) -> tuple[IntArray, bool] | None:
            first, end, centre = kernels_windows.cover_by_balls(c.x, reach, radius)
            if not len(first):
                return None
            labels, served = kernels_windows.split_overlaps(c.indptr, c.indices, c.n_s, k, first, end, centre)
            return labels, bool(served)

        return attempt


def _bisect(attempt: Attempt, low: float, high: float) -> IntArray | None:
    """The cover of least extent that could be split, as far as bisection finds it.

    Whether a cover can be split is not monotone in its extent, so this is a good extent and not always the least;
    `low`, the bound itself, is tried first and usually works.
    """
    best = None
    extent = low
    for _ in range(TRIALS):
        cover = attempt(extent)
        if cover is not None and cover[1]:
            best, high = cover[0], extent
        else:
            low = extent
        extent = 0.5 * (low + high)
        if not low < extent < high:
            break
    return best


def _near(part: IntArray, blocks: int) -> IntArray:
    """For each position the positions next to it, about two blocks' worth on either side."""
    n = len(part)
    reach = min(n - 1, max(16, 4 * n // blocks), 256)
    first = np.clip(np.arange(n) - reach // 2, 0, n - 1 - reach)
    near = first[:, None] + np.arange(reach)[None, :]
    return np.where(near >= np.arange(n)[:, None], near + 1, near)
