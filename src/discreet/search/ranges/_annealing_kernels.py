"""Compiled annealing of partitions: relocation of single letters and swaps of two, towards a target radius.

The cost of a policy is its worst block, which says nothing about all the others. So the search is given a target T
and lowers a sum instead: the excess of every block's radius over T, plus a fine for each s that a block lacks. Only the
blocks that violate are touched, apart from a share of free moves; the sum at zero means that the target is met.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.geometry import block_radius
from discreet.search._kernels.random import below, new_stream, uniform

HOT, COLD = 0.02, 0.0005
"""First and last temperature; `scale` is the unit."""

FINE = 0.1
"""What a missing s weighs."""

LESS, MORE, NOBODY = np.int64(-1), np.int64(1), np.int64(-1)  # a plain 1 has a type of its own


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


# A step of `anneal` takes a tenth of a microsecond. It works on arrays unpacked once, since one read out of a tuple is counted
# as one more reference each time, and proposes and tries within one function: split further it takes twice as long.


@helper
def _unlink(i, b, head, after, before):
    if before[i] >= 0:
        after[before[i]] = after[i]
    else:
        head[b] = after[i]
    if after[i] >= 0:
        before[after[i]] = before[i]


@helper
def _link(i, b, head, after, before):
    before[i] = -1
    after[i] = head[b]
    if head[b] >= 0:
        before[head[b]] = i
    head[b] = i


@helper
def _letter_at(head, after, b, place):
    i = head[b]
    for _skip in range(place):
        i = after[i]
    return i


@helper
def _gather(head, after, buffer, b, without, extra):
    """Letters of block b less one plus one (-1: none), into the buffer; how many."""
    m = 0
    i = head[b]
    while i >= 0:
        if i != without:
            buffer[m] = i
            m += 1
        i = after[i]
    if extra >= 0:
        buffer[m] = extra
        m += 1
    return m


@helper
def _shift(indptr, indices, i, step, row):
    """Add (+1) or remove (-1) letter i in a block's counts; the change in its distinct s."""
    change = 0
    for e in range(indptr[i], indptr[i + 1]):
        s = indices[e]
        if step > 0:
            if row[s] == 0:
                change += 1
            row[s] += 1
        else:
            row[s] -= 1
            if row[s] == 0:
                change -= 1
    return change


@helper
def _energy(target, scale, k, radius, distinct, size):
    if size == 0:
        return 0.0
    return max(0.0, radius - target) / scale + FINE * max(0, k - distinct)


@helper
def _list_wrong(energy, wrong, place, tally, b):
    """Enter block b among those that violate, or take it out, by its energy."""
    if energy[b] > 0 and place[b] < 0:
        place[b] = tally[0]
        wrong[tally[0]] = b
        tally[0] += 1
    elif energy[b] == 0 and place[b] >= 0:
        tally[0] -= 1
        last = wrong[tally[0]]
        wrong[place[b]] = last
        place[last] = place[b]
        place[b] = -1


