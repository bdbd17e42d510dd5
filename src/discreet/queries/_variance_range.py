"""The least and the greatest variance that a box allows.

The sum of squares round the mean is convex, so its least value is a sum of squared distances to one point, and its
greatest is at a corner of the box. Which corner is hard in general, but not for people whose ranges, narrowed n times
round their middles, seldom overlap: outside its narrowed range the mean decides which end an entry takes.
"""

from __future__ import annotations

import numpy as np

from discreet._typing import FloatArray

CORNERS = 1 << 16
"""Corners that may be tried for one place of the mean."""


def least_squares(lower: FloatArray, upper: FloatArray) -> float:
    """min over the box of Σ (x_i - mean)², which is min over μ of Σ dist(μ, [lower_i, upper_i])²; O(n log n)."""
    breaks = np.sort(np.concatenate((lower, upper)))

    def slope(at: float) -> float:
        return float(np.maximum(at - upper, 0).sum() - np.maximum(lower - at, 0).sum())

    low, high = 0, len(breaks) - 1  # the slope is <= 0 at the first break and >= 0 at the last
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if slope(breaks[middle]) <= 0 else (low, middle)
    start, end = slope(breaks[low]), slope(breaks[high])
    mean = breaks[low] if end <= start else breaks[low] - start * (breaks[high] - breaks[low]) / (end - start)
    distance = np.maximum(np.maximum(mean - upper, lower - mean), 0.0)
    return float(distance @ distance)


def most_squares(lower: FloatArray, upper: FloatArray) -> tuple[float, bool]:
    """max over the box of Σ (x_i - mean)², and whether it is exact; otherwise it is an upper bound.

    Flipping entry i of a corner from its lower end to its upper one gains d_i (2 mid_i - 2 mean - d_i/n), the mean being
    that before the flip. So at the best corner an entry is at its upper end if mid_i - d_i/(2n) lies above the mean, and at
    its lower end if mid_i + d_i/(2n) lies below it. Only entries in between are tried both ways; entries with equal
    bounds are alike, so that only how many of them are up matters.
    """
    n, shift = len(lower), float(np.median(lower))  # squares near zero keep their digits
    kinds, numbers = np.unique(np.stack((lower - shift, upper - shift)), axis=1, return_counts=True)
    count = numbers.astype(np.float64)
    low, high = kinds
    middle, narrow = (low + high) / 2, (high - low) / (2 * n)
    ends = np.unique(np.concatenate((middle - narrow, middle + narrow)))
    # The mean of the best corner lies in one of the closed stretches between neighbouring ends, or outside them all.
    places = np.concatenate(([ends[0] - 1], (ends[:-1] + ends[1:]) / 2, [ends[-1] + 1]))
    best, exact = 0.0, True
    seen: set[bytes] = set()
    for place in places:
        up = middle - narrow > place
        open_ = (middle - narrow <= place) & (middle + narrow >= place) & (high > low)
        key = up.tobytes() + open_.tobytes()
        if key in seen:
            continue
        seen.add(key)
        total = float((count * np.where(up, high, low))[~open_].sum())
        squares = float((count * np.where(up, high, low) ** 2)[~open_].sum())
        if np.prod(count[open_] + 1.0) > CORNERS:
            exact = False
            continue
        totals, all_squares = np.array([total]), np.array([squares])
        for a, b, c in zip(low[open_], high[open_], count[open_], strict=True):
            ups = np.arange(c + 1)
            totals = (totals[:, None] + (ups * b + (c - ups) * a)).ravel()
            all_squares = (all_squares[:, None] + (ups * b * b + (c - ups) * a * a)).ravel()
        best = max(best, float((all_squares - totals**2 / n).max()))
    return (best, True) if exact else (_relaxed(low, high, count, n), False)


def _relaxed(low: FloatArray, high: FloatArray, count: FloatArray, n: int) -> float:
    """An upper bound: squares replaced by their chords, the entries filled up from the largest middle.

    Given the total, the chords' sum is greatest when the entries with the largest middles are up, one of them in part;
    over the part that is up, chord minus total²/n is a concave parabola.
    """
    order = np.argsort(-(low + high), kind="stable")
    low, high, count = low[order], high[order], count[order]
    gain, rise = count * (high**2 - low**2), count * (high - low)
    squares = float((count * low**2).sum()) + np.concatenate(([0.0], np.cumsum(gain)[:-1]))
    total = float((count * low).sum()) + np.concatenate(([0.0], np.cumsum(rise)[:-1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.clip(np.nan_to_num((gain * n / (2 * rise) - total) / rise), 0.0, 1.0)
    return float((squares + part * gain - (total + part * rise) ** 2 / n).max())
