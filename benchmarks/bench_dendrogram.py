"""Whole dendrograms of the privacy funnel and the information bottleneck: time, growth, memory, and what they reach.

    python benchmarks/bench_dendrogram.py [--letters 500 1000 2000 4000] [--large] [--naive 60] [--dit-python PATH]

50 sensitive values, about 20 records a letter; each size in a process of its own, kernels loaded before timing. The last
columns are I(S;X̂) and I(X;X̂) halfway down the path, so that faster-but-worse would show. Then the plain transcription
of pairwise merging against ours on a small alphabet, merge for merge the same. With --dit-python (a Python that has
dit >= 2), also dit's agglomerative bottleneck: one merge of 154 letters with 38 sensitive values by dit, the whole
dendrogram by discreet. Targets: 2,000 letters under 5 s, 20,000 (--large) under 10 minutes and 4 GB, exponent at most 2.1.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common import Cost, in_process, megabytes, seconds, start, table, verdict

LEVELS = 50
RECORDS = 20
RUNS = {"funnel": (0.999, 0.5), "bottleneck": (0.001, 0.5)}  # problem -> multipliers
MOST_GROWTH = 2.1
TARGETS = {2_000: (5.0, math.inf), 20_000: (600.0, 4_000.0)}  # letters -> seconds, MB
DIT = (154, 38)


def counts(n: int, n_s: int) -> Any:
    """Counts by letter and s: posteriors that differ, some letters heavier than others."""
    import numpy as np

    rng = np.random.default_rng(1)
    posterior = rng.dirichlet(np.full(n_s, 0.1), n)
    return rng.multinomial(rng.poisson(RECORDS, n) + 1, posterior)


def weights(n: int, n_s: int = LEVELS) -> Any:
    """The same as weights."""
    import numpy as np

    from discreet.search.information._weights import Weights

    found = counts(n, n_s)
    letter, s = np.nonzero(found)
    indptr = np.searchsorted(letter, np.arange(n + 1)).astype(np.int64)
    return Weights(indptr, s.astype(np.int32), found[letter, s].astype(np.float64), n_s)


def ours(arguments: list[str]) -> Callable[[], Any]:
    """A whole dendrogram; returns its figures halfway down."""
    from discreet.search.information._dendrogram import dendrogram

    n, n_s, problem, multiplier = int(arguments[0]), int(arguments[1]), arguments[2], float(arguments[3])
    name: Any = problem
    dendrogram(weights(30), multiplier, name)
    data = weights(n, n_s)

    def run() -> list[float]:
        path = dendrogram(data, multiplier, name)
        return [float(path.leakage[n // 2]), float(path.utility[n // 2])]

    return run


def plain(arguments: list[str]) -> Callable[[], Any]:
    """The plain transcription; returns its merges."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from tests._oracles.plain_pairwise import naive_dendrogram

    data = weights(int(arguments[0]))
    return lambda: naive_dendrogram(data, float(arguments[2]), arguments[1])


def same_as_plain(arguments: list[str]) -> Callable[[], Any]:
    """Ours on the same alphabet, as merges."""
    from discreet.search.information._dendrogram import dendrogram

    data, problem = weights(int(arguments[0])), arguments[1]
    name: Any = problem
    dendrogram(weights(30), float(arguments[2]), name)
    return lambda: dendrogram(data, float(arguments[2]), name).merges.tolist()


def dit(arguments: list[str]) -> Callable[[], Any]:
    """One merge by dit; β = 1/λ gives its objective H(T) − β I(T;Y) the pairs of our Lagrangian."""
    import importlib

    algorithms = importlib.import_module("dit.rate_distortion.bottleneck_algorithms")
    found = counts(*DIT)
    found = found[:, found.sum(axis=0) > 0] / found.sum()
    return lambda: algorithms.agglomerative_ib(found, 1 / float(arguments[0]), n_clusters=DIT[0] - 1).relevance


def growth_table(sizes: list[int]) -> None:
    """Time, growth and memory over the sizes."""
    body = []
    for problem, multipliers in RUNS.items():
        for multiplier in multipliers:
            before: tuple[int, Cost] | None = None
            for n in sizes:
                cost = in_process("ours", str(n), str(LEVELS), problem, str(multiplier))
                exponent, met = "", ""
                if before:
                    growth = math.log(cost.cpu / before[1].cpu) / math.log(n / before[0])
                    exponent, met = f"{growth:.2f}", verdict(growth <= MOST_GROWTH)
                if n in TARGETS:
                    most_seconds, most_memory = TARGETS[n]
                    met = verdict(cost.cpu < most_seconds and cost.peak < most_memory and met != verdict(False))
                leakage, utility = cost.result
                reached = [f"{leakage:.4f}", f"{utility:.4f}"]
                body.append(
                    [
                        f"{problem} λ={multiplier}",
                        f"{n:,}",
                        seconds(cost.cpu),
                        exponent,
                        met,
                        megabytes(cost.peak),
                        *reached,
                    ]
                )
                before = n, cost
    table(
        f"whole dendrograms, |S| = {LEVELS}",
        ["", "letters", "CPU", "growth", "", "memory", "I(S;X̂) halfway", "I(X;X̂)"],
        body,
    )


def against_plain(n: int) -> None:
    """The transcription's time over ours, every merge the same."""
    body = []
    for problem, multipliers in RUNS.items():
        for multiplier in multipliers:
            fast = in_process("same_as_plain", str(n), problem, str(multiplier))
            slow = in_process("plain", str(n), problem, str(multiplier))
            assert fast.result == slow.result, f"{problem} λ={multiplier}: the merges differ"
            ratio = f"{slow.cpu / fast.cpu:,.0f}"
            body.append([f"{problem} λ={multiplier}", seconds(fast.cpu), seconds(slow.cpu), ratio])
    table(f"against the plain transcription, {n} letters", ["", "discreet", "plain", "times less"], body)


def against_dit(python: str) -> None:
    """One merge by dit over a whole dendrogram by discreet."""
    multiplier = "0.1"
    fast = in_process("ours", str(DIT[0]), str(DIT[1]), "bottleneck", multiplier)
    slow = in_process("dit", multiplier, python=python)
    table(
        f"against dit, {DIT[0]} letters, |S| = {DIT[1]}",
        ["", "discreet, all merges", "dit, one merge", "times less"],
        [["bottleneck λ=0.1", seconds(fast.cpu), seconds(slow.cpu), f"{slow.cpu / fast.cpu:,.0f}"]],
    )


def bench(options: argparse.Namespace) -> None:
    """All tables."""
    sizes = [250, 500] if options.quick else [*options.letters, *([20_000] if options.large else [])]
    growth_table(sizes)
    if options.naive:
        against_plain(30 if options.quick else options.naive)
    if options.dit_python:
        against_dit(options.dit_python)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--letters", type=int, nargs="*", default=[500, 1_000, 2_000, 4_000])
    arguments.add_argument("--large", action="store_true", help="20,000 letters too: a few minutes")
    arguments.add_argument("--naive", type=int, default=60, help="letters for the transcription; 0: none")
    arguments.add_argument("--dit-python", metavar="PATH", help="a Python that has dit, to compare with")
    start(bench, {"ours": ours, "plain": plain, "same_as_plain": same_as_plain, "dit": dit}, arguments)
