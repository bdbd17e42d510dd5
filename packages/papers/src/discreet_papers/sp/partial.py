"""Section V-C1: processing a few samples at a time, what it keeps and where it leaks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.sample_privacy import Independent, Schemes, disclose, partial_processing
from discreet_papers.arrays import information
from discreet_papers.claims import Outcome, Study, matches, refuted
from discreet_papers.sp.families import Case, binary_entropy, coins, product, told, worst_leak
from discreet_papers.sp.paper import EXACT, PAPER, Floats
from discreet_papers.sp.schemes import GRID, ever_more, few_samples, printed_rate


@PAPER.claim("V-C", "the work of Algorithm 1 grows exponentially with n: it tries every group of columns of A")
def _work(study: Study) -> Outcome:
    groups = [math.comb(2**n, n + 1) for n in range(2, 8)]
    ratios = np.diff(np.log2(groups))
    return matches(
        f"C(2ⁿ, n + 1) = {', '.join(f'{g:,}' for g in groups[:5])} groups for n = 2..6 bits: even faster, the factor "
        "grows too",
        bool((np.diff(ratios) > 0).all()),
    )


def _some_groups(p: Floats, points: Floats) -> tuple[float, float]:
    """I(Xⁿ;Y) and the leak when each point gets as much weight as p has room for, and what is left is one more letter."""
    left, weights = p.ravel().copy(), []
    for point in points:
        room = float(np.min(left[point > 0] / point[point > 0]))
        weights.append(room)
        left = (left - room * point).clip(0)
    joint = np.column_stack([*(w * point for w, point in zip(weights, points, strict=True)), left])
    channel = (joint / p.ravel()[:, None]).reshape(*p.shape, -1)
    return told(p, channel), worst_leak(p, channel)


@PAPER.claim(
    "V-C",
    "a fixed number of randomly chosen groups of columns gives a private mapping, whose performance tends to zero",
)
def _fixed_number(study: Study) -> Outcome:
    rng, kept, leaked = np.random.default_rng(61), 8, 0.0
    means = []
    for n in (2, 3, 4, 5):
        vertices = Case(coins(n, 0.3), None).vertices
        found = []
        for _ in range(20):
            points = vertices[rng.permutation(len(vertices))[:kept]]
            said, leak = _some_groups(coins(n, 0.3), points)
            found.append(said / (n * binary_entropy(0.3)))
            leaked = max(leaked, leak)
        means.append(float(np.mean(found)))
    weight = [
        min(1.0, kept * (n + 1) * 2.0**-n) for n in (10, 20, 40)
    ]  # fair bits: what 8 vertices of n + 1 points can cover
    bounds = [(binary_entropy(w) + w * math.log2(kept)) / n for w, n in zip(weight, (10, 20, 40), strict=True)]
    return matches(
        "8 extreme points and one letter for what they leave (they alone cannot mix to p once 2ⁿ > 8(n + 1)), "
        f"Bernoulli(0.3): {', '.join(f'{m:.2f}' for m in means)} of H(Xⁿ) for n = 2..5; fair bits at most "
        f"{bounds[1]:.0e} and {bounds[2]:.0e} at n = 20, 40",
        leaked < EXACT,
        means[-1] < means[1],
        bounds[2] < bounds[1] < bounds[0],
    )


def slid(p: Floats, windows: Sequence[Floats]) -> Floats:
    """p(y|xⁿ) of one letter per window, windows moving by one sample, each from its own channel p(y_j|x_j, …)."""
    joint = np.ones((*p.shape, 1))
    for start, channel in enumerate(windows):
        width = channel.ndim - 1
        shape = (1,) * start + channel.shape[:-1] + (1,) * (p.ndim - start - width)
        joint = (joint[..., None] * channel.reshape(*shape, 1, channel.shape[-1])).reshape(*p.shape, -1)
    return joint


@PAPER.claim("Lemma 7, (66)", "optimal pairs: Y is independent of every sample, and I(Y;Xⁿ) = Σ I(Y_j; X_j | X_{j+1})")
def _pairs(study: Study) -> Outcome:
    rng, leaked, apart, tried = np.random.default_rng(62), 0.0, 0.0, 0
    for number in range(40):
        pmfs = [rng.dirichlet(np.ones(2 + (number + i) % 2)) for i in range(3 + number % 2)]
        p = product(*pmfs)
        pairs = [np.outer(a, b) for a, b in itertools.pairwise(pmfs)]
        windows = [disclose(pair).channel for pair in pairs]
        total = 0.0
        for pair, channel in zip(pairs, windows, strict=True):
            joint = np.moveaxis(pair[..., None] * channel, 1, 0)
            total += sum(float(part.sum()) * information(part / part.sum()) for part in joint)
        channel = slid(p, windows)
        leaked, apart = max(leaked, worst_leak(p, channel)), max(apart, abs(told(p, channel) - total))
        tried += 1
    return matches(
        f"leak {leaked:.0e}, difference {apart:.0e} bits on {tried} data sets of 3 or 4 independent samples of 2 or 3 "
        "values",
        leaked < EXACT,
        apart < EXACT,
    )


@PAPER.claim(
    "Example 4",
    "iid samples: the efficiency of pairs is (n − 1)/n · I(Y_1; X_1|X_2)/H(X_1), rising with n to that limit",
)
def _rising(study: Study) -> Outcome:
    worst = 0.0
    curve = study.once(ever_more)
    for q in (0.1, 0.3, 0.45):
        limit = (
            float(curve.curves["windows of 2"][GRID.index(q)])
            if q in GRID
            else disclose(coins(2, q)).information / binary_entropy(q)
        )
        shares = [partial_processing(Independent.identical([1 - q, q], n), 2).efficiency for n in (2, 3, 10, 1000)]
        worst = max(worst, *(abs(s - (n - 1) / n * limit) for s, n in zip(shares, (2, 3, 10, 1000), strict=True)))
    return matches(f"to {worst:.0e} for n = 2, 3, 10, 1000 and q = 0.1, 0.3, 0.45", worst < EXACT)


@PAPER.claim("Example 4, end", "the asymptotic efficiency of pairs is maximal only at P(X_1 = 1) = 1/2")
def _only_fair(study: Study) -> Outcome:
    curve = study.once(ever_more).curves["windows of 2"]
    return matches(
        f"it rises from {curve[0]:.3f} at q = {GRID[0]} to {curve[-2]:.3f} at {GRID[-2]} and {curve[-1]:.0f} at 0.5",
        bool((np.diff(curve) > 0).all()),
        abs(curve[-1] - 1) < EXACT,
    )


@PAPER.claim("Fig 4", "four iid Bernoulli samples: what the two heuristics disclose, and the optimum")
def _four(study: Study) -> Outcome:
    found = study.once(few_samples).curves
    at = [GRID.index(q) for q in (0.1, 0.2, 0.3, 0.4, 0.5)]
    optimal, pairs, masks = (found[name] for name in ("optimal", "windows of 2", "masks"))
    return matches(
        "optimum/pairs/uniformiser at q = .1 to .5: "
        + ", ".join(f"{optimal[i]:.4f}/{pairs[i]:.4f}/{masks[i]:.4f}" for i in at)
        + " bits; in that order at every q < ½ (the curves are not in our text, so no point of them is compared)",
        bool((optimal[:-1] > pairs[:-1]).all() and (pairs[:-1] > masks[:-1]).all()),
        bool(np.allclose([optimal[-1], pairs[-1], masks[-1]], 3)),
    )


def _renamed(found: Schemes, names: Sequence[str]) -> Any:
    """A drawing of these curves by the paper's words; one colour for one scheme in both figures, as the order is the same."""
    words = {"windows of 2": "pairs", "masks": "uniformiser"}
    return replace(found, curves={words.get(name, name): found.curves[name] for name in names}).plot()


