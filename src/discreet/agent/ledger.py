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
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import DiscreetError, InputError, needs_extra

SCHEMA = "1"
OWNER = "owner"
SLACK = 1e-9  # of a budget: rounding of log2


class OverBudgetError(DiscreetError):
    """A question that costs more than is left."""

    @classmethod
    def of(cls, bits: float, left: float) -> OverBudgetError:
        """In words."""
        return cls(
            f"the question costs {bits:.4g} bits and you have {max(0.0, left):.4g} left: ask with a larger error"
        )


class ConflictError(DiscreetError):
    """Somebody else wrote the next row: look again, and try again."""


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
    """A database with four tables: facts, datasets, analysts, answers."""

    def __init__(self, url: str) -> None:
        sql = needs_extra("sqlalchemy", "agent")
        self._sql = sql
        try:
            parsed = sql.engine.make_url(url)
            if parsed.drivername == "postgresql":
                needs_extra("psycopg", "agent")
                parsed = parsed.set(drivername="postgresql+psycopg")
            self.is_sqlite = parsed.drivername.startswith("sqlite")
            options = {"check_same_thread": False, "timeout": 30.0} if self.is_sqlite else {"connect_timeout": 5}
            self.engine = sql.create_engine(parsed, connect_args=options, pool_size=8, max_overflow=32)
            if self.is_sqlite:
                _begin_at_once(sql, self.engine)
            self.writing = self.engine.execution_options(writes=True)
            self._define()
            self.metadata.create_all(self.engine)
            with self.writing.begin() as connection:
                self._check_schema(connection)
        except sql.exc.SQLAlchemyError as problem:
            raise InputError(
                f"the ledger cannot be opened ({type(problem).__name__}): check its address and rights"
            ) from None

    def _define(self) -> None:
        sql = self._sql
        self.metadata = sql.MetaData()
        self.facts = sql.Table(
            "discreet_facts",
            self.metadata,
            sql.Column("name", sql.String(64), primary_key=True),
            sql.Column("value", sql.Text, nullable=False),
        )
        self.datasets = sql.Table(
            "discreet_datasets",
            self.metadata,
            sql.Column("name", sql.String(200), primary_key=True),
            sql.Column("fingerprint", sql.String(64), nullable=False),
            sql.Column("declared", sql.Text, nullable=False),
        )
        self.analysts = sql.Table(
            "discreet_analysts",
            self.metadata,
            sql.Column("name", sql.String(200), primary_key=True),
            sql.Column("key_hash", sql.String(64), nullable=False, unique=True),
            sql.Column("budget", sql.Double, nullable=False),
            sql.Column("revoked", sql.Boolean, nullable=False, default=False),
        )
        self.answers = sql.Table(
            "discreet_answers",
            self.metadata,
            sql.Column("book", sql.String(600), primary_key=True),
            sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
            sql.Column("key", sql.String(64), nullable=False),
            sql.Column("analyst", sql.String(200), nullable=False, index=True),
            sql.Column("question", sql.Text, nullable=False),
            sql.Column("cells", sql.Integer, nullable=False),
            sql.Column("answer", sql.Double),
            sql.Column("error", sql.Double),
            sql.Column("low", sql.Double, nullable=False),
            sql.Column("high", sql.Double, nullable=False),
            sql.Column("record", sql.Text, nullable=False),
            sql.Column("at", sql.String(40), nullable=False),
            sql.UniqueConstraint("book", "key"),
        )

    def _check_schema(self, connection: Any) -> None:
        sql, facts = self._sql, self.facts
        found = connection.execute(sql.select(facts.c.value).where(facts.c.name == "schema")).scalar()
        if found is None:
            connection.execute(facts.insert().values(name="schema", value=SCHEMA))
        elif found != SCHEMA:
            raise InputError(f"the ledger was written by another discreet (schema {found}): update discreet")

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    def is_alive(self) -> bool:
        """Whether the database answers."""
        try:
            with self.engine.connect() as connection:
                connection.execute(self._sql.text("SELECT 1"))
        except self._sql.exc.SQLAlchemyError:
            return False
        return True

    # ------------------------------------------------------------------ keys

    def owner_key(self) -> str | None:
        """Make the owner's key, the first time; it is not kept, only its hash."""
        with self.writing.begin() as connection:
            known = connection.execute(
                self._sql.select(self.facts.c.value).where(self.facts.c.name == "owner_key_hash")
            ).scalar()
            if known is not None:
                return None
            key = new_key()
            connection.execute(self.facts.insert().values(name="owner_key_hash", value=hashed(key)))
            return key

    def is_owner(self, key: str) -> bool:
        """Whether a key is the owner's."""
        with self.engine.connect() as connection:
            known = connection.execute(
                self._sql.select(self.facts.c.value).where(self.facts.c.name == "owner_key_hash")
            ).scalar()
        return known is not None and secrets.compare_digest(known, hashed(key))

    def analyst_of(self, key: str) -> Analyst | None:
        """Whose key it is, unless it was revoked."""
        rows = self._analysts(self.analysts.c.key_hash == hashed(key))
        return next((each for each in rows if not each.revoked), None)

    def add_analyst(self, name: str, budget: float) -> str:
        """A new analyst; returns the key, which is shown this once."""
        _check_analyst(name, budget)
        key = new_key()
        try:
            with self.writing.begin() as connection:
                row = {"name": name, "key_hash": hashed(key), "budget": float(budget), "revoked": False}
                connection.execute(self.analysts.insert().values(**row))
        except self._sql.exc.IntegrityError:
            raise InputError("there is an analyst of that name already") from None
        return key

    def change_analyst(self, name: str, *, budget: float | None = None, revoked: bool | None = None) -> None:
        """Another budget, or the end of a key."""
        if budget is not None:
            _check_analyst(name, budget)
        changes = {"budget": budget, "revoked": revoked}
        with self.writing.begin() as connection:
            done = connection.execute(
                self.analysts.update()
                .where(self.analysts.c.name == name)
                .values({column: value for column, value in changes.items() if value is not None})
            )
            if not done.rowcount:
                raise InputError("there is no analyst of that name")

    def every_analyst(self) -> list[Analyst]:
        """Everybody who may ask, or could."""
        return self._analysts(None)

    def _analysts(self, condition: Any) -> list[Analyst]:
        table = self.analysts
        query = self._sql.select(table.c.name, table.c.budget, table.c.revoked).order_by(table.c.name)
        with self.engine.connect() as connection:
            rows = connection.execute(query if condition is None else query.where(condition)).all()
        return [Analyst(name, float(budget), bool(revoked)) for name, budget, revoked in rows]

    # ------------------------------------------------------------------ data sets

    def pin(self, name: str, fingerprint: str, declared: dict[str, Any]) -> None:
        """Tie a data set's name to its data and its promises; refused where either differs from before."""
        text = json.dumps(declared, sort_keys=True)
        with self.writing.begin() as connection:
            known = connection.execute(self._sql.select(self.datasets).where(self.datasets.c.name == name)).first()
            if known is None:
                row = {"name": name, "fingerprint": fingerprint, "declared": text}
                connection.execute(self.datasets.insert().values(**row))
                return
        if known.fingerprint != fingerprint:
            raise InputError(
                f"the data of {name!r} changed since the ledger was opened: changed data are a new data set, name it anew"
            )
        if known.declared != text:
            raise InputError(
                f"the bounds, keep or collude of {name!r} changed since the ledger was opened: name the data set anew"
            )

    # ------------------------------------------------------------------ answers

    def find(self, book: str, key: str) -> Answer | None:
        """The answer that a question got, if it was asked before."""
        rows = self._answers((self.answers.c.book == book) & (self.answers.c.key == key))
        return rows[0] if rows else None

    def read(self, *, book: str | None = None, analyst: str | None = None, after: int = 0) -> list[Answer]:
        """Answers in order, of one book or one analyst or all."""
        condition = self.answers.c.number > after
        if book is not None:
            condition &= self.answers.c.book == book
        if analyst is not None:
            condition &= self.answers.c.analyst == analyst
        return self._answers(condition)

    def spent(self, analyst: str) -> float:
        """Bits that an analyst has spent, from her rows."""
        with self.engine.connect() as connection:
            return self._spent(connection, analyst)

    def commit(self, answer: Answer) -> Answer:
        """Write an answer, if its number is still free, its question was not answered meanwhile and its price can be paid.

        Returns the row that now stands: another server may have answered the same question first.
        """
        sql, table = self._sql, self.answers
        try:
            with self.writing.begin() as connection:
                known = self._rows(connection, (table.c.book == answer.book) & (table.c.key == answer.key))
                if known:
                    return known[0]
                row = connection.execute(
                    sql.select(self.analysts.c.budget, self.analysts.c.revoked)
                    .where(self.analysts.c.name == answer.analyst)
                    .with_for_update()  # one question of an analyst at a time is paid for
                ).first()
                if row is None or row.revoked:
                    raise InputError("this key was revoked")
                left = float(row.budget) - self._spent(connection, answer.analyst)
                if answer.bits > left + SLACK:
                    raise OverBudgetError.of(answer.bits, left)
                connection.execute(table.insert().values(**_row_of(answer)))
        except sql.exc.IntegrityError:
            raise ConflictError("another server wrote to the ledger at the same time: try again") from None
        return answer

    def _spent(self, connection: Any, analyst: str) -> float:
        table = self.answers
        cells = connection.execute(self._sql.select(table.c.cells).where(table.c.analyst == analyst)).scalars()
        return math.fsum(math.log2(each) for each in cells)

    def _answers(self, condition: Any) -> list[Answer]:
        with self.engine.connect() as connection:
            return self._rows(connection, condition)

    def _rows(self, connection: Any, condition: Any) -> list[Answer]:
        table = self.answers
        query = self._sql.select(table).where(condition).order_by(table.c.book, table.c.number)
        return [_answer_of(row._mapping) for row in connection.execute(query)]


