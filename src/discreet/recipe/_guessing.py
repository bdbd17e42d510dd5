"""A first recipe for a table that nobody described."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from discreet._text import counted
from discreet.columns import ColumnGuess, guess_columns
from discreet.errors import TableError
from discreet.recipe._sections import ColumnSection, DataSection, OutputSection
from discreet.tables._counting import counted_columns
from discreet.tables._sources import column_names, named


def guessed(table: object, na: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of a recipe, by names and distinct values; one column is counted at a time, so that any size will do."""
    columns = {}
    rows = 0
    for name in column_names(table):
        ((alphabet, codes),), counts = counted_columns(table, [name], na=frozenset(na))
        of_label = np.bincount(codes, counts, len(alphabet)).astype(np.int64)
        rows = int(counts.sum())
        columns[name] = (alphabet.labels(), of_label)
    if rows == 0:
        raise TableError(f"{named(table)} has no rows: there is nothing to guess from")
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
