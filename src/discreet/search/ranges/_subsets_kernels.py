"""Dynamic programs over all subsets of a small alphabet: exact policies in O(3^n).

A set of letters is a bit mask. A state is the set of letters that already have a block; the next block must
hold one given letter (``next_bit``), which makes every partition appear once.
"""

from __future__ import annotations

import numpy as np

from discreet._compile import kernel


@kernel
def cheapest_cover(cost, distinct, least, next_bit):
    """Least largest cost of blocks with ``least`` distinct s, for every state; and its last block."""
    full = len(cost) - 1
    best = np.full(full + 1, np.inf)
    last = np.zeros(full + 1, np.int64)
    best[0] = 0.0
    for used in range(full):
        bit = next_bit[used]
        if bit == 0 or best[used] == np.inf:
            continue
        rest = full & ~used & ~bit
        chosen = rest
        while True:
            block = chosen | bit
            if distinct[block] >= least:
                worst = max(cost[block], best[used])
                if worst < best[used | block]:
                    best[used | block] = worst
                    last[used | block] = block
            if chosen == 0:
                break
            chosen = (chosen - 1) & rest
    return best, last


@kernel
def widest_cover(cost, distinct, most, next_bit):
    """Most distinct s that all blocks of cost ``most`` can have, for every state; and its last block."""
    full = len(cost) - 1
    best = np.zeros(full + 1, np.int64)
    last = np.zeros(full + 1, np.int64)
    best[0] = distinct[full]
    for used in range(full):
        bit = next_bit[used]
        if bit == 0 or best[used] == 0:
            continue
        rest = full & ~used & ~bit
        chosen = rest
        while True:
            block = chosen | bit
            if cost[block] <= most:
                fewest = min(distinct[block], best[used])
                if fewest > best[used | block]:
                    best[used | block] = fewest
                    last[used | block] = block
            if chosen == 0:
                break
            chosen = (chosen - 1) & rest
    return best, last


@kernel
def cheapest_groups(cost, next_bit, opens, groups):
    """Least largest cost by number of connected groups, for every state; and its last block.

    ``opens[used]`` is 1 where all letters of the components touched so far are used: the next block starts a
    new group.
    """
    full = len(cost) - 1
    best = np.full((full + 1, groups + 1), np.inf)
    last = np.zeros((full + 1, groups + 1), np.int64)
    best[0, 0] = 0.0
    for used in range(full):
        bit = next_bit[used]
        step = opens[used]
        rest = full & ~used & ~bit
        for count in range(groups + 1 - step):
            so_far = best[used, count]
            if so_far == np.inf:
                continue
            chosen = rest
            while True:
                block = chosen | bit
                worst = max(cost[block], so_far)
                if worst < best[used | block, count + step]:
                    best[used | block, count + step] = worst
                    last[used | block, count + step] = block
                if chosen == 0:
                    break
                chosen = (chosen - 1) & rest
    return best, last
