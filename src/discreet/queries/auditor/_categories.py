"""The state of the auditor of categories, and the cells of its next question.

The promise: everybody keeps at least `keep` possible categories. Cells are those of whole numbers, grown outwards from what is
likely, and each is proven by witnesses (`_category_search`). Limits are on steps and nodes, never on time, and every search
begins from the transcript alone, so that cells depend on the questions and answers so far and never on the data.
"""

from __future__ import annotations

import io
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet._typing import IntArray
from discreet.queries.auditor._answer_cells import Cells
from discreet.queries.auditor._category_classes import Classes, shared_out
from discreet.queries.auditor._category_search import Prospect, Search
from discreet.queries.auditor._growing import Growing
from discreet.queries.auditor._memory import Transcript
from discreet.queries.auditor._transcript import Question, Record

MOST_CELLS = 1000
"""A finer question is coarsened to this many cells."""

POOL = 2_000_000
"""Numbers in the witnesses that are kept from question to question."""

FASTEST = 1
"""Of the levels of zlib: witnesses are written with every answer, and read hardly ever."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Everything the transcript says of a column of categories: bounds on counts, and witnesses that fit them."""

    classes: Classes
    keep: int
    pool: list[IntArray]

    @classmethod
    def start(cls, people: int, categories: int, keep: int) -> Counts:
        """Before any question: everybody can be anything."""
        turns = (people + np.arange(categories)) // categories
        pool = [np.roll(turns, -i)[None, :] for i in range(categories)]
        return cls(Classes.start(people, categories), keep, pool)

    def prospect(self, question: Question) -> Prospect:
        """What a question can still be, between proven ends."""
        finer, parent, place = self.classes.split(question.mask, question.members)
        pool = [shared_out(point, self.classes, finer, parent, i) for i, point in enumerate(self.pool)]
        category = question.category or 0
        return Prospect(finer, place, category, question.error, *finer.reach(place, category), pool)

    def cells(self, prospect: Prospect, error: Fraction) -> Cells:
        """The cells of a question: as equal as whole numbers allow, both ends included, merged until all are safe."""
        self._draw_in(prospect, math.floor(2 * error))
        numbers = prospect.high - prospect.low + 1
        parts = min(MOST_CELLS, math.ceil(numbers / (math.floor(2 * error) + 1)))
        low, cuts = Fraction(prospect.low), [0, numbers]
        if parts > 1:
            edges = [round(Fraction(i * numbers, parts)) for i in range(parts + 1)]
            growing = Growing(Search(prospect, self.keep), low, edges)
            cuts = growing.cuts()
            prospect.found, prospect.values = growing.points, []
        return Cells(low, low + numbers - 1, numbers, tuple(cuts), Fraction(1))

    def _draw_in(self, prospect: Prospect, width: int) -> None:
        """An end that no witness is found near may be out of reach: then a linear program says how far the count can go."""
        classes, search = prospect.classes, Search(prospect, self.keep)
        if not classes.told.any() or prospect.high - prospect.low <= width:
            return
        none = np.zeros((classes.n, classes.categories), np.int64)
        for sign in (1, -1):
            low, high = prospect.low, prospect.high
            first, last = (high - width, high) if sign > 0 else (low, low + width)
            system = classes.cut(prospect.place, prospect.category, first, last)
            start = next(iter(prospect.near(first, last)), None)
            point = None if start is None else search.walk(system, start, none, spare=False)
            if point is not None:
                prospect.found.append(point)
                prospect.ends.append(point.astype(float))
                continue
            solved = classes.bound(prospect.place, prospect.category, sign)
            if solved is not None:
                bound, end = solved
                prospect.low, prospect.high = (low, min(high, bound)) if sign > 0 else (max(low, -bound), high)
                prospect.ends.append(end)

    def after(self, prospect: Prospect, key: bytes, cells: Cells, chosen: int) -> Counts:
        """The state once a cell has been told."""
        if not prospect.found:
            self.cells(prospect, prospect.error)
        low, high = (int(end) for end in cells.ends(chosen))
        system = prospect.classes.cut(prospect.place, prospect.category, low, high)
        cover = Search(prospect, self.keep).cover()
        most = max(4, POOL // max(1, system.n * system.categories))
        for point in [*prospect.found, *prospect.pool]:
            before, many = int(cover.seen.sum()), len(cover.points)
            # One that proves nothing new is kept only while there are few.
            if many < most and cover.add(system, point) and many >= 3 and int(cover.seen.sum()) == before:
                cover.points.pop()
        return Counts(system, self.keep, cover.points)

    def possible(self) -> IntArray:
        """How many categories each person is proven to keep."""
        prospect = Prospect(self.classes, 0, 0, Fraction(1), 0, 0, self.pool)
        cover = Search(prospect, self.keep).cover()
        for point in self.pool:
            cover.add(self.classes, point)
        if cover.points and self.classes.told.any():
            cover.exchange(self.classes, self.classes.categories)
        return np.asarray(cover.seen.sum(axis=1)[self.classes.class_of])


class CategoryMemory(Transcript[Counts]):
    """The transcript of questions about categories."""

    def fits(self, values: IntArray) -> bool:
        """Whether the data are what the earlier answers were about."""
        return self.engine.classes.holds(self.engine.classes.counted(values))

    def _prospect(self, question: Question) -> Prospect:
        return self.engine.prospect(question)

    def _kept(self, state: Counts) -> bytes:
        pool = np.array(state.pool)
        buffer = io.BytesIO()
        np.save(buffer, pool.astype(np.min_scalar_type(int(pool.max(initial=0)))), allow_pickle=False)
        return zlib.compress(buffer.getvalue(), FASTEST)

    def _resumed(self, records: Sequence[Record], witnesses: bytes) -> Counts | None:
        classes = self.engine.classes
        for record in records:
            if record.cuts:
                question = record.question
                classes, _, place = classes.split(question.mask, question.members)
                low, high = (int(end) for end in record.cells.ends(record.chosen))
                classes = classes.cut(place, question.category or 0, low, high)
        try:
            pool = np.load(io.BytesIO(zlib.decompress(witnesses)), allow_pickle=False)
        except (ValueError, EOFError, OSError, zlib.error):
            return None
        if pool.dtype.kind != "u" or not len(pool):
            return None
        points = [point.astype(np.int64) for point in pool]
        return Counts(classes, self.engine.keep, points) if all(map(classes.holds, points)) else None
