"""For each letter the letters near it, from sorting the table by random coarse grids.

A grid gives every column some resolution: a level of its tree, a number of bands on its line. Letters in one cell of a grid
are near each other, and two letters that are near each other share a cell in most grids.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.search.tables._columns import CodeArray, Column, IntArray
from discreet.search.tables._problem import Problem

CROWD = 16
"""Letters that a grid's cell should hold on average."""

REACH = 12
"""Places along a sorted grid within which letters are compared."""


def _resolutions(column: Column, codes: IntArray) -> list[tuple[npt.NDArray[Any], float]]:
    """From coarse to fine: for each code its band or node, and what a cell of that resolution costs on average."""
    every = np.arange(column.size)
    if column.kind == "tree":
        frequency = np.bincount(codes, minlength=column.size) / len(codes)
        return [(level, float(frequency @ column.node_cost[level])) for level in column.levels.T[::-1]]
    if column.kind == "set":
        return [(np.zeros(column.size), 1.0 / max(column.size - 1, 1)), (every, 0.0)]
    found: list[tuple[npt.NDArray[Any], float]] = [(np.zeros(column.size), 1.0)]
    bands = 2
    while bands < 4096 and bands < 4 * column.size:
        found.append((np.floor(np.minimum(column.positions, 2.0) * bands), 1.0 / bands))
        bands *= 2
    return found


def _entropy(keys: npt.NDArray[Any]) -> float:
    """Bits of a resolution over the letters."""
    _, counts = np.unique(keys, return_counts=True)
    share = counts / counts.sum()
    return float(-(share * np.log2(share)).sum())


def nearest(problem: Problem, kept: IntArray, *, most: int, grids: int, rng: np.random.Generator) -> CodeArray:
    """For each letter up to `most` letters near it, -1 where there are fewer.

    A grid starts as one cell; the column that costs most, times a random factor, is refined until cells hold few letters.
    """
    from discreet.search.tables._near_kernels import gather_near

    letters = problem.letters
    columns = [letters.codes[kept, c].astype(np.int64) for c in range(len(problem.columns))]
    levels = [
        [(keys[codes], cost * weight) for keys, cost in _resolutions(column, codes)]
        for column, codes, weight in zip(problem.columns, columns, problem.cells.most[:, 0], strict=True)
    ]
    bits = [[_entropy(keys) for keys, _ in level] for level in levels]
    near = np.full((letters.size, most), -1, dtype=np.int32)
    cost = np.full((letters.size, most), np.inf, dtype=np.float32)
    wanted = np.log2(max(len(kept) / CROWD, 1))
    begin = np.zeros(1, dtype=np.int64)
    for _ in range(grids):
        at = [0] * len(levels)
        while sum(bits[c][i] for c, i in enumerate(at)) < wanted:
            left = np.array([level[i][1] if i + 1 < len(level) else 0.0 for level, i in zip(levels, at, strict=True)])
            if not left.any():
                break
            at[int(np.argmax(left * rng.exponential(size=len(left))))] += 1
        inside = [columns[c] for c in rng.permutation(len(columns))]  # where letters share a cell
        cells = [levels[c][i][0] for c, i in enumerate(at)]
        order = np.lexsort([*inside, *cells, problem.block[kept]])
        gather_near(letters.codes, problem.cells, kept[order], begin, REACH, near, cost)
    return near
