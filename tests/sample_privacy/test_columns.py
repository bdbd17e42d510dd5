"""Column generation: the master's mixtures and prices, and the search for posteriors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.sample_privacy import _column_generation as columns
from discreet.sample_privacy import _pricing as pricing
from discreet.sample_privacy._problem import Program, make_problem
from discreet.sample_privacy._vertices import Vertices, enumerate_vertices
from tests.sample_privacy.strategies import iid


def program_of(seed: int, shape: tuple[int, ...], outcomes: int = 0) -> Program:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(int(np.prod(shape)))).reshape(shape)
    return make_problem(p, rng.dirichlet(np.ones(outcomes), size=shape) if outcomes else None).program


def solved(program: Program) -> columns.Pool:
    pool = columns.start_pool(program)
    pricing.search(pool, math.inf, np.random.default_rng(0))
    return pool


@pytest.mark.parametrize(
    ("shape", "outcomes"), [((2, 2, 2), 0), ((2,) * 4, 0), ((3, 4), 0), ((2,) * 4, 2), ((3, 3, 2), 4)]
)
def test_the_search_reaches_the_best_of_all_vertices(shape: tuple[int, ...], outcomes: int) -> None:
    program = program_of(3, shape, outcomes)
    pool = columns.start_pool(program)
    least = columns.choose_from(pool, enumerate_vertices(program).vertices, np.inf)
    assert least == pytest.approx(pool.value, abs=1e-9)
    assert solved(program).value == pytest.approx(least, abs=1e-9)


def test_the_mixture_is_p_and_the_prices_are_dual() -> None:
    program = program_of(5, (2,) * 5)
    pool = solved(program)
    mixed = pool.weights @ np.vstack([pool.anchors, pool.vertices.dense(program.size)])
    assert mixed == pytest.approx(program.p, abs=1e-10)
    assert pool.prices @ program.p == pytest.approx(pool.value, abs=1e-8)
    assert (pool.costs - pool.vertices.dot(pool.prices)).min() > -1e-8


def test_types_share_prices_and_change_nothing() -> None:
    problem = make_problem(iid(5, 0.3))
    by_type = columns.start_pool(problem.program, problem.cells.sum(1))
    pricing.search(by_type, math.inf, np.random.default_rng(0))
    assert len(by_type.master.target) == 6
    assert problem.program.latent_entropy - by_type.value == pytest.approx(2.587582, abs=1e-6)


def test_p_itself_is_a_solution_before_any_search() -> None:
    program = program_of(6, (2, 2, 2))
    pool = columns.start_pool(program)
    assert pool.value == pytest.approx(program.latent_entropy)


@pytest.mark.parametrize("outcomes", [0, 3])
def test_peeling_takes_p_apart(outcomes: int) -> None:
    program = program_of(7, (2,) * 6, outcomes)
    vertices, weights = pricing.peel(program, np.inf)
    left = program.p - weights @ vertices.dense(program.size)
    assert left.min() > -1e-15
    assert abs(left.sum() - (1 - weights.sum())) < 1e-12
    assert weights.sum() > 1 - 1e-8
    assert len(vertices) <= program.size - program.rank + 2
    pool = columns.start_pool(program)
    pool.start_from(vertices, weights)
    before = pool.value
    assert before < program.latent_entropy
    assert pool.solve()
    assert pool.value <= before + 1e-8


def test_a_point_is_no_better_than_the_vertex_below_it() -> None:
    for outcomes in (0, 2):
        program = program_of(8, (2,) * 4, outcomes)
        pool = solved(program)
        rng = np.random.default_rng(1)
        vertices = enumerate_vertices(program).vertices.dense(program.size)
        for _ in range(10):
            point = rng.dirichlet(np.full(len(vertices), 0.05)) @ vertices
            below = pricing.below(pool, point)
            value = program.uncertainty(point[None])[0] - pool.prices @ point
            assert (below.uncertainty(program) - below.dot(pool.prices))[0] <= value + 1e-6


def test_rare_cells_are_left_out_and_dear() -> None:
    p = np.array([[0.25, 0.25], [0.25, 0.25 - 1e-16]])
    p[1, 1] = 1e-16
    p[0, 0] = 0.5 - 1e-16
    pool = columns.start_pool(make_problem(p).program)
    pool.solve()
    assert len(pool.master.rows) == 3
    assert pool.prices[3] == -columns.FORBIDDING


def test_prices_stay_within_reason_when_points_miss_p_by_rounding() -> None:
    program = make_problem([[0.3, 0.2, 1e-9], [0.1, 0.4 - 2e-9, 1e-9]]).program
    exact = enumerate_vertices(program).vertices
    noisy = Vertices(exact.cells, exact.masses + 1e-16 * (np.arange(exact.masses.size).reshape(exact.masses.shape) % 3))
    pool = columns.start_pool(program)
    least = columns.choose_from(pool, noisy, np.inf)
    assert np.abs(pool.prices).max() <= columns.DEAREST * (1 + 1e-9)
    assert least <= pool.value
    assert least == pytest.approx(pool.value, abs=1e-6)
    assert 0 < columns.slack(program, pool.prices) < 1e-6
