"""What public columns tell together: redundancy and synergy about S [Williams and Beer 2010]."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.measures._pmf import lift, p_s, sums
from discreet.measures._shannon import mutual_information

if TYPE_CHECKING:
    from discreet.joint._joint import Joint

MOST = 3  # columns taken together
_PAIRS, _TRIPLES = 12, 5  # public columns up to which an audit looks at all pairs, and at all triples


@dataclass(frozen=True)
class Interaction:
    """What a set of public columns tells about S, in bits: all together, what each of them tells anyway, and what none of
    its parts tells.
    """

    columns: tuple[str, ...]
    alone: tuple[float, ...]
    together: float
    redundancy: float
    synergy: float

    def to_dict(self) -> dict[str, Any]:
        """Plain figures."""
        return asdict(self)

    def sentence(self) -> str:
        """The finding in words."""
        names = " and ".join(self.columns) if len(self.columns) == 2 else ", ".join(self.columns)
        if self.synergy > 0.5 * self.together > 0:
            return f"{names} give it away only together: {self.synergy:.2f} of {self.together:.2f} bits"
        if self.redundancy > 0.5 * self.together > 0:
            return f"{names} tell mostly the same: {self.redundancy:.2f} of {self.together:.2f} bits"
        return f"{names} tell {self.together:.2f} bits together, {max(self.alone):.2f} the most telling one alone"


def specific_information(joint: Joint) -> FloatArray:
    """What X tells on average about each s: Σ_x p(x|s) log2 p(s|x)/p(s)."""
    joint.require_counts()
    share = joint.counts.data / joint.s_weight[joint.counts.indices]
    return sums(joint.counts.indices, share * np.log2(lift(joint)), joint.n_s)


def interactions(joint: Joint, columns: Sequence[str] | None = None, *, most: int = 2) -> list[Interaction]:
    """Pairs (or also triples, most=3) of public columns, the greatest synergy first.

    The redundancy of columns is Σ_s p(s) min_i of what each tells about s; the synergy is what all of them tell beyond
    Σ_s p(s) max of what any set without one of them tells.

    Examples
    --------
    >>> from discreet import Joint
    >>> table = {"ill": [0, 1, 1, 0], "a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    >>> interactions(Joint.from_table(table, "ill", ["a", "b"]))[0].sentence()
    'a and b give it away only together: 1.00 of 1.00 bits'
    """
    names = list(joint.public) if columns is None else list(columns)
    unknown = [name for name in names if name not in joint.public]
    if unknown or len(names) < 2:
        raise InputError("interactions need two public columns or more of a joint that was counted from a table")
    if not 2 <= most <= MOST:
        raise InputError(f"columns are taken {MOST} at a time at the most, not {most}")
    prior = p_s(joint)
    known: dict[tuple[str, ...], tuple[float, FloatArray]] = {}

    def told(some: tuple[str, ...]) -> tuple[float, FloatArray]:
        if some not in known:
            part = joint.select(public=list(some))
            known[some] = mutual_information(part), specific_information(part)
        return known[some]

    found = []
    for size in range(2, min(most, len(names)) + 1):
        for some in itertools.combinations(names, size):
            together, _ = told(some)
            parts = np.array([told((name,))[1] for name in some])
            fewer = np.array([told(rest)[1] for rest in itertools.combinations(some, size - 1)])
            alone = tuple(told((name,))[0] for name in some)
            redundancy = float(prior @ parts.min(axis=0))
            synergy = max(0.0, together - float(prior @ fewer.max(axis=0)))
            found.append(Interaction(some, alone, together, redundancy, synergy))
    return sorted(found, key=lambda each: -each.synergy)


def pronounced(joint: Joint) -> list[Interaction]:
    """Pairs and triples of public columns that give S away only together, beyond what so few records show by chance.

    More than half of what they tell is synergy, and half as much again as independent columns with so many values would show:
    about (|[[S]]| − 1)(|[[X]]| − 1) / (2 N ln 2) bits [Miller 1955]. None of tables with many public columns.
    """
    names = joint.public
    if not 2 <= len(names) <= _PAIRS or not joint.is_integral:
        return []
    found = []
    for each in interactions(joint, most=3 if len(names) <= _TRIPLES else 2):
        if each.synergy <= max(0.05, 0.5 * each.together):
            continue
        values = joint.select(public=list(each.columns)).n_x
        chance = (joint.n_s - 1) * (values - 1) / (2 * joint.total * math.log(2))
        if each.synergy > 0.05 + 1.5 * chance:
            found.append(each)
    return found
