"""Exchangeable samples: which may be swapped, the types of a data set, and the program over types.

Samples i and j may be swapped when that leaves p, the latent variable and the family of private groups as they are. The
relation is an equivalence, so the symmetry found is "any order within each class". A type is how often each value
occurs in each class; cells of one type have one probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from discreet.sample_privacy._problem import Program, entropy, independent_rows, sums_by

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._problem import Problem

SAME = 1e-12  # relative: probabilities that are one up to rounding


@dataclass(frozen=True, eq=False)
class Types:
    """The types of n samples.

    Attributes
    ----------
    shape
        The alphabet sizes, one per sample.
    classes
        The class of each sample; samples of one class may be swapped.
    counts
        Of each type, how often each value occurs in each class: T × classes × values.
    p
        The pmf of the type, positive.
    sizes
        log2 of the number of cells of each type.
    marginals
        For one group g of each kind: P(x_g|type), values of x_g × T.
    """

    shape: tuple[int, ...]
    classes: IntArray
    counts: IntArray
    p: FloatArray
    sizes: FloatArray
    marginals: tuple[FloatArray, ...]

    @property
    def n(self) -> int:
        """The number of samples."""
        return len(self.classes)

    @property
    def entropy(self) -> float:
        """H(Xⁿ) in bits."""
        return float(entropy(self.p) + self.p @ self.sizes)

    def value_pmf(self, label: int) -> FloatArray:
        """The pmf of one sample of a class."""
        of_class = self.counts[:, label, :]
        found = self.p @ (of_class / of_class.sum(1, keepdims=True))
        return np.asarray(found / found.sum())

    @cached_property
    def _codes(self) -> tuple[IntArray, IntArray, IntArray]:
        weights = _weights(self.counts.shape[1:], self.n)
        codes = (self.counts * weights).sum((1, 2))
        order = np.argsort(codes, kind="stable")
        return weights, codes[order], order

    def of(self, samples: IntArray) -> IntArray:
        """The type of each row of samples; T, one past the last, where its probability is zero."""
        weights, codes, order = self._codes
        wanted = weights[self.classes, samples].sum(1)
        at = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        return np.where(codes[at] == wanted, order[at], len(codes))


def _weights(shape: tuple[int, ...], n: int) -> IntArray:
    """Weights under which count tables have distinct sums: powers of n+1, or random ones where these overflow."""
    cells = int(np.prod(shape))
    if (n + 1.0) ** cells < 2.0**62:
        return ((n + 1) ** np.arange(cells, dtype=np.int64)).reshape(shape)
    return np.random.default_rng(0).integers(0, 1 << 54, shape)


def swap_classes(problem: Problem) -> IntArray:
    """The class of each sample, numbered from 0; all different when nothing may be swapped."""
    p, latent, groups = problem.p, problem.latent, set(problem.private)
    classes = np.full(problem.n, -1, np.int64)
    leaders: list[int] = []
    for i in range(problem.n):
        for label, leader in enumerate(leaders):
            if (
                p.shape[i] == p.shape[leader]
                and {_swapped(group, i, leader) for group in groups} == groups
                and np.allclose(p, p.swapaxes(i, leader), rtol=SAME, atol=0)
                and (latent is None or np.allclose(latent, latent.swapaxes(i, leader), rtol=SAME, atol=SAME))
            ):
                classes[i] = label
                break
        else:
            classes[i] = len(leaders)
            leaders.append(i)
    return classes


def _swapped(group: tuple[int, ...], i: int, j: int) -> tuple[int, ...]:
    return tuple(sorted(j if k == i else i if k == j else k for k in group))


def types_of(problem: Problem, classes: IntArray) -> tuple[Types, IntArray]:
    """The types of a problem's support, and the type of each of its cells."""
    cells = problem.cells
    shape = (int(classes.max()) + 1, max(problem.p.shape))
    weights = _weights(shape, problem.n)
    codes, first, kind = np.unique(weights[classes, cells].sum(1), return_index=True, return_inverse=True)
    kind = kind.ravel()
    counts = np.zeros((len(codes), *shape), np.int64)
    for sample, label in enumerate(classes):
        np.add.at(counts, (np.arange(len(codes)), label, cells[first, sample]), 1)
    sizes = np.bincount(kind)
    kinds: dict[tuple[int, ...], FloatArray] = {}
    for group in problem.private:
        signature = tuple(sorted(int(classes[i]) for i in group))
        if signature not in kinds:
            value = np.unique(cells[:, list(group)], axis=0, return_inverse=True)[1].ravel()
            found = np.zeros((int(value.max()) + 1, len(codes)))
            np.add.at(found, (value, kind), 1.0)
            kinds[signature] = found / sizes
    p = sums_by(kind, problem.weights)
    p /= p.sum()  # a million terms leave a rounding error that would show as a leak
    return Types(problem.p.shape, classes, counts, p, np.log2(sizes), tuple(kinds.values())), kind


def exchangeable_types(p: FloatArray, n: int, values: int) -> Types:
    """Types of n samples that may all be swapped, from the pmf of the type.

    ``p`` is in the order of `type_counts`; for two values p[k] is the probability that k samples have value 1.
    """
    counts = type_counts(n, values)
    seen = p > 0
    counts = counts[seen]
    sizes = np.array([lgamma(n + 1) - sum(lgamma(k + 1) for k in row) for row in counts.tolist()]) / log(2)
    one = np.ascontiguousarray(counts.T / n)
    return Types((values,) * n, np.zeros(n, np.int64), counts[:, None, :], p[seen] / p.sum(), sizes, (one,))


def type_counts(n: int, values: int) -> IntArray:
    """All ways in which n samples share the values, T × values; for two values row k has k ones."""
    rows = [np.bincount(chosen, minlength=values) for chosen in combinations_with_replacement(range(values), n)]
    return np.array(rows, np.int64).reshape(-1, values)


def type_program(types: Types, latent: FloatArray | None) -> Program:
    """The program over types: Y may look at the type only, and a type's cells share its mass.

    Averaging a private mapping over the order of the samples keeps it private, and keeps I(W;Y) when p(w|x) depends on
    the type only; so for such a W nothing is lost. ``latent`` is p(w|type), T × |W|, or None for W = the type.
    """
    ones = np.ones((1, len(types.p)))
    rows = independent_rows(np.concatenate([ones, *types.marginals]), types.p)
    return Program(rows, types.p, None if latent is None else np.ascontiguousarray(latent.T))


def latent_by_type(problem: Problem, types: Types, kind: IntArray) -> FloatArray | None:
    """p(w|type) where p(w|x) depends on the type only, else None."""
    latent = problem.latent_weights
    if latent is None:
        return None
    first = np.unique(kind, return_index=True)[1]
    found = latent[first]
    return found if np.allclose(latent, found[kind], rtol=SAME, atol=SAME) else None
