"""Pareto-optimal partitions of all subsets of a small alphabet, under two additive costs.

A set of letters is a bit mask. A set's labels are the non-dominated sums of costs of its partitions, the first cost
rising and the second falling; the block that holds the set's highest letter is put on top of the labels of the rest, so
that every partition appears once.
"""

from __future__ import annotations

import numpy as np

from discreet._compile import kernel


@kernel
def subset_costs(indptr, indices, weight, n_s):
    """Σ_s h(t_s), h(|t|) and |t| of every set of letters.

    Sets are counted through in binary. ``level[k]`` holds the counts of the present set's letters from k on, so that a
    new set is a sum and never a difference: masses may differ by many orders of magnitude.
    """
    n = len(indptr) - 1
    inside, whole, mass = np.zeros(1 << n), np.zeros(1 << n), np.zeros(1 << n)
    level, total = np.zeros((n + 1, n_s)), np.zeros(n + 1)
    for mask in range(1, 1 << n):
        bit = 0
        while not (mask >> bit) & 1:
            bit += 1
        level[bit] = level[bit + 1]
        total[bit] = total[bit + 1]
        for e in range(indptr[bit], indptr[bit + 1]):
            level[bit, indices[e]] += weight[e]
            total[bit] += weight[e]
        for below in range(1, bit):
            level[below] = level[bit]
            total[below] = total[bit]
        value = 0.0
        for s in range(n_s):
            count = level[bit, s]
            if count > 0:
                value += count * np.log2(count)
        inside[mask] = value
        mass[mask] = total[bit]
        whole[mask] = total[bit] * np.log2(total[bit])
    return inside, whole, mass


@kernel
def extend(first, second, allowed, tolerance, low, high, start, used, value, block, previous):
    """Label the sets low … high − 1, whose subsets without their highest letter are labelled already.

    ``start[mask] : start[mask] + length`` are a set's labels; ``start`` has two columns. Returns the first set that is
    not labelled because the pool may not hold its labels, and the number of labels used.
    """
    room = len(block)
    current, other = np.empty((room, 2)), np.empty((room, 2))
    how, how_other = np.empty((room, 2), np.int64), np.empty((room, 2), np.int64)
    for mask in range(low, high):
        top = 1
        while top << 1 <= mask:
            top <<= 1
        rest = mask ^ top
        length = 0
        chosen = rest
        while True:
            here = chosen | top
            below = mask ^ here
            if allowed[here] and start[below, 1] > 0:
                if length + start[below, 1] > room - used:
                    return mask, used
                i, j, k = 0, start[below, 0], 0
                end = j + start[below, 1]
                lowest = np.inf
                while i < length or j < end:
                    # Of two labels with equal first costs the one with the lower second cost comes first.
                    if i < length and (
                        j == end
                        or current[i, 0] < value[j, 0] + first[here]
                        or (current[i, 0] == value[j, 0] + first[here] and current[i, 1] <= value[j, 1] + second[here])
                    ):
                        if current[i, 1] < lowest - tolerance:
                            lowest = current[i, 1]
                            other[k, 0], other[k, 1] = current[i, 0], lowest
                            how_other[k, 0], how_other[k, 1] = how[i, 0], how[i, 1]
                            k += 1
                        i += 1
                    else:
                        if value[j, 1] + second[here] < lowest - tolerance:
                            lowest = value[j, 1] + second[here]
                            other[k, 0], other[k, 1] = value[j, 0] + first[here], lowest
                            how_other[k, 0], how_other[k, 1] = here, j
                            k += 1
                        j += 1
                current, other = other, current
                how, how_other = how_other, how
                length = k
            if chosen == 0:
                break
            chosen = (chosen - 1) & rest
        start[mask, 0], start[mask, 1] = used, length
        for i in range(length):
            value[used + i, 0], value[used + i, 1] = current[i, 0], current[i, 1]
            block[used + i], previous[used + i] = how[i, 0], how[i, 1]
        used += length
    return high, used
