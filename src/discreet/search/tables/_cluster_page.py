"""The report of a whole table that a cluster released: figures, some rows and the worst groups come to the driver, no more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from discreet.release._table_page import SAMPLE, WORST, page_of, sizes_figure
from discreet.search.tables._cluster import COUNT, SECRET
from discreet.tables._spark_asking import asking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.search.tables._cluster_outcome import ClusterRelease


def cluster_page(release: ClusterRelease, spark: Any, places: Mapping[str, str], work: str, purpose: str) -> str:
    """One self-contained page for a privacy officer to read and sign; `places` hold what is about to get its name."""
    before, after = release.before, release.after.sizes
    with asking(release.source):
        worst = _worst(release, spark.read.parquet(work))
        sample = _sample(release, spark.read.parquet(places["out"]))
    return page_of(
        release,
        columns=release.columns,
        rows=release.rows,
        suppressed=release.suppressed,
        dropped=release.dropped,
        records=release.records,
        types=release.types,
        loss_by_column=release.loss_by_column,
        purpose=purpose,
        source={"file": release.source},
        face=False,
        open_words=_open_words(release),
        size_plot=sizes_figure((before.records, before.groups), (after.records, after.groups)),
        worst=worst,
        sample=sample,
        fingerprint=json.loads(release.policy.to_json())["sha256"],
    )


def _open_words(release: ClusterRelease) -> list[str]:
    """What to say of each sensitive column that is released as it is."""
    distinct = release.after.distinct
    return [
        f"{name}: published as it is; what is hidden is which row is whose"
        if distinct.get(name, 1) > 1
        else f"careful: {name} is published as it is, and all records of some group say the same: it is certain for them"
        for name in release.policy.sensitive
        if name in release.columns
    ]


def _worst(release: ClusterRelease, rows: Any) -> list[dict[str, Any]]:
    """The groups with the fewest values, and among them those with the fewest records."""
    from pyspark.sql import functions

    cells = [f"cell{c}" for c in range(len(release.policy.public))]
    secrets = [f"{SECRET}{i}" for i in range(len(release.policy.sensitive))]
    distinct = functions.countDistinct(*secrets) if secrets else functions.lit(1)
    groups = rows.filter(functions.col("group") >= 0).groupBy(*cells)
    found = groups.agg(functions.sum(COUNT).alias("records"), distinct.alias("distinct"))
    first = found.orderBy("distinct", "records", *cells).limit(WORST).collect()
    return [
        {"cells": [row[cell] for cell in cells], "records": row["records"], "distinct": row["distinct"]}
        for row in first
    ]


def _sample(release: ClusterRelease, released: Any) -> list[tuple[Any, ...]]:
    """Some rows as released."""
    share = min(1.0, 100 * SAMPLE / max(1, release.rows))
    return [tuple(row) for row in released.sample(fraction=share, seed=0).limit(SAMPLE).collect()]
