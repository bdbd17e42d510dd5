"""Abstract, I, II and the opening of III: the problem, its Lagrangian, and what multipliers reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet import Joint
from discreet.measures import entropy, mutual_information
from discreet.search import Problem
from discreet.search.information import Merges, information, step_difference
from discreet_papers.arrays import Floats, Ints, Members, partitions_of
from discreet_papers.claims import Outcome, Study, matches, not_checkable
from discreet_papers.pf.families import (
    MULTIPLIERS,
    SEED,
    SLACK,
    Table,
    best_merge,
    by_size,
    named,
    set_functions,
    shown,
    soft_information,
    tables,
    weights,
)
from discreet_papers.pf.paper import PAPER
from discreet_papers.pf.procedure import toolbox

ORDERS = 8
"""Seeds of the random orders that a counterexample is looked for among."""


@dataclass(frozen=True, eq=False)
class Missed:
    """A step where the paper's procedure ends above the best merge."""

    table: Table
    multiplier: float
    problem: Problem
    seed: int
    member: Members
    value: float
    best: Members
    least: float

    def __str__(self) -> str:
        return (
            f"counts {shown(self.table)}, λ = {self.multiplier:g}: it ends at {named(self.member)} "
            f"({self.value:.4f} bits), the best is {named(self.best)} ({self.least:.4f})"
        )

    def holds(self) -> bool:
        """Whether the procedure still ends there and the best is better, by its value recomputed from f and g."""
        merges = Merges.of(weights(self.table))
        again = toolbox(step_difference(merges, self.multiplier, self.problem), np.random.default_rng(self.seed))
        least = merges.change(self.best, self.multiplier, self.problem)
        return bool((again.member == self.member).all()) and least < again.value - SLACK


def smallest_missed(problem: Problem) -> Missed | None:
    """The table with fewest records on which the procedure misses, for one of a few seeds, the best merge."""
    for table in by_size((2, 3), (2, 3), 5):
        merges = Merges.of(weights(table))
        for multiplier in MULTIPLIERS:
            best, least = best_merge(merges.weights, multiplier, problem)
            for seed in range(ORDERS) if least < -SLACK else ():
                found = toolbox(step_difference(merges, multiplier, problem), np.random.default_rng(seed))
                if found.value > least + SLACK:
                    return Missed(table, multiplier, problem, seed, found.member, found.value, best, least)
    return None


def share_found(study: Study) -> tuple[int, int]:
    """In how many steps of the family the procedure finds the best merge, of those in which some merge helps."""
    helped = met = 0
    for functions in study.once(set_functions):
        for multiplier in MULTIPLIERS:
            least = float(functions.changes(multiplier).min())
            if least > -SLACK:
                continue
            difference = step_difference(functions.merges, multiplier, "funnel")
            found = toolbox(difference, np.random.default_rng(helped))
            helped += 1
            met += found.value <= least + SLACK
    return met, helped


@PAPER.claim(
    "Abstract", "the best merge of each iteration can be searched over all subsets by existing MDSF algorithms"
)
def best_of_all_subsets(study: Study) -> Outcome:
    missed = smallest_missed("funnel")
    met, helped = study.once(share_found)
    return matches(
        f"a search, which may end at a local optimum (III-B): over {helped} steps on small tables in which a "
        f"merge helps, the toolbox that the paper ran finds the best in {met}. Fewest records where it does not, "
        f"over tables with up to 3 letters and 3 values of S, λ in ¼, ½, ¾: {missed}",
        missed is not None and missed.holds(),
        helped / 2 < met < helped,
    )


@PAPER.claim("I", "differential privacy does not allow privacy and utility to be optimised together")
def differential_privacy(study: Study) -> Outcome:
    return not_checkable(
        "a judgement on a field, and nothing to compute; [DQ, I] cites work that optimises the noise for a given ε"
    )


