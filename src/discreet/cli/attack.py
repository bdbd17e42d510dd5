"""discreet attack: what an adversary can exclude from all that the agent has said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from discreet._text import at_least, at_most
from discreet.cli._shared import print_json

if TYPE_CHECKING:
    from discreet.agent._attack import Finding


@click.command("attack", epilog="Example: discreet attack ledger.sqlite --config agent.toml")
@click.argument("ledger")
@click.option("--config", required=True, metavar="AGENT.TOML", help="Which data sets the answers are about.")
@click.option("--html", metavar="FILE", help="Write a report to read and sign, one self-contained file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(ledger: str, config: str, html: str | None, as_json: bool) -> None:
    """Run the best known attacks on what was told in LEDGER, with what analysts know, and say who is how exposed.

    Linear programs over all answers, and integer programs over the steps in which values are recorded; no private value is
    used. Exit code: 0 everybody keeps what was promised, 1 somebody does not, 2 bad input.
    """
    from pathlib import Path

    from discreet.agent._attack import attack
    from discreet.agent._attack_page import attack_page
    from discreet.agent._config import Config
    from discreet.agent._ledger import Ledger
    from discreet.errors import InputError, needs_extra
    from discreet.tables._writing import write_text

    needs_extra("sqlalchemy", "agent")
    settings = Config.load(config)
    if "://" not in ledger and not Path(ledger).is_file():
        raise InputError(f"{ledger}: there is no such ledger")
    opened = Ledger(ledger if "://" in ledger else f"sqlite:///{ledger}", read_only=True)
    try:
        found = attack(settings, opened)
        if html:
            write_text(html, attack_page(found, opened, Path(ledger).name if "://" not in ledger else "the ledger"))
    finally:
        opened.close()
    broken = any(each.below and each.is_promised for each in found)
    if as_json:
        print_json({"kept": not broken, "findings": [each.to_dict() for each in found]})
    else:
        for each in found:
            click.echo("\n".join(_lines(each)))
        if html:
            click.echo(f"report written to {html}")
    if broken:
        raise SystemExit(1)


def _lines(found: Finding) -> list[str]:
    said = found.to_dict()
    whose = f", as told to {found.analysts}" if found.analysts and found.is_promised else ""
    pooled = "" if found.is_promised else ", if all analysts put their answers together, which is not promised"
    told = f"{said['answers']:,} answer{'' if said['answers'] == 1 else 's'}"
    least = "fewest categories left are" if found.categories else "shortest interval left is"
    lines = [
        f"{found.column} in {found.dataset}{whose}{pooled}: {told}, {said['people']:,} records",
        f"  {said['below_keep']:,} have less than the {found.keep:g} that was promised; the {least} "
        f"{at_most(said['shortest'], 4)}, the median {at_most(said['median'], 4)}",
    ]
    if said["attacked"] < said["people"]:
        lines.append(f"  {said['attacked']:,} records were attacked, those in the smallest groups")
    if said["narrowed_by_steps"]:
        lines.append(f"  knowing the steps of the values narrowed {said['narrowed_by_steps']:,} records further")
    lines += [
        f"  {person['who'][:40]:<40}  "
        + (
            ", ".join(person["possible"])
            if found.categories
            else f"{at_most(person['low'])} to {at_least(person['high'], 6)}"
        )
        for person in said["most_exposed"][:5]
    ]
    return lines
