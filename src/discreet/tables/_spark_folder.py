"""A release as Parquet files that a cluster writes: into a folder beside its place first, which is then renamed.

Spark leaves half a folder behind when a job fails. Nothing of ours has its final name before all of it is written, read
back and compared; what is left of a failed job is removed, or, where the driver died itself, begins with a dot and "_".
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import IntArray
from discreet.errors import InputError, TableError
from discreet.tables._arrow import from_values
from discreet.tables._paths import PARQUET
from discreet.tables._spark import SparkTable
from discreet.tables._spark_asking import asking

if TYPE_CHECKING:
    import pyarrow as pa

ONE = 1 << 18
"""Rows that one line of what the driver sends becomes: a common row is many lines, so that many workers write it."""

FILE = 1 << 22
"""Rows of a file, about."""

TIMES = "__discreet_times"

PATIENCE = 15.0
"""Seconds that tasks of a failed job are given to end: those of somebody else may go on for hours."""


@dataclass(frozen=True)
class SparkFolder:
    """A folder on any file system that Spark knows."""

    spark: Any = field(repr=False)
    path: str

    @classmethod
    def of(cls, table: SparkTable, path: str | Path, *, force: bool) -> SparkFolder:
        """The folder to write to, checked before any work is done: not there yet, not the original, in a folder that exists."""
        folder = cls(table.session, str(path))
        if PurePosixPath(folder.path).suffix.lower() not in ("", *PARQUET):
            raise InputError(f"{path}: Spark writes a folder of Parquet files: end its name in .parquet")
        if getattr(folder.spark, "_jvm", None) is None:
            raise InputError(
                f"{path} cannot be put in its place by Spark Connect, which renames nothing: release without a file, and "
                "write the DataFrame that comes back"
            )
        with asking(folder.path):
            there = folder.exists()
            home = folder._files.exists(folder._place.getParent()) if folder._place.getParent() is not None else True
        if there and not force:
            raise InputError(f"{path} exists already: use --force to replace it, or name another folder")
        if not home:
            raise InputError(f"there is no folder to write {path} into")
        if there and table.is_path and folder._same(table.where):
            raise InputError(f"{path} is the original table: name another folder to write to")
        return folder

    def __str__(self) -> str:
        return self.path

    @property
    def _place(self) -> Any:
        return self.at(self.path)

    @property
    def _files(self) -> Any:
        return self._place.getFileSystem(self.spark._jsc.hadoopConfiguration())

    def at(self, path: str) -> Any:
        """A path as Hadoop has it, absolute."""
        fs = self.spark._jvm.org.apache.hadoop.fs
        is_url = re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", path)
        plain = fs.Path(path if is_url else str(Path(path).absolute()))
        return plain.getFileSystem(self.spark._jsc.hadoopConfiguration()).makeQualified(plain)

    def _same(self, original: str) -> bool:
        mine, other = str(self._place), str(self.at(original))
        return mine == other or other.startswith(f"{mine}/") or mine.startswith(f"{other}/")

    def exists(self) -> bool:
        """Whether something has this name."""
        return bool(self._files.exists(self._place))

    def unlink(self, *, missing_ok: bool = True) -> None:
        """Remove it, with all that is in it."""
        self._files.delete(self._place, True)

    @contextmanager
    def replacing(self) -> Iterator[str]:
        """A folder beside it that takes its place when all went well, and vanishes when it did not."""
        place, files = self._place, self._files
        hadoop = self.spark._jvm.org.apache.hadoop.fs
        # Engines take no notice of files and folders that begin with a dot or an underscore.
        beside, old = (
            hadoop.Path(place.getParent(), f"._{place.getName()}.{uuid.uuid4().hex}{end}") for end in ("", ".old")
        )
        try:
            yield str(beside)
            if files.exists(place) and not files.rename(place, old):
                raise TableError(f"{self.path} cannot be replaced: the file system refuses to rename it")
            if not files.rename(beside, place):
                files.rename(old, place)
                raise TableError(f"{self.path} cannot be written: the file system refuses to rename a folder")
            files.delete(old, True)
        except BaseException:
            self._swept(beside)
            raise

    def _swept(self, beside: Any) -> None:
        """Remove what a failed job left, and again while its tasks come to an end: one that writes makes its folder anew."""
        until = time.monotonic() + PATIENCE
        while True:
            at_work = any(each.numRunningTasks() for each in self.spark._jsc.sc().statusTracker().getExecutorInfos())
            self._files.delete(beside, True)
            if not at_work or time.monotonic() > until:
                return
            time.sleep(0.1)

    def write(
        self, columns: Mapping[str, Sequence[Any]], counts: IntArray, *, check: Callable[[SparkTable], None]
    ) -> None:
        """Write a table that has row i of the columns `counts[i]` times; `check` reads it before it takes its place."""
        with self.replacing() as beside:
            with asking(self.path):
                repeated(self.spark, columns, counts).write.parquet(beside)
            check(SparkTable(self.path, given=self.spark.read.parquet(beside)))


def repeated(spark: Any, columns: Mapping[str, Sequence[Any]], counts: IntArray) -> Any:
    """A DataFrame that has row i of the columns `counts[i]` times, made on the workers from one line or a few."""
    lines = np.maximum(1, -(-counts // ONE))
    index = np.repeat(np.arange(len(counts)), lines)
    turn = np.arange(len(index)) - np.repeat(np.cumsum(lines) - lines, lines)
    times = np.minimum(ONE, counts[index] - turn * ONE)
    keys = [f"c{i}" for i in range(len(columns))]
    sent = _sent(dict(zip(keys, columns.values(), strict=True)), index, times)
    parts = max(1, -(-int(counts.sum()) // FILE))
    return times_over(spark.createDataFrame(sent).repartition(parts), keys, TIMES).toDF(*columns)


def times_over(frame: Any, columns: Sequence[str], times: str) -> Any:
    """These columns of a frame, every row as often as its column `times` says; a common row in several goes."""
    from pyspark.sql import functions

    count, zero = functions.col(times), functions.lit(0)
    turns = functions.explode(functions.sequence(zero.cast("long"), functions.floor((count - 1) / ONE))).alias("turn")
    left = functions.least(functions.lit(ONE), count - functions.col("turn") * ONE)
    once = functions.explode(functions.sequence(functions.lit(1).cast("long"), left.cast("long"))).alias("turn")
    return frame.select(*columns, times, turns).select(*columns, once).drop("turn")


def _sent(columns: Mapping[str, Sequence[Any]], index: IntArray, times: IntArray) -> pa.Table:
    import pyarrow as pa

    found = {}
    for key, values in columns.items():
        column = from_values(list(values))
        found[key] = (column.cast(pa.string()) if pa.types.is_null(column.type) else column).take(pa.array(index))
    return pa.table({**found, TIMES: pa.array(times, pa.int32())})
