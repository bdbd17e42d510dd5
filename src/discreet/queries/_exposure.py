"""What the answers of a quantised query expose: the interval left to each person, and the balls round the regions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.queries import _adversary as adversary
from discreet.queries._aggregates import Count, Quantile
from discreet.queries._domains import Domain, IntegerBox
from discreet.queries._intervals_left import Intervals, Judge, count_parts, judge
from discreet.queries._measuring import SampledVolumes
from discreet.queries._query import Query, View, is_real
from discreet.queries._volumes import LinearVolumes, Volumes

OUTERMOST = 32
"""Cells of a linear query on a box that are looked at on either side: further in, equal cells expose less.

The interval left and the chord bound on the radius are concave in the ends of a cell, and symmetric."""

BATCH = 1 << 21
"""Cells times entries handled at once."""

SEEN, ROUNDS = 256, 60
"""Data sets of one region, the outermost, that a ball is fitted to, and for how long: any round gives a lower bound."""


class Exposure:
    """The regions of all cells; `least` and `greatest` are the extreme values of the query in each."""

    def __init__(self, query: Query, view: View, volumes: Volumes, least: FloatArray, greatest: FloatArray) -> None:
        self.query, self.view, self.volumes = query, view, volumes
        self.least, self.greatest = least, greatest

    @cached_property
    def _judged(self) -> tuple[Judge, str]:
        sample = self.volumes.sample if isinstance(self.volumes, SampledVolumes) else None
        return judge(self.query, self.view, (self.volumes.low, self.volumes.high), sample)

    @property
    def kind(self) -> str:
        """Whether intervals are "exact", or "inner": at least this long."""
        return self._judged[1]

    def intervals(self, cells: IntArray) -> Intervals:
        """The least and the greatest possible value of each entry, one row per cell."""
        return self._judged[0](self.least[cells], self.greatest[cells])

    @property
    def _looked_at(self) -> IntArray:
        q = len(self.least)
        if isinstance(self.volumes, LinearVolumes) and q > 2 * OUTERMOST:
            return np.concatenate((np.arange(OUTERMOST), np.arange(q - OUTERMOST, q)))
        return np.arange(q)

    def _batches(self) -> Iterator[IntArray]:
        cells = self._looked_at
        size = max(1, BATCH // len(self.view.domain.lower))
        for start in range(0, len(cells), size):
            yield cells[start : start + size]

    @cached_property
    def shortest(self) -> FloatArray:
        """For each entry the shortest interval that any answer leaves."""
        best = np.full(len(self.view.domain.lower), np.inf)
        for cells in self._batches():
            low, high = self.intervals(cells)
            best = np.minimum(best, self._lengths(low, high).min(axis=0))
        return np.asarray(np.minimum(best, self.view.domain.widths))

    def _lengths(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """High - low; a cell that cannot be is infinitely long, one that no sample fell into has no length to promise."""
        return np.where(low <= high, high - low, np.inf if self.kind == "exact" else 0.0)

    @cached_property
    def radius(self) -> tuple[float, float]:
        """Bounds on d_min, the radius of the smallest ball round any region, unread entries included."""
        below = above = math.inf
        for cells in self._batches():
            low, high = self._squares(cells)
            below, above = min(below, float(low.min())), min(above, float(high.min()))
        if above - below > 1e-12 * above:
            below, above = self._closer(below, above)
        return math.sqrt(below + self.view.spare), math.sqrt(above + self.view.spare)

    def _squares(self, cells: IntArray) -> tuple[FloatArray, FloatArray]:
        """Bounds on the squared radius of each region."""
        domain, query = self.view.domain, self.query
        n, start, end = len(domain.lower), self.least[cells], self.greatest[cells]
        form = query.linear(n)
        alike = _alike(domain)
        if form is not None and isinstance(domain, IntegerBox) | is_real(domain):
            reach = np.abs(form.weights) * float(form.scale) * domain.widths
            used = reach > 0
            rest = float((domain.widths[~used] ** 2).sum()) / 4
            if not used.any():
                return np.full(len(cells), rest), np.full(len(cells), rest)
            first, last = start - self.volumes.low, end - self.volumes.low
            size, step = float(domain.widths[used].max()), float(reach[used].max())
            if _equal(reach[used]) and _equal(domain.widths[used]):
                exact = size**2 * adversary.slab_squares(int(used.sum()), first / step, last / step) + rest
                return exact, exact
            if is_real(domain):
                pairs = [
                    adversary.cut_box_squares(reach[used], domain.widths[used], a, b)
                    for a, b in zip(first, last, strict=True)
                ]
                both = np.array(pairs).T + rest
                return both[0], both[1]
        if isinstance(query, Quantile) and alike:
            # Of whole values the extreme points are whole, too.
            low, high = float(domain.lower[0]), float(domain.upper[0])
            exact = adversary.order_squares(n, query.rank(n), low, high, start, end)
            return exact, exact
        if isinstance(query, Count) and alike and query.predicate is None:
            have, lack = count_parts(query, domain)
            if have[2].all() and lack[2].all():
                ends = (float(have[0][0]), float(have[1][0])), (float(lack[0][0]), float(lack[1][0]))
                exact = adversary.count_squares(n, *ends, start, end)
                return exact, exact
        low_ends, high_ends = self.intervals(cells)
        length = self._lengths(low_ends, high_ends)
        outer = length if self.kind == "exact" else np.broadcast_to(domain.widths, length.shape)
        return length.max(axis=1) ** 2 / 4, np.where(np.isfinite(outer), outer**2, np.inf).sum(axis=1) / 4

    def _closer(self, below: float, above: float) -> tuple[float, float]:
        """Bounds that do not meet, brought closer by the corners of small linear regions or by data sets seen."""
        domain, query = self.view.domain, self.query
        form = query.linear(len(domain.lower))
        if form is not None and is_real(domain):
            reach = np.abs(form.weights) * float(form.scale) * domain.widths
            used = reach > 0
            if used.sum() > adversary.VERTICES:
                return below, above
            rest = float((domain.widths[~used] ** 2).sum()) / 4
            found = []
            for i in self._looked_at:
                if float(self._squares(np.array([i]))[0][0]) < above:
                    bounds = self.least[i] - self.volumes.low, self.greatest[i] - self.volumes.low
                    points = adversary.corners(reach[used], *bounds) * domain.widths[used]
                    if len(points):
                        low, high = adversary.smallest_ball(points)
                        found.append((low + rest, high + rest))
            if found:
                return max(below, min(low for low, _ in found)), min([above, *(high for _, high in found)])
        elif isinstance(self.volumes, SampledVolumes):
            points = self.volumes.sample
            values = self.view.value(points)
            balls = self._squares(np.arange(len(self.least)))[0]
            for i, (a, b) in enumerate(zip(self.least, self.greatest, strict=True)):
                inside = points[(values >= a) & (values <= b)]
                if len(inside):
                    distance = ((inside - inside.mean(axis=0)) ** 2).sum(axis=1)
                    outermost = inside[np.argsort(-distance, kind="stable")[:SEEN]]
                    balls[i] = max(balls[i], adversary.smallest_ball(outermost, ROUNDS)[0])
            return max(below, float(balls.min())), above
        return below, above


def _equal(values: FloatArray) -> bool:
    return bool(values.max() - values.min() <= 1e-12 * values.max())


def _alike(domain: Domain) -> bool:
    """Whether everybody has the same bounds on a box, real or whole."""
    whole = isinstance(domain, IntegerBox) or is_real(domain)
    return whole and _equal(domain.widths) and bool((domain.lower == domain.lower[0]).all())
