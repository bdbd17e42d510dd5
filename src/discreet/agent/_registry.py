"""Who may ask, and with which keys: of a key only its hash is kept."""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.agent._database import ANALYSTS, SETTING_UP, Database
from discreet.agent._journal import ANALYST, OWNER, Journal
from discreet.errors import DiscreetError, InputError

SLACK = 1e-9  # of a budget: rounding of log2


class OverBudgetError(DiscreetError):
    """A question that costs more than is left."""

    @classmethod
    def of(cls, bits: float, left: float) -> OverBudgetError:
        """What is told to whoever asked: the price, and what is left."""
        return cls(
            f"the question costs {bits:.4g} bits and you have {max(0.0, left):.4g} left: ask with a larger error"
        )


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


class Registry:
    """The keys and budgets of a ledger; each is noted in the journal, and compared with that before it is believed."""

    def __init__(self, database: Database, journal: Journal, facts: Any, analysts: Any) -> None:
        self._database, self._sql, self._journal = database, database.sql, journal
        self._facts, self._analysts = facts, analysts

    def _fact(self, connection: Any, name: str) -> Any:
        return connection.execute(self._sql.select(self._facts.c.value).where(self._facts.c.name == name)).scalar()

    def owner_key(self, *, renew: bool = False) -> str | None:
        """Make the owner's key, the first time; it is not kept, only its hash. `renew` ends one that was lost."""
        with self._journal.writing(SETTING_UP) as connection:
            self._journal.lock(connection)
            known = self._fact(connection, "owner_key_hash")
            if renew:
                connection.execute(self._facts.delete().where(self._facts.c.name == "owner_key_hash"))
            else:
                self._journal.check(connection, OWNER, "", *([] if known is None else [known]))
                if known is not None:
                    return None
            key = new_key()
            connection.execute(self._facts.insert().values(name="owner_key_hash", value=hashed(key)))
            self._journal.note(connection, OWNER, "", hashed(key))
        return key

    def is_owner(self, key: str) -> bool:
        """Whether a key is the owner's."""
        with self._journal.reading() as connection:
            known = self._fact(connection, "owner_key_hash")
            self._journal.check(connection, OWNER, "", *([] if known is None else [known]))
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
            with self._journal.writing(ANALYSTS) as connection:
                self._journal.lock(connection)
                row = {"name": name, "key_hash": hashed(key), "budget": float(budget), "revoked": False}
                connection.execute(self._analysts.insert().values(**row))
                self._journal.check(connection, ANALYST, name)  # one who was deleted is not added as if she were new
                self._journal.note(connection, ANALYST, name, *analyst_parts(row))
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
        with self._journal.writing(ANALYSTS) as connection:
            self._journal.lock(connection)
            query = self._sql.select(table).where(table.c.name == name).with_for_update()
            row = connection.execute(query).first() if _is_name(name) else None
            if row is None:
                raise UnknownAnalystError("there is no analyst of that name")
            self._journal.check(connection, ANALYST, name, *analyst_parts(row._mapping))
            connection.execute(table.update().where(table.c.name == name).values(changes))
            self._journal.note(connection, ANALYST, name, *analyst_parts({**row._mapping, **changes}))

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
        query = self._sql.select(table).order_by(table.c.name)
        with self._journal.reading() as connection:
            rows = connection.execute(query if condition is None else query.where(condition)).all()
            for row in rows:
                self._journal.check(connection, ANALYST, row.name, *analyst_parts(row._mapping))
        return [Analyst(row.name, float(row.budget), bool(row.revoked)) for row in rows]


def analyst_parts(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What the journal notes of an analyst."""
    return row["name"], row["key_hash"], repr(float(row["budget"])), repr(bool(row["revoked"]))


def new_key() -> str:
    """A key of 256 random bits."""
    return secrets.token_urlsafe(32)


def hashed(key: str) -> str:
    """What is kept of a key: it has too much chance in it to be guessed from its hash."""
    return hashlib.sha256(key.encode()).hexdigest()


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
