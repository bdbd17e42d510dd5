"""GROUP BY: one question about every group of public columns."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.agent._filters import EVERYBODY, Comparison, Condition, Junction, group_of
from discreet.errors import InputError
from discreet.tables._labels import Label, plain

if TYPE_CHECKING:
    from discreet.agent._holdings import Holding
    from discreet.agent._questions import Question

MOST = 300
"""Groups of one question."""


def groups_of(question: Question, holding: Holding) -> tuple[list[tuple[dict[str, Any], Question]], int]:
    """A question for each group that has enough people, with its labels, in order; and how many have too few.

    How many people a group has is public, as its columns are.
    """
    for name in question.by:
        if name in holding.private:
            raise InputError(
                f"GROUP BY {name!r} is a histogram of a private column, and GROUP BY is for public columns: one value has one "
                "promise. Count one category of it (category in agent.toml), or group by public columns"
            )
        if name not in holding.public:
            raise InputError(f"GROUP BY is for public columns: {sorted(holding.public)}")
    mask = group_of(question.where, holding.public, holding.people)
    codes = np.stack([holding.public[name][1][mask] for name in question.by])
    rows, sizes = np.unique(codes, axis=1, return_counts=True)
    enough = sizes >= holding.dataset.smallest_group
    if int(enough.sum()) > MOST:
        raise InputError(
            f"GROUP BY makes {int(enough.sum()):,} groups: at most {MOST}, so use fewer columns or a filter"
        )
    if not enough.any():
        raise InputError(f"the groups are too small: each must have at least {holding.dataset.smallest_group} people")
    found = []
    for row in rows.T[enough].tolist():
        labels = [plain(holding.public[name][0].labels()[code]) for name, code in zip(question.by, row, strict=True)]
        parts: list[Condition] = [_is(name, label) for name, label in zip(question.by, labels, strict=True)]
        where = Junction("all", (*(() if question.where == EVERYBODY else (question.where,)), *parts))
        shown = {name: _shown(label) for name, label in zip(question.by, labels, strict=True)}
        found.append((shown, replace(question, where=where, by=())))
    return found, int((~enough).sum())


def _is(name: str, label: Label) -> Comparison:
    return Comparison(name, "missing", None) if label is None else Comparison(name, "=", _shown(label))


def _shown(label: Label) -> Any:
    """A label as filters compare with it: days and moments as text."""
    return label.isoformat() if isinstance(label, dt.date) else label
