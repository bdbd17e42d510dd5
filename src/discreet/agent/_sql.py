"""A small SQL: SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5. Whatever else SQL can say is refused by name."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from discreet.agent._filters import EVERYBODY, NOBODY, Comparison, Condition, Junction, comparison
from discreet.agent._questions import Question, Selection
from discreet.agent._sql_nodes import FORM, WORD, column, number, only, said
from discreet.agent._sql_sums import aggregates
from discreet.errors import InputError, needs_extra

if TYPE_CHECKING:
    from sqlglot import exp

LONGEST = 10_000  # letters of a statement
DEEPEST = 20  # brackets in brackets, and signs before signs: the parser recurses into each
OPERATORS = "=, <>, <, <=, >, >=, IN, BETWEEN, IS NULL, AND, OR, NOT"

COMPARISONS = {"EQ": "=", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPENING, _CLOSING = ("L_PAREN", "L_BRACKET", "L_BRACE"), ("R_PAREN", "R_BRACKET", "R_BRACE")
_SIGNS = ("NOT", "DASH", "PLUS", "TILDE", "EXCLAMATION")


def selection_of(statement: str) -> Selection:
    """What a statement asks for: one aggregate, or several of the same people.

    Examples
    --------
    >>> asked = selection_of("SELECT AVG(height) AS tall, COUNT(smoker) FROM people GROUP BY sex WITH ERROR 1, 10")
    >>> [(question.aggregate, question.error) for question in asked.questions], asked.names
    ([('mean', 1.0), ('count', 10.0)], ('tall', ''))
    """
    if not isinstance(statement, str) or len(statement) > LONGEST:
        raise InputError(f"a statement is text of at most {LONGEST:,} letters")
    asked, errors = _split(statement)
    select = _select(asked)
    by = _by(select)
    called = aggregates(select, by)
    if len(errors) not in (1, len(called)):
        raise InputError(f"WITH ERROR has one number for all, or one for each of the {len(called)} aggregates")
    where = select.args.get("where")
    condition = _condition(where.this) if where else EVERYBODY
    table, errors = _table(select), errors if len(errors) > 1 else errors * len(called)
    found = []
    for each, error in zip(called, errors, strict=True):
        first = each.terms[0]
        is_alone = len(each.terms) == 1 and first.times == 1 and len(first.columns) == 1 and not each.over
        name, terms = (first.columns[0], ()) if is_alone else ("", each.terms)
        found.append(Question(table, each.aggregate, name, error, condition, by, terms, each.over))
    return Selection(tuple(found), tuple(each.name for each in called))


def question_of(statement: str) -> Question:
    """The question that a statement with one aggregate asks.

    Examples
    --------
    >>> question_of("SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5").to_json()
    ... # doctest: +NORMALIZE_WHITESPACE
    {'dataset': 'people', 'aggregate': 'mean', 'column': 'height', 'error': 5.0,
     'where': {'column': 'sex', 'is': '=', 'value': 'F'}}
    """
    found = selection_of(statement).questions
    if len(found) > 1:
        raise InputError("this is for one number: SELECT AVG(column), beside the columns of GROUP BY")
    return found[0]


def explained(statement: str) -> tuple[str, bool]:
    """A statement without EXPLAIN before it, and whether it was there: then its price is asked for, and nothing else."""
    found = re.match(r"\s*EXPLAIN\s+(?=SELECT\b)", statement, re.IGNORECASE)
    return (statement[found.end() :], True) if found else (statement, False)


def _split(statement: str) -> tuple[str, list[float]]:
    """A statement without its WITH ERROR, and the errors."""
    sqlglot = needs_extra("sqlglot", "agent")
    try:
        tokens = sqlglot.tokenize(statement)
    except sqlglot.errors.SqlglotError:
        raise InputError(f"the statement does not read as SQL, a quote may be open: {FORM}") from None
    while tokens and tokens[-1].token_type.name == "SEMICOLON":
        tokens.pop()
    kinds = [token.token_type.name for token in tokens]
    if "SEMICOLON" in kinds:
        raise InputError("one statement at a time")
    if kinds and kinds[0] != "SELECT":
        # The parser would take some of these as they are, and write them to a log.
        first = tokens[0].text.upper()
        raise InputError(
            f"{first if re.fullmatch(WORD, first) else 'what begins so'} is not offered: a question is {FORM}"
        )
    _check_depth(kinds)
    words = [token.text.upper() if kind == "VAR" else kind for token, kind in zip(tokens, kinds, strict=True)]
    place = next((i for i, two in enumerate(pairwise(words)) if two == ("WITH", "ERROR")), None)
    if place is None:
        raise InputError(f"a statement ends in WITH ERROR and a number, the error that you can use: {FORM}")
    after = statement[tokens[place + 1].end + 1 : tokens[-1].end + 1]
    errors = [number(each.strip()) for each in after.split(",")]
    if not all(0 < error < math.inf for error in errors):
        raise InputError(
            "WITH ERROR needs a number, finite and above 0, or one for each aggregate, and nothing after it"
        )
    return statement[: tokens[place].start], errors


def _check_depth(kinds: list[str]) -> None:
    depth = signs = 0
    for kind in kinds:
        depth += (kind in _OPENING) - (kind in _CLOSING)
        signs = signs + 1 if kind in _SIGNS else 0
        if depth + signs > DEEPEST:
            raise InputError(f"the statement is nested too deeply: at most {DEEPEST} levels")


def _select(text: str) -> exp.Select:
    sqlglot = needs_extra("sqlglot", "agent")
    try:
        (select,) = sqlglot.parse(text)
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError) as problem:
        where = next((f" at letter {each['col']}" for each in getattr(problem, "errors", ()) if each.get("col")), "")
        raise InputError(f"the statement does not read as SQL{where}: {FORM}") from None
    if type(select).__name__ != "Select":
        raise InputError(f"{said(select)} is not offered: a question is {FORM}")
    only(select, "expressions", "from_", "from", "where", "group")
    return select  # type: ignore[no-any-return]


def _table(select: exp.Select) -> str:
    source = select.args.get("from_") or select.args.get("from")
    if source is None:
        raise InputError("FROM is missing: it names one data set")
    if type(source.this).__name__ != "Table":
        raise InputError(f"{said(source.this)} after FROM is not offered: name one data set")
    only(source.this, "this")
    if type(source.this.this).__name__ != "Identifier":
        raise InputError("a function after FROM is not offered: name one data set")
    return str(source.this.this.this)


def _by(select: exp.Select) -> tuple[str, ...]:
    group = select.args.get("group")
    if group is None:
        return ()
    only(group, "expressions")
    for each in group.expressions:
        if type(each).__name__ != "Column":
            raise InputError(
                f"{said(each)} in GROUP BY is not offered: bins of a private column are as many promises about one value, and "
                "bins of a public one are a column to add, or a filter each"
            )
    return tuple(column(each) for each in group.expressions)


def _condition(node: Any) -> Condition:
    kind = type(node).__name__
    if kind == "Paren":
        return _condition(only(node, "this").this)
    if kind in ("And", "Or"):  # a chain leans to the left: walk it instead of recursing
        parts = []
        while type(node).__name__ == kind:
            parts.append(_condition(only(node, "this", "expression").expression))
            node = node.this
        return Junction("all" if kind == "And" else "any", (_condition(node), *reversed(parts)))
    if kind == "Not":
        return Junction("not", (_condition(only(node, "this").this),))
    if kind == "Boolean":
        return EVERYBODY if node.this else NOBODY
    if kind in COMPARISONS:
        sign = COMPARISONS[kind]
        only(node, "this", "expression")
        if type(node.this).__name__ != "Column" and type(node.expression).__name__ == "Column":
            return comparison(column(node.expression), _TURNED[sign], _value(node.this))
        return comparison(column(node.this), sign, _value(node.expression))
    if kind == "In" and node.expressions:
        only(node, "this", "expressions")
        return comparison(column(node.this), "in", [_value(each) for each in node.expressions])
    if kind == "Between":
        only(node, "this", "low", "high")
        return comparison(column(node.this), "between", [_value(node.args["low"]), _value(node.args["high"])])
    if kind == "Is" and type(node.expression).__name__ == "Null":
        return Comparison(column(only(node, "this", "expression").this), "missing", None)
    what = "IN with a subquery or an empty list" if kind == "In" else f"{said(node)} in WHERE"
    raise InputError(f"{what} is not offered: use {OPERATORS}")


def _value(node: Any) -> Any:
    kind = type(node).__name__
    if kind == "Neg":
        value = _value(node.this)
        if isinstance(value, bool | str):
            raise InputError("a minus sign in WHERE belongs to a number")
        return -value
    if kind == "Boolean":
        return bool(node.this)
    if kind == "Cast" and node.to.this.name in ("DATE", "TIMESTAMP", "DATETIME") and node.this.is_string:
        return str(node.this.this)  # DATE '2026-01-31': the column knows what it holds
    if kind == "Null":
        raise InputError("NULL is not a value: ask for IS NULL or IS NOT NULL")
    if kind == "Column":
        raise InputError("a column is compared with a value, not with a column: texts stand in single quotes")
    if kind != "Literal":
        raise InputError(f"{said(node)} in WHERE is not a value: use a text in single quotes or a number")
    if node.is_string:
        return str(node.this)
    value = number(str(node.this))
    if not math.isfinite(value):
        raise InputError("a number in WHERE does not read as one")
    return int(node.this) if str(node.this).isdecimal() else value
