"""What histograms have a bar for: prefixes of codes and nodes of trees, never a heap of others where there is a tree."""

from __future__ import annotations

import datetime as dt

import numpy as np

from discreet.columns import ColumnType, Hierarchy
from discreet.release._classes import class_of_values


def test_codes_by_prefix() -> None:
    labels = [f"{10_000 + 317 * i % 90_000:05d}" for i in range(400)]
    names, of_value = class_of_values(ColumnType("code"), labels, np.ones(400, dtype=np.int64), 12)
    assert 5 <= len(names) <= 12
    assert all(name.endswith("****") for name in names)
    assert all(names[code].rstrip("*") == label[0] for label, code in zip(labels, of_value.tolist(), strict=True))


def test_the_largest_prefix_is_opened_while_there_is_room() -> None:
    labels = ["0100", "0101", "0102", "02", "3", "40", "41", "42"]
    names, of_value = class_of_values(ColumnType("code"), labels, np.array([9, 8, 7, 1, 1, 1, 1, 1]), 5)
    assert names == ("010*", "02", "3", "4*")
    assert of_value.tolist() == [0, 0, 0, 1, 2, 3, 3, 3]


def test_leaves_by_the_nodes_above_them_and_missing_apart() -> None:
    tree = Hierarchy.parse("\n".join(f"town {i};land {i // 5};*" for i in range(20)))
    labels = [*(f"town {i}" for i in range(20)), None]
    names, of_value = class_of_values(ColumnType("hierarchy", hierarchy=tree), labels, np.ones(21, dtype=np.int64), 12)
    assert names[-1] == "missing"
    assert set(names[:4]) <= {"land 0", "land 1", "land 2", "land 3"} | set(map(str, labels))
    assert of_value[-1] == len(names) - 1


def test_categories_have_no_tree() -> None:
    labels = [f"job {i}" for i in range(30)]
    names, _ = class_of_values(ColumnType("category"), labels, np.arange(30), 12)
    assert names[0] == "job 29"
    assert names[-1] == "19 others"


def test_classes_of_dates_say_where_they_begin() -> None:
    labels = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(48)]
    names, of_value = class_of_values(ColumnType("date"), labels, np.ones(48, dtype=np.int64), 12)
    assert names[:2] == ("2024-01-01 …", "2024-01-05 …")
    assert np.bincount(of_value).tolist() == [4] * 12
