"""The agent as analysts and its owner meet it: a real server on a real port, asked by the client and the command."""

from __future__ import annotations

import base64
import json
import math
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.agent import Client
from discreet.agent.client import AgentError
from discreet.agent.config import Config
from discreet.agent.service import Agent
from discreet.errors import InputError
from tests.processes import run

uvicorn = pytest.importorskip("uvicorn")

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
public = ["sex"]
collude = false
[datasets.alone.private.height]
lower = 100
upper = 250
keep = 20
"""
QUESTION = "SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5"


@dataclass
class Running:
    url: str
    owner: Client
    folder: Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = [
        f"{'FM'[rng.integers(2)]},{['Oslo', 'Rome', 'Bern'][rng.integers(3)]},{rng.uniform(150, 200):.1f},{rng.integers(2)}"
        for _ in range(300)
    ]
    (tmp_path / "people.csv").write_text("sex,city,height,smoker\n" + "\n".join(rows) + "\n")
    (tmp_path / "agent.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def running(folder: Path) -> Iterator[Running]:
    from discreet.agent.web import create_app

    agent = Agent(Config.load(folder / "agent.toml"))
    key = agent.ledger.owner_key()
    assert key is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(create_app(agent), port=port, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    url = f"http://127.0.0.1:{port}"
    yield Running(url, Client(url, key), folder)
    server.should_exit = True
    thread.join(10)


def analyst(running: Running, name: str = "ann", budget: float = 100) -> Client:
    return Client(running.url, running.owner.add_analyst(name, budget))


def test_an_answer_is_true_and_stays_the_same(running: Running) -> None:
    client = analyst(running)
    price = client.price(QUESTION)
    answer = client.ask(QUESTION)
    rows = [line.split(",") for line in (running.folder / "people.csv").read_text().splitlines()[1:]]
    truth = np.mean([float(row[2]) for row in rows if row[0] == "F"])
    assert abs(answer["answer"] - truth) <= answer["error"] <= 5
    assert answer["bits"] == price["bits"] > 0
    other = analyst(running, "bob")
    assert other.ask(QUESTION) == client.ask(QUESTION) == answer
    assert client.price(QUESTION)["bits"] == 0
    assert other.ledger()["spent"] == 0  # told before to somebody who may talk: it costs nothing
    ledger = client.ledger()
    assert ledger["spent"] == pytest.approx(math.log2(answer["cells"]))
    assert ledger["left"] == pytest.approx(100 - ledger["spent"])


def test_two_ways_to_name_a_group_are_one_question(running: Running) -> None:
    client = analyst(running)
    first = client.ask(QUESTION)
    again = client.ask({"dataset": "people", "aggregate": "mean", "column": "height", "error": 5,
                        "where": {"not": {"column": "sex", "is": "=", "value": "M"}}})  # fmt: skip
    assert again["number"] == first["number"]
    assert len(client.ledger()["answers"]) == 1


def test_counts_of_zeros_and_ones(running: Running) -> None:
    answer = analyst(running).ask("SELECT COUNT(smoker) FROM people WITH ERROR 10")
    rows = [line.split(",") for line in (running.folder / "people.csv").read_text().splitlines()[1:]]
    assert abs(answer["answer"] - sum(int(row[3]) for row in rows)) <= answer["error"]


def test_analysts_who_do_not_collude_have_books_of_their_own(running: Running) -> None:
    ann, bob = analyst(running), analyst(running, "bob")
    question = QUESTION.replace("people", "alone")
    assert ann.ask(question)["answer"] == bob.ask(question)["answer"]
    assert bob.ledger()["spent"] > 0


def test_a_budget_ends(running: Running) -> None:
    client = analyst(running, budget=4)
    client.ask(QUESTION)
    with pytest.raises(AgentError, match="bits and you have") as refused:
        client.ask("SELECT AVG(height) FROM people WITH ERROR 0.1")
    assert refused.value.status == 402
    assert client.ledger()["left"] >= 0
    running.owner.set_budget("ann", 50)
    assert client.ask("SELECT AVG(height) FROM people WITH ERROR 0.1")["bits"] > 4


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("SELECT AVG(height) FROM people WHERE height > 180 WITH ERROR 5", "'height' is not public"),
        ("SELECT AVG(weight) FROM people WITH ERROR 5", "questions are about one of"),
        ("SELECT AVG(height) FROM nothing WITH ERROR 5", "no data set of that name"),
        ("SELECT AVG(height) FROM people WITH ERROR 0", "above 0"),
        ("SELECT MAX(height) FROM people WITH ERROR 5", "MAX is not offered"),
        ("SELECT AVG(height) FROM people WHERE city = 'Nowhere' WITH ERROR 5", "too small"),
        ("SELECT COUNT(height) FROM people WITH ERROR 5", "0 and 1"),
        ({"dataset": "people", "aggregate": "mean", "column": "height"}, "needs its error"),
        ({"dataset": "people", "sql": QUESTION}, "not both"),
    ],
)
def test_what_is_refused_says_why(running: Running, question: Any, words: str) -> None:
    client = analyst(running)
    with pytest.raises(AgentError, match=words) as refused:
        client.ask(question)
    assert 400 <= refused.value.status < 500
    assert client.ledger()["spent"] == 0


def test_keys(running: Running) -> None:
    client = analyst(running)
    for wrong, status in (("", 401), ("wrong", 401)):
        with pytest.raises(AgentError) as refused:
            Client(running.url, wrong).ledger()
        assert refused.value.status == status
    with pytest.raises(AgentError, match="for the owner") as refused:
        client.whole_ledger()
    assert refused.value.status == 403
    with pytest.raises(AgentError, match="owner does not ask"):
        running.owner.ask(QUESTION)
    running.owner.revoke("ann")
    with pytest.raises(AgentError, match="revoked"):
        client.ledger()
    with pytest.raises(AgentError, match="no analyst"):
        running.owner.revoke("nobody")
    with pytest.raises(AgentError, match="already"):
        running.owner.add_analyst("ann", 1)


def status_of(url: str, **options: Any) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, **options)) as response:  # noqa: S310
            return response.status, response.read().decode()
    except urllib.error.HTTPError as problem:
        return problem.code, problem.read().decode()


def test_requests_that_are_no_questions(running: Running) -> None:
    key = {"Authorization": f"Bearer {analyst(running).key}", "Content-Type": "application/json"}
    for body, status in ((b"{", 422), (b"[]", 422), (b'{"sql": 3}', 422), (b'{"x": 1}', 422), (b"x" * 70_000, 413)):
        found, text = status_of(running.url + "/ask", data=body, headers=key, method="POST")
        assert found == status
        assert set(json.loads(text)) == {"error"}
    assert status_of(running.url + "/nothing")[0] == 404


def test_the_owner_sees_everything(running: Running) -> None:
    analyst(running).ask(QUESTION)
    assert running.owner.whole_ledger()["answers"][0]["analyst"] == "ann"
    assert running.owner.analysts()[0]["spent"] > 0
    assert status_of(running.url + "/owner")[0] == 401
    login = base64.b64encode(f"owner:{running.owner.key}".encode()).decode()
    status, page = status_of(running.url + "/owner", headers={"Authorization": f"Basic {login}"})
    assert status == 200
    assert "shortest interval left" in page
    assert json.loads(status_of(running.url + "/health")[1])["status"] == "ok"
    assert "discreet_answers_total 1" in status_of(running.url + "/metrics")[1]


def test_everybody_keeps_the_promised_interval(running: Running) -> None:
    client = analyst(running, budget=10_000)
    for city in ("Oslo", "Rome", "Bern"):
        for sex in "FM":
            for error in (5, 1, 0.1, 0.001):
                client.ask(f"SELECT AVG(height) FROM people WHERE sex = '{sex}' AND city = '{city}' WITH ERROR {error}")
    login = base64.b64encode(f"owner:{running.owner.key}".encode()).decode()
    assert status_of(running.url + "/owner", headers={"Authorization": f"Basic {login}"})[0] == 200


def test_many_at_once_spend_each_bit_once(running: Running) -> None:
    clients = [analyst(running, f"analyst {i}", 40) for i in range(8)]
    questions = [
        f"SELECT AVG(height) FROM people WHERE city = '{c}' WITH ERROR {e}" for c in ("Oslo", "Rome") for e in (4, 2, 1)
    ]

    def ask(i: int) -> int:
        try:
            clients[i % 8].ask(questions[i % len(questions)])
        except AgentError as refused:
            return refused.status
        return 200

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(ask, range(96))) <= {200, 402}
    rows = running.owner.whole_ledger()["answers"]
    assert len(rows) <= len(questions)
    assert sum(row["bits"] for row in rows) == pytest.approx(sum(c.ledger()["spent"] for c in clients))
    assert all(c.ledger()["left"] >= 0 for c in clients)


def test_a_server_that_starts_again_knows_what_it_said(folder: Path) -> None:
    from discreet.agent.sql import question_of

    first = Agent(Config.load(folder / "agent.toml"))
    first.ledger.add_analyst("ann", 100)
    ann = first.ledger.every_analyst()[0]
    told = [first.ask(ann, question_of(f"SELECT AVG(height) FROM people WITH ERROR {e}")) for e in (9, 3)]
    first.close()
    second = Agent(Config.load(folder / "agent.toml"))
    assert [second.ask(ann, question_of(f"SELECT AVG(height) FROM people WITH ERROR {e}")) for e in (9, 3)] == told
    finer = second.ask(ann, question_of("SELECT AVG(height) FROM people WITH ERROR 1"))
    assert told[1].low - 1e-9 <= finer.low <= finer.high <= told[1].high + 1e-9  # within what it said before
    second.close()
    (folder / "people.csv").write_text((folder / "people.csv").read_text().replace("Oslo", "Rome", 1))
    with pytest.raises(InputError, match="new data set"):
        Agent(Config.load(folder / "agent.toml"))


def test_the_command_line(running: Running) -> None:
    key = analyst(running).key
    done = run("query", running.url, QUESTION, DISCREET_KEY=key)
    assert done.returncode == 0, done.stderr
    assert "±" in done.stdout
    assert "left" in run("query", running.url, "--ledger", DISCREET_KEY=key).stdout
    assert "height in [100, 250]" in run("query", running.url, "--datasets", DISCREET_KEY=key).stdout
    assert "bits" in run("query", running.url, QUESTION, "--price", DISCREET_KEY=key).stdout
    for arguments, words in (([QUESTION.replace("AVG", "MAX")], "MAX is not offered"), ([], "name a statement")):
        refused = run("query", running.url, *arguments, DISCREET_KEY=key)
        assert refused.returncode == 2
        assert words in refused.stderr
    assert "does not answer" in run("query", "http://127.0.0.1:1", QUESTION, DISCREET_KEY=key).stderr


def test_serve_checks_before_it_listens(folder: Path) -> None:
    done = run("serve", str(folder / "agent.toml"), "--check")
    assert done.returncode == 0, done.stderr
    assert "the owner's key, shown this once" in done.stdout
    assert "300 people" in done.stdout
    (folder / "people.csv").write_text("sex,city,height,smoker\nF,Oslo,20,0\n")
    refused = run("serve", str(folder / "agent.toml"), "--check")
    assert refused.returncode == 2
    assert "1 rows have values that lie outside" in refused.stderr
