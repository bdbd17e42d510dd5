"""Connections that do not hold the server up: whoever is slow is cut off, and there are only so many at a time.

A client has some seconds to say what it wants, and some to take what it is told. Where all places are taken, the one that has
been silent for longest loses its own, so that many silent clients keep nobody out.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 512
"""Connections at a time."""

HEADERS = 10.0
"""Seconds from the first byte of a request, or from the beginning, to the end of its headers."""

TAKING = 30.0
"""Seconds for which a client may leave a reply untaken."""

_silent: OrderedDict[Connection, None] = OrderedDict()


class Connection(H11Protocol):
    """Uvicorn's own, with limits."""

    _ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Make room, and wait for the headers."""
        super().connection_made(transport)
        self._expect()
        while len(self.connections) > MOST and _silent:
            oldest, _ = _silent.popitem(last=False)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Headers that are all there end the waiting; the first bytes of a further request begin it again."""
        before = self.cycle
        if self._ending is None and (before is None or before.response_complete):
            self._expect()
        super().data_received(data)
        if self.cycle is not before:
            self._heard()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        self._heard()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not take what it asked for."""
        super().pause_writing()
        self._limit(TAKING)

    def resume_writing(self) -> None:
        """It does again."""
        super().resume_writing()
        self._limit(None)

    def _expect(self) -> None:
        _silent[self] = None
        self._limit(HEADERS)

    def _heard(self) -> None:
        _silent.pop(self, None)
        self._limit(None)

    def _limit(self, seconds: float | None) -> None:
        if self._ending is not None:
            self._ending.cancel()
        self._ending = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)
