"""The audit: every measure of one table, with the evidence: worst groups, worst attribute, each column's part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from discreet._text import json_number, shown
from discreet.auditing._audit_page import audit_fragment, audit_page
from discreet.auditing._requirements import Finding, Group, Requirement
from discreet.auditing._risk import Risk
from discreet.auditing._verdict import headline, next_step
from discreet.auditing._words import missing_sentence
from discreet.errors import ColumnError, InputError, TableError
from discreet.joint._joint import Joint
from discreet.measures import REGISTRY, maximin_information, worst_case_leakage
from discreet.tables._counting import count
from discreet.tables._sources import named

if TYPE_CHECKING:
    from discreet._typing import FloatArray, Progress, Reading
    from discreet.tables._labels import Label

SMALL = 50_000  # distinct pairs up to which the measures with an order are part of every audit
FEW = 300  # and letters of S: maximal α-leakage solves for a prior over them
ORDERS = (2.0,)
PER_COLUMN = ("L0", "k", "I*", "I")


@dataclass(frozen=True)
class ColumnPart:
    """What one public column gives away alone, and what the others give away without it."""

    column: str
    levels: int
    alone: dict[str, float]
    without: dict[str, float] | None  # None when there is no other public column

    def saved(self, symbol: str, total: float) -> float | None:
        """How much of a leakage leaving the column out would save."""
        return None if self.without is None else total - self.without[symbol]


@dataclass(frozen=True)
class Homogeneity:
    """Groups of several records that share one single s: k records, but nothing left to guess [DQ, V]."""

    groups: int
    rows: int
    largest: int


@dataclass(frozen=True, eq=False)
class Audit:
    """What a table's public columns give away about its sensitive ones."""

    joint: Joint
    values: dict[str, float]
    columns: tuple[ColumnPart, ...]
    sensitive: dict[str, dict[str, float]]  # each sensitive column by itself, where there are several
    homogeneity: Homogeneity
    source: str
    people: FloatArray | None = None  # that the records of each group stand for, where sample weights say so

    @property
    def risk(self) -> Risk:
        """How easily people are found by their public values."""
        return Risk.of(np.asarray(self.joint.records, dtype=np.int64), self.people)

    def worst(self, n: int = 10, *, show_values: bool = False) -> list[Group]:
        """The n groups with the fewest distinct s; among equals those with the most records, then the earliest."""
        joint = self.joint
        most = min(max(n, 0), joint.n_x)
        if most < joint.n_x:  # no need to sort a million groups to show ten
            limit = np.partition(joint.distinct, most - 1)[most - 1] if most else 0
            candidates = np.flatnonzero(joint.distinct <= limit)
        else:
            candidates = np.arange(joint.n_x)
        ranked = np.lexsort((candidates, -joint.records[candidates], joint.distinct[candidates]))[:most]
        return [self._group(int(letter), show_values) for letter in candidates[ranked]]

    def exposed(self, *, show_values: bool = False) -> dict[str, Any]:
        """The most exposed attribute [BF, (17)] in outline: which x betrays it, and how many s it joins."""
        letter = int(np.argmin(self.joint.distinct))
        group = self._group(letter, show_values)
        return {
            "x": group.value,
            "joined": group.distinct,
            "values": self.joint.n_s - group.distinct + 1,
            "bits": self.values["L*"],
            "sensitive": group.sensitive,
        }

    def _group(self, letter: int, show_values: bool) -> Group:
        joint = self.joint
        values = tuple(joint.s_label(int(code)) for code in joint.codes_of(letter)) if show_values else None
        return Group(joint.x_label(letter), int(joint.records[letter]), int(joint.distinct[letter]), values)

    def check(self, requirements: Iterable[str | Requirement], *, most: int = 10) -> list[Finding]:
        """Which of the requirements ("L0<=2", "k>=5") hold; a failing one comes with the groups that break it."""
        return [Requirement.parse(each).check(self, most) for each in requirements]

    def to_dict(self, *, worst: int = 10, show_values: bool = False) -> dict[str, Any]:
        """Everything, for JSON: infinity is the string "inf", sensitive values appear only with show_values."""
        joint = self.joint
        exposed = self.exposed(show_values=show_values)
        return {
            "source": self.source,
            "sensitive": list(joint.sensitive),
            "public": list(joint.public),
            "side": list(joint.side.a.names) if joint.has_side else [],
            "rows": joint.total,
            "sensitive_levels": joint.n_s,
            "public_levels": joint.n_x,
            "pairs": joint.counts.nnz,
            "missing": missing_sentence(joint),
            "values": {symbol: json_number(value) for symbol, value in self.values.items()},
            "worst": [_group_dict(group) for group in self.worst(worst, show_values=show_values)],
            "most_exposed_attribute": {
                key: (shown(value) if key == "x" else value if key != "sensitive" else _listed(value))
                for key, value in exposed.items()
                if key != "sensitive" or show_values
            },
            "columns": [
                {
                    "column": part.column,
                    "levels": part.levels,
                    "alone": {symbol: json_number(value) for symbol, value in part.alone.items()},
                    "without": part.without and {symbol: json_number(value) for symbol, value in part.without.items()},
                }
                for part in self.columns
            ],
            "sensitive_columns": {
                name: {symbol: json_number(value) for symbol, value in values.items()}
                for name, values in self.sensitive.items()
            },
            "risk": self.risk.to_dict(),
            "verdict": headline(self),
            "next": next_step(self).command,
            "homogeneity": {
                "groups": self.homogeneity.groups,
                "rows": self.homogeneity.rows,
                "largest": self.homogeneity.largest,
            },
        }

    def to_html(self, *, worst: int = 10, show_values: bool = False, findings: Sequence[Finding] = ()) -> str:
        """One self-contained page with plots."""
        return audit_page(self, worst=worst, show_values=show_values, findings=findings)

    def _repr_html_(self) -> str:
        return audit_fragment(self)

    def __repr__(self) -> str:
        values = self.values
        return (
            f"Audit({', '.join(self.joint.sensitive)} given {', '.join(self.joint.public)}: "
            f"L0 {values['L0']:.3f}, I* {values['I*']:.3f}, k {values['k']:g}, n {values['n']:g})"
        )


