"""HTML reports: one self-contained file each. Templates escape whatever comes from data."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import discreet
from discreet import plots, words
from discreet.measures import REGISTRY

if TYPE_CHECKING:
    from discreet.auditing import Audit
    from discreet.requirements import Finding


def render(template: str, **context: Any) -> str:
    """Fill a template of this package."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("discreet", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["label"] = words.label_text
    environment.filters["svg"] = _safe
    return environment.get_template(template).render(version=discreet.__version__, **context)


def _safe(svg: str) -> Any:
    """Mark our own drawing as HTML."""
    import markupsafe

    return markupsafe.Markup(svg)  # noqa: S704, matplotlib escapes the text it draws


def measure_rows(audit: Audit) -> list[dict[str, str]]:
    """Every measure of an audit, ready to be shown."""
    rows = []
    for symbol, value in audit.values.items():
        known = REGISTRY.get(symbol)
        units = known.units if known else "bits"
        rows.append(
            {
                "symbol": symbol,
                "name": known.name if known else "with side information",
                "value": words.number_text(value, units),
                "units": "" if units == "count" else units,
                "meaning": words.explain(symbol, value, audit.joint),
                "formula": known.formula if known else "",
                "reference": known.reference if known else "[AC, end of V-C]",
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
        headline=headline(audit),
        worst=audit.worst(worst, show_values=show_values),
        exposed=audit.exposed(show_values=show_values),
        show_values=show_values,
        findings=findings,
        missing=words.missing_sentence(audit.joint),
        sizes=plots.group_sizes(audit),
        columns=plots.column_leakage(audit),
        components=plots.components(audit),
        today=dt.date.today().isoformat(),
        number=words.number_text,
    )


def audit_fragment(audit: Audit) -> str:
    """The audit for a notebook: headline and measures, no plots."""
    return render("fragment.html", audit=audit, measures=measure_rows(audit), headline=headline(audit))


def headline(audit: Audit) -> str:
    """The finding in one or two sentences."""
    joint, values = audit.joint, audit.values
    certain = int(joint.records[joint.distinct == 1].sum())
    sensitive, public = ", ".join(joint.sensitive), ", ".join(joint.public)
    first = (
        f"For {certain:,} of {joint.total:,} people, {public} gives away {sensitive} for certain."
        if certain
        else f"Nobody's {sensitive} is certain from {public}; at worst {values['k']:.0f} values are left."
    )
    lost = f"In the worst case {values['L0']:.2f} of {values['H0']:.2f} bits are lost, on average {values['I']:.2f}."
    return f"{first} {lost}"
