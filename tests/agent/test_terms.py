"""Sums with weights and sums of several private columns, under one promise for each person and column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from discreet.agent import AgentError
from discreet.agent._attack import attack
from discreet.agent._config import Config
from discreet.agent._holdings import Holding
from discreet.agent._ledger import Analyst
from discreet.agent._questions import Question
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.agent._statements import statement_of
from discreet.errors import InputError
from tests.agent.conftest import Running, serving

N = 8
ANN = Analyst("ann", 1e6, revoked=False)
CONFIG = """
[datasets.staff]
table = "staff.csv"
public = ["number", "hours", "town"]
smallest_group = 1
together = [["salary", "bonus"]]
[datasets.staff.private.salary]
lower = 1000
upper = 1900
keep = 300
step = 100
[datasets.staff.private.bonus]
lower = 0
upper = 45
keep = 15
step = 5
[datasets.staff.private.age]
lower = 18
upper = 67
keep = 10
integral = true
"""


def staff(folder: Path, people: int = N, config: str = CONFIG) -> Path:
    rng = np.random.default_rng(7)
    rows = [
        f"{i},{rng.integers(10, 41)},{'Oslo' if i % 2 else 'Rome'},{1000 + 100 * rng.integers(0, 10)},"
        f"{5 * rng.integers(0, 10)},{rng.integers(18, 68)}"
        for i in range(people)
    ]
    (folder / "staff.csv").write_text("number,hours,town,salary,bonus,age\n" + "\n".join(rows) + "\n")
    (folder / "agent.toml").write_text(config)
    return folder


@pytest.fixture
def agent(tmp_path: Path) -> Any:
    found = Agent(Config.load(staff(tmp_path) / "agent.toml"))
    found.ledger.add_analyst("ann", 1e6)
    yield found
    found.close()


def test_weighted_sums_and_sums_of_columns_are_true(agent: Agent) -> None:
    held = agent.holdings["staff"]
    salary, bonus, age = (held.private[name] for name in ("salary", "bonus", "age"))
    hours = np.array([float(held.public["hours"][0].labels()[code]) for code in held.public["hours"][1]])
    oslo = held.public["town"][1] == 0
    for sql, true in {
        "SELECT SUM(salary + bonus) FROM staff WITH ERROR 1500": (salary + bonus).sum(),
        "SELECT AVG(salary + 2 * bonus) FROM staff WITH ERROR 150": (salary + 2 * bonus).mean(),
        "SELECT SUM(hours * age) FROM staff WITH ERROR 500": hours @ age,
        "SELECT SUM(salary / 12 - bonus * 0.5) FROM staff WHERE town = 'Oslo' WITH ERROR 50": (salary / 12 - bonus / 2)[
            oslo
        ].sum(),
        "SELECT AVG(hours / 8 * (age - age * 0.5) + age) FROM staff WITH ERROR 60": (hours / 16 * age + age).mean(),
        "SELECT AVG(bonus) FROM staff WITH ERROR 6": bonus.mean(),
    }.items():
        question = question_of(sql)
        answer = agent.ask(ANN, question)
        assert answer.low <= true + 1e-9 and true - 1e-9 <= answer.high, sql
        assert answer.answer is None or answer.cells > 1
        assert question_of(statement_of(question)) == question == Question.from_json(question.to_json())
    assert {row["column"]: row["together"] for row in agent.kept()} == {
        "salary": ["bonus"],
        "bonus": ["salary"],
        "age": [],
    }
    assert all(row["shortest"] >= row["keep"] - 1e-9 for row in agent.kept())


def left(told: list[tuple[Any, float, float]], unit: Any, most: Any) -> Any:
    """Integer programs over all that was told about both columns at once, in steps of each column."""
    rows = LinearConstraint(
        np.array([row * unit for row, _, _ in told]),
        [low - 1e-6 for _, low, _ in told],
        [high + 1e-6 for *_, high in told],
    )
    out = []
    for person in range(len(unit)):
        ends = []
        for sign in (1, -1):
            cost = np.zeros(len(unit))
            cost[person] = sign
            solved = milp(cost, integrality=np.ones(len(unit), np.int64), bounds=Bounds(0, most), constraints=rows)
            assert solved.fun is not None
            ends.append(sign * float(solved.fun))
        out.append((ends[1] - ends[0]) * unit[person])
    return np.array(out)


@pytest.mark.slow
def test_an_adversary_with_sums_of_both_columns_leaves_everybody_both_promises(agent: Agent) -> None:
    """Salary, bonus and combinations of them about overlapping groups, so finely that cells are narrower than a step."""
    rng = np.random.default_rng(3)
    held = agent.holdings["staff"]
    place = np.array([int(str(held.public["number"][0].labels()[code])) for code in held.public["number"][1]])
    told, expressions = (
        [],
        {"salary": (1, 0), "bonus": (0, 1), "salary + bonus": (1, 1), "salary - 20 * bonus": (1, -20)},
    )
    for turn in range(12):
        expression, factors = list(expressions.items())[turn % 4]
        chosen = np.sort(rng.choice(N, rng.integers(1, N), replace=False))
        numbers = ", ".join(map(str, chosen))
        answer = agent.ask(
            ANN, question_of(f"SELECT SUM({expression}) FROM staff WHERE number IN ({numbers}) WITH ERROR 2")
        )
        inside = np.isin(place, chosen).astype(float)
        row = np.concatenate([factors[0] * inside, factors[1] * inside])
        offset = factors[0] * 1000 * len(chosen)
        told.append((row, answer.low - offset, answer.high - offset))
    unit = np.repeat([100.0, 5.0], N)
    kept = left(told, unit, np.repeat([9, 9], N))
    assert kept[:N].min() >= 300 - 1e-6 and kept[N:].min() >= 15 - 1e-6
    assert sum(row.cells > 1 for row in agent.ledger.read()) >= 2
    both = {"salary": kept[:N], "bonus": kept[N:]}
    for found in attack(agent.config, agent.ledger):
        assert not found.below and set(found.exposure.lengths.round(3)) == set(both[found.column].round(3))


def test_columns_with_a_promise_each_are_not_summed(agent: Agent) -> None:
    for sql, words in {
        "SELECT SUM(salary + age) FROM staff WITH ERROR 5": r'one book, .* together = \[\["age", "salary"',
        "SELECT SUM(salary * bonus) FROM staff WITH ERROR 5": "each term of a sum has one private column",
        "SELECT SUM(hours) FROM staff WITH ERROR 5": "questions are about one of",
        "SELECT SUM(salary + hours) FROM staff WITH ERROR 5": "each term of a sum has one private column",
        "SELECT SUM(town * salary) FROM staff WITH ERROR 5": "'town' is none",
        "SELECT SUM(nothing * salary) FROM staff WITH ERROR 5": "a weight is a number or a public column",
    }.items():
        with pytest.raises(InputError, match=words):
            agent.ask(ANN, question_of(sql))
    for sql, words in {
        "SELECT SUM(hours * town * salary) FROM staff WITH ERROR 5": "of such a product is not offered",
        f"SELECT SUM(salary{' + 2 * salary' * 600}{' - 400 * salary' * 3} - salary) FROM staff WITH ERROR 5": "cancel out",
        f"SELECT SUM({'2 * ' * 2000}salary) FROM staff WITH ERROR 5": "neither so large",
        "SELECT SUM(salary - salary) FROM staff WITH ERROR 5": "do not cancel out",
        "SELECT SUM(salary + 1) FROM staff WITH ERROR 5": "SUM of a value alone is not offered",
        "SELECT COUNT(2 * salary) FROM staff WITH ERROR 5": "COUNT is of a column",
        "SELECT SUM(1e30 * salary) FROM staff WITH ERROR 5": "neither so large",
        "SELECT SUM(ABS(salary)) FROM staff WITH ERROR 5": "SUM of ABS is not offered",
    }.items():
        with pytest.raises(InputError, match=words):
            question_of(sql)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ('together = [["salary"]]', "two or more private columns"),
        ('together = [["salary", "hours"]]', "'hours', which is no private column"),
        ('together = [["salary", "bonus"], ["bonus", "age"]]', "no column twice"),
    ],
)
def test_what_cannot_be_together(tmp_path: Path, wrong: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Config.load(staff(tmp_path, config=CONFIG.replace('together = [["salary", "bonus"]]', wrong)) / "agent.toml")


def test_a_continuum_is_not_together_with_steps(tmp_path: Path) -> None:
    staff(tmp_path)
    lines = (tmp_path / "staff.csv").read_text().splitlines()
    rng = np.random.default_rng(0)
    rows = [
        lines[0].replace("bonus", "share"),
        *(",".join([*row.split(",")[:4], f"{rng.random() * 45}", "30"]) for row in lines[1:]),
    ]
    (tmp_path / "staff.csv").write_text("\n".join(rows))
    config = CONFIG.split("[datasets.staff.private.age]")[0].replace("bonus", "share").replace("step = 5", "step = 0")
    (tmp_path / "agent.toml").write_text(config)
    with pytest.raises(InputError, match="'share' is a continuum and others are recorded in steps"):
        Holding.load(Config.load(tmp_path / "agent.toml").datasets[0])


def test_what_is_together_is_pinned_by_the_first_answer(tmp_path: Path) -> None:
    agent = Agent(Config.load(staff(tmp_path) / "agent.toml"))
    agent.ledger.add_analyst("ann", 100)
    agent.ask(ANN, question_of("SELECT SUM(salary) FROM staff WITH ERROR 500"))
    agent.close()
    (tmp_path / "agent.toml").write_text(CONFIG.replace('together = [["salary", "bonus"]]', ""))
    with pytest.raises(InputError, match=r"'(salary|bonus)' in 'staff' is together with changed since answers"):
        Agent(Config.load(tmp_path / "agent.toml"))


def test_a_weight_of_nothing_is_a_filter(tmp_path: Path) -> None:
    """Weights that leave one person in the sum are a group of one."""
    staff(tmp_path, config=CONFIG.replace("smallest_group = 1", "smallest_group = 5"))
    lines = (tmp_path / "staff.csv").read_text().splitlines()
    rows = [
        ",".join([row.split(",")[0], "1" if i == 3 else "0", *row.split(",")[2:]]) for i, row in enumerate(lines[1:])
    ]
    (tmp_path / "staff.csv").write_text("\n".join([lines[0], *rows]) + "\n")
    agent = Agent(Config.load(tmp_path / "agent.toml"))
    agent.ledger.add_analyst("ann", 100)
    for sql in ("SUM(hours * age)", "AVG(hours * salary + hours * bonus)"):
        with pytest.raises(InputError, match="at least 5 people must have a weight other than 0"):
            agent.ask(ANN, question_of(f"SELECT {sql} FROM staff WITH ERROR 50"))
    assert agent.ask(ANN, question_of("SELECT SUM(hours * age + age) FROM staff WITH ERROR 50")).cells >= 1
    agent.close()


def test_over_http(tmp_path: Path) -> None:
    with serving(staff(tmp_path)) as running:
        _over_http(running)


def _over_http(running: Running) -> None:
    ann = running.analyst()
    sql = "SELECT town, AVG(salary + bonus) FROM staff GROUP BY town WITH ERROR 250"
    assert 0 < ann.ask(sql)["bits"] <= 100
    terms = [{"columns": ["bonus"]}, {"columns": ["salary"], "times": 1}]
    parts = {"dataset": "staff", "aggregate": "mean", "terms": terms, "error": 250, "by": ["town"]}
    assert ann.ask(parts)["bits"] == 0
    (found,) = (each for each in ann.datasets()[0]["private"] if each["name"] == "bonus")
    assert found["together"] == ["salary", "bonus"]
    with pytest.raises(AgentError, match="the request does not have the form"):
        ann.ask({**parts, "terms": [{"columns": []}]})
    with pytest.raises(AgentError, match="one column, or about the terms"):
        ann.ask({**parts, "column": "salary"})


def test_a_weighted_mean_is_a_sum_on_a_public_scale(agent: Agent) -> None:
    held = agent.holdings["staff"]
    age = held.private["age"]
    hours = np.array([float(held.public["hours"][0].labels()[code]) for code in held.public["hours"][1]])
    question = question_of("SELECT SUM(hours * age) / SUM(hours) FROM staff WITH ERROR 2")
    assert (question.aggregate, question.over) == ("sum", "hours")
    assert question_of(statement_of(question)) == question == Question.from_json(question.to_json())
    answer = agent.ask(ANN, question)
    true = hours @ age / hours.sum()
    assert answer.low <= true <= answer.high and 0 < (answer.error or 0) <= 2 + 1e-9 and answer.bits > 0
    # The same in other words: the sum, and by halves.
    total = f"SELECT SUM(hours * age) FROM staff WITH ERROR {2 * hours.sum()}"
    assert agent.ask(ANN, question_of(total)).bits == 0
    assert agent.ask(ANN, question_of("SELECT SUM(hours * age / 2) / SUM(hours) FROM staff WITH ERROR 1")).bits == 0
    rate = agent.ask(ANN, question_of("SELECT SUM(age) / SUM(hours) FROM staff WHERE town = 'Oslo' WITH ERROR 0.2"))
    oslo = held.public["town"][1] == 0
    assert rate.low <= age[oslo].sum() / hours[oslo].sum() <= rate.high
    for sql, words in {
        "SELECT SUM(hours * age) / SUM(town) FROM staff WITH ERROR 2": "'town' is none",
        "SELECT SUM(hours * age) / SUM(salary) FROM staff WITH ERROR 2": "a ratio of private sums is not offered",
        "SELECT SUM(hours * hours) / SUM(hours) FROM staff WITH ERROR 2": "one private column",
    }.items():
        with pytest.raises(InputError, match=words):
            agent.ask(ANN, question_of(sql))
