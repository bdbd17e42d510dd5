"""Moments, dates with times of day, are released by the day unless another unit is said: no cell ends at somebody's minute."""

from __future__ import annotations

import csv
import datetime as dt
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.columns import axis_of, guess_type
from discreet.recipe import Recipe
from discreet.release import Policy
from tests.processes import run

DAY = r"\d{4}-\d{2}-\d{2}"
EARLIER = sorted((Path(__file__).parents[1] / "reference" / "policies").glob("schema2-moments-*.json"))


def stays(rows: int = 300, zone: dt.tzinfo | None = None, seed: int = 3) -> dict[str, list[Any]]:
    draw = random.Random(seed)
    start = dt.datetime(2023, 7, 3, 0, 13, 7, tzinfo=zone)
    return {
        "when": [start + dt.timedelta(minutes=draw.randrange(1, 40 * 24 * 60)) for _ in range(rows)],
        "age": [draw.randrange(20, 80) for _ in range(rows)],
        "illness": [draw.choice(("flu", "cold", "asthma", "none")) for _ in range(rows)],
    }


def days_in(cell: str) -> tuple[dt.date, dt.date]:
    first, _, last = cell.replace(" UTC", "").partition(" to ")
    return dt.date.fromisoformat(first), dt.date.fromisoformat(last or first)


