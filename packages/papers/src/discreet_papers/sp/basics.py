"""Sections I and II: what perfect sample privacy is, when something can be disclosed, and a simple bound."""

from __future__ import annotations

import math

import numpy as np

from discreet.sample_privacy import analyse, disclose
from discreet_papers.arrays import entropy, information
from discreet_papers.claims import Outcome, Study, matches, misprint
from discreet_papers.sp.families import (
    Case,
    cases,
    every_support,
    function_latent,
    matrix,
    product,
    random_cases,
    random_latent,
    random_pmf,
    told,
    worst_leak,
)
from discreet_papers.sp.paper import EXACT, PAPER, Floats


@PAPER.claim("I-B", "Y = X1 ⊕ X2 of two fair coins is independent of each coin, and I(X1,X2;Y) > 0")
def _exclusive_or(study: Study) -> Outcome:
    p, channel = product((0.5, 0.5), (0.5, 0.5)), function_latent((2, 2), 2, lambda a, b: a ^ b)
    leaked, said = worst_leak(p, channel), told(p, channel)
    return matches(f"I(X_i;Y) = {leaked:.0f}, I(X1,X2;Y) = {said:.0f} bit", leaked == 0, said > 0)


@PAPER.claim("I-B, footnote 1", "an ε-differentially private mapping has I(Y; X_i | the other samples) ≤ ε for every i")
def _differential(study: Study) -> Outcome:
    rng = np.random.default_rng(11)
    closest = 0.0
    for _ in range(200):
        p, channel = random_pmf(rng, (2, 2, 2)), random_latent(rng, (2, 2, 2), 3)
        logs = np.log2(channel)
        epsilon = max(float(np.abs(np.diff(logs, axis=i)).max()) for i in range(3))
        for i in range(3):
            rest = tuple(j for j in range(3) if j != i)
            joint = np.moveaxis(p[..., None] * channel, (*rest, i), (0, 1, 2)).reshape(4, 2, 3)
            given = sum(float(part.sum()) * information(part / part.sum()) for part in joint)
            closest = max(closest, given / epsilon)
    return matches(f"on 200 random mappings of three bits the largest ratio to ε is {closest:.3f}", closest <= 1)


@PAPER.claim(
    "I-B, citing [12]", "for any ε some ε-differentially private mappings leak an unbounded amount of information"
)
def _unbounded(study: Study) -> Outcome:
    """The count of n exchangeable bits, uniform on 0..n, with geometric noise that is cut off at 0 and n."""
    epsilon, leaked = 0.5, []
    for n in (10, 100, 1000):
        distance = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
        channel = np.exp(-epsilon * distance)
        channel[:, 1:-1] *= 1 - math.exp(-epsilon)  # the ends gather the tails
        channel /= 1 + math.exp(-epsilon)
        kept = float(np.abs(np.diff(np.log(channel), axis=0)).max()) <= epsilon + EXACT
        leaked.append(information(channel / (n + 1)) if kept and np.allclose(channel.sum(axis=1), 1) else math.nan)
    grown = np.diff(leaked)
    return matches(
        f"a count with geometric noise, ε = {epsilon}: {leaked[0]:.2f}, {leaked[1]:.2f}, {leaked[2]:.2f} bits for n = "
        "10, 100, 1000, which grows like log2 n",
        bool(grown[0] > 2),
        bool(abs(grown[1] - math.log2(10)) < 0.1),
    )


@PAPER.claim("II-A", "data processing: a Y independent of all of Xⁿ tells nothing about W; some private Y do")
def _whole(study: Study) -> Outcome:
    rng, worst = np.random.default_rng(22), 0.0
    for case in study.once(random_cases):
        alone = np.broadcast_to(rng.dirichlet(np.ones(3)), (*case.p.shape, 3))
        worst = max(
            worst, told(case.p, alone, case.latent if case.latent is not None else random_latent(rng, case.p.shape, 2))
        )
    some = sum(case.found.information > 0.01 for case in study.once(random_cases))
    return matches(
        f"I(W;Y) ≤ {worst:.0e} for 80 such Y; the best private Y tell more than 0.01 bits in {some} of 80",
        worst < EXACT,
        some > 0,
    )


@PAPER.claim("Definition 2", "W can be disclosed if some private Y made from Xⁿ depends on W, that is if I_s > 0")
def _feasible(study: Study) -> Outcome:
    p = product((0.5, 0.5), (0.5, 0.5))
    first, both = (function_latent((2, 2), 2, of) for of in (lambda a, b: a, lambda a, b: a ^ b))
    shown = [disclose(p, latent).information for latent in (both, first)]
    return matches(
        f"of two fair coins W = X1 ⊕ X2 can be (I_s = {shown[0]:.0f} bit) and W = X1 cannot (I_s = {shown[1]:.0f}). In our "
        "text condition 3 reads Y ⊥ W: the stroke through ⊥ is lost there, as are the dashes of condition 1",
        analyse(p, both).feasible and shown[0] > 1 - EXACT,
        not analyse(p, first).feasible and shown[1] < EXACT,
    )


@PAPER.claim("(3)", "for n bits P is 2n × 2ⁿ, built by P_{k+1} = [1…1 0…0; 0…0 1…1; P_k P_k] from the 2 × 2 identity")
def _recursion(study: Study) -> Outcome:
    built, same = np.eye(2), True
    for n in range(2, 9):
        ones, zeros = np.ones((1, 2 ** (n - 1))), np.zeros((1, 2 ** (n - 1)))
        built = np.block([[ones, zeros], [zeros, ones], [built, built]])
        direct = matrix(np.full((2,) * n, 2.0**-n))
        same &= built.shape == (2 * n, 2**n) and np.array_equal(built, direct)
    return matches("equal to the indicators of the samples for n = 2 to 8", bool(same))


