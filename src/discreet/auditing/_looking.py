"""What a table shows beside the columns that were counted: who nobody named, and whether a record is a person.

At most `ROWS` rows are looked at. What is found is said, and never counted.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet._text import joined
from discreet.columns._guess import guess_type, identify, names_people
from discreet.errors import DiscreetError
from discreet.tables._columns import encode_column
from discreet.tables._labels import row_numbers
from discreet.tables._sources import column_names, in_order

if TYPE_CHECKING:
    from discreet._typing import IntArray
    from discreet.tables._labels import Alphabet

ROWS = 100_000
CELLS = 500_000  # rows × columns, so that a wide table is looked at as soon as a narrow one
FEW = 10  # different rows below which it says nothing that all come equally often
SOME = 20  # rows below which it says nothing that some are alike


@dataclass(frozen=True)
class Look:
    """What was seen in the first rows of a table.

    Attributes
    ----------
    rows, whole
        How many rows were looked at, and whether there are no others.
    unnamed
        Columns that nobody named.
    identifiers
        Those of them that look like identifiers, with the reason.
    person
        A column that names people and repeats, with how many different values it has.
    repeated
        Rows that are the same as another in every column, where few are.
    times, times_counted
        How often every row comes, where all come equally often or in multiples of it, else 1; and the same of every combination
        of the columns that were counted, since a join may bring a column of its own.
    """

    rows: int = 0
    whole: bool = True
    columns: int = 0
    unnamed: tuple[str, ...] = ()
    identifiers: tuple[tuple[str, str], ...] = ()
    person: tuple[str, int] | None = None
    repeated: int = 0
    times: int = 1
    times_counted: int = 1

    def record_sentences(self) -> list[str]:
        """Why a record may not be a person; nothing where nothing says so."""
        said = []
        where = f"{self.rows:,} records" if self.whole else f"the first {self.rows:,} records"
        if self.person is not None:
            name, values = self.person
            said.append(
                f"{name} has {values:,} values in {where}: a record is not a person; release one record for each {name}"
            )
        if self.times > 1 or self.times_counted > 1:
            what = "row" if self.times > 1 else "combination of the columns that were counted"
            times = max(self.times, self.times_counted)
            said.append(
                f"every {what} comes {times:,} times or a multiple of that, as where a join repeats rows: groups look larger "
                "than they are; count each row once"
            )
        elif self.repeated and self.person is None:
            said.append(
                f"{self.repeated:,} of {where} are the same as another in all {self.columns} columns: somebody may be counted "
                "twice"
            )
        return said

    def identifier_sentences(self) -> list[str]:
        """What looks like an identifier, and was not named; nothing where nothing does."""
        return [
            f"{name} looks like an identifier ({reason}), and nobody named it: leave it out of the file, or say --ignore {name}"
            for name, reason in self.identifiers
        ]

    def unnamed_sentences(self) -> list[str]:
        """The columns that nobody named and that look harmless, in one sentence; nothing where there is none."""
        looks = dict(self.identifiers)
        others = [name for name in self.unnamed if name not in looks]
        return (
            [f"Not counted, since nobody named {'it' if len(others) == 1 else 'them'}: {joined(others)}."]
            if others
            else []
        )


def look_at(
    table: object, named: Collection[str] = (), *, na: Collection[str] = (), counts: IntArray | None = None
) -> Look:
    """Look at the first rows of a table: at columns that are not `named`, and for signs that a record is not a person.

    `counts` says how often each combination of the columns that were counted occurs, in the whole table.
    """
    try:
        names = list(dict.fromkeys(column_names(table)))
        most = max(1, min(ROWS, CELLS // max(1, len(names))))
        columns = {
            name: encode_column(values, frozenset(na))
            for name, values in zip(names, in_order(table, names, most + 1), strict=True)
        }
    except (
        DiscreetError
    ):  # read once only, a name that stands twice, cells that are no labels: what was asked for was counted
        return Look(times_counted=_times(counts))
    read = max((len(codes) for _, codes in columns.values()), default=0)
    rows = min(read, most)
    seen = {name: (alphabet, codes[:rows]) for name, (alphabet, codes) in columns.items()}
    unnamed = tuple(name for name in names if name not in named)
    reasons = ((name, _identifying(name, *seen[name], rows)) for name in unnamed)
    alike = np.bincount(row_numbers([codes for _, codes in seen.values()])) if rows else np.zeros(0, dtype=np.int64)
    return Look(
        rows,
        read <= most,
        len(names),
        unnamed,
        tuple((name, reason) for name, reason in reasons if reason),
        _person(seen),
        int(alike[alike > 1].sum()) if 2 * len(alike) >= rows >= SOME else 0,
        _times(alike if read <= most else None),
        _times(counts),
    )


def _times(counts: IntArray | None) -> int:
    """The greatest number that divides all of many counts."""
    return math.gcd(*counts.tolist()) if counts is not None and len(counts) >= FEW else 1


def _identifying(name: str, alphabet: Alphabet, codes: IntArray, rows: int) -> str:
    labels = alphabet.take(np.unique(codes)).labels()
    found = identify(name, labels, guess_type(name, labels)[0], rows)
    return found.reason if found else ""


def _person(seen: dict[str, tuple[Alphabet, IntArray]]) -> tuple[str, int] | None:
    """The first column that is named like people and repeats, and how many different values it has."""
    for name, (alphabet, codes) in seen.items():
        if not names_people(name):
            continue
        labels, places = np.unique(codes, return_counts=True)
        missing = [alphabet.label(int(label)) is None for label in labels.tolist()]
        values, records = len(labels) - sum(missing), int(places[~np.array(missing, dtype=bool)].sum())
        if 1 < values < records:
            return name, values
    return None
