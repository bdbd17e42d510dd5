"""[u, v]: the range that a new question can still take, between proven ends (AUDITOR.md, "Fast").

An interior-point method climbs from a point inside all slabs towards each end. Its multipliers, rounded to simple
fractions, bound the question from outside in exact arithmetic, whatever their quality; the points it passes lie near
the middle of the slice they are in, and are kept as places to look for witnesses. Where the climb runs out of digits
before the end, a linear program goes on, if the system is small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet._typing import FloatArray
from discreet.queries.auditor._barrier import Normal
from discreet.queries.auditor._classes import System, dot

ITERATIONS = 60
"""Of one climb, at most."""

SHORT = 0.995
"""How far towards the boundary a step goes."""

LEAST = 1e-8
"""Shorter steps lead nowhere."""

DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 12, 1 << 10, 1 << 20)
"""Multipliers are rounded to fractions with these denominators, and the best bound counts: a vertex often has simple
multipliers, and then the bound is attained exactly."""

LARGEST = 1 << 11
"""Multipliers beyond this are cut off, which any multipliers may be; sooner where the exact sums would overflow."""


PROGRAM = 30_000
"""Classes x rows up to which a linear program is solved: some hundredths of a second."""

DRAWN_IN = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2)
"""How far a corner is drawn in towards the point inside: the least that helps."""

TOLERANCE = 1e-10
"""Of the linear program: nothing rests on it."""


@dataclass(frozen=True, eq=False)
class Climb:
    """Points on the way to the largest value of an objective, with that value, and the best multipliers."""

    points: list[FloatArray]
    values: list[float]
    multipliers: FloatArray


def upper_bound(system: System, objective: FloatArray, multipliers: FloatArray) -> Fraction:
    """No point of the system has a larger objective (integer weights by class), in steps; exact.

    For any multipliers y, weak duality gives  max c.x <= sum_c range_c (c - A^T y)^+ + sum_k max(y_k low_k, y_k high_k).
    """
    from discreet.queries.auditor._slab_kernels import dual_terms

    people = system.people
    kind = people.kind[system.member]
    spans = [(high - low) / people.unit for low, high in people.kinds]
    rough = np.array(spans, np.float64)
    ends = np.array(system.ends, np.float64).reshape(-1, 2)
    heaviest = max(1.0, float(np.abs(system.weights).max(initial=1.0)), float(np.abs(objective).max(initial=1.0)))
    terms_at_most = heaviest * (1 + system.n_rows) * max(1.0, float(system.members.sum())) * max(DENOMINATORS)
    largest = min(LARGEST, 2.0**62 / terms_at_most)
    best = math.inf, 1, np.zeros(0, np.int64), np.zeros(0, np.int64)
    for scale in DENOMINATORS:
        whole = np.rint(np.clip(multipliers, -largest, largest) * scale).astype(np.int64)
        terms = dual_terms(*system.matrix, objective, whole, scale, system.members, kind, len(spans))
        bound = float(terms @ rough + np.maximum(whole * ends[:, 0], whole * ends[:, 1]).sum()) / scale
        if bound < best[0]:
            best = bound, scale, whole, terms
    _, scale, whole, terms = best
    exact = sum((int(term) * spans[i] for i, term in enumerate(terms) if term), Fraction(0))
    for y, (low, high) in zip(whole.tolist(), system.ends, strict=True):
        if y:
            exact += y * (high if y > 0 else low)
    return exact / scale


@dataclass(eq=False)
class _Iterate:
    """A primal-dual point: x inside all slabs, s = A x, multipliers y of the rows, z and w of the bounds of x and s."""

    system: System
    objective: FloatArray
    x: FloatArray
    s: FloatArray
    y: FloatArray
    z: tuple[FloatArray, FloatArray]
    w: tuple[FloatArray, FloatArray]

    @classmethod
    def start(cls, system: System, objective: FloatArray, x: FloatArray) -> _Iterate | None:
        """As on the central path far from the end; None from a point that is not strictly inside."""
        s = system.sums(x)
        low, high = system.inner
        if not system.strictly_inside(x, s):
            return None
        mu = dot(np.abs(objective), system.total) / (2 * (system.n + system.n_rows))
        z = mu / x, mu / (system.total - x)
        w = mu / (s - low), mu / (high - s)
        return cls(system, objective, x, s, w[1] - w[0], z, w)

    def advance(self) -> _Iterate | None:
        """One step of Mehrotra's predictor-corrector; None when numbers run out."""
        from discreet.queries.auditor._slab_kernels import positive_step

        system, (zl, zu), (wl, wu) = self.system, self.z, self.w
        low, high = system.inner
        x, above, under, over = self.x, system.total - self.x, self.s - low, high - self.s
        size = 2 * (system.n + system.n_rows)
        mu = (dot(zl, x) + dot(zu, above) + dot(wl, under) + dot(wu, over)) / size
        normal = Normal.of(system, 1 / (zl / x + zu / above), 1 / (wl / under + wu / over))
        if normal is None:
            return None
        priced = self.priced

        # Straight to the end first, to see how far that goes.
        dx, ds, _ = normal(priced, self.y)
        dzl, dzu = -zl - zl / x * dx, -zu + zu / above * dx
        dwl, dwu = -wl - wl / under * ds, -wu + wu / over * ds
        step = min(1.0, self.longest(dx, ds))
        dual = min(1.0, *map(positive_step, (zl, zu, wl, wu), (dzl, dzu, dwl, dwu)))
        ahead = dot(zl + dual * dzl, x + step * dx) + dot(zu + dual * dzu, above - step * dx)
        ahead += dot(wl + dual * dwl, under + step * ds) + dot(wu + dual * dwu, over - step * ds)
        centre = mu * min(1.0, max(0.0, ahead / size / mu)) ** 3

        # Then back towards the middle by as much as that calls for, with the second-order term.
        cl, cu = (centre - dx * dzl) / x, (centre + dx * dzu) / above
        vl, vu = (centre - ds * dwl) / under, (centre + ds * dwu) / over
        dx, ds, dy = normal(priced + cl - cu, self.y + vl - vu)
        dzl, dzu = cl - zl - zl / x * dx, cu - zu + zu / above * dx
        dwl, dwu = vl - wl - wl / under * ds, vu - wu + wu / over * ds
        step = min(1.0, SHORT * self.longest(dx, ds))
        dual = min(1.0, SHORT * min(map(positive_step, (zl, zu, wl, wu), (dzl, dzu, dwl, dwu))))
        if not LEAST < step + dual < np.inf:
            return None
        x = x + step * dx
        s = system.sums(x)
        if not system.strictly_inside(x, s):
            return None
        z = zl + dual * dzl, zu + dual * dzu
        w = wl + dual * dwl, wu + dual * dwu
        return _Iterate(system, self.objective, x, s, self.y + dual * dy, z, w)

    @cached_property
    def priced(self) -> FloatArray:
        """The objective less what the multipliers take of it, class by class."""
        return self.objective - self.system.pull(self.y)

    def bound(self) -> float:
        """The dual value, about."""
        return _dual(self.system, self.priced, self.y)

    def longest(self, dx: FloatArray, ds: FloatArray) -> float:
        """How far x and s may move."""
        from discreet.queries.auditor._slab_kernels import longest_step

        return float(longest_step(self.x, self.system.total, dx, self.s, *self.system.inner, ds))


