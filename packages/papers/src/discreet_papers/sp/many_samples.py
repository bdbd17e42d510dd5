"""Section IV-B: Table I, Theorem 3 and the two models that bound it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.sample_privacy import (
    Convergence,
    Program,
    disclose_types,
    disclosed_information,
    enumerate_vertices,
    full_data,
    known_latent_information,
    merge_latent,
    output_perturbation,
    private_information,
)
from discreet_papers.arrays import entropy, information
from discreet_papers.claims import Outcome, Study, matches, misprint
from discreet_papers.sp.families import random_latent
from discreet_papers.sp.latent_limits import noisy_coin, random_joints, seen
from discreet_papers.sp.paper import EXACT, PAPER, Floats

NS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 300)
SHORT = NS[:-1]
"""J has a point for every pair of a w and a type, and is left at n = 100."""
PRINTED = (8.34e-3, 4.88e-2, 4.47e-2)
"""Table I: I_s for n = 2, 3, 4."""


def three_doses() -> Floats:
    """A W of three values that a bit per sample cannot hide: C_1(0) > 0."""
    return seen((0.3, 0.4, 0.3), ((0.9, 0.1), (0.5, 0.5), (0.1, 0.9)))


def coin_disclosed(study: Study) -> Convergence:
    """I_s(W, Xⁿ) of Table I's pair."""
    return disclosed_information(noisy_coin(), NS)


def coin_known(study: Study) -> Convergence:
    """J(W, Xⁿ) of Table I's pair."""
    return known_latent_information(noisy_coin(), SHORT)


def doses_disclosed(study: Study) -> Convergence:
    """I_s(W, Xⁿ) of three doses."""
    return disclosed_information(three_doses(), NS)


def doses_known(study: Study) -> Convergence:
    """J(W, Xⁿ) of three doses."""
    return known_latent_information(three_doses(), SHORT)


@PAPER.claim("Theorem 3", "I_s(W, Xⁿ) → C_1(0)")
def _limit(study: Study) -> Outcome:
    coin, doses = study.once(coin_disclosed), study.once(doses_disclosed)
    ends = [float(abs(each.lower[-1] - each.limit)) for each in (coin, doses)]
    return matches(
        f"Table I's pair: {coin.lower[5]:.4f}, {coin.lower[9]:.4f}, {coin.lower[-1]:.4f} bits for n = 6, 20, 300, "
        f"C_1(0) = {coin.limit:.4f}; W of three values: {doses.lower[5]:.4f}, {doses.lower[9]:.4f}, "
        f"{doses.lower[-1]:.4f}, C_1(0) = {doses.limit:.4f}",
        max(ends) < 0.002,
        bool((np.diff(np.abs(coin.lower[5:] - coin.limit)) < 0).all()),
        bool((np.abs(doses.lower[-2:] - doses.limit) < 0.003).all()),
        float((coin.upper - coin.lower).max()) < 1e-4,
        doses.limit > 0.1,
    )


@PAPER.claim("Table I", "I_s = 8.34e-3, 4.88e-2, 4.47e-2 for n = 2, 3, 4, W ~ Bern(1/3), BSC(0.1)")
def _table(study: Study) -> Outcome:
    found = study.once(coin_disclosed)
    values = [float(found.lower[NS.index(n)]) for n in (2, 3, 4)]
    return matches(
        ", ".join(f"{value:.5e}" for value in values) + " bits",
        [float(f"{value:.2e}") for value in values] == list(PRINTED),
    )


@PAPER.claim("IV-B", "I_s need not be monotone in n")
def _not_monotone(study: Study) -> Outcome:
    values = study.once(coin_disclosed).lower[:7]
    turns = int((np.diff(np.sign(np.diff(values))) != 0).sum())
    return matches(
        f"it turns {turns} times up to n = 8: {', '.join(f'{v:.4f}' for v in values)} for n = 1..6, 8", turns > 1
    )


@PAPER.figure("table1", "Table I and beyond: what n samples can disclose, and what they could if the mapping saw W")
def _draw_table(study: Study) -> Any:
    from discreet.report import ACCENT, INK, WARN, figure

    drawing, axes = figure()
    known, found = study.once(coin_known), study.once(coin_disclosed)
    axes.plot(
        SHORT, known.lower, color=WARN, marker="o", markersize=3, linewidth=1.4, label="J(W,Xⁿ), the mapping sees W"
    )
    axes.plot(
        NS, found.lower, color=ACCENT, marker="o", markersize=3, linewidth=1.4, label="I_s(W,Xⁿ), it sees the samples"
    )
    axes.scatter([2, 3, 4], PRINTED, s=45, marker="s", facecolor="none", edgecolor=INK, label="Table I", zorder=3)
    axes.axhline(found.limit, color=INK, linewidth=1, linestyle=":", label="C_1(0), the limit of both")
    axes.set_xscale("log")
    ticks = [1, 2, 3, 4, 6, 10, 20, 50, 100, 300]
    axes.set_xticks(ticks, [str(n) for n in ticks])
    axes.minorticks_off()
    axes.set_xlabel("samples n")
    axes.set_ylabel("bits about W")
    axes.legend(frameon=False, fontsize=9)
    return drawing


