"""Compiled annealing of partitions: relocation of single letters and swaps of two, towards a target radius.

The cost of a policy is its worst block, which says nothing about all the others. So the search is given a target T
and lowers a sum instead: the excess of every block's radius over T, plus a fine for each s that a block lacks. Only the
blocks that violate are touched, apart from a share of free moves; the sum at zero means that the target is met.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

from discreet.search._kernels.geometry import block_radius
from discreet.search._kernels.random import below, new_stream, uniform

HOT, COLD = 0.02, 0.0005
"""First and last temperature; `scale` is the unit."""

FINE = 0.1
"""What a missing s weighs."""


@njit(cache=True)
def _unlink(i, b, head, after, before, size):
    if before[i] >= 0:
        after[before[i]] = after[i]
    else:
        head[b] = after[i]
    if after[i] >= 0:
        before[after[i]] = before[i]
    size[b] -= 1


@njit(cache=True)
def _link(i, b, head, after, before, size):
    before[i] = -1
    after[i] = head[b]
    if head[b] >= 0:
        before[head[b]] = i
    head[b] = i
    size[b] += 1


@njit(cache=True)
def _gather(b, without, extra, head, after, buffer):
    """Letters of block b less one plus one (-1: none), into the buffer."""
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


@njit(cache=True)
def _shift(i, step, row, indptr, indices):
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


@njit(cache=True)
def _energy(radius, distinct, size, k, target, scale):
    if size == 0:
        return 0.0
    return max(0.0, radius - target) / scale + FINE * max(0, k - distinct)


@njit(cache=True)
def anneal(values, indptr, indices, n_s, labels, blocks, k, target, best, scale, norm, codeword, near, steps, seed):
    """Anneal from `labels` (0..blocks-1) towards radius `target`.

    Parameters
    ----------
    best
        Only labels that cost less than this, with k distinct s in every block, are returned.
    scale
        The unit of radius in which excess is weighed against a missing s and against the temperature.
    near
        n x M letters close to each letter: partners of its moves.

    Returns
    -------
    The best labels and their cost (at most `target`: the target is met); `labels` and `best` if there were none.
    """
    n = len(labels)
    state = new_stream(seed)
    head = np.full(blocks, -1, np.int64)
    after = np.full(n, -1, np.int64)
    before = np.full(n, -1, np.int64)
    size = np.zeros(blocks, np.int64)
    count = np.zeros((blocks, n_s), np.int32)
    distinct = np.zeros(blocks, np.int64)
    block_of = labels.copy()
    for i in range(n):
        b = block_of[i]
        _link(i, b, head, after, before, size)
        distinct[b] += _shift(i, 1, count[b], indptr, indices)
    buffer = np.empty(n + 1, np.int64)
    radius = np.zeros(blocks)
    energy = np.zeros(blocks)
    # Violating blocks, and where each stands in that list.
    wrong = np.empty(blocks, np.int64)
    place = np.full(blocks, -1, np.int64)
    wrongs, lacking = 0, 0
    for b in range(blocks):
        m = _gather(b, -1, -1, head, after, buffer)
        radius[b] = block_radius(values, buffer, m, norm, codeword)
        energy[b] = _energy(radius[b], distinct[b], size[b], k, target, scale)
        if energy[b] > 0:
            place[b] = wrongs
            wrong[wrongs] = b
            wrongs += 1
        if size[b] > 0 and distinct[b] < k:
            lacking += 1
    best_labels = labels.copy()
    # Moves accepted since the best partition: replayed onto it when it is beaten, so that n is never copied twice.
    journal_letter = np.empty(4096, np.int64)
    journal_block = np.empty(4096, np.int64)
    journal = 0
    cooling = (COLD / HOT) ** (1.0 / max(1, steps))
    heat = HOT
    for _step in range(steps):
        if wrongs == 0:
            break
        heat *= cooling
        if uniform(state) < 0.8:
            b = wrong[below(state, wrongs)]
            i = head[b]
            for _skip in range(below(state, size[b])):
                i = after[i]
            j = near[i, below(state, near.shape[1])]
        else:
            i = below(state, n)
            j = near[i, below(state, near.shape[1])]
        if uniform(state) < 0.5:
            i, j = j, i
        a, b = block_of[i], block_of[j]
        if a == b:
            continue
        # Letter i goes to block b, and in a swap some letter of b comes back.
        back = -1
        if uniform(state) < 0.5:
            back = j
            if uniform(state) < 0.5:
                back = head[b]
                for _skip in range(below(state, size[b])):
                    back = after[back]
        change_a = _shift(i, -1, count[a], indptr, indices)
        change_b = _shift(i, 1, count[b], indptr, indices)
        if back >= 0:
            change_b += _shift(back, -1, count[b], indptr, indices)
            change_a += _shift(back, 1, count[a], indptr, indices)
        size_a = size[a] - (1 if back < 0 else 0)
        size_b = size[b] + (1 if back < 0 else 0)
        limit = energy[a] + energy[b] - heat * np.log(uniform(state) + 1e-300)
        lack_a = FINE * max(0, k - distinct[a] - change_a) if size_a > 0 else 0.0
        lack_b = FINE * max(0, k - distinct[b] - change_b)
        accept = lack_a + lack_b <= limit
        new_a, new_b = 0.0, 0.0
        radius_a, radius_b = 0.0, 0.0
        if accept:
            m = _gather(b, back, i, head, after, buffer)
            radius_b = block_radius(values, buffer, m, norm, codeword)
            new_b = _energy(radius_b, distinct[b] + change_b, size_b, k, target, scale)
            accept = new_b + lack_a <= limit
        if accept:
            m = _gather(a, i, back, head, after, buffer)
            radius_a = block_radius(values, buffer, m, norm, codeword)
            new_a = _energy(radius_a, distinct[a] + change_a, size_a, k, target, scale)
            accept = new_a + new_b <= limit
        if not accept:
            _shift(i, -1, count[b], indptr, indices)
            _shift(i, 1, count[a], indptr, indices)
            if back >= 0:
                _shift(back, -1, count[a], indptr, indices)
                _shift(back, 1, count[b], indptr, indices)
            continue
        lacking -= (1 if distinct[a] < k else 0) + (1 if distinct[b] < k else 0)
        _unlink(i, a, head, after, before, size)
        _link(i, b, head, after, before, size)
        block_of[i] = b
        if back >= 0:
            _unlink(back, b, head, after, before, size)
            _link(back, a, head, after, before, size)
            block_of[back] = a
        distinct[a] += change_a
        distinct[b] += change_b
        lacking += (1 if size[a] > 0 and distinct[a] < k else 0) + (1 if distinct[b] < k else 0)
        radius[a], radius[b], energy[a], energy[b] = radius_a, radius_b, new_a, new_b
        for c in (a, b):
            if energy[c] > 0 and place[c] < 0:
                place[c] = wrongs
                wrong[wrongs] = c
                wrongs += 1
            elif energy[c] == 0 and place[c] >= 0:
                wrongs -= 1
                wrong[place[c]] = wrong[wrongs]
                place[wrong[wrongs]] = place[c]
                place[c] = -1
        if journal + 2 > len(journal_letter):
            journal_letter = np.concatenate((journal_letter, np.empty_like(journal_letter)))
            journal_block = np.concatenate((journal_block, np.empty_like(journal_block)))
        journal_letter[journal] = i
        journal_block[journal] = b
        journal += 1
        if back >= 0:
            journal_letter[journal] = back
            journal_block[journal] = a
            journal += 1
        if lacking == 0:
            worst = target
            for t in range(wrongs):
                worst = max(worst, radius[wrong[t]])
                if worst >= best:
                    break
            if worst < best:
                best = worst
                for t in range(journal):
                    best_labels[journal_letter[t]] = journal_block[t]
                journal = 0
    return best_labels, best
