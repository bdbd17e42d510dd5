"""`coarsest`: no cell that a search may make is coarser than its column allows, and none that is as fine is forbidden."""

from __future__ import annotations

import datetime as dt
from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.columns import UNITS, Axis, ColumnType, Hierarchy, axis_of
from discreet.errors import InputError
from discreet.search.tables._coded_table import engine_column
from discreet.search.tables._columns import SLACK

DAYS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}


def spans(axis: Axis) -> list[tuple[int, int, bool]]:
    """Every cell of a line, by its first and its last code, and whether the search may make it."""
    column = engine_column(axis)
    pairs = list(combinations_with_replacement(range(axis.size), 2))
    return [(i, j, bool(column.spans(i, j) <= column.most + SLACK)) for i, j in pairs]


@given(
    st.lists(st.integers(-300, 300), min_size=2, max_size=25, unique=True),
    st.sampled_from([1, 2, 5, 7, 10]),
    st.integers(1, 60),
)
def test_bands_of_whole_numbers(values: list[int], band: int, times: int) -> None:
    limit = band + times
    axis = axis_of("age", sorted(values), ColumnType("number", band=band, coarsest=limit))
    for i, j, allowed in spans(axis):
        low, high = axis.cell((i, j)).low, axis.cell((i, j)).high
        assert (low % band, high % band) == (0, band - 1)
        assert allowed == (high - low + 1 <= limit)  # so many ages, first and last included


@given(
    st.lists(st.integers(-3000, 3000), min_size=2, max_size=25, unique=True),
    st.sampled_from([0.1, 0.5, 2.5]),
    st.integers(1, 40),
)
def test_bands_of_decimals(values: list[int], band: float, times: int) -> None:
    axis = axis_of("dose", sorted(v / 100 for v in values), ColumnType("number", band=band, coarsest=band * times))
    for i, j, allowed in spans(axis):
        cell = axis.cell((i, j))
        assert allowed == (round((cell.high - cell.low) / band) <= times)


@given(st.lists(st.integers(0, 500), min_size=2, max_size=25, unique=True), st.integers(1, 60))
def test_numbers_without_bands(values: list[int], limit: int) -> None:
    axis = axis_of("age", sorted(values), ColumnType("number", coarsest=limit))
    for i, j, allowed in spans(axis):
        assert allowed == (axis.cell((i, j)).high - axis.cell((i, j)).low <= limit)


@given(
    st.lists(st.dates(dt.date(2019, 1, 1), dt.date(2026, 12, 31)), min_size=2, max_size=25, unique=True),
    st.sampled_from([None, *UNITS[1:]]),
    st.sampled_from(UNITS[1:]),
)
def test_calendars_of_days(days: list[dt.date], band: str | None, limit: str) -> None:
    if band is not None and UNITS.index(band) > UNITS.index(limit):
        return
    axis = axis_of("day", sorted(days), ColumnType("date", band=band, coarsest=limit))
    for i, j, allowed in spans(axis):
        first, last = axis.cell((i, j)).low, axis.cell((i, j)).high
        assert allowed == ((last - first).days + 1 <= DAYS[limit])
        if band in ("month", "quarter") and limit != "year":
            months = 12 * (last.year - first.year) + last.month - first.month + 1
            assert allowed == (months <= {"month": 1, "quarter": 3}[limit])


@given(
    st.lists(st.integers(0, 5000), min_size=2, max_size=25, unique=True),
    st.sampled_from([None, "hour", "day", "month"]),
    st.sampled_from(["hour", "day", "week", "month", "quarter"]),
)
def test_calendars_of_moments(hours: list[int], band: str | None, limit: str) -> None:
    if band is not None and UNITS.index(band) > UNITS.index(limit):
        return
    start = dt.datetime(2023, 12, 27, 0, 30)
    moments = [start + dt.timedelta(hours=hour) for hour in sorted(hours)]
    axis = axis_of("at", moments, ColumnType("date", band=band, coarsest=limit))
    for i, j, allowed in spans(axis):
        first, last = axis.cell((i, j)).low, axis.cell((i, j)).high
        assert allowed == (last - first <= dt.timedelta(days=DAYS[limit]))


