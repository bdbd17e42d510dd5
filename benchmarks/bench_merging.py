"""Whole merge paths of the paper's algorithms: time, growth, and what they reach.

    python benchmarks/bench_merging.py [--letters 10000 100000] [--families consecutive runs] [--plane 2000]
    [--naive 300]

For each algorithm, utility and family of inputs: CPU seconds (kernels loaded beforehand), the growth exponent
between successive sizes, and the leakage and utility halfway down the path and at its end, so that
faster-but-worse would show.
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from discreet._typing import Codeword, Cost
from discreet.search._letters import Letters
from discreet.search.ranges._greedy.path import Leakage, MergePath, merge_connected, merge_path

LEVELS = 50


def letters_of(s: Sequence[np.ndarray], values: np.ndarray) -> Letters:
    """Letters from, for each draw, one s a letter (several draws: several s a letter)."""
    rows = np.sort(np.column_stack(s), axis=1)
    fresh = np.ones(rows.shape, dtype=bool)
    fresh[:, 1:] = rows[:, 1:] != rows[:, :-1]
    levels, codes = np.unique(rows[fresh], return_inverse=True)
    indptr = np.concatenate(([0], np.cumsum(fresh.sum(axis=1)))).astype(np.int64)
    return Letters(
        indptr,
        codes.astype(np.int32),
        len(levels),
        np.asarray(values, dtype=np.float64).reshape(len(rows), -1),
    )


def family(name: str, n: int, seed: int = 1) -> Letters:
    """One of the inputs of the benchmark."""
    rng = np.random.default_rng(seed)
    ladder, one_s = np.arange(n), rng.integers(0, LEVELS, n)
    match name:
        case "random":
            return letters_of([one_s], np.sort(rng.random(n)))
        case "shuffled":
            return letters_of([one_s], rng.permutation(n))
        case "consecutive":
            return letters_of([one_s], ladder)
        case "runs":
            return letters_of([ladder // max(1, n // LEVELS)], ladder)
        case "short runs":
            return letters_of([ladder // 100 % LEVELS], ladder)
        case "one s but a few":
            s = np.zeros(n, dtype=np.int64)
            s[rng.choice(n, LEVELS - 1, replace=False)] = np.arange(1, LEVELS)
            return letters_of([s], ladder)
        case "clustered":
            return letters_of([one_s], np.sort(rng.integers(0, 100, n) * 1000 + rng.normal(size=n)))
        case "several s":
            return letters_of([rng.integers(0, LEVELS, n) for _ in range(4)], ladder)
        case "an s each":
            return letters_of([rng.permutation(n)], ladder)
        case "an s each, random":
            return letters_of([rng.permutation(n)], np.sort(rng.random(n)))
        case "many components":
            return letters_of([rng.integers(0, n // 2, n)], ladder)
        case "repeated values":
            return letters_of([one_s], rng.integers(0, 1000, n))
        case "repeated, an s each":
            return letters_of([rng.permutation(n)], rng.integers(0, 1000, n))
        case "plane":
            return letters_of([one_s], rng.random((n, 2)))
        case "plane, an s each":
            return letters_of([rng.permutation(n)], rng.random((n, 2)))
    raise ValueError(f"no family {name}")


LINE = (
    "random",
    "shuffled",
    "consecutive",
    "runs",
    "short runs",
    "one s but a few",
    "clustered",
    "several s",
    "an s each",
    "an s each, random",
    "many components",
    "repeated values",
    "repeated, an s each",
)
PLANE = ("plane", "plane, an s each")


def reached(path: MergePath, leakage: Leakage, cost: Cost, letters: Letters) -> str:
    """Leakage in bits and utility, halfway down the path and at its end."""
    shown = []
    for step in (len(path) // 2, len(path) - 1):
        bits = math.log2(letters.n_s / path.distinct[step]) if leakage == "L0" else math.log2(path.components[step])
        utility = math.log2(letters.n / path.size[step]) if cost == "size" else -path.distortion[step]
        shown.append(f"{bits:7.3f} {utility:12.5g}")
    return "  |  ".join(shown)


def timed(run: Callable[[], MergePath]) -> tuple[float, MergePath]:
    """CPU seconds of one run, and its path."""
    start = time.process_time()
    path = run()
    return time.process_time() - start, path


def table(names: Sequence[str], sizes: Sequence[int], codewords: Sequence[Codeword]) -> None:
    """One line for each algorithm, utility, family and size."""
    print(f"{'leakage':8}{'cost':12}{'codeword':10}{'input':22}{'n':>9}{'CPU s':>9}{'growth':>8}   reached")
    runs: list[tuple[Cost, Codeword]] = [
        ("size", "centroid"),
        *(("distortion", codeword) for codeword in codewords),
    ]
    for leakage in ("L0", "I*"):
        for cost, codeword in runs:
            for name in names:
                before: tuple[int, float] | None = None
                for n in sizes:
                    letters = family(name, n)
                    seconds, path = timed(partial(merge_path, letters, leakage, cost, codeword))
                    growth = f"{math.log(seconds / before[1]) / math.log(n / before[0]):8.2f}" if before else " " * 8
                    before = n, seconds
                    what = reached(path, leakage, cost, letters)
                    print(
                        f"{leakage:8}{cost:12}{codeword:10}{name:22}{n:9}{seconds:9.3f}{growth}   {what}",
                        flush=True,
                    )
    print(f"largest resident memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


def connected(sizes: Sequence[int]) -> None:
    """Problem (7), whose multiplier steers the merges."""
    for cost in ("size", "distortion"):
        for name in ("consecutive", "an s each"):
            for n in sizes:
                letters = family(name, n)
                seconds, path = timed(partial(merge_connected, letters, cost, 0.3))
                what = reached(path, "L0", cost, letters)
                print(
                    f"{'L0|I*=0':8}{cost:12}{name:22}{n:9}{seconds:9.3f}   {what}",
                    flush=True,
                )


def against_naive(n: int) -> None:
    """Time of the plain transcription in floats over ours, and whether every merge is the same."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from tests._oracles.plain_agglomeration import Naive

    for leakage in ("L0", "I*"):
        for cost in ("size", "distortion"):
            for name in ("consecutive", "runs", "an s each"):
                letters = family(name, n)
                sets = [set(letters.range_of(x).tolist()) for x in range(n)]
                fast, path = timed(partial(merge_path, letters, leakage, cost))
                start = time.process_time()
                plain = Naive(sets, letters.values, exact=False)
                merges, _ = plain.algorithm_1(cost) if leakage == "L0" else plain.algorithm_2(cost)
                slow = time.process_time() - start
                same = merges == list(zip(path.left.tolist(), path.right.tolist(), strict=True))
                print(
                    f"{leakage:4}{cost:12}{name:12}{slow:7.2f} / {fast:.6f} ={slow / fast:7.0f}  same {same}",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--letters", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--families", nargs="*", default=LINE)
    parser.add_argument("--codewords", nargs="*", default=["centroid", "medoid", "chebyshev"])
    parser.add_argument("--plane", type=int, nargs="*", default=[2_000])
    parser.add_argument("--connected", type=int, nargs="*", default=[1_000])
    parser.add_argument(
        "--naive", type=int, default=300, help="letters for the comparison with the transcription; 0: none"
    )
    given = parser.parse_args()
    for name in ("consecutive", "plane"):  # load the kernels
        for cost in ("size", "distortion"):
            for leakage in ("L0", "I*"):
                merge_path(family(name, 100), leakage, cost)
            if given.connected:
                merge_connected(family(name, 100), cost, 0.3)
    if given.letters:
        table(given.families, given.letters, given.codewords)
    if given.plane:
        table(PLANE, given.plane, given.codewords)
    if given.connected:
        connected(given.connected)
    if given.naive:
        against_naive(given.naive)


if __name__ == "__main__":
    main()
