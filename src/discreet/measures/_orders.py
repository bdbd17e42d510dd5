"""Measures with an order α: Sibson's and Arimoto's information, maximal α-leakage, worst-case Rényi divergence.

The limits (order 0, 1, ∞) are computed by their own formulas. Sums of powers are taken after the largest term is
divided out, so that large orders neither overflow nor vanish.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import MeasureError
from discreet.measures._climbing import DENSE, Proof, Value, excess, newton
from discreet.measures._given_side import renyi_leakage_given, sibson_information_given
from discreet.measures._pmf import lift, p_s, per_x
from discreet.measures._ranges import zero_information
from discreet.measures._registry import measure
from discreet.measures._shannon import (
    maximal_leakage,
    min_entropy_leakage,
    mutual_information,
    realisable_leakage,
)

if TYPE_CHECKING:
    from discreet.joint._joint import Joint

_GAP = 1e-10  # bits: how far maximal α-leakage may be from its supremum
_NEAR = 1e-7  # orders this close to 1 are Shannon's: the formulas divide by what is left
_LARGEST = 1e15  # orders from here on differ from infinity by less than numbers can say
_ARIMOTO_ROUNDS = 20_000


def _checked_order(order: float, least: float) -> float:
    if not order >= least:  # NaN fails too
        raise MeasureError(f"order {order} is not defined here: use a number from {least:g} to infinity")
    return float(order) if order < _LARGEST else math.inf


def _log_power_sum(joint: Joint, logs: FloatArray, weights: FloatArray) -> FloatArray:
    """log Σ_s w 2^{logs} for every x, stably (natural scale kept in base 2)."""
    top = per_x(joint, logs, np.maximum)
    scaled = weights * np.exp2(logs - np.repeat(top, joint.distinct))
    return top + np.log2(per_x(joint, scaled, np.add))


def _log_sum(logs: FloatArray) -> float:
    top = float(logs.max())
    return top + math.log2(float(np.exp2(logs - top).sum()))


@measure(
    "I_alpha",
    "Sibson information",
    kind="pmf",
    role="leakage",
    formula="α/(α−1) log Σ_x (Σ_s p(s) p(x|s)^α)^{1/α}",
    reference="[AC, VI-A], [BF, V-B]",
    least_order=0,
    has_side=True,
)
def sibson_information(joint: Joint, order: float = 2.0, *, side: bool = False) -> float:
    """How much X tells about S, weighing rare but telling outcomes by the order: 1 is Shannon's, ∞ maximal leakage.

    I_α(S;X) = α/(α−1) log2 Σ_x (Σ_s p(s) p(x|s)^α)^{1/α}, in bits. [AC, VI-A; BF, V-B]
    With side=True to somebody who knows A: 1/(α−1) log2 Σ_a p(a) 2^{(α−1) I_α(a)}, I(S;X|A) at order 1 and the worst a at ∞.

    Examples
    --------
    >>> from discreet import Joint
    >>> sibson_information(Joint.from_array([[1, 0], [0, 1]]), order=2)
    1.0
    """
    order = _checked_order(order, 0)
    if abs(order - 1) < _NEAR:
        return mutual_information(joint, side=side)
    if order == math.inf:
        return maximal_leakage(joint, side=side)
    if side:
        return sibson_information_given(joint, order)
    prior = p_s(joint)
    weights = prior[joint.counts.indices]
    if order == 0:
        return max(0.0, -math.log2(min(1.0, float(per_x(joint, weights, np.add).max()))))
    channel = np.log2(joint.counts.data / joint.s_weight[joint.counts.indices])
    inner = _log_power_sum(joint, order * channel, weights)
    return max(0.0, order / (order - 1) * _log_sum(inner / order))


@measure(
    "IA_alpha",
    "Arimoto information",
    kind="pmf",
    role="leakage",
    formula="H_α(S) − H_α(S|X), Arimoto's conditional entropy",
    reference="[AC, VI-A]",
    least_order=0,
)
def arimoto_information(joint: Joint, order: float = 2.0) -> float:
    """How much X lowers the Rényi entropy of S: order 0 is 0-information, 1 Shannon's, ∞ min-entropy leakage.

    I^A_α(S;X) = H_α(S) − α/(1−α) log2 Σ_x (Σ_s p(s,x)^α)^{1/α}, in bits. [AC, VI-A]

    Examples
    --------
    >>> from discreet import Joint
    >>> arimoto_information(Joint.from_array([[1, 0], [0, 1]]), order=2)
    1.0
    """
    order = _checked_order(order, 0)
    joint.require_counts()
    if order == 0:
        return zero_information(joint)
    if abs(order - 1) < _NEAR:
        return mutual_information(joint)
    if order == math.inf:
        return min_entropy_leakage(joint)
    prior = _log_sum(order * np.log2(p_s(joint))) / (1 - order)
    pairs = np.log2(joint.counts.data / float(joint.total))
    inner = _log_power_sum(joint, order * pairs, np.ones_like(pairs))
    return max(0.0, prior - order / (1 - order) * _log_sum(inner / order))


@measure(
    "L_alpha",
    "maximal α-leakage",
    kind="pmf",
    role="leakage",
    formula="sup over p(s) of I_α; I(S;X) at α=1, maximal leakage at α=∞",
    reference="[AC, VI-A]",
    least_order=1,
)
def maximal_alpha_leakage(joint: Joint, order: float = 2.0) -> float:
    """How much X tells about any function of S to an adversary whose loss is tuned by the order, whatever the prior.

    Mutual information at order 1, maximal leakage at ∞, and between them the supremum over input pmfs on [[S]] of
    Arimoto's (or Sibson's) information of the channel p(x|s); in bits, within 1e-10 by a certified gap. [AC, VI-A]

    Examples
    --------
    >>> from discreet import Joint
    >>> round(maximal_alpha_leakage(Joint.from_array([[1, 0], [0, 3]]), order=2), 9)
    1.0
    """
    order = _checked_order(order, 1)
    if abs(order - 1) < _NEAR:
        return mutual_information(joint)
    if order == math.inf:
        return maximal_leakage(joint)
    joint.require_counts()
    return _capacity(joint, order)


def _capacity(joint: Joint, order: float) -> float:
    """The supremum over p(s) of α/(α−1) log2 F(p), F(p) = Σ_x (Σ_s p(s) p(x|s)^α)^{1/α}, concave in p."""
    from scipy import sparse

    log_channel = order * np.log2(joint.counts.data / joint.s_weight[joint.counts.indices])
    # Each x's column is scaled by its largest entry and F weighted back, so that no power vanishes.
    top = per_x(joint, log_channel, np.maximum)
    powers = np.exp2(log_channel - np.repeat(top, joint.distinct))
    channel = sparse.csc_array((powers, joint.counts.indices, joint.counts.indptr), shape=joint.counts.shape)
    weight, beta = np.exp2(top / order), 1 / order

    def f(p: FloatArray) -> Value:
        r = channel.T @ p
        gradient = beta * (channel @ (weight * r ** (beta - 1)))
        return float(np.dot(weight, r**beta)), gradient, beta * (1 - beta) * weight * r ** (beta - 2)

    def is_proven(value: float, gradient: FloatArray, p: FloatArray) -> bool:
        return order / (order - 1) * math.log2(1 + excess(gradient, p) / value) <= _GAP

    value = newton(channel, f, is_proven) if joint.n_s <= DENSE else _arimoto(joint.n_s, f, is_proven, order)
    if value is None:
        raise MeasureError(f"maximal α-leakage of order {order:g} could not be proven to 1e-10 bits: try order inf")
    return max(0.0, order / (order - 1) * math.log2(value))


def _arimoto(n_s: int, f: Callable[[FloatArray], Value], is_proven: Proof, order: float) -> float | None:
    """Arimoto's update p(s) ← p(s) (∂F/∂p(s))^{α/(α−1)}: never lowers F and needs no matrix, but is only linear."""
    p = np.full(n_s, 1.0 / n_s)
    for _ in range(_ARIMOTO_ROUNDS):
        value, gradient, _ = f(p)
        if is_proven(value, gradient, p):
            return value
        p = p * (gradient / gradient.max()) ** (order / (order - 1))
        p /= p.sum()
    return None


