"""Releases: the same rows from every engine and in every format, promises that are held to, nothing half-written."""

from __future__ import annotations

import csv
import datetime as dt
import json
import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather

import discreet as dc
from discreet import Joint, Policy, tables
from discreet.errors import ColumnError, InputError, RequirementError, TableError
from discreet.measures import REGISTRY
from discreet.release._promises import MEASURED
from discreet.release._publishing import ReleaseOptions, publish
from discreet.release._rows import carry_out
from discreet.tables._columns import encode_column
from discreet.tables._sources import group
from discreet.testing import coarsened_joints
from tests.examples import examples

Rows = list[dict[str, Any]]
ROWS: Rows = [
    {"id": i, "age": age, "sex": sex, "chol": chol, "town": town}
    for i, (age, sex, chol, town) in enumerate(
        [
            (40, "F", 200, "Aá"),
            (41, "M", 200, "b,c"),
            (41, "F", 210, 'd"e'),
            (40, None, 210, "Aá"),
            (42, "F", None, "b,c"),
            (40, "F", 230, "Aá"),
            (43, "M", 240, None),
            (42, "M", 230, "b,c"),
            (43, "F", None, "b,c"),
            (41, "M", 250, "Aá"),
            (42, "F", 250, "Aá"),
        ]
    )
]
BLOCKS = [[200, 210], [230, 250], [240, None]]
LABELS = ("200–219", "220–234, 245–250", "235–244, missing")


def policy_of(rows: Rows = ROWS, blocks: Any = BLOCKS, **options: Any) -> Policy:
    joint = Joint.from_table(rows, "age", "chol", missing=options.pop("missing", "level"))
    words = [float(i) for i in range(len(blocks))]
    return Policy.from_blocks(joint, blocks, codewords=options.pop("codewords", words), **options)


def coarse(rows: Rows, blocks: Any = BLOCKS, labels: tuple[str, ...] = LABELS) -> list[str]:
    """The released cells as the definition has them, in the order of blocks."""
    owner = {letter: number for number, block in enumerate(blocks) for letter in block}
    return [labels[number] for number in sorted(owner[row["chol"]] for row in rows)]


def rows_of(table: Any) -> list[tuple[Any, ...]]:
    """A table of any library as plain rows; NaN is None."""
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if hasattr(table, "toArrow"):  # a frame of Spark, whose rows have no order
        table = table.toArrow()
    if isinstance(table, pl.DataFrame | pa.Table):
        table = table.to_dict(as_series=False) if isinstance(table, pl.DataFrame) else table.to_pydict()
    if isinstance(table, pd.DataFrame):
        table = {name: table[name].tolist() for name in table}
    if isinstance(table, dict):
        table = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return [tuple(None if value != value else value for value in row.values()) for row in table]


# ---------------------------------------------------------------------- every engine, every format


def test_every_engine_gives_the_same_release_of_its_own_kind(
    as_table: Callable[[Rows], Any], request: pytest.FixtureRequest
) -> None:
    engine = request.node.callspec.params["as_table"]
    released = policy_of().release(as_table(ROWS), keep=["town"], keep_anyway=True)
    kinds: dict[str, type] = {"rows": list, "columns": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame}
    want = pl.LazyFrame if engine == "polars-lazy" else kinds.get(engine.split("-")[0], pa.Table)
    assert isinstance(released, want) or (engine == "spark" and hasattr(released, "toArrow"))
    expected = rows_of(policy_of().release(ROWS, keep=["town"], keep_anyway=True))
    ordered = (lambda rows: sorted(rows, key=str)) if engine == "spark" else list
    assert ordered(rows_of(released)) == ordered(expected)
    assert [cell for cell, _ in expected] == coarse(ROWS)
    assert Counter(town for _, town in expected) == Counter(row["town"] for row in ROWS)
    if isinstance(released, pd.DataFrame):
        assert list(released.index) == list(range(len(ROWS)))  # no trace of the original order


def test_every_engine_is_applied_and_verified_alike(as_table: Callable[[Rows], Any]) -> None:
    policy = policy_of(missing="drop", blocks=[[200, 210], [230, 240, 250]])
    released = policy.apply(as_table(ROWS))
    assert len(rows_of(released)) == 9
    assert policy.verify(as_table([{"chol": cell} for (cell,) in rows_of(released)]), as_table(ROWS)).ok


def read_parquet(path: Path) -> list[tuple[Any, ...]]:
    return rows_of(pq.read_table(path))


def read_text(path: Path) -> list[tuple[Any, ...]]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    return [tuple(cell or None for cell in row) for row in rows[1:]]


