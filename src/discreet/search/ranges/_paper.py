"""The engines of [AC, V]: Algorithms 1 and 2, whose path holds the answer for every multiplier, and problem (7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.release._points import Point
from discreet.search._protocol import Found, Task
from discreet.search.ranges._figures import cost_of, figured, level_of, measured, store_of
from discreet.search.ranges._greedy.path import merge_connected, merge_path, stopping_step
from discreet.search.ranges._range_engine import RangeEngine

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.release._frontier import Frontier
    from discreet.release._partitions import Partitions

MULTIPLIERS = (0.0, *np.geomspace(0.01, 100.0, 17).tolist())  # for problem (7), where each multiplier is its own run


class Agglomerative(RangeEngine):
    """Algorithm 1 for L0 and Algorithm 2 for I*, as the paper has them (corrected)."""

    name = "agglomerative"
    method = "agglomerative"

    def accepts(self, task: Task) -> str | None:
        """All but problem (7)."""
        return "" if task.leakage == "L0|I*=0" else super().accepts(task)

    def search(self, task: Task) -> Found:
        """The whole merge path, every step a candidate."""
        path = greedy(task)
        return Found(path, path)

    def stop(self, frontier: Frontier, multiplier: float) -> Point | None:
        """The last step before the first that does not lower the Lagrangian."""
        path, setting = frontier.path, frontier.setting
        if path is None:
            return None
        task = Task(setting)
        n_s, n = setting.joint.n_s, setting.joint.n_x
        level, price = level_of(path.leakage, task.leakage, n_s), cost_of(path.utility, task.cost, n)
        leaked = np.log2(level) if task.leakage == "I*" else -np.log2(level)
        lost = np.log2(price) if task.cost == "size" else price
        return path[stopping_step(leaked, lost, multiplier)]


class Connected(RangeEngine):
    """Problem (7): L0 subject to I* = 0. The multiplier steers the merges, so each is a run of its own."""

    name = "agglomerative-connected"
    method = "agglomerative"

    def accepts(self, task: Task) -> str | None:
        """Problem (7) alone."""
        return super().accepts(task) if task.leakage == "L0|I*=0" else ""

    def search(self, task: Task) -> Found:
        """Where the runs of a grid of multipliers end."""
        ends = [np.zeros(task.letters.n, np.int64)]  # one block leaks nothing, however far the runs get
        with task.watch as watch:
            for i, multiplier in enumerate(MULTIPLIERS):
                if watch.over():
                    break
                task.say("merging as the paper does", i / len(MULTIPLIERS))
                ends.append(_end(task, multiplier))
        return Found(measured(task, store_of(ends)))

    def stop(self, frontier: Frontier, multiplier: float) -> Point | None:
        """Where the run of this multiplier ends."""
        task = Task(frontier.setting)
        found = measured(task, store_of([_end(task, multiplier)]))
        return Point(float(found.leakage[0]), float(found.utility[0]), None, frontier.setting, found.store)


def _end(task: Task, multiplier: float) -> IntArray:
    return merge_connected(task.letters, task.cost, multiplier, task.codeword).partition(-1)


def greedy(task: Task) -> Partitions:
    """The merge path of Algorithm 1 or 2."""
    task.say("merging as the paper does")
    kind: Literal["L0", "I*"] = "I*" if task.leakage == "I*" else "L0"
    path = merge_path(task.letters, kind, task.cost, task.codeword)
    level = path.components if kind == "I*" else path.distinct
    price: FloatArray = path.size.astype(np.float64) if task.cost == "size" else path.distortion
    return figured(task, level, price, path.store)
