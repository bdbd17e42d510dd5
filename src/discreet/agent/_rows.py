"""An answer as a row of the ledger."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One row: a question, the cells that were offered for it, and the one that is true."""

    book: str
    number: int
    key: str
    analyst: str
    question: dict[str, Any]
    cells: int  # how many were offered; 1 where nothing new was said
    answer: float | None
    error: float | None
    low: float
    high: float
    record: dict[str, Any]  # what the auditor needs to go on from here
    at: str

    @property
    def bits(self) -> float:
        """What it cost."""
        return math.log2(self.cells)


def total(answers: Sequence[Answer]) -> float:
    """Bits of several answers together."""
    return math.fsum(answer.bits for answer in answers)


def row_of(answer: Answer) -> dict[str, Any]:
    """An answer as the database holds it."""
    # JSON in ASCII: a filter may hold half a surrogate pair, which no database takes as text.
    texts = {"question": json.dumps(answer.question, sort_keys=True), "record": json.dumps(answer.record)}
    return {each.name: getattr(answer, each.name) for each in fields(answer)} | texts


def answer_of(row: Any) -> Answer:
    """The inverse of `row_of`."""
    content = {each.name: row[each.name] for each in fields(Answer)}
    return Answer(**{**content, "question": json.loads(content["question"]), "record": json.loads(content["record"])})
