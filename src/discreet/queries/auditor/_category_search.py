"""Witnesses for the cells of a count of one category: data sets in whole numbers, within limits on steps and nodes.

A witness says how many people of each class are in each category. It is found by a walk from one that is known, which moves
people until every bound holds, and checked by whoever takes it. One witness proves a category possible for everybody of a
class if somebody of it is there, or could be if nobody else changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from discreet._typing import BoolArray, FloatArray, IntArray
from discreet.queries.auditor._category_classes import Classes, rounded

MOVES = 3000
"""Of one walk."""

WALKS = 1e8
"""Elementary steps that one question may take: those of walks, and some for every point that is looked at."""

BEGINNING = 20
"""Elementary steps for each class and category, to begin a walk and to check where it led."""

MODELS = 4
"""Integer programs of one question, at most."""

NODES = 50
"""Nodes of one integer program, at most."""

AGAIN = 5
"""Witnesses that are looked at again when their cell grows."""

SWEEPS = 4
"""Rounds of exchanges in one cell."""


@dataclass(eq=False)
class Prospect:
    """A question as the history sees it: what it can still be, and the witnesses that are known."""

    classes: Classes
    place: int
    category: int
    error: Fraction
    low: int
    high: int
    pool: list[IntArray]
    found: list[IntArray] = field(default_factory=list)
    ends: list[FloatArray] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def value(self, point: IntArray) -> int:
        """The count that a point has."""
        return int(point[self.classes.inside[:, self.place], self.category].sum())

    def near(self, low: int, high: int) -> list[IntArray]:
        """Known witnesses, those whose count is nearest to a cell first."""
        known = [*self.pool, *self.found]
        # Witnesses are only added, so that what each has is counted once.
        self.values += [self.value(point) for point in known[len(self.values) :]]
        away = [max(low - value, value - high, 0) for value in self.values]
        return [known[i] for i in np.argsort(away, kind="stable").tolist()]

    @cached_property
    def curve(self) -> list[tuple[float, FloatArray]]:
        """Points on the way from one end of the count to the other, in order: all bounds hold between them, too."""
        if not self.pool:
            return []
        points = [*self.ends, np.mean(self.pool, axis=0)]
        values = [float(point[self.classes.inside[:, self.place], self.category].sum()) for point in points]
        return [(values[i], points[i]) for i in np.argsort(values, kind="stable").tolist()]

    def starts(self, low: int, high: int) -> list[IntArray]:
        """Where a walk into a cell may begin: at a known witness, or between points whose counts lie on both sides."""
        target, found = (low + high) / 2, self.near(low, high)[:1]
        for (a, one), (b, other) in pairwise(self.curve):
            if a < b and a <= target <= b:
                share = (target - a) / (b - a)
                found.insert(0, rounded((1 - share) * one + share * other))
        return found[:2]


@dataclass(eq=False)
class Search:
    """Looks for witnesses in cells of one question, within limits on steps and integer programs."""

    prospect: Prospect
    keep: int
    walks: float = WALKS
    models: int = MODELS
    seed: int = 1

    @property
    def middle(self) -> float:
        """What the question is likely to be: in the middle of the known witnesses."""
        return float(np.mean([self.prospect.value(point) for point in self.prospect.pool] or [0]))

    def cover(self) -> Cover:
        """Of a cell that nothing is in yet."""
        prospect = self.prospect
        return Cover(self, np.zeros((prospect.classes.n, prospect.classes.categories), bool))

    def walk(self, system: Classes, start: IntArray, least: IntArray, *, spare: bool) -> IntArray | None:
        """A witness near a point; with room to spare in every bound that is wide enough, so that everyone can move alone."""
        from discreet.queries.auditor._category_kernels import walk

        if self.walks <= 0:
            return None
        low, high = system.low, system.high
        if spare:
            wide = system.told & (high - low >= 2)
            low = low + (wide & (low > 0))
            high = high - (wide & (high < (system.sizes @ system.inside)[:, None]))
        point = start.copy()
        self.seed += 1
        fits, seen = walk(*system.links, point, least, low, high, MOVES, self.seed)
        self.walks -= seen + BEGINNING * point.size
        return point if fits else None

    def witness(self, system: Classes, starts: list[IntArray], least: IntArray) -> IntArray | None:
        """A witness by walking from several points, then by an integer program."""
        for spare in (True, False):
            for start in starts:
                point = self.walk(system, start, least, spare=spare)
                if point is not None:
                    return point
        if not self.models:
            return None
        self.models -= 1
        return system.model(least, NODES)


@dataclass(eq=False)
class Cover:
    """What the witnesses found so far prove of one cell that grows: which categories people of each class can have."""

    search: Search
    seen: BoolArray
    points: list[IntArray] = field(default_factory=list)

    def add(self, system: Classes, point: IntArray) -> bool:
        """Count a witness in, if it is one."""
        from discreet.queries.auditor._category_kernels import proven

        self.search.walks -= BEGINNING * point.size
        if not system.holds(point):
            return False
        self.points.append(point)
        starts, groups, *_ = system.links
        self.seen |= proven(starts, groups, point, system.low, system.high)
        return True

    def grow(self, low: Fraction, high: Fraction) -> bool:
        """Make the cell reach from `low` to `high`, both included; is everyone proven safe?"""
        prospect = self.search.prospect
        if self.search.walks <= 0:
            return False
        first, last = int(low), int(high)
        system = prospect.classes.cut(prospect.place, prospect.category, first, last)
        # What witnesses proved of a narrower cell still holds, and a wider one may let them do more.
        tried = {id(point) for point in self.points}
        again, self.points = self.points[-AGAIN:], self.points[:-AGAIN]
        fresh = (point for point in prospect.near(first, last) if id(point) not in tried)
        for point in [*again, *(point for point in fresh if first <= prospect.value(point) <= last)]:
            if not self.safe:
                self.add(system, point)
        if not self.points:
            none = np.zeros_like(self.seen, np.int64)
            another = self.search.witness(system, prospect.starts(first, last), none)
            if another is None or not self.add(system, another):
                return False
            prospect.found.append(another)
        return self.safe or self.look_further(system)

    @property
    def safe(self) -> bool:
        """Whether everyone keeps enough categories."""
        return bool(self.points) and bool((self.seen.sum(axis=1) >= self.search.keep).all())

    def look_further(self, system: Classes) -> bool:
        """More witnesses for classes that are not proven safe: by exchanges, then one by one; one without ends it."""
        self.exchange(system, self.search.keep)
        while len(short := np.flatnonzero(self.seen.sum(axis=1) < self.search.keep)):
            if self.search.walks <= 0 or not self.widen(system, int(short[0])):
                return False
        return True

    def exchange(self, system: Classes, keep: int) -> None:
        """Witnesses in which many have another category than before."""
        from discreet.queries.auditor._category_kernels import exchange

        search = self.search
        for _ in range(SWEEPS):
            if search.walks <= 0 or (self.seen.sum(axis=1) >= keep).all():
                return
            point, before = self.points[-1].copy(), int(self.seen.sum())
            search.seed += 1
            starts, groups, *_ = system.links
            changed, steps = exchange(starts, groups, point, system.low, system.high, self.seen, keep, search.seed)
            search.walks -= steps + BEGINNING * point.size
            if not changed or not self.add(system, point) or int(self.seen.sum()) == before:
                return

    def widen(self, system: Classes, c: int) -> bool:
        """Find a witness in which somebody of class c is in a category that none was in before."""
        for category in np.flatnonzero(~self.seen[c]).tolist():
            least = np.zeros_like(self.points[-1])
            least[c, category] = 1
            start = self.points[-1].copy()
            start[c, int(start[c].argmax())] -= 1
            start[c, category] += 1
            point = self.search.witness(system, [start], least)
            if point is not None and self.add(system, point):
                return True
        return False
