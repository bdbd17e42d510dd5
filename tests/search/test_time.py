"""When a search ends before it is done: at its time limit, at an interrupt, or at the one bound that was asked for."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.search._watch import Watch
from discreet.search.ranges import _line
from discreet.search.ranges._levels import in_turn, levels_up_to
from tests.clocks import Clock

KINDS = [
    ("L0", "distortion", "auto"),
    ("L0", "distortion", "exact"),
    ("L0", "distortion", "agglomerative"),
    ("L0", "distortion", "mondrian"),
    ("L0", "distortion", "sweeney"),
    ("L0", "distortion", "equal-width"),
    ("L0", "resolution", "auto"),
    ("I*", "distortion", "auto"),
    ("L0|I*=0", "distortion", "auto"),
    ("L0|I*=0", "distortion", "agglomerative"),
    ("I", "information", "auto"),
    ("I", "information", "iac-mdsf"),
    ("I", "information", "pairwise"),
    ("Lmin", "information", "auto"),
]


def wages(rows: int = 40) -> dc.Joint:
    """Two numbers that are nearly always different."""
    rng = np.random.default_rng(rows)
    salary = np.exp(rng.normal(10, 0.5, rows)).round().astype(int)
    return dc.Joint.from_table({"wage": salary // 7 + rng.integers(0, 200, rows), "salary": salary}, "wage", "salary")


def grades(letters: int = 30) -> dc.Joint:
    """Many numbers, each with one of nine grades."""
    rng = np.random.default_rng(letters)
    places = np.sort(rng.choice(20 * letters, letters, replace=False))
    return dc.Joint.from_pairs([(int(rng.integers(0, 9)), int(place)) for place in places])


@pytest.mark.parametrize(("leakage", "utility", "method"), KINDS)
def test_every_method_stops_at_its_time_limit_with_policies(leakage: str, utility: str, method: str) -> None:
    found = dc.frontier(wages(), leakage, utility, method, time_limit=1e-9)  # type: ignore[arg-type]
    assert len(found.points) >= 1
    assert (found.stopped is None) == (method == "agglomerative" and leakage == "L0")  # one merge path, at once
    for point in found.points:
        assert len(point.block_of) == wages().n_x


@pytest.mark.parametrize(("leakage", "utility", "method"), KINDS)
def test_an_interrupt_leaves_the_best_so_far(leakage: str, utility: str, method: str) -> None:
    if method == "agglomerative" and leakage == "L0":
        pytest.skip("one merge path, which is there or not")
    told = 0

    def progress(stage: str, share: float | None) -> None:
        nonlocal told
        told += 1
        if told == 4:
            raise KeyboardInterrupt

    found = dc.frontier(wages(), leakage, utility, method, progress=progress)  # type: ignore[arg-type]
    assert told >= 4
    assert found.stopped == "interrupt"
    assert "interrupted" in found.stop_words()[0]
    assert dc.frontier(wages(), leakage, utility, method, time_limit=1e-9).to_dict()["stopped"] == "time"  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("cut", [{"max_leakage": 2.0}, {"min_utility": -4_000.0}])
def test_one_bound_is_one_policy_and_not_a_whole_frontier(
    cut: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    joint = wages(90)
    improved: list[int] = []
    improve = _line._Search.improved

    def counted(self: _line._Search, draft: _line._Draft, seed: int) -> np.ndarray:
        improved.append(draft.k)
        return improve(self, draft, seed)

    monkeypatch.setattr(_line._Search, "improved", counted)
    every = dc.frontier(joint)
    assert len(improved) > 20
    improved.clear()
    aimed = dc.frontier(joint, cut=cut)
    assert len(improved) <= 8
    one, other = aimed.point_at(**cut), every.point_at(**cut)
    assert one.gap is not None and other.gap is not None
    if "max_leakage" in cut:
        assert one.leakage <= 2
        assert one.utility >= 1.05 * other.utility
    else:
        assert one.utility >= -4_000
        assert one.leakage <= other.leakage + 0.2


def test_many_levels_are_thinned_out_and_the_one_aimed_at_stays() -> None:
    from discreet.search._protocol import Aim

    assert levels_up_to(200).tolist() == list(range(2, 201))
    assert len(levels_up_to(20_000)) <= 256
    assert 777 in levels_up_to(20_000, Aim(level=777))


def test_levels_taken_in_turn_lie_evenly_wherever_one_stops() -> None:
    order = in_turn(100)
    assert sorted(order) == list(range(100))
    first = np.sort(order[:16])
    assert order[0] == 99
    assert np.diff(first).max() <= 20


def test_a_search_that_was_stopped_has_no_time_left() -> None:
    with Watch(limit=60.0) as watch:
        assert 0 < watch.left() <= 60
        raise KeyboardInterrupt
    assert watch.left() == 0  # so that a proof that comes after it does not go on


def by_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time limits of frontiers are numbers of looks at the clock from now on."""
    monkeypatch.setattr("discreet.search._options.Watch", lambda limit: Watch(limit, clock=Clock(1.0)))


