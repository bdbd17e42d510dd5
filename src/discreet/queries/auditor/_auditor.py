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
from copy import copy
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.queries._pictures import auditor_figure, fact_table
from discreet.queries.auditor._declarations import (
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
from discreet.queries.auditor._memory import Memory
from discreet.queries.auditor._people import People, PriorRow
from discreet.queries.auditor._reals import Real
from discreet.queries.auditor._transcript import NOT_WRITTEN, Price, Question, Record, Reply
from discreet.queries.auditor._whole_numbers import Integral
from discreet.queries.auditor._witnesses import personal_intervals, shared_out
from discreet.tables._checksum import read_sealed, write_sealed

VERSION = 2
"""Of what `to_dict` writes."""


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
        self._memory = Memory(self._people, (Integral if self._step else Real).start(self._people))

    def __repr__(self) -> str:
        return f"Auditor({self._people.n} people, {len(self._memory.records)} questions, {self.bits:.4g} bits)"

    def _repr_html_(self) -> str:
        people = self._people
        least, most = float(people.keep.min()), float(people.keep.max())
        kept = f"{least:g}" if least == most else f"{least:g} to {most:g}"
        what = (
            "two possible recorded values so far apart" if people.integral else "an interval of possible values so long"
        )
        rows = [
            ("people", f"{people.n:,}", f"values from {people.lower.min():g} to {people.upper.max():g}"),
            ("keep", kept, f"everybody keeps {what}, whatever was asked"),
            *self._memory.facts(),
        ]
        return fact_table("auditor", rows)

    @property
    def bits(self) -> float:
        """Spent so far: the sum of log2 of the cells offered, a Kraft length that bounds I* along every path."""
        return self._memory.bits

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
        known = self._memory.known(question)
        return (known or self._memory.offer(question)).cells.listed(question.divisor)

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
        known = self._memory.known(question)
        cells = len((known or self._memory.offer(question)).cells)
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
        row = self._people.sum_row(question.members, question.weights)
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
        question = self._question(members, aggregate, error, weights)
        if data is None:
            raise InputError("data are needed to answer: give everybody's value, or use offer or price")
        values = checked_data(self._people, data)
        check_recorded(self._step, self._people, values)
        known, offer = self._memory.known(question), None
        remembered: Record | None
        if known is None:
            offer = self._memory.offer(question)
            chosen = offer.cells.find(self._people.sum_of(values, question.members, question.weights))
            if chosen is None or not self._memory.fits(values):
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
        if remembered is not None:
            self._memory.take(remembered, offer)
        return reply

    def fork(self) -> Auditor:
        """Another auditor that knows the same: what it is asked, this one does not know, as long as nobody was told."""
        twin = copy(self)
        twin._memory = self._memory.fork()
        return twin

    def witnesses(self) -> bytes:
        """What spares another auditor that follows this one its searches."""
        return self._memory.witnesses()

    def intervals(self, side: Literal["inner", "outer"] = "inner") -> FloatArray:
        """What each person still keeps, shape (n, 2).

        "inner": every value in it is possible, proven by witnesses (for integral data: both ends are). "outer": nothing
        outside it is possible, proven by multipliers. The true interval lies between; the two meet to about 1e-6 of the
        range except in systems too large to solve for everyone, where both remain proven.
        """
        if side not in ("inner", "outer"):
            raise InputError(f'side is "inner" or "outer", not {side!r}')
        engine = self._memory.state()
        return personal_intervals(engine.system, engine.extremes(), side)

    def witness(self) -> FloatArray:
        """A data set that every answer so far allows, strictly inside all cells: as data it would have had the same replies."""
        engine = self._memory.state()
        return shared_out(engine.system, engine.witness())

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
            "records": [record.to_dict() for record in self._memory.records],
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
        return tuple(self._memory.records)

    def follow(self, said: Iterable[Mapping[str, Any]], witnesses: bytes | None = None) -> None:
        """Take on what another auditor of the same people has told since, as `Record.to_dict` wrote it.

        `witnesses`, as that auditor wrote them after the last of these, are checked and spare the searches.
        """
        self._memory.follow([Record.from_dict(each, self._people.n) for each in said], witnesses)

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
