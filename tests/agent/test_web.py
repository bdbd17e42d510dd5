"""The agent as analysts and its owner meet it: a real server on a real port, asked by the client and the command."""

from __future__ import annotations

import base64
import json
import logging
import math
import re
import sqlite3
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.agent import Client
from discreet.agent._client import AgentError, UnreachableError
from discreet.agent._config import Config
from discreet.agent._ledger import Analyst
from discreet.agent._queues import WAITING
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.errors import InputError
from tests.agent.conftest import Running, serving
from tests.agent.servers import CITIES, Server, keyed, request, status_of
from tests.processes import run

QUESTION = "SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5"


def test_an_answer_is_true_and_stays_the_same(running: Running) -> None:
    client = running.analyst()
    price = client.price(QUESTION)
    answer = client.ask(QUESTION)
    rows = [line.split(",") for line in (running.folder / "people.csv").read_text().splitlines()[1:]]
    truth = np.mean([float(row[3]) for row in rows if row[0] == "F"])
    assert abs(answer["answer"] - truth) <= answer["error"] <= 5
    assert answer["bits"] == price["bits"] > 0
    other = running.analyst("bob")
    assert other.ask(QUESTION) | {"left": answer["left"]} == client.ask(QUESTION) == answer
    assert client.price(QUESTION)["bits"] == 0
    assert other.ledger()["spent"] == 0  # told before to somebody who may talk: it costs nothing
    ledger = client.ledger()
    assert ledger["spent"] == pytest.approx(math.log2(answer["cells"]))
    assert ledger["left"] == pytest.approx(100 - ledger["spent"])


def test_two_ways_to_name_a_group_are_one_question(running: Running) -> None:
    client = running.analyst()
    first = client.ask(QUESTION)
    again = client.ask({"dataset": "people", "aggregate": "mean", "column": "height", "error": 5,
                        "where": {"not": {"column": "sex", "is": "=", "value": "M"}}})  # fmt: skip
    assert again["number"] == first["number"]
    assert len(client.ledger()["answers"]) == 1


def test_counts_of_zeros_and_ones(running: Running) -> None:
    answer = running.analyst().ask("SELECT COUNT(smoker) FROM people WITH ERROR 10")
    rows = [line.split(",") for line in (running.folder / "people.csv").read_text().splitlines()[1:]]
    assert abs(answer["answer"] - sum(int(row[5]) for row in rows)) <= answer["error"]


def test_analysts_who_do_not_collude_have_books_of_their_own(running: Running) -> None:
    ann, bob = running.analyst(), running.analyst("bob")
    question = QUESTION.replace("people", "alone").replace("height", "weight")
    assert ann.ask(question)["answer"] == bob.ask(question)["answer"]
    assert bob.ledger()["spent"] > 0


def test_a_budget_ends(running: Running) -> None:
    client = running.analyst(budget=4)
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
def test_what_is_refused_says_why(shared: Running, question: Any, words: str) -> None:
    client = shared.analyst()
    with pytest.raises(AgentError, match=words) as refused:
        client.ask(question)
    assert 400 <= refused.value.status < 500
    assert client.ledger()["spent"] == 0


def test_keys(running: Running) -> None:
    client = running.analyst()
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


def test_a_lost_key_is_replaced(running: Running) -> None:
    client = running.analyst("a/b")
    client.ask(QUESTION)
    renewed = Client(running.url, running.owner.renew_key("a/b"))
    assert renewed.ledger()["spent"] > 0
    with pytest.raises(AgentError, match="revoked"):
        client.ledger()
    with pytest.raises(AgentError, match="no analyst"):
        running.owner.renew_key("nobody")
    with pytest.raises(AgentError, match="for the owner"):
        renewed.renew_key("a/b")


def test_analysts_see_what_columns_hold(shared: Running) -> None:
    people = next(each for each in shared.analyst().datasets() if each["name"] == "people")
    assert people["kinds"]["sex"] == "text"
    assert set(people["kinds"]) == set(people["public"])


def test_requests_that_are_no_questions(shared: Running) -> None:
    key = {"Authorization": f"Bearer {shared.analyst().key}", "Content-Type": "application/json"}
    for body, status in ((b"{", 422), (b"[]", 422), (b'{"sql": 3}', 422), (b'{"x": 1}', 422), (b"x" * 70_000, 413)):
        found, text = status_of(shared.url + "/ask", data=body, headers=key, method="POST")
        assert found == status
        assert set(json.loads(text)) == {"error"}
    assert status_of(shared.url + "/nothing")[0] == 404


