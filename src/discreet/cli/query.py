"""discreet query: ask an agent."""

from __future__ import annotations

from typing import Any

import click

from discreet.cli.shared import print_json


@click.command(
    "query",
    epilog="Example: discreet query http://127.0.0.1:8400 \"SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5\"",
)
@click.argument("url")
@click.argument("statement", required=False)
@click.option("--key", envvar="DISCREET_KEY", required=True, help="Your key, or DISCREET_KEY.")
@click.option("--price", "only_price", is_flag=True, help="What it would cost, without asking.")
@click.option("--ledger", is_flag=True, help="What you asked, spent, and have left.")
@click.option("--datasets", is_flag=True, help="What can be asked.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    url: str, statement: str | None, key: str, only_price: bool, ledger: bool, datasets: bool, as_json: bool
) -> None:
    """Ask the agent at URL a question in SQL: SELECT AVG, SUM or COUNT(column) FROM data WHERE … WITH ERROR number."""
    from discreet.agent.client import Client
    from discreet.errors import InputError

    client = Client(url, key)
    if ledger or datasets:
        found: dict[str, Any] = client.ledger() if ledger else {"datasets": client.datasets()}
        if as_json:
            print_json(found)
        elif ledger:
            click.echo(f"budget {found['budget']:.4g} bits, spent {found['spent']:.4g}, left {found['left']:.4g}")
            for answer in found["answers"]:
                click.echo(f"{answer['bits']:.4g} bits: {_said(answer)}  {_asked(answer['question'])}")
        else:
            for row in found["datasets"]:
                private = ", ".join(f"{c['name']} in [{c['lower']:g}, {c['upper']:g}]" for c in row["private"])
                click.echo(f"{row['name']}: {row['people']:,} people; {private}; filters on {', '.join(row['public'])}")
        return
    if not statement:
        raise InputError("name a statement, or --ledger or --datasets")
    found = client.price(statement) if only_price else client.ask(statement)
    if as_json:
        print_json(found)
    elif only_price:
        click.echo(f"{found['bits']:.4g} bits, {found['cells']} cells, an error of at most {found['error']:.4g}")
    else:
        click.echo(_said(found) + f"  ({found['bits']:.4g} bits)")


def _said(answer: dict[str, Any]) -> str:
    if answer["answer"] is None:
        low, high = answer["cell"]
        return f"known already to lie in [{low:.6g}, {high:.6g}]"
    return f"{answer['answer']:.6g} ± {answer['error']:.4g}"


def _asked(question: dict[str, Any]) -> str:
    return f"{question['aggregate']} of {question['column']} in {question['dataset']}"
