"""The best policies known for the leakages of the support, with proven bounds: what `auto` is, and `exact` starts from."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from discreet._compile_ahead import compile_ahead
from discreet.release._partitions import Partitions
from discreet.search._protocol import Found, Ladder, Task
from discreet.search.ranges import _components as components
from discreet.search.ranges import _line as line
from discreet.search.ranges import _multicolumn as multicolumn
from discreet.search.ranges import _size as size
from discreet.search.ranges._baselines import baseline, baselines_for, each_once
from discreet.search.ranges._exact import SEARCH_LIMIT
from discreet.search.ranges._figures import figured, measured, store_of, worth_having
from discreet.search.ranges._join_components import join_all, joined_in_time
from discreet.search.ranges._levels import Effort
from discreet.search.ranges._paper import Connected, greedy
from discreet.search.ranges._range_engine import EXACT_ALWAYS, ProvingEngine, proven_optima

if TYPE_CHECKING:
    from discreet._typing import IntArray
    from discreet.search.ranges._optimised import Optimised

STARTS = 40  # policies of the paper's path that a search in several columns starts from
GREEDY_ALWAYS = 200_000  # letters up to which the paper's path is part of every search
# letters × letters × coordinates a second: the path cannot be cut short, so it must fit in
GREEDY_DISTANCES: dict[str, float] = {"centroid": 1.5e9, "medoid": 1.5e8, "chebyshev": 1.5e8}
PAPER_RUNS = 2_000  # letters up to which problem (7) is also solved the paper's way, once per multiplier


class RangeSearch(ProvingEngine):
    """The best policies known, with proven bounds; the paper's own are among the candidates."""

    name = "range-search"
    method = "auto"

    def search(self, task: Task) -> Found:
        """A proof on tiny alphabets, else everything that may find something."""
        if task.letters.n <= EXACT_ALWAYS:
            return proven_optima(task, ())
        return search_connected(task) if task.leakage == "L0|I*=0" else search_all(task)


class RangeProof(ProvingEngine):
    """Optimal policies with a proof on small alphabets; the best known and the gap when time runs out."""

    name = "range-proof"
    method = "exact"

    def search(self, task: Task) -> Found:
        """What the search finds as planned, and then every level asked about until time is up.

        Further starts of the search come last, where questions were given up before that: else they would take all the time.
        """
        if task.letters.n <= EXACT_ALWAYS:
            return proven_optima(task, ())
        is_asked = task.letters.n <= SEARCH_LIMIT
        known = RangeSearch().search(replace(task, is_patient=task.is_patient and not is_asked))
        found = proven_optima(task, list(known.partitions.take(worth_having(task, known.partitions))))
        several = [found, known]
        if is_asked and task.is_patient and not found.complete and not task.watch.over():
            several.append(RangeSearch().search(task))
        partitions = Partitions.together([each.partitions for each in several if each is not known])
        ladders = tuple(ladder for each in several for ladder in each.ladders)
        return Found(partitions, ladders=ladders, complete=found.complete)


def search_all(task: Task) -> Found:
    """L0 or I*: the finest partition, the paper's path, the search that fits, and the baselines."""
    if task.leakage == "L0" and task.is_line and task.cost == "distortion":
        compile_ahead("ranges", task.progress)
    n = task.letters.n

    @cache
    def baselines() -> list[Partitions]:
        names = () if task.watch.over() else baselines_for(task)
        return [measured(task, store_of(each_once(baseline(task, name)))) for name in names]

    parts = [measured(task, store_of([np.arange(n)]))]
    best: Optimised | None = None
    with task.watch as watch:
        if _path_fits(task):
            parts.append(greedy(task))
        best = None if watch.over() else _optimise(task, parts, replace(Effort.of(task), rest=baselines))
        if best is not None:
            parts.append(figured(task, best.reached, best.cost, best.store))
        is_proven = best is not None and not bool((best.cost > best.bound * (1 + 1e-12)).any())
        if n > GREEDY_ALWAYS and not is_proven and not watch.over():
            parts.append(greedy(task))  # not proven optimal everywhere, so the paper might still win somewhere
        # Last, since of equal policies the first is kept, and these are coarser than they need be.
        parts += baselines()
    parts.append(measured(task, store_of([np.zeros(n, np.int64)])))  # however early it ended
    return Found(Partitions.together(parts), ladders=_ladders(task, best), complete=_is_complete(task, best))


