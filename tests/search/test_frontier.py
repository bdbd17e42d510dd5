"""Frontiers: every point against the definitions, exact ones against all partitions, paths against the listings."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import math
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet import Frontier, Joint
from discreet.errors import InputError
from discreet.release._partitions import Partitions
from discreet.release._points import Points
from tests._oracles import measures as oracle
from tests._oracles.plain_agglomeration import Naive
from tests.examples import examples

REFERENCE = tomllib.loads((Path(__file__).parents[1] / "reference" / "frontiers.toml").read_text())
LEAKAGES: list[Any] = ["L0", "I*", "L0|I*=0"]
COSTS: list[tuple[Any, Any]] = [
    ("resolution", "centroid"),
    ("distortion", "centroid"),
    ("distortion", "medoid"),
    ("distortion", "chebyshev"),
]
EVERY = [(leakage, *cost) for leakage in LEAKAGES for cost in COSTS]
BASELINES: list[Any] = ["sweeney", "mondrian", "equal-width", "equal-frequency"]
CLOSE = 1e-9

# ---------------------------------------------------------------------- the definitions, in plain Python

Letter = Any


def parts(x: Letter) -> tuple[float, ...]:
    return x if isinstance(x, tuple) else (x,)


def apart(one: Sequence[float], other: Sequence[float], norm: float) -> float:
    gaps = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return max(gaps) if norm == math.inf else sum(gap**norm for gap in gaps) ** (1 / norm)


def radius(points: list[tuple[float, ...]], codeword: str, norm: float = 2.0) -> float:
    """The largest distance of a block's letters to its codeword [AC, V-A]."""

    def reach(centre: Sequence[float]) -> float:
        return max(apart(point, centre, norm) for point in points)

    if codeword == "centroid":
        return reach([sum(column) / len(points) for column in zip(*points, strict=True)])
    if codeword == "medoid":
        return min(reach(point) for point in points)
    width = len(points[0])
    if width == 1 or norm == math.inf:
        return reach([(min(column) + max(column)) / 2 for column in zip(*points, strict=True)])
    assert (width, norm) == (2, 2.0)  # two or three points hold the smallest enclosing circle
    centres = [tuple((a + b) / 2 for a, b in zip(p, q, strict=True)) for p in points for q in points]
    for (ax, ay), (bx, by), (cx, cy) in itertools.combinations(points, 3):
        d = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
        if d:
            a2, b2, c2 = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
            x = (a2 * (by - cy) + b2 * (cy - ay) + c2 * (ay - by)) / d
            centres.append((x, (a2 * (cx - bx) + b2 * (ax - cx) + c2 * (bx - ax)) / d))
    return min(map(reach, centres))


def utility_of(joint: Joint, blocks: Any, utility: str, codeword: str, place: Any = parts, norm: float = 2.0) -> float:
    if utility == "resolution":
        return math.log2(joint.n_x) - math.log2(max(map(len, blocks)))
    return -max(radius([place(x) for x in block], codeword, norm) for block in blocks)


def leakage_of(joint: Joint, blocks: Any, leakage: str) -> float:
    """By the measures of the coarsened joint, which have an oracle of their own, and by that oracle."""
    coarse = joint.coarsen(blocks)
    table = oracle.pmf(coarse)
    if leakage == "I*":
        assert oracle.i_star(table) == pytest.approx(dc.measures.maximin_information(coarse))
        return dc.measures.maximin_information(coarse)
    if leakage == "L0|I*=0":
        assert dc.measures.maximin_information(coarse) == 0
    assert oracle.l0(table) == pytest.approx(dc.measures.worst_case_leakage(coarse))
    return dc.measures.worst_case_leakage(coarse)


def check_points(found: Frontier, codeword: str, place: Any = parts, norm: float = 2.0, word: Any = None) -> None:
    """Every point is what it says it is, none dominates another, and the finest is first.

    `place` says where a letter lies, `word` where a codeword does, if that is told otherwise.
    """
    joint = found.setting.joint
    assert len(found.points) > 0
    for point in found.points:
        assert sorted(itertools.chain(*point.blocks), key=joint.x.index) == list(joint.x)
        assert point.leakage == pytest.approx(leakage_of(joint, point.blocks, found.leakage), abs=1e-12)
        assert point.utility == pytest.approx(
            utility_of(joint, point.blocks, found.utility, codeword, place, norm), abs=1e-9
        )
        policy = point.policy
        assert policy.blocks == point.blocks
        assert policy.after["L0"] == dc.measures.worst_case_leakage(joint.coarsen(point.blocks))
        assert policy.utility == {found.utility: point.utility}
        if found.utility == "distortion":  # from the codewords that would be released
            centres = [(word or place)(each) for each in policy.codewords]
            reach = [
                apart(place(x), centre, norm)
                for block, centre in zip(policy.blocks, centres, strict=True)
                for x in block
            ]
            assert max(reach) == pytest.approx(-point.utility, abs=1e-9)
        if point.bound is None:
            assert point.gap is None
        else:
            assert -1e-12 <= point.bound <= point.leakage
            assert point.gap == point.leakage - point.bound
    leaks, uses = found.points.leakage.tolist(), found.points.utility.tolist()
    assert all(a > b for a, b in itertools.pairwise(leaks))
    assert all(a > b for a, b in itertools.pairwise(uses))


