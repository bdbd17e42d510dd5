"""Appendix A: the proof of Theorem 1, line by line."""

from __future__ import annotations

import numpy as np

from discreet.search.information import Merges
from discreet_papers.arrays import Floats, h_of
from discreet_papers.claims import Outcome, Study, matches, misprint
from discreet_papers.pf.families import SEED, SLACK, informations, pmf, set_functions, subsets
from discreet_papers.pf.paper import PAPER
from discreet_papers.pf.s3b_theorem import least_fall, least_slack


@PAPER.claim(
    "App A, first display",
    "I(S;X̂) − I(S;X̂_W) = Σ_s Σ_{x̂∈W} p(s,x̂) (log p(s,x̂)/(p(s)p(x̂)) − log p(s,Ŵ)/(p(s)p(Ŵ))) = g(W) − f(W)",
)
def leakage_of_a_merge(study: Study) -> Outcome:
    family = study.once(set_functions)
    worst = 0.0
    for functions, after in zip(family, study.once(informations), strict=True):
        lost = functions.merges.weights.leakage - after[:, 0]
        worst = max(worst, float(np.abs(lost - (functions.g - functions.f)).max()))
        worst = max(worst, float(np.abs(lost - _written_out(functions.merges)).max()))
    return matches(f"the three agree within {worst:.0e} bits for every set on {len(family)} tables", worst < SLACK)


def _written_out(merges: Merges) -> Floats:
    """The sum in the middle, for every set."""
    found = []
    p = pmf(merges.weights)
    of_s, of_x = p.sum(axis=1, keepdims=True), p.sum(axis=0)
    for member in subsets(merges.n):
        inside, block = p[:, member], p[:, member].sum(axis=1, keepdims=True)
        seen = inside > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.log2(inside / (of_s * of_x[member])) - np.log2(block / (of_s * block.sum()))
        found.append(float((inside[seen] * terms[seen]).sum()))
    return np.array(found)


@PAPER.claim("App A, second display", "I(X̂;X̂_W) = −Σ_{x̂∉W} p(x̂) log p(x̂) − Σ_{x̂∈W} p(x̂) log p(Ŵ) = H(X̂) + f(W)")
def utility_of_a_merge(study: Study) -> Outcome:
    family = study.once(set_functions)
    worst = 0.0
    for functions, after in zip(family, study.once(informations), strict=True):
        utility = after[:, 1]
        p = functions.merges.weights.of_letter / functions.merges.weights.total
        every = subsets(functions.n)
        together = (every * p).sum(axis=1)
        written = -(~every * h_of(p)).sum(axis=1) - h_of(together)
        worst = max(worst, float(np.abs(utility - written).max()))
        worst = max(worst, float(np.abs(utility - functions.merges.weights.entropy - functions.f).max()))
    return matches(f"the three agree within {worst:.0e} bits for every set on {len(family)} tables", worst < SLACK)


@PAPER.claim("App A, [16, Prop 37]", "a convex function of a nonnegative modular one is supermodular")
def convex_of_modular(study: Study) -> Outcome:
    rng = np.random.default_rng(SEED)
    a = np.arange(32)
    most, tried = -np.inf, 0
    for _ in range(50):
        total = subsets(5) @ rng.exponential(1.0, 5)
        bend, at = rng.exponential(1.0, 4), rng.uniform(0, 5, 4)
        for value in (total**2, np.exp(total), h_of(total), (bend * np.maximum(total[:, None] - at, 0)).sum(axis=1)):
            slack = value[:, None] + value - value[a[:, None] | a] - value[a[:, None] & a]
            most, tried = max(most, float((slack / max(value.max(), 1.0)).max())), tried + 1
    return matches(
        f"holds for {tried} functions of 5 elements: squares, exponentials, y log y and random piecewise linear ones",
        most < SLACK,
    )


@PAPER.claim("App A", "−y log y is convex, hence −p(Ŵ) log p(Ŵ) is submodular")
def not_convex(study: Study) -> Outcome:
    y = np.linspace(0, 1, 201)
    bend = np.diff(-h_of(y), 2)
    family = study.once(set_functions)
    p_log_p = least_slack(family, lambda functions: -h_of(_together(functions.merges)))
    return misprint(
        f"y log y is convex (second differences of −y log y on [0, 1] are at most {bend.max():.1e}), which makes "
        f"p(Ŵ) log p(Ŵ) supermodular and its negative submodular, as concluded (all sets on {len(family)} tables)",
        printed=bool((bend >= 0).all()),
        corrected=bool((bend <= 0).all()) and p_log_p > -SLACK,
    )


def _together(merges: Merges) -> Floats:
    """p(Ŵ) of every set."""
    return np.asarray(subsets(merges.n) @ (merges.weights.of_letter / merges.weights.total))


@PAPER.claim(
    "App A, last display", "for W ⊆ Y, f(W) − f(Y) = Σ_{x̂∈W} p(x̂) log p(Ŷ)/p(Ŵ) − Σ_{x̂∈Y\\W} p(x̂) log p(x̂)/p(Ŷ) ≥ 0"
)
def fall_of_f(study: Study) -> Outcome:
    family = study.once(set_functions)
    worst, least, pairs = 0.0, np.inf, 0
    for functions in family[::4]:
        p = functions.merges.weights.of_letter / functions.merges.weights.total
        every, sums = subsets(functions.n), _together(functions.merges)
        numbers = np.arange(len(every))
        for w, y in np.argwhere((numbers[:, None] & numbers) == numbers[:, None]):
            rest = every[y] & ~every[w]
            first = float(sums[w] * np.log2(sums[y] / sums[w])) if w else 0.0
            written = first - float((p[rest] * np.log2(p[rest] / sums[y])).sum())
            worst = max(worst, abs(functions.f[w] - functions.f[y] - written))
            least, pairs = min(least, written), pairs + 1
    return matches(f"holds for {pairs:,} nested pairs of sets, within {worst:.0e} bits", worst < SLACK, least > -SLACK)


@PAPER.claim("App A", "g is submodular and nonincreasing in the same way")
def same_for_g(study: Study) -> Outcome:
    family = study.once(set_functions)
    slack = least_slack(family, lambda functions: functions.g)
    fall = least_fall(family, lambda functions: functions.g)[0]
    return matches(
        f"for all sets on {len(family)} tables: least slack {slack:.0e}, least fall {fall:.0e} bits",
        slack > -SLACK,
        fall > -SLACK,
    )
