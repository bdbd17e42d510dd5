"""Questions, what was offered, and which cell was told: all that the auditor's state is made of."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from discreet._typing import IntArray
from discreet.errors import InputError
from discreet.queries.auditor._answer_cells import Cells

NOT_WRITTEN = "this is no transcript of an auditor of these people: give back what state() wrote, unchanged"


@dataclass(frozen=True, eq=False)
class Question:
    """A sum over members with an error in units of that sum; `divisor` turns the sum into the aggregate."""

    members: IntArray
    people: int
    error: Fraction
    divisor: int

    @cached_property
    def key(self) -> bytes:
        """The members, as bits."""
        mask = np.zeros(self.people, np.bool_)
        mask[self.members] = True
        return np.packbits(mask).tobytes()


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
        """JSON-able."""
        return {
            "members": base64.b64encode(zlib.compress(self.question.key, 9)).decode(),
            "error": str(self.question.error),
            "divisor": self.question.divisor,
            "cells": self.cells.to_dict(),
            "chosen": self.chosen,
            "free": self.free,
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any], people: int) -> Record:
        """The inverse of `to_dict`; an error when it is not what that wrote about so many people."""
        try:
            bits = np.frombuffer(zlib.decompress(base64.b64decode(said["members"])), np.uint8)
            members = np.flatnonzero(np.unpackbits(bits, count=people))
            question = Question(members, people, Fraction(said["error"]), int(said["divisor"]))
            record = cls(question, Cells.from_dict(said["cells"]), int(said["chosen"]), bool(said["free"]))
        except (TypeError, ValueError, KeyError, ArithmeticError, zlib.error):
            raise InputError(NOT_WRITTEN) from None
        whole = len(bits) == (people + 7) // 8 and len(members) and question.error > 0
        if not whole or question.divisor not in (1, len(members)) or not 0 <= record.chosen < len(record.cells):
            raise InputError(NOT_WRITTEN)
        return record
