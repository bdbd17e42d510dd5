# mypy: ignore-errors
"""Compiled: the top-down tree, and the best runs along an order.

In a node of the tree every cut of every column is scored by the hulls on its two sides.
"""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.tables._kernels import NOBODY, add_letter, cost_with, empty_hull, tally_fits, tally_letter

FINE = 4096
"""Nodes of at most this many letters may be cut inside a code too."""

MOST_WORK = 1 << 30  # values that are looked at along an order, a second or two


@helper
def by_code(codes, perm, start, end, c, low, high, letters, spare, first):
    """Sort the letters of a node by their code in column c, keeping their order where it is equal; digit by digit."""
    size = end - start
    for i in range(size):
        letters[i] = perm[start + i]
    shift = 0
    bits = 1
    while bits < 16 and (1 << bits) < 4 * size and (high - low) >> bits:
        bits += 1
    base = 1 << bits
    while (high - low) >> shift:
        for b in range(base + 1):
            first[b] = 0
        for i in range(size):
            first[(((codes[letters[i], c] - low) >> shift) & (base - 1)) + 1] += 1
        for b in range(base):
            first[b + 1] += first[b]
        for i in range(size):
            b = ((codes[letters[i], c] - low) >> shift) & (base - 1)
            spare[first[b]] = letters[i]
            first[b] += 1
        for i in range(size):
            letters[i] = spare[i]
        shift += bits


@helper
def mark_fitting(need, counts, letters, size, tally, distinct, fits):
    """Mark with `fits` the cuts after a place whose two sides both have what they must have."""
    for side in range(2):
        tally[:] = 0
        distinct[:] = 0
        weight = 0
        good = False
        for step in range(size - 1):
            i = step if side == 0 else size - 1 - step
            if not good or need.least[1] == 2:
                tally_letter(need, letters[i], tally, distinct)
                weight += counts[letters[i]]
                # without caps, what fits goes on fitting as it grows
                good = tally_fits(need, tally, distinct, weight)
            if not good:
                fits[i - side] = False


@helper
def cheapest_cut(codes, counts, cells, scale, letters, size, c, whole, total, least, fits, best, cost, hull, bits):
    """Where to cut a run of letters sorted by column c in two that fit, for less than `best`: the loss and the place, or 0.

    Losses from the left are kept, and those from the right added on the way back. `whole`: values of c stay together.
    """
    best_cut = 0
    for side in range(2):
        empty_hull(hull, bits)
        weight = 0
        for step in range(size - 1):
            i = step if side == 0 else size - 1 - step
            cut = i + 1 - side
            x = letters[i]
            add_letter(cells, codes, x, hull, bits)
            weight += counts[x]
            if side == 0:
                cost[cut] = np.inf
                if weight < least or total - weight < least or not fits[i]:
                    continue
                if whole and codes[letters[cut], c] == codes[x, c]:
                    continue
            elif not cost[cut] < best:
                continue
            found = weight * cost_with(cells, codes, NOBODY, scale, hull, bits, np.inf)
            if side == 0:
                cost[cut] = found
            elif cost[cut] + found < best:
                best = cost[cut] + found
                best_cut = cut
    return best, best_cut


