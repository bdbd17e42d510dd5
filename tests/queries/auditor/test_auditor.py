"""The auditor's contract: cells from the history alone, everyone keeps enough, replies that never change."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.queries import Auditor, Reply
from discreet.queries.auditor._answer_cells import Cells, merge
from discreet.queries.auditor._classes import System
from discreet.queries.auditor._people import People, exact_sum
from tests._oracles.transcripts import Told, intervals_left
from tests.examples import examples

SEEDS = st.integers(0, 2**32 - 1)


def some_members(rng: np.random.Generator, n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    mask = rng.random(n) < rng.uniform(0.2, 0.9)
    mask[rng.integers(n)] = True
    return np.flatnonzero(mask)


def test_two_people_whose_cells_are_merged() -> None:
    auditor = Auditor([0, 0], [1, 1], keep=0.6, step=0)
    assert auditor.offer([0, 1], "sum", error=0.25) == [(0.0, 1.0), (1.0, 2.0)]
    assert auditor.price([0, 1], "sum", error=0.25) == (2, 1.0)
    reply = auditor.ask([0, 1], "sum", error=0.25, data=[0.25, 0.5])
    assert reply == Reply(0.5, 0.5, (0.0, 1.0), [(0.0, 1.0), (1.0, 2.0)], 1.0)
    assert auditor.bits == 1.0
    assert "0.5 ± 0.5" in repr(reply) and "2 people" in repr(auditor)


def test_nothing_is_coarsened_without_need() -> None:
    """The paper's quantiser [DQ, Thm IV.2] is what comes out when everyone keeps enough: four cells, -1.5 to 1.5."""
    auditor = Auditor([-2, -2], [2, 2], keep=1, step=0)
    assert auditor.offer([0, 1], "mean", error=0.5) == [(-2, -1), (-1, 0), (0, 1), (1, 2)]
    reply = auditor.ask([1, 0], "mean", error=0.5, data=[-0.25, 0.5])
    assert (reply.answer, reply.error, reply.cell, reply.bits) == (0.5, 0.5, (0.0, 1.0), 2.0)


def test_one_cell_says_nothing_and_costs_nothing() -> None:
    auditor = Auditor([0], [1], keep=0.9, step=0)
    reply = auditor.ask([0], "mean", error=0.01, data=[0.3])
    assert reply == Reply(None, 0.5, (0.0, 1.0), [(0.0, 1.0)], 0.0)
    assert auditor.bits == 0 and "nothing new" in repr(reply)


def test_cells_are_the_same_whatever_the_data() -> None:
    """Trap 1: merging only the true bin would leak; so offers must agree along equal transcripts."""
    rng = np.random.default_rng(5)
    questions = [(some_members(rng, 6), 0.1) for _ in range(8)]
    transcripts: dict[tuple[object, ...], list[tuple[float, float]]] = {}
    for _ in range(30):
        data = rng.random(6)
        auditor, said = Auditor(np.zeros(6), np.ones(6), keep=0.3, step=0), tuple[object, ...]()
        for members, error in questions:
            reply = auditor.ask(members, "sum", error=error, data=data)
            assert transcripts.setdefault(said, reply.cells) == reply.cells
            said = (*said, reply.cell)
    assert len(transcripts) > 30


