"""Sums of independent uniform variables, exactly: the weighted Irwin–Hall distribution in rational numbers.

For S = Σ w_i U_i with U_i uniform on [0, 1] and w_i > 0,

    P(S ≤ t) = 1/(n! Π w_i) Σ_s c_s (t - s)_+^n,    Σ_s c_s z^s = Π_i (1 - z^(w_i)).

The terms cancel catastrophically in floating point (by n = 100 nothing is left), not in integers: all w_i and t are
scaled to whole numbers. Equal weights give n + 1 terms, small whole weights one for each total, others up to 2^n.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

TERMS = 5000
"""Terms c_s that an exact sum may have."""

WORK = 8_000_000
"""Bits of all powers of one exact sum: below it a sum takes some hundredths of a second."""


def rational(value: float) -> Fraction:
    """A float as the decimal number that people wrote: .1 is a tenth.

    Examples
    --------
    >>> rational(0.15)
    Fraction(3, 20)
    """
    return Fraction(repr(float(value)))


def log2_ratio(ratio: Fraction) -> float:
    """log2 of a positive rational of any size, correct to rounding.

    Examples
    --------
    >>> log2_ratio(Fraction(1, 2**5000))
    -5000.0
    """
    top, bottom = ratio.numerator, ratio.denominator
    shift = top.bit_length() - bottom.bit_length()
    top, bottom = (top, bottom << shift) if shift >= 0 else (top << -shift, bottom)
    return shift + math.log2(top / bottom)


class RationalSum:
    """The law of Σ w_i U_i for rational w_i > 0."""

    def __init__(self, weights: Sequence[Fraction]) -> None:
        self.n = len(weights)
        self.scale = math.lcm(*(weight.denominator for weight in weights))
        self.whole = [int(weight * self.scale) for weight in weights]
        self.total = sum(self.whole)

    @classmethod
    def of(cls, weights: Sequence[Fraction]) -> RationalSum | None:
        """The law, or None where the sum would have too many terms."""
        made = cls(weights)
        counts = Counter(made.whole)
        possible = min(math.prod(count + 1 for count in counts.values()), 2**made.n)
        steps = math.gcd(*made.whole)
        return made if min(possible, made.total // steps + 1) <= TERMS else None

    @cached_property
    def terms(self) -> list[tuple[int, int]]:
        """(s, c_s) with c_s ≠ 0, in order of s."""
        product = {0: 1}
        for weight, count in Counter(self.whole).items():
            row = [(-1) ** k * math.comb(count, k) for k in range(count + 1)]
            grown: dict[int, int] = {}
            for s, c in product.items():
                for k, factor in enumerate(row):
                    place = s + k * weight
                    grown[place] = grown.get(place, 0) + c * factor
            product = grown
        return sorted((s, c) for s, c in product.items() if c)

    def within_reach(self, t: Fraction) -> bool:
        """Whether the sum at t (a share of the total) is cheap enough to do exactly."""
        bits = self.n * (self.total * t.denominator).bit_length()
        return bits * (1 + int(len(self.terms) * min(t, 1 - t))) <= WORK

    def below(self, share: Fraction) -> Fraction:
        """P(S ≤ share · Σ w_i)."""
        if share <= 0:
            return Fraction(0)
        if share > Fraction(1, 2):  # S is symmetric: the short side has fewer terms
            return 1 - self.below(1 - share)
        top, bottom = (share * self.total).as_integer_ratio()
        found = 0
        for s, c in self.terms:
            rest = top - s * bottom
            if rest <= 0:
                break
            found += c * rest**self.n
        return Fraction(found, bottom**self.n * math.factorial(self.n) * math.prod(self.whole))

    def between(self, low: Fraction, high: Fraction) -> Fraction:
        """P(low · Σ w ≤ S ≤ high · Σ w), taken on the side where fewer terms are needed."""
        if low + high > 1:
            low, high = 1 - high, 1 - low
        return self.below(high) - self.below(low)
