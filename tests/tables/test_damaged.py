"""Files that are damaged, of the wrong kind or unusual, and tables in memory that are: right, or one clear line."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.errors import DiscreetError, InputError, TableError

TABLE = pa.table({"illness": ["flu", "cold", "gout", "flu"] * 40, "town": [f"town {i % 7}" for i in range(160)]})


def csv(path: Path) -> None:
    path.write_text("illness,town\n" + "".join(f"{a},{b}\n" for a, b in zip(*TABLE.to_pydict().values(), strict=True)))


def csv_gz(path: Path) -> None:
    csv(path)
    path.write_bytes(gzip.compress(path.read_bytes()))


def csv_zst(path: Path) -> None:
    csv(path)
    path.write_bytes(pa.Codec("zstd").compress(path.read_bytes(), asbytes=True))


def arrow(path: Path) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)


def stream(path: Path) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)


def xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in zip(*([name, *TABLE[name].to_pylist()] for name in TABLE.column_names), strict=True):
        sheet.append(row)
    book.save(path)


KINDS: dict[str, Callable[[Path], None]] = {
    "a.csv": csv,
    "a.csv.gz": csv_gz,
    "a.csv.zst": csv_zst,
    "a.parquet": lambda path: pq.write_table(TABLE, path),
    "a.arrow": arrow,
    "a.feather": stream,
    "a.xlsx": xlsx,
}


@pytest.mark.parametrize("name", KINDS)
def test_whole_files_are_read(name: str, tmp_path: Path) -> None:
    KINDS[name](tmp_path / name)
    assert dc.audit(str(tmp_path / name), sensitive="illness", public="town").joint.total == 160


@pytest.mark.parametrize("name", KINDS)
def test_damaged_files_are_told_in_one_line(name: str, tmp_path: Path) -> None:
    """Bits flipped anywhere, or cut short: what can still be read is, all else is refused, and nothing crashes."""
    KINDS[name](tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    for seed in range(40):
        rng = random.Random(f"{name} {seed}")
        damaged = bytearray(whole if seed % 3 else whole[: rng.randrange(1, len(whole))])
        for _ in range(rng.choice((1, 1, 4, 40)) if seed % 3 else 0):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        (tmp_path / name).write_bytes(damaged)
        with suppress(DiscreetError):
            dc.audit(str(tmp_path / name), sensitive="illness", public="town")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-32", "cp1252"])
def test_other_encodings_are_refused(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("illness,town\nGrippe,Köln\nHusten,Zürich\n".encode(encoding))
    with pytest.raises(TableError, match="UTF-8"):
        dc.audit(str(tmp_path / "a.csv"), sensitive="illness", public="town")


def test_a_cell_of_five_megabytes_is_a_cell(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f'illness,town\nflu,{"x" * 5_000_000}\ncold,South\ngout,"{"y" * 5_000_000}"\n')
    found = dc.audit(str(tmp_path / "a.csv"), sensitive="illness", public="town")
    assert found.joint.n_x == 3


def test_a_record_batch_is_a_table() -> None:
    batch = TABLE.to_batches()[0]
    assert dc.audit(batch, sensitive="illness", public="town").joint.total == 160


def test_a_reader_that_was_read_is_told(tmp_path: Path) -> None:
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches())
    reader.read_all()
    with pytest.raises(TableError, match="read"):
        dc.audit(reader, sensitive="illness", public="town")


@pytest.mark.parametrize("na", [5, [5], {"?": 1, 2: 3}, None])
def test_texts_that_mean_missing_are_texts(na: Any) -> None:
    with pytest.raises(InputError, match="na must be text"):
        dc.audit(TABLE, sensitive="illness", public="town", na=na)


def test_periods_are_labels_by_their_names() -> None:
    frame = pd.DataFrame({"month": pd.period_range("2021-01", periods=4, freq="M"), "illness": list("abab")})
    joint = dc.Joint.from_table(frame, "illness", "month")
    assert joint.x == ("2021-01", "2021-02", "2021-03", "2021-04")
