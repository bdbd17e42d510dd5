"""The public part of a policy: enough to apply cells that do not overlap, also to values never seen; limits and suppression."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.datasets import registry
from discreet.errors import InputError, RequirementError

PUBLIC = ["age", "sex", "postcode", "occupation"]
Table = dict[str, list[Any]]


@pytest.fixture(scope="module")
def people() -> Table:
    return registry(500, seed=3)


@pytest.fixture(scope="module")
def new() -> Table:
    """Other people, with an age, a postcode and an occupation that nobody had."""
    found = registry(500, seed=8)
    found["age"][0], found["postcode"][1], found["occupation"][2] = 117, "99999", "lighthouse keeper"
    return found


def face_of(people: Table, shape: Any, folder: Path) -> tuple[Any, Any]:
    done = dc.generalise(people, PUBLIC, require="n>=4", shape=shape, suppress=25, time_limit=0.2)
    done.policy.face().save(folder / "cells.json")
    return done.policy, dc.Policy.load(folder / "cells.json")


def rows(released: Table) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(released[name] for name in PUBLIC), strict=True))


@pytest.mark.parametrize("shape", ["disjoint", "global"])
def test_cells_that_do_not_overlap_need_no_private_part(people: Table, new: Table, shape: str, tmp_path: Path) -> None:
    policy, face = face_of(people, shape, tmp_path)
    assert "letters" not in face.to_dict()
    assert rows(face.apply(people)) == rows(policy.apply(people))
    released = face.release(new)
    assert rows(released) == rows(policy.release(new))
    assert set(rows(released)) <= set(face.labels)
    with pytest.raises(RequirementError, match="no row of this table can be released"):
        face.release({name: [values[0]] for name, values in new.items()})  # no cell is true of an age of 117


@pytest.mark.parametrize("shape", ["disjoint", "global"])
def test_a_cell_is_true_of_the_new_values_it_is_given_to(people: Table, new: Table, shape: str, tmp_path: Path) -> None:
    _, face = face_of(people, shape, tmp_path)
    checked = 0
    for i in range(40):
        try:
            released = face.release({name: [values[i]] for name, values in new.items()})
        except RequirementError:  # no cell is true of this row
            continue
        ((age, sex, code, job),) = rows(released)
        low, _, high = age.partition("–")
        assert int(low) <= new["age"][i] <= int(high or low)
        assert new["sex"][i] in sex
        assert str(new["postcode"][i]).startswith(code.rstrip("*"))
        assert new["occupation"][i] in job.strip("{}").split(", ") or job == "*"
        checked += 1
    assert checked


def test_new_people_are_too_few_for_the_promise(people: Table, new: Table, tmp_path: Path) -> None:
    _, face = face_of(people, "global", tmp_path)
    with pytest.raises(RequirementError, match=r"n>=4"):
        face.apply({name: values[:40] for name, values in new.items()})


def test_overlapping_cells_need_the_private_part(people: Table, tmp_path: Path) -> None:
    policy, face = face_of(people, "local", tmp_path)
    assert rows(policy.apply(people))
    with pytest.raises(InputError, match="public part of a policy whose cells overlap") as caught:
        face.apply(people)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("shape", ["local", "disjoint", "global"])
def test_never_coarser_than_with_suppression(people: Table, shape: Any) -> None:
    types: dict[str, str | dc.ColumnType] = {
        "age": dc.ColumnType("number", coarsest=30),
        "postcode": dc.ColumnType("code", coarsest=1),
    }
    found = dc.generalise(
        people, ["age", "sex", "postcode"], require="n>=4", types=types, shape=shape, suppress=80, time_limit=0.2
    )
    assert found.suppressed <= 80 and found.n >= 4
    released = found.release()
    assert len(released["age"]) == 500 - found.suppressed
    for age, code in zip(released["age"], released["postcode"], strict=True):
        low, _, high = age.partition("–")
        assert int(high or low) - int(low) <= 30
        assert code.rstrip("*")


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["local", "disjoint", "global"])
def test_the_same_seed_gives_the_same_bytes(people: Table, shape: Any) -> None:
    few = {name: values[:60] for name, values in people.items()}
    _, one, other = (  # the first may have to compile, which takes from the time of its proof
        dc.generalise(few, ["sex", "occupation"], "diagnosis", ["n>=3", "k>=2"], shape=shape, time_limit=300, seed=7)
        for _ in range(3)
    )
    assert one.policy.to_json() == other.policy.to_json()
