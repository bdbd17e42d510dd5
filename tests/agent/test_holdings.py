"""agent.toml, the data as they are held, filters on them, and what is refused at start-up."""

from __future__ import annotations

import datetime as dt
import operator
import os
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.agent import _filters as conditions
from discreet.agent._config import Config
from discreet.agent._filters import group_of
from discreet.agent._holdings import Holding, load_all
from discreet.errors import InputError
from discreet.queries import Auditor
from discreet.tables._labels import Alphabet

EXAMPLE = files("discreet.agent").joinpath("example.toml").read_text()
PEOPLE = "sex,city,height,smoker\nF,Oslo,170,0\nM,Oslo,180,1\nF,,165,0\nM,Rome,175.5,1\nF,Rome,160,0\n"
CONFIG = """
[datasets.people]
table = "people.csv"
public = ["sex", "city"]
[datasets.people.private.height]
lower = 100
upper = 250
keep = 20
"""
SMOKER = "[datasets.people.private.smoker]\nlower = 0\nupper = 1\nkeep = 1\nintegral = true\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def configured(folder: Path, text: str = CONFIG) -> Config:
    (folder / "agent.toml").write_text(text)
    return Config.load(folder / "agent.toml")


def held(folder: Path, text: str = CONFIG) -> Holding:
    return Holding.load(configured(folder, text).datasets[0])


