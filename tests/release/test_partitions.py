"""Stores of partitions: each builds what it was made from, and what is taken from it stays the same."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import IntArray
from discreet.release._partitions import KINDS, Joined, Listed, Merged, Moved, Packed, Partitions, Store, canonical
from discreet.search.ranges._components import JoinedBySize
from tests.examples import examples


def plain_names(labels: Sequence[int]) -> list[int]:
    """Each label's first place."""
    return [list(labels).index(label) for label in labels]


def listed(rng: np.random.Generator, n: int, count: int) -> tuple[Store, list[list[int]]]:
    rows = rng.integers(0, n, (count, n))
    return Listed.of(list(rows)), [plain_names(row.tolist()) for row in rows]


def packed(rng: np.random.Generator, n: int, count: int) -> tuple[Store, list[list[int]]]:
    rows = [canonical(rng.integers(0, n, n)) for _ in range(count)]
    return Packed.of(iter(rows), rng.permutation(n)), [row.tolist() for row in rows]


def merged(rng: np.random.Generator, n: int, count: int) -> tuple[Store, list[list[int]]]:
    """A random merge path, kept as partitions too."""
    labels, left, right, every = np.arange(n), [], [], [list(range(n))]
    while len(names := np.unique(labels)) > 1:
        a, b = sorted(rng.choice(names, 2, replace=False).tolist())
        left.append(a)
        right.append(b)
        labels = np.where(labels == b, a, labels)
        every.append(labels.tolist())
    after = rng.integers(0, len(every), count)
    return Merged(np.arange(n), np.array(left, np.int64), np.array(right, np.int64), after), [every[i] for i in after]


def moved(rng: np.random.Generator, n: int, count: int) -> tuple[Store, list[list[int]]]:
    start, letters, blocks = rng.integers(0, n, n), rng.integers(0, n, 9), rng.integers(0, n, 9)
    labels, every = start.copy(), [plain_names(start.tolist())]
    for letter, block in zip(letters, blocks, strict=True):
        labels[letter] = block
        every.append(plain_names(labels.tolist()))
    after = rng.integers(0, len(every), count)
    return Moved(start, letters, blocks, after), [every[i] for i in after]


def joined(rng: np.random.Generator, n: int, count: int) -> tuple[Store, list[list[int]]]:
    parts = [make(rng, n, 3) for make in (listed, packed, merged, moved)]
    store, wanted = Joined.of([part for part, _ in parts]), [each for _, some in parts for each in some]
    chosen = rng.integers(0, len(wanted), count)
    return store.take(chosen), [wanted[i] for i in chosen]


def closed_form(rng: np.random.Generator, n: int, count: int) -> tuple[Store, list[list[int]]]:
    component = np.unique(rng.integers(0, n, n), return_inverse=True)[1].astype(np.int64)
    store = JoinedBySize(component, rng.integers(1, n + 1, count))
    return store, [store.partition(i).tolist() for i in range(count)]


Maker = Callable[[np.random.Generator, int, int], tuple[Store, list[list[int]]]]
MAKERS: dict[str, Maker] = {
    "Listed": listed,
    "Packed": packed,
    "Merged": merged,
    "Moved": moved,
    "Joined": joined,
    "JoinedBySize": closed_form,
}


def test_every_store_is_tried() -> None:
    assert set(MAKERS) == set(KINDS)


@pytest.mark.parametrize("kind", MAKERS)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 9), count=st.integers(1, 6))
@settings(max_examples=examples(40))
def test_a_store_builds_what_it_was_made_from(kind: str, seed: int, n: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    store, wanted = MAKERS[kind](rng, n, count)
    assert len(store) == len(wanted) == count
    again: Store = pickle.loads(pickle.dumps(store))  # noqa: S301, just pickled
    for i, each in enumerate(wanted):
        assert store.partition(i).tolist() == again.partition(i).tolist() == each
        assert store.partition(i).dtype == np.int64
    chosen = rng.integers(0, count, 4)
    taken = store.take(chosen)
    assert [taken.partition(i).tolist() for i in range(4)] == [wanted[i] for i in chosen]
    assert len(store.take(np.zeros(0, np.int64))) == 0


def test_no_partitions_at_all() -> None:
    assert len(Listed.of([]).take(np.zeros(0, np.int64))) == 0


def test_what_nobody_needs_is_let_go() -> None:
    path = Merged(np.arange(1000), np.zeros(999, np.int64), np.arange(1, 1000), np.arange(1000))
    assert len(path.take(np.array([3])).left) == 3
    both = Joined.of([path, Listed.of([np.arange(1000)])])
    assert [type(part) for part in both.take(np.array([1000])).parts] == [Listed]


def test_a_million_letters_in_runs_take_kilobytes() -> None:
    n = 1_000_000
    runs = np.arange(n) // 500
    store = Packed.of([runs], np.arange(n))
    assert len(store.rows[0]) < 50_000
    assert (store.partition(0) == runs * 500).all()
    dealt = np.arange(n) % 700
    assert len(Packed.of([dealt], np.arange(n)).rows[0]) < 200_000


def test_partitions_keep_figures_and_partitions_together() -> None:
    def some(rows: list[list[int]]) -> Partitions:
        store = Listed.of([np.array(row) for row in rows])
        figures = np.arange(len(rows), dtype=np.float64)
        return Partitions(figures, -figures, store)

    one, two = some([[0, 1, 2], [0, 0, 2]]), some([[0, 0, 0]])
    both = Partitions.together([one.bounded(np.zeros(2)), two])
    assert [each.tolist() for each in both] == [[0, 1, 2], [0, 0, 2], [0, 0, 0]]
    assert both.bound is None and both.leakage.tolist() == [0.0, 1.0, 0.0]
    last = both.take(np.array([2, 1]))
    assert last.partition(-1).tolist() == [0, 0, 2] and last.utility.tolist() == [0.0, -1.0]
    with pytest.raises(IndexError):
        last.partition(2)


@given(st.lists(st.integers(0, 12), max_size=12))
def test_blocks_are_named_by_their_earliest_letter(labels: list[int]) -> None:
    found: IntArray = canonical(np.array(labels, np.int64))
    assert found.tolist() == plain_names(labels)
