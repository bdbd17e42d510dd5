"""Policies whose blocks are nodes of a given tree of categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.columns import Hierarchy
from discreet.search._protocol import Found, Task
from discreet.search._watch import Watch
from discreet.search.ranges._figures import measured, store_of
from discreet.search.ranges._range_engine import ON_HIERARCHIES, RangeEngine

if TYPE_CHECKING:
    from discreet._typing import IntArray
    from discreet.release._points import Setting
    from discreet.search._letters import Letters


def local_recoding(letters: Letters, partitions: IntArray, watch: Watch | None = None) -> list[tuple[int, IntArray]]:
    """For each k the finest cut of the tree whose nodes all have k distinct s.

    A node may be split where every child that holds letters has k distinct s. Any cut with k in each node can
    only split such nodes, so the finest cut is unique: it is at least as good as every other for every
    utility that prefers finer policies (block size does; so does the Chebyshev radius).

    Parameters
    ----------
    letters
        The alphabet.
    partitions
        `Hierarchy.partitions` of its labels.

    Returns
    -------
    (k, block_of) for k = 1 .. |[[S]]|, or as many as there was time for. Where a single letter has fewer than k distinct s
    its parents take over. Levels with the same policy share one array.
    """
    height, n = partitions.shape
    fewest = [_fewest_of_children(letters, partitions, level) for level in range(1, height)]
    found: list[tuple[int, IntArray]] = []
    # Only these k make a difference: between two of them the same nodes may be split.
    steps = np.unique([1, *(each + 1 for each in np.unique(fewest).tolist() if each < letters.n_s)])
    for k in range(1, letters.n_s + 1):
        if watch is not None and watch.over():
            break
        if found and k not in steps:
            found.append((k, found[-1][1]))
            continue
        block_of = partitions[-1].copy()
        split = np.ones(n, bool)  # letters whose node at the level above was split
        for level in range(height - 1, 0, -1):
            split &= fewest[level - 1] >= k
            block_of[split] = partitions[level - 1][split]
        same = bool(found) and np.array_equal(found[-1][1], block_of)
        found.append((k, found[-1][1] if same else block_of))
    return found


def full_domain(letters: Letters, partitions: IntArray) -> list[tuple[int, IntArray]]:
    """All letters at one level, for every level of the hierarchy, leaves first: (k reached, block_of)."""
    return [(int(_distinct_of_nodes(letters, level).min()), level.copy()) for level in partitions]


def _distinct_of_nodes(letters: Letters, block_of: IntArray) -> IntArray:
    """For each letter the number of distinct s in its block."""
    rows = np.repeat(block_of, np.diff(letters.indptr))
    pairs = np.unique(rows * letters.n_s + letters.indices)
    return np.asarray(np.bincount(pairs // letters.n_s, minlength=letters.n)[block_of])


def _fewest_of_children(letters: Letters, partitions: IntArray, level: int) -> IntArray:
    """For each letter the fewest distinct s among the children of its node at ``level``."""
    distinct = _distinct_of_nodes(letters, partitions[level - 1])
    fewest = np.full(letters.n, letters.n_s)
    np.minimum.at(fewest, partitions[level], distinct)
    return np.asarray(fewest[partitions[level]])


class HierarchyEngine(RangeEngine):
    """Blocks that are nodes of a hierarchy of categories."""

    name = "hierarchy"
    method = "hierarchy"

    def accepts(self, task: Task) -> str | None:
        """A hierarchy for the one public column."""
        if not task.is_range or task.hierarchy is None:
            return ""
        plain = task.method == "auto" and task.leakage == "L0" and not task.joint.has_side
        return None if plain and len(task.joint.public) < 2 else ON_HIERARCHIES

    def search(self, task: Task) -> Found:
        """Local recoding for every k, and all letters at one level."""
        levels = Hierarchy(dict(task.setting.hierarchy or {})).partitions(task.joint.x)
        ways = [*full_domain(task.letters, levels), *local_recoding(task.letters, levels, task.watch)]
        different = {id(block_of): block_of for _, block_of in ways}  # levels with the same policy share one array
        return Found(measured(task, store_of([np.arange(task.letters.n), *different.values()])))

    def names(self, setting: Setting, block_of: IntArray) -> tuple[str, ...]:
        """The lowest node that all letters of a block share."""
        return Hierarchy(dict(setting.hierarchy or {})).names(setting.joint.x, block_of)
