"""Domains: bounds, sizes, what they let in, and what they refuse without showing a value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.queries import Box, Domain, FiniteSet, IntegerBox
from discreet.queries._domains import value_sets


def test_bounds_broadcast() -> None:
    assert Box(100, 250, people=4).lower.tolist() == [100] * 4
    assert Box([0, 1], 5).upper.tolist() == [5, 5]
    two = Box([0, 18], [1, 90], people=3)
    assert two.shape == (3, 2) and two.people == 3
    assert two.column(1).lower.tolist() == [18] * 3
    assert two.flat().upper.tolist() == [1, 90] * 3
    assert type(IntegerBox(0, [[1, 5]]).column(0)) is IntegerBox


def test_sizes_in_bits() -> None:
    assert Box([0, 0], [2, 8]).log2_size == 4.0
    assert Box([0, 3], [2, 3]).log2_size == 1.0  # a fixed entry takes no room
    assert IntegerBox([0, 5], [1, 8]).log2_size == 3.0
    assert FiniteSet([[1, 2], [7], [0, 5, 9, 9]]).log2_size == pytest.approx(1 + math.log2(3))


def test_bounds_are_our_own() -> None:
    lower = np.zeros(2)
    box = Box(lower, 1)
    lower[0] = 7
    assert box.lower.tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        box.lower[0] = 7


@pytest.mark.parametrize(
    "domain",
    [Box([0, -1], [1, 3]), Box([0, -1], [1, 3], people=2), IntegerBox([0, 2], [1, 9]), FiniteSet([[1, 5], [2]])],
)
def test_draws_lie_inside(domain: Domain) -> None:
    x = domain.draw(50, np.random.default_rng(0))
    assert x.shape == (50, *domain.shape)
    assert domain.check(x) is not None
    assert np.array_equal(x, domain.draw(50, np.random.default_rng(0)))


def test_draws_are_uniform() -> None:
    whole = IntegerBox(0, 3, people=2).draw(4000, np.random.default_rng(1))
    assert np.bincount(whole.astype(int).ravel(), minlength=4) == pytest.approx([2000] * 4, rel=0.1)
    listed = FiniteSet([0, 5, 9], people=1).draw(3000, np.random.default_rng(1))
    assert [int((listed == v).sum()) for v in (0, 5, 9)] == pytest.approx([1000] * 3, rel=0.1)


def test_value_sets() -> None:
    assert [v.tolist() for v in value_sets(IntegerBox([0, 3], [1, 5]))] == [[0, 1], [3, 4, 5]]
    assert [v.tolist() for v in value_sets(FiniteSet([[2, 1, 2], [4]]))] == [[1, 2], [4]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box([0, 2], [1, 1]), "lower is above upper for 1 of 2"),
        (lambda: Box([0, math.nan], 1), "finite"),
        (lambda: Box([0], [math.inf]), "finite"),
        (lambda: Box(-1e308, 1e308, people=1), "too far apart"),
        (lambda: Box(0, 1), "one bound per person"),
        (lambda: Box([], []), "one bound per person"),
        (lambda: Box([[[0]]], [[[1]]]), "one bound per person"),
        (lambda: Box([0, 0], [1, 1, 1]), "shapes that do not fit"),
        (lambda: Box("a", 1, people=2), "not numbers"),
        (lambda: Box(0, 1, people=0), "people must be"),
        (lambda: Box(0, 1, people=True), "people must be"),
        (lambda: Box(0, 1, people=2.5), "people must be"),  # type: ignore[arg-type]
        (lambda: Box([[0, 0]], 1, people=2), "leave people= out"),
        (lambda: IntegerBox(0.5, 2, people=1), "whole bounds"),
        (lambda: IntegerBox(0, 1e17, people=1), "whole bounds"),
        (lambda: FiniteSet([]), "one collection of values per person"),
        (lambda: FiniteSet([1, 2]), "one collection of values per person"),
        (lambda: FiniteSet([[1], []]), "at least one value"),
        (lambda: FiniteSet([math.nan], people=2), "finite"),
        (lambda: FiniteSet(["a"], people=2), "must be numbers"),
        (lambda: Box([0, 1], 2).column(0), "one column"),
        (lambda: Box(0, [1, 2], people=2).column(2), "there is no column 2"),
        (lambda: FiniteSet([1], people=1).column(0), "one column"),
    ],
)
def test_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("domain", "x", "message"),
    [
        (Box([0, 0], [1, 1]), [0.5, 1.75], "outside the declared domain"),
        (Box([0, 0], [1, 1]), [0.5, math.nan], "missing or not finite"),
        (Box([0, 0], [1, 1]), [0.5], "shape"),
        (Box([0, 0], [1, 1]), 0.5, "shape"),
        (Box([0, 0], [1, 1]), ["a", "b"], "not numbers"),
        (IntegerBox(0, 3, people=1), [1.75], "outside the declared domain"),
        (FiniteSet([0, 5], people=1), [1.75], "outside the declared domain"),
    ],
)
def test_data_outside_are_refused_unseen(domain: Domain, x: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        domain.check(x)
    assert "1.75" not in str(caught.value)


def test_repr() -> None:
    assert repr(Box(100, 250, people=1000)) == "Box(1,000 people, from 100 to 250)"
    assert repr(IntegerBox([[0, 0]], 1)) == "IntegerBox(1 person x 2 columns, from 0 to 1)"
    assert repr(FiniteSet([[1, 2], [3]])) == "FiniteSet(2 people, 1 to 2 values each)"
