"""A table against the population that it was drawn from: k-map and δ-presence.

k-map asks that every record of the table match k people of the population [Sweeney 2001]. δ-presence bounds, for everybody in
the population, how likely he is in the table by his public values [Nergiz, Atzori and Clifton 2007, Def 2].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from discreet.auditing._matching import absent_cells, totals
from discreet.tables._counting import count
from discreet.tables._sources import named

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray, Reading
    from discreet.auditing._matching import Matched
    from discreet.joint._joint import Joint
    from discreet.tables._counting import Counted

SYMBOLS = ("kmap", "presence_max", "presence_min")


@dataclass(frozen=True, eq=False)
class Population:
    """How many people of the population have each public value of the table, and what that says of who is in the table.

    `sizes` and `presence`, the share f/F, have an entry per public value of the joint. `presence_min` and `presence_max` bound
    that share over all values of the population; `outside` are the records beyond the people there are. `journalist` and
    `marketer` are the probabilities that somebody of the table is found among the people who match him, 1/F, at the most and
    on average [El Emam 2013].
    """

    source: str
    people: int
    sizes: IntArray
    presence: FloatArray
    presence_min: float
    presence_max: float
    outside: int
    journalist: float
    marketer: float

    @property
    def kmap(self) -> int:
        """The fewest people of the population whom a record matches."""
        return int(self.sizes.min())

    @property
    def values(self) -> dict[str, float]:
        """The figures by their symbols."""
        figures = (float(self.kmap), self.presence_max, self.presence_min)
        return dict(zip(SYMBOLS, figures, strict=True))

    @classmethod
    def of(cls, matched: Matched, table: object, **reading: Unpack[Reading]) -> Population:
        """Hold a joint against a table of the population, which has the same public columns."""
        joint, wild = matched.joint, matched.has_wildcards
        counted = count(table, (), joint.public, bare=True, bands=joint.bands, **reading)
        people = np.bincount(counted.x_codes, counted.counts, len(counted.x)).astype(np.int64)
        sample, everybody, columns = _one_coding(joint, counted)
        gone = absent_cells(sample, columns) if wild else np.zeros(sample.shape, dtype=bool)
        lacking = absent_cells(everybody, columns) if wild else np.zeros(everybody.shape, dtype=bool)
        sizes = totals(sample, gone, everybody, lacking, people).astype(np.int64)
        of_theirs = totals(everybody, lacking, sample, gone, np.asarray(joint.records))
        present = np.minimum(1.0, of_theirs / totals(everybody, lacking, everybody, lacking, people))
        share = np.minimum(1.0, matched.records / np.maximum(sizes, 1))
        most = max(float(share.max()), float(present.max()))
        records = np.asarray(joint.records)
        outside = int(np.maximum(0, records - sizes).sum())
        found = 1.0 / np.maximum(sizes, matched.records)
        risk = float(found.max()), float(records @ found / records.sum())
        return cls(named(table), int(people.sum()), sizes, share, float(present.min()), most, outside, *risk)

    def sentences(self) -> list[str]:
        """The findings in words."""
        least, most = self.presence_min, self.presence_max
        k = f"Every record matches {self.kmap:,} people or more of the {self.people:,} in {self.source} (k-map)."
        if self.kmap < 2:
            alone = "nobody" if self.kmap == 0 else "one single person"
            k = f"Some record matches {alone} of the {self.people:,} people in {self.source} (k-map {self.kmap})."
        said = [
            k,
            f"Among those who match him, somebody of the table is found with a probability of {self.journalist:.1%} at "
            f"the most (journalist's risk), {self.marketer:.1%} on average (marketer's).",
            f"That somebody is in the table is known with a probability from {least:.1%} to {most:.1%} (δ-presence).",
        ]
        if self.outside:
            said.append(
                f"{self.outside:,} records are no part of {self.source}: more have these values than there are people."
            )
        return said

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, for JSON."""
        risk = {"journalist": self.journalist, "marketer": self.marketer}
        return {"source": self.source, "people": self.people, **self.values, **risk, "records_outside": self.outside}


def _one_coding(joint: Joint, counted: Counted) -> tuple[IntArray, IntArray, list[list[Any]]]:
    """The public values of both tables in codes of the same labels, which are missing last."""
    theirs = np.arange(len(counted.x))[:, None] if counted.x.codes is None else counted.x.codes
    ours, found, columns = [], [], []
    for i, (mine, other) in enumerate(zip(joint.x_columns, counted.x.columns, strict=True)):
        place: dict[Any, int] = {}
        both = [*list(mine), *list(other)]
        for label in sorted(range(len(both)), key=lambda j: both[j] is None):  # missing gets the last number
            place.setdefault(both[label], len(place))
        ours.append(np.array([place[label] for label in mine])[joint.x_codes[:, i]])
        found.append(np.array([place[label] for label in other])[theirs[:, i]])
        columns.append(list(place))
    return np.stack(ours, axis=1), np.stack(found, axis=1), columns
