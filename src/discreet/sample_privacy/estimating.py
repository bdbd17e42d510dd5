"""p from the rows of a table, and what the mapping may leak when the true p is another one.

A mapping computed from an estimate p̂ is private under p̂; the rows only say that the true p is near p̂. `Estimate.radius` is
an L1 distance that p exceeds with probability at most 1 − confidence, for any number of rows. `leak_bound` bounds
max_g I(X_g;Y) for **every** p within such a distance.

**How leak_bound works.** Write s for the law of Y under p̂, h_x(y) = p(y|x)/s(y) − 1, and u_a = Σ_{x: x_g=a} p(x) h_x. Then
p(y | x_g=a) = s(y) (1 + u_a(y)/p(a)), and I(X_g;Y) ≤ B(p) = Σ_a p(a) D(p(·|a) ‖ s), because I is B less D(p_Y ‖ s). With
ψ(z) = (1+z) ln(1+z) − z ≤ z²/2 for z ≥ 0 and ≤ (1+|z|) z²/2 for −1 ≤ z < 0,

    B(p) ≤ (1 + z₋)/(2 ln 2) · F(p),   F(p) = Σ_a ‖u_a‖²_s / p(a),   z₋ = max of −u_a(y)/p(a) over p, a, y.

F is a sum of quadratic-over-linear functions of p, hence convex, and u = 0 at p̂: its maximum over ‖p − p̂‖₁ ≤ ε is at a
vertex, ε/2 moved from one x' to one x, and z₋ is linear-fractional, so it is there too. The bound is therefore quadratic in ε.
Values a rarer than ε/2 have no such bound; for them D is convex, so their part of B is at most Σ p(x) D(p(·|x) ‖ s). Both ways
are combined, value by value of a threshold, and the least is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.sample_privacy.analysis import Floats, Groups, Ints
from discreet.sample_privacy.problem import CELL_LIMIT, family

Bools = npt.NDArray[np.bool_]
Smoothing = Literal["counts", "laplace", "bayes"]

CROWD = 2048
"""Cells of one value of X_g beyond which their largest distance is bounded instead of searched."""

THRESHOLDS = 24
"""Ways of dividing the values of X_g into frequent and rare that are tried."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """A pmf estimated from rows.

    p: the estimate, one axis a sample. counts: rows seen in each cell. rows: how many rows. smoothing: how.
    strength: pseudo-rows that smoothing added.
    """

    p: Floats
    counts: Ints
    rows: int
    smoothing: Smoothing
    strength: float

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
        if not 0 < confidence < 1:
            raise InputError(f"confidence must lie between 0 and 1, not {confidence}")
        d, n, half = self.p.size, self.rows, (1 - confidence) / 2
        subsets = d * math.log(2) if d > 60 else math.log(max(2.0**d - 2, 1.0))
        weissman = math.sqrt(2 * (subsets + math.log(1 / half)) / n)
        mean = math.sqrt((d - 1) / n) + math.sqrt(2 * math.log(1 / half) / n)
        seen = 2 * float(np.sqrt(self.counts).sum()) / n + 3 * math.sqrt(2 * math.log(2 / half) / n)
        return min(2.0, min(weissman, mean, seen) + self.shift) if d > 1 else 0.0


def estimate(codes: Any, sizes: Sequence[int], smoothing: Smoothing = "counts", alpha: float | None = None) -> Estimate:
    """Estimate p(xⁿ) from rows, each an independent draw of xⁿ.

    codes: whole numbers, rows × n; sizes: the alphabet size of each column. smoothing "counts": the frequencies.
    "laplace": alpha (1) more rows in each cell. "bayes": the posterior mean under a Dirichlet prior that is centred on
    independent samples and counts for alpha rows; without alpha the number of rows that makes the data most likely.

    >>> estimate([[0, 0], [0, 1], [1, 1], [1, 1]], (2, 2)).p.tolist()
    [[0.25, 0.25], [0.0, 0.5]]
    """
    shape = tuple(int(size) for size in sizes)
    rows = np.asarray(codes)
    if rows.ndim != 2 or rows.shape[1] != len(shape) or not len(rows):
        raise InputError(f"rows must be an array of shape (rows, {len(shape)}) with at least one row, not {rows.shape}")
    if rows.dtype.kind not in "iu":
        raise InputError("rows must hold whole numbers, 0 for the first letter of a column's alphabet")
    if (rows < 0).any() or (rows >= np.array(shape)).any():
        column = int(np.flatnonzero(((rows < 0) | (rows >= np.array(shape))).any(axis=0))[0])
        raise InputError(f"column {column} holds a number outside its alphabet of {shape[column]} letters")
    if math.prod(shape) > CELL_LIMIT:
        raise InputError(
            f"{math.prod(shape):,} cells are more than {CELL_LIMIT:,}: take fewer samples or merge letters"
        )
    if alpha is not None and not alpha > 0:
        raise InputError(f"alpha must be positive, not {alpha}")
    flat = np.ravel_multi_index(tuple(rows.T), shape)
    counts = np.bincount(flat, minlength=math.prod(shape)).astype(np.int64).reshape(shape)
    if smoothing == "counts":
        return Estimate(counts / len(rows), counts, len(rows), smoothing, 0.0)
    if smoothing == "laplace":
        prior = np.full(shape, 1.0 if alpha is None else float(alpha))
    elif smoothing == "bayes":
        centre = _independent_centre(counts)
        prior = centre * (_likeliest_strength(counts, centre) if alpha is None else float(alpha))
    else:
        raise InputError(f"smoothing {smoothing!r} is unknown: use counts, laplace or bayes")
    strength = float(prior.sum())
    return Estimate((counts + prior) / (len(rows) + strength), counts, len(rows), smoothing, strength)


def _independent_centre(counts: Ints) -> Floats:
    """The product of the marginals, each smoothed by half a row a letter."""
    out = np.ones(())
    for i in range(counts.ndim):
        one = counts.sum(axis=tuple(j for j in range(counts.ndim) if j != i)) + 0.5
        out = np.multiply.outer(out, one / one.sum())
    return np.asarray(out)


def _likeliest_strength(counts: Ints, centre: Floats) -> float:
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


def fill_unseen(p: Floats, channel: Floats) -> Floats:
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


def guarantee(
    estimated: Estimate, channel: Floats, private: Groups | None = None, confidence: float = 0.95
) -> Guarantee:
    """What remains of a mapping's privacy when p is only known from rows."""
    radius = estimated.radius(confidence)
    groups = family(private, estimated.p.ndim)
    bounds = {g: group_leak_bound(estimated.p, channel, g, radius) for g in groups} or {(): 0.0}
    worst = max(bounds, key=lambda g: bounds[g])
    return Guarantee(confidence, radius, estimated.rows, bounds[worst], worst, bounds, estimated.unseen)


