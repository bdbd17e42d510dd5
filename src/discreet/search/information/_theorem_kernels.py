# mypy: ignore-errors
"""Compiled: f and g of [PF, Thm 1] along an order, at a set, and on pairs.

Blocks are compressed rows: block x was seen `weight[i]` times with s = `indices[i]`, i in indptr[x]..indptr[x+1], and
`of_letter[x]` times in all. `table` is h(0), h(1), … h(N) for whole numbers, or empty. Values are N times those in bits.
With t the weights of W by s and |t| their sum, N·((1−λ) f − g)(W) = D(t) − Σ_{x∈W} D(t_x), D(t) = Σ_s h(t_s) − (1−λ) h(|t|).
"""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel


@helper
def h(table, y):
    """y log2 y, by table where there is one."""
    if len(table) > 0:
        return table[int(y)]
    return y * np.log2(y) if y > 0.0 else 0.0


@kernel
def own(indptr, weight, of_letter, table):
    """h(n_x) and Σ_s h(n_sx) of every block."""
    n = len(of_letter)
    of_total, of_parts = np.empty(n), np.zeros(n)
    for x in range(n):
        of_total[x] = h(table, of_letter[x])
        for i in range(indptr[x], indptr[x + 1]):
            of_parts[x] += h(table, weight[i])
    return of_total, of_parts


@kernel
def gains_of_f(order, of_letter, of_total, table):
    """N·f's marginal gains along an order."""
    found = np.empty(len(order))
    total, before = 0.0, 0.0
    for place, x in enumerate(order):
        total += of_letter[x]
        after = h(table, total)
        found[place] = of_total[x] - (after - before)
        before = after
    return found


@kernel
def gains_of_g(order, indptr, indices, weight, of_parts, n_s, table):
    """N·g's marginal gains along an order."""
    found = np.empty(len(order))
    t = np.zeros(n_s)
    for place, x in enumerate(order):
        gain = of_parts[x]
        for i in range(indptr[x], indptr[x + 1]):
            s = indices[i]
            after = t[s] + weight[i]
            gain -= h(table, after) - h(table, t[s])
            t[s] = after
        found[place] = gain
    return found


@helper
def sums(member, indptr, indices, weight, of_letter, n_s):
    """t, the weights of a set of blocks by s, and |t|."""
    t, total = np.zeros(n_s), 0.0
    for x in range(len(member)):
        if member[x]:
            total += of_letter[x]
            for i in range(indptr[x], indptr[x + 1]):
                t[indices[i]] += weight[i]
    return t, total


@kernel
def gains_at_f(member, of_letter, of_total, table):
    """N·f(x | W − x) of every block x: what it adds to W, or has added to it as the last."""
    total = 0.0
    for x in range(len(member)):
        if member[x]:
            total += of_letter[x]
    whole = h(table, total)
    found = np.empty(len(member))
    for x in range(len(member)):
        if member[x]:
            found[x] = of_total[x] - (whole - h(table, total - of_letter[x]))
        else:
            found[x] = of_total[x] - (h(table, total + of_letter[x]) - whole)
    return found


@kernel
def gains_at_g(member, indptr, indices, weight, of_letter, of_parts, n_s, table):
    """N·g(x | W − x) of every block x."""
    t, _ = sums(member, indptr, indices, weight, of_letter, n_s)
    found = of_parts.copy()
    for x in range(len(member)):
        sign = -1.0 if member[x] else 1.0
        for i in range(indptr[x], indptr[x + 1]):
            here = t[indices[i]]
            found[x] -= sign * (h(table, here + sign * weight[i]) - h(table, here))
    return found


@kernel
def nearest_partners(indptr, indices, weight, of_letter, cost, n_s, keep, sign, table):
    """The best pair {x, y}, y > x, of every x but the last: (partners, values), values times `sign`; least is best."""
    n = len(of_letter)
    partner, value = np.full(n, -1), np.full(n, np.inf)
    t = np.zeros(n_s)
    for x in range(n - 1):
        parts = 0.0
        for i in range(indptr[x], indptr[x + 1]):
            t[indices[i]] = weight[i]
            parts += h(table, weight[i])
        for y in range(x + 1, n):
            both = parts
            for i in range(indptr[y], indptr[y + 1]):
                here = t[indices[i]]
                both += h(table, here + weight[i]) - h(table, here)
            found = sign * (both - keep * h(table, of_letter[x] + of_letter[y]) - cost[x] - cost[y])
            if found < value[x]:
                partner[x], value[x] = y, found
        for i in range(indptr[x], indptr[x + 1]):
            t[indices[i]] = 0.0
    return partner, value
