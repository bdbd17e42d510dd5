"""Compiled: the walk over all boxes that finds, for prices y, the groups whose prices exceed their loss.

Column by column, a class of cells splits the list of types, each part keeps the order (falling price), and the last line
column is swept by windows. Everything is int64: prices and costs are multiples of 2^-40. With k <= 1 the sensitive values
are not looked at.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.tables._bound_group_kernels import hopeful, shortened
from discreet.search.tables._bound_sweep_kernels import sweep


@helper
def cheapest(part, a, b, code, before, kind, labels, marks, mark_at, wanted):
    """Whether this cell is the cheapest listed one for the codes of part[a:b]; if not, it is met again, cheaper."""
    if kind == 0:
        if before < 0:
            return True
        child = labels[before + code[part[a]]]
        for e in range(a + 1, b):
            if labels[before + code[part[e]]] != child:
                return True
        return False
    seen = 0
    for e in range(a, b):
        if seen == wanted:
            return True
        seen |= marks[mark_at + code[part[e]]]
    return seen == wanted


@helper
def split(src, lo, hi, dst, code, labels, offset, count, part_label, part_lo, part_hi):
    """Parts of src[lo:hi] by label, each in src's order, into dst; returns how many. `count` is zero before and after."""
    found = 0
    for e in range(lo, hi):
        label = labels[offset + code[src[e]]]
        if label >= 0:
            if count[label] == 0:
                part_label[found] = label
                found += 1
            count[label] += 1
    fill = 0
    for p in range(found):
        part_lo[p] = fill
        fill += count[part_label[p]]
        part_hi[p] = fill
        count[part_label[p]] = part_lo[p]
    for e in range(lo, hi):
        label = labels[offset + code[src[e]]]
        if label >= 0:
            dst[count[label]] = src[e]
            count[label] += 1
    for p in range(found):
        count[part_label[p]] = 0
    return found


@kernel
def walk(
    codes, at, counts, y, values, n, k, slack, class_of, labels, label_at, costs, cost_at, kinds, marks, wanted, opens,
    closes, delta, where, length, paid, group, most_work,
):  # fmt: skip
    """Lowers delta[t] to the least of cost(B) - mean price(S) over groups S with t, wherever that is below `slack`.

    Column j has the classes class_of[j]..class_of[j+1]-1; class c maps a code to labels[label_at[c] + code] and its cells
    cost costs[cost_at[c] + label]. group[where[t]:] holds the length[t] members of the group that gave delta[t], paid[t]
    the cost of its box. Returns (done, used, work): not done where the work exceeds `most_work`; then delta proves
    nothing.
    """
    d, m = codes.shape
    lists = np.empty((d + 1, m), np.int32)
    most = 0
    for t in range(m):
        lists[0, t] = t
        most = max(most, values[t])
    widest = 1
    for c in range(class_of[d]):
        widest = max(widest, cost_at[c + 1] - cost_at[c])
    count = np.zeros(widest, np.int64)
    part_lo = np.empty((d, widest), np.int64)
    part_hi = np.empty((d, widest), np.int64)
    part_label = np.empty((d, widest), np.int64)
    parts = np.zeros(d + 1, np.int64)
    here = np.zeros(d + 1, np.int64)  # the part being walked
    klass = np.zeros(d + 1, np.int64)
    by_place = np.empty(m, np.int64)
    top = np.empty(n + 2, np.int64)
    times = np.zeros(m, np.int64)
    seen = np.zeros(most + 1, np.int64)
    lo = np.zeros(d + 1, np.int64)
    hi = np.zeros(d + 1, np.int64)
    base = np.zeros(d + 1, np.int64)
    zero = np.int64(0)  # a plain 0 has a type of its own, for which all below would be compiled again
    used, work, stamp = zero, zero, zero
    hi[0] = shortened(lists[0], zero, m, counts, y, n, k, zero, slack)
    if hi[0] == 0:
        return True, used, work
    if d == 0:
        used, stamp, work = sweep(
            lists[0], zero, hi[0], at, opens, closes, counts, y, values, n, k, zero, slack, delta, where, length, paid, group,
            used, by_place, top, times, seen, stamp,
        )  # fmt: skip
        return True, used, work
    j = 0
    klass[0] = class_of[0] - 1
    while j >= 0:
        if work > most_work:
            return False, used, work
        here[j] += 1
        if here[j] >= parts[j]:
            klass[j] += 1
            if klass[j] >= class_of[j + 1]:
                j -= 1
                continue
            parts[j] = split(lists[j], lo[j], hi[j], lists[j + 1], codes[j], labels, label_at[klass[j]], count,
                             part_label[j], part_lo[j], part_hi[j])  # fmt: skip
            work += 2 * (hi[j] - lo[j]) + parts[j]
            here[j] = -1
            continue
        p = here[j]
        c = klass[j]
        a, b = part_lo[j, p], part_hi[j, p]
        dst = lists[j + 1]
        cell = cost_at[c] + part_label[j, p]
        cost = base[j] + costs[cell]
        if y[dst[a]] <= cost - slack:  # the dearest alone is no dearer than the box
            continue
        before = label_at[c - 1] if c > class_of[j] else -1
        if not cheapest(dst, a, b, codes[j], before, kinds[j], labels, marks, label_at[c], wanted[cell]):
            continue
        end = shortened(dst, a, b, counts, y, n, k, cost, slack)
        if end == a or not hopeful(dst, a, end, counts, y, n, k, cost, delta):
            continue
        if j + 1 < d:
            j += 1
            lo[j], hi[j], base[j] = a, end, cost
            klass[j] = class_of[j] - 1
            parts[j] = 0
            here[j] = 0
        else:
            used, stamp, more = sweep(
                dst, a, end, at, opens, closes, counts, y, values, n, k, cost, slack, delta, where, length, paid, group,
                used, by_place, top, times, seen, stamp,
            )  # fmt: skip
            work += more
    return True, used, work
