"""The best known attacks on counts of a private category: who can still be in which, by linear and integer programs.

People in the same groups cannot be told apart and are attacked as one class. A category is excluded for a class if no numbers
of people by class and category fit all cells with somebody of it there: first real numbers, then whole ones for the classes
with the fewest categories left. Nothing here shares code with the auditor's own proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet._typing import BoolArray, FloatArray, IntArray

PROGRAMS, INTEGER = 4000, 400
"""Linear and integer programs that one attack may take; the largest classes come last."""

NODES = 2000
"""Of one integer program."""

SURE = 1e-6

CountTold = tuple[IntArray, int, int, int]
"""Who was asked about, the category, and the cell of its count."""


def attacked_categories(people: int, categories: int, told: Sequence[CountTold]) -> tuple[BoolArray, int]:
    """Which categories cannot be excluded for each person, and how many people were attacked."""
    if not told:
        return np.ones((people, categories), bool), people
    known = _known(people, categories, told)
    order = np.argsort(known.sizes, kind="stable")[: max(1, PROGRAMS // categories)]
    possible = np.ones((len(known.sizes), categories), bool)
    shown = np.zeros_like(possible)  # by a program that was solved for another class
    for c in order.tolist():
        for k in range(categories):
            if not shown[c, k]:
                found = known.solve(c, k, integer=False)
                possible[c, k] = found is not None
                if found is not None:
                    shown |= found >= 1
    shown[:] = False
    programs = INTEGER
    for c in order[np.argsort(possible[order].sum(axis=1), kind="stable")].tolist():
        for k in np.flatnonzero(possible[c]).tolist():
            if not shown[c, k] and programs > 0:
                programs -= 1
                found = known.solve(c, k, integer=True)
                possible[c, k] = found is not None
                if found is not None:
                    shown |= np.rint(found) >= 1
    return possible[known.which], int(known.sizes[order].sum())


@dataclass(frozen=True, eq=False)
class _Known:
    which: IntArray
    sizes: IntArray
    categories: int
    table: Any  # answers by classes x categories, then one row a class
    low: FloatArray
    high: FloatArray

    def solve(self, c: int, category: int, *, integer: bool) -> FloatArray | None:
        """Numbers of people that fit everything with somebody of a class in a category; None if there are none.

        An integer program that ends without an answer excludes nothing.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        many = len(self.sizes) * self.categories
        least = np.zeros(many)
        least[c * self.categories + category] = 1
        room = 0.0 if integer else SURE
        solved = milp(
            np.zeros(many),
            integrality=np.full(many, int(integer)),
            bounds=Bounds(least, np.repeat(self.sizes, self.categories)),
            constraints=LinearConstraint(self.table, self.low - room, self.high + room),
            options={"node_limit": NODES},
        )
        if solved.status == 2:  # infeasible
            return None
        found = np.zeros(many) if solved.x is None else solved.x
        return np.asarray(found).reshape(-1, self.categories)


def _known(people: int, categories: int, told: Sequence[CountTold]) -> _Known:
    from scipy.sparse import csc_array, vstack

    inside = np.zeros((people, len(told)), bool)
    for i, (members, *_) in enumerate(told):
        inside[members, i] = True
    packed = np.ascontiguousarray(np.packbits(inside, axis=1))
    keys = packed.view(f"V{packed.shape[1]}").reshape(-1)
    _, one, which, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    rows, classes = np.nonzero(inside[one].T)
    asked = np.array([category for _, category, _, _ in told])
    shape = len(told), len(sizes) * categories
    answers = csc_array((np.ones(len(rows)), (rows, classes * categories + asked[rows])), shape=shape)
    variables = np.arange(shape[1])
    wholes = csc_array((np.ones(shape[1]), (variables // categories, variables)))
    low, high = (np.array([float(each[side]) for each in told]) for side in (2, 3))
    table = csc_array(vstack([answers, wholes]))
    ends = np.concatenate([low, sizes]), np.concatenate([high, sizes])
    return _Known(which.reshape(-1).astype(np.int64), sizes.astype(np.int64), categories, table, *ends)
