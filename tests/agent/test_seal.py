"""Attacks on the ledger by somebody who can write its database and has no key: nothing is forgotten, and nothing rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from discreet.agent._config import Config
from discreet.agent._database import Database, tables
from discreet.agent._ledger import Analyst, DamagedError
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.agent._telling import examined
from discreet.errors import DiscreetError
from tests.agent.servers import write_agent

ANN = Analyst("ann", 1000.0, revoked=False)
TABLES = ("answers", "witnesses", "analysts", "datasets", "columns", "journal")


def ask(agent: Agent, error: float, where: str = "TRUE", column: str = "height", dataset: str = "people") -> None:
    agent.ask(ANN, question_of(f"SELECT AVG({column}) FROM {dataset} WHERE {where} WITH ERROR {error}"))


@pytest.fixture
def config(tmp_path: Path, url: str) -> Config:
    """A ledger with two answers and two analysts, one of them revoked."""
    found = Config.load(write_agent(tmp_path, people=40, ledger=url) / "agent.toml")
    agent = Agent(found)
    agent.ledger.owner_key()
    agent.ledger.add_analyst("ann", 1000)
    agent.ledger.add_analyst("bob", 1)
    agent.ledger.change_analyst("bob", revoked=True)
    for error in (20, 10):
        ask(agent, error)
    agent.close()
    return found


@contextmanager
def attacker(config: Config) -> Iterator[Callable[[str], Any]]:
    """A connection to the database, without the key."""
    database = Database(config.ledger)
    with database.writing("attack") as connection:
        yield lambda statement: connection.execute(database.sql.text(statement))
    database.close()


def rows_of(config: Config, *names: str) -> dict[str, list[dict[str, Any]]]:
    """What the attacker has copied."""
    with attacker(config) as run:
        return {name: [dict(row._mapping) for row in run(f"SELECT * FROM discreet_{name}")] for name in names}


def put_back(config: Config, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Tables as they were copied."""
    database = Database(config.ledger)
    metadata = tables(database.sql)
    with database.writing("attack") as connection:
        for name, content in rows.items():
            table = metadata.tables[f"discreet_{name}"]
            connection.execute(table.delete())
            if content:
                connection.execute(table.insert(), content)
    database.close()


def refused(config: Config, words: str) -> None:
    """Neither a look nor a start accepts the ledger, and a start that fails changes nothing that one could accept."""
    for look in (examined, Agent, examined):
        with pytest.raises(DiscreetError, match=words) as problem:
            look(config)
        assert "\n" not in str(problem.value)


# ---------------------------------------------------------------------- the seal cannot be stripped


@pytest.mark.parametrize("everything", [False, True])
def test_a_ledger_whose_seal_was_stripped_is_not_sealed_anew(config: Config, everything: bool) -> None:
    with attacker(config) as run:
        if everything:
            for name in ("facts", *TABLES):
                run(f"DELETE FROM discreet_{name}")
        else:
            run("DELETE FROM discreet_facts WHERE name = 'sealed'")
            for name in ("answers", "witnesses", "journal"):
                run(f"DELETE FROM discreet_{name}")
    refused(config, "restore")


def test_a_ledger_that_was_dropped_is_not_begun_anew(config: Config) -> None:
    with attacker(config) as run:
        for name in ("facts", *TABLES):
            run(f"DROP TABLE discreet_{name}")
    refused(config, "restore")


def test_answers_without_a_seal_are_not_sealed_in_silence(config: Config) -> None:
    """As a ledger of the time before there were seals: an attacker may have made it one."""
    with attacker(config) as run:
        run("DELETE FROM discreet_journal")
        run("UPDATE discreet_facts SET value = '2' WHERE name = 'schema'")
        run("DELETE FROM discreet_answers WHERE number = 2")
    refused(config, "restore")


def test_thirteen_rounds_expose_nobody(tmp_path: Path, url: str) -> None:
    """Strip, start, ask about everybody but one, and again: the second round is refused."""
    found = Config.load(write_agent(tmp_path, people=12, ledger=url) / "agent.toml")
    rounds = 0
    for city in ("Oslo", "Rome", "Bern"):
        try:
            agent = Agent(found)
        except DiscreetError:
            break
        if "ann" not in {each.name for each in agent.ledger.every_analyst()}:
            agent.ledger.add_analyst("ann", 1000)
        ask(agent, 5, f"city <> '{city}'")
        agent.close()
        rounds += 1
        with attacker(found) as run:
            for name in ("facts", *TABLES):
                run(f"DELETE FROM discreet_{name}")
    assert rounds == 1


def test_the_whole_ledger_put_back_is_found(config: Config) -> None:
    before = rows_of(config, "facts", *TABLES)
    agent = Agent(config)
    ask(agent, 5)
    agent.close()
    put_back(config, before)
    refused(config, "has seen")


def test_a_ledger_that_is_put_back_under_a_running_agent_is_found(config: Config) -> None:
    before = rows_of(config, "facts", *TABLES)
    agent = Agent(config)
    ask(agent, 5)
    put_back(config, before)
    with pytest.raises(DamagedError):
        ask(agent, 2)
    agent.close()


def test_a_new_key_of_the_same_ledger_is_another_key(config: Config) -> None:
    Path(config.fingerprints).unlink()
    with pytest.raises(DiscreetError, match="key"):
        Agent(config)


