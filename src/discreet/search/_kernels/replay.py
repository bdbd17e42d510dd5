# mypy: ignore-errors
"""Compiled: from a list of merges to partitions."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def absorb(into, left, right):
    """Note that each block right[t] has gone into left[t]; `into` points from a name to the name that took it
    in.
    """
    for t in range(len(left)):
        into[right[t]] = left[t]


@njit(cache=True)
def names_of(into):
    """The block of each letter. A name is its block's lowest letter, so one pass upwards follows every
    pointer.
    """
    names = into.copy()
    for x in range(len(into)):
        names[x] = names[into[x]]
    return names
