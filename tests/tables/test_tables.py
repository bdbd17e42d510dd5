"""Tables: the same joint from every engine, missing values, dtypes, and every way a table can be bad."""

from __future__ import annotations

import datetime as dt
import decimal
import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Joint, tables
from discreet.errors import ColumnError, InputError, MissingExtraError, TableError
from discreet.tables._canonical import canonical
from discreet.tables._columns import encode_column
from discreet.tables._sources import in_order

ROWS: list[dict[str, Any]] = [
    {"age": 40, "sex": "F", "chol": 200.5, "town": "Aá"},
    {"age": 41, "sex": "M", "chol": 200.5, "town": "b,c"},
    {"age": 41, "sex": "F", "chol": 199.0, "town": 'd"e'},
    {"age": 40, "sex": None, "chol": None, "town": "Aá"},
    {"age": None, "sex": "F", "chol": 199.0, "town": "b,c"},
    {"age": 40, "sex": "F", "chol": 200.5, "town": "Aá"},
    {"age": 43, "sex": "M", "chol": 210.0, "town": None},
    {"age": 40, "sex": "M", "chol": 210.0, "town": "b,c"},
]


@pytest.mark.parametrize("missing", ["level", "drop"])
def test_every_engine_gives_the_same_joint(as_table: Callable[[Any], Any], missing: Any) -> None:
    plain = Joint.from_table(ROWS, "age", ["chol", "town"], side="sex", missing=missing)
    joint = Joint.from_table(as_table(ROWS), "age", ["chol", "town"], side="sex", missing=missing)
    assert joint == plain
    assert joint.missing == plain.missing
    assert [type(label) for label in joint.s] == [type(label) for label in plain.s]
    if missing == "level":
        assert joint.s == (40, 41, 43, None)
        assert joint.total == 8
    else:
        assert joint.total == 5


def test_every_engine_gives_rows_as_they_are(as_table: Callable[[Any], Any]) -> None:
    columns = [encode_column(column, frozenset()) for column in in_order(as_table(ROWS), ["town", "age"])]
    rows = [tuple(alphabet.label(int(codes[i])) for alphabet, codes in columns) for i in range(len(ROWS))]
    want = [(row["town"], row["age"]) for row in ROWS]
    assert sorted(rows, key=repr) == sorted(want, key=repr)


