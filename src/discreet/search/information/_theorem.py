"""f and g of [PF, Theorem 1]: what merging a set of blocks does to I(S;X̂) and I(X;X̂).

For the blocks x̂ of the current partition and a set W of them, Ŵ their union,

    f(W) = Σ_{x̂∈W} p(x̂) log2 p(x̂)/p(Ŵ),        g(W) = Σ_s Σ_{x̂∈W} p(s,x̂) log2 p(s,x̂)/p(s,Ŵ),

both submodular and nonincreasing, 0 on ∅ and on every singleton, and merging W gives X̂_W with

    I(S;X̂_W) = I(S;X̂) + f(W) − g(W),     I(X̂;X̂_W) = H(X̂) + f(W),
    I(S;X̂_W) − λ I(X̂;X̂_W) = const + (1−λ) f(W) − g(W).

The paper prints "f(W) ≥ f(Y) for all Y ⊆ W" for nonincreasing; it means, and proves, W ⊆ Y. Its proof calls −y log y convex
where y log y is meant.

With weights in place of probabilities and h(y) = y log2 y: N·f(W) = Σ_{x∈W} h(n_x) − h(n_W), N·g(W) = Σ_s [Σ_{x∈W} h(n_sx)
− h(n_sW)]. Gains along an order are one pass over the stored pairs, O(nnz).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet._typing import BoolArray, FloatArray, IntArray, Problem
from discreet.search.information._weights import Weights, h_of

"""A set of blocks, as a mask."""

TABLED = 4_000_000
"""Up to this many records a table of h(0), h(1), … h(N) replaces every logarithm."""


def table_of(weights: Weights) -> FloatArray:
    """h(0), h(1), … h(N) where weights are whole numbers and not too many; else empty."""
    small = weights.is_integral and weights.total <= TABLED
    return h_of(np.arange(int(weights.total) + 1, dtype=float)) if small else np.zeros(0)


@dataclass(frozen=True, eq=False)
class Merges:
    """Every set of blocks that could be merged next, with f and g of Theorem 1 in bits."""

    weights: Weights
    table: FloatArray = field(repr=False)

    @classmethod
    def of(cls, weights: Weights) -> Merges:
        """The merges of the letters themselves."""
        return cls(weights, table_of(weights))

    @property
    def n(self) -> int:
        """The number of blocks."""
        return self.weights.n

    def after(self, member: BoolArray) -> Merges:
        """The merges that are left when `member` has become one block, named by its lowest."""
        block_of = np.arange(self.n)
        block_of[member] = np.flatnonzero(member)[0]
        return Merges(self.weights.merged(block_of), self.table)

    @cached_property
    def rows(self) -> tuple[IntArray, npt.NDArray[np.int32], FloatArray, FloatArray]:
        """(indptr, indices, weight, of_letter), as the kernels take them."""
        w = self.weights
        return w.indptr, w.indices, w.weight, w.of_letter

    @cached_property
    def own(self) -> tuple[FloatArray, FloatArray]:
        """h(n_x) and Σ_s h(n_sx) of each block."""
        from discreet.search.information import _theorem_kernels as mdsf

        indptr, _, weight, of_letter = self.rows
        found: tuple[FloatArray, FloatArray] = mdsf.own(indptr, weight, of_letter, self.table)
        return found

    def f_gains(self, order: IntArray) -> FloatArray:
        """f(first i + 1) − f(first i) along an order of some or all blocks, in bits."""
        from discreet.search.information import _theorem_kernels as mdsf

        return self._bits(mdsf.gains_of_f(order, self.weights.of_letter, self.own[0], self.table))

    def g_gains(self, order: IntArray) -> FloatArray:
        """g(first i + 1) − g(first i) along an order of some or all blocks, in bits."""
        from discreet.search.information import _theorem_kernels as mdsf

        w = self.weights
        return self._bits(mdsf.gains_of_g(order, w.indptr, w.indices, w.weight, self.own[1], w.n_s, self.table))

    def f_gains_at(self, member: BoolArray) -> FloatArray:
        """f(x | W − x) of every block x, in bits: its gain on top of W without it."""
        from discreet.search.information import _theorem_kernels as mdsf

        return self._bits(mdsf.gains_at_f(member, self.weights.of_letter, self.own[0], self.table))

    def g_gains_at(self, member: BoolArray) -> FloatArray:
        """g(x | W − x) of every block x, in bits."""
        from discreet.search.information import _theorem_kernels as mdsf

        return self._bits(mdsf.gains_at_g(member, *self.rows, self.own[1], self.weights.n_s, self.table))

    def f(self, member: BoolArray) -> float:
        """f(W) = Σ_{x̂∈W} p(x̂) log2 p(x̂)/p(Ŵ) = I(X̂;X̂_W) − H(X̂), in bits."""
        return float(self.f_gains(np.flatnonzero(member)).sum())

    def g(self, member: BoolArray) -> float:
        """g(W) = Σ_s Σ_{x̂∈W} p(s,x̂) log2 p(s,x̂)/p(s,Ŵ), in bits."""
        return float(self.g_gains(np.flatnonzero(member)).sum())

    def change(self, member: BoolArray, multiplier: float, problem: Problem = "funnel") -> float:
        """What merging W adds to the objective, in bits: (1−λ) f(W) − g(W) for PF [PF, (5)], its negative for IB [PF, (7)]."""
        lagrangian = (1 - multiplier) * self.f(member) - self.g(member)
        return lagrangian if problem == "funnel" else -lagrangian

    def _bits(self, found: Any) -> FloatArray:
        bits: FloatArray = found / self.weights.total
        return bits
