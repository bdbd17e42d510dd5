# mypy: ignore-errors
"""Compiled: Algorithm 2 of [AC] for U1, and the log that Algorithm 2 and problem (7) share.

The algorithm joins blocks of different components until one component is left.

Blocks of different components have disjoint ranges, so the distinct s of a union are the sum. SPEC 3: the
cheapest pair; ties: the larger two components (larger first, then smaller), then the earliest elements.
"""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit

from discreet.search._kernels.graph import components_of, find, unite
from discreet.search.ranges._greedy.blocks import SIZE, join, largest_own


@njit(cache=True)
def note(log, distortion, t, blocks, distinct, tally, a, b, alive, widest):
    """Join a and b (a < b) and write row t of the log: (merges, fewest distinct s, components, largest
    block).
    """
    join(blocks, a, b)
    alive[b] = False
    tally[distinct[a]] -= 1
    tally[distinct[b]] -= 1
    distinct[a] += distinct[b]
    tally[distinct[a]] += 1
    fewest = log[t - 1, 1]
    while tally[fewest] == 0:
        fewest += 1
    log[t, 0], log[t, 1], log[t, 2] = t, fewest, log[t - 1, 2] - 1
    log[t, 3] = max(log[t - 1, 3], blocks.count[a])
    if blocks.kind != SIZE:
        heapq.heappush(widest, (-blocks.own[a], a))
    distortion[t] = largest_own(widest, blocks.own, alive)


@njit(cache=True)
def start(indptr, n_s, components):
    """Empty logs and the tally of blocks by distinct s."""
    n = len(indptr) - 1
    distinct = np.diff(indptr)
    tally = np.zeros(n_s + 1, dtype=np.int64)
    for x in range(n):
        tally[distinct[x]] += 1
    log = np.zeros((components, 4), dtype=np.int64)
    log[0, 1], log[0, 2], log[0, 3] = distinct.min(), components, 1
    alive = np.ones(n, dtype=np.bool_)
    return distinct, tally, log, np.zeros(components), alive, np.zeros((components - 1, 2), dtype=np.int64)


@njit(cache=True)
def meld(left, right, key, a, b):
    """Two skew heaps of blocks as one, ordered by (key, name); -1 is the empty heap."""
    if a < 0 or b < 0:
        return max(a, b)
    if (key[b], b) < (key[a], a):
        a, b = b, a
    top = a
    while True:
        below = right[a]
        right[a] = left[a]
        if below < 0:
            left[a] = b
            return top
        if (key[b], b) < (key[below], below):
            below, b = b, below
        left[a] = below
        a = below


@njit(cache=True)
def join_components_by_size(blocks, indptr, indices, n_s):
    """[AC, Alg 2] for U1.

    The pair to merge is always the smallest blocks of the first two components in the order (size of the
    smallest block, most letters, earliest such block): a heap of components, each with a meldable heap of
    blocks.
    """
    n = len(indptr) - 1
    parent, weight, components = components_of(indptr, indices, n_s, np.arange(n))
    distinct, tally, log, distortion, alive, pairs = start(indptr, n_s, components)
    widest = [(0.0, np.int64(0))]
    size = np.ones(n, dtype=np.int64)
    left, right = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    top = np.full(n, -1, dtype=np.int64)
    for x in range(n - 1, -1, -1):  # a descending chain is a heap already: all sizes are one
        component = find(parent, x)
        left[x], top[component] = top[component], x
    queue = [(np.int64(1), -weight[c], top[c], c) for c in range(n) if parent[c] == c]
    heapq.heapify(queue)
    for t in range(1, components):
        _, _, x, one = heapq.heappop(queue)
        _, _, y, two = heapq.heappop(queue)
        rest_x = meld(left, right, size, left[x], right[x])
        rest_y = meld(left, right, size, left[y], right[y])
        a, b = min(x, y), max(x, y)
        pairs[t - 1, 0], pairs[t - 1, 1] = a, b
        size[a] += size[b]
        left[a], right[a] = -1, -1
        component = unite(parent, weight, one, two)
        top[component] = meld(left, right, size, meld(left, right, size, rest_x, rest_y), a)
        x = top[component]
        heapq.heappush(queue, (size[x], -weight[component], x, component))
        note(log, distortion, t, blocks, distinct, tally, a, b, alive, widest)
    return pairs, log, distortion
