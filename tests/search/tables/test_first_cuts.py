"""The first cuts of a table that nobody sees whole: tallies add up, parts are small, bounds of parts hold for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet import datasets
from discreet.auditing._group_requirements import parse_all
from discreet.search.tables import generalise
from discreet.search.tables._bounds import lower_bound
from discreet.search.tables._cluster_work import UNIT, Job, grouped_part, prices
from discreet.search.tables._coded_table import CodedTable, bound_column, bounded_codes, engine_requirement
from discreet.search.tables._column_types import axes_of, said_types
from discreet.search.tables._first_cuts import FirstCuts, Tally, leaving, tallied
from discreet.search.tables._problem import by_frequency
from discreet.tables._counting import count

PUBLIC, SENSITIVE = ("age", "sex", "postcode"), ("diagnosis",)
TYPES = {"postcode": "code"}


class Table:
    """A small registry as workers see it."""

    def __init__(self, rows: int, require: tuple[str, ...], types: dict[str, str] | None = None, seconds: float = 1.0):
        self.data = datasets.registry(rows)
        counted = count(self.data, SENSITIVE, PUBLIC)
        axes = axes_of(counted, said_types(PUBLIC, types or TYPES, None, None), None)
        problem = CodedTable.of(counted, axes, SENSITIVE)
        assert counted.x.codes is not None
        rows_of = counted.x.codes[counted.x_codes]
        self.codes = np.stack([axis.code_of[rows_of[:, c]] for c, axis in enumerate(axes)], axis=1)
        self.sensitive, self.counts = counted.s_codes[:, None], counted.counts
        ordered, ranks = [], []
        for c, column in enumerate(problem.columns):
            new, order = by_frequency(column, np.bincount(self.codes[:, c], self.counts, column.size).astype(float))
            ordered.append(new)
            ranks.append(np.argsort(order))
        self.problem = problem
        self.job = Job(
            axes=axes,
            columns=problem.columns,
            requirement=engine_requirement(parse_all(require, SENSITIVE), problem),
            ordered=tuple(ordered),
            ranks=tuple(ranks),
            sizes=tuple(column.size for column in problem.letters.sensitive),
            public=tuple(f"a{c}" for c in range(len(PUBLIC))),
            sensitive=("b0",),
            count="n",
            seconds=seconds,
            suppress=0.0,
            seed=0,
        )
        self.ranked = self.job.ranked(self.codes)

    def cut(self, most: int) -> FirstCuts:
        """All cuts, with the tallies of one worker."""
        cuts = FirstCuts(self.job.ordered, self.job.requirement, most)
        while cuts.open:
            node = cuts.node_of(self.ranked)
            asked = np.isin(node, cuts.open)
            cuts.grow(tallied(self.ranked[asked], self.sensitive[asked], self.counts[asked], node[asked]))
        return cuts

    def part(self, inside: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> pa.Table:
        """Some rows as a worker gets them."""
        columns = {f"a{c}": self.codes[inside, c] for c in range(len(PUBLIC))}
        return pa.table({**columns, "b0": self.sensitive[inside, 0], "n": self.counts[inside]})


def test_tallies_of_pieces_add_up() -> None:
    table = Table(500, ("n>=2",))
    node = np.arange(len(table.codes)) % 2
    whole = tallied(table.ranked, table.sensitive, table.counts, node)
    pieces = [
        tallied(table.ranked[turn::3], table.sensitive[turn::3], table.counts[turn::3], node[turn::3])
        for turn in range(3)
    ]

    def merged(tallies: list[Tally]) -> dict[tuple[int, ...], tuple[Any, ...]]:
        found: dict[tuple[int, ...], tuple[Any, ...]] = {}
        for each in tallies:
            for i, key in enumerate(zip(each.node.tolist(), each.column.tolist(), each.code.tolist(), strict=True)):
                rows, records, low, high = found.get(key, (0, 0, each.low[i], each.high[i]))
                found[key] = (
                    rows + each.rows[i],
                    records + each.records[i],
                    np.minimum(low, each.low[i]),
                    np.maximum(high, each.high[i]),
                )
        return {key: (rows, records, tuple(low), tuple(high)) for key, (rows, records, low, high) in found.items()}

    assert merged(pieces) == merged([whole])
    assert whole.records[whole.column == 0].sum() == 500
    assert (whole.code[whole.column == 3] <= table.sensitive.max()).all()


def test_parts_are_small_and_meet_the_requirement() -> None:
    table = Table(3_000, ("n>=5", "k>=3"))
    cuts = table.cut(600)
    node = cuts.node_of(table.ranked)
    assert sorted(np.unique(node).tolist()) == cuts.leaves
    assert len(cuts.leaves) > 4
    for leaf in cuts.leaves:
        inside = node == leaf
        low, high = cuts.region[leaf]
        assert inside.sum() == cuts.rows[leaf] <= 600
        assert ((table.ranked[inside] >= low) & (table.ranked[inside] <= high)).all()
        assert table.counts[inside].sum() >= 5
        assert len(np.unique(table.sensitive[inside])) >= 3


def test_cuts_that_leave_too_little_are_undone() -> None:
    table = Table(3_000, ("n>=2", "k>=24"))  # of 30 values: few parts have so many
    cuts = table.cut(50)
    node = cuts.node_of(table.ranked)
    assert sorted(np.unique(node).tolist()) == cuts.leaves
    assert all(len(np.unique(table.sensitive[node == leaf])) >= 24 for leaf in cuts.leaves)


def test_leaving_a_part_costs_what_it_says() -> None:
    table = Table(400, ("n>=2",))
    cuts = table.cut(80)
    node = cuts.node_of(table.ranked)
    weights = np.array([column.weight for column in table.job.ordered]) / 3
    for leaf in cuts.leaves:
        inside = np.flatnonzero(node == leaf)
        least = leaving(table.job.ordered, table.ranked[inside], cuts.region[leaf])
        others = np.flatnonzero(node != leaf)
        for i, bound in zip(inside[:20], least[:20], strict=True):
            cost = np.zeros(len(others))
            for c, column in enumerate(table.job.ordered):
                mine, theirs = table.ranked[i, c], table.ranked[others, c]
                if column.kind == "set":
                    cost += weights[c] * (mine != theirs) / (column.size - 1)
                else:
                    cost += weights[c] * column.spans(np.minimum(mine, theirs), np.maximum(mine, theirs))
            assert bound <= cost.min() + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("require", [("n>=5",), ("n>=4", "k>=3")])
def test_the_bound_of_parts_holds_for_the_whole(require: tuple[str, ...]) -> None:
    table = Table(600, require, seconds=0.5)
    whole = generalise(table.data, PUBLIC, SENSITIVE, require, TYPES, time_limit=0.2)
    cuts = table.cut(150)
    node = cuts.node_of(table.ranked)
    price = records = 0
    loss = 0.0
    for number, leaf in enumerate(cuts.leaves):
        done = grouped_part(table.job, table.part(node == leaf), cuts.region[leaf], number)
        counts = done["n"].to_numpy()
        price += int((done["price"].to_numpy() * counts).sum())
        records += int(counts.sum())
        loss += float(sum((done[f"ncp{c}"].to_numpy() * counts).sum() for c in range(3)) / 3)
    assert records == 600
    bound = price / UNIT / records
    assert 0 < bound <= whole.loss  # of a release that no part saw
    assert bound <= loss / records


def test_prices_are_feasible_for_groups_that_cross_parts() -> None:
    """Any two records: their prices never sum to more than the two would pay as a group."""
    table = Table(300, ("n>=2",), seconds=2.0)
    cuts = table.cut(60)
    node = cuts.node_of(table.ranked)
    price = np.zeros(len(node), dtype=np.int64)
    for leaf in cuts.leaves:
        inside = node == leaf
        letters = CodedTable.of(table.problem.counted, table.job.axes, SENSITIVE).letters
        codes, letter = np.unique(table.codes[inside], axis=0, return_inverse=True)
        counts = np.bincount(letter.ravel(), table.counts[inside], len(codes)).astype(np.int64)
        own = type(letters)(codes.astype(np.int32), counts, ())
        job = table.job
        price[inside] = prices(
            type(job)(**{**vars(job), "sizes": (), "requirement": type(job.requirement)(2)}),
            own, letter.ravel(), np.empty((int(inside.sum()), 0), dtype=np.int64), cuts.region[leaf],
        )  # fmt: skip
    pays = np.zeros((len(node), len(node)))
    for c, column in enumerate(table.job.ordered):
        mine = table.ranked[:, c]
        low, high = np.minimum(mine[:, None], mine), np.maximum(mine[:, None], mine)
        pays += ((low < high) / (column.size - 1) if column.kind == "set" else column.spans(low, high)) / 3
    allowed = (1 + 1e-9) * 2 * pays * UNIT
    np.fill_diagonal(allowed, np.where(table.counts > 1, 0.0, np.inf))
    asked = price[:, None] + price
    assert (asked <= allowed).all()
    assert (price > 0).any()


@pytest.mark.slow
def test_one_part_proves_what_one_machine_does() -> None:
    table = Table(200, ("n>=3",), seconds=2.0)
    weights = np.ones(3) / 3
    alone = lower_bound(
        *bounded_codes(table.problem.letters, table.job.axes),
        columns=[bound_column(axis, w) for axis, w in zip(table.job.axes, weights, strict=True)],
        n=3,
        time_limit=0.4,
    )
    cuts = table.cut(10_000)
    done = grouped_part(table.job, table.part(np.ones(len(table.codes), dtype=bool)), cuts.region[0], 0)
    bound = (done["price"].to_numpy() * done["n"].to_numpy()).sum() / UNIT / 200
    assert bound == pytest.approx(alone.value, rel=0.02)
