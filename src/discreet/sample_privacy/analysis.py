"""What can be said of a problem before it is solved: feasibility, bounds, how many letters [SP, II].

P is the 0/1 matrix of [SP, (3)]: one row for each value of each private group of samples, one column for each xⁿ with
p(xⁿ) > 0. Y is independent of every group iff p − p(·|y) lies in Null(P) for every y [SP, Lemma 1]. The matrix is never
stored: a group is the row that each column hits, so that P t is a bincount and Pᵀ c a lookup.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.sample_privacy.problem import entropy, family, make_problem

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Groups = Sequence[Sequence[int]]

ROWS = 4000
"""Rows of P beyond which its Gram matrix is not built."""

PRIME = 2_147_483_647
"""Ranks of three or more groups are counted modulo this prime (a Mersenne prime: products of residues fit 64 bits)."""

FLAT = 1e-11
"""A latent whose part outside the row space of P is below this everywhere counts as inside it."""


def information(joint: npt.ArrayLike) -> float:
    """I(A;B) of a joint pmf with A on the first axis and B on the second, in bits.

    >>> information([[0.5, 0.0], [0.0, 0.5]])
    1.0
    """
    table = np.asarray(joint, dtype=np.float64)
    product = np.outer(table.sum(axis=1), table.sum(axis=0))
    seen = table > 0
    return max(0.0, float(table[seen] @ np.log2(table[seen] / product[seen])))


def marginal(array: Floats, axes: Sequence[int], extra: int = 0) -> Floats:
    """Sum out every axis that is not among `axes`; the last `extra` axes stay. Rows are the values of X_axes."""
    n = array.ndim - extra
    kept = array.sum(axis=tuple(i for i in range(n) if i not in set(axes)))
    return np.asarray(kept.reshape(-1, *array.shape[n:]), dtype=np.float64)


def leak(p: Floats, channel: Floats, group: Sequence[int]) -> float:
    """I(X_g;Y) of a mapping p(y|xⁿ) of shape p.shape + (|Y|,), in bits."""
    return information(marginal(p[..., None] * channel, group, extra=1))


def windows_of(n: int, k: int) -> tuple[tuple[int, ...], ...]:
    """Every k consecutive samples out of n, the family of [SP, Cor 4.1].

    >>> windows_of(4, 3)
    ((0, 1, 2), (1, 2, 3))
    """
    return tuple(tuple(range(i, i + k)) for i in range(n - k + 1))


@dataclass(frozen=True, eq=False)
class Constraints:
    """P of [SP, (3)] on the support of p, for any family of private groups.

    `where` are the places of the support in p.ravel(); `rows[g]` is the row of P that each of them hits for group g,
    rows counted through over all groups; `height` is the number of rows.
    """

    shape: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    where: Ints
    rows: tuple[Ints, ...]
    height: int

    @classmethod
    def of(cls, p: Floats, private: Groups | None = None) -> Constraints:
        """Index the support of p."""
        groups = family(private, p.ndim) or ((),)  # nothing private: posteriors must still sum to one
        where = np.flatnonzero(p.ravel() > 0)
        values = np.unravel_index(where, p.shape)
        rows, height = [], 0
        for group in groups:
            code = np.zeros(len(where), dtype=np.int64)
            for i in group:
                code = code * p.shape[i] + values[i]
            seen, place = np.unique(code, return_inverse=True)
            rows.append(place.astype(np.int64).ravel() + height)
            height += len(seen)
        return cls(p.shape, groups, where, tuple(rows), height)

    def times(self, t: Floats) -> Floats:
        """P t: how much of t falls on each value of each group."""
        return np.asarray(sum(np.bincount(rows, weights=t, minlength=self.height) for rows in self.rows))

    def back(self, c: Floats) -> Floats:
        """Pᵀ c."""
        return np.asarray(sum(c[rows] for rows in self.rows))

    @cached_property
    def gram(self) -> Ints:
        """P Pᵀ: on how many points of the support two values meet."""
        if self.height > ROWS:
            raise InputError(
                f"the private groups take {self.height} values together, more than {ROWS}: merge rare values first"
            )
        out = np.zeros(self.height * self.height, dtype=np.int64)
        for a, b in itertools.product(self.rows, repeat=2):
            out += np.bincount(a * self.height + b, minlength=len(out))
        return out.reshape(self.height, self.height)

    @cached_property
    def rank(self) -> int:
        """rank(P), by counting where a formula is known.

        Full support: P spans the functions of a hierarchical model, so rank = Σ Π_{i∈A} (|X_i| − 1) over all sets A of
        samples (the empty one too) that lie in a private group. Two groups: P is the incidence matrix of a bipartite
        graph, so rank = rows − components. Otherwise elimination modulo a large prime, on P Pᵀ.
        """
        if len(self.groups) == 1:
            return self.height
        if len(self.where) == math.prod(self.shape):
            faces = {a for g in self.groups for size in range(len(g) + 1) for a in itertools.combinations(g, size)}
            return sum(math.prod(self.shape[i] - 1 for i in a) for a in faces)
        if len(self.groups) == 2:
            return self.height - _components(self.rows[0], self.rows[1], self.height)
        return _rank_modulo(self.gram)

    @property
    def nullity(self) -> int:
        """nul(P) = |support| − rank(P)."""
        return len(self.where) - self.rank

    def outside(self, f: Floats) -> Floats:
        """The part of each column of f (one row a point of the support) that lies in Null(P)."""
        values, vectors = np.linalg.eigh(self.gram.astype(np.float64))
        kept = slice(len(values) - self.rank, None)  # ascending: the first ones are the zeros
        inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
        left = np.array(f, dtype=np.float64, copy=True).reshape(len(self.where), -1)
        for _ in range(3):  # the normal equations square the condition number; repeating the step refines
            for column in range(left.shape[1]):
                left[:, column] -= self.back(inverse @ self.times(left[:, column]))
        return left


def _components(left: Ints, right: Ints, height: int) -> int:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(left), dtype=np.int8), (left, right)), shape=(height, height))
    return int(connected_components(graph, directed=False)[0])


def _rank_modulo(matrix: Ints) -> int:
    """Rank of a symmetric integer matrix modulo PRIME; never above the rank over the rationals."""
    rest = matrix % PRIME
    rank = 0
    while rest.size:
        row = np.flatnonzero(rest.any(axis=1))
        if not len(row):
            break
        pivot = rest[row[0]]
        column = int(np.flatnonzero(pivot)[0])
        scaled = pivot * pow(int(pivot[column]), -1, PRIME) % PRIME
        rest = np.delete(rest, row[0], axis=0)
        rest = (rest - rest[:, column, None] * scaled % PRIME) % PRIME
        rest = np.delete(rest, column, axis=1)
        rank += 1
    return rank


@dataclass(frozen=True, eq=False)
class Analysis:
    """What [SP, II] says of a problem before it is solved. Informations are in bits.

    `witness` is a direction v in Null(P) with P_{W|Xⁿ} v ≠ 0, of the shape of p and with largest entry 1; p + `step`·v
    and p − `step`·v are pmfs, and revealing which of the two was drawn discloses `witness_information` about W
    [SP, Prop 1]. `residual` is max |P v|. `upper_bound` is Proposition 2 for families, min_g I(W; X_{−g} | X_g), attained at
    `binding`; `lower_bound` is H(Xⁿ) − log2 rank(P) in self-disclosure [SP, Cor 1.2], else the witness's information.
    An optimal mapping needs at most `most_letters` letters [SP, Prop 3]; at least `least_letters`, which is
    ⌈|support| / rank(P)⌉ in self-disclosure only (Corollary 1.1 fails for a general W).
    """

    feasible: bool
    reason: str
    rank: int
    nullity: int
    support: int
    witness: Floats | None
    step: float
    witness_information: float
    residual: float
    upper_bound: float
    binding: tuple[int, ...]
    lower_bound: float
    least_letters: int
    most_letters: int


def analyse(p: Floats, latent: Floats | None = None, private: Groups | None = None) -> Analysis:
    """Feasibility with a witness, bounds on I_s, and bounds on |Y| [SP, Props 1–3, Cors 1.1–1.2].

    p: pmf, one axis a sample, zeros allowed. latent: p(w|xⁿ) of shape p.shape + (|W|,), None for self-disclosure.
    private: the groups of samples that Y must be independent of, None for every single sample.

    >>> found = analyse(np.full((2, 2), 0.25))
    >>> found.feasible, found.nullity, found.upper_bound, found.witness.tolist()
    (True, 1, 1.0, [[1.0, -1.0], [-1.0, 1.0]])
    """
    checked = make_problem(p, latent, private)
    p, latent = checked.p, checked.latent
    system = Constraints.of(p, private)
    mass = p.ravel()[system.where]
    given = None if latent is None else latent.reshape(p.size, -1)[system.where]
    direction = null_direction(system, given)
    bound, binding = simple_bound(p, latent, private)
    least, lower = 1, 0.0
    if latent is None:
        least = -(-len(system.where) // system.rank)
        lower = max(0.0, float(entropy(mass)) - math.log2(system.rank))
    if direction is None:
        reason = (
            "Null(P) = 0: the private groups determine p, so nothing can be disclosed"
            if system.nullity == 0
            else "Null(P) lies in Null(P_{W|X}): p(w|x) is a sum of functions of the private groups, so Y would be "
            "independent of W"
        )
        return Analysis(
            False, reason, system.rank, system.nullity, len(mass), None, 0.0, 0.0, 0.0, 0.0, binding, 0.0, 1, 1
        )
    step = float(np.min(mass[direction != 0] / np.abs(direction[direction != 0])))
    halves = np.stack([mass + step * direction, mass - step * direction], axis=1).clip(0) / 2
    gained = information(halves if given is None else given.T @ halves)
    witness = np.zeros(p.size)
    witness[system.where] = direction
    return Analysis(
        True,
        "Null(P) is not within Null(P_{W|X})",
        system.rank,
        system.nullity,
        len(mass),
        witness.reshape(p.shape),
        step,
        gained,
        float(np.abs(system.times(direction)).max()),
        bound,
        binding,
        max(lower, gained),
        max(least, 2),
        system.nullity + 1,
    )


def null_direction(system: Constraints, given: Floats | None) -> Floats | None:
    """A vector of Null(P) on which W depends, largest entry 1; None when there is none.

    The part r of a function f outside the row space of P lies in Null(P), and f·r = ‖r‖². With f = p(w|·) it is
    therefore a witness as soon as it is not zero; in self-disclosure any non-zero vector is one.
    """
    if system.nullity == 0:
        return None
    if given is None:
        probe = system.outside(np.random.default_rng(0).random(len(system.where)))[:, 0]
        chosen = system.outside(np.arange(len(probe)) == np.abs(probe).argmax())
    else:
        chosen = system.outside(given)
    best = np.abs(chosen).max(axis=0)
    if best.max() <= FLAT:
        return None
    found = chosen[:, best.argmax()]
    found = found / found[np.abs(found).argmax()]
    near = np.round(found * 720720) / 720720  # a small multiple of a whole vector is shown, and checked, as that
    if np.abs(near - found).max() < 1e-12 and np.abs(system.times(near)).max() < np.abs(system.times(found)).max():
        found = near
    return np.asarray(found)


def simple_bound(
    p: Floats, latent: Floats | None = None, private: Groups | None = None
) -> tuple[float, tuple[int, ...]]:
    """Proposition 2 for families: I_s ≤ min_g I(W; X_{−g} | X_g) = I(W;Xⁿ) − max_g I(W;X_g), and the g that attains it.

    The proof of (4) only uses X_g ⊥ Y, so a group may stand for the sample. In self-disclosure the bound is
    H(Xⁿ) − max_g H(X_g) [SP, Lemma 6].

    >>> simple_bound(np.full((2, 2, 2), 0.125))
    (2.0, (0,))
    """
    groups = family(private, p.ndim) or ((),)
    if latent is None:
        total, parts = float(entropy(p)), [float(entropy(marginal(p, g))) for g in groups]
    else:
        joint = p[..., None] * latent
        total = information(joint.reshape(p.size, -1))
        parts = [information(marginal(joint, g, extra=1)) for g in groups]
    best = int(np.argmax(parts))
    return max(0.0, total - parts[best]), groups[best]
