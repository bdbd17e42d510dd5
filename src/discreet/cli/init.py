"""discreet init: a first recipe for a table that nobody described."""

from __future__ import annotations

import click

from discreet.cli._shared import console, named, print_json, progress
from discreet.cli._stdin import TableName


@click.command(
    "init",
    epilog="Example: discreet init people.csv, then edit recipe.toml, then discreet release --recipe recipe.toml",
)
@click.argument("table", type=TableName())
@click.option("--out", metavar="FILE", default="recipe.toml", show_default=True, help="The recipe to write.")
@click.option("--na", multiple=True, metavar="TEXT", help='Text that means missing, such as "?".')
@click.option("--table", "inner", metavar="NAME", help="The table of a database, or the sheet of a workbook.")
@click.option("--schema", metavar="FILE", help="Write the JSON schema of recipes too, for editors.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    table: str, out: str, na: tuple[str, ...], inner: str | None, schema: str | None, force: bool, as_json: bool
) -> None:
    """Look at TABLE and write a commented recipe: roles and types are guesses, with the reason, for you to correct."""
    from discreet.recipe import Recipe
    from discreet.recipe._recipe import schema_text
    from discreet.tables._writing import check_target, write_text

    for path in (out, schema):
        if path:
            check_target(path, force=force)
    with progress("init"):
        recipe = Recipe.guess(named(table, inner), na=na).relative_to(out)
        recipe.save(out)
        if schema:
            write_text(schema, schema_text())
    if as_json:
        print_json(recipe.to_dict())
        return
    from rich.markup import escape
    from rich.table import Table

    found = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("column", "role", "type", "why"):
        found.add_column(title)
    for name, each in recipe.columns.items():
        kind = "?" if name in recipe.questions else each.type or ""
        found.add_row(escape(name), each.role, kind, escape(recipe.notes[name]))
    screen = console()
    screen.print(found)
    for name, question in recipe.questions.items():
        screen.print(f"decide: {escape(name)} holds {escape(question)}", highlight=False)
    click.echo(f"written to {out}: correct it, then run discreet release --recipe {out}")
