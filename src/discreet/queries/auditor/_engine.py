"""What the two kinds of data have in common, as the auditor sees it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol

from discreet._typing import FloatArray
from discreet.queries.auditor._answer_cells import Cells
from discreet.queries.auditor._classes import System
from discreet.queries.auditor._kept_intervals import Extremes
from discreet.queries.auditor._people import Row


class Engine(Protocol):
    """What the transcript says of the data, and how to go on from it: real-valued or whole numbers."""

    @property
    def system(self) -> System:
        """Classes of people and slabs of their sums."""

    def prospect(self, row: Row, key: bytes, error: Fraction) -> Any:
        """The range that a question can still take, with what is needed to cut it."""

    def cells(self, prospect: Any, error: Fraction) -> Cells:
        """The cells of a question."""

    def after(self, prospect: Any, key: bytes, cells: Cells, chosen: int) -> Engine:
        """The state once a cell has been told."""

    def witness(self) -> FloatArray:
        """Sums of the classes, in steps, that every answer so far allows."""

    def extremes(self) -> Extremes:
        """What each class and each derived person can have at most and at least."""