@given(st.integers(2, 9), st.integers(1, 9))
def test_ranks(ranks: int, limit: int) -> None:
    order = tuple("abcdefghi"[:ranks])
    axis = axis_of("pain", list(order), ColumnType("ordered", order=order, coarsest=limit))
    for i, j, allowed in spans(axis):
        assert allowed == (j - i + 1 <= limit)


@pytest.mark.parametrize("limit", [1, 5, 15, 16, 20, 400])
def test_a_cell_that_says_nothing_keeps_no_limit(limit: int) -> None:
    axis = axis_of("age", [20, 22, 30, 35, None], ColumnType("number", coarsest=limit))
    allowed = {(i, j) for i, j, is_allowed in spans(axis) if is_allowed}
    assert (4, 4) in allowed
    assert not any(i < j == 4 for i, j in allowed)
    assert ((0, 3) in allowed) == (limit >= 15)


def test_a_limit_is_reached_and_not_passed() -> None:
    ages = {"age": [*range(15, 55), *range(15, 55)]}
    types = {"age": ColumnType("number", band=5, coarsest=20)}
    found = dc.generalise(ages, "age", require="n>=40", types=types, time_limit=0.5)
    assert set(found.release()["age"]) == {"15–34", "35–54"}
    days = {"day": [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(0, 364, 2)] * 2}
    types = {"day": ColumnType("date", band="month", coarsest="quarter")}
    cells = set(dc.generalise(days, "day", require="n>=80", types=types, time_limit=0.5).release()["day"])
    assert cells == {"2024-01 to 2024-03", "2024-04 to 2024-06", "2024-07 to 2024-09", "2024-10 to 2024-12"}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (ColumnType("number", band=5, coarsest=3), "finest cell, 5, is coarser than its coarsest, 3"),
        (ColumnType("date", band="month", coarsest="week"), "finest cell, month, is coarser than its coarsest, week"),
        (ColumnType("code", band=1, coarsest=2), "finest cell, 1, is coarser than its coarsest, 2"),
        (
            ColumnType("hierarchy", band=2, coarsest=1, hierarchy=Hierarchy.parse("a;b;c;*\nd;e;c;*")),
            "finest cell, 2, is coarser than its coarsest, 1",
        ),
    ],
)
def test_a_band_past_its_limit_is_refused(kind: ColumnType, words: str) -> None:
    with pytest.raises(InputError, match=words):
        kind.checked("x")


# ---------------------------------------------------------------------- trees


def tree_cells(axis: Any) -> list[tuple[str, bool]]:
    """Every node of a tree that stands above two leaves, and whether the search may make a cell of it."""
    column = engine_column(axis)
    pairs = combinations_with_replacement(range(axis.size), 2)
    return [(axis.cell((i, j)).text, bool(column.spans(i, j) <= column.most + SLACK)) for i, j in pairs]


@given(st.lists(st.text("123", min_size=3, max_size=3), min_size=2, max_size=15, unique=True), st.integers(1, 3))
def test_characters_of_codes_that_must_stay(codes: list[str], limit: int) -> None:
    """Whatever share of the column a short prefix has."""
    axis = axis_of("zip", sorted(codes), ColumnType("code", coarsest=limit))
    for cell, allowed in tree_cells(axis):
        assert allowed == (len(cell.rstrip("*")) >= limit), cell


@pytest.mark.parametrize(
    ("band", "limit"), [(None, None), (None, 1), (None, 2), (None, 3), (1, 1), (1, 2), (2, 2), (1, 3)]
)
def test_levels_of_a_hierarchy(band: int | None, limit: int | None) -> None:
    """A small branch is no reason to go up a level that a large one may not."""
    lines = [f"a{i};big;left;*" for i in range(9)] + ["b;small;right;*", "c;other;right;*", "d;third;right;*"]
    tree = Hierarchy.parse("\n".join(lines))
    leaves = sorted(tree.paths)
    axis = axis_of("town", leaves, ColumnType("hierarchy", hierarchy=tree, band=band, coarsest=limit))
    level = {node: i for path in tree.paths.values() for i, node in enumerate(path)}
    for cell, allowed in tree_cells(axis):
        assert allowed == (level[cell] <= (limit or 3)), cell
