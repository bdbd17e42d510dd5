"""Appendices A to E: the steps of proofs that can be computed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.sample_privacy import disclose
from discreet_papers.arrays import information
from discreet_papers.claims import Outcome, Study, matches, misprint, not_checkable, refuted
from discreet_papers.sp.families import every_support, matrix, product
from discreet_papers.sp.latent_limits import noisy_coin, separation, typical
from discreet_papers.sp.paper import EXACT, PAPER, Floats


@PAPER.claim("Appendix A", "the marginals and the nul(P) entries outside independent columns of P determine p")
def _determined(study: Study) -> Outcome:
    tried, kept = 0, 0
    for case in study.once(every_support)[::2]:
        rows = matrix(case.p)
        chosen: list[int] = []
        for column in range(case.support):
            if np.linalg.matrix_rank(rows[:, [*chosen, column]]) > len(chosen):
                chosen.append(column)
        others = [i for i in range(case.support) if i not in chosen]
        mass = case.problem.weights
        rest = rows @ mass - rows[:, others] @ mass[others]
        found = np.linalg.lstsq(rows[:, chosen], rest, rcond=None)[0]
        kept += len(others) == case.nullity and bool(np.abs(found - mass[chosen]).max() < EXACT)
        tried += 1
    return matches(f"on {kept} of {tried} supports in 2×2, 2×3 and 2×2×2", kept == tried)


def _sequences(joint: Floats, n: int) -> Floats:
    """p(w, xⁿ) of samples that are iid given W, one axis each."""
    given = joint / joint.sum(axis=1, keepdims=True)
    return np.stack([mass * product(*[row] * n) for mass, row in zip(joint.sum(axis=1), given, strict=True)])


@PAPER.claim(
    "Appendix B, (69)", "the total variation between the optimum of J and its version that does not see W tends to 0"
)
def _variation(study: Study) -> Outcome:
    found = []
    for n in range(1, 8):
        p = _sequences(noisy_coin(), n)
        latent = np.broadcast_to(np.eye(2).reshape(2, *(1,) * n, 2), (*p.shape, 2))
        best = disclose(p, latent, private=[(i,) for i in range(1, n + 1)], time_limit=5, tolerance=1e-4)
        joint = p[..., None] * best.channel
        blind = p[..., None] * (joint.sum(axis=0) / p.sum(axis=0)[..., None])
        found.append(float(np.abs(joint - blind).sum()))
    return matches(
        f"Table I's pair: {', '.join(f'{each:.3f}' for each in found)} for n = 1..7",
        found[-1] < 0.5 * found[0],
        found[-1] < found[2],
    )


@PAPER.claim("Appendix B, (70)–(78)", "a chain of inequalities for that variation")
def _garbled(study: Study) -> Outcome:
    return not_checkable(
        "the text that we hold garbles these lines; that p(xⁿ|w)/p(xⁿ) ≤ 1/p(w), which they use, is plain"
    )


@PAPER.claim(
    "Appendix C, (83)", "xⁿ typical for w has p(w'|xⁿ) = 0 for other w', so its type is within 1 ± δ of p_{X|Xⁿ}"
)
def _certain(study: Study) -> Outcome:
    """W fair, X = 0 given w = 0 and a fair bit given w = 1: 0ⁿ is typical for w = 0, by any δ."""
    certain, fair = (Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))
    epsilon = separation(certain, fair)
    broken = []
    for n in range(1, 31):
        kind = (Fraction(1), Fraction(0))
        other = Fraction(1, 2**n) / (1 + Fraction(1, 2**n))  # p(w = 1 | 0ⁿ)
        predicted = other / 2  # p(X = 1 | 0ⁿ)
        broken.append(
            typical(certain, epsilon, kind)
            and other > 0
            and not (1 - epsilon) * predicted <= kind[1] <= (1 + epsilon) * predicted
        )
    return refuted(
        f"disjoint typical sets do not make p(w'|xⁿ) zero. W a fair bit, p(x|w) = (1, 0) and (½, ½), n = 1, δ = ε = {epsilon}: "
        "x = 0 is typical for the first w, but p(w'|0) = 1/3, and a further sample is 1 with probability 1/6, where the "
        "type has 0; so for every n (tried to 30). p(w'|xⁿ) does tend to 0 for small δ, and Lemma 4 needs no more",
        counterexample=all(broken) and epsilon == Fraction(1, 3),
    )


@PAPER.claim(
    "Appendix C, (91)",
    "the law of (X_i, Xⁿ, Y) does not depend on i, so one η_n(x, y), the part outside the typical sets, serves all i",
)
def _index(study: Study) -> Outcome:
    """Y is a fair coin that turns p by a direction of Null(P) which runs around the three values."""
    third, half = Fraction(1, 3), Fraction(1, 2)
    given = ((half, half, Fraction(0)), (third, third, third))
    epsilon = separation(*given)
    kinds = {(a, b): tuple(half * ((a == x) + (b == x)) for x in range(3)) for a in range(3) for b in range(3)}
    outside = np.array(
        [[not any(typical(pmf, epsilon, kinds[a, b]) for pmf in given) for b in range(3)] for a in range(3)]
    )
    p: Floats = np.mean([product(*[[float(x) for x in pmf]] * 2) for pmf in given], axis=0)
    around = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    joint = np.stack([p + 0.05 * around, p - 0.05 * around], axis=-1) / 2  # p(x1, x2, y)
    leaked = max(information(joint.sum(axis=i)) for i in range(2))
    left = joint * outside[..., None]
    etas = np.stack([left.sum(axis=1), left.sum(axis=0)])
    apart = float(np.abs(etas[0] - etas[1]).max())
    alone = np.outer(p.sum(axis=1), joint.sum(axis=(0, 1)))  # p(x) p(y)
    inside = joint * ~outside[..., None]
    mean = (inside.sum(axis=1) + inside.sum(axis=0)) / 2  # the numerator of (89)
    return misprint(
        "η_n must be the mean over i, with which the step is right: for some private Y the law does depend on i. n = 2, "
        f"p(x|w) = (½,½,0) and (⅓,⅓,⅓), δ = {epsilon}: a private Y that turns p around the three values has η_2 that differ "
        f"by {apart:.3f} between i = 1 and 2",
        printed=apart < EXACT or leaked > EXACT or bool(joint.min() < 0),
        corrected=int(outside.sum()) == 7
        and bool(np.abs(mean - (alone - etas.mean(axis=0))).max() < EXACT)
        and abs(float(etas.mean(axis=0).sum()) - float(p[outside].sum())) < EXACT,
    )


@PAPER.claim("Appendix D", "mixing two mappings with disjoint letters mixes I(X;Y) and I(W;Y) alike, so C_1 is concave")
def _mixed(study: Study) -> Outcome:
    rng, worst = np.random.default_rng(81), 0.0
    joint = noisy_coin()
    prior, given = joint.sum(axis=1), joint / joint.sum(axis=1, keepdims=True)
    for _ in range(50):
        one, two, share = rng.dirichlet(np.ones(3), 2), rng.dirichlet(np.ones(3), 2), float(rng.random())
        both = np.hstack([share * one, (1 - share) * two])
        for table in (np.diag(prior), (prior[:, None] * given).T):
            parts = share * information(table @ one) + (1 - share) * information(table @ two)
            worst = max(worst, abs(information(table @ both) - parts))
    return matches(f"to {worst:.0e} bits on 50 random pairs", worst < EXACT)


@PAPER.claim(
    "Appendix E, (98)–(101)",
    "Y_{k−1} − X_k − Y_k and Y_j − Xⁿ − (Y_1..Y_{j−1}) are Markov chains, and letters are independent",
)
def _chains(study: Study) -> Outcome:
    rng, worst = np.random.default_rng(82), 0.0
    for _ in range(30):
        pmfs = [rng.dirichlet(np.ones(2)) for _ in range(3)]
        first, second = (disclose(np.outer(pmfs[i], pmfs[i + 1])).channel for i in range(2))
        joint = np.einsum("a,b,c,abu,bcv->buv", *pmfs, first, second)
        given = joint / joint.sum(axis=(1, 2), keepdims=True)
        apart = given - given.sum(axis=2, keepdims=True) * given.sum(axis=1, keepdims=True)
        worst = max(worst, float(np.abs(apart).max()), information(joint.sum(axis=0)))
    return matches(f"to {worst:.0e} on 30 random data sets of three bits", worst < EXACT)
