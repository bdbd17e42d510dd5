"""Questions: an aggregate of a private column over a group of people, with the error that the analyst can use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.agent import _filters as conditions
from discreet.agent._filters import EVERYBODY, Condition
from discreet.agent._terms import Term, terms_from_json
from discreet.errors import InputError


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

    def __post_init__(self) -> None:
        if self.aggregate not in ("mean", "sum", "count"):
            raise InputError(f"aggregate {self.aggregate[:40]!r} is not offered: use mean, sum or count")
        if not math.isfinite(self.error) or self.error <= 0:
            raise InputError("the error must be a finite number above 0")
        if self.column and self.terms:
            raise InputError("a question is about one column, or about the terms of a sum")
        if self.terms and self.aggregate == "count":
            raise InputError("COUNT is of a column of 0 and 1 alone: use SUM")
        if len(set(self.by)) < len(self.by):
            raise InputError("GROUP BY names a column twice")
        conditions.check_size(self.where)

    def to_json(self) -> dict[str, Any]:
        """The question as JSON."""
        return {
            "dataset": self.dataset,
            "aggregate": self.aggregate,
            **({"terms": [term.to_json() for term in self.terms]} if self.terms else {"column": self.column}),
            "error": self.error,
            "where": conditions.to_json(self.where),
            **({"by": list(self.by)} if self.by else {}),
        }

    @classmethod
    def from_json(cls, document: Any) -> Question:
        """A question from JSON."""
        if not isinstance(document, Mapping):
            raise InputError("a question is an object: {dataset, aggregate, column, error, where}")
        if not set(document) <= {"dataset", "aggregate", "column", "error", "where", "by", "terms"}:
            raise InputError(
                "a question has the keys dataset, aggregate, column or terms, error, where and by, and no others"
            )
        terms = terms_from_json(document["terms"]) if document.get("terms") else ()
        for name in ("dataset", "aggregate", "column"):
            if not isinstance(document.get(name, "" if terms and name == "column" else None), str):
                raise InputError(f"a question needs its {name}, as text")
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
        )


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number past what a float can hold
        return math.inf
