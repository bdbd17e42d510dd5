"""Queries: their values, and their ranges against all corners and against what samples reach."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.queries import (
    Box,
    Count,
    FiniteSet,
    Function,
    IntegerBox,
    Linear,
    Max,
    Mean,
    Min,
    Quantile,
    Query,
    Sum,
    Variance,
)
from discreet.queries._variance_range import most_squares
from tests._oracles.regions import corner_values
from tests.examples import examples

bounds = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(0, 20)).map(lambda pair: (pair[0] / 4, (pair[0] + pair[1]) / 4)),
    min_size=1,
    max_size=7,
)


def box_of(pairs: list[tuple[float, float]]) -> Box:
    return Box([low for low, _ in pairs], [high for _, high in pairs])


def test_values_of_one_and_of_many() -> None:
    x = np.array([[1.0, 4.0, 2.0], [0.0, 0.0, 3.0]])
    assert Mean()(x).tolist() == [7 / 3, 1.0]
    assert Sum()(x).tolist() == [7.0, 3.0]
    assert Linear([1, 0, -2], offset=0.5)(x).tolist() == [-2.5, -5.5]
    assert Min()(x).tolist() == [1.0, 0.0] and Max()(x).tolist() == [4.0, 3.0]
    assert Quantile(0.5)(x).tolist() == [2.0, 0.0]
    assert Count(at_least=1, at_most=2)(x).tolist() == [2.0, 0.0]
    assert Count(lambda v: v % 2 == 0)(x).tolist() == [2.0, 2.0]
    assert Variance(ddof=1)(x) == pytest.approx(x.var(axis=1, ddof=1))
    assert Function(lambda v: v[..., 0] * v[..., 1], 0, 9)(x).tolist() == [4.0, 0.0]
    assert float(Mean()([1, 2])) == 1.5


def test_columns() -> None:
    people = Box([0, 18], [1, 90], people=3)
    x = people.draw(5, np.random.default_rng(0))
    assert Mean(column=1)(x) == pytest.approx(x[..., 1].mean(axis=1))
    assert Mean(column=1).range(people) == (18.0, 90.0)
    weights = np.arange(6.0).reshape(3, 2)
    assert Linear(weights)(x) == pytest.approx((x * weights).sum(axis=(1, 2)))
    assert Linear(weights).range(people) == pytest.approx((9 * 18, 6 + 9 * 90))
    assert Linear([1, 0, 0], column=0).range(people) == (0.0, 1.0)
    product = Function(lambda v: (v[..., 0] * v[..., 1]).sum(axis=-1), 0, 270)
    assert product.view(people).value(x.reshape(5, 6)) == pytest.approx((x[..., 0] * x[..., 1]).sum(axis=-1))


@given(q=st.floats(0, 1), x=st.lists(st.integers(-9, 9), min_size=1, max_size=12))
def test_quantile_is_the_inverted_distribution(q: float, x: list[int]) -> None:
    rank = Quantile(q).rank(len(x))
    assert 1 <= rank <= len(x)
    assert rank >= q * len(x) - 1e-9 and (rank == 1 or rank - 1 < q * len(x))
    assert float(Quantile(q)(x)) == sorted(x)[rank - 1]
    assert float(Quantile(0.7)(range(10))) == 6.0  # seven of ten, whatever .7 is in binary


@settings(max_examples=examples(60))
@given(pairs=bounds, seed=st.integers(0, 99))
def test_ranges_hold_and_are_attained(pairs: list[tuple[float, float]], seed: int) -> None:
    box, n = box_of(pairs), len(pairs)
    rng = np.random.default_rng(seed)
    corners = corner_values(box.lower.tolist(), box.upper.tolist())
    x = np.concatenate((corners, box.draw(200, rng)))
    named: list[Query] = [Mean(), Sum(), Linear(rng.integers(-3, 4, n), offset=1.0), Min(), Max(), Quantile(0.4)]
    for query in [*named, Variance(), Count(at_least=0.5)]:
        low, high = query.range(box)
        values = query(x)
        assert (values >= low - 1e-9).all() and (values <= high + 1e-9).all()
        assert query(corners).max() == pytest.approx(high, abs=1e-9)  # also the variance's, which is convex
        if not isinstance(query, Variance):
            assert query(corners).min() == pytest.approx(low, abs=1e-9)


@settings(max_examples=examples(60))
@given(pairs=bounds)
def test_least_variance(pairs: list[tuple[float, float]]) -> None:
    box = box_of(pairs)
    least = Variance().range(box)[0]
    grid = np.linspace(box.lower.min(), box.upper.max(), 4001)
    nearest = np.clip(grid[:, None], box.lower, box.upper)
    assert least <= Variance()(nearest).min() + 1e-12
    assert least == pytest.approx(((nearest - grid[:, None]) ** 2).mean(axis=1).min(), abs=1e-4)


def test_greatest_variance_of_many() -> None:
    assert Variance().range(Box(0, 1, people=1001)) == pytest.approx((0.0, 500 * 501 / 1001**2), rel=1e-15)
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 9, 2000)
    squares, exact = most_squares(low, low + rng.uniform(0, 3, 2000))
    assert exact and squares > 0
    # Thirty unlike people round one middle: too many corners, so a bound that is close.
    half = 1 + np.arange(30) / 100
    squares, exact = most_squares(-half, half)
    assert not exact
    reached = max(Variance()(np.where(rng.permutation(30) < 15, half, -half)) * 30 for _ in range(2000))
    assert reached <= squares <= reached + (half.max() * 2) ** 2 / 4


def test_count_shares() -> None:
    share, some, every = Count(at_least=2, at_most=5).shares(Box([0, 3, 5, 6, 4], [4, 4, 9, 8, 4]))
    assert share.tolist() == [0.5, 1.0, 0.0, 0.0, 1.0]
    assert some.tolist() == [1, 1, 1, 0, 1]  # somebody may sit exactly at the bound
    assert every.tolist() == [0, 1, 0, 0, 1]
    assert Count(at_least=2).shares(IntegerBox([0, 2], [3, 4]))[0].tolist() == [0.5, 1.0]
    assert Count(lambda v: v > 4).shares(FiniteSet([[1, 5, 9], [2]]))[0].tolist() == [2 / 3, 0.0]
    assert Count(lambda v: v > 0.25).shares(Box(0, 1, people=1))[0][0] == pytest.approx(0.75, abs=1e-3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quantile(1.5), "share from 0 to 1"),
        (lambda: Quantile(math.nan), "share from 0 to 1"),
        (lambda: Variance(ddof=2), "ddof"),
        (lambda: Variance(ddof=1).range(Box([0], [1])), "two people"),
        (lambda: Linear([1, math.nan]), "finite weights"),
        (lambda: Linear([]), "finite weights"),
        (lambda: Linear(["a"]), "must be numbers"),
        (lambda: Linear([1], offset=math.inf), "finite offset"),
        (lambda: Linear([1, 2, 3]).range(Box([0, 0], 1)), "one weight per entry"),
        (lambda: Linear([1, 2])([1, 2, 3]), "shape"),
        (lambda: Mean().range(Box(0, [1, 2], people=3)), r"Mean\(column=0\)"),
        (lambda: Mean(column=5).range(Box(0, [1, 2], people=3)), "no column 5"),
        (lambda: Count(3), "function of values"),  # type: ignore[arg-type]
        (lambda: Count(at_least=3, at_most=2), "above at_most"),
        (lambda: Count(at_least=math.nan), "above at_most"),
        (lambda: Count(lambda v: v > 1, at_least=2), "not both"),
        (lambda: Count(lambda v: v[:1] > 0)([1.0, 2.0]), "as many booleans"),
        (lambda: Function(3, 0, 1), "must be a function"),  # type: ignore[arg-type]
        (lambda: Function(np.sum, 1, 0), "lower is above upper"),
        (lambda: Function(np.sum, 0, math.inf), "finite numbers"),
        (lambda: Function(np.sum, 0, 1, lipschitz=-1), "at least 0"),
        (lambda: Function(lambda x: x, 0, 1)([1.0, 2.0]), "must map arrays"),
        (lambda: Function(lambda x: x[..., 0] * math.nan, 0, 1)([1.0, 2.0]), "not finite"),
    ],
)
def test_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