def test_rows_stay_in_order(tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": list(range(5000))}), tmp_path / "n.parquet")
    (tmp_path / "n.csv").write_text("n\n" + "\n".join(map(str, range(5000))) + "\n")
    for name in ("n.parquet", "n.csv"):
        alphabet, codes = encode_column(in_order(tmp_path / name, ["n"])[0], frozenset())
        assert [alphabet.label(int(code)) for code in codes] == list(range(5000))
    with pytest.raises(ColumnError, match="no column 'm'"):
        in_order(tmp_path / "n.csv", ["m"])


def test_every_engine_treats_numbers_alike(as_table: Callable[[Any], Any]) -> None:
    """1, 1.0 and "1" are one label; "01" keeps a column text."""
    rows = [{"s": "1", "x": 1.0, "z": "01"}, {"s": "2.0", "x": 2.0, "z": "1"}, {"s": "2", "x": 2.0, "z": "1"}]
    joint = Joint.from_table(as_table(rows), "s", ["x", "z"])
    assert joint.s == (1, 2)
    assert joint.x == ((1, "01"), (2, "1"))
    assert isinstance(joint.x[0][0], int)


def test_every_engine_refuses_missing_values_when_told_to(as_table: Callable[[Any], Any]) -> None:
    with pytest.raises(TableError, match=r"3 of 8 rows have missing values \(in 'age', 'chol', 'town'\)"):
        Joint.from_table(as_table(ROWS), "age", ["chol", "town"], missing="error")


def test_every_engine_names_an_unknown_column(as_table: Callable[[Any], Any]) -> None:
    with pytest.raises(ColumnError, match="did you mean 'chol'"):
        Joint.from_table(as_table(ROWS), "age", "CHOL")
    table = as_table(ROWS)
    assert tables.column_names(table) == ["age", "sex", "chol", "town"]


def test_every_engine_knows_what_means_missing(as_table: Callable[[Any], Any]) -> None:
    rows: list[dict[str, Any]] = [{"s": "a", "x": "?"}, {"s": "b", "x": "3"}, {"s": "b", "x": "4"}]
    assert Joint.from_table(as_table(rows), "s", "x", na="?").x == (3, 4, None)
    assert Joint.from_table(as_table(rows), "s", "x").x == ("3", "4", "?")
    rows = [{"s": "a", "x": -9}, {"s": "b", "x": 3}]
    assert Joint.from_table(as_table(rows), "s", "x", na=["-9"]).x == (3, None)


@given(st.permutations(range(len(ROWS))))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    shuffled = pd.DataFrame(ROWS).iloc[order]
    assert Joint.from_table(shuffled, "age", "chol") == Joint.from_table(ROWS, "age", "chol")


MOMENTS = [dt.datetime(2020, 1, 1, 12, tzinfo=dt.UTC), dt.datetime(2020, 6, 1, 12, tzinfo=dt.UTC)]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.to_datetime(MOMENTS, utc=True)),
        pd.Series(pd.to_datetime(MOMENTS, utc=True)).dt.tz_convert("America/New_York"),
        pd.Series(MOMENTS, dtype=object),
        [moment.isoformat() for moment in MOMENTS],
        ["2020-01-01T13:00:00+01:00", "2020-06-01T12:00:00Z"],
    ],
)
def test_time_zones_do_not_change_a_moment(column: Any) -> None:
    joint = Joint.from_table(pd.DataFrame({"s": [1, 2], "x": column}), "s", "x")
    assert joint.x == tuple(MOMENTS)


@pytest.mark.parametrize(
    "column",
    [
        [dt.date(2020, 1, 1), dt.date(2020, 6, 1)],
        pd.to_datetime(["2020-01-01", "2020-06-01"]),
        ["2020-01-01", "2020-06-01"],
        np.array(["2020-01-01", "2020-06-01"], dtype="datetime64[D]"),
    ],
)
def test_dates_are_dates_from_every_source(column: Any) -> None:
    joint = Joint.from_table(pd.DataFrame({"s": [1, 2], "x": column}), "s", "x")
    assert joint.x == (dt.date(2020, 1, 1), dt.date(2020, 6, 1))


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["1", "2", None], [1, 2, None]),
        (["01234", "5"], ["01234", "5"]),
        (["1.50", "2.25"], [1.5, 2.25]),
        (["1e5", "2"], ["1e5", "2"]),
        (["+1", "2"], ["+1", "2"]),
        ([" 1", "2"], [" 1", "2"]),
        (["nan", "1"], ["nan", "1"]),
        (["inf", "1"], [float("inf"), 1.0]),
        (["12345678901234567890123"], [12345678901234567890123]),
        (["0.1234567890123456789012"], ["0.1234567890123456789012"]),
        (["-0.0", "1"], [0, 1]),
        ([1, "a", 2.5, 3.0], ["1", "a", "2.5", "3"]),
        ([decimal.Decimal("1.10"), decimal.Decimal(2)], [1.1, 2.0]),
        (["1" * 2000, "2"], ["1" * 2000, "2"]),
        ([decimal.Decimal("0.1234567890123456789")], [decimal.Decimal("0.1234567890123456789")]),
        (["2021-02-30", "2021-01-01"], ["2021-02-30", "2021-01-01"]),
        ([True, False, None], [True, False, None]),
        ([2**60 + 1, 2**60], [2**60 + 1, 2**60]),
        ([float("inf"), 1.0], [float("inf"), 1.0]),
    ],
)
def test_what_a_column_is_called(values: list[Any], labels: list[Any]) -> None:
    assert canonical(values) == labels


