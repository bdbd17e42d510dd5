"""Cutting a frontier by k: every k that was asked for has its policy, and the policy has its k."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.errors import InputError


def seven_columns(rows: int = 250) -> dc.Joint:
    rng = np.random.default_rng(3)
    table = {f"x{i}": rng.integers(0, 4 + 3 * i, rows).tolist() for i in range(7)}
    return dc.Joint.from_table({**table, "s": rng.integers(0, 14, rows).tolist()}, "s", [f"x{i}" for i in range(7)])


def fewest(joint: dc.Joint, blocks: object) -> int:
    return int(dc.measures.distinct_anonymity(joint.coarsen(blocks)))  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["mondrian", "sweeney"])
def test_every_k_has_the_policy_that_the_method_makes_for_it(method: str, tmp_path: Path) -> None:
    joint = seven_columns()
    found = dc.frontier(joint, method=method)  # type: ignore[arg-type]
    assert found.levels is not None
    assert found.levels.asked.tolist() == list(range(1, 15))
    kept = {round(joint.n_s * 2.0**-point.leakage) for point in found.points}
    if method == "mondrian":
        assert kept < set(range(1, 15))  # as they are not all on the frontier
    for k in range(1, 15):
        policy = found.at(min_k=k)
        assert fewest(joint, policy.blocks) >= k
        assert policy.after["k"] == fewest(joint, policy.blocks)
    blocks = [len(point.blocks) for point in found.levels.points]
    if method == "mondrian":
        assert blocks == sorted(blocks, reverse=True)
    found.save(tmp_path / "f.zip")
    again = dc.Frontier.load(tmp_path / "f.zip")
    assert again.at(min_k=5).blocks == found.at(min_k=5).blocks
    assert [each["k"] for each in found.to_dict()["levels"]] == list(range(1, 15))


@pytest.mark.parametrize(("leakage", "problem"), [("L0", "funnel"), ("I", "funnel"), ("I", "bottleneck")])
def test_other_frontiers_give_the_finest_point_that_has_it(leakage: str, problem: str) -> None:
    rng = np.random.default_rng(1)
    joint = dc.Joint.from_table({"s": rng.integers(0, 6, 80).tolist(), "x": rng.integers(0, 30, 80).tolist()}, "s", "x")
    found = dc.frontier(joint, leakage, problem=problem)  # type: ignore[arg-type]
    for k in (1, 3, 6):
        assert fewest(joint, found.at(min_k=k).blocks) >= k
    if leakage == "L0":
        assert found.at(min_k=3).blocks == found.at(max_leakage=1.0).blocks


def test_the_one_k_that_is_aimed_at_is_searched() -> None:
    joint = seven_columns(120)
    assert fewest(joint, dc.frontier(joint, cut={"min_k": 5}).at(min_k=5).blocks) >= 5


@pytest.mark.parametrize("k", [0, -3, 2.5, 7, True])
def test_what_cannot_be_had_is_refused(k: object) -> None:
    joint = dc.Joint.from_pairs([("a", 1), ("b", 2), ("c", 3)])
    with pytest.raises(InputError):
        dc.frontier(joint).at(min_k=k)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["mondrian", "sweeney"])
def test_every_k_is_to_be_had_when_time_runs_out(method: str) -> None:
    """As on the first run after an installation, when compiling takes the time."""
    joint = dc.Joint.from_pairs([(s, x) for x in range(30) for s in {x % 7, (x * x) % 11}])
    hurried = dc.frontier(joint, method=method, time_limit=1e-6)  # type: ignore[arg-type]
    for k in range(1, joint.n_s + 1):
        assert fewest(joint, hurried.at(min_k=k).blocks) >= k


def test_the_frontier_of_problem_7_reaches_every_k() -> None:
    joint = dc.Joint.from_pairs([(s, x) for x in range(20) for s in {x % 7, (x * x) % 11}])
    found = dc.frontier(joint, "L0|I*=0", method="agglomerative")
    assert all(fewest(joint, found.at(min_k=k).blocks) >= k for k in range(1, joint.n_s + 1))
    assert found.points[-1].leakage == 0


def test_a_frontier_about_something_else_says_so() -> None:
    joint = dc.Joint.from_pairs([(s, x) for x in range(9) for s in (x, x + 1)])
    with pytest.raises(InputError, match=r"about I\*, and leakage L0 is about them"):
        dc.frontier(joint, leakage="I*").at(min_k=5)
