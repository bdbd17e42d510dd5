"""[AC, VII-B]: the Hungarian data, and the two methods that the paper compares itself with."""

from __future__ import annotations

import itertools
import math

import numpy as np

from discreet import measures
from discreet.frontiers import Frontier
from discreet.joint import Blocks, Joint
from discreet.labels import Label
from discreet.merging import Leakage, Method, frontier
from discreet.papers.ac.shared import PAPER, TOLERANCE, Set, close, falls, lagrangian, path_of
from discreet.papers.claims import Outcome, Study, matches, not_checkable, refuted

MISSING = -9  # what UCI writes for a missing number, where one is needed
SHARES = tuple(i / 20 for i in range(1, 20))  # multipliers of IAC-MDSF, whose λ lies between 0 and 1


def heart(study: Study) -> Joint:
    """S = age, X = serum cholesterol."""
    return study.once(_heart)


def _heart(study: Study) -> Joint:
    return Joint.from_table(study.hungarian, "age", "chol")


def heart_values(study: Study) -> dict[Label, float]:
    """Cholesterol as a number, missing as UCI writes it."""
    return {x: float(MISSING if x is None else x) for x in heart(study).x}


@PAPER.claim("VII-B", "293 patients; 38 ages, 154 cholesterol levels, 281 pairs, 269 of them seen once")
def counts(study: Study) -> Outcome:
    joint = heart(study)
    once = int((joint.counts.data == 1).sum())
    found = (joint.total, joint.n_s, joint.n_x, joint.counts.nnz, once)
    return matches(
        f"{', '.join(map(str, found))}: with the one repeated row dropped and missing cholesterol as a level",
        found == (293, 38, 154, 281, 269),
    )


@PAPER.claim("VII-B", "76 attributes")
def attributes(study: Study) -> Outcome:
    return not_checkable(f"the published table has {len(study.hungarian)} of them")


def algorithm_1(study: Study) -> dict[str, Frontier]:
    """Algorithm 1 on the data, by utility."""
    return study.once(_algorithm_1)


def _algorithm_1(study: Study) -> dict[str, Frontier]:
    return _by_utility(study, "L0", "agglomerative")


def algorithm_2(study: Study) -> dict[str, Frontier]:
    """Algorithm 2 on the data, by utility."""
    return study.once(_algorithm_2)


def _algorithm_2(study: Study) -> dict[str, Frontier]:
    return _by_utility(study, "I*", "agglomerative")


def suppressed(study: Study) -> dict[str, Frontier]:
    """Generalisation and suppression on the data, by utility."""
    return study.once(_suppressed)


def _suppressed(study: Study) -> dict[str, Frontier]:
    return _by_utility(study, "L0", "sweeney")


def _by_utility(study: Study, leakage: Leakage, method: Method) -> dict[str, Frontier]:
    joint, values = heart(study), heart_values(study)
    return {
        "resolution": frontier(joint, leakage, "resolution", method),
        "distortion": frontier(joint, leakage, "distortion", method, values=values),
    }


@PAPER.claim("Fig. 8", "on the data the Lagrangians of Algorithms 1 and 2 fall strictly until they stop (λ is lost)")
def figure_8(study: Study) -> Outcome:
    holds, rounds = True, {}
    for name, by_utility in (("1", algorithm_1(study)), ("2", algorithm_2(study))):
        for utility, found in by_utility.items():
            path = path_of(found)
            rounds[name, utility] = len(path) - 1
            for multiplier in (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0):
                values = lagrangian(path, multiplier)
                stop = found.point_at(multiplier=multiplier)
                until = int(np.flatnonzero((path.leakage == stop.leakage) & (path.utility == stop.utility))[0])
                holds &= falls(values[: until + 1])
    return matches(
        f"for eight λ each; Algorithm 1 has at most {rounds['1', 'resolution']} rounds with U1 and {rounds['1', 'distortion']} "
        f"with U2, Algorithm 2 {rounds['2', 'resolution']} merge, since the range has two components",
        holds,
        rounds["2", "resolution"] == rounds["2", "distortion"] == 1,
    )


@PAPER.claim("Figs 3 to 9", "the points as they are plotted, and the λ of Fig. 8")
def plotted(_: Study) -> Outcome:
    return not_checkable(
        "the pictures are lost in the text; the figures are redrawn from what the examples and captions say"
    )


def best_merge(joint: Joint, partition: Blocks, multiplier: float) -> float:
    """By how much the best merge of two blocks lowers −B0 − λU1; negative if none does."""
    seen = [frozenset(itertools.chain(*(joint.range_of(x) for x in block))) for block in partition]
    sizes = [len(block) for block in partition]

    def value(ranges: list[Set], largest: int) -> float:
        return multiplier * math.log2(largest) - math.log2(min(map(len, ranges)))

    tried = []
    for i, k in itertools.combinations(range(len(partition)), 2):
        others = [each for j, each in enumerate(seen) if j not in (i, k)]
        tried.append(value([*others, seen[i] | seen[k]], max(sizes[i] + sizes[k], *sizes)))
    return value(seen, max(sizes)) - min(tried)


