"""Exact frontiers of small alphabets, by dynamic programs over subsets of letters.

Every block that a policy could have is a bit mask; its cost and its number of distinct s are looked up in
tables of 2^n entries. The tables cost O(n 2^n), the programs O(3^n).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.search._codewords import box_coordinates, distance_matrix, lengths, smallest_radius
from discreet.search._letters import Letters
from discreet.search.ranges._costs import required_values

Solution = tuple[float, IntArray]  # the cost, and block_of


def subset_distinct(letters: Letters) -> IntArray:
    """|[[S|block]]| of every subset: all s, less those whose letters all lie outside it."""
    n = letters.n
    seen_with = np.zeros(letters.n_s, np.int64)
    for letter in range(n):
        seen_with[letters.range_of(letter)] |= 1 << letter
    within: IntArray = np.bincount(seen_with[seen_with > 0], minlength=1 << n).astype(np.int64)
    for bit in range(n):  # sum over subsets, one letter at a time
        halves = within.reshape(-1, 2, 1 << bit)
        halves[:, 1] += halves[:, 0]
    return np.asarray(within[-1] - within[::-1])  # the complement of a mask is its mirror image


def subset_costs(letters: Letters, cost: str, codeword: str) -> FloatArray:
    """What each subset costs as a block: its number of letters, or the largest distance to its codeword."""
    n = letters.n
    if cost == "size":
        return _doubled(np.zeros(1), [np.ones(1)] * n, np.add)
    values, norm = required_values(letters), letters.norm
    if codeword == "centroid":
        return _centroid_costs(values, norm)
    if codeword == "medoid":
        distances = distance_matrix(values, norm)
        worst = np.full(1 << n, np.inf)
        for centre in range(n):
            farthest = _doubled(np.zeros(1), [distances[centre, i : i + 1] for i in range(n)], np.maximum)
            worst = np.minimum(worst, np.where(_holds(n, centre), farthest, np.inf))
        worst[0] = 0.0
        return worst
    box = box_coordinates(values, norm)
    if box is None:
        return _ball_costs(values, norm)
    widest = np.zeros(1 << n)
    for column in box.T:
        high = _doubled(np.full(1, -np.inf), list(column[:, None]), np.maximum)
        low = _doubled(np.full(1, np.inf), list(column[:, None]), np.minimum)
        high[0] = low[0] = 0.0
        widest = np.maximum(widest, high - low)
    return np.asarray(widest / 2)


def _doubled(empty: FloatArray, terms: list[FloatArray], combine: np.ufunc) -> FloatArray:
    """A table over subsets, built letter by letter: those with the letter follow those without."""
    table = empty
    for term in terms:
        table = np.concatenate([table, combine(table, term)])
    return table


def _holds(n: int, letter: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.asarray((np.arange(1 << n) >> letter) & 1 == 1)


def _centroid_costs(values: FloatArray, norm: float) -> FloatArray:
    n, columns = values.shape
    sums = np.column_stack([_doubled(np.zeros(1), list(values[:, j, None]), np.add) for j in range(columns)])
    counts = _doubled(np.zeros(1), [np.ones(1)] * n, np.add)
    centroids = sums / np.maximum(counts, 1.0)[:, None]
    worst = np.zeros(1 << n)
    for letter in range(n):
        away = lengths(values[letter] - centroids, norm)
        worst = np.maximum(worst, np.where(_holds(n, letter), away, 0.0))
    return worst


def _ball_costs(values: FloatArray, norm: float) -> FloatArray:
    """By Helly's theorem a set's radius is the largest of those of its subsets of columns + 1 points."""
    n, columns = values.shape
    radius = np.zeros(1 << n)
    for count in range(2, min(n, columns + 1) + 1):
        for subset in combinations(range(n), count):
            radius[sum(1 << i for i in subset)] = smallest_radius(values[list(subset)], norm)
    for bit in range(n):  # largest over subsets, one letter at a time
        halves = radius.reshape(-1, 2, 1 << bit)
        halves[:, 1] = np.maximum(halves[:, 1], halves[:, 0])
    return radius


def next_bits(component_of: IntArray, join: bool) -> tuple[IntArray, IntArray]:
    """For every set of used letters the bit of the letter whose block is next, and whether it opens a group.

    With ``join`` it is the earliest unused letter of the components touched so far: when there is none, these
    components form one finished group and cannot be joined to any other. That makes connectedness a matter of
    the used set alone. Without it, simply the earliest unused letter.
    """
    n = len(component_of)
    full = (1 << n) - 1
    unused: IntArray = full & ~np.arange(1 << n)
    if not join:
        return np.asarray(unused & -unused), np.zeros(1 << n, np.int64)
    mates = [np.array([sum(1 << int(i) for i in np.flatnonzero(component_of == c))]) for c in component_of]
    touched = np.zeros(1, np.int64)
    for mate in mates:
        touched = np.concatenate([touched, touched | mate])
    open_letters = touched & unused
    opens = open_letters == 0
    start = np.where(opens, unused, open_letters)
    return np.asarray(start & -start), opens.astype(np.int64)


def frontier_of_distinct(
    letters: Letters, component_of: IntArray, cost: str, codeword: str, *, join: bool
) -> dict[int, Solution]:
    """Optimal policy for every k = 1 .. |[[S]]|, leakage L0; with ``join`` among those with I* = 0 only."""
    from discreet.search.ranges._subsets_kernels import cheapest_cover, widest_cover

    costs, distinct = subset_costs(letters, cost, codeword), subset_distinct(letters)
    next_bit, opens = next_bits(component_of, join)
    if join:  # a second group may never open: I* = 0 wants one
        next_bit = np.where((opens == 1) & (np.arange(len(opens)) > 0), 0, next_bit)
    found: dict[int, Solution] = {}
    level = 1
    while level <= distinct[-1]:
        best, _ = cheapest_cover(costs, distinct, level, next_bit)
        # All levels up to the most that this cost can buy share one policy, so one program per step is enough.
        reach, last = widest_cover(costs, distinct, best[-1], next_bit)
        block_of = _unfold(last, letters.n)
        for k in range(level, int(reach[-1]) + 1):
            found[k] = (float(best[-1]), block_of)
        level = int(reach[-1]) + 1
    return found


def frontier_of_components(letters: Letters, component_of: IntArray, cost: str, codeword: str) -> dict[int, Solution]:
    """Optimal policy for every number of components, leakage I*."""
    from discreet.search.ranges._subsets_kernels import cheapest_groups

    n, count = letters.n, int(component_of.max()) + 1
    next_bit, opens = next_bits(component_of, True)
    best, last = cheapest_groups(subset_costs(letters, cost, codeword), next_bit, opens, count)
    found: dict[int, Solution] = {}
    for level in range(1, count + 1):
        value = float(best[-1, level])
        if level > 1 and found[level - 1][0] <= value:
            found[level] = found[level - 1]
            continue
        block_of = np.arange(n)
        used, groups = (1 << n) - 1, level
        while used:
            block = int(last[used, groups])
            _name(block_of, block)
            used ^= block
            groups -= int(opens[used])
        found[level] = (value, block_of)
    return found


def _unfold(last: IntArray, n: int) -> IntArray:
    block_of = np.arange(n)
    used = (1 << n) - 1
    while used:
        _name(block_of, int(last[used]))
        used ^= int(last[used])
    return block_of


def _name(block_of: IntArray, block: int) -> None:
    members = [i for i in range(len(block_of)) if block >> i & 1]
    block_of[members] = members[0]
