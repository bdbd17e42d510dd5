"""Several aggregates in one statement: one question with one price, and all of it is answered or none."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discreet import dbapi
from discreet.agent import AgentError
from discreet.agent._attack import attack
from discreet.agent._config import Config
from discreet.agent._desk import Desk
from discreet.agent._ledger import Analyst, Answer, OverBudgetError
from discreet.agent._questions import MOST, Selection
from discreet.agent._queues import ALLOWANCE, BusyError
from discreet.agent._service import Agent
from discreet.agent._sql import selection_of
from discreet.errors import InputError
from tests.agent.conftest import Running, every_turn
from tests.agent.servers import CITIES, CONFIG, write_agent
from tests.processes import said

ANN = Analyst("ann", 1000.0, revoked=False)
BOTH = "SELECT AVG(height) AS tall, COUNT(smoker) FROM people WHERE sex = 'F' WITH ERROR 4, 10"
BY_CITY = "SELECT city, AVG(height) AS tall, COUNT(smoker) AS smokers FROM people GROUP BY city WITH ERROR 4, 10"

ILLNESS = """
[datasets.people.private.illness]
categories = ["flu", "cold", "none"]
"""


# ---------------------------------------------------------------------- what is said


def test_one_price_for_all(running: Running) -> None:
    ann = running.analyst()
    price = ann.price(BOTH)
    assert price["aggregates"] == 2 and "groups" not in price and not price["known"] and price["error"] is None
    alone = [
        ann.price(f"SELECT {one} FROM people WHERE sex = 'F' WITH ERROR {error}")["bits"]
        for one, error in (("AVG(height)", 4), ("COUNT(smoker)", 10))
    ]
    assert price["bits"] == pytest.approx(sum(alone))  # columns with a book each: the sum, and not only at most that
    found = ann.ask(BOTH)
    (row,) = found["rows"]
    assert row["group"] == {} and list(row["answers"]) == ["tall", "count_smoker"]
    assert found["bits"] == pytest.approx(price["bits"]) == pytest.approx(ann.ledger()["spent"])
    holding = running.agent.holdings["people"]
    women = holding.public["sex"][1] == [*holding.public["sex"][0].labels()].index("F")
    height, smoker = (holding.private[name][women] for name in ("height", "smoker"))
    for name, true in (("tall", height.mean()), ("count_smoker", smoker.sum())):
        low, high = row["answers"][name]["cell"]
        assert low <= true <= high
    again = ann.ask(BOTH)
    assert again["bits"] == 0 and again["rows"] == found["rows"] and ann.price(BOTH)["known"]
    assert ann.ask(found["question"])["rows"] == found["rows"]  # in JSON


def test_of_every_group(running: Running) -> None:
    ann = running.analyst()
    price = ann.price(BY_CITY)
    assert (price["groups"], price["aggregates"]) == (3, 2)
    found = ann.ask(BY_CITY)
    assert [row["group"]["city"] for row in found["rows"]] == ["Bern", "Oslo", "Rome"]
    assert 0 < found["bits"] <= price["bits"] + 1e-9
    assert len(ann.ledger()["answers"]) == 6
    one = ann.ask("SELECT COUNT(smoker) FROM people WHERE city = 'Oslo' WITH ERROR 10")
    assert one["cell"] == found["rows"][1]["answers"]["smokers"]["cell"]
    page = found._repr_html_()
    assert "smokers" in page and "Oslo" in page
    page = ann.ask(f"EXPLAIN {BY_CITY.replace('4, 10', '2, 8')}")._repr_html_()
    assert "what asking would cost" in page and "None" not in page


def test_the_command_shows_all(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    key = running.analyst().key
    price = said(capsys, "query", running.url, BY_CITY, "--key", key, "--price")[1]
    assert price.startswith("at most ") and "bits for 2 aggregates of 3 groups" in price
    code, out, _ = said(capsys, "query", running.url, BOTH, "--key", key)
    lines = out.splitlines()
    assert code == 0 and lines[0].startswith("tall: ") and lines[1].startswith("count_smoker: ")
    assert lines[2].endswith("bits for 2 aggregates)")
    out = said(capsys, "query", running.url, BY_CITY, "--key", key)[1]
    assert out.startswith("Bern: tall ") and ", smokers " in out and "for 2 aggregates of 3 groups" in out
    ledger = said(capsys, "query", running.url, "--ledger", "--key", key)[1]
    assert "SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 4" in ledger


def test_names_of_columns_in_tables(shared: Running) -> None:
    connection = dbapi.connect(shared.url, shared.analyst(budget=300).key)
    beside = ("", "_error", "_low", "_high", "_bits")

    def names(sql: str) -> list[str]:
        with pytest.warns(UserWarning, match="SQLAlchemy"):
            return list(pd.read_sql(sql, connection).columns)  # type: ignore[call-overload]

    assert names(BY_CITY) == ["city", *(f"{name}{each}" for name in ("tall", "smokers") for each in beside)]
    assert names("SELECT AVG(height) FROM people WITH ERROR 9") == ["answer", "error", "low", "high", "bits"]
    assert names("SELECT AVG(height) AS tall FROM people WITH ERROR 9") == ["tall", "error", "low", "high", "bits"]
    assert names("SELECT AVG(height), AVG(height) FROM people WITH ERROR 9")[::5] == ["avg_height", "avg_height_2"]
    (row,) = connection.cursor().execute(f"EXPLAIN {BY_CITY}").fetchall()
    assert row[3:] == (True, 3)


# ---------------------------------------------------------------------- all or none


def answers(agent: Agent, analyst: Analyst, asked: Selection) -> list[Answer]:
    """The rows of a statement, group by group."""
    parts, _ = agent.parts(analyst, asked)
    return agent.answers([inquiry for _, mine in parts for inquiry in mine])


def rows_of(agent: Agent) -> list[tuple[str, int]]:
    return [(row.book, row.number) for row in agent.ledger.read()]


def test_what_is_enough_for_one_of_two_buys_neither(running: Running) -> None:
    """To the bit: the whole price is let in, and less is refused before anything is said."""
    price = running.analyst(budget=0).price(BOTH)["bits"]
    poor = running.analyst(budget=price - 1e-3)
    with pytest.raises(AgentError, match=r"costs .* bits and you have .* left") as refused:
        poor.ask(BOTH)
    assert refused.value.status == 402 and poor.ledger()["spent"] == 0 and rows_of(running.agent) == []
    rich = running.analyst(budget=price)
    assert rich.ask(BOTH)["bits"] == pytest.approx(price) and rich.ledger()["left"] == pytest.approx(0, abs=1e-9)
    assert poor.ask(BOTH)["bits"] == 0  # what is known is free


def test_two_statements_at_once_do_not_share_a_budget(running: Running) -> None:
    """Two statements of which each alone can be paid for: one is answered, whole."""
    other = BOTH.replace("'F'", "'M'")
    price = max(running.analyst(budget=0).price(sql)["bits"] for sql in (BOTH, other))
    ann = running.analyst(budget=1.5 * price)

    def ask(sql: str) -> int:
        try:
            ann.ask(sql)
        except AgentError as refused:
            return refused.status
        return 200

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(ask, (BOTH, other))) == [200, 402]
    assert len(rows_of(running.agent)) == 2 and ann.ledger()["spent"] <= 1.5 * price


def test_a_server_that_dies_between_two_rows_said_nothing(
    agents: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = agents
    commit, written = one.ledger.commit, list[Answer]()

    def dies(answer: Answer, turn: Any = None, witnesses: bytes | None = None) -> Answer:
        if written:
            raise SystemError
        written.append(commit(answer, turn, witnesses))
        return answer

    monkeypatch.setattr(one.ledger, "commit", dies)
    with pytest.raises(SystemError):
        answers(one, ANN, selection_of(BY_CITY))
    monkeypatch.undo()
    assert written and one.ledger.read() == [] and one.ledger.spent("ann") == 0
    first = answers(one, ANN, selection_of(BY_CITY))
    assert [row.number for row in first] == [1, 1, 2, 2, 3, 3]
    assert answers(other, ANN, selection_of(BY_CITY)) == first


def test_whoever_is_overtaken_in_one_book_begins_both_again(
    agents: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = agents
    length, overtaken = one.ledger.length, list[Answer]()

    def slow(book: str, turn: Any = None) -> int:
        if not overtaken:
            overtaken.extend(answers(other, ANN, selection_of("SELECT COUNT(smoker) FROM people WITH ERROR 20")))
        return length(book, turn)

    monkeypatch.setattr(one.ledger, "length", slow)
    found = answers(one, ANN, selection_of(BOTH))
    assert [row.number for row in found] == [1, 2] and overtaken[0].number == 1


def test_statements_in_opposite_orders_do_not_wait_for_each_other(agents: tuple[Agent, Agent]) -> None:
    def ask(i: int) -> list[Answer]:
        columns = ("AVG(height)", "COUNT(smoker)")[:: 1 if i % 2 else -1]
        sql = f"SELECT {', '.join(columns)} FROM people WITH ERROR {8 + i // 2}"
        return answers(agents[i // 2 % 2], ANN, selection_of(sql))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(8)))
    told = [{(row.book, row.number, row.low, row.high) for row in rows} for rows in found]
    assert all(len(rows) == 2 for rows in told) and told[::2] == told[1::2]


def test_a_budget_that_went_meanwhile_refuses_all(agents: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at the price and the writing somebody else spends: the whole price is held against what is left."""
    one, other = agents
    one.ledger.add_analyst("bob", 1000)
    bob = Analyst("bob", 1000.0, revoked=False)
    length, done = one.ledger.length, threading.Event()

    def slow(book: str, turn: Any = None) -> int:
        if not done.is_set():
            done.set()
            price = other.price_all(bob, selection_of(BOTH))["bits"]
            other.ledger.change_analyst("bob", budget=price - 0.01)
        return length(book, turn)

    monkeypatch.setattr(one.ledger, "length", slow)
    with pytest.raises(OverBudgetError):
        answers(one, bob, selection_of(BOTH))
    assert one.ledger.read() == []


