"""Numbers agree with each other and with their nouns, in what people read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.auditing._words import explain
from discreet.errors import TableError
from tests.processes import said

ONE = {"age": [30, 31, 32], "illness": ["flu", "cold", "flu"]}


def test_one_group_is_one_group(tmp_path: Path) -> None:
    files: Any = {"out": tmp_path / "a.csv", "policy_file": tmp_path / "a.json"}
    frontier = dc.frontier(dc.Joint.from_table(ONE, "illness", "age"))
    done = dc.publish(ONE, frontier, max_leakage=0.0, **files)
    assert done.lines()[0].startswith("3 rows in 1 group written")
    whole = dc.generalise(ONE, ["age"], ["illness"], ["n>=3"], time_limit=0.2)
    assert "1 group," in repr(whole) and "1 group," in repr(whole.policy)


def test_distortion_is_the_same_number_everywhere(capsys: Any, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,illness\n" + "".join(f"{20 + 3 * i},{'abcd'[i % 4]}\n" for i in range(12)))
    frontier = dc.frontier(dc.Joint.from_table(table, "illness", "age"))
    point = frontier.point_at(max_leakage=1.0)
    words = f"largest distortion {-point.utility:.4g}"
    assert point.utility < 0 and words in repr(point.policy)
    axes = frontier.plot(chosen=point).axes[0]
    assert axes.get_xlabel() == "largest distortion"
    assert -point.utility in axes.lines[-1].get_xdata()
    shown = said(capsys, "frontier", str(table), "-s", "illness", "-p", "age")[1]
    assert "largest distortion" in shown and " -" not in shown
    assert "hypervolume" not in shown or "the share of all pairs of leakage and utility" in shown
    assert "largest distortion" in frontier._repr_html_() and ">-" not in frontier._repr_html_()
    files = (
        "--out",
        str(tmp_path / "o.csv"),
        "--policy",
        str(tmp_path / "p.json"),
        "--report",
        str(tmp_path / "r.html"),
    )
    out = said(capsys, "release", str(table), "-s", "illness", "-p", "age", "--max-leakage", "1", *files)[1]
    assert words in out and words in (tmp_path / "r.html").read_text()


def test_articles() -> None:
    with pytest.raises(TableError, match="an int is not a table"):
        dc.audit(5, "a", "b")


def test_one_guess() -> None:
    joint = dc.Joint.from_array([[1, 0], [0, 1]])
    assert "1 guess on average" in explain("LG", 1.0004, joint)
    assert "2 guesses on average" in explain("LG", 2.0, joint)


def test_several_columns_give_away() -> None:
    table = {**ONE, "sex": ["F", "M", "F"]}
    page = dc.audit(table, "illness", ["age", "sex"]).to_html()
    assert "age and sex give away illness" in page and "What age, sex give away about illness" in page
    assert "gives away" not in page
