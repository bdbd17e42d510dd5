"""III-B and III-C: Theorem 1, the ends of λ, local optima, and the bottleneck as the funnel turned round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.merging.funnel.difference import step_difference
from discreet.merging.funnel.engines import partitions_of
from discreet.merging.funnel.iac_mdsf import iac_mdsf
from discreet.merging.funnel.theorem import Merges
from discreet.merging.funnel.weights import information
from discreet.merging.letters import FloatArray
from discreet.papers.claims import Outcome, Study, matches, misprint, refuted
from discreet.papers.pf.families import (
    MULTIPLIERS,
    SLACK,
    SetFunctions,
    by_size,
    informations,
    named,
    set_functions,
    shown,
    tables,
    weights,
)
from discreet.papers.pf.paper import PAPER
from discreet.papers.pf.procedure import toolbox
from discreet.papers.pf.s1_problem import ORDERS, unsupported_outcome

BEYOND = (1.0, 1.5, 3.0)
"""Multipliers from 1 on."""


def least_slack(family: list[SetFunctions], of: Callable[[SetFunctions], FloatArray]) -> float:
    """min over sets A, B of v(A) + v(B) − v(A∪B) − v(A∩B); not negative where v is submodular."""
    least = np.inf
    for functions in family:
        value = of(functions)
        a = np.arange(len(value))
        slack = value[:, None] + value - value[a[:, None] | a] - value[a[:, None] & a]
        least = min(least, float(slack.min()))
    return least


def least_fall(family: list[SetFunctions], of: Callable[[SetFunctions], FloatArray]) -> tuple[float, float]:
    """The least v(smaller) − v(larger) and the greatest, over all sets one of which contains the other."""
    least, most = np.inf, -np.inf
    for functions in family:
        value = of(functions)
        a = np.arange(len(value))
        inside = (a[:, None] & a) == a[:, None]
        falls = (value[:, None] - value)[inside]
        least, most = min(least, float(falls.min())), max(most, float(falls.max()))
    return least, most


@PAPER.claim("Thm 1 (4)", "minimising I(S;X̂_W) − λ I(X̂;X̂_W) over W is minimising (1−λ) f(W) − g(W)")
def theorem_identity(study: Study) -> Outcome:
    family = study.once(set_functions)
    worst, sets = 0.0, 0
    for functions, after in zip(family, study.once(informations), strict=True):
        for multiplier in (0.0, *MULTIPLIERS, *BEYOND):
            apart = after[:, 0] - multiplier * after[:, 1] - functions.changes(multiplier)
            worst = max(worst, float(np.ptp(apart)))
        sets += len(after)
    return matches(
        f"they differ by a constant, within {worst:.0e} bits, over {sets:,} sets on {len(family)} tables and 7 λ "
        f"from 0 to 3",
        worst < SLACK,
    )


@PAPER.claim("Thm 1", "f and g are submodular")
def submodular(study: Study) -> Outcome:
    family = study.once(set_functions)
    least = {name: least_slack(family, of) for name, of in (("f", _f), ("g", _g))}
    return matches(
        f"no pair of sets on {len(family)} tables breaks it; least slack f {least['f']:.0e}, g {least['g']:.0e} bits",
        *(value > -SLACK for value in least.values()),
    )


@PAPER.claim("Thm 1", "f and g are nonincreasing: f(W) ≥ f(Y) and g(W) ≥ g(Y) for all Y ⊆ W")
def nonincreasing(study: Study) -> Outcome:
    family = study.once(set_functions)
    falls = [least_fall(family, of) for of in (_f, _g)]
    return misprint(
        f"W ⊆ Y is meant: for all nested sets on {len(family)} tables the smaller has the larger value; as printed "
        f"two fair letters give "
        f"f(W) = −1 < f(∅) = 0 for W = both",
        printed=all(most <= SLACK for _, most in falls) or _two_fair_letters() >= 0,
        corrected=all(least >= -SLACK for least, _ in falls),
    )


def _f(functions: SetFunctions) -> FloatArray:
    return functions.f


def _g(functions: SetFunctions) -> FloatArray:
    return functions.g


def _two_fair_letters() -> float:
    return Merges.of(weights(np.array([[1, 1]]))).f(np.ones(2, bool))


@PAPER.claim("III-B", "for λ ≥ 1 the minimiser of (5) is ∅ and Algorithm 1 returns X̂ = X, so λ in [0, 1] is enough")
def from_one_on(study: Study) -> Outcome:
    family = study.once(set_functions)
    empty = all(functions.changes(multiplier).min() > -SLACK for functions in family for multiplier in BEYOND)
    stays = all(len(iac_mdsf(weights(table), 1.0, "funnel")) == 1 for table in tables()[::8])
    single = {functions.n: 2 ** np.arange(functions.n) for functions in family}
    ties = 0
    for functions in family:
        other = np.delete(functions.changes(1.0), [0, *single[functions.n]])
        ties += bool((other < SLACK).any())
    return matches(
        f"∅ is a minimiser on all {len(family)} tables for λ = 1, 1.5, 3; not the only one at λ = 1, where letters "
        f"that share no s merge for "
        f"nothing (on {ties} tables)",
        empty,
        stays,
        ties > 0,
    )


@PAPER.claim("III-B", "for λ in [0, 1] problem (5) is a difference of submodular functions, and so is (7)")
def difference_of_submodular(study: Study) -> Outcome:
    family = study.once(set_functions)
    least = min(
        least_slack(family, lambda functions, keep=1 - multiplier: keep * functions.f)  # type: ignore[misc]
        for multiplier in (0.0, *MULTIPLIERS, 1.0)
    )
    above = least_slack(family, lambda functions: -0.5 * functions.f)
    return matches(
        f"(1−λ) f is submodular on {len(family)} tables for λ = 0, ¼, ½, ¾, 1 (and not for λ = 1.5, where a slack "
        f"is {above:.2f} bits)",
        least > -SLACK,
        above < 0,
    )


@PAPER.claim("III-B", "the MDSF algorithms of the literature ensure convergence to a local optimum")
def local_optimum(study: Study) -> Outcome:
    for table in by_size((2, 3), (2, 3), 5):
        merges = Merges.of(weights(table))
        for multiplier in MULTIPLIERS:
            difference = step_difference(merges, multiplier, "funnel")
            for seed in range(ORDERS):
                end = toolbox(difference, np.random.default_rng(seed))
                for x in range(merges.n):
                    other = end.member.copy()
                    other[x] = ~other[x]
                    if difference.value(other) < end.value - SLACK:
                        values = [merges.change(each, multiplier) for each in (end.member, other)]
                        return refuted(
                            f"not with one order a step, as in the toolbox that was run (trying each block next "
                            f"would): counts {shown(table)}, λ = "
                            f"{multiplier:g}, fewest records over up to 3 letters and 3 values of S: it ends at "
                            f"{named(end.member)} "
                            f"({values[0]:.4f} bits), and {named(other)}, one block less, has {values[1]:.4f}",
                            counterexample=values[1] < values[0] - SLACK and other.sum() == end.member.sum() - 1,
                        )
    return refuted("no counterexample found", counterexample=False)


@PAPER.claim(
    "III-C, (7), footnote 7",
    "the bottleneck's Lagrangian is −L_PF: its step minimises g − (1−λ) f, which maximises I(S;X̂_W) − λ I(X̂;X̂_W)",
)
def bottleneck_is_the_negative(study: Study) -> Outcome:
    family = study.once(set_functions)
    worst = 0.0
    for functions, after in zip(family, study.once(informations), strict=True):
        for multiplier in MULTIPLIERS:
            turned = -(after[:, 0] - multiplier * after[:, 1])
            worst = max(worst, float(np.ptp(turned + functions.changes(multiplier))))
    return matches(
        f"equal up to a constant within {worst:.0e} bits for every set on {len(family)} tables", worst < SLACK
    )


@PAPER.claim("III-C, footnote 6", "min I(X;X̂) subject to I(S;X̂) ≥ θ has the same Lagrangian as (6)")
def original_bottleneck(study: Study) -> Outcome:
    same = 0
    chosen = tables()[:512:4]
    for table in chosen:
        points = np.array([information(weights(table), partition) for partition in partitions_of(table.shape[1])])
        for multiplier in MULTIPLIERS:
            ours = multiplier * points[:, 1] - points[:, 0]
            original = points[:, 1] - points[:, 0] / multiplier
            same += bool(((ours <= ours.min() + SLACK) == (original <= original.min() + SLACK / multiplier)).all())
    return matches(
        f"up to the factor λ = 1/β: the same best partitions in {same} of {len(chosen) * len(MULTIPLIERS)} cases, "
        f"over all partitions of 3 letters",
        same == len(chosen) * len(MULTIPLIERS),
    )


@PAPER.claim("III-C", "the bottleneck's Pareto frontier can be outlined by maximising L_PF for all λ ≥ 0")
def bottleneck_frontier(study: Study) -> Outcome:
    return unsupported_outcome("bottleneck")


@PAPER.claim("III-C", "for λ ≥ 1 the minimiser of (7) is the whole alphabet, so λ in [0, 1] is enough")
def bottleneck_from_one_on(study: Study) -> Outcome:
    family = study.once(set_functions)
    whole = all(
        -functions.changes(multiplier)[-1] <= (-functions.changes(multiplier)).min() + SLACK
        for functions in family
        for multiplier in BEYOND
    )
    one_block = all(
        len(np.unique(iac_mdsf(weights(table), 1.0, "bottleneck").partitions[-1])) == 1 for table in tables()[::8]
    )
    return matches(
        f"a minimiser on all {len(family)} tables for λ = 1, 1.5, 3; Algorithm 1 ends at one block", whole, one_block
    )