@PAPER.figure(
    "fig4", "Four iid Bernoulli(q) samples: optimal, pairs, uniformiser; dotted: the uniformiser by the printed (67)"
)
def _draw_four(study: Study) -> Any:
    found = study.once(few_samples)
    drawing = _renamed(found, ("optimal", "windows of 2", "masks"))
    axes = drawing.axes[0]
    axes.plot(
        GRID,
        [3 * printed_rate(q) for q in GRID],
        color="#6a994e",
        linewidth=1,
        linestyle=":",
        label="uniformiser by (67)",
    )
    axes.legend(frameon=False, fontsize=9)
    return drawing


@PAPER.figure(
    "fig5", "Ever more iid Bernoulli(q) samples: the share disclosed; dotted: the uniformiser by the printed limit"
)
def _draw_many(study: Study) -> Any:
    found = study.once(ever_more)
    drawing = _renamed(found, ("optimal", "windows of 2", "masks", "windows of 4"))
    axes = drawing.axes[0]
    printed = [printed_rate(q) / binary_entropy(q) for q in GRID]
    axes.plot(GRID, printed, color="#6a994e", linewidth=1, linestyle=":", label="uniformiser as printed")
    axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(0.0, 0.94))
    return drawing


@PAPER.claim("V-C1", "windows of any k ≤ n − 1 samples that move by one are private too")
def _sliding(study: Study) -> Outcome:
    leaks, most = {}, 0.0
    for q in (0.1, 0.2, 0.3, 0.4, 0.5):
        p = coins(4, q)
        channel = slid(p, [disclose(coins(3, q)).channel] * 2)
        leaks[q] = worst_leak(p, channel)
        if q == 0.3:
            most = told(p, channel)
    best = disclose(coins(4, 0.3)).information
    three = disclose(coins(3, 0.3)).channel
    apart = np.einsum("abcu,cdev->abcdeuv", three, three).reshape(2, 2, 2, 2, 2, -1)
    return refuted(
        f"smallest: n = 4, k = 3, iid Bernoulli(0.3): Y leaks {leaks[0.3]:.4f} bits about a sample and tells {most:.4f} about "
        f"all, above the private optimum {best:.4f} (q = .1, .2, .4 leak {leaks[0.1]:.3f}, {leaks[0.2]:.3f}, "
        f"{leaks[0.4]:.3f}). Two such windows share two samples, and the proof of Lemma 7 (k = 2) needs one; windows that "
        "share one sample are private",
        counterexample=min(leaks[q] for q in (0.1, 0.2, 0.3, 0.4)) > 1e-3
        and leaks[0.5] < EXACT
        and most > best + 0.1
        and worst_leak(coins(5, 0.3), apart) < EXACT,
    )


@PAPER.claim("V-C1, end", "longer windows disclose more, at the price of more work")
def _longer(study: Study) -> Outcome:
    curves = study.once(ever_more).curves
    by_length = np.stack([curves[f"windows of {k}"] for k in (2, 3, 4, 5)])
    at = GRID.index(0.3)
    work = [math.comb(2**k, k + 1) for k in (2, 3, 4, 5)]
    return matches(
        f"windows that share one sample, q = 0.3: {', '.join(f'{v:.3f}' for v in by_length[:, at])} of H for k = "
        f"2..5, rising at every q < 0.5 of the grid; {', '.join(f'{w:,}' for w in work)} groups of columns",
        bool((np.diff(by_length[:, :-1], axis=0) > 0).all()),
    )
