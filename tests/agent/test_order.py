"""The ledger holds people in an order of public values: whoever reads it learns nobody's rank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.agent._config import Config
from discreet.agent._ledger import Analyst, Answer
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.queries.auditor._transcript import Record

ANN = Analyst("ann", 1000.0, revoked=False)
NAMES = ("eva", "ada", "bob", "dan", "cyd")


def write_staff(folder: Path, salaries: list[int], public: str, ledger: str) -> Config:
    rows = [f"{name},{'ab'[i % 2]},{salary}" for i, (name, salary) in enumerate(zip(NAMES, salaries, strict=True))]
    (folder / "staff.csv").write_text("\n".join(["name,dept,salary", *rows]) + "\n")
    (folder / "agent.toml").write_text(
        f'ledger = "{ledger}"\n[datasets.staff]\ntable = "staff.csv"\npublic = [{public}]\nsmallest_group = 1\n'
        "[datasets.staff.private.salary]\nlower = 0\nupper = 1000\nkeep = 200\nintegral = true\n"
    )
    return Config.load(folder / "agent.toml")


def answer_about_each(folder: Path, salaries: list[int], ledger: str) -> list[Answer]:
    """A column of names is made public once an answer was given; then there is a question about each of them."""
    agent = Agent(write_staff(folder, salaries, '"dept"', ledger))
    agent.ledger.add_analyst("ann", 1000)
    agent.ask(ANN, question_of("SELECT AVG(salary) FROM staff WITH ERROR 500"))
    agent.ask(ANN, question_of("SELECT AVG(salary) FROM staff WHERE dept = 'a' WITH ERROR 500"))
    agent.close()
    agent = Agent(write_staff(folder, salaries, '"dept", "name"', ledger))
    for name in NAMES:
        agent.ask(ANN, question_of(f"SELECT SUM(salary) FROM staff WHERE name = '{name}' WITH ERROR 400"))
    rows = agent.ledger.read()
    assert agent.price(ANN, question_of("SELECT AVG(salary) FROM staff WHERE dept = 'a' WITH ERROR 500"))["known"]
    agent.close()
    return rows


def members(row: Answer) -> list[int]:
    return [int(each) for each in Record.from_dict(row.record, len(NAMES)).question.members]


@pytest.mark.parametrize("salaries", [[900, 100, 700, 300, 500], [100, 900, 300, 700, 500]])
def test_the_reader_of_a_ledger_learns_no_rank(tmp_path: Path, url: str, salaries: list[int]) -> None:
    rows = answer_about_each(tmp_path, salaries, url)
    places = np.ravel([members(row) for row in rows[2:]])
    for dept in range(2):
        # Within a department, as it was before there were names, places were those of the salaries.
        mine = slice(dept, None, 2)
        assert np.argsort(places[mine]).tolist() == np.argsort(NAMES[mine]).tolist()


def test_what_is_stored_does_not_depend_on_private_values(tmp_path: Path) -> None:
    """Two data sets that differ in private values alone: the same people stand in the same places."""
    stored = []
    for name, salaries in (("one", [900, 100, 700, 300, 500]), ("other", [20, 10, 30, 30, 30])):
        folder = tmp_path / name
        folder.mkdir()
        rows = answer_about_each(folder, salaries, f"sqlite:///{folder / 'ledger.sqlite'}")
        agent = Agent(Config.load(folder / "agent.toml"))
        (pin,) = agent.ledger.pinned.values()
        agent.close()
        columns = [(column.name, column.role, column.declared) for column in pin.columns]
        stored.append(([(row.key, row.question, row.record["members"]) for row in rows], pin.people, columns))
    assert stored[0] == stored[1]
