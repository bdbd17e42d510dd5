"""MDSF: minimising a difference of submodular functions, v = f1 − f2, to a local minimum.

Submodular–supermodular (Narasimhan & Bilmes 2005, the paper's choice): f2's gains along an order that begins with the
current W are a modular lower bound of f2, tight at W; minimise f1 minus it, a submodular function, and go on from there.
Modular–modular (Iyer & Bilmes 2012): replace f1 as well, by each of its two modular upper bounds that are tight at W; a
modular function is minimised element by element. Either way v(W') ≤ bound(W') ≤ bound(W) = v(W): v never rises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from discreet._typing import BoolArray, FloatArray, IntArray, Problem
from discreet.search.information._submodular import Gains, minimise
from discreet.search.information._theorem import Merges

ORDERS = 3
"""Orders that modular–modular tries at a set before it counts as a local minimum."""

FALL = 1e-12
"""Bits by which v must fall to go on; less is rounding."""

MAXIMUM = 500
"""Iterations of one descent, as a stop for rounding that pretends to descend."""


@dataclass(frozen=True, eq=False)
class Difference:
    """v = f1 − f2 on n elements; both submodular, 0 on ∅."""

    n: int
    first: Gains
    """f1's marginal gains along an order."""
    second: Gains
    """f2's marginal gains along an order."""
    first_at: Callable[[BoolArray], FloatArray]
    """f1(x | W − x) of every x."""
    against: Callable[[FloatArray], list[BoolArray]]
    """Minimisers of f1 − m for a modular m, given by its value on each element."""

    def value(self, member: BoolArray) -> float:
        """v(W)."""
        inside = np.flatnonzero(member)
        return float(self.first(inside).sum() - self.second(inside).sum())


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a procedure ended, and v at every iteration on the way, never rising."""

    member: BoolArray
    values: list[float]

    @property
    def value(self) -> float:
        """v of the last set."""
        return self.values[-1]


def step_difference(merges: Merges, multiplier: float, problem: Problem) -> Difference:
    """Step 3 of Algorithm 1 as a difference: (1−λ) f − g for PF [PF, (5)], g − (1−λ) f for IB [PF, (7)]; λ in [0, 1]."""
    keep = 1 - multiplier

    def f_gains(order: IntArray) -> FloatArray:
        return keep * merges.f_gains(order)

    def f_gains_at(member: BoolArray) -> FloatArray:
        return keep * merges.f_gains_at(member)

    if problem == "bottleneck":
        return Difference(
            merges.n, merges.g_gains, f_gains, merges.g_gains_at, _by_minimum_norm(merges.g_gains, merges.n)
        )
    return Difference(
        merges.n, f_gains, merges.g_gains, f_gains_at, lambda modular: [funnel_inner(merges, keep, modular)]
    )


def funnel_inner(merges: Merges, keep: float, modular: FloatArray) -> BoolArray:
    """A minimiser of (1−λ) f − m over all sets, by a sort (SPEC 8).

    (1−λ) f(W) − m(W) = a(W) − (1−λ) h(n(W))/N with a_x = (1−λ) h(n_x)/N − m_x: a concave function of the two sums
    (a(W), n(W)). Over the zonotope that all z in [0,1]^n span, a concave function is least at a vertex, and a vertex is where
    some linear function α a + β n is least; here α = 1, because the slope in a is 1. That set is {x : a_x + β n_x < 0} =
    {x : a_x/n_x < −β}, so that one of the n + 1 beginnings of the order by a_x/n_x attains the minimum.
    """
    ratio = (keep * merges.own[0] / merges.weights.total - modular) / merges.weights.of_letter
    order = np.argsort(ratio, kind="stable")
    values = np.cumsum(keep * merges.f_gains(order) - modular[order])
    member = np.zeros(merges.n, bool)
    low = int(np.argmin(values))
    if values[low] < 0:
        member[order[: low + 1]] = True
    return member


def _by_minimum_norm(gains: Gains, n: int) -> Callable[[FloatArray], list[BoolArray]]:
    """The general way: the minimal and the maximal minimiser by the minimum-norm point."""

    def against(modular: FloatArray) -> list[BoolArray]:
        start = np.argsort(-modular, kind="stable")  # a set that f1 − m favours comes first
        found = minimise(lambda order: gains(order) - modular[order], n, start=start)
        return [_mask(found.minimal, n), _mask(found.maximal, n)]

    return against


def submodular_supermodular(
    difference: Difference, rng: np.random.Generator, *, start: BoolArray | None = None, orders: int = 1
) -> Descent:
    """Narasimhan and Bilmes's procedure, from ∅ with a random order unless a start is given.

    The order inside and outside the current set is random; `orders` of them are tried before the set counts as a local
    minimum. The paper's toolbox tries one.
    """

    def next_sets(_: BoolArray, modular: FloatArray) -> list[BoolArray]:
        return difference.against(modular)

    member = np.zeros(difference.n, bool) if start is None else start
    return _descend(difference, member, next_sets, rng, orders)


def modular_modular(
    difference: Difference, rng: np.random.Generator, *, start: BoolArray | None = None, orders: int = ORDERS
) -> Descent:
    """Iyer and Bilmes's procedure, from the whole set unless a start is given.

    The two upper bounds of f1 that are tight at W (Nemhauser, Wolsey & Fisher 1978):
    f1(W) − Σ_{x∈W∖Z} f1(x|W−x) + Σ_{x∈Z∖W} f1(x|∅) and f1(W) − Σ_{x∈W∖Z} f1(x|V−x) + Σ_{x∈Z∖W} f1(x|W).
    From ∅ neither moves for functions that are 0 on every singleton and nonincreasing, as f and g are: f1(x|∅) = 0 while f2's
    gains are at most 0.
    """
    everything = np.ones(difference.n, bool)
    alone, last = difference.first_at(~everything), difference.first_at(everything)

    def next_sets(member: BoolArray, modular: FloatArray) -> list[BoolArray]:
        here = difference.first_at(member)
        return [np.where(member, here, alone) < modular, np.where(member, last, here) < modular]

    member = everything if start is None else start
    return _descend(difference, member, next_sets, rng, orders)


def best_of(
    difference: Difference,
    procedure: Callable[..., Descent],
    starts: Sequence[BoolArray | None],
    rng: np.random.Generator,
) -> Descent:
    """The best of a procedure's descents from several starts; the first of equals."""
    return min((procedure(difference, rng, start=start) for start in starts), key=lambda found: found.value)


