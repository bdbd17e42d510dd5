# mypy: ignore-errors
"""Compiled: groups that letters leave and join. Two least and two greatest codes a column make a change's cost O(d)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.tables._kernels import NOBODY, NONE, set_cost, span, tally_letter
from discreet.search.tables._model_kernels import models_fit


class State(NamedTuple):
    """A grouping: members in linked rings, and for each group what changes are computed from."""

    ring: Any  # int64[m, 3]: group (-1: none), next member, previous member
    slot: Any  # int64[slots, 3]: some member (-1: the slot is free), letters, records
    value: Any  # float64[slots]: weighted NCP of the group's cells
    ends: Any  # int32[slots, d, 4]: least, second least, greatest, second greatest code; of a set: number of values
    bits: Any  # uint64[slots, 2, words]: values of sets that occur, and that occur in at least two letters
    free: Any  # int64[slots + 1]: free slots as a stack; the last entry is its height
    random: Any  # uint64[1]
    tally: Any  # int64[values]: zeros between calls
    distinct: Any  # int64[sensitive columns]


@kernel
def fill(st, codes, counts, cells, group_of):
    """Make an empty state hold a grouping whose groups are numbered from 0."""
    slots = len(st.slot)
    for g in range(slots):
        st.slot[g, 0] = -1
        st.slot[g, 1] = 0
        st.slot[g, 2] = 0
    st.free[slots] = 0
    for x in range(len(codes)):
        st.ring[x, 0] = -1
        if group_of[x] >= 0:
            put(st, codes, counts, cells, x, group_of[x], 0.0)
    for g in range(slots - 1, -1, -1):
        if st.slot[g, 0] < 0:
            st.free[st.free[slots]] = g
            st.free[slots] += 1
        else:
            st.value[g] = value_with(st, codes, cells, g, NOBODY, NOBODY, np.inf)


@helper
def _widen(st, codes, cells, g, x):
    """Tell a group's summary of a new member."""
    for c in range(codes.shape[1]):
        v = codes[x, c]
        if cells.meta[c, 0] == 3:
            w = cells.meta[c, 5] + (v >> 6)
            bit = np.uint64(1) << np.uint64(v & 63)
            if st.bits[g, 0, w] & bit:
                st.bits[g, 1, w] |= bit
            else:
                st.bits[g, 0, w] |= bit
                st.ends[g, c, 0] += 1
            continue
        if v < st.ends[g, c, 0]:
            st.ends[g, c, 1] = st.ends[g, c, 0]
            st.ends[g, c, 0] = v
        elif v < st.ends[g, c, 1]:
            st.ends[g, c, 1] = v
        if v > st.ends[g, c, 2]:
            st.ends[g, c, 3] = st.ends[g, c, 2]
            st.ends[g, c, 2] = v
        elif v > st.ends[g, c, 3]:
            st.ends[g, c, 3] = v


@helper
def _clear(st, cells, g):
    """A summary of nothing."""
    for c in range(st.ends.shape[1]):
        least = 0 if cells.meta[c, 0] == 3 else NONE
        st.ends[g, c, 0] = least
        st.ends[g, c, 1] = least
        st.ends[g, c, 2] = -1
        st.ends[g, c, 3] = -1
    for j in range(st.bits.shape[2]):
        st.bits[g, 0, j] = 0
        st.bits[g, 1, j] = 0


@helper
def value_with(st, codes, cells, g, minus, plus, most):
    """Weighted NCP of a group's cells without the member `minus`, with the letter `plus` (-1: none).

    Gives up once it exceeds `most`. The group must not become empty.
    """
    total = 0.0
    for c in range(codes.shape[1]):
        lo = st.ends[g, c, 0]
        if cells.meta[c, 0] == 3:
            gone = np.int32(-1)
            if minus >= 0:
                v = codes[minus, c]
                if not st.bits[g, 1, cells.meta[c, 5] + (v >> 6)] & (np.uint64(1) << np.uint64(v & 63)):
                    lo -= np.int32(1)
                    gone = v
            if plus >= 0:
                v = codes[plus, c]
                if v == gone or not st.bits[g, 0, cells.meta[c, 5] + (v >> 6)] & (np.uint64(1) << np.uint64(v & 63)):
                    lo += np.int32(1)
            total += set_cost(cells, c, lo)
        else:
            hi = st.ends[g, c, 2]
            if minus >= 0:
                v = codes[minus, c]
                if v == lo:
                    lo = st.ends[g, c, 1]
                if v == hi:
                    hi = st.ends[g, c, 3]
            if plus >= 0:
                v = codes[plus, c]
                lo = min(lo, v)
                hi = max(hi, v)
            total += span(cells, c, lo, hi)
        if total > most:
            break
    return total


