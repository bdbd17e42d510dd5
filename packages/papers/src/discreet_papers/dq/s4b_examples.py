"""Examples IV.1 and IV.2 with Figures 1 to 3."""

from __future__ import annotations

import math

import numpy as np

from discreet.queries import Box, Mean, quantise, regions, trade_off
from discreet_papers.claims import Outcome, Study, matches, misprint, not_checkable, refuted
from discreet_papers.dq.families import SEED, SLACK, SQUARE, ellipse, heights, mean_of_two, quadratic
from discreet_papers.dq.paper import PAPER


@PAPER.claim(
    "Ex IV.1, (20), Fig 1",
    "mean of two numbers in [−2, 2], γ = 2: four bins, answers ∓1.5 and ∓0.5 with x1 + x2 cut at −2, 0 and 2; "
    "the optimum of Thm IV.3",
)
def mean(study: Study) -> Outcome:
    quantised = study.once(mean_of_two)
    best = quantise(Mean(), SQUARE, error=0.5, bins="least-leakage")
    x = np.random.default_rng(SEED).uniform(-2, 2, (10_000, 2))
    printed = np.select([x.sum(axis=1) < edge for edge in (-2, 0, 2)], [-1.5, -0.5, 0.5], 1.5)
    return matches(
        f"answers {', '.join(f'{b:g}' for b in quantised.answers)}, the same as (20) at 10,000 points; I* = "
        f"{quantised.maximin:g}, L0 = {quantised.leakage:g} bits, d_min = {quantised.adversary_error:.3f}; best "
        f"for L0 too ({best.leakage:g})",
        quantised.answers.tolist() == [-1.5, -0.5, 0.5, 1.5],
        bool((quantised.answer(x) == printed).all()),
        quantised.maximin == 2,
        abs(quantised.leakage - 3) < SLACK and abs(best.leakage - 3) < SLACK,
        abs(quantised.adversary_error - math.sqrt(2)) < SLACK,
    )


@PAPER.claim("Ex IV.1", "for any γ > 0 there are ⌈2γ⌉ bins; as γ grows L0 and I* grow and d_min falls")
def trade(study: Study) -> Outcome:
    curve = trade_off(Mean(), SQUARE, gammas=np.arange(1, 161) / 16)
    q = curve.cells.astype(float)
    closed = np.where(q > 1, 2 * np.log2(q) - 1, 0.0), np.where(q > 1, 4 * math.sqrt(2) / q, 2 * math.sqrt(2))
    return matches(
        f"{len(curve)} values of γ up to 10, in steps: L0 = log2(q²/2) bits, I* = log2 q and d_min = 4√2/q for q "
        "≥ 2 bins",
        bool((curve.cells == np.ceil(2 * curve.gamma)).all()),
        all(bool((np.diff(each) >= -SLACK).all()) for each in (curve.leakage, curve.maximin, -curve.adversary_error)),
        float(np.abs(curve.leakage - closed[0]).max()) < SLACK
        and float(np.abs(curve.adversary_error - closed[1]).max()) < SLACK,
        float(np.abs(curve.maximin - np.log2(q)).max()) < SLACK,
    )


@PAPER.claim("Fig 3", "the curves that are drawn, which the text calls Figure IV.1")
def curves(study: Study) -> Outcome:
    return not_checkable("the curves are not in the text; the figure is redrawn from the formulas that hold in Ex IV.1")


@PAPER.claim(
    "Ex IV.1, Fig 2",
    "x1² + 2 x2² on the square has range [0, 12]; γ = 2 gives 12 bins with answers i − 0.5, and Fig 2's regions "
    "are (21)'s",
)
def quadratic_query(study: Study) -> Outcome:
    quantised = study.once(quadratic)
    found = regions(quantised, 201)
    cells = np.minimum(np.floor(found.value), 11)
    corners = quantised.answer(np.array([(-2.0, -2.0), (-2.0, 2.0), (2.0, -2.0), (2.0, 2.0)]))
    return matches(
        f"range {found.value.min():g} to {found.value.max():g}, answers 0.5 to {quantised.answers[-1]:g}; regions "
        "agree at 201 by 201 points, if (21)'s last cell is closed (f = 12 at the four corners, answered by "
        f"{corners[0]:g}). The last region is the smallest, L0 = {quantised.leakage:.2f} bits",
        (found.value.min(), found.value.max()) == (0, 12),
        bool((np.abs(quantised.answers - (np.arange(1, 13) - 0.5)) < SLACK).all()),
        bool((found.cell == cells).all()) and bool((corners == 11.5).all()),
        quantised.evidence["smallest_cell"] == 11,
    )


