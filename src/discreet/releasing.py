"""Releasing a table by a policy, applying a policy to new data, and verifying what was released.

A release is the multiset of coarsened rows, in the order of its blocks: the order of the original rows could itself
give people away (many files are sorted by age), so it is not kept. What a release leaks is recomputed from its own
rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from discreet.errors import ColumnError, InputError, RequirementError, TableError
from discreet.joint import Joint, from_codes
from discreet.labels import Alphabet, Codes, combine
from discreet.measures import REGISTRY
from discreet.policy import Policy, measured
from discreet.tables.columns import encode_column
from discreet.tables.sources import column_names, group
from discreet.tables.writing import check_table_target, read_back, write_repeated

if TYPE_CHECKING:
    from discreet.tables.counting import Progress

Cells = Literal["label", "codeword"]


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

    @property
    def measures(self) -> dict[str, float]:
        """What the release leaks, recomputed from its rows."""
        return measured(self.joint) if self.joint is not None else {}


def release(
    policy: Policy,
    table: object,
    *,
    out: str | Path | None = None,
    keep: Sequence[str] = (),
    cells: Cells = "label",
    force: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Coarsen the public columns of a table, and leave out everything else but the columns to keep.

    Without `out` the result is of the kind that was given (a pandas frame for a pandas frame; an Arrow table for a
    file); with `out` it is written there, in the format that the suffix names, and the path is returned.
    """
    target = check_table_target(out, force=force) if out is not None else None
    done = carry_out(policy, table, keep=keep, cells=cells, progress=progress)
    if target is None:
        return _in_kind(table, done)
    write(done, target)
    return target


def write(done: Released, target: Path) -> None:
    """Write a release, then read it back and check that it is what was measured."""
    write_repeated(target, done.columns, done.counts)
    names = list(done.columns)
    values, counts = read_back(target, names)
    found = _row_counts([encode_column(column, frozenset()) for column in values], counts)
    want = _row_counts([encode_column(done.columns[name], frozenset()) for name in names], done.counts)
    if found != want:
        target.unlink(missing_ok=True)
        raise TableError(f"{target} did not come out as it was measured, and was removed: try another format")


def apply(policy: Policy, table: object, **options: Any) -> Any:
    """Release new data, if the policy's promises hold there too; otherwise RequirementError says why not."""
    done = carry_out(policy, table, keep=options.get("keep", ()), cells=options.get("cells", "label"))
    require_promises(policy, done)
    return release(policy, table, **options)


def require_promises(policy: Policy, done: Released) -> None:
    """Refuse a release that leaks more than the policy promises."""
    if done.joint is None:
        raise ColumnError(f"the table has no sensitive columns {list(policy.sensitive)}: the promise cannot be checked")
    reasons = policy.broken_by(done.joint)
    if reasons:
        raise RequirementError("the policy's promise does not hold for this table: " + "; ".join(reasons))


def carry_out(
    policy: Policy,
    table: object,
    *,
    keep: Sequence[str] = (),
    cells: Cells = "label",
    progress: Progress | None = None,
) -> Released:
    """Coarsen a table without writing anything, and measure what the result leaks."""
    if cells == "codeword" and any(not _is_numeric(word, len(policy.public)) for word in policy.codewords):
        raise InputError("this policy has no numeric codeword for every column: release its labels instead")
    names = column_names(table)
    s_names = policy.sensitive if all(name in names for name in policy.sensitive) else ()
    a_names = tuple(name for name in policy.side if name in names)
    _check_kept(keep, policy)
    extra = [name for name in keep if name not in s_names]
    columns = [*policy.public, *s_names, *a_names, *extra]
    values, counts = group(table, columns, progress=progress)
    total = int(counts.sum())
    if total == 0:
        raise TableError("the table has no rows: there is nothing to release")
    na = frozenset(policy.na)
    coded = [encode_column(column, na) for column in values]
    del values
    width = len(policy.public)
    present = np.ones(len(counts), dtype=bool)
    if policy.missing == "drop":
        for alphabet, codes in coded[: width + len(s_names) + len(a_names)]:
            if len(alphabet) and alphabet.label(len(alphabet) - 1) is None:
                present &= codes != len(alphabet) - 1
    x, x_codes = combine(coded[:width], policy.public)
    block_of_letter, is_withheld = _blocks_of_letters(policy, x)
    block = block_of_letter[x_codes]
    gone = present & (block < 0)
    withheld = int(counts[gone & is_withheld[x_codes]].sum())
    unseen = int(counts[gone].sum()) - withheld
    keep_rows = present & (block >= 0)
    if not keep_rows.any():
        raise TableError("no row of this table can be released by this policy: its values are all unknown to it")
    block, kept_counts = block[keep_rows], counts[keep_rows]
    coded = [(alphabet, codes[keep_rows]) for alphabet, codes in coded[width:]]
    s_coded, extra_coded = coded[: len(s_names)], coded[len(s_names) + len(a_names) :]
    cell_axis = Alphabet((np.arange(len(policy.blocks)),))
    joint = kept = None
    if s_names:
        s, s_codes = combine(s_coded, s_names)
        joint = from_codes(s, s_codes, Alphabet((list(policy.labels),)), block, kept_counts)
        if extra:
            together, codes = combine([(cell_axis, block), *extra_coded], ["cell", *extra])
            kept = from_codes(s, s_codes, together, codes, kept_counts)
    out_coded = {name: pair for name, pair in zip([*s_names, *a_names, *extra], coded, strict=True) if name in keep}
    _refuse_identifiers(out_coded, kept_counts)
    released, released_counts = _distinct_rows(policy, cells, block, out_coded, kept_counts)
    return Released(
        columns=released,
        counts=released_counts,
        rows=int(released_counts.sum()),
        dropped=total - int(counts[present].sum()),
        withheld=withheld,
        unseen=unseen,
        joint=joint,
        kept=kept,
    )


