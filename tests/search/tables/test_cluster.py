"""Whole tables on a real cluster: parts grouped by workers, a bound for all of them, and everything recounted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import datasets
from discreet.errors import ColumnError, InputError, RequirementError
from discreet.release._cluster_policy import ClusterPolicy
from discreet.search.tables import _cluster_release, generalise, release_on_cluster
from discreet.tables._spark import SparkTable
from tests.cluster import Cluster, parts_of
from tests.processes import run

pytestmark = pytest.mark.spark

ROWS, LIMIT, PART = 6_000, 8.0, 3_500
PUBLIC, SENSITIVE = ("age", "sex", "postcode", "occupation"), ("diagnosis",)
REQUIRE = ("n>=5", "k>=3")
TYPES = {"postcode": "code"}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry with missing ages, as seven files."""
    table = pa.table(datasets.registry(ROWS))
    ages = pa.array([None if i % 50 == 0 else age for i, age in enumerate(table["age"].to_pylist())])
    table = table.set_column(table.column_names.index("age"), "age", ages)
    folder = tmp_path_factory.mktemp("people") / "people.parquet"
    folder.mkdir()
    for i in range(7):
        pq.write_table(table.take(pa.array(range(i, ROWS, 7))), folder / f"{i}.parquet")
    return folder


ASKED: dict[str, Any] = {"types": TYPES, "time_limit": LIMIT, "keep": ("diagnosis",), "part": PART}


def test_parts_lose_little_and_everything_is_recounted(cluster: Cluster, people: Path, tmp_path: Path) -> None:
    frame = cluster.spark.read.parquet(str(people))
    done = release_on_cluster(
        frame, PUBLIC, SENSITIVE, REQUIRE, **ASKED, out=tmp_path / "released.parquet", policy=tmp_path / "policy"
    )
    here = generalise(people, PUBLIC, SENSITIVE, REQUIRE, TYPES, time_limit=LIMIT)
    assert done.parts > 1
    assert done.loss <= 1.05 * here.loss
    assert here.bound is not None and 0 < done.bound <= min(done.loss, here.loss)
    assert (done.rows, done.records, done.suppressed, done.dropped) == (ROWS, ROWS, 0, 0)
    assert done.figures["n"] >= 5 and done.figures["k"] >= 3
    assert all(each.met for each in done.findings)
    assert parts_of(tmp_path) == ["policy", "released.parquet"]
    assert len(list(tmp_path.iterdir())) == 2  # nothing is left of the work
    policy = ClusterPolicy.load(SparkTable(str(tmp_path / "policy")))
    released = cluster.spark.read.parquet(str(tmp_path / "released.parquet"))
    checked = policy.verify(released, frame)
    assert checked.ok, checked.problems
    assert "those that the policy makes of the original" in " ".join(checked.checked)
    assert not policy.verify(released.limit(ROWS - 1), frame)
    assert "n>=5" in " ".join(policy.verify(released.dropDuplicates(list(PUBLIC))).problems)
    with pytest.raises(InputError, match="exists already"):
        release_on_cluster(frame, PUBLIC, out=tmp_path / "released.parquet", policy=tmp_path / "other")


def test_commands_release_and_verify_whole_tables(
    cluster: Cluster, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cluster_release, "PART", 1_500)
    (tmp_path / "recipe.toml").write_text(
        f"""require = ["n>=5", "k>=3"]
[data]
table = "{people}"
engine = "spark"
master = "{cluster.url}"
missing = "drop"
[columns]
age = {{role = "public"}}
sex = {{role = "public"}}
postcode = {{role = "public", type = "code"}}
diagnosis = {{role = "sensitive"}}
[search]
time_limit = 2
[output]
table = "released.parquet"
policy = "policy"
keep = ["diagnosis"]
"""
    )
    done = run("release", "--recipe", "recipe.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["dropped"] == ROWS // 50
    assert told["rows"] == ROWS - ROWS // 50
    assert 0 <= told["bound"] <= told["loss"]
    spark = ("--engine", "spark", "--master", cluster.url)
    checked = run("verify", "released.parquet", "--policy", "policy", "--original", str(people), *spark, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    again = run("release", "--recipe", "recipe.toml", "--report", "r.html", "--force", cwd=tmp_path)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "without report: leave that out" in again.stderr


def test_what_cannot_hold_writes_nothing(cluster: Cluster, people: Path, tmp_path: Path) -> None:
    frame = cluster.spark.read.parquet(str(people))
    wanted: dict[str, Any] = {"out": tmp_path / "released.parquet", "policy": tmp_path / "policy"}
    with pytest.raises(InputError, match="has 30 different values in the whole table"):
        release_on_cluster(frame, PUBLIC, SENSITIVE, "k>=31", TYPES, **wanted)
    with pytest.raises(InputError, match=r"may be required to have n, k, L0, not 't<=0.1'"):
        release_on_cluster(frame, PUBLIC, SENSITIVE, "t<=0.1", TYPES, **wanted)
    with pytest.raises(RequirementError, match="with 'admission' kept, the requirement is broken"):
        release_on_cluster(frame, ("age", "sex"), SENSITIVE, keep=["admission"], time_limit=2.0, **wanted)
    with pytest.raises(ColumnError, match="'age' is a public column: it is released coarsened"):
        release_on_cluster(frame, PUBLIC, SENSITIVE, keep=["age"], **wanted)
    with pytest.raises(ColumnError, match="'sex' is both sensitive and public"):
        release_on_cluster(frame, PUBLIC, "sex", **wanted)
    with pytest.raises(InputError, match="only a table of Spark"):
        release_on_cluster(people, PUBLIC, **wanted)
    assert list(tmp_path.iterdir()) == []
