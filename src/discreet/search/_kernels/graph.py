# mypy: ignore-errors
"""Compiled: union-find, and the connected components of a support [AC, Lemma 2]."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel


@kernel
def find(parent, x):
    """The representative of x, halving the way there."""
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@helper
def unite(parent, weight, x, y):
    """Join two representatives; the heavier stays. Returns it."""
    if weight[x] < weight[y]:
        x, y = y, x
    parent[y] = x
    weight[x] += weight[y]
    return x


@helper
def _connect(parent, weight, x, y):
    """Join the components of x and y; how many there are fewer: one or none."""
    one, two = find(parent, x), find(parent, y)
    if one == two:
        return 0
    unite(parent, weight, one, two)
    return 1


@kernel
def components_of(indptr, indices, n_s, block_of):
    """Components of the bipartite graph of blocks and s: (parent, letters in each, how many).

    `parent` is a union-find of the letters, `block_of` any labels below n; `np.arange(n)` is the support itself.
    """
    n = len(block_of)
    parent, weight = np.arange(n), np.ones(n, dtype=np.int64)
    earliest, holder = np.full(n, -1, dtype=np.int64), np.full(n_s, -1, dtype=np.int64)
    count = n
    for x in range(n):
        if earliest[block_of[x]] < 0:
            earliest[block_of[x]] = x
        else:
            count -= _connect(parent, weight, x, earliest[block_of[x]])
        for e in range(indptr[x], indptr[x + 1]):
            if holder[indices[e]] < 0:
                holder[indices[e]] = x
            else:
                count -= _connect(parent, weight, x, holder[indices[e]])
    return parent, weight, count


@kernel
def component_labels(parent):
    """The component of each element, numbered by its earliest element."""
    number = np.full(len(parent), -1, dtype=np.int64)
    labels = np.empty(len(parent), dtype=np.int64)
    count = 0
    for x in range(len(parent)):
        root = find(parent, x)
        if number[root] < 0:
            number[root] = count
            count += 1
        labels[x] = number[root]
    return labels
