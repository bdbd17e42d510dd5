"""kill -9 at random moments under load: nothing that was said is lost, nothing is there twice, no bit is spent twice.

Real `discreet serve` processes on one ledger, one after the other, each killed while clients in threads ask new questions and
old ones. A client that is cut off asks the same again until it is answered. Afterwards the ledger is read without the agent.
"""

from __future__ import annotations

import math
import random
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from discreet.agent import Client
from discreet.agent._client import AgentError, UnreachableError
from discreet.agent._config import Config
from discreet.agent._ledger import Answer
from discreet.agent._service import Agent
from tests.agent.checking import check_answers, check_rows, said
from tests.agent.servers import CITIES, Server, keyed, write_agent

CLIENTS = 8
BUDGETS = (20.0, 60.0, 200.0, 1e6)
CONFIG = """
[datasets.shared]
table = "people.csv"
public = ["sex", "city", "age"]
[datasets.shared.private.height]
lower = 100
upper = 250
keep = 20
[datasets.shared.private.smoker]
lower = 0
upper = 1
keep = 1
integral = true
[datasets.apart]
table = "people.csv"
public = ["sex", "city", "age"]
collude = false
[datasets.apart.private.weight]
lower = 30
upper = 200
keep = 20
"""


@dataclass
class Asker(threading.Thread):
    """A client that goes on asking, whatever happens to the server."""

    client: Client
    seed: int
    stop: threading.Event
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.rng = random.Random(self.seed)

    __hash__ = threading.Thread.__hash__

    def run(self) -> None:
        """Ask until told to stop; a question that was cut off is asked again first."""
        pending = self.question()
        while not self.stop.is_set():
            try:
                self.told.append((pending, said(self.client, pending)))
                self.statuses[200] += 1
            except AgentError as refused:
                self.statuses[refused.status] += 1
                if refused.status != 402:
                    self.wrong.append(f"{refused.status} {refused} for {pending}")
            except UnreachableError:  # the server is dead
                self.statuses[0] += 1
                time.sleep(0.02)
                continue
            pending = self.question()

    def question(self) -> str:
        """Half of them asked before by somebody, the others mostly new."""
        rng = self.rng
        error = rng.choice((20, 10, 5)) if rng.random() < 0.5 else round(rng.uniform(2, 30), 2)
        sex, city, age = rng.choice("FM"), rng.choice(CITIES), rng.choice((30, 45, 60, 75))
        where = rng.choice((f"sex = '{sex}'", f"city = '{city}'", f"age < {age}", f"sex = '{sex}' AND age >= {age}"))
        if rng.random() < 0.2:
            return f"SELECT COUNT(smoker) FROM shared WHERE {where} WITH ERROR {10 * error}"
        column, dataset = ("height", "shared") if rng.random() < 0.3 else ("weight", "apart")
        return f"SELECT AVG({column}) FROM {dataset} WHERE {where} WITH ERROR {error}"


def check_told(told: list[tuple[str, dict[str, Any]]], rows: list[Answer], name: str) -> set[tuple[str, int]]:
    """Everything that a client was told stands in the ledger, the same word for word; returns which rows that were."""
    seen = set()
    books: dict[tuple[str, int], Answer] = {(row.book, row.number): row for row in rows}
    for question, reply in told:
        asked = reply["question"]
        book = f'["{asked["dataset"]}", "{asked["column"]}"' + (f', "{name}"]' if asked["dataset"] == "apart" else "]")
        row = books[book, reply["number"]]
        seen.add((row.book, row.number))
        assert (row.answer, row.error, row.low, row.high, row.cells) == (
            reply["answer"], reply["error"], *reply["cell"], reply["cells"],
        ), question  # fmt: skip
        assert (row.question["aggregate"], row.question["error"]) == (asked["aggregate"], asked["error"])
    return seen


def killed(folder: Path, url: str, kills: int, seed: int = 1) -> dict[str, int]:
    """Kill a server so many times under load, and check everything; returns what was seen."""
    write_agent(folder, 400, url, CONFIG)
    ledger, rng = keyed(folder), random.Random(seed)
    stop = threading.Event()
    with Server(folder) as server:
        names = [f"analyst {i}" for i in range(CLIENTS)]
        keys = [ledger.add_analyst(name, BUDGETS[i % len(BUDGETS)]) for i, name in enumerate(names)]
        askers = [Asker(Client(server.url, key, timeout=30), seed + i, stop) for i, key in enumerate(keys)]
        server.start()
        for asker in askers:
            asker.start()

        def wait_for(answers: int) -> None:
            """Until so many more answers have come: the load is on."""
            wanted = sum(asker.statuses[200] for asker in askers) + answers
            while sum(asker.statuses[200] for asker in askers) < wanted:
                assert all(asker.is_alive() for asker in askers)
                time.sleep(0.005)

        early = 0
        for kill in range(kills):
            if kill % 10 == 9:  # while it starts
                early += 1
                time.sleep(rng.uniform(0, 1))
            else:
                server.wait()
                wait_for(1)
                time.sleep(rng.uniform(0, 1))
            assert server.end(signal.SIGKILL) == -signal.SIGKILL
            check_rows(ledger)
            server.begin()
        server.wait()
        wait_for(2 * CLIENTS)
        stop.set()
        for asker in askers:
            asker.join(60)
        assert not any(asker.is_alive() for asker in askers)
        check_rows(ledger)
        rows, received = ledger.read(), set()
        for asker, name in zip(askers, names, strict=True):
            assert not asker.wrong
            received |= check_told(asker.told, rows, name)
            mine = asker.client.ledger()
            assert mine["spent"] == math.fsum(math.log2(row.cells) for row in rows if row.analyst == name)
            assert mine["left"] == max(0.0, mine["budget"] - mine["spent"])
        # The same questions once more, to a server that was never there when they were answered.
        for asker in askers:
            for question, reply in asker.told[:3]:
                assert said(asker.client, question) == reply
        assert server.end() == 0
    agent = Agent(Config.load(folder / "agent.toml"))
    check_answers(agent, rows)
    agent.close()
    ledger.close()
    statuses = sum((asker.statuses for asker in askers), Counter())
    return {
        "kills": kills,
        "while starting": early,
        "answers received": statuses[200],
        "rows": len(rows),
        "rows that a client received": len(received),
        "cut off": statuses[0],
        "over budget": statuses[402],
    }


@pytest.mark.slow
def test_a_few_kills_lose_nothing(url: str, tmp_path: Path) -> None:
    seen = killed(tmp_path, url, kills=6)
    assert seen["cut off"] >= 6
    assert seen["answers received"] > seen["rows"] > 0


@pytest.mark.long
def test_a_hundred_kills_lose_nothing(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = killed(tmp_path, url, kills=100)
    with capsys.disabled():
        print(seen)
    assert seen["cut off"] >= 100
    assert seen["over budget"] > 0
