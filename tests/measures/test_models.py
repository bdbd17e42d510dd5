"""The peers' models of groups: published values, brute force from the definitions, and what is refused."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from discreet import Joint, measures
from discreet.errors import InputError, MeasureError
from discreet.measures._models import recursion_by_group
from discreet.measures._movers import closeness_by_group, closeness_in_tree
from discreet.testing import joints
from tests.examples import examples


def dense(joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """p(s|x) with a column per x, and p(s)."""
    counts = joint.counts.toarray().astype(float)
    return counts / counts.sum(axis=0), counts.sum(axis=1) / counts.sum()


def transport(q: np.ndarray, p: np.ndarray, distance: np.ndarray) -> float:
    """The earth mover's distance, by its linear program."""
    from scipy.optimize import linprog

    n = len(p)
    rows = np.kron(np.eye(n), np.ones(n))
    columns = np.kron(np.ones(n), np.eye(n))
    done = linprog(distance.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([q, p]), method="highs")
    assert done.fun is not None
    return float(done.fun)


@settings(max_examples=examples(40))
@given(joints())
def test_values_are_those_of_the_definitions(joint: Joint) -> None:
    q, p = dense(joint)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropies = -np.nansum(np.where(q > 0, q * np.log2(q), 0.0), axis=0)
        logs = np.abs(np.log2(q / p[:, None]))
    gain = q / p[:, None] - 1
    assert measures.entropy_diversity(joint) == pytest.approx(2 ** entropies.min())
    assert measures.largest_share(joint) == pytest.approx(q.max())
    assert measures.basic_likeness(joint) == pytest.approx(gain.max(), abs=1e-12)
    assert measures.disclosure_delta(joint) == pytest.approx(logs.max(), abs=1e-12)
    fits = [b for b in (*np.unique(gain[gain > 0]), 0.0) if np.all(gain <= np.minimum(b, -np.log(p))[:, None] + 1e-12)]
    assert measures.enhanced_likeness(joint) == pytest.approx(min(fits, default=math.inf), abs=1e-12)
    for order in (2, 3):
        worst = 0.0
        for column in joint.counts.toarray().T:
            ranked = sorted(column, reverse=True)
            worst = max(worst, ranked[0] / sum(ranked[order - 1 :]) if sum(ranked[order - 1 :]) else math.inf)
        assert measures.recursive_diversity(joint, order=order) == pytest.approx(worst)


@settings(max_examples=examples(25))
@given(joints(max_s=6))
def test_closeness_is_the_least_work_of_moving(joint: Joint) -> None:
    q, p = dense(joint)
    n = len(p)
    apart = {
        "equal": 1.0 - np.eye(n),
        "ordered": np.abs(np.subtract.outer(np.arange(n), np.arange(n))) / max(1, n - 1),
    }
    for ground, distance in apart.items():
        expected = [transport(column, p, distance) for column in q.T]
        assert closeness_by_group(joint, ground) == pytest.approx(expected, abs=1e-9)  # type: ignore[arg-type]


@st.composite
def hierarchies(draw: st.DrawFn, leaves: int) -> list[tuple[str, ...]]:
    """Any tree of one height above so many leaves: each level joins the nodes of the one below it at random."""
    ways = [[f"leaf {i}"] for i in range(leaves)]
    for level in range(draw(st.integers(0, 3))):
        parent = {way[-1]: f"{level}.{draw(st.integers(0, 2))}" for way in ways}
        for way in ways:
            way.append(parent[way[-1]])
    return [(*way, "any") for way in ways]


@settings(max_examples=examples(40))
@given(joints(max_s=6), st.data())
def test_closeness_in_a_hierarchy_is_the_least_work_too(joint: Joint, data: st.DataObject) -> None:
    q, p = dense(joint)
    paths = dict(zip(joint.s, data.draw(hierarchies(joint.n_s)), strict=True))
    height = len(paths[joint.s[0]])
    distance = np.zeros((len(p), len(p)))
    for (i, one), (j, other) in itertools.product(enumerate(joint.s), repeat=2):
        common = next(level for level in range(height) if paths[one][level:] == paths[other][level:])
        distance[i, j] = common / (height - 1)
    expected = [transport(column, p, distance) for column in q.T]
    assert closeness_in_tree(joint, paths) == pytest.approx(expected, abs=1e-9)
    assert measures.hierarchical_closeness(joint, paths=paths) == pytest.approx(max(expected), abs=1e-9)
    assert np.all(closeness_in_tree(joint, paths) <= closeness_by_group(joint) + 1e-12)