def climb(
    system: System, start: FloatArray, objective: FloatArray, tolerance: float, enough: float | None = None
) -> Climb:
    """Follow the central path from an interior point until the gap is below `tolerance` steps.

    Where it ends with a gap of more than `enough` steps, the tolerance unless given, a linear program goes on.
    Only the quality of the result depends on floating point: points are checked and bounds recomputed exactly.
    """
    points: list[FloatArray] = []
    values: list[float] = []
    best, multipliers = np.inf, np.zeros(system.n_rows)
    if not objective.any():
        return Climb(points, values, multipliers)
    reached = -np.inf
    here = _Iterate.start(system, objective, start)
    for _ in range(ITERATIONS):
        if here is None:
            break
        reached = dot(objective, here.x)
        if points or here.x is not start:
            points.append(here.x)
            values.append(reached)
        bound = here.bound()
        if bound < best:
            best, multipliers = bound, here.y
        if best - reached <= tolerance:
            break
        here = here.advance()
    ended = _vertex(system, start, objective) if best - reached > max(tolerance, enough or 0.0) else None
    if ended is not None:
        point, prices = ended
        if point is not None and dot(objective, point) > reached:
            points.append(point)
            values.append(dot(objective, point))
        if _dual(system, objective - system.pull(prices), prices) < best:
            multipliers = prices
    return Climb(points, values, multipliers)


def _vertex(system: System, inside: FloatArray, objective: FloatArray) -> tuple[FloatArray | None, FloatArray] | None:
    """A point near the corner with the largest objective, None if there is none, and multipliers of the rows.

    None when the system is too large or the program has no answer. Slabs that are a billion times thinner than others
    make the equations of the barrier useless long before an end is reached; a linear program that is measured from a
    point inside, in units of each class and each slab, still has its digits. Nothing rests on its tolerances: its point
    is drawn in until it is strictly inside, and its multipliers bound the objective exactly whatever they are.
    """
    if system.dense is None or not system.n_rows or system.n * system.n_rows > PROGRAM:
        return None
    from scipy.optimize import linprog

    sums, share = system.sums(inside), inside / system.total
    low, high = system.inner
    width = np.maximum(high - low, 1.0)
    table = system.dense * (system.total / width[:, None])
    cost = objective * system.total
    unit = float(np.abs(cost).max())
    solved = linprog(
        -cost / unit,
        A_ub=np.concatenate((table, -table)),
        b_ub=np.concatenate(((high - sums) / width, (sums - low) / width)),
        bounds=list(zip((-share).tolist(), (1 - share).tolist(), strict=True)),
        method="highs-ds",
        options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    )
    if solved.x is None:
        return None
    up, down = np.split(-solved.ineqlin.marginals * unit, 2)
    corner = inside + solved.x * system.total
    drawn_in = (corner + back * (inside - corner) for back in DRAWN_IN)
    return next((point for point in drawn_in if system.strictly_inside(point)), None), (up - down) / width


def _dual(system: System, priced: FloatArray, y: FloatArray) -> float:
    """The bound that multipliers give, about."""
    low, high = system.inner
    return dot(system.total, np.maximum(priced, 0)) + float(np.maximum(y * low, y * high).sum())


def interpolated(values: FloatArray, points: list[FloatArray], value: float) -> FloatArray:
    """The point at a value on the broken line through points in the order of their values; an end beyond the ends."""
    i = int(np.clip(np.searchsorted(values, value), 1, len(values) - 1)) if len(values) > 1 else 0
    if not i or values[i] == values[i - 1]:
        return points[i]
    share = float(np.clip((value - values[i - 1]) / (values[i] - values[i - 1]), 0.0, 1.0))
    return points[i - 1] + share * (points[i] - points[i - 1])
