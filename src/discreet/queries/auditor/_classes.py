"""Classes of people whom past questions cannot tell apart, and the slabs that hold their sums (AUDITOR.md, "Fast")."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.queries.auditor._people import People

DENSE = 300_000
"""Systems of at most this many classes x rows are also kept as a table."""

CROWDED, BLOCK = 0.3, 2048
"""Where more than this share of the weights is not 0, a Gram matrix is built from tables of so many classes."""


def dot(a: FloatArray, b: FloatArray) -> float:
    """a . b in one thread: the same whatever the number of cores, and no waiting for them."""
    return float(np.einsum("i,i->", a, b))


@dataclass(frozen=True, eq=False)
class Subject:
    """A person whose value is a function of several others, and the length of it to keep, in steps x scale."""

    person: int
    people: IntArray
    weights: FloatArray
    need: float
    offset: Fraction
    scale: int


@dataclass(frozen=True, eq=False)
class System:
    """Classes of people and the slabs that hold their sums: all that is known of the data, on the grid.

    Attributes
    ----------
    class_of
        The class of each person; -1 for people without a value of their own.
    member
        One person of each class; all of a class have the same bounds, need and questions.
    members
        Number of people of each class.
    indptr, rows, weights
        The weight of each class in each row, class by class.
    ends
        Exact ends of each row's slab, in steps.
    floor, ceiling
        The least and the greatest integer within them; an open end is not within.
    """

    people: People
    class_of: IntArray
    member: IntArray
    members: FloatArray
    indptr: IntArray
    rows: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    ends: list[tuple[Fraction, Fraction]]
    floor: FloatArray
    ceiling: FloatArray

    @classmethod
    def start(cls, people: People) -> System:
        """Before any question: classes by bounds and need; rows from what is publicly known."""
        chosen = np.flatnonzero(people.free)
        alone = np.zeros(people.n, np.int64)
        alone[people.special] = 1 + np.arange(len(people.special))
        keys = np.stack([people.kind, people.need, alone], axis=1)[chosen]
        _, first, label, count = np.unique(keys, axis=0, return_index=True, return_inverse=True, return_counts=True)
        class_of = np.full(people.n, -1, np.int64)
        class_of[chosen] = label.reshape(-1)
        empty = np.zeros(0)
        system = cls(
            people,
            class_of,
            chosen[first],
            count.astype(np.float64),
            np.zeros(len(first) + 1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0, np.float32),
            [],
            empty,
            empty,
        )
        for functional, low, high in people.prior:
            row = people.on_grid(functional)
            to_steps = row.scale / people.unit
            system = system.cut(
                row.weights[system.member], (low - row.offset) * to_steps, (high - row.offset) * to_steps, closed=True
            )
        return system

    @property
    def n(self) -> int:
        """Number of classes."""
        return len(self.member)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.floor)

    @cached_property
    def steps(self) -> FloatArray:
        """The range of one person of each class."""
        return self.people.steps[self.member]

    @cached_property
    def total(self) -> FloatArray:
        """The range of each class sum."""
        return self.steps * self.members

    @cached_property
    def need(self) -> FloatArray:
        """The length that each person of a class keeps."""
        return self.people.need[self.member]

    @cached_property
    def subjects(self) -> list[Subject]:
        """The derived people who follow several others."""
        found = []
        for person, functional in self.people.derived.items():
            if len(functional.weights) == 1:
                continue
            row = self.people.on_grid(functional)
            where = np.array(list(functional.weights), np.int64)
            need = math.ceil(Fraction(float(self.people.keep[person])) * row.scale / self.people.unit)
            found.append(Subject(person, where, row.weights[where], need, row.offset, row.scale))
        return found

    @cached_property
    def inner(self) -> tuple[FloatArray, FloatArray]:
        """Ends of the rows for real points: drawn in so far that a point between them may be rounded to the grid.

        Whole numbers are relaxed instead: no whole number is between an end and one that is pushed out by half.
        """
        if self.people.integral:
            return self.floor - 0.45, self.ceiling + 0.45
        margin = 1 + np.bincount(self.rows, np.abs(self.weights), self.n_rows) / 2
        return self.floor + margin, self.ceiling - margin

    def strictly_inside(self, x: FloatArray, sums: FloatArray | None = None) -> bool:
        """Whether x has room on all sides to be rounded to the grid; `sums` are those of its rows, where they are known."""
        sums = self.sums(x) if sums is None else sums
        low, high = self.inner
        return bool((x > 0).all() and (x < self.total).all() and (sums > low).all() and (sums < high).all())

    @cached_property
    def dense(self) -> FloatArray | None:
        """The weights as a table, rows by classes, where that is small."""
        if self.n * self.n_rows > DENSE:
            return None
        table = np.zeros((self.n_rows, self.n))
        table[self.rows, np.repeat(np.arange(self.n), np.diff(self.indptr))] = self.weights
        return table

    @cached_property
    def matrix(self) -> tuple[IntArray, npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
        """The weights class by class, for the compiled loops: none where all are 1, and rows as numbers without a sign."""
        weights = self.weights[:0] if bool((self.weights == 1).all()) else self.weights
        return self.indptr, self.rows.view(np.uint32), weights

    def sums(self, x: FloatArray) -> FloatArray:
        """A x: the value of every row, for one point or for several columns of points; exact for whole numbers."""
        if self.dense is not None:
            return np.asarray(self.dense @ x)
        from discreet.queries.auditor._slab_kernels import row_sums

        if x.ndim == 1:
            return np.asarray(row_sums(*self.matrix, x, self.n_rows))
        return np.stack([self.sums(np.ascontiguousarray(column)) for column in x.T], axis=1)

    def pull(self, y: FloatArray) -> FloatArray:
        """A^T y: what multipliers of the rows amount to, class by class."""
        if self.dense is not None:
            return np.asarray(self.dense.T @ y)
        from discreet.queries.auditor._slab_kernels import pulled

        if y.ndim == 1:
            return np.asarray(pulled(*self.matrix, y))
        return np.stack([self.pull(np.ascontiguousarray(column)) for column in y.T], axis=1)

    def gram(self, theta: FloatArray, diagonal: FloatArray) -> FloatArray:
        """A diag(theta) A^T + diag(diagonal)."""
        if self.dense is not None:
            half = self.dense * np.sqrt(theta)
            product = half @ half.T
            product.flat[:: self.n_rows + 1] += diagonal
            return np.asarray(product)
        from discreet.queries.auditor._slab_kernels import gram

        if len(self.rows) > CROWDED * self.n * self.n_rows:
            return self._gram_by_blocks(theta, diagonal)
        return np.asarray(gram(*self.matrix, theta, diagonal))

    def _gram_by_blocks(self, theta: FloatArray, diagonal: FloatArray) -> FloatArray:
        """The same through a table of some classes at a time."""
        from scipy.linalg.blas import dsyrk

        from discreet.queries.auditor._slab_kernels import scattered

        root, upper = np.sqrt(theta), np.zeros((self.n_rows, self.n_rows), order="F")
        table = np.empty((BLOCK, self.n_rows))
        for first in range(0, self.n, BLOCK):
            block = table[: min(BLOCK, self.n - first)]
            scattered(self.indptr, self.rows, self.weights, root, first, block)
            upper = dsyrk(1.0, block.T, beta=1.0, c=upper, overwrite_c=1)
        return np.asarray(upper + np.triu(upper, 1).T + np.diag(diagonal))

    def hessian(self, theta: FloatArray, diagonal: FloatArray) -> FloatArray:
        """diag(1/theta) + A^T diag(1/diagonal) A, for a system that is also kept as a table."""
        half = (self.dense if self.dense is not None else np.zeros((0, self.n))) / np.sqrt(diagonal)[:, None]
        product = half.T @ half
        product.flat[:: self.n + 1] += 1 / theta
        return np.asarray(product)

    def split(self, weights: FloatArray) -> tuple[System, IntArray]:
        """Tell people of different weights apart in every class; those without one come before others.

        Returns the finer system and the old class of each new one.
        """
        chosen = np.flatnonzero(self.class_of >= 0)
        levels, which = levels_of(weights[chosen])
        keys = self.class_of[chosen] * levels + which
        if levels > 2:
            found, label, count = np.unique(keys, return_inverse=True, return_counts=True)
        else:
            count = np.bincount(keys, minlength=self.n * levels)
            found = np.flatnonzero(count)
            label, count = (np.cumsum(count > 0) - 1)[keys], count[found]
        parent = found // levels
        if len(parent) == self.n:
            return self, parent
        class_of = np.full(self.people.n, -1, np.int64)
        class_of[chosen] = label
        member = np.empty(len(parent), np.int64)
        member[label[::-1]] = chosen[::-1]
        length = np.diff(self.indptr)[parent]
        indptr = np.concatenate([[0], np.cumsum(length)])
        taken = np.arange(indptr[-1]) + np.repeat(self.indptr[parent] - indptr[:-1], length)
        finer = replace(
            self,
            class_of=class_of,
            member=member,
            members=count.astype(np.float64),
            indptr=indptr,
            rows=self.rows[taken],
            weights=self.weights[taken],
        )
        return finer, parent

    def cut(self, weights: FloatArray, low: Fraction, high: Fraction, *, closed: bool) -> System:
        """Add a row (weights by class) whose value lies in [low, high], or in [low, high) unless closed."""
        has = weights != 0
        length = np.diff(self.indptr)
        indptr = np.concatenate([[0], np.cumsum(length + has)])
        size = int(indptr[-1])
        last = (indptr[1:] - 1)[has]
        kept = np.ones(size, np.bool_)
        kept[last] = False
        rows, values = np.empty(size, np.int32), np.empty(size, np.float32)
        rows[kept], values[kept] = self.rows, self.weights
        rows[last], values[last] = self.n_rows, weights[has]
        longer = replace(
            self,
            indptr=indptr,
            rows=rows,
            weights=values,
            ends=[*self.ends, (low, high)],
            floor=np.append(self.floor, -np.inf),
            ceiling=np.append(self.ceiling, np.inf),
        )
        return longer.tighten(self.n_rows, low, high, closed=closed)

    def tighten(self, row: int, low: Fraction, high: Fraction, *, closed: bool) -> System:
        """Cut a row's slab by [low, high], or by [low, high) unless closed."""
        floor, ceiling, ends = self.floor.copy(), self.ceiling.copy(), list(self.ends)
        floor[row] = max(floor[row], float(math.ceil(low)))
        ceiling[row] = min(ceiling[row], float(math.floor(high) if closed else math.ceil(high) - 1))
        ends[row] = (max(ends[row][0], low), min(ends[row][1], high))
        narrower = replace(self, floor=floor, ceiling=ceiling, ends=ends)
        # What does not depend on the slabs is not worked out again for every cell.
        narrower.__dict__.update({name: getattr(self, name) for name in ("steps", "total", "need", "dense", "matrix")})
        return narrower

    def spread(self, x: FloatArray, coarser: System, parent: IntArray) -> FloatArray:
        """Class sums of a coarser system shared out equally among people."""
        return x[parent] * self.members / coarser.members[parent]


def levels_of(weights: FloatArray) -> tuple[int, IntArray]:
    """How many weights there are, and which of them each person has."""
    inside = weights != 0
    given = weights[inside]
    if not len(given) or (given == given[0]).all():
        return 2, inside.astype(np.int64)
    levels, which = np.unique(weights, return_inverse=True)
    return len(levels), which.reshape(-1).astype(np.int64)
