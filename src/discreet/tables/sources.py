"""Where tables come from: files, databases, data frames of any library, plain rows.

Each source answers one question, the distinct rows of some columns with their counts. What is in memory already is
handed over as it is, every row counting once; what is not is grouped by the engine that holds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.errors import ColumnError, TableError, listed
from discreet.tables.arrow import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    Progress = Callable[[str, float | None], None]

Columns = "list[pa.ChunkedArray | list[object]]"
Counts = npt.NDArray[np.int64]
COUNT = "__discreet_count"


def group(
    table: object, columns: Sequence[str], memory_limit: str | None = None, progress: Progress | None = None
) -> tuple[list[pa.ChunkedArray | list[object]], Counts]:
    """The distinct rows of the named columns (or all of them, for what is in memory), with counts."""
    if isinstance(table, str) and "://" in table:
        from discreet.tables import databases

        return databases.group(table, columns)
    if isinstance(table, str | Path):
        from discreet.tables import files

        return files.group(str(table), columns, memory_limit, progress)
    if isinstance(table, Mapping):
        check_columns(columns, list(table), "the table")
        return _group_lists([list(table[name]) for name in columns], columns)
    if isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
        check_columns(columns, list(dict.fromkeys(name for row in table for name in row)), "the rows")
        return _group_lists([[row.get(name) for row in table] for name in columns], columns)
    return _group_frame(table, columns)


def column_names(table: object) -> list[str]:
    """The names of a table's columns, in order."""
    if isinstance(table, str) and "://" in table:
        from discreet.tables import databases

        return databases.column_names(table)
    if isinstance(table, str | Path):
        from discreet.tables import files

        return files.column_names(str(table))
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


def _group_lists(values: list[list[object]], columns: Sequence[str]) -> tuple[list[Any], Counts]:
    lengths = {len(column) for column in values}
    if len(lengths) > 1:
        raise TableError(f"columns {listed(list(columns))} differ in length: {sorted(lengths)}")
    return list(values), np.ones(lengths.pop(), dtype=np.int64)


def _frame(table: object) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(table)
    except TypeError:
        raise TableError(
            f"a {type(table).__name__} is not a table: give a path, a database URL, a data frame, "
            "a mapping of columns or a list of mappings"
        ) from None
    except (ValueError, nw.exceptions.NarwhalsError) as problem:
        raise ColumnError(f"the data frame cannot be used: {problem}") from None


def _names(frame: Any) -> list[str]:
    import narwhals as nw

    return list(frame.collect_schema().names() if isinstance(frame, nw.LazyFrame) else frame.columns)


def _group_frame(table: object, columns: Sequence[str]) -> tuple[list[Any], Counts]:
    import narwhals as nw

    frame = _frame(table)
    check_columns(columns, _names(frame), "the data frame")
    if isinstance(frame, nw.LazyFrame):
        grouped = frame.select(*columns).group_by(*columns).agg(nw.len().alias(COUNT)).collect("pyarrow").to_native()
        counts = to_numpy(grouped[COUNT]).astype(np.int64)
        return [grouped[name] for name in columns], counts
    return [_column(frame, name) for name in columns], np.ones(len(frame), dtype=np.int64)


def _column(frame: Any, name: str) -> Any:
    """A column as Arrow, or as Python objects where Arrow has no type for what it holds."""
    import narwhals as nw
    import pyarrow as pa

    series = frame.get_column(name)
    try:
        column = series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return series.to_list()
    if series.dtype == nw.Object and pa.types.is_timestamp(column.type):
        return series.to_list()  # Arrow cuts pandas' own moments to microseconds
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
