"""DuckDB as it is used here: within a memory limit, spilling to a scratch folder of its own, its complaints in our words."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from discreet.errors import TableError
from discreet.tables._scratch import scratch_folder

if TYPE_CHECKING:
    import duckdb

    from discreet._typing import Progress

LEAST = 100_000_000
"""Bytes: with less DuckDB cannot hold what it spills from."""
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) *([KMGT])(I?)B", re.IGNORECASE)


class LongLineError(TableError):
    """A line that is longer than DuckDB reads unless it is told to."""


def memory_bytes(limit: str | None) -> int | None:
    """A memory limit as bytes; refused where it is no size, or too small to work with.

    Examples
    --------
    >>> memory_bytes("2GB"), memory_bytes("0.5 GiB")
    (2000000000, 536870912)
    """
    if limit is None:
        return None
    found = _SIZE.fullmatch(limit.strip()) if isinstance(limit, str) else None
    if found is None:
        raise TableError(f"memory limit {limit!r} is not a size: use for instance '4GB'")
    base = 1024 if found[3] else 1000
    size = int(float(found[1]) * base ** ("KMGT".index(found[2].upper()) + 1))
    if size < LEAST:
        raise TableError(f"a memory limit of {limit} is too small to work with: give at least {LEAST // 10**6}MB")
    return size


@contextmanager
def connection(memory_limit: str | None, *, in_order: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of our own: it spills to a scratch folder that goes away, and fetches nothing from anywhere."""
    import duckdb

    with scratch_folder() as scratch:
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": scratch,
            "autoinstall_known_extensions": False,
            "preserve_insertion_order": in_order,
        }
        if (size := memory_bytes(memory_limit)) is not None:
            config["memory_limit"] = f"{size}B"
            config["threads"] = max(1, min(os.cpu_count() or 1, size // LEAST))  # each holds buffers of its own
        con = duckdb.connect(config=config)
        try:
            yield con
        finally:
            con.close()


def run(con: duckdb.DuckDBPyConnection, query: str, base: str, progress: Progress | None) -> Any:
    """Run the grouping; while it runs, say how far it is."""
    done = threading.Event()

    def report() -> None:
        while progress and not done.wait(0.2):
            share = con.query_progress()
            progress("counting", share / 100 if share >= 0 else None)

    watcher = threading.Thread(target=report, daemon=True)
    if progress:
        watcher.start()
    try:
        return reading(lambda: con.sql(query).to_arrow_table(), base)
    finally:
        done.set()
        if progress:
            watcher.join()


def reading(read: Callable[[], Any], base: str) -> Any:
    """Turn an engine's complaint into one line of our own: theirs quote the data."""
    import duckdb
    import pyarrow as pa

    try:
        return read()
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as problem:
        if "interrupt" in str(problem).lower():
            raise KeyboardInterrupt from None
        raise
    except duckdb.OutOfMemoryException:
        raise TableError(
            f"counting {base} needs more memory than allowed: raise --memory-limit, or name fewer columns"
        ) from None
    except (duckdb.Error, pa.ArrowException, OSError, ValueError) as problem:
        text = str(problem)
        line = re.search(r"[Ll]ine:? (\d+)", text)
        where = f"{base}, line {line[1]}" if line else base
        lowered = text.lower()
        if "maximum line size" in lowered or "max_line_size" in lowered:
            raise LongLineError(f"{where} is too long") from None
        if "no space left" in lowered or "could not write" in lowered:
            raise TableError(f"the scratch folder is full: set TMPDIR to a folder with room to count {base}") from None
        if "utf-8" in lowered or "unicode" in lowered or "encod" in lowered:
            raise TableError(f"{where} is not UTF-8 text: save it in UTF-8") from None
        if "csv error" in lowered or "expected number of columns" in lowered:
            raise TableError(
                f"{where} does not have the header's number of fields, or a quote is not closed: mend that line"
            ) from None
        raise TableError(f"{base} is damaged or not of the kind its name says ({type(problem).__name__})") from None
