"""Counts and histograms of a private category: everybody keeps several, checked against all data sets there are."""

from __future__ import annotations

import copy
import itertools
import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.queries import CategoryAuditor
from discreet.queries.auditor._category_classes import Classes, shared_out
from tests.examples import examples

Asked = tuple[list[int], int | None, float]


def transcripts(people: int, categories: int, keep: int, asked: list[Asked]) -> list[list[tuple[int, ...]]]:
    """All data sets, by what they are told."""
    counts = [(x, k, error) for x, each, error in asked for k in (range(categories) if each is None else [each])]
    first = CategoryAuditor(people, categories, keep=keep)
    pending, found = [(first, list(itertools.product(range(categories), repeat=people)))], []
    for members, category, error in counts:
        # Offers do not see the data, so that data sets with the same transcript have one auditor.
        before, pending = pending, []
        for auditor, data_sets in before:
            cells = auditor.offer(members, category, error=error)
            parts = defaultdict(list)
            for data in data_sets:
                count = sum(data[i] == category for i in members)
                (cell,) = (cell for cell in cells if cell[0] <= count <= cell[1])
                parts[cell].append(data)
            for cell, alike in parts.items():
                copied = copy.deepcopy(auditor)
                reply = copied.ask(members, category, error=error, data=alike[-1])
                assert reply.cells == cells and reply.cell == cell
                assert auditor.fork().ask(members, category, error=error, data=alike[0]).cell == cell
                pending.append((copied, alike))
    for auditor, data_sets in pending:
        assert (keep <= auditor.possible()).all() and auditor.possible().min() <= kept(data_sets)
        found.append(data_sets)
    return found


def kept(data_sets: list[tuple[int, ...]]) -> int:
    """How many categories the most exposed person has among some data sets."""
    return min(len(set(values)) for values in zip(*data_sets, strict=True))


def groups(people: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, people - 1), min_size=1, max_size=people, unique=True).map(sorted)


@settings(max_examples=examples(15))
@given(st.data())
def test_everybody_keeps_categories_among_all_data_sets(given_data: st.DataObject) -> None:
    people, categories = given_data.draw(st.sampled_from([(3, 3), (4, 2), (4, 3), (2, 4)]))
    keep = given_data.draw(st.integers(2, categories))
    question = st.tuples(groups(people), st.none() | st.integers(0, categories - 1), st.sampled_from([0.4, 0.5, 1.0]))
    asked = given_data.draw(st.lists(question, min_size=1, max_size=6))
    found = transcripts(people, categories, keep, asked)
    assert all(kept(data_sets) >= keep for data_sets in found)


@pytest.mark.parametrize(
    "asked",
    [
        [([0, 1, 2, 3], None, 0.4), ([0, 1, 2], None, 0.4)],  # all, then all but one
        [([0, 1], 0, 0.4), ([1, 2], 0, 0.4), ([0, 2], 0, 0.4)],  # pairs that would solve for each
        [([i], k, 0.4) for i in range(4) for k in range(3)],  # each person alone
        [([0, 1], None, 0.4), ([2, 3], None, 0.4), ([0, 2], None, 0.4), ([1, 3], None, 0.4)],  # rows and columns
    ],
)
@pytest.mark.parametrize("keep", [2, 3])
def test_known_traps(asked: list[Asked], keep: int) -> None:
    found = transcripts(4, 3, keep, asked)
    assert all(kept(data_sets) >= keep for data_sets in found)
    # A naive auditor tells every count exactly, and somebody's category with them.
    naive = defaultdict(list)
    for data in itertools.product(range(3), repeat=4):
        told = [
            sum(data[i] == each for i in members)
            for members, category, _ in asked
            for each in (range(3) if category is None else [category])
        ]
        naive[tuple(told)].append(data)
    assert min(map(kept, naive.values())) == 1


def test_what_is_offered_depends_on_what_was_told_alone() -> None:
    asked, offered = [([0, 1, 2], 0), ([0, 1], 1), ([1, 2], 0), ([0, 1, 2], 2)], dict[Any, Any]()
    for data in itertools.product(range(3), repeat=3):
        auditor, told = CategoryAuditor(3, 3), list[Any]()
        for members, category in asked:
            reply = auditor.ask(members, category, error=0.4, data=data)
            assert offered.setdefault(tuple(told), reply.cells) == reply.cells
            told.append(reply.cell)


