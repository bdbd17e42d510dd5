"""A typed column as an axis: its values as codes, and what a coarse cell says (its text) and costs (its NCP).

NCP, the normalised certainty penalty of a cell, is 0 for a value as it was and 1 for "anything" (TABLES.md, Loss). On a line
(numbers, dates, ordered categories) and in a tree (codes, hierarchies) a cell is known by its least and its greatest code,
since the leaves of a tree stand in depth-first order; of free categories it is a set.
"""

from __future__ import annotations

import datetime as dt
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import interval, text
from discreet.columns._calendar import days_of, period_of
from discreet.columns._hierarchy import Hierarchy
from discreet.columns._types import ColumnType, Kind
from discreet.errors import ColumnError, InputError

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray

Label = Any
MISSING = "missing"
ANYTHING = "*"
PUNCTUATION = ".-/ "  # that a prefix does not end in


@dataclass(frozen=True)
class Cell:
    """What a released cell says, what it costs, and which values it is true of.

    A stretch of a line has its ends in `low` and `high`, codes that were joined a `prefix`; anything else lists the values
    that it stands for in `members`. A cell with none of these stands for anything.
    """

    text: str
    ncp: float
    low: Label = None
    high: Label = None
    members: frozenset[Label] | None = None
    prefix: str | None = None

    def holds(self, label: Label) -> bool:
        """Whether the cell is true of a value."""
        if self.members is not None:
            return label in self.members
        if self.prefix is not None:
            return label is not None and text(label).startswith(self.prefix)
        if self.low is None:
            return True
        try:
            return label is not None and bool(self.low <= label <= self.high)
        except TypeError:  # a text among numbers
            return False


