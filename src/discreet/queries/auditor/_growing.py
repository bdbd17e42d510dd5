"""Cells that grow outwards from what is likely until each is proven safe.

At the ends of what a question can be few data sets are left and nothing may be safe: a search that began there would have used
up everything before it came to the middle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol


class Covering(Protocol):
    """What the witnesses found so far prove of one cell."""

    points: list[Any]

    def grow(self, low: Fraction, high: Fraction) -> bool:
        """Make the cell reach from `low` to `high`, on one side beyond what it was; is everyone proven safe?"""


class Searching(Protocol):
    """Looks for witnesses in cells of one question."""

    @property
    def middle(self) -> float:
        """What the question is likely to be."""

    def cover(self) -> Covering:
        """Of a cell that nothing is in yet."""


@dataclass(eq=False)
class Growing:
    """The cells of one question. Edges count steps from `low`; a cell lies between two of them.

    `points` are the witnesses found on the way.
    """

    search: Searching
    low: Fraction
    edges: list[int]
    unit: Fraction = Fraction(1)
    points: list[Any] = field(default_factory=list)

    def cuts(self) -> list[int]:
        """The edges between which all cells are safe; the first and the last edge alone when no more is proven."""
        middle = (self.search.middle - float(self.low)) / float(self.unit)
        start = min(range(1, len(self.edges) - 1), key=lambda i: abs(self.edges[i] - middle), default=0)
        found = self._from(start)
        return found if len(found) > 2 or not start else self._from(0)

    def _from(self, start: int) -> list[int]:
        """Cells upwards from an edge, then downwards; what is left over at an end joins the cell next to it."""
        last = len(self.edges) - 1
        ups, rest = self._grown(None, start, range(start + 1, last + 1))
        if ups:
            ups[-1], rest = last, None
        # Without a safe cell above, what is there goes on growing downwards.
        downs, _ = self._grown(rest, start if ups else last, range(start - 1, -1, -1))
        if downs:
            downs[-1] = 0
        kept = [*reversed(downs or [0]), *([start] if ups and downs else []), *(ups or [last])]
        return [self.edges[i] for i in kept]

    def _grown(self, cover: Covering | None, fixed: int, moving: range) -> tuple[list[int], Covering | None]:
        """Move one edge of a cell until it is safe, fix it, and go on from there."""
        done = []
        for edge in moving:
            cover = cover or self.search.cover()
            first, stop = sorted((fixed, edge))
            ends = self.edges[first], self.edges[stop] - 1
            if cover.grow(*(self.low + end * self.unit for end in ends)):
                done.append(edge)
                fixed = edge
                self.points += cover.points
                cover = None
        if cover is not None:
            self.points += cover.points
        return done, cover
