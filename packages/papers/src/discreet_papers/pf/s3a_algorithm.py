"""III-A: partitions, and Algorithm 1 as it is printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet import Joint
from discreet.search import Problem
from discreet.search.information import Merges, Weights, dendrogram, information
from discreet_papers.arrays import Floats, Ints
from discreet_papers.claims import Outcome, Study, matches
from discreet_papers.pf.families import (
    MULTIPLIERS,
    SLACK,
    Table,
    best_merge,
    best_subsets,
    by_size,
    informations,
    set_functions,
    shown,
    subsets,
    tables,
    weights,
)
from discreet_papers.pf.paper import PAPER
from discreet_papers.pf.procedure import PROBLEMS
from discreet_papers.pf.s1_problem import smallest_missed


@PAPER.claim("III-A", "p = (.2, .3, .1, .4) merged by {{1,4},{2,3}} gives p(14) = .6 and p(23) = .4")
def example(study: Study) -> Outcome:
    joint = Joint.from_array([[2, 3, 1, 4]], x=[1, 2, 3, 4]).coarsen([[1, 4], [2, 3]])
    p = dict(zip(joint.x, (joint.records / joint.total).tolist(), strict=True))
    return matches(f"p(14) = {p[1, 4]:g} and p(23) = {p[2, 3]:g}", p == {(1, 4): 0.6, (2, 3): 0.4})


@PAPER.claim("III-A (3)", "I(X̂⁽ᵏ⁾;X̂_W) stands for the Lagrangian's I(X;X̂_W)")
def utility_of_a_step(study: Study) -> Outcome:
    family = study.once(set_functions)
    worst = 0.0
    for functions, after in zip(family, study.once(informations), strict=True):
        worst = max(worst, float(np.abs(after[:, 1] - _information_between(functions.merges)).max()))
    return matches(
        f"both are H(X̂_W), as X̂_W is a function of X̂⁽ᵏ⁾ and that of X: equal within {worst:.0e} bits for every "
        f"set on {len(family)} tables",
        worst < SLACK,
    )


def _information_between(merges: Merges) -> Floats:
    """I(X̂;X̂_W) = Σ p(x̂) log2 1/p(x̂_W(x̂)) of every set, from the definition."""
    p = merges.weights.of_letter / merges.weights.total
    every = subsets(merges.n)
    of_block = np.where(every, (every * p).sum(axis=1, keepdims=True), p)
    return np.asarray(-(p * np.log2(of_block)).sum(axis=1))


def objective(counted: Weights, partition: Ints, multiplier: float, problem: Problem) -> float:
    """I(S;X̂) − λ I(X;X̂) of a partition in bits, its negative for the bottleneck: what Algorithm 1 lowers."""
    leakage, utility = information(counted, partition)
    return (1 if problem == "funnel" else -1) * (leakage - multiplier * utility)


@PAPER.claim(
    "Alg 1, III-A",
    "each iteration lowers the Lagrangian, and it ends at one block or, with |W*| ≤ 1, where no merge lowers it",
)
def algorithm_descends(study: Study) -> Outcome:
    runs = ends = 0
    falls = True
    for counted in map(weights, tables()):
        for problem in PROBLEMS:
            for multiplier in MULTIPLIERS:
                path = best_subsets(counted, multiplier, problem)
                last = counted.merged(path[-1])
                objectives = [objective(counted, partition, multiplier, problem) for partition in path]
                falls &= bool((np.diff(objectives) < 0).all()) and len(path) <= counted.n
                ends += last.n == 1 or best_merge(last, multiplier, problem)[1] > -SLACK
                runs += 1
    missed = smallest_missed("bottleneck")
    stuck = missed is not None and missed.member.sum() <= 1
    return matches(
        f"with W* the minimiser, as printed: {runs} runs on {len(tables())} tables, both problems, λ in ¼, ½, ¾. "
        "The toolbox that was run can end at ∅ where a merge helps, since a single block never changes anything; "
        f"bottleneck, fewest records: {missed}. W* = ∅ must leave X̂ as it is; line 4 would add an empty block",
        falls,
        ends == runs,
        missed is not None and stuck and missed.holds(),
    )


@dataclass(frozen=True, eq=False)
class Overtaken:
    """A table on which best subsets end above best pairs."""

    table: Table
    multiplier: float
    by_subsets: Ints
    by_pairs: Ints

    def objectives(self, problem: Problem) -> tuple[float, float]:
        """The Lagrangian where either ends, from the partitions."""
        one, other = (
            objective(weights(self.table), partition, self.multiplier, problem)
            for partition in (self.by_subsets, self.by_pairs)
        )
        return one, other


def smallest_overtaken(problem: Problem) -> Overtaken | None:
    """The table with fewest records on which exact best subsets end worse than best pairs on the same Lagrangian."""
    for table in by_size((2, 3, 4), (2,), 4):
        for multiplier in MULTIPLIERS:
            path = best_subsets(weights(table), multiplier, problem)
            found = Overtaken(table, multiplier, path[-1], _by_pairs(table, multiplier, problem))
            subsets_end, pairs_end = found.objectives(problem)
            if pairs_end < subsets_end - SLACK:
                return found
    return None


def _by_pairs(table: Table, multiplier: float, problem: Problem) -> Ints:
    """Best pairs on the Lagrangian, as long as they lower it."""
    sign = 1.0 if problem == "funnel" else -1.0
    path = dendrogram(weights(table), multiplier, problem)
    rises = np.flatnonzero(np.diff(sign * (path.leakage - multiplier * path.utility)) > -SLACK)
    return path.partition(int(rises[0]) if len(rises) else len(path) - 1)


@PAPER.claim(
    "III-A", "pairs are merged in [4] and [6] to avoid optimising over sets; Algorithm 1 searches W* among all subsets"
)
def subsets_against_pairs(study: Study) -> Outcome:
    helped = better = 0
    for functions in study.once(set_functions):
        two = subsets(functions.n).sum(axis=1) == 2
        for multiplier in MULTIPLIERS:
            changes = functions.changes(multiplier)
            if changes.min() < -SLACK:
                helped += 1
                better += bool(changes.min() < changes[two].min() - SLACK)
    found = {problem: smallest_overtaken(problem) for problem in PROBLEMS}
    funnel, bottleneck = found["funnel"], found["bottleneck"]
    if funnel is None or bottleneck is None:
        return matches("no table was found on which pairs end lower", False)
    one, other = funnel.objectives("funnel")
    return matches(
        f"in {better} of {helped} steps on small tables the best subset lowers the funnel's Lagrangian more than "
        f"the best pair. A better step can still end worse: counts {shown(funnel.table)}, λ = "
        f"{funnel.multiplier:g} (fewest records, 2 values of S): the best subset is everything and ends at "
        f"{one:g} bits, best pairs on the same Lagrangian end at {other:g}; and so for the bottleneck at λ = "
        f"{bottleneck.multiplier:g}",
        better > 0,
        all(each is not None and each.objectives(p)[1] < each.objectives(p)[0] - SLACK for p, each in found.items()),
    )
