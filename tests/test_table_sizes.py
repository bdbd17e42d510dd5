"""Whole tables at the size people have: 200,000 rows, wide, skewed, all safe and all unsafe; and a real interrupt."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.datasets import registry
from tests.processes import PATIENT, run
from tests.test_sizes import KINDS, ROWS


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(KINDS))
def test_release_report_verify_apply_and_audit(kind: str, tmp_path: Path) -> None:
    table = str(tmp_path / "people.parquet")
    pq.write_table(pa.table(KINDS[kind](np.random.default_rng(0))), table)
    public = "age" if kind == "all_safe" else "age,town"  # its town is the same everywhere
    types = [word for name in public.split(",") for word in ("--type", f"{name}=number")]
    done = run(
        "release", table, "-s", "illness", "-p", public, *types, "-r", "n>=5", "-r", "k>=2", "--time-limit", "2",
        "--out", "out.parquet", "--policy", "policy.json", "--public-policy", "cells.json", "--report", "report.html",
        "--keep", "illness", "--suppress", "200", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["rows"] + found["suppressed"] == ROWS
    assert found["n"] >= 5 and found["k"] >= 2
    assert 0 <= (found["bound"] or 0) <= found["loss"] < 0.05
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    for arguments in (
        ("verify", "out.parquet", "--policy", "policy.json", "--original", table),
        ("verify", "out.parquet", "--policy", "cells.json"),
        ("apply", "policy.json", table, "--out", "again.parquet"),
        ("audit", table, "-s", "illness", "-p", public),
    ):
        shown = run(*arguments, cwd=tmp_path)
        assert (shown.returncode, shown.stderr) == (0, ""), arguments
    assert pq.read_metadata(tmp_path / "again.parquet").num_rows == found["rows"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupt_keeps_the_best_so_far(tmp_path: Path) -> None:
    table = registry(3_000, seed=5)
    pq.write_table(pa.table(table), tmp_path / "people.parquet")
    command = [
        sys.executable, "-u", "-c", STARTED, "release", "people.parquet", "-s", "diagnosis", "-p", "age,sex,occupation",
        "-r", "n>=5", "--time-limit", "600", "--keep", "diagnosis", "--out", "out.csv", "--policy", "policy.json",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if "improving" in line:
                break
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, rest = process.communicate(timeout=PATIENT)
    finally:
        process.kill()
    assert process.returncode == 0, rest
    assert "interrupted: this is the best release found until then" in out
    policy = dc.Policy.load(tmp_path / "policy.json")
    assert policy.verify(tmp_path / "out.csv", tmp_path / "people.parquet").ok


STARTED = """
import sys
from contextlib import contextmanager
import discreet.cli.release as release

@contextmanager
def progress(title, plan=""):
    yield lambda stage, share: print(stage, file=sys.stderr, flush=True)

release.progress = progress
from discreet.cli import main
main()
"""
