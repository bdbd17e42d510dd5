"""The funnel's methods by name: each turns a task into a frontier, by the engines of this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet._typing import FloatArray, IntArray, Problem
from discreet.release._frontier import Frontier
from discreet.release._hypervolume import non_dominated
from discreet.release._points import Point, Points, Setting
from discreet.release._promises import renyi_order
from discreet.search.information import _pmf_leakages as measuring
from discreet.search.information._weights import Weights, information

if TYPE_CHECKING:
    from discreet._typing import Progress

EXACT_ALWAYS = 10  # letters up to which every search is a proof
PAPER_ALWAYS = 6_000_000  # letters × pairs up to which the paper's own iterates are candidates of every search
AFFORDED = 1_000_000  # letters × pairs × seeds of the paper's algorithm
SEARCHED = 20.0  # seconds that a search plans for, at most
MULTIPLIERS = np.linspace(0.0, 1.0, 41)  # of IAC-MDSF, each its own run
SEEDS = 10
ENUMERATED = 8  # letters up to which every partition is looked at, for leakages without a program of their own
BORROWED = 200  # policies of the funnel for I that are tried for other leakages
THRESHOLDS = 101  # of pairwise merging, each its own run
DIGITS = 11  # figures are equal that differ only by rounding
RESOLUTION = 1e-10  # bits: a bound this close is met


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked of an engine."""

    weights: Weights
    setting: Setting
    seed: int
    time_limit: float
    progress: Progress | None

    @property
    def problem(self) -> Problem:
        """Funnel or bottleneck."""
        return "bottleneck" if self.setting.is_bottleneck else "funnel"

    def say(self, stage: str, share: float | None = None) -> None:
        """Report progress."""
        if self.progress:
            self.progress(stage, share)

    def points(self, partitions: Sequence[IntArray]) -> Points:
        """Partitions, measured one by one."""
        figures = np.array([information(self.weights, each) for each in partitions]).reshape(-1, 2)
        return Points(self.setting, figures[:, 0], figures[:, 1], lambda i: partitions[i])

    def point(self, partition: IntArray) -> Point:
        """One partition with its bound."""
        measured = self.points([partition])
        return Points(self.setting, measured.leakage, measured.utility, lambda _: partition, self.bounds(measured))[0]

    def bounds(self, points: Points) -> FloatArray:
        """The proven bound at each point's utility, which no figure can beat by more than rounding."""
        from discreet.search.information._bounds import bound

        found = bound(self.weights, points.utility, self.problem)
        met = np.abs(found - points.leakage) < RESOLUTION
        clip = np.maximum if self.setting.is_bottleneck else np.minimum
        return np.where(met, points.leakage, clip(found, points.leakage))

    def frontier(
        self,
        method: str,
        found: Points,
        bounds: Callable[[Points], FloatArray] | None,
        stop: Callable[[float], Point] | None = None,
        land: Callable[[Point, str, float], Point] | None = None,
    ) -> Frontier:
        """The non-dominated policies as a frontier."""
        chosen = found.chosen(worth_having(found))
        return Frontier(chosen if bounds is None else chosen.bounded(bounds(chosen)), None, method, stop, land)


def worth_having(points: Points) -> IntArray:
    """The non-dominated points, finest first; a bottleneck wants the most leakage at the least utility."""
    leakage, utility = np.round(points.leakage, DIGITS), np.round(points.utility, DIGITS)
    return non_dominated(utility, leakage) if points.setting.is_bottleneck else non_dominated(leakage, utility)


def by_search(task: Task) -> Frontier:
    """The best policies known, with a proven bound; never dominated by the papers' own."""
    if task.weights.n <= EXACT_ALWAYS:
        return by_proof(task, "auto")
    parts = [_search(task)]
    if not task.setting.at_least:
        if task.weights.n_s == 2 and task.setting.is_bottleneck:
            from discreet.search.information._contiguous import contiguous

            runs = contiguous(task.weights, task.problem)
            parts.append(Points(task.setting, runs.leakage, runs.utility, runs.partition))
        if task.weights.n * len(task.weights.weight) <= PAPER_ALWAYS:
            parts.append(_iterates(task))
    return task.frontier("auto", Points.together(parts), task.bounds, land=_landing(task))


def _search(task: Task) -> Points:
    from discreet.search.information._best_known import search

    found = search(
        task.weights,
        task.problem,
        seed=task.seed,
        time_limit=min(task.time_limit, SEARCHED),
        at_least=float(task.setting.at_least),
        progress=task.progress,
    )
    return Points(task.setting, found.leakage, found.utility, found.partition)


def _landing(task: Task) -> Callable[[Point, str, float], Point]:
    """A policy nearer to the threshold than any point of the frontier, where moving single letters finds one."""

    def land(point: Point, name: str, value: float) -> Point:
        from discreet.search.information._moves import land as landed

        if not name.startswith("min"):
            return point
        rng = np.random.default_rng(task.seed)
        least = float(task.setting.at_least)
        other = task.point(landed(task.weights, point.block_of, value, task.problem, rng, at_least=least))
        if task.setting.is_bottleneck:
            return other if other.leakage >= value and other.utility < point.utility else point
        return other if other.utility >= value and other.leakage < point.leakage else point

    return land


def by_proof(task: Task, method: str = "exact") -> Frontier:
    """Optimal policies with a proof, on small alphabets; the best known and the bound when time runs out."""
    from discreet.search.information._exact import exact_frontier

    task.say("proving optimality")
    known = [] if task.weights.n <= EXACT_ALWAYS else [point.block_of for point in by_search(task).points]
    exact = exact_frontier(
        task.weights,
        task.problem,
        at_least=float(task.setting.at_least),
        time_limit=task.time_limit,
        incumbents=known,
    )
    found = task.points(exact.partitions)
    if exact.proven:
        return task.frontier(method, found, lambda points: points.leakage)
    return task.frontier(method, found, task.bounds, land=_landing(task))


