"""Tables in files: CSV, TSV, Parquet and Arrow/Feather.

DuckDB groups what may be larger than memory, within a memory limit and with a scratch folder of its own. Text files
are read as text: what is a number is decided from all the distinct values, not from a sample of rows.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import IntArray
from discreet.errors import TableError
from discreet.tables._arrow import to_numpy
from discreet.tables._paths import PARQUET, TEXT, expand, header_of, locate
from discreet.tables._protocol import COUNT, check_columns
from discreet.tables._scratch import scratch_folder

LONGEST_LINE = 64 << 20
"""Bytes of a line of text."""

if TYPE_CHECKING:
    import duckdb

    from discreet._typing import Progress


@dataclass(frozen=True)
class TableFile:
    """A file, or several of one kind and header that a pattern names."""

    path: str

    @classmethod
    def of(cls, table: object) -> TableFile | None:
        """Any path is one."""
        return cls(str(fspath(table))) if isinstance(table, str | PathLike) else None

    @property
    def name(self) -> str:
        """The path, as it was given."""
        return self.path

    def columns(self) -> list[str]:
        """The header, of the first file where there are several."""
        base, kind, _ = locate(self.path)
        if kind in TEXT:
            return header_of(base, TEXT[kind])[0]
        if kind in PARQUET:
            import pyarrow.parquet as pq

            return [str(name) for name in _reading(lambda: pq.read_schema(expand(base)[0]).names, base)]
        return [str(name) for name in _reading(lambda: _arrow_names(base), base)]

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """Grouped by DuckDB; parts that store a column in different types, each by itself."""
        base, kind, _ = locate(self.path)
        if kind in PARQUET and _parts_differ(base, columns):
            parts = [
                TableFile(path).group(columns, memory_limit=memory_limit, progress=progress) for path in expand(base)
            ]
            values = [[value for part, _ in parts for value in part[i].to_pylist()] for i in range(len(columns))]
            return list(values), np.concatenate([counts for _, counts in parts])
        query = f"SELECT {{named}}, count(*) AS {COUNT} FROM {{source}} GROUP BY {{keys}}"  # noqa: S608, names are quoted
        grouped = _asked(base, kind, columns, query, memory_limit, progress)
        return [grouped[f"c{i}"] for i in range(len(columns))], to_numpy(grouped[COUNT]).astype(np.int64)

    def read(self, columns: Sequence[str]) -> list[Any]:
        """Row by row."""
        base, kind, _ = locate(self.path)
        paths = expand(base) if kind in PARQUET and _parts_differ(base, columns) else [base]
        found: list[list[Any]] = [[] for _ in columns]
        for each in paths:
            part = _asked(each, kind, columns, "SELECT {named} FROM {source}", None, None)
            if len(paths) == 1:
                return [part[f"c{i}"] for i in range(len(columns))]
            for i, column in enumerate(found):
                column += part[f"c{i}"].to_pylist()
        return list(found)

    def files(self) -> list[str]:
        """All that the path names."""
        return expand(locate(self.path)[0])


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


@contextmanager
def connection(memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of our own: it spills to a scratch folder that goes away, and fetches nothing from anywhere."""
    import duckdb

    with scratch_folder() as scratch:
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


def _asked(
    base: str, kind: str, columns: Sequence[str], query: str, memory_limit: str | None, progress: Progress | None
) -> Any:
    """What DuckDB answers; lines that are longer than it reads at first are asked for again, with more memory."""
    for longest in (None, LONGEST_LINE):
        with connection(memory_limit) as con:
            source, quoted = _relation(con, base, kind, columns, longest)
            named = ", ".join(f"{key} AS c{i}" for i, key in enumerate(quoted))
            try:
                return _run(con, query.format(named=named, source=source, keys=", ".join(quoted)), base, progress)
            except _LongLineError:
                continue
    raise TableError(f"{base} has a line of more than {LONGEST_LINE >> 20} MB, or a quote is not closed")


class _LongLineError(TableError):
    """A line that is longer than DuckDB reads unless it is told to."""


def _relation(
    con: duckdb.DuckDBPyConnection, base: str, kind: str, columns: Sequence[str], longest: int | None
) -> tuple[str, list[str]]:
    """What to select from, in SQL, and the named columns as identifiers there."""
    if kind in TEXT:
        return _text_relation(base, TEXT[kind], columns, longest)
    if kind in PARQUET:
        import pyarrow.parquet as pq

        # A folder named column=value is a folder like any other: only what is in the file counts.
        source = f"read_parquet({_sql_paths(base)}, hive_partitioning=false)"
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
    """Arrow files and streams: mapped, not loaded, and every cell is looked at once.

    A damaged file may point anywhere in memory: engines trust it, and the process would be gone.
    """
    import pyarrow as pa

    parts = []
    for path in expand(base):
        with pa.memory_map(path) as source, _arrow_reader(source) as reader:
            part = reader.read_all()
        part.validate(full=True)
        parts.append(part)
    return pa.concat_tables(parts, promote_options="permissive")


def _arrow_names(base: str) -> list[str]:
    import pyarrow as pa

    with pa.memory_map(expand(base)[0]) as source, _arrow_reader(source) as reader:
        return [str(name) for name in reader.schema.names]


def _arrow_reader(source: Any) -> Any:
    """Of a file, which begins with a mark, or of a stream."""
    import pyarrow as pa

    is_file = source.read(6) == b"ARROW1"
    source.seek(0)
    return pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)


def _text_relation(
    base: str, delimiter: str | None, columns: Sequence[str], longest: int | None
) -> tuple[str, list[str]]:
    names, found = header_of(base, delimiter)
    check_columns(columns, names, base)
    place = {name: i for i, name in enumerate(names)}
    more = "" if longest is None else f", max_line_size={longest}, buffer_size={2 * longest}"
    declared = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    source = (
        f"read_csv({_sql_paths(base)}, auto_detect=false, header=true, delim={_quote(found)}, quote='\"', escape='\"', "
        f"nullstr='', null_padding=false, ignore_errors=false, columns={{{declared}}}{more})"
    )
    return source, [f"c{place[name]}" for name in columns]


def _sql_paths(base: str) -> str:
    """The files in SQL; names that exist are taken literally, stars and brackets included."""
    return "[" + ", ".join(_quote(re.sub(r"([*?\[])", r"[\1]", path)) for path in expand(base)) + "]"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _run(con: duckdb.DuckDBPyConnection, query: str, base: str, progress: Progress | None) -> Any:
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
        if "maximum line size" in lowered or "max_line_size" in lowered:
            raise _LongLineError(f"{where} is too long") from None
        if "utf-8" in lowered or "unicode" in lowered or "encod" in lowered:
            raise TableError(f"{where} is not UTF-8 text: save it in UTF-8") from None
        if "csv error" in lowered or "expected number of columns" in lowered:
            raise TableError(
                f"{where} does not have the header's number of fields, or a quote is not closed: mend that line"
            ) from None
        raise TableError(f"{base} is damaged or not of the kind its name says ({type(problem).__name__})") from None
