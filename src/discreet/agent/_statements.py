"""Questions as SQL, for people to read: what `question_of` reads as the same question."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.agent._category_counts import ALL
from discreet.agent._filters import EVERYBODY, Comparison, Condition
from discreet.agent._questions import Question
from discreet.agent._sql import COMPARISONS
from discreet.agent._sql_nodes import WORD
from discreet.agent._terms import Term

if TYPE_CHECKING:
    from sqlglot import exp


def statement_of(question: Question) -> str:
    """The statement that asks a question: what `question_of` reads as the same group, for people to read.

    Examples
    --------
    >>> from discreet.agent._sql import question_of
    >>> statement_of(question_of("select avg(height) from people where sex='F' and not age>=65 with error 5"))
    "SELECT AVG(height) FROM people WHERE sex = 'F' AND NOT age >= 65 WITH ERROR 5"
    """
    call = {"mean": "AVG", "sum": "SUM", "count": "COUNT"}[question.aggregate]
    from sqlglot import exp

    summed: Any = _sum(question.terms) if question.terms else _named(question.column)
    if question.column == ALL:
        summed = exp.Star()
    called: Any = exp.func(call, summed)
    if question.over:
        called = exp.Div(this=called, expression=exp.func("SUM", _named(question.over)))
    shown = [*map(_named, question.by), called]
    select = exp.select(*shown).from_(exp.Table(this=_identifier(question.dataset)))
    if question.by:
        select = select.group_by(*map(_named, question.by))
    if question.where != EVERYBODY:
        select = select.where(_written(question.where))
    error = repr(question.error).removesuffix(".0")
    return f"{select.sql()} WITH ERROR {error}"


def _sum(terms: tuple[Term, ...]) -> exp.Expr:
    """Terms as they are written: hours * wage + 2 * bonus - fees / 12."""
    from sqlglot import exp

    found: Any = None
    for term in terms:
        number, below = _factor(abs(term.times))
        factors: list[Any] = [exp.Literal.number(number)] if number != "1" else []
        whole: Any = None
        for factor in [*factors, *(_named(name) for name in term.columns)]:
            whole = factor if whole is None else exp.Mul(this=whole, expression=factor)
        if below > 1:
            whole = exp.Div(this=whole, expression=exp.Literal.number(str(below)))
        if found is None:
            found = exp.Neg(this=whole) if term.times < 0 else whole
        else:
            found = (exp.Sub if term.times < 0 else exp.Add)(this=found, expression=whole)
    return found  # type: ignore[no-any-return]


def _factor(size: Fraction) -> tuple[str, int]:
    """A factor as a decimal, or as a whole number and what it is divided by."""
    near = repr(float(size)).removesuffix(".0")
    return (near, 1) if "e" not in near and Fraction(near) == size else (str(size.numerator), size.denominator)


def _written(condition: Condition) -> exp.Expr:
    """A condition as the parser would have read it."""
    from sqlglot import exp

    if isinstance(condition, Comparison):
        column, value = _named(condition.column), condition.value
        if condition.kind == "missing":
            return column.is_(exp.null())
        if condition.kind == "in":
            return column.isin(*(exp.convert(each) for each in value))
        if condition.kind == "between":
            return column.between(exp.convert(value[0]), exp.convert(value[1]))
        kind = next(name for name, sign in COMPARISONS.items() if sign == condition.kind)
        return getattr(exp, kind)(this=column, expression=exp.convert(value))  # type: ignore[no-any-return]
    parts = [_written(part) for part in condition.parts]
    if condition.kind == "not":
        return exp.not_(parts[0])
    if not parts:
        return exp.true() if condition.kind == "all" else exp.false()
    return (exp.and_ if condition.kind == "all" else exp.or_)(*parts)


def _named(name: str) -> exp.Column:
    from sqlglot import exp

    return exp.Column(this=_identifier(name))


def _identifier(name: str) -> exp.Identifier:
    """A name as it stands where that is safe: other names, and words that SQL has a use for, in double quotes."""
    from sqlglot import exp
    from sqlglot.parser import Parser
    from sqlglot.tokens import Tokenizer

    used = name.upper() in ("ERROR", *Tokenizer.KEYWORDS, *Parser.NO_PAREN_FUNCTION_PARSERS)
    return exp.Identifier(this=name, quoted=used or not re.fullmatch(WORD, name))
