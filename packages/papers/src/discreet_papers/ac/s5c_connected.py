"""[AC, V-C]: min L0 with nobody told apart for certain, Example 5, publishing S too, and side information."""

from __future__ import annotations

import itertools
import math

import numpy as np

from discreet import measures
from discreet.joint import Blocks, Joint
from discreet.search import frontier
from discreet.search.ranges import letters_of, merge_connected
from discreet_papers.ac.s4_graphs import graph_of, searched
from discreet_papers.ac.s5a_algorithm import small
from discreet_papers.ac.s5b_maximin import Partition, candidates, components
from discreet_papers.ac.shared import (
    PAPER,
    TOLERANCE,
    Label,
    close,
    example,
    falls,
    first,
    larger,
    merged,
    merging,
    partitions,
    path_of,
    ranges_of,
    resolution,
    same,
    shown,
    supports,
    weighted,
    written,
)
from discreet_papers.claims import Outcome, Study, matches, misprint

MULTIPLIERS = (0.0, 0.3, 1.0, 3.0)


def steps(joint: Joint, multiplier: float) -> list[Blocks]:
    """The method of (9) with U1: the blocks before the first merge and after each."""
    path = merge_connected(letters_of(joint, None), "size", multiplier)
    return [tuple(joint.coarsen_by(path.partition(step)).x) for step in range(len(path))]


def result(joint: Joint, multiplier: float = 0.3) -> Blocks:
    """What the method returns."""
    return steps(joint, multiplier)[-1]


@PAPER.claim("V-C, footnote 12", "the assumption θ ≥ min of U over the X̂ with I* = 0 makes (7) feasible")
def feasible(study: Study) -> Outcome:
    joint = example(study)
    utilities = [resolution(p) for p in partitions(joint.x) if len(components(joint, p)) == 1]
    least, most, theta = min(utilities), max(utilities), math.log2(7)
    return misprint(
        f"in Example 1 with U1 these U go from {least:g} to {most:.4f}; θ = log 7 is above the least, and no X̂ with I* = "
        "0 has so much: read θ ≤ max",
        printed=not (theta >= least and not any(u >= theta for u in utilities)),
        corrected=any(u >= most for u in utilities) and not any(u >= most + 1e-9 for u in utilities),
    )


@PAPER.claim(
    "V, V-C, footnote 12",
    "problem (7), min L0 with I*(S;X̂) = 0, can be solved by the clustering, too: it strictly lowers I* in each iteration, "
    "and what it returns is feasible for any λ",
)
def strictly_joined(study: Study) -> Outcome:
    every = (*small(study), *larger(np.random.default_rng(5), 60))
    tried, holds = 0, True
    for joint in every:
        for multiplier in MULTIPLIERS:
            path = steps(joint, multiplier)
            holds &= falls(np.array([len(components(joint, partition)) for partition in path], dtype=np.float64))
            holds &= measures.maximin_information(joint.coarsen(path[-1])) == 0
            tried += 1
    missed, reached, better = _missed(study)
    leaks = [measures.worst_case_leakage(missed.coarsen(q)) for q in (reached, better)]
    return matches(
        f"in all {tried} runs on {len(every)} joints. Feasible is not least: {shown(missed)} stops at {written(reached)}, "
        f"the first connected partition, with L0 = {leaks[0]:g}, and {written(better)} has {leaks[1]:g} with the same U1 "
        "and I* = 0. (The hat of I*(S;X̂) is missing in (7) as we have it)",
        holds,
        leaks[1] < leaks[0],
    )


@PAPER.claim("V-C", "the method is (8) with λ' much larger than λ")
def steering(study: Study) -> Outcome:
    def value(joint: Joint, partition: Partition) -> float:
        leak = measures.worst_case_leakage(joint.coarsen(partition))
        return leak + 1e3 * math.log2(len(components(joint, partition))) - 0.3 * resolution(partition)

    tried, holds = 0, True
    for joint in (*small(study), example(study)):
        path = steps(joint, 0.3)
        for before, after in itertools.pairwise(path):
            options = [merged(before, a, b) for a, b in itertools.combinations(before, 2)]
            holds &= close(value(joint, after), min(value(joint, q) for q in options), 1e-6)
            tried += 1
    return matches(f"with λ' = 1000 the best of all pairs is the one taken, in all {tried} steps", holds)


def _missed(study: Study) -> tuple[Joint, Blocks, list[list[Label]]]:
    """The support of fewest letters where at every multiplier another X̂ with I* = 0 and no less utility leaks less."""

    def is_missed(joint: Joint) -> bool:
        return all(_gain(joint, result(joint, multiplier)) > TOLERANCE for multiplier in MULTIPLIERS)

    every = sorted((j for j in supports(study) if measures.maximin_information(j) > 0), key=lambda j: (j.n_x, j.n_s))
    found = first(every, is_missed)
    return found, result(found), _best(found, result(found))


def _best(joint: Joint, reached: Blocks) -> list[list[Label]]:
    allowed = [
        p
        for p in partitions(joint.x)
        if len(components(joint, p)) == 1 and resolution(p) >= resolution(reached) - 1e-12
    ]
    return min(allowed, key=lambda p: measures.worst_case_leakage(joint.coarsen(p)))


def _gain(joint: Joint, reached: Blocks) -> float:
    best = measures.worst_case_leakage(joint.coarsen(_best(joint, reached)))
    return measures.worst_case_leakage(joint.coarsen(reached)) - best


