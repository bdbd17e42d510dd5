"""Public columns as codes: what a cell of a group costs, per kind of column, and the flat form that the kernels read.

A column has codes 0..D-1. On a *line* (numbers, dates, ordered categories) a cell is the span from the least code to the
greatest; in a *tree* (hierarchies, code prefixes), whose leaves stand in depth-first order, the lowest common node of those
two leaves; a *set* (categories without order) keeps the values themselves. Lines and trees thus need two codes a group.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError

Kind = Literal["line", "tree", "set"]
IntArray = npt.NDArray[np.int64]
CodeArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]

DENSE = 128
"""Trees of at most this many leaves get a table of all spans; it stays in the cache."""

BEYOND = 1e6
"""What a forbidden cell costs on top: no sum of true losses in a group of letters comes near it."""

SLACK = 1e-9
"""A cell may exceed its limit by rounding only."""


@dataclass(frozen=True, eq=False)
class Column:
    """One public column: its kind, what a span costs, its weight and its limits. Use `line`, `tree` or `set_of`.

    Attributes
    ----------
    kind
        "line", "tree" or "set".
    size
        D, the number of codes; all leaves of a hierarchy, also those that do not occur.
    weight
        Relative weight in the loss; the engine normalises them to sum 1.
    limit
        "Never coarser than": the greatest NCP that a group's cell may have.
    fixed
        "Leave as it is": the members of a group must agree.
    positions
        Of a line: where each code stands, divided by the column's width. A missing value is the last code and stands
        further away than any two numbers.
    levels
        Of a tree: for each leaf the nodes above it, from the leaf itself to the root, numbered within the tree.
    node_cost
        Of a tree: the NCP of each node.
    """

    kind: Kind
    size: int
    weight: float = 1.0
    limit: float = 1.0
    fixed: bool = False
    positions: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    levels: IntArray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64), repr=False)
    node_cost: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0):
            raise InputError(f"a column's weight must be a number that is not negative, not {self.weight}")
        if not 0 <= self.limit <= 1:
            raise InputError(f"a column's limit is a share of its range, from 0 to 1, not {self.limit}")

    @classmethod
    def line(
        cls,
        positions: npt.ArrayLike,
        width: float | None = None,
        *,
        missing: bool = False,
        weight: float = 1.0,
        limit: float = 1.0,
        fixed: bool = False,
    ) -> Column:
        """A column of numbers, dates or ordered categories.

        Parameters
        ----------
        positions
            Where each code stands, strictly increasing; without the missing value.
        width
            Range of the column; by default that of the positions.
        missing
            Whether one more code, the last, stands for a missing value.

        Examples
        --------
        >>> Column.line([17, 20, 37]).spans([0, 1], [1, 2])
        array([0.15, 0.85])
        """
        where = np.asarray(positions, dtype=np.float64)
        if where.ndim != 1 or not np.all(np.isfinite(where)) or np.any(np.diff(where) <= 0):
            raise InputError("the positions of a line must be finite and strictly increasing")
        least = float(where[-1] - where[0]) if len(where) else 0.0
        width = least if width is None else float(width)
        if not (np.isfinite(width) and width >= least * (1 - 1e-12)):
            raise InputError(f"a column's width must be at least that of its values, {least:g}, not {width:g}")
        scaled = (where - where[0]) / width if width > 0 else np.zeros(len(where))
        if missing:
            scaled = np.append(scaled, 3.0)
        if not len(scaled):
            raise InputError("a column needs at least one value")
        return cls("line", len(scaled), weight, limit, fixed, positions=scaled)

    @classmethod
    def tree(cls, levels: npt.ArrayLike, *, weight: float = 1.0, limit: float = 1.0, fixed: bool = False) -> Column:
        """A column with a hierarchy.

        Parameters
        ----------
        levels
            One row a leaf, in depth-first order; one column a level, from the leaf to the root, as in an ARX file; equal
            numbers in one column are one node. Where a branch is shorter, its node is repeated in the next level.

        Examples
        --------
        >>> Column.tree([[0, 0, 0], [1, 0, 0], [2, 1, 0]]).spans([0, 1], [1, 2])
        array([0.5, 1. ])
        """
        rows = np.asarray(levels, dtype=np.int64)
        if rows.ndim != 2 or not rows.size:
            raise InputError("a hierarchy needs a row for every leaf and a column for every level")
        leaves, depth = rows.shape
        starts = np.ones((leaves, depth), dtype=bool)
        starts[1:] = rows[1:] != rows[:-1]
        if not starts[:, 0].all() or starts[1:, -1].any():
            raise InputError("a hierarchy has distinct leaves in its first level and one top in its last")
        if np.any(starts[:, 1:] & ~starts[:, :-1]) or any(
            len(np.unique(rows[:, j])) != starts[:, j].sum() for j in range(depth)
        ):
            raise InputError("the leaves of a hierarchy must stand in depth-first order, each level within the next")
        ends_with = np.cumsum(starts, axis=0) - 1
        offsets = np.concatenate([[0], np.cumsum(starts.sum(axis=0))])
        nodes = ends_with + offsets[:-1]
        counts = np.bincount(nodes.ravel(), minlength=int(offsets[-1]))
        cost = (counts - 1) / (leaves - 1) if leaves > 1 else np.zeros(len(counts))
        return cls("tree", leaves, weight, limit, fixed, levels=nodes, node_cost=cost)

    @classmethod
    def set_of(cls, size: int, *, weight: float = 1.0, limit: float = 1.0, fixed: bool = False) -> Column:
        """A column of `size` values without order or hierarchy; a missing value is one of them."""
        if size < 1:
            raise InputError("a column needs at least one value")
        return cls("set", int(size), weight, limit, fixed)

    @property
    def most(self) -> float:
        """The greatest NCP that a cell of this column may have."""
        return 0.0 if self.fixed else self.limit

    def spans(self, low: npt.ArrayLike, high: npt.ArrayLike) -> FloatArray:
        """NCP of the cells from the codes `low` to the codes `high`, for lines and trees."""
        lo, hi = np.asarray(low), np.asarray(high)
        if self.kind == "line":
            return np.asarray(np.minimum(1.0, self.positions[hi] - self.positions[lo]), dtype=np.float64)
        if self.kind == "tree":
            first = np.argmax(self.levels[lo] == self.levels[hi], axis=-1)
            node = np.take_along_axis(self.levels[lo], first[..., None], axis=-1)[..., 0]
            return np.asarray(self.node_cost[node], dtype=np.float64)
        raise InputError("a set has no spans: its cells are sets of values")

    def block_of(self) -> IntArray | None:
        """For each code the part of the column that no group may leave, or None where limits do not cut it in parts."""
        if self.fixed:
            return np.arange(self.size, dtype=np.int64)
        if self.limit >= 1 or self.kind != "tree":
            return None
        allowed = self.node_cost[self.levels] <= self.limit + SLACK
        highest = self.levels.shape[1] - 1 - np.argmax(allowed[:, ::-1], axis=1)
        return np.asarray(self.levels[np.arange(self.size), highest], dtype=np.int64)


class Cells(NamedTuple):
    """The columns of a table as the kernels read them; costs hold the weights, and forbidden cells cost `BEYOND` more.

    Few arrays, since every array that a kernel is handed makes it longer to compile.
    """

    meta: IntArray  # [d, 6]: kind (below), D, where it begins in `cost`, levels, where it begins in `nodes`, first word
    most: FloatArray  # [d, 2]: weight, weighted limit
    cost: FloatArray  # positions of lines, costs of spans or nodes of trees, one column after the other
    nodes: CodeArray  # the levels of large trees
    words: IntArray  # [1]: words of 64 bits that the sets of a group take


# kinds of columns in Cells.meta: a table of all spans, positions, levels, a set
TABLE, LINE, TREE, SET = range(4)


def normalised(columns: tuple[Column, ...]) -> FloatArray:
    """The columns' weights, with sum 1."""
    weights = np.array([column.weight for column in columns], dtype=np.float64)
    if not len(weights):
        raise InputError("a table needs at least one public column")
    if weights.sum() <= 0:
        raise InputError("at least one column needs a weight above 0")
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def compiled(columns: tuple[Column, ...], *, dense: int = DENSE) -> Cells:
    """The flat form of the columns, for the kernels; trees of up to `dense` leaves as a table of all spans."""
    weights = normalised(columns)
    meta = np.zeros((len(columns), 6), dtype=np.int64)
    limits = np.array([column.most for column in columns]) * weights + SLACK
    costs: list[FloatArray] = [np.empty(0)]
    nodes: list[CodeArray] = [np.empty(0, dtype=np.int32)]
    length = reach = words = 0
    for c, column in enumerate(columns):
        meta[c, 1:] = column.size, length, 0, reach, words
        if column.kind == "set":
            meta[c, 0] = SET
            words += (column.size + 63) // 64
            continue
        if column.kind == "line":
            meta[c, 0] = LINE
            cost = weights[c] * column.positions
        else:
            if column.size <= dense:
                meta[c, 0] = TABLE
                every = np.arange(column.size)
                cost = weights[c] * column.spans(*np.broadcast_arrays(every[:, None], every)).ravel()
            else:
                meta[c, 0], meta[c, 3] = TREE, column.levels.shape[1]
                cost = weights[c] * column.node_cost
                nodes.append(column.levels.astype(np.int32).ravel())
                reach += column.levels.size
            cost = np.where(cost > limits[c], cost + BEYOND, cost)
        costs.append(cost)
        length += len(cost)
    return Cells(
        meta,
        np.stack([weights, limits], axis=1),
        np.concatenate(costs),
        np.concatenate(nodes),
        np.array([words], dtype=np.int64),
    )
