"""Measures of the support alone: what can be excluded, whatever the statistics [AC, III; BF, III–V]."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from discreet.measures._registry import measure

if TYPE_CHECKING:
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label


def log_ratio(larger: float, smaller: float) -> float:
    """log2(larger / smaller), exact when the ratio is a power of two."""
    return math.log2(larger / smaller)


@measure("H0", "Hartley entropy", kind="range", role="prior", formula="H0(S) = log |[[S]]|", reference="[AC, II]")
def hartley_entropy(joint: Joint) -> float:
    """How uncertain S is before anything is released: the logarithm of the number of its values.

    H0(S) = log2 |[[S]]|, in bits. [AC, II]

    Examples
    --------
    >>> from discreet import Joint
    >>> hartley_entropy(Joint.from_pairs([(s, "x") for s in range(8)]))
    3.0
    """
    return math.log2(joint.n_s)


@measure(
    "H0|X",
    "conditional Hartley entropy",
    kind="range",
    role="uncertainty",
    formula="H0(S|X) = max_x log |[[S|x]]|",
    reference="[AC, III-A]",
)
def conditional_hartley_entropy(joint: Joint) -> float:
    """How uncertain S stays at best: the x seen with the most values of s.

    H0(S|X) = max_x log2 |[[S|x]]|, in bits. [AC, III-A]

    Examples
    --------
    >>> from discreet import Joint
    >>> conditional_hartley_entropy(Joint.from_pairs([(1, "a"), (2, "a"), (3, "b")]))
    1.0
    """
    return math.log2(int(joint.distinct.max()))


@measure(
    "B0",
    "least uncertainty",
    kind="range",
    role="uncertainty",
    formula="B0(S|X) = min_x log |[[S|x]]|",
    reference="[AC, III-A]",
)
def least_uncertainty(joint: Joint) -> float:
    """How uncertain S stays at worst: the x seen with the fewest values of s.

    B0(S|X) = min_x log2 |[[S|x]]|, in bits. [AC, III-A]

    Examples
    --------
    >>> from discreet import Joint
    >>> least_uncertainty(Joint.from_pairs([(1, "a"), (2, "a"), (3, "b")]))
    0.0
    """
    return math.log2(int(joint.distinct.min()))


@measure(
    "I0",
    "0-information",
    kind="range",
    role="leakage",
    formula="I0(S→X) = H0(S) − H0(S|X)",
    reference="[AC, III-A]",
)
def zero_information(joint: Joint) -> float:
    """How much uncertainty every release removes: the reduction at the least telling x.

    I0(S→X) = H0(S) − H0(S|X) = min_x log2 |[[S]]|/|[[S|x]]|, in bits. [AC, III-A]

    Examples
    --------
    >>> from discreet import Joint
    >>> zero_information(Joint.from_pairs([(1, "a"), (2, "a"), (3, "b"), (4, "b")]))
    1.0
    """
    return log_ratio(joint.n_s, int(joint.distinct.max()))


@measure(
    "L0",
    "worst-case leakage",
    kind="range",
    role="leakage",
    formula="L0(S→X) = H0(S) − B0(S|X)",
    reference="[AC, III-A], [BF, Def 1]",
    has_side=True,
)
def worst_case_leakage(joint: Joint, *, side: bool = False) -> float:
    """How much a brute-force guesser gains in the worst case: the reduction of the candidates at the most telling x.

    L0(S→X) = H0(S) − B0(S|X) = max_x log2 |[[S]]|/|[[S|x]]|, in bits; it is the brute-force guessing leakage of S.
    With side=True the adversary knows A already: L0(S→X|A) = max_{x,a} log2 |[[S|a]]|/|[[S|x,a]]|.
    [AC, III-A and end of V-C], [BF, Def 1]

    Examples
    --------
    >>> from discreet import Joint
    >>> worst_case_leakage(Joint.from_pairs([(1, "a"), (2, "a"), (3, "a"), (4, "b")]))
    2.0
    """
    if not side:
        return log_ratio(joint.n_s, int(joint.distinct.min()))
    seen = np.diff(joint.side.counts.indptr)
    known = distinct_given_side(joint)[joint.side.a_of]
    worst = np.argmax(known / seen)
    return log_ratio(int(known[worst]), int(seen[worst]))


def distinct_given_side(joint: Joint) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """|[[S|a]]| for every a."""
    side = joint.side
    a_of_pair = np.repeat(side.a_of, np.diff(side.counts.indptr))
    pairs = np.unique(a_of_pair.astype(np.int64) * joint.n_s + side.counts.indices)
    return np.bincount(pairs // joint.n_s, minlength=len(side.a))


@measure(
    "I*",
    "maximin information",
    kind="range",
    role="leakage",
    formula="I*(S;X) = log of the number of components of the support",
    reference="[AC, Lemma 2], [DQ, (9)]",
    has_side=True,
)
def maximin_information(joint: Joint, *, side: bool = False) -> float:
    """How much about S can be told without any error: the number of groups of s that X separates perfectly.

    I*(S;X) = log2 of the number of connected components of the bipartite graph of the support, in bits; symmetric.
    With side=True, I*(S;X,A). [AC, Def 1, Lemma 2 and end of V-C], [DQ, (9)]

    Examples
    --------
    >>> from discreet import Joint
    >>> maximin_information(Joint.from_pairs([(1, "a"), (2, "a"), (3, "b")]))
    1.0
    """
    return math.log2((joint.with_side() if side else joint).components[0])


@measure(
    "L*",
    "maximal guessing leakage",
    kind="range",
    role="leakage",
    formula="L*(S→X) = log(|[[S]]| − min_x |[[S|x]]| + 1)",
    reference="[BF, Prop 4]",
)
def maximal_guessing_leakage(joint: Joint) -> float:
    """How much a brute-force guesser gains about the attribute of S that is most exposed, whichever that is.

    L*(S→X) = sup over U = g(S) of L0(U→X) = log2(|[[S]]| − min_x |[[S|x]]| + 1), in bits. `worst_attribute` gives
    the g that attains it. [BF, Def 2, Prop 4]

    Examples
    --------
    >>> from discreet import Joint
    >>> maximal_guessing_leakage(Joint.from_pairs([(1, "a"), (2, "a"), (2, "b"), (3, "b"), (4, "b")]))  # 4 − 2 + 1 = 3
    1.584962500721156
    """
    return math.log2(joint.n_s - int(joint.distinct.min()) + 1)


@measure(
    "k",
    "distinct anonymity",
    kind="range",
    role="uncertainty",
    units="count",
    formula="k = min_x |[[S|x]]|",
    reference="[AC, Def 2, Lemma 1]",
)
def distinct_anonymity(joint: Joint) -> float:
    """How many different values of s are left in the worst case.

    k = min_x |[[S|x]]|; L0 ≤ log2(|[[S]]|/k) says the same. Unlike the count of records it is not fooled by k people
    who share one value. [AC, Def 2, Lemma 1]

    Examples
    --------
    >>> from discreet import Joint
    >>> distinct_anonymity(Joint.from_pairs([(1, "a"), (1, "a"), (1, "a")]))
    1.0
    """
    return float(joint.distinct.min())


def overlap_partition(joint: Joint) -> list[tuple[frozenset[Label], frozenset[Label]]]:
    """The groups that X separates without error: components of the support, each a set of s and a set of x.

    Ordered by their earliest x. [AC, Def 1]

    Examples
    --------
    >>> from discreet import Joint
    >>> parts = overlap_partition(Joint.from_pairs([(1, "a"), (2, "a"), (3, "b")]))
    >>> [(sorted(s), sorted(x)) for s, x in parts]
    [([1, 2], ['a']), ([3], ['b'])]
    """
    number, of_s, of_x = joint.components
    s_parts: list[list[Label]] = [[] for _ in range(number)]
    x_parts: list[list[Label]] = [[] for _ in range(number)]
    for parts, owners, labels in ((s_parts, of_s, joint.s), (x_parts, of_x, joint.x)):
        for owner, label in zip(owners.tolist(), labels, strict=True):
            parts[owner].append(label)
    return [(frozenset(s), frozenset(x)) for s, x in zip(s_parts, x_parts, strict=True)]


def worst_attribute(joint: Joint) -> dict[Label, Label]:
    """The attribute U = g(S) that the release exposes most, as {s: u}: the g of [BF, (17)].

    All s seen with the most telling x* (the earliest, if there are several) share one u, named by the earliest of
    them; every other s is a u of its own. Its leakage L0(U→X) is `maximal_guessing_leakage`.

    Examples
    --------
    >>> from discreet import Joint
    >>> worst_attribute(Joint.from_pairs([(1, "a"), (2, "a"), (2, "b"), (3, "b"), (4, "b")]))
    {1: 1, 2: 1, 3: 3, 4: 4}
    """
    exposed = joint.codes_of(int(np.argmin(joint.distinct)))
    shared = joint.s_label(int(exposed[0]))
    attribute = dict(zip(joint.s, joint.s, strict=True))
    attribute.update({joint.s_label(int(code)): shared for code in exposed})
    return attribute


def identifiability(joint: Joint, attribute: Mapping[Label, Label]) -> float:
    """The smallest ε for which X is ε-identifiable on the attribute {s: u}: L0(U→X), in bits. [BF, Def 3]

    Examples
    --------
    >>> from discreet import Joint
    >>> joint = Joint.from_pairs([("ann", "x"), ("bob", "x"), ("eve", "y")])
    >>> identifiability(joint, {"ann": "adult", "bob": "child", "eve": "adult"})
    1.0
    """
    return worst_case_leakage(joint.attribute(attribute))