def test_repeated_and_implied_questions_are_free_and_keep_their_answer() -> None:
    rng = np.random.default_rng(1)
    data = rng.random(30)
    auditor = Auditor(np.zeros(30), np.ones(30), keep=0.2, step=0)
    first = auditor.ask(range(20), "mean", error=0.05, data=data)
    for i in range(5):
        auditor.ask(range(i, 30), "sum", error=0.7, data=data)
    spent = auditor.bits
    again = auditor.ask(list(range(20))[::-1], "mean", error=0.05, data=data)
    assert (again.answer, again.error, again.cell, again.cells) == (first.answer, first.error, first.cell, first.cells)
    assert again.bits == 0 and auditor.bits == spent
    # The same members in other units, or with a larger error, are implied.
    looser = auditor.ask(range(20), "mean", error=0.2, data=data)
    total = auditor.ask(range(20), "sum", error=1.0 + 1e-9, data=data)
    assert (looser.answer, looser.cell) == (first.answer, first.cell)
    assert total.answer == pytest.approx(20 * (first.answer or 0), rel=1e-15)
    assert looser.bits == total.bits == 0 and auditor.bits == spent
    assert auditor.price(range(20), "mean", error=0.3).bits == 0
    # A finer question is new; the coarse one keeps its answer all the same.
    finer = auditor.ask(range(20), "mean", error=0.01, data=data)
    assert (
        finer.answer is not None and finer.bits > 0 and first.cell[0] <= finer.cell[0] <= finer.cell[1] <= first.cell[1]
    )
    assert auditor.ask(range(20), "mean", error=0.05, data=data).cell == first.cell


def test_offers_and_prices_leave_no_trace() -> None:
    rng = np.random.default_rng(2)
    data = rng.random(12)
    quiet, curious = (Auditor(np.zeros(12), np.ones(12), keep=0.2, step=0) for _ in range(2))
    for _ in range(10):
        members = some_members(rng, 12)
        for _ in range(3):
            curious.offer(some_members(rng, 12), "sum", error=0.3)
            curious.price(some_members(rng, 12), "mean", error=0.1)
        offered = curious.offer(members, "mean", error=0.05)
        assert curious.ask(members, "mean", error=0.05, data=data) == quiet.ask(members, "mean", error=0.05, data=data)
        assert quiet.offer(members, "mean", error=0.05) == offered
    assert quiet.to_dict() == curious.to_dict()


