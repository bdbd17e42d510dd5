"""Tables of Spark: a DataFrame, or Parquet and catalogue tables that a cluster reads. Only distinct rows with counts come here.

Columns are asked for by place, under names of ours: any name will do, also one with dots, quotes or another's letters in
other case. Values travel as Arrow and are made canonical by the same rules as those of every other engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from discreet._typing import IntArray, Limits
from discreet.errors import InputError, TableError
from discreet.tables import _spark_bands
from discreet.tables._arrow import to_numpy
from discreet.tables._paths import KNOWN, PARQUET
from discreet.tables._protocol import COUNT, check_columns
from discreet.tables._spark_asking import asking, collected, watched
from discreet.tables._spark_session import session

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.tables._bands import Band


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A DataFrame of Spark, or what a session on `master` reads by the name of a path or of a catalogue table."""

    where: str = "the Spark table"
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict, repr=False)
    given: Any = field(default=None, repr=False)

    @classmethod
    def of(cls, table: object) -> SparkTable | None:
        """One of these, or a DataFrame of PySpark, classic or Connect."""
        if isinstance(table, SparkTable):
            return table
        kinds = (kind for kind in type(table).__mro__ if kind.__module__.startswith("pyspark.sql"))
        return cls(given=table) if any(kind.__name__ == "DataFrame" for kind in kinds) else None

    @property
    def name(self) -> str:
        """The path or the table, as it was given."""
        return self.where

    @property
    def is_path(self) -> bool:
        """Whether it is read from files, and not from the catalogue."""
        path = Path(self.where)
        return self.given is None and ("/" in self.where or path.suffix.lower() in KNOWN or path.exists())

    @cached_property
    def frame(self) -> Any:
        """The DataFrame."""
        if self.given is not None:
            return self.given
        if self.is_path and Path(self.where).suffix.lower() in set(KNOWN) - set(PARQUET):
            raise TableError(
                f"{self.where} is not Parquet: Spark reads Parquet and catalogue tables here, so convert it"
            )
        found = self.session
        with asking(self.name):
            return found.read.parquet(self.address) if self.is_path else found.table(self.where)

    @property
    def session(self) -> Any:
        """The session that reads it."""
        return session(self.master, self.conf) if self.given is None else self.given.sparkSession

    @property
    def address(self) -> str:
        """The path as Spark is told it: Java does not know where Python went."""
        here = Path(self.where)
        return str(here.absolute()) if here.exists() else self.where

    def columns(self) -> list[str]:
        """Its columns, without running anything on the cluster."""
        return list(self.frame.columns)

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """Grouped by the cluster."""
        _without_limit(memory_limit)
        chosen, keys = self.chosen(columns)
        with asking(self.name), watched(chosen, progress):
            grouped = collected(chosen.groupBy(*keys).count().toDF(*keys, COUNT))
        return [grouped[key] for key in keys], to_numpy(grouped[COUNT]).astype(np.int64)

    def group_by_band(
        self, columns: Sequence[str], bands: Mapping[str, Band], na: Iterable[str], **limits: Unpack[Limits]
    ) -> tuple[list[Any], IntArray, dict[str, IntArray]]:
        """The same with some columns made coarser first; and of each of them, how many rows have no value of its kind."""
        _without_limit(limits.get("memory_limit"))
        return _spark_bands.group_by_band(self, columns, bands, na, progress=limits.get("progress"))

    def quantiles(
        self, column: str, shares: Sequence[float], na: Iterable[str], **limits: Unpack[Limits]
    ) -> list[float]:
        """Of a column's numbers, the least that so large a share of the records reaches."""
        _without_limit(limits.get("memory_limit"))
        return _spark_bands.quantiles(self, column, shares, na)

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """Row by row, in the order that the cluster gives them."""
        chosen, keys = self.chosen(columns)
        with asking(self.name):
            found = collected(chosen if most is None else chosen.limit(most))
        return [found[key] for key in keys]

    def files(self) -> list[str]:
        """None that a release could replace: it is written to a folder of its own, which is checked against the table."""
        return []

    def chosen(self, columns: Sequence[str]) -> tuple[Any, list[str]]:
        """The named columns as a frame, and what they are called there: c0, c1, …"""
        frame = self.frame
        known = list(frame.columns)
        check_columns(columns, known, self.name)
        if self.is_path:
            self._check_schemas(columns)
        keys = [f"c{i}" for i in range(len(columns))]
        by_place = frame.toDF(*(f"p{i}" for i in range(len(known))))
        places = [f"p{known.index(name)}" for name in columns]
        return by_place.select(*places).toDF(*keys), keys

    @cached_property
    def _schemas(self) -> list[dict[str, str]]:
        """How every file stores its columns, where there are several."""
        paths = self.frame.inputFiles()
        if len(paths) < 2 or getattr(self.session, "_jvm", None) is None:  # Spark Connect has no such reader
            return []
        with asking(self.name):
            return [_stored(self.session, path) for path in paths]

    def _check_schemas(self, columns: Sequence[str]) -> None:
        """Refuse files that store a column in different types, or not at all: Spark would take the first one's, and nulls.

        The footers are read by Spark's own reader, so that this holds on every file system that it knows.
        """
        schemas = self._schemas
        for name in columns:
            kinds = {schema.get(name) for schema in schemas}
            if len(kinds) > 1:
                lacking = " or lack it" if None in kinds else ""
                raise TableError(
                    f"{self.where}: its files store column {name!r} in different types{lacking}: write them with the same "
                    "schema"
                )


def _without_limit(memory_limit: str | None) -> None:
    if memory_limit is not None:
        raise TableError("Spark's memory is its own: leave the limit out, or say --conf spark.executor.memory=4g")


def named_on_spark(name: str, path: str, *, master: str | None, conf: Sequence[str]) -> SparkTable:
    """What a session on `master` reads by this name: a table of its catalogue, or the files at `path`.

    Settings are texts such as "spark.executor.memory=8g".
    """
    settings = {}
    for text in conf:
        key, mark, value = text.partition("=")
        if not mark or not key.startswith("spark."):
            raise InputError(f"--conf {text!r} does not read as spark.KEY=VALUE, such as spark.executor.memory=8g")
        settings[key] = value
    named = SparkTable(name, master, settings)
    return SparkTable(path, master, settings) if named.is_path else named


def _stored(spark: Any, path: str) -> dict[str, str]:
    """The columns of one Parquet file, with how they are stored."""
    hadoop, parquet = spark._jvm.org.apache.hadoop.fs, spark._jvm.org.apache.parquet.hadoop
    source = parquet.util.HadoopInputFile.fromPath(
        hadoop.Path(spark._jvm.java.net.URI(path)), spark._jsc.hadoopConfiguration()
    )
    reader = parquet.ParquetFileReader.open(source)
    try:
        schema = reader.getFileMetaData().getSchema()
        return {str(each.getName()): str(each.toString()) for each in schema.getFields()}
    finally:
        reader.close()
