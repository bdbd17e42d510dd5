"""Limits of large data sets: what n → ∞ samples can disclose, the way there, and what schemes give up [SP, IV and V].

p_{W,X} is given as `joint`, one row per w and one column per x; the samples are independent copies of X given W. The order
of the samples then says nothing about W, so Y may look at the type (how often each x occurs) alone, and n = 100 binary
samples are a program with 101 points. Sequences come back as arrays, ready to be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from discreet import _checks as checks
from discreet import _clock
from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.report._plots import curves_figure
from discreet.sample_privacy._analysis import information
from discreet.sample_privacy._disclosing import disclose_types
from discreet.sample_privacy._explicit_mappings import asymptotic_efficiency
from discreet.sample_privacy._masks import uniform_masks
from discreet.sample_privacy._optimising import Limits, optimise
from discreet.sample_privacy._partial_processing import partial_processing
from discreet.sample_privacy._problem import Program, entropy, independent_rows
from discreet.sample_privacy._processes import Independent, MarkovChain, compositions, log_multinomial

FAINT = 1e-12
"""Types less likely than this are left out: linear programs cannot tell such masses from rounding. Sequences of disclosed
information are those of the law without them; for 100 samples of Table I that moves the value by 1e-12 bits."""

TYPES = 2_000_000
"""Numbers that the types of one n may take."""


@dataclass(frozen=True)
class Capacity:
    """A maximum of information in bits: what was attained, and what is proven not to be exceeded."""

    value: float
    upper_bound: float


@dataclass(frozen=True, eq=False)
class Convergence:
    """A sequence against n, in bits: lower ≤ truth ≤ upper, equal where exact, and the limit it tends to."""

    what: str
    n: IntArray
    lower: FloatArray
    upper: FloatArray
    limit: float

    def plot(self) -> Any:
        """The sequence and its limit, as a matplotlib figure."""
        curves = (
            {"attained": self.lower}
            if (self.lower == self.upper).all()
            else {
                "attained": self.lower,
                "proven bound": self.upper,
            }
        )
        return curves_figure(self.n, curves, x_label="samples n", y_label=f"{self.what} (bits)", limit=self.limit)


def _checked(joint: Any) -> FloatArray:
    p = np.asarray(joint, dtype=np.float64)
    if p.ndim != 2 or not np.isfinite(p).all() or (p < 0).any() or abs(p.sum() - 1) > 1e-9:
        raise InputError("the joint must be probabilities p(w, x) that sum to one, one row a w and one column an x")
    return p / float(p.sum())


def _merged(joint: Any) -> FloatArray:
    """p(w̃, x), one row a w̃."""
    return merge_latent(_checked(joint).T)[1].T


def merge_latent(joint: FloatArray, tolerance: float = 1e-12) -> tuple[IntArray, FloatArray]:
    """W̃ of [SP, (27)] from p(x, w), one row an x: the values of w with the same p(x|w) are one.

    Returns the number of the class of each w (−1 where p(w) = 0) and p(x, w̃).
    """
    weight = joint.sum(axis=0)
    label = np.full(len(weight), -1, dtype=np.int64)
    found: list[int] = []
    for w in np.flatnonzero(weight > 0):
        shape = joint[:, w] / weight[w]
        for number, other in enumerate(found):
            if np.abs(shape - joint[:, other] / weight[other]).max() <= tolerance:
                label[w] = number
                break
        else:
            label[w] = len(found)
            found.append(int(w))
    merged = np.zeros((len(joint), len(found)))
    for w in np.flatnonzero(label >= 0):
        merged[:, label[w]] += joint[:, w]
    return label, merged


def private_information(joint: Any) -> tuple[float, IntArray]:
    """C_X(W) = min H(U) over functions U of W with X − U − W [SP, (27)], and W̃, the U that attains it, as a class of each w.

    Values of w with the same p(x|w) are one class; a w of probability zero has class −1.

    Examples
    --------
    >>> private_information([[0.2, 0.3], [0.1, 0.15], [0.2, 0.05]])[1].tolist()
    [0, 0, 1]
    """
    label, merged = merge_latent(_checked(joint).T)
    return float(entropy(merged.sum(axis=0))), label


def _solved(rows: FloatArray, p: FloatArray, latent: FloatArray | None, time_limit: float) -> Capacity:
    """max I(W;Y) over posteriors u ≥ 0 with rows u = rows p; latent has one row a w, None for W = the point itself."""
    seconds = checks.time_limit(time_limit)
    program = Program(independent_rows(np.vstack([np.ones(len(p)), rows])), p, latent)
    if program.rank == program.size:
        return Capacity(0.0, 0.0)
    limits = Limits(_clock.now() + seconds, 1e-9, lambda _: None)
    found = optimise(program, limits, np.random.default_rng(0))
    value = max(0.0, program.latent_entropy - found.pool.value)
    return Capacity(value, max(value, min(program.latent_entropy - found.least, program.latent_entropy)))


def output_perturbation(joint: Any, *, time_limit: float = 60.0) -> Capacity:
    """C_1(0) = max I(W̃;Y) with X − W̃ − Y and Y ⊥ X [SP, Def 3]: the limit of I_s(W, Xⁿ) [SP, Thm 3]."""
    p = _merged(joint)
    return _solved((p / p.sum(axis=1, keepdims=True)).T, p.sum(axis=1), None, time_limit)


def full_data(joint: Any, *, time_limit: float = 60.0) -> Capacity:
    """C_2(0) = max I(W̃;Y) with Y ⊥ X when the mapping sees W̃ and X [SP, Def 3]; it is J(W, X¹) [SP, Remark 5]."""
    return _known(_merged(joint), 1, time_limit)


def _by_type(p: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Types of n samples, one per row, and p(w̃, type)."""
    values = p.shape[1]
    if math.comb(n + values - 1, values - 1) * values * len(p) > TYPES:
        raise InputError(f"{n} samples of {values} values have too many types: take fewer samples")
    counts = compositions(n, values)
    given = p / p.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        log_given = np.log(given).clip(-1e12)  # 0 · log 0 = 0, and e^(−1e12) = 0
    chance = np.exp(log_multinomial(counts) + log_given @ counts.T)
    return counts, p.sum(axis=1)[:, None] * chance


