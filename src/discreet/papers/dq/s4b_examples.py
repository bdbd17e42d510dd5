"""Examples IV.1 and IV.2 with Figures 1 to 3."""

from __future__ import annotations

import math

import numpy as np

from discreet.papers.claims import Outcome, Study, matches, misprint, not_checkable, refuted
from discreet.papers.dq.families import SEED, SLACK, SQUARE, ellipse, heights, mean_of_two, quadratic
from discreet.papers.dq.paper import PAPER
from discreet.queries import Box, Mean, quantise, regions, trade_off


@PAPER.claim(
    "Ex IV.1, (20), Fig 1",
    "mean of two numbers in [−2, 2], γ = 2: four bins, answers ∓1.5 and ∓0.5 with x1 + x2 cut at −2, 0 and 2; the "
    "optimum of Thm IV.3",
)
def mean(study: Study) -> Outcome:
    quantised = study.once(mean_of_two)
    best = quantise(Mean(), SQUARE, 0.5, "least-leakage")
    x = np.random.default_rng(SEED).uniform(-2, 2, (10_000, 2))
    printed = np.select([x.sum(axis=1) < edge for edge in (-2, 0, 2)], [-1.5, -0.5, 0.5], 1.5)
    return matches(
        f"answers {', '.join(f'{b:g}' for b in quantised.answers)}, the same as (20) at 10,000 points; I* = "
        f"{quantised.maximin:g}, L0 = {quantised.leakage:g} bits, "
        f"d_min = {quantised.adversary_error:.3f}; best for L0 too ({best.leakage:g})",
        quantised.answers.tolist() == [-1.5, -0.5, 0.5, 1.5],
        bool((quantised.answer(x) == printed).all()),
        quantised.maximin == 2,
        abs(quantised.leakage - 3) < SLACK and abs(best.leakage - 3) < SLACK,
        abs(quantised.adversary_error - math.sqrt(2)) < SLACK,
    )


