"""Lower bounds on the cost at each level that need no search; where exact search starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.search.ranges._costs import measured_values
from discreet.search.ranges._line import Column
from discreet.search.ranges._size import size_bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet._typing import Codeword, FloatArray, IntArray
    from discreet.search._letters import Letters


def lower_bounds(
    letters: Letters,
    component_of: IntArray,
    leakage: str,
    distances: FloatArray | None,
    codeword: Codeword,
    levels: Sequence[int],
) -> FloatArray:
    """A proven lower bound on the cost at each of ``levels``, which go from easy to hard.

    ``distances`` between letters make it distortion; None stands for block size.
    """
    bounds = np.full(len(levels), 1.0 if distances is None else 0.0)
    if leakage != "I*" and distances is None:
        bounds = np.array([float(size_bound(letters, k)) for k in levels])
    elif leakage != "I*":
        bounds = _distinct_radii(letters, codeword)
    if leakage != "L0" and distances is not None:
        steps = joining_steps(component_of, distances, codeword)
        merges = [len(levels) - level for level in levels] if leakage == "I*" else [len(steps)] * len(levels)
        bounds = np.maximum(bounds, [steps[m - 1] if m else 0.0 for m in merges])
    return np.asarray(np.maximum.accumulate(bounds))


def joining_steps(component_of: IntArray, distances: FloatArray, codeword: str) -> FloatArray:
    """Bounds on the cost of leaving c - 1, c - 2, ... components, from a minimum spanning tree of them.

    Letters in a ball of radius D are at most 2D apart (D from their medoid), so blocks of cost D join no more
    components than edges up to that length do.
    """
    count = int(component_of.max()) + 1
    order = np.argsort(component_of, kind="stable")
    starts = np.searchsorted(component_of[order], np.arange(count))
    between = np.minimum.reduceat(np.minimum.reduceat(distances[order][:, order], starts, axis=0), starts, axis=1)
    steps: list[float] = []
    nearest = between[0].copy()
    outside = np.ones(count, bool)
    outside[0] = False
    for _ in range(count - 1):
        chosen = int(np.argmin(np.where(outside, nearest, np.inf)))
        steps.append(float(nearest[chosen]))
        outside[chosen] = False
        nearest = np.minimum(nearest, between[chosen])
    return np.sort(steps) / (1.0 if codeword == "medoid" else 2.0)


def window_bound(column: Column, k: int) -> float:
    """Half the narrowest window with k distinct s, round the letter where that is widest: no codeword does better. SPEC 9."""
    from discreet.search.ranges._line_kernels import narrowest_windows, window_starts

    starts = window_starts(column.indptr, column.indices, column.n_s, k)
    return 0.5 * float(narrowest_windows(column.x, starts).max())


def _distinct_radii(letters: Letters, codeword: Codeword) -> FloatArray:
    """For each k the narrowest block with k distinct s round the letter where that is widest. SPEC 9."""
    from discreet.search.ranges._multicolumn_kernels import medoid_bound, nearest_distinct

    levels = range(1, letters.n_s + 1)
    values, norm = measured_values(letters, codeword)
    if codeword != "medoid" and values.shape[1] == 1:
        column = Column.of(letters)
        return np.array([window_bound(column, k) for k in levels])
    reach = nearest_distinct(values, letters.indptr, letters.indices, letters.n_s, norm)
    if codeword != "medoid":
        return np.asarray(reach.max(axis=0) / 2)
    every = np.arange(letters.n)
    return np.array(
        [medoid_bound(values, at, every[np.argsort(-at)], norm, 0.0, letters.n) for at in np.ascontiguousarray(reach.T)]
    )
