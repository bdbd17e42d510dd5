"""Compiled annealing of partitions: relocation of single letters and swaps of two, towards a target radius.

The cost of a policy is its worst block, which says nothing about all the others. So the search is given a target T
and lowers a sum instead: the excess of every block's radius over T, plus a fine for each s that a block lacks. Only the
blocks that violate are touched, apart from a share of free moves; the sum at zero means that the target is met.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from discreet.search._kernels.geometry import block_radius
from discreet.search._kernels.random import below, new_stream, uniform

HOT, COLD = 0.02, 0.0005
"""First and last temperature; `scale` is the unit."""

FINE = 0.1
"""What a missing s weighs."""


class Aim(NamedTuple):
    """The letters, and what is asked of their blocks."""

    values: Any
    indptr: Any
    indices: Any
    norm: float
    codeword: int
    k: int  # distinct s of every block
    target: float  # radius of every block
    scale: float  # the unit of radius in which excess is weighed against a missing s and against the temperature


class State(NamedTuple):
    """A partition: blocks as linked lists of letters, with their figures and the list of those that violate."""

    block_of: Any
    head: Any  # int64[blocks]: first letter, -1 if empty
    after: Any  # int64[n]: next letter of the block
    before: Any
    size: Any
    count: Any  # int32[blocks, n_s]: letters by s
    distinct: Any
    radius: Any
    energy: Any
    wrong: Any  # int64[blocks]: the blocks with energy, as many as tally[0] says
    place: Any  # int64[blocks]: where each stands in that list, -1 if it does not
    tally: Any  # int64[2]: blocks with energy, blocks that lack s
    buffer: Any  # int64[n + 1]: letters of a block that is tried


@njit(cache=True)
def _unlink(state, i, b):
    if state.before[i] >= 0:
        state.after[state.before[i]] = state.after[i]
    else:
        state.head[b] = state.after[i]
    if state.after[i] >= 0:
        state.before[state.after[i]] = state.before[i]
    state.size[b] -= 1


@njit(cache=True)
def _link(state, i, b):
    state.before[i] = -1
    state.after[i] = state.head[b]
    if state.head[b] >= 0:
        state.before[state.head[b]] = i
    state.head[b] = i
    state.size[b] += 1
    state.block_of[i] = b


@njit(cache=True)
def _letter_at(state, b, place):
    i = state.head[b]
    for _skip in range(place):
        i = state.after[i]
    return i


@njit(cache=True)
def _radius_with(aim, state, b, without, extra):
    """The radius of block b less one letter plus one (-1: none)."""
    buffer, m = state.buffer, 0
    i = state.head[b]
    while i >= 0:
        if i != without:
            buffer[m] = i
            m += 1
        i = state.after[i]
    if extra >= 0:
        buffer[m] = extra
        m += 1
    return block_radius(aim.values, buffer, m, aim.norm, aim.codeword)


@njit(cache=True)
def _shift(aim, i, step, row):
    """Add (+1) or remove (-1) letter i in a block's counts; the change in its distinct s."""
    change = 0
    for e in range(aim.indptr[i], aim.indptr[i + 1]):
        s = aim.indices[e]
        if step > 0:
            if row[s] == 0:
                change += 1
            row[s] += 1
        else:
            row[s] -= 1
            if row[s] == 0:
                change -= 1
    return change


@njit(cache=True)
def _energy(aim, radius, distinct, size):
    if size == 0:
        return 0.0
    return max(0.0, radius - aim.target) / aim.scale + FINE * max(0, aim.k - distinct)


@njit(cache=True)
def _list_wrong(state, b):
    """Enter block b among those that violate, or take it out, by its energy."""
    wrong, place = state.wrong, state.place
    if state.energy[b] > 0 and place[b] < 0:
        place[b] = state.tally[0]
        wrong[state.tally[0]] = b
        state.tally[0] += 1
    elif state.energy[b] == 0 and place[b] >= 0:
        state.tally[0] -= 1
        last = wrong[state.tally[0]]
        wrong[place[b]] = last
        place[last] = place[b]
        place[b] = -1


