"""Section III: the leakage of an attribute, the maximal leakage, Propositions 1 to 4."""

from __future__ import annotations

import itertools
import math

import numpy as np

import discreet as dc
from discreet_papers.bf.families import (
    attributed,
    chains,
    close,
    joint_ranges,
    joints,
    least,
    on_attributes,
    on_joints,
    smallest,
    tables,
    together,
    triples,
)
from discreet_papers.bf.paper import PAPER
from discreet_papers.claims import Outcome, Study, matches, misprint, refuted

_L = dc.measures.worst_case_leakage
_L_STAR = dc.measures.maximal_guessing_leakage


@PAPER.claim("III", "with the worst case for the expectation, guessing entropy H_G(U) reduces to the cost log |[[U]]|")
def worst_guess(study: Study) -> Outcome:
    sizes = sorted({joint.n_s for joint in study.once(joints)})
    uniform = [dc.measures.guessing_entropy(dc.Joint.from_array(np.ones((n, 1), dtype=int))) for n in sizes]
    # Guesses are counted, so the last of them has number |[[U]]|; a uniform U takes (|[[U]]| + 1)/2 on average.
    return matches(
        "the worst case is |[[U]]| guesses, and the cost is its logarithm, which the sentence passes over (for "
        f"{sizes[-1]} values, {sizes[-1]} guesses and {math.log2(sizes[-1]):.3f} bits); the prior cost less the least "
        f"posterior cost is L on {on_joints(study)}",
        all(close(2 * mean - 1, n) for mean, n in zip(uniform, sizes, strict=True)),
        all(close(math.log2(j.n_s) - math.log2(least(j)), _L(j)) for j in study.once(joints)),
    )


@PAPER.claim("III, footnote 4", "guessing the likeliest first takes H_G(U) trials on average, the fewest")
def guessing_order(study: Study) -> Outcome:
    every = study.once(tables)
    holds = []
    for joint in every:
        orders = np.array(list(itertools.permutations(range(1, joint.n_s + 1))))
        holds.append(close((orders @ joint.s_weight).min() / joint.total, dc.measures.guessing_entropy(joint)))
    return matches(
        f"H_G(U) is the least average over all orders of guessing on {len(every)} random tables of counts", all(holds)
    )


@PAPER.claim(
    "Def 1", "L(U→Y) = log |[[U]]|/min_y |[[U|y]]| = max_y log |[[U]]|/|[[U|y]]|; for k-anonymous data log |[[U]]|/k"
)
def definition_1(study: Study) -> Outcome:
    every = study.once(joints)
    both = [close(max(math.log2(j.n_s / n) for n in j.distinct.tolist()), _L(j)) for j in every]
    anonymous = [close(math.log2(j.n_s / dc.measures.distinct_anonymity(j)), _L(j)) for j in every]
    return matches(
        f"so on {on_joints(study)}, where k is the least number of distinct values that some y leaves",
        all(both),
        all(anonymous),
    )


@PAPER.claim("Prop 1, (1)", "L(U→Z) ≤ L(U→Y) for U − Y − Z; [[U|z]] is the union of [[U|y]] over the y seen with z")
def proposition_1(study: Study) -> Outcome:
    every = study.once(chains)
    union = all(
        set(c.xz.range_of(z)) == {u for y in c.yz.range_of(z) for u in c.xy.range_of(y)} for c in every for z in c.xz.x
    )
    falls = all(_L(c.xz) <= _L(c.xy) + 1e-9 for c in every)
    # The chains above are made from their two halves; these are given whole, [[U, Y, Z]], and are chains by definition.
    for seen in study.once(triples):
        given_y, given_z = seen.any(axis=2), seen.any(axis=1)
        with_z = seen.any(axis=0)
        union &= bool((given_z == (given_y.astype(int) @ with_z.astype(int) > 0)).all())
        falls &= _L(dc.Joint.from_array(given_z)) <= _L(dc.Joint.from_array(given_y)) + 1e-9
    return matches(
        f"so for all {len(every):,} chains of at most three values each, and for {len(study.once(triples))} joint "
        "ranges of three variables that are chains by definition",
        union,
        falls,
    )


