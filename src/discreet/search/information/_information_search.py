"""The best policies known for leakage I, with a proven bound: what `auto` is, and `exact` starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.release._partitions import Partitions
from discreet.search._protocol import Found, Task
from discreet.search.information._best_known import search
from discreet.search.information._contiguous import contiguous
from discreet.search.information._exact import exact_frontier
from discreet.search.information._iac_mdsf import iterates
from discreet.search.information._information_engine import InformationEngine, point_of, worth_having
from discreet.search.information._moves import land
from discreet.search.information._polish import polish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet._typing import IntArray
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point

EXACT_ALWAYS = 10  # letters up to which every search is a proof
PAPER_ALWAYS = 6_000_000  # letters × pairs up to which the paper's own iterates are candidates of every search
SEARCHED = 20.0  # seconds that a search plans for, at most


class LandingEngine(InformationEngine):
    """Engines whose points need not be all there are: moving single letters may land nearer to a threshold."""

    def land(self, frontier: Frontier, point: Point, name: str, value: float) -> Point:
        """A policy nearer to the threshold than any point of the frontier, where moving single letters finds one."""
        if frontier.complete or not name.startswith("min"):
            return point
        task = Task(frontier.setting)
        rng = np.random.default_rng(task.seed)
        landed = land(task.weights, point.block_of, value, task.problem, rng, at_least=task.at_least)
        other = point_of(task, landed)
        if task.setting.is_bottleneck:
            return other if other.leakage >= value and other.utility < point.utility else point
        return other if other.utility >= value and other.leakage < point.leakage else point


class InformationSearch(LandingEngine):
    """The best policies known, with a proven bound; never dominated by the papers' own."""

    name = "information-search"
    method = "auto"

    def search(self, task: Task) -> Found:
        """A proof on tiny alphabets, else everything that may find something."""
        if task.weights.n <= EXACT_ALWAYS:
            return proven(task, ())
        return Found(search_all(task))


class InformationProof(LandingEngine):
    """Optimal policies with a proof on small alphabets; the best known and the bound when time runs out."""

    name = "information-proof"
    method = "exact"

    def search(self, task: Task) -> Found:
        """What the search knows, and then all partitions at once."""
        if task.weights.n <= EXACT_ALWAYS:
            return proven(task, ())
        task.say("proving optimality")
        known = search_all(task)
        return proven(task, list(known.take(worth_having(task, known))))


def search_all(task: Task) -> Partitions:
    """Merging, moving and annealing; runs where they are optimal; the papers' own where they are affordable; polished."""
    parts = [planned_search(task)]
    if not task.at_least:
        if task.weights.n_s == 2 and task.setting.is_bottleneck:
            parts.append(contiguous(task.weights, task.problem))
        if task.weights.n * len(task.weights.weight) <= PAPER_ALWAYS and not task.watch.over():
            parts.append(iterates(task))
    task.say("polishing")
    return polish(
        task.weights,
        Partitions.together(parts),
        task.problem,
        seconds=0.5 * min(task.time_limit, SEARCHED),
        at_least=task.at_least,
        seed=task.seed,
        watch=task.watch,
        progress=task.progress,
    )


def planned_search(task: Task) -> Partitions:
    """Merging, moving and annealing, for a limited time."""
    return search(
        task.weights,
        task.problem,
        seed=task.seed,
        time_limit=min(task.watch.left(), SEARCHED),
        at_least=task.at_least,
        progress=task.progress,
        watch=task.watch,
    )


def proven(task: Task, incumbents: Sequence[IntArray]) -> Found:
    """All Pareto-optimal policies, or the best known when time runs out."""
    task.say("proving optimality")
    found = exact_frontier(
        task.weights, task.problem, at_least=task.at_least, time_limit=task.watch.left(), incumbents=incumbents
    )
    return Found(found, complete=found.proven)
