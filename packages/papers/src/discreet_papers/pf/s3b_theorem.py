"""III-B and III-C: Theorem 1, the ends of λ, local optima, and the bottleneck as the funnel turned round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.search.information import Difference, Merges, iac_mdsf, information, step_difference
from discreet_papers.arrays import Floats, Members, partitions_of
from discreet_papers.claims import Outcome, Study, matches, misprint
from discreet_papers.pf.families import (
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
from discreet_papers.pf.paper import PAPER
from discreet_papers.pf.procedure import FALL, PROBLEMS, toolbox
from discreet_papers.pf.s1_problem import ORDERS, frontier_outcome

BEYOND = (1.0, 1.5, 3.0)
"""Multipliers from 1 on."""


def least_slack(family: list[SetFunctions], of: Callable[[SetFunctions], Floats]) -> float:
    """min over sets A, B of v(A) + v(B) − v(A∪B) − v(A∩B); not negative where v is submodular."""
    least = np.inf
    for functions in family:
        value = of(functions)
        a = np.arange(len(value))
        slack = value[:, None] + value - value[a[:, None] | a] - value[a[:, None] & a]
        least = min(least, float(slack.min()))
    return least


def least_fall(family: list[SetFunctions], of: Callable[[SetFunctions], Floats]) -> tuple[float, float]:
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
        "from 0 to 3",
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
        f"W ⊆ Y is meant, as in App A: of nested sets on {len(family)} tables the smaller always has the larger "
        "value. As printed it fails for two letters of probability ½: f({1,2}) = −1 bit < f(∅) = 0",
        printed=all(most <= SLACK for _, most in falls) or _two_fair_letters() >= 0,
        corrected=all(least >= -SLACK for least, _ in falls),
    )


def _f(functions: SetFunctions) -> Floats:
    return functions.f


def _g(functions: SetFunctions) -> Floats:
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
        f"∅ is a minimiser on all {len(family)} tables for λ = 1, 1.5, 3; not the only one at λ = 1, where "
        f"letters that share no s merge for nothing (on {ties} tables)",
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


def each_block_next(difference: Difference) -> Members:
    """Submodular–supermodular from ∅ until no order helps in which some block x comes at the border of W, in or out.

    The bound is then tight at W with x put in or taken out, so that a set that is one block better would be found [9].
    """
    member = np.zeros(difference.n, bool)
    x = tried = 0
    while tried < difference.n:
        rest = np.arange(difference.n) != x
        order = np.concatenate((np.flatnonzero(member & rest), [x], np.flatnonzero(~member & rest)))
        modular = np.empty(difference.n)
        modular[order] = difference.second(order)
        other = min(difference.against(modular), key=difference.value)
        better = difference.value(other) < difference.value(member) - FALL
        member, tried, x = other if better else member, 0 if better else tried + 1, (x + 1) % difference.n
    return member


def one_block_better(difference: Difference, member: Members) -> Members | None:
    """A set with one block more or less and a lower value, if there is one."""
    for x in range(difference.n):
        other = member.copy()
        other[x] = ~other[x]
        if difference.value(other) < difference.value(member) - SLACK:
            return other
    return None


def smallest_not_local(orders: int) -> str:
    """The table with fewest records on which the toolbox ends where one block more or less is better, in words; or nothing."""
    for table in by_size((2, 3), (2, 3), 5):
        merges = Merges.of(weights(table))
        for multiplier in MULTIPLIERS:
            difference = step_difference(merges, multiplier, "funnel")
            for seed in range(orders):
                end = toolbox(difference, np.random.default_rng(seed)).member
                other = one_block_better(difference, end)
                if other is not None:
                    values = [merges.change(each, multiplier) for each in (end, other)]
                    return (
                        f"counts {shown(table)}, λ = {multiplier:g}, end at {named(end)} ({values[0]:.4f} bits), "
                        f"where {named(other)} has {values[1]:.4f}"
                    )
    return ""


@PAPER.claim("III-B", "MDSF algorithms of the literature, e.g. [8] and [9], ensure convergence to a local optimum")
def local_optimum(study: Study) -> Outcome:
    local = cases = 0
    for functions in study.once(set_functions)[::4]:
        for problem in PROBLEMS:
            for multiplier in MULTIPLIERS:
                difference = step_difference(functions.merges, multiplier, problem)
                local += one_block_better(difference, each_block_next(difference)) is None
                cases += 1
    example = smallest_not_local(ORDERS)
    return matches(
        f"if each block is tried at the border of W, as in [9]: in {local} of {cases} steps on small tables no "
        "block more or less is then better. The toolbox that was run tries one order at a time and can end "
        f"elsewhere: {example}. In general an exponential number of iterations can be needed (Byrnes 2015, for "
        "[10])",
        local == cases,
        example != "",
    )


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
    both = cases = 0
    for table in tables()[:512:4]:
        points = np.array([information(weights(table), partition) for partition in partitions_of(table.shape[1])])
        for multiplier in MULTIPLIERS:
            kept, rate = points[np.argmin(multiplier * points[:, 1] - points[:, 0])]
            most = points[points[:, 1] <= rate + SLACK, 0].max()  # (6) with θ_R = rate
            least = points[points[:, 0] >= kept - SLACK, 1].min()  # the original with θ = kept
            both += most <= kept + SLACK and least >= rate - SLACK
            cases += 1
    return matches(
        "up to the factor λ = 1/β: the minimiser of λ I(X;X̂) − I(S;X̂) solves both problems at its own "
        f"thresholds, in {both} of {cases} cases over all partitions of 3 letters",
        both == cases,
    )


@PAPER.claim("III-C", "the bottleneck's Pareto frontier can be outlined by maximising L_PF for all λ ≥ 0")
def bottleneck_frontier(study: Study) -> Outcome:
    return frontier_outcome(study, "bottleneck")


@PAPER.claim("III-C", "for λ ≥ 1 the minimiser of (7) is the whole alphabet, so λ in [0, 1] is enough")
def bottleneck_from_one_on(study: Study) -> Outcome:
    family = study.once(set_functions)
    whole = all(
        -functions.changes(multiplier)[-1] <= (-functions.changes(multiplier)).min() + SLACK
        for functions in family
        for multiplier in BEYOND
    )
    one_block = all(
        len(np.unique(iac_mdsf(weights(table), 1.0, "bottleneck").partition(-1))) == 1 for table in tables()[::8]
    )
    return matches(
        f"a minimiser on all {len(family)} tables for λ = 1, 1.5, 3; Algorithm 1 ends at one block", whole, one_block
    )
