"""Section IV-A and Theorem 2: what ever more samples know about W, and the typical sets of its proof."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from discreet.sample_privacy import all_information, private_information
from discreet_papers.arrays import entropy, information
from discreet_papers.claims import Outcome, Study, matches, misprint, not_checkable, refuted
from discreet_papers.sp.families import binary_entropy
from discreet_papers.sp.paper import EXACT, PAPER, Floats

Pmf = tuple[Fraction, ...]


def seen(prior: Sequence[float], given: Sequence[Sequence[float]]) -> Floats:
    """p(w, x) from p(w) and p(x|w)."""
    return np.asarray(np.asarray(prior)[:, None] * np.asarray(given))


def noisy_coin() -> Floats:
    """Table I: W ~ Bern(1/3) through a BSC(0.1)."""
    return seen((2 / 3, 1 / 3), ((0.9, 0.1), (0.1, 0.9)))


def random_joints(count: int) -> Iterator[Floats]:
    """p(w, x), two to four w; every second has two w with the same p(x|w)."""
    rng = np.random.default_rng(41)
    for number in range(count):
        w, x = 2 + number % 3, 2 + number % 2
        given = rng.dirichlet(np.ones(x), w)
        if number % 2:
            given[-1] = given[0]
        yield np.asarray(rng.dirichlet(np.ones(w))[:, None] * given)


def _partitions(size: int) -> Iterator[list[int]]:
    """Every partition of 0..size−1, as the number of the class of each."""
    for labels in itertools.product(range(size), repeat=size):
        if all(label <= max(labels[:i], default=-1) + 1 for i, label in enumerate(labels)):
            yield list(labels)


@PAPER.claim(
    "(27)",
    "C_X(W) = min H(U) over functions U of W with X − U − W is H(W̃), W̃ = p_{X|W}(·|W), and I(X;W) ≤ C_X(W) ≤ H(W)",
)
def _private_part(study: Study) -> Outcome:
    worst, tried, ordered = 0.0, 0, True
    for joint in random_joints(60):
        best = math.inf
        for labels in _partitions(len(joint)):
            grouped = np.zeros_like(joint)
            np.add.at(grouped, labels, joint)
            if information(joint) - information(grouped) < 1e-12:  # I(X;W|U) = 0
                best = min(best, float(entropy(grouped.sum(axis=1))))
        value, _ = private_information(joint)
        worst = max(worst, abs(value - best))
        ordered &= information(joint) <= value + EXACT and value <= float(entropy(joint.sum(axis=1))) + EXACT
        tried += 1
    return matches(
        f"equal to the best of all partitions of W to {worst:.0e} bits on {tried} random p(w, x)",
        worst < EXACT,
        ordered,
    )


@PAPER.claim("IV-A, citing [25]", "C_X(W) = H(W) if and only if no two w have the same p(x|w)")
def _distinct(study: Study) -> Outcome:
    agree = 0
    for number, joint in enumerate(random_joints(60)):
        same = abs(private_information(joint)[0] - float(entropy(joint.sum(axis=1)))) < EXACT
        agree += same == (number % 2 == 0)
    return matches(f"on {agree} of 60 random p(w, x), half of them with two such w", agree == 60)


@PAPER.claim("Fig 3", "an example of W̃ for a joint pmf")
def _pictured(study: Study) -> Outcome:
    return not_checkable("the numbers are in the drawing only, which the text that we hold leaves out")


@PAPER.claim("Theorem 2", "I(W;Xⁿ) → C_X(W) for samples that are iid given W")
def _without_privacy(study: Study) -> Outcome:
    merged = seen((0.3, 0.3, 0.4), ((0.8, 0.2), (0.2, 0.8), (0.2, 0.8)))  # two w look alike
    ways = [all_information(joint, [1, 4, 16, 64, 256]) for joint in (noisy_coin(), merged)]
    ways += [all_information(joint, [1, 2, 4, 8, 16, 32]) for joint in random_joints(12)]
    rising = all(bool((np.diff(way.lower) > -EXACT).all()) and way.lower[-1] <= way.limit + EXACT for way in ways)
    left = [float(way.limit - way.lower[-1]) for way in ways[:2]]
    return matches(
        f"Table I's pair: {ways[0].limit - ways[0].lower[2]:.0e} bits missing at n = 16, {left[0]:.0e} at 256; two w "
        f"alike: {left[1]:.0e} below C_X(W) = {ways[1].limit:.3f} < H(W); 12 random pairs rise with n and stay below "
        "it",
        rising,
        max(left) < EXACT,
        ways[1].limit < 1.5,
    )


def typical(pmf: Pmf, epsilon: Fraction, kind: Pmf) -> bool:
    """(29): whether sequences of this type are ε-typical."""
    return all(abs(share - mass) <= epsilon * mass for share, mass in zip(kind, pmf, strict=True))


def separation(one: Pmf, two: Pmf) -> Fraction:
    """(32) for two pmfs, the smaller of the two orders."""
    return min(abs(a - b) / (a + b) for a, b in zip(one, two, strict=True) if a != b)


def _pmfs(values: int, denominators: range) -> list[Pmf]:
    found = {
        tuple(Fraction(part, d) for part in parts)
        for d in denominators
        for parts in itertools.product(range(d + 1), repeat=values)
        if sum(parts) == d
    }
    return sorted(found)


def _shared(values: int, n: int, shrink: Fraction) -> list[tuple[Fraction, Pmf, Pmf, Pmf]]:
    """(ε, p, p', type) for all pairs of pmfs with denominators ≤ 6 and types of n that are typical for both."""
    kinds = _pmfs(values, range(n, n + 1))
    pairs = [(separation(one, two), one, two) for one, two in itertools.combinations(_pmfs(values, range(1, 7)), 2)]
    return [
        (epsilon, one, two, kind)
        for epsilon, one, two in pairs
        for kind in kinds
        if typical(one, epsilon * shrink, kind) and typical(two, epsilon * shrink, kind)
    ]


@PAPER.claim(
    "Theorem 2, (32)", "with ε the least (p − p')/(p + p') the ε-typical sets (29) of different p(x|w) are disjoint"
)
def _disjoint(study: Study) -> Outcome:
    by_size = {n: _shared(3, n, Fraction(1)) for n in (1, 2, 3)}
    quarter, half = Fraction(1, 4), Fraction(1, 2)
    example = (Fraction(1, 3), (quarter, half, quarter), (half, quarter, quarter), (Fraction(1, 3),) * 3)
    touching = [each for found in by_size.values() for each in found if each[0] < 1]
    return misprint(
        "ε must lie below that, as the sets can touch: p = (½,¼,¼), p' = (¼,½,¼) has ε = ⅓, and the sequence 1, 2, 3 is "
        "typical for both. With any smaller ε they are disjoint, and the theorem stands ((32) may also be 1, as for an "
        "erasure channel, which (29) excludes)",
        printed=not touching,
        corrected=example in touching
        and any(each[0] == 1 for each in by_size[1])
        and not any(_shared(3, n, Fraction(99, 100)) for n in (1, 2, 3)),
    )


@PAPER.claim("(34)–(36)", "I(W̃;Xⁿ) ≥ I(W̃;L_n) ≥ H(W̃) − h(p_e) − p_e log|W̃|, and p_e → 0")
def _fano(study: Study) -> Outcome:
    """Table I's pair: types are counts of ones, and L_n is the w whose typical set the count falls in, or an error."""
    joint, epsilon = noisy_coin(), 0.99 * 0.8
    held, errors = True, []
    for n in (10, 50, 200, 800):
        ones = np.arange(n + 1)
        ways = np.array([math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in ones])
        chance = np.exp(ways + np.stack([ones * math.log(p) + (n - ones) * math.log(1 - p) for p in (0.1, 0.9)]))
        p = joint.sum(axis=1)[:, None] * np.where(chance > 1e-200, chance, 0.0)
        guess = np.full(n + 1, 2)
        for w, mass in ((0, 0.1), (1, 0.9)):
            near = (np.abs(ones / n - mass) <= epsilon * mass) & (np.abs(mass - ones / n) <= epsilon * (1 - mass))
            guess[near] = w
        made = np.stack([p[:, guess == g].sum(axis=1) for g in range(3)], axis=1)
        error = 1 - float(made[0, 0] + made[1, 1])
        errors.append(error)
        least = float(entropy(p.sum(axis=1))) - binary_entropy(error) - error
        held &= information(p) >= information(made) - EXACT and information(made) >= least - EXACT
    return matches(
        f"Table I's pair, ε just below (32): p_e = {', '.join(f'{e:.1e}' for e in errors)} for n = 10, 50, 200, 800",
        held,
        bool((np.diff(errors) < 0).all()),
        errors[-1] < 1e-6,
    )


def _distances(alpha: float, n: int) -> list[float]:
    """|−log q(uⁿ)/n − H(U)| of (37) for Bern(alpha) and sequences with k = 0..n ones."""
    rates = [-(k * math.log2(alpha) + (n - k) * math.log2(1 - alpha)) / n for k in range(n + 1)]
    return [abs(rate - binary_entropy(alpha)) for rate in rates]


def _weakly_typical(alpha: float, n: int, epsilon: float) -> list[int]:
    """The k whose sequences are in the weakly typical set."""
    return [k for k, distance in enumerate(_distances(alpha, n)) if distance <= epsilon + EXACT]


@PAPER.claim(
    "Remark 3, (37)",
    "for a BSC(α) the weakly typical sets of the two w are equal for every ε > 0, so nothing can be inferred from them",
)
def _weak(study: Study) -> Outcome:
    n_one = (_weakly_typical(0.1, 1, 0.5), _weakly_typical(0.9, 1, 0.5))
    differ = [
        any(_weakly_typical(a / 20, n, e) != _weakly_typical(1 - a / 20, n, e) for e in _distances(a / 20, n))
        for a in range(1, 10)
        for n in range(1, 11)
    ]
    long = [_weakly_typical(a, 400, 0.3) for a in (0.1, 0.9)]
    hit = sum(math.comb(400, k) * 0.1**k * 0.9 ** (400 - k) for k in long[0])
    uniform = _weakly_typical(0.5, 20, 0.01)
    return refuted(
        "the sets of (37) hold the sequences with about αn and about (1 − α)n ones: {0} and {1} at n = 1, α = 0.1, ε = 0.5, "
        f"and at n = 400, ε = 0.3 they are disjoint, with probability {hit:.4f} of holding Xⁿ. They differ for some ε at "
        "every α = 0.05..0.45, n ≤ 10. Weak typicality does fail for a uniform p(x|w), whose set holds every sequence",
        counterexample=n_one == ([0], [1])
        and all(differ)
        and not set(long[0]) & set(long[1])
        and hit > 0.99
        and uniform == list(range(21)),
    )
