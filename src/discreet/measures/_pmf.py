"""Marginals, and values of pairs reduced to values of an x: what all measures of the pmf are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray

if TYPE_CHECKING:
    from discreet.joint._joint import Joint


def p_s(joint: Joint) -> FloatArray:
    """The marginal p(s)."""
    joint.require_counts()
    return joint.s_weight / float(joint.total)


def p_x(joint: Joint) -> FloatArray:
    """The marginal p(x)."""
    joint.require_counts()
    return np.asarray(joint.records / float(joint.total), dtype=np.float64)


def per_x(joint: Joint, values: FloatArray, reduce: np.ufunc) -> FloatArray:
    """Reduce a value a pair to a value an x."""
    return np.asarray(reduce.reduceat(values, joint.counts.indptr[:-1]))


def lift(joint: Joint) -> FloatArray:
    """p(s,x) / (p(s) p(x)) for every distinct pair, in storage order."""
    ratio = joint.counts.data * float(joint.total)
    ratio /= joint.s_weight[joint.counts.indices]
    ratio /= joint.records[joint.x_of_pair]
    return np.asarray(ratio, dtype=np.float64)


def entropy_of(p: FloatArray) -> float:
    """−Σ p log2 p of positive probabilities."""
    return max(0.0, -float(np.sum(p * np.log2(p))))


def sums(owner: npt.NDArray[np.integer[Any]], values: FloatArray, size: int = 0) -> FloatArray:
    """The sum of the values of each owner."""
    return np.asarray(np.bincount(owner, weights=values, minlength=size), dtype=np.float64)
