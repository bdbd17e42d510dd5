"""Who is found before and after a release: the risk of people, of those whom they stand for, and of their households.

Groups after a release are those of the released rows. Sample weights and households are read from the original, row by row.
Neither column need be released, and one that names households never is: it links rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.auditing._individual import HouseholdRisk, individual_risk, sample_weights
from discreet.auditing._risk import SIZES, Risk
from discreet.errors import ColumnError
from discreet.tables._counting import counted_columns

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.tables._labels import Alphabet


@dataclass(frozen=True)
class PeopleColumns:
    """Which columns of the original tell more about people: sample weights, and who lives together."""

    weights: str | None = None
    household: str | None = None

    @property
    def names(self) -> list[str]:
        """The columns, each once."""
        return list(dict.fromkeys(name for name in (self.weights, self.household) if name))

    def check_keep(self, keep: Sequence[str]) -> None:
        """Refuse a column of households among those to keep: who knows one person's row would know all of his household's."""
        if self.household in keep:
            raise ColumnError(f"column {self.household!r} names households: it links rows, and is never kept")

    def check(self, table: object, roles: Sequence[str], keep: Sequence[str], na: Sequence[str]) -> None:
        """Refuse before anything is searched what could not be told after it, and households that were to be released."""
        if self.weights and self.weights == self.household:
            raise ColumnError(f"column {self.weights!r} is both sample weights and household: give it one role")
        for name, words in ((self.weights, "sample weights"), (self.household, "household")):
            if name in roles:
                raise ColumnError(f"column {name!r} is both released or protected and {words}: give it one role")
        self.check_keep(keep)
        if self.weights:
            ((alphabet, _),), _ = counted_columns(table, [self.weights], na=frozenset(na))
            sample_weights(alphabet, self.weights)
        if self.household:
            counted_columns(table, [self.household], na=frozenset(na))


@dataclass(frozen=True)
class Found:
    """How easily the people of groups are found, and with them their households where those are known."""

    risk: Risk
    household: HouseholdRisk | None = None

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        found = self.risk.to_dict()
        return {**found, "household": self.household.to_dict()} if self.household else found


@dataclass(frozen=True)
class PeopleRisk:
    """Who is found before and after a release."""

    before: Found
    after: Found
    columns: PeopleColumns = field(default_factory=PeopleColumns)

    @classmethod
    def of(
        cls,
        columns: PeopleColumns,
        groups: tuple[IntArray, IntArray],
        counts: IntArray,
        coded: Mapping[str, tuple[Alphabet, IntArray]],
    ) -> PeopleRisk:
        """From the groups that rows are in, before and after (−1: not released), and how often each row occurs."""
        before, after = (_found(columns, group, counts, coded) for group in groups)
        return cls(before, after, columns)

    def rows(self) -> list[tuple[str, str, str]]:
        """What, before, and after."""
        both = (self.before.risk, self.after.risk)
        rows = [
            ("groups", *(f"{each.groups:,}" for each in both)),
            ("records alone in their group (uniques)", *(f"{each.uniques:,}" for each in both)),
            *(
                (f"records in groups smaller than {m}", *(f"{each.below[m]:,}" for each in both))
                for m in SIZES
                if m > 2
            ),
            ("largest probability (prosecutor's risk)", *(f"{each.prosecutor:.1%}" for each in both)),
            ("mean probability (marketer's risk)", *(percent(each.prosecutor_mean) for each in both)),
        ]
        if self.columns.weights:
            rows += [
                ("people that the records stand for", *(f"{each.population or 0:,.0f}" for each in both)),
                ("largest probability among them (journalist's risk)", *(percent(each.journalist) for each in both)),
                (
                    "mean probability among them (marketer's risk of the population)",
                    *(percent(e.marketer) for e in both),
                ),
                ("record at most risk, by its weight (individual risk)", *(percent(each.individual) for each in both)),
                ("records found, as expected by individual risks", *(f"{each.expected:,.1f}" for each in both)),
            ]
        homes = (self.before.household, self.after.household)
        if homes[0] and homes[1]:
            rows += [
                ("households", *(f"{each.households:,}" for each in homes if each)),
                ("household at most risk (household risk)", *(percent(each.most) for each in homes if each)),
                ("records found with their households, as expected", *(f"{e.expected:,.1f}" for e in homes if e)),
            ]
        return [(what, one, other) for what, one, other in rows]

    def sentences(self, released: Sequence[str]) -> list[str]:
        """One sentence on the people whom records stand for, and one on households, where their columns were named."""
        before, after, columns = self.before.risk, self.after.risk, self.columns
        said = []
        if columns.weights:
            how = "kept as it is" if columns.weights in released else "not released"
            said.append(
                f"individual risk, estimated from the sample weights in {columns.weights} ({how}): no record is found with a "
                f"probability above {percent(after.individual)} ({percent(before.individual)} before), and "
                f"{after.expected:,.1f} of {after.records:,} records are expected to be found ({before.expected:,.1f} before)"
            )
        one, other = self.before.household, self.after.household
        if one and other:
            said.append(
                f"household risk, where {columns.household} says who lives together (not released): no household has a record "
                f"found with a probability above {percent(other.most)} ({percent(one.most)} before), and "
                f"{other.expected:,.1f} of {after.records:,} records are expected to be found with theirs "
                f"({one.expected:,.1f} before)"
            )
        return said


def percent(share: float) -> str:
    """A share as a percentage, with two digits where one decimal would hide it.

    Examples
    --------
    >>> percent(0.1234), percent(0.00001234), percent(0)
    ('12.3%', '0.0012%', '0.0%')
    """
    return f"{share:.1%}" if share >= 0.001 or share == 0 else f"{100 * share:.2g}%"


def _found(
    columns: PeopleColumns, group: IntArray, counts: IntArray, coded: Mapping[str, tuple[Alphabet, IntArray]]
) -> Found:
    """The risk of the rows that are in a group; groups without rows are none."""
    known = group >= 0
    filled = np.bincount(group[known]) > 0
    number = (np.cumsum(filled) - 1)[group[known]]
    sizes = np.bincount(number, counts[known]).astype(np.int64)
    people: FloatArray | None = None
    if columns.weights:
        alphabet, codes = coded[columns.weights]
        weights = sample_weights(alphabet, columns.weights)[codes[known]]
        people = np.bincount(number, weights * counts[known]).astype(np.float64)
    home = None
    if columns.household:
        alphabet, codes = coded[columns.household]
        home = HouseholdRisk.of_rows(alphabet, codes[known], counts[known], individual_risk(sizes, people)[number])
    return Found(Risk.of(sizes, people), home)