@PAPER.claim("Ex IV.1", "for any γ > 0 there are ⌈2γ⌉ bins; as γ grows L0 and I* grow and d_min falls")
def trade(study: Study) -> Outcome:
    curve = trade_off(Mean(), SQUARE, np.arange(1, 161) / 16)
    q = curve.cells.astype(float)
    closed = np.where(q > 1, 2 * np.log2(q) - 1, 0.0), np.where(q > 1, 4 * math.sqrt(2) / q, 2 * math.sqrt(2))
    return matches(
        f"{len(curve)} values of γ up to 10, in steps: L0 = log2(q²/2) bits, I* = log2 q and d_min = 4√2/q for q ≥ "
        f"2 bins",
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
    return matches(
        f"range {found.value.min():g} to {found.value.max():g}, answers 0.5 to {quantised.answers[-1]:g}; regions "
        f"agree at 201 by 201 points; the last is the smallest, "
        f"L0 = {quantised.leakage:.2f} bits",
        (found.value.min(), found.value.max()) == (0, 12),
        bool((np.abs(quantised.answers - (np.arange(1, 13) - 0.5)) < SLACK).all()),
        bool((found.cell == cells).all()),
        quantised.evidence["smallest_cell"] == 11,
    )


@PAPER.claim("(21)", "f̃(x) = i + 0.5 where i ≤ x1² + 2 x2² < i + 1, i = 0, …, 11")
def last_cell(study: Study) -> Outcome:
    corners = np.array([(-2.0, -2.0), (-2.0, 2.0), (2.0, -2.0), (2.0, 2.0)])
    values = ellipse(corners)
    answered = [[i + 0.5 for i in range(12) if i <= value < i + 1] for value in values]
    ours = study.once(quadratic).answer(corners)
    return misprint(
        f"the last cell must be closed: at the four corners f = {values[0]:g}, and (21) has no answer there; ≤ 12 "
        f"for i = 11 gives {ours[0]:g}",
        printed=all(answered),
        corrected=bool((ours == 11.5).all()),
    )


@PAPER.claim("Ex IV.1", "x1² + 2 x2² on the square meets the condition of Cor IV.1, that level sets are connected")
def level_sets(study: Study) -> Outcome:
    from scipy import ndimage

    quantised = study.once(quadratic)
    found = regions(quantised, 401)
    pieces = [int(ndimage.label(found.cell == cell)[1]) for cell in range(12)]
    grid = np.stack(np.meshgrid(found.x, found.y), axis=-1)
    at_top = grid[ellipse(grid) == 12]
    return refuted(
        f"f = 12 at the four corners only, and f = y is two arcs for 4 < y ≤ 8, four beyond; the regions of Fig 2 "
        f"have {', '.join(map(str, pieces))} pieces. "
        "What is concluded holds all the same, as Cor IV.1 does not need it",
        counterexample=len(at_top) == 4 and bool((np.abs(at_top) == 2).all()) and pieces[-1] == 4,
    )


@PAPER.claim("Ex IV.2", "the mean of n heights in [100, 250] cm is best quantised uniformly into ⌈75γ⌉ bins")
def height_bins(study: Study) -> Outcome:
    gammas = (0.1, 0.28, 0.29, 0.3, 1.0)
    bins = [len(heights(people, gamma).answers) for people in (2, 10) for gamma in gammas]
    uniform, best = heights(2, 0.29), quantise(Mean(), Box(100, 250, people=2), 1 / 0.29, "least-leakage")
    return matches(
        f"for I*, at γ = {gammas} and 2 and 10 people. For L0 and d_min it is not the best where 150 is no "
        f"multiple of 2/γ: with wider cells at the ends γ = .29 and two "
        f"people give {best.leakage:.3f} for {uniform.leakage:.3f} bits and {best.adversary_error:.2f} for "
        f"{uniform.adversary_error:.2f} cm",
        bins == 2 * [math.ceil(75 * gamma - SLACK) for gamma in gammas],
        best.leakage < uniform.leakage and best.adversary_error > uniform.adversary_error,
    )


@PAPER.claim("Ex IV.2", "d_min = 150√2/⌈75γ⌉, whatever the number of people")
def independent_of_people(study: Study) -> Outcome:
    gamma, q = 0.28, 21
    claimed, width = 150 * math.sqrt(2) / q, 150 / q
    found = {people: heights(people, gamma).adversary_error for people in (1, 2, 3, 5, 10)}
    closed = {people: width * math.sqrt(people * (people - 1)) if people > 1 else width / 2 for people in found}
    return refuted(
        f"for two people only: γ = .28 gives {claimed:.2f} cm, and d_min is "
        f"{', '.join(f'{d:.2f}' for d in found.values())} for {', '.join(map(str, found))} people; it is "
        "w√(n(n−1)) with w = 150/⌈75γ⌉ while n·w ≤ 150",
        counterexample=abs(found[2] - claimed) < SLACK
        and abs(found[3] - claimed) > 1
        and all(abs(found[people] - closed[people]) < 1e-6 for people in found),
    )


@PAPER.claim("Ex IV.2", "the worst case has n − 2 people at 250 cm and two within (250 − 150/⌈75γ⌉, 250]")
def worst_case(study: Study) -> Outcome:
    quantised = heights(2, 0.28)
    width = 150 / 21
    inside = quantised.cell([250.0, 250.0 - 1.9 * width]), quantised.cell([250.0, 250.0 - 2.1 * width])
    last = len(quantised.answers) - 1
    interval = float(np.ptp(quantised.intervals(last)[0]))
    return misprint(
        f"the last bin is a corner simplex: for two people it reaches to 250 − 2w, an interval of {interval:.2f} "
        f"and not {width:.2f} cm, and for n people each of "
        "them may be n·w lower",
        printed=abs(interval - width) < SLACK,
        corrected=abs(interval - 2 * width) < SLACK and inside[0] == last and inside[1] == last - 1,
    )


@PAPER.claim("Ex IV.2", "an error of 10 cm at least for the adversary needs γ larger than 22/75 ≈ 0.2933")
def ten_centimetres(study: Study) -> Outcome:
    above, limit, at = (heights(2, gamma) for gamma in (0.3, 0.28, 22 / 75))
    return misprint(
        f"at most 21/75 = 0.28, for two people: d_min is {limit.adversary_error:.2f} cm there, "
        f"{at.adversary_error:.2f} at 22/75 and {above.adversary_error:.2f} at 0.3",
        printed=above.adversary_error >= 10,
        corrected=limit.adversary_error >= 10 > at.adversary_error > above.adversary_error,
    )
