"""Axes: what a coarse cell of a typed column says and costs, and which values it is true of."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.columns import Axis, ColumnType, Hierarchy, axis_of
from discreet.columns._boxes import Boxes
from discreet.errors import ColumnError, InputError

TOWNS = Hierarchy.parse("Lyon;France;Europe;*\nParis;France;Europe;*\nTurin;Italy;Europe;*\nKyoto;Japan;Asia;*\n")


def cell_of(axis: Axis, *values: Any) -> tuple[str, float]:
    codes = sorted({int(axis.code_of[axis.labels.index(value)]) for value in values})
    cell = axis.cell(tuple(codes))
    assert all(cell.holds(value) for value in values)
    return cell.text, round(cell.ncp, 4)


def test_numbers_say_their_hull() -> None:
    axis = axis_of("age", [17, 20, 25, 37], ColumnType("number"))
    assert cell_of(axis, 20) == ("20", 0.0)
    assert cell_of(axis, 17, 25) == ("17–25", 0.4)
    assert cell_of(axis, 17, 25, 37) == ("17–37", 1.0)


def test_numbers_in_bands_people_know() -> None:
    axis = axis_of("age", [17, 19, 23, 90], ColumnType("number", band=5))
    assert cell_of(axis, 17, 19) == ("15–19", round(4 / 73, 4))
    assert cell_of(axis, 17, 23) == ("15–24", round(9 / 73, 4))
    halves = axis_of("dose", [0.25, 1.5], ColumnType("number", band=0.5))
    assert cell_of(halves, 0.25) == ("0–0.5", round(0.5 / 1.25, 4))


def test_negative_numbers() -> None:
    axis = axis_of("t", [-5, -2, 3], ColumnType("number"))
    assert cell_of(axis, -5, -2) == ("-5 to -2", 0.375)


@pytest.mark.parametrize(
    ("band", "text"),
    [
        (None, "2024-01-31 to 2024-02-03"),
        ("week", "2024-W05"),
        ("month", "2024-01 to 2024-02"),
        ("quarter", "2024-Q1"),
        ("year", "2024"),
    ],
)
def test_dates_in_calendars(band: str | None, text: str) -> None:
    days = [dt.date(2024, 1, 31), dt.date(2024, 2, 3), dt.date(2025, 6, 1)]
    assert cell_of(axis_of("d", days, ColumnType("date", band=band)), *days[:2])[0] == text


def test_moments_by_the_hour() -> None:
    moments = [dt.datetime(2024, 1, 1, 9, 15), dt.datetime(2024, 1, 1, 9, 45), dt.datetime(2024, 1, 3)]
    assert cell_of(axis_of("t", moments, ColumnType("date", band="hour")), *moments[:2])[0] == "2024-01-01 09h"


def test_codes_are_prefixes_and_never_numbers() -> None:
    axis = axis_of("zip", [10007, 10014, 10107, 20001], ColumnType("code"))
    assert cell_of(axis, 10007) == ("10007", 0.0)
    assert cell_of(axis, 10007, 10014) == ("100**", round(1 / 3, 4))
    assert cell_of(axis, 10014, 10107) == ("10***", round(2 / 3, 4))
    assert cell_of(axis, 10107, 20001) == ("*", 1.0)
    new = axis.cell((0, 1))
    assert new.holds(10099) and not new.holds(10107)  # a code never seen, under the same prefix


def test_codes_of_different_lengths() -> None:
    axis = axis_of("icd", ["A00", "A00.1", "A00.2", "B01"], ColumnType("code"))
    assert cell_of(axis, "A00.1", "A00.2") == ("A00*", round(2 / 3, 4))
    assert cell_of(axis, "A00") == ("A00", 0.0)


def test_codes_never_finer_than_their_band() -> None:
    axis = axis_of("zip", ["10007", "10014", "10107", "20001"], ColumnType("code", band=3))
    assert cell_of(axis, "10007") == ("100**", round(1 / 3, 4))
    assert cell_of(axis, "20001") == ("200**", 0.0)


def test_hierarchies_say_their_node() -> None:
    axis = axis_of("town", ["Kyoto", "Lyon", "Paris"], ColumnType("hierarchy", hierarchy=TOWNS))
    assert cell_of(axis, "Lyon") == ("Lyon", 0.0)
    assert cell_of(axis, "Lyon", "Paris") == ("France", round(1 / 3, 4))
    assert cell_of(axis, "Lyon", "Kyoto") == ("*", 1.0)  # leaves that do not occur count too


def test_ordered_categories_by_rank() -> None:
    kind = ColumnType("ordered", order=("none", "mild", "moderate", "severe"))
    axis = axis_of("pain", ["mild", "none", "severe"], kind)
    assert cell_of(axis, "none", "mild") == ("none–mild", round(1 / 3, 4))
    assert cell_of(axis, "mild", "severe") == ("mild–severe", round(2 / 3, 4))


def test_free_categories_are_sets() -> None:
    axis = axis_of("job", ["cook", "driver", "nurse"], ColumnType("category"))
    assert cell_of(axis, "nurse", "cook") == ("{cook, nurse}", 0.5)


@pytest.mark.parametrize(
    ("labels", "kind", "alone", "mixed"),
    [
        ([1, 5, None], ColumnType("number"), "missing", ("*", 1.0)),
        (["a1", "a2", None], ColumnType("code"), "missing", ("*", 1.0)),
        (["Lyon", "Paris", None], ColumnType("hierarchy", hierarchy=TOWNS), "missing", ("*", 1.0)),
        (["a", "b", None], ColumnType("category"), "missing", ("{a, missing}", 0.5)),
    ],
)
def test_missing_is_a_level_of_its_own(
    labels: list[Any], kind: ColumnType, alone: str, mixed: tuple[str, float]
) -> None:
    axis = axis_of("x", labels, kind)
    assert cell_of(axis, None) == (alone, 0.0)
    assert cell_of(axis, labels[0], None) == mixed


def test_limits_are_shares_of_the_column() -> None:
    assert axis_of("age", [0, 100], ColumnType("number", coarsest=20)).limit == 0.2
    assert (
        axis_of("d", [dt.date(2024, 1, 1), dt.date(2025, 1, 1)], ColumnType("date", coarsest="month")).limit == 31 / 366
    )
    assert axis_of("zip", ["100", "101", "200"], ColumnType("code", coarsest=1)).limit == 0.5
    towns = axis_of("town", ["Lyon"], ColumnType("hierarchy", hierarchy=TOWNS, coarsest=1))
    assert towns.limit == pytest.approx(1 / 3)
    assert axis_of("job", ["a", "b", "c"], ColumnType("category", coarsest=2)).limit == 0.5


@pytest.mark.parametrize(
    ("labels", "kind", "words"),
    [
        (["x", 1], ColumnType("number"), "1 of its 2 values are none"),
        ([dt.date(2024, 1, 1), "soon"], ColumnType("date"), "1 of its 2 different values is none"),
        (["Rome"], ColumnType("hierarchy", hierarchy=TOWNS), "no leaf of the hierarchy, 'Rome' first"),
        (["low", "high"], ColumnType("ordered", order=("low",)), "lacks 1 of 2 categories, 'high' first"),
        (["a"], ColumnType("hierarchy"), "needs its file"),
        (["a"], ColumnType("ordered"), "need their order"),
        ([1], ColumnType("number", band="month"), "a number above 0"),
        ([1], ColumnType("date", band=3), "one of"),
        ([1], ColumnType("number", weight=-1), "below 0"),
        ([1], ColumnType("number", band=5, fixed=True), "left as it is, and to be coarsened"),
    ],
)
def test_what_does_not_fit_is_one_line(labels: list[Any], kind: ColumnType, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        axis_of("x", labels, kind)
    assert "'x'" in str(caught.value) and "\n" not in str(caught.value)


def test_one_name_for_two_nodes_is_refused() -> None:
    tree = Hierarchy.parse("a;other;left;*\nb;left;left;*\nc;other2;right;*\nd;other2;right;*\ne;right;right;*\n")
    with pytest.raises(ColumnError, match="stands for two different nodes"):
        axis_of("x", ["a", "b"], ColumnType("hierarchy", hierarchy=tree))


@st.composite
def typed_columns(draw: st.DrawFn) -> Axis:
    kind = draw(st.sampled_from(["number", "banded", "code", "category", "hierarchy"]))
    if kind in ("number", "banded"):
        labels: list[Any] = sorted(draw(st.sets(st.integers(-50, 50), min_size=2, max_size=9)))
        column = ColumnType("number", band=draw(st.sampled_from([2, 5, 7])) if kind == "banded" else None)
    elif kind == "hierarchy":
        labels, column = sorted(TOWNS.paths), ColumnType("hierarchy", hierarchy=TOWNS)
    else:
        labels = sorted(draw(st.sets(st.text("ab1", min_size=1, max_size=4), min_size=2, max_size=9)))
        column = ColumnType(kind)  # type: ignore[arg-type]
    if draw(st.booleans()):
        labels.append(None)
    return axis_of("x", labels, column)


@given(typed_columns(), st.data())
def test_cells_are_true_and_grow_with_their_groups(axis: Axis, data: st.DataObject) -> None:
    some = data.draw(st.sets(st.sampled_from(range(len(axis.labels))), min_size=1))
    more = some | data.draw(st.sets(st.sampled_from(range(len(axis.labels)))))
    small, large = (axis.cell(tuple(sorted({int(axis.code_of[i]) for i in group}))) for group in (some, more))
    assert all(small.holds(axis.labels[i]) for i in some)
    assert all(large.holds(axis.labels[i]) for i in more)
    assert 0 <= small.ncp <= large.ncp <= 1


@given(st.lists(typed_columns(), min_size=1, max_size=3), st.data())
def test_boxes_hold_their_letters(axes: list[Axis], data: st.DataObject) -> None:
    letters = np.array([[data.draw(st.integers(0, len(axis.labels) - 1)) for axis in axes] for _ in range(6)])
    codes = np.stack([axis.code_of[letters[:, c]] for c, axis in enumerate(axes)], axis=1)
    group_of = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=6, max_size=6)))
    used = {group: i for i, group in enumerate(sorted(set(group_of[group_of >= 0].tolist())))}
    group_of = np.array([used.get(group, -1) for group in group_of.tolist()])
    if not used:
        return
    boxes, number = Boxes.of_groups(axes, codes, group_of).merged()
    for letter, group in zip(letters, group_of.tolist(), strict=True):
        if group >= 0:
            ids = boxes.ids[number[group]]
            cells = [boxes.cells[c][i] for c, i in enumerate(ids.tolist())]
            assert all(cell.holds(axis.labels[v]) for cell, axis, v in zip(cells, axes, letter.tolist(), strict=True))
    weights = np.ones(len(axes)) / len(axes)
    found = boxes.holding([axis.labels for axis in axes], letters, weights)
    inside = group_of >= 0
    assert (found[inside] >= 0).all()  # at least its own box is true of it
    cost = boxes.ncp @ weights
    assert (cost[found[inside]] <= cost[number[group_of[inside]]] + 1e-12).all()