def test_the_same_statement_at_two_servers_is_paid_for_once(
    agents: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = agents
    one.ledger.add_analyst("bob", 1000)
    length, faster = one.ledger.length, list[Answer]()

    def slow(book: str, turn: Any = None) -> int:
        if not faster:
            faster.extend(answers(other, Analyst("bob", 1000.0, revoked=False), selection_of(BY_CITY)))
        return length(book, turn)

    monkeypatch.setattr(one.ledger, "length", slow)
    assert answers(one, ANN, selection_of(BY_CITY)) == faster
    assert one.ledger.spent("ann") == 0 and len(one.ledger.read()) == 6


def test_two_servers_cannot_spend_one_budget_twice(agents: tuple[Agent, Agent]) -> None:
    """Statements about other people by one analyst at two servers: whichever is second is refused, whole."""
    for i, city in enumerate(CITIES):
        sqls = [BOTH.replace("sex = 'F'", f"sex = '{sex}' AND city = '{city}'") for sex in "FM"]
        bits = [agents[0].price_all(ANN, selection_of(sql))["bits"] for sql in sqls]
        eve = Analyst(f"eve {i}", max(bits) + min(bits) / 10, revoked=False)
        agents[0].ledger.add_analyst(eve.name, eve.budget)

        def ask(j: int, sqls: list[str] = sqls, eve: Analyst = eve) -> int:
            try:
                return len(answers(agents[j], eve, selection_of(sqls[j])))
            except OverBudgetError:
                return 0

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(ask, range(2))) == [0, 2]
        assert 0 < agents[0].ledger.spent(eve.name) <= eve.budget