@pytest.mark.parametrize("integral", [False, True])
def test_a_transcript_goes_through_a_file_and_goes_on_identically(integral: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    data = rng.integers(0, 2, 15).astype(float) if integral else rng.random(15)
    auditor = Auditor(np.zeros(15), np.ones(15), keep=1 if integral else 0.2, integral=integral)
    questions = [some_members(rng, 15) for _ in range(16)]
    for members in questions[:8]:
        auditor.ask(members, "sum", error=0.6, data=data)
    auditor.save(tmp_path / "a.json")
    copy = Auditor.load(tmp_path / "a.json")
    assert copy.bits == auditor.bits
    for members in questions:
        assert copy.ask(members, "sum", error=0.6, data=data) == auditor.ask(members, "sum", error=0.6, data=data)
    assert copy.to_dict() == auditor.to_dict()
    assert (copy.intervals() == auditor.intervals()).all()
    with pytest.raises(InputError, match="version"):
        Auditor.from_dict({**auditor.to_dict(), "version": 99})
    (tmp_path / "a.json").write_text((tmp_path / "a.json").read_text().replace('"chosen": 1', '"chosen": 0', 1))
    with pytest.raises(InputError, match="was changed after it was written"):
        Auditor.load(tmp_path / "a.json")


def test_a_plot_shows_what_everybody_keeps() -> None:
    auditor = Auditor([0, 0, 0], [1, 1, 1], keep=[0.2, 0.3, 0.2], step=0)
    auditor.ask([0, 1], "sum", error=0.1, data=[0.1, 0.05, 0.5])
    kept, promised = (line.get_ydata() for line in auditor.plot().axes[0].get_lines())
    assert sorted(np.diff(auditor.intervals())[:, 0]) == list(kept)
    assert (kept >= promised).all() and sorted(promised) == [0.2, 0.2, 0.3]


def test_a_state_knows_earlier_replies_without_computing_them() -> None:
    data = np.linspace(0, 1, 9)
    auditor = Auditor(np.zeros(9), np.ones(9), keep=0.2, step=0)
    reply = auditor.ask([0, 1, 2, 3], "mean", error=0.1, data=data)
    copy = Auditor.from_dict(auditor.to_dict())
    again = copy.ask([0, 1, 2, 3], "mean", error=0.1, data=data)
    assert again.cells == reply.cells and again.answer == reply.answer
    assert copy._memory.folded == 0


@pytest.mark.slow
@given(SEEDS)
@settings(max_examples=examples(8))
def test_every_cell_that_is_offered_leaves_everyone_enough(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    lower, upper = -rng.uniform(0, 2, n), rng.uniform(0.5, 3, n)
    if seed % 2:
        lower, upper = np.zeros(n), np.ones(n)
    keep = (upper - lower) * rng.choice([0.1, 0.2, 0.5])
    auditor, data, told = Auditor(lower, upper, keep=keep, step=0), rng.uniform(lower, upper), list[Told]()
    for _ in range(6):
        members, error = some_members(rng, n), float(rng.choice([0.05, 0.1, 0.3]))
        new = auditor.price(members, "sum", error=error).bits > 0
        cells = auditor.offer(members, "sum", error=error)
        assert all(b[0] <= a[1] <= math.nextafter(math.nextafter(b[0], math.inf), math.inf) for a, b in pairwise(cells))
        for cell in cells if new else []:
            left = intervals_left(lower, upper, [*told, (members, cell)])
            assert (left[:, 1] - left[:, 0] >= keep - 1e-9).all()
        reply = auditor.ask(members, "sum", error=error, data=data)
        assert reply.cells == cells and reply.cell in cells
        assert reply.cell[0] - 1e-12 <= data[members].sum() <= reply.cell[1] + 1e-12
        assert reply.bits == (math.log2(len(cells)) if new else 0)
        if reply.answer is not None:
            told.append((members, reply.cell))
            assert abs(reply.answer - data[members].sum()) <= reply.error + 1e-12
    exact, inner, outer = intervals_left(lower, upper, told), auditor.intervals(), auditor.intervals("outer")
    assert (inner[:, 1] - inner[:, 0] >= keep * (1 - 1e-12)).all()
    for near in (inner, outer):
        assert np.abs(near - exact).max() < 1e-4
    assert (inner[:, 0] >= exact[:, 0] - 1e-8).all() and (inner[:, 1] <= exact[:, 1] + 1e-8).all()
    assert (outer[:, 0] <= exact[:, 0] + 1e-8).all() and (outer[:, 1] >= exact[:, 1] - 1e-8).all()


def test_each_person_may_keep_another_length_within_other_bounds() -> None:
    lower, upper, keep = [0, -5, 100], [1, 5, 200], [0.5, 1, 3]
    auditor, data = Auditor(lower, upper, keep=keep, step=0), [0.5, 4.5, 120.0]
    told: list[Told] = []
    for members in ([0, 1, 2], [0, 1], [1, 2], [2], [1], [0]):
        reply = auditor.ask(members, "sum", error=0.5, data=data)
        if reply.answer is not None:
            told.append((members, reply.cell))
    left = intervals_left(lower, upper, told)
    assert len(told) >= 2
    assert (left[:, 1] - left[:, 0] >= np.array(keep) - 1e-9).all()


def test_known_people_take_part_and_have_nothing_to_keep() -> None:
    auditor = Auditor([3, 0, 0], [3, 1, 1], keep=[0, 0.2, 0.2], step=0)
    assert auditor.ask([0], "mean", error=0.1, data=[3, 0.2, 0.9]).cell == (3, 3)
    reply = auditor.ask([0, 1, 2], "sum", error=0.1, data=[3, 0.2, 0.9])
    assert reply.answer == pytest.approx(4.1, abs=reply.error)
    assert auditor.intervals()[0].tolist() == [3, 3]


def test_publicly_equal_people_are_one() -> None:
    """When the public knows x1 = x2, asking for one and for both is the same question; nobody falls below keep."""
    data = [0.37, 0.37, 0.8]
    auditor = Auditor([0, 0, 0], [1, 1, 1], keep=0.3, prior=[({0: 1, 1: -1}, 0, 0)], step=0)
    for members in ([0, 1], [0], [1], [0, 2], [1, 2], [0, 1, 2]):
        auditor.ask(members, "sum", error=0.02, data=data)
    inner = auditor.intervals()
    assert (inner[0] == inner[1]).all()
    assert (inner[:, 1] - inner[:, 0] >= 0.3).all()
    # Without the prior row the answers about 0 and 1 would single out their common value.
    blind = Auditor([0, 0, 0], [1, 1, 1], keep=0.3, step=0)
    reply = blind.ask([0, 1], "sum", error=0.02, data=data)
    assert reply.cell[1] - reply.cell[0] < 0.3


def test_whoever_follows_another_keeps_their_own_length() -> None:
    """x1 = 3 - 2 x0, so a length of 1.2 for person 1 takes 0.6 of person 0."""
    auditor = Auditor([0, 1], [1, 3], keep=[0.1, 1.2], prior=[({0: 2, 1: 1}, 3, 3)], step=0)
    auditor.ask([0], "mean", error=0.05, data=[0.25, 2.5])
    auditor.ask([1], "mean", error=0.05, data=[0.25, 2.5])
    inner = auditor.intervals()
    assert inner[1, 1] - inner[1, 0] >= 1.2
    assert inner[1] == pytest.approx(3 - 2 * inner[0, ::-1])


def test_a_public_total_counts() -> None:
    auditor = Auditor([0, 0, 0], [1, 1, 1], keep=0.3, prior=[({0: 1, 1: 1, 2: 1}, 1.5, 1.5)], step=0)
    told: list[Told] = [([0, 1, 2], (1.5, 1.5))]
    data = [0.5, 0.25, 0.75]
    for members in ([0, 1], [0], [1, 2], [2], [0, 2]):
        reply = auditor.ask(members, "sum", error=0.02, data=data)
        if reply.answer is not None:
            told.append((members, reply.cell))
    left = intervals_left([0] * 3, [1] * 3, told)
    assert len(told) > 1 and (left[:, 1] - left[:, 0] >= 0.3 - 1e-9).all()
    assert np.abs(auditor.intervals() - left).max() < 1e-4
    assert np.abs(auditor.intervals("outer") - left).max() < 1e-4
    assert auditor.witness().sum() == pytest.approx(1.5)
    copy = Auditor.from_dict(json.loads(json.dumps(auditor.to_dict())))
    assert copy.offer([0, 2], "sum", error=0.1) == auditor.offer([0, 2], "sum", error=0.1)


def test_a_public_inequality_counts() -> None:
    auditor = Auditor([0, 0], [10, 10], keep=1, prior=[({0: 1, 1: 1}, 0, 4)], step=0)
    assert auditor.offer([0, 1], "sum", error=1) == [(0, 2), (2, 4)]
    assert auditor.intervals("outer") == pytest.approx(np.array([[0, 4], [0, 4]]))


PEOPLE: dict[str, Any] = {"lower": [0, 0, 0], "upper": [1, 1, 1]}


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"lower": [0, 0]}, "one entry per person"),
        ({"lower": [], "upper": []}, "one entry per person"),
        ({"lower": [0, 0, 2]}, "exceeds upper for 1 people"),
        ({"lower": [0, 0, math.nan]}, "finite"),
        ({"upper": [1, 1, math.inf]}, "finite"),
        ({"upper": ["a", "b", "c"]}, "numbers"),
        ({"keep": -0.1}, "negative"),
        ({"keep": 1.5}, "longer than the range"),
        ({"keep": [0.1, 0.2]}, "one per person"),
        ({"keep": math.nan}, "finite"),
        ({"integral": True, "upper": [1, 1, 1.5]}, "whole-number bounds"),
        ({"prior": [({0: 1}, 1, 0)]}, "low <= high"),
        ({"prior": [({}, 0, 1)]}, "prior row"),
        ({"prior": [({7: 1}, 0, 1)]}, "index"),
        ({"prior": [(1, 2)]}, "prior row"),
        ({"prior": [({0: 1, 1: 1}, 5, 6)]}, "contradict"),
        ({"prior": [({0: 1}, 0.5, 0.5)]}, "gives? somebody's value away"),
        ({"prior": [({0: 1, 1: 1}, 1, 1), ({0: 1, 1: 1}, 0.5, 0.5)]}, "contradict"),
        ({"prior": [({0: 1, 1: 1}, 0.1, 0.12)]}, "less than keep"),
        ({"prior": [({0: 1, 1: 2, 2: 1}, 1, 1)], "integral": True, "keep": 1}, "two people only"),
    ],
)
def test_declarations_that_cannot_be(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match) as caught:
        Auditor(**{**PEOPLE, **wrong})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"members": []}, "empty"),
        ({"members": [0, 0]}, "twice"),
        ({"members": [0, 3]}, "out of range"),
        ({"members": [-1]}, "out of range"),
        ({"members": [0.5]}, "whole numbers"),
        ({"members": [True, False, True]}, "flatnonzero"),
        ({"members": [[0], [1]]}, "indices"),
        ({"error": 0}, "positive"),
        ({"error": -1}, "positive"),
        ({"error": math.nan}, "positive"),
        ({"error": math.inf}, "positive"),
        ({"error": "small"}, "positive"),
        ({"aggregate": "variance"}, "unknown aggregate 'variance'"),
        ({"aggregate": "count"}, "0/1 data"),
        ({"data": None}, "data are needed"),
        ({"data": [0.5, 0.5]}, "one value per person"),
        ({"data": [0.5, 0.5, math.nan]}, "finite"),
        ({"data": [0.5, 0.5, 7.25]}, "outside the declared bounds for 1 people"),
    ],
)
def test_questions_that_cannot_be_asked(wrong: dict[str, Any], match: str) -> None:
    auditor = Auditor(**PEOPLE)
    usual: dict[str, Any] = {"members": [0, 1], "aggregate": "mean", "error": 0.1, "data": [0.5, 0.5, 0.5]}
    with pytest.raises(InputError, match=match) as caught:
        auditor.ask(**{**usual, **wrong})
    assert "\n" not in str(caught.value) and "7.25" not in str(caught.value)
    assert auditor.bits == 0 and not auditor.to_dict()["records"]


