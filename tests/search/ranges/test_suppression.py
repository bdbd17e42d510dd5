"""Withholding letters: budgets, accounts, the guard, and the greedy search against all sets."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import discreet as dc
from discreet.search._watch import Watch
from discreet.search.ranges import _costs as costs
from discreet.search.ranges._exact import exact_frontier
from discreet.search.ranges._suppression import WITHHELD, Suppression, Suppressor, restrict, suppress
from tests._oracles.ranges_by_enumeration import blocks_of, fewest_distinct, make_letters, partition_cost
from tests._oracles.withholding_by_enumeration import suppress_exact
from tests.clocks import Clock

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.search._letters import Letters


def radii(letters: Letters, block_of: IntArray) -> FloatArray:
    return costs.radii(letters, block_of, "chebyshev")


def problem_of(letters: Letters, rows: list[int], budget: int, k: int, *, guard: bool = True) -> Suppressor:
    def engine(rest: Letters, kept: IntArray) -> IntArray:
        return exact_frontier(rest, "L0", "distortion", "chebyshev").partition(k - 1)

    return Suppressor(letters, np.array(rows), budget, k, engine, radii, guard)


def outliers() -> Letters:
    return make_letters([[0], [1], [0], [1], [2]], [0.0, 1.0, 10.0, 11.0, 500.0])


def check(problem: Suppressor, account: Suppression) -> None:
    """An account is what its own block_of says."""
    letters = problem.letters
    gone = np.flatnonzero(account.block_of == WITHHELD)
    assert account.withheld.tolist() == gone.tolist()
    assert account.rows_withheld == int(problem.rows[gone].sum()) <= problem.budget
    assert account.rows_released == int(problem.rows.sum()) - account.rows_withheld
    s_gone = {int(s) for x in gone for s in letters.range_of(int(x))}
    left = [b for b in blocks_of(account.block_of) if int(account.block_of[b[0]]) != WITHHELD]
    assert account.distinct_withheld == len(s_gone)
    assert account.s_vanished == len(s_gone - {int(s) for b in left for x in b for s in letters.range_of(x)})
    assert fewest_distinct(letters, left) >= problem.least
    assert account.cost == pytest.approx(partition_cost(letters, left, "distortion", "chebyshev"))
    assert all(min(b) == int(account.block_of[b[0]]) for b in left)
    if problem.guard:
        assert not s_gone or len(s_gone) >= problem.least


def test_an_outlier_is_withheld_where_absence_is_hidden() -> None:
    problem = problem_of(outliers(), [3, 3, 3, 3, 1], budget=1, k=2, guard=False)
    account = suppress(problem)
    check(problem, account)
    assert account.withheld.tolist() == [4]
    assert account.cost == 0.5
    assert (account.rows_withheld, account.rows_released) == (1, 12)
    assert (account.distinct_withheld, account.s_vanished) == (1, 1)


def test_the_guard_wants_company_for_what_is_withheld() -> None:
    alone = problem_of(outliers(), [3, 3, 3, 3, 1], budget=1, k=2)
    assert suppress(alone).withheld.tolist() == []
    two = problem_of(outliers(), [3, 3, 3, 3, 1], budget=4, k=2)
    account = suppress(two)
    check(two, account)
    assert 4 in account.withheld.tolist()
    assert account.distinct_withheld == 2
    assert account.cost < suppress(alone).cost


def test_a_budget_of_nothing_withholds_nothing() -> None:
    account = suppress(problem_of(outliers(), [1] * 5, budget=0, k=2))
    assert account.withheld.tolist() == []
    assert account.distinct_withheld == 0


@pytest.mark.parametrize("guard", [True, False])
def test_greedy_is_sound_and_near_the_best_of_all_sets(guard: bool) -> None:
    rng = np.random.default_rng(4)
    met = 0
    for _ in range(25):
        n = int(rng.integers(3, 8))
        letters = make_letters(rng.integers(0, 4, (n, 1)).tolist(), rng.integers(0, 60, n).tolist())
        k = min(2, letters.n_s)
        rows = rng.integers(1, 5, n).tolist()
        problem = problem_of(letters, rows, int(rng.integers(0, 8)), k, guard=guard)
        greedy, best = suppress(problem), suppress_exact(problem)
        check(problem, greedy)
        check(problem, best)
        nothing = problem.evaluate(frozenset())
        assert nothing is not None
        assert best.cost <= greedy.cost <= nothing.cost
        met += greedy.cost == best.cost
    assert met >= 15


def test_rest_of_an_alphabet_is_renumbered() -> None:
    rest = restrict(make_letters([[0, 3], [1], [3, 4]], [1.0, 2.0, 3.0]), np.array([0, 2]))
    assert rest.indptr.tolist() == [0, 2, 4]
    assert rest.indices.tolist() == [0, 1, 1, 2]
    assert rest.n_s == 3
    assert rest.values is not None
    assert rest.values.tolist() == [[1.0], [3.0]]


def test_bad_questions_are_refused() -> None:
    letters = outliers()
    with pytest.raises(ValueError, match="negative"):
        problem_of(letters, [1] * 5, -1, 2)
    with pytest.raises(ValueError, match="at least one"):
        problem_of(letters, [1] * 5, 1, 0)
    with pytest.raises(ValueError, match="entries"):
        problem_of(letters, [1] * 4, 1, 2)
    with pytest.raises(ValueError, match="fewer than 4"):
        suppress(problem_of(letters, [1] * 5, 1, 4))


def people(rows: int) -> dict[str, list[object]]:
    """Two numbers and a category, with outliers."""
    rng = np.random.default_rng(7)
    return {
        "s": rng.integers(0, 6, rows).tolist(),
        "age": (30 + rng.gamma(2.0, 12.0, rows)).astype(int).tolist(),
        "weight": (60 + 15 * rng.standard_t(3, rows)).astype(int).tolist(),
        "job": rng.choice(["a", "b", "c", "d"], rows).tolist(),
    }


def test_in_several_columns_the_policies_that_are_made_do_not_grow_with_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from discreet.search.ranges import _multicolumn

    joint = dc.Joint.from_table(people(160), "s", ["age", "weight", "job"])
    found = dc.frontier(joint, scale={"age": 10.0, "weight": 10.0, "job": 1.0}, cut={"max_leakage": 1.0})
    point = found.point_at(max_leakage=1.0)
    made: list[int] = []
    optimise = _multicolumn.optimise

    def counted(*arguments: Any, **options: Any) -> Any:
        made.append(1)
        return optimise(*arguments, **options)

    monkeypatch.setattr(_multicolumn, "optimise", counted)
    better, policy, is_cut_short = found.engine.withhold(found, point, 60)
    assert not is_cut_short
    assert len(made) <= 64
    assert better.utility > point.utility
    assert 0 < len(policy.withheld) <= 60
    assert policy.after["k"] >= 3
    gone = [i for i, label in enumerate(joint.x) if label in policy.withheld]
    assert (
        len({int(s) for i in gone for s in joint.counts.indices[joint.counts.indptr[i] : joint.counts.indptr[i + 1]]})
        >= 3
    )
    made.clear()
    assert found.engine.withhold(found, point, 60, 1e-9) == (point, point.policy, True)  # no time, nothing withheld
    assert not made


@pytest.mark.slow
def test_more_time_never_withholds_worse() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = int(rng.integers(7, 11))
        letters = make_letters(
            [[int(s)] for s in rng.integers(0, 4, n)], np.sort(rng.choice(200, n)).astype(float).tolist()
        )
        if letters.n_s < 3:
            continue
        problem = problem_of(letters, rng.integers(1, 4, n).tolist(), budget=8, k=2)
        found = [suppress(replace(problem, watch=Watch(looks, clock=Clock(1.0)))) for looks in range(1, 40)]
        for short, longer in itertools.pairwise(found):
            assert (longer.cost, longer.rows_withheld) <= (short.cost, short.rows_withheld)
