"""Questions, what was offered, and which cell was told: all that an auditor says, and all that it is made of."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from discreet._text import at_least, at_most, plus_minus
from discreet._typing import IntArray
from discreet.errors import InputError
from discreet.queries._pictures import fact_table, strip
from discreet.queries.auditor._answer_cells import Cells

NOT_WRITTEN = "this is no transcript of an auditor of these people: give back what to_dict() wrote, unchanged"


class Price(NamedTuple):
    """What a question would cost: the number of cells offered, and bits (0 for a question asked before)."""

    cells: int
    bits: float


@dataclass(frozen=True)
class Reply:
    """An answer and what it says.

    Attributes
    ----------
    answer
        The middle of the cell, in the units of the aggregate; None when only one cell is left: nothing new is said.
    error
        The true value is at most this far from the middle of the cell.
    cell
        What is now known of the true value; both ends are included for integral data.
    cells
        What was offered: the same whatever the data.
    bits
        log2 of the number of cells offered; 0 for a question asked before.

    Examples
    --------
    >>> Reply(0.5, 0.5, (0.0, 1.0), [(0.0, 1.0), (1.0, 2.0)], 1.0)
    Reply(0.5 ± 0.5, 2 cells, 1 bits)
    """

    answer: float | None
    error: float
    cell: tuple[float, float]
    cells: list[tuple[float, float]]
    bits: float

    def to_dict(self) -> dict[str, Any]:
        """The reply for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        said = "nothing new" if self.answer is None else plus_minus(self.answer, self.error)
        return f"Reply({said}, {len(self.cells)} cells, {self.bits:.3g} bits)"

    def _repr_html_(self) -> str:
        known = f"from {at_most(self.cell[0])} to {at_least(self.cell[1], 6)}"
        if self.answer is None:
            first = ("answer", "nothing new", "one cell is left: all of it was known before")
        else:
            first = ("answer", plus_minus(self.answer, self.error), "the middle of the cell of the true value")
        rows = [
            first,
            ("cell", known, "all that is known of the true value"),
            ("cells offered", f"{len(self.cells):,}", "the same whatever the data"),
            ("bits", f"{self.bits:.3g}", "spent on this reply" if self.bits else "a reply that adds nothing is free"),
        ]
        return fact_table("the auditor's reply", rows, strip(self.cells, self.cell))


@dataclass(frozen=True, eq=False)
class Question:
    """A sum over members with an error in units of that sum; `divisor` turns the sum into the aggregate.

    `weights` are whole numbers without a common divisor, one a member and none of them 0; None where all are 1.
    With a `category`, the members who are in it are counted.
    """

    members: IntArray
    people: int
    error: Fraction
    divisor: int | Fraction
    weights: IntArray | None = None
    category: int | None = None

    @cached_property
    def mask(self) -> bytes:
        """The members, as bits."""
        mask = np.zeros(self.people, np.bool_)
        mask[self.members] = True
        return np.packbits(mask).tobytes()

    @cached_property
    def key(self) -> bytes:
        """What is summed: the members, and their weights; or what is counted."""
        if self.category is not None:
            return self.mask + self.category.to_bytes(4, "big")
        return self.mask if self.weights is None else self.mask + self.weights.astype("<i8").tobytes()


@dataclass(frozen=True, eq=False)
class Record:
    """A question that was answered. `free`: it was implied by an earlier answer about the same members."""

    question: Question
    cells: Cells
    chosen: int
    free: bool

    @property
    def cuts(self) -> bool:
        """Whether it told something new."""
        return len(self.cells) > 1 and not self.free

    def to_dict(self) -> dict[str, Any]:
        """The record for JSON, with the members as compressed bits, and their weights where there are some."""
        divisor, weights = self.question.divisor, self.question.weights
        return {
            "members": _packed(self.question.mask),
            **({} if weights is None else {"weights": _packed(weights.astype("<i8").tobytes())}),
            **({} if self.question.category is None else {"category": self.question.category}),
            "error": str(self.question.error),
            "divisor": divisor if isinstance(divisor, int) else str(divisor),
            "cells": self.cells.to_dict(),
            "chosen": self.chosen,
            "free": self.free,
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any], people: int) -> Record:
        """The inverse of `to_dict`; an error when it is not what that wrote about so many people."""
        try:
            bits = np.frombuffer(_unpacked(said["members"]), np.uint8)
            members = np.flatnonzero(np.unpackbits(bits, count=people))
            weights, divisor = None, said["divisor"]
            if "weights" in said:
                weights = np.frombuffer(_unpacked(said["weights"]), "<i8").astype(np.int64)
            divisor = Fraction(divisor) if isinstance(divisor, str) else int(divisor)
            category = int(said["category"]) if "category" in said else None
            question = Question(members, people, Fraction(said["error"]), divisor, weights, category)
            record = cls(question, Cells.from_dict(said["cells"]), int(said["chosen"]), bool(said["free"]))
        except (TypeError, ValueError, KeyError, ArithmeticError, zlib.error):
            raise InputError(NOT_WRITTEN) from None
        fits = divisor > 0 if isinstance(divisor, Fraction) else divisor in (1, len(members))
        fits &= weights is None or (len(weights) == len(members) and bool(weights.all()))
        whole = len(bits) == (people + 7) // 8 and len(members) and question.error > 0
        if not whole or not fits or not 0 <= record.chosen < len(record.cells):
            raise InputError(NOT_WRITTEN)
        return record


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
