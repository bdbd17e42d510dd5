"""An audit as text for a terminal: the verdict first, then the figures behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.cli._shared import console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from discreet.auditing import Audit, Finding
    from discreet.auditing._verdict import Step

COLUMNS = 40  # public columns that a screen shows


def show(
    found: Audit,
    findings: Sequence[Finding] = (),
    *,
    worst: int = 10,
    show_values: bool = False,
    everything: bool = False,
    step: Step | None = None,
) -> None:
    """The audit as text: who is exposed, the worst groups and what to do; then the figures behind it."""
    from rich.markup import escape

    from discreet._text import shortened
    from discreet.auditing._verdict import bits, further_sentences, headline, next_step, notes
    from discreet.auditing._words import missing_sentence

    screen = console()
    joint = found.joint
    sensitive, public = ", ".join(joint.sensitive), shortened(", ".join(joint.public))
    screen.print(f"[bold]{escape(headline(found))}[/bold]")
    for finding in findings:
        verdict = "[green]met[/green]" if finding.met else "[red]not met[/red]"
        idle = ", forbids nothing here" if finding.forbids_nothing else ""
        asked = escape(str(finding.requirement))
        screen.print(f"require {asked}: {verdict}, found {finding.value:.4g}{idle}", highlight=False)
        if finding.failing:
            screen.print(escape(_broken_by(finding, joint.public)), highlight=False)
    for sentence in notes(found):
        screen.print(escape(sentence), highlight=False)
    screen.print(_risk(found))
    for sentence in further_sentences(found):
        screen.print(escape(sentence), highlight=False)
    if found.special and found.special.people:
        screen.print(_special(found, worst))
    if worst:
        screen.print(_worst_groups(found, worst, show_values))
    step = step or next_step(found)
    screen.print(f"\n[bold]What to do next[/bold]\n{escape(step.why)}", highlight=False)
    screen.print(f"  {escape(step.command)}", highlight=False, soft_wrap=True)
    screen.print(_measures(found, everything))
    screen.print(escape(bits(found)), highlight=False)
    about = "" if found.is_bare else f"{joint.n_s:,} values of {escape(sensitive)}, "
    pairs = "" if found.is_bare else f", {joint.counts.nnz:,} distinct pairs"
    screen.print(
        f"{joint.total:,} rows, {about}{joint.n_x:,} of {escape(public)}{pairs}; "
        f"missing values: {escape(missing_sentence(joint, found.matched))}.",
        highlight=False,
    )
    for sentence in _sentences(found, sensitive):
        screen.print(escape(sentence), highlight=False)
    if len(found.columns) > 1:
        screen.print(_uniques_by_column(found) if found.is_bare else _public_columns(found))
    if found.sensitive:
        screen.print(_sensitive_columns(found))


def _table(title: str, *columns: str) -> Table:
    """An empty table; a column whose name begins with > stands to the right."""
    from rich.markup import escape
    from rich.table import Table

    made = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim")
    for column in columns:
        made.add_column(escape(column.lstrip(">")), justify="right" if column.startswith(">") else "left")
    return made


def _measures(found: Audit, everything: bool) -> Table:
    from rich.markup import escape

    from discreet.auditing._audit_page import measure_rows

    rows = measure_rows(found, everything=everything)
    left = len(found.values) - len(rows)
    title = f"\nMain measures ({left} more with --all)" if left else "\nMeasures"
    measures = _table(title, "", ">value", "units", "what it means here")
    for row in rows:
        measures.add_row(escape(row["symbol"]), row["value"], row["units"], escape(row["meaning"]))
    return measures


def _risk(found: Audit) -> Table:
    from discreet.auditing._verdict import risk_rows

    risk = _table("\nRisk of being found", "", ">records", ">share")
    for row in risk_rows(found.risk, found.household):
        risk.add_row(*row)
    return risk


def _worst_groups(found: Audit, worst: int, show_values: bool) -> Table:
    from rich.markup import escape

    from discreet._text import group_text, label_text, shortened

    sensitive, public = ", ".join(found.joint.sensitive), shortened(", ".join(found.joint.public))
    which = ["which"] if show_values else []
    distinct = [] if found.is_bare else [f">distinct {sensitive}"]
    groups = _table("\nWorst groups", public, ">records", *distinct, *which)
    for group in found.worst(worst, show_values=show_values):
        named_values = (
            ["; ".join(shortened(label_text(value)) for value in group.sensitive[:20])] if group.sensitive else []
        )
        figures = [f"{group.rows:,}"] if found.is_bare else [f"{group.rows:,}", f"{group.distinct:,}"]
        cells = [group_text(group.value, found.joint.public), *figures, *named_values]
        groups.add_row(*map(escape, cells))
    return groups


def _sentences(found: Audit, sensitive: str) -> list[str]:
    """What the tables do not show: groups that share one value, and the most exposed attribute."""
    from discreet._text import group_text

    said = []
    alike = found.homogeneity
    if alike.groups:
        said.append(
            f"Homogeneity: in {alike.groups:,} group{'s' if alike.groups > 1 else ''} of two or more records "
            f"({alike.rows:,} in all) all share a single {sensitive}: anonymous by records, known all the same."
        )
    if found.values.get("L0"):
        exposed = found.exposed()
        joined = "the one value" if exposed["joined"] == 1 else f"one of the {exposed['joined']} values"
        said.append(
            f"Most exposed attribute: whether {sensitive} is {joined} seen with {group_text(exposed['x'], found.joint.public)}."
        )
    return said


def _special(found: Audit, worst: int) -> Table:
    from rich.markup import escape

    from discreet._text import group_text

    made = _table("\nMost special records", "", ">score")
    for value, score in found.special.worst(found.joint, worst) if found.special else ():
        made.add_row(escape(group_text(value, found.joint.public)), f"{score:,.0f}")
    return made


def _uniques_by_column(found: Audit) -> Table:
    from rich.markup import escape

    parts = _table("\nPublic columns", "", ">values", ">uniques alone", ">uniques without")
    for part in found.columns[:COLUMNS]:
        without = part.without or {}
        cells = (part.levels, part.alone["uniques"], without.get("uniques", 0.0))
        parts.add_row(escape(part.column), *(f"{number:,.0f}" for number in cells))
    return parts


def _public_columns(found: Audit) -> Table:
    from rich.markup import escape

    from discreet._text import number_text

    most = f" (the {COLUMNS} that tell most alone, of {len(found.columns):,})" if len(found.columns) > COLUMNS else ""
    parts = _table(
        f"\nPublic columns{most}", "", ">values", ">L0 alone", ">I alone", ">L0 saved without", ">I saved without"
    )
    telling = sorted(found.columns, key=lambda part: -part.alone["I"])[:COLUMNS]
    for part in telling if most else found.columns:
        saved = [part.saved(symbol, found.values[symbol]) for symbol in ("L0", "I")]
        parts.add_row(
            escape(part.column),
            f"{part.levels:,}",
            number_text(part.alone["L0"], "bits"),
            number_text(part.alone["I"], "bits"),
            *(number_text(value, "bits") if value is not None else "" for value in saved),
        )
    return parts


def _sensitive_columns(found: Audit) -> Table:
    from rich.markup import escape

    from discreet._text import number_text

    ones = _table("\nSensitive columns one by one", "", ">values", ">L0", ">I*", ">I", ">k")
    for name, values in found.sensitive.items():
        ones.add_row(
            escape(name),
            f"{values['levels']:,.0f}",
            *(number_text(values[symbol], "bits") for symbol in ("L0", "I*", "I")),
            number_text(values["k"], "count"),
        )
    return ones


def _broken_by(finding: Finding, public: Sequence[str]) -> str:
    from discreet._text import group_text
    from discreet.auditing._verdict import records_text

    named_groups = "; ".join(group_text(group.value, public) for group in finding.groups)
    more = " …" if finding.failing > len(finding.groups) else ""
    count = f"{finding.failing:,} group{'s' if finding.failing > 1 else ''}"
    return f"  {count} break{'' if finding.failing > 1 else 's'} it, {records_text(finding)}: {named_groups}{more}"
