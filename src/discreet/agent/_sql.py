"""A small SQL: SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5. Whatever else SQL can say is refused by name."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from discreet.agent._filters import EVERYBODY, NOBODY, Comparison, Condition, Junction, comparison
from discreet.agent._questions import Question
from discreet.agent._terms import MOST as MOST_TERMS
from discreet.agent._terms import Term, collected
from discreet.errors import InputError, needs_extra

if TYPE_CHECKING:
    from sqlglot import exp

LONGEST = 10_000  # letters of a statement
DEEPEST = 20  # brackets in brackets, and signs before signs: the parser recurses into each
FORM = "SELECT AVG(column) FROM data WHERE … WITH ERROR 5"
WORD = r"[A-Za-z_][A-Za-z_0-9]{0,29}"
OPERATORS = "=, <>, <, <=, >, >=, IN, BETWEEN, IS NULL, AND, OR, NOT"

COMPARISONS = {"EQ": "=", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_AGGREGATES = {"Avg": "mean", "Sum": "sum", "Count": "count"}
_OPENING, _CLOSING = ("L_PAREN", "L_BRACKET", "L_BRACE"), ("R_PAREN", "R_BRACKET", "R_BRACE")
_SIGNS = ("NOT", "DASH", "PLUS", "TILDE", "EXCLAMATION")
_CALLED = {  # what people call the parts of a statement that the parser has other names for
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%", "DPipe": "||", "Column": "a column alone",
    "Literal": "a value alone", "Boolean": "TRUE or FALSE as a value here", "Paren": "an expression in brackets",
    "Subquery": "a subquery", "Select": "a subquery", "Tuple": "a list", "Window": "OVER", "National": "N'…'",
    "Table": "a table", "Joins": "JOIN", "Locks": "FOR UPDATE", "Laterals": "LATERAL", "Kind": "SELECT AS",
    "Operation_modifiers": "a modifier after SELECT", "Placeholder": "a placeholder", "Parameter": "a parameter",
    "Db": "a schema before the data set", "Catalog": "a catalog before the data set", "Alias": "AS", "Sample": "TABLESAMPLE",
}  # fmt: skip


def question_of(statement: str) -> Question:
    """The question that a statement asks.

    Examples
    --------
    >>> question_of("SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5").to_json()
    ... # doctest: +NORMALIZE_WHITESPACE
    {'dataset': 'people', 'aggregate': 'mean', 'column': 'height', 'error': 5.0,
     'where': {'column': 'sex', 'is': '=', 'value': 'F'}}
    """
    if not isinstance(statement, str) or len(statement) > LONGEST:
        raise InputError(f"a statement is text of at most {LONGEST:,} letters")
    asked, error = _split(statement)
    select = _select(asked)
    by = _by(select)
    aggregate, terms = _aggregate(select, by)
    where = select.args.get("where")
    condition = _condition(where.this) if where else EVERYBODY
    alone = len(terms) == 1 and terms[0].times == 1 and len(terms[0].columns) == 1
    column, terms = (terms[0].columns[0], ()) if alone else ("", terms)
    return Question(_table(select), aggregate, column, error, condition, by, terms)


def explained(statement: str) -> tuple[str, bool]:
    """A statement without EXPLAIN before it, and whether it was there: then its price is asked for, and nothing else."""
    found = re.match(r"\s*EXPLAIN\s+(?=SELECT\b)", statement, re.IGNORECASE)
    return (statement[found.end() :], True) if found else (statement, False)


def _split(statement: str) -> tuple[str, float]:
    """A statement without its WITH ERROR, and the error."""
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
        said = tokens[0].text.upper()
        raise InputError(
            f"{said if re.fullmatch(WORD, said) else 'what begins so'} is not offered: a question is {FORM}"
        )
    _check_depth(kinds)
    words = [token.text.upper() if kind == "VAR" else kind for token, kind in zip(tokens, kinds, strict=True)]
    place = next((i for i, two in enumerate(pairwise(words)) if two == ("WITH", "ERROR")), None)
    if place is None:
        raise InputError(f"a statement ends in WITH ERROR and a number, the error that you can use: {FORM}")
    error = _number(statement[tokens[place + 1].end + 1 : tokens[-1].end + 1].strip())
    if not 0 < error < math.inf:
        raise InputError("WITH ERROR needs a number, finite and above 0, and nothing after it")
    return statement[: tokens[place].start], error


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
        raise InputError(f"{_said(select)} is not offered: a question is {FORM}")
    _only(select, "expressions", "from_", "from", "where", "group")
    return select  # type: ignore[no-any-return]


def _table(select: exp.Select) -> str:
    source = select.args.get("from_") or select.args.get("from")
    if source is None:
        raise InputError("FROM is missing: it names one data set")
    if type(source.this).__name__ != "Table":
        raise InputError(f"{_said(source.this)} after FROM is not offered: name one data set")
    _only(source.this, "this")
    if type(source.this.this).__name__ != "Identifier":
        raise InputError("a function after FROM is not offered: name one data set")
    return str(source.this.this.this)


def _by(select: exp.Select) -> tuple[str, ...]:
    group = select.args.get("group")
    if group is None:
        return ()
    _only(group, "expressions")
    for each in group.expressions:
        if type(each).__name__ != "Column":
            raise InputError(
                f"{_said(each)} in GROUP BY is not offered: bins of a private column are as many promises about one value, and "
                "bins of a public one are a column to add, or a filter each"
            )
    return tuple(_column(each) for each in group.expressions)


def _aggregate(select: exp.Select, by: tuple[str, ...]) -> tuple[str, tuple[Term, ...]]:
    calls = [each for each in select.expressions if type(each).__name__ != "Column" or _column(each) not in by]
    if len(calls) != 1:
        raise InputError("a question asks for one number: SELECT AVG(column), beside the columns of GROUP BY")
    (call,) = calls
    if type(call).__name__ == "Alias":
        call = call.this
    aggregate = _AGGREGATES.get(type(call).__name__)
    if aggregate is None:
        raise InputError(f"{_said(call)} is not offered after SELECT: use AVG, SUM or COUNT of a column")
    name = str(call.sql_name())
    if call.args.get("expressions") or type(call.this).__name__ == "Tuple":
        raise InputError(f"{name} of several columns is not offered: name one private column")
    return aggregate, collected(_terms(call.this, Fraction(1), name))


def _terms(node: Any, times: Fraction, call: str) -> list[Term]:
    """The terms of a sum: numbers and public columns times private columns. Chains are walked, not recursed into."""
    found, pending = [], [(node, times)]
    while pending:
        node, times = pending.pop()
        kind = type(node).__name__
        below = _constant(node.expression) if kind == "Div" else None
        if kind in ("Add", "Sub"):
            _only(node, "this", "expression")
            pending += [(node.this, times), (node.expression, times if kind == "Add" else -times)]
        elif kind in ("Paren", "Neg"):
            pending.append((_only(node, "this").this, times if kind == "Paren" else -times))
        elif below:
            pending.append((node.this, times / below))
        elif kind == "Mul":
            found += _product(node, times, call)
        elif kind == "Column":
            found.append(Term((_column(node),), times))
        else:
            raise InputError(
                f"{call} of {_said(node)} is not offered: name a private column, or a sum of weights times columns"
            )
    return found


def _product(node: Any, times: Fraction, call: str) -> list[Term]:
    """The terms of a product: of numbers, and of one column or two."""
    others, pending = [], [node]
    while pending:
        each = pending.pop()
        number = _constant(each)
        if type(each).__name__ == "Mul":
            pending += [_only(each, "this", "expression").this, each.expression]
        elif number is not None:
            times *= number
        else:
            others.append(each)
    found = [Term((), times)]
    for each in others:
        inner = _terms(each, Fraction(1), call)
        if len(found) * len(inner) > MOST_TERMS:
            raise InputError(f"{call} of such a product is not offered: it has too many terms")
        found = [Term((*a.columns, *b.columns), a.times * b.times) for a in found for b in inner]
    if any(not 1 <= len(term.columns) <= 2 for term in found):
        raise InputError(f"{call} of such a product is not offered: it has one private column, and one public at most")
    return found


def _constant(node: Any) -> Fraction | None:
    """A number that is written out; None for anything else."""
    kind = type(node).__name__
    if kind in ("Paren", "Neg"):
        inside = _constant(node.this)
        return None if inside is None else inside if kind == "Paren" else -inside
    if kind != "Literal" or node.is_string or not math.isfinite(_number(str(node.this))):
        return None
    if len(str(node.this)) > 30 or not 1e-15 < (abs(_number(str(node.this))) or 1) < 1e15:
        raise InputError("a weight is a number that is neither so large nor so small")
    return Fraction(str(node.this))


def _condition(node: Any) -> Condition:
    kind = type(node).__name__
    if kind == "Paren":
        return _condition(_only(node, "this").this)
    if kind in ("And", "Or"):  # a chain leans to the left: walk it instead of recursing
        parts = []
        while type(node).__name__ == kind:
            parts.append(_condition(_only(node, "this", "expression").expression))
            node = node.this
        return Junction("all" if kind == "And" else "any", (_condition(node), *reversed(parts)))
    if kind == "Not":
        return Junction("not", (_condition(_only(node, "this").this),))
    if kind == "Boolean":
        return EVERYBODY if node.this else NOBODY
    if kind in COMPARISONS:
        sign = COMPARISONS[kind]
        _only(node, "this", "expression")
        if type(node.this).__name__ != "Column" and type(node.expression).__name__ == "Column":
            return comparison(_column(node.expression), _TURNED[sign], _value(node.this))
        return comparison(_column(node.this), sign, _value(node.expression))
    if kind == "In" and node.expressions:
        _only(node, "this", "expressions")
        return comparison(_column(node.this), "in", [_value(each) for each in node.expressions])
    if kind == "Between":
        _only(node, "this", "low", "high")
        return comparison(_column(node.this), "between", [_value(node.args["low"]), _value(node.args["high"])])
    if kind == "Is" and type(node.expression).__name__ == "Null":
        return Comparison(_column(_only(node, "this", "expression").this), "missing", None)
    what = "IN with a subquery or an empty list" if kind == "In" else f"{_said(node)} in WHERE"
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
        raise InputError(f"{_said(node)} in WHERE is not a value: use a text in single quotes or a number")
    if node.is_string:
        return str(node.this)
    number = _number(str(node.this))
    if not math.isfinite(number):
        raise InputError("a number in WHERE does not read as one")
    return int(node.this) if str(node.this).isdecimal() else number


def _number(text: str) -> float:
    """A number as SQL writes it; what Python alone would read is none."""
    return float(text) if re.fullmatch(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII) else math.nan


def _column(node: Any) -> str:
    if type(node).__name__ != "Column":
        raise InputError(f"{_said(node)} in WHERE is not offered where the name of a column belongs")
    if any(value for name, value in node.args.items() if name != "this"):
        raise InputError("a table before a column is not offered: name the column alone")
    if type(node.this).__name__ != "Identifier":
        raise InputError(f"{_said(node.this)} is not offered where the name of a column belongs")
    return str(node.this.this)


def _only(node: Any, *expected: str) -> Any:
    """Refuse whatever else the parser found at a place, by its name."""
    for name, value in node.args.items():
        if value and name not in expected:
            bare = name.strip("_")
            raise InputError(f"{_CALLED.get(bare.capitalize(), bare.upper())} is not offered: a question is {FORM}")
    return node


def _said(node: Any) -> str:
    """What a part of a statement is called; its content may be anything and is not repeated."""
    kind = type(node).__name__
    if kind == "Anonymous" and re.fullmatch(WORD, str(node.this)):
        return str(node.this).upper()  # a function that the parser does not know
    if kind == "Star":
        return "*"
    return _CALLED.get(kind, re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).upper())