def read_arrow(path: Path) -> list[tuple[Any, ...]]:
    with pa.ipc.open_file(str(path)) as reader:
        return rows_of(reader.read_all())


def read_excel(path: Path) -> list[tuple[Any, ...]]:
    book = openpyxl.load_workbook(path)
    rows = list(book[book.sheetnames[0]].iter_rows(values_only=True))
    book.close()
    return [tuple(row) for row in rows[1:]]


READERS: dict[str, Callable[[Path], list[tuple[Any, ...]]]] = {
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".csv": read_text,
    ".tsv": read_text,
    ".arrow": read_arrow,
    ".feather": lambda path: rows_of(feather.read_table(path)),
    ".xlsx": read_excel,
    ".CSV": read_text,
}


@pytest.mark.parametrize("suffix", READERS)
def test_every_format_reads_back_the_same(tmp_path: Path, suffix: str) -> None:
    policy = policy_of()
    target = tmp_path / f"released{suffix}"
    assert policy.release(ROWS, out=target, keep=["town"], keep_anyway=True) == target
    assert READERS[suffix](target) == rows_of(policy.release(ROWS, keep=["town"], keep_anyway=True))
    assert tables.column_names(str(target)) == ["chol", "town"]
    assert policy.verify(target, ROWS).ok
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert target.stat().st_mode & 0o777 == 0o666 & ~current_umask()


def current_umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


AWKWARD: dict[str, list[Any]] = {
    "days": [dt.date(2024, 1, 1), dt.date(2024, 1, 2), None],
    "moments": [dt.datetime(2024, 1, 1, 1, 2, 3, 4), dt.datetime(2024, 1, 2), None],
    "moments with a zone": [dt.datetime(2024, 1, 1, 1, tzinfo=dt.UTC), dt.datetime(2024, 6, 2, tzinfo=dt.UTC), None],
    "floats": [0.1, 1e-300, 1e22],
    "numbers and missing": [1, 2, None],
    "texts": ["=1+1", "a\nb", " padded "],
    "text like numbers": ["01", "1", "1.10"],
    "quotes": ['"', "'", "a,b;c\td"],
    "booleans": [True, False, None],
    "decimals": [Decimal("1.10"), Decimal("2.123456789012345678901"), None],
    "nothing": [None, None, None],
    "control": ["a\x01", "b", None],
    "infinite": [float("inf"), 0.5, float("-inf")],
}


def column_of(table: Any) -> Counter[Any]:
    (values,), counts = group(str(table) if isinstance(table, Path) else table, ["other"])
    alphabet, codes = encode_column(values, frozenset())
    found: Counter[Any] = Counter()
    for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
        found[alphabet.label(code)] += count
    return found


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".tsv", ".arrow", ".xlsx"])
@pytest.mark.parametrize("kind", AWKWARD)
def test_kept_columns_come_out_as_they_were(tmp_path: Path, kind: str, suffix: str) -> None:
    """Or the format cannot hold them, which is said, and nothing is written."""
    table = {"age": [1, 2] * 6, "chol": [1, 2] * 6, "other": AWKWARD[kind] * 4}
    policy = Policy.from_blocks(Joint.from_table(table, "age", "chol"), [[1, 2]])
    target = tmp_path / f"released{suffix}"
    try:
        policy.release(table, out=target, keep=["other"], keep_anyway=True)
    except InputError as problem:
        refusal = str(problem)
        cannot = {("infinite", ".csv"), ("infinite", ".tsv"), ("infinite", ".xlsx"), ("control", ".xlsx")}
        assert (kind, suffix) in cannot, refusal
        assert list(tmp_path.iterdir()) == []
        return
    have = column_of(target)
    if suffix in (".csv", ".tsv", ".xlsx") and kind in ("booleans", "decimals"):
        as_text = {True: "true", False: "false", **{value: str(value) for value in AWKWARD["decimals"] if value}}
        have = Counter({as_text.get(value, value): count for value, count in have.items()})
        assert have == Counter({as_text.get(value, value): 4 for value in AWKWARD[kind]})
    else:
        assert have == column_of(table)


