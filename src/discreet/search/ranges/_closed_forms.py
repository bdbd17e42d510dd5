"""Optima that need no search: I* with block size, and L0 with block size where each letter has one s.

Both come from counting, for any number of letters, with a policy that attains them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from discreet._typing import IntArray
    from discreet.search._letters import Letters


def fewest_components(n: int, components: int, size: int) -> int:
    """Fewest components that blocks of m letters can leave: max(1, ceil((c - (n-c)(m-1)) / m)). SPEC 3."""
    return max(1, -(-(components - (n - components) * (size - 1)) // size))


def least_size_for_components(n: int, components: int, level: int) -> int:
    """The smallest block size that leaves at most ``level`` components; by bisection, as size never hurts."""
    low, high = 1, n
    while low < high:
        middle = (low + high) // 2
        if fewest_components(n, components, middle) <= level:
            high = middle
        else:
            low = middle + 1
    return low


def join_components(component_of: IntArray, size: int) -> IntArray:
    """A policy with blocks of at most ``size`` letters that leaves the fewest components.

    One group grows: a letter of it that is still alone makes a block with one letter from each of size - 1
    further components, those with most letters first, since they bring letters that can join others. When the
    group has no letter left, only components of one letter remain, and these are joined ``size`` at a time.
    """
    n = len(component_of)
    if size == 1:
        return np.arange(n)
    counts = np.bincount(component_of)
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    by_rank = np.argsort(rank[component_of], kind="stable")
    first = np.flatnonzero(np.diff(rank[component_of][by_rank], prepend=-1))
    others = by_rank[first[1:]]  # the letter that each further component gives
    free = np.delete(by_rank, first[1:])  # letters that can take others in, in the order in which the group gets them
    takers = min(len(free), -(-len(others) // (size - 1)))
    # The t-th taker is there in time: each component before it gave a letter, and as many were taken in by
    # then.
    at = np.arange(len(others))
    taken = at < takers * (size - 1)
    label = np.where(taken, at // (size - 1), takers + (at - takers * (size - 1)) // size)
    joined = np.concatenate([free[:takers], others])
    labels = np.concatenate([np.arange(takers), label])
    earliest = np.full(n, n)
    np.minimum.at(earliest, labels, joined)
    block_of = np.arange(n)
    block_of[joined] = earliest[labels]
    return block_of


def most_blocks(degrees: IntArray, least: int) -> int:
    """The most blocks with k = ``least`` distinct s each: at most max{b : sum_s min(deg_s, b) >= kb}. SPEC 9.

    An s that is seen with deg_s letters can be counted in at most min(deg_s, b) of b blocks.
    """
    low, high = 1, max(1, int(degrees.sum()) // least)
    while low < high:  # the condition holds up to some b only: min(deg_s, b) / b falls with b
        middle = (low + high + 1) // 2
        if int(np.minimum(degrees, middle).sum()) >= least * middle:
            low = middle
        else:
            high = middle - 1
    return low


def degrees_of(letters: Letters) -> IntArray:
    """How many letters each s is seen with."""
    return np.bincount(letters.indices, minlength=letters.n_s)


def has_single_s(letters: Letters) -> bool:
    """Whether every letter was seen with one s only."""
    return len(letters.indices) == letters.n


def dealing_order(letters: Letters) -> IntArray:
    """Letters grouped by their rarest s, most frequent first; ties by s, then by letter."""
    rank = degrees_of(letters)[letters.indices] * letters.n_s + letters.indices
    rarest = np.minimum.reduceat(rank, letters.indptr[:-1])
    return np.lexsort((rarest % letters.n_s, -(rarest // letters.n_s)))


def deal(order: IntArray, blocks: int) -> IntArray:
    """Labels 0 .. blocks - 1 of letters dealt to the blocks in turn, in the order of `dealing_order`. SPEC 9.

    Where each letter has one s, an s with at least as many letters as there are blocks reaches all of them; the others
    lie on runs of neighbouring blocks, one run after the other, so that numbers of distinct s differ by at most one.
    """
    labels = np.empty(len(order), np.int64)
    labels[order] = np.arange(len(order)) % blocks
    return labels