def all_partitions(
    joint: Joint, leakage: str, utility: str, codeword: str, place: Any = parts
) -> Iterator[tuple[float, float]]:
    """(leakage, utility) of every partition, from sets and sums over its blocks."""
    ranges = [set(joint.range_of(x)) for x in joint.x]
    points = [place(x) for x in joint.x] if utility == "distortion" else []
    cost: dict[tuple[int, ...], float] = {}
    for partition in oracle.set_partitions(list(range(joint.n_x))):
        seen = [set().union(*(ranges[i] for i in block)) for block in partition]
        groups: list[set[Any]] = []
        for one in seen:
            groups = [each for each in groups if not each & one] + [one.union(*(g for g in groups if g & one))]
        if leakage == "L0|I*=0" and len(groups) > 1:
            continue
        bits = math.log2(len(groups)) if leakage == "I*" else math.log2(joint.n_s / min(map(len, seen)))
        if utility == "resolution":
            yield bits, math.log2(joint.n_x / max(map(len, partition)))
        else:
            for block in map(tuple, partition):
                if block not in cost:
                    cost[block] = radius([points[i] for i in block], codeword)
            yield bits, -max(cost[tuple(block)] for block in partition)


def is_covered(leakage: float, utility: float, found: Frontier) -> bool:
    """Whether a point of a frontier is as good as this one."""
    return bool(((found.points.leakage <= leakage + CLOSE) & (found.points.utility >= utility - CLOSE)).any())


def not_beaten(found: Frontier, others: Sequence[tuple[float, float]]) -> None:
    """No policy among the others leaks less than the proven bound at a point's utility."""
    for point in found.points:
        least = min((leak for leak, use in others if use >= point.utility + CLOSE), default=math.inf)
        assert point.bound is None or least >= point.bound - CLOSE


# ---------------------------------------------------------------------- joints to try


@st.composite
def small_joints(draw: st.DrawFn, least: int = 1, most: int = 7, columns: int = 1) -> Joint:
    """Few letters on a line or in a plane, with ties among the values' distances and among the ranges."""
    number = st.one_of(st.integers(-4, 9), st.integers(-40, 90).map(lambda i: i / 10))
    letter: st.SearchStrategy[Any] = number if columns == 1 else st.tuples(*[st.integers(0, 5)] * columns)
    letters = draw(st.lists(letter, min_size=least, max_size=most, unique=True))
    n_s = draw(st.integers(1, 5))
    pairs = [
        (s, x) for x in letters for s in draw(st.lists(st.integers(0, n_s - 1), min_size=1, max_size=3, unique=True))
    ]
    return Joint.from_pairs(pairs)


