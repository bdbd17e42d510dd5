# mypy: ignore-errors
"""Compiled: Algorithm 1 of [AC] in rounds, for either utility. SPEC 3 has the tie rules, SPEC 9 the idea of
the speed.
"""

from __future__ import annotations

import heapq

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.graph import components_of, find, unite
from discreet.search._kernels.sorting import sort_by
from discreet.search.ranges._greedy.blocks import SIZE, join, largest_own
from discreet.search.ranges._greedy.growing_ranges import new_ranges, unite_ranges
from discreet.search.ranges._greedy.scan import cheapest_scanned, follow, new_scan
from discreet.search.ranges._greedy.tree import build_tree, cheapest_other, new_scratch, replace

SCANNED = 6  # coordinates from which on all blocks are looked at: a tree's boxes overlap


@helper
def _play(count, label, best, other, node):
    """A node of the tournament: the smallest block beneath it, and the smallest of another class than that
    one.
    """
    one, two = best[2 * node], best[2 * node + 1]
    if one < 0 or (two >= 0 and (count[two], two) < (count[one], one)):
        one, two = two, one
    best[node] = one
    runner_up = -1
    for candidate in (two, other[2 * node], other[2 * node + 1]):
        if candidate >= 0 and label[candidate] != label[one]:
            if runner_up < 0 or (count[candidate], candidate) < (count[runner_up], runner_up):
                runner_up = candidate
    other[node] = runner_up


@helper
def _replay(count, label, best, other, leaf):
    node = leaf // 2
    while node >= 1:
        _play(count, label, best, other, node)
        node //= 2


@helper
def _tournament(count, label):
    n = len(count)
    leaves = 2
    while leaves < n:
        leaves *= 2
    best = np.full(2 * leaves, -1, dtype=np.int64)
    other = np.full(2 * leaves, -1, dtype=np.int64)
    for x in range(n):
        best[leaves + x] = x
    for node in range(leaves - 1, 0, -1):
        _play(count, label, best, other, node)
    return best, other


@helper
def _fewest(head, next_entry, entry_block, distinct, alive, start):
    """The least number of distinct s from `start` up that a block has, and those blocks in order: Pi of [AC,
    Alg 1].
    """
    for k in range(start, len(head)):
        size = 0
        entry = head[k]
        while entry >= 0:
            size += alive[entry_block[entry]] and distinct[entry_block[entry]] == k
            entry = next_entry[entry]
        if size == 0:
            continue
        found, pi, places = np.empty(size, np.int64), np.empty(size, np.int64), np.arange(size)
        entry, size = head[k], 0
        while entry >= 0:
            if alive[entry_block[entry]] and distinct[entry_block[entry]] == k:
                found[size] = entry_block[entry]
                size += 1
            entry = next_entry[entry]
        sort_by(places, found)
        for i in range(size):
            pi[i] = found[places[i]]
        return k, pi
    return 0, np.empty(0, dtype=np.int64)


@kernel
def rounds(blocks, by_size, indptr, indices, n_s, exact):
    """[AC, Alg 1], corrected as SPEC 3 says, until every block has the range [[S]].

    `by_size`: utility U1, else U2 with the codeword of `blocks`. Returns left and right of the merges; for
    the start and each round's end a row (merges so far, fewest distinct s, components, largest block); and as
    many distortions, in lattice steps.
    """
    n = len(indptr) - 1
    ranges = new_ranges(indptr, indices, n_s)
    label = ranges.label
    parent, weight, components = components_of(indptr, indices, n_s, np.arange(n))
    alive = np.ones(n, dtype=np.bool_)
    distinct = np.empty(n, np.int64)
    for x in range(n):
        distinct[x] = indptr[x + 1] - indptr[x]
    best, other = _tournament(blocks.count[: n if by_size else 0], label)
    scans = not by_size and blocks.points.shape[1] >= SCANNED
    tree = build_tree(blocks, label[: 0 if by_size or scans else n], exact)
    scan = new_scan(blocks.points, n if scans else 0)
    head = np.full(n_s + 1, -1, dtype=np.int64)  # blocks by number of distinct s, entries out of date left in place
    next_entry, entry_block = np.empty(2 * n, dtype=np.int64), np.empty(2 * n, dtype=np.int64)
    for x in range(n):
        entry_block[x], next_entry[x], head[distinct[x]] = x, head[distinct[x]], x
    entries = n
    left, right = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    merges, largest = 0, 1
    scratch = new_scratch()
    widest = [(0.0, np.int64(0))]
    k, pi = _fewest(head, next_entry, entry_block, distinct, alive, np.int64(1))
    log = [(0, k, components, 1)]
    distortion = [0.0]
    while True:
        for x in pi:
            if distinct[x] != k or not alive[x]:
                continue  # already merged in this round
            if by_size:
                y = best[1] if label[best[1]] != label[x] else other[1]
            elif scans:
                y = cheapest_scanned(blocks, scan, x, label)
            else:
                y = cheapest_other(blocks, tree, x, label[x], scratch)
            if y < 0:
                break  # every block has the same range, hence all of [[S]]
            a, b = min(x, y), max(x, y)
            join(blocks, a, b)
            k_union = unite_ranges(ranges, a, b, alive)
            alive[b] = False
            if k_union != distinct[a]:
                distinct[a] = k_union
                entry_block[entries], next_entry[entries], head[k_union] = a, head[k_union], entries
                entries += 1
            if by_size:
                leaves = len(best) // 2
                best[leaves + b] = -1
                _replay(blocks.count, label, best, other, leaves + b)
                _replay(blocks.count, label, best, other, leaves + a)
            elif scans:
                follow(scan, blocks, a, b)
            else:
                replace(blocks, tree, a, b, label[a])
            one, two = find(parent, a), find(parent, b)
            if one != two:
                unite(parent, weight, one, two)
                components -= 1
            if blocks.kind != SIZE:
                heapq.heappush(widest, (-blocks.own[a], a))
            largest = max(largest, blocks.count[a])
            left[merges], right[merges] = a, b
            merges += 1
        if merges == log[-1][0]:
            break
        k, pi = _fewest(head, next_entry, entry_block, distinct, alive, k)
        log.append((merges, k, components, largest))
        distortion.append(largest_own(widest, blocks.own, alive))
    rows, largest_by_round = np.empty((len(log), 4), np.int64), np.empty(len(log))
    for i in range(len(log)):
        rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3] = log[i]
        largest_by_round[i] = distortion[i]
    return left[:merges], right[:merges], rows, largest_by_round
