"""[AC, Appendices A and B]: the steps of the proofs."""

from __future__ import annotations

import math

from discreet import measures
from discreet_papers.ac.s2_ranges import connected_to
from discreet_papers.ac.s4_graphs import graph_of, searched
from discreet_papers.ac.shared import PAPER, TOLERANCE, close, ranges_of, supports
from discreet_papers.claims import Outcome, Study, matches


@PAPER.claim("Appendix A, (12)", "H0(S) = I* + log of the mean group ≥ I* + log min |group| ≥ I* + log min |[[S|x]]|")
def chain(study: Study) -> Outcome:
    every, holds = supports(study), True
    for joint in every:
        sizes = [len(s) for s, _ in measures.overlap_partition(joint)]
        star, h0 = measures.maximin_information(joint), measures.hartley_entropy(joint)
        bounds = (star + math.log2(min(sizes)), star + measures.least_uncertainty(joint))
        holds &= close(h0, star + math.log2(sum(sizes) / len(sizes)))
        holds &= h0 >= bounds[0] - TOLERANCE and bounds[0] >= bounds[1] - TOLERANCE
    return matches(f"each step holds on all {len(every)} supports", holds)


@PAPER.claim("Appendix B", "within a connected subgraph all s are overlap connected, across two none are")
def paths(study: Study) -> Outcome:
    every, holds = supports(study), True
    for joint in every:
        seen, reach = ranges_of(joint), connected_to(joint)
        for part in searched(graph_of(joint))[0]:
            image = frozenset().union(*(seen[x] for x in part))
            holds &= all(reach[s] == image for s in image)
    return matches(f"on all {len(every)} supports", holds)