@given(
    st.lists(
        st.one_of(st.none(), st.integers(-(2**70), 2**70), st.floats(allow_infinity=False)), min_size=1, max_size=20
    )
)
def test_numbers_written_as_text_are_the_same_numbers(numbers: list[Any]) -> None:
    as_text = [None if n is None or n != n else repr(n) for n in numbers]
    one, codes = encode_column(numbers, frozenset())
    other, other_codes = encode_column(as_text, frozenset())
    assert one.labels() == other.labels()
    assert codes.tolist() == other_codes.tolist()


def test_narrow_floats_are_called_by_what_they_print() -> None:
    narrow = pa.table({"s": [1, 2], "x": pa.array([0.1, 2.5], pa.float32())})
    assert Joint.from_table(narrow, "s", "x").x == (0.1, 2.5)


def test_nested_and_binary_cells() -> None:
    table = pa.table(
        {"s": [1, 2, 2], "x": [[1, 2], [1, 2], [3]], "y": [b"a", b"b", b"b"], "z": [{"q": 1}, {"q": 1}, None]}
    )
    assert Joint.from_table(table, "s", "x").x == ((1, 2), (3,))
    assert Joint.from_table(table, "s", "y").x == (b"a", b"b")
    assert Joint.from_table(table, "s", "z").x == ((("q", 1),), None)


def test_large_integers_and_unsigned() -> None:
    table = pa.table({"s": [1, 2], "x": pa.array([2**63 + 1, 5], pa.uint64())})
    assert Joint.from_table(table, "s", "x").x == (5, 2**63 + 1)


def test_nanoseconds_are_kept_apart() -> None:
    x = pd.to_datetime(["2020-01-01T00:00:00.000000001", "2020-01-01T00:00:00.000000002"])
    assert Joint.from_table(pd.DataFrame({"s": [1, 2], "x": x}), "s", "x").n_x == 2
    assert Joint.from_table(pd.DataFrame({"s": [1, 2], "x": x.astype(object)}), "s", "x").n_x == 2


def test_a_categorical_level_that_no_row_has_is_no_letter() -> None:
    column = pd.Categorical(["a", "b"], categories=["a", "b", "c"])
    assert Joint.from_table(pd.DataFrame({"s": [1, 2], "x": column}), "s", "x").x == ("a", "b")


def test_many_random_rows_agree_across_engines(tmp_path: Path) -> None:
    rng = random.Random(3)
    rows = [{"s": rng.randrange(5), "x": rng.choice([None, 1.5, 2, 7]), "y": rng.choice("abc")} for _ in range(500)]
    want = Joint.from_table(rows, "s", ["x", "y"])
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / "t.parquet")
    pl.DataFrame(rows, infer_schema_length=None).write_csv(tmp_path / "t.csv")
    for name in ("t.parquet", "t.csv"):
        assert Joint.from_table(tmp_path / name, "s", ["x", "y"], memory_limit="200MB") == want


# ---------------------------------------------------------------------- roles


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"sensitive": "age", "public": "age"}, "both sensitive and public"),
        ({"sensitive": "age", "public": "chol", "side": "chol"}, "both public and side information"),
        ({"sensitive": "age", "public": "chol", "side": "age"}, "both sensitive and side information"),
        ({"sensitive": "age", "public": ["chol", "chol"]}, "named twice as public"),
        ({"sensitive": "age", "public": []}, "no public column"),
        ({"sensitive": [], "public": "chol"}, "no sensitive column"),
        ({"sensitive": "age", "public": "weight"}, "no column 'weight'"),
        ({"sensitive": "age", "public": [3]}, "named by int"),
    ],
)
def test_roles_are_checked(roles: Any, message: str) -> None:
    with pytest.raises(ColumnError, match=message):
        Joint.from_table(ROWS, **roles)


def test_a_repeated_column_in_the_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age,chol,chol\n1,2,3\n")
    with pytest.raises(ColumnError, match="2 columns named 'chol'"):
        Joint.from_table(path, "age", "chol")
    twice = pd.DataFrame([[1, 2, 3]], columns=["age", "chol", "chol"])
    with pytest.raises(ColumnError, match="chol"):
        Joint.from_table(twice, "age", "chol")


