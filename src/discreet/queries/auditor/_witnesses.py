"""Is a cell safe? Witnesses on the grid, checked exactly (AUDITOR.md, "Fast").

People of one class are alike, so what a person of it can still have follows from the largest and the least sum that
the class can have. From one point inside all slabs, first each class is moved alone, then a class with all others
making room for it. No witness found means unsafe.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.queries.auditor._barrier import Scaling
from discreet.queries.auditor._classes import Subject, System, dot

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
    from discreet.queries.auditor._slab_kernels import alone

    point = np.rint(x)
    sums = system.sums(point)
    below, above = sums - system.floor, system.ceiling - sums
    if (below < 0).any() or (above < 0).any() or (point < 0).any() or (point > system.total).any():
        return None
    rise, fall = alone(system.indptr, system.rows, system.weights, below, above)
    return np.minimum(system.total, point + rise), np.maximum(0, point - fall)


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
