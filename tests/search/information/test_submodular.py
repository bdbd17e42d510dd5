"""The submodular minimiser against brute force, on functions of every kind, and on instances known to be hard."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from discreet._typing import FloatArray, IntArray
from discreet.search.information._submodular import minimise
from tests._oracles.subsets_by_enumeration import Mask, SetFunction, gains_of, minimisers, subsets


def cut(rng: np.random.Generator, n: int) -> SetFunction:
    """Arcs that leave the set; whole numbers, so that minimisers tie."""
    capacity = rng.integers(0, 4, (n, n)) * (rng.random((n, n)) < 0.5)
    return lambda member: float(capacity[member][:, ~member].sum())


def coverage(rng: np.random.Generator, n: int) -> SetFunction:
    """The weight of what the set covers."""
    covers, weight = rng.random((n, 2 * n)) < 0.3, rng.integers(1, 4, 2 * n)
    return lambda member: float(weight[covers[member].any(axis=0)].sum())


def concave(_: np.random.Generator, n: int) -> SetFunction:
    """A concave function of the size."""
    return lambda member: float(np.sqrt(member.sum()) * n)


def graphic_rank(rng: np.random.Generator, n: int) -> SetFunction:
    """The rank of a graphic matroid: edges of a spanning forest, over the rationals of an incidence matrix."""
    ends = rng.integers(0, max(2, n // 2), (n, 2))
    incidence = np.zeros((n, max(2, n // 2)))
    for edge, (one, two) in enumerate(ends):
        incidence[edge, one] += 1
        incidence[edge, two] -= 1
    return lambda member: 2.0 * np.linalg.matrix_rank(incidence[member]) if member.any() else 0.0


def entropy(rng: np.random.Generator, n: int) -> SetFunction:
    """The entropy of a set of bits."""
    bits, mass = rng.integers(0, 2, (12, n)), rng.dirichlet(np.ones(12))

    def of(member: Mask) -> float:
        _, where = np.unique(bits[:, member], axis=0, return_inverse=True)
        p = np.bincount(where.ravel(), weights=mass)
        return float(4 * n * -(p * np.log2(p)).sum())

    return of


KINDS: list[Callable[[np.random.Generator, int], SetFunction]] = [cut, coverage, concave, graphic_rank, entropy]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_equals_brute_force(kind: Callable[[np.random.Generator, int], SetFunction], seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    function, price = kind(rng, n), rng.integers(-1, 4, n)

    def v(member: Mask) -> float:
        return function(member) - float(price[member].sum())

    least, smallest, largest = minimisers(v, n)
    found = minimise(gains_of(v, n), n, start=rng.permutation(n))
    assert found.value == pytest.approx(least, abs=1e-9)
    assert found.minimal.tolist() == np.flatnonzero(smallest).tolist()
    assert found.maximal.tolist() == np.flatnonzero(largest).tolist()
    assert found.gap <= 1e-8
    # The certificate is one: a base of the polytope, whose negative part is the bound.
    assert found.bound == pytest.approx(np.minimum(found.base, 0).sum(), abs=1e-12)
    assert found.base.sum() == pytest.approx(v(np.ones(n, bool)), abs=1e-8)
    assert all(found.base[member].sum() <= v(member) + 1e-8 for member in subsets(n))


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_units_do_not_matter(scale: float) -> None:
    rng = np.random.default_rng(4)
    function, price = cut(rng, 7), rng.integers(-1, 4, 7)
    found = minimise(gains_of(lambda member: scale * (function(member) - float(price[member].sum())), 7), 7)
    least, smallest, largest = minimisers(lambda member: function(member) - float(price[member].sum()), 7)
    assert found.value == pytest.approx(scale * least, rel=1e-9)
    assert (len(found.minimal), len(found.maximal)) == (smallest.sum(), largest.sum())


def iwata(n: int) -> Callable[[IntArray], FloatArray]:
    """|A|·|V∖A| − Σ_{j∈A} (5j − 2n), j = 1..n: the test function that Iwata gave to Fujishige and Isotani."""
    steps = np.diff(np.arange(n + 1.0) * (n - np.arange(n + 1.0)))
    return lambda order: steps - (5.0 * (order + 1) - 2 * n)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 57, 300])
def test_iwatas_function(n: int) -> None:
    sizes = np.arange(n + 1.0)
    best = np.concatenate(([0.0], np.cumsum(5.0 * np.arange(n, 0, -1) - 2 * n)))  # of each size, the largest j
    values = sizes * (n - sizes) - best
    attained = np.flatnonzero(values == values.min())
    found = minimise(iwata(n), n)
    assert found.value == values.min()
    assert (len(found.minimal), len(found.maximal)) == (attained[0], attained[-1])
    assert found.gap <= 1e-9 * n * n


def test_a_grid_of_neighbours_with_noise() -> None:
    # Image restoration: unary terms against smoothness. Large corrals, many nearly equal vertices.
    side = 14
    rng = np.random.default_rng(1)
    unary = rng.normal(0, 1.2, side * side)
    place = np.arange(side * side).reshape(side, side)
    edges = np.concatenate(
        (
            np.stack((place[:, 1:], place[:, :-1]), -1).reshape(-1, 2),
            np.stack((place[1:], place[:-1]), -1).reshape(-1, 2),
        )
    )
    neighbours = np.zeros((side * side, side * side))
    neighbours[edges[:, 0], edges[:, 1]] = neighbours[edges[:, 1], edges[:, 0]] = 1.0

    def gains(order: IntArray) -> FloatArray:
        before = np.tril(neighbours[np.ix_(order, order)]).sum(axis=1)
        return np.asarray(unary[order] + neighbours.sum(axis=1)[order] - 2 * before)

    found = minimise(gains, side * side)
    assert found.gap <= 1e-8
    # Independent of the way there: another start proves the same value.
    again = minimise(gains, side * side, start=rng.permutation(side * side))
    assert again.value == pytest.approx(found.value, abs=1e-8)
    assert again.minimal.tolist() == found.minimal.tolist()
    assert again.maximal.tolist() == found.maximal.tolist()


def test_empty_one_and_zero() -> None:
    assert minimise(lambda order: np.zeros(len(order)), 0).value == 0.0
    one = minimise(lambda order: np.array([-2.0]), 1)
    assert (one.value, one.minimal.tolist(), one.gap) == (-2.0, [0], 0.0)
    assert minimise(lambda order: np.array([2.0]), 1).maximal.tolist() == []
    nothing = minimise(lambda order: np.zeros(len(order)), 5)
    assert (nothing.value, nothing.minimal.tolist(), nothing.maximal.tolist()) == (0.0, [], [0, 1, 2, 3, 4])


def test_modular_functions_are_read_off() -> None:
    price = np.array([1.0, -2.0, 0.0, 3.0, -0.5])
    found = minimise(lambda order: price[order], 5)
    assert (found.minimal.tolist(), found.maximal.tolist(), found.cycles) == ([1, 4], [1, 2, 4], 2)


def test_a_limit_of_cycles_is_told_by_the_gap() -> None:
    rng = np.random.default_rng(0)
    capacity = rng.random((40, 40))
    unary = rng.normal(0, 12, 40)

    def gains(order: IntArray) -> FloatArray:
        inside = np.tril(capacity[np.ix_(order, order)] + capacity[np.ix_(order, order)].T, -1).sum(axis=1)
        return np.asarray(unary[order] + capacity.sum(axis=1)[order] - inside)

    short, full = minimise(gains, 40, cycles=3), minimise(gains, 40)
    assert short.cycles <= 3
    assert full.gap <= 1e-7
    assert short.bound <= full.value + 1e-9
    assert short.gap > 1e-3


def test_the_oracles_are_submodular() -> None:
    for kind in KINDS:
        function = kind(np.random.default_rng(3), 5)
        for one, two in combinations(list(subsets(5)), 2):
            assert function(one) + function(two) >= function(one | two) + function(one & two) - 1e-9
