"""Threats: winnings recomputed by hand, words, and files that are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet import Joint
from discreet.auditing import Threat, load_threats
from discreet.errors import InputError
from discreet.testing import joints
from tests.examples import examples
from tests.processes import run

INSURER = Threat("An insurer learns of an illness", "ill", ("asthma",), 3, 1)
TABLE = {
    "ill": ["asthma", "none", "none", "none", "asthma", "none", "none", "none"],
    "town": ["A", "A", "B", "B", "B", "B", "B", "B"],
}


def test_winnings_and_people_by_hand() -> None:
    found = INSURER.check(Joint.from_table(TABLE, "ill", "town"))
    # Before: 2 of 8 have it, 3 * 2 - 6 = 0. In A: 3 - 1 = 2 of 8 people; in B: 3 - 5 < 0.
    assert (found.won.before, found.won.after) == (0.0, 0.25)
    assert (found.acted, found.right, found.people) == (2, 1, 8)
    assert found.sentence() == (
        "An insurer learns of an illness: 0.25 per record instead of 0, acting against 2 of 8 records, "
        "rightly against 1 of 2."
    )
    assert found.to_dict()["leakage"] == "inf"  # JSON has no infinity: it is this text in every document


@settings(max_examples=examples(30))
@given(joints(), st.floats(0, 5), st.floats(0, 5))
def test_the_best_of_acting_and_leaving_it_in_every_group(joint: Joint, wins: float, loses: float) -> None:
    counts = joint.counts.toarray()
    table = {"s": [], "x": []}  # type: ignore[var-annotated]
    for (s, x), count in zip(
        ((s, x) for s in range(counts.shape[0]) for x in range(counts.shape[1])), counts.ravel(), strict=True
    ):
        table["s"] += [f"s{s}"] * int(count)
        table["x"] += [x] * int(count)
    found = Threat("t", "s", ("s0",), wins, loses).check(Joint.from_table(table, "s", "x"))
    stakes = [wins if s == 0 else -loses for s in range(counts.shape[0])]
    groups = [sum(stakes[s] * counts[s, x] for s in range(counts.shape[0])) for x in range(counts.shape[1])]
    assert found.won.before == pytest.approx(max(0.0, sum(groups)) / counts.sum(), abs=1e-12)
    assert found.won.after == pytest.approx(sum(max(0.0, each) for each in groups) / counts.sum(), abs=1e-12)


def test_where_nothing_is_added_it_says_so() -> None:
    table = {"ill": ["asthma", "none"] * 4, "town": ["A", "A", "B", "B"] * 2}
    assert INSURER.check(Joint.from_table(table, "ill", "town")).sentence() == (
        "An insurer learns of an illness: the release adds nothing; 1 per record is won without it."
    )


def test_a_file_of_threats(tmp_path: Path) -> None:
    path = tmp_path / "threats.toml"
    path.write_text(
        '[[threat]]\nname = "An insurer learns of an illness"\ncolumn = "ill"\nvalues = ["asthma"]\nwins = 3\n', "utf-8"
    )
    assert load_threats(path) == (INSURER,)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # as some editors write them
    assert load_threats(path) == (INSURER,)


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "threats.toml").write_text(
        '[[threat]]\nname = "An insurer"\ncolumn = "ill"\nvalues = ["asthma"]\nwins = 3\n', "utf-8"
    )
    rows = [f"{ill},{town}" for ill, town in zip(TABLE["ill"], TABLE["town"], strict=True)]
    (tmp_path / "people.csv").write_text("\n".join(["ill,town", *rows]) + "\n", "utf-8")
    asked = ("audit", "people.csv", "-s", "ill", "-p", "town", "--threat", "threats.toml")
    done = run(*asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "An insurer: 0.25 per record instead of 0, acting against 2 of 8 records" in done.stdout
    assert json.loads(run(*asked, "--json", cwd=tmp_path).stdout)["threats"][0]["acted_against"] == 2
    refused = run(*asked[:-1], "people.csv", cwd=tmp_path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "holds no threats"),
        ("[[threat]]\n", "'name' is missing"),
        ('[[threat]]\nname = "a"\ncolumn = "b"\nvalues = ["c"]\nwin = 2\n', "did you mean 'wins'"),
        ('[[threat]]\nname = "a"\ncolumn = "b"\nvalues = "c"\n', "'values' is a list"),
        ('[[threat]]\nname = "a"\ncolumn = "b"\nvalues = ["c"]\nwins = -2\n', "'wins' is a number"),
        ("[[threat]\n", "is not TOML"),
        ("threat = [1]\n", "threat 1 is not a table"),
        ('[[threat]]\nname = ""\ncolumn = "b"\nvalues = ["c"]\n', "'name' is a text"),
        ('[[threat]]\nname = "a\\u001b[31m"\ncolumn = "b"\nvalues = ["c"]\n', "'name' is a text of one line"),
        ('[[threat]]\nname = "a"\ncolumn = 3\nvalues = ["c"]\n', "'column' is a text"),
        ('[[threat]]\nname = "a"\ncolumn = "b"\nvalues = [["c"]]\n', "'values' is a list"),
        (f'[[threat]]\nname = "a"\ncolumn = "b"\nvalues = ["c"]\nwins = 1{"0" * 400}\n', "'wins' is a number"),
        ('[[threat]]\nname = "a"\ncolumn = "b"\nvalues = ["c"]\n' * 2, "more than one threat is called 'a'"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, content: str | bytes, words: str) -> None:
    path = tmp_path / "threats.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=words) as caught:
        load_threats(path)
    assert "\n" not in str(caught.value)


def test_what_does_not_fit_the_table() -> None:
    joint = Joint.from_table(TABLE, "ill", "town")
    with pytest.raises(InputError, match="'town' is not sensitive"):
        Threat("t", "town", ("A",)).check(joint)
    with pytest.raises(InputError, match="no column is"):
        Threat("t", "ill", ("gout",)).check(dc.audit(TABLE, public="town").joint)
    with pytest.raises(InputError, match="no record has 'gout'"):
        Threat("t", "ill", ("gout",)).check(joint)
    with pytest.raises(InputError, match="cannot be read"):
        load_threats("nowhere.toml")
