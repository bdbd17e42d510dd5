# mypy: ignore-errors
"""Compiled: Algorithm 2 of [AC] for U2, level by level of cost.

Every block keeps a lower bound on its cheapest merge with another component, in the queue `waiting`. The
blocks at the least cost, the level, are taken out together, and the pairs among them that tie are ordered by
SPEC 3: largest two components, then earliest elements. Component sizes change all the time, but: the first
pair taken joins the largest component that has a tie, and the result, the hub, is larger still. While the hub
has ties its pairs come first, in the order of the other side's size, and no other component changes. When it
has none left, the best of the rest makes the next hub.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from discreet.search._kernels.graph import components_of, find, unite
from discreet.search.ranges._greedy.coincident import join_coincident, sites_of, twins_of
from discreet.search.ranges._greedy.joining import note, start
from discreet.search.ranges._greedy.tree import EMPTY, build_tree, cheapest_apart, new_scratch, replace, show


class Search(NamedTuple):
    """What is known of each block's cheapest merges."""

    parent: Any  # union-find of the components
    weight: Any  # letters in a component, by representative
    alive: Any
    cost: Any  # float64[n]: lower bound on the cheapest merge
    version: Any  # int64[n]: of the block's entry in a queue; older entries are void
    partner: Any  # int64[n]: the cheapest (largest component, earliest); -1 if it is to be looked for
    partner_size: Any  # int64[n]: the partner's letters then; a block that merges keeps its name, but grows
    seen: Any  # int64[n]: the merge before which it was looked for
    ties: Any  # int64[n]: scratch
    scratch: Any


@njit(cache=True)
def _look(search, blocks, tree, waiting, x, t):
    """Find x's cheapest merge. Blocks that x ties with and that do not know yet are told."""
    parent, weight = search.parent, search.weight
    many, cost = cheapest_apart(blocks, tree, x, parent, search.ties, search.scratch)
    best, largest = np.int64(-1), np.int64(0)
    for i in range(many):
        y = search.ties[i]
        z = weight[find(parent, y)]
        if best < 0 or z > largest or (z == largest and y < best):
            best, largest = y, z
        if t > 0 and search.cost[y] > cost:
            search.cost[y] = cost
            search.partner[y] = -1
            search.version[y] += 1
            heapq.heappush(waiting, (cost, y, search.version[y]))
    search.cost[x], search.partner[x], search.seen[x] = cost, best, t
    search.partner_size[x] = blocks.count[best]
    search.version[x] += 1


@njit(cache=True)
def _stands(search, blocks, x):
    """Whether x's partner is still the block it was, in another component."""
    y = search.partner[x]
    if y < 0 or not search.alive[y] or blocks.count[y] != search.partner_size[x]:
        return False
    return find(search.parent, y) != find(search.parent, x)


@njit(cache=True)
def _wait(search, waiting, x):
    search.version[x] += 1
    heapq.heappush(waiting, (search.cost[x], x, search.version[x]))


@njit(cache=True)
def _line_up(search, hub, hub_queue, rest_queue, x):
    """Enter x and its partner among the pairs that tie at the level."""
    parent, weight = search.parent, search.weight
    y = search.partner[x]
    z_x, z_y = weight[find(parent, x)], weight[find(parent, y)]
    a, b = min(x, y), max(x, y)
    search.version[x] += 1
    if find(parent, x) == hub:
        heapq.heappush(hub_queue, (-z_y, a, b, x, search.version[x]))
    else:
        heapq.heappush(rest_queue, (-max(z_x, z_y), -min(z_x, z_y), a, b, x, search.version[x]))


@njit(cache=True)
def _enlist(first, following, in_list, listed, component, x):
    """Put x on its component's list of blocks at the level."""
    if not in_list[x]:
        in_list[x] = True
        following[x], first[component] = first[component], x
        listed.append(x)


@njit(cache=True)
def _disband(first, in_list, listed, at_level, parent):
    """The level is over: clear every list."""
    for x in listed:
        at_level[x] = False
        in_list[x] = False
        first[find(parent, x)] = -1
    listed.clear()


