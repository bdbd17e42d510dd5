"""IV: piecewise constant policies, Theorems IV.1 to IV.3 and Corollary IV.1."""

from __future__ import annotations

import itertools
import math
from typing import Literal

import numpy as np

from discreet.measures import maximin_information
from discreet.merging.funnel.engines import partitions_of
from discreet.papers.claims import Outcome, Study, matches, misprint, refuted
from discreet.papers.dq.families import (
    SLACK,
    Floats,
    Pieces,
    ess_sup,
    graph,
    mean_of_two,
    smallest,
    spread,
    sup,
)
from discreet.papers.dq.paper import PAPER
from discreet.queries import Box, FiniteSet, Function, Sum, quantise

Bins = Literal["uniform", "least-leakage"]


@PAPER.claim("IV", "on a general domain a piecewise constant g has g(x) = b_i if b_i ∈ X_i")
def piecewise_constant(study: Study) -> Outcome:
    quantised = quantise(Sum(), Box([0.0], [1.0]), error=0.25)
    edges, answers = quantised.edges, quantised.answers
    x = 0.1
    printed = [b for i, b in enumerate(answers) if edges[i] <= b <= edges[i + 1]]
    meant = [b for i, b in enumerate(answers) if edges[i] <= x < edges[i + 1]]
    return misprint(
        f"x ∈ X_i is meant (also in the proof of Thm IV.3): with two cells of [0, 1] every b_i lies in its own "
        f"cell, and x = 0.1 would have {len(printed)} values",
        printed=printed == [quantised.answer([x])],
        corrected=meant == [quantised.answer([x])],
    )


@PAPER.claim("IV", "piecewise constant functions, with b_1 ≤ b_2 ≤ … on the line, are dense in L^p")
def dense(study: Study) -> Outcome:
    from scipy.optimize import isotonic_regression

    steps = (4, 16, 64)
    free, ordered = [], []
    for q in steps:
        means = (
            1 - (np.arange(q) + 0.5) / q
        )  # of 1 − y on q equal cells, where the best step function has its cells' means
        inside = 1 / (12 * q**2)
        free.append(math.sqrt(inside))
        ordered.append(math.sqrt(inside + float(((means - isotonic_regression(means).x) ** 2).mean())))
    return misprint(
        f"without the order: the L² distance of 1 − y on [0, 1] is {', '.join(f'{d:.4f}' for d in free)} for "
        f"{steps} cells. With it no q comes nearer than "
        f"{ordered[-1]:.4f} = 1/√12, the distance of a constant",
        printed=ordered[-1] < ordered[0] / 2,
        corrected=all(abs(d * q - 1 / math.sqrt(12)) < SLACK for d, q in zip(free, steps, strict=True)),
    )


