"""discreet frontier: every policy worth having between leakage and utility; of whole tables, loss against n and k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from discreet._text import utility_text
from discreet.cli._asked import plan_of, recipe_of
from discreet.cli._shared import (
    console,
    frontier_options,
    print_json,
    progress,
    recipe_table_options,
    whole_table_options,
)

if TYPE_CHECKING:
    from discreet.recipe import Recipe


@click.command(
    "frontier",
    epilog="Example: discreet frontier people.csv --sensitive diagnosis --public age --plot frontier.png",
)
@recipe_table_options
@whole_table_options
@click.option(
    "--against",
    multiple=True,
    metavar="n=2,5,10",
    help="Of a whole table: through which n, and which k, the requirement rises.",
)
@frontier_options
@click.option("--compare", multiple=True, metavar="METHOD", help="Draw another method beside it, such as mondrian.")
@click.option("--soft", is_flag=True, help="Look for soft policies too, and say whether they beat the hard ones.")
@click.option("--normalise", is_flag=True, help="Draw both axes between 0 and 1, as the paper does.")
@click.option("--plot", metavar="FILE", help="Draw the frontier into a PNG, SVG or PDF file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(plot: str | None, as_json: bool, **options: Any) -> None:
    """Compute the frontier between what TABLE's public columns leak and how useful they stay.

    With --require (or a recipe that has it) it is that of the whole table: the least average loss found against n, and
    against k where a column is sensitive, with what no release can beat.
    """
    from discreet.report._plots import check_picture

    if plot:
        check_picture(plot)
    _check(options)
    recipe = recipe_of(options)
    if recipe.require or options["against"]:
        _of_table(recipe, plot, as_json, options)
    else:
        _of_columns(recipe, plot, as_json, options)


def _check(options: dict[str, Any]) -> None:
    """What must be named where no recipe names it."""
    whole = bool(options["require"] or options["against"])
    for name, option in (("table", "TABLE"), ("public", "--public"), ("sensitive", "--sensitive")):
        if not options[name] and not options["recipe"] and not (whole and name == "sensitive"):
            raise click.UsageError(f"name {option}, or a --recipe that does")


def _of_table(recipe: Recipe, plot: str | None, as_json: bool, options: dict[str, Any]) -> None:
    """Loss against n and k."""
    from discreet.errors import InputError
    from discreet.recipe._running import refuse_coarsening
    from discreet.report._plots import save_figure
    from discreet.search.tables import table_frontiers

    if set(options["compare"]) - {"mondrian"}:
        raise InputError("a whole table is compared with mondrian: --compare mondrian")
    for name in ("soft", "normalise"):
        if options[name]:
            raise InputError(f"--{name} is about one bound on a leakage: leave it out, or leave out --require")
    refuse_coarsening(recipe)
    against = _levels(options["against"])
    with progress("frontier", plan_of(recipe)) as report:
        found = table_frontiers(recipe, against, mondrian=bool(options["compare"]), progress=report)
        if plot:
            save_figure(found[0].plot(*found[1:]), plot)
    if as_json:
        print_json({"frontiers": [each.to_dict() for each in found]})
        return
    for each in found:
        beside = f", beside {', '.join(each.others)}" if each.others else ""
        click.echo(f"loss against {each.symbol}{beside}")
        for line in each.lines():
            click.echo(f"  {line}")
    if plot:
        click.echo(f"drawn to {plot}")


def _levels(texts: tuple[str, ...]) -> dict[str, list[int]]:
    """n=2,5,10 and k=2,3, or n and k alone for the usual levels."""
    from discreet.errors import InputError

    found: dict[str, list[int]] = {}
    for text in texts:
        symbol, mark, numbers = text.partition("=")
        parts = [part.strip() for part in numbers.split(",")] if mark else []
        if symbol.strip() not in ("n", "k") or not all(part.isdecimal() for part in parts):
            raise InputError(f"--against {text!r} does not read as n=2,5,10 or k=2,3")
        found.setdefault(symbol.strip(), []).extend(map(int, parts))
    return found


def _of_columns(recipe: Recipe, plot: str | None, as_json: bool, options: dict[str, Any]) -> None:
    """Every policy worth having between leakage and utility."""
    from discreet.recipe._running import frontier_of
    from discreet.report._plots import save_figure

    with progress("frontier", plan_of(recipe)) as report:
        found = frontier_of(recipe, progress=report)
        others = [
            frontier_of(recipe.override(frontier={"method": method}), joint=found.setting.joint, progress=report)
            for method in options["compare"]
        ]
        limit = recipe.search.time_limit
        seconds = {} if limit is None else {"time_limit": limit}
        softened = found.soften(seed=recipe.search.seed, progress=report, **seconds) if options["soft"] else []
        if plot:
            save_figure(found.plot(*others, normalise=options["normalise"], soft=softened), plot)
    if as_json:
        document = found.to_dict()
        document["compared"] = [other.to_dict() for other in others]
        if options["soft"]:
            document["soft"] = [{"leakage": each.leakage, "utility": each.utility} for each in softened]
        print_json(document)
        return
    _show(found, others)
    if options["soft"]:
        click.echo(_compared(found.gain_of(softened), sum(not each.is_hard for each in softened)))
    if plot:
        click.echo(f"drawn to {plot}")


def _show(found: Any, others: list[Any]) -> None:
    """The points as a table, and how much of the plane lies below them."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    counted = found.utility == "information"
    utility = "largest distortion" if found.utility == "distortion" else found.utility
    for name in (found.leakage, utility, "bound", "gap", "blocks", "k", *(("n",) if counted else ())):
        table.add_column(name, justify="right")
    step = max(1, len(found.points) // 40)
    shown = sorted({*range(0, len(found.points), step), len(found.points) - 1})
    for index in shown:
        point = found.points[index]
        table.add_row(
            f"{point.leakage:.4f}",
            utility_text(found.utility, point.utility).rpartition(" ")[2],
            "" if point.bound is None else f"{point.bound:.4f}",
            "" if point.gap is None else f"{point.gap:.3g}" if point.gap > 1e-9 else "0",
            f"{len(point.blocks):,}",
            f"{point.policy.promised_distinct:,}",
            *([f"{point.policy.after.get('n', 0):,.0f}"] if counted else []),
        )
    screen = console()
    screen.print(f"{found!r}", highlight=False, markup=False)
    screen.print(table)
    if found.levels is not None:
        every = ", ".join(f"{k}" for k in found.levels.asked)
        click.echo(f"{found.method} made a policy for each k of {every}; release --min-k takes the one for that k")
    for sentence in (*found.scale_words(), *found.stop_words(), *_bands(found)):
        click.echo(sentence)
    for other in others:
        screen.print(f"{other!r}", highlight=False, markup=False)
    worth = f"hypervolume {found.hypervolume:.4f}" + "".join(f", {o.method} {o.hypervolume:.4f}" for o in others)
    click.echo(f"{worth}: the share of all pairs of leakage and utility that some policy here beats; more is better")
    for sentence in (*found.polish_words(), *found.bound_words()):
        click.echo(sentence)


def _bands(found: Any) -> list[str]:
    """What columns that were made coarser while they were counted mean for the figures."""
    from discreet.release._promises import slack_of

    slack = slack_of(found.setting.joint, found.utility)
    further = f"; values lie up to {slack:g} further from what stands for them" if slack else ""
    return [f"{name} was counted by {band.words()}{further}" for name, band in found.setting.joint.bands.items()]


def _compared(gain: float, count: int) -> str:
    if gain < 1e-9:
        return f"soft policies: {count} found, none better than the hard ones"
    return f"soft policies: {count} found; at equal utility the best is {gain:.3g} bits better than any hard one"