@pytest.mark.parametrize("aggregate", ["max", "min", "quantile", "median"])
def test_disjunctions_are_refused_by_name(aggregate: str) -> None:
    """Trap 6: 'someone reaches it' is not a slab."""
    with pytest.raises(InputError, match=f"'{aggregate}' is not audited"):
        Auditor(**PEOPLE).offer([0, 1], aggregate, error=0.1)


def test_changed_data_and_broken_prior_rows_are_noticed() -> None:
    auditor = Auditor(np.zeros(4), np.ones(4), keep=0.1, step=0)
    auditor.ask([0, 1, 2, 3], "mean", error=0.05, data=[0.1, 0.1, 0.1, 0.1])
    for members in ([0, 1, 2], [0, 1, 2, 3]):
        with pytest.raises(InputError, match="a new data set"):
            auditor.ask(members, "mean", error=0.01, data=[0.9, 0.9, 0.9, 0.9])
    with pytest.raises(InputError, match="prior row"):
        Auditor([0, 0], [1, 1], prior=[({0: 1, 1: -1}, 0, 0)]).ask([0], "mean", error=0.1, data=[0.2, 0.4])
    with pytest.raises(InputError, match="side"):
        auditor.intervals("middle")  # type: ignore[arg-type]


def test_the_number_of_cells_has_a_limit() -> None:
    """A finer question is answered as finely as it goes, and says so."""
    auditor = Auditor(np.zeros(50), np.ones(50), keep=0.2, step=0)
    reply = auditor.ask(range(50), "mean", error=1e-12, data=np.full(50, 0.3))
    assert 50_000 < len(reply.cells) <= 100_000
    assert reply.answer == pytest.approx(0.3, abs=reply.error) and reply.error < 1e-5