def _blocks_of_letters(policy: Policy, x: Alphabet) -> tuple[Codes, npt.NDArray[np.bool_]]:
    """The block of every letter of a table (−1: none), and whether the policy withholds it."""
    block = np.full(len(x), -1, dtype=np.int64)
    withheld = np.zeros(len(x), dtype=bool)
    for i, label in enumerate(x.labels()):
        number = policy.block_of(label)
        if number is not None:
            block[i] = number
        withheld[i] = label in policy.withheld
    return block, withheld


def _check_kept(keep: Sequence[str], policy: Policy) -> None:
    for name in keep:
        if name in policy.public:
            raise ColumnError(f"{name!r} is a public column: it is released coarsened, and cannot be kept as it is")


def _refuse_identifiers(coded: Mapping[str, tuple[Alphabet, Codes]], counts: npt.NDArray[np.int64]) -> None:
    """A column that is different in every row names people: it is never kept."""
    rows = int(counts.sum())
    for name, (_, codes) in coded.items():
        if rows > 1 and len(np.unique(codes)) == rows:
            raise ColumnError(f"column {name!r} is different in every row: it identifies people and is never kept")


def _distinct_rows(
    policy: Policy,
    cells: Cells,
    block: Codes,
    kept: Mapping[str, tuple[Alphabet, Codes]],
    counts: npt.NDArray[np.int64],
) -> tuple[dict[str, list[Any]], npt.NDArray[np.int64]]:
    """The released rows without repetition, in the order of blocks, with their counts."""
    axis = Alphabet((np.arange(len(policy.blocks)),))
    _, codes = combine([(axis, block), *kept.values()], ["cell", *kept])
    order, first = np.unique(codes, return_index=True)
    totals = np.zeros(len(order), dtype=np.int64)
    np.add.at(totals, codes, counts)
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
    return len(parts) == width and all(isinstance(part, int | float) for part in parts)


def _as_tuple(word: Any) -> tuple[Any, ...]:
    return word if isinstance(word, tuple) else (word,)


def _row_counts(coded: list[tuple[Alphabet, Codes]], counts: npt.NDArray[np.int64]) -> dict[Any, int]:
    alphabet, codes = combine(coded, [str(i) for i in range(len(coded))])
    totals = np.zeros(len(alphabet), dtype=np.int64)
    np.add.at(totals, codes, counts)
    return {label: int(total) for label, total in zip(alphabet.labels(), totals, strict=True) if total}


def _in_kind(table: object, done: Released) -> Any:
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
    if isinstance(frame, nw.LazyFrame) and frame.implementation.is_polars() is False:
        return pa.table(lists)
    return nw.from_dict(lists, backend=frame.implementation).to_native()


# ---------------------------------------------------------------------- verification


