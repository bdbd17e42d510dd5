"""Section III-A: the optimal mapping as a linear program over extreme points, and how many letters it needs."""

from __future__ import annotations

import itertools
import math

import numpy as np

from discreet.sample_privacy import disclose, exhaustive_vertices
from discreet_papers.arrays import entropy
from discreet_papers.claims import Outcome, Study, matches, refuted
from discreet_papers.sp.families import (
    Case,
    cases,
    coins,
    every_support,
    function_latent,
    lightest,
    matrix,
    random_cases,
    told,
    worst_leak,
)
from discreet_papers.sp.paper import EXACT, PAPER, Floats


def _open(study: Study) -> list[Case]:
    """The problems with nul(P) > 0, which the section is about."""
    return [case for case in cases(study) if case.nullity > 0]


@PAPER.claim(
    "(10)–(13)",
    "the first rank(P) right singular vectors A have Null(A) = Null(P), and S = {t ≥ 0 : At = Ap} holds pmfs",
)
def _singular(study: Study) -> Outcome:
    worst = 0.0
    tried = study.once(every_support)[::2]
    for case in tried:
        rows = matrix(case.p)
        a = np.linalg.svd(rows)[2][: case.rank]
        inside = np.abs(rows - rows @ a.T @ a).max()  # each row of P is a mixture of those of A, and the ranks agree
        total = np.abs(1 - a.T @ a.sum(axis=1)).max()  # and so is the row of ones: At = Ap fixes the sum of t
        worst = max(worst, float(inside), float(total))
    return matches(f"to {worst:.0e} on all {len(tried)} supports in 2×2, 2×3 and 2×2×2", worst < EXACT)


@PAPER.claim("Proposition 3", "I_s is attained, by a Y with at most nul(P) + 1 letters")
def _letters(study: Study) -> Outcome:
    every = cases(study)
    kept = sum(case.found.proven and case.found.size <= case.nullity + 1 for case in every)
    full = sum(case.found.size == case.nullity + 1 for case in every)
    return matches(
        f"on {kept} of {len(every)} problems, {full} of which use all nul(P) + 1; the proof is in Appendix A, not in "
        "B as printed",
        kept == len(every),
    )


@PAPER.claim(
    "Theorem 1, (17)",
    "I_s = H(W) − min Σ u_k H(P_{W|X} p_k) over mixtures of the extreme points p_k that give p: a linear program",
)
def _program(study: Study) -> Outcome:
    worst, tried = 0.0, [case for case in study.once(random_cases) if case.p.size <= 9]
    for case in tried:
        all_of_them = exhaustive_vertices(case.problem.program).vertices.dense(case.support)
        least, _ = lightest(all_of_them, case.problem.program.uncertainty(all_of_them), case.problem.weights)
        by_branching = disclose(case.p, case.latent, engine="branching", tolerance=1e-8)
        value = case.problem.program.latent_entropy - least
        worst = max(worst, abs(value - by_branching.information), value - by_branching.upper_bound)
    return matches(
        f"every basis and the program agree with column generation proven by branch and bound to {worst:.0e} bits on "
        f"{len(tried)} random problems",
        worst < 1e-7,
    )


@PAPER.claim(
    "(17)", "all weights u ≥ 0 that mix the extreme points to p sum to one, so the program need not ask for it"
)
def _weights(study: Study) -> Outcome:
    worst = 0.0
    for case in study.once(random_cases):
        ones = np.ones(len(case.vertices))
        sums = [sign * lightest(case.vertices, sign * ones, case.problem.weights)[0] for sign in (1, -1)]
        worst = max(worst, *(abs(total - 1) for total in sums))
    return matches(f"the least and the largest Σ u are 1 to {worst:.0e} on 80 random problems", worst < EXACT)


