"""Releasing a table by a policy, and applying a policy to new data.

A release is the multiset of coarsened rows, in the order of its blocks: the order of the original rows could itself
give people away (many files are sorted by age), so it is not kept. What a release leaks is recomputed from its own
rows.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import Cells, IntArray
from discreet.errors import ColumnError, InputError, RequirementError, TableError, listed
from discreet.joint._joint import Joint, from_codes
from discreet.release._policy import Policy
from discreet.release._promises import measured
from discreet.tables._columns import canonical, encode_column
from discreet.tables._files import expand, locate
from discreet.tables._labels import Alphabet, Label, combine
from discreet.tables._sources import column_names, group
from discreet.tables._writing import check_table_target, fitted, read_back, write_repeated

if TYPE_CHECKING:
    from discreet._typing import Progress


@dataclass(frozen=True, eq=False)
class Released:
    """What came out: the rows (as distinct rows with counts), and the evidence."""

    columns: dict[str, list[Any]]  # distinct released rows, in order
    counts: npt.NDArray[np.int64]  # how often each occurs
    rows: int
    dropped: int  # rows with missing values, where the policy drops them
    withheld: int  # rows whose letters the policy withholds
    unseen: int  # rows whose value no block can truly stand for
    joint: Joint | None  # (s, released cell), where the table has S
    kept: Joint | None  # (s, released cell and kept columns), where columns were kept
    leakage: str = "L0"  # what the policy is about

    @property
    def measures(self) -> dict[str, float]:
        """What the release leaks, recomputed from its rows."""
        return measured(self.joint, self.leakage) if self.joint is not None else {}


def release(
    policy: Policy,
    table: object,
    *,
    out: str | Path | None = None,
    keep: str | Sequence[str] = (),
    cells: Cells = "label",
    force: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Coarsen the public columns of a table, and leave out everything else but the columns to keep.

    Without `out` the result is of the kind that was given (a pandas frame for a pandas frame; an Arrow table for a
    file or a relation); with `out` it is written there, in the format that the suffix names, and the path is returned.
    """
    return _release(policy, table, out, keep, cells, force=force, progress=progress, is_new=False)


