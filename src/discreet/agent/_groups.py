"""GROUP BY: one question about every group of public columns, and about every category of a private one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.agent._category_counts import counts_of
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
    counts = counts_of(question, holding.dataset)
    histogram = counts.column if counts is not None and counts.category is None else None
    for name in question.by:
        if name in holding.private and name != histogram:
            raise InputError(
                f"GROUP BY {name!r} is a histogram of a private column, and GROUP BY is for public columns: one value has one "
                "promise. A column of labels can be counted by them: COUNT(*), and categories in agent.toml"
            )
        if name not in holding.public and name != histogram:
            raise InputError(f"GROUP BY is for public columns: {sorted(holding.public)}")
    mask = group_of(counts.where if counts is not None else question.where, holding.public, holding.people)
    by = [name for name in question.by if name != histogram]
    codes = np.stack([holding.public[name][1][mask] for name in by] or [np.zeros(int(mask.sum()), np.int64)])
    rows, sizes = np.unique(codes, axis=1, return_counts=True)
    enough = sizes >= holding.dataset.smallest_group
    bins: tuple[str, ...] = holding.dataset.columns[histogram].categories if histogram else ()
    many = int(enough.sum()) * max(1, len(bins))
    if many > MOST:
        raise InputError(f"GROUP BY makes {many:,} groups: at most {MOST}, so use fewer columns or a filter")
    if not enough.any():
        raise InputError(f"the groups are too small: each must have at least {holding.dataset.smallest_group} people")
    found = []
    for row in rows.T[enough].tolist():
        labels = {
            name: plain(holding.public[name][0].labels()[code]) for name, code in zip(by, row[: len(by)], strict=True)
        }
        found += [_one(question, {**labels, histogram: label} if histogram else labels) for label in bins or (None,)]
    return found, int((~enough).sum())


def _one(question: Question, labels: Mapping[str, Label]) -> tuple[dict[str, Any], Question]:
    """The labels of one group, and the question about it."""
    parts: list[Condition] = [_is(name, labels[name]) for name in question.by]
    where = Junction("all", (*(() if question.where == EVERYBODY else (question.where,)), *parts))
    return {name: _shown(labels[name]) for name in question.by}, replace(question, where=where, by=())


def _is(name: str, label: Label) -> Comparison:
    return Comparison(name, "missing", None) if label is None else Comparison(name, "=", _shown(label))


def _shown(label: Label) -> Any:
    """A label as filters compare with it: days and moments as text."""
    return label.isoformat() if isinstance(label, dt.date) else label
