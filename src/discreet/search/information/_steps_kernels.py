# mypy: ignore-errors
"""Compiled: flips, relaxation and climbs over the sets of blocks that could be merged next (SPEC 8).

With t the weights of W by s and D(t) = Σ_s h(t_s) − (1−λ) h(Σ_s t_s), merging W adds D(t) − Σ_{x∈W} `cost[x]` to N times
the Lagrangian; cost[x] = D(t_x), `keep` = 1 − λ, and `sign` is 1 for the funnel, −1 for the bottleneck. `rows` are the
blocks as in `kernels.mdsf`: (indptr, indices, weight, of_letter).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from discreet.search.information._theorem_kernels import h, sums

LOG2E = 1.0 / np.log(2.0)


@njit(cache=True)
def flip(x, t, total, member, rows, cost, keep, sign, table):
    """What the objective changes by when x joins or leaves the set with sums t and `total`."""
    indptr, indices, weight, of_letter = rows
    way = -1.0 if member[x] else 1.0
    change = -keep * (h(table, total + way * of_letter[x]) - h(table, total)) - way * cost[x]
    for i in range(indptr[x], indptr[x + 1]):
        here = t[indices[i]]
        change += h(table, here + way * weight[i]) - h(table, here)
    return sign * change


@njit(cache=True)
def apply(x, t, total, member, rows):
    """Let x join or leave; returns the new total."""
    indptr, indices, weight, of_letter = rows
    way = -1.0 if member[x] else 1.0
    for i in range(indptr[x], indptr[x + 1]):
        t[indices[i]] += way * weight[i]
    member[x] = not member[x]
    return total + way * of_letter[x]


@njit(cache=True)
def descend(member, rows, n_s, cost, keep, sign, table, least, pairs):
    """Flip single blocks, and pairs of them where `pairs`, in place, while the objective falls by more than `least`."""
    n = len(member)
    t, total = sums(member, rows[0], rows[1], rows[2], rows[3], n_s)
    last, x = n, 0  # a full round without a flip ends the singles
    while True:
        while last > 0:
            if flip(x, t, total, member, rows, cost, keep, sign, table) < -least:
                total = apply(x, t, total, member, rows)
                last = n
            else:
                last -= 1
            x = x + 1 if x + 1 < n else 0
        if not pairs:
            return
        moved = False
        for one in range(n - 1):
            first = flip(one, t, total, member, rows, cost, keep, sign, table)
            total = apply(one, t, total, member, rows)
            best, other = -least, -1
            for two in range(one + 1, n):
                both = first + flip(two, t, total, member, rows, cost, keep, sign, table)
                if both < best:
                    best, other = both, two
            if other >= 0:
                total = apply(other, t, total, member, rows)
                moved = True
                break
            total = apply(one, t, total, member, rows)
        if not moved:
            return
        last = n


@njit(cache=True)
def least_subset(rows, n_s, cost, keep, sign, table):
    """The best of all subsets, in Gray code order: one flip each. Ties go to the first."""
    n = len(cost)
    member, best = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    t, total = np.zeros(n_s), 0.0
    value, lowest = 0.0, 0.0
    for code in range(1, 1 << n):
        x = 0
        while not (code >> x) & 1:
            x += 1
        value += flip(x, t, total, member, rows, cost, keep, sign, table)
        total = apply(x, t, total, member, rows)
        if value < lowest - 1e-12 * (1.0 + abs(lowest)):
            lowest = value
            best[:] = member
    return best


@njit(cache=True)
def slopes(t, total, rows, cost, keep):
    """∂/∂z_x of D(Σ z_x t_x) − Σ z_x D(t_x); −inf where an s of x has no weight yet."""
    indptr, indices, weight, of_letter = rows
    found = np.empty(len(of_letter))
    log_total = np.log2(total) if total > 0.0 else 0.0
    for x in range(len(found)):
        slope = of_letter[x] * ((1.0 - keep) * LOG2E - keep * log_total) - cost[x]
        for i in range(indptr[x], indptr[x + 1]):
            here = t[indices[i]]
            if here <= 0.0:
                slope = -np.inf
                break
            slope += weight[i] * np.log2(here)
        found[x] = slope
    return found


@njit(cache=True)
def tangent_of(x, move, t, total, rows, cost, keep):
    """Slope and curvature in z_x where z_x has moved by `move` from the sums t and `total`."""
    indptr, indices, weight, of_letter = rows
    whole = total + move * of_letter[x]
    if whole <= 0.0:
        return -np.inf, np.inf
    slope = of_letter[x] * ((1.0 - keep) * LOG2E - keep * np.log2(whole)) - cost[x]
    curve = -keep * of_letter[x] * of_letter[x] / whole
    for i in range(indptr[x], indptr[x + 1]):
        part = t[indices[i]] + move * weight[i]
        if part <= 0.0:
            return -np.inf, np.inf
        slope += weight[i] * np.log2(part)
        curve += weight[i] * weight[i] / part
    return slope, curve * LOG2E


@njit(cache=True)
def best_share(x, share, t, total, rows, cost, keep):
    """The best z_x in [0, 1], all others fixed: an end, or Newton steps kept inside the bracket by bisection."""
    if tangent_of(x, 1.0 - share, t, total, rows, cost, keep)[0] <= 0.0:
        return 1.0
    if tangent_of(x, -share, t, total, rows, cost, keep)[0] >= 0.0:
        return 0.0
    low, high, here = 0.0, 1.0, min(max(share, 1e-6), 1.0 - 1e-6)
    for _ in range(60):
        slope, curve = tangent_of(x, here - share, t, total, rows, cost, keep)
        if slope < 0.0:
            low = here
        else:
            high = here
        step = here - slope / curve if curve > 0.0 and slope > -np.inf else low
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - here) <= 1e-14:
            break
        here = step
    return here


@njit(cache=True)
def relax(z, rows, n_s, cost, keep, sweeps, enough):
    """Minimise the convex F(z) = D(Σ z_x t_x) − Σ z_x D(t_x) over the cube, in place, one z_x after the other.

    Returns (F(z), lower bound). The bound is Frank and Wolfe's: the least value over the cube of a tangent plane.
    """
    indptr, indices, weight, of_letter = rows
    n = len(z)
    value, bound = 0.0, -np.inf
    for sweep in range(sweeps):
        t, total = np.zeros(n_s), 0.0  # afresh, so that rounding does not pile up
        for x in range(n):
            total += z[x] * of_letter[x]
            for i in range(indptr[x], indptr[x + 1]):
                t[indices[i]] += z[x] * weight[i]
        if sweep % 4 == 0:
            slope = slopes(t, total, rows, cost, keep)
            value = -keep * total * np.log2(total)
            for s in range(n_s):
                if t[s] > 0.0:
                    value += t[s] * np.log2(t[s])
            below = 0.0
            for x in range(n):
                value -= z[x] * cost[x]
                below += min(slope[x], 0.0) - (slope[x] * z[x] if z[x] > 0.0 else 0.0)
            bound = max(bound, value + below)
            if value - bound <= enough:
                break
        for x in range(n):
            move = best_share(x, z[x], t, total, rows, cost, keep) - z[x]
            if move != 0.0:
                z[x] += move
                total += move * of_letter[x]
                for i in range(indptr[x], indptr[x + 1]):
                    t[indices[i]] += move * weight[i]
    return value, bound


@njit(cache=True)
def best_vertex(t, total, rows, cost, keep, vertex):
    """{x : slope > 0}, the vertex of the cube where the tangent plane at (t, total) is highest; returns its size."""
    indptr, indices, weight, of_letter = rows
    logs = np.empty(len(t))
    for s in range(len(t)):
        logs[s] = np.log2(t[s]) if t[s] > 0.0 else -np.inf  # a block with an s that the set lacks has slope -inf
    shift = (1.0 - keep) * LOG2E - keep * np.log2(total)
    size = 0
    for x in range(len(of_letter)):
        slope = of_letter[x] * shift - cost[x]
        for i in range(indptr[x], indptr[x + 1]):
            slope += weight[i] * logs[indices[i]]
        vertex[x] = slope > 0.0
        size += vertex[x]
    return size


@njit(cache=True)
def value_of(member, t, rows, n_s, cost, keep, table):
    """D(t) − Σ_{x∈W} D(t_x), and |t|; leaves W's sums in t."""
    indptr, indices, weight, of_letter = rows
    t[:] = 0.0
    total, value = 0.0, 0.0
    for x in range(len(member)):
        if member[x]:
            total += of_letter[x]
            value -= cost[x]
            for i in range(indptr[x], indptr[x + 1]):
                t[indices[i]] += weight[i]
    for s in range(n_s):
        value += h(table, t[s])
    return value - keep * h(table, total), total


