"""The first release: a top-down tree, and the best runs along its order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.search.tables._columns import FloatArray, IntArray
from discreet.search.tables._problem import Problem


def tree_order(problem: Problem, kept: IntArray, *, scale: FloatArray | None = None) -> tuple[IntArray, IntArray]:
    """The letters `kept` in the order of the top-down tree's leaves, and the place where each leaf begins."""
    from discreet.search.tables._topdown_kernels import top_down

    letters = problem.letters
    perm = kept[np.argsort(problem.block[kept], kind="stable")].astype(np.int64)
    block = problem.block[perm]
    roots = np.flatnonzero(np.concatenate([[True], block[1:] != block[:-1], [True]])).astype(np.int64)
    scale = np.ones(len(problem.columns)) if scale is None else scale
    leaves = top_down(letters.codes, letters.counts, problem.cells, problem.need, scale, perm, roots)
    return perm, leaves


def contiguous(problem: Problem, order: IntArray) -> tuple[float, IntArray]:
    """The best cut of an order into groups: its cost in records times NCP, and the place where each group begins."""
    from discreet.search.tables._topdown_kernels import along

    letters = problem.letters
    block = problem.block[order]
    breaks = np.concatenate([[True], block[1:] != block[:-1]])
    cost, begins = along(letters.codes, letters.counts, problem.cells, problem.need, order, breaks)
    return float(cost), np.flatnonzero(begins)


def grouped(m: int, order: IntArray, begins: IntArray) -> IntArray:
    """Runs of an order as groups; letters that are not in it are suppressed."""
    group_of = np.full(m, -1, dtype=np.int64)
    group_of[order] = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(order))))
    return group_of


SCALES = (1.0, 0.4, 0.15)
"""What lines count for in the first trees: a narrow line early in a tree is no gain, since every set is narrow later on."""

RANDOM_SCALES = 8
FEW = 40_000
"""Up to so many letters some random scales are tried too."""


def first_groups(
    problem: Problem,
    kept: IntArray,
    *,
    rng: np.random.Generator,
    tell: Callable[[float], object],
    over: Callable[[], bool],
) -> tuple[IntArray, IntArray]:
    """The first release, and the order of the letters along its tree, in which neighbours are near each other.

    The best of several trees, each with other weights; later ones vary those of the best so far. `tell` hears the cost in
    records times NCP once the trees that are always tried are done; others are tried unless time is `over`.
    """
    m = problem.letters.size
    if not len(kept):
        return np.full(m, -1, dtype=np.int64), kept
    lines = np.array([column.kind == "line" for column in problem.columns])
    tried = [np.where(lines, scale, 1.0) for scale in (SCALES if lines.any() else (1.0,))]
    best, best_cost, best_scale = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)), np.inf, tried[0]
    for turn in range(len(tried) + (RANDOM_SCALES if len(kept) <= FEW else 0)):
        if turn >= len(tried) and over():
            break
        scale = tried[turn] if turn < len(tried) else best_scale * np.exp(rng.normal(0.0, 0.5, len(lines)))
        order, leaves = tree_order(problem, kept, scale=scale)
        cost, begins = contiguous(problem, order)
        if cost < best_cost or turn == 0:
            # with caps no run along the order may fit where the leaves, cut with care, do
            best = (order, begins if np.isfinite(cost) else leaves)
            best_cost, best_scale = cost, scale
        if turn + 1 == len(tried):
            tell(best_cost)
    return grouped(m, *best), best[0]
