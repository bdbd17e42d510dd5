"""The policy of a whole table that a cluster released: its promise, and which rows became which cells, as Parquet files.

`letters` lists every combination of public values with its cells; it is private, nearly the table itself, and never comes to
the driver. `promise` is one line of JSON. Verification recounts everything on the cluster.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.auditing._group_requirements import GroupFinding, GroupRequirement, parse_all
from discreet.errors import InputError
from discreet.release._verifying import Verification
from discreet.tables._checksum import seal
from discreet.tables._sources import source_of
from discreet.tables._spark import SparkTable
from discreet.tables._spark_asking import asking
from discreet.tables._spark_codes import labelled, tidy

MARK, SCHEMA = "discreet_cluster_policy", 1


@dataclass(frozen=True)
class ClusterPolicy:
    """What a cluster promised about a release, and where the cells of every combination of values stand."""

    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    require: tuple[GroupRequirement, ...]
    loss: float
    bound: float
    missing: str = "level"
    na: tuple[str, ...] = ()
    letters: Any = field(default=None, repr=False)  # a DataFrame: x0, x1, …, cell0, cell1, …

    def to_json(self) -> str:
        """The promise, sealed."""
        document = {
            MARK: SCHEMA,
            "public": list(self.public),
            "sensitive": list(self.sensitive),
            "require": [str(each) for each in self.require],
            "loss": self.loss,
            "bound": self.bound,
            "missing": self.missing,
            "na": list(self.na),
        }
        return json.dumps({**document, "sha256": seal(document)}, ensure_ascii=False, allow_nan=False)

    @classmethod
    def load(cls, folder: SparkTable) -> ClusterPolicy:
        """Read a policy that a cluster wrote; refuse what was changed or is something else."""
        spark, where = folder.session, folder.address
        try:
            document = json.loads(spark.read.text(f"{where}/promise").first()[0])
            letters = spark.read.parquet(f"{where}/letters")
        except Exception:
            raise InputError(f"{folder.where} is not a policy that a cluster wrote, or it is cut short") from None
        if document.get(MARK) != SCHEMA:
            raise InputError(f"{folder.where} is not a cluster's policy of schema {SCHEMA}")
        if document.pop("sha256", None) != seal(document):
            raise InputError(f"{folder.where} was changed after it was written: its sha256 does not match")
        names = tuple(document["sensitive"])
        return cls(
            tuple(document["public"]),
            names,
            parse_all(document["require"], names),
            document["loss"],
            document["bound"],
            document["missing"],
            tuple(document["na"]),
            letters,
        )

    def verify(self, released: object, original: object | None = None) -> Verification:
        """Hold a released table against the promise, from its rows alone or against the original too."""
        table = _on_spark(released)
        names = table.columns()
        lacking = [name for name in self.public if name not in names]
        if lacking:
            return Verification((f"the released table has no column {lacking[0]!r}",))
        others = [name for name in dict.fromkeys(names) if name not in self.public]
        with asking(table.name):
            frame, keys = table.chosen([*self.public, *others])
            return self._verified(tidy(frame), dict(zip([*self.public, *others], keys, strict=True)), original)

    def _verified(self, frame: Any, keys: dict[str, str], original: object | None) -> Verification:
        cells = [keys[name] for name in self.public]
        problems, checked, unchecked = [], [], []
        rows = frame.count()
        known = self.letters.select(*(f"cell{c}" for c in range(len(cells)))).distinct()
        pairs = [(key, f"cell{c}") for c, key in enumerate(cells)]
        unknown = frame.join(known, _same(frame, known, pairs), "left_anti").count()
        if unknown:
            problems.append(f"{unknown} of {rows} rows have cells that the policy does not have")
        else:
            checked.append("every cell is one of the policy's")
        here = {name: keys[name] for name in self.sensitive if name in keys}
        found, measures = recounted(frame, cells, here, self.require, na=self.na)
        checked.append(
            f"{', '.join(dict.fromkeys(str(each.requirement) for each in found))}, recounted from the released rows"
        )
        problems += [each.sentence() for each in found if not each.met]
        if original is not None:
            self._compare(frame, keys, _on_spark(original), problems, checked)
        elif len(here) < len(self.sensitive):
            unchecked += [
                f"{each}: neither the sensitive columns nor the original are here"
                for each in self.require
                if each.symbol != "n"
            ]
        return Verification(tuple(problems), tuple(checked), tuple(unchecked), rows, measures)

    def _compare(
        self, frame: Any, keys: dict[str, str], original: SparkTable, problems: list[str], checked: list[str]
    ) -> None:
        """Release the original anew by the letters, and hold both against each other, row for row."""
        from pyspark.sql import functions

        kept = [name for name in keys if name not in self.public and name in original.columns()]
        wanted = list(dict.fromkeys([*self.public, *self.sensitive, *kept]))
        rows, own = original.chosen(wanted)
        place = dict(zip(wanted, own, strict=True))
        rows = tidy(rows)
        pairs = [(place[name], f"x{c}") for c, name in enumerate(self.public)]
        joined = rows.join(self.letters, _same(rows, self.letters, pairs), "left")
        lost = joined.filter(functions.col("group").isNull()).count()
        if lost and self.missing != "drop":
            problems.append(f"{lost} rows of the original have values that the policy does not know")
        made = joined.filter(functions.col("group") >= 0)
        cells = [f"cell{c}" for c in range(len(self.public))]
        found, _ = recounted(made, cells, {name: place[name] for name in self.sensitive}, self.require, na=self.na)
        problems += [f"the original: {each.sentence()}" for each in found if not each.met]
        checked.append("the requirement, recounted from the original")
        there = _tallied(frame, [keys[name] for name in (*self.public, *kept)])
        here = _tallied(made, [*cells, *(place[name] for name in kept)])
        both = [(f"r{i}", f"r{i}") for i in range(len(self.public) + len(kept))]
        differ = there.join(here, _same(there, here, both) & (there["times"] == here["times"]), "left_anti").count()
        differ += here.join(there, _same(here, there, both) & (there["times"] == here["times"]), "left_anti").count()
        told = problems if differ else checked
        told.append(f"the released rows are {'not ' if differ else ''}those that the policy makes of the original")


def recounted(
    frame: Any,
    cells: Sequence[str],
    sensitive: Mapping[str, str],
    wanted: Sequence[GroupRequirement],
    *,
    count: str | None = None,
    na: Sequence[str] = (),
) -> tuple[list[GroupFinding], dict[str, float]]:
    """Every requirement held against the groups of rows with the same cells, counted by the cluster; and what they have.

    `sensitive` says what the sensitive columns are called there; requirements on others are left out.
    """
    from pyspark.sql import functions

    coded, sizes = labelled(frame, list(sensitive.values()), na)
    amount = functions.sum(count) if count else functions.count(functions.lit(1))
    totals = coded.groupBy(*cells).agg(amount.alias("times"))
    short = [each for each in wanted if each.symbol == "n"]
    times = functions.col("times")
    less = [functions.when(times < each.bound, times) for each in short]
    counts = totals.agg(
        functions.min(times),
        functions.count(functions.lit(1)),
        functions.sum(times),
        *(measure(each) for each in less for measure in (functions.count, functions.sum)),
    ).first()
    total = int(counts[2] or 0)
    found = [
        GroupFinding(each, None, float(counts[0] or 0), int(counts[3 + 2 * i]), int(counts[4 + 2 * i] or 0), total)
        for i, each in enumerate(short)
    ]
    figures = {"n": float(counts[0] or 0), "groups": float(counts[1])}
    for name, key in sensitive.items():
        pairs = coded.groupBy(*cells, key).agg(amount.alias("times"))
        one = functions.count(functions.lit(1))
        by_group = pairs.groupBy(*cells).agg(one.alias("k"), functions.sum("times").alias("times"))
        seen = by_group.groupBy("k").agg(one, functions.sum("times")).collect()
        distinct = np.array([row[0] for row in seen], dtype=np.float64)
        groups, people = (np.array([row[i] for row in seen], dtype=np.int64) for i in (1, 2))
        figures["k"] = min(figures.get("k", math.inf), float(distinct.min()))
        for each in wanted:
            if each.symbol == "n" or each.column not in (None, name):
                continue
            values = distinct if each.symbol == "k" else np.log2(sizes[key] / distinct)
            bad = ~each.holds(values)
            found.append(
                GroupFinding(each, name, each.worst(values), int(groups[bad].sum()), int(people[bad].sum()), total)
            )
    return found, figures


def _on_spark(table: object) -> SparkTable:
    source = source_of(table)
    if not isinstance(source, SparkTable):
        raise InputError("a cluster's policy is verified on a cluster: give DataFrames of Spark, or say --engine spark")
    return source


def _same(left: Any, right: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """Equal in all of these columns, missing values too."""
    found = left[pairs[0][0]].eqNullSafe(right[pairs[0][1]])
    for one, other in pairs[1:]:
        found = found & left[one].eqNullSafe(right[other])
    return found


def _tallied(frame: Any, columns: Sequence[str]) -> Any:
    from pyspark.sql import functions

    named = frame.select(*(functions.col(column).alias(f"r{i}") for i, column in enumerate(columns)))
    return named.groupBy(*named.columns).agg(functions.count(functions.lit(1)).alias("times"))
