# mypy: ignore-errors
"""Compiled: Algorithm 2 of [AC] for U1, the merges of U2 that cost nothing, and the log that Algorithm 2 and problem (7) share.

The algorithm joins blocks of different components until one component is left.

Blocks of different components have disjoint ranges, so the distinct s of a union are the sum. SPEC 3: the
cheapest pair; ties: the larger two components (larger first, then smaller), then the earliest elements.

Values repeated k times have k² pairs at cost 0, so these are not looked at one by one. A site is a value. A component can
merge at no cost with any that it shares a site with; the one that results, the hub, is the largest of those that can still
merge until it has none left to merge with, and meanwhile no other changes: so the components at a site, in the order (most
letters, earliest block), are merged into the hub from the front.
"""

from __future__ import annotations

import heapq

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.graph import components_of, find, unite
from discreet.search.ranges._greedy.blocks import SIZE, join, largest_own


@helper
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


@helper
def start(indptr, n_s, components):
    """Empty logs and the tally of blocks by distinct s."""
    n = len(indptr) - 1
    distinct = np.empty(n, np.int64)
    for x in range(n):
        distinct[x] = indptr[x + 1] - indptr[x]
    tally = np.zeros(n_s + 1, dtype=np.int64)
    for x in range(n):
        tally[distinct[x]] += 1
    log = np.zeros((components, 4), dtype=np.int64)
    log[0, 1], log[0, 2], log[0, 3] = distinct.min(), components, 1
    alive = np.ones(n, dtype=np.bool_)
    return distinct, tally, log, np.zeros(components), alive, np.zeros((components - 1, 2), dtype=np.int64)


@helper
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


@kernel
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


@helper
def sites_of(points):
    """The site of each letter, and how many there are."""
    n, d = points.shape
    order = np.arange(n)
    for j in range(d):
        order = order[np.argsort(points[order, j], kind="mergesort")]
    site = np.zeros(n, dtype=np.int64)
    sites = 1
    for i in range(1, n):
        for j in range(d):
            if points[order[i], j] != points[order[i - 1], j]:
                sites += 1
                break
        site[order[i]] = sites - 1
    return site, sites


@helper
def _next_other(entries, position, end, parent, component):
    """The first place from `position` on that holds a letter of another component; `end` if none."""
    while position < end and find(parent, entries[position]) == component:
        position += 1
    return position


@helper
def join_coincident(blocks, site, sites, parent, weight, distinct, tally, log, distortion, alive, pairs, widest):
    """Make all merges that cost nothing; returns the number of the first merge not made, from 1."""
    n, components = len(site), len(log)
    t = 1
    root = np.empty(n, dtype=np.int64)
    for x in range(n):
        root[x] = find(parent, x)
    # By site, then by letters of the component (descending), then by letter: stable sorts, last key first.
    entries = np.argsort(-weight[root], kind="mergesort")
    entries = entries[np.argsort(site[entries], kind="mergesort")]
    start = np.zeros(sites + 1, dtype=np.int64)
    for x in range(n):
        start[site[x] + 1] += 1
    start = np.cumsum(start)
    member, following = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    for x in range(n):
        following[x], member[root[x]] = member[root[x]], x
    waiting = [(np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)) for _ in range(0)]
    for v in range(sites):
        one = entries[start[v]]
        second = _next_other(entries, start[v], start[v + 1], parent, root[one])
        if second < start[v + 1]:
            two = entries[second]
            waiting.append((-weight[root[one]], -weight[root[two]], min(one, two), max(one, two), v))
    heapq.heapify(waiting)
    position = start[:-1].copy()
    earliest = np.full(sites, n, dtype=np.int64)  # of the hub's blocks at the site
    stamp = np.zeros(sites, dtype=np.int64)
    queue = [(np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)) for _ in range(0)]
    hub = np.int64(-1)
    while t < components:
        if len(queue) > 0:
            _, a, b, v, seen = heapq.heappop(queue)
            if seen != stamp[v]:
                continue
        elif len(waiting) > 0:
            _, _, a, b, v = heapq.heappop(waiting)
            hub = -1
        else:
            break
        one, two = find(parent, a), find(parent, b)
        if one == two:
            continue
        newcomers = (one if one != hub else -1, two if two != hub else -1)
        hub = unite(parent, weight, one, two)
        pairs[t - 1, 0], pairs[t - 1, 1] = a, b
        note(log, distortion, t, blocks, distinct, tally, a, b, alive, widest)
        t += 1
        for component in newcomers:  # a component that was never a hub consists of single letters still
            x = member[component] if component >= 0 else -1
            while x >= 0:
                earliest[site[x]] = min(earliest[site[x]], x)
                x = following[x]
        for component in newcomers:
            x = member[component] if component >= 0 else -1
            while x >= 0:
                v = site[x]
                position[v] = _next_other(entries, position[v], start[v + 1], parent, hub)
                stamp[v] += 1
                if position[v] < start[v + 1]:
                    y = entries[position[v]]
                    names = (min(earliest[v], y), max(earliest[v], y))
                    heapq.heappush(queue, (-weight[find(parent, y)], names[0], names[1], v, stamp[v]))
                x = following[x]
    return t


@helper
def twins_of(blocks, site, alive):
    """For each block the next of the same site and size, -1 if none; and whether one precedes it.

    After `join_coincident` all blocks at a site are in one component, so of blocks alike in site and size
    only the earliest can be chosen: the others may stay out of sight until it merges.
    """
    n = len(site)
    order = np.argsort(blocks.count, kind="mergesort")
    order = order[np.argsort(site[order], kind="mergesort")]
    twin, hidden = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    before = np.int64(-1)
    for x in order:
        if not alive[x]:
            continue
        if before >= 0 and site[before] == site[x] and blocks.count[before] == blocks.count[x]:
            twin[before], hidden[x] = x, True
        before = x
    return twin, hidden
