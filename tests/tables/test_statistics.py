"""Files of Stata, SPSS, SAS and R: what was written is what is counted, and what is damaged is one line."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.errors import TableError
from tests.processes import run

pyreadstat = pytest.importorskip("pyreadstat")
pyreadr = pytest.importorskip("pyreadr")

PEOPLE = pd.DataFrame(
    {
        "sex": [1, 2, 1, 2, None, 3],
        "age": [30, 31, 30, 44, 44, 45],
        "town": ["Ulm", "Köln", "", "Ulm", "Ulm", "Köln"],
    }
)
LABELS = {"sex": {1: "female", 2: "male"}}
WITH_LABELS = ("female", "male", "female", "male", None, 3)
PLAIN = (1, 2, 1, 2, None, 3)

Write = Callable[[Path], Any]
FILES: dict[str, tuple[Write, tuple[Any, ...]]] = {
    "people.dta": (lambda path: pyreadstat.write_dta(PEOPLE, str(path), variable_value_labels=LABELS), WITH_LABELS),
    "people.sav": (lambda path: pyreadstat.write_sav(PEOPLE, str(path), variable_value_labels=LABELS), WITH_LABELS),
    "people.zsav": (
        lambda path: pyreadstat.write_sav(PEOPLE, str(path), variable_value_labels=LABELS, compress=True),
        WITH_LABELS,
    ),
    "people.por": (
        lambda path: pyreadstat.write_por(PEOPLE.replace("Köln", "Bonn").rename(columns=str.upper), str(path)),
        PLAIN,
    ),
    "people.xpt": (lambda path: pyreadstat.write_xport(PEOPLE, str(path)), PLAIN),
    "people.rds": (lambda path: pyreadr.write_rds(str(path), PEOPLE), PLAIN),
    "people.rdata": (lambda path: pyreadr.write_rdata(str(path), PEOPLE, df_name="people"), PLAIN),
}


@pytest.mark.parametrize("name", FILES)
def test_what_was_written_is_counted(name: str, tmp_path: Path) -> None:
    write, sex = FILES[name]
    path = tmp_path / name
    write(path)
    names = dc.tables.column_names(path)
    assert [each.lower() for each in names[:3]] == ["sex", "age", "town"]
    found = dc.Joint.from_table(path, sensitive=names[2], public=names[:2])
    second = "Bonn" if name.endswith("por") else "Köln"  # those files are not in UTF-8
    towns = ["Ulm", second, None if name[-3:] in ("dta", "sav", "por", "xpt") else "", "Ulm", "Ulm", second]
    expected = dc.Joint.from_table(
        {"town": towns, "sex": list(sex), "age": PEOPLE["age"].tolist()}, "town", ["sex", "age"]
    )
    assert found == expected
    done = run("audit", name, "-s", names[2], "-p", f"{names[0]},{names[1]}", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_two_values_with_one_label_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(PEOPLE, str(path), variable_value_labels={"sex": {1: "other", 2: "other"}})
    assert dc.audit(path, public="sex").joint.x == ("3", "other (1)", "other (2)", None)


def test_amounts_of_which_a_few_are_labelled_stay_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(PEOPLE, str(path), variable_value_labels={"age": {45: "45 or more"}})
    assert dc.audit(path, public="age").joint.x == (30, 31, 44, 45)


def test_a_file_of_several_data_frames_asks_for_one(tmp_path: Path) -> None:
    import shutil

    path = tmp_path / "t.rdata"
    pyreadr.write_rdata(str(path), PEOPLE, df_name="people")
    assert dc.audit(f"{path}#people", public="age").joint.n_x == 4
    with pytest.raises(TableError, match="has no data frame 'persons'"):
        dc.audit(f"{path}#persons", public="age")
    shutil.copy(path, tmp_path / "other.RDA")
    assert dc.audit(tmp_path / "other.RDA", public="age").joint.n_x == 4


@pytest.mark.parametrize("name", [*FILES, "people.sas7bdat"])
def test_a_damaged_file_is_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name in FILES:
        FILES[name][0](path)
        whole = path.read_bytes()
    else:
        whole = bytes(range(256)) * 8
    rng = random.Random(7)
    for spoilt in (whole[: len(whole) // 2], b"not a table at all", bytes(rng.randrange(256) for _ in range(900)), b""):
        path.write_bytes(spoilt)
        done = run("audit", name, "-p", "sex", cwd=tmp_path)
        assert done.returncode in (0, 2), spoilt[:20]  # half of a file may hold whole rows
        assert done.stderr.count("\n") == (1 if done.returncode else 0), done.stderr


def test_without_the_extra_the_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for module, name, extra in (("pyreadstat", "t.dta", "stats"), ("pyreadr", "t.rds", "r")):
        (tmp_path / name).write_bytes(b"x")
        monkeypatch.setitem(sys.modules, module, None)
        done = run("audit", name, "-p", "sex", cwd=tmp_path)
        assert done.returncode == 2
        assert f'pip install "discreet[{extra}]"' in done.stderr
