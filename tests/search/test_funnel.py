"""Frontiers of the pmf's leakages as users meet them: both problems, every method, cuts, releases and bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet import Joint
from discreet.errors import InputError
from discreet.measures import REGISTRY
from discreet.testing import joints
from tests.examples import examples
from tests.processes import run
from tests.search.information.hungarian import hungarian_joint

METHODS = ("auto", "exact", "iac-mdsf", "pairwise")
OTHERS = ("Lmin", "I_inf", "D_0", "D_1", "D_2", "D_inf")
PROBLEMS = ("funnel", "bottleneck")


def random_joint(seed: int, n_s: int = 4, n_x: int = 9) -> Joint:
    counts = np.random.default_rng(seed).integers(0, 5, size=(n_s, n_x))
    counts[0, counts.sum(axis=0) == 0] = 1
    counts[counts.sum(axis=1) == 0, 0] = 1
    return Joint.from_array(counts)


def partitions(n: int) -> list[list[list[int]]]:
    """Every partition of 0..n−1."""
    found: list[list[list[int]]] = [[[0]]]
    for letter in range(1, n):
        found = [
            [*old[:i], [*old[i], letter], *old[i + 1 :]] if i < len(old) else [*old, [letter]]
            for old in found
            for i in range(len(old) + 1)
        ]
    return found


def information(joint: Joint) -> tuple[float, float]:
    return dc.measures.mutual_information(joint), dc.measures.entropy(joint.transpose())


def is_better(problem: str, one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether one (leakage, utility) dominates another by more than rounding."""
    sign = -1 if problem == "bottleneck" else 1
    leak, use = sign * (one[0] - other[0]), sign * (other[1] - one[1])
    return leak <= 1e-9 and use <= 1e-9 and min(leak, use) < -1e-9


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_points_are_what_they_say(method: Any, problem: Any) -> None:
    joint = random_joint(1)
    found = dc.frontier(joint, "I", "information", method, problem=problem)
    assert found.problem == problem
    for point in found.points:
        coarse = joint.coarsen(point.blocks)
        assert (point.leakage, point.utility) == pytest.approx(information(coarse), abs=1e-9)
        assert point.policy.after["I"] == pytest.approx(point.leakage, abs=1e-9)
        assert point.gap is not None
        assert point.gap >= 0
    utility = found.points.utility
    assert (np.diff(utility) < 0).all()  # finest first
    assert found.bound is not None
    assert len(found.bound) == len(found.points)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("seed", range(3))
