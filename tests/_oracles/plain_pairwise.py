"""Plain transcriptions of the funnel's merging: every pair looked at in every step. Nothing here is fast.

Costs come from counts alone, in the whole-number units of `funnel/integers.py`, and each step sums them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from discreet.search.information._integers import Integers, integers_of
from discreet.search.information._weights import Weights

Row = tuple[int, ...]
Merge = tuple[int, int]


def weights_from(counts: npt.ArrayLike) -> Weights:
    """Weights from a table with a row for each letter; columns that are never seen are left out."""
    table = np.asarray(counts, float)
    table = table[:, table.sum(axis=0) > 0]
    letter, s = np.nonzero(table)
    indptr = np.searchsorted(letter, np.arange(len(table) + 1)).astype(np.int64)
    return Weights(indptr, s.astype(np.int32), table[letter, s], table.shape[1])


@st.composite
def joints(draw: st.DrawFn, most: int = 9, most_s: int = 4, top: int = 4) -> Weights:
    """Tiny integer joints, in which ties are frequent."""
    n = draw(st.integers(1, most))
    n_s = draw(st.integers(1, most_s))
    row = st.lists(st.integers(0, top), min_size=n_s, max_size=n_s).filter(any)
    return weights_from(draw(st.lists(row, min_size=n, max_size=n)))


def rows_of(weights: Weights) -> dict[int, Row]:
    """Each letter's counts by s, without a common divisor of all."""
    integers = integers_of(weights)
    rows = np.zeros((integers.n, integers.n_s), np.int64)
    rows[weights.letter_of_pair, weights.indices] = integers.count
    return {x: tuple(row) for x, row in enumerate(rows.tolist())}


class Naive:
    """Blocks by name, and the sums of h before and after a merge."""

    def __init__(self, weights: Weights, known: dict[tuple[Row, Row], tuple[int, int]] | None = None) -> None:
        self.integers: Integers = integers_of(weights)
        self.blocks = rows_of(weights)
        self.merges: list[Merge] = []
        self.known = known  # what pairs of rows were found to cost, so that larger alphabets can be tried

    def h(self, count: int) -> int:
        return int(self.integers.table[count])

    def inside(self, row: Row) -> int:
        return sum(self.h(count) for count in row)

    def changes(self, a: int, b: int) -> tuple[int, int]:
        """(G, F) of merging blocks a and b."""
        one, two = self.blocks[a], self.blocks[b]
        if self.known is not None and (one, two) in self.known:
            return self.known[one, two]
        both = tuple(x + y for x, y in zip(one, two, strict=True))
        g = self.inside(both) - self.inside(one) - self.inside(two)
        f = self.h(sum(both)) - self.h(sum(one)) - self.h(sum(two))
        if self.known is not None:
            self.known[one, two] = g, f
        return g, f

    def pairs(self) -> Iterator[Merge]:
        return combinations(sorted(self.blocks), 2)

    def merge(self, a: int, b: int) -> None:
        self.blocks[a] = tuple(x + y for x, y in zip(self.blocks[a], self.blocks.pop(b), strict=True))
        self.merges.append((a, b))

    def merge_alike(self) -> None:
        """Merge letters with equal p(s|x): equal after cross-multiplication."""
        for x in sorted(self.blocks):
            row = self.blocks[x]
            for y in sorted(self.blocks):
                other = self.blocks[y]
                if y < x and all(a * sum(other) == b * sum(row) for a, b in zip(row, other, strict=True)):
                    self.merge(y, x)
                    break

    def cheapest(self, cost: Callable[[int, int], float], allowed: Callable[[Merge], bool]) -> Merge | None:
        """The first pair of least cost among those allowed."""
        return min(filter(allowed, self.pairs()), key=lambda pair: cost(*self.changes(*pair)), default=None)


def naive_dendrogram(
    weights: Weights, multiplier: float, problem: str, least: int = 0, *, remember: bool = False
) -> list[Merge]:
    """All merges on the Lagrangian; while a block weighs less than `least`, only pairs with such a block."""
    state = Naive(weights, {} if remember else None)
    rest = 1.0 - multiplier
    sign = 1.0 if problem == "funnel" else -1.0
    if problem == "bottleneck":
        state.merge_alike()
    while len(state.blocks) > 1:
        light = {name for name, row in state.blocks.items() if sum(row) < least}
        pair = state.cheapest(
            lambda g, f: sign * float(g) - sign * rest * float(f),
            lambda pair: not light or pair[0] in light or pair[1] in light,  # noqa: B023, called at once
        )
        assert pair is not None
        state.merge(*pair)
    return state.merges


def naive_pairwise(weights: Weights, budget: int, problem: str, *, remember: bool = False) -> list[Merge]:
    """The merges of [4, Algorithms 1 and 2] while one fits what may be lost."""
    state = Naive(weights, {} if remember else None)
    while True:

        def use(pair: Merge) -> int:
            g, f = state.changes(*pair)
            return f if problem == "funnel" else f - g

        pair = state.cheapest(
            lambda g, f: float(g - f) if problem == "funnel" else -float(f),
            lambda pair: use(pair) <= budget,  # noqa: B023, called at once
        )
        if pair is None:
            return state.merges
        budget -= use(pair)
        state.merge(*pair)