@helper
def put(st, codes, counts, cells, x, g, value):
    """Put a letter into a group, whose value is then `value`."""
    if st.slot[g, 0] < 0:
        _clear(st, cells, g)
        st.slot[g, 0] = x
        st.ring[x, 1] = x
        st.ring[x, 2] = x
    else:
        h = st.slot[g, 0]
        p = st.ring[h, 2]
        st.ring[p, 1] = x
        st.ring[x, 2] = p
        st.ring[x, 1] = h
        st.ring[h, 2] = x
    st.ring[x, 0] = g
    st.slot[g, 1] += 1
    st.slot[g, 2] += counts[x]
    _widen(st, codes, cells, g, x)
    st.value[g] = value


@helper
def take(st, codes, counts, cells, x, value):
    """Take a letter out of its group, whose value is then `value`; a group without letters gives its slot back."""
    g = st.ring[x, 0]
    p = st.ring[x, 2]
    q = st.ring[x, 1]
    st.ring[p, 1] = q
    st.ring[q, 2] = p
    st.ring[x, 0] = -1
    st.slot[g, 0] = q
    st.slot[g, 1] -= 1
    st.slot[g, 2] -= counts[x]
    st.value[g] = value
    if q == x:
        st.slot[g, 0] = -1
        st.free[st.free[len(st.slot)]] = g
        st.free[len(st.slot)] += 1
        return
    again = False
    for c in range(codes.shape[1]):
        v = codes[x, c]
        if v <= st.ends[g, c, 1] or v >= st.ends[g, c, 3] or cells.meta[c, 0] == 3:
            again = True
    if again:
        _clear(st, cells, g)
        y = q
        while True:
            _widen(st, codes, cells, g, y)
            y = st.ring[y, 1]
            if y == q:
                break


@helper
def new_slot(st):
    """A free slot; the caller knows that there is one."""
    height = len(st.slot)
    st.free[height] -= 1
    return st.free[st.free[height]]


@helper
def _cleared(st, need, x, weight):
    """Clear the tally of a letter's sensitive values; return whether they kept to their shares."""
    good = True
    for e in range(need.indptr[x], need.indptr[x + 1]):
        v = need.entry[e, 0]
        if st.tally[v] > need.cap[v] * weight * (1 + 1e-9):
            good = False
        st.tally[v] = 0
    return good


@helper
def fits_with(st, counts, need, g, minus, plus):
    """Whether a group has what it must have without the member `minus`, with the letter `plus` (-1: none).

    Sensitive values are tallied from the members, so that no group keeps a table of them.
    """
    weight = st.slot[g, 2]
    if minus >= 0:
        weight -= counts[minus]
    if plus >= 0:
        weight += counts[plus]
    if weight < need.least[0]:
        return False
    if need.least[1] == 0:
        return True
    enough = need.least[1] == 1  # without caps, once every column has its k
    missing = len(st.distinct)
    for j in range(missing):
        st.distinct[j] = 0
    h = st.slot[g, 0]
    good = True
    for turn in range(2):
        x = plus
        y = h
        while True:
            if x >= 0 and x != minus:
                if turn == 0:
                    missing -= tally_letter(need, x, st.tally, st.distinct)
                elif not _cleared(st, need, x, weight) and not enough:
                    good = False
            if y < 0 or (turn == 0 and enough and missing == 0):
                break
            x = y
            y = st.ring[y, 1]
            if y == h:
                y = -1
        if turn == 0 and not enough and not models_fit(need, st.tally, weight):
            good = False
    return good and missing <= 0
