"""The oracle: every partition of a tiny alphabet, by plain enumeration with sets. Nothing here is fast."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.search._letters import Letters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Block = tuple[int, ...]


def make_letters(
    ranges: Sequence[Sequence[int]],
    values: npt.ArrayLike | None = None,
    norm: float = 2.0,
) -> Letters:
    """Letters from [[S|x]] given letter by letter; s codes are renumbered so that each is seen."""
    seen = sorted({s for r in ranges for s in r})
    code = {s: i for i, s in enumerate(seen)}
    rows = [sorted({code[s] for s in r}) for r in ranges]
    indptr = np.cumsum([0] + [len(r) for r in rows]).astype(np.int64)
    indices = np.array([s for r in rows for s in r], np.int32)
    array = None
    if values is not None:
        array = np.asarray(values, float)
        array = array[:, None] if array.ndim == 1 else array
    return Letters(indptr, indices, len(seen), array, norm)


def all_partitions(n: int) -> Iterator[list[Block]]:
    """Every partition of 0..n-1, by restricted growth strings; blocks in order of their lowest letter."""

    def grow(string: list[int], high: int) -> Iterator[list[int]]:
        if len(string) == n:
            yield string
            return
        for label in range(high + 1):
            yield from grow([*string, label], max(high, label + 1))

    for string in grow([], 0):
        yield [tuple(i for i in range(n) if string[i] == b) for b in range(max(string, default=-1) + 1)]


def blocks_of(block_of: Sequence[int] | np.ndarray) -> list[Block]:
    """The blocks of a canonical array, in order of their lowest letter."""
    names = [int(b) for b in block_of]
    return [tuple(i for i, b in enumerate(names) if b == name) for name in sorted(set(names))]


def is_canonical(block_of: np.ndarray) -> bool:
    """Whether each block is named by its lowest letter."""
    return all(min(block) == int(block_of[block[0]]) for block in blocks_of(block_of))


def fewest_distinct(letters: Letters, blocks: Sequence[Block]) -> int:
    """k: the fewest distinct s in a block."""
    return min(len({int(s) for x in block for s in letters.range_of(x)}) for block in blocks)


def count_components(letters: Letters, blocks: Sequence[Block]) -> int:
    """Connected components of the support after merging: blocks that share an s hang together."""
    groups: list[set[int]] = []
    for block in blocks:
        seen = {int(s) for x in block for s in letters.range_of(x)}
        apart = [g for g in groups if not g & seen]
        groups = [*apart, seen.union(*(g for g in groups if g & seen))]
    return len(groups)


def _length(vector: Sequence[float], norm: float) -> float:
    sizes = [abs(v) for v in vector]
    if norm == math.inf:
        return max(sizes)
    return sum(sizes) if norm == 1 else math.sqrt(sum(v * v for v in sizes))


def _distance(a: Sequence[float], b: Sequence[float], norm: float) -> float:
    return _length([p - q for p, q in zip(a, b, strict=True)], norm)


def chebyshev_radius(points: Sequence[Sequence[float]], norm: float) -> float:
    """Radius of the smallest ball, with l_2 by trying every ball through two or three points of the plane."""
    if len(points) == 1:
        return 0.0
    columns = len(points[0])
    if columns == 1 or norm == math.inf:
        return float(max(max(c) - min(c) for c in zip(*points, strict=True))) / 2
    assert columns == 2, "the oracle knows the plane only"
    if norm == 1:
        return chebyshev_radius([(a + b, a - b) for a, b in points], math.inf)
    best = math.inf
    centres = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in combinations(points, 2)]
    for (ax, ay), (bx, by), (cx, cy) in combinations(points, 3):
        det = 2 * ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
        if det:
            b2, c2 = (bx - ax) ** 2 + (by - ay) ** 2, (cx - ax) ** 2 + (cy - ay) ** 2
            centres.append((ax + ((cy - ay) * b2 - (by - ay) * c2) / det, ay + ((bx - ax) * c2 - (cx - ax) * b2) / det))
    for centre in centres:
        best = min(best, max(_distance(p, centre, norm) for p in points))
    return best


def block_cost(letters: Letters, block: Block, cost: str, codeword: str) -> float:
    """What one block costs."""
    if cost == "size":
        return float(len(block))
    assert letters.values is not None
    points = [tuple(float(v) for v in letters.values[x]) for x in block]
    if codeword == "chebyshev":
        return chebyshev_radius(points, letters.norm)
    if codeword == "medoid":
        return min(max(_distance(p, centre, letters.norm) for p in points) for centre in points)
    mean = [sum(c) / len(points) for c in zip(*points, strict=True)]
    return max(_distance(p, mean, letters.norm) for p in points)


def partition_cost(letters: Letters, blocks: Sequence[Block], cost: str, codeword: str) -> float:
    """The costliest block's cost."""
    return max(block_cost(letters, block, cost, codeword) for block in blocks)


def level_of(letters: Letters, blocks: Sequence[Block], leakage: str) -> int | None:
    """The level a partition reaches: k for L0, the number of components for I*; None if I* = 0 is broken."""
    components = count_components(letters, blocks)
    if leakage == "I*":
        return components
    if leakage == "L0|I*=0" and components > 1:
        return None
    return fewest_distinct(letters, blocks)


def brute_frontier(letters: Letters, leakage: str, cost: str, codeword: str = "centroid") -> list[tuple[int, float]]:
    """(level, least cost) for every level, lowest level first, over all partitions.

    A policy with more distinct s (or fewer components) than asked for serves, so costs are monotone in the
    level.
    """
    price: dict[Block, float] = {}
    best: dict[int, float] = {}
    for blocks in all_partitions(letters.n):
        level = level_of(letters, blocks, leakage)
        if level is None:
            continue
        for block in blocks:
            if block not in price:
                price[block] = block_cost(letters, block, cost, codeword)
        worst = max(price[block] for block in blocks)
        best[level] = min(best.get(level, math.inf), worst)
    if leakage == "I*":
        last = count_components(letters, [(i,) for i in range(letters.n)])
        return [(q, min(c for at, c in best.items() if at <= q)) for q in range(1, last + 1)]
    return [(k, min(c for at, c in best.items() if at >= k)) for k in range(1, letters.n_s + 1)]
