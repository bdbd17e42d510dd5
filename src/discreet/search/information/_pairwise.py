"""The iterative pairwise merges of Makhdoumi et al. with a threshold, as [PF, III and IV-B] describe them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import Problem
from discreet.errors import InputError
from discreet.release._partitions import Partitions
from discreet.search._protocol import Found, Task
from discreet.search.information._dendrogram import Dendrogram, agglomerate, checked_problem
from discreet.search.information._information_engine import InformationEngine, point_of
from discreet.search.information._integers import Integers, integers_of

if TYPE_CHECKING:
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point
    from discreet.search.information._weights import Weights

ROUNDING = 1e-11  # bits by which a threshold may be missed: it often is the rounded figure of a partition
THRESHOLDS = 101  # of the engine, each its own run
BEYOND = 1e-9  # bits by which it may exceed all there is, for the same reason


def pairwise(weights: Weights, threshold: float, problem: Problem = "funnel") -> Dendrogram:
    """Merge pairs while the threshold allows one; the path ends where it stops.

    The funnel merges, among the pairs that keep I(X;X̂) ≥ θ, the one that leaves the least I(S;X̂) ([PF]'s [4,
    Algorithm 1]); the bottleneck, among those that keep I(S;X̂) ≥ θ, the one that leaves the least I(X;X̂) ([4,
    Algorithm 2]). Ties go to the earliest blocks.

    A pair's effect does not depend on the other blocks and what may still be lost only shrinks, so a pair that does not
    fit never fits again: the lists of `_dendrogram_kernels.py` serve unchanged.

    Parameters
    ----------
    threshold
        θ in bits, at most H(X) for the funnel and I(S;X) for the bottleneck; beyond it InputError.
    """
    integers = integers_of(weights)
    budget = budget_of(integers, threshold, problem)
    if checked_problem(problem) == "funnel":  # N·I(S;X̂) changes by G − F, and N·I(X;X̂) falls by F
        return agglomerate(weights, (1.0, 1.0), use=(0, 1), budget=budget)
    return agglomerate(weights, (0.0, 1.0), use=(-1, 1), budget=budget)


def budget_of(integers: Integers, threshold: float, problem: Problem) -> int:
    """N times what the constrained information may lose before it falls below the threshold, in units of h."""
    leakage, utility = integers.information(np.arange(integers.n))
    have, name = (utility, "H(X)") if problem == "funnel" else (leakage, "I(S;X)")
    bits = float(integers.bits(have))
    if not threshold <= bits + BEYOND:
        raise InputError(f"no policy keeps {threshold:g} bits: {name} is {bits:g}, choose a threshold of at most that")
    if threshold <= 0:
        return have
    return math.floor((bits - threshold + ROUNDING) * integers.scale * integers.total)


class Pairwise(InformationEngine):
    """Makhdoumi et al.'s pairwise merges over a grid of thresholds, all steps kept; a bound is a run of its own."""

    name = method = "pairwise"
    takes_at_least = False

    def search(self, task: Task) -> Found:
        """Every step of every run."""
        weights = task.weights
        most = weights.leakage if task.setting.is_bottleneck else weights.entropy
        parts = [pairwise(weights, 0.0, task.problem)]
        with task.watch as watch:
            for i, threshold in enumerate(np.linspace(0.0, most, THRESHOLDS)[1:], start=1):
                if watch.over():
                    break
                task.say("pairwise merging", i / THRESHOLDS)
                parts.append(pairwise(weights, float(threshold), task.problem))
        return Found(Partitions.together(parts))

    def land(self, frontier: Frontier, point: Point, name: str, value: float) -> Point:
        """Where the run to this threshold ends."""
        if not name.startswith("min"):
            return point
        task = Task(frontier.setting)
        return point_of(task, pairwise(task.weights, value, task.problem).partition(-1))