def random_joint(seed: int, n: int, n_s: int = 6, most: int = 2, columns: int = 1) -> Joint:
    rng = np.random.default_rng(seed)
    grid = rng.choice(4 * n, size=n, replace=False)
    letters = [int(i) for i in grid] if columns == 1 else [(int(i % 11), int(i // 11)) for i in grid]
    return Joint.from_pairs(
        [(int(s), x) for x in letters for s in rng.choice(n_s, size=int(rng.integers(1, most + 1)), replace=False)]
    )


quick = settings(max_examples=examples(18))


# ---------------------------------------------------------------------- exact, and the bound


@pytest.mark.parametrize(("leakage", "utility", "codeword"), EVERY)
def test_exact_and_auto_reach_what_all_partitions_reach(leakage: Any, utility: Any, codeword: Any) -> None:
    @quick
    @given(small_joints())
    def law(joint: Joint) -> None:
        every = list(all_partitions(joint, leakage, utility, codeword))
        for method in ("exact", "auto"):
            found = dc.frontier(joint, leakage, utility, method=method, codeword=codeword)
            check_points(found, codeword)
            assert all(is_covered(leak, use, found) for leak, use in every)
            assert all(
                any(leak <= point.leakage + CLOSE and use >= point.utility - CLOSE for leak, use in every)
                for point in found.points
            )
            assert found.bound is not None
            assert found.bound == pytest.approx(found.points.leakage)  # proven, on so few letters

    law()


@pytest.mark.parametrize("codeword", ["centroid", "medoid", "chebyshev"])
@pytest.mark.parametrize("leakage", LEAKAGES)
def test_in_two_columns_too(leakage: Any, codeword: Any) -> None:
    @settings(quick, max_examples=examples(8))
    @given(small_joints(most=6, columns=2))
    def law(joint: Joint) -> None:
        every = list(all_partitions(joint, leakage, "distortion", codeword))
        found = dc.frontier(joint, leakage, method="exact", codeword=codeword)
        check_points(found, codeword)
        assert all(is_covered(leak, use, found) for leak, use in every)

    law()


@pytest.mark.parametrize(
    ("leakage", "utility", "codeword"),
    [("L0", "resolution", "centroid"), ("L0", "distortion", "centroid"), ("I*", "distortion", "chebyshev")],
)
def test_exact_is_proven_where_the_bound_alone_is_not_tight(leakage: Any, utility: Any, codeword: Any) -> None:
    joint = random_joint(12, 14, n_s=6, most=3)
    found = dc.frontier(joint, leakage, utility, method="exact", codeword=codeword)
    check_points(found, codeword)
    assert found.bound == pytest.approx(found.points.leakage)
    auto = dc.frontier(joint, leakage, utility, codeword=codeword)
    assert all(is_covered(point.leakage, point.utility, found) for point in auto.points)
    not_beaten(auto, list(zip(found.points.leakage, found.points.utility, strict=True)))


def test_a_proof_by_search_beyond_the_small_alphabets() -> None:
    joint = random_joint(5, 18, n_s=4, most=1)
    for leakage in LEAKAGES:
        found = dc.frontier(joint, leakage, method="exact", codeword="chebyshev")
        check_points(found, "chebyshev")
        assert found.bound is not None
        assert found.bound == pytest.approx(found.points.leakage)
        auto = dc.frontier(joint, leakage, codeword="chebyshev")
        not_beaten(auto, list(zip(found.points.leakage, found.points.utility, strict=True)))


def test_a_multiplier_as_large_as_numbers_go_keeps_everything() -> None:
    found = dc.frontier(random_joint(6, 30, n_s=8, most=1))
    assert len(found.at(multiplier=1e308).blocks) == 30


def test_out_of_time_the_incumbent_comes_with_its_gap() -> None:
    joint = random_joint(6, 30, n_s=8, most=1)
    found = dc.frontier(joint, method="exact", time_limit=1e-3)
    check_points(found, "centroid")
    assert found.bound is not None
    assert found.stopped == "time"
    paper = dc.frontier(joint, method="agglomerative")
    assert all(is_covered(p.leakage, p.utility, found) for p in paper.points)


@pytest.mark.parametrize("method", ["exact", "auto", "agglomerative"])
def test_costs_that_are_equal_on_paper_are_one_point(method: Any) -> None:
    """{1.7, 3.0} and {4.1, 5.4} both cost 0.65, which floats tell apart: joining one is dominated by joining both."""
    joint = Joint.from_pairs([(3, 1.7), (0, 3.0), (0, 4.1), (1, 5.4)])
    found = dc.frontier(joint, "I*", method=method)
    assert found.points.leakage.tolist() == [math.log2(3), 0.0]
    assert found.points.utility == pytest.approx([0.0, -0.65])
    assert all(not point.gap for point in found.points)


def test_the_unit_of_x_changes_nothing() -> None:
    """Nanometres or kilometres, from the origin or far from it: the same blocks, the same gaps."""
    joint = random_joint(9, 16, n_s=4, most=1)
    plain = dc.frontier(joint, codeword="chebyshev")
    for unit, origin in ((1e-15, 0.0), (1e9, 0.0), (1.0, 738_000.0)):
        values = {x: x * unit + origin for x in joint.x}
        found = dc.frontier(joint, values=values, codeword="chebyshev")
        assert found.points.leakage == pytest.approx(plain.points.leakage)
        assert found.points.utility == pytest.approx(plain.points.utility * unit, rel=1e-9, abs=0)
        assert found.bound == pytest.approx(plain.bound)
        for point in found.points:
            assert found.point_at(min_utility=point.utility).leakage == point.leakage


# ---------------------------------------------------------------------- auto, greedy, baselines


@pytest.mark.slow
@pytest.mark.parametrize(("leakage", "utility", "codeword"), EVERY)
def test_auto_is_never_dominated_by_the_paper(leakage: Any, utility: Any, codeword: Any) -> None:
    for seed in (1, 2) if codeword == "centroid" else (1,):
        joint = random_joint(seed, 14 + 9 * seed, n_s=5 + seed, most=seed)
        auto = dc.frontier(joint, leakage, utility, codeword=codeword)
        paper = dc.frontier(joint, leakage, utility, method="agglomerative", codeword=codeword)
        check_points(auto, codeword)
        check_points(paper, codeword)
        assert all(is_covered(p.leakage, p.utility, auto) for p in paper.points)
        policies = list(zip(paper.points.leakage, paper.points.utility, strict=True))
        for method in BASELINES if utility == "distortion" else BASELINES[:1]:
            baseline = dc.frontier(joint, leakage, utility, method=method, codeword=codeword)
            check_points(baseline, codeword)
            policies += zip(baseline.points.leakage, baseline.points.utility, strict=True)
            assert method == "sweeney" or all(is_covered(p.leakage, p.utility, auto) for p in baseline.points)
        not_beaten(auto, policies)
        assert auto.hypervolume >= paper.hypervolume - CLOSE
        assert 0 <= paper.hypervolume <= 1


@pytest.mark.parametrize("leakage", LEAKAGES)
def test_auto_in_two_columns(leakage: Any) -> None:
    joint = random_joint(7, 24, n_s=5, most=2, columns=2)
    for norm in (1.0, 2.0, math.inf):
        auto = dc.frontier(joint, leakage, norm=norm)
        paper = dc.frontier(joint, leakage, norm=norm, method="agglomerative")
        check_points(auto, "centroid", norm=norm)
        check_points(paper, "centroid", norm=norm)
        assert all(is_covered(p.leakage, p.utility, auto) for p in paper.points)
        not_beaten(auto, list(zip(paper.points.leakage, paper.points.utility, strict=True)))
    check_points(dc.frontier(joint, leakage, method="mondrian"), "centroid")


@pytest.mark.parametrize(("utility", "codeword"), COSTS)
@pytest.mark.parametrize("leakage", ["L0", "I*"])
def test_the_path_is_the_papers_step_by_step(leakage: Any, utility: Any, codeword: Any) -> None:
    @quick
    @given(small_joints(most=7))
    def law(joint: Joint) -> None:
        found = dc.frontier(joint, leakage, utility, method="agglomerative", codeword=codeword)
        ranges = [set(joint.range_of(x)) for x in joint.x]
        naive = Naive(ranges, [parts(x) for x in joint.x], codeword=codeword)
        cost = "size" if utility == "resolution" else "distortion"
        merges, rows = (naive.algorithm_1 if leakage == "L0" else naive.algorithm_2)(cost)
        assert found.path is not None
        assert len(found.path) == len(rows)
        name = list(range(joint.n_x))
        done = 0
        for point, (upto, *_) in zip(found.path, rows, strict=True):
            for left, right in merges[done:upto]:
                name = [left if each == right else each for each in name]
            done = upto
            assert point.block_of.tolist() == name
            assert point.leakage == pytest.approx(leakage_of(joint, point.blocks, leakage), abs=1e-12)
            assert point.utility == pytest.approx(utility_of(joint, point.blocks, utility, codeword), abs=1e-9)
        # Where a multiplier stops: the last step before the Lagrangian no longer falls.
        for multiplier in (0.0, 0.1, 0.7, 3.0, 1e6):
            stop = 0
            while stop + 1 < len(found.path):
                here, there = found.path[stop], found.path[stop + 1]
                if there.leakage - here.leakage - multiplier * (there.utility - here.utility) >= -1e-12:
                    break
                stop += 1
            assert found.at(multiplier=multiplier).blocks == found.path[stop].blocks

    law()


def blocks_text(blocks: Any) -> str:
    return " ".join("".join(map(str, block)) for block in blocks)


def example_1() -> Joint:
    ranges = REFERENCE["example_1"]["range"]
    return Joint.from_pairs([(s, x) for x, seen in enumerate(ranges, 1) for s in seen])


@pytest.mark.parametrize("case", REFERENCE["path"], ids=lambda case: case["source"].split(":")[0])
def test_examples_of_the_paper(case: dict[str, Any]) -> None:
    values = dict(enumerate(case["values"], 1)) if "values" in case else None
    found = dc.frontier(example_1(), case["leakage"], case["utility"], method="agglomerative", values=values)
    assert found.path is not None
    assert [blocks_text(point.blocks) for point in found.path] == case["steps"]
    lagrangian = found.path.leakage - case["multiplier"] * found.path.utility
    assert np.diff(lagrangian)[: len(case["delta"])] == pytest.approx(
        case["delta"], abs=6e-5 if values is None else 6e-4
    )
    for multiplier, blocks in case["stops"]:
        assert blocks_text(found.at(multiplier=multiplier).blocks) == blocks


@pytest.mark.parametrize("case", REFERENCE["final"], ids=lambda case: case["source"].split(":")[0])
def test_examples_of_problem_7(case: dict[str, Any]) -> None:
    found = dc.frontier(example_1(), case["leakage"], case["utility"], method="agglomerative")
    assert blocks_text(found.at(multiplier=case["multiplier"]).blocks) == case["blocks"]
    assert found.path is None
    with pytest.raises(InputError, match="method 'agglomerative' has no merge path"):
        found.plot_convergence(0.3)


@pytest.mark.parametrize("method", ["exact", "auto"])
@pytest.mark.parametrize("case", REFERENCE["exact"], ids=lambda case: case["leakage"] + " " + case["utility"])
def test_exact_frontiers_of_example_1(case: dict[str, Any], method: Any) -> None:
    values = dict(enumerate(REFERENCE["example_1"]["values"], 1))
    found = dc.frontier(example_1(), case["leakage"], case["utility"], method=method, values=values)
    lost = [found.setting.unit - point.utility for point in found.points]
    assert list(zip(found.points.leakage, lost, strict=True)) == [
        pytest.approx(point, abs=1e-5) for point in case["points"]
    ]


# ---------------------------------------------------------------------- cutting


def line() -> Joint:
    """Six letters, s repeating: leakage log2 3 at first."""
    return Joint.from_pairs([(i % 3, i * i) for i in range(6)])


def test_a_bound_cuts_the_frontier() -> None:
    for method in ("auto", "agglomerative", "mondrian"):
        found = dc.frontier(line(), method=method)
        for point in found.points:
            assert found.at(max_leakage=point.leakage).blocks == point.blocks
            assert found.at(min_utility=point.utility).blocks == point.blocks
            assert found.at(max_leakage=point.leakage - 1e-14).blocks == point.blocks  # rounding is forgiven
            assert found.point_at(min_utility=point.utility * (1 - 1e-14)).utility == point.utility
        for bound in (0.0, 0.5, 0.9, 1.2, 5.0, math.inf):
            allowed = [point for point in found.points if point.leakage <= bound]
            assert found.point_at(max_leakage=bound).utility == max(point.utility for point in allowed)
        for bound in (0.0, -0.5, -3.0, -100.0, -math.inf):
            useful = [point for point in found.points if point.utility >= bound]
            assert found.point_at(min_utility=bound).leakage == min(point.leakage for point in useful)


def test_a_multiplier_weighs_the_points_where_there_is_no_path() -> None:
    found = dc.frontier(line())
    for multiplier in (0, 0.05, 0.3, 2, np.float64(7)):
        best = min(point.leakage - multiplier * point.utility for point in found.points)
        chosen = found.point_at(multiplier=multiplier)
        assert chosen.leakage - multiplier * chosen.utility == pytest.approx(best)
    assert found.at(multiplier=0).after["L0"] == 0
    assert len(found.at(multiplier=1e9).blocks) == 6


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "name one of multiplier, max_leakage and min_utility"),
        ({"multiplier": 1, "max_leakage": 1}, "name one of"),
        ({"multiplier": -0.1}, "a multiplier weighs utility and is 0 or more, not -0.1"),
        ({"multiplier": math.nan}, "multiplier must be a number"),
        ({"multiplier": math.inf}, "a multiplier must be finite"),
        ({"multiplier": "x"}, "multiplier must be a number"),
        ({"multiplier": True}, "multiplier must be a number"),
        ({"max_leakage": math.nan}, "max_leakage must be a number"),
        ({"min_utility": math.nan}, "min_utility must be a number"),
        ({"max_leakage": -1}, r"no policy leaks -1 bits or less: the least is 0 at utility -"),
        ({"max_leakage": -math.inf}, "no policy leaks -inf bits or less"),
        ({"min_utility": 0.5}, r"no policy has a utility of 0.5 or more: the most is 0 with 1.585 bits leaked"),
        ({"min_utility": math.inf}, "no policy has a utility of inf or more"),
    ],
)
@pytest.mark.parametrize("method", ["auto", "agglomerative"])
def test_a_cut_that_cannot_be_made(method: Any, asked: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        dc.frontier(line(), method=method).at(**asked)


def test_a_bound_that_no_baseline_meets_says_what_the_best_is() -> None:
    joint = Joint.from_pairs([(0, 0), (1, 1), (2, 2), (0, 3)])
    least = dc.frontier(joint, method="equal-frequency").points.leakage.min()
    with pytest.raises(InputError, match=r"no policy leaks -0\.5 bits or less: the least is"):
        dc.frontier(joint, method="equal-frequency").at(max_leakage=-0.5)
    assert least == 0


# ---------------------------------------------------------------------- side information


@pytest.mark.parametrize("utility", ["resolution", "distortion"])
@pytest.mark.parametrize("leakage", ["L0", "I*"])
def test_with_side_information_the_leakage_is_that_to_the_informed(leakage: Any, utility: Any) -> None:
    @quick
    @given(
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 2)), min_size=1, max_size=25),
    )
    def law(rows: list[tuple[int, int, int]]) -> None:
        table = {name: [row[i] for row in rows] for i, name in enumerate("sxa")}
        joint = Joint.from_table(table, "s", "x", "a")
        found = dc.frontier(joint, leakage, utility)
        measure = dc.measures.worst_case_leakage if leakage == "L0" else dc.measures.maximin_information
        assert found.path is not None
        for points in (found.points, found.path):
            for point in points:
                coarse = joint.coarsen(point.blocks)
                assert point.leakage == pytest.approx(measure(coarse, side=True), abs=1e-12)
                assert point.utility == pytest.approx(utility_of(joint, point.blocks, utility, "centroid"), abs=1e-9)
        leaks = found.path.leakage
        assert (np.diff(leaks) <= 1e-12).all()  # coarser never leaks more
        assert found.bound is None
        assert found.at(max_leakage=float(leaks[-1])).side == ("a",)

    law()


