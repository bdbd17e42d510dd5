"""Requirements such as "L0<=2" and "k>=5": a gate for pipelines, with the groups that break it."""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.auditing._group_requirements import GroupRequirement, is_of_groups
from discreet.auditing._individual import individual_risk
from discreet.auditing._matching import Matched
from discreet.auditing._population import SYMBOLS
from discreet.errors import InputError, MeasureError, listed
from discreet.joint._joint import records_apart
from discreet.measures import REGISTRY

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.auditing._audit import Audit
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label

_FORM = re.compile(
    r"\s*(?P<symbol>[^<>=\s(]+)\s*(\(\s*(?P<column>.+?)\s*\))?"
    r"\s*(?P<relation><=|>=|==|=|<|>)\s*(?P<bound>[^<>=\s]+)\s*"
)
_SIDE = {"L0|A": "L0", "I*,A": "I*"}  # what they are called without side information
_RISK = "risk"
_HOLDS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "=": operator.eq}
_ROUNDING = 1e-12  # bits: a logarithm computed two ways


@dataclass(frozen=True)
class Group:
    """The records that share one x: how many, how many distinct s among them, and (only if asked for) which."""

    value: Label
    rows: int
    distinct: int
    sensitive: tuple[Label, ...] | None = None


@dataclass(frozen=True)
class Finding:
    """One requirement held against an audit: its value, whether it is met, and which groups break it."""

    requirement: Requirement
    value: float
    met: bool
    failing: int  # how many groups break it; 0 where a measure is not about groups
    groups: tuple[Group, ...]
    column: str | None = None  # the sensitive column that fails by itself, where several are protected together
    people: int = 0  # records in those groups
    total: int = 0  # records of the table
    forbids_nothing: bool = False  # whether no grouping of the table's records could break it

    @property
    def share(self) -> float:
        """The share of all records that are in groups which break it."""
        return self.people / self.total if self.total else 0.0


