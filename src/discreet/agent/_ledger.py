"""The ledger: who may ask, what was answered, and what it cost. SQLite by default, PostgreSQL by URL.

An answer is one row, written before it is sent. Rows of a book are numbered 1, 2, 3, … and a number is taken once, so two
servers on one ledger cannot answer from the same state; what an analyst spent is recomputed from her rows, so it cannot
drift. Order is by number and never by the clock, which may jump.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
import secrets
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields
from typing import Any

from discreet.agent._database import ANALYSTS, SETTING_UP, Database, UnavailableError, tables
from discreet.agent._pins import Pin, Pins
from discreet.errors import DiscreetError, InputError

SCHEMA = "2"
SLACK = 1e-9  # of a budget: rounding of log2


class OverBudgetError(DiscreetError):
    """A question that costs more than is left."""

    @classmethod
    def of(cls, bits: float, left: float) -> OverBudgetError:
        """What is told to whoever asked: the price, and what is left."""
        return cls(
            f"the question costs {bits:.4g} bits and you have {max(0.0, left):.4g} left: ask with a larger error"
        )


class ConflictError(DiscreetError):
    """Somebody else wrote the next row: look again, and try again."""


class UnknownAnalystError(InputError):
    """A name that no analyst has."""


class RevokedError(InputError):
    """A key that ended while its question was worked on."""


class TakenError(InputError):
    """A name that an analyst has already."""


@dataclass(frozen=True)
class Analyst:
    """Somebody who may ask."""

    name: str
    budget: float
    revoked: bool


@dataclass(frozen=True)
class Answer:
    """One row: a question, the cells that were offered for it, and the one that is true."""

    book: str
    number: int
    key: str
    analyst: str
    question: dict[str, Any]
    cells: int  # how many were offered; 1 where nothing new was said
    answer: float | None
    error: float | None
    low: float
    high: float
    record: dict[str, Any]  # what the auditor needs to go on from here
    at: str

    @property
    def bits(self) -> float:
        """What it cost."""
        return math.log2(self.cells)


class Ledger:
    """A database with five tables: facts, datasets and their columns, analysts, answers."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)
        self._sql = sql = self._database.sql
        metadata = tables(sql)
        self._facts, self._datasets, self._columns, self._analysts, self._answers = (
            metadata.tables[f"discreet_{name}"] for name in ("facts", "datasets", "columns", "analysts", "answers")
        )
        self._pins = Pins(sql, self._datasets, self._columns, self._answers)
        self._pinned: dict[str, Pin] = {}
        try:
            with self._database.writing(SETTING_UP) as connection:
                metadata.create_all(connection)
                found = self._fact(connection, "schema")
                if found is None:
                    connection.execute(self._facts.insert().values(name="schema", value=SCHEMA))
                elif found != SCHEMA:
                    raise InputError(f"the ledger was written by another discreet (schema {found}): update discreet")
        except (sql.exc.SQLAlchemyError, UnavailableError) as problem:
            code = problem.code if isinstance(problem, UnavailableError) else type(problem).__name__
            raise InputError(f"the ledger cannot be opened ({code}): check its address and rights") from None

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def is_alive(self) -> bool:
        """Whether the database answers."""
        try:
            with self._database.reading() as connection:
                return bool(self._fact(connection, "schema") == SCHEMA)
        except (self._sql.exc.SQLAlchemyError, UnavailableError):
            return False

    def _fact(self, connection: Any, name: str) -> Any:
        return connection.execute(self._sql.select(self._facts.c.value).where(self._facts.c.name == name)).scalar()

    # ------------------------------------------------------------------ keys

    def owner_key(self, *, renew: bool = False) -> str | None:
        """Make the owner's key, the first time; it is not kept, only its hash. `renew` ends one that was lost."""
        with self._database.writing(SETTING_UP) as connection:
            if renew:
                connection.execute(self._facts.delete().where(self._facts.c.name == "owner_key_hash"))
            elif self._fact(connection, "owner_key_hash") is not None:
                return None
            key = new_key()
            connection.execute(self._facts.insert().values(name="owner_key_hash", value=hashed(key)))
        return key

    def is_owner(self, key: str) -> bool:
        """Whether a key is the owner's."""
        with self._database.reading() as connection:
            known = self._fact(connection, "owner_key_hash")
        return known is not None and secrets.compare_digest(known, hashed(key))

    def analyst_of(self, key: str) -> Analyst | None:
        """Whose key it is, unless it was revoked. Found by its hash: how long that takes says nothing of a key."""
        rows = self._people(self._analysts.c.key_hash == hashed(key))
        return next((each for each in rows if not each.revoked), None)

    def add_analyst(self, name: str, budget: float) -> str:
        """A new analyst; returns the key, which is shown this once."""
        if not _is_name(name):
            raise InputError("an analyst's name is text of 1 to 100 letters, not of dots alone, and not 'owner'")
        _check_budget(budget)
        key = new_key()
        try:
            with self._database.writing(ANALYSTS) as connection:
                row = {"name": name, "key_hash": hashed(key), "budget": float(budget), "revoked": False}
                connection.execute(self._analysts.insert().values(**row))
        except self._sql.exc.IntegrityError:
            raise TakenError("there is an analyst of that name already") from None
        return key

    def change_analyst(self, name: str, *, budget: float | None = None, revoked: bool | None = None) -> None:
        """Another budget, or the end of a key."""
        if budget is not None:
            _check_budget(budget)
        changes = {"budget": budget, "revoked": revoked}
        self._change(name, {column: value for column, value in changes.items() if value is not None})

    def _change(self, name: str, changes: dict[str, Any]) -> None:
        table = self._analysts
        with self._database.writing(ANALYSTS) as connection:
            done = _is_name(name) and connection.execute(table.update().where(table.c.name == name).values(changes))
            if not done or not done.rowcount:
                raise UnknownAnalystError("there is no analyst of that name")

    def renew_key(self, name: str) -> str:
        """Another key for an analyst, who keeps her budget and her ledger; the old one ends, and a revoked one is mended."""
        key = new_key()
        self._change(name, {"key_hash": hashed(key), "revoked": False})
        return key

    def every_analyst(self) -> list[Analyst]:
        """Everybody who may ask, or could."""
        return self._people(None)

    def _people(self, condition: Any) -> list[Analyst]:
        table = self._analysts
        query = self._sql.select(table.c.name, table.c.budget, table.c.revoked).order_by(table.c.name)
        with self._database.reading() as connection:
            rows = connection.execute(query if condition is None else query.where(condition)).all()
        return [Analyst(name, float(budget), bool(revoked)) for name, budget, revoked in rows]

    # ------------------------------------------------------------------ data sets

    def check_key(self, mark: str) -> None:
        """Tie the ledger to the key of its fingerprints, by a hash; with another key nobody would be known again."""
        with self._database.writing(SETTING_UP) as connection:
            known = self._fact(connection, "fingerprints")
            if known is None:
                connection.execute(self._facts.insert().values(name="fingerprints", value=mark))
            elif known != mark:
                raise InputError("the key of the fingerprints is not the one that this ledger began with: put it back")

    def orders(self) -> dict[str, list[str]]:
        """The columns by which people are sorted, for each data set about which answers were given."""
        with self._database.reading() as connection:
            answered = self._pins.answered(connection)
            return {
                name: [column.name for column in pin.columns]
                for name, pin in self._pins.read(connection).items()
                if name in answered
            }

    def pin(self, pin: Pin) -> None:
        """Tie a data set's name to its data and its promises; refused where answers were given about others."""
        with self._database.writing(SETTING_UP) as connection:
            self._pins.write(connection, pin)
        self._pinned[pin.name] = pin

    # ------------------------------------------------------------------ answers

    def find(self, book: str, key: str, turn: Any = None) -> Answer | None:
        """The answer that a question got, if it was asked before."""
        rows = self._rows((self._answers.c.book == book) & (self._answers.c.key == key), turn)
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
    def turn(self, book: str) -> Iterator[Any]:
        """A transaction in which nobody else can write to the book; what is done in it stands once it is left.

        Hand it to `find`, `read`, `spent` and `commit`, so that they look and write inside it.
        """
        try:
            with self._database.writing(book) as turn:
                yield turn
        except self._sql.exc.IntegrityError:
            raise ConflictError("another server wrote to the ledger at the same time: try again") from None

    def commit(self, answer: Answer, turn: Any = None) -> Answer:
        """Write an answer, if its number is still free, its question was not answered meanwhile and its price can be paid.

        Returns the row that now stands: another server may have answered the same question first.
        """
        if turn is not None:
            return self._write(answer, turn)
        with self.turn(answer.book) as turn:
            return self._write(answer, turn)

    def _write(self, answer: Answer, turn: Any) -> Answer:
        known = self.find(answer.book, answer.key, turn)
        if known is not None:
            return known
        mine = self._pinned.get(answer.question.get("dataset", ""))
        if mine is not None and not self._pins.holds(turn, mine):
            raise InputError("another server holds other data under this name: the owner must start this one again")
        table = self._analysts
        row = turn.execute(
            self._sql.select(table.c.budget, table.c.revoked)
            .where(table.c.name == answer.analyst)
            .with_for_update()  # one question of an analyst at a time is paid for
        ).first()
        if row is None or row.revoked:
            raise RevokedError("this key was revoked")
        left = float(row.budget) - self.spent(answer.analyst, turn)
        if answer.bits > left + SLACK:
            raise OverBudgetError.of(answer.bits, left)
        turn.execute(self._answers.insert().values(**_row_of(answer)))
        return answer

    def _rows(self, condition: Any, turn: Any) -> list[Answer]:
        table = self._answers
        query = self._sql.select(table).where(condition).order_by(table.c.book, table.c.number)
        with self._inside(turn) as connection:
            return [_answer_of(row._mapping) for row in connection.execute(query)]

    def _inside(self, turn: Any) -> AbstractContextManager[Any]:
        return self._database.reading() if turn is None else nullcontext(turn)


