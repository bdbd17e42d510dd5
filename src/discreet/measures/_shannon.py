"""Measures of the pmf that need no order: Shannon's, min-entropy's and their kin."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import MeasureError
from discreet.measures._given_side import (
    gacs_korner_information_given,
    maximal_leakage_given,
    min_entropy_leakage_given,
    mutual_information_given,
)
from discreet.measures._pmf import entropy_of, lift, p_s, per_x
from discreet.measures._registry import measure

if TYPE_CHECKING:
    from discreet.joint._joint import Joint


@measure("H", "entropy", kind="pmf", role="prior", formula="H(S) = −Σ p(s) log p(s)", reference="[PF, II]")
def entropy(joint: Joint) -> float:
    """How uncertain S is on average before anything is released.

    H(S) = −Σ_s p(s) log2 p(s), in bits. [PF, II]

    Examples
    --------
    >>> from discreet import Joint
    >>> entropy(Joint.from_array([[2, 0], [0, 1], [0, 1]]))
    1.5
    """
    return entropy_of(p_s(joint))


@measure(
    "I",
    "mutual information",
    kind="pmf",
    role="leakage",
    formula="I(S;X) = Σ p log p(s,x)/p(s)p(x)",
    reference="[PF, II]",
    has_side=True,
)
def mutual_information(joint: Joint, *, side: bool = False) -> float:
    """How much X tells about S on average.

    I(S;X) = Σ p(s,x) log2 p(s,x)/(p(s)p(x)), in bits. [PF, II]
    With side=True what X adds to A: I(S;X|A).

    Examples
    --------
    >>> from discreet import Joint
    >>> mutual_information(Joint.from_array([[1, 0], [0, 1]]))
    1.0
    """
    if side:
        return mutual_information_given(joint)
    joint.require_counts()
    return max(0.0, float(np.dot(joint.counts.data, np.log2(lift(joint)))) / float(joint.total))


@measure(
    "Lmin",
    "min-entropy leakage",
    kind="pmf",
    role="leakage",
    formula="log Σ_x max_s p(s,x) − log max_s p(s)",
    reference="[AC, VI-A], [BF, Def 4]",
    has_side=True,
)
def min_entropy_leakage(joint: Joint, *, side: bool = False) -> float:
    """How much X improves the chance to guess S in one go.

    log2( Σ_x max_s p(s,x) / max_s p(s) ), in bits: the gain of one guess at S itself. [BF, Def 4 with U = S]
    With side=True what X adds to A: log2( Σ_{x,a} max_s p(s,x,a) / Σ_a max_s p(s,a) ).

    Examples
    --------
    >>> from discreet import Joint
    >>> min_entropy_leakage(Joint.from_array([[3, 1], [1, 3]]))  # 6/8 against 4/8
    0.5849625007211562
    """
    if side:
        return min_entropy_leakage_given(joint)
    joint.require_counts()
    best = float(per_x(joint, joint.counts.data, np.maximum).sum())
    return max(0.0, math.log2(best / float(joint.s_weight.max())))


@measure(
    "I_inf",
    "maximal leakage",
    kind="pmf",
    role="leakage",
    formula="I_∞(S;X) = log Σ_x max_s p(x|s)",
    reference="[BF, Def 4], [AC, VI-A]",
    has_side=True,
)
def maximal_leakage(joint: Joint, *, side: bool = False) -> float:
    """How much X improves the chance to guess any function of S in one go, in the worst case over functions.

    I_∞(S;X) = log2 Σ_x max_s p(x|s), in bits: Sibson's information of order ∞. [BF, Def 4]
    With side=True to somebody who knows A: max_a log2 Σ_x max_s p(x|s,a).

    Examples
    --------
    >>> from discreet import Joint
    >>> maximal_leakage(Joint.from_array([[1, 1], [0, 2]]))  # max p(x|s): 1/2 and 1
    0.5849625007211562
    """
    if side:
        return maximal_leakage_given(joint)
    joint.require_counts()
    channel = joint.counts.data / joint.s_weight[joint.counts.indices]
    return max(0.0, math.log2(float(per_x(joint, channel, np.maximum).sum())))


@measure(
    "Lr",
    "maximal realisable leakage",
    kind="pmf",
    role="leakage",
    formula="max_{s,x} log p(s|x)/p(s)",
    reference="[AC, VI-A]",
)
def realisable_leakage(joint: Joint) -> float:
    """By how much the probability of some s can rise, in the worst case over what is seen.

    max over (s,x) in the support of log2 p(s|x)/p(s), in bits. [AC, VI-A]

    Examples
    --------
    >>> from discreet import Joint
    >>> realisable_leakage(Joint.from_array([[1, 0], [0, 3]]))
    2.0
    """
    joint.require_counts()
    return max(0.0, math.log2(float(lift(joint).max())))


@measure(
    "K",
    "Gács–Körner common information",
    kind="pmf",
    role="leakage",
    formula="K(S;X) = entropy of the component",
    reference="[AC, VI-B]",
    has_side=True,
)
def gacs_korner_information(joint: Joint, *, side: bool = False) -> float:
    """How much of S can be read off X without any error, on average: the entropy of the component.

    K(S;X) = −Σ_c p(c) log2 p(c) over the components c of the support, in bits; at most I* and at most I. [AC, VI-B]
    With side=True what they share beyond A: K(S;X|A).

    Examples
    --------
    >>> from discreet import Joint
    >>> gacs_korner_information(Joint.from_array([[1, 1, 0], [0, 0, 2]]))
    1.0
    """
    if side:
        return gacs_korner_information_given(joint)
    joint.require_counts()
    number, of_s, _ = joint.components
    return entropy_of(np.bincount(of_s, weights=joint.s_weight, minlength=number) / float(joint.total))


@measure(
    "eps",
    "local differential privacy ε",
    kind="pmf",
    role="leakage",
    formula="max log p(x|s)/p(x|s')",
    reference="[AC, VI-A, footnote 14]",
)
def local_dp_epsilon(joint: Joint) -> float:
    """How well some x tells two values of s apart, by the odds; infinite when some x excludes some s.

    ε = max over x, s, s' of log2 p(x|s)/p(x|s'), in bits. [AC, VI-A, footnote 14]

    Examples
    --------
    >>> from discreet import Joint
    >>> local_dp_epsilon(Joint.from_array([[1, 3], [2, 2]])), local_dp_epsilon(Joint.from_array([[1, 1], [0, 2]]))
    (1.0, inf)
    """
    joint.require_counts()
    if int(joint.distinct.min()) < joint.n_s:
        return math.inf
    channel = joint.counts.data / joint.s_weight[joint.counts.indices]
    ratio = per_x(joint, channel, np.maximum) / per_x(joint, channel, np.minimum)
    return max(0.0, math.log2(float(ratio.max())))


@measure(
    "n",
    "record anonymity",
    kind="pmf",
    role="uncertainty",
    units="count",
    formula="n = min_x n(x)",
    reference="[AC, footnote 5]",
)
def record_anonymity(joint: Joint) -> float:
    """How many records share what is seen in the worst case (Sweeney's k): says nothing about how alike their s are.

    n = min_x n(x). Compare it with `distinct_anonymity`: n records with k = 1 are open to the homogeneity attack.
    [AC, footnote 5], [DQ, V]

    Examples
    --------
    >>> from discreet import Joint
    >>> record_anonymity(Joint.from_pairs([(1, "a"), (1, "a"), (1, "a")]))
    3.0
    """
    if not joint.is_integral:
        raise MeasureError("record anonymity counts records: this joint has a pmf or a support, not counts")
    return float(joint.records.min())
