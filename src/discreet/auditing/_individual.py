"""The risk of every record by itself, of the people of its household together, and what a table may expect.

Without sample weights a record in a group of f is found with probability 1/f. With weights, a group of f records stands for
about F people; their number given f is negative binomial; the risk is the mean of one over it [Benedetti and Franconi 1998].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import ColumnError

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.tables._counting import Counted
    from discreet.tables._labels import Alphabet, Label

LARGE, TERMS = 40.0, 30  # 1/C(70, 30) is below 1e-19
THRESHOLD = 0.2  # a probability of being found that many guidelines call high: groups below five


def individual_risk(sizes: IntArray, people: FloatArray | None = None) -> FloatArray:
    """How likely a record of each group is found: 1/f, or with `people` of the population the mean of 1/F given f.

    With p = f/F the mean is ∫₀¹ v^(f−1) p / (p + (1 − p) v) dv: p/(1−p) ln(1/p) for f = 1, and in general
    p/f · ₂F₁(1, 1; f+1; 1−p), whose terms are all positive.

    Examples
    --------
    >>> individual_risk(np.array([1, 4])).tolist()
    [1.0, 0.25]
    >>> individual_risk(np.array([1, 2]), np.array([100.0, 100.0])).round(4).tolist()
    [0.0465, 0.0188]
    """
    if people is None:
        return np.asarray(1.0 / sizes)
    from scipy.special import hyp2f1

    f = sizes.astype(np.float64)
    p = np.clip(f / people, np.finfo(float).tiny, 1.0)
    small = np.minimum(f, LARGE)  # beyond, the library's function is not defined everywhere
    series = np.where(f <= LARGE, hyp2f1(1.0, 1.0, small + 1.0, 1.0 - p), _of_many(np.maximum(f, LARGE), 1.0 - p))
    with np.errstate(invalid="ignore"):
        alone = -p * np.log(p) / (1.0 - p)  # f = 1 in closed form: the series has no end where 1 − p is 1 to a double
    return np.asarray(np.where(p >= 1.0, 1.0 / f, np.where(f == 1, alone, p / f * np.where(f == 1, 1.0, series))))


def _of_many(f: FloatArray, q: FloatArray) -> FloatArray:
    """₂F₁(1, 1; f+1; q) of a large f: the terms q^k / C(f+k, k), of which a few are all that a double holds."""
    total, term = np.ones_like(f), np.ones_like(f)
    for k in range(1, TERMS):
        term = term * q * k / (f + k)
        total += term
    return total


def sample_weights(values: Alphabet, column: str) -> FloatArray:
    """The values of a column as sample weights: numbers above 0, every one of them."""
    return np.array([_weight(label, column) for label in values.labels()])


def _weight(label: Label, column: str) -> float:
    if label is None:
        raise ColumnError(f"the weights in {column!r} are missing for some rows: complete them")
    is_number = isinstance(label, int | float) and not isinstance(label, bool)
    if not is_number or not 0 < label < np.inf:
        raise ColumnError(f"column {column!r} holds something that is no sample weight: weights are numbers above 0")
    return float(label)


@dataclass(frozen=True)
class HouseholdRisk:
    """How likely somebody of a household is found, and with him all of it: 1 − ∏ (1 − r) over its records."""

    households: int
    most: float
    expected: float  # records that are found, where one leads to all of its household
    above: int  # records of households whose risk exceeds THRESHOLD

    @classmethod
    def of(cls, counted: Counted, letters: IntArray, risk: FloatArray) -> HouseholdRisk:
        """From counts of households by public values, the letter of each entry, and the risk of each letter.

        A record without a household is one of its own; a letter of −1 is left out.
        """
        known = letters >= 0
        return cls.of_rows(counted.s, counted.s_codes[known], counted.counts[known], risk[letters[known]])

    @classmethod
    def of_rows(cls, homes: Alphabet, home: IntArray, records: IntArray, each: FloatArray) -> HouseholdRisk:
        """From the household of every row, how many records it stands for, and the risk of each of them."""
        none = len(homes) - 1 if homes.label(len(homes) - 1) is None else -1
        alone = home == none
        with np.errstate(divide="ignore"):
            kept = np.bincount(home[~alone], (records * np.log1p(-each))[~alone], len(homes))
        size = np.bincount(home[~alone], records[~alone], len(homes))
        own = np.repeat(each[alone], records[alone])
        found = np.concatenate([-np.expm1(kept[size > 0]), own])
        sizes = np.concatenate([size[size > 0], np.ones(len(own))])
        return cls(len(found), float(found.max()), float(sizes @ found), int(sizes[found > THRESHOLD].sum()))

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, for JSON."""
        return {
            "households": self.households,
            "most": self.most,
            "expected": self.expected,
            "records_above_threshold": self.above,
            "threshold": THRESHOLD,
        }
