"""Tables in files: CSV, TSV, Parquet and Arrow/Feather, one file or many.

DuckDB groups what may be larger than memory. Text files are read as text: what is a number is decided from all the
distinct values, not from a sample of rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from discreet._typing import IntArray, Limits
from discreet.errors import TableError
from discreet.tables._arrow import to_numpy
from discreet.tables._band_sql import DUCKDB, key_of, known_number
from discreet.tables._bands import Band
from discreet.tables._duckdb import LongLineError, connection, reading, run
from discreet.tables._paths import PARQUET, TEXT, Located, header_of, locate
from discreet.tables._protocol import COUNT, check_columns

LONGEST_LINE = 64 << 20
"""Bytes of a line of text."""

if TYPE_CHECKING:
    import duckdb

    from discreet._typing import Progress


@dataclass(frozen=True)
class TableFile:
    """A file, several of one kind that a pattern names, or a folder of them."""

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
        """The header, of the first file where there are several; then what the folders tell."""
        found = locate(self.path)
        return _with_keys(_stored_names(found), found)

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """Grouped by DuckDB; parts that store a column in different types, each by itself."""
        query = f"SELECT {{named}}, count(*) AS {COUNT} FROM {{source}} GROUP BY {{keys}}"  # noqa: S608, names are quoted
        parts = [
            _asked(part, columns, query, memory_limit=memory_limit, progress=progress)
            for part in _alike(locate(self.path), columns)
        ]
        return _stacked(parts, len(columns)), np.concatenate([to_numpy(part[COUNT]).astype(np.int64) for part in parts])

    def group_by_band(
        self, columns: Sequence[str], bands: Mapping[str, Band], na: Iterable[str], **limits: Unpack[Limits]
    ) -> tuple[list[Any], IntArray, dict[str, IntArray]]:
        """The same with some columns made coarser first; and of each of them, how many rows have no value of its kind."""
        keys = {name: partial(key_of, band=bands[name], na=na, dialect=DUCKDB) for name in columns if name in bands}
        odd = ", ".join(f"count(*) FILTER ({{odd[{i}]}}) AS o{i}" for i in range(len(columns)))
        query = f"SELECT {{named}}, count(*) AS {COUNT}, {odd} FROM {{source}} GROUP BY {{keys}}"  # noqa: S608
        parts = [_asked(part, columns, query, keys=keys, **limits) for part in _alike(locate(self.path), columns)]
        counts = np.concatenate([to_numpy(part[COUNT]).astype(np.int64) for part in parts])
        others = {
            name: np.concatenate([to_numpy(part[f"o{i}"]).astype(np.int64) for part in parts])
            for i, name in enumerate(columns)
            if name in bands
        }
        return _stacked(parts, len(columns)), counts, others

    def quantiles(
        self, column: str, shares: Sequence[float], na: Iterable[str], **limits: Unpack[Limits]
    ) -> list[float]:
        """Of a column's numbers, the least that so large a share of the records reaches."""
        table = locate(self.path)
        keys = {column: lambda name, stored: (known_number(name, stored, na, DUCKDB), "false")}
        query = f"SELECT quantile_disc(c0, {list(shares)}) AS q FROM (SELECT {{named}} FROM {{source}})"  # noqa: S608
        (found,) = _asked(table, [column], query, keys=keys, **limits)["q"].to_pylist()
        return [] if found is None else [float(value) for value in found]

    def sketch(self, columns: Sequence[str], *, progress: Progress | None = None) -> tuple[int, list[int]]:
        """How many rows, and about how many different values each column has; one pass that holds no values."""
        found = ", ".join(f"approx_count_distinct(c{i}) AS d{i}" for i in range(len(columns)))
        query = f"SELECT count(*) AS {COUNT}, {found} FROM (SELECT {{named}} FROM {{source}})"  # noqa: S608
        parts = [_asked(part, columns, query, progress=progress) for part in _alike(locate(self.path), columns)]
        (rows, *distinct) = ([int(part[name][0].as_py()) for part in parts] for name in parts[0].column_names)
        return sum(rows), [sum(each) for each in distinct]

    def sample(self, column: str, one_in: int, *, progress: Progress | None = None) -> tuple[list[Any], IntArray]:
        """One in so many different values of a column, by their hash and so the same ones always, with all their records."""
        inner = f"(SELECT {{named}} FROM {{source}}) WHERE c0 IS NULL OR hash(c0) % {one_in} = 0"  # noqa: S608
        query = f"SELECT c0, count(*) AS {COUNT} FROM {inner} GROUP BY c0"  # noqa: S608
        parts = [_asked(part, [column], query, progress=progress) for part in _alike(locate(self.path), [column])]
        return _stacked(parts, 1), np.concatenate([to_numpy(part[COUNT]).astype(np.int64) for part in parts])

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """Row by row."""
        query = "SELECT {named} FROM {source}" if most is None else f"SELECT {{named}} FROM {{source}} LIMIT {most}"  # noqa: S608
        parts = [_asked(part, columns, query, in_order=True) for part in _alike(locate(self.path), columns)]
        return [column[:most] for column in _stacked(parts, len(columns))]

    def files(self) -> list[str]:
        """All that the path names."""
        return list(locate(self.path).paths)


