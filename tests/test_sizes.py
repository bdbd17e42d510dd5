"""Every command, report and display at the sizes people have: 200,000 rows, wide, skewed, all safe and all unsafe tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.auditing._words import explain
from discreet.measures import REGISTRY
from tests.processes import run

ROWS = 200_000
ILLNESSES = np.array([f"illness {i:02d}" for i in range(40)])


def large(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """A registry: groups of one record and groups of thousands."""
    return {
        "age": np.clip(rng.normal(45, 17, ROWS).round(), 0, 99).astype(int),
        "town": rng.zipf(1.5, ROWS).clip(max=400),
        "illness": ILLNESSES[rng.integers(0, 40, ROWS)],
    }


def wide(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Two columns that together find nearly everybody."""
    return {
        "age": rng.integers(0, 5_000, ROWS),
        "town": rng.integers(0, 5_000, ROWS),
        "illness": ILLNESSES[rng.integers(0, 40, ROWS)],
    }


def skewed(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """One public value and one illness for nearly everybody."""
    rare = rng.random(ROWS) < 0.0005
    return {
        "age": np.where(rare, rng.integers(1, 60, ROWS), 0),
        "town": np.where(rare, rng.integers(1, 9, ROWS), 0),
        "illness": ILLNESSES[np.where(rng.random(ROWS) < 0.001, rng.integers(0, 40, ROWS), 0)],
    }


def all_safe(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The public columns say nothing."""
    public = np.arange(ROWS) // 40 % 5
    return {"age": public, "town": np.zeros(ROWS, dtype=int), "illness": ILLNESSES[np.arange(ROWS) % 40]}


def all_unsafe(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The public columns say everything."""
    illness = rng.integers(0, 40, ROWS)
    return {"age": illness * 2, "town": rng.integers(0, 3, ROWS), "illness": ILLNESSES[illness]}


KINDS: dict[str, Callable[[np.random.Generator], dict[str, np.ndarray]]] = {
    each.__name__: each for each in (large, wide, skewed, all_safe, all_unsafe)
}


@pytest.fixture(scope="module", params=list(KINDS))
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 200,000 rows, as a file."""
    path = tmp_path_factory.mktemp(request.param) / "people.parquet"
    pq.write_table(pa.table(KINDS[request.param](np.random.default_rng(0))), path)
    return path


def test_audit(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    shown = run("audit", str(table), "-s", "illness", "-p", "age,town", "--html", str(page))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"{ROWS:,} rows" in shown.stdout
    assert page.read_text().startswith("<!doctype html>")
    document = json.loads(run("audit", str(table), "-s", "illness", "-p", "age", "--json").stdout)
    assert document["rows"] == ROWS


def test_audit_in_a_notebook(table: Path) -> None:
    found = dc.audit(str(table), sensitive="illness", public="age")
    assert "<table" in found._repr_html_()
    assert "illness" in repr(found)


@pytest.mark.slow
def test_release_report_apply_and_verify(table: Path, tmp_path: Path) -> None:
    out, policy, report = tmp_path / "out.parquet", tmp_path / "policy.json", tmp_path / "report.html"
    asked = ("-s", "illness", "-p", "age")
    released = run(
        "release", str(table), *asked, "--max-leakage", "2", "--out", str(out), "--policy", str(policy),
        "--report", str(report),
    )  # fmt: skip
    assert (released.returncode, released.stderr) == (0, "")
    assert pq.read_metadata(out).num_rows == ROWS
    assert report.read_text().startswith("<!doctype html>")
    again = run("apply", str(policy), str(table), "--out", str(tmp_path / "again.parquet"))
    assert (again.returncode, again.stderr) == (0, "")
    verified = run("verify", str(out), "--policy", str(policy), "--original", str(table))
    assert (verified.returncode, verified.stderr) == (0, "")


@pytest.mark.slow
def test_frontier_and_its_picture(table: Path, tmp_path: Path) -> None:
    picture = tmp_path / "frontier.png"
    done = run("frontier", str(table), "-s", "illness", "-p", "age", "--plot", str(picture))
    assert (done.returncode, done.stderr) == (0, "")
    assert picture.stat().st_size > 1_000


@pytest.mark.parametrize("symbol", [*REGISTRY, "I_2", "IA_2", "L_2", "D_2", "L0|A", "I*,A"])
@pytest.mark.parametrize("value", [0.0, 1.0, 1023.0, 1024.0, 1e9, float("inf")])
def test_every_value_has_a_sentence(symbol: str, value: float) -> None:
    joint = dc.Joint.from_array(np.array([[2_000, 1], [0, 5_000_000]]))
    assert explain(symbol, value, joint)
