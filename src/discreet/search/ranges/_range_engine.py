"""What the engines for the leakages of the support have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.release._points import Point
from discreet.search._codewords import distance_matrix
from discreet.search._protocol import Found, Ladder, SearchEngine, Task
from discreet.search.ranges import _costs as costs
from discreet.search.ranges._closed_forms import fewest_components
from discreet.search.ranges._components import fewest_within
from discreet.search.ranges._exact import exact_frontier
from discreet.search.ranges._figures import bits, cost_of, measured, strongest, worth_having
from discreet.search.ranges._level_bounds import joining_steps
from discreet.search.ranges._line import Column
from discreet.search.ranges._withholding import withhold

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.release._engine import Withheld
    from discreet.release._frontier import Frontier
    from discreet.release._partitions import Partitions

ON_HIERARCHIES = "a hierarchy is for leakage L0, one public column, method auto and no side information"
MOST_DISTANCES = 4_000  # letters, beyond which the distances would not fit into memory
LEAST = 0.01  # seconds that a proof has, however late it begins
EXACT_ALWAYS = 12  # letters up to which every search is a proof


class RangeEngine(SearchEngine):
    """Engines for L0, I* and L0|I*=0."""

    def accepts(self, task: Task) -> str | None:
        """Tasks of its method, without side information and without a hierarchy."""
        if not task.is_range or task.method != self.method:
            return ""
        if task.hierarchy is not None:
            return ON_HIERARCHIES
        if task.joint.has_side:  # `SideInformation` is asked before the others, and speaks for these two
            known = task.method in ("auto", "agglomerative")
            return "" if known else f"method {task.method!r} does not know side information: use 'agglomerative'"
        return None

    def worth_having(self, task: Task, found: Partitions) -> IntArray:
        """By exact comparison, costs that differ by rounding alone apart."""
        return worth_having(task, found)

    def withhold(self, frontier: Frontier, point: Point, budget: int, time_limit: float | None = None) -> Withheld:
        """For L0 without side information."""
        if frontier.leakage != "L0" or frontier.setting.joint.has_side:
            return super().withhold(frontier, point, budget, time_limit)
        return withhold(point, budget, time_limit)


class ProvingEngine(RangeEngine):
    """Range engines that prove how much less a policy could leak."""

    def prove(self, task: Task, found: Found, points: Partitions) -> FloatArray | None:
        """From what the search proved level by level, and for I* from the components themselves."""
        price = cost_of(points.utility, task.cost, task.letters.n)
        proven = [strongest(ladder, price, task) for ladder in found.ladders]
        if task.leakage == "I*" and task.letters.n > EXACT_ALWAYS:
            by_components = fewest_left(task, price)
            proven += [] if by_components is None else [by_components]
        if not proven:
            return None
        # The weaker of two strongest levels is the tighter proof.
        level = np.max(proven, axis=0) if task.leakage == "I*" else np.min(proven, axis=0)
        return np.minimum(bits(level, task.leakage, task.letters.n_s), points.leakage)


def fewest_left(task: Task, price: FloatArray) -> IntArray | None:
    """The fewest components that a policy of each cost could leave; None where that is not known."""
    letters = task.letters
    component, count = costs.component_of(letters)
    if task.cost == "size":
        return np.array([fewest_components(letters.n, count, int(size)) for size in price], dtype=np.int64)
    if task.is_line:
        column = Column.of(letters)
        place = component[column.order]
        return np.array([fewest_within(column.x, place, count, float(radius)) for radius in price], dtype=np.int64)
    if letters.n > MOST_DISTANCES or letters.values is None:
        return None
    steps = joining_steps(component, distance_matrix(letters.values, letters.norm), task.codeword)
    return strongest(Ladder(count - 1 - np.arange(len(steps)), steps), price, task)


def proven_optima(task: Task, incumbents: Sequence[IntArray]) -> Found:
    """The best policy at every level, proven or with what is missing to a proof."""
    task.say("proving optimality")
    kind: Literal["L0", "I*", "L0|I*=0"] = task.leakage  # type: ignore[assignment]
    best = exact_frontier(
        task.letters,
        kind,
        task.cost,
        task.codeword,
        time_limit=max(task.watch.left(), LEAST),
        incumbents=incumbents,
        watch=task.watch,
    )
    complete = bool(best.proven.all())
    return Found(measured(task, best.store), ladders=(Ladder(best.levels, best.bound),), complete=complete)
