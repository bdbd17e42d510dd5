"""Waiting for a turn: one piece of work at a time, and analysts one after the other, however many questions each sent."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from discreet.errors import DiscreetError

WAITING = 16
"""Questions of one analyst that may wait in one queue."""

ALLOWANCE, REFILL = 30.0, 0.25
"""Seconds of work that prices may take an analyst at once, and how much of it comes back in a second."""


class BusyError(DiscreetError):
    """Too much at once, by one analyst: the others come first."""

    def __init__(self, reason: str, wait: float) -> None:
        self.wait = max(1, math.ceil(wait))
        super().__init__(f"{reason}: try again in {self.wait} s")


class Queue:
    """Turns, taken round by round: somebody with one question waits for at most one of each other's."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._busy = False

    @asynccontextmanager
    async def turn(self, who: str) -> AsyncIterator[None]:
        """Wait, and have the turn until the block is left."""
        if self._busy:
            await self._wait(who)
        self._busy = True
        try:
            yield
        finally:
            self._next()

    async def _wait(self, who: str) -> None:
        mine = self._waiting.setdefault(who, deque())
        if len(mine) >= WAITING:
            raise BusyError(f"{WAITING} of your questions are waiting already", 1)
        future = asyncio.get_running_loop().create_future()
        mine.append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._next()  # it had the turn already
            raise

    def _next(self) -> None:
        """The turn goes to the analyst who waited longest since her last one."""
        while self._waiting:
            who, mine = next(iter(self._waiting.items()))
            future = mine.popleft()
            if mine:
                self._waiting.move_to_end(who)
            else:
                del self._waiting[who]
            if not future.done():
                future.set_result(None)
                return
        self._busy = False


class Allowance:
    """Seconds of work that each analyst may cause for nothing."""

    def __init__(self) -> None:
        self._owed: dict[str, tuple[float, float]] = {}

    def owed(self, who: str) -> float:
        """What was used and has not come back yet."""
        owed, at = self._owed.get(who, (0.0, 0.0))
        return max(0.0, owed - REFILL * (time.monotonic() - at))

    def check(self, who: str) -> None:
        """Refuse more work to somebody who has used the allowance up."""
        over = self.owed(who) - ALLOWANCE
        if over > 0:
            raise BusyError("your prices took too much work: ask, or wait", over / REFILL)

    def charge(self, who: str, seconds: float) -> None:
        """Count work."""
        self._owed[who] = self.owed(who) + seconds, time.monotonic()