def test_a_person_who_opens_the_address_is_shown_the_way(shared: Running) -> None:
    status, page = status_of(shared.url + "/")
    assert status == 200 and page.startswith("<!doctype html>")
    assert 'href="owner"' in page and f"discreet query {shared.url} --key" in page
    assert "Oslo" not in page and "people" not in page.partition("<main>")[2]  # nothing about the data


def test_the_owner_sees_everything(running: Running) -> None:
    running.analyst().ask(QUESTION)
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
    client = running.analyst(budget=10_000)
    for city in ("Oslo", "Rome", "Bern"):
        for sex in "FM":
            for error in (5, 1, 0.1, 0.001):
                client.ask(f"SELECT AVG(height) FROM people WHERE sex = '{sex}' AND city = '{city}' WITH ERROR {error}")
    login = base64.b64encode(f"owner:{running.owner.key}".encode()).decode()
    assert status_of(running.url + "/owner", headers={"Authorization": f"Basic {login}"})[0] == 200


def test_many_at_once_spend_each_bit_once(running: Running) -> None:
    clients = [running.analyst(f"analyst {i}", 40) for i in range(8)]
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
    with pytest.raises(InputError, match="changed since answers were given"):
        Agent(Config.load(folder / "agent.toml"))


def test_the_command_line(shared: Running) -> None:
    key = shared.analyst().key
    done = run("query", shared.url, QUESTION, DISCREET_KEY=key)
    assert done.returncode == 0, done.stderr
    assert "±" in done.stdout
    refused = run("query", shared.url, QUESTION.replace("AVG", "MAX"), DISCREET_KEY=key)
    assert refused.returncode == 2
    assert "MAX is not offered" in refused.stderr


def test_serve_checks_before_it_listens(folder: Path) -> None:
    (folder / "people.csv").write_text("sex,city,age,height,weight,smoker\nF,Oslo,30,20,70,0\n")
    refused = run("serve", str(folder / "agent.toml"), "--check")
    assert refused.returncode == 2
    assert "1 rows have values that lie outside" in refused.stderr


def test_who_may_see_what(running: Running) -> None:
    ann, bob = running.analyst("ann"), running.analyst("bob")
    ann.ask(QUESTION)
    ann.ask(QUESTION.replace("people", "alone").replace("height", "weight"))
    assert bob.ledger()["answers"] == []

    def status(path: str, key: str | None, method: str = "GET", scheme: str = "Bearer") -> int:
        headers = {} if key is None else {"Authorization": f"{scheme} {key}"}
        return status_of(running.url + path, method=method, headers=headers)[0]

    for path in ("/ledger", "/datasets", "/owner/ledger", "/owner/analysts"):
        assert status(path, None) == 401
        assert status(path, "wrong") == 401
        assert status(path, ann.key + "x") == 401
        assert status(path, ann.key, scheme="Basic") == 401
    for method, path in (
        ("GET", "/owner/ledger"),
        ("GET", "/owner/analysts"),
        ("DELETE", "/owner/analysts/ann"),
        ("DELETE", "/owner/analysts/nobody"),  # whether there is one is not said
    ):
        assert status(path, bob.key, method) == 403
    for path in ("/ledger/ann", "/ledger?analyst=ann", "/owner/analysts/ann", "/analysts/ann/ledger"):
        found, text = status_of(running.url + path, headers={"Authorization": f"Bearer {bob.key}"})
        assert found in (404, 405) or json.loads(text)["answers"] == []
    running.owner.revoke("bob")
    assert status("/ledger", bob.key) == 401
    assert status("/ledger", ann.key) == 200


def test_an_analyst_of_any_name_can_be_revoked(shared: Running) -> None:
    for name in ("a/b", "a b?c#d", "näme", "%2F", "a..b"):
        client = shared.analyst(name)
        assert client.ledger()["analyst"] == name
        shared.owner.set_budget(name, 3)
        shared.owner.revoke(name)
        with pytest.raises(AgentError, match="revoked"):
            client.ledger()
    for name in (".", "..", "\0", "Owner"):
        with pytest.raises(AgentError, match="an analyst's name"):
            shared.owner.add_analyst(name, 1)
    with pytest.raises(AgentError, match="no analyst") as refused:
        shared.owner.revoke("\0")
    assert refused.value.status == 404


