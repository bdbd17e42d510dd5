"""The methods by name: each turns a task into a frontier, by the engines of this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet._typing import Codeword, Cost, FloatArray, IntArray
from discreet.errors import InputError
from discreet.release._frontier import Frontier
from discreet.release._points import Point, Points, Setting
from discreet.search._letters import Letters
from discreet.search.ranges import _costs as costs
from discreet.search.ranges._candidates import (
    Candidates,
    Reach,
    frontier_points,
    points_of,
    price_of,
    reach_by_levels,
    worth,
    worth_having,
)

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.search.ranges._optimised import Optimised

EXACT_ALWAYS = 12  # letters up to which every search is a proof
STARTS = 40  # policies of the paper's path that a search in several columns starts from
GREEDY_ALWAYS = 200_000  # letters up to which the paper's path is part of every search
MOST_JOINED = 64  # components that are joined one by one
BASELINE_RUNS = 500  # letters up to which the baselines are part of every search
PAPER_RUNS = 2_000  # letters up to which problem (7) is also solved the paper's way, once a multiplier
MULTIPLIERS = (0.0, *np.geomspace(0.01, 100.0, 17).tolist())  # for problem (7), where each multiplier is its own run


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked of an engine."""

    letters: Letters
    setting: Setting
    cost: Cost
    codeword: Codeword
    seed: int
    time_limit: float
    progress: Progress | None

    @property
    def leakage(self) -> str:
        """L0, I* or L0|I*=0."""
        return self.setting.leakage

    @property
    def is_line(self) -> bool:
        """One numeric column."""
        return self.letters.values is not None and self.letters.values.shape[1] == 1

    def say(self, stage: str) -> None:
        """Report progress."""
        if self.progress:
            self.progress(stage, None)

    def frontier(
        self,
        method: str,
        found: Candidates,
        reach: Reach | None = None,
        path: Points | None = None,
        stop: Callable[[float], Point] | None = None,
    ) -> Frontier:
        """The non-dominated candidates as a frontier."""
        points = frontier_points(self.setting, found, reach, self.cost, self.letters.n)
        return Frontier(points, path, method, stop)

    def measured(self, partitions: Sequence[IntArray]) -> Candidates:
        """Candidates from partitions alone."""
        kind = "I*" if self.leakage == "I*" else "L0"
        return Candidates.of_partitions(self.letters, partitions, kind, self.cost, self.codeword)


def worst_utility(letters: Letters, cost: Cost, codeword: Codeword) -> float:
    """The utility of one single block."""
    whole = np.zeros(letters.n, dtype=np.int64)
    return float(worth(np.array([price_of(letters, whole, cost, codeword)]), cost, letters.n)[0])


# ---------------------------------------------------------------------- the paper's


def by_paper(task: Task) -> Frontier:
    """Algorithms 1 and 2 and problem (7), as the paper has them (corrected)."""
    from discreet.search.ranges._greedy.path import merge_connected

    if task.leakage == "L0|I*=0":
        runs: dict[float, IntArray] = {}

        def final(multiplier: float) -> IntArray:
            if multiplier not in runs:
                runs[multiplier] = merge_connected(task.letters, task.cost, multiplier, task.codeword).partition(-1)
            return runs[multiplier]

        def stop_connected(multiplier: float) -> Point:
            return points_of(task.setting, task.measured([final(multiplier)]), task.cost, task.letters.n)[0]

        found = task.measured([final(multiplier) for multiplier in MULTIPLIERS])
        return task.frontier("agglomerative", found, stop=stop_connected)
    found, cut = _greedy(task)
    path = points_of(task.setting, found, task.cost, task.letters.n)
    return task.frontier("agglomerative", found, path=path, stop=lambda multiplier: path[cut(multiplier)])


def _greedy(task: Task) -> tuple[Candidates, Callable[[float], int]]:
    """The whole merge path, and the step at which a multiplier stops it."""
    from discreet.search.ranges._greedy.path import merge_path

    task.say("merging as the paper does")
    kind: Literal["L0", "I*"] = "I*" if task.leakage == "I*" else "L0"
    path = merge_path(task.letters, kind, task.cost, task.codeword)
    level = path.components if kind == "I*" else path.distinct
    price: FloatArray = path.size.astype(np.float64) if task.cost == "size" else path.distortion
    return Candidates(level, price, path.partition), lambda multiplier: path.cut(multiplier, kind, task.cost)


# ---------------------------------------------------------------------- the best


def by_search(task: Task) -> Frontier:
    """The best policies known, with proven bounds; the paper's own are among the candidates."""
    found, reach = _connected_search(task) if task.leakage == "L0|I*=0" else _search(task)
    return task.frontier("auto", found, reach)


