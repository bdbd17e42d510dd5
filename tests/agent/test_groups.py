"""GROUP BY as one question with one price, and counts of a private category."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.agent import AgentError
from discreet.agent._config import Config
from discreet.agent._holdings import Holding
from discreet.agent._sql import question_of
from discreet.agent._statements import statement_of
from discreet.errors import InputError
from tests.agent.conftest import Running
from tests.processes import said

BY_CITY = "SELECT city, AVG(height) FROM people GROUP BY city WITH ERROR 5"


def true_means(running: Running) -> dict[Any, float]:
    holding = running.agent.holdings["people"]
    alphabet, codes = holding.public["city"]
    return {label: float(holding.private["height"][codes == i].mean()) for i, label in enumerate(alphabet.labels())}


def test_one_question_about_every_group(running: Running) -> None:
    ann = running.analyst()
    price = ann.price(BY_CITY)
    assert price["groups"] == 3 and not price["known"] and price["bits"] > 0
    found = ann.ask(BY_CITY)
    true = true_means(running)
    assert [row["group"] for row in found["groups"]] == [{"city": label} for label in sorted(true)]
    for row in found["groups"]:
        assert row["cell"][0] <= true[row["group"]["city"]] <= row["cell"][1]
    assert 0 < found["bits"] <= price["bits"] + 1e-9
    assert ann.ledger()["spent"] == pytest.approx(found["bits"])
    again = ann.ask(BY_CITY)
    assert again["bits"] == 0 and again["groups"] == found["groups"] and ann.price(BY_CITY)["known"]
    one = ann.ask("SELECT AVG(height) FROM people WHERE city = 'Oslo' WITH ERROR 5")
    assert one["cell"] == found["groups"][1]["cell"]
    by_parts = {"dataset": "people", "aggregate": "mean", "column": "height", "error": 5, "by": ["city"]}
    assert ann.ask(by_parts)["groups"] == found["groups"]


def test_a_price_is_refused_before_anything_is_said(running: Running) -> None:
    poor = running.analyst(budget=8)
    with pytest.raises(AgentError, match=r"costs .* bits and you have 8 left"):
        poor.ask(BY_CITY)
    assert poor.ledger()["spent"] == 0


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT AVG(height) FROM people GROUP BY height WITH ERROR 5", "GROUP BY is for public columns"),
        ("SELECT smoker, COUNT(smoker) FROM people GROUP BY smoker WITH ERROR 5", "a histogram of a private column"),
        (
            "SELECT COUNT(smoker) FROM people GROUP BY FLOOR(height / 10) WITH ERROR 5",
            "FLOOR in GROUP BY is not offered: bins",
        ),
        ("SELECT COUNT(smoker) FROM people GROUP BY CASE WHEN height > 1 THEN 1 END WITH ERROR 5", "CASE in GROUP BY"),
        ("SELECT VARIANCE(height) FROM people WITH ERROR 5", "VARIANCE is not offered"),
        ("SELECT MEDIAN(height) FROM people WITH ERROR 5", "MEDIAN is not offered"),
        ("SELECT AVG(height) FROM people GROUP BY none WITH ERROR 5", "GROUP BY is for public columns"),
        ("SELECT age, AVG(height) FROM people GROUP BY city WITH ERROR 5", "GROUP BY does not name it"),
        ("SELECT AVG(height) FROM people GROUP BY city, city WITH ERROR 5", "twice"),
        ("SELECT AVG(height) FROM people GROUP BY ROLLUP (city) WITH ERROR 5", "ROLLUP|not offered"),
        ("SELECT AVG(height) FROM people GROUP BY city HAVING 1 = 1 WITH ERROR 5", "HAVING"),
    ],
)
def test_groups_that_are_refused(shared: Running, statement: str, words: str) -> None:
    with pytest.raises(AgentError, match=words):
        shared.analyst().ask(statement)


def test_a_statement_of_groups_reads_back() -> None:
    question = question_of("select city, sex, count(smoker) from people where age < 40 group by city, sex with error 3")
    assert question.by == ("city", "sex")
    assert question_of(statement_of(question)) == question
    assert json.loads(json.dumps(question.to_json()))["by"] == ["city", "sex"]


def test_the_command_shows_groups(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    key = running.analyst().key
    price = said(capsys, "query", running.url, BY_CITY, "--key", key, "--price")[1]
    assert "at most" in price
    assert price == said(capsys, "query", running.url, f"EXPLAIN {BY_CITY}", "--key", key)[1]
    code, out, _ = said(capsys, "query", running.url, BY_CITY, "--key", key)
    assert code == 0 and out.splitlines()[0].startswith("Bern: ") and "bits for 3 groups" in out


CATEGORY = """
[datasets.people]
table = "people.csv"
public = ["sex"]
[datasets.people.private.diagnosis]
category = ["flu", "cold"]
"""


def test_a_private_category_is_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [f"{rng.choice(['F', 'M'])},{rng.choice(['flu', 'cold', 'gout', 'none'])}" for _ in range(60)]
    (tmp_path / "people.csv").write_text("sex,diagnosis\n" + "\n".join(rows) + "\n")
    (tmp_path / "agent.toml").write_text(CATEGORY)
    holding = Holding.load(Config.load(tmp_path / "agent.toml").datasets[0])
    assert holding.private["diagnosis"].sum() == sum(row.endswith(("flu", "cold")) for row in rows)
    assert holding.lattices["diagnosis"].step == 1
    for wrong, words in (
        ('category = ["flu", "plague"]', "no row has the label 'plague'"),
        ('category = ["flu"]\nkeep = 0.5', "its bounds are 0 and 1, and keep is 1"),
    ):
        (tmp_path / "agent.toml").write_text(CATEGORY.replace('category = ["flu", "cold"]', wrong))
        with pytest.raises(InputError, match=words):
            Holding.load(Config.load(tmp_path / "agent.toml").datasets[0])
