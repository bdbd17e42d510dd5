"""Columns made coarser while they are counted: one map whatever holds the table, true cells, bounds that hold."""

from __future__ import annotations

import datetime as dt
import json
import math
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import discreet as dc
from discreet import Joint, Policy
from discreet.columns._bands import band_of
from discreet.errors import DiscreetError
from discreet.tables._bands import Band
from tests.processes import run


def people(rows: int = 600) -> dict[str, list[Any]]:
    rng = random.Random(3)
    start = dt.datetime(2024, 1, 30, 22)
    return {
        "ill": [rng.choice(["flu", "cold", "gout", "none"]) for _ in range(rows)],
        "chol": [rng.choice([None, *(150 + rng.random() * 100 for _ in range(9))]) for _ in range(rows)],
        "age": [rng.randrange(18, 90) for _ in range(rows)],
        "admitted": [start + dt.timedelta(minutes=rng.randrange(90_000)) for _ in range(rows)],
        "postcode": [f"{rng.randrange(100_000):05d}" for _ in range(rows)],
    }


COARSEN = {"chol": 5, "age": "quantiles:7", "admitted": "hour", "postcode": 3}
TABLE = people()


def tables(folder: Path) -> dict[str, Any]:
    arrow = pa.table(TABLE)
    pq.write_table(arrow, folder / "t.parquet", row_group_size=100)
    pd.DataFrame(TABLE).to_csv(folder / "t.csv", index=False)
    return {
        "parquet": folder / "t.parquet",
        "csv": folder / "t.csv",
        "arrow": arrow,
        "pandas": pd.DataFrame(TABLE),
        "mapping": TABLE,
    }


@pytest.mark.parametrize("column", COARSEN)
def test_every_engine_makes_the_same_bands(tmp_path: Path, column: str) -> None:
    joints = {
        kind: Joint.from_table(table, "ill", column, coarsen={column: COARSEN[column]})
        for kind, table in tables(tmp_path).items()
    }
    first = joints["mapping"]
    assert 1 < first.n_x < Joint.from_table(TABLE, "ill", column).n_x
    for kind, joint in joints.items():
        assert joint == first, kind
        assert joint.bands == first.bands, kind


def test_what_bands_are_called() -> None:
    joint = Joint.from_table(TABLE, "ill", ["admitted", "postcode"], coarsen={"admitted": "month", "postcode": 1})
    assert joint.x[0][0] == dt.date(2024, 1, 1)
    assert {code for _, code in joint.x} == {f"{digit}*" for digit in range(10)}
    with_zone = pa.table({"s": [1, 2], "t": pa.array([0, 7_200_000_001], pa.timestamp("us", "Europe/Paris"))})
    found = Joint.from_table(with_zone, "s", "t", coarsen={"t": "hour"}).x
    assert found == (dt.datetime(1970, 1, 1, tzinfo=dt.UTC), dt.datetime(1970, 1, 1, 2, tzinfo=dt.UTC))


@given(st.floats(-1e9, 1e9), st.sampled_from([0.1, 0.3, 1, 5, 7, 0.001, 1e-7, 1e-9, 1000]))
@example(900719925.6445312, 1e-7)
@example(-(2.0**50) * 1e-7, 1e-7)
@example(math.inf, 5)
def test_a_value_lies_in_its_band(value: float, width: float) -> None:
    band = Band("number", width)
    letter = band.of(value)
    assert letter <= value <= band.last(letter)


@pytest.mark.parametrize("unit", ["hour", "day", "week", "month", "quarter", "year"])
def test_a_moment_lies_in_its_band(unit: str) -> None:
    band, rng = Band("date", unit), random.Random(unit)
    for _ in range(200):
        value = dt.datetime(2, 1, 1) + dt.timedelta(microseconds=rng.randrange(9990 * 365 * 86_400_000_000))
        assert band.of(value) <= value <= band.last(band.of(value))


def inside(cell: str, value: Any) -> bool:
    """Whether an interval of a released column of numbers is true of a value."""
    return any(
        float(low) <= value <= float(high or low) for low, _, high in (s.partition("–") for s in cell.split(", "))
    )


