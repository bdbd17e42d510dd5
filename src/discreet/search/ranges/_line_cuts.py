"""Compiled search for contiguous blocks of bounded width, bridged by pairs of overlapping blocks where they get stuck.

Positions, windows and `starts` are as in `_line_kernels`. Whether blocks of width w with k distinct s exist is asked
of cuts: cut i is reachable when the letters before i can all be placed.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.ranges._line_kernels import split_overlaps

BACK, PAIRS, SCANS = 32, 4, 400_000
"""Cuts before a dead end that a pair may start from, pairs kept for each, and letters that all pairs may look at."""


@helper
def _pair(x, indptr, indices, n_s, k, j, i, w):
    """Labels 0 and 1 of the letters [j, i), in two blocks no wider than w with k distinct s each; and whether it is so.

    The first block must hold j and the second i - 1, so what both can hold is what lies within w of both.
    """
    end = j
    while end < i and x[end] - x[j] <= w:
        end += 1
    first = i - 1
    while first > j and x[i - 1] - x[first - 1] <= w:
        first -= 1
    if first > end:
        return np.empty(0, np.int64), False
    firsts = np.array([0, first - j])
    ends = np.array([end - j, i - j])
    return split_overlaps(indptr[j : i + 1], indices, n_s, k, firsts, ends, np.array([-1, -1]))


@kernel
def blocks_within(x, indptr, indices, n_s, k, starts, w):
    """Labels of blocks no wider than w, each with k distinct s; empty where the search finds none.

    Reachable cuts by single blocks take O(n): the latest reachable start is the best one. At a dead end, pairs of
    overlapping blocks are tried from the last reachable cuts, farthest first.
    """
    n = len(x)
    # parent[i]: the cut before the last block (or pair) where cut i is reachable, else -1.
    # latest[i]: the last reachable cut up to i.
    parent = np.full(n + 1, -1, np.int64)
    paired = np.zeros(n + 1, np.bool_)
    latest = np.zeros(n + 1, np.int64)
    bridged = -1
    work = 0
    i = 1
    while i <= n:
        if parent[i] < 0 and starts[i] >= 0:
            j = latest[starts[i]]
            if x[i - 1] - x[j] <= w:
                parent[i] = j
        latest[i] = i if parent[i] >= 0 else latest[i - 1]
        stuck = latest[i]
        if stuck < i and (i == n or x[i] - x[stuck] > w) and stuck > bridged:
            # No single block can start at a reachable cut and end after i.
            bridged = stuck
            j, back, earliest = stuck, 0, n + 1
            while j >= 0 and back < BACK and work < SCANS:
                far = j
                while far < n and x[far] - x[j] <= w:
                    far += 1
                end = far
                while end < n and x[end] - x[far - 1] <= w:
                    end += 1
                kept = 0
                while end > stuck and kept < PAIRS and work < SCANS:
                    if parent[end] < 0:
                        work += end - j + n_s
                        if _pair(x, indptr, indices, n_s, k, j, end, w)[1]:
                            parent[end] = j
                            paired[end] = True
                            earliest = min(earliest, end)
                            kept += 1
                    end -= 1
                back += 1
                j = latest[j - 1] if j > 0 else -1
            if earliest > n:
                return np.empty(0, np.int64)
            i = min(i, earliest - 1)
        i += 1
    if parent[n] < 0:
        return np.empty(0, np.int64)
    labels = np.empty(n, np.int64)
    i, b = n, 0
    while i > 0:
        j = parent[i]
        if paired[i]:
            labels[j:i] = b + _pair(x, indptr, indices, n_s, k, j, i, w)[0]
            b += 2
        else:
            labels[j:i] = b
            b += 1
        i = j
    return labels
