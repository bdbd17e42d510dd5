"""The best policies known for leakage I, with a proven bound: what `auto` is, and `exact` starts from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet._compile_ahead import compile_ahead
from discreet.release._hypervolume import hypervolume
from discreet.release._partitions import Partitions
from discreet.search._protocol import Found, Task
from discreet.search.information._annealing_by_utility import Bands
from discreet.search.information._best_known import FIRST, search_parts
from discreet.search.information._contiguous import contiguous
from discreet.search.information._dendrogram import dendrogram
from discreet.search.information._exact import LETTERS, exact_frontier
from discreet.search.information._iac_mdsf import iterates
from discreet.search.information._information_engine import InformationEngine, point_of, worth_having
from discreet.search.information._integers import integers_of
from discreet.search.information._least_records import least_count
from discreet.search.information._moves import land
from discreet.search.information._polish import Polished, is_polished, polish

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from discreet._typing import IntArray
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point

EXACT_ALWAYS = 10  # letters up to which every search is a proof
PAPER_ALWAYS = 6_000_000  # letters × pairs up to which the paper's own iterates are candidates of every search
SEARCHED = 20.0  # seconds that a search plans for, at most
DRY, GAINED = 12, 1e-9  # rounds without a gain of hypervolume after which there is nothing more to be had
NOTICED = 1e-6  # of hypervolume


class LandingEngine(InformationEngine):
    """Engines whose points need not be all there are: moving single letters may land nearer to a threshold."""

    def land(self, frontier: Frontier, point: Point, name: str, value: float) -> Point:
        """A policy nearer to the threshold than any point of the frontier, where moving single letters finds one."""
        if frontier.complete or not name.startswith("min"):
            return point
        task = Task(frontier.setting)
        rng = np.random.default_rng(task.seed)
        start = _anchor(task, name, value) if is_polished(task.weights) else point.block_of
        landed = land(task.weights, start, value, task.problem, rng, at_least=task.at_least)
        other = point_of(task, landed)
        if task.setting.is_bottleneck:
            return other if other.leakage >= value and other.utility < point.utility else point
        return other if other.utility >= value and other.leakage < point.leakage else point


def _anchor(task: Task, name: str, value: float) -> IntArray:
    """Where landing starts: a policy that is the same for every frontier, so that a better one never lands worse."""
    path = dendrogram(task.weights, FIRST[task.problem], task.problem, at_least=task.at_least).allowed
    kept = path.leakage if name == "min_leakage" else path.utility
    enough = np.flatnonzero(kept >= value)
    return path.partition(int(enough[np.argmin(kept[enough])]) if len(enough) else int(np.argmax(kept)))


class InformationSearch(LandingEngine):
    """The best policies known, with a proven bound; never dominated by the papers' own."""

    name = "information-search"
    method = "auto"
    polishes = True

    def search(self, task: Task) -> Found:
        """A proof on tiny alphabets, else everything that may find something."""
        if task.weights.n <= EXACT_ALWAYS:
            return proven(task, ())
        found = search_all(task)
        return Found(found.partitions, polished=found.within)


class InformationProof(LandingEngine):
    """Optimal policies with a proof on small alphabets; the best known and the bound when time runs out."""

    name = "information-proof"
    method = "exact"

    def search(self, task: Task) -> Found:
        """What the search finds as planned, and then all partitions at once; beyond the proof, as much as there is time for."""
        if task.weights.n <= EXACT_ALWAYS:
            return proven(task, ())
        task.say("proving optimality")
        known = search_all(replace(task, is_patient=task.is_patient and task.weights.n > LETTERS)).partitions
        return proven(task, list(known.take(worth_having(task, known))))


def search_all(task: Task) -> Polished:
    """Merging, moving and annealing; runs where they are optimal; the papers' own where they are affordable; polished.

    Where a time limit was given, annealing and polishing from fresh starts go on while they find something. Nothing that is
    planned depends on the limit, so that more time goes on where less ended, and is never worse.
    """
    compile_ahead("information", task.progress)
    parts = [planned_search(task)]
    if not task.at_least:
        if task.weights.n_s == 2 and task.setting.is_bottleneck:
            parts.append(contiguous(task.weights, task.problem))
        if task.weights.n * len(task.weights.weight) <= PAPER_ALWAYS and not task.watch.over():
            parts.append(iterates(task))
    found = polished(task, Partitions.together(parts))
    return _gone_on(task, found) if task.is_patient else found


def polished(task: Task, found: Partitions) -> Polished:
    """What merges and moves make of partitions, as much as is planned and while time lasts."""
    task.say("polishing")
    return polish(
        task.weights,
        found,
        task.problem,
        seconds=0.5 * SEARCHED,
        leakage=task.leakage,
        at_least=task.at_least,
        watch=task.watch,
        say=task.say,
    )


def _gone_on(task: Task, found: Polished) -> Polished:
    """Rounds of annealing and polishing, each with its own random numbers, until time is up or a dozen found nothing new."""
    integers = integers_of(task.weights)
    least = least_count(integers, task.at_least)
    dry, turn = 0, 0
    while dry < DRY and is_polished(task.weights) and task.weights.n > 2:
        turn += 1
        bands = Bands(integers, task.problem, least, np.random.default_rng([task.seed, turn]))
        bands.fill(found.partitions)
        with task.watch as watch:
            if watch.over():
                break
            bands.anneal(0.5 * SEARCHED, watch.over, task.say)
        more = polished(task, Partitions.together([found.partitions, bands.found()]))
        gained = _area(task, more.partitions) - _area(task, found.partitions)
        if more.within is None and gained < NOTICED:
            break  # cut short, and not worth the law that holds without it
        found, dry = more, 0 if gained > GAINED else dry + 1
    return found


def _area(task: Task, found: Partitions) -> float:
    """The share of the plane that policies dominate."""
    x, y = found.leakage / max(task.weights.leakage, 1e-300), found.utility / max(task.weights.entropy, 1e-300)
    return hypervolume(1 - x, y) if task.setting.is_bottleneck else hypervolume(x, 1 - y)


def planned_search(task: Task) -> Partitions:
    """Merging, moving and annealing, as much as is planned and while time lasts."""
    return Partitions.together(planned_parts(task, task.seed, whole=False))


def planned_parts(
    task: Task, seed: int, *, whole: bool, each: Callable[[Partitions], object] | None = None
) -> list[Partitions]:
    """The same path by path; with `whole`, only those that time did not end."""
    return search_parts(
        task.weights,
        task.problem,
        seed=seed,
        time_limit=SEARCHED,
        at_least=task.at_least,
        progress=task.progress,
        watch=task.watch,
        whole=whole,
        each=each,
    )


def proven(task: Task, incumbents: Sequence[IntArray]) -> Found:
    """All Pareto-optimal policies, or the best known when time runs out."""
    task.say("proving optimality")
    found = exact_frontier(task.weights, task.problem, at_least=task.at_least, incumbents=incumbents, watch=task.watch)
    return Found(found, complete=found.proven)
