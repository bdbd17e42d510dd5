"""Recorded steps: values lie on a lattice that everybody knows (AUDITOR.md, trap 8)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.queries import Auditor
from discreet.queries.auditor._lattices import Lattice, around, ceiling, decimal, floor, lattice_of
from tests._oracles.transcripts import Told, intervals_left, recorded_values_left

HEIGHTS = np.random.default_rng(5).normal(172, 9, 20).round(1)


def attacked(auditor: Auditor, data: Any, questions: int, error: float) -> list[Told]:
    """Sums of about half the people, asked so finely that a cell is narrower than a step."""
    rng, told, n = np.random.default_rng(8), list[Told](), len(data)
    for _ in range(questions):
        members = np.sort(rng.choice(n, rng.integers(n // 3, 3 * n // 4 + 1), replace=False))
        reply = auditor.ask(members, "sum", error=error, data=data)
        if reply.answer is not None:
            told.append((members, reply.cell))
    return told


def in_steps(told: list[Told], lower: float, step: float) -> list[Told]:
    return [(who, ((a - lower * len(who)) / step, (b - lower * len(who)) / step)) for who, (a, b) in told]


@pytest.mark.parametrize("step", [0, 0.1])
def test_narrow_sums_of_recorded_steps_are_equations(step: float) -> None:
    """An auditor of reals keeps real intervals as promised, and one data set on the lattice; one of steps keeps several."""
    lower, upper, keep = np.full(16, 100.0), np.full(16, 103.0), 0.3
    data = 100 + np.random.default_rng(3).integers(7, 22, 16) / 10
    auditor = Auditor(lower, upper, keep=keep, step=step)
    told = attacked(auditor, data, 15, error=0.04)
    assert len(told) > 10
    assert np.diff(intervals_left(lower, upper, told)).min() >= keep - 1e-9
    left = np.diff(recorded_values_left(30, 16, in_steps(told, 100, 0.1)))[:, 0]
    if not step:
        assert (left == 0).all()  # everybody's value is known
        return
    assert left.min() >= 3
    inner = auditor.intervals()
    assert (np.diff(inner) >= keep - 1e-9).all()
    assert (inner == inner.round(1)).all() and (auditor.witness() == auditor.witness().round(1)).all()


@pytest.mark.parametrize(
    ("data", "step"),
    [(HEIGHTS, "0.1"), (HEIGHTS.round(), "1"), (100 + np.arange(20) * 2.5, "2.5"), ([150.25, 160.5], "0.01")],
)
def test_steps_that_were_not_declared_are_refused_with_the_step_that_was_found(data: Any, step: str) -> None:
    n = len(data)
    with pytest.raises(InputError, match=f"declare step={step}, or step=0"):
        Auditor(np.full(n, 100), np.full(n, 250), keep=20).ask(range(n), "mean", error=5, data=data)
    for declared in (float(step), 0):
        reply = Auditor(np.full(n, 100), np.full(n, 250), keep=20, step=declared).ask(
            range(n), "mean", error=5, data=data
        )
        assert reply.cell[0] <= np.mean(data) <= reply.cell[1]


def test_reals_need_no_declaration() -> None:
    data = np.random.default_rng(0).uniform(100, 250, 5)
    assert Auditor(np.full(5, 100), np.full(5, 250), keep=20).ask(range(5), error=5, data=data).bits > 0
    assert lattice_of(data) is None and lattice_of(data[:1]) is None


def test_a_step_goes_through_a_transcript_and_whole_numbers_are_steps_of_one() -> None:
    whole, one = (Auditor(np.zeros(6), np.full(6, 9), keep=5, **said) for said in ({"integral": True}, {"step": 1}))
    tenth = Auditor(np.zeros(6), np.full(6, 0.9), keep=0.5, step=0.1)
    data = np.array([1, 5, 9, 0, 3, 3])
    for members in ([0, 1, 2], [2, 3, 4], [0, 5], [1]):
        replies = [each.ask(members, "sum", error=0.5, data=data) for each in (whole, one)]
        small = tenth.ask(members, "sum", error=0.05, data=data / 10)
        assert replies[0] == replies[1]
        assert small.cell == tuple(end / 10 for end in replies[0].cell) and small.bits == replies[0].bits
    again = Auditor.from_dict(tenth.to_dict())
    assert again.offer([3, 4], "sum", error=0.1) == tenth.offer([3, 4], "sum", error=0.1)
    assert (again.intervals() == tenth.intervals()).all()
    assert again.to_dict() == tenth.to_dict()


def test_a_lattice_begins_at_the_lower_bound() -> None:
    """Middles of age bands: 22.5, 27.5, …"""
    data = np.array([22.5, 27.5, 37.5, 62.5])
    auditor = Auditor(np.full(4, 17.5), np.full(4, 80), keep=10, step=5)
    assert auditor.offer([0], "sum", error=10)[-1][1] == 77.5
    assert auditor.ask(range(4), "sum", error=5, data=data).bits > 0
    with pytest.raises(InputError, match=r"lower \+ whole multiples of 5, as declared, for 4 people"):
        auditor.ask(range(3), "sum", error=5, data=data + 1)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"step": -1}, "step is a number"),
        ({"step": "often"}, "step is a number"),
        ({"step": float("nan")}, "step is a number"),
        ({"step": True}, "step is a number"),
        ({"step": 0.5, "integral": True}, "integral=True is step=1"),
        ({"step": 1e-13}, "step is too small"),
    ],
)
def test_steps_that_cannot_be(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        Auditor(np.zeros(3), np.ones(3), **wrong)


def test_equal_people_on_a_lattice() -> None:
    auditor = Auditor([100, 100.5, 100], [200, 200.5, 200], keep=20, step=0.5, prior=[({0: 1, 1: -1}, -0.5, -0.5)])
    data = [150, 150.5, 120.5]
    for members in ([0, 1], [0], [1], [0, 2]):
        auditor.ask(members, "sum", error=0.2, data=data)
    inner = auditor.intervals()
    assert (inner[1] - inner[0] == 0.5).all() and (np.diff(inner) >= 20).all()
    with pytest.raises(InputError, match="values that both can have"):
        Auditor([0, 0], [10, 10], keep=1, step=0.5, prior=[({0: 1, 1: -1}, 0.2, 0.2)])


def test_lattices() -> None:
    rng = np.random.default_rng(4)
    whole = rng.integers(0, 1000, 50).astype(float)
    for values, step, offset in (
        (whole * 100, 100, 0),
        (whole * 2.54, Fraction(254, 100), 0),
        (whole + 0.5, 1, Fraction(1, 2)),
        (np.full(30, 7.0), 1, 0),
    ):
        assert lattice_of(values) == Lattice(Fraction(step), Fraction(offset), 0)
    assert lattice_of(whole / 7) is None
    assert lattice_of(whole / 7, parts=100) == Lattice(Fraction(1, 7), Fraction(0), 0)
    assert lattice_of(np.array([*whole, 3.25]), mostly=0.9) == Lattice(Fraction(1), Fraction(0), 1)
    assert [decimal(Fraction(*x)) for x in ((1, 10), (100, 1), (1, 3))] == ["0.1", "100", "1/3"]


def test_ends_of_cells_are_rounded_outward() -> None:
    """Unless a float is written as the very decimal that is meant."""
    rng = np.random.default_rng(6)
    for _ in range(200):
        low = Fraction(int(rng.integers(1, 10**9)), int(rng.integers(1, 10**6)))
        high = low + Fraction(1, int(rng.integers(1, 1000)))
        assert Fraction(floor(low)) <= low and Fraction(ceiling(high)) >= high
        middle, error = around(low, high)
        assert Fraction(middle) - Fraction(error) <= low and Fraction(middle) + Fraction(error) >= high
    assert (floor(Fraction(3, 10)), ceiling(Fraction(1, 10))) == (0.3, 0.1)
    assert floor(Fraction(1, 3)) < 1 / 3 or Fraction(1 / 3) <= Fraction(1, 3)


def test_claimed_cells_hold_the_exact_sum() -> None:
    rng = np.random.default_rng(1)
    data = rng.uniform(-1, 1, 9)
    auditor = Auditor(np.full(9, -1 / 3), np.full(9, 1 / 3), keep=0.1, step=0)
    for _ in range(20):
        members = np.flatnonzero(rng.random(9) < 0.7)
        if len(members):
            reply = auditor.ask(members, "mean", error=0.01, data=data / 3)
            exact = sum(map(Fraction, (data / 3)[members].tolist()), Fraction(0)) / len(members)
            assert Fraction(reply.cell[0]) <= exact <= Fraction(reply.cell[1])
            middle = Fraction(reply.answer if reply.answer is not None else sum(reply.cell) / 2)
            assert abs(middle - exact) <= Fraction(reply.error) * (1 if reply.answer is not None else 2)


def test_nothing_is_a_negative_zero() -> None:
    """SQLite gives -0.0 back as 0.0, which the ledger would take for a changed row."""
    auditor = Auditor(np.zeros(8), np.ones(8), keep=1, integral=True)
    reply = auditor.ask(range(8), "count", error=0.4, data=np.arange(8) % 2)
    assert reply.error == 0 and not np.signbit([reply.error, *reply.cell, *np.ravel(reply.cells)]).any()