def test_a_key_that_ends_while_its_question_is_worked_on(running: Running) -> None:
    client = running.analyst()
    client.ask(QUESTION)
    (book,) = running.agent._books.values()
    with ThreadPoolExecutor(1) as pool:
        with book.lock:
            waiting = pool.submit(client.ask, QUESTION.replace("5", "2"))
            while not any(worker.queue._busy for worker in running.desk._answering):
                time.sleep(0.01)
            running.owner.revoke("ann")
        with pytest.raises(AgentError, match="revoked") as refused:
            waiting.result()
    assert refused.value.status == 401
    assert len(running.owner.whole_ledger()["answers"]) == 1


def test_an_answer_comes_in_the_words_of_who_asked(running: Running) -> None:
    ann, bob = running.analyst("ann"), running.analyst("bob")
    told = ann.ask(
        "SELECT AVG(height) FROM people WHERE sex = 'F' AND NOT city = 'what Ann is curious about' WITH ERROR 5"
    )
    again = bob.ask(QUESTION)
    assert again["number"] == told["number"]
    assert again["cell"] == told["cell"]
    assert "curious" not in json.dumps(again)


UNUSUAL = [
    ('"error": NaN', 400),
    ('"error": Infinity', 400),
    ('"error": -1', 400),
    ('"error": 1e999', 400),
    ('"error": 1' + "0" * 400, 422),
    ('"error": 1' + "0" * 5000, 400),
    ('"error": "5"', 422),
    ('"error": true', 422),
    ('"error": null', 400),
    ('"error": 5, "error": 0', 400),  # the last one counts
    ('"error": 5, "where": ' + '{"not":' * 900 + "null" + "}" * 900, 400),
    ('"error": 5, "where": ' + "[" * 30_000, 400),
    ('"error": 5, "where": {"column": "sex", "is": ["="], "value": "F"}', 400),
    ('"error": 5, "where": {"column": "sex", "is": "=", "value": "\\ud800"}', 400),
    ('"error": 5, "where": {"column": "\\ud800", "is": "=", "value": 1}', 400),
    ('"error": 5, "where": {"column": "sex", "is": "!=", "value": "\\u0000"}', 200),
    ('"error": 5, "where": {"column": "sex", "is": "=", "value": null}', 400),
    ('"error": 5, "where": null', 200),
    ('"error": 5e-324', 200),  # as coarse as must be
    ('"error": 5, "unknown": 1', 422),
]


def test_unusual_json(shared: Running) -> None:
    headers = {"Authorization": f"Bearer {shared.analyst().key}", "Content-Type": "application/json"}
    for part, status in UNUSUAL:
        body = '{"dataset": "people", "aggregate": "mean", "column": "height", ' + part + "}"
        found, text = status_of(shared.url + "/ask", data=body.encode(), headers=headers, method="POST")
        assert found == status, part[:80] + text
        assert status == 200 or set(json.loads(text)) == {"error"}


def test_a_body_that_is_too_large(shared: Running) -> None:
    client = shared.analyst()
    headers = {"Authorization": f"Bearer {client.key}", "Content-Type": "application/json"}
    for size in (65_537, 4_000_000):
        found, text = status_of(shared.url + "/ask", data=b" " * size, headers=headers, method="POST")
        assert (found, "65,536 bytes" in text) == (413, True)
    assert status_of(shared.url + "/ask", data=b" " * 65_536, headers=headers, method="POST")[0] == 422
    chunks = iter([b" " * 1000] * 100)  # a body that does not say how long it is
    found, text = status_of(shared.url + "/ask", data=chunks, headers=headers, method="POST")
    assert (found, "65,536 bytes" in text) == (413, True)
    assert client.ledger()["answers"] == []


