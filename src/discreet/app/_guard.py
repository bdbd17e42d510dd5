"""Who may come in: a token once, then a cookie; the Host and the Origin that were meant; uploads up to a size; no other server.

It stands before everything, pages, files and websockets alike.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from starlette.responses import HTMLResponse, RedirectResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Scripts of the page itself only; Vue compiles templates in the browser, hence 'unsafe-eval'. Nothing from elsewhere.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>discreet</title>
<body style="font:16px/1.5 system-ui,sans-serif;color:#22303c;max-width:34rem;margin:4rem auto;padding:0 1rem">
<h1 style="font-size:1.4rem">{}</h1><p>{}</p></body></html>"""


@dataclass
class Rules:
    """What the guard lets through.

    Attributes
    ----------
    origins
        {Host header: Origin header} that are meant.
    token
        Opens the app once; None where people have passwords.
    people
        {name: password}, where the app is open to more than this machine.
    most_upload
        Bytes.
    """

    origins: Mapping[str, str]
    most_upload: int
    token: str | None = None
    people: Mapping[str, str] = field(default_factory=dict)
    cookie: str = "discreet"
    secure: bool = False
    keys: dict[str, str] = field(default_factory=dict)  # cookie -> whose it is

    def admit(self, owner: str) -> str:
        """A new cookie for somebody."""
        key = secrets.token_urlsafe(32)
        self.keys[key] = owner
        return key

    def owner_by_password(self, header: str) -> str | None:
        """Who a Basic authorisation is, or nobody."""
        kind, _, given = header.partition(" ")
        try:
            name, mark, password = base64.b64decode(given, validate=True).decode("utf-8").partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        known = self.people.get(name, "")
        right = hmac.compare_digest(known.encode(), password.encode())
        return name if kind.lower() == "basic" and mark and known and right else None


class _TooLargeError(Exception):
    pass


class Guard:
    """Lets requests and websockets through that may pass."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self.app = app
        self.rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one through, or refuse it in one line."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refusal(scope, headers)
        if refused is not None:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await refused(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        await self._pass(scope, receive, send, headers)

    def _refusal(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """Why a request may not pass; where it may, the scope knows whose it is."""
        rules = self.rules
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if host not in rules.origins:
            return _page(421, "Not this name", "The app answers only under the address that it was started with.")
        writes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if (origin is None and scope["type"] == "websocket") or (origin is not None and origin != rules.origins[host]):
            return _page(403, "Not from there", "Another page tried to use the app.")
        if writes and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return _page(403, "Not from there", "Another page tried to use the app.")
        owner = rules.keys.get(_cookie(headers.get("cookie", ""), rules.cookie) or "")
        if scope["type"] == "http":
            asked = dict(parse_qsl(scope["query_string"].decode("latin-1")))
            entering = self._entering(scope, asked, headers, owner)
            if entering is not None:
                return entering
        if owner is None:
            return _page(
                403,
                "This needs the link from the terminal",
                "The link that <code>discreet app</code> printed opens it once, in one browser. Start it again for another.",
            )
        scope.setdefault("state", {})["owner"] = owner
        return None

    def _entering(
        self, scope: Scope, asked: dict[str, str], headers: Mapping[str, str], owner: str | None
    ) -> Response | None:
        """Somebody at the door, with the token or a password: give a cookie, and lead on without what opened the door."""
        rules = self.rules
        token = asked.pop("token", None)
        if token is not None:
            right = rules.token is not None and hmac.compare_digest(rules.token.encode(), token.encode())
            if owner is None and not right:
                return None
            place = scope["path"] + (f"?{urlencode(asked)}" if asked else "")
            response: Response = RedirectResponse(place, status_code=303)
            if owner is None:
                rules.token = None  # once
                self._hand_out(response, rules.admit("you"))
            return response
        if owner is None and rules.people:
            name = rules.owner_by_password(headers.get("authorization", ""))
            if name is None:
                challenge = {"www-authenticate": 'Basic realm="discreet", charset="UTF-8"'}
                return HTMLResponse("a name and a password are needed", 401, challenge)
            response = RedirectResponse(scope["path"], status_code=303)
            self._hand_out(response, rules.admit(name))
            return response
        return None

    def _hand_out(self, response: Response, key: str) -> None:
        rules = self.rules
        response.set_cookie(rules.cookie, key, httponly=True, samesite="strict", secure=rules.secure, path="/")

    async def _pass(self, scope: Scope, receive: Receive, send: Send, headers: Mapping[str, str]) -> None:
        """Pass a request on: no more than so many bytes go in, and the answer forbids what comes from elsewhere."""
        most, seen, started = self.rules.most_upload, 0, False
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > most:
            await _page(413, "Too large", "Open a large file by its path instead.")(scope, receive, send)
            return

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise _TooLargeError
            return message

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                known = {name.lower() for name, _ in message["headers"]}
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(each for each in extra if each[0] not in known)]
                if b"cache-control" not in known:
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        try:
            await self.app(scope, counted, guarded)
        except _TooLargeError:
            if not started:
                await _page(413, "Too large", "Open a large file by its path instead.")(scope, receive, send)


def _cookie(header: str, name: str) -> str | None:
    try:
        jar = SimpleCookie(header)
    except CookieError:
        return None
    return jar[name].value if name in jar else None


def _page(status: int, title: str, text: str) -> Response:
    return HTMLResponse(_PAGE.format(title, text), status, dict(HEADERS))
