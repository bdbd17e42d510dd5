"""Processes that audit, so that the server itself is never busy: each holds the data and follows the ledger on its own.

A process that dies is replaced; whoever waited for it asks again, and an answer that it had written down stands. Processes end
with the server, however that ends.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from anyio import to_thread

from discreet.agent._logs import log_everything
from discreet.agent._queues import Queue
from discreet.agent._service import Agent
from discreet.errors import DiscreetError

POLITE = 10
"""By how much prices are nicer to other processes than answers are."""

WARM = "discreet.agent._warm"

_here: Agent | None = None


class EndedError(DiscreetError):
    """A process that was ended from outside."""


class Worker:
    """One process, and the queue for it; a thread of this process where `agent` is to do the work itself."""

    def __init__(self, agent: Agent, *, apart: bool, polite: bool = False) -> None:
        self.queue = Queue()
        self._agent, self._apart, self._polite = agent, apart, polite
        self._pool: Executor | None = None
        self._lock = threading.Lock()

    def start(self) -> Executor:
        """The process, made where there is none; that takes a while, the first time."""
        with self._lock:
            if self._pool is None and self._apart:
                held = pickle.dumps(self._agent)  # the data as they are held, whatever became of their file
                self._pool = ProcessPoolExecutor(1, _context(), _begin, (held, POLITE if self._polite else 0))
                self._pool.submit(os.getpid)
            elif self._pool is None:
                self._pool = ThreadPoolExecutor(1)
            return self._pool

    async def do(self, method: str, *arguments: Any) -> tuple[Any, float]:
        """Let the agent there do something; what it returned, and the seconds of work."""
        pool = await to_thread.run_sync(self.start)
        agent = None if self._apart else self._agent
        try:
            return await asyncio.wrap_future(await to_thread.run_sync(pool.submit, _do, agent, method, arguments))
        except BrokenProcessPool:
            await to_thread.run_sync(self._end, pool)
            raise EndedError("the audit was ended from outside: ask again") from None

    def close(self) -> None:
        """End the process; what it does is done first."""
        self._end(self._pool)

    def _end(self, pool: Executor | None) -> None:
        with self._lock:
            if pool is not None and self._pool is pool:
                pool.shutdown(cancel_futures=True)
                self._pool = None


def _context() -> Any:
    """How processes begin: copies of one that has loaded everything and holds nothing, where there is such a thing."""
    known = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in known else "spawn")
    if context.get_start_method() == "forkserver":
        context.set_forkserver_preload([WARM])
    return context


def _begin(held: bytes, polite: int) -> None:
    """In the other process, first: the server ends it, and no signal that was meant for the server."""
    global _here
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    log_everything()
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(polite)
    _here = pickle.loads(held)  # noqa: S301, from the server itself


def _end_with_the_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)


def _do(agent: Agent | None, method: str, arguments: tuple[Any, ...]) -> tuple[Any, float]:
    began = time.thread_time()
    found = getattr(agent or _here, method)(*arguments)
    return found, time.thread_time() - began
