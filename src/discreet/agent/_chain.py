"""The chain through the rows of a ledger: each row is sealed with the one before it, by a key that the ledger does not hold.

A row that was edited breaks its seal, one that was deleted those after it. What was cut off at the end is missed by the head
of the book, the place and seal of its last row, and a whole book by the head of all books, which counts them. Heads are sealed
too. What cannot be found is a ledger that was put back, whole, to what it was at some earlier time: its seals were right then.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from discreet.agent._fingerprints import digest
from discreet.agent._pins import book_of
from discreet.agent._rows import Answer, row_of
from discreet.errors import DiscreetError

CONTENTS = ""
"""The book of all books: its head says how many there are."""


class DamagedError(DiscreetError):
    """A ledger that lacks rows, or whose rows were changed: what was said is not known any more, so nothing more is said."""


@dataclass(frozen=True)
class Head:
    """Where a book ends."""

    book: str
    number: int
    link: str
    mark: str


@dataclass(frozen=True)
class Chain:
    """Seals with one key."""

    key: bytes = field(repr=False)

    def link(self, before: str, answer: Answer) -> str:
        """The seal of a row behind another."""
        row = row_of(answer)
        content = json.dumps([row[each.name] for each in fields(Answer)])
        return digest(self.key, b"row", before.encode(), content.encode())

    def head(self, book: str, number: int, link: str) -> Head:
        """A book's end, sealed."""
        return Head(book, number, link, digest(self.key, b"head", book.encode(), str(number).encode(), link.encode()))

    def followed(self, before: str, rows: Iterable[tuple[Answer, str]], first: int = 1) -> str:
        """The seal of the last of these rows; an error where one is missing or changed."""
        for number, (answer, link) in enumerate(rows, first):
            if answer.number != number:
                raise DamagedError(
                    f"the ledger is damaged: row {number} of {_named(answer.book)} is missing: restore it"
                )
            before = self.link(before, answer)
            if before != link:
                raise DamagedError(
                    f"the ledger is damaged: row {number} of {_named(answer.book)}, or the one before it, is not what was "
                    "written: restore it"
                )
        return before

    def check(self, rows: Sequence[tuple[Answer, str]], heads: Mapping[str, Head]) -> None:
        """Hold all rows against all heads."""
        for head in heads.values():
            if head != self.head(head.book, head.number, head.link):
                raise DamagedError(f"the ledger is damaged: the end of {_named(head.book)} was changed: restore it")
        by_book: dict[str, list[tuple[Answer, str]]] = {}
        for answer, link in rows:
            by_book.setdefault(answer.book, []).append((answer, link))
        contents = heads.get(CONTENTS)
        known = heads.keys() - {CONTENTS}
        if contents is None or contents.number != len(known) or by_book.keys() - known:
            raise DamagedError("the ledger is damaged: the books in it are not those that were begun: restore it")
        for book in sorted(known):
            head, mine = heads[book], by_book.get(book, [])
            last = self.followed("", mine)
            if len(mine) < head.number:
                raise DamagedError(
                    f"the ledger is damaged: {head.number - len(mine)} rows at the end of {_named(book)} are missing: "
                    "restore it"
                )
            if (len(mine), last) != (head.number, head.link):
                raise DamagedError(f"the ledger is damaged: {_named(book)} is longer than its end says: restore it")


def _named(book: str) -> str:
    """A book in words."""
    try:
        dataset, columns, analyst = book_of(book)
    except ValueError:
        return "all books" if book == CONTENTS else "a book"
    return f"{' and '.join(columns)} in {dataset}" + (f" for {analyst}" if analyst else "")


class Heads:
    """The heads of a ledger; every method is called inside a transaction."""

    def __init__(self, sql: Any, table: Any) -> None:
        self._sql, self._table = sql, table

    def read(self, connection: Any, book: str | None = None) -> dict[str, Head]:
        """Those of one book or all."""
        query = self._sql.select(self._table)
        rows = connection.execute(query if book is None else query.where(self._table.c.book == book))
        return {row.book: Head(**row._mapping) for row in rows}

    def write(self, connection: Any, head: Head) -> None:
        """Put a head in the place of the one before; the first of a book is counted."""
        table = self._table
        done = connection.execute(table.update().where(table.c.book == head.book).values(**vars(head)))
        if not done.rowcount:
            connection.execute(table.insert().values(**vars(head)))

    def locked(self, connection: Any, book: str) -> Head | None:
        """The head of a book, which nobody else changes meanwhile."""
        query = self._sql.select(self._table).where(self._table.c.book == book).with_for_update()
        row = connection.execute(query).first()
        return None if row is None else Head(**row._mapping)
