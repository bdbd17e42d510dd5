# mypy: ignore-errors
"""Compiled: blocks as sparse rows of counts by s, in whole numbers (see `information/_integers.py`)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.sorting import sort_by


class Rows(NamedTuple):
    """State of all blocks, by the block's name (its lowest letter). Rows lie in one pool; a joined row goes to its end."""

    start: Any  # int64[n]: where the block's row lies in the pool
    end: Any
    s: Any  # int32[pool], increasing in a row
    count: Any  # int64[pool]
    used: Any  # int64[1]: end of the pool's used part
    weight: Any  # int64[n]: the sum of the row
    inside: Any  # int64[n]: Σ_s h(t_s)
    outside: Any  # int64[n]: h(Σ_s t_s)
    alive: Any  # bool[n]
    table: Any  # int64[]: h(0), h(1), …
    scale: float  # one bit in units of h


@kernel
def table_of_h(size, scale):
    """k log2 k for k < size, log2 k summed over prime factors, each prime's logarithm rounded once."""
    log = np.zeros(size, dtype=np.int64)
    factor = np.zeros(size, dtype=np.int64)  # the smallest prime factor
    for k in range(2, size):
        if factor[k] == 0:
            log[k] = np.int64(np.rint(np.log2(k) * scale))
            for multiple in range(k * k, size, k):
                if factor[multiple] == 0:
                    factor[multiple] = k
        else:
            log[k] = log[factor[k]] + log[k // factor[k]]
    for k in range(size):
        log[k] *= k
    return log


@helper
def h(table, scale, k):
    """h(k) = k log2 k in units."""
    if k < len(table):
        return table[k]
    return np.int64(np.rint(k * np.log2(k) * scale))


def new_rows(integers: Any) -> Rows:
    """Every letter a block of its own."""
    pairs = len(integers.indices)
    pool = 3 * pairs + integers.n_s  # all rows together never outgrow `pairs`; the rest is room to join in
    s, count = np.empty(pool, dtype=np.int32), np.empty(pool, dtype=np.int64)
    s[:pairs], count[:pairs] = integers.indices, integers.count
    return Rows(
        integers.indptr[:-1].copy(),
        integers.indptr[1:].copy(),
        s,
        count,
        used=np.full(1, pairs, dtype=np.int64),
        weight=integers.of_letter,
        inside=np.add.reduceat(integers.h(integers.count), integers.indptr[:-1]),
        outside=integers.h(integers.of_letter),
        alive=np.ones(integers.n, dtype=np.bool_),
        table=integers.table,
        scale=integers.scale,
    )


@helper
def _sum_row(rows, i):
    weight, inside = np.int64(0), np.int64(0)
    for e in range(rows.start[i], rows.end[i]):
        weight += rows.count[e]
        inside += h(rows.table, rows.scale, rows.count[e])
    rows.weight[i], rows.inside[i], rows.outside[i] = weight, inside, h(rows.table, rows.scale, weight)


@helper
def _compact(rows):
    names = np.empty(len(rows.alive), np.int64)
    alive = 0
    for i in range(len(rows.alive)):
        if rows.alive[i]:
            names[alive] = i
            alive += 1
    sort_by(names[:alive], rows.start)
    at = 0
    for i in names[:alive]:
        first, size = rows.start[i], rows.end[i] - rows.start[i]
        for e in range(size):
            rows.s[at + e], rows.count[at + e] = rows.s[first + e], rows.count[first + e]
        rows.start[i], rows.end[i] = at, at + size
        at += size
    rows.used[0] = at


@helper
def join(rows, a, b):
    """Block b goes into block a. Returns the changes (G, F) of Σ_B Σ_s h(t_s) and Σ_B h(Σ_s t_s).

    N·I(S;X̂) changes by G − F and N·H(X̂) by −F.
    """
    if rows.used[0] + rows.end[a] - rows.start[a] + rows.end[b] - rows.start[b] > len(rows.s):
        _compact(rows)
    s, count, at = rows.s, rows.count, rows.used[0]
    first = at
    d, e = rows.start[a], rows.start[b]
    while d < rows.end[a] or e < rows.end[b]:
        if e >= rows.end[b] or (d < rows.end[a] and s[d] < s[e]):
            s[at], count[at] = s[d], count[d]
            d += 1
        elif d >= rows.end[a] or s[e] < s[d]:
            s[at], count[at] = s[e], count[e]
            e += 1
        else:
            s[at], count[at] = s[d], count[d] + count[e]
            d += 1
            e += 1
        at += 1
    inside, outside = rows.inside[a] + rows.inside[b], rows.outside[a] + rows.outside[b]
    rows.alive[b] = False
    rows.start[a], rows.end[a], rows.used[0] = first, at, at
    _sum_row(rows, a)
    return rows.inside[a] - inside, rows.outside[a] - outside


@helper
def scatter(rows, i, dense, dense_h):
    """Write block i's counts and their h into arrays by s."""
    for e in range(rows.start[i], rows.end[i]):
        dense[rows.s[e]] = rows.count[e]
        dense_h[rows.s[e]] = h(rows.table, rows.scale, rows.count[e])


@helper
def gather(rows, i, dense, dense_h):
    """Undo `scatter`."""
    for e in range(rows.start[i], rows.end[i]):
        dense[rows.s[e]] = 0
        dense_h[rows.s[e]] = 0


@helper
def shared(s, count, first, last, dense, dense_h, table, scale, complete):
    """Σ_s h(a_s + b_s) − h(a_s) over the row first ≤ e < last of b, a being scattered; less Σ_s h(b_s) it is G.

    `complete`: every sum has its entry in the table.
    """
    found = np.int64(0)
    if complete:
        for e in range(first, last):
            found += table[dense[s[e]] + count[e]] - dense_h[s[e]]
    else:
        for e in range(first, last):
            found += h(table, scale, dense[s[e]] + count[e]) - dense_h[s[e]]
    return found
