"""Sums of independent uniform variables, which linear queries on a box are: exactly, or by one integral.

**Exactly**, the weighted Irwin–Hall distribution in rational numbers. For S = Σ w_i U_i with U_i uniform on [0, 1], w_i > 0,

    P(S ≤ t) = 1/(n! Π w_i) Σ_s c_s (t - s)_+^n,    Σ_s c_s z^s = Π_i (1 - z^(w_i)).

The terms cancel catastrophically in floating point (by n = 100 nothing is left), not in integers: all w_i and t are
scaled to whole numbers. Equal weights give n + 1 terms, small whole weights one for each total, others up to 2^n.

**By one integral** through the saddle point, stable to thousands of variables. The share of a box on which a linear form
lies in a cell of width h round m is h times the density at m of one more sum: the form's uniform terms and a uniform one
of width h. All centred at 0,

    share = h/(2π) ∫ exp(K(c + iy) - (c + iy) m) dy,    K(z) = Σ_j log( sinh(z w_j/2) / (z w_j/2) ),

with c the saddle point K'(c) = m, so that nothing cancels however small the share. The sum of the variables is bounded,
hence the trapezoidal rule with step 2π/T has no error at all once T reaches past the support, and one bounded by
Chernoff before; what is cut off is bounded by the integrand's envelope.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet._typing import FloatArray

TERMS = 5000
"""Terms c_s that an exact sum may have."""

WORK = 8_000_000
"""Bits of all powers of one exact sum: below it a sum takes some hundredths of a second."""

POINTS = 1 << 17
"""Points of one integral at most."""

SMALL = 42.0
"""Nats below the peak at which integrand and tails are let go."""


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


def log_share(widths: FloatArray, counts: FloatArray, low: float, high: float) -> tuple[float, float]:
    """Natural log of P(low ≤ S ≤ high) for S = Σ w_j U_j, U_j uniform on [0, 1], and a bound on its error.

    Parameters
    ----------
    widths, counts
        Different widths w_j > 0 and how many variables have each.
    low, high
        The cell, 0 ≤ low < high ≤ Σ w_j.
    """
    total, size = float((widths * counts).sum()), high - low
    w, k = np.append(widths, size), np.append(counts, 1.0)
    reach = (total + size) / 2
    m = abs((low + high - total) / 2)  # symmetric: always the right-hand side
    c = _saddle(w, k, m, reach)
    spread = math.sqrt(_curvature(w, k, c))
    period = min(reach + m, _period(w, k, c, m, spread)) * (1 + 1e-9)
    step = 2 * math.pi / period
    cut, past = _cutoff(w, k, c, spread)
    points = min(max(8, math.ceil(cut / step)), POINTS)
    if points == POINTS:
        past = _past(w, k, c, points * step)
    y = step * np.arange(1, points + 1)
    exponent = -1j * y * m
    at_peak, rounding = -c * m, abs(c * m) + 3 * k.sum() + y[-1] * m
    for width, count in zip(w, k, strict=True):
        peak = _log_sinhc(np.array([c * width / 2 + 0j]))[0].real
        exponent += count * (_log_sinhc((c + 1j * y) * (width / 2)) - peak)
        at_peak += count * peak
        rounding += count * abs(peak)
    integral = step * (1 + 2 * float(np.exp(exponent).real.sum()))
    if integral <= 0:
        return -math.inf, math.inf
    error = (2 * past + math.exp(-SMALL) * spread) / integral + 1e-16 * (10 * len(w) + rounding)
    return math.log(size * integral / (2 * math.pi)) + at_peak, error


def _log_sinhc(u: np.typing.NDArray[np.complex128]) -> np.typing.NDArray[np.complex128]:
    """log(sinh u / u) for Re u ≥ 0, up to multiples of 2πi."""
    near = np.abs(u) < 0.02
    safe = np.where(near, 1.0, u)
    with np.errstate(divide="ignore"):  # sinh has zeros on the imaginary axis: the integrand is 0 there
        far = safe + np.log(-np.expm1(-2 * safe)) - np.log(2 * safe)
    square = u * u
    return np.where(near, square / 6 * (1 - square / 30 * (1 - square * (4 / 63))), far)


def _langevin(x: FloatArray) -> FloatArray:
    """coth x - 1/x for x ≥ 0, the slope of log(sinh x / x)."""
    near = x < 0.02
    safe = np.where(near, 1.0, x)
    return np.where(near, x / 3 * (1 - x * x / 15), 1 / np.tanh(safe) - 1 / safe)


def _saddle(w: FloatArray, k: FloatArray, m: float, reach: float) -> float:
    """c ≥ 0 with K'(c) = m: Newton from the left climbs monotonically, K' being concave there."""
    if m <= 0:
        return 0.0
    c = 0.0
    most = k.sum() / (reach - m)  # since coth ≥ 1
    for _ in range(200):
        slope = float((k * w / 2 * _langevin(c * w / 2)).sum())
        move = (m - slope) / _curvature(w, k, c)
        c = min(c + move, most)
        if abs(move) <= 1e-12 * c:
            break
    return c


def _curvature(w: FloatArray, k: FloatArray, c: float) -> float:
    """K''(c), the variance of the tilted sum."""
    x = c * w / 2
    near = x < 0.02
    safe = np.clip(np.where(near, 1.0, x), None, 300.0)
    value = np.where(near, 1 / 3 - x * x / 15, 1 / np.where(near, 1.0, x) ** 2 - 1 / np.sinh(safe) ** 2)
    return float((k * w * w / 4 * value).sum())


def _log_real(w: FloatArray, k: FloatArray, c: float) -> float:
    return float((k * _log_sinhc(np.abs(c) * w / 2 + 0j).real).sum())


def _period(w: FloatArray, k: FloatArray, c: float, m: float, spread: float) -> float:
    """T beyond which the tilted density has fallen by SMALL nats on either side, by Chernoff's bound."""
    base = _log_real(w, k, c)
    found = []
    for side in (1.0, -1.0):
        tilts = [side * factor / spread for factor in (0.5, 1.0, 2.0, 4.0, 8.0)]
        found.append(min((_log_real(w, k, c + s) - base + SMALL) / abs(s) - side * m for s in tilts))
    return max(found)


