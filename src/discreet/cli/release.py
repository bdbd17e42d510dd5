"""discreet release: pick a point of the frontier, write the released table and the proof of what it leaks."""

from __future__ import annotations

from typing import Any, get_args

import click

from discreet._typing import Cells, Unseen
from discreet.cli._shared import (
    Names,
    flat,
    frontier_options,
    joint_and_frontier,
    named,
    print_json,
    progress,
    table_options,
)

CUTS = ("multiplier", "max_leakage", "min_utility", "min_leakage", "max_utility")


@click.command(
    "release",
    epilog="Example: discreet release people.csv --sensitive age --public chol --missing drop --max-leakage 2 "
    "--out released.parquet --policy policy.json --report report.html",
)
@table_options
@frontier_options
@click.option("--max-leakage", type=float, help="The most useful policy that leaks at most this many bits.")
@click.option("--min-utility", type=float, help="The least leaking policy that is at least this useful.")
@click.option(
    "--min-leakage", type=float, help="For a bottleneck: the smallest I(X;X̂) that keeps so many bits about S."
)
@click.option("--max-utility", type=float, help="For a bottleneck: the most I(S;X̂) at no more I(X;X̂) than this.")
@click.option("--multiplier", type=float, help="The policy that the paper's algorithm returns for this λ.")
@click.option(
    "--out", required=True, metavar="FILE", help="The released table: .parquet .csv .tsv .arrow .feather .xlsx."
)
@click.option("--policy", "policy_file", required=True, metavar="FILE", help="The policy, as JSON.")
@click.option("--report", "report_file", metavar="FILE", help="An HTML report to read and sign.")
@click.option("--purpose", default="", help="What the release is for, for the report.")
@click.option("--keep", type=Names(), multiple=True, help="Other columns to release as they are.")
@click.option(
    "--cells", type=click.Choice(get_args(Cells)), default="label", show_default=True, help="What cells hold."
)
@click.option("--unseen", type=click.Choice(get_args(Unseen)), default="nearest", show_default=True, help="New values.")
@click.option("--suppress", type=click.IntRange(min=0), default=0, help="Rows that may be withheld instead of merged.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(out: str, policy_file: str, report_file: str | None, as_json: bool, **options: Any) -> None:
    """Release TABLE's public columns, coarsened, with a policy that says what they leak."""
    from discreet.release._frontier import check_cut
    from discreet.release._publishing import ReleaseOptions, carry_through, check_files

    table = named(options["table"], options["inner"])
    cut = {name: options[name] for name in CUTS}
    check_cut(**cut)  # before the table is read
    files = check_files(table, out, policy_file=policy_file, report_file=report_file, force=options["force"])
    asked = ReleaseOptions(
        keep=flat(options["keep"], table),
        **{name: options[name] for name in ("cells", "unseen", "suppress", "na", "purpose", "force")},
    )
    with progress("release") as report:
        _, found = joint_and_frontier(options, report)
        done = carry_through(table, found.point_at(**cut), frontier=found, files=files, options=asked, progress=report)
    if as_json:
        print_json(done.to_dict())
        return
    for line in done.lines():
        click.echo(line)