def test_an_unknown_policy_for_missing_values() -> None:
    with pytest.raises(InputError, match="'ignore' is not known"):
        Joint.from_table(ROWS, "age", "chol", missing="ignore")  # type: ignore[arg-type]


# ---------------------------------------------------------------------- bad tables


def bad(path: Path, content: bytes, name: str = "t.csv") -> Path:
    file = path / name
    file.write_bytes(content)
    return file


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", b"\n\n", "is empty"),
        ("t.csv", b"age,chol\n", "no rows"),
        ("t.csv", b"age,chol\n1,2\n3\n", "number of fields"),
        ("t.csv", b"age,chol\n1,2\n3,4,5\n", "number of fields"),
        ("t.csv", b'age,chol\n1,"2\n3,4\n', "quote"),
        ("t.csv", b"age,chol\n1,caf\xe9\n", "not UTF-8"),
        ("t.csv", b"\xff\xfea\x00g\x00e\x00", "not UTF-8"),
        ("t.csv", b"age,ch\xe9ol\n1,2\n", "not UTF-8"),
        ("t.csv", b"\x7fELF\x00\x00\x00binary", "binary"),
        ("t.csv", b"PAR1xxxx", "is a Parquet file"),
        ("t.csv", b"age,chol\n,1\n,2\n", "column 'age' has no values"),
        ("t.parquet", b"PAR1 and then nothing", "damaged"),
        ("t.parquet", b"not parquet at all", "damaged"),
        ("t.feather", b"ARROW1 and then nothing", "damaged"),
        ("t.arrow", b"nonsense", "damaged"),
        ("t.xlsx", b"nonsense", "not an Excel workbook"),
        ("t.qvd", b"x", "not of a known kind"),
        ("t.csv.gz", b"not gzip", "cannot be read"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    with pytest.raises(TableError, match=message) as caught:
        Joint.from_table(bad(tmp_path, content, name), "age", "chol")
    assert "\n" not in str(caught.value)


def test_a_truncated_parquet_file(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": list(range(1000)), "chol": list(range(1000))}), tmp_path / "t.parquet")
    whole = (tmp_path / "t.parquet").read_bytes()
    for share in (0.3, 0.9, 0.999):
        (tmp_path / "t.parquet").write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(TableError, match="damaged"):
            Joint.from_table(tmp_path / "t.parquet", "age", "chol")


def test_a_line_that_is_wrong_is_named_but_not_quoted(tmp_path: Path) -> None:
    content = b"age,chol\n" + b"1,2\n" * 5 + b"secret,secret,secret\n"
    with pytest.raises(TableError, match="line 7") as caught:
        Joint.from_table(bad(tmp_path, content), "age", "chol")
    assert "secret" not in str(caught.value)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="does not exist"):
        Joint.from_table(tmp_path / "no.csv", "age", "chol")
    with pytest.raises(TableError, match="is a folder without a table"):
        Joint.from_table(tmp_path, "age", "chol")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = bad(tmp_path, b"age,chol\n1,2\n")
    path.chmod(0)
    with pytest.raises(TableError, match="Permission denied"):
        Joint.from_table(path, "age", "chol")


def test_what_is_not_a_table() -> None:
    for thing in (5, object(), [1, 2], {1, 2}):
        with pytest.raises(TableError, match="is not a table"):
            Joint.from_table(thing, "age", "chol")


def test_empty_tables_in_memory() -> None:
    empties: list[Any] = [
        {"age": [], "chol": []},
        pd.DataFrame({"age": [], "chol": []}),
        pl.DataFrame({"age": [], "chol": []}).lazy(),
    ]
    for empty in empties:
        with pytest.raises(TableError, match="no rows"):
            Joint.from_table(empty, "age", "chol")
    with pytest.raises(TableError, match="differ in length"):
        Joint.from_table({"age": [1], "chol": [1, 2]}, "age", "chol")
    with pytest.raises(TableError, match="nothing is left"):
        Joint.from_table({"age": [None, 1], "chol": [1, None]}, "age", "chol", missing="drop")


def test_a_cell_that_cannot_be_a_label() -> None:
    class Odd:
        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(TableError, match="Odd cannot be a label"):
        Joint.from_table({"age": [1], "chol": [Odd()]}, "age", "chol")


def test_a_bad_memory_limit(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="not a size"):
        Joint.from_table(bad(tmp_path, b"age,chol\n1,2\n"), "age", "chol", memory_limit="lots")


# ---------------------------------------------------------------------- odd but good files


def test_odd_text_files(tmp_path: Path) -> None:
    import gzip

    with_mark = bad(tmp_path, "\ufeffage,chol\r\n1,2\r\n2,2\r\n".encode())
    assert Joint.from_table(with_mark, "age", "chol").total == 2
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"age,chol\n1,2\n"))
    assert Joint.from_table(tmp_path / "t.csv.gz", "age", "chol").total == 1
    quoted = bad(tmp_path, b'"age","ch,ol"\n1,"a\nb"\n2,"a ""b"""\n', "q.csv")
    assert Joint.from_table(quoted, "age", "ch,ol").x == ("a\nb", 'a "b"')
    cased = bad(tmp_path, b"age,Age,AGE\n1,2,3\n1,5,3\n", "c.csv")
    assert Joint.from_table(cased, "age", "Age").x == (2, 5)


