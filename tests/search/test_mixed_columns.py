"""Numbers beside categories: one rule for the command and for Python, and both say it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import discreet as dc
from discreet.cli import group
from discreet.errors import InputError

RULE = "numbers are divided by their range, and two categories are 1 apart"


def people(rows: int = 90) -> dict[str, list[object]]:
    rng = np.random.default_rng(2)
    return {
        "job": rng.choice(["clerk", "cook", "judge", "nurse"], rows).tolist(),
        "age": rng.integers(20, 60, rows).tolist(),
        "school": rng.choice(["10th", "Bachelors", "Masters"], rows).tolist(),
    }


def test_the_command_and_python_make_the_same_frontier_and_say_how(tmp_path: Path) -> None:
    table = people()
    path = tmp_path / "people.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    found = dc.frontier(dc.Joint.from_table(table, "job", ["age", "school"]))
    assert found.utility == "distortion"
    assert RULE in found.scale_words()[0]
    asked = ["frontier", str(path), "-s", "job", "-p", "age,school"]
    told = CliRunner().invoke(group, [*asked, "--json"], catch_exceptions=False)
    document = json.loads(told.stdout)
    assert (document["utility"], document["scale"]) == ("distortion", found.scale_words()[0])
    assert [each["utility"] for each in document["points"]] == found.points.utility.tolist()
    assert RULE in CliRunner().invoke(group, asked, catch_exceptions=False).stdout


def test_it_is_the_same_as_scale_range() -> None:
    joint = dc.Joint.from_table(people(40), "job", ["age", "school"])
    assert dc.frontier(joint, scale="range").to_dict() == dc.frontier(joint).to_dict()
    own = dc.frontier(joint, scale={"age": 10.0, "school": 1.0})
    assert "the unit of its scale" in own.scale_words()[0]


def test_two_categories_are_one_apart_and_the_ends_of_a_range_too() -> None:
    joint = dc.Joint.from_pairs([(0, (20, "a")), (1, (20, "b"))])
    assert dc.frontier(joint, codeword="chebyshev").at(max_leakage=0).utility["distortion"] == pytest.approx(-0.5)
    joint = dc.Joint.from_pairs([(0, (20, "a")), (1, (60, "a"))])
    assert dc.frontier(joint, codeword="chebyshev").at(max_leakage=0).utility["distortion"] == pytest.approx(-0.5)


def test_categories_alone_are_counted_and_numbers_keep_their_units() -> None:
    table = people(60)
    alone = dc.frontier(dc.Joint.from_table(table, "job", "school"))
    assert (alone.utility, alone.scale_words()) == ("resolution", [])
    numbers = dc.frontier(dc.Joint.from_table(table, "job", "age"))
    assert (numbers.utility, numbers.scale_words()) == ("distortion", [])
    with pytest.raises(InputError, match="not numeric"):
        dc.frontier(dc.Joint.from_table(table, "job", "school"), utility="distortion")


def test_a_missing_number_has_no_place_and_a_missing_category_has() -> None:
    table = people(30)
    gap = {**table, "age": [None, *table["age"][1:]]}
    with pytest.raises(InputError, match="missing values of 'age'"):
        dc.frontier(dc.Joint.from_table(gap, "job", ["age", "school"]))
    gap = {**table, "school": [None, *table["school"][1:]]}
    assert dc.frontier(dc.Joint.from_table(gap, "job", ["age", "school"])).utility == "distortion"
