"""Figures 2 to 4, redrawn from our own runs on the Hungarian data."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet_papers.claims import Study
from discreet_papers.pf.paper import PAPER
from discreet_papers.pf.procedure import (
    GRID,
    PROBLEMS,
    PUBLIC,
    SEEDS,
    THRESHOLD,
    ends,
    merged_by_pairs,
    pairwise_ends,
    runs,
    settings,
)

DRAWN = (0.5, 0.7, 0.9)
"""Multipliers of Fig 2."""
TITLES = {"A": "X = {sex, cholesterol}", "B": "X = {age, cholesterol}"}


def _panels(width: float, height: float) -> tuple[Any, Any]:
    """Two by two axes: settings down, problems across."""
    from discreet.report import INK, figure

    drawing, axes = figure(width, height)
    axes.remove()
    panels = drawing.subplots(2, 2)
    for panel in panels.flat:
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(colors=INK, labelsize=8)
    return drawing, panels


@PAPER.figure(
    "fig2", "The Lagrangian I(S;X̂) − λ I(X;X̂) along Algorithm 1: falling for the funnel, rising for the bottleneck."
)
def fig2(study: Study) -> Any:
    from matplotlib.ticker import MaxNLocator

    from discreet.report import ACCENT, INK, WARN

    found = study.once(runs)
    drawing, panels = _panels(7.2, 5.4)
    for row, letter in zip(panels, PUBLIC, strict=True):
        for panel, problem in zip(row, PROBLEMS, strict=True):
            for multiplier, colour in zip(DRAWN, (ACCENT, WARN, INK), strict=True):
                paths = found[letter, problem][: len(GRID)]
                run = min(paths, key=lambda each: abs(each.multiplier - multiplier))
                panel.plot(
                    run.lagrangian, color=colour, marker="o", markersize=3, linewidth=1.3, label=f"λ = {multiplier:g}"
                )
            panel.set_title(f"{problem}, {TITLES[letter]}", fontsize=9)
            panel.xaxis.set_major_locator(MaxNLocator(integer=True))
            panel.set_xlabel("iteration", fontsize=9)
        row[0].set_ylabel("Lagrangian, bits", fontsize=9)
    panels[0, 0].legend(frameon=False, fontsize=8)
    return drawing


@PAPER.figure(
    "fig3",
    "Where IAC-MDSF and pairwise merging end, as the paper scales its axes: funnel and bottleneck, both settings.",
)
def fig3(study: Study) -> Any:
    from discreet.report import ACCENT, INK, WARN

    ours, pairs, weights = study.once(runs), study.once(pairwise_ends), study.once(settings)
    drawing, panels = _panels(7.2, 5.8)
    for row, letter in zip(panels, PUBLIC, strict=True):
        scale = np.array([weights[letter].entropy_of_s, weights[letter].entropy])
        for panel, problem in zip(row, PROBLEMS, strict=True):
            of_pairs, of_ours = pairs[letter, problem] / scale, ends(ours[letter, problem]) / scale
            panel.plot(-of_pairs[:, 1], of_pairs[:, 0], "x", markersize=4, color=WARN, label="pairwise, 101 thresholds")
            panel.plot(
                -of_ours[:, 1],
                of_ours[:, 0],
                "o",
                markersize=3.5,
                color=ACCENT,
                label=f"IAC-MDSF, {len(GRID)} λ, {SEEDS} seeds",
            )
            panel.set_title(f"{problem}, {TITLES[letter]}", fontsize=9)
            better = "left and down" if problem == "funnel" else "right and up"
            panel.text(0.03, 0.05, f"better: {better}", transform=panel.transAxes, fontsize=8, color=INK)
            panel.set_xlabel("−I(X;X̂)/H(X)", fontsize=9)
        row[0].set_ylabel("I(S;X̂)/H(S)", fontsize=9)
    panels[0, 0].legend(frameon=False, fontsize=8)
    return drawing


@PAPER.figure(
    "fig4", f"Pairwise merging of X = {{sex, cholesterol}} with threshold {THRESHOLD:g} bits for both problems."
)
def fig4(study: Study) -> Any:
    from discreet.report import ACCENT, WARN, figure

    found = study.once(merged_by_pairs)
    drawing, axes = figure()
    axes.plot(found["funnel"].leakage, color=ACCENT, linewidth=1.6, label="I(S;X̂), funnel [4, Alg 1]")
    axes.plot(
        found["bottleneck"].utility, color=WARN, linewidth=1.6, linestyle="--", label="I(X;X̂), bottleneck [4, Alg 2]"
    )
    axes.set_ylim(0, 8)
    axes.set_xlabel("iteration")
    axes.set_ylabel("bits")
    axes.legend(frameon=False, fontsize=9)
    return drawing
