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

from discreet._compile import helper, kernel
from discreet.search._kernels.graph import components_of, find, unite
from discreet.search.ranges._greedy.joining import join_coincident, note, sites_of, start, twins_of
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


@helper
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


@helper
def _stands(search, blocks, x):
    """Whether x's partner is still the block it was, in another component."""
    y = search.partner[x]
    if y < 0 or not search.alive[y] or blocks.count[y] != search.partner_size[x]:
        return False
    return find(search.parent, y) != find(search.parent, x)


class Queues(NamedTuple):
    """Blocks by the cost of their cheapest merge, and the pairs that tie at the level; entries of old versions are void."""

    waiting: Any  # (cost, block, version)
    hub: Any  # pairs with a block of the hub: (-letters of the other component, a, b, block, version)
    rest: Any  # other pairs: (-larger component, -smaller component, a, b, block, version)


class Level(NamedTuple):
    """The cost at which pairs are merged now, and the blocks that have one: `queued`, and listed by component."""

    cost: Any  # float64[1]: -1 while there is no level
    hub: Any  # int64[1]: the component that merges, by representative; -1 if there is none
    queued: Any  # bool[n]: in the hub's queue or that of the rest
    first: Any  # int64[n]: by representative, the first block of the component's list; -1 if it is empty
    following: Any  # int64[n]: the next block of the list
    is_listed: Any  # bool[n]
    listed: Any  # list of all blocks that were


@helper
def _wait(search, queues, x):
    search.version[x] += 1
    heapq.heappush(queues.waiting, (search.cost[x], x, search.version[x]))


@helper
def _pair_key(search, x, version):
    """The place of x and its partner among the pairs of the rest: largest two components, then earliest elements."""
    y = search.partner[x]
    z_x, z_y = search.weight[find(search.parent, x)], search.weight[find(search.parent, y)]
    return (-max(z_x, z_y), -min(z_x, z_y), min(x, y), max(x, y), x, version)


@helper
def _line_up(search, queues, level, x):
    """Enter x and its partner among the pairs that tie at the level."""
    search.version[x] += 1
    key = _pair_key(search, x, search.version[x])
    if find(search.parent, x) == level.hub[0]:
        other = search.weight[find(search.parent, search.partner[x])]
        heapq.heappush(queues.hub, (-other, key[2], key[3], x, search.version[x]))
    else:
        heapq.heappush(queues.rest, key)


@helper
def _enlist(level, component, x):
    """Put x on its component's list of blocks at the level."""
    if not level.is_listed[x]:
        level.is_listed[x] = True
        level.following[x], level.first[component] = level.first[component], x
        level.listed.append(x)


@helper
def _close(search, level):
    """The level is over: clear every list."""
    for x in level.listed:
        level.queued[x] = False
        level.is_listed[x] = False
        level.first[find(search.parent, x)] = -1
    level.listed.clear()
    level.cost[0] = -1.0


@helper
def _open(search, blocks, tree, queues, level, t):
    """Begin the level of the cheapest merge, if the first block in the queue still knows its own."""
    least, x, _ = queues.waiting[0]
    if _stands(search, blocks, x):
        level.cost[0], level.hub[0] = least, -1
        return True
    heapq.heappop(queues.waiting)
    _look(search, blocks, tree, queues.waiting, x, t)
    _wait(search, queues, x)
    return False


@helper
def _start_over(search, queues, level):
    """A merge has made something cheaper than the level (a centroid may move back): everything waits again."""
    for x in level.listed:
        if level.queued[x]:
            search.cost[x] = min(search.cost[x], level.cost[0])
            _wait(search, queues, x)
    queues.hub.clear()
    queues.rest.clear()
    _close(search, level)


@helper
def _take_in(search, blocks, tree, queues, level, t):
    """The first block in the queue costs as much as the level: line it up, if it still does."""
    x = heapq.heappop(queues.waiting)[1]
    if search.seen[x] != t or not _stands(search, blocks, x):
        _look(search, blocks, tree, queues.waiting, x, t)
    if search.cost[x] != level.cost[0]:
        _wait(search, queues, x)
        return
    level.queued[x] = True
    _enlist(level, find(search.parent, x), x)
    _line_up(search, queues, level, x)


@helper
def _line_up_again(search, blocks, tree, queues, level, x, t):
    """Find x a partner anew; whether it still costs no more than the level."""
    if not _stands(search, blocks, x):
        _look(search, blocks, tree, queues.waiting, x, t)
    if search.cost[x] == level.cost[0]:
        return True
    level.queued[x] = False
    _wait(search, queues, x)
    return False


