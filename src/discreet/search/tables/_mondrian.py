"""Mondrian, as the literature has it: the baseline that a frontier of a whole table is drawn beside (TABLES.md).

The widest column that can be cut is cut at its median, until none can; cells are hulls, and twins stay together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from discreet.auditing._group_requirements import GroupRequirement
from discreet.errors import InputError
from discreet.search.tables._coded_table import CodedTable, engine_requirement
from discreet.search.tables._columns import Column, IntArray
from discreet.search.tables._letters import Letters, Sensitive
from discreet.search.tables._loss import measured
from discreet.search.tables._requirements import ROUNDING, Requirement


def mondrian_loss(problem: CodedTable, wanted: Sequence[GroupRequirement]) -> float | None:
    """The loss of Mondrian's release; None where it has none, as where a column is to stay as it is."""
    requirement = engine_requirement(wanted, problem)
    group_of = mondrian(problem.letters, problem.columns, requirement)
    try:
        return measured(problem.letters, problem.columns, requirement, group_of).loss
    except InputError:
        return None


def mondrian(letters: Letters, columns: Sequence[Column], requirement: Requirement) -> IntArray:
    """The group of every letter."""
    fits = _fitting(letters, requirement.padded(letters))
    group_of = np.zeros(letters.size, dtype=np.int64)
    stack, groups = [np.arange(letters.size)], 0
    while stack:
        node = stack.pop()
        halves = _halves(letters, columns, node, fits)
        if halves is None:
            group_of[node] = groups
            groups += 1
        else:
            stack += halves
    return group_of


def _halves(
    letters: Letters, columns: Sequence[Column], node: IntArray, fits: Callable[[IntArray], bool]
) -> tuple[IntArray, IntArray] | None:
    """Two halves of a node at the median of its widest column that allows it."""
    if letters.counts[node].sum() < 2:
        return None
    codes = letters.codes[node]
    low, high = codes.min(axis=0), codes.max(axis=0)
    widths = [
        _width(column, codes[:, c].astype(np.int64)) if low[c] < high[c] else -1.0 for c, column in enumerate(columns)
    ]
    for c in np.argsort(-np.array(widths), kind="stable"):
        if low[c] == high[c]:
            return None  # so are all that follow
        order = np.argsort(codes[:, c], kind="stable")
        running = np.cumsum(letters.counts[node[order]])
        median = codes[order[np.searchsorted(running, running[-1] / 2)], c]
        left = codes[:, c] <= (median if median < high[c] else median - 1)
        halves = node[left], node[~left]
        if fits(halves[0]) and fits(halves[1]):
            return halves
    return None


def _width(column: Column, codes: IntArray) -> float:
    """The NCP of the cell that holds these values."""
    if column.kind == "set":
        return (len(np.unique(codes)) - 1) / max(1, column.size - 1)
    return float(column.spans(np.array([codes.min()]), np.array([codes.max()]))[0])


def _fitting(letters: Letters, requirement: Requirement) -> Callable[[IntArray], bool]:
    """Whether letters (numbers in an array) have together what a group must have."""
    asked = [
        (column, k, cap, models)
        for column, k, cap, models in zip(
            letters.sensitive, requirement.k, requirement.caps, requirement.models, strict=True
        )
        if k > 1 or cap is not None or models
    ]

    def fits(group: IntArray) -> bool:
        records = letters.counts[group].sum()
        if records < requirement.n:
            return False
        for column, k, cap, models in asked:
            held = _held(column, group)
            if np.count_nonzero(held) < k or (cap is not None and np.any(held > cap * records + ROUNDING)):
                return False
            if not all(model.holds(held[None].astype(np.float64))[0] for model in models):
                return False
        return True

    return fits


def _held(column: Sensitive, group: IntArray) -> IntArray:
    """How many records of these letters have each sensitive value."""
    starts, sizes = column.indptr[group], column.indptr[group + 1] - column.indptr[group]
    places = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return np.bincount(column.value[places], column.count[places], column.size).astype(np.int64)
