"""An oracle for tiny alphabets: exact optima over all partitions, written without the package's kernels."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from discreet.search._letters import Letters
from discreet.search.ranges._costs import required_values


def letters_of(ranges: list[list[int]], values: np.ndarray | None = None, norm: float = 2.0) -> Letters:
    """Letters from their lists of s; s renumbered so that all occur."""
    codes = {s: i for i, s in enumerate(sorted({s for r in ranges for s in r}))}
    rows = [sorted({codes[s] for s in r}) for r in ranges]
    indptr = np.concatenate(([0], np.cumsum([len(r) for r in rows]))).astype(np.int64)
    indices = np.array([s for r in rows for s in r], np.int32)
    if values is not None:
        values = np.asarray(values, float).reshape(len(ranges), -1)
    return Letters(indptr, indices, len(codes), values, norm)


def random_letters(rng: np.random.Generator, n: int, columns: int = 1, most: int = 3, norm: float = 2.0) -> Letters:
    """Small random letters: repeated values, ties and several s a letter are all frequent."""
    n_s = int(rng.integers(1, 6))
    ranges = [list(rng.integers(0, n_s, size=rng.integers(1, most + 1))) for _ in range(n)]
    kind = rng.integers(0, 3)
    if kind == 0:
        values = rng.integers(0, 6, size=(n, columns)).astype(float)
    elif kind == 1:
        values = rng.random((n, columns))
    else:
        values = np.round(np.exp(2 * rng.standard_normal((n, columns))), 1) + 1000.0 * rng.integers(0, 2)
    return letters_of(ranges, values, norm)


def radius(points: np.ndarray, codeword: str, norm: float) -> float:
    """Largest distance to the codeword; Chebyshev centres for one column, l_inf, and the plane's l_1 and l_2."""
    if codeword == "centroid":
        return float(np.linalg.norm(points - points.mean(axis=0), norm, axis=1).max())
    if codeword == "medoid":
        return float(min(np.linalg.norm(points - c, norm, axis=1).max() for c in points))
    if points.shape[1] == 1 or norm == np.inf:
        return float(np.ptp(points, axis=0).max() / 2)
    if norm == 1:
        return float(max(np.ptp(points.sum(axis=1)), np.ptp(points[:, 0] - points[:, 1])) / 2)
    best = np.inf
    centres = [points[0]] + [(a + b) / 2 for a, b in itertools.combinations(points, 2)]
    for a, b, c in itertools.combinations(points, 3):
        system = 2 * np.array([b - a, c - a])
        if abs(np.linalg.det(system)) > 1e-12:
            centres.append(np.linalg.solve(system, [b @ b - a @ a, c @ c - a @ a]))
    for z in centres:
        best = min(best, np.linalg.norm(points - z, axis=1).max())
    return float(best)


def seen_in(letters: Letters, members: Iterable[int]) -> set[int]:
    """The distinct s of a set of letters."""
    return {int(s) for i in members for s in letters.range_of(int(i))}


def blocks_of(block_of: np.ndarray) -> list[np.ndarray]:
    """The members of every block, blocks by their name and members in order."""
    order = np.argsort(block_of, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(block_of[order])) + 1)


def price_of(letters: Letters, block_of: np.ndarray, cost: str) -> float:
    """What a partition costs, block by block; cost "size" or a codeword."""
    blocks = blocks_of(block_of)
    if cost == "size":
        return float(max(map(len, blocks)))
    return max(radius(required_values(letters)[block], cost, letters.norm) for block in blocks)


def swept_policy(letters: Letters, k: int) -> np.ndarray:
    """A policy with k distinct s in every block: letters in the order of their first column, cut as soon as k are seen.

    What is left at the end joins the last block. Any policy bounds the least cost from above, and a contiguous one also
    what a search over contiguous policies may return.
    """
    place = np.arange(letters.n) if letters.values is None else letters.values[:, 0]
    order = np.argsort(place, kind="stable").tolist()
    blocks: list[list[int]] = [[]]
    seen: set[int] = set()
    for letter in order:
        if len(seen) >= k:
            blocks.append([])
            seen = set()
        blocks[-1].append(letter)
        seen |= seen_in(letters, [letter])
    if len(blocks) > 1 and len(seen) < k:
        rest = blocks.pop()
        blocks[-1] += rest
    block_of = np.empty(letters.n, np.int64)
    for block in blocks:
        block_of[block] = min(block)
    return block_of


def optima(letters: Letters, cost: str) -> dict[int, float]:
    """{k: least cost over all partitions whose blocks have k distinct s}; cost "size" or a codeword.

    Every partition is a block with the lowest letter and a partition of the rest, so subsets suffice.
    """
    n = letters.n
    sets = [frozenset(letters.range_of(i).tolist()) for i in range(n)]
    seen, price = [0] * (1 << n), [0.0] * (1 << n)
    for mask in range(1, 1 << n):
        members = [i for i in range(n) if mask >> i & 1]
        seen[mask] = len(frozenset().union(*(sets[i] for i in members)))
        price[mask] = len(members) if cost == "size" else radius(required_values(letters)[members], cost, letters.norm)
    out = {}
    for k in range(1, letters.n_s + 1):
        best = [0.0] + [np.inf] * ((1 << n) - 1)
        for mask in range(1, 1 << n):
            lowest = mask & -mask
            rest = mask ^ lowest
            sub = rest
            while True:
                block = sub | lowest
                if seen[block] >= k and price[block] < best[mask]:
                    best[mask] = min(best[mask], max(price[block], best[mask ^ block]))
                if sub == 0:
                    break
                sub = (sub - 1) & rest
        out[k] = best[-1]
    return out


def partitions(n: int) -> Iterator[np.ndarray]:
    """Every partition of n letters, each block named by its lowest letter."""

    def grow(prefix: list[int]) -> Iterator[list[int]]:
        if len(prefix) == n:
            yield prefix
            return
        for name in sorted(set(prefix)):
            yield from grow([*prefix, name])
        yield from grow([*prefix, len(prefix)])

    for names in grow([]):
        yield np.array(names, np.int64)


def count_components(letters: Letters, block_of: np.ndarray) -> int:
    """Components of the graph of blocks and s, by repeated merging of sets."""
    groups: list[set[int]] = []
    for b in set(block_of.tolist()):
        union = set().union(*(letters.range_of(int(i)).tolist() for i in np.flatnonzero(block_of == b)))
        touching = [g for g in groups if g & union]
        groups = [g for g in groups if not g & union] + [union.union(*touching)]
    return len(groups)
