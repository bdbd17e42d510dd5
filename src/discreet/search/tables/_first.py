"""The first release: a top-down tree, and the best runs along its order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.search.tables._columns import FloatArray, IntArray
from discreet.search.tables._loss import cell_costs
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
RANDOM_SHARE = 0.1
"""Of the time, after which no more of them are tried."""

FEW = 40_000
"""Up to so many letters some random scales are tried too."""


def first_groups(
    problem: Problem,
    kept: IntArray,
    *,
    rng: np.random.Generator,
    tell: Callable[[float], object],
    over: Callable[[float], bool],
) -> tuple[IntArray, IntArray]:
    """The first release, and the order of the letters along its tree, in which neighbours are near each other.

    The best of several trees, each with other weights; later ones vary those of the best so far. `tell` hears the cost in
    records times NCP once the trees that are tried first are done; no more are tried once that share of the time is `over`.
    """
    m = problem.letters.size
    if not len(kept):
        return np.full(m, -1, dtype=np.int64), kept
    lines = np.array([column.kind == "line" for column in problem.columns])
    tried = [np.where(lines, scale, 1.0) for scale in (SCALES if lines.any() else (1.0,))]
    best, best_cost, best_scale = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)), np.inf, tried[0]
    for turn in range(len(tried) + (RANDOM_SCALES if len(kept) <= FEW else 0)):
        if turn and over(1.0 if turn < len(tried) else RANDOM_SHARE):
            break
        scale = tried[turn] if turn < len(tried) else best_scale * np.exp(rng.normal(0.0, 0.5, len(lines)))
        order, leaves = tree_order(problem, kept, scale=scale)
        cost, begins = contiguous(problem, order)
        if cost < best_cost or turn == 0:
            # with caps no run along the order may fit where the leaves, cut with care, do
            best = (order, begins if np.isfinite(cost) else leaves)
            best_cost, best_scale = cost, scale
        if turn + 1 == len(tried) or (turn + 1 < len(tried) and over(1.0)):
            tell(best_cost)
    return grouped(m, *best), best[0]


DEAR = 0.25
"""Cost of a release, in records of the rest, from which on it is tried to leave the others alone."""


def apart(
    problem: Problem,
    kept: IntArray,
    *,
    most: float,
    rng: np.random.Generator,
    budget: int,
    over: Callable[[float], bool],
) -> tuple[float, IntArray, IntArray] | None:
    """Letters that have alone what a group must have stand alone, and only the rest is grouped; cost, groups and order.

    No tree finds this where the rest lies all around them. Parts of the rest that do not make a group are suppressed within
    the budget, a record at the cost of 1. None where nothing stands alone, where too much would go, with limits on shares,
    and where a release that costs `most` costs little for so large a rest.
    """
    letters, wanted = problem.letters, problem.requirement
    if wanted.mode == 2:
        return None
    alone = letters.counts >= wanted.n
    for column, k in zip(letters.sensitive, wanted.k, strict=True):
        alone &= np.diff(column.indptr) >= k
    own, rest = kept[alone[kept]], kept[~alone[kept]]
    if not len(own) or not len(rest) or most < DEAR * letters.counts[rest].sum():
        return None
    bad = _lacking(problem, rest)
    lost = int(letters.counts[bad].sum())
    rest = np.setdiff1d(rest, bad)
    if lost > budget:
        return None
    group_of, order, cost = np.full(letters.size, -1, dtype=np.int64), rest, 0.0
    if len(rest):
        costs: list[float] = []
        group_of, order = first_groups(problem, rest, rng=rng, tell=costs.append, over=over)
        weights = np.array([column.weight for column in problem.columns])
        ncp = cell_costs(letters, problem.columns, group_of) @ (weights / weights.sum())
        cost = float(np.bincount(group_of[rest], letters.counts[rest], len(ncp)) @ ncp)
    group_of[own] = int(group_of.max(initial=-1)) + 1 + np.arange(len(own))
    return cost + lost, group_of, np.concatenate([order, own])


def _lacking(problem: Problem, rest: IntArray) -> IntArray:
    """The letters of parts that do not have, with only these letters in them, what a group must have."""
    letters, wanted = problem.letters, problem.requirement
    parts = int(problem.block.max()) + 1
    block = problem.block[rest]
    bad = np.bincount(block, letters.counts[rest], parts) < wanted.n
    inside = np.zeros(letters.size, dtype=bool)
    inside[rest] = True
    for column, k in zip(letters.sensitive, wanted.k, strict=True):
        of = np.repeat(problem.block, np.diff(column.indptr))[np.repeat(inside, np.diff(column.indptr))]
        value = column.value[np.repeat(inside, np.diff(column.indptr))]
        pairs = np.unique(of * column.size + value)
        bad |= np.bincount(pairs // column.size, minlength=parts) < k
    return rest[bad[block]]
