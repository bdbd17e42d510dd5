"""The best partitions known for the funnel and the bottleneck: merging, moving and annealing together (SPEC 8).

Three parts, each improving on the one before. Dendrograms over many λ, with more λ where the frontier owes most to them;
every step of every path is a candidate. Sequential moves of single letters from points all along the frontier, each
under the multiplier that is the frontier's slope there. Annealing drawn to one utility after another, which also finds
the points that no multiplier supports; the best partition of each narrow band of utility is kept.

How much is done depends on the size of the problem and on the time that is planned for, not on the speed of the machine or the
time limit, so results repeat, and a longer limit goes on where a shorter one ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import FloatArray, IntArray, Problem
from discreet.release._hypervolume import non_dominated
from discreet.release._partitions import Partitions
from discreet.search._watch import Watch
from discreet.search.information._annealing_by_utility import WHOLE, Bands
from discreet.search.information._dendrogram import Dendrogram, checked_problem, dendrogram
from discreet.search.information._integers import integers_of
from discreet.search.information._least_records import least_count
from discreet.search.information._moves import sweep_moves
from discreet.search.information._pairwise import pairwise

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.search.information._weights import Weights

MULTIPLIERS = 33
"""Dendrograms of a small problem; fewer where they would take more than a share of the time."""

FIRST = {"funnel": 0.999, "bottleneck": 0.001}
"""The multiplier whose single path is worth most (SPEC 8)."""

THRESHOLDS = 101
"""Pairwise merges of a small problem, each to its threshold."""

TABLES = 50_000_000
"""Letters times s up to which single letters are moved: a block's counts are a row of a table there."""

STARTS = 16
"""Points of the frontier that sequential moves start from."""


def search_parts(
    weights: Weights,
    problem: Problem,
    *,
    seed: int = 0,
    time_limit: float = 30.0,
    at_least: float = 0.0,
    progress: Progress | None = None,
    watch: Watch | None = None,
    whole: bool = False,
    each: Callable[[Partitions], object] | None = None,
) -> list[Partitions]:
    """Candidates for the frontier of I(S;X̂) against I(X;X̂), path by path; all of them meet the side condition.

    Parameters
    ----------
    problem
        "funnel" looks for little leakage at each utility, "bottleneck" for much.
    time_limit
        Seconds to plan for. One dendrogram is made however long it takes.
    watch
        When to stop, and what an interrupt is told to.
    at_least
        Every block weighs at least this much; InputError if nothing can.
    whole
        Annealing is one path, and left out where time ended it: for whom a path is worth having whole or not at all.
    each
        Told every path as soon as it is there, so that what is made of it is within the time, too.
    """
    watch = watch or Watch(time_limit)
    found = _Search(weights, checked_problem(problem), seed, time_limit, at_least, progress, watch, each)
    with watch:
        found.merge()
        if weights.n > 2 and weights.n * weights.n_s <= TABLES:
            found.move()
            found.anneal(whole=whole)
    if not found.parts:
        raise KeyboardInterrupt  # before there was anything to keep
    return found.parts


