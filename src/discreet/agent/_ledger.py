"""The ledger: who may ask, what was answered, and what it cost. SQLite by default, PostgreSQL by URL.

An answer is one row, written before it is sent. Rows of a book are numbered 1, 2, 3, … and a number is taken once, so two
servers on one ledger cannot answer from the same state; what an analyst spent is recomputed from her rows, so it cannot
drift. Order is by number and never by the clock, which may jump. Rows are chained (`_chain`), and all that a promise hangs on
is noted in a journal (`_journal`), so that nothing can be changed or lost unnoticed; beside the rows stand the witnesses of
each book, which nobody needs to believe.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from discreet.agent._chain import DamagedError
from discreet.agent._database import SETTING_UP, Database, UnavailableError, tables
from discreet.agent._journal import ANALYST, PIN
from discreet.agent._opening import Opened
from discreet.agent._pins import Pin
from discreet.agent._registry import (
    SLACK,
    Analyst,
    OverBudgetError,
    RevokedError,
    TakenError,
    UnknownAnalystError,
    analyst_parts,
    hashed,
)
from discreet.agent._rows import Answer, row_of, total
from discreet.agent._sealing import BEFORE, SCHEMA, UNSEALED, ConflictError
from discreet.errors import InputError

__all__ = [
    "Analyst",
    "Answer",
    "ConflictError",
    "DamagedError",
    "Ledger",
    "NoLedgerError",
    "OverBudgetError",
    "RevokedError",
    "TakenError",
    "UnknownAnalystError",
    "hashed",
    "total",
]


class NoLedgerError(InputError):
    """A database without a ledger, where one was only to be looked at."""


class Ledger(Opened):
    """A database with seven tables; `read_only` leaves it as it is, also where it was written by an earlier version."""

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        database = Database(url, read_only=read_only)
        metadata = tables(database.sql)
        super().__init__(database, metadata)
        self._metadata = metadata
        try:
            self._schema = self._looked_at() if read_only else self._set_up()
        except (self._sql.exc.SQLAlchemyError, UnavailableError) as problem:
            self.close()
            code = problem.code if isinstance(problem, UnavailableError) else type(problem).__name__
            raise InputError(f"the ledger cannot be opened ({code}): check its address and rights") from None
        except InputError:
            self.close()
            raise

    def _set_up(self) -> str:
        """Make what is not there yet; a ledger of an earlier version is brought up to date once there is a key."""
        with self._database.writing(SETTING_UP) as connection:
            self._metadata.create_all(connection)
            found = self._fact(connection, "schema")
            if found is None:
                connection.execute(self._facts.insert().values(name="schema", value=SCHEMA))
            return _known_schema(found or SCHEMA)

    def _looked_at(self) -> str:
        with self._database.reading() as connection:
            there = self._sql.inspect(connection).has_table(self._facts.name)
            return _known_schema(self._fact(connection, "schema") if there else None)

    def close(self) -> None:
        """Let go of the database, and of its witnesses."""
        for witness in self._watching:
            witness.close()
        self._database.close()

    def is_alive(self) -> bool:
        """Whether the database answers."""
        try:
            with self._database.reading() as connection:
                return bool(self._fact(connection, "schema") == SCHEMA)
        except (self._sql.exc.SQLAlchemyError, UnavailableError):
            return False

    def can_write(self) -> bool:
        """Whether there is room for another answer."""
        return self._database.can_write(self._facts)

    # ------------------------------------------------------------------ data sets

    def orders(self) -> dict[str, list[str]]:
        """The columns as they were pinned, for each data set about which answers were given."""
        with self._database.reading() as connection:
            answered = self._pins.answered(connection)
            return {
                name: [column.name for column in pin.columns]
                for name, pin in self._pins.read(connection).items()
                if name in answered
            }

    def pin(self, pin: Pin) -> None:
        """Tie a data set's name to its data and its promises; refused where answers were given about others."""
        if self._database.read_only:
            with self._database.reading() as connection:
                self._pins.check(connection, pin)
            return
        with self._journal.writing(SETTING_UP) as connection:
            self._journal.lock(connection)
            changed = self._pins.write(connection, pin)
            if changed is not None:
                self._journal.note(connection, PIN, pin.name, changed.to_json())
        self.pinned[pin.name] = pin

    # ------------------------------------------------------------------ answers

    def find(self, book: str, key: str, turn: Any = None) -> Answer | None:
        """The answer that a question got, if it was asked before."""
        rows = self._rows((self._answers.c.book == book) & (self._answers.c.key == key), turn)
        if rows and turn is None:
            self._journal.show()  # whoever wrote it may have died before the witnesses saw it
        return rows[0] if rows else None

    def read(
        self, *, book: str | None = None, analyst: str | None = None, after: int = 0, turn: Any = None
    ) -> list[Answer]:
        """Answers in order, of one book or one analyst or all."""
        condition = self._answers.c.number > after
        if book is not None:
            condition &= self._answers.c.book == book
        if analyst is not None:
            condition &= self._answers.c.analyst == analyst
        return self._rows(condition, turn)

    def length(self, book: str, turn: Any = None) -> int:
        """How many answers a book has."""
        query = self._sql.select(self._sql.func.max(self._answers.c.number)).where(self._answers.c.book == book)
        with self._inside(turn) as connection:
            return int(connection.execute(query).scalar() or 0)

    def witnesses(self, book: str, turn: Any = None) -> tuple[int, bytes] | None:
        """What was kept of the searches for a book, and after which row."""
        table = self._witnesses
        with self._inside(turn) as connection:
            row = connection.execute(self._sql.select(table).where(table.c.book == book)).first()
        if row is None or not isinstance(row.content, bytes):
            return None  # SQLite holds anything
        return row.number, row.content

    def books(self) -> list[str]:
        """Every book that has an answer."""
        with self._database.reading() as connection:
            found = connection.execute(self._sql.select(self._answers.c.book).distinct()).scalars()
            return sorted(found)

    def spent(self, analyst: str, turn: Any = None) -> float:
        """Bits that an analyst has spent, from her rows."""
        return self._totals(self._answers.c.analyst == analyst, turn)[1]

    def totals(self) -> tuple[int, float]:
        """How many answers there are, and their bits."""
        return self._totals(self._sql.true(), None)

    def _totals(self, condition: Any, turn: Any) -> tuple[int, float]:
        with self._inside(turn) as connection:
            cells = connection.execute(self._sql.select(self._answers.c.cells).where(condition)).scalars().all()
        return len(cells), math.fsum(math.log2(each) for each in cells)

    @contextmanager
    def turn(self, *books: str) -> Iterator[Any]:
        """A transaction in which nobody else can write to these books; what is done in it stands once it is left.

        Hand it to `find`, `followed`, `spent` and `commit`, so that they look and write inside it.
        """
        try:
            with self._journal.writing(*books) as turn:
                yield turn
        except self._sql.exc.IntegrityError:
            raise ConflictError("another server wrote to the ledger at the same time: try again") from None

    def commit(self, answer: Answer, turn: Any = None, witnesses: bytes | None = None) -> Answer:
        """Write an answer, if its number is still free, its question was not answered meanwhile and its price can be paid.

        Returns the row that now stands: another server may have answered the same question first.
        """
        if turn is not None:
            return self._write(answer, witnesses, turn)
        with self.turn(answer.book) as turn:
            return self._write(answer, witnesses, turn)

    def _write(self, answer: Answer, witnesses: bytes | None, turn: Any) -> Answer:
        known = self.find(answer.book, answer.key, turn)
        if known is not None:
            return known
        self._journal.lock(turn)
        mine = self.pinned.get(answer.question.get("dataset", ""))
        if mine is not None and not self._pins.holds(turn, mine):
            raise InputError("another server holds other data under this name: the owner must start this one again")
        self.check_payer(answer.analyst, answer.bits, turn)
        turn.execute(self._answers.insert().values(**row_of(answer), link=self._linked_on(answer, turn)))
        if witnesses is not None:
            table, values = self._witnesses, {"number": answer.number, "content": witnesses}
            if not turn.execute(table.update().where(table.c.book == answer.book).values(**values)).rowcount:
                turn.execute(table.insert().values(book=answer.book, **values))
        return answer

    def check_payer(self, analyst: str, bits: float, turn: Any) -> None:
        """Refuse what an analyst cannot pay; until the turn ends nobody else spends her bits."""
        table = self._analysts
        self._journal.lock(turn)
        row = turn.execute(self._sql.select(table).where(table.c.name == analyst).with_for_update()).first()
        self._journal.check(turn, ANALYST, analyst, *([] if row is None else analyst_parts(row._mapping)))
        if row is None or row.revoked:
            raise RevokedError("this key was revoked")
        left = float(row.budget) - self.spent(analyst, turn)
        if bits > left + SLACK:
            raise OverBudgetError.of(bits, left)

    def _rows(self, condition: Any, turn: Any) -> list[Answer]:
        return [answer for answer, _ in self._linked(condition, turn)]


def now() -> str:
    """The time for people; nothing depends on it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def _known_schema(found: str | None) -> str:
    if found is None:
        raise NoLedgerError("the ledger cannot be opened: the database holds none")
    if found not in (SCHEMA, BEFORE, UNSEALED):
        raise InputError(f"the ledger was written by another discreet (schema {found}): update discreet")
    return found
