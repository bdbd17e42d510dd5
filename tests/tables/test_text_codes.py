"""Columns of codes ("F", "NY", "grade 7") are numbered by the bytes in which they differ, with the same result as by hashes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from discreet import Joint
from discreet.tables._arrow import BLOCK
from discreet.tables._numbering import count_rows
from discreet.tables._short_texts import short_texts

ROWS = 60_000
WORDS = {
    "one letter": ["M", "F"],
    "one word only": ["all"],
    "two letters": [a + b for a in "ABCDEFGHIJ" for b in "KLMNOPQRST"],
    "a digit inside": [f"grade {i} of 9" for i in range(10)],
    "letters of two bytes": ["né", "nè", "nê"],
    "a byte of nothing": ["a\0", "ab"],
    "four digits": [f"{i:04d}" for i in range(0, 10_000, 7)],
    "numbers of two lengths": [str(i) for i in range(3, 40)],
    "a number at the end": [f"region {i}" for i in range(50)],
    "twice the same byte": ["5", "55", "6", "66"],
    "one more byte of nothing": ["a", "a\0"],
    "a letter of one or two bytes": ["ab", "aé"],
}


def drawn(words: list[str], rows: int = ROWS) -> list[str]:
    chosen: list[str] = np.array(words, dtype=object)[np.random.default_rng(5).integers(0, len(words), rows)].tolist()
    return chosen


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("name", WORDS)
def test_codes_are_told_apart(name: str, kind: pa.DataType) -> None:
    texts = drawn(WORDS[name])
    for column in (pa.array(texts, kind), pa.array(["x", *texts], kind).slice(1)):
        told = short_texts(pa.chunked_array([column]))
        assert told is not None
        numbers = np.concatenate([told.numbers(start) for start in range(0, ROWS, BLOCK)])
        assert told.column(numbers).to_pylist() == texts
        (back,), counts = count_rows([pa.chunked_array([column])], ROWS)
        assert dict(zip(back.to_pylist(), counts.tolist(), strict=True)) == Counter(texts)


@pytest.mark.parametrize(
    "texts",
    [
        drawn(["female", "male"]),
        drawn([f"{i:05x}" for i in range(0, 1 << 20, 1000)]),
        drawn(["ax", "bxy"]),
        drawn(["aé", "aèb"]),
        ["a"] * (ROWS - 1) + ["abc"],
        ["abcde"] * (ROWS - 1) + ["vwxyz"],
        [""] * ROWS,
        drawn(["M", "F"], 1000),
        [None, *drawn(["M", "F"])],
    ],
    ids=[
        "lengths",
        "many",
        "other beginnings",
        "within a letter",
        "a longer one at the end",
        "another at the end",
        "empty",
        "few rows",
        "missing",
    ],
)
def test_other_texts_are_left_to_hashes(texts: list[str | None]) -> None:
    assert short_texts(pa.chunked_array([pa.array(texts)])) is None


def test_counts_are_those_of_plain_rows() -> None:
    rng = np.random.default_rng(6)
    table = pa.table(
        {
            "sex": drawn(WORDS["one letter"]),
            "state": drawn(WORDS["two letters"]),
            "zone": drawn(WORDS["a number at the end"]),
            "age": pa.array(rng.integers(-128, 127, ROWS), pa.int8()),
            "born": pa.array(10**12 + rng.integers(0, 50, ROWS)),
            "town": pc.if_else(pa.array(rng.random(ROWS) < 0.1), None, pa.array(drawn(["Ulm", "Essen", "Köln"]))),
        }
    )
    public = ["state", "zone", "town"]
    for s in ("sex", "born"):
        assert Joint.from_table(table, s, public) == Joint.from_table(table.to_pylist(), s, public)
        assert Joint.from_table(table, s, "state") == Joint.from_table(table.to_pylist(), s, "state")
        assert Joint.from_table(table, s, ["zone", "age"]) == Joint.from_table(table.to_pylist(), s, ["zone", "age"])
