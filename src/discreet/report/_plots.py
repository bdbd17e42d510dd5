"""Plots, drawn by matplotlib and kept as SVG, so that a report is one file that needs nothing else."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.auditing._words import label_text
from discreet.errors import InputError, needs_extra

if TYPE_CHECKING:
    from discreet.auditing._audit import Audit
    from discreet.release._channels import Channel
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point
    from discreet.sample_privacy._publish_disclosure import Disclosed

INK, ACCENT, WARN, PALE = "#22303c", "#2a6f97", "#c8553d", "#dfe7ec"
COMPONENTS_FIT = 60  # letters on either side that a bipartite drawing can still show


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
    # Two figures on one page must not share ids.
    mark = re.sub(r"\W+", "-", title.lower())
    text = re.sub(r'id="', f'id="{mark}-', text)
    text = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\1{mark}-", text)
    return text.replace(">", f' role="img" aria-label="{title}">', 1)


def drawn(text: str) -> str:
    """Text for a drawing, cut short."""
    return text if len(text) <= 24 else text[:23] + "…"


def group_sizes(audit: Audit) -> str:
    """How many groups have how many distinct s, and how many records: the worst groups stand on the left."""
    joint = audit.joint
    drawing, axes = figure()
    top = int(max(joint.distinct.max(), joint.records.max()))
    edges = np.arange(1, top + 2) - 0.5 if top <= 40 else np.unique(np.geomspace(1, top + 1, 40).round()) - 0.5
    records = np.histogram(joint.records, edges)[0]
    distinct = np.histogram(joint.distinct, edges)[0]
    centres, width = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    axes.bar(centres, records, width=0.92 * width, color=PALE, label="records")
    axes.bar(centres, distinct, width=0.5 * width, color=ACCENT, label="distinct sensitive values")
    if top > 40:
        axes.set_xscale("log")
    else:
        axes.set_xlim(0.4, max(top, 5) + 0.6)
        axes.xaxis.get_major_locator().set_params(integer=True)
    shown = np.concatenate([records[records > 0], distinct[distinct > 0]])
    if shown.max() > 50 * shown.min():
        axes.set_yscale("log")
    axes.set_xlabel("size of a group (people who share all public values)")
    axes.set_ylabel("groups")
    if axes.get_yscale() == "linear":
        axes.yaxis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False, fontsize=9, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    return to_svg(drawing, "Group sizes")


def column_leakage(audit: Audit) -> str:
    """What each public column gives away alone, and what is left without it."""
    parts = sorted(audit.columns, key=lambda part: part.alone["I"])
    drawing, axes = figure(height=1.2 + 0.55 * (len(parts) + 1))
    rows = np.arange(len(parts) + 1)
    alone = [*(part.alone["L0"] for part in parts), audit.values["L0"]]
    average = [*(part.alone["I"] for part in parts), audit.values["I"]]
    axes.barh(rows + 0.2, alone, height=0.36, color=ACCENT, label="worst case, L0")
    axes.barh(rows - 0.2, average, height=0.36, color=PALE, label="average, I")
    without = [(row, part.without["L0"]) for row, part in zip(rows, parts, strict=False) if part.without]
    if without:
        axes.plot(
            [value for _, value in without],
            [row + 0.2 for row, _ in without],
            linestyle="none",
            marker="|",
            markersize=14,
            markeredgewidth=2.5,
            color=WARN,
            label="L0 of the others, without it",
        )
    # Names come from data: a dollar sign in them is no formula.
    axes.set_yticks(rows, [*(drawn(part.column) for part in parts), "all together"], parse_math=False)
    axes.set_xlabel("bits")
    axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))
    return to_svg(drawing, "Leakage by column")


def components(audit: Audit) -> str | None:
    """The bipartite graph of the support when it fits: sensitive values are dots without names."""
    joint = audit.joint
    if joint.n_s > COMPONENTS_FIT or joint.n_x > COMPONENTS_FIT:
        return None
    drawing, axes = figure(width=6.4, height=max(2.2, 0.17 * max(joint.n_s, joint.n_x)))
    _, of_s, of_x = joint.components
    palette = [ACCENT, WARN, "#6a994e", "#7b5ea7", "#b08968", "#4a7c82"]
    # Each side in the order of components, so that separate groups stand apart.
    place_s = _spread(np.lexsort((np.arange(joint.n_s), of_s)))
    place_x = _spread(np.lexsort((np.arange(joint.n_x), of_x)))
    for s, x in zip(joint.counts.indices.tolist(), joint.x_of_pair.tolist(), strict=True):
        colour = palette[int(of_x[x]) % len(palette)]
        axes.plot([0, 1], [place_s[s], place_x[x]], color=colour, linewidth=0.7, alpha=0.6)
    axes.scatter(np.zeros(joint.n_s), place_s, s=16, color=INK, zorder=3)
    axes.scatter(np.ones(joint.n_x), place_x, s=16, color=INK, zorder=3)
    for x in range(joint.n_x):
        axes.annotate(
            drawn(label_text(joint.x_label(x))),
            (1.02, place_x[x]),
            va="center",
            fontsize=7,
            color=INK,
            parse_math=False,
        )
    axes.set_xlim(-0.15, 1.35)
    axes.set_ylim(-1.06, 0.16)
    axes.set_axis_off()
    for where, side, what in ((0, "left", "sensitive values (not named)"), (1, "right", "public values")):
        axes.annotate(what, (where, 0.06), ha="center" if side == "right" else "left", fontsize=9, color=INK)
    return to_svg(drawing, "Components")


def _spread(order: Any) -> Any:
    place = np.empty(len(order))
    place[order] = -np.linspace(0, 1, len(order)) if len(order) > 1 else -0.5
    return place


def frontier_figure(
    frontiers: Sequence[Frontier],
    *,
    normalise: bool = False,
    chosen: Point | None = None,
    bound: bool = True,
    soft: Sequence[Channel] = (),
) -> Any:
    """Leakage against utility, one line a frontier, with the proven bound of the first [AC, Figs 7, 9]."""
    from discreet.release._frontier import LEAKAGE_NAMES, UTILITY_NAMES

    drawing, axes = figure(height=4.0)
    colours = [ACCENT, WARN, "#6a994e", "#7b5ea7", "#b08968", "#4a7c82"]
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
            color=colours[i % len(colours)],
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


def growth_figure(disclosed: Disclosed) -> Any:
    """What can be disclosed of the first 2, 3, … samples, between the mapping found and the proven bound."""
    drawing, axes = figure()
    samples, found, bound = (np.array(each) for each in zip(*disclosed.growth, strict=True))
    axes.fill_between(samples, found, bound, color=PALE, label="between the mapping and the proven bound")
    axes.plot(samples, found, color=ACCENT, marker="o", label="disclosed by the mapping")
    axes.set_xticks(samples)
    axes.set_xlabel("samples")
    axes.set_ylabel(f"bits about {drawn(disclosed.disclosure.latent or 'the samples')}", parse_math=False)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    return drawing


def curves_figure(x: Any, curves: Mapping[str, Any], x_label: str, y_label: str, limit: float | None = None) -> Any:
    """Several curves over one axis, with a limit as a dotted line where there is one [SP, Figs 4, 5]."""
    drawing, axes = figure()
    colours = [ACCENT, WARN, "#6a994e", "#7b5ea7", "#b08968", "#4a7c82"]
    for i, (name, y) in enumerate(curves.items()):
        axes.plot(x, y, color=colours[i % len(colours)], marker="o", markersize=3, linewidth=1.4, label=name)
    if limit is not None:
        axes.axhline(limit, color=INK, linewidth=1, linestyle=":", label="limit")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.legend(frameon=False, fontsize=9)
    return drawing


def check_picture(path: str) -> None:
    """Refuse a path that no picture can be written to."""
    from discreet.tables._writing import check_target

    if not path.lower().endswith((".png", ".svg", ".pdf")):
        raise InputError(f"{path} does not name a picture format: end it in .png, .svg or .pdf")
    check_target(path)


def save_figure(drawing: Any, path: str) -> None:
    """Write a figure in the format that the suffix names, whole or not at all."""
    import matplotlib as mpl

    from discreet.tables._writing import replacing

    check_picture(path)
    # The same figure gives the same SVG, whose text can be searched.
    with replacing(path) as temporary, mpl.rc_context({"svg.hashsalt": "discreet", "svg.fonttype": "none"}):
        drawing.savefig(temporary, dpi=150, **({"metadata": {"Date": None}} if path.lower().endswith(".svg") else {}))
