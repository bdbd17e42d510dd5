"""Cells of whole-number data that grow until they are proven safe.

The lemma of equal cells is unproved for whole numbers, so every cell is tested, and each test takes its share of the moves
and nodes that one question may cost. Cells are therefore grown outwards from what is likely: at the ends, where few
data sets are left and nothing may be safe, a search would have used up everything before it came to the middle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from discreet._typing import FloatArray
from discreet.queries.auditor._integral_search import Cover, Search


@dataclass(eq=False)
class Growing:
    """The cells of one question. Edges count whole numbers from `low`; a cell lies between two of them.

    `points` are the witnesses found on the way.
    """

    search: Search
    low: Fraction
    edges: list[int]
    points: list[FloatArray] = field(default_factory=list)

    def cuts(self) -> list[int]:
        """The edges between which all cells are safe; the first and the last edge alone when no more is proven."""
        middle = self.search.prospect.middle - float(self.low)
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

    def _grown(self, cover: Cover | None, fixed: int, moving: range) -> tuple[list[int], Cover | None]:
        """Move one edge of a cell until it is safe, fix it, and go on from there."""
        done = []
        for edge in moving:
            cover = cover or Cover(self.search, Fraction(0), Fraction(-1))
            first, stop = sorted((fixed, edge))
            if cover.grow(self.low + self.edges[first], self.low + self.edges[stop] - 1):
                done.append(edge)
                fixed = edge
                self.points += cover.points
                cover = None
        if cover is not None:
            self.points += cover.points
        return done, cover
