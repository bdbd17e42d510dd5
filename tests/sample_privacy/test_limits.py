"""Limits and the sequences that lead to them, against the paper and against the problems written out."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy._limits import (
    all_information,
    disclosed_information,
    full_data,
    known_latent_information,
    merge_latent,
    output_perturbation,
    private_information,
    self_disclosure_rate,
)
from tests._oracles.disclosures_by_enumeration import bits, extreme_points, solve, split
from tests.examples import examples

TABLE_I = np.array([[0.9, 0.1], [0.1, 0.9]]) * np.array([[2 / 3], [1 / 3]])


def written_out(joint: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """p(xⁿ) and p(w|xⁿ) of n copies of X given W."""
    p_w = joint.sum(axis=1)
    full = p_w.copy()
    for i in range(n):
        given = joint / p_w[:, None]
        full = full[..., None] * given.reshape(len(p_w), *[1] * i, -1)
    p = full.sum(axis=0)
    return p, np.moveaxis(full / p, 0, -1)


def with_known_latent(p: FloatArray, latent: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The problem of J(W, Xⁿ) [SP, (41)]: W is a first sample, which need not be private, and the latent too."""
    known = np.moveaxis(p[..., None] * latent, -1, 0)
    levels = len(known)
    seen = np.broadcast_to(np.eye(levels).reshape(levels, *[1] * p.ndim, levels), (*known.shape, levels)).copy()
    return known, seen


def information(joint: FloatArray) -> float:
    return bits(joint.sum(axis=0)) + bits(joint.sum(axis=1)) - bits(joint)


def test_table_i() -> None:
    found = disclosed_information(TABLE_I, [2, 3, 4])
    np.testing.assert_allclose(found.lower, [8.3377e-3, 4.87570e-2, 4.47107e-2], rtol=2e-5)
    np.testing.assert_allclose(found.upper, found.lower, atol=1e-9)
    assert found.limit == 0
    assert output_perturbation(TABLE_I).upper_bound == 0
    assert full_data(TABLE_I).value == pytest.approx(0.192494, abs=5e-7)
    assert full_data(TABLE_I).upper_bound == pytest.approx(0.192494, abs=5e-7)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 3), st.integers(1, 3))
@settings(max_examples=examples(25))
def test_types_give_the_problem_written_out(seed: int, w: int, x: int, n: int) -> None:
    joint = np.random.default_rng(seed).dirichlet(np.ones(w * x)).reshape(w, x)
    if x**n > 9:
        n = 2
    p, latent = written_out(joint, n)
    assert all_information(joint, [n]).lower[0] == pytest.approx(
        information(np.moveaxis(latent, -1, 0).reshape(w, -1) * p.ravel())
    )
    assert disclosed_information(joint, [n]).lower[0] == pytest.approx(solve(p, latent).information, abs=1e-8)
    assert disclosed_information(joint, [n]).upper[0] == pytest.approx(solve(p, latent).information, abs=1e-8)
    known, seen = with_known_latent(p, latent)
    if known.size <= 10:
        assert known_latent_information(joint, [n]).lower[0] == pytest.approx(
            solve(known, seen, [(i + 1,) for i in range(n)]).information, abs=1e-8
        )


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=examples(20))
def test_output_perturbation_is_the_best_of_its_vertices(seed: int) -> None:
    joint = np.random.default_rng(seed).dirichlet(np.ones(15)).reshape(5, 3)
    p_w = joint.sum(axis=1)
    given_w = (joint / p_w[:, None]).T
    best, _ = split(p_w, extreme_points(given_w, joint.sum(axis=0)), np.eye(5))
    found = output_perturbation(joint)
    assert found.value == pytest.approx(best, abs=1e-8)
    assert found.upper_bound == pytest.approx(best, abs=1e-8)
    # [SP, Prop 5]
    assert max(0.0, private_information(joint)[0] - np.log2(3)) - 1e-9 <= found.value
    assert found.value <= full_data(joint).value + 1e-9
    assert full_data(joint).upper_bound <= bits(joint) - bits(joint.sum(axis=0)) + 1e-9


