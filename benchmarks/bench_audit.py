"""The audit of a 30-million-row Parquet file against the bare DuckDB group-by of the same two columns.

Each side runs in processes of its own, in turn, best of three. Imports are loaded and a tiny file of the same kind
is counted before the clock starts, on both sides. Targets: at most 1.5 times the time of the bare group-by for
5,000 levels of x and 2.5 times for 1,000,000; at most 1.5 times its peak memory plus 500 MB.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common import Cost, alternate, in_process, megabytes, seconds, start, table, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 30_000_000
S_LEVELS = 38
TARGETS = {5_000: 1.5, 1_000_000: 2.5}  # levels of x -> largest ratio of times
SPARE = 500  # MB


def make(arguments: list[str]) -> Callable[[], Any]:
    """Write a file: s and x independent and uniform, which gives the most distinct pairs."""
    import duckdb

    path, rows, levels = arguments[0], int(arguments[1]), int(arguments[2])
    query = (
        f"SELECT (hash(i) % {S_LEVELS})::INTEGER AS s, (hash(i + 123456789) % {levels})::INTEGER AS x "
        f"FROM range({rows}) t(i)"
    )
    return lambda: duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT parquet)") and None


def bare(arguments: list[str]) -> Callable[[], Any]:
    """The group-by, fetched as an Arrow table."""
    import duckdb

    path, warm_up = arguments

    def group(file: str) -> list[int]:
        con = duckdb.connect()
        query = f"SELECT s, x, count(*) AS n FROM '{file}' GROUP BY s, x"
        return [con.sql(query).to_arrow_table().num_rows]

    group(warm_up)
    return lambda: group(path)


def audit(arguments: list[str]) -> Callable[[], Any]:
    """The whole audit: the same group-by, the joint, every measure, the evidence."""
    import discreet as dc

    path, warm_up, *limit = arguments

    def run(file: str) -> list[float]:
        found = dc.audit(file, "s", "x", memory_limit=limit[0] if limit else None)
        found.worst(10)
        return [found.joint.counts.nnz, len(found.values), *(found.values[symbol] for symbol in ("k", "L0", "I"))]

    run(warm_up)
    return lambda: run(path)


def bench(options: argparse.Namespace) -> None:
    """Both sides for both sizes of the alphabet of x."""
    rows = ROWS // 30 if options.quick else ROWS
    print(f"audit of {rows:,} rows of Parquet, {S_LEVELS} levels of s; imports are loaded before timing")
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as folder:
        warm_up = str(Path(folder) / "tiny.parquet")
        in_process("make", warm_up, "1000", "50")
        for levels, most in TARGETS.items():
            path = str(Path(folder) / "table.parquet")
            in_process("make", path, str(rows), str(levels))

            def side(worker: str, path: str = path) -> Callable[[], Cost]:
                return lambda: in_process(worker, path, warm_up)

            found = alternate({"bare": side("bare"), "audit": side("audit")}, 1 if options.quick else 3)
            show(levels, most, found["bare"], found["audit"])


def show(levels: int, most: float, bare_cost: Cost, audit_cost: Cost) -> None:
    """Both sides, their ratios, and what was reached."""
    pairs, measures, k, leakage, information = audit_cost.result
    assert bare_cost.result == [pairs], "both sides must find the same distinct pairs"
    allowed = 1.5 * bare_cost.peak + SPARE

    def line(what: str, name: str, text: Callable[[float], str], target: str, is_met: bool | None) -> list[str]:
        one, other = getattr(bare_cost, name), getattr(audit_cost, name)
        return [what, text(one), text(other), f"{other / one:.2f}", target, "" if is_met is None else verdict(is_met)]

    table(
        f"{levels:,} levels of x, {pairs:,.0f} distinct pairs",
        ["", "bare group-by", "audit", "ratio", "target", ""],
        [
            line("time", "wall", seconds, f"{most}", audit_cost.wall <= most * bare_cost.wall),
            line("CPU", "cpu", seconds, "", None),
            line("peak memory", "peak", megabytes, megabytes(allowed), audit_cost.peak <= allowed),
        ],
    )
    print(f"  reached: {measures} measures, k = {k:g}, L0 = {leakage:.4f} bits, I = {information:.4f} bits")


if __name__ == "__main__":
    start(bench, {"make": make, "bare": bare, "audit": audit}, argparse.ArgumentParser(description=__doc__))
