"""How many of n unlike people have a property: Poisson-binomial probabilities in log space.

Direct recursion adds positive numbers only, so it loses no digits, but it underflows far from the mean. An exponential
tilt moves the mean to where the probability is wanted: P(N = j) = P'(N = j) e^(Λ(θ) - θ j).
"""

from __future__ import annotations

import math

import numpy as np

from discreet._typing import BoolArray, FloatArray

ENTRIES = 20_000_000
"""Entries of the arrays that one batch works on."""

KINDS, MANY = 8, 1000
"""Many people of so few kinds have their law kind by kind, not person by person."""


def log_complement(log_p: FloatArray) -> FloatArray:
    """log(1 - e^log_p) for log_p ≤ 0."""
    with np.errstate(divide="ignore"):
        return np.where(log_p > -math.log(2), np.log(-np.expm1(log_p)), np.log1p(-np.exp(log_p)))


def log_difference(log_a: FloatArray, log_b: FloatArray) -> FloatArray:
    """log(e^log_a - e^log_b) for log_a ≥ log_b; -inf where they are equal."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(log_a), -np.inf, log_a + log_complement(np.minimum(log_b - log_a, 0.0)))


def log_tails(p: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """log P(N ≥ k) and log P(N < k) for N a sum of independent indicators.

    Parameters
    ----------
    p
        Probabilities, shape (rows, n): each row is a case of its own.
    k
        From 1 to n.
    """
    rows, n = p.shape
    batch = max(1, ENTRIES // (n + 1))
    parts = [_tails(p[i : i + batch], k) for i in range(0, rows, batch)]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _tails(p: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    sure, possible = (p >= 1).sum(axis=1), (p > 0).sum(axis=1)
    at_least = np.where(sure >= k, 0.0, -np.inf)
    under = np.where(possible < k, 0.0, -np.inf)
    open_ = np.flatnonzero((sure < k) & (possible >= k))
    if len(open_):
        upper = p[open_].mean(axis=1) * p.shape[1] < k - 0.5  # k lies above the mean: the upper tail is the short one
        log_tail = np.empty(len(open_))
        for side in (True, False):
            chosen = np.flatnonzero(upper == side)
            if len(chosen):
                log_tail[chosen] = _short_tail(p[open_[chosen]], k, side)
        other = log_complement(log_tail)
        at_least[open_] = np.where(upper, log_tail, other)
        under[open_] = np.where(upper, other, log_tail)
    return at_least, under


def _short_tail(p: FloatArray, k: int, upper: bool) -> FloatArray:
    """log P(N ≥ k), or log P(N ≤ k - 1), tilted to its near end."""
    if (p == p[:, :1]).all():
        return _binomial_tail(p[:, 0], p.shape[1], k, upper)
    end = k if upper else k - 1
    tilt = _tilt(p, k - 0.5)  # not the very end, which no finite tilt reaches
    with np.errstate(divide="ignore"):
        odds = np.log(p) + tilt[:, None]
        rest = np.log1p(-p)
    log_mean = np.logaddexp(odds, rest)
    pmf = _recursion(np.exp(odds - log_mean))
    places = np.arange(p.shape[1] + 1)
    chosen = places >= k if upper else places < k
    with np.errstate(divide="ignore"):
        terms = np.log(pmf[:, chosen]) - tilt[:, None] * (places[chosen] - end)
    top = terms.max(axis=1)
    total = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
    return np.asarray(np.minimum(total + log_mean.sum(axis=1) - tilt * end, 0.0))


def _binomial_tail(p: FloatArray, n: int, k: int, upper: bool) -> FloatArray:
    """The same where all people are alike: O(n) per row."""
    from scipy.special import gammaln

    places = np.arange(k, n + 1) if upper else np.arange(k)
    ways = gammaln(n + 1) - gammaln(places + 1) - gammaln(n - places + 1)
    terms = ways + places * np.log(p)[:, None] + (n - places) * np.log1p(-p)[:, None]
    top = terms.max(axis=1)
    return np.asarray(np.minimum(top + np.log(np.exp(terms - top[:, None]).sum(axis=1)), 0.0))


def _tilt(p: FloatArray, target: float) -> FloatArray:
    """θ of each row with Σ_i p_i e^θ / (1 - p_i + p_i e^θ) = target, or where it stops mattering."""
    with np.errstate(divide="ignore"):
        log_odds = np.log(p) - np.log1p(-p)
    low, high = np.full(len(p), -800.0), np.full(len(p), 800.0)
    for _ in range(60):
        middle = (low + high) / 2
        mean = (1 / (1 + np.exp(np.clip(-(log_odds + middle[:, None]), -700, 700)))).sum(axis=1)
        low, high = np.where(mean < target, middle, low), np.where(mean < target, high, middle)
    return np.asarray(np.clip((low + high) / 2, -700.0, 700.0))


def _recursion(p: FloatArray) -> FloatArray:
    """The pmf of N, one row each, by adding one person at a time: O(n²) per row, no subtraction."""
    rows, n = p.shape
    pmf = np.zeros((rows, n + 1))
    pmf[:, 0] = 1.0
    for i in range(n):
        one = p[:, i : i + 1]
        pmf[:, 1 : i + 2] = pmf[:, 1 : i + 2] * (1 - one) + pmf[:, : i + 1] * one
        pmf[:, 0] *= 1 - p[:, i]
    return pmf


def _law(p: FloatArray) -> FloatArray:
    """The pmf of N for one row: like people at once by the binomial law, then kind by kind; no subtraction either."""
    kinds, counts = np.unique(p, return_counts=True)
    if len(kinds) > KINDS or len(p) < MANY:
        return np.asarray(_recursion(p[None, :])[0])
    pmf, start = np.ones(1), 0
    for chance, count in zip(kinds.tolist(), counts.tolist(), strict=True):
        row = _binomial(chance, count)
        seen = np.flatnonzero(row)
        pmf = np.convolve(pmf, row[seen[0] : seen[-1] + 1])
        start += int(seen[0])
    whole = np.zeros(len(p) + 1)
    whole[start : start + len(pmf)] = pmf
    return whole


def _binomial(chance: float, count: int) -> FloatArray:
    """P(j of `count` like people), j = 0..count; 0 where floats run out of exponents."""
    from scipy.special import gammaln, xlog1py, xlogy

    places = np.arange(count + 1)
    ways = gammaln(count + 1) - gammaln(places + 1) - gammaln(count - places + 1)
    return np.asarray(np.exp(ways + xlogy(places, chance) + xlog1py(count - places, -chance)))


def log_pmf(p: FloatArray) -> FloatArray:
    """log P(N = j), j = 0..n, for one row of probabilities, correct in relative terms however small."""
    n = len(p)
    sure, possible = int((p >= 1).sum()), int((p > 0).sum())
    found = np.full(n + 1, -np.inf)
    missing: BoolArray = np.zeros(n + 1, np.bool_)
    missing[sure : possible + 1] = True
    target = float(p.sum())
    while missing.any():
        row = p[None, :]
        tilt = _tilt(row, min(max(target, sure + 1e-9), possible - 1e-9)) if possible > sure else np.zeros(1)
        with np.errstate(divide="ignore"):
            odds, rest = np.log(row) + tilt[:, None], np.log1p(-row)
            log_mean = np.logaddexp(odds, rest)
            direct = np.log(_law(np.exp(odds - log_mean)[0]))
        fits = missing & (direct > -600)  # below it the recursion runs out of exponents
        found[fits] = direct[fits] + log_mean.sum() - tilt[0] * np.flatnonzero(fits)
        missing &= ~fits
        if missing.any():
            target = float(np.flatnonzero(missing)[np.argmin(np.abs(np.flatnonzero(missing) - p.sum()))])
    return found
