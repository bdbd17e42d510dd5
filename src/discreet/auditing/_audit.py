"""The audit: every measure of one table, with the evidence: worst groups, worst attribute, each column's part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._checks import texts as texts_of
from discreet._text import json_number, shown
from discreet.auditing._audit_page import audit_fragment, audit_page
from discreet.auditing._group_requirements import GroupRequirement
from discreet.auditing._individual import individual_risk
from discreet.auditing._looking import Look
from discreet.auditing._requirements import Finding, Group, Requirement
from discreet.auditing._risk import Risk
from discreet.auditing._verdict import headline, next_step
from discreet.auditing._words import band_sentences, missing_sentence
from discreet.errors import InputError
from discreet.tables._columns import encode_column
from discreet.tables._labels import combine
from discreet.tables._sources import in_order

if TYPE_CHECKING:
    from discreet._typing import FloatArray
    from discreet.auditing._individual import HouseholdRisk
    from discreet.auditing._matching import Matched
    from discreet.auditing._population import Population
    from discreet.auditing._special import Special
    from discreet.columns._hierarchy import Hierarchy
    from discreet.joint._joint import Joint
    from discreet.measures import Interaction
    from discreet.tables._labels import Label


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
    """What a table's public columns give away about its sensitive ones; without those, how easily people are found."""

    joint: Joint
    values: dict[str, float]
    columns: tuple[ColumnPart, ...]
    sensitive: dict[str, dict[str, float]]  # each sensitive column by itself, where there are several
    homogeneity: Homogeneity
    source: str
    matched: Matched  # by how many records each public value is matched, and how many s they have
    together: tuple[Interaction, ...] = ()  # public columns that give S away only together
    people: FloatArray | None = None  # that the records of each group stand for, where sample weights say so
    lightest: float | None = None  # the people that the record with the least of these weights stands for
    household: HouseholdRisk | None = None
    population: Population | None = None
    special: Special | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)  # of sensitive columns
    look: Look = field(default_factory=Look, repr=False)  # at what was not counted, and at whether records are people

    @property
    def is_bare(self) -> bool:
        """Whether no sensitive column was named: then records are counted, and nothing else."""
        return is_bare(self.joint)

    @property
    def risk(self) -> Risk:
        """How easily people are found by their public values."""
        return Risk.of(np.asarray(self.joint.records, dtype=np.int64), self.people, self.matched.records)

    @property
    def individual_risk(self) -> FloatArray:
        """How likely a record with each public value (in the order of `joint.x`) is found."""
        return individual_risk(self.matched.records, self.people)

    def risk_by_record(self, table: object, *, na: Sequence[str] = ()) -> FloatArray:
        """How likely each record of the table that was audited is found, in the order of its rows; NaN where it was dropped."""
        joint = self.joint
        if joint.bands:
            raise InputError("public columns were coarsened while they were counted: rows have no values to look up")
        texts = frozenset(texts_of(na, name="na"))
        coded = [encode_column(column, texts) for column in in_order(table, joint.public)]
        values, letters = combine(coded, joint.public)
        risk = dict(zip(joint.x, self.individual_risk.tolist(), strict=True))
        return np.array([risk.get(label, math.nan) for label in values.labels()])[letters]

    @cached_property
    def commonest(self) -> dict[str, FloatArray]:
        """Of each sensitive column the share that its commonest value has in every group (in the order of `joint.x`)."""
        joint, share = self.joint, GroupRequirement("alpha", 1.0)
        alone = {
            name: joint.select(sensitive=[name]) if len(joint.sensitive) > 1 else joint for name in joint.sensitive
        }
        return {name: share.of_groups(one) for name, one in alone.items()}

    def left_out(self) -> list[str]:
        """What was not counted and could break a requirement: rows dropped, columns made coarser, identifiers not named."""
        missing, said = self.joint.missing, []
        if missing is not None and missing.dropped:
            records = missing.dropped + int(self.joint.total)
            said.append(
                f"{missing.dropped:,} of {records:,} records were dropped, since a value is missing: figures are of the others"
            )
        return said + band_sentences(self.joint) + self.look.identifier_sentences()

    def worst(self, n: int = 10, *, show_values: bool = False) -> list[Group]:
        """The n groups with the fewest distinct s; among equals those with the most records, then the earliest.

        Where nothing is sensitive, the smallest groups.
        """
        joint, matched = self.joint, self.matched
        key = matched.records if self.is_bare else matched.distinct
        most = min(max(n, 0), joint.n_x)
        if most < joint.n_x:  # no need to sort a million groups to show ten
            limit = np.partition(key, most - 1)[most - 1] if most else 0
            candidates = np.flatnonzero(key <= limit)
        else:
            candidates = np.arange(joint.n_x)
        ranked = np.lexsort((candidates, -matched.records[candidates], key[candidates]))[:most]
        return [self._group(int(letter), show_values) for letter in candidates[ranked]]

    def exposed(self, *, show_values: bool = False) -> dict[str, Any]:
        """The most exposed attribute [BF, (17)] in outline: which x betrays it, and how many s it joins."""
        letter = int(np.argmin(self.matched.distinct))
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
        records, distinct = int(self.matched.records[letter]), int(self.matched.distinct[letter])
        return Group(joint.x_label(letter), records, distinct, values)

    def check(self, requirements: Iterable[str | Requirement], *, most: int = 10) -> list[Finding]:
        """Which of the requirements ("L0<=2", "k>=5") hold; a failing one comes with the groups that break it."""
        return [Requirement.parse(each).check(self, most) for each in requirements]

    def to_dict(self, *, worst: int = 10, show_values: bool = False) -> dict[str, Any]:
        """Everything, for JSON: infinity is the string "inf", sensitive values appear only with show_values."""
        joint = self.joint
        found: dict[str, Any] = {
            "source": self.source,
            "sensitive": list(joint.sensitive),
            "public": list(joint.public),
            "side": list(joint.side.a.names) if joint.has_side else [],
            "rows": joint.total,
            "sensitive_levels": joint.n_s,
            "public_levels": joint.n_x,
            "pairs": joint.counts.nnz,
            "missing": missing_sentence(joint, self.matched),
            "values": _numbers(self.values),
            "worst": [_group_dict(group, self.is_bare) for group in self.worst(worst, show_values=show_values)],
            "columns": [
                {
                    "column": part.column,
                    "levels": part.levels,
                    "alone": _numbers(part.alone),
                    "without": part.without and _numbers(part.without),
                }
                for part in self.columns
            ],
            "risk": self.risk.to_dict(),
            "verdict": headline(self),
            "notes": self.look.record_sentences(),
            "left_out": self.left_out(),
            "unnamed": list(self.look.unnamed),
            "next": next_step(self).command,
        }
        if self.household:
            found["household_risk"] = self.household.to_dict()
        if self.population:
            found["population"] = self.population.to_dict()
        if self.special:
            found["special"] = self.special.to_dict(joint, worst=worst)
        return found if self.is_bare else found | self._about_s(show_values)

    def _about_s(self, show_values: bool) -> dict[str, Any]:
        """What there is to say of sensitive values."""
        return {
            "most_exposed_attribute": {
                key: (shown(value) if key == "x" else value if key != "sensitive" else _listed(value))
                for key, value in self.exposed(show_values=show_values).items()
                if key != "sensitive" or show_values
            },
            "sensitive_columns": {name: _numbers(values) for name, values in self.sensitive.items()},
            "together": [each.to_dict() for each in self.together],
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
        if self.is_bare:
            return f"Audit({', '.join(self.joint.public)}: n {values['n']:g})"
        return (
            f"Audit({', '.join(self.joint.sensitive)} given {', '.join(self.joint.public)}: "
            f"L0 {values['L0']:.3f}, I* {values['I*']:.3f}, k {values['k']:g}, n {values['n']:g})"
        )


def is_bare(joint: Joint) -> bool:
    """Whether a joint knows public values only."""
    return joint.n_s == 1 and not joint.sensitive


def _numbers(values: dict[str, float]) -> dict[str, Any]:
    return {symbol: json_number(value) for symbol, value in values.items()}


def _group_dict(group: Group, bare: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"value": shown(group.value), "rows": group.rows}
    if not bare:
        found["distinct"] = group.distinct
    if group.sensitive is not None:
        found["sensitive"] = _listed(group.sensitive)
    return found


def _listed(values: Sequence[Label] | None) -> list[Any]:
    return [shown(value) for value in values or ()]
