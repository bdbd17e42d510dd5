"""Groups of a table on a cluster, held against requirements by the workers that have them: the driver sees figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.auditing._group_requirements import GroupFinding, GroupRequirement
from discreet.auditing._risk import Risk
from discreet.columns._judging import PUBLIC_VALUES, Linked
from discreet.joint._joint import from_codes
from discreet.tables._arrow import to_numpy
from discreet.tables._labels import Alphabet
from discreet.tables._spark_asking import collected
from discreet.tables._spark_codes import Batches, Work, amount, labelled

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.joint._joint import Joint

TIMES = "times"


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many groups have so many records: all that is known of them on the driver."""

    records: IntArray
    groups: IntArray

    @classmethod
    def of(cls, frame: Any, cells: Sequence[str], count: str | None = None) -> Sizes:
        """Of the groups of rows with the same cells; `count` says how often a row occurs."""
        from pyspark.sql import functions

        totals = frame.groupBy(*cells).agg(amount(count).alias(TIMES))
        found = collected(totals.groupBy(TIMES).agg(functions.count(functions.lit(1)).alias("groups")))
        records, groups = (found[name].to_numpy().astype(np.int64) for name in (TIMES, "groups"))
        order = np.argsort(records)
        return cls(records[order], groups[order])

    @property
    def total(self) -> int:
        """All records."""
        return int(self.records @ self.groups)

    @property
    def least(self) -> int:
        """The records of the smallest group; 0 where there is none."""
        return int(self.records[0]) if len(self.records) else 0

    @property
    def risk(self) -> Risk:
        """How easily people are found in these groups."""
        return Risk.of_sizes(self.records, self.groups)

    def finding(self, asked: GroupRequirement) -> GroupFinding:
        """A requirement on records, held against every group."""
        bad = ~asked.holds(self.records.astype(np.float64))
        groups, people = int(self.groups[bad].sum()), int((self.records * self.groups)[bad].sum())
        return GroupFinding(asked, None, float(self.least), groups, people, self.total)


@dataclass(frozen=True, eq=False)
class Recount:
    """What the groups of a table have, and every requirement held against them."""

    sizes: Sizes
    findings: tuple[GroupFinding, ...]
    distinct: dict[str, int] = field(default_factory=dict)  # the fewest values in a group, by sensitive column
    unfit: tuple[str, ...] = ()  # why some requirements could not be held against it

    @property
    def broken(self) -> list[str]:
        """The requirements that do not hold, in words."""
        return [*self.unfit, *(each.sentence() for each in self.findings if not each.met)]

    @property
    def figures(self) -> dict[str, float]:
        """The smallest group, the poorest, how many there are, and the worst value of what was required."""
        found = {"n": float(self.sizes.least), "groups": float(self.sizes.groups.sum())}
        if self.distinct:
            found["k"] = float(min(self.distinct.values()))
        for each in self.findings:
            symbol = each.requirement.symbol
            if symbol not in ("n", "k"):
                found[symbol] = each.requirement.worst(np.array([each.worst, found.get(symbol, each.worst)]))
        return found


def recounted(
    frame: Any,
    cells: Sequence[str],
    sensitive: Mapping[str, str],
    wanted: Sequence[GroupRequirement],
    *,
    count: str | None = None,
    na: Sequence[str] = (),
) -> Recount:
    """Every requirement held against the groups of rows with the same cells, and what these groups have.

    `sensitive` says what the sensitive columns are called there; requirements on others are left out.
    """
    coded, labels = labelled(frame, list(sensitive.values()), na, count)
    sizes = Sizes.of(frame, cells, count)
    held, unfit = {}, []
    for name, key in sensitive.items():
        alphabet, records = labels[key]
        s = replace(alphabet, names=(name,))
        about = {each: each.unfit(name, s.labels()) for each in wanted if _is_about(each, name)}
        unfit += [reason for reason in about.values() if reason]
        held[name] = _held(
            coded, cells, key, [each for each, reason in about.items() if not reason], (s, records), count
        )
    found: list[GroupFinding] = []
    for each in wanted:
        if each.symbol == "n":
            found.append(sizes.finding(each))
        for name, column in held.items():
            if _is_about(each, name) and (figures := column.get(each)):
                worst, failing, people = (np.array(part) for part in zip(*figures, strict=True))
                found.append(
                    GroupFinding(each, name, each.worst(worst), int(failing.sum()), int(people.sum()), sizes.total)
                )
    fewest = {
        name: int(min(worst for worst, _, _ in parts)) for name, column in held.items() if (parts := column[_DISTINCT])
    }
    return Recount(sizes, tuple(found), fewest, tuple(unfit))


