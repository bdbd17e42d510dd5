"""What may be declared and asked: every check of the auditor's input, one line an error, no value shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet._typing import BoolArray, FloatArray, IntArray
from discreet.errors import InputError, listed
from discreet.queries._uniform_sums import rational
from discreet.queries.auditor._lattices import MOST_STEPS, ROUNDING, decimal, lattice_of
from discreet.queries.auditor._people import WEIGHTIEST, People, PriorRow

LINEAR = ("mean", "sum", "count")

DISJUNCTIONS = ("max", "maximum", "min", "minimum", "quantile", "median", "percentile", "mode", "range")
"""'The largest is 5' says that all are at most 5, and that someone reaches it: not a slab, so not answered here."""

SLACK = 1e-9
"""Relative rounding that declared lengths and prior rows may carry."""

LARGEST_WHOLE = 2.0**31
"""Bounds of whole numbers in an agent stay below this, so that sums over many people are exact."""

MOST_CATEGORIES = 200
"""Of one column."""

LARGEST, SMALLEST = 1e290, 1e-280
"""Sums of bounds stay below the one and ranges above the other: floats hold both, and a share of either."""


def checked_bounds(
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    keep: npt.ArrayLike,
    step: Fraction,
    prior: Sequence[PriorRow],
    *,
    integral: bool = False,
) -> tuple[FloatArray, FloatArray, FloatArray, Fraction, Sequence[PriorRow]]:
    """Bounds and lengths as arrays, one entry per person."""
    if not isinstance(prior, Sequence):
        raise InputError("prior is a list of rows (weights by person, low, high)")
    low, high = _numbers(lower, "lower"), _numbers(upper, "upper")
    if low.ndim != 1 or not len(low) or low.shape != high.shape:
        raise InputError(
            f"lower and upper need one entry per person each: they have shapes {low.shape} and {high.shape}"
        )
    _refuse(low > high, "lower exceeds upper")
    if float(np.maximum(np.abs(low), np.abs(high)).max()) > LARGEST / len(low):
        raise InputError("the bounds are too large to add up in floating point: use another unit")
    _refuse(
        (high > low) & (high - low < SMALLEST), "lower and upper are too close for floating point: use another unit"
    )
    length = _numbers(keep, "keep")
    if length.ndim and length.shape != low.shape:
        raise InputError(f"keep is one number or one per person: {length.shape} for {len(low)} people")
    length = np.broadcast_to(length, low.shape)
    _refuse(length < 0, "keep is negative")
    _refuse(length > (high - low) * (1 + SLACK), "keep is longer than the range from lower to upper")
    if integral:
        whole = (low == np.rint(low)) & (high == np.rint(high))
        _refuse(~whole, "integral data need whole-number bounds: these are not")
    if step:
        _refuse(np.maximum(-low, high) > MOST_STEPS * float(step), "step is too small to tell floats apart")
    for row in prior:
        _check_prior(row, len(low))
    return low, high, np.minimum(length, high - low), step, prior


def checked_step(step: float | Fraction | None, integral: bool) -> Fraction | None:
    """The lattice that was declared: None for nothing, 0 for a continuum."""
    if not isinstance(integral, bool | np.bool_):
        raise InputError("integral is True or False, for everybody: give whole-number people an auditor of their own")
    if step is None:
        return Fraction(1) if integral else None
    try:
        exact = step if isinstance(step, Fraction) else rational(step)
    except (TypeError, ValueError, OverflowError):
        exact = Fraction(-1)
    if exact < 0 or isinstance(step, bool):
        raise InputError("step is a number: the step in which values are recorded, or 0 for a continuum")
    if integral and exact != 1:
        raise InputError("integral=True is step=1: give one of them")
    return exact


def check_recorded(step: Fraction | None, people: People, values: FloatArray) -> None:
    """Refuse data that do not lie on their lattice, and data on a lattice that was not declared."""
    if step:
        steps = people.in_steps(values)
        off = np.abs(values - people.values(np.arange(people.n), steps))
        slack = ROUNDING * (np.abs(values) + np.abs(people.lower) + float(step))
        what = "whole numbers though integral=True" if step == 1 else f"at lower + whole multiples of {decimal(step)}"
        _refuse(off > slack, f"data are not {what}, as declared,")
    found = lattice_of(values) if step is None else None
    if found is not None:
        said = decimal(found.step)
        raise InputError(
            f"data are recorded in steps of {said}, which narrow cells would give away: declare step={said}, or step=0 "
            "if nobody knows of the steps"
        )


def _check_prior(row: PriorRow, people: int) -> None:
    try:
        weights, low, high = row
        numbers = [*weights.values(), low, high]
        named = list(weights)
        usable = bool(named) and all(math.isfinite(number) for number in numbers) and low <= high
    except (TypeError, ValueError, AttributeError):
        usable, named = False, []
    if not usable or not any(weights.values()):
        raise InputError("a prior row is (weights by person, low, high) with finite numbers and low <= high")
    if not all(isinstance(person, int | np.integer) and 0 <= person < people for person in named):
        raise InputError(f"a prior row names people by their index, 0 to {people - 1}")


def checked_members(members: npt.ArrayLike, people: int) -> IntArray:
    """Indices in increasing order."""
    try:
        given = np.asarray(members)
    except (TypeError, ValueError):
        given = np.zeros(0, object)
    if given.ndim != 1 or not len(given):
        raise InputError("members is empty or not a list of indices: name the people whom the question is about")
    if given.dtype.kind not in "iu":
        raise InputError("members are indices, whole numbers; for a mask give numpy.flatnonzero(mask)")
    if given.min() < 0 or given.max() >= people:
        raise InputError(f"members go from 0 to {people - 1}: an index is out of range")
    mask = np.zeros(people, np.bool_)
    mask[given] = True
    ordered = np.flatnonzero(mask)
    if len(ordered) < len(given):
        raise InputError(f"members names {len(given) - len(ordered)} people twice: each once")
    return ordered


def checked_weights(members: npt.ArrayLike, weights: npt.ArrayLike) -> tuple[IntArray, IntArray, Fraction]:
    """Whose values count, in increasing order, and how often: whole numbers without a common divisor, and their unit.

    Members have been checked. Numbers are taken as the decimals that people wrote; fractions are taken as they are.
    """
    who, given = np.asarray(members), np.asarray(weights)
    if given.shape != who.shape:
        raise InputError(f"weights need one entry per member: {len(who)} members, shape {given.shape}")
    try:
        if given.dtype == object:
            place: dict[Fraction, int] = {}
            which = np.array([place.setdefault(weight, len(place)) for weight in given.tolist()])
            exact = [Fraction(weight) for weight in place]
    except (TypeError, ValueError, OverflowError):
        raise InputError("weights must be numbers") from None
    if given.dtype != object:
        levels, which = np.unique(_numbers(given, "weights"), return_inverse=True)
        exact = [rational(level) for level in levels.tolist()]
    unit = Fraction(math.gcd(*(w.numerator for w in exact)), math.lcm(*(w.denominator for w in exact)))
    if not unit:
        raise InputError("all weights are 0: nobody's value counts")
    whole = [weight / unit for weight in exact]
    if max(map(abs, whole)) >= WEIGHTIEST:
        raise InputError("weights are too unlike each other to be checked exactly: use small whole numbers")
    counted = np.array([int(weight) for weight in whole], np.int64)[which.reshape(-1)]
    order = np.argsort(who, kind="stable")
    order = order[counted[order] != 0]
    return who[order].astype(np.int64), counted[order], unit


def checked_aggregate(aggregate: str, people: People) -> None:
    """Refuse by name what is not linear."""
    if aggregate not in LINEAR:
        if str(aggregate).lower() in DISJUNCTIONS:
            raise InputError(
                f"{aggregate!r} is not audited: it says that someone reaches a value, which no cell of sums can hold; "
                "ask mean, sum or count"
            )
        raise InputError(f"unknown aggregate {aggregate!r}: it is one of {listed(LINEAR)}")
    if aggregate == "count" and not (people.step == 1 and people.lower.min() >= 0 and people.upper.max() <= 1):
        raise InputError('"count" is for 0/1 data: declare integral=True and bounds 0 and 1, or ask for the sum')


def checked_error(error: float) -> Fraction:
    """A positive number, as the decimal that people wrote: 0.06 cuts 12 into a hundred cells, whatever 0.06 is in binary."""
    try:
        usable = not isinstance(error, bool) and math.isfinite(error) and error > 0
    except (TypeError, ValueError, OverflowError):
        usable = False
    if not usable:
        raise InputError("error must be a positive, finite number, in the units of the aggregate")
    return rational(error)


def checked_data(people: People, data: npt.ArrayLike) -> FloatArray:
    """Everybody's value, within the bounds and the prior rows."""
    values = _numbers(data, "data")
    if values.shape != people.lower.shape:
        raise InputError(f"data need one value per person: {people.n} people, shape {values.shape}")
    _refuse((values < people.lower) | (values > people.upper), "data lie outside the declared bounds")
    for functional, low, high in people.declared:
        found = functional.constant + sum(w * Fraction(float(values[p])) for p, w in functional.weights.items())
        slack = Fraction(SLACK) * sum(
            abs(w) * Fraction(float(people.upper[p] - people.lower[p])) for p, w in functional.weights.items()
        )
        if not low - slack <= found <= high + slack:
            raise InputError("data contradict a declared prior row")
    return values


def _numbers(values: npt.ArrayLike, name: str) -> FloatArray:
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be numbers") from None
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} must be finite: {int((~np.isfinite(numbers)).sum())} entries are not")
    return numbers


def _refuse(wrong: BoolArray, what: str) -> None:
    if wrong.any():
        raise InputError(f"{what} for {int(wrong.sum())} people")
