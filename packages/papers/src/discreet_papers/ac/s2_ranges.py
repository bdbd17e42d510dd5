"""[AC, II and III]: non-stochastic measures, k-anonymity, and what I* says about telling values apart."""

from __future__ import annotations

import itertools
import math

import numpy as np

from discreet import Joint, measures
from discreet_papers.ac.shared import PAPER, Set, close, first, partitions, ranges_of, sets, shown, supports, weighted
from discreet_papers.claims import Outcome, Study, matches


@PAPER.claim("II", "H0(X) = log |[[X]]| is the Rényi entropy of order 0")
def hartley(_: Study) -> Outcome:
    rng = np.random.default_rng(1)
    # With S = X Arimoto's information is H_α(S) − 0.
    alone = [Joint.from_array(np.diag(rng.integers(1, 10, n))) for n in range(1, 21)]
    gaps = [abs(measures.arimoto_information(j, order=1e-7) - measures.hartley_entropy(j)) for j in alone]
    return matches(f"H_α at α = 1e-7 is within {max(gaps):.0e} bits of H0 on 20 random pmfs", max(gaps) < 1e-5)


@PAPER.claim("III-A", "I0(S→X) is the least and L0(S→X) the greatest log |[[S]]|/|[[S|x]]|, so L0 is the worst case")
def reductions(study: Study) -> Outcome:
    every = supports(study)
    holds = True
    for joint in every:
        ratios = [math.log2(joint.n_s / len(seen)) for seen in ranges_of(joint).values()]
        i0, l0 = measures.zero_information(joint), measures.worst_case_leakage(joint)
        differences = (
            measures.hartley_entropy(joint) - measures.conditional_hartley_entropy(joint),
            measures.hartley_entropy(joint) - measures.least_uncertainty(joint),
        )
        holds &= close(i0, min(ratios)) and close(l0, max(ratios))
        holds &= close(i0, differences[0]) and close(l0, differences[1]) and 0 <= i0 <= l0
    return matches(f"both forms agree and 0 ≤ I0 ≤ L0 on all {len(every)} supports of up to three s and four x", holds)


@PAPER.claim("III-B", "neither I0 nor L0 is symmetric in S and X")
def asymmetry(study: Study) -> Outcome:
    def ways(joint: Joint) -> list[float]:
        both = (joint, joint.transpose())
        return [measure(j) for measure in (measures.zero_information, measures.worst_case_leakage) for j in both]

    def differ(joint: Joint) -> bool:
        i0, i0_back, l0, l0_back = ways(joint)
        return not close(i0, i0_back) and not close(l0, l0_back)

    joint = first(supports(study), differ)
    i0, i0_back, l0, l0_back = ways(joint)
    return matches(
        f"smallest of all up to 3 s and 4 x: {shown(joint)}: I0 is {i0:.3f} one way and {i0_back:.3f} the other, L0 "
        f"{l0:.3f} and {l0_back:.3f}",
        differ(joint),
    )


@PAPER.claim("III-B", "I* is a symmetric measure of dependence")
def symmetry(study: Study) -> Outcome:
    every = supports(study)
    star = measures.maximin_information
    return matches(
        f"I*(S;X) = I*(X;S) on all {len(every)} supports",
        all(close(star(joint), star(joint.transpose())) for joint in every),
    )


def connected_to(joint: Joint) -> dict[object, Set]:
    """For every s the set of s' that are overlap connected with it, by Definition 1 (a) itself."""
    found: dict[object, Set] = {s: frozenset([s]) for s in joint.s}
    for _ in range(joint.n_s):
        for seen in ranges_of(joint).values():
            together = frozenset().union(*(found[s] for s in seen))
            found.update(dict.fromkeys(together, together))
    return found


@PAPER.claim("Def. 1 (d), (e)", "the overlap partition is unique, and the finest overlap isolated partition")
def uniqueness(study: Study) -> Outcome:
    every, holds = supports(study), True
    for joint in every:
        reach = connected_to(joint)
        isolated = [p for p in partitions(joint.s) if all(reach[s] <= set(block) for block in p for s in block)]
        overlap = [p for p in isolated if all(set(block) <= reach[s] for block in p for s in block)]
        expected = frozenset(s for s, _ in measures.overlap_partition(joint))
        holds &= len(overlap) == 1 and sets(overlap[0]) == expected
        holds &= all(any(part <= set(block) for block in p) for p in isolated for part in expected)
    return matches(f"exactly one among all partitions of [[S]], on each of {len(every)} supports", holds)


@PAPER.claim("Lemma 1", "k-anonymous (Definition 2) iff B0 ≥ log k iff L0 ≤ log(|[[S]]|/k)")
def lemma_1(study: Study) -> Outcome:
    every, tried, holds = supports(study), 0, True
    for joint in every:
        for k in range(1, joint.n_s + 2):
            anonymous = all(len(seen) >= k for seen in ranges_of(joint).values())
            b0 = measures.least_uncertainty(joint) >= math.log2(k)
            l0 = measures.worst_case_leakage(joint) <= math.log2(joint.n_s / k)
            holds &= anonymous == b0 == l0
            tried += 1
    return matches(f"the three agree for {tried} pairs of a support and a k ({len(every)} supports)", holds)


