"""Whole frontiers by `auto`, with their proven bounds: time, and how far from optimal they may be.

    python benchmarks/bench_frontier.py [--quick]

One numeric column (S of 50 levels, one s a letter, uniform values), two numeric columns, and the Hungarian data where
DISCREET_DATA names their folder. Kernels are loaded on a small joint first; building the joint is not timed.
Targets: 10^5 letters under 5 s, 10^6 under 60 s; two columns: 2,000 letters under 10 s, 20,000 under 120 s; Hungarian data
gap 0 at every k for block size and midrange distortion, within 1% of the bound for centroids up to k = 18, under 60 s.
"""

from __future__ import annotations

import argparse
import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
from common import measure, table

import discreet as dc

LEVELS = 50


def line(n: int) -> dc.Joint:
    """n letters on a line."""
    rng = np.random.default_rng(1)
    return dc.Joint.from_table({"s": rng.integers(0, LEVELS, n), "x": rng.random(n)}, "s", "x")


def plane(n: int) -> dc.Joint:
    """n letters in a plane."""
    rng = np.random.default_rng(1)
    return dc.Joint.from_table(
        {"s": rng.integers(0, LEVELS, n), "x": rng.random(n), "y": rng.random(n)}, "s", ["x", "y"]
    )


def row(name: str, joint: dc.Joint, warm: dc.Joint, **options: Any) -> list[str]:
    """One frontier, timed and told."""
    dc.frontier(warm, **options)
    cost = measure(lambda: dc.frontier(joint, **options))
    found: dc.Frontier = cost.result
    gap = "" if found.bound is None else f"{float((found.points.leakage - found.bound).max()):.3f}"
    closed = "" if found.bound is None else f"{int((found.points.leakage <= found.bound + 1e-9).sum())}"
    return [
        name,
        f"{joint.n_x:,}",
        f"{cost.wall:.2f}",
        f"{cost.cpu:.2f}",
        str(len(found.points)),
        closed,
        gap,
        f"{found.hypervolume:.3f}",
        f"{cost.peak:,.0f}",
    ]


HEADER = ["frontier", "letters", "wall s", "CPU s", "points", "optimal", "largest gap, bits", "hypervolume", "peak MB"]


def main() -> None:
    """Print a table for each kind of input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to 10^5 letters on a line, 2,000 in the plane")
    quick = parser.parse_args().quick
    warm = line(300)
    rows = []
    for n in (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000):
        joint = line(n)
        rows.append(row("L0, distortion, chebyshev", joint, warm, codeword="chebyshev"))
        rows.append(row("L0, distortion, centroid", joint, warm))
        rows.append(row("L0, resolution", joint, warm, utility="resolution"))
    table("one column", HEADER, rows)
    warm = plane(200)
    rows = [
        row(f"L0, distortion, {codeword}", plane(n), warm, codeword=codeword)
        for n in ((2_000,) if quick else (2_000, 20_000))
        for codeword in ("centroid", "chebyshev")
    ]
    table("two columns", HEADER, rows)
    if os.environ.get("DISCREET_DATA"):
        hungarian()
        adult(quick)


def adult(quick: bool) -> None:
    """Adult by age and categories, 1 apart, and what 200 rows that may be withheld do to the largest distortion at k = 5."""
    path = Path(os.environ["DISCREET_DATA"]) / "adult" / "adult.csv"
    if not path.exists():
        return
    with path.open() as file:
        lines = list(csv.DictReader(file, delimiter=";"))
    columns = {name: [line[name] for line in lines] for name in lines[0]}
    columns["age"] = [int(age) for age in columns["age"]]
    rows = []
    for many in (3, 4) if quick else (3, 4, 5):
        public = ["age", "sex", "race", "marital-status", "education"][:many]
        joint = dc.Joint.from_table(columns, "occupation", public)
        cost = measure(lambda joint=joint: dc.frontier(joint))  # type: ignore[misc]
        found: dc.Frontier = cost.result
        point = found.point_at(min_k=5)
        held = measure(lambda found=found, point=point: found.engine.withhold(found, point, 200, 30.0))  # type: ignore[misc]
        rows.append(
            [
                f"{many} columns",
                f"{joint.n_x:,}",
                f"{cost.cpu:.1f}",
                f"{found.hypervolume:.3f}",
                f"{-point.utility:.3f}",
                f"{-held.result[0].utility:.3f}",
                f"{held.cpu:.1f}",
            ]
        )
    header = ["Adult", "letters", "CPU s", "hypervolume", "distortion at k = 5", "200 rows withheld", "CPU s"]
    table("numbers beside categories", header, rows)


def hungarian() -> None:
    """Greedy, best and bound in the units of the data, k by k."""
    joint = dc.Joint.from_table(dc.datasets.load("hungarian"), "age", "chol", missing="drop")
    for name, options in {
        "block size": {"utility": "resolution"},
        "midrange distortion": {"codeword": "chebyshev"},
        "centroid distortion": {"codeword": "centroid"},
    }.items():
        cost = measure(lambda options=options: dc.frontier(joint, **options))  # type: ignore[misc]
        best: dc.Frontier = cost.result
        greedy = dc.frontier(joint, method="agglomerative", **options)  # type: ignore[arg-type]
        rows = []
        for k in (2, 5, 10, 18):
            bits = float(np.log2(joint.n_s / k))
            figures = [_cost(found, bits, joint.n_x) for found in (greedy, best)]
            rows.append([str(k), *(f"{figure:.4g}" for figure in figures)])
        gap = float((best.points.leakage - best.bound).max()) if best.bound is not None else float("nan")
        table(
            f"Hungarian data, {name}: {cost.wall:.1f} s, largest gap {gap:.4f} bits, hypervolume {best.hypervolume:.3f} "
            f"(greedy {greedy.hypervolume:.3f})",
            ["k", "greedy", "auto"],
            rows,
        )


def _cost(found: dc.Frontier, bits: float, n: int) -> float:
    utility = found.point_at(max_leakage=bits).utility
    return n / 2**utility if found.utility == "resolution" else -utility


if __name__ == "__main__":
    main()
