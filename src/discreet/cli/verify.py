"""discreet verify: check a released table against its policy, trusting neither."""

from __future__ import annotations

from typing import Any

import click

from discreet.cli._asked import hierarchies_of
from discreet.cli._shared import asked_table, engine_options, flat, memory_option, print_json, progress
from discreet.cli._stdin import TableName


@click.command("verify", epilog="Example: discreet verify released.csv --policy policy.json --original people.csv")
@click.argument("released", type=TableName())
@click.option("--policy", "policy_file", required=True, metavar="FILE", help="The policy file.")
@click.option(
    "--original", type=TableName(), metavar="TABLE", help="The table that was released: leakage is recomputed from it."
)
@click.option(
    "--hierarchy",
    multiple=True,
    metavar="[COLUMN=]FILE",
    help="That of a sensitive column, for t_hier; the whole policy has it, its public part has not.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="COLUMN",
    help="A column released beside the policy's; others must not name people.",
)
@memory_option
@engine_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    released: str,
    policy_file: str,
    original: str | None,
    hierarchy: tuple[str, ...],
    keep: tuple[str, ...],
    memory_limit: str | None,
    as_json: bool,
    **engine: Any,
) -> int:
    """Recompute what RELEASED gives away. Exit 1 when it does not fit the policy, 2 when a file cannot be read."""
    from discreet.release import Policy
    from discreet.release._cluster_policy import ClusterPolicy, is_cluster_policy

    there = asked_table(original, engine) if original else None
    with progress("verify") as report:
        if is_cluster_policy(policy_file, engine["engine"]):
            found = ClusterPolicy.load(asked_table(policy_file, engine)).verify(asked_table(released, engine), there)
        else:
            policy: Any = Policy.load(policy_file)
            if hierarchy:
                policy = policy.with_hierarchies(dict(hierarchies_of(hierarchy, policy.sensitive)))
            found = policy.verify(
                asked_table(released, engine), there, keep=flat(keep), memory_limit=memory_limit, progress=report
            )
    if as_json:
        print_json(found.to_dict())
    else:
        for line in found.lines():
            click.echo(line)
    return 0 if found.ok else 1