@settings(max_examples=examples(25))
@given(coarsened_joints(), st.randoms(use_true_random=False), st.booleans())
def test_a_release_is_the_multiset_of_coarsened_rows_and_its_measures_the_coarse_joints(
    case: Any, rng: Any, by_codeword: bool
) -> None:
    joint, blocks = case
    counts = joint.counts.toarray()
    rows: Rows = [
        {"s": s, "x": x} for s in range(joint.n_s) for x in range(joint.n_x) for _ in range(int(counts[s, x]))
    ]
    rng.shuffle(rows)
    table = Joint.from_table(rows, "s", "x")
    policy = Policy.from_blocks(table, blocks, codewords=[i + 0.5 for i in range(len(blocks))])
    done = carry_out(policy, rows, cells="codeword" if by_codeword else "label")
    owner = {x: number for number, block in enumerate(policy.blocks) for x in block}
    cells = [i + 0.5 for i in range(len(blocks))] if by_codeword else [label for (label,) in policy.labels]
    repeated = [cell for cell, n in zip(done.columns["x"], done.counts.tolist(), strict=True) for _ in range(n)]
    assert repeated == [cells[number] for number in sorted(owner[row["x"]] for row in rows)]
    coarsened = table.coarsen(blocks)
    assert done.measures == pytest.approx({symbol: REGISTRY[symbol](coarsened) for symbol in MEASURED}, abs=1e-12)
    assert done.measures == pytest.approx(policy.after, abs=1e-12)
    assert done.joint is not None
    assert len(policy.broken_by(done.joint)) == (joint.n_s == 1)  # a single s is refused, whatever was promised


def test_a_release_past_one_batch_keeps_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.tables._writing.BATCH", 7)
    rows = ROWS * 20
    for suffix, read in READERS.items():
        target = policy_of(rows).release(rows, out=tmp_path / f"r{suffix}", keep=["town"], keep_anyway=True, force=True)
        assert read(target) == rows_of(policy_of(rows).release(rows, keep=["town"], keep_anyway=True))


def test_several_public_columns_have_a_cell_each(as_table: Callable[[Rows], Any]) -> None:
    joint = Joint.from_table(ROWS, "age", ["chol", "sex"])
    halves = [joint.x[: joint.n_x // 2], joint.x[joint.n_x // 2 :]]
    policy = Policy.from_blocks(joint, halves)
    released = policy.release(as_table(ROWS))
    assert Counter(rows_of(released)) == Counter(
        policy.labels[0 if (row["chol"], row["sex"]) in halves[0] else 1] for row in ROWS
    )
    assert policy.verify(released, ROWS).ok


# ---------------------------------------------------------------------- what is released


def test_nothing_but_public_columns_is_released_unless_kept() -> None:
    assert list(policy_of().release({name: [row[name] for row in ROWS] for name in ROWS[0]})) == ["chol"]
    kept = policy_of().release(ROWS, keep=["sex", "town", "sex"], keep_anyway=True)
    assert list(kept[0]) == ["chol", "sex", "town"]
    assert list(policy_of().release(ROWS, keep="town", keep_anyway=True)[0]) == ["chol", "town"]
    assert list(policy_of().release(ROWS, keep=["age"])[0]) == ["chol", "age"]


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        (["id"], "column 'id' is different in every row: it identifies people and is never kept"),
        (["chol"], "'chol' is a public column: it is released coarsened"),
        (["weight"], "no column 'weight'"),
    ],
)
def test_columns_that_cannot_be_kept(keep: list[str], words: str, tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match=words):
        policy_of().release(ROWS, keep=keep, out=tmp_path / "r.csv")
    assert list(tmp_path.iterdir()) == []


def test_missing_values_are_a_level_dropped_or_refused() -> None:
    level = carry_out(policy_of(), ROWS)
    assert (level.rows, level.dropped) == (11, 0)
    drop = carry_out(policy_of(missing="drop", blocks=[[200, 210], [230, 240, 250]]), ROWS)
    assert (drop.rows, drop.dropped) == (9, 2)
    assert drop.measures["H0"] == 2
    present = [row for row in ROWS if row["chol"] is not None]
    strict = policy_of(present, missing="error", blocks=[[200, 210], [230, 240, 250]])
    assert carry_out(strict, present).rows == 9
    with pytest.raises(TableError, match=r"2 of 11 rows have missing values \(in 'chol'\)"):
        carry_out(strict, ROWS)
    nowhere = [{**row, "chol": None} for row in ROWS]
    with pytest.raises(RequirementError, match="no row of this table can be released"):
        carry_out(policy_of(missing="drop", blocks=[[200, 210], [230, 240, 250]]), nowhere)


def test_text_that_means_missing_is_the_policys_own() -> None:
    rows = [{**row, "chol": "?" if row["chol"] is None else str(row["chol"])} for row in ROWS]
    kept = [{**row, "sex": row["sex"] or "?"} for row in rows]
    policy = policy_of(na=["?"])
    assert rows_of(policy.release(rows)) == rows_of(policy_of().release(ROWS))
    assert (
        Counter(sex for _, sex in rows_of(policy.release(kept, keep="sex", keep_anyway=True)))["?"] == 1
    )  # kept as it is


