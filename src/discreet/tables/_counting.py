"""Counting a table: roles are checked, columns are made canonical, missing values are treated as the user said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Unpack

import numpy as np

from discreet import _checks as checks
from discreet._typing import BoolArray, IntArray, Limits, MissingPolicy, Progress, Reading
from discreet.errors import ColumnError, DiscreetError, InputError, TableError, listed
from discreet.tables._bands import Band
from discreet.tables._coarsened import through_bands
from discreet.tables._columns import encode_column
from discreet.tables._labels import Alphabet, combine
from discreet.tables._protocol import check_columns
from discreet.tables._sources import group, named, source_of


@dataclass(frozen=True)
class Missing:
    """What was done with missing values: the policy, how many rows had one, by column, and how many were dropped."""

    policy: MissingPolicy
    rows: int
    by_column: dict[str, int]
    dropped: int

    def sentence(self) -> str:
        """The statement that every output carries."""
        if not self.rows:
            return "no values were missing"
        where = ", ".join(f"{name} {count}" for name, count in self.by_column.items() if count)
        rows = f"{self.rows} row{'s' if self.rows > 1 else ''}"
        what = "dropped" if self.policy == "drop" else "kept, missing as a level of its own"
        return f"{rows} with missing values {what} ({where})"


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct (s, x[, a]) of a table: an alphabet and a code an entry for each role, and how often each was seen."""

    s: Alphabet
    x: Alphabet
    a: Alphabet | None
    s_codes: IntArray
    x_codes: IntArray
    a_codes: IntArray | None
    counts: IntArray
    rows: int
    missing: Missing
    bands: Mapping[str, Band] = field(default_factory=dict)  # of the public columns that were made coarser


def count(
    table: object,
    sensitive: str | Sequence[str],
    public: str | Sequence[str],
    side: str | Sequence[str] | None = None,
    *,
    bare: bool = False,
    bands: Mapping[str, Band] | None = None,
    **reading: Unpack[Reading],
) -> Counted:
    """Count how often each s was seen with each x (and a) in any kind of table; where `bare`, there need be no s.

    `reading` is as of `Joint.from_table`; `bands` are how some public columns are made coarser while they are counted.
    """
    missing, na = reading.get("missing", "level"), reading.get("na", ())
    if missing == "wildcard":
        raise InputError("missing='wildcard' is for audits alone: use 'level', 'drop' or 'error'")
    checks.choice(missing, MissingPolicy, name="missing")
    roles = _roles(sensitive, public, side, bare=bare)
    columns = [name for names in roles for name in names]
    texts = frozenset(checks.texts(na, name="na"))
    limits: Limits = {"memory_limit": reading.get("memory_limit"), "progress": reading.get("progress")}
    table, known = banded(table, roles[1], bands or {}, texts, **limits)
    coded, counts = counted_columns(table, columns, na=texts, **limits)
    rows = int(counts.sum())
    if rows == 0:
        raise TableError(f"{named(table)} has no rows: there is nothing to measure")
    absent = [_absent(alphabet, codes) for alphabet, codes in coded]
    by_column = {
        name: int(counts[gone].sum()) if gone is not None else 0 for name, gone in zip(columns, absent, strict=True)
    }
    for name, lacking in by_column.items():
        if lacking == rows:
            raise TableError(f"column {name!r} has no values, all {rows} are missing: leave it out")
    gone = _any(absent, len(counts))
    report = Missing(missing, int(counts[gone].sum()), by_column, int(counts[gone].sum()) if missing == "drop" else 0)
    if report.rows and missing == "error":
        lacking_columns = [name for name, lacking in by_column.items() if lacking]
        raise TableError(
            f"{report.rows} of {rows} rows have missing values (in {listed(lacking_columns)}): "
            "use missing='level' or missing='drop'"
        )
    if report.dropped == rows:
        raise TableError(f"all {rows} rows have a missing value: nothing is left when they are dropped")
    if report.dropped:
        stays = ~gone
        counts, coded = counts[stays], [_narrow(alphabet, codes[stays]) for alphabet, codes in coded]
    s_names, x_names, a_names = roles
    nothing = Alphabet(((None,),)), np.zeros(len(counts), dtype=np.int64)
    s, s_codes = combine(coded[: len(s_names)], s_names) if s_names else nothing
    x, x_codes = combine(coded[len(s_names) : len(s_names) + len(x_names)], x_names)
    if not a_names:
        return Counted(s, x, None, s_codes, x_codes, None, counts, rows - report.dropped, report, known)
    a, a_codes = combine(coded[-len(a_names) :], a_names)
    return Counted(s, x, a, s_codes, x_codes, a_codes, counts, rows - report.dropped, report, known)


def banded(
    table: object, public: Sequence[str], bands: Mapping[str, Band], na: frozenset[str], **limits: Unpack[Limits]
) -> tuple[object, dict[str, Band]]:
    """The table with its public columns made coarser, and the bands as they were found to be."""
    if not bands:
        return table, {}
    for name in bands:
        if name not in public:
            raise ColumnError(
                f"column {name!r} is to be coarsened, and is not public: the public columns are {listed(list(public))}"
            )
    source = source_of(table)
    check_columns(list(bands), source.columns(), source.name)
    return through_bands(source, bands, na, **limits)


def counted_columns(
    table: object,
    columns: Sequence[str],
    *,
    na: frozenset[str] = frozenset(),
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> tuple[list[tuple[Alphabet, IntArray]], IntArray]:
    """The distinct rows of some columns, numbered by canonical labels, with counts.

    Whatever an engine or a library says of a table that it cannot read may quote its cells, so it is told in our words.
    """
    try:
        values, counts = group(table, columns, memory_limit=memory_limit, progress=progress)
        if progress:
            progress("sorting labels", None)
        return [encode_column(column, na) for column in values], counts
    except (DiscreetError, MemoryError):
        raise
    except Exception as problem:
        raise TableError(
            f"{named(table)} cannot be counted ({type(problem).__name__}): check that the columns named hold plain values"
        ) from None


def _roles(
    sensitive: str | Sequence[str],
    public: str | Sequence[str],
    side: str | Sequence[str] | None,
    *,
    bare: bool = False,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Column names by role: none twice, none with two roles, S and X not empty."""
    s = checks.columns(sensitive, name="sensitive", optional=bare)
    x = checks.columns(public, name="public")
    a = checks.columns(side, name="side", optional=True)
    for one, other, names, others in (
        ("sensitive", "public", s, x),
        ("sensitive", "side information", s, a),
        ("public", "side information", x, a),
    ):
        taken = set(others)
        both = [name for name in names if name in taken]
        if both:
            raise ColumnError(f"column {both[0]!r} is both {one} and {other}: give it one role")
    return s, x, a


def _absent(alphabet: Alphabet, codes: IntArray) -> BoolArray | None:
    """Which entries are missing; None is always the last label."""
    if len(alphabet) == 0 or alphabet.label(len(alphabet) - 1) is not None:
        return None
    return np.equal(codes, len(alphabet) - 1)


def _any(masks: list[BoolArray | None], length: int) -> BoolArray:
    total = np.zeros(length, dtype=bool)
    for mask in masks:
        if mask is not None:
            total |= mask
    return total


def _narrow(alphabet: Alphabet, codes: IntArray) -> tuple[Alphabet, IntArray]:
    """Forget the labels that no entry has any more."""
    used = np.zeros(len(alphabet), dtype=bool)
    used[codes] = True
    return alphabet.take(np.flatnonzero(used)), (np.cumsum(used) - 1)[codes]
