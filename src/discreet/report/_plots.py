"""Plots, drawn by matplotlib and kept as SVG, so that a report is one file that needs nothing else."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.errors import InputError, needs_extra
from discreet.tables._writing import check_target, replacing

if TYPE_CHECKING:
    from discreet.release._channels import Channel
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point

INK, ACCENT, WARN, PALE = "#22303c", "#2a6f97", "#c8553d", "#dfe7ec"
PALETTE = (ACCENT, WARN, "#6a994e", "#7b5ea7", "#b08968", "#4a7c82")

LEAKAGE_NAMES = {
    "L0": "worst-case leakage L0 (bits)",
    "I*": "maximin information I* (bits)",
    "L0|I*=0": "worst-case leakage L0 (bits), nothing told apart for certain",
    "I": "mutual information I(S;X̂) (bits)",
    "Lmin": "min-entropy leakage (bits)",
    "I_inf": "maximal leakage (bits)",
}
UTILITY_NAMES = {
    "resolution": "resolution I0(X→X̂) (bits)",
    "distortion": "utility −max distortion",
    "information": "information I(X;X̂) (bits)",
}


def figure(width: float = 6.4, height: float = 3.4) -> tuple[Any, Any]:
    """A figure and its axes, without touching matplotlib's global state."""
    needs_extra("matplotlib", "plots")
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(width, height), layout="constrained")
    axes = drawing.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=INK, labelsize=9)
    return drawing, axes


def to_svg(drawing: Any, title: str) -> str:
    """A figure as inline SVG, with a title for those who hear the page; the same input gives the same text."""
    import matplotlib as mpl

    buffer = io.StringIO()
    # A letter that the font lacks is drawn as a box; that is no matter for stderr.
    with (
        warnings.catch_warnings(),
        mpl.rc_context({"svg.hashsalt": "discreet", "svg.fonttype": "none", "font.family": "sans-serif"}),
    ):
        warnings.simplefilter("ignore")
        drawing.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"', r'\1 width="100%"', text, count=1)
    # Lines and letters take the colour of the text around them, and what is pale that of the page: light or dark.
    text = text.replace("#000000", "currentColor").replace(INK, "currentColor").replace(PALE, f"var(--pale, {PALE})")
    text = text.replace("<svg", '<svg fill="currentColor"', 1)
    # Two figures on one page must not share ids.
    mark = re.sub(r"\W+", "-", title.lower())
    text = re.sub(r'id="', f'id="{mark}-', text)
    text = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\1{mark}-", text)
    return text.replace(">", f' role="img" aria-label="{title}">', 1)


def drawn(text: str) -> str:
    """Text for a drawing, cut short."""
    return text if len(text) <= 24 else text[:23] + "…"


def frontier_figure(
    frontiers: Sequence[Frontier],
    *,
    normalise: bool = False,
    chosen: Point | None = None,
    bound: bool = True,
    soft: Sequence[Channel] = (),
) -> Any:
    """Leakage against utility, one line a frontier, with the proven bound of the first [AC, Figs 7, 9]."""
    drawing, axes = figure(height=4.0)
    first = frontiers[0]
    # Between two points a funnel stays at the finer one (no utility is given up), a bottleneck at the coarser one.
    where: Literal["pre", "post"] = "pre" if first.problem == "bottleneck" else "post"
    for i, each in enumerate(frontiers):
        leakage, utility = each.points.leakage, each.points.utility
        x, y = _axes_of(first, leakage, utility, normalise)
        axes.step(
            x,
            y,
            where=where,
            color=PALETTE[i % len(PALETTE)],
            linewidth=1.4,
            marker="o",
            markersize=3.5 if len(x) < 100 else 1.5,
            label=each.method,
        )
    if soft:
        x, y = _axes_of(
            first, np.array([each.leakage for each in soft]), np.array([each.utility for each in soft]), normalise
        )
        axes.plot(x, y, linestyle="none", marker="x", markersize=4, color=WARN, label="soft policies", zorder=4)
    if bound and first.bound is not None:
        x, y = _axes_of(first, first.bound, first.points.utility, normalise)
        kind = "policy" if not soft or first.problem == "bottleneck" else "hard policy"
        says = f"proven bound: no {kind} " + ("keeps more" if first.problem == "bottleneck" else "leaks less")
        # A bound on I falls smoothly with utility; the others are steps.
        curve = "default" if first.utility == "information" else f"steps-{where}"
        axes.plot(x, y, drawstyle=curve, color=INK, linewidth=1, linestyle=":", label=says)
    if chosen is not None:
        x, y = _axes_of(first, np.array([chosen.leakage]), np.array([chosen.utility]), normalise)
        axes.plot(x, y, marker="*", markersize=15, color=WARN, linestyle="none", label="chosen", zorder=5)
    if normalise:
        lost = "largest distortion" if first.utility == "distortion" else f"{first.utility} lost"
        axes.set_xlabel(f"{lost}, as a share of the most there is to lose")
        axes.set_ylabel(f"{first.leakage}, as a share of all there is to learn")
    else:
        axes.set_xlabel(
            "largest distortion" if first.utility == "distortion" else UTILITY_NAMES[first.utility] + " lost"
        )
        axes.set_ylabel(LEAKAGE_NAMES.get(first.leakage, first.leakage))
    axes.legend(frameon=False, fontsize=9)
    return drawing


