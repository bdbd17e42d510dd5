"""What a table source answers. A new kind of source is one file with such a class, and one line in `_sources.SOURCES`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from discreet.errors import ColumnError, listed

if TYPE_CHECKING:
    from typing import Self

    from discreet._typing import IntArray, Progress

COUNT = "__discreet_count"


class Source(Protocol):
    """A table, wherever it lives. Nothing is opened before a question is asked.

    A column is an Arrow array, integers, or a list of Python values; `_columns.encode_column` takes any of them.
    """

    @classmethod
    def of(cls, table: object) -> Self | None:
        """The source that a user's table is, or None where it is one of another kind."""

    @property
    def name(self) -> str:
        """What messages and reports call it: never with a password in it."""

    def columns(self) -> list[str]:
        """The names of its columns, in order."""

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """The distinct rows of the named columns, with counts; what is in memory may repeat rows."""

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """The named columns row by row, in the order that the table has them; the first so many rows where `most` says so."""

    def files(self) -> list[str]:
        """The files that it is read from: no release may replace them."""


def check_columns(columns: Sequence[str], names: Sequence[object], where: str) -> None:
    """Every named column is there, and there once."""
    known = [str(name) for name in names]
    times = Counter(known)
    for column in columns:
        if column not in times:
            hint = [name for name in known if name.strip().casefold() == column.strip().casefold()]
            raise ColumnError(
                f"{where} has no column {column!r}: "
                + (f"did you mean {hint[0]!r}?" if hint else f"it has {listed(known)}")
            )
        if times[column] > 1:
            raise ColumnError(f"{where} has {times[column]} columns named {column!r}: rename all but one")
