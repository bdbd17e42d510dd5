"""Ledgers that discreet 0.1.0 wrote, as they were: brought up to date where their seals are right, and that is said."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discreet.agent._attack import attack
from discreet.agent._config import Config
from discreet.agent._ledger import Analyst, DamagedError, Ledger
from discreet.agent._questions import Question
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.agent._telling import examined
from discreet.errors import InputError
from discreet.queries.auditor._transcript import Record
from tests.processes import said

LEDGERS = Path(__file__).parent / "ledgers"
ANN = Analyst("ann", 1000.0, revoked=False)
# Names and hours were public from the first answer on, or became so later.
KEYS = {
    "early": "416cff101a8ba0e85524143853d042e5372ed7baf525fd091f4e2421cce3e707",
    "later": "3e148701b6c8b93c92b23aca559eb2eb67b795db096625beb945a5a35ff1a0d0",
}
STAFF = """name,dept,hours,salary,bonus
p00,a,10,723,43
p01,b,11,881,26
p02,a,12,80,97
p03,b,13,240,17
p04,a,14,160,89
p05,b,10,321,79
p06,a,11,488,84
p07,b,12,561,11
p08,a,13,5,39
p09,b,14,806,62
p10,a,10,402,49
p11,b,11,642,66
"""
CONFIG = """
[datasets.staff]
table = "staff.csv"
public = ["dept", "name", "hours"]
smallest_group = 1
together = [["salary", "bonus"]]
[datasets.staff.private.salary]
lower = 0
upper = 1000
keep = 200
integral = true
[datasets.staff.private.bonus]
lower = 0
upper = 100
keep = 20
integral = true
"""


@pytest.fixture(params=["early", "later"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def config(kind: str, tmp_path: Path) -> Config:
    """A folder of discreet 0.1.0 with seven answers."""
    (tmp_path / "staff.csv").write_text(STAFF)
    (tmp_path / "agent.toml").write_text(CONFIG)
    (tmp_path / "ledger.key").write_text(KEYS[kind])
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as database:
        database.executescript((LEDGERS / f"0.1.0-{kind}.sql").read_text())
    return Config.load(tmp_path / "agent.toml")


def change(config: Config, *statements: str) -> None:
    with closing(sqlite3.connect(config.ledger.removeprefix("sqlite:///"), isolation_level=None)) as database:
        for statement in statements:
            database.execute(statement)


def true_sum(record: Record, agent: Agent) -> Any:
    """What a question of the book is about, from the data as they are held."""
    values = agent.holdings["staff"].values("salary", "bonus")
    weights = 1 if record.question.weights is None else record.question.weights
    return (values[record.question.members] * weights).sum()


def test_it_is_brought_up_to_date_and_that_is_said(
    config: Config, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "agent.toml")
    old = Ledger(config.ledger, read_only=True)
    before = old.read()
    old.close()
    untouched = (tmp_path / "ledger.sqlite").read_bytes()
    out = said(capsys, "serve", path, "--check")[1]
    assert "7 answers, none missing or changed; the next start brings it up to date" in out
    assert (tmp_path / "ledger.sqlite").read_bytes() == untouched and not (tmp_path / "ledger.witness").exists()
    first, *more = said(capsys, "serve", path, "--set-up")[1].splitlines()
    assert first == (
        "the ledger was written by discreet 0.1.0: its 7 answers are as they were sealed; promises and budgets were not sealed "
        "then, and are from now on, as they are found: salary in staff keeps 200; bonus in staff keeps 20; ann has 1000 bits"
    )
    moved = [line for line in more if "was stored in an order of private values" in line]
    assert len(moved) == (kind == "later")
    assert "0.1.0" not in said(capsys, "serve", path, "--set-up")[1]

    agent = Agent(config)
    rows = agent.ledger.read()
    assert [(row.number, row.low, row.high, row.question) for row in rows] == [
        (row.number, row.low, row.high, row.question) for row in before
    ]
    assert (rows == before) == (kind == "early")
    for row in rows:
        assert agent.inquiry(ANN, Question.from_json(row.question)).key == row.key
        assert agent.ask(ANN, Question.from_json(row.question)) == row  # known, and told as it was
        if row.record:
            record = Record.from_dict(row.record, 24)
            assert row.low <= true_sum(record, agent) / float(record.question.divisor) <= row.high
    agent.ask(ANN, question_of("SELECT AVG(salary) FROM staff WHERE name > 'p06' WITH ERROR 200"))
    assert all(each["shortest"] >= each["keep"] for each in agent.kept())
    assert all(not found.below for found in attack(config, agent.ledger))
    agent.close()
    assert examined(config)[1] == 8


def members(ledger: Ledger) -> list[int]:
    """Where p00, p03 and p07 stand, as a question about them is stored."""
    row = next(row for row in ledger.read() if (row.question["where"] or {}).get("value") == ["p00", "p03", "p07"])
    return [int(each) for each in Record.from_dict(row.record, 24).question.members]


def test_members_stand_in_the_order_of_public_values_afterwards(config: Config, kind: str) -> None:
    old = Ledger(config.ledger, read_only=True)
    by_salary, by_name = [5, 6, 8], [0, 7, 9]  # in departments of six
    assert members(old) == (by_salary if kind == "later" else by_name)
    old.close()
    agent = Agent(config)
    assert members(agent.ledger) == by_name
    agent.close()


def test_three_that_start_at_once_bring_it_up_to_date_once(config: Config) -> None:
    with ThreadPoolExecutor(3) as pool:
        agents = list(pool.map(Agent, [config] * 3))
    assert sum("0.1.0" in note for agent in agents for note in agent.ledger.notes) == 1
    for i, agent in enumerate(agents):
        agent.ask(ANN, question_of(f"SELECT AVG(salary) FROM staff WHERE name > 'p0{i}' WITH ERROR 200"))
        agent.close()
    assert examined(config)[1] == 10


@pytest.mark.parametrize(
    "statements",
    [
        ["DELETE FROM discreet_answers WHERE number = 7"],
        ["UPDATE discreet_answers SET low = low - 1 WHERE number = 2"],
        ["DELETE FROM discreet_answers", "DELETE FROM discreet_heads"],
        ["DELETE FROM discreet_answers", "DELETE FROM discreet_heads WHERE book <> ''"],
    ],
)
def test_one_that_was_changed_is_refused(config: Config, statements: list[str]) -> None:
    change(config, *statements)
    for look in (examined, Agent, Agent):
        with pytest.raises(DamagedError, match="the ledger is damaged"):
            look(config)


def test_one_whose_seal_was_stripped_is_refused(config: Config) -> None:
    change(
        config,
        "DELETE FROM discreet_facts WHERE name = 'sealed'",
        *(f"DELETE FROM discreet_{name}" for name in ("answers", "heads", "witnesses")),
    )
    looks: list[Callable[[Config], Any]] = [examined, Agent, Agent]
    for look in looks:
        with pytest.raises(InputError, match="holds 0 answers and no seal"):
            look(config)


def test_an_old_copy_is_refused_once_it_was_brought_up_to_date(config: Config, tmp_path: Path) -> None:
    shutil.copy(tmp_path / "ledger.sqlite", tmp_path / "backup")
    Agent(config).close()
    shutil.copy(tmp_path / "backup", tmp_path / "ledger.sqlite")
    with pytest.raises(DamagedError, match=r"put back, or is a copy: it ends at entry 0, and ledger\.witness has seen"):
        Agent(config)


@pytest.mark.parametrize("kind", ["later"], indirect=True)
def test_an_order_of_private_values_needs_the_data_that_are_pinned(config: Config, tmp_path: Path) -> None:
    (tmp_path / "staff.csv").write_text(STAFF.replace("p04,a,14,160", "p04,a,14,161"))
    with pytest.raises(InputError, match="the data of 'staff' changed since answers were given"):
        Agent(config)
    other = "[datasets.other]" + CONFIG.partition("[datasets.staff]")[2].replace("datasets.staff", "datasets.other")
    rows = [
        f"{row.rpartition(',')[0].rpartition(',')[0]},{137 * i % 1000},{29 * i % 100}"
        for i, row in enumerate(STAFF.split()[1:])
    ]
    (tmp_path / "staff.csv").write_text("\n".join([STAFF.split()[0], *rows]) + "\n")
    (tmp_path / "agent.toml").write_text(other)
    with pytest.raises(
        InputError, match=r"'staff' in an order of private values, as discreet 0\.1\.0 did, and needs the data"
    ):
        Agent(Config.load(tmp_path / "agent.toml"))
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as database:
        (schema,) = database.execute("SELECT value FROM discreet_facts WHERE name = 'schema'").fetchone()
        assert schema == "3"  # nothing was brought up to date by halves
