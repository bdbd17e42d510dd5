"""HTML reports: one self-contained file each. Templates escape whatever comes from data."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import discreet
from discreet.auditing import _words as words
from discreet.errors import MissingExtraError
from discreet.measures import REGISTRY
from discreet.report import _plots as plots

if TYPE_CHECKING:
    from discreet.auditing._audit import Audit
    from discreet.auditing._requirements import Finding
    from discreet.joint._joint import Joint
    from discreet.release._frontier import Frontier
    from discreet.release._policy import Policy
    from discreet.release._publishing import Published
    from discreet.sample_privacy._disclosure import Disclosure
    from discreet.sample_privacy._publish_disclosure import Disclosed


def render(template: str, **context: Any) -> str:
    """Fill a template of this package."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("discreet.report", "templates"),
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
        units=_units,
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
    if joint.has_side:
        lost += f" To somebody who knows {', '.join(joint.side.a.names)}, {values['L0|A']:.2f} bits are lost in the worst case."
    return f"{first} {lost}"


BLOCKS_SHOWN = 200


def release_page(published: Published, *, purpose: str) -> str:
    """The report of a release, for a privacy officer to read and sign."""
    policy, done, joint = published.policy, published.done, published.joint
    assert done.joint is not None  # noqa: S101, publish() checks
    before, after = policy.before, done.measures
    released = {label: i for i, label in enumerate(done.joint.x)}
    rows = []
    for block, cells in zip(policy.blocks, policy.labels, strict=True):
        i = released.get(cells)
        if i is not None:
            rows.append(
                {
                    "cells": cells,
                    "letters": len(block),
                    "records": int(done.joint.records[i]),
                    "distinct": int(done.joint.distinct[i]),
                }
            )
    kept = done.kept
    return render(
        "release.html",
        policy=policy,
        point=published.point,
        frontier=published.frontier,
        joint=joint,
        done=done,
        budget=published.budget,
        files=published.files,
        purpose=purpose,
        before=before,
        after=after,
        rows=_before_and_after(before, after, done.joint),
        missing=words.missing_sentence(joint),
        kept=[name for name in done.columns if name not in policy.public],
        open_columns=[name for name in policy.sensitive if name in done.columns],
        kept_distinct=None if kept is None else int(kept.distinct.min()),
        kept_leakage=None if kept is None else words.number_text(REGISTRY["L0"](kept), "bits"),
        headline=_release_headline(published),
        plot=plots.to_svg(published.frontier.plot(chosen=published.point, bound=not published.suppressed), "Frontier"),
        blocks=rows[:BLOCKS_SHOWN],
        more_blocks=max(0, len(rows) - BLOCKS_SHOWN),
        worst=sorted(rows, key=lambda row: (row["distinct"], row["records"]))[:10],
        fingerprint=policy.to_dict()["sha256"],
        today=dt.date.today().isoformat(),
        number=words.number_text,
    )


def _before_and_after(before: dict[str, float], after: dict[str, float], joint: Joint) -> list[dict[str, str]]:
    return [
        {
            "symbol": symbol,
            "name": REGISTRY[symbol].name if symbol in REGISTRY else "with side information",
            "before": words.number_text(before[symbol], _units(symbol)),
            "after": words.number_text(value, _units(symbol)),
            "meaning": words.explain(symbol, value, joint),
        }
        for symbol, value in after.items()
    ]


def _units(symbol: str) -> str:
    return REGISTRY[symbol].units if symbol in REGISTRY else "bits"


def _release_headline(published: Published) -> str:
    policy, after = published.policy, published.done.measures
    sensitive = ", ".join(policy.sensitive)
    worst = (
        f"Whoever sees the released {', '.join(policy.public)} is left with at least {after['k']:.0f} possible values of "
        f"{sensitive} for everybody, of {published.joint.n_s}: {after['L0']:.2f} of {after['H0']:.2f} bits are lost in the "
        f"worst case, {policy.before['L0']:.2f} before."
    )
    if policy.leakage in ("L0", "I*", "L0|I*=0"):
        return worst
    measure, symbol = REGISTRY[policy.leakage].name, policy.leakage
    chosen = f"The release was chosen by its {measure}: {after[symbol]:.2f} bits, {policy.before[symbol]:.2f} before."
    return f"{chosen} {worst}"


POINTS_SHOWN = 12


def frontier_fragment(frontier: Frontier) -> str:
    """A frontier for a notebook: the plot, where plots are installed, and the figures of some points."""
    points = frontier.points
    shown = sorted({round(i * (len(points) - 1) / (POINTS_SHOWN - 1)) for i in range(POINTS_SHOWN)})
    rows = [
        {
            "leakage": f"{points[i].leakage:.4g}",
            "utility": f"{points[i].utility:.4g}",
            "bound": "" if points[i].bound is None else f"{points[i].bound:.4g}",
        }
        for i in shown
    ]
    try:
        drawing = plots.to_svg(frontier.plot(), f"Frontier {frontier.leakage} {frontier.utility}")
    except MissingExtraError:
        drawing = ""
    return render("frontier.html", frontier=frontier, text=repr(frontier), rows=rows, plot=drawing)


