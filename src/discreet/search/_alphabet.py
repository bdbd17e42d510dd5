"""From a joint to the arrays that engines work on: ranges, and the letters' places in the units that the caller chose."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.joint._joint import Joint
from discreet.release import _cells as cells
from discreet.release._points import Places
from discreet.search._codewords import codeword
from discreet.search._letters import Letters
from discreet.tables._labels import Label

Values = Mapping[Label, float | Sequence[float]]

TREES_HELP = 8  # coordinates up to which near letters are found without looking at all of them
MOST_DISTANCES = 20_000_000_000  # letters × letters × coordinates beyond


def has_positions(joint: Joint, *, but_missing: bool = False) -> bool:
    """Whether every letter of X is a number or a date (in every column), so that distances make sense.

    With but_missing, missing values do not count against it.

    Examples
    --------
    >>> has_positions(Joint.from_pairs([("s", 1), ("s", 2)])), has_positions(Joint.from_pairs([("s", "a")]))
    (True, False)
    """
    return all(
        cells.position(part) is not None or (but_missing and part is None)
        for label in joint.x
        for part in _parts(label)
    )


def _parts(label: Label) -> tuple[Label, ...]:
    return label if isinstance(label, tuple) else (label,)


def _names(joint: Joint) -> tuple[str, ...]:
    return joint.public or tuple(f"x{i}" for i in range(len(_parts(joint.x[0]))))


def _kinds(joint: Joint, order: Mapping[str, Sequence[Label]] | None) -> dict[str, str]:
    """Of each public column: "rank" where its order is given, else "number", "date" or "text"."""
    rows = [_parts(label) for label in joint.x]
    ranked = order or {}
    found = {}
    for i, name in enumerate(_names(joint)):
        labels = [row[i] for row in rows]
        kind = "rank" if name in ranked else cells.column_kind(labels)
        is_infinite = kind == "text" and any(isinstance(label, float) and math.isinf(label) for label in labels)
        found[name] = "number" if is_infinite else kind  # which has no place, and is refused as a number
    return found


def default_utility(
    joint: Joint,
    values: Values | None,
    scale: Mapping[str, float] | str | None,
    order: Mapping[str, Sequence[Label]] | None,
) -> Literal["distortion", "resolution"]:
    """What is kept where nobody says: distances, if some column has any; letters that are all categories have none.

    Numbers and dates lie on a line, and so do categories whose `order` is given. Beside such columns, or with a `scale`,
    categories are 1 apart.
    """
    if values is not None or scale:
        return "distortion"
    return "resolution" if set(_kinds(joint, order).values()) == {"text"} else "distortion"


def _check_size(joint: Joint, kinds: Mapping[str, str]) -> None:
    """Say at once what would take hours: with many coordinates every letter is compared with every other."""
    parts = zip(*(_parts(label) for label in joint.x), strict=True)
    many = sum(len(set(part)) if kind == "text" else 1 for part, kind in zip(parts, kinds.values(), strict=True))
    if many > TREES_HELP and joint.n_x**2 * many > MOST_DISTANCES:
        raise InputError(
            f"{joint.n_x:,} different rows of {len(kinds)} public columns are too many for one frontier of distances: name up "
            f"to {TREES_HELP} columns of numbers, use utility resolution, or release the whole table with --require, such as "
            "--require n>=5"
        )


def places_of(
    joint: Joint,
    values: Values | None,
    scale: Mapping[str, float] | str | None,
    order: Mapping[str, Sequence[Label]] | None,
) -> Places:
    """Numbers for the letters: the caller's `values`, or the labels' own where they are numbers or dates.

    An ordered category is its rank in `order`; unordered ones are 1 apart (each a corner of a simplex), where a `scale` is
    given for them; every column is divided by its scale, or by its range for "range", which is also what is done where
    categories stand beside numbers and no scale is given.
    """
    if values is not None:
        return _given(joint, values)
    columns, units, kinds = [], [], []
    names = _names(joint)
    given = scale if isinstance(scale, Mapping) else {}
    _check_scale(given, names)
    _check_order(order or {}, names)
    if isinstance(scale, str) and scale != "range":
        raise InputError(f"scale={scale!r} is not known: give one unit per column, or 'range'")
    kind_of = _kinds(joint, order)
    by_range = scale == "range" or (scale is None and {"text"} < set(kind_of.values()))
    _check_size(joint, kind_of)
    for i, name in enumerate(names):
        labels = [_parts(label)[i] for label in joint.x]
        if order and name in order:
            ranks = {label: rank for rank, label in enumerate(order[name])}
            lacking = [label for label in labels if label not in ranks]
            if lacking:
                raise InputError(f"order of {name!r} leaves out {len(set(lacking))} of its values: list them all")
            numbers = np.asarray([[ranks[label]] for label in labels], dtype=np.float64)
        elif (name in given or by_range) and kind_of[name] == "text":
            numbers = _corners(labels)
        else:
            numbers = np.asarray([[_number(label, name)] for label in labels], dtype=np.float64)
        unit = float(given.get(name, 1.0))
        if by_range and kind_of[name] != "text":
            unit = float(np.ptp(numbers)) or 1.0
        columns.append(numbers / unit)
        units += [unit] * numbers.shape[1]
        kinds += [kind_of[name]] * numbers.shape[1]
    coordinates = np.ascontiguousarray(np.concatenate(columns, axis=1))
    return Places(coordinates, np.asarray(units), coordinates.shape[1] == 1, tuple(kinds), by_range)


def _check_order(given: Mapping[str, Sequence[Label]], names: Sequence[str]) -> None:
    for name in given:
        if name not in names:
            raise InputError(f"order names {name!r}, which is not a public column: they are {', '.join(names)}")


def _check_scale(given: Mapping[str, float], names: Sequence[str]) -> None:
    for name, unit in given.items():
        if name not in names:
            raise InputError(f"scale names {name!r}, which is not a public column: they are {', '.join(names)}")
        if not (math.isfinite(unit) and unit > 0):
            raise InputError(f"the scale of {name!r} must be a positive number")


def _corners(labels: Sequence[Label]) -> FloatArray:
    """Unordered categories as corners of a simplex: any two are 1 apart in the l_2 norm."""
    categories = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    corners = np.zeros((len(labels), len(categories)))
    corners[np.arange(len(labels)), [categories[label] for label in labels]] = math.sqrt(0.5)
    return corners


def _number(label: Label, name: str) -> float:
    where = cells.position(label)
    if where is None and label is None:
        raise InputError(
            f"distortion has no place for the missing values of {name!r}: drop their rows (missing='drop', --missing drop), "
            "use utility resolution, or give values= for all letters"
        )
    if where is None and isinstance(label, float):
        raise InputError(f"column {name!r} has infinite values: distortion needs finite ones")
    if where is None:
        raise InputError(
            f"column {name!r} is not numeric: use utility resolution, or say where its values lie "
            "(order= or --rank, scale= or --scale, values=)"
        )
    return where


def _row(value: object) -> object:
    """A letter's value: a number, or a tuple of them from any sequence or array."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else value


