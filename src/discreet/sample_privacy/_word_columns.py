"""Self-disclosure of exchangeable samples whose cells are too many to list: column generation over words.

The master has one row per type. A posterior is a basis of rank(A) words (data sets written out), so that its entropy, its
type masses and its neighbours cost O(rank²) each and nothing of size |X|ⁿ is ever made. Single samples are private.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet import _clock
from discreet.sample_privacy._assembling import clean_masses, reweigh
from discreet.sample_privacy._column_generation import BATCH, IMPROVES, NEGLIGIBLE, Master
from discreet.sample_privacy._mapping import Orbits
from discreet.sample_privacy._problem import self_information, sums_by

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._symmetric import Types

PERTURBATION = 1e-7  # of the marginals, in searches only: no step has length zero
TRIES = 1500  # words tried beside those that differ in one sample


@dataclass
class WordPool:
    """Posteriors over words, in the master or ready for it."""

    types: Types
    rng: np.random.Generator
    words: list[IntArray] = field(default_factory=list)
    masses: list[FloatArray] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    known: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        types = self.types
        self.sizes = np.array(types.shape, np.int64)
        self.offsets = 1 + np.concatenate([[0], np.cumsum(self.sizes - 1)[:-1]]).astype(np.int64)
        self.rank = 1 + int((self.sizes - 1).sum())
        marginals = [types.value_pmf(int(label)) for label in types.classes]
        self.pmfs = [pmf[:size] for pmf, size in zip(marginals, self.sizes, strict=True)]
        self.b = np.concatenate([[1.0], *(pmf[1:] for pmf in self.pmfs)])
        self.shaken = [pmf * (1 + PERTURBATION * self.rng.random(len(pmf))) for pmf in self.pmfs]
        self.shaken = [pmf / pmf.sum() for pmf in self.shaken]
        self.shaken_b = np.concatenate([[1.0], *(pmf[1:] for pmf in self.shaken)])
        self.weights, self.codes, self.order = types._codes
        self.master = Master(types.p)
        self.master.add(np.array([types.entropy]), types.p[None])
        self.master.relax(20.0 + types.n)  # without, the rarest type would get all of the prices
        self.base = 1 + 2 * len(self.master.rows)
        self.state = np.array([self.rng.integers(1, 1 << 62)], np.uint64)
        self.mixture = np.append(1.0, np.zeros(self.base - 1))  # of p itself, of what rows miss, of the posteriors
        self.prices = np.full(len(types.p), types.entropy)

    @property
    def posterior_weights(self) -> FloatArray:
        """Weights of the posteriors."""
        return self.mixture[self.base :]

    @property
    def value(self) -> float:
        """H(Xⁿ|Y) in bits of the master's mixture; infinite while it misses p."""
        if self.missed().sum() > 1e-9:
            return np.inf
        known = np.array(self.costs[: len(self.posterior_weights)])
        return float(self.mixture[0] * self.types.entropy + self.posterior_weights @ known)

    def missed(self) -> FloatArray:
        """By how much the mixture misses the probability of each type."""
        found = np.zeros(len(self.types.p))
        found[self.master.rows] = self.mixture[1 : self.base].reshape(2, -1).sum(0)
        return found

    def coupled(self) -> IntArray:
        """A random vertex: all samples are quantiles of one uniform variable, each in an order of its values."""
        orders = [self.rng.permutation(size) for size in self.sizes]
        sums = [np.cumsum(pmf[order]) for pmf, order in zip(self.shaken, orders, strict=True)]
        breaks = np.unique(np.concatenate([[0.0], *(total[:-1] for total in sums)]))
        words = [
            order[np.searchsorted(total[:-1], breaks, side="right")] for total, order in zip(sums, orders, strict=True)
        ]
        return np.ascontiguousarray(np.array(words).T.astype(np.int64))

    def descend(self, start: IntArray, prices: FloatArray, deadline: float, *, seeding: bool = False) -> None:
        """Search from a basis and keep what it ends at, if the true marginals allow it and it is new and better."""
        from discreet.sample_privacy._word_kernels import descend_words, word_columns

        if len(start) != self.rank:
            return
        words = start.copy()
        for _ in range(20 * self.rank):  # a step takes O(rank³ n): the clock is looked at after each
            before = words.copy()
            descend_words(
                words, self.shaken_b, self.offsets, self.sizes, self.types.classes, self.weights, self.codes,
                prices[self.order], TRIES, 1, self.state,
            )  # fmt: skip
            if _clock.now() > deadline or (words == before).all():
                break
        columns = word_columns(words, self.offsets, self.rank)
        if abs(np.linalg.det(columns)) < 1e-9:
            return
        masses = np.asarray(np.linalg.solve(columns, self.b), np.float64)
        if masses.min() < -1e-11:
            return
        masses = np.where(masses > 1e-11, masses, 0.0)
        kind = self.types.of(words)
        if (kind[masses > 0] == len(self.types.p)).any():
            return
        point = sums_by(kind, masses, len(self.types.p) + 1)[:-1]
        cost = float(self_information(masses).sum())
        key = np.round(np.append(point, cost), 10).tobytes()
        if (seeding or cost - point @ self.prices < -IMPROVES) and key not in self.known:
            self.known.add(key)
            self.found.append((words, masses, cost, point))

    def round(self, starts: int, deadline: float, seeding: bool = False) -> bool:
        """Search from the posteriors in use and from random ones; whether the master got better columns."""
        self.found: list[tuple[IntArray, FloatArray, float, FloatArray]] = []
        if seeding:  # every type must get its share from some posterior other than p itself
            wanted = [np.where(np.arange(len(self.types.p)) == k, 60.0, 0.0) for k in range(len(self.types.p))]
            for prices in wanted:
                if _clock.now() > deadline:
                    break
                self.descend(self.coupled(), prices, deadline, seeding=True)
        used = [self.words[k] for k in np.flatnonzero(self.posterior_weights > 1e-13)]
        for start in [*used, *(self.coupled() for _ in range(starts))]:
            if _clock.now() > deadline:
                break
            self.descend(start, self.prices, deadline)
        chosen = sorted(self.found, key=lambda column: column[2] - float(column[3] @ self.prices))
        chosen = chosen if seeding else chosen[:BATCH]
        if chosen:
            self.master.add(np.array([c[2] for c in chosen]), np.array([c[3] for c in chosen]))
            self.words.extend(c[0] for c in chosen)
            self.masses.extend(c[1] for c in chosen)
            self.costs.extend(c[2] for c in chosen)
            solved = self.master.solve(deadline)
            if solved is None:
                return False
            self.mixture, self.prices = solved
        return bool(chosen)


