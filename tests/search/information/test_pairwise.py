"""Pairwise merging with a threshold, against a plain transcription and [PF]'s own result."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import Problem
from discreet.errors import InputError
from discreet.search.information._integers import integers_of
from discreet.search.information._pairwise import budget_of, pairwise
from discreet.search.information._weights import Weights, information
from tests._oracles.plain_pairwise import joints, naive_pairwise, weights_from
from tests.examples import examples
from tests.search.information.hungarian import hungarian_weights

PROBLEMS = st.sampled_from(["funnel", "bottleneck"])


def check(weights: Weights, share: float, problem: Problem) -> None:
    most = weights.entropy if problem == "funnel" else weights.leakage
    path = pairwise(weights, share * most, problem)
    budget = budget_of(integers_of(weights), share * most, problem)
    assert list(map(tuple, path.merges.tolist())) == naive_pairwise(weights, budget, problem, remember=True)
    assert (path.utility if problem == "funnel" else path.leakage)[-1] >= share * most - 1e-9
    found = information(weights, path.partition(-1))
    assert (path.leakage[-1], path.utility[-1]) == pytest.approx(found, abs=1e-9)


@pytest.mark.slow
@given(joints(), st.sampled_from([0.0, 0.2, 0.5, 0.8, 0.95, 1.0]), PROBLEMS)
def test_every_merge_is_that_of_the_transcription(weights: Weights, share: float, problem: Problem) -> None:
    check(weights, share, problem)


@settings(max_examples=examples(12))
@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.4, 0.6, 0.9]), PROBLEMS)
def test_the_same_when_lists_run_out(seed: int, share: float, problem: Problem) -> None:
    rng = np.random.default_rng(seed)
    check(weights_from(rng.multinomial(3, rng.dirichlet(np.full(6, 0.3)), 80)), share, problem)


def test_the_paper_merges_197_letters_into_90_blocks(hungarian: dict[str, list[object]]) -> None:
    weights = hungarian_weights(hungarian, "A")
    assert weights.n == 197
    blocks = [len(set(pairwise(weights, theta).partition(-1).tolist())) for theta in np.linspace(2.847, 2.923, 20)]
    assert 90 in blocks


def test_thresholds_at_the_ends() -> None:
    weights = weights_from([[1, 2], [3, 1], [2, 2]])
    assert len(pairwise(weights, weights.entropy)) == 1
    assert len(pairwise(weights, 0.0)) == len(pairwise(weights, 0.0, "bottleneck")) == 3
    with pytest.raises(InputError, match=r"H\(X\) is"):
        pairwise(weights, weights.entropy + 0.01)
    with pytest.raises(InputError, match=r"I\(S;X\) is"):
        pairwise(weights, weights.leakage + 0.01, "bottleneck")
