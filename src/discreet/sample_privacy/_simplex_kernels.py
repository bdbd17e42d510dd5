# mypy: ignore-errors
"""Inverses of bases, a dual simplex method for small dense programs whose variables all have bounds, and branch and
bound over it for separable concave functions, with the swaps of exchangeable samples.

Matrices of indicators have small integer inverses, so that a fresh inverse per program keeps rounding at 1e-14 and
costs less than the scan over the columns that follows it.
"""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel

PIVOT = 1e-9  # entries of a tableau below are rounding


@helper
def information(v):
    """h(v) = −v log2 v."""
    return -v * np.log2(v) if v > 0.0 else 0.0


@helper
def copy_into(target, source):
    """Write an array over another one; `target[:] = source` takes a second to compile."""
    for i in range(len(target)):
        target[i] = source[i]


@helper
def invert(rows, basis):
    """Inverse of the basis' columns, and whether there is one."""
    r = len(basis)
    work = np.zeros((r, 2 * r))
    for k in range(r):
        for i in range(r):
            work[i, k] = rows[i, basis[k]]
        work[k, r + k] = 1.0
    for k in range(r):
        best = k
        for i in range(k + 1, r):
            if abs(work[i, k]) > abs(work[best, k]):
                best = i
        if abs(work[best, k]) < PIVOT:
            return work[:, r:].copy(), False
        if best != k:
            for j in range(2 * r):
                work[k, j], work[best, j] = work[best, j], work[k, j]
        scale = 1.0 / work[k, k]
        for j in range(2 * r):
            work[k, j] *= scale
        for i in range(r):
            factor = work[i, k]
            if i != k and factor != 0.0:
                for j in range(k, 2 * r):
                    work[i, j] -= factor * work[k, j]
    return work[:, r:].copy(), True


@kernel
def first_basis(rows):
    """Independent columns, by elimination with complete pivoting."""
    work = rows.copy()
    r, n = work.shape
    basis = np.empty(r, np.int64)
    for k in range(r):
        best, at, row = 0.0, 0, k
        for i in range(k, r):
            for j in range(n):
                if abs(work[i, j]) > best:
                    best, at, row = abs(work[i, j]), j, i
        for j in range(n):
            work[k, j], work[row, j] = work[row, j], work[k, j]
        basis[k] = at
        for i in range(k + 1, r):
            factor = work[i, at] / work[k, at]
            if factor != 0.0:
                for j in range(n):
                    work[i, j] -= factor * work[k, j]
                work[i, at] = 0.0
    return basis


