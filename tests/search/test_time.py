"""When a search ends before it is done: at its time limit, at an interrupt, or at the one bound that was asked for."""

from __future__ import annotations

import codecs
import contextlib
import io
import itertools
import re

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


def letters_of_english() -> dc.Joint:
    """Pairs of neighbouring letters in the Zen of Python."""
    with contextlib.redirect_stdout(io.StringIO()):
        import this
    text = re.sub("[^a-z]+", " ", codecs.decode(this.s, "rot13").lower())
    return dc.Joint.from_pairs(list(itertools.pairwise(text)))


@pytest.mark.parametrize(
    ("leakage", "problem"),
    [("I", "funnel"), ("I", "bottleneck"), ("Lmin", "funnel"), ("I_inf", "funnel"), ("D_2", "funnel")],
)
def test_more_time_is_never_worse(leakage: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.search._options.Watch", lambda limit: Watch(limit, clock=Clock(1.0)))
    joint = letters_of_english()
    found = [
        dc.frontier(joint, leakage, problem=problem, time_limit=looks)  # type: ignore[arg-type]
        for looks in (3, 20, 30, 200, 2000)
    ]
    assert {each.stopped for each in found} == {"time"}
    is_funnel = problem == "funnel"
    for short, longer in itertools.pairwise(found):
        assert longer.hypervolume >= short.hypervolume - 1e-9
        for share in np.linspace(0.1, 0.9, 5):
            kept = float(share * (short.points.utility if is_funnel else short.points.leakage).max())
            if is_funnel:
                one, other = (each.point_at(min_utility=kept).leakage for each in (short, longer))
            else:
                one, other = (each.point_at(min_leakage=kept).utility for each in (short, longer))
            assert other <= one + 1e-9


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