def _stacked(parts: list[Any], width: int) -> list[Any]:
    """The columns of all parts; as Python values where parts differ in type."""
    if len(parts) == 1:
        return [parts[0][f"c{i}"] for i in range(width)]
    return [[value for part in parts for value in part[f"c{i}"].to_pylist()] for i in range(width)]


def _stored_names(table: Located) -> list[str]:
    if table.kind in TEXT:
        return header_of(table, TEXT[table.kind])[0]
    if table.kind in PARQUET:
        import pyarrow.parquet as pq

        return [str(name) for name in reading(lambda: pq.read_schema(table.paths[0]).names, table.name)]
    return [str(name) for name in reading(lambda: _arrow_names(table.paths[0]), table.name)]


def _with_keys(names: list[str], table: Located) -> list[str]:
    return [*names, *(key for key in table.keys if key not in names)]


def _alike(table: Located, columns: Sequence[str]) -> list[Located]:
    """The table as one, or file by file where Parquet files store a column in different types.

    DuckDB would cast them all to the first one's; and of a file without the column it would only say that it failed.
    """
    import pyarrow.parquet as pq

    if table.kind not in PARQUET or len(table.paths) < 2:
        return [table]
    schemas = {path: reading(partial(pq.read_schema, path), path) for path in table.paths}
    check_columns(columns, _with_keys(schemas[table.paths[0]].names, table), table.name)
    for path, schema in schemas.items():
        lacking = [name for name in columns if name not in schema.names and name not in table.keys]
        if lacking:
            raise TableError(
                f"{path} has no column {lacking[0]!r}, which other files of {table.name} have: give files with the same columns"
            )
    types = [{str(each.field(name).type) for each in schemas.values() if name in each.names} for name in columns]
    return table.alone() if any(len(kinds) > 1 for kinds in types) else [table]


def _asked(
    table: Located,
    columns: Sequence[str],
    query: str,
    *,
    memory_limit: str | None = None,
    progress: Progress | None = None,
    in_order: bool = False,
    keys: Mapping[str, Callable[[str, str], tuple[str, str]]] | None = None,
) -> Any:
    """What DuckDB answers; lines that are longer than it reads at first are asked for again, with more memory."""
    for longest in (None, LONGEST_LINE):
        with connection(memory_limit, in_order=in_order) as con:
            source, found = _relation(con, table, columns, longest)
            asked = [(keys or {}).get(name, _as_stored)(*each) for name, each in zip(columns, found, strict=True)]
            named = ", ".join(f"{key} AS c{i}" for i, (key, _) in enumerate(asked))
            grouped, odd = ", ".join(key for key, _ in asked), [odd for _, odd in asked]
            try:
                told = run(con, query.format(named=named, source=source, keys=grouped, odd=odd), table.name, progress)
                return _with_zones(told, [stored for _, stored in found], columns, keys or {})
            except LongLineError:
                continue
    raise TableError(f"{table.name} has a line of more than {LONGEST_LINE >> 20} MB, or a quote is not closed")


def _as_stored(column: str, stored: str) -> tuple[str, str]:
    return column, "false"