# ---------------------------------------------------------------------- all that a promise hangs on is sealed


REWRITTEN = [
    ("UPDATE discreet_analysts SET budget = 1e9 WHERE name = 'ann'", "key or budget of 'ann'"),
    ("UPDATE discreet_analysts SET revoked = NOT revoked WHERE name = 'bob'", "key or budget of 'bob'"),
    ("UPDATE discreet_analysts SET key_hash = 'x' WHERE name = 'ann'", "key or budget of 'ann'"),
    ("UPDATE discreet_analysts SET name = 'eve' WHERE name = 'ann'", "the analysts in it"),
    ("DELETE FROM discreet_analysts WHERE name = 'bob'", "the analysts in it"),
    ("UPDATE discreet_facts SET value = 'x' WHERE name = 'owner_key_hash'", "owner's key"),
    ("DELETE FROM discreet_facts WHERE name = 'owner_key_hash'", "owner's key"),
    ("UPDATE discreet_datasets SET collude = NOT collude WHERE name = 'people'", "data or promises of 'people'"),
    ("UPDATE discreet_datasets SET people = 41 WHERE name = 'people'", "data or promises of 'people'"),
    ("UPDATE discreet_columns SET digest = 'x' WHERE name = 'height'", "data or promises of 'people'"),
    ("UPDATE discreet_columns SET fingerprint = '' WHERE name = 'height'", "data or promises of 'people'"),
    ("UPDATE discreet_columns SET position = 9 WHERE name = 'sex'", "data or promises of "),
    ("DELETE FROM discreet_columns WHERE dataset = 'people'", "data or promises of 'people'"),
    ("DELETE FROM discreet_datasets WHERE name = 'people'", "the data sets in it"),
]


def test_what_a_promise_hangs_on_cannot_be_rewritten(config: Config) -> None:
    before = rows_of(config, "facts", *TABLES)
    for statement, words in REWRITTEN:
        with attacker(config) as run:
            run(statement)
        for look in (examined, Agent) if statement in (REWRITTEN[0][0], REWRITTEN[-1][0]) else (examined,):
            with pytest.raises(DamagedError, match=words):
                look(config)
        put_back(config, before)
    Agent(config).close()


def test_keep_rewritten_in_database_and_file_is_refused(config: Config, tmp_path: Path) -> None:
    with attacker(config) as run:
        run("UPDATE discreet_columns SET declared = replace(declared, '\"keep\": 20.0', '\"keep\": 0.5')")
    path = tmp_path / "agent.toml"
    path.write_text(path.read_text().replace("keep = 20", "keep = 0.5"))
    refused(Config.load(path), "data or promises of '(people|alone)'")


def test_a_single_row_put_back_is_found(config: Config) -> None:
    before = rows_of(config, "analysts")
    agent = Agent(config)
    agent.ledger.change_analyst("ann", budget=5)
    agent.close()
    put_back(config, before)
    refused(config, "key or budget of 'ann'")


def test_a_running_agent_believes_no_rewritten_row(config: Config) -> None:
    agent = Agent(config)
    key, owner = agent.ledger.renew_key("bob"), agent.ledger.owner_key(renew=True)
    assert owner is not None
    agent.ledger.change_analyst("bob", revoked=True)
    with attacker(config) as run:
        run("UPDATE discreet_analysts SET revoked = NOT revoked WHERE name = 'bob'")
        run("UPDATE discreet_analysts SET budget = 1e9 WHERE name = 'ann'")
        run("UPDATE discreet_facts SET value = 'x' WHERE name = 'owner_key_hash'")
    for act in (
        lambda: agent.ledger.analyst_of(key),
        lambda: agent.ledger.is_owner(owner),
        lambda: agent.ledger.change_analyst("ann", revoked=False),  # what was rewritten is not made right by a change
        lambda: ask(agent, 1),
        lambda: agent.ledger.every_analyst(),
    ):
        with pytest.raises(DamagedError, match="the ledger is damaged: "):
            act()
    agent.close()


def test_somebody_without_the_key_adds_nobody(config: Config) -> None:
    with attacker(config) as run:
        run(
            "INSERT INTO discreet_analysts (name, key_hash, budget, revoked) SELECT 'eve', 'x', budget, revoked FROM "
            "discreet_analysts WHERE name = 'ann'"
        )
    refused(config, "the analysts in it")
    with attacker(config) as run:
        run("DELETE FROM discreet_analysts WHERE name = 'eve'")
    Agent(config).close()


def test_changes_by_the_owner_keep_the_seal(config: Config) -> None:
    one, other = Agent(config), Agent(config)
    key = one.ledger.add_analyst("cyd", 10)
    assert other.ledger.analyst_of(key) == Analyst("cyd", 10.0, revoked=False)
    other.ledger.change_analyst("cyd", budget=20)
    one.ledger.change_analyst("cyd", revoked=True)
    assert other.ledger.analyst_of(key) is None
    key = other.ledger.renew_key("cyd")
    assert one.ledger.analyst_of(key) == Analyst("cyd", 20.0, revoked=False)
    ask(one, 5)
    ask(other, 2)
    assert other.ledger.owner_key() is None
    for agent in (one, other):
        agent.close()
    assert examined(config)[1] == 4
    Agent(config).close()
