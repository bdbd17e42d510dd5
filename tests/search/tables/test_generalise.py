"""Whole tables as people release them: figures, requirement and truth recomputed here, without the package's own code."""

from __future__ import annotations

import csv
import datetime as dt
import json
import math
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.columns import Hierarchy
from discreet.datasets import registry
from discreet.errors import ColumnError, DiscreetError, InputError, RequirementError

PUBLIC = ["age", "sex", "postcode", "admission", "occupation"]


@pytest.fixture(scope="module")
def people() -> dict[str, list[Any]]:
    return registry(600, seed=3)


@pytest.fixture(scope="module")
def done(people: dict[str, list[Any]]) -> dc.Generalisation:
    return dc.generalise(people, PUBLIC, ["diagnosis"], ["n>=4", "k>=3"], time_limit=0.2)


def ncp(column: str, cell: str, table: dict[str, list[Any]]) -> float:
    """The cost of a released cell, read off its text."""
    values = sorted(set(map(str, table[column])))
    if column == "age":
        low, _, high = cell.partition("–")
        return (int(high or low) - int(low)) / int(max(table["age"]) - min(table["age"]))
    if column == "admission":
        low, _, high = cell.partition(" to ")
        first, last = (dt.date.fromisoformat(each).toordinal() for each in (low, high or low))
        ends = [dt.date.fromisoformat(each).toordinal() for each in (values[0], values[-1])]
        return (last - first) / (ends[1] - ends[0])
    if column == "postcode":
        under = [value for value in values if value.startswith(cell.rstrip("*"))]
        return (len(under) - 1) / (len(values) - 1)
    inside = cell[1:-1].split(", ") if cell.startswith("{") else [cell]
    return (len(inside) - 1) / (len(values) - 1)


def holds(column: str, cell: str, value: Any) -> bool:
    if column == "age":
        low, _, high = cell.partition("–")
        return bool(int(low) <= value <= int(high or low))
    if column == "admission":
        low, _, high = cell.partition(" to ")
        return bool(low <= value <= (high or low))
    if column == "postcode":
        return str(value).startswith(cell.rstrip("*"))
    return value in (cell[1:-1].split(", ") if cell.startswith("{") else [cell])


def test_the_figures_are_those_of_the_released_rows(people: dict[str, list[Any]], done: dc.Generalisation) -> None:
    rows = done.release(keep=["diagnosis"])
    groups = defaultdict(list)
    for row in zip(*(rows[name] for name in PUBLIC), rows["diagnosis"], strict=True):
        groups[row[:-1]].append(row[-1])
    assert done.groups == len(groups)
    assert done.n == min(map(len, groups.values())) >= 4
    assert done.k == min(len(set(group)) for group in groups.values()) >= 3
    by_column = {name: sum(ncp(name, cell, people) for cell in rows[name]) / 600 for name in PUBLIC}
    assert done.loss_by_column == pytest.approx(by_column)
    assert done.loss == pytest.approx(sum(by_column.values()) / len(PUBLIC))
    assert done.bound is not None and 0 < done.bound <= done.loss


def test_the_clock_is_no_interrupt(people: dict[str, list[Any]]) -> None:
    assert not dc.generalise(people, PUBLIC, require="n>=5", time_limit=0.2).interrupted


@pytest.mark.slow
@pytest.mark.parametrize("suppress", [0, 5])
def test_a_release_says_whether_the_time_limit_ended_its_search(tmp_path: Path, suppress: int) -> None:
    rows = [f"{20 + 7 * i % 53},{i % 5},{'flu' if i % 3 else 'cold'}" for i in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(["age,ward,illness", *rows]) + "\n")
    recipe = dc.Recipe.parse(
        'require = ["n>=3"]\n[data]\ntable = "people.csv"\n[columns.age]\nrole = "public"\n[columns.ward]\nrole = "public"\n'
        f'type = "number"\n[columns.illness]\nrole = "sensitive"\n[search]\nsuppress = {suppress}\n',
        folder=tmp_path,
    )
    words = "the time limit came first: this is the best release found until then"
    cut = recipe.override(search={"time_limit": 1e-6}).run()
    assert (cut.stopped, cut.stop_words(), words in cut.lines(), cut.to_dict()["stopped"]) == (
        "time",
        [words],
        True,
        "time",
    )
    done = recipe.override(search={"time_limit": 600}).run(force=True)  # ends by itself, long before
    assert (done.stopped, done.stop_words()) == (None, [])
    assert done.policy.loss <= cut.policy.loss


