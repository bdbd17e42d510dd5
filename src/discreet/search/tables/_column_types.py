"""What was said about the public columns, what is guessed about the rest, and the axes that come of both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from discreet._text import an
from discreet.columns import Axis, ColumnType, Hierarchy, axis_of, guess_type, parse_type
from discreet.columns._guess import with_unit
from discreet.columns._judging import refuse_public
from discreet.errors import ColumnError, InputError, listed
from discreet.tables._counting import Counted


def said_types(
    public: Sequence[str],
    types: Mapping[str, str | ColumnType] | None,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None,
    weights: Mapping[str, float] | None,
) -> dict[str, ColumnType]:
    """The types that were given, by public column; a hierarchy is one. Refused where what was said does not fit together."""
    for what, mapping in (("a type", types), ("a hierarchy", hierarchies), ("a weight", weights)):
        for name in mapping or ():
            if name not in public:
                raise ColumnError(
                    f"{what} is given for {name!r}, which is not a public column: they are {listed(tuple(public))}"
                )
    said = {
        name: kind if isinstance(kind, ColumnType) else parse_type(kind, name) for name, kind in (types or {}).items()
    }
    for name, given in (hierarchies or {}).items():
        tree = given if isinstance(given, Hierarchy) else Hierarchy.load(given)
        known = said.get(name, ColumnType("hierarchy"))
        if known.kind not in ("hierarchy", "auto"):
            raise InputError(
                f"column {name!r} has a hierarchy, and is said to be {an(known.kind)}: drop one of the two"
            )
        said[name] = replace(known, kind="hierarchy", hierarchy=tree)
    for name, weight in (weights or {}).items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight) or weight < 0:
            raise InputError(f"the weight of {name!r} must be a number of at least 0")
        other = said[name].weight if name in said else 1.0
        if other not in (1.0, weight):
            raise InputError(f"column {name!r} has two weights, {other:g} and {weight:g}: give one")
    return {name: kind.checked(name) for name, kind in said.items()}


def by_role(
    sensitive: Sequence[str], hierarchies: Mapping[str, str | Path | Hierarchy] | None
) -> tuple[dict[str, Hierarchy], dict[str, str | Path | Hierarchy]]:
    """The hierarchies of sensitive columns, which requirements read, and the others, which say how columns are coarsened."""
    given = dict(hierarchies or {})
    files = {name: given.pop(name) for name in sensitive if name in given}
    return {name: each if isinstance(each, Hierarchy) else Hierarchy.load(each) for name, each in files.items()}, given


def axes_of(counted: Counted, said: Mapping[str, ColumnType], weights: Mapping[str, float] | None) -> tuple[Axis, ...]:
    """The axis of every public column; types that were not said are guessed, or asked for where a guess could be wrong."""
    axes = []
    for name, column in zip(counted.x.names, counted.x.columns, strict=True):
        labels = column.tolist() if isinstance(column, np.ndarray) else list(column)
        if len(labels) < 2:
            raise ColumnError(f"public column {name!r} has the same value in every row: it tells nothing, leave it out")
        kind = with_unit(_guessed(name, labels, said.get(name, ColumnType("auto"))), labels)
        is_said = name in said and said[name].kind != "auto"
        refuse_public(name, labels, counted.rows, kind, is_said=is_said)
        if weights and name in weights:
            kind = replace(kind, weight=float(weights[name]))
        axes.append(axis_of(name, labels, kind))
    if not any(axis.type.weight > 0 for axis in axes):
        raise InputError("all weights are 0: at least one column's coarseness must count")
    return tuple(axes)


def _guessed(name: str, labels: Sequence[object], said: ColumnType) -> ColumnType:
    """What was said of a column, with its type guessed where it was not; of a column left as it is, any guess will do."""
    if said.kind != "auto":
        return said
    kind, _, question = guess_type(name, labels)
    if question and not said.fixed:
        what, _, ask = question.partition(": ")
        if kind.kind == "code":
            what += ", which may be codes or amounts"
            ask = f"say --type {name}=code or --type {name}=number (types={{{name!r}: 'code'}})"
        raise InputError(f"column {name!r} holds {what}: {ask}")
    return replace(said, kind=kind.kind, order=kind.order).checked(name)
