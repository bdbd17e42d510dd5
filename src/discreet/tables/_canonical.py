"""What the distinct values of a column are called everywhere: numbers, dates or text, decided from all of them.

1, 1.0 and "1" are one label; text becomes numbers (or dates) only when every value survives the way there and back, so
"01234" stays text.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from discreet.tables._labels import Label

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_DIGITS = 1_000  # longer texts of digits are names, not numbers
EXACT = 2**53  # floats past this no longer tell neighbouring integers apart


def canonical(values: Sequence[Label], na: frozenset[str] = frozenset()) -> list[Label]:
    """The distinct values of a column as they are called everywhere in discreet.

    Examples
    --------
    >>> canonical(["01", "2"]), canonical(["1", 2, 3.0, None]), canonical(["a", 1.0])
    (['01', '2'], [1, 2, 3, None], ['a', '1'])
    """
    missing_numbers = {number for text in na if (number := _number(text)) is not None}
    cleaned = [None if _means_missing(value, na, missing_numbers) else value for value in values]
    present = [value for value in cleaned if value is not None]
    if any(isinstance(value, str) for value in present):
        convert = _text_converter(present)
    elif all(isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in present):
        convert = _number_converter(present)
    elif present and all(isinstance(value, dt.date) for value in present):
        convert = _date_converter(present)
    else:
        return cleaned
    return [None if value is None else convert(value) for value in cleaned]


def _means_missing(value: Label, na: frozenset[str], missing_numbers: set[int | float]) -> bool:
    if value is None or not na:
        return value is None
    if isinstance(value, str):
        return value in na or _number(value) in missing_numbers
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool) and value in missing_numbers


def _number(text: str) -> int | float | None:
    """The number that a text is, if writing it out again gives the text back (up to trailing zeros)."""
    if not _NUMBER.fullmatch(text):
        value = _float(text)
        return value if value is not None and repr(value) == text and not np.isnan(value) else None
    if len(text) > _DIGITS:
        return None
    if "." not in text:
        return int(text)
    value = float(text)
    exact = Decimal(repr(value)) == Decimal(text)
    if not exact:
        return None
    return int(value) if value.is_integer() and abs(value) < EXACT else value


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _text_converter(present: Iterable[Label]) -> Callable[[Any], Label]:
    texts = [value for value in present if isinstance(value, str)]
    others = [value for value in present if not isinstance(value, str)]
    if all(isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in others):
        numbers = _all_numbers(texts)
        if numbers is not None:
            tidy = _number_converter([*others, *numbers.values()])
            return lambda value: tidy(numbers[value] if isinstance(value, str) else value)
    if not others and (dates := _parse_dates(texts)) is not None:
        return dates.__getitem__
    return _as_text


def _all_numbers(texts: list[str]) -> dict[str, int | float] | None:
    """Every text as a number, or None as soon as one is not."""
    numbers: dict[str, int | float] = {}
    for text in texts:
        number = _number(text)
        if number is None:
            return None
        numbers[text] = number
    return numbers


def _parse_dates(texts: list[str]) -> dict[str, Label] | None:
    try:
        if all(_DATE.fullmatch(text) for text in texts):
            return {text: dt.date.fromisoformat(text) for text in texts}
        if all(_MOMENT.fullmatch(text) for text in texts):
            moments = {text: dt.datetime.fromisoformat(text) for text in texts}
            if len({moment.tzinfo is None for moment in moments.values()}) == 1:
                tidy = _date_converter(list(moments.values()))
                return {text: tidy(moment) for text, moment in moments.items()}
    except ValueError:  # 2021-02-30
        return None
    return None


def _as_text(value: Label) -> str:
    if isinstance(value, float | Decimal) and value == int(value if np.isfinite(float(value)) else 0):
        return str(int(value))
    return str(value)


def _is_whole(value: float) -> bool:
    return value.is_integer() and abs(value) < EXACT


def _number_converter(present: Iterable[int | float | Decimal]) -> Callable[[Any], Label]:
    """A column of whole numbers becomes int, any other float, unless that would lose digits."""
    present = list(present)
    all_whole = all(isinstance(value, int) or _is_whole(float(value)) for value in present)
    exact_decimals = [value for value in present if isinstance(value, Decimal)]
    keep_decimal = any(
        Decimal(repr(float(value))) != value and value != value.to_integral_value() for value in exact_decimals
    )

    def convert(value: int | float | Decimal) -> Label:
        if all_whole:
            return int(value)
        if isinstance(value, Decimal):
            return value if keep_decimal else float(value)
        return float(value) if isinstance(value, float) or abs(value) < EXACT else value

    return convert


def _date_converter(present: Sequence[dt.date]) -> Callable[[Any], Label]:
    """Moments with a zone are told in UTC; moments that are all midnights are dates."""

    def moment(value: dt.date) -> dt.datetime:
        if not isinstance(value, dt.datetime):
            return dt.datetime(value.year, value.month, value.day)
        return value if value.tzinfo is None else value.astimezone(dt.UTC)

    moments = [moment(value) for value in present]
    if all(each.tzinfo is None and each.time() == dt.time() for each in moments):
        return lambda value: moment(value).date()
    return moment
