"""Writing tables and texts: whole or not at all. To a temporary file beside the target first, then renamed."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import BoolArray, IntArray
from discreet.errors import InputError
from discreet.tables._arrow import from_integers, from_values
from discreet.tables._numbering import count_rows
from discreet.tables._paths import ARROW, EXCEL, PARQUET, TEXT
from discreet.tables._scratch import scratch_file
from discreet.tables._sources import group

if TYPE_CHECKING:
    import pyarrow as pa

WRITABLE = (".parquet", ".pq", ".csv", ".tsv", ".arrow", ".feather", ".xlsx")
EXCEL_ROWS = 1_048_575
BATCH = 1 << 20  # rows written at a time


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
def replacing(path: str | Path, *, private: bool = False) -> Iterator[Path]:
    """A temporary file that takes the target's place when all went well, and vanishes when it did not.

    A `private` file can be read by its owner alone.
    """
    target = check_target(path)
    with scratch_file(target.parent, f".{target.name}.", target.suffix) as temporary:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o600 if private else 0o666 & ~umask)
        temporary.replace(target)


@contextmanager
def staged_text(path: str | Path, content: str, *, private: bool = False) -> Iterator[None]:
    """A text file that is written at once, and takes its place when what depends on it went well, too."""
    with replacing(path, private=private) as temporary:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield


def write_text(path: str | Path, content: str, *, private: bool = False) -> None:
    """Write a text file; a `private` one can be read by its owner alone."""
    with staged_text(path, content, private=private):
        pass


def write_repeated(
    path: str | Path,
    columns: Mapping[str, Sequence[Any]],
    counts: IntArray,
    *,
    check: Callable[[Path], None] | None = None,
) -> None:
    """Write a table that has row i of the columns `counts[i]` times, a million rows at a time.

    `check` is given the file before it takes its place, and may refuse it.
    """
    import pyarrow as pa

    kind = Path(path).suffix.lower()
    writers = {
        **dict.fromkeys(PARQUET, _write_parquet),
        **dict.fromkeys(ARROW, _write_arrow),
        **dict.fromkeys(EXCEL, _write_excel),
    }
    try:
        values = {name: _indexed(list(column)) for name, column in columns.items()}
    except (pa.ArrowException, OverflowError):
        raise InputError(f"a column of {path} mixes kinds of values that no file can hold: leave it out") from None
    with replacing(path) as temporary:
        try:
            writers.get(kind, _write_text)(temporary, _batches(values, counts), int(counts.sum()))
        except (pa.ArrowException, OSError) as problem:
            reason = getattr(problem, "strerror", None) or type(problem).__name__
            raise InputError(f"{path} cannot be written ({reason}): is the disk full?") from None
        if check:
            check(temporary)


def write_rows(path: str | Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """A table of plain columns, in the format that the suffix names."""
    rows = len(next(iter(columns.values())))
    given = {name: list(values) for name, values in columns.items()}
    write_repeated(check_table_target(path, force=True), given, np.ones(rows, dtype=np.int64))


def fitted(columns: Mapping[str, Sequence[Any]], path: str | Path) -> dict[str, list[Any]]:
    """The columns as the format of a file can hold them: what it has no type for becomes text that reads the same."""
    kind = Path(path).suffix.lower()
    return {name: _fitted(list(values), kind) for name, values in columns.items()}


def _fitted(values: list[Any], kind: str) -> list[Any]:
    if kind not in TEXT and kind not in EXCEL:
        return values
    present = [value for value in values if value is not None]
    if kind in TEXT and any(isinstance(value, bool) for value in present):
        return [str(value).lower() if isinstance(value, bool) else value for value in values]
    if any(isinstance(value, Decimal) for value in present):
        return [None if value is None else str(value) for value in values]
    moments = [value for value in present if isinstance(value, dt.datetime)]
    if kind in EXCEL and any(moment.tzinfo or moment.microsecond for moment in moments):
        return [None if value is None else value.isoformat() for value in values]
    return values


def _indexed(values: list[Any]) -> tuple[pa.Array, npt.NDArray[np.int32], BoolArray | None]:
    """A column's values without the missing ones, the place of every value among them, and which are not missing."""
    import pyarrow as pa

    valid = np.fromiter((value is not None for value in values), dtype=bool, count=len(values))
    if valid.all():
        return from_values(values), np.arange(len(values), dtype=np.int32), None
    present = [value for value in values if value is not None]
    place = np.maximum(np.cumsum(valid) - 1, 0).astype(np.int32)
    return from_values(present) if present else pa.array([], pa.string()), place, valid