@dataclass(frozen=True)
class Requirement:
    """A measure, a relation and a bound."""

    symbol: str
    relation: str
    bound: float
    column: str | None = None  # the sensitive column it is about; None is all of them together, and each

    @classmethod
    def parse(cls, text: str | Requirement) -> Requirement:
        """Read "L0<=2" or "k(diagnosis)>=3"; refuse an unknown measure or a bound that is no number.

        Examples
        --------
        >>> print(Requirement.parse("k >= 5"), Requirement.parse("k(diagnosis)>=3"), sep=", ")
        k >= 5, k(diagnosis) >= 3
        """
        if isinstance(text, Requirement):
            return text
        match = _FORM.fullmatch(text)
        if match is None:
            raise InputError(
                f"requirement {text!r} does not read as MEASURE<=NUMBER or MEASURE>=NUMBER, such as 'L0<=2'"
            )
        symbol, bound = match["symbol"], match["bound"]
        if symbol not in (*_SIDE, *SYMBOLS, _RISK) and symbol not in REGISTRY:
            REGISTRY[symbol]  # raises, naming the measures there are
        try:
            number = float(bound)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            raise InputError(f"requirement {text!r}: {bound!r} is not a number")
        if match["column"] is not None and not _is_about_x(symbol):
            raise InputError(f"requirement {text!r}: {symbol} is not about one sensitive column")
        return cls(symbol, match["relation"].replace("==", "="), number, match["column"])

    def check(self, audit: Audit, most: int = 10) -> Finding:
        """Hold the requirement against an audit: the sensitive columns together, and each of them by itself.

        Several sensitive columns can be well hidden together while one of them lies open, so one is enough to fail.
        """
        finding = self._checked(audit, most)
        return replace(finding, forbids_nothing=finding.met and self._forbids_nothing(audit))

    def _forbids_nothing(self, audit: Audit) -> bool:
        """Whether the requirement holds however the table's records are grouped.

        A measure never grows, or never falls, when groups are joined. So its extremes are those of records apart from each
        other and of one group of all.
        """
        joint, population = audit.joint, audit.population
        if self.symbol == _RISK:
            sizes, people = np.array([1, int(joint.total)]), None
            if audit.people is not None:
                people = np.array([audit.lightest, audit.risk.population])
            return all(map(self._is_met_by, individual_risk(sizes, people).tolist()))
        if population is not None and self.symbol in SYMBOLS:
            all_of_them = min(1.0, joint.total / population.people)
            extremes = {
                "kmap": (0.0 if population.outside else 1.0, float(population.people)),
                "presence_max": (1.0, all_of_them),
                "presence_min": (0.0, all_of_them),
            }
            return all(map(self._is_met_by, extremes[self.symbol]))
        alone = [joint.select(sensitive=[name]) for name in joint.sensitive if self.column in (None, name)]
        together = () if self.column is not None or (self._is_in_tree and len(alone) > 1) else (joint,)
        one_by_one = alone if not together or (_is_about_x(self.symbol) and len(alone) > 1) else ()
        return all(
            self._reachable(one)._is_met_by(self._measured(each, audit))
            for one in (*together, *one_by_one)
            for each in (records_apart(one), one.coarsen_by(np.zeros(one.n_x, dtype=np.int64)))
        )

    def _reachable(self, one: Joint) -> Requirement:
        """The same of a single sensitive column: it cannot have more values in a group than it has, so all are enough."""
        is_capped = self.symbol == "k" and self.relation in (">=", ">") and self.column is None
        return replace(self, bound=min(self.bound, one.n_s)) if is_capped else self

    def _measured(self, joint: Joint, audit: Audit) -> float:
        """The measure of a joint that was made of the audited one."""
        if self._is_in_tree:
            return float(GroupRequirement(self.symbol, 0.0, None, audit.hierarchies).of_groups(joint).max())
        if self.symbol in _SIDE:
            return REGISTRY[_SIDE[self.symbol]](joint, side=True)
        return REGISTRY[self.symbol](joint)

    def _checked(self, audit: Audit, most: int) -> Finding:
        if self.column is not None:
            if self.column not in audit.joint.sensitive:
                known = listed(audit.joint.sensitive) if audit.joint.sensitive else "none"
                raise InputError(f"requirement '{self}': {self.column!r} is not sensitive, but {known}")
            return self._alone(audit.joint.select(sensitive=[self.column]), audit, most)
        if self._is_in_tree and len(audit.joint.sensitive) > 1:  # several columns together have no hierarchy
            one_by_one = ((name, audit.joint.select(sensitive=[name])) for name in audit.joint.sensitive)
            found = [replace(self._alone(one, audit, most), column=name) for name, one in one_by_one]
            return max(found, key=lambda each: (not each.met, each.value))
        finding = self._finding(audit.joint, self._value(audit), most, self._of_groups(audit))
        if finding.met and _is_about_x(self.symbol) and len(audit.joint.sensitive) > 1:
            for name in audit.joint.sensitive:
                one = audit.joint.select(sensitive=[name])
                alone = self._reachable(one)._alone(one, audit, most)
                if not alone.met:
                    return replace(alone, requirement=self, column=name)
        return finding

    def _alone(self, one: Joint, audit: Audit, most: int) -> Finding:
        """The requirement held against one of several sensitive columns."""
        matched = Matched.of(one, wildcard=audit.matched.has_wildcards)
        if self._is_in_tree:
            own = GroupRequirement(self.symbol, 0.0, None, audit.hierarchies).of_groups(one)
            return self._finding(one, float(own.max()), most, own)
        values = matched.values() if matched.has_wildcards else {}
        value = values[self.symbol] if self.symbol in values else REGISTRY[self.symbol](one)
        return self._finding(one, value, most, _of_groups(self.symbol, one, matched))

    def _value(self, audit: Audit) -> float:
        value = audit.values.get(self.symbol)
        if value is not None:
            return value
        if self.symbol == _RISK:
            return audit.risk.individual
        if self.symbol in _SIDE:
            raise MeasureError(
                f"{self.symbol} needs side information: name the columns that an adversary knows already"
            )
        if self.symbol in SYMBOLS:
            raise MeasureError(f"{self.symbol} needs the population: name its table")
        if audit.is_bare:
            raise MeasureError(f"{self.symbol} is about sensitive values: name a sensitive column")
        if self._is_in_tree:  # which an audit has, where the hierarchy was given
            raise MeasureError(GroupRequirement(self.symbol, 0.0).unfit(audit.joint.sensitive[0], ()))
        return REGISTRY[self.symbol](audit.joint)

    @property
    def _is_in_tree(self) -> bool:
        return self.symbol == "t_hier"

    def _of_groups(self, audit: Audit) -> FloatArray | None:
        if self.symbol == _RISK:
            return audit.individual_risk
        if self.symbol == "kmap" and audit.population is not None:
            return audit.population.sizes.astype(np.float64)
        if self.symbol == "presence_max" and audit.population is not None:
            return audit.population.presence
        if self._is_in_tree:
            return GroupRequirement(self.symbol, 0.0, None, audit.hierarchies).of_groups(audit.joint)
        return _of_groups(self.symbol, audit.joint, audit.matched)

    def _finding(self, joint: Joint, value: float, most: int, own: FloatArray | None) -> Finding:
        if self._is_met_by(value):
            return Finding(self, value, True, 0, (), total=int(joint.total))
        failing = self._failing(joint, own)
        groups = tuple(
            Group(joint.x_label(letter), int(joint.records[letter]), int(joint.distinct[letter]))
            for letter in failing[:most].tolist()
        )
        people = int(joint.records[failing].sum())
        return Finding(self, value, False, len(failing), groups, people=people, total=int(joint.total))

    def _is_met_by(self, value: float) -> bool:
        # Rounding may not fail a bound that is met exactly, such as L0 <= log2(3).
        finite = math.isfinite(value) and math.isfinite(self.bound)
        close = finite and abs(value - self.bound) <= _ROUNDING * max(1.0, abs(self.bound))
        return self.relation in ("<=", ">=", "=") if close else bool(_HOLDS[self.relation](value, self.bound))

    def _failing(self, joint: Joint, own: FloatArray | None) -> IntArray:
        """The letters of x that break the bound by themselves, worst first; none where a measure is an average."""
        if own is None:
            return np.empty(0, dtype=np.int64)
        apart = ~np.isclose(own, self.bound, rtol=_ROUNDING, atol=_ROUNDING)
        broken = np.where(apart, ~_HOLDS[self.relation](own, self.bound), self.relation in ("<", ">"))
        letters = np.flatnonzero(broken)
        worst = own[letters] if self.relation in (">", ">=") else -own[letters]
        return np.asarray(letters[np.lexsort((joint.distinct[letters], worst))])

    def __str__(self) -> str:
        about = "" if self.column is None else f"({self.column})"
        return f"{self.symbol}{about} {self.relation} {self.bound:g}"


def _is_about_x(symbol: str) -> bool:
    """Whether a measure is about what public values tell, of any sensitive column."""
    return symbol in REGISTRY and REGISTRY[symbol].role != "prior" and symbol != "n"


def _of_groups(symbol: str, joint: Joint, matched: Matched) -> FloatArray | None:
    """The measure of every group by itself, where the measure of the table is that of its worst group."""
    distinct = matched.distinct.astype(np.float64)
    if symbol in ("n", "k"):
        return matched.records.astype(np.float64) if symbol == "n" else distinct
    if symbol in ("L0", "L*", "B0"):
        return np.log2({"L0": joint.n_s / distinct, "L*": joint.n_s - distinct + 1.0, "B0": distinct}[symbol])
    return GroupRequirement(symbol, 0.0).of_groups(joint) if is_of_groups(symbol) else None
