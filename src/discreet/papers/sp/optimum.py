"""Section III-A: the optimal mapping as a linear program over extreme points, and how many letters it needs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from discreet.papers.claims import Outcome, Study, matches, misprint, refuted
from discreet.papers.sp.families import (
    Case,
    cases,
    coins,
    every_support,
    function_latent,
    lightest,
    matrix,
    product,
    random_cases,
    told,
    worst_leak,
)
from discreet.papers.sp.paper import EXACT, PAPER, Floats
from discreet.sample_privacy import analyse, disclose
from discreet.sample_privacy.problem import entropy, make_problem
from discreet.sample_privacy.vertices import exhaustive_vertices


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
        worst = max(worst, float(inside), float(np.abs(case.vertices.sum(axis=1) - 1).max()))
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


@PAPER.claim("(17)", "the weights u of any solution sum to one without being asked to")
def _weights(study: Study) -> Outcome:
    worst = 0.0
    for case in study.once(random_cases):
        _, weights = lightest(case.vertices, case.costs, case.problem.weights)
        worst = max(worst, abs(float(weights.sum()) - 1))
    return matches(f"to {worst:.0e} on 80 random problems", worst < EXACT)


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


@PAPER.claim("Lemma 2, proof", "a point of S is a mixture of |X̂| extreme points p_i that all differ")
def _many(study: Study) -> Outcome:
    tried = [case for case in _open(study) if case.latent is None]
    fewer = sum(len(case.vertices) < case.support for case in tried)
    used = [int((lightest(case.vertices, case.costs, case.problem.weights)[1] > 1e-12).sum()) for case in tried]
    enough = all(count <= case.nullity + 1 for count, case in zip(used, tried, strict=True))
    return misprint(
        f"S may have fewer: {fewer} of {len(tried)} supports, the two coins with 2 for |X̂| = 4 the smallest; at most "
        "nul(P) + 1 are needed",
        printed=fewer == 0,
        corrected=enough and len(Case(coins(2, 0.3), None).vertices) == 2,
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


def _alphabets(most: int) -> Iterator[tuple[int, ...]]:
    """Alphabets of two or more samples by the size of their product, without order."""
    for size in range(4, most + 1):
        for n in range(2, size.bit_length()):
            for shape in itertools.combinations_with_replacement(range(2, size // 2 + 1), n):
                if math.prod(shape) == size:
                    yield shape


@PAPER.claim("Corollary 1.1", "for any W an optimal Y needs at least ⌈|X̂| / rank(P)⌉ letters")
def _fewest(study: Study) -> Outcome:
    fair = product((0.5, 0.5), (0.5, 0.5))
    nothing = analyse(fair, function_latent((2, 2), 2, lambda a, b: a))  # W = X1: a constant Y is optimal
    # Three letters or more are claimed where |X̂| > 2 rank(P). At most 2^(r−1) columns of 0 and 1 span rank r, so this needs
    # rank ≥ 5 and |X̂| ≥ 11.
    eleven = np.empty((2, 2, 3))
    eleven[..., :2] = np.array([[1 / 8, 1 / 4], [1 / 4, 3 / 8]])[..., None] / 3
    eleven[..., 2] = np.array([[1 / 2, 1 / 4], [1 / 4, 0]]) / 3
    equal = function_latent((2, 2, 3), 2, lambda a, b, c: a ^ b)
    case = Case(eleven, equal)
    needed = -(-case.support // case.rank)
    attained = (
        worst_leak(eleven, equal) < 1e-15 and told(eleven, equal, equal) > 1 - EXACT
    )  # H(W) = 1: nothing is better
    least_rank = next(r for r in itertools.count(1) if 2 ** (r - 1) > 2 * r)
    shape = next(s for s in _alphabets(16) if math.prod(s) > 2 * (sum(s) - len(s) + 1))
    four, parity = coins(4, 0.5), function_latent((2,) * 4, 2, lambda *x: sum(x) % 2)
    told_all = worst_leak(four, parity) < 1e-15 and told(four, parity, parity) > 1 - EXACT
    own = [c for c in _open(study) if c.latent is None]
    held = sum(c.found.size >= -(-c.support // c.rank) for c in own)
    return refuted(
        f"smallest with I_s > 0: |X̂| = {case.support}, rank {case.rank}, X1, X2 fair bits and a ternary X3: W = X1 ⊕ "
        f"X2 = Y has 2 letters, {needed} claimed (full support: {'×'.join(map(str, shape))}; parity of 4 fair bits: 2 "
        f"for 4; W = X1 of two coins: 1 for 2); holds for W = Xⁿ on {held} problems",
        counterexample=(case.support, case.rank) == (2 * least_rank + 1, least_rank)
        and needed == 3
        and attained
        and shape == (2, 2, 3)
        and told_all
        and -(-16 // Case(four, None).rank) == 4
        and not nothing.feasible
        and nothing.nullity > 0
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


@PAPER.claim(
    "Algorithm 1, lines 7–10",
    "every set of rank(P) columns A_B is inverted, and each A_B⁻¹ b ≥ 0 is a new extreme point",
)
def _bases(study: Study) -> Outcome:
    """On the samples of Example 2."""
    p = np.array([[1, 3, 2], [2, 3, 1]]) / 12
    problem = make_problem(p)
    a = np.linalg.svd(matrix(p))[2][: problem.program.rank]
    regular, found = 0, []
    for chosen in itertools.combinations(range(6), 4):
        columns = a[:, chosen]
        if abs(np.linalg.det(columns)) > EXACT:
            regular += 1
            masses = np.linalg.solve(columns, a @ problem.weights)
            if masses.min() > -EXACT:
                point: Floats = np.zeros(6)
                point[list(chosen)] = masses
                found.append(tuple((np.round(point, 9) + 0.0).tolist()))
    return misprint(
        f"in Example 2 only {regular} of the 15 A_B can be inverted, and {len(found)} feasible ones give "
        f"{len(set(found))} points, some several times: singular A_B and repeated points must be skipped",
        printed=regular == 15 or len(found) == len(set(found)),
        corrected=len(set(found)) == len(exhaustive_vertices(problem.program).vertices) == 4,
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