def test_the_example_reads_also_with_every_setting(folder: Path) -> None:
    config = configured(folder, EXAMPLE)
    assert [each.name for each in config.datasets[0].private] == ["height", "smoker"]
    assert config.ledger == f"sqlite:///{folder / 'ledger.sqlite'}"
    assert Holding.load(config.datasets[0]).people == 5
    everything = "\n".join(line.removeprefix("# ") for line in EXAMPLE.splitlines())
    found = configured(folder, everything)
    assert found.ledger.startswith("postgresql://")
    assert found.datasets[0].person == "id"
    assert found.datasets[0].private[1].missing_as == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("upper = 250", "upper = 90"), "lower must be below upper"),
        (("upper = 250", "upper = 'x'"), "upper must be a number"),
        (("upper = 250", "upper = inf"), "upper must be a number"),
        (("upper = 250", "upper = true"), "upper must be a number"),
        (("upper = 250\n", ""), "upper is missing"),
        (("lower = 100\nupper = 250", "lower = -1e308\nupper = 1e308"), "too far apart"),
        (("keep = 20", "keep = 500"), "keep is a length"),
        (("keep = 20", "keep = 0"), "keep is a length"),
        (("keep = 20", "keep = 20\nkepe = 3"), "'kepe' is not a setting: did you mean 'keep'"),
        (("upper = 250", "uper = 250"), "'uper' is not a setting: did you mean 'upper'"),
        (("upper = 250", "Upper = 250"), "did you mean 'upper'"),
        (("keep = 20", "keep = 20\nbounds = 3"), "it has lower, upper, keep"),
        (("keep = 20", "keep = 20\nintegral = 'yes'"), "true or false"),
        (("upper = 250", "upper = 3e9\nintegral = true"), "so that sums are exact"),
        (("upper = 250", "upper = 250.5\nintegral = true"), "whole bounds"),
        (("keep = 20", "keep = 20\nstep = -1"), "step is a number"),
        (("keep = 20", "keep = 20\nstep = 2\nintegral = true"), "step = 1: say one"),
        (("keep = 20", "keep = 20\nmissing_as = 3"), "outside the bounds"),
        (("keep = 20", "keep = 20\nintegral = true\nmissing_as = 150.5"), "must be whole"),
        (('table = "people.csv"\n', ""), "table is missing"),
        (('"people.csv"', "3"), "table must be text"),
        (('["sex", "city"]', '["sex", "height"]'), "both public and private"),
        (('["sex", "city"]', '["sex", "sex"]'), "'sex' is named twice"),
        (('["sex", "city"]', '["sex"]\nperson = "height"'), "'height' is named twice"),
        (('["sex", "city"]', '["", "city"]'), "name of a column"),
        (('["sex", "city"]', "3"), "list of texts"),
        (('["sex", "city"]', '["sex"]\nsmallest_group = 0'), "smallest_group must be a whole number, at least 1"),
        (('["sex", "city"]', '["sex"]\ncolude = false'), "did you mean 'collude'"),
        (("[datasets", "[dataset"), "'dataset' is not a setting: did you mean 'datasets'"),
        (("[datasets.people.private.height]", "[datasets.people.privat.height]"), "did you mean 'private'"),
        (("[datasets.people.private.height]", "[datasets.people.private]"), "must be a section"),
        (("[datasets.people]", "port = 99999\n[datasets.people]"), "port must be a whole number, 0 to 65535"),
        (("[datasets.people]", "port = 'x'\n[datasets.people]"), "port must be a whole number"),
        (("[datasets.people]", "ledger = 3\n[datasets.people]"), "ledger must be text"),
        (("[datasets.people]", "ledger = 'postgres://x/y'\n[datasets.people]"), "write postgresql://"),
        (("[datasets.people]", "ledger = 'mysql://x/y'\n[datasets.people]"), "SQLite or PostgreSQL"),
        (("[datasets.people]", "ledger = 'sqlite://'\n[datasets.people]"), "would be forgotten"),
        (("[datasets.people]", "ledger = 'sqlite:///:memory:'\n[datasets.people]"), "would be forgotten"),
        (("lower", "= lower"), "does not read as TOML"),
    ],
)
def test_settings_that_are_wrong(folder: Path, change: tuple[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        configured(folder, CONFIG.replace(*change))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Config.load(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot be read"):
        Config.load(tmp_path)
    with pytest.raises(InputError, match="names no data set"):
        configured(tmp_path, "port = 1")
    (tmp_path / "agent.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not text"):
        Config.load(tmp_path / "agent.toml")
    with pytest.raises(InputError, match=r"people\.csv does not exist"):
        held(tmp_path)


def test_a_column_that_is_not_there(folder: Path) -> None:
    with pytest.raises(InputError, match="no column 'Sex': did you mean 'sex'"):
        held(folder, CONFIG.replace('"sex"', '"Sex"'))


def test_a_ledger_beside_the_file_wherever_one_is(folder: Path) -> None:
    head = 'ledger = "sqlite:///books/l.sqlite"\n'
    assert configured(folder, head + CONFIG).ledger == f"sqlite:///{folder / 'books/l.sqlite'}"
    assert configured(folder, head.replace("books", "/tmp") + CONFIG).ledger == "sqlite:////tmp/l.sqlite"  # noqa: S108
    assert configured(folder, 'ledger = "l.sqlite"\n' + CONFIG).ledger == f"sqlite:///{folder / 'l.sqlite'}"


def test_a_table_of_a_database_beside_the_file(folder: Path) -> None:
    import sqlite3

    with sqlite3.connect(folder / "people.db") as database:
        database.execute("CREATE TABLE staff (sex TEXT, city TEXT, height REAL)")
        rows = [line.split(",")[:3] for line in PEOPLE.splitlines()[1:]]
        database.executemany("INSERT INTO staff VALUES (?, ?, ?)", [(sex, city or None, h) for sex, city, h in rows])
    database.close()
    text = CONFIG.replace("people.csv", "sqlite:///people.db#staff")
    assert held(folder, text).fingerprint == held(folder).fingerprint
    with pytest.raises(InputError, match="both offer column 'height' of one table"):
        configured(folder, text + text.replace("datasets.people", "datasets.again").replace("///", "///./"))
    with pytest.raises(InputError, match="has no table 'none'"):
        held(folder, text.replace("#staff", "#none"))
    with pytest.raises(InputError, match="no such database file"):
        held(folder, text.replace("people.db", "none.db"))


def test_neither_order_nor_format_is_any_matter(folder: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    first = held(folder)
    head, *rows = PEOPLE.strip().splitlines()
    (folder / "people.csv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    again = held(folder)
    assert again.fingerprint == first.fingerprint
    assert (again.private["height"] == first.private["height"]).all()
    table = pyarrow.csv.read_csv(
        folder / "people.csv", convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True)
    )
    pyarrow.parquet.write_table(table.select([3, 2, 1, 0]), folder / "people.parquet")
    assert held(folder, CONFIG.replace("people.csv", "people.parquet")).fingerprint == first.fingerprint
    (folder / "people.csv").write_text(PEOPLE.replace("170", "171"))
    assert held(folder).fingerprint != first.fingerprint
    (folder / "people.csv").write_text(PEOPLE.replace("F,Oslo", "F,Bern"))
    assert held(folder).fingerprint != first.fingerprint
    (folder / "people.csv").write_text(PEOPLE + rows[0] + "\n")
    assert held(folder).fingerprint != first.fingerprint


@pytest.mark.parametrize(
    ("rows", "extra", "words"),
    [
        ("F,Oslo,90,0\nF,Oslo,90,0\n", "", "2 rows have values that lie outside"),
        ("F,Oslo,1e300,0\n", "", "1 rows have values that lie outside"),
        ("F,Oslo,,0\n", "", "1 rows have values that are missing"),
        ("F,Oslo,tall,0\n", "", "1 rows have values that are missing or no numbers"),
        ("F,Oslo,nan,0\nF,Oslo,inf,0\nF,Oslo,,0\n", "", "3 rows have values that are missing or no numbers"),
        ("F,Oslo,170.5,0\n", "integral = true\n", "2 rows have values that are not whole"),
    ],
)
def test_values_that_are_refused_are_counted_and_not_shown(folder: Path, rows: str, extra: str, words: str) -> None:
    (folder / "people.csv").write_text(PEOPLE + rows)
    with pytest.raises(InputError, match=words) as problem:
        held(folder, CONFIG + extra)
    assert "90" not in str(problem.value)
    assert "tall" not in str(problem.value)


def test_missing_values_may_be_declared(folder: Path) -> None:
    (folder / "people.csv").write_text(PEOPLE + "F,Oslo,,0\nF,Oslo,?,0\n")
    text = CONFIG.replace("public", 'na = ["?"]\npublic') + "missing_as = 175\n"
    assert (held(folder, text).private["height"] == 175).sum() == 2


def test_numbers_written_in_other_ways_are_numbers(folder: Path) -> None:
    (folder / "people.csv").write_text(PEOPLE + "F,Oslo,+170,0\nF,Oslo,0170.0,0\nF,Oslo,1.7e2,0\n")
    assert (held(folder).private["height"] == 170).sum() == 4


def detected(folder: Path, values: Any, extra: str = "") -> Fraction:
    (folder / "people.csv").write_text("sex,city,height\n" + "".join(f"F,Oslo,{x!r}\n" for x in values.tolist()))
    return held(folder, CONFIG + extra).lattices["height"].step


def test_steps_are_found_and_never_silent(folder: Path) -> None:
    rng = np.random.default_rng(0)
    real = rng.uniform(110, 240, 60)
    for step in (0.1, 1.0, 2.5, 1e-5):
        assert detected(folder, np.rint(real / step) * step) == Fraction(repr(step))
        assert detected(folder, np.rint(real / step) * step, f"step = {step}\n") == Fraction(repr(step))
    assert detected(folder, np.rint(real * 12) / 12) == Fraction(1, 12)
    assert detected(folder, real, "step = 0\n") == 0
    offset = np.rint(real) + 0.5
    assert detected(folder, offset) == 1
    auditor = held(folder).auditor("height")
    assert isinstance(auditor, Auditor) and auditor.offer([0], "sum", error=1)[0][0] == 100.5


@pytest.mark.parametrize(
    ("change", "extra", "words"),
    [
        (lambda x: x, "", "no steps were found .* step = 0 for a continuum; if somebody does know"),
        (lambda x: x.round(1), "step = 0\n", "recorded in steps of 0.1, so step = 0 would promise what cannot be kept"),
        (lambda x: x.round(1), "step = 1\n", "5[0-9] rows have values that are not lower"),
        (lambda x: x.round(0), "step = 0.1\n", "in steps of 1, coarser than declared"),
        (lambda x: 5 * (x / 5).round(), "integral = true\n", "in steps of 5, coarser than declared"),
        (lambda x: np.append(x.round(1), 170.123), "", "1 rows lie off the steps of 0.1"),
        (lambda x: np.append(x.round(1), 170.123), "step = 0\n", "recorded in steps of 0.1"),
        (lambda x: 100 + np.log(x.round()), "step = 0\n", "values are there before, so they are recorded in steps"),
    ],
)
def test_steps_that_are_refused(folder: Path, change: Any, extra: str, words: str) -> None:
    real = np.random.default_rng(0).uniform(110, 150, 60)
    with pytest.raises(InputError, match=words):
        detected(folder, change(real), extra)


def test_no_rows(folder: Path) -> None:
    (folder / "people.csv").write_text("sex,city,height\n")
    with pytest.raises(InputError, match="no rows"):
        held(folder)


def test_one_row_a_person(folder: Path) -> None:
    text = CONFIG.replace("public", 'person = "id"\npublic')
    head, *rows = PEOPLE.strip().splitlines()
    for ids, words in (("abcde", None), ("aacde", "2 rows"), ("aaade", "3 rows"), (["a", "b", "c", "d", ""], "1 rows")):
        lines = [f"{head},id", *(f"{row},{who}" for row, who in zip(rows, ids, strict=True))]
        (folder / "people.csv").write_text("\n".join(lines) + "\n")
        if words is None:
            assert held(folder, text).fingerprint == held(folder).fingerprint
        else:
            with pytest.raises(InputError, match=f"{words} have no 'id' of their own"):
                held(folder, text)
    (folder / "people.csv").write_text("\n".join([f"{head},id", *(f"{row}," for row in rows)]) + "\n")
    with pytest.raises(InputError, match="5 rows have no 'id'"):
        held(folder, text)


# ---------------------------------------------------------------------- the same people twice


def second(text: str, table: str = "people.csv") -> str:
    return text + text.replace("datasets.people", "datasets.again").replace("people.csv", table)


def test_one_column_of_one_table_is_offered_once(folder: Path) -> None:
    (folder / "link.csv").symlink_to("people.csv")
    (folder / "inner").mkdir()
    for table in ("people.csv", "./people.csv", "inner/../people.csv", str(folder / "people.csv"), "link.csv"):
        with pytest.raises(InputError, match="'people' and 'again' both offer column 'height' of one table"):
            configured(folder, second(CONFIG, table))
    others = "[datasets.again]\ntable = 'people.csv'\n" + SMOKER.replace("people", "again")
    assert len(load_all(configured(folder, CONFIG + others).datasets)) == 2  # other columns: other promises


def test_the_same_values_in_another_file_are_refused(folder: Path) -> None:
    rng = np.random.default_rng(0)
    heights = [f"{rng.uniform(150, 200):.1f}" for _ in range(50)]
    (folder / "people.csv").write_text("sex,city,height\n" + "".join(f"F,Oslo,{h}\n" for h in heights))
    (folder / "other.csv").write_text("sex,city,height\n" + "".join(f"M,Rome,{h}\n" for h in reversed(heights)))
    with pytest.raises(InputError, match="hold the same values"):
        load_all(configured(folder, second(CONFIG, "other.csv")).datasets)
    renamed = second(CONFIG, "other.csv").replace("again.private.height", "again.private.size")
    (folder / "other.csv").write_text((folder / "other.csv").read_text().replace("height", "size"))
    with pytest.raises(InputError, match="'height' of data set 'people' and column 'size' of 'again'"):
        load_all(configured(folder, renamed).datasets)
    lines = (folder / "other.csv").read_text().replace(heights[0], "199.9").splitlines()
    (folder / "other.csv").write_text("\n".join([*lines[:-2], "M,Rome,181.1", "M,Rome,182.2", "M,Rome,183.3"]) + "\n")
    with pytest.raises(InputError, match="hold the same values"):  # also with rows more, fewer and changed
        load_all(configured(folder, renamed).datasets)
    others = [f"M,Rome,{rng.uniform(150, 200):.1f}" for _ in range(50)]
    (folder / "other.csv").write_text("\n".join(["sex,city,size", *others]) + "\n")
    assert list(load_all(configured(folder, renamed).datasets)) == ["people", "again"]


@pytest.mark.parametrize(
    ("copy", "words"),
    [
        (lambda x: x, "tells the same as 'height'"),
        (lambda x: x / 2.54, "tells the same as 'height'"),
        (lambda x: 250 - x, "tells the same as 'height'"),
        (lambda x: x + x % 7, "tells the same as"),  # within 3 of 20 that are kept
        (lambda x: x * x % 101, None),
        (lambda x: 0 * x, None),
    ],
)
def test_a_private_column_under_two_names_is_refused(folder: Path, copy: Any, words: str | None) -> None:
    values = np.random.default_rng(0).integers(150, 200, 30)
    (folder / "people.csv").write_text(
        "sex,city,height,size\n" + "".join(f"F,Oslo,{x},{float(copy(x))}\n" for x in values)
    )
    private = "[datasets.people.private.size]\nlower = 0\nupper = 300\nkeep = 1\n"
    public = CONFIG.replace('"city"', '"city", "size"')
    if words is None:
        assert held(folder, CONFIG + private).people == held(folder, public).people == 30
        return
    with pytest.raises(InputError, match=words):
        held(folder, CONFIG + private)
    with pytest.raises(InputError, match="the public column 'size' tells it"):
        held(folder, public)


def test_two_columns_of_few_people_may_agree_by_chance(folder: Path) -> None:
    text = CONFIG.replace('"city"]', '"city", "member"]') + SMOKER
    (folder / "people.csv").write_text("sex,city,height,smoker,member\nF,A,170,0,0\nM,B,180,1,1\nF,B,160,0,0\n")
    assert held(folder, text).people == 3


# ---------------------------------------------------------------------- filters


@pytest.mark.parametrize(
    ("where", "heights"),
    [
        (None, {160, 165, 170, 175.5, 180}),
        ({"column": "sex", "is": "=", "value": "F"}, {160, 165, 170}),
        ({"column": "city", "is": "!=", "value": "Oslo"}, {160, 175.5}),  # a missing city is neither
        ({"not": {"column": "city", "is": "=", "value": "Oslo"}}, {160, 175.5}),
        ({"column": "city", "is": "missing"}, {165}),
        ({"not": {"column": "city", "is": "missing"}}, {160, 170, 175.5, 180}),
        ({"column": "city", "is": "in", "value": ["Rome", "Bern"]}, {160, 175.5}),
        ({"not": {"column": "city", "is": "in", "value": ["Rome", "Bern"]}}, {170, 180}),
        ({"column": "city", "is": "between", "value": ["N", "P"]}, {170, 180}),
        ({"column": "city", "is": "between", "value": ["P", "N"]}, set()),
        ({"any": [{"column": "city", "is": "missing"}, {"column": "sex", "is": "=", "value": "M"}]}, {165, 175.5, 180}),
        ({"all": [{"column": "city", "is": ">", "value": "P"}, {"column": "sex", "is": "=", "value": "M"}]}, {175.5}),
        ({"any": []}, set()),
        ({"not": {"any": []}}, {160, 165, 170, 175.5, 180}),
        ({"all": [None, {"all": []}]}, {160, 165, 170, 175.5, 180}),
    ],
)
def test_who_is_in_a_group(folder: Path, where: Any, heights: set[float]) -> None:
    holding = held(folder)
    condition = conditions.from_json(where)
    mask = group_of(condition, holding.public, holding.people)
    assert set(holding.private["height"][mask].tolist()) == heights
    again = conditions.from_json(conditions.to_json(condition))
    assert (group_of(again, holding.public, holding.people) == mask).all()


DEEP: Any = {"column": "sex", "is": "=", "value": "F"}
for _ in range(200):
    DEEP = {"not": DEEP}


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"column": "height", "is": ">", "value": 170}, "'height' is not public"),
        ({"column": "HEIGHT", "is": ">", "value": 170}, "'HEIGHT' is not public"),
        ({"column": "smoker", "is": "missing"}, "'smoker' is not public"),
        ({"column": "x" * 5000, "is": "missing"}, "x…' is not public"),
        ({"column": "sex", "is": "~", "value": "F"}, "compares by one of"),
        ({"column": "sex", "is": ["="], "value": "F"}, "compares by one of"),
        ({"column": "sex", "is": {}, "value": "F"}, "compares by one of"),
        ({"column": "sex"}, "keys column, is and value"),
        ({"column": 3, "is": "=", "value": "F"}, "its name"),
        ({"column": "sex", "is": "=", "value": {}}, "text, a number"),
        ({"column": "sex", "is": "=", "value": None}, "text, a number"),
        ({"column": "sex", "is": "=", "value": float("nan")}, "text, a number"),
        ({"column": "sex", "is": "=", "value": 10**400}, "text, a number"),
        ({"column": "sex", "is": "!=", "value": "\ud800"}, "text, a number"),
        ({"column": "\ud800", "is": "!=", "value": "F"}, "its name"),
        ({"column": "sex", "is": "missing", "value": "F"}, "has no value"),
        ({"column": "sex", "is": "in", "value": "F"}, "list of values"),
        ({"column": "sex", "is": "in", "value": []}, "list of values"),
        ({"column": "sex", "is": "in", "value": ["F"] * 10_001}, "at most 10,000"),
        ({"column": "sex", "is": "between", "value": ["F"]}, "two values"),
        ({"column": "sex", "is": "<", "value": 3}, "'sex' holds text values: compare it with a text in quotes"),
        ({"column": "sex", "is": "!=", "value": True}, "'sex' holds text values"),
        ({"column": "sex", "is": "in", "value": ["F", 3]}, "'sex' holds text values"),
        ({"all": {}}, "list of at most"),
        ({"all": [DEEP], "any": []}, "keys column, is and value"),
        ("sex = 'F'", "a filter is an object"),
        (DEEP, "nested too deeply"),
    ],
)
def test_filters_that_are_refused(folder: Path, where: Any, words: str) -> None:
    holding = held(folder)
    with pytest.raises(InputError, match=words) as problem:
        group_of(conditions.from_json(where), holding.public, holding.people)
    assert len(str(problem.value)) < 300


NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
COLUMNS: dict[str, tuple[list[Any], Any, Any]] = {
    "number": ([1, 2.5, 3, 4], 3, "3"),
    "text": (["10", "9", "a", "ä"], "a", 3),
    "date": ([dt.date(2026, 1, day) for day in (1, 2, 3, 4)], "2026-01-03", 3),
    "moment": ([dt.datetime(2026, 1, day) for day in (1, 2, 3)], "2026-01-02", "2026-01-02T00:00Z"),
    "moment with a zone": ([NOON, NOON + dt.timedelta(hours=1)], "2026-01-01T14:00+01:00", "noon"),
    "yes or no": ([False, True], True, 1),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_comparison_is_that_of_its_kind(kind: str) -> None:
    labels, value, other = COLUMNS[kind]
    public = {"c": (Alphabet(([*labels, None],)), np.arange(len(labels) + 1))}
    assert conditions.kind_of([*labels, None]) == kind
    meant = {
        "date": dt.date.fromisoformat,
        "moment": dt.datetime.fromisoformat,
        "moment with a zone": dt.datetime.fromisoformat,
    }
    right = meant[kind](value) if kind in meant else value
    signs = dict(zip(conditions.COMPARISONS, ("eq", "ne", "lt", "le", "gt", "ge"), strict=True))
    for sign, name in signs.items():
        mask = group_of(conditions.comparison("c", sign, value), public, len(labels) + 1)
        assert mask.tolist() == [*(getattr(operator, name)(label, right) for label in labels), False]
        with pytest.raises(InputError, match=f"holds {kind} values: compare it with"):
            group_of(conditions.comparison("c", sign, other), public, len(labels) + 1)


@pytest.mark.parametrize("labels", [[], [None], [True, 2], [1, "a"], [1.5, float("inf")], [dt.date(2026, 1, 1), NOON]])
def test_a_column_of_several_kinds_has_none(labels: list[Any]) -> None:
    assert conditions.kind_of(labels) == "other"


def test_a_moment_without_a_zone_is_in_utc() -> None:
    public = {"c": (Alphabet(([NOON, NOON + dt.timedelta(hours=1)],)), np.arange(2))}
    assert group_of(conditions.comparison("c", ">", "2026-01-01 12:30"), public, 2).tolist() == [False, True]


def test_a_column_of_other_things_is_only_missing_or_not() -> None:
    public = {"c": (Alphabet(([(1, 2), None],)), np.array([0, 1, 1]))}
    assert group_of(conditions.comparison("c", "missing", None), public, 3).tolist() == [False, True, True]
    with pytest.raises(InputError, match="only IS NULL"):
        group_of(conditions.comparison("c", "=", "x"), public, 3)
    empty = {"c": (Alphabet(([None],)), np.zeros(3, dtype=np.int64))}
    with pytest.raises(InputError, match="only IS NULL"):
        group_of(conditions.comparison("c", "=", "x"), empty, 3)


def test_the_kinds_of_public_columns(folder: Path) -> None:
    text = "sex,city,age,born,height\nF,,30,1990-01-31,170\nM,Rome,,,180\n"
    (folder / "people.csv").write_text(text)
    holding = held(folder, CONFIG.replace('"city"', '"city", "age", "born"'))
    assert holding.kinds() == {"sex": "text", "city": "text", "age": "number", "born": "date"}
    where = conditions.comparison("born", "<", "2000-01-01")
    assert group_of(where, holding.public, 2).sum() == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user who may not read everything")
def test_a_file_that_may_not_be_read(folder: Path) -> None:
    (folder / "people.csv").chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        held(folder)
