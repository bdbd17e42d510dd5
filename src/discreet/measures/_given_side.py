"""What X tells beyond A, which the adversary knows already: leakages of the pmf, conditional on side information.

Somebody who knows a is faced with the joint of S and X among the records with that a. Averages are taken over a; the worst case
is that of the worst a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.measures._pmf import entropy_of, sums

if TYPE_CHECKING:
    from discreet.joint._joint import Joint


@dataclass(frozen=True, eq=False)
class Triples:
    """The distinct (s, x, a) in order of their (x, a), with the letters (s, a) and (x, a) that each is made of."""

    p: FloatArray  # p(s, x, a)
    sa: IntArray  # the letter (s, a) of each triple
    xa: IntArray  # the letter (x, a) of each triple
    a: IntArray  # its a
    starts: IntArray  # where each (x, a) begins
    p_sa: FloatArray
    p_xa: FloatArray
    p_a: FloatArray
    a_of_sa: IntArray
    a_of_xa: IntArray

    @classmethod
    def of(cls, joint: Joint) -> Triples:
        """Read off the side information of a joint; MeasureError where it has none."""
        joint.require_counts()
        side = joint.side
        widths = np.diff(side.counts.indptr)
        p = side.counts.data / float(side.counts.data.sum())
        xa = np.repeat(np.arange(len(widths)), widths)
        a = side.a_of[xa].astype(np.int64)
        keys, sa = np.unique(a * joint.n_s + side.counts.indices, return_inverse=True)
        return cls(
            p,
            sa,
            xa,
            a,
            side.counts.indptr[:-1].astype(np.int64),
            sums(sa, p),
            sums(xa, p),
            sums(a, p, len(side.a)),
            keys // joint.n_s,
            side.a_of.astype(np.int64),
        )

    def by_xa(self, values: FloatArray, reduce: np.ufunc) -> FloatArray:
        """Reduce a value per triple to a value per (x, a)."""
        return np.asarray(reduce.reduceat(values, self.starts))


def mutual_information_given(joint: Joint) -> float:
    """I(S;X|A), in bits."""
    t = Triples.of(joint)
    lift = t.p * t.p_a[t.a] / (t.p_sa[t.sa] * t.p_xa[t.xa])
    return max(0.0, float(t.p @ np.log2(lift)))


def min_entropy_leakage_given(joint: Joint) -> float:
    """log2 of how much better one guess at S becomes on average when X is seen beside A."""
    t = Triples.of(joint)
    before = np.zeros(len(t.p_a))
    np.maximum.at(before, t.a_of_sa, t.p_sa)
    return max(0.0, math.log2(float(t.by_xa(t.p, np.maximum).sum() / before.sum())))


def maximal_leakage_given(joint: Joint) -> float:
    """max over a of log2 Σ_x max_s p(x|s,a) [Issa, Wagner and Kamath 2020, conditional maximal leakage]."""
    t = Triples.of(joint)
    best = t.by_xa(t.p / t.p_sa[t.sa], np.maximum)
    return max(0.0, math.log2(float(sums(t.a_of_xa, best).max())))


def gacs_korner_information_given(joint: Joint) -> float:
    """What S and X have in common for sure beyond A: the entropy of the component within a, averaged over a."""
    from scipy import sparse
    from scipy.sparse import csgraph

    t = Triples.of(joint)
    n_sa, n_xa = len(t.p_sa), len(t.p_xa)
    edges = sparse.csr_array((np.ones(len(t.p), np.int8), (t.sa, n_sa + t.xa)), shape=(n_sa + n_xa, n_sa + n_xa))
    number, component = csgraph.connected_components(edges, directed=False)
    # (s, a) and (x, a) are joined only within one a, so a component lies within one.
    shared = entropy_of(sums(component[:n_sa], t.p_sa, number))
    return max(0.0, shared - entropy_of(t.p_a))


def sibson_information_given(joint: Joint, order: float) -> float:
    """min over q(x|a) of D_α(p(s,x,a) ‖ p(s,a) q(x|a)) [Esposito, Wu and Gastpar 2021].

    That is 1/(α−1) log2 Σ_a p(a) 2^{(α−1) I_α(a)}, with Sibson's I_α(a) among the records with a: the mean over a as α tends to
    1, and the worst a as it tends to infinity.
    """
    t = Triples.of(joint)
    weight = t.p_sa[t.sa] / t.p_a[t.a]
    if order == 0:
        seen = np.zeros(len(t.p_a))
        np.maximum.at(seen, t.a_of_xa, t.by_xa(weight, np.add))
        return max(0.0, -math.log2(min(1.0, float(t.p_a @ seen))))
    channel = np.log2(t.p / t.p_sa[t.sa])
    top = t.by_xa(order * channel, np.maximum)
    inner = top + np.log2(t.by_xa(weight * np.exp2(order * channel - top[t.xa]), np.add))
    scaled = inner / order
    most = np.full(len(t.p_a), -np.inf)
    np.maximum.at(most, t.a_of_xa, scaled)
    totals = sums(t.a_of_xa, np.exp2(scaled - most[t.a_of_xa]), len(most))
    powers = order * (most + np.log2(totals))  # (α − 1) I_α(a)
    largest = float(powers.max())
    return max(0.0, (largest + math.log2(float(t.p_a @ np.exp2(powers - largest)))) / (order - 1))


def renyi_leakage_given(joint: Joint, order: float) -> float:
    """max over (x, a) of D_α(p(s|x,a) ‖ p(s|a))."""
    t = Triples.of(joint)
    prior = t.p_sa[t.sa] / t.p_a[t.a]
    if order == 0:
        return max(0.0, -math.log2(min(1.0, float(t.by_xa(prior, np.add).min()))))
    q = t.p / t.p_xa[t.xa]
    logs = np.log2(q / prior)
    if order == math.inf:
        return max(0.0, float(logs.max()))
    if abs(order - 1) < 1e-7:
        return max(0.0, float(t.by_xa(q * logs, np.add).max()))
    top = t.by_xa(order * logs, np.maximum)
    inner = top + np.log2(t.by_xa(prior * np.exp2(order * logs - top[t.xa]), np.add))
    return max(0.0, float((inner / (order - 1)).max()))