def concave_lengths(seed: int) -> Callable[[int, int], bool]:
    """Lengths that are jointly concave in the ends of a cell and grow with it, as the lemma says, and what is needed."""
    rng = np.random.default_rng(seed)
    planes = rng.uniform([0, 0, -20], [2, 2, 20], (3, 3))
    need = rng.uniform(-5, 30)
    return lambda i, j: bool((planes @ [j, -i, 1]).min() >= need)


@given(st.integers(1, 80), SEEDS)
def test_merged_cells_are_safe(parts: int, seed: int) -> None:
    safe = concave_lengths(seed)
    cuts = merge(parts, safe)
    assert cuts[0] == 0 and cuts[-1] == parts and all(a < b for a, b in pairwise(cuts))
    if len(cuts) > 2:
        assert all(safe(i, j) for i, j in pairwise(cuts))


def test_merged_cells_are_nearly_as_many_as_can_be() -> None:
    """On average; tests are limited, so that in single cases more is merged than need be."""
    shares = []
    for seed in range(400):
        safe, parts = concave_lengths(seed), 1 + seed % 80
        greedy = [0]
        for j in range(1, parts + 1):
            if safe(greedy[-1], j):
                greedy.append(j)
        if len(greedy) > 2:
            shares.append((len(merge(parts, safe)) - 1) / (len(greedy) - 1))
    assert len(shares) > 100
    assert np.mean(shares) > 0.95


