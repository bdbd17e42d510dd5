"""The slow truth about sets: every subset of a small ground set, and f and g of [PF, Thm 1] as the paper writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from hypothesis import strategies as st

from discreet._typing import FloatArray, IntArray
from discreet.search.information._submodular import Gains
from discreet.search.information._weights import Weights

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]
SetFunction = Callable[[Mask], float]


def subsets(n: int) -> Iterator[Mask]:
    """Every subset of n elements as a mask, the empty one first."""
    for code in range(1 << n):
        yield np.array([code >> i & 1 for i in range(n)], bool)


def gains_of(function: SetFunction, n: int) -> Gains:
    """The greedy oracle of a set function that is given by its values."""

    def gains(order: IntArray) -> FloatArray:
        member = np.zeros(n, bool)
        values = [function(member)]
        for element in order:
            member[element] = True
            values.append(function(member))
        return np.diff(values)

    return gains


def minimisers(function: SetFunction, n: int, slack: float = 1e-9) -> tuple[float, Mask, Mask]:
    """The least value, and the smallest and the largest set that attains it."""
    every = list(subsets(n))
    values = np.array([function(member) for member in every])
    least = [member for member, value in zip(every, values, strict=True) if value <= values.min() + slack]
    return float(values.min()), np.logical_and.reduce(least), np.logical_or.reduce(least)


def weights_from(table: FloatArray) -> Weights:
    """Weights from a table with a row for each letter and a column for each s."""
    row, column = np.nonzero(table)
    indptr = np.searchsorted(row, np.arange(len(table) + 1)).astype(np.int64)
    return Weights(indptr, column.astype(np.int32), table[row, column].astype(float), table.shape[1])


def random_weights(rng: np.random.Generator, n: int, n_s: int) -> Weights:
    """Counts or masses of any density, no letter empty."""
    values = rng.integers(1, 6, (n, n_s)).astype(float) if rng.random() < 0.6 else rng.random((n, n_s))
    table = np.where(rng.random((n, n_s)) < rng.random(), values, 0.0)
    table[np.arange(n), rng.integers(0, n_s, n)] += values[:, 0]
    return weights_from(table)


@st.composite
def joints(draw: st.DrawFn, most: int = 6) -> Weights:
    """Small joints: counts with many equal letters, or masses that sum to anything."""
    n, n_s = draw(st.integers(1, most)), draw(st.integers(1, 4))
    counted = draw(st.booleans())
    cell = st.integers(0, 3).map(float) if counted else st.sampled_from([0.0, 0.0, 0.1, 0.25, 1 / 3, 0.7])
    table = np.array(draw(st.lists(st.lists(cell, min_size=n_s, max_size=n_s), min_size=n, max_size=n)))
    table[table.sum(axis=1) == 0, 0] = 1.0
    return weights_from(table)


def dense(weights: Weights) -> FloatArray:
    """p(s, x), a row for each letter."""
    table: FloatArray = np.zeros((weights.n, weights.n_s))
    table[weights.letter_of_pair, weights.indices] = weights.weight
    table /= table.sum()
    return table


def f_by_definition(p: FloatArray, member: Mask) -> float:
    """Σ_{x∈W} p(x) log2 p(x)/p(W)."""
    px = p[member].sum(axis=1)
    return float(sum(mass * np.log2(mass / px.sum()) for mass in px))


def g_by_definition(p: FloatArray, member: Mask) -> float:
    """Σ_s Σ_{x∈W} p(s,x) log2 p(s,x)/p(s,W)."""
    return sum(f_by_definition(p[:, [s]], member & (p[:, s] > 0)) for s in range(p.shape[1]))