@PAPER.claim("VII-B, Fig. 8", "Algorithm 1 converges to a local optimum on the data")
def local_on_data(study: Study) -> Outcome:
    gains = {}
    for multiplier in (0.075, 0.15, 0.3):
        stop = algorithm_1(study)["resolution"].point_at(multiplier=multiplier).blocks
        gains[multiplier] = (best_merge(heart(study), stop, multiplier), len(stop))
    multiplier, (gain, number) = max(gains.items(), key=lambda item: item[1][0])
    return refuted(
        f"U1 with λ = {multiplier:g}: two of its {number} blocks can be merged so that the Lagrangian falls by {gain:.4f} more",
        counterexample=gain > TOLERANCE,
    )


@PAPER.claim("VII-B, Fig. 9", "for 5-anonymity Algorithm 1 loses less utility than generalisation and suppression")
def five_anonymity(study: Study) -> Outcome:
    most = math.log2(38 / 5)
    losses, anonymous = {}, True
    for name, by_utility in (("greedy", algorithm_1(study)), ("suppressed", suppressed(study))):
        for utility, found in by_utility.items():
            point = found.point_at(max_leakage=most)
            losses[name, utility] = found.setting.unit - point.utility
            anonymous &= measures.distinct_anonymity(heart(study).coarsen(point.blocks)) >= 5
    return matches(
        f"U1 loses {losses['greedy', 'resolution']:.3f} bits against {losses['suppressed', 'resolution']:.3f}, U2 is "
        f"{losses['greedy', 'distortion']:.1f} mg/dl against {losses['suppressed', 'distortion']:.1f}",
        anonymous,
        losses["greedy", "resolution"] < losses["suppressed", "resolution"],
        losses["greedy", "distortion"] < losses["suppressed", "distortion"],
    )


def best_known(study: Study) -> Frontier:
    """L0 against U1, by the best method, with a proven bound."""
    return study.once(_best_known)


def _best_known(study: Study) -> Frontier:
    return frontier(heart(study), "L0", "resolution", "auto")


@PAPER.claim("VII-B, Fig. 9", "what Algorithm 1 finds is the Pareto frontier")
def not_the_frontier(study: Study) -> Outcome:
    most = math.log2(38 / 5)
    greedy, better = (f.point_at(max_leakage=most) for f in (algorithm_1(study)["resolution"], best_known(study)))
    sizes = [max(map(len, point.blocks)) for point in (greedy, better)]
    kept = measures.distinct_anonymity(heart(study).coarsen(better.blocks))
    return refuted(
        f"5-anonymous with blocks of at most {sizes[0]} letters; {sizes[1]} are enough, and the least there is (gap "
        f"{better.gap or 0:g} bits)",
        counterexample=sizes[1] < sizes[0] and kept >= 5 and better.gap == 0,
    )


def funnel_solutions(study: Study) -> list[Blocks]:
    """What [50, Algorithm 1] returns for each of its multipliers, where it merges anything."""
    return study.once(_funnel_solutions)


def _funnel_solutions(study: Study) -> list[Blocks]:
    from discreet.merging.funnel import weights_of
    from discreet.merging.funnel.iac_mdsf import iac_mdsf

    joint = heart(study)
    weights = weights_of(joint)
    ends = [iac_mdsf(weights, multiplier).partitions[-1] for multiplier in SHARES]
    return [tuple(joint.coarsen_by(end).x) for end in ends if len(np.unique(end)) < joint.n_x]


def priced(study: Study, partition: Blocks) -> tuple[float, float, float]:
    """I*, U1 lost and distortion of a policy on the data."""
    values = heart_values(study)
    radius = 0.0
    for block in partition:
        numbers = [values[x] for x in block]
        centre = math.fsum(numbers) / len(numbers)
        radius = max(radius, max(numbers) - centre, centre - min(numbers))
    leak = measures.maximin_information(heart(study).coarsen(partition))
    return leak, math.log2(max(map(len, partition))), radius


@PAPER.claim("VII-B, Fig. 9", "Algorithm 2 Pareto dominates IAC-MDSF [50, Algorithm 1] in I* and utility")
def dominated(study: Study) -> Outcome:
    others = [priced(study, partition) for partition in funnel_solutions(study)]
    size, distance = (algorithm_2(study)[name].points[-1] for name in ("resolution", "distortion"))
    lost = math.log2(154) - size.utility
    return matches(
        f"Algorithm 2 reaches I* = 0 at a loss of {lost:g} bit or a distortion of {-distance.utility:g}; all {len(others)} "
        f"solutions of IAC-MDSF that merge anything lose at least {min(o[1] for o in others):.3f} bits and "
        f"{min(o[2] for o in others):.1f} mg/dl",
        size.leakage == distance.leakage == 0,
        all(leak >= 0 and bits > lost and radius > -distance.utility for leak, bits, radius in others),
    )


@PAPER.claim("VII-B, Fig. 9", "several points of Algorithm 2 have both strictly less I* and strictly less loss")
def strictly_dominated(study: Study) -> Outcome:
    path = path_of(algorithm_2(study)["resolution"])
    others = [priced(study, partition) for partition in funnel_solutions(study)]
    strict = sum(bool(point.leakage < other[0] - TOLERANCE) for point in path for other in others)
    groups = measures.overlap_partition(heart(study))
    alone = min((sorted(s) for s, _ in groups), key=len)
    return refuted(
        f"the range has {len(groups)} components, one of them the age {alone[0]} alone, so I* is 1 or 0 bits and Algorithm 2 "
        f"has {len(path)} points; every solution of IAC-MDSF has I* = 0 already, which nothing is below",
        counterexample=len(groups) == 2
        and strict == 0
        and all(close(other[0], 0) for other in others)
        and len(others) > 0,
    )
