"""Definition II.2 and maximin information."""

from __future__ import annotations

import itertools
import math

import numpy as np

from discreet import Joint
from discreet.measures import maximin_information
from discreet_papers.arrays import partitions_of
from discreet_papers.claims import Outcome, Study, matches, misprint
from discreet_papers.dq.families import SLACK, Range, ranges, small_ranges
from discreet_papers.dq.paper import PAPER

Point = tuple[int, int]


def _points(table: Range) -> list[Point]:
    return [(int(x), int(y)) for x, y in np.argwhere(table)]


def _reached(start: Point, inside: list[Point]) -> set[Point]:
    """What a taxi gets to from a point without leaving a set of points."""
    found, ahead = {start}, [start]
    while ahead:
        x, y = ahead.pop()
        for other in inside:
            if other not in found and (other[0] == x or other[1] == y):
                found.add(other)
                ahead.append(other)
    return found


def _taxicab_partitions(table: Range, *, printed: bool) -> int:
    """Partitions of a range into sets that are taxicab connected, each by its own points or, as printed, by all of them."""
    points = _points(table)
    count = 0
    for partition in partitions_of(len(points)):
        parts = [
            [point for point, block in zip(points, partition, strict=True) if block == name] for name in set(partition)
        ]
        connected = all(_reached(part[0], points) >= set(points if printed else part) for part in parts)
        isolated = all(
            one[0] != other[0] and one[1] != other[1]
            for part, rest in itertools.combinations(parts, 2)
            for one, other in itertools.product(part, rest)
        )
        count += connected and isolated
    return count


@PAPER.claim("Def II.2", "A ⊆ [[X,Y]] is taxicab connected if all points in [[X,Y]] are taxicab connected")
def connected_sets(study: Study) -> Outcome:
    two = np.eye(2, dtype=bool)
    printed, meant = (_taxicab_partitions(two, printed=printed) for printed in (True, False))
    return misprint(
        "all points in A is meant: as printed no A of the range {(1,1), (2,2)} is connected, and it has "
        f"{printed} taxicab partitions; with A it has {meant}",
        printed=printed == 1,
        corrected=meant == 1,
    )


@PAPER.claim("Def II.2", "every [[X,Y]] has one taxicab partition")
def unique_partition(study: Study) -> Outcome:
    every = ranges(2, 2) + ranges(2, 3) + ranges(3, 2)
    counts = [_taxicab_partitions(table, printed=False) for table in every]
    return matches(
        f"exactly one among all set partitions, for all {len(every)} ranges of 2 by 2 and 2 by 3 values",
        set(counts) == {1},
    )


@PAPER.claim("(9)", "I*(X;Y) is the log of the number of parts of the taxicab partition")
def maximin(study: Study) -> Outcome:
    every = study.once(small_ranges)
    parts = 0
    for table in every:
        seen = {frozenset(_reached(point, _points(table))) for point in _points(table)}
        parts += abs(maximin_information(Joint.from_array(table)) - math.log2(len(seen))) < SLACK
    return matches(
        f"holds on all {parts} ranges of up to 3 by 3 values: our I* is the log of the number of sets a taxi can "
        "reach. The partition is that of [[X,Y]]; the sentence after (9) prints [[X|Y]]",
        parts == len(every),
    )


@PAPER.claim("(9)", "I*(X;Y) = I*(Y;X)")
def symmetric(study: Study) -> Outcome:
    every = study.once(small_ranges)
    worst = max(
        abs(maximin_information(Joint.from_array(table)) - maximin_information(Joint.from_array(table.T)))
        for table in every
    )
    return matches(f"holds on all {len(every)} ranges of up to 3 by 3 values", worst == 0)
