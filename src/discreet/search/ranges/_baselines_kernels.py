"""Mondrian's recursion, compiled."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel


@helper
def _cut(column, letters):
    """The largest value of the lower side: the median, or the value below it if that is the largest."""
    x = column[letters]
    middle = (len(x) - 1) // 2
    cut = np.partition(x, middle)[middle]
    highest = x.max()
    if cut < highest:
        return cut
    below = -np.inf
    for value in x:
        if value < highest and value > below:
            below = value
    return below


@helper
def _sides_hold(column, cut, letters, indptr, indices, seen_low, seen_high, stamp, least):
    """Whether both sides of the cut have at least ``least`` distinct s."""
    low = high = 0
    for letter in letters:
        lower = column[letter] <= cut
        for at in range(indptr[letter], indptr[letter + 1]):
            s = indices[at]
            if lower:
                if seen_low[s] != stamp:
                    seen_low[s] = stamp
                    low += 1
            elif seen_high[s] != stamp:
                seen_high[s] = stamp
                high += 1
        if low >= least and high >= least:
            return True
    return False


@kernel
def mondrian_blocks(columns, spans, indptr, indices, n_s, least):
    """Label of each letter's block: parts are cut at the median of their widest column while both hold k.

    ``columns`` is d by n; ``spans`` are the whole columns' ranges, by which widths are compared.
    """
    d, n = columns.shape
    letters, upper = np.arange(n), np.empty(n, np.int64)
    labels = np.empty(n, np.int64)
    seen_low, seen_high = np.zeros(n_s, np.int64), np.zeros(n_s, np.int64)
    stack = [(0, n)]
    stamp = 0
    blocks = 0
    while len(stack) > 0:
        start, stop = stack.pop()
        part = letters[start:stop]
        widths = np.empty(d)
        for c in range(d):
            lowest, highest = columns[c, part[0]], columns[c, part[0]]
            for letter in part:
                lowest, highest = min(lowest, columns[c, letter]), max(highest, columns[c, letter])
            widths[c] = (highest - lowest) / spans[c]
        divided = False
        for _ in range(d):
            c = int(np.argmax(widths))
            if not widths[c] > 0:
                break
            widths[c] = -1.0
            cut = _cut(columns[c], part)
            stamp += 1
            if _sides_hold(columns[c], cut, part, indptr, indices, seen_low, seen_high, stamp, least):
                middle, above = start, 0
                for at in range(start, stop):
                    letter = letters[at]
                    if columns[c, letter] <= cut:
                        letters[middle] = letter
                        middle += 1
                    else:
                        upper[above] = letter
                        above += 1
                for at in range(above):
                    letters[middle + at] = upper[at]
                stack.append((start, middle))
                stack.append((middle, stop))
                divided = True
                break
        if not divided:
            for letter in part:
                labels[letter] = blocks
            blocks += 1
    return labels