def disclose_words(
    types: Types, deadline: float, latest: float, rng: np.random.Generator, target: float
) -> tuple[Orbits, str] | None:
    """The best mapping found until the deadline, or until H(Xⁿ|Y) reaches ``target``; and how.

    Until ``latest`` for a first mapping; None when time ran out before posteriors were found that mix to p.
    """
    pool = WordPool(types, rng)
    pool.round(4, deadline, seeding=True)
    idle, starts = 0, 4
    # A round without success says little while types are missed or p itself has weight.
    while _clock.now() < (deadline if pool.value < np.inf else latest) and pool.value > target:
        if pool.round(starts, latest):
            idle = 0
        else:
            idle, starts = idle + 1, min(2 * starts, 64)
            if idle > (2 if pool.value < np.inf and pool.mixture[0] < 1e-9 else 8):
                break
    used = np.flatnonzero(pool.posterior_weights > 1e-15)
    mapping = _orbits(pool, used)
    if mapping is None:
        return None
    how = f"column generation over words: {len(pool.words):,} posteriors tried, {len(used):,} used"
    return mapping, f"{how}, with {len(types.p):,} types"


def _orbits(pool: WordPool, used: IntArray) -> Orbits | None:
    """Exact masses, and weights that reproduce the pmf of the type; None when these posteriors cannot.

    Types too rare to be reached are left out: there Y is drawn without a look at the samples.
    """
    from discreet.sample_privacy._word_kernels import word_columns

    types, b, count = pool.types, _marginals(pool), len(pool.types.p)
    reached = (pool.missed() < 1e-3 * types.p) & (types.p >= NEGLIGIBLE)
    if not len(used) or types.p[~reached].sum() > 1e-10:
        return None
    words = [pool.words[k] for k in used]
    masses = clean_masses([word_columns(w, pool.offsets, pool.rank) for w in words], b)
    kinds = [types.of(w) for w in words]
    points = np.array([sums_by(k, m, count + 1)[:count] for k, m in zip(kinds, masses, strict=True)])
    apart = points[:, ~reached].sum(1) == 0
    guess = np.where(apart, pool.posterior_weights[used], 0.0)
    weights = reweigh(points[:, reached], types.p[reached], guess)
    total = weights @ points
    if np.abs(total[reached] / types.p[reached] - 1).max() > 1e-9:
        return None
    scale = np.append(np.where(reached, types.p / np.where(total > 0, total, 1.0), 0.0), 0.0)  # rounding only
    final = [m * w * scale[k] for m, w, k in zip(masses, weights, kinds, strict=True)]
    kept = [k for k, mass in enumerate(final) if mass.sum() > 0]
    return Orbits(types, tuple(words[k][final[k] > 0] for k in kept), tuple(final[k][final[k] > 0] for k in kept))


def _marginals(pool: WordPool) -> list[Fraction]:
    """A p without rounding: the total, and P(X_i = v) for every sample i and value v but the first."""
    p = [Fraction(value) for value in pool.types.p.tolist()]
    found = [sum(p, Fraction(0))]
    known: dict[tuple[int, int], Fraction] = {}
    for label, size in zip(pool.types.classes.tolist(), pool.sizes.tolist(), strict=True):
        counts = pool.types.counts[:, label, :].tolist()
        for value in range(1, size):
            if (label, value) not in known:
                terms = (weight * row[value] / sum(row) for weight, row in zip(p, counts, strict=True))
                known[label, value] = sum(terms, Fraction(0))
            found.append(known[label, value])
    return found