def test_codewords_instead_of_labels(tmp_path: Path) -> None:
    joint = Joint.from_table([row for row in ROWS if row["chol"]], "age", "chol")
    policy = dc.frontier(joint, codeword="chebyshev").at(max_leakage=1)
    present = [row for row in ROWS if row["chol"]]
    words = {letter: word for block, word in zip(policy.blocks, policy.codewords, strict=True) for letter in block}
    released = policy.release(present, cells="codeword", out=tmp_path / "r.csv")
    assert Counter(float(cell) for (cell,) in read_text(released)) == Counter(words[row["chol"]] for row in present)
    assert policy.verify(released, present).ok
    with pytest.raises(InputError, match="no numeric codeword"):
        policy_of(codewords=[None] * 3).release(ROWS, cells="codeword")
    wide = Policy.from_blocks(joint, [joint.x], codewords=[(1.0, 2.0)])
    with pytest.raises(InputError, match="no numeric codeword"):
        wide.release(present, cells="codeword")


def test_blocks_may_share_a_codeword_or_have_anothers_label() -> None:
    """{1, 5} and {2, 4} have the centroid 3, which is also a letter and the label of {3}."""
    rows: Rows = [{"s": i % 2, "x": x} for i, x in enumerate([1, 1, 2, 2, 3, 3, 4, 4, 5, 5])]
    joint = Joint.from_table(rows, "s", "x")
    policy = Policy.from_blocks(joint, [[1, 5], [2, 4], [3]], codewords=[3.0, 3.0, 3.0])
    assert policy.verify(policy.release(rows, cells="codeword"), rows).ok
    assert policy.verify(policy.release(rows), rows).ok
    assert not policy.verify(policy.release(rows, cells="codeword") * 2, rows).ok
    apart = Policy.from_blocks(joint, [[1, 5], [2, 4], [3]], codewords=[3.0, 2.0, 1.0])
    assert apart.verify(apart.release(rows, cells="codeword"), rows).ok


def test_rows_of_withheld_letters_are_left_out() -> None:
    from dataclasses import replace

    policy = replace(policy_of(blocks=[[200, 210], [230, 250], [240], [None]]), withheld=(240, None))
    policy = replace(policy, blocks=policy.blocks[:2], codewords=policy.codewords[:2])
    done = carry_out(policy, ROWS)
    assert (done.rows, done.withheld, done.unseen) == (8, 3, 0)
    assert policy.block_of(240) is None
    assert policy.verify(policy.release(ROWS), ROWS).rows == 8


# ---------------------------------------------------------------------- applying to new data


def test_apply_releases_new_rows_when_the_promise_holds(tmp_path: Path) -> None:
    policy = policy_of()
    new: Rows = [{"age": age, "chol": chol} for age in (1, 2, 3) for chol in (200, 204, 211, 234, 249, None)]
    released = policy.apply(new)
    assert [cell for (cell,) in rows_of(released)] == [
        label for label, n in zip(LABELS, (9, 6, 3), strict=True) for _ in range(n)
    ]
    assert policy.apply(new, out=tmp_path / "r.parquet") == tmp_path / "r.parquet"
    assert read_parquet(tmp_path / "r.parquet") == rows_of(released)
    assert policy.verify(tmp_path / "r.parquet", new).ok


def test_apply_when_a_block_has_no_rows() -> None:
    new: Rows = [{"age": age, "chol": chol} for age in (1, 2, 3, 4) for chol in (200, None)]
    assert Counter(cell for (cell,) in rows_of(policy_of().apply(new))) == {LABELS[0]: 4, LABELS[2]: 4}
    assert Counter(rows_of(policy_of().apply(new, keep=["age"])))[LABELS[2], 3] == 1


def test_apply_suppresses_what_it_cannot_truly_label() -> None:
    new: Rows = [{"age": age, "chol": chol} for age in (1, 2, 3) for chol in (200, 199, 251, 219.5, 230, "high")]
    done = carry_out(policy_of(), new)
    assert (done.rows, done.unseen, done.withheld) == (6, 12, 0)
    assert set(done.columns["chol"]) == {LABELS[0], LABELS[1]}
    strict = policy_of(unseen="suppress")
    assert carry_out(strict, [{"age": a, "chol": c} for a in (1, 2) for c in (200, 201)]).unseen == 2


