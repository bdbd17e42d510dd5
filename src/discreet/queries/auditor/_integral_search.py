"""Whole-number witnesses for the cells of one question, within limits on moves and nodes.

Real witnesses prove nothing about whole numbers (AUDITOR.md, trap 3: the Fano plane), so every witness is a vector of
whole numbers that satisfies every row: one is found in a cell by rounding the middle of the relaxation and mending it,
and others from it for the people it does not prove safe.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.queries.auditor._classes import System, dot
from discreet.queries.auditor._people import Row
from discreet.queries.auditor._reach import interpolated
from discreet.queries.auditor._witnesses import kept, solo

MOVES = 1000
"""Of one walk that mends a point."""

WALKS = 5e8
"""Elementary steps that the walks of one question may take: weights looked at, and some for each class when one begins."""

BEGINNING = 60
"""Elementary steps a class, to begin a walk and to check where it led."""

MODELS = 4
"""Integer programs solved for one question, at most."""

AGAIN = 20
"""Witnesses that are looked at again when their cell grows."""

NODES = 50
"""Nodes of one integer program, at most."""

MODEL_SIZE = 10_000
"""Integer programs are for systems of at most this many classes x rows."""


@dataclass(frozen=True, eq=False)
class Prospect:
    """A question as the history sees it: the whole numbers it can still be, and where to look for witnesses."""

    system: System
    row: Row
    place: int
    objective: FloatArray
    error: Fraction
    low: Fraction
    high: Fraction
    pool: list[FloatArray]
    curve: list[FloatArray]
    found: list[FloatArray] = field(default_factory=list)

    def cut(self, low: Fraction, high: Fraction) -> System:
        """The system that this cell would leave, both ends included."""
        factor, offset = self.row.scale / self.system.people.unit, self.row.offset
        return self.system.tighten(self.place, (low - offset) * factor, (high - offset) * factor, closed=True)

    def within(self, low: Fraction, high: Fraction) -> list[FloatArray]:
        """The witnesses that were found, but for those whose value is outside a cell."""
        factor, offset = self.row.scale / self.system.people.unit, self.row.offset
        first, last = (low - offset) * factor, (high - offset) * factor
        return [point for point in self.found if first <= dot(self.objective, point) <= last]

    @cached_property
    def witnesses(self) -> list[tuple[Fraction, FloatArray]]:
        """The known witnesses, each with the question's value."""
        unit, offset = self.system.people.unit / self.row.scale, self.row.offset
        return [(offset + unit * int(dot(self.objective, point)), point) for point in self.pool]

    @cached_property
    def relaxed(self) -> tuple[FloatArray, list[FloatArray]]:
        """Points of the relaxation in the order of the question's value."""
        values = np.array([dot(self.objective, point) for point in self.curve])
        order = np.argsort(values, kind="stable")
        return values[order], [self.curve[i] for i in order]

    @property
    def middle(self) -> float:
        """The question's value at the centre of the relaxation."""
        unit = float(self.system.people.unit) / self.row.scale
        return float(self.row.offset) + unit * dot(self.objective, self.curve[0])

    def near(self, low: Fraction, high: Fraction) -> FloatArray:
        """A point of the relaxation whose value is in the middle of a cell."""
        values, points = self.relaxed
        factor = self.row.scale / self.system.people.unit
        return interpolated(values, points, float(((low + high) / 2 - self.row.offset) * factor))


@dataclass(eq=False)
class Search:
    """Looks for witnesses in cells of one question, within limits on walks and integer programs."""

    prospect: Prospect
    walks: float = WALKS
    models: int = MODELS

    @property
    def middle(self) -> float:
        """What the question is likely to be."""
        return self.prospect.middle

    def cover(self) -> Cover:
        """Of a cell that nothing is in yet."""
        return Cover(self, Fraction(0), Fraction(-1))

    @cached_property
    def by_row(self) -> tuple[IntArray, IntArray]:
        """Classes of each row."""
        system = self.prospect.system
        column = np.repeat(np.arange(system.n), np.diff(system.indptr))
        # As few bytes as there are rows: then they are not compared, but counted.
        order = np.argsort(system.rows.astype(np.min_scalar_type(system.n_rows)), kind="stable")
        return np.concatenate([[0], np.cumsum(np.bincount(system.rows, minlength=system.n_rows))]), column[order]

    def mend(self, system: System, start: FloatArray, least: FloatArray, most: FloatArray) -> FloatArray | None:
        """A witness near a point, each class within [least, most]."""
        from discreet.queries.auditor._slab_kernels import repair

        matrix = (system.indptr, system.rows, system.weights, *self.by_row)
        # First with room to spare in every row that is wide enough, so that everyone in it can move alone.
        spare = np.minimum(system.need.max(), np.floor((system.ceiling - system.floor) / 2))
        for margin in (spare, np.zeros(system.n_rows)) if spare.any() else (spare,):
            if self.walks <= 0:
                return None
            point = np.clip(rounded(start), least, most)
            fits, seen = repair(*matrix, point, least, most, system.floor + margin, system.ceiling - margin, MOVES)
            self.walks -= seen + BEGINNING * system.n
            if fits:
                return point
        return None

    def model(self, system: System, least: FloatArray, most: FloatArray) -> FloatArray | None:
        """A witness by an integer program, each class within [least, most]."""
        if not self.models:
            return None
        self.models -= 1
        return modelled(system, np.zeros(system.n), least, most)

    def witness(
        self, system: System, starts: list[FloatArray], least: FloatArray, most: FloatArray
    ) -> FloatArray | None:
        """A witness, by walking from several points and then by an integer program; whoever takes it checks it."""
        walked = (self.mend(system, start, least, most) for start in starts)
        point = next((point for point in walked if point is not None), None)
        return self.model(system, least, most) if point is None else point


