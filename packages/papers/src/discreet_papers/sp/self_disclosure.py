"""Sections V-A and V-B: disclosing the samples themselves, many of them, and continuous ones."""

from __future__ import annotations

import math

import numpy as np

from discreet.sample_privacy import (
    MarkovChain,
    disclose,
    disclose_types,
    leak,
    quantile_columns,
    self_disclosure_rate,
    windows_of,
)
from discreet_papers.arrays import entropy, information
from discreet_papers.claims import Outcome, Study, matches, misprint
from discreet_papers.sp.families import binary_entropy, cases, coins, told
from discreet_papers.sp.paper import EXACT, PAPER, Floats


@PAPER.claim("V-A", "Î_s(Xⁿ) ≥ I_s(W, Xⁿ) for any W")
def _largest(study: Study) -> Outcome:
    own = {case.p.tobytes(): case.found.information for case in cases(study) if case.latent is None}
    compared = [case for case in cases(study) if case.latent is not None and case.p.tobytes() in own]
    worst = max(case.found.information - own[case.p.tobytes()] for case in compared)
    return matches(f"on {len(compared)} W; I_s − Î_s is at most {worst:.0e}", worst < EXACT)


@PAPER.claim("Lemma 6", "η̂(Xⁿ) ≤ 1 − max_j H(X_j)/H(Xⁿ), hence below 1 for every finite data set")
def _efficiency(study: Study) -> Outcome:
    worst, top = -math.inf, 0.0
    tried = [case for case in cases(study) if case.latent is None and case.support > 1]
    for case in tried:
        whole = float(entropy(case.p))
        single = max(float(entropy(case.p.sum(axis=tuple(set(range(case.p.ndim)) - {j})))) for j in range(case.p.ndim))
        worst = max(worst, case.found.information / whole - (1 - single / whole))
        top = max(top, case.found.information / whole)
    return matches(f"on {len(tried)} problems; the largest efficiency is {top:.3f}", worst < EXACT, top < 1)


def coin_efficiencies(study: Study) -> list[float]:
    """Î_s(Xⁿ)/H(Xⁿ) for n = 1..7 iid Bernoulli(0.3) samples."""
    found = []
    for n in range(1, 8):
        ones = np.array([math.comb(n, k) * 0.3**k * 0.7 ** (n - k) for k in range(n + 1)])
        found.append(disclose_types(ones, samples=n, tolerance=1e-5).information / (n * binary_entropy(0.3)))
    return found


@PAPER.claim(
    "Theorem 4, (52)–(55)", "Î_s(Xⁿ)/n lies between H(Xⁿ)/n − log(nM)/n and H(Xⁿ)/n, and tends to the entropy rate"
)
def _rate(study: Study) -> Outcome:
    shares = study.once(coin_efficiencies)
    h = binary_entropy(0.3)
    inside = all(h - math.log2(2 * n) / n <= share * h + EXACT <= h + EXACT for n, share in enumerate(shares, start=1))
    chain = [[0.9, 0.1], [0.2, 0.8]]
    ways = [self_disclosure_rate(model, [10, 1000, 100_000]) for model in ([0.7, 0.3], chain, [0.2, 0.3, 0.5])]
    solved = []
    for n in (2, 3, 4):
        p = MarkovChain.stationary(chain, n).window(0, n)
        solved.append(float(entropy(p)) - disclose(p).information <= math.log2(2 * n))
    gaps = [float(way.limit - way.lower[-1]) for way in ways]
    return matches(
        f"iid bits, a Markov chain and iid ternary samples: proven within {max(gaps):.1e} bits of the rate at n = "
        "100,000; optima of n ≤ 7 iid and n ≤ 4 chained bits lie within (55)",
        inside,
        all(solved),
        max(gaps) < 1e-3,
        all(bool((np.diff(way.limit - way.lower) < 0).all()) for way in ways),
    )


@PAPER.claim("Theorem 4, (53)", "if the entropy rate is not zero, η̂(Xⁿ) → 1")
def _tends_to_one(study: Study) -> Outcome:
    shares = study.once(coin_efficiencies)
    far = self_disclosure_rate([0.7, 0.3], [20, 1000, 100_000])
    return matches(
        f"Bernoulli(0.3): {', '.join(f'{share:.3f}' for share in shares)} for n = 1..7, at least "
        f"{', '.join(f'{low / far.limit:.4f}' for low in far.lower)} for n = 20, 1000, 100,000",
        bool((np.diff(shares) > 0).all()),
        far.lower[-1] / far.limit > 0.999,
    )


