"""The steps in which a private column is recorded: found in the data, held against what was declared, never silent.

Whoever knows that heights have one decimal knows more than their bounds, and narrow sums over them are equations. So the
steps are part of what the adversary is taken to know (AUDITOR.md, trap 8).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from discreet._typing import FloatArray
from discreet.agent._config import Dataset, Private
from discreet.errors import InputError
from discreet.queries._uniform_sums import rational
from discreet.queries.auditor._lattices import MOSTLY, ROUNDING, TELLING, Lattice, decimal, lattice_of

PARTS = 60
"""Steps are decimals over a whole number up to this: thirds, twelfths, sixtieths."""

CONTINUUM = Lattice(Fraction(0), Fraction(0), 0)


def recording(where: str, column: Private, values: FloatArray) -> Lattice:
    """The lattice that a column is audited on; an error where there is none, or another than was declared."""
    found = lattice_of(values, parts=PARTS, mostly=MOSTLY)
    declared = Fraction(1) if column.integral else None if column.step is None else rational(column.step)
    if declared is None:
        return _detected(where, values, found)
    if declared == 0:
        if found is not None:
            raise InputError(
                f"{where}: the values are recorded in steps of {decimal(found.step)}, so step = 0 would promise what cannot "
                f"be kept: declare step = {decimal(found.step)}, or leave it out"
            )
        _refuse_repeats(where, values)
        return CONTINUUM
    base = rational(column.lower)
    steps = np.rint((values - column.lower) / float(declared))
    off = np.abs(values - (column.lower + steps * float(declared)))
    wrong = int((off > 4 * ROUNDING * (np.abs(values) + abs(column.lower) + np.abs(steps) * float(declared))).sum())
    if wrong:
        raise InputError(f"{where}: {wrong} rows have values that are not lower + whole multiples of step, as declared")
    if found is not None and not found.exceptions and found.step > declared:
        raise InputError(
            f"{where}: the values are recorded in steps of {decimal(found.step)}, coarser than declared: whoever sees that "
            f"knows more, so declare step = {decimal(found.step)}"
        )
    return Lattice(declared, base % declared, 0)


def _detected(where: str, values: FloatArray, found: Lattice | None) -> Lattice:
    if found is None:
        _refuse_repeats(where, values)
        raise InputError(
            f"{where}: no steps were found in which the values are recorded: declare step, or step = 0 for a continuum; if "
            "somebody does know of steps, narrow sums are equations over them and can give every value away"
        )
    if found.exceptions:
        raise InputError(
            f"{where}: {found.exceptions} rows lie off the steps of {decimal(found.step)} in which the others are recorded: "
            "round them, or declare the step of all"
        )
    return found


def _refuse_repeats(where: str, values: FloatArray) -> None:
    """Values of a continuum do not repeat, but for those at its ends."""
    inside = values[(values > values.min()) & (values < values.max())]
    repeated = len(inside) - len(np.unique(inside))
    if len(values) >= TELLING and repeated > (1 - MOSTLY) * len(values):
        raise InputError(
            f"{where}: {repeated} values are there before, so they are recorded in steps, which are not equal: round them to "
            "equal steps, and declare step"
        )


def bounds_on(lattice: Lattice, column: Private) -> tuple[float, float]:
    """The declared bounds, drawn in to the lattice."""
    if not lattice.step:
        return column.lower, column.upper
    low, high = rational(column.lower), rational(column.upper)
    first = low + (lattice.offset - low) % lattice.step
    steps = math.floor((high - first) / lattice.step)
    return float(first), float(first + steps * lattice.step)


def audited(
    dataset: Dataset, lattices: Mapping[str, Lattice], columns: Sequence[str]
) -> tuple[list[tuple[float, float, float]], Fraction]:
    """Bounds and keep of each column of a book, and the step of all: columns that share a book are counted in their steps."""
    steps = {lattices[name].step for name in columns}
    found = []
    for name in columns:
        column, lattice = dataset.columns[name], lattices[name]
        lower, upper = bounds_on(lattice, column)
        keep = min(column.keep, upper - lower)
        if len(columns) == 1 or steps == {0}:
            found.append((lower, upper, keep))
            continue
        where = f"data set {dataset.name!r}, together"
        if not lattice.step:
            raise InputError(f"{where}: {name!r} is a continuum and others are recorded in steps: leave it out")
        first = rational(lower) / lattice.step
        if rational(float(first)) != first:
            raise InputError(f"{where}: the lower bound of {name!r} is no whole multiple of its step: move it")
        many = round(rational(upper) / lattice.step - first)
        # Rounded up, so that what is kept in steps is what was promised at least.
        found.append((float(first), float(first) + many, float(min(many, math.ceil(rational(keep) / lattice.step)))))
    return found, Fraction(1) if len(columns) > 1 and steps != {0} else lattices[columns[0]].step
