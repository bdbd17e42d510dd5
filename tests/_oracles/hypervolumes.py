"""Hypervolumes of worst-case frontiers on the axes of SPEC 9, for tests that compare whole frontiers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray
from discreet.release._hypervolume import hypervolume


def dominates(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Whether (leakage, utility) ``first`` is at least as good as ``second`` in both and better in one.

    Examples
    --------
    >>> dominates((1.0, 5.0), (1.0, 4.0)), dominates((1.0, 5.0), (1.0, 5.0))
    (True, False)
    """
    return first[0] <= second[0] and first[1] >= second[1] and first != second


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


def frontier_hypervolume(
    distinct: Sequence[int], cost: Sequence[float], n_s: int, most: float, *, logarithmic: bool = False
) -> float:
    """Hypervolume of an L0 frontier on the axes of SPEC 9, reference (1, 1)."""
    return hypervolume(leakage_axis(distinct, n_s), cost_axis(cost, most, logarithmic=logarithmic))
