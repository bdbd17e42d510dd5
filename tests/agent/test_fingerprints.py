"""The same people are known again under another name, with rows more or fewer; other people are not taken for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.agent._config import Config
from discreet.agent._ledger import Analyst
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.errors import InputError

ANN = Analyst("ann", 1000.0, revoked=False)


def people(n: int, seed: int, digits: int = 1) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return [
        {
            "id": f"{seed}-{i}",
            "sex": "FM"[rng.integers(2)],
            "age": int(rng.integers(18, 80)),
            "height": round(float(rng.normal(170, 9)), digits),
            "smoker": int(rng.random() < 0.3),
            "weight": round(float(rng.normal(75, 9)), digits),
        }
        for i in range(n)
    ]


def agent(
    folder: Path, rows: list[dict[str, Any]], name: str = "people", *, public: str = "sex age", **private: str
) -> Agent:
    """An agent on one ledger; private columns by the name that they have in the data."""
    by_person = private.pop("person", "")
    renamed = {old: new for new, old in private.items()}
    lines = [",".join(renamed.get(key, key) for key in rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    text = f'[datasets.{name}]\ntable = "{name}.csv"\npublic = {public.split()}\nsmallest_group = 1\n'.replace("'", '"')
    if by_person:
        text += 'person = "id"\n'
    for new, old in private.items():
        low, high = (0, 1) if old == "smoker" else (0, 300)
        text += f"[datasets.{name}.private.{new}]\nlower = {low}\nupper = {high}\nkeep = {(high - low) / 10}\n"
    (folder / "agent.toml").write_text(text)
    return Agent(Config.load(folder / "agent.toml"))


def told(folder: Path, rows: list[dict[str, Any]], **options: Any) -> None:
    """An agent that has answered."""
    first = agent(folder, rows, **options)
    first.ledger.add_analyst("ann", 1000)
    for column in first.holdings["people"].private:
        first.ask(ANN, question_of(f"SELECT AVG({column}) FROM people WITH ERROR 5"))
    first.close()


@pytest.mark.parametrize("change", ["same", "fewer", "more", "half", "changed", "other public", "only the id"])
def test_the_same_people_under_another_name(tmp_path: Path, change: str) -> None:
    rows, extra = people(40, 1), people(40, 2)
    told(tmp_path, rows, height="height")
    public = {"other public": "smoker", "only the id": "id"}.get(change, "sex age")
    again = {
        "fewer": rows[:-1],
        "more": [*rows, extra[0]],
        "half": rows[:20],
        "changed": [*rows[:37], *extra[:3]],
    }.get(change, rows)
    with pytest.raises(
        InputError, match="holds the same values as 'height' of 'people', about which answers were given"
    ):
        agent(tmp_path, again, "renamed", public=public, size="height")
    assert agent(tmp_path, extra, "others", size="height").holdings


@pytest.mark.parametrize(("n", "digits"), [(40, 1), (2000, 1), (2000, 0), (300, 5)])
def test_other_people_are_not_taken_for_them(tmp_path: Path, n: int, digits: int) -> None:
    told(tmp_path, people(n, 1, digits), height="height", smoker="smoker")
    assert agent(tmp_path, people(n, 2, digits), "others", height="height", smoker="smoker").holdings


def test_columns_of_few_values_are_known_by_their_rows_and_by_person(tmp_path: Path) -> None:
    rows = people(400, 1)
    told(tmp_path, rows, smoker="smoker", person="id")
    with pytest.raises(InputError, match="holds the same values as 'smoker'"):
        agent(tmp_path, rows[5:], "renamed", smokes="smoker")
    shuffled = [{**row, "age": 20 + i % 60} for i, row in enumerate(rows)]  # not known by its rows any more
    with pytest.raises(InputError, match="holds the same values as 'smoker'"):
        agent(tmp_path, shuffled[5:], "renamed", smokes="smoker", person="id")


def test_columns_may_be_added_and_answers_stay(tmp_path: Path) -> None:
    rows = people(40, 1)
    told(tmp_path, rows, height="height", public="age")
    for options in ({"weight": "weight"}, {"public": "sex age", "weight": "weight"}):
        more = agent(tmp_path, rows, **{"public": "age", "height": "height", **options})
        question = question_of("SELECT AVG(height) FROM people WITH ERROR 5")
        assert more.price(ANN, question)["known"]
        assert more.ask(ANN, question_of("SELECT SUM(height) FROM people WHERE age < 50 WITH ERROR 5")).cells > 1
        assert more.ask(ANN, question_of("SELECT AVG(weight) FROM people WITH ERROR 5")).cells > 1
        book = next(iter(more._books.values()))
        record = book.up_to_date(more.ledger).records[-1]
        true = sum(sorted(row["height"] for row in rows if row["age"] < 50))
        assert book.holding.private["height"][record.question.members].sum() == pytest.approx(true)
        more.close()


def test_the_ledger_reveals_nothing_without_the_key(tmp_path: Path) -> None:
    told(tmp_path, people(40, 1), height="height")
    assert (tmp_path / "ledger.key").stat().st_mode & 0o077 == 0
    key = (tmp_path / "ledger.key").read_text()
    other = tmp_path / "other"
    other.mkdir()
    told(other, people(40, 1), height="height")
    marks = [Agent(Config.load(where / "agent.toml")) for where in (tmp_path, other)]
    first, second = (next(iter(each.ledger.pinned.values())).columns for each in marks)
    assert all(a.digest != b.digest for a, b in zip(first, second, strict=True))
    assert first[-1].fingerprint != second[-1].fingerprint
    for each in marks:
        each.close()
    (tmp_path / "ledger.key").write_text("00" * 32)
    with pytest.raises(InputError, match="not the one that this ledger began with"):
        Agent(Config.load(tmp_path / "agent.toml"))
    (tmp_path / "ledger.key").write_text("what?")
    with pytest.raises(InputError, match="holds no key"):
        Agent(Config.load(tmp_path / "agent.toml"))
    (tmp_path / "ledger.key").write_text(key)
    Agent(Config.load(tmp_path / "agent.toml")).close()
