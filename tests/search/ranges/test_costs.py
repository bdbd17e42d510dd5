"""The shared cost functions against formulas written out."""

from __future__ import annotations

import numpy as np
import pytest

from discreet._typing import Codeword
from discreet.release._partitions import canonical
from discreet.search._codewords import smallest_radius
from discreet.search.ranges import _costs as costs
from tests._oracles.cheapest_policies import count_components, letters_of, partitions, radius, random_letters

TRIANGLE = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [1.0, 1.0]])


@pytest.mark.parametrize(
    ("codeword", "norm", "expected"),
    [
        ("chebyshev", 2.0, 2.5),
        ("chebyshev", np.inf, 2.0),
        ("chebyshev", 1.0, 3.5),
        ("medoid", 2.0, np.sqrt(10)),
        ("medoid", np.inf, 3.0),
        ("centroid", np.inf, 2.75),
    ],
)
def test_radius_of_a_triangle_by_hand(codeword: Codeword, norm: float, expected: float) -> None:
    letters = letters_of([[0]] * 4, TRIANGLE, norm)
    assert costs.distortion(letters, np.zeros(4, np.int64), codeword) == pytest.approx(expected)


@pytest.mark.parametrize("norm", [1.0, 2.0, np.inf])
@pytest.mark.parametrize("codeword", ["centroid", "medoid", "chebyshev"])
def test_distortion_equals_the_formula(codeword: Codeword, norm: float) -> None:
    rng = np.random.default_rng(5)
    for columns in (1, 2):
        for _ in range(150):
            letters = random_letters(rng, int(rng.integers(1, 9)), columns, norm=norm)
            block_of = canonical(rng.integers(0, 3, letters.n))
            expected = max(
                radius(costs.required_values(letters)[block_of == b], codeword, norm if columns > 1 else 2.0)
                for b in set(block_of.tolist())
            )
            assert costs.distortion(letters, block_of, codeword) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_octahedron_of_three_columns_is_an_lp() -> None:
    corners = np.vstack([np.eye(3), -np.eye(3)])
    letters = letters_of([[0]] * 6, corners, 1.0)
    assert costs.distortion(letters, np.zeros(6, np.int64), "chebyshev") == pytest.approx(1.0)


def test_enclosing_balls_of_many_columns() -> None:
    # The simplex of the d+1 unit vectors has circumradius sqrt(d/(d+1)); points inside change nothing.
    for d in (2, 3, 5):
        points = np.vstack([np.eye(d + 1), np.full((3, d + 1), 1 / (d + 1)), np.eye(d + 1) * 0.5])
        letters = letters_of([[0]] * len(points), points)
        whole = np.zeros(len(points), np.int64)
        assert costs.distortion(letters, whole, "chebyshev") == pytest.approx(np.sqrt(d / (d + 1)))


def test_distinct_components_and_size_over_all_partitions() -> None:
    rng = np.random.default_rng(6)
    for _ in range(6):
        letters = random_letters(rng, 6)
        for block_of in partitions(6):
            blocks = [np.flatnonzero(block_of == b) for b in np.unique(block_of)]
            assert costs.size(block_of) == max(map(len, blocks))
            assert costs.distinct(letters, block_of) == min(
                len(set().union(*(letters.range_of(int(i)).tolist() for i in block))) for block in blocks
            )
            assert costs.components(letters, block_of) == count_components(letters, block_of)


def test_canonical_names_are_lowest_letters() -> None:
    assert canonical(np.array([5, 2, 5, 0, 2])).tolist() == [0, 1, 0, 3, 1]


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(ValueError, match="numeric values"):
        costs.distortion(letters_of([[0], [1]]), np.zeros(2, np.int64), "centroid")
    with pytest.raises(ValueError, match="norm 1, 2 or inf"):
        costs.distortion(letters_of([[0], [1]], np.eye(2), 3.0), np.zeros(2, np.int64), "chebyshev")


def test_the_smallest_ball_is_centred_among_its_farthest_points() -> None:
    """A ball is the smallest exactly where its centre lies in the hull of the points at its rim: a linear program says so."""
    from scipy.optimize import linprog

    from discreet.search._kernels.geometry import ball_centre

    rng = np.random.default_rng(0)
    for case in range(120):
        columns, letters = int(rng.integers(2, 16)), int(rng.integers(2, 25))
        points = rng.normal(size=(letters, columns))
        if case % 3 == 1:
            points = np.eye(columns)[rng.integers(0, columns, letters)]  # categories: corners of a simplex
        if case % 3 == 2:
            points = np.column_stack([np.eye(columns)[rng.integers(0, columns, letters)], rng.integers(0, 3, letters)])
        if len(np.unique(points, axis=0)) == 1:
            continue
        points = points / np.abs(points).max()
        centre = ball_centre(points)
        away = ((points - centre) ** 2).sum(axis=1)
        rim = points[away >= away.max() * (1 - 1e-7)]
        rows = len(centre) + 1
        system = np.hstack([np.vstack([rim.T, np.ones(len(rim))]), np.eye(rows), -np.eye(rows)])
        missed = linprog(
            np.append(np.zeros(len(rim)), np.ones(2 * rows)), A_eq=system, b_eq=np.append(centre, 1.0), method="highs"
        )
        assert missed.fun is not None
        assert missed.fun < 1e-7


@pytest.mark.parametrize("categories", [2, 5, 14, 40])
def test_a_block_of_categories_is_a_simplex(categories: int) -> None:
    corners = np.eye(categories) / np.sqrt(2)
    assert smallest_radius(corners, 2.0) == pytest.approx(np.sqrt((categories - 1) / (2 * categories)), rel=1e-12)