@PAPER.claim("Remark 1", "P is the incidence matrix of an n-uniform n-partite hypergraph")
def _hypergraph(study: Study) -> Outcome:
    right = True
    for case in study.once(every_support)[::2]:
        values = [int((case.p.sum(axis=tuple(set(range(case.p.ndim)) - {i})) > 0).sum()) for i in range(case.p.ndim)]
        parts = np.split(matrix(case.p), np.cumsum(values)[:-1])
        right &= all(bool((part.sum(axis=0) == 1).all()) for part in parts)
    return matches("one 1 for every sample in each column, on all 333 supports in 2×2, 2×3 and 2×2×2", right)


@PAPER.claim("Lemma 1", "Y is independent of every X_i if and only if p − p(·|y) is in Null(P) for every y")
def _null_space(study: Study) -> Outcome:
    rng, agree = np.random.default_rng(12), 0
    tried = [case for case in cases(study) if case.nullity > 0]
    for case in tried:
        for channel in (case.found.channel, random_latent(rng, case.p.shape, 3)):
            joint = (case.p[..., None] * channel).reshape(case.p.size, -1)[case.p.ravel() > 0]
            moved = np.abs(matrix(case.p) @ (joint / joint.sum(axis=0) - joint.sum(axis=1)[:, None])).max()
            agree += bool(moved < 1e-7) == bool(worst_leak(case.p, channel) < 1e-13)
    return matches(f"on {agree} of {2 * len(tried)} mappings, optimal and random ones", agree == 2 * len(tried))


@PAPER.claim("Proposition 1", "W can be disclosed if and only if Null(P) does not lie in Null(P_{W|Xⁿ})")
def _feasibility(study: Study) -> Outcome:
    agree, positive, every = 0, 0, cases(study)
    for case in every:
        rows = matrix(case.p)
        latent = case.problem.latent_weights
        about = np.eye(case.support) if latent is None else latent.T
        beyond = int(np.linalg.matrix_rank(np.vstack([rows, about]))) > case.rank
        agree += beyond == (case.found.information > EXACT)
        positive += beyond
    return matches(
        f"on {agree} of {len(every)} problems (I_s > 0 in {positive}): all supports and binary functions on 2×2, 2×3, "
        "2×2×2, and 80 random ones",
        agree == len(every),
        0 < positive < len(every),
    )


@PAPER.claim(
    "Proposition 1, proof", "the all-one row of the support is the all-one row of the G values times P: 1ᵀ = 1_Gᵀ P"
)
def _all_ones(study: Study) -> Outcome:
    sums = [(matrix(case.p).sum(axis=0), case.p.ndim) for case in study.once(every_support)[::2]]
    return misprint(
        "a factor n is missing: each column of P has a 1 for every sample, so 1_Gᵀ P = n·1ᵀ (all 333 supports). The "
        "proof needs no more than 1ᵀv = 0, which holds all the same",
        printed=all(bool((total == 1).all()) for total, _ in sums),
        corrected=all(bool((total == n).all()) for total, n in sums),
    )


def _excess(case: Case) -> tuple[float, float]:
    """I_s less the bound (4) in its two forms."""
    p, latent = case.p, case.latent
    if latent is None:
        single = [p.sum(axis=tuple(set(range(p.ndim)) - {j})) for j in range(p.ndim)]
        forms = (float(entropy(p) - max(entropy(each) for each in single)),) * 2
    else:
        joint = p[..., None] * latent
        whole = information(joint.reshape(p.size, -1))
        ways = []
        for j in range(p.ndim):
            others = np.moveaxis(joint, j, 0).reshape(p.shape[j], -1, latent.shape[-1])
            given = sum(float(part.sum()) * information(part / part.sum()) for part in others if part.sum() > 0)
            alone = information(others.sum(axis=1))
            ways.append((given, whole - alone))
        forms = (min(way[0] for way in ways), min(way[1] for way in ways))
    return case.found.information - forms[0], abs(forms[0] - forms[1])


@PAPER.claim("Proposition 2", "I_s ≤ min_j I(W; the others | X_j)")
def _bound(study: Study) -> Outcome:
    worst = max(_excess(case)[0] for case in cases(study))
    return matches(f"I_s exceeds it by at most {worst:.0e} bits on {len(cases(study))} problems", worst < EXACT)


@PAPER.claim(
    "Remark 2, (8)", "the bound is I(W;Xⁿ) − I(W;X_j): what is withheld is at least what the strongest sample says"
)
def _withheld(study: Study) -> Outcome:
    tried = [case for case in cases(study) if case.latent is not None]
    above, apart = (max(_excess(case)[form] for case in tried) for form in range(2))
    return matches(
        f"the two forms differ by at most {apart:.0e} bits on {len(tried)} problems, and I_s exceeds neither",
        apart < EXACT,
        above < EXACT,
    )


@PAPER.claim(
    "Example 1", "X1, X2 uniform on M and kM values, W = X1 + X2 mod M: W is independent of each and I_s = H(W)"
)
def _tight(study: Study) -> Outcome:
    worst, tried = 0.0, 0
    for m in range(2, 7):
        for k in range(1, 5):
            p: Floats = np.full((m, k * m), 1 / (k * m * m))
            w = function_latent(p.shape, m, lambda a, b, m=m: (a + b) % m)
            gap = analyse(p, w).upper_bound - told(p, w, w)
            worst = max(worst, worst_leak(p, w), abs(gap), abs(told(p, w, w) - float(entropy(np.full(m, 1 / m)))))
            tried += 1
    return matches(
        f"Y = X1 + X2 mod M attains (4), log2 M bits, within {worst:.0e} for {tried} pairs M ≤ 6, k ≤ 4", worst < EXACT
    )
