"""Adversaries with a goal: g-vulnerability, and d-privacy.

A gain function says what each action w wins where s is true; an adversary picks the best action before and after X is seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.measures._pmf import p_s

if TYPE_CHECKING:
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label

_CELLS = 20_000_000  # actions × groups looked at at once


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
    try:
        table, names = _gains(joint, gain, actions)
    except InputError:
        raise
    except (TypeError, ValueError, AttributeError):
        raise InputError(
            "a gain is a matrix of numbers, {action: {s: number}}, or a function of action and s to a number"
        ) from None
    if table.ndim != 2 or table.shape != (len(names), joint.n_s) or not len(names):
        raise InputError(
            f"a gain matrix has a row per action and {joint.n_s} columns, one per sensitive value that occurs (joint.s)"
        )
    if not np.isfinite(table).all():
        raise InputError("a gain is a finite number")
    return table, names


def _gains(joint: Joint, gain: Any, actions: Sequence[Any] | None) -> tuple[FloatArray, list[Any]]:
    labels = joint.s
    if isinstance(gain, Mapping):
        names: list[Any] = list(gain)
        known = set(labels)
        odd = sorted({str(s) for row in gain.values() for s in row if s not in known})
        if odd:
            raise InputError(f"the gain names {len(odd)} values that no record has as its sensitive value")
        return np.array([[float(gain[name].get(s, 0.0)) for s in labels] for name in names]), names
    if callable(gain):
        if not actions:
            raise InputError("a gain function needs actions=[…]: what the adversary can do")
        return np.array([[float(gain(name, s)) for s in labels] for name in actions]), list(actions)
    table = np.atleast_2d(np.asarray(gain, dtype=np.float64))
    return table, list(range(len(table))) if actions is None else list(actions)


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
    logs = np.log2(joint.counts.data / joint.s_weight[joint.counts.indices])
    by_s = _pairs_by_s(joint)
    labels, worst = joint.s, 0.0
    for i, one in enumerate(labels):
        for j, told in enumerate(_told_apart(joint, logs, by_s[i], i).tolist()):
            if i == j:
                continue
            apart = float(distance(one, labels[j]))
            if math.isnan(apart) or apart < 0:
                raise InputError("a distance is a number of at least 0")
            if told > 0 and apart < math.inf:  # what is infinitely far away may be told apart
                worst = max(worst, told / apart if apart else math.inf)
        if worst == math.inf:
            return worst
    return worst


def _pairs_by_s(joint: Joint) -> list[IntArray]:
    """The places of the pairs of every s."""
    of_s = joint.counts.indices
    return np.split(np.argsort(of_s, kind="stable"), np.cumsum(np.bincount(of_s, minlength=joint.n_s))[:-1])


def _told_apart(joint: Joint, logs: FloatArray, own: IntArray, i: int) -> FloatArray:
    """How well the values of X that were seen with s tell it apart from every other s', in bits of the odds.

    Only pairs of those values are looked at; an s' that one of them was never seen with is ruled out.
    """
    seen = joint.x_of_pair[own]
    bounds = joint.counts.indptr
    widths = np.diff(bounds)[seen]
    starts = np.cumsum(widths) - widths
    near = np.arange(widths.sum()) + np.repeat(bounds[seen] - starts, widths)
    others = joint.counts.indices[near]
    most = np.full(joint.n_s, -np.inf)
    np.maximum.at(most, others, np.repeat(logs[own], widths) - logs[near])
    most[np.bincount(others, minlength=joint.n_s) < len(own)] = np.inf
    most[i] = 0.0
    return most