def test_sequences_reach_their_limits() -> None:
    joint = np.array([[0.2, 0.1, 0.0], [0.1, 0.1, 0.1], [0.05, 0.05, 0.1], [0.02, 0.08, 0.1]])
    limit = output_perturbation(joint).value
    assert limit > 0.1
    bridge = known_latent_information(joint, [1, 2, 3])
    assert bridge.lower[0] == pytest.approx(full_data(joint).value, abs=1e-9)
    assert (np.diff(bridge.lower) <= 1e-9).all()
    assert (bridge.upper >= limit - 1e-9).all()
    disclosed = disclosed_information(joint, [2, 3])
    assert (disclosed.lower <= known_latent_information(joint, [2, 3]).upper + 1e-9).all()
    binary = disclosed_information(TABLE_I, [10, 20, 50, 100])
    assert binary.lower[-1] == pytest.approx(0.0045275, abs=1e-6)
    np.testing.assert_allclose(binary.lower, binary.upper, atol=1e-8)
    everything = all_information(TABLE_I, [1, 10, 1000])
    assert everything.limit == pytest.approx(everything.lower[-1], abs=1e-9)
    assert (np.diff(everything.lower) > 0).all()


def test_private_information_merges_equal_conditionals() -> None:
    joint = np.array([[0.1, 0.3], [0.05, 0.15], [0.0, 0.0], [0.2, 0.2]])
    value, label = private_information(joint)
    assert label.tolist() == [0, 0, -1, 1]
    assert value == pytest.approx(bits(np.array([0.6, 0.4])))
    np.testing.assert_allclose(merge_latent(joint.T)[1].T, [[0.15, 0.45], [0.2, 0.2]])
    assert disclosed_information(joint, [2]).limit == output_perturbation(joint).value
    # Corollary 3.1: W = (W', V), X = (X', V) with W' and X' independent given V.
    v = np.kron(np.eye(2) / 2, np.outer([0.3, 0.7], [0.4, 0.6]))
    assert full_data(v).upper_bound == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("model", "protect"), [([0.7, 0.3], 1), ([0.7, 0.3], 2), ([[0.9, 0.1], [0.4, 0.6]], 1)])
def test_self_disclosure_lies_between_its_bounds(model: list[float], protect: int) -> None:
    law = np.array(model)
    found = self_disclosure_rate(law, [2, 3, 4, 10_000_000], protect=protect)
    start = law if law.ndim == 1 else np.array([0.8, 0.2])  # stationary: 0.1·0.8 = 0.4·0.2
    for i, n in enumerate(found.n[:2]):
        p = start
        for _ in range(n - 1):
            p = p[..., None] * law
        best = solve(p, None, [tuple(range(j, j + protect)) for j in range(n - protect + 1)]).information / n
        assert found.lower[i] - 1e-9 <= best <= found.upper[i] + 1e-9
    assert found.lower[-1] == pytest.approx(found.limit, abs=1e-4)
    assert found.upper[-1] == pytest.approx(found.limit, abs=1e-4)
    rate = bits(law) if law.ndim == 1 else 0.8 * bits(law[0]) + 0.2 * bits(law[1])
    assert found.limit == pytest.approx(rate)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="sum to one"):
        output_perturbation([[0.5, 0.6]])
    with pytest.raises(InputError, match="too many types"):
        all_information(np.full((2, 9), 1 / 18), [100])
    with pytest.raises(InputError, match="start later"):
        self_disclosure_rate([0.5, 0.5], [1], protect=2)


@pytest.mark.parametrize("limit", [0, -1, math.nan, "lots", True])
@pytest.mark.parametrize(
    "ask",
    [
        output_perturbation,
        full_data,
        lambda joint, time_limit: disclosed_information(joint, [1, 2], time_limit=time_limit),
        lambda joint, time_limit: known_latent_information(joint, [1, 2], time_limit=time_limit),
    ],
)
def test_an_odd_time_limit_is_refused(ask: Callable[..., object], limit: object) -> None:
    with pytest.raises(InputError, match=f"positive number of seconds, not {limit!r}"):
        ask(TABLE_I, time_limit=limit)
