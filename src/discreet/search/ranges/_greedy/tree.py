# mypy: ignore-errors
"""Compiled: a tree over the blocks that finds the cheapest partner of one block by branch and bound.

A complete binary tree over places. In one column a block sits at the place of its lowest value, in several at
the place of one of its letters in a k-d order. A node holds what is needed to bound from below the cost of
any merge with a block beneath it; the half-diameter bounds every codeword (SPEC 9), and there is more for
centroids and medoids. Bounds are the same one-rounding quotients of whole numbers as the costs, so they hold
in floating point too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper
from discreet.search._kernels.graph import find
from discreet.search._kernels.sorting import sort_by
from discreet.search.ranges._greedy.blocks import BALL, CENTROID, MEDOID, SIZE, pair_cost

# Columns of a node: fixed ones, then five for each coordinate.
NAME, CLASS, FEWEST, MOST, ABOVE, BELOW, FIXED = 0, 1, 2, 3, 4, 5, 6
MIN_LOW, MAX_LOW, MIN_HIGH, MAX_HIGH, MIN_WIDTH, EACH = 0, 1, 2, 3, 4, 5
EMPTY, MIXED = -1, -2
NOBODY = 2**62


class Tree(NamedTuple):
    """Nodes (row 1 is the root, leaf p is row `leaves` + p) and the leaf of each block."""

    nodes: Any  # int64[2 * leaves, FIXED + EACH * d]
    leaf: Any  # int64[n]
    leaves: int
    slack: float  # relative allowance for rounding in the half-diameter bound


@helper
def _k_d_places(points, leaves):
    """Places for several columns: halve the letters across the widest coordinate, again and again."""
    n, d = points.shape
    place = np.empty(n, dtype=np.int64)
    order, key = np.arange(n), np.empty(n, np.int64)
    stack = [(0, n, 0, leaves)]
    while len(stack) > 0:
        start, end, base, room = stack.pop()
        if end - start == 1:
            place[order[start]] = base
            continue
        widest, axis = np.int64(-1), 0
        for j in range(d):
            least, most = points[order[start], j], points[order[start], j]
            for i in range(start, end):
                least, most = min(least, points[order[i], j]), max(most, points[order[i], j])
            if most - least > widest:
                widest, axis = most - least, j
        for i in range(start, end):
            key[order[i]] = points[order[i], axis]
        sort_by(order[start:end], key)
        middle = start + (end - start + 1) // 2
        stack.append((start, middle, base, room // 2))
        stack.append((middle, end, base + room // 2, room // 2))
    return place


@helper
def set_leaf(blocks, tree, name, label):
    """Write a block's own row; `label` is its class, of which partners must differ."""
    row = tree.nodes[tree.leaf[name]]
    row[NAME], row[CLASS], row[FEWEST], row[MOST] = name, label, blocks.count[name], blocks.count[name]
    d = blocks.points.shape[1]
    if blocks.kind == CENTROID and d == 1:
        row[ABOVE] = blocks.total[name, 0] - blocks.count[name] * blocks.low[name, 0]
        row[BELOW] = blocks.count[name] * blocks.high[name, 0] - blocks.total[name, 0]
    elif blocks.kind != SIZE:
        row[ABOVE] = np.int64(blocks.own[name])
    for j in range(d):
        at = FIXED + EACH * j
        row[at + MIN_LOW] = row[at + MAX_LOW] = blocks.low[name, j]
        row[at + MIN_HIGH] = row[at + MAX_HIGH] = blocks.high[name, j]
        row[at + MIN_WIDTH] = blocks.high[name, j] - blocks.low[name, j]


@helper
def pull(nodes, node):
    """Recompute a node from its two children."""
    row, one, two = nodes[node], nodes[2 * node], nodes[2 * node + 1]
    if one[CLASS] == EMPTY or two[CLASS] == EMPTY:
        there = two if one[CLASS] == EMPTY else one
        for at in range(len(row)):
            row[at] = there[at]
        return
    row[NAME] = min(one[NAME], two[NAME])
    row[CLASS] = one[CLASS] if one[CLASS] == two[CLASS] else MIXED
    row[FEWEST] = min(one[FEWEST], two[FEWEST])
    row[MOST] = max(one[MOST], two[MOST])
    row[ABOVE] = min(one[ABOVE], two[ABOVE])
    row[BELOW] = min(one[BELOW], two[BELOW])
    for at in range(FIXED, len(row), EACH):
        row[at + MIN_LOW] = min(one[at + MIN_LOW], two[at + MIN_LOW])
        row[at + MAX_LOW] = max(one[at + MAX_LOW], two[at + MAX_LOW])
        row[at + MIN_HIGH] = min(one[at + MIN_HIGH], two[at + MIN_HIGH])
        row[at + MAX_HIGH] = max(one[at + MAX_HIGH], two[at + MAX_HIGH])
        row[at + MIN_WIDTH] = min(one[at + MIN_WIDTH], two[at + MIN_WIDTH])


