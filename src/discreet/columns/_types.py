"""The type of a public column, as people say it: number, date, code, category, ordered or hierarchy.

A type says what is near to what: numbers and dates lie on a line, codes (postcodes, ICD) share prefixes and have no
distance, ordered categories have ranks, a hierarchy is a tree that somebody gives, and other categories are just different.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal, get_args

from discreet._text import word
from discreet.columns._hierarchy import Hierarchy
from discreet.errors import InputError, listed
from discreet.tables._calendar import period_of

Kind = Literal["number", "date", "code", "category", "ordered", "hierarchy", "auto"]
KINDS: tuple[Kind, ...] = get_args(Kind)[:-1]  # what a column can be; auto: to be guessed once its values are seen
UNITS = ("hour", "day", "week", "month", "quarter", "year")  # of dates, finest first
Extent = float | int | str | None


@dataclass(frozen=True)
class ColumnType:
    """How one public column is coarsened.

    Attributes
    ----------
    kind
        One of `KINDS`, or "auto" where it is guessed.
    band
        The finest cell that is released: a width for numbers (5 years), a unit for dates ("month"), characters of a code
        (3), a level of a hierarchy (1 is the leaves' parents). None releases values as they are where nothing must be
        joined; of moments, dates with times of day, the day.
    coarsest
        "Never coarser than", in the same units; for categories the most values in a set, for ordered ones the most ranks.
    order
        Of ordered categories: lowest first.
    hierarchy
        The tree of a hierarchical column.
    weight
        How much a coarse cell of this column counts in the loss, next to the others.
    fixed
        Leave it as it is: all records of a group agree in this column.
    """

    kind: Kind
    band: Extent = None
    coarsest: Extent = None
    order: tuple[str, ...] = ()
    hierarchy: Hierarchy | None = field(default=None, repr=False)
    weight: float = 1.0
    fixed: bool = False

    def checked(self, name: str) -> ColumnType:
        """The same, or an InputError that says what about the column called `name` does not fit together."""
        where = f"column {name!r}"
        if self.kind not in (*KINDS, "auto"):
            raise InputError(f"{where}: type {self.kind!r} is not known: use one of {listed(KINDS)}")
        if isinstance(self.weight, bool) or not isinstance(self.weight, int | float) or not math.isfinite(self.weight):
            raise InputError(f"{where}: a weight is a number, such as 2")
        if self.weight < 0:
            raise InputError(
                f"{where}: a weight of {self.weight:g} is below 0: use 0 for a column whose loss does not count"
            )
        if self.fixed and (self.band is not None or self.coarsest is not None):
            raise InputError(f"{where}: it is to be left as it is, and to be coarsened: drop one of the two")
        if self.kind == "hierarchy" and self.hierarchy is None:
            raise InputError(
                f"{where}: a hierarchy needs its file: hierarchies={{{name!r}: FILE}}, --hierarchy {name}=FILE"
            )
        if self.kind == "ordered" and not self.order:
            raise InputError(f"{where}: ordered categories need their order: order = [lowest, …, highest]")
        if len(set(self.order)) < len(self.order):
            raise InputError(f"{where}: a category is named twice in its order")
        for what, extent in (("band", self.band), ("coarsest", self.coarsest)):
            if extent is not None and self.kind != "auto":
                _check_extent(self.kind, what, extent, where)
        if self._passes_limit():
            raise InputError(
                f"{where}: its finest cell, {self.band}, is coarser than its coarsest, {self.coarsest}: change one of the two"
            )
        return self

    def _passes_limit(self) -> bool:
        """Whether the finest cell that is released is coarser than the coarsest that is allowed."""
        if self.band is None or self.coarsest is None or self.kind == "auto":
            return False
        if self.kind == "date":
            return UNITS.index(str(self.band)) > UNITS.index(str(self.coarsest))
        band, coarsest = float(self.band), float(self.coarsest)
        return band < coarsest if self.kind == "code" else band > coarsest

    def finest(self, label: Any) -> Any:
        """What the values of one finest cell have in common; a value itself where nothing finer is joined.

        Examples
        --------
        >>> ColumnType("number", band=5).finest(23), ColumnType("date", band="month").finest(dt.date(2024, 2, 29))
        (4, datetime.date(2024, 2, 1))
        """
        band: Any = self.band
        if band is None or label is None:
            return label
        if self.kind == "date" and isinstance(label, dt.date):
            first = period_of(label, band).first
            is_day = isinstance(first, dt.datetime) and first.tzinfo is None and band != "hour"
            return first.date() if is_day else first  # type: ignore[union-attr]
        if self.kind == "number" and isinstance(label, int | float | Decimal) and not isinstance(label, bool):
            width: Any = Decimal(band) if isinstance(label, Decimal) else band
            return math.floor(label / width) if math.isfinite(label) else label
        if self.kind == "code":
            code = word(label)
            return code if len(code) <= int(band) else (code[: int(band)], "…")
        return label

    def __str__(self) -> str:
        """Kind and finest cell, as `parse_type` reads them."""
        return self.kind if self.band is None else f"{self.kind}:{self.band}"

    def with_weight(self, weight: float) -> ColumnType:
        """The same type with another weight."""
        return replace(self, weight=weight)


def _check_extent(kind: Kind, what: str, extent: float | int | str, where: str) -> None:
    if kind == "date":
        if extent not in UNITS:
            raise InputError(f"{where}: {what} of dates is one of {listed(UNITS)}, not {extent!r}")
        return
    is_number = isinstance(extent, int | float) and not isinstance(extent, bool) and math.isfinite(extent)
    if not is_number or float(extent) <= 0:
        raise InputError(f"{where}: {what} must be a number above 0, not {extent!r}")
    if kind != "number" and float(extent) != int(extent):
        counted = {"code": "characters", "hierarchy": "levels"}.get(kind, "values")
        raise InputError(f"{where}: {what} is a whole number of {counted}, not {extent!r}")
    if what == "band" and kind in ("category", "ordered"):
        raise InputError(f"{where}: categories have no bands: give a hierarchy, or leave band out")


def parse_type(text: str, column: str) -> ColumnType:
    """A type as it is written on the command line: KIND, KIND:BAND, or ordered:LOW<MIDDLE<HIGH.

    Examples
    --------
    >>> parse_type("number:5", "age").band, parse_type("date:month", "admitted").band
    (5, 'month')
    >>> parse_type("ordered:low<high", "risk").order
    ('low', 'high')
    """
    kind, mark, rest = text.partition(":")
    kind = kind.strip()
    if kind not in KINDS:
        raise InputError(f"--type {column}={text}: {kind!r} is not a type: use one of {listed(KINDS)}")
    if not mark:
        return ColumnType(kind)
    if kind == "ordered":
        return ColumnType("ordered", order=tuple(part.strip() for part in rest.split("<")))
    return ColumnType(kind, band=extent_of(rest.strip()))


def extent_of(text: str) -> Extent:
    """A band or a limit as it is written: a number where it reads as one, else a unit."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number == int(number) else number
