"""p from the rows of a table, and what the mapping may leak when the true p is another one.

A mapping computed from an estimate p̂ is private under p̂; the rows only say that the true p is near p̂. `Estimate.radius` is
an L1 distance that p exceeds with probability at most 1 − confidence, for any number of rows. `leak_bound` bounds
max_g I(X_g;Y) for **every** p within such a distance (proof in `leak_bounds`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import _checks as checks
from discreet._typing import FloatArray, IntArray, Smoothing
from discreet.errors import InputError
from discreet.sample_privacy._analysis import Groups
from discreet.sample_privacy._leak_bounds import checked_channel, group_leak_bound
from discreet.sample_privacy._problem import CELL_LIMIT, array_of, checked_pmf, family


@dataclass(frozen=True, eq=False)
class Estimate:
    """A pmf estimated from rows.

    p: the estimate, one axis a sample. counts: rows seen in each cell. rows: how many rows. smoothing: how.
    """

    p: FloatArray
    counts: IntArray
    rows: int
    smoothing: Smoothing

    @property
    def unseen(self) -> int:
        """Cells that no row fell into."""
        return int((self.counts == 0).sum())

    @cached_property
    def shift(self) -> float:
        """L1 distance that smoothing moved the estimate away from the frequencies."""
        return float(np.abs(self.p - self.counts / self.rows).sum())

    def radius(self, confidence: float = 0.95) -> float:
        """An L1 distance from `p` within which the true pmf lies with at least this confidence.

        The rows must be independent draws of xⁿ. The distance of the frequencies from the truth is at most the least of
        three finite-sample bounds, to which the shift of the smoothing is added: √(2 (ln(2^d − 2) + ln 1/δ)/N) (Weissman
        et al. 2003); √((d − 1)/N) + √(2 ln(1/δ)/N), the mean and McDiarmid's inequality; and
        2 Σ √c_x / N + 3 √(2 ln(2/δ)/N), the empirical Rademacher average, which does not grow with cells that never occur.
        d is the number of cells; the first two share half of the failure probability, the third has the other half.
        """
        d, n, half = self.p.size, self.rows, (1 - checks.probability(confidence, name="confidence")) / 2
        subsets = d * math.log(2) if d > 60 else math.log(max(2.0**d - 2, 1.0))
        weissman = math.sqrt(2 * (subsets + math.log(1 / half)) / n)
        mean = math.sqrt((d - 1) / n) + math.sqrt(2 * math.log(1 / half) / n)
        seen = 2 * float(np.sqrt(self.counts).sum()) / n + 3 * math.sqrt(2 * math.log(2 / half) / n)
        return min(2.0, min(weissman, mean, seen) + self.shift) if d > 1 else 0.0


def estimate(
    codes: Any, sizes: Sequence[int], *, smoothing: Smoothing = "counts", alpha: float | None = None
) -> Estimate:
    """Estimate p(xⁿ) from rows, each an independent draw of xⁿ.

    codes: whole numbers, rows × n; sizes: the alphabet size of each column. smoothing "counts": the frequencies.
    "laplace": alpha (1) more rows in each cell. "bayes": the posterior mean under a Dirichlet prior that is centred on
    independent samples and counts for alpha rows; without alpha the number of rows that makes the data most likely.

    Examples
    --------
    >>> estimate([[0, 0], [0, 1], [1, 1], [1, 1]], (2, 2)).p.tolist()
    [[0.25, 0.25], [0.0, 0.5]]
    """
    shape = tuple(checks.count(size, name="the size of an alphabet") for size in sizes)
    rows = array_of(codes, "rows")
    if rows.ndim in (1, 2) and not len(rows):
        raise InputError("the table has no rows: there is nothing to estimate from")
    if rows.ndim != 2 or rows.shape[1] != len(shape):
        raise InputError(f"rows must be an array of shape (rows, {len(shape)}), not {rows.shape}")
    if rows.dtype.kind not in "iu":
        raise InputError("rows must hold whole numbers, 0 for the first letter of a column's alphabet")
    if (rows < 0).any() or (rows >= np.array(shape)).any():
        column = int(np.flatnonzero(((rows < 0) | (rows >= np.array(shape))).any(axis=0))[0])
        raise InputError(f"column {column} holds a number outside its alphabet of {shape[column]} letters")
    if math.prod(shape) > CELL_LIMIT:
        raise InputError(
            f"{math.prod(shape):,} cells are more than {CELL_LIMIT:,}: take fewer samples or merge letters"
        )
    if alpha is not None:
        alpha = checks.positive(alpha, name="alpha")
    flat = np.ravel_multi_index(tuple(rows.T), shape)
    counts = np.bincount(flat, minlength=math.prod(shape)).astype(np.int64).reshape(shape)
    if smoothing == "counts":
        if alpha is not None:
            raise InputError("alpha is of no use to smoothing 'counts': leave it out, or smooth by laplace or bayes")
        return Estimate(counts / len(rows), counts, len(rows), smoothing)
    if smoothing == "laplace":
        prior = np.full(shape, 1.0 if alpha is None else float(alpha))
    elif smoothing == "bayes":
        centre = _independent_centre(counts)
        prior = centre * (_likeliest_strength(counts, centre) if alpha is None else float(alpha))
    else:
        raise InputError(f"smoothing {smoothing!r} is unknown: use counts, laplace or bayes")
    return Estimate((counts + prior) / (len(rows) + float(prior.sum())), counts, len(rows), smoothing)


def _independent_centre(counts: IntArray) -> FloatArray:
    """The product of the marginals, each smoothed by half a row per letter."""
    out = np.ones(())
    for i in range(counts.ndim):
        one = counts.sum(axis=tuple(j for j in range(counts.ndim) if j != i)) + 0.5
        out = np.multiply.outer(out, one / one.sum())
    return np.asarray(out)


def _likeliest_strength(counts: IntArray, centre: FloatArray) -> float:
    """The strength of a Dirichlet prior with this mean under which the counts are most likely."""
    from scipy.optimize import minimize_scalar
    from scipy.special import gammaln

    seen = counts > 0
    c, m, n = counts[seen], centre[seen], counts.sum()

    def unlikely(log_strength: float) -> float:
        a = math.exp(log_strength)
        return float(gammaln(a + n) - gammaln(a) - (gammaln(c + a * m) - gammaln(a * m)).sum())

    found = minimize_scalar(unlikely, bounds=(math.log(1e-3), math.log(1e6 * (n + 1))), method="bounded")
    return math.exp(float(found.x))


def fill_unseen(p: FloatArray, channel: FloatArray) -> FloatArray:
    """The mapping with p(y) wherever p = 0: a sample that the estimate deems impossible gets a letter that says nothing.

    Privacy under p is untouched, since those cells have no weight; and in `leak_bound` they cost nothing by themselves,
    because D(p(·|x) ‖ p_Y) = 0 there.
    """
    p_y = np.tensordot(p, channel, axes=p.ndim)
    return np.where((p > 0)[..., None], channel, p_y / p_y.sum())


@dataclass(frozen=True)
class Guarantee:
    """With `confidence`, no private group's I(X_g;Y) exceeds `leak_bound` bits.

    radius: the L1 distance from the estimate that was allowed for; rows: the rows behind it; worst: the group with the
    largest bound; bounds: the bound of each group; unseen: cells that no row fell into.
    """

    confidence: float
    radius: float
    rows: int
    leak_bound: float
    worst: tuple[int, ...]
    bounds: dict[tuple[int, ...], float]
    unseen: int

    def to_dict(self) -> dict[str, Any]:
        """The guarantee for JSON; `from_dict` reads it."""
        return {
            "confidence": self.confidence,
            "radius": self.radius,
            "rows": self.rows,
            "worst": list(self.worst),
            "bounds": [[list(group), bound] for group, bound in self.bounds.items()],
            "unseen": self.unseen,
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Guarantee:
        """The guarantee that `to_dict` described."""
        bounds = {tuple(group): float(bound) for group, bound in said["bounds"]}
        worst = tuple(said["worst"])
        return cls(said["confidence"], said["radius"], said["rows"], bounds[worst], worst, bounds, said["unseen"])


def guarantee(
    estimated: Estimate, channel: FloatArray, *, private: Groups | None = None, confidence: float = 0.95
) -> Guarantee:
    """What remains of a mapping's privacy when p is only known from rows."""
    radius = estimated.radius(confidence)
    groups = family(private, estimated.p.ndim)
    bounds = {g: group_leak_bound(estimated.p, channel, g, radius) for g in groups} or {(): 0.0}
    worst = max(bounds, key=lambda g: bounds[g])
    return Guarantee(confidence, radius, estimated.rows, bounds[worst], worst, bounds, estimated.unseen)


def leak_bound(
    p_hat: npt.ArrayLike, channel: npt.ArrayLike, *, private: Groups | None = None, radius: float = 0.0
) -> float:
    """An upper bound on max_g I(X_g;Y) in bits over every true p with ‖p − p̂‖₁ ≤ radius (proof in `leak_bounds`).

    p_hat: the estimate; channel: p(y|xⁿ) of shape p_hat.shape + (|Y|,), defined in every cell, unseen ones too.

    Examples
    --------
    >>> leak_bound([[0.25, 0.25], [0.25, 0.25]], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]])
    0.0
    """
    p = checked_pmf(p_hat)
    letters = checked_channel(channel, p.shape)
    radius = checks.number(radius, name="radius", least=0)
    return max((group_leak_bound(p, letters, g, radius) for g in family(private, p.ndim)), default=0.0)