def test_every_cell_is_true_and_twins_stay_together(people: dict[str, list[Any]], done: dc.Generalisation) -> None:
    table = done.policy.letters
    assert table is not None
    box_of = {}
    for codes, box in zip(table.codes.tolist(), table.group.tolist(), strict=True):
        box_of[tuple(labels[code] for labels, code in zip(table.labels, codes, strict=True))] = box
    seen: Counter[tuple[str, ...]] = Counter()
    for row in zip(
        people["age"], people["sex"], people["postcode"], people["admission"], people["occupation"], strict=True
    ):
        letter = (row[0], row[1], int(row[2]), dt.date.fromisoformat(row[3]), row[4])
        cells = done.policy.labels[box_of[letter]]
        assert all(holds(name, cell, value) for name, cell, value in zip(PUBLIC, cells, row, strict=True))
        seen[cells] += 1
    assert min(seen.values()) == done.n


@pytest.mark.slow
def test_the_order_of_rows_and_columns_changes_nothing(people: dict[str, list[Any]]) -> None:
    order = list(range(600))
    random.Random(1).shuffle(order)
    shuffled = {name: [values[i] for i in order] for name, values in reversed(people.items())}
    one, other = (dc.generalise(table, ["age", "sex"], require="n>=5", time_limit=600) for table in (people, shuffled))
    assert one.policy.labels == other.policy.labels
    assert one.loss == other.loss


def test_a_policy_is_saved_read_applied_and_verified(
    people: dict[str, list[Any]], done: dc.Generalisation, tmp_path: Path
) -> None:
    done.policy.save(tmp_path / "policy.json")
    done.policy.face().save(tmp_path / "cells.json")
    policy, face = (dc.Policy.load(tmp_path / name) for name in ("policy.json", "cells.json"))
    assert policy.labels == face.labels == done.policy.labels
    rows = policy.release(people, keep=["diagnosis"])
    assert policy.verify(rows, people).ok
    assert face.verify(rows).ok
    assert policy.apply(people) is not None
    text = (tmp_path / "cells.json").read_text()
    assert "letters" not in json.loads(text)
    with pytest.raises(RequirementError, match=r"n>=4"):
        policy.apply({name: values[:100] for name, values in people.items()})
    spoilt = {**rows, "age": ["0–99", *rows["age"][1:]]}
    assert not face.verify(spoilt).ok


def test_a_changed_or_damaged_file_is_refused(done: dc.Generalisation, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    done.policy.save(path)
    document = json.loads(path.read_text())
    document["loss"] = 0.0
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="was changed after it was written"):
        dc.Policy.load(path)


@pytest.mark.parametrize(
    ("require", "worst"),
    [("L0<=3", 3.0), ("Lmin<=2", 2.0), ("Lr<=4", 4.0), ("k(diagnosis)>=5", None)],
)
def test_other_requirements_hold_in_every_group(
    people: dict[str, list[Any]], require: str, worst: float | None
) -> None:
    found = dc.generalise(people, ["age", "sex", "postcode"], "diagnosis", ["n>=3", require], time_limit=0.2)
    rows = found.release(keep=["diagnosis"])
    groups = defaultdict(list)
    for row in zip(rows["age"], rows["sex"], rows["postcode"], rows["diagnosis"], strict=True):
        groups[row[:3]].append(row[3])
    share = {value: count / 600 for value, count in Counter(rows["diagnosis"]).items()}
    for group in groups.values():
        own = {value: count / len(group) for value, count in Counter(group).items()}
        figures = {
            "L0<=3": math.log2(len(share) / len(own)),
            "Lmin<=2": math.log2(max(own.values()) / max(share.values())),
            "Lr<=4": max(math.log2(part / share[value]) for value, part in own.items()),
        }
        if worst is None:
            assert len(own) >= 5
        else:
            assert figures[require] <= worst + 1e-9


