"""The private part of a table's policy: which combination of values went into which box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from discreet._typing import BoolArray, IntArray
    from discreet.columns._types import ColumnType
    from discreet.tables._labels import Alphabet, Label


@dataclass(frozen=True, eq=False)
class LetterTable:
    """The private part: every combination of values that occurred, and the box it went into (−1: suppressed).

    Attributes
    ----------
    labels
        The different values of each column.
    codes
        Which of them each letter has, (letters, columns).
    group
        The box of each letter.
    by_cell
        Whether a new value goes where those of its finest cell went: a moment where others of its day did. Policies of
        before know single values only.
    """

    labels: tuple[tuple[Label, ...], ...] = field(repr=False)
    codes: IntArray = field(repr=False)
    group: IntArray = field(repr=False)
    by_cell: bool = False

    def __len__(self) -> int:
        return len(self.group)

    def find(self, x: Alphabet, types: Sequence[ColumnType]) -> tuple[IntArray, BoolArray]:
        """The box of every letter of another table (−1: none), and whether the letter is known here."""
        place = self.place(x, types if self.by_cell else None)
        return np.where(place >= 0, self.group[place], -1), place >= 0

    def place(self, x: Alphabet, types: Sequence[ColumnType] | None = None) -> IntArray:
        """Which letter of this table each letter of another one is, up to the finest cells of types; −1: none is."""
        rows = x.codes if x.codes is not None else np.arange(len(x))[:, None]
        own, other = [], []
        for c, (labels, values) in enumerate(zip(self.labels, x.columns, strict=True)):
            mine, theirs = list(labels), listed_labels(values)
            if types is not None:
                mine, theirs = ([types[c].finest(label) for label in each] for each in (mine, theirs))
            number = {label: i for i, label in enumerate(mine)}
            own.append(np.array([number[label] for label in mine], dtype=np.int64)[self.codes[:, c]])
            other.append(np.array([number.get(label, -1) for label in theirs], dtype=np.int64)[rows[:, c]])
        codes = np.stack(other, axis=1)
        found = np.full(len(rows), -1, dtype=np.int64)
        complete = np.flatnonzero((codes >= 0).all(axis=1))
        key = _keys(np.concatenate([np.stack(own, axis=1), codes[complete]]))
        order = np.argsort(key[: len(self)], kind="stable")
        sorted_keys, asked = key[order], key[len(self) :]
        at = np.minimum(np.searchsorted(sorted_keys, asked), len(self) - 1)
        hit = sorted_keys[at] == asked
        found[complete[hit]] = order[at[hit]]
        return found


def _keys(rows: IntArray) -> IntArray:
    """One number per row of codes, equal where the rows are."""
    key = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        width = int(column.max(initial=0)) + 1
        if int(key.max(initial=0)) >= (1 << 62) // width:  # renumber before the number can overflow
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        key = key * width + column
    return key


def listed_labels(column: Any) -> Sequence[Label]:
    """A column's labels as a list, whatever holds them."""
    return list(column.tolist() if isinstance(column, np.ndarray) else column)
