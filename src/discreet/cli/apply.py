"""discreet apply: release new data by a policy, if its promise still holds."""

from __future__ import annotations

from typing import Any, get_args

import click

from discreet._typing import Cells
from discreet.cli._shared import Names, flat, print_json, progress


@click.command("apply", epilog="Example: discreet apply policy.json march.csv --out march-released.parquet")
@click.argument("policy_file", metavar="POLICY")
@click.argument("table")
@click.option("--out", required=True, metavar="FILE", help="The released table.")
@click.option("--keep", type=Names(), multiple=True, help="Other columns to release as they are.")
@click.option(
    "--cells", type=click.Choice(get_args(Cells)), default="label", show_default=True, help="What cells hold."
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    policy_file: str, table: str, out: str, keep: tuple[str, ...], cells: Any, force: bool, as_json: bool
) -> None:
    """Release TABLE by POLICY. The promise is measured again on these rows: exit 1, with reasons, when it fails."""
    from discreet.release import Policy
    from discreet.release._releasing import delivered, require_promises, target_for
    from discreet.release._rows import carry_out

    policy = Policy.load(policy_file)
    target = target_for(table, out, force=force)
    with progress("apply") as report:
        done = carry_out(policy, table, keep=flat(keep, table), cells=cells, progress=report)
        require_promises(policy, done)
        delivered(done, table, target)
    if as_json:
        print_json(
            {"out": out, "rows": done.rows, "suppressed": done.unseen + done.withheld, "measures": done.measures}
        )
        return
    found = done.measures
    click.echo(
        f"{done.rows:,} rows released to {out}; {done.unseen + done.withheld:,} suppressed, {done.dropped:,} dropped"
    )
    others = "".join(f"{symbol} {found[symbol]:.4f}, " for symbol in policy.promised if symbol not in ("L0", "I*"))
    click.echo(f"the promise holds: {others}L0 {found['L0']:.4f}, I* {found['I*']:.4f}, k {found['k']:.0f}")
