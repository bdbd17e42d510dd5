"""The privacy funnel with soft p(x̂|x), and the soft frontier of either problem.

F(W) = I(S;X̂) − λ I(X;X̂) is a difference of convex functions of the channel W = p(x̂|x). Descent by majorants: the
concave part −λ I(X;X̂) lies below its tangent, and I(S;X̂) below its tangent plus Σ_x p(x) KL(W_x ‖ W'_x), since its
Bregman divergence is Σ_s p(s) KL(p(x̂|s) ‖ p'(x̂|s)) − KL(p(x̂) ‖ p'(x̂)), at most that by data processing. The majorant's
minimum is closed form,

    W(x̂|x) ∝ W'(x̂|x)^(1+λ) p'(x̂)^(−λ) 2^(−Σ_s p(s|x) log2(p'(s|x̂)/p(s))),

and F never rises. Longer steps along the same exponents are tried as long as F falls.

Starts: hard policies, blurred, since a zero stays zero; and **perfect privacy**, which hard policies hardly ever have:
p(x) as a mixture of distributions q over letters with Σ_x q(x) p(s|x) = p(s), each the x's behind one symbol, so that X̂ is
independent of S. Vertices of that polytope have at most |S| letters, which is what makes the symbols informative; the
mixture is peeled off vertex by vertex, each letting go of at least one letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet import _clock
from discreet._typing import FloatArray, IntArray, Problem
from discreet.errors import InputError
from discreet.search.information._soft_bottleneck import soft_bottleneck
from discreet.search.information._soft_points import SoftPoint, envelope, hard_channel, measured, posteriors, share_time
from discreet.search.information._weights import Weights

if TYPE_CHECKING:
    from discreet._typing import Progress

MULTIPLIERS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97)
"""λ that a perfectly private channel is carried through, from nothing leaked upwards."""

STEPS = 300
"""Steps of one descent."""

SETTLED = 1e-8
"""Bits that F must fall by in a step to go on."""

LONGEST = 16.0
"""The longest step tried, one being the length that cannot fail."""

BLUR = 0.05
"""Probability that a start moves from a letter's block to all blocks alike."""

LETTERS = 4_000
"""A channel may have as many symbols as letters: this many squared are 128 MB."""

GAPS = 24
"""Time sharing fills gaps in I(X;X̂) wider than this part of H(X)."""

PEELED = 1e-9
"""Mass that perfect privacy leaves to a last symbol."""


def soft_frontier(
    weights: Weights,
    problem: Problem,
    *,
    hard: Sequence[IntArray] = (),
    seed: int = 0,
    time_limit: float = 30.0,
    progress: Progress | None = None,
) -> list[SoftPoint]:
    """The soft policies worth having, most useful first: none is beaten by another or by time sharing of two.

    Parameters
    ----------
    hard
        Hard policies to start from; those that no soft policy beats are returned as channels of zeros and ones.
    seed
        Of the random directions of the search.
    time_limit
        Seconds by the clock.
    progress
        Told that the search begins.

    Returns
    -------
    list[SoftPoint]
        The vertices of the convex frontier and, where they are far apart, time shared points between them.
    """
    if weights.n > LETTERS:
        raise InputError(
            f"soft policies are searched for up to {LETTERS:,} letters, and X has {weights.n:,}: coarsen X first"
        )
    if progress:
        progress("soft policies", None)
    known = [measured(weights, hard_channel(block_of)) for block_of in hard]
    known += [measured(weights, np.ones((weights.n, 1))), measured(weights, np.eye(weights.n))]
    if problem == "bottleneck":
        found = soft_bottleneck(weights, hard=hard, seed=seed, time_limit=time_limit)
    else:
        found = soft_funnel(weights, hard=hard, seed=seed, time_limit=time_limit)
    return _filled(weights, envelope([*known, *found], problem))


def _filled(weights: Weights, vertices: list[SoftPoint]) -> list[SoftPoint]:
    """Time shared points in the gaps."""
    filled = vertices[:1]
    for point in vertices[1:]:
        left = filled[-1]
        parts = int(np.ceil((left.utility - point.utility) * GAPS / max(weights.entropy, 1e-300) - 1e-9))
        filled += [share_time(weights, left, point, 1 - k / parts) for k in range(1, parts)]
        filled.append(point)
    return filled


def soft_funnel(
    weights: Weights, *, hard: Sequence[IntArray] = (), seed: int = 0, time_limit: float = 30.0
) -> list[SoftPoint]:
    """Channels of all descents: from perfect privacy through rising λ, and from each hard policy at its own slope."""
    began = _clock.now()
    rng = np.random.default_rng(seed)
    posterior = posteriors(weights)
    found: list[SoftPoint] = []

    def settle(channel: FloatArray, multiplier: float) -> FloatArray:
        channel, residual, rise = descend(weights, posterior, channel, multiplier)
        point = measured(weights, channel, multiplier)
        found.append(replace(point, residual=residual, rise=rise))
        return point.channel

    private = perfectly_private(weights, posterior, rng, began + 0.4 * time_limit)
    found.append(measured(weights, private))
    channel = private
    for multiplier in MULTIPLIERS:
        if _clock.now() - began > 0.6 * time_limit:
            break
        channel = settle(_blurred(channel), multiplier)
    points = [measured(weights, hard_channel(block_of)) for block_of in hard]
    for point, multiplier in zip(points, _slopes(weights, points), strict=True):
        if _clock.now() - began > time_limit:
            break
        settle(_blurred(point.channel), multiplier)
    return found


