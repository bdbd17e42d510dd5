"""Where tables come from: databases, workbooks, files, plain rows, data frames of any library, clusters.

Each source answers one question, the distinct rows of some columns with their counts. What is in memory already is
handed over as it is, every row counting once; what is not is grouped by the engine that holds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.tables._coarsened import Coarsened
from discreet.tables._databases import DatabaseTable
from discreet.tables._duckdb import memory_bytes
from discreet.tables._files import TableFile
from discreet.tables._frames import ColumnMapping, Frame, RowList
from discreet.tables._spark import SparkTable
from discreet.tables._statistics import RFile, StatisticsFile
from discreet.tables._workbooks import Workbook

if TYPE_CHECKING:
    from discreet._typing import IntArray, Progress
    from discreet.tables._protocol import Source

SOURCES: tuple[type[Source], ...] = (
    Coarsened,
    DatabaseTable,
    Workbook,
    StatisticsFile,
    RFile,
    TableFile,
    ColumnMapping,
    RowList,
    SparkTable,
    Frame,
)
"""Asked in turn whether a table is theirs; the last takes whatever is left."""


def source_of(table: object) -> Source:
    """The source that a user's table is."""
    return next(source for kind in SOURCES if (source := kind.of(table)) is not None)


def group(
    table: object, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
) -> tuple[list[Any], IntArray]:
    """The distinct rows of the named columns (or all of them, for what is in memory), with counts."""
    memory_bytes(memory_limit)  # before anything is opened, and whatever holds the table
    return source_of(table).group(columns, memory_limit=memory_limit, progress=progress)


def in_order(table: object, columns: Sequence[str], most: int | None = None) -> list[Any]:
    """The named columns row by row, in the order that the table has them: for what is told about every row, or the first."""
    return source_of(table).read(columns, most)


def column_names(table: object) -> list[str]:
    """The names of a table's columns, in order."""
    return source_of(table).columns()


def named(table: object) -> str:
    """What a table is called in messages and reports: never with a password in it."""
    return source_of(table).name
