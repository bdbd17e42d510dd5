"""[AC, IV]: the confusability graph, its cuts, and Example 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

import numpy as np

from discreet import Joint, measures
from discreet_papers.ac.s2_ranges import connected_to
from discreet_papers.ac.shared import (
    PAPER,
    RANGES,
    Label,
    Set,
    blocks,
    close,
    example,
    first,
    joint_of,
    partitions,
    ranges_of,
    same,
    sets,
    shown,
    supports,
    weighted,
    written,
)
from discreet_papers.claims import Outcome, Study, matches, misprint, not_checkable, refuted

Graph = dict[Label, set[Label]]


def graph_of(joint: Joint) -> Graph:
    """G_X: letters of X, joined where their ranges overlap."""
    seen = ranges_of(joint)
    return {x: {y for y in seen if y != x and seen[x] & seen[y]} for x in seen}


def searched(graph: Graph) -> tuple[list[Set], int]:
    """The components by breadth-first search, and how many nodes and edges were looked at."""
    found: list[Set] = []
    looked = 0
    left = set(graph)
    for start in graph:
        if start not in left:
            continue
        queue, reached = [start], {start}
        for x in queue:
            looked += 1 + len(graph[x])
            fresh = graph[x] - reached
            reached |= fresh
            queue += fresh
        left -= reached
        found.append(frozenset(reached))
    return found, looked


def cut(graph: Graph, part: Set) -> int:
    """κ: edges that leave a set of nodes."""
    return sum(len(graph[x] - part) for x in part)


def least_cuts(graph: Graph) -> tuple[int, frozenset[Set]]:
    """The min-cut and everything that attains it."""
    values = {part: cut(graph, part) for part in proper(graph)}
    least = min(values.values())
    return least, frozenset(part for part, value in values.items() if value == least)


def proper(nodes: Iterable[Label]) -> Iterator[Set]:
    """Every proper non-empty subset."""
    every = list(nodes)
    for size in range(1, len(every)):
        yield from map(frozenset, itertools.combinations(every, size))


@PAPER.claim("Fig. 1", "a range of six s and seven x, as squares (the picture is lost in the text)")
def figure_1(study: Study) -> Outcome:
    joint = example(study)
    parts = measures.overlap_partition(joint)
    s_of = {x: sorted(s) for s, xs in parts for x in xs}
    choices = [[c for k in range(1, len(s_of[x]) + 1) for c in itertools.combinations(s_of[x], k)] for x in joint.x]
    fitting = []
    for chosen in itertools.product(*choices):
        tried = joint_of(dict(zip(joint.x, chosen, strict=True)))
        sizes = {x: len(seen) for x, seen in ranges_of(tried).items()}
        poorest = {x for x, size in sizes.items() if size == min(sizes.values())}
        if frozenset(measures.overlap_partition(tried)) == frozenset(parts) and poorest == {
            f"x{i}" for i in range(2, 8)
        }:
            fitting.append(tried)
    return matches(
        f"Examples 1 and 2 leave {len(fitting)} ranges, alike but for the names of s1 and s2: {shown(joint)}",
        len(fitting) == 2 and joint in fitting,
    )


@PAPER.claim(
    "Lemma 2", "decompositions of G_X are overlap isolated partitions, the finest the overlap partition: I* = log |P*|"
)
def lemma_2(study: Study) -> Outcome:
    every, holds, decompositions = supports(study), True, 0
    for joint in every:
        finest, _ = searched(graph_of(joint))
        seen, reach = ranges_of(joint), connected_to(joint)
        for groups in partitions(finest):
            images = [frozenset().union(*(seen[x] for part in group for x in part)) for group in groups]
            holds &= sum(map(len, images)) == joint.n_s and all(reach[s] <= image for image in images for s in image)
            decompositions += 1
        expected = {(s, x) for s, x in measures.overlap_partition(joint)}
        holds &= expected == {(frozenset().union(*(seen[x] for x in part)), part) for part in finest}
        holds &= close(measures.maximin_information(joint), math.log2(len(finest)))
    return matches(
        f"holds for {decompositions} decompositions of {len(every)} supports (VIII, in short, has the number of subgraphs "
        "for its logarithm)",
        holds,
    )


@PAPER.claim("IV", "G_X is Shannon's adjacency matrix: x and x' are joined iff some s has p(s,x) and p(s,x') above 0")
def adjacency(study: Study) -> Outcome:
    every, holds = weighted(study), True
    for joint in every:
        overlap = (joint.pmf.T @ joint.pmf).toarray() > 0
        graph = graph_of(joint)
        holds &= all(
            bool(overlap[i, k]) == (y in graph[x])
            for i, x in enumerate(joint.x)
            for k, y in enumerate(joint.x)
            if i != k
        )
    return matches(f"the same edges on {len(every)} pmfs", holds)


@PAPER.claim(
    "IV", "G_X is decomposable iff its min-cut is 0; all smallest min-cut solutions are then the finest decomposition"
)
def smallest_cuts(study: Study) -> Outcome:
    every = [joint for joint in supports(study) if joint.n_x > 1]
    holds, apart = True, 0
    for joint in every:
        graph = graph_of(joint)
        finest, _ = searched(graph)
        least, attaining = least_cuts(graph)
        holds &= (least == 0) == (len(finest) > 1)
        if least == 0:
            apart += 1
            holds &= {part for part in attaining if not any(other < part for other in attaining)} == set(finest)
    return matches(f"holds on {len(every)} supports, {apart} of them decomposable", holds)


@PAPER.claim(
    "IV, footnote 8",
    "in any G_X the sets that attain the min-cut, with ∅ and [[X]], are closed under union and intersection",
)
def lattice(study: Study) -> Outcome:
    def is_lattice(joint: Joint) -> bool:
        _, attaining = least_cuts(graph_of(joint))
        closed = attaining | {frozenset(), frozenset(joint.x)}
        return all(a & b in closed and a | b in closed for a, b in itertools.combinations(closed, 2))

    every = sorted((joint for joint in supports(study) if joint.n_x > 1), key=lambda joint: (joint.n_x, joint.n_s))
    broken = first(every, lambda joint: not is_lattice(joint))
    apart = [joint for joint in every if measures.maximin_information(joint) > 0]
    least, attaining = least_cuts(graph_of(broken))
    one, other = (frozenset([x]) for x in broken.x[:2])
    return refuted(
        f"{shown(broken)}, a path from x1 over x3 to x2: the min-cut is {least}, {{1}} and {{2}} attain it and {{1,2}} "
        "does not; fewest letters of all up to 3 s and 4 x. It holds where the min-cut is 0, the case that is used "
        f"({len(apart)} supports)",
        counterexample={one, other} <= attaining
        and one | other not in attaining
        and all(is_lattice(joint) for joint in apart),
    )


@PAPER.claim("IV", "P* = ∩ argmin κ, the intersection of all min-cut solutions")
def intersection(study: Study) -> Outcome:
    joint = example(study)
    _, attaining = least_cuts(graph_of(joint))
    everything = frozenset(joint.x).intersection(*attaining)
    minimal = frozenset(part for part in attaining if not any(other < part for other in attaining))
    expected = frozenset(x for _, x in measures.overlap_partition(joint))
    return misprint(
        f"in Example 1 the {len(attaining)} min-cut solutions have nothing in common; the smallest of them are P*, as the "
        "sentence before it says",
        printed=everything == expected,
        corrected=not everything and minimal == expected,
    )


@PAPER.claim("Fig. 2", "min-cut 0; P* = {12}{34}{5}{6}{7}; I* = log 5")
def figure_2(study: Study) -> Outcome:
    joint = example(study)
    finest, _ = searched(graph_of(joint))
    least, _ = least_cuts(graph_of(joint))
    star = measures.maximin_information(joint)
    return matches(
        f"min-cut {least}, P* = {written(map(sorted, finest))}, I* = {star:.4f} = log 5",
        least == 0,
        same(finest, "12 34 5 6 7"),
        close(star, math.log2(5)),
    )


@PAPER.claim("IV", "|P*| searches of O(|X| + |E|) each, so O(|X|² + |X||E|) at most")
def search_effort(study: Study) -> Outcome:
    every, holds = supports(study), True
    for joint in every:
        graph = graph_of(joint)
        edges = sum(map(len, graph.values())) // 2
        finest, looked = searched(graph)
        holds &= looked == joint.n_x + 2 * edges and looked <= 2 * len(finest) * (joint.n_x + edges)
    return matches(
        f"all searches together look at |X| nodes and 2|E| ends, once, on all {len(every)} supports: O(|X| + |E|), well "
        "below",
        holds,
    )


@PAPER.claim("IV", "of the algorithms for network strength the quickest takes O(|X|) max-flows")
def network_strength(_: Study) -> Outcome:
    return not_checkable("a statement about algorithms of [27], [31] and [32], which the paper neither states nor uses")


@PAPER.claim("IV", "the Laplacian of the confusability graph gives P*")
def laplacian(study: Study) -> Outcome:
    every, holds = supports(study), True
    for joint in every:
        joined = (joint.support.T @ joint.support).toarray() > 0
        np.fill_diagonal(joined, False)
        degrees = np.diag(joined.sum(axis=0))
        null = int(np.sum(np.linalg.eigvalsh(degrees - joined.astype(float)) < 1e-9))
        holds &= close(measures.maximin_information(joint), math.log2(null))
    return matches(f"its eigenvalue 0 has multiplicity 2^I* on all {len(every)} supports", holds)


@PAPER.claim("footnote 9", "network strength above 0: G_X is connected and I*(S;X) = 0")
def connected_graph(study: Study) -> Outcome:
    every = supports(study)
    strong = [joint for joint in every if strength(graph_of(joint)) > 0]
    joined = [joint for joint in every if len(searched(graph_of(joint))[0]) == 1]
    return matches(
        f"on {len(strong)} of {len(every)} supports, and on no other is G_X connected (the text has I(S;X) = 0, perhaps "
        "with the star lost)",
        strong == joined and all(measures.maximin_information(joint) == 0 for joint in strong),
    )


def strength(graph: Graph) -> float:
    """Cunningham's network strength: the least number of edges removed for every part that this adds."""
    rates = [
        sum(cut(graph, frozenset(part)) for part in parts) / 2 / (len(parts) - 1)
        for parts in partitions(list(graph))
        if len(parts) > 1
    ]
    return min(rates, default=math.inf)