@helper
def _best_in_line(search, blocks, tree, queues, level, t):
    """The block whose pair is the best of the level, all that tie being in line; -1 where that is to be asked again."""
    if level.hub[0] >= 0 and len(queues.hub) > 0:
        _, _, _, x, version = heapq.heappop(queues.hub)
    elif len(queues.rest) > 0:
        level.hub[0] = -1
        _, _, _, _, x, version = heapq.heappop(queues.rest)
    else:
        _close(search, level)
        return np.int64(-1)
    if not search.alive[x] or search.version[x] != version:
        return np.int64(-1)
    if not _stands(search, blocks, x):
        if _line_up_again(search, blocks, tree, queues, level, x, t):
            _line_up(search, queues, level, x)
        return np.int64(-1)
    if level.hub[0] < 0:  # sizes may have changed under an earlier hub: is this still the best of the rest?
        key = _pair_key(search, x, version)
        if len(queues.rest) > 0 and queues.rest[0] < key:
            heapq.heappush(queues.rest, key)
            return np.int64(-1)
    return x


@helper
def _new_hub(search, level, x, y):
    """Join the components of x and y; returns the first blocks of the two lists whose pairs are now the hub's."""
    first, hub = level.first, level.hub[0]
    one, two = find(search.parent, x), find(search.parent, y)
    # The hub's own list stays as it is.
    newcomers = (first[one] if one != hub else -1, first[two] if two != hub else -1)
    kept = first[hub] if hub >= 0 else -1
    first[one], first[two] = -1, -1
    level.hub[0] = unite(search.parent, search.weight, one, two)
    first[level.hub[0]] = kept
    return newcomers


@helper
def _welcome(search, blocks, tree, queues, level, newcomers, t):
    """Line the newcomers' blocks up as the hub's."""
    for x in newcomers:
        while x >= 0:
            upcoming = level.following[x]
            level.is_listed[x] = False
            if level.queued[x] and _line_up_again(search, blocks, tree, queues, level, x, t):
                _enlist(level, level.hub[0], x)
                _line_up(search, queues, level, x)
            x = upcoming


@helper
def _new_search(blocks, tree, parent, weight, alive, labels, t):
    """Every visible block's cheapest merge, and the queues; no level yet."""
    n = len(labels)
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
    none = np.int64(0)
    queues = Queues(
        [(0.0, none, none) for _ in range(0)],
        [(none, none, none, none, none) for _ in range(0)],
        [(none, none, none, none, none, none) for _ in range(0)],
    )
    for x in range(n):
        if labels[x] != EMPTY:
            _look(search, blocks, tree, queues.waiting, x, none)
            search.seen[x] = t
            queues.waiting.append((search.cost[x], x, search.version[x]))
    heapq.heapify(queues.waiting)
    level = Level(
        np.full(1, -1.0),
        np.full(1, -1, dtype=np.int64),
        np.zeros(n, dtype=np.bool_),
        np.full(n, -1, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        np.zeros(n, dtype=np.bool_),
        [none for _ in range(0)],
    )
    return search, queues, level


@kernel
def join_components_by_distortion(blocks, indptr, indices, n_s, exact):
    """[AC, Alg 2] for U2: the pairs merged, a log row for each merge (see `note`), distortions in lattice steps."""
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
    search, queues, level = _new_search(blocks, tree, parent, weight, alive, labels, t)
    waiting = queues.waiting
    while t < components:
        while len(waiting) > 0 and (not alive[waiting[0][1]] or search.version[waiting[0][1]] != waiting[0][2]):
            heapq.heappop(waiting)
        if level.cost[0] < 0.0 and not _open(search, blocks, tree, queues, level, t):
            continue
        if len(waiting) > 0 and waiting[0][0] < level.cost[0]:
            _start_over(search, queues, level)
            continue
        if len(waiting) > 0 and waiting[0][0] == level.cost[0]:
            _take_in(search, blocks, tree, queues, level, t)
            continue
        x = _best_in_line(search, blocks, tree, queues, level, t)
        if x < 0:
            continue
        a, b = min(x, search.partner[x]), max(x, search.partner[x])
        pairs[t - 1, 0], pairs[t - 1, 1] = a, b
        newcomers = _new_hub(search, level, a, b)
        note(log, distortion, t, blocks, distinct, tally, a, b, alive, widest)
        replace(blocks, tree, a, b, level.hub[0])
        level.queued[a], level.queued[b] = False, False
        t += 1
        for y in (a, b):  # whose twins come into sight
            revealed, twin[y] = twin[y], -1
            if revealed >= 0:
                show(blocks, tree, revealed, level.hub[0])
                _look(search, blocks, tree, waiting, revealed, t)
                _wait(search, queues, revealed)
        _look(search, blocks, tree, waiting, a, t)
        _wait(search, queues, a)
        _welcome(search, blocks, tree, queues, level, newcomers, t)
    return pairs, log, distortion
