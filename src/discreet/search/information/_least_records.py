"""The side condition "at least m records in every block": whether it can hold, and where on a path it begins to."""

from __future__ import annotations

import math

from discreet._typing import IntArray
from discreet.errors import InputError
from discreet.search.information._integers import Integers

ROUNDING = 1e-12  # of sums of masses


def least_count(integers: Integers, at_least: float) -> int:
    """The condition in counts, 0 where every partition meets it.

    Raises InputError for a weight that is no number, negative, or more than there is.
    """
    everything = integers.unit * integers.total
    if not at_least >= 0:
        raise InputError(f"a block cannot weigh at least {at_least}: give a number of records, 0 for no condition")
    if at_least > everything * (1 + ROUNDING):
        raise InputError(f"no policy has {at_least:g} records in every block: there are {everything:g} in all")
    count = math.ceil(at_least / integers.unit * (1 - ROUNDING))
    return 0 if count <= int(integers.of_letter.min()) else count


def first_allowed(weight: IntArray, merges: IntArray, least: int) -> int:
    """The first step at which no block is lighter than `least`: the number of merges made by then.

    `weight` is each block's before the first merge.
    """
    weight = weight.copy()
    light = int((weight < least).sum())
    for step, (a, b) in enumerate(merges.tolist()):
        if light == 0:
            return step
        light -= int(weight[a] < least) + int(weight[b] < least)
        weight[a] += weight[b]
        light += int(weight[a] < least)
    return len(merges)
