"""What an answer leaves of each person: the interval between the least and the greatest value still possible.

A cell is given by the least and the greatest value [a, b] that the query takes in it. All cells are done at once: the
result has one row per cell and one column per entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet._typing import BoolArray, FloatArray
from discreet.queries._aggregates import PROBES, Count, Quantile, Variance
from discreet.queries._domains import Domain, FiniteSet, IntegerBox, value_sets
from discreet.queries._finite_domains import every_data_set
from discreet.queries._query import LinearForm, Query, View, is_real
from discreet.queries._variance_range import CORNERS, least_squares, most_squares

Cells = tuple[FloatArray, FloatArray]
"""Least and greatest value of the query in each cell."""

Intervals = tuple[FloatArray, FloatArray]
"""Least and greatest possible value, shape (cells, entries)."""

Judge = Callable[[FloatArray, FloatArray], Intervals]

KINDS = 3
"""Different bounds up to which the intervals that a variance leaves are found by bisection."""

TOLERANCE = 1e-9
"""Of a step between whole values: sums of decimals are not exact."""


def linear_intervals(form: LinearForm, domain: Domain, low: float, high: float, cells: Cells) -> Intervals:
    """A linear query: what the others can make up for bounds each entry.

    With r_i the length that entry i contributes to the range R, its share u_i of that length lies between
    (a - low - (R - r_i))/r_i and (b - low)/r_i. Whole values are rounded inwards; for weights that are not all equal
    the others may miss some sums, and the interval is then an outer one.
    """
    reach = np.abs(form.weights) * float(form.scale) * domain.widths
    free = reach > 0
    safe = np.where(free, reach, 1.0)
    start = (cells[0][:, None] - low - ((high - low) - reach)) / safe
    end = (cells[1][:, None] - low) / safe
    least, most = np.where(free, np.clip(start, 0.0, 1.0), 0.0), np.where(free, np.clip(end, 0.0, 1.0), 1.0)
    if not is_real(domain):
        steps = np.where(domain.widths > 0, domain.widths, 1.0)
        least, most = np.ceil(least * steps - TOLERANCE) / steps, np.floor(most * steps + TOLERANCE) / steps
    up = form.weights > 0
    width = domain.widths
    return (
        np.where(up, domain.lower + width * least, domain.upper - width * most),
        np.where(up, domain.lower + width * most, domain.upper - width * least),
    )


def order_intervals(domain: Domain, k: int, cells: Cells, high: float) -> Intervals:
    """The k-th smallest value: at most k - 1 people lie below the cell and at most n - k above it.

    Whoever can be inside the cell may be taken to be there, so only those who must lie below or above count.
    """
    a, b = cells[0][:, None], cells[1][:, None]
    n, last = len(domain.lower), b >= high  # the last cell is closed
    if not isinstance(domain, IntegerBox | FiniteSet):
        fixed = domain.widths == 0
        must_below = np.where(fixed, domain.upper < a, domain.upper <= a)
        must_above = np.where(last, domain.lower > b, domain.lower >= b)
        inside = ~must_below & ~must_above
        parts = (
            (domain.lower, np.minimum(a, domain.upper), domain.lower < a),
            (np.maximum(a, domain.lower), np.minimum(b, domain.upper), inside),
            (np.maximum(b, domain.lower), domain.upper, (domain.upper > b) | must_above),
        )
    else:
        parts = found = _parts_of_sets(value_sets(domain), cells)
        must_below, inside, must_above = (
            found[0][2] & ~found[1][2] & ~found[2][2],
            found[1][2],
            found[2][2] & ~found[0][2] & ~found[1][2],
        )
    below, above = must_below.sum(axis=1, keepdims=True), must_above.sum(axis=1, keepdims=True)
    others_below, others_above = below - must_below, above - must_above
    others_inside = inside.sum(axis=1, keepdims=True) - inside
    room = (others_below <= k - 1) & (others_above <= n - k)
    allowed = (
        room & (others_below + 1 <= k - 1) & (others_inside >= 1),
        room,
        room & (others_above + 1 <= n - k) & (others_inside >= 1),
    )
    return _hull([(low, high, possible & ok) for (low, high, possible), ok in zip(parts, allowed, strict=True)])


Part = tuple[FloatArray, FloatArray, BoolArray]


def _parts_of_sets(sets: tuple[FloatArray, ...], cells: Cells) -> tuple[Part, Part, Part]:
    """The values of each person below, inside and above each cell: least, greatest, whether there are any."""
    shape = (len(cells[0]), len(sets))
    low, high = np.full((3, *shape), np.inf), np.full((3, *shape), -np.inf)
    for i, values in enumerate(sets):
        start, stop = np.searchsorted(values, cells[0]), np.searchsorted(values, cells[1], "right")
        for part, (first, end) in enumerate(((0 * start, start), (start, stop), (stop, 0 * stop + len(values)))):
            some = first < end
            low[part, some, i], high[part, some, i] = values[first[some]], values[end[some] - 1]
    made = [(low[part], high[part], low[part] <= high[part]) for part in range(3)]
    return made[0], made[1], made[2]


def _hull(parts: list[Part]) -> Intervals:
    low = np.min([np.where(ok, start, np.inf) for start, _, ok in parts], axis=0)
    high = np.max([np.where(ok, end, -np.inf) for _, end, ok in parts], axis=0)
    return low, high


def count_parts(query: Count, domain: Domain) -> tuple[Part, Part]:
    """For each person the values with the property and those without it: least, greatest, whether there are any."""
    if is_real(domain) and query.predicate is None:
        low, high = domain.lower, domain.upper
        start, end = np.maximum(low, query.at_least), np.minimum(high, query.at_most)
        first = np.where(low < query.at_least, low, np.minimum(np.maximum(query.at_most, low), high))
        last = np.where(high > query.at_most, high, np.maximum(np.minimum(query.at_least, high), low))
        without = (low < query.at_least) | (high > query.at_most)
        return (start, end, start <= end), (first, last, without)
    if isinstance(domain, IntegerBox | FiniteSet):
        sets = value_sets(domain)
    else:
        pairs = zip(domain.lower, domain.upper, strict=True)
        sets = tuple(np.linspace(low, high, PROBES) for low, high in pairs)
    made = np.zeros((2, 2, len(sets)))
    some = np.zeros((2, len(sets)), np.bool_)
    for i, values in enumerate(sets):
        holds = query.holds(values)
        for part, chosen in enumerate((values[holds], values[~holds])):
            some[part, i] = len(chosen) > 0
            if len(chosen):
                made[part, :, i] = chosen[0], chosen[-1]
    return (made[0, 0], made[0, 1], some[0]), (made[1, 0], made[1, 1], some[1])


def count_intervals(query: Count, domain: Domain, cells: Cells) -> Intervals:
    """A count: whether each person can be among those counted, and can be missing from them."""
    have, lack = count_parts(query, domain)
    some, every = have[2].astype(int), (~lack[2]).astype(int)
    least, most = every.sum() - every, some.sum() - some  # what the others can add up to, and anything between
    a, b = cells[0][:, None], cells[1][:, None]
    with_ = have[2] & (least + 1 <= b) & (most + 1 >= a)
    without = lack[2] & (least <= b) & (most >= a)
    return _hull([(have[0], have[1], with_), (lack[0], lack[1], without)])


def variance_intervals(query: Variance, domain: Domain, cells: Cells) -> Intervals:
    """A variance: with one entry fixed at v, the others make it anything between two convex functions of v."""
    low, high = np.empty((2, len(cells[0]), len(domain.lower)))
    factor = 1 / (len(domain.lower) - query.ddof)
    kinds, kind_of = np.unique(np.stack((domain.lower, domain.upper)), axis=1, return_inverse=True)
    for kind in range(kinds.shape[1]):
        alike = kind_of == kind
        others = np.delete(np.arange(len(domain.lower)), np.flatnonzero(alike)[0])
        fixed = _Fixed(domain.lower[others], domain.upper[others], factor)
        start, end = kinds[:, kind].tolist()
        bottom = _lowest(fixed.least, start, end)
        for i, (a, b) in enumerate(zip(cells[0].tolist(), cells[1].tolist(), strict=True)):
            low[i, alike], high[i, alike] = fixed.interval(start, end, bottom, a, b)
    return low, high


@dataclass(frozen=True, eq=False)
class _Fixed:
    """The variances that are possible when one entry is known."""

    lower: FloatArray
    upper: FloatArray
    factor: float

    def least(self, v: float) -> float:
        return self.factor * least_squares(np.append(self.lower, v), np.append(self.upper, v))

    def most(self, v: float) -> float:
        return self.factor * most_squares(np.append(self.lower, v), np.append(self.upper, v))[0]

    def interval(self, start: float, end: float, bottom: float, a: float, b: float) -> tuple[float, float]:
        """Where least ≤ b, which is an interval round `bottom`, and most ≥ a, which fails on an interval at most."""

        def low_enough(v: float) -> bool:
            return self.least(v) <= b * (1 + TOLERANCE)

        def high_enough(v: float) -> bool:
            return self.most(v) >= a * (1 - TOLERANCE)

        first = start if low_enough(start) else _crossing(low_enough, start, bottom)
        last = end if low_enough(end) else _crossing(low_enough, end, bottom)
        left, right = high_enough(first), high_enough(last)
        if left and not right:
            last = _crossing(high_enough, last, first)
        elif right and not left:
            first = _crossing(high_enough, first, last)
        return first, last


def _lowest(f: Callable[[float], float], low: float, high: float) -> float:
    """Where a convex function is least."""
    for _ in range(60):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, other) if f(one) <= f(other) else (one, high)
    return (low + high) / 2


def _crossing(holds: Callable[[float], bool], outside: float, inside: float) -> float:
    """The point nearest to `outside` where something holds that holds at `inside`, to rounding."""
    for _ in range(45):
        middle = (outside + inside) / 2
        outside, inside = (outside, middle) if holds(middle) else (middle, inside)
    return inside


def seen_intervals(points: FloatArray, values: FloatArray, cells: Cells) -> Intervals:
    """From data sets gone through or sampled: what was seen in each cell; empty cells are (inf, -inf)."""
    low = np.full((len(cells[0]), points.shape[1]), np.inf)
    high = np.full_like(low, -np.inf)
    order = np.argsort(values, kind="stable")
    start, stop = np.searchsorted(values[order], cells[0]), np.searchsorted(values[order], cells[1], "right")
    for i, (first, end) in enumerate(zip(start, stop, strict=True)):
        if first < end:
            inside = points[order[first:end]]
            low[i], high[i] = inside.min(axis=0), inside.max(axis=0)
    return low, high


def judge(query: Query, view: View, ends: tuple[float, float], sample: FloatArray | None) -> tuple[Judge, str]:
    """How to find the intervals that cells leave, and "exact", "outer" or "inner" for what they are."""
    domain = view.domain
    form = query.linear(len(domain.lower))
    if isinstance(query, Count):
        exact = is_real(domain) is False or query.predicate is None
        return lambda a, b: count_intervals(query, domain, (a, b)), "exact" if exact else "inner"
    if isinstance(query, Quantile):
        k = query.rank(len(domain.lower))
        return lambda a, b: order_intervals(domain, k, (a, b), ends[1]), "exact"
    if form is not None and (is_real(domain) or (isinstance(domain, IntegerBox) and _alike(form.weights))):
        return lambda a, b: linear_intervals(form, domain, *ends, (a, b)), "exact"
    if isinstance(query, Variance) and is_real(domain) and _few_kinds(domain):
        return lambda a, b: variance_intervals(query, domain, (a, b)), "exact"
    if isinstance(domain, IntegerBox | FiniteSet) and domain.log2_size <= 20 + 1e-9:
        points = every_data_set(domain)
        values = view.value(points)
        slack = 1e-11 * (1 + np.abs(values).max())  # equal values may differ by rounding
        return lambda a, b: seen_intervals(points, values, (a - slack, b + slack)), "exact"
    points = sample if sample is not None else domain.draw(1 << 14, np.random.default_rng(0))
    values = view.value(points)
    return lambda a, b: seen_intervals(points, values, (a, b)), "inner"


def _few_kinds(domain: Domain) -> bool:
    """Whether people have few different bounds, and the greatest variance is known exactly with one of them fixed."""
    kinds = np.unique(np.stack((domain.lower, domain.upper)), axis=1)
    return bool(kinds.shape[1] <= KINDS and len(domain.lower) <= CORNERS ** (1 / max(kinds.shape[1], 1)) - 1)


def _alike(weights: FloatArray) -> bool:
    """Whether all weights that are not 0 have one size, so that the others reach every step."""
    sizes = np.abs(weights[weights != 0])
    return bool(len(sizes) == 0 or math.isclose(sizes.min(), sizes.max(), rel_tol=1e-12))
