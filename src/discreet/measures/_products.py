"""Joints as sums of products p(w) p(s|w) p(x|w), exactly: given the profiles p(s|w), what is left is a linear program.

A column p(·, x) that lies in the cone of the profiles is a sum of them with weights c(w, x) ≥ 0, and any weights make products.
The profiles of single letters are always among them, so that there is a sum, and what a solver's tolerance leaves goes to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet._typing import FloatArray
from discreet.measures._pmf import entropy_of

_ROUNDS = 20
_DRAWS, _SMALL = 4, 64  # first prices that are tried, on joints of so few cells
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Products:
    """Profiles p(s|w), a row per w, and weights c(w, x): the products profile × weights sum to p."""

    profiles: FloatArray
    weights: FloatArray

    @property
    def w(self) -> FloatArray:
        """The distribution of W, up to its sum."""
        return np.asarray(self.weights.sum(axis=1))

    @property
    def entropy(self) -> float:
        """H(W) in bits."""
        return entropy_of(self.w[self.w > 0])

    @property
    def information(self) -> float:
        """I(S,X;W) in bits, but for H(S,X): −H(S|W) − H(X|W)."""
        c, w, s = self.weights, self.w, self.profiles
        of_s = np.sum(s * np.log2(np.where(s > 0, s, 1.0)), axis=1)
        of_x = np.sum(c * np.log2(np.where(c > 0, c, 1.0)), axis=1) - w * np.log2(np.where(w > 0, w, 1.0))
        return float(w @ of_s + of_x.sum())

    def made(self) -> FloatArray:
        """p(w, s, x), without the w that do not occur."""
        keep = self.w > 0
        return np.asarray(self.profiles[keep][:, :, None] * self.weights[keep][:, None, :])


def of_profiles(p: FloatArray, profiles: FloatArray, price: FloatArray) -> Products:
    """The cheapest sum of products with these profiles, and before them those of single letters; a price for each, or for
    each and x.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    n_s, n_x = p.shape
    every = np.concatenate([np.eye(n_s), profiles])
    equal: Any = sparse.kron(sparse.eye_array(n_x), every.T, format="csr")
    found = linprog(
        np.broadcast_to(price if price.ndim == 2 else price[:, None], (len(every), n_x)).T.ravel(),
        A_eq=equal,
        b_eq=p.T.ravel(),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10},
    )
    if found.x is None:
        return Products(every, np.concatenate([p, np.zeros((len(profiles), n_x))]))
    weights = np.where(found.x < _NOTHING, 0.0, found.x).reshape(n_x, -1).T
    weights[:n_s] = 0.0  # single letters take what the others leave
    weights[(every @ (p == 0)) > 0] = 0.0
    total = every.T @ weights
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = weights * np.minimum(1.0, np.where(total > 0, p / total, np.inf).min(axis=0))
    left = p - every.T @ weights
    weights[:n_s] = np.where(left > 1e-14, left, 0.0)
    return Products(every, weights)


def least_entropy(p: FloatArray, starts: Sequence[FloatArray], rng: np.random.Generator) -> FloatArray:
    """p(w, s, x) with a small H(W): from profiles of p's own columns and rows, and of the products of each start.

    H(W) is concave in the weights: where each w is priced at −log2 p(w), the program never raises it. Profiles of S and
    of X take turns, each made of what the other's turn left.
    """
    best, least = np.empty(0), np.inf
    for start in starts:
        for axes in ((0, 1, 2), (0, 2, 1)):
            own, given = p.transpose([i - 1 for i in axes[1:]]), start.transpose(axes).sum(axis=2)
            columns = [own.T, own.sum(axis=1)[None], given]
            profiles = _clean(np.concatenate(columns))
            for _ in range(_DRAWS if p.size <= _SMALL else 1):
                found = _descended(own, profiles, rng.dirichlet(np.full(len(own) + len(profiles), 0.3)))
                made, entropy = _in_turns(own, found)
                if entropy < least:
                    best, least = made.transpose(axes), entropy
    return best


def _in_turns(p: FloatArray, found: Products) -> tuple[FloatArray, float]:
    """The products that are left when neither profiles of S nor of X lower H(W) any more, and their H(W)."""
    turned = False
    for _ in range(_ROUNDS):
        keep = found.w > 0
        before = np.concatenate([np.zeros(p.shape[1]), found.w[keep]])
        other = _descended(p.T, _clean(found.weights[keep]), before)
        if other.entropy >= found.entropy - 1e-9:
            break
        p, found, turned = p.T, other, not turned
    return found.made().transpose(0, 2, 1) if turned else found.made(), found.entropy


def least_information(p: FloatArray, made: FloatArray) -> FloatArray:
    """p(w, s, x) with a smaller I(S,X;W) than these products have, where profiles of S and of X find it by turns.

    I(S,X;W) is convex in the weights of given profiles: steps towards the cheapest sum at its slope, as long as it falls.
    """
    turned = False
    found = Products(_clean(made.sum(axis=2)), made.sum(axis=1))
    for _ in range(_ROUNDS):
        keep = found.w > _NOTHING
        profiles = np.concatenate([np.eye(p.shape[1]), _clean(found.weights[keep])])
        given = found.profiles[keep] * found.w[keep][:, None]
        turn = _sloped(p.T, Products(profiles, np.concatenate([np.zeros((p.shape[1], p.shape[0])), given])))
        if turn.information >= found.information - 1e-7:
            break
        p, found, turned = p.T, turn, not turned
    return found.made().transpose(0, 2, 1) if turned else found.made()


def _sloped(p: FloatArray, found: Products) -> Products:
    """Steps along the slope of I(S,X;W) in the weights, each as long as is best."""
    own = -np.sum(found.profiles * np.log2(np.where(found.profiles > 0, found.profiles, 1.0)), axis=1)
    for _ in range(_ROUNDS):
        share = found.weights / np.maximum(found.w, _NOTHING)[:, None]
        slope = np.log2(np.maximum(share, 1e-9)) - own[:, None]
        target = of_profiles(p, found.profiles[len(p) :], slope).weights
        lengths = np.concatenate([[0.0], np.geomspace(1e-3, 1.0, 16)])
        tried = [Products(found.profiles, (1 - g) * found.weights + g * target) for g in lengths]
        best = min(tried, key=lambda each: each.information)
        if best.information >= found.information - 1e-8:
            break
        found = best
    return found


def _descended(p: FloatArray, profiles: FloatArray, w: FloatArray) -> Products:
    """Cheapest sums at the prices −log2 p(w) of the one before, while H(W) falls."""
    found = of_profiles(p, profiles, -np.log2(np.maximum(w, _NOTHING)))
    for _ in range(_ROUNDS):
        other = of_profiles(p, profiles, -np.log2(np.maximum(found.w, _NOTHING)))
        if other.entropy >= found.entropy - 1e-12:
            break
        found = other
    return found


def _clean(profiles: FloatArray) -> FloatArray:
    """Profiles that sum to one, without what rounding left in them."""
    kept = profiles[profiles.sum(axis=1) > 0]
    kept = kept / kept.sum(axis=1, keepdims=True)
    kept = np.where(kept < _NOTHING, 0.0, kept)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))
