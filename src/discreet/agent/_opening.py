"""How a ledger is opened with its key: everything in it is compared with its seals, and a new one is sealed.

A key seals one ledger. It never takes an empty one, an unsealed one or a shorter one for that: a new ledger is begun where the
key is new, too, and everything else is refused until the owner says otherwise (`discreet serve --seal`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.agent._before import check_heads, reordering
from discreet.agent._chain import Chain, DamagedError
from discreet.agent._database import JOURNAL, SETTING_UP
from discreet.agent._head_witness import HeadWitness
from discreet.agent._journal import ANALYST, ANSWER, OWNER, PIN, SEALED, UNUSED, Head, State
from discreet.agent._registry import analyst_parts
from discreet.agent._rows import Answer, row_of
from discreet.agent._sealing import BEFORE, SCHEMA, UNSEALED, Sealed
from discreet.errors import DiscreetError, InputError

if TYPE_CHECKING:
    from discreet.agent._holdings import Holding

NO_LEDGER = (
    "the ledger is empty, and its key was there before: the key may have sealed a ledger that was lost, so restore that; to "
    "begin a new one, move the key away, or see what `discreet serve --seal` does"
)
SHOWN = 5
"""Analysts whose budgets are named when they are sealed as found."""

Seen = tuple[HeadWitness, Head | None]


@dataclass(frozen=True)
class Opening:
    """What is known outside the ledger when it is opened with its key."""

    witnesses: Sequence[HeadWitness] = ()  # the one beside the key first
    written: Sequence[Head] = ()  # heads that people have on paper
    accept: bool = False  # whether the owner has said to seal it as it is found
    holdings: Mapping[str, Holding] | None = None
    key_of: Callable[[Answer], str] | None = None  # how a question is called in the order that people are held in

    def seen(self) -> list[Seen]:
        """What each witness has seen by now."""
        return [(witness, witness.read()) for witness in self.witnesses]


class Opened(Sealed):
    """A ledger that is opened with its key."""

    def use_key(self, key: bytes, known: Opening | None = None) -> None:
        """Tie the ledger to the key of its fingerprints and seals, and compare everything in it with its seals.

        A ledger that is new is sealed, one of discreet 0.1.0 that is as it was sealed is brought up to date, and every other
        one that lacks a seal, or ends before a witness, is refused. Opened for reading only, it is left as it is.
        """
        chain, known = Chain(key), known or Opening()
        # What the owner has accepted is not held against what witnesses have seen: they are told afterwards.
        self._journal.begin_from(chain, State(), () if known.accept else known.witnesses)
        if self._database.read_only:
            seen = known.seen()  # before the ledger is looked at: others may go on writing to both
            with self._database.reading() as connection:
                self._open(connection, chain, known, seen)
        else:
            with self._journal.writing(SETTING_UP) as connection:
                self._database.lock(connection, JOURNAL)
                self._schema = self._fact(connection, "schema")  # another server may have brought it up to date
                self._open(connection, chain, known, known.seen())
        if known.accept:
            for witness in known.witnesses:
                witness.see(self._journal.state.head, anew=True)
            self._journal.begin_from(chain, self._journal.state, known.witnesses)

    def _open(self, connection: Any, chain: Chain, known: Opening, seen: Sequence[Seen]) -> None:
        mark = self._fact(connection, "fingerprints")
        if mark is not None and mark != chain.mark:
            raise InputError("the key of the fingerprints is not the one that this ledger began with: put it back")
        is_sealed = self._schema == SCHEMA and self._journal.is_begun(connection)
        links = self._journal.links(connection) if is_sealed else [""]
        if is_sealed:
            self._check(connection, chain)
        problem = _seen_otherwise(links, seen, known.written)
        if problem is not None and not known.accept:
            raise problem
        if is_sealed and problem is None:
            if not self._database.read_only:
                self._journal.hold(connection)  # witnesses that lag, or know nothing yet, see its head
                self.notes += [
                    f"{witness.place} is a witness of the ledger from now on" for witness, at in seen if at is None
                ]
            return
        how = "accepted" if is_sealed else self._how_to_seal(connection, chain, known, seen)
        if not self._database.read_only:
            self._seal(connection, chain, known, how)

    def _check(self, connection: Any, chain: Chain) -> None:
        """Compare all that is there with the journal."""
        chain.check(self._linked(self._sql.true(), connection), self._journal.state.ends())
        analysts = connection.execute(self._sql.select(self._analysts)).all()
        self._journal.check_all(connection, ANALYST, {row.name: analyst_parts(row._mapping) for row in analysts})
        pins = self._pins.read(connection)
        self._journal.check_all(connection, PIN, {name: (pin.to_json(),) for name, pin in pins.items()})
        owner = self._fact(connection, "owner_key_hash")
        self._journal.check(connection, OWNER, "", *([] if owner is None else [owner]))

    def _how_to_seal(self, connection: Any, chain: Chain, known: Opening, seen: Sequence[Seen]) -> str:
        """Why a ledger without a journal may be sealed now; an error where it may not."""
        rows = self._linked(self._sql.true(), connection)
        if self._schema == BEFORE and self._fact(connection, "sealed") is not None:
            check_heads(connection, self._sql, chain, rows)
            return "0.1.0"
        tables = (self._analysts, *self._pins.tables)
        is_empty = not rows and all(
            connection.execute(self._sql.select(table).limit(1)).first() is None for table in tables
        )
        if known.accept:
            return "accepted"
        if is_empty and self._fact(connection, "owner_key_hash") is None:
            if not seen or seen[0][1] == UNUSED:  # the witness beside the key: the key has sealed none before
                return "new"
            raise InputError(NO_LEDGER)
        raise InputError(
            f"the ledger holds {len(rows):,} answers and no seal: somebody may have taken it away, or it was written before "
            "there were seals: restore it, or see what `discreet serve --seal` does"
        )

    def _seal(self, connection: Any, chain: Chain, known: Opening, how: str) -> None:
        """Seal all that is there."""
        if how == "accepted" and self._journal.state.head.number:  # all as it was sealed, but shorter than it was
            self._journal.hold(connection)
            self._journal.note(connection, SEALED, how)
            self._tell(connection, how, "")
            return
        if self._fact(connection, "fingerprints") is None:
            connection.execute(self._facts.insert().values(name="fingerprints", value=chain.mark))
        if self._schema == UNSEALED:
            self._execute(
                connection, f"ALTER TABLE {self._answers.name} ADD COLUMN link VARCHAR(64) DEFAULT '' NOT NULL"
            )
        self._execute(
            connection, "DROP TABLE IF EXISTS discreet_heads"
        )  # a server of 0.1.0 that still runs cannot go on
        connection.execute(self._facts.delete().where(self._facts.c.name == "sealed"))
        connection.execute(self._facts.update().where(self._facts.c.name == "schema").values(value=SCHEMA))
        self._schema = SCHEMA
        self._journal.hold(connection)
        self._journal.note(connection, SEALED, how)
        moved = self._moved(connection, known) if how != "new" else {}
        ends = dict[str, str]()
        for answer, old in self._linked(self._sql.true(), connection):
            row = moved.get((answer.book, answer.number), answer)
            link = chain.link(ends.get(answer.book, ""), row)
            if link != old:
                here = (self._answers.c.book == answer.book) & (self._answers.c.number == answer.number)
                connection.execute(self._answers.update().where(here).values(**row_of(row), link=link))
            ends[answer.book] = link
            self._journal.note(connection, ANSWER, answer.book, str(answer.number), link)
        for row in connection.execute(self._sql.select(self._analysts).order_by(self._analysts.c.name)).all():
            self._journal.note(connection, ANALYST, row.name, *analyst_parts(row._mapping))
        for name, pin in self._pins.read(connection).items():
            self._journal.note(connection, PIN, name, pin.to_json())
        owner = self._fact(connection, "owner_key_hash")
        if owner is not None:
            self._journal.note(connection, OWNER, "", owner)
        self._tell(connection, how, "moved" if moved else "")

    def _moved(self, connection: Any, known: Opening) -> dict[tuple[str, int], Answer]:
        """Rows in the order that people are held in now, where they were in one of private values."""
        pins, rows = self._pins.read(connection), [answer for answer, _ in self._linked(self._sql.true(), connection)]
        if known.holdings is None or known.key_of is None:
            return {}
        for holding in known.holdings.values():
            self._pins.check(connection, holding.pin(self._journal.chain.key))
        moved = reordering(rows, pins, known.holdings, known.key_of)
        for book in {book for book, _ in moved}:
            connection.execute(self._witnesses.delete().where(self._witnesses.c.book == book))
        return moved

    def _tell(self, connection: Any, how: str, moved: str) -> None:
        """Say what was sealed, and as what it was found."""
        answers = connection.execute(self._sql.select(self._sql.func.count()).select_from(self._answers)).scalar()
        query = self._sql.select(self._analysts).order_by(self._analysts.c.name)
        budgets = [f"{row.name} has {row.budget:g} bits" for row in connection.execute(query)]
        promises = [
            f"{column.name} in {name} keeps {column.declared['keep']:g}"
            for name, pin in self._pins.read(connection).items()
            for column in pin.columns
            if column.declared
        ]
        more = [f"and {len(budgets) - SHOWN:,} more"] if len(budgets) > SHOWN else []
        found = "; ".join([*promises, *budgets[:SHOWN], *more]) or "nothing else"
        self.notes.append(
            {
                "new": "the ledger is new, and sealed by its key from now on: keep the key",
                "0.1.0": f"the ledger was written by discreet 0.1.0: its {answers:,} answers are as they were sealed; promises "
                f"and budgets were not sealed then, and are from now on, as they are found: {found}",
                "accepted": f"the ledger is sealed as it was found, with {answers:,} answers: {found}; if there were more "
                "answers, what they told is not counted any more",
            }[how]
        )
        if moved:
            self.notes.append(
                "who is in a group was stored in an order of private values, and is in one of public values from now on: "
                "delete older copies of the ledger"
            )

    def _execute(self, connection: Any, statement: str) -> None:
        connection.execute(self._sql.text(statement))

    def watched_by(self, places: Sequence[str], key: bytes) -> list[HeadWitness]:
        """Witnesses of this ledger at several places; they are closed with it."""
        for place in places:
            self._watching.append(HeadWitness(place, Chain(key).mark, read_only=self._database.read_only))
        return self._watching

    def has_key(self) -> bool:
        """Whether it was tied to a key."""
        with self._database.reading() as connection:
            return self._fact(connection, "fingerprints") is not None


def _seen_otherwise(links: Sequence[str], seen: Sequence[Seen], written: Sequence[Head]) -> DiscreetError | None:
    """How the entries of the journal differ from what witnesses have seen of them."""
    head = Head(len(links) - 1, links[-1])
    for witness, at in seen:
        if at is not None and (at.number > head.number or links[at.number] != at.link):
            return witness.disagrees(at, head)
    for at in written:
        if at.number > head.number or not links[at.number].startswith(at.link):
            return DamagedError(
                f"the ledger was put back, or is a copy: it ends at {head}, and does not go through {at}: restore the latest "
                "one"
            )
    return None
