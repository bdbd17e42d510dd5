"""Every released cell of texts is true of its row, read by code that shares nothing with what writes it."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet import Joint, Policy
from discreet.columns import ColumnType, Hierarchy, axis_of
from discreet.errors import ColumnError
from discreet.tables._bands import Band
from discreet.tables._labels import order_key
from tests._oracles.released_cells import Item, read
from tests.columns.test_names import TEXTS

CODES = st.one_of(
    TEXTS, st.text("12-. *", max_size=5), st.sampled_from(["A01", "A01.1", "A01.2", "A01-", "em", "\\x", "\\x07"])
)


def is_true(cell: str, value: str | None) -> bool:
    return any(item.holds(value) for item in read(cell))


@pytest.mark.parametrize("band", [None, 1, 2, 3])
@given(st.lists(st.one_of(CODES, st.none()), min_size=1, max_size=8, unique=True))
def test_prefixes_are_true_and_told_apart(band: int | None, values: list[str | None]) -> None:
    labels = sorted(values, key=order_key)
    axis = axis_of("x", labels, ColumnType("code", band=band))
    said: dict[str, frozenset[str | None]] = {}
    for i, j in combinations_with_replacement(range(axis.size), 2):
        cell = axis.cell((i, j))
        inside = [label for label, code in zip(labels, axis.code_of.tolist(), strict=True) if code in (i, j)]
        assert all(cell.holds(label) and is_true(cell.text, label) for label in inside), cell.text
        if band is not None and i == j:
            assert all(item.text is None or len(item.text) <= band for item in read(cell.text))
        holds = frozenset(label for label in labels if cell.holds(label))
        assert holds == {label for label in labels if is_true(cell.text, label)}
        assert said.setdefault(cell.text, holds) == holds


@given(st.lists(CODES, min_size=1, max_size=8, unique=True), st.integers(1, 3), st.data())
def test_bands_of_codes_are_true(values: list[str], size: int, data: st.DataObject) -> None:
    """One column, made coarser while it is counted."""
    band = Band("code", size)
    letters = sorted({band.of(value) for value in values})
    owner = data.draw(st.lists(st.integers(0, 2), min_size=len(letters), max_size=len(letters)))
    blocks: dict[int, list[str]] = {}
    for letter, block in zip(letters, owner, strict=True):
        blocks.setdefault(block, []).append(letter)
    members = tuple(map(tuple, blocks.values()))
    policy = Policy(("x",), ("s",), (), members, (None,) * len(members), "L0", {}, {}, bands={"x": band})
    assert len(set(policy.labels)) == len(policy.blocks)
    for value in values:
        number = policy.block_of(band.of(value))
        assert number is not None
        assert is_true(policy.labels[number][0], value)
        assert all(item.text is not None and len(item.text) <= size for item in read(policy.labels[number][0]))


def test_every_engine_cuts_codes_alike(tmp_path: Path) -> None:
    texts = ["", "a", "ab", "abc", "\x07\x08\t", "é\u0301x", "😀😀😀", "12*", "em", "empty text", None]
    table = {"x": texts * 2, "s": list(range(2 * len(texts)))}
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    here = Joint.from_table(table, "s", "x", coarsen={"x": "code:2"})
    assert here == Joint.from_table(tmp_path / "t.parquet", "s", "x", coarsen={"x": "code:2"})
    assert set(here.x) == {"", "a", "ab", "ab*", "\x07\x08*", "é\u0301*", "😀😀*", "12*", "em", "em*", None}


@settings(max_examples=12)
@given(
    st.lists(CODES, min_size=3, max_size=7, unique=True),
    st.sampled_from(
        [ColumnType("category"), ColumnType("code"), ColumnType("code", band=2), ColumnType("code", band=1)]
    ),
    st.booleans(),
)
def test_released_rows_are_true(values: list[str], kind: ColumnType, missing: bool) -> None:
    found: list[str | None] = [*values, *([None] if missing else [])]
    table = {"x": found * 4, "tag": [f"tag {i}" for i in range(len(found))] * 4}
    try:
        done = dc.generalise(table, "x", "tag", ["n>=6"], types={"x": kind}, time_limit=0.02)
    except ColumnError as refused:  # every text is blank, or the like
        pytest.fail(str(refused))
    rows = done.release(keep=["tag"])
    for cell, tag in zip(rows["x"], rows["tag"], strict=True):
        assert is_true(cell, found[int(tag.removeprefix("tag "))]), (cell, tag)


def test_what_the_issue_shows() -> None:
    axis = axis_of("x", ["", "\x07", "\x07\x07a", "abc"], ColumnType("code", band=2))
    assert [axis.cell((int(code),)).text for code in axis.code_of] == [
        "empty text",
        '"\\u0007"',
        '"\\u0007\\u0007"*',
        "ab*",
    ]


@pytest.mark.parametrize(
    ("codes", "band", "cells"),
    [
        (["123", "1234", "1235", "999"], 3, ["123*", "123*", "123*", "999"]),  # 123* is true of 123
        (["A01", "A01.1", "B1"], 3, ["A01*", "A01*", "B1"]),
        (["12-5", "12-6", "12x7"], None, ["12-5", "12-6", "12x7"]),
        (["-1", "-2", "3"], None, ["-1", "-2", "3"]),
        (["", "a", "ab"], 1, ["empty text", "a*", "a*"]),
    ],
)
def test_codes_that_begin_alike_are_no_two_nodes(codes: list[str], band: int | None, cells: list[str]) -> None:
    axis = axis_of("x", sorted(codes), ColumnType("code", band=band))
    assert [axis.cell((int(axis.code_of[axis.labels.index(code)]),)).text for code in codes] == cells


def test_a_prefix_ends_in_no_punctuation_where_it_need_not() -> None:
    icd = axis_of("x", ["A01", "A01.1", "A01.2", "B1"], ColumnType("code"))
    assert icd.cell((1, 2)).text == "A01*"
    mixed = axis_of("x", ["12-5", "12-6", "12x7"], ColumnType("code"))
    assert [mixed.cell((0, 1)).text, mixed.cell((0, 2)).text] == ["12-*", "12**"]


def test_hierarchies_are_looked_up_by_the_value_itself() -> None:
    tree = Hierarchy.parse("\\x07;some;*\nempty text;some;*\nb;other;*")
    with pytest.raises(ColumnError, match="2 of its 3 values are no leaf"):
        axis_of("x", ["", "\x07", "b"], ColumnType("hierarchy", hierarchy=tree))


def test_a_placeholder_is_no_value() -> None:
    assert read("empty text") == {Item("")}
    axis = axis_of("x", ["", "empty text", "empty"], ColumnType("code"))
    texts = [axis.cell((int(code),)).text for code in axis.code_of]
    assert texts == ["empty text", '"empty text"', "empty"]
    assert not axis.cell((int(axis.code_of[1]), int(axis.code_of[2]))).holds("")
