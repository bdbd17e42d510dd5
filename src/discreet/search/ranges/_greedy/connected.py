# mypy: ignore-errors
"""Compiled: problem (7) of [AC], min L0 subject to I* = 0.

Algorithm 2's pairs, those of different components, in the order of ΔL of [AC, (9)]; ties: fewest distinct s
in the two blocks, then the largest components, then the earliest elements (SPEC 3). ΔL of a pair depends on
all other blocks through the fewest distinct s and the largest cost left, so every step looks at every block
anew, with the tree to pass over partners that cannot do better: O(n log n) per step where few tie, and as many
steps as components less one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.graph import components_of, find, unite
from discreet.search.ranges._greedy.blocks import pair_cost
from discreet.search.ranges._greedy.joining import note, start
from discreet.search.ranges._greedy.tree import CLASS, EMPTY, NAME, bound, build_tree, new_scratch, replace

_GRAIN = 2.0**40  # ΔL is compared in units of 2**-40 bit, so that rounding in logarithms cannot split a tie


class Standing(NamedTuple):
    """What a step needs to know of the present partition."""

    multiplier: float
    unit: float  # lattice steps in a unit of value; 0 for sizes, whose cost is a logarithm
    parent: Any
    weight: Any
    distinct: Any
    few: Any  # int64[nodes]: fewest distinct s beneath a node
    many: Any  # int64[nodes]: most
    top: Any  # int64[nodes]: component with the most letters beneath a node
    top_weight: Any  # int64[nodes]: its letters
    next_weight: Any  # int64[nodes]: most letters of another component beneath it, 0 if there is none
    poorest: Any  # int64[3]: the blocks with the fewest distinct s, -1 where there are not so many
    dearest: Any  # int64[3]: the blocks with the largest cost
    price: Any  # float64[n]: the cost of each block


@helper
def _lost(standing, cost):
    return np.log2(cost) if standing.unit == 0.0 else cost / standing.unit


@helper
def _change(standing, distinct, cost):
    """ΔL of [AC, (9)] when fewest distinct s and largest cost become these; in units of 2**-40 bit."""
    before = np.log2(float(standing.distinct[standing.poorest[0]]))
    spent = _lost(standing, cost) - _lost(standing, standing.price[standing.dearest[0]])
    return np.rint((before - np.log2(float(distinct)) + standing.multiplier * spent) * _GRAIN)


@helper
def _others(standing, x, y):
    """Fewest distinct s and largest cost among all blocks but x and y; for y = -1, but x and any other."""
    fewest, largest = np.int64(2) ** 62, 0.0
    spare = 1 if y < 0 else 0
    for block in standing.poorest:
        if block >= 0 and block != x and block != y:
            if spare == 0:
                fewest = standing.distinct[block]
                break
            spare -= 1
    spare = 1 if y < 0 else 0
    for block in standing.dearest:
        if block >= 0 and block != x and block != y:
            if spare == 0:
                largest = standing.price[block]
                break
            spare -= 1
    return fewest, largest


@helper
def _survey(standing, tree, alive):
    """Bring nodes and extremes up to date."""
    few, many, top, top_weight, next_weight = (
        standing.few,
        standing.many,
        standing.top,
        standing.top_weight,
        standing.next_weight,
    )
    few[:], many[:], top[:], top_weight[:], next_weight[:] = 2**62, 0, -1, 0, 0
    standing.poorest[:], standing.dearest[:] = -1, -1
    for x in range(len(alive)):
        if not alive[x]:
            continue
        leaf = tree.leaf[x]
        few[leaf] = many[leaf] = standing.distinct[x]
        top[leaf] = find(standing.parent, x)
        top_weight[leaf] = standing.weight[top[leaf]]
        for rank in range(3):
            other = standing.poorest[rank]
            if other < 0 or standing.distinct[x] < standing.distinct[other]:
                standing.poorest[rank + 1 :] = standing.poorest[rank:2].copy()
                standing.poorest[rank] = x
                break
        for rank in range(3):
            other = standing.dearest[rank]
            if other < 0 or standing.price[x] > standing.price[other]:
                standing.dearest[rank + 1 :] = standing.dearest[rank:2].copy()
                standing.dearest[rank] = x
                break
    for node in range(tree.leaves - 1, 0, -1):
        one, two = 2 * node, 2 * node + 1
        few[node], many[node] = min(few[one], few[two]), max(many[one], many[two])
        if top_weight[one] < top_weight[two]:
            one, two = two, one
        top[node], top_weight[node] = top[one], top_weight[one]
        rival = next_weight[two] if top[two] == top[one] else top_weight[two]
        next_weight[node] = max(next_weight[one], rival)


@helper
def _promise(standing, costing, tree, x, node):
    """The best key that x could have with a later block beneath the node; infinite if there is none."""
    home = find(standing.parent, x)
    z_x = standing.weight[home]
    z_y = standing.next_weight[node] if standing.top[node] == home else standing.top_weight[node]
    name = tree.nodes[node, NAME]
    if tree.nodes[node, CLASS] == EMPTY or z_y == 0:
        return np.inf, np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    fewest, largest = _others(standing, x, -1)
    distinct = min(fewest, standing.distinct[x] + standing.many[node])
    change = _change(standing, distinct, max(largest, bound(costing, tree, x, node)))
    both = standing.distinct[x] + standing.few[node]
    return change, both, -max(z_x, z_y), -min(z_x, z_y), x, max(x + 1, name)


@helper
def _improve(standing, costing, tree, x, best, scratch):
    """The better of `best` and x's best pair with a later block.

    A key is (ΔL, distinct s, minus component sizes, names). Blocks come in ascending order, so that a pair
    which ties with the best so far but for the names is passed over at the root.
    """
    stack, changes = scratch
    home = find(standing.parent, x)
    stack[0], changes[0], depth = 1, best[0], 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if changes[depth] > best[0]:
            continue
        if changes[depth] == best[0] and not _promise(standing, costing, tree, x, node) < best:
            continue
        if node < tree.leaves:
            one, two = 2 * node, 2 * node + 1
            key_1 = _promise(standing, costing, tree, x, one)
            key_2 = _promise(standing, costing, tree, x, two)
            if key_2 < key_1:
                one, two, key_1, key_2 = two, one, key_2, key_1
            if key_2[0] < np.inf and key_2 < best:
                stack[depth], changes[depth] = two, key_2[0]
                depth += 1
            if key_1[0] < np.inf and key_1 < best:
                stack[depth], changes[depth] = one, key_1[0]
                depth += 1
            continue
        y = tree.nodes[node, NAME]
        away = find(standing.parent, y)
        if y < x or away == home:
            continue
        fewest, largest = _others(standing, x, y)
        both = standing.distinct[x] + standing.distinct[y]
        change = _change(standing, min(fewest, both), max(largest, pair_cost(costing, x, y, np.inf)))
        z_x, z_y = standing.weight[home], standing.weight[away]
        key = (change, both, -max(z_x, z_y), -min(z_x, z_y), x, y)
        if key < best:
            best = key
    return best


@kernel
def connect(blocks, costing, indptr, indices, n_s, multiplier, unit, exact):
    """Problem (7). `costing` is `blocks` with the kind of cost that is to be kept low; `unit` as in Standing.

    Returns the pairs merged, a log row for each merge (see `note`), the distortions in lattice steps.
    """
    n = len(indptr) - 1
    parent, weight, components = components_of(indptr, indices, n_s, np.arange(n))
    distinct, tally, log, distortion, alive, pairs = start(indptr, n_s, components)
    widest = [(0.0, np.int64(0))]
    labels = np.zeros(n, dtype=np.int64)
    tree = build_tree(costing, labels, exact)
    nodes = len(tree.nodes)
    standing = Standing(
        multiplier,
        unit,
        parent,
        weight,
        distinct,
        np.empty(nodes, dtype=np.int64),
        np.empty(nodes, dtype=np.int64),
        np.empty(nodes, dtype=np.int64),
        np.empty(nodes, dtype=np.int64),
        np.empty(nodes, dtype=np.int64),
        np.empty(3, dtype=np.int64),
        np.empty(3, dtype=np.int64),
        np.ones(n) if unit == 0.0 else np.zeros(n),
    )
    scratch = new_scratch()
    nothing = np.int64(2) ** 62
    for t in range(1, components):
        _survey(standing, tree, alive)
        best = (np.inf, nothing, nothing, nothing, nothing, nothing)
        for x in range(n):
            if alive[x]:
                best = _improve(standing, costing, tree, x, best, scratch)
        a, b = best[4], best[5]
        pairs[t - 1, 0], pairs[t - 1, 1] = a, b
        unite(parent, weight, find(parent, a), find(parent, b))
        note(log, distortion, t, blocks, distinct, tally, a, b, alive, widest)
        standing.price[a] = float(blocks.count[a]) if unit == 0.0 else blocks.own[a]
        replace(costing, tree, a, b, 0)
    return pairs, log, distortion
