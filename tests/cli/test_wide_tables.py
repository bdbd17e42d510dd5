"""Tables with more columns than a screen, or than a search can take: done, or refused early in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet._text import group_text
from discreet.errors import InputError
from tests.processes import said


def written(path: Path, rows: int, columns: int, levels: int = 4) -> str:
    rng = np.random.default_rng(columns)
    names = [f"c{i}" for i in range(columns)]
    values = rng.integers(0, levels, (rows, columns))
    lines = [",".join((f"ill{i % 3}", *map(str, row))) for i, row in enumerate(values.tolist())]
    path.write_text("\n".join([",".join(("illness", *names)), *lines]) + "\n")
    return ",".join(names)


def test_each_column_left_out_is_what_selecting_the_others_gives() -> None:
    rng = np.random.default_rng(0)
    table = {f"c{i}": rng.integers(0, 3, 60) for i in range(5)} | {"s": rng.integers(0, 4, 60)}
    joint = dc.Joint.from_table(table, "s", [f"c{i}" for i in range(5)])
    for i, without in enumerate(joint.without_each()):
        others = joint.select(public=[name for name in joint.public if name != f"c{i}"])
        assert without.n_x == others.n_x
        assert dc.measures.mutual_information(without) == pytest.approx(dc.measures.mutual_information(others))
        assert sorted(without.records.tolist()) == sorted(others.records.tolist())


@pytest.mark.slow
def test_ten_thousand_columns_are_audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = written(tmp_path / "wide.csv", 60, 10_000)
    code, out, errors = said(capsys, "audit", str(tmp_path / "wide.csv"), "-s", "illness", "-p", names)
    assert (code, errors) == (0, "")
    assert "of 10,000)" in out


def test_a_group_is_named_by_its_columns_and_cut_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = written(tmp_path / "wide.csv", 60, 50)
    code, out, errors = said(capsys, "audit", str(tmp_path / "wide.csv"), "-s", "illness", "-p", names, "-r", "n>=2")
    assert (code, errors) == (1, "")
    told = " ".join(out.split())
    assert "c0 0, c1" in told
    assert "and 44 more columns" in told
    assert "of 50)" in told
    assert group_text(("x" * 5_000_000, 1), ["town", "age"]) == f"town {'x' * 39}…, age 1"


@pytest.mark.slow
def test_too_many_columns_are_told_before_the_search() -> None:
    rng = np.random.default_rng(0)
    table = {f"c{i}": rng.integers(0, 6, 15_000) for i in range(100)} | {"s": rng.integers(0, 4, 15_000)}
    names = [f"c{i}" for i in range(100)]
    with pytest.raises(InputError, match="publish up to 81 of the columns"):
        dc.generalise(table, names, "s", "n>=5")
    with pytest.raises(InputError, match="name up to 8 columns"):
        dc.frontier(dc.Joint.from_table(table, "s", names))