@PAPER.claim(
    "Lemma 2",
    "posteriors inside S gain nothing: some mixture of extreme points with the same mean has no larger H(W|Y)",
)
def _extreme(study: Study) -> Outcome:
    rng, worst, tried = np.random.default_rng(21), -math.inf, 0
    for case in study.once(random_cases):
        for weights in rng.dirichlet(np.ones(len(case.vertices)), 3):
            point = weights @ case.vertices
            least, _ = lightest(case.vertices, case.costs, point)
            worst = max(worst, least - float(case.problem.program.uncertainty(point[None])[0]))
            tried += 1
    return matches(f"on {tried} random points of S it falls by {-worst:.3f} bits or more", worst <= EXACT)


@PAPER.claim("Lemma 2, proof", "any point of S is a convex combination of at most |X̂| extreme points of S")
def _many(study: Study) -> Outcome:
    tried = [case for case in _open(study) if case.latent is None]
    used = [int((lightest(case.vertices, case.costs, case.problem.weights)[1] > 1e-12).sum()) for case in tried]
    enough = all(count <= case.nullity + 1 <= case.support for count, case in zip(used, tried, strict=True))
    fewer = sum(len(case.vertices) < case.support for case in tried)
    return matches(
        f"p is a mixture of at most nul(P) + 1 on {len(tried)} supports. S may have fewer than |X̂| of them ({fewer} "
        "supports; two coins: 2, |X̂| = 4): the sums in (16) then stop earlier",
        enough,
        len(Case(coins(2, 0.3), None).vertices) == 2,
    )


@PAPER.claim("III-A", "S has at most C(|X̂|, rank(P)) extreme points, with at most rank(P) non-zero entries each")
def _count(study: Study) -> Outcome:
    bits = [Case(coins(n, 0.3), None) for n in (2, 3, 4, 5)]
    tried = [*bits, *(case for case in cases(study) if case.latent is None)]
    few = all(len(case.vertices) <= math.comb(case.support, case.rank) for case in tried)
    thin = all(int((case.vertices > 0).sum(axis=1).max()) <= case.rank for case in tried)
    numbers = ", ".join(f"{len(case.vertices):,}" for case in bits)
    most = ", ".join(f"{math.comb(case.support, case.rank):,}" for case in bits)
    return matches(
        f"on {len(tried)} supports; 2 to 5 iid Bernoulli(0.3) samples have {numbers} of at most {most}", few, thin
    )


