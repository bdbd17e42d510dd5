"""Around every request: how large it may be, how it is counted and logged, and what happens when all else fails.

A log line is JSON and holds a method, a route, a status, a duration and a name: never a question, an answer or a value.
Of an error nobody foresaw it holds the kind and the place, because its message could quote a row.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
DRAINED = 64  # times the largest body: so much is read of one too large, so that its sender hears the answer


class Lines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as JSON; of an exception only its kind and place."""
        event: Any = record.msg if isinstance(record.msg, dict) else record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            event = kind_of(record.exc_info[1])
        return json.dumps({"at": self.formatTime(record), "level": record.levelname.lower(), "event": event})


def kind_of(problem: BaseException) -> dict[str, str]:
    """An exception without its message."""
    frames = traceback.extract_tb(problem.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return {"unexpected": type(problem).__name__, "place": place}


def logger(name: str = "discreet.agent", level: int = logging.INFO) -> logging.Logger:
    """Lines of JSON on stderr, for this process alone."""
    log = logging.getLogger(name)
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(Lines())
        log.addHandler(handler)
        log.setLevel(level)
        log.propagate = False
    return log


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
        started, status = time.monotonic(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        try:
            if self._is_too_large(scope):
                await self._drain(receive)
                await refusal(413, self.too_large, {"Connection": "close"})(scope, receive, noted)
            else:
                await self.app(scope, self._counted(receive), noted)
        except Exception as problem:  # the last resort: a reply, and no message in the log
            self.log.error(kind_of(problem))
            if not status:
                await refusal(500, "the agent made a mistake: its owner can see which")(scope, receive, noted)
        finally:
            path = getattr(scope.get("route"), "path", "other")
            self.count(path, status)
            spent = round(1000 * (time.monotonic() - started), 1)
            who = scope.get("state", {}).get("who")
            self.log.info({"method": scope["method"], "path": path, "status": status, "ms": spent, "who": who})

    def _is_too_large(self, scope: Scope) -> bool:
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        return any(not each.isdigit() or len(each) > 12 or int(each) > self.most_body for each in lengths)

    def _counted(self, receive: Receive) -> Receive:
        """A body that does not say how long it is, is read no further than it may be long."""
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.most_body:
                raise HTTPException(413, self.too_large)
            return message

        return counted

    async def _drain(self, receive: Receive) -> None:
        size = 0
        while size < DRAINED * self.most_body:
            message = await receive()
            size += len(message.get("body", b""))
            if message["type"] != "http.request" or not message.get("more_body"):
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
