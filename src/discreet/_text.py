"""How labels and numbers are written, for JSON and for people; nothing here knows what a number means."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

DASH = "–"


def shown(label: Any) -> Any:
    """A label for JSON and people: plain types stay, tuples become lists, missing is null."""
    if label is None or isinstance(label, str | int | bool):
        return label
    if isinstance(label, float):
        return json_number(label)
    if isinstance(label, tuple):
        return [shown(part) for part in label]
    return str(label)


def label_text(label: Any) -> str:
    """A label on one line.

    Examples
    --------
    >>> label_text((1.0, None, "a b"))
    '1, missing, a b'
    """
    if label is None:
        return "missing"
    if isinstance(label, tuple):
        return ", ".join(label_text(part) for part in label)
    if isinstance(label, float):
        return f"{label:g}" if abs(label) < 1e6 and float(f"{label:g}") == label else repr(label)
    text = str(label)
    return text if text.isprintable() else "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def word(label: Any) -> str:
    """The text of a value itself: nothing in it is escaped, and nothing stands in its place.

    Examples
    --------
    >>> word("a\\x07"), word(""), word(1.0)
    ('a\\x07', '', '1')
    """
    return label if isinstance(label, str) else label_text(label)


def joined(names: Sequence[str]) -> str:
    """Names in a sentence; many are cut short.

    Examples
    --------
    >>> joined(["age"]), joined(["age", "sex", "town"])
    ('age', 'age, sex and town')
    """
    if len(names) > 8:
        return f"{', '.join(names[:6])} and {len(names) - 6:,} more columns"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted(number: int, thing: str) -> str:
    """So many of a thing.

    Examples
    --------
    >>> counted(1, "group"), counted(1234, "row")
    ('1 group', '1,234 rows')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def an(word: str) -> str:
    """A word with its article.

    Examples
    --------
    >>> an("int"), an("date")
    ('an int', 'a date')
    """
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"


def utility_text(utility: str, value: float) -> str:
    """A utility for people: distortion as it is drawn, so that more is worse.

    Examples
    --------
    >>> utility_text("distortion", -2.5), utility_text("resolution", 1.0)
    ('largest distortion 2.5', 'resolution 1')
    """
    return f"largest distortion {0.0 - value:.4g}" if utility == "distortion" else f"{utility} {value:.4g}"


def shortened(text: str, most: int = 60) -> str:
    """A text that fits on a screen.

    Examples
    --------
    >>> shortened("x" * 70, 10)
    'xxxxxxxxx…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def group_text(label: Any, names: Sequence[str], *, most: int = 6, longest: int = 40) -> str:
    """A group by its values, each with its column where there are several; long ones and many of them are cut short.

    Examples
    --------
    >>> group_text((34, "F"), ["age", "sex"]), group_text("South", ["town"])
    ('age 34, sex F', 'South')
    """
    if not isinstance(label, tuple) or len(label) != len(names) or len(names) == 1:
        return shortened(label_text(label), most * longest)
    parts = [
        f"{shortened(name, longest)} {shortened(label_text(part), longest)}"
        for name, part in zip(names[:most], label[:most], strict=True)
    ]
    rest = len(names) - most
    return ", ".join(parts) + (f" and {rest:,} more columns" if rest > 0 else "")


def json_number(value: float) -> float | str:
    """A number as JSON has it: infinity is the string "inf"."""
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def number_text(value: float, units: str) -> str:
    """A measure's value for people."""
    if math.isinf(value):
        return "∞"
    if units == "count":
        return f"{value:,.0f}"
    return f"{round(value, 3) + 0.0:.3f}"  # no -0.000


def text(label: Any) -> str:
    """A label in a cell; an empty one would be taken for missing."""
    return label_text(label) or "empty text"


def interval(low: Any, high: Any) -> str:
    """One stretch in words.

    Examples
    --------
    >>> interval(200, 219), interval(3, 3), interval(-5, -2)
    ('200–219', '3', '-5 to -2')
    """
    first, last = text(low), text(high)
    if first == last:
        return first
    spelt = first.startswith("-") or last.startswith("-") or isinstance(low, dt.date)
    return f"{first} to {last}" if spelt else f"{first}{DASH}{last}"


def at_least(value: float, digits: int = 4) -> str:
    """A number in so many digits that is not below it: a bound stays one when it is printed.

    Examples
    --------
    >>> at_least(0.12341), at_least(2.0)
    ('0.1235', '2')
    """
    return f"{float(Context(digits, ROUND_CEILING).create_decimal(repr(value))):.{digits}g}"


def at_most(value: float, digits: int = 6) -> str:
    """A number in so many digits that is not above it."""
    return f"{float(Context(digits, ROUND_FLOOR).create_decimal(repr(value))):.{digits}g}"


def plus_minus(answer: float, error: float) -> str:
    """An answer in six digits, and an error in four that still holds the whole cell.

    Examples
    --------
    >>> plus_minus(166.9997, 0.9997), plus_minus(54, 2)
    ('167 ± 1', '54 ± 2')
    """
    said = f"{answer:.6g}"
    off = abs(Decimal(repr(answer)) - Decimal(said)) + Decimal(repr(error))
    return f"{said} ± {float(Context(4, ROUND_CEILING).create_decimal(off)):.4g}"
