"""What all axes share: a typed column's values as codes, and what a coarse cell says (its text) and costs (its NCP).

NCP, the normalised certainty penalty of a cell, is 0 for a value as it was and 1 for "anything" (TABLES.md, Loss).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet._text import word
from discreet.columns._types import ColumnType, Kind

if TYPE_CHECKING:
    from discreet._typing import IntArray

Label = Any


@dataclass(frozen=True)
class Cell:
    """What a released cell says, what it costs, and which values it is true of.

    A stretch of a line has its ends in `low` and `high`, codes that were joined a `prefix`; anything else lists the values
    that it stands for in `members`. A cell with none of these stands for anything.
    """

    text: str
    ncp: float
    low: Label = None
    high: Label = None
    members: frozenset[Label] | None = None
    prefix: str | None = None

    def holds(self, label: Label) -> bool:
        """Whether the cell is true of a value."""
        if self.members is not None:
            return label in self.members
        if self.prefix is not None:
            return label is not None and word(label).startswith(self.prefix)
        if self.low is None:
            return True
        try:
            return label is not None and bool(self.low <= label <= self.high)
        except TypeError:  # a text among numbers
            return False


@dataclass(frozen=True, eq=False)
class Axis(ABC):
    """What all axes share: the column's name and type, and the code of every label that was counted."""

    name: str
    type: ColumnType
    labels: tuple[Label, ...] = field(repr=False)
    code_of: IntArray = field(repr=False)  # of each label

    @property
    def kind(self) -> Kind:
        """The column's kind."""
        return self.type.kind

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of codes."""

    @abstractmethod
    def cell(self, codes: tuple[int, ...]) -> Cell:
        """The cell of some codes, in increasing order; lines and trees look only at the first and the last."""

    @property
    @abstractmethod
    def limit(self) -> float:
        """The greatest NCP that a cell may have ("never coarser than")."""