def _with_zones(told: Any, stored: Sequence[str], columns: Sequence[str], keys: Mapping[str, object]) -> Any:
    """Moments of a zone that were cut in UTC are of UTC again."""
    import pyarrow.compute as pc

    for i, (name, kind) in enumerate(zip(columns, stored, strict=True)):
        if name in keys and kind == "TIMESTAMP WITH TIME ZONE" and str(told[f"c{i}"].type).startswith("timestamp"):
            place = told.schema.get_field_index(f"c{i}")
            told = told.set_column(place, f"c{i}", pc.assume_timezone(told[f"c{i}"], "UTC"))
    return told


def _relation(
    con: duckdb.DuckDBPyConnection, table: Located, columns: Sequence[str], longest: int | None
) -> tuple[str, list[tuple[str, str]]]:
    """What to select from, in SQL, and the named columns there: identifiers, and the types that they are stored in."""
    names = _stored_names(table)
    check_columns(columns, _with_keys(names, table), table.name)
    told = [name for name in columns if name not in names]  # by folders: nothing else was let through
    if told and table.kind not in TEXT and table.kind not in PARQUET:
        raise TableError(f"column {told[0]!r} is told by folders, which Arrow files do not have: write Parquet")
    if told and (both := _told_twice(table, columns, names)):
        raise TableError(
            f"column {both!r} is in the files of {table.name} and in the names of their folders: rename one"
        )
    # Folders named column=value count only where a column is asked for that no file has.
    options = f"hive_partitioning={str(bool(told)).lower()}{', hive_types_autocast=false' if told else ''}"
    if table.kind in TEXT:
        source = _text_source(table, names, options, longest)
        quoted = [f"c{names.index(name)}" if name in names else _identifier(name) for name in columns]
        return source, [(name, "VARCHAR") for name in quoted]
    if table.kind in PARQUET:
        source = f"read_parquet({_sql_paths(table)}, {options})"
    else:
        source = "arrow_file"
        con.register(source, reading(lambda: _arrow(table), table.name))
    # DuckDB renames columns that differ in case only, but keeps their places.
    relation = reading(lambda: con.sql(f"FROM {source}"), table.name)
    known, types = relation.columns, dict(zip(relation.columns, map(str, relation.types), strict=True))
    places = [known[names.index(name)] if name in names else name for name in columns]
    return source, [(_identifier(place), types[place]) for place in places]


def _told_twice(table: Located, columns: Sequence[str], names: Sequence[str]) -> str | None:
    """A column that is asked for, and that files and some folder above them tell: DuckDB would take the folder's."""
    from pathlib import Path

    above = {part.partition("=")[0] for path in table.paths for part in Path(path).parent.parts if "=" in part}
    return next((name for name in columns if name in names and name in above), None)


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _arrow(table: Located) -> Any:
    """Arrow files and streams: mapped, not loaded, and every cell is looked at once.

    A damaged file may point anywhere in memory: engines trust it, and the process would be gone.
    """
    import pyarrow as pa

    parts = []
    for path in table.paths:
        with pa.memory_map(path) as source, _arrow_reader(source) as reader:
            part = reader.read_all()
        part.validate(full=True)
        parts.append(part)
    return pa.concat_tables(parts, promote_options="permissive")


def _arrow_names(path: str) -> list[str]:
    import pyarrow as pa

    with pa.memory_map(path) as source, _arrow_reader(source) as reader:
        return [str(name) for name in reader.schema.names]


def _arrow_reader(source: Any) -> Any:
    """Of a file, which begins with a mark, or of a stream."""
    import pyarrow as pa

    is_file = source.read(6) == b"ARROW1"
    source.seek(0)
    return pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)


def _text_source(table: Located, names: Sequence[str], options: str, longest: int | None) -> str:
    """Every field as text, in columns c0, c1, …"""
    _, delimiter = header_of(table, TEXT[table.kind])
    more = "" if longest is None else f", max_line_size={longest}, buffer_size={2 * longest}"
    declared = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    return (
        f"read_csv({_sql_paths(table)}, auto_detect=false, header=true, delim={_quote(delimiter)}, quote='\"', escape='\"', "
        f"nullstr='', null_padding=false, ignore_errors=false, columns={{{declared}}}, {options}{more})"
    )


def _sql_paths(table: Located) -> str:
    """The files in SQL; names that exist are taken literally, stars and brackets included."""
    return "[" + ", ".join(_quote(re.sub(r"([*?\[])", r"[\1]", path)) for path in table.paths) + "]"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
