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

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.errors import InputError
from discreet.sample_privacy.analysis import Floats, Ints
from discreet.sample_privacy.processes import (
    Independent,
    RowSampler,
    check_samples,
    checked_process,
    compositions,
    log_multinomial,
)

ON_EDGE = 1e-14
"""A boundary of a sample's pmf this close to a boundary between letters is put on it."""

TYPES = 4_000_000
"""Numbers that the exact entropy of a shift may tabulate."""

LONG = 4096
"""Letters of a class that a simulated shift is followed for; more can only lower its entropy."""

TRIALS = 64
"""Simulated data sets."""

PAIRWISE = 2048
"""Letters up to which the survival of every shift is computed."""

NOTHING = 1e-12
"""Bits that count as none."""

LETTERS = tuple(range(2, 65)) + tuple(100 * i for i in range(1, 11)) + tuple(2**i for i in range(7, 17))
"""Numbers of letters among which the best is chosen."""


@dataclass(frozen=True, eq=False)
class Uniformiser:
    """p(s|x) with S uniform on M letters: S = ⌊M (F(x⁻) + U p(x))⌋, F the distribution function, U uniform.

    x: value, s: letter, mass: p(s|x) of each pair that can occur, sorted by x then s. At most |X| + M − 1 of them. For two
    letters and Bernoulli(q) it is the Z channel of [SP, Ex 5].
    """

    pmf: Floats
    letters: int
    x: Ints
    s: Ints
    mass: Floats

    @classmethod
    def of(cls, pmf: Floats, letters: int) -> Uniformiser:
        """Cut [0, 1) at the pmf's and at the letters' boundaries."""
        edges = np.concatenate([[0.0], np.cumsum(pmf)])
        edges /= edges[-1]
        near = np.round(edges * letters) / letters
        edges = np.where(np.abs(near - edges) < ON_EDGE, near, edges)
        cuts = np.unique(np.concatenate([edges, np.arange(letters + 1) / letters]))
        middle = (cuts[:-1] + cuts[1:]) / 2
        x = np.searchsorted(edges, middle, side="right").astype(np.int64) - 1
        width = np.bincount(x, weights=np.diff(cuts), minlength=len(pmf))
        return cls(pmf, letters, x, np.floor(middle * letters).astype(np.int64), np.diff(cuts) / width[x])

    @cached_property
    def loss(self) -> float:
        """H(S|X) in bits."""
        return -float((self.pmf[self.x] * self.mass) @ np.log2(self.mass))

    @cached_property
    def divergence(self) -> float:
        """D(S ‖ uniform) in bits; rounding only when the pmf is right."""
        p_s = np.bincount(self.s, weights=self.pmf[self.x] * self.mass, minlength=self.letters)
        excess = p_s * self.letters - 1
        return float(((1 + excess) * np.log1p(excess) - excess).sum()) / self.letters / math.log(2)

    @property
    def rate(self) -> float:
        """I(X;S) = log2 M − H(S|X): bits a sample disclosed when n is large."""
        return math.log2(self.letters) - self.loss

    def rows(self) -> list[tuple[Ints, Floats]]:
        """Letters and masses of each x; a value of probability zero gets any letter."""
        ends = np.searchsorted(self.x, np.arange(len(self.pmf) + 1))
        every = (np.arange(self.letters), np.full(self.letters, 1 / self.letters))
        return [(self.s[a:b], self.mass[a:b]) if b > a else every for a, b in itertools.pairwise(ends)]

    def shifted(self, x: Ints, s: Ints, shift: Ints) -> Floats:
        """ln p(s + shift | x), one row a pair and one column a shift; −inf where that cannot occur."""
        at = x[:, None] * self.letters + (s[:, None] + shift) % self.letters
        key = self.x * self.letters + self.s
        place = np.minimum(np.searchsorted(key, at), len(key) - 1)
        return np.where(key[place] == at, np.log(self.mass)[place], -np.inf)


def asymptotic_efficiency(pmf: Floats, letters: int) -> float:
    """lim I(Xⁿ;Y)/H(Xⁿ) = I(X;S)/H(X) for identical samples; [1 − (1−q) h(β)]/h(q) for Bernoulli(q) and two letters.

    >>> round(asymptotic_efficiency(np.array([0.7, 0.3]), 2), 6)
    0.449132
    >>> round(asymptotic_efficiency(np.array([0.7, 0.3]), 10), 6)
    1.0
    """
    seen = pmf[pmf > 0]
    return Uniformiser.of(pmf, letters).rate / -float(seen @ np.log2(seen))


