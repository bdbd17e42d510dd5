"""A ledger whose rows are sealed: how they are written, read back and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from discreet.agent._chain import Chain, DamagedError
from discreet.agent._database import Database
from discreet.agent._head_witness import HeadWitness
from discreet.agent._journal import ANSWER, Head, Journal, State
from discreet.agent._pins import Pin, Pins
from discreet.agent._registry import Registry
from discreet.agent._rows import Answer, answer_of
from discreet.errors import DiscreetError

if TYPE_CHECKING:
    pass

SCHEMA, BEFORE, UNSEALED = "4", "3", "2"
"""How the tables look; in 0.1.0, where rows were sealed and nothing else; and before that."""


class ConflictError(DiscreetError):
    """Somebody else wrote the next row: look again, and try again."""


class Sealed(Registry):
    """The rows of a ledger and their seals; until it was given a key, nothing is sealed."""

    def __init__(self, database: Database, metadata: Any) -> None:
        facts, analysts, answers, journal, datasets, columns, witnesses = (
            metadata.tables[f"discreet_{name}"]
            for name in ("facts", "analysts", "answers", "journal", "datasets", "columns", "witnesses")
        )
        super().__init__(database, Journal(database, journal), facts, analysts)
        self._answers, self._witnesses = answers, witnesses
        self._pins = Pins(self._sql, datasets, columns, answers)
        self._schema = SCHEMA
        self.pinned: dict[str, Pin] = {}
        self._watching: list[HeadWitness] = []
        self.notes: list[str] = []  # what the owner is told of how it was opened

    @property
    def key(self) -> bytes:
        """The key that it is tied to."""
        return self._journal.chain.key

    @property
    def head(self) -> Head:
        """The last entry of the journal that was read and checked."""
        return self._journal.state.head

    @property
    def checked(self) -> tuple[bytes, dict[str, Pin], State]:
        """The key, the data sets and the state of the journal, for another process."""
        return self.key, self.pinned, self._journal.state

    def go_on(self, key: bytes, pinned: Mapping[str, Pin], state: State, witnesses: Sequence[HeadWitness]) -> None:
        """Use what was checked in another process."""
        self.pinned = dict(pinned)
        self._journal.begin_from(Chain(key), state, witnesses)

    def link(self, before: str, answer: Answer) -> str:
        """The seal of a row behind another."""
        return self._journal.chain.link(before, answer) if self._journal.is_keyed else ""

    def followed(self, book: str, after: int, link: str, turn: Any = None) -> tuple[list[Answer], str]:
        """The answers of a book from a row on, none of them missing or changed since, and the seal of the last."""
        condition = (self._answers.c.book == book) & (self._answers.c.number > after)
        rows = self._linked(condition, turn)
        if self._journal.is_keyed:
            link = self._journal.chain.followed(link, rows, after + 1)
        elif any(answer.number != number for number, (answer, _) in enumerate(rows, after + 1)):
            raise DamagedError("rows of the ledger are missing: the owner must restore it")
        return [answer for answer, _ in rows], link

    def _linked_on(self, answer: Answer, turn: Any) -> str:
        """The seal of a new row, on which its book ends from now on."""
        if not self._journal.is_keyed:
            return ""
        number, before = self._journal.end_of(turn, answer.book)
        if number >= answer.number:
            raise ConflictError("another server wrote to the ledger at the same time: try again")
        if number < answer.number - 1:
            raise DamagedError("the ledger is damaged: it does not end as it did: the owner must restore it")
        link = self._journal.chain.link(before, answer)
        self._journal.note(turn, ANSWER, answer.book, str(answer.number), link)
        return link

    def _linked(self, condition: Any, turn: Any) -> list[tuple[Answer, str]]:
        table = self._answers
        columns = [column for column in table.c if self._schema != UNSEALED or column.name != "link"]
        query = self._sql.select(*columns).where(condition).order_by(table.c.book, table.c.number)
        with self._inside(turn) as connection:
            return [(answer_of(row._mapping), row._mapping.get("link", "")) for row in connection.execute(query)]

    def _inside(self, turn: Any) -> AbstractContextManager[Any]:
        return self._database.reading() if turn is None else nullcontext(turn)