@kernel
def dual_simplex(rows, b, cost, lower, upper, basis, enough, iterations):
    """min cost·x over {rows x = b, lower ≤ x ≤ upper}, by the dual simplex with flips of bounds; basis is updated.

    Every bound is finite, so any basis is dual feasible once the others stand at the bound their reduced cost
    prefers, and the bound only rises: the search stops as soon as it reaches ``enough``. Returns status (0 optimal,
    1 enough, 2 infeasible, 3 stopped), a proven lower bound, and x.
    """
    r, n = rows.shape
    inverse, sound = invert(rows, basis)
    if not sound:
        copy_into(basis, first_basis(rows))
        inverse, sound = invert(rows, basis)
    place = np.full(n, -1, np.int64)
    for k in range(r):
        place[basis[k]] = k
    x = np.zeros(n)
    reduced = np.empty(n)
    alpha = np.empty(n)
    times = np.empty(n)
    candidates = np.empty(n, np.int64)
    price = np.zeros(r)
    for i in range(r):
        for k in range(r):
            price[i] += cost[basis[k]] * inverse[k, i]
    for j in range(n):
        d = cost[j]
        for i in range(r):
            d -= price[i] * rows[i, j]
        reduced[j] = 0.0 if place[j] >= 0 else d
        x[j] = lower[j] if reduced[j] >= 0 else upper[j]
    status = 3
    for _ in range(iterations):
        rest = b.copy()
        bound = 0.0
        for j in range(n):
            if place[j] < 0 and x[j] != 0.0:
                bound += cost[j] * x[j]
                for i in range(r):
                    rest[i] -= rows[i, j] * x[j]
        leaving, worst, sign = -1, 1e-13, 0.0
        for k in range(r):
            v = 0.0
            for i in range(r):
                v += inverse[k, i] * rest[i]
            j = basis[k]
            x[j] = v
            bound += cost[j] * v
            if lower[j] - v > worst:
                leaving, worst, sign = k, lower[j] - v, 1.0
            elif v - upper[j] > worst:
                leaving, worst, sign = k, v - upper[j], -1.0
        if bound >= enough:
            status = 1
            break
        if leaving < 0:
            status = 0
            break
        count = 0
        for j in range(n):
            if place[j] >= 0:
                continue
            a = 0.0
            for i in range(r):
                a += inverse[leaving, i] * rows[i, j]
            a *= sign
            alpha[j] = a
            if upper[j] > lower[j]:
                at_lower = x[j] == lower[j]
                if (at_lower and a < -PIVOT) or (not at_lower and a > PIVOT):
                    times[count] = max(0.0, -reduced[j] / a)
                    candidates[count] = j
                    count += 1
        slope = worst
        entering = -1
        step = 0.0
        while count > 0:
            first = 0
            for c in range(1, count):
                if times[c] < times[first] or (
                    times[c] == times[first] and abs(alpha[candidates[c]]) > abs(alpha[candidates[first]])
                ):
                    first = c
            j = candidates[first]
            slope -= abs(alpha[j]) * (upper[j] - lower[j])
            if slope <= 1e-9:  # not 0: a box that is empty by rounding only is not called empty
                entering, step = j, times[first]
                break
            x[j] = upper[j] if x[j] == lower[j] else lower[j]
            count -= 1
            times[first] = times[count]
            candidates[first] = candidates[count]
        if entering < 0:
            if worst <= 1e-9:
                break  # empty by rounding only: the Lagrangian below still bounds
            return 2, np.inf, x
        gone = basis[leaving]
        for j in range(n):
            if place[j] < 0:
                reduced[j] += step * alpha[j]
        reduced[entering] = 0.0
        reduced[gone] = sign * step
        x[gone] = lower[gone] if sign > 0 else upper[gone]
        place[gone] = -1
        place[entering] = leaving
        basis[leaving] = entering
        column = np.zeros(r)
        for k in range(r):
            for i in range(r):
                column[k] += inverse[k, i] * rows[i, entering]
        scale = 1.0 / column[leaving]
        for i in range(r):
            inverse[leaving, i] *= scale
        for k in range(r):
            if k != leaving and column[k] != 0.0:
                for i in range(r):
                    inverse[k, i] -= column[k] * inverse[leaving, i]
    # The Lagrangian of these prices bounds from below whatever rounding did on the way.
    bound = 0.0
    for i in range(r):
        price[i] = 0.0
        for k in range(r):
            price[i] += cost[basis[k]] * inverse[k, i]
        bound += price[i] * b[i]
    for j in range(n):
        d = cost[j]
        for i in range(r):
            d -= price[i] * rows[i, j]
        bound += d * (lower[j] if d > 0 else upper[j])
    return status, bound, x


@kernel
def branch(
    rows, b, prices, concave, digits, values, tolerance, lowers, uppers, bases, labels, bounds, depth, most_nodes, point
):
    """Depth-first search for v with Σ_concave h(v_j) − prices·v < −tolerance in {rows v = b} and a box.

    h is concave, so its chord over the interval of v_j bounds it from below and a linear program bounds the node. The
    node splits at the variable that lies farthest above its chord: v_j ≥ t, or v_k ≤ t for all k that a swap of
    samples carries j to; the swaps left to a node are those within the classes ``labels``. Returns (status, depth,
    nodes): 0 nothing there, 1 ``point`` is such a v, 2 most_nodes spent, 3 stack full.
    """
    n = rows.shape[1]
    samples = digits.shape[1]
    nodes = 0
    cost = np.empty(n)
    while depth > 0:
        if nodes >= most_nodes:
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
            copy_into(point, x)
            return 1, depth, nodes
        if depth + 2 > len(bounds) or at < 0:
            bounds[depth] = bound  # stays open
            return 3, depth + 1, nodes
        t = x[at]
        width = upper[at] - lower[at]
        if t < lower[at] + 1e-3 * width or t > upper[at] - 1e-3 * width:
            t = lower[at] + 0.5 * width
        copy_into(lowers[depth], lower)
        copy_into(uppers[depth], upper)
        copy_into(bases[depth], basis)
        copy_into(labels[depth], label)
        bounds[depth] = bound
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
        copy_into(lowers[depth], lower)
        copy_into(uppers[depth], upper)
        copy_into(bases[depth], basis)
        copy_into(labels[depth], label)
        bounds[depth] = bound
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
