# mypy: ignore-errors
"""Walks over the bases of {u ≥ 0 : A u = b}: to all of them, or to the best neighbour until there is none."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.sample_privacy._simplex_kernels import PIVOT, information, invert

ZERO = 1e-13  # masses below count as none


@helper
def tableau_of(rows, inverse):
    """inverse @ rows, with rounding removed."""
    r, n = rows.shape
    found = np.zeros((r, n))
    for i in range(r):
        for k in range(r):
            factor = inverse[i, k]
            if factor != 0.0:
                for j in range(n):
                    found[i, j] += factor * rows[k, j]
    for i in range(r):
        for j in range(n):
            if abs(found[i, j]) < PIVOT:
                found[i, j] = 0.0
    return found


@helper
def masses_of(inverse, b):
    """Values of the basic variables, rounding removed."""
    r = len(b)
    found = np.zeros(r)
    for i in range(r):
        for k in range(r):
            found[i] += inverse[i, k] * b[k]
        if abs(found[i]) < ZERO:
            found[i] = 0.0
    return found


@helper
def _leaves(masses, frame, tableau, j):
    """The row that leaves when column j enters, by the lexicographic ratio test; −1 when none can."""
    r = len(masses)
    best = -1
    for i in range(r):
        d = tableau[i, j]
        if d <= 0.0:
            continue
        if best < 0:
            best = i
            continue
        e = tableau[best, j]
        difference = masses[i] / d - masses[best] / e
        if difference < -ZERO:
            best = i
        elif difference <= ZERO:
            for k in range(r):
                tie = frame[i, k] / d - frame[best, k] / e
                if tie < -PIVOT:
                    best = i
                    break
                if tie > PIVOT:
                    break
    return best


@helper
def _find(table, bases, basis):
    """Slot of a sorted basis in the hash table: where it is, or where it belongs."""
    mask = len(table) - 1
    h = np.uint64(1469598103934665603)
    for c in basis:
        h = (h ^ np.uint64(c + 1)) * np.uint64(1099511628211)
    h = h ^ (h >> np.uint64(29))
    slot = np.int64(h & np.uint64(mask))
    while table[slot] >= 0:
        known = bases[table[slot]]
        same = True
        for k in range(len(basis)):
            if known[k] != basis[k]:
                same = False
                break
        if same:
            return slot
        slot = (slot + 1) & mask
    return slot


@kernel
def grow(rows, b, origin, bases, values, table, done, count, steps):
    """Visit the next bases of the graph of the lexicographically perturbed polytope, breadth first.

    The perturbation makes every basis a simple vertex, so the graph is connected and each vertex of the true polytope
    is the limit of at least one of them. ``origin`` is the first basis' matrix, the frame in which rows stay
    lexicographically positive. Returns (visited, known); stops when ``bases`` is full.
    """
    r, n = rows.shape
    basic = np.zeros(n, np.bool_)
    new = np.empty(r, np.int32)
    while done < count and steps > 0:
        steps -= 1
        basis = bases[done].astype(np.int64)
        inverse, _ = invert(rows, basis)
        tableau = tableau_of(rows, inverse)
        frame = tableau_of(origin, inverse)
        masses = masses_of(inverse, b)
        for k in range(r):
            values[done, k] = masses[k]
            basic[basis[k]] = True
        for j in range(n):
            if basic[j]:
                continue
            row = _leaves(masses, frame, tableau, j)
            if row < 0:
                continue
            at = 0
            placed = False
            for k in range(r):
                if k == row:
                    continue
                if not placed and basis[k] > j:
                    new[at] = j
                    at += 1
                    placed = True
                new[at] = basis[k]
                at += 1
            if not placed:
                new[at] = j
            slot = _find(table, bases, new)
            if table[slot] < 0:
                if count == len(bases):
                    for k in range(r):
                        basic[basis[k]] = False
                    return done, count
                bases[count] = new
                table[slot] = count
                count += 1
        for k in range(r):
            basic[basis[k]] = False
        done += 1
    return done, count


@kernel
def rehash(table, bases, count):
    """Fill an empty hash table."""
    for k in range(count):
        table[_find(table, bases, bases[k])] = k


@kernel
def descend(rows, b, latent, prices, basis, steps):
    """From a basis to the best neighbouring vertex until none is better: min H(W|u) − prices·u.

    ``latent`` is |W| × N, or has no rows for self-disclosure. The basis is updated; returns the value reached.
    """
    r, n = rows.shape
    m = len(latent)
    basic = np.zeros(n, np.bool_)
    value = np.inf
    for _ in range(steps):
        inverse, sound = invert(rows, basis)
        if not sound:
            return np.inf
        tableau = tableau_of(rows, inverse)
        masses = masses_of(inverse, b)
        basic[:] = False
        linear = 0.0
        for k in range(r):
            basic[basis[k]] = True
            linear += prices[basis[k]] * masses[k]
        outcome = np.zeros(m)
        value = -linear
        for w in range(m):
            for k in range(r):
                outcome[w] += latent[w, basis[k]] * masses[k]
            value += information(outcome[w])
        if m == 0:
            for k in range(r):
                value += information(masses[k])
        best, entering, leaving = value - 1e-10, -1, -1
        for j in range(n):
            if basic[j]:
                continue
            step, row = np.inf, -1
            for i in range(r):
                d = tableau[i, j]
                if d > 0.0 and masses[i] < step * d:
                    step, row = masses[i] / d, i
            if row < 0 or step <= 0.0:
                continue
            gain = prices[j]
            for i in range(r):
                gain -= prices[basis[i]] * tableau[i, j]
            there = -linear - step * gain
            if m == 0:
                there += information(step)
                for i in range(r):
                    if i != row:
                        there += information(masses[i] - step * tableau[i, j])
            else:
                for w in range(m):
                    change = latent[w, j]
                    for i in range(r):
                        change -= latent[w, basis[i]] * tableau[i, j]
                    there += information(outcome[w] + step * change)
            if there < best:
                best, entering, leaving = there, j, row
        if entering < 0:
            break
        basis[leaving] = entering
        value = best
    return value
