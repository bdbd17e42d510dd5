"""`blind`: what it does, and that nothing claims more than that."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import discreet as dc
from discreet.cli import group

ROOT = Path(__file__).parents[3]
CLAIMS = re.compile(
    r"\bimmun|(tells|gives|discloses) (away )?nothing|nothing away|(nobody|no one|cannot) (can )?(be )?infer"
    r"|safe from minimality",
    re.I,
)


def released(ill: tuple[str, ...], **options: Any) -> tuple[tuple[str, ...], ...]:
    people = {"age": [20, 21, 40, 41], "ill": list(ill)}
    found = dc.generalise(people, "age", "ill", ["n>=2", "k>=2"], blind=True, time_limit=0.2, **options)
    return found.policy.labels


def test_that_n_was_raised_tells() -> None:
    """All tables with these ages, two flu and two cold: all four are joined exactly when both pairs are alike.

    Who knows the algorithm and sees one group of four knows that 20 and 21 have one illness, and 40 and 41 the other.
    """
    tables = [ill for ill in product(("flu", "cold"), repeat=4) if ill.count("flu") == 2]
    joined = [ill for ill in tables if released(ill) == (("20–41",),)]
    assert joined == [ill for ill in tables if ill[0] == ill[1] and ill[2] == ill[3]]
    assert all(released(ill) == (("20–21",), ("40–41",)) for ill in tables if ill not in joined)


def test_groups_of_one_n_are_the_same_whatever_the_sensitive_values_are() -> None:
    """This much is true: how groups are formed looks at public values only."""
    ages = [20, 21, 25, 33, 40, 41, 47, 52]
    outcomes = set()
    for ill in (tuple("abababab"), tuple("baabbaab"), tuple("abbabaab")):
        people = {"age": ages, "ill": list(ill)}
        found = dc.generalise(people, "age", "ill", ["n>=2", "k>=2"], blind=True, time_limit=0.2)
        outcomes.add(found.policy.labels)
    assert len(outcomes) == 1


def sources() -> list[Path]:
    code = [path for ending in ("*.py", "*.html", "*.toml") for path in (ROOT / "src").rglob(ending)]
    return [*code, *(ROOT / "docs").glob("*.md"), ROOT / "README.md", *(ROOT / "examples").rglob("*.*")]


@pytest.mark.parametrize("word", ["blind", "minimality"])
def test_no_text_claims_that_blind_groups_tell_nothing(word: str) -> None:
    claims = []
    for path in sources():
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        for i, line in enumerate(lines):
            around = " ".join(lines[max(0, i - 1) : i + 3])
            if re.search(rf"\b{word}\b", line, re.I) and CLAIMS.search(around):
                claims.append(f"{path.relative_to(ROOT)}:{i + 1}: {CLAIMS.search(around)}")
    assert not claims


def test_outputs_say_what_blind_does_and_no_more(tmp_path: Path) -> None:
    table, page = tmp_path / "people.csv", tmp_path / "report.html"
    rows = zip([20, 21, 40, 41] * 3, ["flu", "cold", "flu", "cold"] * 3, strict=True)
    table.write_text("age,ill\n" + "".join(f"{age},{ill}\n" for age, ill in rows))

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(group, arguments)
        assert done.exit_code == 0, done.output
        return done.output

    columns = ("--sensitive", "ill", "--public", "age", "--require", "n>=2", "--require", "k>=2", "--time-limit", "1")
    files = ("--out", str(tmp_path / "r.csv"), "--policy", str(tmp_path / "p.json"), "--report", str(page))
    schema, recipe = tmp_path / "schema.json", tmp_path / "recipe.toml"
    outputs = [
        run("release", "--help"),
        run("frontier", "--help"),
        run("release", str(table), *columns, "--blind", *files),
        run("init", str(table), "--out", str(recipe), "--schema", str(schema)),
        page.read_text(),
        recipe.read_text(),
        schema.read_text(),
    ]
    flat = [re.sub(r"[\s│]+", " ", output) for output in outputs]
    for said in (flat[0], flat[1], flat[4], flat[6]):
        assert "without looking at sensitive values" in said
        assert "that n was raised can itself tell something about them" in said
    for output in flat:
        assert not CLAIMS.search(output), CLAIMS.search(output)
