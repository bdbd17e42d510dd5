"""Sums with weights that everybody knows: audited as what they are, linear questions."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from discreet.errors import InputError
from discreet.queries import Auditor

N = 6


def left(rows: list[Any], ends: list[tuple[float, float]], upper: Any, *, whole: bool) -> Any:
    """What linear or integer programs over all that was told leave to each person; independent of the auditor."""
    n, out = len(upper), []
    table = LinearConstraint(np.array(rows), np.array(ends)[:, 0] - 1e-9, np.array(ends)[:, 1] + 1e-9)
    for person in range(n):
        found = []
        for sign in (1, -1):
            cost = np.zeros(n)
            cost[person] = sign
            solved = milp(cost, integrality=np.full(n, int(whole)), bounds=Bounds(0, upper), constraints=table)
            assert solved.fun is not None
            found.append(sign * float(solved.fun))
        out.append(found[1] - found[0])
    return np.array(out)


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True])
def test_an_adversary_who_chooses_the_weights_leaves_everybody_what_was_promised(whole: bool) -> None:
    """Powers of a large base would spell out every digit: 1 x1 + 20 x2 + 400 x3, and random ones."""
    rng = np.random.default_rng(2)
    keep, top, error = (3.0, 9, 0.4) if whole else (0.3, 1, 0.004)
    data: Any = rng.integers(0, 10, N) if whole else rng.random(N)
    auditor = Auditor(np.zeros(N), np.full(N, top), keep=keep, step=int(whole))
    rows, ends = [], []
    for turn in range(11):
        members = np.sort(rng.choice(N, rng.integers(1, N + 1), replace=False))
        weights = (
            rng.integers(-4, 9, len(members)) if turn % 3 else (6 if whole else 2) ** rng.permutation(4)[: len(members)]
        )
        members = members[: len(weights)]
        weights = np.where(weights == 0, 1, weights)
        reply = auditor.ask(members, "sum", error=error, data=data, weights=weights)
        assert reply.cell[0] - 1e-9 <= weights @ data[members] <= reply.cell[1] + 1e-9
        row = np.zeros(N)
        row[members] = weights
        rows.append(row)
        ends.append(reply.cell)
    assert sum(record.cuts for record in auditor.records) >= 4
    assert left(rows, ends, np.full(N, top), whole=whole).min() >= keep - 1e-6
    again = Auditor.from_dict(json.loads(json.dumps(auditor.to_dict())))
    assert again.intervals().tolist() == auditor.intervals().tolist()


def test_a_naive_reader_of_weights_is_exposed() -> None:
    """The same question without an audit: the cell of one weighted sum tells both values."""
    assert left([[1.0, 12.0]], [(62.6, 63.4)], [9, 9], whole=True).tolist() == [0, 0]
    auditor = Auditor([0, 0], [9, 9], keep=3, integral=True)
    reply = auditor.ask([0, 1], "sum", error=0.4, data=[3, 5], weights=[1, 12])
    assert left([[1.0, 12.0]], [reply.cell], [9, 9], whole=True).min() >= 3


def test_equal_weights_are_the_plain_question() -> None:
    data = np.array([0.25, 0.5, 0.75, 0.4])
    auditor = Auditor(np.zeros(4), np.ones(4), keep=0.2, step=0)
    plain = auditor.ask(range(4), "sum", error=0.25, data=data)
    twice = auditor.ask(range(4), "sum", error=0.5, data=data, weights=[2, 2, 2, 2])
    assert twice.bits == 0 and twice.cell == (2 * plain.cell[0], 2 * plain.cell[1])
    thirds: Any = [Fraction(1, 3), 0, 0, Fraction(2, 3)]
    some = auditor.ask(range(4), "mean", error=0.5, data=data, weights=thirds)
    assert some.cell[0] <= (data[0] + 2 * data[3]) / 3 / 4 <= some.cell[1]
    assert auditor.most_cells(range(4), "sum", error=0.5, weights=[1, 2, 3, 4]) == 11


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 2], "one entry per member"),
        ([0, 0, 0, 0], "all weights are 0"),
        ([1, 1, 1, np.nan], "weights must be finite"),
        (["a", "b", "c", "d"], "weights must be numbers"),
        ([1, 1, 1, 1.0000000001], "too unlike"),
        ([1, 1, 1, 1e9], "too unlike"),
    ],
)
def test_weights_that_are_refused(weights: Any, words: str) -> None:
    auditor = Auditor(np.zeros(4), np.ones(4), keep=0.2, step=0)
    with pytest.raises(InputError, match=words):
        auditor.offer(range(4), "sum", error=0.1, weights=weights)


def test_a_thousand_people_have_digits_left_for_weights() -> None:
    rng = np.random.default_rng(0)
    hours, data = rng.integers(1, 60, 1000), rng.random(1000)
    auditor = Auditor(np.zeros(1000), np.ones(1000), keep=0.2, step=0)
    reply = auditor.ask(range(1000), "sum", error=50, data=data, weights=hours)
    assert reply.answer is not None and reply.cell[0] <= hours @ data <= reply.cell[1]
    assert (np.diff(auditor.intervals())[:, 0] >= 0.2).all()
