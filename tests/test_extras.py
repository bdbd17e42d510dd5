"""What `pip install discreet` can do by itself, and what is said where an extra is missing."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from discreet.datasets import registry
from discreet.tables._writing import write_rows
from tests.processes import said

ROOT = Path(__file__).resolve().parent.parent
OPTIONAL = (  # without hypothesis, which the tests need themselves
    "matplotlib",
    "highspy",
    "sklearn",
    "sqlalchemy",
    "psycopg",
    "fastapi",
    "uvicorn",
    "pydantic",
    "sqlglot",
    "pyreadstat",
    "pyreadr",
    "pyspark",
    "grpc",
)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, where nothing optional can be imported."""
    write_rows(tmp_path / "people.csv", registry(200))
    monkeypatch.chdir(tmp_path)
    for name in OPTIONAL:
        monkeypatch.setitem(sys.modules, name, None)
    return tmp_path


ROLES = ("-p", "age,sex", "-s", "diagnosis")
FILES = ("--out", "released.csv", "--policy", "policy.json")
WHOLE = ("--require", "n>=5", "--time-limit", "0.2")


@pytest.mark.slow
def test_the_main_job_needs_no_extra(capsys: Any, bare: Path) -> None:
    for asked in (
        ("audit", "people.csv", *ROLES),
        ("init", "people.csv"),
        ("release", "people.csv", *ROLES, *WHOLE, *FILES),
        ("apply", "policy.json", "people.csv", "--out", "again.parquet"),
        ("verify", "released.csv", "--policy", "policy.json", "--original", "people.csv"),
        (
            "release",
            "people.csv",
            "-p",
            "age",
            "-s",
            "sex",
            "--max-leakage",
            "0",
            "--out",
            "a.csv",
            "--policy",
            "a.json",
        ),
        ("frontier", "people.csv", "-p", "age", "-s", "sex"),
    ):
        code, _, err = said(capsys, *asked)
        assert (code, err) == (0, ""), asked


@pytest.mark.parametrize(
    ("extra", "asked"),
    [
        ("plots", ("audit", "people.csv", *ROLES, "--html", "audit.html")),
        ("plots", ("release", "people.csv", *ROLES, *WHOLE, *FILES, "--report", "report.html")),
        ("plots", ("frontier", "people.csv", "-p", "age", "-s", "sex", "--plot", "f.png")),
        (
            "disclose",
            ("disclose", "people.csv", "--samples", "sex,occupation", "--out", "y.csv", "--mapping", "m.json"),
        ),
        ("sklearn", ("release", "people.csv", *ROLES, *WHOLE, *FILES, "--target", "occupation")),
        ("sql", ("audit", "sqlite:///people.db#people", *ROLES)),
        ("agent", ("serve", "agent.toml")),
    ],
)
def test_a_missing_extra_is_named(capsys: Any, bare: Path, extra: str, asked: tuple[str, ...]) -> None:
    before = sorted(bare.iterdir())
    code, out, err = said(capsys, *asked)
    assert (code, out) == (2, "")
    assert f'pip install "discreet[{extra}]"' in err and err.count("\n") == 1
    assert sorted(bare.iterdir()) == before


def test_the_page_lists_every_extra_with_its_cost() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs" / "install.md").read_text()
    rows = dict(re.findall(r"^\| `?([(\w)]+)`? \|.*\| ([0-9]+) \|$", page, flags=re.MULTILINE))
    assert set(rows) == {"(none)", *project["optional-dependencies"]}
    needed = {re.split(r"[<>=\[]", each)[0] for each in project["dependencies"]}
    assert not needed & set(OPTIONAL)
