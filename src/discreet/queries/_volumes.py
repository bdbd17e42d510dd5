"""How large the region of the data sets is on which a query's value lies in a cell: volumes, as shares of the domain.

One class for each kind of query, all with one interface. A share is given as its log2, so that n = 1,000 people are no more
trouble than two, with a bound on its error in bits.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from discreet._typing import FloatArray
from discreet.queries._domains import Domain
from discreet.queries._poisson_binomial import log_difference, log_tails
from discreet.queries._query import LinearForm
from discreet.queries._uniform_sums import RationalSum, log2_ratio, log_share, rational

BITS = 1 / math.log(2)
LARGEST_EXACT = 12
"""With up to this many different terms small shares are summed exactly rather than bracketed."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Shares of the domain, one per cell.

    Attributes
    ----------
    log2
        Bits, at most 0: log2 of vol(region) / vol(domain).
    error
        Bits: how far each may be off; 0 where it is exact to rounding.
    certain
        Whether the errors are proven bounds; otherwise they are three standard errors of an estimate.
    bounds
        log2 of proven lower and upper bounds on the shares, where an estimate has them.
    """

    log2: FloatArray
    error: FloatArray
    certain: bool = True
    bounds: tuple[FloatArray, FloatArray] | None = None


class Volumes(ABC):
    """The shares of all cells of a query's range.

    Attributes
    ----------
    low, high
        The range of the query.
    values
        The values that it can take, where they are finitely many; else None.
    how
        How the shares are found, for people.
    """

    low: float
    high: float
    values: FloatArray | None = None
    how: str = ""

    @abstractmethod
    def cells(self, edges: FloatArray) -> Measured:
        """The share of each cell [edges_i, edges_{i+1}), the last one closed; edges_0 = low, edges_q = high."""

    def planned(self, edges: FloatArray) -> Measured:
        """Shares good enough to choose edges by; they need not be those that are reported."""
        return self.cells(edges)


class LinearVolumes(Volumes):
    """A linear form on a box: Σ w_i d_i U_i, the weighted Irwin–Hall law.

    Exact in rational numbers while the sum is short enough (equal weights, small whole weights, a dozen people);
    else the contour integral, 1e-12 bits. Shares are asked by their place in the range, from 0 to 1.
    """

    def __init__(self, form: LinearForm, domain: Domain, low: float, high: float) -> None:
        self.low, self.high = low, high
        kinds, counts = np.unique(
            np.stack((np.abs(form.weights), domain.lower, domain.upper)), axis=1, return_counts=True
        )
        self.terms = [
            term
            for w, a, b, count in zip(*kinds.tolist(), counts.tolist(), strict=True)
            if w != 0 and b > a
            for term in [rational(w) * (rational(b) - rational(a))] * count
        ]
        self.n = len(self.terms)
        self.how = f"weighted Irwin–Hall law of {self.n} terms"

    @cached_property
    def law(self) -> RationalSum | None:
        """The exact law, where its sum is short enough."""
        return RationalSum.of(self.terms)

    @cached_property
    def _kinds(self) -> tuple[FloatArray, FloatArray]:
        top = max(self.terms)
        widths, counts = np.unique([float(term / top) for term in self.terms], return_counts=True)
        return widths, counts.astype(float)

    def between(self, start: Fraction, end: Fraction) -> tuple[float, float]:
        """log2 of the share between two places of the range, and a bound on its error, in bits."""
        start, end = max(start, Fraction(0)), min(end, Fraction(1))
        if start >= end:
            return -math.inf, 0.0
        if start == 0 and end == 1:
            return 0.0, 0.0
        law = self.law
        if law is not None and law.within_reach(start) and law.within_reach(end):
            return log2_ratio(law.between(start, end)), 0.0
        widths, counts = self._kinds
        total = float((widths * counts).sum())
        share, error = log_share(widths, counts, float(start) * total, float(end) * total)
        if error > 1e-9:
            share, error = min((share, error), self._bracket(start, end), key=lambda found: found[1])
        return share * BITS, error * BITS

    def _bracket(self, start: Fraction, end: Fraction) -> tuple[float, float]:
        """For very unlike weights: the largest terms exactly, the others anywhere in their range; in nats.

        The small ones add between 0 and δ to the sum of the large ones: widening and narrowing the cell by δ encloses it.
        """
        large = sorted(self.terms, reverse=True)[:LARGEST_EXACT]
        law, total = RationalSum(large), sum(self.terms)
        rest, whole = total - sum(large), sum(large)

        def share(low: Fraction, high: Fraction) -> Fraction:
            low, high = max(low / whole, Fraction(0)), min(high / whole, Fraction(1))
            return law.between(low, high) if low < high else Fraction(0)

        outer, inner = share(start * total - rest, end * total), share(start * total, end * total - rest)
        if inner <= 0:
            return -math.inf, math.inf
        logs = log2_ratio(outer) / BITS, log2_ratio(inner) / BITS
        return (logs[0] + logs[1]) / 2, (logs[0] - logs[1]) / 2

    def places(self, edges: FloatArray) -> list[Fraction]:
        """Edges as exact places in the range: the decimal numbers that they show, the ends being 0 and 1."""
        low, length = rational(self.low), rational(self.high) - rational(self.low)
        inner = [(rational(edge) - low) / length for edge in edges[1:-1].tolist()]
        return [Fraction(0), *inner, Fraction(1)]

    def cells(self, edges: FloatArray) -> Measured:
        places = self.places(edges)
        found = [self.between(a, b) for a, b in pairwise(places)]
        return Measured(np.array([share for share, _ in found]), np.array([error for _, error in found]))


class OrderVolumes(Volumes):
    """The k-th smallest of n people with bounds of their own: P(x_(k) < t) is a Poisson-binomial tail."""

    def __init__(self, domain: Domain, k: int, low: float, high: float) -> None:
        self.low, self.high, self.k = low, high, k
        self.lower, self.widths = domain.lower, domain.widths
        self.how = f"order statistic {k} of {len(self.lower)}: Poisson-binomial tails"

    def _tails(self, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log P(x_(k) < t) and log P(x_(k) ≥ t) at inner edges t."""
        past = edges[:, None] - self.lower
        wide = np.where(self.widths > 0, self.widths, 1.0)
        p = np.where(self.widths > 0, np.clip(past / wide, 0.0, 1.0), (past > 0).astype(float))
        return log_tails(p, self.k)

    def cells(self, edges: FloatArray) -> Measured:
        n = len(self.lower)
        if len(edges) == 2:
            return Measured(np.zeros(1), np.zeros(1))
        below, above = self._tails(edges[1:-1])
        below = np.concatenate(([-np.inf], below, [0.0]))
        above = np.concatenate(([0.0], above, [-np.inf]))
        # The difference is taken on the side where less cancels.
        left = below[1:] <= above[:-1]
        first, second = np.where(left, below[1:], above[:-1]), np.where(left, below[:-1], above[1:])
        share = log_difference(first, second)
        with np.errstate(invalid="ignore", over="ignore"):
            lost = np.exp(np.minimum(first - share, 700.0))
            size = 1 + np.where(np.isfinite(first), np.abs(first), 0.0)
        error = np.where(np.isneginf(share), 0.0, 2e-16 * (3 * n * math.log(n + 1) + size) * lost)
        return Measured(share * BITS, error * BITS)
