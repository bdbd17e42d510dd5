"""Re-identification risk as stewards know it: uniques, records in small groups, prosecutor's, journalist's and marketer's risk.

A group is the records that share all public values. The prosecutor knows that his target is in the table, so a person in a
group of f records is found with probability 1/f. The journalist and the marketer draw from a population in which the group has
F people: by sample weights where a column holds them, else F = f. The journalist wants to find anybody, the marketer
as many as possible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.auditing._individual import THRESHOLD, individual_risk

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray

SIZES = (2, 3, 5, 10)  # groups smaller than these are counted


@dataclass(frozen=True)
class Risk:
    """How easily people are found by their public values.

    Attributes
    ----------
    records, groups, least
        Records, different combinations of public values, and the records in the smallest group.
    uniques
        Records that are alone in their group.
    below
        {m: records in groups smaller than m}.
    prosecutor, journalist, marketer
        The largest probability of being found, the same in the population, and the mean over all records there.
    prosecutor_mean
        The mean over all records, of the table itself: the same as `marketer` where there are no sample weights.
    above
        Records whose probability of being found exceeds `THRESHOLD`.
    population
        People whom the records stand for, where sample weights say so; else None.
    individual, expected
        The largest risk of a record by itself, and the sum over all records: so many may be found. With sample weights both are
        the estimate of Benedetti and Franconi.
    """

    records: int
    groups: int
    least: int
    uniques: int
    below: dict[int, int]
    prosecutor: float
    journalist: float
    marketer: float
    above: int
    population: float | None = None
    individual: float = 1.0
    expected: float = 0.0
    prosecutor_mean: float = 0.0

    @classmethod
    def of(cls, records: IntArray, people: FloatArray | None = None, matching: IntArray | None = None) -> Risk:
        """The risk of groups of so many records, standing for so many `people` each in the population.

        `matching` are the records that match a group, where they are more than its own.

        Examples
        --------
        >>> risk = Risk.of(np.array([1, 4, 5]))
        >>> risk.uniques, risk.below[5], risk.prosecutor, risk.marketer
        (1, 5, 1.0, 0.3)
        """
        sizes = records if matching is None else matching
        found_by = 1.0 / sizes if people is None else 1.0 / np.maximum(people, sizes)
        each = individual_risk(sizes, people)
        total = int(records.sum())
        return cls(
            records=total,
            groups=len(sizes),
            least=int(sizes.min()),
            uniques=int((sizes == 1).sum()),
            below={size: int(records[sizes < size].sum()) for size in SIZES},
            prosecutor=float((1.0 / sizes).max()),
            journalist=float(found_by.max()),
            marketer=float((records * found_by).sum() / total),
            above=int(records[1.0 / sizes > THRESHOLD].sum()),
            population=None if people is None else float((people * records / sizes).sum()),
            individual=float(each.max()),
            expected=float(records @ each),
            prosecutor_mean=float((records / sizes).sum() / total),
        )

    @classmethod
    def of_sizes(cls, records: IntArray, groups: IntArray) -> Risk:
        """The risk where so many `groups` have so many `records` each.

        Examples
        --------
        >>> Risk.of_sizes(np.array([1, 4]), np.array([2, 1])) == Risk.of(np.array([1, 1, 4]))
        True
        """
        found = cls.of(records * groups, matching=records)
        return replace(found, groups=int(groups.sum()), uniques=int(groups[records == 1].sum()))

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "records": self.records,
            "groups": self.groups,
            "uniques": self.uniques,
            "below": {str(size): count for size, count in self.below.items()},
            "prosecutor": self.prosecutor,
            "journalist": self.journalist,
            "marketer": self.marketer,
            "prosecutor_mean": self.prosecutor_mean,
            "threshold": THRESHOLD,
            "above_threshold": self.above,
            "population": self.population,
            "individual": self.individual,
            "expected": self.expected,
        }
