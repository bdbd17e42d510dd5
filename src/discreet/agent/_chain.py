"""Seals by a key that the ledger does not hold: each row is sealed with the one before it.

A row that was edited breaks its seal, one that was deleted those after it. What was cut off at the end is missed by the
journal (`_journal`), which has an entry for every answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields

from discreet.agent._fingerprints import digest
from discreet.agent._pins import book_of
from discreet.agent._rows import Answer, row_of
from discreet.errors import DiscreetError


class DamagedError(DiscreetError):
    """A ledger that lacks rows, or whose rows were changed: what was said is not known any more, so nothing more is said."""

    @classmethod
    def of(cls, what: str) -> DamagedError:
        """The error that says what is wrong with the ledger."""
        return cls(f"the ledger is damaged: {what}: restore it")


@dataclass(frozen=True)
class Chain:
    """Seals with one key."""

    key: bytes = field(repr=False)

    @property
    def mark(self) -> str:
        """A hash of the key, by which a ledger and its key know each other."""
        return digest(self.key, b"discreet")

    def link(self, before: str, answer: Answer) -> str:
        """Seal a row behind another."""
        row = row_of(answer)
        content = json.dumps([row[each.name] for each in fields(Answer)])
        return digest(self.key, b"row", before.encode(), content.encode())

    def entry(self, before: str, number: int, kind: str, name: str, content: str) -> str:
        """Seal an entry of the journal behind another."""
        return digest(self.key, b"entry", *(part.encode() for part in (before, str(number), kind, name, content)))

    def followed(self, before: str, rows: Iterable[tuple[Answer, str]], first: int = 1) -> str:
        """The seal of the last of these rows; an error where one is missing or changed."""
        for number, (answer, link) in enumerate(rows, first):
            if answer.number != number:
                raise DamagedError.of(f"row {number} of {named(answer.book)} is missing")
            before = self.link(before, answer)
            if before != link:
                raise DamagedError.of(
                    f"row {number} of {named(answer.book)}, or the one before it, is not what was written"
                )
        return before

    def check(self, rows: Sequence[tuple[Answer, str]], ends: Mapping[str, tuple[int, str]]) -> None:
        """Compare all rows with the place and seal of the last row of each book."""
        by_book: dict[str, list[tuple[Answer, str]]] = {}
        for answer, link in rows:
            by_book.setdefault(answer.book, []).append((answer, link))
        if by_book.keys() - ends.keys():
            raise DamagedError.of("the books in it are not those that were begun")
        for book in sorted(ends):
            (number, end), mine = ends[book], by_book.get(book, [])
            last = self.followed("", mine)
            if len(mine) < number:
                raise DamagedError.of(f"{number - len(mine)} rows at the end of {named(book)} are missing")
            if (len(mine), last) != (number, end):
                raise DamagedError.of(f"{named(book)} is longer than its end says")


def named(book: str) -> str:
    """A book in words."""
    try:
        dataset, columns, analyst = book_of(book)
    except ValueError:
        return "a book"
    return f"{' and '.join(columns)} in {dataset}" + (f" for {analyst}" if analyst else "")
