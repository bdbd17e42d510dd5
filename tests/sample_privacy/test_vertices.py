"""All vertices of the polytope of private posteriors, against every basis and against published counts."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import FloatArray
from discreet.sample_privacy._assembling import clean, exact_masses, reweigh, right_side, solve_exactly
from discreet.sample_privacy._problem import independent_rows, make_problem
from discreet.sample_privacy._vertices import Vertices, count_vertices, enumerate_vertices, exhaustive_vertices
from tests._oracles.disclosures import all_vertices
from tests.examples import examples
from tests.sample_privacy.strategies import iid, problems

REFERENCE = tomllib.loads((Path(__file__).parents[1] / "reference" / "sample_privacy.toml").read_text())


def supports(points: FloatArray) -> set[tuple[int, ...]]:
    return {tuple(np.flatnonzero(point > 1e-9).tolist()) for point in points}


@pytest.mark.parametrize(("n", "wanted"), REFERENCE["self_disclosure"]["vertices"])
def test_counts_of_iid_samples(n: int, wanted: int) -> None:
    assert count_vertices(make_problem(iid(n, REFERENCE["self_disclosure"]["q"])).program) == wanted


def test_example_2_has_four_vertices_among_fifteen_bases() -> None:
    example = REFERENCE["example_2"]
    program = make_problem(np.array(example["p"]) / 12).program
    found = exhaustive_vertices(program)
    assert (program.rank, found.bases, len(found.vertices)) == (
        example["rank"],
        example["bases"],
        example["vertices"],
    )


@settings(max_examples=examples(60))
@given(problems())
def test_pivoting_finds_what_every_basis_finds(
    problem: tuple[FloatArray, FloatArray | None, list[tuple[int, ...]]],
) -> None:
    p, _, groups = problem
    program = make_problem(p, None, groups).program
    wanted = all_vertices(p, groups)
    for found in (enumerate_vertices(program), exhaustive_vertices(program)):
        dense = found.vertices.dense(program.size)
        assert found.complete
        assert supports(dense) == supports(wanted)
        assert len(dense) == len(wanted)
        assert np.abs(program.rows @ dense.T - program.b[:, None]).max() < 1e-12
        assert dense.min() >= 0


@pytest.mark.parametrize("rare", [1e-8, 1e-10, 1e-12])
def test_rare_values_have_vertices_of_their_own(rare: float) -> None:
    p = np.array([[0.3, 0.2, rare], [0.1, 0.4, rare]])
    program = make_problem(p / p.sum()).program
    for found in (enumerate_vertices(program), exhaustive_vertices(program)):
        dense = found.vertices.dense(program.size)
        assert len(dense) == 4
        assert dense[:, 2] + dense[:, 5] == pytest.approx(program.p[2] + program.p[5], rel=1e-14)


def test_independent_rows_keep_the_rare_ones() -> None:
    matrix = np.array([[1.0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    for rare in range(3):
        p = np.full(3, 0.5)
        p[rare] = 1e-9
        rows = independent_rows(matrix, p)
        assert len(rows) == 3
        assert (rows == np.eye(3)[rare]).all(1).any()


def test_a_limit_is_said() -> None:
    found = enumerate_vertices(make_problem(iid(5, 0.3)).program, limit=500)
    assert not found.complete
    assert 0 < len(found.vertices) < 2167


def test_distinct_vertices_are_told_by_support() -> None:
    twice = Vertices(
        np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3]]), np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0.5, 0.25, 0.25]])
    )
    assert len(twice.distinct()) == 2


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_exact_elimination(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 3, (size, size))
    right = [Fraction(int(v), 7) for v in rng.integers(-9, 9, size)]
    found = solve_exactly(matrix.tolist(), right)
    if abs(np.linalg.det(matrix)) < 1e-9:
        assert found is None
    else:
        assert found is not None
        assert [sum(int(a) * x for a, x in zip(row, found, strict=True)) for row in matrix] == right


def test_masses_are_the_nearest_floats() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(16)).reshape(2, 2, 2, 2)
    program = make_problem(p).program
    vertices = clean(program, enumerate_vertices(program).vertices)
    b = right_side(program)
    for cells, masses in zip(vertices.cells[:20], vertices.masses[:20], strict=True):
        exact = solve_exactly(program.rows[:, cells].astype(int).tolist(), b)
        assert exact is not None
        assert [float(value) for value in exact] == exact_masses(program.rows[:, cells], b) == masses.tolist()


def test_weights_are_made_exact() -> None:
    rng = np.random.default_rng(1)
    points = rng.dirichlet(np.ones(12), size=6)
    weights = rng.dirichlet(np.ones(6))
    target = weights @ points
    found = reweigh(np.vstack([points, target]), target, np.append(weights * (1 + 1e-7 * rng.random(6)), 0.0))
    assert found[-1] == 0
    assert found[:-1] == pytest.approx(weights, rel=1e-12)
    assert np.abs(found[:-1] @ points / target - 1).max() < 1e-14


def test_weights_that_cannot_mix_stay_below_the_target() -> None:
    points = np.array([[0.5, 0.5, 0.0]])
    found = reweigh(points, np.array([0.4, 0.3, 0.3]), np.array([1.0]))
    assert ((found @ points) <= np.array([0.4, 0.3, 0.3]) + 1e-15).all()


def test_only_points_that_have_too_much_give_way() -> None:
    points = np.array([[0.0, 1.0, 0.0], [1e-9, 0.0, 1 - 1e-9]])
    target = np.array([1e-12, 0.5, 0.5])
    found = reweigh(points, target, np.array([0.5, 0.5]))
    assert found[0] == pytest.approx(0.5)
    assert ((found @ points) <= target * (1 + 1e-15)).all()