@pytest.mark.parametrize("asked", [5, "quantiles:20"])
def test_a_release_is_true_of_the_original_and_keeps_its_bound(tmp_path: Path, asked: Any) -> None:
    """Leakage is recomputed by hand from the original values; cells hold them; distances are at most those promised."""
    table = {
        name: [v for v, c in zip(TABLE[name], TABLE["chol"], strict=True) if c is not None] for name in ("ill", "chol")
    }
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    joint = Joint.from_table(tmp_path / "t.parquet", "ill", "chol", coarsen={"chol": asked})
    found = dc.frontier(joint)
    policy = found.points[len(found.points) // 2].policy
    policy.save(tmp_path / "policy.json")
    policy = Policy.load(tmp_path / "policy.json")
    assert policy.bands == joint.bands
    out = policy.release(tmp_path / "t.parquet", out=tmp_path / "r.parquet", keep=["ill"], keep_anyway=True)
    assert policy.verify(out, tmp_path / "t.parquet").ok
    # By hand: which block each original value falls in, by its cell's text alone.
    band = joint.bands["chol"]
    cells = [
        policy.labels[number][0] for number in map(policy.block_of, map(band.of, table["chol"])) if number is not None
    ]
    assert len(cells) == len(table["chol"])
    assert all(map(inside, cells, table["chol"]))
    by_hand = Joint.from_pairs(list(zip(table["ill"], cells, strict=True)))
    assert math.isclose(dc.measures.worst_case_leakage(by_hand), policy.after["L0"])
    words = {policy.labels[i][0]: policy.codewords[i] for i in range(len(policy.blocks))}
    far = max(abs(value - words[cell]) for value, cell in zip(table["chol"], cells, strict=True))
    assert far <= -policy.utility["distortion"]


def test_a_value_never_seen_gets_a_true_cell_or_none() -> None:
    policy = (
        dc.frontier(Joint.from_table({"s": [1, 2, 1, 2], "x": [1.5, 7.0, 31.0, 39.0]}, "s", "x", coarsen={"x": 5}))
        .points[0]
        .policy
    )
    assert [label for (label,) in policy.labels][-1].endswith("40")
    for value in (0.0, 4.99, 12.0, 29.9, 30.0, 39.99):
        number = policy.block_of(Band("number", 5).of(value))
        assert number is not None
        assert inside(policy.labels[number][0], value), value
    assert policy.block_of(Band("number", 5).of(41.0)) is None


def test_several_columns_say_where_their_last_band_ends() -> None:
    table = {"s": [1, 2, 1, 2], "x": [1, 7, 31, 39], "t": [dt.date(2024, m, 5) for m in (1, 2, 3, 4)]}
    joint = Joint.from_table(table, "s", ["x", "t"], coarsen={"x": 5, "t": "month"})
    labels = dc.frontier(joint, utility="resolution").points[-1].policy.labels
    assert labels == (("0–10", "2024-01-01 to 2024-02-29"), ("30–40", "2024-03-01 to 2024-04-30"))


@pytest.mark.parametrize(
    ("coarsen", "words"),
    [
        ({"chol": "fortnight"}, "say 5, month"),
        ({"chol": "code:"}, "not a number above 0"),
        ({"chol": "number:-1"}, "not a number above 0"),
        ({"chol": "quantiles:1"}, "2 to 10,000"),
        ({"chol": "steps:4"}, "say number:5"),
        ({"chol": True}, "say 5"),
        ({"ill": 5}, "not public"),
        ({"name": 5}, "not public"),
        ({"postcode": "number:5"}, "hold no numbers"),
        ({"age": "hour"}, "hold no dates"),
        ([("age", 5)], "names columns and bands"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "mapping", "parquet"])
def test_bands_that_cannot_be(tmp_path: Path, coarsen: Any, words: str, kind: str) -> None:
    with pytest.raises(DiscreetError, match=words):
        Joint.from_table(tables(tmp_path)[kind], "ill", ["chol", "age", "postcode"], coarsen=coarsen)


def test_texts_that_mean_missing_are_in_no_band(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("s,x\n1,7\n2,?\n1,12\n2,\n")
    for table in (tmp_path / "t.csv", {"s": [1, 2, 1, 2], "x": ["7", "?", "12", None]}):
        assert Joint.from_table(table, "s", "x", coarsen={"x": 5}, na="?").x == (5, 10, None)


def test_a_plain_number_is_a_width_or_characters() -> None:
    assert band_of("postcode", 3) == Band("code", 3)
    assert band_of("chol", "2.5") == Band("number", 2.5)


def test_on_the_command_line(tmp_path: Path) -> None:
    tables(tmp_path)
    roles = ("-s", "ill", "-p", "chol", "--coarsen", "chol=5", "--missing", "drop")
    done = run("audit", "t.parquet", *roles, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "chol was counted by steps of 5" in done.stdout
    (tmp_path / "r.toml").write_text(
        '[data]\ntable = "t.csv"\n[columns.ill]\nrole = "sensitive"\n[columns.postcode]\nrole = "public"\ncoarsen = 2\n'
        '[columns.admitted]\nrole = "public"\ncoarsen = "month"\n'
    )
    told = json.loads(run("audit", "--recipe", "r.toml", "--json", cwd=tmp_path).stdout)
    asked = {"postcode": 2, "admitted": "month"}
    by_hand = dc.audit(tmp_path / "t.csv", "ill", list(asked), coarsen=asked)
    assert told["values"]["L0"] == by_hand.values["L0"]
    assert told["rows"] == by_hand.joint.total
    assert "up to 5 further" in run("frontier", "t.parquet", *roles, cwd=tmp_path).stdout
    files = ("--out", "r.csv", "--policy", "p.json")
    done = run("release", "t.csv", *roles, "--min-utility", "-20", *files, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert -20 <= json.loads(done.stdout)["utility"]["value"] < -5
    assert run("verify", "r.csv", "--policy", "p.json", "--original", "t.parquet", cwd=tmp_path).returncode == 0
    assert run("apply", "p.json", "t.parquet", "--out", "again.csv", cwd=tmp_path).returncode == 0
    for more, words in (
        (("--coarsen", "ill=5"), "does not read as COLUMN=BAND"),
        (("--coarsen", "chol=6"), "given twice"),
        (("--require", "n>=2"), "one bound on a leakage"),
    ):
        refused = run("release", "t.csv", *roles, *more, *files, "--force", cwd=tmp_path)
        assert refused.returncode == 2
        assert words in refused.stderr
        assert refused.stderr.count("\n") == 1
