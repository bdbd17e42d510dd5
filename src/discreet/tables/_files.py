"""Tables in files: CSV, TSV, Parquet, Arrow/Feather and Excel.

DuckDB groups what may be larger than memory, within a memory limit and with a scratch folder of its own. Text files
are read as text: what is a number is decided from all the distinct values, not from a sample of rows.
"""

from __future__ import annotations

import csv
import glob
import gzip
import io
import re
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import IntArray
from discreet.errors import TableError
from discreet.tables._arrow import to_numpy
from discreet.tables._sources import COUNT, check_columns

if TYPE_CHECKING:
    import duckdb

TEXT = {".csv": None, ".tsv": "\t", ".tab": "\t", ".txt": None, ".data": None}
ARROW = (".arrow", ".feather", ".ipc")
EXCEL = (".xlsx", ".xlsm")
PARQUET = (".parquet", ".pq")
KNOWN = (*TEXT, *PARQUET, *ARROW, *EXCEL)
_HEADER_BYTES = 1 << 20


def group(
    path: str, columns: Sequence[str], memory_limit: str | None, progress: Callable[[str, float | None], None] | None
) -> tuple[list[Any], IntArray]:
    """The distinct rows of a file's named columns, with counts."""
    base, kind, sheet = locate(path)
    if kind in EXCEL:
        names, values = _excel(base, sheet)
        check_columns(columns, names, base)
        wanted = [values[names.index(name)] for name in columns]
        return list(wanted), np.ones(len(wanted[0]), dtype=np.int64)
    if kind in PARQUET and _parts_differ(base, columns):
        return _group_parts(base, columns, memory_limit, progress)
    with connection(memory_limit) as con:
        source, quoted = _relation(con, base, kind, columns)
        keys = ", ".join(quoted)
        named = ", ".join(f"{key} AS c{i}" for i, key in enumerate(quoted))
        query = f"SELECT {named}, count(*) AS {COUNT} FROM {source} GROUP BY {keys}"  # noqa: S608, names are quoted
        grouped = _run(con, query, base, progress)
    return [grouped[f"c{i}"] for i in range(len(columns))], to_numpy(grouped[COUNT]).astype(np.int64)


def in_order(path: str, columns: Sequence[str]) -> list[Any]:
    """A file's named columns, row by row."""
    base, kind, sheet = locate(path)
    if kind in EXCEL:
        names, values = _excel(base, sheet)
        check_columns(columns, names, base)
        return [values[names.index(name)] for name in columns]
    paths = expand(base) if kind in PARQUET and _parts_differ(base, columns) else [base]
    found: list[list[Any]] = [[] for _ in columns]
    for each in paths:
        with connection(None) as con:
            source, quoted = _relation(con, each, kind, columns)
            named = ", ".join(f"{key} AS c{i}" for i, key in enumerate(quoted))
            part = _run(con, f"SELECT {named} FROM {source}", base, None)  # noqa: S608, names are quoted
        if len(paths) == 1:
            return [part[f"c{i}"] for i in range(len(columns))]
        for i, column in enumerate(found):
            column += part[f"c{i}"].to_pylist()
    return list(found)


def _parts_differ(base: str, columns: Sequence[str]) -> bool:
    """Whether the parts of a table store a column in different types: DuckDB would cast them all to the first one's."""
    import pyarrow.parquet as pq

    paths = expand(base)
    if len(paths) < 2:
        return False
    schemas = _reading(lambda: [pq.read_schema(path) for path in paths], base)
    return any(
        len({str(schema.field(name).type) for schema in schemas if name in schema.names}) > 1 for name in columns
    )


def _group_parts(
    base: str, columns: Sequence[str], memory_limit: str | None, progress: Callable[[str, float | None], None] | None
) -> tuple[list[Any], IntArray]:
    """Every part counted by itself, as plain values."""
    found: list[list[object]] = [[] for _ in columns]
    counts = []
    for path in expand(base):
        values, count = group(path, columns, memory_limit, progress)
        counts.append(count)
        for column, part in zip(found, values, strict=True):
            column += part.to_pylist()
    return list(found), np.concatenate(counts)


def column_names(path: str) -> list[str]:
    """The header of a file."""
    base, kind, sheet = locate(path)
    if kind in TEXT:
        return _header(base, TEXT[kind])[0]
    if kind in EXCEL:
        return _excel(base, sheet, header_only=True)[0]
    if kind in PARQUET:
        import pyarrow.parquet as pq

        return [str(name) for name in _reading(lambda: pq.read_schema(expand(base)[0]).names, base)]
    return [str(name) for name in _reading(lambda: _arrow(base).schema.names, base)]