def _is_complete(task: Task, best: Optimised | None) -> bool:
    """Whether there is a proof for every level that there is: k from 2 on for L0, which the finest policy completes."""
    if best is None or not best.proven.all():
        return False
    if task.leakage == "I*":
        return task.cost == "size"
    return len(best) == task.letters.n_s - 1


def _ladders(task: Task, best: Optimised | None) -> tuple[Ladder, ...]:
    """What a search over levels proved."""
    if task.leakage == "I*":
        return ()
    none = np.zeros(0)
    return (Ladder(none.astype(np.int64), none) if best is None else Ladder(best.levels, best.bound),)


def _path_fits(task: Task) -> bool:
    """Whether the paper's path, which cannot be cut short, comes first."""
    room = GREEDY_DISTANCES[task.codeword] * task.watch.left()
    return task.letters.n <= GREEDY_ALWAYS and _distances(task) <= room


def _distances(task: Task) -> int:
    """What near letters cost to find: in many coordinates no tree helps. A category is a coordinate a value."""
    return 0 if task.letters.values is None or task.is_line else task.letters.n * task.letters.values.size


def _optimise(task: Task, parts: list[Partitions], effort: Effort) -> Optimised | None:
    """The search that fits the leakage, the cost and the number of columns; None where there is none."""
    rng = np.random.default_rng(task.seed)
    letters = task.letters
    if task.leakage == "I*":
        if task.cost == "size":
            return components.by_size(letters)
        return components.by_distortion(letters, task.codeword, rng=rng, effort=effort) if task.is_line else None
    if letters.n_s < 2:
        return None
    if task.cost == "size":
        return size.optimise(letters, rng=rng, effort=effort)
    if task.is_line:
        return line.optimise(letters, task.codeword, rng=rng, effort=effort)
    if not multicolumn.is_affordable(letters):
        return None
    known = Partitions.together(parts)
    starts = [known.partition(i) for i in range(0, len(known), max(1, len(known) // STARTS))]
    return multicolumn.optimise(letters, task.codeword, starts=starts, rng=rng, effort=effort)


def search_connected(task: Task) -> Found:
    """L0 subject to I* = 0: policies for every k, their components joined where that costs least.

    Each policy that a search finds for a k is joined at once, and the cheapest after joining is kept: so there are policies
    however early time ends, and a later one replaces an earlier one only where it is better. The finest policies with one
    component are those that lower I* alone; the paper's own are candidates too.
    """
    letters = task.letters
    hidden = replace(task.with_leakage("L0"), cut=None)  # joining moves policies, so no single one can be aimed at
    parts = [measured(hidden, store_of([np.arange(letters.n)]))]
    others = cache(lambda: _also_connected(task, parts))
    best: Optimised | None = None
    with task.watch:
        if _path_fits(hidden):
            parts.append(greedy(hidden))
        effort = replace(Effort.of(hidden), rest=others, finish=partial(joined_in_time, task))
        best = _optimise(hidden, parts, effort)
    found = [] if best is None else [best.partition(i) for i in range(len(best))]
    partitions = [*found, *others(), np.zeros(letters.n, np.int64)]
    return Found(measured(task, store_of(partitions)), ladders=_ladders(task, best))


def _also_connected(task: Task, known: list[Partitions]) -> list[IntArray]:
    """What lowers I* alone, what is known joined, the paper's own and the baselines, while time lasts."""
    partitions: list[IntArray] = []
    if task.watch.over():
        return partitions
    together = Partitions.together(known)
    task.say("joining the components that are left")
    partitions += join_all(task, list(together.take(worth_having(task.with_leakage("L0"), together))))
    told = search_all(replace(task.with_leakage("I*"), cut=None)).partitions
    whole = np.flatnonzero(told.leakage == 0)  # one component
    if len(whole):
        partitions.append(told.partition(int(whole[np.argmax(told.utility[whole])])))
    if task.letters.n <= PAPER_RUNS and not task.watch.over():
        papers = Connected().search(task).partitions
        partitions += [papers.partition(int(i)) for i in worth_having(task, papers)]
        for name in baselines_for(task):
            if not task.watch.over():
                partitions += join_all(task, each_once(baseline(task, name)))
    return partitions
