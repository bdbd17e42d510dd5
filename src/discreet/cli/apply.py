"""discreet apply: release new data by a policy, if its promise still holds."""

from __future__ import annotations

from typing import Any, get_args

import click

from discreet._text import counted
from discreet._typing import Cells
from discreet.cli._shared import Names, asked_table, engine_options, flat, memory_option, print_json, progress
from discreet.cli._stdin import TableName


@click.command("apply", epilog="Example: discreet apply policy.json people.csv --out again.parquet")
@click.argument("policy_file", metavar="POLICY")
@click.argument("table", type=TableName())
@click.option("--out", required=True, metavar="FILE", help="The released table.")
@click.option("--keep", type=Names(), multiple=True, help="Other columns to release as they are.")
@click.option("--keep-anyway", is_flag=True, help="Keep them even where that breaks the promise.")
@click.option(
    "--cells", type=click.Choice(get_args(Cells)), default="label", show_default=True, help="What cells hold."
)
@memory_option
@engine_options
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    policy_file: str,
    table: str,
    out: str,
    keep: tuple[str, ...],
    keep_anyway: bool,
    cells: Any,
    memory_limit: str | None,
    force: bool,
    as_json: bool,
    **engine: Any,
) -> None:
    """Release TABLE by POLICY. The promise is measured again on these rows: exit 1, with reasons, when it fails."""
    from discreet.release import Policy
    from discreet.release._releasing import broken_by_keep, delivered, require_promises, target_for
    from discreet.release._rows import carry_out

    policy = Policy.load(policy_file)
    where = asked_table(table, engine)
    target = target_for(where, out, force=force)
    with progress("apply") as report:
        done = carry_out(policy, where, keep=flat(keep, where), cells=cells, memory_limit=memory_limit, progress=report)
        require_promises(policy, done)
        by_keep = broken_by_keep(policy, done, anyway=keep_anyway)
        delivered(done, where, target)
    if as_json:
        print_json(
            {
                "out": out,
                "rows": done.rows,
                "suppressed": done.unseen + done.withheld,
                "measures": done.measures,
                "broken_by_keep": list(by_keep),
            }
        )
        return
    for reason in by_keep:
        click.echo(f"careful: with the columns kept, {reason}")
    click.echo(
        f"{counted(done.rows, 'row')} released to {out}; {done.unseen + done.withheld:,} suppressed, {done.dropped:,} dropped"
    )
    symbols = dict.fromkeys([*(symbol for symbol in policy.promised if symbol not in ("L0", "I*")), "L0", "I*", "k"])
    found = {symbol: done.measures[symbol] for symbol in symbols if symbol in done.measures}
    click.echo(f"the promise holds: {', '.join(map(_figure, found.items()))}")


def _figure(measured: tuple[str, float]) -> str:
    symbol, value = measured
    return f"{symbol} {value:.0f}" if symbol in ("k", "n") else f"{symbol} {value:.4f}"