def written(folder: Path, table: dict[str, list[Any]]) -> str:
    with (folder / "stays.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    return str(folder / "stays.csv")


def cells_of(path: Path, column: str = "when") -> list[str]:
    with path.open(newline="") as file:
        return [row[column] for row in csv.DictReader(file)]


@pytest.mark.parametrize("said", [None, "date", "date:day", dc.ColumnType("date"), dc.ColumnType("auto", weight=2.0)])
@pytest.mark.parametrize("zone", [None, dt.timezone(dt.timedelta(hours=2))])
def test_whole_tables_say_days_that_are_true(said: Any, zone: dt.tzinfo | None) -> None:
    table = stays(zone=zone)
    types = {"when": said} if said else None
    done = dc.generalise(table, ["when", "age"], ["illness"], ["n>=5"], types, time_limit=0.5)
    policy = done.policy
    assert policy.types[0].band == "day" and done.bound is not None and done.bound <= done.loss
    end = " UTC" if zone else ""
    texts = [cell.text for cell in policy.boxes.cells[0]]
    assert all(re.fullmatch(f"{DAY}{end}( to {DAY}{end})?", text) for text in texts), texts
    assert any(" to " in text for text in texts)
    assert policy.letters is not None
    for codes, group in zip(policy.letters.codes.tolist(), policy.letters.group.tolist(), strict=True):
        first, last = days_in(policy.labels[group][0])
        assert first <= policy.letters.labels[0][codes[0]].date() <= last  # labels with a zone are of UTC
    public = policy.face().to_json()
    assert not re.findall(r"T(?!00:00:00|23:59:59)\d\d:\d\d:\d\d", public)
    labels = policy.letters.labels[0]
    width = (labels[-1].date() - labels[0].date()).days + 1  # how wide the column is to the second is not to be seen
    assert all(cell.ncp * width == pytest.approx(round(cell.ncp * width), abs=1e-6) for cell in policy.boxes.cells[0])
    released = policy.release(table)
    assert policy.verify(released, table).ok
    new = {**table, "when": [moment.replace(second=41) for moment in table["when"]]}
    assert policy.apply(new) == released  # other moments of the same days


def test_new_values_go_where_their_finest_cell_went(tmp_path: Path) -> None:
    """Of numbers and codes as of moments; a code that is whole is no prefix of another."""
    table: dict[str, list[Any]] = {
        "age": [21, 22, 31, 32, 41, 42, 43, 48] * 3,
        "code": ["1231", "1232", "1233", "1241", "1242", "1251", "1252", "1261"] * 3,
        "ill": ["a", "b", "c"] * 8,
    }
    types: dict[str, str | dc.ColumnType] = {"age": "number:5", "code": "code:3"}
    done = dc.generalise(table, ["age", "code"], ["ill"], ["n>=3"], types, time_limit=0.5)
    done.policy.save(tmp_path / "policy.json")
    policy = Policy.load(tmp_path / "policy.json")
    new = {**table, "age": [age + 1 for age in table["age"]], "code": [f"{code[:3]}9" for code in table["code"]]}
    assert policy.apply(new) == policy.release(table)
    codes = done.policy.types[1]
    assert codes.finest("123") != codes.finest("123x") == codes.finest("123z")


def test_another_unit_is_said_and_a_column_left_as_it_is_keeps_its_moments() -> None:
    table = stays()
    by_hour = dc.generalise(table, ["when"], require=["n>=3"], types={"when": "date:hour"}, time_limit=0.5)
    assert all(cell.text.count("h") == 1 + cell.text.count(" to ") for cell in by_hour.policy.boxes.cells[0])
    within = dc.ColumnType("date", coarsest="hour")
    twice = {"when": table["when"] * 2}
    assert dc.generalise(twice, ["when"], require=["n>=2"], types={"when": within}).policy.types[0].band == "hour"
    fixed = dc.generalise(twice, ["when"], require=["n>=2"], types={"when": dc.ColumnType("date", fixed=True)})
    assert {cell.text for cell in fixed.policy.boxes.cells[0]} == {str(moment) for moment in table["when"]}


def test_days_without_times_are_as_before() -> None:
    days = [dt.date(2024, 1, 31), dt.date(2024, 2, 3), dt.date(2025, 6, 1)]
    found = {"when": [day for day in days for _ in range(3)]}
    done = dc.generalise(found, ["when"], require=["n>=3"])
    assert done.loss == 0 and done.policy.types[0].band is None
    by_day, plain = (axis_of("when", days, dc.ColumnType("date", band=band)) for band in ("day", None))
    assert by_day.cell((0, 1)) == plain.cell((0, 1)) and by_day.cell((2, 2)) == plain.cell((2, 2))


@pytest.mark.parametrize(
    ("options", "unit"),
    [((), "day"), (("--type", "when=date:week"), "week"), (("--coarsen", "when=month"), "month")],
)
@pytest.mark.parametrize("zone", [None, dt.UTC])
def test_one_column_says_days(options: tuple[str, ...], unit: str, zone: dt.tzinfo | None, tmp_path: Path) -> None:
    table = stays(zone=zone)
    source, out, policy = written(tmp_path, table), tmp_path / "r.csv", tmp_path / "p.json"
    asked = ("release", source, "-s", "illness", "-p", "when", "--max-leakage", "1", *options)
    done = run(*asked, "--out", str(out), "--policy", str(policy), "--time-limit", "1")
    assert done.returncode == 0, done.stderr
    assert f"when was counted by the {unit}" in done.stdout
    for cell in cells_of(out):
        first, last = days_in(cell)
        assert unit == "day" or last > first
    verified = run("verify", str(out), "--policy", str(policy), "--original", source)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_several_columns_under_one_bound_say_days_too(tmp_path: Path) -> None:
    source, out = written(tmp_path, stays()), tmp_path / "r.csv"
    asked = ("release", source, "-s", "illness", "-p", "when,age", "--max-leakage", "1", "--time-limit", "1")
    done = run(*asked, "--out", str(out), "--policy", str(tmp_path / "p.json"))
    assert done.returncode == 0, done.stderr
    assert all(days_in(cell) for cell in cells_of(out))


def test_a_band_of_a_type_is_the_finest_cell_of_one_column_too(tmp_path: Path) -> None:
    source, out = written(tmp_path, stays()), tmp_path / "r.csv"
    asked = ("release", source, "-s", "illness", "-p", "age", "--max-leakage", "2", "--type", "age=number:5")
    done = run(*asked, "--out", str(out), "--policy", str(tmp_path / "p.json"))
    assert done.returncode == 0, done.stderr
    assert "age was counted by steps of 5" in done.stdout
    assert all(int(float(number)) % 5 == 0 for cell in cells_of(out, "age") for number in cell.split("–"))


def test_the_guess_says_so_and_the_recipe_holds_it(tmp_path: Path) -> None:
    table = stays()
    kind, reason, question = guess_type("when", table["when"])
    assert (kind.kind, kind.band, question) == ("date", "day", "")
    assert "released by the day" in reason
    assert guess_type("when", [dt.date(2024, 1, 1)])[0].band is None
    recipe = Recipe.guess(written(tmp_path, {**table, "when": [f"{each:%Y-%m-%d %H:%M}" for each in table["when"]]}))
    assert recipe.columns["when"].band == "day" and "released by the day" in recipe.notes["when"]
    assert Recipe.parse(recipe.to_toml()).columns["when"].band == "day"
    done = run("release", str(tmp_path / "stays.csv"), "-p", "when", "--require", "n>=5", "--time-limit", "1",
               "--out", str(tmp_path / "r.csv"), "--policy", str(tmp_path / "p.json"))  # fmt: skip
    assert "types: when date:day" in done.stdout


@pytest.mark.parametrize("path", EARLIER, ids=lambda path: path.stem)
def test_policies_of_earlier_versions_are_as_they_were(path: Path) -> None:
    """Written before moments had a unit: they load, release the same cells, and verify."""
    assert len(EARLIER) == 8
    start = dt.datetime(2023, 7, 3, 9, 53, tzinfo=dt.UTC if "-zone-" in path.stem else None)
    table = {
        "when": [start + dt.timedelta(hours=7 * i, minutes=13 * i) for i in range(24)],
        "illness": [("flu", "cold", "asthma")[(i + i // 4) % 3] for i in range(24)],
    }
    policy = Policy.load(path)
    released = policy.release(table)
    assert policy.verify(released, table).ok
    assert policy.apply(table) == released
    has_minutes = any(":" in cell for cell in released["when"])
    assert has_minutes == ("exact" in path.stem or path.stem.endswith("zone-day-column"))
    facts = {
        name: value for name, value in policy.to_dict().items() if name not in ("tool", "may_be_published", "sha256")
    }
    assert facts == {name: json.loads(path.read_text())[name] for name in facts}