@PAPER.claim(
    "I, footnote 1", "I(S;X̂) is convex in p(x̂|x), so that a linear bound on distortion leaves a convex problem"
)
def convex_leakage(study: Study) -> Outcome:
    rng = np.random.default_rng(SEED)
    worst, pairs = -np.inf, 0
    for table in tables()[-30:]:
        joint = weights(table)
        for _ in range(10):
            one, other = rng.dirichlet(np.full(4, 0.5), (2, joint.n))
            share = rng.random()
            mixed = soft_information(joint, share * one + (1 - share) * other)[0]
            apart = share * soft_information(joint, one)[0] + (1 - share) * soft_information(joint, other)[0]
            worst, pairs = max(worst, mixed - apart), pairs + 1
    return matches(
        f"holds for {pairs} random mixtures of channels; largest excess {max(worst, 0):.1e} bits", worst < SLACK
    )


@PAPER.claim("II", "with log loss the adversary's average gain is I(S;X̂), the best belief being the posterior")
def log_loss(study: Study) -> Outcome:
    rng = np.random.default_rng(SEED)
    worst, least = 0.0, np.inf
    for table in tables()[-30:]:
        joint = Joint.from_array(table)
        p = joint.pmf.toarray()
        cell = p.sum(axis=0)
        prior, after = p.sum(axis=1), p / cell
        gain = _cost(prior, prior) - float(sum(cell[x] * _cost(after[:, x], after[:, x]) for x in range(joint.n_x)))
        worst = max(worst, abs(gain - mutual_information(joint)), abs(_cost(prior, prior) - entropy(joint)))
        least = min(least, *(_cost(prior, belief) - _cost(prior, prior) for belief in rng.dirichlet(np.ones(4), 100)))
    return matches(
        f"on 30 random tables the gain equals I within {worst:.0e} bits, and none of 3,000 other beliefs costs less",
        worst < SLACK,
        least > -SLACK,
    )


def _cost(p: Floats, belief: Floats) -> float:
    """The expected log loss of a belief, in bits."""
    seen = p > 0
    return float(-(p[seen] * np.log2(belief[seen])).sum())


@PAPER.claim("II-A (1)", "the funnel problem is not convex")
def not_convex(study: Study) -> Outcome:
    joint = weights(np.eye(2, dtype=np.int64))
    keep, swap = np.eye(2), np.eye(2)[::-1].copy()
    kept = [soft_information(joint, channel)[1] for channel in (keep, swap, (keep + swap) / 2)]
    return matches(
        f"a fair bit: releasing it and releasing its complement keep {kept[0]:.0f} bit each, their average "
        f"{kept[2]:.0f}",
        min(kept[:2]) == 1,
        kept[2] < SLACK,
    )


@dataclass(frozen=True, eq=False)
class Unsupported:
    """A Pareto point among all partitions that no multiplier reaches."""

    table: Table
    partition: Ints
    point: Floats


def smallest_unsupported(problem: Problem) -> Unsupported | None:
    """The table with fewest records where a non-dominated partition minimises the Lagrangian for no λ ≥ 0."""
    every = partitions_of(3)
    for table in by_size((3,), (2, 3), 6):
        points = np.array([information(weights(table), partition) for partition in every])
        for i in range(len(every)):
            if is_unsupported(points, i, problem):
                return Unsupported(table, every[i], points[i])
    return None


def is_unsupported(points: Floats, i: int, problem: Problem) -> bool:
    """Whether point i is dominated by no other and minimises the Lagrangian for no λ ≥ 0.

    The least over i of L − λ U is piecewise linear in λ: it is enough to look at 0 and where two lines cross.
    """
    sign = 1.0 if problem == "funnel" else -1.0
    leak, use = sign * points[:, 0], sign * points[:, 1]
    no_worse = (leak <= leak[i] + SLACK) & (use >= use[i] - SLACK)
    if (no_worse & ((leak < leak[i] - SLACK) | (use > use[i] + SLACK))).any():
        return False
    apart = np.subtract.outer(use, use)
    crossings = np.subtract.outer(leak, leak)[np.abs(apart) > SLACK] / apart[np.abs(apart) > SLACK]
    multipliers = np.unique(np.concatenate(([0.0, 1e6], crossings[crossings > 0])))
    values = leak - multipliers[:, None] * use
    return bool((values[:, i] > values.min(axis=1) + SLACK).all())