def test_small_frontiers_are_those_of_all_partitions(problem: Any, seed: int) -> None:
    joint = random_joint(seed, 3, 6)
    every = [information(joint.coarsen(blocks)) for blocks in partitions(6)]
    best = [one for one in every if not any(is_better(problem, other, one) for other in every)]
    for method in ("auto", "exact"):
        found = dc.frontier(joint, "I", "information", method, problem=problem)
        got = list(zip(found.points.leakage, found.points.utility, strict=True))
        assert all(any(np.allclose(one, other, atol=1e-9) for other in got) for one in best)
        assert all(point.gap == 0 for point in found.points)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_bound_holds_for_every_partition(problem: Any) -> None:
    joint = random_joint(5, 4, 7)
    every = [information(joint.coarsen(blocks)) for blocks in partitions(7)]
    for method in ("iac-mdsf", "pairwise"):  # their bound is not that of a proof
        found = dc.frontier(joint, "I", "information", method, problem=problem)
        for point in found.points:
            assert point.bound is not None
            if problem == "funnel":
                assert all(leak >= point.bound - 1e-9 for leak, use in every if use >= point.utility - 1e-12)
            else:
                assert all(leak <= point.bound + 1e-9 for leak, use in every if use <= point.utility + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("seed", [3, 4])
def test_the_papers_never_dominate_auto(problem: Any, seed: int) -> None:
    joint = random_joint(seed, 6, 30)
    auto = dc.frontier(joint, "I", "information", problem=problem)
    mine = list(zip(auto.points.leakage, auto.points.utility, strict=True))
    for method in ("iac-mdsf", "pairwise"):
        paper = dc.frontier(joint, "I", "information", method, problem=problem)
        for theirs in zip(paper.points.leakage, paper.points.utility, strict=True):
            assert not any(is_better(problem, theirs, one) for one in mine)
        assert auto.hypervolume >= paper.hypervolume - 1e-12


@settings(max_examples=examples(25))
@given(joints(max_s=4, max_x=6), st.sampled_from(PROBLEMS))
def test_any_joint_has_both_ends(joint: Joint, problem: Any) -> None:
    found = dc.frontier(joint, "I", "information", problem=problem)
    assert found.points[0].leakage == pytest.approx(dc.measures.mutual_information(joint), abs=1e-9)
    assert found.points[-1].leakage <= found.points[0].leakage + 1e-12
    assert 0 <= found.hypervolume <= 1 + 1e-12
    if problem == "bottleneck":
        assert found.points[-1].utility == pytest.approx(0, abs=1e-9)


def test_cutting_a_funnel() -> None:
    joint = random_joint(2, 5, 14)
    found = dc.frontier(joint, "I", "information")
    whole = dc.measures.entropy(joint.transpose())
    for threshold in (0.0, 0.3 * whole, 0.8 * whole, whole):
        point = found.point_at(min_utility=threshold)
        assert point.utility >= threshold - 1e-9
        assert all(point.leakage <= each.leakage + 1e-9 for each in found.points if each.utility >= threshold)
    assert found.at(multiplier=1).after["I"] == pytest.approx(dc.measures.mutual_information(joint))
    assert len(found.at(multiplier=0).blocks) == 1
    limit = found.points[len(found.points) // 2].leakage
    assert found.point_at(max_leakage=limit).leakage <= limit + 1e-9


def test_cutting_a_bottleneck() -> None:
    joint = random_joint(2, 5, 14)
    found = dc.frontier(joint, "I", "information", problem="bottleneck")
    whole = dc.measures.mutual_information(joint)
    point = found.point_at(min_leakage=0.7 * whole)
    assert point.leakage >= 0.7 * whole
    assert all(point.utility <= each.utility + 1e-9 for each in found.points if each.leakage >= 0.7 * whole)
    rate = found.points[len(found.points) // 2].utility
    assert found.point_at(max_utility=rate).utility <= rate + 1e-9
    assert len(found.at(multiplier=1).blocks) == 1  # L_IB = −(I(S;X̂) − λ I(X;X̂)): at 1 nothing is worth its rate


@pytest.mark.parametrize(("problem", "threshold"), [("funnel", 1.1), ("bottleneck", 0.3)])
def test_pairwise_stops_where_its_threshold_says(problem: Any, threshold: float) -> None:
    joint = random_joint(8, 4, 8)
    found = dc.frontier(joint, "I", "information", "pairwise", problem=problem)
    name = "min_leakage" if problem == "bottleneck" else "min_utility"
    blocks = found.at(**{name: threshold}).blocks
    leak, use = information(joint.coarsen(blocks))
    assert (leak if problem == "bottleneck" else use) >= threshold - 1e-9
    for i in range(len(blocks)):  # no further pair could be merged
        for j in range(i):
            rest = [block for k, block in enumerate(blocks) if k not in (i, j)]
            after = information(joint.coarsen([*rest, blocks[i] + blocks[j]]))
            assert (after[0] if problem == "bottleneck" else after[1]) < threshold + 1e-9


@pytest.mark.parametrize("leakage", OTHERS)
def test_other_leakages_of_the_pmf(leakage: str) -> None:
    joint = random_joint(4, 5, 12)
    found = dc.frontier(joint, leakage)
    assert found.utility == "information"
    assert found.points[0].leakage == pytest.approx(REGISTRY[leakage](joint), abs=1e-9)
    for point in found.points:
        coarse = joint.coarsen(point.blocks)
        assert point.leakage == pytest.approx(REGISTRY[leakage](coarse), abs=1e-9)
        assert point.utility == pytest.approx(dc.measures.entropy(coarse.transpose()), abs=1e-9)
    assert found.points[-1].leakage == pytest.approx(0, abs=1e-9)
    policy = found.at(max_leakage=found.points[len(found.points) // 2].leakage)
    assert policy.promised == (leakage,)


@pytest.mark.parametrize("leakage", OTHERS)
def test_other_leakages_are_optimal_on_few_letters(leakage: str) -> None:
    joint = random_joint(11, 4, 6)
    every = []
    for blocks in partitions(6):
        coarse = joint.coarsen(blocks)
        every.append((REGISTRY[leakage](coarse), dc.measures.entropy(coarse.transpose())))
    found = dc.frontier(joint, leakage)
    for threshold in np.linspace(0, found.points.utility.max(), 9):
        best = min(leak for leak, use in every if use >= threshold - 1e-12)
        assert found.point_at(min_utility=threshold).leakage == pytest.approx(best, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("leakage", OTHERS)
def test_what_is_found_for_information_is_a_candidate(leakage: str) -> None:
    joint = random_joint(12, 5, 20)
    found, informed = dc.frontier(joint, leakage), dc.frontier(joint, "I")
    point = informed.points[len(informed.points) // 2]
    theirs = REGISTRY[leakage](joint.coarsen(point.blocks))
    mine = found.point_at(min_utility=point.utility - 0.05).leakage
    assert mine <= theirs + 1e-9


def test_a_funnel_of_two_sensitive_values() -> None:
    for problem in PROBLEMS:
        found = dc.frontier(random_joint(13, 2, 15), "I", problem=problem)  # type: ignore[arg-type]
        assert len(found.points) > 2


@pytest.mark.parametrize("leakage", ["I", "Lmin", "D_2"])
@pytest.mark.parametrize("n_x", [8, 25])
def test_records_a_block(leakage: str, n_x: int) -> None:
    joint = random_joint(6, 4, n_x)
    found = dc.frontier(joint, leakage, at_least=12)
    for point in found.points:
        assert joint.coarsen(point.blocks).records.min() >= 12
    policy = found.points[0].policy
    assert policy.at_least == 12
    small = random_joint(7, 4, n_x).coarsen(policy.blocks)
    fewer = Joint.from_array(np.minimum(small.counts.toarray(), 1))
    assert any("fewer than the 12 records" in reason for reason in policy.broken_by(fewer))


def test_masses_are_as_good_as_counts() -> None:
    counts = random_joint(3, 4, 8).counts.toarray()
    by_counts = dc.frontier(Joint.from_array(counts), "I")
    by_masses = dc.frontier(Joint.from_array(counts / 7.3), "I")
    assert by_masses.points.leakage == pytest.approx(by_counts.points.leakage, abs=1e-9)
    assert by_masses.points.utility == pytest.approx(by_counts.points.utility, abs=1e-9)


def test_letters_never_seen_are_not_there() -> None:
    counts = np.array([[2, 0, 1], [1, 0, 3]])
    found = dc.frontier(Joint.from_array(counts), "I")
    assert found.points[0].blocks == ((0,), (2,))


def test_one_letter_has_one_policy() -> None:
    found = dc.frontier(Joint.from_pairs([("a", 1), ("b", 1)]), "I")
    assert [(point.leakage, point.utility, point.blocks) for point in found.points] == [(0.0, 0.0, ((1,),))]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"utility": "distortion"}, "traded against information"),
        ({"leakage": "L0", "utility": "information"}, "traded against resolution or distortion"),
        ({"leakage": "L0", "method": "pairwise"}, "leakages of the pmf"),
        ({"leakage": "L0", "problem": "bottleneck"}, "leakages of the pmf"),
        ({"leakage": "L0", "at_least": 5}, "leakages of the pmf"),
        ({"leakage": "I_2"}, "not known"),
        ({"leakage": "D_x"}, "not known"),
        ({"leakage": "D_-1"}, "not known"),
        ({"leakage": "Lmin", "problem": "bottleneck"}, "as a funnel"),
        ({"leakage": "Lmin", "method": "pairwise"}, "as a funnel"),
        ({"method": "mondrian"}, "not for leakage 'I'"),
        ({"problem": "tunnel"}, "problem='tunnel' is not known"),
        ({"at_least": 10**6}, "no block can have 1000000 records"),
        ({"at_least": -1}, "number of records"),
        ({"at_least": float("nan")}, "number of records"),
        ({"at_least": "x"}, "number of records"),
        ({"seed": 1.5}, "seed"),
        ({"seed": None}, "seed"),
        ({"time_limit": "1"}, "time limit"),
        ({"leakage": "D_1_0"}, "not known"),
        ({"leakage": "D_02"}, "not known"),
        ({"at_least": 5, "method": "pairwise"}, "knows no at_least"),
        ({"hierarchy": "none.csv"}, "does not take a hierarchy"),
    ],
)
def test_what_is_not_offered(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        dc.frontier(random_joint(0), **({"leakage": "I"} | options))


def test_a_support_is_not_enough() -> None:
    with pytest.raises(InputError, match="only a support"):
        dc.frontier(Joint.from_array(np.array([[True, False], [True, True]])), "I")


def test_weights_that_do_not_normalise() -> None:
    for weights in ([[np.inf, 1.0]], [[np.nan, 1.0]], [[0.0, 0.0]], [[-1.0, 2.0]]):
        with pytest.raises(InputError):
            dc.frontier(Joint.from_array(np.array(weights)), "I")


def test_side_information_is_refused() -> None:
    table = {"s": [1, 2, 1], "x": [1, 2, 3], "a": [1, 1, 2]}
    with pytest.raises(InputError, match="side information"):
        dc.frontier(Joint.from_table(table, "s", "x", "a"), "I")


@pytest.mark.parametrize(
    ("problem", "cut", "message"),
    [
        ("funnel", {"multiplier": 1.5}, r"outside \[0, 1\]"),
        ("funnel", {"multiplier": -0.1}, "0 or more"),
        ("funnel", {"min_utility": 99}, "no policy has a utility of 99"),
        ("funnel", {"min_leakage": 1}, "use max_leakage or min_utility"),
        ("bottleneck", {"multiplier": 2}, r"outside \[0, 1\]"),
        ("bottleneck", {"min_leakage": 99}, r"the most is I\(S;X\)"),
        ("bottleneck", {"max_utility": -1}, "the least is 0"),
        ("bottleneck", {"max_leakage": 1}, "use min_leakage or max_utility"),
        ("funnel", {}, "name one of"),
    ],
)
def test_cuts_out_of_reach(problem: Any, cut: dict[str, float], message: str) -> None:
    found = dc.frontier(random_joint(0), "I", problem=problem)
    with pytest.raises(InputError, match=message):
        found.at(**cut)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("method", ["auto", "iac-mdsf", "pairwise"])
def test_the_ends_of_the_multiplier(method: Any, problem: Any) -> None:
    """Also where ties abound: disjoint supports, equal columns, independent S and X."""
    disjoint = np.kron(np.eye(3, dtype=int), np.ones((1, 4), dtype=int))
    for counts in (disjoint, np.ones((3, 11), dtype=int), np.repeat(np.arange(1, 7).reshape(2, 3), 4, axis=1)):
        joint = Joint.from_array(counts)
        found = dc.frontier(joint, "I", method=method, problem=problem)
        all_merged, none_merged = (1, 0) if problem == "bottleneck" else (0, 1)
        assert found.point_at(multiplier=all_merged).leakage == pytest.approx(
            found.points.utility.min() if problem == "bottleneck" else 0, abs=1e-9
        )
        if problem == "funnel" and dc.measures.mutual_information(joint) > 1e-9:
            assert len(found.at(multiplier=none_merged).blocks) == joint.n_x


def test_a_bottleneck_promises_no_bound_on_what_it_keeps() -> None:
    joint = random_joint(14, 3, 6)
    policy = dc.frontier(joint, "I", problem="bottleneck").at(max_utility=1)
    assert policy.problem == "bottleneck"
    assert policy.promised == ()
    telling = joint.coarsen(policy.blocks).counts.toarray() * 0 + np.eye(3, len(policy.blocks), dtype=int) * 9 + 1
    assert not any("I is" in reason for reason in policy.broken_by(Joint.from_array(telling)))
    assert dc.Policy.from_dict(policy.to_dict()).problem == "bottleneck"


@pytest.mark.parametrize("problem", PROBLEMS)
def test_masses_of_all_sizes(problem: Any) -> None:
    """Seventeen orders of magnitude apart: the proof neither loses the ends nor a partition."""
    for counts in (
        [[1, 1e-17], [0.5, 0.7]],
        [[1, 1e-17, 1, 0.3], [0.5, 0.7, 0.2, 0.1]],
        [[1e-30, 1, 1e-3], [1, 1e-20, 2]],
    ):
        joint = Joint.from_array(np.array(counts))
        found = dc.frontier(joint, "I", problem=problem)
        every = [information(joint.coarsen(blocks)) for blocks in partitions(joint.n_x)]
        mine = list(zip(found.points.leakage, found.points.utility, strict=True))
        assert not any(is_better(problem, one, other) for one in every for other in mine)
        assert min(found.points.utility) == pytest.approx(0, abs=1e-9) or problem == "funnel"


@pytest.mark.slow
@pytest.mark.parametrize("leakage", ["D_0.5", "D_1", "D_2", "D_inf"])
def test_ratios_of_tiny_masses_are_those_of_the_measures(leakage: str) -> None:
    joint = Joint.from_array(np.random.default_rng(3).random((2, 40)) ** 3)
    for point in dc.frontier(joint, leakage).points:
        assert point.leakage == pytest.approx(REGISTRY[leakage](joint.coarsen(point.blocks)), abs=1e-11)


def test_the_whole_of_what_there_is_can_be_asked_for() -> None:
    joint = Joint.from_array(np.random.default_rng(4).random((8, 30)))
    whole, entropy = information(joint)
    kept = dc.frontier(joint, "I", problem="bottleneck")
    assert kept.point_at(min_leakage=whole).leakage == pytest.approx(whole, abs=1e-9)
    assert kept.point_at(max_utility=0).utility == pytest.approx(0, abs=1e-9)
    assert dc.frontier(joint, "I").point_at(min_utility=entropy).utility == pytest.approx(entropy, abs=1e-9)


def test_soft_policies_are_not_dominated() -> None:
    joint = random_joint(9, 3, 6)
    for problem in PROBLEMS:
        found = dc.frontier(joint, "I", problem=problem)  # type: ignore[arg-type]
        soft = found.soften(time_limit=5)
        assert soft
        hard = list(zip(found.points.leakage, found.points.utility, strict=True))
        assert not any(is_better(problem, one, (each.leakage, each.utility)) for each in soft for one in hard)
        assert found.gain_of(soft) >= 0
    with pytest.raises(InputError, match="soft policies"):
        dc.frontier(joint, "Lmin").soften()


@pytest.mark.slow
def test_the_ninety_blocks_of_the_paper(hungarian: Any) -> None:
    found = dc.frontier(hungarian_joint(hungarian, "A"), "I", "information", "pairwise")
    assert any(len(found.at(min_utility=theta).blocks) == 90 for theta in np.linspace(2.847, 2.923, 9))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "problem", "target"),
    [("A", "funnel", 0.657), ("B", "funnel", 0.644), ("A", "bottleneck", 0.620), ("B", "bottleneck", 0.650)],
)
def test_hungarian_hypervolume(hungarian: Any, setting: Any, problem: Any, target: float) -> None:
    assert dc.frontier(hungarian_joint(hungarian, setting), "I", problem=problem).hypervolume >= target


# ---------------------------------------------------------------------- the command line


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    age = rng.integers(30, 40, 300)
    chol = 150 + 5 * age // 2 + rng.integers(0, 20, 300)
    path = tmp_path / "people.csv"
    path.write_text("age,chol\n" + "\n".join(f"{a},{c}" for a, c in zip(age, chol, strict=True)) + "\n")
    return path


@pytest.mark.slow
def test_the_same_commands(people: Path, tmp_path: Path) -> None:
    roles = [str(people), "--sensitive", "age", "--public", "chol"]
    done = run("frontier", *roles, "--leakage", "I", "--utility", "information", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["problem"] == "funnel"
    assert document["points"][0]["bound"] <= document["points"][0]["leakage"]
    released = run(
        "release",
        *roles,
        *("--leakage", "I", "--min-utility", "3", "--at-least", "5"),
        *("--out", str(tmp_path / "r.csv"), "--policy", str(tmp_path / "p.json"), "--report", str(tmp_path / "r.html")),
    )
    assert released.returncode == 0, released.stderr
    assert "I " in released.stdout
    assert "mutual information" in (tmp_path / "r.html").read_text()
    verified = run("verify", str(tmp_path / "r.csv"), "--policy", str(tmp_path / "p.json"), "--original", str(people))
    assert verified.returncode == 0, verified.stdout
    policy = dc.Policy.load(tmp_path / "p.json")
    assert policy.at_least == 5
    assert policy.after["n"] >= 5


@pytest.mark.slow
def test_a_bottleneck_and_soft_policies_by_command(people: Path, tmp_path: Path) -> None:
    roles = [str(people), "--sensitive", "age", "--public", "chol", "--leakage", "I"]
    done = run(
        "frontier", *roles, "--problem", "bottleneck", "--plot", str(tmp_path / "f.png"), "--compare", "pairwise"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "f.png").stat().st_size > 1000
    assert "bottleneck" in done.stdout
    soft = run("frontier", *roles, "--soft")
    assert soft.returncode == 0, soft.stderr
    assert "soft policies" in soft.stdout
    cut = run(
        "release",
        *roles,
        "--problem",
        "bottleneck",
        "--min-leakage",
        "0.5",
        "--out",
        str(tmp_path / "b.csv"),
        "--policy",
        str(tmp_path / "b.json"),
    )
    assert cut.returncode == 0, cut.stderr


def test_bad_options_are_one_line(people: Path) -> None:
    roles = [str(people), "--sensitive", "age", "--public", "chol"]
    for options, words in [
        (["--leakage", "I", "--utility", "distortion"], "information"),
        (["--leakage", "Q"], "not known"),
        (["--leakage", "I", "--at-least", "100000"], "no block can have"),
    ]:
        done = run("frontier", *roles, *options)
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1
        assert words in done.stderr