@PAPER.claim("Example 1", "the overlap partition is {s1,s2}{s3}{s4}{s5}{s6}; I* = log 5")
def example_1(study: Study) -> Outcome:
    joint = example(study)
    parts = [s for s, _ in measures.overlap_partition(joint)]
    expected = sets([["s1", "s2"], ["s3"], ["s4"], ["s5"], ["s6"]])
    return matches(
        f"{written(map(sorted, parts))} of s, I* = {measures.maximin_information(joint):.4f}; L0 = "
        f"{measures.worst_case_leakage(joint):.4f}",
        sets(parts) == expected,
        close(measures.maximin_information(joint), math.log2(5)),
        len(RANGES) == joint.n_x == 7 and joint.n_s == 6,
    )


@PAPER.claim(
    "Example 1",
    "the min-cut solutions are the unions of members of P*, all of [[X]] excepted; {1234} and {567} are two",
)
def unions(study: Study) -> Outcome:
    joint = example(study)
    _, attaining = least_cuts(graph_of(joint))
    parts = [x for _, x in measures.overlap_partition(joint)]
    some = {frozenset().union(*chosen) for n in range(1, len(parts)) for chosen in itertools.combinations(parts, n)}
    return matches(
        f"{len(attaining)} sets cut no edge, the unions of one to {len(parts) - 1} of the {len(parts)} members (the union of "
        "none, ∅, is not meant)",
        attaining == some,
        sets(blocks("1234 567")) <= attaining,
    )
