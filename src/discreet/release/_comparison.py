"""Before and after: what a release of a whole table does to histograms, to associations between columns, and to models.

A released cell stands for several values; wherever a figure needs single ones, its records are spread evenly over the values
that the cell is true of. None of these figures is a guarantee, and no single one says how useful a release is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import interval
from discreet.columns._calendar import days_of

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.columns import Cell
    from discreet.release._table_policy import TablePolicy

CLASSES = 12  # bars of a histogram, and rows of a table of associations
MODELLED = 40_000  # records that models are trained on at most
FOLDS = 3


@dataclass(frozen=True, eq=False)
class Classes:
    """A column in a dozen classes: their names, the class of every value, and the share of each class in every cell."""

    names: tuple[str, ...]
    of_value: IntArray = field(repr=False)
    of_cell: FloatArray = field(repr=False)  # (cells, classes)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a release keeps, column by column and pair by pair.

    Attributes
    ----------
    classes
        {column: names of its classes}.
    before, after
        {column: share of the records in each class}.
    association, association_after
        Cramér's V between the public columns, 0 to 1, corrected for chance; (columns, columns).
    """

    columns: tuple[str, ...]
    classes: dict[str, tuple[str, ...]]
    before: dict[str, FloatArray] = field(repr=False)
    after: dict[str, FloatArray] = field(repr=False)
    association: FloatArray = field(repr=False)
    association_after: FloatArray = field(repr=False)

    def moved(self, column: str) -> float:
        """The share of records that would have to change class to turn one histogram into the other."""
        return float(np.abs(self.before[column] - self.after[column]).sum() / 2)


def compare(policy: TablePolicy, records: IntArray) -> Comparison:
    """Hold a release against the original; `records` says how often each letter of the policy occurs."""
    letters = policy.letters
    if letters is None:
        raise ValueError("a comparison needs the private part of a policy")
    kept = letters.group >= 0
    weight = np.bincount(letters.group[kept], records[kept], len(policy.boxes))
    found = [
        classes_of(kind.kind, labels, np.bincount(letters.codes[:, c], records, len(labels)), policy.boxes.cells[c])
        for c, (kind, labels) in enumerate(zip(policy.types, letters.labels, strict=True))
    ]
    before, after = {}, {}
    original = [_one_hot(each.of_value[letters.codes[:, c]], len(each.names)) for c, each in enumerate(found)]
    released = [each.of_cell[policy.boxes.ids[:, c]] for c, each in enumerate(found)]
    for c, name in enumerate(policy.public):
        before[name] = records @ original[c] / records.sum()
        after[name] = weight @ released[c] / max(1.0, weight.sum())
    return Comparison(
        policy.public,
        {name: each.names for name, each in zip(policy.public, found, strict=True)},
        before,
        after,
        _associations(original, records.astype(np.float64)),
        _associations(released, weight.astype(np.float64)),
    )


def classes_of(kind: str, labels: Sequence[Any], records: IntArray, cells: Sequence[Cell]) -> Classes:
    """At most a dozen classes of a column: bins of equal records on a line, else the commonest values and the rest."""
    present = [label for label in labels if label is not None]
    missing = len(present) < len(labels)
    if kind in ("number", "date"):
        where = np.array([place_of(label) for label in present])
        names, of_present = _bins(present, where, records[: len(present)])
    else:
        names, of_present = _commonest(present, records[: len(present)], kind == "ordered")
    of_value = np.append(of_present, len(names)) if missing else of_present
    all_names = (*names, "missing") if missing else names
    shares = np.zeros((len(cells), len(all_names)))
    for i, cell in enumerate(cells):
        held = _held(cell, labels, where if kind in ("number", "date") else None)
        shares[i] = np.bincount(of_value[held], minlength=len(all_names)) / max(1, len(held))
    return Classes(all_names, of_value.astype(np.int64), shares)


def place_of(label: Any) -> float:
    """Where a number or a date stands on its line."""
    return float(label) if isinstance(label, int | float) or not hasattr(label, "toordinal") else days_of(label)


def _held(cell: Cell, labels: Sequence[Any], where: FloatArray | None) -> IntArray:
    """The values that a cell is true of."""
    if where is not None and cell.low is not None:
        first = int(np.searchsorted(where, place_of(cell.low), "left"))
        return np.arange(first, int(np.searchsorted(where, place_of(cell.high), "right")))
    return np.array([i for i, label in enumerate(labels) if cell.holds(label)], dtype=np.int64)


def _bins(labels: Sequence[Any], where: FloatArray, records: IntArray) -> tuple[tuple[str, ...], IntArray]:
    if len(labels) <= CLASSES:
        return tuple(interval(label, label) for label in labels), np.arange(len(labels))
    below = np.cumsum(records) - records / 2
    raw = np.minimum((below * CLASSES / records.sum()).astype(np.int64), CLASSES - 1)
    _, bins = np.unique(raw, return_inverse=True)
    ends = np.flatnonzero(np.diff(bins, append=bins[-1] + 1))
    starts = np.concatenate([[0], ends[:-1] + 1])
    return tuple(
        interval(labels[a], labels[b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
    ), bins.ravel()


def _commonest(labels: Sequence[Any], records: IntArray, ordered: bool) -> tuple[tuple[str, ...], IntArray]:
    if len(labels) <= CLASSES:
        return tuple(map(str, labels)), np.arange(len(labels))
    top = np.argsort(-records, kind="stable")[: CLASSES - 1]
    of_value = np.full(len(labels), CLASSES - 1)
    of_value[top] = np.arange(CLASSES - 1)
    return (*(str(labels[i]) for i in top.tolist()), f"{len(labels) - CLASSES + 1} others"), of_value


def _one_hot(codes: IntArray, width: int) -> FloatArray:
    found = np.zeros((len(codes), width))
    found[np.arange(len(codes)), codes] = 1.0
    return found


def _associations(columns: Sequence[FloatArray], weight: FloatArray) -> FloatArray:
    found = np.eye(len(columns))
    for i, one in enumerate(columns):
        for j in range(i):
            found[i, j] = found[j, i] = cramers_v((one * weight[:, None]).T @ columns[j])
    return found


def cramers_v(table: FloatArray) -> float:
    """Cramér's V of a contingency table, with Bergsma's correction for chance.

    Examples
    --------
    >>> round(cramers_v(np.array([[50.0, 0.0], [0.0, 50.0]])), 2), cramers_v(np.array([[25.0, 25.0], [25.0, 25.0]]))
    (1.0, 0.0)
    """
    table = table[np.ix_(table.sum(axis=1) > 0, table.sum(axis=0) > 0)]
    total = float(table.sum())
    rows, columns = table.shape
    if total <= 1 or rows < 2 or columns < 2:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    phi = float(((table - expected) ** 2 / expected).sum()) / total
    phi = max(0.0, phi - (rows - 1) * (columns - 1) / (total - 1))
    fewer_rows = rows - (rows - 1) ** 2 / (total - 1)
    fewer_columns = columns - (columns - 1) ** 2 / (total - 1)
    most = min(fewer_rows, fewer_columns) - 1
    return float(np.sqrt(phi / most)) if most > 0 else 0.0
