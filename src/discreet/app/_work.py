"""Long work in a process of its own: it tells what it does, hands over parts as they are found, and can be ended at any time.

A process is started before it is needed, so that work begins at once; ending the work ends the process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Literal

from discreet.app._tasks import Emit
from discreet.errors import DiscreetError

State = Literal["running", "done", "failed", "stopped"]
Task = Callable[..., Any]
"""What runs in the other process: called with `Emit` and its arguments, it returns the result. See `discreet.app._tasks`."""

UNFORESEEN = "something went wrong that nobody foresaw ({}): the table itself was not changed"


@dataclass(eq=False)
class Job:
    """A piece of work under way, or what became of it."""

    kind: str
    key: str  # what it is computed from
    on_part: Callable[[Any], None] = field(repr=False, default=lambda part: None)
    on_done: Callable[[Any], None] = field(repr=False, default=lambda result: None)
    state: State = "running"
    stage: str = "starting"
    share: float | None = None
    problem: str = ""
    version: int = 0  # rises whenever something changed
    process: Any = field(repr=False, default=None)

    @property
    def running(self) -> bool:
        """Whether it is still under way."""
        return self.state == "running"

    def stop(self) -> None:
        """End it; what was handed over stays."""
        if self.running:
            self.state = "stopped"
            self.version += 1
            self.process.terminate()

    def _hear(self, connection: Connection) -> None:
        """Take what the process sends until it has finished; runs in a thread."""
        try:
            while True:
                what, content = connection.recv()
                if self.state == "stopped":
                    break
                self._take(what, content)
                if not self.running:
                    break
        except (EOFError, OSError):
            if self.running:
                self.state, self.problem = "failed", "the work was ended from outside, perhaps for want of memory"
                self.version += 1
        finally:
            connection.close()
            self.process.join(5)

    def _take(self, what: str, content: Any) -> None:
        if what == "progress":
            self.stage, self.share = content
        elif what == "part":
            self.on_part(content)
        elif what == "done":
            self.on_done(content)
            self.state = "done"
        else:
            self.problem, self.state = content, "failed"
        self.version += 1


class Workers:
    """Starts processes, one always in reserve."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._lock = threading.Lock()
        self._running: list[Job] = []
        self._spare: tuple[Any, Connection] | None = None
        self._spare = self._start()

    def _start(self) -> tuple[Any, Connection]:
        mine, theirs = self._context.Pipe()
        process = self._context.Process(target=_wait_for_work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return process, mine

    def begin(self, job: Job, task: Task, *arguments: Any) -> Job:
        """Let a process do a task; the job hears of it."""
        with self._lock:
            spare = self._spare
            job.process, connection = spare if spare is not None and spare[0].is_alive() else self._start()
            self._spare = None
            self._running = [each for each in self._running if each.running] + [job]
        connection.send((task, arguments))
        threading.Thread(target=self._follow, args=(job, connection), daemon=True).start()
        return job

    def _follow(self, job: Job, connection: Connection) -> None:
        with self._lock:
            if self._spare is None:
                self._spare = self._start()
        job._hear(connection)

    def close(self) -> None:
        """End every process that was started here."""
        with self._lock:
            for job in self._running:
                job.stop()
            if self._spare is not None:
                self._spare[0].terminate()


def _wait_for_work(connection: Connection) -> None:
    """The other process: `TASKS` are loaded by now, and the one task that comes is done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    try:
        task, arguments = connection.recv()
    except (EOFError, OSError):
        return

    emit: Emit = lambda what, content: connection.send((what, content))  # noqa: E731

    try:
        result = task(emit, *arguments)
        emit("done", result)
    except DiscreetError as problem:
        emit("failed", str(problem))
    except BrokenPipeError:
        pass
    except Exception as problem:
        if os.environ.get("DISCREET_DEBUG"):
            traceback.print_exc()
        emit("failed", UNFORESEEN.format(type(problem).__name__))  # its message may quote a private value
