"""Problem (7): one component at every k, never below the optimum over connected partitions."""

from __future__ import annotations

import numpy as np
import pytest

from discreet._typing import Codeword
from discreet.search.ranges import _costs as costs
from discreet.search.ranges import _join_components as joined
from discreet.search.ranges import _line as windows
from discreet.search.ranges import _size as dealing
from tests._oracles.cheapest_policies import count_components, letters_of, partitions, radius, random_letters


@pytest.mark.slow
@pytest.mark.parametrize("codeword", ["chebyshev", "centroid", None])
def test_one_component_and_never_below_the_optimum(codeword: Codeword | None) -> None:
    rng = np.random.default_rng(12)
    met = total = 0
    for _ in range(40):
        n = int(rng.integers(2, 7))
        ranges = [list(rng.integers(0, n, size=rng.integers(1, 3))) for _ in range(n)]
        letters = letters_of(ranges, random_letters(rng, n).values)
        frontier = dealing.optimise(letters) if codeword is None else windows.optimise(letters, codeword)
        exact = dict.fromkeys(range(1, letters.n_s + 1), np.inf)
        for block_of in partitions(n):
            if count_components(letters, block_of) == 1:
                blocks = [block_of == b for b in set(block_of.tolist())]
                cost = max(
                    b.sum() if codeword is None else radius(costs.required_values(letters)[b], codeword, 2.0)
                    for b in blocks
                )
                for k in range(1, costs.distinct(letters, block_of) + 1):
                    exact[k] = min(exact[k], cost)
        for i, k in enumerate(frontier.levels):
            block_of = np.asarray(joined.join(letters, frontier.partition(i), int(k), codeword))
            assert count_components(letters, block_of) == 1
            assert costs.distinct(letters, block_of) >= k
            cost = costs.size(block_of) if codeword is None else costs.distortion(letters, block_of, codeword)
            assert exact[int(k)] <= cost + 1e-9
            met += cost <= exact[int(k)] + 1e-9
            total += 1
    assert met >= 0.8 * total
