"""Tables in memory: a mapping of columns, a list of mappings, a data frame of any library (through narwhals).

They are handed over as they are, every row counting once, unless their values are so few that counting is cheap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import an
from discreet._typing import IntArray
from discreet.errors import ColumnError, TableError, listed
from discreet.tables._arrow import as_chunks, to_numpy
from discreet.tables._numbering import count_rows
from discreet.tables._protocol import COUNT, check_columns

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet._typing import Progress


class _InMemory:
    """What all tables in memory have in common."""

    name = "the table"

    def files(self) -> list[str]:
        """None: it is not read from a file."""
        return []


@dataclass(frozen=True)
class ColumnMapping(_InMemory):
    """Columns by name."""

    table: Mapping[Any, Any]

    @classmethod
    def of(cls, table: object) -> ColumnMapping | None:
        """Any mapping is one."""
        return cls(table) if isinstance(table, Mapping) else None

    def columns(self) -> list[str]:
        """The keys of the mapping."""
        return [str(name) for name in self.table]

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """The columns, as Arrow where it has a type for them."""
        check_columns(columns, list(self.table), "the table")
        return [_values(self.table[name])[:most] for name in columns]

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """The columns, counted."""
        return _counted(self.read(columns), columns)


@dataclass(frozen=True)
class RowList(_InMemory):
    """Rows, each a mapping of names to values."""

    table: Sequence[Mapping[Any, Any]]

    @classmethod
    def of(cls, table: object) -> RowList | None:
        """A sequence of mappings is one, an empty sequence too."""
        is_rows = isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table)
        return cls(table) if is_rows else None  # type: ignore[arg-type]

    def columns(self) -> list[str]:
        """All the keys of its rows, in the order in which they turn up."""
        return [str(name) for name in dict.fromkeys(name for row in self.table for name in row)]

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """The columns; what a row does not have is missing."""
        check_columns(columns, self.columns(), "the rows")
        return [[row.get(name) for row in self.table[:most]] for name in columns]

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """The columns, counted."""
        return _counted(self.read(columns), columns)


@dataclass(frozen=True)
class Frame(_InMemory):
    """A data frame of pandas, polars, Arrow, DuckDB, PySpark …; a lazy one is grouped by the engine that holds it."""

    table: object

    @classmethod
    def of(cls, table: object) -> Frame:
        """Whatever is no other kind of table should be one; if it is not, that is said when it is asked."""
        return cls(table)

    def columns(self) -> list[str]:
        """Its columns, without collecting it."""
        return _names(_frame(self.table))

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """The columns; a lazy frame is collected."""
        import narwhals as nw

        frame = _frame(self.table)
        check_columns(columns, _names(frame), "the data frame")
        if most is not None:
            frame = frame.head(most)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.select(*columns).collect("pyarrow")
        return [_column(frame, name) for name in columns]

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """The columns, counted here or by the frame's own engine."""
        import narwhals as nw

        frame = _frame(self.table)
        check_columns(columns, _names(frame), "the data frame")
        if not isinstance(frame, nw.LazyFrame):
            return count_rows([_column(frame, name) for name in columns], len(frame))
        grouped = frame.select(*columns).group_by(*columns).agg(nw.len().alias(COUNT)).collect("pyarrow").to_native()
        return [grouped[name] for name in columns], to_numpy(grouped[COUNT]).astype(np.int64)


def _values(column: Any) -> Any:
    """A column of a mapping: arrays and series go to Arrow where it has a type for them, all else is a list."""
    if isinstance(column, list | tuple) or str(getattr(column, "dtype", "")) == "object":
        return list(column)
    import pyarrow as pa

    if isinstance(column, pa.Array | pa.ChunkedArray):  # Python would see its scalars, and none of them as missing
        is_foreign = isinstance(column.type, pa.BaseExtensionType)
        return column.to_pylist() if is_foreign else as_chunks(column)
    try:
        return as_chunks(pa.array(column, from_pandas=True))
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return list(column)


def _counted(values: list[Any], columns: Sequence[str]) -> tuple[list[Any], IntArray]:
    lengths = {len(column) for column in values}
    if len(lengths) > 1:
        raise TableError(f"columns {listed(list(columns))} differ in length: {sorted(lengths)}")
    return count_rows(values, lengths.pop())


def _frame(table: object) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(table)
    except TypeError:
        if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
            return nw.from_native(_arrow_table(table))
        raise TableError(
            f"{an(type(table).__name__)} is not a table: give a path, a database URL, a data frame, "
            "a mapping of columns or a list of mappings"
        ) from None
    except (ValueError, nw.exceptions.NarwhalsError) as problem:
        raise ColumnError(f"the data frame cannot be used: {problem}") from None


def _arrow_table(table: Any) -> pa.Table:
    """Record batches, readers and the like."""
    import pyarrow as pa

    try:
        found = pa.table(table)
    except (pa.ArrowException, TypeError, ValueError):
        raise TableError(f"a {type(table).__name__} cannot be read as a table: has it been read already?") from None
    if not len(found) and "Reader" in type(table).__name__:
        raise TableError(
            "the reader has no rows left, and can be read once only: give the table, such as reader.read_all()"
        )
    return found


def _names(frame: Any) -> list[str]:
    import narwhals as nw

    return list(frame.collect_schema().names() if isinstance(frame, nw.LazyFrame) else frame.columns)


def _column(frame: Any, name: str) -> Any:
    """A column as Arrow, or as Python objects where Arrow has no type for what it holds."""
    import narwhals as nw
    import pyarrow as pa

    series = frame.get_column(name)
    native = series.to_native()
    try:
        column = native if isinstance(native, pa.ChunkedArray) else series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return series.to_list()
    if isinstance(
        column.type, pa.BaseExtensionType
    ):  # pandas' periods and the like: their values, not how they are stored
        return series.to_list()
    if series.dtype == nw.Object and pa.types.is_temporal(column.type):
        return (
            series.to_list()
        )  # Arrow would make all dates and moments of a mixed column one type, and cut what is finer
    return as_chunks(column)
