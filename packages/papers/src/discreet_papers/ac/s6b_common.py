"""[AC, VI-B]: I*, Gács-Körner common information, and perfect privacy."""

from __future__ import annotations

import itertools
import math

import numpy as np

from discreet import Joint, measures
from discreet_papers.ac.s5c_connected import result
from discreet_papers.ac.shared import (
    PAPER,
    TOLERANCE,
    close,
    example,
    first,
    partitions,
    resolution,
    seen_once,
    shown,
    supports,
    weighted,
    written,
)
from discreet_papers.claims import Outcome, Study, matches, not_checkable

# I is least for {12}{3}, which still tells two groups of s apart for certain.
TELLING = ((0, 0, 1), (0, 3, 0), (3, 1, 0))


@PAPER.claim("VI-B", "K is the entropy of the overlap group, and I* the largest K over all pmfs on the range")
def common_information(study: Study) -> Outcome:
    every, holds = weighted(study), True
    star = measures.maximin_information
    for joint in every:
        groups = measures.overlap_partition(joint)
        weight = dict(zip(joint.s, joint.s_weight / float(joint.total), strict=True))
        masses = [math.fsum(weight[s] for s in group) for group, _ in groups]
        k = measures.gacs_korner_information(joint)
        holds &= close(k, -math.fsum(p * math.log2(p) for p in masses)) and k <= star(joint) + TOLERANCE
        even = _even(joint)
        holds &= close(measures.gacs_korner_information(even), star(joint)) and close(star(even), star(joint))
    return matches(f"K ≤ I* on {len(every)} pmfs, with equality once all groups have the same mass", holds)


def _even(joint: Joint) -> Joint:
    """The same range with the same mass for every component."""
    number, of_s, _ = joint.components
    support = joint.support.toarray().astype(np.float64)
    mass = np.bincount(of_s, weights=support.sum(axis=1), minlength=number)
    return Joint.from_array(support / mass[of_s][:, None] / number)


@PAPER.claim("VI-B", "the sample complexity of learning K applies to I*")
def sample_complexity(_: Study) -> Outcome:
    return not_checkable("a proposition of [43], of which the paper states neither the quantity nor the bound")


@PAPER.claim("VI-B, Appendix A", "K(S;X̂) ≤ I(S;X̂)")
def k_below_i(study: Study) -> Outcome:
    every = weighted(study)
    slack = [measures.mutual_information(j) - measures.gacs_korner_information(j) for j in every]
    return matches(
        f"on {len(every)} pmfs, with equality on {sum(s < TOLERANCE for s in slack)}", min(slack) > -TOLERANCE
    )


@PAPER.claim("VI-B", "minimising I(S;X̂) need not give K = 0")
def least_information(_: Study) -> Outcome:
    joint = Joint.from_array(np.array(TELLING))
    allowed = [p for p in partitions(joint.x) if resolution(p) >= math.log2(3 / 2) - TOLERANCE]
    best = min(allowed, key=lambda p: measures.mutual_information(joint.coarsen(p)))
    others = [p for p in allowed if close(measures.gacs_korner_information(joint.coarsen(p)), 0)]
    k = measures.gacs_korner_information(joint.coarsen(best))
    return matches(
        f"counts {'/'.join(''.join(map(str, row)) for row in TELLING)}, blocks of at most two: I is least for "
        f"{written(best)}, with K = {k:.4f}, while {written(others[0])} has K = 0",
        k > 0.1 and len(others) > 0,
        all(
            measures.mutual_information(joint.coarsen(p)) > measures.mutual_information(joint.coarsen(best))
            for p in others
        ),
    )


