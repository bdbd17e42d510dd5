"""Bands: a column made coarser while it is counted, when it has too many values to count them all.

A band is known by its first value, so that letters stay numbers and dates; it holds its values whatever the table, so that
the same map is carried out on new data and checked by others. Numbers meet in one point, which belongs to the upper band.
"""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Literal

from discreet._text import interval, word
from discreet.errors import InputError
from discreet.tables._calendar import day_text, days_of, period_of
from discreet.tables._labels import Label

BandKind = Literal["number", "date", "code", "grid"]
ANYTHING = "*"


@dataclass(frozen=True)
class Band:
    """How one column is made coarser.

    Attributes
    ----------
    kind
        "number" with a width, "date" with a unit, "code" with the characters kept, "grid" with cells of about equally many
        records.
    size
        The width, the unit, the characters, or how many cells were asked for.
    edges
        Of a grid: where its cells begin, and at last where the last one ends; empty until the table was looked at.
    days
        Of days and longer periods: cells say them by their first and last day. Policies of before say moments.
    """

    kind: BandKind
    size: float | int | str
    edges: tuple[float, ...] = ()
    days: bool = field(default=False, repr=False)

    def of(self, label: Label) -> Label:
        """The band of a value, as its letter; what is no value of this kind gives NaN."""
        if label is None:
            return None
        if self.kind == "code":
            code = word(label)
            return code if len(code) <= int(self.size) else code[: int(self.size)] + ANYTHING
        if self.kind == "date":
            if not isinstance(label, dt.date):
                return math.nan
            return period_of(label, str(self.size)).first
        if isinstance(label, bool | str) or not hasattr(label, "__float__"):
            return math.nan
        return self._start(float(label))

    def _start(self, value: float) -> float:
        if self.edges:
            outside = not self.edges[0] <= value <= self.edges[-1]
            return value if outside else self.edges[min(bisect_right(self.edges, value), len(self.edges) - 1) - 1]
        width = float(self.size)
        if not abs(value) <= self.coarsest:
            return value
        number = float(math.floor(value / width))
        return (number - 1) * width if number * width > value else number * width

    @property
    def coarsest(self) -> float:
        """From here on numbers are not finer than steps of this width are wide, so that they stay as they are."""
        return float(self.size) * 2.0**50

    def last(self, letter: Label) -> Label:
        """The last value that a letter stands for."""
        if letter is None or self.kind == "code":
            return letter
        if self.kind == "date":
            if self.size == "hour" and not isinstance(letter, dt.datetime):
                letter = dt.datetime.combine(letter, dt.time())
            return period_of(letter, str(self.size)).last
        value = float(letter)
        if self.edges:
            place = bisect_right(self.edges, value)
            end = self.edges[place] if 0 < place < len(self.edges) else value
        else:
            width = float(self.size)
            beyond = not abs(value) <= self.coarsest * (1 + 1e-9)  # a band may begin just beyond it
            end = value if beyond else (round(value / width) + 1) * width
        return int(end) if isinstance(letter, int) and end == int(end) else end

    def before(self, letter: Label) -> Label:
        """Where the stretch below a letter ends: the day before, or the same point."""
        return letter - dt.timedelta(days=1) if type(letter) is dt.date else letter

    def text(self, first: Label, last: Label) -> str:
        """What a cell says that reaches from a letter to the last value of another, or to where the next stretch begins."""
        if not (self.days and isinstance(first, dt.datetime) and isinstance(last, dt.datetime)):
            return interval(first, last)
        inside = last - dt.timedelta(microseconds=1) if last.time() == dt.time() else last
        start, end = day_text(first), day_text(inside)
        return start if start == end else f"{start} to {end}"

    def slack(self, letter: Label) -> float:
        """How far a value may lie from its letter, in the column's units or in days."""
        if letter is None or self.kind == "code":
            return 0.0
        if self.kind == "date":
            return days_of(self.last(letter)) - days_of(letter)
        return float(self.last(letter)) - float(letter)

    def words(self) -> str:
        """What was done, in words."""
        if self.kind == "code":
            return f"its first {self.size} characters"
        if self.kind == "date":
            return f"the {self.size}"
        if self.kind == "grid":
            return f"{len(self.edges) - 1 if self.edges else self.size} stretches of about equally many records"
        return f"steps of {float(self.size):g}"

    def to_json(self) -> dict[str, Any]:
        """For policy files."""
        edges = {"edges": list(self.edges)} if self.edges else {}
        return {"kind": self.kind, "size": self.size, **edges, **({"days": True} if self.days else {})}

    @classmethod
    def from_json(cls, given: Any) -> Band:
        """What `to_json` wrote, checked."""
        band = cls(
            given["kind"],
            given["size"],
            tuple(float(edge) for edge in given.get("edges", ())),
            given.get("days") is True,
        )
        return band.checked("the policy")

    def checked(self, where: str) -> Band:
        """The same, or one line that says what is wrong."""
        if self.kind == "date":
            if self.size not in ("hour", "day", "week", "month", "quarter", "year"):
                raise InputError(f"{where}: dates are coarsened to hour, day, week, month, quarter or year")
            return self
        is_number = isinstance(self.size, int | float) and not isinstance(self.size, bool)
        if not is_number or not 0 < float(self.size) < math.inf:
            raise InputError(f"{where}: {self.size!r} is not a number above 0")
        if self.kind != "number" and float(self.size) != int(self.size):
            raise InputError(f"{where}: {self.size!r} is not a whole number")
        if self.kind == "grid" and not 2 <= int(self.size) <= MOST_CELLS:
            raise InputError(f"{where}: a grid has 2 to {MOST_CELLS:,} cells")
        if list(self.edges) != sorted(set(self.edges)) or self.kind not in ("number", "code", "grid"):
            raise InputError(f"{where}: a band does not hold together")
        return self


MOST_CELLS = 10_000


def grid(band: Band, values: list[float]) -> Band:
    """A grid whose edges are these quantiles, of which some may agree."""
    edges = tuple(sorted({float(value) for value in values}))
    return Band("grid", band.size, edges if len(edges) > 1 else (*edges, *edges[:1]))
