"""discreet serve: the trusted agent."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from discreet.agent._service import Agent


@click.command(
    "serve",
    epilog="Example: discreet serve --example > agent.toml; edit it; discreet serve agent.toml --add ann=40",
)
@click.argument("config", metavar="AGENT.TOML", required=False)
@click.option("--host", help="The address to listen on, instead of the one in the file.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port to listen on; 0 is any that is free.")
@click.option("--tls-cert", "certificate", metavar="FILE", help="A certificate, for addresses beyond this machine.")
@click.option("--tls-key", "private_key", metavar="FILE", help="Its key.")
@click.option("--proxy", metavar="URL", help="The https address under which a proxy with TLS shows the agent.")
@click.option(
    "--add",
    "analysts",
    multiple=True,
    metavar="NAME=BITS",
    help="Add an analyst with a budget in bits; one who is there already stays as she is.",
)
@click.option(
    "--keys", metavar="FOLDER", help="Write new keys to files there that only you can read, instead of showing them."
)
@click.option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="FILE|URL|HEAD",
    help="A file elsewhere or a database that remembers the ledger's head, and is compared at every answer; or a printed head.",
)
@click.option(
    "--seal",
    is_flag=True,
    help="Seal the ledger as it is found, whatever was lost, and stop: read what the docs say first.",
)
@click.option("--new-owner-key", "renew", is_flag=True, help="Make another owner's key; the old one ends.")
@click.option("--set-up", is_flag=True, help="Make the ledger and the keys, and stop.")
@click.option(
    "--check", is_flag=True, help="Read the data and the ledger, say whether all is well, and stop; nothing is written."
)
@click.option("--example", is_flag=True, help="Print an agent.toml to begin with, and stop.")
def command(
    config: str | None,
    host: str | None,
    port: int | None,
    certificate: str | None,
    private_key: str | None,
    proxy: str | None,
    analysts: tuple[str, ...],
    keys: str | None,
    witnesses: tuple[str, ...],
    seal: bool,
    renew: bool,
    set_up: bool,
    check: bool,
    example: bool,
) -> None:
    """Answer questions about the data sets that AGENT.TOML names, and keep the ledger.

    The first start makes the owner's key and shows it once: with it, analysts are added, and /owner is opened.
    """
    from discreet._listening import address_of, certificates, check_reach, listener
    from discreet.errors import InputError, needs_extra

    if example:
        click.echo(files("discreet.agent").joinpath("example.toml").read_text(encoding="utf-8"), nl=False)
        return
    if config is None:
        raise InputError("name an agent.toml: discreet serve --example prints one to begin with")
    for module in ("uvicorn", "fastapi", "sqlglot", "sqlalchemy"):
        needs_extra(module, "agent")
    from discreet.agent._config import Config
    from discreet.agent._head_witness import written_head
    from discreet.agent._service import Agent
    from discreet.agent._serving import run
    from discreet.agent._telling import examined

    settings = Config.load(config)
    wanted = [_wanted(text) for text in analysts]
    written = [head for text in witnesses if (head := written_head(text)) is not None]
    places = [text for text in witnesses if written_head(text) is None]
    settings = settings.model_copy(update={"witness": (*settings.witness, *places)})
    if check:
        if wanted or renew or set_up or seal or keys is not None:
            raise InputError("--check writes nothing: leave out --add, --keys, --new-owner-key, --seal and --set-up")
        datasets, answers, head = examined(settings, written)
        _describe(datasets)
        if answers is None:
            click.echo("ledger: none yet, the first start makes it")
        else:
            end = f"; its head is {head}" if head.number else "; the next start brings it up to date"
            click.echo(f"ledger: {answers:,} answers, none missing or changed{end}")
        return
    if seal and (wanted or renew or set_up or keys is not None):
        raise InputError(
            "--seal stops once the ledger is sealed: leave out --add, --keys, --new-owner-key and --set-up"
        )
    host = host or settings.host
    check_reach(host, proxy, certificate, private_key)
    tls = certificates(certificate, private_key)
    tell = _teller(keys)
    agent = Agent(settings, written=written, seal=seal)
    try:
        for line in agent.ledger.notes or ["the ledger has its seal: nothing is accepted"] * seal:
            click.echo(line)
        if seal:
            return
        # The port is taken before a key is made: a start that fails does not use it up.
        taken = None if set_up else listener(host, settings.port if port is None else port)
        _add(agent, wanted, tell)
        key = agent.ledger.owner_key(renew=renew)
        if key is not None:
            tell("owner", "the owner's key", key)
        _describe(agent.datasets())
        click.echo(f"the ledger's head is {agent.ledger.head}")
        if taken is not None:
            address = address_of(taken, host, proxy, secure=bool(tls))
            click.echo(f"listening on {address}, the owner's page is /owner")
            run(agent, taken, address, tls)
    finally:
        agent.close()


def _describe(datasets: list[dict[str, Any]]) -> None:
    for row in datasets:
        private = ", ".join(f"{each['name']} ({_recorded(each)})" for each in row["private"])
        click.echo(f"{row['name']}: {row['people']:,} records, {private} private")


def _recorded(column: dict[str, Any]) -> str:
    if column.get("categories"):
        return f"{len(column['categories'])} categories"
    step = column["step"]
    return "whole numbers" if step == 1 else f"steps of {step:.10g}" if step else "a continuum, as declared"


def _wanted(text: str) -> tuple[str, float]:
    from discreet.errors import InputError

    name, _, bits = text.rpartition("=")
    try:
        budget = float(bits)
    except ValueError:
        budget = math.nan
    if not name.strip() or not 0 <= budget < math.inf:
        raise InputError(f"--add {text!r} does not read as NAME=BITS, such as ann=40")
    return name, budget


def _add(agent: Agent, wanted: list[tuple[str, float]], tell: Callable[[str, str, str], None]) -> None:
    there = {each.name: each.budget for each in agent.ledger.every_analyst()}
    for name, budget in wanted:
        if name in there:
            click.echo(f"{name} is there already, with {there[name]:g} bits")
        else:
            tell(name, f"the key of {name}, with {budget:g} bits", agent.ledger.add_analyst(name, budget))


def _teller(folder: str | None) -> Callable[[str, str, str], None]:
    """How a new key is told: on the terminal, or in a file for its owner's eyes."""
    from discreet.errors import InputError

    if folder is None:
        return lambda _, what, key: click.echo(f"{what}, shown this once: {key}")
    place = Path(folder)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(place, os.W_OK):
        raise InputError(f"{folder} cannot be written to: keys would be lost")

    def tell(name: str, what: str, key: str) -> None:
        safe = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name).lstrip(".")
        free = (place / f"{safe}{'' if i == 1 else f'-{i}'}.key" for i in itertools.count(1))
        path = next(each for each in free if not each.exists())  # a key of somebody else is never written over
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(key + "\n")
        click.echo(f"{what} is in {path}")

    return tell
