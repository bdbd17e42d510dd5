"""What the ledger ties to the name of a data set: its people and columns, as keyed hashes, and what was promised about them.

A pin binds once an answer was given. From then on the data stay what they were: columns may be added, and nothing else
changes. The same people are known again under any other name, so that their promise cannot be begun anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from discreet.agent._fingerprints import Fingerprint
from discreet.errors import InputError


def book_name(dataset: str, columns: Sequence[str], analyst: str = "") -> str:
    """What a book is called: the JSON of [data set, column], of [data set, column, analyst], or with a list of columns."""
    about = columns[0] if len(columns) == 1 else list(columns)
    return json.dumps([dataset, about, *([analyst] if analyst else [])], ensure_ascii=False)


def book_of(name: str) -> tuple[str, tuple[str, ...], str]:
    """The data set, the columns and the analyst of a book."""
    dataset, about, *analyst = json.loads(name)
    return dataset, (about,) if isinstance(about, str) else tuple(about), "".join(analyst)


@dataclass(frozen=True)
class PinnedColumn:
    """A column: a hash of its values, people sorted by all columns; for a private one its promise and its fingerprint."""

    name: str
    role: str  # "public", "private"
    digest: str
    declared: dict[str, Any]
    fingerprint: str = ""


@dataclass(frozen=True)
class Pin:
    """A data set: how many people, whether analysts collude, and its columns, in the order by which they are hashed."""

    name: str
    people: int
    collude: bool
    columns: tuple[PinnedColumn, ...]

    def to_json(self) -> str:
        """The pin as the journal notes it."""
        return json.dumps(asdict(self), sort_keys=True)


def refuse_change(old: Pin, new: Pin, answered: set[str]) -> None:
    """Refuse data or promises that are not those about which answers were given; columns may be new."""
    mine = {column.name: column for column in new.columns}
    if old.people != new.people or any(
        mine[column.name].digest != column.digest for column in old.columns if column.name in mine
    ):
        raise InputError(
            f"the data of {old.name!r} changed since answers were given about them: the answers stay known, under another name "
            "too, so restore the data; only columns may be added"
        )
    for column in old.columns:
        if column.name not in mine or mine[column.name].role != column.role:
            raise InputError(
                f"column {column.name!r} of {old.name!r} was {column.role} when answers were given: restore it, "
                "columns may only be added"
            )
        if column.name not in answered or mine[column.name].declared == column.declared:
            continue
        if mine[column.name].declared.get("together") != column.declared.get("together"):
            raise InputError(
                f"the columns that {column.name!r} in {old.name!r} is together with changed since answers were given about "
                "it: restore them"
            )
        raise InputError(
            f"the bounds, keep or step of {column.name!r} in {old.name!r} changed since answers were given about "
            "it: restore them"
        )
    if old.collude != new.collude and answered:
        raise InputError(f"collude of {old.name!r} changed since answers were given: restore it")


def refuse_same_people(one: Pin, other: Pin, *, answered: bool) -> None:
    """Refuse values of the same people under two names."""
    for column, another in ((a, b) for a in one.columns for b in other.columns if a.fingerprint and b.fingerprint):
        mine, yours = Fingerprint.from_json(column.fingerprint), Fingerprint.from_json(another.fingerprint)
        if not (mine.matches(yours) or (column.name == another.name and mine.equals(yours))):
            continue
        if answered:
            raise InputError(
                f"column {another.name!r} of {other.name!r} holds the same values as {column.name!r} of {one.name!r}, about "
                "which answers were given: what they told is known under any name, so keep that one; columns may be added to it"
            )
        raise InputError(
            f"column {column.name!r} of data set {one.name!r} and column {another.name!r} of {other.name!r} hold the same "
            "values: each would promise without knowing what the other tells, so offer it once"
        )


class Pins:
    """The pins of a ledger; every method is called inside a transaction."""

    def __init__(self, sql: Any, datasets: Any, columns: Any, answers: Any) -> None:
        self._sql, self._datasets, self._columns, self._answers = sql, datasets, columns, answers
        self.tables = datasets, columns

    def answered(self, connection: Any) -> dict[str, set[str]]:
        """The columns of each data set about which answers were given."""
        found: dict[str, set[str]] = {}
        for book in connection.execute(self._sql.select(self._answers.c.book).distinct()).scalars():
            dataset, columns, _ = book_of(book)
            found.setdefault(dataset, set()).update(columns)
        return found

    def read(self, connection: Any) -> dict[str, Pin]:
        """Every pin by name."""
        table = self._columns
        rows: dict[str, list[PinnedColumn]] = {}
        for row in connection.execute(self._sql.select(table).order_by(table.c.dataset, table.c.position)):
            column = PinnedColumn(row.name, row.role, row.digest, json.loads(row.declared), row.fingerprint)
            rows.setdefault(row.dataset, []).append(column)
        sets = connection.execute(self._sql.select(self._datasets)).all()
        return {row.name: Pin(row.name, row.people, row.collude, tuple(rows.get(row.name, ()))) for row in sets}

    def check(self, connection: Any, pin: Pin) -> tuple[Pin | None, bool]:
        """Refuse a data set where answers were given about others; what its name was tied to, and whether that binds."""
        pinned, answered = self.read(connection), self.answered(connection)
        for other in pinned.values():
            if other.name != pin.name and other.name in answered:
                refuse_same_people(other, pin, answered=True)
        known = pinned.get(pin.name)
        binds = known is not None and pin.name in answered
        if known is not None and binds and known != pin:
            refuse_change(known, pin, answered[pin.name])
        return known, binds

    def write(self, connection: Any, pin: Pin) -> Pin | None:
        """Tie a data set's name to its data and promises; refused where answers were given about others.

        Returns the pin as it stands now, or None where it stood so before.
        """
        known, binds = self.check(connection, pin)
        if known == pin:
            return None
        columns: Sequence[PinnedColumn] = pin.columns
        if known is not None and binds:
            # Hashes are of people in the order of the columns that were there first.
            mine, first = {column.name: column for column in columns}, [column.name for column in known.columns]
            columns = [*(mine[name] for name in first), *(each for each in columns if each.name not in first)]
        for table, name in ((self._columns, self._columns.c.dataset), (self._datasets, self._datasets.c.name)):
            connection.execute(table.delete().where(name == pin.name))
        connection.execute(self._datasets.insert().values(name=pin.name, people=pin.people, collude=pin.collude))
        for position, column in enumerate(columns):
            row = {**vars(column), "declared": json.dumps(column.declared, sort_keys=True)}
            connection.execute(self._columns.insert().values(dataset=pin.name, position=position, **row))
        return replace(pin, columns=tuple(columns))

    def holds(self, connection: Any, pin: Pin) -> bool:
        """Whether a data set is still tied to these data: another server may have begun with others before any answer."""
        known = self.read(connection).get(pin.name)
        if known is None or (known.people, known.collude) != (pin.people, pin.collude):
            return False
        there = {column.name: (column.digest, column.declared) for column in known.columns}
        return all(there.get(column.name) == (column.digest, column.declared) for column in pin.columns)