@pytest.mark.parametrize("utility", ["resolution", "distortion"])
def test_side_information_that_says_nothing_leaves_the_papers_path(utility: Any) -> None:
    @quick
    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=25))
    def law(rows: list[tuple[int, int]]) -> None:
        table = {"s": [s for s, _ in rows], "x": [x for _, x in rows], "a": ["same"] * len(rows)}
        informed = dc.frontier(Joint.from_table(table, "s", "x", "a"), "L0", utility)
        plain = dc.frontier(Joint.from_table(table, "s", "x"), "L0", utility, method="agglomerative")
        assert informed.path is not None
        assert plain.path is not None
        assert [point.blocks for point in informed.path] == [point.blocks for point in plain.path]

    law()


def test_side_information_needs_the_greedy_method() -> None:
    joint = Joint.from_table({"s": [1, 2, 1, 2], "x": [1, 2, 3, 4], "a": [1, 1, 2, 2]}, "s", "x", "a")
    with pytest.raises(InputError, match="'exact' does not know side information"):
        dc.frontier(joint, method="exact")
    with pytest.raises(InputError, match=r"'L0\|I\*=0' does not know side information"):
        dc.frontier(joint, "L0|I*=0")
    found = dc.frontier(joint)
    assert found.at(multiplier=0.0).blocks == ((1, 2), (3, 4))
    assert found.at(multiplier=100.0).blocks == ((1,), (2,), (3,), (4,))


