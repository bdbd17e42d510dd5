"""Compiled exchanges of letters between blocks of equal size that give every block k distinct s."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.partitions import rows_of_blocks
from discreet.search._kernels.random import below, new_stream, uniform


class State(NamedTuple):
    """Blocks of fixed sizes: their letters in rows, and which of them lack s."""

    labels: Any
    offsets: Any  # int64[blocks + 1]
    members: Any  # int64[n]: letters block by block
    where: Any  # int64[n]: the letter's place there
    count: Any  # int32[blocks, n_s]: letters by s
    distinct: Any
    short: Any  # int64[blocks]: the blocks that lack s, as many as tally[0] says
    slot: Any  # int64[blocks]: where each stands in that list, -1 if it does not
    tally: Any  # int64[2]: blocks that lack s, and how many they lack


@helper
def _list_short(distinct, short, slot, tally, b, k):
    """Enter block b among those that lack s, or take it out."""
    if distinct[b] < k and slot[b] < 0:
        slot[b] = tally[0]
        short[tally[0]] = b
        tally[0] += 1
    elif distinct[b] >= k and slot[b] >= 0:
        tally[0] -= 1
        last = short[tally[0]]
        short[slot[b]] = last
        slot[last] = slot[b]
        slot[b] = -1


@helper
def _new_state(indptr, indices, n_s, labels, blocks, k):
    offsets, members = rows_of_blocks(labels, blocks)
    state = State(
        labels.copy(),
        offsets,
        members,
        np.empty(len(labels), np.int64),
        np.zeros((blocks, n_s), np.int32),
        np.zeros(blocks, np.int64),
        np.empty(blocks, np.int64),
        np.full(blocks, -1, np.int64),
        np.zeros(2, np.int64),
    )
    for place in range(len(members)):
        state.where[members[place]] = place
    for i in range(len(labels)):
        row = state.count[labels[i]]
        for e in range(indptr[i], indptr[i + 1]):
            if row[indices[e]] == 0:
                state.distinct[labels[i]] += 1
            row[indices[e]] += 1
    for b in range(blocks):
        _list_short(state.distinct, state.short, state.slot, state.tally, b, k)
        state.tally[1] += max(0, k - state.distinct[b])
    return state


@helper
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


@helper
def _shift(indptr, indices, i, count, a, b):
    """Letter i's s leave block a's counts for block b's."""
    for e in range(indptr[i], indptr[i + 1]):
        count[a, indices[e]] -= 1
        count[b, indices[e]] += 1


@kernel
def exchange(indptr, indices, n_s, labels, blocks, k, steps, seed):
    """Anneal by exchanging two letters, one of a block that lacks s, until no block lacks any.

    Exchanges keep every block's size. Returns the labels and how many s were still lacking.
    """
    stream = new_stream(seed)
    # Unpacked once: an array read out of a tuple is counted as one more reference, at every step.
    labels, offsets, members, where, count, distinct, short, slot, tally = _new_state(
        indptr, indices, n_s, labels, blocks, k
    )
    heat = 0.5
    cooling = (0.1 / heat) ** (1.0 / max(1, steps))
    for _step in range(steps):
        if tally[0] == 0:
            break
        heat *= cooling
        a = short[below(stream, tally[0])]
        if uniform(stream) < 0.05:
            a = below(stream, blocks)
        i = members[offsets[a] + below(stream, offsets[a + 1] - offsets[a])]
        j = members[below(stream, len(labels))]
        b = labels[j]
        if a == b:
            continue
        change_a = _change(i, j, count[a], indptr, indices)
        worse = max(0, k - distinct[a] - change_a) - max(0, k - distinct[a])
        if worse > 3:
            continue
        change_b = _change(j, i, count[b], indptr, indices)
        worse += max(0, k - distinct[b] - change_b) - max(0, k - distinct[b])
        if worse > 0 and uniform(stream) >= np.exp(-worse / heat):
            continue
        _shift(indptr, indices, i, count, a, b)
        _shift(indptr, indices, j, count, b, a)
        labels[i], labels[j] = b, a
        members[where[i]], members[where[j]] = j, i
        where[i], where[j] = where[j], where[i]
        distinct[a] += change_a
        distinct[b] += change_b
        tally[1] += worse
        _list_short(distinct, short, slot, tally, a, k)
        _list_short(distinct, short, slot, tally, b, k)
    return labels, tally[1]
