"""Agents to test with: made-up people, and real `discreet serve` processes that can be stopped and killed."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from discreet.agent._config import Config
from discreet.agent._fingerprints import secret
from discreet.agent._ledger import Ledger
from discreet.agent._opening import Opening
from discreet.agent._service import Agent
from tests.processes import PATIENT

CONFIG = """
[datasets.people]
table = "people.csv"
public = ["sex", "city"]
[datasets.people.private.height]
lower = 100
upper = 250
keep = 20
[datasets.people.private.smoker]
lower = 0
upper = 1
keep = 1
integral = true
[datasets.alone]
table = "people.csv"
public = ["sex", "city"]
collude = false
[datasets.alone.private.weight]
lower = 30
upper = 200
keep = 20
"""
CITIES = ("Oslo", "Rome", "Bern")


def write_agent(folder: Path, people: int = 300, ledger: str = "", config: str = CONFIG) -> Path:
    """people.csv and agent.toml; values have five decimals, so that none appears anywhere by chance."""
    rng = np.random.default_rng(0)
    rows = [
        f"{'FM'[rng.integers(2)]},{CITIES[rng.integers(3)]},{rng.integers(18, 90)},"
        f"{rng.uniform(150, 200):.5f},{rng.uniform(45, 120):.5f},{rng.integers(2)}"
        for _ in range(people)
    ]
    (folder / "people.csv").write_text("sex,city,age,height,weight,smoker\n" + "\n".join(rows) + "\n")
    (folder / "agent.toml").write_text((f"ledger = {json.dumps(ledger)}\n" if ledger else "") + config)
    return folder


def keyed(folder: Path) -> Ledger:
    """The ledger of a folder, with its key: nobody else can add analysts. It is made where there is none."""
    config = Config.load(folder / "agent.toml")
    Agent(config).close()
    ledger, key = Ledger(config.ledger), secret(Path(config.fingerprints))
    ledger.use_key(key, Opening(ledger.watched_by(config.places, key)))
    return ledger


@contextmanager
def postgres_database() -> Iterator[str]:
    """A database of one's own on the server that DISCREET_POSTGRES names."""
    import psycopg

    server = os.environ.get("DISCREET_POSTGRES", "")
    if not server:
        pytest.skip("DISCREET_POSTGRES names no server")
    name = f"ledger_{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield server.rpartition("/")[0] + f"/{name}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


_ports = itertools.cycle(random.SystemRandom().sample(range(12_000, 32_000), 5_000))  # others test with the same seed


def free_port() -> int:
    """A port that nobody has now, nor gets by chance: systems take those for connections from 32,768 upwards."""
    for port in _ports:
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    raise AssertionError


def request(url: str, **options: Any) -> tuple[int, str, dict[str, str]]:
    """The status, the body and the headers of a response."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, **options), timeout=PATIENT) as response:  # noqa: S310
            return response.status, response.read().decode(), dict(response.headers)
    except urllib.error.HTTPError as problem:
        with problem:
            return problem.code, problem.read().decode(), dict(problem.headers)


def status_of(url: str, **options: Any) -> tuple[int, str]:
    """The status and the body of a response."""
    return request(url, **options)[:2]


class Server:
    """A `discreet serve` process; what it says goes to a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"log-{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Start it, and do not wait."""
        command = [sys.executable, "-m", "discreet", "serve", str(self.folder / "agent.toml"), "--port", str(self.port)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def wait(self) -> None:
        """Until it answers."""
        end = time.monotonic() + PATIENT
        while time.monotonic() < end:
            assert self.process is not None and self.process.poll() is None, self.log.read_text()
            try:
                if status_of(self.url + "/health")[0] == 200:
                    return
            except OSError:
                time.sleep(0.02)
        raise AssertionError(f"the server does not answer: {self.log.read_text()}")

    def start(self) -> Server:
        """Start it, and wait until it answers."""
        self.begin()
        self.wait()
        return self

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait for the end, and return the exit code."""
        assert self.process is not None
        self.process.send_signal(how)
        return self.process.wait(PATIENT)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.end(signal.SIGKILL)