@PAPER.claim("Example 5", "first iteration: all 19 pairs of Ψ attain the least ΔL")
def all_tie(study: Study) -> Outcome:
    joint = example(study)
    start = [[x] for x in joint.x]
    values = []
    for one, other in candidates(start, components(joint, start)):
        after = [*([x] for x in joint.x if x not in one | other), [*one, *other]]
        leak = measures.worst_case_leakage(joint.coarsen(after)) - measures.worst_case_leakage(joint)
        values.append(leak + 0.3 * (resolution(start) - resolution(after)))
    return matches(
        f"{len(values)} pairs, ΔL from {min(values):.4f} to {max(values):.4f}",
        len(values) == 19,
        close(min(values), max(values)),
    )


@PAPER.claim("Example 5", "{2}{3} is chosen since |[[S|{2}]]| = |[[S|{3}]]| = 2")
def ranges_of_2_and_3(study: Study) -> Outcome:
    joint = example(study)
    seen = ranges_of(joint)
    parts = {x: len(part) for part in components(joint, [[x] for x in joint.x]) for x in part}
    return misprint(
        f"both are {len(seen['x2'])}; it is their subgraphs {{12}} and {{34}}, the largest, that have {parts['x2']} "
        "letters each",
        printed=len(seen["x2"]) == len(seen["x3"]) == 2,
        corrected=len(seen["x2"]) == len(seen["x3"]) == 1 and parts["x2"] == parts["x3"] == 2 == max(parts.values()),
    )


@PAPER.claim("Example 5", "λ = 0.3: {23}; {23}{45}; {23}{45}{67}; {167}{23}{45}, returned, with |P| = 1")
def example_5(study: Study) -> Outcome:
    joint = example(study)
    path = steps(joint, 0.3)
    expected = ("1 23 4 5 6 7", "1 23 45 6 7", "1 23 45 67", "167 23 45")
    returned = frontier(joint, "L0|I*=0", "resolution", "agglomerative").point_at(multiplier=0.3)
    subgraphs = [components(joint, partition) for partition in path[1:]]
    return matches(
        f"{written(returned.blocks)}, L0 = {returned.leakage:.4f}, U1 = {returned.utility:.4f}",
        len(path) == 5 and all(same(found, text) for found, text in zip(path[1:], expected, strict=True)),
        all(
            same(found, text)
            for found, text in zip(subgraphs, ("1234 5 6 7", "12345 6 7", "12345 67", "1234567"), strict=True)
        ),
        same(returned.blocks, "167 23 45"),
    )


@PAPER.claim("V-C", "Algorithms 1 and 2 also quantise Y = (S,X), for a curator who publishes S")
def publishing_s(study: Study) -> Outcome:
    every = (*small(study), example(study), *larger(np.random.default_rng(9), 40))
    holds = True
    for joint in every:
        paired = joint.paired()
        for leakage in ("L0", "I*"):
            path = path_of(merging(paired, leakage, "resolution"))
            # Every y tells its s, so both leakages start at H0(S).
            holds &= close(path.leakage[0], measures.hartley_entropy(joint)) and close(path.leakage[-1], 0)
            holds &= falls(path.leakage)
    return matches(f"on {len(every)} joints both leakages fall strictly from H0(S) to 0", holds)


def _with_side(study: Study) -> list[Joint]:
    rng = np.random.default_rng(11)
    found = []
    for joint in weighted(study)[-60:]:
        rows = [(joint.s[s], joint.x[x]) for s, x in zip(joint.counts.indices, joint.x_of_pair, strict=True)]
        known = rng.integers(0, 3, len(rows)).tolist()
        table = {"s": [s for s, _ in rows], "x": [x for _, x in rows], "a": known}
        found.append(Joint.from_table(table, "s", "x", "a"))
    return found


@PAPER.claim(
    "V-C",
    "with side information A, L0(S→X̂|A) and I*(S;X̂,A), the log of the subgraphs of G_{X̂,A}, are lowered by Algorithms 1 "
    "and 2",
)
def side_information(study: Study) -> Outcome:
    every, holds, above = study.once(_with_side), True, 0
    for joint in every:
        for leakage, measure in (("L0", measures.worst_case_leakage), ("I*", measures.maximin_information)):
            path = path_of(merging(joint, leakage, "resolution"))
            measured = [measure(joint.coarsen(point.blocks), side=True) for point in path]
            everything = measure(joint.coarsen([joint.x]), side=True)
            holds &= bool(np.allclose(measured, path.leakage)) and bool((np.diff(measured) <= 1e-12).all())
            holds &= close(measured[-1], everything)
            above += leakage == "I*" and everything > 0
        known = known_alone(joint)
        holds &= close(everything, measures.maximin_information(known)) and close(
            everything, math.log2(len(searched(graph_of(known))[0]))
        )
    return matches(
        f"on {len(every)} joints with A they end at what one single block leaks: L0 at 0, I* at I*(S;A), which is above 0 on "
        f"{above}, where Algorithm 2's loop until |P| = 1 must stop by itself (the text has G_{{X,A}}, without the hat)",
        holds,
        above > 0,
    )


def known_alone(joint: Joint) -> Joint:
    """The joint of S and A, from the pairs of a release of one block."""
    side = joint.coarsen([joint.x]).side
    pairs = []
    for column, a in enumerate(side.a_of.tolist()):
        pairs += [
            (s, a) for s in side.counts.indices[side.counts.indptr[column] : side.counts.indptr[column + 1]].tolist()
        ]
    return Joint.from_pairs(pairs)