@measure(
    "D_alpha",
    "worst-case Rényi leakage",
    kind="pmf",
    role="leakage",
    formula="max_x D_α(p(s|x) ‖ p(s))",
    reference="[AC, (10)]",
    least_order=0,
    has_side=True,
)
def renyi_leakage(joint: Joint, order: float = 2.0, *, side: bool = False) -> float:
    """How far seeing the most telling x moves the belief about S, by Rényi divergence of the given order.

    max_x D_α(p(s|x) ‖ p(s)), in bits; at order 0 with uniform S it is L0, at order ∞ the maximal realisable leakage.
    [AC, (10)] With side=True to somebody who knows A: max_{x,a} D_α(p(s|x,a) ‖ p(s|a)).

    Examples
    --------
    >>> from discreet import Joint
    >>> renyi_leakage(Joint.from_array([[1, 0], [0, 1]]), order=0)
    1.0
    """
    order = _checked_order(order, 0)
    if side:
        return renyi_leakage_given(joint, order)
    if order == math.inf:
        return realisable_leakage(joint)
    weights = p_s(joint)[joint.counts.indices]
    if order == 0:
        return max(0.0, -math.log2(min(1.0, float(per_x(joint, weights, np.add).min()))))
    logs = np.log2(lift(joint))
    if abs(order - 1) < _NEAR:
        posterior = joint.counts.data / joint.records[joint.x_of_pair]
        return max(0.0, float(per_x(joint, posterior * logs, np.add).max()))
    divergence = _log_power_sum(joint, order * logs, weights) / (order - 1)
    return max(0.0, float(divergence.max()))
