"""Who is found after a release, by sample weights and with his household: recomputed from released rows, and said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import discreet as dc
from discreet.errors import ColumnError, InputError
from discreet.recipe import Recipe
from discreet.release import Policy
from discreet.tables import column_names
from tests.processes import said

WHOLE = ("--public", "age,ward", "--require", "n>=4", "--time-limit", "0.2")
SINGLE = ("--public", "age", "--max-leakage", "1", "--utility", "resolution")
PEOPLE = ("--weights", "weight", "--household", "home")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(11)
    rows = 240
    age, ward = rng.integers(20, 70, rows).tolist(), rng.integers(1, 5, rows).tolist()
    illness = rng.choice(["flu", "cold", "gout"], rows).tolist()
    weight, home = rng.integers(5, 90, rows).tolist(), rng.integers(0, 70, rows).tolist()
    ages = ["" if i % 40 == 0 else str(each) for i, each in enumerate(age)]
    homes = ["" if i % 50 == 0 else str(each) for i, each in enumerate(home)]
    lines = zip(ages, ward, illness, weight, homes, strict=True)
    (tmp_path / "survey.csv").write_text(
        "age,ward,illness,weight,home\n" + "".join(",".join(map(str, line)) + "\n" for line in lines)
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def release(capsys: pytest.CaptureFixture[str], *asked: str) -> tuple[int, str, str]:
    files = ("--out", "out.csv", "--policy", "policy.json")
    return said(capsys, "release", "survey.csv", "--sensitive", "illness", *asked, *files)


def figures(found: dc.Audit) -> dict[str, Any]:
    assert found.household is not None
    return flat({**found.risk.to_dict(), "household": found.household.to_dict()})


def flat(risk: dict[str, Any]) -> dict[str, Any]:
    plain = {key: value for key, value in risk.items() if not isinstance(value, dict)}
    return plain | {f"{key} {name}": value for key in ("below", "household") for name, value in risk[key].items()}


@pytest.mark.parametrize("missing", ["level", "drop"])
@pytest.mark.parametrize("asked", [WHOLE, SINGLE])
def test_the_risk_is_that_of_an_audit_of_the_released_rows(
    asked: tuple[str, ...], missing: Literal["level", "drop"], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = release(capsys, *asked, *PEOPLE, "--missing", missing, "--suppress", "6", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)["risk"]
    policy = Policy.load(folder / "policy.json")
    public = list(policy.public)
    rows = policy.release("survey.csv", keep=["weight", "home"], keep_anyway=True)
    assert flat(told["after"]) == pytest.approx(
        figures(dc.audit(rows, None, public, weights="weight", household="home"))
    )
    before = dc.audit("survey.csv", None, public, weights="weight", household="home", missing=missing)
    assert flat(told["before"]) == pytest.approx(figures(before))
    assert told["after"]["expected"] < told["before"]["expected"]
    assert column_names(folder / "out.csv") == public  # neither weights nor households


@pytest.mark.parametrize("asked", [WHOLE, SINGLE])
def test_one_sentence_each_in_text_and_report(
    asked: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = release(capsys, *asked, *PEOPLE, "--report", "report.html")
    assert code == 0
    individual, household = (line for line in out.splitlines() if line.startswith(("individual", "household")))
    assert "sample weights in weight (not released): no record is found with a probability above" in individual
    assert "no household has a record found with a probability above" in household
    page = (folder / "report.html").read_text()
    for sentence in (individual, household):
        assert f"<p>{sentence[0].upper()}{sentence[1:]}.</p>" in page
    assert "Risk of being found, before and after" in page
    assert "records found with their households, as expected" in page
    assert "h12" not in page
    code, out, _ = release(capsys, *asked, "--force", "--report", "report.html")
    assert "individual risk" not in out
    assert "household" not in (folder / "report.html").read_text()


def test_weights_are_kept_only_where_the_requirement_allows_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = release(capsys, *WHOLE, *PEOPLE, "--keep", "weight")
    assert (code, "with 'weight' kept, the requirement is broken" in err) == (1, True)
    code, out, _ = release(capsys, *WHOLE, *PEOPLE, "--keep", "weight", "--keep-anyway", "--report", "report.html")
    assert (code, "sample weights in weight (kept as it is)" in out) == (0, True)
    page = (folder / "report.html").read_text()
    assert "sample weights, kept as it is" in page
    assert "Columns that are kept as they are do not count as known here." in page


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--household", "home", "--keep", "home", "--keep-anyway"), "'home' names households: it links rows"),
        (("--weights", "home"), "'home' holds something that is no sample weight"),
        (("--weights", "ward", "--household", "ward"), "both"),
        (("--weights", "illness"), "'illness' is both sensitive and sample weights"),
        (("--household", "nowhere"), "no column 'nowhere'"),
    ],
)
@pytest.mark.parametrize("kind", [WHOLE, SINGLE])
def test_what_cannot_be_told_is_refused_before_the_search(
    kind: tuple[str, ...], asked: tuple[str, ...], words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = release(capsys, *kind, *asked)
    assert (code, out, len(err.strip().splitlines())) == (2, "", 1)
    assert words in err
    assert not (folder / "out.csv").exists()


def test_roles_of_a_recipe_say_the_same(folder: Path) -> None:
    text = (
        'require = ["n>=4"]\n[data]\ntable = "survey.csv"\n[columns.age]\nrole = "public"\n'
        '[columns.illness]\nrole = "sensitive"\n[columns.weight]\nrole = "weight"\n[columns.home]\n'
        'role = "household"\n[search]\ntime_limit = 0.2\n'
    )
    done = Recipe.parse(text, folder=folder).run()
    assert done.people.columns.names == ["weight", "home"]
    assert len(done.people.sentences(())) == 2
    with pytest.raises(ColumnError, match="never kept"):
        Recipe.parse(text + '[output]\nkeep = ["home"]\n', folder=folder).run(force=True)
    with pytest.raises(
        InputError, match="a cluster releases whole tables in boxes of their own, without sample weights"
    ):
        Recipe.parse(text.replace("[data]\n", '[data]\nengine = "spark"\n'), folder=folder).run()
