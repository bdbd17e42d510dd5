"""P of [SP, (3)] as an operator: its rank, its null space, and directions in it [SP, Lemma 1].

P is a 0/1 matrix: one row for each value of each private group of samples, one column for each xⁿ with p(xⁿ) > 0. Y is
independent of every group iff p − p(·|y) lies in Null(P) for every y. The matrix is never stored: a group is the row
that each column hits, so that P t is a bincount and Pᵀ c a lookup.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.sample_privacy._problem import family

ROWS = 4000
"""Rows of P beyond which its Gram matrix is not built."""

PRIME = 2_147_483_647
"""Ranks of three or more groups are counted modulo this prime (a Mersenne prime: products of residues fit 64 bits)."""

FLAT = 1e-11
"""A latent whose part outside the row space of P is below this everywhere counts as inside it."""


@dataclass(frozen=True, eq=False)
class Constraints:
    """P of [SP, (3)] on the support of p, for any family of private groups.

    `where` are the places of the support in p.ravel(); `rows[g]` is the row of P that each of them hits for group g,
    rows counted through over all groups; `height` is the number of rows.
    """

    shape: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    where: IntArray
    rows: tuple[IntArray, ...]
    height: int

    @classmethod
    def of(cls, p: FloatArray, private: Sequence[Sequence[int]] | None = None) -> Constraints:
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

    def times(self, t: FloatArray) -> FloatArray:
        """P t: how much of t falls on each value of each group."""
        return np.asarray(sum(np.bincount(rows, weights=t, minlength=self.height) for rows in self.rows))

    def back(self, c: FloatArray) -> FloatArray:
        """Pᵀ c: what one number for each constraint amounts to in every cell."""
        return np.asarray(sum(c[rows] for rows in self.rows))

    @cached_property
    def gram(self) -> IntArray:
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

    def outside(self, f: FloatArray) -> FloatArray:
        """The part of each column of f (one row a point of the support) that lies in Null(P)."""
        values, vectors = np.linalg.eigh(self.gram.astype(np.float64))
        kept = slice(len(values) - self.rank, None)  # ascending: the first ones are the zeros
        inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
        left = np.array(f, dtype=np.float64, copy=True).reshape(len(self.where), -1)
        for _ in range(3):  # the normal equations square the condition number; repeating the step refines
            for column in range(left.shape[1]):
                left[:, column] -= self.back(inverse @ self.times(left[:, column]))
        return left


def _components(left: IntArray, right: IntArray, height: int) -> int:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(left), dtype=np.int8), (left, right)), shape=(height, height))
    return int(connected_components(graph, directed=False)[0])


def _rank_modulo(matrix: IntArray) -> int:
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


def null_direction(system: Constraints, given: FloatArray | None) -> FloatArray | None:
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