def now() -> str:
    """The time for people; nothing depends on it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def new_key() -> str:
    """A key of 256 random bits."""
    return secrets.token_urlsafe(32)


def hashed(key: str) -> str:
    """What is kept of a key: it has too much chance in it to be guessed from its hash."""
    return hashlib.sha256(key.encode()).hexdigest()


def total(answers: Sequence[Answer]) -> float:
    """Bits of several answers together."""
    return math.fsum(answer.bits for answer in answers)


def _is_name(name: object) -> bool:
    """Whether a name can be an analyst's: a part of an address that nobody takes for a way up, and not the owner's in a log."""
    return (
        isinstance(name, str)
        and name.isprintable()
        and 0 < len(name.strip()) <= len(name) <= 100
        and name.strip(".") != ""
        and name.strip().casefold() != "owner"
    )


def _check_budget(budget: float) -> None:
    if not math.isfinite(budget) or budget < 0:
        raise InputError("a budget is a number of bits, 0 or more")


def _row_of(answer: Answer) -> dict[str, Any]:
    # JSON in ASCII: a filter may hold half a surrogate pair, which no database takes as text.
    texts = {"question": json.dumps(answer.question, sort_keys=True), "record": json.dumps(answer.record)}
    return {each.name: getattr(answer, each.name) for each in fields(answer)} | texts


def _answer_of(row: Any) -> Answer:
    return Answer(**{**row, "question": json.loads(row["question"]), "record": json.loads(row["record"])})
