"""No merge of two blocks and no move of one letter beats a frontier, counted by brute force."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import discreet as dc
from discreet._typing import IntArray, Problem
from discreet.release._partitions import Listed, Partitions
from discreet.search.information import weights_of
from discreet.search.information._polish import polish
from discreet.search.information._weights import information


def dense(n: int, seed: int) -> dc.Joint:
    return dc.Joint.from_array(np.random.default_rng(seed).dirichlet(np.full(n * n, 0.3)).reshape(n, n))


def sparse(n: int, seed: int) -> dc.Joint:
    rng = np.random.default_rng(seed)
    return dc.Joint.from_pairs([(int(rng.integers(0, 7)), int(x)) for x in rng.integers(0, n, 4 * n)])


def neighbours(block_of: IntArray) -> Iterator[IntArray]:
    names = np.unique(block_of)
    for one, two in itertools.combinations(names, 2):
        yield np.where(block_of == two, one, block_of)
    for letter in range(len(block_of)):
        for name in (*names, block_of.max() + 1):
            moved = block_of.copy()
            moved[letter] = name
            yield moved


def beaten(found: dc.Frontier, block_of: IntArray, sign: float) -> bool:
    """Whether some point leaks no more and keeps no less (a bottleneck: the reverse)."""
    leakage, utility = information(weights_of(found.setting.joint), block_of)
    return any(
        sign * point.leakage <= sign * leakage + 1e-8 and sign * point.utility >= sign * utility - 1e-8
        for point in found.points
    )


def test_single_merges_from_the_top_do_not_beat_it() -> None:
    joint = dense(12, 0)
    found = dc.frontier(joint, leakage="I")
    leakage, utility = information(weights_of(joint), np.array([0, 1, 2, 3, 4, 5, 6, 7, 7, 9, 10, 11]))
    assert (leakage, utility) == pytest.approx((0.85034, 3.24380), abs=1e-5)  # once found by hand, and missed
    for one, two in itertools.combinations(range(12), 2):
        assert beaten(found, np.where(np.arange(12) == two, one, np.arange(12)), 1.0)


@pytest.mark.parametrize("problem", ["funnel", "bottleneck"])
@pytest.mark.parametrize("joint", [dense(11, 1), sparse(14, 2)], ids=["dense", "sparse"])
def test_no_merge_and_no_move_away_from_a_point_beats_it(joint: dc.Joint, problem: Problem) -> None:
    found = dc.frontier(joint, leakage="I", problem=problem)
    sign = 1.0 if problem == "funnel" else -1.0
    points = found.points if len(found.points) < 40 else found.points[::7]
    for point in points:
        assert all(beaten(found, other, sign) for other in neighbours(point.block_of))


def test_blocks_stay_heavy_enough() -> None:
    joint = sparse(12, 3)
    found = dc.frontier(joint, leakage="I", at_least=6)
    records = {label: int(joint.records[i]) for i, label in enumerate(joint.x)}
    assert all(sum(records[x] for x in block) >= 6 for point in found.points for block in point.blocks)


def test_the_same_twice_and_more_is_never_worse() -> None:
    joint = dense(14, 4)
    weights = weights_of(joint)
    ends = [np.arange(14), np.zeros(14, np.int64)]
    figures = np.array([information(weights, each) for each in ends])
    start = Partitions(figures[:, 0], figures[:, 1], Listed.of(ends))
    once, again, more = (polish(weights, start, "funnel", seconds=each) for each in (1e-3, 1e-3, 1e-1))
    assert once.leakage.tolist() == again.leakage.tolist()
    assert 2 <= len(once) <= len(more)
    for leakage, utility in zip(once.leakage, once.utility, strict=True):
        assert ((more.leakage <= leakage + 1e-9) & (more.utility >= utility - 1e-9)).any()
    for i in range(len(more)):
        assert information(weights, more.partition(i)) == pytest.approx((more.leakage[i], more.utility[i]), abs=1e-9)
