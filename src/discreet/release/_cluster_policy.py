"""The policy of a whole table that a cluster released: its promise, and which rows became which cells, as Parquet files.

`letters` lists every combination of public values with its cells; it is private, nearly the table itself, and never comes to
the driver. `promise` is one line of JSON. Verification recounts everything on the cluster.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.auditing._group_requirements import GroupRequirement, parse_all
from discreet.errors import InputError
from discreet.release._recounting import recounted
from discreet.release._table_policy_files import trees_from_json, trees_to_json
from discreet.release._verifying import Verification
from discreet.tables._checksum import seal
from discreet.tables._sources import source_of
from discreet.tables._spark import SparkTable
from discreet.tables._spark_asking import asking
from discreet.tables._spark_codes import present, tidy

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
            "hierarchies": trees_to_json(self.require),
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
            parse_all(document["require"], names, trees_from_json(document.get("hierarchies", {}))),
            document["loss"],
            document["bound"],
            document["missing"],
            tuple(document["na"]),
            letters,
        )

    def verify(self, released: object, original: object | None = None) -> Verification:
        """Hold a released table against the promise, from its rows alone or against the original too."""
        table = on_spark(released)
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
        if not rows:
            return Verification(("the released table has no rows",))
        known = self.letters.select(*(f"cell{c}" for c in range(len(cells)))).distinct()
        pairs = [(key, f"cell{c}") for c, key in enumerate(cells)]
        unknown = frame.join(known, _same(frame, known, pairs), "left_anti").count()
        if unknown:
            problems.append(f"{unknown} of {rows} rows have cells that the policy does not have")
        else:
            checked.append("every cell is one of the policy's")
        here = {name: keys[name] for name in self.sensitive if name in keys}
        found = recounted(frame, cells, here, self.require, na=self.na)
        told = dict.fromkeys(str(each.requirement) for each in found.findings)
        checked.append(f"{', '.join(told)}, recounted from the released rows")
        problems += found.broken
        if original is not None:
            self._compare(frame, keys, on_spark(original), problems, checked)
        elif len(here) < len(self.sensitive):
            unchecked += [
                f"{each}: neither the sensitive columns nor the original are here"
                for each in self.require
                if each.symbol != "n"
            ]
        return Verification(tuple(problems), tuple(checked), tuple(unchecked), rows, found.figures)

    def _compare(
        self, frame: Any, keys: dict[str, str], original: SparkTable, problems: list[str], checked: list[str]
    ) -> None:
        """Release the original anew by the letters, and hold both against each other, row for row."""
        kept = [name for name in keys if name not in self.public and name in original.columns()]
        made = self.placed(original, kept)
        if made.unknown:
            problems.append(f"{made.unknown} rows of the original have values that the policy does not know")
        found = recounted(made.rows, self.cells, made.secrets(self.sensitive), self.require, na=self.na)
        problems += [f"the original: {words}" for words in found.broken]
        checked.append("the requirement, recounted from the original")
        there = _tallied(frame, [keys[name] for name in (*self.public, *kept)])
        here = _tallied(made.rows, [*self.cells, *(made.keys[name] for name in kept)])
        both = [(f"r{i}", f"r{i}") for i in range(len(self.public) + len(kept))]
        differ = there.join(here, _same(there, here, both) & (there["times"] == here["times"]), "left_anti").count()
        differ += here.join(there, _same(here, there, both) & (there["times"] == here["times"]), "left_anti").count()
        told = problems if differ else checked
        told.append(f"the released rows are {'not ' if differ else ''}those that the policy makes of the original")

    @property
    def cells(self) -> list[str]:
        """What the columns of cells are called in `letters`."""
        return [f"cell{c}" for c in range(len(self.public))]

    def recurs_in(self, rows: Any) -> bool:
        """Whether every combination of values that it releases is among these rows, as `placed` gives them."""
        from pyspark.sql import functions

        values = [f"x{c}" for c in range(len(self.public))]
        return bool(rows.select(*values).distinct().count() == self.letters.filter(functions.col("group") >= 0).count())

    def placed(self, table: SparkTable, kept: Sequence[str]) -> Placed:
        """The rows of a table with the cells that the policy has for them; others are not released."""
        from pyspark.sql import functions

        wanted = list(dict.fromkeys([*self.public, *self.sensitive, *kept]))
        rows, own = table.chosen(wanted)
        keys, rows = dict(zip(wanted, own, strict=True)), tidy(rows)
        total = rows.count()
        if self.missing == "drop":
            rows = present(rows, [keys[name] for name in (*self.public, *self.sensitive)], self.na)
        pairs = [(keys[name], f"x{c}") for c, name in enumerate(self.public)]
        joined = rows.join(self.letters, _same(rows, self.letters, pairs), "left")
        group = functions.col("group")
        there, unknown, withheld = joined.agg(
            functions.count(functions.lit(1)), functions.count_if(group.isNull()), functions.count_if(group < 0)
        ).first()
        known = int(there) - int(unknown) - int(withheld)
        return Placed(joined.filter(group >= 0), keys, known, int(unknown), int(withheld), total - int(there))


@dataclass(frozen=True, eq=False)
class Placed:
    """Rows with the cells that a policy has for them, on the cluster, and how many others there are."""

    rows: Any = field(repr=False)
    keys: dict[str, str]  # what the columns are called there
    known: int
    unknown: int  # with values that the policy never saw
    withheld: int
    dropped: int

    def secrets(self, sensitive: Sequence[str]) -> dict[str, str]:
        """What the sensitive columns are called there."""
        return {name: self.keys[name] for name in sensitive}


def is_cluster_policy(path: str, engine: str) -> bool:
    """Whether a policy is to be read as a folder that a cluster wrote."""
    return engine == "spark" and not Path(path).is_file()


def on_spark(table: object) -> SparkTable:
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
