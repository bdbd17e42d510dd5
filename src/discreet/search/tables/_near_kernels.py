# mypy: ignore-errors
"""Compiled: for each letter the letters nearest to it, found along sorted grids."""

from __future__ import annotations

from discreet._compile import helper, kernel
from discreet.search.tables._kernels import pair_cost


@helper
def _offer(near, cost, x, y, found):
    """Keep a neighbour if it is nearer than the furthest that is kept; rows are sorted."""
    t = near.shape[1] - 1
    if found >= cost[x, t]:
        return
    for s in range(t + 1):
        if near[x, s] == y:
            return
    while t > 0 and cost[x, t - 1] > found:
        cost[x, t] = cost[x, t - 1]
        near[x, t] = near[x, t - 1]
        t -= 1
    cost[x, t] = found
    near[x, t] = y


@kernel
def gather_near(codes, cells, perm, leaves, reach, near, cost):
    """Look for nearer letters among those up to `reach` places away in a leaf."""
    for leaf in range(len(leaves)):
        start = leaves[leaf]
        end = leaves[leaf + 1] if leaf + 1 < len(leaves) else len(perm)
        for i in range(start, end):
            x = perm[i]
            for j in range(max(start, i - reach), i):
                y = perm[j]
                found = pair_cost(cells, codes, x, y)
                _offer(near, cost, x, y, found)
                _offer(near, cost, y, x, found)
