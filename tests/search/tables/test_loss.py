"""The loss and the requirement of a grouping, against plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.search.tables import Column, Letters, Requirement, measured
from discreet.search.tables._columns import compiled
from discreet.search.tables._problem import Problem
from discreet.search.tables._requirements import unmet
from tests.examples import examples
from tests.search.tables import oracle
from tests.search.tables.strategies import columns, tables


@given(tables(most=9), st.data())
@settings(max_examples=examples(60))
def test_loss_is_the_oracles(table: tuple[Letters, tuple[Column, ...]], data: Any) -> None:
    letters, described = table
    group_of = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=letters.size, max_size=letters.size)))
    found = measured(letters, described, Requirement(1), group_of)
    assert found.loss == pytest.approx(oracle.loss(described, letters, group_of.tolist()))
    assert found.groups == len(set(group_of.tolist()) - {-1})
    weights = np.array([column.weight for column in described])
    assert found.loss == pytest.approx(float(found.loss_by_column @ weights / weights.sum()))


@given(tables(most=6, sensitive=2), st.data())
@settings(max_examples=examples(60))
def test_unmet_is_the_oracles(table: tuple[Letters, tuple[Column, ...]], data: Any) -> None:
    letters, _ = table
    group_of = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=letters.size, max_size=letters.size)))
    caps = (None, np.full(letters.sensitive[1].size, data.draw(st.sampled_from([0.4, 0.5, 1.0]))))
    requirement = Requirement(data.draw(st.integers(1, 4)), (data.draw(st.integers(1, 3)),), caps)
    groups = [np.flatnonzero(group_of == g).tolist() for g in set(group_of.tolist()) - {-1}]
    expected = all(oracle.fits(letters, requirement, group) for group in groups)
    assert (not unmet(letters, requirement, group_of)) == expected


@given(columns(), st.data())
@settings(max_examples=examples(60))
def test_kernels_agree_with_columns(column: Column, data: Any) -> None:
    from discreet.search.tables._kernels import span

    if column.kind == "set":
        return
    lo, hi = sorted(data.draw(st.lists(st.integers(0, column.size - 1), min_size=2, max_size=2)))
    expected = oracle.cell_cost(column, [lo, hi])
    assert column.spans([lo], [hi])[0] == pytest.approx(expected)
    assert span(compiled((Column("line", 1, 0.0, positions=np.zeros(1)), column)), 1, lo, hi) == pytest.approx(expected)


def test_large_trees_have_no_table_of_spans() -> None:
    from discreet.search.tables._kernels import span

    leaves = np.arange(1000)
    tree = Column.tree(np.stack([leaves, leaves // 10, leaves // 100, leaves * 0], axis=1))
    cells = compiled((tree,))
    assert cells.cost.size < 2000
    rng = np.random.default_rng(3)
    for lo, hi in np.sort(rng.integers(0, 1000, (200, 2)), axis=1):
        assert span(cells, 0, lo, hi) == pytest.approx(float(tree.spans([lo], [hi])[0]))


def test_missing_is_outside_the_line() -> None:
    age = Column.line([20, 30, 60], missing=True)
    assert age.spans([0, 3, 2], [1, 3, 3]).tolist() == [0.25, 0.0, 1.0]


@given(tables(most=9, sensitive=1), st.randoms(use_true_random=False))
@settings(max_examples=examples(40))
def test_canonical_form_knows_no_order(table: tuple[Letters, tuple[Column, ...]], random: Any) -> None:
    letters, described = table
    rows = list(range(letters.size))
    random.shuffle(rows)
    lengths = np.diff(letters.sensitive[0].indptr)
    records = np.repeat(np.arange(letters.size), lengths)
    public = np.repeat(letters.codes, lengths, axis=0)[np.argsort(np.array(rows)[records], kind="stable")]
    values = letters.sensitive[0].value[np.argsort(np.array(rows)[records], kind="stable")]
    once = Letters.from_records(np.repeat(letters.codes, lengths, axis=0), [letters.sensitive[0].value])[0]
    shuffled = Letters.from_records(public, [values])[0]
    one = Problem.of(once, described, Requirement(1))
    other = Problem.of(shuffled, described, Requirement(1))
    assert np.array_equal(one.letters.codes, other.letters.codes)
    assert np.array_equal(one.letters.sensitive[0].value, other.letters.sensitive[0].value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Column.line([1, 1]), "strictly increasing"),
        (lambda: Column.line([1, 5], 3), "at least that of its values"),
        (lambda: Column.tree([[0, 0], [1, 1]]), "one top"),
        (lambda: Column.tree([[0, 0, 0], [1, 1, 0], [2, 0, 0]]), "depth-first"),
        (lambda: Column.set_of(0), "at least one value"),
        (lambda: Column.set_of(2, weight=-1), "weight"),
        (lambda: Column.set_of(2, limit=1.5), "from 0 to 1"),
        (lambda: Requirement(0), "at least one"),
    ],
)
def test_bad_descriptions(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