def _known(p: FloatArray, n: int, time_limit: float) -> Capacity:
    """J(W, Xⁿ) over pairs of w̃ and a type."""
    counts, mass = _by_type(p, n)
    kept = mass > FAINT
    w, kind = np.nonzero(kept)
    return _solved(counts[kind].T / n, mass[kept] / mass[kept].sum(), np.eye(len(p))[:, w], time_limit)


def _observed(p: FloatArray, n: int, time_limit: float) -> Capacity:
    """I_s(W, Xⁿ) over types."""
    counts, mass = _by_type(p, n)
    total = mass.sum(axis=0)
    kept = total > FAINT
    chance = total[kept] / total[kept].sum()
    return _solved(counts[kept].T / n, chance, mass[:, kept] / total[kept], time_limit)


def all_information(joint: Any, ns: Sequence[int]) -> Convergence:
    """I(W;Xⁿ) against n, exact, and its limit C_X(W) [SP, Thm 2]: what n samples know without any privacy."""
    p = _merged(joint)
    values = np.array([information(_by_type(p, n)[1]) for n in ns])
    return Convergence("I(W;X^n)", np.array(ns, dtype=np.int64), values, values, float(entropy(p.sum(axis=1))))


def disclosed_information(joint: Any, ns: Sequence[int], *, time_limit: float = 60.0) -> Convergence:
    """I_s(W, Xⁿ) against n and its limit C_1(0) [SP, Thm 3]; it need not be monotone. time_limit: seconds for each n."""
    p = _merged(joint)
    limit = output_perturbation(joint, time_limit=time_limit).value
    return _sequence("I_s(W,X^n)", [_observed(p, n, time_limit) for n in ns], ns, limit)


def known_latent_information(joint: Any, ns: Sequence[int], *, time_limit: float = 60.0) -> Convergence:
    """J(W, Xⁿ) against n: it falls from C_2(0) to C_1(0) [SP, (41), Remark 5]."""
    p = _merged(joint)
    limit = output_perturbation(joint, time_limit=time_limit).value
    return _sequence("J(W,X^n)", [_known(p, n, time_limit) for n in ns], ns, limit)


def _sequence(what: str, found: list[Capacity], ns: Sequence[int], limit: float) -> Convergence:
    lower, upper = np.array([c.value for c in found]), np.array([c.upper_bound for c in found])
    return Convergence(what, np.array(ns, dtype=np.int64), lower, upper, limit)


