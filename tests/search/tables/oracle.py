"""Plain Python, record by record: what a grouping costs and whether it fits, and the best over all partitions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from discreet.search.tables import Column, Letters, Requirement


def node_of(levels: Sequence[Sequence[int]], leaves: Sequence[int]) -> tuple[int, int]:
    """The lowest level at which all leaves are under one node, and that node."""
    for level in range(len(levels[0])):
        above = {levels[leaf][level] for leaf in leaves}
        if len(above) == 1:
            return level, above.pop()
    raise AssertionError("no common top")


def cell_cost(column: Column, codes: Sequence[int]) -> float:
    """NCP of the cell of these codes, by definition."""
    if column.kind == "line":
        where = [float(column.positions[code]) for code in codes]
        missing = [position > 2 for position in where]
        if any(missing):
            return 0.0 if all(missing) else 1.0
        return max(where) - min(where)
    if column.size == 1:
        return 0.0
    if column.kind == "set":
        return float((len(set(codes)) - 1) / (column.size - 1))
    levels = column.levels.tolist()
    level, node = node_of(levels, codes)
    return float((sum(row[level] == node for row in levels) - 1) / (column.size - 1))


def fits(letters: Letters, requirement: Requirement, group: Sequence[int]) -> bool:
    """Whether a group of letters has what it must have."""
    wanted = requirement.padded(letters)
    records = sum(int(letters.counts[x]) for x in group)
    if records < wanted.n:
        return False
    for column, k, cap in zip(letters.sensitive, wanted.k, wanted.caps, strict=True):
        tally: dict[int, int] = {}
        for x in group:
            for e in range(column.indptr[x], column.indptr[x + 1]):
                tally[int(column.value[e])] = tally.get(int(column.value[e]), 0) + int(column.count[e])
        if len(tally) < k or (cap is not None and any(c > cap[v] * records * (1 + 1e-9) for v, c in tally.items())):
            return False
    return True


def allowed(columns: Sequence[Column], letters: Letters, group: Sequence[int]) -> bool:
    """Whether no cell of a group exceeds its column's limit."""
    return all(
        cell_cost(column, [int(letters.codes[x, c]) for x in group]) <= column.most + 1e-9
        for c, column in enumerate(columns)
    )


def group_cost(columns: Sequence[Column], letters: Letters, group: Sequence[int]) -> float:
    """Records times weighted NCP."""
    weights = np.array([column.weight for column in columns]) / sum(column.weight for column in columns)
    records = sum(int(letters.counts[x]) for x in group)
    return records * sum(
        float(weight) * cell_cost(column, [int(letters.codes[x, c]) for x in group])
        for c, (column, weight) in enumerate(zip(columns, weights, strict=True))
    )


def loss(columns: Sequence[Column], letters: Letters, group_of: Sequence[int]) -> float:
    """GCP; suppressed records cost 1."""
    total = 0.0
    for g in set(group_of):
        group = [x for x in range(letters.size) if group_of[x] == g]
        total += sum(int(letters.counts[x]) for x in group) if g < 0 else group_cost(columns, letters, group)
    return total / letters.records


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """Every partition of some items."""
    if not items:
        yield []
        return
    first, *rest = items
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            remaining = [item for item in rest if item not in others]
            for partition in partitions(remaining):
                yield [[first, *others], *partition]


def best_loss(columns: Sequence[Column], letters: Letters, requirement: Requirement, suppress: int = 0) -> float | None:
    """The least loss over all partitions of all sets of letters whose complement may be suppressed; None: none fits."""
    best: float | None = None
    for size in range(letters.size + 1):
        for gone in itertools.combinations(range(letters.size), size):
            lost = sum(int(letters.counts[x]) for x in gone)
            if lost > suppress:
                continue
            kept = [x for x in range(letters.size) if x not in gone]
            for partition in partitions(kept):
                if all(fits(letters, requirement, g) and allowed(columns, letters, g) for g in partition):
                    found = (lost + sum(group_cost(columns, letters, g) for g in partition)) / letters.records
                    best = found if best is None else min(best, found)
    return best
