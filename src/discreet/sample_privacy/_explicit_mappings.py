"""Mappings that can be written down: two binary samples, every p with nul(P) = 1 [SP, III-B], and the uniformiser [SP, Ex 5].

Where nul(P) = 1 the polytope {t ≥ 0 : P t = P p} is a segment. Its two ends are the letters of Y, p fixes their weights, and
so the mapping is the same whatever the latent is: only its information differs. The uniformiser draws a letter that is
uniform on M from one sample of any pmf.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.sample_privacy._analysis import Groups, information
from discreet.sample_privacy._constraints import Constraints, null_direction
from discreet.sample_privacy._problem import make_problem


@dataclass(frozen=True, eq=False)
class SegmentMapping:
    """The optimal mapping of a polytope that is a segment, for every latent at once.

    p: the pmf of the samples. p_y: p(y). vertices: p(xⁿ|y), one row per letter. channel: p(y|xⁿ) of shape
    p.shape + (|Y|,), equal to p(y) where p = 0. One letter only when nothing can be disclosed.
    """

    p: FloatArray
    p_y: FloatArray
    vertices: FloatArray
    channel: FloatArray

    def information(self, latent: FloatArray | None = None) -> float:
        """I(W;Y) in bits, which is I_s(W, Xⁿ); latent is p(w|xⁿ), None for W = Xⁿ."""
        letters = (self.vertices.reshape(len(self.p_y), -1) * self.p_y[:, None]).T
        return information(letters if latent is None else latent.reshape(self.p.size, -1).T @ letters)


def segment(p: FloatArray, ends: FloatArray, p_y: FloatArray) -> SegmentMapping:
    """A mapping from the two ends (flat rows) and their weights."""
    return SegmentMapping(p, p_y, ends.reshape(len(p_y), *p.shape), channel_of(p, p_y, ends))


def channel_of(p: FloatArray, p_y: FloatArray, vertices: FloatArray) -> FloatArray:
    """p(y|xⁿ) = p(y) p(xⁿ|y) / p(xⁿ), of shape p.shape + (|Y|,); p(y) where p = 0, so that unseen xⁿ say nothing.

    vertices has one row per letter: p(xⁿ|y), flat.
    """
    flat = p.ravel()
    out = np.tile(p_y, (len(flat), 1))
    seen = flat > 0
    out[seen] = (vertices[:, seen] * p_y[:, None]).T / flat[seen, None]
    return np.asarray(out.reshape(*p.shape, len(p_y)))


@dataclass(frozen=True, eq=False)
class TwoBinarySamples:
    """Two binary samples in the parameters of [SP, (23)]: P(X1=0) = α ≤ β = P(X2=0) and r = p(0, 1).

    (25) and (26) need α ≤ β, so alpha, beta and r are those of the samples in the other order where p(0, 1) > p(1, 0).
    """

    p: FloatArray
    alpha: float
    beta: float
    r: float

    @cached_property
    def mapping(self) -> SegmentMapping:
        """The mapping (26), in the given order of the samples.

        In terms of p: along n = (1, −1, −1, 1) p may rise by r = min(p01, p10) and fall by R − r = min(p00, p11),
        R = min(α, 1 − β). Written so, no difference of nearly equal numbers is taken and the samples need not change
        places.
        """
        (p00, p01), (p10, p11) = self.p
        rise, fall = min(p01, p10), min(p00, p11)
        if rise == 0 or fall == 0:  # r is 0 or R: nul(P) = 0, so Y is constant
            return segment(self.p, self.p.reshape(1, 4), np.ones(1))
        direction = np.array([1.0, -1.0, -1.0, 1.0])
        low, high = self.p.ravel() - fall * direction, self.p.ravel() + rise * direction
        low[0 if p00 <= p11 else 3] = 0.0
        high[1 if p01 <= p10 else 2] = 0.0
        return segment(self.p, np.stack([low, high]), np.array([rise, fall]) / (rise + fall))

    def information(self, latent: FloatArray | None = None) -> float:
        """I_s of (25) in bits; latent is p(w|x1, x2) of shape (2, 2, |W|), None for self-disclosure."""
        return self.mapping.information(latent)


def two_binary_samples(p: FloatArray) -> TwoBinarySamples:
    """The closed form (25)–(26) for any pmf on two binary samples.

    Examples
    --------
    >>> found = two_binary_samples(np.array([[0.49, 0.21], [0.21, 0.09]]))
    >>> round(found.information(), 6)
    0.398529
    """
    p = make_problem(p).p
    if p.shape != (2, 2):
        raise InputError(f"the closed form is for two binary samples, not for shape {p.shape}: use disclose")
    ordered = p.T if p[0, 1] > p[1, 0] else p
    return TwoBinarySamples(p, float(ordered[0].sum()), float(ordered[:, 0].sum()), float(ordered[0, 1]))


def universal_mapping(p: FloatArray, private: Groups | None = None) -> SegmentMapping | None:
    """The mapping that is optimal for every latent, where [SP, Prop 4] promises one; None where it does not.

    The proposition needs nul(P) = 1. Its stated hypothesis |support| = Σ|X_i| − n + 2 gives that only together with
    rank(P) = Σ|X_i| − n + 1: two disjoint 2×2 blocks meet the first, have nul(P) = 2, and their optimal mapping depends
    on the latent.
    """
    p = make_problem(p, None, private).p
    system = Constraints.of(p, private)
    direction = null_direction(system, None) if system.nullity == 1 else None
    if direction is None:
        return None
    mass = p.ravel()[system.where]
    up, down = np.flatnonzero(direction < 0), np.flatnonzero(direction > 0)
    rises, falls = mass[up] / -direction[up], mass[down] / direction[down]
    low, high = mass - falls.min() * direction, mass + rises.min() * direction
    low[down[falls.argmin()]] = 0.0
    high[up[rises.argmin()]] = 0.0
    ends = np.zeros((2, p.size))
    ends[:, system.where] = np.stack([low, high]).clip(0)
    return segment(p, ends, np.array([rises.min(), falls.min()]) / (rises.min() + falls.min()))


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
