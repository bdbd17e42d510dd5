"""discreet release: a whole table, or one column at a point of its frontier, with the proof of what it leaks."""

from __future__ import annotations

from typing import Any

import click

from discreet.cli._asked import plan_of, recipe_of
from discreet.cli._shared import (
    Names,
    frontier_options,
    keep_anyway_option,
    print_json,
    progress,
    recipe_table_options,
    whole_table_options,
)


@click.command(
    "release",
    epilog="Example: discreet release people.csv --sensitive diagnosis --public age,sex,postcode --require 'n>=5' "
    "--require 'k>=3' --keep diagnosis --out released.csv --policy policy.json --report report.html",
)
@recipe_table_options
@whole_table_options
@frontier_options
@click.option(
    "--max-leakage", type=float, help="For one bound: the most useful policy that leaks at most this many bits."
)
@click.option(
    "--min-utility",
    type=float,
    help="The least leaking policy that is at least this useful; -20 allows a distortion of 20.",
)
@click.option(
    "--min-leakage", type=float, help="For a bottleneck: the smallest I(X;X̂) that keeps so many bits about S."
)
@click.option("--max-utility", type=float, help="For a bottleneck: the most I(S;X̂) at no more I(X;X̂) than this.")
@click.option("--min-k", type=int, help="The policy with at least so many distinct sensitive values in every group.")
@click.option("--multiplier", type=float, help="The policy that the paper's algorithm returns for this λ.")
@click.option("--out", metavar="FILE", help="The released table: .parquet .csv .tsv .arrow .feather .xlsx.")
@click.option("--policy", "policy_file", metavar="FILE", help="The policy, as JSON; private.")
@click.option("--public-policy", metavar="FILE", help="The part of the policy that may be handed out.")
@click.option("--report", "report_file", metavar="FILE", help="An HTML report to read and sign.")
@click.option("--purpose", default="", help="What the release is for, for the report.")
@click.option("--target", metavar="COLUMN", help="A column that models will predict: the report measures them.")
@click.option(
    "--weights",
    "sample_weights",
    metavar="COLUMN",
    help="Sample weights, read for the risk: people a record stands for.",
)
@click.option("--household", metavar="COLUMN", help="Who lives together, read for the risk; never released.")
@click.option("--keep", type=Names(), multiple=True, help="Other columns to release as they are.")
@keep_anyway_option
@click.option(
    "--cells", type=click.Choice(["label", "codeword"]), default="label", show_default=True, help="What cells hold."
)
@click.option(
    "--unseen", type=click.Choice(["nearest", "suppress"]), default="nearest", show_default=True, help="New values."
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(force: bool, as_json: bool, **options: Any) -> None:
    """Release TABLE's public columns, coarsened, with a policy that says what they leak.

    With --require every group of records meets what you ask, at the least average loss. With --max-leakage (or
    another cut) one frontier is cut at your bound, with a proven optimum for one column.
    """
    _check(options)
    recipe = recipe_of(options)
    with progress("release", plan_of(recipe)) as report:
        done = recipe.run(force=force, progress=report)
    if as_json:
        print_json(done.to_dict())
        return
    for line in done.lines():
        click.echo(line)


def _check(options: dict[str, Any]) -> None:
    """What must be named where no recipe names it."""
    if options["recipe"]:
        return
    for name, option in (("table", "TABLE"), ("public", "--public"), ("out", "--out"), ("policy_file", "--policy")):
        if not options[name]:
            raise click.UsageError(f"name {option}, or a --recipe that does")
    if not options["sensitive"] and not options["require"]:
        raise click.UsageError("name --sensitive, or --require what every group must have")
