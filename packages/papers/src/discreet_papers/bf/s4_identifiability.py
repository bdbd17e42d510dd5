"""Section IV: non-stochastic identifiability, (8) and Corollary 5."""

from __future__ import annotations

import itertools
import math

import numpy as np

import discreet as dc
from discreet_papers.bf.families import attributed, close, joints, least, on_attributes, on_joints, tables
from discreet_papers.bf.paper import PAPER
from discreet_papers.claims import Outcome, Study, matches

_L = dc.measures.worst_case_leakage
_L_STAR = dc.measures.maximal_guessing_leakage


@PAPER.claim(
    "Def 3, (7)", "ε-identifiable on U: log |[[U]]|/|[[U|y]]| ≤ ε for every y, the share left is at least exp of −ε"
)
def definition_3(study: Study) -> Outcome:
    every = study.once(attributed)
    holds = []
    for joint, found in every:
        for a in found:
            epsilon = dc.measures.identifiability(joint, a.g)
            left = a.joint.distinct / a.joint.n_s
            holds.append(close(epsilon, a.leakage) and bool((left >= 2**-epsilon - 1e-9).all()))
            holds.append(close(float(left.min()), 2**-epsilon))  # and for no smaller ε
    return matches(
        f"the smallest such ε is L(U→Y) for {on_attributes(study)}; where (7) writes ranges, their sizes are meant",
        all(holds),
    )


@PAPER.claim("IV", "it corresponds to membership privacy, log p(u|y)/p(u) ≤ ε")
def membership(study: Study) -> Outcome:
    every = [dc.Joint.from_array(j.counts.toarray() / j.s_weight[:, None]) for j in study.once(tables)]
    above = all(dc.measures.realisable_leakage(j) >= _L(j) - 1e-9 for j in every)
    # Each x with d of n values of y round it, all equally likely: prior and posterior are uniform.
    rings = [
        sum(np.roll(np.eye(n, dtype=int), i, axis=1) for i in range(d)) for n in range(2, 8) for d in range(1, n + 1)
    ]
    equal = all(close(dc.measures.realisable_leakage(j), _L(j)) for j in map(dc.Joint.from_array, rings))
    skewed = dc.Joint.from_array([[1, 8], [0, 1]])
    return matches(
        f"if U is uniform, membership privacy implies ε-identifiability ({len(every)} random tables), and is the "
        f"same where posteriors are uniform, too ({len(rings)} tables). For another U it need not imply it: the "
        f"counts [[1, 8], [0, 1]] have membership privacy with ε = {dc.measures.realisable_leakage(skewed):.3f} but "
        f"L = {_L(skewed):g}",
        above,
        equal,
        dc.measures.realisable_leakage(skewed) < _L(skewed),
    )


@PAPER.claim("IV-A", "L and L* both decrease in min_y |[[X|y]]|, so L* increases in L and vice versa")
def monotone(study: Study) -> Outcome:
    found: dict[int, dict[int, tuple[float, float]]] = {}
    for joint in study.once(joints):
        found.setdefault(joint.n_s, {})[least(joint)] = (_L(joint), _L_STAR(joint))
    steps = [pair for values in found.values() for pair in itertools.pairwise(values[m] for m in sorted(values))]
    return matches(
        f"for each size of [[X]] up to {max(found)}, both fall whenever the minimum grows",
        *(a[0] > b[0] and a[1] > b[1] for a, b in steps),
    )


@PAPER.claim("(8)", "exp L* + |[[X]]| exp(−L) = |[[X]]| + 1, in nats")
def equation_8(study: Study) -> Outcome:
    every = study.once(joints)
    sums = [math.exp(_L_STAR(j) * math.log(2)) + j.n_s * math.exp(-_L(j) * math.log(2)) - j.n_s - 1 for j in every]
    return matches(f"so on {on_joints(study)}, to {max(map(abs, sums)):.0e}", all(close(value, 0) for value in sums))


@PAPER.claim("Cor 5", "an ε-identifiable mapping has L* ≤ log(|[[X]]|(1 − exp(−ε)) + 1)")
def corollary_5(study: Study) -> Outcome:
    def bound(n: int, epsilon: float) -> float:
        return math.log2(n * (1 - 2**-epsilon) + 1)

    every = study.once(joints)
    above = [_L_STAR(j) <= bound(j.n_s, _L(j) + more) + 1e-9 for j in every for more in (0, 0.1, 1)]
    tight = [close(_L_STAR(j), bound(j.n_s, _L(j))) for j in every]
    other = dc.Joint.from_pairs([(0, 0), (1, 1)])
    constant = dc.measures.identifiability(other, {0: "u", 1: "u"})
    return matches(
        f"so on {on_joints(study)}, with equality at ε = L(X→Y). ε-identifiable on X itself is meant: Y = X, a bit, "
        f"is ε-identifiable on a constant U for every ε, but L* = {_L_STAR(other):g}",
        constant == 0,
        all(above),
        all(tight),
        _L_STAR(other) > bound(2, constant),
    )


@PAPER.claim("IV-A", "L* goes to zero as the privacy budget ε does")
def vanishing(study: Study) -> Outcome:
    """min_y |[[X|y]]| is whole, so no leakage can be small without being zero."""
    every = [joint for joint in study.once(joints) if joint.n_s > 1]
    small = [joint for joint in every if _L(joint) < math.log2(joint.n_s / (joint.n_s - 1)) - 1e-9]
    return matches(
        f"it is 0 as soon as ε is below log |[[X]]|/(|[[X]]| − 1), and only then: {len(small)} of {len(every)} joint "
        "ranges of two or more values of X, in all of which X and Y are unrelated",
        all(_L_STAR(joint) == 0 for joint in small),
        all(_L_STAR(joint) > 0 for joint in every if joint not in small),
    )
