"""The small SQL: what it reads, what it refuses by name, and that nothing crashes it."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.agent._filters import DEEPEST, MOST
from discreet.agent._questions import Question
from discreet.agent._sql import question_of
from discreet.agent._statements import statement_of
from discreet.errors import InputError
from tests.examples import examples

sqlglot = pytest.importorskip("sqlglot")


ERRORS = [
    "",
    "five",
    "0",
    "-1",
    "+1",
    "nan",
    "inf",
    "1e999",
    "1e-999",
    "1_000",
    "٣",
    "5%",
    "'5'",
    "5 cm",
    "5, 0",
    "5,",
    "5 5",
    "(5)",
]
ERRORS += ["5 LIMIT 1", "5 WITH ERROR 5", "0x10", "NULL"]


def where(condition: str) -> str:
    return f"SELECT AVG(h) FROM p WHERE {condition} WITH ERROR 5"


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("SELECT AVG(h) FROM p WITH ERROR 5", None),
        ("select avg(h) as mean from p where sex = 'F' with error 5;", {"column": "sex", "is": "=", "value": "F"}),
        ("SeLeCt AvG(h) FrOm p\n\twHeRe sex='F'\r\nwItH eRrOr 5.0;;", {"column": "sex", "is": "=", "value": "F"}),
        ("SELECT AVG(h) -- the mean\nFROM p /* of all */ WITH ERROR 5 -- cm", None),
        ('SELECT AVG("h") FROM "p" WHERE "a b" = 1 WITH ERROR 5e0', {"column": "a b", "is": "=", "value": 1}),
        (where("3 < age"), {"column": "age", "is": ">", "value": 3}),
        (where("t = -2.5"), {"column": "t", "is": "=", "value": -2.5}),
        (where("t = .5"), {"column": "t", "is": "=", "value": 0.5}),
        (where("ok = TRUE"), {"column": "ok", "is": "=", "value": True}),
        (where("TRUE"), None),
        (where("größe <> 'ä'"), {"column": "größe", "is": "!=", "value": "ä"}),
        (where("a = 'it''s -- WITH ERROR 1; DROP'"), {"column": "a", "is": "=", "value": "it's -- WITH ERROR 1; DROP"}),
        (where("d >= DATE '2026-01-31'"), {"column": "d", "is": ">=", "value": "2026-01-31"}),
        (where("d < CAST('2026-01-31' AS DATE)"), {"column": "d", "is": "<", "value": "2026-01-31"}),
        (
            where("a IN ('x', 'y') AND NOT b IS NULL"),
            {"all": [{"column": "a", "is": "in", "value": ["x", "y"]}, {"not": {"column": "b", "is": "missing"}}]},
        ),
        (
            where("(a = 1 OR b <> 2) AND c BETWEEN 3 AND 4"),
            {
                "all": [
                    {"any": [{"column": "a", "is": "=", "value": 1}, {"column": "b", "is": "!=", "value": 2}]},
                    {"column": "c", "is": "between", "value": [3, 4]},
                ]
            },
        ),
    ],
)
def test_what_is_read(statement: str, wanted: object) -> None:
    found = question_of(statement)
    assert found.to_json() == {"dataset": "p", "aggregate": "mean", "column": "h", "error": 5.0, "where": wanted}
    assert Question.from_json(found.to_json()) == found
    assert question_of(statement_of(found)) == found


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("", "WITH ERROR"),
        (" ; ", "WITH ERROR"),
        ("x" * 20_000, "at most"),
        ("SELECT AVG(h) FROM p", "ends in WITH ERROR"),
        ("SELECT AVG(h) FROM p -- WITH ERROR 5", "ends in WITH ERROR"),
        ("SELECT AVG(h) FROM p WHERE a = 'WITH ERROR 5'", "ends in WITH ERROR"),
        ("SELECT AVG(h) FROM p WHERE a = 'x WITH ERROR 5", "a quote may be open"),
        *[
            (f"SELECT AVG(h) FROM p WITH ERROR {error}", "WITH ERROR needs a number, finite and above 0")
            for error in ERRORS
        ],
        ("SELECT AVG(h) FROM p; DROP TABLE p WITH ERROR 1", "one statement"),
        ("SELECT AVG(h) FROM p WITH ERROR 1; DROP TABLE p", "one statement"),
        ("DROP TABLE p WITH ERROR 1", "DROP is not offered"),
        ("INSERT INTO p VALUES (1) WITH ERROR 1", "INSERT is not offered"),
        ("EXPLAIN SELECT AVG(h) FROM p WITH ERROR 1", "EXPLAIN is not offered"),
        ("PRAGMA x WITH ERROR 1", "PRAGMA is not offered"),
        ("WITH q AS (SELECT 1) SELECT AVG(h) FROM q WITH ERROR 1", "WITH is not offered"),
        ("FROM p SELECT AVG(h) WITH ERROR 1", "FROM is not offered"),
        ("(SELECT AVG(h) FROM p) WITH ERROR 1", "is not offered"),
        ("SELECT AVG(h) FROM p UNION SELECT AVG(h) FROM q WITH ERROR 1", "UNION is not offered"),
        ("SELECT AVG(h) FROM p EXCEPT SELECT 1 WITH ERROR 1", "EXCEPT is not offered"),
        ("SELECT MEDIAN(h) FROM p WITH ERROR 1", "MEDIAN is not offered"),
        ("SELECT MAX(h) FROM p WITH ERROR 1", "MAX is not offered"),
        ("SELECT pg_sleep(9) FROM p WITH ERROR 1", "PG_SLEEP is not offered"),
        ("SELECT AVG(h) OVER () FROM p WITH ERROR 1", "OVER is not offered"),
        ("SELECT AVG(h) FILTER (WHERE a = 1) FROM p WITH ERROR 1", "FILTER is not offered"),
        ("SELECT h FROM p WITH ERROR 1", "a column alone is not offered"),
        ("SELECT * FROM p WITH ERROR 1", r"\* is not offered"),
        ("SELECT AVG(h) + 1 FROM p WITH ERROR 1", r"\+ is not offered"),
        ("SELECT AVG(h), AVG(g) FROM p WITH ERROR 1", "one number"),
        ("SELECT AVG(h) FROM p WITH ERROR 1, 1", "one number for all, or one for each of the 1"),
        ("SELECT AVG(h) / 2 FROM p WITH ERROR 1", "AVG / a value alone is not offered"),
        ("SELECT SUM(h) / COUNT(h) FROM p WITH ERROR 1", "SUM / COUNT is not offered"),
        ("SELECT AVG(h) / AVG(g) FROM p WITH ERROR 1", "AVG / AVG is not offered after SELECT: the ratio that is"),
        ("SELECT SUM(w * h) / SUM(w * w) FROM p WITH ERROR 1", "SUM / SUM is not offered after SELECT"),
        ("SELECT SUM(w * h) / SUM(DISTINCT w) FROM p WITH ERROR 1", "SUM / SUM is not offered after SELECT"),
        ("SELECT SUM(w * h) / NULLIF(SUM(w), 0) FROM p WITH ERROR 1", "SUM / NULLIF is not offered after SELECT"),
        ("SELECT MAX(h) / SUM(w) FROM p WITH ERROR 1", "MAX / SUM is not offered after SELECT"),
        ("SELECT DISTINCT AVG(h) FROM p WITH ERROR 1", "DISTINCT is not offered"),
        ("SELECT AVG(DISTINCT h) FROM p WITH ERROR 1", "AVG of DISTINCT"),
        ("SELECT AVG(h + 1) FROM p WITH ERROR 1", "AVG of a value alone"),
        ("SELECT AVG(ABS(h)) FROM p WITH ERROR 1", "AVG of ABS"),
        ("SELECT AVG(p.h) FROM p WITH ERROR 1", "a table before a column"),
        ("SELECT COUNT(h, g) FROM p WITH ERROR 1", "COUNT of several columns"),
        ("SELECT COUNT((h, g)) FROM p WITH ERROR 1", "COUNT of several columns"),
        ("SELECT AVG(h) WITH ERROR 1", "FROM is missing"),
        ("SELECT AVG(h) FROM (SELECT 1) WITH ERROR 1", "a subquery after FROM"),
        ("SELECT AVG(h) FROM p AS q WITH ERROR 1", "AS is not offered"),
        ("SELECT AVG(h) FROM x.p WITH ERROR 1", "a schema before the data set"),
        ("SELECT AVG(h) FROM p() WITH ERROR 1", "a function after FROM"),
        ("SELECT AVG(h) FROM p, q WITH ERROR 1", "JOIN is not offered"),
        ("SELECT AVG(h) FROM p JOIN q WITH ERROR 1", "JOIN is not offered"),
        ("SELECT AVG(h) FROM p GROUP BY s + 1 WITH ERROR 1", r"\+ in GROUP BY is not offered"),
        ("SELECT AVG(h) FROM p HAVING 1 = 1 WITH ERROR 1", "HAVING is not offered"),
        ("SELECT AVG(h) FROM p ORDER BY a WITH ERROR 1", "ORDER is not offered"),
        ("SELECT AVG(h) FROM p LIMIT 1 WITH ERROR 1", "LIMIT is not offered"),
        ("SELECT AVG(h) INTO q FROM p WITH ERROR 1", "INTO is not offered"),
        ("SELECT AVG(h) FROM p TABLESAMPLE (10) WITH ERROR 1", "TABLESAMPLE is not offered"),
        ("SELECT AVG(h) FROM p FOR UPDATE WITH ERROR 1", "FOR UPDATE is not offered"),
        ("SELECT /*+ HINT */ AVG(h) FROM p WITH ERROR 1", "HINT is not offered"),
        (where("a LIKE 'x%'"), "LIKE in WHERE is not offered"),
        (where("a IN (SELECT 1)"), "IN with a subquery"),
        (where("a IN ()"), "IN with a subquery or an empty list"),
        (where("EXISTS (SELECT 1)"), "EXISTS in WHERE is not offered"),
        (where("a = (SELECT 1)"), "a subquery in WHERE is not a value"),
        (where("a = b"), "not with a column"),
        (where('a = "b"'), "texts stand in single quotes"),
        (where("a = 1 OR 1 = 1"), "a value alone in WHERE is not offered"),
        (where("LOWER(a) = 'x'"), "LOWER in WHERE is not offered"),
        (where("a::int = 1"), "CAST in WHERE is not offered"),
        (where("a + 1 = 2"), r"\+ in WHERE is not offered"),
        (where("a = 1 + 1"), r"\+ in WHERE is not a value"),
        (where("a = NULL"), "IS NULL"),
        (where("a = :x"), "a placeholder in WHERE is not a value"),
        (where("a = -'x'"), "minus sign"),
        (where("a BETWEEN SYMMETRIC 2 AND 1"), "SYMMETRIC is not offered"),
        (where("a IS TRUE"), "IS in WHERE is not offered"),
        (where("a"), "a column alone in WHERE is not offered"),
        (where("a = 1e999"), "does not read as one"),
        (where("("), "does not read as SQL"),
        ("SELECT SELECT SELECT WITH ERROR 1", "does not read as SQL"),
        (where("(" * 60 + "a = 1" + ")" * 60), "nested too deeply"),
        (where("NOT " * 60 + "a = 1"), "nested too deeply"),
        (where("a = " + "- " * 60 + "1"), "nested too deeply"),
        (where(" OR ".join(["a = 1"] * (MOST + 1))), "too long"),
    ],
)
def test_what_is_refused_by_name(statement: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        question_of(statement)


def test_the_parser_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    for statement in ("EXPLAIN SELECT 1", "SHOW x", "CALL x()", "ALTER TABLE p ADD x"):
        with pytest.raises(InputError):
            question_of(f"{statement} WITH ERROR 1")
    assert not caplog.records


def test_a_long_chain_of_conditions_is_read() -> None:
    found = question_of(where(" OR ".join(f"a = {i}" for i in range(MOST - 1))))
    assert len(found.to_json()["where"]["any"]) == MOST - 1
    assert Question.from_json(found.to_json()) == found


@given(st.floats(min_value=5e-324, allow_infinity=False))
def test_errors_are_written_in_full(error: float) -> None:
    question = Question("p", "sum", "h", error)
    assert question_of(statement_of(question)) == question


RESERVED = """
    all alter and any as between by case connect_by_root create cross current_catalog current_date current_time
    current_timestamp current_user describe distinct drop else end error except false fetch for from glob grant group
    having if ilike in inner insert intersect into is join lateral like limit localtime localtimestamp not notnull null
    on or order outer partitioned_by qualify regexp returning revoke rlike rollback select session_user straight_join
    tablesample then true uncache union user using values when where with xor