@dataclass(frozen=True, eq=False)
class Masks:
    """A release of differences of uniform letters, for a whole data set.

    letters: M. window: k, every k consecutive samples are independent of Y. information ± error_bar: I(Xⁿ;Y) in bits, exact
    when the error bar is 0, else with 95% confidence; lower_bound and upper_bound are proven. residual: proven bound
    on I(X_g;Y) of any window g, rounding included. entropy: H(Xⁿ).
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
    sizes: Ints
    row_of: Ints
    sampler: RowSampler

    @property
    def efficiency(self) -> float:
        """I(Xⁿ;Y) / H(Xⁿ)."""
        return self.information / self.entropy if self.entropy > 0 else 0.0

    def draw(self, samples: Any, rng: np.random.Generator) -> Ints:
        """The n − k letters to release for n samples."""
        codes = check_samples(samples, self.sizes)
        s = self.sampler.draw(self.row_of + codes, rng)
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
    n = process.n
    if not 1 <= window < n:
        raise InputError(f"window must lie between 1 and {n - 1} for {n} samples, not {window}")
    if letters is not None and letters < 2:
        raise InputError(f"letters must be at least 2, not {letters}")
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
    shift, spread, how = _shifts(process, best, window, np.random.default_rng(0) if rng is None else rng)
    offsets = np.concatenate([[0], np.cumsum([len(p) for p in process.pmfs])[:-1]]).astype(np.int64)
    return Masks(
        m,
        window,
        process.entropy,
        max(0.0, lower + shift),
        spread,
        max(0.0, lower),
        min(lower + window * math.log2(m), process.entropy, (n - window) * math.log2(m)),
        float(sum(c * u.divergence for c, u in zip(counts, best, strict=True))),
        how,
        process.sizes,
        offsets[process.kind],
        RowSampler.of([row for u in best for row in u.rows()]),
    )


def _shifts(
    process: Independent, made: list[Uniformiser], window: int, rng: np.random.Generator
) -> tuple[float, float, str]:
    """Σ over classes of H(shift | Y, Xⁿ) in bits, its error bar, and how it was found; classes alike are done once."""
    total, spread, exact = 0.0, 0.0, True
    alike: dict[bytes, int] = {}
    members: dict[bytes, Ints] = {}
    for first in range(window):
        kinds = process.kind[first::window]
        key = np.bincount(kinds, minlength=len(made)).tobytes()
        alike[key] = alike.get(key, 0) + 1
        members.setdefault(key, kinds)
    for key, times in alike.items():
        counts = np.frombuffer(key, dtype=np.int64)
        found, most = _exact_shift(made, counts), _most_shift(made, counts)
        if found is None and most < NOTHING:
            found = 0.0
        value, error = (found, 0.0) if found is not None else _simulated_shift(made, members[key], most, rng)
        exact &= found is not None
        total += times * value
        spread += times * error
    word = "exact" if exact else f"Monte Carlo of {TRIALS} data sets for the entropy of the shift, exact otherwise"
    return total, spread, f"{made[0].letters} letters, {word}"


def _exact_shift(made: list[Uniformiser], counts: Ints) -> float | None:
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


def _entropies(likely: Floats) -> Floats:
    """Entropy in bits of each row of log-likelihoods."""
    weight = np.exp(likely - likely.max(axis=1, keepdims=True))
    p = weight / weight.sum(axis=1, keepdims=True)
    return np.asarray(-(p * np.log2(np.where(p > 0, p, 1.0))).sum(axis=1))


def _most_shift(made: list[Uniformiser], counts: Ints) -> float:
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
    made: list[Uniformiser], kinds: Ints, most: float, rng: np.random.Generator
) -> tuple[float, float]:
    """The same by simulation, with a 95% error bar; a class longer than LONG lies between 0 and its value at LONG."""
    length = min(len(kinds), LONG)
    found = np.array([_one_shift(made, kinds[:length], rng) for _ in range(TRIALS)])
    mean, error = float(found.mean()), 1.96 * float(found.std(ddof=1)) / math.sqrt(TRIALS)
    if error == 0:  # nothing seen in TRIALS runs: it happens with probability below 3 / TRIALS
        error = min(most, 3 / TRIALS * math.log2(made[0].letters))
    return (mean, error) if length == len(kinds) else (mean / 2, mean / 2 + error)


def _one_shift(made: list[Uniformiser], kinds: Ints, rng: np.random.Generator) -> float:
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
