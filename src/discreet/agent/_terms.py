"""What a question sums up: a private column, or several with weights that everybody knows, such as hours * wage + bonus.

Columns that are asked about together stand in one book: its auditor has a value for every person and column, so that an
answer about salary + bonus counts against both promises.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import IntArray
from discreet.agent._category_counts import counts_of
from discreet.errors import InputError
from discreet.queries._uniform_sums import rational
from discreet.release._cells import is_number

if TYPE_CHECKING:
    from discreet.agent._holdings import Holding
    from discreet.agent._questions import Question

MOST = 20
"""Terms of one question."""

LARGEST = 10**30
"""Above and below the line of a factor."""


@dataclass(frozen=True, order=True)
class Term:
    """A number times a private column, times a public column of numbers or not: the data say which is which."""

    columns: tuple[str, ...]
    times: Fraction = Fraction(1)

    def to_json(self) -> dict[str, Any]:
        """As JSON: a factor that is no decimal is text, such as "1/12"."""
        near = float(self.times)
        return {"columns": list(self.columns), "times": near if rational(near) == self.times else str(self.times)}

    def __str__(self) -> str:
        return f"{self.times} {self.columns}"


def collected(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Terms in an order of their own, those of the same columns added up."""
    added: dict[tuple[str, ...], Fraction] = {}
    for term in terms:
        columns = tuple(sorted(term.columns))
        added[columns] = added.get(columns, Fraction(0)) + term.times
    if any(max(abs(times.numerator), times.denominator) > LARGEST for times in added.values()):
        raise InputError("a weight is a number that is neither so large nor so small")
    found = tuple(Term(columns, times) for columns, times in sorted(added.items()) if times)
    if not found or len(found) > MOST:
        raise InputError(f"a sum has 1 to {MOST} terms, and they do not cancel out")
    return found


def terms_from_json(said: Any) -> tuple[Term, ...]:
    """The terms of a question in JSON."""
    wrong = InputError('terms are a list of {"columns": [names], "times": number}, one private column in each')
    if not isinstance(said, list | tuple) or not all(isinstance(each, Mapping) for each in said):
        raise wrong
    terms = []
    for each in said:
        columns, times = each.get("columns"), each.get("times", 1)
        if not set(each) <= {"columns", "times"} or not isinstance(columns, list | tuple) or not 1 <= len(columns) <= 2:
            raise wrong
        if not all(isinstance(name, str) for name in columns) or isinstance(times, bool):
            raise wrong
        terms.append(Term(tuple(columns), _factor(times)))
    return collected(terms)


def _factor(times: Any) -> Fraction:
    if isinstance(times, str) and re.fullmatch(r"-?\d{1,31}(/[1-9]\d{0,30})?", times, re.ASCII):
        return Fraction(times)
    if not isinstance(times, int | float) or not math.isfinite(times):
        raise InputError("times is a number, or a fraction such as 1/12")
    return rational(times)


def private_columns(question: Question, holding: Holding) -> tuple[str, ...]:
    """The private columns that a question is about; refused where it is about none, or multiplies two."""
    private, category = holding.dataset.columns, counts_of(question, holding.dataset)
    if category is not None:
        return (category.column,)
    if question.over and question.over not in holding.public:
        raise InputError(
            "a ratio of private sums is not offered: below the line is the sum of a public column, one of "
            f"{sorted(holding.public)}"
        )
    if not question.terms:
        if question.column not in private:
            raise InputError(f"questions are about one of {list(private)}")
        return (question.column,)
    found = []
    for term in question.terms:
        mine = [name for name in term.columns if name in private]
        if len(mine) != 1:
            raise InputError(f"each term of a sum has one private column, of {list(private)}")
        for name in term.columns:
            if name not in private and name not in holding.public:
                raise InputError(f"a weight is a number or a public column: {sorted(holding.public)}")
        found += mine
    return tuple(dict.fromkeys(found))


def book_columns(question: Question, holding: Holding) -> tuple[str, ...]:
    """The columns that share the book of a question."""
    named = private_columns(question, holding)
    books = {holding.dataset.together_with(name) for name in named}
    if len(books) > 1:
        listed = ", ".join(f'"{name}"' for name in named)
        raise InputError(
            f"{' and '.join(map(repr, named))} have a promise each: a sum of both needs one book, which the owner declares by "
            f"together = [[{listed}]] before the first answer"
        )
    return books.pop()


def asked_of(question: Question, holding: Holding, members: IntArray) -> dict[str, Any]:
    """A question as the auditor of its book is asked."""
    category = counts_of(question, holding.dataset)
    if category is not None:
        return {"members": members, "category": category.category, "error": question.error}
    columns = book_columns(question, holding)
    plain = {"members": members, "aggregate": question.aggregate, "error": question.error}
    if not question.terms and len(columns) == 1:
        return plain
    terms = question.terms or (Term((question.column,)),)
    weights: dict[str, Any] = {}
    for term in terms:
        (name,) = (each for each in term.columns if each in holding.dataset.columns)
        (*by,) = (each for each in term.columns if each != name)
        factor = term.times * (holding.lattices[name].step or 1 if len(columns) > 1 else 1)
        levels = _levels(by[0], holding, members) if by else Fraction(1)
        weights[name] = weights.get(name, 0) + levels * factor
    # An auditor of several columns has one value for every person and column, columns one after the other.
    who = [members + holding.people * columns.index(name) for name in weights]
    each = [weight if isinstance(weight, np.ndarray) else np.full(len(members), weight) for weight in weights.values()]
    counts = np.any([weight != 0 for weight in each], axis=0)
    if int(counts.sum()) < holding.dataset.smallest_group:  # a weight of 0 is a filter
        raise InputError(
            f"the group is too small: at least {holding.dataset.smallest_group} people must have a weight other than 0"
        )
    counted = np.concatenate(each)
    if question.aggregate == "mean":  # over people, and not over people and columns
        counted = counted * Fraction(len(counted), len(members))
    if question.over:
        below = sum(_levels(question.over, holding, members).tolist())
        if not below:
            raise InputError(f"{question.over!r} adds up to 0 there, and nothing can be divided by that")
        counted = counted / below
    aggregate = "mean" if question.aggregate == "mean" else "sum"
    return plain | {"members": np.concatenate(who), "weights": counted, "aggregate": aggregate}


def _levels(name: str, holding: Holding, members: IntArray) -> Any:
    """What a public column of numbers says of these people."""
    alphabet, codes = holding.public[name]
    labels: Sequence[Any] = alphabet.labels()
    mine = codes[members]
    used = np.unique(mine).tolist()
    if not all(is_number(labels[code]) for code in used):
        missing = any(labels[code] is None for code in used)
        raise InputError(
            f"public column {name!r} has missing values there: add {name} IS NOT NULL"
            if missing
            else f"a weight is a public column of numbers, and {name!r} is none"
        )
    exact = np.zeros(len(labels), object)
    for code in used:
        exact[code] = rational(float(labels[code]))
    return exact[mine]
