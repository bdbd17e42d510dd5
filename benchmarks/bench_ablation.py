"""What each part of the searches wins: `auto` whole, and without one part after the other.

    python benchmarks/bench_ablation.py [--quick]

A part that wins nothing on any of these tables has no place in the library. Hypervolumes for leakage I; for L0 the mean over
all levels of a policy's distortion relative to the whole search's (1.05: without that part policies cost 5% more), and the
levels that are proven optimal. Made-up tables are seeded; the Hungarian ones need DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from common import measure, seconds, table

import discreet as dc
from discreet.release._partitions import Partitions
from discreet.search.information import _best_known, _information_search
from discreet.search.information._dendrogram import dendrogram
from discreet.search.information._polish import Polished
from discreet.search.ranges import _exact, _line, _multicolumn, _range_search

Part = tuple[object, str, Any]


def nothing(*_args: Any, **_options: Any) -> None:
    """A step that is left out."""


def only_one(weights: Any, _problem: str) -> Partitions:
    """A search that finds the coarsest policy alone."""
    return dendrogram(weights, 0.5).allowed.take(np.array([-1]))


def unpolished(_weights: object, found: Partitions, *_args: Any, **_options: Any) -> Polished:
    """Polishing that hands back what it was given."""
    return Polished(found, None)


INFORMATION: dict[str, Part] = {
    "polishing": (_information_search, "polish", unpolished),
    "moves": (_best_known._Search, "move", nothing),
    "annealing": (_best_known._Search, "anneal", nothing),
    "pairwise merges": (_best_known._Search, "merge_to_thresholds", nothing),
    "IAC-MDSF": (_information_search, "PAPER_ALWAYS", 0),
    "contiguous": (_information_search, "contiguous", only_one),
    "more multipliers": (_best_known, "MULTIPLIERS", 2),
}


def keeps(*arguments: Any, **_options: Any) -> Any:
    """Annealing that hands back what it was given."""
    return arguments[2]


RANGES: dict[str, Part] = {
    "annealing": (_line, "improve", keeps),
    "annealing ": (_multicolumn, "improve", keeps),
    "the paper's path": (_range_search, "GREEDY_ALWAYS", 0),
    "baselines": (_range_search, "baselines_for", lambda _task: ()),
}


@contextmanager
def without(part: Part) -> Iterator[None]:
    """Leave one part out."""
    home, name, instead = part
    before = getattr(home, name)
    setattr(home, name, instead)
    try:
        yield
    finally:
        setattr(home, name, before)


def hungarian(sensitive: tuple[str, ...], public: tuple[str, ...]) -> dc.Joint:
    """Pairs of the Hungarian data; a column may be on both sides."""
    columns = dc.datasets.load("hungarian")
    s = zip(*(columns[each] for each in sensitive), strict=True)
    x = zip(*(columns[each] for each in public), strict=True)
    return dc.Joint.from_pairs(list(zip(s, x, strict=True)))


def dense(n: int, seed: int) -> dc.Joint:
    """A pmf without zeros."""
    return dc.Joint.from_array(np.random.default_rng(seed).dirichlet(np.full(n * n, 0.3)).reshape(n, n))


def registry(rows: int, columns: int, seed: int) -> dc.Joint:
    """People with a skewed diagnosis that depends on numbers."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.integers(0, 40 * (c + 1), rows) for c in range(columns)])
    s = (rng.zipf(1.7, rows) + x[:, 0] // 16) % 12
    return dc.Joint.from_pairs(
        [(int(a), tuple(b) if columns > 1 else b[0]) for a, b in zip(s, x.tolist(), strict=True)]
    )


def bench_information(joints: dict[str, dc.Joint], limit: float) -> None:
    """Hypervolume for leakage I, funnel and bottleneck, without each part, in so many seconds each."""
    rows = []
    for name, joint in joints.items():
        for problem in ("funnel", "bottleneck"):
            options: Any = {"leakage": "I", "problem": problem, "time_limit": limit}
            call = partial(dc.frontier, joint, **options)
            whole = measure(call)
            cells = [f"{whole.result.hypervolume:.6f}"]
            for part in INFORMATION.values():
                with without(part):
                    cells.append(f"{call().hypervolume - whole.result.hypervolume:+.6f}")
            rows.append([f"{name} {problem}", *cells, seconds(whole.wall)])
    header = ["joint", "whole", *(f"no {part}" for part in INFORMATION), "time"]
    table("Leakage I: hypervolume, and what it loses", header, rows)


def bench_ranges(joints: dict[str, dc.Joint]) -> None:
    """Distortion at every k for leakage L0, without each part."""
    rows = []
    for name, joint in joints.items():
        call = partial(dc.frontier, joint, leakage="L0", utility="distortion")
        whole = measure(call)
        levels = [point.leakage for point in whole.result.points]
        best = np.array([-whole.result.point_at(max_leakage=level).utility for level in levels])
        cells = [f"{len(levels)}", f"{sum(p.gap is not None and p.gap <= 1e-9 for p in whole.result.points)}"]
        for part in RANGES.values():
            with without(part):
                other = call()
            cost = np.array([-other.point_at(max_leakage=level).utility for level in levels])
            ratio = np.divide(cost, best, out=np.ones(len(best)), where=best > 0)
            cells.append(f"{ratio.mean():.4f}")
        rows.append([name, *cells, seconds(whole.wall)])
    header = ["joint", "levels", "proven", *(f"no {part.strip()}" for part in RANGES), "time"]
    table("Leakage L0: distortion relative to the whole search's", header, rows)


def bench_proofs(quick: bool) -> None:
    """Small alphabets: subsets against the solver that is asked otherwise."""
    rows = []
    for n in (12, 14) if quick else (12, 14, 15):
        rng = np.random.default_rng(n)
        joint = dc.Joint.from_pairs([(int(rng.integers(0, 6)), int(i % n) ** 2) for i in range(3 * n)])
        call = partial(dc.frontier, joint, leakage="L0", utility="distortion", method="exact")
        call()
        subsets = measure(call)
        with without((_exact, "SUBSET_LIMIT", 0)):
            solver = measure(call)
        same = len(subsets.result.points) == len(solver.result.points)
        rows.append([f"{len(joint.x)} letters", seconds(subsets.wall), seconds(solver.wall), str(same)])
    table("Proofs on small alphabets", ["alphabet", "subsets", "solver", "same points"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="less data, to see that it runs")
    quick = parser.parse_args().quick
    joints = {"dense 12": dense(12, 0)} if quick else {"dense 12": dense(12, 0), "dense 40": dense(40, 1)}
    binary = np.random.default_rng(3).integers(0, 9, (2, 30))
    joints["binary S"] = dc.Joint.from_array(binary)
    if not quick:
        joints["binary S, 2,000 letters"] = dc.Joint.from_array(np.random.default_rng(3).integers(0, 9, (2, 2_000)))
    if not quick and os.environ.get("DISCREET_DATA"):
        joints["A"] = hungarian(("age", "sex"), ("sex", "chol"))
        joints["B"] = hungarian(("age", "sex"), ("age", "chol"))
    numeric = {"one column": registry(600, 1, 0), "two columns": registry(400, 2, 1)}
    for problem in ("funnel", "bottleneck"):  # what is compiled first would take the first one's time
        dc.frontier(joints["binary S"], leakage="I", problem=problem)
    dc.frontier(registry(100, 1, 0), leakage="L0", utility="distortion")
    bench_information(joints, 1.0 if quick else 10.0)
    if not quick:
        numeric["three columns"] = registry(800, 3, 2)
    bench_ranges(numeric)
    bench_proofs(quick)


if __name__ == "__main__":
    main()