def test_a_ledger_that_is_locked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 and when to come back; what is known already is still told; nothing was written meanwhile."""
    monkeypatch.setattr("discreet.agent._database.PATIENCE", 0.1)
    other_question = QUESTION.replace("5", "2")
    with serving(folder) as running, closing(sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)) as other:
        client = running.analyst()
        known = client.ask(QUESTION)
        other.execute("BEGIN EXCLUSIVE")
        status, text, headers = request(
            running.url + "/ask",
            method="POST",
            data=json.dumps({"sql": other_question}).encode(),
            headers={"Authorization": f"Bearer {client.key}", "Content-Type": "application/json"},
        )
        assert (status, headers["retry-after"]) == (503, "1")
        assert "try again" in text
        assert client.ask(QUESTION) == known
        assert status_of(running.url + "/health")[0] == 200
        other.execute("ROLLBACK")
        assert client.ask(other_question)["number"] == 2
        other.execute("DROP TABLE discreet_facts")
        assert status_of(running.url + "/health")[0] == 503


def test_nothing_depends_on_the_clock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands still, jumps back, and is wrong: numbers, answers and budgets are the same."""
    times = iter(["2026-06-01", "2026-01-01", "1970-01-01", "9999-12-31", "2026-01-01"])
    questions = [question_of(f"SELECT AVG(height) FROM people WITH ERROR {error}") for error in (9, 7, 5, 3, 1)]
    ann = Analyst("ann", 100.0, revoked=False)
    rows = []
    for jumps in (False, True):
        if jumps:
            monkeypatch.setattr("discreet.agent._ledger.now", lambda: next(times))
            monkeypatch.setattr(time, "time", lambda: -1e9)
        for path in folder.glob("ledger.*"):  # a new ledger has a new key
            path.unlink()
        agent = Agent(Config.load(folder / "agent.toml"))
        agent.ledger.add_analyst("ann", 100)
        for question in questions:
            agent.ask(ann, question)
        agent.close()
        again = Agent(Config.load(folder / "agent.toml"))
        rows.append([replace(row, at="") for row in again.ledger.read()])
        assert [again.ask(ann, question).number for question in questions] == [1, 2, 3, 4, 5]
        again.close()
    assert rows[0] == rows[1]