def locate(path: str) -> tuple[str, str, str | None]:
    """A path, checked; its kind by suffix; and the sheet named after '#' in a workbook."""
    base, sheet = path, None
    if not Path(path).exists():
        book, mark, name = path.rpartition("#")
        if mark and Path(book).suffix.lower() in EXCEL:
            base, sheet = book, name
    file = Path(base)
    suffixes = [suffix.lower() for suffix in file.suffixes]
    kind = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] == ".gz" else (suffixes[-1] if suffixes else "")
    if file.is_dir():
        raise TableError(
            f"{base} is a folder, not a table: name a file, or the files in it as '{base.rstrip('/')}/*.parquet'"
        )
    if not file.exists() and not expand(base):
        raise TableError(f"{base} does not exist")
    if kind not in KNOWN:
        raise TableError(
            f"{base} is not of a known kind: use a file that ends in {', '.join(KNOWN)}, or a database URL"
        )
    for each in expand(base):
        _check_readable(each, kind)
    return base, kind, sheet


def expand(path: str) -> list[str]:
    """The files that a path names: itself, or those that match it."""
    return [path] if Path(path).exists() else sorted(glob.glob(path))  # noqa: PTH207, the path may be absolute


def _check_readable(path: str, kind: str) -> None:
    try:
        with Path(path).open("rb") as file:
            head = file.read(1 << 16)
    except OSError as problem:
        raise TableError(f"{path} cannot be read: {problem.strerror}") from None
    if not head:
        raise TableError(f"{path} is empty")
    if kind in TEXT and not path.lower().endswith(".gz"):
        if head.startswith(b"PAR1"):
            raise TableError(f"{path} is a Parquet file: rename it to end in .parquet")
        if b"\0" in head:
            raise TableError(
                f"{path} is not UTF-8 text but binary: save it as CSV in UTF-8, or give it its right suffix"
            )


@contextmanager
def connection(memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of our own: it spills to a scratch folder that goes away, and fetches nothing from anywhere."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="discreet-") as scratch:
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": scratch,
            "autoinstall_known_extensions": False,
            "preserve_insertion_order": False,
        }
        if memory_limit is not None:
            config["memory_limit"] = memory_limit
        try:
            con = duckdb.connect(config=config)
        except duckdb.Error:
            raise TableError(f"memory limit {memory_limit!r} is not a size: use for instance '4GB'") from None
        try:
            yield con
        finally:
            con.close()


def _relation(con: duckdb.DuckDBPyConnection, base: str, kind: str, columns: Sequence[str]) -> tuple[str, list[str]]:
    """What to select from, in SQL, and the named columns as identifiers there."""
    if kind in TEXT:
        return _text_relation(base, TEXT[kind], columns)
    if kind in PARQUET:
        import pyarrow.parquet as pq

        # A folder named column=value is a folder like any other: only what is in the file counts.
        source = f"read_parquet({_paths(base)}, hive_partitioning=false)"
        names = _reading(lambda: pq.read_schema(expand(base)[0]).names, base)
    else:
        source = "arrow_file"
        stored = _reading(lambda: _arrow(base), base)
        names = stored.schema.names
        con.register(source, stored)
    check_columns(columns, names, base)
    # DuckDB renames columns that differ in case only, but keeps their places.
    known = _reading(lambda: con.sql(f"FROM {source}").columns, base)
    return source, ['"' + known[names.index(name)].replace('"', '""') + '"' for name in columns]


