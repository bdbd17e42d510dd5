"""Ctrl-C and SIGTERM: one line, exit code 130 and nothing left behind, wherever the process is.

Ctrl-C is Python's `KeyboardInterrupt`, which a search takes as "enough": what it has found is its answer. SIGTERM ends the
process in any case. Python tells its handlers about a signal only between two of its own instructions, and an exception
that is raised while compiled code turns its results into Python's is lost or becomes a SystemError. So the handler waits
for a better moment there; and a thread, woken by the signal itself, ends the process when no moment comes.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import NoReturn

CODE = 130
AGAIN = 0.05  # seconds until a signal is told again that came at a bad moment
PATIENCE = 1.5  # seconds until any moment will do
LAST = 4.0  # seconds until the process ends without unwinding
_LEAVING = threading.Lock()


class Signals:
    """The handlers of a process, and what they have seen."""

    def __init__(self) -> None:
        self.received: int | None = None
        self._deferred: float | None = None  # since when a signal waits for a better moment
        self._pair: tuple[socket.socket, socket.socket] | None = None  # what arrived and was not told yet

    @classmethod
    def heed(cls) -> Signals:
        """Install the handlers; in the main thread, as Python has it."""
        made = cls()
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, made.handle)
        made._pair = inbox, outbox = socket.socketpair()
        for end in made._pair:
            end.setblocking(False)
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
        self._deferred = None
        if self._pair is not None:
            self._drain(self._pair[0])
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(CODE)

    def _watch(self, inbox: socket.socket) -> None:
        """In a thread of its own: tell a signal again until it is heard, and end the process if it never is."""
        while select.select([inbox], [], []):
            arrived = time.monotonic()
            while select.select([inbox], [], [], 0)[0]:
                if signal.getsignal(signal.SIGINT) != self.handle:  # a server has handlers of its own while it runs
                    self._drain(inbox)
                elif time.monotonic() - arrived > LAST:
                    leave()
                time.sleep(AGAIN)
                if self._deferred is not None and self.received is not None:
                    signal.raise_signal(self.received)

    @staticmethod
    def _drain(inbox: socket.socket) -> None:
        with suppress(BlockingIOError):
            while inbox.recv(64):
                pass

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

    if not _LEAVING.acquire(blocking=False):  # the other thread is at it
        time.sleep(60)
    sweep()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is sys.stderr:
                print(f"\rdiscreet: {message}" if stream.isatty() else f"discreet: {message}", file=stream)
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed, or nobody reads it any more
            continue
    os._exit(CODE)
