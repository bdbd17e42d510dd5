"""Merging on the Lagrangian: merge for merge what a plain transcription does, and figures that hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import Problem
from discreet.errors import InputError
from discreet.release._hypervolume import hypervolume
from discreet.search.information._dendrogram import dendrogram
from discreet.search.information._integers import integers_of
from discreet.search.information._weights import Weights, information
from tests._oracles.plain_pairwise import joints, naive_dendrogram, weights_from
from tests.examples import examples
from tests.search.information.hungarian import hungarian_weights

PROBLEMS = st.sampled_from(["funnel", "bottleneck"])
MULTIPLIERS = st.sampled_from([0.0, 0.001, 0.25, 0.5, 0.7, 0.999, 1.0])


def random_weights(n: int, n_s: int, records: int, seed: int) -> Weights:
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(records, rng.dirichlet(np.full(n_s, 0.2)), n)
    return weights_from(counts)


@given(joints(), MULTIPLIERS, PROBLEMS)
def test_every_merge_is_that_of_the_transcription(weights: Weights, multiplier: float, problem: Problem) -> None:
    path = dendrogram(weights, multiplier, problem)
    assert list(map(tuple, path.merges.tolist())) == naive_dendrogram(weights, multiplier, problem)


@settings(max_examples=examples(12))
@given(st.integers(0, 10**6), MULTIPLIERS, PROBLEMS, st.integers(1, 6))
def test_the_same_when_lists_run_out(seed: int, multiplier: float, problem: Problem, records: int) -> None:
    weights = random_weights(80, 6, records, seed)
    path = dendrogram(weights, multiplier, problem)
    assert list(map(tuple, path.merges.tolist())) == naive_dendrogram(weights, multiplier, problem, remember=True)


@given(joints(), MULTIPLIERS, PROBLEMS, st.data())
def test_light_blocks_merge_first(weights: Weights, multiplier: float, problem: Problem, data: st.DataObject) -> None:
    least = data.draw(st.integers(1, int(weights.total)))
    path = dendrogram(weights, multiplier, problem, at_least=least)
    integers = integers_of(weights)
    in_counts = math.ceil(least / integers.unit)
    assert list(map(tuple, path.merges.tolist())) == naive_dendrogram(weights, multiplier, problem, in_counts)
    lightest = [min(weights.merged(path.partition(step)).of_letter) for step in range(len(path))]
    assert all(weight >= least for weight in lightest[path.first :])
    assert all(weight < least for weight in lightest[: path.first])


@given(joints(), MULTIPLIERS, PROBLEMS, st.data())
def test_figures_are_those_of_the_partitions(
    weights: Weights, multiplier: float, problem: Problem, data: st.DataObject
) -> None:
    start = np.array(data.draw(st.lists(st.integers(0, 4), min_size=weights.n, max_size=weights.n)))
    path = dendrogram(weights, multiplier, problem, start=start)
    assert len(path) == len(path.merges) + 1 == len(set(start.tolist()))
    for step in range(len(path)):
        partition = path.partition(step)
        assert len(set(partition.tolist())) == len(path) - step
        assert all(min(np.flatnonzero(partition == name)) == name for name in partition)
        assert (path.leakage[step], path.utility[step]) == pytest.approx(information(weights, partition), abs=1e-9)
    same = start[:, None] == start[None, :]
    assert ((path.partition(0)[:, None] == path.partition(0)[None, :]) == same).all()


def test_masses_that_are_no_counts() -> None:
    rng = np.random.default_rng(3)
    weights = weights_from(rng.dirichlet(np.full(5, 0.3), 30))
    for problem in ("funnel", "bottleneck"):
        path = dendrogram(weights, 0.4, problem)
        for step in range(0, len(path), 7):
            found = path.leakage[step], path.utility[step]
            assert found == pytest.approx(information(weights, path.partition(step)), abs=1e-9)


@given(joints(most=6), MULTIPLIERS, PROBLEMS)
def test_masses_merge_like_the_counts_they_come_from(weights: Weights, multiplier: float, problem: Problem) -> None:
    masses = Weights(weights.indptr, weights.indices, weights.weight / weights.total, weights.n_s)
    assert (dendrogram(masses, multiplier, problem).merges == dendrogram(weights, multiplier, problem).merges).all()


def test_counts_beyond_the_table() -> None:
    table = np.array([[5, 0, 2], [1, 7, 1], [0, 3, 9], [4, 4, 4], [1, 0, 0]]) * 10**9 + 1
    weights = weights_from(table)
    path = dendrogram(weights, 0.3)
    for step in range(len(path)):
        found = path.leakage[step], path.utility[step]
        assert found == pytest.approx(information(weights, path.partition(step)), abs=1e-9)


@given(st.integers(2, 400), st.integers(2, 400))
def test_h_keeps_the_identities_of_logarithms(a: int, b: int) -> None:
    integers = integers_of(weights_from([[a * b, 1]]))
    h, k = integers.table, np.arange(a * b + 2)
    assert h[a * b] == b * h[a] + a * h[b]
    np.testing.assert_allclose(h[1:] / integers.scale, k[1:] * np.log2(k[1:]), rtol=1e-9, atol=1e-9)


def test_equal_posteriors_merge_first_and_lose_nothing() -> None:
    weights = weights_from([[1, 2], [3, 1], [2, 4], [6, 2], [3, 6]])
    path = dendrogram(weights, 0.9, "bottleneck")
    assert path.merges[:3].tolist() == [[0, 2], [1, 3], [0, 4]]
    assert path.leakage[3] == pytest.approx(weights.leakage, abs=1e-12)


@pytest.mark.parametrize(
    ("setting", "problem", "multiplier", "one", "many"),
    [
        ("A", "funnel", 0.999, 0.653, 0.657),
        ("B", "funnel", 0.999, 0.642, 0.644),
        ("A", "bottleneck", 0.001, 0.570, 0.615),
        ("B", "bottleneck", 0.001, 0.633, 0.649),
    ],
)
def test_hypervolumes_of_the_specification(
    hungarian: dict[str, list[object]], setting: str, problem: Problem, multiplier: float, one: float, many: float
) -> None:
    weights = hungarian_weights(hungarian, "A" if setting == "A" else "B")

    def worth(multipliers: list[float]) -> float:
        paths = [dendrogram(weights, each, problem) for each in multipliers]
        leakage = np.concatenate([path.leakage for path in paths]) / weights.leakage
        utility = np.concatenate([path.utility for path in paths]) / weights.entropy
        return hypervolume(leakage, 1 - utility) if problem == "funnel" else hypervolume(1 - leakage, utility)

    assert worth([multiplier]) == pytest.approx(one, abs=5e-4)
    assert worth([multiplier, *np.linspace(0, 1, 21).tolist()]) >= many - 5e-4


def test_what_cannot_be() -> None:
    weights = weights_from([[1, 2], [3, 1]])
    with pytest.raises(InputError, match=r"must lie in \[0, 1\]"):
        dendrogram(weights, 1.5)
    with pytest.raises(InputError, match="must lie in"):
        dendrogram(weights, math.nan)
    with pytest.raises(InputError, match="there are 7 in all"):
        dendrogram(weights, 0.5, at_least=8)
    with pytest.raises(InputError, match="number of records"):
        dendrogram(weights, 0.5, at_least=-1)
    with pytest.raises(InputError, match="one block for each of the 2 letters"):
        dendrogram(weights, 0.5, start=np.zeros(3, np.int64))
    with pytest.raises(InputError, match="no problem 'tunnel'"):
        dendrogram(weights, 0.5, "tunnel")  # type: ignore[arg-type]


def test_progress_is_told() -> None:
    told: list[tuple[str, float | None]] = []
    dendrogram(random_weights(50, 4, 3, 1), 0.5, progress=lambda stage, share: told.append((stage, share)))
    assert {stage for stage, _ in told} == {"comparing letters", "merging"}
    assert all(share is not None and 0 <= share <= 1 for _, share in told)
