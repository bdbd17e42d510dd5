"""Section III: the leakage of an attribute, the maximal leakage, Propositions 1 to 4."""

from __future__ import annotations

import itertools
import math

import numpy as np

import discreet as dc
from discreet.papers.bf.families import (
    attributed,
    chains,
    close,
    joint_ranges,
    joints,
    least,
    small_joints,
    smallest,
    tables,
    together,
)
from discreet.papers.bf.paper import PAPER
from discreet.papers.claims import Outcome, Study, matches, misprint, refuted

_L = dc.measures.worst_case_leakage
_L_STAR = dc.measures.maximal_guessing_leakage


@PAPER.claim("III", "with the worst case for the expectation, guessing entropy H_G(U) becomes the cost log |[[U]]|")
def worst_guess(study: Study) -> Outcome:
    sizes = sorted({joint.n_s for joint in study.once(joints)})
    uniform = [dc.measures.guessing_entropy(dc.Joint.from_array(np.ones((n, 1), dtype=int))) for n in sizes]
    # Guesses are counted, so the last of them has number |[[U]]|; a uniform U takes (|[[U]]| + 1)/2 on average.
    return misprint(
        f"the worst case is |[[U]]| guesses, and the cost its logarithm: {sizes[-1]} against "
        f"{math.log2(sizes[-1]):.3f}",
        printed=all(close(n, math.log2(n)) for n in sizes),
        corrected=all(close(2 * mean - 1, n) for mean, n in zip(uniform, sizes, strict=True))
        and all(close(math.log2(j.n_s) - math.log2(least(j)), _L(j)) for j in study.once(joints)),
    )


@PAPER.claim("III, footnote 4", "guessing the likeliest first takes H_G(U) trials on average, the fewest")
def guessing_order(study: Study) -> Outcome:
    every = study.once(tables)
    holds = []
    for joint in every:
        orders = np.array(list(itertools.permutations(range(1, joint.n_s + 1))))
        holds.append(close((orders @ joint.s_weight).min() / joint.total, dc.measures.guessing_entropy(joint)))
    return matches(f"the least over all orders of guessing on {len(every)} random tables", all(holds))


@PAPER.claim(
    "Def 1", "L(U→Y) = log |[[U]]|/min_y |[[U|y]]| = max_y log |[[U]]|/|[[U|y]]|; for k-anonymous data log |[[U]]|/k"
)
def definition_1(study: Study) -> Outcome:
    every = study.once(joints)
    both = [close(max(math.log2(j.n_s / n) for n in j.distinct.tolist()), _L(j)) for j in every]
    anonymous = [close(math.log2(j.n_s / dc.measures.distinct_anonymity(j)), _L(j)) for j in every]
    return matches(
        f"true of {len(every)} joint ranges, with k the distinct values left at worst", all(both), all(anonymous)
    )


@PAPER.claim("Prop 1, (1)", "L(U→Z) ≤ L(U→Y) for U − Y − Z; [[U|z]] is the union of [[U|y]] over the y seen with z")
def proposition_1(study: Study) -> Outcome:
    every = study.once(chains)
    union = all(
        set(c.xz.range_of(z)) == {u for y in c.yz.range_of(z) for u in c.xy.range_of(y)} for c in every for z in c.xz.x
    )
    falls = all(_L(c.xz) <= _L(c.xy) + 1e-9 for c in every)
    return matches(f"true of all chains of at most three values each ({len(every):,})", union, falls)


@PAPER.claim("Prop 2", "L(U→Y) ≥ 0, with equality if X and Y are unrelated")
def proposition_2(study: Study) -> Outcome:
    every = study.once(attributed)
    unrelated = [found for joint, found in every if joint.counts.nnz == joint.n_s * joint.n_x]
    number = sum(len(found) for _, found in every)
    return matches(
        f"{number:,} attributes on {len(every)} joint ranges; not only if: a constant U leaks nothing",
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
        f"finite for functions only: with Y = X one bit, L* = {_L_STAR(bit):g}, and a U drawn from {many[-1]:,} "
        f"values where x = 1 has L = {noisy[-1]:.3f}, without bound",
        close(_L_STAR(bit), 1),
        all(close(found, math.log2(m + 1)) for found, m in zip(noisy, many, strict=True)),
        all(max(a.leakage for a in found) <= _L_STAR(joint) + 1e-9 for joint, found in study.once(attributed)),
    )