def _search(task: Task) -> tuple[Candidates, Reach | None]:
    if task.letters.n <= EXACT_ALWAYS:
        return _prove(task, ())
    parts: list[Candidates] = [task.measured([np.arange(task.letters.n)])]
    small = task.letters.n <= GREEDY_ALWAYS
    if small:
        parts.append(_greedy(task)[0])
    best, reach = _optimise(task, parts)
    if best is not None:
        parts.append(Candidates(best.reached, best.cost, best.partition))
    if not small and (best is None or bool((best.cost > best.bound * (1 + 1e-12)).any())):
        parts.append(_greedy(task)[0])  # not proven optimal everywhere, so the paper might still win somewhere
    # Last, since of equal policies the first is kept, and these are coarser than they need be.
    parts += [task.measured(_baseline(task, name)) for name in _baselines_for(task)]
    return Candidates.together(parts), reach


def _optimise(task: Task, parts: list[Candidates]) -> tuple[Optimised | None, Reach | None]:
    """The search that fits the leakage, the cost and the number of columns."""
    from discreet.search.ranges import _closed_forms as closed_forms
    from discreet.search.ranges import _components as components
    from discreet.search.ranges import _line as windows
    from discreet.search.ranges import _multicolumn as several
    from discreet.search.ranges import _size as dealing

    task.say("searching for better policies, and proving bounds")
    rng = np.random.default_rng(task.seed)
    letters, n_s = task.letters, task.letters.n_s
    if task.leakage == "I*":
        component, count = costs.component_of(letters)
        if task.cost == "size":
            return components.by_size(letters), lambda price: np.array(
                [closed_forms.fewest_components(letters.n, count, int(size)) for size in price], dtype=np.int64
            )
        if task.is_line:
            column = windows.Column.of(letters)
            place = component[column.order]
            return components.by_distortion(letters, task.codeword, rng=rng), lambda price: np.array(
                [components.fewest_within(column.x, place, count, float(radius)) for radius in price], dtype=np.int64
            )
        return None, _reach_by_tree(letters, task.codeword)
    if n_s < 2:
        return None, lambda price: np.ones(len(price), dtype=np.int64)
    if task.cost == "size":
        best = dealing.optimise(letters, rng=rng)
    elif task.is_line:
        best = windows.optimise(letters, task.codeword, rng=rng)
    else:
        greedy = Candidates.together(parts)
        step = max(1, len(greedy) // STARTS)
        starts = [greedy.partition(i) for i in range(0, len(greedy), step)]
        best = several.optimise(letters, task.codeword, starts=starts, rng=rng)
    return best, reach_by_levels(best.levels, best.bound, "L0", letters, task.cost)


def _reach_by_tree(letters: Letters, codeword: Codeword) -> Reach | None:
    """I* with distortion in several columns, by a spanning tree of the components.

    Left out where the distances would not fit into memory.
    """
    if letters.n > 4_000 or letters.values is None:
        return None
    from discreet.search._codewords import distance_matrix
    from discreet.search.ranges._level_bounds import joining_steps

    component, count = costs.component_of(letters)
    steps = joining_steps(component, distance_matrix(letters.values, letters.norm), codeword)
    return reach_by_levels(count - 1 - np.arange(len(steps)), steps, "I*", letters, "distortion")


def _connected_search(task: Task) -> tuple[Candidates, Reach | None]:
    """L0 subject to I* = 0: the best policy at every k, its components joined where that costs least.

    The finest policies with one component are those that lower I* alone; the paper's own are candidates too.
    """
    if task.letters.n <= EXACT_ALWAYS:
        return _prove(task, ())
    hidden = replace(task, setting=replace(task.setting, leakage="L0"))
    found, reach = _search(hidden)
    best = frontier_points(hidden.setting, found, None, task.cost, task.letters.n)
    told = replace(task, setting=replace(task.setting, leakage="I*"))
    joined, _ = _search(told)
    cheapest = np.flatnonzero(joined.level == 1)
    partitions = [joined.partition(int(cheapest[np.argmin(joined.cost[cheapest])]))] if len(cheapest) else []
    task.say("joining the components that are left")
    partitions += _all_connected(task, [point.block_of for point in best])
    if task.letters.n <= PAPER_RUNS:
        partitions += [point.block_of for point in by_paper(task).points]
        for name in _baselines_for(task):
            partitions += _all_connected(task, _baseline(task, name))
    return task.measured(partitions), reach


def _all_connected(task: Task, partitions: Sequence[IntArray]) -> list[IntArray]:
    """Each joined into one component, with as many distinct s; those with many components are left to Algorithm 2."""
    from discreet.search.ranges._join_components import join

    letters = task.letters
    codeword = task.codeword if task.cost == "distortion" else None
    whole = np.zeros(letters.n, dtype=np.int64)
    few = [each for each in partitions if costs.components(letters, each) <= MOST_JOINED]
    return [join(letters, each, costs.distinct(letters, each), codeword) for each in few] + [whole]


def by_proof(task: Task) -> Frontier:
    """Optimal policies with a proof, on small alphabets; the best known and the gap when time runs out."""
    if task.letters.n <= EXACT_ALWAYS:
        return task.frontier("exact", *_prove(task, ()))
    known, by_bound = _connected_search(task) if task.leakage == "L0|I*=0" else _search(task)
    points = frontier_points(task.setting, known, None, task.cost, task.letters.n)
    found, by_exact = _prove(task, [point.block_of for point in points])
    better = (
        np.maximum if task.leakage == "I*" else np.minimum
    )  # the weaker of two strongest levels is the tighter proof

    def reach(price: FloatArray) -> IntArray:
        both: IntArray = by_exact(price) if by_bound is None else better(by_exact(price), by_bound(price))
        return both

    return task.frontier("exact", found, reach)


def _prove(task: Task, incumbents: Sequence[IntArray]) -> tuple[Candidates, Reach]:
    from discreet.search.ranges._exact import exact_frontier

    task.say("proving optimality")
    kind: Literal["L0", "I*", "L0|I*=0"] = task.leakage  # type: ignore[assignment]
    exact = exact_frontier(
        task.letters, kind, task.cost, task.codeword, time_limit=task.time_limit, incumbents=incumbents
    )
    level = np.array([point.level for point in exact], dtype=np.int64)
    bound = np.array([point.bound for point in exact], dtype=np.float64)
    found = task.measured([point.block_of for point in exact])
    return found, reach_by_levels(level, bound, "I*" if kind == "I*" else "L0", task.letters, task.cost)


# ---------------------------------------------------------------------- baselines


def _baselines_for(task: Task) -> tuple[str, ...]:
    """The baselines that a search is never worse than, on alphabets where they cost next to nothing."""
    if task.letters.n > BASELINE_RUNS or task.cost == "size":
        return ()
    return ("mondrian", "equal-width", "equal-frequency") if task.is_line else ("mondrian",)


def _baseline(task: Task, name: str) -> list[IntArray]:
    """A baseline's partitions, each once."""
    from discreet.search.ranges import _baselines as baselines

    makers = {
        "sweeney": baselines.sweeney,
        "mondrian": baselines.mondrian,
        "equal-width": baselines.equal_width,
        "equal-frequency": baselines.equal_frequency,
    }
    distinct: dict[bytes, IntArray] = {}
    for _, block_of in makers[name](task.letters):
        distinct.setdefault(block_of.tobytes(), block_of)
    return list(distinct.values())


def _by_baseline(name: str) -> Callable[[Task], Frontier]:
    def run(task: Task) -> Frontier:
        if name != "sweeney" and task.letters.values is None:
            raise InputError(f"method {name!r} cuts numbers: use utility='distortion', or give values=")
        if name.startswith("equal") and not task.is_line:
            raise InputError(f"method {name!r} bins one numeric column: name a single public column")
        partitions = [np.arange(task.letters.n), *_baseline(task, name)]
        if task.leakage == "L0|I*=0":
            partitions = _all_connected(task, partitions)
        return task.frontier(name, task.measured(partitions))

    return run


def by_hierarchy(task: Task, path: str | Path) -> Frontier:
    """Blocks that are nodes of a hierarchy of categories."""
    from discreet.search.ranges._hierarchy import Hierarchy, full_domain, local_recoding

    hierarchy = Hierarchy.load(path)
    labels = task.setting.joint.x
    levels = hierarchy.partitions(labels)
    task = replace(task, setting=replace(task.setting, names=lambda block_of: hierarchy.names(labels, block_of)))
    partitions = [
        block_of for _, block_of in [*local_recoding(task.letters, levels), *full_domain(task.letters, levels)]
    ]
    return task.frontier("hierarchy", task.measured([np.arange(task.letters.n), *partitions]))


def with_side_information(task: Task, method: str) -> Frontier:
    """Leakage to an adversary who knows A: merged greedily, as the paper says its algorithms extend."""
    from discreet.search.ranges._side_information import merge_with_side

    if method not in ("auto", "agglomerative"):
        raise InputError(f"method {method!r} does not know side information: use 'agglomerative'")
    if task.leakage == "L0|I*=0":
        raise InputError("leakage 'L0|I*=0' does not know side information: use 'L0' or 'I*'")
    task.say("merging with side information")
    partitions, leakage = merge_with_side(task.setting.joint, task.letters, task.leakage, task.cost, task.codeword)
    price = np.array([price_of(task.letters, each, task.cost, task.codeword) for each in partitions])
    path = Points(task.setting, leakage, worth(price, task.cost, task.letters.n), partitions.__getitem__)

    def stop(multiplier: float) -> Point:
        rising = np.flatnonzero(np.diff(path.leakage - multiplier * path.utility) >= 0)
        return path[int(rising[0]) if len(rising) else len(path) - 1]

    return Frontier(path.chosen(worth_having(path, price, task.cost)), path, "agglomerative", stop)


METHODS: dict[str, Callable[[Task], Frontier]] = {
    "auto": by_search,
    "agglomerative": by_paper,
    "exact": by_proof,
    **{name: _by_baseline(name) for name in ("sweeney", "mondrian", "equal-width", "equal-frequency")},
}
