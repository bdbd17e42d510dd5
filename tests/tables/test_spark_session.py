"""What is said where there is no cluster, no Java or no PySpark; nothing here starts one."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from discreet.errors import TableError
from discreet.tables._spark_session import check_java
from tests.processes import run

ASKED = ("audit", "people.parquet", "-s", "wage", "-p", "age", "--engine", "spark")


def test_a_master_that_does_not_answer() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]  # nobody listens
        done = run(*ASKED, "--master", f"spark://127.0.0.1:{port}")
    assert done.returncode == 2
    assert done.stderr == (
        f"discreet: the Spark master spark://127.0.0.1:{port} does not answer: is it up, and is its port open from here?\n"
    )
    assert run(*ASKED, "--master", f"sc://127.0.0.1:{port}").returncode == 2


def test_an_address_that_is_none() -> None:
    done = run(*ASKED, "--master", "spark://nowhere")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is not the address of a Spark master" in done.stderr


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    done = run(*ASKED, "--master", "local[1]")
    assert done.returncode == 2
    assert done.stderr == 'discreet: this needs pyspark, which is not installed: pip install "discreet[spark]"\n'


def test_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(TableError, match="Spark needs Java 17 or newer, and there is none here"):
        check_java()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--engine", "spark", "--conf", "spark.executor.memory"), "does not read as spark.KEY=VALUE"),
        (("--master", "local[1]"), "--master and --conf are Spark's: say --engine spark"),
    ],
)
def test_options_that_do_not_fit(options: tuple[str, ...], words: str) -> None:
    for command in (("audit", "people.parquet"), ("release", "people.parquet", "--out", "r.parquet", "--policy", "p")):
        done = run(*command, "-s", "wage", "-p", "age", *options)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert words in done.stderr
