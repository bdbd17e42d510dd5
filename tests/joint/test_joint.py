"""Joint: construction, views, coarsening, and what it refuses."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discreet import Joint
from discreet.errors import ColumnError, InputError, JointError, MeasureError
from discreet.testing import coarsened_joints, joints

LABELS = st.one_of(
    st.none(),
    st.integers(-3, 3),
    st.sampled_from(["a", "b", "ß", "01"]),
    st.sampled_from([0.5, -1.5, math.inf]),
    st.tuples(st.integers(0, 1), st.sampled_from(["u", "v"])),
    st.sampled_from([dt.date(2020, 1, 1), b"x", frozenset({1})]),
)


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_pairs_are_counted_whatever_their_labels_and_order(pairs: list[tuple[Any, Any]], random: Any) -> None:
    joint = Joint.from_pairs(pairs)
    counted = Counter(pairs)
    found = {
        (joint.s[s], joint.x[x]): int(joint.counts[s, x])
        for s, x in itertools.product(range(joint.n_s), range(joint.n_x))
        if joint.counts[s, x]
    }
    assert found == dict(counted)
    random.shuffle(pairs)
    assert Joint.from_pairs(iter(pairs)) == joint


def test_labels_are_sorted_and_missing_is_one_level_and_last() -> None:
    joint = Joint.from_pairs(
        [(s, "x") for s in ("b", 2, None, float("nan"), 1.5, "a", np.datetime64("NaT"), np.int64(1))]
    )
    assert joint.s == (1, 1.5, 2, "a", "b", None)


def test_labels_of_pairs_are_not_converted() -> None:
    assert Joint.from_pairs([("1", "01"), ("2", "1")]).s == ("1", "2")
    assert Joint.from_pairs([(1, "1"), (1.0, "1")]).s == (1,)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array, sparse.coo_matrix, sparse.csc_array, list])
def test_arrays_and_sparse_matrices(kind: Any) -> None:
    joint = Joint.from_array(kind([[3, 0, 1], [1, 0, 4]]))
    assert joint.s == (0, 1)
    assert joint.x == (0, 2)  # the letter 1 was never seen
    assert joint.counts.toarray().tolist() == [[3, 1], [1, 4]]
    assert joint.total == 9


def test_given_labels_are_put_in_order_with_their_counts() -> None:
    joint = Joint.from_array([[1, 2], [3, 4]], s=["b", "a"], x=[10, 9])
    assert (joint.s, joint.x) == (("a", "b"), (9, 10))
    assert joint.counts.toarray().tolist() == [[4, 3], [2, 1]]


def test_large_numbers_of_pairs_as_an_array() -> None:
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 40, (5000, 2))
    joint = Joint.from_pairs(pairs)
    assert joint == Joint.from_pairs([tuple(pair) for pair in pairs.tolist()])
    assert joint.counts.sum() == 5000


@given(joints())
def test_views_agree(joint: Joint) -> None:
    counts = joint.counts.toarray()
    assert joint.distinct.tolist() == (counts > 0).sum(axis=0).tolist()
    assert joint.records.tolist() == counts.sum(axis=0).tolist()
    assert joint.support.toarray().tolist() == (counts > 0).astype(int).tolist()
    assert joint.pmf.toarray() == pytest.approx(counts / counts.sum())
    for x, label in enumerate(joint.x):
        assert joint.range_of(label) == tuple(s for s in range(len(counts)) if counts[s, x])


@given(coarsened_joints())
def test_coarsening_adds_columns(case: tuple[Joint, Any]) -> None:
    joint, blocks = case
    coarse = joint.coarsen(blocks)
    assert sorted(coarse.x) == sorted(tuple(sorted(block)) for block in blocks)
    assert [min(block) for block in coarse.x] == sorted(min(block) for block in coarse.x)
    for column, block in enumerate(coarse.x):
        expected = joint.counts.toarray()[:, [joint.x.index(x) for x in block]].sum(axis=1)
        assert coarse.counts.toarray()[:, column].tolist() == expected.tolist()


def test_a_joint_cannot_be_changed() -> None:
    array = np.array([[1, 2], [3, 4]])
    joint = Joint.from_array(array)
    array[0, 0] = 99
    assert joint.counts[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        joint.counts.data[0] = 5
    given_sparse = sparse.csc_array(array)
    Joint.from_array(given_sparse)
    given_sparse.data[0] = 7  # the caller's own stays writeable


def test_columns_can_be_selected() -> None:
    table = {"s": [1, 1, 2, 2], "t": ["u", "v", "u", "v"], "x": [1, 2, 1, 2], "y": ["p", "p", "q", "q"]}
    joint = Joint.from_table(table, ["s", "t"], ["x", "y"])
    assert joint.x == ((1, "p"), (1, "q"), (2, "p"), (2, "q"))
    assert joint.select(sensitive=["t"], public=["y"]) == Joint.from_table(table, "t", "y")
    assert joint.select(public=["y", "x"]).x == (("p", 1), ("p", 2), ("q", 1), ("q", 2))
    with pytest.raises(ColumnError, match="not a public column"):
        joint.select(public=["s"])


def test_one_column_in_a_list_gives_scalars() -> None:
    assert Joint.from_table({"s": [1], "x": [2]}, ["s"], ["x"]).x == (2,)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([[1, -1]], "negative"),
        ([[1.0, math.nan]], "NaN"),
        ([[1.0, math.inf]], "infinity"),
        ([[0, 0]], "all counts are zero"),
        (np.zeros((0, 0)), "all counts are zero"),
        ([1, 2], "1 dimension"),
        ([["a"]], "not numbers"),
    ],
)
def test_bad_arrays(array: Any, message: str) -> None:
    with pytest.raises(JointError, match=message):
        Joint.from_array(array)


@pytest.mark.parametrize(
    ("labels", "message"),
    [({"s": ["a"]}, "1 labels for 2"), ({"x": ["a", "a"]}, "twice"), ({"s": ["a", "b", "c"]}, "3 labels")],
)
def test_bad_labels(labels: Any, message: str) -> None:
    with pytest.raises(JointError, match=message):
        Joint.from_array([[1, 2], [3, 4]], **labels)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "no pairs"),
        ([(1, 2), (1, 2, 3)], "record 1"),
        ([5], "record 0"),
        ([({}, 1)], "dict"),
        (np.zeros((3, 3)), "shape"),
    ],
)
def test_bad_pairs(pairs: Any, message: str) -> None:
    with pytest.raises(JointError, match=message):
        Joint.from_pairs(pairs)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [([[1]], "in no block"), ([[1, 2], [2]], "two blocks"), ([[1, 2, 3]], "never seen"), ([[1, 2], []], "empty")],
)
def test_blocks_must_be_a_partition(blocks: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Joint.from_pairs([("s", 1), ("s", 2)]).coarsen(blocks)


def test_a_value_never_seen_and_a_support_without_counts() -> None:
    joint = Joint.from_array(np.ones((2, 2), dtype=bool))
    with pytest.raises(InputError, match="never seen"):
        joint.range_of(7)
    with pytest.raises(MeasureError, match="without counts"):
        _ = joint.pmf
    assert "support only" in repr(joint)


def test_a_notebook_shows_sizes_and_no_sensitive_value() -> None:
    joint = Joint.from_table({"age": [71, 72, 72], "town": ["<b>", "<b>", "c"]}, sensitive="age", public="town")
    page = joint._repr_html_()
    assert "distinct values of age" in page
    assert "2 s × 2 x" in page
    assert "71" not in page
    assert "<b>" not in page
    assert "rows" not in Joint.from_array([[0.5, 0.25], [0.0, 0.25]])._repr_html_()
