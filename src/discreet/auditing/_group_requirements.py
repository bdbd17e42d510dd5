"""Requirements on every released group: "n>=5", "k>=3", "k(diagnosis)>=3", "L0<=2", "Lr<=2", "t<=0.2", "l_ent>=2".

Each is about one group at a time, so that all of them can hold together in every group of a release, and can be
recomputed from its rows.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import json_number
from discreet.columns._hierarchy import Hierarchy
from discreet.errors import InputError, listed
from discreet.joint._joint import from_codes, nobody, records_apart
from discreet.measures._models import (
    disclosure_by_group,
    entropy_by_group,
    likeness_by_group,
    posterior,
    recursion_by_group,
)
from discreet.measures._movers import closeness_by_group, closeness_in_tree
from discreet.measures._pmf import lift, per_x

if TYPE_CHECKING:
    from discreet._typing import BoolArray, FloatArray
    from discreet.joint._joint import Joint

_FORM = re.compile(
    r"\s*(?P<symbol>[A-Za-z0-9*_]+)\s*(\(\s*(?P<column>.+?)\s*\))?\s*(?P<relation><=|>=)\s*(?P<bound>[^<>=\s]+)\s*"
)
_AT_LEAST = ("n", "k", "l_ent")
_AT_MOST = ("L0", "Lmin", "Lr", "alpha", "beta", "beta_enh", "delta", "t", "t_ord", "t_hier", "c_2")
_RECURSIVE = re.compile(r"c_([2-9]|[1-9]\d+)")
_BY_GROUP: dict[str, Callable[[Joint], FloatArray]] = {
    "t": closeness_by_group,
    "t_ord": functools.partial(closeness_by_group, ground="ordered"),
    "l_ent": entropy_by_group,
    "beta_enh": likeness_by_group,
    "delta": disclosure_by_group,
}
_ROUNDING = 1e-12  # bits: a logarithm computed two ways


@dataclass(frozen=True)
class GroupRequirement:
    """What every group must have: `n` records, `k` distinct sensitive values, or at most so many bits of a leakage.

    L0 of a group is log(|S| / distinct values in it); Lmin is log(largest share in it / largest share in the table); Lr is
    the largest log(share in it / share in the table) over the sensitive values. The others are the measures of that symbol,
    each of one group: alpha, beta, beta_enh, delta, t, t_ord, t_hier, l_ent, and c_2, c_3, … for (c, l)-diversity.

    `hierarchies` are those of sensitive columns, by name, for t_hier.
    """

    symbol: str
    bound: float
    column: str | None = None  # the sensitive column it is about; None is each of them
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def parse(
        cls, text: str | GroupRequirement, sensitive: Sequence[str], hierarchies: Mapping[str, Hierarchy] | None = None
    ) -> GroupRequirement:
        """Read a requirement; refuse one that no group can be held against, or about a column that is not sensitive.

        Examples
        --------
        >>> GroupRequirement.parse("k(diagnosis) >= 3", ["diagnosis"])
        GroupRequirement(symbol='k', bound=3.0, column='diagnosis')
        """
        if isinstance(text, GroupRequirement):
            return text.with_hierarchies(hierarchies)
        match = _FORM.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise InputError(f"requirement {text!r} does not read as 'n>=5', 'k>=3', 'k(diagnosis)>=3' or 'L0<=2'")
        symbol, column = match["symbol"], match["column"]
        if symbol not in (*_AT_LEAST, *_AT_MOST) and not _RECURSIVE.fullmatch(symbol):
            known = listed((*_AT_LEAST, *_AT_MOST))
            raise InputError(f"requirement {text!r}: {symbol!r} is not about single groups: use one of {known}")
        relation = ">=" if symbol in _AT_LEAST else "<="
        if match["relation"] != relation:
            raise InputError(f"requirement {text!r} is the wrong way round: use {symbol}{relation}{match['bound']}")
        if column is not None and (symbol == "n" or column not in sensitive):
            known = f"the sensitive columns are {listed(tuple(sensitive))}" if sensitive else "no column is sensitive"
            why = "n counts records, not values" if symbol == "n" else f"{column!r} is not sensitive: {known}"
            raise InputError(f"requirement {text!r}: {why}")
        if symbol != "n" and not sensitive:
            raise InputError(f"requirement {text!r} is about sensitive values: name the sensitive column")
        found = cls(symbol, _number(match["bound"], text, counted=symbol in ("n", "k")), column)
        return found.with_hierarchies(hierarchies)

    def with_hierarchies(self, given: Mapping[str, Hierarchy] | None) -> GroupRequirement:
        """The same with the hierarchies of sensitive columns, where it is about values in one."""
        if self.symbol != "t_hier" or not given:
            return self
        about = [name for name in given if self.column in (None, name)]
        return replace(self, hierarchies={**self.hierarchies, **{name: given[name] for name in about}})

    def unfit(self, column: str, values: Iterable[object]) -> str:
        """Why a sensitive column with these values cannot be held against it; nothing where it can."""
        if self.symbol != "t_hier":
            return ""
        if column not in self.hierarchies:
            return f"t_hier needs the hierarchy of {column!r}: --hierarchy {column}=FILE (hierarchies={{{column!r}: FILE}})"
        labels = list(values)
        absent = len(labels) - len(self.hierarchies[column].of_labels(labels))
        return f"column {column!r}: {absent} of its {len(labels)} values are no leaf of its hierarchy" if absent else ""

    def of_groups(self, joint: Joint) -> FloatArray:
        """The value of every group (x) of a joint about one sensitive column, or about any for n."""
        if self.symbol == "n":
            return np.asarray(joint.records, dtype=np.float64)
        distinct = np.asarray(joint.distinct, dtype=np.float64)
        if self.symbol == "k":
            return distinct
        if self.symbol == "L0":
            return np.log2(joint.n_s / distinct)
        if match := _RECURSIVE.fullmatch(self.symbol):
            return recursion_by_group(joint, int(match[1]))
        if self.symbol in _BY_GROUP:
            return _BY_GROUP[self.symbol](joint)
        if self.symbol == "t_hier":
            return self._in_tree(joint)
        if self.symbol in ("Lr", "beta"):
            gain = per_x(joint, lift(joint), np.maximum)
            return np.log2(gain) if self.symbol == "Lr" else gain - 1.0
        share = per_x(joint, posterior(joint), np.maximum)
        return share if self.symbol == "alpha" else np.log2(share / (joint.s_weight.max() / joint.total))

    def _in_tree(self, joint: Joint) -> FloatArray:
        (column,) = joint.sensitive or ("S",)
        if reason := self.unfit(column, joint.s):
            raise InputError(reason)
        return closeness_in_tree(joint, self.hierarchies[column].of_labels(joint.s))

    def caps(self, prior: FloatArray) -> FloatArray | None:
        """The greatest share that each sensitive value may have in a group; None where that is not what is required."""
        b, even = self.bound, np.ones_like(prior)
        if self.symbol == "beta_enh":
            return np.asarray(prior * (1 + np.minimum(b, -np.log(prior))))
        return {
            "Lmin": even * prior.max() * 2.0**b,
            "Lr": prior * 2.0**b,
            "alpha": even * b,
            "beta": prior * (1 + b),
        }.get(self.symbol)

    def holds(self, values: FloatArray) -> BoolArray:
        """Which of these values of groups are good enough."""
        if self.symbol in _AT_LEAST:
            return np.asarray(values >= self.bound - (self.symbol == "l_ent") * _ROUNDING * self.bound)
        return np.asarray(values <= self.bound + _ROUNDING * max(1.0, abs(self.bound)))

    def worst(self, values: FloatArray) -> float:
        """The value of the worst group."""
        return float(values.min() if self.symbol in _AT_LEAST else values.max())

    def forbids_nothing(self, joint: Joint) -> bool:
        """Whether no group of the joint's records could break it; the joint is about one sensitive column.

        Every symbol is worst for a group of one record: distances and largest shares are convex in a group's shares, entropy is
        concave, and counts are least there.
        """
        return bool(self.holds(self.of_groups(records_apart(joint))).all())

    def __str__(self) -> str:
        about = f"({self.column})" if self.column else ""
        relation = ">=" if self.symbol in _AT_LEAST else "<="
        return f"{self.symbol}{about}{relation}{self.bound:g}"


@dataclass(frozen=True)
class GroupFinding:
    """A requirement held against every group of a release: the worst value, and how many groups break it."""

    requirement: GroupRequirement
    column: str | None
    worst: float
    failing: int
    people: int  # records in the groups that break it
    total: int

    @property
    def met(self) -> bool:
        """Whether all groups have what they must have."""
        return self.failing == 0

    def to_dict(self) -> dict[str, Any]:
        """The outcome, for JSON."""
        worst = json_number(self.worst)
        return {"requirement": str(self.requirement), "column": self.column, "worst": worst, "met": self.met}

    def sentence(self) -> str:
        """The outcome in words."""
        about = f" of {self.column}" if self.column and not self.requirement.column else ""
        if self.met:
            return f"{self.requirement}{about} holds in every group; the worst has {self.worst:.4g}"
        one = self.failing == 1
        groups = f"{self.failing:,} group{'' if one else 's'} with {self.people:,} of {self.total:,} records"
        return f"{groups} break{'s' if one else ''} {self.requirement}{about}; the worst has {self.worst:.4g}"


def is_of_groups(symbol: str) -> bool:
    """Whether the measure of a table is that of its worst group; Lmin of a table is an average."""
    return symbol != "Lmin" and (symbol in (*_AT_LEAST, *_AT_MOST) or _RECURSIVE.fullmatch(symbol) is not None)


def parse_all(
    texts: str | Iterable[str | GroupRequirement],
    sensitive: Sequence[str],
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> tuple[GroupRequirement, ...]:
    """Several requirements, each once; at least one, and each with the hierarchies that it needs."""
    asked = [texts] if isinstance(texts, str) else texts
    found = [GroupRequirement.parse(text, sensitive, hierarchies) for text in asked]
    if not found:
        raise InputError("no requirement was named: say what every group must have, such as 'n>=5' or 'k>=3'")
    for each in found:
        for name in sensitive:
            if each.column in (None, name) and (reason := each.unfit(name, ())):
                raise InputError(f"requirement '{each}': {reason}")
    return tuple(dict.fromkeys(found))


def refuse_idle(requirements: Iterable[GroupRequirement], by_column: Mapping[str, Joint], records: int) -> None:
    """Raise InputError for a requirement that forbids nothing: no group of these records could break it.

    `by_column` has a joint for each sensitive column, whatever its groups are; a table without one has its number of records.
    """
    bare = from_codes(nobody(1), nobody(1), np.array([records]))
    for each in requirements:
        joints = [joint for name, joint in by_column.items() if each.column in (None, name)] or [bare]
        if not all(map(each.forbids_nothing, joints)):
            continue
        worst = each.worst(np.array([each.worst(each.of_groups(records_apart(joint))) for joint in joints]))
        beyond, ask = ("below", "more") if each.symbol in _AT_LEAST else ("above", "less")
        raise InputError(
            f"{each} forbids nothing: no group of this table's records can have {each.symbol} {beyond} {worst:.4g}; "
            f"ask for {ask} than {worst:.4g}"
        )


def findings(requirements: Iterable[GroupRequirement], joint: Joint) -> list[GroupFinding]:
    """Every requirement held against the groups of a joint; one about values is held against each sensitive column."""
    alone = {name: joint.select(sensitive=[name]) if len(joint.sensitive) > 1 else joint for name in joint.sensitive}
    found = []
    for each in requirements:
        columns = [each.column] if each.column else [None] if each.symbol == "n" else list(alone)
        for column in columns:
            values = each.of_groups(joint if column is None else alone[column])
            broken = ~each.holds(values)
            people = int(joint.records[broken].sum())
            found.append(GroupFinding(each, column, each.worst(values), int(broken.sum()), people, int(joint.total)))
    return found


def _number(text: str, whole: object, *, counted: bool) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number) or math.isinf(number) or number < 0 or (counted and (number < 1 or number != int(number))):
        raise InputError(
            f"requirement {whole!r}: {text!r} is not a {'whole number of at least 1' if counted else 'number'}"
        )
    return number
