"""An audit as a page and as a notebook shows it: the headline, every measure with its meaning, the worst groups."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import label_text, number_text
from discreet.auditing._verdict import (
    MAIN,
    bits,
    further_sentences,
    headline,
    next_step,
    notes,
    records_text,
    risk_rows,
)
from discreet.auditing._words import explain, missing_sentence
from discreet.measures import REGISTRY
from discreet.report import _plots as plots
from discreet.report._pages import render

if TYPE_CHECKING:
    from discreet.auditing._audit import Audit
    from discreet.auditing._requirements import Finding

WORST_IN_NOTEBOOKS = 5
OTHERS = {  # figures that are no functions of a joint alone: name, units, source
    "kmap": ("k-map", "count", "[Sweeney 2001]"),
    "presence_max": ("δ-presence, the largest", "share", "[Nergiz et al. 2007, Def 2]"),
    "presence_min": ("δ-presence, the least", "share", "[Nergiz et al. 2007, Def 2]"),
    "risk": ("individual risk", "share", "[Benedetti and Franconi 1998]"),
}
COMPONENTS_FIT = 60  # letters on either side that a bipartite drawing can still show


def measure_rows(audit: Audit, *, everything: bool = True) -> list[dict[str, str]]:
    """Every measure of an audit, or the main ones first to last, ready to be shown."""
    rows = []
    for symbol in audit.values if everything else [each for each in MAIN if each in audit.values]:
        value = audit.values[symbol]
        known = REGISTRY.get(symbol)
        name, units, source = OTHERS.get(symbol, ("with side information", "bits", "[AC, end of V-C]"))
        units = known.units if known else units
        rows.append(
            {
                "symbol": symbol,
                "name": known.name if known else name,
                "value": number_text(value, units),
                "units": "" if units == "count" else units,
                "meaning": explain(symbol, value, audit.joint),
                "formula": known.formula if known else "",
                "reference": known.reference if known else source,
            }
        )
    return rows


def audit_page(audit: Audit, *, worst: int, show_values: bool, findings: Sequence[Finding]) -> str:
    """The audit as one page."""
    return render(
        "audit.html",
        audit=audit,
        joint=audit.joint,
        measures=measure_rows(audit),
        main=measure_rows(audit, everything=False),
        headline=headline(audit),
        notes=notes(audit),
        bits=bits(audit),
        risk=risk_rows(audit.risk, audit.household),
        further=further_sentences(audit),
        step=next_step(audit),
        worst=audit.worst(worst, show_values=show_values),
        exposed=None if audit.is_bare else audit.exposed(show_values=show_values),
        show_values=show_values,
        findings=findings,
        missing=missing_sentence(audit.joint, audit.matched),
        sizes=group_sizes(audit),
        columns=None if audit.is_bare else column_leakage(audit),
        components=None if audit.is_bare else components(audit),
        today=dt.date.today().isoformat(),
        number=number_text,
        units=units_of,
        records=records_text,
    )


def audit_fragment(audit: Audit) -> str:
    """The audit for a notebook: the verdict, the worst groups, what to do and the main measures, no plots."""
    return render(
        "fragment.html",
        audit=audit,
        joint=audit.joint,
        measures=measure_rows(audit, everything=False),
        headline=headline(audit),
        notes=notes(audit),
        bits=bits(audit),
        risk=risk_rows(audit.risk, audit.household),
        further=further_sentences(audit),
        step=next_step(audit),
        worst=audit.worst(WORST_IN_NOTEBOOKS),
    )


def units_of(symbol: str) -> str:
    """The units of a measure; those with side information are in bits."""
    return REGISTRY[symbol].units if symbol in REGISTRY else OTHERS.get(symbol, ("", "bits", ""))[1]


def group_sizes(audit: Audit) -> str:
    """How many groups have how many distinct s, and how many records: the worst groups stand on the left."""
    joint = audit.joint
    drawing, axes = plots.figure()
    top = int(max(joint.distinct.max(), joint.records.max()))  # of values as they stand, wildcards or not
    edges = np.arange(1, top + 2) - 0.5 if top <= 40 else np.unique(np.geomspace(1, top + 1, 40).round()) - 0.5
    records = np.histogram(joint.records, edges)[0]
    distinct = np.histogram(joint.distinct, edges)[0]
    centres, width = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    axes.bar(centres, records, width=0.92 * width, color=plots.PALE, label="records")
    if not audit.is_bare:
        axes.bar(centres, distinct, width=0.5 * width, color=plots.ACCENT, label="distinct sensitive values")
    if top > 40:
        axes.set_xscale("log")
    else:
        axes.set_xlim(0.4, max(top, 5) + 0.6)
        axes.xaxis.get_major_locator().set_params(integer=True)
    shown = np.concatenate([records[records > 0], distinct[distinct > 0]])
    if shown.max() > 50 * shown.min():
        axes.set_yscale("log")
    axes.set_xlabel("size of a group (records that share all public values)")
    axes.set_ylabel("groups")
    if axes.get_yscale() == "linear":
        axes.yaxis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False, fontsize=9, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    return plots.to_svg(drawing, "Group sizes")


def column_leakage(audit: Audit) -> str:
    """What each public column gives away alone, and what is left without it."""
    parts = sorted(audit.columns, key=lambda part: part.alone["I"])
    drawing, axes = plots.figure(height=1.2 + 0.55 * (len(parts) + 1))
    rows = np.arange(len(parts) + 1)
    alone = [*(part.alone["L0"] for part in parts), audit.values["L0"]]
    average = [*(part.alone["I"] for part in parts), audit.values["I"]]
    axes.barh(rows + 0.2, alone, height=0.36, color=plots.ACCENT, label="worst case, L0")
    axes.barh(rows - 0.2, average, height=0.36, color=plots.PALE, label="average, I")
    without = [(row, part.without["L0"]) for row, part in zip(rows, parts, strict=False) if part.without]
    if without:
        axes.plot(
            [value for _, value in without],
            [row + 0.2 for row, _ in without],
            linestyle="none",
            marker="|",
            markersize=14,
            markeredgewidth=2.5,
            color=plots.WARN,
            label="L0 of the others, without it",
        )
    # Names come from data: a dollar sign in them is no formula.
    axes.set_yticks(rows, [*(plots.drawn(part.column) for part in parts), "all together"], parse_math=False)
    axes.set_xlabel("bits")
    axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))
    return plots.to_svg(drawing, "Leakage by column")


def components(audit: Audit) -> str | None:
    """The bipartite graph of the support when it fits: sensitive values are dots without names."""
    joint = audit.joint
    if joint.n_s > COMPONENTS_FIT or joint.n_x > COMPONENTS_FIT:
        return None
    drawing, axes = plots.figure(width=6.4, height=max(2.2, 0.17 * max(joint.n_s, joint.n_x)))
    _, of_s, of_x = joint.components
    # Each side in the order of components, so that separate groups stand apart.
    place_s = _spread(np.lexsort((np.arange(joint.n_s), of_s)))
    place_x = _spread(np.lexsort((np.arange(joint.n_x), of_x)))
    for s, x in zip(joint.counts.indices.tolist(), joint.x_of_pair.tolist(), strict=True):
        colour = plots.PALETTE[int(of_x[x]) % len(plots.PALETTE)]
        axes.plot([0, 1], [place_s[s], place_x[x]], color=colour, linewidth=0.7, alpha=0.6)
    axes.scatter(np.zeros(joint.n_s), place_s, s=16, color=plots.INK, zorder=3)
    axes.scatter(np.ones(joint.n_x), place_x, s=16, color=plots.INK, zorder=3)
    for x in range(joint.n_x):
        axes.annotate(
            plots.drawn(label_text(joint.x_label(x))),
            (1.02, place_x[x]),
            va="center",
            fontsize=7,
            color=plots.INK,
            parse_math=False,
        )
    axes.set_xlim(-0.15, 1.35)
    axes.set_ylim(-1.06, 0.16)
    axes.set_axis_off()
    for where, side, what in ((0, "left", "sensitive values (not named)"), (1, "right", "public values")):
        axes.annotate(what, (where, 0.06), ha="center" if side == "right" else "left", fontsize=9, color=plots.INK)
    return plots.to_svg(drawing, "Components")


def _spread(ranked: Any) -> Any:
    place = np.empty(len(ranked))
    place[ranked] = -np.linspace(0, 1, len(ranked)) if len(ranked) > 1 else -0.5
    return place