def test_names_with_stars_and_brackets_are_taken_literally(tmp_path: Path) -> None:
    for name in ("a[1].csv", "b*.csv", "it's.csv"):
        assert Joint.from_table(bad(tmp_path, b"age,chol\n1,2\n", name), "age", "chol").total == 1
    bad(tmp_path, b"age,chol\n1,2\n", "p-1.csv")
    bad(tmp_path, b"age,chol\n1,2\n", "p-2.csv")
    assert Joint.from_table(str(tmp_path / "p-*.csv"), "age", "chol").total == 2
    bad(tmp_path, b"chol,age\n1,2\n", "p-3.csv")
    with pytest.raises(TableError, match="different headers"):
        Joint.from_table(str(tmp_path / "p-*.csv"), "age", "chol")


def test_a_sheet_is_named_after_a_hash(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.create_sheet("people").append(["age", "chol"])
    book["people"].append([1, 2])
    book.save(tmp_path / "t.xlsx")
    assert Joint.from_table(f"{tmp_path}/t.xlsx#people", "age", "chol").total == 1
    with pytest.raises(TableError, match="no header"):
        Joint.from_table(f"{tmp_path}/t.xlsx", "age", "chol")
    with pytest.raises(TableError, match="no sheet 'x'"):
        Joint.from_table(f"{tmp_path}/t.xlsx#x", "age", "chol")
    book.save(tmp_path / "u.xlsx")
    with pytest.raises(TableError, match=r"\*\.xlsx names several files: name one"):
        Joint.from_table(f"{tmp_path}/*.xlsx", "age", "chol")


# ---------------------------------------------------------------------- databases


def test_sqlite_by_url(tmp_path: Path) -> None:
    con = sqlite3.connect(tmp_path / "t.db")
    con.execute("create table people (age integer, name text collate nocase)")
    con.executemany("insert into people values (?, ?)", [(1, "a"), (1, "A"), (2, "a")])
    con.commit()
    url = f"sqlite:///{tmp_path}/t.db"
    assert Joint.from_table(url, "age", "name").x == ("A", "a")  # a case-blind collation must not join them
    con.execute("create table other (z)")
    con.commit()
    con.close()
    with pytest.raises(TableError, match="2 tables: name one after '#'"):
        Joint.from_table(url, "age", "name")
    with pytest.raises(TableError, match="no table 'nobody'"):
        Joint.from_table(f"{url}#nobody", "age", "name")
    with pytest.raises(ColumnError, match="no column 'chol'"):
        Joint.from_table(f"{url}#people", "age", "chol")
    with pytest.raises(TableError, match="no such database file"):
        Joint.from_table(f"sqlite:///{tmp_path}/none.db#people", "age", "name")
    (tmp_path / "bad.db").write_bytes(b"not a database at all, but long enough to be read as one" * 20)
    with pytest.raises(TableError, match="cannot be reached"):
        Joint.from_table(f"sqlite:///{tmp_path}/bad.db#people", "age", "name")


def test_a_database_that_is_down_and_one_that_is_unknown() -> None:
    with pytest.raises(TableError, match="cannot be reached") as caught:
        Joint.from_table("postgresql://user:hidden@127.0.0.1:1/base#people", "age", "chol")
    assert "hidden" not in str(caught.value)
    for url in ("nosuch://x/y#z", "http://x/y.csv"):
        with pytest.raises(TableError, match="not a database URL"):
            Joint.from_table(url, "age", "chol")


def test_without_the_sql_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingExtraError, match=r'pip install "discreet\[sql\]"'):
        Joint.from_table("sqlite:///t.db#t", "age", "chol")