@dataclass(frozen=True, eq=False)
class Axis(ABC):
    """What all axes share: the column's name and type, and the code of every label that was counted."""

    name: str
    type: ColumnType
    labels: tuple[Label, ...] = field(repr=False)
    code_of: IntArray = field(repr=False)  # of each label

    @property
    def kind(self) -> Kind:
        """The column's kind."""
        return self.type.kind

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of codes."""

    @abstractmethod
    def cell(self, codes: tuple[int, ...]) -> Cell:
        """The cell of some codes, in increasing order; lines and trees look only at the first and the last."""

    @property
    @abstractmethod
    def limit(self) -> float:
        """The greatest NCP that a cell may have ("never coarser than")."""


@dataclass(frozen=True, eq=False)
class LineAxis(Axis):
    """Numbers, dates and ordered categories: code i stands for the stretch from starts[i] to ends[i]."""

    starts: tuple[Label, ...] = field(default=(), repr=False)
    ends: tuple[Label, ...] = field(default=(), repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)  # of the stretches, where they have names of their own
    low: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)  # where the stretches begin
    high: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)  # and end
    width: float = 0.0  # of the column
    has_missing: bool = False

    @property
    def size(self) -> int:
        """The stretches, and missing as the last code."""
        return len(self.starts) + self.has_missing

    def cell(self, codes: tuple[int, ...]) -> Cell:
        first, last = codes[0], codes[-1]
        if self.has_missing and last == self.size - 1:
            if first == last:
                return Cell(MISSING, 0.0, members=frozenset([None]))
            return Cell(ANYTHING, 1.0)
        apart = float(self.high[last] - self.low[first])
        ncp = min(1.0, apart / self.width) if self.width > 0 else 0.0
        if self.kind == "ordered":
            members = frozenset(self.starts[first : last + 1])
            words = self.names[first] if first == last else f"{self.names[first]}–{self.names[last]}"
            return Cell(words, ncp, members=members)
        start, end = self.starts[first], self.ends[last]
        if self.names:
            words = self.names[first] if first == last else f"{self.names[first]} to {self.names[last]}"
        else:
            words = interval(start, end)
        return Cell(words, ncp, start, end)

    @property
    def limit(self) -> float:
        coarsest = self.type.coarsest
        if coarsest is None or self.width <= 0:
            return 1.0
        days = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 31.0, "quarter": 92.0, "year": 366.0}
        most = days[coarsest] if isinstance(coarsest, str) else float(coarsest)
        if self.kind == "ordered":
            most -= 1  # so many ranks, not so many steps
        return min(1.0, most / self.width)


@dataclass(frozen=True, eq=False)
class TreeAxis(Axis):
    """Codes and hierarchies: leaves in depth-first order, each with its nodes from itself up to the root."""

    paths: IntArray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64), repr=False)  # (leaves, depth)
    names: tuple[str, ...] = field(default=(), repr=False)  # of the nodes
    cost: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)  # NCP of the nodes
    leaves: tuple[frozenset[Label], ...] = field(default=(), repr=False)  # the values that each leaf stands for

    @property
    def size(self) -> int:
        """The leaves."""
        return len(self.paths)

    def node(self, first: int, last: int) -> int:
        """The lowest node above both leaves."""
        return int(self.paths[first, np.argmax(self.paths[first] == self.paths[last])])

    @cached_property
    def _members(self) -> dict[int, frozenset[Label]]:
        found: dict[int, set[Label]] = {}
        for leaf, path in zip(self.leaves, self.paths.tolist(), strict=True):
            for node in dict.fromkeys(path):
                found.setdefault(node, set()).update(leaf)
        return {node: frozenset(values) for node, values in found.items()}

    def cell(self, codes: tuple[int, ...]) -> Cell:
        """The cell of the lowest node above the codes."""
        node = self.node(codes[0], codes[-1])
        words, ncp = self.names[node], float(self.cost[node])
        if node == self.paths[0, -1]:
            return Cell(words, ncp)
        if self.kind == "code" and words.endswith(ANYTHING):  # true of codes never seen, too
            return Cell(words, ncp, prefix=words.rstrip(ANYTHING))
        return Cell(words, ncp, members=self._members[node])

    @property
    def limit(self) -> float:
        coarsest = self.type.coarsest
        if coarsest is None:
            return 1.0
        if self.kind == "code":  # so many characters must stay
            kept = [
                cost for name, cost in zip(self.names, self.cost.tolist(), strict=True)
                if len(name.rstrip("*")) >= int(coarsest)
            ]  # fmt: skip
            return max(kept, default=0.0)
        level = min(int(coarsest), self.paths.shape[1] - 1)
        return float(self.cost[self.paths[:, level]].max())


@dataclass(frozen=True, eq=False)
class SetAxis(Axis):
    """Categories without order: a cell is a set of values."""

    @property
    def size(self) -> int:
        """The values."""
        return len(self.labels)

    def cell(self, codes: tuple[int, ...]) -> Cell:
        values = [self.labels[code] for code in codes]
        names = sorted(text(value) for value in values)
        words = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
        ncp = (len(values) - 1) / (self.size - 1) if self.size > 1 else 0.0
        return Cell(words, ncp, members=frozenset(values))

    @property
    def limit(self) -> float:
        coarsest = self.type.coarsest
        if coarsest is None or self.size < 2:
            return 1.0
        return min(1.0, (int(coarsest) - 1) / (self.size - 1))


def axis_of(name: str, labels: Sequence[Label], kind: ColumnType) -> Axis:
    """The axis of a column's distinct labels (sorted, missing last), or an error that names the column."""
    found = tuple(labels)
    kind = kind.checked(name)
    if kind.kind == "number":
        return _numbers(name, found, kind)
    if kind.kind == "date":
        return _dates(name, found, kind)
    if kind.kind == "ordered":
        return _ranks(name, found, kind)
    if kind.kind == "code":
        return _codes(name, found, kind)
    if kind.kind == "hierarchy":
        return _tree(name, found, kind)
    return SetAxis(name, kind, found, np.arange(len(found), dtype=np.int64))


# ---------------------------------------------------------------------- lines


@dataclass(frozen=True, eq=False)
class _Stretches:
    """What the codes of a line stand for: from where to where, by label and by place, and which one each value lies in."""

    starts: Sequence[Label]
    ends: Sequence[Label]
    low: FloatArray
    high: FloatArray
    codes: IntArray
    width: float
    names: tuple[str, ...] = ()

    def axis(self, name: str, labels: tuple[Label, ...], kind: ColumnType) -> LineAxis:
        if len(self.starts) == 0:
            raise ColumnError(f"column {name!r} has no values: leave it out")
        has_missing = labels[-1] is None
        code_of = np.append(self.codes, len(self.starts)) if has_missing else self.codes
        starts, ends = tuple(self.starts), tuple(self.ends)
        width = self.width
        return LineAxis(name, kind, labels, code_of, starts, ends, self.names, self.low, self.high, width, has_missing)


