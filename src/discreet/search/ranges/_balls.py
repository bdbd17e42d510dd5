"""Distances between letters and the smallest ball round a block (its Chebyshev radius)."""

from __future__ import annotations

import numpy as np

from discreet._typing import FloatArray
from discreet.search._letters import Letters
from discreet.search.ranges import _costs as costs


def lengths(vectors: FloatArray, norm: float) -> FloatArray:
    """The l_p norm of every row."""
    size: FloatArray = np.abs(vectors)
    if vectors.shape[1] == 1:
        return size[:, 0]
    if norm == 1:
        return np.asarray(size.sum(axis=1))
    if norm == np.inf:
        return np.asarray(size.max(axis=1))
    if norm == 2:
        return np.asarray(np.sqrt((size * size).sum(axis=1)))
    return np.asarray((size**norm).sum(axis=1) ** (1 / norm))


def distance_matrix(values: FloatArray, norm: float) -> FloatArray:
    """d(x, x') between all letters, n by n."""
    return np.stack([lengths(values - row, norm) for row in values])


def box_coordinates(values: FloatArray, norm: float) -> FloatArray | None:
    """Coordinates in which the norm's ball is a box, if any: the radius is then half the widest side.

    One column and l_infinity are boxes as they stand; in the plane the l_1 ball is a square turned by 45
    degrees.
    """
    if values.shape[1] == 1 or norm == np.inf:
        return values
    if norm == 1 and values.shape[1] == 2:
        return np.column_stack([values[:, 0] + values[:, 1], values[:, 0] - values[:, 1]])
    return None


def smallest_radius(points: FloatArray, norm: float) -> float:
    """The radius of the smallest ball that holds all points: they cost that as one block."""
    count = len(points)
    alphabet = Letters(np.arange(count + 1), np.zeros(count, np.int32), 1, points, norm)
    return costs.distortion(alphabet, np.zeros(count, np.int64), "chebyshev")
