"""Block size: the closed form and the bound against all partitions."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.search.ranges import _closed_forms as closed_forms
from discreet.search.ranges import _size as dealing
from tests._oracles.cheapest_policies import letters_of, optima, random_letters
from tests.search.ranges.test_line import check, check_optima


def test_one_s_a_letter_is_solved_exactly() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        letters = random_letters(rng, int(rng.integers(2, 9)), most=1)
        found = dealing.optimise(letters)
        exact = optima(letters, "size")
        check_optima(letters, found, "size", exact)
        assert found.cost.tolist() == [exact[int(k)] for k in found.levels]
        assert np.all(found.gap == 0)


def test_several_s_a_letter_are_bounded_and_nearly_solved() -> None:
    rng = np.random.default_rng(3)
    met = total = 0
    for _ in range(300):
        letters = random_letters(rng, int(rng.integers(2, 9)))
        found = dealing.optimise(letters)
        exact = optima(letters, "size")
        check_optima(letters, found, "size", exact)
        met += sum(found.cost[i] == exact[int(k)] for i, k in enumerate(found.levels))
        total += len(found)
    assert met >= 0.97 * total


def test_the_count_of_blocks_by_hand() -> None:
    # Degrees 5, 3, 1, 1. k = 2: five blocks can use 5+3+1+1 = 10 >= 2*5, six no more than that, which is < 2*6.
    # k = 3: two blocks can use 2+2+1+1 = 6 >= 3*2, three 3+3+1+1 = 8 < 3*3. k = 4: only one.
    degrees = np.array([5, 3, 1, 1])
    assert [closed_forms.most_blocks(degrees, k) for k in (1, 2, 3, 4)] == [10, 5, 2, 1]


@pytest.mark.slow
@pytest.mark.parametrize("n", [1_000, 50_000])
def test_large_alphabets_meet_the_bound(n: int) -> None:
    rng = np.random.default_rng(4)
    letters = letters_of([[int(s)] for s in np.minimum(rng.geometric(0.2, n), 20)])
    found = dealing.optimise(letters)
    assert np.all(found.gap == 0)
    check(letters, found, "size")
