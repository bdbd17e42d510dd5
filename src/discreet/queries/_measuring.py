"""Measuring regions: by the way that suits a query and a domain, and by sampling where there is no formula.

Samples are scrambled Sobol points in several independent copies, whose spread is the error bar. In up to three dimensions,
for a query that cannot change fast, the domain is cut into boxes until nearly all of it is decided for certain; only
the rest is sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np

from discreet._typing import BoolArray, FloatArray
from discreet.errors import InputError
from discreet.queries import _finite_domains as counting
from discreet.queries._aggregates import Count, Function, Quantile, Variance
from discreet.queries._domains import FiniteSet, IntegerBox
from discreet.queries._poisson_binomial import log_pmf
from discreet.queries._query import Query, View, is_real
from discreet.queries._volumes import BITS, LinearVolumes, Measured, OrderVolumes, Volumes

COPIES = 16
"""Independent copies of the Sobol points: their spread is the error bar."""

ENTRIES = 4_000_000
"""Numbers drawn for one estimate: samples times entries of a data set."""

SOBOL_DIMENSIONS = 64
"""Entries beyond this many are sampled at random."""

UNDECIDED = {1: 1 << 14, 2: 1 << 17, 3: 1 << 18}
"""Boxes that may be left undecided, by dimension."""

CORNERS = 10
"""Up to this many entries all corners of a domain are looked at, beyond it 2^CORNERS of them at most."""

INSIDE = 8
"""Samples in each undecided box."""

Bounds = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
"""Centres (m, n) and half-widths (m,) of boxes, to bounds on the query in each."""


def volumes_of(query: Query, view: View, rng: np.random.Generator) -> Volumes:
    """Exact where there is a formula or little enough to count, else sampled with an error bar."""
    domain = view.domain
    low, high = query._range(domain)
    n = len(domain.lower)
    form = query.linear(n)
    found: Volumes | None = None
    if isinstance(query, Count):
        found = _counted(query, view)
    elif isinstance(domain, IntegerBox | FiniteSet):
        if form is not None:
            found = counting.linear_volumes(form, domain)
        elif isinstance(query, Quantile):
            found = counting.order_volumes(query, domain, low, high)
        if found is None:
            found = counting.enumerated(view, domain)
            if isinstance(query, Function) and found is not None:
                check_range(found.values, low, high)
    elif form is not None:
        found = LinearVolumes(form, domain, low, high)
    elif isinstance(query, Quantile):
        found = OrderVolumes(domain, query.rank(n), low, high)
    return found if found is not None else sampled_volumes(query, view, low, high, rng)


def _counted(query: Count, view: View) -> counting.CountedVolumes:
    share, some, every = query.shares(view.domain)
    least, most = int(every.sum()), int(some.sum())
    probed = query.predicate is not None and not isinstance(view.domain, IntegerBox | FiniteSet)
    log2 = log_pmf(share)[least : most + 1] * BITS
    how = f"Poisson-binomial law of {len(share)} people" + (", the predicate probed at points" if probed else "")
    return counting.CountedVolumes(
        np.arange(least, most + 1.0), log2, how, error=1e-15 * len(share) * math.log2(len(share) + 1)
    )


def check_range(values: FloatArray, low: float, high: float) -> None:
    """Refuse a function that leaves the range that was declared for it."""
    if (values < low - 1e-9 * (1 + abs(low))).any() or (values > high + 1e-9 * (1 + abs(high))).any():
        raise InputError("the function leaves its declared range on the domain: widen its lower and upper bounds")


def check_function(query: Function, view: View, rng: np.random.Generator) -> None:
    """Look at a function where samples seldom go: at corners of the domain and in its middle.

    Its extremes are often there. A Lipschitz constant is tried on the way from each corner to another place.
    """
    domain = view.domain
    n = len(domain.lower)
    if n <= CORNERS:
        ends = np.array(list(product((False, True), repeat=n)))
    else:
        ends = rng.random((min(1 << CORNERS, max(2, ENTRIES // n)), n)) < 0.5
        ends[0], ends[1] = False, True
    corners = np.where(ends, domain.upper, domain.lower)
    inner = domain.draw(len(corners), rng)
    values = view.value(np.concatenate((corners, inner)))
    check_range(values, query.lower, query.upper)
    if query.lipschitz is None:
        return
    change, moved = np.abs(np.diff(values.reshape(2, -1), axis=0)[0]), np.abs(inner - corners).max(axis=1)
    if (change > query.lipschitz * moved * (1 + 1e-9) + 1e-12 * (1 + np.abs(values).max())).any():
        raise InputError("the function changes faster than its Lipschitz constant says: give a larger one, or none")


class SampledVolumes(Volumes):
    """Shares by sampling; errors are three standard errors."""

    def __init__(self, view: View, low: float, high: float, rng: np.random.Generator) -> None:
        self.view, self.low, self.high = view, low, high
        self.rng = rng
        n = len(view.domain.lower)
        self.size = 1 << int(np.clip(math.log2(ENTRIES / COPIES / n), 6, 13))
        self.how = f"estimate from {COPIES * self.size:,} samples"
        self._plan: tuple[FloatArray, FloatArray] | None = None
        self._report: tuple[FloatArray, FloatArray] | None = None

    def _draw(self) -> tuple[FloatArray, FloatArray]:
        """Data sets of the first copy, and the values of all copies, sorted, shape (copies, size)."""
        domain, n = self.view.domain, len(self.view.domain.lower)
        is_box = is_real(domain)
        values, kept = np.empty((COPIES, self.size)), np.empty((0, n))
        for copy in range(COPIES):
            if is_box and n <= SOBOL_DIMENSIONS:
                from scipy.stats import qmc

                points = qmc.Sobol(n, scramble=True, rng=self.rng).random(self.size)
                x = domain.lower + points * domain.widths
            else:
                x = domain.draw(self.size, self.rng)
            values[copy] = self.view.value(x)
            kept = x if copy == 0 else kept
        check_range(values, self.low, self.high)
        return kept, np.sort(values, axis=1)

    @property
    def sample(self) -> FloatArray:
        """Data sets, shape (samples, n), to look at regions by."""
        if self._report is None:
            self._report = self._draw()
        return self._report[0]

    def cells(self, edges: FloatArray) -> Measured:
        if self._report is None:
            self._report = self._draw()
        return _shares(self._report[1], edges)

    def planned(self, edges: FloatArray) -> Measured:
        """By samples of their own, so that edges fitted to them are judged by fresh ones."""
        if self._plan is None:
            self._plan = self._draw()
        return _shares(self._plan[1], edges)


def _shares(values: FloatArray, edges: FloatArray) -> Measured:
    copies, size = values.shape
    below = np.stack([np.searchsorted(row, edges[1:-1]) for row in values])
    full = np.concatenate((np.zeros((copies, 1)), below, np.full((copies, 1), size)), axis=1)
    each = np.diff(full, axis=1) / size
    share = each.mean(axis=0)
    # Copies that agree by chance, or never hit a small cell, must not look certain.
    spread = np.maximum(each.std(axis=0, ddof=1) / math.sqrt(copies), 1 / (copies * size))
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(share > 0, 3 * spread / share * BITS, np.inf)
        return Measured(np.log2(share), error, certain=False)


class DividedVolumes(SampledVolumes):
    """Shares by dividing the domain until a bound on the query decides nearly every box."""

    def __init__(self, view: View, low: float, high: float, rng: np.random.Generator, bounds: Bounds) -> None:
        super().__init__(view, low, high, rng)
        self.bounds = bounds
        self.how = "boxes decided by bounds on the query, the undecided rest sampled"

    def cells(self, edges: FloatArray) -> Measured:
        domain = self.view.domain
        free = domain.widths > 0
        n, q = int(free.sum()), len(edges) - 1
        low, high = np.zeros((1, n)), np.ones((1, n))  # in units of the domain
        origin, widths = domain.lower[free], domain.widths[free]
        decided = np.zeros(q)
        while True:
            centre, half = origin + widths * (low + high) / 2, ((high - low) * widths).max(axis=1) / 2
            least, most = self.bounds(self._whole(centre, free), half)
            first = np.clip(np.searchsorted(edges, least, "right") - 1, 0, q - 1)
            last = np.clip(np.searchsorted(edges, most, "right") - 1, 0, q - 1)
            size = np.prod(high - low, axis=1)
            done = first == last
            decided += np.bincount(first[done], size[done], minlength=q)
            low, high, first, last, size = low[~done], high[~done], first[~done], last[~done], size[~done]
            if not len(low) or 2 * len(low) > UNDECIDED[n] or ((high - low) < 1e-12).all():
                break
            axis = ((high - low) * widths).argmax(axis=1)
            rows = np.arange(len(low))
            middle = (low[rows, axis] + high[rows, axis]) / 2
            left, right = high.copy(), low.copy()
            left[rows, axis], right[rows, axis] = middle, middle
            low, high = np.concatenate((low, right)), np.concatenate((left, high))
        reach = np.zeros(q + 1)  # what the undecided boxes may add to each cell
        np.add.at(reach, first, size)
        np.add.at(reach, last + 1, -size)
        inside, spread = self._sampled(origin, widths, free, low, high, size, edges)
        share = decided + inside
        with np.errstate(divide="ignore", invalid="ignore"):
            bounds = np.log2(decided), np.log2(np.minimum(decided + np.cumsum(reach)[:-1], 1.0))
            error = np.where(share > 0, (3 * spread / share + 1e-15) * BITS, np.inf)
            return Measured(np.log2(share), error, certain=False, bounds=bounds)

    def _whole(self, free_values: FloatArray, free: BoolArray) -> FloatArray:
        x = np.broadcast_to(self.view.domain.lower, (*free_values.shape[:-1], len(free))).copy()
        x[..., free] = free_values
        return x

    def _sampled(
        self,
        origin: FloatArray,
        widths: FloatArray,
        free: BoolArray,
        low: FloatArray,
        high: FloatArray,
        size: FloatArray,
        edges: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        """What undecided boxes add to each cell, and its standard error."""
        q = len(edges) - 1
        share, variance = np.zeros(q), np.zeros(q)
        for start in range(0, len(low), 1 << 16):
            part = slice(start, start + (1 << 16))
            points = self.rng.uniform(low[part, None, :], high[part, None, :], (len(low[part]), INSIDE, low.shape[1]))
            values = self.view.value(self._whole(origin + widths * points, free))
            cell = np.clip(np.searchsorted(edges, values, "right") - 1, 0, q - 1)
            hits = np.bincount((cell + q * np.arange(len(cell))[:, None]).ravel(), minlength=q * len(cell))
            rate = hits.reshape(len(cell), q) / INSIDE
            share += size[part] @ rate
            variance += size[part] ** 2 @ (rate * (1 - rate)) / (INSIDE - 1)
        return share, np.sqrt(variance)


def sampled_volumes(query: Query, view: View, low: float, high: float, rng: np.random.Generator) -> SampledVolumes:
    """Certified where the query has a bound on its change and the domain few dimensions, else sampled."""
    domain = view.domain
    if isinstance(query, Function):
        check_function(query, view, np.random.default_rng(0))
    free = int((domain.widths > 0).sum())
    if is_real(domain) and free in UNDECIDED:
        if isinstance(query, Variance):
            n = len(domain.lower)
            factor = n / (n - query.ddof)

            def by_deviation(centre: FloatArray, half: FloatArray) -> tuple[FloatArray, FloatArray]:
                # The standard deviation changes by at most that of the change, hence by its largest entry.
                deviation = centre.std(axis=-1)
                return factor * np.maximum(deviation - half, 0.0) ** 2, factor * (deviation + half) ** 2

            return DividedVolumes(view, low, high, rng, by_deviation)
        if isinstance(query, Function) and query.lipschitz is not None:
            constant = float(query.lipschitz)

            def by_lipschitz(centre: FloatArray, half: FloatArray) -> tuple[FloatArray, FloatArray]:
                value = view.value(centre)
                return value - constant * half, value + constant * half

            return DividedVolumes(view, low, high, rng, by_lipschitz)
    return SampledVolumes(view, low, high, rng)
