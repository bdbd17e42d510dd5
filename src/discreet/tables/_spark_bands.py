"""Bands on a cluster: columns are made coarser by the workers before they are counted, and the edges of a grid are found there.

A column with a value of its own in every row never travels: what arrives is a band or an edge.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import IntArray
from discreet.tables._arrow import to_numpy
from discreet.tables._band_sql import Dialect, key_of, known_number
from discreet.tables._bands import Band
from discreet.tables._protocol import COUNT
from discreet.tables._spark_asking import asking, collected, watched

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.tables._spark import SparkTable

STRETCHES = 200
"""Parts that a column is cut into, about equally large, to find its quantiles in: one worker sorts one at a time."""

_DAY = 86_400_000_000
_STORED = {"STRING": "VARCHAR", "TIMESTAMP": "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_NTZ": "TIMESTAMP"}


def group_by_band(
    table: SparkTable,
    columns: Sequence[str],
    bands: Mapping[str, Band],
    na: Iterable[str],
    *,
    progress: Progress | None = None,
) -> tuple[list[Any], IntArray, dict[str, IntArray]]:
    """As `TableFile.group_by_band`."""
    from pyspark.sql import functions

    chosen, keys = table.chosen(columns)
    asked = {
        key: key_of(key, stored, bands[name], na, SPARK) if name in bands else (key, "false")
        for name, (key, stored) in zip(columns, _types(chosen).items(), strict=True)
    }
    odd = {f"o{key}": functions.expr(asked[key][1]) for name, key in zip(columns, keys, strict=True) if name in bands}
    seen = chosen.select(*(functions.expr(asked[key][0]).alias(key) for key in keys), *_named(odd))
    counted = seen.groupBy(*keys).agg(
        functions.count("*").alias(COUNT), *(functions.count_if(mark).alias(mark) for mark in odd)
    )
    with asking(table.name), watched(chosen, progress):
        found = collected(counted)
    return (
        [found[key] for key in keys],
        to_numpy(found[COUNT]).astype(np.int64),
        {
            name: to_numpy(found[f"o{key}"]).astype(np.int64)
            for name, key in zip(columns, keys, strict=True)
            if name in bands
        },
    )


def quantiles(table: SparkTable, column: str, shares: Sequence[float], na: Iterable[str]) -> list[float]:
    """As `TableFile.quantiles`, to the last bit, though nobody holds the column: neither a worker nor the driver.

    Spark's quick quantiles, which are nearly right, cut the numbers into stretches. How many records each has is counted; a
    record that is looked for lies in one of them, and at a known place there.
    """
    from pyspark.sql import Window, functions

    chosen, _ = table.chosen([column])
    (stored,) = _types(chosen).values()
    numbers = chosen.select(functions.expr(known_number("c0", stored, na, SPARK)).alias("v")).where("v IS NOT NULL")
    cuts = [place / STRETCHES for place in range(STRETCHES + 1)]
    with asking(table.name):
        about = collected(numbers.agg(functions.percentile_approx("v", cuts).alias("q")))["q"][0].as_py()
        if about is None:
            return []
        # Beyond the first and the last edge a band gives the value itself: all of those belong to the stretch at that end.
        starts = sorted({float(value) for value in about})
        stretch = functions.lit(0)
        for start in starts[1:]:
            stretch = stretch + (functions.col("v") >= functions.lit(start)).cast("int")
        values = numbers.groupBy("v").count().withColumn("stretch", stretch)
        held = collected(values.groupBy("stretch").agg(functions.sum("count").alias("n")).orderBy("stretch"))
        places, reached = to_numpy(held["stretch"]), np.cumsum(to_numpy(held["n"]).astype(np.int64))
        ranks = np.array([max(1, math.ceil(share * int(reached[-1]))) for share in shares])
        where = np.searchsorted(reached, ranks)
        within = ranks - np.concatenate([[0], reached[:-1]])[where]
        rows = [(i, int(place), int(rank)) for i, (place, rank) in enumerate(zip(places[where], within, strict=True))]
        wanted = table.session.createDataFrame(rows, "i INT, stretch INT, rank BIGINT")
        up_to = functions.sum("count").over(Window.partitionBy("stretch").orderBy("v")).alias("reached")
        placed = values.select("stretch", "v", up_to).join(functions.broadcast(wanted), "stretch")
        found = collected(placed.where("reached >= rank").groupBy("i").agg(functions.min("v").alias("v")).orderBy("i"))
    return [float(value) for value in found["v"].to_pylist()]


def _named(columns: Mapping[str, Any]) -> list[Any]:
    return [column.alias(name) for name, column in columns.items()]


def _types(frame: Any) -> dict[str, str]:
    """How a frame stores its columns, as DuckDB calls it."""
    types = {name: str(kind).upper() for name, kind in frame.dtypes}
    return {name: _STORED.get(kind, kind) for name, kind in types.items()}


def _moment(column: str, stored: str) -> str:
    """A moment without a zone, but of UTC, so that no clock of the session's is put forward or back."""
    if stored == "TIMESTAMP WITH TIME ZONE":
        return column
    if stored == "VARCHAR":
        return f"CASE WHEN {column} LIKE '____-__-__%' THEN TRY_CAST({column} AS TIMESTAMP_NTZ) END"
    return f"CAST({column} AS TIMESTAMP_NTZ)" if stored in ("DATE", "TIMESTAMP") else "CAST(NULL AS TIMESTAMP_NTZ)"


def _period(moment: str, stored: str, unit: str) -> str:
    """When a period begins, cut without a clock: Spark's own date_trunc goes by the session's, which jumps twice a year."""
    zoned = stored == "TIMESTAMP WITH TIME ZONE"
    micros = f"unix_micros({moment})"
    if unit == "hour":
        if zoned:
            return f"timestamp_micros({micros} - pmod({micros}, {_DAY // 24}))"
        return f"CAST(CAST({moment} AS DATE) AS TIMESTAMP_NTZ) + make_dt_interval(0, hour({moment}), 0, 0)"
    number = f"CAST(({micros} - pmod({micros}, {_DAY})) DIV {_DAY} AS INT)"
    day = f"date_from_unix_date({number})" if zoned else f"CAST({moment} AS DATE)"
    first = day if unit == "day" else f"trunc({day}, '{unit}')"
    return (
        f"timestamp_seconds(CAST(unix_date({first}) AS BIGINT) * {_DAY // 1_000_000})"
        if zoned
        else f"CAST({first} AS TIMESTAMP_NTZ)"
    )


SPARK = Dialect(
    matches=lambda column, expression: f"{column} RLIKE '^(?:{expression})$'", moment=_moment, period=_period
)