# ---------------------------------------------------------------------- what letters are worth


def test_values_give_numbers_to_names() -> None:
    joint = Joint.from_pairs([(0, "low"), (1, "mid"), (0, "high"), (1, "top")])
    values = {"low": 0, "mid": 1.5, "high": 10, "top": 12}
    found = dc.frontier(joint, values=values, codeword="chebyshev")
    check_points(found, "chebyshev", place=lambda x: (values[x],), word=parts)
    assert found.at(max_leakage=0).blocks == (("high", "top"), ("low", "mid"))
    assert found.at(max_leakage=0).codewords == (11.0, 0.75)
    plane = {"low": (0, 0), "mid": (0, 2), "high": (9, 0), "top": [9, 2]}
    wide = dc.frontier(joint, values=plane, norm=math.inf, codeword="chebyshev")
    assert wide.at(max_leakage=0).codewords == ((9.0, 1.0), (0.0, 1.0))
    array: Any = {x: np.asarray(place) for x, place in plane.items()}
    same = dc.frontier(joint, values=array, norm=math.inf, codeword="chebyshev")
    assert [point.utility for point in same.points] == [point.utility for point in wide.points]


def test_values_win_over_the_letters_own_numbers_but_not_over_their_order() -> None:
    joint = Joint.from_pairs([(0, 1), (1, 2), (0, 3), (1, 4)])
    found = dc.frontier(joint, values={1: 0, 2: 100, 3: 101, 4: 1})
    assert found.at(max_leakage=0).blocks == ((1, 4), (2, 3))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"a": 1}, "values are missing for 2 of 3 letters"),
        ({"a": 1, "b": 2, "c": math.nan}, "NaN or infinity"),
        ({"a": 1, "b": 2, "c": math.inf}, "NaN or infinity"),
        ({"a": 1, "b": 2, "c": (1, 2)}, "give all alike"),
        ({"a": (1, 2), "b": (1, 2, 3), "c": (1, 2)}, "give all alike"),
        ({"a": 1, "b": 2, "c": "x"}, "must be numbers"),
        ({"a": "12", "b": "13", "c": "14"}, "must be numbers"),
        ({"a": 1, "b": 2, "c": None}, "NaN or infinity"),
        ({"a": 1, "b": 2, "c": 1j}, "must be numbers"),
        ({"a": 1, "b": 2, "c": {}}, "must be numbers"),
        ({"a": (), "b": (), "c": ()}, "must be numbers"),
    ],
)
def test_values_that_cannot_be_used(values: Any, words: str) -> None:
    joint = Joint.from_pairs([(0, "a"), (1, "b"), (2, "c")])
    with pytest.raises(InputError, match=words):
        dc.frontier(joint, values=values)


