"""Columns of codes ("F", "NY", "grade 7") are numbered by the bytes in which they differ, with the same result as by hashes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from discreet import Joint
from discreet.tables._arrow import numbered_texts

ROWS = 60_000
WORDS = {
    "one letter": ["M", "F"],
    "one word only": ["all"],
    "two letters": [a + b for a in "ABCDEFGHIJ" for b in "KLMNOPQRST"],
    "a digit inside": [f"grade {i} of 9" for i in range(10)],
    "letters of two bytes": ["né", "nè", "nê"],
    "a byte of nothing": ["a\0", "ab"],
}


def drawn(words: list[str], rows: int = ROWS) -> list[str]:
    chosen: list[str] = np.array(words, dtype=object)[np.random.default_rng(5).integers(0, len(words), rows)].tolist()
    return chosen


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("name", WORDS)
def test_codes_are_told_apart(name: str, kind: pa.DataType) -> None:
    texts = drawn(WORDS[name])
    for column in (pa.array(texts, kind), pa.array(["x", *texts], kind).slice(1)):
        told = numbered_texts(pa.chunked_array([column]))
        assert told is not None
        words, keys, number_of = told
        assert sorted(words.to_pylist()) == sorted(set(texts))
        assert words.take(pa.array(number_of[keys])).to_pylist() == texts


@pytest.mark.parametrize(
    "texts",
    [
        drawn(["yes", "no"]),
        drawn([f"{i:05d}" for i in range(1000)]),
        ["a"] * (ROWS - 1) + ["bb"],
        ["abc"] * (ROWS - 1) + ["xyz"],
        [""] * ROWS,
        drawn(["M", "F"], 1000),
        [None, *drawn(["M", "F"])],
    ],
    ids=["lengths", "many", "a longer one at the end", "another at the end", "empty", "few rows", "missing"],
)
def test_other_texts_are_left_to_hashes(texts: list[str | None]) -> None:
    assert numbered_texts(pa.chunked_array([pa.array(texts)])) is None


def test_counts_are_those_of_plain_rows() -> None:
    rng = np.random.default_rng(6)
    table = pa.table(
        {
            "sex": drawn(WORDS["one letter"]),
            "state": drawn(WORDS["two letters"]),
            "age": pa.array(rng.integers(-128, 127, ROWS), pa.int8()),
            "born": pa.array(10**12 + rng.integers(0, 50, ROWS)),
            "town": pc.if_else(pa.array(rng.random(ROWS) < 0.1), None, pa.array(drawn(["Ulm", "Essen", "Köln"]))),
        }
    )
    public = ["state", "age", "town"]
    for s in ("sex", "born"):
        assert Joint.from_table(table, s, public) == Joint.from_table(table.to_pylist(), s, public)
        assert Joint.from_table(table, s, "state") == Joint.from_table(table.to_pylist(), s, "state")
