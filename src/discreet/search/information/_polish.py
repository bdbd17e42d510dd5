"""Polishing: a frontier that no merge of two blocks and no move of one letter away from one of its points beats.

Every point's neighbours are held against the front; those that it does not have join it, and are looked at in turn, until there
are none left or the work that was planned is done. One binary search says whether the front has a neighbour, and the figures of
a neighbour differ from those of its origin in two blocks only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import FloatArray, IntArray, Problem
from discreet.release._hypervolume import non_dominated
from discreet.release._partitions import Listed, Partitions
from discreet.search._watch import Watch
from discreet.search.information._weights import Weights, h_of

if TYPE_CHECKING:
    from discreet._typing import Progress

SPEED = 1.5e8
"""Entries of blocks that a second is planned for."""

OVERHEAD = 10_000
"""What looking at a point costs beside its neighbours, in the same entries."""

TOLERANCES = (1e-3, 1e-10)
"""Bits by which a neighbour is better: first what matters, since a line of ties alone can fill a front."""

ROOM = 4_096
"""Neighbours of one point that are taken up at once."""

BATCH = 32
"""Points whose neighbours join the front together."""

MOST = 20_000
"""Points of a front: with so many, the next would be too close to others to matter."""

PAIRS = 2_000_000
"""Letters times s of a problem that is polished: its blocks are rows of a table."""


def is_polished(weights: Weights) -> bool:
    """Whether a problem is small enough."""
    return weights.n * weights.n_s <= PAIRS


def polish(
    weights: Weights,
    found: Partitions,
    problem: Problem,
    *,
    seconds: float,
    at_least: float = 0.0,
    seed: int = 0,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> Partitions:
    """The non-dominated ones among partitions and all that is reached from them by merges and moves that pay.

    How much is done depends on the size of the problem and on the seconds that it may take, not on the machine.
    """
    if not is_polished(weights):
        return found
    front = _Front(weights, problem, at_least)
    front.take(found)
    rng = np.random.default_rng(seed)
    budget, spent = seconds * SPEED, 0.0
    with watch or Watch() as watch:
        for tolerance in TOLERANCES:
            front.explored.clear()
            while waiting := front.waiting():
                if progress:
                    progress("polishing", min(1.0, spent / budget))
                for row in [waiting[0], *rng.permutation(waiting[1:]).tolist()]:  # the finest first
                    if spent > budget or len(front.front) > MOST or watch.over():
                        front.flush()
                        return front.partitions()
                    if front.holds(row):
                        spent += front.explore(row, tolerance)
                front.flush()
    return front.partitions()


class _Front:
    """Partitions as rows of labels, and which of them are on the front: p and q are both to be low."""

    def __init__(self, weights: Weights, problem: Problem, at_least: float) -> None:
        total = weights.total
        self.table = np.zeros((weights.n, weights.n_s))
        self.table[weights.letter_of_pair, weights.indices] = weights.weight / total
        self.width = len(weights.weight) / weights.n  # s that a letter was seen with
        self.mass = weights.of_letter / total
        self.outside = -float(h_of(weights.of_s / total).sum())
        self.sign = 1.0 if problem == "funnel" else -1.0
        self.least = at_least / total
        self.rows = np.empty((1_024, weights.n), np.int32)
        self.blocks = np.empty(1_024, np.int64)
        self.p, self.q = np.empty(1_024), np.empty(1_024)
        self.used = 0
        self.front: IntArray = np.zeros(0, np.int64)  # rows, by rising q
        self.explored: set[int] = set()
        self.pending: list[tuple[int, FloatArray, IntArray]] = []  # rows, and their neighbours that the front lacks

    def take(self, found: Partitions) -> None:
        """Start from the non-dominated ones of these."""
        kept = non_dominated(self.sign * found.leakage, self.sign * found.utility)
        self._add(np.array([found.partition(int(i)) for i in kept]))

    def _add(self, rows: IntArray) -> None:
        """Take partitions up, and let go of what is dominated."""
        from discreet.search.information._polish_kernels import figures

        while self.used + len(rows) > len(self.rows):
            for name in ("rows", "blocks", "p", "q"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.empty_like(old)]))
        first = self.used
        for row in rows:
            _, labels = np.unique(row, return_inverse=True)
            blocks = int(labels.max()) + 1
            leakage, utility = figures(self.table, self.mass, labels.astype(np.int32), blocks)
            self.rows[self.used], self.blocks[self.used] = labels, blocks
            self.p[self.used], self.q[self.used] = self.sign * leakage, -self.sign * utility
            self.used += 1
        everything = np.concatenate([self.front, np.arange(first, self.used)])
        better = non_dominated(self.p[everything], -self.q[everything])  # by rising q
        self.front = everything[better]
        self._q, self._p = self.q[self.front], self.p[self.front]

    def waiting(self) -> list[int]:
        """Points of the front whose neighbours were not looked at yet, the finest first."""
        rows = [row for row in self.front.tolist() if row not in self.explored]
        return rows if self.sign > 0 else rows[::-1]

    def holds(self, row: int) -> bool:
        """Whether a row is still on the front."""
        at = int(np.searchsorted(self._q, self.q[row]))
        return at < len(self.front) and int(self.front[at]) == row

    def explore(self, row: int, tolerance: float) -> float:
        """Look at the neighbours of a point, and take up those that the front does not have; what that cost."""
        from discreet.search.information._polish_kernels import neighbours

        self.explored.add(row)
        labels, blocks = self.rows[row], int(self.blocks[row])
        start = np.array([self.sign * self.p[row], -self.sign * self.q[row]])
        found, what = neighbours(
            self.table, self.mass, labels, blocks, start, self.sign, self.least,
            self._q, self._p, len(self.front), ROOM, tolerance,
        )  # fmt: skip
        if len(found) == ROOM:
            self.explored.discard(row)  # there may be more
        if len(found):
            self.pending.append((row, found, what))
        if len(self.pending) >= BATCH:
            self.flush()
        return (blocks * (blocks - 1) / 2 + len(labels) * blocks) * self.width + OVERHEAD

    def flush(self) -> None:
        """Take up the best of the neighbours that are pending: each time that costs the length of the front."""
        if not self.pending:
            return
        found = np.concatenate([each for _, each, _ in self.pending])
        what = np.concatenate([each for _, _, each in self.pending])
        origin = np.repeat([row for row, _, _ in self.pending], [len(each) for _, each, _ in self.pending])
        self.pending.clear()
        better = non_dominated(found[:, 0], -found[:, 1]).tolist()
        changed = [_changed(self.rows[origin[i]], int(self.blocks[origin[i]]), *what[i].tolist()) for i in better]
        self._add(np.array(changed))

    def partitions(self) -> Partitions:
        """The front."""
        rows = self.front
        leakage: FloatArray = self.sign * self.p[rows] + self.outside
        utility: FloatArray = -self.sign * self.q[rows]
        return Partitions(np.maximum(0.0, leakage), np.maximum(0.0, utility), Listed(self.rows[rows]))


def _changed(labels: IntArray, blocks: int, kind: int, one: int, two: int) -> IntArray:
    """Labels after a merge of two blocks, or after a letter moved into a block."""
    changed = labels.astype(np.int64)
    if kind == 0:
        changed[labels == two] = one
    else:
        changed[one] = two if kind == 1 else blocks
    return changed
