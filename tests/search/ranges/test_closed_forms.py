"""Counting arguments against enumeration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.release._partitions import canonical
from discreet.search.ranges._closed_forms import (
    deal,
    dealing_order,
    degrees_of,
    fewest_components,
    join_components,
    most_blocks,
)
from discreet.search.ranges._costs import component_of
from tests._oracles.ranges_by_enumeration import (
    all_partitions,
    blocks_of,
    brute_frontier,
    count_components,
    is_canonical,
    make_letters,
)
from tests.examples import examples
from tests.search.ranges.strategies import alphabets

if TYPE_CHECKING:
    from discreet.search._letters import Letters


@given(letters=alphabets(most=7))
@settings(max_examples=examples(60))
def test_fewest_components_is_the_least_over_all_partitions(letters: Letters) -> None:
    component = component_of(letters)[0]
    count = int(component.max()) + 1
    least: dict[int, int] = {}
    for blocks in all_partitions(letters.n):
        size = max(len(b) for b in blocks)
        least[size] = min(least.get(size, count), count_components(letters, blocks))
    for size in range(1, letters.n + 1):
        wanted = min(v for at, v in least.items() if at <= size)
        assert fewest_components(letters.n, count, size) == wanted
        block_of = join_components(component, size)
        blocks = blocks_of(block_of)
        assert max(len(b) for b in blocks) <= size
        assert count_components(letters, blocks) == wanted
        assert is_canonical(block_of)


@pytest.mark.slow
@given(codes=st.lists(st.integers(0, 4), min_size=1, max_size=8))
@settings(max_examples=examples(60))
def test_dealing_is_optimal_where_letters_have_one_s(codes: list[int]) -> None:
    letters = make_letters([[s] for s in codes])
    for k, size in brute_frontier(letters, "L0", "size"):
        block_of = canonical(deal(dealing_order(letters), most_blocks(degrees_of(letters), k)))
        sizes = np.bincount(block_of)
        assert sizes.max() == size
        assert is_canonical(block_of)
        assert min(len({codes[i] for i in b}) for b in blocks_of(block_of)) >= k
