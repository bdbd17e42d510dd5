"""discreet attack: an adversary who knows what analysts know. The auditor holds, and a broken ledger is found out."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.agent._config import Config
from discreet.agent._ledger import Analyst
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.queries.auditor._attacks import attacked
from tests.processes import said

CONFIG = """
[datasets.people]
table = "people.csv"
public = ["number"]
person = "id"
smallest_group = 1
[datasets.people.private.height]
lower = 100
upper = 103
keep = 0.3
"""
ANN = Analyst("ann", 1000.0, revoked=False)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("asked")
    rng = np.random.default_rng(3)
    rows = [f"p{i},{i},{100 + rng.integers(7, 22) / 10}" for i in range(16)]
    (tmp_path / "people.csv").write_text("id,number,height\n" + "\n".join(rows) + "\n")
    (tmp_path / "agent.toml").write_text(CONFIG)
    agent = Agent(Config.load(tmp_path / "agent.toml"))
    agent.ledger.add_analyst("ann", 1000)
    rng = np.random.default_rng(8)
    for _ in range(15):
        chosen = ", ".join(map(str, sorted(rng.choice(16, rng.integers(5, 13), replace=False))))
        agent.ask(ANN, question_of(f"SELECT SUM(height) FROM people WHERE number IN ({chosen}) WITH ERROR 0.04"))
    agent.close()
    return tmp_path


@pytest.fixture
def folder(asked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(asked, tmp_path / "copy"))


def run(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    return said(capsys, "attack", str(folder / "ledger.sqlite"), "--config", str(folder / "agent.toml"), *options)


def test_everybody_keeps_what_was_promised(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(folder, capsys)
    assert code == 0 and "height in people: 15 answers, 16 records" in out
    assert "0 have less than the 0.3 that was promised" in out
    found = json.loads(run(folder, capsys, "--json")[1])
    assert found["kept"] and found["findings"][0]["attacked"] == 16
    assert found["findings"][0]["shortest"] >= 0.3 - 1e-6


@pytest.mark.slow
def test_a_report_to_sign(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.html"
    code, out, _ = run(folder, capsys, "--html", str(report))
    page = report.read_text()
    assert code == 0 and f"report written to {report}" in out
    assert "found nobody who is left with less" in page and "signature" in page and "<script" not in page
    values = {line.split(",")[2] for line in (folder / "people.csv").read_text().splitlines()[1:]}
    assert re.search(r"<td>[^<]*p\d+", page) and "height in people" in page and len(values) > 5
    with sqlite3.connect(folder / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE discreet_answers SET high = low")
    ledger.close()
    code, out, _ = run(folder, capsys, "--html", str(report), "--json")
    assert report.read_text() != page and json.loads(out)
    code, _, err = run(folder, capsys, "--html", str(tmp_path / "none" / "report.html"))
    assert code == 2 and "Traceback" not in err


def test_answers_that_tell_too_much_are_found_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As if a careless server had answered: each cell is the true sum to within less than a step."""
    values = dict(line.split(",")[1:] for line in (folder / "people.csv").read_text().splitlines()[1:])
    with sqlite3.connect(folder / "ledger.sqlite") as ledger:
        for number, text in ledger.execute("SELECT number, question FROM discreet_answers").fetchall():
            asked = json.loads(text)["where"]["value"]
            true = sum(float(values[str(each)]) for each in asked)
            ledger.execute(
                "UPDATE discreet_answers SET low = ?, high = ? WHERE number = ?", (true - 0.04, true + 0.04, number)
            )
    ledger.close()
    code, out, _ = run(folder, capsys)
    assert code == 1 and "knowing the steps" in out


def test_what_cannot_be_attacked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, "attack", str(folder / "none.sqlite"), "--config", str(folder / "agent.toml"))
    assert code == 2 and "there is no such ledger" in err
    (folder / "agent.toml").write_text(CONFIG.replace("datasets.people", "datasets.others"))
    code, _, err = run(folder, capsys)
    assert code == 2 and "no answer about data that the configuration names" in err


def test_an_attack_by_hand() -> None:
    """All, and all but one, to within 0.1 each: 0.4 is left of the last, and on a lattice of fifths three values."""
    told: list[Any] = [(np.arange(4), 1.9, 2.1), (np.arange(3), 1.4, 1.6)]
    found = attacked(4, 0, 1, 0, told)
    assert found.intervals[3] == pytest.approx([0.3, 0.7], abs=1e-4)
    assert found.lengths[:3] == pytest.approx(1, abs=1e-4)
    steps = attacked(4, 0, 1, 0.2, told)
    assert steps.intervals[3] == pytest.approx([0.4, 0.6], abs=1e-3)
