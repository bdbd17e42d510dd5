"""What stands after SELECT: aggregates of private columns, or of sums of them with weights that everybody knows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.agent._category_counts import ALL
from discreet.agent._sql_nodes import column, number, only, said
from discreet.agent._terms import MOST, Term, collected
from discreet.errors import InputError

_AGGREGATES = {"Avg": "mean", "Sum": "sum", "Count": "count"}


@dataclass(frozen=True)
class Called:
    """An aggregate of terms, the public column whose sum it is divided by, and its name; the last two may be empty."""

    aggregate: str
    terms: tuple[Term, ...]
    over: str
    name: str


def aggregates(select: Any, by: tuple[str, ...]) -> list[Called]:
    """What stands after SELECT, but for the columns of GROUP BY."""
    calls = [each for each in select.expressions if type(each).__name__ != "Column" or column(each) not in by]
    if not calls:
        raise InputError("a question asks for one number at least: SELECT AVG(column), beside the columns of GROUP BY")
    return [_called(call) for call in calls]


def _called(call: Any) -> Called:
    name = ""
    if type(call).__name__ == "Alias":
        name, call = str(call.alias), only(call, "this", "alias").this
    if type(call).__name__ == "Div":
        return Called("sum", *_ratio(call), name)
    if type(call).__name__ == "Column":
        raise InputError(
            "a column alone is not offered after SELECT where GROUP BY does not name it: use AVG, SUM or COUNT of it"
        )
    if type(call).__name__ not in _AGGREGATES:
        raise InputError(f"{said(call)} is not offered after SELECT: use AVG, SUM or COUNT of a column")
    return Called(_AGGREGATES[type(call).__name__], _summed(call), "", name)


def _summed(call: Any) -> tuple[Term, ...]:
    name = str(call.sql_name())
    if call.args.get("expressions") or type(call.this).__name__ == "Tuple":
        raise InputError(f"{name} of several columns is not offered: name one private column")
    if name == "COUNT" and type(call.this).__name__ == "Star":
        return (Term((ALL,)),)
    return collected(_terms(call.this, Fraction(1), name))


def _ratio(node: Any) -> tuple[tuple[Term, ...], str]:
    """SUM(weight * column) / SUM(weight): everybody knows what it is divided by."""
    above, below = node.this, node.expression
    if type(above).__name__ != "Sum" or type(below).__name__ != "Sum" or type(below.this).__name__ != "Column":
        raise InputError(
            f"{said(above)} / {said(below)} is not offered after SELECT: the ratio that is offered is a weighted mean, "
            "SUM(weight * column) / SUM(weight), whose weight is a public column"
        )
    return _summed(above), column(below.this)


def _terms(node: Any, times: Fraction, call: str) -> list[Term]:
    """The terms of a sum: numbers and public columns times private columns. Chains are walked, not recursed into."""
    found, pending = [], [(node, times)]
    while pending:
        node, times = pending.pop()
        kind = type(node).__name__
        below = _constant(node.expression) if kind == "Div" else None
        if kind in ("Add", "Sub"):
            only(node, "this", "expression")
            pending += [(node.this, times), (node.expression, times if kind == "Add" else -times)]
        elif kind in ("Paren", "Neg"):
            pending.append((only(node, "this").this, times if kind == "Paren" else -times))
        elif below:
            pending.append((node.this, times / below))
        elif kind == "Mul":
            found += _product(node, times, call)
        elif kind == "Column":
            found.append(Term((column(node),), times))
        else:
            raise InputError(
                f"{call} of {said(node)} is not offered: name a private column, or a sum of weights times columns"
            )
    return found


def _product(node: Any, times: Fraction, call: str) -> list[Term]:
    """The terms of a product: of numbers, and of one column or two."""
    others, pending = [], [node]
    while pending:
        each = pending.pop()
        factor = _constant(each)
        if type(each).__name__ == "Mul":
            pending += [only(each, "this", "expression").this, each.expression]
        elif factor is not None:
            times *= factor
        else:
            others.append(each)
    found = [Term((), times)]
    for each in others:
        inner = _terms(each, Fraction(1), call)
        if len(found) * len(inner) > MOST:
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
    if kind != "Literal" or node.is_string or not math.isfinite(number(str(node.this))):
        return None
    if len(str(node.this)) > 30 or not 1e-15 < (abs(number(str(node.this))) or 1) < 1e15:
        raise InputError("a weight is a number that is neither so large nor so small")
    return Fraction(str(node.this))
