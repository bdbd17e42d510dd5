"""Slow and simple: what the fast code must agree with on small cases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from discreet._typing import FloatArray


def slab_share(terms: Sequence[Fraction], start: Fraction, end: Fraction) -> Fraction:
    """P(start ≤ Σ terms_i U_i ≤ end) by inclusion and exclusion over all subsets."""
    n = len(terms)

    def below(t: Fraction) -> Fraction:
        found = Fraction(0)
        for size in range(n + 1):
            for chosen in combinations(terms, size):
                rest = t - sum(chosen)
                if rest > 0:
                    found += (-1) ** size * rest**n
        return found / (math.factorial(n) * math.prod(terms))

    return below(end) - below(start)


def runs(count: int) -> Iterator[list[int]]:
    """All ways to part 0..count-1 into runs, as lists of starts."""
    for size in range(count):
        for inner in combinations(range(1, count), size):
            yield [0, *inner]


def most_of_smallest(values: Sequence[float], counts: Sequence[int], wide: float) -> int:
    """The largest smallest run of values that span at most `wide`, over all partitions into runs."""
    best = 0
    for starts in runs(len(values)):
        ends = [*starts[1:], len(values)]
        if all(values[b - 1] - values[a] <= wide for a, b in zip(starts, ends, strict=True)):
            best = max(best, min(sum(counts[a:b]) for a, b in zip(starts, ends, strict=True)))
    return best


def corner_values(lower: Sequence[float], upper: Sequence[float]) -> FloatArray:
    """All corners of a box."""
    return np.array(list(product(*zip(lower, upper, strict=True))), float)


def corner_ball(points: FloatArray) -> float:
    """Radius of the smallest ball round points: every support set of up to n + 1 points is tried."""
    n = points.shape[1]
    best = math.inf
    for size in range(1, n + 2):
        for chosen in combinations(range(len(points)), size):
            base = points[chosen[0]]
            moves = points[list(chosen[1:])] - base
            if size > 1:
                share, *_ = np.linalg.lstsq(2 * moves @ moves.T, (moves**2).sum(axis=1), rcond=None)
                centre = base + share @ moves
            else:
                centre = base
            radius = float(np.linalg.norm(points - centre, axis=1).max())
            best = min(best, radius)
    return best
