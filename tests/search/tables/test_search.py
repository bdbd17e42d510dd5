"""The search: never below the true optimum, mostly at it, and every demand met."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.search.tables import Column, Grouping, Letters, Requirement, generalise_letters
from discreet.search.tables._global import trimmed
from tests.examples import examples
from tests.search.tables import oracle
from tests.search.tables.strategies import tables


def search(letters: Letters, described: tuple[Column, ...], requirement: Requirement, **options: Any) -> Grouping:
    return generalise_letters(letters, described, requirement, time_limit=options.pop("time_limit", None), **options)


def random_table(seed: int, *, records: int = 60, sensitive: int = 0) -> tuple[Letters, tuple[Column, ...]]:
    """A table of a line, a tree and a set."""
    rng = np.random.default_rng(seed)
    leaves = np.arange(12)
    described = (
        Column.line(np.arange(30.0), missing=True),
        Column.tree(np.stack([leaves, leaves // 3, leaves // 6, leaves * 0], axis=1)),
        Column.set_of(4, weight=0.5),
    )
    rows = np.stack([rng.integers(0, column.size, records) for column in described], axis=1)
    return Letters.from_records(rows, [rng.integers(0, 5, records) for _ in range(sensitive)])[0], described


def test_small_tables_reach_the_optimum() -> None:
    reached = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        letters, described = random_table(seed, records=int(rng.integers(4, 9)), sensitive=1)
        requirement = Requirement(int(rng.integers(1, 4)), (int(rng.integers(1, 3)),))
        best = oracle.best_loss(described, letters, requirement)
        if best is None:
            continue
        found = search(letters, described, requirement)
        assert found.loss >= best - 1e-9
        reached += found.loss <= best + 1e-9
    assert reached >= 22


@given(tables(most=6, sensitive=1), st.integers(1, 4), st.integers(1, 3), st.sampled_from([None, 0.5, 0.7]))
@settings(max_examples=examples(25))
def test_every_demand_is_met(table: tuple[Letters, tuple[Column, ...]], n: int, k: int, share: float | None) -> None:
    letters, described = table
    caps = (None if share is None else np.full(letters.sensitive[0].size, share),)
    requirement = Requirement(n, (k,), caps)
    best = oracle.best_loss(described, letters, requirement)
    if best is None:
        with pytest.raises(InputError, match="no release"):
            search(letters, described, requirement)
        return
    found = search(letters, described, requirement, time_limit=0.05)
    groups = [np.flatnonzero(found.group_of == g).tolist() for g in range(found.groups)]
    assert all(oracle.fits(letters, requirement, group) for group in groups)
    assert found.loss == pytest.approx(oracle.loss(described, letters, found.group_of.tolist()))
    assert found.loss >= best - 1e-9
    assert found.suppressed == 0


@pytest.mark.slow
def test_loss_rises_with_n() -> None:
    letters, described = random_table(1, records=100)
    losses = [search(letters, described, Requirement(n), time_limit=0.2).loss for n in (2, 4, 8, 16, 100)]
    assert losses == sorted(losses)
    assert losses[-1] <= 1


def test_order_of_rows_and_columns_does_not_matter() -> None:
    letters, described = random_table(2, records=40)
    rng = np.random.default_rng(0)
    rows = rng.permutation(letters.size)
    columns = rng.permutation(len(described))
    other = Letters(np.ascontiguousarray(letters.codes[rows][:, columns]), letters.counts[rows])
    first = search(letters, described, Requirement(4), time_limit=None)
    second = search(other, tuple(described[c] for c in columns), Requirement(4), time_limit=None)
    assert first.loss == pytest.approx(second.loss)
    assert np.allclose(first.loss_by_column[columns], second.loss_by_column)


def test_same_seed_same_groups() -> None:
    letters, described = random_table(3, records=40, sensitive=1)
    one, two = (search(letters, described, Requirement(4, (2,)), time_limit=None, seed=5).group_of for _ in range(2))
    assert np.array_equal(one, two)


def test_limits_and_columns_left_as_they_are() -> None:
    letters, (age, code, _) = random_table(4, records=400)
    described = (
        Column("line", age.size, limit=0.4, positions=age.positions),
        Column("tree", code.size, limit=0.5, levels=code.levels, node_cost=code.node_cost),
        Column.set_of(4, fixed=True),
    )
    found = search(letters, described, Requirement(3), suppress=40, time_limit=0.2)
    for g in range(found.groups):
        group = np.flatnonzero(found.group_of == g).tolist()
        assert oracle.allowed(described, letters, group)
        assert letters.counts[group].sum() >= 3
    assert found.suppressed <= 40


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        (Requirement(61), "60 records"),
        (Requirement(2, (6,)), "5 distinct"),
        (Requirement(2, (), (np.full(5, 0.1),)), "share"),
        (Requirement(2, (2, 2)), "does not have"),
    ],
)
def test_what_no_release_meets(requirement: Requirement, message: str) -> None:
    letters, described = random_table(5, sensitive=1)
    with pytest.raises(InputError, match=message):
        search(letters, described, requirement)


def test_somebody_stops_it() -> None:
    letters, described = random_table(6, records=300)
    seen: list[tuple[str, float, float]] = []
    found = generalise_letters(
        letters,
        described,
        Requirement(5),
        time_limit=None,
        should_stop=lambda: len(seen) > 3,
        progress=lambda *told: seen.append(told),
    )
    assert found.stopped
    assert found.n >= 5
    assert seen[0][0] == "first"
    assert all(0 <= share <= 1 and 0 <= loss <= 1 for _, share, loss in seen)


def test_an_interrupt_keeps_the_best() -> None:
    letters, described = random_table(7, records=300)
    calls = 0

    def interrupted() -> bool:
        nonlocal calls
        calls += 1
        if calls == 40:
            raise KeyboardInterrupt
        return False

    found = generalise_letters(letters, described, Requirement(5), time_limit=None, should_stop=interrupted)
    assert found.stopped
    assert found.n >= 5


def test_heavy_letters_cost_nothing() -> None:
    letters = Letters(np.array([[0], [1], [2]], dtype=np.int32), np.array([5, 7, 6]))
    found = search(letters, (Column.line([0, 1, 2]),), Requirement(5))
    assert found.groups == 3
    assert found.loss == 0


def overlap(described: tuple[Column, ...], letters: Letters, one: list[int], other: list[int]) -> bool:
    """Whether the released cells of two groups have a combination of values in common."""
    for c, column in enumerate(described):
        a, b = ([int(letters.codes[x, c]) for x in group] for group in (one, other))
        if column.kind == "set":
            apart = not set(a) & set(b)
        elif column.kind == "line":
            apart = max(a) < min(b) or max(b) < min(a)
        else:
            levels = column.levels.tolist()
            (i, node), (j, second) = oracle.node_of(levels, a), oracle.node_of(levels, b)
            leaves = [{leaf for leaf, row in enumerate(levels) if row[at] == of} for at, of in ((i, node), (j, second))]
            apart = not leaves[0] & leaves[1]
        if apart:
            return False
    return True


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [1, 2])
def test_tiles_never_overlap(seed: int, k: int) -> None:
    letters, described = random_table(seed, records=150, sensitive=1)
    found = search(letters, described, Requirement(4, (k,)), shape="disjoint")
    groups = [np.flatnonzero(found.group_of == g).tolist() for g in range(found.groups)]
    assert found.groups > 3
    assert all(oracle.fits(letters, Requirement(4, (k,)), group) for group in groups)
    assert not any(overlap(described, letters, groups[i], groups[j]) for i in range(len(groups)) for j in range(i))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_one_coarsening_for_everybody(seed: int) -> None:
    letters, described = random_table(seed, records=300, sensitive=1)
    requirement = Requirement(4, (2,))
    found = search(letters, described, requirement, shape="global", suppress=30)
    assert found.bands is not None
    assert found.suppressed <= 30
    kept = np.flatnonzero(found.group_of >= 0)
    rows = np.stack([band[letters.codes[kept, c]] for c, band in enumerate(found.bands)], axis=1)
    _, group = np.unique(rows, axis=0, return_inverse=True)
    assert len(set(zip(group.ravel().tolist(), found.group_of[kept].tolist(), strict=True))) == found.groups
    expected = float(letters.counts[found.group_of < 0].sum())
    weights = [column.weight / sum(column.weight for column in described) for column in described]
    for x in kept:
        assert oracle.fits(letters, requirement, np.flatnonzero(found.group_of == found.group_of[x]).tolist())
        for c, (column, band) in enumerate(zip(described, found.bands, strict=True)):
            inside = np.flatnonzero(band == band[letters.codes[x, c]])
            if column.kind == "line":
                inside = np.intersect1d(inside, letters.codes[:, c])
            expected += letters.counts[x] * weights[c] * oracle.cell_cost(column, inside.tolist())
    assert found.loss == pytest.approx(expected / letters.records)


def test_outliers_are_left_out_within_the_budget() -> None:
    rows = np.array([[0]] * 4 + [[1]] * 4 + [[99]], dtype=np.int32)
    letters, _ = Letters.from_records(np.repeat(rows, 1, axis=0))
    described = (Column.line(np.arange(100.0)),)
    kept = search(letters, described, Requirement(5))
    out = search(letters, described, Requirement(4), suppress=1)
    assert kept.loss == pytest.approx(1.0)
    assert out.suppressed == 1
    assert out.loss == pytest.approx(1 / 9)


def test_bands_say_no_more_than_they_must() -> None:
    bands = np.array([0, 0, 0, 1, 1, 1, 1, 2])
    assert trimmed(bands, np.array([1, 1, 3, 5])).tolist() == [0, 1, 2, 3, 3, 3, 4, 5]
    rows = np.concatenate([np.repeat(np.arange(10), 5), [30, 39]])[:, None]  # two outliers are left out
    letters, _ = Letters.from_records(rows)
    found = search(
        letters, (Column.line(np.arange(40.0)),), Requirement(5), shape="global", suppress=2, time_limit=None
    )
    assert found.suppressed == 2
    assert found.loss == pytest.approx(2 / 52)


def around_a_heavy_letter(illnesses: int) -> tuple[Letters, tuple[Column, ...]]:
    """Nearly everybody has one value in the middle; a few others lie all around."""
    rng = np.random.default_rng(4)
    rows = np.concatenate([np.full((500, 2), 20), rng.integers(0, 40, (12, 2))])
    ill = np.concatenate([np.arange(500) % 4, np.arange(12) % illnesses])
    return Letters.from_records(rows, [ill])[0], (Column.line(np.arange(40.0)), Column.line(np.arange(40.0)))


def test_a_few_others_do_not_make_everybody_coarse() -> None:
    letters, described = around_a_heavy_letter(2)
    assert search(letters, described, Requirement(3, (2,))).loss <= 12 / 512
    letters, described = around_a_heavy_letter(1)  # the others make no group
    assert search(letters, described, Requirement(3, (2,)), suppress=12).loss == pytest.approx(12 / 512)
    assert search(letters, described, Requirement(3, (2,)), suppress=11).loss > 0.5


@pytest.mark.slow
def test_suppression_never_costs() -> None:
    letters, described = random_table(8, records=50)
    without = search(letters, described, Requirement(8), time_limit=None)
    with_it = search(letters, described, Requirement(8), time_limit=None, suppress=20)
    assert with_it.suppressed <= 20
    assert with_it.loss <= without.loss + 1e-12


def test_a_shape_that_is_not_one() -> None:
    letters, described = random_table(9)
    with pytest.raises(InputError, match="local, disjoint or global"):
        search(letters, described, Requirement(2), shape="round")


# ---------------------------------------------------------------------- the budget of records left out


@pytest.mark.parametrize("seed", range(40))
def test_one_coarsening_keeps_to_its_budget_or_is_refused(seed: int) -> None:
    """However short the time, and whatever the limits of its columns are."""
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.integers(0, 12, 40), rng.integers(0, 6, 40), rng.integers(0, 4, 40)], axis=1)
    limit = float(rng.choice([0.2, 0.5, 1.0]))
    described = (
        Column.line(np.arange(11.0), missing=True, limit=limit),
        Column.set_of(6, limit=float(rng.choice([0.2, 1.0]))),
        Column.tree([[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 1, 0]]),
    )
    letters, _ = Letters.from_records(rows)
    budget = int(rng.choice([0, 0, 3]))
    refusal = ""
    try:
        found = search(letters, described, Requirement(4), shape="global", suppress=budget, time_limit=0.001)
        assert found.suppressed <= budget
    except InputError as refused:
        refusal = str(refused)
    if refusal:
        assert described[0].limit < 1 or described[1].limit < 1
        assert re.search(r"no release was found .* without suppressing (all|\d+ of) 40 records", refusal)


def test_without_limits_one_coarsening_leaves_nobody_out() -> None:
    """One number stands far out and one is missing: the coarsest column holds both."""
    letters, _ = Letters.from_records(np.array([[0], [0], [1], [2], [3], [4]]))
    described = (Column.line([0.0, 1.0, 2.0, 90.0], missing=True),)
    found = search(letters, described, Requirement(3), shape="global", time_limit=0.0)
    assert (found.suppressed, found.groups) == (0, 1)
    assert found.loss == pytest.approx(1.0)


@pytest.mark.parametrize("shape", ["local", "disjoint", "global"])
def test_what_only_leaving_out_everybody_would_meet_is_refused(shape: Any) -> None:
    letters, _ = Letters.from_records(np.arange(6)[:, None])
    for described in ((Column.set_of(6, fixed=True),), (Column.line(np.arange(6.0), limit=0.2),)):
        with pytest.raises(InputError, match="all 6 records"):
            search(letters, described, Requirement(3), shape=shape, suppress=6)
