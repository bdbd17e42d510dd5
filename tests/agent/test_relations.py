"""Columns that tell of each other are found, also when they do so only nearly, and columns that do not are left alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.agent._config import Config
from discreet.agent._holdings import Holding, load_all
from discreet.agent._relations import as_numbers
from discreet.errors import InputError

N = 300
RNG = np.random.default_rng(4)
SALARY = RNG.lognormal(10.5, 0.4, N).round()
BONUS = RNG.uniform(0, 20_000, N).round()
AGE = RNG.integers(18, 80, N).astype(float)
KIND = RNG.integers(0, 3, N)
WEIGHT = RNG.normal(75, 12, N).round(1)
Columns = dict[str, Any]


def deviating(values: Any, rows: int = 15) -> Any:
    """With other values in a few rows."""
    some = values.copy()
    some[:rows] = values[rows : 2 * rows][::-1]
    return some


def loaded(folder: Path, private: Columns, public: Columns) -> Holding:
    columns = {"town": RNG.choice(["Oslo", "Rome"], N), **public, **private}
    lines = [",".join(columns), *(",".join(f'"{x}"' for x in row) for row in zip(*columns.values(), strict=True))]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    sections = "".join(
        f"[datasets.people.private.{name}]\nlower = {min(x)}\nupper = {max(x)}\nkeep = {np.ptp(x) / 5}\n"
        for name, x in private.items()
    )
    text = f'[datasets.people]\ntable = "people.csv"\npublic = {["town", *public]}\n' + sections
    (folder / "agent.toml").write_text(text.replace("'", '"'))
    return Holding.load(Config.load(folder / "agent.toml").datasets[0])


@pytest.mark.parametrize(
    ("private", "public", "words"),
    [
        ({"year": SALARY, "month": (SALARY / 12).round(-1)}, {}, "'(year|month)' tells the same as"),
        ({"year": SALARY, "month": deviating((SALARY / 12).round(-1))}, {}, "'(year|month)' tells the same as"),
        ({"salary": SALARY, "bonus": BONUS, "total": SALARY + BONUS}, {}, "follows from .* and .*, linearly, in 100%"),
        ({"salary": SALARY, "bonus": BONUS, "total": deviating(SALARY + BONUS)}, {}, "follows from '.*' and '.*'"),
        ({"salary": SALARY, "total": SALARY + BONUS}, {"bonus": BONUS}, "'salary' follows from 'total' and 'bonus'"),
        ({name: (i == KIND) + 0.0 for i, name in enumerate("abc")}, {}, "'a' follows from 'b' and 'c', linearly"),
        ({"age": AGE}, {"born": 2026 - AGE.astype(int)}, "the public column 'born' tells it"),
        ({"age": AGE}, {"born": deviating((2026 - AGE - RNG.integers(0, 2, N)).astype(int))}, "column 'born' tells it"),
        ({"age": AGE}, {"born": [f"{int(2026 - a)}-07-01" for a in AGE]}, "the public column 'born' tells it"),
        ({"salary": SALARY}, {"paid": [f"{s:,.0f} EUR" for s in SALARY]}, "the public column 'paid' tells it"),
        ({"age": AGE}, {"band": [f"band {int(a) // 5:02d}" for a in AGE]}, "the public column 'band' tells it"),
        ({"salary": SALARY}, {"rank": np.argsort(np.argsort(SALARY))}, "the public column 'rank' tells it"),
        ({"salary": SALARY, "log": np.log(SALARY).round(4)}, {}, "'(salary|log)' tells the same as"),
    ],
)
def test_columns_that_tell_of_each_other_are_refused(
    tmp_path: Path, private: Columns, public: Columns, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        loaded(tmp_path, private, public)


HEIGHT = (100 + 0.4 * WEIGHT + RNG.normal(0, 6, N)).round(1)
RARE: Callable[[float], Any] = lambda share: (RNG.random(N) < share) + 0.0  # noqa: E731


@pytest.mark.parametrize(
    ("private", "public"),
    [
        ({"height": HEIGHT, "weight": WEIGHT}, {"age": AGE.astype(int)}),
        ({"rare": RARE(0.04), "other": RARE(0.04), "third": RARE(0.5)}, {"age": AGE.astype(int)}),
        ({"salary": SALARY, "bonus": BONUS}, {"kind": KIND, "number": np.arange(N), "age": AGE.astype(int)}),
    ],
)
def test_columns_that_are_only_alike_are_not(tmp_path: Path, private: Columns, public: Columns) -> None:
    assert loaded(tmp_path, private, public).people == N


def test_texts_that_are_numbers() -> None:
    for text, number in (
        ("1,250 €", 1250),
        ("1.250,50", 1250.5),
        ("$ 12'000", 12000),
        ("3,5 kg", 3.5),
        ("-2e3", -2000),
    ):
        assert as_numbers([text]) == [number]
    assert as_numbers(["Oslo", "Rome"]) is None and as_numbers([None]) is None


def test_columns_of_one_table_in_two_data_sets_are_held_against_each_other(tmp_path: Path) -> None:
    rows = zip(RNG.choice(["Oslo", "Rome"], N), SALARY, (SALARY / 12).round(-1), strict=True)
    (tmp_path / "people.csv").write_text("town,year,month\n" + "".join(f"{t},{y},{m}\n" for t, y, m in rows))
    text = "".join(
        f'[datasets.{name}]\ntable = "people.csv"\npublic = ["town"]\n'
        f"[datasets.{name}.private.{name}]\nlower = 0\nupper = 500000\nkeep = 5000\n"
        for name in ("year", "month")
    )
    (tmp_path / "agent.toml").write_text(text)
    with pytest.raises(InputError, match=r"data set 'year and month': column '(year|month)' tells the same as"):
        load_all(Config.load(tmp_path / "agent.toml").datasets)
    (tmp_path / "agent.toml").write_text(
        text.replace('["town"]', '["town", "year"]').replace('"town", "year"', '"town"', 1)
    )
    with pytest.raises(InputError, match="column 'year' is private in data set 'year' and public in 'month'"):
        Config.load(tmp_path / "agent.toml")
