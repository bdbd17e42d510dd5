"""The verdict comes first: who is exposed in records, the worst groups, what to do next; the measures after it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.auditing._verdict import MAIN, headline, next_step
from tests.processes import said


def exposed() -> dict[str, list[Any]]:
    """Seven alone, one group of three, one of ten."""
    return {
        "age": [*range(20, 27), *[30] * 3, *[40] * 10],
        "sex": ["F", "M"] * 3 + ["F"] + ["M"] * 13,
        "illness": ["flu", "cold", "gout", "cough"] * 5,
    }


def safe() -> dict[str, list[Any]]:
    return {"age": [30] * 20 + [40] * 20, "illness": ["flu", "cold", "gout", "cough"] * 10}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path, table = tmp_path / "people.csv", exposed()
    rows = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
    path.write_text("\n".join([",".join(table), *rows]) + "\n")
    return path


def in_order(text: str, *words: str) -> bool:
    for each in words:
        _, found, text = text.partition(each)
        if not found:
            return False
    return True


def test_the_first_screen_is_the_verdict(capsys: Any, people: Path) -> None:
    code, out, _ = said(capsys, "audit", str(people), "-s", "illness", "-p", "age,sex", "-r", "I<=1.9")
    assert code == 0
    first = "10 of 20 records are in groups smaller than 5, 7 of them alone with their age and sex. For 7"
    assert " ".join(out.split()).startswith(first)
    assert in_order(
        out, "require I <= 1.9: met", "uniques", "in groups smaller than 3", "in groups smaller than 5", "smaller than 10",
        "prosecutor's risk", "Worst groups", "What to do next", "discreet release", "Main measures", "L0", "Public columns",
    )  # fmt: skip
    assert out[: out.index("discreet release")].count("\n") < 30  # one screen
    assert "Lr" not in out and "more with --all" in out
    everything = said(capsys, "audit", str(people), "-s", "illness", "-p", "age,sex", "--all")[1]
    assert "Lr" in everything and "--all" not in everything


def test_the_command_to_type_next_does_what_it_says(capsys: Any, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("audit", people.name, "-s", "illness", "-p", "age,sex", "--na", "?", "--missing", "drop")
    monkeypatch.chdir(people.parent)
    out = said(capsys, *asked)[1]
    (line,) = [line for line in out.splitlines() if line.startswith("  discreet release")]
    words = shlex.split(line)
    assert "--na" in words and "drop" in words
    code, out, err = said(capsys, *words[1:], "--time-limit", "0.2")
    assert (code, err) == (0, "") and "n>=5 holds in every group" in out
    again = said(capsys, "audit", "released.csv", "-s", "age", "-p", "sex")[1]
    assert "smaller than 5" in again


def test_the_command_names_sheets_and_no_passwords(capsys: Any, tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "p.db") as base:
        base.execute("create table people (age, sex, illness)")
        base.executemany("insert into people values (?, ?, ?)", list(zip(*exposed().values(), strict=True)))
    base.close()
    asked = ("-s", "illness", "-p", "age", "--table", "people")
    out = said(capsys, "audit", f"sqlite:///{tmp_path}/p.db", *asked)[1]
    (line,) = [line for line in out.splitlines() if line.startswith("  discreet release")]
    assert "#people" in shlex.split(line)[2] and "--table" not in line
    hidden = next_step(dc.audit(f"sqlite:///{tmp_path}/p.db#people", "illness", "age"))
    assert "sqlite:///" in hidden.command


def test_pages_and_notebooks_have_the_same_order() -> None:
    audit = dc.audit(exposed(), "illness", ["age", "sex"])
    page = audit.to_html()
    assert in_order(
        page, "10 of 20 records", "uniques", "Worst groups", "What to do next", "Main measures", "All measures"
    )
    shown = audit._repr_html_()
    assert in_order(shown, "10 of 20 records", "uniques", "worst groups", "discreet.generalise(", "<code>L0</code>")
    assert "<code>Lr</code>" not in shown


def test_json_says_it_too() -> None:
    document = json.loads(json.dumps(dc.audit(exposed(), "illness", ["age", "sex"]).to_dict()))
    assert document["verdict"].startswith("10 of 20 records") and document["next"].startswith(
        "discreet release TABLE.csv"
    )


def test_nobody_is_exposed() -> None:
    audit = dc.audit(safe(), "illness", "age")
    assert headline(audit) == (
        "All 40 records share their age with at least 19 others. "
        "No record's illness is certain from age; at worst 4 values are left, and one value has 25.0% of a group."
    )
    step = next_step(audit, table="people.csv")
    assert (
        step.command == 'discreet audit people.csv --public age --sensitive illness --require "n>=20" --require "k>=4"'
    )
    assert all(finding.met for finding in audit.check(["n>=20", "k>=4"]))


def test_names_are_quoted_for_the_shell() -> None:
    table = {"a,b": [1, 2, 3], "it's": ["x", "y", "z"], "s": ["u", "v", "u"]}
    step = next_step(dc.audit(table, "s", ["a,b", "it's"]), table="my people.csv")
    words = shlex.split(step.command)
    assert words[2:7] == ["my people.csv", "--public", "a,b", "--public", "it's"]


def test_what_somebody_knows_already_is_released_coarser_too() -> None:
    table = {**exposed(), "town": ["A", "B"] * 10}
    step = next_step(dc.audit(table, "illness", "age", "town"))
    assert "--public age,town" in step.command


def test_main_measures_are_known() -> None:
    assert set(MAIN) - {"L0|A", "I*,A"} <= set(dc.measures.REGISTRY)
