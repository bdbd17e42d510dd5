"""Re-identification risk as stewards know it: uniques, people in small groups, prosecutor's, journalist's and marketer's risk.

A group is the records that share all public values. The prosecutor knows that his target is in the table, so a person in a
group of f records is found with probability 1/f. The journalist and the marketer draw from a population in which the group has
F people: by sample weights where a column holds them, else F = f. The journalist wants to find anybody, the marketer
as many as possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray

SIZES = (2, 3, 5, 10)  # groups smaller than these are counted
THRESHOLD = 0.2  # a probability of being found that many guidelines call high: groups below five


@dataclass(frozen=True)
class Risk:
    """How easily people are found by their public values.

    Attributes
    ----------
    records, groups, least
        People, different combinations of public values, and the people in the smallest group.
    uniques
        People who are alone in their group.
    below
        {m: people in groups smaller than m}.
    prosecutor, journalist, marketer
        The largest probability of being found, the same in the population, and the mean over all people.
    above
        People whose probability of being found exceeds `THRESHOLD`.
    population
        People whom the records stand for, where sample weights say so; else None.
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

    @classmethod
    def of(cls, sizes: IntArray, people: FloatArray | None = None) -> Risk:
        """The risk of groups of these sizes, standing for so many `people` each in the population.

        Examples
        --------
        >>> risk = Risk.of(np.array([1, 4, 5]))
        >>> risk.uniques, risk.below[5], risk.prosecutor, risk.marketer
        (1, 5, 1.0, 0.3)
        """
        found_by = 1.0 / sizes if people is None else 1.0 / np.maximum(people, sizes)
        records = int(sizes.sum())
        return cls(
            records=records,
            groups=len(sizes),
            least=int(sizes.min()),
            uniques=int((sizes == 1).sum()),
            below={size: int(sizes[sizes < size].sum()) for size in SIZES},
            prosecutor=float((1.0 / sizes).max()),
            journalist=float(found_by.max()),
            marketer=float((sizes * found_by).sum() / records),
            above=int(sizes[1.0 / sizes > THRESHOLD].sum()),
            population=None if people is None else float(people.sum()),
        )

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
            "threshold": THRESHOLD,
            "above_threshold": self.above,
            "population": self.population,
        }
