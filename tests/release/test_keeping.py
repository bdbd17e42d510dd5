"""Columns that are kept as they are: who somebody is never, and what breaks the promise only if it is wanted anyway."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import ColumnError, RequirementError
from discreet.release._publishing import ReleaseOptions
from tests.processes import said

PEOPLE = 240
FIRST, LAST = (
    ("Ann", "Bob", "Cem", "Dai", "Eva", "Fay"),
    ("Abt", "Birk", "Cole", "Diaz", "Eng", "Falk", "Gomez", "Hall"),
)


def table() -> dict[str, list[Any]]:
    """Visits of patients: names, mail addresses and numbers of persons all repeat."""
    person = [i * 7 % 80 for i in range(PEOPLE)]
    return {
        "name": [f"{FIRST[i % 6]} {LAST[i // 6 % 8]}" for i in person],
        "mail": [f"p{i}@example.org" for i in person],
        "patient_no": [7000 + 13 * i for i in person],
        "ward_name": [("north", "south")[i % 2] for i in range(PEOPLE)],
        "rare": ["yes" if i == 5 else "no" for i in range(PEOPLE)],
        "age": [20 + i // 12 for i in range(PEOPLE)],
        "illness": [("flu", "cold", "gout", "cough")[i % 4] for i in range(PEOPLE)],
    }


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table())
        writer.writerows(zip(*table().values(), strict=True))
    return path


ONE = ("--max-leakage", "1")
WHOLE = ("--require", "n>=5", "--require", "k>=2", "--time-limit", "0.2")
IDENTIFIERS = ("name", "mail", "patient_no")


def release(capsys: Any, people: Path, *more: str) -> tuple[int, str, str]:
    files = ("--out", str(people.parent / "out.csv"), "--policy", str(people.parent / "policy.json"))
    return said(capsys, "release", str(people), "-s", "illness", "-p", "age", *files, *more)


@pytest.mark.parametrize("column", IDENTIFIERS)
@pytest.mark.parametrize("path", [ONE, WHOLE], ids=["one-column", "whole-table"])
def test_no_command_keeps_who_somebody_is(capsys: Any, people: Path, column: str, path: tuple[str, ...]) -> None:
    code, out, err = release(capsys, people, *path, "--keep", column, "--keep-anyway")
    assert (code, out) == (2, "")
    assert f"column '{column}' identifies people" in err and err.count("\n") == 1
    assert [each.name for each in people.parent.iterdir()] == ["people.csv"]


@pytest.mark.parametrize("column", IDENTIFIERS)
def test_no_policy_keeps_who_somebody_is(column: str) -> None:
    joint = dc.Joint.from_table(table(), "illness", "age")
    for policy in (
        dc.frontier(joint).at(max_leakage=1.0),
        dc.generalise(table(), ["age"], ["illness"], ["n>=5"], time_limit=0.2).policy,
    ):
        for use in (policy.release, policy.apply):
            with pytest.raises(ColumnError, match="identifies people"):
                use(table(), keep=[column], keep_anyway=True)


def test_what_names_no_person_is_kept() -> None:
    policy = dc.frontier(dc.Joint.from_table(table(), "illness", "age")).at(max_leakage=1.0)
    assert set(policy.release(table(), keep="ward_name", keep_anyway=True)["ward_name"]) == {"north", "south"}


@pytest.mark.parametrize("path", [ONE, WHOLE], ids=["one-column", "whole-table"])
def test_keeping_what_breaks_the_promise_must_be_wanted(capsys: Any, people: Path, path: tuple[str, ...]) -> None:
    code, out, err = release(capsys, people, *path, "--keep", "rare")
    assert (code, out) == (1, "")
    assert "with 'rare' kept, the requirement is broken" in err and "--keep-anyway" in err
    assert [each.name for each in people.parent.iterdir()] == ["people.csv"]
    page = people.parent / "report.html"
    code, out, err = release(capsys, people, *path, "--keep", "rare", "--keep-anyway", "--json", "--report", str(page))
    assert (code, err) == (0, "")
    assert json.loads(out)["broken_by_keep"]
    lead = page.read_text().partition('<p class="lead')[2].partition("</p>")[0]
    assert lead.startswith(" bad") and "With the columns kept as they are it is broken" in lead
    again = ("apply", str(people.parent / "policy.json"), str(people), "--out", str(people.parent / "again.csv"))
    assert said(capsys, *again, "--keep", "rare")[0] == 1
    code, out, _ = said(capsys, *again, "--keep", "rare", "--keep-anyway")
    assert code == 0 and out.startswith("careful: with the columns kept, ")


def test_the_first_line_of_a_release_says_what_keeping_broke(capsys: Any, people: Path) -> None:
    code, out, _ = release(capsys, people, *ONE, "--keep", "rare", "--keep-anyway")
    assert code == 0 and out.startswith("careful: with the columns kept, L0 is 2 bits, the policy promises")


def test_python_is_as_careful(tmp_path: Path) -> None:
    frontier = dc.frontier(dc.Joint.from_table(table(), "illness", "age"))
    policy = frontier.at(max_leakage=1.0)
    for use in (policy.release, policy.apply):
        with pytest.raises(RequirementError, match="with 'rare' kept"):
            use(table(), keep="rare")
        assert "rare" in use(table(), keep="rare", keep_anyway=True)
    files: Any = {"out": tmp_path / "out.csv", "policy_file": tmp_path / "policy.json"}
    with pytest.raises(RequirementError, match="with 'rare' kept"):
        dc.publish(table(), frontier, max_leakage=1.0, options=ReleaseOptions(keep=["rare"]), **files)
    assert list(tmp_path.iterdir()) == []
    done = dc.publish(
        table(), frontier, max_leakage=1.0, options=ReleaseOptions(keep=["rare"], keep_anyway=True), **files
    )
    assert done.broken_by_keep and "it is broken" in done._repr_html_()


def test_without_the_sensitive_column_nobody_can_tell() -> None:
    policy = dc.frontier(dc.Joint.from_table(table(), "illness", "age")).at(max_leakage=1.0)
    bare = {name: values for name, values in table().items() if name != "illness"}
    assert list(policy.release(bare)) == ["age"]
    with pytest.raises(RequirementError, match="without 'illness' nobody can tell"):
        policy.release(bare, keep="rare")