@helper
def build_tree(blocks, labels, exact):
    """A tree of the first len(labels) letters, but not those labelled EMPTY.

    `exact`: all whole numbers that occur are below 2**53.
    """
    n, d = len(labels), blocks.points.shape[1]
    leaves = 1
    while leaves < n:
        leaves *= 2
    nodes = np.zeros((2 * leaves, FIXED + EACH * d), dtype=np.int64)
    for node in range(2 * leaves):
        nodes[node, CLASS], nodes[node, NAME] = EMPTY, NOBODY
    if d == 1 or n == 0:
        place = np.empty(n, dtype=np.int64)
        order, key = np.arange(n), np.empty(n, np.int64)
        for x in range(n):
            key[x] = blocks.points[x, 0]
        sort_by(order, key)
        for x in range(n):
            place[order[x]] = x
    else:
        place = _k_d_places(blocks.points, leaves)
    slack = 0.0 if exact and d == 1 else 1e-14
    for x in range(n):
        place[x] += leaves
    tree = Tree(nodes, place, leaves, slack)
    for x in range(n):
        set_leaf(blocks, tree, x, labels[x])
    for node in range(leaves - 1, 0, -1):
        pull(nodes, node)
    return tree


@helper
def _refresh(tree, leaf):
    node = leaf // 2
    while node >= 1:
        pull(tree.nodes, node)
        node //= 2


@helper
def show(blocks, tree, name, label):
    """Enter a block that was left out of the tree so far."""
    set_leaf(blocks, tree, name, label)
    _refresh(tree, tree.leaf[name])


@helper
def replace(blocks, tree, a, b, label):
    """After `join(blocks, a, b)`: take b's leaf away and rewrite a's."""
    keep, drop = tree.leaf[a], tree.leaf[b]
    if blocks.points.shape[1] == 1 and drop < keep:
        keep, drop = drop, keep  # the place of the lowest value
    tree.nodes[drop, CLASS] = EMPTY
    tree.nodes[drop, NAME] = NOBODY
    _refresh(tree, drop)
    tree.leaf[a] = keep
    show(blocks, tree, a, label)


@helper
def bound(blocks, tree, x, node):
    """A lower bound on `pair_cost(x, y)` for every block y beneath the node."""
    row = tree.nodes[node]
    if blocks.kind == SIZE:
        return float(blocks.count[x] + row[FEWEST])
    d = blocks.points.shape[1]
    diameter, reach_x, reach_y = np.int64(0), np.int64(0), np.int64(0)
    for j in range(d):
        at = FIXED + EACH * j
        low, high = blocks.low[x, j], blocks.high[x, j]
        across = max(high, row[at + MIN_HIGH]) - min(low, row[at + MAX_LOW])
        diameter = max(diameter, max(across, row[at + MIN_WIDTH]))
        reach_x = max(reach_x, max(row[at + MIN_HIGH] - high, low - row[at + MAX_LOW]))
        reach_y = max(reach_y, max(row[at + MIN_LOW] - low, high - row[at + MAX_HIGH]))
    least = float(diameter) / 2.0 * (1.0 - tree.slack)
    if blocks.kind == CENTROID and d == 1:
        # count * (mean - lowest) and count * (highest - mean) of the union, each from below in two ways: with
        # y's extreme point, whose own excess ABOVE / BELOW is at least the node's, and with x's.
        low, high, total, count = blocks.low[x, 0], blocks.high[x, 0], blocks.total[x, 0], blocks.count[x]
        above = row[ABOVE] + total - count * row[FIXED + MAX_LOW]
        below = row[BELOW] + count * row[FIXED + MIN_HIGH] - total
        if row[FIXED + MIN_LOW] >= low:
            above = max(above, total - count * low + row[ABOVE] + row[FEWEST] * (row[FIXED + MIN_LOW] - low))
        if row[FIXED + MAX_HIGH] <= high:
            below = max(below, count * high - total + row[BELOW] + row[FEWEST] * (high - row[FIXED + MAX_HIGH]))
        least = max(least, float(max(above, below)) / float(count + row[MOST]))
    elif blocks.kind == MEDOID:
        # The medoid is a letter of x, which has to reach y's ends, or one of y, which has to reach x's.
        from_x = max(float(reach_x), blocks.own[x])
        from_y = max(float(reach_y), float(row[ABOVE]))
        least = max(least, min(from_x, from_y) * (1.0 - tree.slack))
    elif blocks.kind == BALL:
        least = max(least, max(blocks.own[x], float(row[ABOVE])) * (1.0 - 1e-9))
    return least


