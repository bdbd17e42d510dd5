"""[AC, VII-A]: what a multiplier finds of the Pareto frontier, and Fig. 7."""

from __future__ import annotations

import itertools
import math

import numpy as np

from discreet import Joint, measures
from discreet.search import frontier
from discreet_papers.ac.s5a_algorithm import small
from discreet_papers.ac.s5b_maximin import by_distance, by_size
from discreet_papers.ac.shared import (
    FAR,
    PAPER,
    TOLERANCE,
    close,
    example,
    first,
    partitions,
    path_of,
    resolution,
    shown,
    supports,
    written,
)
from discreet_papers.claims import Outcome, Study, matches, refuted


def outcomes(joint: Joint) -> list[tuple[float, float]]:
    """(I*, U1) of every partition."""
    every = partitions(joint.x)
    return [(measures.maximin_information(joint.coarsen(p)), resolution(p)) for p in every]


def pareto(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those that no other is at least as good as in both and better in one."""
    return sorted(p for p in set(points) if not any(q != p and q[0] <= p[0] and q[1] >= p[1] for q in points))


def least(points: list[tuple[float, float]], multiplier: float) -> list[tuple[float, float]]:
    """The minimisers of leakage − λ·utility."""
    best = min(leak - multiplier * use for leak, use in points)
    return [(leak, use) for leak, use in points if leak - multiplier * use <= best + TOLERANCE]


@PAPER.claim("VII-A", "minimising the leakage necessarily increases the utility loss, and the other way round")
def trade(study: Study) -> Outcome:
    tried, holds = 0, True
    for joint in small(study):
        points = outcomes(joint)
        leaks, uses = zip(*points, strict=True)
        if max(leaks) > 0:
            # The best in one is never the best in the other.
            holds &= not any(close(leak, min(leaks)) and close(use, max(uses)) for leak, use in points)
            tried += 1
    before, after = path_of(by_size(study))[1:3]
    return matches(
        f"on all {tried} supports of up to three by three letters with I* > 0 no partition is best in both I* and U1. A "
        f"single step need not cost: the second merge of Example 3 lowers I* from {before.leakage:.4f} to "
        f"{after.leakage:.4f} and leaves U1 at {after.utility:.4f}",
        holds,
        after.leakage < before.leakage and after.utility == before.utility,
    )


@PAPER.claim("VII-A", "for each λ a minimiser of the Lagrangian over all X̂ is a Pareto optimal pair")
def scalarised(study: Study) -> Outcome:
    holds, dominated = True, 0
    for joint in small(study):
        points = outcomes(joint)
        best = pareto(points)
        holds &= all(set(least(points, multiplier)) <= set(best) for multiplier in (0.1, 1.0, 5.0))
        holds &= any(point in best for point in least(points, 0.0))
        dominated += any(point not in best for point in least(points, 0.0))
    return matches(
        f"for λ = 0.1, 1 and 5 on {len(small(study))} supports. At λ = 0, where the utility does not count, one of several "
        f"minimisers is ({dominated} supports have others)",
        holds,
    )


@PAPER.claim(
    "VII-A",
    "the pairs for all λ form the Pareto frontier, in which to search for the least leakage with a given utility",
)
def convex_hull(study: Study) -> Outcome:
    def missed(joint: Joint) -> list[tuple[float, float]]:
        """Pareto optimal points that are above a chord between two others, which no λ finds."""
        points = pareto(outcomes(joint))
        return [
            q
            for p, q, r in itertools.combinations(points, 3)
            if (r[0] - p[0]) * (q[1] - p[1]) < (r[1] - p[1]) * (q[0] - p[0]) - TOLERANCE
        ]

    found = first(sorted(supports(study), key=lambda j: (j.n_x, j.n_s)), lambda joint: bool(missed(joint)))
    (lost,) = missed(found)[:1] or [(math.nan, math.nan)]
    exact = frontier(example(study), "I*", "resolution", "exact").points
    own = [(float(point.leakage), float(point.utility)) for point in exact]

    def never(points: list[tuple[float, float]], point: tuple[float, float]) -> bool:
        return all(point not in least(points, float(m)) for m in np.linspace(0, 10, 1001))

    return refuted(
        f"Example 1: with U1 ≥ {own[1][1]:.4f} the least I* is {own[1][0]:g}, a pair that minimises the Lagrangian for no "
        f"λ, since one of the other {len(own) - 1} Pareto optimal pairs is always lower. Fewest letters: {shown(found)} and "
        f"(I*, U1) = ({lost[0]:g}, {lost[1]:.4f})",
        counterexample=len(own) == 3
        and never(own, own[1])
        and not never(own, own[0])
        and not never(own, own[2])
        and never(outcomes(found), lost)
        and lost in pareto(outcomes(found)),
    )


@PAPER.claim(
    "VII-A, Fig. 7", "Example 3's solution has I* = 0 at I0(X→X̂) = log 7/3: with that utility the leakage can be 0"
)
def figure_7(study: Study) -> Outcome:
    found = by_size(study).point_at(multiplier=0.3)
    exact = frontier(example(study), "I*", "resolution", "exact").points
    points = ", ".join(f"({p.leakage:.3f}, {p.utility:.3f})" for p in exact)
    return matches(
        f"I* = {found.leakage:g}, U1 = {found.utility:.4f} = log 7/3; the frontier over all partitions is {points}",
        found.leakage == 0 and close(found.utility, math.log2(7 / 3)),
        close(exact.leakage[-1], 0) and close(exact.utility[-1], found.utility),
    )


@PAPER.claim("VII-A, Fig. 7", "the solution of Example 4 is seen on the frontier that Algorithm 2 finds with U2")
def example_4_on_the_frontier(study: Study) -> Outcome:
    found = by_distance(study)
    solution = path_of(found)[3]
    exact = frontier(example(study), "I*", "distortion", "exact", values=FAR).points
    better = first(list(exact), lambda p: close(p.leakage, solution.leakage))
    return matches(
        f"{written(solution.blocks)}, with I* = {solution.leakage:g} and distortion {-solution.utility:.4f}, is one of its "
        f"{len(found.points)} points. Over all partitions it is dominated: {written(better.blocks)} has the same I* and "
        f"{-better.utility:.4f}",
        any(point.blocks == solution.blocks for point in found.points),
        close(better.leakage, solution.leakage) and better.utility > solution.utility + TOLERANCE,
    )
