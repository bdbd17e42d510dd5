"""Names of values in cells: ordinary ones as they are, and no two cells alike."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet import Joint, Policy
from discreet.columns import ColumnType, Hierarchy, axis_of
from discreet.columns._names import name, names_of
from discreet.errors import ColumnError
from discreet.tables._labels import order_key
from tests._oracles.released_cells import Item, read

ODD = [
    "",
    " ",
    "a",
    "b",
    "a, b",
    "{a, b}",
    "{a}",
    "missing",
    "empty text",
    "*",
    "a*",
    "a**",
    "a–b",
    "a or missing",
    "a (2)",
]
ODD += [
    '"a"',
    '"',
    'a"',
    '"a, b"',
    " a",
    "a ",
    "a\x07",
    "a\\x07",
    "a\\u0007",
    "a\n",
    "a\u200b",
    "a\u00a0",
    "a\ufe0f",
    "1",
    "1–3",
]
ODD += [
    "{a",
    "b}",
    ", ",
    ",",
    "{",
    "}",
    "1 to 3",
    "é",
    "e\u0301",
    "\u202eabc",
    "missing, a",
    "{missing, missing}",
    '{"a", b}',
]
TEXTS = st.one_of(
    st.sampled_from(ODD),
    st.text(st.sampled_from("ab ,{}–*\"\\'()2\x00\n\u200b\ufe0fé😀"), max_size=6),
    st.text(max_size=5),
)


@pytest.mark.parametrize(
    "value",
    ["a", "cook", "South Wales", "O'Hara", "b,c", 'd"e', "Some-college", "18-24", "A01.1", "M/F", "<=50K", "(none)", "x (b)",
     "9 to 5", "50 %", "a: b", "C:\\x", "naïve", "東京", "😀", "not missing", "or", "90210", 34, 1.5, 0.25, -3, True,
     dt.date(2024, 1, 31)],
)  # fmt: skip
def test_ordinary_values_are_written_as_they_are(value: Any) -> None:
    assert name(value) == str(value)
    assert names_of([value, "other", None])[value] == str(value)


@given(st.lists(st.one_of(TEXTS, st.none()), min_size=1, max_size=6, unique=True))
def test_a_set_tells_its_members_and_no_two_sets_are_alike(values: list[str | None]) -> None:
    labels = sorted(values, key=order_key)
    axis = axis_of("x", labels, ColumnType("category"))
    cells = {}
    for size in range(1, len(labels) + 1):
        for codes in combinations(range(len(labels)), size):
            cells[codes] = axis.cell(codes).text
            assert read(cells[codes]) == {Item(labels[code]) for code in codes}
    assert len(set(cells.values())) == len(cells)


MIXED = st.one_of(
    TEXTS,
    st.none(),
    st.integers(-2, 2),
    st.sampled_from([0.5, 1.1, Decimal("1.1"), (1, 2), (1, "2"), dt.date(2024, 1, 1), dt.timedelta(1), b"a", "b'a'"]),
    st.sampled_from(["1.1", "0.5", "2024-01-01", "1 day, 0:00:00", "1, 2", 'tuple"1, 2"', "2024-01-01 to 2024-01-02"]),
)


@given(st.lists(MIXED, min_size=1, max_size=12, unique=True))
def test_values_of_every_kind_are_told_apart(values: list[Any]) -> None:
    names = names_of(values)
    assert len(set(names.values())) == len(names)
    assert names == names_of(values[::-1])
    assert all(name.isprintable() for name in names.values())


def policy_of(letters: list[Any], owner: list[int]) -> Policy:
    blocks: dict[int, list[Any]] = {}
    for letter, block in sorted(zip(letters, owner, strict=True), key=lambda pair: order_key(pair[0])):
        blocks.setdefault(block, []).append(letter)
    members = tuple(map(tuple, blocks.values()))
    width = len(letters[0]) if isinstance(letters[0], tuple) else 1
    public = tuple(f"x{i}" for i in range(width))
    return Policy(public, ("s",), (), members, (None,) * len(members), "L0", {}, {})


@given(st.lists(st.one_of(TEXTS, st.none()), min_size=1, max_size=9, unique=True), st.data())
def test_blocks_of_one_column_tell_their_members(values: list[str | None], data: st.DataObject) -> None:
    owner = data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    policy = policy_of(values, owner)
    for block, (label,) in zip(policy.blocks, policy.labels, strict=True):
        if any(value is not None for value in block):
            assert read(label) == {Item(value) for value in block}
    assert len(set(policy.labels)) == len(policy.blocks)


@given(st.lists(st.tuples(TEXTS, st.one_of(TEXTS, st.none())), min_size=1, max_size=9, unique=True), st.data())
def test_blocks_of_several_columns_tell_their_members(values: list[tuple[str, ...]], data: st.DataObject) -> None:
    owner = data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    policy = policy_of(values, owner)
    for block, label in zip(policy.blocks, policy.labels, strict=True):
        for i, cell in enumerate(label):
            assert read(cell) == {Item(letter[i]) for letter in block}
    assert len(set(policy.labels)) == len(policy.blocks)


@given(st.lists(TEXTS.filter(bool), min_size=2, max_size=6, unique=True))
def test_ranks_are_told_apart(order: list[str]) -> None:
    axis = axis_of("x", [*sorted(order), None], ColumnType("ordered", order=tuple(order)))
    cells = [axis.cell((i, j)).text for i in range(len(order)) for j in range(i, len(order))]
    assert len({*cells, "missing", "*"}) == len(cells) + 2


def test_what_the_issue_shows() -> None:
    odd = axis_of("x", ["a", "b", "{a, b}", "missing", None], ColumnType("category"))
    assert odd.cell((2,)).text == '"{a, b}"'
    assert odd.cell((0, 1)).text == "{a, b}"
    assert odd.cell((3, 4)).text == '{"missing", missing}'
    same = policy_of(["x", "x\u200b", 1, "1"], [0, 0, 0, 0])
    assert same.labels == (('{1, "1", x, "x\\u200b"}',),)


def test_a_node_that_is_called_missing_is_no_missing_value() -> None:
    leaf = Hierarchy.parse("missing;some;*\nb;some;*\nc;other;*")
    axis = axis_of("x", ["b", "c", "missing", None], ColumnType("hierarchy", hierarchy=leaf))
    texts = {value: axis.cell((int(axis.code_of[i]),)).text for i, value in enumerate(axis.labels)}
    assert texts == {"b": "b", "c": "c", "missing": '"missing"', None: "missing"}
    node = Hierarchy.parse("?;missing;*\n-;missing;*\nc;other;*")
    axis = axis_of("x", ["-", "?", "c", None], ColumnType("hierarchy", hierarchy=node))
    assert axis.cell(tuple(sorted(map(int, axis.code_of[:2])))).text == '"missing"'


@pytest.mark.slow  # files of three kinds
@settings(max_examples=8)
@given(st.lists(TEXTS, min_size=4, max_size=9, unique=True))
def test_odd_values_come_back_from_files(tmp_path_factory: pytest.TempPathFactory, values: list[str]) -> None:
    folder = tmp_path_factory.mktemp("odd")
    table = {"x": values * 6, "s": [f"s{i % 5}" for i in range(6 * len(values))]}
    policy = dc.generalise(table, "x", "s", ["n>=7"], types={"x": "category"}, time_limit=0.05).policy
    for ending in ("csv", "parquet", "xlsx"):
        out = folder / f"r.{ending}"
        policy.release(table, keep=["s"], out=out)
        assert policy.verify(out, table).ok, ending
    policy.save(folder / "p.json")
    assert Policy.load(folder / "p.json").labels == policy.labels


# ---------------------------------------------------------------------- files from before

OLD = sorted((Path(__file__).parents[1] / "reference" / "unquoted").glob("*.json"))


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_policies_from_before_quotes_load_apply_and_verify(path: Path, tmp_path: Path) -> None:
    frozen = json.loads(path.read_text())
    policy = Policy.from_dict(frozen["policy"])
    if "blocks" in frozen["policy"]:
        assert [list(label) for label in policy.labels] == [block["cells"] for block in frozen["policy"]["blocks"]]
    assert policy.verify(frozen["released"], frozen["table"]).ok
    again = policy.apply(frozen["table"], keep=["s"])
    assert sorted(zip(*again.values(), strict=True)) == sorted(zip(*frozen["released"].values(), strict=True))
    policy.save(tmp_path / "p.json")
    assert Policy.load(tmp_path / "p.json").labels == policy.labels


def test_there_are_policies_from_before_quotes() -> None:
    assert [path.stem for path in OLD] == ["codes", "column", "columns", "table"]


def test_new_files_say_that_values_are_quoted() -> None:
    joint = Joint.from_table({"x": ["a, b", "c"], "s": [1, 2]}, "s", "x")
    policy = Policy.from_blocks(joint, [["a, b", "c"]])
    assert policy.labels == (('{"a, b", c}',),)
    assert policy.to_dict()["quotes"] is True
    assert Policy.from_dict(policy.to_dict()).labels == policy.labels


def test_equal_names_of_different_nodes_are_still_refused() -> None:
    tree = Hierarchy.parse("a;up;one;*\nb;up2;one;*\nc;x;up;*")
    with pytest.raises(ColumnError, match="stands for two different nodes"):
        axis_of("x", ["a", "b", "c"], ColumnType("hierarchy", hierarchy=tree))
