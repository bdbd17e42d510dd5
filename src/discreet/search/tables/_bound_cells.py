"""Columns as families of cells for the lower bound, in integers that err towards zero.

A bound needs no exact list of cells, only one that *dominates*: for every cell C that a release could hold there is a
listed cell C' that contains C and costs no more. Replacing the cells of a release by dominating ones keeps every group
inside its box and never raises its loss, so a bound over listed cells is a bound over all of them. Trees are listed
exactly. A line is cut into at most so many stretches, and a span costs the gap between its outer stretches. Sets are
listed up to a size, above which everything is one cell at the price of the least larger set.

Costs are multiples of 2^-40, rounded down from exact rationals, so that the kernels compare integers and nothing in a
certificate depends on floating point.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
import numpy.typing as npt

BITS = 40
UNIT = 1 << BITS

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class BoundColumn:
    """One public column as the bound sees it: codes 0..size-1 and what a cell of them costs.

    Use `line`, `tree` or `set`. `weight` is the column's share of the loss; the weights of a table sum to 1.
    """

    kind: Literal["line", "tree", "set"]
    size: int
    weight: float
    positions: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    width: float = 1.0
    ancestors: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))

    @classmethod
    def line(cls, positions: npt.ArrayLike, weight: float, *, width: float | None = None) -> BoundColumn:
        """Codes at strictly increasing positions; a span costs its length divided by `width` (default: the range)."""
        at = np.asarray(positions, float)
        if len(at) > 1 and not (np.diff(at) > 0).all():
            raise ValueError("the positions of a line must increase strictly")
        return cls("line", len(at), weight, at, float(at[-1] - at[0]) if width is None else float(width))

    @classmethod
    def tree(cls, ancestors: npt.ArrayLike, weight: float) -> BoundColumn:
        """Leaves of a hierarchy: `ancestors[leaf]` are its nodes, the leaf's own first and the root's last.

        Node ids only need to be equal where the node is; a node repeated on several levels is one node. It costs
        (leaves under it - 1)/(leaves - 1).
        """
        table = np.asarray(ancestors, np.int64)
        return cls("tree", len(table), weight, ancestors=table)

    @classmethod
    def set(cls, size: int, weight: float) -> BoundColumn:
        """Values without order: any set is a cell and costs (its size - 1)/(size - 1)."""
        return cls("set", size, weight)


@dataclass(frozen=True)
class Family:
    """Cells of one column, as classes of disjoint cells: `labels[class, code]` is the cell, -1 where none holds it.

    `costs[class, cell]` are multiples of 2^-40. `marks[class, code]` are bits; a cell is the cheapest listed one for the
    codes present only if their marks together are `wanted[class, cell]` (its ends on a line, its members in a set).
    Trees leave both empty: there a node is the cheapest unless all codes present share a node of the class before.
    """

    labels: npt.NDArray[np.int32]
    costs: IntArray
    marks: IntArray
    wanted: IntArray


def floor_units(x: Fraction) -> int:
    """x in multiples of 2^-40, rounded down."""
    return (x.numerator << BITS) // x.denominator


def tree_family(column: BoundColumn) -> Family:
    """Every node, a class a level."""
    levels = column.ancestors.shape[1]
    weight = Fraction(column.weight)
    labels = np.empty((levels, column.size), np.int32)
    costs = np.zeros((levels, column.size), np.int64)
    for level in range(levels):
        _, inverse, leaves = np.unique(column.ancestors[:, level], return_inverse=True, return_counts=True)
        labels[level] = inverse.ravel()
        for node, under in enumerate(leaves):
            if column.size > 1:
                costs[level, node] = floor_units(weight * Fraction(int(under) - 1, column.size - 1))
    none = np.zeros((levels, 0), np.int64)
    return Family(labels, costs, none, none)


def set_family(column: BoundColumn, most: int) -> Family:
    """Sets up to the largest size that keeps the list within `most`, then everything at the price of one value more."""
    size = column.size
    weight = Fraction(column.weight)
    upto, listed = 1, 0
    while upto + 1 < size and listed + comb(size, upto + 1) <= most and upto + 1 < 60:
        upto += 1
        listed += comb(size, upto)
    sets: list[tuple[int, ...]] = [s for r in range(2, upto + 1) for s in combinations(range(size), r)]
    rows = 1 + len(sets) + (size > 1)
    labels = np.full((rows, size), -1, np.int32)
    costs = np.zeros((rows, size), np.int64)
    marks = np.zeros((rows, size), np.int64)
    wanted = np.zeros((rows, size), np.int64)
    labels[0] = np.arange(size)
    for row, members in enumerate(sets, start=1):
        labels[row, list(members)] = 0
        costs[row, 0] = floor_units(weight * Fraction(len(members) - 1, size - 1))
        marks[row, list(members)] = 1 << np.arange(len(members))
        wanted[row, 0] = (1 << len(members)) - 1
    if size > 1:
        labels[-1] = 0
        costs[-1, 0] = floor_units(weight * Fraction(upto, size - 1))
    return Family(labels, costs, marks, wanted)


def stretches(column: BoundColumn, most: int) -> npt.NDArray[np.int64]:
    """The stretch of the line each code lies in: itself where they are few, else `most` of equal length."""
    if column.size <= most:
        return np.arange(column.size)
    at = column.positions
    cut = np.minimum(((at - at[0]) / (at[-1] - at[0]) * most).astype(np.int64), most - 1)
    return np.unique(cut, return_inverse=True)[1].ravel()


def line_ends(column: BoundColumn, stretch: npt.NDArray[np.int64]) -> tuple[IntArray, IntArray]:
    """(opens, closes) a stretch: a span from stretch a to stretch b costs at least max(0, closes[b] - opens[a]).

    Of a span that meets stretch a and stretch b > a only the gap between them is certain: from the last position in a
    to the first in b. Both are rounded so that the difference is rounded down.
    """
    count = int(stretch[-1]) + 1
    opens, closes = np.empty(count, np.int64), np.empty(count, np.int64)
    scale = Fraction(column.weight) / Fraction(column.width) if column.width > 0 else Fraction(0)
    first = np.searchsorted(stretch, np.arange(count), side="left")
    last = np.searchsorted(stretch, np.arange(count), side="right") - 1
    origin = Fraction(float(column.positions[0]))
    for s in range(count):
        closes[s] = floor_units(scale * (Fraction(float(column.positions[first[s]])) - origin))
        opens[s] = -floor_units(-scale * (Fraction(float(column.positions[last[s]])) - origin))
    return opens, closes


def line_family(column: BoundColumn, most: int) -> Family:
    """Every window of at most `most` stretches; windows of one length, `length` apart, share a class."""
    stretch = stretches(column, most)
    opens, closes = line_ends(column, stretch)
    count = len(opens)
    rows = [(length, offset) for length in range(1, count + 1) for offset in range(min(length, count - length + 1))]
    labels = np.full((len(rows), column.size), -1, np.int32)
    costs = np.zeros((len(rows), count), np.int64)
    marks = np.zeros((len(rows), column.size), np.int64)
    wanted = np.zeros((len(rows), count), np.int64)
    for row, (length, offset) in enumerate(rows):
        for cell, a in enumerate(range(offset, count - length + 1, length)):
            b = a + length - 1
            labels[row, (stretch >= a) & (stretch <= b)] = cell
            marks[row, stretch == a] |= 1
            marks[row, stretch == b] |= 2
            wanted[row, cell] = 3
            costs[row, cell] = max(0, int(closes[b] - opens[a])) if b > a else 0
    return Family(labels, costs, marks, wanted)
