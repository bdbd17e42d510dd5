"""A first recipe for a table that nobody described."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._text import counted
from discreet.columns import ColumnGuess, guess_columns
from discreet.columns._judging import ValueCounts, judge_kept, rounding
from discreet.errors import TableError
from discreet.recipe._sections import ColumnSection, DataSection, OutputSection
from discreet.tables._columns import encode_column
from discreet.tables._counting import counted_columns
from discreet.tables._files import TableFile
from discreet.tables._sources import column_names, named, source_of

if TYPE_CHECKING:
    from discreet._typing import Progress


LARGE = 1 << 24  # bytes of files, from which columns may have too many values to list
MOST_LISTED = 250_000  # different values of a column, beyond which a sample of them is looked at
SAMPLED = 50_000


@dataclass
class Profile:
    """Of every column its different values, sorted, and how many records have each.

    Attributes
    ----------
    fine
        Columns with too many values to list, with about how many there are: theirs are a sample, and so are the records.
    """

    rows: int
    columns: dict[str, tuple[Sequence[Any], npt.NDArray[np.int64]]]
    fine: dict[str, int] = field(default_factory=dict)


def profile(table: object, na: Sequence[str] = (), progress: Progress | None = None) -> Profile:
    """Look at one column at a time, and at a sample of a column with very many values, so that any size will do."""
    names = column_names(table)
    rows, fine = _fine(table, names, progress)
    found = Profile(rows, {}, fine)
    for i, name in enumerate(names):
        if progress:
            progress(f"looking at {name}", i / len(names))
        if name in fine:
            found.columns[name] = _sampled(table, name, rows, fine[name], na)
            continue
        ((alphabet, codes),), counts = counted_columns(table, [name], na=frozenset(na))
        found.columns[name] = (alphabet.labels(), np.bincount(codes, counts, len(alphabet)).astype(np.int64))
        found.rows = max(found.rows, int(counts.sum()))
    if not found.rows:
        raise TableError(f"{named(table)} has no rows: there is nothing to guess from")
    return found


def _fine(table: object, names: Sequence[str], progress: Progress | None) -> tuple[int, dict[str, int]]:
    """The rows of a file, and the columns with more values than can be listed; other tables list all of theirs."""
    source = source_of(table)
    if not isinstance(source, TableFile) or sum(map(os.path.getsize, source.files())) < LARGE:
        return 0, {}
    if progress:
        progress("counting rows", None)
    rows, distinct = source.sketch(names)
    return rows, {name: min(rows, each) for name, each in zip(names, distinct, strict=True) if each > MOST_LISTED}


def _sampled(
    table: object, name: str, rows: int, distinct: int, na: Sequence[str]
) -> tuple[Sequence[Any], npt.NDArray[np.int64]]:
    """A sample of a column's values, with as many records as all values have; what is missing is counted."""
    source = source_of(table)
    assert isinstance(source, TableFile)  # noqa: S101, no other source has columns that are fine
    (values,), counts = source.sample(name, max(1, distinct // SAMPLED))
    alphabet, codes = encode_column(values, frozenset(na))
    labels, records = alphabet.labels(), np.bincount(codes, counts, len(alphabet)).astype(np.float64)
    missing = records[-1] if len(labels) and labels[-1] is None else 0.0
    present = records[:-1] if missing else records
    present *= (rows - missing) / max(1.0, present.sum())
    return labels, np.maximum(1, np.rint(records)).astype(np.int64)


def guessed(table: object, na: Sequence[str] = (), columns: Profile | None = None) -> dict[str, Any]:
    """The fields of a recipe, by names and distinct values."""
    seen = profile(table, na) if columns is None else columns
    rows = seen.rows
    found = guess_columns(seen.columns, rows, seen.fine)
    where, _, inner = str(fspath(table)).partition("#") if isinstance(table, str | PathLike) else ("", "", "")
    sensitive = [each.name for each in found if each.role == "sensitive"]
    counted = {name: ValueCounts(name, *seen.columns[name], seen.fine.get(name)) for name in sensitive}
    refused = {name: judge_kept(each) for name, each in counted.items()}
    notes = {each.name: _note(each, rows, about=each.name in seen.fine) for each in found}
    notes |= {name: f"{notes[name]}; {_advice(counted[name])}" for name, refusal in refused.items() if refusal}
    return {
        "data": DataSection(table=where, name=inner or None, na=list(na)),
        "columns": {each.name: _section(each) for each in found},
        "require": _require([each.distinct for each in found if each.role == "sensitive"]),
        "output": OutputSection(
            keep=[name for name in sensitive if not refused[name]],
            policy="private-policy.json",
            public_policy="cells.json",
            report="private-report.html",
        ),
        "notes": notes,
        "questions": {each.name: each.question for each in found if each.question and each.role == "public"},
    }


def _require(values: Sequence[int]) -> tuple[str, ...]:
    """Groups of five with three sensitive values, or with as many as there are of one that has fewer."""
    k = min([3, *values])
    return ("n>=5", f"k>={k}") if values and k > 1 else ("n>=5",)


def _section(each: ColumnGuess) -> ColumnSection:
    if each.role != "public":
        return ColumnSection(role=each.role)
    # A type that only a person can tell is left out, so that running the recipe asks for it.
    kind = None if each.question else each.type.kind
    return ColumnSection(role="public", type=kind, band=each.type.band, order=list(each.type.order))


def _advice(column: ValueCounts) -> str:
    """What to do with a sensitive column before it is kept."""
    step = rounding(column)
    return f"it hardly repeats: round it, to {step} for example, before you keep it" if step else "not kept as it is"


def _note(each: ColumnGuess, rows: int, *, about: bool) -> str:
    missing = f", {each.missing:,} of {rows:,} missing" if each.missing else ""
    return f"{'about ' if about else ''}{counted(each.distinct, 'different value')}{missing}; {each.reason}"
