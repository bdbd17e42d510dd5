"""Arrow columns: every type in every layout is the same column."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet import Joint

DAYS = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 1, 3)]
MOMENTS = [dt.datetime(2020, 1, 1, 5), dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 3)]
TIMES = [dt.time(1), dt.time(2), dt.time(3)]
TEXTS = ["a", "b", "longer than a view holds in place"]
BYTES = [text.encode() for text in TEXTS]

TYPES: list[tuple[Any, list[Any]]] = [
    *((kind, TEXTS) for kind in (pa.string(), pa.large_string(), pa.string_view())),
    *((kind, BYTES) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())),
    (pa.binary(1), [b"a", b"b", b"c"]),
    *((kind, [1, 2, 3]) for kind in (pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64())),
    (pa.float16(), [np.float16(1.5), np.float16(2), np.float16(3)]),
    *((kind, [1.5, 2.0, 3.0]) for kind in (pa.float32(), pa.float64())),
    (pa.bool_(), [False, True, True]),
    *((kind, DAYS) for kind in (pa.date32(), pa.date64())),
    *((pa.timestamp(unit), MOMENTS) for unit in ("s", "ms", "us", "ns")),
    *((kind, TIMES) for kind in (pa.time32("s"), pa.time64("us"))),
    (pa.duration("us"), [dt.timedelta(1), dt.timedelta(2), dt.timedelta(3)]),
    (pa.decimal128(5, 2), [Decimal("1.50"), Decimal("2.00"), Decimal("3.25")]),
    *((kind(pa.int64()), [[1], [2], [3, 4]]) for kind in (pa.list_, pa.large_list, pa.list_view, pa.large_list_view)),
    (pa.struct([("q", pa.int64())]), [{"q": 1}, {"q": 2}, {"q": 3}]),
]


def sliced(kind: Any, values: list[Any]) -> pa.Array:
    return pa.array([values[-1], *values, values[0]], kind).slice(1, len(values))


def entries(kind: Any, values: list[Any]) -> pa.Array:
    """Every value is an entry of the dictionary, missing ones and repeated ones, too; the last index is null."""
    dictionary = pa.array([None, *values], kind)
    indices = [None if value is None and i % 2 else i + 1 for i, value in enumerate(values)]
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.uint8()), dictionary)


def runs(kind: Any, values: list[Any]) -> pa.Array:
    ends = pa.array(range(1, len(values) + 3), pa.int32())
    whole = pa.RunEndEncodedArray.from_arrays(ends, pa.array([values[-1], *values, values[0]], kind))
    return whole.slice(1, len(values))


LAYOUTS: dict[str, Callable[[Any, list[Any]], pa.Array]] = {
    "plain": lambda kind, values: pa.array(values, kind),
    "sliced": sliced,
    "dictionary": entries,
    "sliced dictionary": lambda kind, values: entries(kind, [values[-1], *values, values[0]]).slice(1, len(values)),
    "runs": runs,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("kind", "values"), TYPES, ids=[str(kind) for kind, _ in TYPES])
def test_every_layout_of_every_type_is_the_same_column(kind: Any, values: list[Any], layout: str) -> None:
    a, b, c = values
    rows = [a, None, b, a, c, None, b]
    plain = Joint.from_table({"s": list(range(7)), "x": rows}, "s", "x")
    assert plain.x[-1] is None
    build = LAYOUTS[layout]
    for chunks in ([rows], [rows[:3], rows[3:4], rows[4:]]):
        column = pa.chunked_array([build(kind, chunk) for chunk in chunks])
        assert Joint.from_table(pa.table({"s": list(range(7)), "x": column}), "s", "x") == plain
        assert Joint.from_table({"s": list(range(7)), "x": column}, "s", "x") == plain
        assert Joint.from_table({"s": list(range(7)), "x": column}, "s", "x", na="none of them") == plain


def test_missing_durations_of_nanoseconds_are_missing() -> None:
    column = pa.array([5, None, 7], pa.duration("ns"))
    assert Joint.from_table(pa.table({"s": [1, 2, 3], "x": column}), "s", "x").x == (5, 7, None)


def test_chunks_of_pandas_with_missing_texts() -> None:
    frame = pd.DataFrame({"town": ["A", None, "B"], "ill": ["x", "y", "x"]})
    twice = pd.concat([frame, frame])
    assert dc.audit(twice, "ill", "town").values == dc.audit(twice.to_dict("list"), "ill", "town").values


def test_a_parquet_file_of_pandas_at_size(tmp_path: Path) -> None:
    """200,000 rows come in more than one chunk."""
    towns = ["Aachen", None, "Bonn", "Köln", ""] * 40_000
    pq.write_table(pa.table({"town": towns, "ill": [i % 7 for i in range(200_000)]}), tmp_path / "t.parquet")
    frame = pd.read_parquet(tmp_path / "t.parquet")
    assert Joint.from_table(frame, "ill", "town") == Joint.from_table(
        {"town": towns, "ill": frame["ill"]}, "ill", "town"
    )