@helper
def new_scratch():
    """Room for the stacks of a search: at most three entries per level."""
    return np.empty(256, dtype=np.int64), np.empty(256)


@helper
def _two(blocks, tree, x, node, label):
    """The children of a node, the more promising first, with their bounds; infinite for one of class `label`
    or empty.
    """
    first, second = 2 * node, 2 * node + 1
    class_1, class_2 = tree.nodes[first, CLASS], tree.nodes[second, CLASS]
    bound_1 = np.inf if class_1 in (EMPTY, label) else bound(blocks, tree, x, first)
    bound_2 = np.inf if class_2 in (EMPTY, label) else bound(blocks, tree, x, second)
    if bound_2 < bound_1 or (bound_2 == bound_1 and tree.nodes[second, NAME] < tree.nodes[first, NAME]):
        return second, bound_2, first, bound_1
    return first, bound_1, second, bound_2


@helper
def cheapest_other(blocks, tree, x, label, scratch):
    """The block of another class than `label` that costs least to join with x, the earliest; -1 if none.

    Climbs from x's leaf and searches what hangs off the way, so that near blocks come first and prune the far
    ones.
    """
    stack, bounds = scratch
    best, cheapest = NOBODY, np.inf
    at = tree.leaf[x]
    while at > 1:
        beside = at ^ 1
        at //= 2
        if tree.nodes[beside, CLASS] == EMPTY or tree.nodes[beside, CLASS] == label:
            continue
        stack[0], bounds[0], depth = beside, bound(blocks, tree, x, beside), 1
        while depth > 0:
            depth -= 1
            node, least = stack[depth], bounds[depth]
            name = tree.nodes[node, NAME]
            if least > cheapest or (least == cheapest and name > best):
                continue
            if node >= tree.leaves:
                cost = pair_cost(blocks, x, name, cheapest)
                if cost < cheapest or (cost == cheapest and name < best):
                    best, cheapest = name, cost
                continue
            first, bound_1, second, bound_2 = _two(blocks, tree, x, node, label)
            if bound_2 < np.inf:  # the better child goes on top
                stack[depth], bounds[depth] = second, bound_2
                depth += 1
            if bound_1 < np.inf:
                stack[depth], bounds[depth] = first, bound_1
                depth += 1
    return best if best != NOBODY else -1


@helper
def cheapest_apart(blocks, tree, x, parent, ties, scratch):
    """Every block of another component than x's that costs least to join with x.

    Classes are components by a representative that may be out of date; `parent` is the union-find that knows.
    They only ever merge, so a node found to have become uniform stays so and is marked on the way, and the
    next search skips it. Writes the blocks to `ties` and returns (how many, cost).
    """
    stack, bounds = scratch
    mine = find(parent, x)
    many, cheapest = 0, np.inf
    at = tree.leaf[x]
    while at > 1:
        beside = at ^ 1
        at //= 2
        if tree.nodes[at, CLASS] == MIXED:
            _agree(tree.nodes, at, parent)
        if tree.nodes[beside, CLASS] == EMPTY:
            continue
        stack[0], bounds[0], depth = beside, bound(blocks, tree, x, beside), 1
        while depth > 0:
            depth -= 1
            node, least = stack[depth], bounds[depth]
            if node < 0:  # both children have been seen
                _agree(tree.nodes, -node, parent)
                continue
            if least > cheapest:
                continue
            label = tree.nodes[node, CLASS]
            if label >= 0 and find(parent, label) == mine:
                continue
            if node >= tree.leaves:
                cost = pair_cost(blocks, x, tree.nodes[node, NAME], cheapest)
                if cost < cheapest:
                    many, cheapest = 0, cost
                if cost == cheapest:
                    ties[many] = tree.nodes[node, NAME]
                    many += 1
                continue
            first, bound_1, second, bound_2 = _two(blocks, tree, x, node, mine)
            if label == MIXED:
                stack[depth], bounds[depth] = -node, 0.0
                depth += 1
            if bound_2 < np.inf:
                stack[depth], bounds[depth] = second, bound_2
                depth += 1
            if bound_1 < np.inf:
                stack[depth], bounds[depth] = first, bound_1
                depth += 1
    return many, cheapest


@helper
def _agree(nodes, node, parent):
    """Mark a mixed node whose children have come to belong to one component."""
    one, two = nodes[2 * node, CLASS], nodes[2 * node + 1, CLASS]
    if one == EMPTY:
        nodes[node, CLASS] = two
    elif two == EMPTY:
        nodes[node, CLASS] = one
    elif one >= 0 and two >= 0 and find(parent, one) == find(parent, two):
        nodes[node, CLASS] = one
