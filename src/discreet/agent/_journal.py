"""The journal: one chain of entries about everything that a promise hangs on.

An entry says what a thing is from now on: an answer, a data set with its promises, an analyst with key and budget, the owner's
key. It is sealed with the entry before it, by a key that the ledger does not hold, so nothing in the ledger can be changed,
added, taken away or put back by itself. The number and the seal of the last entry are the ledger's head: witnesses outside the
ledger (`_head_witness`) keep it, so that the ledger cannot be put back as a whole, either.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.agent._chain import Chain, DamagedError
from discreet.agent._database import JOURNAL, Database
from discreet.agent._fingerprints import digest
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.agent._head_witness import HeadWitness

ANSWER, ANALYST, PIN, OWNER, SEALED = "answer", "analyst", "data", "owner", "sealed"
"""What entries are about; the last kind says when and how the ledger was sealed."""

PRINTED = 16
"""Letters of a seal that are shown to people."""

_CHANGED = {
    ANALYST: "the key or budget of {name!r} was changed",
    PIN: "the data or promises of {name!r} were changed",
    OWNER: "the owner's key was changed",
}
_OTHERS = {
    ANALYST: "the analysts in it are not those that were added",
    PIN: "the data sets in it are not those that were pinned",
}


class Head(NamedTuple):
    """The last entry: how many there are, and its seal."""

    number: int
    link: str

    def __str__(self) -> str:
        return f"{self.number}:{self.link[:PRINTED]}"


UNUSED = Head(0, "")
"""The head of a journal that was not begun."""


@dataclass
class State:
    """What the entries up to some head say: of each thing the latest."""

    head: Head = UNUSED
    things: dict[tuple[str, str], str] = field(default_factory=dict)

    def copy(self) -> State:
        """Copy it, for a transaction that may fail."""
        return State(self.head, dict(self.things))

    def ends(self) -> dict[str, tuple[int, str]]:
        """The number and seal of the last row of each book."""
        return {name: _end(content) for (kind, name), content in self.things.items() if kind == ANSWER}


def _end(content: str) -> tuple[int, str]:
    number, _, link = content.partition(" ")
    return int(number), link


class Journal:
    """The journal of a ledger; without a key nothing is noted or checked."""

    def __init__(self, database: Database, table: Any) -> None:
        self._database, self._table = database, table
        self._state = State()  # as it was committed
        self._turns: dict[Any, State] = {}  # as transactions will leave it that hold the journal
        self._lock = threading.RLock()
        self.chain = Chain(b"")
        self.witnesses: Sequence[HeadWitness] = ()

    @property
    def is_keyed(self) -> bool:
        """Whether anything is noted and checked."""
        return bool(self.chain.key)

    @property
    def state(self) -> State:
        """What was read and checked so far; other threads go on."""
        with self._lock:
            return self._state.copy()

    def begin_from(self, chain: Chain, state: State, witnesses: Sequence[HeadWitness]) -> None:
        """Use a key, and what was checked with it."""
        self.chain, self._state, self.witnesses = chain, state, witnesses

    # ------------------------------------------------------------------ reading

    def is_begun(self, connection: Any) -> bool:
        """Whether it has an entry."""
        sql, table = self._database.sql, self._table
        is_there = sql.inspect(connection).has_table(table.name)
        return is_there and connection.execute(sql.select(table.c.number).limit(1)).first() is not None

    def links(self, connection: Any) -> list[str]:
        """Check all entries from the first, and return their seals; what they say becomes the state."""
        state, links = State(), [""]
        self._follow(connection, state, links)
        self._state = state
        return links

    def _follow(self, connection: Any, state: State, links: list[str] | None = None) -> None:
        """Take on what was noted since; an error where an entry is missing or was changed."""
        table, before = self._table, state.head
        query = self._database.sql.select(table).where(table.c.number >= before.number).order_by(table.c.number)
        rows = [tuple(row) for row in connection.execute(query)]
        if before.number and (not rows or (rows[0][0], rows[0][4]) != before):
            raise DamagedError.of(f"it does not go through its entry {before.number} any more")
        for number, kind, name, content, link in rows[1 if before.number else 0 :]:
            expected = state.head.number + 1
            if number != expected or link != self.chain.entry(state.head.link, number, kind, name, content):
                raise DamagedError.of(f"entry {expected} of its journal is missing, or not what was written")
            state.head = Head(number, link)
            state.things[kind, name] = content
            if links is not None:
                links.append(link)

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """A transaction that only reads, in which things can be checked: it sees the database as it is at one moment."""
        with self._lock, self._database.reading() as connection:
            if self.is_keyed:
                self._follow(connection, self._state)
            yield connection

    def content(self, connection: Any, kind: str, name: str) -> str | None:
        """What was noted of a thing last."""
        return self._turns.get(connection, self._state).things.get((kind, name))

    def check(self, connection: Any, kind: str, name: str, *parts: str) -> None:
        """Raise DamagedError if a thing is not what was noted last; no parts are a thing that is not there."""
        if self.is_keyed and self.content(connection, kind, name) != self._seal(kind, parts):
            raise DamagedError.of(_CHANGED[kind].format(name=name))

    def check_all(self, connection: Any, kind: str, things: dict[str, tuple[str, ...]]) -> None:
        """Check every thing of a kind, and that there are no more and no fewer."""
        if {name for known, name in self._state.things if known == kind} != things.keys():
            raise DamagedError.of(_OTHERS[kind])
        for name, parts in things.items():
            self.check(connection, kind, name, *parts)

    def _seal(self, kind: str, parts: tuple[str, ...]) -> str | None:
        return digest(self.chain.key, kind.encode(), *(part.encode() for part in parts)) if parts else None

    def end_of(self, connection: Any, book: str) -> tuple[int, str]:
        """The number and seal of the last row of a book."""
        return _end(self.content(connection, ANSWER, book) or "0 ")

    # ------------------------------------------------------------------ writing

    @contextmanager
    def writing(self, *names: str) -> Iterator[Any]:
        """A transaction that writes; once it stands, and before anything is said of it, witnesses have seen the head."""
        state = None
        with self._database.writing(*names) as connection:
            try:
                yield connection
            finally:
                state = self._turns.pop(connection, None)
        if state is not None:
            with self._lock:
                if state.head.number > self._state.head.number:
                    self._state = state
            self._show(state.head)

    def lock(self, turn: Any) -> None:
        """Hold the journal until a transaction of `writing` ends; whoever needs rows of analysts takes them afterwards."""
        if turn in self._turns:
            return
        self._database.lock(turn, JOURNAL)
        if not self.is_keyed:
            if self.is_begun(turn):
                raise InputError("the ledger is sealed: only an agent that has its key can change it")
            return
        with self._lock:
            state = self._state.copy()
        self._follow(turn, state)
        for witness in self.witnesses:
            self._compare(turn, state, witness, witness.read())
        self._turns[turn] = state

    def hold(self, turn: Any) -> None:
        """Hold it while the ledger is opened: what it says was just read from the first entry on."""
        self._turns[turn] = self._state.copy()

    def note(self, turn: Any, kind: str, name: str, *parts: str) -> None:
        """Write down what a thing is from now on."""
        self.lock(turn)
        if not self.is_keyed:
            return
        state = self._turns[turn]
        content = " ".join(parts) if kind in (ANSWER, SEALED) else self._seal(kind, parts) or ""
        number = state.head.number + 1
        link = self.chain.entry(state.head.link, number, kind, name, content)
        row = {"number": number, "kind": kind, "name": name, "content": content, "link": link}
        turn.execute(self._table.insert().values(**row))
        state.head = Head(number, link)
        state.things[kind, name] = content

    # ------------------------------------------------------------------ witnesses

    def _compare(self, turn: Any, state: State, witness: HeadWitness, seen: Head | None) -> None:
        """Raise DamagedError if the ledger does not go through the head that a witness had seen before it was looked at."""
        if seen is None or not seen.number or seen == state.head:
            return
        reached = State(seen)
        with suppress(DamagedError):
            if seen.number < state.head.number:
                self._follow(turn, reached)
        if reached.head != state.head:
            raise witness.disagrees(seen, state.head)

    def show(self) -> None:
        """Let witnesses see what was committed, also by another server that ended before it could."""
        if self.witnesses:
            with self.reading():
                head = self._state.head
            self._show(head)

    def _show(self, head: Head) -> None:
        for witness in self.witnesses:
            seen = witness.see(head)
            if seen != head:  # another server was faster; or has a copy of the ledger
                with self.reading() as connection:
                    self._compare(connection, self._state, witness, seen)