def test_one_odd_cell_does_not_turn_the_other_numbers_into_strangers() -> None:
    new: Rows = [{"age": age, "chol": chol} for age in (1, 2, 3) for chol in ("200", "230.0", "n/a")]
    done = carry_out(policy_of(), new)
    assert (done.rows, done.unseen) == (6, 3)
    by_name = Policy.from_blocks(Joint.from_pairs([(1, "1"), (2, "x")]), [["1"], ["x"]])
    assert carry_out(by_name, {"x0": [1, 1]}).rows == 2  # here "1" is a name, and 1 is how it is read


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (
            [{"age": a, "chol": c} for a, c in [(1, 200), (2, 200), (1, 230)]],
            "1 of 2 released groups have fewer than the 2",
        ),
        ([{"age": a, "chol": 200} for a in range(2)] + [{"age": a, "chol": 230} for a in range(9)], "L0 is 2.17 bits"),
        ([{"age": 7, "chol": c} for c in (200, 230)], "single sensitive value"),
    ],
)
def test_apply_refuses_when_the_promise_fails(new: Rows, words: str, tmp_path: Path) -> None:
    policy = policy_of()
    assert policy.promised_distinct == 2
    with pytest.raises(RequirementError, match=words) as caught:
        policy.apply(new, out=tmp_path / "r.csv")
    assert caught.value.exit_code == 1
    assert "7" not in str(caught.value).replace("2.17", "")  # no private value
    assert list(tmp_path.iterdir()) == []


def test_apply_needs_the_columns_that_the_promise_is_about() -> None:
    with pytest.raises(ColumnError, match="no sensitive columns"):
        policy_of().apply([{"chol": 200}])
    with pytest.raises(ColumnError, match="no column 'chol'"):
        policy_of().apply([{"age": 1}])
    with pytest.raises(RequirementError, match="values are all unknown to it"):
        policy_of().apply([{"age": 1, "chol": 999}])
    with pytest.raises(TableError, match="no rows"):
        policy_of().apply({"age": [], "chol": []})


def test_apply_measures_what_the_informed_learn() -> None:
    cube: Rows = [{"s": s, "x": x, "a": a} for s in (0, 1) for x in (1, 2) for a in (0, 1)]
    joint = Joint.from_table(cube, "s", "x", "a")
    policy = Policy.from_blocks(joint, [[1], [2]])
    done = carry_out(policy, cube)
    assert done.joint is not None
    assert done.measures == pytest.approx(policy.after)
    assert len(policy.apply(cube, keep="a")) == 8
    with pytest.raises(RequirementError, match=r"L0\|A is 1 bits, the policy promises 0"):
        policy.apply(cube[1:])
    with pytest.raises(ColumnError, match="no side columns"):
        policy.apply([{"s": row["s"], "x": row["x"]} for row in cube])
    checked = policy.verify(policy.release(cube, keep=["s"]))
    assert checked.ok
    assert any(text.startswith("L0|A") for text in checked.unchecked)
    assert not policy.verify(policy.release(cube), cube[1:]).ok


# ---------------------------------------------------------------------- verification


def test_verify_says_what_it_checked_and_what_it_could_not() -> None:
    policy = policy_of()
    released = policy.release(ROWS)
    alone = policy.verify(released)
    assert alone.ok
    assert bool(alone)
    assert alone.rows == 11
    assert alone.measures == {}
    assert alone.checked == ("every cell is one of the policy's",)
    assert [text.partition(":")[0] for text in alone.unchecked] == ["L0", "I*", "k"]
    both = policy.verify(released, ROWS)
    assert both.ok
    assert both.unchecked == ()
    assert both.measures == pytest.approx(policy.after)
    assert len(both.checked) == 3
    with_s = policy.verify(policy.release(ROWS, keep=["age"]))
    assert with_s.ok
    assert with_s.measures == pytest.approx(policy.after)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: [*rows[:-1], {"chol": "300–400"}], "1 of 11 rows have cells that the policy does not have"),
        (lambda rows: [*rows[:-1], {"chol": None}], "1 of 11 rows have cells"),
        (lambda rows: rows[:-1], "are not those that the policy makes of the original"),
        (lambda rows: rows[:-1] + rows[:1], "are not those that the policy makes of the original"),
        (lambda rows: [{"weight": 3}], "has no column 'chol'"),
        (lambda rows: {"chol": []}, "has no rows"),
    ],
)
def test_verify_finds_what_is_wrong(change: Callable[[Rows], Any], words: str) -> None:
    policy = policy_of()
    found = policy.verify(change(policy.release(ROWS)), ROWS)
    assert not found.ok
    assert not found
    assert words in " ".join(found.problems)
    assert not any("are those that the policy makes" in text for text in found.checked)


