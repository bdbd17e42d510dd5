"""Whole-number data: witnesses are whole numbers, and every cell is tested (AUDITOR.md, trap 3)."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.queries.auditor._answer_cells import Cells
from discreet.queries.auditor._auditor import Auditor
from discreet.queries.auditor._growing import Growing
from discreet.queries.auditor._integral_search import Cover, Search
from discreet.queries.auditor._people import People
from discreet.queries.auditor._whole_numbers import Integral
from discreet.queries.auditor._witnesses import kept, solo
from tests._oracles.transcripts import Told, intervals_left, whole_values_left
from tests.examples import examples

LINES = [(0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5)]


def both_values_possible(n: int, told: list[Told]) -> bool:
    left = whole_values_left(n, told)
    return bool(len(left)) and bool((np.ptp(left, axis=0) == 1).all())


def test_the_fano_plane_fools_linear_programs() -> None:
    """Seven triples in {0, 1}, then all eight in {2, 3}: every interval has length 1, yet x8 = 1 in every solution."""
    told: list[Told] = [*((line, (0, 1)) for line in LINES), (range(8), (2, 3))]
    left = intervals_left(np.zeros(8), np.ones(8), told)
    assert (left[:, 1] - left[:, 0] > 1 - 1e-9).all()
    assert set(whole_values_left(8, told)[:, 7]) == {1}


def test_whole_witnesses_are_not_fooled_by_the_fano_plane() -> None:
    """From that very history no cell with two or three is proven safe, and the last question tells nothing."""
    people = People.declare(np.zeros(8), np.ones(8), np.ones(8), Fraction(1), [])
    state = Integral.start(people)
    for line in LINES:
        row, key = people.sum_row(np.array(line)), repr(line).encode()
        prospect = state.prospect(row, key, Fraction(1, 2))
        state = state.after(prospect, key, Cells(Fraction(0), Fraction(3), 4, (0, 2, 4), step=Fraction(1)), 0)
    row = people.sum_row(np.arange(8))
    prospect = state.prospect(row, b"all", Fraction(1, 2))
    assert [prospect.low, prospect.high] == [Fraction(0), Fraction(3)]
    assert not Cover(Search(prospect), Fraction(0), Fraction(-1)).grow(Fraction(2), Fraction(3))
    assert Cover(Search(prospect), Fraction(0), Fraction(-1)).grow(Fraction(0), Fraction(1))
    assert len(state.cells(prospect, Fraction(1, 2))) == 1


def test_asking_the_fano_plane() -> None:
    data = np.array([1, 0, 0, 0, 0, 0, 0, 1])
    auditor, told = Auditor(np.zeros(8), np.ones(8), keep=1, integral=True), list[Told]()
    for members in [*LINES, tuple(range(8))]:
        reply = auditor.ask(members, "count", error=0.5, data=data)
        if reply.answer is not None:
            told.append((members, reply.cell))
        assert both_values_possible(8, told)
    assert len(told) >= 3
    assert (auditor.intervals() == [0, 1]).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=examples(15))
def test_every_cell_that_is_offered_leaves_everyone_both_values(seed: int) -> None:
    """And no cell is merged that trying every data set would have left alone."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    data = rng.integers(0, 2, n)
    auditor, told = Auditor(np.zeros(n), np.ones(n), keep=1, integral=True), list[Told]()
    for _ in range(8):
        mask = rng.random(n) < 0.5
        mask[rng.integers(n)] = True
        members, error = np.flatnonzero(mask), float(rng.choice([0.4, 0.5, 1.0]))
        new = auditor.price(members, "count", error=error).bits > 0
        cells = auditor.offer(members, "count", error=error)
        assert all(both_values_possible(n, [*told, (members, cell)]) for cell in cells if new)
        reply = auditor.ask(members, "count", error=error, data=data)
        assert reply.cell[0] <= data[members].sum() <= reply.cell[1]
        assert all(end == int(end) for end in reply.cell)
        assert reply.error == (reply.cell[1] - reply.cell[0]) / 2
        if reply.answer is not None:
            told.append((members, reply.cell))
        elif new or len(cells) == 1:
            low, high = (int(end) for end in reply.cell)
            middle = (low + high) // 2
            if high - low > 2 * error:
                halves = [(low, middle), (middle + 1, high)]
                assert not all(both_values_possible(n, [*told, (members, half)]) for half in halves) or error >= 0.5
    assert both_values_possible(n, told)
    assert (auditor.intervals() == [0, 1]).all() and (auditor.intervals("outer") == [0, 1]).all()


def test_a_witness_is_whole_and_gives_the_same_transcript() -> None:
    rng = np.random.default_rng(1)
    data = rng.integers(0, 2, 20)
    questions = [np.flatnonzero(rng.random(20) < 0.6) for _ in range(12)]
    auditor, replay = (Auditor(np.zeros(20), np.ones(20), keep=1, integral=True) for _ in range(2))
    replies = [auditor.ask(members, "count", error=1, data=data) for members in questions]
    other = auditor.witness()
    assert set(other.tolist()) <= {0.0, 1.0}
    assert [replay.ask(members, "count", error=1, data=other) for members in questions] == replies


