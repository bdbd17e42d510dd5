"""Lists of columns as they are typed: a blank name is never taken for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import said


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "people.csv"
    path.write_text("illness,town,age\nflu,North,30\ncold,South,40\nflu,South,50\ncold,North,60\n")
    return path


@pytest.mark.parametrize("names", ["town,", ",town", "town,,age", "town, ,age", "", " ", ","])
@pytest.mark.parametrize(
    "command",
    [
        ("audit", "people.csv", "--sensitive", "illness", "--public"),
        ("audit", "people.csv", "--public", "town", "--sensitive"),
        ("audit", "people.csv", "--sensitive", "illness", "--public", "town", "--side"),
        ("frontier", "people.csv", "--sensitive", "illness", "--public"),
        ("release", "people.csv", "--require", "n>=2", "--out", "r.csv", "--policy", "p.json", "--public"),
        ("release", "people.csv", "-p", "town", "-r", "n>=2", "--out", "r.csv", "--policy", "p.json", "--keep"),
        ("disclose", "people.csv", "--out", "y.csv", "--mapping", "m.json", "--samples"),
    ],
)
def test_a_blank_name_is_refused(
    people: Path, command: tuple[str, ...], names: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, errors = said(capsys, *command, names)
    assert (code, out) == (2, "")
    assert "blank" in errors
    assert [path.name for path in people.parent.iterdir()] == ["people.csv"]


def test_a_column_whose_name_is_blank_can_be_named(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people.write_text("illness,,a\nflu,North,1\ncold,South,2\nflu,South,3\n")
    code, _, errors = said(capsys, "audit", "people.csv", "--sensitive", "illness", "--public", "")
    assert (code, errors) == (0, "")