@helper
def _new_state(aim, labels, blocks, n_s):
    n = len(labels)
    state = State(
        labels.copy(),
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
        b = labels[i]
        _link(i, b, state.head, state.after, state.before)
        state.size[b] += 1
        state.distinct[b] += _shift(aim.indptr, aim.indices, i, MORE, state.count[b])
    for b in range(blocks):
        m = _gather(state.head, state.after, state.buffer, b, NOBODY, NOBODY)
        state.radius[b] = block_radius(aim.values, state.buffer, m, aim.norm, aim.codeword)
        state.energy[b] = _energy(aim.target, aim.scale, aim.k, state.radius[b], state.distinct[b], state.size[b])
        _list_wrong(state.energy, state.wrong, state.place, state.tally, b)
        if state.size[b] > 0 and state.distinct[b] < aim.k:
            state.tally[1] += 1
    return state


@helper
def _relink(block_of, head, after, before, i, back, a, b):
    """Letter i goes from block a to block b and `back` (-1: none) the other way."""
    _unlink(i, a, head, after, before)
    _link(i, b, head, after, before)
    block_of[i] = b
    if back >= 0:
        _unlink(back, b, head, after, before)
        _link(back, a, head, after, before)
        block_of[back] = a


@helper
def _worst(target, radius, wrong, wrongs, best):
    """The partition's cost, no less than the target; at least `best` where it is not less than that."""
    worst = target
    for t in range(wrongs):
        worst = max(worst, radius[wrong[t]])
        if worst >= best:
            break
    return worst


@kernel
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
    values, indptr, indices, norm, codeword, k, target, scale = aim
    state = _new_state(aim, labels, blocks, n_s)
    block_of, head, after, before, size, count, distinct, radius, energy, wrong, place, tally, buffer = state
    stream = new_stream(seed)
    best_labels = labels.copy()
    journal, moved = (
        np.empty(4096, np.int64),
        0,
    )  # letters moved since the best partition, so that n is not copied again
    cooling = (COLD / HOT) ** (1.0 / max(1, steps))
    heat = HOT
    for _step in range(steps):
        if tally[0] == 0:
            break
        heat *= cooling
        # Letter i goes from block a to block b, and in a swap some letter of b comes back.
        if uniform(stream) < 0.8:
            b = wrong[below(stream, tally[0])]
            i = _letter_at(head, after, b, below(stream, size[b]))
        else:
            i = below(stream, len(block_of))
        j = near[i, below(stream, near.shape[1])]
        if uniform(stream) < 0.5:
            i, j = j, i
        a, b, back, grown = block_of[i], block_of[j], NOBODY, 1
        if a == b:
            continue
        if uniform(stream) < 0.5:
            back, grown = j, 0
            if uniform(stream) < 0.5:
                back = _letter_at(head, after, b, below(stream, size[b]))
        change_a = _shift(indptr, indices, i, LESS, count[a])
        change_b = _shift(indptr, indices, i, MORE, count[b])
        if back >= 0:
            change_b += _shift(indptr, indices, back, LESS, count[b])
            change_a += _shift(indptr, indices, back, MORE, count[a])
        limit = energy[a] + energy[b] - heat * np.log(uniform(stream) + 1e-300)
        # What s are lacking is known before any radius, and the radius of one block before that of the other.
        lack_a = FINE * max(0, k - distinct[a] - change_a) if size[a] > grown else 0.0
        new_b = FINE * max(0, k - distinct[b] - change_b)
        new_a, radius_a, radius_b = lack_a, 0.0, 0.0
        if new_a + new_b <= limit:
            radius_b = block_radius(values, buffer, _gather(head, after, buffer, b, back, i), norm, codeword)
            new_b = _energy(target, scale, k, radius_b, distinct[b] + change_b, size[b] + grown)
        if new_a + new_b <= limit:
            radius_a = block_radius(values, buffer, _gather(head, after, buffer, a, i, back), norm, codeword)
            new_a = _energy(target, scale, k, radius_a, distinct[a] + change_a, size[a] - grown)
        if new_a + new_b > limit:
            _shift(indptr, indices, i, LESS, count[b])
            _shift(indptr, indices, i, MORE, count[a])
            if back >= 0:
                _shift(indptr, indices, back, LESS, count[a])
                _shift(indptr, indices, back, MORE, count[b])
            continue
        tally[1] -= (1 if distinct[a] < k else 0) + (1 if distinct[b] < k else 0)
        _relink(block_of, head, after, before, i, back, a, b)
        size[a] -= grown
        size[b] += grown
        distinct[a] += change_a
        distinct[b] += change_b
        tally[1] += (1 if size[a] > 0 and distinct[a] < k else 0) + (1 if distinct[b] < k else 0)
        radius[a], radius[b], energy[a], energy[b] = radius_a, radius_b, new_a, new_b
        _list_wrong(energy, wrong, place, tally, a)
        _list_wrong(energy, wrong, place, tally, b)
        if moved + 2 > len(journal):
            journal = np.concatenate((journal, np.empty_like(journal)))
        journal[moved], journal[moved + 1] = i, back
        moved += 2 - grown
        if tally[1] == 0:
            reached = _worst(target, radius, wrong, tally[0], best)
            if reached < best:
                best = reached
                for t in range(moved):
                    best_labels[journal[t]] = block_of[journal[t]]
                moved = 0
    return best_labels, best
