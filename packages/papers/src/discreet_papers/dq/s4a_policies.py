"""IV: piecewise constant policies, Theorems IV.1 to IV.3 and Corollary IV.1."""

from __future__ import annotations

import itertools
import math
from typing import Literal

import numpy as np

from discreet.measures import maximin_information
from discreet.queries import Box, FiniteSet, Function, Sum, quantise
from discreet_papers.arrays import partitions_of
from discreet_papers.claims import Outcome, Study, matches, misprint
from discreet_papers.dq.families import SLACK, Floats, graph, mean_of_two, smallest, spread
from discreet_papers.dq.paper import PAPER

Bins = Literal["uniform", "least-leakage"]


@PAPER.claim("IV; Thm IV.3, proof", "on a general domain a piecewise constant g has g(x) = b_i if b_i ∈ X_i")
def piecewise_constant(study: Study) -> Outcome:
    quantised = quantise(Sum(), Box([0.0], [1.0]), error=0.25)
    edges, answers = quantised.edges, quantised.answers
    x = 0.1
    printed = [b for i, b in enumerate(answers) if edges[i] <= b <= edges[i + 1]]
    meant = [b for i, b in enumerate(answers) if edges[i] <= x < edges[i + 1]]
    return misprint(
        f"if x ∈ X_i is meant: with [0, 1] cut in two every b_i lies in its own cell, and as printed x = {x:g} "
        f"has {len(printed)} values",
        printed=printed == [quantised.answer([x])],
        corrected=meant == [quantised.answer([x])],
    )