@PAPER.claim(
    "Abstract, I, VI-B, footnote 16", "K and I* indicate whether DP is attainable: where I*(S;X̂) > 0, local DP is not"
)
def no_privacy(study: Study) -> Outcome:
    def is_silent(joint: Joint) -> bool:
        return measures.gacs_korner_information(joint) == 0 and math.isinf(measures.local_dp_epsilon(joint))

    apart = [joint for joint in weighted(study) if measures.maximin_information(joint) > 0]
    found = first(seen_once(study), is_silent)
    return matches(
        f"ε is infinite on all {len(apart)} pmfs with I* > 0. Not the other way round, as footnote 16 may be read: "
        f"{shown(found)} has K = I* = 0, and x1 rules s2 out, so ε = {measures.local_dp_epsilon(found):g}",
        all(math.isinf(measures.local_dp_epsilon(j)) and measures.gacs_korner_information(j) > 0 for j in apart),
        is_silent(found) and measures.maximin_information(found) == 0,
    )


@PAPER.claim("VI-B", "perfect privacy, S independent of X̂, gives I = K = 0; K = 0 alone does not give it")
def perfect(study: Study) -> Outcome:
    rng = np.random.default_rng(2)
    products = [Joint.from_array(np.outer(rng.integers(1, 6, 4), rng.integers(1, 6, 5))) for _ in range(50)]
    zero = all(
        close(m(j), 0) for j in products for m in (measures.mutual_information, measures.gacs_korner_information)
    )
    alone = [
        j for j in weighted(study) if measures.gacs_korner_information(j) == 0 and measures.mutual_information(j) > 0.01
    ]
    return matches(f"both 0 on 50 products; {len(alone)} pmfs have K = 0 and I > 0", zero, len(alone) > 0)


@PAPER.claim("VI-B", "K(S;X) bounds the utility of a release with perfect privacy from above")
def bounded_utility(_: Study) -> Outcome:
    private, apart, beyond, holds = 0, 0, 0, True
    shares = [each for n in (2, 3) for each in itertools.product((1, 2), repeat=n)]
    for share, groups in itertools.product(shares, (1, 2)):
        # Groups of s that X tells apart, each with the same shares of its x, so that independent coarsenings exist.
        joint = Joint.from_array(np.kron(np.eye(groups, dtype=np.int64), np.array([share, share])))
        k, h = measures.gacs_korner_information(joint), measures.entropy(joint.transpose())
        for partition in partitions(joint.x):
            coarse = joint.coarsen(partition)
            if 1 < len(partition) < 4 and close(measures.mutual_information(coarse), 0):
                utility = measures.entropy(coarse.transpose())  # I(X;X̂) of a function of X
                private, apart, beyond = private + 1, apart + (k > 0), beyond + (utility > k + TOLERANCE)
                holds &= utility <= h - k + TOLERANCE
    return matches(
        f"as I(X;X̂) ≤ H(X) − K, on {private} such releases, {apart} with K > 0 (K itself is no bound: {beyond} exceed it)",
        holds,
        apart > 0,
        beyond > 0,
    )


@PAPER.claim("VI-B", "non-stochastic independence is I0 = L0 = 0 and gives I* = 0; I* = 0 does not give independence")
def independence(study: Study) -> Outcome:
    every, holds = supports(study), True
    for joint in every:
        full = joint.counts.nnz == joint.n_s * joint.n_x
        zero = measures.worst_case_leakage(joint) == 0
        holds &= full == zero and (
            not zero or measures.zero_information(joint) == measures.maximin_information(joint) == 0
        )
    alone = sum(measures.maximin_information(j) == 0 < measures.worst_case_leakage(j) for j in every)
    return matches(f"on all {len(every)} supports; {alone} have I* = 0 without independence", holds, alone > 0)


@PAPER.claim("VI-B", "the solution of (7) need not be perfectly private")
def not_perfect(study: Study) -> Outcome:
    joint = example(study)
    coarse = joint.coarsen(result(joint))
    leak = measures.worst_case_leakage(coarse)
    return matches(f"Example 5 has I* = 0 and L0 = {leak:.4f}", measures.maximin_information(coarse) == 0 < leak)
