"""All merges of two blocks and all moves of one letter away from a partition, each held against a front."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True)
def h(y):
    return y * math.log2(y) if y > 0.0 else 0.0


@njit(cache=True)
def _change(one, h_one, two, h_two):
    """Σ_s h(t_s + u_s) − h(t_s) − h(u_s): nothing changes where one of them is zero."""
    found = 0.0
    for s in range(len(one)):
        if one[s] > 0.0 and two[s] > 0.0:
            y = one[s] + two[s]
            found += y * math.log2(y) - h_one[s] - h_two[s]
    return found


@njit(cache=True)
def _without(block, h_block, letter):
    """Σ_s h(t_s − u_s) − h(t_s)."""
    found = 0.0
    for s in range(len(block)):
        if letter[s] > 0.0:
            y = block[s] - letter[s]
            found -= h_block[s]
            if y > 1e-15 * block[s]:
                found += y * math.log2(y)
    return found


@njit(cache=True)
def _beats(front_q, front_p, count, p, q, tolerance):
    """Whether no point of the front has both figures as low; the front is sorted by rising q, hence falling p."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if front_q[middle] <= q + tolerance:
            low = middle + 1
        else:
            high = middle
    return low == 0 or front_p[low - 1] > p + tolerance


@njit(cache=True)
def figures(table, mass, labels, blocks):
    """Σ_B [Σ_s h(t_B,s) − h(|t_B|)] and −Σ_B h(|t_B|) of a partition, from its letters."""
    inside = np.zeros((blocks, table.shape[1]))
    total = np.zeros(blocks)
    for x in range(len(labels)):
        inside[labels[x]] += table[x]
        total[labels[x]] += mass[x]
    leakage, utility = 0.0, 0.0
    for b in range(blocks):
        utility -= h(total[b])
        leakage -= h(total[b])
        for s in range(table.shape[1]):
            leakage += h(inside[b, s])
    return leakage, utility


@njit(cache=True)
def neighbours(table, mass, labels, blocks, start, sign, least, front_q, front_p, count, room, tolerance):
    """The neighbours that the front does not have: p, q, kind (0 merge, 1 move, 2 apart), and the two numbers of each.

    What is better by less than the tolerance is not better. `start` has the two figures of the partition. p is
    what is to be low (the leakage, or its negative), q the other.
    """
    n, n_s = table.shape
    inside = np.zeros((blocks, n_s))
    total = np.zeros(blocks)
    letters = np.zeros(blocks, np.int64)
    for x in range(n):
        inside[labels[x]] += table[x]
        total[labels[x]] += mass[x]
        letters[labels[x]] += 1
    h_inside = np.zeros((blocks, n_s))
    for b in range(blocks):
        for s in range(n_s):
            h_inside[b, s] = h(inside[b, s])
    h_table = np.zeros((n, n_s))
    for x in range(n):
        for s in range(n_s):
            h_table[x, s] = h(table[x, s])
    found = np.empty((room, 2))
    what = np.empty((room, 3), np.int64)
    size = 0
    for i in range(blocks):
        for j in range(i + 1, blocks):
            apart = h(total[i]) + h(total[j]) - h(total[i] + total[j])
            leakage = start[0] + _change(inside[i], h_inside[i], inside[j], h_inside[j]) + apart
            utility = start[1] + apart
            p, q = sign * leakage, -sign * utility
            if size < room and _beats(front_q, front_p, count, p, q, tolerance):
                found[size, 0], found[size, 1] = p, q
                what[size, 0], what[size, 1], what[size, 2] = 0, i, j
                size += 1
    for x in range(n):
        i = labels[x]
        if letters[i] == 1 or total[i] - mass[x] < least:
            continue
        left = total[i] - mass[x]
        leaving = _without(inside[i], h_inside[i], table[x])
        for j in range(blocks + 1):
            if j == i or (j == blocks and mass[x] < least):
                continue
            if j == blocks:  # apart, by itself
                apart = h(total[i]) - h(left) - h(mass[x])
                joining = 0.0
            else:
                apart = h(total[i]) + h(total[j]) - h(left) - h(total[j] + mass[x])
                joining = _change(inside[j], h_inside[j], table[x], h_table[x])
            own = 0.0
            for s in range(n_s):
                own += h_table[x, s]
            leakage = start[0] + leaving + joining + own + apart
            utility = start[1] + apart
            p, q = sign * leakage, -sign * utility
            if size < room and _beats(front_q, front_p, count, p, q, tolerance):
                found[size, 0], found[size, 1] = p, q
                what[size, 0], what[size, 1], what[size, 2] = 1 if j < blocks else 2, x, j
                size += 1
    return found[:size], what[:size]