@PAPER.claim("Thm IV.1", "over piecewise differentiable functions the best policy for I* is piecewise constant")
def solution_class(study: Study) -> Outcome:
    grids = (16, 64, 256)
    moving = [maximin_information(graph([x if x < m // 8 else m for x in range(m)])) for m in grids]
    stepped = [maximin_information(graph([4 * x // m for x in range(m)])) for m in grids]
    return matches(
        f"a policy that varies on an eighth of [0, 1] has I* = {', '.join(f'{bits:.2f}' for bits in moving)} bits "
        f"on grids of {grids} points, without bound; four "
        "steps have 2. It takes a bounded range: on the whole line every feasible policy has I* = ∞, constant by "
        "pieces or not",
        all(abs(bits - math.log2(m // 8 + 1)) < SLACK for bits, m in zip(moving, grids, strict=True)),
        stepped == [2, 2, 2],
    )


@PAPER.claim(
    "Thm IV.2", "the solution of (14) on [[Y]] = [y_lo, y_hi] is a uniform quantiser with ⌈γ(y_hi − y_lo)/2⌉ bins"
)
def relaxed_policy(study: Study) -> Outcome:
    cases = 0
    holds = True
    for range_16, gamma_8 in itertools.product(range(1, 65, 3), range(1, 49, 3)):
        length, gamma = range_16 / 16, gamma_8 / 8
        quantised = quantise(Sum(), Box([0.0], [length]), 1 / gamma)
        q = len(quantised.answers)
        holds &= q == math.ceil(range_16 * gamma_8 / 256)
        holds &= quantised.worst_error <= 1 / gamma + SLACK and (q - 1) * 2 / gamma < length
        cases += 1
    return matches(f"{cases} ranges and γ: so many bins keep the error, and one bin less spans too little", holds)


@PAPER.claim("Thm IV.2, proof; Thm IV.3, proof", "I* = q")
def maximin_of_a_quantiser(study: Study) -> Outcome:
    quantised = study.once(mean_of_two)
    values = np.linspace(-2, 2, 257)
    cells = np.clip(np.searchsorted(quantised.edges, values, side="right") - 1, 0, 3)
    bits = maximin_information(graph(cells.tolist()))
    return misprint(
        f"I* = log q by (9): {bits:g} bits for the four answers of Ex IV.1, on a grid of 257 values. The minimiser "
        f"is the same",
        printed=bits == len(quantised.answers),
        corrected=bits == quantised.maximin == math.log2(len(quantised.answers)),
    )


@PAPER.claim("Thm IV.2, proof", "the bound on q is the smallest integer larger than γ(y_hi − y_lo)/2")
def smallest_integer(study: Study) -> Outcome:
    bound = 2 * 4 / 2
    q = len(study.once(mean_of_two).answers)
    return misprint(
        f"larger or equal: γ = 2 on [−2, 2] gives {bound:g}, and {q} bins do, not {math.floor(bound) + 1}",
        printed=q == math.floor(bound) + 1,
        corrected=q == math.ceil(bound),
    )


def _value(values: Floats) -> Function:
    """The query that tells the value of one person whose data are the numbers of `values`."""
    return Function(lambda x: values[x[..., 0].astype(np.int64)], float(values.min()), float(values.max()))


def _leakage(values: Floats, error: float, bins: Bins) -> float:
    """L0, in bits, of quantising the query `values` of one person."""
    return quantise(_value(values), FiniteSet([list(range(len(values)))]), error, bins).leakage


def _best_region(values: Floats, error: float) -> int:
    """(16): the letters of the smallest cell, at best, over all partitions whose cells span at most 2·error."""
    allowed = (each for each in partitions_of(len(values)) if spread(values, each) <= error + SLACK)
    return max(smallest(each) for each in allowed)


@PAPER.claim(
    "Thm IV.3 (16)",
    "the best policy for L0 maximises the smallest region under the error, with b_i the centre of f(X_i)",
)
def best_for_leakage(study: Study) -> Outcome:
    cases, worst = 0, 0.0
    for chosen in itertools.combinations(range(8), 5):
        values = np.array(chosen, float)
        for error in (0.5, 1.0, 1.5):
            best = math.log2(len(values) / _best_region(values, error))
            worst = max(worst, abs(best - _leakage(values, error, "least-leakage")))
            cases += 1
    return matches(
        f"all partitions of 5 values out of 0 to 7, 3 errors: our cells reach the optimum of (16) in all {cases} cases",
        worst < SLACK,
    )


@PAPER.claim("(16b), (17b)", "{X_i} need only cover [[X]]")
def covers(study: Study) -> Outcome:
    quantised = quantise(Sum(), Box([0.0], [1.0]), 0.3, "least-leakage")
    policy = 2.0**-quantised.leakage
    overlapping = min(0.6 - 0.0, 1.0 - 0.4)  # [0, .6] and [.4, 1], each within .3 of its centre
    return misprint(
        f"they must be disjoint, as in the proof: on [0, 1] with 1/γ = .3 two sets that overlap cover it with "
        f"{overlapping:g} each, more than any policy's "
        f"smallest region, {policy:g}",
        printed=overlapping <= policy + SLACK,
        corrected=abs(policy - 0.5) < SLACK and abs(quantised.leakage - quantised.leakage_bound) < SLACK,
    )


@PAPER.claim("(17b)", "for I* the policy is the argmax of q")
def fewest(study: Study) -> Outcome:
    values = np.arange(8.0)
    cells = [len(set(each)) for each in partitions_of(8) if spread(values, each) <= 0.5]
    ours = len(quantise(Sum(), FiniteSet([values.tolist()]), 0.5).answers)
    return misprint(
        f"argmin is meant, as in (18): of the partitions of 0 to 7 with error ½ the argmax has {max(cells)} cells "
        f"and tells everything; the argmin has {min(cells)}, "
        "the uniform quantiser's",
        printed=max(cells) == ours,
        corrected=min(cells) == ours,
    )


@PAPER.claim("Thm IV.3, proof", "d0(X|f̃(X)) is an essential infimum over x")
def essential_infimum(study: Study) -> Outcome:
    # [0, 1] in two halves, and the point 1/2 by itself with its own answer.
    by_x: Pieces = [(0.5, -math.log2(0.5)), (0.5, -math.log2(0.5)), (0.0, math.inf)]  # −log μ(X_i), by the measure of x
    return misprint(
        f"(5) says infimum: two halves of [0, 1] with their middle told apart have d0 = {-sup(by_x):g}, the "
        f"essential infimum is {-ess_sup(by_x):g}. With the latter "
        "Prop V.1 would fail, whose data sets are a null set",
        printed=-ess_sup(by_x) == -math.inf,
        corrected=-sup(by_x) == -math.inf,
    )


@PAPER.claim("IV, after Thm IV.3", "for [[X]] ⊆ R the results of Thms IV.3 and IV.2 are equal")
def equal_results(study: Study) -> Outcome:
    query = Function(lambda x: x[..., 0] ** 2, 0.0, 1.0, lipschitz=2.0)
    uniform, best = (quantise(query, Box([0.0], [1.0]), 0.375, bins) for bins in ("uniform", "least-leakage"))
    return refuted(
        f"for I* they are; not for L0: f(x) = x² on [0, 1], 1/γ = ⅜: the uniform cells leak {uniform.leakage:.3f} "
        f"bits, cells cut at "
        f"{best.edges[1]:g} leak {best.leakage:.3f}",
        counterexample=best.leakage < uniform.leakage - 0.5
        and best.worst_error <= 0.375 + SLACK
        and len(best.answers) == len(uniform.answers),
    )


@PAPER.claim("IV, after Thm IV.3", "nothing is lost by quantising f(x) instead of designing f̃(x)")
def quantise_after(study: Study) -> Outcome:
    for n in range(1, 5):
        for chosen in itertools.combinations_with_replacement(range(n), n):
            values = np.array(chosen, float)
            best, after = math.log2(n / _best_region(values, 0.5)), _leakage(values, 0.5, "least-leakage")
            if best < after - SLACK:
                together = next(
                    each for each in partitions_of(n) if spread(values, each) <= 0.5 and smallest(each) == n / 2**best
                )
                return refuted(
                    f"for I* (Cor IV.1); not for L0: {n} letters, the fewest, with f = {chosen} and error ½: the "
                    f"best cells of f leak {after:g} bits, and "
                    f"{_cells(together)} leaks {best:g}, giving equal values of f different answers",
                    counterexample=_every_function_of(values, 0.5) == smallest(together) / 2 ** (after - best)
                    and n == 4,
                )
    return refuted("no counterexample found", counterexample=False)


def _every_function_of(values: Floats, error: float) -> int:
    """The letters of the smallest cell, at best, over partitions that are functions of the value."""
    allowed = (
        each
        for each in partitions_of(len(values))
        if spread(values, each) <= error + SLACK and all(len(set(each[values == value])) == 1 for value in values)
    )
    return max(smallest(each) for each in allowed)


def _cells(partition: np.ndarray) -> str:
    return "".join(
        "{" + ",".join(str(x + 1) for x in np.flatnonzero(partition == block)) + "}" for block in np.unique(partition)
    )


@PAPER.claim("Cor IV.1", "for I* and connected level sets the optimal policies of Thms IV.3 and IV.2 are equal")
def corollary(study: Study) -> Outcome:
    cases = equal = 0
    for chosen in itertools.combinations_with_replacement(range(4), 5):
        values = np.array(chosen, float)
        for error in (0.5, 1.0):
            every = min(len(set(each)) for each in partitions_of(5) if spread(values, each) <= error + SLACK)
            after = len(quantise(_value(values), FiniteSet([list(range(5))]), error).answers)
            equal, cases = equal + (every == after), cases + 1
    return matches(
        f"the fewest cells are those of f's values, in {equal} of {cases} functions and errors on 5 letters, over "
        f"all partitions. Connected level sets are not "
        "needed: a cell spans at most 2/γ whatever its shape, and (13a) is an equality",
        equal == cases,
    )
