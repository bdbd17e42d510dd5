"""Carrying out a policy: the rows that it makes of a table, as distinct rows with counts, and what they leak.

Nothing is written here. A release is the multiset of coarsened rows, in the order of its blocks: the order of the
original rows could itself give people away (many files are sorted by age), so it is not kept.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import BoolArray, Cells, IntArray, KeepAnyway
from discreet.columns._judging import PUBLIC_VALUES, ValueCounts
from discreet.errors import ColumnError, InputError, RequirementError, TableError, listed
from discreet.joint._joint import Joint, from_codes, nobody
from discreet.release._people import PeopleColumns, PeopleRisk
from discreet.tables._columns import encode_column
from discreet.tables._counting import banded
from discreet.tables._labels import Alphabet, combine
from discreet.tables._sources import column_names, group

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.release._coarsening import Coarsening

Coded = Mapping[str, tuple[Alphabet, IntArray]]


@dataclass(frozen=True, eq=False)
class ReleasedRows:
    """What came out: the rows (as distinct rows with counts), and the evidence."""

    columns: dict[str, list[Any]]  # distinct released rows, in order
    counts: IntArray  # how often each occurs
    rows: int
    dropped: int = 0  # rows with missing values, where the policy drops them
    withheld: int = 0  # rows whose letters the policy withholds
    unseen: int = 0  # rows whose value no block can truly stand for
    joint: Joint | None = None  # (s, released cell), where the table has S
    with_kept: Joint | None = None  # (s, released cell and kept columns), where columns were kept
    with_checked: Joint | None = None  # the same with those alone that must not break the promise
    anyway: frozenset[str] = frozenset()  # columns that are kept whatever they break
    measures: dict[str, float] = field(default_factory=dict)  # what the release leaks, recomputed from its rows
    recurs: bool = False  # whether every value of the policy's map occurs again, in at least as many records
    people: PeopleRisk | None = None  # who is found before and after, where that was asked
    value_counts: Mapping[str, ValueCounts] = field(
        default_factory=dict, repr=False
    )  # what released columns held, before


def carry_out(
    policy: Coarsening,
    table: object,
    *,
    keep: str | Sequence[str] = (),
    keep_anyway: KeepAnyway = False,
    cells: Cells = "label",
    people: PeopleColumns | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> ReleasedRows:
    """Coarsen a table without writing anything, and measure what the result leaks.

    With `people`, also who is found before and after; its columns are read beside the others, and not released.
    """
    words = policy.codewords
    if cells == "codeword" and not (words and all(_is_numeric(word, len(policy.public)) for word in words)):
        raise InputError("this policy has no numeric codeword for every column: release its labels instead")
    kept_names, anyway = kept_columns(keep, keep_anyway)
    for name in kept_names:
        if name in policy.public:
            raise ColumnError(f"{name!r} is a public column: it is released coarsened, and cannot be kept as it is")
    names = column_names(table)
    s_names, a_names = (role if all(name in names for name in role) else () for role in (policy.sensitive, policy.side))
    seen, _ = banded(table, policy.public, policy.bands, frozenset(policy.na))
    coded, counts = _counted(
        seen,
        [*policy.public, *s_names, *a_names, *(people.names if people else ())],
        kept_names,
        policy.na,
        (memory_limit, progress),
    )
    present = _present(policy, {name: coded[name] for name in (*policy.public, *s_names, *a_names)}, counts)
    x, x_codes = combine([coded[name] for name in policy.public], policy.public)
    block_of_letter, is_withheld = policy.blocks_of(x)
    block = block_of_letter[x_codes]
    gone = present & (block < 0)
    withheld = int(counts[gone & is_withheld[x_codes]].sum())
    stays = present & (block >= 0)
    if not stays.any():
        raise RequirementError("no row of this table can be released by this policy: its values are all unknown to it")
    rows = {name: (alphabet, codes[stays]) for name, (alphabet, codes) in coded.items()}
    kept = {name: rows[name] for name in kept_names}
    roles, released = (s_names, a_names), (block[stays], counts[stays])
    joint, with_kept = _joints(policy, rows, kept, roles, released)
    checked = {name: pair for name, pair in kept.items() if name not in anyway}
    with_checked = _joints(policy, rows, checked, roles, released)[1] if anyway else with_kept
    belonging = {PUBLIC_VALUES: x_codes[stays]}
    if people and people.household:
        belonging["household"] = rows[people.household][1]
    columns, row_counts = _distinct_rows(policy, cells, kept, (block[stays], counts[stays]))
    return ReleasedRows(
        columns=columns,
        counts=row_counts,
        rows=int(row_counts.sum()),
        dropped=int(counts[~present].sum()),
        withheld=withheld,
        unseen=int(counts[gone].sum()) - withheld,
        joint=joint,
        with_kept=with_kept,
        with_checked=with_checked,
        anyway=anyway,
        measures=policy.figures(joint) if joint is not None else {},
        value_counts={
            name: ValueCounts.of(name, *rows[name], counts[stays], belonging if name in kept else {})
            for name in (*policy.public, *kept_names)
            if name not in policy.bands
        },
        recurs=policy.recurs_in(x, int(counts[present].sum())),
        people=None if people is None else PeopleRisk.of(people, _groups(x_codes, block, present), counts, coded),
    )


def kept_columns(keep: str | Sequence[str], anyway: KeepAnyway) -> tuple[list[str], frozenset[str]]:
    """The columns to keep, each once, and those of them that are kept whatever they break: all, or those that are named.

    Examples
    --------
    >>> names, anyway = kept_columns(["town", "bill"], ["bill", "moment"])
    >>> names, sorted(anyway)
    (['town', 'bill', 'moment'], ['bill', 'moment'])
    >>> kept_columns("town", True)
    (['town'], frozenset({'town'}))
    """
    named = [] if isinstance(anyway, bool) else [anyway] if isinstance(anyway, str) else list(anyway)
    names = list(dict.fromkeys([*([keep] if isinstance(keep, str) else keep), *named]))
    return names, frozenset(names if anyway is True else named)


def open_words(done: ReleasedRows, sensitive: Sequence[str]) -> list[str]:
    """What to say of each sensitive column that is released as it is: which row is whose is hidden only where groups differ."""
    said: list[str] = []
    hidden: list[str] = []
    for name in sensitive if done.joint is not None else ():
        if name not in done.columns:
            continue
        one = done.joint.select(sensitive=[name])  # type: ignore[union-attr]
        alike = int(one.records[one.distinct == 1].sum())
        if not alike:
            hidden.append(name)
            continue
        said.append(
            f"careful: {name} is published as it is, and all records of a group say the same for {alike:,} of "
            f"{int(one.total):,} records: what it says of them is certain"
        )
    return [*said, f"{', '.join(hidden)}: published as it is; what is hidden is which row is whose"] if hidden else said


def _groups(x_codes: IntArray, block: IntArray, present: BoolArray) -> tuple[IntArray, IntArray]:
    """The group of every row before and after; rows that are dropped for missing values are in none."""
    return np.where(present, x_codes, -1), np.where(present, block, -1)


def _counted(
    table: object,
    roles: list[str],
    kept: list[str],
    na: Sequence[str],
    limits: tuple[str | None, Progress | None],
) -> tuple[Coded, IntArray]:
    """The distinct rows of the columns needed, numbered; only columns with a role have texts that mean missing."""
    wanted = list(dict.fromkeys([*roles, *kept]))
    values, counts = group(table, wanted, memory_limit=limits[0], progress=limits[1])
    if not counts.sum():
        raise TableError("the table has no rows: there is nothing to release")
    texts = frozenset(na)
    coded = {
        name: encode_column(column, texts if name in roles else frozenset())
        for name, column in zip(wanted, values, strict=True)
    }
    return coded, counts


def _joints(
    policy: Coarsening,
    rows: Coded,
    kept: Coded,
    roles: tuple[Sequence[str], Sequence[str]],
    released: tuple[IntArray, IntArray],
) -> tuple[Joint | None, Joint | None]:
    """S against the released cells, and against cells and kept columns together; None where there is nothing to say."""
    (s_names, a_names), (block, counts) = roles, released
    if not s_names and policy.sensitive:
        return None, None
    s = combine([rows[name] for name in s_names], s_names) if s_names else nobody(len(counts))
    a = combine([rows[name] for name in a_names], a_names) if a_names else None
    joint = from_codes(s, (Alphabet((list(policy.labels),)), block), counts, side=a)
    extra = {name: pair for name, pair in kept.items() if name not in s_names}
    if not extra:
        return joint, None
    cell_axis = Alphabet((np.arange(len(policy.blocks)),))
    return joint, from_codes(s, combine([(cell_axis, block), *extra.values()], ["cell", *extra]), counts, side=a)


def _present(policy: Coarsening, coded: Coded, counts: IntArray) -> BoolArray:
    """The rows that the policy's rule for missing values lets through."""
    present = np.ones(len(counts), dtype=bool)
    lacking = []
    if policy.missing != "level":
        for name, (alphabet, codes) in coded.items():
            if len(alphabet) and alphabet.label(len(alphabet) - 1) is None:
                present &= codes != len(alphabet) - 1
                lacking.append(name)
    if policy.missing == "error" and not present.all():
        raise TableError(
            f"{int(counts[~present].sum())} of {int(counts.sum())} rows have missing values (in {listed(lacking)}), "
            "which this policy refuses"
        )
    return present


