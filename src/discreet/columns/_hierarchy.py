"""Category hierarchies, as ARX writes them.

A hierarchy file has one line per leaf: the leaf, its parent, the parent's parent, up to one root that all
leaves share, separated by semicolons or commas:

    Lyon;France;Europe;*
    Turin;Italy;Europe;*
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet._text import word
from discreet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet._typing import IntArray
    from discreet.tables._labels import Label


class HierarchyError(InputError):
    """A hierarchy that is not a tree, or does not cover the alphabet; the message says where."""


@dataclass(frozen=True)
class Hierarchy:
    """A tree of categories: for each leaf its nodes from the leaf itself to the root."""

    paths: dict[str, tuple[str, ...]]

    @property
    def height(self) -> int:
        """The number of levels, the leaves' and the root's included."""
        return len(next(iter(self.paths.values())))

    @property
    def is_crooked(self) -> bool:
        """Whether it is no tree of one height with one root, as one that a file of ours holds must be."""
        ways = list(self.paths.values())
        shapes = {(len(way), way[-1]) for way in ways if len(way) > 1}
        return len(shapes) != 1 or any(len(way) < 2 for way in ways)

    @classmethod
    def load(cls, path: str | Path) -> Hierarchy:
        """Read a hierarchy file (UTF-8).

        Raises
        ------
        HierarchyError
            The file cannot be read or is not a hierarchy.
        """
        try:
            given = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise HierarchyError(f"{path} cannot be read: {reason}") from None
        return cls.parse(given, name=str(path))

    @classmethod
    def parse(cls, given: str, *, name: str = "hierarchy") -> Hierarchy:
        """Read a hierarchy from text; the delimiter is the semicolon if the first line has one, or the comma.

        Raises
        ------
        HierarchyError
            No lines, lines of different length, an empty or repeated leaf, a node with two
            parents, or more than one root.
        """
        first = next((line for line in given.splitlines() if line.strip()), "")
        reader = csv.reader(io.StringIO(given), delimiter=";" if ";" in first else ",", strict=True)
        paths: dict[str, tuple[str, ...]] = {}
        parents: dict[tuple[int, str], tuple[str, int]] = {}
        width = 0
        try:
            for cells in reader:
                if not any(cell.strip() for cell in cells):
                    continue
                where = f"{name}, line {reader.line_num}"
                width = width or len(cells)
                _check_line(cells, width, where)
                if cells[0] in paths:
                    raise HierarchyError(f"{where}: the leaf was given before; each leaf needs one line")
                paths[cells[0]] = tuple(cells)
                for level, (node, parent) in enumerate(pairwise(cells)):
                    known, line = parents.setdefault((level, node), (parent, reader.line_num))
                    if known != parent:
                        raise HierarchyError(
                            f"{where}: the node in column {level + 1} has another parent than on line {line}"
                        )
        except csv.Error as error:
            raise HierarchyError(f"{name}, line {reader.line_num}: {error}") from error
        if not paths:
            raise HierarchyError(f"{name}: no lines; each line must give a leaf and its parents")
        roots = {nodes[-1] for nodes in paths.values()}
        if len(roots) > 1:
            raise HierarchyError(f"{name}: {len(roots)} different roots in the last column instead of one")
        return cls(paths)

    def leaf(self, label: object) -> str:
        """How the file writes a value: a text as it is, a number as a cell shows it, or as Python does."""
        written = word(label)
        return written if written in self.paths else str(label)

    def of_labels(self, labels: Iterable[Label]) -> dict[Label, tuple[str, ...]]:
        """The nodes of every label from its leaf to the root, where it has one; what is missing stands alone under the root.

        Examples
        --------
        >>> Hierarchy({"1": ("1", "odd", "*"), "2": ("2", "even", "*")}).of_labels([1, None, 7])
        {1: ('1', 'odd', '*'), None: ('missing', 'missing', '*')}
        """
        root = next(iter(self.paths.values()))[-1]
        none = (*["missing"] * (self.height - 1), root)
        ways = ((label, none if label is None else self.paths.get(self.leaf(label))) for label in labels)
        return {label: way for label, way in ways if way is not None}

    def missing(self, labels: Sequence[object]) -> list[int]:
        """The letters, by number, whose labels are no leaf of the hierarchy."""
        return [i for i, label in enumerate(labels) if str(label) not in self.paths]

    def partitions(self, labels: Sequence[object]) -> IntArray:
        """The alphabet at every level of the hierarchy: block_of by level, leaves first; height by n.

        Parameters
        ----------
        labels
            The label of each letter, in the letters' order; compared as text.

        Raises
        ------
        HierarchyError
            A letter is no leaf (`missing` says which).
        """
        absent = self.missing(labels)
        if absent:
            some = f"{len(absent)} of {len(labels)} public values"
            raise HierarchyError(
                f"{some} are no leaf of the hierarchy, {str(labels[absent[0]])!r} first: add a line each"
            )
        at = np.empty((self.height, len(labels)), np.int64)
        for level in range(self.height):
            earliest: dict[str, int] = {}
            for i, label in enumerate(labels):
                at[level, i] = earliest.setdefault(self.paths[str(label)][level], i)
        return at

    def names(self, labels: Sequence[object], block_of: IntArray) -> tuple[str, ...]:
        """What each block is called: the lowest node that all its letters share; earliest block first."""
        members: dict[int, list[tuple[str, ...]]] = {}
        for label, block in zip(labels, block_of.tolist(), strict=True):
            members.setdefault(block, []).append(self.paths[str(label)])
        return tuple(
            next(nodes[0] for nodes in zip(*paths, strict=True) if len(set(nodes)) == 1) for paths in members.values()
        )


def _check_line(cells: list[str], width: int, where: str) -> None:
    if len(cells) < 2:
        raise HierarchyError(f"{where}: only one column; separate leaf and parents with ; or ,")
    if len(cells) != width:
        raise HierarchyError(f"{where}: {len(cells)} columns where the first line has {width}")
    if not all(cell.strip() for cell in cells):
        raise HierarchyError(f"{where}: column {[c.strip() for c in cells].index('') + 1} is empty")
