"""No policy passes the bounds, hard or soft; they meet the frontier at its ends; and they are tight where SPEC 8's were not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import FloatArray, Problem
from discreet.search.information._bounds import base_bound, bound
from discreet.search.information._counted_blocks import least_lagrangians
from discreet.search.information._coupled_copies import _independent_entropy, _posteriors, copy_entropies
from discreet.search.information._soft_points import soft_information
from tests._oracles.information_by_enumeration import figures, joints, make_weights, partitions
from tests.examples import examples
from tests.search.information.hungarian import hungarian_weights

PROBLEMS: tuple[Problem, Problem] = ("funnel", "bottleneck")


@settings(max_examples=examples(15))
@given(joints(masses=True))
def test_no_partition_passes_the_bounds(counts: FloatArray) -> None:
    weights = make_weights(counts)
    every = np.array([figures(counts, labels) for labels in partitions(len(counts))])
    for problem in PROBLEMS:
        limit = bound(weights, every[:, 1], problem)
        passed = limit - every[:, 0] if problem == "funnel" else every[:, 0] - limit
        assert passed.max() <= 1e-9


@settings(max_examples=examples(15))
@given(joints(), st.integers(0, 2**32 - 1))
def test_no_channel_passes_the_bounds_for_soft_policies(counts: FloatArray, seed: int) -> None:
    weights = make_weights(counts)
    rng = np.random.default_rng(seed)
    for sharp in (0.05, 0.3, 1.0):
        channel = rng.dirichlet(np.full(4, sharp), size=len(counts))
        leakage, utility = soft_information(weights, channel)
        assert bound(weights, np.array([utility]), "funnel", soft=True)[0] <= leakage + 1e-9
        assert bound(weights, np.array([utility]), "bottleneck", soft=True)[0] >= leakage - 1e-9


@settings(max_examples=examples(20))
@given(joints(masses=True))
def test_bounds_are_monotone_tighter_than_the_base_and_exact_at_both_ends(counts: FloatArray) -> None:
    weights = make_weights(counts)
    u = np.linspace(-0.5, weights.entropy + 0.5, 60)
    for problem in PROBLEMS:
        full, quick = bound(weights, u, problem), base_bound(weights, u, problem)
        assert (np.diff(full) >= -1e-12).all()
        assert ((full >= quick) if problem == "funnel" else (full <= quick)).all()
        assert full[0] == pytest.approx(0.0, abs=1e-9)
        assert full[-1] == pytest.approx(weights.leakage, abs=1e-9)


@settings(max_examples=examples(15))
@given(joints(letters=5, values=3))
def test_coupled_copies_have_at_least_the_entropy_of_independent_ones(counts: FloatArray) -> None:
    weights = make_weights(counts)
    found = copy_entropies(weights)
    for copies, entropy in found.items():
        assert weights.entropy_of_s - 1e-9 <= entropy <= copies * weights.entropy_of_s + 1e-9
    if 4 in found:
        independent = [_independent_entropy(_posteriors(weights), weights.n_s, m) for m in (2, 3, 4)]
        assert all(found[m] >= value - 1e-6 for m, value in zip((2, 3, 4), independent, strict=True))
        assert independent[2] == pytest.approx(_entropy_of_four(counts), abs=1e-9)


def _entropy_of_four(counts: FloatArray) -> float:
    posterior, p = counts / counts.sum(axis=1, keepdims=True), counts.sum(axis=1) / counts.sum()
    chances = [
        float((p * posterior[:, a] * posterior[:, b] * posterior[:, c] * posterior[:, d]).sum())
        for a, b, c, d in product(range(counts.shape[1]), repeat=4)
    ]
    return -sum(q * math.log2(q) for q in chances if q > 0)


def test_two_copies_tell_a_mixed_letter_from_pure_ones() -> None:
    """Letters s0, s1 and {s0, s1}: copies that differ in the third make three equally likely pairs, one of two orders."""
    weights = make_weights(np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]]))
    assert copy_entropies(weights)[2] == pytest.approx(math.log2(3) + 1 / 3, abs=1e-4)


@settings(max_examples=examples(20))
@given(joints())
def test_no_partition_has_a_smaller_lagrangian(counts: FloatArray) -> None:
    every = np.array([figures(counts, labels) for labels in partitions(len(counts))])
    for multiplier, least in least_lagrangians(make_weights(counts)):
        assert (every[:, 0] - multiplier * every[:, 1]).min() >= least - 1e-9


def test_counting_proves_what_the_base_bound_cannot() -> None:
    """Four letters, s0 three times and s1 once: the base allows H(X|S) = 1.19 bits for nothing, counting does not."""
    weights = make_weights(np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    u = np.array([1.0])
    assert base_bound(weights, u, "funnel")[0] == 0
    assert 0.05 < bound(weights, u, "funnel")[0] <= 0.3113  # {0 1}{2 3}
    assert bound(weights, u, "funnel", soft=True)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "problem", "most"),
    [("A", "funnel", 0.6625), ("B", "funnel", 0.6482), ("A", "bottleneck", 0.6470), ("B", "bottleneck", 0.6556)],
)
def test_hungarian_bounds_beat_those_of_the_specification(
    hungarian: Mapping[str, Sequence[object]], setting: Literal["A", "B"], problem: Problem, most: float
) -> None:
    """Hypervolume that no policy passes: .672, .656, .672, .656 by the base bound (SPEC 8)."""
    weights = hungarian_weights(hungarian, setting)
    u = np.linspace(0, weights.entropy, 2001)

    def dominated(limit: Any) -> float:
        area = np.trapezoid(weights.leakage - limit if problem == "funnel" else limit, u)
        return float(area / (weights.leakage * weights.entropy))

    assert dominated(base_bound(weights, u, problem)) == pytest.approx(0.672 if setting == "A" else 0.656, abs=5e-4)
    assert dominated(bound(weights, u, problem)) <= most
