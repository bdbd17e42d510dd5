"""The information bottleneck with soft p(x̂|x): Blahut–Arimoto iterations under annealing.

The functional F = I(X;X̂) − β I(S;X̂), β = 1/λ, is minimised in turn over p(x̂|x), p(x̂) and p(s|x̂):
p(x̂|x) ∝ p(x̂) 2^(−β KL(p(s|x) ‖ p(s|x̂))). Each is an exact minimisation of one majorant, so F never rises; how much it
did, by rounding, is reported with every point. Symbols with equal p(s|x̂) are joined: that keeps I(S;X̂) and lowers
I(X;X̂). Letters with equal p(s|x) are one letter: the iterations treat them alike.

F has local minima, so several annealings compete: from the finest policy with β falling (reverse), from a single symbol
that is split again and again with β rising (forward), and from given hard policies at their own slopes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet import _clock
from discreet._typing import FloatArray, IntArray
from discreet.search.information._soft_points import SoftPoint, hard_channel, measured, posteriors
from discreet.search.information._weights import Weights

BETAS = np.concatenate(([1.02, 1.05], np.geomspace(1.1, 64.0, 40)))
"""1/λ: below 1 nothing is worth its rate."""

STEPS = 200
"""Iterations at one β."""

SETTLED = 1e-8
"""Bits that F must fall by in an iteration to go on."""

EQUAL = 1e-6
"""Symbols whose p(s|x̂) differ by no more than this are joined, if F does not rise."""

TOSS = 0.02
"""How far a split parts the probabilities of the two halves."""


@dataclass(frozen=True, eq=False)
class _Model:
    """p(x), p(s|x), and H(S|x) in natural units."""

    p: FloatArray
    posterior: FloatArray
    entropy: FloatArray

    @classmethod
    def of(cls, weights: Weights) -> _Model:
        posterior = posteriors(weights)
        logs = np.log(posterior, out=np.zeros_like(posterior), where=posterior > 0)
        return cls(weights.of_letter / weights.total, posterior, -(posterior * logs).sum(axis=1))

    def symbols(self, channel: FloatArray) -> tuple[FloatArray, FloatArray]:
        """p(x̂) and p(s|x̂)."""
        mass = self.p @ channel
        seen = (self.p[:, None] * channel).T @ self.posterior
        return mass, seen / np.maximum(mass, 1e-300)[:, None]

    def update(self, mass: FloatArray, symbol: FloatArray, beta: float) -> tuple[FloatArray, float]:
        """The next p(x̂|x), and F + β I(S;X) with the given p(x̂) and p(s|x̂), in bits.

        Minimised over p(x̂|x) the majorant is −Σ_x p(x) ln Σ_x̂ p(x̂) exp(−β KL).
        """
        # A symbol that never sees some s is infinitely far from letters that do: exp(−800) is zero here.
        logs = np.log(np.maximum(symbol, 1e-300))
        distance = -self.entropy[:, None] - self.posterior @ logs.T
        exponent = np.log(np.maximum(mass, 1e-300)) - beta * distance
        largest = exponent.max(axis=1, keepdims=True)
        channel = np.exp(exponent - largest)
        total = channel.sum(axis=1, keepdims=True)
        value = -float(self.p @ (np.log(total) + largest)[:, 0]) / float(np.log(2))
        return channel / total, value


def soft_bottleneck(
    weights: Weights,
    *,
    hard: Sequence[IntArray] = (),
    seed: int = 0,
    time_limit: float = 30.0,
) -> list[SoftPoint]:
    """Channels of all annealings, one per start and β, in the order found.

    Parameters
    ----------
    hard
        Hard policies to start from as well.
    seed
        Of the splits of forward annealing.
    time_limit
        Seconds by the clock, shared by reverse annealing, forward annealing and the hard starts.
    """
    began = _clock.now()
    _, first, which = np.unique(np.round(posteriors(weights), 12), axis=0, return_index=True, return_inverse=True)
    which = which.ravel().astype(np.int64)
    model = _Model.of(weights.merged(which))
    found: list[SoftPoint] = []

    def settle(channel: FloatArray, beta: float) -> FloatArray:
        channel, residual, rise = iterate(model, channel, beta)
        point = replace(measured(weights, channel[which], 1.0 / beta), residual=residual, rise=rise)
        found.append(point)
        return channel

    channel = np.eye(len(first))
    for beta in BETAS[::-1]:
        channel = settle(channel, float(beta))
        if _clock.now() - began > time_limit / 3:
            break
    rng = np.random.default_rng(seed)
    channel = np.ones((len(first), 1))
    for beta in BETAS:
        toss = TOSS * rng.uniform(-1.0, 1.0, size=channel.shape)
        channel = np.concatenate((channel * (0.5 + toss), channel * (0.5 - toss)), axis=1)
        channel = settle(channel, float(beta))
        if _clock.now() - began > 2 * time_limit / 3:
            break
    for block_of, beta in zip(hard, _slopes(weights, hard), strict=True):
        if _clock.now() - began > time_limit:
            break
        settle(_averaged(weights, which, hard_channel(block_of)), beta)
    return found


def iterate(model: _Model, channel: FloatArray, beta: float) -> tuple[FloatArray, float, float]:
    """Iterate at one β: the channel, the residual of its last step, and the largest rise of F in bits."""
    value, residual, rise = np.inf, np.inf, 0.0
    for step in range(STEPS):
        mass, symbol = model.symbols(channel)
        if step % 10 == 0:
            mass, symbol = _joined(mass, symbol)
        following, after = model.update(mass, symbol, beta)
        same = following.shape == channel.shape
        residual = float(np.abs(following - channel).max()) if same else 1.0
        rise = max(rise, after - value)
        channel, fell, value = following, value - after, after
        if same and fell < SETTLED:
            break
    return channel, residual, max(rise, 0.0)


def _joined(mass: FloatArray, symbol: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Symbols without those never used, and equal ones as one."""
    used = mass > 1e-15
    mass, symbol = mass[used], symbol[used]
    _, which = np.unique(np.round(symbol / EQUAL), axis=0, return_inverse=True)
    count = int(which.max()) + 1
    if count == len(mass):
        return mass / mass.sum(), symbol
    total = np.bincount(which.ravel(), weights=mass, minlength=count)
    summed = np.zeros((count, symbol.shape[1]))
    np.add.at(summed, which.ravel(), mass[:, None] * symbol)
    return total / total.sum(), summed / total[:, None]


def _averaged(weights: Weights, which: IntArray, channel: FloatArray) -> FloatArray:
    """A channel of letters as one of joined letters."""
    summed = np.zeros((int(which.max()) + 1, channel.shape[1]))
    np.add.at(summed, which, weights.of_letter[:, None] * channel)
    return np.asarray(summed / summed.sum(axis=1, keepdims=True))


def _slopes(weights: Weights, hard: Sequence[IntArray]) -> list[float]:
    """β at each hard policy: what a bit of I(S;X̂) costs in I(X;X̂) between its neighbours."""
    if not hard:
        return []
    points = [measured(weights, hard_channel(block_of)) for block_of in hard]
    order = np.argsort([point.utility for point in points], kind="stable")
    utility = np.array([0.0, *(points[i].utility for i in order), weights.entropy])
    leakage = np.array([0.0, *(points[i].leakage for i in order), weights.leakage])
    slope = (utility[2:] - utility[:-2]) / np.maximum(leakage[2:] - leakage[:-2], 1e-9)
    found = np.empty(len(hard))
    found[order] = np.clip(slope, BETAS[0], BETAS[-1])
    return [float(each) for each in found]
