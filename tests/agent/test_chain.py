"""Rows of the ledger are sealed: what was edited, deleted or cut off is found, and looking writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet.agent._config import Config
from discreet.agent._database import Database
from discreet.agent._ledger import Analyst, DamagedError, Ledger
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.agent._telling import examined
from discreet.errors import InputError
from discreet.queries import Auditor
from tests.agent.servers import write_agent
from tests.processes import said

ANN = Analyst("ann", 1000.0, revoked=False)
HEIGHT, WEIGHT = '["people", "height"]', '["alone", "weight", "ann"]'


def ask(agent: Agent, error: float, column: str = "height", dataset: str = "people") -> None:
    agent.ask(ANN, question_of(f"SELECT AVG({column}) FROM {dataset} WITH ERROR {error}"))


@pytest.fixture
def config(tmp_path: Path, url: str) -> Config:
    """A ledger with four answers in two books."""
    found = Config.load(write_agent(tmp_path, people=40, ledger=url) / "agent.toml")
    agent = Agent(found)
    agent.ledger.add_analyst("ann", 1000)
    for error in (20, 10, 5):
        ask(agent, error)
    ask(agent, 20, "weight", "alone")
    agent.close()
    return found


def spoil(config: Config, *statements: str) -> None:
    """What somebody does who can write to the database."""
    database = Database(config.ledger)
    with database.writing("test") as connection:
        for statement in statements:
            connection.execute(database.sql.text(statement))
    database.close()


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (
            ["UPDATE discreet_answers SET low = low - 1 WHERE number = 2"],
            "row 2 of height in people, or the one before",
        ),
        (
            ["UPDATE discreet_answers SET analyst = 'bob' WHERE number = 3"],
            "row 3 of height in people, or the one before",
        ),
        (["DELETE FROM discreet_answers WHERE number = 2"], "row 2 of height in people is missing"),
        (["DELETE FROM discreet_answers WHERE number = 3"], "1 rows at the end of height in people are missing"),
        ([f"DELETE FROM discreet_answers WHERE book = '{WEIGHT}'"], "1 rows at the end of weight in alone for ann are"),
        (
            [
                f"DELETE FROM discreet_answers WHERE book = '{WEIGHT}'",
                f"UPDATE discreet_journal SET kind = 'sealed' WHERE name = '{WEIGHT}'",
            ],
            "of its journal is missing, or not what was written",
        ),
        (
            [
                f"UPDATE discreet_answers SET book = '{WEIGHT}' || ' ' WHERE book = '{WEIGHT}'",
            ],
            "the books in it are not those that were begun",
        ),
        (
            [
                "DELETE FROM discreet_answers WHERE number = 3",
                "DELETE FROM discreet_journal WHERE content LIKE '3 %'",
            ],
            "of its journal is missing, or not what was written",
        ),
        (
            [
                "INSERT INTO discreet_journal SELECT number + 1, kind, name, content, link FROM discreet_journal "
                "WHERE number = (SELECT max(number) FROM discreet_journal)"
            ],
            "of its journal is missing, or not what was written",
        ),
    ],
)
def test_rows_that_were_changed_are_found(config: Config, statements: list[str], words: str) -> None:
    assert examined(config)[1] == 4
    spoil(config, *statements)
    for look in (examined, Agent):
        with pytest.raises(DamagedError, match="the ledger is damaged: ") as problem:
            look(config)
        assert words in str(problem.value)


def test_check_says_it_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_agent(tmp_path, people=40)
    config = Config.load(folder / "agent.toml")
    agent = Agent(config)
    agent.ledger.add_analyst("ann", 1000)
    ask(agent, 20)
    agent.close()
    command = ["serve", str(folder / "agent.toml"), "--check"]
    assert "ledger: 1 answers, none missing or changed; its head is 5:" in said(capsys, *command)[1]
    spoil(config, "UPDATE discreet_answers SET high = high + 1")
    code, out, err = said(capsys, *command)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "row 1 of height in people" in err


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in folder.iterdir()}


def test_looking_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_agent(tmp_path, people=40)
    path = str(folder / "agent.toml")
    before = contents(folder)
    code, out, _ = said(capsys, "serve", path, "--check")
    assert code == 0 and "ledger: none yet" in out
    assert contents(folder) == before
    agent = Agent(Config.load(path))
    agent.ledger.add_analyst("ann", 1000)
    ask(agent, 20)
    during = {name: content for name, (content, _) in contents(folder).items() if not name.endswith("-shm")}
    assert said(capsys, "serve", path, "--check")[0] == 0  # beside a server that runs
    assert {name: content for name, (content, _) in contents(folder).items() if not name.endswith("-shm")} == during
    agent.close()
    closed = contents(folder)
    assert said(capsys, "serve", path, "--check")[0] == 0
    assert said(capsys, "attack", str(folder / "ledger.sqlite"), "--config", path)[0] == 0
    assert contents(folder) == closed


def test_a_ledger_from_before_there_were_seals_is_sealed_at_the_owners_word(config: Config) -> None:
    """Its rows prove nothing: it is not told from one whose seal was taken away."""
    for path in Path(config.places[0]).parent.glob("*.witness*"):
        path.unlink()
    spoil(
        config,
        "ALTER TABLE discreet_answers DROP COLUMN link",
        "DROP TABLE discreet_witnesses",
        "DROP TABLE discreet_journal",
        "UPDATE discreet_facts SET value = '2' WHERE name = 'schema'",
    )
    old = Ledger(config.ledger, read_only=True)
    assert old._schema == "2" and len(old.read()) == 4  # `discreet attack` reads it
    old.close()
    for look in (examined, Agent):
        with pytest.raises(InputError, match="holds 4 answers and no seal"):
            look(config)
    old = Ledger(config.ledger, read_only=True)
    assert old._schema == "2"  # and looking did not bring it up to date
    old.close()
    agent = Agent(config, seal=True)
    assert "sealed as it was found, with 4 answers" in agent.ledger.notes[0]
    ask(agent, 2)
    agent.close()
    assert examined(config)[1] == 5
    spoil(config, "UPDATE discreet_answers SET low = low - 1 WHERE number = 1")
    with pytest.raises(DamagedError):
        examined(config)


def test_a_book_is_read_back_with_its_witnesses(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is started again, and one that lost a race, do no search again."""
    agent = Agent(config)
    book = agent._opened(agent.holdings["people"], ("height",), "")
    searched: list[int] = []
    empty = book.empty
    prospect: Callable[..., Any] = type(empty._memory.engine).prospect

    def noted(self: Any, *asked: Any) -> Any:
        searched.append(1)
        return prospect(self, *asked)

    monkeypatch.setattr(type(empty._memory.engine), "prospect", noted)
    auditor = book.up_to_date(agent.ledger)
    assert isinstance(auditor, Auditor) and len(auditor.records) == 3
    auditor.intervals()
    assert not searched
    agent.close()
    spoil(config, "UPDATE discreet_witnesses SET content = ''")  # what does not fit is searched for anew
    agent = Agent(config)
    book = agent._opened(agent.holdings["people"], ("height",), "")
    auditor = book.up_to_date(agent.ledger)
    assert isinstance(auditor, Auditor) and len(auditor.intervals())
    assert searched
    agent.close()
