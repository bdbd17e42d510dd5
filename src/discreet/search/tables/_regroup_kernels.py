# mypy: ignore-errors
"""Compiled: some neighbouring groups pooled and grouped anew, so that groups come and go."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.tables._groups_kernels import new_slot, put, take, value_with
from discreet.search.tables._kernels import (
    NOBODY,
    add_letter,
    cost_with,
    draw_allowed,
    draw_below,
    empty_hull,
    pair_cost,
    tally_fits,
    tally_letter,
)

CROWD = 300
"""Letters of a window of several groups: regrouping takes time that grows with their square."""


@helper
def _pool(st, near, g, wanted, groups, letters, most):
    """A group and groups of letters near its members, at most `wanted` in all; returns their number and their letters'."""
    n_groups = 0
    count = np.int64(0)
    looks = 0
    y = st.slot[g, 0]
    while looks < 6 * wanted and n_groups < wanted:
        looks += 1
        b = st.ring[y, 0] if y >= 0 else -1
        for i in range(n_groups):
            if groups[i] == b:
                b = -1
        if b >= 0 and count + st.slot[b, 1] <= most:
            groups[n_groups] = b
            n_groups += 1
            for _ in range(st.slot[b, 1]):
                letters[count] = y
                count += 1
                y = st.ring[y, 1]
        if count == 0:
            break
        y = np.int64(near[letters[draw_below(st.random, count)], draw_below(st.random, near.shape[1])])
    return n_groups, count


@helper
def _cheapest(codes, cells, need, letters, count, part, scale, hull, bits, tally, distinct, weight):
    """The place of the free letter that makes a hull least worse, or -1.

    Once a group lacks only values, letters that bring none that it lacks are passed over.
    """
    chosen = -1
    best = np.inf
    picky = need.least[1] == 1 and weight >= need.least[0]
    for i in range(count):
        if part[i] >= 0:
            continue
        if picky:
            new = False
            for e in range(need.indptr[letters[i]], need.indptr[letters[i] + 1]):
                v = need.entry[e, 0]
                if tally[v] == 0 and distinct[need.owner[v]] < need.least[2 + need.owner[v]]:
                    new = True
            if not new:
                continue
        found = cost_with(cells, codes, letters[i], scale, hull, bits, best)
        if found < best:
            best = found
            chosen = i
    return chosen


@helper
def _regroup(st, codes, counts, cells, need, letters, count, part, scale, most):
    """Group the pooled letters anew: seeds far from where the last group began, each grown by the cheapest letter.

    `part` gets the new group of each letter, from 0. Returns the cost and the number of groups; infinity once the cost
    exceeds `most`, or where the letters do not fit at all.
    """
    d = codes.shape[1]
    least = need.least[0]
    mode = need.least[1]
    left = 0
    for i in range(count):
        part[i] = -1
        left += counts[letters[i]]
    room = min(count, left // least) + 1
    hull = np.empty((room, d, 2), dtype=np.int32)
    bits = np.empty((room, cells.words[0]), dtype=np.uint64)
    weight = np.zeros(room, dtype=np.int64)
    value = np.zeros(room, dtype=np.float64)
    tally = np.empty(len(need.cap), dtype=np.int64)
    distinct = np.empty(len(need.least) - 2, dtype=np.int64)
    total = 0.0
    made = 0
    last = letters[draw_below(st.random, count)]
    while left >= least:
        chosen = -1
        far = -1.0
        for i in range(count):
            if part[i] < 0:
                found = pair_cost(cells, codes, last, letters[i])
                if found > far:
                    far = found
                    chosen = i
        last = letters[chosen]
        empty_hull(hull[made], bits[made])
        tally[:] = 0
        distinct[:] = 0
        fit = False
        while chosen >= 0 and not fit:
            x = letters[chosen]
            part[chosen] = made
            weight[made] += counts[x]
            left -= counts[x]
            add_letter(cells, codes, x, hull[made], bits[made])
            if mode > 0:
                tally_letter(need, x, tally, distinct)
            fit = weight[made] >= least and (mode == 0 or tally_fits(need, tally, distinct, weight[made]))
            if not fit:
                chosen = _cheapest(
                    codes, cells, need, letters, count, part, scale,
                    hull[made], bits[made], tally, distinct, weight[made],
                )  # fmt: skip
        if not fit:
            for i in range(count):
                if part[i] == made:
                    part[i] = -1
            break
        made += 1
    if made == 0:
        return np.inf, 0
    scale = np.ones(d)
    for g in range(made):
        value[g] = cost_with(cells, codes, NOBODY, scale, hull[g], bits[g], np.inf)
        total += weight[g] * value[g]
    for i in range(count):
        if total > most:
            return np.inf, made
        if part[i] >= 0:
            continue
        y = letters[i]
        best = np.inf
        chosen = 0
        rise = 0.0
        for g in range(made):
            joined = weight[g] + counts[y]
            found = cost_with(cells, codes, y, scale, hull[g], bits[g], np.inf)
            if joined * found - weight[g] * value[g] < best:
                best = joined * found - weight[g] * value[g]
                chosen = g
                rise = found
        part[i] = chosen
        weight[chosen] += counts[y]
        value[chosen] = rise
        add_letter(cells, codes, y, hull[chosen], bits[chosen])
        total += best
    if mode == 2:
        for g in range(made):
            tally[:] = 0
            distinct[:] = 0
            for i in range(count):
                if part[i] == g:
                    tally_letter(need, letters[i], tally, distinct)
            if not tally_fits(need, tally, distinct, weight[g]):
                return np.inf, made
    return total, made


@kernel
def windows(st, codes, counts, cells, need, near, first, rounds, wanted, temperature):
    """Pool and regroup around random groups; with `wanted` 1, split the groups from slot `first` on that may be two."""
    groups = np.empty(64, dtype=np.int64)
    letters = np.empty(2048, dtype=np.int64)
    part = np.empty(2048, dtype=np.int64)
    slot = np.empty(2048, dtype=np.int64)
    scale = np.ones(codes.shape[1])
    slots = len(st.slot)
    gained = 0.0
    changes = 0
    for r in range(rounds):
        g = draw_below(st.random, slots) if wanted > 1 else first + r
        if st.slot[g, 0] < 0 or (wanted == 1 and st.slot[g, 2] < 2 * need.least[0]):
            continue
        n_groups, count = _pool(st, near, g, wanted, groups, letters, len(letters) if wanted == 1 else CROWD)
        if count < 2 or n_groups < min(wanted, 2):
            continue
        cost = 0.0
        for i in range(n_groups):
            cost += st.slot[groups[i], 2] * st.value[groups[i]]
        room = draw_allowed(st.random, temperature) + cost
        found, made = _regroup(st, codes, counts, cells, need, letters, count, part, scale, room)
        if found >= room or made > st.free[slots] + n_groups:
            continue
        for i in range(count):
            take(st, codes, counts, cells, letters[i], 0.0)
        for i in range(made):
            slot[i] = new_slot(st)
        for i in range(count):
            put(st, codes, counts, cells, letters[i], slot[part[i]], 0.0)
        for i in range(made):
            st.value[slot[i]] = value_with(st, codes, cells, slot[i], NOBODY, NOBODY, np.inf)
        gained += found - cost
        changes += 1
    return gained, changes
