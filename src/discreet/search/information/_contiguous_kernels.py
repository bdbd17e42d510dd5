"""Dynamic programs over runs of letters sorted by p(s = 1|x), for binary S.

``first`` and ``second`` are the cumulated weights of the two s, with a zero in front; ``table`` holds h(0), h(1), … where
the weights are whole numbers, and is empty otherwise.
"""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.search.information._theorem_kernels import h


@helper
def _gain(first, second, i, j, keep, table):
    """D(t) = Σ_s h(t_s) − keep · h(|t|) of the letters i … j − 1; keep = 1 − λ."""
    a = first[j] - first[i]
    b = second[j] - second[i]
    return h(table, a) + h(table, b) - keep * h(table, a + b)


@kernel
def best_runs(first, second, multiplier, table):
    """The runs with the largest Σ D: where the last run of every prefix starts. O(n²)."""
    n = len(first) - 1
    best = np.zeros(n + 1)
    parent = np.zeros(n + 1, np.int64)
    for j in range(1, n + 1):
        most = -np.inf
        for i in range(j - 1, -1, -1):  # of equals the shortest last run, hence the finest partition
            value = best[i] + _gain(first, second, i, j, 1.0 - multiplier, table)
            if value > most:
                most = value
                parent[j] = i
        best[j] = most
    return parent


@kernel
def best_runs_by_number(first, second, most_runs, table):
    """The k runs with the largest I(S;X̂), k = 1 … most_runs: where the last run starts, by k and prefix.

    The gain has the quadrangle inequality D(a+b+c) + D(b) ≤ D(a+b) + D(b+c) for neighbouring runs a, b, c at λ = 0: its
    Hessian there is v vᵀ / (t_0 t_1 |t|) with v = (t_1, −t_0), and v·a, v·c differ in sign, b with parts of a and c lying
    between them. So the best start rises with the end of a prefix, and divide and conquer takes O(n log n) per number.
    """
    n = len(first) - 1
    parent = np.zeros((most_runs + 1, n + 1), np.int32)
    before = np.full(n + 1, -np.inf)
    for j in range(1, n + 1):
        before[j] = _gain(first, second, 0, j, 1.0, table)
    now = np.empty(n + 1)
    stack = np.empty((128, 4), np.int64)
    for k in range(2, most_runs + 1):
        now[:] = -np.inf
        stack[0] = (k, n, k - 1, n - 1)  # ends from … to, starts from … to
        depth = 1
        while depth > 0:
            depth -= 1
            low, high, left, right = stack[depth]
            middle = (low + high) // 2
            most, where = -np.inf, left
            for i in range(left, min(right, middle - 1) + 1):
                value = before[i] + _gain(first, second, i, middle, 1.0, table)
                if value > most:
                    most, where = value, i
            now[middle] = most
            parent[k, middle] = where
            if low < middle:
                stack[depth] = (low, middle - 1, left, where)
                depth += 1
            if middle < high:
                stack[depth] = (middle + 1, high, where, right)
                depth += 1
        before, now = now, before
    return parent
