"""Proof by branch and bound: no posterior beats the prices by more than a tolerance.

H(W|u) − λ·u is Σ_w h(q_w) minus a linear function, q = Q u (q = u for self-disclosure): separable and concave in q.
Boxes of q are bounded by a linear program with the chords of h, and split where a chord is farthest off, which happens at
the largest atoms first. With min_u [H(W|u) − λ·u] ≥ −ε every private Y has H(W|Y) ≥ λ·p − ε.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _clock

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._problem import Program

DEPTH = 2000  # nodes open at once; depth first keeps them few
BUDGET = 500  # nodes between two looks at the clock


@dataclass(frozen=True, eq=False)
class Proof:
    """Outcome of one search.

    Attributes
    ----------
    least
        Proven: H(W|u) − λ·u is at least this for every posterior u.
    point
        A posterior that beats the tolerance, when one was found; then nothing is proven.
    nodes
        Linear programs solved.
    complete
        Whether ``least`` is the tolerance asked for.
    """

    least: float
    point: FloatArray | None
    nodes: int
    complete: bool


@dataclass(frozen=True, eq=False)
class Swaps:
    """The symmetry that prices respect: the samples' values in each cell, and each sample's class."""

    cells: IntArray
    classes: IntArray


class Search:
    """The boxes of one program; one search a pair of prices and tolerance."""

    def __init__(self, program: Program, swaps: Swaps | None = None) -> None:
        from discreet.sample_privacy._simplex_kernels import dual_simplex, first_basis

        self.program = program
        size, r = program.size, program.rank
        upper = _largest(program)
        if program.latent is None:
            self.rows, self.b = program.rows, program.b
            self.concave = np.ones(size, np.bool_)
            self.lower, self.upper = np.zeros(size), upper
        else:
            m = len(program.latent)
            self.rows = np.block([[program.rows, np.zeros((r, m))], [program.latent, -np.eye(m)]])
            self.b = np.concatenate([program.b, np.zeros(m)])
            self.concave = np.arange(size + m) >= size
            self.lower = np.zeros(size + m)
            self.upper = np.concatenate([upper, np.ones(m)])
            basis = first_basis(self.rows)
            for w in range(m):
                for sign in (1.0, -1.0):
                    cost = np.where(np.arange(size + m) == size + w, sign, 0.0)
                    _, bound, _ = dual_simplex(
                        self.rows, self.b, cost, self.lower, self.upper, basis, np.inf, 50 * len(self.b) + 500
                    )
                    if sign > 0:
                        self.lower[size + w] = max(0.0, bound)
                    else:
                        self.upper[size + w] = max(self.lower[size + w], min(1.0, -bound))
        self.basis = first_basis(self.rows)
        if swaps is None or program.latent is not None:
            swaps = Swaps(np.empty((size, 0), np.int64), np.empty(0, np.int64))
        self.swaps = swaps
        self.values = int(swaps.cells.max(initial=0)) + 1

    def run(self, prices: FloatArray, tolerance: float, deadline: float) -> Proof:
        """Look for a posterior with H(W|u) − λ·u < −tolerance, until the deadline of ``_clock.now()``."""
        from discreet.sample_privacy._simplex_kernels import branch

        variables = len(self.lower)
        cost = np.zeros(variables)
        cost[: self.program.size] = prices
        lowers, uppers = np.empty((DEPTH, variables)), np.empty((DEPTH, variables))
        bases = np.empty((DEPTH, len(self.b)), np.int64)
        labels = np.empty((DEPTH, len(self.swaps.classes)), np.int64)
        bounds = np.full(DEPTH, -np.inf)
        lowers[0], uppers[0], bases[0] = self.lower, self.upper, self.basis
        labels[0] = [int(np.flatnonzero(self.swaps.classes == label)[0]) for label in self.swaps.classes]
        point, depth, nodes, status = np.empty(variables), 1, 0, 2
        while status == 2 and _clock.now() < deadline:
            status, depth, more = branch(
                self.rows, self.b, cost, self.concave, self.swaps.cells, self.values, tolerance,
                lowers, uppers, bases, labels, bounds, depth, BUDGET, point,
            )  # fmt: skip
            nodes += more
        if status == 1:
            return Proof(-np.inf, point[: self.program.size].copy(), nodes, False)
        if status == 0:
            return Proof(-tolerance, None, nodes, True)
        return Proof(min(-tolerance, float(bounds[:depth].min())), None, nodes, False)


def _largest(program: Program) -> FloatArray:
    """The largest mass that a posterior can have on each cell."""
    from discreet.sample_privacy._simplex_kernels import dual_simplex, first_basis

    size = program.size
    basis = first_basis(program.rows)
    found = np.empty(size)
    for j in range(size):
        cost = np.where(np.arange(size) == j, -1.0, 0.0)
        _, bound, _ = dual_simplex(
            program.rows, program.b, cost, np.zeros(size), np.ones(size), basis, np.inf, 50 * program.rank + 500
        )
        found[j] = -bound
    return np.clip(found, 0.0, 1.0)
