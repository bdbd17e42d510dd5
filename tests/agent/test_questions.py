"""Who is asked about: as a database would say, and one question however it is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.agent import _filters as conditions
from discreet.agent._config import Config
from discreet.agent._filters import Condition, Junction, comparison, group_of
from discreet.agent._holdings import Holding
from discreet.agent._ledger import Analyst
from discreet.agent._questions import Question
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.agent._statements import statement_of
from tests.agent.servers import write_agent
from tests.examples import examples

pytest.importorskip("sqlglot")

VALUES: dict[str, list[Any]] = {
    "s": ["a", "b", "it's", "ä", "Z"],
    "n": [-1, 0, 1.5, 2, 10],
    "d": ["2026-01-31", "2026-02-01"],
}
OTHERS: dict[str, list[Any]] = {"s": ["c"], "n": [7], "d": ["2025-12-31"]}  # that nobody has


@pytest.fixture(scope="module")
def holding(tmp_path_factory: pytest.TempPathFactory) -> Holding:
    folder = tmp_path_factory.mktemp("held")
    rng = np.random.default_rng(0)

    def cell(name: str) -> str:
        return "" if rng.random() < 0.2 else str(VALUES[name][rng.integers(len(VALUES[name]))])

    rows = [f"{cell('s')},{cell('n')},{cell('d')},{i}" for i in range(200)]
    (folder / "t.csv").write_text("s,n,d,x\n" + "\n".join(rows) + "\n")
    (folder / "agent.toml").write_text(
        '[datasets.t]\ntable = "t.csv"\npublic = ["s", "n", "d"]\n[datasets.t.private.x]\nlower = 0\nupper = 200\nkeep = 1\n'
    )
    return Holding.load(Config.load(folder / "agent.toml").datasets[0])


@pytest.fixture(scope="module")
def database(holding: Holding) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM read_csv(?)", [holding.dataset.table])
        yield connection


@st.composite
def comparisons(draw: st.DrawFn) -> Condition:
    column = draw(st.sampled_from("snd"))
    value = st.sampled_from(VALUES[column] + OTHERS[column])
    kind = draw(st.sampled_from(conditions.KINDS))
    if kind == "missing":
        return comparison(column, kind, None)
    if kind == "in":
        return comparison(column, kind, draw(st.lists(value, min_size=1, max_size=4)))
    return comparison(column, kind, [draw(value), draw(value)] if kind == "between" else draw(value))


CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    comparisons(),
    lambda inner: (
        st.builds(Junction, st.sampled_from(["all", "any"]), st.lists(inner, max_size=3).map(tuple))
        | st.builds(Junction, st.just("not"), st.tuples(inner))
    ),
    max_leaves=8,
)


def members(holding: Holding, condition: Condition) -> list[float]:
    return sorted(holding.private["x"][group_of(condition, holding.public, holding.people)].tolist())


@settings(max_examples=examples(300))
@given(condition=CONDITIONS)
def test_a_group_is_what_a_database_says(
    holding: Holding, database: duckdb.DuckDBPyConnection, condition: Condition
) -> None:
    """DuckDB reads the statement that we write, and we read it too."""
    statement = statement_of(Question("t", "mean", "x", 1.0, condition))
    where = statement.partition(" WHERE ")[2].removesuffix(" WITH ERROR 1") or "TRUE"
    found = database.execute(f"SELECT x FROM t WHERE {where} ORDER BY x").fetchall()
    wanted = [float(x) for (x,) in found]
    assert members(holding, condition) == wanted
    assert members(holding, question_of(statement).where) == wanted


@st.composite
def rewritten(draw: st.DrawFn, condition: Condition) -> Condition:
    """The same condition in other words."""
    if isinstance(condition, Junction) and condition.kind == "not":
        return Junction("not", (draw(rewritten(condition.parts[0])),))
    if isinstance(condition, Junction):
        parts = draw(st.permutations([draw(rewritten(part)) for part in condition.parts]))
        parts += parts[: draw(st.integers(0, 1))]  # one of them twice
        if draw(st.booleans()):  # De Morgan
            other = "any" if condition.kind == "all" else "all"
            return Junction("not", (Junction(other, tuple(Junction("not", (part,)) for part in parts)),))
        return Junction(condition.kind, tuple(parts))
    column, value = condition.column, condition.value
    if condition.kind == "between":
        return Junction("all", (comparison(column, "<=", value[1]), comparison(column, ">=", value[0])))
    if condition.kind == "in":
        return Junction("any", tuple(comparison(column, "=", each) for each in draw(st.permutations(value))))
    opposite = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}.get(condition.kind)
    if opposite and draw(st.booleans()):
        return Junction("not", (comparison(column, opposite, value),))
    return Junction("not", (Junction("not", (condition,)),)) if draw(st.booleans()) else condition


@settings(max_examples=examples(300))
@given(data=st.data(), condition=CONDITIONS)
def test_other_words_name_the_same_people(holding: Holding, data: st.DataObject, condition: Condition) -> None:
    again = data.draw(rewritten(condition))
    assert members(holding, again) == members(holding, condition)
    assert members(holding, conditions.from_json(json.loads(json.dumps(conditions.to_json(again))))) == members(
        holding, again
    )


SAME = [
    "sex = 'F' AND city IN ('Oslo', 'Rome')",
    "city IN ('Rome', 'Oslo', 'Rome') AND sex = 'F'",
    "'F' = sex AND (city = 'Oslo' OR 'Rome' = city)",
    "NOT (sex <> 'F' OR NOT city IN ('Oslo', 'Rome'))",
    "NOT NOT sex = 'F' AND city >= 'O' AND city <= 'Rome'",
    "sex = 'F' AND city BETWEEN 'Oslo' AND 'Rome'",
    "sex IN ('F') AND city <> 'Bern'",  # in these data: the same people
    "(((sex = 'F'))) AND NOT city = 'Bern' AND sex IS NOT NULL AND TRUE",
]


def test_one_question_has_one_answer_however_it_is_written(tmp_path: Path) -> None:
    agent = Agent(Config.load(write_agent(tmp_path) / "agent.toml"))
    agent.ledger.add_analyst("ann", 100)
    ann = Analyst("ann", 100, False)
    errors = ["5", "5.0", "5e0", "0.5e1"] * 2
    found = [
        agent.ask(ann, question_of(f"SELECT AVG(height) FROM people WHERE {where} WITH ERROR {error}"))
        for where, error in zip(SAME, errors, strict=True)
    ]
    assert {(answer.number, answer.answer) for answer in found} == {(1, found[0].answer)}
    other = agent.ask(ann, question_of(f"SELECT AVG(height) FROM people WHERE NOT ({SAME[0]}) WITH ERROR 5"))
    assert other.number == 2
    assert len(agent.ledger.read()) == 2
    agent.close()


def test_data_that_change_while_the_agent_runs_change_nothing(tmp_path: Path) -> None:
    agent = Agent(Config.load(write_agent(tmp_path) / "agent.toml"))
    agent.ledger.add_analyst("ann", 100)
    ann, asked = Analyst("ann", 100, False), "SELECT AVG(height) FROM people WITH ERROR "
    first = agent.ask(ann, question_of(asked + "5"))
    (tmp_path / "people.csv").write_text("sex,city,age,height,weight,smoker\nF,Oslo,30,101,60,0\n")
    finer = agent.ask(ann, question_of(asked + "1"))
    assert first.low <= finer.low <= finer.high <= first.high
    agent.close()
