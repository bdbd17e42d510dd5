"""III-A: partitions, and Algorithm 1 as it is printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.joint import Joint
from discreet.merging.funnel.dendrogram import dendrogram
from discreet.merging.funnel.iac_mdsf import iac_mdsf
from discreet.merging.funnel.steps import best_merge
from discreet.merging.funnel.theorem import Merges
from discreet.merging.funnel.weights import information
from discreet.merging.letters import FloatArray, IntArray, Problem
from discreet.papers.claims import Outcome, Study, matches, misprint, refuted
from discreet.papers.pf.families import (
    MULTIPLIERS,
    SLACK,
    Table,
    by_size,
    informations,
    set_functions,
    shown,
    subsets,
    tables,
    weights,
)
from discreet.papers.pf.paper import PAPER
from discreet.papers.pf.procedure import PROBLEMS
from discreet.papers.pf.s1_problem import smallest_missed


@PAPER.claim("III-A", "p = (.2, .3, .1, .4) merged by {{1,4},{2,3}} gives p(14) = .6 and p(23) = .4")
def example(study: Study) -> Outcome:
    joint = Joint.from_array([[2, 3, 1, 4]], x=[1, 2, 3, 4]).coarsen([[1, 4], [2, 3]])
    p = dict(zip(joint.x, (joint.records / joint.total).tolist(), strict=True))
    return matches(f"{p[1, 4]:g} and {p[2, 3]:g}", p == {(1, 4): 0.6, (2, 3): 0.4})


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


def _information_between(merges: Merges) -> FloatArray:
    """I(X̂;X̂_W) = Σ p(x̂) log2 1/p(x̂_W(x̂)) of every set, from the definition."""
    p = merges.weights.of_letter / merges.weights.total
    every = subsets(merges.n)
    of_block = np.where(every, (every * p).sum(axis=1, keepdims=True), p)
    return np.asarray(-(p * np.log2(of_block)).sum(axis=1))


@PAPER.claim(
    "Alg 1, lines 4 and 7",
    "X̂⁽ᵏ⁺¹⁾ := (X̂⁽ᵏ⁾ \\ W*) ∪ {Ŵ*}, and only then is |W*| ≤ 1 tested; nothing merged leaves X̂ = X",
)
def empty_merge(study: Study) -> Outcome:
    alphabet: set[frozenset[int]] = {frozenset({letter}) for letter in range(3)}
    merged: set[frozenset[int]] = set()  # W* = ∅, as for every λ ≥ 1
    printed = (alphabet - merged) | {frozenset(letter for block in merged for letter in block)}
    tested_first = alphabet if len(merged) <= 1 else printed
    return misprint(
        f"W* = ∅ on 3 letters leaves {len(printed)}, one of them the empty block of probability 0; the test "
        f"belongs before line 4, "
        f"and then {len(tested_first)} are left",
        printed=printed == alphabet,
        corrected=tested_first == alphabet,
    )


@PAPER.claim(
    "Alg 1", "each iteration lowers the Lagrangian, and the algorithm ends where no merge lowers it, or at one block"
)
def algorithm_descends(study: Study) -> Outcome:
    runs = ends = 0
    falls = True
    for table in tables():
        for problem in PROBLEMS:
            for multiplier in MULTIPLIERS:
                path = iac_mdsf(weights(table), multiplier, problem, "strong")
                last = Merges.of(weights(table).merged(path.partitions[-1]))
                falls &= bool((np.diff(path.objective) < 0).all()) and len(path) <= table.shape[1]
                ends += last.n == 1 or best_merge(last, multiplier, problem).value > -SLACK
                runs += 1
    return matches(
        f"with step 3 solved exactly: {runs} runs on {len(tables())} tables, both problems, λ in ¼, ½, ¾; all fall "
        f"at every merge and all end so",
        falls,
        ends == runs,
    )


@PAPER.claim("III-A", "an empty or single W* means that no merge lowers the objective")
def stops_only_where_nothing_helps(study: Study) -> Outcome:
    missed = smallest_missed("bottleneck")
    stuck = missed is not None and missed.member.sum() <= 1
    return refuted(
        "true of exact minimisers; the procedure that is run can end at ∅ where a merge helps, since a single "
        "block never changes "
        f"anything. Bottleneck, fewest records over tables with up to 3 letters and 3 values of S: {missed}",
        counterexample=missed is not None and stuck and missed.holds(),
    )


@dataclass(frozen=True, eq=False)
class Overtaken:
    """A table on which best subsets end above best pairs."""

    table: Table
    multiplier: float
    by_subsets: IntArray
    by_pairs: IntArray

    def objectives(self, problem: Problem) -> tuple[float, float]:
        """The Lagrangian where either ends, from the partitions."""
        sign = 1.0 if problem == "funnel" else -1.0
        reached = [information(weights(self.table), partition) for partition in (self.by_subsets, self.by_pairs)]
        one, other = (sign * (leakage - self.multiplier * utility) for leakage, utility in reached)
        return one, other


def smallest_overtaken(problem: Problem) -> Overtaken | None:
    """The table with fewest records on which exact best subsets end worse than best pairs on the same Lagrangian."""
    for table in by_size((2, 3, 4), (2,), 4):
        for multiplier in MULTIPLIERS:
            path = iac_mdsf(weights(table), multiplier, problem, "strong")
            found = Overtaken(table, multiplier, path.partitions[-1], _by_pairs(table, multiplier, problem))
            subsets_end, pairs_end = found.objectives(problem)
            if pairs_end < subsets_end - SLACK:
                return found
    return None


def _by_pairs(table: Table, multiplier: float, problem: Problem) -> IntArray:
    """Best pairs on the Lagrangian, as long as they lower it."""
    sign = 1.0 if problem == "funnel" else -1.0
    path = dendrogram(weights(table), multiplier, problem)
    rises = np.flatnonzero(np.diff(sign * (path.leakage - multiplier * path.utility)) > -SLACK)
    return path.partition(int(rises[0]) if len(rises) else len(path) - 1)


@PAPER.claim(
    "III-A", "pairs are merged in [4] and [6] only to avoid optimising over sets: all subsets are the better choice"
)
def subsets_against_pairs(study: Study) -> Outcome:
    found = {problem: smallest_overtaken(problem) for problem in PROBLEMS}
    funnel = found["funnel"]
    if funnel is None or found["bottleneck"] is None:
        return refuted("no counterexample found", counterexample=False)
    one, other = funnel.objectives("funnel")
    return refuted(
        f"a better step can end worse: counts {shown(funnel.table)}, λ = {funnel.multiplier:g} (fewest records, 2 "
        f"values of S): the best "
        f"subset is everything and ends at {one:g} bits, best pairs on the same Lagrangian end at {other:g}; and "
        f"so for the bottleneck "
        f"at λ = {found['bottleneck'].multiplier:g}",
        counterexample=all(
            each is not None and each.objectives(p)[1] < each.objectives(p)[0] for p, each in found.items()
        ),
    )
