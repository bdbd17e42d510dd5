"""Exact frontiers against plain enumeration, against each other, and against published values."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from discreet._typing import Cost
from discreet.release._hypervolume import non_dominated
from discreet.search._letters import Letters
from discreet.search.ranges import _exact as exact
from discreet.search.ranges import _level_bounds as level_bounds
from discreet.search.ranges._assignment import Assignment
from discreet.search.ranges._costs import component_of
from discreet.search.ranges._exact import Leakage
from discreet.search.ranges._optimised import Optimised
from tests._oracles.hypervolumes import frontier_hypervolume
from tests._oracles.ranges_by_enumeration import (
    blocks_of,
    brute_frontier,
    fewest_distinct,
    is_canonical,
    level_of,
    make_letters,
    partition_cost,
)
from tests.examples import examples
from tests.search.ranges.strategies import alphabets

exact_frontier = partial(exact.exact_frontier, time_limit=1e6)  # a proof takes the time it takes

if TYPE_CHECKING:
    from discreet._typing import Codeword

LEAKAGES: tuple[Leakage, ...] = ("L0", "I*", "L0|I*=0")
COSTS: tuple[tuple[Cost, Codeword], ...] = (
    ("size", "centroid"),
    ("distortion", "centroid"),
    ("distortion", "medoid"),
    ("distortion", "chebyshev"),
)
EXAMPLE_1 = ([1, 2], [1], [3], [3], [4], [5], [6])
EXAMPLE_VALUES = (0.2, 0.1, 0.4, 0.3, 0.6, 1.5, 1.0)


def check(letters: Letters, leakage: Leakage, cost: Cost, codeword: Codeword, found: Optimised) -> None:
    """Everything a proven point claims, recomputed by the oracle."""
    wanted = brute_frontier(letters, leakage, cost, codeword)
    assert found.levels.tolist() == [level for level, _ in wanted]
    assert found.proven.all()
    for i, (level, least) in enumerate(wanted):
        block_of = found.partition(i)
        blocks = blocks_of(block_of)
        reached = level_of(letters, blocks, leakage)
        assert found.cost[i] == pytest.approx(least, rel=1e-9, abs=1e-12)
        assert found.cost[i] == pytest.approx(partition_cost(letters, blocks, cost, codeword), rel=1e-9, abs=1e-12)
        assert found.cost[i] * (1 - 1e-8) <= found.bound[i] <= found.cost[i]
        assert is_canonical(block_of)
        assert reached is not None
        assert reached <= level if leakage == "I*" else reached >= level


@pytest.mark.parametrize(("cost", "codeword"), COSTS)
@pytest.mark.parametrize("leakage", LEAKAGES)
@given(letters=alphabets(most=7))
@settings(max_examples=examples(25))
def test_equals_brute_force(letters: Letters, leakage: Leakage, cost: Cost, codeword: Codeword) -> None:
    check(letters, leakage, cost, codeword, exact_frontier(letters, leakage, cost, codeword))


@pytest.mark.slow
@pytest.mark.parametrize(("cost", "codeword"), COSTS)
@pytest.mark.parametrize("leakage", LEAKAGES)
def test_equals_brute_force_on_eight_letters(leakage: Leakage, cost: Cost, codeword: Codeword) -> None:
    rng = np.random.default_rng(8)
    for columns, norm in ((1, 2.0), (2, 2.0)):
        ranges = [rng.integers(0, 6, size=rng.integers(1, 3)).tolist() for _ in range(8)]
        letters = make_letters(ranges, rng.random((8, columns)), norm)
        check(letters, leakage, cost, codeword, exact_frontier(letters, leakage, cost, codeword))


@pytest.mark.parametrize(("cost", "codeword"), COSTS)
@pytest.mark.parametrize("leakage", LEAKAGES)
def test_questions_to_the_solver_equal_brute_force(
    leakage: Leakage, cost: Cost, codeword: Codeword, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "SUBSET_LIMIT", 0)
    rng = np.random.default_rng(9)
    for trial in range(12):
        n = int(rng.integers(1, 8))
        ranges = [rng.integers(0, 5, size=rng.integers(1, 3)).tolist() for _ in range(n)]
        values = rng.integers(0, 9, size=(n, 1 + trial % 2)).astype(float)
        letters = make_letters(ranges, values, (1.0, 2.0, math.inf)[trial % 3])
        check(letters, leakage, cost, codeword, exact_frontier(letters, leakage, cost, codeword))


@pytest.mark.parametrize(("cost", "codeword"), COSTS)
@pytest.mark.parametrize("leakage", LEAKAGES)
def test_solver_and_subsets_agree(
    leakage: Leakage, cost: Cost, codeword: Codeword, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(13)
    for n, columns, norm in ((13, 1, 2.0), (10, 2, 2.0), (10, 2, math.inf), (11, 1, 2.0), (9, 2, 2.0)):
        ranges = [rng.integers(0, 7, size=rng.integers(1, 3)).tolist() for _ in range(n)]
        letters = make_letters(ranges, rng.random((n, columns)) * 10, norm)
        monkeypatch.setattr(exact, "SUBSET_LIMIT", 13)
        small = exact_frontier(letters, leakage, cost, codeword)
        monkeypatch.setattr(exact, "SUBSET_LIMIT", 0)
        large = exact_frontier(letters, leakage, cost, codeword)
        assert large.proven.all()
        assert small.cost == pytest.approx(large.cost, rel=1e-8)


@given(letters=alphabets(most=6))
@settings(max_examples=examples(40))
def test_starting_bounds_hold(letters: Letters) -> None:
    component = component_of(letters)[0]
    for leakage in LEAKAGES:
        for cost, codeword in COSTS:
            wanted = brute_frontier(letters, leakage, cost, codeword)
            ranked = wanted[::-1] if leakage == "I*" else wanted
            distances = Assignment(letters, component, cost, codeword).distances
            levels = [level for level, _ in ranked]
            bounds = level_bounds.lower_bounds(letters, component, leakage, distances, codeword, levels)
            assert all(b <= least + 1e-9 for b, (_, least) in zip(bounds, ranked, strict=True))


def test_example_1_maximin_information_and_resolution() -> None:
    """SPEC 3: (0, log 3), (1, 1), (log 5, 0) in bits."""
    points = exact_frontier(make_letters(EXAMPLE_1), "I*", "size")
    leakage, lost = np.log2(points.levels), np.log2(points.cost)
    kept = non_dominated(leakage, -lost)[::-1]
    assert leakage[kept] == pytest.approx([0.0, 1.0, math.log2(5)])
    assert lost[kept] == pytest.approx([math.log2(3), 1.0, 0.0])


def test_example_1_worst_case_leakage_and_distortion() -> None:
    """SPEC 3: (0, .9143), (.585, .75), (1, .4667), (1.585, .25), (2.585, 0)."""
    points = exact_frontier(make_letters(EXAMPLE_1, EXAMPLE_VALUES), "L0", "distortion", "centroid")
    leakage, cost = math.log2(6) - np.log2(points.levels), points.cost
    kept = non_dominated(leakage, -cost)[::-1]
    assert leakage[kept] == pytest.approx([0.0, 0.585, 1.0, 1.585, 2.585], abs=5e-4)
    assert cost[kept] == pytest.approx([0.9143, 0.75, 0.4667, 0.25, 0.0], abs=5e-5)


def test_contiguous_blocks_are_not_always_optimal() -> None:
    """SPEC 9: 0:a 3:a 4:b 7:b, k = 2: half-diameter 2 against 3.5 of contiguous blocks."""
    points = exact_frontier(make_letters([[0], [0], [1], [1]], [0, 3, 4, 7]), "L0", "distortion", "chebyshev")
    assert points.cost.tolist() == [0.0, 2.0]


@pytest.mark.slow
def test_thirty_letters_are_proven() -> None:
    rng = np.random.default_rng(30)
    ranges = [rng.choice(8, size=rng.integers(1, 3), replace=False).tolist() for _ in range(30)]
    letters = make_letters(ranges, np.sort(rng.choice(300, size=30, replace=False)))
    for leakage in LEAKAGES:
        for cost, codeword in COSTS:
            points = exact_frontier(letters, leakage, cost, codeword)
            assert points.proven.all(), (leakage, cost, codeword)


def hard_letters(n: int = 120) -> Letters:
    rng = np.random.default_rng(n)
    ranges = [rng.choice(25, size=rng.integers(1, 3), replace=False).tolist() for _ in range(n)]
    return make_letters(ranges, np.sort(rng.choice(4 * n, size=n, replace=False)))


@pytest.mark.slow
def test_time_limit_holds_and_leaves_policies_with_bounds() -> None:
    letters = hard_letters()
    exact_frontier(hard_letters(20), "L0", "distortion", "centroid", time_limit=5.0)  # compiles what is compiled
    points = exact_frontier(letters, "L0", "distortion", "centroid", time_limit=1.0)
    assert len(points) == letters.n_s
    assert not points.proven.all()
    for i, level in enumerate(points.levels):
        blocks = blocks_of(points.partition(i))
        assert fewest_distinct(letters, blocks) >= level
        assert partition_cost(letters, blocks, "distortion", "centroid") == pytest.approx(points.cost[i])
    assert (points.bound <= points.cost).all()
    assert (np.diff(points.cost) >= 0).all() and (np.diff(points.bound) >= 0).all()


@pytest.mark.slow
def test_incumbents_and_bounds_are_used_where_there_is_no_time() -> None:
    letters = hard_letters()
    best = exact_frontier(letters, "L0", "distortion", "chebyshev", time_limit=30.0)
    again = exact_frontier(
        letters,
        "L0",
        "distortion",
        "chebyshev",
        time_limit=0.0,
        incumbents=[best.partition(i) for i in range(len(best))],
        bounds=best.bound.tolist(),
    )
    assert again.cost.tolist() == best.cost.tolist()
    assert again.bound.tolist() == best.bound.tolist()


def test_too_many_letters_to_search_still_give_points() -> None:
    n = exact.SEARCH_LIMIT + 1
    letters = make_letters([[i % 3, (i + 1) % 3] for i in range(n)], list(range(n)))
    halves = np.where(np.arange(n) < n // 2, 0, n // 2)
    points = exact_frontier(letters, "L0", "distortion", "chebyshev", incumbents=[halves], bounds=[0.0, 0.0, 1.0])
    assert points.cost.tolist() == [0.0, 0.0, (n - n // 2 - 1) / 2]
    assert points.bound.tolist() == [0.0, 0.0, 1.0]
    assert points.proven.tolist() == [True, True, False]


def test_closed_form_of_a_large_alphabet() -> None:
    """Components of one letter each, twenty thousand of them: size m leaves n/m, rounded up."""
    n = 20_000
    letters = Letters(np.arange(n + 1), np.arange(n, dtype=np.int32), n)
    points = exact_frontier(letters, "I*", "size")
    assert points.cost[0] == n
    assert points.cost[-1] == 1
    assert points.cost[n // 7] == -(-n // (n // 7 + 1))


@pytest.mark.slow
def test_same_input_same_output() -> None:
    letters = hard_letters(25)
    first, second = (exact_frontier(letters, "L0|I*=0", "distortion", "centroid") for _ in range(2))
    assert (first.cost == second.cost).all() and (first.bound == second.bound).all()
    for i in range(len(first)):
        assert np.array_equal(first.partition(i), second.partition(i))


def test_distortion_without_values_is_refused() -> None:
    with pytest.raises(ValueError, match="values"):
        exact_frontier(make_letters([[0], [1]]), "L0", "distortion")


def test_hypervolume_of_the_exact_frontier_is_that_of_its_points() -> None:
    """Example 1, L0 and size, by hand: k = 1, 2, 3, 6 at sizes 1, 2, 4, 7."""
    letters = make_letters(EXAMPLE_1)
    points = exact_frontier(letters, "L0", "size")
    assert points.cost.tolist() == [c for _, c in brute_frontier(letters, "L0", "size")]
    area = frontier_hypervolume(points.levels.tolist(), points.cost.tolist(), 6, 7, logarithmic=True)
    x = [1 - math.log(level) / math.log(6) for level in points.levels]
    y = [math.log(cost) / math.log(7) for cost in points.cost]
    steps = sorted(zip(x, y, strict=True))
    by_hand = sum((b[0] - a[0]) * (1 - a[1]) for a, b in zip(steps, [*steps[1:], (1.0, 0.0)], strict=True))
    assert area == pytest.approx(by_hand)


@pytest.mark.parametrize("leakage", ["I*", "L0|I*=0"])
def test_two_blocks_that_join_the_same_components_join_them_once(
    leakage: Leakage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Components {0, 10}, {1, 11} and {30}: pairing the first two twice leaves the third alone."""
    monkeypatch.setattr(exact, "SUBSET_LIMIT", 0)
    letters = make_letters([[0], [1], [0], [1], [2]], [0.0, 1.0, 10.0, 11.0, 30.0])
    check(
        letters,
        leakage,
        "distortion",
        "chebyshev",
        exact_frontier(letters, leakage, "distortion", "chebyshev"),
    )
