"""The first cuts of the top-down tree, from counts that workers send: nobody sees all records.

As `_topdown_kernels` does it, every cut of every column is scored by the hulls on its two sides. For that it is enough to
know, for every code of every column in a node, its records and the hull of the letters that have it: hulls of a side are
the least and the greatest of these. A cut leaves a tenth of a node on either side at least, so that the tree is not deep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from discreet.search.tables._columns import Column, FloatArray, IntArray, normalised
from discreet.search.tables._requirements import Requirement
from discreet.search.tables._value_models import keep_models

SIDE = 0.1
"""Share of a node's rows that either side of a cut has at least."""


class Tally(NamedTuple):
    """What is known of nodes: an entry for every code of every column that occurs in a node.

    Columns from `d` on are sensitive ones; they have no hulls.
    """

    node: IntArray
    column: IntArray
    code: IntArray
    rows: IntArray
    records: IntArray
    low: IntArray  # (entries, d)
    high: IntArray


def tallied(codes: IntArray, sensitive: IntArray, records: IntArray, node: IntArray) -> Tally:
    """The tally of some rows, which a worker has; (rows, d) codes, (rows, columns) sensitive ones."""
    d = codes.shape[1]
    found = []
    for c in range(d + sensitive.shape[1]):
        of = codes[:, c] if c < d else sensitive[:, c - d]
        size = int(of.max(initial=0)) + 1
        key = node * size + of
        order = np.argsort(key, kind="stable")
        sorted_key = key[order]
        starts = np.flatnonzero(np.concatenate([[True], sorted_key[1:] != sorted_key[:-1]])) if len(key) else order
        rows = np.diff(np.append(starts, len(order)))
        first = order[starts]
        hulls = [
            reduce.reduceat(codes[order], starts, axis=0) if len(starts) else codes[:0]
            for reduce in (np.minimum, np.maximum)
        ]
        found.append(
            Tally(
                node[first],
                np.full(len(starts), c),
                of[first],
                rows,
                np.add.reduceat(records[order], starts) if len(starts) else rows,
                *hulls,
            )
        )
    return Tally(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


@dataclass(eq=False)
class FirstCuts:
    """A tree of cuts that grows until no leaf has more than `most` rows; leaves meet the requirement as a whole.

    Node v is cut at `at[v]` of column `column[v]`: lower codes go to node `child[v]`, the others to the next.
    """

    columns: tuple[Column, ...]
    requirement: Requirement
    most: int
    column: list[int] = field(default_factory=lambda: [-1])
    at: list[int] = field(default_factory=lambda: [0])
    child: list[int] = field(default_factory=lambda: [-1])
    region: list[tuple[IntArray, IntArray]] = field(default_factory=list)
    rows: list[int] = field(default_factory=lambda: [0])
    open: list[int] = field(default_factory=lambda: [0])

    def __post_init__(self) -> None:
        top = np.array([column.size - 1 for column in self.columns])
        self.region = [(np.zeros_like(top), top)]
        self._weights = normalised(self.columns)
        parts = [column.block_of() for column in self.columns]
        bound = any(part is not None for part in parts)
        # Where some values must stay apart, only cuts between them are allowed: no such part is ever cut in two.
        self._between = [
            None if not bound else _borders(part, column.size) for part, column in zip(parts, self.columns, strict=True)
        ]

    @property
    def leaves(self) -> list[int]:
        """The nodes that are not cut."""
        return [v for v, child in enumerate(self.child) if child < 0 and self.rows[v] >= 0]

    def node_of(self, codes: IntArray) -> IntArray:
        """The leaf of every row of codes."""
        column, at, child = np.array(self.column), np.array(self.at), np.array(self.child)
        node = np.zeros(len(codes), dtype=np.int64)
        going = np.flatnonzero(child[node] >= 0)
        while len(going):
            here = node[going]
            node[going] = child[here] + (codes[going, column[here]] >= at[here])
            going = going[child[node[going]] >= 0]
        return node

    def grow(self, tally: Tally) -> None:
        """Cut the open nodes by what is known of them; their children are open then."""
        pending, self.open = self.open, []
        lacking = {v for v in pending if v and not self._meets(v, tally)}
        for v in pending:
            pair = v - (v - 1) % 2 if v else 0  # children come in pairs
            if v and (pair in lacking or pair + 1 in lacking):
                self._undo(pair)
                continue
            self.rows[v] = int(tally.rows[(tally.node == v) & (tally.column == 0)].sum())
        for v in pending:
            if self.rows[v] > self.most and (cut := self._cheapest(v, tally)):
                self._cut(v, *cut)

    def _undo(self, pair: int) -> None:
        parent = self.child.index(pair) if pair in self.child else None
        if parent is not None:
            self.child[parent] = -1
            self.rows[pair] = self.rows[pair + 1] = -1  # gone

    def _cut(self, v: int, column: int, at: int) -> None:
        low, high = self.region[v]
        first = len(self.child)
        self.column[v], self.at[v], self.child[v] = column, at, first
        below, above = high.copy(), low.copy()
        below[column], above[column] = at - 1, at
        self.region += [(low, below), (above, high)]
        for _ in range(2):
            self.column.append(-1)
            self.at.append(0)
            self.child.append(-1)
            self.rows.append(0)
        self.open += [first, first + 1]

    def _meets(self, v: int, tally: Tally) -> bool:
        """Whether a node as one group has what a group must have: then a grouping of it exists."""
        inside, d = tally.node == v, len(self.columns)
        records = int(tally.records[inside & (tally.column == 0)].sum())
        if records < self.requirement.n:
            return False
        wanted = self.requirement
        for j, (k, cap, models) in enumerate(zip(wanted.k, wanted.caps, wanted.models, strict=True)):
            mine = np.flatnonzero(inside & (tally.column == d + j))
            if len(mine) < k:
                return False
            if cap is not None and np.any(tally.records[mine] > cap[tally.code[mine]] * records):
                return False
            spread = np.zeros(len(mine), dtype=np.int64), tally.code[mine], tally.records[mine]
            if not keep_models(models, spread, 1).all():
                return False
        return True

    def _cheapest(self, v: int, tally: Tally) -> tuple[int, int] | None:
        """The column and the code at which a node is cut at the least loss."""
        inside = tally.node == v
        best, found = np.inf, None
        for c in range(len(self.columns)):
            mine = np.flatnonzero(inside & (tally.column == c))
            mine = mine[np.argsort(tally.code[mine])]
            if len(mine) < 2:
                continue
            rows, records = np.cumsum(tally.rows[mine]), np.cumsum(tally.records[mine])
            left = self._cost(np.minimum.accumulate(tally.low[mine]), np.maximum.accumulate(tally.high[mine]))
            right = self._cost(
                np.minimum.accumulate(tally.low[mine][::-1])[::-1], np.maximum.accumulate(tally.high[mine][::-1])[::-1]
            )
            cost = records[:-1] * left[:-1] + (records[-1] - records[:-1]) * right[1:]
            small = np.minimum(rows[:-1], rows[-1] - rows[:-1]) < SIDE * rows[-1]
            few = np.minimum(records[:-1], records[-1] - records[:-1]) < self.requirement.n
            cost[small | few] = np.inf
            between = self._between[c]
            if between is not None:
                cost[~between[tally.code[mine][1:]]] = np.inf
            at = int(np.argmin(cost))
            if cost[at] < best:
                best, found = float(cost[at]), (c, int(tally.code[mine][at + 1]))
        return found

    def _cost(self, low: IntArray, high: IntArray) -> FloatArray:
        total = np.zeros(len(low))
        for c, column in enumerate(self.columns):
            if column.kind == "set":  # as if it held all values between: near the root it does
                span = (high[:, c] - low[:, c]) / max(column.size - 1, 1)
            else:
                span = column.spans(low[:, c], high[:, c])
            total += self._weights[c] * span
        return total


def _borders(part: IntArray | None, size: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """For each code whether a part begins there."""
    if part is None:
        return np.zeros(size, dtype=bool)
    return np.concatenate([[True], part[1:] != part[:-1]])


def leaving(columns: Sequence[Column], codes: IntArray, region: tuple[IntArray, IntArray]) -> FloatArray:
    """What a group with this letter and a record outside of its part costs at least, for each letter.

    In some column a cell of it holds the letter's code and one beyond the part's least or greatest.
    """
    least = np.full(len(codes), np.inf)
    weights = normalised(tuple(columns))
    for c, column in enumerate(columns):
        for outside in (int(region[0][c]) - 1, int(region[1][c]) + 1):
            if not 0 <= outside < column.size:
                continue
            if column.kind == "set":
                cost = np.full(len(codes), 1 / (column.size - 1))
            else:
                other = np.full(len(codes), outside)
                cost = column.spans(np.minimum(codes[:, c], other), np.maximum(codes[:, c], other))
            least = np.minimum(least, weights[c] * cost)
    return least
