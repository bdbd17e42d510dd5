"""The workbench: a table counted once, released for several requirements, its groups changed by hand."""

from __future__ import annotations

import pickle
from contextlib import suppress
from pathlib import Path

import pytest

from discreet.errors import InputError, RequirementError
from discreet.recipe import Recipe
from discreet.search.tables import Workbench

PATIENTS = Path(__file__).parents[3] / "docs" / "patients.csv"


@pytest.fixture(scope="module")
def work() -> Workbench:
    return Workbench.of(Recipe.guess(PATIENTS))


def test_a_table_is_released_for_one_level_beside_the_other_requirements(work: Workbench) -> None:
    done = work.release("n", 10, seconds=0.2, seed=0)
    assert done.n >= 10 and done.k is not None and done.k >= 3
    assert {str(each) for each in done.policy.require} == {"n>=10", "k>=3"}
    assert pickle.loads(pickle.dumps(done)).loss == done.loss  # noqa: S301, it goes to another process and back


def test_merged_groups_are_one_and_everything_is_recomputed(work: Workbench) -> None:
    done = work.release("n", 5, seconds=0.2, seed=0)
    merged = work.merge(done.policy, [0, 1])
    assert merged.groups == done.groups - 1
    assert merged.loss >= done.loss and merged.n >= 5
    released = merged.release()
    assert released.num_rows == 400
    assert merged.policy.verify(released, str(PATIENTS)).ok


def test_a_group_is_split_where_both_parts_have_what_they_must(work: Workbench) -> None:
    done = work.release("n", 5, seconds=0.2, seed=0)
    merged = work.merge(done.policy, [0, 1])
    before = {tuple(each) for each in merged.policy.labels}
    outcomes = []
    group = next(i for i, label in enumerate(merged.policy.labels) if label not in set(done.policy.labels))
    for column, values in work.cuts(merged.policy, group).items():
        for cut in range(len(values)):
            with suppress(RequirementError):
                outcomes.append(work.split(merged.policy, group, column, cut))
    assert outcomes and all(each.groups == merged.groups + 1 and each.n >= 5 for each in outcomes)
    assert all({tuple(label) for label in each.policy.labels} != before for each in outcomes)


def test_what_cannot_be_done_is_refused_in_one_line(work: Workbench) -> None:
    policy = work.release("n", 5, seconds=0.2, seed=0).policy
    with pytest.raises(InputError, match="at least two groups"):
        work.merge(policy, [3])
    with pytest.raises(InputError, match="private part"):
        work.merge(policy.face(), [0, 1])
    column = next(iter(work.cuts(policy, 0)))
    with pytest.raises(InputError, match="cannot be cut there"):
        work.split(policy, 0, column, 99)


def test_members_are_the_combinations_of_a_group(work: Workbench) -> None:
    done = work.release("n", 5, seconds=0.2, seed=0)
    sizes = dict(zip(done.joint.x, done.joint.records.tolist(), strict=True))
    for group in range(3):
        members = work.members(done.policy, group)
        assert sum(each.records for each in members) == sizes[done.policy.labels[group]]
        for each in members:
            cells = [done.policy.boxes.cells[c][done.policy.boxes.ids[group, c]] for c in range(len(each.values))]
            assert all(cell.holds(value) for cell, value in zip(cells, each.values, strict=True))
