# mypy: ignore-errors
"""Compiled: the cheapest partner of one block among all of them, for several columns.

With a category's values as coordinates there are dozens, every block's box overlaps every other's, and a tree
passes over nothing. But no codeword of two blocks together is nearer to both than their means allow, whatever
the norm, since a distance is convex: `_least` has the bounds. They come from one pass over the means,
coordinate by coordinate as a machine likes it, and only partners whose bound is below the cheapest cost are
costed exactly, those with the lowest bound first: what is found does not depend on rounding in means.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper
from discreet.search._kernels.geometry import powers
from discreet.search._kernels.sorting import sort_by
from discreet.search.ranges._greedy.blocks import CENTROID, pair_cost

ROUNDING = 1e-9  # relative; and this much of a thousandth of the widest column, for blocks that all but coincide


class Scan(NamedTuple):
    """The blocks in slots without gaps, in no order."""

    means: Any  # float64[d, n]: by coordinate and slot
    counts: Any  # float64[n]: letters
    spread: Any  # float64[n]: mean squared distance to the mean
    name: Any  # int64[n]: the block in each slot
    slot: Any  # int64[n]: the slot of each block
    live: Any  # int64[1]: how many
    far: Any  # float64[n]: room for distances between means
    low: Any  # float64[n]: room for bounds
    widest: float


@helper
def new_scan(points, n):
    """The first n letters, each a block."""
    d = points.shape[1]
    means = np.empty((d, n))
    widest = 0.0
    for j in range(d):
        for x in range(n):
            means[j, x] = points[x, j]
            widest = max(widest, means[j, x])
    names, slots = np.arange(n), np.arange(n)
    live = np.full(1, n, dtype=np.int64)
    return Scan(means, np.ones(n), np.zeros(n), names, slots, live, np.empty(n), np.empty(n), widest)


@helper
def follow(scan, blocks, a, b):
    """After `join(blocks, a, b)`: a has a new mean, and the last slot's block takes b's slot."""
    means, counts, spread, name, slot, live, _, _, _ = scan
    at, gone = slot[a], slot[b]
    apart = 0.0
    for j in range(len(means)):
        apart += (means[j, at] - means[j, gone]) ** 2
        means[j, at] = float(blocks.total[a, j]) / float(blocks.count[a])
    count, share = counts[at] + counts[gone], counts[gone] / (counts[at] + counts[gone])
    # Of sums of squares that only grow, so that nothing cancels.
    spread[at] = (1 - share) * spread[at] + share * spread[gone] + share * (1 - share) * apart
    counts[at] = count
    last = live[0] - 1
    for j in range(len(means)):
        means[j, gone] = means[j, last]
    counts[gone], spread[gone], name[gone] = counts[last], spread[last], name[last]
    slot[name[gone]] = gone
    live[0] = last


@helper
def _least(kind, norm, far, counts, spread, at, live, low):
    """What joining with each other block costs at least; squared for l_2.

    The centroid c of both divides the way between their means by the counts, and a block's farthest letter is no nearer to
    c than its mean is: in l_2, its squared distance is at least the mean one, the spread more. Round any other codeword the
    ball that holds both blocks holds both means, which are no farther apart than it is wide.
    """
    if kind != CENTROID:
        for i in range(live):
            low[i] = far[i] / 4.0 if norm == 2 else far[i] / 2.0
        return
    here, count = spread[at], counts[at]
    for i in range(live):
        mine, its = counts[i] / (count + counts[i]), count / (count + counts[i])
        if norm == 2:
            low[i] = max(mine * mine * far[i] + here, its * its * far[i] + spread[i])
        else:
            low[i] = max(mine, its) * far[i]


@helper
def cheapest_scanned(blocks, scan, x, label):
    """The block of another class than x's that costs least to join with x, the earliest; -1 if none."""
    means, counts, spread, name, slot, lives, far, low, widest = scan
    kind, norm = blocks.kind, blocks.norm
    live, at = lives[0], slot[x]
    mean = np.empty(len(means))
    for j in range(len(means)):
        mean[j] = means[j, at]
    powers(means, live, mean, np.inf if norm == 0 else float(norm), far)
    _least(kind, norm, far, counts, spread, at, live, low)
    first = -1
    for i in range(live):
        if label[name[i]] == label[x]:
            low[i] = np.inf
        elif first < 0 or low[i] < low[first]:
            first = i
    if first < 0:
        return -1
    best, cheapest = name[first], pair_cost(blocks, x, name[first], np.inf)
    near, count, reach = np.empty(live, np.int64), 0, _reach(cheapest, norm, widest)
    for i in range(live):
        if low[i] <= reach:
            near[count] = i
            count += 1
    sort_by(near[:count], low)
    for i in near[:count]:
        if low[i] > _reach(cheapest, norm, widest):
            break
        y = name[i]
        cost = pair_cost(blocks, x, y, cheapest)
        if cost < cheapest or (cost == cheapest and y < best):
            best, cheapest = y, cost
    return best


@helper
def _reach(cheapest, norm, widest):
    """The bound beyond which nothing can cost as little, whatever was rounded."""
    most = cheapest * (1 + ROUNDING) + widest * ROUNDING * 1e-3
    return most * most if norm == 2 else most
