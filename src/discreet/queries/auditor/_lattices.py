"""Recorded steps: values with one decimal, whole euros or half hours lie on a lattice that everybody knows.

Sums over groups with cells narrower than a step are equations over the lattice, and a few of them can leave one data set
while every real interval is still long (AUDITOR.md, trap 8). So the lattice is part of what the adversary is taken to know.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet._typing import BoolArray, FloatArray

MOST_STEPS = 1e12
"""Values of more steps than this from 0 are not told from reals: a float has hardly more digits."""

ROUNDING = 2.0**-50
"""Relative error of a decimal that went through a few operations."""

SAMPLE = 500
"""Values that are looked at first."""

TELLING = 20
"""What the values of fewer people have in common may be chance."""

MOSTLY = 0.9
"""Share of the values that make a lattice in which the others are exceptions."""


class Lattice(NamedTuple):
    """offset + whole multiples of step, and how many of the values that were looked at lie off it."""

    step: Fraction
    offset: Fraction
    exceptions: int

    def steps_from(self, value: Fraction) -> bool:
        """Whether a number lies on it."""
        return (value - self.offset) % self.step == 0


def lattice_of(values: FloatArray, *, parts: int = 1, mostly: float = 1.0) -> Lattice | None:
    """The coarsest lattice on which these values lie, or this share of them; None where they are as good as real.

    A lattice has steps that are decimals, or decimals over a whole number up to `parts`.

    Examples
    --------
    >>> lattice_of(np.array([171.5, 180.0, 163.5]))
    Lattice(step=Fraction(1, 10), offset=Fraction(0, 1), exceptions=0)
    >>> lattice_of(np.array([0.1234567890123456, 0.5])) is None
    True
    """
    distinct, counts = np.unique(values, return_counts=True)
    largest = float(np.abs(distinct).max(initial=0.0))
    pick = np.linspace(0, len(distinct) - 1, min(SAMPLE, len(distinct))).astype(np.int64)
    for digits in range(13):
        for part in range(1, parts + 1):
            scale = part * 10**digits
            if scale * largest > MOST_STEPS:
                break
            if _whole(distinct[pick] * scale).mean() < mostly - 0.1:
                continue
            on = _whole(distinct * scale)
            exceptions = int(counts[~on].sum())
            if exceptions <= (1 - mostly) * len(values) and on.any():
                whole = np.rint(distinct[on] * scale).astype(np.int64)
                # A few people may all have even numbers by chance.
                gap = int(np.gcd.reduce(np.diff(whole))) if len(values) >= TELLING and len(whole) > 1 else 1
                return Lattice(Fraction(gap, scale), Fraction(int(whole[0]) % gap, scale), exceptions)
    return None


def _whole(scaled: FloatArray) -> BoolArray:
    return np.asarray(np.abs(scaled - np.rint(scaled)) <= ROUNDING * np.abs(scaled))


def decimal(number: Fraction) -> str:
    """A step as people write it: 0.1, 100, or 1/3."""
    bare = number.denominator
    for prime in (2, 5):
        while bare % prime == 0:
            bare //= prime
    return f"{float(number):.12g}" if bare == 1 else str(number)


def down(top: int, bottom: int) -> float:
    """The largest float that is not above top / bottom; the nearest one where it is written as that very decimal."""
    near = top / bottom
    over, under = near.as_integer_ratio()
    return near if over * bottom <= top * under or _reads_as(near, top, bottom) else math.nextafter(near, -math.inf)


def _reads_as(near: float, top: int, bottom: int) -> bool:
    """Whether a float is written as top / bottom: 0.1 is a tenth to whoever reads it."""
    written = Fraction(repr(near))
    return written.numerator * bottom == top * written.denominator


def around(low: Fraction, high: Fraction) -> tuple[float, float]:
    """The middle of a cell, and an error within which all of the cell lies from it."""
    exact = (low + high) / 2
    middle, half = float(exact), (high - low) / 2
    if not _reads_as(middle, exact.numerator, exact.denominator):
        half = max(high - Fraction(middle), Fraction(middle) - low)
    return middle, ceiling(half)


def floor(number: Fraction) -> float:
    """The largest float that is not above a number."""
    return down(number.numerator, number.denominator)


def ceiling(number: Fraction) -> float:
    """The least float that is not below a number; 0 without a minus sign, which a database would not give back."""
    return 0.0 - down(-number.numerator, number.denominator)
