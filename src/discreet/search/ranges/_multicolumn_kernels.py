"""Compiled constructions for several numeric columns: distances to the nearest distinct s, cuts of boxes, balls."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from discreet.search._kernels.geometry import gap


@njit(cache=True)
def nearest_distinct(values, indptr, indices, n_s, norm):
    """reach[x, t]: the radius round x within which t + 1 distinct s are seen (x's own come first, at 0). O(n^2)."""
    n = len(values)
    reach = np.empty((n, n_s))
    for x in range(n):
        reach[x] = np.inf
        for y in range(n):
            g = gap(values[x], values[y], norm)
            for e in range(indptr[y], indptr[y + 1]):
                if g < reach[x, indices[e]]:
                    reach[x, indices[e]] = g
        reach[x].sort()
    return reach


@njit(cache=True)
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


@njit(cache=True)
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


@njit(cache=True)
def _widen(values, y, low, high):
    """Enlarge a box to hold a letter; whether it was too small."""
    grown = False
    for c in range(len(low)):
        v = values[y, c]
        if v < low[c]:
            low[c] = v
            grown = True
        if v > high[c]:
            high[c] = v
            grown = True
    return grown


@njit(cache=True)
def _best_cut(values, indptr, indices, n_s, k, norm, along, best):
    """Where to cut letters in order so that both sides see k distinct s and the larger extent is least: (extent, place).

    (best, -1) where no cut does better than `best`.
    """
    m, d = len(along), values.shape[1]
    seen = np.zeros(n_s, np.bool_)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    before = np.empty(m)
    distinct, enough = 0, m  # from what length on a beginning sees k distinct s
    extent = 0.0  # measured anew where the box grows, which it seldom does: a category widens it once
    for t in range(m):
        if _widen(values, along[t], low, high):
            extent = _extent(low, high, norm)
        before[t] = extent
        distinct += _see(indptr, indices, along[t], seen)
        if distinct >= k:
            enough = min(enough, t + 1)
    seen[:] = False
    low[:], high[:] = np.inf, -np.inf
    distinct, place, extent = 0, -1, 0.0
    for t in range(m - 1, enough - 1, -1):
        if _widen(values, along[t], low, high):
            extent = _extent(low, high, norm)
        distinct += _see(indptr, indices, along[t], seen)
        if distinct >= k:
            larger = max(before[t - 1], extent)
            if larger < best:
                best, place = larger, t
    return best, place


@njit(cache=True)
def _see(indptr, indices, x, seen):
    """Mark the s of letter x; how many are new."""
    fresh = 0
    for e in range(indptr[x], indptr[x + 1]):
        if not seen[indices[e]]:
            seen[indices[e]] = True
            fresh += 1
    return fresh


@njit(cache=True)
def least_extent_cuts(values, indptr, indices, n_s, k, norm):
    """Cut boxes in two, at the place that leaves the least larger extent and k distinct s on both sides, until none is.

    The extents of all beginnings and ends along a column come from running boxes, so a cut costs O(m d^2)
    comparisons and few roots.
    """
    n, d = values.shape
    labels, blocks = np.zeros(n, np.int64), 0
    order = np.arange(n)
    stack = [(0, n)]
    while len(stack) > 0:
        first, end = stack.pop()
        part = order[first:end].copy()
        best, cut = np.inf, -1
        for c in range(d):
            along = part[np.argsort(values[part, c], kind="mergesort")]
            extent, place = _best_cut(values, indptr, indices, n_s, k, norm, along, best)
            if place >= 0:
                best, cut = extent, place
                order[first:end] = along
        if cut < 0:
            labels[part] = blocks
            blocks += 1
            continue
        stack.append((first, first + cut))
        stack.append((first + cut, end))
    return labels


@njit(cache=True)
def _nearest_free(values, indptr, indices, norm, x, labels, nearest, holder):
    """For every s the distance from x to the nearest letter without a block that has it, and that letter."""
    nearest[:] = np.inf
    for y in range(len(values)):
        if labels[y] < 0:
            g = gap(values[x], values[y], norm)
            for e in range(indptr[y], indptr[y + 1]):
                if g < nearest[indices[e]]:
                    nearest[indices[e]] = g
                    holder[indices[e]] = y


@njit(cache=True)
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


@njit(cache=True)
def balls(values, indptr, indices, n_s, k, norm, hardest):
    """Blocks round the hardest letters first: each takes, of every s it lacks, the nearest free letter, k in all.

    Letters left when no further block can be filled join the block whose centroid is nearest.
    """
    n, d = values.shape
    labels = np.full(n, -1, np.int64)
    nearest, holder = np.empty(n_s), np.empty(n_s, np.int64)
    centre, blocks = np.zeros((n, d)), 0
    for x in hardest:
        if labels[x] >= 0:
            continue
        _nearest_free(values, indptr, indices, norm, x, labels, nearest, holder)
        order = np.argsort(nearest, kind="mergesort")
        if nearest[order[k - 1]] == np.inf:
            continue
        _fill(indptr, indices, k, x, blocks, order, holder, labels)
        members = np.flatnonzero(labels == blocks)
        for c in range(d):
            centre[blocks, c] = values[members, c].mean()
        blocks += 1
    if blocks == 0:
        return np.zeros(n, np.int64)
    for x in np.flatnonzero(labels < 0):
        best = np.inf
        for b in range(blocks):
            g = gap(values[x], centre[b], norm)
            if g < best:
                best = g
                labels[x] = b
    return labels