def joint_fragment(joint: Joint) -> str:
    """A joint for a notebook: its sizes, and how its groups fare. Sensitive values are not shown."""
    one = int((joint.distinct == 1).sum())
    rows = [
        ("|S|", f"{joint.n_s:,}", f"distinct values of {', '.join(joint.sensitive)}"),
        ("|X|", f"{joint.n_x:,}", f"distinct values of {', '.join(joint.public)}: groups"),
        ("pairs", f"{joint.counts.nnz:,}", "of s and x that were seen together"),
        ("k", f"{int(joint.distinct.min()):,}", "distinct s in the worst group"),
        ("certain", f"{one:,}", "groups with a single s, which is given away"),
    ]
    if joint.is_integral:
        rows.insert(0, ("rows", f"{joint.total:,}", words.missing_sentence(joint)))
    return render("figures.html", text=repr(joint), rows=rows)


def policy_fragment(policy: Policy) -> str:
    """A policy for a notebook."""
    blocks = [
        {"cells": cells, "letters": len(block)} for block, cells in zip(policy.blocks, policy.labels, strict=True)
    ]
    return render("policy.html", policy=policy, text=repr(policy), blocks=blocks[:30], more=max(0, len(blocks) - 30))


VALUES_SHOWN = 20


def disclosure_page(disclosed: Disclosed, *, purpose: str) -> str:
    """The report of a disclosure, for a privacy officer to read and sign."""
    found = disclosed.disclosure
    return render(
        "disclosure.html",
        found=found,
        disclosed=disclosed,
        purpose=purpose,
        headline=_disclosure_headline(found),
        private=_private_words(found),
        rows=_disclosure_rows(found),
        letters=_letter_rows(found),
        more=max(0, len(found.p_y) - VALUES_SHOWN),
        plot=plots.to_svg(plots.growth_figure(disclosed), "Capacity against samples")
        if len(disclosed.growth) > 1
        else "",
        today=dt.date.today().isoformat(),
    )


def disclosure_fragment(found: Disclosure) -> str:
    """A disclosure for a notebook."""
    return render("figures.html", text=_disclosure_headline(found), rows=_disclosure_rows(found))


def _disclosure_headline(found: Disclosure) -> str:
    about = found.latent or "the samples together"
    if found.information == 0:
        return f"Nothing can be disclosed about {about}: {found.how}."
    return (
        f"Whoever sees y learns {found.information:.3f} of {found.latent_entropy:.3f} bits about {about}, and nothing about "
        f"{'any single sample' if all(len(group) == 1 for group in found.private) else 'any private group of samples'}"
        f"{'.' if found.guarantee is None else ' if the probabilities are as estimated.'}"
    )


def _private_words(found: Disclosure) -> str:
    names = found.names or tuple(str(i) for i in range(len(found.shape)))
    return "; ".join(" with ".join(names[i] for i in group) for group in found.private)


def _disclosure_rows(found: Disclosure) -> list[tuple[str, str, str]]:
    """Figures with what they mean."""
    rows = [
        ("I(W;Y)", f"{found.information:.6f}", "bits that y tells, computed from the mapping"),
        ("upper bound", f"{found.upper_bound:.6f}", "proven: no private mapping tells more"),
        ("H(W)", f"{found.latent_entropy:.6f}", "bits that there are to tell"),
        ("max I(X_g;Y)", f"{found.residual:.1e}", "bits about a private group, computed from the mapping: rounding"),
        ("|Y|", f"{found.size:,}", "values of y"),
    ]
    known = found.guarantee
    if known is not None:
        meaning = (
            f"bits about a private group at most, with {known.confidence:.0%} confidence, since p is known from "
            f"{known.rows:,} rows only"
        )
        rows.append(("leak bound", f"{known.leak_bound:.4f}", meaning))
    return rows


def _letter_rows(found: Disclosure) -> list[dict[str, str]]:
    order = sorted(range(len(found.p_y)), key=lambda i: -found.p_y[i])[:VALUES_SHOWN]
    return [{"y": str(i), "p": f"{found.p_y[i]:.4f}", "says": _says(found, i)} for i in order]


def _says(found: Disclosure, y: int) -> str:
    """The likeliest values of W behind a y; the samples themselves are private, and are not shown."""
    if not found.latent or found.mapping.width > 1:
        return ""
    likeliest = list(found.meaning(y).items())
    shown = "; ".join(f"{words.label_text(label)}: {p:.3f}" for label, p in likeliest[:4])
    return shown + (f" and {len(likeliest) - 4} more" if len(likeliest) > 4 else "")