def test_an_error_that_nobody_foresaw(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A 500 in one line; the log has its kind and its place, and not its message, which could hold a value."""
    monkeypatch.setattr(
        logging.getLogger("discreet.agent"), "handlers", []
    )  # it writes to the stderr that is there now

    def fails(_: object) -> None:
        raise ValueError("171.23456")

    with serving(folder) as running:
        client = running.analyst()
        capsys.readouterr()
        monkeypatch.setattr(running.agent, "recall", fails)
        with pytest.raises(AgentError, match="the agent made a mistake") as refused:
            client.ask(QUESTION)
        assert refused.value.status == 500
        assert status_of(running.url + "/health")[0] == 200
    said = capsys.readouterr().err
    events = [json.loads(line)["event"] for line in said.splitlines()]
    (unexpected,) = (event for event in events if "unexpected" in event)
    assert unexpected["unexpected"] == "ValueError"
    assert unexpected["place"].startswith("test_web.py:")
    (asked,) = (event for event in events if event.get("path") == "/ask")
    assert asked | {"ms": 0} == {"method": "POST", "path": "/ask", "status": 500, "ms": 0, "who": "ann"}
    assert "171.2" not in said


@pytest.mark.slow
def test_it_ends_in_good_order_and_its_log_tells_nothing(folder: Path) -> None:
    """SIGTERM under load: what was begun is answered or cut off cleanly, and all that was said is in the ledger."""
    ledger = keyed(folder)
    ledger.owner_key()
    keys = [ledger.add_analyst(f"analyst {i}", 1000) for i in range(6)]
    told: list[dict[str, Any]] = []
    ended: list[str] = []
    with Server(folder) as server:
        server.start()
        for path in ("/metrics", "/nothing", "/owner", "/ledger"):
            status_of(server.url + path, headers={"Authorization": f"Bearer {keys[0]}"})
        status_of(server.url + "/ask", data=b"{", method="POST", headers={"Authorization": f"Bearer {keys[0]}"})

        def ask(client: Client, i: int) -> None:
            try:
                for error in range(1, 10_000):
                    dataset, column = (("people", "height"), ("alone", "weight"))[error % 2]
                    where = f"city = '{CITIES[(i + error) % 3]}'"
                    told.append(
                        client.ask(f"SELECT AVG({column}) FROM {dataset} WHERE {where} WITH ERROR {10 + error / 8 + i}")
                    )
            except UnreachableError as problem:
                ended.append(str(problem))

        threads = [threading.Thread(target=ask, args=(Client(server.url, key), i)) for i, key in enumerate(keys)]
        for thread in threads:
            thread.start()
        while len(told) < 30:
            time.sleep(0.01)
        assert server.end() == 0
        for thread in threads:
            thread.join()
    assert len(ended) == len(threads)
    rows = {(row.question["dataset"], row.number, row.low, row.high, row.answer) for row in ledger.read()}
    assert all((row["question"]["dataset"], row["number"], *row["cell"], row["answer"]) in rows for row in told)
    said = server.log.read_text()
    lines = [line for line in said.splitlines() if line.startswith("{")]
    assert len(lines) >= len(told)
    assert all(set(json.loads(line)) == {"at", "level", "event"} for line in lines)
    values = [value for line in (folder / "people.csv").read_text().splitlines()[1:] for value in line.split(",")[3:5]]
    answers = {repr(row["answer"])[:8] for row in told}  # those with decimals: 175 may be a duration
    secrets = [*values, *keys, "Oslo", "height", "WHERE", *(each for each in answers if "." in each[:-4])]
    for secret in secrets:
        assert not any(secret in line for line in lines), secret
    ledger.close()


def test_the_owner_sees_what_is_kept_after_a_new_start(folder: Path) -> None:
    first = Agent(Config.load(folder / "agent.toml"))
    for name in ("ann", "bob"):
        first.ledger.add_analyst(name, 100)
        analyst = Analyst(name, 100.0, revoked=False)
        first.ask(analyst, question_of("SELECT AVG(weight) FROM alone WITH ERROR 5"))
    first.ask(analyst, question_of("SELECT AVG(height) FROM people WITH ERROR 5"))
    first.close()
    second = Agent(Config.load(folder / "agent.toml"))
    kept = second.kept()
    assert {(row["dataset"], row["column"], row["analyst"], row["answers"]) for row in kept} == {
        ("alone", "weight", "ann", 1), ("alone", "weight", "bob", 1), ("people", "height", "", 1),
    }  # fmt: skip
    assert all(row["shortest"] >= row["keep"] for row in kept)
    second.close()


def test_what_is_known_waits_for_nobody(running: Running) -> None:
    """While new questions are held up, as many as may wait, health and old answers come at once; one more is refused."""
    client = running.analyst(budget=1000)
    known = client.ask(QUESTION)
    (book,) = running.agent._books.values()
    with ThreadPoolExecutor(WAITING + 1) as pool:
        with book.lock:
            waiting = [pool.submit(client.ask, QUESTION.replace("5", f"{6 + i}")) for i in range(WAITING + 1)]
            queues = [worker.queue._waiting for worker in running.desk._answering]
            while sum(len(mine) for queue in queues for mine in queue.values()) < WAITING:
                time.sleep(0.01)
            assert client.ask(QUESTION) == known
            assert status_of(running.url + "/health")[0] == 200
            assert not any(each.done() for each in waiting)
            with pytest.raises(
                AgentError, match="16 of your questions are waiting already: try again in 1 s"
            ) as refused:
                client.ask(QUESTION.replace("5", "5.5"))
            assert refused.value.status == 429
        assert all(each.result()["cells"] for each in waiting)


def test_a_key_is_revoked_only_from_the_owners_page(shared: Running) -> None:
    eve = shared.analyst("eve the first")
    basic = "Basic " + base64.b64encode(f"owner:{shared.owner.key}".encode()).decode()
    status, page, headers = request(shared.url + "/owner", headers={"Authorization": basic})
    assert status == 200 and "script-src 'nonce-" in headers["content-security-policy"]
    assert request(shared.url + "/owner/live")[0] == 401
    status, part, headers = request(shared.url + "/owner/live", headers={"Authorization": basic})
    assert status == 200 and "eve the first" in part and "<script" not in part
    same = {"Authorization": basic, "If-None-Match": headers["etag"]}
    assert request(shared.url + "/owner/live", headers=same)[0] == 304
    (known,) = re.findall(r'value="eve the first"><input type="hidden" name="token" value="(\w{64})"', page)

    def revoke(token: str, **more: str) -> int:
        body = urllib.parse.urlencode({"name": "eve the first", "token": token}).encode()
        return request(
            shared.url + "/owner/revoke", data=body, method="POST", headers={"Authorization": basic, **more}
        )[0]

    assert revoke("") == revoke("0" * 64) == revoke("ü") == 403
    assert revoke(known, **{"Sec-Fetch-Site": "cross-site"}) == 403
    body = urllib.parse.urlencode({"name": "eve the first", "token": known}).encode()
    assert request(shared.url + "/owner/revoke", data=body, method="POST")[0] == 401
    assert eve.ledger()["analyst"] == "eve the first"
    assert revoke(known) == 200  # after a redirect to the page
    with pytest.raises(AgentError, match="revoked"):
        eve.ledger()
