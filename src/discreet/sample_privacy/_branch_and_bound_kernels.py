# mypy: ignore-errors
"""Branch and bound for separable concave functions over a polytope, with the swaps of exchangeable samples."""

from __future__ import annotations

import numpy as np
from numba import njit

from discreet.sample_privacy._simplex_kernels import dual_simplex, information


@njit(cache=True)
def branch(
    rows, b, prices, concave, digits, values, tolerance, lowers, uppers, bases, labels, bounds, depth, budget, point
):
    """Depth-first search for v with Σ_concave h(v_j) − prices·v < −tolerance in {rows v = b} and a box.

    h is concave, so its chord over the interval of v_j bounds it from below and a linear program bounds the node. The
    node splits at the variable that lies farthest above its chord: v_j ≥ t, or v_k ≤ t for all k that a swap of
    samples carries j to; the swaps left to a node are those within the classes ``labels``. Returns (status, depth,
    nodes): 0 nothing there, 1 ``point`` is such a v, 2 budget spent, 3 stack full.
    """
    n = rows.shape[1]
    samples = digits.shape[1]
    nodes = 0
    cost = np.empty(n)
    while depth > 0:
        if nodes >= budget:
            return 2, depth, nodes
        nodes += 1
        depth -= 1
        lower, upper = lowers[depth].copy(), uppers[depth].copy()
        basis, label = bases[depth].copy(), labels[depth].copy()
        constant = 0.0
        for j in range(n):
            cost[j] = -prices[j]
            if concave[j]:
                low, width = lower[j], upper[j] - lower[j]
                base = information(low)
                slope = (information(upper[j]) - base) / width if width > 0.0 else 0.0
                cost[j] += slope
                constant += base - slope * low
        status, bound, x = dual_simplex(rows, b, cost, lower, upper, basis, -tolerance - constant, 50 * len(b) + 500)
        bound += constant
        if bound >= -tolerance:
            continue
        total, worst, at = 0.0, -1.0, -1
        for j in range(n):
            if concave[j]:
                chord = information(lower[j]) + (cost[j] + prices[j]) * (x[j] - lower[j])
                gap = information(x[j]) - chord
                total += gap
                if gap > worst and upper[j] > lower[j]:
                    worst, at = gap, j
        if status == 0 and bound + total < -tolerance:
            point[:] = x
            return 1, depth, nodes
        if depth + 2 > len(bounds) or at < 0:
            bounds[depth] = bound  # stays open
            return 3, depth + 1, nodes
        t = x[at]
        width = upper[at] - lower[at]
        if t < lower[at] + 1e-3 * width or t > upper[at] - 1e-3 * width:
            t = lower[at] + 0.5 * width
        lowers[depth], uppers[depth], bases[depth], labels[depth], bounds[depth] = lower, upper, basis, label, bound
        if samples > 0:
            wanted = np.zeros((samples, values), np.int64)
            for i in range(samples):
                wanted[label[i], digits[at, i]] += 1
            for k in range(n):
                counts = wanted.copy()
                same = True
                for i in range(samples):
                    counts[label[i], digits[k, i]] -= 1
                    if counts[label[i], digits[k, i]] < 0:
                        same = False
                        break
                if same:
                    uppers[depth, k] = t
        else:
            uppers[depth, at] = t
        depth += 1
        lowers[depth], uppers[depth], bases[depth], labels[depth], bounds[depth] = lower, upper, basis, label, bound
        lowers[depth, at] = t
        # Only swaps that leave the chosen cell in its place remain.
        for i in range(samples):
            fresh = -1
            for k in range(i):
                if label[k] == label[i] and digits[at, k] == digits[at, i]:
                    fresh = labels[depth, k]
                    break
            labels[depth, i] = i if fresh < 0 else fresh
        depth += 1
    return 0, depth, nodes
