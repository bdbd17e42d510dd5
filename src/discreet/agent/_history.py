"""Exposure over time: after each answer, what the most exposed person and the person in the middle still keep.

What a transcript left after its first answers never changes, so each point is computed once, by an auditor that follows the
ledger: a few answers at a time, so that looking at a page costs little. Of long transcripts every second, fourth, … is shown.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from discreet.agent._holdings import Holding
    from discreet.agent._ledger import Answer
    from discreet.queries.auditor import Auditor, CategoryAuditor

STEPS = 3
"""Answers that one look follows."""

MOST = 60
"""Points of a picture."""

WIDTH, HEIGHT = 500, 80


@dataclass
class History:
    """The points of one book so far: number of answers, and for each column the shortest and the middle share kept."""

    auditor: Auditor | CategoryAuditor
    holding: Holding
    columns: tuple[str, ...]
    seen: int = 0
    every: int = 1
    points: list[tuple[int, list[tuple[float, float]]]] = field(default_factory=list)

    @classmethod
    def of(cls, holding: Holding, columns: tuple[str, ...]) -> History:
        """Before any answer everybody keeps everything."""
        return cls(holding.auditor(*columns), holding, columns, points=[(0, [(1.0, 1.0)] * len(columns))])

    def follow(self, answers: list[Answer]) -> None:
        """Go on by a few answers."""
        for answer in answers[self.seen : self.seen + STEPS]:
            if answer.record:
                self.auditor.follow([answer.record])
            self.seen += 1
            if self.seen % self.every == 0 or self.seen == len(answers):
                lengths = self.holding.kept(self.auditor, *self.columns)
                ranges = [self.holding.dataset.columns[name].range for name in self.columns]
                shares = [(float(x.min() / r), float(np.median(x) / r)) for x, r in zip(lengths, ranges, strict=True)]
                self.points.append((self.seen, shares))
        if len(self.points) > MOST:
            self.every *= 2
            last = self.points[-1][0]
            self.points = [point for point in self.points if point[0] % self.every == 0 or point[0] == last]

    def picture(self, column: int, keep: float) -> dict[str, Any]:
        """Stairs of both shares over the number of answers, as paths of an SVG, and what is promised."""
        last = max(1, self.points[-1][0])
        least, middle = (self._stairs(column, side, last) for side in (0, 1))
        return {"least": least, "middle": middle, "keep": HEIGHT * (1 - keep), "last": last, "seen": self.seen}

    def _stairs(self, column: int, side: int, last: int) -> str:
        said: list[str] = []
        before = 0.0
        for number, shares in self.points:
            x, y = WIDTH * number / last, HEIGHT * (1 - shares[column][side])
            said.append(f"M{x:.1f} {y:.1f}" if not said else f"L{x:.1f} {before:.1f}L{x:.1f} {y:.1f}")
            before = y
        return "".join(said)


class Histories:
    """Those of all books; one look at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, History] = {}

    def look(self, book: str, holding: Holding, columns: tuple[str, ...], answers: list[Answer]) -> History:
        """The history of a book, a few answers further than at the last look."""
        with self._lock:
            found = self._known.get(book)
            if found is None:
                found = self._known[book] = History.of(holding, columns)
            found.follow(answers)
            return found
