"""The small SQL: what it reads, what it refuses by name, and that nothing crashes it."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.agent.questions import Question
from discreet.agent.sql import question_of
from discreet.errors import InputError

pytest.importorskip("sqlglot")


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("SELECT AVG(h) FROM p WITH ERROR 5", None),
        ("select avg(h) as mean from p where sex = 'F' with error 5;", {"column": "sex", "is": "=", "value": "F"}),
        ("SELECT AVG(h) FROM p WHERE 3 < age WITH ERROR 5", {"column": "age", "is": ">", "value": 3}),
        ("SELECT AVG(h) FROM p WHERE t = -2.5 WITH ERROR 5", {"column": "t", "is": "=", "value": -2.5}),
        ("SELECT AVG(h) FROM p WHERE ok = TRUE WITH ERROR 5", {"column": "ok", "is": "=", "value": True}),
        (
            "SELECT AVG(h) FROM p WHERE a IN ('x', 'y') AND NOT b IS NULL WITH ERROR 5",
            {
                "all": [
                    {"column": "a", "is": "in", "value": ["x", "y"]},
                    {"not": {"column": "b", "is": "missing"}},
                ]
            },
        ),
        (
            "SELECT AVG(h) FROM p WHERE (a = 1 OR b <> 2) AND c BETWEEN 3 AND 4 WITH ERROR 5",
            {
                "all": [
                    {"any": [{"column": "a", "is": "=", "value": 1}, {"column": "b", "is": "!=", "value": 2}]},
                    {"column": "c", "is": "between", "value": [3, 4]},
                ]
            },
        ),
    ],
)
def test_what_is_read(statement: str, where: object) -> None:
    found = question_of(statement)
    assert found.to_json() == {"dataset": "p", "aggregate": "mean", "column": "h", "error": 5.0, "where": where}
    assert Question.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT AVG(h) FROM p", "WITH ERROR"),
        ("SELECT AVG(h) FROM p WITH ERROR five", "needs a number"),
        ("SELECT AVG(h) FROM p WITH ERROR 0", "above 0"),
        ("SELECT AVG(h) FROM p WITH ERROR nan", "finite"),
        ("SELECT AVG(h) FROM p WITH ERROR 1e999", "finite"),
        ("DROP TABLE p WITH ERROR 1", "DROP is not offered"),
        ("SELECT AVG(h) FROM p; DROP TABLE p WITH ERROR 1", "one statement"),
        ("SELECT MEDIAN(h) FROM p WITH ERROR 1", "MEDIAN is not offered"),
        ("SELECT MAX(h) FROM p WITH ERROR 1", "MAX is not offered"),
        ("SELECT h FROM p WITH ERROR 1", "COLUMN is not offered"),
        ("SELECT AVG(h), AVG(g) FROM p WITH ERROR 1", "one number"),
        ("SELECT AVG(DISTINCT h) FROM p WITH ERROR 1", "DISTINCT"),
        ("SELECT AVG(h + 1) FROM p WITH ERROR 1", "ADD"),
        ("SELECT COUNT(*) FROM p WITH ERROR 1", "STAR"),
        ("SELECT AVG(h) FROM p GROUP BY s WITH ERROR 1", "GROUP is not offered"),
        ("SELECT AVG(h) FROM p JOIN q WITH ERROR 1", "JOINS is not offered"),
        ("SELECT AVG(h) FROM p LIMIT 1 WITH ERROR 1", "LIMIT is not offered"),
        ("SELECT AVG(h) FROM (SELECT 1) WITH ERROR 1", "one data set"),
        ("SELECT AVG(h) FROM p AS q WITH ERROR 1", "one data set"),
        ("SELECT AVG(h) WITH ERROR 1", "one data set"),
        ("SELECT AVG(h) FROM p WHERE a LIKE 'x%' WITH ERROR 1", "LIKE"),
        ("SELECT AVG(h) FROM p WHERE a IN (SELECT 1) WITH ERROR 1", "IN in WHERE"),
        ("SELECT AVG(h) FROM p WHERE a = b WITH ERROR 1", "COLUMN in WHERE is not a value"),
        ("SELECT AVG(h) FROM p WHERE a = -'x' WITH ERROR 1", "minus sign"),
        ("SELECT AVG(h) FROM p WHERE " + "(" * 60 + "a = 1" + ")" * 60 + " WITH ERROR 1", "nested"),
        ("SELECT SELECT SELECT WITH ERROR 1", "does not read as SQL"),
        ("", "WITH ERROR"),
        ("x" * 20_000, "at most"),
    ],
)
def test_what_is_refused_by_name(statement: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        question_of(statement)


def test_a_long_chain_of_conditions_is_read() -> None:
    *_, statement = forms(" OR ".join(f"a = {i}" for i in range(300)))
    assert len(question_of(statement).to_json()["where"]["any"]) == 300


WORDS = """
    SELECT AVG SUM COUNT ( ) h FROM p WHERE a = 'x' 1 -2.5 AND OR NOT IN BETWEEN IS NULL , ; * WITH ERROR 5 GROUP BY LIMIT
    JOIN " ` [ ] { } -- /* */ CASE WHEN CAST AS :: @ $1 ? 0x1F 1e5 DISTINCT UNION OVER LIKE ESCAPE
"""
STATEMENTS = st.lists(st.sampled_from(WORDS.split()), max_size=25).map(" ".join) | st.text(max_size=60)


def forms(text: str) -> tuple[str, ...]:
    """A text as a statement of its own, with an error, and as a condition."""
    return text, f"{text} WITH ERROR 5", f"SELECT AVG(h) FROM p WHERE {text} WITH ERROR 5"


@settings(max_examples=400, deadline=None)
@given(STATEMENTS)
@example("a = 1e9999999999")
@example("a = 0x1F")
def test_nothing_crashes_it(text: str) -> None:
    for statement in forms(text):
        with contextlib.suppress(InputError):
            question = question_of(statement)
            assert Question.from_json(question.to_json()) == question


@pytest.mark.slow
@settings(max_examples=33_334, deadline=None)
@given(STATEMENTS)
def test_nothing_crashes_it_in_a_hundred_thousand_statements(text: str) -> None:
    for statement in forms(text):
        with contextlib.suppress(InputError):
            question_of(statement)
