"""Writing tables and texts: whole or not at all. To a temporary file beside the target first, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.tables.files import ARROW, EXCEL, PARQUET, connection

WRITABLE = (".parquet", ".pq", ".csv", ".tsv", ".arrow", ".feather", ".xlsx")
EXCEL_ROWS = 1_048_575


def check_target(path: str | Path, *, force: bool = True) -> Path:
    """A path that can be written to: in a folder that exists, not a folder itself, not there already unless forced."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder: name a file to write to")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent} to write {target.name} into")
    if target.exists() and not force:
        raise InputError(f"{target} exists already: use --force to replace it, or name another file")
    return target


def check_table_target(path: str | Path, *, force: bool) -> Path:
    """The same for a table, whose suffix names its format."""
    if Path(path).suffix.lower() not in WRITABLE:
        raise InputError(f"{path} does not name a format that can be written: end it in {', '.join(WRITABLE)}")
    return check_target(path, force=force)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary file that takes the target's place when all went well, and vanishes when it did not."""
    target = check_target(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=target.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, content: str) -> None:
    """Write a text file."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_repeated(path: str | Path, columns: Mapping[str, Sequence[Any]], counts: npt.NDArray[np.int64]) -> None:
    """Write a table that has row i of the columns `counts[i]` times, without holding all rows in memory."""
    import duckdb
    import pyarrow as pa

    kind = Path(path).suffix.lower()
    rows = pa.table({**{f"c{i}": pa.array(values) for i, values in enumerate(columns.values())}, "n": counts})
    names = ", ".join(f'c{i} AS "{name.replace(chr(34), chr(34) * 2)}"' for i, name in enumerate(columns))
    query = f"SELECT {names} FROM rows, range(n)"  # noqa: S608, names are quoted
    with replacing(path) as temporary, connection(None) as con:
        con.execute("SET preserve_insertion_order = true")
        con.register("rows", rows)
        try:
            if kind in EXCEL:
                _write_excel(temporary, list(columns), con, query, int(counts.sum()))
            elif kind in ARROW:
                _write_arrow(temporary, con, query)
            else:
                form = "FORMAT parquet" if kind in PARQUET else f"FORMAT csv, HEADER, DELIMITER '{_delimiter(kind)}'"
                con.execute(f"COPY ({query}) TO '{str(temporary).replace(chr(39), chr(39) * 2)}' ({form})")
        except duckdb.Error as problem:
            raise InputError(f"{path} cannot be written ({type(problem).__name__}): is the disk full?") from None


def _delimiter(kind: str) -> str:
    return "\t" if kind == ".tsv" else ","


def _write_arrow(target: Path, con: Any, query: str) -> None:
    import pyarrow as pa

    reader = con.sql(query).to_arrow_reader(1 << 16)
    with pa.OSFile(str(target), "wb") as sink, pa.ipc.new_file(sink, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _write_excel(target: Path, names: list[str], con: Any, query: str, rows: int) -> None:
    import openpyxl

    if rows > EXCEL_ROWS:
        raise InputError(f"{rows:,} rows do not fit an Excel sheet: write Parquet or CSV instead")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("released")
    sheet.append(names)
    for row in con.sql(query).fetchall():
        sheet.append(row)
    book.save(target)
