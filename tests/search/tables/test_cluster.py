"""Whole tables on a real cluster: parts grouped by workers, a bound for all of them, and everything recounted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet import datasets
from discreet.auditing._group_requirements import findings, parse_all
from discreet.auditing._risk import Risk
from discreet.columns import Hierarchy
from discreet.errors import ColumnError, InputError, RequirementError
from discreet.release._cluster_applying import apply_on_cluster
from discreet.release._cluster_policy import ClusterPolicy
from discreet.search.tables import _cluster_release, generalise, release_on_cluster
from discreet.search.tables._cluster import Asked, described
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


def test_a_table_is_read_by_no_more_tasks_than_it_needs(cluster: Cluster, people: Path) -> None:
    """Spark has 200 partitions after a shuffle, and a worker starts a Python for each of them at every pass."""
    frame = cluster.spark.read.parquet(str(people))
    asked = Asked(PUBLIC, SENSITIVE, (), parse_all(REQUIRE, SENSITIVE), {})
    before = cluster.spark.conf.get("spark.sql.shuffle.partitions")
    cluster.spark.conf.set("spark.sql.shuffle.partitions", "50")
    try:
        known = described(SparkTable(given=frame), asked)
        assert known.rows.rdd.getNumPartitions() <= cluster.spark.sparkContext.defaultParallelism
        known.held.unpersist()
    finally:
        cluster.spark.conf.set("spark.sql.shuffle.partitions", before)


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
    twice = cluster.spark.read.parquet(str(people))
    some = twice.filter(twice["age"].isNotNull()).limit(7)  # which seven is up to the cluster
    strange = some.withColumn("postcode", some["postcode"].substr(1, 0))
    twice.union(twice).union(strange).write.parquet(str(tmp_path / "new.parquet"))
    apply = ("apply", "policy", "new.parquet", "--keep", "diagnosis", *spark)
    new = run(*apply, "--out", "again.parquet", "--json", cwd=tmp_path)
    assert new.returncode == 0, new.stderr
    told = json.loads(new.stdout)
    assert (told["rows"], told["suppressed"]) == (2 * (ROWS - ROWS // 50), 7)
    assert told["measures"]["n"] >= 10
    again = run(*apply, "--out", "numbers.parquet", "--cells", "codeword", cwd=tmp_path)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "are labels" in again.stderr and not (tmp_path / "numbers.parquet").exists()
    again = run("release", "--recipe", "recipe.toml", "--public-policy", "face.json", "--force", cwd=tmp_path)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "without public-policy: leave that out" in again.stderr


def test_a_promise_that_new_rows_break_releases_nothing(cluster: Cluster, people: Path, tmp_path: Path) -> None:
    frame = cluster.spark.read.parquet(str(people))
    asked: dict[str, Any] = {"types": TYPES, "time_limit": 2.0, "part": ROWS}
    release_on_cluster(frame, PUBLIC[:3], SENSITIVE, out=tmp_path / "all.parquet", policy=tmp_path / "policy", **asked)
    policy = ClusterPolicy.load(SparkTable(str(tmp_path / "policy")))
    with pytest.raises(RequirementError, match=r"promise does not hold for this table: .* break n>=5"):
        apply_on_cluster(policy, frame.limit(ROWS // 3), tmp_path / "few.parquet")
    with pytest.raises(RequirementError, match="with 'admission' kept, the requirement is broken"):
        apply_on_cluster(policy, frame, tmp_path / "few.parquet", keep=["admission"])
    with pytest.raises(ColumnError, match="'age' is a public column"):
        apply_on_cluster(policy, frame, tmp_path / "few.parquet", keep=["age"])
    assert policy.verify(frame.limit(0)).problems == ("the released table has no rows",)
    with pytest.raises(RequirementError, match="no row of this table can be released by this policy"):
        apply_on_cluster(policy, frame.withColumn("postcode", frame["postcode"].substr(1, 0)), tmp_path / "few.parquet")
    with pytest.raises(ColumnError, match=r"no sensitive columns \['diagnosis'\]"):
        apply_on_cluster(policy, frame.drop("diagnosis"), tmp_path / "few.parquet")
    assert parts_of(tmp_path) == ["all.parquet", "policy"]


MODELS = ("n>=5", "t<=0.45", "t_ord<=0.3", "t_hier<=0.4", "l_ent>=2.5", "c_3<=2", "alpha<=0.6", "Lr<=4")


@pytest.fixture
def scattered(cluster: Cluster) -> Iterator[None]:
    """Several workers have groups of their own, however few rows there are."""
    wanted = {"spark.sql.adaptive.coalescePartitions.enabled": "false", "spark.sql.shuffle.partitions": "5"}
    before = {name: cluster.spark.conf.get(name) for name in wanted}
    for name, value in wanted.items():
        cluster.spark.conf.set(name, value)
    yield
    for name, value in before.items():
        cluster.spark.conf.set(name, value)


@pytest.fixture(scope="module")
def chapters() -> Hierarchy:
    """Diagnoses in three chapters."""
    names = sorted(set(map(str, datasets.registry(ROWS)["diagnosis"])))
    return Hierarchy({name: (name, f"chapter {i % 3}", "any") for i, name in enumerate(names)})


@pytest.mark.usefixtures("scattered")
def test_every_requirement_is_searched_and_recounted_as_on_one_machine(
    cluster: Cluster, people: Path, chapters: Hierarchy, tmp_path: Path
) -> None:
    from pyspark.sql.functions import lit

    frame = cluster.spark.read.parquet(str(people))
    asked = {**ASKED, "hierarchies": {"diagnosis": chapters}, "missing": "drop", "time_limit": 3.0}
    done = release_on_cluster(
        frame, PUBLIC, SENSITIVE, MODELS, **asked, out=tmp_path / "released.parquet", policy=tmp_path / "policy",
        report=tmp_path / "report.html", purpose="a test",
    )  # fmt: skip
    assert done.parts > 1
    assert done.loss < 0.9  # one group would meet every requirement
    here = dc.Joint.from_table(tmp_path / "released.parquet", "diagnosis", list(PUBLIC))
    same = findings(parse_all(MODELS, SENSITIVE, {"diagnosis": chapters}), here)
    assert [each.met for each in same] == [True] * len(MODELS)
    assert [replace(each, worst=0.0) for each in done.findings] == [replace(each, worst=0.0) for each in same]
    # Sums over groups that stand beside each other are rounded, so that the last bits depend on which do.
    assert [each.worst for each in done.findings] == pytest.approx([each.worst for each in same], rel=1e-9)
    before = dc.Joint.from_table(people, "diagnosis", list(PUBLIC), missing="drop")
    for found, records in ((done.people.before.risk, before.records), (done.people.after.risk, here.records)):
        risk = Risk.of(records)
        assert (found.marketer, found.expected) == pytest.approx((risk.marketer, risk.expected))
        assert replace(found, marketer=risk.marketer, expected=risk.expected) == risk
    page = (tmp_path / "report.html").read_text()
    assert "a test" in page and "t_hier&lt;=0.4" in page and "chapter" not in page
    policy = ClusterPolicy.load(SparkTable(str(tmp_path / "policy")))
    released = cluster.spark.read.parquet(str(tmp_path / "released.parquet"))
    checked = policy.verify(released, frame)
    assert checked.ok, checked.problems
    assert "t_hier<=0.4" in " ".join(checked.checked)
    spoilt = released.withColumn("diagnosis", lit(str(here.s[0])))
    assert "break" in " ".join(policy.verify(spoilt).problems)


def test_what_cannot_hold_writes_nothing(cluster: Cluster, people: Path, tmp_path: Path) -> None:
    frame = cluster.spark.read.parquet(str(people))
    wanted: dict[str, Any] = {"out": tmp_path / "released.parquet", "policy": tmp_path / "policy"}
    with pytest.raises(InputError, match="has 30 different values in the whole table"):
        release_on_cluster(frame, PUBLIC, SENSITIVE, "k>=31", TYPES, **wanted)
    with pytest.raises(InputError, match="t_hier needs the hierarchy of 'diagnosis'"):
        release_on_cluster(frame, PUBLIC, SENSITIVE, "t_hier<=0.1", TYPES, **wanted)
    with pytest.raises(InputError, match=r"there is no folder .*none to write report.html into"):
        release_on_cluster(frame, PUBLIC, SENSITIVE, report=tmp_path / "none" / "report.html", **wanted)
    with pytest.raises(RequirementError, match="with 'admission' kept, the requirement is broken"):
        release_on_cluster(frame, ("age", "sex"), SENSITIVE, keep=["admission"], time_limit=2.0, **wanted)
    with pytest.raises(ColumnError, match="'age' is a public column: it is released coarsened"):
        release_on_cluster(frame, PUBLIC, SENSITIVE, keep=["age"], **wanted)
    with pytest.raises(ColumnError, match="'sex' is both sensitive and public"):
        release_on_cluster(frame, PUBLIC, "sex", **wanted)
    with pytest.raises(InputError, match="only a table of Spark"):
        release_on_cluster(people, PUBLIC, **wanted)
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_refuses_the_columns_that_one_machine_refuses(cluster: Cluster, tmp_path: Path) -> None:
    visits = {name: values * 4 for name, values in datasets.registry(200).items()}  # everybody comes four times
    visits["bin"] = [i * 37 % 997 for i in range(200)] * 4
    visits["contact"] = [f"p{i}@post.example" for i in range(200)] * 4
    visits["bill"] = [i * 7.01 for i in range(800)]
    frame = cluster.spark.createDataFrame(pa.table(visits))
    wanted: dict[str, Any] = {"types": TYPES, "time_limit": 1.0, "policy": tmp_path / "policy"}
    refused = {
        "bin": "'bin' links records: 200 of its 200 values belong to one combination of public values each",
        "contact": r"'contact' identifies people \(mail addresses\)",
        "bill": "'bill' is different in every row: round it",
    }
    with pytest.raises(ColumnError, match=r"public column 'contact' names people \(mail addresses\)"):
        release_on_cluster(frame, ("postcode", "contact"), SENSITIVE, out=tmp_path / "out", **wanted)
    for name, why in refused.items():
        with pytest.raises(ColumnError, match=why):
            release_on_cluster(frame, PUBLIC[:3], SENSITIVE, keep=[name], out=tmp_path / "out", **wanted)
    assert list(tmp_path.iterdir()) == []
    done = release_on_cluster(frame, PUBLIC[:3], SENSITIVE, keep_anyway="bill", out=tmp_path / "out", **wanted)
    assert done.broken_by_keep[0] == "bill is different in every row"
    policy = ClusterPolicy.load(SparkTable(str(tmp_path / "policy")))
    for name, why in refused.items():
        with pytest.raises(ColumnError, match=why):
            apply_on_cluster(policy, frame, tmp_path / "again", keep=[name])
    assert apply_on_cluster(policy, frame, tmp_path / "again", keep_anyway=["bill"]).rows == 800
