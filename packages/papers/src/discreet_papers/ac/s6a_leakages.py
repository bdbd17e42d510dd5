"""[AC, VI-A]: how L0 relates to stochastic leakages and to local differential privacy."""

from __future__ import annotations

import math

import numpy as np

from discreet import Joint, measures
from discreet_papers.ac.shared import PAPER, TOLERANCE, close, first, seen_once, shown, weighted
from discreet_papers.claims import Outcome, Study, matches, misprint


def conditional_entropies(joint: Joint) -> list[float]:
    """H(S|x) for every x."""
    columns = joint.pmf.toarray().T
    return [-math.fsum(p * math.log2(p) for p in column / column.sum() if p > 0) for column in columns]


@PAPER.claim("VI", "the worst case of the average loss H(S) − H(S|X̂) is H(S) − max H(S|x̂)")
def worst_entropy(study: Study) -> Outcome:
    every, least, most = weighted(study), 0, 0
    for joint in every:
        left, average = conditional_entropies(joint), measures.mutual_information(joint)
        least += measures.entropy(joint) - max(left) >= average - TOLERANCE
        most += measures.entropy(joint) - min(left) >= average - TOLERANCE
    return misprint(
        f"that is the best case: a worst case is no less than the average I(S;X̂), and of {len(every)} pmfs the printed "
        f"one is so on {least}, H(S) − min H(S|x̂) on {most}",
        printed=least == len(every),
        corrected=most == len(every),
    )


@PAPER.claim("VI-A", "D_α(p(s|x̂)‖p(s)) = 1/(α−1) log Σ_x̂ p(s|x̂)^α / p(s)^(α−1)")
def divergence(_: Study) -> Outcome:
    joint = Joint.from_array(np.ones((2, 3), dtype=np.int64))  # S and X̂ independent: a divergence must be 0
    over_x = math.log2(sum(0.5**2 / 0.5 for _ in joint.x))
    over_s = math.log2(sum(0.5**2 / 0.5 for _ in joint.s))
    return misprint(
        f"with two s and three x̂, uniform and independent, that is {over_x:.4f} at α = 2 and must be 0; the sum is over s",
        printed=close(over_x, 0),
        corrected=close(over_s, 0) and close(measures.renyi_leakage(joint, order=2), over_s),
    )


def uniform_s(study: Study) -> list[Joint]:
    """Pmfs with a uniform S, on the supports of `weighted`."""
    found = []
    for joint in weighted(study):
        pmf = joint.pmf.toarray()
        found.append(Joint.from_array(pmf / pmf.sum(axis=1, keepdims=True) / joint.n_s))
    return found


@PAPER.claim("(10)", "with a uniform S the largest D_0(p(s|x̂)‖p(s)) is L0(S→X̂)")
def order_0(study: Study) -> Outcome:
    every = uniform_s(study)
    same = all(close(measures.renyi_leakage(j, order=0), measures.worst_case_leakage(j)) for j in every)
    differ = sum(not close(measures.renyi_leakage(j, order=0), measures.worst_case_leakage(j)) for j in weighted(study))
    return matches(f"on {len(every)} pmfs; where S is not uniform it fails on {differ} of them", same, differ > 0)


@PAPER.claim("VI-A", "for α → ∞ it is max log p(s|x̂)/p(s) = D_∞(p(s,x̂)‖p(s)p(x̂)), the realisable leakage")
def order_infinity(study: Study) -> Outcome:
    every, holds = weighted(study), True
    for joint in every:
        pmf = joint.pmf.toarray()
        product = np.outer(pmf.sum(axis=1), pmf.sum(axis=0))
        direct = math.log2(float((pmf / product).max()))
        limit = measures.realisable_leakage(joint)
        holds &= close(limit, direct) and abs(measures.renyi_leakage(joint, order=2000.0) - limit) < 0.01
    return matches(f"on {len(every)} pmfs, and D_2000 is within 0.01 bits", holds)