def _axes_of(frontier: Frontier, leakage: Any, utility: Any, normalise: bool) -> tuple[Any, Any]:
    """Utility lost to the right, leakage upwards."""
    if normalise:
        leaked, lost = frontier.normalised(leakage, utility)
        return lost, leaked
    return frontier.setting.unit - utility, leakage


def convergence_figure(frontier: Frontier, multiplier: float) -> Any:
    """The Lagrangian −B0 − λU or I* − λU along the merge path, and the step at which λ stops it [AC, Figs 3, 6, 8]."""
    path = frontier.path
    assert path is not None  # noqa: S101, Frontier.plot_convergence checks
    drawing, axes = figure()
    lagrangian = path.leakage - multiplier * path.utility
    rises = np.flatnonzero(np.diff(lagrangian) >= 0)
    stop = int(rises[0]) if len(rises) else len(lagrangian) - 1
    axes.plot(np.arange(len(lagrangian)), lagrangian, color=PALE, linewidth=2)
    axes.plot(np.arange(stop + 1), lagrangian[: stop + 1], color=ACCENT, marker="o", markersize=3, linewidth=1.4)
    axes.plot(
        [stop],
        [lagrangian[stop]],
        marker="*",
        markersize=13,
        color=WARN,
        linestyle="none",
        label=f"stops at step {stop}",
    )
    axes.set_xlabel("step of the merge path")
    axes.set_ylabel(f"leakage − {multiplier:g} · utility")
    axes.legend(frameon=False, fontsize=9)
    return drawing


def curves_figure(x: Any, curves: Mapping[str, Any], *, x_label: str, y_label: str, limit: float | None = None) -> Any:
    """Several curves over one axis, with a limit as a dotted line where there is one [SP, Figs 4, 5]."""
    drawing, axes = figure()
    for i, (name, y) in enumerate(curves.items()):
        axes.plot(x, y, color=PALETTE[i % len(PALETTE)], marker="o", markersize=3, linewidth=1.4, label=name)
    if limit is not None:
        axes.axhline(limit, color=INK, linewidth=1, linestyle=":", label="limit")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.legend(frameon=False, fontsize=9)
    return drawing


NAMED = 40  # rows or columns of a matrix whose names can still be read


