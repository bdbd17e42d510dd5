"""Round labels: cuts and ends at numbers that people would choose, true of the same values."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.columns._rounding import Ends, cut_between
from discreet.release import Policy


def numbers_in(labels: list[str]) -> list[str]:
    return [number for label in labels for number in re.findall(r"[0-9.]+", label)]


def wages(rows: int = 400) -> dict[str, list[Any]]:
    rng = np.random.default_rng(4)
    return {
        "wage": (15 + 60 * rng.random(rows)).tolist(),
        "hours": rng.integers(10, 45, rows).tolist(),
        "seen": [dt.datetime(2024, 1, 1) + dt.timedelta(seconds=float(each)) for each in 3e7 * rng.random(rows)],
        "illness": [f"illness {i}" for i in rng.integers(0, 8, rows)],
    }


def test_one_column_has_round_labels() -> None:
    """Nobody reads 38.3819301848049–56.0793976728268."""
    table = wages()
    policy = dc.frontier(dc.Joint.from_table(table, "illness", "wage")).at(max_leakage=1.0)
    labels = [label for (label,) in policy.labels]
    assert len(labels) > 5
    assert max(map(len, numbers_in(labels))) <= 8  # 15.14 or 32.5, and more digits only between close neighbours
    assert not set(numbers_in(labels)) & set(map(repr, table["wage"]))
    assert policy.verify(policy.release(table), table).ok
    assert Policy.from_dict(policy.to_dict()).labels == policy.labels


def test_whole_tables_have_round_labels() -> None:
    table = wages()
    done = dc.generalise(table, ["wage", "hours", "seen"], ["illness"], ["n>=5"], time_limit=0.2)
    cells = [cell.text for cell in done.policy.boxes.cells[0]]
    spans = [cell for cell in cells if "–" in cell]
    assert len(spans) > 5
    assert max(map(len, numbers_in(spans))) <= 8  # 15.03, or 15.0313 between close neighbours
    assert not any(":" in cell.text for cell in done.policy.boxes.cells[2])  # moments by the day
    assert done.policy.verify(done.policy.release(table), table).ok
    assert done.bound is not None and done.bound <= done.loss


def test_what_a_wider_label_costs_is_counted() -> None:
    from discreet.columns import ColumnType, axis_of

    axis = axis_of("wage", [0.123456, 5.0, 10.123456], ColumnType("number"))
    cell = axis.cell((0, 1))
    assert cell.text == "0.12–5"
    assert cell.ncp == pytest.approx((5 - 0.12) / 10)
    alone = axis.cell((0, 0))
    assert (alone.text, alone.ncp) == ("0.123456", 0)
    limited = axis_of("wage", [0.123456, 5.0, 10.123456], ColumnType("number", coarsest=5))
    assert limited.cell((0, 1)).text == "0.123456–5"  # a limit is not overstepped for a round number


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (34, 37, 35),
        (1, 100, 50),
        (95, 105, 100),
        (7, 8, 8),
        (-30, 20, 0),
        (38.3819301848049, 56.0793976728268, 50.0),
        (38.381, 38.384, 38.382),
        (Decimal("1.27"), Decimal("1.42"), Decimal("1.35")),
        (dt.date(2023, 5, 1), dt.date(2024, 9, 1), dt.date(2024, 1, 1)),
        (dt.date(2024, 3, 20), dt.date(2024, 4, 10), dt.date(2024, 4, 1)),
        (dt.datetime(2024, 3, 1, 9, 12), dt.datetime(2024, 3, 1, 11, 3), dt.datetime(2024, 3, 1, 10)),
    ],
)
def test_cuts_people_would_choose(low: Any, high: Any, cut: Any) -> None:
    before, after = cut_between(low, high)
    assert after == cut
    assert low <= before and after <= high


numbers = st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9, allow_subnormal=False).filter(lambda x: x != int(x))
moments = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))
columns = st.one_of(
    st.lists(numbers, min_size=2, max_size=30, unique=True),
    st.lists(moments, min_size=2, max_size=30, unique=True),
    st.lists(st.dates(), min_size=2, max_size=30, unique=True),
)


@given(columns)
def test_every_value_stays_on_its_side_of_a_cut(column: list[Any]) -> None:
    ordered = sorted(column)
    for low, high in itertools.pairwise(ordered):
        before, after = cut_between(low, high)
        assert low <= before <= after <= high and low < after


@given(columns, st.data())
def test_ends_hold_the_same_values(column: list[Any], data: st.DataObject) -> None:
    ordered = sorted(column)
    first, last = sorted([data.draw(st.integers(0, len(ordered) - 1)) for _ in range(2)])
    start, end = Ends(ordered).around(ordered[first], ordered[last])
    assert [value for value in ordered if start <= value <= end] == ordered[first : last + 1]


@given(columns, st.data())
def test_a_policy_is_a_function_and_its_labels_tell_its_blocks(column: list[Any], data: st.DataObject) -> None:
    ordered = sorted(column)
    owner = data.draw(st.lists(st.integers(0, 3), min_size=len(ordered), max_size=len(ordered)))
    blocks = [[x for x, block in zip(ordered, owner, strict=True) if block == number] for number in sorted(set(owner))]
    rows = [{"s": s, "x": x} for x in ordered for s in (0, 1)]
    policy = Policy.from_blocks(dc.Joint.from_table(rows, "s", "x"), blocks)
    assert len(set(policy.labels)) == len(blocks)
    for number, block in enumerate(policy.blocks):
        for letter in block:
            assert policy.block_of(letter) == number
            line = policy._line
            assert line is None or line.block_at(letter) == number
    assert policy.verify(policy.release(rows), rows).ok
