# mypy: ignore-errors
"""Compiled: what a span costs, hulls of letters, and whether a tally of sensitive values is enough.

All letters, groups and counts are int64 when they are handed on: each mix of widths would be compiled again.
"""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.tables._model_kernels import models_fit

NONE = 2147483647
NOBODY = np.int64(-1)
BEYOND = 1e6


@kernel
def span(cells, c, lo, hi):
    """Weighted NCP of the cell of column c from code lo to code hi; not for sets."""
    if lo == hi:
        return 0.0
    kind = cells.meta[c, 0]
    offset = cells.meta[c, 2]
    if kind == 0:
        return cells.cost[offset + lo * cells.meta[c, 1] + hi]
    if kind == 1:
        value = min(cells.cost[offset + hi] - cells.cost[offset + lo], cells.most[c, 0])
        return value if value <= cells.most[c, 1] else value + BEYOND
    depth = cells.meta[c, 3]
    left = cells.meta[c, 4] + lo * depth + 1
    right = cells.meta[c, 4] + hi * depth + 1
    while cells.nodes[left] != cells.nodes[right]:
        left += 1
        right += 1
    return cells.cost[offset + cells.nodes[left]]


@helper
def set_cost(cells, c, values):
    """Weighted NCP of a set of so many values."""
    if values <= 1:
        return 0.0
    value = cells.most[c, 0] * (values - 1) / (cells.meta[c, 1] - 1)
    return value if value <= cells.most[c, 1] else value + BEYOND


@helper
def empty_hull(hull, bits):
    """Make a hull that holds nothing. A hull is the least and the greatest code of each column; of a set, its size."""
    for c in range(len(hull)):
        hull[c, 0] = NONE
        hull[c, 1] = -1
    for j in range(len(bits)):
        bits[j] = 0


@helper
def add_letter(cells, codes, x, hull, bits):
    """Widen a hull so that it holds a letter."""
    for c in range(len(hull)):
        v = codes[x, c]
        if cells.meta[c, 0] == 3:
            w = cells.meta[c, 5] + (v >> 6)
            bit = np.uint64(1) << np.uint64(v & 63)
            if hull[c, 0] == NONE:
                hull[c, 0] = 0
            if not bits[w] & bit:
                bits[w] |= bit
                hull[c, 0] += 1
            continue
        if v < hull[c, 0]:
            hull[c, 0] = v
        if v > hull[c, 1]:
            hull[c, 1] = v


@helper
def cost_with(cells, codes, x, scale, hull, bits, most):
    """Weighted NCP of a hull that also holds letter x (-1: none), every column times its scale; gives up above `most`."""
    total = 0.0
    for c in range(len(hull)):
        lo = hull[c, 0]
        hi = hull[c, 1]
        if cells.meta[c, 0] == 3:
            if x >= 0:
                v = codes[x, c]
                if lo == NONE:
                    lo = 1
                elif not bits[cells.meta[c, 5] + (v >> 6)] & (np.uint64(1) << np.uint64(v & 63)):
                    lo += 1
            total += scale[c] * set_cost(cells, c, np.int64(lo))
        else:
            if x >= 0:
                v = codes[x, c]
                lo = min(lo, v)
                hi = max(hi, v)
            total += scale[c] * span(cells, c, lo, hi)
        if total > most:
            break
    return total


@helper
def pair_cost(cells, codes, x, y):
    """Weighted NCP of the hull of two letters."""
    total = 0.0
    for c in range(codes.shape[1]):
        a = codes[x, c]
        b = codes[y, c]
        if a != b:
            if cells.meta[c, 0] == 3:
                total += set_cost(cells, c, np.int64(2))
            else:
                total += span(cells, c, min(a, b), max(a, b))
    return total


@helper
def tally_letter(need, x, tally, distinct):
    """Count a letter's sensitive values in; return how many columns reached their k with it."""
    reached = 0
    for e in range(need.indptr[x], need.indptr[x + 1]):
        v = need.entry[e, 0]
        if tally[v] == 0:
            j = need.owner[v]
            distinct[j] += 1
            if distinct[j] == need.least[2 + j]:
                reached += 1
        tally[v] += need.entry[e, 1]
    return reached


@helper
def tally_fits(need, tally, distinct, weight):
    """Whether a group with this tally and so many records has what it must have."""
    if weight < need.least[0]:
        return False
    for j in range(len(distinct)):
        if distinct[j] < need.least[2 + j]:
            return False
    if need.least[1] == 2:
        for v in range(len(tally)):
            if tally[v] > need.cap[v] * weight * (1 + 1e-9):
                return False
        return models_fit(need, tally, weight)
    return True


@helper
def draw(state):
    """A random number of 64 bits (xorshift*); the state is one word that is not 0."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return x * np.uint64(2685821657736338717)


@helper
def draw_below(state, n):
    """A random whole number below n."""
    return np.int64((draw(state) >> np.uint64(33)) % np.uint64(n))


@helper
def draw_allowed(state, temperature):
    """What a change may cost at a temperature: an exponential draw; at 0 it must gain."""
    if temperature <= 0.0:
        return -1e-12
    return -np.log((np.float64(draw(state) >> np.uint64(11)) + 1.0) / 9007199254740992.0) * temperature
