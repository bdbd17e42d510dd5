"""A small SQL: SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5. Whatever else SQL can say is refused by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from discreet.agent.conditions import EVERYBODY, Comparison, Condition, Junction, comparison
from discreet.agent.questions import Question
from discreet.errors import InputError, needs_extra

if TYPE_CHECKING:
    from sqlglot import exp

LONGEST = 10_000  # letters of a statement
DEEPEST = 50  # brackets: the parser recurses into each
_ERROR = re.compile(r"\swith\s+error\s+(?P<error>\S+?)\s*;?\s*$", re.IGNORECASE)
_COMPARISONS = {"EQ": "=", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_AGGREGATES = {"Avg": "mean", "Sum": "sum", "Count": "count"}


def question_of(statement: str) -> Question:
    """The question that a statement asks.

    >>> question_of("SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5").to_json()
    ... # doctest: +NORMALIZE_WHITESPACE
    {'dataset': 'people', 'aggregate': 'mean', 'column': 'height', 'error': 5.0,
     'where': {'column': 'sex', 'is': '=', 'value': 'F'}}
    """
    if not isinstance(statement, str) or len(statement) > LONGEST:
        raise InputError(f"a statement is text of at most {LONGEST:,} letters")
    found = _ERROR.search(statement)
    if found is None:
        raise InputError("a statement ends in WITH ERROR and a number, the error that you can use")
    try:
        error = float(found["error"])
    except ValueError:
        raise InputError("WITH ERROR needs a number") from None
    select = _select(statement[: found.start()])
    aggregate, column = _aggregate(select)
    where = select.args.get("where")
    return Question(_table(select), aggregate, column, error, _condition(where.this) if where else EVERYBODY)


def _select(text: str) -> exp.Select:
    sqlglot = needs_extra("sqlglot", "agent")
    if text.count("(") + len(re.findall(r"\bnot\b", text, re.IGNORECASE)) > DEEPEST:
        raise InputError("the statement is nested too deeply")
    try:
        statements = sqlglot.parse(text)
    except (sqlglot.errors.SqlglotError, RecursionError):
        raise InputError(
            "the statement does not read as SQL: SELECT AVG(column) FROM data WHERE … WITH ERROR 5"
        ) from None
    if len(statements) != 1 or statements[0] is None:
        raise InputError("one statement at a time")
    (select,) = statements
    if type(select).__name__ != "Select":
        kind = type(select).__name__.upper()
        raise InputError(f"{kind} is not offered: ask for AVG, SUM or COUNT of a column")
    for name, value in select.args.items():
        if value and name not in ("expressions", "from_", "where"):
            raise InputError(
                f"{name.strip('_').upper()} is not offered: a question is SELECT … FROM … WHERE … WITH ERROR …"  # noqa: S608, words for people
            )
    return select  # type: ignore[no-any-return]


def _table(select: exp.Select) -> str:
    source = select.args.get("from_")
    table = source.this if source else None
    if table is None or type(table).__name__ != "Table" or _has_more(table, "this"):
        raise InputError("FROM names one data set")
    return _name(table.this)


def _aggregate(select: exp.Select) -> tuple[str, str]:
    if len(select.expressions) != 1:
        raise InputError("a question asks for one number: SELECT AVG(column)")
    (call,) = select.expressions
    if type(call).__name__ == "Alias":
        call = call.this
    aggregate = _AGGREGATES.get(type(call).__name__)
    if aggregate is None:
        raise InputError(f"{_said(call)} is not offered: use AVG, SUM or COUNT of a column")
    if type(call.this).__name__ != "Column":
        raise InputError(f"{aggregate.upper()} of {_said(call.this)} is not offered: name a private column")
    return aggregate, _column(call.this)


def _condition(node: Any) -> Condition:
    kind = type(node).__name__
    if kind == "Paren":
        return _condition(node.this)
    if kind in ("And", "Or"):  # a chain leans to the left: walk it instead of recursing
        parts = []
        while type(node).__name__ == kind:
            parts.append(_condition(node.expression))
            node = node.this
        return Junction("all" if kind == "And" else "any", (_condition(node), *reversed(parts)))
    if kind == "Not":
        return Junction("not", (_condition(node.this),))
    if kind in _COMPARISONS:
        sign = _COMPARISONS[kind]
        if type(node.this).__name__ != "Column" and type(node.expression).__name__ == "Column":
            return comparison(_column(node.expression), _TURNED[sign], _value(node.this))
        return comparison(_column(node.this), sign, _value(node.expression))
    if kind == "In" and node.expressions and not _has_more(node, "this", "expressions"):
        return comparison(_column(node.this), "in", [_value(each) for each in node.expressions])
    if kind == "Between" and not _has_more(node, "this", "low", "high"):
        return comparison(_column(node.this), "between", [_value(node.args["low"]), _value(node.args["high"])])
    if kind == "Is" and type(node.expression).__name__ == "Null":
        return Comparison(_column(node.this), "missing", None)
    raise InputError(
        f"{_said(node)} in WHERE is not offered: use =, <>, <, <=, >, >=, IN, BETWEEN, IS NULL, AND, OR, NOT"
    )


def _value(node: Any) -> Any:
    kind = type(node).__name__
    if kind == "Neg":
        value = _value(node.this)
        if isinstance(value, bool | str):
            raise InputError("a minus sign in WHERE belongs to a number")
        return -value
    if kind == "Boolean":
        return bool(node.this)
    if kind != "Literal":
        raise InputError(f"{_said(node)} in WHERE is not a value: use a text in quotes or a number")
    if node.is_string:
        return str(node.this)
    try:
        return int(node.this)
    except ValueError:
        pass
    try:
        return float(node.this)
    except ValueError:
        raise InputError("a number in WHERE does not read as one") from None


def _column(node: Any) -> str:
    if type(node).__name__ != "Column" or _has_more(node, "this"):
        raise InputError(f"{_said(node)} is not the name of a column")
    return _name(node.this)


def _name(node: Any) -> str:
    if type(node).__name__ != "Identifier":
        raise InputError(f"{_said(node)} is not a name")
    return str(node.this)


def _said(node: Any) -> str:
    """What a part of a statement is called; its content may be anything and is not repeated."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()


def _has_more(node: Any, *expected: str) -> bool:
    return any(value for name, value in node.args.items() if name not in expected)
