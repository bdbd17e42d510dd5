"""Wyner's and the exact common information of S and X: how much must be common to both so that nothing else links them.

C = min I(S,X;W) [Wyner 1975] and G = min H(W) [Kumar, Li and El Gamal 2014], both over W that make S and X independent. No
algorithm is known that finds them for certain, so both are told by bounds: I(S;X) <= C <= G is proven, and an upper bound is
attained by a W that is checked to be exact, hence proven too. Where the two meet, the value is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.measures._pmf import entropy_of, p_s, p_x
from discreet.measures._products import least_entropy, least_information, of_profiles
from discreet.measures._shannon import mutual_information

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.joint._joint import Joint

    _Cost = Callable[[FloatArray, FloatArray], float]

CELLS = 400  # pairs of letters up to which a W is searched for
_STEPS = 400
_POLISHED = 3  # of the decompositions that were found, so many are improved on
_MULTIPLIERS = (0.5, 2.0, 8.0, 32.0, 256.0, 4096.0, 1e6)


@dataclass(frozen=True)
class CommonInformation:
    """Proven bounds in bits: `lower` is I(S;X), `upper` is attained by a W of so many `symbols`."""

    lower: float
    upper: float
    symbols: int

    @property
    def is_known(self) -> bool:
        """Whether the two bounds meet."""
        return self.upper - self.lower <= 1e-9


def wyner_information(joint: Joint, *, restarts: int = 8, seed: int = 0) -> CommonInformation:
    """Wyner's common information, min I(S,X;W) over all W given which S and X are independent, between proven bounds.

    Examples
    --------
    >>> from discreet import Joint
    >>> found = wyner_information(Joint.from_array([[1, 1], [1, 0]]))
    >>> round(found.lower, 3), round(found.upper, 3)
    (0.252, 0.667)
    """
    return _least(joint, _wyner_of, restarts, seed)


def exact_common_information(joint: Joint, *, restarts: int = 8, seed: int = 0) -> CommonInformation:
    """The exact common information, min H(W) over all W given which S and X are independent, between proven bounds.

    Examples
    --------
    >>> from discreet import Joint
    >>> exact_common_information(Joint.from_array([[1, 0], [0, 1]])).is_known
    True
    """
    return _least(joint, _entropy_of, restarts, seed)


def _least(joint: Joint, cost: _Cost, restarts: int, seed: int) -> CommonInformation:
    joint.require_counts()
    if restarts < 0:
        raise InputError("restarts is a number of at least 0")
    lower = mutual_information(joint)
    by_s, by_x = entropy_of(p_s(joint)), entropy_of(p_x(joint))
    best, symbols = min((by_s, joint.n_s), (by_x, joint.n_x))  # W = S and W = X always serve
    if joint.n_s * joint.n_x > CELLS or best - lower <= 1e-9:
        return CommonInformation(min(lower, best), best, symbols)
    p, rng = joint.pmf.toarray(), np.random.default_rng(seed)
    sizes = (min(p.shape), min(p.shape) + 1, max(p.shape), 2)
    searched = [_search(p, sizes[i % 4], rng) for i in range(restarts)]
    tried = [made for q in searched for made in (_exact(p, q), _refitted(p, q))]
    if restarts:
        starts = searched if cost is _entropy_of else searched[: len(sizes)]
        tried.append(least_entropy(p, [q * p for q in starts], rng))
    if cost is _wyner_of:
        tried += [least_information(p, made) for made in sorted(tried, key=lambda made: cost(p, made))[:_POLISHED]]
    for made in tried:
        found = cost(p, made)
        if found < best - 1e-12:
            best, symbols = found, made.shape[0]
    return CommonInformation(min(lower, best), best, symbols)


def _refitted(p: FloatArray, q: FloatArray) -> FloatArray:
    """Products with the profiles p(s|w) that were found, and as little as can be of single letters."""
    profiles = (q * p).sum(axis=2)
    profiles = profiles[profiles.sum(axis=1) > 1e-9]
    profiles = np.where(profiles < 1e-9 * profiles.sum(axis=1, keepdims=True), 0.0, profiles)
    profiles /= profiles.sum(axis=1, keepdims=True)
    price = np.concatenate([np.ones(len(p)), np.zeros(len(profiles))])
    return of_profiles(p, profiles, price).made()


def _search(p: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
    """p(w|s,x) that lowers I(S,X;W) + λ I(S;X|W) by turns, for ever larger λ: no turn raises it."""
    q = rng.dirichlet(np.full(size, 0.5), p.shape).transpose(2, 0, 1)
    for multiplier in _MULTIPLIERS:
        power = multiplier / (1 + multiplier)
        for _ in range(_STEPS):
            parts = q * p
            w = parts.sum(axis=(1, 2)) + 1e-300
            s, x = parts.sum(axis=2) / w[:, None], parts.sum(axis=1) / w[:, None]
            q = w[:, None, None] * (s[:, :, None] * x[:, None, :]) ** power
            q /= q.sum(axis=0) + 1e-300
    return q


def _exact(p: FloatArray, q: FloatArray) -> FloatArray:
    """Products p(w, s, x) that sum to p exactly: as much of each as fits under p, and what is left row by row."""
    parts = q * p
    w = parts.sum(axis=(1, 2))
    keep = w > 1e-9
    parts, w = parts[keep], w[keep]
    products = parts.sum(axis=2)[:, :, None] * parts.sum(axis=1)[:, None, :] / w[:, None, None]
    products[:, p == 0] = np.where(products[:, p == 0] < 1e-9, 0.0, products[:, p == 0])
    total = products.sum(axis=0)
    if (total[p == 0] > 0).any():  # some product has mass where p has none: give its letters up one by one
        products = np.array([_within(each, p) for each in products])
        total = products.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(total > 0, p / total, np.inf).min()
    products = products * min(1.0, scale)
    left = np.maximum(0.0, p - products.sum(axis=0))
    rest = [np.where(np.arange(len(p))[:, None] == s, left, 0.0) for s in np.flatnonzero(left.sum(axis=1) > 0)]
    return np.concatenate([products, np.array(rest)]) if rest else products


def _within(product: FloatArray, p: FloatArray) -> FloatArray:
    """A product without the letters through which it reaches cells where p is 0, those of least weight first."""
    made = product.copy()
    while True:
        outside = np.where(p == 0, made, 0.0)
        if not outside.any():
            return made
        rows, columns = made.sum(axis=1), made.sum(axis=0)
        s, x = np.unravel_index(int(outside.argmax()), made.shape)
        if rows[s] <= columns[x]:
            made[s] = 0.0
        else:
            made[:, x] = 0.0


def _wyner_of(p: FloatArray, made: FloatArray) -> float:
    """I(S,X;W) of a decomposition."""
    w, total = made.sum(axis=(1, 2)), made.sum(axis=0)
    ratio = made[made > 0] / (w[:, None, None] * total)[made > 0]
    return float((made[made > 0] * np.log2(ratio)).sum())


def _entropy_of(p: FloatArray, made: FloatArray) -> float:
    """H(W) of a decomposition."""
    w = made.sum(axis=(1, 2))
    return entropy_of(w[w > 0])
