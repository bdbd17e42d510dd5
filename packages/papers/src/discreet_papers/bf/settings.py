"""The experiment of section VI: age against blood pressure or cholesterol, quantised in steps of 1 to 50."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import discreet as dc

if TYPE_CHECKING:
    from discreet import Joint
    from discreet_papers.claims import Study

NAMES = {"trestbps": "blood pressure", "chol": "cholesterol"}
STEPS = range(1, 51)
MISSING = -9.0  # as UCI writes a missing number elsewhere; no step joins it with a value, the least of which is 85


@dataclass(frozen=True)
class Setting:
    """One step δ: X the age, Y the attribute, Ŷ its quantised value (11). Bits."""

    name: str
    step: int
    distortion: float
    joint: Joint

    @property
    def leakage(self) -> float:
        """L(X→Ŷ), the worst-case leakage in bits."""
        return dc.measures.worst_case_leakage(self.joint)

    @property
    def maximal(self) -> float:
        """L*(X→Ŷ), the maximal leakage in bits."""
        return dc.measures.maximal_guessing_leakage(self.joint)

    @property
    def maximin(self) -> float:
        """I*(X;Ŷ), the maximin information in bits."""
        return dc.measures.maximin_information(self.joint)

    @property
    def stochastic(self) -> float:
        """The stochastic maximal leakage from X to Ŷ."""
        return dc.measures.maximal_leakage(self.joint)


Lines = dict[str, tuple[Setting, ...]]


def experiment(study: Study) -> Lines:
    """By attribute, the setting of every step; a missing value is −9."""
    return _lines(study.hungarian, keep_missing=True)


def without_missing(study: Study) -> Lines:
    """The same with the rows left out where the attribute is missing."""
    return _lines(study.hungarian, keep_missing=False)


def of_records(study: Study) -> Lines:
    """The same with the record itself for X, so that Ŷ is a function of X."""
    numbered: dict[str, list[object]] = {**study.hungarian, "age": [*range(len(study.hungarian["age"]))]}
    return _lines(numbered, keep_missing=True)


def _lines(table: dict[str, list[object]], *, keep_missing: bool) -> Lines:
    lines = {}
    for column, name in NAMES.items():
        rows = [(x, y) for x, y in zip(table["age"], table[column], strict=True) if keep_missing or y is not None]
        y = np.array([MISSING if value is None else value for _, value in rows], dtype=np.float64)
        lines[name] = tuple(_setting(name, [x for x, _ in rows], y, step) for step in STEPS)
    return lines


def _setting(name: str, x: list[object], y: np.ndarray[tuple[int], np.dtype[np.float64]], step: int) -> Setting:
    centre = step * (np.floor(y / step) + 0.5)
    joint = dc.Joint.from_pairs(list(zip(x, centre.tolist(), strict=True)))
    return Setting(name, step, float(np.abs(y - centre).max()), joint)
