# mypy: ignore-errors
"""Compiled: small structures that the merging kernels share: a hash, union-find, a tally of minima, a
meldable heap.
"""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit


@njit(cache=True)
def mix(x):
    """A fixed scramble of a whole number to 64 bits (splitmix64)."""
    z = (np.uint64(x) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def find(parent, x):
    """The representative of x, halving the way there."""
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@njit(cache=True)
def unite(parent, weight, x, y):
    """Join two representatives; the heavier stays. Returns it."""
    if weight[x] < weight[y]:
        x, y = y, x
    parent[y] = x
    weight[x] += weight[y]
    return x


@njit(cache=True)
def components_of(indptr, indices, n_s):
    """Components of the bipartite graph of the support [AC, Lemma 2]: (parent, letters in each, how many)."""
    n = len(indptr) - 1
    parent, weight = np.arange(n), np.ones(n, dtype=np.int64)
    holder = np.full(n_s, -1, dtype=np.int64)
    components = n
    for x in range(n):
        for element in range(indptr[x], indptr[x + 1]):
            s = indices[element]
            if holder[s] < 0:
                holder[s] = x
                continue
            one, two = find(parent, x), find(parent, holder[s])
            if one != two:
                unite(parent, weight, one, two)
                components -= 1
    return parent, weight, components


@njit(cache=True)
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
