"""What a released cell says: an interval or a set that is true of the value it replaces, and unique to its block.

For one column of numbers or dates, the line from the least to the greatest letter is cut between neighbours of different
blocks, at a round number in the middle half between them. Every block is then a union of stretches of the line, its label
lists them, and a value never seen before lies in one of the stretches: the label there is true of that value too.
"""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from discreet._text import interval, text
from discreet._typing import Cuts, IntArray
from discreet.columns._names import ANYTHING, MISSING, name, names_of, set_of
from discreet.columns._rounding import Ends, cut_between
from discreet.errors import InputError
from discreet.tables._bands import Band
from discreet.tables._labels import Label


def is_number(label: Label) -> bool:
    """A number one can put on a line (not a boolean, not infinite, not past what a float can hold)."""
    if isinstance(label, bool) or not isinstance(label, int | float | Decimal | Fraction):
        return False
    try:
        return math.isfinite(label)
    except OverflowError:
        return False


def position(label: Label) -> float | None:
    """A number or a date as a point on a line; dates are days, moments too, counted from year 1.

    Examples
    --------
    >>> position(3), position(dt.date(1, 1, 2)), position("a")
    (3.0, 2.0, None)
    """
    if is_number(label):
        return float(label)
    if isinstance(label, dt.datetime):
        day = label.replace(tzinfo=None) if label.tzinfo is None else label.astimezone(dt.UTC).replace(tzinfo=None)
        return day.toordinal() + (day - dt.datetime.combine(day.date(), dt.time())) / dt.timedelta(days=1)
    if isinstance(label, dt.date):
        return float(label.toordinal())
    return None


def _point(label: Label) -> tuple[str, Any] | None:
    """A label as what can be compared exactly with others of its kind: floats would join neighbouring moments."""
    if is_number(label):
        return "number", Fraction(label) if isinstance(label, Decimal) else label
    if isinstance(label, dt.datetime):
        return "moment" if label.tzinfo is None else "moment with a zone", label
    if isinstance(label, dt.date):
        return "moment", dt.datetime.combine(label, dt.time())
    return None


def _kind(labels: Sequence[Label]) -> str:
    """The one line that all labels lie on, or "text"; days and moments are not sorted together, so they are text."""
    kinds = {(type(label) is dt.date, point[0]) if (point := _point(label)) else None for label in labels}
    (kind, *others) = kinds or {None}
    return "text" if kind is None or others else kind[1]


@dataclass(frozen=True)
class Line:
    """A column of numbers or dates: where its letters lie, and the cuts between stretches of different blocks."""

    starts: tuple[Label, ...]  # the first and the last point of every stretch, both inside it
    ends: tuple[Label, ...]
    blocks: tuple[int, ...]  # the block of every stretch

    def block_at(self, label: Label) -> int | None:
        """The block whose stretch a value lies in; None outside all of them."""
        point = _point(label)
        if point is None or point[0] != self._kind:
            return None
        stretch = bisect_right(self._firsts, point[1]) - 1
        return self.blocks[stretch] if stretch >= 0 and point[1] <= self._lasts[stretch] else None

    @cached_property
    def _kind(self) -> str:
        return _kind(self.starts)

    @cached_property
    def _firsts(self) -> list[Any]:
        return [point[1] for start in self.starts if (point := _point(start))]

    @cached_property
    def _lasts(self) -> list[Any]:
        return [point[1] for end in self.ends if (point := _point(end))]


def line(letters: Sequence[Label], block_of: Sequence[int], cuts: Cuts = "round", band: Band | None = None) -> Line:
    """Cut the line of sorted letters between neighbours of different blocks; where letters are bands, at their ends.

    Examples
    --------
    >>> line([200, 205, 212, 219], [0, 0, 1, 1])
    Line(starts=(200, 210), ends=(209, 219), blocks=(0, 1))
    """
    cut = cut_between if cuts == "round" else halfway
    first, last = Ends(letters).around(letters[0], letters[-1]) if cuts == "round" else (letters[0], letters[-1])
    if band is not None:
        first, last = letters[0], band.last(letters[-1])
    starts, ends, blocks = [first], [], [int(block_of[0])]
    for i in range(1, len(letters)):
        if block_of[i] != block_of[i - 1]:
            before, after = (band.before(letters[i]), letters[i]) if band else cut(letters[i - 1], letters[i])
            ends.append(before)
            starts.append(after)
            blocks.append(int(block_of[i]))
    ends.append(last)
    return Line(tuple(starts), tuple(ends), tuple(blocks))


