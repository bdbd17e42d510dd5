"""Small tables of every kind of column."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from discreet.search.tables import Column, Letters


@st.composite
def columns(draw: Any) -> Column:
    """A column of any kind with up to nine codes."""
    kind = draw(st.sampled_from(["line", "tree", "set"]))
    weight = draw(st.sampled_from([1.0, 1.0, 2.0, 0.5]))
    size = draw(st.integers(1, 7))
    if kind == "line":
        steps = draw(st.lists(st.integers(1, 5), min_size=size, max_size=size))
        return Column.line(np.cumsum(steps), missing=draw(st.booleans()), weight=weight)
    if kind == "set":
        return Column.set_of(size, weight=weight)
    levels = [np.arange(size)]
    while levels[-1].max() > 0:
        below = levels[-1]
        nodes = int(below.max()) + 1
        joins = draw(st.lists(st.booleans(), min_size=nodes - 1, max_size=nodes - 1))
        if all(not join for join in joins):
            joins = [True] * (nodes - 1)
        of_node = np.concatenate([[0], np.cumsum([not join for join in joins])])
        levels.append(of_node[below])
    return Column.tree(np.stack(levels, axis=1), weight=weight)


@st.composite
def tables(draw: Any, most: int = 7, sensitive: int = 0) -> tuple[Letters, tuple[Column, ...]]:
    """Letters of a table of up to three columns; records are few, so that every partition can be tried."""
    described = tuple(draw(st.lists(columns(), min_size=1, max_size=3)))
    if not any(column.weight for column in described):
        raise AssertionError
    rows = draw(
        st.lists(st.tuples(*(st.integers(0, column.size - 1) for column in described)), min_size=1, max_size=most)
    )
    repeats = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    records = np.repeat(np.array(rows, dtype=np.int32), repeats, axis=0)
    values = [draw(st.lists(st.integers(0, 3), min_size=len(records), max_size=len(records))) for _ in range(sensitive)]
    letters, _ = Letters.from_records(records, values)
    return letters, described