def test_several_columns_have_their_units() -> None:
    rows = [{"s": i % 3, "age": 20 + 7 * i % 30, "pay": 1000 * (i * 5 % 11)} for i in range(14)]
    joint = Joint.from_table(rows, "s", ["age", "pay"])
    scale = {"age": 10.0, "pay": 1000.0}
    found = dc.frontier(joint, scale=scale)
    check_points(found, "centroid", place=lambda x: (x[0] / 10, x[1] / 1000))
    spans = [max(x[i] for x in joint.x) - min(x[i] for x in joint.x) for i in (0, 1)]
    ranged = dc.frontier(joint, scale="range")
    check_points(ranged, "centroid", place=lambda x: (x[0] / spans[0], x[1] / spans[1]))
    policy = found.at(max_leakage=0)
    for block, word in zip(policy.blocks, policy.codewords, strict=True):  # in the columns' own units
        assert word == pytest.approx([sum(x[i] for x in block) / len(block) for i in (0, 1)])


def test_ordered_categories_are_their_ranks_and_unordered_ones_are_apart() -> None:
    rows = [{"s": i % 2, "size": size} for i, size in enumerate(["S", "M", "L", "XL"])]
    joint = Joint.from_table(rows, "s", "size")
    found = dc.frontier(joint, order={"size": ["S", "M", "L", "XL"]})
    assert found.at(max_leakage=0).blocks == (("L", "XL"), ("M", "S"))
    assert found.at(max_leakage=0).utility == {"distortion": -0.5}
    mixed = Joint.from_table(
        [{"s": i % 2, "n": n, "c": c} for i, (n, c) in enumerate([(0, "r"), (1, "r"), (0, "g"), (1, "g")])],
        "s",
        ["n", "c"],
    )
    near = dc.frontier(mixed, scale={"c": 1.0}, codeword="chebyshev")
    assert near.at(max_leakage=0).blocks == (((0, "g"), (1, "g")), ((0, "r"), (1, "r")))
    assert near.at(max_leakage=0).utility == {"distortion": pytest.approx(-0.5)}


