"""A bound on the funnel from counting: records come whole, and each s has only so many.

The Lagrangian of a partition is I(S;X̂) − λ I(X;X̂) = const + Σ_B D(t_B) / N with D(t) = Σ_s h(t_s) − (1−λ) h(|t|) and
whole t_B (SPEC 8). Forget which records share a letter: any whole vectors t_B with Σ_B t_B,s = N_s may be blocks. Every
partition is among these, so the least sum over them bounds all hard policies from below.

**Claim.** For any prices π_s, Σ_B D(t_B) ≥ Σ_s N_s π_s + N min_w [G(w) − (1−λ) h(w)] / w, where G(w) is the least
Σ_s [h(t_s) − π_s t_s] over whole t with 0 ≤ t_s ≤ N_s and |t| = w.

**Proof.** With c the minimum, every block has D(t) − Σ_s π_s t_s ≥ G(|t|) − (1−λ) h(|t|) ≥ c |t|; sum over the blocks. ∎

h is convex, so G(w) is the sum of the w smallest of the steps h(k+1) − h(k) − π_s: one sort prices all blocks at once.
The best prices are the dual of a linear program whose columns are blocks, found by column generation; any prices on the
way are a proof. Values of s with equal N_s share a price: the program is symmetric in them and its dual concave.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.search.information._integers import whole_counts
from discreet.search.information._weights import Weights, h_of

MULTIPLIERS = np.concatenate((np.arange(2, 20) / 40, np.arange(10, 19) / 20))
"""λ: the bound's slopes. It leaves the base bound where I(X;X̂) is small, which is where λ is small."""

RECORDS = 10_000
"""More records than these are not counted one by one: then most blocks hold all s often, and the base bound is near."""

ROUNDS = 40
"""Columns generated for one λ."""

GAP = 1e-5
"""In bits a record: prices that can gain no more are good enough."""


def least_lagrangians(weights: Weights) -> list[tuple[float, float]]:
    """(λ, a number that I(S;X̂) − λ I(X;X̂) of no partition is below), in bits; none where counting adds nothing."""
    whole = whole_counts(weights)
    if whole is None or whole[0].sum() > RECORDS:
        return []
    by_s = np.bincount(weights.indices, weights=whole[0], minlength=weights.n_s).astype(np.int64)
    counts = by_s[by_s > 0]
    if len(counts) == 1:
        return []
    program = _Program.of(counts)
    n = float(counts.sum())
    outside, everything = float(h_of(counts.astype(np.float64)).sum()), n * float(np.log2(n))
    kink = weights.entropy - weights.leakage
    found = []
    for multiplier in MULTIPLIERS.tolist():
        # N (I(S;X̂) − λ H(X̂)) = constant + Σ_B D(t_B)
        constant = (1 - multiplier) * everything - outside
        # A line of slope λ passes the base bound, if anywhere, at its kink u = H(X|S), where that is still zero.
        worth = -constant - n * multiplier * kink
        cost = program.least_cost(multiplier, worth)
        if cost > worth:
            found.append((multiplier, (constant + cost) / n))
    return found


@dataclass(eq=False)
class _Program:
    """The linear program over blocks, whose columns serve every λ."""

    totals: FloatArray  # weight of the s with each count N_s
    owner: IntArray  # of each step: which count
    step: FloatArray  # h(k+1) − h(k)
    h: FloatArray  # h(0) … h(N)
    columns: list[FloatArray] = field(default_factory=list)
    inside: list[float] = field(default_factory=list)  # Σ_s h(t_s) of a column
    size: list[int] = field(default_factory=list)  # |t| of a column

    @classmethod
    def of(cls, counts: IntArray) -> _Program:
        n = int(counts.sum())
        h = h_of(np.arange(n + 1, dtype=np.float64))
        value, group = np.unique(counts, return_inverse=True)
        level = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
        program = cls((value * np.bincount(group)).astype(np.float64), np.repeat(group, counts), np.diff(h)[level], h)
        for i in range(len(value)):
            program._add(np.flatnonzero((program.owner == i) & (level == 0))[:1])
        program._add(np.arange(n))
        return program

    def _add(self, steps: IntArray) -> None:
        self.columns.append(np.bincount(self.owner[steps], minlength=len(self.totals)).astype(np.float64))
        self.inside.append(float(self.step[steps].sum()))
        self.size.append(len(steps))

    def least_cost(self, multiplier: float, worth: float) -> float:
        """A proven lower bound on Σ_B D(t_B); the search ends where it cannot come to be worth having."""
        from scipy.optimize import linprog

        n = len(self.owner)
        share = np.arange(1, n + 1)
        proven = -np.inf
        for _ in range(ROUNDS):
            cost = np.array(self.inside) - (1 - multiplier) * self.h[self.size]
            solved = linprog(cost, A_eq=np.array(self.columns).T, b_eq=self.totals, method="highs")
            if solved.fun is None or solved.fun <= worth:
                break
            price = solved.eqlin.marginals
            reduced = self.step - price[self.owner]
            order = np.argsort(reduced, kind="stable")
            slack = np.cumsum(reduced[order]) - (1 - multiplier) * self.h[1:]
            worst = float((slack / share).min())
            proven = max(proven, float(self.totals @ price) + n * worst)
            if worst >= 0 or solved.fun - proven <= GAP * n:
                break
            for block in {int(np.argmin(slack / share)), int(np.argmin(slack))}:
                self._add(order[: block + 1])
        return proven
