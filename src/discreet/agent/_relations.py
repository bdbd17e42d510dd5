"""Columns that tell of each other: parts and their total, one value in two units, age and year of birth, one-hot columns.

Each column has a promise of its own, and columns that follow from each other would break each other's. What is looked for:
a linear relation of a private column with all other columns, and a smooth function or the groups of one other column. A few
rows that deviate do not hide a relation, so fits are by least trimmed squares [Rousseeuw and Van Driessen 2006].
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.queries.auditor._lattices import TELLING
from discreet.release._cells import is_number
from discreet.tables._labels import Label

DEVIANTS = (0.1, 0.02, 0.0)
"""Shares of the rows that may deviate from a relation; without the relation three times as many would."""

CLOSE, NEAR, OF_KEEP = 0.05, 0.2, 0.25
"""What a relation leaves open: this share of what is open without it; or that one, if it is also so little of `keep`."""

ROWS, STARTS, STEPS = 2000, 30, 8
"""Rows that are looked at, random starts of a fit, and concentration steps from each."""

PER_COLUMN = 5
"""Rows for each column of a fit, at least: fewer fit by chance."""

_NUMBER = re.compile(r"[^\d+-]{0,4}\s*([+-]?\d[\d .,']*(?:[eE][+-]?\d+)?)\s*\D{0,12}", re.ASCII)


@dataclass(frozen=True)
class Relation:
    """A column that follows from others, nearly, for this share of the rows."""

    column: str
    others: tuple[str, ...]
    share: float


def relations(
    private: Mapping[str, FloatArray],
    keep: Mapping[str, float],
    public: Mapping[str, FloatArray | IntArray],
    parts: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Relation]:
    """Private columns that follow from other columns, the fewest others that say so.

    Public columns of numbers are floats, with NaN where there is none; others are codes, whole numbers. `parts` are columns
    made of others, such as who is in a category: those of one column follow from each other, and from it.
    """
    rows = len(next(iter(private.values())))
    if rows < TELLING:
        return
    chosen = np.random.default_rng(rows).permutation(rows)[:ROWS]  # the same rows every time: a start is repeatable
    private = {name: values[chosen] for name, values in private.items()}
    public = {name: values[chosen] for name, values in public.items()}
    numbers = {
        name: x.astype(float) for name, x in public.items() if x.dtype.kind == "f" and np.isfinite(x).mean() > 0.5
    }
    for name, y in private.items():
        own = parts.get(name, name)
        others = {
            other: x for other, x in [*private.items(), *numbers.items()] if own not in (other, parts.get(other, other))
        }
        found = _alone(name, y, keep[name], {**others, **{other: x for other, x in public.items() if other != own}})
        yield from [found] if found else _together(name, y, keep[name], others)


def _alone(name: str, y: FloatArray, keep: float, others: Mapping[str, FloatArray | IntArray]) -> Relation | None:
    """Whether one other column tells, by its groups or as a smooth function."""
    for other, x in others.items():
        levels, codes = np.unique(x, return_inverse=True)
        if len(levels) < 2:
            continue
        if len(levels) * PER_COLUMN <= len(y):
            order = np.argsort(codes, kind="stable")
            middle = np.array([np.median(part) for part in np.split(y[order], np.cumsum(np.bincount(codes))[:-1])])
            share = _telling(y, y - middle[codes], keep)
        elif x.dtype.kind == "f":
            order = np.argsort(x, kind="stable")
            there = order[np.isfinite(x[order])]
            line = y[there]
            share = _telling(line[1:-1], line[1:-1] - (line[:-2] + line[2:]) / 2, keep) if len(line) > TELLING else 0.0
        else:
            continue
        if share:
            return Relation(name, (other,), share)
    return None


def _together(name: str, y: FloatArray, keep: float, others: Mapping[str, FloatArray]) -> Iterator[Relation]:
    """Whether all others together tell, linearly; then those of them that are needed."""
    used = dict(others)
    share = _linear(y, list(used.values()), keep)
    if not share:
        return
    for other in list(used):
        fewer = _linear(y, [x for left, x in used.items() if left != other], keep) if len(used) > 1 else 0.0
        if fewer:
            del used[other]
            share = fewer
    yield Relation(name, tuple(used), share)


def _linear(y: FloatArray, others: list[FloatArray], keep: float) -> float:
    """The share of rows for which a linear function of the others is near y; 0 where there is none."""
    fits = np.isfinite(np.sum(others, axis=0)) if others else np.zeros(0, bool)
    count = int(fits.sum())
    if count < max(TELLING, PER_COLUMN * (len(others) + 2)):
        return 0.0
    table = np.stack([x[fits] for x in others], axis=1)
    spread = table.std(axis=0)
    table = np.column_stack([(table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0), np.ones(count)])
    return _telling(y[fits], _residuals(table, y[fits]), keep)


def _residuals(table: FloatArray, y: FloatArray) -> FloatArray:
    """Of the best fit to 85% of the rows: from all rows, and from a few at random, concentrated on what fits."""
    rng = np.random.default_rng(0)
    most, size = max(table.shape[1] + 1, int(0.85 * len(y))), 2 * table.shape[1]
    best, least = y - y.mean(), np.inf
    for start in range(STARTS):
        rows = np.arange(len(y)) if not start else rng.choice(len(y), min(size, len(y)), replace=False)
        for _ in range(STEPS):
            left = y - table @ np.linalg.lstsq(table[rows], y[rows], rcond=None)[0]
            rows = np.argpartition(np.abs(left), most - 1)[:most]
        loss = float(np.square(left[rows]).sum())
        if loss < least * (1 - 1e-9):
            best, least = left, loss
    return np.asarray(best)


def _telling(y: FloatArray, left: FloatArray, keep: float) -> float:
    """The share of rows that keep to a relation which leaves so much; 0 if it says little more than the middle does."""
    without, left = np.abs(y - np.median(y)), np.abs(left - np.median(left))
    for share in DEVIANTS:
        rest, alone = np.quantile(left, 1 - share), np.quantile(without, 1 - share)
        limit = max(CLOSE * alone, min(NEAR * alone, OF_KEEP * keep))
        if alone > 0 and rest <= limit and (without > limit).mean() >= 3 * share:
            return float((left <= limit).mean())
    return 0.0


def as_numbers(labels: Sequence[Label]) -> FloatArray | None:
    """Labels as numbers, also those in texts such as "1,250 €" and dates; None for a column of other things."""
    found = [_as_number(label) for label in labels]
    known = sum(label is not None for label in labels)
    return np.array(found) if known and sum(number == number for number in found) >= 0.9 * known else None


def _as_number(label: Label) -> float:
    if isinstance(label, dt.date):
        return label.toordinal() + (label.hour / 24 if isinstance(label, dt.datetime) else 0.0)
    if isinstance(label, str):
        match = _NUMBER.fullmatch(label.strip())
        text = re.sub(r"[ ']", "", match[1]) if match else ""
        if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", text):
            text = text.replace(",", "")
        elif re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+,\d*", text):
            text = text.replace(".", "")
        try:
            return float(text.replace(",", "."))
        except ValueError:
            return float("nan")
    return float(label) if is_number(label) else float("nan")
