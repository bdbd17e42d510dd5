"""Which points of a frontier are worth having, and how much a whole frontier is worth: its hypervolume."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet._typing import FloatArray, IntArray


def dominates(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Whether (leakage, utility) ``first`` is at least as good as ``second`` in both and better in one.

    Examples
    --------
    >>> dominates((1.0, 5.0), (1.0, 4.0)), dominates((1.0, 5.0), (1.0, 5.0))
    (True, False)
    """
    return first[0] <= second[0] and first[1] >= second[1] and first != second


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
    order = np.lexsort((leak, -use))  # stable: of equals the first stays first
    lowest = np.minimum.accumulate(leak[order])
    better = np.ones(len(order), bool)
    better[1:] = leak[order][1:] < lowest[:-1]
    return np.asarray(order[better])


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


def leakage_axis(distinct: npt.ArrayLike, n_s: int) -> FloatArray:
    """L0 / log |[[S]]| = 1 - log k / log |[[S]]| for policies with k distinct s in every block. SPEC 9."""
    k = np.asarray(distinct, float)
    return np.zeros(len(k)) if n_s == 1 else np.asarray(1 - np.log(k) / np.log(n_s))


def cost_axis(cost: npt.ArrayLike, most: float, *, logarithmic: bool = False) -> FloatArray:
    """cost / max; for block sizes, ``logarithmic``: log m / log n, ``most`` being n. SPEC 9."""
    value = np.asarray(cost, float)
    if logarithmic:
        return np.zeros(len(value)) if most == 1 else np.asarray(np.log(value) / np.log(most))
    return np.zeros(len(value)) if most == 0 else np.asarray(value / most)


def _pair(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    a, b = np.asarray(first, float), np.asarray(second, float)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"a frontier needs two lists of equal length, not shapes {a.shape} and {b.shape}")
    if np.isnan(a).any() or np.isnan(b).any():
        raise ValueError("a frontier's coordinates must not be NaN")
    return a, b


def frontier_hypervolume(
    distinct: Sequence[int], cost: Sequence[float], n_s: int, most: float, *, logarithmic: bool = False
) -> float:
    """Hypervolume of an L0 frontier on the axes of SPEC 9, reference (1, 1)."""
    return hypervolume(leakage_axis(distinct, n_s), cost_axis(cost, most, logarithmic=logarithmic))
