"""Figures of quantised queries, drawn by matplotlib: regions in the plane, and trade-off curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.queries._regions import regions

if TYPE_CHECKING:
    from discreet.queries._quantising import QuantisedQuery
    from discreet.queries._trade_off import TradeOff

LABELLED = 24
"""Regions beyond this many are drawn without labels."""

OUTLINED = 100
"""Regions beyond this many are shaded by their answers, without outlines."""

STRETCHED = 4.0
"""Boxes beyond this ratio of sides are drawn as squares."""


def regions_figure(quantised: QuantisedQuery, points: int = 400) -> Any:
    """The regions X_1, …, X_q of a two-entry box [DQ, Figs 1 and 2], as a matplotlib figure."""
    from discreet.report._plots import INK, PALE, figure

    found = regions(quantised, points)
    drawing, axes = figure(4.4, 4.2)
    axes.spines[["top", "right"]].set_visible(True)  # the domain ends there
    q = len(found.answers)
    if q <= OUTLINED:
        ends = min(found.edges[0], found.value.min()) - 1, max(found.edges[-1], found.value.max()) + 1
        levels = np.concatenate((ends[:1], found.edges[1:-1], ends[1:]))
        axes.contourf(found.x, found.y, found.value, levels=levels, colors=["white", PALE])
        if q > 1:
            lines = found.edges[1:-1]
            axes.contour(found.x, found.y, found.value, levels=lines, colors=INK, linewidths=0.8, linestyles="solid")
    else:
        shading = axes.pcolormesh(found.x, found.y, found.answers[found.cell], cmap="Blues", rasterized=True)
        drawing.colorbar(shading, ax=axes, shrink=0.7, label=f"answer, one of {q:,}")
    if q <= LABELLED:
        for cell in np.unique(found.cell).tolist():
            place = found.middle(cell)
            axes.text(*place, f"$X_{{{cell + 1}}}$", ha="center", va="center", color=INK, fontsize=8)
    axes.set_xlabel("$x_1$")
    axes.set_ylabel("$x_2$")
    sides = np.ptp(found.x), np.ptp(found.y)
    alike = 0 < max(sides) <= STRETCHED * min(sides)
    axes.set_aspect("equal" if alike else "auto")
    return drawing


def trade_off_figure(curve: TradeOff) -> Any:
    """L0 and I* in bits, and the adversary's error, against γ [DQ, Fig 3], as a matplotlib figure."""
    from discreet.report._plots import ACCENT, INK, WARN, figure

    drawing, axes = figure()
    order = np.argsort(curve.gamma, kind="stable")
    gamma, leakage = curve.gamma[order], curve.leakage[order]
    # The number of cells is a whole number, so that all three are stairs: drawn as such where the points show them.
    stairs = "steps-mid" if (np.diff(curve.cells[order]) == 0).any() else "default"
    axes.plot(gamma, leakage, color=ACCENT, label="$L_0$, bits", drawstyle=stairs)
    error = curve.leakage_error[order]
    finite = np.where(np.isfinite(error), error, 0.0)
    if (finite > 1e-6).any():
        axes.fill_between(gamma, leakage - finite, leakage + finite, color=ACCENT, alpha=0.2)
    axes.plot(gamma, curve.maximin[order], color=INK, label="$I_*$, bits", drawstyle=stairs)
    axes.set_xlabel("γ = 1 / error")
    axes.set_ylabel("bits")
    axes.set_ylim(0, 1.2 * max(float(leakage.max()), 1.0))  # room for the legend
    other = axes.twinx()
    other.spines["top"].set_visible(False)
    other.tick_params(colors=WARN, labelsize=9)
    missed = curve.adversary_error[order]
    other.plot(gamma, missed, color=WARN, linestyle="--", label="$d_{min}$", drawstyle=stairs)
    other.set_ylabel("adversary's error, in the data's units")
    other.set_ylim(0, 1.2 * max(float(missed.max()), 1e-300))
    lines = [*axes.get_lines(), *other.get_lines()]
    axes.legend(lines, [line.get_label() for line in lines], frameon=False, fontsize=9, loc="upper center", ncols=3)
    return drawing
