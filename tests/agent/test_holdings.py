"""agent.toml, the data as they are held, filters on them, and what is refused at start-up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.agent import conditions
from discreet.agent.conditions import group_of
from discreet.agent.config import EXAMPLE, Config
from discreet.agent.holdings import Holding
from discreet.errors import InputError

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def configured(folder: Path, text: str = CONFIG) -> Config:
    (folder / "agent.toml").write_text(text)
    return Config.load(folder / "agent.toml")


def test_the_example_reads(folder: Path) -> None:
    config = configured(folder, EXAMPLE)
    assert [each.name for each in config.datasets[0].private] == ["height", "smoker"]
    assert config.ledger == f"sqlite:///{folder / 'ledger.sqlite'}"
    assert Holding.load(config.datasets[0]).people == 5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("upper = 250", "upper = 90"), "lower must be below upper"),
        (("upper = 250", "upper = 'x'"), "upper must be a number"),
        (("upper = 250", "upper = inf"), "upper must be a number"),
        (("upper = 250\n", ""), "upper is missing"),
        (("keep = 20", "keep = 500"), "keep is a length"),
        (("keep = 20", "keep = 20\nkepe = 3"), "'kepe' is not a setting"),
        (("keep = 20", "keep = 20\nintegral = 'yes'"), "true or false"),
        (("keep = 20", "keep = 20\nmissing_as = 3"), "outside the bounds"),
        (('table = "people.csv"\n', ""), "table is missing"),
        (('["sex", "city"]', '["sex", "height"]'), "both public and private"),
        (('["sex", "city"]', "3"), "list of texts"),
        (("[datasets", "[dataset"), "not a setting"),
        (("[datasets.people.private.height]", "[datasets.people.privat.height]"), "not a setting"),
        (("lower", "= lower"), "does not read as TOML"),
    ],
)
def test_settings_that_are_wrong(folder: Path, change: tuple[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        configured(folder, CONFIG.replace(*change))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Config.load(tmp_path / "none.toml")
    with pytest.raises(InputError, match="names no data set"):
        configured(tmp_path, "port = 1")


def test_the_order_of_rows_is_no_matter(folder: Path) -> None:
    first = Holding.load(configured(folder).datasets[0])
    head, *rows = PEOPLE.strip().splitlines()
    (folder / "people.csv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    again = Holding.load(configured(folder).datasets[0])
    assert again.fingerprint == first.fingerprint
    assert (again.private["height"] == first.private["height"]).all()
    (folder / "people.csv").write_text(PEOPLE.replace("170", "171"))
    assert Holding.load(configured(folder).datasets[0]).fingerprint != first.fingerprint


@pytest.mark.parametrize(
    ("rows", "extra", "words"),
    [
        ("F,Oslo,90,0\nF,Oslo,90,0\n", "", "2 rows have values that lie outside"),
        ("F,Oslo,,0\n", "", "1 rows have values that are missing"),
        ("F,Oslo,tall,0\n", "", "missing or no numbers"),
        ("F,Oslo,170.5,0\n", "integral = true\n", "not whole"),
    ],
)
def test_values_that_are_refused_are_counted_and_not_shown(folder: Path, rows: str, extra: str, words: str) -> None:
    (folder / "people.csv").write_text(PEOPLE + rows)
    with pytest.raises(InputError, match=words) as problem:
        Holding.load(configured(folder, CONFIG + extra).datasets[0])
    assert "90" not in str(problem.value)
    assert "tall" not in str(problem.value)


def test_missing_values_may_be_declared(folder: Path) -> None:
    (folder / "people.csv").write_text(PEOPLE + "F,Oslo,,0\n")
    holding = Holding.load(configured(folder, CONFIG + "missing_as = 175\n").datasets[0])
    assert (holding.private["height"] == 175).sum() == 1


def test_no_rows(folder: Path) -> None:
    (folder / "people.csv").write_text("sex,city,height\n")
    with pytest.raises(InputError, match="no rows"):
        Holding.load(configured(folder).datasets[0])


@pytest.mark.parametrize(
    ("where", "heights"),
    [
        (None, {160, 165, 170, 175.5, 180}),
        ({"column": "sex", "is": "=", "value": "F"}, {160, 165, 170}),
        ({"column": "city", "is": "!=", "value": "Oslo"}, {160, 175.5}),  # a missing city is neither
        ({"not": {"column": "city", "is": "=", "value": "Oslo"}}, {160, 175.5}),
        ({"column": "city", "is": "missing"}, {165}),
        ({"not": {"column": "city", "is": "missing"}}, {160, 170, 175.5, 180}),
        ({"column": "city", "is": "in", "value": ["Rome", 3]}, {160, 175.5}),
        ({"column": "city", "is": "between", "value": ["N", "P"]}, {170, 180}),
        ({"any": [{"column": "city", "is": "missing"}, {"column": "sex", "is": "=", "value": "M"}]}, {165, 175.5, 180}),
        ({"all": [{"column": "city", "is": ">", "value": "P"}, {"column": "sex", "is": "=", "value": "M"}]}, {175.5}),
        ({"any": []}, set()),
        ({"column": "sex", "is": "<", "value": 3}, set()),
    ],
)
def test_who_is_in_a_group(folder: Path, where: Any, heights: set[float]) -> None:
    holding = Holding.load(configured(folder).datasets[0])
    mask = group_of(conditions.from_json(where), holding.public, holding.people)
    assert set(holding.private["height"][mask].tolist()) == heights


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"column": "height", "is": ">", "value": 170}, "'height' is not public"),
        ({"column": "sex", "is": "~", "value": "F"}, "compares by one of"),
        ({"column": "sex"}, "keys column, is and value"),
        ({"column": 3, "is": "=", "value": "F"}, "its name"),
        ({"column": "sex", "is": "=", "value": {}}, "text, a number"),
        ({"column": "sex", "is": "=", "value": float("nan")}, "text, a number"),
        ({"column": "sex", "is": "in", "value": "F"}, "list of values"),
        ({"column": "sex", "is": "between", "value": [1]}, "two values"),
        ({"all": {}}, "list of at most"),
        ("sex = 'F'", "a filter is an object"),
    ],
)
def test_filters_that_are_refused(folder: Path, where: Any, words: str) -> None:
    holding = Holding.load(configured(folder).datasets[0])
    with pytest.raises(InputError, match=words):
        group_of(conditions.from_json(where), holding.public, holding.people)


def test_a_filter_too_deep_is_refused() -> None:
    where: Any = {"column": "a", "is": "=", "value": 1}
    for _ in range(200):
        where = {"not": where}
    with pytest.raises(InputError, match="a filter is an object"):
        conditions.from_json(where)


def test_every_comparison_is_that_of_python() -> None:
    from discreet.labels import Alphabet

    codes = np.arange(5)
    public = {"n": (Alphabet(([1, 2, 3, 4, 5],)), codes)}
    for kind, check in conditions.COMPARISONS.items():
        mask = group_of(conditions.comparison("n", kind, 3), public, 5)
        assert mask.tolist() == [check(n, 3) for n in (1, 2, 3, 4, 5)]