@dataclass(frozen=True)
class Verification:
    """What was checked, what was found wrong, and what could not be checked."""

    problems: tuple[str, ...]
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]
    rows: int
    measures: dict[str, float]

    @property
    def ok(self) -> bool:
        """Nothing wrong was found."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok


def verify(policy: Policy, released: object, original: object | None = None) -> Verification:
    """Hold a released table against a policy without trusting the policy's own figures.

    Every cell must be one of the policy's. Where the released table has the sensitive columns, leakage is recomputed
    from it; where the original is given, it is released anew and both must agree row for row.
    """
    names = column_names(released)
    lacking = [name for name in policy.public if name not in names]
    if lacking:
        return Verification((f"the released table has no column {lacking[0]!r}",), (), (), 0, {})
    s_names = [name for name in policy.sensitive if name in names] if policy.sensitive else []
    with_s = len(s_names) == len(policy.sensitive) > 0
    values, counts = group(released, [*policy.public, *(s_names if with_s else [])])
    if int(counts.sum()) == 0:
        return Verification(("the released table has no rows",), (), (), 0, {})
    coded = [encode_column(column, frozenset()) for column in values]
    block, unknown = _blocks_of_cells(policy, coded[: len(policy.public)], counts)
    problems, checked, unchecked, found = [], ["every cell is one of the policy's"], [], {}
    if unknown:
        problems.append(f"{unknown} of {int(counts.sum())} rows have cells that the policy does not have")
        checked = []
    known = block >= 0
    if with_s and known.any():
        s, s_codes = combine([(alphabet, codes[known]) for alphabet, codes in coded[len(policy.public) :]], s_names)
        joint = from_codes(s, s_codes, Alphabet((list(policy.labels),)), block[known], counts[known])
        found = measured(joint)
        problems += policy.broken_by(joint)
        checked.append("leakage, recomputed from the released table")
    if original is not None:
        done = carry_out(policy, original)
        if done.joint is None:
            unchecked.append("leakage: the original has no sensitive columns")
        else:
            found = done.measures
            problems += [reason for reason in policy.broken_by(done.joint) if reason not in problems]
            problems += _claims(policy, found)
            checked.append("leakage, recomputed from the original")
        if not unknown and _by_block(block, counts, len(policy.blocks)) != _by_label(policy, done):
            problems.append("the released rows are not those that the policy makes of the original")
        else:
            checked.append("the released rows are those that the policy makes of the original")
    elif not with_s:
        unchecked += [
            f"{symbol}: neither the sensitive columns nor the original are here" for symbol in ("L0", "I*", "k")
        ]
    return Verification(tuple(problems), tuple(checked), tuple(unchecked), int(counts.sum()), found)


def _claims(policy: Policy, found: dict[str, float]) -> list[str]:
    """Figures of the policy file that the original does not bear out."""
    wrong = []
    for symbol in ("L0", "I*", "k"):
        claimed, value = policy.after[symbol], found[symbol]
        worse = (value - claimed) * -REGISTRY[symbol].direction
        if worse > 1e-9:
            wrong.append(f"the policy claims {symbol} {claimed:.4g}, the original gives {value:.4g}")
    return wrong


def _blocks_of_cells(
    policy: Policy, coded: list[tuple[Alphabet, Codes]], counts: npt.NDArray[np.int64]
) -> tuple[Codes, int]:
    """The block that each released row names, by label or by codeword; how many rows name none."""
    axis, codes = combine(coded, policy.public)
    by_cell: dict[Any, int] = {}
    for texts in (policy.labels, [_as_tuple(word) for word in policy.codewords]):
        # Cells are made canonical as they were when the table was read: "200" is the number 200 there.
        columns = [encode_column([text[i] for text in texts], frozenset()) for i in range(len(policy.public))]
        for number in range(len(texts)):
            cell = tuple(alphabet.label(int(entry[number])) for alphabet, entry in columns)
            for form in (cell, tuple(texts[number])):
                by_cell.setdefault(form, number)
    found = np.asarray([_find(by_cell, _as_tuple(label)) for label in axis.labels()], dtype=np.int64)
    block = found[codes]
    return block, int(counts[block < 0].sum())


def _find(by_cell: dict[Any, int], cell: tuple[Any, ...]) -> int:
    """A cell as it is, or as text: a released column of plain numbers comes back as numbers."""
    number = by_cell.get(cell)
    if number is None:
        number = by_cell.get(tuple(part if isinstance(part, str) else str(part) for part in cell))
    return -1 if number is None else number


def _by_block(block: Codes, counts: npt.NDArray[np.int64], n_blocks: int) -> list[int]:
    totals = np.zeros(n_blocks, dtype=np.int64)
    np.add.at(totals, block[block >= 0], counts[block >= 0])
    found: list[int] = totals.tolist()
    return found


def _by_label(policy: Policy, done: Released) -> list[int]:
    number = {label: i for i, label in enumerate(policy.labels)}
    totals = [0] * len(policy.blocks)
    rows = zip(*(done.columns[name] for name in policy.public), strict=True)
    for cell, count in zip(rows, done.counts.tolist(), strict=True):
        totals[number[cell]] += count
    return totals


def fingerprint(table: object) -> dict[str, Any]:
    """The name and the sha256 of a file that a release was made from; nothing for a table in memory."""
    if not isinstance(table, str | Path) or "://" in str(table) or not Path(table).is_file():
        return {}
    digest = hashlib.sha256()
    with Path(table).open("rb") as file:
        while chunk := file.read(1 << 22):
            digest.update(chunk)
    return {"file": Path(table).name, "sha256": digest.hexdigest()}
