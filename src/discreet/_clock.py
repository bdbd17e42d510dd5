"""The clocks of time limits. They stand still while kernels are compiled or loaded, which happens once on a machine.

Compiling takes up to a minute. Were it counted, the first search on a machine would find less than the second with the same
limit, and a search that plans its work by the clock would not repeat.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


def now() -> float:
    """Seconds by the clock."""
    compiled: float = _compiling().seconds()[0]
    return time.monotonic() - compiled


def worked() -> float:
    """Seconds that the processors worked for this process."""
    compiled: float = _compiling().seconds()[1]
    return time.process_time() - compiled


@contextmanager
def stopped() -> Iterator[None]:
    """Let the clocks stand still while other processes compile for this one."""
    compiling = _compiling()
    compiling.on_start(None)
    try:
        yield
    finally:
        compiling.on_end(None)


@cache
def _compiling() -> Any:
    """How long numba has been compiling and loading; it tells everybody who listens."""
    event: Any = importlib.import_module("numba.core.event")

    class _Compiling(event.Listener):  # type: ignore[misc]
        """Parts are compiled within parts, and several threads wait for one another: their time counts once."""

        def __init__(self) -> None:
            self.lock, self.depth = threading.Lock(), 0
            self.total, self.began = (0.0, 0.0), (0.0, 0.0)

        def on_start(self, _: Any) -> None:
            with self.lock:
                if self.depth == 0:
                    self.began = time.monotonic(), time.process_time()
                self.depth += 1

        def on_end(self, _: Any) -> None:
            with self.lock:
                self.depth -= 1
                if self.depth == 0:
                    self.total = self._so_far()

        def seconds(self) -> tuple[float, float]:
            with self.lock:
                return self._so_far() if self.depth else self.total

        def _so_far(self) -> tuple[float, float]:
            wall, worked = time.monotonic() - self.began[0], time.process_time() - self.began[1]
            return self.total[0] + wall, self.total[1] + worked

    listener = _Compiling()
    event.register("numba:compiler_lock", listener)
    return listener