def test_witnesses_that_are_carried_on_prove_everyone_safe() -> None:
    """Those of the cell that was told are kept, whatever was found in others."""
    rng = np.random.default_rng(7)
    data = rng.integers(0, 2, 80)
    auditor = Auditor(np.zeros(80), np.ones(80), keep=1, integral=True)
    for _ in range(8):
        auditor.ask(np.flatnonzero(rng.random(80) < 0.5), "mean", error=0.02, data=data)
        state = auditor._memory.engine
        assert isinstance(state, Integral)
        most, least = np.full(state.system.n, -np.inf), np.full(state.system.n, np.inf)
        for point in state.pool:
            found = solo(state.system, point)
            assert found is not None
            most, least = np.maximum(most, found[0]), np.minimum(least, found[1])
        assert (kept(state.system, most, least) >= state.system.need).all()


class Weighed:
    """A cover that is safe as soon as its cell weighs enough; it stands for one that looks for witnesses."""

    def __init__(self, weighing: Weighing) -> None:
        self.weighing, self.points = weighing, list[Any]()

    def grow(self, low: Fraction, high: Fraction) -> bool:
        self.weighing.tried.append((int(low), int(high)))
        return self.weighing.safe(int(low), int(high))


class Weighing:
    """A search in numbers that have weights, of which a cell needs some."""

    def __init__(self, weights: list[int], enough: int, middle: float) -> None:
        self.weights, self.enough, self.tried = weights, enough, list[tuple[int, int]]()
        self.middle = middle

    def cover(self) -> Weighed:
        return Weighed(self)

    def safe(self, low: int, high: int) -> bool:
        return sum(self.weights[low : high + 1]) >= self.enough


@given(
    st.lists(st.integers(0, 5), min_size=2, max_size=14),
    st.integers(1, 25),
    st.floats(0, 14),
    st.integers(1, 3),
)
def test_cells_grow_outwards_and_all_are_safe(weights: list[int], enough: int, middle: float, size: int) -> None:
    edges = [*range(0, len(weights), size), len(weights)]
    search = Weighing(weights, enough, middle)
    cuts = Growing(search, Fraction(0), edges).cuts()
    assert cuts[0] == 0 and cuts[-1] == len(weights) and cuts == sorted(set(cuts)) and set(cuts) <= set(edges)
    if len(cuts) > 2:
        assert all(search.safe(a, b - 1) for a, b in pairwise(cuts))
    else:
        assert not any(search.safe(0, e - 1) and search.safe(e, len(weights) - 1) for e in edges[1:-1])
    if len(edges) > 3:
        nearest = min(edges[1:-1], key=lambda e: (abs(e - middle), e))
        assert search.tried[0][0] == nearest


def test_wide_whole_numbers() -> None:
    """Ages between 0 and 9: two possible ages at least five apart."""
    rng = np.random.default_rng(2)
    data = rng.integers(0, 10, 6)
    auditor, told = Auditor(np.zeros(6), np.full(6, 9), keep=5, integral=True), list[Told]()
    for _ in range(8):
        members = np.flatnonzero(rng.random(6) < 0.7)
        reply = auditor.ask(members, "sum", error=1, data=data)
        if reply.answer is not None:
            told.append((members, reply.cell))
    inner = auditor.intervals()
    assert len(told) >= 3 and (inner[:, 1] - inner[:, 0] >= 5).all() and (inner == np.rint(inner)).all()
    left = intervals_left(np.zeros(6), np.full(6, 9.0), told)
    assert (inner[:, 0] >= left[:, 0] - 1e-6).all() and (inner[:, 1] <= left[:, 1] + 1e-6).all()


def test_means_of_0_1_data_have_cells_in_units_of_one_person() -> None:
    auditor = Auditor(np.zeros(10), np.ones(10), keep=1, integral=True)
    cells = auditor.offer(range(10), "mean", error=0.1)
    assert cells[0] == (0.0, 0.2)
    assert all(10 * end == pytest.approx(round(10 * end)) for cell in cells for end in cell)
    reply = auditor.ask(range(10), "mean", error=0.1, data=[1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    assert reply.error <= 0.1 and reply.bits == math.log2(len(cells))


def test_a_single_person_is_never_told() -> None:
    auditor = Auditor(np.zeros(3), np.ones(3), keep=1, integral=True)
    for person in range(3):
        assert auditor.ask([person], "count", error=0.1, data=[1, 0, 1]).answer is None
    assert auditor.bits == 0


def test_publicly_equal_people_of_0_1_data() -> None:
    auditor = Auditor(np.zeros(4), np.ones(4), keep=1, integral=True, prior=[({0: 1, 1: -1}, 0, 0)])
    told: list[Told] = []
    for members in ([0, 1], [0, 2], [1, 2, 3], [0, 1, 2, 3]):
        reply = auditor.ask(members, "count", error=0.4, data=[1, 1, 0, 1])
        if reply.answer is not None:
            told.append((members, reply.cell))
    left = whole_values_left(4, told)
    left = left[left[:, 0] == left[:, 1]]
    assert (np.ptp(left, axis=0) == 1).all()


def test_data_that_are_not_whole_are_refused() -> None:
    auditor = Auditor(np.zeros(3), np.ones(3), keep=1, integral=True)
    with pytest.raises(InputError, match=r"not whole numbers .* for 1 people"):
        auditor.ask([0, 1], "count", error=1, data=[0, 0.5, 1])
