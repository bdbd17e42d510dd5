"""Domination and hypervolume against definitions applied point by point."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.release._hypervolume import hypervolume, non_dominated
from tests._oracles.hypervolumes import cost_axis, dominates, frontier_hypervolume, leakage_axis

GRID = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)


@given(GRID)
def test_non_dominated_is_what_nothing_dominates(points: list[tuple[int, int]]) -> None:
    kept = non_dominated([p[0] for p in points], [p[1] for p in points]).tolist()
    wanted = {p for p in points if not any(dominates(q, p) for q in points)}
    assert {points[i] for i in kept} == wanted
    assert len(kept) == len(wanted)
    assert all(points.index(points[i]) == i for i in kept)
    assert [points[i][1] for i in kept] == sorted((points[i][1] for i in kept), reverse=True)


@given(GRID)
def test_hypervolume_counts_the_cells_that_are_dominated(points: list[tuple[int, int]]) -> None:
    cells = sum(any(a <= i and b <= j for a, b in points) for i in range(5) for j in range(5))
    assert hypervolume([a for a, _ in points], [b for _, b in points], (5.0, 5.0)) == cells


def test_domination_is_strict_and_exact() -> None:
    assert dominates((1.0, 2.0), (math.nextafter(1.0, 2.0), 2.0))
    assert not dominates((1.0, 2.0), (1.0, 2.0))
    assert not dominates((1.0, 2.0), (0.5, 1.0))


def test_axes_of_small_cases() -> None:
    assert leakage_axis([1, 2, 4], 4) == pytest.approx([1.0, 0.5, 0.0])
    assert cost_axis([1.0, 2.0], 4.0) == pytest.approx([0.25, 0.5])
    assert cost_axis([1.0, 2.0, 4.0], 4.0, logarithmic=True) == pytest.approx([0.0, 0.5, 1.0])
    assert leakage_axis([1], 1).tolist() == cost_axis([0.0], 0.0).tolist() == [0.0]
    assert cost_axis([1.0], 1.0, logarithmic=True).tolist() == [0.0]
    assert frontier_hypervolume([1, 2, 4], [0.0, 1.0, 4.0], 4, 4.0) == pytest.approx(0.375)


def test_nothing_gives_nothing() -> None:
    assert non_dominated([], []).tolist() == []
    assert hypervolume([], []) == 0.0
    assert hypervolume([1.0, 2.0], [0.0, -1.0]) == 0.0


@pytest.mark.parametrize(("x", "y"), [([1.0], [1.0, 2.0]), ([math.nan], [1.0]), ([[1.0]], [[1.0]])])
def test_what_is_no_frontier_is_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(ValueError, match="frontier"):
        non_dominated(x, y)


def test_a_million_points() -> None:
    rng = np.random.default_rng(6)
    x, y = rng.random(10**6), rng.random(10**6)
    assert len(non_dominated(x, y)) < 100
    assert 0.99 < hypervolume(x, y) < 1.0
