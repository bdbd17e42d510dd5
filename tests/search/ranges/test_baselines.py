"""Baselines: what they promise, against plain re-implementations and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from discreet.search._letters import Letters
from discreet.search.ranges._baselines import equal_frequency, equal_width, mondrian, spread, sweeney
from tests._oracles.ranges_by_enumeration import blocks_of, fewest_distinct, is_canonical, make_letters
from tests.examples import examples
from tests.search.ranges.strategies import alphabets


@given(letters=alphabets(most=9))
@settings(max_examples=examples(80))
def test_sweeney_merges_all_poor_letters_and_at_most_one_other(letters: Letters) -> None:
    policies = sweeney(letters)
    assert [k for k, _ in policies] == list(range(1, letters.n_s + 1))
    for k, block_of in policies:
        assert k is not None
        assert is_canonical(block_of)
        blocks = blocks_of(block_of)
        poor = {x for x in range(letters.n) if len(letters.range_of(x)) < k}
        assert fewest_distinct(letters, blocks) >= k
        big = [set(b) for b in blocks if len(b) > 1]
        assert len(big) <= 1
        for block in big:
            assert poor <= block
            assert len(block - poor) <= 1


def test_sweeney_takes_the_nearest_letter_where_the_poor_ones_have_too_few() -> None:
    ranges = [[0], [1, 2], [0], [0, 1]]
    by_value = sweeney(make_letters(ranges, [0.0, 9.0, 2.0, 5.0]), levels=[2])
    assert by_value[0][1].tolist() == [0, 1, 0, 0]
    by_count = sweeney(make_letters([[0], [1, 2, 3], [0], [0, 1]]), levels=[2])
    assert by_count[0][1].tolist() == [0, 1, 0, 0]


def plain_mondrian(letters: Letters, k: int, part: list[int]) -> list[tuple[int, ...]]:
    """The definition, recursively."""
    assert letters.values is not None
    values = letters.values
    span = values.max(axis=0) - values.min(axis=0)
    widths = [(values[part, c].max() - values[part, c].min()) / (span[c] or 1.0) for c in range(values.shape[1])]
    for c in sorted(range(len(widths)), key=lambda c: (-widths[c], c)):
        if widths[c] == 0:
            break
        ordered = sorted(values[part, c])
        cut = ordered[(len(part) - 1) // 2]
        if cut == ordered[-1]:
            cut = max(v for v in ordered if v < cut)
        low = [x for x in part if values[x, c] <= cut]
        high = [x for x in part if values[x, c] > cut]
        if fewest_distinct(letters, [tuple(low), tuple(high)]) >= k:
            return plain_mondrian(letters, k, low) + plain_mondrian(letters, k, high)
    return [tuple(part)]


@given(letters=alphabets(most=12))
@settings(max_examples=examples(80))
def test_mondrian_equals_the_plain_recursion(letters: Letters) -> None:
    for k, block_of in mondrian(letters):
        assert k is not None
        assert is_canonical(block_of)
        assert blocks_of(block_of) == sorted(plain_mondrian(letters, k, list(range(letters.n))))
        assert fewest_distinct(letters, blocks_of(block_of)) >= k


def test_mondrian_cuts_the_widest_column_first() -> None:
    letters = make_letters([[0], [1], [0], [1]], [(0, 0), (1, 0), (0, 10), (1, 10)])
    scaled = mondrian(letters, levels=[2])[0][1]
    assert scaled.tolist() == [
        0,
        0,
        2,
        2,
    ]  # equal widths after scaling; column 1 leaves one s a side and is refused


def test_bins_by_hand() -> None:
    letters = make_letters([[0]] * 5, [0.0, 1.0, 2.0, 9.0, 10.0])
    widths, counts = equal_width(letters), equal_frequency(letters)
    assert [level for level, _ in widths + counts] == [None] * 10
    assert [p.tolist() for _, p in widths[:3]] == [[0] * 5, [0, 0, 0, 3, 3], [0, 0, 0, 3, 3]]
    assert [p.tolist() for _, p in counts[:3]] == [[0] * 5, [0, 0, 0, 3, 3], [0, 0, 2, 2, 4]]
    assert counts[-1][1].tolist() == [0, 1, 2, 3, 4]


def test_equal_values_share_a_bin() -> None:
    letters = make_letters([[0]] * 5, [3.0, 1.0, 3.0, 3.0, 2.0])
    for _, block_of in equal_width(letters) + equal_frequency(letters):
        assert block_of[0] == block_of[2] == block_of[3]
    assert [p.tolist() for _, p in equal_width(make_letters([[0], [0]], [4.0, 4.0]))] == [[0, 0]]


def test_binning_wants_one_numeric_column() -> None:
    with pytest.raises(ValueError, match="one numeric column"):
        equal_width(make_letters([[0], [1]], [(0, 1), (1, 2)]))
    with pytest.raises(ValueError, match="values"):
        equal_frequency(make_letters([[0], [1]]))


def test_levels_are_all_at_first_and_then_spread() -> None:
    assert spread(5) == [1, 2, 3, 4, 5]
    many = spread(100_000)
    assert many[:64] == list(range(1, 65))
    assert many[-1] == 100_000
    assert len(many) < 140
    assert many == sorted(set(many))


@pytest.mark.slow
def test_a_hundred_thousand_letters() -> None:
    n = 100_000
    rng = np.random.default_rng(5)
    letters = Letters(np.arange(n + 1), rng.integers(0, 50, n).astype(np.int32), 50, rng.random((n, 1)))
    mondrian(letters, levels=[50])  # compiles
    for sweep in (sweeney(letters), mondrian(letters), equal_width(letters), equal_frequency(letters)):
        assert len(sweep) >= 50
