"""Compiled: all windows of the last line over one list of types, and what each says about the prices."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from discreet._compile import helper
from discreet.search.tables._bound_group_kernels import clear, dearest, dearest_group

NOTHING = np.int64(-1)


@helper
def sort_by_place(part, lo, hi, at, places, by_place):
    """by_place[:hi-lo] = part[lo:hi] by place, ties by price."""
    size = hi - lo
    if size <= 48:
        for e in range(size):
            t = part[lo + e]
            f = e - 1
            while f >= 0 and at[by_place[f]] > at[t]:
                by_place[f + 1] = by_place[f]
                f -= 1
            by_place[f + 1] = t
        return
    start = np.zeros(places + 1, np.int64)
    for e in range(lo, hi):
        start[at[part[e]] + 1] += 1
    for p in range(places):
        start[p + 1] += start[p]
    for e in range(lo, hi):
        p = at[part[e]]
        by_place[start[p]] = part[e]
        start[p] += 1


@helper
def compacted(where, length, group):
    """Moves the groups still referred to to the front of `group`; returns how much of it they take."""
    order = np.argsort(where)
    used, last, moved = 0, -1, -1
    for i in range(len(order)):
        t = order[i]
        if where[t] < 0:
            continue
        if where[t] != last:
            last, moved = where[t], used
            for e in range(2 * length[t]):
                group[used + e] = group[last + e]
            used += 2 * length[t]
        where[t] = moved
    return used


@helper
def note_with_k(
    part, lo, hi, at, a, b, counts, y, values, n, k, cost, slack, delta, where, length, paid, group, used, times, seen,
    stamp,
):  # fmt: skip
    """What one window says where k distinct values are asked for; returns (used, stamp, work)."""
    stamp += 1
    have, price, end = dearest_group(part, lo, hi, at, a, b, counts, y, values, n, k, NOTHING, times, stamp, seen)
    work = end - lo
    if have == 0 or price <= have * (cost - slack):
        clear(part, lo, end, NOTHING, times)
        return used, stamp, work
    best = (have * cost - price) // have
    noted, width = -1, 0
    for e in range(lo, end):
        t = part[e]
        if times[t] > 0 and best < delta[t]:
            delta[t] = best
            paid[t] = cost
            if noted < 0 and used + 2 * (end - lo) <= len(group):
                noted = used
                for f in range(lo, end):
                    if times[part[f]] > 0:
                        group[used] = part[f]
                        group[used + 1] = times[part[f]]
                        used += 2
                        width += 1
            where[t] = noted
            length[t] = width
    clear(part, lo, end, NOTHING, times)
    # no group with another type has a higher mean, so those already as low need no look
    for e in range(lo, hi):
        t = np.int64(part[e])
        if delta[t] <= best or at[t] < a or at[t] > b:
            continue
        stamp += 1
        have, price, end = dearest_group(part, lo, hi, at, a, b, counts, y, values, n, k, t, times, stamp, seen)
        work += end - lo
        if have > 0 and have * cost - price < have * delta[t]:
            delta[t] = (have * cost - price) // have
            paid[t] = cost
            where[t] = -1
            length[t] = 0
            if used + 2 * (end - lo + 1) <= len(group):
                where[t] = used
                width = 0
                for f in range(lo, end):
                    if times[part[f]] > 0 and part[f] != t:
                        group[used] = part[f]
                        group[used + 1] = times[part[f]]
                        used += 2
                        width += 1
                group[used] = t
                group[used + 1] = times[t]
                used += 2
                length[t] = width + 1
        clear(part, lo, end, t, times)
    return used, stamp, work


@helper
def note(top, q, have, price, by_place, first, e, counts, y, n, cost, slack, delta, where, length, paid, group, used):
    """What one window says: top[:q] holds its dearest n records (the last type perhaps in part). Returns used.

    Every type in top has cost - mean(top), any other type t in the window cost minus the mean of t with the dearest n-1.
    """
    last = top[q - 1]
    spare = have - n
    full = price - spare * y[last]
    value = (n * cost - full) // n  # // rounds down, also below zero
    noted = -1
    for f in range(q):
        t = top[f]
        if value < delta[t]:
            delta[t] = value
            paid[t] = cost
            if noted < 0 and used + 2 * q <= len(group):
                noted = used
                for g in range(q):
                    group[used] = top[g]
                    group[used + 1] = counts[top[g]] - (spare if g == q - 1 else 0)
                    used += 2
            where[t] = noted
            length[t] = q if noted >= 0 else 0
    rest = full - y[last]
    left = counts[last] - spare - 1
    least = n * (cost - slack) - rest
    for g in range(first, e):
        t = by_place[g]
        if t <= last or y[t] <= least:
            continue
        value = (n * cost - rest - y[t]) // n
        if value < delta[t]:
            delta[t] = value
            paid[t] = cost
            where[t] = -1
            length[t] = 0
            width = q + (1 if left > 0 else 0)
            if used + 2 * width <= len(group):
                where[t] = used
                length[t] = width
                for h in range(q - 1):
                    group[used] = top[h]
                    group[used + 1] = counts[top[h]]
                    used += 2
                if left > 0:
                    group[used] = last
                    group[used + 1] = left
                    used += 2
                group[used] = t
                group[used + 1] = 1
                used += 2
    return used


@helper
def sweep(
    part, lo, hi, at, opens, closes, counts, y, values, n, k, base, slack, delta, where, length, paid, group, used,
    by_place, top, times, seen, stamp,
):  # fmt: skip
    """Every window of the last line over part[lo:hi]; lowers delta, notes the groups. Returns (used, stamp, work)."""
    size = hi - lo
    work = size
    if used > len(group) // 2 and len(group) > 8 * len(where):
        used = compacted(where, length, group)
        work += 8 * len(where)
        if used > len(group) // 4:
            used = len(group)  # too many to keep noting: what follows only lowers delta
    _, most = dearest(part, lo, hi, counts, y, n)
    if k > 1:
        stamp += 1
        have, price, end = dearest_group(
            part, lo, hi, at, np.int64(0), np.int64(len(opens)), counts, y, values, n, k, NOTHING, times, stamp, seen
        )
        clear(part, lo, end, NOTHING, times)
        if have == 0 or price <= have * (base - slack):
            return used, stamp, work
        most = min(most, n * (price // have + 1))
    sort_by_place(part, lo, hi, at, len(opens), by_place)
    zero = np.int64(0)
    first = zero
    while first < size:
        a = np.int64(at[by_place[first]])
        q, have, price = zero, zero, zero  # top[:q]: the dearest records seen, `have` >= n only through its last type
        e = first
        while e < size:
            b = np.int64(at[by_place[e]])
            cost = base
            if b > a and closes[b] > opens[a]:
                cost += closes[b] - opens[a]
            if most <= n * (cost - slack):
                break
            while e < size and at[by_place[e]] == b:
                t = by_place[e]
                e += 1
                work += 1
                if have >= n and t > top[q - 1]:
                    continue
                f = q
                while f > 0 and top[f - 1] > t:
                    top[f] = top[f - 1]
                    f -= 1
                work += q - f
                top[f] = t
                q += 1
                have += counts[t]
                price += counts[t] * y[t]
                while have - counts[top[q - 1]] >= n:
                    q -= 1
                    have -= counts[top[q]]
                    price -= counts[top[q]] * y[top[q]]
            if have < n or price - (have - n) * y[top[q - 1]] <= n * (cost - slack):
                continue
            if k > 1:
                used, stamp, more = note_with_k(
                    part, lo, hi, at, a, b, counts, y, values, n, k, cost, slack, delta, where, length, paid, group,
                    used, times, seen, stamp,
                )  # fmt: skip
                work += more
            else:
                used = note(top, q, have, price, by_place, first, e, counts, y, n, cost, slack, delta, where, length,
                            paid, group, used)  # fmt: skip
                work += e - first
        while first < size and at[by_place[first]] == a:
            first += 1
    return used, stamp, work