@kernel
def top_down(codes, counts, cells, need, scale, perm, roots):
    """Cut the letters `perm`, in place, until no cut leaves both sides fit.

    `roots` are the places where parts begin that are cut on their own, and the end. Returns where the leaves begin.
    """
    m, d = codes.shape
    least = need.least[0]
    first = np.empty((1 << 16) + 2, dtype=np.int64)
    letters = np.empty(m, dtype=np.int64)
    spare = np.empty(m, dtype=np.int64)
    chosen = np.empty(m, dtype=np.int64)
    cost = np.empty(m, dtype=np.float64)
    fits = np.empty(m, dtype=np.bool_)
    hull = np.empty((d, 2), dtype=np.int32)
    bits = np.empty(cells.words[0], dtype=np.uint64)
    tally = np.empty(len(need.cap), dtype=np.int64)
    distinct = np.empty(len(need.least) - 2, dtype=np.int64)
    leaves = np.empty(m, dtype=np.int64)
    n_leaves = 0
    stack = np.empty((m + 1, 2), dtype=np.int64)
    high = 0
    for r in range(len(roots) - 2, -1, -1):
        stack[high, 0] = roots[r]
        stack[high, 1] = roots[r + 1]
        high += 1
    while high > 0:
        high -= 1
        start = stack[high, 0]
        end = stack[high, 1]
        size = end - start
        total = np.int64(0)
        for i in range(start, end):
            total += counts[perm[i]]
        best = np.inf
        best_cut = 0
        for c in range(d):
            if total < 2 * least:
                break
            low = codes[perm[start], c]
            top = low
            for i in range(start, end):
                low = min(low, codes[perm[i], c])
                top = max(top, codes[perm[i], c])
            if low == top:
                continue
            by_code(codes, perm, start, end, c, low, top, letters, spare, first)
            for i in range(size):
                fits[i] = True
            if need.least[1] > 0:
                mark_fitting(need, counts, letters, size, tally, distinct, fits)
            found, cut = cheapest_cut(
                codes, counts, cells, scale, letters, size, c, size > FINE, total, least, fits, best, cost, hull, bits
            )
            improved = cut > 0
            if improved:
                best, best_cut = found, cut
            if improved:
                for i in range(size):
                    chosen[i] = letters[i]
        if best_cut == 0:
            leaves[n_leaves] = start
            n_leaves += 1
            continue
        for i in range(size):
            perm[start + i] = chosen[i]
        stack[high, 0] = start + best_cut
        stack[high, 1] = end
        stack[high + 1, 0] = start
        stack[high + 1, 1] = start + best_cut
        high += 2
    return leaves[:n_leaves]


@kernel
def along(codes, counts, cells, need, order, breaks):
    """The best cut of an order of letters into runs that fit, by dynamic programming; none holds a break but at its start.

    Returns the cost, and for each place whether a run begins there. A run that can be cut into two that fit need not be
    looked at: the halves cost no more. Where caps make that untrue, runs of up to eight times the least are tried; where runs
    must be so long that this would take too much work, the cost is infinite.
    """
    m, d = len(order), codes.shape[1]
    least = need.least[0]
    mode = need.least[1]
    value = np.empty(m + 1, dtype=np.float64)
    back = np.empty(m + 1, dtype=np.int64)
    value[0] = 0.0
    hull = np.empty((d, 2), dtype=np.int32)
    bits = np.empty(cells.words[0], dtype=np.uint64)
    scale = np.empty(d, dtype=np.float64)
    scale[:] = 1.0
    tally = np.empty((2, len(need.cap)), dtype=np.int64)
    distinct = np.empty((2, len(need.least) - 2), dtype=np.int64)
    tally[:] = 0
    work = 0
    for j in range(1, m + 1):
        value[j] = np.inf
        back[j] = -1
        empty_hull(hull, bits)
        distinct[:] = 0
        weight = 0
        behind = -1  # records of the run before the shortest part that fits, once there is one
        i = j
        while i > 0:
            i -= 1
            x = order[i]
            add_letter(cells, codes, x, hull, bits)
            weight += counts[x]
            fit = weight >= least
            if mode > 0:
                tally_letter(need, x, tally[0], distinct[0])
                fit = fit and tally_fits(need, tally[0], distinct[0], weight)
            if behind >= 0:
                behind += counts[x]
                if mode == 1:
                    tally_letter(need, x, tally[1], distinct[1])
            elif fit:
                behind = 0
            if fit and value[i] < np.inf:
                found = value[i] + weight * cost_with(cells, codes, NOBODY, scale, hull, bits, np.inf)
                if found < value[j]:
                    value[j] = found
                    back[j] = i
            if breaks[i]:
                break
            if value[j] < np.inf and behind >= least:
                if mode == 0 or (mode == 1 and tally_fits(need, tally[1], distinct[1], behind)):
                    break
                if mode == 2 and weight >= 8 * least:
                    break
        if mode == 2:
            work += (j - i) * (d + len(need.cap))
            if work > MOST_WORK:
                return np.inf, np.zeros(m, dtype=np.bool_)
        if mode > 0:
            for t in range(i, j):
                for e in range(need.indptr[order[t]], need.indptr[order[t] + 1]):
                    tally[0, need.entry[e, 0]] = 0
                    tally[1, need.entry[e, 0]] = 0
    begins = np.zeros(m, dtype=np.bool_)
    j = m
    while j > 0 and back[j] >= 0:
        j = back[j]
        begins[j] = True
    return value[m], begins