def audit(
    table: object,
    sensitive: str | Sequence[str],
    public: str | Sequence[str],
    side: str | Sequence[str] | None = None,
    *,
    orders: Sequence[float] | None = None,
    weights: str | None = None,
    **reading: Unpack[Reading],
) -> Audit:
    """Measure what the public columns of a table give away about its sensitive columns.

    Parameters are those of `Joint.from_table`, missing, na, memory_limit and progress among them; `orders` names the
    orders α of the measures that have one (by default 2 for tables of up to 50,000 distinct pairs, none for larger ones).
    `weights` names a column of sample weights: how many people of the population a record stands for, for the risk there.

    Examples
    --------
    >>> found = audit({"illness": ["flu", "cold", "cold"], "town": ["A", "A", "B"]}, "illness", "town")
    >>> found.values["L0"], found.values["k"], found.worst(1)[0].value
    (1.0, 1.0, 'B')
    """
    joint = Joint.from_table(table, sensitive, public, side, **reading)
    if joint.n_s < 2:
        raise TableError(
            f"the sensitive column {', '.join(map(repr, joint.sensitive))} has a single value: nothing to protect"
        )
    name = named(table)
    source = "a table in memory" if name == "the table" else name
    found = audit_joint(joint, orders=orders, source=source, progress=reading.get("progress"))
    return found if weights is None else replace(found, people=_people(table, joint, weights, reading))


def audit_joint(
    joint: Joint, *, orders: Sequence[float] | None = None, source: str = "", progress: Progress | None = None
) -> Audit:
    """The audit of a joint that was counted already."""
    if not joint.is_integral:
        raise InputError("an audit counts records: this joint has a pmf or a support, not counts")
    if orders is not None and any(not order >= 0 for order in orders):
        raise InputError("an order is a number from 0 to infinity")
    if orders is None:
        orders = ORDERS if joint.counts.nnz <= SMALL and joint.n_s <= FEW else ()
    if progress:
        progress("measuring", None)
    values = {symbol: each(joint) for symbol, each in REGISTRY.items() if not each.has_order}
    for each in REGISTRY.values():
        defined = [each.at(order) for order in orders if each.takes(order)]
        values.update({measure.symbol: measure(joint) for measure in defined})
    if joint.has_side:
        values["L0|A"] = worst_case_leakage(joint, side=True)
        values["I*,A"] = maximin_information(joint, side=True)
    return Audit(joint, values, _columns(joint, progress), _sensitive(joint), _homogeneity(joint), source)


def _people(table: object, joint: Joint, weights: str, reading: Reading) -> FloatArray:
    """How many people of the population each group stands for, by the sample weights of its records."""
    counted = count(table, weights, joint.public, **reading)
    values = np.array([_weight(label, weights) for label in counted.s.labels()])
    found = np.bincount(counted.x_codes, values[counted.s_codes] * counted.counts, len(counted.x))
    if len(found) != joint.n_x:
        raise ColumnError(f"the weights in {weights!r} are missing for some rows that are audited: complete them")
    return np.asarray(found)


def _weight(label: Label, column: str) -> float:
    is_number = isinstance(label, int | float) and not isinstance(label, bool)
    if not is_number or not 0 < label < np.inf:
        raise ColumnError(f"column {column!r} holds something that is no sample weight: weights are numbers above 0")
    return float(label)


def _some(joint: Joint) -> dict[str, float]:
    return {symbol: REGISTRY[symbol](joint) for symbol in PER_COLUMN}


def _columns(joint: Joint, progress: Progress | None) -> tuple[ColumnPart, ...]:
    """Each public column alone, and the others without it."""
    names = joint.public
    if len(names) == 1:
        return (ColumnPart(names[0], joint.n_x, _some(joint), None),)
    parts = []
    for i, (name, others) in enumerate(zip(names, joint.without_each(), strict=True)):
        if progress:
            progress("measuring column by column", i / len(names))
        alone = joint.select(public=[name])
        parts.append(ColumnPart(name, alone.n_x, _some(alone), _some(others)))
    return tuple(parts)


def _sensitive(joint: Joint) -> dict[str, dict[str, float]]:
    """Each sensitive column by itself, when there are several."""
    if len(joint.sensitive) < 2:
        return {}
    found = {}
    for name in joint.sensitive:
        one = joint.select(sensitive=[name])
        found[name] = {"levels": float(one.n_s), **_some(one)}
    return found


def _homogeneity(joint: Joint) -> Homogeneity:
    alike = (joint.distinct == 1) & (joint.records > 1)
    rows = joint.records[alike]
    return Homogeneity(int(alike.sum()), int(rows.sum()), int(rows.max(initial=0)))


def _group_dict(group: Group) -> dict[str, Any]:
    found: dict[str, Any] = {"value": shown(group.value), "rows": group.rows, "distinct": group.distinct}
    if group.sensitive is not None:
        found["sensitive"] = _listed(group.sensitive)
    return found


def _listed(values: Sequence[Label] | None) -> list[Any]:
    return [shown(value) for value in values or ()]
