"""A policy applied to a table that grew: the difference of both files is whoever is new, so one line says it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.processes import run

LINE = "this may hold the rows that were released before"


def rows(first: int, last: int) -> list[str]:
    rng = np.random.default_rng(4)
    drawn = [(int(a), f"i{b}") for a, b in zip(rng.integers(20, 60, 400), rng.integers(0, 5, 400), strict=True)]
    return [f"{age},{ill}" for age, ill in drawn[first:last]]


def write(path: Path, lines: list[str]) -> str:
    path.write_text("\n".join(["age,ill", *lines]) + "\n")
    return path.name


@pytest.mark.parametrize("kind", ["column", "whole"])
def test_a_table_that_grew_is_told(tmp_path: Path, kind: str) -> None:
    before = write(tmp_path / "before.csv", rows(0, 300))
    how = ("--max-leakage", "1") if kind == "column" else ("--require", "n>=5", "--time-limit", "1")
    done = run("release", before, "-s", "ill", "-p", "age", *how, "--out", "o.csv", "--policy", "p.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    grown = write(tmp_path / "grown.csv", rows(0, 303))
    again = run("apply", "p.json", grown, "--out", "again.csv", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    (line,) = [text for text in again.stdout.splitlines() if LINE in text]
    assert line.startswith("careful: ") and line.endswith("give new rows only")
    told = json.loads(run("apply", "p.json", grown, "--out", "again.csv", "--force", "--json", cwd=tmp_path).stdout)
    assert len(told["notes"]) == 1 and LINE in told["notes"][0]
    fresh = write(tmp_path / "fresh.csv", rows(300, 400))  # fewer rows, and not every age of those before
    new = run("apply", "p.json", fresh, "--out", "new.csv", cwd=tmp_path)
    assert LINE not in new.stdout


def test_fewer_rows_with_all_values_are_no_sign_of_it(tmp_path: Path) -> None:
    many = [f"{age},{ill}" for age in range(20, 30) for ill in ("a", "b", "c") for _ in range(4)]
    once = [f"{age},{ill}" for age in range(20, 30) for ill in ("a", "b", "c")]
    for how in (("--max-leakage", "0.1"), ("--require", "n>=3", "--time-limit", "1")):
        asked = ("-s", "ill", "-p", "age", *how, "--out", "o.csv", "--policy", "p.json", "--force")
        assert run("release", write(tmp_path / "t.csv", many), *asked, cwd=tmp_path).returncode == 0
        done = run("apply", "p.json", write(tmp_path / "u.csv", once), "--out", "n.csv", "--force", cwd=tmp_path)
        assert done.returncode == 0 and LINE not in done.stdout
        assert LINE in run("apply", "p.json", "t.csv", "--out", "n.csv", "--force", cwd=tmp_path).stdout
