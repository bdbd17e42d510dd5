"""What a release could tell at most: capacities over all gain functions, in closed form, and over all priors."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import InputError, MeasureError
from discreet.measures._climbing import DENSE, Value, excess, newton
from discreet.measures._pmf import p_s, p_x, per_x, sums

if TYPE_CHECKING:
    from scipy import sparse

    from discreet.joint._joint import Joint

_ROUNDS = 200_000
_FEW = 2_000  # rounds after which Newton's steps are taken instead, where S has few enough letters


@dataclass(frozen=True)
class Capacities:
    """The largest g-leakages of a release, over all gain functions of a class [Alvim et al. 2014; 2020, Ch 7].

    `multiplicative` is the most that winnings grow by as a factor, whatever the prior and the gains of at least 0: its
    logarithm is maximal leakage. `additive` is the most that they grow by as a difference, at this prior, for gains of an
    action that differ by 1 at the most. `additive_bounded` is the same for gains of at most 1 under which nobody ever loses.
    """

    multiplicative: float
    additive: float
    additive_bounded: float

    def to_dict(self) -> dict[str, Any]:
        """Plain figures."""
        return asdict(self)


def capacities(joint: Joint) -> Capacities:
    """The largest g-leakages over all gain functions: Σ_x max_s p(x|s); Σ_x p(x) TV(p(s|x), p(s)); 1 − Σ_x min_s p(x|s).

    Examples
    --------
    >>> from discreet import Joint
    >>> capacities(Joint.from_channel([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]]))
    Capacities(multiplicative=1.5, additive=0.25, additive_bounded=0.5)
    """
    joint.require_counts()
    given = joint.counts.data / joint.s_weight[joint.counts.indices]
    most = per_x(joint, given, np.maximum)
    least = np.where(joint.distinct == joint.n_s, per_x(joint, given, np.minimum), 0.0)
    pairs = joint.counts.data / float(joint.total)
    apart = pairs - p_s(joint)[joint.counts.indices] * p_x(joint)[joint.x_of_pair]
    return Capacities(float(most.sum()), float(apart[apart > 0].sum()), max(0.0, 1.0 - float(least.sum())))


def shannon_capacity(joint: Joint, *, gap: float = 1e-6) -> float:
    """How much X could tell about S on average, were S distributed as suits the adversary best.

    sup over p(s) of I(S;X) for the channel p(x|s), in bits. The value is attained, and no prior gives more than `gap` bits
    beyond it, since max_s D(p(x|s) ‖ p(x)) bounds the capacity whatever the prior. [Arimoto 1972; Blahut 1972]

    Examples
    --------
    >>> from discreet import Joint
    >>> round(shannon_capacity(Joint.from_array([[3, 1], [1, 3]])), 6)
    0.188722
    """
    from scipy import sparse

    joint.require_counts()
    if not gap > 0:
        raise InputError(f"the gap is a number above 0, not {gap}")
    data = joint.counts.data / joint.s_weight[joint.counts.indices]
    channel = sparse.csc_array((data, joint.counts.indices, joint.counts.indptr), shape=joint.counts.shape)
    own = sums(joint.counts.indices, data * np.log2(data), joint.n_s)  # −H(X|S=s)
    is_small = joint.n_s <= DENSE
    value, proven = _blahut(channel, own, gap, _FEW if is_small else _ROUNDS)
    if not proven and is_small:
        found = newton(channel, lambda p: _information(channel, own, p), lambda _, g, p: excess(g, p) <= gap)
        value, proven = (value, False) if found is None else (found, True)
    if not proven:
        raise MeasureError(
            f"the capacity could not be proven to {gap:g} bits: it is at least {value:.6f}; try a larger gap"
        )
    return max(0.0, value)


def _information(channel: sparse.csc_array, own: FloatArray, p: FloatArray) -> Value:
    """I(S;X) under the prior p, D(p(x|s) ‖ p(x)) of every s (the gradient, up to a constant), and the curvature in p(x)."""
    output = channel.T @ p
    told = own - channel @ np.log2(output)
    return float(p @ told), told, np.log2(np.e) / output


def _blahut(channel: sparse.csc_array, own: FloatArray, gap: float, rounds: int) -> tuple[float, bool]:
    """The most that was found by Blahut's and Arimoto's updates, and whether it is within the gap."""
    p = np.full(len(own), 1.0 / len(own))
    step, low = 1.0, 0.0
    for _ in range(rounds):
        value, told, _ = _information(channel, own, p)
        low = max(low, value)
        if excess(told, p) <= gap:
            return value, True
        # Arimoto's step is 1; longer ones converge sooner, and are taken back where they do not rise.
        most = float(told.max())
        tried = p * np.exp2(step * (told - most))
        tried /= tried.sum()
        if _information(channel, own, tried)[0] < value:
            step = max(1.0, step / 4)
            tried = p * np.exp2(told - most)
            tried /= tried.sum()
        else:
            step *= 1.1
        p = tried
    return low, False