@PAPER.claim("Prop 2", "L(U→Y) ≥ 0, with equality if X and Y are unrelated")
def proposition_2(study: Study) -> Outcome:
    every = study.once(attributed)
    unrelated = [found for joint, found in every if joint.counts.nnz == joint.n_s * joint.n_x]
    return matches(
        f"so for {on_attributes(study)}; the converse does not hold, as a constant U never leaks",
        all(a.leakage >= 0 for _, found in every for a in found),
        all(a.leakage == 0 for found in unrelated for a in found),
        len(unrelated) > 0,
        all(found[0].leakage == 0 for _, found in every),
    )


@PAPER.claim("Def 2, (2)", "L*(X→Y) is the supremum of L(U→Y) over the functions U = g(X)")
def definition_2(study: Study) -> Outcome:
    """U − X − Y alone, which the subscript of (2) asks for, would not do."""
    bit = dc.Joint.from_pairs([(0, 0), (1, 1)])
    many = [1, 10, 1000]
    # U is 0 with x1, and any of 1..m with x2: a chain U − X − Y, but no function of X.
    noisy = [_L(dc.Joint.from_pairs([(0, 0), *((u, 1) for u in range(1, m + 1))])) for m in many]
    return matches(
        f"so for {on_attributes(study)}. That U is a function of X is needed: for Y = X a bit, L* = {_L_STAR(bit):g}, "
        f"but a U that may be any of {many[-1]:,} values where x = 1 has L = {noisy[-1]:.3f}, and so without bound",
        close(_L_STAR(bit), 1),
        all(close(found, math.log2(m + 1)) for found, m in zip(noisy, many, strict=True)),
        all(close(max(a.leakage for a in found), _L_STAR(joint)) for joint, found in study.once(attributed)),
    )


@PAPER.claim("Prop 3 (a), (b)", "L* ≥ 0, and L* = 0 if and only if X and Y are unrelated")
def proposition_3ab(study: Study) -> Outcome:
    every = study.once(attributed)
    suprema = [(joint, max(a.leakage for a in found)) for joint, found in every]
    return matches(
        f"so for the largest leakage of {on_attributes(study)}",
        all(top >= 0 and (top == 0) == (joint.counts.nnz == joint.n_s * joint.n_x) for joint, top in suprema),
    )


@PAPER.claim("Prop 3 (c)", "L*(X→Y) ≤ H0(X), with equality if Y = X")
def proposition_3c(study: Study) -> Outcome:
    every = study.once(attributed)
    top = [(joint, max(a.leakage for a in found)) for joint, found in every]
    itself = [dc.Joint.from_array(np.eye(n, dtype=bool)) for n in range(1, 9)]
    return matches(
        f"so on {on_joints(study)}; equality holds exactly where some y reveals x, and Y = X is such a case",
        all(value <= dc.measures.hartley_entropy(joint) + 1e-9 for joint, value in top),
        all(close(value, dc.measures.hartley_entropy(joint)) == (least(joint) == 1) for joint, value in top),
        all(close(_L_STAR(joint), math.log2(joint.n_s)) for joint in itself),
    )


@PAPER.claim("Prop 3 (d)", "L*(X→Z) ≤ L*(X→Y) for X − Y − Z")
def proposition_3d(study: Study) -> Outcome:
    every = study.once(chains)
    return matches(
        f"so for all {len(every):,} chains of at most three values each",
        all(_L_STAR(c.xz) <= _L_STAR(c.xy) + 1e-9 for c in every),
    )


@PAPER.claim("Prop 3 (e)", "the pairs (Xi, Yi) are unrelated, i.e. any two of them are")
def pairwise(study: Study) -> Outcome:
    """For two pairs there is no difference, so three are the fewest."""
    every = list(itertools.product([0, 1], repeat=3))
    even = [bits for bits in every if sum(bits) % 2 == 0]
    two = all(len({(b[i], b[j]) for b in even}) == 4 for i, j in itertools.combinations(range(3), 2))
    parity, free = (dc.Joint.from_pairs([(bits, bits) for bits in some]) for some in (even, every))
    return misprint(
        "by section II all of them together must be: the joint range is the product. Of three bits of even parity, Yi "
        f"= Xi, any two are unrelated but not the three, and L = L* = {_L_STAR(parity):g} where each alone has 1 and "
        f"the sum is 3; if all combinations occur it is {_L_STAR(free):g}",
        printed=two and close(_L(parity), 3) and close(_L_STAR(parity), 3),
        corrected=two and close(_L(parity), 2) and close(_L(free), 3) and close(_L_STAR(free), 3),
    )