"""


def test_every_word_of_sql_can_be_a_name() -> None:
    words = {word.lower() for word in sqlglot.tokens.Tokenizer.KEYWORDS if re.fullmatch("[A-Za-z_]+", word)}
    for name in [*sorted(words | set(RESERVED.split())), 'a"b', "a b", "1a", "ä", "", "a;b", "--"]:
        question = Question.from_json(
            {"dataset": name, "aggregate": "sum", "column": name, "error": 2,
             "where": {"all": [{"column": name, "is": "=", "value": 1}, {"not": {"column": name, "is": "missing"}}]}}
        )  # fmt: skip
        if name:
            assert question_of(statement_of(question)) == question


WORDS = """
    SELECT AVG SUM COUNT ( ) h FROM p WHERE a = 'x' 1 -2.5 AND OR NOT IN BETWEEN IS NULL , ; * WITH ERROR 5 GROUP BY LIMIT
    JOIN " ` [ ] { } -- /* */ CASE WHEN CAST AS :: @ $1 ? 0x1F 1e5 DISTINCT UNION OVER LIKE ESCAPE TRUE FALSE DATE <> <= >
    INTERVAL EXISTS ANY ALL HAVING ORDER INTO VALUES END THEN ELSE . : := => -> || % + ~ ! ^ & | \\ ' '' E'x' N'x' X'1F'
