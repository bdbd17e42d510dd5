"""[AC, VII-B]: the Hungarian data, and the two methods that the paper compares itself with."""

from __future__ import annotations

import itertools
import math

import numpy as np

from discreet import Frontier, measures
from discreet.joint import Blocks, Joint
from discreet.search import Leakage, Method, frontier
from discreet_papers.ac.shared import PAPER, TOLERANCE, Label, Set, close, falls, lagrangian, path_of
from discreet_papers.claims import Outcome, Study, matches, not_checkable, refuted

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
    return not_checkable(f"the table that UCI publishes as processed has {len(study.hungarian)} of them")


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


@PAPER.claim(
    "VII-B, Fig. 8",
    "on the data Algorithms 1 and 2 lower the Lagrangian until they come to a local optimum (the λ of the figure is lost)",
)
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
                holds &= falls(values[: until + 1]) and bool((np.diff(values)[until : until + 1] >= 0).all())
    multiplier = 0.075
    stopped = algorithm_1(study)["resolution"].point_at(multiplier=multiplier).blocks
    gain = best_merge(heart(study), stopped, multiplier)
    return matches(
        f"for eight λ each it falls strictly, and the step after would raise it; Algorithm 1 has at most "
        f"{rounds['1', 'resolution']} rounds with U1 and {rounds['1', 'distortion']} with U2, Algorithm 2 "
        f"{rounds['2', 'resolution']} merge, since the range has two components. A single merge, which is no round, may "
        f"still gain: {gain:.4f} with U1 and λ = {multiplier:g}",
        holds,
        gain > TOLERANCE,
        rounds["2", "resolution"] == rounds["2", "distortion"] == 1,
    )


@PAPER.claim("Figs 3 to 9", "the points as they are plotted, and the λ of Fig. 8")
def plotted(_: Study) -> Outcome:
    return not_checkable(
        "the pictures are lost in the text; the figures are redrawn from what the examples and captions say"
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


@PAPER.claim("VII-B, Fig. 9", "enumerating λ, Algorithms 1 and 2 search a Pareto frontier")
def searched_frontier(study: Study) -> Outcome:
    numbers, holds = [], True
    for by_utility in (algorithm_1(study), algorithm_2(study)):
        for found in by_utility.values():
            points = found.points
            numbers.append(len(points))
            # In the order of rising loss each leaks strictly less, so none dominates another.
            holds &= falls(points.leakage) and falls(points.utility)
            pairs = {(point.leakage, point.utility) for point in points}
            stops = [found.point_at(multiplier=float(m)) for m in np.geomspace(1e-4, 10, 50)]
            holds &= all((stop.leakage, stop.utility) in pairs for stop in stops)
    most = math.log2(38 / 5)
    greedy, better = (f.point_at(max_leakage=most) for f in (algorithm_1(study)["resolution"], best_known(study)))
    sizes = [max(map(len, point.blocks)) for point in (greedy, better)]
    kept = measures.distinct_anonymity(heart(study).coarsen(better.blocks))
    return matches(
        f"of Algorithm 1's {numbers[0]} points with U1 and {numbers[1]} with U2, and Algorithm 2's {numbers[2]} and "
        f"{numbers[3]}, none dominates another, and every λ gives one of them. They are not the best over all partitions: "
        f"5-anonymous takes blocks of up to {sizes[0]} letters there, where {sizes[1]} are enough, the least there is",
        holds,
        sizes[1] < sizes[0] and kept >= 5 and better.gap == 0,
    )


def funnel_solutions(study: Study) -> list[Blocks]:
    """What [50, Algorithm 1] returns for each of its multipliers, where it merges anything."""
    return study.once(_funnel_solutions)


def _funnel_solutions(study: Study) -> list[Blocks]:
    from discreet.search.information import iac_mdsf, weights_of

    joint = heart(study)
    weights = weights_of(joint)
    ends = [iac_mdsf(weights, multiplier).partition(-1) for multiplier in SHARES]
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


@PAPER.claim("VII-B, Fig. 9", "Algorithm 2 finds a solution that Pareto dominates those of IAC-MDSF [50, Algorithm 1]")
def dominated(study: Study) -> Outcome:
    others = [priced(study, partition) for partition in funnel_solutions(study)]
    size, distance = (algorithm_2(study)[name].points[-1] for name in ("resolution", "distortion"))
    lost = math.log2(154) - size.utility
    return matches(
        f"Algorithm 2 reaches I* = 0, which no release is below, at a loss of {lost:g} bit or a distortion of "
        f"{-distance.utility:g} mg/dl; all {len(others)} solutions of IAC-MDSF that merge anything lose at least "
        f"{min(o[1] for o in others):.3f} bits and {min(o[2] for o in others):.1f} mg/dl",
        size.leakage == distance.leakage == 0,
        len(others) > 0 and all(bits > lost and radius > -distance.utility for _, bits, radius in others),
    )


@PAPER.claim(
    "VII-B, Fig. 9",
    "several points of Algorithm 2 have both I* and loss strictly below those of the solution of IAC-MDSF",
)
def strictly_dominated(study: Study) -> Outcome:
    paths = [path_of(found) for found in algorithm_2(study).values()]
    others = [priced(study, partition) for partition in funnel_solutions(study)]
    groups = measures.overlap_partition(heart(study))
    (age,), (level,) = min(groups, key=lambda group: len(group[1]))
    below = [sum(bool(point.leakage < 1) for point in path) for path in paths]
    return refuted(
        f"the age {age} is seen with cholesterol {level} alone, both with nothing else, and the rest is one component: I* "
        f"of any release is 1 or 0 bits, so at most {max(below)} point of Algorithm 2 per utility is below any solution. All "
        f"{len(others)} solutions of IAC-MDSF here have I* = 0 already",
        counterexample=len(groups) == 2 and below == [1, 1] and all(close(other[0], 0) for other in others),
    )
