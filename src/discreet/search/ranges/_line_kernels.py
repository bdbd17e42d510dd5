"""Compiled sweeps over one numeric column: windows with k distinct s, dynamic programs, overlapping windows.

Everything here works on positions: letters sorted by value, `x` ascending, `indptr`/`indices` in that order. A window
is a half-open range of positions [j, i).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.geometry import CENTROID, CHEBYSHEV


@kernel
def window_starts(indptr, indices, n_s, k):
    """r[i], the last j whose window [j, i) sees k distinct s; -1 where none does (SPEC 9).

    Two pointers: O(nnz) per k and no memory beyond one count per s, where a move-to-front list would hold all k at once.
    """
    n = len(indptr) - 1
    starts = np.full(n + 1, -1, np.int64)
    count = np.zeros(n_s, np.int64)
    seen = 0
    j = 0
    for i in range(1, n + 1):
        for e in range(indptr[i - 1], indptr[i]):
            s = indices[e]
            if count[s] == 0:
                seen += 1
            count[s] += 1
        while seen >= k:
            for e in range(indptr[j], indptr[j + 1]):
                s = indices[e]
                count[s] -= 1
                if count[s] == 0:
                    seen -= 1
            j += 1
        starts[i] = j - 1
    return starts


@kernel
def narrowest_windows(x, starts):
    """For each position the width of the narrowest window round it that sees k distinct s.

    Windows ending at i and containing p have width x[i-1] - x[min(r(i), p)]. Those with r(i) <= p are a range of i
    whose ends both move right with p (a queue kept increasing gives its least); of the others the first is narrowest.
    """
    n = len(x)
    width = np.empty(n)
    queue = np.empty(n + 1, np.int64)
    head, tail = 0, 0
    i = 1
    while i <= n and starts[i] < 0:
        i += 1
    for p in range(n):
        while i <= n and starts[i] <= p:
            w = x[i - 1] - x[starts[i]]
            while tail > head and x[queue[tail - 1] - 1] - x[starts[queue[tail - 1]]] >= w:
                tail -= 1
            queue[tail] = i
            tail += 1
            i += 1
        while head < tail and queue[head] <= p:
            head += 1
        best = np.inf
        if head < tail:
            best = x[queue[head] - 1] - x[starts[queue[head]]]
        if i <= n:
            best = min(best, x[i - 1] - x[p])
        width[p] = best
    return width


@kernel
def contiguous_midrange(x, starts):
    """The contiguous partition with the least widest block: parent[i] is where the block ending at i begins.

    f[i] = min over j <= r(i) of max(f[j], x[i-1] - x[j]) (SPEC 9). The first term matters only where it falls short of
    every earlier one, so candidates form a stack with f increasing in j; the second decreases in j and grows with i,
    so the crossing of the two only moves right: O(n).
    """
    n = len(x)
    f = np.full(n + 1, np.inf)
    parent = np.full(n + 1, -1, np.int64)
    f[0] = 0.0
    stack = np.empty(n + 1, np.int64)
    top, cross, added = 0, 0, 0
    for i in range(1, n + 1):
        while added <= starts[i]:
            if f[added] < np.inf:
                while top > 0 and f[stack[top - 1]] >= f[added]:
                    top -= 1
                stack[top] = added
                top += 1
            added += 1
        if top == 0:
            continue
        cross = min(cross, top - 1)
        while cross < top - 1 and f[stack[cross]] < x[i - 1] - x[stack[cross]]:
            cross += 1
        for t in (cross, cross - 1):
            if t >= 0:
                j = stack[t]
                value = max(f[j], x[i - 1] - x[j])
                if value < f[i]:
                    f[i] = value
                    parent[i] = j
    return parent


@helper
def window_radius(x, sums, j, i, codeword):
    """Distortion of the block [j, i); `sums` are prefix sums of x."""
    if codeword == CENTROID:
        mean = (sums[i] - sums[j]) / (i - j)
        return max(x[i - 1] - mean, mean - x[j])
    half = 0.5 * (x[i - 1] - x[j])
    if codeword == CHEBYSHEV:
        return half
    # The medoid is the letter next to the midrange, on one side or the other.
    c = j + np.searchsorted(x[j:i], x[j] + half)
    best = x[i - 1] - x[j]
    for t in (c - 1, c):
        if j <= t < i:
            best = min(best, max(x[i - 1] - x[t], x[t] - x[j]))
    return best


@kernel
def contiguous_codeword(x, sums, starts, codeword, reach):
    """The same dynamic program for codewords whose distortion is no simple function of the ends.

    At most `reach` starts are tried for each end, nearest first (exact when reach >= n); a start is hopeless once
    half the width exceeds the best found, since no codeword does better than half the diameter.
    """
    n = len(x)
    f = np.full(n + 1, np.inf)
    parent = np.full(n + 1, -1, np.int64)
    f[0] = 0.0
    for i in range(1, n + 1):
        tried = 0
        j = starts[i]
        while j >= 0 and tried < reach and 0.5 * (x[i - 1] - x[j]) < f[i]:
            if f[j] < f[i]:
                value = max(f[j], window_radius(x, sums, j, i, codeword))
                if value < f[i]:
                    f[i] = value
                    parent[i] = j
            tried += 1
            j -= 1
        if f[i] == np.inf and starts[i] >= 0:
            # All the starts tried were unreachable: the whole prefix as one block keeps the program total.
            f[i] = window_radius(x, sums, np.int64(0), i, codeword)
            parent[i] = 0
    return parent


@kernel
def blocks_from_parents(parent):
    """Label of each position, blocks numbered from the right."""
    n = len(parent) - 1
    labels = np.empty(n, np.int64)
    i, b = n, 0
    while i > 0:
        labels[parent[i] : i] = b
        i = parent[i]
        b += 1
    return labels


@kernel
def cover_by_windows(x, starts, w):
    """Windows (first, end) of width at most w, each with k distinct s, that cover all letters; none if impossible.

    The leftmost letter not covered takes the window that reaches farthest right, so that windows t and t+2 are
    disjoint: otherwise t+2 would have been taken instead of t+1.
    """
    n = len(x)
    # need[j]: width at which the window starting at j has k distinct s.
    need = np.full(n, np.inf)
    for i in range(n, 0, -1):
        for j in range(starts[i], starts[i - 1], -1):
            if j >= 0:
                need[j] = x[i - 1] - x[j]
    first = np.empty(n, np.int64)
    end = np.empty(n, np.int64)
    count, p = 0, 0
    while p < n:
        j = p
        while j >= 0 and need[j] > w:
            j -= 1
        if j < 0 or x[p] - x[j] > w:
            return first[:0], end[:0]
        i = p
        while i < n and x[i] - x[j] <= w:
            i += 1
        first[count] = j
        end[count] = i
        count += 1
        p = i
    return first[:count], end[:count]


@kernel
def cover_by_balls(x, reach, radius):
    """Balls of that radius round letters whose ball sees k distinct s (reach <= radius): (first, end, centre)."""
    n = len(x)
    first = np.empty(n, np.int64)
    end = np.empty(n, np.int64)
    centre = np.empty(n, np.int64)
    count, p, c, low = 0, 0, 0, 0
    while p < n:
        chosen = -1
        while c < n and x[c] - x[p] <= radius:
            c += 1
        t = c - 1
        while t >= 0 and x[p] - x[t] <= radius:
            if reach[t] <= radius:
                chosen = t
                break
            t -= 1
        if chosen < 0:
            return first[:0], end[:0], centre[:0]
        while x[chosen] - x[low] > radius:
            low += 1
        i = p
        while i < n and x[i] - x[chosen] <= radius:
            i += 1
        first[count] = low
        end[count] = i
        centre[count] = chosen
        count += 1
        p = i
    return first[:count], end[:count], centre[:count]


@kernel
def split_overlaps(indptr, indices, n_s, k, first, end, centre):
    """Share out the letters that two successive windows both cover, so that every window keeps k distinct s.

    Left to right, a window takes from its right overlap only what it lacks: first letters whose s the next window has
    in its own part or twice, then those that the next window may still find in its own right overlap, then any.
    `centre` holds positions that must stay in their window (-1: none). Returns labels, and whether every window has k.
    """
    n = len(indptr) - 1
    count = len(first)
    labels = np.full(n, -1, np.int64)
    for t in range(count):
        if centre[t] >= 0:
            labels[centre[t]] = t
    served = True
    seen = np.full(n_s, -1, np.int64)
    spare = np.zeros(n_s, np.int64)
    for t in range(count):
        right = first[t + 1] if t + 1 < count else n
        stop = first[t + 2] if t + 2 < count else n
        distinct = 0
        for p in range(first[t], end[t]):
            if labels[p] == t or (labels[p] < 0 and p < right):
                labels[p] = t
                for e in range(indptr[p], indptr[p + 1]):
                    if seen[indices[e]] != t:
                        seen[indices[e]] = t
                        distinct += 1
        for stage in range(3):
            if distinct >= k or right >= end[t]:
                break
            # spare[s]: letters with s that the next window would keep, counted where this stage may rely on them.
            limit = max(end[t], stop) if stage == 0 else (end[t + 1])
            limit = min(limit, end[t + 1])
            for p in range(right, limit):
                if labels[p] < 0 or labels[p] == t + 1:
                    for e in range(indptr[p], indptr[p + 1]):
                        spare[indices[e]] += 1
            for p in range(right, end[t]):
                if distinct >= k:
                    break
                if labels[p] >= 0:
                    continue
                gain, loss = 0, 0
                for e in range(indptr[p], indptr[p + 1]):
                    if seen[indices[e]] != t:
                        gain += 1
                    if spare[indices[e]] <= 1:
                        loss += 1
                if gain == 0 or (stage < 2 and loss > 0):
                    continue
                labels[p] = t
                for e in range(indptr[p], indptr[p + 1]):
                    s = indices[e]
                    spare[s] -= 1
                    if seen[s] != t:
                        seen[s] = t
                        distinct += 1
            for p in range(right, limit):
                for e in range(indptr[p], indptr[p + 1]):
                    spare[indices[e]] = 0
        served = served and distinct >= k
    return labels, served
