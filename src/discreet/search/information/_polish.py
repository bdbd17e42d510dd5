"""Polishing: a frontier that no merge of two blocks and no move of one letter away from one of its points beats.

Every point's neighbours are held against the front; those that it does not have join it, and are looked at in turn, until there
are none left. To the last digit that can take forever: where no two letters share an s, all partitions are on the front
(docs/proofs.md). So it is done on ladders of leakage, each with rungs closer together: the front has one point per rung, the
most useful, and is closed when no neighbour is on a lower rung at its utility. On the last ladder rungs are rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from discreet._typing import Problem
from discreet.release._partitions import Partitions
from discreet.search._watch import Watch
from discreet.search.information._front import Front

if TYPE_CHECKING:
    from discreet.search.information._weights import Weights

LADDERS = (2.0**-6, 2.0**-8, 2.0**-10, 2.0**-12, 1e-10)
"""Bits between the rungs."""

SPEED = 1e8
"""Figures of blocks, in values of s, that a second is planned for."""

MOST = 20_000
"""Points of a front: with so many, the next would be too close to others to matter."""

TOP = 5_000
"""Merges of two single letters that are all taken up, where there are no more."""

PAIRS = 2_000_000
"""Letters times s of a problem that is polished: its blocks are rows of a table."""


class Polished(NamedTuple):
    """What polishing made of partitions.

    Attributes
    ----------
    within
        No merge and no move away from one of them leaks less by so many bits at the same utility; None: not known,
        because the work that was planned, or the time, ended first.
    """

    partitions: Partitions
    within: float | None


def is_polished(weights: Weights) -> bool:
    """Whether a problem is small enough."""
    return weights.n * weights.n_s <= PAIRS


def polish(
    weights: Weights,
    found: Partitions,
    problem: Problem = "funnel",
    *,
    seconds: float,
    leakage: str = "I",
    at_least: float = 0.0,
    watch: Watch | None = None,
    say: Callable[[str, float], object] | None = None,
) -> Polished:
    """The non-dominated ones among partitions and all that is reached from them by merges and moves that pay.

    How much is done depends on the size of the problem and on the seconds that are planned, not on the machine.
    """
    if not is_polished(weights):
        return Polished(found, None)
    front = Front(weights, leakage, problem, at_least)
    front.take(found)
    if weights.n * (weights.n - 1) // 2 <= TOP:
        front.take_merges_of_letters()
    work = _Work(front, seconds * SPEED, watch or Watch(), say)
    with work.watch:
        work.close()
    return Polished(front.partitions(math.inf if work.within is None else work.within), work.within)


@dataclass
class _Work:
    """What is planned, and what of it is done."""

    front: Front
    planned: float
    watch: Watch
    say: Callable[[str, float], object] | None
    within: float | None = None

    def close(self) -> None:
        """Ladder by ladder; then what was kept beside the rungs is looked at with the last step that was closed."""
        closed: float | None = None
        for step in LADDERS:
            self.front.begin(step)
            if not self._climb(step, self._is_full):
                break
            closed = step
        if closed is not None:
            self.front.begin(closed)
            self.front.end(closed)
            if self._climb(closed, lambda: self.front.work > 2 * self.planned):
                self.within = closed

    def _is_full(self) -> bool:
        """Whether what is left of the plan is needed for the points that wait already."""
        front = self.front
        return len(front) > MOST or front.work + front.work_left > self.planned

    def _climb(self, step: float, is_over: Callable[[], bool]) -> bool:
        """Look at the neighbours of every point that is waiting; whether none is left."""
        while len(waiting := self.front.waiting(step)):
            if self.say:
                self.say("polishing", min(1.0, self.front.work / self.planned))
            for row in waiting.tolist():
                if self.watch.over():
                    self.front.pending.clear()  # taken up now, they would be others than with more time
                    return False
                if is_over():
                    self.front.flush()
                    return False
                self.front.explore(row, step)
            self.front.flush()
        return True