@PAPER.claim("IV", "piecewise constant functions are dense in L^p for p in [1, ∞)")
def dense(study: Study) -> Outcome:
    from scipy.optimize import isotonic_regression

    steps, exponents = (4, 16, 64), (1, 2, 4)
    y = (np.arange(6400) + 0.5) / 6400
    curves = (1 - y, np.sin(6 * y), np.where(y < 0.3, y, 1 - y**2))

    def distance(curve: Floats, q: int, p: int) -> float:
        means = curve.reshape(q, -1).mean(axis=1)
        return float((np.abs(curve - np.repeat(means, len(y) // q)) ** p).mean() ** (1 / p))

    far = {p: [max(distance(curve, q, p) for curve in curves) for q in steps] for p in exponents}
    ordered = float(np.sqrt(((curves[0] - isotonic_regression(curves[0]).x) ** 2).mean()))
    return matches(
        f"three functions on [0, 1], one of them with a jump, by their means on {steps} cells: distances fall to "
        f"{', '.join(f'{far[p][-1]:.3f}' for p in exponents)} for p = 1, 2, 4. That is the general definition; on "
        "the line the paper also asks b_1 ≤ b_2 ≤ …, and no rising function comes nearer to 1 − y than "
        f"{ordered:.3f} for p = 2",
        all(np.diff(far[p]).max() < 0 and far[p][-1] < far[p][0] / 2 for p in exponents),
        abs(ordered - 1 / math.sqrt(12)) < 1e-6,
    )


@PAPER.claim("Thm IV.1", "over piecewise differentiable functions the best policy for I* is piecewise constant")
def solution_class(study: Study) -> Outcome:
    grids = (16, 64, 256)
    moving = [maximin_information(graph([x if x < m // 8 else m for x in range(m)])) for m in grids]
    stepped = [maximin_information(graph([4 * x // m for x in range(m)])) for m in grids]
    return matches(
        f"a policy that varies on an eighth of [0, 1] has I* = {', '.join(f'{bits:.2f}' for bits in moving)} bits "
        f"on grids of {grids} points, without bound; four steps have 2. It takes a bounded range: on the whole "
        "line every feasible policy has I* = ∞, constant by pieces or not",
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
        quantised = quantise(Sum(), Box([0.0], [length]), error=1 / gamma)
        q = len(quantised.answers)
        holds &= q == math.ceil(range_16 * gamma_8 / 256)
        holds &= quantised.worst_error <= 1 / gamma + SLACK and (q - 1) * 2 / gamma < length
        cases += 1
    return matches(
        f"{cases} ranges and γ: so many bins keep the error, and one bin less spans too little. (The proof's \"smallest "
        'integer that is larger" than γ(y_hi − y_lo)/2 is ⌈·⌉: larger or equal)',
        holds,
    )


@PAPER.claim("Thm IV.2, proof; Thm IV.3, proof", "I* = q")
def maximin_of_a_quantiser(study: Study) -> Outcome:
    quantised = study.once(mean_of_two)
    values = np.linspace(-2, 2, 257)
    cells = np.clip(np.searchsorted(quantised.edges, values, side="right") - 1, 0, 3)
    bits = maximin_information(graph(cells.tolist()))
    return misprint(
        f"I* = log q by (9): {bits:g} bits for the four answers of Ex IV.1, on a grid of 257 values. The "
        "minimiser is the same",
        printed=bits == len(quantised.answers),
        corrected=bits == quantised.maximin == math.log2(len(quantised.answers)),
    )


def _value(values: Floats) -> Function:
    """The query that tells the value of one person whose data are the numbers of `values`."""
    return Function(lambda x: values[x[..., 0].astype(np.int64)], float(values.min()), float(values.max()))


def _leakage(values: Floats, error: float, bins: Bins) -> float:
    """L0, in bits, of quantising the query `values` of one person."""
    return quantise(_value(values), FiniteSet([list(range(len(values)))]), error=error, bins=bins).leakage


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
    halves = quantise(Sum(), Box([0.0], [1.0]), error=0.3, bins="least-leakage")
    overlapping = min(0.6 - 0.0, 1.0 - 0.4)  # [0, .6] and [.4, 1], each within .3 of its centre
    return matches(
        f"all partitions of 5 values out of 0 to 7, 3 errors: our cells reach the optimum of (16) in all {cases} "
        "cases. (16b) does not repeat that the X_i are disjoint, and must: on [0, 1] with error .3 sets that "
        f"overlap have {overlapping:g} each, cells at most {2.0**-halves.leakage:g}",
        worst < SLACK,
        2.0**-halves.leakage < overlapping - SLACK and abs(halves.leakage - halves.leakage_bound) < SLACK,
    )


@PAPER.claim("(17b)", "for I* the policy is the argmax of q")
def fewest(study: Study) -> Outcome:
    values = np.arange(8.0)
    cells = [len(set(each)) for each in partitions_of(8) if spread(values, each) <= 0.5]
    ours = len(quantise(Sum(), FiniteSet([values.tolist()]), error=0.5).answers)
    return misprint(
        f"argmin is meant, as in (18): of the partitions of 0 to 7 with error ½ the argmax has {max(cells)} cells "
        f"and tells everything; the argmin has {min(cells)}, the uniform quantiser's",
        printed=max(cells) == ours,
        corrected=min(cells) == ours,
    )


@PAPER.claim(
    "IV, after Thm IV.3",
    "for [[X]] ⊆ R the results of Thms IV.3 and IV.2 are equal: nothing is lost by quantising f(x) instead of designing f̃(x)",
)
def quantise_after(study: Study) -> Outcome:
    values, errors = np.array([0.0, 1, 1, 2]), (0.5, 1.0)
    fewest = {
        error: min(len(set(each)) for each in partitions_of(4) if spread(values, each) <= error + SLACK)
        for error in errors
    }
    after = {error: len(quantise(_value(values), FiniteSet([list(range(4))]), error=error).answers) for error in errors}
    query = Function(lambda x: x[..., 0] ** 2, 0.0, 1.0, lipschitz=2.0)
    uniform, best = (
        quantise(query, Box([0.0], [1.0]), error=0.375, bins=bins) for bins in ("uniform", "least-leakage")
    )
    together = max((each for each in partitions_of(4) if spread(values, each) <= 0.5), key=smallest)
    apart = math.log2(4 / _every_function_of(values, 0.5))
    return matches(
        "for I*, the measure of Thm IV.2 (see Cor IV.1). Not for L0: f(x) = x² on [0, 1] with error ⅜ leaks "
        f"{uniform.leakage:.3f} bits by uniform cells and {best.leakage:.3f} by cells cut at {best.edges[1]:g}; "
        f"and 4 letters with f = (0, 1, 1, 2) and error ½ leak {apart:g} bits by any function of f, but "
        f"{math.log2(4 / smallest(together)):g} by {_cells(together)}, which answers equal values differently",
        fewest == after,
        best.leakage < uniform.leakage - 0.5 and best.worst_error <= 0.375 + SLACK,
        len(best.answers) == len(uniform.answers),
        apart == 2 and smallest(together) == 2,
    )


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
            after = len(quantise(_value(values), FiniteSet([list(range(5))]), error=error).answers)
            equal, cases = equal + (every == after), cases + 1
    return matches(
        f"the fewest cells are those of f's values, in {equal} of {cases} functions and errors on 5 letters, over "
        "all partitions. Connected level sets are not needed: a cell spans at most 2/γ whatever its shape, and "
        "(13a) is an equality",
        equal == cases,
    )
