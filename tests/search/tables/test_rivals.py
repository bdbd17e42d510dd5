"""A release of a whole table is never worse than top-down, the contiguous program, Mondrian or k-member."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.search.tables import Column, Letters, Requirement, generalise_letters, measured
from discreet.search.tables._first import contiguous, grouped, tree_order
from discreet.search.tables._mondrian import mondrian
from discreet.search.tables._problem import Problem
from tests._oracles.simple_groupings import k_member
from tests.clocks import Clock

SEEDS = range(12)
LOOKS = 300.0  # at the clock, until a search ends


def table_of(seed: int, *, trees: bool) -> tuple[Letters, tuple[Column, ...], Requirement]:
    """Even, skewed, bell-shaped and correlated tables of one to five columns, in turn."""
    rng = np.random.default_rng(seed)
    records = int(rng.choice([20, 60, 200, 800]))
    leaves = np.arange(24)
    every = (
        Column.line(np.arange(80.0)),
        Column.set_of(3),
        Column.line(np.sort(rng.random(200))),
        Column.set_of(8),
        Column.tree(np.stack([leaves, leaves // 4, leaves // 12, leaves * 0], axis=1)),
    )[: 5 if trees else 4]
    columns = tuple(every[i] for i in rng.permutation(len(every))[: rng.integers(1, len(every) + 1)])
    rows: list[np.ndarray] = []
    for column in columns:
        shared = rows[0] / columns[0].size if rows else rng.random(records)
        share = (
            rng.random(records),
            (rng.geometric(0.15, records) - 1) / column.size,
            rng.normal(0.5, 1 / 6, records),
            shared + rng.normal(0, 0.1, records),
        )[seed % 4]
        rows.append(np.clip((share * column.size).astype(int), 0, column.size - 1))
    several = bool(rng.integers(0, 2))
    letters, _ = Letters.from_records(np.stack(rows, axis=1), [rng.integers(0, 5, records)] if several else [])
    return letters, columns, Requirement(int(rng.choice([2, 3, 5, 10])), (2,) if several else ())


@pytest.mark.parametrize("seed", SEEDS)
def test_local_cells_cost_no_more(seed: int) -> None:
    letters, columns, requirement = table_of(seed, trees=True)
    found = generalise_letters(letters, columns, requirement, time_limit=LOOKS, clock=Clock(1.0))
    for rival in (mondrian, k_member):
        grouping = rival(letters, columns, requirement)
        assert found.loss <= measured(letters, columns, requirement, grouping).loss + 1e-12
    problem = Problem.of(letters, columns, requirement)
    order, leaves = tree_order(problem, np.arange(problem.letters.size))
    for begins in (leaves, contiguous(problem, order)[1]):
        grouping = problem.given(grouped(problem.letters.size, order, begins))
        assert found.loss <= measured(letters, columns, requirement, grouping).loss + 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_cells_that_never_overlap_cost_no_more_than_mondrians(seed: int) -> None:
    letters, columns, requirement = table_of(seed, trees=False)  # of a tree, Mondrian's cells overlap as nodes
    found = generalise_letters(letters, columns, requirement, shape="disjoint", time_limit=LOOKS, clock=Clock(1.0))
    grouping = mondrian(letters, columns, requirement)
    assert found.loss <= measured(letters, columns, requirement, grouping).loss + 1e-12
