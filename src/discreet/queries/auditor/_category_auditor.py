"""The auditor of one private column of categories: counts and histograms, and everybody keeps several possible categories."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet._typing import IntArray
from discreet.errors import InputError
from discreet.queries._pictures import fact_table
from discreet.queries.auditor._categories import CategoryMemory, Counts
from discreet.queries.auditor._declarations import MOST_CATEGORIES, checked_error, checked_members
from discreet.queries.auditor._lattices import around
from discreet.queries.auditor._transcript import NOT_WRITTEN, Price, Question, Record, Reply


class CategoryAuditor:
    """Counts people by a private category so that everybody keeps several possible ones.

    Whatever the data, however many counts and histograms and however many analysts put their answers together: for each
    person at least `keep` categories stay possible. Questions that would break this are answered more coarsely.

    Parameters
    ----------
    people
        How many people there are.
    categories
        How many categories there are, as everybody knows; data are their numbers, from 0 on.
    keep
        The number of categories that everybody keeps, from 2 to all of them.

    Raises
    ------
    InputError
        For numbers that cannot be.

    Examples
    --------
    >>> auditor = CategoryAuditor(12, 3)
    >>> data = [0] * 6 + [1] * 4 + [2] * 2
    >>> [reply.cell for reply in auditor.histogram(range(12), error=1, data=data)]
    [(5.0, 7.0), (3.0, 4.0), (1.0, 2.0)]
    >>> int(auditor.possible().min())
    3
    """

    def __init__(self, people: int, categories: int, *, keep: int = 2) -> None:
        if not (isinstance(people, int) and people >= 1):
            raise InputError("people is a whole number, at least 1")
        if not (isinstance(categories, int) and 2 <= categories <= MOST_CATEGORIES):
            raise InputError(f"categories is a whole number from 2 to {MOST_CATEGORIES}")
        if not (isinstance(keep, int) and 2 <= keep <= categories):
            raise InputError("keep is a whole number, from 2 to the number of categories")
        self._n, self._categories, self._keep = people, categories, keep
        self._memory = CategoryMemory(Counts.start(people, categories, keep))

    def __repr__(self) -> str:
        asked = len(self._memory.records)
        return (
            f"CategoryAuditor({self._n} people, {self._categories} categories, {asked} questions, {self.bits:.4g} bits)"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("people", f"{self._n:,}", f"each in one of {self._categories} categories"),
            ("keep", str(self._keep), "possible categories that everybody keeps, whatever was asked"),
            *self._memory.facts(),
        ]
        return fact_table("auditor", rows)

    @property
    def bits(self) -> float:
        """Spent so far: the sum of log2 of the cells offered, a Kraft length that bounds I* along every path."""
        return self._memory.bits

    @property
    def records(self) -> tuple[Record, ...]:
        """The transcript: every question that was answered, in order."""
        return tuple(self._memory.records)

    def offer(self, members: npt.ArrayLike, category: int, *, error: float = 1) -> list[tuple[float, float]]:
        """The cells that the count of a category would be offered; it is not asked."""
        question = self._question(members, category, error)
        return (self._memory.known(question) or self._memory.offer(question)).cells.listed(1)

    def price(self, members: npt.ArrayLike, category: int, *, error: float = 1) -> Price:
        """What the count of a category would cost; it is not asked."""
        question = self._question(members, category, error)
        known = self._memory.known(question)
        cells = len((known or self._memory.offer(question)).cells)
        return Price(cells, math.log2(cells) if known is None else 0.0)

    def most_cells(self, members: npt.ArrayLike, category: int, *, error: float = 1) -> int:
        """No history offers the count of a category more cells than this."""
        question = self._question(members, category, error)
        return math.ceil((len(question.members) + 1) / (math.floor(2 * question.error) + 1))

    def histogram_price(self, members: npt.ArrayLike, *, error: float = 1) -> float:
        """Bits that a histogram can cost at most, whatever the data and the history are."""
        return self._categories * math.log2(self.most_cells(members, 0, error=error))

    def ask(
        self, members: npt.ArrayLike, category: int, *, error: float = 1, data: npt.ArrayLike | None = None
    ) -> Reply:
        """Count the members who are in a category.

        Parameters
        ----------
        members
            Indices of the people asked about, chosen by public attributes.
        category
            The category's number.
        error
            The worst-case error wanted, in people; the reply says what it became.
        data
            Everybody's category.

        Raises
        ------
        InputError
            For what cannot be asked, and for data that do not fit what was declared or answered; no value is shown.
        """
        question = self._question(members, category, error)
        codes = self._checked_data(data)
        known, offer = self._memory.known(question), None
        remembered: Record | None
        if known is None:
            offer = self._memory.offer(question)
            chosen = offer.cells.find(Fraction(int((codes[question.members] == category).sum())))
            if chosen is None or not self._memory.fits(codes):
                raise InputError("data do not fit the answers given before: changed data are a new data set")
            record = remembered = Record(question, offer.cells, chosen, free=False)
        else:
            record = Record(question, known.cells, known.chosen, free=True)
            remembered = record if known.question.error != question.error else None
        low, high = record.cells.ends(record.chosen)
        middle, error_of_it = around(low, high)
        reply = Reply(
            middle if len(record.cells) > 1 else None,
            error_of_it,
            (float(low), float(high)),
            record.cells.listed(1),
            math.log2(len(record.cells)) if not record.free else 0.0,
        )
        if remembered is not None:
            self._memory.take(remembered, offer)
        return reply

    def histogram(self, members: npt.ArrayLike, *, error: float = 1, data: npt.ArrayLike | None = None) -> list[Reply]:
        """Count the members in every category, one after the other: each count knows what those before it told."""
        return [self.ask(members, category, error=error, data=data) for category in range(self._categories)]

    def fork(self) -> CategoryAuditor:
        """An auditor of its own that begins with everything that this one told."""
        twin = copy(self)
        twin._memory = self._memory.fork()
        return twin

    def witnesses(self) -> bytes:
        """What spares another auditor that follows this one its searches."""
        return self._memory.witnesses()

    def possible(self) -> IntArray:
        """How many categories each person keeps at least, proven by witnesses."""
        return self._memory.state().possible()

    def follow(self, said: Iterable[Mapping[str, Any]], witnesses: bytes | None = None) -> None:
        """Take on what another auditor of the same people has told since, as `Record.to_dict` wrote it.

        `witnesses`, as that auditor wrote them after the last of these, are checked and spare the searches.
        """
        records = [Record.from_dict(each, self._n) for each in said]
        for record in records:
            category, parts = record.question.category, record.cells
            if category is None or not 0 <= category < self._categories or parts.step != 1:
                raise InputError(NOT_WRITTEN)
        self._memory.follow(records, witnesses)

    def _question(self, members: npt.ArrayLike, category: int, error: float) -> Question:
        if isinstance(category, bool) or not isinstance(category, int) or not 0 <= category < self._categories:
            raise InputError(f"category is a whole number from 0 to {self._categories - 1}")
        chosen = checked_members(np.asarray(members), self._n)
        return Question(chosen, self._n, checked_error(error), 1, None, category)

    def _checked_data(self, data: npt.ArrayLike | None) -> IntArray:
        if data is None:
            raise InputError("data are needed to answer: give everybody's category, or use offer or price")
        codes = np.asarray(data)
        if codes.shape != (self._n,) or codes.dtype.kind not in "iuf":
            raise InputError(f"data need one number of a category for each of {self._n} people")
        if not np.isin(codes, np.arange(self._categories)).all():
            raise InputError(f"data are numbers of categories, whole and from 0 to {self._categories - 1}")
        return codes.astype(np.int64)