_Figures = dict[GroupRequirement, list[tuple[float, int, int]]]
"""Of each requirement, from each worker: the worst value, groups that break it, and the records in them."""

_DISTINCT = GroupRequirement("k", 1.0)


def linked_values(frame: Any, key: str, public: Sequence[str], count: str | None = None) -> dict[str, Linked]:
    """How many values of a column belong to one combination of public values each, counted by the workers."""
    from pyspark.sql import functions

    pairs = frame.filter(functions.col(key).isNotNull()).groupBy(key, *public).agg(amount(count).alias(TIMES))
    values = pairs.groupBy(key).agg(
        functions.count(functions.lit(1)).alias("owners"), functions.sum(TIMES).alias(TIMES)
    )
    one = functions.col("owners") == 1
    found = values.agg(functions.count_if(one), functions.count_if(one & (functions.col(TIMES) > 1))).first()
    return {PUBLIC_VALUES: Linked(*map(int, found))}


def _is_about(asked: GroupRequirement, name: str) -> bool:
    return asked.symbol != "n" and asked.column in (None, name)


def _held(
    coded: Any,
    cells: Sequence[str],
    key: str,
    wanted: Sequence[GroupRequirement],
    s: tuple[Alphabet, IntArray],
    count: str | None,
) -> _Figures:
    """Requirements on one sensitive column, held against whole groups by the workers."""
    asked = [_DISTINCT, *(each for each in wanted if each != _DISTINCT)]
    pairs = coded.groupBy(*cells, key).agg(amount(count).alias(TIMES)).repartition(*cells)
    schema = "requirement int, worst double, failing long, people long"
    told = collected(pairs.mapInArrow(_holding(asked, cells, key, *s), schema))
    found: _Figures = {each: [] for each in asked}
    for i, *figures in zip(*(told[name].to_pylist() for name in told.column_names), strict=True):
        found[asked[i]].append(tuple(figures))
    return found


def _holding(
    wanted: Sequence[GroupRequirement], cells: Sequence[str], key: str, s: Alphabet, records: IntArray
) -> Work:
    """What a worker does with the groups that it has: figures of each requirement."""

    def work(batches: Batches) -> Batches:
        import pyarrow as pa

        table = pa.Table.from_batches(found) if (found := list(batches)) else None
        if table is None or not len(table):
            return
        groups, joint = _joint(table, cells, key, s, records)
        rows = []
        for i, each in enumerate(wanted):
            values: FloatArray = each.of_groups(joint)[:groups]
            bad = ~each.holds(values)
            rows.append((i, each.worst(values), int(bad.sum()), int(joint.records[:groups][bad].sum())))
        told = dict(zip(("requirement", "worst", "failing", "people"), zip(*rows, strict=True), strict=True))
        kinds = {"requirement": pa.int32(), "worst": pa.float64()}
        yield pa.RecordBatch.from_pydict(
            {name: pa.array(values, kinds.get(name, pa.int64())) for name, values in told.items()}
        )

    return work


def _joint(table: pa.Table, cells: Sequence[str], key: str, s: Alphabet, records: IntArray) -> tuple[int, Joint]:
    """The groups of a worker, and all other records of the table as one more: shares in the table are those of all of it."""
    numbers = [to_numpy(table[name].combine_chunks().dictionary_encode("encode").indices) for name in cells]
    group = np.unique(np.stack(numbers, axis=1), axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    groups = int(group.max()) + 1
    codes, times = (to_numpy(table[name]).astype(np.int64) for name in (key, TIMES))
    others = records - np.bincount(codes, times, len(s)).astype(np.int64)
    rest = np.flatnonzero(others)
    joint = from_codes(
        (s, np.concatenate([codes, rest])),
        (Alphabet((list(range(groups + 1)),)), np.concatenate([group, np.full(len(rest), groups)])),
        np.concatenate([times, others[rest]]),
    )
    return groups, joint
