"""Fixtures: one table, every engine. A table test that asks for `as_table` runs on all of them."""

from __future__ import annotations

import csv
import itertools
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import examples

# A busy machine is slow: no example fails for the time it took.
settings.register_profile(
    "discreet", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=examples(100)
)
settings.load_profile("discreet")

Rows = list[dict[str, Any]]
Build = Callable[[Rows, Path], Any]


def _columns(rows: Rows) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _pandas(rows: Rows, _: Path) -> Any:
    import pandas as pd

    return pd.DataFrame(_columns(rows))


def _pandas_object(rows: Rows, _: Path) -> Any:
    import pandas as pd

    return pd.DataFrame(_columns(rows), dtype=object)


def _pandas_shuffled_index(rows: Rows, _: Path) -> Any:
    import pandas as pd

    frame = pd.DataFrame(_columns(rows))
    frame.index = [i % 3 for i in range(len(frame))]
    return frame.iloc[::-1]


def _pandas_categorical(rows: Rows, _: Path) -> Any:
    import pandas as pd

    frame = pd.DataFrame(_columns(rows))
    return frame.astype(dict.fromkeys(frame.columns, "category"))


def _pandas_arrow(rows: Rows, _: Path) -> Any:
    import pandas as pd

    return pd.DataFrame(_columns(rows)).convert_dtypes(dtype_backend="pyarrow")


def _pandas_chunked(rows: Rows, path: Path) -> Any:
    """Text columns in several chunks, as `pd.concat` and `pd.read_parquet` leave them."""
    import pandas as pd

    frame = _pandas(rows, path)
    cut = [frame.iloc[i::3] for i in range(3)]
    return pd.concat([part for part in cut if len(part)], ignore_index=True)


def _pandas_text(rows: Rows, _: Path) -> Any:
    import pandas as pd

    return pd.DataFrame({name: [_text(v) for v in values] for name, values in _columns(rows).items()}, dtype=object)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _polars(rows: Rows, _: Path) -> Any:
    import polars as pl

    return pl.DataFrame(_columns(rows), strict=False)


def _polars_lazy(rows: Rows, _: Path) -> Any:
    return _polars(rows, _).lazy()


def _polars_chunked(rows: Rows, path: Path) -> Any:
    import polars as pl

    frame = _polars(rows, path)
    cut = [frame[i::7] for i in range(7)]
    return pl.concat([part for part in cut if len(part)], rechunk=False)


def _polars_sliced(rows: Rows, path: Path) -> Any:
    return _polars([rows[-1], *rows, rows[0]], path).slice(1, len(rows))


def _polars_categorical(rows: Rows, path: Path) -> Any:
    import polars as pl
    import polars.selectors as cs

    frame = _polars_chunked(rows, path)
    return frame.with_columns(cs.string().cast(pl.Categorical))


def _arrow(rows: Rows, _: Path) -> Any:
    import pyarrow as pa

    return pa.table(_columns(rows))


def _arrow_chunked(rows: Rows, path: Path) -> Any:
    import pyarrow as pa

    table = _arrow(rows, path)
    return pa.concat_tables([table.slice(i, 1) for i in range(len(table))])


def _arrow_dictionary(rows: Rows, path: Path) -> Any:
    import pyarrow as pa

    table = _arrow(rows, path)
    return pa.table({name: table[name].dictionary_encode() for name in table.column_names})


def _arrow_sliced(rows: Rows, path: Path) -> Any:
    return _arrow([rows[-1], *rows, rows[0]], path).slice(1, len(rows))


def _arrow_dictionaries(rows: Rows, path: Path) -> Any:
    """A dictionary a chunk, in which missing is an entry and the first value stands twice."""
    import pyarrow as pa

    table = _arrow(rows, path)

    def coded(column: Any) -> Any:
        dictionary = pa.concat_arrays([pa.nulls(1, column.type), column.slice(0, 1), column])
        return pa.DictionaryArray.from_arrays(pa.array(range(2, len(dictionary)), pa.uint8()), dictionary)

    return pa.table(
        {
            name: pa.chunked_array([coded(table[name].slice(i, 3).combine_chunks()) for i in range(0, len(table), 3)])
            for name in table.column_names
        }
    )


def _arrow_of(text: str) -> Build:
    """Columns of text in another type, in chunks."""

    def build(rows: Rows, path: Path) -> Any:
        import pyarrow as pa

        table = _arrow_chunked(rows, path)
        kinds = [getattr(pa, text)() if pa.types.is_string(field.type) else field.type for field in table.schema]
        return table.cast(pa.schema(list(zip(table.column_names, kinds, strict=True))))

    return build


