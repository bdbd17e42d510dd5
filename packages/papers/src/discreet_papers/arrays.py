"""Arrays that the papers share: entropies and informations by their definitions, and every partition of a few letters.

They are written out here rather than taken from discreet, so that a claim holds its results against something else.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Members = npt.NDArray[np.bool_]
"""A set, as a mask."""


def h_of(y: Floats) -> Floats:
    """h(y) = y log2 y, with h(0) = 0."""
    return np.asarray(y * np.log2(y, out=np.zeros(np.shape(y)), where=np.asarray(y) > 0))


def entropy(pmf: npt.ArrayLike, axis: int | None = None) -> Floats:
    """Shannon entropy in bits, along an axis or of the whole array."""
    return np.asarray(-h_of(np.asarray(pmf, dtype=np.float64)).sum(axis=axis))


def information(joint: npt.ArrayLike) -> float:
    """I(A;B) in bits of a joint pmf with A down and B across; exactly 0 where they are independent.

    Examples
    --------
    >>> information([[0.5, 0.0], [0.0, 0.5]])
    1.0
    """
    table = np.asarray(joint, dtype=np.float64)
    a, b = np.nonzero(table)
    p, p_a, p_b = table[a, b], table.sum(axis=1)[a], table.sum(axis=0)[b]
    seen = p_a * p_b > 0  # where the product underflows, p is nothing
    return max(0.0, float(p[seen] @ np.log2(p[seen] / (p_a * p_b)[seen])))


def partitions_of(n: int) -> list[Ints]:
    """Every partition of n letters, each letter's block named by its lowest letter.

    Examples
    --------
    >>> [partition.tolist() for partition in partitions_of(2)]
    [[0, 0], [0, 1]]
    """
    found: list[list[int]] = [[0]]
    for letter in range(1, n):
        found = [[*each, block] for each in found for block in (*dict.fromkeys(each), letter)]
    return [np.array(each, dtype=np.int64) for each in found]