def best_pairs(merges: Merges, multiplier: float, problem: Problem, count: int) -> list[BoolArray]:
    """The best pair of each of the `count` blocks whose best pair, with a later one, is best: starts for the procedures."""
    from discreet.search.information._theorem_kernels import nearest_partners

    keep = 1 - multiplier
    cost = merges.own[1] - keep * merges.own[0]
    sign = 1.0 if problem == "funnel" else -1.0
    partner, value = nearest_partners(*merges.rows, cost, merges.weights.n_s, keep, sign, merges.table)
    chosen = np.argsort(value, kind="stable")[: min(count, merges.n - 1)]
    return [_mask(np.array([x, partner[x]]), merges.n) for x in chosen]


def _descend(
    difference: Difference,
    member: BoolArray,
    next_sets: Callable[[BoolArray, FloatArray], list[BoolArray]],
    rng: np.random.Generator,
    orders: int,
) -> Descent:
    values = [difference.value(member)]
    left = orders
    while left > 0 and len(values) < MAXIMUM:
        inside, outside = np.flatnonzero(member), np.flatnonzero(~member)
        order = np.concatenate((rng.permutation(inside), rng.permutation(outside)))
        modular = np.empty(difference.n)
        modular[order] = difference.second(order)
        found = next_sets(member, modular)
        reached = [difference.value(other) for other in found]
        best = int(np.argmin(reached))
        if reached[best] < values[-1] - FALL:
            member, left = found[best], orders
            values.append(reached[best])
        else:
            left -= 1
    return Descent(member, values)


def _mask(elements: IntArray, n: int) -> BoolArray:
    member = np.zeros(n, bool)
    member[elements] = True
    return member
