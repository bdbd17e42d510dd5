"""discreet audit: what do the public columns of a table give away?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discreet.cli._asked import hierarchies_of
from discreet.cli._shared import Names, asked_table, audit_table_options, coarsened, flat, print_json, progress

if TYPE_CHECKING:
    from discreet.auditing import Finding

WORST, WORST_ON_SCREEN = 10, 5  # groups shown, where nobody says how many


@click.command(
    "audit",
    epilog="Example: discreet audit people.csv --sensitive diagnosis --public age,sex,postcode,admission "
    "--require 'n>=5' --require 'k>=3'",
)
@audit_table_options
@click.option("--recipe", metavar="FILE", help="A recipe that names the table and the roles of its columns.")
@click.option("--require", "-r", multiple=True, metavar="BOUND", help='Such as "k>=5" or "L0<=1"; exit 1 when not met.')
@click.option("--order", type=float, multiple=True, help="Orders of the measures that have one.")
@click.option("--weights", metavar="COLUMN", help="Sample weights: how many people a record stands for.")
@click.option("--household", metavar="COLUMN", help="Who is found leads to all of his household.")
@click.option(
    "--hierarchy",
    multiple=True,
    metavar="[COLUMN=]FILE",
    help="How far apart the values of a sensitive column are, for t_hier: a CSV as ARX writes them.",
)
@click.option(
    "--ignore",
    type=Names(),
    multiple=True,
    help="Other columns of TABLE that you know: a gate does not ask about them.",
)
@click.option("--population", metavar="TABLE", help="The population: how many people in it a record matches (k-map).")
@click.option(
    "--special",
    metavar="SIZE",
    type=click.IntRange(min=1),
    is_flag=False,
    flag_value=3,
    help="Who is singled out by so few public columns (SUDA); 3 where no size is given.",
)
@click.option("--threat", metavar="FILE", help="Named threats, a TOML file: who wins what by acting on the release.")
@click.option("--worst", type=click.IntRange(min=0), help="How many groups to show; 5 on the screen, 10 in documents.")
@click.option("--all", "everything", is_flag=True, help="Every measure, not the main ones alone.")
@click.option("--show-values", is_flag=True, help="Name the sensitive values of the worst groups.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option("--html", metavar="FILE", help="Write a report with plots, one self-contained file.")
def command(
    table: str | None,
    worst: int | None,
    everything: bool,
    show_values: bool,
    as_json: bool,
    html: str | None,
    **options: Any,
) -> int:
    """Measure what the public columns of TABLE give away about its sensitive columns.

    Without sensitive columns, count how easily people are found by the public ones (k-anonymity and risk).

    TABLE is a file (CSV, TSV, Parquet, Arrow, Excel, Stata, SPSS, SAS, R) or a database URL such as sqlite:///people.db#people.
    """
    from discreet.auditing import Requirement, audit, load_threats
    from discreet.auditing._gate import judge
    from discreet.auditing._verdict import next_step
    from discreet.cli._audit_text import show
    from discreet.errors import InputError
    from discreet.tables._writing import write_text

    if options["recipe"]:
        table = _from_recipe(table, options)
    if not table or not options["public"]:
        lacking = "argument 'TABLE'" if not table else "option '--public' / '-p'"
        raise click.UsageError(f"Missing {lacking}: say it, or name a recipe that does.")
    where = asked_table(table, options)
    if html and Path(html).exists() and Path(table).exists() and Path(html).samefile(table):
        raise InputError(f"{html} is the table itself: name another file for the report")
    requirements = [Requirement.parse(text) for text in options["require"]]  # before the table is read
    threats = load_threats(options["threat"]) if options["threat"] else ()
    public = flat(options["public"], where)
    coarsen = coarsened(options["coarsen"], public)
    sensitive = flat(options["sensitive"], where)
    with progress("audit") as report:
        found = audit(
            where,
            sensitive or None,
            public,
            flat(options["side"], where) or None,
            orders=options["order"] or None,
            **{name: options[name] for name in ("weights", "household", "population", "special")},
            hierarchies=dict(hierarchies_of(options["hierarchy"], sensitive)),
            ignore=_ignored(options, where),
            coarsen=coarsen,
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
        again = None if "://" in table else table if options["engine"] == "spark" else str(where)
        step = next_step(found, table=again, more=_asked(options))  # no password is repeated
        listed = WORST_ON_SCREEN if worst is None else worst
        show(found, findings, worst=listed, show_values=show_values, everything=everything, step=step)
        for each in threatened:
            click.echo(each.sentence())
        if html:
            click.echo(f"report written to {html}")
    code, why = judge(found, findings)
    if why:
        click.echo(f"discreet: {why}", err=True)
    return code


def _from_recipe(table: str | None, options: dict[str, Any]) -> str | None:
    """Fill in what was not typed by what a recipe says; its requirements are those of a release."""
    from discreet.cli._asked import was_typed
    from discreet.recipe import Recipe

    recipe = Recipe.load(options["recipe"])
    options["named"] = tuple(recipe.columns)
    for name in ("public", "sensitive", "side"):
        options[name] = options[name] or recipe.having(name)
    options["weights"] = options["weights"] or recipe.one_having("weight")
    options["household"] = options["household"] or recipe.one_having("household")
    files = {name: recipe.columns[name].hierarchy for name in recipe.sensitive if name in options["sensitive"]}
    options["hierarchy"] = options["hierarchy"] or [
        f"{name}={recipe.path(file)}" for name, file in files.items() if file
    ]
    data = recipe.data
    coarsen = tuple(f"{name}={band}" for name, band in recipe.coarsen.items() if name in options["public"])
    read = {"missing": data.missing, "na": tuple(data.na), "memory_limit": data.memory_limit, "coarsen": coarsen}
    options.update({name: said for name, said in read.items() if not was_typed(name)})
    if table or not data.table:
        return table
    options["inner"] = options["inner"] or data.name
    return data.table if "://" in data.table else str(recipe.path(data.table))


def _ignored(options: dict[str, Any], where: Any) -> list[str]:
    """The columns that were named without being counted, on the command line or by a role of the recipe."""
    from discreet.tables import column_names

    names = flat(options["ignore"], where)
    roles = options.get("named") or ()
    counted = {*flat(options["public"], where), *flat(options["sensitive"], where), *flat(options["side"], where)}
    counted |= {options["weights"], options["household"]}
    known = [name for name in roles if name not in counted and name not in names]
    return [*names, *(name for name in known if name in column_names(where))] if known else names


def _asked(options: dict[str, Any]) -> list[str]:
    """How the table was read, as options of the next command."""
    said = [part for text in options["na"] for part in ("--na", text)]
    said += ["--missing", options["missing"]] if options["missing"] != "level" else []
    said += [part for text in options["coarsen"] for part in ("--coarsen", text)]
    said += [part for text in options["ignore"] for part in ("--ignore", text)]
    if options["engine"] == "spark":
        said += ["--engine", "spark", *(("--master", options["master"]) if options["master"] else ())]
    return said


def _finding_dict(finding: Finding) -> dict[str, Any]:
    from discreet._text import json_number, shown

    return {
        "requirement": str(finding.requirement),
        "value": json_number(finding.value),
        "met": finding.met,
        "forbids_nothing": finding.forbids_nothing,
        "column": finding.column,
        "failing_groups": finding.failing,
        "failing_records": finding.people,
        "share": finding.share,
        "groups": [
            {"value": shown(group.value), "rows": group.rows, "distinct": group.distinct} for group in finding.groups
        ],
    }
