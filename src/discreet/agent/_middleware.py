"""Around every request: how large it may be, how it is counted and logged, and what happens when all else fails.

A log line is JSON and holds a method, a route, a status, a duration and a name: never a question, an answer or a value.
Of an error nobody foresaw it holds the kind and the place, because its message could quote a row.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from discreet.agent._logs import kind_of, logger

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
LINGER, DRAINED = 10.0, 64 << 20
"""Seconds and bytes for which the rest of a request that was refused is read, so that its sender hears the refusal."""

SENDING = 30.0
"""Seconds that a client has to send what it wants."""


def refusal(status: int, reason: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """A refusal in one line."""
    return JSONResponse({"error": reason}, status_code=status, headers=headers)


class Watch:
    """Counts, logs and limits what goes through it."""

    def __init__(self, app: ASGIApp, most_body: int, count: Callable[[str, int], None]) -> None:
        self.app = app
        self.most_body = most_body
        self.count = count
        self.log = logger()
        self.too_large = f"a request has at most {most_body:,} bytes"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status, body = time.monotonic(), 0, _Body(receive, self.most_body, self.too_large)

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                closing = () if body.is_read or status < 400 else ((b"connection", b"close"),)
                message["headers"] = [*message.get("headers", ()), *HEADERS, *closing]
            elif status >= 400 and not body.is_read and not message.get("more_body"):
                await send({**message, "more_body": True})
                await body.drain()
                message = {"type": "http.response.body"}
            await send(message)

        try:
            if self._is_too_large(scope):
                await refusal(413, self.too_large)(scope, body.receive, noted)
            else:
                await self.app(scope, body.receive, noted)
        except Exception as problem:  # the last resort: a reply, and no message in the log
            self.log.error(kind_of(problem))
            if not status:
                await refusal(500, "the agent made a mistake: its owner can see which")(scope, body.receive, noted)
        finally:
            path = getattr(scope.get("route"), "path", "other")
            self.count(path, status)
            spent = round(1000 * (time.monotonic() - started), 1)
            who = scope.get("state", {}).get("who")
            self.log.info({"method": scope["method"], "path": path, "status": status, "ms": spent, "who": who})

    def _is_too_large(self, scope: Scope) -> bool:
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        return any(not each.isdigit() or len(each) > 12 or int(each) > self.most_body for each in lengths)


class _Body:
    """What a client sends: no more than it may, and not for longer than it may."""

    def __init__(self, receive: Receive, most: int, too_large: str) -> None:
        self._receive, self._most, self._too_large = receive, most, too_large
        self._size, self._end = 0, time.monotonic() + SENDING
        self.is_read = False

    async def receive(self) -> Message:
        """The next part."""
        if self.is_read:
            return await self._receive()
        try:
            message = await self._next(self._end - time.monotonic())
        except TimeoutError:
            raise HTTPException(408, "the request took too long to send") from None
        if self._size > self._most:
            raise HTTPException(413, self._too_large)
        return message

    async def _next(self, seconds: float) -> Message:
        message = await asyncio.wait_for(self._receive(), max(0.0, seconds))
        self._size += len(message.get("body", b""))
        self.is_read = message["type"] != "http.request" or not message.get("more_body")
        return message

    async def drain(self) -> None:
        """Read the rest and forget it: a connection that is closed while its client still writes takes the reply along."""
        end = time.monotonic() + LINGER
        while not self.is_read and self._size < DRAINED:
            try:
                await self._next(end - time.monotonic())
            except TimeoutError:
                return


class Counts:
    """How many requests there were, by route and status."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, int]] = Counter()
        self._lock = threading.Lock()

    def __call__(self, path: str, status: int) -> None:
        """Count a request."""
        with self._lock:
            self._counts[path, status] += 1

    def lines(self) -> list[str]:
        """The counts in the form that Prometheus reads."""
        with self._lock:
            found = sorted(self._counts.items())
        return [
            "# TYPE discreet_requests_total counter",
            *(f'discreet_requests_total{{path="{path}",status="{status}"}} {n}' for (path, status), n in found),
        ]
