"""Asking Spark: what it complains of becomes one line, progress is told, and whoever stops waiting ends the work."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from discreet.errors import DiscreetError, TableError

if TYPE_CHECKING:
    from discreet._typing import Progress

PROBLEMS = {
    "PATH_NOT_FOUND": "does not exist where Spark looks for it",
    "TABLE_OR_VIEW_NOT_FOUND": "is no table of Spark's catalogue, and no path to Parquet files",
    "UNABLE_TO_INFER_SCHEMA": "holds no Parquet files",
    "CANNOT_READ_FILE_FOOTER": "is damaged, still being written, or not Parquet",
    "FAILED_READ_FILE": "has a file that is damaged, still being written, or of another schema than the first",
    "CANNOT_MERGE": "has files with different schemas: write them with the same columns and types",
}
"""What Spark's conditions mean, by how they begin; its own messages quote paths, plans and cells."""


@contextmanager
def calm() -> Iterator[None]:
    """Without what Spark says about newer versions of pandas, which we do not use there."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


@contextmanager
def asking(name: str) -> Iterator[None]:
    """Turn what Spark complains of into one line of our own."""
    try:
        with calm():
            yield
    except KeyboardInterrupt:
        _cancel()
        raise
    except (DiscreetError, MemoryError):
        raise
    except Exception as problem:
        raise TableError(f"{name} {_told(problem)}") from None


def collected(frame: Any) -> Any:
    """A frame as Arrow. It is waited for beside the main thread: Spark waits for its jobs even where nobody else does."""
    found: list[Any] = []

    def collect() -> None:
        try:
            with calm():
                found.append(frame.toArrow())
        except BaseException as problem:
            found.append(problem)

    waiting = threading.Thread(target=collect, daemon=True)
    waiting.start()
    while waiting.is_alive():
        waiting.join(0.5)
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def _cancel() -> None:
    """End what the cluster still does for somebody who no longer waits for it."""
    from pyspark.sql import SparkSession

    context = getattr(SparkSession.getActiveSession(), "_sc", None)
    if context is not None:
        context.cancelAllJobs()


def _told(problem: Exception) -> str:
    condition = getattr(problem, "getCondition", lambda: None)() or ""
    text = f"{condition} {problem}"
    for begins, words in PROBLEMS.items():
        if begins in text:
            return words
    if "is not a Parquet file" in text or "Could not read footer" in text:
        return PROBLEMS["CANNOT_READ_FILE_FOOTER"]
    if "maxResultSize" in text:
        return (
            "has more distinct rows than the driver takes: name fewer or coarser columns, or say "
            "--conf spark.driver.maxResultSize=8g"
        )
    kind = condition or type(problem).__name__
    return f"cannot be read by Spark ({kind}): its log says more; set DISCREET_DEBUG=1 to see it"


@contextmanager
def watched(frame: Any, progress: Progress | None) -> Iterator[None]:
    """While Spark works, say how many of its tasks are done."""
    context = getattr(frame.sparkSession, "_sc", None)
    if progress is None or context is None:
        yield
        return
    tracker, done = context.statusTracker(), threading.Event()

    def report() -> None:
        while not done.wait(0.5):
            stages = [found for each in tracker.getActiveStageIds() if (found := tracker.getStageInfo(each))]
            tasks = sum(stage.numTasks for stage in stages)
            progress(
                "counting on the cluster", sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else None
            )

    watcher = threading.Thread(target=report, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
