"""The first run compiles kernels, and says so on a terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from discreet.cli._compiling import TOLD, watched
from tests.processes import PATIENT


def test_what_is_compiled_is_told_and_what_is_not_is_not() -> None:
    import numba

    told: list[str] = []
    looks: list[float] = []

    twice: Any = numba.njit(lambda x: 2 * x)

    with watched(told.append, lambda: looks.append(time.monotonic())):
        while not looks:  # the listener is there from the first look on
            time.sleep(0.01)
        assert twice(3) == 6
        assert twice(4) == 8
    assert told == [f"{TOLD} (part 1)"]
    twice(2.5)
    assert len(told) == 1  # nobody listens any more


def test_a_terminal_shows_it(tmp_path: Path) -> None:
    """A work that reports nothing for some seconds has a bar all the same."""
    code = (
        "import sys\nfrom discreet.cli._shared import progress\n"
        "with progress('release') as report:\n    report('searching', None)\n    sys.stdin.read()\n"
    )
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=theirs, stdout=theirs, env=env) as process:
        os.close(theirs)
        shown = b""
        # It works until its input ends, which it does when this block is left.
        while b"release: searching" not in shown and select.select([ours], [], [], PATIENT)[0]:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # the terminal was closed at the other end
                break
        process.communicate()
    os.close(ours)
    assert b"release: searching" in shown
