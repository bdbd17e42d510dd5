"""Compiled constructions for several numeric columns: distances to the nearest distinct s, cuts of boxes, balls."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.geometry import gap, gaps
from discreet.search._kernels.sorting import sort_by


@kernel
def nearest_distinct(values, indptr, indices, n_s, norm):
    """reach[x, t]: the radius round x within which t + 1 distinct s are seen (x's own come first, at 0). O(n^2)."""
    n = len(values)
    reach = np.empty((n, n_s))
    columns, away = values.T.copy(), np.empty(n)
    for x in range(n):
        row = reach[x]
        row[:] = np.inf
        gaps(columns, values[x], norm, away)
        for y in range(n):
            g = away[y]
            for e in range(indptr[y], indptr[y + 1]):
                if g < row[indices[e]]:
                    row[indices[e]] = g
        row.sort()
    return reach


@kernel
def medoid_bound(values, reach, hardest, norm, low, most):
    """max over letters y of min over medoids c of max(|y - c|, reach(c)); letters `hardest` first, at most `most`.

    A block round medoid c with y and k distinct s has radius at least both. The medoid c = y shows that y cannot give
    more than reach(y), so the letters after the first with reach(y) <= low cannot raise it.
    """
    n = len(values)
    for t in range(min(most, len(hardest))):
        y = hardest[t]
        if reach[y] <= low:
            break
        best = np.inf
        for c in range(n):
            if reach[c] < best:
                best = min(best, max(reach[c], gap(values[y], values[c], norm)))
                if best <= low:
                    break
        low = max(low, best)
    return low


@helper
def _extent(low, high, norm):
    """Half the diagonal of a box, in the norm."""
    total = 0.0
    for c in range(len(low)):
        side = 0.5 * (high[c] - low[c])
        if norm == np.inf:
            total = max(total, side)
        elif norm == 2.0:
            total += side * side
        else:
            total += side**norm
    if norm == 2.0:
        return np.sqrt(total)
    return total if norm == np.inf else total ** (1.0 / norm)


@helper
def _widen(point, low, high, least, most, open_axes, left):
    """Enlarge a box to hold a point: whether it was too small, and on how many axes it is not yet as wide as it can be.

    Those axes come first in `open_axes`; on the others no point can widen it.
    """
    grown, t = False, 0
    while t < left:
        c = open_axes[t]
        v = point[c]
        if v < low[c]:
            low[c] = v
            grown = True
        if v > high[c]:
            high[c] = v
            grown = True
        if low[c] == least[c] and high[c] == most[c]:
            left -= 1
            open_axes[t], open_axes[left] = open_axes[left], c
        else:
            t += 1
    return grown, left


@helper
def _best_cut(box, indptr, indices, n_s, k, norm, part, along, best):
    """Where to cut letters in order so that both sides see k distinct s and the larger extent is least: (extent, place).

    `box` has the points, least and most of the letters `part` on the axes along which they differ; `along` puts them in
    order. (best, -1) where no cut does better than `best`.
    """
    points, least, most = box
    m, d = points.shape
    seen = np.zeros(n_s, np.bool_)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    open_axes, left = np.arange(d), d
    before = np.empty(m)
    distinct, enough = 0, m  # from what length on a beginning sees k distinct s
    extent = 0.0  # measured anew where the box grows, which it seldom does: a category widens it once
    for t in range(m):
        grown, left = _widen(points[along[t]], low, high, least, most, open_axes, left)
        if grown:
            extent = _extent(low, high, norm)
        before[t] = extent
        if distinct < k:
            distinct += _see(indptr, indices, part[along[t]], seen)
            if distinct >= k:
                enough = t + 1
    seen[:] = False
    low[:], high[:] = np.inf, -np.inf
    distinct, place, extent, left = 0, -1, 0.0, d
    for t in range(m - 1, enough - 1, -1):
        grown, left = _widen(points[along[t]], low, high, least, most, open_axes, left)
        if grown:
            extent = _extent(low, high, norm)
        if distinct < k:
            distinct += _see(indptr, indices, part[along[t]], seen)
        if distinct >= k:
            larger = max(before[t - 1], extent)
            if larger < best:
                best, place = larger, t
    return best, place


@helper
def _see(indptr, indices, x, seen):
    """Mark the s of letter x; how many are new."""
    fresh = 0
    for e in range(indptr[x], indptr[x + 1]):
        if not seen[indices[e]]:
            seen[indices[e]] = True
            fresh += 1
    return fresh


@helper
def _box_of(values, part):
    """Points, least and most of letters on the axes along which they differ; and whether they agree on another."""
    m, d = len(part), values.shape[1]
    low, high = values[part[0]].copy(), values[part[0]].copy()
    for x in part:
        for c in range(d):
            low[c] = min(low[c], values[x, c])
            high[c] = max(high[c], values[x, c])
    axes = np.flatnonzero(low < high)
    points = np.empty((m, len(axes)))
    for t in range(m):
        for a in range(len(axes)):
            points[t, a] = values[part[t], axes[a]]
    return (points, low[axes], high[axes]), axes


@helper
def _in_order(points, a, least, most):
    """Places by the value on an axis, equal ones as they are; a category's two values need no sorting."""
    m = len(points)
    along = np.empty(m, np.int64)
    below = 0
    for t in range(m):
        if points[t, a] == least:
            along[below] = t
            below += 1
        elif points[t, a] != most:
            key = np.empty(m)
            for i in range(m):
                along[i], key[i] = i, points[i, a]
            sort_by(along, key)
            return along
    above = below
    for t in range(m):
        if points[t, a] != least:
            along[above] = t
            above += 1
    return along


@kernel
def least_extent_cuts(values, indptr, indices, n_s, k, norm):
    """Cut boxes in two, at the place that leaves the least larger extent and k distinct s on both sides, until none is.

    The extents of all beginnings and ends along a column come from running boxes, which stop growing early on most of
    the axes: a cut costs O(m d^2) comparisons at worst, and few roots. Axes without a difference all keep the order as it is,
    so one stands for all of them.
    """
    n, d = values.shape
    labels, blocks = np.zeros(n, np.int64), 0
    order = np.arange(n)
    stack = [(0, n)]
    while len(stack) > 0:
        first, end = stack.pop()
        part = order[first:end].copy()
        box, axes = _box_of(values, part)
        best, cut, a, is_tried = np.inf, -1, np.int64(0), False
        for c in range(d):
            if a < len(axes) and axes[a] == c:
                along = _in_order(box[0], a, box[1][a], box[2][a])
                a += 1
            elif is_tried:
                continue
            else:
                along, is_tried = np.arange(end - first), True
            extent, place = _best_cut(box, indptr, indices, n_s, k, norm, part, along, best)
            if place >= 0:
                best, cut = extent, place
                order[first:end] = part[along]
        if cut < 0:
            labels[part] = blocks
            blocks += 1
            continue
        stack.append((first, first + cut))
        stack.append((first + cut, end))
    return labels


@helper
def _nearest_free(away, free, indptr, indices, k, labels, nearest, holder):
    """For the k nearest s the distance to the nearest letter without a block that has it, and that letter.

    `away`: the distances of the letters `free`. What is farther than k distinct s need not be entered; how far that is, is
    looked up anew after as many entries as there are s.
    """
    for s in range(len(nearest)):
        nearest[s] = np.inf
    limit, entered = np.inf, 0
    for t in range(len(free)):
        if away[t] > limit or labels[free[t]] >= 0:
            continue
        for e in range(indptr[free[t]], indptr[free[t] + 1]):
            if away[t] < nearest[indices[e]]:
                nearest[indices[e]] = away[t]
                holder[indices[e]] = free[t]
                entered += 1
        if entered >= len(nearest):
            limit, entered = np.sort(nearest)[k - 1], 0


@helper
def _fill(indptr, indices, k, x, block, order, holder, labels):
    """Make a block of x and, s by s in that order, the letters that hold what it lacks, until it sees k."""
    seen = np.zeros(len(holder), np.bool_)
    labels[x] = block
    distinct = _see(indptr, indices, x, seen)
    for s in order:
        if distinct >= k:
            break
        if not seen[s] and labels[holder[s]] < 0:
            labels[holder[s]] = block
            distinct += _see(indptr, indices, holder[s], seen)


@kernel
def balls(values, indptr, indices, n_s, k, norm, hardest):
    """Blocks round the hardest letters first: each takes, of every s it lacks, the nearest free letter, k in all.

    Letters left when no further block can be filled join the block whose centroid is nearest.
    """
    n, d = values.shape
    labels = np.full(n, -1, np.int64)
    nearest, holder = np.empty(n_s), np.empty(n_s, np.int64)
    centre, blocks = np.zeros((d, n)), np.int64(0)
    free, columns, away, taken = np.arange(n), values.T.copy(), np.empty(n), 0
    for x in hardest:
        if labels[x] >= 0:
            continue
        if 8 * taken > len(free):  # copying the others costs as much as their distances do
            free, taken = free[labels[free] < 0], 0
            columns = values[free].T.copy()
        gaps(columns, values[x], norm, away)
        _nearest_free(away, free, indptr, indices, k, labels, nearest, holder)
        order = np.arange(n_s)
        sort_by(order, nearest)
        if nearest[order[k - 1]] == np.inf:
            break  # too few s are left, wherever one stands
        _fill(indptr, indices, k, x, blocks, order, holder, labels)
        members = np.flatnonzero(labels == blocks)
        taken += len(members)
        for c in range(d):
            centre[c, blocks] = values[members, c].mean()
        blocks += 1
    if blocks == 0:
        return np.zeros(n, np.int64)
    centre = centre[:, :blocks].copy()
    for x in np.flatnonzero(labels < 0):
        gaps(centre, values[x], norm, away)
        labels[x] = np.argmin(away[:blocks])
    return labels
