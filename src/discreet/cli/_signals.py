"""Ctrl-C and SIGTERM: one line, exit code 130 and nothing left behind, wherever the process is.

Ctrl-C is Python's `KeyboardInterrupt`, which a search takes as "enough": what it has found is its answer. SIGTERM ends the
process in any case. Python tells its handlers about a signal only between two of its own instructions, and an exception
that is raised while compiled code turns its results into Python's is lost or becomes a SystemError. So the handler waits
for a better moment there; and a thread, woken by the signal itself, ends the process when no moment comes.
"""

from __future__ import annotations

import math
import os
import signal
import socket
import sys
import threading
import time
from types import FrameType
from typing import NoReturn

CODE = 130
AGAIN = 0.05  # seconds until a signal is told again that came at a bad moment
PATIENCE = 1.5  # seconds until any moment will do
SLACK = 0.2  # seconds that this thread may be late to see a signal that was told
LAST = 4.0  # seconds until the process ends without unwinding


class Signals:
    """The handlers of a process, and what they have seen."""

    def __init__(self) -> None:
        self.received: int | None = None
        self._deferred: float | None = None  # since when a signal waits for a better moment
        self._told = -math.inf  # when one was last told
        self._pair: tuple[socket.socket, socket.socket] | None = None

    @classmethod
    def heed(cls) -> Signals:
        """Install the handlers; in the main thread, as Python has it."""
        made = cls()
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, made.handle)
        made._pair = inbox, outbox = socket.socketpair()  # open as long as the process is
        outbox.setblocking(False)
        signal.set_wakeup_fd(outbox.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=made._watch, args=(inbox,), name="signals", daemon=True).start()
        return made

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Called by Python: raise, unless the moment is bad."""
        now = time.monotonic()
        self.received = number
        self._deferred = now if self._deferred is None else self._deferred
        if _is_fragile(frame) and now - self._deferred < PATIENCE:
            return
        self._deferred, self._told = None, now
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(CODE)

    def _watch(self, inbox: socket.socket) -> None:
        """In a thread of its own: tell a signal again until it is heard, and end the process if it never is."""
        while number := inbox.recv(1):
            arrived = time.monotonic()
            # A server puts handlers of its own in our place while it runs.
            while self._told < arrived - SLACK and signal.getsignal(number[0]) == self.handle:
                if time.monotonic() - arrived > LAST:
                    leave()
                time.sleep(AGAIN)
                if self._deferred is not None:
                    signal.raise_signal(number[0])

    def ended(self, problem: BaseException) -> bool:
        """Whether a signal is behind this problem: an interrupt, SIGTERM, or what compiled code makes of them."""
        if self.received is None:
            return False
        if self.received == signal.SIGTERM:
            return True
        chain: BaseException | None = problem
        while chain is not None:
            if isinstance(chain, KeyboardInterrupt | SystemError):
                return True
            chain = chain.__cause__ or chain.__context__
        return False


def _is_fragile(frame: FrameType | None) -> bool:
    """Whether Python code runs on behalf of numba's compiled wrappers, which do not look for exceptions."""
    return frame is not None and ("numba" in frame.f_code.co_filename or frame.f_code.co_filename.startswith("<"))


def leave(message: str = "interrupted") -> NoReturn:
    """End the process: daemon threads that still draw a bar make Python's own way out fail with SIGABRT."""
    from discreet.tables._scratch import sweep

    sweep()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is sys.stderr:
                print(f"\rdiscreet: {message}" if stream.isatty() else f"discreet: {message}", file=stream)
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed, or nobody reads it any more
            continue
    os._exit(CODE)
