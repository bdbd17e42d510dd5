"""Algorithm 1 as the paper ran it, and the paper's two settings of the Hungarian data.

sfo_ssp of the toolbox that the paper used looks along one random order at a time by a minimum-norm-point solver: first along
any order, then along the set it has found and the rest at random, until the least value of the modular bound falls no more.
Where that is at a set of at most one block, Algorithm 1 stops.
`discreet.search.information.iac_mdsf` is the same with one mend: it starts again from the best pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet import Joint
from discreet.release import hypervolume
from discreet.search import Problem
from discreet.search.information import (
    Dendrogram,
    Descent,
    Difference,
    Merges,
    Weights,
    minimise,
    pairwise,
    step_difference,
    weights_of,
)
from discreet_papers.arrays import Floats, Ints, Members
from discreet_papers.claims import Study

Letter = Literal["A", "B"]
PUBLIC: dict[Letter, tuple[str, str]] = {"A": ("sex", "chol"), "B": ("age", "chol")}
PROBLEMS: tuple[Problem, Problem] = ("funnel", "bottleneck")
GRID = np.linspace(0.0, 1.0, 41)
"""Multipliers of the frontiers; the paper does not say how many it took."""
SEEDS = 3
FALL = 1e-12
"""Bits by which a value must fall to be lower; less is rounding."""
TOLERANCE = 1e-6
"""By which the bound must fall for the toolbox to go on."""
THRESHOLDS = 101
THRESHOLD = 2.85
"""Bits: with this θ for both problems pairwise merging does what IV-C and Fig 4 say."""
Key = tuple[Letter, Problem]


@dataclass(frozen=True, eq=False)
class Run:
    """One run of Algorithm 1: I(S;X̂) and I(X;X̂) at each iterate, in bits, and what it took."""

    multiplier: float
    leakage: Floats
    utility: Floats
    blocks: int
    evaluations: int
    """Marginal values of f or g that the solver asked for."""

    @property
    def iterations(self) -> int:
        """How many merges it made."""
        return len(self.leakage) - 1

    @property
    def lagrangian(self) -> Floats:
        """I(S;X̂) − λ I(X;X̂) of each iterate."""
        return self.leakage - self.multiplier * self.utility


def toolbox(difference: Difference, rng: np.random.Generator) -> Descent:
    """sfo_ssp: it compares least values of f1 minus f2's bound, so that a set whose own value is lower gets another order."""
    order, best = rng.permutation(difference.n), np.inf
    values: list[float] = []
    while True:
        modular = np.empty(difference.n)
        modular[order] = difference.second(order)
        member = min(difference.against(modular), key=difference.value)
        inside = np.flatnonzero(member)
        values.append(difference.value(member))
        bound = float(difference.first(inside).sum() - modular[inside].sum())
        if bound >= best - TOLERANCE:
            return Descent(member, values)
        best, order = bound, np.concatenate((inside, rng.permutation(np.flatnonzero(~member))))


def algorithm_1(weights: Weights, multiplier: float, problem: Problem, rng: np.random.Generator) -> Run:
    """[PF, Algorithm 1] with the toolbox's submodular–supermodular procedure and no restart."""
    merges, evaluations = Merges.of(weights), 0
    figures = [(weights.leakage, weights.entropy)]
    while merges.n > 1:
        found = _step(merges, multiplier, problem, rng)
        evaluations += found[1]
        if found[0].sum() <= 1:
            break
        merges = merges.after(found[0])
        figures.append((merges.weights.leakage, merges.weights.entropy))
    leakage, utility = np.array(figures).T
    return Run(multiplier, leakage, utility, merges.n, evaluations)


def _step(merges: Merges, multiplier: float, problem: Problem, rng: np.random.Generator) -> tuple[Members, int]:
    """Step 3: the set found, empty where none helps, and how many marginal values that took."""
    plain, asked = step_difference(merges, multiplier, problem), 0

    def first(order: Ints) -> Floats:
        nonlocal asked
        asked += len(order)
        return plain.first(order)

    def second(order: Ints) -> Floats:
        nonlocal asked
        asked += len(order)
        return plain.second(order)

    def against(modular: Floats) -> list[Members]:
        start = np.argsort(-modular, kind="stable")
        found = minimise(lambda order: first(order) - modular[order], plain.n, start=start)
        return [np.isin(np.arange(plain.n), ends) for ends in (found.minimal, found.maximal)]

    descent = toolbox(Difference(plain.n, first, second, plain.first_at, against), rng)
    return descent.member if descent.value < -FALL else np.zeros(plain.n, bool), asked


def settings(study: Study) -> dict[Letter, Weights]:
    """S = (age, sex) with X = (sex, cholesterol) for A and (age, cholesterol) for B; missing cholesterol is a level."""
    data = study.hungarian
    s = list(zip(data["age"], data["sex"], strict=True))
    found: dict[Letter, Weights] = {}
    for letter, names in PUBLIC.items():
        x = zip(*(data[name] for name in names), strict=True)
        found[letter] = weights_of(Joint.from_pairs(list(zip(s, x, strict=True))))
    return found


def runs(study: Study) -> dict[Key, list[Run]]:
    """The grid of multipliers on both settings and both problems, with several seeds each."""
    return {
        (letter, problem): [
            algorithm_1(weights, float(multiplier), problem, np.random.default_rng([seed, i]))
            for seed in range(SEEDS)
            for i, multiplier in enumerate(GRID)
        ]
        for letter, weights in study.once(settings).items()
        for problem in PROBLEMS
    }


def pairwise_ends(study: Study) -> dict[Key, Floats]:
    """Where pairwise merging stops for a grid of thresholds: rows of I(S;X̂), I(X;X̂)."""
    found: dict[Key, Floats] = {}
    for letter, weights in study.once(settings).items():
        for problem in PROBLEMS:
            most = weights.entropy if problem == "funnel" else weights.leakage
            paths = [pairwise(weights, float(threshold), problem) for threshold in np.linspace(0, most, THRESHOLDS)]
            found[letter, problem] = np.array([(path.leakage[-1], path.utility[-1]) for path in paths])
    return found


def merged_by_pairs(study: Study) -> dict[Problem, Dendrogram]:
    """Pairwise merging of setting A by the threshold of Fig 4."""
    return {problem: pairwise(study.once(settings)["A"], THRESHOLD, problem) for problem in PROBLEMS}


def ends(of: list[Run]) -> Floats:
    """Where runs stop: rows of I(S;X̂), I(X;X̂)."""
    return np.array([(run.leakage[-1], run.utility[-1]) for run in of])


def dominated(points: Floats, others: Floats, problem: Problem) -> float:
    """The share of points that one of the others beats in one figure by 1e-6 bits and equals or beats in the other."""
    sign = 1.0 if problem == "funnel" else -1.0
    leaks = sign * (points[:, None, 0] - others[None, :, 0])  # how much more a point leaks, or how much less it keeps
    loses = sign * (others[None, :, 1] - points[:, None, 1])
    beaten = (leaks >= -1e-9) & (loses >= -1e-9) & ((leaks > 1e-6) | (loses > 1e-6))
    return float(beaten.any(axis=1).mean())


def area(points: Floats, weights: Weights, problem: Problem) -> float:
    """The share of the box [0, I(S;X)] × [0, H(X)] that points dominate (SPEC 8)."""
    leaked, kept = points[:, 0] / weights.leakage, points[:, 1] / weights.entropy
    return hypervolume(leaked, 1 - kept) if problem == "funnel" else hypervolume(kept, 1 - leaked)
