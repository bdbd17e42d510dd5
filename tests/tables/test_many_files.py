"""Tables in many files: folders, patterns, folders that tell a column; memory limits; parts that do not fit together."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet import Joint
from discreet.errors import ColumnError, TableError
from discreet.tables import column_names
from discreet.tables._sources import in_order

ROWS = {"s": [1, 2, 3, 1], "x": ["a", "b", "a", "b"]}


def write(path: Path, columns: dict[str, Any] = ROWS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    else:
        lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
        path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_folder_is_the_table_of_all_its_files(tmp_path: Path, suffix: str) -> None:
    data = tmp_path / "data"
    write(data / f"part-0{suffix}")
    write(data / "more" / f"part-1{suffix}")
    # What engines leave beside their files, and what is not finished, is no part of it.
    (data / "_SUCCESS").write_text("")
    (data / f".part-2{suffix}.crc").write_bytes(b"crc")
    write(data / "_temporary" / f"part-3{suffix}")
    (data / "README.md").write_text("about")
    joint = Joint.from_table(data, "s", "x")
    assert joint.total == 8
    assert joint == Joint.from_table(f"{data}/more/../**/part-[01]{suffix}", "s", "x")
    assert column_names(str(data)) == ["s", "x"]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_folders_named_by_a_column_tell_it(tmp_path: Path, suffix: str) -> None:
    data = tmp_path / "data"
    for year, place in (("2020", "a%20b"), ("2021", "c"), ("__HIVE_DEFAULT_PARTITION__", "c")):
        write(data / f"year={year}" / f"place={place}" / f"part{suffix}")
    assert column_names(data) == ["s", "x", "year", "place"]
    joint = Joint.from_table(data, "s", ["x", "year", "place"])
    assert joint.total == 12
    assert {(year, place) for _, year, place in joint.x} == {(2020, "a b"), (2021, "c"), (None, "c")}
    assert joint == Joint.from_table(f"{data}/*/*/*{suffix}", "s", ["x", "year", "place"])
    assert sorted(in_order(data, ["year"])[0].to_pylist(), key=str) == ["2020"] * 4 + ["2021"] * 4 + [None] * 4
    with pytest.raises(ColumnError, match="no column 'month'"):
        Joint.from_table(data, "s", "month")


def test_parts_of_different_types_keep_what_their_folders_tell(tmp_path: Path) -> None:
    write(tmp_path / "data" / "year=2020" / "0.parquet", {"s": [1, 2], "x": [1, 2]})
    write(tmp_path / "data" / "year=2021" / "0.parquet", {"s": [1, 2], "x": [0.9, 1.2]})
    assert Joint.from_table(tmp_path / "data", "s", ["x", "year"]).x == (
        (0.9, 2021),
        (1.0, 2020),
        (1.2, 2021),
        (2.0, 2020),
    )


def test_files_that_lack_a_column_are_named(tmp_path: Path) -> None:
    write(tmp_path / "data" / "0.parquet")
    write(tmp_path / "data" / "1.parquet", {"s": [1], "y": [2]})
    with pytest.raises(TableError, match=r"1\.parquet has no column 'x', which other files of .*data have"):
        Joint.from_table(tmp_path / "data", "s", "x")
    write(tmp_path / "data" / "1.parquet", {"s": [1], "x": ["a"], "more": [1]})
    assert Joint.from_table(tmp_path / "data", "s", "x").total == 5
    write(tmp_path / "texts" / "0.csv")
    write(tmp_path / "texts" / "1.csv", {"s": [1], "y": [2]})
    with pytest.raises(TableError, match="different headers"):
        Joint.from_table(tmp_path / "texts", "s", "x")


def test_folders_that_do_not_fit_together(tmp_path: Path) -> None:
    write(tmp_path / "data" / "0.parquet")
    write(tmp_path / "data" / "year=2020" / "1.parquet")
    with pytest.raises(TableError, match="different columns"):
        Joint.from_table(tmp_path / "data", "s", "x")
    write(tmp_path / "kinds" / "0.parquet")
    write(tmp_path / "kinds" / "1.csv")
    with pytest.raises(TableError, match=r"several kinds \(\.csv, \.parquet\)"):
        Joint.from_table(tmp_path / "kinds", "s", "x")
    (tmp_path / "none").mkdir()
    with pytest.raises(TableError, match="is a folder without a table"):
        Joint.from_table(tmp_path / "none", "s", "x")
    with pytest.raises(TableError, match="no file matches"):
        Joint.from_table(f"{tmp_path}/none/*.parquet", "s", "x")
    write(tmp_path / "s=5" / "year=1" / "f.parquet")
    with pytest.raises(TableError, match="column 's' is in the files"):
        Joint.from_table(tmp_path / "s=5", "s", "year")


def test_a_parquet_file_that_is_still_being_written(tmp_path: Path) -> None:
    write(tmp_path / "data" / "0.parquet")
    writer = pq.ParquetWriter(tmp_path / "data" / "1.parquet", pa.table(ROWS).schema)
    writer.write_table(pa.table(ROWS), row_group_size=2)
    with pytest.raises(TableError, match=r"1\.parquet is (empty|damaged, or still being written)"):
        Joint.from_table(tmp_path / "data", "s", "x")
    writer.close()
    assert Joint.from_table(tmp_path / "data", "s", "x").total == 8


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("lots", "not a size"),
        ("2", "not a size"),
        ("-1GB", "not a size"),
        ("50%", "not a size"),
        ("", "not a size"),
        (2_000_000_000, "not a size"),
        ("1MB", "too small to work with"),
        ("0GB", "too small to work with"),
    ],
)
@pytest.mark.parametrize("in_memory", [False, True])
def test_memory_limits_that_cannot_be(tmp_path: Path, limit: Any, words: str, in_memory: bool) -> None:
    table = ROWS if in_memory else write(tmp_path / "t.parquet")
    with pytest.raises(TableError, match=words):
        Joint.from_table(table, "s", "x", memory_limit=limit)
    policy = dc.frontier(Joint.from_table(ROWS, "s", "x"), utility="resolution").points[-1].policy
    for call in (policy.release, policy.apply, policy.verify):
        with pytest.raises(TableError, match=words):
            call(table, memory_limit=limit)


def made(path: Path, rows: int, letters: int) -> Path:
    query = f"SELECT (hash(i) % 38)::INTEGER AS s, (hash(i + 7) % {letters})::INTEGER AS x FROM range({rows}) t(i)"
    duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 100000)")
    return path


@pytest.mark.slow
def test_two_million_rows_spill_and_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """About 1.9 million groups do not fit into the least memory: they go to the disk, the answer is the same."""
    data = tmp_path / "data"
    data.mkdir()
    for part in range(2):
        made(data / f"{part}.parquet", 1_000_000, 1_000_000)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    seen: list[str] = []
    joint = Joint.from_table(data, "s", "x", memory_limit="100MB", progress=lambda stage, share: seen.append(stage))
    assert joint.total == 2_000_000
    assert joint == Joint.from_table(data, "s", "x")
    assert "building the joint" in seen  # counting may be over before anybody looks
    assert list(scratch.iterdir()) == []


def test_rows_are_read_in_order_from_large_files(tmp_path: Path) -> None:
    numbers = list(range(400_000))
    pq.write_table(pa.table({"i": numbers}), tmp_path / "t.parquet", row_group_size=20_000)
    assert in_order(tmp_path / "t.parquet", ["i"])[0].to_pylist() == numbers
