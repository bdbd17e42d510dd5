"""What a partition costs and what it hides, computed from the partition itself.

Optimisers keep running figures of their own; what a result reports is always recomputed here, so that a slip in an
optimiser can lose quality but never make a policy look better than it is.
"""

from __future__ import annotations

import numpy as np

from discreet._typing import Codeword, FloatArray, IntArray
from discreet.search._letters import Letters

CODEWORDS: dict[str, int] = {"centroid": 0, "medoid": 1, "chebyshev": 2}


def canonical(labels: IntArray) -> IntArray:
    """Name each block by its lowest letter; labels are integers from 0, gaps allowed."""
    from discreet.search._kernels.geometry import name_by_lowest

    names: IntArray = name_by_lowest(labels, int(labels.max()) + 1)
    return names


def size(block_of: IntArray) -> int:
    """Letters in the largest block; resolution lost is its logarithm [AC, (6)]."""
    return int(np.bincount(block_of).max())


def distinct(letters: Letters, block_of: IntArray) -> int:
    """k, the least number of distinct s over the blocks [AC, Def 2]: B0(S|X^) = log k."""
    from discreet.search._kernels.geometry import block_distinct, group_by_block

    offsets, members = group_by_block(block_of)
    return int(block_distinct(letters.indptr, letters.indices, letters.n_s, offsets, members).min())


def components(letters: Letters, block_of: IntArray) -> int:
    """Connected components of the graph of blocks and s; I*(S;X^) is its logarithm [AC, Lemma 2]."""
    from discreet.search._kernels.geometry import overlap_components

    return int(overlap_components(letters.indptr, letters.indices, letters.n_s, block_of)[1])


def radii(letters: Letters, block_of: IntArray, codeword: Codeword) -> FloatArray:
    """Largest distance to the codeword in each block, blocks in the order of their lowest letter.

    Parameters
    ----------
    codeword
        "centroid" (mean over the block's letters), "medoid" (the letter with the least largest distance), or
        "chebyshev" (centre of the smallest enclosing ball: exact for one column, l_inf, l_2, and l_1; other norms in
        several columns raise ValueError).
    """
    from discreet.search._kernels.geometry import block_radii, group_by_block

    values = required_values(letters)
    offsets, members = group_by_block(block_of)
    if codeword == "chebyshev" and values.shape[1] > 1:
        if letters.norm == 1.0:
            return np.array([_octahedral_radius(values[m]) for m in np.split(members, offsets[1:-1])])
        if letters.norm not in (2.0, np.inf):
            raise ValueError(f"the Chebyshev centre of several columns needs norm 1, 2 or inf, not {letters.norm}")
    out: FloatArray = block_radii(values, offsets, members, letters.norm, CODEWORDS[codeword])
    return out


def distortion(letters: Letters, block_of: IntArray, codeword: Codeword) -> float:
    """max_x d(x, codeword(x)) over all letters [AC, V-A, U2]; see `radii`."""
    return float(radii(letters, block_of, codeword).max())


def required_values(letters: Letters) -> FloatArray:
    """The letters' numeric values (n x d), or ValueError where there are none."""
    if letters.values is None:
        raise ValueError("distortion needs numeric values for the letters")
    return letters.values


def _octahedral_radius(points: FloatArray) -> float:
    """Smallest enclosing l_1 ball: in the plane it is a square turned by 45 degrees, beyond that a small LP.

    ||x - c||_1 = max over sign vectors t of t.x - t.c, so only the largest t.x of each of the 2^d sign vectors matters.
    """
    d = points.shape[1]
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * d)).reshape(d, -1).T
    reach = (points @ signs.T).max(axis=0)
    if d == 2:
        return float((reach + reach[::-1]).max() / 2)
    from scipy.optimize import linprog

    solved = linprog(
        np.r_[np.zeros(d), 1.0],
        A_ub=np.c_[-signs, -np.ones(len(signs))],
        b_ub=-reach,
        bounds=[(None, None)] * d + [(0, None)],
    )
    if solved.x is None:
        raise AssertionError(f"the smallest enclosing l_1 ball was not found: {solved.message}")
    return float(solved.x[-1])
