"""A ledger whose rows are sealed: how they are written, read back and checked."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from discreet.agent._chain import CONTENTS, Chain, DamagedError, Heads
from discreet.agent._database import SETTING_UP, Database
from discreet.agent._fingerprints import digest
from discreet.agent._pins import Pin
from discreet.agent._registry import Registry
from discreet.agent._rows import Answer, answer_of
from discreet.errors import DiscreetError, InputError

SCHEMA, BEFORE = "3", "2"


class ConflictError(DiscreetError):
    """Somebody else wrote the next row: look again, and try again."""


class Sealed(Registry):
    """The rows of a ledger and their seals; until it was given a key, nothing is sealed."""

    def __init__(self, database: Database, metadata: Any) -> None:
        facts, analysts, answers, heads = (
            metadata.tables[f"discreet_{name}"] for name in ("facts", "analysts", "answers", "heads")
        )
        super().__init__(database, facts, analysts)
        self._answers, self._heads = answers, Heads(self._sql, heads)
        self._chain: Chain | None = None
        self._schema = SCHEMA
        self.pinned: dict[str, Pin] = {}

    def use_key(self, key: bytes) -> None:
        """Tie the ledger to the key of its fingerprints and seals, by a hash; with another key nobody would be known again.

        What was written before there were seals is sealed as it is found; then all rows are held against their seals.
        """
        mark = digest(key, b"discreet")
        chain = Chain(key)
        with self._inside(None) if self._database.read_only else self._database.writing(SETTING_UP) as connection:
            known = self._fact(connection, "fingerprints")
            if known is None and not self._database.read_only:
                connection.execute(self._facts.insert().values(name="fingerprints", value=mark))
            elif known is not None and known != mark:
                raise InputError("the key of the fingerprints is not the one that this ledger began with: put it back")
            is_sealed = self._schema == SCHEMA and self._fact(connection, "sealed") is not None
            if is_sealed:
                chain.check(self._linked(self._sql.true(), connection), self._heads.read(connection))
            elif not self._database.read_only:
                self._seal(connection, chain)
        self._chain = chain

    def has_key(self) -> bool:
        """Whether it was tied to a key."""
        with self._database.reading() as connection:
            return self._fact(connection, "fingerprints") is not None

    @property
    def key(self) -> bytes:
        """The key that it is tied to."""
        return self._chain.key if self._chain is not None else b""

    def go_on(self, key: bytes, pinned: Mapping[str, Pin]) -> None:
        """Use a key and data sets that were checked in another process."""
        self._chain, self.pinned = Chain(key), dict(pinned)

    def link(self, before: str, answer: Answer) -> str:
        """The seal of a row behind another."""
        return "" if self._chain is None else self._chain.link(before, answer)

    def _seal(self, connection: Any, chain: Chain) -> None:
        """Chain every row that is there."""
        table, ends = self._answers, dict[str, tuple[int, str]]()
        for answer, _ in self._linked(self._sql.true(), connection):
            _, before = ends.get(answer.book, (0, ""))
            link = chain.link(before, answer)
            here = (table.c.book == answer.book) & (table.c.number == answer.number)
            connection.execute(table.update().where(here).values(link=link))
            ends[answer.book] = answer.number, link
        for book, (number, link) in {CONTENTS: (len(ends), ""), **ends}.items():
            self._heads.write(connection, chain.head(book, number, link))
        connection.execute(self._facts.insert().values(name="sealed", value="yes"))

    def followed(self, book: str, after: int, link: str, turn: Any = None) -> tuple[list[Answer], str]:
        """The answers of a book from a row on, none of them missing or changed since, and the seal of the last."""
        condition = (self._answers.c.book == book) & (self._answers.c.number > after)
        rows = self._linked(condition, turn)
        if self._chain is not None:
            link = self._chain.followed(link, rows, after + 1)
        elif any(answer.number != number for number, (answer, _) in enumerate(rows, after + 1)):
            raise DamagedError("rows of the ledger are missing: the owner must restore it")
        return [answer for answer, _ in rows], link

    def _linked_on(self, answer: Answer, turn: Any) -> str:
        """The seal of a new row, on which its book ends from now on."""
        if self._chain is None:
            return ""
        head = self._heads.locked(turn, answer.book)
        number, before = (0, "") if head is None else (head.number, head.link)
        if number >= answer.number:
            raise ConflictError("another server wrote to the ledger at the same time: try again")
        if number < answer.number - 1 or (head is not None and head != self._chain.head(answer.book, number, before)):
            raise DamagedError("the ledger is damaged: it does not end as it did: the owner must restore it")
        if head is None:
            contents = self._heads.locked(turn, CONTENTS)
            books = 0 if contents is None else contents.number
            self._heads.write(turn, self._chain.head(CONTENTS, books + 1, ""))
        link = self._chain.link(before, answer)
        self._heads.write(turn, self._chain.head(answer.book, answer.number, link))
        return link

    def _linked(self, condition: Any, turn: Any) -> list[tuple[Answer, str]]:
        table = self._answers
        columns = [column for column in table.c if self._schema == SCHEMA or column.name != "link"]
        query = self._sql.select(*columns).where(condition).order_by(table.c.book, table.c.number)
        with self._inside(turn) as connection:
            return [(answer_of(row._mapping), row._mapping.get("link", "")) for row in connection.execute(query)]

    def _inside(self, turn: Any) -> AbstractContextManager[Any]:
        return self._database.reading() if turn is None else nullcontext(turn)
