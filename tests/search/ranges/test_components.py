"""I*: the closed form for block size and the bound for distortion against all partitions."""

from __future__ import annotations

import numpy as np
import pytest

from discreet._typing import Codeword
from discreet.search.ranges import _closed_forms as closed_forms
from discreet.search.ranges import _components as components
from discreet.search.ranges import _costs as costs
from tests._oracles.cheapest_policies import count_components, letters_of, partitions, radius, random_letters


def sparse(rng: np.random.Generator, n: int) -> list[list[int]]:
    """Ranges with many components."""
    return [list(rng.integers(0, 3 * n // 2, size=rng.integers(1, 3))) for _ in range(n)]


def test_the_closed_form_holds_over_all_partitions() -> None:
    rng = np.random.default_rng(10)
    for _ in range(40):
        n = int(rng.integers(1, 8))
        letters = letters_of(sparse(rng, n))
        c = costs.component_of(letters)[1]
        fewest = dict.fromkeys(range(1, n + 1), n)
        for block_of in partitions(n):
            left = count_components(letters, block_of)
            for m in range(costs.size(block_of), n + 1):
                fewest[m] = min(fewest[m], left)
        for m in range(1, n + 1):
            assert closed_forms.fewest_components(n, c, m) == fewest[m]
        found = components.by_size(letters)
        assert found.levels[-1] == 1
        for i, m in enumerate(found.cost):
            block_of = found.partition(i)
            assert costs.size(block_of) <= m
            assert count_components(letters, block_of) == found.levels[i] == fewest[int(m)]


def test_example_one_of_the_paper() -> None:
    # SPEC 3: (I*, resolution lost) is (0, log 3), (1, 1), (log 5, 0) bits.
    found = components.by_size(letters_of([[1, 2], [1], [3], [3], [4], [5], [6]]))
    assert found.levels.tolist() == [5, 2, 1]
    assert found.cost.tolist() == [1, 2, 3]


@pytest.mark.parametrize("codeword", ["chebyshev", "centroid"])
def test_distortion_is_bounded_and_nearly_solved(codeword: Codeword) -> None:
    rng = np.random.default_rng(11)
    met = total = 0
    for _ in range(40):
        n = int(rng.integers(2, 8))
        values = costs.required_values(random_letters(rng, n))
        letters = letters_of(sparse(rng, n), values)
        least: dict[int, float] = {}
        for block_of in partitions(n):
            left = count_components(letters, block_of)
            cost = max(radius(values[block_of == b], codeword, 2.0) for b in set(block_of.tolist()))
            least[left] = min(least.get(left, np.inf), cost)
        found = components.by_distortion(letters, codeword)
        assert found.levels[-1] == 1 or found.cost[-1] == 0
        for i, left in enumerate(found.levels):
            block_of = found.partition(i)
            assert count_components(letters, block_of) == left
            assert costs.distortion(letters, block_of, codeword) == found.cost[i]
            exact = min(cost for t, cost in least.items() if t <= left)
            assert found.bound[i] <= exact + 1e-9 <= found.cost[i] + 2e-9
            met += found.cost[i] <= exact + 1e-9
            total += 1
        assert np.all(np.diff(found.levels) < 0)
        assert np.all(np.diff(found.cost) > 0)
    assert met >= 0.8 * total
