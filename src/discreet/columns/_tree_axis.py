"""Columns in a tree: codes by their prefixes, and hierarchies. Leaves stand in depth-first order, so that a cell is known
by its first and its last leaf: it is the lowest node above both.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet._text import word
from discreet.columns._axis import Axis, Cell, Label
from discreet.columns._names import ANYTHING, MISSING, names_of, quote
from discreet.columns._names import name as written
from discreet.columns._types import ColumnType
from discreet.errors import ColumnError, InputError

if TYPE_CHECKING:
    from discreet._typing import BoolArray, FloatArray, IntArray

PUNCTUATION = ".-/ "  # that a prefix does not end in
LAST = "\U0010ffff"  # sorts after any other character


@dataclass(frozen=True, eq=False)
class TreeAxis(Axis):
    """Codes and hierarchies: leaves in depth-first order, each with its nodes from itself up to the root."""

    paths: IntArray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64), repr=False)  # (leaves, depth)
    names: tuple[str, ...] = field(default=(), repr=False)  # of the nodes
    cost: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)  # NCP of the nodes
    leaves: tuple[frozenset[Label], ...] = field(default=(), repr=False)  # the values that each leaf stands for
    prefixes: dict[str, str] = field(default_factory=dict, repr=False)  # what codes begin with, by names of nodes

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
        if words in self.prefixes:  # true of codes never seen, too
            return Cell(words, ncp, prefix=self.prefixes[words])
        return Cell(words, ncp, members=self._members[node])

    @cached_property
    def within(self) -> BoolArray:
        """Which nodes may be cells: what is below the column's limit, and whatever says no more than a leaf."""
        allowed = np.ones(len(self.names), dtype=bool)
        coarsest = self.type.coarsest
        if coarsest is None:
            return allowed
        if self.kind == "code":  # so many characters must stay
            allowed[:] = [len(self.prefixes.get(name, "")) >= int(coarsest) for name in self.names]
        else:  # so many levels up from the leaves; with a band the paths begin further up
            allowed[self.paths[:, max(0, int(coarsest) - int(self.type.band or 0)) + 1 :]] = False
        is_leaf = self.cost[self.paths] <= self.cost[self.paths[:, :1]]
        allowed[self.paths[is_leaf]] = True
        return allowed

    @property
    def limit(self) -> float:
        return 1.0 if self.type.coarsest is None else float(self.cost[self.within].max())


def tree_of_codes(name: str, labels: tuple[Label, ...], kind: ColumnType) -> TreeAxis:
    """Prefixes: 12345 stands under 1234*, 123**, …; where codes differ in length a single star stands for the rest.

    Values are cut, never what stands for them in a cell: an empty text has no beginning but itself.
    """
    present = [label for label in labels if label is not None]
    names, words = names_of(present), [word(label) for label in present]
    longest = max(map(len, words), default=0)
    same = all(len(each) == longest for each in words)
    finest = longest if kind.band is None else min(int(kind.band), longest)
    prefixes: dict[str, str] = {}  # of the texts of cells that are one

    def starred(prefix: str) -> str:
        text = written(prefix) + (ANYTHING * (longest - len(prefix)) if same else ANYTHING)
        prefixes[text] = prefix
        return text

    first = _prefixes(words, finest)
    cut = {prefix for each, prefix in zip(words, first, strict=True) if len(each) > finest}
    # What a cut code begins with may be a code itself: the cell is true of both, so they are one leaf.
    paths = [[starred(prefix) if prefix in cut else names[label]] for label, prefix in zip(present, first, strict=True)]
    for kept in range(finest, 0, -1):
        found = first if kept == finest else _prefixes(words, kept)
        shared = Counter(found)
        for path, prefix in zip(paths, found, strict=True):
            path.append(starred(prefix) if shared[prefix] > 1 else path[0])
    leaves = [(frozenset([label]), (*path, ANYTHING)) for label, path in zip(present, paths, strict=True)]
    return replace(_tree_axis(name, labels, kind, leaves), prefixes=prefixes)


def _prefixes(words: list[str], kept: int) -> list[str]:
    """What each code begins with, so many characters at most, and without punctuation at its end where that says the same."""
    given = [each[:kept] for each in words]
    short = [each.rstrip(PUNCTUATION) or each for each in given]
    longer = {each for each, prefix in zip(short, given, strict=True) if each != prefix}
    counts, ordered = Counter(short), sorted(words) if longer else []
    alike = {
        each for each in longer
        if bisect_left(ordered, each + LAST) - bisect_left(ordered, each) == counts[each]
    }  # fmt: skip
    return [each if each in alike else prefix for each, prefix in zip(short, given, strict=True)]


def tree_of_hierarchy(name: str, labels: tuple[Label, ...], kind: ColumnType) -> TreeAxis:
    """The leaves of a hierarchy, from the level that was asked for upwards."""
    hierarchy = kind.hierarchy
    if hierarchy is None:
        raise InputError(f"column {name!r}: a hierarchy needs its file")
    present = {hierarchy.leaf(label): label for label in labels if label is not None}
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
    # Nodes are called as their file calls them, but for one that could be read as a missing value.
    leaves = [
        (frozenset([present.get(leaf, leaf)]), tuple(quote(node) if node == MISSING else node for node in path[level:]))
        for leaf, path in hierarchy.paths.items()
    ]
    return _tree_axis(name, labels, kind, leaves)


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