@dataclass(eq=False)
class Cover:
    """What the witnesses found so far prove of one cell that grows, from low to high."""

    search: Search
    low: Fraction
    high: Fraction
    points: list[FloatArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        system = self.search.prospect.system
        self.most = np.full(system.n, -np.inf)
        self.least = np.full(system.n, np.inf)

    def add(self, system: System, point: FloatArray) -> bool:
        """Count a witness in, if it is one."""
        found = solo(system, point)
        if found is None:
            return False
        self.points.append(point)
        self.most, self.least = np.maximum(self.most, found[0]), np.minimum(self.least, found[1])
        return True

    def grow(self, low: Fraction, high: Fraction) -> bool:
        """Make the cell reach from `low` to `high`, on one side beyond what it was; is everyone proven safe?"""
        search, prospect = self.search, self.search.prospect
        first, last = low, high
        if self.points:
            unit = prospect.system.people.unit
            first, last = (self.high + unit, high) if high > self.high else (low, self.low - unit)
        self.low, self.high = low, high
        system = prospect.cut(low, high)
        # What witnesses proved of a narrower cell still holds; only the last of them are asked what more room lets them do.
        many = max(0, len(self.points) - AGAIN)
        old, self.points = self.points[many:], self.points[:many]
        for point in [*old, *(point for value, point in prospect.witnesses if first <= value <= last)]:
            self.add(system, point)
        if not self.safe(system):
            another = search.witness(system, [prospect.near(first, last)], np.zeros(system.n), system.total)
            if another is not None:
                self.add(system, another)
        return self.safe(system) or self.look_further(system)

    def safe(self, system: System) -> bool:
        """Whether everyone keeps two values far enough apart."""
        return bool(self.points) and bool((kept(system, self.most, self.least) >= system.need).all())

    def look_further(self, system: System) -> bool:
        """A witness of its own for each class that is not proven safe; the first that cannot be found ends it."""
        if not self.points:
            return False
        while len(short := np.flatnonzero(kept(system, self.most, self.least) < system.need)):
            if not self.widen(system, int(short[0])):
                return False
        return True

    def widen(self, system: System, c: int) -> bool:
        """Find a witness in which class c is larger or smaller than in all others, by enough."""
        others = (system.members[c] - 1) * system.steps[c]
        floor = max(0.0, self.least[c] - others)
        reach = min(system.steps[c], self.most[c])
        total = system.total[c]
        ways = (floor + system.need[c], total), (0.0, reach - system.need[c] + others)
        for least, most in ways:
            if least > most or (least <= self.most[c] and most >= self.least[c]):
                continue
            lowest, highest = np.zeros(system.n), system.total.copy()
            lowest[c], highest[c] = least, most
            starts = [self.points[-1], self.search.prospect.near(self.low, self.high)]
            point = self.search.witness(system, starts, lowest, highest)
            if point is not None and self.add(system, point):
                return True
        return False


def rounded(x: FloatArray) -> FloatArray:
    """Whole numbers whose running sums stay within one half of those of x."""
    return np.diff(np.floor(np.cumsum(x) + 0.5), prepend=0.0)


def modelled(system: System, cost: FloatArray, least: FloatArray, most: FloatArray) -> FloatArray | None:
    """A cheap witness by an integer program, each class within [least, most]; None when too large or not found."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    if system.dense is None or system.n * system.n_rows > MODEL_SIZE:
        return None
    solved = milp(
        cost,
        integrality=np.ones(system.n, np.int64),
        bounds=Bounds(least, most),
        constraints=LinearConstraint(system.dense, system.floor, system.ceiling),
        options={"node_limit": NODES},
    )
    return None if solved.x is None else np.rint(solved.x)
