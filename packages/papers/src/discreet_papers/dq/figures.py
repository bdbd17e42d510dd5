"""Figures 1 to 3, redrawn from our own computation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.queries import Mean, QuantisedQuery, regions, trade_off
from discreet_papers.claims import Study
from discreet_papers.dq.families import SQUARE, mean_of_two, quadratic
from discreet_papers.dq.paper import PAPER

Place = tuple[float, float]


def _regions(quantised: QuantisedQuery, places: Sequence[Place]) -> Any:
    """The regions of the answers on the square, each named at its place."""
    from discreet.report import ACCENT, INK, PALE, figure

    found = regions(quantised, 101)  # curves are smooth to the eye, and the file stays small
    drawing, axes = figure(4.6, 4.4)
    colours = ["white" if cell % 2 == 0 else PALE for cell in range(len(found.answers))]
    levels = np.concatenate(([found.edges[0] - 1], found.edges[1:-1], [found.edges[-1] + 1]))
    axes.contourf(found.x, found.y, found.value, levels=levels, colors=colours)
    axes.contour(found.x, found.y, found.value, levels=levels[1:-1], colors=INK, linewidths=0.8, linestyles="solid")
    for cell, place in enumerate(places):
        axes.text(*place, f"$X_{{{cell + 1}}}$", ha="center", va="center", color=ACCENT, fontsize=8)
    axes.set_xlabel("$x_1$")
    axes.set_ylabel("$x_2$")
    axes.set_aspect("equal")
    return drawing


@PAPER.figure("fig1", "The regions of the four answers: the mean of two numbers in [−2, 2], γ = 2.")
def fig1(study: Study) -> Any:
    quantised = study.once(mean_of_two)
    return _regions(quantised, [(answer, answer) for answer in quantised.answers.tolist()])


@PAPER.figure("fig2", "The regions of the twelve answers: x1² + 2 x2² on the same square, γ = 2.")
def fig2(study: Study) -> Any:
    quantised = study.once(quadratic)
    # Rings are named on the vertical axis, up and down in turn; what lies in the corners only, in one corner each.
    rings = [(0.0, (-1) ** cell * math.sqrt(answer / 2)) for cell, answer in enumerate(quantised.answers.tolist()[:8])]
    corners = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    outer = [math.sqrt(answer / 3) for answer in quantised.answers.tolist()[8:]]
    return _regions(quantised, rings + [(a * t, b * t) for (a, b), t in zip(corners, outer, strict=True)])


@PAPER.figure("fig3", "L0, I* and the adversary's least error d_min for the mean of two numbers in [−2, 2], against γ.")
def fig3(study: Study) -> Any:
    return trade_off(Mean(), SQUARE, gammas=np.linspace(0.05, 10, 800)).plot()
