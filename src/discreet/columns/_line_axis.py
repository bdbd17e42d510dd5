"""Columns on a line: numbers, dates and ordered categories. A cell is known by its least and its greatest code."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import interval, word
from discreet.columns._axis import Axis, Cell, Label
from discreet.columns._names import ANYTHING, MISSING
from discreet.columns._names import name as written
from discreet.columns._rounding import Ends
from discreet.columns._types import ColumnType
from discreet.errors import ColumnError
from discreet.tables._calendar import days_of, period_of

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray

DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 31.0, "quarter": 92.0, "year": 366.0}
"""The longest that a unit of the calendar is."""

HAIR = 1e-6


@dataclass(frozen=True, eq=False)
class LineAxis(Axis):
    """Numbers, dates and ordered categories: code i stands for the stretch from starts[i] to ends[i]."""

    starts: tuple[Label, ...] = field(default=(), repr=False)
    ends: tuple[Label, ...] = field(default=(), repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)  # of the stretches, where they have names of their own
    low: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)  # where the stretches begin
    high: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)  # and end
    width: float = 0.0  # of the column
    has_missing: bool = False

    @property
    def size(self) -> int:
        """The stretches, and missing as the last code."""
        return len(self.starts) + self.has_missing

    def cell(self, codes: tuple[int, ...]) -> Cell:
        first, last = codes[0], codes[-1]
        if self.has_missing and last == self.size - 1:
            if first == last:
                return Cell(MISSING, 0.0, members=frozenset([None]))
            return Cell(ANYTHING, 1.0)
        if self.kind == "ordered":
            members = frozenset(self.starts[first : last + 1])
            words = self.names[first] if first == last else f"{self.names[first]}–{self.names[last]}"
            return Cell(words, self._ncp(self.low[first], self.high[last]), members=members)
        start, end = self.starts[first], self.ends[last]
        if self._rounded is not None:
            start, end = self._rounded.around(start, end)
            return Cell(interval(start, end), self._ncp(_place(start), _place(end)), start, end)
        ncp = self._ncp(self.low[first], self.high[last])
        if self.names:
            words = self.names[first] if first == last else f"{self.names[first]} to {self.names[last]}"
        else:
            words = interval(start, end)
        return Cell(words, ncp, start, end)

    def _ncp(self, start: float, end: float) -> float:
        return min(1.0, float(end - start) / self.width) if self.width > 0 else 0.0

    @cached_property
    def _rounded(self) -> Ends | None:
        """Round ends of stretches, where codes are single values and no limit is that near."""
        by_value = self.type.band is None and self.type.coarsest is None and not self.names
        return Ends(self.starts) if by_value and self.starts else None

    @property
    def span(self) -> float:
        """What the search divides by: the column's width, or from the first stretch to the last where that is more.

        A hair more where a limit parts missing from numbers: all numbers then cost less than a cell that says nothing.
        """
        apart = self.has_missing and self.type.coarsest is not None
        return max(self.width, float(self.low[-1] - self.low[0])) * (1 + HAIR * apart)

    @property
    def limit(self) -> float:
        """The greatest NCP that a cell may have, as the search counts it: from where its first stretch begins to where its
        last one does. The cell itself reaches to the end of the last one, and that is what the column's limit is about.
        """
        coarsest = self.type.coarsest
        if coarsest is None or self.span <= 0:
            return 1.0
        most = DAYS[coarsest] if isinstance(coarsest, str) else float(coarsest)
        place = np.arange(len(self.low))
        beyond = np.searchsorted(self._reach, self.low + most * (1 + 1e-12), side="right")  # the first stretch too many
        beyond = np.maximum(beyond, place + 1)  # a stretch alone is as fine as the column gets
        short = beyond < len(self.low)
        if not short.any():
            return 1 - HAIR / 2 if self.has_missing else 1.0
        least = float((self.low[beyond[short]] - self.low[short]).min())
        within = self.low[beyond - 1] - self.low
        return min(most, (float(within[within < least].max()) + least) / 2, self.span) / self.span

    @property
    def _reach(self) -> FloatArray:
        """Where each stretch is over: 20–24 at 25, a day when the next one begins, a rank one step on."""
        if self.kind == "number":
            return self.high if self.type.band is None else self.low + float(self.type.band)
        is_moment = isinstance(self.starts[0], dt.datetime)
        return self.high if is_moment else self.high + 1


@dataclass(frozen=True, eq=False)
class _Stretches:
    """What the codes of a line stand for: from where to where, by label and by place, and which one each value lies in."""

    starts: Sequence[Label]
    ends: Sequence[Label]
    low: FloatArray
    high: FloatArray
    codes: IntArray
    width: float
    names: tuple[str, ...] = ()

    def axis(self, name: str, labels: tuple[Label, ...], kind: ColumnType) -> LineAxis:
        if len(self.starts) == 0:
            raise ColumnError(f"column {name!r} has no values: leave it out")
        has_missing = labels[-1] is None
        code_of = np.append(self.codes, len(self.starts)) if has_missing else self.codes
        starts, ends = tuple(self.starts), tuple(self.ends)
        width = self.width
        return LineAxis(name, kind, labels, code_of, starts, ends, self.names, self.low, self.high, width, has_missing)


def _place(label: Label) -> float:
    """Where a number, a date or a moment lies."""
    return days_of(label) if isinstance(label, dt.date) else float(label)


def _single(present: Sequence[Label], where: FloatArray) -> _Stretches:
    """Every value by itself."""
    width = float(where[-1] - where[0]) if len(where) else 0.0
    return _Stretches(present, present, where, where, np.arange(len(present), dtype=np.int64), width)


def line_of_numbers(name: str, labels: tuple[Label, ...], kind: ColumnType) -> LineAxis:
    """Every number by itself, or the bands that were asked for: 5 gives 20–24, 25–29, …"""
    present = [label for label in labels if label is not None]
    odd = [x for x in present if isinstance(x, bool) or not isinstance(x, int | float | Decimal) or math.isinf(x)]
    if odd:
        raise ColumnError(
            f"column {name!r} is said to hold numbers, and {len(odd)} of its {len(present)} values are none: "
            f"use --type {name}=category or code, or name the text that means missing with --na"
        )
    alone = _single(present, np.array([float(label) for label in present]))
    band: Any = kind.band
    if band is None:
        return alone.axis(name, labels, kind)
    whole = all(isinstance(label, int) for label in present) and isinstance(band, int)
    number = [math.floor(label / band) for label in present]
    bands = sorted(set(number))
    starts = [i * band for i in bands]
    ends = [start + band - 1 if whole else start + band for start in starts]
    codes = np.searchsorted(np.array(bands), np.array(number)).astype(np.int64)
    low, high = np.array(starts, dtype=np.float64), np.array(ends, dtype=np.float64)
    return _Stretches(starts, ends, low, high, codes, alone.width).axis(name, labels, kind)


def line_of_dates(name: str, labels: tuple[Label, ...], kind: ColumnType) -> LineAxis:
    """Every day by itself, or the weeks, months, quarters or years that were asked for.

    With a unit the column is as wide as its periods: what its first and last value are to the second is said by no loss.
    """
    present = [label for label in labels if label is not None]
    odd = sum(not _is_date(label) for label in present)
    if odd or not all(isinstance(label, dt.date) for label in present):
        raise ColumnError(
            f"column {name!r} is said to hold dates, and {odd} of its {len(present)} different values "
            f"{'is' if odd == 1 else 'are'} none: dates read as 2024-01-31; name what means missing with --na"
        )
    alone = _single(present, np.array([days_of(label) for label in present]))
    if kind.band is None:
        return alone.axis(name, labels, kind)
    periods = [period_of(label, str(kind.band)) for label in present]
    place = {period: i for i, period in enumerate(dict.fromkeys(periods))}
    low = np.array([days_of(period.first) for period in place])
    high = np.array([days_of(period.last) for period in place])
    codes = np.array([place[period] for period in periods], dtype=np.int64)
    starts, ends, names = [p.first for p in place], [p.last for p in place], tuple(p.name for p in place)
    width = float(high[-1] - low[0]) if len(place) else 0.0
    return _Stretches(starts, ends, low, high, codes, width, names).axis(name, labels, kind)


def _is_date(label: Label) -> bool:
    """Whether a value is a date, or a text that would be one if all others of its column were, too."""
    if not isinstance(label, str):
        return isinstance(label, dt.date)
    try:
        dt.datetime.fromisoformat(label)
    except ValueError:
        return False
    return True


def line_of_ranks(name: str, labels: tuple[Label, ...], kind: ColumnType) -> LineAxis:
    """Ordered categories, one step apart."""
    present = [label for label in labels if label is not None]
    rank = {category: i for i, category in enumerate(kind.order)}
    absent = [label for label in present if word(label) not in rank]
    if absent:
        raise ColumnError(
            f"column {name!r}: its order lacks {len(absent)} of {len(present)} categories, {word(absent[0])!r} first"
        )
    known = {word(label): label for label in present}
    steps = [known.get(category, category) for category in kind.order]
    where = np.arange(len(steps), dtype=np.float64)
    codes = np.array([rank[word(label)] for label in present], dtype=np.int64)
    names = tuple(map(written, kind.order))
    return _Stretches(steps, steps, where, where, codes, len(steps) - 1.0, names).axis(name, labels, kind)
