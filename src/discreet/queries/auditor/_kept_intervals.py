"""What each person still keeps, between a proven inner and a proven outer interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.queries.auditor._barrier import Scaling
from discreet.queries.auditor._classes import Subject, System, dot
from discreet.queries.auditor._reach import climb, upper_bound
from discreet.queries.auditor._witnesses import CHUNK, kept, reached, solo

CLIMBS = 2e10
"""Elementary steps for the extremes of all classes; beyond it the intervals stay proven but may be wider or narrower."""

GAP = 1e-7
"""Of the extremes of a class, as a share of a person's range."""


@dataclass(frozen=True, eq=False)
class Extremes:
    """Of the sum of each class: values that it can have (inner) and values that it cannot exceed (outer), in steps."""

    most: FloatArray
    least: FloatArray
    above: FloatArray
    below: FloatArray
    derived: dict[int, tuple[tuple[float, float], tuple[float, float]]]

    @classmethod
    def none(cls, system: System) -> Extremes:
        """Before anything is found."""
        n = system.n
        return cls(np.full(n, -np.inf), np.full(n, np.inf), system.total.copy(), np.zeros(n), {})

    def found(self, most: FloatArray, least: FloatArray, classes: IntArray) -> None:
        """Count in what witnesses reach."""
        self.most[classes] = np.maximum(self.most[classes], most)
        self.least[classes] = np.minimum(self.least[classes], least)

    def open(self, system: System) -> IntArray:
        """Classes whose people are not known to keep everything."""
        return np.flatnonzero(kept(system, self.most, self.least) < system.steps)


def extremes(system: System, centre: FloatArray) -> Extremes:
    """For real-valued data, by steps from the centre and then by a climb to each end."""
    ends = Extremes.none(system)
    here = solo(system, centre)
    if here is None:
        raise AssertionError("the centre is inside all slabs")
    ends.found(*here, np.arange(system.n))
    for subject in system.subjects:
        ends.derived[subject.person] = _derived(system, centre, subject)
    rest = ends.open(system)
    scaling = Scaling.at(system, centre) if len(rest) else None
    if scaling is None or len(rest) * (3.0 * len(system.rows) + system.n_rows**2) > CLIMBS:
        return ends
    step = max(1, CHUNK // system.n)
    for first in range(0, len(rest), step):
        some = rest[first : first + step]
        ends.found(*reached(scaling, some), some)
    rest = ends.open(system)
    if 2 * len(rest) * climb_work(system) > CLIMBS:
        return ends
    for c in rest.tolist():
        for sign in (1, -1):
            found = solo(system, climb_to(system, centre, c, sign, ends))
            if found is not None:
                ends.found(found[0][c], found[1][c], np.array([c]))
    return ends


def _derived(system: System, centre: FloatArray, subject: Subject) -> tuple[tuple[float, float], tuple[float, float]]:
    """Inner and outer interval of a person whose value is a function of several others, in the units of the data."""
    inner, outer = [], []
    for sign in (-1, 1):
        objective = np.zeros(system.n)
        objective[system.class_of[subject.people]] = sign * subject.weights
        gone = climb(system, centre, objective, GAP * dot(np.abs(objective), system.total))
        inside = [point for point in map(np.rint, [centre, *gone.points]) if solo(system, point) is not None]
        to_data = system.people.unit / subject.scale
        reach = max(int(dot(objective, point)) for point in inside)
        inner.append(float(subject.offset + sign * reach * to_data))
        outer.append(float(subject.offset + sign * upper_bound(system, objective, gone.multipliers) * to_data))
    return (inner[0], inner[1]), (outer[0], outer[1])


def climb_work(system: System) -> float:
    """Elementary steps of one climb, about."""
    return 15.0 * (len(system.rows) ** 2 / system.n + system.n_rows**3 / 3 + 100.0 * system.n)


def climb_to(system: System, start: FloatArray, c: int, sign: int, ends: Extremes) -> FloatArray:
    """Bound the sum of class c on one side; returns the last point on the way."""
    objective = np.zeros(system.n)
    objective[c] = sign
    gone = climb(system, start, objective, GAP * system.steps[c])
    bound = math.nextafter(float(upper_bound(system, objective, gone.multipliers)), math.inf)
    if sign > 0:
        ends.above[c] = min(ends.above[c], bound)
    else:
        ends.below[c] = max(ends.below[c], -bound)
    return gone.points[-1] if gone.points else start


def personal_intervals(system: System, ends: Extremes, side: Literal["inner", "outer"]) -> FloatArray:
    """Each person's interval in the units of the data; people whose value is known have an interval of length zero."""
    people = system.people
    most, least = (ends.most, ends.least) if side == "inner" else (ends.above, ends.below)
    low = np.maximum(0, least - (system.members - 1) * system.steps)
    high = np.minimum(system.steps, most)
    out = np.stack([people.lower, people.upper if side == "outer" else people.lower], axis=1)
    mine = system.class_of >= 0
    where, unit = system.class_of[mine], float(people.unit)
    out[mine, 0] = people.lower[mine] + unit * low[where]
    out[mine, 1] = np.where(
        high[where] >= system.steps[where], people.upper[mine], people.lower[mine] + unit * high[where]
    )
    for person, functional in people.derived.items():
        if len(functional.weights) == 1:
            ((other, weight),) = functional.weights.items()
            out[person] = np.sort(float(functional.constant) + float(weight) * out[other])
        else:
            out[person] = ends.derived[person][side == "outer"]
    return out


def shared_out(system: System, sums: FloatArray) -> FloatArray:
    """A data set whose classes have these sums, shared out evenly in whole steps."""
    people = system.people
    data = people.lower.copy()
    mine = np.flatnonzero(system.class_of >= 0)
    where = system.class_of[mine]
    each = np.floor(sums / system.members)
    left = sums - each * system.members
    order = np.argsort(where, kind="stable")
    rank = np.empty(len(mine), np.int64)
    rank[order] = np.arange(len(mine)) - np.repeat(
        np.cumsum(system.members) - system.members, system.members.astype(int)
    )
    data[mine] += float(people.unit) * (each[where] + (rank < left[where]))
    for person, functional in people.derived.items():
        data[person] = float(functional.constant) + sum(float(w) * data[p] for p, w in functional.weights.items())
    return np.clip(data, people.lower, people.upper)
