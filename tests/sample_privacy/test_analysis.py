"""Feasibility, bounds and ranks, against dense matrices and the optimum of tiny problems."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy._analysis import analyse, information, leak, simple_bound, windows_of
from discreet.sample_privacy._constraints import Constraints
from tests._oracles.disclosures_by_enumeration import bits, incidence, leak_of, solve
from tests.examples import examples

SHAPES = [(2, 2), (2, 3), (2, 2, 2), (3, 2, 2), (4,)]


@st.composite
def problems(
    draw: Any, shapes: list[tuple[int, ...]] = SHAPES
) -> tuple[FloatArray, FloatArray | None, list[tuple[int, ...]]]:
    """A pmf with zeros, a latent or none, and a family of groups that leaves out at least one sample each."""
    shape = draw(st.sampled_from(shapes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p = rng.dirichlet(np.ones(math.prod(shape)))
    p[rng.random(len(p)) < draw(st.sampled_from([0.0, 0.2]))] = 0
    p = (p + (p.sum() == 0)) / (p + (p.sum() == 0)).sum()
    latent = None if draw(st.booleans()) else rng.dirichlet(np.ones(3), size=shape)
    proper = [g for size in range(1, len(shape)) for g in itertools.combinations(range(len(shape)), size)] or [(0,)]
    private = draw(st.lists(st.sampled_from(proper), min_size=1, max_size=4, unique=True))
    return p.reshape(shape), latent, private


def support(p: FloatArray, array: FloatArray) -> FloatArray:
    return array.reshape(p.size, -1)[p.ravel() > 0]


@given(problems())
@settings(max_examples=examples(60))
def test_rank_is_that_of_the_dense_matrix(problem: tuple[FloatArray, FloatArray | None, list[tuple[int, ...]]]) -> None:
    p, _, private = problem
    system = Constraints.of(p, private)
    matrix = incidence(p, private)
    assert system.rank == np.linalg.matrix_rank(matrix)
    assert system.nullity == (p > 0).sum() - system.rank


@pytest.mark.parametrize("seed", range(8))
def test_rank_of_three_groups_on_a_broken_support(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = (rng.random((3, 3, 3)) < 0.4) * rng.random((3, 3, 3))
    for private in ([(0,), (1,), (2,)], [(0, 1), (1, 2), (0, 2)]):
        assert Constraints.of(p, private).rank == np.linalg.matrix_rank(incidence(p, private))


@given(problems())
@settings(max_examples=examples(60))
def test_the_witness_proves_feasibility_and_bounds_hold(
    problem: tuple[FloatArray, FloatArray | None, list[tuple[int, ...]]],
) -> None:
    p, latent, private = problem
    found = analyse(p, latent, private=private)
    best = solve(p, latent, private).information
    assert found.feasible == (best > 1e-9)
    assert found.lower_bound - 1e-9 <= best <= found.upper_bound + 1e-9
    if found.witness is None:
        return
    v = support(p, found.witness)[:, 0]
    assert np.abs(incidence(p, private) @ v).max() < 1e-13
    assert found.residual < 1e-13
    assert (found.witness[p == 0] == 0).all()
    if latent is not None:
        assert np.abs(support(p, latent).T @ v).max() > 1e-9
    two = np.stack([p + found.step * found.witness, p - found.step * found.witness], axis=-1)
    assert two.min() > -1e-15
    with np.errstate(invalid="ignore"):
        channel = np.where((p > 0)[..., None], two / (2 * p[..., None]), 0.5)
    assert max(leak(p, channel, group=g) for g in private) < 1e-12
    assert 0 < found.witness_information <= best + 1e-9


def test_example_2() -> None:
    p = np.array([[1, 3, 2], [2, 3, 1]]) / 12
    latent = np.array([[1, 2 / 3, 0], [1, 1 / 3, 0]])
    found = analyse(p, np.stack([latent, 1 - latent], axis=-1))
    assert (found.rank, found.nullity, found.most_letters, found.feasible) == (4, 2, 3, True)
    assert found.upper_bound >= 0.0134208


def test_a_latent_that_is_a_sum_of_functions_of_single_samples_is_infeasible() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(12)).reshape(2, 3, 2)
    one = (rng.random((2, 1, 1)) + rng.random((1, 3, 1)) + rng.random((1, 1, 2))) / 3
    found = analyse(p, np.stack([one, 1 - one], axis=-1))
    assert not found.feasible
    assert found.witness is None
    assert (found.upper_bound, found.most_letters) == (0.0, 1)
    assert "independent of W" in found.reason
    nearly = one + 1e-6 * (np.indices(p.shape).sum(axis=0) % 2)
    assert analyse(p, np.stack([nearly, 1 - nearly], axis=-1)).feasible


def test_groups_that_determine_p_disclose_nothing() -> None:
    assert "nothing" in analyse(np.array([[0.5, 0.0], [0.2, 0.3]])).reason
    assert not analyse(np.full((2, 2), 0.25), None, private=[(0, 1)]).feasible


def test_corollary_1_1_holds_for_self_disclosure_only() -> None:
    p = np.full((2, 2, 2, 2), 1 / 16)
    assert analyse(p).least_letters == 4
    parity = np.indices(p.shape).sum(axis=0) % 2
    latent = np.stack([1.0 - parity, parity], axis=-1)
    found = analyse(p, latent)
    assert found.least_letters == 2
    assert found.upper_bound == pytest.approx(1, abs=1e-12)
    assert max(leak_of(p, latent, (i,)) for i in range(4)) < 1e-12  # Y = W is private and has two letters


def test_bound_for_families() -> None:
    p = np.full((2, 2, 2), 0.125)
    assert simple_bound(p, None, windows_of(3, 2)) == (1.0, (0, 1))
    assert simple_bound(p, None, []) == (3.0, ())
    uneven = np.multiply.outer([0.9, 0.1], [0.5, 0.5])
    bound, binding = simple_bound(uneven)
    assert bound == pytest.approx(bits(np.array([0.9, 0.1])))
    assert binding == (1,)
    same = np.zeros((2, 2, 2))  # W = X_1: one bit is known from the first sample
    same[0, :, 0] = same[1, :, 1] = 1
    assert simple_bound(np.full((2, 2), 0.25), same) == (0.0, (0,))


def test_large_supports_need_no_dense_matrix() -> None:
    p = np.full((2,) * 16, 2.0**-16)
    found = analyse(p)
    assert (found.rank, found.nullity) == (17, 2**16 - 17)
    assert found.residual < 1e-12


def test_bad_input() -> None:
    with pytest.raises(InputError, match="sums to"):
        analyse(np.full((2, 2), 0.3))
    with pytest.raises(InputError, match="sample 5"):
        analyse(np.full((2, 2), 0.25), None, private=[(5,)])
    with pytest.raises(InputError, match="more than"):
        analyse(np.eye(3000)[:, :, None] / 3000, None, private=[(0,), (1,), (2,)])


@pytest.mark.parametrize(("n", "k"), [(3, 0), (3, -1), (3, 4), (0, 0), (3, 1.0), (3, "2"), (3, True)])
def test_windows_that_hold_nothing_are_refused(n: Any, k: Any) -> None:
    with pytest.raises(InputError, match="window"):
        windows_of(n, k)


def test_information_survives_probabilities_whose_product_underflows() -> None:
    small = 1e-170
    joint = np.array([[small, 0.0], [0.0, 1.0 - small]])
    assert information(joint) == pytest.approx(-small * math.log2(small), rel=1e-12)
    assert information(np.array([[5e-324, 0.0], [0.0, 1.0]])) >= 0
