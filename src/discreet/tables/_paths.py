"""Paths of table files: what kind a file is by its suffix, which files a pattern names, what a text file's header says."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import os
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.errors import TableError

TEXT = {".csv": None, ".tsv": "\t", ".tab": "\t", ".txt": None, ".data": None}
ARROW = (".arrow", ".feather", ".ipc")
EXCEL = (".xlsx", ".xlsm")
PARQUET = (".parquet", ".pq")
STATISTICS = (".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt")
R_FILES = (".rds", ".rdata", ".rda")
PACKED = (".gz", ".zst")
KNOWN = (*TEXT, *PARQUET, *ARROW, *EXCEL, *STATISTICS, *R_FILES)
WILD = re.compile(r"[*?\[]")
_HEADER_BYTES = 1 << 20


@dataclass(frozen=True)
class Located:
    """The files of one table: one, those that match a pattern, or those in a folder."""

    name: str  # the path as it was given, without the sheet
    kind: str  # by suffix
    paths: tuple[str, ...]
    sheet: str | None = None
    keys: tuple[str, ...] = ()  # columns that the folders name=value tell, below the folder or the pattern's fixed part

    def alone(self) -> list[Located]:
        """Every file as a table of its own, in the folders where it lies."""
        return [replace(self, name=path, paths=(path,)) for path in self.paths]


def path_parts(path: str) -> tuple[str, str, str | None]:
    """A path without the sheet that is named after '#' in a workbook or a file of R; its kind by suffix; and that sheet."""
    base, sheet = path, None
    if not Path(path).exists():
        book, mark, name = path.rpartition("#")
        if mark and Path(book).suffix.lower() in (*EXCEL, *R_FILES):
            base, sheet = book, name
    suffixes = [suffix.lower() for suffix in Path(base).suffixes]
    kind = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] in PACKED else (suffixes[-1] if suffixes else "")
    return base, kind, sheet


def locate(path: str) -> Located:
    """The files that a path names, checked: they are there, of one known kind, whole as far as a glance tells."""
    base, kind, sheet = path_parts(path)
    is_folder = Path(base).is_dir()
    paths = _in_folder(base) if is_folder else _matching(base)
    kinds = sorted({path_parts(each)[1] for each in paths}) if paths != [base] else [kind]
    if len(kinds) > 1:
        raise TableError(
            f"{base} holds files of several kinds ({', '.join(kinds)}): name those of one, as '*{kinds[0]}'"
        )
    if kinds[0] not in KNOWN:
        raise TableError(
            f"{base} is not of a known kind: use a file that ends in {', '.join(KNOWN)}, or a database URL"
        )
    for each in paths:
        _check_readable(each, kinds[0])
    return Located(base, kinds[0], tuple(paths), sheet, _partition_keys(base, paths))


def _matching(path: str) -> list[str]:
    """The file of that name, or those that match it."""
    if Path(path).exists():
        return [path]
    found = sorted(each for each in glob.glob(path, recursive=True) if not Path(each).is_dir())  # noqa: PTH207, may be absolute
    if not found:
        raise TableError(f"no file matches {path}" if WILD.search(path) else f"{path} does not exist")
    return found


def _in_folder(folder: str) -> list[str]:
    """The tables in a folder and the folders below it; what begins with _ or . is an engine's own, or not finished."""
    found = []
    for path in sorted(Path(folder).rglob("*")):
        inner = path.relative_to(folder).parts
        if any(part.startswith(("_", ".")) for part in inner) or not path.is_file():
            continue
        if path_parts(str(path))[1] in (*TEXT, *PARQUET, *ARROW):
            found.append(str(path))
    if not found:
        raise TableError(
            f"{folder} is a folder without a table in it: name a file, or a folder of Parquet or CSV files"
        )
    return found


def _partition_keys(base: str, paths: Sequence[str]) -> tuple[str, ...]:
    """The columns that folders called name=value tell; a file that is named itself is taken as it is."""
    if len(paths) == 1 and paths[0] == base:
        return ()
    parts = Path(base).parts
    wild = () if Path(base).is_dir() else (i for i, part in enumerate(parts) if WILD.search(part))
    fixed = next(iter(wild), len(parts))
    keys = {
        tuple(part.partition("=")[0] for part in Path(path).parent.parts[fixed:] if "=" in part[1:]) for path in paths
    }
    if len(keys) > 1:
        raise TableError(f"the files of {base} lie in folders that name different columns: keep one layout")
    return keys.pop()


def _check_readable(path: str, kind: str) -> None:
    try:
        with Path(path).open("rb") as file:
            head = file.read(1 << 16)
            file.seek(max(-4, -len(head)), os.SEEK_END)
            tail = file.read()
    except OSError as problem:
        raise TableError(f"{path} cannot be read: {problem.strerror}") from None
    if not head:
        raise TableError(f"{path} is empty")
    if kind in PARQUET and tail not in (b"PAR1", b"PARE"):
        raise TableError(f"{path} is damaged, or still being written: it does not end as a Parquet file does")
    if kind in TEXT and not path.lower().endswith(PACKED):
        if head.startswith(b"PAR1"):
            raise TableError(f"{path} is a Parquet file: rename it to end in .parquet")
        if b"\0" in head:
            raise TableError(
                f"{path} is not UTF-8 text but binary: save it as CSV in UTF-8, or give it its right suffix"
            )


def header_of(table: Located, delimiter: str | None) -> tuple[list[str], str]:
    """The column names of a text file, and its delimiter: the likely mark that occurs most in the header."""
    headers = set()
    for path in table.paths:
        try:
            with _opened(path) as file:
                text: str = file.read(_HEADER_BYTES).decode("utf-8-sig", errors="replace")
        except (OSError, EOFError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not what its name says, or cut short"
            raise TableError(f"{path} cannot be read: {reason}") from None
        except zlib.error:
            raise TableError(f"{path} is damaged: it does not decompress") from None
        if not text.strip():
            raise TableError(f"{path} is empty")
        if text[:1] in ("\r", "\n"):
            raise TableError(f"{path} begins with an empty line: the first line must name the columns")
        first = text.splitlines()[0]
        if "\ufffd" in first:
            raise TableError(f"{path} is not UTF-8 text: save it in UTF-8")
        outside = re.sub(r'"[^"]*"', "", first)
        found = delimiter or max(",;\t|", key=outside.count)
        try:
            names = next(csv.reader(io.StringIO(text, newline=""), delimiter=found, strict=True))
        except (csv.Error, StopIteration):
            raise TableError(f"the header of {path} cannot be read: check its quotes") from None
        headers.add((tuple(names), found))
    if len(headers) > 1:
        raise TableError(f"the files of {table.name} have different headers: give files with the same columns")
    names_found, found = headers.pop()
    return list(names_found), found


def _opened(path: str) -> Any:
    if path.lower().endswith(".zst"):
        import pyarrow as pa

        return pa.input_stream(path, compression="zstd")
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else Path(path).open("rb")
