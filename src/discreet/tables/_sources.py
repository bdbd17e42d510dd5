"""Where tables come from: files, databases, data frames of any library, plain rows.

Each source answers one question, the distinct rows of some columns with their counts. What is in memory already is
handed over as it is, every row counting once; what is not is grouped by the engine that holds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import IntArray
from discreet.errors import ColumnError, TableError, listed
from discreet.tables._arrow import from_integers, to_numpy

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet._typing import Progress

Columns = "list[pa.ChunkedArray | list[object]]"
COUNT = "__discreet_count"


def group(
    table: object, columns: Sequence[str], memory_limit: str | None = None, progress: Progress | None = None
) -> tuple[list[pa.ChunkedArray | list[object]], IntArray]:
    """The distinct rows of the named columns (or all of them, for what is in memory), with counts."""
    if isinstance(table, str) and "://" in table:
        from discreet.tables import _databases as databases

        return databases.group(table, columns)
    if isinstance(table, str | PathLike):
        from discreet.tables import _files as files

        return files.group(str(fspath(table)), columns, memory_limit, progress)
    if isinstance(table, Mapping):
        check_columns(columns, list(table), "the table")
        return _group_lists([_values(table[name]) for name in columns], columns)
    if isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
        check_columns(columns, list(dict.fromkeys(name for row in table for name in row)), "the rows")
        return _group_lists([[row.get(name) for row in table] for name in columns], columns)
    return _group_frame(table, columns)


def in_order(table: object, columns: Sequence[str]) -> list[pa.ChunkedArray | list[object]]:
    """The named columns row by row, in the order that the table has them: for what is told about every row."""
    if isinstance(table, str) and "://" in table:
        from discreet.tables import _databases as databases

        return databases.in_order(table, columns)
    if isinstance(table, str | PathLike):
        from discreet.tables import _files as files

        return files.in_order(str(fspath(table)), columns)
    if isinstance(table, Mapping):
        check_columns(columns, list(table), "the table")
        return [_values(table[name]) for name in columns]
    if isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
        check_columns(columns, list(dict.fromkeys(name for row in table for name in row)), "the rows")
        return [[row.get(name) for row in table] for name in columns]
    import narwhals as nw

    frame = _frame(table)
    check_columns(columns, _names(frame), "the data frame")
    if isinstance(frame, nw.LazyFrame):
        frame = frame.select(*columns).collect("pyarrow")
    return [_column(frame, name) for name in columns]


def column_names(table: object) -> list[str]:
    """The names of a table's columns, in order."""
    if isinstance(table, str) and "://" in table:
        from discreet.tables import _databases as databases

        return databases.column_names(table)
    if isinstance(table, str | PathLike):
        from discreet.tables import _files as files

        return files.column_names(str(fspath(table)))
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    if isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
        return [str(name) for name in dict.fromkeys(name for row in table for name in row)]
    return _names(_frame(table))


def check_columns(columns: Sequence[str], names: Sequence[object], where: str) -> None:
    """Every named column is there, and there once."""
    known = [str(name) for name in names]
    for column in columns:
        if column not in known:
            hint = [name for name in known if name.strip().casefold() == column.strip().casefold()]
            raise ColumnError(
                f"{where} has no column {column!r}: "
                + (f"did you mean {hint[0]!r}?" if hint else f"it has {listed(known)}")
            )
        if known.count(column) > 1:
            raise ColumnError(f"{where} has {known.count(column)} columns named {column!r}: rename all but one")


def _values(column: Any) -> Any:
    """A column of a mapping: arrays and series go to Arrow where it has a type for them, all else is a list."""
    if isinstance(column, list | tuple) or str(getattr(column, "dtype", "")) == "object":
        return list(column)
    import pyarrow as pa

    try:
        return pa.chunked_array([pa.array(column, from_pandas=True)])
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return list(column)


def _group_lists(values: list[Any], columns: Sequence[str]) -> tuple[list[Any], IntArray]:
    lengths = {len(column) for column in values}
    if len(lengths) > 1:
        raise TableError(f"columns {listed(list(columns))} differ in length: {sorted(lengths)}")
    return count_rows(values, lengths.pop())