def matrix_figure(matrix: Any, rows: Sequence[str], columns: Sequence[str]) -> Any:
    """Probabilities as shades, names beside them where they fit."""
    drawing, axes = figure(height=4.0)
    axes.imshow(matrix, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto", interpolation="nearest")
    for axis, names, turned in ((axes.yaxis, rows, 0), (axes.xaxis, columns, 90)):
        fits = len(names) <= NAMED
        axis.set_ticks(range(len(names)) if fits else [])
        if fits:
            axis.set_ticklabels([drawn(name) for name in names], rotation=turned, parse_math=False)
    axes.set_xlabel("released as")
    axes.set_ylabel("seen")
    return drawing


def check_picture(path: str) -> None:
    """Refuse a path that no picture can be written to."""
    if not path.lower().endswith((".png", ".svg", ".pdf")):
        raise InputError(f"{path} does not name a picture format: end it in .png, .svg or .pdf")
    check_target(path)


def save_figure(drawing: Any, path: str) -> None:
    """Write a figure in the format that the suffix names, whole or not at all."""
    import matplotlib as mpl

    check_picture(path)
    # The same figure gives the same SVG, whose text can be searched.
    with replacing(path) as temporary, mpl.rc_context({"svg.hashsalt": "discreet", "svg.fonttype": "none"}):
        drawing.savefig(temporary, dpi=150, **({"metadata": {"Date": None}} if path.lower().endswith(".svg") else {}))


def bars_figure(values: Mapping[str, float], axis: str) -> Any:
    """One bar per name, the first on top."""
    drawing, axes = figure(height=0.6 + 0.32 * len(values))
    names = list(values)[::-1]
    axes.barh([drawn(name) for name in names], [values[name] for name in names], color=ACCENT, height=0.6)
    axes.set_xlabel(axis, color=INK, fontsize=9)
    return drawing


def paired_bars_figure(names: Sequence[str], before: Sequence[float], after: Sequence[float], title: str) -> Any:
    """Two bars per name, before and after."""
    drawing, axes = figure(height=2.6)
    place = np.arange(len(names))
    axes.bar(place - 0.2, before, 0.38, color=PALE, edgecolor=INK, linewidth=0.4, label="before")
    axes.bar(place + 0.2, after, 0.38, color=ACCENT, label="after")
    turned = max(map(len, names), default=0) * len(names) > 90
    axes.set_xticks(
        place, [drawn(name) for name in names], rotation=40 if turned else 0, ha="right" if turned else "center"
    )
    axes.tick_params(axis="x", labelsize=8)
    axes.set_title(title, color=INK, fontsize=10, loc="left")
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0)
    return drawing


def matrices_figure(names: Sequence[str], before: Any, after: Any) -> Any:
    """Two square tables of numbers between 0 and 1 side by side, as shades with their figures."""
    needs_extra("matplotlib", "plots")
    from matplotlib.figure import Figure

    size = max(3.0, 0.55 * len(names) + 1.2)
    drawing = Figure(figsize=(2 * size, size), layout="constrained")
    for axes, values, title in zip(drawing.subplots(1, 2), (before, after), ("before", "after"), strict=True):
        axes.imshow(values, cmap="Blues", vmin=0, vmax=1)
        axes.set_title(f"{title} (Cramér's V)", color=INK, fontsize=10, loc="left")
        axes.set_xticks(range(len(names)), [drawn(name) for name in names], rotation=40, ha="right", fontsize=8)
        axes.set_yticks(range(len(names)), [drawn(name) for name in names], fontsize=8)
        for i in range(len(names)):
            for j in range(len(names)):
                shade = "#fff" if values[i, j] > 0.6 else INK
                axes.text(j, i, f"{values[i, j]:.2f}", ha="center", va="center", fontsize=7, color=shade)
    return drawing


Curve = tuple[str, Sequence[str], Sequence[int], Sequence[float], Sequence[float], Sequence[float | None]]
"""What rises, what holds beside it, through which levels, at which loss, the proven bound, and what Mondrian loses."""


def table_frontier_figure(curves: Sequence[Curve]) -> Any:
    """Loss of whole tables against what every group must have, with the proven bound; curves side by side, to one scale."""
    needs_extra("matplotlib", "plots")
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(6.4 if len(curves) == 1 else 4.6 * len(curves), 3.6), layout="constrained")
    panels = drawing.subplots(1, len(curves), sharey=True, squeeze=False)[0]
    for axes, (symbol, beside, levels, loss, bound, mondrian) in zip(panels, curves, strict=True):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(colors=INK, labelsize=9)
        axes.fill_between(levels, bound, color=PALE, label="proven: no release lies here")
        axes.plot(levels, loss, color=ACCENT, marker="o", markersize=4, label="released")
        if mondrian:
            known = [float("nan") if each is None else each for each in mondrian]
            axes.plot(levels, known, color=WARN, linestyle="none", marker="s", markersize=4, label="Mondrian")
        axes.set_xscale("log")
        axes.set_xticks(levels, [str(level) for level in levels])
        axes.minorticks_off()
        what = "records" if symbol == "n" else "different sensitive values"
        axes.set_xlabel(f"at least so many {what} in every group ({symbol})", color=INK, fontsize=9)
        axes.set_title(drawn(f"beside {', '.join(beside)}") if beside else "", color=INK, fontsize=9, loc="left")
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("loss (GCP)", color=INK, fontsize=9)
    panels[0].legend(frameon=False, fontsize=8)
    return drawing
