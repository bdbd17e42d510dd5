"""Runs are optimal where the module says so, and not where it says they are not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import FloatArray
from discreet.search.information._contiguous import contiguous
from discreet.search.information._contiguous_kernels import best_runs_by_number
from discreet.search.information._exact import exact_frontier
from discreet.search.information._weights import information
from tests._oracles.information_by_enumeration import figures, joints, make_weights, partitions
from tests.examples import examples


@settings(max_examples=examples(60))
@given(joints(letters=7, values=2, most=6, masses=True))
def test_runs_reach_every_lagrangian_and_every_number_of_blocks(counts: FloatArray) -> None:
    found = contiguous(make_weights(counts))
    every = [(max(labels) + 1, *figures(counts, labels)) for labels in partitions(len(counts))]
    number, leakage, utility = np.array(every).T
    assert found.complete
    for multiplier in np.linspace(0, 1, 29):
        reached = (found.leakage - multiplier * found.utility)[found.supported].max()
        assert reached == pytest.approx((leakage - multiplier * utility).max(), abs=1e-9)
    blocks = np.array([len(set(found.partition(i).tolist())) for i in range(len(found.leakage))])
    for k in range(1, len(counts) + 1):
        assert found.leakage[blocks <= k].max() == pytest.approx(leakage[number <= k].max(), abs=1e-9)


@settings(max_examples=examples(40))
@given(joints(letters=9, values=2, most=6, masses=True))
def test_figures_are_those_of_the_partitions(counts: FloatArray) -> None:
    weights = make_weights(counts)
    found = contiguous(weights)
    for i in range(len(found.leakage)):
        assert information(weights, found.partition(i)) == pytest.approx((found.leakage[i], found.utility[i]), abs=1e-9)
    assert (np.diff(found.utility) <= 1e-12).all()


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), min_size=2, max_size=7))
def test_divide_and_conquer_finds_the_best_runs_of_every_number(pairs: list[tuple[int, int]]) -> None:
    counts = np.array(sorted(pairs, key=lambda pair: pair[1] / sum(pair)), np.float64)
    first, second = (np.concatenate(([0.0], np.cumsum(column))) for column in counts.T)
    n = len(counts)
    parent = best_runs_by_number(first, second, n, np.zeros(0))
    for k in range(1, n + 1):
        starts = [n]
        for j in range(k, 1, -1):
            starts.insert(0, int(parent[j, starts[0]]))
        labels = np.searchsorted(starts, np.arange(n), side="right").tolist()
        assert len(set(labels)) == k
        most = max(figures(counts, each)[0] for each in partitions(n) if max(each) + 1 == k)
        assert figures(counts, labels)[0] == pytest.approx(most, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=examples(20))
@given(st.integers(0, 2**32 - 1))
def test_supported_points_are_the_envelope_of_the_exact_frontier(seed: int) -> None:
    weights = make_weights(np.random.default_rng(seed).integers(1, 10, (11, 2)).astype(np.float64))
    found, exact = contiguous(weights), exact_frontier(weights, "bottleneck")
    for multiplier in np.linspace(0, 1, 57):
        most = (exact.leakage - multiplier * exact.utility).max()
        assert (found.leakage - multiplier * found.utility)[found.supported].max() == pytest.approx(most, abs=1e-9)
        assert (found.leakage - multiplier * found.utility).max() <= most + 1e-9


def test_between_supported_points_runs_may_miss_the_frontier() -> None:
    counts = np.array([[4, 1], [4, 4], [5, 5], [3, 2], [1, 4], [1, 1]], np.float64)
    found = contiguous(make_weights(counts))
    leakage, utility = figures(counts, [0, 0, 0, 0, 0, 1])
    assert leakage > 1e-5
    assert found.leakage[found.utility <= utility].max() < 1e-9


def test_many_letters_with_real_weights() -> None:
    rng = np.random.default_rng(2)
    weights = make_weights(rng.gamma(1.0, size=(80, 2)))
    found = contiguous(weights)
    assert found.complete
    assert found.leakage[0] == pytest.approx(weights.leakage) and found.utility[0] == pytest.approx(weights.entropy)
    slopes = np.diff(found.leakage[found.supported]) / np.diff(found.utility[found.supported])
    assert (np.diff(slopes) >= -1e-6).all()  # concave: a bit costs the more the finer


@pytest.mark.parametrize(("values", "problem"), [(3, "bottleneck"), (2, "funnel")])
def test_other_problems_are_refused(values: int, problem: str) -> None:
    with pytest.raises(ValueError, match="two values of s"):
        contiguous(make_weights(np.ones((4, values))), problem)  # type: ignore[arg-type]
