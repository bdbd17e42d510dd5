"""Compiled constructions that join components: cyclic by size, sweeps and annealing by distance."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.graph import find
from discreet.search._kernels.random import below, new_stream, uniform


@kernel
def sweep(x, component, c, width):
    """Contiguous blocks of at most `width`, and the number of components left.

    From a block's first letter the block reaches as far as the width allows. It is then cut at the farthest edge,
    short of that, which keeps the number of components it joins: the letters behind the edge belong to components
    already joined, so the next block, starting with one of them, joins its own to the same cluster.
    """
    n = len(x)
    parent = np.arange(c)
    labels = np.empty(n, np.int64)
    left = c
    j, block = 0, 0
    fresh = np.zeros(n, np.bool_)
    while j < n:
        i = j
        last_fresh = j
        while i < n and x[i] - x[j] <= width:
            a, b = find(parent, component[j]), find(parent, component[i])
            fresh[i] = a != b
            if a != b:
                parent[b] = a
                left -= 1
                last_fresh = i
            i += 1
        end = i
        if i < n and last_fresh < i - 1:
            end = i - 1
        labels[j:end] = block
        block += 1
        j = end
    return labels, left


@kernel
def fewest_within(x, component, c, width):
    """See `_components.fewest_within`."""
    n = len(x)
    parent = np.arange(c)
    graph = c
    stamp = np.full(c, -1, np.int64)
    joins = 0
    g = 0
    j = 0
    while j < n:
        i = j
        distinct, blocks = 0, 0
        block_start = -np.inf
        while i < n and (i == j or x[i] - x[i - 1] <= width):
            if stamp[component[i]] != g:
                stamp[component[i]] = g
                distinct += 1
            if x[i] - block_start > width:
                blocks += 1
                block_start = x[i]
            a, b = find(parent, component[j]), find(parent, component[i])
            if a != b:
                parent[b] = a
                graph -= 1
            i += 1
        joins += min(i - j - blocks, distinct - 1)
        j = i
        g += 1
    return max(graph, c - joins)


@helper
def _count_left(component, c, labels, blocks, parent, owner):
    for t in range(c):
        parent[t] = t
    for b in range(blocks):
        owner[b] = -1
    left = c
    for i in range(len(labels)):
        if owner[labels[i]] < 0:
            owner[labels[i]] = component[i]
        else:
            a, b = find(parent, owner[labels[i]]), find(parent, component[i])
            if a != b:
                parent[b] = a
                left -= 1
    return left


@kernel
def join_annealed(x, component, c, labels, width, goal, steps, seed):
    """Move single letters between blocks, no block wider than `width`, towards `goal` components left."""
    n = len(x)
    state = new_stream(seed)
    blocks = n
    labels = labels.copy()
    low = np.full(blocks, np.inf)
    high = np.full(blocks, -np.inf)
    for i in range(n):
        low[labels[i]] = min(low[labels[i]], x[i])
        high[labels[i]] = max(high[labels[i]], x[i])
    parent = np.empty(c, np.int64)
    owner = np.empty(blocks, np.int64)
    left = _count_left(component, c, labels, blocks, parent, owner)
    best, best_left = labels.copy(), left
    # A move is worth one component or none, so the work of counting decides: O(n) per step, steps scaled to match.
    tries = min(steps, 40_000_000 // n)
    heat = 0.5
    cooling = (0.05 / heat) ** (1.0 / max(1, tries))
    for _step in range(tries):
        if best_left <= goal:
            break
        heat *= cooling
        i = below(state, n)
        reach = 1
        while reach < 64 and uniform(state) < 0.7:
            reach += 1
        j = i + reach if uniform(state) < 0.5 else i - reach
        if j < 0 or j >= n or labels[j] == labels[i]:
            continue
        a, b = labels[i], labels[j]
        if max(high[b], x[i]) - min(low[b], x[i]) > width:
            continue
        labels[i] = b
        now = _count_left(component, c, labels, blocks, parent, owner)
        if now > left and uniform(state) >= np.exp((left - now) / heat):
            labels[i] = a
            continue
        left = now
        low[b] = min(low[b], x[i])
        high[b] = max(high[b], x[i])
        low[a], high[a] = np.inf, -np.inf
        for t in range(n):
            if labels[t] == a:
                low[a] = min(low[a], x[t])
                high[a] = max(high[a], x[t])
        if left < best_left:
            best, best_left = labels.copy(), left
    return best, best_left
