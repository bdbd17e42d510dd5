"""Which points of a frontier are worth having, and how much a whole frontier is worth: its hypervolume."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray


def non_dominated(leakage: npt.ArrayLike, utility: npt.ArrayLike) -> IntArray:
    """Indices of the points that no other dominates, finest first: by falling utility, hence falling leakage.

    Comparisons are exact. Of points equal in both the first is kept. O(n log n).

    Examples
    --------
    >>> non_dominated([3.0, 2.0, 2.5, 0.0], [9.0, 5.0, 4.0, 0.0]).tolist()
    [0, 1, 3]
    """
    leak, use = _pair(leakage, utility)
    if len(leak) == 0:
        return np.zeros(0, np.int64)
    ranked = np.lexsort((leak, -use))  # stable: of equals the first stays first
    lowest = np.minimum.accumulate(leak[ranked])
    better = np.ones(len(ranked), bool)
    better[1:] = leak[ranked][1:] < lowest[:-1]
    return np.asarray(ranked[better])


def hypervolume(x: npt.ArrayLike, y: npt.ArrayLike, reference: tuple[float, float] = (1.0, 1.0)) -> float:
    """Area between a frontier, both axes to be minimised, and the reference point; larger is better.

    The union of the rectangles [x_i, X] x [y_i, Y] for reference (X, Y). Points beyond the reference add
    nothing.

    Examples
    --------
    >>> hypervolume([0.0, 0.5], [0.5, 0.0])
    0.75
    """
    left, low = _pair(x, y)
    inside = (left < reference[0]) & (low < reference[1])
    left, low = left[inside], low[inside]
    if len(left) == 0:
        return 0.0
    stairs = non_dominated(left, -low)[::-1]  # from the left: x grows, y falls
    left, low = left[stairs], low[stairs]
    widths = np.diff(np.append(left, reference[0]))
    return float(np.sum(widths * (reference[1] - low)))


def _pair(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    a, b = np.asarray(first, float), np.asarray(second, float)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"a frontier needs two lists of equal length, not shapes {a.shape} and {b.shape}")
    if np.isnan(a).any() or np.isnan(b).any():
        raise ValueError("a frontier's coordinates must not be NaN")
    return a, b
