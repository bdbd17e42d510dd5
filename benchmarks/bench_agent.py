"""The agent under load, killed and attacked: a budget is exact to the bit, and nobody holds anybody up.

A real `discreet serve` on 10,000 people, 16 clients that ask at the same time, 25 distinct questions, so that most are
repeated. Targets: 1,000 answers a minute or more, and bits spent equal to the sum over the distinct answers, to the last
place; memory that does not grow while it goes on, for a minute with --quick and for ten without. On SQLite, and on
PostgreSQL where --postgres or DISCREET_POSTGRES names a server. The latency is that of the clients, which share the machine
with the server. Ordinary use (100,000 people, 50 group means, no answer coarser than asked) is in bench_auditor.py.

Then, in processes of their own: a start on a ledger of 200 answers about a 0/1 column, to its first new answer (3 CPU
seconds); two servers that race for one book, the slower beside the faster (twice the CPU); and an analyst whose questions are
new, alone and while another, without a budget, asks for prices from ten connections (p99 twice as long at most), with what
/health and a known answer take meanwhile (100 ms).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
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
        (folder / "pid").write_text(str(process.pid))
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


def resident(folder: Path) -> float:
    """Memory of the server of this folder and of its processes, in MB."""
    server = int((folder / "pid").read_text())
    found, todo = 0, [server]
    while todo:
        process = todo.pop()
        with contextlib.suppress(OSError):
            found += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()
            for thread in Path(f"/proc/{process}/task").iterdir():
                todo += map(int, (thread / "children").read_text().split())
    return found / (1 << 20)


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
    from discreet.agent._config import Config
    from discreet.agent._service import Agent

    people, answers, lasting, postgres = int(arguments[0]), int(arguments[1]), float(arguments[2]), arguments[3]

    def ask_all(folder: Path, ledger: str) -> dict[str, Any]:
        write_folder(folder, people, ledger)
        book = Agent(Config.load(folder / "agent.toml")).ledger
        keys = [book.add_analyst(f"analyst {i}", 1000.0) for i in range(CLIENTS)]
        asked, lock = questions(), threading.Lock()
        told: dict[str, Any] = {}
        waited: list[float] = []
        memory: list[float] = []
        differ, end = 0, 0.0

        def client(i: int, url: str) -> None:
            nonlocal differ
            rng, mine = random.Random(i), Client(url, keys[i])  # noqa: S311
            asked_for = 0
            while asked_for < answers // CLIENTS or time.perf_counter() < end:
                asked_for += 1
                question = rng.choice(asked)
                began = time.perf_counter()
                reply = mine.ask(question)
                took = time.perf_counter() - began
                with lock:
                    waited.append(took)
                    told.setdefault(question, reply)
                    differ += any(told[question][each] != reply[each] for each in ("cell", "cells", "number"))
                if not i and asked_for % 100 == 0:
                    memory.append(resident(folder))

        with served(folder) as url:
            began = time.perf_counter()
            end = began + lasting
            threads = [threading.Thread(target=client, args=(i, url)) for i in range(CLIENTS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took = time.perf_counter() - began
            spent = [Client(url, key).ledger() for key in keys]
        rows, bits = book.totals()
        book.close()
        half = memory[len(memory) // 2 :]
        waited.sort()
        return {
            "answers": len(waited),
            "minute": 60 * len(waited) / took,
            "p50": waited[len(waited) // 2],
            "p99": waited[len(waited) * 99 // 100],
            "worst": waited[-1],
            "memory": max(memory, default=0.0),
            "grew": half[-1] - half[0] if half else 0.0,
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


def random_count(rng: random.Random, error: float = 5) -> str:
    """A count that nobody has asked for yet, most likely."""
    ages = ", ".join(map(str, sorted(rng.sample(range(18, 90), 30))))
    cities = ", ".join(f"'{city}'" for city in rng.sample(CITIES, rng.randint(2, 4)))
    return f"SELECT COUNT(smoker) FROM people WHERE age IN ({ages}) AND city IN ({cities}) WITH ERROR {error}"


def _agent(folder: Path, budget: float = 1e6) -> tuple[Any, Any]:
    from discreet.agent._config import Config
    from discreet.agent._ledger import Analyst
    from discreet.agent._service import Agent

    agent = Agent(Config.load(folder / "agent.toml"))
    if not agent.ledger.every_analyst():
        agent.ledger.add_analyst("ann", budget)
    return agent, Analyst("ann", budget, revoked=False)


def restart(arguments: list[str]) -> Callable[[], Any]:
    """From nothing to the first new answer, on a ledger with many."""
    from discreet.agent._sql import question_of

    people, answers = int(arguments[0]), int(arguments[1])
    kept = tempfile.TemporaryDirectory()
    folder, rng = Path(kept.name), random.Random(1)  # noqa: S311
    write_folder(folder, people, f"sqlite:///{folder / 'ledger.sqlite'}")
    agent, ann = _agent(folder)
    worst = 0.0
    for _ in range(answers):
        began = time.process_time()
        agent.ask(ann, question_of(random_count(rng)))
        worst = max(worst, time.process_time() - began)
    agent.close()
    size = sum(each.stat().st_size for each in folder.glob("ledger.sqlite*"))

    def run() -> dict[str, Any]:
        began = time.process_time()
        again, _ = _agent(folder)
        started = time.process_time() - began
        (book,) = [again.inquiry(ann, question_of(random_count(rng))).book]
        book.up_to_date(again.ledger)._memory.state()
        followed = time.process_time() - began
        again.ask(ann, question_of(random_count(rng)))
        asked = time.process_time() - began
        again.close()
        kept.cleanup()
        return {"started": started, "followed": followed, "asked": asked, "worst": worst, "size": size / (1 << 20)}

    return run


def race(arguments: list[str]) -> Callable[[], Any]:
    """Two servers on one ledger: CPU seconds of the one that wrote first, and of the one that had to look again.

    Questions differ in what they cost, so every race is run twice, on two copies of the ledger, and each question wins once.
    """
    from discreet.agent._sql import question_of

    people, rounds = int(arguments[0]), int(arguments[1])
    kept = tempfile.TemporaryDirectory()
    folder, again, rng = Path(kept.name, "one"), Path(kept.name, "two"), random.Random(2)  # noqa: S311
    folder.mkdir()
    write_folder(folder, people, "ledger.sqlite")
    agent, ann = _agent(folder)
    for _ in range(26):
        agent.ask(ann, question_of(random_count(rng, 2)))
    agent.close()
    shutil.copytree(folder, again)
    asked = [[question_of(random_count(rng, 2)) for _ in range(4)] for _ in range(rounds)]

    def run() -> dict[str, Any]:
        faster, slower = 0.0, 0.0
        for place, turned in ((folder, False), (again, True)):
            one, other = _agent(place)[0], _agent(place)[0]
            for first, second, *both in asked:
                other.ask(ann, first)
                one.ask(ann, second)
                theirs, mine = both[::-1] if turned else both
                won, lost = raced(one, other, ann, mine, theirs)
                faster, slower = faster + won, slower + lost
            one.close()
            other.close()
        kept.cleanup()
        return {"faster": faster, "slower": slower}

    return run


def raced(one: Any, other: Any, ann: Any, mine: Any, theirs: Any) -> tuple[float, float]:
    """What it costs `other` to be first, just when `one` wants to write, and `one` to be second."""
    commit, spent = one.ledger.commit, list[float]()

    def overtaken(*said: Any) -> Any:
        if not spent:
            began = time.process_time()
            other.ask(ann, theirs)
            spent.append(time.process_time() - began)
        return commit(*said)

    one.ledger.commit = overtaken
    began = time.process_time()
    one.ask(ann, mine)
    one.ledger.commit = commit
    return spent[0], time.process_time() - began - spent[0]


def attack(arguments: list[str]) -> Callable[[], Any]:
    """New questions of one analyst, alone and beside ten connections of another who only asks for prices."""
    from discreet.agent._client import AgentError, Client
    from discreet.agent._config import Config
    from discreet.agent._service import Agent

    people, questions = int(arguments[0]), int(arguments[1])

    def run() -> dict[str, Any]:
        """The same questions after the same answers, so that nothing but the attack differs."""
        times: dict[str, list[float]] = {"alone": [], "attacked": [], "known": [], "health": []}
        refused = [0]
        for kind in ("alone", "attacked"):
            with tempfile.TemporaryDirectory() as name:
                one(Path(name), kind, times, refused)
        return {kind: sorted(each)[len(each) * 99 // 100] for kind, each in times.items()} | {"refused": refused[0]}

    def one(folder: Path, kind: str, times: dict[str, list[float]], refused: list[int]) -> None:
        rng, over = random.Random(3), threading.Event()  # noqa: S311
        address = f"sqlite:///{folder / 'ledger.sqlite'}"
        write_folder(folder, people, address)
        book = Agent(Config.load(folder / "agent.toml")).ledger
        keys = [book.add_analyst("victim", 1e6), book.add_analyst("attacker", 0)]
        book.close()

        def timed(what: str, call: Callable[[], Any]) -> None:
            began = time.perf_counter()
            call()
            times[what].append(time.perf_counter() - began)

        def price(i: int, url: str) -> None:
            mine, own = Client(url, keys[1]), random.Random(i)  # noqa: S311
            while not over.is_set():
                try:
                    mine.price(random_count(own, 1))
                except AgentError as problem:
                    refused[0] += problem.status == 429
                    time.sleep(0.2)

        def look(url: str) -> None:
            victim = Client(url, keys[0])
            while not over.wait(0.2):
                timed("known", lambda: victim.ask("SELECT AVG(height) FROM people WITH ERROR 5"))
                timed("health", lambda: urllib.request.urlopen(f"{url}/health").read())  # noqa: S310

        with served(folder) as url:
            victim = Client(url, keys[0])
            victim.ask("SELECT AVG(height) FROM people WITH ERROR 5")
            for _ in range(15):
                victim.ask(random_count(rng, 2))
            threads = [threading.Thread(target=price, args=(i, url)) for i in range(10)]
            threads = [*threads, threading.Thread(target=look, args=(url,))] if kind == "attacked" else []
            for thread in threads:
                thread.start()
            time.sleep(1)
            for _ in range(questions):
                timed(kind, lambda: victim.ask(random_count(rng, 2)))
            over.set()
            for thread in threads:
                thread.join()

    return run


def apart(options: argparse.Namespace) -> None:
    """Restarts, races and an attack."""
    people, answers, few = ("500", "40", "5") if options.quick else ("2000", "200", "20")
    found = in_process("restart", people, answers).result
    rows = [
        [
            f"start to a new answer, {answers} answers, 0/1, {people} people",
            seconds(found["asked"]),
            f"{seconds(found['started'])} for the data, {seconds(found['followed'] - found['started'])} to follow, "
            f"{found['size']:.1f} MB of ledger",
            verdict(found["asked"] <= 3),
        ],
        [f"the slowest of those {answers}", seconds(found["worst"]), "", verdict(found["worst"] <= 2)],
    ]
    found = in_process("race", people, few).result
    share = found["slower"] / found["faster"]
    each = f"{seconds(found['slower'] / int(few))} beside {seconds(found['faster'] / int(few))} CPU"
    rows.append(["the slower of two servers", f"{share:.2f} times", each, verdict(share <= 2)])
    found = in_process("attack", people, str(2 * int(few))).result
    share = found["attacked"] / found["alone"]
    each = f"p99 {seconds(found['attacked'])}, alone {seconds(found['alone'])}; {found['refused']} prices refused"
    rows.append(["another analyst under ten who ask prices", f"{share:.2f} times", each, verdict(share <= 2)])
    rows += [
        [f"{kind} meanwhile, p99", seconds(found[kind]), "", verdict(found[kind] <= 0.1)]
        for kind in ("health", "known")
    ]
    table("An agent that is started again, raced and attacked", ("", "worst", "", ""), rows)


def bench(options: argparse.Namespace) -> None:
    people, answers, lasting = ("1000", "320", "60") if options.quick else ("10000", "8000", "600")
    rows = []
    for name, server in (("SQLite", ""), ("PostgreSQL", options.postgres)):
        if name == "PostgreSQL" and not server:
            print("PostgreSQL is left out: name a server by --postgres or DISCREET_POSTGRES")
            continue
        found = in_process("load", people, answers, lasting, server).result
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
                f"{found['memory']:.0f} MB, {found['grew']:+.0f}",
                str(found["distinct"]),
                repr(found["bits"]),
                repr(found["owed"]),
                verdict(exact and found["minute"] >= TARGET and found["grew"] < 0.05 * found["memory"]),
            ]
        )
    header = (
        "",
        "answers",
        "a minute",
        "p50",
        "p99",
        "worst",
        "memory",
        "distinct",
        "bits spent",
        "bits of the answers",
        "",
    )
    table(f"An agent under load, target {TARGET:,} a minute and the bits equal", header, rows)
    apart(options)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", metavar="URL", default=os.environ.get("DISCREET_POSTGRES", ""))
    start(bench, {"load": load, "restart": restart, "race": race, "attack": attack}, parser)