def descend(
    weights: Weights, posterior: FloatArray, channel: FloatArray, multiplier: float
) -> tuple[FloatArray, float, float]:
    """Minimise I(S;X̂) − λ I(X;X̂) from a channel: the channel, its last step's residual, and the largest rise of F in bits."""
    p = weights.of_letter / weights.total
    log_prior = np.log(np.maximum(weights.of_s / weights.total, 1e-300))

    def state(channel: FloatArray) -> tuple[FloatArray, float]:
        """The exponent of the next step, and F, in natural units."""
        mass = p @ channel
        seen = (p[:, None] * channel).T @ posterior
        logs = np.log(np.maximum(seen, 1e-300))
        log_mass = np.log(np.maximum(mass, 1e-300))
        told = posterior @ (logs - log_mass[:, None] - log_prior).T  # Σ_s p(s|x) ln p(s|x̂)/p(s)
        kept = np.log(np.maximum(channel, 1e-300)) - log_mass
        exponent = multiplier * kept - told
        return exponent, float(-(p[:, None] * channel * exponent).sum())

    length, residual, rise = 1.0, 0.0, 0.0
    exponent, value = state(channel)
    for _ in range(STEPS):
        step = length * exponent
        step -= step.max(axis=1, keepdims=True, where=channel > 0, initial=-np.inf)
        following = channel * np.exp(np.minimum(step, 0.0))
        following /= following.sum(axis=1, keepdims=True)
        after_exponent, after = state(following)
        if after > value and length > 1.0:
            length = 1.0
            continue
        fell = value - after
        rise = max(rise, -fell / float(np.log(2)))
        residual = float(np.abs(following - channel).max())
        channel, exponent, value = following, after_exponent, after
        length = min(2.0 * length, LONGEST)
        if fell < SETTLED * np.log(2):
            break
    return channel, residual, rise


def perfectly_private(weights: Weights, posterior: FloatArray, rng: np.random.Generator, deadline: float) -> FloatArray:
    """A channel with X̂ independent of S, up to the solver's rounding, and as much I(X;X̂) as vertices give.

    Peels p(x) = Σ_k a_k q_k, each q_k a vertex of {q ≥ 0 : Σ_x q(x) p(s|x) = p(s)} within the letters that are left. Among
    vertices those with little entropy tell most; each is taken from a few linear programs with weights −ln q, which
    descend H(q), starting in a random direction.
    """
    from scipy.optimize import linprog

    p = weights.of_letter / weights.total
    prior = weights.of_s / weights.total
    left = p.copy()
    columns: list[FloatArray] = []
    while left.sum() > PEELED and _clock.now() < deadline:
        open_letters = np.flatnonzero(left > 1e-14)
        cost = rng.uniform(size=len(open_letters)) - 0.5
        best: FloatArray | None = None
        for _ in range(3):
            solved = linprog(cost, A_eq=posterior[open_letters].T, b_eq=prior, method="highs-ds")
            if solved.x is None:
                break
            best = np.maximum(solved.x, 0.0)
            cost = -np.log(best + 1e-4)
        if best is None or best.sum() < 0.5:
            break
        took = best > 1e-11
        amount = float((left[open_letters][took] / best[took]).min())
        column = np.zeros_like(left)
        column[open_letters[took]] = np.minimum(amount * best[took], left[open_letters[took]])
        left = np.where(left - column > 1e-14, left - column, 0.0)
        columns.append(column)
    if left.sum() > 0 or not columns:
        columns.append(left if columns else p.copy())
    channel = np.array(columns).T
    return np.asarray(channel / channel.sum(axis=1, keepdims=True))


def _blurred(channel: FloatArray) -> FloatArray:
    """A channel without zeros."""
    return np.asarray((1.0 - BLUR) * channel + BLUR / channel.shape[1])


def _slopes(weights: Weights, points: Sequence[SoftPoint]) -> list[float]:
    """λ at each policy: what a bit of I(X;X̂) costs in I(S;X̂) between its neighbours."""
    order = np.argsort([point.utility for point in points], kind="stable")
    utility = np.array([0.0, *(points[i].utility for i in order), weights.entropy])
    leakage = np.array([0.0, *(points[i].leakage for i in order), weights.leakage])
    slope = (leakage[2:] - leakage[:-2]) / np.maximum(utility[2:] - utility[:-2], 1e-9)
    found = np.empty(len(points))
    found[order] = np.clip(slope, MULTIPLIERS[0], 1.0)
    return [float(each) for each in found]