@PAPER.claim("Corollary 1.1", "for any W an optimal Y needs at least ⌈|X̂| / rank(P)⌉ letters")
def _fewest(study: Study) -> Outcome:
    four, parity = coins(4, 0.5), function_latent((2,) * 4, 2, lambda *x: sum(x) % 2)
    # A non-constant Y breaks the claim only where three letters or more are claimed: |X̂| > 2 rank(P). At most 2^(r−1)
    # columns of 0 and 1, all with the same sum over a sample, span rank r: this needs rank ≥ 5 and |X̂| ≥ 11.
    eleven = np.empty((2, 2, 3))
    eleven[..., :2] = np.array([[1 / 8, 1 / 4], [1 / 4, 3 / 8]])[..., None] / 3
    eleven[..., 2] = np.array([[1 / 2, 1 / 4], [1 / 4, 0]]) / 3
    equal = function_latent((2, 2, 3), 2, lambda a, b, c: a ^ b)
    least_rank = next(r for r in itertools.count(1) if 2 ** (r - 1) > 2 * r)
    case, largest = Case(eleven, equal), Case(four, parity)
    claimed = [-(-each.support // each.rank) for each in (largest, case)]
    # W itself is private, so Y = W attains H(W) = 1 bit, and no Y tells more.
    attained = all(worst_leak(p, w) < 1e-15 and told(p, w, w) > 1 - EXACT for p, w in ((four, parity), (eleven, equal)))
    own = [c for c in _open(study) if c.latent is None]
    held = sum(c.found.size >= -(-c.support // c.rank) for c in own)
    return refuted(
        f"W = Y = the parity of 4 fair bits is private and optimal with 2 letters, {claimed[0]} claimed; smallest with I_s "
        f"> 0: W = X1 ⊕ X2 on {case.support} points of 2×2×3, 2 letters for {claimed[1]}. The proof counts extreme points, "
        f"but an optimal Y may use others; for W = Xⁿ, where it may not, the claim holds ({held} problems)",
        counterexample=(case.support, case.rank) == (2 * least_rank + 1, least_rank)
        and claimed == [4, 3]
        and attained
        and held == len(own),
    )


@PAPER.claim("Corollary 1.2", "min H(Xⁿ|Y) ≤ log rank(P) ≤ log min{Σ|X_i| − n + 1, |X̂|}")
def _rest(study: Study) -> Outcome:
    tried = [case for case in cases(study) if case.latent is None]
    closest, ranked = math.inf, True
    for case in tried:
        left = float(entropy(case.p)) - case.found.information
        closest = min(closest, math.log2(case.rank) - left)
        values = len(matrix(case.p))
        ranked &= case.rank <= min(values - case.p.ndim + 1, case.support)
    return matches(f"both hold on {len(tried)} problems", closest > -EXACT, ranked)


def _feasible_bases(case: Case) -> tuple[int, Floats]:
    """Algorithm 1: how many sets of rank(P) columns are independent, and A_B⁻¹ b of each of them that is ≥ 0, one per row."""
    a = np.linalg.svd(matrix(case.p))[2][: case.rank]
    regular, found = 0, []
    for chosen in itertools.combinations(range(case.support), case.rank):
        columns = a[:, chosen]
        if abs(np.linalg.det(columns)) > EXACT:
            regular += 1
            masses = np.linalg.solve(columns, a @ case.problem.weights)
            if masses.min() > -EXACT:
                point: Floats = np.zeros(case.support)
                point[list(chosen)] = masses
                found.append(point)
    return regular, np.array(found)


@PAPER.claim(
    "Algorithm 1", "the A_B⁻¹ b ≥ 0 over all sets B of rank(P) independent columns are the extreme points of S"
)
def _bases(study: Study) -> Outcome:
    tried = [Case(np.array([[1, 3, 2], [2, 3, 1]]) / 12, None), *study.once(every_support)[::2]]
    worst, first = 0.0, ""
    for case in tried:
        regular, found = _feasible_bases(case)
        apart = np.abs(found[:, None] - case.vertices).max(axis=2)
        worst = max(worst, float(apart.min(axis=1).max()), float(apart.min(axis=0).max()))
        first = (
            first or f"{regular} of 15 sets are independent and {len(found)} of these give {len(case.vertices)} points"
        )
    return matches(
        f"the two sets agree to {worst:.0e} on {len(tried)} supports. The pseudocode leaves to its reader that singular A_B "
        f"are skipped (the text above it says so) and points repeat: in Example 2 {first}",
        worst < EXACT,
    )


@PAPER.claim(
    "Algorithm 2, line 17", "P_{Y|X} = diag(p_Y) P_{X|Y}ᵀ diag(p_X)⁻¹ is the mapping of the chosen extreme points"
)
def _mapping(study: Study) -> Outcome:
    worst = 0.0
    for case in study.once(random_cases):
        least, weights = lightest(case.vertices, case.costs, case.problem.weights)
        used = weights > 1e-12
        channel = (np.diag(weights[used]) @ case.vertices[used] @ np.diag(1 / case.problem.weights)).T
        shaped = channel.reshape(*case.p.shape, -1)
        said = told(case.p, shaped, case.latent)
        worst = max(worst, abs(channel.sum(axis=1) - 1).max(), worst_leak(case.p, shaped))
        worst = max(worst, abs(said - (case.problem.program.latent_entropy - least)))
    return matches(
        f"rows sum to one, private, and I(W;Y) is the program's, to {worst:.0e} on 80 random problems", worst < 1e-8
    )
