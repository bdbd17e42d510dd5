"""Spark on a real cluster of two workers: the same answer to the last bit as one machine, whatever happens to a worker."""

from __future__ import annotations

import datetime as dt
import json
import signal
import subprocess
import sys
import threading
import time
import zoneinfo
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import Joint, Policy, audit, frontier
from discreet.errors import ColumnError, InputError
from discreet.tables._spark import SparkTable
from discreet.tables._spark_folder import SparkFolder
from tests.cluster import Cluster, parts_of
from tests.processes import run

pytestmark = pytest.mark.spark

ROWS = 3_000
ROLES = ("-s", "wage", "-p", "age")


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Skewed keys, nulls beside NaN, both zeros, decimals, moments in a zone and without, numbers as text, odd names."""
    rng = np.random.default_rng(17)
    skewed = np.minimum(rng.zipf(1.3, ROWS), 40)
    noon = dt.datetime(2024, 3, 31, 1, 30, tzinfo=dt.UTC)  # clocks are put forward in the night
    moments = [noon + dt.timedelta(minutes=30 * int(step)) for step in rng.integers(0, 6, ROWS)]
    floats = rng.choice([0.0, -0.0, 0.1, float("nan"), float("inf"), 2.0**53], ROWS).tolist()
    table = pa.table(
        {
            "wage": pa.array(skewed.tolist(), pa.int16()),
            "age": pa.array([None if age > 60 else int(age) for age in rng.integers(20, 64, ROWS)], pa.int32()),
            "float": pa.array([None if i % 7 == 0 else value for i, value in enumerate(floats)], pa.float64()),
            "short": pa.array(rng.choice([0.1, 0.2, 3.0], ROWS), pa.float32()),
            "price": pa.array(
                [Decimal(int(cents)) / 100 for cents in rng.integers(0, 400, ROWS)], pa.decimal128(12, 2)
            ),
            "zoned": pa.array(moments, pa.timestamp("us", "Europe/Berlin")),
            "plain": pa.array([moment.replace(tzinfo=None) for moment in moments], pa.timestamp("us")),
            "day": pa.array([moment.date() for moment in moments], pa.date32()),
            "text": pa.array(rng.choice(["1", "1.0", "2", "10"], ROWS).tolist()),
            "code": pa.array(rng.choice(["01", "1", "", "ä"], ROWS).tolist()),
            "yes.no `?`": pa.array(rng.choice([True, False], ROWS)),
        }
    )
    path = tmp_path_factory.mktemp("nasty") / "people.parquet"
    pq.write_table(table, path, row_group_size=500)
    return path


COLUMNS = ["age", "float", "short", "price", "zoned", "plain", "day", "text", "code", "yes.no `?`"]


def test_every_type_is_labelled_as_by_one_machine(cluster: Cluster, nasty: Path) -> None:
    frame = cluster.spark.read.parquet(str(nasty))
    for names in (COLUMNS[:5], COLUMNS[5:]):  # each with its own skewed counts
        here, there = Joint.from_table(nasty, "wage", names), Joint.from_table(frame, "wage", names)
        assert here == there
        assert [list(map(type, label)) for label in here.x] == [list(map(type, label)) for label in there.x]
    zone = zoneinfo.ZoneInfo("Asia/Tokyo")
    assert all(label.astimezone(zone).tzinfo is zone for label in Joint.from_table(frame, "wage", "zoned").x)


BANDS = [
    {"age": 7, "price": "number:0.3", "float": 3, "text": "number:4"},
    {"short": "quantiles:2", "price": "quantiles:9", "code": "code:1"},
    {"zoned": "hour", "plain": "hour", "day": "week"},
    {"zoned": "day", "plain": "month", "day": "year"},
    {"zoned": "quarter", "plain": "week"},
]


@pytest.mark.parametrize("bands", BANDS, ids=str)
def test_workers_make_the_bands_of_one_machine(cluster: Cluster, nasty: Path, bands: dict[str, Any]) -> None:
    cluster.spark.conf.set("spark.sql.session.timeZone", "America/New_York")  # its clocks jump, and UTC's do not
    try:
        frame = cluster.spark.read.parquet(str(nasty)).repartition(7)
        here, there = (
            Joint.from_table(table, "wage", list(bands), coarsen=bands, na=["", "10"]) for table in (nasty, frame)
        )
    finally:
        cluster.spark.conf.unset("spark.sql.session.timeZone")
    assert here == there
    assert here.bands == there.bands
    assert [list(map(type, label)) for label in here.x] == [list(map(type, label)) for label in there.x]


def test_bands_of_the_cluster_refuse_as_one_machine_does(cluster: Cluster, nasty: Path) -> None:
    frame = cluster.spark.read.parquet(str(nasty))
    for bands in ({"code": "number:5"}, {"yes.no `?`": 2}, {"price": "month"}, {"code": "quantiles:4"}):
        told = []
        for table in (nasty, frame):
            with pytest.raises(ColumnError) as refused:
                Joint.from_table(table, "wage", list(bands), coarsen=bands)
            told.append(str(refused.value))
        assert told[0] == told[1]


def test_a_value_of_its_own_in_every_row_is_released_by_bands(cluster: Cluster, tmp_path: Path) -> None:
    spark = cluster.spark
    frame = spark.range(300_000, numPartitions=4).selectExpr("id DIV 3000 % 2 AS s", "id + 0.25 AS cost")
    policy = frontier(Joint.from_table(frame, "s", "cost", coarsen={"cost": 1000})).at(min_utility=-10_000)
    out = policy.release(frame, out=tmp_path / "released.parquet")
    released = spark.read.parquet(out)
    assert released.count() == 300_000
    assert 1 < released.select("cost").distinct().count() < 300
    assert policy.verify(released, frame)


@pytest.mark.parametrize("parts", [7, 200])
def test_partitions_change_nothing(cluster: Cluster, nasty: Path, parts: int) -> None:
    frame = cluster.spark.read.parquet(str(nasty)).repartition(parts, "wage")  # most rows in one of them
    here = audit(nasty, "wage", ["age", "price"], "text")
    there = audit(frame, "wage", ["age", "price"], "text")
    assert there.values == here.values  # to the last bit
    assert there.joint == here.joint


def test_a_worker_that_dies_in_the_middle_changes_nothing(cluster: Cluster, nasty: Path) -> None:
    spark = cluster.spark

    def slowly(batches: Any) -> Any:
        time.sleep(0.5)
        yield from batches

    read = spark.read.parquet(str(nasty)).select("wage", "age", "price").repartition(16)
    frame = read.mapInArrow(slowly, read.schema)
    tracker, killed = spark.sparkContext.statusTracker(), threading.Event()

    def kill() -> None:
        while not killed.is_set():
            stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
            if any(stage and 2 <= stage.numCompletedTasks < stage.numTasks for stage in stages):
                cluster.kill_worker()
                killed.set()
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        there = Joint.from_table(frame, "wage", ["age", "price"])
    finally:
        was_killed = killed.is_set()
        killed.set()
        killer.join()
        if was_killed:
            cluster.add_worker()
    assert was_killed, "the query was over before a worker could be killed"
    assert there == Joint.from_table(nasty, "wage", ["age", "price"])


def test_an_interrupt_ends_the_work_of_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    cluster.spark.range(30_000_000).selectExpr("hash(id) % 1000 AS s", "hash(id * 7) AS x").write.parquet(
        str(tmp_path / "t.parquet")
    )
    command = ["audit", "t.parquet", "-s", "s", "-p", "x", "--engine", "spark", "--master", cluster.url]
    more = ["--conf", "spark.executor.memory=600m", "--conf", "spark.cores.max=1", "--html", "audit.html"]
    process = subprocess.Popen(
        [sys.executable, "-m", "discreet", *command, *more],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(20)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert errors.endswith("discreet: interrupted\n")
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]
    assert Joint.from_table(cluster.spark.range(9).selectExpr("id AS s", "id AS x"), "s", "x").n_x == 9


def test_python_releases_and_verifies_on_the_cluster(cluster: Cluster, nasty: Path, tmp_path: Path) -> None:
    frame = cluster.spark.read.parquet(str(nasty))
    policy = frontier(Joint.from_table(frame, "wage", "age", missing="drop")).at(max_leakage=2)
    released = policy.release(frame, keep="wage")
    assert type(released).__module__.startswith("pyspark")
    assert policy.verify(released, frame)
    assert policy.verify(released, nasty)  # one machine and the cluster make the same rows
    here = policy.release(nasty, keep="wage")
    assert Joint.from_table(here, "wage", "age") == Joint.from_table(released, "wage", "age")
    out = policy.release(frame, out=tmp_path / "released.parquet", keep="wage")
    assert policy.verify(cluster.spark.read.parquet(out), frame)
    assert parts_of(tmp_path) == ["released.parquet"]
    with pytest.raises(InputError, match="exists already"):
        policy.release(frame, out=out)
    with pytest.raises(InputError, match=r"end its name in \.parquet"):
        policy.release(frame, out=tmp_path / "released.csv")


def test_what_is_common_is_written_by_many(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.tables import _spark_folder

    monkeypatch.setattr(_spark_folder, "ONE", 10)
    monkeypatch.setattr(_spark_folder, "FILE", 20)
    made = _spark_folder.repeated(cluster.spark, {"a": ["x", None], "b": [None, None]}, np.array([95, 3]))
    found = {(row["a"], row["b"]): row["count"] for row in made.groupBy("a", "b").count().collect()}
    assert found == {("x", None): 95, (None, None): 3}
    assert made.rdd.getNumPartitions() == 5


def test_a_job_that_fails_leaves_nothing_that_looks_finished(cluster: Cluster, tmp_path: Path) -> None:
    frame = cluster.spark.range(100).repartition(4)

    def failing(beside: str) -> Any:
        def fails(batches: Any) -> Any:
            for i, batch in enumerate(batches):
                if i == 0 and batch.column(0)[0].as_py() % 2:
                    raise ValueError("half of the tasks fail")
                time.sleep(1.5)  # the others still write when the job has failed already
                late = Path(beside.removeprefix("file:")) / "late"
                late.parent.mkdir(exist_ok=True)
                late.touch()
                yield batch

        return frame.mapInArrow(fails, frame.schema)

    folder = SparkFolder.of(SparkTable(given=frame), tmp_path / "released.parquet", force=False)
    with pytest.raises(Exception, match="tasks fail"), folder.replacing() as beside:
        failing(beside).write.parquet(beside)
    assert list(tmp_path.iterdir()) == []
    with folder.replacing() as beside:
        frame.write.parquet(beside)
    with pytest.raises(Exception, match="tasks fail"), folder.replacing() as beside:  # what was there stays
        failing(beside).write.parquet(beside)
    assert cluster.spark.read.parquet(str(folder)).count() == 100
    assert parts_of(tmp_path) == ["released.parquet"]
    assert [path.name for path in tmp_path.iterdir()] == ["released.parquet"]


def test_commands_run_on_the_cluster(cluster: Cluster, nasty: Path, tmp_path: Path) -> None:
    where = (str(nasty), *ROLES, "--missing", "drop")
    spark = ("--engine", "spark", "--master", cluster.url)
    here, there = (json.loads(run("audit", *where, "--json", *more).stdout) for more in ((), spark))
    assert here | {"source": ""} == there | {"source": ""}
    points = [json.loads(run("frontier", *where, "--json", *more).stdout)["points"] for more in ((), spark)]
    assert points[0] == points[1]
    files = ("--out", "released.parquet", "--policy", "policy.json", "--report", "report.html")
    done = run("release", *where, "--max-leakage", "2", "--keep", "wage", *files, *spark, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "released.parquet").is_dir()
    again = run("apply", "policy.json", str(nasty), "--keep", "wage", "--out", "again.parquet", *spark, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    for released in ("released.parquet", "again.parquet"):
        asked = ("verify", released, "--policy", "policy.json", "--original", str(nasty))
        checked = run(*asked, *spark, cwd=tmp_path)
        assert checked.returncode == 0, checked.stdout + checked.stderr
    assert Policy.load(tmp_path / "policy.json").verify(cluster.spark.read.parquet(str(tmp_path / "again.parquet")))
    refused = run("apply", "policy.json", str(nasty), "--out", str(nasty), "--force", *spark, cwd=tmp_path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "is the original table" in refused.stderr


def test_tables_of_the_catalogue(cluster: Cluster, nasty: Path) -> None:
    cluster.spark.read.parquet(str(nasty)).createOrReplaceTempView("people")
    done = run("audit", "people", *ROLES, "--engine", "spark", "--json")
    assert json.loads(done.stdout)["values"] == audit(nasty, "wage", "age").to_dict()["values"]
    lost = run("audit", "nobody", *ROLES, "--engine", "spark")
    assert lost.returncode == 2
    assert lost.stderr == "discreet: nobody is no table of Spark's catalogue, and no path to Parquet files\n"


def test_bad_tables_are_told_in_one_line(cluster: Cluster, nasty: Path, tmp_path: Path) -> None:
    table = pq.read_table(nasty, columns=["wage", "age"])
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(table, folder / "a.parquet")
    pq.write_table(table.rename_columns(["wage", "years"]), folder / "b.parquet")
    spark = ("--engine", "spark")
    for bad, words in (
        (folder, "store column 'age' in different types or lack it"),
        (tmp_path / "none.parquet", "does not exist"),
        (tmp_path / "people.csv", "is not Parquet"),
    ):
        done = run("audit", str(bad), *ROLES, *spark)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert words in done.stderr
    pq.write_table(pa.table({"wage": table["wage"], "age": table["age"].cast(pa.string())}), folder / "b.parquet")
    done = run("audit", str(folder), *ROLES, *spark)
    assert "in different types: write them" in done.stderr
    (folder / "b.parquet").write_bytes((folder / "a.parquet").read_bytes()[:-5])
    done = run("audit", str(folder), *ROLES, *spark)
    assert (done.returncode, "still being written" in done.stderr) == (2, True)
    with pytest.raises(ColumnError, match="did you mean 'wage'"):
        Joint.from_table(cluster.spark.read.parquet(str(nasty)), "Wage", "age")
    done = run("audit", str(nasty), *ROLES, *spark, "--memory-limit", "1GB")
    assert "Spark's memory is its own" in done.stderr