def largest_log_lift(joint: Joint) -> float:
    """ε of (11): the largest |log p(s|x̂)/p(s)| over the pairs that occur."""
    pmf = joint.pmf.toarray()
    seen = pmf > 0
    lift = pmf[seen] / np.outer(pmf.sum(axis=1), pmf.sum(axis=0))[seen]
    return float(np.abs(np.log2(lift)).max())


def largest_log_ratio(joint: Joint) -> float:
    """The same over all of [[S]] × [[X̂]]: infinite where a pair does not occur."""
    return largest_log_lift(joint) if bool((joint.pmf.toarray() > 0).all()) else math.inf


@PAPER.claim("(11)", "if ε is the largest |log p(s|x̂)/p(s)| over the joint range [[S,X̂]], the release is 2ε-LDP")
def local_privacy(study: Study) -> Outcome:
    rng = np.random.default_rng(4)
    full = [Joint.from_array(rng.integers(1, 50, rng.integers(2, 6, 2))) for _ in range(200)]
    every = [*full, *weighted(study)]
    found = first(
        seen_once(study), lambda joint: measures.local_dp_epsilon(joint) > 2 * largest_log_lift(joint) + TOLERANCE
    )
    epsilon = measures.local_dp_epsilon(found)
    return misprint(
        f"{shown(found)}, each pair once: ε = {largest_log_lift(found):g} over the pairs that occur, and yet p(x̂|s) = 0 "
        f"for some s, so the LDP is {epsilon:g}. Read the maximum over all s and x̂, infinite where a pair does not occur: "
        f"it holds on {len(every)} pmfs, {len(full)} of them without a zero",
        printed=epsilon <= 2 * largest_log_lift(found) + TOLERANCE,
        corrected=all(measures.local_dp_epsilon(j) <= 2 * largest_log_ratio(j) + TOLERANCE for j in every),
    )


@PAPER.claim("VI-A", "stochastic maximal leakage is Sibson's I_∞, and at most the realisable leakage")
def maximal_leakage(study: Study) -> Outcome:
    every, holds = weighted(study), True
    for joint in every:
        pmf = joint.pmf.toarray()
        channel = pmf / pmf.sum(axis=1, keepdims=True)
        leak = measures.maximal_leakage(joint)
        holds &= close(leak, math.log2(float(channel.max(axis=0).sum())))
        holds &= close(leak, measures.sibson_information(joint, order=math.inf))
        holds &= leak <= measures.realisable_leakage(joint) + TOLERANCE
    return matches(f"on {len(every)} pmfs", holds)


@PAPER.claim("VI-A", "maximal α-leakage is maximal leakage for α → ∞ and I(S;X̂) at α = 1")
def alpha_leakage(study: Study) -> Outcome:
    every = weighted(study)[-12:]
    at = measures.maximal_alpha_leakage
    limits = [abs(at(j, order=500.0) - measures.maximal_leakage(j)) for j in every]
    ones = all(close(at(j, order=1), measures.mutual_information(j)) for j in every)
    above = max(at(j, order=1.0001) - measures.mutual_information(j) for j in every)
    return matches(
        f"order 500 is within {max(limits):.3f} bits on {len(every)} pmfs, and order 1 is I by definition: for α ↓ 1 it "
        f"tends to the capacity, up to {above:.3f} bits above I",
        max(limits) < 0.03,
        ones,
        above > 0.01,
    )


@PAPER.claim("VI-A", "I(S;X̂) is the f-information for f(t) = t log t")
def f_information(study: Study) -> Outcome:
    every, holds = weighted(study), True
    for joint in every:
        pmf = joint.pmf.toarray()
        product = np.outer(pmf.sum(axis=1), pmf.sum(axis=0))
        t = np.where(pmf > 0, pmf / product, 1.0)
        holds &= close(
            float((product * np.where(pmf > 0, t * np.log2(t), 0.0)).sum()), measures.mutual_information(joint)
        )
    return matches(
        f"on {len(every)} pmfs ([41], which the text names beside it for the same information, has it as the utility)",
        holds,
    )
