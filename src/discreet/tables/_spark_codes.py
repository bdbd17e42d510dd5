"""Values on a cluster made equal and numbered: by the labels that the driver gives to the different values of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import BoolArray, IntArray
from discreet.tables._arrow import to_numpy
from discreet.tables._columns import encode_column
from discreet.tables._spark_asking import collected

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.tables._labels import Alphabet

Batches = Iterator["pa.RecordBatch"]
Work = Callable[[Batches], Batches]
"""What a worker does with the record batches of a partition."""


@dataclass(frozen=True, eq=False)
class Numbering:
    """The code of every value of a column that occurs, by the value as Spark sends it; −1: its rows are left out."""

    values: Any  # an Arrow array
    codes: IntArray

    def of(self, column: pa.Array) -> IntArray:
        """The codes of a column."""
        import pyarrow.compute as pc

        place = pc.index_in(column, value_set=self.values.cast(column.type))
        return np.asarray(self.codes[to_numpy(place).astype(np.int64)])


def numbered(numberings: Mapping[str, Numbering], names: Mapping[str, str]) -> Work:
    """Add a column `names[key]` of codes for each `key`; rows with a value that is left out go."""

    def work(batches: Batches) -> Batches:
        import pyarrow as pa

        for batch in batches:
            table = pa.Table.from_batches([batch])
            stays = np.ones(len(batch), dtype=bool)
            for key, numbering in numberings.items():
                codes = numbering.of(batch.column(key))
                stays &= codes >= 0
                table = table.append_column(names[key], pa.array(codes, pa.int64()))
            yield from table.filter(pa.array(stays)).to_batches()

    return work


def tidy(frame: Any) -> Any:
    """The frame with NaN as missing and −0.0 as 0.0, so that equal values are equal wherever they are compared."""
    from pyspark.sql import functions

    columns = []
    for field in frame.schema.fields:
        column, kind = functions.col(field.name), field.dataType.typeName()
        if kind in ("double", "float"):
            zero = functions.lit(0.0).cast(kind)
            column = functions.when(functions.isnan(column), None).when(column == zero, zero).otherwise(column)
        columns.append(column.alias(field.name))
    return frame.select(*columns)


def is_lost(alphabet: Alphabet, codes: IntArray) -> BoolArray:
    """Which entries are missing; None is always the last label."""
    last = len(alphabet) - 1
    is_there = last >= 0 and alphabet.label(last) is None
    return np.asarray(codes == last) if is_there else np.zeros(len(codes), dtype=bool)


def present(frame: Any, keys: Sequence[str], na: Sequence[str] = ()) -> Any:
    """The rows that have a value in each of these columns."""
    from pyspark.sql import types

    gone, schema = {}, types.StructType(list(frame.schema.fields))
    for key in keys:
        seen = collected(frame.select(key).distinct())[key]
        lost = is_lost(*encode_column(seen, frozenset(na)))
        if lost.any():
            gone[key] = Numbering(seen.combine_chunks(), np.where(lost, -1, 0))
            schema = schema.add(f"{key}_code", types.LongType())
    if not gone:
        return frame
    names = {key: f"{key}_code" for key in gone}
    return frame.mapInArrow(numbered(gone, names), schema).drop(*names.values())


def labelled(
    frame: Any, keys: Sequence[str], na: Sequence[str] = (), count: str | None = None
) -> tuple[Any, dict[str, tuple[Alphabet, IntArray]]]:
    """The frame with a column of codes in place of each of these, and the labels of each with their records.

    Texts that are one number, such as 1 and 1.0, are one label and get one code. `count` says how often a row occurs.
    """
    from pyspark.sql import types

    found, numberings, schema = {}, {}, types.StructType(list(frame.schema.fields))
    for key in keys:
        seen = collected(frame.groupBy(key).agg(amount(count).alias("times")))
        alphabet, codes = encode_column(seen[key], frozenset(na))
        records = np.bincount(codes, seen["times"].to_numpy().astype(np.int64), len(alphabet)).astype(np.int64)
        found[key], numberings[key] = (alphabet, records), Numbering(seen[key].combine_chunks(), codes)
        schema = schema.add(f"{key}_code", types.LongType())
    if not keys:
        return frame, {}
    coded = frame.mapInArrow(numbered(numberings, {key: f"{key}_code" for key in keys}), schema).drop(*keys)
    return coded.withColumnsRenamed({f"{key}_code": key for key in keys}), found


def amount(count: str | None) -> Any:
    """How many rows, where `count` says how often each occurs."""
    from pyspark.sql import functions

    return functions.sum(count) if count else functions.count(functions.lit(1))
