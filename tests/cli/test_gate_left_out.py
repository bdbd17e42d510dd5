"""A gate that met every requirement says "could not tell" (2) where something was left out that could break one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.auditing._looking import look_at
from tests.processes import run

Table = dict[str, list[Any]]


def write(path: Path, table: Table) -> Path:
    rows = zip(*table.values(), strict=True)
    path.write_text(
        ",".join(table) + "\n" + "".join(",".join("" if c is None else str(c) for c in row) + "\n" for row in rows)
    )
    return path


def wards(rows: int = 60) -> Table:
    """Thirty records in each of two wards, four illnesses in each."""
    return {"ward": [f"w{i % 2}" for i in range(rows)], "ill": [f"i{(i // 2) % 4 + i % 5 // 4}" for i in range(rows)]}


MAIL = "mail looks like an identifier (mail addresses), and nobody named it: leave it out of the file, or say --ignore mail"
ASKED = ("-p", "ward", "-s", "ill", "-r", "n>=5", "-r", "k>=2")


def test_rows_that_were_dropped(tmp_path: Path) -> None:
    """Two hundred of 260 have a ward of their own, and no illness: the sixty others look safe."""
    table = {"ward": [*wards()["ward"], *(f"own {i}" for i in range(200))], "ill": [*wards()["ill"], *[None] * 200]}
    path = write(tmp_path / "t.csv", table)
    done = run("audit", str(path), *ASKED, "--missing", "drop")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "could not tell: 200 of 260 records were dropped, since a value is missing" in done.stderr
    assert "200 of 260 records were dropped" in " ".join(done.stdout.split())
    assert run("audit", str(path), *ASKED).returncode == 1
    plain = run("audit", str(path), "-p", "ward", "-s", "ill", "--missing", "drop")
    assert (plain.returncode, plain.stderr) == (0, "")
    broken = run("audit", str(path), *ASKED, "-r", "n>=31", "--missing", "drop")
    assert (broken.returncode, broken.stderr) == (1, "")


def test_a_column_that_was_counted_coarser_than_it_is(tmp_path: Path) -> None:
    table: Table = {"cost": [float(i) for i in range(60)], "ill": wards()["ill"]}
    path = write(tmp_path / "t.csv", table)
    asked = ("audit", str(path), "-p", "cost", "-s", "ill", "--coarsen", "cost=30")
    done = run(*asked, "-r", "n>=5")
    assert done.returncode == 2
    assert "could not tell: cost was counted by steps of 30" in done.stderr
    assert run(*asked).returncode == 0
    assert run("audit", str(path), "-p", "cost", "-s", "ill", "-r", "n>=5").returncode == 1


def test_columns_that_look_like_identifiers_and_nobody_named(tmp_path: Path) -> None:
    table = {**wards(), "mail": [f"p{i}@here.org" for i in range(60)], "visits": [i % 3 for i in range(60)]}
    path = write(tmp_path / "t.csv", table)
    page = tmp_path / "a.html"
    done = run("audit", str(path), *ASKED, "--html", str(page))
    assert done.returncode == 2
    assert "mail looks like an identifier (mail addresses), and nobody named it" in done.stderr
    assert "p7@here.org" not in done.stdout + done.stderr
    assert "mail looks like an identifier" in page.read_text()
    told = json.loads(run("audit", str(path), *ASKED, "--json").stdout)
    assert (told["left_out"], told["unnamed"]) == (
        [MAIL],
        ["mail", "visits"],
    )
    named = run("audit", str(path), *ASKED, "--ignore", "mail")
    assert (named.returncode, named.stderr) == (0, "")
    assert "Not counted, since nobody named it: visits." in named.stdout
    assert "Not counted" not in run("audit", str(path), *ASKED, "--ignore", "mail,visits").stdout
    unknown = run("audit", str(path), *ASKED, "--ignore", "mial")
    assert unknown.returncode == 2 and "has no column 'mial'" in unknown.stderr
    both = run("audit", str(path), *ASKED, "--ignore", "ward")
    assert both.returncode == 2 and "'ward' is ignored and has another role" in both.stderr


def test_the_roles_of_a_recipe_name_columns(tmp_path: Path) -> None:
    table = {**wards(), "mail": [f"p{i}@here.org" for i in range(60)], "home": [f"h{i}" for i in range(60)]}
    path = write(tmp_path / "t.csv", table)
    recipe = tmp_path / "r.toml"
    roles = {"ward": "public", "ill": "sensitive", "mail": "identifier", "home": "household"}
    recipe.write_text(
        f'[data]\ntable = "{path.name}"\n'
        + "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items())
    )
    done = run("audit", "--recipe", str(recipe), "-r", "n>=5")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Not counted" not in done.stdout


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "polars", "lazy", "rows", "sqlite", "xlsx"])
def test_every_kind_of_table_is_looked_at(kind: str, tmp_path: Path) -> None:
    import pandas as pd
    import polars as pl

    table = {**wards(), "patient": [f"p{i % 25}" for i in range(60)]}
    frame, tables = pd.DataFrame(table), str(tmp_path / f"t.{kind}")
    if kind == "sqlite":
        import sqlite3

        with sqlite3.connect(tables) as con:
            frame.to_sql("t", con, index=False)
        found = look_at(f"sqlite:///{tables}#t", ["ward"])
    elif kind in ("csv", "parquet", "xlsx"):
        write_frame: Any = {"csv": frame.to_csv, "parquet": frame.to_parquet, "xlsx": frame.to_excel}[kind]
        write_frame(tables, index=False)
        found = look_at(tables, ["ward"])
    else:
        found = look_at(
            {
                "pandas": frame,
                "polars": pl.DataFrame(table),
                "lazy": pl.LazyFrame(table),
                "rows": frame.to_dict("records"),
            }[kind],
            ["ward"],
        )
    assert (found.rows, found.unnamed, found.person) == (60, ("ill", "patient"), ("patient", 25))
    assert dict(found.identifiers) == {"patient": "named like an identifier, with many values"}


def test_a_look_stops_at_so_many_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("discreet.auditing._looking.ROWS", 30)
    table = {**wards(), "patient": [f"p{i}" for i in range(30)] * 2}
    path = write(tmp_path / "t.csv", table)
    assert look_at(str(path)).person is None  # they come again after the rows that were looked at
    monkeypatch.setattr("discreet.auditing._looking.ROWS", 40)
    (line,) = look_at(str(path)).record_sentences()
    assert line.startswith("patient has 30 values in the first 40 records: a record is not a person")


def test_every_row_five_times(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    once = {"age": rng.integers(20, 80, 40).tolist(), "ill": rng.choice(["a", "b", "c"], 40).tolist()}
    five = {name: [value for value in column for _ in range(5)] for name, column in once.items()}
    done = run("audit", str(write(tmp_path / "t.csv", five)), "-p", "age", "-s", "ill")
    assert done.returncode == 0
    assert "every row comes 5 times or a multiple of that" in " ".join(done.stdout.split())
    assert "comes" not in run("audit", str(write(tmp_path / "o.csv", once)), "-p", "age", "-s", "ill").stdout
    with_visit = {**five, "visit": [str(i % 5) for i in range(200)]}  # the join brought a column of its own
    assert dc.audit(with_visit, "ill", "age").look.times_counted == 5


def test_rows_that_repeat_in_every_column() -> None:
    table: Table = {"age": [20 + i % 47 for i in range(100)], "zip": [str(10000 + i) for i in range(100)]}
    twice = {name: [*column, *column[:4]] for name, column in table.items()}
    (line,) = dc.audit(twice, public="age").look.record_sentences()
    assert line == "8 of 104 records are the same as another in all 2 columns: somebody may be counted twice"
    assert not dc.audit(table, public="age").look.record_sentences()


def test_a_table_that_can_be_read_once_is_audited_all_the_same() -> None:
    import pyarrow as pa

    reader = pa.table(wards()).to_reader()
    assert dc.audit(reader, "ill", "ward").values["n"] == 30


def test_both_marketers_risks_are_told(tmp_path: Path) -> None:
    table = {**wards(24), "age": list(range(24)), "w": [100] * 24}
    done = run("audit", str(write(tmp_path / "t.csv", table)), "-p", "age", "--weights", "w")
    text = " ".join(done.stdout.split())
    assert "probability of being found, on average (marketer's risk) 100.0%" in text
    assert (
        "on average, among the 2,400 people that the records stand for (marketer's risk of the population) 1.0%" in text
    )
    told = json.loads(run("audit", str(tmp_path / "t.csv"), "-p", "age", "--weights", "w", "--json").stdout)["risk"]
    assert (told["marketer"], told["prosecutor_mean"]) == (pytest.approx(0.01), 1.0)


def test_nothing_stands_out_only_where_nothing_does(tmp_path: Path) -> None:
    """97 of 100 in each of two postcodes have one illness: nobody's is certain, and everybody's is known well enough."""
    table = {"postcode": ["01", "02"] * 100, "ill": ["hiv"] * 194 + ["flu", "flu", "cold", "cold", "gout", "gout"]}
    done = run("audit", str(write(tmp_path / "t.csv", table)), "-p", "postcode", "-s", "ill")
    text = " ".join(done.stdout.split())
    assert "Nothing stands out" not in text
    assert "one value has 97.0% of a group" in text
    assert "hiv" not in text
    even = {"postcode": ["01", "02"] * 100, "ill": [("a", "b", "c", "d")[i // 2 % 4] for i in range(200)]}
    assert (
        "Nothing stands out" in run("audit", str(write(tmp_path / "e.csv", even)), "-p", "postcode", "-s", "ill").stdout
    )


def test_what_to_do_about_a_common_value_can_be_done(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    ages = np.sort(rng.integers(20, 60, 400))
    ill = np.where(ages < 30, rng.choice(["hiv", "a", "b"], 400, p=[0.9, 0.05, 0.05]), rng.choice(list("abcde"), 400))
    found = dc.audit({"age": (ages // 10).tolist(), "ill": ill.tolist()}, "ill", "age")
    from discreet.auditing._verdict import next_step

    step = next_step(found)
    assert "alpha<=0.5" in step.command and "more than half" in step.why
    mostly = dc.audit({"age": [i % 2 for i in range(200)], "ill": ["a"] * 140 + ["b"] * 30 + ["c"] * 30}, "ill", "age")
    told = next_step(mostly)
    assert told.command.startswith("discreet audit") and "no coarsening" in told.why
