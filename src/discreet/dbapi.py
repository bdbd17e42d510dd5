"""An agent as a database: DB-API 2.0 (PEP 249), so that pandas and SQLAlchemy can ask it.

    connection = discreet.dbapi.connect("http://127.0.0.1:8400", key)
    pandas.read_sql("SELECT city, AVG(height) FROM people GROUP BY city WITH ERROR 5", connection)

A row holds the labels of its group, then answer, error, low, high and bits: the true value lies between low and high, at most
error from answer. With AS the answer has the name behind it; several aggregates, such as AVG(height) AS tall, have their
names before everything: tall, tall_error, tall_low, tall_high, tall_bits. EXPLAIN before SELECT tells the price and asks
nothing. Parameters stand for values: `?` with a sequence, `:name` with a mapping. Nothing can be undone: commit and rollback do
nothing, because an answer that was heard stays known.
"""

from __future__ import annotations

import datetime as dt
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from discreet.agent._client import AgentError, Client, UnreachableError
from discreet.errors import DiscreetError, InputError

__all__ = [
    "BINARY", "DATETIME", "NUMBER", "ROWID", "STRING", "Binary", "Connection", "Cursor", "DataError", "DatabaseError",
    "Date", "DateFromTicks", "Error", "IntegrityError", "InterfaceError", "InternalError", "NotSupportedError",
    "OperationalError", "ProgrammingError", "Time", "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning", "apilevel",
    "connect", "paramstyle", "threadsafety",
]  # fmt: skip

apilevel = "2.0"
threadsafety = 2  # threads may share a connection
paramstyle = "qmark"


class Warning(Exception):  # noqa: A001, N818, the name is that of PEP 249
    """Something to know; the agent has none."""


class Error(DiscreetError):
    """Whatever goes wrong here."""


class InterfaceError(Error):
    """A wrong use of this module: a closed connection, a fetch before a question."""


class DatabaseError(Error):
    """What the agent refuses or cannot do."""


class DataError(DatabaseError):
    """A parameter that no statement can hold."""


class OperationalError(DatabaseError):
    """No agent answers, a key or a budget does not suffice, or the ledger is busy."""


class IntegrityError(DatabaseError):
    """Not raised: nothing is written."""


class InternalError(DatabaseError):
    """The agent made a mistake."""


class ProgrammingError(DatabaseError):
    """A statement that asks for what is not offered; the agent says what is."""


class NotSupportedError(DatabaseError):
    """What an agent has not."""


class _Kind:
    """A type of column, equal to the codes of `description` that mean it."""

    def __init__(self, *codes: str) -> None:
        self.codes = codes

    def __eq__(self, other: object) -> bool:
        return other in self.codes if isinstance(other, str) else self is other

    def __hash__(self) -> int:
        return hash(self.codes)


STRING, NUMBER, DATETIME = _Kind("text", "yes or no"), _Kind("number"), _Kind("date", "moment")
BINARY, ROWID = _Kind(), _Kind()
Date, Time, Timestamp, Binary = dt.date, dt.time, dt.datetime, bytes
DateFromTicks = dt.date.fromtimestamp
TimestampFromTicks = dt.datetime.fromtimestamp


def TimeFromTicks(ticks: float) -> dt.time:  # noqa: N802, the name is that of PEP 249
    """The time of day so many seconds after the epoch."""
    return dt.datetime.fromtimestamp(ticks).time()


def connect(url: str, key: str | None = None, timeout: float = 60.0) -> Connection:
    """A connection to the agent at an address; without a key, that in DISCREET_KEY."""
    found = key or os.environ.get("DISCREET_KEY", "")
    if not found:
        raise InterfaceError("a key is needed: give it, or set DISCREET_KEY")
    try:
        return Connection(Client(url, found, timeout))
    except InputError as problem:
        raise InterfaceError(str(problem)) from None