@PAPER.claim("Lemma 3", "J(W, Xⁿ) − I_s(W, Xⁿ) → 0")
def _difference(study: Study) -> Outcome:
    gaps = [
        study.once(known).lower - study.once(disclosed).lower[: len(SHORT)]
        for known, disclosed in ((coin_known, coin_disclosed), (doses_known, doses_disclosed))
    ]
    at = [NS.index(n) for n in (4, 20, 100)]
    return matches(
        f"Table I's pair: {', '.join(f'{gaps[0][i]:.1e}' for i in at)} bits for n = 4, 20, 100; W of three values: "
        f"{', '.join(f'{gaps[1][i]:.1e}' for i in at)}",
        all(bool((gap > -1e-7).all()) for gap in gaps),
        all(gap[at[2]] < 1e-4 and gap[at[2]] < gap[at[1]] < gap[at[0]] for gap in gaps),
    )


@PAPER.claim("Remark 5, (47)", "C_2(0) = J(W, X¹) ≥ J(W, X²) ≥ … → C_1(0)")
def _between(study: Study) -> Outcome:
    both = [study.once(coin_known), study.once(doses_known)]
    falling = all(bool((np.diff(each.lower) <= 1e-7).all()) for each in both)
    first = [
        abs(each.lower[0] - full_data(joint).value)
        for each, joint in zip(both, (noisy_coin(), three_doses()), strict=True)
    ]
    return matches(
        f"Table I's pair: from {both[0].lower[0]:.6f} to {both[0].lower[-1]:.4f} at n = 100 (limit "
        f"{both[0].limit:.4f}); W of three values: from {both[1].lower[0]:.4f} to {both[1].lower[-1]:.4f} (limit "
        f"{both[1].limit:.4f})",
        falling,
        max(first) < 1e-7,
        all(-1e-7 < each.lower[-1] - each.limit < 0.02 for each in both),
    )


@PAPER.claim("Lemma 4", "a further sample X, not seen by the mapping, becomes independent of Y: I(X;Y) → 0")
def _unseen(study: Study) -> Outcome:
    from scipy.stats import binom

    leaked: list[list[float]] = []
    for joint in (noisy_coin(), three_doses()):
        prior, given = joint.sum(axis=1), joint / joint.sum(axis=1, keepdims=True)
        row = []
        for n in (10, 30, 100):
            chance = binom.pmf(np.arange(n + 1), n, given[:, 1:])  # p(type|w)
            total = prior @ chance
            found = disclose_types(total / total.sum(), (prior[:, None] * chance / total).T, samples=n).mapping
            table: Floats = found.table  # type: ignore[attr-defined] # p(y|type), as W does not depend on the order
            row.append(information(given.T @ (prior[:, None] * (chance @ table))))
        leaked.append(row)
    text = "; ".join(", ".join(f"{value:.0e}" for value in row) for row in leaked)
    return matches(
        f"under optimal mappings for n = 10, 30, 100: {text} bits for Table I's pair and a W of three values",
        all(0 < row[2] < row[1] and row[2] < 5e-3 for row in leaked),
    )


def _silent(prior: Floats, given: Floats) -> Floats:
    """The extreme points, one per row, of the posteriors p(w|y) that leave p(x) as it is."""
    rows: list[Floats] = [np.ones(len(prior))]
    for row in given.T:  # the program takes independent rows
        if np.linalg.matrix_rank([*rows, row]) > len(rows):
            rows.append(row)
    return enumerate_vertices(Program(np.array(rows), prior)).vertices.dense(len(prior))