# ---------------------------------------------------------------------- attacks


def test_the_same_in_other_words_is_paid_for_once(folder: Path) -> None:
    one = Agent(Config.load(folder / "agent.toml"))
    one.ledger.add_analyst("ann", 1000)
    sex = one.holdings["people"].public["sex"]
    many = int((sex[1] == [*sex[0].labels()].index("F")).sum())
    sql = (
        "SELECT AVG(height), AVG(height) AS again, SUM(height), SUM(2 * height - height), AVG(height / 2), AVG(-height) "
        f"FROM people WHERE sex = 'F' WITH ERROR 4, 4, {4 * many}, {4 * many}, 2, 4"
    )
    rows = answers(one, ANN, selection_of(sql))
    assert rows[0] == rows[1]
    assert rows[0].bits > 0 and one.ledger.spent("ann") == pytest.approx(rows[0].bits)
    assert {row.bits for row in rows[2:]} == {0.0}
    assert rows[2].high - rows[2].low >= (rows[0].high - rows[0].low) * many - 1e-6  # and no finer
    one.close()


def test_one_statement_gives_nobody_away(tmp_path: Path) -> None:
    """Everybody, and everybody but one group, in as many forms as a statement holds, finer than one step."""
    config = Config.load(write_agent(tmp_path, people=40) / "agent.toml")
    agent = Agent(config)
    agent.ledger.add_analyst("ann", 1e6)
    rich = Analyst("ann", 1e6, revoked=False)
    sums = ", ".join(f"SUM({i} * height) AS s{i}" for i in range(1, MOST + 1))
    for where in ("TRUE", "NOT (sex = 'F' AND city = 'Oslo')", "sex = 'F'"):
        answers(agent, rich, selection_of(f"SELECT {sums} FROM people WHERE {where} WITH ERROR 0.01"))
        answers(
            agent, rich, selection_of(f"SELECT city, {sums} FROM people WHERE {where} GROUP BY city WITH ERROR 0.01")
        )
    assert all(row["shortest"] >= row["keep"] - 1e-9 for row in agent.kept())
    (found,) = attack(config, agent.ledger)
    assert found.below == 0 and found.answers == len(agent.ledger.read())
    agent.close()
    Agent(config).close()  # whose rows are chained


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (f"SELECT {', '.join(['AVG(height)'] * (MOST + 1))} FROM people WITH ERROR 5", "1 to 20 numbers"),
        ("SELECT AVG(height) AS a, COUNT(smoker) AS a FROM people WITH ERROR 5", "two columns .* one name"),
        ("SELECT AVG(height) AS a, COUNT(smoker) AS a_error FROM people WITH ERROR 5", "two columns .* one name"),
        ("SELECT AVG(height) AS error FROM people WITH ERROR 5", "and not error, low"),
        ("SELECT sex, AVG(height) AS sex FROM people GROUP BY sex WITH ERROR 5", "two columns"),
        ('SELECT AVG(height) AS "\x1b[2J" FROM people WITH ERROR 5', "that can be printed"),
        ('SELECT AVG(height) AS " " FROM people WITH ERROR 5', "that can be printed"),
        (f"SELECT AVG(height) AS {'a' * 61} FROM people WITH ERROR 5", "1 to 60 letters"),
        ("SELECT AVG(height) AS (a, b) FROM people WITH ERROR 5", "not offered|does not read"),
        ("SELECT AVG(height), MAX(height) FROM people WITH ERROR 5", "MAX is not offered"),
        ("SELECT AVG(height), AVG(weight) FROM people WITH ERROR 5", "questions are about one of"),
        ("SELECT AVG(height), COUNT(height) FROM people WITH ERROR 5", "COUNT is for columns of 0 and 1"),
        ("SELECT AVG(height), COUNT(smoker) FROM people WITH ERROR 5, 5, 5", "one for each of the 2"),
        ("SELECT AVG(height), COUNT(smoker) FROM people WITH ERROR 5, 0", "finite and above 0"),
        ("SELECT SUM(height) / SUM(smoker) FROM people WITH ERROR 5", "a ratio of private sums is not offered"),
        ("SELECT SUM(height) / SUM(sex) FROM people WITH ERROR 5", "public column of numbers, and 'sex' is none"),
    ],
)
def test_what_is_refused_says_nothing(shared: Running, sql: str, words: str) -> None:
    ann = shared.analyst(budget=1000)
    with pytest.raises(AgentError, match=words):
        ann.ask(sql)
    assert ann.ledger()["spent"] == 0


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "x'; DROP TABLE discreet_answers; --", 'a"b', "FROM", "größe", "{{7*7}}"]
)
def test_a_name_is_a_name_whatever_it_says(shared: Running, name: str) -> None:
    ann = shared.analyst(budget=300)
    quoted = '"' + name.replace('"', '""') + '"'
    found = ann.ask(f"SELECT AVG(height) AS {quoted}, COUNT(smoker) FROM people WITH ERROR 9")
    assert list(found["rows"][0]["answers"]) == [name, "count_smoker"]
    assert "<script>" not in found._repr_html_()
    assert not any(name in json.dumps(row.question, ensure_ascii=False) for row in shared.agent.ledger.read())
    cursor: Any = dbapi.connect(shared.url, ann.key).cursor()
    cursor.execute(f"SELECT AVG(height) AS {quoted} FROM people WITH ERROR 9")
    assert cursor.description[0][0] == name