def test_verify_recomputes_leakage_from_whatever_has_the_sensitive_columns() -> None:
    policy = policy_of()
    kept = policy.release(ROWS, keep=["age"])
    same = [{**row, "age": 1} for row in kept]
    assert "single sensitive value" in " ".join(policy.verify(same).problems)
    narrow = [row if row["chol"] != LABELS[0] else {**row, "age": 40} for row in kept]
    assert "fewer than the 2 distinct" in " ".join(policy.verify(narrow).problems)
    other: Rows = [{"age": 5, "chol": row["chol"]} for row in ROWS]
    assert "single sensitive value" in " ".join(policy.verify(policy.release(ROWS), other).problems)
    strangers: Rows = [{"age": 5, "chol": 999}]
    assert "can be released" in " ".join(policy.verify(policy.release(ROWS), strangers).problems)
    nameless = policy.verify(policy.release(ROWS), [{"chol": row["chol"]} for row in ROWS])
    assert nameless.ok
    assert "leakage: the original has no sensitive columns" in nameless.unchecked


def test_verify_trusts_no_figure_of_the_policy() -> None:
    from dataclasses import replace

    honest = policy_of()
    boast = replace(honest, after={**honest.after, "k": 3.0, "L0": 0.1, "I*": 0.0})
    problems = " ".join(boast.verify(honest.release(ROWS), ROWS).problems)
    assert "L0 is 1 bits, the policy promises 0.1" in problems
    assert "the policy claims k 3, the original gives 2" in problems
    assert "fewer than the 3 distinct" in problems
    assert honest.verify(honest.release(ROWS), ROWS).ok


def test_verify_holds_kept_columns_against_the_original() -> None:
    policy = policy_of()
    kept = policy.release(ROWS, keep=["age", "town"], keep_anyway=True)
    assert policy.verify(kept, ROWS).ok
    swapped = [dict(row) for row in kept]
    swapped[0]["town"], swapped[-1]["town"] = swapped[-1]["town"], swapped[0]["town"]
    assert kept != swapped
    assert not policy.verify(swapped, ROWS).ok
    invented = [{**row, "rank": 1} for row in kept]
    found = policy.verify(invented, ROWS)
    assert "column 'rank': the original does not have it" in found.unchecked


def test_verify_knows_cells_that_read_as_numbers_or_days() -> None:
    """Only cells that look like numbers came out, and the column is read as numbers."""
    for letters in ([0.5, 1e6, 2e6, 3.5], [dt.datetime(2024, 1, d) + dt.timedelta(hours=d % 2) for d in (1, 2, 4, 6)]):
        rows: Rows = [{"s": s, "x": x} for s in (1, 2) for x in letters]
        policy = Policy.from_blocks(Joint.from_table(rows, "s", "x"), [letters[:1], letters[1:2], letters[2:]])
        few = [row for row in rows if row["x"] in letters[:2]]
        assert policy.verify(policy.release(few), few).ok


@settings(max_examples=examples(25))
@given(coarsened_joints())
def test_a_release_always_verifies(case: Any) -> None:
    joint, blocks = case
    counts = joint.counts.toarray()
    rows: Rows = [
        {"s": s, "x": x} for s in range(joint.n_s) for x in range(joint.n_x) for _ in range(int(counts[s, x]))
    ]
    policy = Policy.from_blocks(Joint.from_table(rows, "s", "x"), blocks)
    found = policy.verify(policy.release(rows), rows)
    alone = ("the table has a single sensitive value: everybody's is known",)
    assert found.problems == (alone if joint.n_s == 1 else ())


