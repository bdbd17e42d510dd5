# mypy: ignore-errors
"""Compiled: new groups from letters that their groups can spare. Slack that many groups have a little of becomes a group."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.tables._groups_kernels import fits_with, new_slot, put, take, value_with
from discreet.search.tables._kernels import NOBODY, draw_allowed, draw_below


@helper
def _around(st, codes, counts, cells, need, near, x, seen, stamp, letters, gain):
    """Letters around x, nearest first in steps, with what their groups gain without them; returns their number."""
    letters[0] = x
    seen[x] = stamp
    count = 1
    i = 0
    while i < count:
        y = letters[i]
        a = st.ring[y, 0]
        gain[i] = -np.inf
        if a >= 0 and st.slot[a, 1] > 1 and st.slot[a, 2] - counts[y] >= need.least[0]:
            less = value_with(st, codes, cells, a, y, NOBODY, np.inf)
            gain[i] = st.slot[a, 2] * st.value[a] - (st.slot[a, 2] - counts[y]) * less
        for s in range(near.shape[1]):
            z = np.int64(near[y, s])
            if z >= 0 and seen[z] != stamp and count < len(letters):
                seen[z] = stamp
                letters[count] = z
                count += 1
        i += 1
    return count


@kernel
def found(st, codes, counts, cells, need, near, seen, stamp, rounds, reach, temperature):
    """Try to found groups around random letters; each looks at `reach` letters. Returns the gain and the groups founded."""
    least = need.least[0]
    letters = np.empty(reach, dtype=np.int64)
    donor = np.empty(reach, dtype=np.int64)
    taken = np.empty(reach, dtype=np.int64)
    gain = np.empty(reach, dtype=np.float64)
    gained = 0.0
    founded = 0
    for r in range(rounds):
        x = draw_below(st.random, len(codes))
        a = st.ring[x, 0]
        if a < 0 or st.slot[a, 2] - counts[x] < least or st.free[len(st.slot)] == 0:
            continue
        count = _around(st, codes, counts, cells, need, near, x, seen, stamp + r, letters, gain)
        if gain[0] == -np.inf:
            continue
        room = draw_allowed(st.random, temperature)
        g = new_slot(st)
        moved = 0
        change = 0.0
        chosen = 0
        while chosen >= 0:
            y = letters[chosen]
            a = st.ring[y, 0]
            rest = st.slot[a, 2] - counts[y]
            if st.slot[a, 1] > 1 and rest >= least and fits_with(st, counts, need, a, y, NOBODY):
                less = value_with(st, codes, cells, a, y, NOBODY, np.inf)
                change += rest * less - st.slot[a, 2] * st.value[a]
                value = 0.0
                if moved > 0:
                    value = value_with(st, codes, cells, g, NOBODY, y, np.inf)
                donor[moved] = a
                taken[moved] = y
                moved += 1
                take(st, codes, counts, cells, y, less)
                put(st, codes, counts, cells, y, g, value)
            gain[chosen] = -np.inf
            if moved == 0 or (st.slot[g, 2] >= least and fits_with(st, counts, need, g, NOBODY, NOBODY)):
                break
            # least cost once the group is full, less what the letter's group gains
            chosen = -1
            best = np.inf
            for i in range(1, count):
                if gain[i] == -np.inf:
                    continue
                score = least * value_with(st, codes, cells, g, NOBODY, letters[i], (best + gain[i]) / least) - gain[i]
                if score < best:
                    best = score
                    chosen = i
        if moved == 0:
            st.free[st.free[len(st.slot)]] = g
            st.free[len(st.slot)] += 1
            continue
        change += st.slot[g, 2] * st.value[g]
        if change < room and fits_with(st, counts, need, g, NOBODY, NOBODY):
            gained += change
            founded += 1
            continue
        for i in range(moved - 1, -1, -1):
            take(st, codes, counts, cells, taken[i], 0.0)
            put(st, codes, counts, cells, taken[i], donor[i], 0.0)
        for i in range(moved):
            st.value[donor[i]] = value_with(st, codes, cells, donor[i], NOBODY, NOBODY, np.inf)
    return gained, founded