def _frame(table: object) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(table)
    except TypeError:
        if hasattr(table, "__arrow_c_stream__"):  # record batches, readers and the like
            import pyarrow as pa

            return nw.from_native(pa.table(table))
        raise TableError(
            f"a {type(table).__name__} is not a table: give a path, a database URL, a data frame, "
            "a mapping of columns or a list of mappings"
        ) from None
    except (ValueError, nw.exceptions.NarwhalsError) as problem:
        raise ColumnError(f"the data frame cannot be used: {problem}") from None


def _names(frame: Any) -> list[str]:
    import narwhals as nw

    return list(frame.collect_schema().names() if isinstance(frame, nw.LazyFrame) else frame.columns)


def _group_frame(table: object, columns: Sequence[str]) -> tuple[list[Any], IntArray]:
    import narwhals as nw

    frame = _frame(table)
    check_columns(columns, _names(frame), "the data frame")
    if isinstance(frame, nw.LazyFrame):
        grouped = frame.select(*columns).group_by(*columns).agg(nw.len().alias(COUNT)).collect("pyarrow").to_native()
        counts = to_numpy(grouped[COUNT]).astype(np.int64)
        return [grouped[name] for name in columns], counts
    return count_rows([_column(frame, name) for name in columns], len(frame))


def count_rows(columns: list[Any], rows: int) -> tuple[list[Any], IntArray]:
    """Join equal rows of columns in memory, when their values are few: every row becomes a number, and numbers are
    counted.

    Whole numbers count from their least, other values by an Arrow dictionary. Where the products of the numbers of
    values exceed what a table can hold, the rows are left as they are, each counting once.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if rows == 0 or not all(isinstance(column, pa.ChunkedArray) for column in columns):
        return columns, np.ones(rows, dtype=np.int64)
    key = np.zeros(rows, dtype=np.int64)
    most = max(1 << 20, 4 * rows)
    parts: list[tuple[int, int, Any]] = []  # number of values, the least, and the dictionary
    for column in columns:
        if pa.types.is_integer(column.type) and column.type != pa.uint64() and column.null_count == 0:
            values = to_numpy(column)
            least = int(values.min())
            size, dictionary = int(values.max()) - least + 1, None
        else:
            try:
                encoded = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column, "encode")
            except pa.ArrowNotImplementedError:  # nested types
                return columns, np.ones(rows, dtype=np.int64)
            encoded = encoded.unify_dictionaries()
            dictionary = encoded.chunk(0).dictionary
            if any(chunk.indices.null_count for chunk in encoded.chunks):
                return columns, np.ones(rows, dtype=np.int64)
            values, least = np.concatenate([to_numpy(chunk.indices) for chunk in encoded.chunks]), 0
            size = len(dictionary)
        if size > most // max(1, int(np.prod([part[0] for part in parts], dtype=object))):
            return columns, np.ones(rows, dtype=np.int64)
        key *= size
        key += values
        key -= least
        parts.append((size, least, dictionary))
    totals = np.bincount(key)
    present = np.flatnonzero(totals)
    found: list[Any] = []
    rest = present
    for size, least, dictionary in reversed(parts):
        rest, codes = np.divmod(rest, size)
        found.append(codes + least if dictionary is None else pa.chunked_array([_take(dictionary, codes)]))
    return found[::-1], totals[present]


def _take(dictionary: pa.Array, codes: npt.NDArray[np.int64]) -> pa.Array:
    return dictionary.take(from_integers(codes))


def _column(frame: Any, name: str) -> Any:
    """A column as Arrow, or as Python objects where Arrow has no type for what it holds."""
    import narwhals as nw
    import pyarrow as pa

    series = frame.get_column(name)
    try:
        column = series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return series.to_list()
    if series.dtype == nw.Object and pa.types.is_temporal(column.type):
        return (
            series.to_list()
        )  # Arrow would make all dates and moments of a mixed column one type, and cut what is finer
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
