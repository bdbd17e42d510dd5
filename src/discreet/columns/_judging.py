"""Which columns a release may hold: the one place that judges a column as public, as kept, or as sensitive, with the reason.

Judged is what undoes the coarsening whatever was required of groups. A diagnosis that is kept beside coarse columns does not.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from discreet._typing import IntArray
from discreet.columns._forms import personal_mention
from discreet.columns._guess import FEW, MOST, NEARLY, guess_type, identify
from discreet.columns._types import ColumnType
from discreet.errors import ColumnError
from discreet.tables._labels import Alphabet, encode

Label = Any
ONCE = 0.25  # of the records have a value of their own: in the long tail of a list of diagnoses fewer have
AGAIN = 10  # values that occur more than once, below which it is chance to what they belong
HALF = 0.5
RARE = 5  # records below which a text may be about one person


PUBLIC_VALUES = "combination of public values"


class Linked(NamedTuple):
    """How many values of a column belong to one of something each, and how many of those occur more than once."""

    values: int
    again: int


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """The different values of a column, and how many records have each.

    Attributes
    ----------
    labels, counts
        Values, and the records of each; None is missing.
    distinct
        How many values there are, where `labels` is a sample of them.
    links
        To what values may belong, and how many belong to one of it each; whatever was counted.
    """

    name: str
    labels: Sequence[Label]
    counts: IntArray
    distinct: int | None = None
    links: Mapping[str, Linked] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        alphabet: Alphabet,
        codes: IntArray,
        counts: IntArray,
        belonging: Mapping[str, IntArray] = MappingProxyType({}),
    ) -> ValueCounts:
        """Count the values that rows have, given how often each row occurs, and to what each row belongs."""
        records = np.bincount(codes, counts, len(alphabet)).astype(np.int64)
        used = np.flatnonzero(records)
        labels = alphabet.take(used).labels()
        known = np.array([label is not None for label in labels], dtype=bool)
        links = {}
        for what, owner in belonging.items():
            low, high = np.full(len(alphabet), np.iinfo(np.int64).max), np.full(len(alphabet), -1)
            np.minimum.at(low, codes, owner)
            np.maximum.at(high, codes, owner)
            one = (low == high)[used] & known
            held = np.bincount(owner, counts)  # most records belong to one: that a value does, too, links nothing
            one &= held[low[used]] <= HALF * counts.sum()
            links[what] = Linked(int(one.sum()), int((one & (records[used] > 1)).sum()))
        return cls(name, labels, records[used], links=links)

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

    @property
    def all_differ(self) -> bool:
        """Whether no two records share a value."""
        return self.rows > 1 and self.values >= self.rows

    def kind(self) -> ColumnType:
        """What the column probably is."""
        labels = self.known[0]
        return guess_type(self.name, labels[:: len(labels) // MOST + 1])[0]


@dataclass(frozen=True)
class Refusal:
    """Why a column is not kept, and what to do about it; without a remedy it never is, with one where it is wanted anyway."""

    name: str
    reason: str
    remedy: str = ""


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
    """Say why a column is not kept as it is, sensitive or not; None where it is.

    `is_said`: its type was said, or it was kept before; then its name proves nothing.
    """
    name, kind = column.name, column.kind()
    found = identify(name, column.known[0], kind, column.rows, column.values)
    if found and found.by == "name" and is_said:
        found = None
    if column.all_differ and (found or kind.kind not in ("number", "date")):
        return Refusal(name, "is different in every row: it identifies people")
    if found:
        return Refusal(name, f"identifies people ({found.reason})")
    if linked := _links(column):
        return Refusal(name, linked)
    if mentioned := _mentions(column):
        return Refusal(name, mentioned, remedy="leave it out")
    repeats = _hardly_repeats(column)
    return Refusal(name, repeats, remedy="round it, make it public so that it is coarsened") if repeats else None


def refuse_kept(columns: Iterable[ValueCounts], *, said: Container[str] = (), anyway: Container[str] = ()) -> list[str]:
    """Refuse columns that are not kept as they are; say what is wrong with those that are wanted `anyway`."""
    wanted = []
    for column in columns:
        refusal = judge_kept(column, is_said=column.name in said)
        if refusal is None:
            continue
        name, reason = refusal.name, refusal.reason
        if not refusal.remedy:
            raise ColumnError(f"column {name!r} {reason} and is never kept")
        if name not in anyway:
            raise ColumnError(f"column {name!r} {reason}: {refusal.remedy}, or say --keep-anyway {name}")
        wanted.append(f"{name} {reason}")
    return wanted


def _links(column: ValueCounts) -> str:
    """Say that nearly all values belong to one combination of public values each: such a column is an id by any name.

    Values that occur once belong to one of anything: enough others must, too.
    """
    again = int((column.known[1] > 1).sum())
    for what, linked in column.links.items():
        if (
            column.values > FEW
            and again >= AGAIN
            and linked.values >= NEARLY * column.values
            and linked.again >= NEARLY * again
        ):
            return f"links records: {linked.values:,} of its {column.values:,} values belong to one {what} each"
    return ""


def _hardly_repeats(column: ValueCounts) -> str:
    """Say that half of a column's values occur once: charges to the cent, times to the second; nothing where they repeat."""
    if column.all_differ:
        return "is different in every row"
    if column.distinct is not None:  # of a sample it is not known which values occur once
        return "hardly repeats" if 2 * column.distinct >= column.rows else ""
    counts = column.known[1]
    once, records = int((counts == 1).sum()), int(counts.sum())
    if column.values > FEW and 2 * once >= column.values and once >= ONCE * records:
        return f"hardly repeats: {once:,} of its {column.values:,} values occur once"
    return ""


def rounding(column: ValueCounts) -> str:
    """Say to what a column of numbers or dates could be rounded so that its values repeat; nothing where it is neither."""
    labels, counts = column.known
    if all(isinstance(label, dt.date) for label in labels):
        steps: list[tuple[str, list[Any]]] = [
            ("days", [(label.year, label.month, label.day) for label in labels]),
            ("months", [(label.year, label.month) for label in labels]),
            ("years", [label.year for label in labels]),
        ]
    elif all(isinstance(label, int | float | Decimal) and math.isfinite(label) for label in labels):
        sizes = [10**power for power in range(19)]
        steps = [(f"{size}", [round(float(label) / size) for label in labels]) for size in sizes]
    else:
        return ""
    for words, values in steps:
        coarse, codes = encode(values)
        if not _hardly_repeats(ValueCounts.of(column.name, coarse, codes, counts)):
            return words
    return ""


def _mentions(column: ValueCounts) -> str:
    """Say what texts that few records share mention of a person."""
    labels, counts = column.known
    rare = [label for label, count in zip(labels, counts.tolist(), strict=True) if count < RARE]
    what, many = personal_mention(label for label in rare if isinstance(label, str))
    return f"is text that mentions {what}, in {many:,} of {len(labels):,} different texts" if what else ""


def check_sensitive(names: Sequence[str], columns: Sequence[Sequence[Label]]) -> None:
    """Refuse a sensitive column with one known value: whoever has a value has that one. Missing is no value."""
    for name, labels in zip(names, columns, strict=True):
        known = sum(label is not None for label in labels)
        if known < 2:
            beside = " beside missing ones, which are none" if known < len(labels) else ""
            raise ColumnError(
                f"the sensitive column {name!r} has a single value{beside}: nothing to protect, leave it out"
            )
