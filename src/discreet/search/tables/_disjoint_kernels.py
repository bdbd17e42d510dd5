# mypy: ignore-errors
"""Compiled: tiles that never overlap, as released. Lines and sets are cut in two, a node of a tree into all its children."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.tables._kernels import NOBODY, add_letter, cost_with, empty_hull, tally_fits, tally_letter
from discreet.search.tables._topdown_kernels import by_code, cheapest_cut, mark_fitting


@helper
def _common_level(cells, c, lo, hi):
    """The lowest level at which two leaves of a tree are under one node."""
    depth = cells.meta[c, 3]
    j = 0
    while cells.nodes[cells.meta[c, 4] + lo * depth + j] != cells.nodes[cells.meta[c, 4] + hi * depth + j]:
        j += 1
    return j


@helper
def _run(codes, counts, cells, need, scale, letters, start, end, hull, bits, tally, distinct):
    """The cost of letters[start:end] as one tile; infinity if it does not fit."""
    empty_hull(hull, bits)
    weight = 0
    tally[:] = 0
    distinct[:] = 0
    for i in range(start, end):
        add_letter(cells, codes, letters[i], hull, bits)
        weight += counts[letters[i]]
        if need.least[1] > 0:
            tally_letter(need, letters[i], tally, distinct)
    if weight < need.least[0] or (need.least[1] > 0 and not tally_fits(need, tally, distinct, weight)):
        return np.inf
    return weight * cost_with(cells, codes, NOBODY, scale, hull, bits, np.inf)


@kernel
def tiles(codes, counts, cells, need, scale, share, perm):
    """Cut the letters `perm`, in place, into tiles. Returns the nodes of the tree: begin, end, 1 for a leaf; and the cost.

    Where it can be, a line or a set is cut such that both sides have at least that `share` of the records.
    """
    m = len(perm)
    d = codes.shape[1]
    least = need.least[0]
    first = np.empty((1 << 16) + 2, dtype=np.int64)
    letters = np.empty(m, dtype=np.int64)
    spare = np.empty(m, dtype=np.int64)
    chosen = np.empty(m, dtype=np.int64)
    cost = np.empty(m, dtype=np.float64)
    fits = np.empty(m, dtype=np.bool_)
    hull = np.empty((d, 2), dtype=np.int32)
    bits = np.empty(cells.words[0], dtype=np.uint64)
    tally = np.empty(len(need.cap), dtype=np.int64)
    distinct = np.empty(len(need.least) - 2, dtype=np.int64)
    ones = np.ones(d)
    nodes = np.empty((2 * m + 1, 3), dtype=np.int64)
    nodes[0, 0] = 0
    nodes[0, 1] = m
    n_nodes = 1
    at = 0
    loss = 0.0
    while at < n_nodes:
        start = nodes[at, 0]
        end = nodes[at, 1]
        size = end - start
        total = 0
        for i in range(start, end):
            total += counts[perm[i]]
        best = np.inf
        best_column = -1
        best_cut = 0
        for turn in range(2 * d):
            if total < 2 * least or (turn == d and (share == 0.0 or best_column >= 0)):
                break
            c = turn % d
            side_least = max(least, share * total) if turn < d else least
            low = codes[perm[start], c]
            top = low
            for i in range(start, end):
                low = min(low, codes[perm[i], c])
                top = max(top, codes[perm[i], c])
            if low == top:
                continue
            by_code(codes, perm, start, end, c, low, top, letters, spare, first)
            improved = False
            if cells.meta[c, 0] == 2:
                depth = cells.meta[c, 3]
                below = cells.meta[c, 4] + _common_level(cells, c, low, top) - 1
                score = 0.0
                begin = 0
                for i in range(1, size + 1):
                    if i < size and (
                        cells.nodes[below + codes[letters[i], c] * depth]
                        == cells.nodes[below + codes[letters[begin], c] * depth]
                    ):
                        continue
                    score += _run(codes, counts, cells, need, scale, letters, begin, i, hull, bits, tally, distinct)
                    begin = i
                    if score >= best:
                        break
                if score < best:
                    best = score
                    improved = True
            else:
                for i in range(size):
                    fits[i] = True
                if need.least[1] > 0:
                    mark_fitting(need, counts, letters, size, tally, distinct, fits)
                found, cut = cheapest_cut(
                    codes, counts, cells, scale, letters, size, c, True, total, side_least, fits, best, cost, hull, bits
                )
                if cut > 0:
                    best, best_cut, improved = found, cut, True
            if improved:
                best_column = c
                for i in range(size):
                    chosen[i] = letters[i]
        if best_column < 0:
            nodes[at, 2] = 1
            loss += _run(codes, counts, cells, need, ones, perm, start, end, hull, bits, tally, distinct)
            at += 1
            continue
        nodes[at, 2] = 0
        for i in range(size):
            perm[start + i] = chosen[i]
        c = best_column
        if cells.meta[c, 0] == 2:
            depth = cells.meta[c, 3]
            below = cells.meta[c, 4] + _common_level(cells, c, codes[chosen[0], c], codes[chosen[size - 1], c]) - 1
            begin = 0
            for i in range(1, size + 1):
                if i == size or (
                    cells.nodes[below + codes[chosen[i], c] * depth]
                    != cells.nodes[below + codes[chosen[begin], c] * depth]
                ):
                    nodes[n_nodes, 0] = start + begin
                    nodes[n_nodes, 1] = start + i
                    n_nodes += 1
                    begin = i
        else:
            nodes[n_nodes, 0] = start
            nodes[n_nodes, 1] = start + best_cut
            nodes[n_nodes + 1, 0] = start + best_cut
            nodes[n_nodes + 1, 1] = end
            n_nodes += 2
        at += 1
    return nodes[:n_nodes], loss


@kernel
def leaf_costs(codes, counts, cells, order, leaves):
    """The cost of some tiles: runs of an order, given as rows of begin and end."""
    d = codes.shape[1]
    hull = np.empty((d, 2), dtype=np.int32)
    bits = np.empty(cells.words[0], dtype=np.uint64)
    ones = np.ones(d)
    total = 0.0
    for g in range(len(leaves)):
        empty_hull(hull, bits)
        weight = 0
        for i in range(leaves[g, 0], leaves[g, 1]):
            add_letter(cells, codes, order[i], hull, bits)
            weight += counts[order[i]]
        total += weight * cost_with(cells, codes, NOBODY, ones, hull, bits, np.inf)
    return total
