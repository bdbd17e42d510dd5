"""Uniformiser and mod-M masks: private release of long data sets of independent samples, any alphabet [SP, Ex 3, Ex 5].

Each sample X_i is turned into a letter S_i that is uniform on 0..M−1 (the uniformiser), and Y_i = S_{i+k} − S_i mod M is
released, i = 1..n−k. The masked sums of Example 3, L_i = Q + S_i + … + S_{i+k−1}, hold the same: L_{i+1} − L_i = Y_i, and
L_1 is uniform and independent of all else, so the key Q only adds noise that says nothing.

**Private.** Given any k consecutive letters, one in each class of indices mod k, Y is a one-to-one function of the
others, which are independent and uniform: so Y is uniform whatever they are. As Y − S_g − X_g, every k consecutive
samples are independent of Y. If the S_i are only nearly uniform, the same argument gives
D(Y | s_g ‖ uniform) = Σ_{i∉g} D(S_i ‖ uniform), hence I(X_g;Y) ≤ Σ_i D(S_i ‖ uniform): this is `residual`. It adds up over
samples, so the pmfs must be known well enough that n times the divergence is small.

**Information.** H(Y) = (n−k) log2 M. Given Xⁿ and Y only the shift of each class is unknown, hence

    I(Xⁿ;Y) = (n−k) log2 M − Σ_i H(S_i|X_i) + Σ_classes H(shift | Y, Xⁿ),

and the last sum lies between 0 and k log2 M and falls with n. The paper's (67) drops the dependence between
neighbouring letters and so undercounts for n ≥ 3. A sample loses H(X_i|S_i), which is at most (|X_i|−1)/M bits: with M of
the order of n the whole data set loses some log2 n bits, and no more than k log2 M where M is a common denominator of
the probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet import _checks as checks
from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.sample_privacy._explicit_mappings import Uniformiser
from discreet.sample_privacy._processes import (
    Independent,
    RowSampler,
    check_samples,
    checked_process,
    compositions,
    log_multinomial,
)

TYPES = 4_000_000
"""Numbers that the exact entropy of a shift may tabulate."""

LONG = 4096
"""Letters of a class that a simulated shift is followed for; more can only lower its entropy."""

TRIALS = 64
"""Simulated data sets."""

MISS = 0.05
"""Probability with which the truth may lie outside of a simulated interval."""

PAIRWISE = 2048
"""Letters up to which the survival of every shift is computed."""

NOTHING = 1e-12
"""Bits that count as none."""

LETTERS = tuple(range(2, 65)) + tuple(100 * i for i in range(1, 11)) + tuple(2**i for i in range(7, 17))
"""Numbers of letters among which the best is chosen."""


@dataclass(frozen=True, eq=False)
class Masks:
    """A release of differences of uniform letters, for a whole data set.

    letters: M. window: k, every k consecutive samples are independent of Y. information: I(Xⁿ;Y) in bits,
    the middle of an interval of half-width error_bar. `how` says what the interval is: "exact" (error bar 0), "proven",
    or simulated, and then it holds the truth with probability at least 1 − MISS over the simulation, by a bound that is
    valid for any number of trials and any skewness. lower_bound and upper_bound are proven. residual: proven bound on
    I(X_g;Y) of any window g, rounding included. entropy: H(Xⁿ).
    """

    letters: int
    window: int
    entropy: float
    information: float
    error_bar: float
    lower_bound: float
    upper_bound: float
    residual: float
    how: str
    sizes: IntArray
    row_of: IntArray
    sampler: RowSampler

    @property
    def efficiency(self) -> float:
        """I(Xⁿ;Y) / H(Xⁿ)."""
        return self.information / self.entropy if self.entropy > 0 else 0.0

    def draw(self, samples: Any, rng: np.random.Generator) -> IntArray:
        """The n − k letters to release for n samples."""
        codes = check_samples(samples, self.sizes)
        s = self.sampler.draw(self.row_of + codes, checks.generator(rng))
        return np.asarray((s[self.window :] - s[: -self.window]) % self.letters)


def uniform_masks(
    process: Independent, *, window: int = 1, letters: int | None = None, rng: np.random.Generator | None = None
) -> Masks:
    """Masks for independent samples, each with its own pmf and alphabet.

    window: k, the consecutive samples to keep private together. letters: M; by default the one with the largest proven
    information. rng: for the Monte Carlo part of `information` where it cannot be tabulated; fixed by default.
    """
    if not isinstance(checked_process(process), Independent):
        raise InputError("masks need independent samples: a chain's letters would depend on each other")
    n, window = process.n, checks.count(window, name="window")
    if not 1 <= window < n:
        raise InputError(f"window must lie between 1 and {n - 1} for {n} samples, not {window}")
    if letters is not None:
        letters = checks.count(letters, name="letters", least=2)
    counts = np.bincount(process.kind, minlength=len(process.pmfs))
    widest = max(len(p) for p in process.pmfs)
    choices = [letters] if letters is not None else sorted({*LETTERS, widest})
    best, lower = [], -math.inf
    for m in choices:
        tried = [Uniformiser.of(p, m) for p in process.pmfs]
        proven = (n - window) * math.log2(m) - float(sum(c * u.loss for c, u in zip(counts, tried, strict=True)))
        if proven > lower:
            best, lower = tried, proven
    m = best[0].letters
    least, most, how = _shifts(
        process, best, window, np.random.default_rng(0) if rng is None else checks.generator(rng)
    )
    upper = min(lower + window * math.log2(m), process.entropy, (n - window) * math.log2(m))
    low = max(0.0, lower + least)
    high = max(low, min(lower + most, upper))
    offsets = np.concatenate([[0], np.cumsum([len(p) for p in process.pmfs])[:-1]]).astype(np.int64)
    return Masks(
        m,
        window,
        process.entropy,
        (low + high) / 2,
        (high - low) / 2,
        max(0.0, lower),
        upper,
        float(sum(c * u.divergence for c, u in zip(counts, best, strict=True))),
        how,
        process.sizes,
        offsets[process.kind],
        RowSampler.of([row for u in best for row in u.rows()]),
    )


def _shifts(
    process: Independent, made: list[Uniformiser], window: int, rng: np.random.Generator
) -> tuple[float, float, str]:
    """An interval for Σ over classes of H(shift | Y, Xⁿ) in bits, and how it was found; classes alike are done once."""
    alike: dict[bytes, int] = {}
    members: dict[bytes, IntArray] = {}
    for first in range(window):
        kinds = process.kind[first::window]
        key = np.bincount(kinds, minlength=len(made)).tobytes()
        alike[key] = alike.get(key, 0) + 1
        members.setdefault(key, kinds)
    low, high, exact, simulated = 0.0, 0.0, True, False
    for key, times in alike.items():
        counts = np.frombuffer(key, dtype=np.int64)
        found, most = _exact_shift(made, counts), _most_shift(made, counts)
        if found is None and most < NOTHING:
            found = 0.0
        if found is not None:
            own = (found, found)
        elif most <= _edge(0.0, MISS / len(alike)) * math.log2(made[0].letters):
            own, exact = (0.0, most), False  # no simulation of TRIALS data sets could tell more
        else:
            own = _simulated_shift(made, members[key], most, MISS / len(alike), rng)
            exact, simulated = False, True
        low += times * own[0]
        high += times * own[1]
    word = "exact" if exact else "proven interval"
    if simulated:
        word = (
            f"Monte Carlo of {TRIALS} data sets for the entropy of the shift, exact otherwise: "
            f"an interval of {1 - MISS:.0%} confidence or more"
        )
    return low, high, f"{made[0].letters} letters, {word}"


def _exact_shift(made: list[Uniformiser], counts: IntArray) -> float | None:
    """H(shift | Y, Xⁿ) of one class, summing over how often each pair (x, s) occurs; None when there are too many ways."""
    letters = made[0].letters
    used = [(u, int(c)) for u, c in zip(made, counts, strict=True) if c]
    ways = math.prod(math.comb(c + _pairs(u) - 1, _pairs(u) - 1) for u, c in used)
    if ways * letters > TYPES:
        return None
    chance, likely = np.zeros(1), np.zeros((1, letters))
    for u, c in used:
        alive = u.pmf[u.x] > 0
        types = compositions(c, int(alive.sum()))
        pair = np.log(u.pmf[u.x][alive] * u.mass[alive])
        own = types @ pair + log_multinomial(types)
        table = u.shifted(u.x[alive], u.s[alive], np.arange(letters)).clip(-1e12)  # e^(−1e12) is 0, and 0 · −1e12 too
        chance = (chance[:, None] + own).ravel()
        likely = (likely[:, None] + types @ table).reshape(-1, letters)
    return float(np.exp(chance) @ _entropies(likely))


def _pairs(u: Uniformiser) -> int:
    return int((u.pmf[u.x] > 0).sum())


def _entropies(likely: FloatArray) -> FloatArray:
    """Entropy in bits of each row of log-likelihoods."""
    weight = np.exp(likely - likely.max(axis=1, keepdims=True))
    p = weight / weight.sum(axis=1, keepdims=True)
    return np.asarray(-(p * np.log2(np.where(p > 0, p, 1.0))).sum(axis=1))


def _most_shift(made: list[Uniformiser], counts: IntArray) -> float:
    """An upper bound on H(shift | Y, Xⁿ) of one class: E log2(1 + other shifts that are possible) ≤ their mean / ln 2."""
    letters = made[0].letters
    if letters > PAIRWISE:
        return math.log2(letters)
    survives = np.zeros(letters - 1)  # log of the probability that a shift stays possible
    for u, c in zip(made, counts, strict=True):
        for part in np.array_split(np.arange(1, letters), -(-letters * len(u.x) // TYPES)):
            possible = (u.pmf[u.x] * u.mass) @ (u.shifted(u.x, u.s, part) > -np.inf)
            with np.errstate(divide="ignore"):
                survives[part - 1] += c * np.log(possible) if c else 0.0
    return min(math.log2(letters), float(np.exp(survives).sum()) / math.log(2))


def _simulated_shift(
    made: list[Uniformiser], kinds: IntArray, most: float, miss: float, rng: np.random.Generator
) -> tuple[float, float]:
    """An interval for H(shift | Y, Xⁿ) of one class that misses it with probability at most `miss`.

    The entropy of the shift of a simulated class is a number in [0, log2 M], most often 0. A class longer than LONG has
    between 0 and the entropy at LONG, so that only the upper end is simulated. Never above `most`, which is proven.
    """
    length, scale = min(len(kinds), LONG), math.log2(made[0].letters)
    mean = sum(_one_shift(made, kinds[:length], rng) for _ in range(TRIALS)) / TRIALS / scale
    if length < len(kinds):
        return 0.0, min(most, _edge(mean, miss) * scale)
    high = min(most, _edge(mean, miss / 2) * scale)
    return min(high, (1 - _edge(1 - mean, miss / 2)) * scale), high


def _edge(mean: float, miss: float) -> float:
    """An upper confidence limit on the expectation of numbers in [0, 1], from the mean of TRIALS independent ones.

    It is the m ≥ mean with TRIALS · kl(mean ‖ m) = ln 1/miss, kl the divergence of two coins: P(a mean ≤ a) is at most
    exp(−TRIALS · kl(a ‖ m)) whatever their law [Hoeffding 1963, Thm 1]. The truth exceeds it with probability ≤ miss.
    """
    from scipy.special import rel_entr

    mean, (low, high) = min(1.0, max(0.0, mean)), (min(1.0, max(0.0, mean)), 1.0)
    for _ in range(60):
        middle = (low + high) / 2
        near = TRIALS * float(rel_entr(mean, middle) + rel_entr(1 - mean, 1 - middle)) <= math.log(1 / miss)
        low, high = (middle, high) if near else (low, middle)
    return high


def _one_shift(made: list[Uniformiser], kinds: IntArray, rng: np.random.Generator) -> float:
    """Entropy of the shift given one simulated class, in bits. Shifts that cannot be are dropped as samples come in."""
    letters = made[0].letters
    shift, likely = np.arange(letters), np.zeros(letters)
    done = 0
    while done < len(kinds) and len(shift) > 1:
        block = kinds[done : done + max(1, 65_536 // len(shift))]
        for kind in np.unique(block):
            u = made[kind]
            pair = rng.choice(len(u.x), size=int((block == kind).sum()), p=u.pmf[u.x] * u.mass)
            likely = likely + u.shifted(u.x[pair], u.s[pair], shift).sum(axis=0)
            kept = likely > -np.inf
            shift, likely = shift[kept], likely[kept]
        done += len(block)
    return float(_entropies(likely[None])[0])
