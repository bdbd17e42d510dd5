"""Witnesses outside the ledger, which remember its head: a ledger that was put back, or copied, does not go through it.

A witness is a database of its own, a file of SQLite or PostgreSQL by URL, that keeps the number and the seal of the latest
entry; or a head that somebody has on paper. It is written after an answer was committed and before the answer is said: a server
that dies in between leaves a witness that lags, never one that leads, so whatever lacks an entry that was seen was put back.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from discreet.agent._chain import DamagedError
from discreet.agent._database import Database, UnavailableError
from discreet.agent._journal import PRINTED, UNUSED, Head
from discreet.errors import InputError

_WRITTEN = re.compile(rf"(\d+):([0-9a-f]{{{PRINTED},64}})")


class WitnessUnavailableError(UnavailableError):
    """A witness that does not answer: what was committed is not said before it has seen it."""

    def __init__(self, place: str, problem: UnavailableError) -> None:
        Exception.__init__(
            self, f"{place}, the witness of the ledger, is busy or does not answer: try again in a moment"
        )
        self.code = problem.code


class HeadWitness:
    """What one place has seen of the ledger of one key."""

    def __init__(self, place: str, mark: str, *, read_only: bool = False) -> None:
        self._mark, self._known = mark, UNUSED
        self.place = "a database" if "://" in place else Path(place).name  # an address may hold a password
        self._database: Database | None = None
        if read_only and "://" not in place and not Path(place).exists():
            return
        url = place if "://" in place else f"sqlite:///{place}"
        try:
            self._database = Database(url, read_only=read_only)
            self._sql = sql = self._database.sql
            self._table = sql.Table(
                "discreet_heads_seen",
                sql.MetaData(),
                sql.Column("ledger", sql.String(64), primary_key=True),
                sql.Column("number", sql.Integer, nullable=False),
                sql.Column("link", sql.String(64), nullable=False),
            )
            if not read_only:
                with self._database.writing(self._table.name) as connection:
                    self._table.create(connection, checkfirst=True)
            self.read()
        except (InputError, UnavailableError, sqlalchemy_error()):
            self.close()
            raise InputError(
                f"{self.place} cannot be used as a witness of the ledger: check its address and rights"
            ) from None

    def close(self) -> None:
        """Let go of the database."""
        if self._database is not None:
            self._database.close()

    def read(self) -> Head | None:
        """The head that it has seen last; None where it knows nothing of this ledger."""
        if self._database is None:
            return None
        with self._database.reading() as connection:
            if self._database.read_only and not self._sql.inspect(connection).has_table(self._table.name):
                return None
            return self._found(connection)

    def _found(self, connection: Any) -> Head | None:
        table = self._table
        query = self._sql.select(table.c.number, table.c.link).where(table.c.ledger == self._mark)
        row = connection.execute(query).first()
        return None if row is None else Head(*row)

    def see(self, head: Head, *, anew: bool = False) -> Head:
        """Remember a head, unless as late a one is known, and return what is known now.

        `anew` is for an owner who has accepted what was lost.
        """
        if self._database is None or (head == self._known and not anew):
            return head
        table, values = self._table, {"number": head.number, "link": head.link}
        try:
            with self._database.writing(table.name) as connection:
                known = self._found(connection)
                if known is None:
                    connection.execute(table.insert().values(ledger=self._mark, **values))
                elif known.number < head.number or anew:
                    connection.execute(table.update().where(table.c.ledger == self._mark).values(**values))
                else:
                    head = known
        except UnavailableError as problem:
            raise WitnessUnavailableError(self.place, problem) from None
        self._known = head
        return head

    def disagrees(self, seen: Head, head: Head) -> DamagedError:
        """The error that says how the ledger and this witness differ."""
        if seen.number > head.number:
            what = f"it ends at entry {head.number}, and {self.place} has seen entry {seen.number}"
        else:
            what = f"its entry {seen.number} is not the one that {self.place} has seen"
        return DamagedError(
            f"the ledger was put back, or is a copy: {what}: restore the latest one, or see what `discreet serve --seal` does"
        )


def begin_witness(place: str, mark: str) -> None:
    """Remember that a key is new, before it is made: one of which nothing is known may have sealed a ledger."""
    witness = HeadWitness(place, mark)
    witness.see(UNUSED, anew=True)
    witness.close()


def written_head(text: str) -> Head | None:
    """A head that somebody has on paper, such as 12:0123456789abcdef."""
    found = _WRITTEN.fullmatch(text.strip().lower())
    return Head(int(found[1]), found[2]) if found else None


def sqlalchemy_error() -> type[Exception]:
    """The error of the library, which is loaded only where it is used."""
    from sqlalchemy.exc import SQLAlchemyError

    return SQLAlchemyError
