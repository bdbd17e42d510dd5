"""Releasing a table by a policy, and applying a policy to new data: what is written is read back and compared."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from discreet._typing import Cells, IntArray, KeepAnyway
from discreet.columns._guess import guess_type
from discreet.columns._judging import refuse_kept, refuse_public
from discreet.columns._types import parse_type
from discreet.errors import ColumnError, InputError, RequirementError, TableError, listed
from discreet.release._rows import ReleasedRows, carry_out
from discreet.tables._columns import encode_column
from discreet.tables._labels import Alphabet, Label, combine
from discreet.tables._sources import source_of
from discreet.tables._spark import SparkTable
from discreet.tables._spark_folder import SparkFolder, repeated
from discreet.tables._writing import check_table_target, check_target, fitted, read_back, staged_text, write_repeated

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.joint._joint import Joint
    from discreet.release._coarsening import Coarsening

Target: TypeAlias = Path | SparkFolder
RECURS = (
    "every value that the policy lists occurs again, in as many rows or more: this may hold the rows that were released "
    "before, and whoever compares both files sees the new ones by themselves; give new rows only"
)
FILE_WORDS = {  # what files of a release are, for people
    "policy": "policy (private: it lists the values that occurred)",
    "public_policy": "public policy",
}


def release(
    policy: Coarsening,
    table: object,
    *,
    out: str | Path | None = None,
    keep: str | Sequence[str] = (),
    keep_anyway: KeepAnyway = False,
    types: Mapping[str, str] = MappingProxyType({}),
    cells: Cells = "label",
    force: bool = False,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Any:
    """Coarsen the public columns of a table, and leave out everything else but the columns to keep.

    Columns that break the policy's promises when they stand beside the coarse ones, or that hardly repeat, are kept only where
    `keep_anyway` names them (True: all of them).
    Without `out` the result is of the kind that was given (a pandas frame for a pandas frame; an Arrow table for a
    file or a relation); with `out` it is written there, in the format that the suffix names, and the path is returned.
    Columns that name people are refused; a type that is said in `types`, {column: "number"}, wins over how one is called.
    `memory_limit` is what counting a file may use, such as "2GB".
    """
    target = target_for(table, out, force=force)
    done = carry_out(
        policy, table, keep=keep, keep_anyway=keep_anyway, cells=cells, memory_limit=memory_limit, progress=progress
    )
    if not policy.is_of_typed_columns:
        held = {name: counted for name, counted in done.value_counts.items() if name in policy.public}
        check_public_columns({name: counted.labels for name, counted in held.items()}, done.rows, types)
    check_kept_columns(policy, done, types)
    return delivered(done, table, target)


def apply(
    policy: Coarsening,
    table: object,
    *,
    out: str | Path | None = None,
    keep: str | Sequence[str] = (),
    keep_anyway: KeepAnyway = False,
    types: Mapping[str, str] = MappingProxyType({}),
    cells: Cells = "label",
    force: bool = False,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Any:
    """Release new data as `release` does, if the policy's promises hold there too; else RequirementError says why."""
    target = target_for(table, out, force=force)
    done = carry_out(
        policy, table, keep=keep, keep_anyway=keep_anyway, cells=cells, memory_limit=memory_limit, progress=progress
    )
    require_promises(policy, done)
    check_kept_columns(policy, done, types)
    return delivered(done, table, target)


def target_for(table: object, out: str | Path | None, *, force: bool) -> Target | None:
    """What to write to, checked before any work is done: a known format, not there yet, not the original.

    What a cluster holds is written by the cluster, as a folder.
    """
    if out is None:
        return None
    source = source_of(table)
    if isinstance(source, SparkTable):
        return SparkFolder.of(source, out, force=force)
    target = check_table_target(out, force=force)
    spare_originals(table, target)
    return target


def delivered(done: ReleasedRows, table: object, target: Target | None) -> Any:
    """The released rows in a file, or in the library that the original came in."""
    if target is None:
        return in_kind(table, done)
    write(done, target)
    return target if isinstance(target, Path) else target.path


def write_together(done: ReleasedRows, table: object, files: Mapping[str, str], texts: Mapping[str, str]) -> None:
    """The released table, and the texts that go with it, all of them or none."""
    target = target_for(table, files["out"], force=True)
    assert target is not None  # noqa: S101, there is a path
    places: list[Target] = [target, *(Path(files[name]) for name in texts)]
    new = [place for place in places if not place.exists()]
    try:
        with ExitStack() as stack:  # the texts take their places after the table took its own
            for name, text in texts.items():
                stack.enter_context(staged_text(files[name], text, private=name == "policy"))
            write(done, target)
    except BaseException:
        for place in new:
            place.unlink(missing_ok=True)
        raise


def check_files(
    table: object,
    out: str | Path,
    *,
    policy: str | Path,
    public_policy: str | Path | None = None,
    report: str | Path | None = None,
    force: bool,
) -> dict[str, str]:
    """The files of a release by what they hold; refused where one cannot be written, or must not be replaced."""
    asked = {"out": out, "policy": policy, "public_policy": public_policy, "report": report}
    files = {name: str(path) for name, path in asked.items() if path}
    if len({Path(path).resolve() for path in files.values()}) < len(files):
        raise InputError("the released table, the policies and the report need a file each")
    spare_originals(table, *list(files.values())[1:])
    target_for(table, out, force=force)
    for name in list(files.values())[1:]:
        check_target(name, force=force)
    return files