@PAPER.claim("Ex IV.1", "x1² + 2 x2² meets the condition of Cor IV.1, that {x : f(x) = y} is connected")
def level_sets(study: Study) -> Outcome:
    from scipy import ndimage

    def pieces(half: float, y: float) -> int:
        """Pieces of a narrow band round f = y in the square [−half, half]²."""
        line = np.linspace(-half, half, 401)
        grid = np.stack(np.meshgrid(line, line), axis=-1)
        return int(ndimage.label(np.abs(ellipse(grid) - y) < 0.15, np.ones((3, 3)))[1])

    levels = np.arange(1, 13) - 0.5
    plane, square = ([pieces(half, y) for y in levels.tolist()] for half in (4.0, 2.0))
    return matches(
        "in the plane, where f = y is an ellipse. Within the square that holds the data it is "
        f"{', '.join(map(str, square))} arcs for y = 0.5 to 11.5, so that regions of Fig 2 fall into pieces; Cor "
        "IV.1 holds all the same, as it does not need the condition",
        plane == 12 * [1],
        square == 4 * [1] + 4 * [2] + 4 * [4],
    )


@PAPER.claim("Ex IV.2", "the mean of n heights in [100, 250] cm is best quantised uniformly into ⌈75γ⌉ bins")
def height_bins(study: Study) -> Outcome:
    gammas = (0.1, 0.28, 0.29, 0.3, 1.0)
    bins = [len(heights(people, gamma).answers) for people in (2, 10) for gamma in gammas]
    uniform, best = heights(2, 0.29), quantise(Mean(), Box(100, 250, people=2), error=1 / 0.29, bins="least-leakage")
    return matches(
        f"for I*, at γ = {gammas} and 2 and 10 people. For L0 and d_min it is not the best where 150 is no "
        f"multiple of 2/γ: with wider cells at the ends γ = .29 and two people give {best.leakage:.3f} for "
        f"{uniform.leakage:.3f} bits and {best.adversary_error:.2f} for {uniform.adversary_error:.2f} cm",
        bins == 2 * [math.ceil(75 * gamma - SLACK) for gamma in gammas],
        best.leakage < uniform.leakage and best.adversary_error > uniform.adversary_error,
    )


@PAPER.claim(
    "Ex IV.2",
    "d_min = 150√2/⌈75γ⌉ for any number n of people, the worst case being n − 2 of them at 250 cm and two within "
    "(250 − 150/⌈75γ⌉, 250]",
)
def independent_of_people(study: Study) -> Outcome:
    gamma, q = 0.28, 21
    claimed, width = 150 * math.sqrt(2) / q, 150 / q
    found = {people: heights(people, gamma) for people in (1, 2, 3, 5, 10)}
    errors = {people: quantised.adversary_error for people, quantised in found.items()}
    closed = {people: width * math.sqrt(people * (people - 1)) if people > 1 else width / 2 for people in found}
    lowest = {people: 250 - float(np.min(found[people].intervals(q - 1))) for people in (2, 3)}
    return refuted(
        f"for two people only: γ = {gamma:g} gives {claimed:.2f} cm, and d_min is "
        f"{', '.join(f'{d:.2f}' for d in errors.values())} for {', '.join(map(str, errors))} people. The last "
        f"answer leaves a corner simplex in which one person may be n·w below 250 cm, w = 150/⌈75γ⌉ = {width:.2f} "
        f"({lowest[2]:.2f} for two, {lowest[3]:.2f} for three); d_min is w√(n(n−1)) for n ≥ 2 while n·w ≤ 150",
        counterexample=abs(errors[2] - claimed) < SLACK
        and abs(errors[3] - claimed) > 1
        and all(abs(errors[people] - closed[people]) < 1e-6 for people in errors)
        and all(abs(lowest[people] - people * width) < 1e-6 for people in lowest),
    )


@PAPER.claim("Ex IV.2", "for the adversary to err by 10 cm at least, γ must be larger than 22/75 ≈ 0.2933")
def ten_centimetres(study: Study) -> Outcome:
    above, limit, at = (heights(2, gamma) for gamma in (0.3, 0.28, 22 / 75))
    return misprint(
        "smaller is meant: at most 21/75 = 0.28 by the formula, which is right for two people. d_min is "
        f"{limit.adversary_error:.2f} cm there, {at.adversary_error:.2f} at 22/75 and {above.adversary_error:.2f} "
        "at 0.3",
        printed=above.adversary_error >= 10,
        corrected=limit.adversary_error >= 10 > at.adversary_error > above.adversary_error,
    )