class Connection:
    """An analyst's way to an agent. `client` is the same way without DB-API."""

    Warning, Error, InterfaceError, DatabaseError = Warning, Error, InterfaceError, DatabaseError
    DataError, OperationalError, IntegrityError, InternalError = (
        DataError,
        OperationalError,
        IntegrityError,
        InternalError,
    )
    ProgrammingError, NotSupportedError = ProgrammingError, NotSupportedError

    def __init__(self, client: Client) -> None:
        self.client = client
        self._open = True

    def cursor(self) -> Cursor:
        """Something to ask with."""
        self.check_open()
        return Cursor(self)

    def close(self) -> None:
        """No more questions."""
        self._open = False

    def commit(self) -> None:
        """Nothing: answers stand as soon as they are given."""
        self.check_open()

    def rollback(self) -> None:
        """Nothing: what was heard stays known, and paid for."""
        self.check_open()

    def check_open(self) -> None:
        """Raise where it was closed."""
        if not self._open:
            raise InterfaceError("the connection is closed")

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Cursor:
    """Asks questions and hands out the rows of their answers; `reply` is the whole reply to the last one."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.description: list[tuple[Any, ...]] | None = None
        self.rowcount = -1
        self.reply: dict[str, Any] | None = None
        self._rows: Iterator[tuple[Any, ...]] | None = None
        self._open = True

    def execute(self, operation: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Cursor:
        """Ask: SELECT … WITH ERROR number, or EXPLAIN before it for the price alone."""
        self._check_open()
        self._rows = self.description = self.reply = None
        self.rowcount = -1
        statement = bound(operation, parameters)
        try:
            self.reply = self.connection.client.ask(statement)
        except AgentError as problem:
            raise _error_of(problem)(str(problem)) from None
        except UnreachableError as problem:
            raise OperationalError(str(problem)) from None
        except InputError as problem:
            raise ProgrammingError(str(problem)) from None
        names, rows = _table(self.reply)
        self.description = [(name, _kind([row[i] for row in rows]), *[None] * 5) for i, name in enumerate(names)]
        self.rowcount, self._rows = len(rows), iter(rows)
        return self

    def executemany(self, operation: str, parameters: Any) -> None:
        """Not offered: every answer has a price, so ask for each, or use GROUP BY or IN."""
        raise NotSupportedError("one question at a time: use GROUP BY or IN, or ask for each")

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row."""
        return next(self._asked(), None)

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """The next rows."""
        rows = self._asked()
        return [row for _, row in zip(range(self.arraysize if size is None else size), rows, strict=False)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows that are left."""
        return list(self._asked())

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._asked()

    def close(self) -> None:
        """No more rows."""
        self._open, self._rows = False, None

    def setinputsizes(self, sizes: Any) -> None:
        """Nothing to prepare."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Nothing to prepare."""

    def _check_open(self) -> None:
        self.connection.check_open()
        if not self._open:
            raise InterfaceError("the cursor is closed")

    def _asked(self) -> Iterator[tuple[Any, ...]]:
        self._check_open()
        if self._rows is None:
            raise InterfaceError("nothing was asked: execute a statement first")
        return self._rows


def _error_of(problem: AgentError) -> type[DatabaseError]:
    if problem.status in (400, 413, 422):
        return NotSupportedError if "is not offered" in str(problem) else ProgrammingError
    return InternalError if problem.status == 500 else OperationalError


def _table(reply: Mapping[str, Any]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """A reply as columns and rows: a price, or answers with what stands beside each, one row for each group."""
    if "known" in reply:
        names = ["bits", "cells", "error", "known", "groups"]
        return names, [tuple(reply.get(name) for name in names)]
    by, beside = list(reply["question"].get("by", ())), ["error", "low", "high", "bits"]
    if "rows" in reply:
        labels = [each["as"] for each in reply["question"]["aggregates"]]
        names = [f"{label}{each}" for label in labels for each in ("", *(f"_{word}" for word in beside))]
        told = [(row.get("group", {}), [row["answers"][label] for label in labels]) for row in reply["rows"]]
    else:
        names = [reply["question"].get("as", "answer"), *beside]
        told = [(row.get("group", {}), [row]) for row in reply.get("groups", [reply])]
    rows = [
        (*(group[name] for name in by), *(part for each in answers for part in _parts(each))) for group, answers in told
    ]
    return [*by, *names], rows


def _parts(answer: Mapping[str, Any]) -> tuple[Any, ...]:
    return answer["answer"], answer["error"], *answer["cell"], answer["bits"]


def _kind(values: Sequence[Any]) -> str:
    known = [value for value in values if value is not None]
    return "text" if any(isinstance(value, str | bool) for value in known) else "number"


_PLACES = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|::|(?P<mark>\?)|:(?P<name>[A-Za-z_]\w*)""", re.DOTALL
)


def bound(statement: str, parameters: Sequence[Any] | Mapping[str, Any]) -> str:
    """A statement with its parameters written in as values: texts in quotes, so that no text can be anything else."""
    if not isinstance(statement, str):
        raise ProgrammingError("a statement is text")
    named = isinstance(parameters, Mapping)
    if isinstance(parameters, str | bytes) or not isinstance(parameters, Sequence | Mapping):
        raise ProgrammingError("parameters are a list of values, or a dictionary")
    used: list[Any] = []
    values: Any = parameters

    def put(match: re.Match[str]) -> str:
        if match["name"] and named:
            if match["name"] not in parameters:
                raise ProgrammingError(f"there is no value for :{match['name']}")
            return literal(values[match["name"]])
        if match["mark"] and not named:
            if len(used) >= len(parameters):
                raise ProgrammingError(f"the statement has more than the {len(parameters)} values that were given")
            used.append(None)
            return literal(values[len(used) - 1])
        return match[0]

    found = _PLACES.sub(put, statement)
    if not named and len(used) < len(parameters):
        raise ProgrammingError(f"{len(parameters)} values were given, and the statement has room for {len(used)}")
    return found


def literal(value: Any) -> str:
    """A value as it stands in a statement."""
    if hasattr(value, "item") and not isinstance(value, str):  # a scalar of numpy
        value = value.item()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, int | float | Decimal) and math.isfinite(value):
        return f" {value}"  # so that a sign before it does not make a comment of it
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, list | tuple | set | frozenset) and value:
        return f"({', '.join(literal(each) for each in value)})"
    if value is None:
        raise DataError("a missing value is no parameter: write IS NULL or IS NOT NULL")
    raise DataError(f"a parameter is a text, a number, a date, or a list of these: not {type(value).__name__}")
