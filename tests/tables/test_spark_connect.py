"""Spark Connect: a server of its own, and a process that has no Java."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.errors import TableError
from discreet.tables import _spark_session
from tests.cluster import Cluster, free_port, wait_for_port
from tests.processes import PATIENT

pytestmark = pytest.mark.spark

ASKED = """
import sys
import discreet as dc
from discreet.tables._spark import SparkTable

path, server = sys.argv[1:]
table = SparkTable(path, server)
joint = dc.Joint.from_table(table, "age", "chol")
assert joint == dc.Joint.from_table(path, "age", "chol") == dc.Joint.from_table(table.frame, "age", "chol")
policy = dc.frontier(joint).at(max_leakage=2)
released = policy.release(table)
assert type(released).__module__ == "pyspark.sql.connect.dataframe"
assert policy.verify(released, table)
try:
    policy.release(table, out=path.replace("people", "released"))
except dc.DiscreetError as problem:
    print(problem)
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server."""
    pyspark = pytest.importorskip("pyspark")
    pytest.importorskip("grpc")
    port = free_port()
    settings = {"spark.connect.grpc.binding.port": port, "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": 2}
    command = [
        str(Path(str(pyspark.__file__)).parent / "bin" / "spark-submit"),
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[1]"),
        *(part for key, value in settings.items() for part in ("--conf", f"{key}={value}")),
        "spark-internal",
    ]
    with (tmp_path / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, start_new_session=True, env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
        )
    try:
        wait_for_port(port)
        yield f"sc://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_counting_releasing_and_verifying(server: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pq.write_table(
        pa.table({"age": rng.integers(20, 60, 500), "chol": rng.integers(150, 180, 500)}), tmp_path / "people.parquet"
    )
    nothing = tmp_path / "no-java"
    nothing.mkdir()
    env = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"} | {"PATH": str(nothing)}
    command = [sys.executable, "-c", ASKED, str(tmp_path / "people.parquet"), server]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert "write the DataFrame that comes back" in done.stdout


def test_a_server_that_says_nothing(tmp_path: Path) -> None:
    """In a process of its own: one that has a session already asks nobody."""
    pytest.importorskip("grpc")
    hurried = "from discreet.tables import _spark_session as s; from discreet.cli import main; s.GREETING = 1.0; main()"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"sc://127.0.0.1:{silent.getsockname()[1]}"
        asked = ("audit", "people.parquet", "-s", "wage", "-p", "age", "--engine", "spark", "--master", address)
        command = [sys.executable, "-c", hurried, *asked]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENT, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert f"{address} takes a connection and says nothing" in done.stderr


def test_a_session_on_another_master(cluster: Cluster) -> None:
    assert _spark_session.session(None, {}) is _spark_session.session(cluster.url, {})
    with socket.create_server(("127.0.0.1", 0)) as other:
        for scheme in ("sc", "spark"):
            address = f"{scheme}://127.0.0.1:{other.getsockname()[1]}"
            with pytest.raises(
                TableError, match=f"has a Spark session on {cluster.url} already, and {address} was asked"
            ):
                _spark_session.session(address, {})
