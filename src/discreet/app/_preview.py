"""A table at first sight: for every column what it probably is, what is missing, and a small histogram."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import interval, label_text
from discreet.release._classes import place_of

if TYPE_CHECKING:
    from discreet._typing import IntArray
    from discreet.recipe import Profile, Recipe

BARS = 24
MOMENTS = "dates with times"


@dataclass(frozen=True)
class ColumnView:
    """One column: how many values, how many missing, and its histogram as (name of the bar, records)."""

    name: str
    distinct: int
    missing: int
    kind: str  # numbers, dates, dates with times or words: how it is stored, not what it means
    bars: tuple[tuple[str, int], ...] = field(repr=False)
    ordered: bool = False  # whether the bars lie on a line
    values: tuple[str, ...] = field(default=(), repr=False)  # all different ones, where they are few


@dataclass(frozen=True, eq=False)
class Preview:
    """What a table holds, and a first recipe for it."""

    rows: int
    columns: tuple[ColumnView, ...]
    guess: Recipe = field(repr=False)
    fine: frozenset[str] = frozenset()  # columns of which a sample was looked at

    def column(self, name: str) -> ColumnView:
        """A column by its name."""
        return next(each for each in self.columns if each.name == name)


def preview_of(guess: Recipe, counted: Profile) -> Preview:
    """A preview from what was counted column by column."""
    views = (_view(name, labels, records) for name, (labels, records) in counted.columns.items())
    found = (replace(each, distinct=counted.fine.get(each.name, each.distinct)) for each in views)
    return Preview(counted.rows, tuple(found), guess, frozenset(counted.fine))


def _view(name: str, labels: Sequence[Any], records: IntArray) -> ColumnView:
    has_missing = len(labels) > 0 and labels[-1] is None
    present, missing = (labels[:-1], int(records[-1])) if has_missing else (labels, 0)
    counts = records[: len(present)]
    numbers = all(isinstance(label, int | float | Decimal) and not isinstance(label, bool) for label in present)
    dates = not numbers and all(hasattr(label, "toordinal") for label in present)
    moments = dates and any(isinstance(label, dt.datetime) for label in present)
    kind = "numbers" if numbers else MOMENTS if moments else "dates" if dates else "words"
    few = tuple(label_text(label) for label in present) if len(present) <= 500 else ()
    if len(present) <= BARS:
        bars = tuple((label_text(label), int(count)) for label, count in zip(present, counts, strict=True))
        return ColumnView(name, len(present), missing, kind, bars, numbers or dates, few)
    bars = _bands(present, counts) if numbers or dates else _commonest(present, counts)
    return ColumnView(name, len(present), missing, kind, bars, numbers or dates, few)


def _bands(labels: Sequence[Any], counts: IntArray) -> tuple[tuple[str, int], ...]:
    """Bars of equal width along the line."""
    where = np.array([place_of(label) for label in labels], dtype=np.float64)
    finite = np.isfinite(where)
    where, counts = where[finite], counts[finite]
    labels = [label for label, keep in zip(labels, finite.tolist(), strict=True) if keep]
    width = (where[-1] - where[0]) / BARS or 1.0
    bar = np.minimum(((where - where[0]) / width).astype(np.int64), BARS - 1)
    sums = np.bincount(bar, counts, BARS)
    firsts, lasts = np.searchsorted(bar, np.arange(BARS)), np.searchsorted(bar, np.arange(BARS), "right") - 1
    names = [interval(labels[a], labels[b]) if b >= a else "" for a, b in zip(firsts, lasts, strict=True)]
    return tuple((name, int(count)) for name, count in zip(names, sums, strict=True))


def _commonest(labels: Sequence[Any], counts: IntArray) -> tuple[tuple[str, int], ...]:
    top = np.argsort(-counts, kind="stable")[: BARS - 1].tolist()
    others = int(counts.sum() - counts[top].sum())
    return (*((label_text(labels[i]), int(counts[i])) for i in top), (f"{len(labels) - len(top):,} others", others))
