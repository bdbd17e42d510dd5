"""--time-limit on every command that has it: odd ones are one line, tiny ones a sound result, and nothing ignores it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.cli import main
from discreet.search import frontier

RELEASE = "--out r.csv --policy r.json --force"
COMMANDS = {
    "frontier": "frontier people.csv -s ill -p age",
    "frontier of counts": "frontier people.csv -s ill -p age --leakage I --soft",
    "frontier of a table": "frontier people.csv -s ill -p age,town -r k>=2 --against n=2,5",
    "release": f"release people.csv -s ill -p age --max-leakage 1 {RELEASE}",
    "release with rows withheld": f"release people.csv -s ill -p age --max-leakage 1 --suppress 9 {RELEASE}",
    "release of a table": f"release people.csv -s ill -p age,town -r n>=5 {RELEASE}",
    "disclose": "disclose people.csv --samples town --latent ill --out r.csv --mapping r.json --force",
}


@pytest.fixture(autouse=True)
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    with Path("people.csv").open("w", newline="") as file:
        rows = zip(
            rng.integers(18, 60, 120), rng.choice(list("ABCDE"), 120), rng.choice(list("uvwxy"), 120), strict=True
        )
        csv.writer(file).writerows([("age", "town", "ill"), *rows])


def run(command: str, *more: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), *more])
    return int(ended.value.code or 0)


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "lots"])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_odd_limit_is_refused_in_one_line_that_repeats_it(
    command: str, limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(COMMANDS[command], "--time-limit", limit) == 2
    out, said = capsys.readouterr()
    assert not out
    assert len(said.splitlines()) == 1
    assert limit in said
    assert not Path("r.csv").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_tiny_limit_is_a_sound_result(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(COMMANDS[command], "--time-limit", "0.001") == 0
    assert "brings nothing" not in capsys.readouterr().out
    if command.startswith("release"):
        assert run("verify r.csv --policy r.json --original people.csv") == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", [name for name in COMMANDS if "soft" not in COMMANDS[name]])
def test_a_limit_that_never_comes_ends_when_nothing_is_found(command: str) -> None:
    assert run(COMMANDS[command], "--time-limit", "inf") == 0


def test_soft_policies_keep_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, Any]] = []
    soften = dc.Frontier.soften

    def noted(self: dc.Frontier, **options: Any) -> Any:
        given.append(options)
        return soften(self, **options)

    monkeypatch.setattr(dc.Frontier, "soften", noted)
    assert run(COMMANDS["frontier of counts"], "--time-limit", "0.2") == 0
    assert given[0]["time_limit"] == 0.2


def test_where_no_limit_was_given_a_search_before_withholding_ends_as_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def noted(joint: dc.Joint, **options: Any) -> dc.Frontier:
        given.append(options["time_limit"])
        return frontier(joint, **options)

    monkeypatch.setattr("discreet.recipe._running.frontier", noted)
    assert run(COMMANDS["release with rows withheld"]) == 0
    assert run(COMMANDS["release with rows withheld"], "--time-limit", "5") == 0
    assert given == [None, pytest.approx(3.0)]
