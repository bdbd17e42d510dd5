"""Serving the agent: a server that slow, silent and large clients do not hold up, and that ends what it began."""

from __future__ import annotations

import contextlib
import signal
import sys
from typing import TYPE_CHECKING, Any

import uvicorn

from discreet.agent._connections import MOST, Connection
from discreet.agent._logs import log_everything
from discreet.agent._web import create_app

if TYPE_CHECKING:
    import socket

    from fastapi import FastAPI

    from discreet.agent._service import Agent

SHARED = 0.001
"""Seconds after which a thread that works, such as for the owner's page, lets another one on."""

GRACE = 30
"""Seconds that requests have to end after the server was told to stop."""


def configured(app: FastAPI, **options: Any) -> uvicorn.Config:
    """How the web application is served."""
    return uvicorn.Config(
        app,
        http=Connection,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
        ws="none",
        **options,
    )


def run(agent: Agent, listener: socket.socket, address: str, tls: dict[str, Any]) -> None:
    """Serve until SIGTERM or SIGINT: then no more requests are taken, those begun are ended, and it returns."""
    log_everything()
    sys.setswitchinterval(SHARED)
    _allow_files(4 * MOST)
    config = configured(create_app(agent, apart=True, address=address), **tls)
    # The server raises the signal again when it has ended; by then all is done.
    before = {each: signal.signal(each, lambda *_: None) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _allow_files(wanted: int) -> None:
    """Every connection is an open file; where few are allowed and more may be, allow more."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if now < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, most), most))
