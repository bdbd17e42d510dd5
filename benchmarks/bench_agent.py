"""The agent under load: answers a minute, how long each takes, and whether the ledger is exact to the bit.

A real `discreet serve` on 10,000 people, 16 clients that ask at the same time, 25 distinct questions, so that most are
repeated. Targets: 1,000 answers a minute or more, and bits spent equal to the sum over the distinct answers, to the last
place. On SQLite, and on PostgreSQL where --postgres or DISCREET_POSTGRES names a server. The latency is that of the clients,
which share the machine with the server. Ordinary use (100,000 people, 50 group means, no answer coarser than asked) is in
bench_auditor.py.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from common import in_process, seconds, start, table, verdict

CLIENTS = 16
DISTINCT = 25
TARGET = 1000  # answers a minute
CITIES = ("Bern", "Graz", "Lyon", "Oslo", "Rome")
CONFIG = """
[datasets.people]
table = "people.csv"
public = ["sex", "city", "age"]
[datasets.people.private.height]
lower = 100
upper = 250
keep = 30
[datasets.people.private.smoker]
lower = 0
upper = 1
keep = 1
integral = true
"""


def questions() -> list[str]:
    """25 of them: means of groups with an error of 1 to 5% of the range, and counts."""
    groups = [f"city = '{city}' AND sex = '{sex}'" for city in CITIES for sex in "FM"]
    groups += [f"age BETWEEN {age} AND {age + 9}" for age in range(20, 80, 10)]
    means = [f"SELECT AVG(height) FROM people WHERE {group} WITH ERROR {3 + i % 3}" for i, group in enumerate(groups)]
    counts = [f"SELECT COUNT(smoker) FROM people WHERE {group} WITH ERROR 40" for group in groups[-9:]]
    return (means + counts)[:DISTINCT]


def write_folder(folder: Path, people: int, ledger: str) -> None:
    """people.csv and agent.toml."""
    rng = random.Random(0)  # noqa: S311, made-up people
    rows = (
        f"{rng.choice('FM')},{rng.choice(CITIES)},{rng.randint(18, 89)},{rng.uniform(150, 200):.1f},{rng.randint(0, 1)}\n"
        for _ in range(people)
    )
    (folder / "people.csv").write_text("sex,city,age,height,smoker\n" + "".join(rows))
    (folder / "agent.toml").write_text(f"ledger = {json.dumps(ledger)}\n{CONFIG}")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server on this folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "discreet", "serve", str(folder / "agent.toml"), "--port", str(port)]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            for _ in range(600):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


@contextmanager
def database(server: str) -> Iterator[str]:
    """A PostgreSQL database of one's own."""
    import psycopg

    name = f"bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield server.rpartition("/")[0] + f"/{name}"
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def load(arguments: list[str]) -> Callable[[], Any]:
    """Answers to many clients at once from one server."""
    from discreet.agent._client import Client
    from discreet.agent._ledger import Ledger

    people, answers, postgres = int(arguments[0]), int(arguments[1]), arguments[2]

    def ask_all(folder: Path, ledger: str) -> dict[str, Any]:
        write_folder(folder, people, ledger)
        book = Ledger(ledger)
        keys = [book.add_analyst(f"analyst {i}", 1000.0) for i in range(CLIENTS)]
        asked, lock = questions(), threading.Lock()
        told: dict[str, Any] = {}
        waited: list[float] = []
        differ = 0

        def client(i: int, url: str) -> None:
            nonlocal differ
            rng, mine = random.Random(i), Client(url, keys[i])  # noqa: S311
            for _ in range(answers // CLIENTS):
                question = rng.choice(asked)
                began = time.perf_counter()
                reply = mine.ask(question)
                took = time.perf_counter() - began
                with lock:
                    waited.append(took)
                    differ += told.setdefault(question, reply) != reply

        with served(folder) as url:
            began = time.perf_counter()
            threads = [threading.Thread(target=client, args=(i, url)) for i in range(CLIENTS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took = time.perf_counter() - began
            spent = [Client(url, key).ledger() for key in keys]
        rows, bits = book.totals()
        book.close()
        waited.sort()
        return {
            "answers": len(waited),
            "minute": 60 * len(waited) / took,
            "p50": waited[len(waited) // 2],
            "p99": waited[len(waited) * 99 // 100],
            "worst": waited[-1],
            "rows": rows,
            "distinct": len(told),
            "differ": differ,
            "bits": bits,
            "owed": math.fsum(math.log2(reply["cells"]) for reply in told.values()),
            "left": all(each["left"] == each["budget"] - each["spent"] >= 0 for each in spent),
        }

    def run() -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if not postgres:
                return ask_all(folder, f"sqlite:///{folder / 'ledger.sqlite'}")
            with database(postgres) as ledger:
                return ask_all(folder, ledger)

    return run


def bench(options: argparse.Namespace) -> None:
    people, answers = ("1000", "320") if options.quick else ("10000", "8000")
    rows = []
    for name, server in (("SQLite", ""), ("PostgreSQL", options.postgres)):
        if name == "PostgreSQL" and not server:
            print("PostgreSQL is left out: name a server by --postgres or DISCREET_POSTGRES")
            continue
        found = in_process("load", people, answers, server).result
        exact = (
            found["bits"] == found["owed"]
            and found["rows"] == found["distinct"]
            and found["left"]
            and not found["differ"]
        )
        rows.append(
            [
                f"{name}, {int(people):,} people, {CLIENTS} clients",
                f"{found['answers']:,}",
                f"{found['minute']:,.0f}",
                seconds(found["p50"]),
                seconds(found["p99"]),
                seconds(found["worst"]),
                str(found["distinct"]),
                repr(found["bits"]),
                repr(found["owed"]),
                verdict(exact and found["minute"] >= TARGET),
            ]
        )
    header = ("", "answers", "a minute", "p50", "p99", "worst", "distinct", "bits spent", "bits of the answers", "")
    table(f"An agent under load, target {TARGET:,} a minute and the bits equal", header, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", metavar="URL", default=os.environ.get("DISCREET_POSTGRES", ""))
    start(bench, {"load": load}, parser)
