"""Other leakages of a partition, from the weights of its blocks alone; the same as the measures of the coarsened joint."""

from __future__ import annotations

import math

import numpy as np

from discreet._typing import FloatArray
from discreet.search.information._weights import Weights

NEAR_ONE = 1e-7  # orders this close to 1 are Shannon's, as in `measures.renyi_leakage`


def maximal(blocks: Weights) -> float:
    """log2 Σ_B max_s p(B|s), in bits."""
    return max(0.0, math.log2(float(_per_block(blocks, blocks.weight / blocks.of_s[blocks.indices], np.maximum).sum())))


def min_entropy(blocks: Weights) -> float:
    """log2 of Σ_B max_s p(s,B) / max_s p(s), in bits."""
    inside = float(_per_block(blocks, blocks.weight, np.maximum).sum()) / float(blocks.of_s.max())
    return max(0.0, math.log2(inside))


def renyi(blocks: Weights, order: float) -> float:
    """max_B D_α(p(s|B) ‖ p(s)), in bits, for α from 0 to infinity."""
    prior = blocks.of_s[blocks.indices] / blocks.total
    posterior = blocks.weight / blocks.of_letter[blocks.letter_of_pair]
    lift = np.log2(posterior / prior)
    if order == 0:
        divergence = -np.log2(np.minimum(1.0, _per_block(blocks, prior, np.add)))
    elif abs(order - 1) < NEAR_ONE:
        divergence = _per_block(blocks, posterior * lift, np.add)
    elif math.isinf(order):
        divergence = _per_block(blocks, lift, np.maximum)
    else:  # scaled by the largest term, so that no power overflows
        top = _per_block(blocks, order * lift, np.maximum)
        scaled = prior * np.exp2(order * lift - top[blocks.letter_of_pair])
        divergence = (np.log2(_per_block(blocks, scaled, np.add)) + top) / (order - 1)
    return max(0.0, float(divergence.max()))


def _per_block(blocks: Weights, values: FloatArray, how: np.ufunc) -> FloatArray:
    return np.asarray(how.reduceat(values, blocks.indptr[:-1]), dtype=np.float64)
