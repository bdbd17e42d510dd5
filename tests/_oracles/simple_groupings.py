"""k-member, as the literature has it, on letters: what releases of whole tables are held against, beside Mondrian.

It keeps twins together and labels cells by hulls; the requirement is n, and one k. It knows nothing of the engine but its
letters and columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from discreet.search.tables import Column, Letters, Requirement

Array = np.ndarray[Any, Any]


def fitting(letters: Letters, requirement: Requirement) -> Callable[[Array], bool]:
    """Whether letters (numbers in an array) have what a group must have."""
    k = requirement.k[0] if requirement.k else 0

    def fits(group: Array) -> bool:
        if letters.counts[group].sum() < requirement.n:
            return False
        if k <= 1:
            return True
        values = letters.sensitive[0]
        held = [values.value[values.indptr[x] : values.indptr[x + 1]] for x in group]
        return len(np.unique(np.concatenate(held))) >= k

    return fits


class Grown:
    """A group while it grows: its letters, its hull, and what the hull would cost with one more letter."""

    def __init__(self, letters: Letters, columns: tuple[Column, ...], seed: int) -> None:
        self.letters, self.columns = letters, columns
        self.weights = np.array([column.weight for column in columns]) / sum(column.weight for column in columns)
        self.members: list[int] = []
        self.low = letters.codes[seed].copy()
        self.high = self.low.copy()
        self.held = [np.zeros(column.size, dtype=bool) for column in columns]
        self.add(seed)

    def add(self, x: int) -> None:
        """Take a letter in."""
        self.members.append(x)
        at = self.letters.codes[x]
        self.low, self.high = np.minimum(self.low, at), np.maximum(self.high, at)
        for held, code in zip(self.held, at.tolist(), strict=True):
            held[code] = True

    @property
    def records(self) -> int:
        """How many records it has."""
        return int(self.letters.counts[self.members].sum())

    def cost_with(self, others: Array) -> Array:
        """The NCP of the hull with each of these letters."""
        total = np.zeros(len(others))
        for c, column in enumerate(self.columns):
            at = self.letters.codes[others, c]
            if column.kind == "set":
                cost = (self.held[c].sum() + ~self.held[c][at] - 1) / max(1, column.size - 1)
            else:
                cost = column.spans(np.minimum(at, self.low[c]), np.maximum(at, self.high[c]))
            total += self.weights[c] * cost
        return total


def k_member(letters: Letters, columns: tuple[Column, ...], requirement: Requirement) -> Array:
    """From the letter furthest from the last seed, a group grows by the letter that costs least until it fits."""
    fits = fitting(letters, requirement)
    free = np.arange(letters.size)
    last = 0
    groups: list[Grown] = []
    while len(free) and fits(free):
        last = int(free[np.argmax(Grown(letters, columns, last).cost_with(free))])
        group = Grown(letters, columns, last)
        free = free[free != last]
        while not fits(np.array(group.members)):
            new = int(free[np.argmin(group.cost_with(free))])
            group.add(new)
            free = free[free != new]
        groups.append(group)
    for x in free:  # each of the rest where it costs least
        one = np.array([x])
        rises = [
            (group.records + letters.counts[x]) * group.cost_with(one)[0]
            - group.records * group.cost_with(np.array(group.members[:1]))[0]
            for group in groups
        ]
        groups[int(np.argmin(rises))].add(int(x))
    group_of = np.zeros(letters.size, dtype=np.int64)
    for g, group in enumerate(groups):
        group_of[group.members] = g
    return group_of