def lost(short: dc.Frontier, longer: dc.Frontier) -> list[tuple[float, float]]:
    """The points of one frontier that none of the other is as good as."""
    sign = -1.0 if short.setting.is_bottleneck else 1.0
    leakage, utility = sign * longer.points.leakage, sign * longer.points.utility
    return [
        (point.leakage, point.utility)
        for point in short.points
        if not ((leakage <= sign * point.leakage + 1e-9) & (utility >= sign * point.utility - 1e-9)).any()
    ]


LETTERS: dict[str, dict[str, object]] = {
    "I": {},
    "I, bottleneck": {"leakage": "I", "problem": "bottleneck"},
    "I, at least 9": {"leakage": "I", "at_least": 9},
    **{name: {} for name in ("Lmin", "I_inf", "D_2")},
    **{f"I by {name}": {"leakage": "I", "method": name} for name in ("iac-mdsf", "pairwise")},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LETTERS)
def test_more_time_never_loses_a_policy_of_letters(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_looks(monkeypatch)
    asked: dict[str, object] = {"leakage": kind, **LETTERS[kind]}
    rng = np.random.default_rng(1)
    joint = dc.Joint.from_array(
        rng.integers(0, 9, (6, 20)) * (rng.random((6, 20)) < 0.5) + (np.arange(20) % 6 == np.arange(6)[:, None])
    )
    found = [dc.frontier(joint, time_limit=looks, **asked) for looks in (3, 30, 200, 300, 1000)]  # type: ignore[arg-type]
    assert found[0].stopped == "time"
    for short, longer in itertools.combinations(found, 2):
        assert not lost(short, longer)
        assert longer.hypervolume >= short.hypervolume - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("leakage", "utility", "method"), [kind for kind in KINDS if kind[1] != "information" and kind[2] != "exact"]
)
def test_more_time_never_loses_a_policy_of_numbers(
    leakage: str, utility: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_looks(monkeypatch)
    found = [dc.frontier(grades(), leakage, utility, method, time_limit=looks) for looks in (3, 10, 30, 60, 90)]  # type: ignore[arg-type]
    for short, longer in itertools.combinations(found, 2):
        assert not lost(short, longer)


@pytest.mark.parametrize("leakage", ["Lmin", "D_2"])
def test_no_policies_are_measured_when_time_is_over(leakage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.search.information import _other_leakages as engine

    over = False
    measured = 0
    is_over, measure = Watch.over, engine._measured

    def noted(self: Watch, share: float = 1.0) -> bool:
        nonlocal over
        over = is_over(self, share)
        return over

    def counted(task: Any, partitions: Any) -> Any:
        nonlocal measured
        measured += len(partitions) if over else 0
        return measure(task, partitions)

    by_looks(monkeypatch)
    monkeypatch.setattr(Watch, "over", noted)
    monkeypatch.setattr(engine, "_measured", counted)
    rng = np.random.default_rng(0)
    found = dc.frontier(dc.Joint.from_array(rng.integers(0, 9, (6, 40)) + 1), leakage, time_limit=60)
    assert over
    assert measured < 2 * len(found.points) + 100  # those that are shown, once more


@pytest.mark.slow
@pytest.mark.parametrize("utility", ["resolution", "distortion"])
def test_policies_with_one_component_come_while_others_are_searched(
    utility: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = dc.frontier(grades(), "L0|I*=0", utility)  # type: ignore[arg-type]
    by_looks(monkeypatch)
    early = dc.frontier(grades(), "L0|I*=0", utility, time_limit=40)  # type: ignore[arg-type]
    assert early.stopped == "time"
    assert early.hypervolume > 0.8 * planned.hypervolume > 0


@pytest.mark.slow
def test_a_proof_has_the_time_that_further_starts_would_take(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = wages(16)
    proven = dc.frontier(numbers, method="exact")
    assert proven.complete
    table = dc.Joint.from_array(np.random.default_rng(3).integers(0, 3, (3, 11)) + 1)
    by_looks(monkeypatch)
    assert dc.frontier(numbers, method="exact", time_limit=600).complete
    assert dc.frontier(table, "I", method="exact", time_limit=3000).complete
    cut = dc.frontier(table, "I", method="exact", time_limit=60)
    assert not cut.complete
    assert cut.stopped == "time"


@pytest.mark.slow
def test_a_limit_that_is_given_is_used_and_one_that_is_not_ends_as_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.search.information import _information_search as engine
    from discreet.search.information._polish import polish

    rounds: list[int] = []

    def counted(*arguments: object, **options: object) -> object:
        rounds.append(1)
        return polish(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "polish", counted)
    joint = dc.Joint.from_array(np.random.default_rng(0).integers(0, 4, (6, 14)) + 1)
    planned = dc.frontier(joint, "I")
    assert len(rounds) == 1
    patient = dc.frontier(joint, "I", time_limit=600)  # a dozen rounds in a row find nothing, which ends it
    assert 1 + engine.DRY <= len(rounds) - 1 <= 200
    assert patient.hypervolume >= planned.hypervolume - 1e-9


@pytest.mark.parametrize("codeword", ["centroid", "medoid"])
def test_levels_get_further_starts_while_there_is_time(codeword: str) -> None:
    joint = wages(60)
    planned = dc.frontier(joint, codeword=codeword)  # type: ignore[arg-type]
    patient = dc.frontier(joint, codeword=codeword, time_limit=3)  # type: ignore[arg-type]
    for k in range(1, joint.n_s + 1, 5):
        assert patient.point_at(min_k=k).utility >= planned.point_at(min_k=k).utility - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("limit", [None, 1e-9])
@pytest.mark.parametrize(
    "asked",
    [
        {"leakage": "L0"},
        {"leakage": "L0", "utility": "resolution"},
        {"leakage": "I*"},
        {"leakage": "L0|I*=0"},
        {"leakage": "L0|I*=0", "utility": "resolution"},
        {"leakage": "I"},
        {"leakage": "I", "problem": "bottleneck"},
        {"leakage": "I", "at_least": 3},
        {"leakage": "Lmin"},
    ],
    ids=str,
)
def test_no_frontier_says_that_more_time_brings_nothing_where_it_would(
    asked: dict[str, object], limit: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def frontiers() -> list[dc.Frontier]:
        return [dc.frontier(joint, time_limit=limit, **asked) for joint in joints]  # type: ignore[arg-type]

    rng = np.random.default_rng(2)
    tables = [rng.integers(0, 3, (4, 7)) + np.eye(4, 7, dtype=int) + np.eye(4, 7, 4, dtype=int) for _ in range(3)]
    joints = [dc.Joint.from_array(table, x=np.cumsum(rng.integers(1, 9, 7)).tolist()) for table in tables]
    best = [dc.frontier(joint, **asked) for joint in joints]  # type: ignore[arg-type]
    assert all(each.complete for each in best)  # so few letters are always proven
    for name in ("ranges._range_search", "information._information_search"):
        monkeypatch.setattr(f"discreet.search.{name}.EXACT_ALWAYS", 0)
    monkeypatch.setattr("discreet.search.information._other_leakages.ENUMERATED", 0)
    for found, proven in zip(frontiers(), best, strict=True):
        assert found.hypervolume <= proven.hypervolume + 1e-9
        if found.hypervolume_bound is not None:
            assert found.hypervolume_bound >= proven.hypervolume - 1e-9
        if found.bound_words() and "nothing" in found.bound_words()[0]:
            assert proven.hypervolume - found.hypervolume < 5e-5


def test_a_frontier_says_what_more_time_might_bring() -> None:
    joint = dc.Joint.from_array(np.random.default_rng(1).integers(0, 4, (6, 14)) + np.eye(6, 14, dtype=int))
    for problem in ("funnel", "bottleneck"):
        found = dc.frontier(joint, "I", problem=problem)
        assert found.hypervolume_bound is not None
        assert found.hypervolume <= found.hypervolume_bound <= 1
        assert found.to_dict()["hypervolume_bound"] == found.hypervolume_bound
        assert f"{found.hypervolume_bound:.4f}" in found.bound_words()[0]
        assert found.bound_words()[0] in found._repr_html_()
    small = dc.frontier(dc.Joint.from_array([[1, 0, 2], [0, 1, 1]]), "I")
    assert small.bound_words() == [
        "more time brings nothing: no policies can have a larger hypervolume, to four digits"
    ]
    assert dc.frontier(joint, "Lmin").bound_words() == []
