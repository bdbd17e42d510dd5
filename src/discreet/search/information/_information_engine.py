"""What the engines for the leakages of the pmf have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.release._hypervolume import non_dominated
from discreet.release._partitions import Listed, Partitions
from discreet.release._points import Point
from discreet.search._protocol import Found, SearchEngine, Task
from discreet.search.information._bounds import bound
from discreet.search.information._soften import soften
from discreet.search.information._weights import information

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray, Progress
    from discreet.release._channels import Channel
    from discreet.release._frontier import Frontier

DIGITS = 11  # figures are equal that differ only by rounding
RESOLUTION = 1e-10  # bits: a bound this close is met


class InformationEngine(SearchEngine):
    """Engines for leakage I; those for other leakages of the pmf are refused what only I has."""

    takes_at_least = True
    """Whether it knows the side condition on records."""

    def accepts(self, task: Task) -> str | None:
        """Leakage I, without side information and without a hierarchy."""
        if task.is_range or task.method != self.method:
            return ""
        return refused(task) or self._refused(task)

    def _refused(self, task: Task) -> str | None:
        if task.leakage != "I":
            return f"leakage {task.leakage!r} is offered as a funnel, by method auto"
        if task.at_least and not self.takes_at_least:
            return f"method {task.method!r} is the paper's and knows no at_least: use method auto or exact"
        return None

    def worth_having(self, task: Task, found: Partitions) -> IntArray:
        """To eleven digits; a bottleneck wants the most leakage at the least utility."""
        return worth_having(task, found)

    def prove(self, task: Task, found: Found, points: Partitions) -> FloatArray | None:
        """The bound that needs no search, or the leakage itself where nothing is missing."""
        return points.leakage if found.complete else bounds(task, points)

    def soften(
        self, frontier: Frontier, *, seed: int, time_limit: float, progress: Progress | None = None
    ) -> list[Channel]:
        """From a spread of the hard policies."""
        if frontier.leakage != "I":
            return super().soften(frontier, seed=seed, time_limit=time_limit, progress=progress)
        return soften(frontier, seed=seed, time_limit=time_limit, progress=progress)


def refused(task: Task) -> str | None:
    """What no engine for a leakage of the pmf takes."""
    if task.joint.has_side or task.hierarchy is not None:
        what = "side information" if task.joint.has_side else "a hierarchy"
        return f"leakage {task.leakage!r} does not take {what}: use leakage 'L0'"
    if task.at_least > task.weights.total:
        return f"no block can have {task.setting.at_least} records: the table has {task.weights.total:g}"
    return None


def worth_having(task: Task, found: Partitions) -> IntArray:
    """The non-dominated partitions, finest first; a bottleneck wants the most leakage at the least utility."""
    leakage, utility = np.round(found.leakage, DIGITS), np.round(found.utility, DIGITS)
    return non_dominated(utility, leakage) if task.setting.is_bottleneck else non_dominated(leakage, utility)


def measured(task: Task, partitions: Sequence[IntArray]) -> Partitions:
    """Partitions with their information, one by one."""
    figures = np.array([information(task.weights, each) for each in partitions]).reshape(-1, 2)
    return Partitions(figures[:, 0], figures[:, 1], Listed.of(partitions))


def bounds(task: Task, points: Partitions) -> FloatArray:
    """The proven bound at each point's utility, which no figure can beat by more than rounding."""
    found = bound(task.weights, points.utility, task.problem)
    met = np.abs(found - points.leakage) < RESOLUTION
    clip = np.maximum if task.setting.is_bottleneck else np.minimum
    return np.where(met, points.leakage, clip(found, points.leakage))


def point_of(task: Task, partition: IntArray) -> Point:
    """One partition as a point, with its bound."""
    found = measured(task, [partition])
    return Point(
        float(found.leakage[0]), float(found.utility[0]), float(bounds(task, found)[0]), task.setting, found.store
    )