def self_disclosure_rate(model: Any, ns: Sequence[int], *, protect: int = 1) -> Convergence:
    """Bounds on Î_s(Xⁿ)/n against n, and their limit, the entropy rate [SP, Thm 4 and Cor 4.1].

    model: the pmf of independent samples, or p(next | last k), last axis next, of a stationary chain. protect: Y is
    independent of every so many consecutive samples. Between H(Xⁿ) − log2 rank(P) and H(Xⁿ) − max H(X_g) (SP, (55), Lemma 6);
    rank(P) ≤ M^{k−1} ((n − k + 1)(M − 1) + 1) for windows of k and M letters.

    Examples
    --------
    >>> found = self_disclosure_rate([0.5, 0.5], [1, 10, 1000])
    >>> found.upper.tolist(), found.limit
    ([0.0, 0.9, 0.999], 1.0)
    """
    law = np.asarray(model, dtype=np.float64)
    lower, upper = [], []
    for n in ns:
        if n < protect:
            raise InputError(f"{n} samples have no {protect} consecutive ones: start later")
        samples = Independent.identical(law, n) if law.ndim == 1 else MarkovChain.stationary(law, n)
        m = law.shape[-1]
        rank = m ** (protect - 1) * ((n - protect + 1) * (m - 1) + 1)
        lower.append(max(0.0, samples.entropy - math.log2(rank)) / n)
        upper.append(max(0.0, samples.entropy - float(entropy(samples.window(0, protect)))) / n)
    rate = _entropy_rate(law)
    return Convergence("I_s(X^n)/n", np.array(ns, dtype=np.int64), np.array(lower), np.array(upper), rate)


def _entropy_rate(law: FloatArray) -> float:
    if law.ndim == 1:
        return float(entropy(law))
    settled = MarkovChain.stationary(law, law.ndim).initial
    return float(entropy(settled[..., None] * law) - entropy(settled))


@dataclass(frozen=True, eq=False)
class Schemes:
    """Curves against q = P(X = 1), one per scheme, and what they are of."""

    q: FloatArray
    curves: dict[str, FloatArray]
    what: str

    def plot(self) -> Any:
        """The curves, as a matplotlib figure."""
        return curves_figure(self.q, self.curves, x_label="P(X = 1)", y_label=self.what)


def compare_schemes(q: Sequence[float], n: int = 4, *, window: int = 2, time_limit: float = 60.0) -> Schemes:
    """Bits disclosed about n iid Bernoulli(q) samples: optimal, by windows that share a sample, and by masks [SP, Fig 4].

    Examples
    --------
    >>> compare_schemes([0.3]).curves["optimal"].round(4).tolist()
    [1.7911]
    """
    optimal, windows, masks = [], [], []
    for each in _probabilities(q):
        ones = np.array([comb(n, k) * each**k * (1 - each) ** (n - k) for k in range(n + 1)])
        optimal.append(disclose_types(ones / ones.sum(), samples=n, time_limit=time_limit).information)
        process = Independent.identical([1 - each, each], n)
        windows.append(partial_processing(process, window).information)
        masks.append(uniform_masks(process, letters=2).information)
    curves = {"optimal": optimal, f"windows of {window}": windows, "masks": masks}
    return Schemes(np.asarray(q, dtype=np.float64), _arrays(curves), f"bits disclosed about {n} samples")


def efficiencies(q: Sequence[float], windows: Sequence[int] = (2, 4)) -> Schemes:
    """The share of H(X) that the schemes disclose of ever more iid Bernoulli(q) samples; the optimum tends to 1 [SP, Fig 5].

    Windows that share a sample disclose Î_s of k samples for every k − 1 of them.
    """
    curves: dict[str, list[float]] = {"optimal": [], **{f"windows of {k}": [] for k in windows}, "masks": []}
    for each in _probabilities(q):
        entropy = -each * np.log2(each) - (1 - each) * np.log2(1 - each)
        curves["optimal"].append(1.0)
        for k in windows:
            one = partial_processing(Independent.identical([1 - each, each], k), k).information
            curves[f"windows of {k}"].append(one / ((k - 1) * entropy))
        curves["masks"].append(asymptotic_efficiency(np.array([1 - each, each]), 2))
    return Schemes(np.asarray(q, dtype=np.float64), _arrays(curves), "disclosed share of H(X), many samples")


def _probabilities(q: Sequence[float]) -> list[float]:
    values = [float(each) for each in q]
    if not values or not all(0 < each < 1 for each in values):
        raise InputError("q are probabilities strictly between 0 and 1, at least one")
    return values


def _arrays(curves: dict[str, list[float]]) -> dict[str, FloatArray]:
    return {name: np.asarray(values, dtype=np.float64) for name, values in curves.items()}
