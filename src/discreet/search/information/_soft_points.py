"""Soft policies: channels p(x̂|x), what they leak and keep, and which are worth having.

Soft policies can be mixed. Toss a public coin that shows heads with probability ρ, draw x̂ from one channel or the other,
and publish the coin with it: the coin is independent of (S, X), so I(S;X̂) and I(X;X̂) are ρ times the one's plus 1 − ρ
times the other's. Mixing with the channel that says nothing is releasing a cell with probability ρ and a blank
otherwise. So the pairs that soft policies reach are convex, and soft beats hard wherever a hard frontier is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet._typing import FloatArray, IntArray, Problem
from discreet.search.information._weights import Weights, h_of

NOTHING = 1e-12
"""Probability below which a symbol is dropped and its mass given to the others of the same letter."""


@dataclass(frozen=True, eq=False)
class SoftPoint:
    """A channel with its figures.

    Attributes
    ----------
    channel
        p(x̂|x), letters by symbols; rows sum to one.
    leakage, utility
        I(S;X̂) and I(X;X̂), in bits, computed from the channel.
    multiplier
        λ of the Lagrangian that the search stopped at; None for what no search made.
    residual
        The largest change of a probability in the last step of that search.
    rise
        The largest amount by which a step raised the Lagrangian, in bits: zero, or rounding.
    """

    channel: FloatArray
    leakage: float
    utility: float
    multiplier: float | None = None
    residual: float = 0.0
    rise: float = 0.0


def soft_information(weights: Weights, channel: FloatArray) -> tuple[float, float]:
    """(I(S;X̂), I(X;X̂)) of a channel, in bits, from the channel alone."""
    p = weights.of_letter / weights.total
    joint = symbol_weights(weights, channel) / weights.total
    of_symbol = channel.T @ p
    within = float(h_of(of_symbol).sum())
    leakage = float(h_of(joint).sum()) - within - float(h_of(weights.of_s / weights.total).sum())
    utility = float((p[:, None] * h_of(channel)).sum()) - within
    return max(0.0, leakage), max(0.0, utility)


def symbol_weights(weights: Weights, channel: FloatArray) -> FloatArray:
    """How often each symbol is seen with each s, symbols by s."""
    return np.asarray(_matrix(weights).T.dot(channel).T)


def _matrix(weights: Weights) -> Any:
    from scipy.sparse import csr_array

    return csr_array((weights.weight, weights.indices, weights.indptr), shape=(weights.n, weights.n_s))


def posteriors(weights: Weights) -> FloatArray:
    """p(s|x), letters by s."""
    return np.asarray(_matrix(weights).toarray() / weights.of_letter[:, None])


def hard_channel(block_of: IntArray) -> FloatArray:
    """A partition as a channel of zeros and ones."""
    _, block = np.unique(block_of, return_inverse=True)
    channel = np.zeros((len(block), int(block.max()) + 1))
    channel[np.arange(len(block)), block] = 1.0
    return channel


def measured(weights: Weights, channel: FloatArray, multiplier: float | None = None) -> SoftPoint:
    """A channel as a point, its unused symbols dropped."""
    used = (weights.of_letter @ channel) / weights.total > NOTHING
    kept = channel[:, used]
    kept = kept / kept.sum(axis=1, keepdims=True)
    return SoftPoint(kept, *soft_information(weights, kept), multiplier)


def share_time(weights: Weights, first: SoftPoint, second: SoftPoint, share: float) -> SoftPoint:
    """The first channel with probability ``share``, else the second, told apart by their symbols."""
    channel = np.concatenate((share * first.channel, (1.0 - share) * second.channel), axis=1)
    point = measured(weights, channel)
    return replace(point, residual=max(first.residual, second.residual), rise=max(first.rise, second.rise))


def envelope(points: Sequence[SoftPoint], problem: Problem) -> list[SoftPoint]:
    """The points that no time sharing of others beats, most useful first: the vertices of the convex frontier."""
    sign = 1.0 if problem == "funnel" else -1.0
    # From the best utility (the highest for the funnel, the lowest for the bottleneck) each next one leaks better.
    ordered = sorted(points, key=lambda point: (-sign * point.utility, sign * point.leakage))
    hull: list[SoftPoint] = []
    for point in ordered:
        if hull and sign * point.leakage >= sign * hull[-1].leakage - 1e-12:
            continue
        while len(hull) > 1 and _is_above(hull[-2], hull[-1], point, sign):
            hull.pop()
        hull.append(point)
    return hull if problem == "funnel" else hull[::-1]


def _is_above(left: SoftPoint, middle: SoftPoint, right: SoftPoint, sign: float) -> bool:
    """Whether time sharing of the outer two is at least as good as the middle one."""
    share = (middle.utility - right.utility) / (left.utility - right.utility)
    return sign * (share * left.leakage + (1 - share) * right.leakage) <= sign * middle.leakage + 1e-12