@PAPER.claim("Prop 3 (a), (b)", "L* ≥ 0, and L* = 0 if and only if X and Y are unrelated")
def proposition_3ab(study: Study) -> Outcome:
    every = study.once(attributed)
    suprema = [(joint, max(a.leakage for a in found)) for joint, found in every]
    return matches(
        f"suprema over all attributes of {len(every)} joint ranges",
        all(top >= 0 and (top == 0) == (joint.counts.nnz == joint.n_s * joint.n_x) for joint, top in suprema),
    )


@PAPER.claim("Prop 3 (c)", "L*(X→Y) ≤ H0(X), with equality if Y = X")
def proposition_3c(study: Study) -> Outcome:
    every = study.once(attributed)
    top = [(joint, max(a.leakage for a in found)) for joint, found in every]
    itself = [dc.Joint.from_array(np.eye(n, dtype=bool)) for n in range(1, 9)]
    return matches(
        f"{len(every)} joint ranges; equality exactly where some y reveals x, Y = X being one case",
        all(value <= dc.measures.hartley_entropy(joint) + 1e-9 for joint, value in top),
        all(close(value, dc.measures.hartley_entropy(joint)) == (least(joint) == 1) for joint, value in top),
        all(close(_L_STAR(joint), math.log2(joint.n_s)) for joint in itself),
    )


@PAPER.claim("Prop 3 (d)", "L*(X→Z) ≤ L*(X→Y) for X − Y − Z")
def proposition_3d(study: Study) -> Outcome:
    every = study.once(chains)
    return matches(
        f"true of all chains of at most three values each ({len(every):,})",
        all(_L_STAR(c.xz) <= _L_STAR(c.xy) + 1e-9 for c in every),
    )


@PAPER.claim("Prop 3 (e)", "pairs (Xi, Yi) are unrelated, that is, any two of them are")
def pairwise(study: Study) -> Outcome:
    even = [bits for bits in itertools.product([0, 1], repeat=3) if sum(bits) % 2 == 0]
    two = all(len({(b[i], b[j]) for b in even}) == 4 for i, j in itertools.combinations(range(3), 2))
    joint = dc.Joint.from_pairs([(bits, bits) for bits in even])
    return refuted(
        "three bits of even parity, Yi = Xi (fewest: two pairs are no case): any two are unrelated, the three are "
        f"not, and L* = {_L_STAR(joint):g} where each alone has 1",
        counterexample=two and len(even) < 8 and close(_L_STAR(joint), 2),
    )


@PAPER.claim(
    "Prop 3 (e)", "for unrelated pairs, L*((X1..Xn)→(Y1..Yn)) = Σ L(Xi→Yi) (and with the star that is missing)"
)
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
    return refuted(
        f"X1 a bit, Y1 constant, Y2 = X2 a bit: L* = {_L_STAR(both):.3f}, the sum is {_L_STAR(a) + _L_STAR(b):g} "
        f"with and {_L(a) + _L(b):g} without stars (fewest values). L* is superadditive: 2^L* exceeds the product by "
        f"(m1 − 1)(|X2| − m2) + (m2 − 1)(|X1| − m1), m = min_y |[[X|y]]| ({len(pairs):,} pairs of ranges); L is "
        "additive",
        counterexample={(a.n_s, a.n_x, least(a)), (b.n_s, b.n_x, least(b))} == {(2, 1, 2), (2, 2, 1)}
        and close(_L_STAR(both), math.log2(3))
        and close(_L(a) + _L(b), 1)
        and all(close(value, 0, 1e-6) for value in gap),
    )


@PAPER.claim("Prop 4", "L*(X→Y) = log(|[[X]]| − min_y |[[X|y]]| + 1)")
def proposition_4(study: Study) -> Outcome:
    every = study.once(attributed)
    number = sum(len(found) for _, found in every)
    return matches(
        f"the largest leakage of all {number:,} attributes, on all {len(study.once(small_joints))} joint ranges up "
        f"to 4 × 4 and {len(every) - len(study.once(small_joints))} random ones of five values of X",
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
    return matches(f"L(g(X)→Y) = L* for each of {number} y* of {len(study.once(joints))} joint ranges", all(holds))
