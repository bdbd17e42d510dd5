"""Integer and finite domains: regions are counted, not measured.

The number of data sets at each value of a linear query is a convolution, done exactly in whole numbers while that is
quick. Larger ones go through Fourier transforms, each tilted to the part of the range where it is accurate.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np

from discreet._typing import BoolArray, FloatArray, IntArray
from discreet.queries._aggregates import Quantile
from discreet.queries._domains import FiniteSet, IntegerBox, value_sets
from discreet.queries._poisson_binomial import log_tails
from discreet.queries._query import LinearForm, View
from discreet.queries._uniform_sums import log2_ratio, rational
from discreet.queries._volumes import BITS, Measured, OrderVolumes, Volumes

EXACT_STEPS = 3_000_000
"""Additions of whole numbers of any size that a convolution may take."""

LATTICE = 1 << 22
"""Places that the lattice of a linear query's values may have."""

DATA_SETS = 1 << 20
"""Data sets that are gone through one by one."""

ORDER_SIZE = 1 << 22
"""Values times people up to which every value of an order statistic is its own candidate."""

BELIEVED = 1e-3
"""Share of its largest value down to which a tilted transform is believed."""


class CountedVolumes(Volumes):
    """Finitely many values with the number of data sets at each, or its log2."""

    values: FloatArray

    def __init__(
        self, values: FloatArray, log2: FloatArray, how: str, error: float = 0.0, counts: list[int] | None = None
    ) -> None:
        self.values, self.log2, self.how, self.error = values, log2, how, error
        self.low, self.high = float(values[0]), float(values[-1])
        self.counts = None if counts is None else [0, *accumulate(counts)]

    @classmethod
    def of_counts(cls, values: FloatArray, counts: list[int], how: str) -> CountedVolumes:
        """From whole numbers of data sets, all positive."""
        total = sum(counts)
        log2 = np.array([log2_ratio(Fraction(count, total)) for count in counts])
        return cls(values, log2, how, counts=counts)

    def cells(self, edges: FloatArray) -> Measured:
        starts = np.concatenate(([0], np.searchsorted(self.values, edges[1:-1]), [len(self.values)]))
        if self.counts is not None:
            total = self.counts[-1]
            inside = [self.counts[b] - self.counts[a] for a, b in pairwise(starts.tolist())]
            found = [log2_ratio(Fraction(count, total)) if count else -math.inf for count in inside]
            return Measured(np.array(found), np.zeros(len(found)))
        full = starts[:-1] < starts[1:]
        log2 = np.full(len(full), -np.inf)
        log2[full] = np.logaddexp2.reduceat(self.log2, starts[:-1][full])
        return Measured(np.minimum(log2, 0.0), np.full(len(log2), self.error))


class CountedOrder(OrderVolumes):
    """The k-th smallest of n people who each have a finite set of values."""

    def __init__(self, domain: IntegerBox | FiniteSet, k: int, low: float, high: float) -> None:
        super().__init__(domain, k, low, high)
        self.sets = value_sets(domain)
        kinds = {id(values): values for values in self.sets}
        every = np.unique(np.concatenate(list(kinds.values())))
        self.values = every[(every >= low) & (every <= high)]

    def _tails(self, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
        found = {id(values): np.searchsorted(values, edges) / len(values) for values in self.sets}
        return log_tails(np.stack([found[id(values)] for values in self.sets], axis=1), self.k)


def order_volumes(query: Quantile, domain: IntegerBox | FiniteSet, low: float, high: float) -> Volumes | None:
    """The volumes of an order statistic, or None where there are too many values."""
    n = len(domain.lower)
    span = max(float(domain.upper.max() - domain.lower.min()), 0.0)
    if isinstance(domain, IntegerBox) and (span + 1) * n > ORDER_SIZE:
        return None
    return CountedOrder(domain, query.rank(n), low, high)


def enumerated(view: View, domain: IntegerBox | FiniteSet) -> CountedVolumes | None:
    """Any query, data set by data set, or None where there are too many."""
    if domain.log2_size > math.log2(DATA_SETS) + 1e-9:
        return None
    values = view.value(every_data_set(domain))
    found, counts = np.unique(values, return_counts=True)
    # Values that differ by rounding are one: no edge may part them.
    starts = np.flatnonzero(np.diff(found, prepend=-np.inf) > 1e-12 * (1 + np.abs(found).max()))
    merged = np.add.reduceat(counts, starts)
    return CountedVolumes.of_counts(found[starts], merged.tolist(), f"all {len(values):,} data sets")


def every_data_set(domain: IntegerBox | FiniteSet) -> FloatArray:
    """All data sets of a small one-column domain, shape (count, n)."""
    sets = value_sets(domain)
    sizes = [len(values) for values in sets]
    places = np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=-1)
    return np.stack([values[places[:, i]] for i, values in enumerate(sets)], axis=-1)


Kinds = dict[tuple[int, ...], int]
"""What one person may add to the sum, from 0 up, and how many people may."""