class _Search:
    """What has been found so far."""

    def __init__(
        self,
        weights: Weights,
        problem: Problem,
        seed: int,
        time_limit: float,
        at_least: float,
        progress: Progress | None,
        watch: Watch,
        each: Callable[[Partitions], object] | None,
    ) -> None:
        self.weights, self.problem, self.at_least = weights, problem, at_least
        self.sign = 1.0 if problem == "funnel" else -1.0
        self.integers = integers_of(weights)
        self.least = least_count(self.integers, at_least)
        self.rng = np.random.default_rng(seed)
        self.time_limit, self.watch = time_limit, watch
        self.progress, self.each = progress, each
        self.parts: list[Partitions] = []

    def keep(self, part: Partitions) -> None:
        self.parts.append(part)
        if self.each:
            self.each(part)

    def say(self, stage: str, share: float) -> None:
        if self.progress:
            self.progress(stage, share)

    def late(self) -> bool:
        """Whether the time limit came before the end of what was planned."""
        return self.watch.over()

    def front(self, leakage: FloatArray, utility: FloatArray) -> IntArray:
        """The points worth having, by falling utility."""
        return non_dominated(leakage, utility) if self.problem == "funnel" else non_dominated(utility, leakage)

    # ------------------------------------------------------------------ merging

    def merge(self) -> None:
        """Dendrograms: half of the multipliers in even steps, the others where the frontier owes most to its paths."""
        n, pairs = self.weights.n, len(self.weights.indices)
        seconds = 5e-9 * n * (pairs + 10 * n)
        count = int(np.clip(0.25 * self.time_limit / seconds, 2, min(MULTIPLIERS, 2 + 2 * n)))
        even = np.linspace(0.0, 1.0, max(1, count // 2) + 2)[1:-1]
        paths: dict[float, Dendrogram] = {}
        for multiplier in [FIRST[self.problem], *even.tolist()]:
            if paths and self.late():
                break
            self.say("merging", len(paths) / count)
            paths[multiplier] = self.path(multiplier)
        while len(paths) < count and not self.late():
            self.say("merging", len(paths) / count)
            multiplier = self.between(paths)
            paths[multiplier] = self.path(multiplier)
        if not self.least:
            self.merge_to_thresholds(int(np.clip(0.1 * self.time_limit / seconds, 2, THRESHOLDS)))

    def merge_to_thresholds(self, count: int) -> None:
        """Pairwise merges to thresholds: seldom better, but a frontier should not be dominated by the papers' own."""
        most = self.weights.entropy if self.problem == "funnel" else self.weights.leakage
        for threshold in np.linspace(0.0, most, count):
            if self.late():
                return
            self.keep(pairwise(self.weights, float(threshold), self.problem))

    def path(self, multiplier: float) -> Dendrogram:
        made = dendrogram(self.weights, multiplier, self.problem, at_least=self.at_least)
        self.keep(made.allowed)
        return made

    def between(self, paths: dict[float, Dendrogram]) -> float:
        """The middle of the widest gap between multipliers, weighed by how much of the frontier its ends made."""
        order = sorted(paths)
        sizes = [len(paths[each]) for each in order]
        leakage = np.concatenate([paths[each].leakage for each in order])
        utility = np.concatenate([paths[each].utility for each in order])
        owner = np.repeat(np.arange(len(order)), sizes)[self.front(leakage, utility)]
        owned = np.bincount(owner, minlength=len(order)) + 1.0
        ends = np.array([0.0, *order, 1.0])
        share = np.concatenate((owned[:1], owned[:-1] + owned[1:], owned[-1:]))
        widest = int(np.argmax(np.diff(ends) * share))
        return float(0.5 * (ends[widest] + ends[widest + 1]))

    # ------------------------------------------------------------------ moving

    def move(self) -> None:
        """Sequential moves from points all along the frontier, under the frontier's slope there."""
        found = Partitions.together(self.parts)
        front = self.front(found.leakage, found.utility)
        leakage, utility = found.leakage[front], found.utility[front]
        starts = np.unique(np.linspace(0, len(front) - 1, STARTS + 2).astype(int)[1:-1])
        for turn, at in enumerate(starts.tolist()):
            self.say("moving letters", turn / len(starts))
            if self.late():
                return
            reach = max(1, len(front) // STARTS)
            one, two = max(0, at - reach), min(len(front) - 1, at + reach)
            run = utility[one] - utility[two]
            slope = float(np.clip((leakage[one] - leakage[two]) / run, 0.0, 1.0)) if run > 0 else 0.5
            path = sweep_moves(
                self.weights,
                found.partition(int(front[at])),
                slope,
                self.problem,
                rng=self.rng,
                max_sweeps=20 if self.weights.n <= WHOLE else 2,
                at_least=self.at_least,
            )
            self.keep(path)

    # ------------------------------------------------------------------ annealing

    def anneal(self, *, whole: bool) -> None:
        """Annealing by bands of utility, from what has been found and from scratch."""
        found = Partitions.together(self.parts)
        bands = Bands(self.integers, self.problem, self.least, self.rng)
        bands.fill(found)
        bands.anneal(0.5 * self.time_limit, self.late, self.say)
        if not (whole and self.late()):
            self.keep(bands.found())
