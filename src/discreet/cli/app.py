"""discreet app: the web app."""

from __future__ import annotations

import click


@click.command("app", epilog="Example: discreet app people.csv")
@click.argument("table", required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port to listen on; 0 is any that is free.")
@click.option("--no-open", is_flag=True, help="Only print the link; do not open a browser.")
@click.option(
    "--max-upload",
    type=click.IntRange(min=1),
    default=1024,
    show_default=True,
    metavar="MB",
    help="The largest upload.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Another address needs --auth, and TLS or --proxy."
)
@click.option("--auth", metavar="FILE", help="People who may come in: one NAME:PASSWORD a line.")
@click.option("--proxy", metavar="URL", help="The https address under which a proxy shows the app.")
@click.option("--tls-cert", metavar="FILE", help="A certificate, for https without a proxy.")
@click.option("--tls-key", metavar="FILE", help="Its key.")
def command(
    table: str | None,
    port: int,
    no_open: bool,
    max_upload: int,
    host: str,
    auth: str | None,
    proxy: str | None,
    tls_cert: str | None,
    tls_key: str | None,
) -> None:
    """Open the web app: see what a TABLE gives away, choose what to lose, release it.

    It runs on this machine for this machine, without a network. The link that it prints opens it once, in one browser.
    """
    from discreet.errors import needs_extra

    for module in ("nicegui", "matplotlib"):
        needs_extra(module, "app")
    from discreet.app._server import Settings, read_people, run

    people = read_people(auth) if auth else {}
    settings = Settings(table, host, port, people, proxy, tls_cert, tls_key, max_upload << 20)
    run(settings, open_browser=not no_open, tell=click.echo)
