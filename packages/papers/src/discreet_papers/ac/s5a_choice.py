"""[AC, V-A1]: which pair of blocks to merge: what the text says about sizes and distortions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from discreet import measures
from discreet_papers.ac.shared import (
    PAPER,
    Line,
    distortion,
    first,
    joint_of,
    merged,
    merging,
    numbers,
    partitions,
    path_of,
    shown,
)
from discreet_papers.claims import Outcome, Study, matches, misprint, refuted


def sizes(most: int) -> Iterator[tuple[int, ...]]:
    """Sizes of at least two blocks in rising order, fewest letters first."""

    def rising(left: int, least: int) -> Iterator[tuple[int, ...]]:
        for size in range(least, left // 2 + 1):
            for rest in rising(left - size, size):
                yield (size, *rest)
        yield (left,)

    for letters in range(2, most + 1):
        yield from (chosen for chosen in rising(letters, 1) if len(chosen) > 1)


def _minimisers(chosen: tuple[int, ...]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The pairs with the least |X1| + |X2|, and those with the least largest block after their merge."""
    pairs = list(itertools.combinations(range(len(chosen)), 2))
    sums = {(a, b): chosen[a] + chosen[b] for a, b in pairs}
    after = {pair: max(total, *chosen) for pair, total in sums.items()}
    return ({p for p in pairs if sums[p] == min(sums.values())}, {p for p in pairs if after[p] == min(after.values())})


@PAPER.claim(
    "V-A1",
    "if some pair has |X1|+|X2| above the largest block, the pairs that leave the least largest block are those with the "
    "least |X1|+|X2|",
)
def same_minimisers(_: Study) -> Outcome:
    def differs(chosen: tuple[int, ...]) -> bool:
        least, flat = _minimisers(chosen)
        return chosen[-1] + chosen[-2] > chosen[-1] and least != flat

    found = first(sizes(10), differs)
    every = list(sizes(10))
    return misprint(
        f"blocks of sizes {', '.join(map(str, found))}, fewest letters: 1+1 and 1+2 both leave the largest at 3, while 1+3 "
        f"is above it. Read ⊇ for =: the pairs with the least sum are among them, for all {len(every)} lists of sizes of "
        "up to 10 letters, and the rule needs no more",
        printed=not differs(found),
        corrected=all(least <= flat for least, flat in map(_minimisers, every)),
    )


@PAPER.claim("V-A1", "a pair with the least |X1|+|X2| always maximises U1")
def least_sum(_: Study) -> Outcome:
    every = list(sizes(14))
    ok = all(least <= flat for least, flat in map(_minimisers, every))
    return matches(f"for all {len(every)} lists of block sizes of up to 14 letters", ok)


def lines(most: int) -> Iterator[list[Line]]:
    """Partitions of whole numbers from 0 on: fewest numbers first, then the narrowest."""
    for letters in range(2, most + 1):
        for top in range(letters - 1, letters + 2):
            for inner in itertools.combinations(range(1, top), letters - 2):
                for partition in partitions((0, *inner, top)):
                    if len(partition) > 1:
                        yield [tuple(sorted(block)) for block in partition]


def _after(partition: list[Line], pair: tuple[Line, Line], codeword: str = "centroid") -> Fraction:
    """max d̄ after a merge."""
    return max(distortion(tuple(block), codeword) for block in merged(partition, *pair))


def _lowered(partition: list[Line], codeword: str) -> tuple[Fraction, Fraction]:
    """max d̄ before any merge, and after the merge that leaves least."""
    before = max(distortion(block, codeword) for block in partition)
    return before, min(_after(partition, pair, codeword) for pair in itertools.combinations(partition, 2))


# Letters at 0, 1, 6 and 7: Algorithm 2 with U2 merges 6 and 7, then 1, which shares its s with 0.
SHARED = {"x1": ("s1",), "x2": ("s1",), "x3": ("s2",), "x4": ("s3",)}
PLACES = {"x1": 0, "x2": 1, "x3": 6, "x4": 7}


@PAPER.claim(
    "V-A1, V-B2",
    "after a merge the largest distortion is max{d̄(X1∪X2), the largest before}: U2 never rises, and a merge within a "
    "subgraph only lowers it",
)
def largest_distortion(_: Study) -> Outcome:
    def is_lowered(partition: list[Line], codeword: str) -> bool:
        before, after = _lowered(partition, codeword)
        return after < before

    joint = joint_of(SHARED)
    blocks = path_of(merging(joint, "I*", "distortion", PLACES))[-1].blocks
    end = [tuple(PLACES[x] for x in block) for block in blocks]
    member = first(lines(4), lambda partition: is_lowered(partition, "member"))
    (before, after), (radius, half) = _lowered(end, "centroid"), _lowered(member, "member")
    one_subgraph = len(measures.overlap_partition(joint.coarsen(blocks))) == 1
    return refuted(
        f"{shown(joint)} at 0, 1, 6, 7: Algorithm 2 ends at {numbers(end)}, one subgraph, with {before} from the centroid; "
        f"merging the two leaves {after}. With a member of the block as codeword {numbers(member)} has {radius} and, "
        f"merged, {half}. With midranges it holds on all partitions of four whole numbers tried",
        counterexample=after < before
        and one_subgraph
        and len(end) == 2
        and half < radius
        and not any(is_lowered(p, "midrange") for p in lines(4)),
    )


# Algorithm 1 with U2: the poor letters 0, 1 and 6 come first, in this order, and no choice is a tie.
POOR = {0: {1}, 1: {1}, 6: {1}, 7: {2, 3}, 10: {2, 4}}


@PAPER.claim("V-A1", "in line 7 the X' with the least d̄(X∪X') maximises U2")
def least_distortion(_: Study) -> Outcome:
    def others(partition: list[Line], block: Line) -> list[Line]:
        def seen(each: Line) -> set[int]:
            return set().union(*(POOR[x] for x in each))

        return [other for other in partition if seen(other) != seen(block)]

    def by_rule(partition: list[Line], block: Line) -> Line:
        return min(others(partition, block), key=lambda other: distortion(block + other))

    def block_of(partition: list[Line], letter: int) -> Line:
        return first(partition, lambda block: letter in block)

    partition: list[Line] = [(x,) for x in POOR]
    for letter in (0, 1):
        poor = block_of(partition, letter)
        joined = merged(partition, poor, by_rule(partition, poor))
        partition = [tuple(sorted(block)) for block in joined]
    last = block_of(partition, 6)
    taken = by_rule(partition, last)
    best = min(others(partition, last), key=lambda other: _after(partition, (last, other)))
    left, least = (_after(partition, (last, other)) for other in (taken, best))
    return refuted(
        f"letters 0:{{s1}} 1:{{s1}} 6:{{s1}} 7:{{s2,s3}} 10:{{s2,s4}} with centroids: the first round of Algorithm 1 comes "
        f"to {numbers(sorted(partition))}; for {{6}} the rule takes {numbers([taken])} and leaves a distortion of {left}, "
        f"{numbers([best])} leaves {least}",
        counterexample=sorted(partition) == [(0, 1, 7), (6,), (10,)] and least < left,
    )
