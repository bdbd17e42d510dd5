"""Exact frontiers against every partition."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import FloatArray, Problem
from discreet.search.information import _exact as exact
from discreet.search.information._exact import LETTERS
from discreet.search.information._weights import information
from tests._oracles.information_by_enumeration import block_weights, figures, joints, make_weights, partitions
from tests.examples import examples

exact_frontier = partial(exact.exact_frontier, time_limit=1e6)  # a proof takes the time it takes

problems = st.sampled_from(("funnel", "bottleneck"))


def pareto(points: list[tuple[float, float]], problem: Problem) -> list[tuple[float, float]]:
    """The points that no other beats, by utility, to nine decimals."""
    sign = 1.0 if problem == "funnel" else -1.0
    rounded = {(round(a, 9), round(b, 9)) for a, b in points}
    return sorted(
        (
            (a, b)
            for a, b in rounded
            if not any(sign * c <= sign * a and sign * d >= sign * b for c, d in rounded - {(a, b)})
        ),
        key=lambda point: -point[1],
    )


@settings(max_examples=examples(60))
@given(joints(letters=7, masses=True), problems, st.sampled_from((0.0, 0.2, 0.45)))
def test_exact_frontier_is_that_of_all_partitions(counts: FloatArray, problem: Problem, share: float) -> None:
    at_least = share * float(counts.sum())
    weights = make_weights(counts)
    found = exact_frontier(weights, problem, at_least=at_least)
    allowed = [
        labels
        for labels in partitions(len(counts))
        if max(labels) == 0 or min(block_weights(counts, labels)) >= at_least - 1e-12
    ]
    expected = pareto([figures(counts, labels) for labels in allowed], problem)
    assert found.proven
    assert len(found.leakage) == len(expected)
    np.testing.assert_allclose(np.column_stack((found.leakage, found.utility)), expected, atol=2e-9)
    for partition, leakage, utility in zip(found, found.leakage, found.utility, strict=True):
        assert information(weights, partition) == pytest.approx((leakage, utility), abs=1e-12)
        assert min(block_weights(counts, partition.tolist())) >= min(at_least, counts.sum()) - 1e-9
    np.testing.assert_array_equal(found.bound, found.leakage)


def test_blocks_are_named_by_their_lowest_letter() -> None:
    found = exact_frontier(make_weights(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])), "bottleneck")
    assert [partition.tolist() for partition in found] == [[0, 1, 0], [0, 0, 0]]
    assert found.leakage == pytest.approx([0.9183, 0.0], abs=1e-4)


def test_without_time_the_incumbents_come_back_with_a_bound() -> None:
    rng = np.random.default_rng(3)
    weights = make_weights(rng.integers(0, 3, (12, 4)) + np.eye(12, 4))
    incumbent = np.arange(12) // 3
    for problem in ("funnel", "bottleneck"):
        found = exact_frontier(weights, problem, time_limit=0.0, incumbents=[incumbent])
        assert not found.proven
        assert any((partition == 3 * incumbent).all() for partition in found)
        assert found.bound is not None
        gap = found.leakage - found.bound if problem == "funnel" else found.bound - found.leakage
        assert gap.min() >= -1e-9 and gap.max() > 0


def test_incumbents_with_a_light_block_are_left_out() -> None:
    weights = make_weights(np.ones((LETTERS + 2, 1)))
    light = np.arange(LETTERS + 2) // (LETTERS + 1)
    found = exact_frontier(weights, "funnel", at_least=2.0, incumbents=[light])
    assert [partition.max() for partition in found] == [0]


def test_a_dozen_letters_are_proven_and_no_random_policy_beats_them() -> None:
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 4, (13, 5)) + np.eye(13, 5)
    weights = make_weights(counts)
    funnel, bottleneck = exact_frontier(weights, "funnel"), exact_frontier(weights, "bottleneck")
    assert funnel.proven and bottleneck.proven
    for _ in range(300):
        leakage, utility = information(weights, rng.integers(0, rng.integers(2, 9), 13))
        assert funnel.leakage[funnel.utility >= utility - 1e-9].min() <= leakage + 1e-9
        assert bottleneck.leakage[bottleneck.utility <= utility + 1e-9].max() >= leakage - 1e-9
