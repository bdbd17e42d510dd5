"""Named threats: somebody acts on what the release tells him, wins where he is right, and loses where he is not.

A threat is a gain function with two actions, act and leave it; what the release adds to his winnings is its g-leakage.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._checks import choice
from discreet._text import json_number, text
from discreet.errors import InputError
from discreet.measures import Vulnerability, vulnerability

if TYPE_CHECKING:
    from discreet.joint._joint import Joint

_MOST = 1e15  # what is won or lost at the most: beyond, a sum forgets the other stake
_KEYS = ("name", "column", "values", "wins", "loses")


@dataclass(frozen=True)
class Threat:
    """Somebody who gains `wins` from acting where the sensitive value is one of `values`, and pays `loses` elsewhere."""

    name: str
    column: str
    values: tuple[str, ...]
    wins: float = 1.0
    loses: float = 1.0

    def check(self, joint: Joint) -> ThreatFinding:
        """What the release adds to his winnings, and how many people he acts against, before and after."""
        if self.column not in joint.sensitive:
            named = f"the sensitive columns are {', '.join(joint.sensitive)}" if joint.sensitive else "no column is"
            raise InputError(f"threat {self.name!r}: {self.column!r} is not sensitive: {named}")
        one = joint.select(sensitive=[self.column]) if len(joint.sensitive) > 1 else joint
        names = [text(label) for label in one.s]
        absent = [value for value in self.values if value not in names]
        if absent:
            raise InputError(f"threat {self.name!r}: no record has {absent[0]!r} in column {self.column!r}")
        hit = np.array([name in self.values for name in names])
        gain = np.where(hit, self.wins, -self.loses)
        won = vulnerability(one, np.vstack([np.zeros(len(gain)), gain]), ["leave it", "act"])
        rows = one.counts.data
        gains = np.add.reduceat(rows * gain[one.counts.indices], one.counts.indptr[:-1])
        right = np.add.reduceat(rows * hit[one.counts.indices], one.counts.indptr[:-1])
        acted = gains > 1e-12 * one.records
        return ThreatFinding(self, won, int(one.total), int(one.records[acted].sum()), int(right[acted].sum()))


@dataclass(frozen=True)
class ThreatFinding:
    """A threat held against a joint: winnings per person before and after, and whom he acts against after."""

    threat: Threat
    won: Vulnerability
    people: int
    acted: int
    right: int

    def sentence(self) -> str:
        """The finding in words."""
        before, after = self.won.before, self.won.after
        name = self.threat.name
        if after <= before + 1e-12:
            return f"{name}: the release adds nothing; {before:.3g} per record is won without it."
        rightly = (
            f"rightly against {self.right:,} of {self.acted:,}" if self.right < self.acted else "rightly each time"
        )
        return (
            f"{name}: {after:.3g} per record instead of {before:.3g}, acting against {self.acted:,} of {self.people:,} "
            f"records, {rightly}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, for JSON."""
        return {
            "threat": self.threat.name,
            "before": self.won.before,
            "after": self.won.after,
            "leakage": json_number(self.won.leakage),
            "people": self.people,
            "acted_against": self.acted,
            "rightly": self.right,
        }


def load_threats(path: str | Path) -> tuple[Threat, ...]:
    """Read a file of threats: [[threat]] tables with name, column, values, wins and loses."""
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise InputError(f"{path} cannot be read: {reason}") from None
    except tomllib.TOMLDecodeError as problem:
        raise InputError(f"{path} is not TOML: {problem}") from None
    listed = document.get("threat")
    if set(document) != {"threat"} or not isinstance(listed, list) or not listed:
        raise InputError(
            f"{path} holds no threats: each is a table [[threat]] with name, column, values, wins and loses"
        )
    threats = tuple(_threat(each, i, path) for i, each in enumerate(listed, 1))
    names = Counter(threat.name for threat in threats)
    if len(names) < len(threats):
        raise InputError(f"{path}: more than one threat is called {names.most_common(1)[0][0]!r}")
    return threats


def _threat(each: Any, number: int, path: str | Path) -> Threat:
    where = f"{path}, threat {number}"
    if not isinstance(each, dict):
        raise InputError(f"{where} is not a table [[threat]]")
    for key in each:
        choice(key, _KEYS, name=f"{where}: key")
    for key in _KEYS[:3]:
        if key not in each:
            raise InputError(f"{where}: {key!r} is missing")
    for key in _KEYS[:2]:
        said = each[key]
        if not isinstance(said, str) or not said.strip() or not said.isprintable():
            raise InputError(f"{where}: {key!r} is a text of one line")
    values: object = each["values"]
    if not isinstance(values, list) or not values or any(isinstance(value, list | dict) for value in values):
        raise InputError(f"{where}: 'values' is a list of sensitive values, such as [\"asthma\"]")
    stakes = [each.get(key, 1.0) for key in ("wins", "loses")]
    for key, stake in zip(("wins", "loses"), stakes, strict=True):
        if isinstance(stake, bool) or not isinstance(stake, int | float) or not 0 <= stake <= _MOST:
            raise InputError(f"{where}: {key!r} is a number of at least 0, and of at most {_MOST:g}")
    return Threat(each["name"], each["column"], tuple(text(value) for value in values), *map(float, stakes))