@pytest.mark.parametrize(
    "wrong",
    [
        {"aggregates": []},
        {"aggregates": "AVG"},
        {"aggregates": [{"aggregate": "mean", "column": "height", "error": 5, "where": None}]},
        {"aggregates": [{"aggregate": "mean", "column": "height", "error": 5, "as": 5}]},
        {"aggregates": [["mean", "height"]]},
        {"aggregates": [{"aggregate": "mean", "column": "height", "error": 5}], "column": "height"},
        {"aggregates": [{"aggregate": "mean", "column": "height", "error": True}]},
        {"aggregate": "mean", "column": "height", "error": 5, "over": "age"},
        {"aggregate": "mean", "column": "height", "error": 5, "as": 5},
    ],
)
def test_json_that_is_refused(shared: Running, wrong: dict[str, Any]) -> None:
    with pytest.raises(AgentError) as refused:
        shared.analyst().ask({"dataset": "people", **wrong})
    assert refused.value.status in (400, 422)
    with pytest.raises(InputError):
        Selection.from_json({"dataset": "people", **wrong})


def test_a_selection_reads_back_from_json() -> None:
    for sql in (
        BOTH,
        BY_CITY,
        "SELECT AVG(h) AS x FROM p WITH ERROR 1",
        "SELECT SUM(w * h) / SUM(w) FROM p WITH ERROR 1",
    ):
        asked = selection_of(sql)
        again = Selection.from_json(json.loads(json.dumps(asked.to_json())))
        assert again.questions == asked.questions and again.labels == asked.labels