def by_iac_mdsf(task: Task) -> Frontier:
    """Algorithm 1 of PF over a grid of λ, all iterates kept; a multiplier is a run of its own."""

    def stop(multiplier: float) -> Point:
        return task.point(_merged(task, multiplier)[-1])

    return task.frontier("iac-mdsf", _iterates(task), task.bounds, stop=stop)


def _merged(task: Task, multiplier: float, seed: int | None = None) -> list[IntArray]:
    from discreet.search.information._iac_mdsf import iac_mdsf

    return iac_mdsf(task.weights, multiplier, task.problem, seed=task.seed if seed is None else seed).partitions


def _iterates(task: Task) -> Points:
    """Every iterate over the grid; the funnel's step has many local minima, so it is run with several seeds.

    How many depends on the size of the problem and not on the clock, so that results repeat.
    """
    weights = task.weights
    afford = int(AFFORDED / (weights.n * len(weights.weight)))
    seeds = 1 if task.setting.is_bottleneck else max(1, min(SEEDS, afford))
    partitions: dict[bytes, IntArray] = {}
    for seed in range(task.seed, task.seed + seeds):
        for i, multiplier in enumerate(MULTIPLIERS):
            task.say("IAC-MDSF", i / len(MULTIPLIERS))
            for each in _merged(task, float(multiplier), seed):
                partitions.setdefault(each.tobytes(), each)
    return task.points(list(partitions.values()))


def by_pairwise(task: Task) -> Frontier:
    """Makhdoumi et al.'s pairwise merges over a grid of thresholds, all steps kept; a bound is a run of its own."""
    from discreet.search.information._pairwise import pairwise

    weights = task.weights
    most = weights.leakage if task.setting.is_bottleneck else weights.entropy
    parts = []
    for i, threshold in enumerate(np.linspace(0.0, most, THRESHOLDS)):
        task.say("pairwise merging", i / THRESHOLDS)
        path = pairwise(weights, float(threshold), task.problem)
        parts.append(Points(task.setting, path.leakage, path.utility, path.partition))

    def land(point: Point, name: str, value: float) -> Point:
        if not name.startswith("min"):
            return point
        path = pairwise(weights, value, task.problem)
        return task.point(path.partition(len(path.leakage) - 1))

    return task.frontier("pairwise", Points.together(parts), task.bounds, land=land)


def by_other_leakage(task: Task) -> Frontier:
    """Maximal, min-entropy and worst-case Rényi leakage: all partitions where they are few, else merging.

    What the funnel finds for I is a candidate too: less information is often less of these. No bound is known beyond the
    small alphabets, where all partitions are looked at.
    """
    from discreet.search.information._other_leakages import OTHER_MULTIPLIERS, merge_other

    setting, weights = task.setting, task.weights
    order = renyi_order(setting.leakage)
    kind: Literal["maximal", "min-entropy", "renyi"] = (
        "renyi" if order is not None else "maximal" if setting.leakage == "I_inf" else "min-entropy"
    )

    def measured(partitions: Sequence[IntArray]) -> Points:
        blocks = [weights.merged(each) for each in partitions]
        if order is not None:
            leakage = [measuring.renyi(each, order) for each in blocks]
        else:
            leakage = [(measuring.maximal if kind == "maximal" else measuring.min_entropy)(each) for each in blocks]
        return Points(setting, leakage, [each.entropy for each in blocks], lambda i: partitions[i])

    if weights.n <= ENUMERATED:
        task.say("looking at every partition")
        every = [each for each in partitions_of(weights.n) if _is_allowed(task, each)]
        return task.frontier("auto", measured(every), lambda points: points.leakage)
    parts = []
    for multiplier in (0.0,) if order is not None else OTHER_MULTIPLIERS:
        task.say("merging")
        path = merge_other(weights, kind, order=order, multiplier=float(multiplier), at_least=float(setting.at_least))
        every_step = Points(setting, path.leakage, path.utility, path.partition)
        parts.append(every_step.chosen(np.arange(path.first, len(path.leakage))))
    found = _search(task)
    chosen = worth_having(found)
    spread = np.unique(np.linspace(0, len(chosen) - 1, BORROWED).astype(np.int64))
    parts.append(measured([found[int(i)].block_of for i in chosen[spread]]))
    every_part = Points.together(parts)
    # Masses are rounded for merging, and a ratio of tiny ones sees that: what is shown is measured anew.
    best = [every_part[int(i)].block_of for i in worth_having(every_part)]
    return task.frontier("auto", measured(best), None)


def _is_allowed(task: Task, partition: IntArray) -> bool:
    return not task.setting.at_least or bool(task.weights.merged(partition).of_letter.min() >= task.setting.at_least)


def partitions_of(n: int) -> list[IntArray]:
    """Every partition of n letters, each letter's block named by its lowest letter."""
    found: list[list[int]] = [[0]]
    for letter in range(1, n):
        found = [[*each, block] for each in found for block in (*dict.fromkeys(each), letter)]
    return [np.array(each, dtype=np.int64) for each in found]


METHODS: dict[str, Callable[[Task], Frontier]] = {
    "auto": by_search,
    "exact": by_proof,
    "iac-mdsf": by_iac_mdsf,
    "pairwise": by_pairwise,
}
