"""Histograms of a private category: one question with one price, one book and one promise for all its categories."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet.dbapi
from discreet.agent import AgentError
from discreet.agent._config import Config
from discreet.agent._holdings import Holding, load_all
from discreet.agent._registry import Analyst
from discreet.agent._service import Agent
from discreet.agent._sql import question_of, selection_of
from discreet.agent._statements import statement_of
from discreet.errors import InputError
from discreet.queries.auditor._category_attacks import attacked_categories
from tests.agent.conftest import Running, serving
from tests.processes import said

CONFIG = """
[datasets.people]
table = "people.csv"
public = ["sex", "city"]
person = "id"
[datasets.people.private.illness]
categories = ["flu", "cold", "gout", "none"]
"""
CATEGORIES = ["flu", "cold", "gout", "none"]
HISTOGRAM = "SELECT illness, COUNT(*) FROM people WHERE sex = 'F' GROUP BY illness WITH ERROR 5"


def write(folder: Path, config: str = CONFIG, people: int = 240) -> list[dict[str, str]]:
    rng = np.random.default_rng(5)
    rows = [
        {
            "id": f"p{i}",
            "sex": str(rng.choice(["F", "M"])),
            "city": str(rng.choice(["Rome", "Bern", "Oslo"])),
            "illness": str(rng.choice(CATEGORIES, p=[0.2, 0.25, 0.05, 0.5])),
        }
        for i in range(people)
    ]
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "agent.toml").write_text(config)
    return rows


@pytest.fixture
def counting(tmp_path: Path) -> Iterator[tuple[Running, list[dict[str, str]]]]:
    rows = write(tmp_path)
    with serving(tmp_path) as found:
        yield found, rows


def test_a_histogram_is_one_question_with_one_price(counting: tuple[Running, list[dict[str, str]]]) -> None:
    running, rows = counting
    ann = running.analyst()
    true = Counter(row["illness"] for row in rows if row["sex"] == "F")
    price = ann.price(HISTOGRAM)
    assert price["groups"] == 4 and not price["known"] and price["bits"] > 4
    found = ann.ask(HISTOGRAM)
    assert [row["group"] for row in found["groups"]] == [{"illness": label} for label in CATEGORIES]
    for row in found["groups"]:
        assert row["cell"][0] <= true[row["group"]["illness"]] <= row["cell"][1] and row["error"] <= 5
    assert 0 < found["bits"] <= price["bits"] and ann.ledger()["spent"] == pytest.approx(found["bits"])
    again = ann.ask(HISTOGRAM)
    assert again["bits"] == 0 and again["groups"] == found["groups"] and ann.price(HISTOGRAM)["known"]
    one = ann.ask("SELECT COUNT(*) FROM people WHERE sex = 'F' AND illness = 'cold' WITH ERROR 5")
    assert one["cell"] == found["groups"][1]["cell"] and one["number"] == found["groups"][1]["number"]
    by_parts = {"dataset": "people", "aggregate": "count", "column": "illness", "error": 5, "by": ["illness"]}
    where = {"column": "sex", "is": "=", "value": "F"}
    assert ann.ask({**by_parts, "where": where})["groups"] == found["groups"]


def test_by_a_public_column_too(counting: tuple[Running, list[dict[str, str]]]) -> None:
    running, rows = counting
    ann = running.analyst()
    found = ann.ask("SELECT city, illness, COUNT(*) AS many FROM people GROUP BY city, illness WITH ERROR 4")
    true = Counter((row["city"], row["illness"]) for row in rows)
    assert len(found["groups"]) == 12
    for row in found["groups"]:
        assert row["cell"][0] <= true[row["group"]["city"], row["group"]["illness"]] <= row["cell"][1]
    cursor = discreet.dbapi.connect(running.url, ann.key).cursor()
    table = cursor.execute(
        "SELECT illness, COUNT(*) FROM people WHERE city = ? GROUP BY illness WITH ERROR 4", ["Bern"]
    )
    assert [row[0] for row in table.fetchall()] == CATEGORIES


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    folder = tmp_path_factory.mktemp("refusing")
    write(folder)
    agent = Agent(Config.load(folder / "agent.toml"))
    yield agent
    agent.close()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT COUNT(*) FROM people WITH ERROR 5", "COUNT of .* is known already"),
        ("SELECT COUNT(illness) FROM people WITH ERROR 5", "a column of categories is counted"),
        ("SELECT AVG(illness) FROM people WITH ERROR 5", "a column of categories is counted"),
        ("SELECT SUM(2 * illness) FROM people WITH ERROR 5", "a column of categories is counted"),
        ("SELECT COUNT(*) FROM people WHERE illness = 'plague' WITH ERROR 5", "has the categories"),
        ("SELECT COUNT(*) FROM people WHERE illness <> 'flu' WITH ERROR 5", "COUNT is of one category"),
        ("SELECT COUNT(*) FROM people WHERE illness IN ('flu', 'cold') WITH ERROR 5", "COUNT is of one category"),
        ("SELECT COUNT(*) FROM people WHERE illness = 'flu' AND illness = 'cold' WITH ERROR 5", "COUNT is of one"),
        ("SELECT COUNT(*) FROM people WHERE illness = 'flu' OR sex = 'F' WITH ERROR 5", "COUNT of"),
        (
            "SELECT COUNT(*) FROM people WHERE illness = 'flu' AND (sex = 'F' OR illness = 'cold') WITH ERROR 5",
            "not public",
        ),
        ("SELECT COUNT(*) FROM people WHERE illness = 'flu' GROUP BY illness WITH ERROR 5", "COUNT is of one"),
        ("SELECT illness, COUNT(*), AVG(illness) FROM people GROUP BY illness WITH ERROR 5", "categories is counted"),
    ],
)
def test_what_is_refused(refusing: Agent, statement: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        refusing.parts(Analyst("ann", 10.0, revoked=False), selection_of(statement))


def test_a_statement_reads_back() -> None:
    for statement in (HISTOGRAM, "SELECT COUNT(*) FROM people WHERE sex = 'F' AND illness = 'flu' WITH ERROR 5"):
        question = question_of(statement)
        assert question_of(statement_of(question)) == question and statement_of(question) == statement


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"none"]', '"none", "flu"]', "categories are 2 to 200 labels, each once"),
        ('["flu", "cold", "gout", "none"]', '["flu"]', "categories are 2 to 200"),
        ('"none"]', '"none"]\nkeep = 5', "keep is how many categories"),
        ('"none"]', '"none"]\nkeep = 2.5', "keep is how many categories"),
        ('"none"]', '"none"]\nlower = 0', "leave 'lower' out"),
        ('"none"]', '"none"]\ncategory = ["flu"]', "leave 'category' out"),
        (', "gout"', "", r"\d+ rows have no label, or none of its categories"),
        ('person = "id"', 'person = "id"\ntogether = [["illness", "x"]]', "together names 'x'"),
    ],
)
def test_declarations_that_cannot_be(tmp_path: Path, old: str, new: str, words: str) -> None:
    write(tmp_path, CONFIG.replace(old, new))
    with pytest.raises(InputError, match=words):
        Holding.load(Config.load(tmp_path / "agent.toml").datasets[0])


def test_missing_labels_are_refused_in_one_line(tmp_path: Path) -> None:
    write(tmp_path)
    table = tmp_path / "people.csv"
    table.write_text(table.read_text() + "p999,F,Rome,\n")
    with pytest.raises(InputError, match="1 rows have no label, or none of its categories"):
        Holding.load(Config.load(tmp_path / "agent.toml").datasets[0])


@pytest.mark.parametrize("column", ["drug", "fever"])
@pytest.mark.parametrize("role", ["public", "private"])
def test_another_column_that_tells_the_category(tmp_path: Path, column: str, role: str) -> None:
    """A drug for each illness, and whether it is flu: everybody who knows them knows the category."""
    rows = write(tmp_path)
    tells = {"flu": "A", "cold": "B", "gout": "C", "none": "D"}
    told = [tells[row["illness"]] if column == "drug" else str(int(row["illness"] == "flu")) for row in rows]
    lines = [f"id,sex,city,illness,{column}"]
    lines += [",".join([*row.values(), each]) for row, each in zip(rows, told, strict=True)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    private = (
        'categories = ["A", "B", "C", "D"]' if column == "drug" else "lower = 0\nupper = 1\nkeep = 1\nintegral = true"
    )
    config = CONFIG.replace('"city"]', f'"city", "{column}"]')
    if role == "private":
        config = f"{CONFIG}[datasets.people.private.{column}]\n{private}\n"
    (tmp_path / "agent.toml").write_text(config)
    with pytest.raises(InputError, match=r"tells it|tells the same as|follows from"):
        Holding.load(Config.load(tmp_path / "agent.toml").datasets[0])


@pytest.mark.parametrize("other", ['categories = ["none", "gout", "cold", "flu"]', 'category = ["flu"]'])
def test_the_same_people_under_another_name_are_refused(tmp_path: Path, other: str) -> None:
    rows = write(tmp_path)
    lines = ["id,sex,city,diagnosis", *(",".join(row.values()) for row in rows[:-3])]
    (tmp_path / "others.csv").write_text("\n".join(lines) + "\n")
    second = CONFIG.replace("people", "others").replace("illness", "diagnosis")
    second = re.sub(r"categories = .*", other, second)
    (tmp_path / "agent.toml").write_text(CONFIG + second)
    with pytest.raises(InputError, match="the same"):
        load_all(Config.load(tmp_path / "agent.toml").datasets)


def test_started_again_it_goes_on_from_the_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    with serving(tmp_path) as running:
        ann = running.analyst()
        first = ann.ask(HISTOGRAM)
        fine = "SELECT illness, COUNT(*) FROM people WHERE city = 'Oslo' GROUP BY illness WITH ERROR 0.4"
        told = ann.ask(fine)
        kept = running.agent.kept()
        assert kept[0]["categories"] == 4 and kept[0]["shortest"] >= 2 and kept[0]["answers"] == 8
        page = running.agent
        price = ann.price("SELECT COUNT(*) FROM people WHERE city = 'Rome' AND illness = 'gout' WITH ERROR 2")
        assert page.datasets()[0]["private"][0]["categories"] == CATEGORIES
        key = ann.key
        out = said(capsys, "query", running.url, "--datasets", "--key", key)[1]
        assert "illness is one of flu, cold, gout, none; everybody keeps 2" in out
        lines = said(capsys, "query", running.url, HISTOGRAM, "--key", key)[1].splitlines()
        assert lines[0].startswith("flu: ") and lines[4] == "(0 bits for 4 groups)"
        assert "COUNT(*)" in said(capsys, "query", running.url, "--ledger", "--key", key)[1]
        running.agent.close()
    agent = Agent(Config.load(tmp_path / "agent.toml"))
    try:
        name = agent.ledger.books()[0]
        book = agent._opened(agent.holdings["people"], ("illness",), "")
        auditor = book.up_to_date(agent.ledger)
        assert auditor._memory.folded == len(auditor.records) == len(agent.ledger.read(book=name))
        members = np.flatnonzero(agent.holdings["people"].public["city"][1] == 2)
        cells = auditor.offer(members=members, category=2, error=2)  # type: ignore[call-arg]
        assert price["cells"] == len(cells)
        assert [row["cell"] for row in (*first["groups"], *told["groups"])] == [
            [row.low, row.high] for row in agent.ledger.read(book=name)
        ]
    finally:
        agent.close()
    code, out, _ = said(capsys, "serve", str(tmp_path / "agent.toml"), "--check")
    assert code == 0 and "illness (4 categories) private" in out
    ledger, html = str(tmp_path / "ledger.sqlite"), str(tmp_path / "attack.html")
    attack = ["attack", ledger, "--config", str(tmp_path / "agent.toml")]
    code, out, _ = said(capsys, *attack, "--html", html)
    assert code == 0 and "0 have less than the 2 that was promised; the fewest categories left are" in out
    found = json.loads(said(capsys, *attack, "--json")[1])["findings"][0]
    assert found["below_keep"] == 0 and len(found["most_exposed"][0]["possible"]) >= 2
    assert "can be" in Path(html).read_text()


def test_changed_categories_are_refused_once_an_answer_stands(tmp_path: Path) -> None:
    write(tmp_path)
    with serving(tmp_path) as running:
        running.analyst().ask(HISTOGRAM)
        running.agent.close()
    (tmp_path / "agent.toml").write_text(CONFIG.replace('"none"]', '"none", "mumps"]'))
    with pytest.raises(InputError, match="changed since answers were given"):
        Agent(Config.load(tmp_path / "agent.toml"))


def test_a_price_is_refused_before_anything_is_said(counting: tuple[Running, list[dict[str, str]]]) -> None:
    poor = counting[0].analyst(budget=5)
    with pytest.raises(AgentError, match=r"costs .* bits and you have 5 left"):
        poor.ask(HISTOGRAM)
    assert poor.ledger()["spent"] == 0


def test_a_naive_ledger_is_found_out() -> None:
    """The attack sees what counts told one by one give away."""
    told: list[Any] = [(np.arange(4), k, x, x) for k, x in enumerate((2, 1, 1))]
    told += [(np.arange(3), k, x, x) for k, x in enumerate((2, 1, 0))]
    possible, tried = attacked_categories(4, 3, told)
    assert tried == 4 and possible.tolist() == [[True, True, False]] * 3 + [[False, False, True]]
