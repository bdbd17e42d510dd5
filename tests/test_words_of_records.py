"""Words that are only said where they are true: records are no people unless somebody showed it, and policies are private."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet._registry import registry
from discreet.tables._writing import write_rows
from tests.processes import run

ROOT = Path(__file__).parents[1]
PEOPLE = re.compile(r"\b(people|persons?)\b", re.IGNORECASE)


def stays(rows: int = 488, patients: int = 200) -> dict[str, list[Any]]:
    """Stays of patients, some of whom come six times."""
    made = registry(patients)
    rng = np.random.default_rng(3)
    whose = np.sort(rng.integers(0, patients, rows))
    named = {name: [made[name][i] for i in whose] for name in ("patient", "age", "sex", "postcode")}
    return {**named, "diagnosis": [made["diagnosis"][i] for i in rng.integers(0, patients, rows)]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words")
    write_rows(folder / "stays.csv", stays())
    return folder


ROLES = ("-p", "age,sex,postcode", "-s", "diagnosis", "--type", "postcode=code")
FILES = ("--out", "o.csv", "--policy", "p.json", "--report", "r.html", "--force")
WHOLE = ("release", "stays.csv", *ROLES, "--require", "n>=5", "--keep", "diagnosis", "--time-limit", "1", *FILES)
COLUMN = ("release", "stays.csv", "-p", "age", "-s", "diagnosis", "--max-leakage", "3", *FILES)
AUDIT = ("audit", "stays.csv", "-p", "age,sex,postcode", "-s", "diagnosis", "--special", "--html", "r.html")
WARNED = r"patient has \d+ values in 488 records: a record is not a person; release one record for each patient"


def body(page: str) -> str:
    """What a reader of a page sees."""
    return re.sub(r"<[^>]+>", " ", re.sub(r"<(style|svg|script).*?</\1>", " ", page, flags=re.DOTALL))


@pytest.mark.parametrize("asked", [AUDIT, WHOLE, COLUMN], ids=["audit", "whole", "column"])
def test_outputs_speak_of_records_and_warn_that_they_are_no_people(folder: Path, asked: tuple[str, ...]) -> None:
    done = run(*asked, cwd=folder)
    assert done.returncode == 0, done.stderr
    for text in (" ".join(done.stdout.split()), " ".join(body((folder / "r.html").read_text()).split())):
        assert re.search(WARNED, text), text
        rest = re.sub(WARNED, "", text)
        said = [rest[max(0, m.start() - 60) : m.end() + 20] for m in PEOPLE.finditer(rest)]
        fine = ("other releases of the same people", "about the people in the table", "of a person", "a person's")
        assert not [each for each in said if not any(words in each for words in fine)]


def test_a_release_speaks_of_the_coarse_columns_of_a_row(folder: Path) -> None:
    run(*WHOLE, cwd=folder)
    page = " ".join(body((folder / "r.html").read_text()).split())
    assert re.search(r"The coarse columns of every row are shared by at least \d+ records", page)
    assert "Every released row is shared" not in page


def test_which_row_is_whose_is_hidden_only_where_groups_differ(tmp_path: Path) -> None:
    lines = [f"{20 + i % 10},{'hiv' if i % 10 < 5 else ('flu', 'cold', 'gout')[i % 3]}" for i in range(300)]
    (tmp_path / "t.csv").write_text("\n".join(["age,ill", *lines]) + "\n")
    asked = (
        "release",
        "t.csv",
        "-p",
        "age",
        "-s",
        "ill",
        "--keep",
        "ill",
        "--require",
        "n>=5",
        "--time-limit",
        "1",
        *FILES,
    )
    done = run(*asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "which row is whose" not in done.stdout + (tmp_path / "r.html").read_text()
    line = "ill is published as it is, and all records of a group say the same for 150 of 300 records"
    assert line in done.stdout and line in " ".join((tmp_path / "r.html").read_text().split())
    even = [f"{20 + i % 10},{('flu', 'cold', 'gout')[i % 3]}" for i in range(300)]
    (tmp_path / "t.csv").write_text("\n".join(["age,ill", *even]) + "\n")
    assert "what is hidden is which row is whose" in run(*asked, cwd=tmp_path).stdout


def test_a_table_without_such_signs_has_no_warning(tmp_path: Path) -> None:
    write_rows(tmp_path / "t.csv", registry(200))
    asked = ("release", "t.csv", "-p", "age,sex", "--require", "n>=5", "--time-limit", "1", *FILES)
    assert "not a person" not in run(*asked, cwd=tmp_path).stdout


def test_texts_claim_nothing_that_is_not_true() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (*ROOT.glob("docs/*.md"), ROOT / "README.md")}
    texts |= {
        path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".html")
    }
    for path, text in texts.items():
        plain = " ".join(text.split()).lower()
        for claim in (
            "values, never records",
            "values and never records",
            "row is shared by at least",
            "row is shared by 5 people",
        ):
            assert claim not in plain, f"{path.name}: {claim}"
