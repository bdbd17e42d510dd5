"""discreet frontier: every policy worth having between leakage and utility."""

from __future__ import annotations

from typing import Any

import click

from discreet.cli._asked import recipe_of
from discreet.cli._shared import console, frontier_options, print_json, progress, table_options


@click.command(
    "frontier",
    epilog="Example: discreet frontier people.csv --sensitive age --public chol --missing drop --plot frontier.png",
)
@table_options
@frontier_options
@click.option("--compare", multiple=True, metavar="METHOD", help="Draw another method beside it, such as mondrian.")
@click.option("--soft", is_flag=True, help="Look for soft policies too, and say whether they beat the hard ones.")
@click.option("--normalise", is_flag=True, help="Draw both axes between 0 and 1, as the paper does.")
@click.option("--plot", metavar="FILE", help="Draw the frontier into a PNG, SVG or PDF file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    compare: tuple[str, ...], soft: bool, normalise: bool, plot: str | None, as_json: bool, **options: Any
) -> None:
    """Compute the frontier between what TABLE's public columns leak and how useful they stay."""
    from discreet.recipe._running import frontier_of
    from discreet.report._plots import check_picture, save_figure

    if plot:
        check_picture(plot)
    recipe = recipe_of(options)
    with progress("frontier") as report:
        found = frontier_of(recipe, progress=report)
        others = [
            frontier_of(recipe.override(frontier={"method": method}), joint=found.setting.joint, progress=report)
            for method in compare
        ]
        softened = found.soften(seed=options["seed"], progress=report) if soft else []
        if plot:
            save_figure(found.plot(*others, normalise=normalise, soft=softened), plot)
    if as_json:
        document = found.to_dict()
        document["compared"] = [other.to_dict() for other in others]
        if soft:
            document["soft"] = [{"leakage": each.leakage, "utility": each.utility} for each in softened]
        print_json(document)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    counted = found.utility == "information"
    for name in (found.leakage, found.utility, "bound", "gap", "blocks", "k", *(("n",) if counted else ())):
        table.add_column(name, justify="right")
    step = max(1, len(found.points) // 40)
    shown = sorted({*range(0, len(found.points), step), len(found.points) - 1})
    for index in shown:
        point = found.points[index]
        table.add_row(
            f"{point.leakage:.4f}",
            f"{point.utility:.4g}",
            "" if point.bound is None else f"{point.bound:.4f}",
            "" if point.gap is None else f"{point.gap:.3g}" if point.gap > 1e-9 else "0",
            f"{len(point.blocks):,}",
            f"{point.policy.promised_distinct:,}",
            *([f"{point.policy.after.get('n', 0):,.0f}"] if counted else []),
        )
    screen = console()
    screen.print(f"{found!r}", highlight=False, markup=False)
    screen.print(table)
    for other in others:
        screen.print(f"{other!r}", highlight=False, markup=False)
    click.echo(f"hypervolume {found.hypervolume:.4f}" + "".join(f", {o.method} {o.hypervolume:.4f}" for o in others))
    if soft:
        click.echo(_compared(found.gain_of(softened), sum(not each.is_hard for each in softened)))
    if plot:
        click.echo(f"drawn to {plot}")


def _compared(gain: float, count: int) -> str:
    if gain < 1e-9:
        return f"soft policies: {count} found, none better than the hard ones"
    return f"soft policies: {count} found; at equal utility the best is {gain:.3g} bits better than any hard one"