def _single(present: Sequence[Label], where: FloatArray) -> _Stretches:
    """Every value by itself."""
    width = float(where[-1] - where[0]) if len(where) else 0.0
    return _Stretches(present, present, where, where, np.arange(len(present), dtype=np.int64), width)


def _numbers(name: str, labels: tuple[Label, ...], kind: ColumnType) -> LineAxis:
    present = [label for label in labels if label is not None]
    odd = [x for x in present if isinstance(x, bool) or not isinstance(x, int | float | Decimal) or math.isinf(x)]
    if odd:
        raise ColumnError(
            f"column {name!r} is said to hold numbers, and {len(odd)} of its {len(present)} values are none: "
            f"use --type {name}=category or code, or name the text that means missing with --na"
        )
    alone = _single(present, np.array([float(label) for label in present]))
    band: Any = kind.band
    if band is None:
        return alone.axis(name, labels, kind)
    whole = all(isinstance(label, int) for label in present) and isinstance(band, int)
    number = [math.floor(label / band) for label in present]
    bands = sorted(set(number))
    starts = [i * band for i in bands]
    ends = [start + band - 1 if whole else start + band for start in starts]
    codes = np.searchsorted(np.array(bands), np.array(number)).astype(np.int64)
    low, high = np.array(starts, dtype=np.float64), np.array(ends, dtype=np.float64)
    return _Stretches(starts, ends, low, high, codes, alone.width).axis(name, labels, kind)


def _dates(name: str, labels: tuple[Label, ...], kind: ColumnType) -> LineAxis:
    present = [label for label in labels if label is not None]
    odd = sum(not _is_date(label) for label in present)
    if odd or not all(isinstance(label, dt.date) for label in present):
        raise ColumnError(
            f"column {name!r} is said to hold dates, and {odd} of its {len(present)} different values "
            f"{'is' if odd == 1 else 'are'} none: dates read as 2024-01-31; name what means missing with --na"
        )
    alone = _single(present, np.array([days_of(label) for label in present]))
    if kind.band is None:
        return alone.axis(name, labels, kind)
    periods = [period_of(label, str(kind.band)) for label in present]
    place = {period: i for i, period in enumerate(dict.fromkeys(periods))}
    low = np.array([days_of(period.first) for period in place])
    high = np.array([days_of(period.last) for period in place])
    codes = np.array([place[period] for period in periods], dtype=np.int64)
    starts, ends, names = [p.first for p in place], [p.last for p in place], tuple(p.name for p in place)
    return _Stretches(starts, ends, low, high, codes, alone.width, names).axis(name, labels, kind)


def _is_date(label: Label) -> bool:
    """Whether a value is a date, or a text that would be one if all others of its column were, too."""
    if not isinstance(label, str):
        return isinstance(label, dt.date)
    try:
        dt.datetime.fromisoformat(label)
    except ValueError:
        return False
    return True


def _ranks(name: str, labels: tuple[Label, ...], kind: ColumnType) -> LineAxis:
    present = [label for label in labels if label is not None]
    rank = {category: i for i, category in enumerate(kind.order)}
    absent = [label for label in present if text(label) not in rank]
    if absent:
        raise ColumnError(
            f"column {name!r}: its order lacks {len(absent)} of {len(present)} categories, {text(absent[0])!r} first"
        )
    known = {text(label): label for label in present}
    steps = [known.get(category, category) for category in kind.order]
    where = np.arange(len(steps), dtype=np.float64)
    codes = np.array([rank[text(label)] for label in present], dtype=np.int64)
    return _Stretches(steps, steps, where, where, codes, len(steps) - 1.0, tuple(kind.order)).axis(name, labels, kind)


# ---------------------------------------------------------------------- trees