def _arrow(base: str) -> Any:
    """Arrow files and streams; files are mapped, not loaded."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    with Path(expand(base)[0]).open("rb") as file:
        is_file = file.read(6) == b"ARROW1"
    if is_file:
        return ds.dataset(expand(base), format="ipc")
    with pa.memory_map(base) as source, pa.ipc.open_stream(source) as reader:
        return reader.read_all()


def _text_relation(base: str, delimiter: str | None, columns: Sequence[str]) -> tuple[str, list[str]]:
    names, found = _header(base, delimiter)
    check_columns(columns, names, base)
    declared = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    source = (
        f"read_csv({_paths(base)}, auto_detect=false, header=true, delim={_quote(found)}, quote='\"', escape='\"', "
        f"nullstr='', null_padding=false, ignore_errors=false, columns={{{declared}}})"
    )
    return source, [f"c{names.index(name)}" for name in columns]


def _header(base: str, delimiter: str | None) -> tuple[list[str], str]:
    """The column names of a text file, and its delimiter: the likely mark that occurs most in the header."""
    headers = set()
    for path in expand(base):
        try:
            with _opened(path) as file:
                text = file.read(_HEADER_BYTES).decode("utf-8-sig", errors="replace")
        except (OSError, EOFError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not what its name says, or cut short"
            raise TableError(f"{path} cannot be read: {reason}") from None
        except zlib.error:
            raise TableError(f"{path} is damaged: it does not decompress") from None
        if not text.strip():
            raise TableError(f"{path} is empty")
        if text[:1] in ("\r", "\n"):
            raise TableError(f"{path} begins with an empty line: the first line must name the columns")
        first = text.splitlines()[0]
        if "\ufffd" in first:
            raise TableError(f"{path} is not UTF-8 text: save it in UTF-8")
        outside = re.sub(r'"[^"]*"', "", first)
        found = delimiter or max(",;\t|", key=outside.count)
        try:
            names = next(csv.reader(io.StringIO(text, newline=""), delimiter=found, strict=True))
        except (csv.Error, StopIteration):
            raise TableError(f"the header of {path} cannot be read: check its quotes") from None
        headers.add((tuple(names), found))
    if len(headers) > 1:
        raise TableError(f"the files {base} have different headers: give files with the same columns")
    names_found, found = headers.pop()
    return list(names_found), found


def _opened(path: str) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else Path(path).open("rb")


def _paths(base: str) -> str:
    """The files in SQL; names that exist are taken literally, stars and brackets included."""
    return "[" + ", ".join(_quote(re.sub(r"([*?\[])", r"[\1]", path)) for path in expand(base)) + "]"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _run(
    con: duckdb.DuckDBPyConnection, query: str, base: str, progress: Callable[[str, float | None], None] | None
) -> Any:
    """Run the grouping; while it runs, say how far it is."""
    done = threading.Event()

    def report() -> None:
        while progress and not done.wait(0.2):
            share = con.query_progress()
            progress("counting", share / 100 if share >= 0 else None)

    watcher = threading.Thread(target=report, daemon=True)
    if progress:
        watcher.start()
    try:
        return _reading(lambda: con.sql(query).to_arrow_table(), base)
    finally:
        done.set()
        if progress:
            watcher.join()


def _reading(read: Callable[[], Any], base: str) -> Any:
    """Turn an engine's complaint into one line of our own: theirs quote the data."""
    import duckdb
    import pyarrow as pa

    try:
        return read()
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as problem:
        if "interrupt" in str(problem).lower():
            raise KeyboardInterrupt from None
        raise
    except duckdb.OutOfMemoryException:
        raise TableError(f"counting {base} needs more memory than allowed: raise the memory limit") from None
    except (duckdb.Error, pa.ArrowException, OSError, ValueError) as problem:
        text = str(problem)
        line = re.search(r"[Ll]ine:? (\d+)", text)
        where = f"{base}, line {line[1]}" if line else base
        lowered = text.lower()
        if "utf-8" in lowered or "unicode" in lowered or "encod" in lowered:
            raise TableError(f"{where} is not UTF-8 text: save it in UTF-8") from None
        if "csv error" in lowered or "expected number of columns" in lowered:
            raise TableError(
                f"{where} does not have the header's number of fields, or a quote is not closed: mend that line"
            ) from None
        raise TableError(f"{base} is damaged or not of the kind its name says ({type(problem).__name__})") from None


def _excel(path: str, sheet: str | None, header_only: bool = False) -> tuple[list[str], list[list[object]]]:
    """A worksheet: the first row names the columns."""
    import zipfile

    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, InvalidFileException):
        raise TableError(f"{path} is damaged or not an Excel workbook") from None
    try:
        if sheet is not None and sheet not in book.sheetnames:
            raise TableError(f"{path} has no sheet {sheet!r}: it has {', '.join(map(repr, book.sheetnames))}")
        rows = book[sheet or book.sheetnames[0]].iter_rows(values_only=True)
        header = next(rows, ())
        names = ["" if name is None else str(name) for name in header]
        if not any(names):
            raise TableError(f"{path} has no header: the first row must name the columns")
        body = [] if header_only else [row for row in rows if any(cell is not None for cell in row)]
    finally:
        book.close()
    # Trailing empty cells are left out of a row by some writers.
    return names, [[row[i] if i < len(row) else None for row in body] for i in range(len(names))]
