"""Columns with very many values: looked at by a sample of their values, in bounded memory."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from discreet.app._preview import preview_of
from discreet.recipe import Recipe, profile
from discreet.recipe._guessing import MOST_LISTED, SAMPLED

ROWS = 600_000


@pytest.fixture(scope="module", params=["parquet", "csv"])
def large(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fine") / f"people.{request.param}"
    rows = f"""select md5(i::varchar) as person, i % 90 as age, 1000 + i / 2.0 as income,
        case when i % 10 = 0 then null else 'P' || i end as note,
        ['flu', 'cold'][1 + i % 2] as illness from range({ROWS}) t(i)"""
    duckdb.sql(f"copy ({rows}) to '{path}'")
    return path


def test_fine_columns_are_sampled_and_others_counted(large: Path) -> None:
    found = profile(large)
    assert found.rows == ROWS
    assert set(found.fine) == {"person", "income", "note"}
    for name, (labels, counts) in found.columns.items():
        if name in found.fine:
            assert MOST_LISTED < found.fine[name] <= ROWS
            assert SAMPLED / 2 < len(labels) < 4 * SAMPLED
            assert abs(int(counts.sum()) - ROWS) < ROWS / 20
        else:
            assert int(counts.sum()) == ROWS
    labels, counts = found.columns["note"]
    assert labels[-1] is None and int(counts[-1]) == ROWS / 10


@pytest.mark.slow
def test_guesses_know_how_many_values_there_are(large: Path) -> None:
    guess = Recipe.guess(large)
    assert guess.columns["person"].role == "identifier"
    assert guess.columns["age"].role == "public" and guess.columns["illness"].role == "sensitive"
    assert guess.notes["person"].startswith("about ")
    seen = profile(large)
    preview = preview_of(guess, seen)
    assert preview.rows == ROWS and preview.column("person").distinct == seen.fine["person"]


def test_the_same_values_are_looked_at_every_time(large: Path) -> None:
    one, other = profile(large), profile(large)
    assert one.columns["person"][0] == other.columns["person"][0]
