"""Section III-B: two binary samples in closed form, and when one mapping is best for every W."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.sample_privacy import disclose, two_binary_samples, universal_mapping
from discreet_papers.arrays import entropy
from discreet_papers.claims import Outcome, Study, matches, misprint, refuted
from discreet_papers.sp.families import Case, every_support, lightest, matrix, random_latent, random_pmf, worst_leak
from discreet_papers.sp.paper import EXACT, PAPER, Floats

NORMAL = np.array([1.0, -1.0, -1.0, 1.0])


def parametrised(alpha: Any, beta: Any, r: Any) -> list[Any]:
    """The pmf of two bits with P(X1 = 0) = α and P(X2 = 0) = β by its one free number r [SP, (23)]."""
    return [alpha - r, r, beta - alpha + r, 1 - beta - r]


def _grid() -> Iterator[tuple[Fraction, Fraction, Fraction, Fraction]]:
    """α, β in tenths, and eleven r from 0 to R = min(α, 1 − β)."""
    for a, b in itertools.product(range(1, 10), repeat=2):
        alpha, beta = Fraction(a, 10), Fraction(b, 10)
        most = min(alpha, 1 - beta)
        for step in range(11):
            yield alpha, beta, most * step / 10, most


def _drawn(count: int) -> Iterator[tuple[float, float, float, float]]:
    rng = np.random.default_rng(31)
    for _ in range(count):
        alpha, beta = sorted(rng.uniform(0.02, 0.98, 2))
        most = min(alpha, 1 - beta)
        yield float(alpha), float(beta), float(most * rng.uniform(0.02, 0.98)), float(most)


@PAPER.claim(
    "(23)",
    "without loss of generality p = (α − r, r, β − α + r, 1 − β − r) for α, β in (0, 1) and r in [0, min{α, 1 − β}], where "
    "X1 ~ Bern(α) and X2 ~ Bern(β)",
)
def _ordered(study: Study) -> Outcome:
    wrong, zeros = [], True
    for alpha, beta, r, _ in _grid():
        p = parametrised(alpha, beta, r)
        zeros &= (p[0] + p[1], p[0] + p[2]) == (alpha, beta)
        if min(p) < 0:
            wrong.append((alpha, beta, r))
    return misprint(
        "α ≤ β is missing: α = 2/10, β = 1/10, r = 0 has p(1,0) = −1/10. It is no loss, as the samples can be swapped, and "
        "all that follows holds with it. Also α is P(X1 = 0) here, whereas Bern(q) has P(1) = q in Example 5",
        printed=not wrong,
        corrected=zeros
        and (Fraction(2, 10), Fraction(1, 10), Fraction(0)) in wrong
        and all(a > b for a, b, _ in wrong),
    )


@PAPER.claim("III-B", "X1 and X2 are independent if and only if r = α(1 − β)")
def _independent(study: Study) -> Outcome:
    triples = [*((a, b, r) for a, b, r, _ in _grid()), *((a, b, a * (1 - b)) for a, b, _, _ in _grid())]
    agree = sum((parametrised(a, b, r)[0] == a * b) == (r == a * (1 - b)) for a, b, r in triples)
    return matches(f"in exact arithmetic on {agree} of {len(triples)} triples", agree == len(triples))


@PAPER.claim("III-B, footnote 4", "r = 0 or r = R leave nul(P) = 0 and I_s = 0")
def _ends(study: Study) -> Outcome:
    kept, tried = 0, 0
    for alpha, beta, r, most in _grid():
        if alpha <= beta and r in (0, most):
            p = np.array(parametrised(alpha, beta, r), dtype=float).reshape(2, 2)
            kept += Case(p, None).nullity == 0 and disclose(p).information == 0
            tried += 1
    return matches(f"on {kept} of {tried} pmfs", kept == tried)


@PAPER.claim(
    "III-B, (24)",
    "Null(P) is spanned by n = (1, −1, −1, 1); S has the two ends p − (R − r)n and p + rn; p mixes them r : R − r",
)
def _segment(study: Study) -> Outcome:
    worst, apart = 0.0, 0
    for alpha, beta, r, most in _drawn(300):
        p = np.array(parametrised(alpha, beta, r))
        case = Case(p.reshape(2, 2), None)
        ends = np.stack([p - (most - r) * NORMAL, p + r * NORMAL])
        apart += case.nullity == 1 and len(case.vertices) == 2
        near = np.abs(case.vertices[:, None] - ends).max(axis=2).min(axis=1).max()
        mixed = r / most * ends[0] + (most - r) / most * ends[1]
        worst = max(worst, float(near), float(np.abs(mixed - p).max()), float(np.abs(matrix(case.p) @ NORMAL).max()))
    return matches(f"to {worst:.0e} on {apart} of 300 random pmfs", apart == 300, worst < EXACT)


@PAPER.claim("(25)", "I_s = H(p_W) − (r/R) H(p_W − (R − r)P_{W|X}n) − ((R − r)/R) H(p_W + rP_{W|X}n)")
def _closed_form(study: Study) -> Outcome:
    rng, worst = np.random.default_rng(32), 0.0
    for number, (alpha, beta, r, most) in enumerate(_drawn(300)):
        p = np.array(parametrised(alpha, beta, r))
        given = random_latent(rng, (2, 2), 2 + number % 3)
        rows = given.reshape(4, -1).T
        p_w, turn = rows @ p, rows @ NORMAL
        value = float(
            entropy(p_w) - r / most * entropy(p_w - (most - r) * turn) - (most - r) / most * entropy(p_w + r * turn)
        )
        solved = disclose(p.reshape(2, 2), given).information
        worst = max(worst, abs(value - solved), abs(value - two_binary_samples(p.reshape(2, 2)).information(given)))
    return matches(f"equal to the linear program to {worst:.0e} bits on 300 random cases with α ≤ β", worst < EXACT)


@PAPER.claim("III-B", "I_s > 0 if and only if n is not in Null(P_{W|X²})")
def _positive(study: Study) -> Outcome:
    rng, agree = np.random.default_rng(33), 0
    for _ in range(100):
        p = random_pmf(rng, (2, 2))
        given = random_latent(rng, (2, 2), 2)
        one = (
            np.add.outer(rng.random(2), rng.random(2)) / 2
        )  # p(w|x) is a sum of a function of x1 and one of x2: n is in the null space
        sums = np.stack([one, 1 - one], axis=-1)
        agree += disclose(p, given).information > 0 and bool(
            np.abs(np.tensordot(NORMAL.reshape(2, 2), given, 2)).max() > EXACT
        )
        agree += disclose(p, sums).information < 1e-15 and bool(
            np.abs(np.tensordot(NORMAL.reshape(2, 2), sums, 2)).max() < EXACT
        )
    return matches(f"on {agree} of 200 random W, half of them with n in the null space", agree == 200)


@PAPER.claim("(26)", "the optimal mapping, from r/R, R, α and β")
def _optimal(study: Study) -> Outcome:
    worst = 0.0
    for alpha, beta, r, most in _drawn(300):
        p = np.array(parametrised(alpha, beta, r))
        first = [
            r * (alpha - most) / (most * (alpha - r)),
            1,
            r * (beta - alpha + most) / (most * (beta - alpha + r)),
            r * (1 - beta - most) / (most * (1 - beta - r)),
        ]
        second = [
            alpha * (most - r) / (most * (alpha - r)),
            0,
            (beta - alpha) * (most - r) / (most * (beta - alpha + r)),
            (1 - beta) * (most - r) / (most * (1 - beta - r)),
        ]
        channel = np.array([first, second]).T
        ours = two_binary_samples(p.reshape(2, 2)).mapping.channel.reshape(4, 2)
        same = min(np.abs(channel - ours).max(), np.abs(channel - ours[:, ::-1]).max())
        worst = max(worst, float(same), worst_leak(p.reshape(2, 2), channel.reshape(2, 2, 2)))
    return matches(
        f"private, and equal to the mapping that discreet solves for, to {worst:.0e} on 300 random cases", worst < EXACT
    )


def two_latents(study: Study) -> tuple[Floats, Floats, Floats]:
    """A pmf of two bits and two different W."""
    p = np.array(parametrised(0.4, 0.5, 0.15)).reshape(2, 2)
    first = np.array([[0.9, 0.2], [0.1, 0.6]])
    second = np.array([[0.3, 0.02], [0.02, 0.25]])
    return p, np.stack([first, 1 - first], axis=-1), np.stack([second, 1 - second], axis=-1)


@PAPER.claim("Fig 2, caption", "for two different W the capacities differ and the optimal strategy is the same")
def _caption(study: Study) -> Outcome:
    p, first, second = study.once(two_latents)
    one, two = disclose(p, first), disclose(p, second)
    channels = [each.channel[..., np.argsort(each.p_y)] for each in (one, two)]
    return matches(
        f"as drawn here I_s = {one.information:.4f} and {two.information:.4f} bits, by one mapping (our text has W1 on both "
        "sides of p_{W1|X} ≠ p_{W2|X})",
        abs(one.information - two.information) > 0.01,
        float(np.abs(channels[0] - channels[1]).max()) < EXACT,
    )


@PAPER.figure("fig2", "Two bits, two W: H(W) along the segment S, and the mixture that any W must use")
def _draw_segment(study: Study) -> Any:
    from discreet.report import ACCENT, INK, PALE, WARN, figure

    p, *latents = study.once(two_latents)
    mapping = two_binary_samples(p).mapping
    low, high = mapping.vertices.reshape(2, 4)
    drawing, axes = figure()
    place = np.linspace(0, 1, 101)
    at = float(mapping.p_y[1])
    axes.axvline(at, color=PALE, linewidth=2)
    for number, (latent, colour) in enumerate(zip(latents, (ACCENT, WARN), strict=True), start=1):
        rows = latent.reshape(4, -1).T
        curve = entropy(((1 - place[:, None]) * low + place[:, None] * high) @ rows.T, axis=1)
        chord = curve[0] + at * (curve[-1] - curve[0])
        here = float(entropy(rows @ p.ravel()))
        axes.plot(place, curve, color=colour, linewidth=1.4, label=f"H(W{number})")
        axes.plot([0, 1], curve[[0, -1]], color=colour, linewidth=1, linestyle=":")
        axes.plot([at, at], [chord, here], color=INK, linewidth=1.6)
        axes.annotate(f"I_s = {here - chord:.3f}", (at + 0.02, chord - 0.04), fontsize=9, color=colour, va="center")
    axes.set_xticks([0, at, 1], ["a1", "p", "a2"])
    axes.set_ylabel("bits")
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    return drawing


def _tight(size: int, samples: range) -> Iterator[Floats]:
    """Supports of Prop 4 with that many points: all with Σ(|X_i| − 1) = size − 2 for so many samples, every value used."""
    for n in samples:
        for spare in itertools.combinations_with_replacement(range(1, size - 1), n):
            shape = tuple(s + 1 for s in spare)
            if sum(spare) == size - 2 and math.prod(shape) >= size:
                for chosen in itertools.combinations(range(math.prod(shape)), size):
                    on: Floats = np.zeros(math.prod(shape))
                    on[list(chosen)] = 1 / size
                    p = on.reshape(shape)
                    if len(matrix(p)) == sum(shape):
                        yield p


def loose_supports(study: Study) -> tuple[Floats, Floats]:
    """The smallest supports of Prop 4 with nul(P) > 1: of any number of samples, and of two."""
    any_number = (p for size in itertools.count(4) for p in _tight(size, range(2, size - 1)))
    of_two = (p for size in itertools.count(4) for p in _tight(size, range(2, 3)))
    first, second = (next(p for p in found if Case(p, None).nullity > 1) for found in (any_number, of_two))
    return first, second


def _disagree(p: Floats) -> float | None:
    """What one mapping for two binary functions of the samples loses at least, in bits; None if none of them disagree."""
    cells = int((p > 0).sum())
    known: list[tuple[Case, float]] = []  # functions that something can be told about, with min H(W|Y)
    for bits in itertools.islice(itertools.product((0, 1), repeat=cells), 2 ** (cells - 1)):
        latent = np.zeros((*p.shape, 2))
        latent[p > 0] = np.eye(2)[list(bits)]
        case = Case(p, latent + (p == 0)[..., None] / 2)
        least, _ = lightest(case.vertices, case.costs, case.problem.weights)
        if case.problem.program.latent_entropy - least < 1e-6:
            continue
        for other, rest in known:
            together, _ = lightest(case.vertices, case.costs + other.costs, case.problem.weights)
            if together - least - rest > 1e-6:
                return together - least - rest
        known.append((case, least))
    return None


@PAPER.claim("Proposition 4", "if |X̂| = Σ|X_i| − n + 2, one mapping is optimal for every W")
def _universal(study: Study) -> Outcome:
    more, two = study.once(loose_supports)
    blocks = np.kron(np.eye(2), np.full((2, 2), 1 / 8))
    lost = [_disagree(p) for p in (more, two, blocks)]
    right = all(universal_mapping(p) is None for p in (more, two, blocks))
    values = np.argwhere(more > 0)
    pairs = itertools.combinations(range(more.ndim), 2)
    copies = any(len(np.unique(values[:, pair], axis=0)) == 2 for pair in pairs)
    return refuted(
        "the proof needs rank(P) = Σ|X_i| − n + 1, that is nul(P) = 1. Smallest without: X1 a bit, X2 its copy, X3 ternary "
        f"({int((more > 0).sum())} points); for two samples {int((two > 0).sum())} points of {two.shape[0]}×{two.shape[1]}; "
        "two 2×2 blocks too. There nul(P) = 2, and any one mapping for two binary W loses "
        f"{min((x for x in lost if x), default=0):.3f} bits or more",
        counterexample=all(lost)
        and right
        and copies
        and more.shape == (2, 2, 3)
        and [int((p > 0).sum()) for p in (more, two)] == [6, 7]
        and all(Case(p, None).nullity == 2 for p in (more, two, blocks))
        and all(int((p > 0).sum()) == sum(p.shape) - p.ndim + 2 for p in (more, two, blocks)),
    )


@PAPER.claim(
    "Proposition 4, proof and footnote 5",
    "where nul(P) = 1, S has two extreme points, the mapping does not depend on W, and tells at most one bit",
)
def _one_dimension(study: Study) -> Outcome:
    tried = [case for case in study.once(every_support) if case.nullity == 1]
    kept = 0
    for case in tried:
        mapping = universal_mapping(case.p)
        same = mapping is not None and abs(mapping.information(case.latent) - case.found.information) < EXACT
        kept += len(case.vertices) == 2 and same and case.found.information <= 1
    return matches(f"on {kept} of {len(tried)} problems with nul(P) = 1 in 2×2, 2×3 and 2×2×2", kept == len(tried) > 0)


@PAPER.claim("III-B, end", "in general the optimal mapping does depend on W")
def _dependent(study: Study) -> Outcome:
    p = random_pmf(np.random.default_rng(34), (2, 3))
    lost = _disagree(p)
    return matches(
        f"one 2×3 pmf and two binary W: one mapping for both loses {lost or 0:.4f} bits or more",
        bool(lost),
    )