@njit(cache=True)
def climb(starts, rows, n_s, cost, keep, table, count):
    """CCCP for the bottleneck from pairs of blocks, one a row of `starts`: the `count` best sets that it ends in, best first.

    The bottleneck maximises F(z) = D(Σ z_x t_x) − Σ z_x D(t_x), which is convex: a tangent plane at z lies below F, so the
    vertex of the cube where the plane is highest is no worse than z.
    """
    n = len(cost)
    kept, values = np.zeros((count, n), np.bool_), np.full(count, -np.inf)
    t = np.zeros(n_s)
    best, member = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    for pair in range(len(starts)):
        member[:] = False
        member[starts[pair, 0]] = member[starts[pair, 1]] = True
        size, value = 2, -np.inf
        while size > 1:
            now, total = value_of(member, t, rows, n_s, cost, keep, table)
            if now <= value + 1e-12 * total:
                break
            value = now
            best, member = member, best
            size = best_vertex(t, total, rows, cost, keep, member)
        if value > max(values[count - 1], 0.0):
            insert(kept, values, best, value)
    found = 0
    while found < count and values[found] > 0.0:
        found += 1
    return kept[:found]


@njit(cache=True)
def insert(kept, values, member, value):
    """Put a set in its place among the best so far, the last falling out, unless it is there already."""
    place = 0
    while values[place] > value:
        place += 1
    i = place
    while i < len(values) and values[i] == value:
        if (kept[i] == member).all():
            return
        i += 1
    for i in range(len(values) - 1, place, -1):
        values[i] = values[i - 1]
        kept[i] = kept[i - 1]
    values[place] = value
    kept[place] = member
