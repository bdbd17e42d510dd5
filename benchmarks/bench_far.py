"""The audit of a 100-million-row Parquet file against the bare group-by of DuckDB and of polars.

One run each, in processes of their own; the file is made in a scratch folder and removed. Imports are loaded and a tiny file is
counted before the clock starts. Targets: 5,000 letters of x within 1.5 times the CPU of DuckDB's bare group-by and below 2 GB;
1,000,000 letters within 2.5 times and below 6 GB; with a memory limit of 1 GB it still ends, with the same answer. CPU decides,
because the machine has other work as well.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench_audit import S_LEVELS, audit, bare, make
from common import Cost, in_process, machine, megabytes, seconds, start, table, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 100_000_000
TARGETS = {5_000: (1.5, 2_000), 1_000_000: (2.5, 6_000)}  # letters of x -> largest ratio of CPU, and MB
LIMIT = "1GB"


def polars(arguments: list[str]) -> Callable[[], Any]:
    """The group-by in polars, streaming."""
    import polars as pl

    path, warm_up = arguments

    def group(file: str) -> list[int]:
        query = pl.scan_parquet(file).group_by("s", "x").agg(pl.len())
        return [query.collect(engine="streaming").height]

    group(warm_up)
    return lambda: group(path)


def bench(options: argparse.Namespace) -> None:
    """Every side for both sizes of the alphabet of x."""
    rows = ROWS // 50 if options.quick else ROWS
    here = machine()
    print(f"audit of {rows:,} rows of Parquet, {S_LEVELS} levels of s")
    print(f"{here['cores']} cores, {here['memory_gb']} GB, load {here['load'][0]}")
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as folder:
        warm_up, path = str(Path(folder) / "tiny.parquet"), str(Path(folder) / "table.parquet")
        in_process("make", warm_up, "1000", "50")
        for levels, (most, memory) in TARGETS.items():
            in_process("make", path, str(rows), str(levels))
            found = {name: in_process(name, path, warm_up) for name in ("bare", "polars", "audit")}
            found["limited"] = in_process("audit", path, warm_up, LIMIT)
            show(levels, most, memory, found)


def show(levels: int, most: float, memory: float, found: dict[str, Cost]) -> None:
    """All sides, their ratios to DuckDB's group-by, and what was reached."""
    floor = found["bare"]
    pairs = floor.result[0]
    assert found["polars"].result == [pairs], "every side must find the same distinct pairs"
    assert found["audit"].result == found["limited"].result, "a memory limit changes nothing in the answer"
    names = {
        "bare": "DuckDB, bare group-by",
        "polars": "polars, bare group-by",
        "audit": "discreet audit",
        "limited": f"discreet audit, --memory-limit {LIMIT}",
    }
    body = []
    for side, cost in found.items():
        ratio = cost.cpu / floor.cpu
        met = verdict(ratio <= most and cost.peak <= memory) if side == "audit" else ""
        aim = f"{most}×, {memory:,} MB" if side == "audit" else ""
        body.append(
            [names[side], seconds(cost.cpu), f"{ratio:.2f}", seconds(cost.wall), megabytes(cost.peak), aim, met]
        )
    table(
        f"{levels:,} letters of x, {pairs:,} distinct pairs",
        ["", "CPU", "ratio", "wall", "peak memory", "target", ""],
        body,
    )
    _, measures, k, leakage, information = found["audit"].result
    print(f"  reached: {measures:g} measures, k = {k:g}, L0 = {leakage:.4f} bits, I = {information:.4f} bits")


if __name__ == "__main__":
    workers = {"make": make, "bare": bare, "polars": polars, "audit": audit}
    start(bench, workers, argparse.ArgumentParser(description=__doc__))
