"""[AC, footnote 18 and VIII]: curvature, and what the conclusion says again, or anew."""

from __future__ import annotations

import itertools
import math
from functools import partial

from discreet import measures
from discreet.joint import Blocks, Joint
from discreet.labels import Label
from discreet.papers.ac.s5a_algorithm import runs
from discreet.papers.ac.shared import (
    PAPER,
    TOLERANCE,
    close,
    example,
    first,
    merging,
    path_of,
    resolution,
    shown,
    supports,
)
from discreet.papers.claims import Outcome, Study, matches, misprint, refuted


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


@PAPER.claim("I, VIII", "both algorithms merge two elements at a time, each merge strictly lowering the Lagrangian")
def one_by_one(study: Study) -> Outcome:
    joint = example(study)
    first_merge = [["x1", "x2"], *([x] for x in joint.x[2:])]
    change = measures.worst_case_leakage(joint.coarsen(first_merge)) - measures.worst_case_leakage(joint)
    change += 0.3 * (resolution([[x] for x in joint.x]) - resolution(first_merge))
    whole = path_of(merging(joint, "L0", "resolution"))
    partly = sum(len(path_of(found)) > 1 and _is_long(j, path_of(found)[1].blocks) for j, found in runs(study))
    return refuted(
        f"Algorithm 1 merges in rounds, and only a whole round lowers L0: in Example 2 the first merge, {{12}}, "
        f"has ΔL = {change:+.4f}, the round {whole.leakage[1] - whole.leakage[0]:+.4f} in L0; the first round takes several "
        f"merges on {partly} of {len(runs(study))} joints",
        counterexample=change > 0 and partly > 0,
    )


def _is_long(joint: Joint, blocks: Blocks) -> bool:
    return joint.n_x - len(blocks) > 1


@PAPER.claim("VIII", "I*(S;X̂) equals the maximum number of disconnected subgraphs of the confusability graph")
def number_or_log(study: Study) -> Outcome:
    joint = example(study)
    number, star = joint.components[0], measures.maximin_information(joint)
    return misprint(
        f"its logarithm: Example 1 has {number} subgraphs and I* = {star:.4f}",
        printed=close(star, number),
        corrected=close(star, math.log2(number)),
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
        f"on {zero} of {len(every)} supports of up to 3 s and 4 x; two by two {shares[0][1]} of {shares[0][0]}, three by three "
        f"{shares[1][1]} of {shares[1][0]}",
        zero > len(every) / 2,
        all(count > number / 2 for number, count in shares),
    )
