"""What a mapping may leak under another p than the one it was made for: every p near p̂, or one that fresh rows follow.

**Every p within ε** (`group_leak_bound`). Write s for the law of Y under p̂, h_x(y) = p(y|x)/s(y) − 1, and
u_a = Σ_{x: x_g=a} p(x) h_x. Then
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

import numpy as np
import numpy.typing as npt

from discreet import _checks as checks
from discreet._typing import BoolArray, FloatArray, IntArray
from discreet.errors import InputError
from discreet.sample_privacy._analysis import Groups
from discreet.sample_privacy._problem import SUM_TOLERANCE, array_of, family

CROWD = 2048
"""Cells of one value of X_g beyond which their largest distance is bounded instead of searched."""

THRESHOLDS = 24
"""Ways of dividing the values of X_g into frequent and rare that are tried."""


def checked_channel(channel: npt.ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """p(y|xⁿ) for samples of this shape, or what is wrong with it."""
    found = array_of(channel, "the channel")
    if found.shape[:-1] != shape or found.ndim != len(shape) + 1 or not found.size:
        raise InputError(f"the channel has shape {found.shape}: p(y|x) needs {shape} and one more axis for y")
    if found.dtype.kind not in "iuf" or not (found >= 0).all() or not np.isfinite(found).all():
        raise InputError("the channel must hold probabilities, none negative or missing")
    if np.abs(found.sum(axis=-1) - 1).max() > SUM_TOLERANCE:
        raise InputError(
            "the channel must sum to one over its last axis in every cell, unseen ones too: see fill_unseen"
        )
    return found.astype(np.float64, copy=False)


def group_leak_bound(p_hat: FloatArray, channel: FloatArray, group: Sequence[int], radius: float) -> float:
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


def _values(shape: tuple[int, ...], group: Sequence[int]) -> IntArray:
    """The value of X_g in each cell, numbered."""
    places = np.indices(shape).reshape(len(shape), -1)
    return np.asarray(np.ravel_multi_index([places[i] for i in group], [shape[i] for i in group]), dtype=np.int64)


def _rare_part(flat: FloatArray, gain: FloatArray, rare: BoolArray, radius: float) -> float:
    """max Σ_{rare x} p(x) D(p(·|x) ‖ s): at most ε/2 moves, to the worst cell."""
    if not rare.any():
        return 0.0
    seen = rare & (flat > 0)
    return float(flat[seen] @ gain[seen] + radius / 2 * gain[rare].max())


def _frequent_part(
    flat: FloatArray,
    h: FloatArray,
    s: FloatArray,
    value: IntArray,
    weight: FloatArray,
    frequent: BoolArray,
    radius: float,
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


def _widest(rows: FloatArray, s: FloatArray, inner: FloatArray, norms: FloatArray, step: float) -> float:
    """max over two cells of 2 step b·(h_x − h_x') + step² ‖h_x − h_x'‖²."""
    if len(rows) > CROWD:
        centred = rows - rows.mean(axis=0)
        reach = float(np.sqrt((centred**2 @ s).max()))
        return 2 * step * float(inner.max() - inner.min()) + step**2 * 4 * reach**2
    square = norms[:, None] + norms[None, :] - 2 * (rows * s) @ rows.T
    return float((step**2 * square + 2 * step * (inner[:, None] - inner[None, :])).max())


def _two_places(plus: FloatArray, minus: FloatArray) -> float:
    """max of plus[a] + minus[b] over a ≠ b; entry 0 of each is "nowhere" and may meet itself."""
    order = np.argsort(minus)[::-1]
    best, second = order[0], order[min(1, len(order) - 1)]
    partner = np.where((np.arange(len(plus)) == best) & (best != 0), minus[second], minus[best])
    return float((plus + partner).max())


def fresh_leak_bound(
    p_hat: FloatArray, channel: FloatArray, *, fresh: IntArray, private: Groups | None = None, confidence: float = 0.95
) -> float:
    """An upper confidence bound on max_g I(X_g;Y) from rows that took no part in making the mapping.

    fresh: their counts, of the shape of p̂. For any pmfs r and s, I(X_g;Y) ≤ log2(1 + χ²(p_{X_g,Y} ‖ r × s)), and χ² is the
    squared norm of the mean of v_x = (1[x_g = a] p(y|x) − r(a) s(y)) / √(r(a) s(y)). The mean of N fresh v's is within
    ρ (1 + √(2 ln(1/δ)))/√N of it, ρ = max ‖v_x‖ (variance, and McDiarmid's inequality). With r and s the laws under p̂
    mixed with one uniform row, and δ shared by the groups, this needs about |X_g|·|Y| rows, not as many as p has cells.
    """
    groups = family(private, p_hat.ndim)
    letters = checked_channel(channel, p_hat.shape).reshape(p_hat.size, -1)
    total = int(fresh.sum())
    if fresh.shape != p_hat.shape or total == 0:
        raise InputError(f"fresh counts need the shape {p_hat.shape} and at least one row")
    confidence = checks.probability(confidence, name="confidence")
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


def _mixed(pmf: FloatArray, rows: int) -> FloatArray:
    """A pmf with one more row spread evenly, so that nothing has probability zero."""
    return np.asarray((pmf * rows + 1 / len(pmf)) / (pmf.sum() * rows + 1))
