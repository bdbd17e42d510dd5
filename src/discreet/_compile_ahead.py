"""Compile kernels before a search needs them, in two processes that share the cache.

`discreet._tours` is what the processes run. The command line turns this on; a call from Python starts no process, and
compiles what it needs as it goes.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import TYPE_CHECKING

from discreet import _clock

if TYPE_CHECKING:
    from discreet._typing import Progress

COMPILING = "compiling"
"""How the stage begins that is reported meanwhile."""

OFTEN = 0.1  # seconds between two looks at how many kernels are there
SECONDS = 0.4  # that a kernel takes

is_on = False


@dataclass(frozen=True)
class Job:
    """What a search compiles: the tours of two processes, how many kernels they make, and how these are named."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    kernels: int
    names: tuple[str, ...]


JOBS = {
    "tables": Job(("table",), ("improve", "table"), 54, ("search.tables.",)),
    "information": Job(("I",), ("polish", "I"), 46, ("search.information.", "search._kernels.")),
    "ranges": Job(("L0",), ("mondrian", "L0"), 80, ("search.ranges.", "search._kernels.")),
    "all": Job(("all",), ("backwards",), 325, ("",)),
}


def compile_ahead(name: str, progress: Progress | None = None) -> None:
    """Compile the kernels of a job, unless that was done on this machine; what fails here is compiled when it is called.

    The clocks of time limits stand still meanwhile.
    """
    if not is_on:
        return
    from discreet import _compile

    folder = _compile.folder()
    if folder is None or _mark(folder, name).exists() or _mark(folder, "all").exists():
        return
    with _clock.stopped():
        done = _run(JOBS[name], folder, progress)
    if done:
        with suppress(OSError):
            _mark(folder, name).touch()


def _run(job: Job, folder: Path, progress: Progress | None) -> bool:
    """Start the processes, and tell how many kernels are there until they end; whether all went well."""
    before = count_kernels(folder, job.names)
    left = max(1, job.kernels - before)
    command = [sys.executable, "-m", "discreet._tours"]
    parts = [job.first, job.second][: _processors()]
    running = [Popen([*command, *part], stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL) for part in parts]  # noqa: S603
    stage = f"{COMPILING} {left} kernels, once on this machine, about {SECONDS * left / len(running):.0f} s"
    try:
        while any(each.poll() is None for each in running):
            if progress:
                progress(stage, min(1.0, (count_kernels(folder, job.names) - before) / left))
            time.sleep(OFTEN)
    finally:
        for each in running:
            each.terminate()
            each.wait()
    return not any(each.returncode for each in running)


def count_kernels(folder: Path, names: tuple[str, ...] = ("",)) -> int:
    """Count what was compiled: a function once for each list of types that it was called with."""
    return sum(each.name.startswith(names) for each in folder.glob("*.nbc"))


def _mark(folder: Path, name: str) -> Path:
    return folder / f"{name}.compiled"


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
