"""The state of the auditor of whole numbers and recorded steps, and the cells of its next question.

Every witness is a vector of whole numbers. The lemma of equal cells is unproved for them, so every cell is tested, and
each test takes its share of the moves and nodes that one question may cost; never of time, so that decisions can be
reproduced. Cells are therefore grown outwards from what is likely: at the ends, where few data sets are left and nothing
may be safe, a search would have used up everything before it came to the middle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.queries.auditor._answer_cells import Cells
from discreet.queries.auditor._barrier import centred
from discreet.queries.auditor._classes import System
from discreet.queries.auditor._growing import Growing
from discreet.queries.auditor._integral_search import Cover, Prospect, Search, modelled
from discreet.queries.auditor._people import People, Row
from discreet.queries.auditor._reach import climb, upper_bound
from discreet.queries.auditor._resuming import Points, Told
from discreet.queries.auditor._witnesses import CLIMBS, Extremes, climb_to, climb_work, kept, solo

MOST_CELLS = 1000
"""A finer question is coarsened to this many cells."""

POOL = 2_000_000
"""Numbers in the witnesses that are kept from question to question."""

SURE = 1e-6
"""Bounds are rounded to whole numbers inside them only when they are this clear of rounding errors."""

GAP = 1e-3
"""Of [u, v], in people: below one half nothing changes."""


@dataclass(frozen=True, eq=False)
class Integral:
    """Everything the transcript says of whole-number data: the slabs, and witnesses that fit them."""

    system: System
    centre: FloatArray
    pool: list[FloatArray]
    places: dict[bytes, int]

    @classmethod
    def start(cls, people: People) -> Integral:
        """Before any question."""
        system = System.start(people)
        middle = np.floor(system.total / 2)
        if not system.n_rows:
            return cls(system, system.total / 2, [middle, np.zeros(system.n), system.total], {})
        row, zero = Row(np.zeros(people.n), Fraction(0), 1), Fraction(0)
        search = Search(Prospect(system, row, 0, np.zeros(system.n), zero, zero, zero, [], [middle]))
        cover = Cover(search, zero, zero)
        first = search.witness(system, [middle], np.zeros(system.n), system.total)
        if first is not None:
            cover.add(system, first)
        if not cover.look_further(system):
            raise InputError("the prior rows leave somebody less than keep: give a smaller keep or fewer prior rows")
        return cls(system, _interior(system, cover.points), cover.points, {})

    def prospect(self, row: Row, key: bytes, error: Fraction) -> Prospect:
        """The whole numbers that a question can still be, between proven ends."""
        finer, parent = self.system.split(row.weights)
        pool = [_shared(point, self.system, finer, parent) for point in self.pool]
        objective = row.weights[finer.member]
        curve = [finer.spread(self.centre, self.system, parent)]
        bounds = []
        for sign in (1, -1):
            multipliers = np.zeros(finer.n_rows)
            if finer.n_rows:
                gone = climb(finer, curve[0], sign * objective, GAP * max(1.0, float(2 * error)))
                curve += gone.points
                multipliers = gone.multipliers
            else:
                curve.append(np.where(sign * objective > 0, finer.total, np.where(objective == 0, finer.total / 2, 0)))
            bounds.append(upper_bound(finer, sign * objective, multipliers))
        unit = finer.people.unit
        low, high = (
            row.offset + unit * Fraction(end, row.scale) for end in (math.ceil(-bounds[1]), math.floor(bounds[0]))
        )
        place = self.places.get(key, finer.n_rows)
        if place == finer.n_rows:
            finer = finer.cut(objective, Fraction(-(2**60)), Fraction(2**60), closed=True)
        return Prospect(finer, row, place, objective, error, low, high, pool, curve)

    def cells(self, prospect: Prospect, error: Fraction) -> Cells:
        """The cells of a question: as equal as whole numbers allow, both ends included, merged until all are safe."""
        unit = prospect.system.people.unit
        first = math.ceil((prospect.low - prospect.row.offset) / unit)
        low = prospect.row.offset + first * unit
        numbers = max(1, math.floor((prospect.high - prospect.row.offset) / unit) - first + 1)
        parts = min(MOST_CELLS, math.ceil(numbers / (math.floor(2 * error / unit) + 1)))
        edges = [round(Fraction(i * numbers, parts)) for i in range(parts + 1)]
        growing = Growing(Search(prospect), low, edges, unit)
        cuts = growing.cuts() if parts > 1 else [0, numbers]
        prospect.found[:] = growing.points
        return Cells(low, low + (numbers - 1) * unit, numbers, tuple(cuts), unit)

    def after(self, prospect: Prospect, key: bytes, cells: Cells, chosen: int) -> Integral:
        """The state once a cell has been told."""
        if not prospect.found:
            self.cells(prospect, prospect.error)
        system = prospect.cut(*cells.ends(chosen))
        cover = Cover(Search(prospect), *cells.ends(chosen))
        for point in prospect.within(*cells.ends(chosen)):
            before, many = kept(system, cover.most, cover.least), len(cover.points)
            cover.add(system, point)
            # One that proves nothing new is kept only while there are few; one outside the cell was not added.
            if len(cover.points) > max(many, 3) and (kept(system, cover.most, cover.least) <= before).all():
                cover.points.pop()
        pool = cover.points[: max(4, POOL // max(1, system.n))]
        near = prospect.near(*cells.ends(chosen))
        # In a cell of one number the curve may touch the bounds, from where no climb can start.
        centre = centred(system, near) if system.strictly_inside(near) else _interior(system, pool or [near])
        return Integral(system, centre, pool, self.places | {key: prospect.place})

    @property
    def told(self) -> Told:
        """What the transcript says."""
        return Told(self.system, self.places)

    @property
    def points(self) -> Points:
        """What was searched for."""
        return Points(self.centre, self.pool)

    def resumed(self, told: Told, points: Points) -> Integral:
        """The state that these two were parts of."""
        return Integral(told.system, points.centre, points.pool, dict(told.places))

    def witness(self) -> FloatArray:
        """Sums of the classes that every answer allows."""
        return self.pool[0]

    def extremes(self) -> Extremes:
        """What each class can have at most and at least."""
        system = self.system
        ends = Extremes.none(system)
        everyone = np.arange(system.n)
        for point in self.pool:
            found = solo(system, point)
            if found is not None:
                ends.found(*found, everyone)
        rest = ends.open(system)
        if not system.n_rows or 2 * len(rest) * climb_work(system) > CLIMBS:
            return ends
        for c in rest.tolist():
            for sign in (1, -1):
                climb_to(system, self.centre, c, sign, ends)
                cost = np.zeros(system.n)
                cost[c] = -sign
                extreme = modelled(system, cost, np.zeros(system.n), system.total)
                found = solo(system, extreme) if extreme is not None else None
                if found is not None:
                    ends.found(*found, everyone)
        # No whole number lies between a bound and the next whole number inside it.
        ends.above[:], ends.below[:] = np.floor(ends.above + SURE), np.ceil(ends.below - SURE)
        return ends


def _shared(point: FloatArray, coarser: System, finer: System, parent: IntArray) -> FloatArray:
    """A witness of the coarser system shared out among the parts of its classes."""
    if finer is coarser:
        return point
    # What a part and those after it have, rounded down, less what those after it have.
    after = np.cumsum(finer.members[::-1])[::-1]
    last = np.append(parent[1:] != parent[:-1], True)
    ends = np.append(after[1:], 0.0)[last]
    rest = np.floor(point[parent] * (after - ends[parent]) / coarser.members[parent])
    return np.asarray(rest - np.where(last, 0.0, np.append(rest[1:], 0.0)))


def _interior(system: System, witnesses: list[FloatArray]) -> FloatArray:
    """The mean of witnesses, moved off the bounds by less than the relaxation of the rows allows, and centred."""
    longest = np.bincount(system.rows, np.abs(system.weights)).max(initial=0.0)
    margin = 0.2 / (1 + longest)
    return centred(system, np.clip(np.mean(witnesses, axis=0), margin, system.total - margin))