def test_the_last_cell_is_closed() -> None:
    """Trap 4: a half-open last cell at v would be a corner of its own, everybody's value in it known."""
    auditor = Auditor(np.zeros(5), np.ones(5), keep=0.2, step=0)
    cells = auditor.offer(range(5), "sum", error=0.25)
    assert (cells[0][0], cells[-1][1]) == (0, 5)
    reply = auditor.ask(range(5), "sum", error=0.25, data=np.ones(5))
    assert reply.cell == cells[-1] and reply.cell[0] < 5
    inner = auditor.intervals()
    assert (inner[:, 1] - inner[:, 0] >= 0.2).all()


def test_ends_that_are_open_hold_no_witness_and_slabs_only_shrink() -> None:
    people = People.declare(np.zeros(2), np.ones(2), np.zeros(2), Fraction(0), [])
    unit = 1 / people.unit
    system = System.start(people).cut(np.ones(1), Fraction(0), unit, closed=False)
    assert (system.floor[0], system.ceiling[0]) == (0, float(unit) - 1)
    closed = System.start(people).cut(np.ones(1), Fraction(1, 2), unit, closed=True)
    assert (closed.floor[0], closed.ceiling[0]) == (1, float(unit))
    wider = closed.tighten(0, Fraction(-5), 2 * unit, closed=True)
    assert (wider.floor[0], wider.ceiling[0]) == (1, float(unit)) and wider.ends == closed.ends


def test_cells_find_exactly_and_survive_json() -> None:
    cells = Cells(Fraction(1, 3), Fraction(7, 3), 6, (0, 2, 3, 6))
    assert [cells.find(Fraction(v)) for v in (Fraction(1, 3), Fraction(1), Fraction(4, 3), Fraction(7, 3))] == [
        0,
        1,
        2,
        2,
    ]
    assert cells.find(Fraction(1) - Fraction(1, 10**30)) == 0 and cells.find(Fraction(3)) is None
    assert Cells.from_dict(json.loads(json.dumps(cells.to_dict()))) == cells
    whole = Cells(Fraction(2), Fraction(9), 8, (0, 3, 8), step=Fraction(1))
    assert [whole.find(Fraction(v)) for v in (2, 4, 5, 9)] == [0, 0, 1, 1]
    assert whole.listed(1) == [(2, 4), (5, 9)]


@given(st.lists(st.floats(-1e9, 1e9), max_size=30))
def test_sums_are_exact(values: list[float]) -> None:
    assert exact_sum(np.array(values)) == sum((Fraction(v) for v in values), Fraction(0))
