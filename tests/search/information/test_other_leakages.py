"""Maximal, min-entropy and worst-case Rényi leakage on the merging engine: the measures' values, and the stated rules."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Joint
from discreet.errors import InputError
from discreet.measures import maximal_leakage, min_entropy_leakage, renyi_leakage
from discreet.search.information._other_leakages import OTHER_MULTIPLIERS, OtherLeakage, merge_other
from discreet.search.information._weights import Weights, information
from tests._oracles.plain_pairwise import joints, weights_from
from tests.examples import examples
from tests.kernels import from_python
from tests.search.information.hungarian import hungarian_weights

ORDERS = st.sampled_from([0.0, 0.3, 1.0, 2.0, 7.5, 300.0, math.inf])
MULTIPLIERS = st.sampled_from([0.0, 0.25, 1.0, 3.0, 100.0])
GUESSES = st.sampled_from(["maximal", "min-entropy"])


def coarsened(weights: Weights, block_of: np.ndarray) -> Joint:
    blocks = weights.merged(block_of)
    counts = np.zeros((blocks.n_s, blocks.n))
    counts[blocks.indices, blocks.letter_of_pair] = blocks.weight
    return Joint.from_array(counts)


def measured(weights: Weights, block_of: np.ndarray, leakage: str, order: float | None = None) -> float:
    joint = coarsened(weights, block_of)
    if leakage == "renyi":
        return renyi_leakage(joint, 2.0 if order is None else order)
    return maximal_leakage(joint) if leakage == "maximal" else min_entropy_leakage(joint)


@settings(max_examples=examples(40))
@given(joints(), GUESSES, MULTIPLIERS, st.data())
def test_sums_of_best_guesses(weights: Weights, leakage: OtherLeakage, multiplier: float, data: st.DataObject) -> None:
    least = data.draw(st.integers(0, int(weights.total)))
    path = merge_other(weights, leakage, multiplier=multiplier, at_least=least)
    assert len(path) == weights.n
    begin = math.exp2(measured(weights, path.partition(0), leakage))

    def cost(block_of: np.ndarray) -> float:
        lost = weights.entropy - information(weights, block_of)[1]
        return math.exp2(measured(weights, block_of, leakage)) / begin + multiplier * lost / max(
            weights.entropy, 1e-300
        )

    for step in range(len(path)):
        block_of = path.partition(step)
        assert path.leakage[step] == pytest.approx(measured(weights, block_of, leakage), abs=1e-9)
        assert path.utility[step] == pytest.approx(information(weights, block_of)[1], abs=1e-9)
        weight = dict(zip(np.unique(block_of).tolist(), weights.merged(block_of).of_letter, strict=True))
        assert (min(weight.values()) >= least) == (step >= path.first)
        if step + 1 < len(path):  # the merge made is the cheapest of those allowed
            allowed = [
                np.where(block_of == b, a, block_of)
                for a, b in combinations(sorted(weight), 2)
                if step >= path.first or min(weight[a], weight[b]) < least
            ]
            assert cost(path.partition(step + 1)) <= min(map(cost, allowed)) + 1e-9


@settings(max_examples=examples(40))
@given(joints(), ORDERS, st.data())
def test_the_worst_block(weights: Weights, order: float, data: st.DataObject) -> None:
    least = data.draw(st.integers(0, int(weights.total)))
    path = merge_other(weights, "renyi", order=order, at_least=least)
    for step in range(len(path)):
        block_of = path.partition(step)
        assert path.leakage[step] == pytest.approx(measured(weights, block_of, "renyi", order), abs=1e-9)
        assert path.utility[step] == pytest.approx(information(weights, block_of)[1], abs=1e-9)
        names = np.unique(block_of).tolist()
        values = [_divergence(weights, block_of == name, order) for name in names]
        if step < path.first or len(names) == 1 or sorted(values)[-2] > max(values) - 1e-8:
            continue  # which of equals is the worst is a matter of rounding
        worst = names[int(np.argmax(values))]
        assert worst in path.merges[step]
        tried = [np.where(block_of == name, worst, block_of) for name in names if name != worst]
        left = [measured(weights, each, "renyi", order) for each in tried]
        kept = [information(weights, each)[1] for each in tried]
        assert path.leakage[step + 1] <= min(left) + 1e-8
        equal = [utility for leakage, utility in zip(left, kept, strict=True) if leakage <= min(left) + 1e-13]
        assert path.utility[step + 1] >= max(equal) - 1e-9
    assert np.all(np.diff(path.leakage) <= 1e-9)


def _divergence(weights: Weights, members: np.ndarray, order: float) -> float:
    """D_α of one block, as the worst-case leakage of a joint in which the other block has p(s) itself."""
    row = np.bincount(weights.indices, weights.weight * members[weights.letter_of_pair], minlength=weights.n_s)
    return renyi_leakage(Joint.from_array(np.column_stack((row, weights.of_s * 1e6 - row))), order)


@pytest.mark.parametrize("order", [0.0, 0.3, 1.0, 2.0, 300.0, math.inf])
def test_joining_by_differences(order: float) -> None:
    from discreet.search.information import _renyi_kernels as renyi

    kernel: Any = renyi
    sums, sums_with, finish = map(from_python, (kernel._sums, kernel._sums_with, kernel._finish))
    rng = np.random.default_rng(2)
    kinds = {0.0: kernel.ZERO, 1.0: kernel.ONE, math.inf: kernel.INFINITE}
    of_s = rng.integers(40, 90, 6)
    prior = kernel.Prior(
        kinds.get(order, kernel.OTHER), order, of_s / of_s.sum(), np.log2(of_s), math.log2(int(of_s.sum()))
    )

    def row(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, int]:
        s = np.flatnonzero(counts).astype(np.int32)
        return s, counts[s], 0, len(s)

    for _ in range(30):
        one, two = rng.integers(0, 4, (2, 6)) + np.eye(6, dtype=np.int64)[rng.integers(0, 6, 2)]
        joined = sums_with(prior, one, *sums(prior, *row(one)), *row(two))
        anew = sums(prior, *row(one + two))
        weight = int((one + two).sum())
        expected = finish(prior, *anew, weight)
        assert finish(prior, *joined, weight) == pytest.approx(expected, abs=1e-11)


def test_paths_fall_to_nothing(hungarian: dict[str, list[object]]) -> None:
    weights = hungarian_weights(hungarian, "A")
    for leakage in ("maximal", "min-entropy"):
        for multiplier in OTHER_MULTIPLIERS[::3]:
            path = merge_other(weights, leakage, multiplier=multiplier)
            assert path.leakage[-1] == pytest.approx(0.0, abs=1e-9)
            assert path.leakage[90] == pytest.approx(measured(weights, path.partition(90), leakage), abs=1e-9)
    path = merge_other(weights, "renyi", order=math.inf, at_least=5)
    assert min(weights.merged(path.partition(path.first)).of_letter) >= 5


def test_what_cannot_be() -> None:
    weights = weights_from([[1, 2], [3, 1]])
    with pytest.raises(InputError, match="no leakage 'minimal'"):
        merge_other(weights, "minimal")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="order -1"):
        merge_other(weights, "renyi", order=-1.0)
    with pytest.raises(InputError, match="at least 0"):
        merge_other(weights, "maximal", multiplier=-1.0)
    with pytest.raises(InputError, match="there are 7 in all"):
        merge_other(weights, "renyi", at_least=8)
