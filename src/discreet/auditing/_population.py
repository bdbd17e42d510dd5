"""A table against the population that it was drawn from: k-map and δ-presence.

k-map asks that every record of the table match k people of the population [Sweeney 2001]. δ-presence bounds, for everybody in
the population, how likely he is in the table by his public values [Nergiz, Atzori and Clifton 2007, Def 2].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from discreet.tables._counting import count
from discreet.tables._sources import named

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray, Reading
    from discreet.joint._joint import Joint

SYMBOLS = ("kmap", "presence_max", "presence_min")


@dataclass(frozen=True, eq=False)
class Population:
    """How many people of the population have each public value of the table, and what that says of who is in the table.

    `sizes` has an entry per public value of the joint. `presence_min` and `presence_max` bound the share f/F of people with one
    public value who are in the table, over all values of the population; `outside` are the records beyond the people there are.
    """

    source: str
    people: int
    sizes: IntArray
    presence_min: float
    presence_max: float
    outside: int

    @property
    def kmap(self) -> int:
        """The fewest people of the population whom a record matches."""
        return int(self.sizes.min())

    def presence(self, joint: Joint) -> FloatArray:
        """How likely somebody with each public value of the table is in it."""
        return np.asarray(np.minimum(1.0, joint.records / np.maximum(self.sizes, 1)))

    @property
    def values(self) -> dict[str, float]:
        """The figures by their symbols."""
        figures = (float(self.kmap), self.presence_max, self.presence_min)
        return dict(zip(SYMBOLS, figures, strict=True))

    @classmethod
    def of(cls, joint: Joint, table: object, **reading: Unpack[Reading]) -> Population:
        """Hold a joint against a table of the population, which has the same public columns."""
        counted = count(table, (), joint.public, bare=True, bands=joint.bands, **reading)
        people = np.bincount(counted.x_codes, counted.counts, len(counted.x)).astype(np.int64)
        known = {label: int(number) for label, number in zip(counted.x.labels(), people.tolist(), strict=True)}
        sizes = np.array([known.get(label, 0) for label in joint.x], dtype=np.int64)
        records = np.asarray(joint.records, dtype=np.int64)
        share = np.minimum(1.0, records / np.maximum(sizes, 1))
        least = float(share.min()) if int((sizes > 0).sum()) == len(known) else 0.0
        outside = int(np.maximum(0, records - sizes).sum())
        return cls(named(table), int(people.sum()), sizes, least, float(share.max()), outside)

    def sentences(self) -> list[str]:
        """The findings in words."""
        least, most = self.presence_min, self.presence_max
        k = f"Every record matches {self.kmap:,} people or more of the {self.people:,} in {self.source} (k-map)."
        if self.kmap < 2:
            alone = "nobody" if self.kmap == 0 else "one single person"
            k = f"Some record matches {alone} of the {self.people:,} people in {self.source} (k-map {self.kmap})."
        said = [
            k,
            f"That somebody is in the table is known with a probability from {least:.1%} to {most:.1%} (δ-presence).",
        ]
        if self.outside:
            said.append(
                f"{self.outside:,} records are no part of {self.source}: more have these values than there are people."
            )
        return said

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, for JSON."""
        return {"source": self.source, "people": self.people, **self.values, "records_outside": self.outside}
