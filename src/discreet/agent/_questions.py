"""Questions: an aggregate of a private column over a group of people, with the error that the analyst can use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.agent import _filters as conditions
from discreet.agent._filters import EVERYBODY, Condition
from discreet.errors import InputError


@dataclass(frozen=True)
class Question:
    """An aggregate of a private column over a group, with the largest error that the analyst can use."""

    dataset: str
    aggregate: str  # "mean", "sum", "count"
    column: str
    error: float
    where: Condition = EVERYBODY
    by: tuple[str, ...] = ()  # public columns whose groups are asked about, all in one question

    def __post_init__(self) -> None:
        if self.aggregate not in ("mean", "sum", "count"):
            raise InputError(f"aggregate {self.aggregate[:40]!r} is not offered: use mean, sum or count")
        if not math.isfinite(self.error) or self.error <= 0:
            raise InputError("the error must be a finite number above 0")
        if len(set(self.by)) < len(self.by):
            raise InputError("GROUP BY names a column twice")
        conditions.check_size(self.where)

    def to_json(self) -> dict[str, Any]:
        """The question as JSON."""
        return {
            "dataset": self.dataset,
            "aggregate": self.aggregate,
            "column": self.column,
            "error": self.error,
            "where": conditions.to_json(self.where),
            **({"by": list(self.by)} if self.by else {}),
        }

    @classmethod
    def from_json(cls, document: Any) -> Question:
        """A question from JSON."""
        if not isinstance(document, Mapping):
            raise InputError("a question is an object: {dataset, aggregate, column, error, where}")
        if not set(document) <= {"dataset", "aggregate", "column", "error", "where", "by"}:
            raise InputError("a question has the keys dataset, aggregate, column, error, where and by, and no others")
        for name in ("dataset", "aggregate", "column"):
            if not isinstance(document.get(name), str):
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
            document["column"],
            _as_float(error),
            conditions.from_json(document.get("where")),
            tuple(by),
        )


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number past what a float can hold
        return math.inf
