# mypy: ignore-errors
"""Compiled: blocks of letters, what a block's distortion is, and what joining two would make it.

Costs are in lattice steps (see `whole_values.py`): whole numbers divided by whole numbers, one rounding each, so a
cost does not depend on the order in which a block was put together.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper
from discreet.search._kernels.geometry import ball_radius
from discreet.search._kernels.random import mix
from discreet.search._kernels.sorting import sort_by

SIZE, CENTROID, MEDOID, BOX, BALL = 0, 1, 2, 3, 4


class Blocks(NamedTuple):
    """State of all blocks, by the block's name (its lowest letter)."""

    # SIZE, CENTROID, MEDOID, BOX (Chebyshev where the midrange is the centre) or BALL (Chebyshev, l_2).
    kind: int
    norm: int  # 1, 2, or 0 for the maximum norm
    points: Any  # int64[n, d]: letters on the lattice
    low: Any  # int64[n, d]: bounding box
    high: Any
    total: Any  # int64[n, d]: sum of the points
    count: Any  # int64[n]: letters in the block
    following: Any  # int64[n]: next member of the block, -1 at the end; a block's list starts at its name
    last: Any  # int64[n]: last member
    own: Any  # float64[n]: the block's distortion in lattice steps
    child: Any  # int64[n, 2] treap of the members in value order (MEDOID of one column only)
    root: Any  # int64[n]


