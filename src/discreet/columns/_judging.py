"""Which columns a release may hold: the one place that judges a column as public, as kept, or as sensitive, with the reason.

Judged is what undoes the coarsening whatever was required of groups. A diagnosis that is kept beside coarse columns does not.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet._typing import IntArray
from discreet.columns._forms import personal_mention
from discreet.columns._guess import MOST, guess_type, identify
from discreet.columns._types import ColumnType
from discreet.errors import ColumnError
from discreet.tables._labels import Alphabet

Label = Any
RARE = 5  # records below which a text may be about one person


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """The different values of a column, and how many records have each.

    Attributes
    ----------
    labels, counts
        Values, and the records of each; None is missing.
    distinct
        How many values there are, where `labels` is a sample of them.
    """

    name: str
    labels: Sequence[Label]
    counts: IntArray
    distinct: int | None = None

    @classmethod
    def of(cls, name: str, alphabet: Alphabet, codes: IntArray, counts: IntArray) -> ValueCounts:
        """Count the values that rows have, given how often each row occurs."""
        records = np.bincount(codes, counts, len(alphabet)).astype(np.int64)
        used = np.flatnonzero(records)
        return cls(name, alphabet.take(used).labels(), records[used])

    @property
    def rows(self) -> int:
        """All records."""
        return int(self.counts.sum())

    @cached_property
    def known(self) -> tuple[list[Label], IntArray]:
        """The values that are not missing, and their records."""
        present = [i for i, label in enumerate(self.labels) if label is not None]
        return [self.labels[i] for i in present], np.asarray(self.counts)[present]

    @property
    def values(self) -> int:
        """How many different values there are; missing is none."""
        return len(self.known[0]) if self.distinct is None else self.distinct

    def kind(self) -> ColumnType:
        """What the column probably is."""
        labels = self.known[0]
        return guess_type(self.name, labels[:: len(labels) // MOST + 1])[0]


@dataclass(frozen=True)
class Refusal:
    """Why a column is not released, and whether it is released where somebody says so by name."""

    name: str
    reason: str
    can_be_kept: bool = False


def refuse_public(name: str, labels: Sequence[Label], rows: int, kind: ColumnType, *, is_said: bool) -> None:
    """Refuse a public column that names people; a type that was said wins over its name, never over what it holds.

    Nor over values that all differ; that they hardly repeat is why postcodes and dates are coarsened.
    """
    found = identify(name, labels, kind, rows)
    all_differ = sum(label is not None for label in labels) == rows
    if found is None or (is_said and found.by == "name"):
        return
    if is_said and found.by == "repeats" and kind.kind != "category" and not all_differ:
        return
    otherwise = f", or say what it is, --type {name}=number (types={{{name!r}: 'number'}})"
    raise ColumnError(
        f"public column {name!r} names people ({found.reason}): leave it out"
        + ("" if is_said or found.by == "content" else otherwise)
    )


def judge_kept(column: ValueCounts, *, is_said: bool = False) -> Refusal | None:
    """Say why a column is not kept as it is, sensitive or not; None where it may be.

    `is_said`: its type was said, or it was kept before; then its name proves nothing.
    """
    name, kind = column.name, column.kind()
    if column.rows > 1 and column.values >= column.rows:
        return Refusal(name, "is different in every row: it identifies people")
    found = identify(name, column.known[0], kind, column.rows, column.values)
    if found and not (found.by == "name" and is_said):
        return Refusal(name, f"identifies people ({found.reason})")
    mentioned = _mentions(column)
    return Refusal(name, mentioned, can_be_kept=True) if mentioned else None


def refuse_kept(columns: Iterable[ValueCounts], *, said: Container[str] = (), anyway: bool = False) -> None:
    """Refuse columns that are not kept as they are; some are where that is wanted `anyway`."""
    for column in columns:
        refusal = judge_kept(column, is_said=column.name in said)
        if refusal and not refusal.can_be_kept:
            raise ColumnError(f"column {refusal.name!r} {refusal.reason} and is never kept")
        if refusal and not anyway:
            raise ColumnError(f"column {refusal.name!r} {refusal.reason}: leave it out, or say --keep-anyway")


def _mentions(column: ValueCounts) -> str:
    """Say what texts that few records share mention of a person."""
    labels, counts = column.known
    rare = [label for label, count in zip(labels, counts.tolist(), strict=True) if count < RARE]
    what, many = personal_mention(label for label in rare if isinstance(label, str))
    return f"is text that mentions {what}, in {many:,} of {len(labels):,} different texts" if what else ""
