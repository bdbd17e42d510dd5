"""Ranks and differences mod K, against every order of the rows."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy._quantiles import QuantileMasks, quantile_columns, quantile_sequence
from tests._oracles.disclosures_by_enumeration import bits


class Scripted(np.random.Generator):
    """Stands for a generator: the shuffles are given beforehand."""

    def __init__(self, shuffles: Iterable[tuple[int, ...]]) -> None:
        super().__init__(SOURCE)
        self.shuffles = iter(shuffles)

    def permutation(self, n: int) -> Any:  # type: ignore[override]
        found = np.array(next(self.shuffles))
        assert len(found) == n
        return found


SOURCE = np.random.PCG64(0)


def draws(made: QuantileMasks, x: Any, ranked: list[int]) -> Iterator[tuple[int, ...]]:
    """Every outcome of `draw`, all equally likely: `ranked` are the sizes of the columns that are shuffled."""
    for shuffles in itertools.product(*(itertools.permutations(range(n)) for n in ranked)):
        yield tuple(made.draw(x, Scripted(shuffles)).ravel().tolist())


def joint_of(pairs: dict[tuple[Any, Any], float]) -> FloatArray:
    left, right = sorted({a for a, _ in pairs}), sorted({b for _, b in pairs})
    table = np.zeros((len(left), len(right)))
    for (a, b), mass in pairs.items():
        table[left.index(a), right.index(b)] += mass
    return np.asarray(table / table.sum())


def information(pairs: dict[tuple[Any, Any], float]) -> float:
    table = joint_of(pairs)
    return bits(table.sum(axis=0)) + bits(table.sum(axis=1)) - bits(table)


@pytest.mark.parametrize(("n", "cells"), [(4, 2), (6, 3), (6, 2), (4, 4)])
def test_a_sequence_of_distinct_values(n: int, cells: int) -> None:
    single: list[dict[tuple[Any, Any], float]] = [defaultdict(float) for _ in range(n)]
    whole: dict[tuple[Any, Any], float] = defaultdict(float)
    made = quantile_sequence(np.arange(n), cells)
    rng = np.random.default_rng(0)
    for x in itertools.permutations(range(n)):
        y = tuple(made.draw(x, rng).tolist())  # no ties: the shuffle does not matter
        whole[x, y] += 1
        for i in range(n):
            single[i][x[i], y] += 1
    assert max(information(pairs) for pairs in single) < 1e-12
    assert made.information == pytest.approx(information(whole), abs=1e-9)
    assert (made.error_bar, made.residual, made.withheld) == (0, 0, 0)


@pytest.mark.parametrize("law", [{0: 0.5, 1: 0.5}, {0: 0.2, 1: 0.5, 2: 0.3}])
def test_a_sequence_with_ties(law: dict[int, float]) -> None:
    single: list[dict[tuple[Any, Any], float]] = [defaultdict(float) for _ in range(4)]
    by_ties: dict[tuple[int, ...], dict[tuple[Any, Any], float]] = defaultdict(lambda: defaultdict(float))
    for x in itertools.product(law, repeat=4):
        made = quantile_sequence(x, 2)
        for y in draws(made, x, [4]):
            chance = math.prod(law[v] for v in x)
            for i in range(4):
                single[i][x[i], y] += chance
            by_ties[tuple(sorted(x))][x, y] += 1
    assert max(information(pairs) for pairs in single) < 1e-12
    for x, pairs in by_ties.items():
        made = quantile_sequence(x, 2)
        assert made.information == pytest.approx(information(pairs), abs=1e-9)
        assert made.error_bar == 0


def test_ties_across_every_boundary() -> None:
    pairs: dict[tuple[Any, Any], float] = defaultdict(float)
    ties = (0, 0, 0, 1, 1, 1)
    made = quantile_sequence(ties, 3)
    for x in sorted(set(itertools.permutations(ties))):
        for y in draws(made, x, [6]):
            pairs[x, y] += 1
    assert made.information == pytest.approx(information(pairs), abs=1e-9)
    assert quantile_sequence(np.zeros(6), 3).information == 0


def test_two_consecutive_rows_of_a_sequence() -> None:
    n = 4
    pair: dict[tuple[Any, Any], float] = defaultdict(float)
    whole: dict[Any, float] = defaultdict(float)
    made = quantile_sequence(np.arange(n), 2, window=2)
    rng = np.random.default_rng(0)
    for x in itertools.permutations(range(n)):
        y = tuple(made.draw(x, rng).tolist())
        pair[(x[1], x[2]), y] += 1
        whole[y] += 1
    assert information(pair) < 1e-12
    assert made.information == pytest.approx(bits(np.array(list(whole.values())) / math.factorial(n)), abs=1e-9)


@pytest.mark.parametrize(
    ("values", "cells", "known"),
    [
        ((1, 2, 3, 4, 5), 2, math.log2(3)),
        ((1, 1, 1, 2, 3), 2, 0.6 * math.log2(3)),
        ((1, 1, 2, 2, 2), 2, 0.6 * math.log2(3)),
        ((1, 1, 1, 1, 1), 2, 0.0),
        ((1, 2, 2, 3, 3), 3, 0.4),
        ((1, 1, 2, 2), 3, 0.0),
    ],
)
def test_rows_that_do_not_divide_are_withheld(values: tuple[int, ...], cells: int, known: float) -> None:
    n, kept = len(values), len(values) // cells * cells
    orders = sorted(set(itertools.permutations(values)))
    single: list[dict[tuple[Any, Any], float]] = [defaultdict(float) for _ in range(n)]
    whole: dict[tuple[Any, Any], float] = defaultdict(float)
    by_ties: dict[tuple[int, ...], dict[tuple[Any, Any], float]] = defaultdict(lambda: defaultdict(float))
    claimed = []
    for x in orders:
        made = quantile_sequence(x, cells)
        assert (made.withheld, made.error_bar) == (n - kept, 0)
        claimed.append(made.information)
        for y in draws(made, x, [kept]):
            whole[x, y] += 1
            by_ties[tuple(sorted(x[:kept]))][x, y] += 1
            for i in range(n):
                single[i][x[i], y] += 1
            assert set(y[kept - 1 :]) == {-1} and min(y[: kept - 1]) >= 0  # the marks are where n and K say
    assert max(information(pairs) for pairs in single) < 1e-12
    assert np.mean(claimed) == pytest.approx(information(whole), abs=1e-9)
    for ties, pairs in by_ties.items():
        assert quantile_sequence(ties, cells).information == pytest.approx(information(pairs), abs=1e-9)
    assert np.mean(claimed) == pytest.approx(known, abs=1e-9)


def test_every_class_withholds_its_last_rows() -> None:
    pairs: list[dict[tuple[Any, Any], float]] = [defaultdict(float) for _ in range(5)]
    whole: dict[tuple[Any, Any], float] = defaultdict(float)
    made = quantile_sequence(np.arange(6), 2, window=2)
    assert made.withheld == 2
    rng = np.random.default_rng(0)
    for x in itertools.permutations(range(6)):
        y = tuple(made.draw(x, rng).tolist())
        assert y[2:] == (-1, -1, -1, -1)
        whole[x, y] += 1
        for i in range(5):
            pairs[i][x[i : i + 2], y] += 1
    assert max(information(found) for found in pairs) < 1e-12
    assert made.information == pytest.approx(0, abs=1e-12)  # two rows of a class are one arrangement and its shift
    assert information(whole) < 1e-12


@pytest.mark.parametrize("ties", [(0, 1, 2), (0, 0, 1), (0, 1, 1)])
def test_a_table_whose_rows_do_not_divide(ties: tuple[int, ...]) -> None:
    single: list[dict[tuple[Any, Any], float]] = [defaultdict(float) for _ in range(9)]
    whole: dict[tuple[Any, Any], float] = defaultdict(float)
    by_ties: dict[Any, dict[tuple[Any, Any], float]] = defaultdict(lambda: defaultdict(float))
    bounds: dict[Any, tuple[float, float]] = {}
    orders = sorted(set(itertools.permutations(ties)))
    lower, upper = [], []
    for columns in itertools.product(orders, itertools.permutations(range(3)), orders):
        x = np.column_stack(columns)
        made = quantile_columns(x, 2)
        assert made.withheld == 1
        lower.append(made.lower_bound)
        upper.append(made.upper_bound)
        kept = tuple(tuple(sorted(column[:2])) for column in columns)
        assert bounds.setdefault(kept, (made.lower_bound, made.upper_bound)) == (made.lower_bound, made.upper_bound)
        for y in draws(made, x, [2, 2, 2]):
            assert y[-2:] == (-1, -1) and min(y[:-2]) >= 0
            whole[columns, y] += 1
            by_ties[kept][columns, y] += 1
            for place, value in enumerate(x.ravel().tolist()):
                single[place][value, y] += 1
    for kept, pairs in by_ties.items():
        assert bounds[kept][0] - 1e-9 <= information(pairs) <= bounds[kept][1] + 1e-9
    assert np.mean(lower) - 1e-9 <= information(whole) <= np.mean(upper) + 1e-9
    assert max(information(pairs) for pairs in single) < 1e-12


@pytest.mark.parametrize("cells", [2, 4])
def test_a_pair_of_columns(cells: int) -> None:
    single: list[dict[tuple[Any, Any], float]] = [defaultdict(float) for _ in range(2)]
    whole: dict[tuple[Any, Any], float] = defaultdict(float)
    made = quantile_columns(np.column_stack([np.arange(4), np.arange(4)]), cells)
    rng = np.random.default_rng(0)
    for a, b in itertools.product(itertools.permutations(range(4)), repeat=2):
        y = tuple(made.draw(np.column_stack([a, b]), rng).ravel().tolist())
        single[0][a[0], y] += 1
        single[1][b[2], y] += 1
        whole[(a, b), y] += 1
    assert max(information(pairs) for pairs in single) < 1e-12
    truth = information(whole)
    assert made.lower_bound - 1e-9 <= truth <= made.upper_bound + 1e-9
    assert abs(made.information - truth) <= made.error_bar + 1e-9


def test_a_pair_of_columns_with_ties() -> None:
    single: dict[tuple[Any, Any], float] = defaultdict(float)
    whole: dict[tuple[Any, Any], float] = defaultdict(float)
    ties = (0, 0, 0, 1)
    made = quantile_columns(np.column_stack([ties, range(4)]), 2)
    for a, b in itertools.product(sorted(set(itertools.permutations(ties))), itertools.permutations(range(4))):
        for shuffle in itertools.permutations(range(4)):
            generator = Scripted([shuffle, (0, 1, 2, 3)])  # the second column has no ties to break
            y = tuple(made.draw(np.column_stack([a, b]), generator).ravel().tolist())
            single[a[0], y] += 1
            whole[(a, b), y] += 1
    assert information(single) < 1e-12
    assert made.lower_bound - 1e-9 <= information(whole) <= made.upper_bound + 1e-9


def test_large_data() -> None:
    x = np.random.default_rng(0).normal(size=100_003)
    made = quantile_sequence(x, 64)
    y = made.draw(x, np.random.default_rng(1))
    kept = y[y >= 0]
    assert made.withheld == 100_003 % 64
    assert len(kept) == len(x) - made.withheld - 1
    assert kept.max() == 63
    assert made.error_bar == 0
    assert 0.99 < made.information / (len(x) * 6) < 1
    two = np.random.default_rng(2).normal(size=(100_000, 3))
    wide = quantile_columns(two, 10, window=2)
    z = wide.draw(two, np.random.default_rng(3))
    assert z.shape == (100_000, 1)
    assert np.abs(np.bincount(z[:, 0]) / 1e5 - 0.1).max() < 0.01
    assert wide.error_bar / wide.information < 1e-3
    assert (z == wide.draw(two, np.random.default_rng(3))).all()


def test_the_same_cells_whatever_the_units() -> None:
    x = np.random.default_rng(5).normal(size=1000)
    made = quantile_sequence(x, 8)
    y = made.draw(x, np.random.default_rng(0))
    assert (y == made.draw(np.exp(3 * x) + 7, np.random.default_rng(0))).all()


def test_what_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="missing"):
        quantile_sequence([1.0, math.nan, 2.0], 2)
    with pytest.raises(InputError, match="between 2 and 3"):
        quantile_sequence([1.0, 3.0, 2.0], 4)
    with pytest.raises(InputError, match="one column"):
        quantile_sequence(np.ones((4, 2)), 2)
    with pytest.raises(InputError, match="two axes"):
        quantile_columns(np.ones(4), 2)
    with pytest.raises(InputError, match="window"):
        quantile_columns(np.ones((4, 2)), 2, window=2)
    with pytest.raises(InputError, match="numbers"):
        quantile_sequence(["a", "b"], 2)
    with pytest.raises(InputError, match="shape"):
        quantile_sequence([1.0, 3.0], 2).draw([1.0, 2.0, 3.0], rng)
    with pytest.raises(InputError, match="Generator"):
        quantile_sequence([1.0, 3.0], 2).draw([1.0, 3.0], 0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="same length"):
        quantile_columns([[1.0, 2.0], [3.0]], 2)
    for cells in (2.0, "2", None, True):
        with pytest.raises(InputError, match="cells must be a whole number"):
            quantile_sequence([1.0, 3.0, 2.0], cells)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="cells must be a whole number"):
            quantile_columns(np.ones((4, 2)), cells)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="window must be a whole number"):
        quantile_sequence([1.0, 3.0, 2.0], 2, window=1.0)  # type: ignore[arg-type]