def _distinct_rows(
    policy: Coarsening, cells: Cells, kept: Coded, released: tuple[IntArray, IntArray]
) -> tuple[dict[str, list[Any]], IntArray]:
    """The released rows without repetition, in the order of blocks, with their counts."""
    block, counts = released
    axis = Alphabet((np.arange(len(policy.blocks)),))
    _, codes = combine([(axis, block), *kept.values()], ["cell", *kept])
    _, first, row = np.unique(codes, return_index=True, return_inverse=True)
    totals = np.zeros(len(first), dtype=np.int64)
    np.add.at(totals, row, counts)
    texts = policy.labels if cells == "label" else [as_tuple(word) for word in policy.codewords]
    columns: dict[str, list[Any]] = {
        name: [texts[number][i] for number in block[first].tolist()] for i, name in enumerate(policy.public)
    }
    for name, (alphabet, entries) in kept.items():
        labels = alphabet.labels()
        columns[name] = [labels[code] for code in entries[first].tolist()]
    return columns, totals


def as_tuple(word: Any) -> tuple[Any, ...]:
    """A label or codeword with one part per public column."""
    return word if isinstance(word, tuple) else (word,)


def _is_numeric(word: Any, width: int) -> bool:
    parts = as_tuple(word)
    return len(parts) == width and all(isinstance(part, int | float | dt.date) for part in parts)