def halfway(low: Label, high: Label) -> tuple[Label, Label]:
    """The end of the stretch of `low` and the start of that of `high`, as policies of schema 1 have them.

    Examples
    --------
    >>> halfway(205, 212), halfway(1, 2), halfway(0.31, 0.44)
    ((208, 209), (1, 2), (0.4, 0.4))
    """
    if isinstance(low, int) and isinstance(high, int):
        middle = (low + high) // 2
        return middle, middle + 1
    if type(low) is dt.date and type(high) is dt.date:
        middle_day = dt.date.fromordinal((low.toordinal() + high.toordinal()) // 2)
        return middle_day, middle_day + dt.timedelta(days=1)
    if isinstance(low, dt.datetime):
        between = low + (high - low) / 2
        return between, between
    exact = (Fraction(low) + Fraction(high)) / 2
    for digits in range(18):
        rounded = round(exact, digits)
        is_decimal = isinstance(low, Decimal) or isinstance(high, Decimal)
        short = Decimal(rounded.numerator) / rounded.denominator if is_decimal else float(rounded)
        if low < short < high:
            return short, short
    return high, high


def column_kind(labels: Sequence[Label]) -> str:
    """ "number", "date", or "text" for whatever has no place on a line; missing letters do not count."""
    kind = _kind([label for label in labels if label is not None])
    return kind if kind in ("number", "text") else "date"


def names_of_values(letters: Sequence[Label], band: Band | None = None, *, quotes: bool = True) -> dict[Label, str]:
    """How cells write the values of a column; where it was cut to so many characters, the star says so and stays bare.

    Without `quotes` as policies before 0.2 did, for which different values might be written alike.
    """
    if not quotes:
        return {letter: text(letter) for letter in letters}
    names = names_of(letters)
    if band is not None and band.kind == "code":
        cut = [letter for letter in names if isinstance(letter, str) and len(letter) > int(band.size)]
        names |= {letter: name(letter[:-1]) + ANYTHING for letter in cut}
    return names


def block_labels(
    letters: Sequence[Label],
    block_of: IntArray,
    n_blocks: int,
    cuts: Cuts = "round",
    band: Band | None = None,
    *,
    quotes: bool = True,
) -> tuple[list[str], Line | None]:
    """A label a block for one column, and the line they lie on where there is one."""
    if column_kind(letters) == "text":
        return _sets(names_of_values(letters, band, quotes=quotes), letters, block_of, n_blocks), None
    has_missing = letters[-1] is None
    count = len(letters) - has_missing
    cut = line(letters[:count], [int(block) for block in block_of[:count]], cuts, band)
    stretches: list[list[str]] = [[] for _ in range(n_blocks)]
    for low, high, block in zip(cut.starts, cut.ends, cut.blocks, strict=True):
        stretches[block].append(band.text(low, high) if band else interval(low, high))
    if has_missing:
        stretches[int(block_of[-1])].append(MISSING)
    if band is not None:  # values are looked up by the first of their band: past the last letter none is inside
        cut = replace(cut, ends=(*cut.ends[:-1], letters[count - 1]))
    return [", ".join(parts) for parts in stretches], cut


def _sets(names: Mapping[Label, str], letters: Sequence[Label], block_of: IntArray, n_blocks: int) -> list[str]:
    members: list[list[str]] = [[] for _ in range(n_blocks)]
    for label, block in zip(letters, block_of, strict=True):
        members[int(block)].append(names[label])
    return [set_of(parts) for parts in members]


def ends_of(column: Sequence[Label]) -> Ends | None:
    """The round ends of a column of numbers or dates; None for words."""
    present = {value for value in column if value is not None}
    return Ends(sorted(present)) if present and _kind(list(present)) != "text" else None


def hull(
    values: Sequence[Label],
    ends: Ends | None = None,
    band: Band | None = None,
    names: Mapping[Label, str] | None = None,
) -> str:
    """What one column of a block of several columns says: an interval of numbers or dates, else a set.

    Where values are bands, the interval reaches to the last value of the last one. `names` are of the column's values.

    Examples
    --------
    >>> hull([3, 1, 2]), hull(["b", "a", "b"]), hull([1, None])
    ('1–3', '{a, b}', '1 or missing')
    """
    present = [value for value in values if value is not None]
    missing = len(present) < len(values)
    if not present:
        return MISSING
    if _kind(present) != "text":
        low, high = _around(present, ends)
        words = band.text(low, band.last(high)) if band else interval(low, high)
    else:
        names = names_of_values(present, band) if names is None else names
        words = set_of(sorted({names[value] for value in present}))
    return f"{words} or {MISSING}" if missing else words


def _around(present: Sequence[Label], ends: Ends | None) -> tuple[Label, Label]:
    low, high = min(present), max(present)
    return ends.around(low, high) if ends else (low, high)


def hull_holds(values: Sequence[Label], value: Label, ends: Ends | None = None) -> bool:
    """Whether `hull(values, ends)` is true of a value."""
    if value is None or value in values:
        return value in values
    present = [each for each in values if each is not None]
    if _kind(present) == "text":
        return False
    low, high = _around(present, ends)
    return Line((low,), (high,), (0,)).block_at(value) is not None


def unique(labels: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Number the labels that several blocks share, so that a released row tells its block.

    Examples
    --------
    >>> unique([("1–3",), ("1–3",), ("4",)])
    [('1–3',), ('1–3 (2)',), ('4',)]
    """
    seen: dict[tuple[str, ...], int] = {}
    taken = set(labels)
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        marked = label
        while seen[label] > 1 and (marked == label or marked in taken):
            marked = (f"{label[0]} ({seen[label]})", *label[1:])
            if marked in taken:
                seen[label] += 1
        taken.add(marked)
        found.append(marked)
    return found


def to_json(label: Label) -> Any:
    """A label as JSON that `from_json` reads back to the same label."""
    if label is None or isinstance(label, bool | int | str):
        return label
    if isinstance(label, float):
        return label if math.isfinite(label) else {"float": repr(label)}
    if isinstance(label, tuple):
        return [to_json(part) for part in label]
    if isinstance(label, bytes):
        return {"bytes": label.hex()}
    if isinstance(label, dt.timedelta):
        return {"microseconds": label // dt.timedelta(microseconds=1)}
    if isinstance(label, Decimal | Fraction):
        return {type(label).__name__.lower(): str(label)}
    if isinstance(label, dt.date | dt.time):
        kind = "moment" if isinstance(label, dt.datetime) else type(label).__name__
        return {kind: label.isoformat()}
    raise InputError(f"a label of type {type(label).__name__} cannot be kept in a policy file: use text or numbers")


_READERS: dict[str, Any] = {
    "float": float,
    "bytes": bytes.fromhex,
    "microseconds": lambda number: dt.timedelta(microseconds=number),
    "decimal": Decimal,
    "fraction": Fraction,
    "moment": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
}


def from_json(value: Any) -> Label:
    """The label that `to_json` wrote.

    Examples
    --------
    >>> labels = [1, 1.5, "a", None, dt.date(2020, 1, 2), (1, "b"), Decimal("1.1")]
    >>> [from_json(to_json(label)) for label in labels] == labels
    True
    """
    if isinstance(value, list):
        return tuple(from_json(part) for part in value)
    if not isinstance(value, dict):
        return value
    try:
        ((kind, content),) = value.items()
        return _READERS[kind](content)
    except (LookupError, TypeError, ValueError, ArithmeticError):
        raise InputError("a letter of the policy does not read as a label") from None
