"""Several columns: bounds and policies against all partitions, starts, determinism."""

from __future__ import annotations

import numpy as np
import pytest

from discreet._typing import Codeword
from discreet.release._partitions import canonical
from discreet.search.ranges import _costs as costs
from discreet.search.ranges import _multicolumn as several
from tests._oracles.cheapest_policies import letters_of, optima, random_letters
from tests.search.ranges.test_line import CODEWORDS, check, check_optima


@pytest.mark.parametrize("norm", [1.0, 2.0, np.inf])
@pytest.mark.parametrize("codeword", CODEWORDS)
def test_bounds_and_costs_enclose_the_optimum_in_the_plane(codeword: Codeword, norm: float) -> None:
    rng = np.random.default_rng(7)
    ratios = []
    for _ in range(60):
        letters = random_letters(rng, int(rng.integers(2, 8)), columns=2, norm=norm)
        found = several.optimise(letters, codeword)
        exact = optima(letters, codeword)
        check_optima(letters, found, codeword, exact)
        ratios += [found.cost[i] / exact[int(k)] for i, k in enumerate(found.levels) if exact[int(k)] > 0]
    assert np.mean(ratios) < 1.05


def test_starts_are_never_worse_than_what_was_brought() -> None:
    rng = np.random.default_rng(8)
    letters = letters_of([[int(s)] for s in rng.integers(0, 6, 200)], rng.random((200, 2)))
    brought = canonical((costs.required_values(letters)[:, 0] * 10).astype(np.int64))
    k = costs.distinct(letters, brought)
    found = several.optimise(letters, "centroid", starts=[brought])
    assert found.cost[found.levels <= k].max() <= costs.distortion(letters, brought, "centroid")


def test_grids_of_levels() -> None:
    assert several.default_levels(5).tolist() == [2, 3, 4, 5]
    grid = several.default_levels(4_000)
    assert (grid[0], grid[-1]) == (2, 4_000)
    assert len(grid) <= 50
    assert np.all(np.diff(grid) > 0)


def test_same_twice_and_equal_points() -> None:
    rng = np.random.default_rng(9)
    values = rng.integers(0, 4, size=(400, 3)).astype(float)
    letters = letters_of([[int(s)] for s in rng.integers(0, 9, 400)], values, np.inf)
    one, two = several.optimise(letters, "centroid"), several.optimise(letters, "centroid")
    check(letters, one, "centroid")
    for i in range(len(one)):
        assert np.array_equal(one.partition(i), two.partition(i))