def _given(joint: Joint, values: Values) -> Places:
    lacking = sum(1 for label in joint.x if label not in values)
    if lacking:
        raise InputError(f"values are missing for {lacking} of {joint.n_x} letters of x: give one value per letter")
    rows = [_row(values[label]) for label in joint.x]
    if any(row == () or isinstance(part, str | bytes) for row in rows for part in _parts(row) or (None,)):
        raise InputError("values must be numbers, or tuples of numbers")
    widths = {len(row) if isinstance(row, tuple) else 0 for row in rows}
    if len(widths) > 1:
        raise InputError("some values are numbers and some are tuples, or their lengths differ: give all alike")
    try:
        numbers = np.asarray([_parts(row) for row in rows], dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("values must be numbers, or tuples of numbers") from None
    if not np.isfinite(numbers).all():
        raise InputError("values contain NaN or infinity: distortion needs finite numbers")
    return Places(np.ascontiguousarray(numbers), np.ones(numbers.shape[1]), widths == {0})


def letters_of(joint: Joint, places: Places | None, norm: float = 2.0) -> Letters:
    """The joint's support and places as arrays."""
    counts = joint.counts
    return Letters(
        indptr=counts.indptr.astype(np.int64),
        indices=counts.indices.astype(np.int32),
        n_s=joint.n_s,
        values=None if places is None else places.coordinates,
        norm=float(norm),
    )


def codewords_of(places: Places, block_of: IntArray, choice: str, norm: float) -> tuple[Label, ...]:
    """The blocks' codewords in the caller's units, earliest block first."""
    order = np.argsort(block_of, kind="stable")
    starts = np.flatnonzero(np.diff(block_of[order], prepend=-1))
    found = []
    for members in np.split(order, starts[1:]):
        centre = codeword(places.coordinates[np.sort(members)], choice, norm) * places.scale
        parts = tuple(_spoken(places, i, float(part)) for i, part in enumerate(centre))
        found.append(parts[0] if places.is_single else parts)
    return tuple(found)


def _spoken(places: Places, i: int, part: float) -> Label:
    """A coordinate as people say it: days are dates."""
    is_day = i < len(places.kinds) and places.kinds[i] == "date"
    return dt.date.fromordinal(max(1, round(part))) if is_day else part
