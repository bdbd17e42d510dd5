"""discreet audit: what do the public columns of a table give away?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discreet.cli._shared import console, flat, named, print_json, progress, table_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from discreet.auditing import Audit, Finding
    from discreet.auditing._verdict import Step

WORST, WORST_ON_SCREEN = 10, 5  # groups shown, where nobody says how many

COLUMNS = 40  # public columns that a screen shows


@click.command(
    "audit",
    epilog="Example: discreet audit people.csv --sensitive diagnosis --public age,sex,postcode,admission "
    "--require 'n>=5' --require 'k>=3'",
)
@table_options
@click.option("--require", "-r", multiple=True, metavar="BOUND", help='Such as "L0<=2" or "k>=5"; exit 1 when not met.')
@click.option("--order", type=float, multiple=True, help="Orders of the measures that have one.")
@click.option("--weights", metavar="COLUMN", help="Sample weights: how many people a record stands for.")
@click.option("--threat", metavar="FILE", help="Named threats, a TOML file: who wins what by acting on the release.")
@click.option("--worst", type=click.IntRange(min=0), help="How many groups to show; 5 on the screen, 10 in documents.")
@click.option("--all", "everything", is_flag=True, help="Every measure, not the main ones alone.")
@click.option("--show-values", is_flag=True, help="Name the sensitive values of the worst groups.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option("--html", metavar="FILE", help="Write a report with plots, one self-contained file.")
def command(
    table: str, worst: int | None, everything: bool, show_values: bool, as_json: bool, html: str | None, **options: Any
) -> int:
    """Measure what the public columns of TABLE give away about its sensitive columns.

    TABLE is a file (CSV, TSV, Parquet, Arrow, Excel) or a database URL such as sqlite:///people.db#people.
    """
    from discreet.auditing import Requirement, audit, load_threats
    from discreet.auditing._verdict import next_step
    from discreet.errors import InputError
    from discreet.tables._writing import write_text

    where = named(table, options["inner"])
    if html and Path(html).exists() and Path(table).exists() and Path(html).samefile(table):
        raise InputError(f"{html} is the table itself: name another file for the report")
    requirements = [Requirement.parse(text) for text in options["require"]]  # before the table is read
    threats = load_threats(options["threat"]) if options["threat"] else ()
    with progress("audit") as report:
        found = audit(
            where,
            flat(options["sensitive"], where),
            flat(options["public"], where),
            flat(options["side"], where) or None,
            orders=options["order"] or None,
            weights=options["weights"],
            progress=report,
            **{name: options[name] for name in ("missing", "na", "memory_limit")},
        )
        findings = found.check(requirements)
        threatened = [threat.check(found.joint) for threat in threats]
        listed = WORST if worst is None else worst
        page = found.to_html(worst=listed, show_values=show_values, findings=findings) if html else None
    if html and page is not None:
        write_text(html, page)
    if as_json:
        document = found.to_dict(worst=listed, show_values=show_values)
        document["requirements"] = [_finding_dict(finding) for finding in findings]
        if threats:
            document["threats"] = [each.to_dict() for each in threatened]
        print_json(document)
    else:
        step = next_step(
            found, table=None if "://" in table else where, more=_asked(options)
        )  # no password is repeated
        listed = WORST_ON_SCREEN if worst is None else worst
        show(found, findings, worst=listed, show_values=show_values, everything=everything, step=step)
        for each in threatened:
            click.echo(each.sentence())
        if html:
            click.echo(f"report written to {html}")
    return 0 if all(finding.met for finding in findings) else 1


def _asked(options: dict[str, Any]) -> list[str]:
    """How the table was read, as options of the next command."""
    said = [part for text in options["na"] for part in ("--na", text)]
    said += ["--missing", options["missing"]] if options["missing"] != "level" else []
    return said


def _finding_dict(finding: Finding) -> dict[str, Any]:
    from discreet._text import json_number, shown

    return {
        "requirement": str(finding.requirement),
        "value": json_number(finding.value),
        "met": finding.met,
        "column": finding.column,
        "failing_groups": finding.failing,
        "failing_records": finding.people,
        "share": finding.share,
        "groups": [
            {"value": shown(group.value), "rows": group.rows, "distinct": group.distinct} for group in finding.groups
        ],
    }


def show(
    found: Audit,
    findings: Sequence[Finding] = (),
    *,
    worst: int = WORST,
    show_values: bool = False,
    everything: bool = False,
    step: Step | None = None,
) -> None:
    """The audit as text: who is exposed, the worst groups and what to do; then the figures behind it."""
    from rich.markup import escape

    from discreet._text import shortened
    from discreet.auditing._verdict import bits, headline, next_step
    from discreet.auditing._words import missing_sentence

    screen = console()
    joint = found.joint
    sensitive, public = ", ".join(joint.sensitive), shortened(", ".join(joint.public))
    screen.print(f"[bold]{escape(headline(found))}[/bold]")
    for finding in findings:
        verdict = "[green]met[/green]" if finding.met else "[red]not met[/red]"
        screen.print(
            f"require {escape(str(finding.requirement))}: {verdict}, found {finding.value:.4g}", highlight=False
        )
        if finding.failing:
            screen.print(escape(_broken_by(finding, joint.public)), highlight=False)
    screen.print(_risk(found))
    if worst:
        screen.print(_worst_groups(found, worst, show_values))
    step = step or next_step(found)
    screen.print(f"\n[bold]What to do next[/bold]\n{escape(step.why)}", highlight=False)
    screen.print(f"  {escape(step.command)}", highlight=False, soft_wrap=True)
    screen.print(_measures(found, everything))
    screen.print(escape(bits(found)), highlight=False)
    screen.print(
        f"{joint.total:,} rows, {joint.n_s:,} values of {escape(sensitive)}, {joint.n_x:,} of {escape(public)}, "
        f"{joint.counts.nnz:,} distinct pairs; missing values: {escape(missing_sentence(joint))}.",
        highlight=False,
    )
    for sentence in _sentences(found, sensitive):
        screen.print(escape(sentence), highlight=False)
    if len(found.columns) > 1:
        screen.print(_public_columns(found))
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

    risk = _table("\nRisk of being found", "", ">people", ">share")
    for row in risk_rows(found.risk):
        risk.add_row(*row)
    return risk


def _worst_groups(found: Audit, worst: int, show_values: bool) -> Table:
    from rich.markup import escape

    from discreet._text import group_text, label_text, shortened

    sensitive, public = ", ".join(found.joint.sensitive), shortened(", ".join(found.joint.public))
    which = ["which"] if show_values else []
    groups = _table("\nWorst groups", public, ">records", f">distinct {sensitive}", *which)
    for group in found.worst(worst, show_values=show_values):
        named_values = (
            ["; ".join(shortened(label_text(value)) for value in group.sensitive[:20])] if group.sensitive else []
        )
        cells = [group_text(group.value, found.joint.public), f"{group.rows:,}", f"{group.distinct:,}", *named_values]
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
            f"({alike.rows:,} people) all share a single {sensitive}: anonymous by records, known all the same."
        )
    if found.values["L0"] > 0:
        exposed = found.exposed()
        joined = "the one value" if exposed["joined"] == 1 else f"one of the {exposed['joined']} values"
        said.append(
            f"Most exposed attribute: whether {sensitive} is {joined} seen with {group_text(exposed['x'], found.joint.public)}."
        )
    return said


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