def _envelope(w: FloatArray, k: FloatArray, c: float, y: FloatArray) -> FloatArray:
    """Log of a decreasing bound on |integrand| relative to its peak, for y > 0."""
    x, v = c * w[:, None] / 2, y[None, :] * w[:, None] / 2
    # |sinh(x + iv)|² = sinh² x + sin² v ≤ cosh² x, and the factor is at most its value on the real axis.
    above = x + np.log1p(np.exp(-2 * x)) - math.log(2)
    peak = _log_sinhc(x.astype(np.complex128)).real
    return np.asarray((k[:, None] * np.minimum(0.0, above - 0.5 * np.log(x * x + v * v) - peak)).sum(axis=0))


def _cutoff(w: FloatArray, k: FloatArray, c: float, spread: float) -> tuple[float, float]:
    """Where to cut the integral, and how much is past it."""
    y = np.geomspace(0.5 / spread, 1e9 / spread, 200)
    log_bound = _envelope(w, k, c, y)
    enough = np.flatnonzero(log_bound + np.log(y * spread) < -SMALL)
    place = int(enough[0]) if len(enough) else len(y) - 1
    return float(y[place]), _past(w, k, c, float(y[place]))


def _past(w: FloatArray, k: FloatArray, c: float, cut: float) -> float:
    """A bound on the integral past `cut`: from there the envelope falls at least like its local power of y."""
    first, second = _envelope(w, k, c, np.array([cut, 2 * cut]))
    power = max((first - second) / math.log(2), 1.01)
    return float(math.exp(first) * cut / (power - 1))