def _arrow_runs(rows: Rows, path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    table = _arrow_chunked(rows, path)
    return pa.table({name: pc.run_end_encode(table[name]) for name in table.column_names})


def _arrow_columns(rows: Rows, path: Path) -> Any:
    """A mapping of Arrow columns, chunks and all."""
    table = _arrow_dictionaries(rows, path)
    return {name: table[name] for name in table.column_names}


def _feather_views(rows: Rows, path: Path) -> Any:
    import pyarrow as pa

    table = _arrow_of("string_view")(rows, path)
    with pa.OSFile(str(path / "views.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return path / "views.arrow"


def _duckdb(rows: Rows, path: Path) -> Any:
    import duckdb

    con = duckdb.connect()
    con.register("t", _arrow(rows, path))
    return con.sql("select * from t")


def _separated(suffix: str, delimiter: str) -> Build:
    def build(rows: Rows, path: Path) -> Any:
        target = path / f"table{suffix}"
        with target.open("w", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(rows[0])
            writer.writerows(["" if value is None else value for value in row.values()] for row in rows)
        return target

    return build


def _parquet(rows: Rows, path: Path) -> Any:
    import pyarrow.parquet as pq

    pq.write_table(_arrow(rows, path), path / "table.parquet", row_group_size=3)
    return str(path / "table.parquet")


def _parquet_parts(rows: Rows, path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = _arrow(rows, path)
    for i in range(7):
        rows_of_part = pa.array(range(i, len(table), 7), pa.int64())
        if len(rows_of_part):
            part = table.take(rows_of_part)
            pq.write_table(part, path / f"part-{i}.parquet")
    return str(path / "part-*.parquet")


def _feather(rows: Rows, path: Path) -> Any:
    from pyarrow import feather

    feather.write_feather(_arrow(rows, path), str(path / "table.feather"))
    return path / "table.feather"


def _arrow_stream(rows: Rows, path: Path) -> Any:
    import pyarrow as pa

    table = _arrow(rows, path)
    with pa.OSFile(str(path / "table.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return path / "table.arrow"


def _excel(rows: Rows, path: Path) -> Any:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    book.save(path / "table.xlsx")
    return path / "table.xlsx"


def _sqlite(rows: Rows, path: Path) -> Any:
    target = path / "table.db"
    con = sqlite3.connect(target)
    con.execute(f"create table people ({', '.join(rows[0])})")
    con.executemany(
        f"insert into people values ({', '.join('?' * len(rows[0]))})",
        [tuple(row.values()) for row in rows],
    )
    con.commit()
    con.close()
    return f"sqlite:///{target}#people"


def _spark(rows: Rows, _: Path) -> Any:
    """Two partitions at least; columns that mix kinds become text, as they do in every table of Spark."""
    import pyarrow as pa
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    assert spark is not None, "the fixture `cluster` starts it"
    columns = {name: _of_one_kind(values) for name, values in _columns(rows).items()}
    return spark.createDataFrame(pa.table(columns)).repartition(2)


def _of_one_kind(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    return values if len(kinds) < 2 or kinds == {int, float} else [_text(value) for value in values]


ENGINES: dict[str, Build] = {
    "rows": lambda rows, _: rows,
    "columns": lambda rows, _: _columns(rows),
    "pandas": _pandas,
    "pandas-object": _pandas_object,
    "pandas-shuffled-index": _pandas_shuffled_index,
    "pandas-categorical": _pandas_categorical,
    "pandas-arrow": _pandas_arrow,
    "pandas-chunked": _pandas_chunked,
    "pandas-text": _pandas_text,
    "polars": _polars,
    "polars-lazy": _polars_lazy,
    "polars-chunked": _polars_chunked,
    "polars-sliced": _polars_sliced,
    "polars-categorical": _polars_categorical,
    "arrow": _arrow,
    "arrow-chunked": _arrow_chunked,
    "arrow-dictionary": _arrow_dictionary,
    "arrow-dictionaries": _arrow_dictionaries,
    "arrow-sliced": _arrow_sliced,
    "arrow-large": _arrow_of("large_string"),
    "arrow-views": _arrow_of("string_view"),
    "arrow-runs": _arrow_runs,
    "columns-arrow": _arrow_columns,
    "arrow-views-file": _feather_views,
    "duckdb": _duckdb,
    "csv": _separated(".csv", ","),
    "csv-semicolon": _separated(".csv", ";"),
    "tsv": _separated(".tsv", "\t"),
    "parquet": _parquet,
    "parquet-7-parts": _parquet_parts,
    "feather": _feather,
    "arrow-stream": _arrow_stream,
    "excel": _excel,
    "sqlite": _sqlite,
}


@pytest.fixture(params=[*ENGINES, pytest.param("spark", marks=pytest.mark.spark)])
def as_table(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Rows], Any]:
    """Turns rows into a table of one engine; a test that uses it runs on every engine."""
    if request.param == "spark":
        request.getfixturevalue("cluster")
    build = ENGINES.get(request.param, _spark)
    folders = (tmp_path / str(i) for i in itertools.count())

    def make(rows: Rows) -> Any:
        folder = next(folders)
        folder.mkdir()
        return build(rows, folder)

    return make


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A standalone master of Spark with two workers, and a session on it."""
    from tests.cluster import cluster_at

    pytest.importorskip("pyspark")
    with cluster_at(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture(scope="session", autouse=True)
def _log_outside_of_captures() -> None:
    """Bind the agent's log to the run's stderr: made in a test that captures, it would write to a closed file ever after."""
    from discreet.agent._logs import logger

    logger()


@pytest.fixture
def hungarian() -> dict[str, list[object]]:
    """The Hungarian heart data, where they are."""
    from discreet import datasets

    if not os.environ.get("DISCREET_DATA"):
        pytest.skip("the Hungarian data are not bundled: set DISCREET_DATA to their folder")
    return datasets.load("hungarian")
