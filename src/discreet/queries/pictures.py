"""Figures of quantised queries, drawn by matplotlib: regions in the plane, and trade-off curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.queries.regions import regions

if TYPE_CHECKING:
    from discreet.queries.curves import TradeOff
    from discreet.queries.quantising import QuantisedQuery

LABELLED = 24
"""Regions beyond this many are drawn without labels."""


def regions_figure(quantised: QuantisedQuery, points: int = 400) -> Any:
    """The regions X_1, …, X_q of a two-entry box [DQ, Figs 1 and 2], as a matplotlib figure."""
    from discreet.plots import INK, figure

    found = regions(quantised, points)
    drawing, axes = figure(4.4, 4.2)
    q = len(found.answers)
    ends = min(found.edges[0], found.value.min()) - 1, max(found.edges[-1], found.value.max()) + 1
    levels = np.concatenate((ends[:1], found.edges[1:-1], ends[1:]))
    shades = np.where(np.arange(q) % 2 == 0, 0.97, 0.86)
    axes.contourf(found.x, found.y, found.value, levels=levels, colors=[str(shade) for shade in shades])
    if q > 1:
        axes.contour(found.x, found.y, found.value, levels=found.edges[1:-1], colors=INK, linewidths=0.8)
    if q <= LABELLED:
        for cell in np.unique(found.cell).tolist():
            place = found.middle(cell)
            axes.text(*place, f"$X_{{{cell + 1}}}$", ha="center", va="center", color=INK, fontsize=8)
    axes.set_xlabel("$x_1$")
    axes.set_ylabel("$x_2$")
    axes.set_aspect("equal")
    return drawing


def trade_off_figure(curve: TradeOff) -> Any:
    """L0 and I* in bits, and the adversary's error, against γ [DQ, Fig 3], as a matplotlib figure."""
    from discreet.plots import ACCENT, INK, WARN, figure

    drawing, axes = figure()
    axes.plot(curve.gamma, curve.leakage, color=ACCENT, label="$L_0$, bits")
    finite = np.where(np.isfinite(curve.leakage_error), curve.leakage_error, 0.0)
    if (finite > 1e-6).any():
        axes.fill_between(curve.gamma, curve.leakage - finite, curve.leakage + finite, color=ACCENT, alpha=0.2)
    axes.plot(curve.gamma, curve.maximin, color=INK, label="$I_*$, bits")
    axes.set_xlabel("γ = 1 / error")
    axes.set_ylabel("bits")
    other = axes.twinx()
    other.plot(curve.gamma, curve.adversary_error, color=WARN, linestyle="--", label="$d_{min}$")
    other.set_ylabel("adversary's error, in the data's units")
    other.set_ylim(bottom=0)
    lines = [*axes.get_lines(), *other.get_lines()]
    axes.legend(lines, [line.get_label() for line in lines], frameon=False, fontsize=9, loc="upper center", ncols=3)
    return drawing