def leak_bound(p_hat: Floats, channel: Floats, private: Groups | None = None, radius: float = 0.0) -> float:
    """An upper bound on max_g I(X_g;Y) in bits over every true p with ‖p − p̂‖₁ ≤ radius (proof above).

    p_hat: the estimate; channel: p(y|xⁿ) of shape p_hat.shape + (|Y|,), defined in every cell, unseen ones too.
    """
    return max((group_leak_bound(p_hat, channel, g, radius) for g in family(private, p_hat.ndim)), default=0.0)


def group_leak_bound(p_hat: Floats, channel: Floats, group: Sequence[int], radius: float) -> float:
    """The bound for one group."""
    flat = np.asarray(p_hat, dtype=np.float64).ravel()
    letters = channel.reshape(flat.size, -1)
    s = flat @ letters
    value = _values(p_hat.shape, group)
    weight = np.bincount(value, weights=flat).astype(np.float64)
    cap = math.log2(min(len(weight), letters.shape[1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(letters > 0, letters / s, 0.0)
        gain = np.where(letters > 0, letters * np.log2(ratio), 0.0).sum(axis=1)  # D(p(·|x) ‖ s)
    cap = min(cap, float(gain.max()))
    h = np.where(np.isfinite(ratio), ratio, 0.0) - 1.0
    big = np.sort(weight[weight > radius / 2])[::-1]
    steps = np.unique(np.linspace(0, len(big) - 1, THRESHOLDS).astype(np.int64)) if len(big) else ()
    best = _rare_part(flat, gain, np.ones(len(flat), dtype=bool), radius)
    for least in big[list(steps)]:
        frequent = weight >= least
        if np.isinf(gain[frequent[value]]).any():
            continue
        rare = _rare_part(flat, gain, ~frequent[value], radius)
        best = min(best, rare + _frequent_part(flat, h, s, value, weight, frequent, radius))
    return float(max(0.0, min(cap, best)))


def _values(shape: tuple[int, ...], group: Sequence[int]) -> Ints:
    """The value of X_g in each cell, numbered."""
    places = np.indices(shape).reshape(len(shape), -1)
    return np.asarray(np.ravel_multi_index([places[i] for i in group], [shape[i] for i in group]), dtype=np.int64)


def _rare_part(flat: Floats, gain: Floats, rare: Bools, radius: float) -> float:
    """max Σ_{rare x} p(x) D(p(·|x) ‖ s): at most ε/2 moves, to the worst cell."""
    if not rare.any():
        return 0.0
    seen = rare & (flat > 0)
    return float(flat[seen] @ gain[seen] + radius / 2 * gain[rare].max())


def _frequent_part(
    flat: Floats, h: Floats, s: Floats, value: Ints, weight: Floats, frequent: Bools, radius: float
) -> float:
    """(1 + z₋)/(2 ln 2) max F over the frequent values, in bits."""
    step = radius / 2
    base_total, plus, minus, both, dip = 0.0, [0.0], [0.0], [0.0], 0.0
    for a in np.flatnonzero(frequent):
        cells = np.flatnonzero(value == a)
        rows, w = h[cells], weight[a]
        base = flat[cells] @ rows  # zero but for rounding when the mapping is private under p̂
        inner, norms, here = rows @ (s * base), rows**2 @ s, float(base**2 @ s)
        base_total += here / w
        plus.append(float((here + 2 * step * inner + step**2 * norms).max()) / (w + step) - here / w)
        minus.append(float((here - 2 * step * inner + step**2 * norms).max()) / (w - step) - here / w)
        both.append((here + _widest(rows, s, inner, norms, step)) / w - here / w)
        lows = (-(base + step * rows) / (w + step), -(base - step * rows) / (w - step))
        same = -(base + step * (rows.min(axis=0) - rows.max(axis=0))) / w
        dip = max(dip, float(lows[0].max()), float(lows[1].max()), float(same.max()))
    # Mass arrives at one value and leaves another (or a rare one), or moves between two cells of one value.
    moved = max(max(both), _two_places(np.array(plus), np.array(minus)))
    return (1 + min(1.0, dip)) / (2 * math.log(2)) * (base_total + moved)


def _widest(rows: Floats, s: Floats, inner: Floats, norms: Floats, step: float) -> float:
    """max over two cells of 2 step b·(h_x − h_x') + step² ‖h_x − h_x'‖²."""
    if len(rows) > CROWD:
        centred = rows - rows.mean(axis=0)
        reach = float(np.sqrt((centred**2 @ s).max()))
        return 2 * step * float(inner.max() - inner.min()) + step**2 * 4 * reach**2
    square = norms[:, None] + norms[None, :] - 2 * (rows * s) @ rows.T
    return float((step**2 * square + 2 * step * (inner[:, None] - inner[None, :])).max())


def _two_places(plus: Floats, minus: Floats) -> float:
    """max of plus[a] + minus[b] over a ≠ b; entry 0 of each is "nowhere" and may meet itself."""
    order = np.argsort(minus)[::-1]
    best, second = order[0], order[min(1, len(order) - 1)]
    partner = np.where((np.arange(len(plus)) == best) & (best != 0), minus[second], minus[best])
    return float((plus + partner).max())


def fresh_leak_bound(
    p_hat: Floats, channel: Floats, fresh: Ints, private: Groups | None = None, confidence: float = 0.95
) -> float:
    """An upper confidence bound on max_g I(X_g;Y) from rows that took no part in making the mapping.

    fresh: their counts, of the shape of p̂. For any pmfs r and s, I(X_g;Y) ≤ log2(1 + χ²(p_{X_g,Y} ‖ r × s)), and χ² is the
    squared norm of the mean of v_x = (1[x_g = a] p(y|x) − r(a) s(y)) / √(r(a) s(y)). The mean of N fresh v's is within
    ρ (1 + √(2 ln(1/δ)))/√N of it, ρ = max ‖v_x‖ (variance, and McDiarmid's inequality). With r and s the laws under p̂
    mixed with one uniform row, and δ shared by the groups, this needs about |X_g|·|Y| rows, not as many as p has cells.
    """
    total = int(fresh.sum())
    groups = family(private, p_hat.ndim)
    if fresh.shape != p_hat.shape or total == 0:
        raise InputError(f"fresh counts need the shape {p_hat.shape} and at least one row")
    if not 0 < confidence < 1:
        raise InputError(f"confidence must lie between 0 and 1, not {confidence}")
    letters = channel.reshape(p_hat.size, -1)
    share = fresh.ravel() / total
    slack = (1 + math.sqrt(2 * math.log(max(1, len(groups)) / (1 - confidence)))) / math.sqrt(total)
    s = _mixed(p_hat.ravel() @ letters, total)
    worst = 0.0
    for group in groups:
        value = _values(p_hat.shape, group)
        r = _mixed(np.bincount(value, weights=p_hat.ravel()).astype(np.float64), total)
        seen = np.zeros((len(r), len(s)))
        np.add.at(seen, value, share[:, None] * letters)
        mean = float((((seen - np.outer(r, s)) ** 2) / np.outer(r, s)).sum())
        # ‖v_x‖² = Σ_y p(y|x)²/(r(x_g) s(y)) − 1
        reach = math.sqrt(max(0.0, float(((letters**2 / s).sum(axis=1) / r[value]).max()) - 1))
        worst = max(worst, math.log2(1 + (math.sqrt(mean) + reach * slack) ** 2))
    return min(worst, math.log2(letters.shape[1]))


def _mixed(pmf: Floats, rows: int) -> Floats:
    """A pmf with one more row spread evenly, so that nothing has probability zero."""
    return np.asarray((pmf * rows + 1 / len(pmf)) / (pmf.sum() * rows + 1))
