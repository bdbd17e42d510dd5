"""Paths of table files: what kind a file is by its suffix, which files a pattern names, what a text file's header says."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import re
import zlib
from pathlib import Path
from typing import Any

from discreet.errors import TableError

TEXT = {".csv": None, ".tsv": "\t", ".tab": "\t", ".txt": None, ".data": None}
ARROW = (".arrow", ".feather", ".ipc")
EXCEL = (".xlsx", ".xlsm")
PARQUET = (".parquet", ".pq")
PACKED = (".gz", ".zst")
KNOWN = (*TEXT, *PARQUET, *ARROW, *EXCEL)
_HEADER_BYTES = 1 << 20


def path_parts(path: str) -> tuple[str, str, str | None]:
    """A path without the sheet that is named after '#' in a workbook; its kind by suffix; and that sheet."""
    base, sheet = path, None
    if not Path(path).exists():
        book, mark, name = path.rpartition("#")
        if mark and Path(book).suffix.lower() in EXCEL:
            base, sheet = book, name
    suffixes = [suffix.lower() for suffix in Path(base).suffixes]
    kind = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] in PACKED else (suffixes[-1] if suffixes else "")
    return base, kind, sheet


def locate(path: str) -> tuple[str, str, str | None]:
    """The same, checked: it is there, of a known kind, and can be read."""
    base, kind, sheet = path_parts(path)
    file = Path(base)
    if file.is_dir():
        raise TableError(
            f"{base} is a folder, not a table: name a file, or the files in it as '{base.rstrip('/')}/*.parquet'"
        )
    if not file.exists() and not expand(base):
        raise TableError(f"{base} does not exist")
    if kind not in KNOWN:
        raise TableError(
            f"{base} is not of a known kind: use a file that ends in {', '.join(KNOWN)}, or a database URL"
        )
    for each in expand(base):
        _check_readable(each, kind)
    return base, kind, sheet


def expand(path: str) -> list[str]:
    """The files that a path names: itself, or those that match it."""
    return [path] if Path(path).exists() else sorted(glob.glob(path))  # noqa: PTH207, the path may be absolute


def _check_readable(path: str, kind: str) -> None:
    try:
        with Path(path).open("rb") as file:
            head = file.read(1 << 16)
    except OSError as problem:
        raise TableError(f"{path} cannot be read: {problem.strerror}") from None
    if not head:
        raise TableError(f"{path} is empty")
    if kind in TEXT and not path.lower().endswith(PACKED):
        if head.startswith(b"PAR1"):
            raise TableError(f"{path} is a Parquet file: rename it to end in .parquet")
        if b"\0" in head:
            raise TableError(
                f"{path} is not UTF-8 text but binary: save it as CSV in UTF-8, or give it its right suffix"
            )


def header_of(base: str, delimiter: str | None) -> tuple[list[str], str]:
    """The column names of a text file, and its delimiter: the likely mark that occurs most in the header."""
    headers = set()
    for path in expand(base):
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
        raise TableError(f"the files {base} have different headers: give files with the same columns")
    names_found, found = headers.pop()
    return list(names_found), found


def _opened(path: str) -> Any:
    if path.lower().endswith(".zst"):
        import pyarrow as pa

        return pa.input_stream(path, compression="zstd")
    return gzip.open(path, "rb") if path.lower().endswith(".gz") else Path(path).open("rb")
