"""The agent as a database: PEP 249, pandas and SQLAlchemy, against a real server."""

from __future__ import annotations

import datetime as dt
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sqlalchemy
from sqlalchemy.dialects import registry

from discreet import dbapi
from discreet.agent._sql import question_of
from tests.agent.conftest import Running

BY_CITY = "SELECT city, AVG(height) FROM people GROUP BY city WITH ERROR 5"
FEMALE = "SELECT AVG(height) FROM people WHERE sex = ? AND city IN ? WITH ERROR 5"


@pytest.fixture(scope="module", autouse=True)
def dialect() -> None:
    """As the entry points in pyproject.toml say, whether or not this checkout is installed."""
    said = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    for name, target in said["project"]["entry-points"]["sqlalchemy.dialects"].items():
        registry.register(name, *target.split(":"))


@pytest.fixture
def connection(running: Running) -> dbapi.Connection:
    return dbapi.connect(running.url, running.analyst(budget=200).key)


def test_a_cursor_asks_and_hands_out_rows(connection: dbapi.Connection) -> None:
    assert (dbapi.apilevel, dbapi.threadsafety, dbapi.paramstyle) == ("2.0", 2, "qmark")
    with connection:
        cursor: Any = connection.cursor()
        assert (cursor.description, cursor.rowcount) == (None, -1)
        cursor.execute(BY_CITY)
        assert [each[0] for each in cursor.description] == ["city", "answer", "error", "low", "high", "bits"]
        assert cursor.description[0][1] == dbapi.STRING and cursor.description[1][1] == dbapi.NUMBER
        first = cursor.fetchone()
        assert cursor.rowcount == 3 and first is not None and first[0] == "Bern" and first[3] <= first[1] <= first[4]
        assert len(cursor.fetchmany(1)) == 1 and len(cursor.fetchall()) == 1 and cursor.fetchone() is None
        connection.commit()
        connection.rollback()
        assert next(iter(connection.cursor().execute(FEMALE, ["F", ["Oslo", "Rome"]])))[1] is not None
        cursor.close()
        with pytest.raises(dbapi.InterfaceError, match="the cursor is closed"):
            cursor.fetchone()
    with pytest.raises(dbapi.InterfaceError, match="the connection is closed"):
        connection.cursor()


def test_explain_tells_the_price_and_spends_nothing(running: Running, connection: dbapi.Connection) -> None:
    before = connection.client.ledger()["left"]
    sql = "SELECT AVG(height) FROM people WHERE city = 'Rome' AND sex = 'M' WITH ERROR 5"
    (row,) = connection.cursor().execute(f"explain {sql}").fetchall()
    assert row[0] == connection.client.price(sql)["bits"] == connection.client.ask(f"EXPLAIN {sql}")["bits"] > 0
    assert connection.client.ledger()["left"] == before
    (row,) = connection.cursor().execute(f"EXPLAIN {BY_CITY}").fetchall()
    assert row[-1] == 3
    with pytest.raises(dbapi.NotSupportedError, match="MAX is not offered"):
        connection.cursor().execute("EXPLAIN SELECT MAX(height) FROM people WITH ERROR 5")


def test_pandas_reads_a_connection(connection: dbapi.Connection) -> None:
    with pytest.warns(UserWarning, match="SQLAlchemy"):
        table = pd.read_sql(BY_CITY, connection)  # type: ignore[call-overload]
    assert list(table["city"]) == ["Bern", "Oslo", "Rome"]
    assert ((table["low"] <= table["answer"]) & (table["answer"] <= table["high"])).all()


def test_pandas_and_sqlalchemy_read_an_engine(running: Running) -> None:
    ann = running.analyst(budget=200)
    port = running.url.rpartition(":")[2]
    for scheme in ("discreet", "discreet+http"):
        engine = sqlalchemy.create_engine(f"{scheme}://:{ann.key}@127.0.0.1:{port}/")
        table = pd.read_sql(BY_CITY, engine)
        assert list(table.columns) == ["city", "answer", "error", "low", "high", "bits"] and len(table) == 3
        named = sqlalchemy.text("SELECT AVG(height) FROM people WHERE sex = :sex WITH ERROR 5")
        with engine.connect() as connection:
            answer = connection.execute(named, {"sex": "F"}).one()
            assert answer.low <= answer.answer <= answer.high
        found = sqlalchemy.inspect(engine)
        assert found.get_table_names() == ["people", "alone"]
        assert {column["name"] for column in found.get_columns("people")} == {"sex", "city", "height", "smoker"}
        people = sqlalchemy.Table("people", sqlalchemy.MetaData(), autoload_with=engine)
        query = (
            sqlalchemy.select(sqlalchemy.func.avg(people.c.height))
            .where(people.c.sex == "F")
            .suffix_with("WITH ERROR 5")
        )
        with engine.connect() as connection:
            assert connection.execute(query).one().low == answer.low
        engine.dispose()


