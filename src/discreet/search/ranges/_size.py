"""L0 against resolution: the least largest block for every k (SPEC 9).

With one s per letter the optimum has a closed form. B blocks with k distinct s each use every s at most min(deg_s, B)
times, so k B <= sum_s min(deg_s, B); the largest such B gives size >= ceil(n / B), and dealing the letters cyclically,
most frequent s first, attains it: an s with at least B letters reaches every block, and the others, dealt in one run,
differ by at most one in how many reach each block. With several s per letter the same count is a bound.
"""

from __future__ import annotations

import numpy as np

from discreet._typing import IntArray
from discreet.release._partitions import Packed, canonical
from discreet.search._letters import Letters
from discreet.search._protocol import Aim
from discreet.search.ranges._closed_forms import deal, dealing_order, degrees_of, most_blocks
from discreet.search.ranges._costs import distinct, size
from discreet.search.ranges._levels import Effort, levels_up_to
from discreet.search.ranges._optimised import Optimised

LEAST_STEPS, STEPS_A_LETTER, MOST_STEPS = 300_000, 20, 4_000_000
"""Exchanges proposed, in all and for each letter, when dealing alone leaves blocks short of k."""

NEAR = 8
"""Levels below the one that is aimed at: where dealing misses the bound, a weaker one may still fit."""


def size_bound(letters: Letters, k: int) -> int:
    """No policy with k distinct s in every block has all its blocks smaller than this.

    Beside the count of the module's docstring, for blocks of at most m letters: the letter with the fewest s and the
    m - 1 with the most must add up to k, and some letter of each block must have k / m distinct s of its own, so there
    are no more blocks than such letters.
    """
    n = letters.n
    lengths = np.sort(np.diff(letters.indptr))[::-1]
    blocks = most_blocks(degrees_of(letters), k)
    least = -(-n // blocks)
    if lengths[-1] < k:
        least = max(least, 2 + int(np.searchsorted(np.cumsum(lengths[:-1]), k - lengths[-1])))
    while -(-n // least) > int(np.count_nonzero(lengths >= -(-k // least))):
        least += 1
    return least


def strongest_within(letters: Letters, most: float) -> int:
    """The largest k for which blocks of at most `most` letters are not out of the question; at least 1."""
    low, high = 1, letters.n_s + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if size_bound(letters, middle) <= most else (low, middle)
    return low


def _levels(letters: Letters, aim: Aim | None) -> IntArray:
    """Every k; where one policy is aimed at, k and those just below and above, since blocks of one size serve several k."""
    if aim is None:
        return np.arange(2, letters.n_s + 1)
    k = aim.level if aim.level is not None else strongest_within(letters, aim.cost or 1.0)
    near = np.arange(max(2, k - NEAR), min(letters.n_s, k + 1) + 1)
    return np.unique(np.concatenate((levels_up_to(letters.n_s), near)))


def optimise(
    letters: Letters,
    *,
    ks: IntArray | None = None,
    rng: np.random.Generator | None = None,
    effort: Effort | None = None,
) -> Optimised:
    """The frontier of L0 against the largest block.

    Parameters
    ----------
    ks
        Levels k, increasing; every k from 2 to |[[S]]| unless given.
    rng
        Source of the annealing seeds; `default_rng(0)` unless given. Letters with one s need none.
    effort
        What is asked for, and when to stop: the strongest levels come first. Every level unless given.

    Returns
    -------
    Optimised
        Levels k, costs in letters; optimal wherever every letter has one s.
    """
    effort = effort or Effort()
    levels = _levels(letters, effort.aim) if ks is None else np.asarray(ks, np.int64)
    seeds = (rng or np.random.default_rng(0)).integers(1, 2**63, size=len(levels))
    bound = np.zeros(len(levels))
    cost = np.zeros(len(levels))
    has = np.zeros(len(levels), np.int64)
    source = np.arange(len(levels))
    order = dealing_order(letters)
    places = order.astype(np.int32)
    kept = [b""] * len(levels)
    done = len(levels)  # levels from here on have a policy
    with effort.watch as watch:
        for i in range(len(levels) - 1, -1, -1):
            if i + 1 < len(levels) and watch.over():
                break
            effort.say("dealing letters to blocks", 1 - i / len(levels))
            bound[i] = size_bound(letters, int(levels[i]))
            if i + 1 < len(levels) and cost[i + 1] <= bound[i]:
                cost[i], source[i] = cost[i + 1], source[i + 1]  # the policy of k + 1 is already optimal for k
                done = i
                continue
            block_of = canonical(_deal(letters, order, int(levels[i]), int(bound[i]), int(seeds[i])))
            if effort.finish is not None:
                finished = effort.finish(block_of, int(levels[i]))
                block_of = np.zeros(letters.n, np.int64) if finished is None else finished
            cost[i] = size(block_of)
            has[i] = distinct(letters, block_of)
            if has[i] < levels[i]:
                raise AssertionError(f"a partition offered for k = {levels[i]} has a block with fewer distinct s")
            kept[i] = Packed.packed(block_of, places)
            if i + 1 < len(levels) and cost[i + 1] < cost[i]:
                cost[i], source[i] = cost[i + 1], source[i + 1]
            done = i
    levels, cost, bound, source = levels[done:], cost[done:], bound[done:], source[done:]
    return Optimised(levels, has[source], cost, np.minimum(bound, cost), Packed(places, tuple(kept)).take(source))


def _deal(letters: Letters, order: IntArray, k: int, least: int, seed: int) -> IntArray:
    """Labels with k distinct s in every block, trying largest blocks of `least`, then more.

    Only ceil(n / m) blocks are ever tried for size m: more blocks of the same size would have to share the same s.
    """
    from discreet.search.ranges._size_kernels import exchange

    n = letters.n
    m = least
    while True:
        blocks = -(-n // m)
        labels: IntArray = deal(order, blocks)
        if blocks == 1:
            return labels
        steps = min(MOST_STEPS, max(LEAST_STEPS, STEPS_A_LETTER * n))
        labels, lacking = exchange(
            letters.indptr, letters.indices, letters.n_s, labels, blocks, k, steps, np.uint64(seed)
        )
        if lacking == 0:
            return labels
        # Sizes that leave the number of blocks unchanged cannot help a partition that needs fewer blocks.
        m = -(-n // (blocks - 1))
