"""The uniformiser: a letter that is uniform on M, drawn from one sample of any pmf [SP, Ex 5]."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet._typing import FloatArray, IntArray

ON_EDGE = 1e-14
"""A boundary of a sample's pmf this close to a boundary between letters is put on it."""


@dataclass(frozen=True, eq=False)
class Uniformiser:
    """p(s|x) with S uniform on M letters: S = ⌊M (F(x⁻) + U p(x))⌋, F the distribution function, U uniform.

    x: value, s: letter, mass: p(s|x) of each pair that can occur, sorted by x then s. At most |X| + M − 1 of them. For two
    letters and Bernoulli(q) it is the Z channel of [SP, Ex 5].
    """

    pmf: FloatArray
    letters: int
    x: IntArray
    s: IntArray
    mass: FloatArray

    @classmethod
    def of(cls, pmf: FloatArray, letters: int) -> Uniformiser:
        """Cut [0, 1) at the pmf's and at the letters' boundaries."""
        edges = np.concatenate([[0.0], np.cumsum(pmf)])
        edges /= edges[-1]
        near = np.round(edges * letters) / letters
        edges = np.where(np.abs(near - edges) < ON_EDGE, near, edges)
        cuts = np.unique(np.concatenate([edges, np.arange(letters + 1) / letters]))
        middle = (cuts[:-1] + cuts[1:]) / 2
        x = np.searchsorted(edges, middle, side="right").astype(np.int64) - 1
        width = np.bincount(x, weights=np.diff(cuts), minlength=len(pmf))
        return cls(pmf, letters, x, np.floor(middle * letters).astype(np.int64), np.diff(cuts) / width[x])

    @cached_property
    def loss(self) -> float:
        """H(S|X) in bits."""
        return -float((self.pmf[self.x] * self.mass) @ np.log2(self.mass))

    @cached_property
    def divergence(self) -> float:
        """D(S ‖ uniform) in bits; rounding only when the pmf is right."""
        p_s = np.bincount(self.s, weights=self.pmf[self.x] * self.mass, minlength=self.letters)
        excess = p_s * self.letters - 1
        return float(((1 + excess) * np.log1p(excess) - excess).sum()) / self.letters / math.log(2)

    @property
    def rate(self) -> float:
        """I(X;S) = log2 M − H(S|X): bits a sample disclosed when n is large."""
        return math.log2(self.letters) - self.loss

    def rows(self) -> list[tuple[IntArray, FloatArray]]:
        """Letters and masses of each x; a value of probability zero gets any letter."""
        ends = np.searchsorted(self.x, np.arange(len(self.pmf) + 1))
        every = (np.arange(self.letters), np.full(self.letters, 1 / self.letters))
        return [(self.s[a:b], self.mass[a:b]) if b > a else every for a, b in itertools.pairwise(ends)]

    def shifted(self, x: IntArray, s: IntArray, shift: IntArray) -> FloatArray:
        """ln p(s + shift | x), one row per pair and one column per shift; −inf where that cannot occur."""
        at = x[:, None] * self.letters + (s[:, None] + shift) % self.letters
        key = self.x * self.letters + self.s
        place = np.minimum(np.searchsorted(key, at), len(key) - 1)
        return np.where(key[place] == at, np.log(self.mass)[place], -np.inf)


def asymptotic_efficiency(pmf: FloatArray, letters: int) -> float:
    """lim I(Xⁿ;Y)/H(Xⁿ) = I(X;S)/H(X) for identical samples; [1 − (1−q) h(β)]/h(q) for Bernoulli(q) and two letters.

    Examples
    --------
    >>> round(asymptotic_efficiency(np.array([0.7, 0.3]), 2), 6)
    0.449132
    >>> round(asymptotic_efficiency(np.array([0.7, 0.3]), 10), 6)
    1.0
    """
    seen = pmf[pmf > 0]
    return Uniformiser.of(pmf, letters).rate / -float(seen @ np.log2(seen))