def linear_volumes(form: LinearForm, domain: IntegerBox | FiniteSet) -> CountedVolumes | None:
    """A linear query on a discrete domain, or None where its values form no lattice that fits."""
    people = value_sets(domain)
    by_kind = {id(values): values for values in people}
    alike = Counter(zip(form.weights.tolist(), map(id, people), strict=True))
    sets: dict[tuple[Fraction, ...], int] = {}
    for (weight, kind), count in alike.items():
        parts = tuple(rational(weight) * rational(value) for value in by_kind[kind].tolist())
        sets[parts] = sets.get(parts, 0) + count
    unit = math.lcm(*(part.denominator for parts in sets for part in parts))
    whole = [(sorted(int(part * unit) for part in parts), count) for parts, count in sets.items()]
    start = sum(parts[0] * count for parts, count in whole)
    step = math.gcd(*(part - parts[0] for parts, _ in whole for part in parts)) or 1
    kinds: Kinds = {}
    for places, count in whole:
        moves = tuple((place - places[0]) // step for place in places)
        kinds[moves] = kinds.get(moves, 0) + count
    size = sum(parts[-1] * count for parts, count in kinds.items()) + 1

    def value(place: int) -> float:
        return float(Fraction(start + step * place, unit) * form.scale + rational(form.offset))

    if size > LATTICE:
        return None
    if _steps(kinds, size) <= EXACT_STEPS:
        counts = _convolve(kinds)
        filled = [i for i, count in enumerate(counts) if count]
        how = f"{sum(kinds.values())} convolutions in whole numbers"
        return CountedVolumes.of_counts(np.array([value(i) for i in filled]), [counts[i] for i in filled], how)
    attained = np.flatnonzero(_attained(kinds, size))
    found = _tilted(kinds, size, attained)
    if found is None:
        return None
    log2, error = found
    scale, offset = form.scale * step / unit, form.scale * Fraction(start, unit) + rational(form.offset)
    values = np.asarray(attained * float(scale) + float(offset), np.float64)
    values[-1] = value(int(attained[-1]))
    return CountedVolumes(values, log2, "convolution by tilted Fourier transforms", error)


def _is_run(parts: tuple[int, ...]) -> bool:
    return len(parts) > 2 and parts[-1] - parts[0] == (len(parts) - 1) * (parts[1] - parts[0])


def _steps(kinds: Kinds, size: int) -> int:
    return sum(count * size * (3 if _is_run(parts) else len(parts)) for parts, count in kinds.items())


def _convolve(kinds: Kinds) -> list[int]:
    """How many data sets have each sum."""
    counts = np.ones(1, object)
    for parts, people in kinds.items():
        reach = parts[-1]
        for _ in range(people):
            grown = np.zeros(len(counts) + reach, object)
            if _is_run(parts) and parts[1] == 1:  # a sliding sum, exact in whole numbers
                sums = np.concatenate((counts, np.zeros(reach, object))).cumsum()
                grown[:] = sums
                grown[reach + 1 :] -= sums[: len(counts) - 1]
            else:
                for part in parts:
                    grown[part : part + len(counts)] += counts
            counts = grown
    return [int(count) for count in counts]


def _attained(kinds: Kinds, size: int) -> BoolArray:
    """Which places of the lattice are sums at all, by shifting one long whole number."""
    if all(np.array_equal(parts, range(len(parts))) for parts in kinds):
        return np.ones(size, np.bool_)
    bits = 1
    for parts, people in kinds.items():
        for _ in range(people):
            grown = 0
            for part in parts:
                grown |= bits << part
            if grown == bits:
                break
            bits = grown
    raw = np.frombuffer(bits.to_bytes(size // 8 + 1, "little"), np.uint8)
    return np.unpackbits(raw, bitorder="little")[:size].astype(np.bool_)


def _tilted(kinds: Kinds, size: int, attained: IntArray) -> tuple[FloatArray, float] | None:
    """log2 of the share at each attained place, and a bound on its error, tilting until every place was seen clearly."""
    from scipy.fft import irfft, next_fast_len, rfft

    length = next_fast_len(size, real=True)
    parts = [(np.array(part, float), count) for part, count in kinds.items()]
    people = sum(kinds.values())
    log_share = np.full(size, np.nan)
    missing = np.zeros(size, np.bool_)
    missing[attained] = True
    # The two ends are known: one data set each.
    whole = -sum(count * math.log(len(part)) for part, count in parts)
    log_share[[0, size - 1]] = whole
    missing[[0, size - 1]] = False
    target, worst = float((size - 1) / 2), 0.0
    while missing.any():
        tilt = _tilt_to(parts, target)
        spectrum = np.ones(length // 2 + 1, complex)
        log_mean, spread = 0.0, 0.0
        for part, count in parts:
            weights = np.exp(tilt * (part - (part[-1] if tilt > 0 else 0.0)))
            mean = weights.mean()
            pmf = np.zeros(length)
            pmf[part.astype(np.int64)] = weights / weights.sum()
            spectrum *= rfft(pmf) ** count
            log_mean += count * (math.log(mean) + (tilt * part[-1] if tilt > 0 else 0.0))
            first = float(pmf[part.astype(np.int64)] @ part)
            spread += count * float(pmf[part.astype(np.int64)] @ (part - first) ** 2)
        density = irfft(spectrum, length)[:size]
        noise = 4e-16 * (people + math.log2(length)) * math.sqrt(1 / (1 + math.sqrt(spread)))
        seen = missing & (density > max(BELIEVED * density.max(), 1e3 * noise))
        if not seen.any():
            return None
        log_share[seen] = np.log(density[seen]) + log_mean - tilt * np.flatnonzero(seen)
        worst = max(worst, noise / float(density[seen].min()))
        missing &= ~seen
        left = np.flatnonzero(missing)
        if len(left):
            target = float(left[np.argmin(np.abs(left - (size - 1) / 2))])
    found = log_share[attained]
    return np.minimum(found, 0.0) * BITS, worst * BITS


def _tilt_to(parts: list[tuple[FloatArray, int]], target: float) -> float:
    """θ at which the tilted mean of the sum is `target`."""

    def mean(tilt: float) -> float:
        total = 0.0
        for part, count in parts:
            weights = np.exp(tilt * (part - (part[-1] if tilt > 0 else 0.0)))
            total += count * float(weights @ part) / float(weights.sum())
        return total

    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < target else (low, middle)
    return (low + high) / 2
