"""discreet serve: the trusted agent."""

from __future__ import annotations

import click


@click.command("serve", epilog="Example: discreet serve agent.toml")
@click.argument("config", metavar="AGENT.TOML")
@click.option("--host", help="The address to listen on, instead of the one in the file.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port to listen on, instead of the one in the file.")
@click.option("--check", is_flag=True, help="Read the data and the ledger, say whether all is well, and stop.")
def command(config: str, host: str | None, port: int | None, check: bool) -> None:
    """Answer questions about the data sets that AGENT.TOML names, and keep the ledger.

    The first start prints the owner's key, once: with it, analysts are added.
    """
    from discreet.agent.config import Config
    from discreet.errors import needs_extra

    for module in ("uvicorn", "fastapi", "sqlglot", "sqlalchemy"):
        needs_extra(module, "agent")
    import uvicorn

    from discreet.agent.service import Agent
    from discreet.agent.web import create_app

    settings = Config.load(config)
    agent = Agent(settings)
    key = agent.ledger.owner_key()
    if key is not None:
        click.echo(f"the owner's key, shown this once: {key}")
    for row in agent.datasets():
        click.echo(
            f"{row['name']}: {row['people']:,} people, {', '.join(each['name'] for each in row['private'])} private"
        )
    if check:
        agent.close()
        return
    click.echo(f"listening on http://{host or settings.host}:{port if port is not None else settings.port}")
    uvicorn.run(
        create_app(agent),
        host=host or settings.host,
        port=port if port is not None else settings.port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=30,
    )
