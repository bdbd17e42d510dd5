"""Round numbers for people: where a column is cut between two values, and where a stretch of it ends.

Between two neighbouring values any cut parts the table alike, so the roundest one is taken that lies not too near to either
of them. A stretch whose ends have more digits than the column needs ends a little further out, short of the next value.
"""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

Label = Any
FINE = 1000  # a column's width in steps of the precision that its labels have
UNITS = ("year", "month", "day", "hour", "minute", "second")


def cut_between(low: Label, high: Label) -> tuple[Label, Label]:
    """The end of the stretch of `low` and the start of that of `high`, at a round number in the middle half between them.

    Whole numbers and days leave no gap and no overlap; decimals and moments meet in one point, which belongs to the upper
    stretch.

    Examples
    --------
    >>> cut_between(205, 212), cut_between(1, 2), cut_between(0.31, 0.44), cut_between(-5.5, 7.25)
    ((209, 210), (1, 2), (0.4, 0.4), (0.0, 0.0))
    >>> cut_between(dt.date(2023, 12, 20), dt.date(2024, 1, 8))[1]
    datetime.date(2024, 1, 1)
    """
    if isinstance(low, int) and isinstance(high, int):
        quarter = (high - low - 1) // 4
        start = int(roundest(Fraction(low + 1 + quarter), Fraction(high - quarter), Fraction((low + high) // 2 + 1)))
        return start - 1, start
    if type(low) is dt.date and type(high) is dt.date:
        day, days = dt.timedelta(days=1), (high - low).days
        margin = (days - 1) // 4 * day
        begin = _round_moment(low + day + margin, high - margin, low + (days // 2 + 1) * day, UNITS[:3])
        return begin - day, begin
    if isinstance(low, dt.datetime):
        part = (high - low) / 4
        between = _round_moment(low + part, high - part, low + 2 * part, UNITS)
        return (between, between) if low < between <= high else (high, high)
    first, last = written(low), written(high)
    cut = _like(roundest((3 * first + last) / 4, (first + 3 * last) / 4, (first + last) / 2), low, high)
    return (cut, cut) if low < cut <= high else (high, high)


def roundest(low: Fraction, high: Fraction, middle: Fraction) -> Fraction:
    """The number of a closed interval with the fewest digits, a five at the end counted as half; that nearest to the middle.

    Examples
    --------
    >>> roundest(Fraction(26), Fraction(75), Fraction(50)), roundest(Fraction(1, 3), Fraction(2, 5), Fraction(11, 30))
    (Fraction(50, 1), Fraction(2, 5))
    """
    greatest = max(abs(low), abs(high))
    step = Fraction(10) ** (len(str(int(greatest))) if greatest >= 1 else 0)
    halved = False
    while True:
        below = math.floor(middle / step) * step
        fits = [each for each in (below, below + step) if low <= each <= high]
        if fits:
            return min(fits, key=lambda each: abs(each - middle))
        step, halved = (step / 5, False) if halved else (step / 2, True)


def _round_moment(low: Any, high: Any, middle: Any, units: Sequence[str]) -> Any:
    """The beginning of the longest unit that begins between two moments, nearest to their middle; else the middle."""
    for unit in units:
        below = begin_of(middle, unit)
        fits = [each for each in (below, next_of(below, unit)) if each is not None and low <= each <= high]
        if fits:
            return min(fits, key=lambda each: abs(each - middle))
    return middle


def begin_of(moment: Any, unit: str) -> Any:
    """When the year, month, day, … of a moment begins."""
    kept = ("month", "day", "hour", "minute", "second", "microsecond")[UNITS.index(unit) :]
    first = {"month": 1, "day": 1}
    return moment.replace(**{part: first.get(part, 0) for part in kept if hasattr(moment, part)})


def next_of(begin: Any, unit: str) -> Any:
    """When the next year, month, day, … begins; None past the end of time."""
    steps = {"year": 366, "month": 31, "day": 1}
    step = dt.timedelta(days=steps[unit]) if unit in steps else dt.timedelta(**{f"{unit}s": 1})
    try:
        return begin_of(begin + step, unit)
    except OverflowError:
        return None


def written(number: Any) -> Fraction:
    """A number exactly as it is written: 0.1 is a tenth."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _like(value: Fraction, *numbers: Any) -> Any:
    """A round number of the type of others: Decimal where one of them is, else float."""
    if any(isinstance(number, Decimal) for number in numbers):
        return Decimal(value.numerator) / value.denominator
    return float(value)


@dataclass(frozen=True, eq=False)
class Ends:
    """Where stretches of a column end: at its values, or at shorter numbers just outside them.

    Attributes
    ----------
    values
        The column's different values, sorted, of one kind.

    Examples
    --------
    >>> Ends([38.3819301848049, 47.1, 56.0793976728268]).around(38.3819301848049, 56.0793976728268)
    (38.38, 56.08)
    >>> Ends([17, 20, 37]).around(17, 20)
    (17, 20)
    """

    values: Sequence[Label]

    def around(self, low: Label, high: Label) -> tuple[Label, Label]:
        """The ends of the stretch from one value to another; a single value stays as it is."""
        if low == high or self._precision is None:
            return low, high
        before, after = bisect_left(self.values, low) - 1, bisect_right(self.values, high)
        start = self._short(low, self.values[before] if before >= 0 else None, -1)
        return start, self._short(high, self.values[after] if after < len(self.values) else None, 1)

    @cached_property
    def _precision(self) -> int | None:
        """Decimals, or the place of the unit of time, that the column's width needs; None where values stay as they are."""
        first, last = self.values[0], self.values[-1]
        if isinstance(first, dt.datetime):
            seconds = (last - first).total_seconds() / FINE
            lengths = (366 * 86400, 31 * 86400, 86400, 3600, 60, 1)
            return next((max(i, 2) for i, length in enumerate(lengths) if length <= seconds), len(UNITS) - 1)
        if isinstance(first, dt.date) or all(isinstance(value, int) for value in self.values):
            return None
        width = float(last) - float(first)
        return max(0, -math.floor(math.log10(width / FINE))) if 0 < width < math.inf else None

    def _short(self, value: Label, neighbour: Label, side: int) -> Label:
        """A value moved outwards to few digits, but not as far as its neighbour."""
        assert self._precision is not None  # noqa: S101, `around` looked
        if isinstance(value, dt.datetime):
            return self._short_moment(value, neighbour, side)
        exact = written(value)
        for digits in range(self._precision, self._precision + 20):
            scaled = exact * 10**digits
            found = Fraction(math.floor(scaled) if side < 0 else math.ceil(scaled), 10**digits)
            if found == exact:
                return value
            short = _like(found, value)
            if neighbour is None or (short > neighbour if side < 0 else short < neighbour):
                return short
        return value

    def _short_moment(self, value: dt.datetime, neighbour: dt.datetime | None, side: int) -> dt.datetime:
        assert self._precision is not None  # noqa: S101, `around` looked
        for unit in UNITS[self._precision :]:
            begin = begin_of(value, unit)
            short = begin if side < 0 or begin == value else next_of(begin, unit)
            if short is not None and (
                neighbour is None or (short > neighbour if side < 0 else short < neighbour) or short == value
            ):
                return short  # type: ignore[no-any-return]
        return value
