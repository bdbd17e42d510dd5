"""Columns that no release holds, whatever was required of groups: by what they are called, and by what they hold."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import random
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import ColumnError, InputError, RequirementError
from discreet.release._publishing import ReleaseOptions
from tests.processes import said

Table = dict[str, list[Any]]
GIVEN = ("Marta", "Jens", "Chloe", "Ibrahim", "Olga", "Pedro", "Ruth", "Sven", "Yusuf", "Nora")
FAMILY = ("Okafor", "Brandt", "Leclerc", "Yilmaz", "Petrova", "Ortega", "Weiss", "Holm")
FILES = ("--out", "out.csv", "--policy", "policy.json")
WHOLE = ("--require", "n>=4", "--time-limit", "1")
ONE = ("--max-leakage", "2")


def visits(people: int = 70, rows: int = 210) -> Table:
    """Visits of people who come again: nothing that names them is different in every row."""
    rng = random.Random(26)
    who = [rng.randrange(people) for _ in range(rows)]
    name = [f"{GIVEN[i % 10]} {FAMILY[i // 10]}" for i in range(people)]
    return {
        "age": [20 + i * 3 % 50 for i in who],
        "region": [f"R{i % 6}" for i in who],
        "treatment": [rng.choice(("rest", "pills", "surgery", "talk", "diet")) for _ in who],
        "contact": [f"{name[i].replace(' ', '.').lower()}@post.example" for i in who],
        "called": [f"+49 30 {7000 + 37 * i} {10 + i}" for i in who],
        "whom": [name[i] for i in who],
        "key": [hashlib.sha256(f"salt {i}".encode()).hexdigest()[:12] for i in who],
        "pseudonym": [1000 + 17 * i for i in who],
        "subject": [f"S-{i:04}" for i in who],
        "remark": [
            rng.choice(("fine", "asked to come again", "has a cough")) if k % 9 else f"came with {GIVEN[i % 10]} Moll"
            for k, i in enumerate(who)
        ],
    }


CONTENT = {
    "contact": "mail addresses",
    "called": "phone or personal numbers",
    "whom": "names of people",
    "key": "hashes or random codes",
}
NAME = {"pseudonym": "named like an identifier, with many values", "subject": "numbered as people are"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(table: Table, path: str = "visits.csv") -> str:
    with Path(path).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


# ---------------------------------------------------------------------- who somebody is


@pytest.mark.parametrize(("column", "why"), [*CONTENT.items(), *NAME.items()])
def test_identifiers_are_refused_as_public(capsys: Any, here: Path, column: str, why: str) -> None:
    write(visits())
    for path in (WHOLE, ONE):
        public = f"age,{column}" if path is WHOLE else column
        code, out, err = said(capsys, "release", "visits.csv", "-s", "treatment", "-p", public, *path, *FILES)
        assert (code, out) == (2, "")
        assert f"public column '{column}' names people ({why})" in err and err.count("\n") == 1
    assert [each.name for each in here.iterdir()] == ["visits.csv"]


@pytest.mark.parametrize(("column", "why"), [*CONTENT.items(), *NAME.items()])
def test_identifiers_are_refused_as_kept(capsys: Any, here: Path, column: str, why: str) -> None:
    write(visits())
    for path in (WHOLE, ONE):
        for sensitive in ("treatment", f"treatment,{column}"):  # to call it sensitive excuses nothing
            asked = ("release", "visits.csv", "-s", sensitive, "-p", "age", *path, *FILES, "--keep", column)
            code, out, err = said(capsys, *asked)
            assert (code, out) == (2, "")
            assert f"column '{column}' identifies people ({why}) and is never kept" in err
    assert [each.name for each in here.iterdir()] == ["visits.csv"]


@pytest.mark.parametrize(("column", "why"), [*CONTENT.items(), *NAME.items()])
def test_python_and_recipes_refuse_identifiers(here: Path, column: str, why: str) -> None:
    table = visits()
    with pytest.raises(ColumnError, match=why):
        dc.generalise(table, ["age", column], ["treatment"], ["n>=4"], time_limit=1)
    frontier = dc.frontier(dc.Joint.from_table(table, "treatment", column), time_limit=1)
    with pytest.raises(ColumnError, match=why):
        frontier.at(max_leakage=2).release(table)
    with pytest.raises(ColumnError, match=why):
        dc.publish(table, frontier, out="out.csv", policy_file="policy.json", max_leakage=2)
    write(table)
    text = (
        'require = ["n>=4"]\n[data]\ntable = "visits.csv"\n[search]\ntime_limit = 1\n[columns.age]\nrole = "public"\n'
    )
    with pytest.raises(ColumnError, match=why):
        dc.Recipe.parse(text + f'[columns.{column}]\nrole = "public"\n').run()
    with pytest.raises(ColumnError, match=why):
        dc.Recipe.parse(text + f'[output]\nkeep = ["{column}"]\n').run()
    with pytest.raises(ColumnError, match="has the role identifier: it is never kept"):
        dc.Recipe.parse(text + '[columns.region]\nrole = "identifier"\n[output]\nkeep = ["region"]\n').run()
    assert not Path("out.csv").exists() and not Path("released.csv").exists()


def test_a_type_wins_over_a_name_and_never_over_what_a_column_holds(capsys: Any, here: Path) -> None:
    table = visits()
    table["customers"] = [value * 7 % 60 for value in table["age"]]  # how many a shop has
    write(table)
    asked = ("release", "visits.csv", "-s", "treatment", *FILES, "--force")
    for path in (WHOLE, ONE):
        code, _, err = said(capsys, *asked, *path, "-p", "customers")
        assert code == 2 and "--type customers=number (types={'customers': 'number'})" in err
        assert said(capsys, *asked, *path, "-p", "customers", "--type", "customers=number")[0] == 0
        code, _, err = said(capsys, *asked, *path, "-p", "age", "--keep", "customers", "--type", "customers=number")
        assert "identifies people" not in err
        code, _, err = said(capsys, *asked, *path, "-p", "contact", "--type", "contact=category")
        assert code == 2 and "public column 'contact' names people (mail addresses): leave it out\n" in err
    policy = dc.frontier(dc.Joint.from_table(table, "treatment", "customers"), time_limit=1).at(max_leakage=2)
    assert policy.release(table, types={"customers": "number"})
    options = ReleaseOptions(types={"customers": "number"}, force=True)
    frontier = dc.frontier(dc.Joint.from_table(table, "treatment", "customers"), time_limit=1)
    dc.publish(table, frontier, out="out.csv", policy_file="policy.json", max_leakage=2, options=options)


def test_text_that_names_people_must_be_wanted(capsys: Any, here: Path) -> None:
    write(visits())
    asked = ("release", "visits.csv", "-s", "treatment", "-p", "age", *ONE, *FILES, "--keep", "remark")
    code, out, err = said(capsys, *asked)
    assert (code, out) == (2, "")
    assert "column 'remark' is text that mentions names, in 8 of 12 different texts: leave it out" in err
    assert "Moll" not in err
    assert said(capsys, *asked, "--keep-anyway")[0] == 0


@pytest.mark.parametrize(
    "text",
    [
        "write to olga.p@post.example",
        "ring 0171 2345678",
        "see patient no. 48213",
        "Frau Brandt rang",
        "met OLGA WEISS",
    ],
)
def test_one_text_is_enough(text: str) -> None:
    table = visits()
    table["remark"] = [text, *("fine", "as before") * 104, "fine"]
    policy = dc.frontier(dc.Joint.from_table(table, "treatment", "age"), time_limit=1).at(max_leakage=2)
    with pytest.raises(ColumnError, match="in 1 of 3 different texts"):
        policy.release(table, keep="remark")


@pytest.mark.parametrize(
    "texts",
    [
        ("Crohn disease", "Down syndrome", "Parkinson", "no finding", "St. Anna Hospital", "moved from San Jose"),
        ("on 2024-02-03 and 04.05.2024", "120/80 mmHg", "5 mg at 8:00", "1,000,000 copies", "level 3 of 4"),
        ("New York", "Bad Homburg", "Rio de Janeiro", "Santa Ana", "Saint Paul", "Charlotte"),
        ("E11.9", "I10", "Z00.0", "C50.1", "A01.2", "B20"),
    ],
)
def test_other_texts_are_kept(texts: tuple[str, ...]) -> None:
    table = visits()
    table["remark"] = [texts[i % len(texts)] for i in range(len(table["age"]))]
    table["remark"][:2] = [f"{texts[0]}, {texts[1]}", f"{texts[2]}; {texts[3]} {texts[4]}"]
    policy = dc.frontier(dc.Joint.from_table(table, "treatment", "age"), time_limit=1).at(max_leakage=2)
    assert "remark" in policy.release(table, keep="remark", keep_anyway=True)
    with pytest.raises(RequirementError, match="with 'remark' kept"):  # it tells more: that is another question
        policy.release(table, keep="remark")


def test_init_and_releases_agree(capsys: Any, here: Path) -> None:
    write(visits())
    assert said(capsys, "init", "visits.csv")[0] == 0
    recipe = dc.Recipe.load("recipe.toml")
    assert set(recipe.having("identifier")) == {*CONTENT, *NAME}


def test_an_audit_says_that_a_public_column_names_people(capsys: Any, here: Path) -> None:
    write(visits())
    code, out, _ = said(capsys, "audit", "visits.csv", "-s", "treatment", "-p", "age,contact,pseudonym")
    assert code == 0
    assert "contact names people (mail addresses): a release refuses it as public" in " ".join(out.split())
    assert "discreet release visits.csv --public age --sensitive treatment" in " ".join(out.split())
    assert "pseudonym names people (named like an identifier, with many values)" in " ".join(out.split())
    assert "names people" not in said(capsys, "audit", "visits.csv", "-s", "treatment", "-p", "age,region")[1]


# ---------------------------------------------------------------------- what hardly repeats


def stays() -> Table:
    """Stays with a bill to the cent, a moment to the second, and what does repeat."""
    rng = random.Random(4)
    rows = 320
    day = [rng.randrange(360) for _ in range(rows)]
    return {
        "age": [rng.randrange(20, 80) for _ in range(rows)],
        "sex": [rng.choice("fm") for _ in range(rows)],
        "illness": [rng.choice(("flu", "gout", "asthma", "ulcer")) for _ in range(rows)],
        "charges": [round(rng.lognormvariate(7, 1), 2) for _ in range(rows)],
        "sampled": [str(dt.datetime(2024, 1, 1) + dt.timedelta(days=d, seconds=rng.randrange(86400))) for d in day],
        "half": [i if i % 2 else i % 50 for i in range(1000, 1000 + rows)],
        "nights": [rng.randrange(1, 60) for _ in range(rows)],
        "icd": [f"{rng.choice('ABCDE')}{int(rng.paretovariate(0.9)) % 90:02}" for _ in range(rows)],
    }


ONCE = ("charges", "sampled", "half")


@pytest.mark.parametrize("path", [WHOLE, ONE], ids=["whole-table", "one-column"])
@pytest.mark.parametrize("column", ONCE)
def test_what_hardly_repeats_must_be_wanted_by_name(
    capsys: Any, here: Path, column: str, path: tuple[str, ...]
) -> None:
    write(stays(), "stays.csv")
    for sensitive in ("illness", f"illness,{column}", column):  # sensitive or not
        asked = ("release", "stays.csv", "-s", sensitive, "-p", "age", *path, *FILES, "--force")
        code, out, err = said(capsys, *asked, "--keep", column)
        assert (code, out) == (2, "") and err.count("\n") == 1
        assert f"column '{column}' " in err and f"--keep-anyway {column}" in err
        assert any(words in err for words in ("hardly repeats: ", "is different in every row"))
        assert not Path("out.csv").exists()
        # Another column's name is no consent to this one; its own is, with or without --keep.
        assert said(capsys, *asked, "--keep", f"{column},sex", "--keep-anyway", "sex")[0] == 2
        if sensitive == "illness":
            code, out, _ = said(capsys, *asked, "--keep-anyway", column)
            assert code == 0 and out.startswith(f"careful: with the columns kept, {column} ")
            assert column in Path("out.csv").read_text().splitlines()[0]
            Path("out.csv").unlink()


def test_consent_to_one_column_is_none_to_another(capsys: Any, here: Path) -> None:
    table = stays()
    table["rare"] = ["yes" if i == 7 else "no" for i in range(len(table["age"]))]
    write(table, "stays.csv")
    asked = ("release", "stays.csv", "-s", "illness", "-p", "age", *WHOLE, *FILES, "--keep", "rare,charges")
    code, _, err = said(capsys, *asked, "--keep-anyway", "charges")
    assert code == 1 and "with 'rare' kept, the requirement is broken" in err
    assert said(capsys, *asked, "--keep-anyway", "charges,rare")[0] == 0
    assert said(capsys, *asked, "--keep-anyway", "--force")[0] == 0  # without a name it is all of them


def test_python_and_recipes_want_consent_by_name(here: Path) -> None:
    table = stays()
    done = dc.generalise(table, ["age", "sex"], ["illness"], ["n>=4"], time_limit=1)
    frontier = dc.frontier(dc.Joint.from_table(table, "illness", "age"), time_limit=1)
    for policy in (done.policy, frontier.at(max_leakage=1)):
        for use in (policy.release, policy.apply):
            with pytest.raises(ColumnError, match="keep-anyway charges"):
                use(table, keep=["charges"])
            assert "charges" in use(table, keep=["charges"], keep_anyway=["charges"])
            assert "charges" in use(table, keep_anyway="charges")
    files: Any = {"out": "out.csv", "policy_file": "policy.json", "max_leakage": 1}
    with pytest.raises(ColumnError, match="keep-anyway charges"):
        dc.publish(table, frontier, options=ReleaseOptions(keep=["charges"]), **files)
    made = dc.publish(table, frontier, options=ReleaseOptions(keep_anyway=["charges"], force=True), **files)
    assert made.broken_by_keep[0].startswith("charges ")
    write(table, "stays.csv")
    text = (
        'require = ["n>=4"]\n[data]\ntable = "stays.csv"\n[search]\ntime_limit = 1\n[columns.age]\nrole = "public"\n'
        '[output]\nkeep = ["charges", "nights"]\n'
    )
    with pytest.raises(ColumnError, match="keep-anyway charges"):
        dc.Recipe.parse(text).run(force=True)
    named = dc.Recipe.parse(text + 'keep_anyway = ["charges", "nights"]\n')
    assert named.run(force=True).broken_by_keep[0].startswith("charges ")
    assert dc.Recipe.parse(named.to_toml()) == named
    with pytest.raises(InputError, match="keep_anyway = 3 does not fit: true or false or a list of texts"):
        dc.Recipe.parse(text + "keep_anyway = 3\n")


def test_what_repeats_is_kept(capsys: Any, here: Path) -> None:
    write(stays(), "stays.csv")
    asked = ("release", "stays.csv", "-p", "age,sex", *WHOLE, *FILES, "--force")
    for column in ("illness", "nights", "icd"):  # a long tail of rare codes is no list of bills
        code, _, err = said(capsys, *asked, "-s", column, "--keep", column)
        assert (code, err) == (0, "")


def test_init_proposes_to_round_what_hardly_repeats(capsys: Any, here: Path) -> None:
    write(stays(), "stays.csv")
    code = said(capsys, "init", "stays.csv")[0]
    recipe = dc.Recipe.load("recipe.toml")
    assert code == 0 and recipe.columns["charges"].role == "sensitive"
    assert recipe.output.keep == ["illness", "icd"]
    assert "it hardly repeats: round it, to 100 for example, before you keep it" in Path("recipe.toml").read_text()


# ---------------------------------------------------------------------- ids, whatever they are called


def treatments() -> Table:
    """Records of people who come again, with what links them: a token each, however it is called, and a home."""
    rng = random.Random(8)
    who = [rng.randrange(90) for _ in range(400)]
    return {
        "born": [1940 + i * 7 % 60 for i in who],
        "sex": ["fm"[i % 2] for i in who],
        "area": [i * 11 % 13 for i in who],
        "illness": [rng.choice(("flu", "gout", "asthma", "ulcer", "cough")) for _ in who],
        "colour": [f"{('red', 'blue', 'green')[i % 3]} {('oak', 'elm', 'ash')[i // 3 % 3]} {i}" for i in who],
        "bin": [i * 37 % 997 for i in who],
        "moved": [i * 37 % 997 if rng.random() > 0.05 else rng.randrange(2000, 2004) for i in who],
        "doctor": [rng.randrange(60) for _ in who],
        "home": [i // 2 for i in who],
        "flat": [3 * (i // 2) + 500 for i in who],
    }


@pytest.mark.parametrize("path", [WHOLE, ("--require", "n>=5", "--require", "k>=2", "--time-limit", "1")])
@pytest.mark.parametrize("column", ["colour", "bin", "moved"])
def test_a_kept_column_that_links_records_is_an_id(capsys: Any, here: Path, column: str, path: tuple[str, ...]) -> None:
    write(treatments(), "treatments.csv")
    for sensitive in ("illness", f"illness,{column}"):
        asked = ("release", "treatments.csv", "-s", sensitive, "-p", "born,sex,area", *path, *FILES)
        code, out, err = said(capsys, *asked, "--keep", column, "--keep-anyway", column)
        assert (code, out) == (2, "") and err.count("\n") == 1
        assert f"column '{column}' links records: " in err and "belong to one combination of public values each" in err
    assert [each.name for each in here.iterdir()] == ["treatments.csv"]


def test_python_and_apply_refuse_links() -> None:
    table = treatments()
    whole = dc.generalise(table, ["born", "sex"], ["illness"], ["n>=5"], time_limit=1).policy
    one = dc.frontier(dc.Joint.from_table(table, "illness", "born"), time_limit=1).at(max_leakage=1)
    for policy in (whole, one):
        for use in (policy.release, policy.apply):
            with pytest.raises(ColumnError, match="'bin' links records"):
                use(table, keep="bin", keep_anyway=True)
            assert "doctor" in use(table, keep="doctor", keep_anyway=True)


def test_what_belongs_to_many_people_is_no_link(capsys: Any, here: Path) -> None:
    write(treatments(), "treatments.csv")
    asked = ("release", "treatments.csv", "-s", "doctor", "-p", "born,sex", *WHOLE, *FILES, "--keep", "doctor")
    assert said(capsys, *asked)[0] == 0


def test_households_are_never_kept_under_any_name(capsys: Any, here: Path) -> None:
    write(treatments(), "treatments.csv")
    for path in (WHOLE, ONE):
        asked = ("release", "treatments.csv", "-s", "illness", "-p", "born", *path, *FILES, "--household", "home")
        assert "'home' names households: it links rows" in said(capsys, *asked, "--keep", "home", "--keep-anyway")[2]
        assert "'home' names households: it links rows" in said(capsys, *asked, "--keep-anyway", "home")[2]
        code, _, err = said(capsys, *asked, "--keep", "flat", "--keep-anyway", "flat")
        assert code == 2 and "'flat' links records: 45 of its 45 values belong to one household each" in err


def test_values_that_all_belong_to_what_nearly_everybody_has_link_nothing() -> None:
    """One age for nearly everybody: whatever illness a record has, its age is that one."""
    rows = 4_000
    table = {
        "age": [30 + i % 7 if i % 500 == 0 else 29 for i in range(rows)],
        "illness": [f"illness of kind {chr(97 + i % 26)}" if i % 37 == 1 else "none" for i in range(rows)],
    }
    done = dc.generalise(table, ["age"], ["illness"], ["n>=8"], time_limit=0.2)
    assert len(list(done.release(keep=["illness"])["age"])) == rows


@pytest.mark.parametrize("illness", [["flu"] * 40, ["flu", None] * 20])
def test_a_sensitive_column_with_one_known_value_is_refused(illness: list[str | None]) -> None:
    table = {"age": [20 + i // 4 for i in range(40)], "illness": illness}
    with pytest.raises(InputError, match="the sensitive column 'illness' has a single value"):
        dc.generalise(table, ["age"], ["illness"], ["n>=4"], time_limit=0.2)