def _perturbed(joint: Floats, budgets: list[float], steps: int) -> list[float]:
    """C_1(α) over a grid of posteriors p(w|y) in so many steps, with the extreme points of α = 0 among them."""
    from scipy.optimize import linprog

    prior, given = joint.sum(axis=1), joint / joint.sum(axis=1, keepdims=True)
    free = np.stack(np.meshgrid(*[np.linspace(0, 1, steps + 1)] * (len(prior) - 1), indexing="ij"), axis=-1).reshape(
        -1, len(prior) - 1
    )
    grid = np.column_stack([free, 1 - free.sum(axis=1)])
    ends = _silent(prior, given)
    points = np.vstack([grid[grid[:, -1] > -1e-12].clip(0), ends, prior])
    gain = float(entropy(prior)) - entropy(points, axis=1)
    leak = float(entropy(prior @ given)) - entropy(points @ given, axis=1)
    leak[-1 - len(ends) :] = 0.0  # exactly, by construction
    found = []
    for budget in budgets:
        solved = linprog(
            -gain,
            A_ub=leak[None],
            b_ub=[budget],
            A_eq=points.T,
            b_eq=prior,
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        found.append(math.nan if solved.fun is None else -float(solved.fun))
    return found


@PAPER.claim("Lemma 5", "C_1(α) is continuous, at α = 0 too")
def _continuous(study: Study) -> Outcome:
    """A jump at 0 would show as a C_1 of small α that does not fall with α, or that grows as the grid gets finer."""
    budgets = [0.0, 1e-6, 1e-4, 1e-2]
    rises, moved, starts = [], [], []
    for joint in (noisy_coin(), three_doses()):
        coarse, fine = (np.array(_perturbed(joint, budgets, steps)) for steps in (30, 90))
        rises.append(fine - fine[0])
        moved.append(float(np.abs(fine - coarse).max()))
        starts.append(abs(float(fine[0]) - output_perturbation(joint).value))
    text = " and ".join(", ".join(f"{rise:.0e}" for rise in each[1:]) for each in rises)
    return matches(
        f"C_1(α) − C_1(0) is {text} bits at α = 1e-6, 1e-4, 1e-2 for Table I's pair and a W of three values, over a "
        f"grid of posteriors; one three times coarser gives the same to {max(moved):.0e}",
        max(starts) < 1e-7,
        max(moved) < 0.01,
        all(bool((np.diff(each) >= -EXACT).all()) for each in rises),
        all(each[1] < 1e-5 and each[2] < 1e-3 for each in rises),
    )


@PAPER.claim("Proposition 5, (48)", "(C_X(W) − log|X|)⁺ ≤ C_1(0) ≤ C_2(0) ≤ H(W̃|X) ≤ H(W|X)")
def _chain(study: Study) -> Outcome:
    held, tried = 0, 0
    wide = seen((0.25,) * 4, ((0.9, 0.1), (0.7, 0.3), (0.3, 0.7), (0.1, 0.9)))  # C_X(W) = 2 > log|X|
    for joint in (noisy_coin(), three_doses(), wide, *random_joints(40)):
        merged = merge_latent(joint.T)[1].T
        first = max(0.0, private_information(joint)[0] - math.log2(joint.shape[1]))
        rests = [float(entropy(each)) - float(entropy(joint.sum(axis=0))) for each in (merged, joint)]
        chain = [first, output_perturbation(joint).value, full_data(joint).value, *rests]
        held += bool((np.diff(chain) >= -1e-7).all())
        tried += 1
    return matches(f"on {held} of {tried} p(w, x), 40 of them random", held == tried)


@PAPER.claim(
    "Proposition 5, proof; Appendix D", "Y ⊥ X in X − W̃ − Y is equivalent to p_{W̃|y} in Null(P_{X|W̃}) for every y"
)
def _membership(study: Study) -> Outcome:
    joint = three_doses()
    prior, given = joint.sum(axis=1), joint / joint.sum(axis=1, keepdims=True)
    ends = _silent(prior, given)
    inside = np.abs(ends @ given).max(axis=1) < EXACT
    differences = np.abs((prior - ends) @ given).max()
    other = random_latent(np.random.default_rng(42), (3,), 2)
    beyond = np.abs((prior[:, None] - prior[:, None] * other / (prior @ other)).T @ given).max()
    return misprint(
        "the difference p_W̃ − p_{W̃|y} must lie there, as in Lemma 1: P_{X|W̃} maps pmfs to pmfs, so no p_{W̃|y} does",
        printed=bool(inside.any()),
        corrected=bool(differences < EXACT and beyond > 1e-3),
    )


@PAPER.claim("Corollary 3.1", "W = (W', V), X = (X', V) with W' and X' independent given V: I_s(W, Xⁿ) = 0 for every n")
def _shared_part(study: Study) -> Outcome:
    rng, worst, tried = np.random.default_rng(43), 0.0, 0
    for _ in range(10):
        p_v, w_given, x_given = rng.dirichlet(np.ones(2)), rng.dirichlet(np.ones(2), 2), rng.dirichlet(np.ones(2), 2)
        joint = np.zeros((2, 2, 2, 2))  # w', v, x', v
        for v in range(2):
            joint[:, v, :, v] = p_v[v] * np.outer(w_given[v], x_given[v])
        table = joint.reshape(4, 4)
        worst = max(worst, full_data(table).upper_bound, *disclosed_information(table, [1, 2, 3, 4]).upper)
        tried += 1
    return matches(f"at most {worst:.0e} bits for n = 1 to 4 on {tried} random p, and C_2(0) = 0", worst < 1e-7)
