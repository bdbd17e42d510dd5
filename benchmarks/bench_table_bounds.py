"""python benchmarks/bench_table_bounds.py [--quick]: proven lower bounds of whole tables, and the CPU seconds they take.

Adult (from DISCREET_DATA, the directory that holds adult/) for every requirement that TABLES.md has a figure for, then
the registry of 300,000 records, made by registry.py from the same directory. Quality beside time:
"best" is the least loss known, so best/bound says how much of it could still be saved.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from discreet.search.tables._bounds import BoundColumn, SensitiveDemand, TableBound, lower_bound

ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
BEST = {(2, 1): 0.0139, (5, 1): 0.0390, (10, 1): 0.0628, (25, 1): 0.1029, (50, 1): 0.1403, (100, 1): 0.1840,
        (5, 3): 0.0219, (25, 5): 0.0595}  # fmt: skip

Codes = npt.NDArray[np.int32]


def tree(path: Path, values: Sequence[str], weight: float) -> tuple[Codes, BoundColumn]:
    """Codes of the leaves in depth-first order, and the hierarchy of an ARX file."""
    with path.open() as file:
        rows = sorted((row for row in csv.reader(file, delimiter=";") if row), key=lambda row: row[::-1])
    ids: dict[tuple[str, ...], int] = {}
    nodes = [[ids.setdefault(tuple(row[level:]), len(ids)) for level in range(len(row))] for row in rows]
    code = {row[0]: i for i, row in enumerate(rows)}
    return np.array([code[v] for v in values], np.int32), BoundColumn.tree(nodes, weight)


def line(values: Sequence[str], weight: float) -> tuple[Codes, BoundColumn]:
    at, code = np.unique(np.array(values, float), return_inverse=True)
    return code.astype(np.int32), BoundColumn.line(at, weight)


def table(
    path: Path, delimiter: str, public: Sequence[str], hierarchies: str, sensitive: str
) -> tuple[Codes, list[BoundColumn], Codes]:
    """Rows as codes, what the columns' cells cost, and the sensitive column as codes."""
    with path.open() as file:
        names, *rows = list(csv.reader(file, delimiter=delimiter))
    columns, codes = [], []
    for name in public:
        values = [row[names.index(name)] for row in rows]
        weight = 1 / len(public)
        code, column = (
            line(values, weight) if name == "age" else tree(path.parent / hierarchies.format(name), values, weight)
        )
        columns.append(column)
        codes.append(code)
    _, s = np.unique([row[names.index(sensitive)] for row in rows], return_inverse=True)
    return np.column_stack(codes), columns, s.astype(np.int32)


def run(codes: Codes, columns: list[BoundColumn], s: Codes, *, n: int, k: int, limit: float) -> tuple[int, TableBound]:
    letters, inverse, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    demands = []
    if k > 1:
        pairs, times = np.unique(np.column_stack([inverse.ravel(), s]), axis=0, return_counts=True)
        indptr = np.searchsorted(pairs[:, 0], np.arange(len(letters) + 1))
        demands = [SensitiveDemand(indptr, pairs[:, 1].astype(np.int64), times, k)]
    return len(letters), lower_bound(letters, counts, columns=columns, n=n, sensitive=demands, time_limit=limit)


def show(name: str, letters: int, n: int, k: int, bound: TableBound) -> None:
    best = BEST.get((n, k)) if name == "Adult" else None
    ratio = f"{best / bound.value:8.3f}" if best else " " * 8
    print(
        f"{name:10} {letters:9,} {n:4} {k:2} {bound.simple:9.5f} {bound.value:9.5f} {best or float('nan'):7.4f} {ratio}"
        f" {bound.rounds:6} {bound.verified!s:>8} {bound.seconds:8.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="less data, to see that it runs")
    quick = parser.parse_args().quick
    if not os.environ.get("DISCREET_DATA"):
        print("left out: set DISCREET_DATA to the folder that holds adult/ and registry.py")
        return
    data = Path(os.environ["DISCREET_DATA"])
    print("table        letters    n  k    simple     bound    best  best/bound rounds verified    CPU s")
    adult = data / "adult" / "adult.csv"
    if adult.exists():
        for n, k in list(BEST)[:2] if quick else BEST:
            public = ADULT if k == 1 else ADULT[:-1]
            codes, columns, s = table(adult, ";", public, "adult_hierarchy_{}.csv", "occupation")
            show("Adult", *_with(run(codes, columns, s, n=n, k=k, limit=5 if quick else 30), n, k))
    with tempfile.TemporaryDirectory() as folder:
        for rows in (10_000,) if quick else (300_000,):
            subprocess.run([sys.executable, str(data / "registry.py"), str(rows), folder], check=True)
            path = Path(folder) / f"registry-{rows}.csv"
            public = ["age", "sex", "education", "zip"]
            codes, columns, s = table(path, ",", public, "registry_hierarchy_{}.csv", "disease")
            for n, k in ((5, 1), (5, 3)):
                began = time.process_time()
                show(f"{rows:,}", *_with(run(codes, columns, s, n=n, k=k, limit=25), n, k))
                print(f"  with the letters counted: {time.process_time() - began:.1f} CPU s", flush=True)


def _with(found: tuple[int, TableBound], n: int, k: int) -> tuple[int, int, int, TableBound]:
    return found[0], n, k, found[1]


if __name__ == "__main__":
    main()