def new_blocks(kind: int, norm: int, points: Any) -> Blocks:
    """Every letter a block of its own."""
    n, d = points.shape
    treap = n if kind == MEDOID and d == 1 else 0
    names = np.arange(n, dtype=np.int64)
    return Blocks(
        kind,
        norm,
        points,
        points.copy(),
        points.copy(),
        points.copy(),
        np.ones(n, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        names.copy(),
        np.zeros(n),
        np.full((treap, 2), -1, dtype=np.int64),
        names[:treap].copy(),
    )


@helper
def _insert(child, points, root, x):
    """Insert letter x into the treap at `root`, ordered by (value, letter); returns the new root."""
    parent, side, node = -1, 0, root
    priority = mix(x)
    while node >= 0 and mix(node) >= priority:
        parent = node
        side = 1 if (points[node, 0], node) < (points[x, 0], x) else 0
        node = child[node, side]
    left, left_side, right, right_side = x, 0, x, 1
    while node >= 0:  # split what hangs below into what precedes x and what follows it
        if (points[node, 0], node) < (points[x, 0], x):
            child[left, left_side] = node
            left, left_side, node = node, 1, child[node, 1]
        else:
            child[right, right_side] = node
            right, right_side, node = node, 0, child[node, 0]
    child[left, left_side] = -1
    child[right, right_side] = -1
    if parent < 0:
        return x
    child[parent, side] = x
    return root


@helper
def _off_middle(child, points, root, low, high):
    """Twice the distance from the middle of [low, high] to the nearest value in a treap."""
    nearest = np.int64(2) ** 62
    node = root
    while node >= 0:
        off = 2 * points[node, 0] - low - high
        nearest = min(nearest, abs(off))
        node = child[node, 1] if off < 0 else child[node, 0]
    return nearest


@helper
def _length(norm, points, x, y):
    """Distance between two letters; squared for l_2."""
    length = 0.0
    for j in range(points.shape[1]):
        t = abs(float(points[x, j] - points[y, j]))
        length = max(length, t) if norm == 0 else length + (t * t if norm == 2 else t)
    return length


@helper
def _centroid_cost(blocks, a, b, limit):
    """Largest distance to the mean of a and b together, several columns."""
    norm = blocks.norm
    count = blocks.count[a] + blocks.count[b]
    scale = float(count) * float(count) if norm == 2 else float(count)
    enough = limit * limit * scale * (1 + 1e-9) if norm == 2 else limit * scale * (1 + 1e-9)
    farthest = 0.0
    for start in (a, b):
        x = start
        while x >= 0:
            length = 0.0
            for j in range(blocks.points.shape[1]):
                # Whole numbers until here: count times (x - mean).
                t = abs(float(count * blocks.points[x, j] - blocks.total[a, j] - blocks.total[b, j]))
                length = max(length, t) if norm == 0 else length + (t * t if norm == 2 else t)
            farthest = max(farthest, length)
            if farthest > enough:
                return np.inf
            x = blocks.following[x]
    return np.sqrt(farthest / scale) if norm == 2 else farthest / scale


@helper
def _medoid_cost(blocks, a, b, limit):
    """Least, over the letters of a and b together, of the largest distance to the others, several columns."""
    least = limit * limit if blocks.norm == 2 else limit
    least *= 1 + 1e-9
    found = False
    for start in (a, b):
        x = start
        while x >= 0:
            farthest = 0.0
            for other in (a, b):
                y = other
                while y >= 0 and farthest <= least:
                    farthest = max(farthest, _length(blocks.norm, blocks.points, x, y))
                    y = blocks.following[y]
            if farthest <= least:
                least, found = farthest, True
            x = blocks.following[x]
    if not found:
        return np.inf
    return np.sqrt(least) if blocks.norm == 2 else least


@helper
def pair_cost(blocks, a, b, limit):
    """What a and b cost as one block: their letters for SIZE, else d-bar(a ∪ b) [AC, V-A] in lattice steps.

    A cost above `limit` may come back as infinity.
    """
    if blocks.kind == SIZE:
        return float(blocks.count[a] + blocks.count[b])
    if blocks.kind == BOX:
        widest = np.int64(0)
        for j in range(blocks.points.shape[1]):
            widest = max(widest, max(blocks.high[a, j], blocks.high[b, j]) - min(blocks.low[a, j], blocks.low[b, j]))
        return float(widest) / 2.0
    if blocks.kind == BALL:
        return _ball_cost(blocks, a, b)
    if blocks.points.shape[1] > 1:
        return _centroid_cost(blocks, a, b, limit) if blocks.kind == CENTROID else _medoid_cost(blocks, a, b, limit)
    low = min(blocks.low[a, 0], blocks.low[b, 0])
    high = max(blocks.high[a, 0], blocks.high[b, 0])
    if blocks.kind == CENTROID:
        total, count = blocks.total[a, 0] + blocks.total[b, 0], blocks.count[a] + blocks.count[b]
        return float(max(total - count * low, count * high - total)) / float(count)
    off = min(
        _off_middle(blocks.child, blocks.points, blocks.root[a], low, high),
        _off_middle(blocks.child, blocks.points, blocks.root[b], low, high),
    )
    return float((high - low + off) // 2)


@helper
def _ball_cost(blocks, a, b):
    """Radius of the smallest Euclidean ball; members in letter order, so that it does not depend on the
    merges.
    """
    members = np.empty(blocks.count[a] + blocks.count[b], dtype=np.int64)
    size = np.int64(0)
    for start in (a, b):
        x = start
        while x >= 0:
            members[size] = x
            size += 1
            x = blocks.following[x]
    ordered, places = np.empty(size, np.int64), np.arange(size)
    sort_by(places, members)
    for i in range(size):
        ordered[i] = members[places[i]]
    return ball_radius(blocks.points, ordered, size)


@helper
def join(blocks, a, b):
    """Make a and b (a < b) one block, named a."""
    if blocks.kind != SIZE:
        blocks.own[a] = pair_cost(blocks, a, b, np.inf)
    for j in range(blocks.points.shape[1]):
        blocks.low[a, j] = min(blocks.low[a, j], blocks.low[b, j])
        blocks.high[a, j] = max(blocks.high[a, j], blocks.high[b, j])
        blocks.total[a, j] += blocks.total[b, j]
    if len(blocks.root) > 0:
        small, root = (a, blocks.root[b]) if blocks.count[a] < blocks.count[b] else (b, blocks.root[a])
        x = small
        while x >= 0:
            root = _insert(blocks.child, blocks.points, root, x)
            x = blocks.following[x]
        blocks.root[a] = root
    blocks.count[a] += blocks.count[b]
    blocks.following[blocks.last[a]] = b
    blocks.last[a] = blocks.last[b]


@helper
def largest_own(heap, own, alive):
    """The largest distortion of a live block: `heap` holds (-distortion, block), dropped here when out of
    date.
    """
    while len(heap) > 0:
        cost, block = heap[0]
        if alive[block] and own[block] == -cost:
            return -cost
        heapq.heappop(heap)
    return 0.0