@njit(cache=True)
def join_components_by_distortion(blocks, indptr, indices, n_s, exact):
    """[AC, Alg 2] for U2: the pairs merged, a log row a merge (see `note`), distortions in lattice steps."""
    n = len(indptr) - 1
    parent, weight, components = components_of(indptr, indices, n_s, np.arange(n))
    distinct, tally, log, distortion, alive, pairs = start(indptr, n_s, components)
    widest = [(0.0, np.int64(0))]
    site, sites = sites_of(blocks.points)
    t = join_coincident(blocks, site, sites, parent, weight, distinct, tally, log, distortion, alive, pairs, widest)
    if t == components:
        return pairs, log, distortion
    twin, hidden = twins_of(blocks, site, alive)
    labels = np.full(n, EMPTY, dtype=np.int64)
    for x in range(n):
        if alive[x] and not hidden[x]:
            labels[x] = find(parent, x)
    tree = build_tree(blocks, labels, exact)
    search = Search(
        parent,
        weight,
        alive,
        np.full(n, np.inf),
        np.zeros(n, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        new_scratch(),
    )
    waiting = [(0.0, np.int64(0), np.int64(0)) for _ in range(0)]
    for x in range(n):
        if labels[x] != EMPTY:
            _look(search, blocks, tree, waiting, x, 0)
            search.seen[x] = t
            waiting.append((search.cost[x], x, search.version[x]))
    heapq.heapify(waiting)
    hub_queue = [(np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)) for _ in range(0)]
    rest_queue = [(np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)) for _ in range(0)]
    level, hub = -1.0, np.int64(-1)
    at_level = np.zeros(n, dtype=np.bool_)  # in hub_queue or rest_queue
    first, following = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)  # those, by component
    in_list = np.zeros(n, dtype=np.bool_)
    listed = [np.int64(0) for _ in range(0)]
    while t < components:
        while len(waiting) > 0 and (not alive[waiting[0][1]] or search.version[waiting[0][1]] != waiting[0][2]):
            heapq.heappop(waiting)
        if level < 0.0:
            least, x, _ = waiting[0]
            if not _stands(search, blocks, x):
                heapq.heappop(waiting)
                _look(search, blocks, tree, waiting, x, t)
                _wait(search, waiting, x)
                continue
            level, hub = least, -1
        if len(waiting) > 0 and waiting[0][0] < level:
            # A merge has made something cheaper than the level (a centroid may move back): start again from
            # there.
            for x in listed:
                if at_level[x]:
                    search.cost[x] = min(search.cost[x], level)
                    _wait(search, waiting, x)
            _disband(first, in_list, listed, at_level, parent)
            hub_queue.clear()
            rest_queue.clear()
            level = -1.0
            continue
        if len(waiting) > 0 and waiting[0][0] == level:
            x = heapq.heappop(waiting)[1]
            if search.seen[x] != t or not _stands(search, blocks, x):
                _look(search, blocks, tree, waiting, x, t)
            if search.cost[x] != level:
                _wait(search, waiting, x)
                continue
            at_level[x] = True
            _enlist(first, following, in_list, listed, find(parent, x), x)
            _line_up(search, hub, hub_queue, rest_queue, x)
            continue
        # Everything that ties at the level is in line: take the best.
        if hub >= 0 and len(hub_queue) > 0:
            _, _, _, x, version = heapq.heappop(hub_queue)
        elif len(rest_queue) > 0:
            hub = -1
            _, _, _, _, x, version = heapq.heappop(rest_queue)
        else:
            _disband(first, in_list, listed, at_level, parent)
            level = -1.0
            continue
        if not alive[x] or search.version[x] != version:
            continue
        if not _stands(search, blocks, x):
            _look(search, blocks, tree, waiting, x, t)
            if search.cost[x] == level:
                _line_up(search, hub, hub_queue, rest_queue, x)
            else:
                at_level[x] = False
                _wait(search, waiting, x)
            continue
        y = search.partner[x]
        if hub < 0:  # sizes may have changed under an earlier hub: is this still the best of the rest?
            z_x, z_y = weight[find(parent, x)], weight[find(parent, y)]
            key = (-max(z_x, z_y), -min(z_x, z_y), min(x, y), max(x, y), x, version)
            if len(rest_queue) > 0 and rest_queue[0] < key:
                heapq.heappush(rest_queue, key)
                continue
        a, b = min(x, y), max(x, y)
        pairs[t - 1, 0], pairs[t - 1, 1] = a, b
        one, two = find(parent, x), find(parent, y)
        # Blocks at the level that were not the hub's: their pairs are now the hub's, whose own list stays as
        # it is.
        newcomers = (first[one] if one != hub else -1, first[two] if two != hub else -1)
        kept = first[hub] if hub >= 0 else -1
        first[one], first[two] = -1, -1
        hub = unite(parent, weight, one, two)
        first[hub] = kept
        note(log, distortion, t, blocks, distinct, tally, a, b, alive, widest)
        replace(blocks, tree, a, b, hub)
        at_level[a], at_level[b] = False, False
        t += 1
        for x in (a, b):  # whose twins come into sight
            revealed, twin[x] = twin[x], -1
            if revealed >= 0:
                show(blocks, tree, revealed, hub)
                _look(search, blocks, tree, waiting, revealed, t)
                _wait(search, waiting, revealed)
        _look(search, blocks, tree, waiting, a, t)
        _wait(search, waiting, a)
        for x in newcomers:
            while x >= 0:
                upcoming = following[x]
                in_list[x] = False
                if at_level[x]:
                    if not _stands(search, blocks, x):
                        _look(search, blocks, tree, waiting, x, t)
                    if search.cost[x] == level:
                        _enlist(first, following, in_list, listed, hub, x)
                        _line_up(search, hub, hub_queue, rest_queue, x)
                    else:
                        at_level[x] = False
                        _wait(search, waiting, x)
                x = upcoming
    return pairs, log, distortion