def mixed(points: Floats, i: int, problem: Problem) -> float:
    """The I(S;X̂) that a public coin between two of the partitions attains at the I(X;X̂) of point i, at best."""
    sign = 1.0 if problem == "funnel" else -1.0
    reached = [
        low[0] + (points[i, 1] - low[1]) / (high[1] - low[1]) * (high[0] - low[0])
        for low in points
        for high in points
        if low[1] < points[i, 1] < high[1]
    ]
    return float(sign * min(sign * np.array(reached)))


def coin_apart(study: Study) -> tuple[float, int]:
    """Largest difference between (I(S;X̂), I(X;X̂)) of a public coin between two soft policies and the mean of theirs."""
    rng = np.random.default_rng(SEED)
    worst, pairs = 0.0, 0
    for table in tables()[-30:]:
        joint = weights(table)
        for _ in range(10):
            one, other = rng.dirichlet(np.full(4, 0.5), (2, joint.n))
            share = rng.random()
            tossed = soft_information(joint, np.hstack((share * one, (1 - share) * other)))
            each = np.array([soft_information(joint, channel) for channel in (one, other)])
            worst = max(worst, float(np.abs(np.array(tossed) - (share, 1 - share) @ each).max()))
            pairs += 1
    return worst, pairs


def frontier_outcome(study: Study, problem: Problem) -> Outcome:
    """The verdict on reaching every Pareto point by multipliers, for one of the problems."""
    found = smallest_unsupported(problem)
    if found is None:
        return matches("no deterministic point that is out of reach was found", False)
    worst, pairs = study.once(coin_apart)
    points = np.array([information(weights(found.table), partition) for partition in partitions_of(3)])
    at = int(np.flatnonzero((points == found.point).all(axis=1))[0])
    coin = mixed(points, at, problem)
    sign = 1.0 if problem == "funnel" else -1.0
    blocks = len(set(found.partition.tolist()))
    return matches(
        "for soft p(x̂|x), over which it is stated: a public coin between two policies attains the mean of their "
        f"pairs ({pairs} random ones, within {worst:.0e} bits), so that what can be attained is convex. "
        "Deterministic policies, which Algorithm 1 searches, have Pareto points that are best for no λ: counts "
        f"{shown(found.table)} (fewest records with 3 letters), {blocks} blocks, I(S;X̂) = {found.point[0]:.3f} "
        f"at I(X;X̂) = {found.point[1]:.3f}, where a coin gives {coin:.3f}",
        worst < SLACK,
        is_unsupported(points, at, problem),
        sign * coin < sign * found.point[0] - SLACK,
    )


@PAPER.claim(
    "III",
    "minimising I(S;X̂) − λ I(X;X̂) over p(x̂|x) for all λ ≥ 0 solves (1) for every θ, and the pairs form the Pareto frontier",
)
def multipliers_reach_everything(study: Study) -> Outcome:
    return frontier_outcome(study, "funnel")


@PAPER.claim("III, footnote 3", "at λ = 0 only the leakage is minimised")
def no_multiplier(study: Study) -> Outcome:
    family = study.once(set_functions)
    holds = all(functions.changes(0.0)[-1] <= functions.changes(0.0).min() + SLACK for functions in family)
    left = max(abs(functions.merges.weights.leakage + functions.changes(0.0)[-1]) for functions in family)
    return matches(
        f"merging everything is a best merge on all {len(family)} tables, and leaves {left:.0e} bits of leakage "
        "at most",
        holds,
        left < SLACK,
    )
