"""A front of partitions as rows of labels, which grows by neighbours of its points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import FloatArray, IntArray, Problem
from discreet.release._hypervolume import non_dominated
from discreet.release._partitions import Listed, Partitions
from discreet.release._promises import renyi_order
from discreet.search.information._weights import Weights, h_of

if TYPE_CHECKING:
    from discreet.search.information._polish_kernels import Kind, Stairs

ROOM = 4_096
"""Neighbours of one point that are taken up at once."""

BATCH = 32
"""Points whose neighbours join the front together."""

REMEMBERED = 1 << 19
"""Figures of blocks that are kept: 8 MB."""

KNOWN, OVERHEAD = 4, 5_000
"""What a neighbour costs whose figures are known, and looking at a point; one that is computed costs its values of s."""

BUCKETS = 1_024
"""Of the guide to a front."""

SPARE = 65_536
"""Rows that are kept without need."""

COLUMNS = ("rows", "blocks", "p", "q", "explored", "pinned", "on")


class Front:
    """Partitions, and which of them are on the front: p, the leakage, and q, the negative utility, are both to be low.

    A bottleneck has both the other way round. Rows are partitions; `pinned` ones are never let go of.
    """

    def __init__(self, weights: Weights, leakage: str, problem: Problem, at_least: float) -> None:
        from discreet.search.information._polish_kernels import Letters

        total = weights.total
        table = np.zeros((weights.n, weights.n_s))
        table[weights.letter_of_pair, weights.indices] = weights.weight / total
        rng = np.random.default_rng(weights.n)
        code = rng.integers(1, 2**64 - 1, weights.n, np.uint64)
        keys, known = np.zeros(REMEMBERED, np.uint64), np.empty(REMEMBERED)
        self.letters = Letters(table, weights.of_letter / total, code, keys, known)
        self.kind = kind_of(weights, leakage)
        self.sign = 1.0 if problem == "funnel" else -1.0
        self.least = at_least / total
        self.work = 0.0
        self.step = 0.0
        self.rows = np.empty((1_024, weights.n), np.int32)
        self.blocks = np.empty(1_024, np.int64)
        self.p, self.q = np.empty(1_024), np.empty(1_024)
        self.explored = np.empty(1_024)  # the least step at which a row's neighbours were looked at
        self.pinned = np.empty(1_024, bool)
        self.on = np.empty(1_024, bool)
        self.used = self.looks = self.left = 0
        self.front: IntArray = np.zeros(0, np.int64)  # rows, by rising q
        self.pending: list[tuple[int, FloatArray, IntArray]] = []  # rows, and their neighbours that the front lacks

    def __len__(self) -> int:
        return len(self.front)

    def take(self, found: Partitions) -> None:
        """Start from the non-dominated ones of these."""
        kept = non_dominated(self.sign * found.leakage, self.sign * found.utility)
        self._add([found.partition(int(i)) for i in kept], is_pinned=True)

    def take_merges_of_letters(self) -> None:
        """Every merge of two letters is to be among the partitions unless something is better, to the last digit."""
        n = len(self.letters.mass)
        if self.least == 0.0:
            every = [np.where(np.arange(n) == j, i, np.arange(n)) for j in range(n) for i in range(j)]
            self._add([np.arange(n), *every], is_pinned=True)

    def begin(self, step: float) -> None:
        """From now on the front has one point per rung of this ladder."""
        self.step = step
        self._settle(np.arange(self.used))

    def end(self, within: float) -> None:
        """From now on every point is on the front that nothing dominates: those of the rungs, and beside them what was
        given and what was looked at with this step.
        """
        self.step = 0.0
        beside = self.pinned[: self.used] | (self.explored[: self.used] <= within)
        self._settle(np.flatnonzero(self.on[: self.used] | beside))

    def _add(self, rows: list[IntArray], *, is_pinned: bool = False) -> None:
        """Take partitions up, and let go of what is dominated."""
        from discreet.search.information._polish_kernels import figures

        while self.used + len(rows) > len(self.rows):
            for name in COLUMNS:
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.empty_like(old)]))
        first = self.used
        for row in rows:
            _, labels = np.unique(row, return_inverse=True)
            blocks = int(labels.max()) + 1
            leakage, utility = figures(self.kind, self.letters, labels.astype(np.int32), blocks)
            at = self.used
            self.rows[at], self.blocks[at] = labels, blocks
            self.p[at], self.q[at] = self.sign * leakage, -self.sign * utility
            self.explored[at], self.pinned[at], self.on[at] = math.inf, is_pinned, False
            self.used += 1
        self._settle(np.concatenate([self.front, np.arange(first, self.used)]))

    def _settle(self, rows: IntArray) -> None:
        """The front among some rows."""
        rows = rows[np.argsort(self.p[rows], kind="stable")]  # of equals on a rung the lowest
        rung = np.floor(self.p[rows] / self.step) if self.step else self.p[rows]
        self.on[: self.used] = False
        self.front = rows[non_dominated(rung, -self.q[rows])]
        self.on[self.front] = True
        self.stairs = _stairs(self.q[self.front], self.p[self.front])
        self.left = int((self.explored[self.front] > self.step).sum())

    def _compact(self) -> None:
        """Forget rows that are neither on the front nor pinned."""
        kept = self.on[: self.used] | self.pinned[: self.used]
        new, count = np.cumsum(kept) - 1, int(kept.sum())
        for name in COLUMNS:
            array = getattr(self, name)
            array[:count] = array[: self.used][kept]
        self.front, self.used = new[self.front], count

    def waiting(self, step: float) -> IntArray:
        """Points of the front whose neighbours were not looked at with this step, the finest first; numbers of rows change."""
        if self.used > 4 * len(self.front) + SPARE:
            self._compact()
        rows = self.front[self.explored[self.front] > step]
        return rows if self.sign > 0 else rows[::-1]

    @property
    def work_left(self) -> float:
        """What it takes to look at the points that are waiting, if it takes as much as of those before."""
        return self.left * self.work / max(1, self.looks)

    def explore(self, row: int, step: float) -> None:
        """Look at the neighbours of a point that is still on the front, and take up those that it does not have."""
        from discreet.search.information._polish_kernels import neighbours

        if not self.on[row]:
            return
        labels, blocks = self.rows[row], int(self.blocks[row])
        found, what, computed = neighbours(
            self.kind, self.letters, labels, blocks, self.sign, self.least, self.stairs, step, ROOM
        )
        if len(found) < ROOM:  # else there may be more
            self.explored[row] = step
            self.left -= 1
        if len(found):
            self.pending.append((row, found, what))
        if len(self.pending) >= BATCH:
            self.flush()
        neighbourhood = blocks * (blocks - 1) / 2 + len(labels) * blocks
        self.work += neighbourhood * KNOWN + computed * self.letters.table.shape[1] + OVERHEAD
        self.looks += 1

    def flush(self) -> None:
        """Take up the best of the neighbours that are pending: each time that costs the length of the front."""
        if not self.pending:
            return
        found = np.concatenate([each for _, each, _ in self.pending])
        what = np.concatenate([each for _, _, each in self.pending])
        origin = np.repeat([row for row, _, _ in self.pending], [len(each) for _, each, _ in self.pending])
        self.pending.clear()
        rung = np.floor(found[:, 0] / self.step) if self.step else found[:, 0]
        better = non_dominated(rung, -found[:, 1]).tolist()
        self._add([_changed(self.rows[origin[i]], int(self.blocks[origin[i]]), *what[i].tolist()) for i in better])

    def partitions(self, within: float) -> Partitions:
        """The front after `end`."""
        self.flush()
        self.end(within)
        leakage: FloatArray = np.maximum(0.0, self.sign * self.stairs.p)
        utility: FloatArray = np.maximum(0.0, -self.sign * self.stairs.q)
        return Partitions(leakage, utility, Listed(self.rows[self.front]))


def _stairs(q: FloatArray, p: FloatArray) -> Stairs:
    """A front with a guide to its q, evenly spaced; the last bucket has what rounding puts beyond the end."""
    from discreet.search.information._polish_kernels import Stairs

    span = float(q[-1] - q[0])
    edges = q[0] + span / BUCKETS * np.arange(1, BUCKETS)
    # A bucket begins a little early: the place of a number is rounded, its bucket holds it all the same.
    inside = np.searchsorted(q, edges)
    guide = np.concatenate([[0], inside, [len(q)]]).astype(np.int64)
    return Stairs(q, p, guide, BUCKETS / span if span > 0 else 0.0)


def _changed(labels: IntArray, blocks: int, kind: int, one: int, two: int) -> IntArray:
    """Labels after a merge of two blocks, or after a letter moved into a block."""
    changed = labels.astype(np.int64)
    if kind == 0:
        changed[labels == two] = one
    else:
        changed[one] = two if kind == 1 else blocks
    return changed


def kind_of(weights: Weights, leakage: str) -> Kind:
    """How blocks make a leakage: "I", "I_inf", "Lmin" or "D_α"."""
    from discreet.search.information import _polish_kernels as kernel
    from discreet.search.information._renyi_kernels import kind_of_order

    prior = weights.of_s / weights.total
    if leakage == "I":
        return kernel.Kind(kernel.SHANNON, 1.0, prior, -float(h_of(prior).sum()))
    if leakage == "I_inf":
        return kernel.Kind(kernel.GUESS, 0.0, 1.0 / prior, 0.0)
    if leakage == "Lmin":
        return kernel.Kind(kernel.GUESS, 0.0, np.ones(weights.n_s), -math.log2(float(prior.max())))
    order = float(renyi_order(leakage) or 0.0)
    return kernel.Kind(kind_of_order(order), order, prior, 0.0)