def test_a_hierarchy_of_many_values_and_groups_stays_sparse() -> None:
    rng = np.random.default_rng(4)
    joint = Joint.from_pairs(np.stack([rng.integers(0, 5_000, 200_000), rng.integers(0, 60_000, 200_000)], axis=1))
    paths = {s: (f"{s}", f"{s // 10}", f"{s // 100}", "any") for s in joint.s}
    by_level = [  # a dense matrix of values and groups would have 2.4 GB
        closeness_by_group(Joint.from_array(_merged(joint, [paths[s][level] for s in joint.s]))) for level in range(3)
    ]
    assert closeness_in_tree(joint, paths) == pytest.approx(np.mean(by_level, axis=0), abs=1e-12)


def _merged(joint: Joint, node: list[str]) -> Any:
    _, number = np.unique(node, return_inverse=True)
    ones = np.ones(len(node), dtype=np.int64)
    return sparse.csr_array((ones, (number, np.arange(len(node))))) @ joint.counts


def test_published_closeness() -> None:
    # Li, Li and Venkatasubramanian (2007), IV-A: salaries 3k..11k, each once.
    groups = {1: (3, 4, 5), 2: (6, 8, 11), 3: (7, 9, 10)}
    salaries = Joint.from_pairs([(salary, x) for x, values in groups.items() for salary in values])
    assert closeness_by_group(salaries, "ordered").round(3).tolist()[:2] == [0.375, 0.167]
    assert measures.t_closeness(salaries) == pytest.approx(2 / 3)


def test_published_diversity() -> None:
    # Machanavajjhala et al. (2007), Fig. 3: an inpatient table of three groups of four; 3-diverse, each entropy log 3 at least
    # 2.8: the middle group has counts 2, 1, 1.
    groups = {1: ("heart", "viral", "cancer", "cancer"), 2: ("cancer", "heart", "viral", "viral")}
    table = Joint.from_pairs([(illness, x) for x, values in groups.items() for illness in values])
    assert measures.entropy_diversity(table) == pytest.approx(2**1.5)
    assert recursion_by_group(table, 2).tolist() == [1.0, 1.0]
    assert recursion_by_group(table, 3).tolist() == [2.0, 2.0]


def test_what_is_refused() -> None:
    joint = Joint.from_array([[1, 2], [3, 4]])
    with pytest.raises(MeasureError, match="whole l of at least 2"):
        measures.recursive_diversity(joint, order=2.5)
    with pytest.raises(InputError, match="'equal', 'ordered'"):
        measures.t_closeness(joint, ground="far")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="lacks 1 of 2"):
        measures.t_closeness(joint, paths={0: ("a", "b")})
    with pytest.raises(InputError, match="one height"):
        measures.t_closeness(joint, paths={0: ("a", "b"), 1: ("a", "c", "b")})
    with pytest.raises(InputError, match="one root"):
        measures.t_closeness(joint, paths={0: ("a", "b"), 1: ("c", "d")})
    with pytest.raises(MeasureError, match="needs the hierarchy"):
        measures.hierarchical_closeness(joint)
    with pytest.raises(MeasureError):
        measures.largest_share(Joint.from_array([[True, False], [True, True]]))


def test_closeness_is_the_same_however_many_groups_are_worked_on_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = np.random.default_rng(8).integers(0, (9, 40), (300, 2))
    joint = Joint.from_pairs(pairs)
    together = closeness_by_group(joint, "ordered")
    monkeypatch.setattr("discreet.measures._movers.SOME_PAIRS", 7)
    assert np.allclose(closeness_by_group(joint, "ordered"), together, rtol=0, atol=1e-12)
