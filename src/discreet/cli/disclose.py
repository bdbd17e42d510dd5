"""discreet disclose: release what the columns of a row say together, and nothing about any one of them."""

from __future__ import annotations

from typing import Any, get_args

import click

from discreet._typing import Smoothing
from discreet.cli._shared import Names, flat, named, print_json, progress
from discreet.cli._stdin import TableName


@click.command(
    "disclose",
    epilog="Example: discreet disclose people.csv --samples sex,occupation --latent diagnosis "
    "--out y.parquet --mapping mapping.json",
)
@click.argument("table", type=TableName())
@click.option("--samples", type=Names(), multiple=True, required=True, help="Columns that are one data set per row.")
@click.option("--latent", metavar="NAME", help="The column to tell about; without it, the samples themselves.")
@click.option(
    "--windows", type=click.IntRange(min=1), default=1, show_default=True, help="Neighbouring samples to hide together."
)
@click.option(
    "--smoothing",
    type=click.Choice(get_args(Smoothing)),
    default="counts",
    show_default=True,
    help="How probabilities are estimated from rows.",
)
@click.option("--alpha", type=float, help="Pseudo-rows of the smoothing.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the bound under estimation error.")
@click.option("--na", multiple=True, metavar="TEXT", help='Text that means missing, such as "?".')
@click.option("--table", "inner", metavar="NAME", help="The table of a database, or the sheet of a workbook.")
@click.option("--time-limit", type=float, default=60.0, show_default=True, help="Seconds.")
@click.option("--seed", type=int, help="Of the draws; without it, they cannot be repeated.")
@click.option("--out", required=True, metavar="FILE", help="The table of y: .parquet .csv .tsv .arrow .feather .xlsx.")
@click.option("--mapping", "mapping_file", required=True, metavar="FILE", help="The mapping p(y|x), as JSON.")
@click.option("--report", "report_file", metavar="FILE", help="An HTML report to read and sign.")
@click.option("--plot", metavar="FILE", help="Draw capacity against the number of samples (PNG, SVG or PDF).")
@click.option("--purpose", default="", help="What the disclosure is for, for the report.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(out: str, mapping_file: str, inner: str | None, as_json: bool, **options: Any) -> None:
    """Draw a y for every row of TABLE that is independent of each sample column, and tells most about the rest."""
    from discreet.sample_privacy._publish_disclosure import Files, publish

    table = named(options.pop("table"), inner)
    samples = flat(options.pop("samples"), table)
    files = Files(out, mapping_file, options.pop("report_file"), options.pop("plot"), options.pop("force"))
    with progress("disclose") as report:
        done = publish(table, samples, files=files, progress=report, **options)
    if as_json:
        print_json(done.to_dict())
        return
    for line in done.lines():
        click.echo(line)
