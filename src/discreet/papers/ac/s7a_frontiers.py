"""[AC, VII-A]: what a multiplier finds of the Pareto frontier, and Fig. 7."""

from __future__ import annotations

import itertools
import math

import numpy as np

from discreet import measures
from discreet.joint import Joint
from discreet.merging import frontier
from discreet.papers.ac.s5a_algorithm import small
from discreet.papers.ac.s5b_maximin import by_distance, by_size
from discreet.papers.ac.shared import (
    FAR,
    PAPER,
    TOLERANCE,
    close,
    example,
    first,
    merging,
    partitions,
    path_of,
    resolution,
    shown,
    supports,
    written,
)
from discreet.papers.claims import Outcome, Study, matches, refuted


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


@PAPER.claim("VII-A", "lowering the leakage necessarily lowers the utility")
def trade(study: Study) -> Outcome:
    before, after = path_of(by_size(study))[1:3]
    return refuted(
        f"the second merge of Example 3 lowers I* from {before.leakage:.4f} to {after.leakage:.4f} and leaves U1 at "
        f"{after.utility:.4f}; between Pareto optimal points it holds by definition",
        counterexample=after.leakage < before.leakage and after.utility == before.utility,
    )


@PAPER.claim("VII-A", "for each λ in [0, ∞) a minimiser of the Lagrangian is Pareto optimal")
def scalarised(study: Study) -> Outcome:
    def is_wrong(joint: Joint) -> bool:
        points = outcomes(joint)
        return any(point not in pareto(points) for point in least(points, 0.0))

    joint = first(supports(study), is_wrong)
    holds = True
    for other in small(study):
        points = outcomes(other)
        holds &= all(set(least(points, multiplier)) <= set(pareto(points)) for multiplier in (0.1, 1.0, 5.0))
    return refuted(
        f"λ = 0 with {shown(joint)}: both partitions leak nothing, so both minimise, and the coarser is dominated; smallest "
        f"of all up to 3 s and 4 x. For λ > 0 it holds on {len(small(study))} supports",
        counterexample=is_wrong(joint) and holds,
    )


@PAPER.claim("VII-A", "the Pareto optimal pairs of all λ are the Pareto frontier")
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
    lost = missed(found) or [(math.nan, math.nan)]
    points = outcomes(found)
    never = all(lost[0] not in least(points, float(m)) for m in np.linspace(0, 10, 1001))
    own = merging(example(study), "I*", "resolution")
    stops = {own.point_at(multiplier=float(m)).blocks for m in np.linspace(0, 5, 501)}
    return refuted(
        f"{shown(found)}: (I*, U1) = ({lost[0][0]:g}, {lost[0][1]:.4f}) is Pareto optimal and minimises for no λ; fewest "
        f"letters of all up to 3 s and 4 x. In Example 1, too: of 3 points of the frontier all λ give {len(stops)}",
        counterexample=bool(missed(found)) and never and len(own.points) == 3 and len(stops) == 2,
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


@PAPER.claim("VII-A, Fig. 7", "the solution of Example 4 lies on the Pareto frontier")
def example_4_is_dominated(study: Study) -> Outcome:
    solution = path_of(by_distance(study))[3]
    exact = frontier(example(study), "I*", "distortion", "exact", values=FAR).points
    better = first(list(exact), lambda p: close(p.leakage, solution.leakage))
    return refuted(
        f"{written(solution.blocks)} has I* = {solution.leakage:g} and distortion {-solution.utility:.4f}, "
        f"{written(better.blocks)} the same I* and {-better.utility:.4f}, the least over all partitions",
        counterexample=close(better.leakage, solution.leakage) and better.utility > solution.utility + TOLERANCE,
    )
