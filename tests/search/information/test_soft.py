"""Soft policies: their figures, monotone descent, a closed form, and that they never do worse than hard ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import _clock
from discreet._typing import FloatArray, Problem
from discreet.errors import InputError
from discreet.search.information import _soft_bottleneck as bottleneck_module
from discreet.search.information import _soft_funnel as funnel_module
from discreet.search.information._bounds import bound
from discreet.search.information._exact import exact_frontier
from discreet.search.information._soft_points import (
    SoftPoint,
    envelope,
    hard_channel,
    measured,
    posteriors,
    share_time,
    soft_information,
)
from discreet.search.information._weights import Weights, information
from tests._oracles.information_by_enumeration import joints, make_weights
from tests.examples import examples
from tests.search.information.hungarian import hungarian_weights

seeds = st.integers(0, 2**32 - 1)
problems = st.sampled_from(("funnel", "bottleneck"))


def by_definition(counts: FloatArray, channel: FloatArray) -> tuple[float, float]:
    """Σ p(s, x̂) log p(s, x̂) / p(s) p(x̂), and the same of x and x̂."""

    def mutual(joint: FloatArray) -> float:
        rows, columns = joint.sum(axis=1), joint.sum(axis=0)
        cells = ((i, j) for i in range(len(rows)) for j in range(len(columns)) if joint[i, j] > 0)
        return sum(float(joint[i, j]) * math.log2(joint[i, j] / (rows[i] * columns[j])) for i, j in cells)

    p = counts / counts.sum()
    return mutual(p.T @ channel), mutual(p.sum(axis=1)[:, None] * channel)


@given(joints(), seeds)
def test_information_of_a_channel_is_that_of_the_definition(counts: FloatArray, seed: int) -> None:
    channel = np.random.default_rng(seed).dirichlet(np.full(3, 0.4), size=len(counts))
    assert soft_information(make_weights(counts), channel) == pytest.approx(by_definition(counts, channel), abs=1e-9)


@given(joints(), seeds)
def test_a_partition_is_a_channel(counts: FloatArray, seed: int) -> None:
    weights = make_weights(counts)
    block_of = np.random.default_rng(seed).integers(0, 3, len(counts))
    assert soft_information(weights, hard_channel(block_of)) == pytest.approx(information(weights, block_of), abs=1e-9)


@given(joints(), seeds, st.floats(0.01, 0.99))
def test_time_sharing_is_linear(counts: FloatArray, seed: int, share: float) -> None:
    weights = make_weights(counts)
    rng = np.random.default_rng(seed)
    a, b = (measured(weights, rng.dirichlet(np.full(3, 0.4), size=len(counts))) for _ in range(2))
    mixed = share_time(weights, a, b, share)
    np.testing.assert_allclose(mixed.channel.sum(axis=1), 1.0)
    assert mixed.leakage == pytest.approx(share * a.leakage + (1 - share) * b.leakage, abs=1e-9)
    assert mixed.utility == pytest.approx(share * a.utility + (1 - share) * b.utility, abs=1e-9)


@settings(max_examples=examples(40))
@given(joints(), seeds, st.floats(0.02, 1.0))
def test_funnel_descent_never_rises(counts: FloatArray, seed: int, multiplier: float) -> None:
    weights = make_weights(counts)
    start = np.random.default_rng(seed).dirichlet(np.ones(4), size=len(counts))
    channel, _, rise = funnel_module.descend(weights, posteriors(weights), start, multiplier)
    before, after = soft_information(weights, start), soft_information(weights, channel)
    assert rise <= 1e-9
    assert after[0] - multiplier * after[1] <= before[0] - multiplier * before[1] + 1e-9
    np.testing.assert_allclose(channel.sum(axis=1), 1.0)


@settings(max_examples=examples(25))
@given(joints(letters=8), seeds)
def test_the_first_step_is_the_closed_form_and_never_rises(counts: FloatArray, seed: int) -> None:
    """The majorant itself, without the longer steps that are taken back when they fail."""
    weights = make_weights(counts)
    rng = np.random.default_rng(seed)
    channel = rng.dirichlet(np.ones(4), size=len(counts))
    multiplier = float(rng.uniform())
    posterior, p, prior = posteriors(weights), weights.of_letter / weights.total, weights.of_s / weights.total
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(funnel_module, "STEPS", 1)
        for _ in range(5):
            mass = p @ channel
            symbol = (p[:, None] * channel).T @ posterior / mass[:, None]
            told = posterior @ np.log2(np.maximum(symbol, 1e-300) / np.maximum(prior, 1e-300)).T
            expected = channel ** (1 + multiplier) * mass**-multiplier * 2.0**-told
            following, _, _ = funnel_module.descend(weights, posterior, channel, multiplier)
            np.testing.assert_allclose(following, expected / expected.sum(axis=1, keepdims=True), atol=1e-9)
            before, after = soft_information(weights, channel), soft_information(weights, following)
            assert after[0] - multiplier * after[1] <= before[0] - multiplier * before[1] + 1e-9
            channel = following


@pytest.mark.slow
@settings(max_examples=examples(8))
@given(joints(letters=8), seeds)
def test_bottleneck_iterations_never_rise_and_settle(counts: FloatArray, seed: int) -> None:
    found = bottleneck_module.soft_bottleneck(make_weights(counts), seed=seed)
    assert max(point.rise for point in found) <= 1e-9
    for point in found:
        np.testing.assert_allclose(point.channel.sum(axis=1), 1.0)


def test_bottleneck_of_a_binary_symmetric_pair_is_mrs_gerbers_curve() -> None:
    """S uniform, X flipped with chance a: the most I(S;X̂) is 1 − h(a * h⁻¹(1 − u)) (Wyner & Ziv 1973)."""
    a = 0.1

    def entropy(q: float) -> float:
        return -q * math.log2(q) - (1 - q) * math.log2(1 - q) if 0 < q < 1 else 0.0

    def inverse(value: float) -> float:
        low, high = 0.0, 0.5
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if entropy(middle) < value else (low, middle)
        return low

    found = bottleneck_module.soft_bottleneck(make_weights(np.array([[9.0, 1.0], [1.0, 9.0]])))
    informative = [point for point in found if 0.05 < point.utility < 0.95]
    assert len(informative) >= 10
    for point in informative:
        q = inverse(1 - point.utility)
        assert point.leakage == pytest.approx(1 - entropy(a * (1 - q) + (1 - a) * q), abs=1e-5)


@settings(max_examples=examples(25))
@given(joints(letters=8), seeds)
def test_perfect_privacy_is_independent_of_s(counts: FloatArray, seed: int) -> None:
    weights = make_weights(counts)
    rng = np.random.default_rng(seed)
    channel = funnel_module.perfectly_private(weights, posteriors(weights), rng, _clock.now() + 60)
    np.testing.assert_allclose(channel.sum(axis=1), 1.0)
    assert soft_information(weights, channel)[0] <= 1e-7


def test_perfect_privacy_tells_something_where_hard_policies_cannot() -> None:
    """Thirteen records, nine of them s0: no part of them has nine thirteenths, a mixture of letters can."""
    weights = make_weights(np.array([[5.0, 0.0], [0.0, 3.0], [4.0, 1.0]]))
    channel = funnel_module.perfectly_private(weights, posteriors(weights), np.random.default_rng(0), _clock.now() + 60)
    leakage, utility = soft_information(weights, channel)
    assert leakage <= 1e-9 and utility > 0.5
    exact = exact_frontier(weights, "funnel")
    assert exact.utility[exact.leakage <= 1e-9].tolist() == [0.0]


@settings(max_examples=examples(8))
@given(joints(letters=7), problems)
def test_soft_frontier_is_never_beaten_by_hard_policies_nor_beats_the_bound(
    counts: FloatArray, problem: Problem
) -> None:
    weights = make_weights(counts)
    exact = exact_frontier(weights, problem)
    found = funnel_module.soft_frontier(weights, problem, hard=list(exact))
    sign = 1.0 if problem == "funnel" else -1.0
    utility = np.array([point.utility for point in found])
    leakage = np.array([point.leakage for point in found])
    assert (np.diff(utility) <= 1e-12).all()
    curve = np.interp(exact.utility, utility[::-1], leakage[::-1])
    assert (sign * curve <= sign * exact.leakage + 1e-9).all()
    limit = bound(weights, utility, problem, soft=True)
    assert (sign * leakage >= sign * limit - 1e-9).all()
    for point in found:
        assert soft_information(weights, point.channel) == pytest.approx((point.leakage, point.utility), abs=1e-12)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_channels() -> None:
    weights = make_weights(np.random.default_rng(0).integers(0, 4, (6, 3)) + np.eye(6, 3))
    problems_: tuple[Problem, Problem] = ("funnel", "bottleneck")
    for problem in problems_:
        first, second = (funnel_module.soft_frontier(weights, problem, seed=5, time_limit=1e6) for _ in range(2))
        assert len(first) == len(second)
        for a, b in zip(first, second, strict=True):
            np.testing.assert_array_equal(a.channel, b.channel)


def point(leakage: float, utility: float) -> SoftPoint:
    return SoftPoint(np.ones((1, 1)), leakage, utility)


def test_the_envelope_drops_what_time_sharing_beats() -> None:
    points = [point(0.0, 0.0), point(1.0, 4.0), point(0.9, 2.0), point(0.2, 2.0), point(0.6, 3.0), point(0.7, 3.0)]
    funnel = [(p.leakage, p.utility) for p in envelope(points, "funnel")]
    assert funnel == [(1.0, 4.0), (0.2, 2.0), (0.0, 0.0)]  # (0.6, 3) is halfway between its neighbours
    bottleneck = [(p.leakage, p.utility) for p in envelope(points, "bottleneck")]
    assert bottleneck == [(1.0, 4.0), (0.9, 2.0), (0.0, 0.0)]


def test_large_alphabets_are_refused_in_one_line() -> None:
    weights = Weights(np.arange(5002), np.zeros(5001, np.int32), np.ones(5001), 1)
    with pytest.raises(InputError, match=r"up to 4,000 letters"):
        funnel_module.soft_frontier(weights, "funnel")


@pytest.mark.slow
def test_soft_beats_hard_on_the_hungarian_data(hungarian: Mapping[str, Sequence[object]]) -> None:
    """Perfect privacy with 1.7 bits of I(X;X̂) for A and 2.4 for B; hard policies have none without leaking."""
    rng = np.random.default_rng(0)
    for setting, bits in (("A", 1.7), ("B", 2.4)):
        weights = hungarian_weights(hungarian, setting)  # type: ignore[arg-type]
        channel = funnel_module.perfectly_private(weights, posteriors(weights), rng, _clock.now() + 60)
        leakage, utility = soft_information(weights, channel)
        assert leakage < 1e-9 and bits < utility < weights.entropy - weights.leakage
