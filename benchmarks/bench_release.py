"""Releasing 30 million Parquet rows by a policy of 5,000 letters, against a plain DuckDB copy of the same table.

    python benchmarks/bench_release.py [--quick]

Both sides write Parquet from Parquet, each in a process of its own, in turn, best of three; imports are loaded before timing.
The copy moves both columns as they are; the release groups, checks the promise, writes the public column and reads it back
to check it. Target: at most twice the copy.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common import alternate, in_process, start, table

LETTERS, LEVELS = 5_000, 38


def make(arguments: list[str]) -> Callable[[], Any]:
    """The table: integers drawn by hashing row numbers, so that every run has the same. And a policy for it."""
    import duckdb

    import discreet as dc

    path, rows, policy_file = arguments

    def call() -> None:
        duckdb.connect().execute(
            f"COPY (SELECT (hash(i) % {LEVELS})::INT AS s, (hash(i * 7 + 1) % {LETTERS})::INT AS x "
            f"FROM range({rows}) t(i)) TO '{path}'"
        )
        joint = dc.Joint.from_table(path, "s", "x")
        # All s occur with every x here, so any partition keeps the promise; bins of ten letters will do.
        policy = dc.Policy.from_blocks(joint, [joint.x[i : i + 10] for i in range(0, joint.n_x, 10)])
        policy.save(policy_file)

    return call


def copy(arguments: list[str]) -> Callable[[], Any]:
    """DuckDB's own copy."""
    import duckdb

    source, target = arguments
    con = duckdb.connect()

    def call() -> int:
        con.execute(f"COPY (SELECT * FROM '{source}') TO '{target}'")
        return Path(target).stat().st_size

    return call


def release(arguments: list[str]) -> Callable[[], Any]:
    """discreet's release by a policy that was made before."""
    import scipy.sparse  # noqa: F401, loaded before timing

    import discreet as dc

    source, target, policy_file = arguments
    policy = dc.Policy.load(policy_file)

    def call() -> int:
        policy.release(source, out=target, force=True)
        return Path(target).stat().st_size

    return call


def bench(options: argparse.Namespace) -> None:
    """Make the table and the policy, then run both sides."""
    rows = 3_000_000 if options.quick else 30_000_000
    with tempfile.TemporaryDirectory() as folder:
        source, policy_file = f"{folder}/table.parquet", f"{folder}/policy.json"
        in_process("make", source, str(rows), policy_file)
        sides = alternate(
            {
                "duckdb copy": lambda: in_process("copy", source, f"{folder}/copy.parquet"),
                "discreet release": lambda: in_process("release", source, f"{folder}/released.parquet", policy_file),
            },
            times=1 if options.quick else 3,
        )
    base = sides["duckdb copy"].wall
    table(
        f"{rows:,} rows, {LETTERS:,} letters",
        ["", "wall s", "CPU s", "peak MB", "ratio of wall"],
        [
            [name, f"{cost.wall:.2f}", f"{cost.cpu:.2f}", f"{cost.peak:,.0f}", f"{cost.wall / base:.2f}"]
            for name, cost in sides.items()
        ],
    )


if __name__ == "__main__":
    workers = {"make": make, "copy": copy, "release": release}
    start(bench, workers, argparse.ArgumentParser(description=__doc__))