@pytest.mark.parametrize(
    "value",
    ["F' OR TRUE --", "''", "a\\' OR 1=1", "?", ":name", "'); SELECT", "/* x */", '"', "\u2019 OR TRUE", "--", ";"],
)
def test_a_text_is_a_text_whatever_it_says(value: str) -> None:
    """What a parameter holds cannot become another condition."""
    for sql, parameters in (
        ("SELECT AVG(h) FROM p WHERE sex = ? WITH ERROR 5", [value]),
        ("SELECT AVG(h) FROM p WHERE sex = :it WITH ERROR 5", {"it": value}),
    ):
        question = question_of(dbapi.bound(sql, parameters))
        assert question.to_json()["where"] == {"column": "sex", "is": "=", "value": value}


def test_values_of_every_kind() -> None:
    sql = "SELECT AVG(h) FROM p WHERE a = ? AND b IN ? AND c >= ? AND d = ? AND e = '?' AND f > -? WITH ERROR ?"
    values = [-3, ("x", "y"), dt.date(2026, 1, 31), True, np.float64(-2.5), 5]
    parts = question_of(dbapi.bound(sql, values)).to_json()["where"]["all"]
    assert [part["value"] for part in parts] == [-3, ["x", "y"], "2026-01-31", True, "?", 2.5]


@pytest.mark.parametrize(
    ("parameters", "kind", "words"),
    [
        ([], dbapi.ProgrammingError, "more than the 0 values"),
        (["F", 1, 2], dbapi.ProgrammingError, "3 values were given"),
        ("F", dbapi.ProgrammingError, "parameters are a list"),
        ([None, ("Oslo",)], dbapi.DataError, "IS NULL"),
        ([float("nan"), ("Oslo",)], dbapi.DataError, "not float"),
        ([object(), ("Oslo",)], dbapi.DataError, "not object"),
        ([(), ("Oslo",)], dbapi.DataError, "not tuple"),
    ],
)
def test_parameters_that_are_refused(connection: dbapi.Connection, parameters: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        connection.cursor().execute(FEMALE, parameters)


def test_refusals_are_of_their_kind(
    running: Running, connection: dbapi.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    cursor = connection.cursor()
    with pytest.raises(dbapi.NotSupportedError, match="MAX is not offered"):
        cursor.execute("SELECT MAX(height) FROM people WITH ERROR 5")
    with pytest.raises(dbapi.ProgrammingError, match="not public"):
        cursor.execute("SELECT AVG(height) FROM people WHERE height > 2 WITH ERROR 5")
    with pytest.raises(dbapi.InterfaceError, match="nothing was asked"):
        cursor.fetchall()
    with pytest.raises(dbapi.NotSupportedError, match="one question at a time"):
        cursor.executemany(FEMALE, [])
    with pytest.raises(dbapi.OperationalError, match="bits and you have 0 left"):
        dbapi.connect(running.url, running.analyst(budget=0).key).cursor().execute(BY_CITY.replace("5", "4"))
    with pytest.raises(dbapi.OperationalError, match="does not answer"):
        dbapi.connect("http://127.0.0.1:9", "key", timeout=1).cursor().execute(BY_CITY)
    with pytest.raises(dbapi.InterfaceError, match="starts with http"):
        dbapi.connect("nowhere", "key")
    monkeypatch.delenv("DISCREET_KEY", raising=False)
    with pytest.raises(dbapi.InterfaceError, match="a key is needed"):
        dbapi.connect(running.url)


def test_a_notebook_shows_the_answer_its_cell_and_what_it_cost(running: Running) -> None:
    ann = running.analyst(budget=100)
    one = ann.ask("SELECT AVG(height) FROM people WHERE sex = 'F' AND city = 'Bern' WITH ERROR 4")
    page = one._repr_html_()
    assert one["left"] == ann.ledger()["left"]
    for words in ("answer", f"{one['left']:.4g}", "of your budget", "where the true value lies", f"{one['bits']:.4g}"):
        assert words in page
    groups = ann.ask(BY_CITY)
    groups["groups"][0]["group"]["city"] = "<script>"
    assert "&lt;script&gt;" in groups._repr_html_() and "Rome" in groups._repr_html_()
    assert "what asking would cost" in ann.ask("EXPLAIN SELECT AVG(height) FROM people WITH ERROR 1")._repr_html_()
