"""What the server says about itself: lines of JSON, each kind only so often, and never a message that may quote a row."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

BURST, RATE = 200, 20.0
"""Lines of one kind at once, and in a second from then on; those left out are counted."""

MOST_KINDS = 1000


class Lines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as JSON; of an exception only its kind and place."""
        event: Any = record.msg if isinstance(record.msg, dict) else record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            event = kind_of(record.exc_info[1])
        line = {"at": self.formatTime(record), "level": record.levelname.lower(), "event": event}
        if left_out := getattr(record, "left_out", 0):
            line["left_out"] = left_out
        return json.dumps(line)


def kind_of(problem: BaseException) -> dict[str, str]:
    """An exception without its message."""
    frames = traceback.extract_tb(problem.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return {"unexpected": type(problem).__name__, "place": place}


def logger(name: str = "discreet.agent", level: int = logging.INFO) -> logging.Logger:
    """Lines of JSON on stderr, for this process alone."""
    log = logging.getLogger(name)
    if not log.handlers:
        log.addHandler(_handler())
        log.setLevel(level)
        log.propagate = False
    return log


class Throttle(logging.Filter):
    """Lets lines of one kind through while there are not too many."""

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[tuple[Any, ...], tuple[float, float, int]] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write a line; the first after some that were left out says how many."""
        event = record.msg
        kind = (record.name, record.levelno, event.get("status") if isinstance(event, dict) else record.pathname)
        now = time.monotonic()
        with self._lock:
            if len(self._kinds) > MOST_KINDS:
                self._kinds.clear()
            room, at, left_out = self._kinds.get(kind, (float(BURST), now, 0))
            room = min(BURST, room + RATE * (now - at))
            passes = room >= 1
            self._kinds[kind] = (room - 1, now, 0) if passes else (room, now, left_out + 1)
        record.left_out = left_out if passes else 0
        return passes


def _handler() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    handler.addFilter(Throttle())
    return handler


def log_everything() -> None:
    """Whatever any library logs, warns of or fails with in this process is a line of JSON."""
    root = logging.getLogger()
    root.handlers[:] = [_handler()]
    root.setLevel(logging.WARNING)
    logger("uvicorn", logging.WARNING)
    logging.captureWarnings(capture=True)
    threading.excepthook = lambda problem: logger().error(kind_of(problem.exc_value or RuntimeError()))
