"""discreet query: ask an agent."""

from __future__ import annotations

from typing import Any

import click

from discreet._text import at_least, at_most, plus_minus
from discreet.cli._shared import print_json


@click.command(
    "query",
    epilog="Example: discreet query http://127.0.0.1:8400 \"SELECT AVG(age) FROM people WHERE sex = 'female' WITH ERROR 5\"",
)
@click.argument("url")
@click.argument("statement", required=False)
@click.option("--key", envvar="DISCREET_KEY", help="Your key; better in DISCREET_KEY, where nobody else sees it.")
@click.option("--price", "only_price", is_flag=True, help="What it would cost, without asking.")
@click.option("--ledger", is_flag=True, help="What you asked, spent, and have left.")
@click.option("--datasets", is_flag=True, help="What can be asked.")
@click.option("--timeout", type=click.FloatRange(0.1), default=60.0, show_default=True, help="Seconds to wait.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    url: str,
    statement: str | None,
    key: str | None,
    only_price: bool,
    ledger: bool,
    datasets: bool,
    timeout: float,
    as_json: bool,
) -> None:
    """Ask the agent at URL a question in SQL: SELECT AVG, SUM or COUNT(column), … FROM data WHERE … WITH ERROR number.

    EXPLAIN before SELECT tells the price, as --price does, and asks nothing.

    Exit code: 0 answered, 2 refused or not reached, with the reason.
    """
    from discreet.agent._client import Client
    from discreet.errors import InputError

    if not key:
        raise InputError("a key is needed: set DISCREET_KEY, or give --key")
    if bool(statement) + ledger + datasets != 1:
        raise InputError("name a statement, or --ledger or --datasets, one of them")
    if only_price and not statement:
        raise InputError("--price needs a statement")
    client = Client(url, key.strip(), timeout)
    found: dict[str, Any]
    if ledger:
        found, told = client.ledger(), _ledger
    elif datasets:
        found, told = {"datasets": client.datasets()}, _datasets
    elif only_price:
        found, told = client.price(statement or ""), _price
    else:
        found, told = client.ask(statement or ""), _answer
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(told(found)))


def _ledger(found: dict[str, Any]) -> list[str]:
    from discreet.agent._questions import Question
    from discreet.agent._statements import statement_of

    lines = [f"budget {found['budget']:.4g} bits, spent {found['spent']:.4g}, left {found['left']:.4g}"]
    for answer in found["answers"]:
        question = statement_of(Question.from_json(answer["question"]))
        lines.append(f"{answer['bits']:8.4g} bits  {_said(answer)}  {question}")
    return lines


def _datasets(found: dict[str, Any]) -> list[str]:
    lines = []
    for row in found["datasets"]:
        kinds = row.get("kinds", {})
        lines.append(f"{row['name']}: {row['people']:,} records")
        lines += [
            f"  {column['name']} {_values(column)}; everybody keeps {column['keep']:g}" for column in row["private"]
        ]
        public = [f"{name} ({kinds[name]})" if name in kinds else name for name in row["public"]]
        lines.append(f"  filters on {', '.join(public)}" if public else "  no filters")
    return lines


def _values(column: dict[str, Any]) -> str:
    if column.get("categories"):
        return f"is one of {', '.join(column['categories'])}"
    return f"in [{column['lower']:g}, {column['upper']:g}]{_steps(column)}"


def _steps(column: dict[str, Any]) -> str:
    step = column.get("step")
    return ", whole numbers" if step == 1 else f", in steps of {step:g}" if step else ""


def _price(found: dict[str, Any]) -> list[str]:
    if found["cells"] == 1 and not found["known"]:
        return [f"0 bits: nothing new can be said, it is known to {at_least(found['error'])} already"]
    groups, aggregates = found.get("groups"), found.get("aggregates")
    if groups or aggregates:
        many = [f"{aggregates} aggregates"] * bool(aggregates) + [f"{groups} groups"] * bool(groups)
        return [f"at most {found['bits']:.4g} bits for {' of '.join(many)}, each with up to {found['cells']} cells"]
    return [f"{found['bits']:.4g} bits, {found['cells']} cells, an error of at most {at_least(found['error'])}"]


def _rows(found: dict[str, Any]) -> list[str]:
    """A line for each group, with what was said of each aggregate; without groups a line for each aggregate."""
    if not found["question"].get("by"):
        (row,) = found["rows"]
        lines = [f"{name}: {_said(each)}" for name, each in row["answers"].items()]
        return [*lines, f"({found['bits']:.4g} bits for {len(lines)} aggregates)"]
    lines = [
        f"{_labels(row)}: {', '.join(f'{name} {_said(each)}' for name, each in row['answers'].items())}"
        for row in found["rows"]
    ]
    small = f", {found['left_out']} groups are too small" if found["left_out"] else ""
    many = len(found["question"]["aggregates"])
    return [*lines, f"({found['bits']:.4g} bits for {many} aggregates of {len(lines)} groups{small})"]


def _labels(row: dict[str, Any]) -> str:
    return ", ".join("missing" if label is None else str(label) for label in row["group"].values())


def _groups(found: dict[str, Any]) -> list[str]:
    lines = [f"{_labels(row)}: {_said(row)}" for row in found["groups"]]
    small = f", {found['left_out']} groups are too small" if found["left_out"] else ""
    return [*lines, f"({found['bits']:.4g} bits for {len(lines)} groups{small})"]


def _answer(found: dict[str, Any]) -> list[str]:
    if "known" in found:  # it began with EXPLAIN
        return _price(found)
    if "rows" in found:
        return _rows(found)
    if "groups" in found:
        return _groups(found)
    asked = found["question"]["error"]
    is_coarser = found["answer"] is not None and found["error"] > asked * (1 + 1e-9)
    note = f", coarser than the {asked:g} you asked for" if is_coarser else ""
    return [f"{_said(found)}  ({found['bits']:.4g} bits{note})"]


def _said(answer: dict[str, Any]) -> str:
    if answer["answer"] is None:
        low, high = answer["cell"]
        return f"known already to lie in [{at_most(low)}, {at_least(high, 6)}]"
    return plus_minus(answer["answer"], answer["error"])
