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
        else:
            total += side**norm
    return total if norm == np.inf else total ** (1.0 / norm)


@njit(cache=True)
def least_extent_cuts(values, indptr, indices, n_s, k, norm):
    """Cut boxes in two, at the place that leaves the least larger extent and k distinct s on both sides, until none is.

    The extents of all prefixes and suffixes along a column come from running boxes, so a cut costs O(m d^2).
    """
    n, d = values.shape
    labels = np.zeros(n, np.int64)
    order = np.arange(n)
    first = np.zeros(n, np.int64)
    end = np.zeros(n, np.int64)
    end[0] = n
    waiting, blocks = 1, 0
    before = np.empty(n)
    stamp = np.full(n_s, -1, np.int64)
    mark = 0
    low = np.empty(d)
    high = np.empty(d)
    while waiting > 0:
        waiting -= 1
        a, b = first[waiting], end[waiting]
        part = order[a:b].copy()
        m = b - a
        best, best_column, best_cut = np.inf, -1, -1
        for c in range(d):
            along = part[np.argsort(values[part, c], kind="mergesort")]
            # Prefixes: their extents, and from which length on they see k distinct s.
            seen, enough_left = 0, m + 1
            mark += 1
            low[:] = np.inf
            high[:] = -np.inf
            for t in range(m):
                y = along[t]
                for q in range(d):
                    low[q] = min(low[q], values[y, q])
                    high[q] = max(high[q], values[y, q])
                before[t] = _extent(low, high, norm)
                for e in range(indptr[y], indptr[y + 1]):
                    if stamp[indices[e]] != mark:
                        stamp[indices[e]] = mark
                        seen += 1
                if seen >= k and enough_left > m:
                    enough_left = t + 1
            seen = 0
            mark += 1
            low[:] = np.inf
            high[:] = -np.inf
            for t in range(m - 1, 0, -1):
                y = along[t]
                for q in range(d):
                    low[q] = min(low[q], values[y, q])
                    high[q] = max(high[q], values[y, q])
                for e in range(indptr[y], indptr[y + 1]):
                    if stamp[indices[e]] != mark:
                        stamp[indices[e]] = mark
                        seen += 1
                if t < enough_left:
                    break
                if seen >= k:
                    larger = max(before[t - 1], _extent(low, high, norm))
                    if larger < best:
                        best, best_column, best_cut = larger, c, t
        if best_column < 0:
            labels[part] = blocks
            blocks += 1
            continue
        order[a:b] = part[np.argsort(values[part, best_column], kind="mergesort")]
        first[waiting], end[waiting] = a, a + best_cut
        first[waiting + 1], end[waiting + 1] = a + best_cut, b
        waiting += 2
    return labels


@njit(cache=True)
def balls(values, indptr, indices, n_s, k, norm, hardest):
    """Blocks round the hardest letters first: each takes, of every s it lacks, the nearest free letter, k in all.

    Letters left when no further block can be filled join the block whose centroid is nearest.
    """
    n, d = values.shape
    labels = np.full(n, -1, np.int64)
    nearest = np.empty(n_s)
    holder = np.empty(n_s, np.int64)
    has = np.zeros(n_s, np.int64)
    centre = np.zeros((n, d))
    blocks = 0
    for x in hardest:
        if labels[x] >= 0:
            continue
        nearest[:] = np.inf
        for y in range(n):
            if labels[y] < 0:
                g = gap(values[x], values[y], norm)
                for e in range(indptr[y], indptr[y + 1]):
                    if g < nearest[indices[e]]:
                        nearest[indices[e]] = g
                        holder[indices[e]] = y
        by_distance = np.argsort(nearest, kind="mergesort")
        if nearest[by_distance[k - 1]] == np.inf:
            continue
        has[:] = 0
        distinct, members = 0, 0
        for t in range(n_s):
            s = by_distance[t]
            # x itself always belongs, even where other letters at the same place stand first.
            y = x if t == 0 else holder[s]
            if distinct >= k:
                break
            if labels[y] == blocks or (t > 0 and has[s] > 0):
                continue
            labels[y] = blocks
            members += 1
            for c in range(d):
                centre[blocks, c] += values[y, c]
            for e in range(indptr[y], indptr[y + 1]):
                if has[indices[e]] == 0:
                    distinct += 1
                has[indices[e]] += 1
            if t == 0 and has[s] == 0 and holder[s] != x:
                y = holder[s]
                if distinct < k and labels[y] < 0:
                    labels[y] = blocks
                    members += 1
                    for c in range(d):
                        centre[blocks, c] += values[y, c]
                    for e in range(indptr[y], indptr[y + 1]):
                        if has[indices[e]] == 0:
                            distinct += 1
                        has[indices[e]] += 1
        if distinct < k:
            # Ties at distance 0 left x's block short: give its letters back.
            for y in range(n):
                if labels[y] == blocks:
                    labels[y] = -1
            centre[blocks] = 0.0
            continue
        for c in range(d):
            centre[blocks, c] /= members
        blocks += 1
    if blocks == 0:
        return np.zeros(n, np.int64)
    for x in range(n):
        if labels[x] < 0:
            best = np.inf
            for b in range(blocks):
                g = gap(values[x], centre[b], norm)
                if g < best:
                    best = g
                    labels[x] = b
    return labels
