"""What to anneal, how long and towards what: the compiled search applied to a whole alphabet or to one corner of it.

Policies cost what their worst block costs. On a small alphabet the search runs over all letters; on a large one only
the blocks that miss a target are repaired, each together with the blocks around it, and the target is bisected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.search._letters import chosen_rows
from discreet.search.ranges._costs import CODEWORDS

CELLS = 20_000_000
"""Counts of s by block that one search may hold."""

SCANS = 10_000_000
"""Letters that one run may look at: large blocks get fewer steps."""

CORNER = 3_000
"""Letters that one repair may involve; a corner with more counts as beyond repair."""

WHOLE = 2_000
"""Up to this many letters the search runs over all of them at once."""


@dataclass(frozen=True)
class Schedule:
    """Annealing effort for one level.

    Attributes
    ----------
    rounds
        Runs over the whole alphabet, or targets tried by local repair; 0 turns annealing off.
    steps
        Moves proposed in a run.
    repairs
        Blocks that local repair may touch for one target.
    whole
        Up to this many letters the search runs over all of them at once.
    tolerance
        Stop once the cost is within this fraction of the bound.
    """

    rounds: int
    steps: int
    repairs: int = 40
    whole: int = WHOLE
    tolerance: float = 1e-4

    @classmethod
    def for_letters(cls, n: int) -> Schedule:
        """An effort that keeps a frontier of 50 levels within seconds for 10^5 letters and a minute for 10^6."""
        return cls(8, 150_000) if n <= WHOLE else cls(5, 10_000)


@dataclass(frozen=True, eq=False)
class Task:
    """One level of one alphabet, as the search sees it.

    Attributes
    ----------
    values, indptr, indices, n_s
        The letters, in any order.
    norm, codeword
        The distortion: the norm, and the codeword's number in `_costs.CODEWORDS`.
    k
        Distinct s that every block must have.
    near
        From letters (sorted numbers) and a number of blocks to the table of partners for moves among those letters:
        one row per letter, entries are places in the list of letters.
    around
        From the letters of a block to the letters whose blocks may take part in its repair.
    """

    values: FloatArray
    indptr: IntArray
    indices: npt.NDArray[np.int32]
    n_s: int
    norm: float
    codeword: int
    k: int
    near: Callable[[IntArray, int], IntArray]
    around: Callable[[IntArray], IntArray]

    def search(
        self,
        part: IntArray,
        labels: IntArray,
        target: float,
        best: float,
        scale: float,
        steps: int,
        seed: int,
    ) -> tuple[IntArray, float]:
        """Anneal the letters `part`, labelled from 0; see `_annealing_kernels.anneal`."""
        from discreet.search.ranges._annealing_kernels import Aim, anneal

        blocks = int(labels.max()) + 1
        if blocks == 1 or blocks * self.n_s > CELLS or scale <= 0:
            return labels, best
        indptr, indices = chosen_rows(self.indptr, self.indices, part)
        values = np.ascontiguousarray(self.values[part])
        aim = Aim(values, indptr, indices, self.norm, self.codeword, self.k, target, scale)
        columns = values.shape[1]
        # A smallest ball is looked for in steps, as many as there are coordinates, each of which looks at all of them.
        looks = max(1, columns * columns // 8) if self.codeword == CODEWORDS["chebyshev"] and self.norm == 2.0 else 1
        steps = min(steps, SCANS * blocks // (len(part) * looks))
        labels, best = anneal(aim, self.n_s, labels, blocks, best, self.near(part, blocks), steps, np.uint64(seed))
        return labels, float(best)


def improve(
    task: Task, starts: Callable[[float], list[IntArray]], labels: IntArray, bound: float, cost: float,
    schedule: Schedule, seed: int,
) -> IntArray:  # fmt: skip
    """Labels that cost less than `labels`, or the same ones.

    Parameters
    ----------
    starts
        From a target radius to further labels worth starting from; they need not keep k distinct s.
    labels, cost
        A partition that keeps k distinct s in every block, and its distortion.
    """
    goal = bound * (1 + schedule.tolerance)
    if len(labels) <= schedule.whole:
        others = starts(bound)
        everything = np.arange(len(labels))
        for turn in range(schedule.rounds):
            if cost <= goal:
                break
            start = [labels, *others][turn // 2 % (1 + len(others))]
            # The bound itself may be reached in one leap; where it is out of reach, small steps get on better.
            target = bound if turn % 2 == 0 else bound + 0.7 * (cost - bound)
            found, reached = task.search(everything, start, target, cost, cost, schedule.steps, seed + turn)
            if reached < cost:
                labels, cost = found, reached
        return labels
    low, target = bound, bound
    for turn in range(schedule.rounds):
        if cost <= goal:
            break
        for start in [labels, *starts(target)]:
            repaired = repair(task, start, target, schedule, seed + turn)
            if repaired is not None:
                labels, cost = repaired, target
                break
        else:
            low = target
        target = 0.5 * (low + cost)
    return labels


def repair(task: Task, labels: IntArray, target: float, schedule: Schedule, seed: int) -> IntArray | None:
    """Labels whose blocks all keep k distinct s within the target radius, or None where one could not be repaired."""
    from discreet.search._kernels.geometry import block_radii
    from discreet.search._kernels.partitions import block_distinct, group_by_block

    offsets, members = group_by_block(labels)
    radii = block_radii(task.values, offsets, members, task.norm, task.codeword)
    lacking = block_distinct(task.indptr, task.indices, task.n_s, offsets, members) < task.k
    wrong = np.flatnonzero((radii > target) | lacking)
    if len(wrong) > schedule.repairs:
        return None
    labels = labels.copy()
    # The worst first: if that one cannot be repaired, the others need not be tried.
    for b in wrong[np.argsort(-(radii[wrong] + radii.max() * lacking[wrong]), kind="stable")]:
        block = members[offsets[b] : offsets[b + 1]]
        chosen = np.zeros(len(labels), np.bool_)
        chosen[labels[task.around(block)]] = True
        part = np.flatnonzero(chosen[labels])
        if len(part) > CORNER:
            return None
        _, local = np.unique(labels[part], return_inverse=True)
        names = np.flatnonzero(chosen)
        scale = max(target, float(radii[b]))
        found, reached = task.search(part, local, target, np.inf, scale, schedule.steps, seed)
        if reached > target:
            return None
        labels[part] = names[found]
    return labels
