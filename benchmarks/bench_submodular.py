"""The submodular minimiser, and IAC-MDSF with its two solvers: time, iterations, and the hypervolume reached.

    python benchmarks/bench_submodular.py [--quick]

Minimum-norm point: Iwata's function, a grid of neighbours with noise, and the inner problem of the bottleneck; the duality
gap is relative to Σ |f({i})|. IAC-MDSF: a grid of multipliers on settings A and B of the Hungarian data (SPEC 8) where
DISCREET_DATA names their folder, every iterate kept. Targets: 300 elements in a few seconds, a multiplier in under a second.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from common import best_here, measure, seconds, table

import discreet as dc
from discreet._typing import FloatArray, IntArray, Problem
from discreet.release._hypervolume import hypervolume
from discreet.search.information import weights_of
from discreet.search.information._iac_mdsf import MergePath, Solver, iac_mdsf
from discreet.search.information._submodular import Gains, Minimum, minimise
from discreet.search.information._theorem import Merges
from discreet.search.information._weights import Weights

PUBLISHED = {("A", "funnel"): 0.628, ("B", "funnel"): 0.607, ("A", "bottleneck"): 0.504, ("B", "bottleneck"): 0.585}
"""IAC-MDSF in SPEC 8."""


def iwata(n: int) -> Gains:
    """|A|·|V∖A| − Σ_{j∈A} (5j − 2n)."""
    steps = np.diff(np.arange(n + 1.0) * (n - np.arange(n + 1.0)))
    return lambda order: steps - (5.0 * (order + 1) - 2 * n)


def grid(n: int) -> Gains:
    """A square of neighbours, each with a preference of its own."""
    side = int(np.sqrt(n))
    rng = np.random.default_rng(1)
    unary = rng.normal(0, 1.2, n)
    unary[side * side :] = 0.0
    place = np.arange(side * side).reshape(side, side)
    one = np.concatenate((place[:, 1:].ravel(), place[1:].ravel()))
    two = np.concatenate((place[:, :-1].ravel(), place[:-1].ravel()))
    degree = np.bincount(np.concatenate((one, two)), minlength=n)

    def gains(order: IntArray) -> FloatArray:
        rank = np.empty(n, np.int64)
        rank[order] = np.arange(n)
        later = np.where(rank[one] > rank[two], one, two)
        return np.asarray((unary + degree - 2 * np.bincount(later, minlength=n))[order])

    return gains


def bottleneck_inner(n: int) -> Gains:
    """g − m on n letters over 60 s, m the gains of (1−λ) f along a random order."""
    rng = np.random.default_rng(2)
    n_s = 60
    joint = dc.Joint.from_pairs(list(zip(rng.integers(0, n_s, 3 * n), rng.integers(0, n, 3 * n), strict=True)))
    merges = Merges.of(weights_of(joint))
    order = rng.permutation(merges.n)
    modular = np.empty(merges.n)
    modular[order] = 0.45 * merges.f_gains(order)

    def gains(along: IntArray) -> FloatArray:
        real = along[along < merges.n]  # letters that were drawn; the others are worth nothing
        found = np.zeros(len(along))
        found[along < merges.n] = merges.g_gains(real) - modular[real]
        return found

    return gains


def minimum_norm(sizes: tuple[int, ...]) -> None:
    """How the minimiser scales."""
    kinds: dict[str, Callable[[int], Gains]] = {"Iwata": iwata, "grid": grid, "bottleneck's inner": bottleneck_inner}
    rows = []
    for name, kind in kinds.items():
        minimise(kind(20), 20)
        for n in sizes:
            gains = kind(n)
            cost = best_here(lambda gains=gains, n=n: minimise(gains, n), 2)  # type: ignore[misc]
            found: Minimum = cost.result
            scale = float(np.abs(gains(np.arange(n))).sum())
            rows.append(
                [name, str(n), seconds(cost.cpu), str(found.cycles), f"{found.gap / scale:.1e}", f"{found.value:.6g}"]
            )
    table("minimum-norm point", ["function", "n", "CPU", "oracle calls", "gap", "value"], rows)


def covered(weights: Weights, paths: list[MergePath], problem: Problem) -> float:
    """The hypervolume of every partition on every path, as SPEC 8 defines it."""
    leakage = np.concatenate([path.leakage for path in paths]) / weights.leakage
    utility = np.concatenate([path.utility for path in paths]) / weights.entropy
    return hypervolume(leakage, 1 - utility) if problem == "funnel" else hypervolume(1 - leakage, utility)


def hungarian(multipliers: int) -> None:
    """IAC-MDSF with each solver on the paper's data."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.search.information.hungarian import hungarian_weights

    data = dc.datasets.load("hungarian")
    grid_of = np.linspace(0, 1, multipliers)
    rows = []
    for setting in get_args(Literal["A", "B"]):
        weights = hungarian_weights(data, setting)
        for problem in get_args(Problem):
            for solver in get_args(Solver):
                iac_mdsf(weights, 0.5, problem, solver)

                def run(
                    weights: Weights = weights, problem: Problem = problem, solver: Solver = solver
                ) -> list[MergePath]:
                    return [iac_mdsf(weights, float(multiplier), problem, solver) for multiplier in grid_of]

                cost = measure(run)
                paths: list[MergePath] = cost.result
                last = np.sort([path.utility[-1] for path in paths])
                wide = int(np.argmax(np.diff(last)))
                rows.append(
                    [
                        f"{setting} {problem}, {solver}",
                        seconds(cost.cpu / multipliers),
                        f"{np.mean([len(path) - 1 for path in paths]):.1f}",
                        f"{covered(weights, paths, problem):.4f}",
                        f"{PUBLISHED[setting, problem]:.3f}",
                        f"{last[wide]:.2f} to {last[wide + 1]:.2f}",
                    ]
                )
    header = ["setting", "CPU a λ", "iterations", "hypervolume", "SPEC 8", "no last I(X;X^) in"]
    table(f"IAC-MDSF, {multipliers} multipliers, every iterate", header, rows)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to 300 elements and 11 multipliers")
    quick = parser.parse_args().quick
    minimum_norm((100, 300) if quick else (100, 300, 1000))
    if os.environ.get("DISCREET_DATA"):
        hungarian(11 if quick else 101)


if __name__ == "__main__":
    main()
