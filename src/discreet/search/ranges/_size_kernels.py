"""Compiled exchanges of letters between blocks of equal size that give every block k distinct s."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from discreet.search._kernels.random import below, new_stream, uniform


@njit(cache=True)
def _change(i, j, row, indptr, indices):
    """Change in a block's distinct s when letter i leaves it and letter j comes; `row` counts its s. Restores row."""
    change = 0
    for e in range(indptr[i], indptr[i + 1]):
        row[indices[e]] -= 1
        if row[indices[e]] == 0:
            change -= 1
    for e in range(indptr[j], indptr[j + 1]):
        if row[indices[e]] == 0:
            change += 1
        row[indices[e]] += 1
    for e in range(indptr[j], indptr[j + 1]):
        row[indices[e]] -= 1
    for e in range(indptr[i], indptr[i + 1]):
        row[indices[e]] += 1
    return change


@njit(cache=True)
def exchange(indptr, indices, n_s, labels, blocks, k, steps, seed):
    """Anneal by exchanging two letters, one of a block that lacks s, until no block lacks any.

    Exchanges keep every block's size. Returns the labels and how many s were still lacking.
    """
    n = len(labels)
    state = new_stream(seed)
    labels = labels.copy()
    count = np.zeros((blocks, n_s), np.int32)
    offsets = np.zeros(blocks + 1, np.int64)
    distinct = np.zeros(blocks, np.int64)
    for i in range(n):
        offsets[labels[i] + 1] += 1
        for e in range(indptr[i], indptr[i + 1]):
            if count[labels[i], indices[e]] == 0:
                distinct[labels[i]] += 1
            count[labels[i], indices[e]] += 1
    offsets = np.cumsum(offsets)
    place = offsets.copy()
    members = np.empty(n, np.int64)
    where = np.empty(n, np.int64)
    for i in range(n):
        where[i] = place[labels[i]]
        members[where[i]] = i
        place[labels[i]] += 1
    short = np.empty(blocks, np.int64)
    slot = np.full(blocks, -1, np.int64)
    shorts, lacking = 0, 0
    for b in range(blocks):
        if distinct[b] < k:
            slot[b] = shorts
            short[shorts] = b
            shorts += 1
            lacking += k - distinct[b]
    heat = 0.5
    cooling = (0.1 / heat) ** (1.0 / max(1, steps))
    for _step in range(steps):
        if shorts == 0:
            break
        heat *= cooling
        a = short[below(state, shorts)]
        if uniform(state) < 0.05:
            a = below(state, blocks)
        i = members[offsets[a] + below(state, offsets[a + 1] - offsets[a])]
        j = members[below(state, n)]
        b = labels[j]
        if a == b:
            continue
        change_a = _change(i, j, count[a], indptr, indices)
        worse = max(0, k - distinct[a] - change_a) - max(0, k - distinct[a])
        if worse > 3:
            continue
        change_b = _change(j, i, count[b], indptr, indices)
        worse += max(0, k - distinct[b] - change_b) - max(0, k - distinct[b])
        if worse > 0 and uniform(state) >= np.exp(-worse / heat):
            continue
        for e in range(indptr[i], indptr[i + 1]):
            count[a, indices[e]] -= 1
            count[b, indices[e]] += 1
        for e in range(indptr[j], indptr[j + 1]):
            count[b, indices[e]] -= 1
            count[a, indices[e]] += 1
        distinct[a] += change_a
        distinct[b] += change_b
        labels[i], labels[j] = b, a
        members[where[i]], members[where[j]] = j, i
        where[i], where[j] = where[j], where[i]
        lacking += worse
        for c in (a, b):
            if distinct[c] < k and slot[c] < 0:
                slot[c] = shorts
                short[shorts] = c
                shorts += 1
            elif distinct[c] >= k and slot[c] >= 0:
                shorts -= 1
                short[slot[c]] = short[shorts]
                slot[short[shorts]] = slot[c]
                slot[c] = -1
    return labels, lacking