@PAPER.claim(
    "Corollary 4.1",
    "Theorem 4 holds also when Y is independent of every k consecutive samples: P has at most M^k (n − k + 1) rows",
)
def _windows(study: Study) -> Outcome:
    rng, held, tried = np.random.default_rng(51), 0, 0
    for n, k in ((3, 2), (4, 2), (4, 3), (5, 2)):
        for p in (coins(n, 0.3), rng.dirichlet(np.ones(2**n)).reshape((2,) * n)):
            left = float(entropy(p)) - disclose(p, private=windows_of(n, k)).information
            held += left <= math.log2(2**k * (n - k + 1)) + EXACT
            tried += 1
    far = self_disclosure_rate([0.7, 0.3], [1000, 100_000], protect=3)
    return matches(
        f"H(Xⁿ|Y) ≤ log of that on {held} of {tried} problems; k = 3, Bernoulli(0.3): at least "
        f"{far.lower[0] / far.limit:.3f} and {far.lower[1] / far.limit:.5f} of the rate at n = 1000 and 100,000",
        held == tried,
        far.lower[1] / far.limit > 0.999,
    )


def masked_sums(m: int, n: int, k: int) -> tuple[Floats, Floats]:
    """Example 3: the pmf of n uniform samples of M values, and p(l|xⁿ) of L_i = Q + X_i + … + X_{i+k−1} mod M."""
    words = np.stack(np.unravel_index(np.arange(m**n), (m,) * n), axis=1)
    sums = np.stack([words[:, i : i + k].sum(axis=1) for i in range(n - k + 1)], axis=1)
    channel = np.zeros((m**n, m ** (n - k + 1)))
    for key in range(m):
        letters = np.ravel_multi_index(tuple(((sums + key) % m).T), (m,) * (n - k + 1))
        np.add.at(channel, (np.arange(m**n), letters), 1 / m)
    return np.full((m,) * n, float(m) ** -n), channel.reshape(*(m,) * n, -1)


def _example_three() -> list[tuple[int, int, int]]:
    return [(2, n, k) for n in range(2, 7) for k in range(1, n + 1)] + [
        (3, n, k) for n in (2, 3, 4) for k in range(1, n + 1)
    ]


@PAPER.claim(
    "Example 3", "L_i = Q + X_i + … + X_{i+k−1} mod M are iid uniform, and independent of every k consecutive samples"
)
def _masks(study: Study) -> Outcome:
    worst = 0.0
    for m, n, k in _example_three():
        p, channel = masked_sums(m, n, k)
        spread = channel.reshape(m**n, -1).mean(axis=0)
        leaks = [leak(p, channel, group=window) for window in windows_of(n, k)]
        worst = max(worst, float(np.abs(spread * len(spread) - 1).max()), *leaks)
    return matches(
        f"to {worst:.0e} on {len(_example_three())} triples M, n, k (M = 2 to n = 6, M = 3 to n = 4)", worst < EXACT
    )


@PAPER.claim(
    "Example 3, (61)",
    "the efficiency is at least [H(X_kⁿ) − log M]/H(Xⁿ) = ((n − k + 1)M − log M)/(nM), which tends to 1",
)
def _efficient(study: Study) -> Outcome:
    worst, printed = 0.0, True
    for m, n, k in _example_three():
        said = told(*masked_sums(m, n, k))
        worst = max(worst, abs(said - (n - k) * math.log2(m)))
        printed &= said / (n * math.log2(m)) >= ((n - k + 1) * m - math.log2(m)) / (n * m) - EXACT
    return misprint(
        "H(Xⁿ) is n log M, not nM: the bound is ((n − k + 1) log M − log M)/(n log M) = (n − k)/n, and I(Xⁿ;Y)/H(Xⁿ) is "
        "exactly that (M = 2, n = 2, k = 1: 0.5, printed 0.75). The limit is 1 either way",
        printed=printed,
        corrected=worst < EXACT,
    )


@PAPER.claim(
    "Theorem 5, (63)–(64)",
    "two independent continuous variables: cells of probability 1/K and i + j mod K + 1 tell log K bits, hence no "
    "bound",
)
def _continuous(study: Study) -> Outcome:
    from scipy.stats import expon, norm

    worst = 0.0
    for cells in (2, 3, 8, 64, 256):
        shares = [np.diff(law.cdf(law.ppf(np.arange(cells + 1) / cells))) for law in (norm, expon)]
        p = np.outer(*shares)
        index = (np.add.outer(np.arange(1, cells + 1), np.arange(1, cells + 1)) % cells).ravel()
        of_first, of_second, whole = (np.zeros((size, cells)) for size in (cells, cells, cells * cells))
        i, j = np.divmod(np.arange(cells * cells), cells)
        for table, rows in ((of_first, i), (of_second, j), (whole, np.arange(cells * cells))):
            np.add.at(table, (rows, index), p.ravel())
        worst = max(worst, information(of_first), information(of_second), abs(information(whole) - math.log2(cells)))
    ranks = quantile_columns(np.random.default_rng(52).normal(size=(8192, 2)), 64)
    return matches(
        f"a normal and an exponential variable, K up to 256: log2 K bits and private, to {worst:.0e}; by ranks alone "
        f"K = 64 gives {ranks.information / 8192:.3f} bits a row",
        worst < EXACT,
        5.9 < ranks.information / 8192 <= 6,
    )
