"""An audit on a cluster of two workers on loopback, against the group-by that one would write by hand in Spark SQL.

Both sides read the same Parquet files in the same session, in turn; seconds are by the clock, and CPU seconds are those of
all processes: driver, its Java machine, and the workers with their executors; the verdict goes by these. Needs pyspark and
Java. Whole tables: the loss of parts that workers grouped, against that of one machine.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from common import megabytes, seconds, start, table, verdict

TIMES = 1.2  # what an audit may take, in group-bys
LOSS = 1.05  # what parts may lose, in losses of one machine


def bench(options: argparse.Namespace) -> None:
    """Both figures, on one cluster."""
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        print("left out: it needs pyspark and Java")
        return
    from tests.cluster import cluster_at

    with tempfile.TemporaryDirectory() as folder, cluster_at(Path(folder)) as cluster:
        path = Path(folder) / "people.parquet"
        rows = 1_000_000 if options.quick else options.rows
        _write(path, rows)
        _audit(cluster, path, rows, 1 if options.quick else 3)
        _whole(cluster, Path(folder), 3_000 if options.quick else 30_000, 5.0 if options.quick else 60.0)


def _write(path: Path, rows: int) -> None:
    """100 sensitive values, 5,000 letters, as eight files."""
    import duckdb

    path.mkdir()
    for part in range(8):
        duckdb.sql(
            f"COPY (SELECT (hash(range) % 100)::INT AS s, (hash(range * 7 + 1) % 5000)::INT AS x "
            f"FROM range({part * rows // 8}, {(part + 1) * rows // 8})) TO '{path}/{part}.parquet'"
        )


def _audit(cluster: Any, path: Path, rows: int, times: int) -> None:
    from discreet import audit
    from discreet.tables._spark import SparkTable

    spark = cluster.spark
    spark.read.parquet(str(path)).createOrReplaceTempView("people")
    sides: dict[str, Callable[[], object]] = {
        "Spark SQL, by hand": lambda: spark.sql("SELECT s, x, count(*) FROM people GROUP BY s, x").toArrow(),
        "discreet audit": lambda: audit(SparkTable(str(path)), "s", "x"),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for side in sides.values():
        side()  # what compiles, does so now
    for _ in range(times):
        for name, side in sides.items():
            began, cpu = time.perf_counter(), _cpu(cluster)
            side()
            found[name].append((time.perf_counter() - began, _cpu(cluster) - cpu))
    best = {name: (min(wall for wall, _ in costs), min(cpu for _, cpu in costs)) for name, costs in found.items()}
    hand, ours = best.values()
    memory = megabytes(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 20))
    table(
        f"{rows:,} rows, 5,000 letters, 100 sensitive values; two workers of one core and 600 MB, on {os.cpu_count()} cores "
        f"with {memory}; best of {times}",
        ["", "wall", "CPU"],
        [[name, seconds(wall), seconds(cpu)] for name, (wall, cpu) in best.items()],
    )
    print(
        f"  wall {ours[0] / hand[0]:.2f}×, CPU {ours[1] / hand[1]:.2f}×, asked {TIMES}×: {verdict(ours[0] <= TIMES * hand[0])}"
    )


def _cpu(cluster: Any) -> float:
    """CPU seconds of this process, what it started, and the workers with what they started."""
    parents, spent = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            spent[int(entry.name)] = sum(map(int, fields[11:15]))
    roots = {os.getpid(), *(worker.pid for worker in cluster.workers)}

    def ours(pid: int) -> bool:
        while pid in parents:
            if pid in roots:
                return True
            pid = parents[pid]
        return False

    return sum(ticks for pid, ticks in spent.items() if ours(pid)) / os.sysconf("SC_CLK_TCK")


def _whole(cluster: Any, folder: Path, rows: int, limit: float) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from discreet import datasets
    from discreet.search.tables import generalise, release_on_cluster

    public, sensitive, require = ("age", "sex", "postcode", "occupation"), ("diagnosis",), ("n>=5", "k>=3")
    pq.write_table(pa.table(datasets.registry(rows)), folder / "registry.parquet")
    types = {"postcode": "code"}
    frame = cluster.spark.read.parquet(str(folder / "registry.parquet"))
    began = time.perf_counter()
    written: dict[str, Any] = {"out": folder / "released.parquet", "policy": folder / "policy"}
    parts = release_on_cluster(frame, public, sensitive, require, types, time_limit=limit, part=rows // 6, **written)
    taken = time.perf_counter() - began
    began = time.perf_counter()
    one = generalise(folder / "registry.parquet", public, sensitive, require, types, time_limit=limit)
    rows_of = [
        [f"two workers, {parts.parts} parts", f"{parts.loss:.4f}", f"{parts.bound:.4f}", seconds(taken)],
        ["one machine", f"{one.loss:.4f}", f"{one.bound or 0:.4f}", seconds(time.perf_counter() - began)],
    ]
    table(f"{rows:,} records, n>=5 and k>=3, {limit:.0f} s of search", ["", "loss", "proven", "wall"], rows_of)
    print(
        f"  {parts.loss / one.loss:.3f}× the loss of one machine, asked {LOSS}: {verdict(parts.loss <= LOSS * one.loss)}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    start(bench, {}, parser)
