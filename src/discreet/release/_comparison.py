"""Before and after: what a release of a whole table does to histograms, to associations between columns, and to models.

A released cell stands for several values; wherever a figure needs single ones, its records are spread evenly over the values
that the cell is true of. None of these figures is a guarantee, and no single one says how useful a release is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.release._classes import classes_of

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.release._table_policy import TablePolicy

MODELLED = 40_000  # records that models are trained on at most
FOLDS = 3


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
        classes_of(kind, labels, np.bincount(letters.codes[:, c], records, len(labels)), policy.boxes.cells[c])
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
