"""A bound on the bottleneck from several copies of S: how much m of them say together about X.

**Claim.** Let S_1 … S_m be drawn given X by any coupling in which each (S_j, X) is distributed as (S, X). Then every
policy, hard or soft, has m I(S;X̂) ≤ m H(S) − H(S_1 … S_m) + I(X;X̂).

**Proof.** X̂ depends on the copies through X alone, so each (S_j, X̂) is distributed as (S, X̂) and
m I(S;X̂) = Σ_j I(S_j;X̂) = m H(S) − Σ_j H(S_j|X̂) ≤ m H(S) − H(S_1 … S_m|X̂) = m H(S) − H(S_1 … S_m) + I(S_1 … S_m;X̂),
and the last term is at most I(X;X̂) by data processing. ∎

One copy gives I(S;X̂) ≤ I(X;X̂), infinitely many I(S;X̂) ≤ I(S;X); the m in between are lines of slope 1/m. The best
coupling has the largest joint entropy: copies of one letter should differ where they can, so that no other letter is
mistaken for it. That is a concave maximisation, by mirror ascent here, and any coupling on the way is a valid bound.

Couplings are exchangeable: a letter's copies are described by how often each s is among them, its *type*. A type of
counts c stands for m!/∏ c_s! equally likely orders, so H(S_1 … S_m) = −Σ q(type) log2(q(type) / orders(type)).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.search.information._weights import Weights

COPIES = (2, 3, 4, 5, 6, 8, 12, 16)
"""Numbers of copies tried, as far as their types can be listed."""

TYPES = 60_000
"""Types that may be listed for one number of copies, over all letters."""

PRODUCTS = 2_000_000_000
"""Products that may be formed for independent copies of letters whose types are too many to list."""

STEPS = 12
"""Mirror steps: on the Hungarian data five reach the optimum to four digits."""

SCALINGS = 8
"""Rounds of iterative scaling a step, which restore p(s|x); what is missing after the last is repaired exactly."""

ROUNDED = 12
"""Decimals to which the posteriors of letters must agree to be taken as one letter."""


@dataclass(eq=False)
class _Group:
    """The letters with k values of s: all have the same types, over their own values."""

    mass: FloatArray  # of each letter, p(x)
    posterior: FloatArray  # (letters, k), p(s|x)
    counts: FloatArray  # (types, k)
    key: IntArray  # (letters, types): types of different letters with the same counts of the same s share a key
    theta: FloatArray  # (letters, types): the coupling

    def marginals(self, copies: int) -> FloatArray:
        return self.theta @ self.counts / copies

    def scale(self, copies: int, rounds: int) -> None:
        """Generalised iterative scaling to the marginals p(s|x)."""
        for _ in range(rounds):
            self.theta /= self.theta.sum(axis=1, keepdims=True)
            factor = np.log(self.posterior / np.maximum(self.marginals(copies), 1e-300))
            if np.abs(factor).max() < 1e-10:
                break
            self.theta *= np.exp(factor @ self.counts.T / copies)
        self.theta /= self.theta.sum(axis=1, keepdims=True)

    def repair(self, copies: int) -> None:
        """Make the marginals exact by mixing in equal copies, S_1 = … = S_m, of what is missing."""
        have = self.marginals(copies)
        share = np.maximum(0.0, 1.0 - self.posterior / np.maximum(have, 1e-300)).max(axis=1, keepdims=True)
        missing = np.maximum(0.0, self.posterior - (1.0 - share) * have)
        self.theta *= 1.0 - missing.sum(axis=1, keepdims=True)
        equal = np.argmax(self.counts == copies, axis=0)
        self.theta[:, equal] += missing


def copy_entropies(weights: Weights) -> dict[int, float]:
    """H(S_1 … S_m) of good couplings, in bits, for each number of copies m that can be worked out."""
    posteriors = _posteriors(weights)
    found: dict[int, float] = {}
    for copies in COPIES:
        listed = sum(len(mass) * comb(values.shape[1] + copies - 1, copies) for mass, values, _ in posteriors)
        if listed <= TYPES:
            found[copies] = _largest_entropy(posteriors, copies)
        elif copies <= 4 and _can_multiply(weights.n, weights.n_s, copies):
            found[copies] = _independent_entropy(posteriors, weights.n_s, copies)
        else:
            break
    return found


def _can_multiply(n: int, n_s: int, copies: int) -> bool:
    """Whether independent copies take neither too long nor, with a row of pairs of s for each letter, too much memory."""
    pairs = n * n_s**2 if copies > 2 else 0
    cells = int(n_s**copies)
    return n * cells <= PRODUCTS and max(pairs, cells) <= PRODUCTS // 20


def _posteriors(weights: Weights) -> list[tuple[FloatArray, IntArray, FloatArray]]:
    """Letters with equal p(s|x) as one, by the number of their s: masses p(x), the s, and p(s|x)."""
    degree = np.diff(weights.indptr)
    share = weights.weight / weights.of_letter[weights.letter_of_pair]
    groups = []
    for k in np.unique(degree):
        letters = np.flatnonzero(degree == k)
        where = weights.indptr[letters][:, None] + np.arange(k)
        order = np.argsort(weights.indices[where], axis=1)
        where = np.take_along_axis(where, order, axis=1)
        values, posterior = weights.indices[where].astype(np.int64), share[where]
        label = np.concatenate((values, np.round(posterior, ROUNDED)), axis=1)
        _, first, which = np.unique(label, axis=0, return_index=True, return_inverse=True)
        mass = np.bincount(which.ravel(), weights=weights.of_letter[letters]) / weights.total
        groups.append((mass, values[first], posterior[first]))
    return groups


def _largest_entropy(posteriors: list[tuple[FloatArray, IntArray, FloatArray]], copies: int) -> float:
    """Mirror ascent of H(S_1 … S_m) from independent copies.

    The gradient at a type is log(orders/q) times p(x). By data processing H is 1-smooth relative to the sum of p(x) KL
    of the letters' couplings, so a step of length one, θ ← θ · orders/q followed by the projection, never descends.
    """
    groups, orders = _listed_types(posteriors, copies)
    mixture = _mixture(groups, len(orders))
    for _ in range(STEPS):
        gradient = orders - np.log(np.maximum(mixture, 1e-300))
        for group in groups:
            ascent = gradient[group.key]
            group.theta *= np.exp(ascent - ascent.max(axis=1, keepdims=True))
            group.scale(copies, SCALINGS)
        mixture = _mixture(groups, len(orders))
    for group in groups:
        group.scale(copies, 8 * SCALINGS)
        group.repair(copies)
    mixture = _mixture(groups, len(orders))
    seen = mixture > 0
    return float(np.sum(mixture[seen] * (orders[seen] - np.log(mixture[seen]))) / np.log(2))


def _listed_types(
    posteriors: list[tuple[FloatArray, IntArray, FloatArray]], copies: int
) -> tuple[list[_Group], FloatArray]:
    """Every type of every letter under independent copies, and the logarithm of the orders of each key."""
    tables = [np.array(list(combinations_with_replacement(range(v.shape[1]), copies))) for _, v, _ in posteriors]
    # One number a type: fold in one copy after the other, renumbering so that it never overflows.
    flat = [values[:, table].reshape(-1, copies) for (_, values, _), table in zip(posteriors, tables, strict=True)]
    members = np.concatenate(flat)
    key = members[:, 0]
    for j in range(1, copies):
        _, key = np.unique(key * (members.max() + 1) + members[:, j], return_inverse=True)
    groups, start = [], 0
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, copies + 1)))))
    orders = np.zeros(int(key.max()) + 1)
    for (mass, _, posterior), table in zip(posteriors, tables, strict=True):
        counts = np.stack([(table == i).sum(axis=1) for i in range(posterior.shape[1])], axis=1)
        log_orders = log_factorial[copies] - log_factorial[counts].sum(axis=1)
        size = len(mass) * len(table)
        own = key[start : start + size].reshape(len(mass), len(table))
        theta = np.exp(log_orders + np.log(posterior) @ counts.T)
        groups.append(_Group(mass, posterior, counts.astype(np.float64), own, theta))
        orders[own] = log_orders
        start += size
    return groups, orders


def _mixture(groups: list[_Group], n_keys: int) -> FloatArray:
    """q(type), the types' distribution over all letters."""
    total = np.zeros(n_keys)
    for group in groups:
        total += np.bincount(group.key.ravel(), (group.mass[:, None] * group.theta).ravel(), n_keys)
    return total


def _independent_entropy(posteriors: list[tuple[FloatArray, IntArray, FloatArray]], n_s: int, copies: int) -> float:
    """H(S_1 … S_m), m ≤ 4, of copies that are independent given X, for letters with too many s to list their types.

    Such letters lose little: their copies rarely agree, and when they do not they are seldom another letter's.
    """
    joint = np.zeros((n_s ** (copies // 2), n_s ** (copies - copies // 2)))
    for mass, values, posterior in posteriors:
        one = np.zeros((len(mass), n_s))
        np.put_along_axis(one, values, posterior, axis=1)
        two = (one[:, :, None] * one[:, None, :]).reshape(len(mass), -1) if copies > 2 else one
        joint += (two if copies == 4 else one).T @ (mass[:, None] * two)
    seen = joint[joint > 0]
    return float(-np.sum(seen * np.log2(seen)))
