"""The auditor: many deterministic answers about one data set, and everybody keeps an interval (AUDITOR.md).

One quantised answer is safe [DQ]; ten are not. The auditor knows everything it has said so far. It cuts the range that
a new question can still take into cells no wider than twice the error, merges cells that would leave somebody with
less than was promised, and answers with the cell of the true value. The cells depend only on past questions and
answers, so they reveal nothing by themselves.

The promise is about what can be excluded, not about probability, and it does not cover an adversary who already
knows other people's values: what is known publicly must be declared, as bounds or as prior rows. Analysts who may
talk to each other share one auditor. Its capacity is finite: an analyst can use it up, so give each a quota of bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.queries._pictures import auditor_figure, fact_table
from discreet.queries.auditor._answer_cells import Cells
from discreet.queries.auditor._classes import System
from discreet.queries.auditor._declarations import (
    SLACK,
    check_recorded,
    checked_aggregate,
    checked_bounds,
    checked_data,
    checked_error,
    checked_members,
    checked_step,
    checked_weights,
)
from discreet.queries.auditor._lattices import around, ceiling, floor
from discreet.queries.auditor._people import People, PriorRow, Row
from discreet.queries.auditor._reals import Real
from discreet.queries.auditor._resuming import Points, Told
from discreet.queries.auditor._transcript import NOT_WRITTEN, Price, Question, Record, Reply
from discreet.queries.auditor._whole_numbers import Integral
from discreet.queries.auditor._witnesses import Extremes, personal_intervals, shared_out
from discreet.tables._checksum import read_sealed, write_sealed

VERSION = 2
"""Of what `to_dict` writes."""


class _Engine(Protocol):
    """What the transcript says of the data, and how to go on from it: real-valued or whole numbers."""

    @property
    def system(self) -> System:
        """Classes of people and slabs of their sums."""

    def prospect(self, row: Row, key: bytes, error: Fraction) -> Any:
        """The range that a question can still take, with what is needed to cut it."""

    def cells(self, prospect: Any, error: Fraction) -> Cells:
        """The cells of a question."""

    def after(self, prospect: Any, key: bytes, cells: Cells, chosen: int) -> _Engine:
        """The state once a cell has been told."""

    @property
    def told(self) -> Told:
        """What the transcript says, without what was searched for."""

    @property
    def points(self) -> Points:
        """What was searched for."""

    def resumed(self, told: Told, points: Points) -> _Engine:
        """The state that these two were parts of."""

    def witness(self) -> FloatArray:
        """Sums of the classes, in steps, that every answer so far allows."""

    def extremes(self) -> Extremes:
        """What each class and each derived person can have at most and at least."""


@dataclass(frozen=True, eq=False)
class _Offer:
    """The cells of a question after so many records."""

    after: int
    question: Question
    prospect: Any
    cells: Cells

    def fits(self, records: int, question: Question) -> bool:
        """Whether it is for this question, now."""
        mine = self.question
        return self.after == records and mine.error == question.error and mine.key == question.key


@dataclass(eq=False)
class Draft:
    """A reply that was not given yet: the auditor knows nothing of it until it is taken."""

    reply: Reply
    record: Record | None  # what is to be remembered; None where nothing is
    after: int
    offer: _Offer | None = None
    engine: _Engine | None = None


class Auditor:
    """Answers linear questions about one data set so that everybody keeps an interval of possible values.

    Whatever the data, however many questions and however many analysts put their answers together: for each person
    the values that all answers so far leave possible span at least `keep` (for recorded steps: two possible values
    at least `keep` apart). Questions that would break this are answered more coarsely.

    Parameters
    ----------
    lower, upper
        Public bounds of each person's value, one entry per person.
    keep
        The length that each person keeps, at most upper - lower; one number or one per person.
    step
        The step in which values are recorded: each is its lower bound plus a whole multiple of it, everybody knows that,
        and witnesses lie there too. 0 declares a continuum. With None, data that lie on a decimal lattice are refused with
        the step that was found, and others are taken as continuous.
    integral
        Whole-number data, such as 0/1 columns: step=1.
    prior
        What else is publicly known: rows (weights by person, low, high) that say low <= sum of weight x value <= high.

    Raises
    ------
    InputError
        For bounds, lengths or prior rows that cannot be.

    Examples
    --------
    >>> auditor = Auditor([0, 0], [1, 1], keep=0.6, step=0)
    >>> auditor.offer([0, 1], "sum", error=0.25)
    [(0.0, 1.0), (1.0, 2.0)]
    >>> reply = auditor.ask([0, 1], "sum", error=0.25, data=[0.25, 0.5])
    >>> reply.answer, reply.error, reply.bits
    (0.5, 0.5, 1.0)
    """

    def __init__(
        self,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        *,
        keep: npt.ArrayLike = 0.2,
        step: float | Fraction | None = None,
        integral: bool = False,
        prior: Sequence[PriorRow] = (),
    ) -> None:
        self._step = checked_step(step, integral)
        declared = checked_bounds(lower, upper, keep, self._step or Fraction(0), prior, integral=integral)
        self._people = People.declare(*declared)
        self._prior = [
            ({int(p): float(w) for p, w in row.items()}, float(low), float(high)) for row, low, high in prior
        ]
        self._engine: _Engine = (Integral if self._step else Real).start(self._people)
        self._records: list[Record] = []
        self._folded = 0
        self._memory: dict[tuple[bytes, Fraction], Record] = {}
        self._finest: dict[bytes, Record] = {}
        self._offered: _Offer | None = None

    def __repr__(self) -> str:
        return f"Auditor({self._people.n} people, {len(self._records)} questions, {self.bits:.4g} bits)"

    def _repr_html_(self) -> str:
        people, told = self._people, sum(record.cuts for record in self._records)
        least, most = float(people.keep.min()), float(people.keep.max())
        kept = f"{least:g}" if least == most else f"{least:g} to {most:g}"
        what = (
            "two possible recorded values so far apart" if people.integral else "an interval of possible values so long"
        )
        rows = [
            ("people", f"{people.n:,}", f"values from {people.lower.min():g} to {people.upper.max():g}"),
            ("keep", kept, f"everybody keeps {what}, whatever was asked"),
            ("questions", f"{len(self._records):,}", f"answered; {told:,} of them told something new"),
            ("bits", f"{self.bits:.4g}", "spent: log2 of the cells offered, added up"),
        ]
        return fact_table("auditor", rows)

    @property
    def bits(self) -> float:
        """Spent so far: the sum of log2 of the cells offered, a Kraft length that bounds I* along every path."""
        return math.fsum(math.log2(len(record.cells)) for record in self._records if record.cuts)

    def offer(
        self,
        members: npt.ArrayLike,
        aggregate: str = "mean",
        *,
        error: float = 0.01,
        weights: npt.ArrayLike | None = None,
    ) -> list[tuple[float, float]]:
        """The cells that a question would be offered, in the aggregate's units; it is not asked.

        They depend on the questions and answers so far, never on the data.
        """
        question = self._question(members, aggregate, error, weights)
        known = self._known(question)
        return (known or self._offer(question)).cells.listed(question.divisor)

    def price(
        self,
        members: npt.ArrayLike,
        aggregate: str = "mean",
        *,
        error: float = 0.01,
        weights: npt.ArrayLike | None = None,
    ) -> Price:
        """What a question would cost; it is not asked."""
        question = self._question(members, aggregate, error, weights)
        known = self._known(question)
        cells = len((known or self._offer(question)).cells)
        return Price(cells, math.log2(cells) if known is None else 0.0)

    def most_cells(
        self,
        members: npt.ArrayLike,
        aggregate: str = "mean",
        *,
        error: float = 0.01,
        weights: npt.ArrayLike | None = None,
    ) -> int:
        """No history offers a question more cells than this: what its declared bounds and its error allow."""
        question = self._question(members, aggregate, error, weights)
        row = self._row(question)
        reach = int(np.abs(row.weights) @ self._people.steps) * self._people.unit / row.scale
        if self._step:
            return math.ceil((reach / self._step + 1) / (math.floor(2 * question.error / self._step) + 1))
        return math.ceil(reach / (2 * question.error)) + 1

    def ask(
        self,
        members: npt.ArrayLike,
        aggregate: str = "mean",
        *,
        error: float = 0.01,
        data: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
    ) -> Reply:
        """Answer a question about the data.

        Parameters
        ----------
        members
            Indices of the people asked about, chosen by public attributes.
        aggregate
            "mean", "sum", or "count" (of 0/1 data).
        error
            The worst-case error wanted, in the aggregate's units; the reply says what it became.
        data
            Everybody's value.
        weights
            What each member's value counts, from public attributes: a sum of weight x value, whose mean is over members.

        Raises
        ------
        InputError
            For what cannot be asked, and for data that do not fit the bounds, the prior rows or earlier answers; no value
            is shown.
        """
        draft = self.draft(members, aggregate, error=error, data=data, weights=weights)
        self.take(draft)
        return draft.reply

    def draft(
        self,
        members: npt.ArrayLike,
        aggregate: str = "mean",
        *,
        error: float = 0.01,
        data: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
    ) -> Draft:
        """The reply that `ask` would give, without giving it: whoever cannot write it down drops it, and nothing was said."""
        question = self._question(members, aggregate, error, weights)
        if data is None:
            raise InputError("data are needed to answer: give everybody's value, or use offer or price")
        values = checked_data(self._people, data)
        check_recorded(self._step, self._people, values)
        known, offer = self._known(question), None
        remembered: Record | None
        if known is None:
            offer = self._offer(question)
            chosen = offer.cells.find(self._people.sum_of(values, question.members, question.weights))
            if chosen is None or not self._fits(values):
                raise InputError("data do not fit the answers given before: changed data are a new data set")
            record = remembered = Record(question, offer.cells, chosen, free=False)
        else:
            record = Record(question, known.cells, known.chosen, free=True)
            remembered = record if known.question.error != question.error else None
        low, high = (end / question.divisor for end in record.cells.ends(record.chosen))
        middle, error_of_it = around(low, high)
        reply = Reply(
            middle if len(record.cells) > 1 else None,
            error_of_it,
            (floor(low), ceiling(high)),
            record.cells.listed(question.divisor),
            math.log2(len(record.cells)) if not record.free else 0.0,
        )
        return Draft(reply, remembered, len(self._records), offer)

    def witnesses_after(self, draft: Draft) -> bytes | None:
        """What spares another auditor the searches of this one, once the draft is told; None where it tells nothing new."""
        record = draft.record
        if record is None or not record.cuts or draft.offer is None:
            return None
        self._fold()
        if draft.engine is None:
            cells, question = record.cells, record.question
            draft.engine = self._engine.after(draft.offer.prospect, question.key, cells, record.chosen)
        return draft.engine.points.to_bytes()

    def take(self, draft: Draft) -> None:
        """The draft was told: remember it."""
        if draft.after != len(self._records):
            raise InputError("something else was told since this was drafted: draft it again")
        if draft.record is None:
            return
        self._remember(draft.record)
        if draft.engine is not None:
            self._engine, self._folded = draft.engine, len(self._records)
        else:
            self._fold(draft.offer)

    def intervals(self, side: Literal["inner", "outer"] = "inner") -> FloatArray:
        """What each person still keeps, shape (n, 2).

        "inner": every value in it is possible, proven by witnesses (for integral data: both ends are). "outer": nothing
        outside it is possible, proven by multipliers. The true interval lies between; the two meet to about 1e-6 of the
        range except in systems too large to solve for everyone, where both remain proven.
        """
        if side not in ("inner", "outer"):
            raise InputError(f'side is "inner" or "outer", not {side!r}')
        self._fold()
        return personal_intervals(self._engine.system, self._engine.extremes(), side)

    def witness(self) -> FloatArray:
        """A data set that every answer so far allows, strictly inside all cells: as data it would have had the same replies."""
        self._fold()
        return shared_out(self._engine.system, self._engine.witness())

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values that JSON holds exactly: what was declared, and the transcript; no private value."""
        people = self._people
        return {
            "version": VERSION,
            "lower": people.lower.tolist(),
            "upper": people.upper.tolist(),
            "keep": people.keep.tolist(),
            "step": None if self._step is None else str(self._step),
            "prior": [[sorted(row.items()), low, high] for row, low, high in self._prior],
            "records": [record.to_dict() for record in self._records],
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Auditor:
        """The auditor that `to_dict` described: it replies to everything as that one would have.

        The transcript is followed again when a new question first needs it; what was told is taken as told.
        """
        if not isinstance(said, Mapping):
            raise InputError(NOT_WRITTEN)
        if said.get("version") != VERSION:
            raise InputError(
                f"this transcript has version {said.get('version')!r}: this program reads version {VERSION}"
            )
        try:
            prior = [({int(p): float(w) for p, w in row}, low, high) for row, low, high in said["prior"]]
            lower, upper, keep = (said[name] for name in ("lower", "upper", "keep"))
            step = None if said["step"] is None else Fraction(said["step"])
            records = list(said["records"])
        except (TypeError, ValueError, KeyError):
            raise InputError(NOT_WRITTEN) from None
        auditor = cls(lower, upper, keep=keep, step=step, prior=prior)
        auditor.follow(records)
        return auditor

    def save(self, path: str | Path) -> None:
        """Write what was declared and the transcript, whole or not at all."""
        write_sealed(path, {"auditor": VERSION, **self.to_dict()})

    @classmethod
    def load(cls, path: str | Path) -> Auditor:
        """Read what `save` wrote: the auditor replies to everything as the one that was saved would have."""
        return cls.from_dict(read_sealed(path, "auditor", schema=VERSION, what="an auditor's transcript"))

    def plot(self) -> Any:
        """What everybody still keeps, from the least, beside what was promised, as a matplotlib figure."""
        return auditor_figure(np.diff(self.intervals())[:, 0], self._people.keep)

    @property
    def records(self) -> tuple[Record, ...]:
        """The transcript: every question that was answered, in order."""
        return tuple(self._records)

    def follow(self, said: Iterable[Mapping[str, Any]], witnesses: bytes | None = None) -> None:
        """Take on what another auditor of the same people has told since, as `Record.to_dict` wrote it.

        `witnesses`, as `witnesses_after` of the last of them wrote them, are checked and spare the searches.
        """
        records = [Record.from_dict(each, self._people.n) for each in said]
        for record in records:
            self._remember(record)
            self._offered = None
        told = self._engine.told.followed(self._records[self._folded :]) if witnesses is not None else None
        points = Points.from_bytes(witnesses, told.system) if told is not None and witnesses is not None else None
        if told is not None and points is not None:
            self._engine, self._folded = self._engine.resumed(told, points), len(self._records)

    def _question(
        self, members: npt.ArrayLike, aggregate: str, error: float, weights: npt.ArrayLike | None
    ) -> Question:
        checked_aggregate(aggregate, self._people)
        chosen, n = checked_members(members, self._people.n), self._people.n
        divisor = len(chosen) if aggregate == "mean" else 1
        if weights is None:
            return Question(chosen, n, checked_error(error) * divisor, divisor)
        if aggregate == "count":
            raise InputError('"count" has no weights: ask for the sum')
        chosen, whole, unit = checked_weights(members, weights)
        per_unit = divisor / unit
        return Question(chosen, n, checked_error(error) * per_unit, per_unit, None if (whole == 1).all() else whole)

    def _known(self, question: Question) -> Record | None:
        """The reply that this question had, or an answer about the same members that is fine enough for it."""
        same = self._memory.get((question.key, question.error))
        if same is not None:
            return same
        finest = self._finest.get(question.key)
        if finest is None:
            return None
        low, high = finest.cells.ends(finest.chosen)
        return finest if high - low <= 2 * question.error else None

    def _offer(self, question: Question) -> _Offer:
        """The cells of a new question; the last offer is kept, so that pricing and then asking costs once."""
        last = self._offered
        if last is not None and last.fits(len(self._records), question):
            return last
        self._fold()
        prospect = self._engine.prospect(self._row(question), question.key, question.error)
        cells = self._engine.cells(prospect, question.error)
        self._offered = _Offer(len(self._records), question, prospect, cells)
        return self._offered

    def _row(self, question: Question) -> Row:
        return self._people.sum_row(question.members, question.weights)

    def _remember(self, record: Record) -> None:
        self._records.append(record)
        self._memory[record.question.key, record.question.error] = record
        if record.cuts:
            self._finest[record.question.key] = record

    def _fold(self, offer: _Offer | None = None) -> None:
        """Take what was told since the last time into the state, a function of the transcript only."""
        for record in self._records[self._folded :]:
            question = record.question
            if record.cuts:
                prospect = offer.prospect if offer else None
                if prospect is None:
                    prospect = self._engine.prospect(self._row(question), question.key, question.error)
                self._engine = self._engine.after(prospect, question.key, record.cells, record.chosen)
            self._folded += 1

    def _fits(self, values: FloatArray) -> bool:
        """Whether the data are what the earlier answers were about, to rounding."""
        system = self._engine.system
        chosen = system.class_of >= 0
        steps = self._people.in_steps(values)[chosen]
        sums = system.sums(np.bincount(system.class_of[chosen], steps, system.n).astype(np.float64))
        length = np.diff(system.indptr)
        reach = np.bincount(system.rows, np.abs(system.weights) * np.repeat(system.total, length), system.n_rows)
        # A value may lie between an end of its slab and the last step of the grid within it.
        slack = (0 if self._people.integral else 1) + SLACK * (1 + reach)
        return bool((sums >= system.floor - slack).all() and (sums <= system.ceiling + slack).all())
