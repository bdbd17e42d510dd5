"""What everybody keeps: witnesses on the grid, checked exactly (AUDITOR.md, "Fast").

People of one class are alike, so what a person of it can still have follows from the largest and the least sum that
the class can have. From one point inside all slabs, first each class is moved alone, then a class with all others
making room for it; no witness found means that a cell is unsafe. For the intervals that people are told, a climb to
either end of a class goes on from there, and its multipliers bound it from outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.queries.auditor._barrier import Scaling
from discreet.queries.auditor._classes import Subject, System, dot
from discreet.queries.auditor._reach import climb, upper_bound

WORK = 2e8
"""Elementary steps that looking for the witnesses of one cell may take; beyond it the cell counts as unsafe."""

NEAR = 0.995
"""How far towards the boundary a witness is looked for: it stays strictly inside."""

SHORT = 0.9
"""How far towards the boundary the next step starts."""

CHUNK = 1_000_000
"""Numbers in a batch of directions."""

STEPS = 4
"""Further steps towards each extreme of a class that one step each way did not prove safe."""


def kept(system: System, most: FloatArray, least: FloatArray) -> FloatArray:
    """The length left to a person of each class, in steps, when the class sum can be `least` and `most`.

    The others of a class of m can have anything between 0 and (m - 1) ranges, so the person can have between
    max(0, least - (m - 1) range) and min(range, most).
    """
    return np.minimum(system.steps, most) - np.maximum(0, least - (system.members - 1) * system.steps)


def solo(system: System, x: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """The largest and least sum of each class when the others stay as in x rounded to the grid; None: x is outside."""
    from discreet.queries.auditor._slab_kernels import room

    inside, most, least = room(*system.matrix, np.rint(x), system.total, system.floor, system.ceiling)
    return (most, least) if inside else None


def everyone_keeps(system: System, x: FloatArray) -> bool:
    """Whether witnesses near x prove that everyone keeps what was promised."""
    found = solo(system, x)
    if found is None:
        return False
    most, least = found
    short = np.flatnonzero(kept(system, most, least) < system.need)
    if not len(short) and not system.subjects:
        return True
    if len(short) * (3.0 * len(system.rows) + system.n_rows**2) > WORK:
        return False
    scaling = Scaling.at(system, x)
    return (
        scaling is not None
        and _classes_keep(scaling, short, most, least)
        and all(_subject_keeps(scaling, subject) for subject in system.subjects)
    )


def _classes_keep(scaling: Scaling, classes: IntArray, most: FloatArray, least: FloatArray) -> bool:
    """One step each way for all of them, more for those whom it does not prove safe."""
    system = scaling.system
    for first in range(0, len(classes), max(1, CHUNK // system.n)):
        some = classes[first : first + max(1, CHUNK // system.n)]
        up, down = reached(scaling, some)
        most[some], least[some] = np.maximum(most[some], up), np.minimum(least[some], down)
    room = kept(system, most, least)
    short = np.flatnonzero(room < system.need)
    # Those with the least room first: an unsafe cell is found out early.
    short = short[np.argsort(room[short] - system.need[short], kind="stable")]
    return all(_class_keeps(scaling, int(c), most, least) for c in short)


def reached(scaling: Scaling, classes: IntArray) -> tuple[FloatArray, FloatArray]:
    """The largest and least sum of each of these classes that one step up and one step down reach; exact."""
    from discreet.queries.auditor._slab_kernels import extremes, two_ways

    system = scaling.system
    dx, ds = scaling.normal.columns(classes)
    up, down = two_ways(scaling.x, system.total, dx, scaling.sums, *system.inner, ds, NEAR)
    matrix = (system.indptr, system.rows, system.weights)
    limits = (system.total, system.floor, system.ceiling, classes)
    most, _ = extremes(*matrix, up, system.sums(up), *limits)
    _, least = extremes(*matrix, down, system.sums(down), *limits)
    return most, least


def _class_keeps(scaling: Scaling, c: int, most: FloatArray, least: FloatArray) -> bool:
    """Further steps towards the two extremes of a class."""
    from discreet.queries.auditor._slab_kernels import extremes

    system = scaling.system
    matrix = (system.indptr, system.rows, system.weights)
    limits = (system.total, system.floor, system.ceiling, np.array([c]))
    unit = np.zeros(system.n)
    unit[c] = 1.0
    for point in _further(scaling, unit):
        up, down = extremes(*matrix, point[:, None], system.sums(point)[:, None], *limits)
        most[c], least[c] = max(most[c], up[0]), min(least[c], down[0])
        if kept(system, most, least)[c] >= system.need[c]:
            return True
    return False


def _subject_keeps(scaling: Scaling, subject: Subject) -> bool:
    """Steps towards the two extremes of a person whose value is a function of others."""
    system = scaling.system
    weights = np.zeros(system.n)
    weights[system.class_of[subject.people]] = subject.weights
    most, least = -np.inf, np.inf
    first = (np.rint(scaling.pushed(sign * weights, NEAR)) for sign in (1, -1))
    for point in chain(first, _further(scaling, weights)):
        if solo(system, point) is not None:
            value = dot(weights, point)
            most, least = max(most, value), min(least, value)
        if most - least >= subject.need:
            return True
    return False


def _further(scaling: Scaling, weights: FloatArray) -> Iterator[FloatArray]:
    """Points on the grid ever nearer to the largest and the least value of a functional, in turn, from the second step."""
    ways: dict[int, Scaling] = {1: scaling, -1: scaling}
    for _ in range(STEPS):
        for sign, here in list(ways.items()):
            further = Scaling.at(scaling.system, here.pushed(sign * weights, SHORT))
            if further is None:
                del ways[sign]
            else:
                ways[sign] = further
                yield np.rint(further.pushed(sign * weights, NEAR))


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


def climbed_extremes(system: System, centre: FloatArray) -> Extremes:
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
    where, who = system.class_of[mine], np.flatnonzero(mine)
    out[mine, 0] = people.values(who, low[where])
    out[mine, 1] = np.where(
        (high[where] >= system.steps[where]) & (not people.step), people.upper[mine], people.values(who, high[where])
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
    data[mine] = people.values(mine, each[where] + (rank < left[where]))
    for person, functional in people.derived.items():
        data[person] = float(functional.constant) + sum(float(w) * data[p] for p, w in functional.weights.items())
    return np.clip(data, people.lower, people.upper)
