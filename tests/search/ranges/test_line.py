"""One numeric column: bounds and policies against all partitions, and the reference values of SPEC 9."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import Codeword
from discreet.search._letters import Letters
from discreet.search.ranges import _costs as costs
from discreet.search.ranges import _line as windows
from discreet.search.ranges import _size as dealing
from discreet.search.ranges._optimised import Optimised
from tests._oracles.cheapest_policies import (
    blocks_of,
    letters_of,
    optima,
    price_of,
    random_letters,
    seen_in,
    swept_policy,
)
from tests.examples import examples

CODEWORDS: list[Codeword] = ["chebyshev", "medoid", "centroid"]


def check(letters: Letters, found: Optimised, cost: Codeword | Literal["size"]) -> None:
    """Every partition is what it says, recomputed without the package; a bound is below what another policy costs."""
    for i, k in enumerate(found.levels.tolist()):
        block_of = found.partition(i)
        blocks = blocks_of(block_of)
        assert [block[0] for block in blocks] == np.unique(block_of).tolist()
        assert min(len(seen_in(letters, block)) for block in blocks) >= k
        assert price_of(letters, block_of, cost) == pytest.approx(found.cost[i], rel=1e-9, abs=1e-9)
        assert found.bound[i] <= found.cost[i]
        other = swept_policy(letters, k)
        assert found.bound[i] <= price_of(letters, other, cost) * (1 + 1e-9)
    assert np.all(np.diff(found.cost) >= 0)
    assert np.all(np.diff(found.bound) >= 0)


def check_optima(letters: Letters, found: Optimised, cost: Codeword | Literal["size"], exact: dict[int, float]) -> None:
    """And bound <= optimum <= cost at every level."""
    check(letters, found, cost)
    for i, k in enumerate(found.levels.tolist()):
        slack = 1e-9 * (1 + abs(exact[k]))
        assert found.bound[i] <= exact[k] + slack
        assert exact[k] <= found.cost[i] + slack


@pytest.mark.slow
@pytest.mark.parametrize("codeword", CODEWORDS)
def test_bounds_and_costs_enclose_the_optimum(codeword: Codeword) -> None:
    rng = np.random.default_rng(1)
    met = total = 0
    for case in range(700):
        letters = random_letters(rng, int(rng.integers(2, 7 if case % 10 else 9)), most=1 + case % 3)
        found = windows.optimise(letters, codeword)
        exact = optima(letters, codeword)
        check_optima(letters, found, codeword, exact)
        met += sum(found.cost[i] <= exact[int(k)] * (1 + 1e-9) for i, k in enumerate(found.levels))
        total += len(found)
    assert met >= 0.97 * total  # found optimal, whether or not the bound proves it


def test_contiguous_is_not_enough() -> None:
    # SPEC 9: 0:a 3:a 4:b 7:b, k=2: half-diameter 2 by overlapping windows against 3.5.
    letters = letters_of([[0], [0], [1], [1]], np.array([0.0, 3, 4, 7]))
    found = windows.optimise(letters, "chebyshev")
    assert found.cost.tolist() == [2.0] == found.bound.tolist()
    assert found.partition(0).tolist() == [0, 1, 0, 1]


def test_example_one_of_the_paper() -> None:
    # SPEC 3: exact L0/U2 frontier of AC Example 2's values: cost .25, .4667, .75, .9143 at k = 2, 3, 4, 6.
    ranges = [[1, 2], [1], [3], [3], [4], [5], [6]]
    letters = letters_of(ranges, np.array([0.2, 0.1, 0.4, 0.3, 0.6, 1.5, 1.0]))
    cost = windows.optimise(letters, "centroid").cost
    assert cost == pytest.approx([0.25, 0.466667, 0.75, 0.914286, 0.914286], abs=1e-6)


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(
    ranges=st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=3), min_size=2, max_size=30),
    values=st.lists(st.integers(-50, 50), min_size=30, max_size=30),
    codeword=st.sampled_from(CODEWORDS),
)
def test_laws_on_any_letters(ranges: list[list[int]], values: list[int], codeword: Codeword) -> None:
    letters = letters_of(ranges, np.array(values[: len(ranges)], float))
    found = windows.optimise(letters, codeword)
    check(letters, found, codeword)
    for i, k in enumerate(found.levels.tolist()):  # the dynamic program is exact over contiguous policies
        assert found.cost[i] <= price_of(letters, swept_policy(letters, k), codeword) * (1 + 1e-9)
    # A mirror image is the same problem; scaling by a power of two scales everything exactly.
    mirrored = Letters(letters.indptr, letters.indices, letters.n_s, -costs.required_values(letters))
    scaled = Letters(letters.indptr, letters.indices, letters.n_s, costs.required_values(letters) * 4)
    assert windows.optimise(mirrored, "chebyshev").bound == pytest.approx(windows.optimise(letters, "chebyshev").bound)
    assert np.array_equal(windows.optimise(scaled, codeword).cost, found.cost * 4)


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_many_letters_and_the_same_twice(codeword: Codeword) -> None:
    rng = np.random.default_rng(3)
    n = 6_000
    letters = letters_of([[int(s)] for s in rng.integers(0, 12, n)], rng.random(n))
    one, two = windows.optimise(letters, codeword), windows.optimise(letters, codeword)
    assert np.array_equal(one.cost, two.cost)
    for i in range(len(one)):
        block_of = one.partition(i)
        assert np.array_equal(block_of, two.partition(i))
        assert costs.distinct(letters, block_of) >= one.levels[i]
        assert costs.distortion(letters, block_of, codeword) == one.cost[i]
    assert one.gap.max() < 0.5


def test_several_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="one numeric column"):
        windows.optimise(letters_of([[0], [1]], np.eye(2)))


# Reference values: SPEC 9's table for the Hungarian heart data, S = age, X = cholesterol, missing dropped.


@pytest.fixture(scope="module")
def hungarian() -> Letters:
    folder = os.environ.get("DISCREET_DATA")
    if folder is None or not (path := Path(folder) / "processed.hungarian.data").exists():
        pytest.skip("DISCREET_DATA names no folder with processed.hungarian.data")
    rows = {tuple(line.split(",")) for line in path.read_text().split()}
    pairs = {(float(r[4]), int(float(r[0]))) for r in rows if r[4] != "?"}
    levels = sorted({x for x, _ in pairs})
    letters = letters_of([[s for y, s in pairs if y == x] for x in levels], np.array(levels))
    assert (letters.n, letters.n_s) == (153, 37)
    return letters


def test_hungarian_midrange_is_proved_optimal_everywhere(hungarian: Letters) -> None:
    found = windows.optimise(hungarian, "chebyshev")
    assert [found.cost[k - 2] for k in (2, 5, 10, 18)] == [37, 68.5, 122.5, 133.5]
    assert np.all(found.gap == 0)
    assert np.all(windows.optimise(hungarian, "medoid").gap == 0)


@pytest.mark.slow
def test_hungarian_centroids_come_within_one_per_cent(hungarian: Letters) -> None:
    found = windows.optimise(hungarian, "centroid")
    best_known = {2: 37, 5: 81.60, 10: 141.67, 18: 175.23}
    for k, cost in best_known.items():
        assert found.cost[k - 2] <= cost * 1.0005
    assert found.gap[: 18 - 1].max() < 0.01
    assert found.gap.max() < 0.05


def test_hungarian_block_sizes_are_proved_optimal_everywhere(hungarian: Letters) -> None:
    found = dealing.optimise(hungarian)
    assert [found.cost[k - 2] for k in (2, 5, 10, 18)] == [2, 3, 6, 11]
    assert np.all(found.gap == 0)