def spare_originals(table: object, *targets: str | Path) -> None:
    """Refuse to write over a file that the table is read from, by whatever name."""
    if not isinstance(table, str | Path):
        return
    originals = source_of(table).files()
    for target in map(Path, targets):
        if target.exists() and any(target.samefile(original) for original in originals):
            raise InputError(f"{target} is the original table: name another file to write to")


def write(done: ReleasedRows, target: Target) -> None:
    """Write a release, read it back, and put it in its place only if it is what was measured."""
    columns = fitted(done.columns, target) if isinstance(target, Path) else done.columns
    names = list(columns)

    def check(written: Path | SparkTable) -> None:
        values, counts = read_back(written, names) if isinstance(written, Path) else written.group(names)
        found = _row_counts([encode_column(column, frozenset()) for column in values], counts)
        want = _row_counts([encode_column(columns[name], frozenset()) for name in names], done.counts)
        if found != want:
            raise TableError(f"{target} would not come out as it was measured, and was not written: try another format")

    if isinstance(target, Path):
        write_repeated(target, columns, done.counts, check=check)
    else:
        target.write(columns, done.counts, check=check)


def require_promises(policy: Coarsening, done: ReleasedRows) -> None:
    """Refuse a release that leaks more than the policy promises."""
    if done.joint is None:
        raise ColumnError(f"the table has no sensitive columns {list(policy.sensitive)}: the promise cannot be checked")
    if policy.side and not done.joint.has_side:
        raise ColumnError(f"the table has no side columns {list(policy.side)}: the promise cannot be checked")
    reasons = policy.broken_by(done.joint)
    if reasons:
        raise RequirementError("the policy's promise does not hold for this table: " + "; ".join(reasons))


def check_public_columns(columns: Mapping[str, Sequence[Label]], rows: int, types: Mapping[str, str]) -> None:
    """Refuse public columns that name people; `types` are those that were said of columns, by name."""
    for name, labels in columns.items():
        kind = parse_type(types[name], name) if name in types else guess_type(name, labels)[0]
        refuse_public(name, labels, rows, kind, is_said=name in types)


def check_public_part(joint: Joint, types: Mapping[str, str]) -> None:
    """Refuse public columns of a joint that name people; those that were coarsened while they were counted do not."""
    columns = zip(joint.public, joint.x_columns, strict=True)
    listed_columns = {
        name: column.tolist() if isinstance(column, np.ndarray) else column
        for name, column in columns
        if name not in joint.bands
    }
    check_public_columns(listed_columns, int(joint.total), types)


def check_kept_columns(
    policy: Coarsening, done: ReleasedRows, types: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """What is wrong with the columns that are kept as they are; refused but for those that are kept anyway.

    Columns that name people are refused in any case. `types` are those that were said of columns, by name.
    """
    held = (counted for name, counted in done.value_counts.items() if name not in policy.public)
    wrong = refuse_kept(held, said=types, anyway=done.anyway)
    kept = [name for name in done.columns if name not in policy.public and name not in policy.sensitive]
    checked = [name for name in kept if name not in done.anyway]
    reasons: list[str] = []
    if kept and done.with_kept is None:
        reasons = [f"without {listed(policy.sensitive)} nobody can tell"]
    elif done.with_kept is not None:
        reasons = policy.broken_by(done.with_kept)
    if checked:
        refuse_broken(checked, policy.broken_by(done.with_checked) if done.with_checked is not None else reasons)
    return (*wrong, *reasons)


def refuse_broken(kept: Sequence[str], reasons: Sequence[str]) -> None:
    """Refuse columns with which promises do not hold."""
    if reasons:
        raise RequirementError(
            f"with {listed(tuple(kept))} kept, the requirement is broken: {'; '.join(reasons)}: make what you keep public so "
            f"that it is coarsened, leave it out, or say --keep-anyway {','.join(kept)}"
        )


def in_kind(table: object, done: ReleasedRows) -> Any:
    """The released rows in the library that the original came in."""
    source = source_of(table)
    if isinstance(source, SparkTable):
        return repeated(source.frame.sparkSession, done.columns, done.counts)
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


def original_of(table: object) -> dict[str, Any]:
    """The name of what a release was made from, for its policy; nothing for a table in memory.

    Never a hash: whoever knows the members of a small table would try all tables that fit the release, and know the one.
    """
    if not isinstance(table, str | Path) or "://" in str(table):
        return {}
    files = source_of(table).files()
    several = {"files": len(files)} if len(files) > 1 else {}
    return {"file": Path(files[0] if len(files) == 1 else table).name, **several}


def fingerprint(table: object) -> dict[str, Any]:
    """The same with the sha256, file after file, for a report that stays with whoever made the release."""
    found = original_of(table)
    if not found:
        return {}
    digest = hashlib.sha256()
    for path in source_of(table).files():
        with Path(path).open("rb") as file:
            while chunk := file.read(1 << 22):
                digest.update(chunk)
    return {**found, "sha256": digest.hexdigest()}


def _row_counts(coded: list[tuple[Alphabet, IntArray]], counts: IntArray) -> dict[Any, int]:
    alphabet, codes = combine(coded, [str(i) for i in range(len(coded))])
    totals = np.zeros(len(alphabet), dtype=np.int64)
    np.add.at(totals, codes, counts)
    return {label: int(total) for label, total in zip(alphabet.labels(), totals, strict=True) if total}
