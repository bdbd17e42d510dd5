# mypy: ignore-errors
"""Compiled: letters moving to groups of letters near them, or swapping with their members."""

from __future__ import annotations

import numpy as np

from discreet._compile import kernel
from discreet.search.tables._groups_kernels import fits_with, new_slot, put, take, value_with
from discreet.search.tables._kernels import NOBODY, draw_allowed, draw_below

LOOKS = 8
"""Members of a group that are tried for a swap."""


@kernel
def sweep(st, codes, counts, cells, need, near, order, tries, temperature):
    """Offer every letter of `order` some groups of letters near it, to move to or to swap with a member.

    A change is taken if it costs less than an exponential draw times the temperature; at 0 only strict gains are.
    Returns the change of Σ records · NCP, and the number of changes.
    """
    gained = 0.0
    changes = 0
    least = need.least[0]
    mode = need.least[1]
    for i in range(len(order)):
        x = order[i]
        a = st.ring[x, 0]
        if a < 0:
            continue
        w = counts[x]
        alone = st.slot[a, 1] == 1
        less = 0.0
        if not alone:
            less = value_with(st, codes, cells, a, x, NOBODY, np.inf)
        rest = st.slot[a, 2] - w
        cost_a = st.slot[a, 2] * st.value[a]
        loose = alone or (rest >= least and (mode == 0 or fits_with(st, counts, need, a, x, NOBODY)))
        for _ in range(tries):
            y = np.int64(near[x, draw_below(st.random, near.shape[1])])
            if y < 0:
                continue
            b = st.ring[y, 0]
            if b == a or b < 0:
                continue
            room = draw_allowed(st.random, temperature) + cost_a + st.slot[b, 2] * st.value[b]
            # z = -1: x moves to b; else z, a member of b, comes in exchange
            z = NOBODY
            looks = 0 if alone else min(st.slot[b, 1], LOOKS)
            done = False
            for s in range(looks + 1):
                weight_a = rest
                weight_b = st.slot[b, 2] + w
                if s > 0:
                    z = y
                    y = st.ring[y, 1]
                    weight_a += counts[z]
                    weight_b -= counts[z]
                    if weight_a < least or weight_b < least:
                        continue
                elif not loose:
                    continue
                # whatever comes in exchange, a costs at least what is left of it without x
                value_b = value_with(st, codes, cells, b, z, x, (room - weight_a * less) / weight_b)
                left = room - weight_b * value_b
                if left <= weight_a * less:
                    continue
                value_a = less if s == 0 else value_with(st, codes, cells, a, x, z, left / weight_a)
                if weight_a * value_a >= left:
                    continue
                if (mode == 2 or (mode == 1 and s > 0)) and not (
                    (alone or fits_with(st, counts, need, a, x, z)) and fits_with(st, counts, need, b, z, x)
                ):
                    continue
                gained += weight_a * value_a + weight_b * value_b
                gained -= cost_a + st.slot[b, 2] * st.value[b]
                # x comes before z goes, so that no group is empty in between
                take(st, codes, counts, cells, x, value_a)
                put(st, codes, counts, cells, x, b, value_b)
                if s > 0:
                    take(st, codes, counts, cells, z, value_b)
                    put(st, codes, counts, cells, z, a, value_a)
                changes += 1
                done = True
                break
            if done:
                break
        if loose and not alone and a == st.ring[x, 0] and w >= least and st.free[len(st.slot)] > 0:
            # a letter that is enough by itself costs nothing alone
            g = new_slot(st)
            take(st, codes, counts, cells, x, less)
            put(st, codes, counts, cells, x, g, 0.0)
            if mode > 0 and not fits_with(st, counts, need, g, NOBODY, NOBODY):
                take(st, codes, counts, cells, x, 0.0)
                put(st, codes, counts, cells, x, a, cost_a / (rest + w))
            else:
                gained += rest * less - cost_a
                changes += 1
    return gained, changes


@kernel
def leave_out(st, codes, counts, cells, need, near, letters, budget):
    """Suppress letters whose group gains more than the 1 a record that they then cost, best first, within a budget.

    Returns the records that were suppressed.
    """
    gone = 0
    gain = np.empty(len(letters), dtype=np.float64)
    for turn in range(2):
        order = np.argsort(-gain) if turn == 1 else np.arange(len(letters))
        for i in order:
            x = np.int64(letters[i])
            a = st.ring[x, 0]
            if turn == 0:
                gain[i] = -np.inf
            if a < 0 or st.slot[a, 1] == 1 or counts[x] > budget - gone or (turn == 1 and gain[i] <= 0.0):
                continue
            less = value_with(st, codes, cells, a, x, NOBODY, np.inf)
            rest = st.slot[a, 2] - counts[x]
            won = st.slot[a, 2] * st.value[a] - rest * less - counts[x]
            if won <= 1e-9 or not fits_with(st, counts, need, a, x, NOBODY):
                continue
            if turn == 0:
                gain[i] = won / counts[x]
            else:
                take(st, codes, counts, cells, x, less)
                gone += counts[x]
    return gone