def _codes(name: str, labels: tuple[Label, ...], kind: ColumnType) -> TreeAxis:
    """Prefixes: 12345 stands under 1234*, 123**, …; where codes differ in length a single star stands for the rest."""
    present = [label for label in labels if label is not None]
    words = [text(label) for label in present]
    longest = max(map(len, words), default=0)
    same = all(len(word) == longest for word in words)
    finest = longest if kind.band is None else min(int(kind.band), longest)

    def starred(prefix: str) -> str:
        return prefix + ANYTHING * (longest - len(prefix)) if same else prefix + ANYTHING

    def leaf(word: str) -> str:
        kept = word[:finest].rstrip(PUNCTUATION)
        return word if kind.band is None or len(word) <= finest else starred(kept)

    paths = [[leaf(word)] for word in words]
    for kept in range(finest, 0, -1):
        prefixes = [word[:kept].rstrip(PUNCTUATION) for word in words]
        shared = Counter(prefixes)
        for path, prefix in zip(paths, prefixes, strict=True):
            path.append(starred(prefix) if shared[prefix] > 1 else path[0])
    leaves = [(frozenset([label]), (*path, ANYTHING)) for label, path in zip(present, paths, strict=True)]
    return _tree_axis(name, labels, kind, leaves)


def _tree(name: str, labels: tuple[Label, ...], kind: ColumnType) -> TreeAxis:
    hierarchy = kind.hierarchy
    if hierarchy is None:
        raise InputError(f"column {name!r}: a hierarchy needs its file")
    present = {leaf_name(label, hierarchy): label for label in labels if label is not None}
    absent = [leaf for leaf in present if leaf not in hierarchy.paths]
    if absent:
        raise ColumnError(
            f"column {name!r}: {len(absent)} of its {len(present)} values are no leaf of the hierarchy, "
            f"{absent[0]!r} first: add a line for each"
        )
    level = int(kind.band or 0)
    if level >= hierarchy.height:
        raise InputError(
            f"column {name!r}: its hierarchy has {hierarchy.height - 1} levels above the leaves, not {level}"
        )
    leaves = [(frozenset([present.get(leaf, leaf)]), path[level:]) for leaf, path in hierarchy.paths.items()]
    return _tree_axis(name, labels, kind, leaves)


def leaf_name(label: Label, hierarchy: Hierarchy) -> str:
    """How a hierarchy file writes a value: as a cell shows it, or as Python does."""
    shown = text(label)
    return shown if shown in hierarchy.paths else str(label)


def _tree_axis(
    name: str, labels: tuple[Label, ...], kind: ColumnType, leaves: list[tuple[frozenset[Label], tuple[str, ...]]]
) -> TreeAxis:
    """A tree from values and their paths to the root; missing is a leaf of its own under the root.

    A node is known by its path to the root, so that equal names in different branches stay apart. It costs
    (values under it − 1)/(values − 1), whether they occur or not.
    """
    if labels[-1] is None:
        depth, root = (len(leaves[0][1]), leaves[0][1][-1]) if leaves else (1, ANYTHING)
        leaves = [*leaves, (frozenset([None]), (*[MISSING] * (depth - 1), root))]
    members: dict[tuple[str, ...], set[Label]] = {}
    for some, path in sorted(leaves, key=lambda leaf: leaf[1][::-1]):  # depth first: by the root, its child, …
        members.setdefault(path, set()).update(some)
    node_of: dict[tuple[str, ...], int] = {}
    paths = np.array([[node_of.setdefault(path[i:], len(node_of)) for i in range(len(path))] for path in members])
    total = np.zeros(len(node_of))
    for nodes, values in zip(paths, members.values(), strict=True):
        total[nodes] += len(values)
    cost = (total - 1) / (total.max() - 1) if total.max() > 1 else total * 0.0
    names = tuple(path[0] for path in node_of)
    _check_names(name, names, cost, paths)
    place = {value: code for code, values in enumerate(members.values()) for value in values}
    code_of = np.array([place[label] for label in labels], dtype=np.int64)
    return TreeAxis(name, kind, labels, code_of, paths, names, cost, tuple(map(frozenset, members.values())))


def _check_names(name: str, names: tuple[str, ...], cost: FloatArray, paths: IntArray) -> None:
    """A released cell is a node's name, so one name may not stand for two different sets of values."""
    first_leaf: dict[int, int] = {}
    for leaf, path in enumerate(paths.tolist()):
        for node in path:
            first_leaf.setdefault(node, leaf)
    known: dict[str, tuple[int, float]] = {}
    for node, words in enumerate(names):
        under = (first_leaf[node], float(cost[node]))  # the first leaf and the number of leaves tell a node's values
        if known.setdefault(words, under) != under:
            raise ColumnError(
                f"column {name!r}: the name {words!r} stands for two different nodes of its hierarchy: rename one"
            )