def test_types_limits_and_weights(people: dict[str, list[Any]]) -> None:
    types: dict[str, str | dc.ColumnType] = {
        "age": dc.ColumnType("number", band=5, coarsest=40),
        "admission": "date:month",
        "sex": dc.ColumnType("category", fixed=True),
    }
    found = dc.generalise(
        people, ["age", "admission", "sex"], require="n>=3", types=types, weights={"age": 3}, time_limit=0.2
    )
    rows = found.release()
    assert set(rows["sex"]) <= {"male", "female"}
    for cell in set(rows["age"]):
        low, _, high = cell.partition("–")
        assert int(low) % 5 == 0 and int(high) % 5 == 4 and int(high) - int(low) <= 44
    assert all(len(part) == 7 for cell in set(rows["admission"]) for part in cell.split(" to "))
    loss = found.loss_by_column
    assert found.loss == pytest.approx((3 * loss["age"] + loss["admission"] + loss["sex"]) / 5)


def test_limits_need_no_type(people: dict[str, list[Any]]) -> None:
    said = {
        "sex": dc.ColumnType("auto", fixed=True),
        "age": dc.ColumnType("auto", coarsest=40),
        # May be codes or amounts; left as it is, that makes no difference.
        "station": dc.ColumnType("auto", fixed=True),
    }
    table = {**people, "station": [10_000 + 90 * (i % 2) for i in range(600)]}
    found = dc.generalise(table, list(said), require="n>=3", types=said, time_limit=0.2)
    assert [kind.kind for kind in found.policy.types] == ["category", "number", "number"]
    rows = found.release()
    assert set(rows["sex"]) <= {"male", "female"}
    with pytest.raises(InputError, match="coarsest must be a number above 0"):
        dc.generalise(table, ["age"], require="n>=3", types={"age": dc.ColumnType("auto", coarsest="month")})


def test_so_many_values_need_as_many_records(people: dict[str, list[Any]]) -> None:
    one = dc.generalise(people, ["age", "sex"], "diagnosis", ["k>=5"], time_limit=0.2)
    other = dc.generalise(people, ["age", "sex"], require=["n>=5"], time_limit=0.2)
    assert one.bound is not None and other.bound is not None and one.bound >= 0.9 * other.bound


def test_suppression_stays_within_its_budget(people: dict[str, list[Any]]) -> None:
    found = dc.generalise(people, PUBLIC, require="n>=5", suppress=20, time_limit=0.2)
    assert found.suppressed <= 20
    assert len(found.release()["age"]) == 600 - found.suppressed


def test_global_is_one_coarsening_for_everybody(people: dict[str, list[Any]], tmp_path: Path) -> None:
    found = dc.generalise(
        people, ["age", "sex", "postcode"], require="n>=5", shape="global", suppress=60, time_limit=0.2
    )
    table = found.policy.letters
    assert table is not None
    for c, labels in enumerate(table.labels):
        cells: dict[Any, set[str]] = defaultdict(set)
        for codes, box in zip(table.codes.tolist(), table.group.tolist(), strict=True):
            if box >= 0:
                cells[labels[codes[c]]].add(found.policy.labels[box][c])
        assert all(len(each) == 1 for each in cells.values())  # a value has the same cell in every row
    found.policy.face().save(tmp_path / "cells.json")
    rows = found.release()
    assert dc.Policy.load(tmp_path / "cells.json").verify(rows).ok
    assert found.loss >= (found.bound or 0)


def test_blind_groups_do_not_look_at_sensitive_values(people: dict[str, list[Any]]) -> None:
    table = {name: list(values) for name, values in people.items()}
    one = dc.generalise(table, ["age", "sex"], "diagnosis", ["n>=5", "k>=3"], blind=True, time_limit=0.2)
    assert one.n >= 5 and one.k is not None and one.k >= 3
    assert one.policy.blind
    alone = dc.generalise(table, ["age", "sex"], require=[f"n>={one.n}"], time_limit=0.2)
    assert alone.groups == pytest.approx(one.groups, rel=0.5)