@pytest.mark.postgres
def test_postgresql_by_url() -> None:
    import sqlalchemy as sa

    url = os.environ.get("DISCREET_POSTGRES")
    if not url:
        pytest.skip("DISCREET_POSTGRES names no server")
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as con:
        con.execute(sa.text("drop table if exists people"))
        con.execute(sa.text("create table people (age integer, sex text, chol numeric(6,1), town varchar)"))
        con.execute(sa.text("insert into people values (:age, :sex, :chol, :town)"), ROWS)
    engine.dispose()
    want = Joint.from_table(ROWS, "age", ["chol", "town"], side="sex")
    assert Joint.from_table(f"{url}#people", "age", ["chol", "town"], side="sex") == want
    assert Joint.from_table(f"{url}#public.people", "age", ["chol", "town"], side="sex") == want


# ---------------------------------------------------------------------- what careful readers found


def test_a_folder_named_like_a_column_says_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "x=77"
    folder.mkdir()
    pq.write_table(pa.table({"s": [1, 2, 3], "x": ["a", "b", "a"]}), folder / "f.parquet")
    assert Joint.from_table(folder / "f.parquet", "s", "x").x == ("a", "b")


def test_parts_of_different_types_are_not_cast_to_the_first(tmp_path: Path) -> None:
    pq.write_table(pa.table({"s": [1, 2], "x": [1, 2]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"s": [1, 2], "x": [0.9, 1.2]}), tmp_path / "1.parquet")
    assert Joint.from_table(str(tmp_path / "*.parquet"), "s", "x").x == (0.9, 1.0, 1.2, 2.0)


def test_columns_that_differ_in_case_or_repeat_in_parquet(tmp_path: Path) -> None:
    pq.write_table(pa.table({"s": [1, 2], "x": [1, 1], "X": [5, 6]}), tmp_path / "c.parquet")
    assert Joint.from_table(tmp_path / "c.parquet", "s", "X").x == (5, 6)
    twice = pa.table([[1, 2], [3, 4], [5, 6]], names=["s", "x", "x"])
    pq.write_table(twice, tmp_path / "t.parquet")
    with pytest.raises(ColumnError, match="2 columns named 'x'"):
        Joint.from_table(tmp_path / "t.parquet", "s", "x")


def test_dates_and_moments_in_one_column_stay_apart() -> None:
    mixed = [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 5)]
    for table in (pd.DataFrame({"s": [1, 2], "x": mixed}), {"s": [1, 2], "x": np.array(mixed, dtype=object)}):
        assert Joint.from_table(table, "s", "x").n_x == 2