@njit(cache=True)
def _new_state(aim, labels, blocks, n_s):
    n = len(labels)
    state = State(
        np.empty(n, np.int64),
        np.full(blocks, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.zeros(blocks, np.int64),
        np.zeros((blocks, n_s), np.int32),
        np.zeros(blocks, np.int64),
        np.zeros(blocks),
        np.zeros(blocks),
        np.empty(blocks, np.int64),
        np.full(blocks, -1, np.int64),
        np.zeros(2, np.int64),
        np.empty(n + 1, np.int64),
    )
    for i in range(n):
        _link(state, i, labels[i])
        state.distinct[labels[i]] += _shift(aim, i, 1, state.count[labels[i]])
    for b in range(blocks):
        state.radius[b] = _radius_with(aim, state, b, -1, -1)
        state.energy[b] = _energy(aim, state.radius[b], state.distinct[b], state.size[b])
        _list_wrong(state, b)
        if state.size[b] > 0 and state.distinct[b] < aim.k:
            state.tally[1] += 1
    return state


@njit(cache=True)
def _propose(state, near, stream):
    """A letter that changes its block, the block it goes to, and the letter that comes back for it (-1: none)."""
    if uniform(stream) < 0.8:
        b = state.wrong[below(stream, state.tally[0])]
        i = _letter_at(state, b, below(stream, state.size[b]))
    else:
        i = below(stream, len(state.block_of))
    j = near[i, below(stream, near.shape[1])]
    if uniform(stream) < 0.5:
        i, j = j, i
    b, back = state.block_of[j], -1
    if state.block_of[i] != b and uniform(stream) < 0.5:
        back = j
        if uniform(stream) < 0.5:
            back = _letter_at(state, b, below(stream, state.size[b]))
    return i, b, back


@njit(cache=True)
def _move(aim, state, i, b, back, heat, stream):
    """Move letter i to block b, and `back` for it, if the temperature allows; whether it did."""
    a = state.block_of[i]
    count, distinct, size, energy = state.count, state.distinct, state.size, state.energy
    change_a = _shift(aim, i, -1, count[a])
    change_b = _shift(aim, i, 1, count[b])
    moved = 1
    if back >= 0:
        change_b += _shift(aim, back, -1, count[b])
        change_a += _shift(aim, back, 1, count[a])
        moved = 0
    limit = energy[a] + energy[b] - heat * np.log(uniform(stream) + 1e-300)
    # What s are lacking is known before any radius, and the radius of one block before that of the other.
    lack_a = FINE * max(0, aim.k - distinct[a] - change_a) if size[a] > moved else 0.0
    lack_b = FINE * max(0, aim.k - distinct[b] - change_b)
    accept = lack_a + lack_b <= limit
    new_a, new_b, radius_a, radius_b = 0.0, 0.0, 0.0, 0.0
    if accept:
        radius_b = _radius_with(aim, state, b, back, i)
        new_b = _energy(aim, radius_b, distinct[b] + change_b, size[b] + moved)
        accept = new_b + lack_a <= limit
    if accept:
        radius_a = _radius_with(aim, state, a, i, back)
        new_a = _energy(aim, radius_a, distinct[a] + change_a, size[a] - moved)
        accept = new_a + new_b <= limit
    if not accept:
        _shift(aim, i, -1, count[b])
        _shift(aim, i, 1, count[a])
        if back >= 0:
            _shift(aim, back, -1, count[a])
            _shift(aim, back, 1, count[b])
        return False
    state.tally[1] -= (1 if distinct[a] < aim.k else 0) + (1 if distinct[b] < aim.k else 0)
    _unlink(state, i, a)
    _link(state, i, b)
    if back >= 0:
        _unlink(state, back, b)
        _link(state, back, a)
    distinct[a] += change_a
    distinct[b] += change_b
    state.tally[1] += (1 if size[a] > 0 and distinct[a] < aim.k else 0) + (1 if distinct[b] < aim.k else 0)
    state.radius[a], state.radius[b], energy[a], energy[b] = radius_a, radius_b, new_a, new_b
    _list_wrong(state, a)
    _list_wrong(state, b)
    return True


@njit(cache=True)
def _worst(aim, state, best):
    """The partition's cost, no less than the target; at least `best` where it is not less than that."""
    worst = aim.target
    for t in range(state.tally[0]):
        worst = max(worst, state.radius[state.wrong[t]])
        if worst >= best:
            break
    return worst


@njit(cache=True)
def anneal(aim, n_s, labels, blocks, best, near, steps, seed):
    """Anneal from `labels` (0..blocks-1) towards the aim.

    Parameters
    ----------
    best
        Only labels that cost less than this, with k distinct s in every block, are returned.
    near
        n x M letters close to each letter: partners of its moves.

    Returns
    -------
    The best labels and their cost (at most the target: it is met); `labels` and `best` if there were none.
    """
    stream = new_stream(seed)
    state = _new_state(aim, labels, blocks, n_s)
    best_labels = labels.copy()
    # Letters moved since the best partition: copied onto it when it is beaten, so that n is never copied twice.
    journal, moved = np.empty(4096, np.int64), 0
    cooling = (COLD / HOT) ** (1.0 / max(1, steps))
    heat = HOT
    for _step in range(steps):
        if state.tally[0] == 0:
            break
        heat *= cooling
        i, b, back = _propose(state, near, stream)
        if state.block_of[i] == b or not _move(aim, state, i, b, back, heat, stream):
            continue
        if moved + 2 > len(journal):
            journal = np.concatenate((journal, np.empty_like(journal)))
        journal[moved] = i
        moved += 1
        if back >= 0:
            journal[moved] = back
            moved += 1
        if state.tally[1] == 0:
            worst = _worst(aim, state, best)
            if worst < best:
                best = worst
                for t in range(moved):
                    best_labels[journal[t]] = state.block_of[journal[t]]
                moved = 0
    return best_labels, best