BAD: list[tuple[dict[str, Any], type[DiscreetError], str]] = [
    ({"require": []}, InputError, "no requirement was named"),
    ({"require": ["m>=5"]}, InputError, "'m' is not about single groups"),
    ({"require": ["n<=5"]}, InputError, "wrong way round: use n>=5"),
    ({"require": ["n>=2.5"]}, InputError, "whole number"),
    ({"require": ["k(age)>=3"]}, InputError, "'age' is not sensitive: the sensitive columns are 'diagnosis'"),
    ({"require": ["n>=601"]}, InputError, "the table has 600 records"),
    ({"require": ["k>=99"]}, InputError, "different values in the whole table"),
    (
        {"types": {"age": dc.ColumnType("number", fixed=True)}},
        InputError,
        "no release of these 600 records meets the requirement",
    ),
    ({"types": {"shoe": "number"}}, ColumnError, "'shoe', which is not a public column"),
    ({"types": {"age": "nummber"}}, InputError, "is not a type"),
    ({"types": {"sex": "number"}}, ColumnError, "said to hold numbers"),
    ({"weights": {"age": -1}}, InputError, "at least 0"),
    (
        {"types": {"age": dc.ColumnType("number", weight=2)}, "weights": {"age": 3}},
        InputError,
        "'age' has two weights, 2 and 3: give one",
    ),
    (
        {"hierarchies": {"sex": Hierarchy.parse("male;*\nunknown;*")}},
        ColumnError,
        "'sex': 1 of its 2 values are no leaf of the hierarchy",
    ),
    ({"weights": {"age": 0, "sex": 0}}, InputError, "all weights are 0"),
    ({"shape": "round"}, InputError, "shape"),
    ({"suppress": -1}, InputError, "suppress"),
    ({"time_limit": 0}, InputError, "time limit"),
    ({"seed": 1.5}, InputError, "seed"),
    ({"public": ["age", "hospital"]}, ColumnError, "'hospital' has the same value in every row"),
    ({"public": ["age", "patient"]}, ColumnError, "'patient' names people"),
    ({"public": ["age", "station"]}, InputError, "say --type station=code or --type station=number"),
    ({"public": ["age", "when"], "types": {"when": "date"}}, ColumnError, "'when' is said to hold dates, and 1 of its"),
]


@pytest.mark.parametrize(("given", "kind", "words"), BAD, ids=[words for _, _, words in BAD])
def test_bad_input_is_one_clear_line(
    people: dict[str, list[Any]], given: dict[str, Any], kind: type[DiscreetError], words: str
) -> None:
    table = {
        **people,
        "hospital": ["one"] * 600,
        "station": [10_000 + 137 * (i % 200) for i in range(600)],
        "when": ["soon", *people["admission"][1:]],
    }
    asked = {"public": ["age", "sex"], "sensitive": "diagnosis", "require": ["n>=5"], "time_limit": 1, **given}
    with pytest.raises(kind, match=words) as caught:
        dc.generalise(table, **asked)
    assert "\n" not in str(caught.value)


def test_hierarchies_of_several_columns(tmp_path: Path) -> None:
    town, job = tmp_path / "town.csv", tmp_path / "job.csv"
    town.write_text("Lyon;France;*\nParis;France;*\nTurin;Italy;*\nRome;Italy;*\n")
    job.write_text("cook;hand;*\nsmith;hand;*\nclerk;head;*\n")
    rng = random.Random(0)
    rows = [
        {
            "town": rng.choice(["Lyon", "Paris", "Turin", "Rome"]),
            "job": rng.choice(["cook", "smith", "clerk"]),
            "s": i % 5,
        }
        for i in range(60)
    ]
    found = dc.generalise(
        rows, ["town", "job"], require="n>=12", hierarchies={"town": town, "job": str(job)}, time_limit=0.2
    )
    names = {"Lyon", "Paris", "Turin", "Rome", "France", "Italy", "cook", "smith", "clerk", "hand", "head", "*"}
    assert {cell for row in found.release() for cell in row.values()} <= names
    with (tmp_path / "bad.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([["Lyon", "France", "*"], ["Rome", "Italy", "top"]])
    with pytest.raises(InputError, match="2 different roots"):
        dc.generalise(rows, "town", require="n>=2", hierarchies={"town": tmp_path / "bad.csv"})
