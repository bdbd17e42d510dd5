"""Counts of a private category: COUNT(*) with illness = 'flu' in WHERE, or a histogram of all with GROUP BY illness.

The column has one promise for all its categories, and one book. What is said of it in WHERE is no filter but what is
counted; whatever else stands there chooses people by public columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.agent._filters import EVERYBODY, Comparison, Condition, Junction
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.agent._config import Dataset
    from discreet.agent._questions import Question

ALL = "*"
"""What COUNT(*) counts: whoever WHERE leaves."""


@dataclass(frozen=True)
class Counted:
    """A private column of categories, the number of the one that is counted (None: all of them), and who is asked about."""

    column: str
    category: int | None
    where: Condition


def counts_of(question: Question, dataset: Dataset) -> Counted | None:
    """What a question counts, where that is a private category; None for other questions."""
    named = {column.name: column for column in dataset.private if column.categories}
    parts = list(_conjuncts(question.where))
    about = [part for part in parts if isinstance(part, Comparison) and part.column in named]
    columns = [*(part.column for part in about), *(name for name in question.by if name in named)]
    if question.aggregate != "count" or question.column not in (ALL, *columns):
        if question.column in named or any(name in named for term in question.terms for name in term.columns):
            raise InputError(
                f"a column of categories is counted: COUNT(*) with {next(iter(named))} = 'a category' in WHERE, or GROUP BY it"
            )
        return None
    if not columns:
        raise _nothing(bool(named))
    if len(columns) > 1 or any(part.kind != "=" for part in about):
        raise InputError(
            f"COUNT is of one category, {columns[0]} = 'a category' beside filters on public columns, or of all, GROUP BY "
            f"{columns[0]}"
        )
    rest = tuple(part for part in parts if part not in about)
    where = rest[0] if len(rest) == 1 else Junction("all", rest) if rest else EVERYBODY
    if not about:
        return Counted(columns[0], None, where)
    labels = named[columns[0]].categories
    label = str(about[0].value)
    if label not in labels:
        raise InputError(f"{columns[0]} has the categories {list(labels)}")
    return Counted(columns[0], labels.index(label), where)


def _nothing(has_categories: bool) -> InputError:
    return InputError(
        "COUNT of * is for a private category, such as COUNT(*) with illness = 'flu' in WHERE or GROUP BY illness: how many "
        "people have which public labels is known already"
        if has_categories
        else "COUNT of * is not offered: how many people have which public labels is known already"
    )


def _conjuncts(condition: Condition) -> list[Condition]:
    """The parts that must all hold."""
    if isinstance(condition, Junction) and condition.kind == "all":
        return [each for part in condition.parts for each in _conjuncts(part)]
    return [condition]
