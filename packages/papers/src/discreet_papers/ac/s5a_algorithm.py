"""[AC, V-A]: what the listing of Algorithm 1 and the text around it say, before the example."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from discreet import Frontier, measures
from discreet.joint import Blocks, Joint
from discreet_papers.ac.shared import (
    PAPER,
    TOLERANCE,
    Label,
    Set,
    close,
    distortion,
    example,
    falls,
    first,
    joint_of,
    lagrangian,
    larger,
    merged,
    merging,
    partitions,
    path_of,
    ranges_of,
    resolution,
    sets,
    shown,
    supports,
    written,
)
from discreet_papers.claims import Outcome, Study, matches, misprint


def small(study: Study) -> list[Joint]:
    """Supports of up to three by three letters, on which every partition is looked at."""
    return [joint for joint in supports(study) if max(joint.n_s, joint.n_x) <= 3]


def runs(study: Study) -> list[tuple[Joint, Frontier]]:
    """Algorithm 1 with U1 on the small supports and on larger ones."""
    return study.once(_runs)


def _runs(study: Study) -> list[tuple[Joint, Frontier]]:
    return [(j, merging(j, "L0", "resolution")) for j in (*small(study), *larger(np.random.default_rng(3), 150))]


@PAPER.claim("(1)", "[[S|x̂]] is the union of [[S|x]] over the block of x̂")
def union_of_ranges(study: Study) -> Outcome:
    tried, holds = 0, True
    for joint in small(study):
        seen = ranges_of(joint)
        for partition in partitions(joint.x):
            coarse = joint.coarsen(partition)
            holds &= all(
                frozenset(coarse.range_of(block)) == frozenset().union(*(seen[x] for x in block)) for block in coarse.x
            )
            tried += 1
    return matches(f"holds for all {tried} partitions of {len(small(study))} supports", holds)


@PAPER.claim("V-A", "U1 = I0(X→X̂) = H0(X) − max log |[[X|x̂]]| is the least reduction of uncertainty about X")
def resolution_is_i0(study: Study) -> Outcome:
    joint, holds, tried = example(study), True, 0
    for partition in partitions(joint.x):
        released = Joint.from_pairs([(x, tuple(block)) for block in partition for x in block])
        holds &= close(measures.zero_information(released), resolution(partition))
        tried += 1
    return matches(f"holds for all {tried} partitions of seven letters", holds)


def round_of(joint: Joint, *, put_back: bool) -> list[Set]:
    """One round of Algorithm 1 with U1: lines 3 to 10, the union put back or lost as in line 8."""
    seen = ranges_of(joint)

    def range_of(block: Set) -> Set:
        return frozenset().union(*(seen[x] for x in block))

    left = [frozenset([x]) for x in joint.x]
    least = min(len(range_of(block)) for block in left)
    poor = [block for block in left if len(range_of(block)) == least]
    while poor:
        block = poor[0]
        others = [other for other in left if range_of(other) != range_of(block)]
        if not others:
            break
        partner = min(others, key=lambda other: (len(other), sorted(other)))
        left = [other for other in left if other not in (block, partner)]
        left = sorted([*left, block | partner], key=sorted) if put_back else left
        poor = [other for other in poor if other not in (block, partner)]
    return left


@PAPER.claim("Algorithm 1, line 8", "a merge of X and X* leaves Q without the two: Q := Q \\ {X, X*}")
def line_8(study: Study) -> Outcome:
    joint = example(study)
    lost, kept = round_of(joint, put_back=False), round_of(joint, put_back=True)
    expected = path_of(merging(joint, "L0", "resolution"))[1].blocks
    return misprint(
        f"the first round on Example 1 then leaves {sum(map(len, lost))} of 7 letters; the union must be put back, which "
        f"gives {written(map(sorted, kept))}",
        printed=sum(map(len, lost)) == joint.n_x,
        corrected=sets(kept) == sets(expected),
    )


@PAPER.claim("Algorithm 1, lines 7 and 12", "rounds end only when ΔL ≥ 0 or one block is left")
def line_12(study: Study) -> Outcome:
    ended = [(j, path_of(found)[-1]) for j, found in runs(study) if measures.worst_case_leakage(j) > 0]
    joint, last = first(ended, lambda each: len(each[1].blocks) > 1)
    ranges = {frozenset(joint.coarsen(last.blocks).range_of(block)) for block in last.blocks}
    return misprint(
        f"{shown(joint)} with λ = 0: the first round has ΔL < 0 and ends at {written(last.blocks)}, where all ranges are "
        "equal and line 7 has nothing to choose from; smallest with L0 > 0. L0 is 0 there: a third reason to stop",
        printed=len(ranges) > 1 or len(last.blocks) == 1,
        corrected=last.leakage == 0 and all(point.leakage == 0 for _, point in ended),
    )


@PAPER.claim("Algorithm 1, line 13", "Q^(t−1), the partition before the last round, is returned")
def line_13(study: Study) -> Outcome:
    path = path_of(merging(example(study), "L0", "resolution"))
    returned = merging(example(study), "L0", "resolution").at(multiplier=0.3).blocks
    return misprint(
        f"the last round of Example 2 leaves one block with ΔL < 0; Q^(t−1) is {written(path[2].blocks)}, and the example "
        f"returns {written(returned)}: read Q^(t−1) where ΔL ≥ 0 ended it, else Q^(t)",
        printed=sets(path[2].blocks) == sets(returned),
        corrected=len(returned) == 1 and sets(path[3].blocks) == sets(returned),
    )


@PAPER.claim("V-A1", "every round strictly raises min |[[S|X]]|")
def rounds(study: Study) -> Outcome:
    every = runs(study)
    steps = sum(len(path_of(found)) - 1 for _, found in every)
    return matches(
        f"in all {steps} rounds on {len(every)} joints", all(falls(path_of(found).leakage) for _, found in every)
    )


def better_pair(
    joint: Joint, partition: Blocks, multiplier: float, values: dict[Label, int]
) -> tuple[float, list[list[Label]]]:
    """The pair of blocks whose merge lowers L = L0 − λ U2 most: by how much, and the partition after it."""

    def value(q: Sequence[Sequence[Label]]) -> float:
        radius = max(distortion(tuple(values[x] for x in block)) for block in q)
        return measures.worst_case_leakage(joint.coarsen(q)) + multiplier * float(radius)

    tried = [merged(partition, one, other) for one, other in itertools.combinations(partition, 2)]
    best = min(tried, key=value)
    return value(partition) - value(best), best


@PAPER.claim(
    "Abstract, V-A1, VIII",
    "Algorithms 1 and 2 converge to a local optimum: no further step of theirs lowers the Lagrangian",
)
def local_optimum(study: Study) -> Outcome:
    tried, holds = 0, True
    for joint, found in runs(study):
        for own in (found, merging(joint, "I*", "resolution")):
            path = path_of(own)
            for multiplier in (0.1, 0.3, 1.0, 3.0):
                stop = [point.blocks for point in path].index(own.point_at(multiplier=multiplier).blocks)
                following = np.diff(lagrangian(path, multiplier))[stop : stop + 1]
                holds &= bool((following >= -TOLERANCE).all())
                tried += 1
    # Nothing is left to ties or to the order of Π: both poor letters are nearest to the rich one between them.
    joint = joint_of({"x1": ("s1",), "x2": ("s1", "s2"), "x3": ("s2",)})
    values = {"x1": 0, "x2": 1, "x3": 6}
    stopped = merging(joint, "L0", "distortion", values).point_at(multiplier=0.3).blocks
    gain, better = better_pair(joint, stopped, 0.3, values)
    return matches(
        f"in all {tried} runs on {len(runs(study))} joints. A step of Algorithm 1 is a whole round; a single merge may "
        f"still gain: {shown(joint)} at 0, 1, 6 with U2 and λ = 0.3 stays as it is, and merging {written([better[-1]])} "
        f"alone would lower the Lagrangian by {gain:.3f}",
        holds,
        len(stopped) == 3 and gain > 0,
    )


@PAPER.claim("V-A1", "merging blocks with equal ranges does not change L0")
def equal_ranges(study: Study) -> Outcome:
    tried, holds = 0, True
    for joint in supports(study):
        seen = ranges_of(joint)
        for one, other in itertools.combinations(joint.x, 2):
            if seen[one] == seen[other]:
                coarse = joint.coarsen([[one, other], *([x] for x in joint.x if x not in (one, other))])
                holds &= close(measures.worst_case_leakage(coarse), measures.worst_case_leakage(joint))
                tried += 1
    return matches(f"unchanged by all {tried} such merges on {len(supports(study))} supports", holds)


@PAPER.claim("V-A1", "Φ(Q), the set of pairs to choose from, asks for [[S|X1]] = [[S|X2]]")
def candidates(study: Study) -> Outcome:
    joint = example(study)
    seen = ranges_of(joint)
    pairs = list(itertools.combinations(joint.x, 2))
    printed = [(a, b) for a, b in pairs if seen[a] == seen[b]]
    meant = [(a, b) for a, b in pairs if seen[a] != seen[b]]

    def lowers(pair: tuple[Label, Label]) -> bool:
        return len(seen[pair[0]] | seen[pair[1]]) > min(len(seen[x]) for x in pair)

    return misprint(
        f"in Example 1 {written(printed)} alone has equal ranges, and the sentence before says that such a merge changes no "
        f"L0; with ≠, as in line 7, there are {len(meant)} pairs, and each enlarges a smallest range",
        printed=all(map(lowers, printed)),
        corrected=all(map(lowers, meant)) and len(meant) == len(pairs) - len(printed),
    )


@PAPER.claim("V-A1", "I0(X→X̂) = H0(X) − max log |[[S|X]]| over the blocks")
def size_not_range(study: Study) -> Outcome:
    joint = example(study)
    released = Joint.from_pairs([(x, (x,)) for x in joint.x])  # X̂ = X
    printed = math.log2(joint.n_x) - measures.conditional_hartley_entropy(joint)
    exact = measures.zero_information(released)
    return misprint(
        f"for X̂ = X in Example 1 that is log 7/2 = {printed:.4f}, and I0(X→X) is log 7 = {exact:.4f}: log |X|, the size of "
        "the block, is meant",
        printed=close(printed, exact),
        corrected=close(math.log2(joint.n_x) - math.log2(1), exact),
    )