def test_days_are_counted_and_moments_too() -> None:
    days = [dt.date(2024, 2, 27), dt.date(2024, 2, 28), dt.date(2024, 3, 1), dt.date(2024, 3, 4)]
    joint = Joint.from_pairs([(i % 2, day) for i, day in enumerate(days)])
    found = dc.frontier(joint, codeword="chebyshev")
    assert found.at(max_leakage=0).blocks == (tuple(days[:2]), tuple(days[2:]))
    assert found.at(max_leakage=0).utility == {"distortion": -1.5}
    moments = [dt.datetime(2024, 2, 27, hour) for hour in (0, 6, 12, 18)]
    hours = dc.frontier(Joint.from_pairs([(i % 2, each) for i, each in enumerate(moments)]), codeword="chebyshev")
    assert hours.at(max_leakage=0).utility["distortion"] == pytest.approx(-0.125, abs=1e-9)


@pytest.mark.parametrize(
    ("letters", "options", "words"),
    [
        (["a", "b"], {"utility": "distortion"}, "column 'x' is not numeric"),
        ([1, None], {}, "no place for the missing values of 'x'"),
        ([1.0, math.inf], {}, "infinite values"),
        ([True, False], {"utility": "distortion"}, "not numeric"),
        ([1, 2], {"norm": 3}, "norm 3 is not offered"),
        ([1, 2], {"norm": math.nan}, "norm nan is not offered"),
        ([1, 2], {"time_limit": 0}, "time limit"),
        ([1, 2], {"time_limit": math.nan}, "time limit"),
        ([1, 2], {"seed": -1}, "seed"),
        ([1, 2], {"leakage": "L9"}, "leakage='L9' is not known: use one of 'L0'"),
        ([1, 2], {"utility": "fun"}, "utility='fun' is not known"),
        ([1, 2], {"method": "magic"}, "method='magic' is not known"),
        ([1, 2], {"codeword": "x"}, "codeword='x' is not known"),
        ([1, 2], {"scale": {"y": 2.0}}, "scale names 'y', which is not a public column"),
        ([1, 2], {"scale": {"x": 0.0}}, "scale of 'x' must be a positive number"),
        ([1, 2], {"scale": {"x": math.inf}}, "scale of 'x' must be a positive number"),
        ([1, 2], {"scale": "unit"}, "scale='unit'"),
        ([1, 2], {"order": {"y": [1, 2]}}, "order names 'y', which is not a public column"),
        ([1, 2], {"order": {"x": [1]}}, "leaves out 1 of its values"),
        (["a", "b"], {"utility": "resolution", "method": "mondrian"}, "cuts numbers"),
        ([1, 2], {"hierarchy": "/none.csv"}, "cannot be read"),
    ],
)
def test_what_a_frontier_cannot_be_made_of(letters: list[Any], options: dict[str, Any], words: str) -> None:
    joint = Joint.from_table({"s": [1, 2], "x": letters}, "s", "x")
    with pytest.raises(InputError, match=words):
        dc.frontier(joint, **options)


def test_binning_is_for_one_column() -> None:
    joint = Joint.from_pairs([(0, (1, 2)), (1, (2, 3))])
    with pytest.raises(InputError, match="bins one numeric column"):
        dc.frontier(joint, method="equal-width")


# ---------------------------------------------------------------------- edges, sameness and showing


@pytest.mark.parametrize("method", ["auto", "agglomerative", "exact", *BASELINES])
@pytest.mark.parametrize("leakage", LEAKAGES)
def test_one_s_or_one_x(leakage: Any, method: Any) -> None:
    for joint in (Joint.from_pairs([(1, 1)]), Joint.from_pairs([(1, 1), (1, 2)]), Joint.from_pairs([(1, 1), (2, 1)])):
        found = dc.frontier(joint, leakage, method=method)
        check_points(found, "centroid")
        assert found.points[-1].leakage == 0
        assert 0 <= found.hypervolume <= 1


