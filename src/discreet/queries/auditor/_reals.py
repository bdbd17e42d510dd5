"""The state of the auditor of real-valued data, and the cells of its next question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.queries.auditor._answer_cells import Cells, merge
from discreet.queries.auditor._barrier import centred
from discreet.queries.auditor._classes import System, dot
from discreet.queries.auditor._people import People, Row
from discreet.queries.auditor._reach import climb, interpolated, upper_bound
from discreet.queries.auditor._resuming import Points, Told
from discreet.queries.auditor._witnesses import Extremes, climbed_extremes, everyone_keeps

MOST_CELLS = 100_000
"""A finer question is coarsened to this many cells."""

ROUGH, FINE = 1e-3, 1e-9
"""The gap of [u, v]: as a share of a cell, and for small systems of the range, so that simple ends come out simple."""

DIGITS, SPARE = 64, 8
"""Binary digits of a denominator that is left alone, and of a step of the grid that others are rounded to."""

LEAST_ROOM = 1e-6
"""Prior rows must leave this share of every range on either side of some point."""

SMALL = 5000
"""Weights in a small system."""


@dataclass(frozen=True, eq=False)
class Prospect:
    """A question as the history sees it: its range [low, high] in data units, and points inside along it."""

    system: System
    row: Row
    place: int
    objective: FloatArray
    low: Fraction
    high: Fraction
    values: FloatArray
    points: list[FloatArray]

    def cell(self, low: Fraction, high: Fraction, closed: bool) -> tuple[System, FloatArray]:
        """The system that this cell would leave, and a point to look for witnesses from."""
        factor = self.row.scale / self.system.people.unit
        a, b = (low - self.row.offset) * factor, (high - self.row.offset) * factor
        system = self.system.tighten(self.place, a, b, closed=closed)
        reached = max(float(a), self.values[0]), min(float(b), self.values[-1])
        return system, interpolated(self.values, self.points, sum(reached) / 2)


@dataclass(frozen=True, eq=False)
class Real:
    """Everything the transcript says of real-valued data: the slabs, and the middle of what they leave."""

    system: System
    centre: FloatArray
    places: dict[bytes, int]

    @classmethod
    def start(cls, people: People) -> Real:
        """Before any question."""
        system = System.start(people)
        state = cls(system, _interior(system), {})
        if system.n_rows and not everyone_keeps(system, state.centre):
            raise InputError("the prior rows leave somebody less than keep: give a smaller keep or fewer prior rows")
        return state

    def prospect(self, row: Row, key: bytes, error: Fraction) -> Prospect:
        """[u, v] of a question and the points along it; `error` is in units of the sum."""
        finer, parent = self.system.split(row.weights)
        centre = finer.spread(self.centre, self.system, parent)
        objective = row.weights[finer.member]
        to_data = finer.people.unit / row.scale
        reach = dot(np.abs(objective), finer.total)
        tolerance, enough = FINE * reach, ROUGH * float(min(2 * error / to_data, Fraction(reach)))
        if len(finer.rows) > SMALL:
            tolerance = max(tolerance, enough)
        up, down = (climb(finer, centre, sign * objective, tolerance, enough) for sign in (1, -1))
        high = outward(row.offset + to_data * upper_bound(finer, objective, up.multipliers), to_data)
        low = -outward(to_data * upper_bound(finer, -objective, down.multipliers) - row.offset, to_data)
        points = [*down.points[::-1], centre, *up.points]
        values = np.array([*(-value for value in down.values[::-1]), dot(objective, centre), *up.values])
        order = np.argsort(values, kind="stable")
        place = self.places.get(key, finer.n_rows)
        if place == finer.n_rows:
            unbounded = Fraction(-(2**60)), Fraction(2**60)
            finer = finer.cut(objective, *unbounded, closed=True)
        return Prospect(finer, row, place, objective, low, high, values[order], [points[i] for i in order])

    def cells(self, prospect: Prospect, error: Fraction) -> Cells:
        """The cells of a question: equal, no wider than twice the error, merged until all are safe."""
        low, high = prospect.low, prospect.high
        parts = max(1, min(MOST_CELLS, math.ceil((high - low) / (2 * error))))
        width = (high - low) / parts

        def safe(i: int, j: int) -> bool:
            return everyone_keeps(*prospect.cell(low + i * width, low + j * width, j == parts))

        return Cells(low, high, parts, merge(parts, safe) if parts > 1 else (0, 1))

    def after(self, prospect: Prospect, key: bytes, cells: Cells, chosen: int) -> Real:
        """The state once a cell has been told."""
        system, point = prospect.cell(*cells.ends(chosen), cells.closed(chosen))
        return Real(system, centred(system, point), self.places | {key: prospect.place})

    @property
    def told(self) -> Told:
        """What the transcript says."""
        return Told(self.system, self.places)

    @property
    def points(self) -> Points:
        """What was searched for."""
        return Points(self.centre, [])

    def resumed(self, told: Told, points: Points) -> Real:
        """The state that these two were parts of."""
        return Real(told.system, points.centre, dict(told.places))

    def witness(self) -> FloatArray:
        """Sums of the classes, in steps, strictly inside everything."""
        return np.rint(self.centre)

    def extremes(self) -> Extremes:
        """What each class can have at most and at least."""
        return climbed_extremes(self.system, self.centre)


def outward(value: Fraction, unit: Fraction) -> Fraction:
    """A value or, when it takes too many digits, one not much above it: fractions must not grow with the transcript."""
    if value.denominator.bit_length() <= DIGITS:
        return value
    grain = Fraction(1 << unit.numerator.bit_length(), 1 << (unit.denominator.bit_length() + SPARE))
    return math.ceil(value / grain) * grain


def _interior(system: System) -> FloatArray:
    """A point strictly inside the bounds and the prior rows."""
    middle = system.total / 2
    if not system.n_rows:
        return middle
    from scipy.optimize import linprog

    table = np.zeros((system.n_rows, system.n))
    table[system.rows, np.repeat(np.arange(system.n), np.diff(system.indptr))] = system.weights
    low, high = system.inner
    # The largest share t of every range by which a point can stay away from all its ends; classes and rows in units of
    # their ranges.
    width = np.maximum(high - low, 1.0)
    table *= system.total / width[:, None]
    one, row, column = np.eye(system.n), np.ones((system.n_rows, 1)), np.ones((system.n, 1))
    solved = linprog(
        np.append(np.zeros(system.n), -1.0),
        A_ub=np.block([[table, row], [-table, row], [one, column], [-one, column]]),
        b_ub=np.concatenate([high / width, -low / width, np.ones(system.n), np.zeros(system.n)]),
        bounds=(None, None),
        method="highs",
    )
    if solved.status != 0 or solved.x is None or solved.x[-1] <= LEAST_ROOM:
        raise InputError("the prior rows contradict the bounds or leave no room inside them")
    return centred(system, solved.x[:-1] * system.total)
