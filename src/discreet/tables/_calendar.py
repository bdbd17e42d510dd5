"""Calendars: the hour, day, week, month, quarter or year that a moment lies in, and what it is called."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

Moment = dt.date | dt.datetime


@dataclass(frozen=True)
class Period:
    """One hour, day, week, month, quarter or year: its first and its last moment, and its name."""

    first: Moment
    last: Moment
    name: str


def period_of(moment: Moment, unit: str) -> Period:
    """The period of this unit that a date or a moment lies in; of a moment with a zone, by the clock of that zone.

    Examples
    --------
    >>> period_of(dt.date(2024, 2, 29), "month")
    Period(first=datetime.date(2024, 2, 1), last=datetime.date(2024, 2, 29), name='2024-02')
    >>> period_of(dt.datetime(2024, 2, 29, 9, 53, tzinfo=dt.UTC), "day").name
    '2024-02-29 UTC'
    >>> period_of(dt.date(2024, 2, 29), "quarter").name, period_of(dt.date(2024, 12, 30), "week").name
    ('2024-Q1', '2025-W01')
    """
    if unit == "hour":
        return _hour(moment)
    day = moment.date() if isinstance(moment, dt.datetime) else moment
    first, last, name = _days(day, unit)
    if not isinstance(moment, dt.datetime):
        return Period(first, last, name)
    start = dt.datetime.combine(first, dt.time.min, tzinfo=moment.tzinfo)
    end = dt.datetime.combine(last, dt.time.max, tzinfo=moment.tzinfo)
    return Period(start, end, name + _zone(moment))


def day_text(moment: dt.datetime) -> str:
    """The day of a moment; with its zone, where it has one: elsewhere that is another day.

    Examples
    --------
    >>> day_text(dt.datetime(2024, 2, 29, 9, 53)), day_text(dt.datetime(2024, 2, 29, 9, 53, tzinfo=dt.UTC))
    ('2024-02-29', '2024-02-29 UTC')
    """
    return moment.date().isoformat() + _zone(moment)


def _zone(moment: dt.datetime) -> str:
    return f" {moment.tzname()}" if moment.tzinfo else ""


def _hour(moment: Moment) -> Period:
    if not isinstance(moment, dt.datetime):
        return Period(moment, moment, moment.isoformat())
    start = moment.replace(minute=0, second=0, microsecond=0)
    return Period(start, start + dt.timedelta(hours=1, microseconds=-1), f"{start:%Y-%m-%d %Hh}{_zone(moment)}")


def _days(day: dt.date, unit: str) -> tuple[dt.date, dt.date, str]:
    if unit == "day":
        return day, day, day.isoformat()
    if unit == "week":
        first = day - dt.timedelta(days=day.weekday())
        year, week, _ = day.isocalendar()
        return first, first + dt.timedelta(days=6), f"{year:04d}-W{week:02d}"
    if unit == "month":
        first = day.replace(day=1)
        return first, _before_next(first, 1), f"{day:%Y-%m}"
    if unit == "quarter":
        quarter = (day.month - 1) // 3
        first = day.replace(month=3 * quarter + 1, day=1)
        return first, _before_next(first, 3), f"{day.year:04d}-Q{quarter + 1}"
    first = day.replace(month=1, day=1)
    return first, day.replace(month=12, day=31), f"{day.year:04d}"


def _before_next(first: dt.date, months: int) -> dt.date:
    """The day before the same day `months` later; the calendar ends in 9999."""
    later = first.month + months
    if later > 12 and first.year == dt.MAXYEAR:
        return dt.date.max
    following = first.replace(year=first.year + (later > 12), month=(later - 1) % 12 + 1)
    return following - dt.timedelta(days=1)


def days_of(moment: Moment) -> float:
    """Where a moment stands on the line of days."""
    if not isinstance(moment, dt.datetime):
        return float(moment.toordinal())
    plain = moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment
    return plain.toordinal() + (plain - dt.datetime.combine(plain.date(), dt.time.min)) / dt.timedelta(days=1)
