"""Classes of people whom past questions about categories cannot tell apart, and what is known of their counts.

A data set is, for the auditor, how many people of each class are in each category: whole numbers that add up to the sizes of
the classes. An answer bounds the count of one category in one group, which is a sum over classes. Nothing is kept by person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from discreet._typing import BoolArray, FloatArray, IntArray

MODEL_SIZE, INTEGER_SIZE = 6000, 200
"""Linear and integer programs are for systems of at most this many classes x categories."""

ITERATIONS = 20_000
"""Of one linear program."""

SCALE = 2**16
"""Multipliers are rounded to fractions of this, so that the bound that they prove is exact."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Everything that was told: who is in which groups, and the bounds of the counts of groups by categories.

    Attributes
    ----------
    class_of
        The class of each person.
    sizes
        People of each class.
    inside
        Which classes are in which groups.
    low, high
        Bounds of each group's count of each category, both included.
    places
        The number of each group, by its members as bits.
    """

    class_of: IntArray
    sizes: IntArray
    inside: BoolArray
    low: IntArray
    high: IntArray
    places: Mapping[bytes, int]

    @classmethod
    def start(cls, people: int, categories: int) -> Classes:
        """Before any question."""
        none = np.zeros((0, categories), np.int64)
        return cls(np.zeros(people, np.int64), np.array([people]), np.zeros((1, 0), bool), none, none, {})

    @property
    def n(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @property
    def categories(self) -> int:
        """Number of categories."""
        return int(self.low.shape[1])

    @cached_property
    def links(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Groups class by class, and classes group by group."""
        classes, groups = np.nonzero(self.inside)
        others, turned = np.nonzero(self.inside.T)
        starts, firsts = (
            np.concatenate([[0], np.cumsum(np.bincount(each, minlength=many))])
            for each, many in ((classes, self.n), (others, self.inside.shape[1]))
        )
        return starts, groups, firsts, turned

    @cached_property
    def told(self) -> BoolArray:
        """Bounds that say something."""
        group_sizes = self.sizes @ self.inside
        return np.asarray((self.low > 0) | (self.high < group_sizes[:, None]))

    def split(self, mask: bytes, members: IntArray) -> tuple[Classes, IntArray, int]:
        """Classes after a question about a group, the class that each was part of, and the number of the group."""
        if mask in self.places:
            return self, np.arange(self.n), self.places[mask]
        keys = 2 * self.class_of
        keys[members] += 1
        found, class_of, sizes = np.unique(keys, return_inverse=True, return_counts=True)
        parent, is_in = found // 2, found % 2 == 1
        place = len(self.low)
        finer = Classes(
            class_of.reshape(-1),
            sizes,
            np.column_stack([self.inside[parent], is_in]),
            np.vstack([self.low, np.zeros((1, self.categories), np.int64)]),
            np.vstack([self.high, np.full((1, self.categories), len(members))]),
            {**self.places, mask: place},
        )
        return finer, parent, place

    def cut(self, place: int, category: int, low: int, high: int) -> Classes:
        """With the count of a category in a group between two numbers, both included."""
        least, most = self.low.copy(), self.high.copy()
        least[place, category] = max(low, least[place, category])
        most[place, category] = min(high, most[place, category])
        return replace(self, low=least, high=most)

    def holds(self, point: IntArray) -> bool:
        """Whether a point is a witness: whole numbers that every answer allows."""
        if point.shape != (self.n, self.categories) or point.min(initial=0) < 0:
            return False
        if not np.array_equal(point.sum(axis=1), self.sizes):
            return False
        sums = self.inside.T.astype(np.int64) @ point
        return bool((sums >= self.low).all() and (sums <= self.high).all())

    def counted(self, codes: IntArray) -> IntArray:
        """Data, one category a person, as a point."""
        k = self.categories
        return np.bincount(self.class_of * k + codes, minlength=self.n * k).reshape(self.n, k)

    def reach(self, place: int, category: int) -> tuple[int, int]:
        """Between which numbers the count of a category in a group lies: from each known group alone, and the group's size."""
        mine = self.inside[:, place]
        shared = (self.sizes * mine) @ self.inside
        size, sizes = int(self.sizes @ mine), self.sizes @ self.inside
        high = (self.high + (size - shared)[:, None]).min(axis=0)
        low = np.maximum(0, (self.low - (sizes - shared)[:, None]).max(axis=0))
        return (
            max(int(low[category]), size - int(high.sum() - high[category])),
            min(int(high[category]), size - int(low.sum() - low[category])),
        )

    @cached_property
    def _rows(self) -> tuple[Any, IntArray, IntArray]:
        """Rows of a program: what was told, by class and category."""
        from scipy.sparse import csr_array

        groups, categories = np.nonzero(self.told)
        which, classes = np.nonzero(self.inside[:, groups].T)
        shape = len(groups), self.n * self.categories
        columns = classes * self.categories + categories[which]
        table = csr_array((np.ones(len(which)), (which, columns)), shape=shape)
        return table, self.low[groups, categories], self.high[groups, categories]

    def _sizes_table(self) -> Any:
        from scipy.sparse import csr_array

        variables = np.arange(self.n * self.categories)
        return csr_array((np.ones(len(variables)), (variables // self.categories, variables)))

    def bound(self, place: int, category: int, sign: int) -> tuple[int, FloatArray] | None:
        """An upper bound of sign x count by a linear program, proven by its multipliers in whole numbers, and where it is met.

        For any multipliers y of the rows, sign x count is at most the sum over rows of y x (its upper end, or its lower one
        where y < 0), and over classes of their size x the largest of what is left of the objective among the categories.
        """
        from scipy.optimize import linprog
        from scipy.sparse import vstack

        if self.n * self.categories > MODEL_SIZE:
            return None
        table, low, high = self._rows
        objective = np.zeros((self.n, self.categories))
        objective[self.inside[:, place], category] = sign
        solved = linprog(
            -objective.ravel(),
            A_ub=vstack([table, -table]),
            b_ub=np.concatenate([high, -low]),
            A_eq=self._sizes_table(),
            b_eq=self.sizes,
            method="highs",
            options={"maxiter": ITERATIONS},
        )
        if solved.status != 0 or solved.x is None:
            return None
        above, below = np.split(-solved.ineqlin.marginals, 2)
        multipliers = np.rint((above - below) * SCALE).astype(np.int64)
        left = objective.astype(np.int64) * SCALE - (table.T.astype(np.int64) @ multipliers).reshape(objective.shape)
        ends = np.where(multipliers > 0, high, low)
        most = (int(multipliers @ ends) + int(self.sizes @ left.max(axis=1))) // SCALE
        return most, solved.x.reshape(objective.shape)

    def model(self, least: IntArray, nodes: int) -> IntArray | None:
        """A witness with entries of at least `least` by an integer program, in so many nodes; whoever takes it checks it."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        if self.n * self.categories > INTEGER_SIZE:
            return None
        table, low, high = self._rows
        rows = [LinearConstraint(self._sizes_table(), self.sizes, self.sizes)]
        if len(low):
            rows.append(LinearConstraint(table, low, high))
        variables = self.n * self.categories
        solved = milp(
            np.zeros(variables),
            integrality=np.ones(variables, np.int64),
            bounds=Bounds(least.ravel(), np.repeat(self.sizes, self.categories)),
            constraints=rows,
            options={"node_limit": nodes},
        )
        return None if solved.x is None else np.rint(solved.x).astype(np.int64).reshape(self.n, self.categories)


def rounded(point: FloatArray) -> IntArray:
    """Whole numbers near those of a point, which add up to the same in every class."""
    sums = np.floor(np.cumsum(point, axis=1) + 0.5).astype(np.int64)
    return np.diff(np.maximum.accumulate(sums, axis=1), prepend=0, axis=1)


def shared_out(point: IntArray, coarser: Classes, finer: Classes, parent: IntArray, turn: int) -> IntArray:
    """A witness of coarser classes shared out among their parts, two of each at most; `turn` says who gets the odd ones."""
    if finer.n == coarser.n:
        return point
    many = np.bincount(parent, minlength=coarser.n)
    halves = np.flatnonzero(many[parent] > 1)
    first, second = halves[::2], halves[1::2]  # parts of a class stand next to each other
    whole, size = point[parent[first]], finer.sizes[first][:, None]
    exact = whole * size
    out = point[parent]
    share = exact // coarser.sizes[parent[first]][:, None]
    odd = exact % coarser.sizes[parent[first]][:, None]
    missing = finer.sizes[first] - share.sum(axis=1)
    order = (np.arange(point.shape[1])[None, :] + turn + first[:, None]) % point.shape[1]
    rank = np.lexsort([order, -odd], axis=1)
    takes = np.zeros_like(share)
    np.put_along_axis(takes, rank, (np.arange(point.shape[1])[None, :] < missing[:, None]).astype(np.int64), axis=1)
    out[first] = share + takes
    out[second] = whole - out[first]
    return out
