"""Questions: aggregates of private columns over a group of people, each with the error that the analyst can use."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from discreet.agent import _filters as conditions
from discreet.agent._category_counts import ALL
from discreet.agent._filters import EVERYBODY, Condition
from discreet.agent._terms import Term, terms_from_json
from discreet.errors import InputError

MOST = 20
"""Aggregates of one statement."""

LONGEST_NAME = 60
"""Letters of a name behind AS."""

BESIDE = ("error", "low", "high", "bits")
"""What stands beside an answer in a table."""

_WHOM = ("dataset", "where", "by")
_WHAT = ("aggregate", "column", "terms", "over", "error")


@dataclass(frozen=True)
class Question:
    """An aggregate of a private column, or of a sum of them, over a group, with the largest error that the analyst can use."""

    dataset: str
    aggregate: str  # "mean", "sum", "count"
    column: str  # empty where there are terms
    error: float
    where: Condition = EVERYBODY
    by: tuple[str, ...] = ()  # public columns whose groups are asked about, all in one question
    terms: tuple[Term, ...] = ()
    over: str = ""  # a public column whose sum, which everybody knows, the sum of the terms is divided by

    def __post_init__(self) -> None:
        if self.aggregate not in ("mean", "sum", "count"):
            raise InputError(f"aggregate {self.aggregate[:40]!r} is not offered: use mean, sum or count")
        if not math.isfinite(self.error) or self.error <= 0:
            raise InputError("the error must be a finite number above 0")
        if self.column and self.terms:
            raise InputError("a question is about one column, or about the terms of a sum")
        if self.terms and self.aggregate == "count":
            raise InputError("COUNT is of a column of 0 and 1 alone: use SUM")
        if self.over and (not self.terms or self.aggregate != "sum"):
            raise InputError("over is for a sum of terms: SUM(weight * column) / SUM(weight)")
        if len(set(self.by)) < len(self.by):
            raise InputError("GROUP BY names a column twice")
        conditions.check_size(self.where)

    def to_json(self) -> dict[str, Any]:
        """The question as JSON."""
        return {
            "dataset": self.dataset,
            **self.part(),
            "where": conditions.to_json(self.where),
            **({"by": list(self.by)} if self.by else {}),
        }

    def part(self) -> dict[str, Any]:
        """What it asks for as JSON, without whom it is about."""
        return {
            "aggregate": self.aggregate,
            **({"terms": [term.to_json() for term in self.terms]} if self.terms else {"column": self.column}),
            **({"over": self.over} if self.over else {}),
            "error": self.error,
        }

    @property
    def label(self) -> str:
        """A name for its answers, such as avg_height."""
        names = dict.fromkeys(name for term in self.terms for name in term.columns) or {self.column: None}
        call = "avg" if self.aggregate == "mean" else self.aggregate
        names.pop(ALL, None)
        return "_".join([call, *names, *(["per", self.over] if self.over else [])])

    @classmethod
    def from_json(cls, document: Any) -> Question:
        """A question from JSON."""
        if not isinstance(document, Mapping):
            raise InputError("a question is an object: {dataset, aggregate, column, error, where}")
        if not set(document) <= {*_WHOM, *_WHAT}:
            raise InputError(
                "a question has the keys dataset, aggregate, column or terms, over, error, where and by, and no others"
            )
        terms = terms_from_json(document["terms"]) if document.get("terms") else ()
        for name in ("dataset", "aggregate", "column"):
            if not isinstance(document.get(name, "" if terms and name == "column" else None), str):
                raise InputError(f"a question needs its {name}, as text")
        if not isinstance(document.get("over", ""), str):
            raise InputError("over is a public column")
        by = document.get("by") or []
        if not isinstance(by, list | tuple) or not all(isinstance(each, str) for each in by):
            raise InputError("by is a list of public columns")
        error = document.get("error")
        if isinstance(error, bool) or not isinstance(error, int | float):
            raise InputError("a question needs its error, as a number")
        return cls(
            document["dataset"],
            document["aggregate"],
            document.get("column", ""),
            _as_float(error),
            conditions.from_json(document.get("where")),
            tuple(by),
            terms,
            document.get("over", ""),
        )


@dataclass(frozen=True)
class Selection:
    """What one statement asks for: one aggregate, or several about the same people, and what the asker calls each.

    A name is empty where none was given.
    """

    questions: tuple[Question, ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.questions) <= MOST:
            raise InputError(f"a question asks for 1 to {MOST} numbers: SELECT AVG(column), …")
        for name in self.names:
            if name and (len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip()):
                raise InputError(f"AS needs a name of 1 to {LONGEST_NAME} letters that can be printed")
        columns = [*self.by, *(f"{label}{each}" for label in self.labels for each in ("", *(f"_{b}" for b in BESIDE)))]
        if not self.is_several:
            columns = [self.names[0], *self.by, *BESIDE] if self.names[0] else []
        if len(set(columns)) < len(columns):
            raise InputError(
                "two columns of the answer would have one name: give others behind AS, and not error, low, high or bits"
            )

    @classmethod
    def of(cls, question: Question) -> Selection:
        """One question without a name."""
        return cls((question,), ("",))

    @property
    def is_several(self) -> bool:
        """Whether it has more than one aggregate."""
        return len(self.questions) > 1

    @property
    def by(self) -> tuple[str, ...]:
        """The columns of GROUP BY."""
        return self.questions[0].by

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each aggregate is called: as the asker says, else by what it is."""
        found: list[str] = []
        for question, name in zip(self.questions, self.names, strict=True):
            label, again = name or question.label, 2
            while not name and label in (*found, *self.names):
                label, again = f"{question.label}_{again}", again + 1
            found.append(label)
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        """As JSON: a question, or what several have in common and what each asks for."""
        first = self.questions[0]
        if not self.is_several:
            return first.to_json() | ({"as": self.names[0]} if self.names[0] else {})
        parts = [question.part() | {"as": label} for question, label in zip(self.questions, self.labels, strict=True)]
        shared = {name: value for name, value in first.to_json().items() if name in _WHOM}
        return {**shared, "aggregates": parts}

    @classmethod
    def from_json(cls, document: Any) -> Selection:
        """From JSON."""
        if not isinstance(document, Mapping) or "aggregates" not in document:
            return cls._named([document])
        parts = document["aggregates"]
        if set(document) - {*_WHOM, "aggregates"} or not isinstance(parts, list | tuple):
            raise InputError("a question with aggregates has the keys dataset, aggregates, where and by, and no others")
        for part in parts:
            if not isinstance(part, Mapping) or not set(part) <= {*_WHAT, "as"}:
                raise InputError("each of the aggregates has the keys aggregate, column or terms, over, error and as")
        shared = {name: document[name] for name in _WHOM if name in document}
        return cls._named([{**shared, **part} for part in parts[: MOST + 1]])

    @classmethod
    def _named(cls, documents: Sequence[Any]) -> Selection:
        names = [each.get("as") or "" if isinstance(each, Mapping) else "" for each in documents]
        if not all(isinstance(name, str) for name in names):
            raise InputError("as is a name, as text")
        bare = [
            {name: value for name, value in each.items() if name != "as"} if isinstance(each, Mapping) else each
            for each in documents
        ]
        return cls(tuple(map(Question.from_json, bare)), tuple(names))


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number past what a float can hold
        return math.inf
