"""Adversaries with a goal: g-vulnerability, d-privacy, the channel's capacity, and Blackwell's order of two releases.

A gain function says what each action w wins where s is true; an adversary picks the best action before and after X is seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import InputError, MeasureError
from discreet.measures._pmf import p_s

if TYPE_CHECKING:
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label

_CELLS = 20_000_000  # actions × groups looked at at once
_ROUNDS = 200_000


@dataclass(frozen=True)
class Vulnerability:
    """What an adversary wins on average before and after X is seen, and which action is best before."""

    before: float
    after: float
    action: Any

    @property
    def additive(self) -> float:
        """What seeing X adds, in the units of the gain."""
        return max(0.0, self.after - self.before)

    @property
    def leakage(self) -> float:
        """log2(after / before), in bits; infinite where nothing could be won before."""
        if self.after <= 0 or self.before < 0:
            return 0.0 if self.after <= self.before else math.inf
        return math.inf if self.before == 0 else max(0.0, math.log2(self.after / self.before))

    def to_dict(self) -> dict[str, Any]:
        """Plain figures."""
        return {"before": self.before, "after": self.after, "additive": self.additive, "leakage": self.leakage}


def vulnerability(joint: Joint, gain: Any, actions: Sequence[Any] | None = None) -> Vulnerability:
    """What an adversary with this gain function wins on average before and after X is seen.

    V_g = max_w Σ_s p(s) g(w, s), and Σ_x max_w Σ_s p(s, x) g(w, s).

    Parameters
    ----------
    gain
        A matrix with a row per action and a column per s (in the order of `joint.s`), a mapping {action: {s: gain}} in which
        what is left out is 0, or a function g(action, s), which needs `actions`.

    Examples
    --------
    >>> from discreet import Joint
    >>> insurer = {"refuse": {"ill": 3.0, "well": -1.0}, "insure": {}}
    >>> found = vulnerability(Joint.from_pairs([("ill", "A"), ("well", "A"), ("well", "B"), ("well", "B")]), insurer)
    >>> found.before, found.after, found.action
    (0.0, 0.5, 'refuse')
    """
    table, names = _gain_table(joint, gain, actions)
    prior = table @ p_s(joint)
    pmf = joint.pmf
    step = max(1, _CELLS // len(names))
    after = sum(float((table @ pmf[:, at : at + step].toarray()).max(axis=0).sum()) for at in range(0, joint.n_x, step))
    best = int(np.argmax(prior))
    return Vulnerability(float(prior[best]), max(after, float(prior[best])), names[best])


def _gain_table(joint: Joint, gain: Any, actions: Sequence[Any] | None) -> tuple[FloatArray, list[Any]]:
    joint.require_counts()
    labels = joint.s
    if isinstance(gain, Mapping):
        names: list[Any] = list(gain)
        known = set(labels)
        odd = sorted({str(s) for row in gain.values() for s in row if s not in known})
        if odd:
            raise InputError(f"the gain names {len(odd)} values that no record has as its sensitive value")
        table = np.array([[float(gain[name].get(s, 0.0)) for s in labels] for name in names])
    elif callable(gain):
        if not actions:
            raise InputError("a gain function needs actions=[…]: what the adversary can do")
        names = list(actions)
        table = np.array([[float(gain(name, s)) for s in labels] for name in names])
    else:
        table = np.atleast_2d(np.asarray(gain, dtype=np.float64))
        names = list(range(len(table))) if actions is None else list(actions)
    if table.ndim != 2 or table.shape != (len(names), joint.n_s) or not len(names):
        raise InputError(f"a gain matrix has a row per action and {joint.n_s} columns, one per sensitive value")
    if not np.isfinite(table).all():
        raise InputError("a gain is a finite number")
    return table, names


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
    data = joint.counts.data / joint.s_weight[joint.counts.indices]
    channel = sparse.csc_array((data, joint.counts.indices, joint.counts.indptr), shape=joint.counts.shape)
    own = np.bincount(joint.counts.indices, data * np.log2(data), joint.n_s)  # −H(X|S=s)
    p = np.full(joint.n_s, 1.0 / joint.n_s)
    step = 1.0
    low = 0.0
    for _ in range(_ROUNDS):
        told = own - channel @ np.log2(channel.T @ p)  # D(p(x|s) ‖ p(x)) of every s
        value, most = float(p @ told), float(told.max())
        low = max(low, value)
        if most - value <= gap:
            return max(0.0, value)
        # Arimoto's step is 1; longer ones converge sooner, and are taken back where they do not rise.
        tried = p * np.exp2(step * (told - most))
        tried /= tried.sum()
        if float(tried @ (own - channel @ np.log2(channel.T @ tried))) < value:
            step = max(1.0, step / 4)
            tried = p * np.exp2(told - most)
            tried /= tried.sum()
        else:
            step *= 1.1
        p = tried
    raise MeasureError(f"the capacity could not be proven to {gap:g} bits: it is at least {low:.6f}; try a larger gap")


def metric_privacy(joint: Joint, distance: Callable[[Label, Label], float]) -> float:
    """The ε of d-privacy: how well some x tells two values of S apart, by the odds, per unit of their distance.

    max over x and s ≠ s' of log2(p(x|s)/p(x|s')) / d(s, s'), in bits; local differential privacy's ε for the discrete metric.

    Examples
    --------
    >>> from discreet import Joint
    >>> metric_privacy(Joint.from_array([[4, 4], [6, 2], [7, 1]], s=[0, 1, 3]), lambda a, b: abs(a - b))
    1.0
    """
    joint.require_counts()
    channel = (joint.counts.toarray() / joint.s_weight[:, None]).astype(np.float64)
    labels, worst = joint.s, 0.0
    with np.errstate(divide="ignore"):
        logs = np.log2(channel)
    for i, one in enumerate(labels):
        seen = channel[i] > 0
        for j, other in enumerate(labels):
            if i == j:
                continue
            apart = float(distance(one, other))
            if math.isnan(apart) or apart < 0:
                raise InputError("a distance is a number of at least 0")
            told = float((logs[i, seen] - logs[j, seen]).max())
            if told > 0:
                worst = max(worst, told / apart if apart else math.inf)
    return worst


@dataclass(frozen=True, eq=False)
class Comparison:
    """Whether one release is never worse than another, with the evidence for either answer.

    Where it holds, `garbling` makes the second release out of the first: no adversary, whatever his goal, prefers the second.
    Where it does not, `gain` is a gain matrix of an adversary who wins more from the second; `margin` says how much.
    """

    holds: bool
    garbling: FloatArray | None
    gain: FloatArray | None
    margin: float


def dominates(first: Joint, second: Joint) -> Comparison:
    """Whether the first release tells at least as much as the second, to every adversary (Blackwell's order).

    By a linear program over channels from the first's X to the second's; where there is none, its dual is a goal at which
    the second release is better. Both need the same S with the same distribution. Where both release every s as one x only,
    the first must refine the second: nothing is solved, at any size.

    Examples
    --------
    >>> from discreet import Joint
    >>> fine = Joint.from_array([[3, 1, 0], [0, 1, 3]])
    >>> coarse = fine.coarsen([(0, 1), (2,)])
    >>> dominates(fine, coarse).holds, dominates(coarse, fine).holds
    (True, False)
    """
    if first.s != second.s or not np.allclose(p_s(first), p_s(second), rtol=0, atol=1e-9):
        raise InputError("two releases are compared about the same sensitive values, equally often in both")
    if _is_deterministic(first) and _is_deterministic(second):
        return _refines(first, second)
    from scipy import sparse
    from scipy.optimize import linprog

    one, other = first.pmf.toarray(), second.pmf.toarray()
    n_x, n_y, n_s = first.n_x, second.n_x, first.n_s
    if n_x * n_y > 250_000:
        raise MeasureError(f"{n_x} against {n_y} values are too many to compare: coarsen first")
    # Least total distance between the second release and what a channel makes of the first; G[x, y] row by row.
    made = sparse.kron(sparse.csr_array(one), sparse.eye_array(n_y), format="csr")
    apart = sparse.eye_array(n_s * n_y, format="csr")
    rows = sparse.kron(sparse.eye_array(n_x), np.ones((1, n_y)), format="csr")
    equal = sparse.vstack(
        [
            sparse.hstack([made, apart, -apart]),
            sparse.hstack([rows, sparse.csr_array((n_x, 2 * n_s * n_y))]),
        ],
        format="csr",
    )
    cost = np.concatenate([np.zeros(n_x * n_y), np.ones(2 * n_s * n_y)])
    found = linprog(cost, A_eq=equal, b_eq=np.concatenate([other.ravel(), np.ones(n_x)]), method="highs")
    if found.status != 0 or found.x is None:
        raise MeasureError("the comparison of the two releases could not be solved")
    garbling = np.clip(found.x[: n_x * n_y].reshape(n_x, n_y), 0.0, None)
    garbling /= garbling.sum(axis=1, keepdims=True)
    if float(np.abs(one @ garbling - other).sum()) <= 1e-9:
        return Comparison(True, garbling, None, 0.0)
    gain = found.eqlin.marginals[: n_s * n_y].reshape(n_s, n_y).T
    margin = vulnerability(second, gain).after - vulnerability(first, gain).after
    if margin <= 0:
        raise MeasureError("the two releases are too close to tell which one tells more")
    return Comparison(False, None, gain, margin)


def _is_deterministic(joint: Joint) -> bool:
    """Whether every s was seen with a single x."""
    return int(joint.counts.nnz) == joint.n_s


def _refines(first: Joint, second: Joint) -> Comparison:
    """The order of two partitions of S: whether values that the first joins are joined by the second."""
    one, other = np.empty(first.n_s, dtype=np.int64), np.empty(first.n_s, dtype=np.int64)
    one[first.counts.indices], other[second.counts.indices] = first.x_of_pair, second.x_of_pair
    met = np.unique(one * second.n_x + other)  # blocks that have a value in common
    if len(met) == first.n_x:
        garbling = np.zeros((first.n_x, second.n_x))
        garbling[met // second.n_x, met % second.n_x] = 1.0
        return Comparison(True, garbling, None, 0.0)
    # Somebody who is paid for naming the second's block is always right there, and not always here.
    gain = (other == np.arange(second.n_x)[:, None]).astype(np.float64)
    return Comparison(False, None, gain, 1.0 - vulnerability(first, gain).after)
