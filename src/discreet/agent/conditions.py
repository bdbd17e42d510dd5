"""Filters on public columns: a small tree of comparisons, from JSON or SQL, that says who is in a group.

{"column": "sex", "is": "=", "value": "F"}      {"column": "age", "is": "between", "value": [30, 40]}
{"all": [...]}    {"any": [...]}    {"not": {...}}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.labels import Alphabet, Codes, Label, plain

Mask = npt.NDArray[np.bool_]
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "!=": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}
MOST = 100  # parts of one filter
DEEPEST = 20


@dataclass(frozen=True)
class Comparison:
    """A public column held against a value."""

    column: str
    kind: str  # of COMPARISONS, or "in", "between", "missing"
    value: Any

    def letters(self, alphabet: Alphabet) -> Mask:
        """Which letters of the column fulfil it; a missing letter fulfils only "missing", as in SQL."""
        return np.fromiter((self._holds(label) for label in alphabet.labels()), dtype=bool, count=len(alphabet))

    def _holds(self, label: Label) -> bool:
        if self.kind == "missing":
            return label is None
        if label is None:
            return False
        if self.kind == "in":
            return any(_compares(label, each) and label == each for each in self.value)
        if self.kind == "between":
            low, high = self.value
            return _compares(label, low) and _compares(label, high) and bool(low <= label <= high)
        if not _compares(label, self.value):
            return self.kind == "!="
        return COMPARISONS[self.kind](label, self.value)


@dataclass(frozen=True)
class Junction:
    """All of them, any of them, or not the one."""

    kind: str  # "all", "any", "not"
    parts: tuple[Condition, ...]


Condition = Comparison | Junction
EVERYBODY = Junction("all", ())


def _compares(one: Any, other: Any) -> bool:
    """Whether two values have an order: numbers with numbers, texts with texts, and so on."""
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return numbers or type(one) is type(other)


def group_of(condition: Condition, public: Mapping[str, tuple[Alphabet, Codes]], people: int) -> Mask:
    """Who fulfils a condition. A column that is not public is refused by name."""
    return _sides(condition, public, people)[0]


def _sides(condition: Condition, public: Mapping[str, tuple[Alphabet, Codes]], people: int) -> tuple[Mask, Mask]:
    """For whom a condition is true, and for whom it is false: for a missing value it is neither, as in SQL."""
    if isinstance(condition, Comparison):
        if condition.column not in public:
            raise InputError(f"column {condition.column!r} is not public: filters may use {sorted(public)}")
        alphabet, codes = public[condition.column]
        holds = condition.letters(alphabet)
        is_known = np.fromiter((label is not None for label in alphabet.labels()), dtype=bool, count=len(alphabet))
        return holds[codes], (~holds & (is_known | (condition.kind == "missing")))[codes]
    sides = [_sides(part, public, people) for part in condition.parts]
    if condition.kind == "not":
        ((true, false),) = sides
        return false, true
    everybody, nobody = np.ones(people, dtype=bool), np.zeros(people, dtype=bool)
    trues, falses = [true for true, _ in sides], [false for _, false in sides]
    if condition.kind == "all":
        return np.logical_and.reduce([everybody, *trues]), np.logical_or.reduce([nobody, *falses])
    return np.logical_or.reduce([nobody, *trues]), np.logical_and.reduce([everybody, *falses])


def from_json(document: Any, depth: int = 0) -> Condition:
    """A condition from JSON; None is everybody."""
    if document is None:
        return EVERYBODY
    if not isinstance(document, Mapping) or depth > DEEPEST:
        raise InputError("a filter is an object: {column, is, value}, {all: [...]}, {any: [...]} or {not: {...}}")
    if set(document) in ({"all"}, {"any"}):
        ((kind, parts),) = document.items()
        if not isinstance(parts, list) or len(parts) > MOST:
            raise InputError(f"{kind!r} in a filter needs a list of at most {MOST} filters")
        return Junction(kind, tuple(from_json(part, depth + 1) for part in parts))
    if set(document) == {"not"}:
        return Junction("not", (from_json(document["not"], depth + 1),))
    if not {"column", "is"} <= set(document) <= {"column", "is", "value"}:
        raise InputError("a filter has the keys column, is and value")
    return comparison(document["column"], document["is"], document.get("value"))


def comparison(column: Any, kind: Any, value: Any) -> Comparison:
    """A comparison, checked."""
    if not isinstance(column, str):
        raise InputError("the column of a filter is its name")
    if kind == "missing" and value is None:
        return Comparison(column, kind, None)
    if kind in ("in", "between"):
        if not isinstance(value, list | tuple) or not value or len(value) > 10_000 or not all(map(_is_plain, value)):
            raise InputError(f"{kind!r} in a filter needs a list of values")
        if kind == "between" and len(value) != 2:
            raise InputError("'between' in a filter needs two values")
        return Comparison(column, kind, tuple(map(plain, value)))
    if kind not in COMPARISONS:
        raise InputError(f"a filter compares by one of {[*COMPARISONS, 'in', 'between', 'missing']}")
    if not _is_plain(value):
        raise InputError("the value of a filter is text, a number, true or false")
    return Comparison(column, kind, plain(value))


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | bool | int) or (isinstance(value, float) and np.isfinite(value))


def to_json(condition: Condition) -> Any:
    """The JSON of a condition, as `from_json` reads it."""
    if isinstance(condition, Junction):
        if condition.kind == "not":
            return {"not": to_json(condition.parts[0])}
        return {condition.kind: [to_json(part) for part in condition.parts]} if condition.parts else None
    value = list(condition.value) if isinstance(condition.value, tuple) else condition.value
    return {"column": condition.column, "is": condition.kind} | ({} if value is None else {"value": value})
