"""Compiled ascent on the prices over a pool of groups."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from discreet._compile import kernel


@kernel
def ascend(y, counts, indptr, types, times, sizes, costs, steps, rate, last_rate, ceiling):
    """Raises L(y) = sum_t counts[t] (y[t] + min over pool groups S with t of (cost - mean y)(S)); returns (L, y + min).

    L is concave, its maximum the value of the linear program over the pool. The min is smoothed (softmin of width
    `rate`), which spreads each type over its nearly tight groups: the shares are a fractional release x, and the gradient
    is how far x is from covering each type once. Steps are Adam's (Kingma and Ba 2015): the coordinates' gradients differ
    by orders of magnitude. `rate` falls geometrically to `last_rate`.
    """
    m, q = len(y), len(sizes)
    slack, least, share, gradient = np.empty(q), np.empty(m), np.empty(m), np.empty(m)
    weight = np.empty(len(types))
    mean, spread = np.zeros(m), np.zeros(m)
    best, kept = -np.inf, np.empty(m)
    for t in range(m):
        kept[t] = y[t]
    for step in range(steps):
        width = rate * (last_rate / rate) ** (step / steps)
        for t in range(m):
            least[t] = 1e9
        for s in range(q):
            price = 0.0
            for e in range(indptr[s], indptr[s + 1]):
                price += times[e] * y[types[e]]
            slack[s] = costs[s] - price / sizes[s]
            for e in range(indptr[s], indptr[s + 1]):
                if slack[s] < least[types[e]]:
                    least[types[e]] = slack[s]
        total = 0.0
        for t in range(m):
            if least[t] == 1e9:  # no group in the pool holds t: nothing is known against its price
                least[t] = 0.0
            total += counts[t] * (y[t] + least[t])
            gradient[t] = counts[t]
            share[t] = 0.0
        if total > best:
            best = total
            for t in range(m):
                kept[t] = y[t] + least[t]
        for s in range(q):
            for e in range(indptr[s], indptr[s + 1]):
                z = (slack[s] - least[types[e]]) / width
                weight[e] = np.exp(-z) if z < 10 else 0.0
                share[types[e]] += weight[e]
        for s in range(q):
            x = 0.0
            for e in range(indptr[s], indptr[s + 1]):
                if weight[e] > 0:
                    x += counts[types[e]] * weight[e] / share[types[e]]
            if x > 0:
                x /= sizes[s]
                for e in range(indptr[s], indptr[s + 1]):
                    gradient[types[e]] -= x * times[e]
        first, second = 1 / (1 - 0.9 ** (step + 1)), 1 / (1 - 0.99 ** (step + 1))
        for t in range(m):
            g = gradient[t] / counts[t]
            mean[t] += 0.1 * (g - mean[t])
            spread[t] += 0.01 * (g * g - spread[t])
            y[t] = min(ceiling, y[t] + width * first * mean[t] / (np.sqrt(second * spread[t]) + 1e-3))
    return best, kept
