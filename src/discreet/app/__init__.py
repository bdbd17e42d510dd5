"""The web app: see what a table gives away, choose a point of the frontier, release.

No mathematics: it calls public functions and edits one recipe, the file that `discreet release --recipe` runs.
"""

from __future__ import annotations

__all__ = ["serve"]


def serve(table: str | None = None, *, port: int = 0, open_browser: bool = True) -> None:
    """Serve the app on this machine until it is interrupted, with a table opened at once where one is named."""
    from discreet.app._server import Settings, run  # the worker processes do without it

    run(Settings(table, port=port), open_browser=open_browser)
