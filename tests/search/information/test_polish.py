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
from discreet.search.information._other_leakages import partitions_of
from discreet.search.information._pmf_leakages import maximal, min_entropy, renyi
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


def figures(joint: dc.Joint, leakage: str, block_of: IntArray) -> tuple[float, float]:
    """Leakage and I(X;X̂) by their definitions."""
    blocks = weights_of(joint).merged(block_of)
    if leakage == "I":
        return blocks.leakage, blocks.entropy
    if leakage in ("I_inf", "Lmin"):
        return (maximal if leakage == "I_inf" else min_entropy)(blocks), blocks.entropy
    return renyi(blocks, float(leakage[2:])), blocks.entropy


def beaten(found: dc.Frontier, block_of: IntArray, within: float = 1e-8) -> bool:
    """Whether some point leaks no more, but for so many bits, and keeps no less (a bottleneck: the reverse)."""
    sign = -1.0 if found.problem == "bottleneck" else 1.0
    leakage, utility = figures(found.setting.joint, found.leakage, block_of)
    kept = sign * found.points.utility >= sign * utility - 1e-8
    return bool((sign * found.points.leakage[kept] <= sign * leakage + within).any())


def keeps_the_law(found: dc.Frontier, most: int) -> None:
    """No neighbour of so many points beats the frontier by more than it says."""
    assert found.polished is not None
    every = np.unique(np.linspace(0, len(found.points) - 1, most).astype(int)).tolist()
    for i in every:
        assert all(beaten(found, other, found.polished + 1e-8) for other in neighbours(found.points[i].block_of))


def test_single_merges_from_the_top_do_not_beat_it() -> None:
    joint = dense(12, 0)
    found = dc.frontier(joint, leakage="I")
    leakage, utility = information(weights_of(joint), np.array([0, 1, 2, 3, 4, 5, 6, 7, 7, 9, 10, 11]))
    assert (leakage, utility) == pytest.approx((0.85034, 3.24380), abs=1e-5)  # once found by hand, and missed
    for one, two in itertools.combinations(range(12), 2):
        assert beaten(found, np.where(np.arange(12) == two, one, np.arange(12)))


@pytest.mark.parametrize("problem", ["funnel", "bottleneck"])
@pytest.mark.parametrize("joint", [dense(11, 1), sparse(14, 2)], ids=["dense", "sparse"])
def test_no_merge_and_no_move_away_from_a_point_beats_it(joint: dc.Joint, problem: Problem) -> None:
    found = dc.frontier(joint, leakage="I", problem=problem)
    assert found.polished == 1e-10  # rounding
    assert found.polish_words()[0].startswith("polished: yes")
    keeps_the_law(found, 20)


def spread(letters: int, secrets: int, concentration: float, seed: int) -> dc.Joint:
    p = np.random.default_rng(seed).dirichlet(np.full(letters * secrets, concentration))
    return dc.Joint.from_array(p.reshape(secrets, letters))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("joint", "problem"),
    [
        (spread(20, 8, 0.05, 0), "funnel"),
        (spread(18, 30, 0.05, 1), "funnel"),
        (spread(22, 3, 0.2, 2), "funnel"),
        (spread(18, 6, 0.05, 3), "bottleneck"),
        (dc.Joint.from_array(np.diag(np.random.default_rng(4).dirichlet(np.ones(14)))), "funnel"),
    ],
    ids=["sparse", "many s", "few s", "bottleneck", "one s each"],
)
def test_sparse_joints_keep_the_law_to_the_bits_that_they_say(joint: dc.Joint, problem: Problem) -> None:
    found = dc.frontier(joint, leakage="I", problem=problem)
    assert found.polished is not None
    assert found.polished <= 2**-12
    keeps_the_law(found, 6)
    top = np.arange(joint.n_x)
    for one, two in itertools.combinations(range(joint.n_x), 2):  # these to the last digit
        assert beaten(found, np.where(top == two, one, top))


@pytest.mark.parametrize("leakage", ["I_inf", "Lmin", "D_0", "D_0.5", "D_1", "D_2", "D_inf"])
def test_other_leakages_keep_the_law(leakage: str) -> None:
    found = dc.frontier(spread(14, 6, 0.2, 5), leakage=leakage)
    assert found.polished == 1e-10
    keeps_the_law(found, 6)


def test_where_every_partition_is_optimal_a_frontier_has_one_point_per_rung() -> None:
    p = np.random.default_rng(6).dirichlet(np.ones(8))
    joint = dc.Joint.from_array(np.diag(p))
    every = [information(weights_of(joint), each) for each in partitions_of(8)]
    assert all(leakage == pytest.approx(utility) for leakage, utility in every)  # docs/proofs.md#rungs
    ends = [np.arange(8), np.zeros(8, np.int64)]
    start = Partitions(np.array([every[-1][0], 0.0]), np.array([every[-1][1], 0.0]), Listed.of(ends))
    found, within = polish(weights_of(joint), start, seconds=0.05)
    assert within == 2**-8
    assert len(found) < len(every) / 4


def test_a_plan_that_is_too_small_says_so() -> None:
    joint = dense(14, 4)
    ends = [np.arange(14), np.zeros(14, np.int64)]
    figures = np.array([information(weights_of(joint), each) for each in ends])
    start = Partitions(figures[:, 0], figures[:, 1], Listed.of(ends))
    assert polish(weights_of(joint), start, seconds=1e-9).within is None
    found = dc.frontier(joint, leakage="I", time_limit=1e-9)
    assert found.polished is None
    assert found.polish_words()[0].startswith("polished: no")
    assert found.to_dict()["polished"] is None


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
    once, again, more = (polish(weights, start, seconds=each).partitions for each in (1e-3, 1e-3, 1e-1))
    assert once.leakage.tolist() == again.leakage.tolist()
    assert 2 <= len(once) <= len(more)
    for leakage, utility in zip(once.leakage, once.utility, strict=True):
        assert ((more.leakage <= leakage + 1e-9) & (more.utility >= utility - 1e-9)).any()
    for i in range(len(more)):
        assert information(weights, more.partition(i)) == pytest.approx((more.leakage[i], more.utility[i]), abs=1e-9)