# ---------------------------------------------------------------------- whole or not at all


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table to release, and a frontier's inputs beside it."""
    rows = [{"age": 20 + i % 7, "chol": 200 + i * i % 23, "town": "abc"[i % 3]} for i in range(36)]
    with (tmp_path / "people.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return tmp_path


def publish_in(folder: Path, **options: Any) -> Any:
    joint = Joint.from_table(folder / "people.csv", "age", "chol")
    names = {"out": "released.parquet", "policy_file": "policy.json"}
    paths = {name: folder / options.pop(name, file) for name, file in names.items()}
    if "report_file" in options:
        options["report_file"] = folder / options["report_file"]
    table = options.pop("table", folder / "people.csv")
    if not {"multiplier", "min_utility", "max_leakage"} & set(options):
        options["max_leakage"] = 1.0
    asked = {field.name: options.pop(field.name) for field in fields(ReleaseOptions) if field.name in options}
    return publish(table, dc.frontier(joint), **paths, options=ReleaseOptions(**asked), **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_publish_writes_table_policy_and_report(folder: Path) -> None:
    done = publish_in(
        folder,
        report_file="report.html",
        keep=["town"],
        keep_anyway=True,
        purpose="A test",
        na=["?"],
        unseen="suppress",
    )
    assert set(contents(folder)) == {"people.csv", "released.parquet", "policy.json", "report.html"}
    policy = Policy.load(folder / "policy.json")
    assert policy.source["file"] == "people.csv"
    assert (policy.unseen, policy.na) == ("suppress", ("?",))
    found = policy.verify(folder / "released.parquet", folder / "people.csv")
    assert found.ok
    assert found.measures == done.done.measures
    document = done.to_dict()
    assert document["rows"] == 36
    assert document["after"]["L0"] <= 1
    assert json.dumps(document)
    assert any("together with the kept columns" in line for line in done.lines())
    assert "A test" in (folder / "report.html").read_text()


def test_publish_withholds_rows_within_a_budget(folder: Path) -> None:
    with (folder / "people.csv").open("a") as file:
        file.write("20,900,a\n21,900,b\n22,1900,c\n23,1900,c\n")
    plain = publish_in(folder)
    tight = publish_in(folder, suppress=4, force=True)
    assert tight.suppressed == 4
    assert tight.point.utility > plain.point.utility
    assert tight.point.leakage <= 1
    policy = Policy.load(folder / "policy.json")
    assert set(policy.withheld) == {900, 1900}
    found = policy.verify(folder / "released.parquet", folder / "people.csv")
    assert found.ok, found.problems
    assert any("4 rows suppressed" in line for line in tight.lines())


def test_what_exists_is_not_replaced_without_force(folder: Path) -> None:
    publish_in(folder, report_file="report.html")
    before = contents(folder)
    for name in ("released.parquet", "policy.json", "report.html"):
        others = {"out": "o.csv", "policy_file": "p.json", "report_file": "r.html"}
        here = {"released.parquet": "out", "policy.json": "policy_file", "report.html": "report_file"}[name]
        with pytest.raises(InputError, match=f"{name} exists already: use --force"):
            publish_in(folder, **{**others, here: name})
        assert contents(folder) == before
    publish_in(folder, report_file="report.html", force=True)
    assert set(contents(folder)) == set(before)


@pytest.mark.parametrize("name", ["out", "policy_file", "report_file"])
def test_the_original_is_never_replaced(folder: Path, name: str) -> None:
    before = contents(folder)
    with pytest.raises(InputError, match="is the original table: name another file to write to"):
        publish_in(folder, force=True, **{name: "people.csv"})
    (folder / "link.csv").symlink_to(folder / "people.csv")
    with pytest.raises(InputError, match="is the original table"):
        publish_in(folder, force=True, **{name: "link.csv"})
    (folder / "link.csv").unlink()
    assert contents(folder) == before


def test_no_part_of_an_original_is_replaced(folder: Path) -> None:
    rows: Rows = [{"age": a, "chol": c} for a in (1, 2) for c in (200, 230)]
    for part in (0, 1):
        pq.write_table(
            pa.table({name: [row[name] for row in rows] for name in rows[0]}), folder / f"part-{part}.parquet"
        )
    book = openpyxl.Workbook()
    book["Sheet"].append(["age", "chol"])
    for row in rows:
        book["Sheet"].append(list(row.values()))
    book.save(folder / "book.xlsx")
    before = contents(folder)
    for table, out in ((f"{folder}/part-*.parquet", "part-1.parquet"), (f"{folder}/book.xlsx#Sheet", "book.xlsx")):
        for verb in (policy_of().release, policy_of().apply):
            with pytest.raises(InputError, match="is the original table"):
                verb(table, out=folder / out, force=True)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"out": "r.txt"}, "does not name a format"),
        ({"out": "none/r.csv"}, "there is no folder"),
        ({"policy_file": "none/p.json"}, "there is no folder"),
        ({"out": "."}, "does not name a format|is a folder"),
        ({"policy_file": "."}, "is a folder"),
        ({"policy_file": "released.parquet"}, "need a file each"),
        ({"report_file": "policy.json"}, "need a file each"),
        ({"report_file": "none/r.html"}, "there is no folder"),
        ({"max_leakage": -1.0}, "no policy leaks -1 bits or less: the least is 0 "),
        ({"max_leakage": float("nan")}, "must be a number"),
        ({"multiplier": -0.5}, "0 or more"),
        ({"multiplier": 1.0, "min_utility": 0.0}, "name one of"),
        ({"keep": ["none"]}, "no column 'none'"),
    ],
)
def test_bad_publishing_leaves_everything_as_it_was(folder: Path, options: dict[str, Any], words: str) -> None:
    before = contents(folder)
    with pytest.raises(InputError, match=words):
        publish_in(folder, **options)
    assert contents(folder) == before


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_rename_that_fails_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    before = contents(folder)
    real, calls = os.replace, iter(range(1, 99))

    def replace(*arguments: Any, **options: Any) -> None:
        if next(calls) == failing:
            raise OSError(28, "No space left on device")
        real(*arguments, **options)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises((OSError, InputError)):
        publish_in(folder, report_file="report.html")
    assert contents(folder) == before


