"""The frame: verdicts follow from what is computed, and the command tells them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

import discreet_papers as papers
from discreet import cli
from discreet.errors import InputError, TableError
from discreet_papers.claims import Outcome, Paper, Study, matches, misprint, not_checkable, refuted


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (matches("1", True, True), "matches"),
        (matches("1", True, False), "mismatch"),
        (matches("1"), "mismatch"),  # nothing was checked
        (misprint("2 is meant", printed=False, corrected=True), "misprint"),
        (misprint("2 is meant", printed=True, corrected=True), "mismatch"),
        (misprint("2 is meant", printed=False, corrected=False), "mismatch"),
        (refuted("x = 3", counterexample=True), "refuted"),
        (refuted("x = 3", counterexample=False), "mismatch"),
        (not_checkable("the figure is lost"), "not checkable"),
    ],
)
def test_a_verdict_follows_from_what_is_computed(outcome: Outcome, verdict: str) -> None:
    assert outcome.verdict == verdict


def small() -> Paper:
    """A paper with one claim that holds, one about data, and figures of both kinds."""
    from discreet.report import figure

    paper = Paper("XX", "A paper")

    @paper.claim("Lemma 1", "two is two")
    def two(study: Study) -> Outcome:
        return matches("2", study.once(lambda _: 2) == 2)

    @paper.claim("Table I", "293 rows")
    def rows(study: Study) -> Outcome:
        return matches("293", len(study.hungarian["age"]) == 293)

    @paper.figure("fig1", "A line")
    def line(study: Study) -> object:
        drawing, axes = figure()
        axes.plot([0, 1])
        return drawing

    @paper.figure("fig2", "Ages")
    def ages(study: Study) -> object:
        drawing, axes = figure()
        axes.plot(study.hungarian["age"])
        return drawing

    return paper


@pytest.fixture
def only_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Paper:
    """`small` instead of the papers, and no data anywhere."""
    made = small()
    module = ModuleType("discreet_papers.xx")
    module.PAPER = made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "discreet_papers.xx", module)
    monkeypatch.setattr(papers, "TAGS", ("XX",))
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "no-cache"))
    return made


def test_what_needs_absent_data_is_not_checkable_and_not_drawn(only_small: Paper, tmp_path: Path) -> None:
    done = papers.reproduce(["XX"], out=tmp_path / "figures")
    assert [row.verdict for row in done.rows] == ["matches", "not checkable"]
    assert "hungarian" in done.rows[1].computed
    assert done.figures == (str(tmp_path / "figures" / "XX-fig1.svg"),)
    assert (tmp_path / "figures" / "XX-fig1.svg").read_text().startswith("<?xml")
    assert done.counts()["XX"] == {"matches": 1, "misprint": 0, "refuted": 0, "not checkable": 1, "mismatch": 0}
    assert not done.mismatches


def test_a_folder_without_the_data_is_told(only_small: Paper, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"processed\.hungarian\.data"):
        papers.reproduce(["XX"], data=tmp_path)


def test_a_shared_computation_runs_once() -> None:
    study, calls = Study(), []

    def compute(given: Study) -> int:
        calls.append(given)
        return 7

    assert [study.once(compute), study.once(compute)] == [7, 7]
    assert calls == [study]


def test_progress_tells_where_it_is(only_small: Paper) -> None:
    seen: list[tuple[str, float | None]] = []
    papers.reproduce(["XX"], progress=lambda what, share: seen.append((what, share)))
    assert seen == [("XX Lemma 1", 0.0), ("XX Table I", 0.5)]


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and stdout of `discreet reproduce`."""
    done = CliRunner().invoke(cli.group, ["reproduce", *arguments], standalone_mode=False)
    if done.exception:
        raise done.exception
    return int(done.return_value), done.stdout


def test_the_command_prints_one_json_document(only_small: Paper) -> None:
    code, text = run("--json")
    rows = json.loads(text)
    assert code == 0
    assert [sorted(row) for row in rows] == [["claim", "computed", "paper", "verdict", "where"]] * 2
    assert rows[0] == {
        "paper": "XX",
        "where": "Lemma 1",
        "claim": "two is two",
        "computed": "2",
        "verdict": "matches",
    }


def test_the_command_prints_a_table_and_counts(only_small: Paper, tmp_path: Path) -> None:
    code, text = run("xx", "--out", str(tmp_path))
    assert code == 0
    assert "two is two" in text
    assert "XX: 1 matches, 1 not checkable" in text
    assert "XX-fig1.svg" in text.replace("\n", "")


def test_without_the_papers_it_says_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    with pytest.raises(SystemExit) as left:
        cli.main(["reproduce", "all"])
    assert left.value.code == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and 'pip install "discreet[papers]"' in told


def test_a_mismatch_is_exit_code_1(only_small: Paper) -> None:
    only_small.claim("Lemma 2", "one is two")(lambda _: matches("1", False))
    assert run("all", "--json")[0] == 1


def test_an_unknown_paper_and_a_bad_folder_are_told_in_one_line(only_small: Paper, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no paper 'YY'"):
        run("YY")
    target = tmp_path / "file"
    target.write_text("")
    with pytest.raises(InputError, match="figures cannot be written to"):
        run("XX", "--out", str(target))
