"""discreet demo: the main job on a made-up hospital registry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from discreet.cli._shared import progress

LEVELS = (2, 3, 5, 10, 25)
SECONDS = 5.0
MOST_BITS = 1.0


@click.command("demo", epilog="Example: discreet demo --out out")
@click.option("--out", metavar="FOLDER", default="out", show_default=True, help="Where to write what comes out.")
def command(out: str) -> None:
    """Audit, frontier, release and report on 5,000 made-up patients.

    The diagnosis is sensitive; age, sex, postcode, day of admission and occupation are published together, because
    together they find a person. Then one column alone, at a proven optimum.
    """
    from discreet.cli._audit_text import show
    from discreet.datasets import registry
    from discreet.recipe import Recipe
    from discreet.release import Policy
    from discreet.report._plots import save_figure
    from discreet.tables._writing import write_rows, write_text

    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    people = folder / "people.csv"
    write_rows(people, registry())

    click.echo(f"1. A table nobody described: {people}. What are its columns?\n")
    recipe = Recipe.guess(people).override(
        data={"table": "people.csv"},
        search={"time_limit": SECONDS},
        output={"purpose": "A demonstration on made-up people."},
    )
    recipe.save(folder / "recipe.toml")
    for name, each in recipe.columns.items():
        click.echo(f"   {name:<11} {each.role:<11} {each.type or '':<9} {recipe.notes[name]}")
    recipe = Recipe.load(folder / "recipe.toml")

    click.echo("\n2. Who is exposed if it were published as it is?\n")
    found = _audited(recipe)
    write_text(folder / "audit.html", found.to_html())
    show(found, (), worst=3, show_values=False)

    click.echo("\n3. What does protection cost?\n")
    with progress("frontier") as report:
        from discreet.search.tables import table_frontier

        curve = table_frontier(recipe, LEVELS, progress=report)
        save_figure(curve.plot(), str(folder / "frontier.png"))
    for line in curve.lines():
        click.echo(f"   {line}")

    click.echo(f"\n4. Release it: {', '.join(recipe.require)} in every group\n")
    with progress("release") as report:
        done = recipe.run(force=True, progress=report)
    for line in done.lines():
        click.echo(f"   {line}")

    click.echo("\n5. Check it, trusting neither the table nor the policy\n")
    for text in Policy.load(folder / "private-policy.json").verify(folder / "released.csv", people).lines():
        click.echo(f"   {text}")

    click.echo(f"\n6. One column at a proven optimum: age, with at most {MOST_BITS:g} bit lost about the diagnosis\n")
    for line in _one_column(recipe).lines():
        click.echo(f"   {line}")
    pages = f"{folder / 'private-report.html'} and {folder / 'audit.html'}"
    click.echo(f"\nopen {pages} in a browser; {folder / 'recipe.toml'} says it all again")


def _audited(recipe: Any) -> Any:
    from discreet.auditing import audit

    with progress("audit") as report:
        others = [name for role in ("identifier", "ignored") for name in recipe.having(role)]
        return audit(recipe.table, recipe.sensitive, recipe.public, ignore=others, progress=report)


def _one_column(recipe: Any) -> Any:
    """The age alone, by its frontier."""
    columns = {name: {"role": "ignored"} for name in recipe.public if name != "age"}
    alone = recipe.override(
        require=(),
        columns=columns,
        frontier={"max_leakage": MOST_BITS, "codeword": "chebyshev"},
        output={
            "table": "age.csv",
            "policy": "private-age-policy.json",
            "public_policy": None,
            "report": None,
            "keep": [],
        },
    )
    with progress("release") as report:
        return alone.run(force=True, progress=report)