@pytest.mark.parametrize(
    "problem", [OSError(28, "No space left on device"), pa.ArrowInvalid("no"), KeyboardInterrupt()]
)
def test_a_table_that_cannot_be_written_leaves_what_was_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    publish_in(folder)
    before = contents(folder)

    def fail(*_: Any) -> None:
        raise problem

    monkeypatch.setattr("discreet.tables._writing._write_parquet", fail)
    with pytest.raises((InputError, KeyboardInterrupt)):
        publish_in(folder, force=True, max_leakage=0.5)
    assert contents(folder) == before
    with pytest.raises((InputError, KeyboardInterrupt)):
        policy_of().release(ROWS, out=folder / "released.parquet", force=True)
    assert contents(folder) == before


def test_a_table_that_comes_out_otherwise_is_not_put_in_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_in(folder)
    before = contents(folder)

    def lose_rows(target: Path, *_: Any) -> None:
        pq.write_table(pa.table({"chol": [LABELS[0]]}), target)

    monkeypatch.setattr("discreet.tables._writing._write_parquet", lose_rows)
    with pytest.raises(TableError, match="would not come out as it was measured"):
        publish_in(folder, force=True)
    assert contents(folder) == before


def test_a_folder_that_vanishes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = folder / "gone"
    target.mkdir()
    from discreet.tables import _writing as writing

    real = writing._write_parquet

    def vanish(temporary: Path, *rest: Any) -> None:
        real(temporary, *rest)
        shutil.rmtree(target)

    monkeypatch.setattr(writing, "_write_parquet", vanish)
    before = contents(folder)
    with pytest.raises((OSError, InputError)):
        publish_in(folder, out="gone/r.parquet")
    assert contents(folder) == before
    assert not target.exists()


def test_a_table_that_changed_meanwhile_is_not_released(folder: Path) -> None:
    before = contents(folder)
    with pytest.raises(RequirementError, match="the table changed while it was released"):
        publish_in(folder, table=[{"age": 1, "chol": 200}, {"age": 1, "chol": 201}])
    with pytest.raises(InputError, match="lost its sensitive columns"):
        publish_in(folder, table=[{"chol": 200}, {"chol": 201}])
    assert contents(folder) == before


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can make a disk that fills up")
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],  # noqa: S607
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("this machine does not let root mount a disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)  # noqa: S607


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".arrow", ".xlsx"])
def test_a_full_disk(tiny_disk: Path, suffix: str) -> None:
    rng = random.Random(0)
    rows: Rows = [{"s": i % 2, "x": f"{rng.random()}-{'y' * 40}", "town": f"{rng.random()}"} for i in range(1_000)]
    rows += rows
    joint = Joint.from_table(rows, "s", "x")
    policy = Policy.from_blocks(joint, [joint.x[i : i + 10] for i in range(0, joint.n_x, 10)])
    with pytest.raises((InputError, OSError)):
        policy.release(rows, out=tiny_disk / f"r{suffix}", keep=["town"], keep_anyway=True)
    assert list(tiny_disk.iterdir()) == []
    with pytest.raises((InputError, OSError)):
        policy.save(tiny_disk / "p.json")
    assert list(tiny_disk.iterdir()) == []
    with suppress(ImportError):
        from discreet.report._plots import save_figure

        (tiny_disk / "filler").write_bytes(b"x" * 60_000)
        with pytest.raises((InputError, OSError)):
            save_figure(dc.frontier(Joint.from_pairs([(1, 1), (2, 2)])).plot(), str(tiny_disk / "f.png"))
        assert [path.name for path in tiny_disk.iterdir()] == ["filler"]
