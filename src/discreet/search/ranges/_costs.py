"""What a partition costs and what it hides, computed from the partition itself.

Optimisers keep running figures of their own; what a result reports is always recomputed here, so that a slip in an
optimiser can lose quality but never make a policy look better than it is.
"""

from __future__ import annotations

import numpy as np

from discreet._typing import Codeword, FloatArray, IntArray
from discreet.search._codewords import box_coordinates, smallest_radius
from discreet.search._letters import Letters

CODEWORDS: dict[str, int] = {"centroid": 0, "medoid": 1, "chebyshev": 2}


def size(block_of: IntArray) -> int:
    """Letters in the largest block; resolution lost is its logarithm [AC, (6)]."""
    return int(np.bincount(block_of).max())


def distinct(letters: Letters, block_of: IntArray) -> int:
    """k, the least number of distinct s over the blocks [AC, Def 2]: B0(S|X^) = log k."""
    from discreet.search._kernels.partitions import block_distinct, group_by_block

    offsets, members = group_by_block(block_of)
    return int(block_distinct(letters.indptr, letters.indices, letters.n_s, offsets, members).min())


def components(letters: Letters, block_of: IntArray) -> int:
    """Connected components of the graph of blocks and s; I*(S;X^) is its logarithm [AC, Lemma 2]."""
    from discreet.search._kernels.graph import components_of

    return int(components_of(letters.indptr, letters.indices, letters.n_s, block_of)[2])


def component_of(letters: Letters, block_of: IntArray | None = None) -> tuple[IntArray, int]:
    """Each letter's component in that graph, numbered by lowest letter, and how many there are [AC, Def 1].

    Of the letters themselves unless a partition is given.
    """
    from discreet.search._kernels.graph import component_labels, components_of

    blocks = np.arange(letters.n) if block_of is None else block_of
    parent, _, count = components_of(letters.indptr, letters.indices, letters.n_s, blocks)
    return component_labels(parent), int(count)


def radii(letters: Letters, block_of: IntArray, codeword: Codeword) -> FloatArray:
    """Largest distance to the codeword in each block, blocks in the order of their lowest letter.

    Parameters
    ----------
    codeword
        "centroid" (mean over the block's letters), "medoid" (the letter with the least largest distance), or
        "chebyshev" (centre of the smallest enclosing ball: exact for one column, l_inf, l_2, and l_1; other norms in
        several columns raise ValueError).
    """
    from discreet.search._kernels.geometry import block_radii
    from discreet.search._kernels.partitions import group_by_block

    values, norm = measured_values(letters, codeword)
    offsets, members = group_by_block(block_of)
    if codeword == "chebyshev" and values.shape[1] > 1 and norm not in (2.0, np.inf):
        if norm != 1.0:
            raise ValueError(f"the Chebyshev centre of several columns needs norm 1, 2 or inf, not {norm}")
        return np.array([smallest_radius(values[block], norm) for block in np.split(members, offsets[1:-1])])
    out: FloatArray = block_radii(values, offsets, members, norm, CODEWORDS[codeword])
    return out


def distortion(letters: Letters, block_of: IntArray, codeword: Codeword) -> float:
    """max_x d(x, codeword(x)) over all letters [AC, V-A, U2]; see `radii`."""
    return float(radii(letters, block_of, codeword).max())


def required_values(letters: Letters) -> FloatArray:
    """The letters' numeric values (n x d), or ValueError where there are none."""
    if letters.values is None:
        raise ValueError("distortion needs numeric values for the letters")
    return letters.values


def measured_values(letters: Letters, codeword: Codeword) -> tuple[FloatArray, float]:
    """Values and a norm in which the blocks' distortions are the same, and for Chebyshev centres a box where there is one."""
    values = required_values(letters)
    box = box_coordinates(values, letters.norm) if codeword == "chebyshev" else None
    return (values, letters.norm) if box is None else (box, np.inf)
