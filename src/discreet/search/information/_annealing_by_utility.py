"""Annealing by bands of utility: the best partition known in each of many narrow bands of I(X;X̂).

A multiplier only ever supports the convex part of a frontier. Here annealing is drawn to one utility θ after another: the
funnel minimises I(S;X̂) − I(X;X̂)/2 + |I(X;X̂) − θ|/2, which is I(S;X̂) above θ and falls short with I(X;X̂) below it; the
bottleneck I(X;X̂)/2 − I(S;X̂) + |I(X;X̂) − θ|/2, which is −I(S;X̂) below θ. Moves and swaps that are accepted pass
through many bands, and each keeps the best it has seen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet._typing import FloatArray, IntArray, Problem
from discreet.release._hypervolume import non_dominated
from discreet.release._partitions import Listed, Partitions
from discreet.search.information._integers import Integers
from discreet.search.information._moves import new_archive, tables_of

TURNS = 400
"""Utilities that annealing is drawn to."""

COURSES = ((0.25, 0.5, 1), (0.25, 0.5, -1), (0.35, 1.0, -1))
"""From one block up (1) or from single letters down (-1): temperature in bits of N·I, pull to θ, direction."""

LOCAL = (0.25, 0.15, 0.1, 0.06)
"""Temperatures of annealing from what the bands hold."""

TILT = 0.5
"""The weight of I(X;X̂), which the pull to θ takes away on one side and doubles on the other."""

TAKEN = 8
"""Times that what the bands hold is taken, in each run of annealing from there."""

WHOLE = 1_500
"""Letters up to which annealing may start from scratch."""

SPEED = 5e6
"""Moves that a second is planned for, with one s per letter."""


class Bands:
    """The bands and what they hold.

    A band forgets what it held for something that scores better, which need not dominate it. So what the bands hold is taken
    now and then, always at the same points of the work, and `found` is the best of all that was taken: what less time finds,
    more time finds, or better.
    """

    def __init__(self, integers: Integers, problem: Problem, least: int, rng: np.random.Generator) -> None:
        self.integers, self.least, self.rng = integers, least, rng
        self.sign = 1.0 if problem == "funnel" else -1.0
        _, most = integers.information(np.arange(integers.n))
        bands = int(np.clip(8_000_000 // integers.n, TURNS, 10 * TURNS))
        self.archive = new_archive(integers, 1, (0.0, float(most)), (self.sign, -TILT * self.sign), bands)
        self.leakage, self.utility = self.archive.leakage[:0], self.archive.utility[:0]
        self.block = self.archive.block[:0]

    def fill(self, found: Partitions) -> None:
        """Take the best of these into each band."""
        from discreet.search.information._moves_kernels import keep

        bands = len(self.archive.score)
        leakage, utility = found.leakage, found.utility
        unit = self.integers.scale * self.integers.total
        whole_leakage, whole_utility = np.rint(leakage * unit), np.rint(utility * unit)
        band = np.minimum(bands - 1, whole_utility / self.archive.high * bands).astype(np.int64)
        order = np.lexsort((self.sign * (leakage - TILT * utility), band))
        first = np.flatnonzero(np.diff(band[order], prepend=-1))
        for i in order[first].tolist():
            keep(self.archive, int(whole_leakage[i]), int(whole_utility[i]), found.partition(i))

    def anneal(self, seconds: float, late: Callable[[], bool], say: Callable[[str, float], None]) -> None:
        """From scratch on small problems without a condition, then from the bands; as much as suits the time planned."""
        n = self.integers.n
        courses = COURSES if n <= WHOLE and not self.least else ()  # moves cannot build a heavy block from nothing
        runs = len(courses) + len(LOCAL)
        affordable = seconds * SPEED / (1 + 0.25 * len(self.integers.count) / n)
        turns = min(TURNS, 8 * n)
        proposals = int(np.clip(affordable / (turns * runs), 5 * n, 50 * n))
        turns = int(np.clip(affordable / (proposals * runs), 1, turns))
        targets = np.linspace(0.0, self.archive.high, turns + 2)[1:-1]
        for run, (temperature, pull, direction) in enumerate(courses):
            say("annealing", run / runs)
            if not late():
                start = np.zeros(n, np.int64) if direction == 1 else np.arange(n)
                self._cool(start, targets[::direction].copy(), pull, temperature, proposals, n)
                self._take()
        between = -(-len(targets) // TAKEN)
        for run, temperature in enumerate(LOCAL, start=len(courses)):
            say("annealing", run / runs)
            for turn, target in enumerate(targets, start=1):
                if late():
                    return
                kept = self._kept()
                nearest = kept[np.argmin(np.abs(self.archive.utility[kept] - target))]
                start = self.archive.block[nearest].astype(np.int64)
                self._cool(start, np.array([target]), TILT, temperature, proposals)
                if turn % between == 0 or turn == len(targets):
                    self._take()

    def _cool(
        self,
        start: IntArray,
        targets: FloatArray,
        pull: float,
        temperature: float,
        proposals: int,
        slots: int | None = None,
    ) -> None:
        from discreet.search.information._moves_kernels import Course, anneal

        tables = tables_of(self.integers, start, slots)
        course = Course(self.sign, TILT, targets, pull, temperature * self.integers.scale, proposals)
        anneal(tables, self.archive, course, self.least, self.rng)

    def _kept(self) -> IntArray:
        return np.flatnonzero(np.isfinite(self.archive.score))

    def _take(self) -> None:
        """Add what the bands hold to the best of what was taken before."""
        kept = self._kept()
        leakage = np.concatenate((self.leakage, self.archive.leakage[kept]))
        utility = np.concatenate((self.utility, self.archive.utility[kept]))
        best = non_dominated(self.sign * leakage, self.sign * utility)
        self.leakage, self.utility = leakage[best], utility[best]
        self.block = np.concatenate((self.block, self.archive.block[kept]))[best]

    def found(self) -> Partitions:
        """The best of all that was taken; none where time ended annealing before that."""
        bits = self.integers.bits
        return Partitions(np.maximum(0.0, bits(self.leakage)), np.maximum(0.0, bits(self.utility)), Listed(self.block))
