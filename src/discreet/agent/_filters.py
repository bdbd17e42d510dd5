"""Filters on public columns: a small tree of comparisons, from JSON or SQL, that says who is in a group.

{"column": "sex", "is": "=", "value": "F"}      {"column": "age", "is": "between", "value": [30, 40]}
{"all": [...]}    {"any": [...]}    {"not": {...}}
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet._typing import BoolArray, IntArray
from discreet.errors import InputError
from discreet.release._cells import is_number
from discreet.tables._labels import Alphabet, Label, plain

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
KINDS = (*COMPARISONS, "in", "between", "missing")
MOST = 300  # comparisons of one filter: each looks at everybody
LONGEST = 10_000  # values of one list
DEEPEST = 20  # filters inside filters

HOW = {
    "number": "a number without quotes",
    "text": "a text in quotes",
    "date": "a text such as '2026-01-31'",
    "moment": "a text such as '2026-01-31 12:00'",
    "yes or no": "TRUE or FALSE",
}
"""How values of each kind of column are written."""


@dataclass(frozen=True)
class Comparison:
    """A public column held against a value."""

    column: str
    kind: str  # of KINDS
    value: Any

    def letters(self, alphabet: Alphabet) -> BoolArray:
        """Which letters of the column fulfil it; a missing letter fulfils only "missing", as in SQL.

        Labels are of one kind and in order, so a comparison is a range of them.
        """
        labels: Any = alphabet.columns[0]  # not copied: there may be as many as people
        known = _known(labels)
        holds = np.zeros(len(labels), dtype=bool)
        if self.kind == "missing":
            holds[known:] = True
            return holds
        kind = kind_of(labels)
        given = self.value if self.kind in ("in", "between") else (self.value,)
        values = [_fitted(self.column, kind, each) for each in given]
        if self.kind == "in":
            for value in values:
                holds[bisect_left(labels, value, 0, known) : bisect_right(labels, value, 0, known)] = True
            return holds
        low, high = bisect_left(labels, values[0], 0, known), bisect_right(labels, values[-1], 0, known)
        if self.kind == "!=":
            holds[:known] = True
            holds[low:high] = False
            return holds
        ends = {"=": (low, high), "between": (low, high), "<": (0, low), "<=": (0, high), ">": (high, known)}
        first, last = ends.get(self.kind, (low, known))
        holds[first:last] = True
        return holds


@dataclass(frozen=True)
class Junction:
    """All of them, any of them, or not the one."""

    kind: str  # "all", "any", "not"
    parts: tuple[Condition, ...]


Condition = Comparison | Junction
EVERYBODY = Junction("all", ())
NOBODY = Junction("any", ())


def kind_of(labels: Sequence[Label] | npt.NDArray[np.generic]) -> str:
    """What a column holds: "number", "text", "date", "moment", "yes or no"; "other" is for filters only missing or not.

    Labels are in order, kind after kind, so what is not of one kind, or infinite, shows at the ends.
    """
    known = _known(labels)
    if not known:
        return "other"
    first, last = _kind_of(plain(labels[0])), _kind_of(plain(labels[known - 1]))
    return first if first == last else "other"


def _known(labels: Sequence[Label] | npt.NDArray[np.generic]) -> int:
    """How many labels are not missing, which is the last."""
    return len(labels) - (len(labels) > 0 and labels[-1] is None)


def _kind_of(label: Label) -> str:
    if isinstance(label, bool):
        return "yes or no"
    if isinstance(label, str):
        return "text"
    if isinstance(label, dt.datetime):
        return "moment" if label.tzinfo is None else "moment with a zone"
    if isinstance(label, dt.date):
        return "date"
    return "number" if is_number(label) else "other"


def _fitted(column: str, kind: str, value: Any) -> Any:
    """A value as what the labels of a column compare with; one of another kind is refused, not taken for different."""
    how = HOW.get(kind.removesuffix(" with a zone"))
    if how is None:
        raise InputError(f"column {_shown(column)} cannot be compared with values: only IS NULL is offered for it")
    if kind == "number":
        found = None if isinstance(value, bool | str) else value
    elif kind in ("text", "yes or no"):
        found = value if isinstance(value, str if kind == "text" else bool) else None
    else:
        found = _moment(kind, value) if isinstance(value, str) else None
    if found is None:
        raise InputError(f"column {_shown(column)} holds {kind} values: compare it with {how}")
    return found


def _moment(kind: str, text: str) -> dt.date | None:
    """A text as a day or a moment; a moment without a zone is in UTC where the column has zones."""
    try:
        if kind == "date":
            return dt.date.fromisoformat(text)
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    if kind == "moment":
        return moment if moment.tzinfo is None else None
    return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment


def group_of(condition: Condition, public: Mapping[str, tuple[Alphabet, IntArray]], people: int) -> BoolArray:
    """Who fulfils a condition. A column that is not public is refused by name."""
    return _sides(condition, public, people)[0]


def _sides(
    condition: Condition, public: Mapping[str, tuple[Alphabet, IntArray]], people: int
) -> tuple[BoolArray, BoolArray]:
    """For whom a condition is true, and for whom it is false: for a missing value it is neither, as in SQL."""
    if isinstance(condition, Comparison):
        if condition.column not in public:
            raise InputError(f"column {_shown(condition.column)} is not public: filters may use {sorted(public)}")
        alphabet, codes = public[condition.column]
        holds = condition.letters(alphabet)
        fails = ~holds
        if condition.kind != "missing":
            fails[_known(alphabet.columns[0]) :] = False
        return holds[codes], fails[codes]
    if condition.kind == "not":
        true, false = _sides(condition.parts[0], public, people)
        return false, true
    is_all = condition.kind == "all"
    true, false = np.full(people, is_all), np.full(people, not is_all)
    for part in condition.parts:  # one at a time: a filter of many parts holds two masks, not hundreds
        holds, fails = _sides(part, public, people)
        if is_all:
            true &= holds
            false |= fails
        else:
            true |= holds
            false &= fails
    return true, false


def check_size(condition: Condition) -> None:
    """Refuse filters that are too large or too deep; without recursion, whatever built them."""
    level, depth, found = [condition], 0, 0
    while level:
        found += len(level)
        if found > MOST:
            raise InputError(f"the filter is too long: at most {MOST} comparisons")
        if depth > DEEPEST:
            raise InputError(f"the filter is nested too deeply: at most {DEEPEST} levels")
        level = [part for each in level if isinstance(each, Junction) for part in each.parts]
        depth += 1


def from_json(document: Any, depth: int = 0) -> Condition:
    """A condition from JSON; None is everybody."""
    if document is None:
        return EVERYBODY
    if depth > DEEPEST:
        raise InputError(f"the filter is nested too deeply: at most {DEEPEST} levels")
    if not isinstance(document, Mapping):
        raise InputError("a filter is an object: {column, is, value}, {all: [...]}, {any: [...]} or {not: {...}}")
    if set(document) in ({"all"}, {"any"}):
        ((kind, parts),) = document.items()
        if not isinstance(parts, list) or len(parts) > MOST:
            raise InputError(f"{kind!r} in a filter needs a list of at most {MOST} filters")
        return Junction(kind, tuple(from_json(part, depth + 1) for part in parts))
    if set(document) == {"not"}:
        return Junction("not", (from_json(document["not"], depth + 1),))
    if not {"column", "is"} <= set(document) <= {"column", "is", "value"}:
        raise InputError("a filter has the keys column, is and value, or one of all, any and not")
    return comparison(document["column"], document["is"], document.get("value"))


def comparison(column: Any, kind: Any, value: Any) -> Comparison:
    """A comparison, checked."""
    if not isinstance(column, str) or not _is_plain(column):
        raise InputError("the column of a filter is its name")
    if kind not in KINDS:
        raise InputError(f"a filter compares by one of {list(KINDS)}")
    if kind == "missing":
        if value is not None:
            raise InputError("'missing' in a filter has no value")
        return Comparison(column, kind, None)
    if kind in ("in", "between"):
        if not isinstance(value, list | tuple) or not value or not all(map(_is_plain, value)):
            raise InputError(f"{kind!r} in a filter needs a list of values: texts, numbers, true or false")
        if len(value) > LONGEST:
            raise InputError(f"'in' in a filter takes at most {LONGEST:,} values")
        if kind == "between" and len(value) != 2:
            raise InputError("'between' in a filter needs two values")
        return Comparison(column, kind, tuple(value))
    if not _is_plain(value):
        raise InputError("the value of a filter is text, a number, true or false")
    return Comparison(column, kind, value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)  # no ledger holds halves
    return isinstance(value, bool) or is_number(value)


def _shown(name: str) -> str:
    return repr(name if len(name) <= 60 else name[:60] + "…")


def to_json(condition: Condition) -> Any:
    """The JSON of a condition, as `from_json` reads it."""
    if isinstance(condition, Junction):
        if condition.kind == "not":
            return {"not": to_json(condition.parts[0])}
        if condition == EVERYBODY:
            return None
        return {condition.kind: [to_json(part) for part in condition.parts]}
    value = list(condition.value) if isinstance(condition.value, tuple) else condition.value
    return {"column": condition.column, "is": condition.kind} | ({} if value is None else {"value": value})
