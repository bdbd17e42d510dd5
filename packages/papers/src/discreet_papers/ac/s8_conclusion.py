"""[AC, footnote 18 and VIII]: curvature, and what the conclusion says again, or anew."""

from __future__ import annotations

import itertools
import math
from functools import partial

from discreet import Joint, measures
from discreet_papers.ac.shared import PAPER, TOLERANCE, Label, first, merging, path_of, resolution, shown, supports
from discreet_papers.claims import Outcome, Study, matches


def merging_whole(joint: Joint, leakage: str, multiplier: float) -> dict[frozenset[Label], float]:
    """The Lagrangian after a set of letters is made one block, for every set."""
    measure = {"L0": measures.worst_case_leakage, "I*": measures.maximin_information}[leakage]
    found = {}
    for size in range(joint.n_x + 1):
        for chosen in itertools.combinations(joint.x, size):
            partition = [*([chosen] if chosen else []), *([x] for x in joint.x if x not in chosen)]
            found[frozenset(chosen)] = measure(joint.coarsen(partition)) - multiplier * resolution(partition)
    return found


def curvature(values: dict[frozenset[Label], float]) -> tuple[bool, bool]:
    """Whether a set function is submodular, and whether supermodular."""
    gaps = [values[a] + values[b] - values[a | b] - values[a & b] for a, b in itertools.combinations(values, 2)]
    return min(gaps) >= -TOLERANCE, max(gaps) <= TOLERANCE


def is_bent(joint: Joint, *, leakage: str, multiplier: float, side: int) -> bool:
    """Whether submodularity (side 0) or supermodularity (1) fails."""
    return not curvature(merging_whole(joint, leakage, multiplier))[side]


@PAPER.claim("footnote 18", "the Lagrangians of L0 and I* are neither submodular nor supermodular")
def curved(study: Study) -> Outcome:
    few = sorted((joint for joint in supports(study) if joint.n_x <= 3), key=lambda joint: (joint.n_x, joint.n_s))
    texts, holds = [], True
    for leakage, multiplier in itertools.product(("L0", "I*"), (0.0, 0.3)):
        tests = [partial(is_bent, leakage=leakage, multiplier=multiplier, side=side) for side in (0, 1)]
        found = [first(few, test) for test in tests]
        holds &= all(test(joint) for test, joint in zip(tests, found, strict=True))
        if multiplier == 0:
            texts.append(f"{leakage} alone: {shown(found[0])} and {shown(found[1])}")
    return matches(
        f"as functions of the set that is merged, by counterexamples of fewest letters to each: {'; '.join(texts)}; with "
        "λ = 0.3 there are such, too",
        holds,
    )


@PAPER.claim("VIII", "both algorithms cost O(|X|³)")
def complexity(_: Study) -> Outcome:
    looked: dict[str, list[int]] = {"L0": [], "I*": []}
    for n in (32, 64, 128):
        joint = Joint.from_pairs([(i, i) for i in range(n)])  # as many components as letters
        for leakage, total in looked.items():
            sizes = [len(point.blocks) for point in path_of(merging(joint, leakage, "resolution"))]
            if leakage == "I*":  # every pair of blocks is a candidate in every step
                total.append(sum(b * (b - 1) // 2 for b in sizes[:-1]))
            else:  # every other block is a candidate in every merge
                total.append(sum((before - after) * before for before, after in itertools.pairwise(sizes)))
    growth = {leakage: math.log2(total[2] / total[1]) for leakage, total in looked.items()}
    bounded = all(total[i] <= n**3 for total in looked.values() for i, n in enumerate((32, 64, 128)))
    return matches(
        f"candidates that the listings look at grow as |X|^{growth['I*']:.2f} for Algorithm 2 and |X|^{growth['L0']:.2f} for "
        f"Algorithm 1, from 64 to 128 letters with an s each",
        bounded,
        2.8 < growth["I*"] <= 3.05,
        growth["L0"] <= 2.05,
    )


@PAPER.claim("VIII", "the maximin information is zero in most cases")
def mostly_zero(study: Study) -> Outcome:
    shares = []
    for size in (2, 3):
        square = [joint for joint in supports(study) if joint.n_s == joint.n_x == size]
        shares.append((len(square), sum(measures.maximin_information(joint) == 0 for joint in square)))
    every = supports(study)
    zero = sum(measures.maximin_information(joint) == 0 for joint in every)
    return matches(
        f"on {zero} of {len(every)} supports of up to 3 s and 4 x; two by two {shares[0][1]} of {shares[0][0]}, three by "
        f"three {shares[1][1]} of {shares[1][0]}",
        zero > len(every) / 2,
        all(count > number / 2 for number, count in shares),
    )
