"""Tiles: boxes that never overlap as they are released, so that a record's cells follow from its values alone.

A node of the tree of tiles is cut between two codes of a line, between two sets of values, or, in a tree, into all children
of its common node at once: a cell is a node, and a node's child and "the others" would overlap. Parts of the tree are cut
anew with other weights and kept where they cost less; what is cut inside a tile cannot overlap with what is outside.
"""

from __future__ import annotations

import numpy as np

from discreet.search._watch import Watch
from discreet.search.tables._columns import Cells, IntArray, compiled
from discreet.search.tables._problem import Problem

ROOTS = 24
"""Random weights with which the whole table is cut."""

SHARES = (0.0, 0.0, 0.0, 0.49, 0.4, 0.25)
"""Of the records, that both sides of a cut have at least, in turn: the best cut now may leave none for later."""

IDLE = 60
"""Attempts without a gain, per node of the tree, after which the search ends."""


LEAST = 1500
"""Such attempts at least: on small tables they take no time."""


class Tiles:
    """A tree of tiles over an order of letters."""

    def __init__(self, problem: Problem, kept: IntArray, *, rng: np.random.Generator, watch: Watch) -> None:
        self.problem, self.rng, self.watch = problem, rng, watch
        self.cells: Cells = compiled(problem.columns, dense=0)
        self.order = kept.copy()
        self.lines = np.array([column.kind == "line" for column in problem.columns])
        self.scale = np.ones(len(self.lines))
        self.codes = problem.letters.codes.copy()  # those of sets in whatever order they are cut in
        self.nodes, self.cost = self._cut(self.order, self.scale)

    def _cut(self, letters: IntArray, scale: np.ndarray, share: float = 0.0) -> tuple[IntArray, float]:
        from discreet.search.tables._disjoint_kernels import tiles

        nodes, cost = tiles(
            self.codes, self.problem.letters.counts, self.cells, self.problem.need, scale, share, letters
        )
        return nodes, float(cost)

    def _rank_sets(self, letters: IntArray) -> None:
        """Another order of the values of sets, for the letters that are cut next: by chance, or by where they lie elsewhere."""
        table = self.problem.letters
        for c, column in enumerate(self.problem.columns):
            if column.kind != "set":
                continue
            values = table.codes[letters, c]
            by = int(self.rng.integers(-2, table.codes.shape[1]))
            if by < 0 or by == c:
                rank = np.arange(column.size) if by == -1 else self.rng.permutation(column.size)
            else:
                records = np.bincount(values, table.counts[letters], column.size)
                place = np.bincount(values, table.counts[letters] * table.codes[letters, by], column.size)
                rank = np.argsort(np.argsort(place / np.maximum(records, 1), kind="stable"))
            self.codes[letters, c] = rank[values]

    def whole(self) -> None:
        """Cut the whole table with other weights, near the best so far."""
        for turn in range(ROOTS):
            if self.watch.over():
                return
            spread = np.exp(self.rng.normal(0.0, 0.7, len(self.lines)))
            scale = np.where(self.lines, (0.4, 0.15)[turn], 1.0) if turn < 2 else self.scale * spread
            order = self.order.copy()
            order.sort()
            self._rank_sets(order)
            nodes, cost = self._cut(order, scale, SHARES[turn % len(SHARES)])
            if cost < self.cost:
                self.order, self.nodes, self.cost, self.scale = order, nodes, cost, scale

    def parts(self) -> None:
        """Cut random nodes anew until the time is up or little is gained."""
        records = self.problem.letters.records
        idle = 0
        while idle < max(LEAST, IDLE * len(self.nodes)) and not self.watch.over():
            inner = np.flatnonzero(self.nodes[:, 2] == 0)
            if not len(inner):
                return
            sizes = np.log2(self.nodes[inner, 1] - self.nodes[inner, 0])
            # all sizes alike: there are many more small nodes than large ones
            target = self.rng.uniform(sizes.min(), sizes.max())
            near = inner[np.abs(sizes - target) <= np.abs(sizes - target).min() + 0.5]
            start, end = self.nodes[self.rng.choice(near), :2]
            nodes = self.nodes[(self.nodes[:, 0] >= start) & (self.nodes[:, 1] <= end)]
            leaves = nodes[nodes[:, 2] == 1]
            before = self._leaf_cost(leaves)
            spread = np.exp(self.rng.normal(0.0, self.rng.choice([0.5, 1.5]), len(self.lines)))
            letters = np.sort(self.order[start:end])
            self._rank_sets(letters)
            found, cost = self._cut(letters, self.scale * spread, self.rng.choice(SHARES))
            idle += 1
            if cost < before - 1e-12:
                idle = 0
                self.cost += cost - before
                self.order[start:end] = letters
                outside = self.nodes[(self.nodes[:, 0] < start) | (self.nodes[:, 1] > end)]
                found[:, :2] += start
                self.nodes = np.concatenate([outside, found])
                self.watch.tell("tiles", idle / (IDLE * len(self.nodes)), self.cost / records)

    def _leaf_cost(self, leaves: IntArray) -> float:
        from discreet.search.tables._disjoint_kernels import leaf_costs

        table = self.problem.letters
        return float(leaf_costs(table.codes, table.counts, self.cells, self.order, leaves))

    def groups(self) -> IntArray:
        """The group of each letter."""
        group_of = np.full(self.problem.letters.size, -1, dtype=np.int64)
        leaves = self.nodes[self.nodes[:, 2] == 1]
        for g, (start, end, _) in enumerate(leaves[np.argsort(leaves[:, 0])]):
            group_of[self.order[start:end]] = g
        return group_of


def disjoint_groups(problem: Problem, kept: IntArray, *, seed: int, watch: Watch) -> IntArray:
    """Groups whose cells, as released, never overlap."""
    if not len(kept):
        return np.full(problem.letters.size, -1, dtype=np.int64)
    tiles = Tiles(problem, kept, rng=np.random.default_rng(seed), watch=watch)
    watch.tell("first", 1.0, tiles.cost / problem.letters.records)
    with watch:
        tiles.whole()
        tiles.parts()
    return tiles.groups()