def test_sqlite_values_are_taken_as_they_are_stored(tmp_path: Path) -> None:
    con = sqlite3.connect(tmp_path / "t.db")
    con.execute("create table t (s, d decimal(10,2), b boolean, w STRING, day date)")
    rows = [(1, 1.001, 1, "yes", "2020-01-01"), (2, 1.002, 2, "no", ""), (3, 1.003, "yes", 5, "SECRET")]
    con.executemany("insert into t values (?, ?, ?, ?, ?)", rows)
    con.commit()
    con.close()
    for column in ("d", "b", "w", "day"):
        assert Joint.from_table(f"sqlite:///{tmp_path}/t.db#t", "s", column).n_x == 3, column


def test_passwords_are_not_shown() -> None:
    from discreet.tables._databases import shown

    for url in ("postgresql://u:SECRET@h/db#t", "postgresql://u:SEC/RET@h:1/db#t", "postgresql://u:SEC#RET@h/db"):
        assert "SEC" not in shown(url)
        with pytest.raises(TableError) as caught:
            Joint.from_table(url.replace("@h", "@127.0.0.1"), "s", "x")
        assert "SEC" not in str(caught.value)


def test_what_a_library_says_of_a_cell_is_not_passed_on() -> None:
    lazy = pl.DataFrame({"s": [1, 2], "x": ["SECRET", "2"]}).lazy().with_columns(pl.col("x").cast(pl.Int64))
    with pytest.raises(TableError) as caught:
        Joint.from_table(lazy, "s", "x")
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_large_and_odd_numbers_as_labels_and_counts() -> None:
    from scipy import sparse

    from discreet import measures
    from discreet.errors import JointError

    pairs = np.array([[2**63 + 5, 1], [2**63 + 6, 2]], dtype=np.uint64)
    assert Joint.from_pairs(pairs).s == (2**63 + 5, 2**63 + 6)
    with pytest.raises(JointError, match="64 bits"):
        Joint.from_array([[2**62] * 2] * 2)
    assert measures.entropy(Joint.from_array([[1e308, 1e308], [1e308, 1e308]])) == pytest.approx(1.0)
    repeated = sparse.coo_array((np.ones(300, np.uint8), (np.zeros(300, int), np.zeros(300, int))), shape=(1, 1))
    assert Joint.from_array(repeated).total == 300
    with pytest.raises(JointError, match="differ in length"):
        Joint.from_array([[1, 2], [3]])


def test_moments_of_numpy_are_moments() -> None:
    assert Joint.from_pairs([(np.datetime64("2020-01-01", "ns"), "x")]).s == (dt.datetime(2020, 1, 1),)
    table = {"s": [1, 2], "x": [np.datetime64("2020-01-01", "ns"), np.datetime64("2020-01-02", "ns")]}
    assert Joint.from_table(table, "s", "x").x == (dt.date(2020, 1, 1), dt.date(2020, 1, 2))


def test_times_and_durations_and_sets_stand_in_order() -> None:
    times = [dt.time(10), dt.time(9)]
    assert Joint.from_pairs([("s", each) for each in times]).x == (dt.time(9), dt.time(10))
    pauses = [dt.timedelta(days=10), dt.timedelta(days=9)]
    assert Joint.from_pairs([("s", each) for each in pauses]).x == (pauses[1], pauses[0])
    sets = [frozenset({3, 4}), frozenset({1, 2})]
    assert Joint.from_pairs([("s", each) for each in sets]).x == (sets[1], sets[0])


def test_a_number_that_means_missing_is_found_as_text_too(tmp_path: Path) -> None:
    path = bad(tmp_path, b"s,x\n1,-9.0\n2,3.5\n")
    assert Joint.from_table(path, "s", "x", na="-9").x == (3.5, None)


def test_a_joint_cannot_be_changed_through_its_views() -> None:
    joint = Joint.from_pairs([(1, 1), (2, 1)])
    for view in (joint.distinct, joint.records, joint.s_weight, joint.pmf.data):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 7


def test_record_batches_and_paths_of_other_kinds(tmp_path: Path) -> None:
    batch = pa.record_batch({"s": [1, 2], "x": [1, 1]})
    assert Joint.from_table(batch, "s", "x").total == 2
