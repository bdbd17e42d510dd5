"""The problem of perfect sample privacy as arrays: the pmf of the samples, the latent variable, and what is private.

p(y|xⁿ) is private when Y is independent of X_g for every group g of the family ``private`` [SP, Def 1]. Then each
posterior u = p(xⁿ|y) lies in the polytope {u ≥ 0 : A u = A p}, A the marginal indicators of every group [SP, Lemma 1],
and I(W;Y) = H(W) − Σ_y p_y H(W|u_y) with Σ_y p_y u_y = p. Engines see that polytope and that objective only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError

SUM_TOLERANCE = 1e-9  # a pmf this close to one is normalised, any other is refused
CELL_LIMIT = 1 << 24  # cells of p: beyond, a dense array is the wrong input


def self_information(values: npt.ArrayLike) -> FloatArray:
    """h(v) = −v log2 v, with h(0) = 0; entries below 0 by rounding count as 0."""
    v = np.asarray(values, np.float64)
    safe = np.where(v > 0, v, 1.0)
    return np.asarray(-safe * np.log2(safe), np.float64)


def sums_by(kind: IntArray, weights: FloatArray, count: int = 0) -> FloatArray:
    """Total weight of each kind 0, 1, …"""
    return np.asarray(np.bincount(kind, weights, count), np.float64)


def entropy(pmf: npt.ArrayLike, axis: int | None = None) -> FloatArray:
    """Shannon entropy in bits, along an axis or of the whole array."""
    return np.asarray(self_information(pmf).sum(axis=axis))


@dataclass(frozen=True, eq=False)
class Program:
    """Minimise Σ_y p_y H(Q u_y) over posteriors u_y of {u ≥ 0 : rows u = rows p} with Σ_y p_y u_y = p [SP, (15)].

    Attributes
    ----------
    rows
        A, linearly independent rows only: rank × N.
    p
        The pmf on the N points of the support, all positive.
    latent
        Q = p(w|x), |W| × N; None for the identity (self-disclosure).
    """

    rows: FloatArray
    p: FloatArray
    latent: FloatArray | None = None

    @property
    def rank(self) -> int:
        """Rank of A: a vertex has at most this many positive entries."""
        return len(self.rows)

    @property
    def size(self) -> int:
        """N, the points of the support."""
        return len(self.p)

    @cached_property
    def b(self) -> FloatArray:
        """A p: the marginals that every posterior shares."""
        return np.asarray(self.rows @ self.p, np.float64)

    @cached_property
    def latent_entropy(self) -> float:
        """H(W) in bits."""
        return float(entropy(self.p if self.latent is None else self.latent @ self.p))

    def uncertainty(self, posteriors: FloatArray) -> FloatArray:
        """H(W|Y=y) in bits of each posterior, one per row."""
        return entropy(posteriors if self.latent is None else posteriors @ self.latent.T, axis=-1)


@dataclass(frozen=True, eq=False)
class Problem:
    """A checked input: p with one axis a sample, p(w|xⁿ) or none, and the family of private groups.

    Attributes
    ----------
    p
        p(xⁿ), normalised.
    latent
        p(w|xⁿ), shape ``p.shape + (|W|,)``, or None for self-disclosure.
    private
        The groups g, sorted, without those that lie in another.
    cells
        The support, one row of sample values per cell, in the order of ``p.ravel()``.
    """

    p: FloatArray
    latent: FloatArray | None
    private: tuple[tuple[int, ...], ...]
    cells: IntArray

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.p.ndim

    @cached_property
    def flat(self) -> IntArray:
        """Places of the support in ``p.ravel()``, ascending."""
        return np.flatnonzero(self.p.ravel() > 0)

    @cached_property
    def weights(self) -> FloatArray:
        """p on the support."""
        return self.p.ravel()[self.flat]

    @cached_property
    def latent_weights(self) -> FloatArray | None:
        """p(w|x) on the support, N × |W|; None for self-disclosure."""
        if self.latent is None:
            return None
        return self.latent.reshape(-1, self.latent.shape[-1])[self.flat]

    @cached_property
    def program(self) -> Program:
        """The same as a linear program over posteriors."""
        latent = self.latent_weights
        rows = independent_rows(indicators(self.cells, self.private), self.weights)
        return Program(rows, self.weights, None if latent is None else np.ascontiguousarray(latent.T))


def make_problem(
    p: npt.ArrayLike, latent: npt.ArrayLike | None = None, private: Sequence[Sequence[int] | int] | None = None
) -> Problem:
    """Check and normalise an input.

    Raises
    ------
    InputError
        When p or latent is no pmf within 1e-9, shapes disagree, or ``private`` names a sample that is not there.
    """
    pmf = checked_pmf(p)
    given = None if latent is None else checked_latent(latent, pmf)
    if given is not None and _names_cells(given[pmf > 0]):
        given = None
    cells = np.argwhere(pmf > 0).astype(np.int64)
    return Problem(pmf, given, family(private, pmf.ndim), cells)


def array_of(values: Any, name: str) -> npt.NDArray[Any]:
    """An array of any type; rows of different lengths make none."""
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(f"{name} must be an array: give rows of the same length") from None


def checked_pmf(p: npt.ArrayLike) -> FloatArray:
    """A pmf, normalised; an InputError for what is none within 1e-9."""
    pmf = _numbers(p, "p")
    if pmf.ndim == 0:
        raise InputError("p needs one axis a sample: a single number has none")
    if pmf.size > CELL_LIMIT:
        raise InputError(
            f"p has {pmf.size:,} cells, more than {CELL_LIMIT:,}: give exchangeable samples by their types"
        )
    total = float(pmf.sum())
    if abs(total - 1) > SUM_TOLERANCE:
        raise InputError(f"p sums to {total:.12g}, not to one: divide it by its sum if these are counts")
    return pmf / total


def _numbers(values: npt.ArrayLike, name: str) -> FloatArray:
    try:
        found = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers, one axis a sample") from None
    if not np.isfinite(found).all():
        raise InputError(f"{name} has entries that are not finite: replace NaN and infinity before")
    if (found < 0).any():
        raise InputError(f"{name} has negative entries: probabilities are at least 0")
    return found


def checked_latent(values: npt.ArrayLike, pmf: FloatArray) -> FloatArray:
    """p(w|x), normalised; an InputError for what does not fit the pmf."""
    found = _numbers(values, "latent")
    if found.shape[:-1] != pmf.shape or found.ndim != pmf.ndim + 1 or found.shape[-1] == 0:
        raise InputError(f"latent has shape {found.shape}: p(w|x) needs {pmf.shape} and one more axis for w")
    sums = found.sum(-1)
    if (np.abs(sums - 1) > SUM_TOLERANCE)[pmf > 0].any():
        raise InputError("latent must sum to one over its last axis wherever p is positive: give p(w|x), not p(w, x)")
    return found / np.where(sums > 0, sums, 1.0)[..., None]


def _names_cells(latent: FloatArray) -> bool:
    """Whether W is a one-to-one function of the cell: then it is self-disclosure, and has its symmetries."""
    if latent.shape[1] < len(latent) or not (latent.max(1) == 1.0).all():
        return False
    return len(np.unique(latent.argmax(1))) == len(latent)


def family(private: Sequence[Sequence[int] | int] | None, n: int) -> tuple[tuple[int, ...], ...]:
    """The private groups as sorted tuples; groups inside another say nothing new and are dropped."""
    if private is None:
        return tuple((i,) for i in range(n))
    groups = set()
    for group in private:
        members = _members(group)
        for i in members:
            if not 0 <= i < n:
                raise InputError(f"private names sample {i}, but samples are numbered 0 to {n - 1}")
        groups.add(tuple(sorted(set(members))))
    return tuple(sorted(g for g in groups if g and not any(set(g) < set(other) for other in groups)))


def _members(group: Sequence[int] | int) -> list[int]:
    listed: list[Any] = list(group) if isinstance(group, Iterable) else [group]
    if any(isinstance(i, bool) or not isinstance(i, (int, np.integer)) for i in listed):
        raise InputError("private must be a list of tuples of sample numbers, such as [(0,), (1, 2)]")
    return [int(i) for i in listed]


def indicators(cells: IntArray, groups: Sequence[tuple[int, ...]]) -> FloatArray:
    """P of [SP, (3)]: a row for every group g and value of x_g that occurs, 1 on the cells that have it."""
    found = [np.ones((1, len(cells)))]  # posteriors sum to one, also when nothing is private
    for group in groups:
        code = np.unique(cells[:, list(group)], axis=0, return_inverse=True)[1].ravel()
        found.append((code == np.arange(int(code.max()) + 1)[:, None]).astype(np.float64))
    return np.concatenate(found)


def independent_rows(matrix: FloatArray, p: FloatArray | None = None) -> FloatArray:
    """A largest set of linearly independent rows, in their order; given p, rare rows are kept and common ones dropped.

    The mass of a dropped value is one less the others: right to 1e-16 of one, which for a rare value is nothing.
    """
    from scipy.linalg import qr

    scale = np.ones(len(matrix))
    if p is not None:  # pivots go by length; a fourth root keeps the rounding of the longest below the shortest
        scale = np.clip(matrix @ p, 1e-24, None) ** -0.25
    triangle, order = qr((matrix * scale[:, None]).T, mode="r", pivoting=True)
    diagonal = np.abs(np.diagonal(triangle)) / scale[order[: min(matrix.shape)]]
    rank = int((diagonal > 1e-9 * np.linalg.norm(matrix, axis=1).max(initial=1.0)).sum())
    return np.ascontiguousarray(matrix[np.sort(order[:rank])])
