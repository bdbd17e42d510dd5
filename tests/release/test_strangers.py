"""A released table that holds more than its policy knows: columns that name people, and further sheets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from tests.processes import said

ROWS = 60
TABLE: dict[str, list[Any]] = {
    "age": [20 + i % 30 for i in range(ROWS)],
    "ward": [f"ward {i % 4}" for i in range(ROWS)],
    "illness": ["flu", "cold", "gout"] * (ROWS // 3),
}
MAIL = [f"anna.{'lang' if i % 2 else 'kurz'}{i // 2}@example.org" for i in range(ROWS)]


@pytest.fixture
def released(tmp_path: Path) -> tuple[dict[str, list[Any]], Path]:
    done = dc.generalise(TABLE, ["age"], ["illness"], ["n>=5", "k>=2"], time_limit=0.2)
    done.policy.save(tmp_path / "policy.json")
    rows: Any = done.release(keep=["illness"], keep_anyway=["ward"])
    return {name: list(rows[name]) for name in rows}, tmp_path / "policy.json"


def write(table: dict[str, list[Any]], path: Path) -> Path:
    lines = [",".join(table), *(",".join(f'"{value}"' for value in row) for row in zip(*table.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_what_was_kept_still_fits(released: tuple[dict[str, list[Any]], Path]) -> None:
    assert dc.Policy.load(released[1]).verify(released[0])


def test_a_column_that_names_people_is_a_problem(
    released: tuple[dict[str, list[Any]], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, policy = released
    file = str(write({**table, "contact": MAIL}, tmp_path / "more.csv"))
    code, out, _ = said(capsys, "verify", file, "--policy", str(policy))
    assert code == 1
    assert "problem: column 'contact' is none of the policy's, and names people" in out
    assert "example.org" not in out
    assert said(capsys, "verify", file, "--policy", str(policy), "--keep", "contact")[0] == 0
    numbered = {**table, "patient_no": [f"P{i // 2:04}" for i in range(ROWS)]}
    assert not dc.Policy.load(policy).verify(numbered)


@pytest.mark.parametrize("state", ["visible", "hidden", "veryHidden"])
def test_a_further_sheet_is_a_problem(released: tuple[dict[str, list[Any]], Path], tmp_path: Path, state: str) -> None:
    import openpyxl

    table, policy = released
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in (list(table), *zip(*table.values(), strict=True)):
        sheet.append(row)
    book.save(tmp_path / "one.xlsx")
    assert dc.Policy.load(policy).verify(str(tmp_path / "one.xlsx"))
    raw: Any = book.create_sheet("raw")
    raw.sheet_state = state
    raw.append(["age"])
    book.save(tmp_path / "two.xlsx")
    found = dc.Policy.load(policy).verify(str(tmp_path / "two.xlsx"))
    hidden = "" if state == "visible" else " (hidden)"
    assert found.problems == (f"the workbook has another sheet, 'raw'{hidden}",)
