"""Branch and bound: finds what is there, and proves what is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import _clock
from discreet.sample_privacy import _column_generation as columns
from discreet.sample_privacy import _pricing as pricing
from discreet.sample_privacy._branch_and_bound import Search, Swaps
from discreet.sample_privacy._problem import make_problem
from discreet.sample_privacy._symmetric import types_of
from discreet.sample_privacy._vertices import enumerate_vertices
from tests.sample_privacy.strategies import iid

CASES = [
    ((2, 2, 2), 0),
    ((3, 3), 0),
    ((2,) * 4, 0),
    ((2, 3, 3), 0),
    ((2,) * 5, 0),
    ((2, 2, 2), 2),
    ((3, 3), 3),
    ((2,) * 4, 2),
]


@pytest.mark.parametrize(("shape", "outcomes"), CASES)
def test_the_least_reduced_cost_is_found_and_proven(shape: tuple[int, ...], outcomes: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet(np.ones(int(np.prod(shape)))).reshape(shape)
        program = make_problem(p, rng.dirichlet(np.ones(outcomes), size=shape) if outcomes else None).program
        vertices = enumerate_vertices(program).vertices
        prices = rng.normal(size=program.size)
        prices += float((vertices.uncertainty(program) - vertices.dot(prices)).min()) + 0.1  # posteriors sum to one
        search = Search(program)
        found = search.run(prices, 0.1 - 1e-6, np.inf)
        assert found.point is not None
        assert np.abs(program.rows @ found.point - program.b).max() < 1e-9
        assert found.point.min() > -1e-9
        assert program.uncertainty(found.point[None])[0] - prices @ found.point < -0.1 + 1e-5
        proof = search.run(prices, 0.1 + 1e-6, np.inf)
        assert proof.complete
        assert proof.least == pytest.approx(-0.1 - 1e-6)


@pytest.mark.parametrize("classes", [(0, 0, 0), (0, 0, 0, 0), (0, 0, 1, 1), (0, 0, 0, 0, 0), (0, 1, 0, 1, 0)])
def test_swaps_change_no_verdict(classes: tuple[int, ...]) -> None:
    label = np.array(classes)
    p = np.ones(())
    for one in classes:
        p = np.multiply.outer(p, np.array([0.7, 0.3]) if one == 0 else np.array([0.55, 0.45]))
    problem = make_problem(p)
    vertices = enumerate_vertices(problem.program).vertices
    kind = types_of(problem, label)[1]
    search, plain = Search(problem.program, Swaps(problem.cells, label)), Search(problem.program)
    saved = 0
    for seed in range(25):
        prices = 1.5 * np.random.default_rng(seed).normal(size=int(kind.max()) + 1)[kind]
        prices += float((vertices.uncertainty(problem.program) - vertices.dot(prices)).min()) + 0.1
        assert search.run(prices, 0.1 - 1e-6, np.inf).point is not None
        proof = search.run(prices, 0.1 + 1e-6, np.inf)
        assert proof.complete
        saved += plain.run(prices, 0.1 + 1e-6, np.inf).nodes - proof.nodes
    assert saved > 0


def test_an_unfinished_search_still_bounds() -> None:
    problem = make_problem(iid(6, 0.3))
    pool = columns.start_pool(problem.program, problem.cells.sum(1))
    pricing.search(pool, math.inf, np.random.default_rng(0))
    search = Search(problem.program)
    proof = search.run(pool.prices, 1e-6, _clock.now())
    assert not proof.complete
    assert proof.point is None
    assert proof.least <= -1e-6


def test_the_largest_masses_are_the_least_marginals() -> None:
    problem = make_problem(np.array([[0.1, 0.2], [0.3, 0.4]]))
    assert Search(problem.program).upper == pytest.approx([0.3, 0.3, 0.4, 0.6])
