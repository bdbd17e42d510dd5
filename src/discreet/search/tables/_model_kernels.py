# mypy: ignore-errors
"""Compiled: whether a tally of sensitive values keeps to the bounds on how they are spread (`ValueModel`)."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel

CLOSE, ORDERED, ENTROPY, RECURSIVE, DISCLOSURE = range(5)
SLACK = 1e-13  # rounding of a sum; what is released is held against its requirement with a little more


@kernel
def models_fit(need, tally, weight):
    """Whether so many records with this tally keep to every bound."""
    for i in range(len(need.limit)):
        kind = need.model[i, 0]
        if kind == CLOSE:
            good = _close(need, i, tally, weight)
        elif kind == ORDERED:
            good = _ordered(need, i, tally, weight)
        elif kind == ENTROPY:
            good = _entropy(need, i, tally, weight)
        elif kind == RECURSIVE:
            good = _recursive(need, i, tally, weight)
        else:
            good = _disclosure(need, i, tally, weight)
        if not good:
            return False
    return True


@helper
def _close(need, i, tally, weight):
    """Σ over levels of what the nodes of a level have beyond their share; values are in the order of the tree's leaves."""
    begin, end, levels, start = need.model[i, 1], need.model[i, 2], need.model[i, 3], need.model[i, 4]
    size = end - begin
    total = 0.0
    for level in range(levels):
        run = 0.0
        for j in range(size):
            v = begin + need.leaf[start + j]
            run += tally[v] - weight * need.prior[v]
            at = start + level * size + j
            if j + 1 == size or need.node[at] != need.node[at + 1]:
                if run > 0:
                    total += run
                run = 0.0
    return total <= levels * weight * (need.limit[i] + SLACK)


@helper
def _ordered(need, i, tally, weight):
    """Σ |Q_v − P_v| over the values in their order, both cumulated."""
    begin, end = need.model[i, 1], need.model[i, 2]
    run = 0.0
    total = 0.0
    for v in range(begin, end - 1):
        run += tally[v] - weight * need.prior[v]
        total += abs(run)
    return total <= max(1, end - begin - 1) * weight * (need.limit[i] + SLACK)


@helper
def _entropy(need, i, tally, weight):
    bits = 0.0
    for v in range(need.model[i, 1], need.model[i, 2]):
        if tally[v] > 0:
            q = tally[v] / weight
            bits -= q * np.log2(q)
    return bits >= need.limit[i] - SLACK


@helper
def _recursive(need, i, tally, weight):
    """r_1 <= c (r_l + … + r_m): the l − 1 commonest values are kept in falling order."""
    top = np.zeros(need.model[i, 3] - 1, dtype=np.int64)
    for v in range(need.model[i, 1], need.model[i, 2]):
        new = tally[v]
        for j in range(len(top)):
            if new > top[j]:
                new, top[j] = top[j], new
    rest = weight - top.sum()
    return top[0] <= need.limit[i] * rest * (1 + SLACK)


@helper
def _disclosure(need, i, tally, weight):
    factor = 2.0 ** need.limit[i]
    for v in range(need.model[i, 1], need.model[i, 2]):
        expected = weight * need.prior[v]
        if tally[v] * factor < expected * (1 - SLACK) or tally[v] > expected * factor * (1 + SLACK):
            return False
    return True
