"""Data sets: loaded from where they are, checked, and never bundled."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet import datasets
from discreet.errors import InputError, TableError


def test_the_hungarian_data_are_those_of_the_papers(hungarian: dict[str, list[object]]) -> None:
    assert len(hungarian["age"]) == 293
    assert hungarian["chol"].count(None) == 22
    assert all(isinstance(age, int) for age in hungarian["age"])


def test_the_diabetes_data_come_from_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    table = datasets.load("diabetes")
    assert len(table["age"]) == 442
    assert (min(table["age"]), max(table["age"])) == (19, 79)  # type: ignore[type-var]
    assert list(table)[-1] == "progression"


def test_what_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    with pytest.raises(TableError, match="not bundled"):
        datasets.load("hungarian")
    with pytest.raises(TableError, match="cannot be read"):
        datasets.load("hungarian", data=tmp_path)
    (tmp_path / datasets.HUNGARIAN_FILE).write_text("1,2,3\n")
    with pytest.raises(TableError, match="sha256 differs"):
        datasets.load("hungarian", data=tmp_path)
    with pytest.raises(InputError, match="no data set 'iris'"):
        datasets.load("iris")