def now() -> str:
    """The time for people; nothing depends on it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def new_key() -> str:
    """A key of 256 random bits."""
    return secrets.token_urlsafe(32)


def hashed(key: str) -> str:
    """What is kept of a key: it has too much chance in it to be guessed from its hash."""
    return hashlib.sha256(key.encode()).hexdigest()


def _check_analyst(name: object, budget: float) -> None:
    if not isinstance(name, str) or not name.strip() or len(name) > 100 or not name.isprintable():
        raise InputError("an analyst's name is text of 1 to 100 letters")
    if not math.isfinite(budget) or budget < 0:
        raise InputError("a budget is a number of bits, 0 or more")


def _row_of(answer: Answer) -> dict[str, Any]:
    return {
        **{name: getattr(answer, name) for name in ("book", "number", "key", "analyst", "cells", "answer", "error")},
        "low": answer.low,
        "high": answer.high,
        "question": json.dumps(answer.question, ensure_ascii=False, sort_keys=True),
        "record": json.dumps(answer.record),
        "at": answer.at,
    }


def _answer_of(row: Any) -> Answer:
    return Answer(**{**row, "question": json.loads(row["question"]), "record": json.loads(row["record"])})


def _begin_at_once(sql: Any, engine: Any) -> None:
    """SQLite: take the write lock when a writing transaction begins, so that what it read still holds when it writes."""

    @sql.event.listens_for(engine, "connect")  # type: ignore[untyped-decorator]
    def _connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver must not begin on its own
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")  # an answer that was sent survives a power cut

    @sql.event.listens_for(engine, "begin")  # type: ignore[untyped-decorator]
    def _begin(connection: Any) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def total(answers: Sequence[Answer]) -> float:
    """Bits of several answers together."""
    return math.fsum(answer.bits for answer in answers)
