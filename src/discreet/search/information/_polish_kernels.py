# mypy: ignore-errors
"""Compiled: all merges of two blocks and all moves of one letter away from a partition, each held against a front.

A leakage is made of one figure per block: their sum (Shannon), the logarithm of their sum (best guesses) or their largest
(Rényi). A neighbour changes two blocks at most, and neighbouring partitions share nearly all blocks, so that figures are kept
in a table by the hash of the block's letters.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.information._renyi_kernels import INFINITE, ONE, ZERO

SHANNON, GUESS = -2, -1  # sums over blocks; the kinds of Rényi's order, from 0, are maxima
MERGE, MOVE, APART = range(3)
SLACK = 1e-11  # bits: what is better by less is rounding


class Kind(NamedTuple):
    """How blocks make a leakage."""

    kind: int
    order: float
    per_s: Any  # float64[n_s]: what a guess of s is worth, or p(s)
    offset: float  # bits that are the same for every partition


class Letters(NamedTuple):
    """The letters of a problem, and the table of figures."""

    table: Any  # float64[n, n_s]: p(s, x)
    mass: Any  # float64[n]: p(x)
    code: Any  # uint64[n]: random; those of a block's letters together are its name
    keys: Any  # uint64[2^m]: names of blocks whose figures are known
    known: Any  # float64[2^m]


class Stairs(NamedTuple):
    """A front, by rising q, hence falling p, and where its q are: those of bucket b from guide[b] to guide[b + 1]."""

    q: Any  # float64[points]
    p: Any  # float64[points]
    guide: Any  # int64[buckets + 1]
    scale: float  # buckets per bit


@helper
def h(y):
    return y * math.log2(y) if y > 0.0 else 0.0


@helper
def _divergence(of, one, two, sign, total):
    """D_α(p(s|B) ‖ p(s)) of the block with row one + sign·two."""
    most, found = -np.inf, 0.0
    for s in range(len(one)):
        y = one[s] + sign * two[s]
        if y > 1e-13 * one[s]:
            lift = math.log2(y / (total * of.per_s[s]))
            if of.kind == ZERO:
                found += of.per_s[s]
            elif of.kind == ONE:
                found += y / total * lift
            else:
                most = max(most, lift if of.kind == INFINITE else of.order * lift)
    if of.kind == ZERO:
        return -math.log2(min(1.0, found))
    if of.kind == ONE:
        return found
    if of.kind == INFINITE:
        return most
    for s in range(len(one)):
        y = one[s] + sign * two[s]
        if y > 1e-13 * one[s]:  # scaled by the largest term, so that no power overflows
            found += of.per_s[s] * 2.0 ** (of.order * math.log2(y / (total * of.per_s[s])) - most)
    return (math.log2(found) + most) / (of.order - 1.0)


@helper
def figure(of, one, two, sign, total):
    """What the block with row one + sign·two adds to the leakage."""
    found = 0.0
    if of.kind == SHANNON:
        for s in range(len(one)):
            y = one[s] + sign * two[s]
            if y > 1e-15 * one[s]:
                found += y * math.log2(y)
        return found - h(total)
    if of.kind == GUESS:
        for s in range(len(one)):
            found = max(found, (one[s] + sign * two[s]) * of.per_s[s])
        return found
    return _divergence(of, one, two, sign, total)


@helper
def _compute(of, letters, name, one, two, sign, total):
    """The same, remembered."""
    found = figure(of, one, two, sign, total)
    place = name & np.uint64(len(letters.keys) - 1)
    letters.keys[place] = name
    letters.known[place] = found
    return found


@helper
def _bits(kind, offset, together):
    """The leakage of figures put together."""
    return offset + (math.log2(max(together, 1e-300)) if kind == GUESS else together)


@kernel
def figures(of, letters, labels, blocks):
    """Leakage and utility of a partition, from its letters."""
    inside, total, _, _ = _blocks(letters, labels, blocks)
    nothing = np.zeros(inside.shape[1])
    together, utility = (0.0 if of.kind <= GUESS else -np.inf), 0.0
    for b in range(blocks):
        each = figure(of, inside[b], nothing, 1.0, total[b])
        together = _two(of.kind, together, each)
        utility -= h(total[b])
    return _bits(of.kind, of.offset, together), utility


@helper
def _blocks(letters, labels, blocks):
    """Rows, masses, numbers of letters and names of the blocks."""
    inside = np.zeros((blocks, letters.table.shape[1]))
    total = np.zeros(blocks)
    size = np.zeros(blocks, np.int64)
    name = np.zeros(blocks, np.uint64)
    for x in range(len(labels)):
        b = labels[x]
        inside[b] += letters.table[x]
        total[b] += letters.mass[x]
        size[b] += 1
        name[b] ^= letters.code[x]
    return inside, total, size, name


@helper
def _is_new(front, p, q, step):
    """Whether every point of the front that is as low in q is a rung or more higher in p.

    Rungs are those of a ladder that all points share: what is one rung lower than the front stays so, and there are as
    many such points as rungs.
    """
    place = (q + SLACK - front.q[0]) * front.scale
    if place < 0.0:
        return True
    bucket = min(int(place), len(front.guide) - 2)
    low, high = front.guide[bucket], front.guide[bucket + 1]
    while low < high:
        middle = (low + high) // 2
        if front.q[middle] <= q + SLACK:
            low = middle + 1
        else:
            high = middle
    return low == 0 or math.floor(front.p[low - 1] / step) > math.floor((p + SLACK) / step)


@helper
def _three_largest(of_block):
    """Where the three largest are: when two blocks change, one of them is still the largest of the others."""
    order = np.argsort(-of_block)
    return order[0], (order[1] if len(order) > 1 else -1), (order[2] if len(order) > 2 else -1)


@helper
def _largest(of_block, first, second, third, i, j):
    """The largest but for blocks i and j."""
    if first != i and first != j:
        return of_block[first]
    if second >= 0 and second != i and second != j:
        return of_block[second]
    if third >= 0 and third != i and third != j:
        return of_block[third]
    return -np.inf


@helper
def _two(kind, one, two):
    return one + two if kind <= GUESS else max(one, two)


@kernel
def neighbours(of, letters, labels, blocks, sign, least, front, step, room):
    """The neighbours that the front does not have: p, q and what was done (merge, move or apart, and its two numbers).

    p is what is to be low (the leakage, or its negative), q the other. Also how many figures were computed. Most are known,
    so that nothing is sliced or called before they have been looked up.
    """
    n, mass, code, keys, known = len(labels), letters.mass, letters.code, letters.keys, letters.known
    mask = np.uint64(len(keys) - 1)
    inside, total, size, name = _blocks(letters, labels, blocks)
    nothing = np.zeros(inside.shape[1])
    of_block, own = np.empty(blocks), np.empty(blocks)
    together, utility, work = (0.0 if of.kind <= GUESS else -np.inf), 0.0, 0
    for b in range(blocks):
        of_block[b] = _compute(of, letters, name[b], inside[b], nothing, 1.0, total[b])
        together = _two(of.kind, together, of_block[b])
        own[b] = h(total[b])
        utility -= own[b]
    first, second, third = _three_largest(of_block)
    found = np.empty((room, 2))
    what = np.empty((room, 3), np.int64)
    count = 0
    for i in range(blocks):
        for j in range(i + 1, blocks):
            both = total[i] + total[j]
            key = name[i] ^ name[j]
            if keys[key & mask] == key:
                joined = known[key & mask]
            else:
                joined = _compute(of, letters, key, inside[i], inside[j], 1.0, both)
                work += 1
            if of.kind <= GUESS:
                changed = together - of_block[i] - of_block[j] + joined
            else:
                changed = max(joined, _largest(of_block, first, second, third, i, j))
            p = sign * _bits(of.kind, of.offset, changed)
            q = -sign * (utility + own[i] + own[j] - h(both))
            if count < room and _is_new(front, p, q, step):
                found[count, 0], found[count, 1] = p, q
                what[count, 0], what[count, 1], what[count, 2] = MERGE, i, j
                count += 1
    for x in range(n):
        i = np.int64(labels[x])
        left = total[i] - mass[x]
        if size[i] == 1 or left < least:
            continue
        key = name[i] ^ code[x]
        if keys[key & mask] == key:
            without = known[key & mask]
        else:
            without = _compute(of, letters, key, inside[i], letters.table[x], -1.0, left)
            work += 1
        lost = utility + own[i] - h(left)
        for j in range(-1, blocks):  # -1: apart, by itself
            if j == i or (j < 0 and mass[x] < least):
                continue
            both = mass[x] + (total[j] if j >= 0 else 0.0)
            key = code[x] ^ (name[j] if j >= 0 else np.uint64(0))
            if keys[key & mask] == key:
                joined = known[key & mask]
            else:
                joined = _compute(of, letters, key, inside[j] if j >= 0 else nothing, letters.table[x], 1.0, both)
                work += 1
            if of.kind <= GUESS:
                changed = together - of_block[i] - (of_block[j] if j >= 0 else 0.0) + without + joined
            else:
                changed = max(without, joined, _largest(of_block, first, second, third, i, j))
            p = sign * _bits(of.kind, of.offset, changed)
            q = -sign * (lost + (own[j] if j >= 0 else 0.0) - h(both))
            if count < room and _is_new(front, p, q, step):
                found[count, 0], found[count, 1] = p, q
                what[count, 0], what[count, 1], what[count, 2] = (MOVE if j >= 0 else APART), x, j
                count += 1
    return found[:count], what[:count], work