"""
PARTS = st.sampled_from(WORDS.split())
STATEMENTS = (
    st.lists(PARTS, max_size=25).map(" ".join) | st.lists(PARTS, max_size=15).map("".join) | st.text(max_size=60)
)
SAID = re.compile(
    r"not offered|WITH ERROR|does not read as|one statement|nested too deeply|asks for one number|FROM is missing"
    r"|is not a value|minus sign|not with a column|IS NULL|too long|needs a list of values|text, a number"
    r"|neither so large|do not cancel out|COUNT is of a column"
)


def forms(text: str) -> tuple[str, ...]:
    """A text as a statement of its own, with an error, as a condition, and as what is asked for."""
    return text, f"{text} WITH ERROR 5", where(text), f"SELECT {text} FROM p WITH ERROR 5"


def read(statement: str) -> Question | str:
    try:
        return question_of(statement)
    except InputError as refused:
        return str(refused)


def check(text: str) -> None:
    """It is read, and can be written down and read again; or it is refused in one line that says what is not offered."""
    for statement in forms(text):
        found = read(statement)
        if isinstance(found, str):
            assert SAID.search(found), (statement, found)
            assert len(found) < 300
        else:
            assert Question.from_json(found.to_json()) == found
            assert question_of(statement_of(found)).to_json() == found.to_json()


@settings(max_examples=examples(1_000))
@given(STATEMENTS)
@example("a = 1e9999999999")
@example("a = 0x1F")
@example("a = 9" * 40)
@example("a = " + "9" * 5000)
@example("a = 'x' 'y'")
@example("NOT " * DEEPEST + "a = 1")
@example("AVG(h) FROM p WHERE a = '\ud800'")
def test_nothing_crashes_it(text: str) -> None:
    check(text)


@pytest.mark.long
@settings(max_examples=25_000)
@given(STATEMENTS)
def test_nothing_crashes_it_in_a_hundred_thousand_statements(text: str) -> None:
    check(text)
