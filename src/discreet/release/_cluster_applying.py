"""New rows released by the policy of a cluster, where its promise holds for them, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from discreet._typing import KeepAnyway
from discreet.columns._judging import ValueCounts, refuse_kept
from discreet.errors import ColumnError, RequirementError, TableError
from discreet.release._cluster_policy import ClusterPolicy, Placed, on_spark
from discreet.release._recounting import Recount, linked_values, recounted
from discreet.release._releasing import refuse_broken
from discreet.release._rows import kept_columns
from discreet.tables._columns import encode_column
from discreet.tables._spark_asking import asking, calm, collected
from discreet.tables._spark_folder import SparkFolder, times_over


@dataclass(frozen=True, eq=False)
class Applied:
    """Rows that were released by a policy made before, with what was recounted from them."""

    rows: int
    suppressed: int
    dropped: int
    recount: Recount = field(repr=False)
    broken_by_keep: tuple[str, ...] = ()
    recurs: bool = False  # whether every combination of the policy's map occurs again

    @property
    def measures(self) -> dict[str, float]:
        """What the released groups have."""
        return self.recount.figures


def apply_on_cluster(
    policy: ClusterPolicy,
    table: object,
    out: str | Path,
    *,
    keep: Sequence[str] = (),
    keep_anyway: KeepAnyway = False,
    force: bool = False,
) -> Applied:
    """Release the rows of a table on the cluster that wrote the policy; RequirementError where its promise is broken.

    Rows with values that the policy never saw are suppressed.
    """
    source = on_spark(table)
    target = SparkFolder.of(source, out, force=force)
    names = source.columns()
    lacking = [name for name in policy.sensitive if name not in names]
    if lacking:
        raise ColumnError(f"the table has no sensitive columns {lacking}: the promise cannot be checked")
    kept, anyway = kept_columns(keep, keep_anyway)
    if both := [name for name in kept if name in policy.public]:
        raise ColumnError(
            f"column {both[0]!r} is a public column: it is released coarsened, and cannot be kept as it is"
        )
    with asking(source.name), calm():
        made = policy.placed(source, kept)
        if not made.known:
            raise RequirementError(
                "no row of this table can be released by this policy: its values are all unknown to it"
            )
        rows = made.rows.persist()
        try:
            return _applied(policy, made, rows, target, kept, anyway)
        finally:
            rows.unpersist()


def _applied(
    policy: ClusterPolicy, made: Placed, rows: Any, target: SparkFolder, kept: Sequence[str], anyway: frozenset[str]
) -> Applied:
    from pyspark.sql import functions

    wrong = []
    for name in kept:
        seen = collected(rows.groupBy(made.keys[name]).agg(functions.count(functions.lit(1)).alias("times")))
        coded = encode_column(seen[made.keys[name]], frozenset())
        links = linked_values(rows, made.keys[name], [made.keys[each] for each in policy.public])
        wrong += refuse_kept(
            [replace(ValueCounts.of(name, *coded, seen["times"].to_numpy()), links=links)], anyway=anyway
        )
    secrets = made.secrets(policy.sensitive)
    found = recounted(rows, policy.cells, secrets, policy.require, na=policy.na)
    if found.broken:
        raise RequirementError("the policy's promise does not hold for this table: " + "; ".join(found.broken))
    beside_sensitive = [name for name in kept if name not in policy.sensitive]
    checked_names = [name for name in beside_sensitive if name not in anyway]
    by_keep, by_checked = (
        recounted(
            rows, [*policy.cells, *(made.keys[name] for name in names)], secrets, policy.require, na=policy.na
        ).broken
        if names
        else []
        for names in (beside_sensitive, checked_names)
    )
    refuse_broken(checked_names, by_checked)
    with target.replacing() as place:
        columns = [*policy.cells, *(made.keys[name] for name in kept)]
        alike = rows.groupBy(*columns).agg(functions.count(functions.lit(1)).alias("times"))  # the order of rows goes
        times_over(alike, columns, "times").toDF(*policy.public, *kept).write.parquet(place)
        checked = policy.verify(target.spark.read.parquet(place))
        if not checked or checked.rows != found.sizes.total:
            raise TableError(f"{target} would not come out as it was measured, and was not written")
    recurs = policy.recurs_in(rows)
    return Applied(checked.rows, made.unknown + made.withheld, made.dropped, found, (*wrong, *by_keep), recurs)
