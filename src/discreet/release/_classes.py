"""The classes of a column: what histograms have a bar for, and what models are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import interval, text
from discreet.tables._calendar import days_of

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.columns import Cell, ColumnType

CLASSES = 12  # bars of a histogram, and rows of a table of associations


@dataclass(frozen=True, eq=False)
class Classes:
    """A column in a dozen classes: their names, the class of every value, and the share of each class in every cell."""

    names: tuple[str, ...]
    of_value: IntArray = field(repr=False)
    of_cell: FloatArray = field(repr=False)  # (cells, classes)


def classes_of(kind: ColumnType, labels: Sequence[Any], records: IntArray, cells: Sequence[Cell]) -> Classes:
    """At most a dozen classes of a column: bins of equal records on a line, nodes of a tree, else the commonest values."""
    names, of_value = class_of_values(kind, labels, records, CLASSES)
    shares = np.zeros((len(cells), len(names)))
    for i, held in enumerate(held_by(kind, labels, cells)):
        shares[i] = np.bincount(of_value[held], minlength=len(names)) / max(1, len(held))
    return Classes(names, of_value, shares)


def class_of_values(
    kind: ColumnType, labels: Sequence[Any], records: IntArray, most: int
) -> tuple[tuple[str, ...], IntArray]:
    """The names of at most so many classes of a column, and the class of every value."""
    present = [label for label in labels if label is not None]
    counts = records[: len(present)]
    if kind.kind in ("number", "date"):
        names, of_present = _bins(present, counts, most)
    else:
        names, of_present = _nodes(kind, present, counts, most) or _commonest(present, counts, most)
    if len(present) == len(labels):
        return names, of_present.astype(np.int64)
    return (*names, "missing"), np.append(of_present, len(names)).astype(np.int64)


def held_by(kind: ColumnType, labels: Sequence[Any], cells: Sequence[Cell]) -> Iterator[IntArray]:
    """For each cell, the values that it is true of."""
    where = None
    if kind.kind in ("number", "date"):
        where = np.array([place_of(label) for label in labels if label is not None])
    for cell in cells:
        yield _held(cell, labels, where)


def place_of(label: Any) -> float:
    """Where a number or a date stands on its line."""
    return float(label) if isinstance(label, int | float) or not hasattr(label, "toordinal") else days_of(label)


def _held(cell: Cell, labels: Sequence[Any], where: FloatArray | None) -> IntArray:
    """The values that a cell is true of."""
    if where is not None and cell.low is not None:
        first = int(np.searchsorted(where, place_of(cell.low), "left"))
        return np.arange(first, int(np.searchsorted(where, place_of(cell.high), "right")))
    return np.array([i for i, label in enumerate(labels) if cell.holds(label)], dtype=np.int64)


def _bins(labels: Sequence[Any], records: IntArray, most: int) -> tuple[tuple[str, ...], IntArray]:
    if len(labels) <= most:
        return tuple(interval(label, label) for label in labels), np.arange(len(labels))
    below = np.cumsum(records) - records / 2
    raw = np.minimum((below * most / records.sum()).astype(np.int64), most - 1)
    _, bins = np.unique(raw, return_inverse=True)
    ends = np.flatnonzero(np.diff(bins, append=bins[-1] + 1))
    starts = np.concatenate([[0], ends[:-1] + 1])
    names = [interval(labels[a], labels[b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    if hasattr(labels[0], "toordinal"):  # where a class of dates begins is enough below a bar
        names = [f"{str(labels[a])[:10]} …" for a in starts.tolist()]
    return tuple(names), bins.ravel()


def _commonest(labels: Sequence[Any], records: IntArray, most: int) -> tuple[tuple[str, ...], IntArray]:
    if len(labels) <= most:
        return tuple(map(str, labels)), np.arange(len(labels))
    top = np.argsort(-records, kind="stable")[: most - 1]
    of_value = np.full(len(labels), most - 1)
    of_value[top] = np.arange(most - 1)
    return (*(str(labels[i]) for i in top.tolist()), f"{len(labels) - most + 1} others"), of_value


def _nodes(
    kind: ColumnType, labels: Sequence[Any], records: IntArray, most: int
) -> tuple[tuple[str, ...], IntArray] | None:
    """Codes by their prefixes, leaves by the nodes above them: the largest node is opened while there is room."""
    if len(labels) <= most or kind.kind not in ("code", "hierarchy"):
        return None
    if kind.hierarchy:
        paths = [kind.hierarchy.paths[kind.hierarchy.leaf(label)][::-1] for label in labels]
    else:
        paths = _prefixes([text(label) for label in labels])
    counts = records.tolist()
    opened = {paths[0][0]: list(range(len(labels)))}
    depth = {paths[0][0]: 0}
    closed: set[str] = set()
    while len(closed) < len(opened):
        node = max(
            (each for each in opened if each not in closed), key=lambda each: sum(counts[i] for i in opened[each])
        )
        parts: dict[str, list[int]] = {}
        for i in opened[node]:
            parts.setdefault(paths[i][min(depth[node] + 1, len(paths[i]) - 1)], []).append(i)
        if len(opened) - 1 + len(parts) > most or set(parts) == {node}:
            closed.add(node)
            continue
        below = depth[node] + 1
        del opened[node]
        opened.update(parts)
        depth.update(dict.fromkeys(parts, below))
    if len(opened) == 1:
        return None
    of_value = np.empty(len(labels), dtype=np.int64)
    names = sorted(opened)
    for number, node in enumerate(names):
        of_value[opened[node]] = number
    return tuple(names), of_value


def _prefixes(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The prefixes of codes, from none to all of it; a star a character, or one for the rest where lengths differ."""
    alike = len(set(map(len, words))) == 1
    return [(*(word[:i] + "*" * (len(word) - i if alike else 1) for i in range(len(word))), word) for word in words]
