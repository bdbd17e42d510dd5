"""III: measures of privacy and quality, and the relaxed problem."""

from __future__ import annotations

import math

import numpy as np

from discreet import Joint
from discreet.measures import least_uncertainty, maximin_information, worst_case_leakage
from discreet.queries import regions
from discreet_papers.claims import Outcome, Study, matches, misprint
from discreet_papers.dq.families import SLACK, chains, functions, graph, mean_of_two, privacy, quadratic
from discreet_papers.dq.paper import PAPER


@PAPER.claim("Thm III.1", "post-processing never lowers the privacy: P_i(g∘f) ≥ P_i(f), i = 1, 2")
def post_processing(study: Study) -> Outcome:
    worst, cases = -math.inf, 0
    for f, gf in chains(5):
        for measure in (worst_case_leakage, maximin_information):
            worst = max(worst, measure(graph(gf)) - measure(graph(f)))
        cases += 1
    return matches(f"holds for all {cases} pairs of f on 5 letters and g: neither L0 nor I* rises", worst < SLACK)


@PAPER.claim("Thm III.1, proof", "d0(Z|X) = ess inf over z of μ([[X|z]])")
def proof_of_post_processing(study: Study) -> Outcome:
    printed = meant = cases = 0
    for f in functions(4):
        joint = graph(f)
        least = min(np.unique(f, return_counts=True)[1])
        printed += abs(least_uncertainty(Joint.from_array(joint.support.toarray().T.astype(bool))) - least) < SLACK
        meant += abs(least_uncertainty(joint) - math.log2(least)) < SLACK
        cases += 1
    return misprint(
        "d0(X|Z) = inf over z of log μ([[X|z]]) is meant, by (5): X and Z are exchanged, and the logarithm is "
        f"missing in each line. On the functions of 4 letters the correction holds for {meant} of {cases}, the "
        f"print for {printed}",
        printed=printed == cases,
        corrected=meant == cases,
    )


@PAPER.claim("III", "privacy is best where X and f(X) are unrelated, making P_i(f) = 0")
def unrelated(study: Study) -> Outcome:
    found = {
        f: [privacy(measure(graph(f))) for measure in (worst_case_leakage, maximin_information)] for f in functions(4)
    }
    constant = found[0, 0, 0, 0]
    others = max(max(each) for f, each in found.items() if len(set(f)) > 1)
    return misprint(
        "nothing leaks there, so P_i = 1/0 is infinite, which is why it is the best: of the functions of 4 "
        f"letters the constant one has P = {constant[0]:g}, the others at most {others:g}",
        printed=constant == [0, 0],
        corrected=constant == [math.inf, math.inf] and others < math.inf,
    )


@PAPER.claim("Prop III.1, proof", "I*(X;Z) ≤ min(I*(X;Y), I*(Z;Y)) for Y = f(X), Z = g(Y)")
def data_processing(study: Study) -> Outcome:
    worst, cases = -math.inf, 0
    for f, gf in chains(5):
        through = maximin_information(_between(f, gf))
        worst = max(worst, maximin_information(graph(gf)) - min(maximin_information(graph(f)), through))
        cases += 1
    return matches(f"holds for all {cases} pairs of f on 5 letters and g", worst < SLACK)


def _between(f: tuple[int, ...], gf: tuple[int, ...]) -> Joint:
    """The joint range of f(X) and g(f(X))."""
    return Joint.from_pairs(list(zip(f, gf, strict=True)))


@PAPER.claim("Prop III.1 (13a)", "I*(X;g(f(X))) ≤ I*(f(X);g(f(X))), so that (14) relaxes (12)")
def relaxation(study: Study) -> Outcome:
    apart = [maximin_information(graph(gf)) - maximin_information(_between(f, gf)) for f, gf in chains(5)]
    return matches(
        f"holds with equality for all {len(apart)} pairs of f on 5 letters and g: both are the log of the number "
        "of answers, so (14) is (12) and no relaxation",
        max(abs(each) for each in apart) < SLACK,
    )


@PAPER.claim("Prop III.1 (13b)", "the quality of g∘f is that of g on [[Y]]: Q = 1/ess sup over y of |y − g(y)|")
def quality(study: Study) -> Outcome:
    over_x, over_y = [], []
    for query in (mean_of_two, quadratic):
        quantised = study.once(query)
        found = regions(quantised, 401)
        over_x.append(float(np.abs(found.value - found.answers[found.cell]).max()))
        y = np.linspace(quantised.edges[0], quantised.edges[-1], 4801)
        cell = np.searchsorted(quantised.edges[1:-1], y, side="right")
        over_y.append(float(np.abs(y - quantised.answers[cell]).max()))
    return matches(
        "with suprema, see (2): the largest error over x is that over y for the mean and for x1² + 2 x2² on the "
        f"square, {over_x[0]:g} and {over_x[1]:g}",
        max(abs(one - other) for one, other in zip(over_x, over_y, strict=True)) < SLACK,
    )


@PAPER.claim(
    "III", "such a relaxation is not possible for L0, for which data processing does not hold in both directions"
)
def no_relaxation_of_leakage(study: Study) -> Outcome:
    for n in range(1, 5):
        for f, gf in chains(n):
            one, other = worst_case_leakage(graph(gf)), worst_case_leakage(_between(f, gf))
            if one > other + SLACK:
                return matches(
                    f"{n} letters are enough: f = {f}, g∘f = {gf} have L0(X;Z) = {one:.3f} > L0(Y;Z) = {other:.3f} bits",
                    n == 3,
                )
    return matches("no example found", False)