def apply(
    policy: Policy,
    table: object,
    *,
    out: str | Path | None = None,
    keep: str | Sequence[str] = (),
    cells: Cells = "label",
    force: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Release new data as `release` does, if the policy's promises hold there too; else RequirementError says why."""
    return _release(policy, table, out, keep, cells, force=force, progress=progress, is_new=True)


def _release(
    policy: Policy,
    table: object,
    out: str | Path | None,
    keep: str | Sequence[str],
    cells: Cells,
    *,
    force: bool,
    progress: Progress | None,
    is_new: bool,
) -> Any:
    target = check_table_target(out, force=force) if out is not None else None
    if target is not None:
        spare_originals(table, target)
    done = carry_out(policy, table, keep=keep, cells=cells, progress=progress)
    if is_new:
        require_promises(policy, done)
    if target is None:
        return in_kind(table, done)
    write(done, target)
    return target


def spare_originals(table: object, *targets: str | Path) -> None:
    """Refuse to write over a file that the table is read from, by whatever name."""
    if not isinstance(table, str | Path) or "://" in str(table):
        return
    base, _, _ = locate(str(table))
    for target in map(Path, targets):
        if target.exists() and any(target.samefile(original) for original in expand(base)):
            raise InputError(f"{target} is the original table: name another file to write to")


def write(done: Released, target: Path) -> None:
    """Write a release, read it back, and put it in its place only if it is what was measured."""
    columns = fitted(done.columns, target)
    names = list(columns)

    def check(written: Path) -> None:
        values, counts = read_back(written, names)
        found = _row_counts([encode_column(column, frozenset()) for column in values], counts)
        want = _row_counts([encode_column(columns[name], frozenset()) for name in names], done.counts)
        if found != want:
            raise TableError(f"{target} would not come out as it was measured, and was not written: try another format")

    write_repeated(target, columns, done.counts, check)


def require_promises(policy: Policy, done: Released) -> None:
    """Refuse a release that leaks more than the policy promises."""
    if done.joint is None:
        raise ColumnError(f"the table has no sensitive columns {list(policy.sensitive)}: the promise cannot be checked")
    if policy.side and not done.joint.has_side:
        raise ColumnError(f"the table has no side columns {list(policy.side)}: the promise cannot be checked")
    reasons = policy.broken_by(done.joint)
    if reasons:
        raise RequirementError("the policy's promise does not hold for this table: " + "; ".join(reasons))


def carry_out(
    policy: Policy,
    table: object,
    *,
    keep: str | Sequence[str] = (),
    cells: Cells = "label",
    progress: Progress | None = None,
) -> Released:
    """Coarsen a table without writing anything, and measure what the result leaks."""
    if cells == "codeword" and any(not _is_numeric(word, len(policy.public)) for word in policy.codewords):
        raise InputError("this policy has no numeric codeword for every column: release its labels instead")
    kept_names = list(dict.fromkeys([keep] if isinstance(keep, str) else keep))
    _check_kept(kept_names, policy)
    names = column_names(table)
    s_names = policy.sensitive if all(name in names for name in policy.sensitive) else ()
    a_names = policy.side if all(name in names for name in policy.side) else ()
    roles = [*policy.public, *s_names, *a_names]
    wanted = list(dict.fromkeys([*roles, *kept_names]))
    values, counts = group(table, wanted, progress=progress)
    total = int(counts.sum())
    if total == 0:
        raise TableError("the table has no rows: there is nothing to release")
    na = frozenset(policy.na)
    coded = {
        name: encode_column(column, na if name in roles else frozenset())
        for name, column in zip(wanted, values, strict=True)
    }
    del values
    present = _present(policy, {name: coded[name] for name in roles}, counts)
    x, x_codes = combine([coded[name] for name in policy.public], policy.public)
    block_of_letter, is_withheld = _blocks_of_letters(policy, x)
    block = block_of_letter[x_codes]
    gone = present & (block < 0)
    withheld = int(counts[gone & is_withheld[x_codes]].sum())
    unseen = int(counts[gone].sum()) - withheld
    keep_rows = present & (block >= 0)
    if not keep_rows.any():
        raise RequirementError("no row of this table can be released by this policy: its values are all unknown to it")
    block, kept_counts = block[keep_rows], counts[keep_rows]
    coded = {name: (alphabet, codes[keep_rows]) for name, (alphabet, codes) in coded.items()}
    kept_columns = {name: coded[name] for name in kept_names}
    _refuse_identifiers(kept_columns, kept_counts)
    joint = kept = None
    if s_names:
        s = combine([coded[name] for name in s_names], s_names)
        a = combine([coded[name] for name in a_names], a_names) if a_names else None
        joint = from_codes(*s, Alphabet((list(policy.labels),)), block, kept_counts, a)
        extra = {name: pair for name, pair in kept_columns.items() if name not in s_names}
        if extra:
            cell_axis = Alphabet((np.arange(len(policy.blocks)),))
            kept = from_codes(*s, *combine([(cell_axis, block), *extra.values()], ["cell", *extra]), kept_counts)
    released, released_counts = _distinct_rows(policy, cells, block, kept_columns, kept_counts)
    return Released(
        columns=released,
        counts=released_counts,
        rows=int(released_counts.sum()),
        dropped=total - int(counts[present].sum()),
        withheld=withheld,
        unseen=unseen,
        joint=joint,
        kept=kept,
        leakage=policy.leakage,
    )


def _present(
    policy: Policy, coded: Mapping[str, tuple[Alphabet, IntArray]], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
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


def _blocks_of_letters(policy: Policy, x: Alphabet) -> tuple[IntArray, npt.NDArray[np.bool_]]:
    """The block of every letter of a table (−1: none), and whether the policy withholds it."""
    block = np.full(len(x), -1, dtype=np.int64)
    withheld = np.zeros(len(x), dtype=bool)
    kinds = policy.column_kinds
    hidden = frozenset(policy.withheld)
    for i, label in enumerate(x.labels()):
        number, name = policy.block_of(label), label
        if number is None and label not in hidden:
            name = _as_known(label, kinds)
            number = policy.block_of(name)
        if number is not None:
            block[i] = number
        withheld[i] = name in hidden
    return block, withheld


def _as_known(label: Label, kinds: Sequence[str]) -> Label:
    """A value as the policy would have read it: one odd cell makes all numbers of a column texts, and the reverse."""
    parts = label if len(kinds) > 1 else (label,)
    read = [
        part
        if part is None or (kind == "text") == isinstance(part, str)
        else canonical([part, "text"] if kind == "text" else [part])[0]
        for part, kind in zip(parts, kinds, strict=True)
    ]
    return tuple(read) if len(kinds) > 1 else read[0]


def _check_kept(keep: Sequence[str], policy: Policy) -> None:
    for name in keep:
        if name in policy.public:
            raise ColumnError(f"{name!r} is a public column: it is released coarsened, and cannot be kept as it is")


def _refuse_identifiers(coded: Mapping[str, tuple[Alphabet, IntArray]], counts: npt.NDArray[np.int64]) -> None:
    """A column that is different in every row names people: it is never kept."""
    rows = int(counts.sum())
    for name, (_, codes) in coded.items():
        if rows > 1 and len(np.unique(codes)) == rows:
            raise ColumnError(f"column {name!r} is different in every row: it identifies people and is never kept")


def _distinct_rows(
    policy: Policy,
    cells: Cells,
    block: IntArray,
    kept: Mapping[str, tuple[Alphabet, IntArray]],
    counts: npt.NDArray[np.int64],
) -> tuple[dict[str, list[Any]], npt.NDArray[np.int64]]:
    """The released rows without repetition, in the order of blocks, with their counts."""
    axis = Alphabet((np.arange(len(policy.blocks)),))
    _, codes = combine([(axis, block), *kept.values()], ["cell", *kept])
    order, first, row = np.unique(codes, return_index=True, return_inverse=True)
    totals = np.zeros(len(order), dtype=np.int64)
    np.add.at(totals, row, counts)
    chosen = block[first]
    texts = policy.labels if cells == "label" else [_as_tuple(word) for word in policy.codewords]
    columns: dict[str, list[Any]] = {
        name: [texts[number][i] for number in chosen.tolist()] for i, name in enumerate(policy.public)
    }
    for name, (alphabet, entries) in kept.items():
        labels = alphabet.labels()
        columns[name] = [labels[code] for code in entries[first].tolist()]
    return columns, totals


def _is_numeric(word: Any, width: int) -> bool:
    parts = _as_tuple(word)
    return len(parts) == width and all(isinstance(part, int | float | dt.date) for part in parts)


def _as_tuple(word: Any) -> tuple[Any, ...]:
    return word if isinstance(word, tuple) else (word,)


def _row_counts(coded: list[tuple[Alphabet, IntArray]], counts: npt.NDArray[np.int64]) -> dict[Any, int]:
    alphabet, codes = combine(coded, [str(i) for i in range(len(coded))])
    totals = np.zeros(len(alphabet), dtype=np.int64)
    np.add.at(totals, codes, counts)
    return {label: int(total) for label, total in zip(alphabet.labels(), totals, strict=True) if total}


def in_kind(table: object, done: Released) -> Any:
    """The released rows in the library that the original came in."""
    columns = {name: np.repeat(np.arange(len(values)), done.counts) for name, values in done.columns.items()}
    lists = {name: [done.columns[name][i] for i in index.tolist()] for name, index in columns.items()}
    if isinstance(table, Mapping):
        return lists
    if isinstance(table, Sequence) and not isinstance(table, str):
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    import narwhals as nw
    import pyarrow as pa

    if isinstance(table, str | Path):
        return pa.table(lists)
    frame: Any = nw.from_native(table)  # type: ignore[call-overload, unused-ignore]
    if not isinstance(frame, nw.LazyFrame):
        return nw.from_dict(lists, backend=frame.implementation).to_native()
    if frame.implementation.is_polars():
        return nw.from_dict(lists, backend="polars").lazy().to_native()
    return pa.table(lists)


def fingerprint(table: object) -> dict[str, Any]:
    """The name and the sha256 of a file that a release was made from; nothing for a table in memory."""
    if not isinstance(table, str | Path) or "://" in str(table) or not Path(table).is_file():
        return {}
    digest = hashlib.sha256()
    with Path(table).open("rb") as file:
        while chunk := file.read(1 << 22):
            digest.update(chunk)
    return {"file": Path(table).name, "sha256": digest.hexdigest()}
