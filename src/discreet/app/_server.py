"""The server: pages and files of sessions behind the guard, on an address of this machine unless more was asked for."""

from __future__ import annotations

import contextlib
import secrets
import socket
import tempfile
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from nicegui import ui
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from discreet._listening import LOOPBACK, address_of, certificates, check_reach, listener
from discreet.app import _downloads as downloads
from discreet.app._guard import Guard, Rules
from discreet.app._layout import MORE, STEPS, THEME_COOKIE, View, frame, reachable
from discreet.app._pages import PAGES
from discreet.app._store import Sessions
from discreet.app._tasks import warm_up
from discreet.app._theme import Theme
from discreet.app._work import Job, Workers
from discreet.errors import InputError

GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Settings:
    """How the app is served.

    Attributes
    ----------
    table
        A table to open at once.
    host, port
        Where to listen; 0 is any port that is free.
    people
        {name: password}, for addresses beyond this machine.
    proxy
        The https address under which a proxy shows the app.
    certificate, key
        Files for TLS.
    """

    table: str | None = None
    host: str = "127.0.0.1"
    port: int = 0
    people: dict[str, str] = field(default_factory=dict)
    proxy: str | None = None
    certificate: str | None = None
    key: str | None = None
    most_upload: int = GIGABYTE

    @property
    def local(self) -> bool:
        """Whether only this machine can open it."""
        return self.host in LOOPBACK and self.proxy is None

    def checked(self) -> Settings:
        """The same, or one line on why it would not be safe."""
        if self.local:
            return self
        if not self.people:
            raise InputError(
                f"{self.proxy or self.host} can be reached from elsewhere: name a file of people by --auth"
            )
        check_reach(self.host, self.proxy, self.certificate, self.key)
        return self


def _rules(settings: Settings, port: int) -> Rules:
    secure = settings.proxy is not None or settings.certificate is not None
    scheme = "https" if secure else "http"
    if settings.proxy is not None:
        host = settings.proxy.removeprefix("https://").rstrip("/").lower()
        names = [host]
    else:
        hosts = (
            ("127.0.0.1", "localhost", "[::1]")
            if settings.local
            else (settings.host, socket.getfqdn(), socket.gethostname())
        )
        names = [f"{each}:{port}".lower() for each in hosts]
    token = None if settings.people else secrets.token_urlsafe(24)
    origins = {name: f"{scheme}://{name}" for name in names}
    return Rules(origins, settings.most_upload, token, settings.people, cookie=f"discreet_{port}", secure=secure)


def build(settings: Settings, rules: Rules, sessions: Sessions) -> Guard:
    """The app behind its guard."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        sessions.workers.close()
        sessions.close()

    inner = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)

    @inner.get("/")
    def begin(request: Request) -> Response:
        session = sessions.new(request.state.owner)
        if settings.table:
            session.open_path(settings.table)
        return RedirectResponse(f"/s/{session.id}/data", status_code=303)

    @inner.get("/s/{identity}/files/{name}")
    def download(identity: str, name: str, request: Request) -> Response:
        session = sessions.get(identity, request.state.owner)
        path = downloads.file_of(session, name) if session is not None else None
        if path is None:
            return HTMLResponse("there is no such file", 404)
        return FileResponse(path, filename=name, headers={"cache-control": "no-store"})

    @ui.page("/s/{identity}/{step}", response_timeout=20)
    def page(identity: str, step: str, request: Request) -> Response | None:
        session = sessions.get(identity, request.state.owner)
        if session is None:
            return RedirectResponse("/", status_code=303)
        session.read_again()
        if step not in STEPS | MORE or not reachable(session, step):
            back = "frontier" if step in ("policy", "release") and reachable(session, "frontier") else "data"
            return RedirectResponse(f"/s/{identity}/{back}", status_code=303)
        theme = Theme(dark=request.cookies.get(THEME_COOKIE) == "dark")
        frame(View(session, theme, settings.local, settings.most_upload), step, PAGES[step])
        return None

    ui.run_with(inner, title="discreet", favicon="◧", tailwind=False, show_welcome_message=False, reconnect_timeout=10)
    return Guard(inner, rules)


def run(settings: Settings, *, open_browser: bool = True, tell: Callable[[str], Any] = print) -> None:
    """Serve the app until it is interrupted."""
    settings.checked()
    context = certificates(settings.certificate, settings.key)
    taken = listener(settings.host, settings.port)
    port = taken.getsockname()[1]
    rules = _rules(settings, port)
    workers = Workers()
    sessions = Sessions(workers)
    tempfile.tempdir = str(sessions.root)  # what an upload is kept in on its way is removed with the rest
    try:
        guard = build(settings, rules, sessions)
        workers.begin(Job("warm-up", ""), warm_up)
        address = address_of(taken, settings.host, settings.proxy, secure=rules.secure)
        link = f"{address}/?token={rules.token}" if rules.token else f"{address}/"
        tell(f"discreet is at {link}")
        tell("press Ctrl-C to end it; nothing leaves this machine, and what you upload is removed then")
        if open_browser:
            threading.Timer(0.5, webbrowser.open, (link,)).start()
        config = uvicorn.Config(
            guard, log_level="error", access_log=False, lifespan="on", timeout_graceful_shutdown=2, **context
        )
        with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how one ends it
            uvicorn.Server(config).run([taken])
    finally:
        workers.close()
        sessions.close()
        tempfile.tempdir = None


def read_people(path: str) -> dict[str, str]:
    """{name: password} from a file with one NAME:PASSWORD a line; others must not be able to read it."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path} cannot be read as a file of people") from None
    found = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, mark, password = line.partition(":")
        if not mark or not name.strip() or len(password.strip()) < 12:
            raise InputError(f"{path}, line {number}: write NAME:PASSWORD, with a password of at least 12 characters")
        found[name.strip()] = password.strip()
    if not found:
        raise InputError(f"{path} names nobody: write one NAME:PASSWORD a line")
    return found
