"""A first recipe for a table that nobody described."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._text import counted
from discreet.columns import ColumnGuess, guess_columns
from discreet.errors import TableError
from discreet.recipe._sections import ColumnSection, DataSection, OutputSection
from discreet.tables._counting import counted_columns
from discreet.tables._sources import column_names, named

if TYPE_CHECKING:
    from discreet._typing import Progress


Profile = dict[str, tuple[Sequence[Any], npt.NDArray[np.int64]]]
"""Of every column its different values, sorted, and how many records have each."""


def profile(table: object, na: Sequence[str] = (), progress: Progress | None = None) -> Profile:
    """The distinct values of every column with their records; one column is counted at a time, so that any size will do."""
    names = column_names(table)
    columns: Profile = {}
    for i, name in enumerate(names):
        if progress:
            progress(f"looking at {name}", i / len(names))
        ((alphabet, codes),), counts = counted_columns(table, [name], na=frozenset(na))
        columns[name] = (alphabet.labels(), np.bincount(codes, counts, len(alphabet)).astype(np.int64))
    if not any(counts.sum() for _, counts in columns.values()):
        raise TableError(f"{named(table)} has no rows: there is nothing to guess from")
    return columns


def guessed(table: object, na: Sequence[str] = (), columns: Profile | None = None) -> dict[str, Any]:
    """The fields of a recipe, by names and distinct values."""
    columns = profile(table, na) if columns is None else columns
    rows = max(int(counts.sum()) for _, counts in columns.values())
    found = guess_columns(columns, rows)
    where, _, inner = str(fspath(table)).partition("#") if isinstance(table, str | PathLike) else ("", "", "")
    sensitive = [each.name for each in found if each.role == "sensitive"]
    return {
        "data": DataSection(table=where, name=inner or None, na=list(na)),
        "columns": {each.name: _section(each) for each in found},
        "require": ("n>=5", "k>=3") if sensitive else ("n>=5",),
        "output": OutputSection(keep=sensitive, report="report.html", public_policy="cells.json"),
        "notes": {each.name: _note(each, rows) for each in found},
        "questions": {each.name: each.question for each in found if each.question and each.role == "public"},
    }


def _section(each: ColumnGuess) -> ColumnSection:
    if each.role != "public":
        return ColumnSection(role=each.role)
    # A type that only a person can tell is left out, so that running the recipe asks for it.
    return ColumnSection(role="public", type=None if each.question else each.type.kind, order=list(each.type.order))


def _note(each: ColumnGuess, rows: int) -> str:
    missing = f", {each.missing:,} of {rows:,} missing" if each.missing else ""
    return f"{counted(each.distinct, 'different value')}{missing}; {each.reason}"