def test_who_cannot_pay_for_all_holds_up_no_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups and filters are worked out where prices are, and count against what those may take."""
    monkeypatch.setattr("discreet.agent._queues.REFILL", 1e-9)  # a few milliseconds of work come back in no time
    agent = Agent(Config.load(folder / "agent.toml"))
    agent.ledger.add_analyst("bob", 0)
    bob = Analyst("bob", 0.0, revoked=False)

    async def all_of_it() -> None:
        desk = Desk(agent, apart=False)
        async with every_turn(desk, "ann"):
            with pytest.raises(OverBudgetError, match="you have 0 left"):
                await desk.ask(bob, selection_of(BY_CITY))
        assert desk._allowance.owed("bob") > 0
        desk._allowance.charge("bob", 2 * ALLOWANCE)
        with pytest.raises(BusyError, match="took too much work"):
            await desk.ask(bob, selection_of(BY_CITY))
        desk.close()

    asyncio.run(all_of_it())
    agent.close()


def test_weights_that_are_mostly_zero_are_a_filter(tmp_path: Path) -> None:
    """A weight of 0 leaves somebody out: what is left must be a group, above the line and whatever is below it."""
    config = CONFIG.replace('public = ["sex", "city"]', 'public = ["sex", "city", "one", "two"]\nsmallest_group = 3', 1)
    write_agent(tmp_path, people=60, config=config.partition("[datasets.alone]")[0])
    lines = (tmp_path / "people.csv").read_text().splitlines()
    rows = [f"{line},{int(i == 5)},{int(i < 2) - int(i in (2, 3))}" for i, line in enumerate(lines[1:])]
    (tmp_path / "people.csv").write_text("\n".join([f"{lines[0]},one,two", *rows]) + "\n")
    agent = Agent(Config.load(tmp_path / "agent.toml"))
    agent.ledger.add_analyst("ann", 1000)
    for sql, words in {
        "SELECT AVG(height), SUM(one * height) FROM people WITH ERROR 9": "too small",
        "SELECT SUM(one * height) / SUM(one) FROM people WITH ERROR 9": "too small",
        "SELECT SUM(one * height) / SUM(one), COUNT(smoker) FROM people WITH ERROR 9": "too small",
        "SELECT SUM(two * height) / SUM(two) FROM people WITH ERROR 9": "adds up to 0",
        "SELECT AVG(height), SUM(height) / SUM(one) FROM people WHERE one = 0 WITH ERROR 9": "adds up to 0",
        "SELECT SUM(0 * height) FROM people WITH ERROR 9": "do not cancel out",
        "SELECT sex, SUM(one * height) FROM people GROUP BY sex WITH ERROR 9": "too small",
    }.items():
        with pytest.raises(InputError, match=words):
            answers(agent, ANN, selection_of(sql))
    assert agent.ledger.read() == []
    # By one person's weight alone everybody else's sum is only scaled.
    (row,) = answers(agent, ANN, selection_of("SELECT SUM(height) / SUM(one) FROM people WITH ERROR 200"))
    assert row.low <= agent.holdings["people"].private["height"].sum() <= row.high
    agent.close()


def test_a_private_category_is_no_filter_for_another_column(tmp_path: Path) -> None:
    """Beside COUNT(*) of each illness: the heights of those who have it would say who has it."""
    write_agent(tmp_path, people=90, config=CONFIG.partition("[datasets.alone]")[0] + ILLNESS)
    lines = (tmp_path / "people.csv").read_text().splitlines()
    rows = [f"{line},{('flu', 'cold', 'none')[i * i % 7 % 3]}" for i, line in enumerate(lines[1:])]
    (tmp_path / "people.csv").write_text("\n".join([f"{lines[0]},illness", *rows]) + "\n")
    agent = Agent(Config.load(tmp_path / "agent.toml"))
    agent.ledger.add_analyst("ann", 1000)
    for sql in (
        "SELECT illness, COUNT(*), AVG(height) FROM people GROUP BY illness WITH ERROR 5",
        "SELECT illness, AVG(height), COUNT(*) FROM people GROUP BY illness WITH ERROR 5",
        "SELECT COUNT(*), COUNT(smoker) FROM people WHERE illness = 'flu' WITH ERROR 5",
        "SELECT COUNT(*), SUM(height) FROM people WHERE illness = 'flu' AND sex = 'F' WITH ERROR 5",
    ):
        with pytest.raises(InputError, match=r"not public|GROUP BY is for public columns"):
            answers(agent, ANN, selection_of(sql))
    assert agent.ledger.read() == []
    both = "SELECT illness, COUNT(*) AS many, COUNT(illness) AS again FROM people GROUP BY illness WITH ERROR 5"
    found = agent.answer_all(ANN, selection_of(both))["rows"]
    assert all(row["answers"]["many"]["cell"] == row["answers"]["again"]["cell"] for row in found)
    assert agent.ledger.spent("ann") == pytest.approx(sum(row["answers"]["many"]["bits"] for row in found))
    agent.close()
