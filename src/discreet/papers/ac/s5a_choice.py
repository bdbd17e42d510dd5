"""[AC, V-A1]: which pair of blocks to merge: what the text says about sizes and distortions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from discreet.papers.ac.shared import PAPER, Line, distortion, first, merged, numbers, partitions
from discreet.papers.claims import Outcome, Study, matches, refuted


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
    "if some pair has |X1|+|X2| above the largest block, the least max |X| and the least |X1|+|X2| have the same pairs",
)
def same_minimisers(_: Study) -> Outcome:
    def differs(chosen: tuple[int, ...]) -> bool:
        least, flat = _minimisers(chosen)
        return chosen[-1] + chosen[-2] > chosen[-1] and least != flat

    found = first(sizes(10), differs)
    always = [s for s in sizes(10) if s[0] + s[1] > s[-1]]
    return refuted(
        f"blocks of sizes {', '.join(map(str, found))}, fewest letters: 1+1 and 1+2 both leave the largest at 3, and 1+3 is "
        f"above it. It holds if every pair is above ({len(always)} cases)",
        counterexample=differs(found) and not any(differs(s) for s in always),
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


@PAPER.claim("V-A1", "after a merge the largest distortion is max{d̄(X1∪X2), the largest before}")
def largest_distortion(_: Study) -> Outcome:
    def is_lowered(partition: list[Line], codeword: str) -> bool:
        before, after = _lowered(partition, codeword)
        return after < before

    centroid = first(lines(4), lambda partition: is_lowered(partition, "centroid"))
    member = first(lines(4), lambda partition: is_lowered(partition, "member"))
    (before, after), (radius, half) = _lowered(centroid, "centroid"), _lowered(member, "member")
    return refuted(
        f"with centroids {numbers(centroid)} has {before} and, merged, {after}; with a member of the block as codeword "
        f"{numbers(member)} has {radius}, then {half}. Fewest and narrowest whole numbers; midranges keep to it",
        counterexample=after < before and half < radius and not any(is_lowered(p, "midrange") for p in lines(4)),
    )


@PAPER.claim("V-A1", "a pair with the least d̄(X1∪X2) always maximises U2")
def least_distortion(_: Study) -> Outcome:
    def choices(partition: list[Line]) -> tuple[tuple[Line, Line], tuple[Line, Line]]:
        """The pair that the rule takes (if there is a tie, the best of them), and the pair with the greatest U2."""
        pairs = list(itertools.combinations(partition, 2))
        near = min(pairs, key=lambda pair: (distortion(pair[0] + pair[1]), _after(partition, pair)))
        return near, min(pairs, key=lambda pair: _after(partition, pair))

    def is_wrong(partition: list[Line]) -> bool:
        near, best = choices(partition)
        return _after(partition, best) < _after(partition, near)

    partition = first(lines(5), is_wrong)
    near, best = choices(partition)
    return refuted(
        f"{numbers(partition)} with centroids: the rule merges {numbers(near)} and leaves {_after(partition, near)}, merging "
        f"{numbers(best)} leaves {_after(partition, best)}; fewest and narrowest whole numbers",
        counterexample=is_wrong(partition),
    )
