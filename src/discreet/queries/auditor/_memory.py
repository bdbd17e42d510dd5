"""What was told, in order, and the state that follows from it: offers are made from it, records are taken into it.

The state is a function of the transcript alone. It is brought up to date when a question first needs it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from discreet._typing import FloatArray
from discreet.queries.auditor._answer_cells import Cells
from discreet.queries.auditor._classes import System
from discreet.queries.auditor._declarations import SLACK
from discreet.queries.auditor._people import People, Row
from discreet.queries.auditor._resuming import Points, Told
from discreet.queries.auditor._transcript import Question, Record
from discreet.queries.auditor._witnesses import Extremes


class Engine(Protocol):
    """What the transcript says of the data, and how to go on from it: real-valued or whole numbers."""

    @property
    def system(self) -> System:
        """Classes of people and slabs of their sums."""

    def prospect(self, row: Row, key: bytes, error: Fraction) -> Any:
        """The range that a question can still take, with what is needed to cut it."""

    def cells(self, prospect: Any, error: Fraction) -> Cells:
        """The cells of a question."""

    def after(self, prospect: Any, key: bytes, cells: Cells, chosen: int) -> Engine:
        """The state once a cell has been told."""

    @property
    def told(self) -> Told:
        """What the transcript says, without what was searched for."""

    @property
    def points(self) -> Points:
        """What was searched for."""

    def resumed(self, told: Told, points: Points) -> Engine:
        """The state that these two were parts of."""

    def witness(self) -> FloatArray:
        """Sums of the classes, in steps, that every answer so far allows."""

    def extremes(self) -> Extremes:
        """What each class and each derived person can have at most and at least."""


@dataclass(frozen=True, eq=False)
class Offer:
    """The cells of a question after so many records."""

    after: int
    question: Question
    prospect: Any
    cells: Cells

    def fits(self, records: int, question: Question) -> bool:
        """Whether it is for this question, now."""
        mine = self.question
        return self.after == records and mine.error == question.error and mine.key == question.key


class Folded(Protocol):
    """What a memory needs of a state."""

    def cells(self, prospect: Any, error: Fraction) -> Cells:
        """The cells of a question."""

    def after(self, prospect: Any, key: bytes, cells: Cells, chosen: int) -> Self:
        """The state once a cell has been told."""


State = TypeVar("State", bound=Folded)


class Transcript(ABC, Generic[State]):
    """What was told, whatever it was about, and the state that follows from it."""

    def __init__(self, engine: State) -> None:
        self.engine = engine
        self.records: list[Record] = []
        self.folded = 0
        self._same: dict[tuple[bytes, Fraction], Record] = {}
        self._finest: dict[bytes, Record] = {}
        self._offered: Offer | None = None

    @property
    def bits(self) -> float:
        """Spent so far: the sum of log2 of the cells offered, a Kraft length that bounds I* along every path."""
        return math.fsum(math.log2(len(record.cells)) for record in self.records if record.cuts)

    def facts(self) -> list[tuple[str, str, str]]:
        """How much was asked and what it told, for people."""
        told = sum(record.cuts for record in self.records)
        return [
            ("questions", f"{len(self.records):,}", f"answered; {told:,} of them told something new"),
            ("bits", f"{self.bits:.4g}", "spent: log2 of the cells offered, added up"),
        ]

    def state(self) -> State:
        """What everything that was told leaves possible."""
        self._fold()
        return self.engine

    def known(self, question: Question) -> Record | None:
        """The reply that this question had, or an answer about the same members that is fine enough for it."""
        same = self._same.get((question.key, question.error))
        if same is not None:
            return same
        finest = self._finest.get(question.key)
        if finest is None:
            return None
        low, high = finest.cells.ends(finest.chosen)
        return finest if high - low <= 2 * question.error else None

    def offer(self, question: Question) -> Offer:
        """The cells of a new question; the last offer is kept, so that pricing and then asking costs once."""
        last = self._offered
        if last is not None and last.fits(len(self.records), question):
            return last
        self._fold()
        prospect = self._prospect(question)
        cells = self.engine.cells(prospect, question.error)
        self._offered = Offer(len(self.records), question, prospect, cells)
        return self._offered

    def _remember(self, record: Record) -> None:
        self.records.append(record)
        self._same[record.question.key, record.question.error] = record
        if record.cuts:
            self._finest[record.question.key] = record

    def _fold(self, offer: Offer | None = None) -> None:
        """Take what was told since the last time into the state, a function of the transcript only."""
        for record in self.records[self.folded :]:
            question = record.question
            if record.cuts:
                prospect = offer.prospect if offer else self._prospect(question)
                self.engine = self.engine.after(prospect, question.key, record.cells, record.chosen)
            self.folded += 1

    def take(self, record: Record, offer: Offer | None) -> None:
        """It is told: remember it; `offer` is what it was chosen from."""
        self._remember(record)
        self._fold(offer)

    def fork(self) -> Self:
        """A memory of its own that begins with everything in this one; states are never changed, so they are shared."""
        twin = copy(self)
        twin.records, twin._same, twin._finest = [*self.records], {**self._same}, {**self._finest}
        return twin

    def witnesses(self) -> bytes:
        """What spares another auditor that follows this one its searches."""
        return self._kept(self.state())

    def follow(self, records: list[Record], witnesses: bytes | None) -> None:
        """Take on what another auditor of the same people has told since; witnesses are checked and spare the searches."""
        for record in records:
            self._remember(record)
            self._offered = None
        if witnesses is None:
            return
        state = self._resumed(self.records[self.folded :], witnesses)
        if state is not None:
            self.engine, self.folded = state, len(self.records)

    @abstractmethod
    def fits(self, values: Any) -> bool:
        """Whether the data are what the earlier answers were about."""

    @abstractmethod
    def _prospect(self, question: Question) -> Any:
        """What a question can still be."""

    @abstractmethod
    def _kept(self, state: State) -> bytes:
        """The witnesses of a state."""

    @abstractmethod
    def _resumed(self, records: Sequence[Record], witnesses: bytes) -> State | None:
        """The state after more records, by witnesses that are checked; None where they do not fit."""


class Memory(Transcript[Engine]):
    """The transcript of questions about numbers."""

    def __init__(self, people: People, engine: Engine) -> None:
        super().__init__(engine)
        self.people = people

    def _prospect(self, question: Question) -> Any:
        row = self.people.sum_row(question.members, question.weights)
        return self.engine.prospect(row, question.key, question.error)

    def fits(self, values: FloatArray) -> bool:
        """Whether the data are what the earlier answers were about, to rounding."""
        system = self.engine.system
        chosen = system.class_of >= 0
        steps = self.people.in_steps(values)[chosen]
        sums = system.sums(np.bincount(system.class_of[chosen], steps, system.n).astype(np.float64))
        length = np.diff(system.indptr)
        reach = np.bincount(system.rows, np.abs(system.weights) * np.repeat(system.total, length), system.n_rows)
        # A value may lie between an end of its slab and the last step of the grid within it.
        slack = (0 if self.people.integral else 1) + SLACK * (1 + reach)
        return bool((sums >= system.floor - slack).all() and (sums <= system.ceiling + slack).all())

    def _kept(self, state: Engine) -> bytes:
        return state.points.to_bytes()

    def _resumed(self, records: Sequence[Record], witnesses: bytes) -> Engine | None:
        told = self.engine.told.followed(records)
        points = Points.from_bytes(witnesses, told.system)
        return None if points is None else self.engine.resumed(told, points)
