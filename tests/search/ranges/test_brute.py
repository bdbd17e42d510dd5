"""The oracle itself, where it can be counted by hand."""

from __future__ import annotations

import pytest

from tests._oracles.ranges_by_enumeration import (
    all_partitions,
    brute_frontier,
    chebyshev_radius,
    count_components,
    make_letters,
)

BELL = [1, 1, 2, 5, 15, 52, 203, 877]


@pytest.mark.parametrize("n", range(1, 8))
def test_partitions_are_counted_by_bell_numbers(n: int) -> None:
    found = [tuple(p) for p in all_partitions(n)]
    assert len(found) == len(set(found)) == BELL[n]
    assert all(sorted(x for block in p for x in block) == list(range(n)) for p in found)


def test_components_of_example_1() -> None:
    letters = make_letters([[1, 2], [1], [3], [3], [4], [5], [6]])
    assert count_components(letters, [(i,) for i in range(7)]) == 5
    assert count_components(letters, [(0, 2, 4), (1,), (3,), (5, 6)]) == 2


def test_radius_in_the_plane() -> None:
    assert chebyshev_radius([(0, 0), (2, 0), (1, 0.1)], 2.0) == 1.0
    assert chebyshev_radius([(0, 0), (4, 0), (0, 3)], 2.0) == pytest.approx(2.5)
    assert chebyshev_radius([(0, 0), (1, 1)], 1.0) == 1.0


def test_frontier_of_two_letters() -> None:
    letters = make_letters([[0], [1]], [0.0, 4.0])
    assert brute_frontier(letters, "L0", "distortion") == [(1, 0.0), (2, 2.0)]
    assert brute_frontier(letters, "I*", "size") == [(1, 2.0), (2, 1.0)]
    assert brute_frontier(letters, "L0|I*=0", "size") == [(1, 2.0), (2, 2.0)]