def _batches(
    values: Mapping[str, tuple[pa.Array, npt.NDArray[np.int32], BoolArray | None]],
    counts: IntArray,
) -> Iterator[pa.Table]:
    """The repeated rows, as tables of dictionary columns: a value is stored once and its rows are numbers."""
    import pyarrow as pa

    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, max(total, 1), BATCH):
        stop = min(start + BATCH, total)
        first, last = np.searchsorted(ends, [start, stop - 1], side="right")
        here = np.arange(first, last + 1, dtype=np.int32)
        before = ends[here] - counts[here]
        inside = np.minimum(ends[here], stop) - np.maximum(before, start)
        rows = np.repeat(here, inside)
        yield pa.table(
            {
                name: pa.DictionaryArray.from_arrays(
                    from_integers(rows if valid is None else place[rows], None if valid is None else valid[rows]),
                    column,
                )
                for name, (column, place, valid) in values.items()
            }
        )


def read_back(path: str | Path, names: Sequence[str]) -> tuple[list[Any], IntArray]:
    """The distinct rows of a table that was just written, with counts."""
    if Path(path).suffix.lower() not in PARQUET:
        return group(str(path), list(names))
    import pyarrow as pa
    import pyarrow.parquet as pq

    found: list[list[Any]] = [[] for _ in names]
    counts = []
    with pq.ParquetFile(path, read_dictionary=list(names)) as file:
        for batch in file.iter_batches(BATCH, columns=list(names)):
            columns, count = count_rows([pa.chunked_array([batch.column(name)]) for name in names], len(batch))
            counts.append(count)
            for column, part in zip(found, columns, strict=True):
                column += part.tolist() if isinstance(part, np.ndarray) else part.to_pylist()
    return list(found), np.concatenate(counts)


def _write_parquet(target: Path, batches: Iterator[pa.Table], rows: int) -> None:
    import pyarrow.parquet as pq

    first = next(batches)
    with pq.ParquetWriter(target, first.schema, write_statistics=False) as writer:
        writer.write_table(first)
        for batch in batches:
            writer.write_table(batch)


def _write_arrow(target: Path, batches: Iterator[pa.Table], rows: int) -> None:
    import pyarrow as pa

    first = _plain(next(batches))
    with pa.OSFile(str(target), "wb") as sink, pa.ipc.new_file(sink, first.schema) as writer:
        writer.write_table(first)
        for batch in batches:
            writer.write_table(_plain(batch))


def _write_text(target: Path, batches: Iterator[pa.Table], rows: int) -> None:
    import pyarrow.csv as pc

    delimiter = "\t" if target.suffix.lower() == ".tsv" else ","
    first = _plain(next(batches))
    options = pc.WriteOptions(delimiter=delimiter, quoting_style="needed")
    with pc.CSVWriter(target, first.schema, write_options=options) as writer:
        writer.write_table(first)
        for batch in batches:
            writer.write_table(_plain(batch))


def _plain(table: pa.Table) -> pa.Table:
    import pyarrow as pa

    return pa.table({name: table[name].cast(table[name].type.value_type) for name in table.column_names})


def _write_excel(target: Path, batches: Iterator[pa.Table], rows: int) -> None:
    import openpyxl
    from openpyxl.utils.exceptions import IllegalCharacterError

    if rows > EXCEL_ROWS:
        raise InputError(f"{rows:,} rows do not fit an Excel sheet: write Parquet or CSV instead")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("released")
    for i, batch in enumerate(batches):
        if i == 0:
            sheet.append(batch.column_names)
        for row in zip(*(batch[name].to_pylist() for name in batch.column_names), strict=True):
            try:
                sheet.append([_as_text_cell(sheet, cell) for cell in row])
            except (IllegalCharacterError, ValueError, TypeError):
                book.close()
                raise InputError("a cell holds what an Excel sheet cannot: write Parquet or CSV instead") from None
    book.save(target)


def _as_text_cell(sheet: Any, value: Any) -> Any:
    """A text that begins with "=" as a text: Excel would run it as a formula."""
    if not isinstance(value, str) or not value.startswith("="):
        return value
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet, value)
    cell.data_type = "s"
    return cell
