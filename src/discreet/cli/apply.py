"""discreet apply: release new data by a policy, if its promise still holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import click

from discreet._text import counted
from discreet._typing import Cells, KeepAnyway
from discreet.cli._shared import (
    Names,
    anyway_of,
    asked_table,
    engine_options,
    flat,
    keep_anyway_option,
    memory_option,
    print_json,
    progress,
)
from discreet.cli._stdin import TableName
from discreet.errors import InputError


@click.command("apply", epilog="Example: discreet apply policy.json people.csv --out again.parquet")
@click.argument("policy_file", metavar="POLICY")
@click.argument("table", type=TableName())
@click.option("--out", required=True, metavar="FILE", help="The released table.")
@click.option("--keep", type=Names(), multiple=True, help="Other columns to release as they are.")
@keep_anyway_option
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
    keep_anyway: tuple[str, ...],
    cells: Any,
    memory_limit: str | None,
    force: bool,
    as_json: bool,
    **engine: Any,
) -> None:
    """Release TABLE by POLICY. The promise is measured again on these rows: exit 1, with reasons, when it fails."""
    from discreet.release import Policy
    from discreet.release._cluster_policy import is_cluster_policy
    from discreet.release._releasing import RECURS, check_kept_columns, delivered, require_promises, target_for
    from discreet.release._rows import carry_out

    where = asked_table(table, engine)
    kept, anyway = flat(keep, where), anyway_of(keep_anyway, where)
    if is_cluster_policy(policy_file, engine["engine"]):
        _on_cluster(asked_table(policy_file, engine), where, out, kept, cells, anyway, force, as_json)
        return
    policy = Policy.load(policy_file)
    target = target_for(where, out, force=force)
    with progress("apply") as report:
        done = carry_out(
            policy, where, keep=kept, keep_anyway=anyway, cells=cells, memory_limit=memory_limit, progress=report
        )
        require_promises(policy, done)
        by_keep = check_kept_columns(policy, done)
        delivered(done, where, target)
    suppressed = done.unseen + done.withheld
    notes = [RECURS] if done.recurs else []
    _tell(out, done.rows, suppressed, done.dropped, done.measures, by_keep, policy.promised, as_json, notes)


def _on_cluster(
    policy_table: Any,
    table: Any,
    out: str,
    keep: list[str],
    cells: str,
    keep_anyway: KeepAnyway,
    force: bool,
    as_json: bool,
) -> None:
    """The policy of a whole table, a folder that a cluster wrote."""
    from discreet.release._cluster_applying import apply_on_cluster
    from discreet.release._cluster_policy import ClusterPolicy
    from discreet.release._releasing import RECURS

    if cells != "label":
        raise InputError(f"the cells of a whole table are labels, and have no {cells}: leave --cells out")
    with progress("apply"):
        policy = ClusterPolicy.load(policy_table)
        done = apply_on_cluster(policy, table, out, keep=keep, keep_anyway=keep_anyway, force=force)
    symbols = [each.symbol for each in policy.require]
    notes = [RECURS] if done.recurs else []
    _tell(out, done.rows, done.suppressed, done.dropped, done.measures, done.broken_by_keep, symbols, as_json, notes)


def _tell(
    out: str,
    rows: int,
    suppressed: int,
    dropped: int,
    measures: Mapping[str, float],
    by_keep: Sequence[str],
    promised: Sequence[str],
    as_json: bool,
    notes: Sequence[str] = (),
) -> None:
    if as_json:
        told = {"out": out, "rows": rows, "suppressed": suppressed, "measures": measures}
        print_json({**told, "broken_by_keep": list(by_keep), "notes": list(notes)})
        return
    for reason in by_keep:
        click.echo(f"careful: with the columns kept, {reason}")
    for note in notes:
        click.echo(f"careful: {note}")
    click.echo(f"{counted(rows, 'row')} released to {out}; {suppressed:,} suppressed, {dropped:,} dropped")
    symbols = dict.fromkeys([*(symbol for symbol in promised if symbol not in ("L0", "I*")), "L0", "I*", "k"])
    found = {symbol: measures[symbol] for symbol in symbols if symbol in measures}
    click.echo(f"the promise holds: {', '.join(map(_figure, found.items()))}")


def _figure(measured: tuple[str, float]) -> str:
    symbol, value = measured
    return f"{symbol} {value:.0f}" if symbol in ("k", "n") else f"{symbol} {value:.4f}"
