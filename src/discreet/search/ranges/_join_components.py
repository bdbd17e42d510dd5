"""L0 with I* = 0 [AC, (7)]: the L0 frontier, then a repair that joins what components are left (SPEC 9).

The paper's procedure stops at the first connected partition, wherever L0 is by then. Starting from a good policy for
each k instead, components are usually one already; where not, a letter moved or two exchanged within the policy's
cost join them for nothing, and only where no such change exists are two blocks merged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import Codeword, FloatArray, IntArray
from discreet.release._partitions import canonical
from discreet.search._letters import Letters
from discreet.search.ranges._costs import component_of, components, distinct, distortion, size

if TYPE_CHECKING:
    from discreet.search._protocol import Task
    from discreet.search._watch import Watch

MOST_JOINED = 64
"""Components that are joined one by one."""

CANDIDATES = 64
"""Letters of one component and partners of each that a repair looks at."""


def _cost(letters: Letters, block_of: IntArray, codeword: Codeword | None) -> float:
    return float(size(block_of)) if codeword is None else distortion(letters, block_of, codeword)


def join_all(task: Task, partitions: Sequence[IntArray]) -> list[IntArray]:
    """Each joined into one component, with as many distinct s, and the whole alphabet as one block.

    Those with many components are left to Algorithm 2.
    """
    joined: list[IntArray] = []
    with task.watch as watch:
        for each in partitions:
            if watch.over():
                break
            if (one := joined_in_time(task, each, distinct(task.letters, each))) is not None:
                joined.append(one)
    return [*joined, np.zeros(task.letters.n, np.int64)]


def joined_in_time(task: Task, block_of: IntArray, k: int) -> IntArray | None:
    """One policy joined; None where it has too many components, or time ran out."""
    if components(task.letters, block_of) > MOST_JOINED:
        return None
    return join(task.letters, block_of, k, task.codeword if task.cost == "distortion" else None, task.watch)


def join(
    letters: Letters, block_of: IntArray, k: int, codeword: Codeword | None, watch: Watch | None = None
) -> IntArray | None:
    """A policy with one component and k distinct s in every block, by the cheapest change found at each step.

    `codeword` is that of the distortion; None where cost is the largest block. None when time runs out.
    """
    while True:
        component, count = component_of(letters, block_of)
        if count == 1:
            return block_of
        if watch is not None and watch.over():
            return None
        limit = _cost(letters, block_of, codeword)
        best: tuple[float, IntArray] | None = None
        for changed in _changes(letters, block_of, component, count):
            if components(letters, changed) >= count or distinct(letters, changed) < k:
                continue
            cost = _cost(letters, changed, codeword)
            if best is None or cost < best[0]:
                best = (cost, changed)
            if cost <= limit:
                break
        if best is None:
            raise AssertionError("merging two blocks of different components always joins them")
        block_of = best[1]


def _changes(letters: Letters, block_of: IntArray, component: IntArray, count: int) -> Iterator[IntArray]:
    """Partitions that may join the smallest component to another: moves, exchanges, then merges of two blocks."""
    smallest = int(np.argmin(np.bincount(component, minlength=count)))
    inside, outside = np.flatnonzero(component == smallest), np.flatnonzero(component != smallest)
    pairs = _closest(letters.values, inside, outside)
    for x, y in pairs:
        for mover, host in ((x, y), (y, x)):
            if np.count_nonzero(block_of == block_of[mover]) > 1:
                labels = block_of.copy()
                labels[mover] = block_of[host]
                yield canonical(labels)
    for x, y in pairs:
        labels = block_of.copy()
        labels[x], labels[y] = block_of[y], block_of[x]
        yield canonical(labels)
    for x, y in pairs:
        labels = block_of.copy()
        labels[block_of == block_of[x]] = block_of[y]
        yield canonical(labels)


def _closest(values: FloatArray | None, inside: IntArray, outside: IntArray) -> list[tuple[int, int]]:
    """Pairs across the border, nearest first; without values, in the order of the letters."""
    if values is None:
        return [(int(x), int(y)) for x in inside[:CANDIDATES] for y in outside[:CANDIDATES]]
    from scipy.spatial import cKDTree

    count = min(CANDIDATES, len(outside))
    found = cKDTree(values[outside]).query(values[inside], k=count)
    gaps, partners = np.ravel(found[0]), np.ravel(found[1])
    nearest = np.argsort(gaps, kind="stable")[: CANDIDATES * CANDIDATES]
    return [(int(inside[t // count]), int(outside[partners[t]])) for t in nearest]
