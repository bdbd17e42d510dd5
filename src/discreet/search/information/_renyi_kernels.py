# mypy: ignore-errors
"""Compiled: merging the block from which most is learnt, by Rényi divergence of its p(s|B) from p(s)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.rows import h, join

ZERO, ONE, INFINITE, OTHER = 0, 1, 2, 3  # kinds of order
NEAR_ONE = 1e-7  # orders this close to 1 are Shannon's, as in `measures.renyi_leakage`
STEP = 2.0**-36  # bits within which two maxima are the same: their sums are rounded differently


class Prior(NamedTuple):
    """The order and p(s)."""

    kind: int
    order: float
    p: Any  # float64[n_s]: p(s)
    log_weight: Any  # float64[n_s]: log2 N_s
    log_total: float  # log2 N


def kind_of_order(order: float) -> int:
    """Which of the four kinds an order from 0 to infinity is."""
    if order == 0:
        return ZERO
    if abs(order - 1) < NEAR_ONE:
        return ONE
    return INFINITE if order == np.inf else OTHER


@kernel
def _finish(prior, most, total, weight):
    """D_α from the sums over s; see `_sums`."""
    if prior.kind == ZERO:
        return max(0.0, -np.log2(min(1.0, total)))
    shift = prior.log_total - np.log2(weight)
    if prior.kind == ONE:
        return max(0.0, total / weight + shift)
    if prior.kind == INFINITE:
        return max(0.0, most + shift)
    return max(0.0, (most + np.log2(total) + prior.order * shift) / (prior.order - 1.0))


@kernel
def _sums(prior, s, count, first, last):
    """What D_α needs of a row, with l_s = log2 t_s/N_s: (unused, Σ p(s)) for order 0, (unused, Σ t_s l_s) for order 1,
    (max l_s, unused) for ∞, and else (m, Σ p(s) 2^{α l_s − m}) with m = max α l_s, so that no power vanishes.
    """
    most, total = -np.inf, 0.0
    if prior.kind == INFINITE or prior.kind == OTHER:
        factor = 1.0 if prior.kind == INFINITE else prior.order
        for e in range(first, last):
            most = max(most, factor * (np.log2(count[e]) - prior.log_weight[s[e]]))
    for e in range(first, last):
        if prior.kind == ZERO:
            total += prior.p[s[e]]
        elif prior.kind == ONE:
            total += count[e] * (np.log2(count[e]) - prior.log_weight[s[e]])
        elif prior.kind == OTHER:
            total += prior.p[s[e]] * 2.0 ** (prior.order * (np.log2(count[e]) - prior.log_weight[s[e]]) - most)
    return most, total


@kernel
def _sums_with(prior, dense, most, total, s, count, first, last):
    """The sums of the scattered row joined with another; `most` and `total` are the scattered row's own."""
    p, log_weight, order = prior.p, prior.log_weight, prior.order
    if prior.kind == ZERO:
        for e in range(first, last):
            if dense[s[e]] == 0:
                total += p[s[e]]
    elif prior.kind == ONE:
        for e in range(first, last):
            before = dense[s[e]]
            after = before + count[e]
            total += after * (np.log2(after) - log_weight[s[e]])
            if before > 0:
                total -= before * (np.log2(before) - log_weight[s[e]])
    else:
        own, factor = most, 1.0 if prior.kind == INFINITE else order
        for e in range(first, last):
            most = max(most, factor * (np.log2(dense[s[e]] + count[e]) - log_weight[s[e]]))
        if prior.kind == OTHER:
            total *= 2.0 ** (own - most)
            for e in range(first, last):
                before = dense[s[e]]
                total += p[s[e]] * 2.0 ** (order * (np.log2(before + count[e]) - log_weight[s[e]]) - most)
                if before > 0:
                    total -= p[s[e]] * 2.0 ** (order * (np.log2(before) - log_weight[s[e]]) - most)
    return most, total


@helper
def _worst(divergence, weight, alive, least):
    """The block of the largest divergence, the lightest ones first while any is lighter than `least`; ties: earliest."""
    worst, is_light = -1, False
    for i in range(len(alive)):
        if alive[i]:
            light = weight[i] < least
            if worst < 0 or (light and not is_light) or (light == is_light and divergence[i] > divergence[worst]):
                worst, is_light = i, light
    return worst


@kernel
def merge_worst(prior, rows, dense, least):
    """Merge the worst block with the partner that leaves the least maximum, ties by the least F, then the earliest.

    Down to one block; `dense` is scratch, a zero for each s. Returns the merges, F of each, and max_B D_α before the
    first and after each.
    """
    n = len(rows.start)
    most, total, divergence = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        most[i], total[i] = _sums(prior, rows.s, rows.count, rows.start[i], rows.end[i])
        divergence[i] = _finish(prior, most[i], total[i], rows.weight[i])
    merges = np.empty((n - 1, 2), dtype=np.int64)
    outside = np.empty(n - 1, dtype=np.int64)
    leakage = np.empty(n)
    leakage[0] = divergence.max()
    start, end, s, counts, weight, alive = rows.start, rows.end, rows.s, rows.count, rows.weight, rows.alive
    for t in range(n - 1):
        i = _worst(divergence, weight, alive, least)
        first, second, first_at = 0.0, 0.0, -1  # the two largest divergences beside the worst block's
        for j in range(n):
            if alive[j] and j != i:
                if first_at < 0 or divergence[j] > first:
                    first, second, first_at = divergence[j], first, j
                else:
                    second = max(second, divergence[j])
        for e in range(start[i], end[i]):
            dense[s[e]] = counts[e]
        best, best_key, best_f = -1, np.inf, np.int64(0)
        for j in range(n):
            if not alive[j] or j == i:
                continue
            high, sum_ = _sums_with(prior, dense, most[i], total[i], s, counts, start[j], end[j])
            joined = _finish(prior, high, sum_, weight[i] + weight[j])
            key = np.rint(max(joined, second if j == first_at else first) / STEP)
            f = h(rows.table, rows.scale, weight[i] + weight[j]) - rows.outside[i] - rows.outside[j]
            if key < best_key or (key == best_key and f < best_f):
                best, best_key, best_f = j, key, f
        for e in range(start[i], end[i]):
            dense[s[e]] = 0
        a, b = min(i, best), max(i, best)
        join(rows, a, b)
        most[a], total[a] = _sums(prior, s, counts, start[a], end[a])
        divergence[a] = _finish(prior, most[a], total[a], weight[a])
        merges[t, 0], merges[t, 1], outside[t] = a, b, best_f
        leakage[t + 1] = 0.0
        for j in range(n):
            if alive[j]:
                leakage[t + 1] = max(leakage[t + 1], divergence[j])
    return merges, outside, leakage
