"""The first run on a machine compiles kernels, which takes up to a minute: people are told so while it lasts."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

TOLD = "compiling kernels, once on this machine"
OFTEN = 0.2  # seconds between two looks


@contextmanager
def watched(tell: Callable[[str], None], look: Callable[[], None]) -> Iterator[None]:
    """While this lasts, `tell` hears what is compiled, and `look` is called several times a second.

    numba is not loaded for it: a thread waits until somebody else has.
    """
    over = threading.Event()
    known: list[Any] = []

    def watch() -> None:
        while not over.wait(OFTEN):
            if not known and "numba.core.event" in sys.modules:
                known.append(_listen(tell))
            look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        for listener in known:
            sys.modules["numba.core.event"].unregister("numba:compile", listener)


def _listen(tell: Callable[[str], None]) -> Any:
    """A listener of numba's: kernels that come from the cache are not compiled, and not told."""
    event: Any = sys.modules["numba.core.event"]

    class _Compiling(event.Listener):  # type: ignore[misc]
        parts = 0

        def on_start(self, _: Any) -> None:
            self.parts += 1
            tell(f"{TOLD} (part {self.parts})")

        def on_end(self, _: Any) -> None:
            """The next stage says what follows."""

    listener = _Compiling()
    event.register("numba:compile", listener)
    return listener