def test_something_is_told() -> None:
    rng = np.random.default_rng(0)
    data = rng.choice(4, 300, p=[0.5, 0.3, 0.15, 0.05])
    auditor = CategoryAuditor(300, 4)
    for _ in range(6):
        members = np.flatnonzero(rng.random(300) < 0.5)
        price = auditor.histogram_price(members, error=5)
        before = auditor.bits
        replies = auditor.histogram(members, error=5, data=data)
        assert all(reply.error <= 5 for reply in replies) and 5 < auditor.bits - before <= price
        again = auditor.histogram(members, error=5, data=data)
        assert [each.cell for each in again] == [each.cell for each in replies] and not any(x.bits for x in again)
    assert (auditor.possible() >= 2).all() and "6 " not in repr(auditor) and "300" in auditor._repr_html_()


def test_another_auditor_goes_on_as_this_one() -> None:
    rng = np.random.default_rng(1)
    data = rng.integers(0, 3, 40)
    auditor = CategoryAuditor(40, 3)
    groups = [np.flatnonzero(rng.random(40) < 0.5) for _ in range(8)]
    for members in groups[:6]:
        for category in range(3):
            auditor.ask(members, category, error=1, data=data)
    records, witnesses = json.loads(json.dumps([each.to_dict() for each in auditor.records])), auditor.witnesses()
    twin = auditor.fork()
    twin.ask(range(40), 0, error=0.4, data=data)
    assert len(twin.records) > len(auditor.records) == len(records)
    followed, resumed, misled = (CategoryAuditor(40, 3) for _ in range(3))
    followed.follow(records)
    resumed.follow(records, witnesses)
    misled.follow(records, b"nonsense")
    assert resumed._memory.folded == len(records) and misled._memory.folded == 0
    for members in groups:
        offers = [each.offer(members, 1, error=1) for each in (auditor, followed, resumed, misled)]
        assert offers.count(offers[0]) == 4
    for wrong in ({**records[0], "category": 7}, {key: x for key, x in records[0].items() if key != "category"}):
        with pytest.raises(InputError, match="no transcript"):
            CategoryAuditor(40, 3).follow([wrong])


def test_ranges_are_proven_by_multipliers() -> None:
    """A linear program's range holds every data set that fits, and is no wider than what single groups say."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        classes = Classes.start(6, 3)
        data = rng.integers(0, 3, 6)
        for _ in range(4):
            members = np.flatnonzero(rng.random(6) < 0.6)
            mask = np.zeros(6, bool)
            mask[members] = True
            classes, _, place = classes.split(np.packbits(mask).tobytes(), members)
            category = int(rng.integers(3))
            count = int((data[members] == category).sum())
            classes = classes.cut(place, category, count, count + 1)
        point = classes.counted(data)
        assert classes.holds(point)
        for category in range(3):
            count = int(point[classes.inside[:, 0], category].sum())
            low, high = classes.reach(0, category)
            (above, _), (below, _) = (classes.bound(0, category, sign) or (-1, None) for sign in (1, -1))
            assert low <= count <= high and -below <= count <= above and above <= high and -below >= low


def test_a_witness_is_shared_out_whole() -> None:
    rng = np.random.default_rng(4)
    data = rng.integers(0, 5, 30)
    classes = Classes.start(30, 5)
    point = classes.counted(data)
    for i in range(6):
        mask = rng.random(30) < 0.5
        finer, parent, _ = classes.split(np.packbits(mask).tobytes(), np.flatnonzero(mask))
        point = shared_out(point, classes, finer, parent, i)
        assert finer.holds(point) and not (point < 0).any()
        classes = finer


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: CategoryAuditor(0, 3), "people"),
        (lambda: CategoryAuditor(3, 1), "categories is"),
        (lambda: CategoryAuditor(3, 3, keep=4), "keep is"),
        (lambda: CategoryAuditor(3, 3, keep=1), "keep is"),
        (lambda: CategoryAuditor(3, 3).offer([0, 1], 3), "from 0 to 2"),
        (lambda: CategoryAuditor(3, 3).offer([5], 1), "out of range"),
        (lambda: CategoryAuditor(3, 3).offer([0], 1, error=0), "error must be"),
        (lambda: CategoryAuditor(3, 3).ask([0, 1], 1), "data are needed"),
        (lambda: CategoryAuditor(3, 3).ask([0, 1], 1, data=[0, 1]), "one number of a category"),
        (lambda: CategoryAuditor(3, 3).ask([0, 1], 1, data=[0, 1, 3]), "from 0 to 2"),
        (lambda: CategoryAuditor(3, 3).ask([0, 1], 1, data=[0, 1, 0.5]), "whole"),
    ],
)
def test_what_cannot_be_is_one_line(call: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()


def test_changed_data_are_refused() -> None:
    auditor = CategoryAuditor(20, 3)
    auditor.ask(range(20), 0, error=1, data=[0] * 10 + [1] * 10)
    with pytest.raises(InputError, match="do not fit the answers"):
        auditor.ask(range(10), 0, error=1, data=[1] * 20)
