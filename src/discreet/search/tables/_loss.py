"""The loss of a grouping, from scratch and without kernels: what a result reports is never what the search believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.search.tables._columns import SLACK, Column, FloatArray, IntArray, normalised
from discreet.search.tables._letters import Letters
from discreet.search.tables._requirements import Requirement, tallies, unmet


@dataclass(frozen=True, eq=False)
class Grouping:
    """A release of a table: which letters share a row, and what that costs.

    Attributes
    ----------
    group_of
        (m,), the group of each letter, numbered from 0 in the order of their first letters; -1 for suppressed ones.
    loss
        GCP: the mean over records of the weighted NCP of their cells; a suppressed record costs 1.
    loss_by_column
        The same per column, before weighting.
    groups
        Number of groups.
    n
        Fewest records in a group; 0 where all are suppressed.
    k
        For each sensitive column the fewest distinct values in a group.
    suppressed
        Number of suppressed records.
    stopped
        Whether the search was interrupted or ran out of time before it was done.
    bands
        Of one coarsening for everybody: for each column the band of each code, whose cell every row shows; else None, and a
        group's cells are the hulls of its members.
    """

    group_of: IntArray
    loss: float
    loss_by_column: FloatArray
    groups: int
    n: int
    k: tuple[int, ...]
    suppressed: int
    stopped: bool = False
    bands: tuple[IntArray, ...] | None = None
    interrupted: bool = False  # stopped by somebody, not by the clock


def band_costs(column: Column, bands: IntArray, occurring: npt.NDArray[np.bool_]) -> FloatArray:
    """For each code the NCP of its band: on a line the hull of what occurs in it, else everything in it."""
    count = int(bands.max()) + 1
    codes = np.flatnonzero(occurring) if column.kind == "line" else np.arange(column.size)
    if column.kind == "set":
        cost = (np.bincount(bands, minlength=count) - 1) / max(column.size - 1, 1)
    else:
        low, high = np.full(count, column.size - 1), np.zeros(count, dtype=np.int64)
        np.minimum.at(low, bands[codes], codes)
        np.maximum.at(high, bands[codes], codes)
        cost = column.spans(np.minimum(low, high), high)
    return np.asarray(cost[bands], dtype=np.float64)


def cell_costs(
    letters: Letters,
    columns: tuple[Column, ...],
    group_of: IntArray,
    *,
    bands: tuple[IntArray, ...] | None = None,
) -> FloatArray:
    """(groups, d): NCP of each group's cells; with `bands`, of the bands that its members are in."""
    kept = np.flatnonzero(group_of >= 0)
    groups = int(group_of.max(initial=-1)) + 1
    costs = np.zeros((groups, len(columns)))
    order = kept[np.argsort(group_of[kept], kind="stable")]
    if not len(order):
        return costs
    of = group_of[order]
    starts = np.flatnonzero(np.concatenate([[True], of[1:] != of[:-1]]))
    filled = of[starts]
    for c, column in enumerate(columns):
        codes = letters.codes[order, c].astype(np.int64)
        if bands is not None:
            occurring = np.bincount(letters.codes[:, c], minlength=column.size) > 0
            costs[filled, c] = band_costs(column, bands[c], occurring)[codes[starts]]
            if np.any(np.diff(bands[c][codes])[np.diff(of) == 0]):
                raise InputError("a group has letters of different bands")
            continue
        if column.kind == "set":
            pairs = np.unique(of * column.size + codes) // column.size
            if column.size > 1:
                costs[filled, c] = (np.bincount(pairs, minlength=groups)[filled] - 1) / (column.size - 1)
        else:
            low, high = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
            costs[filled, c] = column.spans(low, high)
    return costs


def measured(
    letters: Letters,
    columns: tuple[Column, ...],
    requirement: Requirement,
    group_of: IntArray,
    *,
    stopped: bool = False,
    bands: tuple[IntArray, ...] | None = None,
) -> Grouping:
    """A grouping with its groups numbered canonically and everything about it counted anew.

    Raises
    ------
    InputError
        If a group misses a demand or a cell exceeds a column's limit.
    """
    group_of = canonical(group_of)
    kept = group_of >= 0
    groups = int(group_of.max(initial=-1)) + 1
    wrong = unmet(letters, requirement, group_of)
    costs = cell_costs(letters, columns, group_of, bands=bands)
    if groups and np.any(costs > np.array([column.most for column in columns]) + SLACK):
        wrong.append("a cell is coarser than its column allows")
    if wrong:
        raise InputError("the grouping misses its requirement: " + "; ".join(wrong))
    records = np.bincount(group_of[kept], letters.counts[kept], groups)
    suppressed = int(letters.counts[~kept].sum())
    by_column = (records @ costs + suppressed) / letters.records
    k = tuple(
        int(np.bincount(tallies(column, group_of, groups)[0], minlength=groups).min()) if groups else 0
        for column in letters.sensitive
    )
    return Grouping(
        group_of,
        float(by_column @ normalised(columns)),
        by_column,
        groups,
        int(records.min()) if groups else 0,
        k,
        suppressed,
        stopped,
        bands,
    )


def canonical(group_of: IntArray) -> IntArray:
    """The groups renumbered from 0 in the order of their first letters."""
    kept = group_of >= 0
    _, first, place = np.unique(group_of[kept], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    found = np.full(len(group_of), -1, dtype=np.int64)
    found[kept] = rank[place]
    return found
