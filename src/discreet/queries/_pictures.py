"""What people see of a result: a table and a strip of cells in a notebook, regions and curves drawn by matplotlib."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import label_text
from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.queries._domains import Box
from discreet.queries._query import is_real
from discreet.report._plots import ACCENT, INK, PALE, WARN, figure

if TYPE_CHECKING:
    from discreet.queries._quantised import QuantisedQuery
    from discreet.queries._quantising import TradeOff

DRAWN = 120
"""Cells beyond this many are a plain bar: lines would run into each other."""

WIDE, HIGH = 360, 14
"""Pixels of a strip."""

LABELLED = 24
"""Regions beyond this many are drawn without labels."""

OUTLINED = 100
"""Regions beyond this many are shaded by their answers, without outlines."""

STRETCHED = 4.0
"""Boxes beyond this ratio of sides are drawn as squares."""


def fact_table(caption: str, rows: Iterable[tuple[str, str, str]], picture: str = "") -> str:
    """An HTML table of (name, value, meaning); texts are escaped, the picture is not."""
    body = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td>"
        f'<td style="text-align:left">{html.escape(meaning)}</td></tr>'
        for name, value, meaning in rows
    )
    return f"<table><caption>{html.escape(label_text(caption))}</caption>{body}</table>{picture}"


def strip(cells: Sequence[tuple[float, float]], told: tuple[float, float] | None = None) -> str:
    """Cells side by side as inline SVG, from the least value to the greatest; the one that was told is filled."""
    low, high = cells[0][0], cells[-1][1]
    scale = WIDE / (high - low) if high > low else 0.0

    def box(start: float, end: float, colour: str) -> str:
        x, wide = (start - low) * scale, max((end - start) * scale, 1.0) if scale else WIDE
        return f'<rect x="{x:.1f}" y="0" width="{wide:.1f}" height="{HIGH}" fill="{colour}"/>'

    edges = [start for start, _ in cells[1:]] if 1 < len(cells) <= DRAWN else []
    lines = "".join(
        f'<line x1="{(at - low) * scale:.1f}" y1="0" x2="{(at - low) * scale:.1f}" y2="{HIGH}" stroke="{INK}"/>'
        for at in edges
    )
    filled = box(*told, ACCENT) if told is not None else ""
    said = f"{len(cells):,} cells from {low:g} to {high:g}" + (f", told {told[0]:g} to {told[1]:g}" if told else "")
    return (
        f'<svg width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{said}">'
        f"<title>{said}</title>{box(low, high, PALE)}{filled}{lines}</svg>"
    )


@dataclass(frozen=True, eq=False)
class Regions:
    """A grid over a two-entry box.

    Attributes
    ----------
    x, y
        The grid's places along the first and the second entry.
    value
        The query at each point, shape (len(y), len(x)).
    cell
        The cell that each point lies in, same shape.
    edges, answers
        Those of the quantised query.
    """

    x: FloatArray
    y: FloatArray
    value: FloatArray
    cell: IntArray
    edges: FloatArray
    answers: FloatArray

    def middle(self, cell: int) -> tuple[float, float]:
        """A place for the label of a region: the point of the grid that is farthest from the region's border."""
        from scipy.ndimage import distance_transform_edt

        inside = self.cell == cell
        if not inside.any():
            raise InputError(f"no point of the grid lies in cell {cell}: use a finer one")
        depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
        # Of places nearly as good, the one nearest to the diagonal through the upper right corner, so that rings have
        # their labels in a line.
        rows, columns = np.nonzero(depth >= 0.9 * depth.max())
        right, up = columns / len(self.x), rows / len(self.y)
        pick = int(np.argmax(right + up - 2 * np.abs(right - up)))
        return float(self.x[columns[pick]]), float(self.y[rows[pick]])


def regions(quantised: QuantisedQuery, points: int = 200) -> Regions:
    """The regions of a quantised query on a box with two entries, on a grid of points x points."""
    domain = quantised.domain
    if not is_real(domain) or domain.lower.size != 2 or not isinstance(domain, Box):
        raise InputError("regions are drawn on a box with two entries: two people, or one with two columns")
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise InputError("points must be a whole number of at least 2")
    low, high = domain.lower.ravel(), domain.upper.ravel()
    x, y = (np.linspace(low[i], high[i], points) for i in (0, 1))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(points, points, *domain.shape)
    value = np.asarray(quantised.query(grid))
    return Regions(x, y, value, quantised.cell(grid), quantised.edges, quantised.answers)


def regions_figure(quantised: QuantisedQuery, points: int = 400) -> Any:
    """The regions X_1, …, X_q of a two-entry box [DQ, Figs 1 and 2], as a matplotlib figure."""
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


def auditor_figure(kept: FloatArray, promised: FloatArray) -> Any:
    """The length that each person still keeps, in increasing order, beside the length promised, as a matplotlib figure."""
    drawing, axes = figure()
    order = np.argsort(kept, kind="stable")
    people = np.arange(1, len(kept) + 1)
    axes.step(people, kept[order], where="mid", color=ACCENT, label="still possible")
    axes.step(people, promised[order], where="mid", color=INK, linestyle="--", label="promised")
    axes.set_xlabel("people, by what they keep")
    axes.set_ylabel("length of the interval")
    axes.set_ylim(0, 1.15 * max(float(kept.max()), 1e-300))
    axes.legend(frameon=False, fontsize=9, loc="upper left", ncols=2)
    return drawing