def test_the_same_seed_gives_the_same_frontier_and_no_order_of_rows_matters() -> None:
    joint = random_joint(3, 24, n_s=6, most=1)
    pairs = [(s, x) for x in joint.x for s in joint.range_of(x)]
    again = Joint.from_pairs(pairs[::-1])
    for utility, codeword in COSTS[:2]:
        one, two, three = (
            dc.frontier(each, "L0", utility, codeword=codeword, seed=4) for each in (joint, joint, again)
        )
        for other in (two, three):
            assert one.points.leakage.tolist() == other.points.leakage.tolist()
            assert one.points.utility.tolist() == other.points.utility.tolist()
            assert [point.blocks for point in one.points] == [point.blocks for point in other.points]
        check_points(dc.frontier(joint, "L0", utility, codeword=codeword, seed=5), codeword)


def test_points_are_a_sequence() -> None:
    found = dc.frontier(line())
    points = found.points
    assert isinstance(points, Points)
    assert points[-1].blocks == points[len(points) - 1].blocks
    assert [point.leakage for point in points[1:]] == points.leakage[1:].tolist()
    assert len(list(points)) == len(points)
    for index in (len(points), -len(points) - 1):
        with pytest.raises(IndexError):
            points[index]
    both = Points(found.setting, Partitions.together([points.partitions, points.partitions]))
    assert [point.blocks for point in both] == [point.blocks for point in points] * 2


def test_a_frontier_can_be_shown() -> None:
    found = dc.frontier(line())
    document = found.to_dict()
    assert json.loads(json.dumps(document)) == document
    assert document["letters"] == 6
    assert [point["leakage"] for point in document["points"]] == found.points.leakage.tolist()
    frame = found.to_frame()
    assert frame.column_names == ["leakage", "utility", "bound", "gap"]
    assert frame["gap"].to_pylist() == [point.gap for point in found.points]
    greedy = dc.frontier(line(), method="agglomerative")
    assert greedy.to_frame()["bound"].to_pylist() == [None] * len(greedy.points)
    assert repr(found).startswith("Frontier(L0 against distortion by auto: ")
    assert "gap at most 0" in repr(found)
    assert found.seconds > 0


def test_a_frontier_can_be_drawn() -> None:
    pytest.importorskip("matplotlib")
    found, greedy = dc.frontier(line()), dc.frontier(line(), method="agglomerative")
    for normalise in (False, True):
        figure = found.plot(greedy, normalise=normalise, chosen=found.points[1])
        assert len(figure.axes[0].lines) == 4  # two frontiers, a bound and a star
        names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        assert names[:2] == ["auto", "agglomerative"]
    assert greedy.plot_convergence(0.3).axes[0].get_xlabel()
    page = found._repr_html_()
    assert "<svg" in page
    assert page.count("<tr>") == 1 + len(found.points)
    assert f"<td>{found.points[0].leakage:.4g}</td>" in page
    with pytest.raises(InputError, match="no merge path"):
        found.plot_convergence(0.3)


def test_normalised_axes_run_from_0_to_1() -> None:
    for leakage, utility, codeword in EVERY:
        found = dc.frontier(line(), leakage, utility, codeword=codeword)
        x, y = found.normalised(found.points.leakage, found.points.utility)
        assert x.min() >= 0
        assert x.max() <= 1
        assert y.min() >= 0
        assert y.max() <= 1


def test_a_hierarchy_gives_blocks_that_are_its_nodes(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("Lyon;France;*\nNice;France;*\nTurin;Italy;*\nRome;Italy;*\n")
    joint = Joint.from_pairs([(0, "Lyon"), (1, "Nice"), (0, "Turin"), (1, "Rome")])
    found = dc.frontier(joint, utility="resolution", hierarchy=tmp_path / "towns.csv")
    check_points(found, "centroid")
    assert found.at(max_leakage=0).blocks == (("Lyon", "Nice"), ("Rome", "Turin"))
    with pytest.raises(InputError, match="no leaf of the hierarchy"):
        dc.frontier(Joint.from_pairs([(0, "Oslo")]), utility="resolution", hierarchy=tmp_path / "towns.csv")


@pytest.mark.slow
def test_the_hungarian_frontier(hungarian: Any) -> None:
    """SPEC 9: certified optima of block size and of midrange distortion, and centroids close to the bound."""
    joint = Joint.from_table(hungarian, "age", "chol", missing="drop")
    size = dc.frontier(joint, utility="resolution")
    assert max(point.gap or 0 for point in size.points) == 0
    width = dc.frontier(joint, codeword="chebyshev")
    assert max(point.gap or 0 for point in width.points) == 0
    for found, k, cost in ((size, 10, math.log2(joint.n_x / 6)), (width, 5, -68.5), (width, 18, -133.5)):
        assert found.point_at(max_leakage=math.log2(joint.n_s / k)).utility == pytest.approx(cost)


def test_a_notebook_without_matplotlib_still_shows_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = dc.frontier(line())._repr_html_()
    assert "<svg" not in page
    assert "<table>" in page