@PAPER.claim(
    "footnote 5",
    "k records with one value of s are open to the homogeneity attack, k distinct values are not: stricter",
)
def homogeneity(study: Study) -> Outcome:
    alike = Joint.from_pairs([("s1", "x1")] * 5 + [(f"s{i}", "x2") for i in range(1, 6)])
    every = weighted(study)
    return matches(
        f"five equal records: record anonymity {measures.record_anonymity(alike):g}, distinct anonymity "
        f"{measures.distinct_anonymity(alike):g}; distinct ≤ records on {len(every)} tables",
        measures.record_anonymity(alike) == 5 and measures.distinct_anonymity(alike) == 1,
        all(measures.distinct_anonymity(j) <= measures.record_anonymity(j) for j in every),
    )


@PAPER.claim(
    "III-C",
    "the less the range of X changes from [[X|s]] to [[X|s']], the less X tells s and s' apart, as [14] measures it",
)
def change_of_range(study: Study) -> Outcome:
    every, holds = supports(study), True
    broken = 0
    for joint in every:
        pairs = list(itertools.combinations(ranges_of(joint.transpose()).values(), 2))
        for a, b in pairs:
            never, always = a == b, not a & b
            # As large as two ranges of these sizes allow (footnote 6) is where the ranges are disjoint.
            holds &= (len(a ^ b) == 0) == never and (len(a ^ b) == len(a) + len(b)) == always
        apart = [len(a ^ b) for a, b in pairs if not a & b]
        broken += any(len(a ^ b) > least for least in apart for a, b in pairs if a & b)
    return matches(
        f"on all {len(every)} supports no change is where X never tells the two apart, the largest change that ranges of "
        f"their sizes allow where it always does (ranges of other sizes are not comparable: on {broken} supports a pair that "
        "is always told apart changes less than one that is not)",
        holds,
        broken > 0,
    )


@PAPER.claim(
    "III-C, footnote 6", "I* > 0 iff there are two groups of s whose ranges of X share nothing, so X tells them apart"
)
def discrimination(study: Study) -> Outcome:
    every, holds = supports(study), True
    for joint in every:
        groups = [s for s, _ in measures.overlap_partition(joint)]
        seen = ranges_of(joint.transpose())
        holds &= (measures.maximin_information(joint) > 0) == (len(groups) > 1)
        for one, other in itertools.combinations(groups, 2):
            pairs = [(seen[a], seen[b]) for a in one for b in other]
            # Disjoint ranges are where the change of range is as large as two ranges of these sizes allow.
            holds &= all(len(a ^ b) == len(a) + len(b) for a, b in pairs)
    return matches(
        f"every pair across two groups has disjoint ranges of X, on all {len(every)} supports (the groups are elements of "
        "P*, where the text has ⊊ for ∈)",
        holds,
    )


@PAPER.claim("III-C", "I*(S;X) is the most bits of S that X conveys without any error")
def error_free(study: Study) -> Outcome:
    every, holds = supports(study), True
    for joint in every:
        seen = ranges_of(joint).values()
        # f(S) is known from X iff f is constant on every [[S|x]]; f is a partition of [[S]].
        known = [p for p in partitions(joint.s) if all(any(r <= set(block) for block in p) for r in seen)]
        holds &= close(max(math.log2(len(p)) for p in known), measures.maximin_information(joint))
    fewer = Joint.from_pairs([(1, "x1"), (2, "x1"), (2, "x2"), (3, "x2")])
    ends = ranges_of(fewer.transpose())
    return matches(
        f"the finest f(S) that is a function of X has 2^I* values on all {len(every)} supports (a sender who may leave out "
        "some s conveys more: 1 bit by s1 and s3 of x1:{s1,s2} x2:{s2,s3}, where I* = 0)",
        holds,
        measures.maximin_information(fewer) == 0 and not ends[1] & ends[3],
    )


@PAPER.claim("Proposition 1", "I*(S;X) ≤ L0(S→X)")
def proposition_1(study: Study) -> Outcome:
    every = (*supports(study), *weighted(study))
    slack = [measures.worst_case_leakage(j) - measures.maximin_information(j) for j in every]
    return matches(
        f"holds on {len(every)} joints, with equality on {sum(s < 1e-12 for s in slack)}", min(slack) >= -1e-12
    )


@PAPER.claim("III-C, V-C", "L0 can be above 0 where I* = 0")
def strictness(study: Study) -> Outcome:
    def is_example(joint: Joint) -> bool:
        return measures.maximin_information(joint) == 0 < measures.worst_case_leakage(joint)

    joint = first(supports(study), is_example)
    return matches(
        f"{shown(joint)}: I* = 0, L0 = {measures.worst_case_leakage(joint):g} bit; smallest of all up to 3 s and 4 x",
        is_example(joint),
    )