@PAPER.claim("Prop 3 (e)", "for unrelated pairs, L*((X1..Xn)→(Y1..Yn)) = Σ L(Xi→Yi), where Σ L*(Xi→Yi) must be meant")
def additivity(study: Study) -> Outcome:
    some = [dc.Joint.from_array(support) for support in joint_ranges(3)]
    pairs = [(one, other, together(one, other)) for one, other in itertools.product(some, repeat=2)]
    pairs.sort(key=lambda p: (p[2].n_s * p[2].n_x, p[0].n_s))
    a, b, both = smallest(pairs, lambda p: not close(_L_STAR(p[2]), _L_STAR(p[0]) + _L_STAR(p[1])))
    gap = [
        2 ** _L_STAR(joined)
        - 2 ** (_L_STAR(one) + _L_STAR(other))
        - ((least(one) - 1) * (other.n_s - least(other)) + (least(other) - 1) * (one.n_s - least(one)))
        for one, other, joined in pairs
    ]
    # U against (Y1, Y2), with Y1 the same always.
    exposed = dc.Joint.from_pairs([((x1, 1) if x2 else 0, x2) for x1, x2 in itertools.product([0, 1], repeat=2)])
    return refuted(
        f"for X1 a bit, Y1 constant, Y2 = X2 a bit (the fewest values), L* = {_L_STAR(both):.3f}, attained by U = 0 "
        f"where x2 = 0 and (x1, 1) elsewhere, but both sums are {_L_STAR(a) + _L_STAR(b):g}. Only ≥ holds: 2^L* "
        "exceeds the product by (m1 − 1)(|[[X2]]| − m2) + (m2 − 1)(|[[X1]]| − m1), where m is min_y |[[X|y]]| "
        f"({len(pairs):,} pairs of joint ranges); L itself is additive",
        counterexample={(a.n_s, a.n_x, least(a)), (b.n_s, b.n_x, least(b))} == {(2, 1, 2), (2, 2, 1)}
        and close(_L_STAR(both), math.log2(3))
        and close(_L_STAR(a) + _L_STAR(b), 1)
        and close(_L(exposed), _L_STAR(both))
        and close(_L(a) + _L(b), 1)
        and all(close(value, 0, 1e-6) for value in gap),
    )


@PAPER.claim("Prop 4", "L*(X→Y) = log(|[[X]]| − min_y |[[X|y]]| + 1)")
def proposition_4(study: Study) -> Outcome:
    every = study.once(attributed)
    return matches(
        f"it is the largest leakage among {on_attributes(study)}",
        all(close(max(a.leakage for a in found), _L_STAR(joint)) for joint, found in every),
        all(close(math.log2(joint.n_s - least(joint) + 1), _L_STAR(joint)) for joint, _ in every),
    )


@PAPER.claim(
    "Prop 4, (17)", "any y* with the fewest x gives a most exposed attribute: one u for [[X|y*]], x itself elsewhere"
)
def worst_attributes(study: Study) -> Outcome:
    holds, number = [], 0
    for joint in study.once(joints):
        for y in np.flatnonzero(joint.distinct == joint.distinct.min()):
            exposed = set(joint.codes_of(int(y)).tolist())
            g = {x: "u*" if i in exposed else x for i, x in enumerate(joint.s)}
            holds.append(close(dc.measures.identifiability(joint, g), _L_STAR(joint)))
        ours = dc.measures.worst_attribute(joint)
        holds.append(close(dc.measures.identifiability(joint, ours), _L_STAR(joint)))
        number += int((joint.distinct == joint.distinct.min()).sum())
    return matches(f"L(g(X)→Y) = L* for each of {number} y* of {on_joints(study)}", all(holds))
