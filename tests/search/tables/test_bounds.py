"""The bound of whole tables against optimal releases of tiny tables, found and priced by code that shares nothing with it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.search.tables._bound_cells import UNIT, BoundColumn, line_ends, stretches
from discreet.search.tables._bound_search import certified, rounded_down
from discreet.search.tables._bounds import SensitiveDemand, TableBound, lower_bound
from tests.examples import examples

Record = tuple[tuple[int, ...], int]  # codes, sensitive value


@dataclass(frozen=True)
class Tiny:
    """A table small enough to try every release."""

    columns: tuple[BoundColumn, ...]
    records: tuple[Record, ...]
    n: int
    k: int
    suppress: int

    def arrays(self) -> tuple[np.ndarray, np.ndarray, list[SensitiveDemand]]:
        letters = sorted({codes for codes, _ in self.records})
        counts = [sum(codes == letter for codes, _ in self.records) for letter in letters]
        indptr, values, times = [0], [], []
        for letter in letters:
            held = [s for codes, s in self.records if codes == letter]
            for s in sorted(set(held)):
                values.append(s)
                times.append(held.count(s))
            indptr.append(len(values))
        demand = SensitiveDemand(np.array(indptr), np.array(values), np.array(times), self.k)
        return np.array(letters), np.array(counts), [demand] if self.k > 1 else []

    def bound(self, **options: object) -> TableBound:
        codes, counts, demands = self.arrays()
        return lower_bound(
            codes,
            counts,
            columns=self.columns,
            n=self.n,
            sensitive=demands,
            suppress=self.suppress,
            **options,  # type: ignore[arg-type]
        )


def cell_loss(column: BoundColumn, codes: set[int]) -> Fraction:
    """NCP of the least cell that holds these codes, from the definition."""
    if column.size == 1 or len(codes) == 1:
        return Fraction(0)
    if column.kind == "set":
        return Fraction(len(codes) - 1, column.size - 1)
    if column.kind == "line":
        at = [Fraction(float(column.positions[c])) for c in codes]
        return (max(at) - min(at)) / Fraction(column.width)
    table = column.ancestors.tolist()
    shared = set.intersection(*(set(table[c]) for c in codes))
    return min(Fraction(sum(node in row for row in table) - 1, column.size - 1) for node in shared)


def group_loss(table: Tiny, members: list[Record]) -> Fraction | None:
    """|S| · ncp of the hull of these records, or None where they do not meet the requirement."""
    if len(members) < table.n or len({s for _, s in members}) < table.k:
        return None
    loss = sum(
        (Fraction(c.weight) * cell_loss(c, {codes[j] for codes, _ in members}) for j, c in enumerate(table.columns)),
        Fraction(0),
    )
    return len(members) * loss


def all_groups(table: Tiny) -> dict[int, Fraction]:
    """Every set of records (as bits) that meets the requirement, with what it pays."""
    found = {}
    for bits in range(1, 1 << len(table.records)):
        loss = group_loss(table, [r for i, r in enumerate(table.records) if bits >> i & 1])
        if loss is not None:
            found[bits] = loss
    return found


def least_loss(table: Tiny) -> Fraction | None:
    """The loss (GCP) of the best release over all partitions of the records, by dynamic programming over subsets."""
    groups = all_groups(table)
    everyone = (1 << len(table.records)) - 1
    best: dict[tuple[int, int], Fraction] = {(0, 0): Fraction(0)}
    for bits in range(1, everyone + 1):
        lowest = bits & -bits
        for gone in range(table.suppress + 1):
            options = []
            if gone > 0 and (bits ^ lowest, gone - 1) in best:
                options.append(best[bits ^ lowest, gone - 1] + 1)
            part = bits
            while part:
                if part & lowest and part in groups and (bits ^ part, gone) in best:
                    options.append(best[bits ^ part, gone] + groups[part])
                part = (part - 1) & bits
            if options:
                best[bits, gone] = min(options)
    ends = [best[everyone, gone] for gone in range(table.suppress + 1) if (everyone, gone) in best]
    return min(ends) / len(table.records) if ends else None


def prices(table: Tiny, bound: TableBound) -> list[Fraction]:
    """The certificate, a price a record."""
    codes, _, _ = table.arrays()
    of = {
        (tuple(codes[letter].tolist()), int(s)): Fraction(int(y), UNIT)
        for letter, s, y in zip(bound.letters, bound.values, bound.y, strict=True)
    }
    return [of[codes, s if table.k > 1 else -1] for codes, s in table.records]


def is_feasible(table: Tiny, y: list[Fraction]) -> bool:
    """Whether no group that could be formed has prices above what it pays: all groups, in rationals."""
    return all(
        sum((y[i] for i in range(len(y)) if bits >> i & 1), Fraction(0)) <= loss
        for bits, loss in all_groups(table).items()
    )


TREE = [[0, 10, 20], [1, 10, 20], [2, 11, 20], [3, 11, 20], [4, 12, 20]]


def made(kind: str, weight: float) -> BoundColumn:
    if kind == "line":
        return BoundColumn.line([0.0, 1.0, 1.5, 4.0, 9.0], weight)
    if kind == "tree":
        return BoundColumn.tree(TREE, weight)
    return BoundColumn.set(4, weight)


@st.composite
def tiny_tables(draw: st.DrawFn, *, k: bool = False, suppress: bool = False) -> Tiny:
    kinds = draw(st.lists(st.sampled_from(["line", "tree", "set"]), min_size=1, max_size=3))
    shares = [draw(st.integers(1, 3)) for _ in kinds]
    columns = tuple(made(kind, share / sum(shares)) for kind, share in zip(kinds, shares, strict=True))
    record = st.tuples(st.tuples(*(st.integers(0, c.size - 1) for c in columns)), st.integers(0, 3))
    records = draw(st.lists(record, min_size=2, max_size=8))
    distinct = len({s for _, s in records})
    return Tiny(
        columns,
        tuple(records),
        draw(st.integers(1, min(4, len(records)))),
        draw(st.integers(1, min(3, distinct))) if k else 1,
        draw(st.integers(0, 2)) if suppress else 0,
    )


QUICK = settings(max_examples=examples(60))


def check(table: Tiny) -> None:
    bound = table.bound()
    optimum = least_loss(table)
    assert optimum is not None
    assert Fraction(bound.simple) <= Fraction(bound.value) <= optimum
    y = prices(table, bound)
    assert is_feasible(table, y)
    if table.suppress == 0:
        assert bound.value <= sum(y, Fraction(0)) / len(y) or bound.value == 0
    assert bound.verified


@QUICK
@given(tiny_tables())
def test_no_release_is_below_the_bound(table: Tiny) -> None:
    check(table)


@QUICK
@given(tiny_tables(k=True))
def test_no_release_with_distinct_values_is_below_the_bound(table: Tiny) -> None:
    check(table)


@QUICK
@given(tiny_tables(k=True, suppress=True))
def test_no_release_with_suppression_is_below_the_bound(table: Tiny) -> None:
    check(table)


@QUICK
@given(tiny_tables(k=True))
def test_the_simple_bound_is_the_cheapest_box_round_each_record(table: Tiny) -> None:
    several_lines = sum(c.kind == "line" for c in table.columns) > 1
    groups = all_groups(table)
    cheapest = [
        min(loss / bits.bit_count() for bits, loss in groups.items() if bits >> i & 1)
        for i in range(len(table.records))
    ]
    expected = sum(cheapest, Fraction(0)) / len(cheapest)
    simple = table.bound(rounds=0).simple
    assert Fraction(simple) <= expected
    if not several_lines:  # lines that are not swept are cut into stretches; five places are not
        assert expected - Fraction(simple) < Fraction(1, 1 << 36)


@QUICK
@given(tiny_tables(k=True), st.data())
def test_a_broken_certificate_is_refused(table: Tiny, data: st.DataObject) -> None:
    y = prices(table, table.bound())
    assert is_feasible(table, y)
    groups = all_groups(table)
    bits = data.draw(st.sampled_from(sorted(groups)))
    inside = [i for i in range(len(y)) if bits >> i & 1]
    y[inside[0]] += groups[bits] - sum((y[i] for i in inside), Fraction(0)) + Fraction(1, UNIT)
    assert not is_feasible(table, y)


def seeded(seed: int, records: int = 8) -> Tiny:
    rng = np.random.default_rng(seed)
    columns = (made("line", 0.5), made("tree", 0.25), made("set", 0.25))
    rows = tuple((tuple(int(rng.integers(c.size)) for c in columns), int(rng.integers(3))) for _ in range(records))
    return Tiny(columns, rows, 2 + seed % 2, 1 + seed % 2, 0)


def test_the_bound_is_close_on_tiny_tables() -> None:
    ratios = []
    for seed in range(20):
        table = seeded(seed)
        optimum = least_loss(table)
        assert optimum is not None
        ratios.append(table.bound().value / float(optimum))
    assert np.mean(ratios) > 0.85
    assert max(ratios) <= 1


def larger(seed: int = 0, records: int = 400) -> tuple[np.ndarray, np.ndarray, list[BoundColumn]]:
    rng = np.random.default_rng(seed)
    columns = [BoundColumn.line(np.arange(40.0), 0.5), BoundColumn.tree(TREE, 0.25), BoundColumn.set(4, 0.25)]
    rows = np.column_stack([rng.integers(c.size, size=records) for c in columns])
    codes, counts = np.unique(rows, axis=0, return_counts=True)
    return codes, counts, columns


def test_more_records_a_group_never_lower_the_bound() -> None:
    codes, counts, columns = larger()
    found = [lower_bound(codes, counts, columns=columns, n=n) for n in (1, 2, 3, 5, 8, 20, 400)]
    assert [b.simple for b in found] == sorted(b.simple for b in found)
    for low, high in pairwise(found):
        assert low.value <= high.value * 1.01
    assert found[0].value == 0
    assert found[-1].value == pytest.approx(1)


def test_the_ascent_goes_beyond_the_simple_bound() -> None:
    codes, counts, columns = larger()
    bound = lower_bound(codes, counts, columns=columns, n=10)
    assert bound.value > 1.2 * bound.simple


def test_a_bound_that_is_stopped_at_once_is_still_a_certificate() -> None:
    codes, counts, columns = larger()
    whole = lower_bound(codes, counts, columns=columns, n=10)
    told: list[float] = []
    short = lower_bound(codes, counts, columns=columns, n=10, time_limit=0.0, progress=lambda b: told.append(b.value))
    assert 0 < short.value <= whole.value
    assert told == sorted(told)


def test_the_same_arguments_give_the_same_bound() -> None:
    codes, counts, columns = larger()
    once, again = (lower_bound(codes, counts, columns=columns, n=5) for _ in range(2))
    assert once.value == again.value
    assert (once.y == again.y).all()


def test_coarse_lines_only_lower_costs() -> None:
    column = BoundColumn.line(np.arange(300) ** 1.5, 0.7)
    stretch = stretches(column, 20)
    opens, closes = line_ends(column, stretch)
    for lo in range(0, 300, 7):
        for hi in range(lo, 300, 11):
            a, b = stretch[lo], stretch[hi]
            listed = Fraction(max(0, int(closes[b] - opens[a])) if b > a else 0, UNIT)
            exact = (
                Fraction(0.7)
                * (Fraction(column.positions[hi]) - Fraction(column.positions[lo]))
                / Fraction(column.width)
            )
            assert listed <= exact


def test_suppression_takes_the_dearest_prices_above_one() -> None:
    counts = np.array([2, 1, 5])
    y = np.array([3 * UNIT, 2 * UNIT, UNIT // 2])
    assert certified(counts, y, suppress=0) == Fraction(21, 16)
    assert certified(counts, y, suppress=1) == Fraction(21, 16) - Fraction(2, 8)
    assert certified(counts, y, suppress=99) == Fraction(11, 16)


def test_everything_may_be_suppressed_where_no_group_can_be_formed() -> None:
    bound = lower_bound([[0], [1]], [1, 1], columns=[BoundColumn.set(2, 1.0)], n=3, suppress=2)
    assert bound.value == 1


def test_values_are_rounded_down() -> None:
    third = Fraction(1, 3)
    assert Fraction(rounded_down(third)) <= third
    assert rounded_down(Fraction(1, 4)) == 0.25


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 3}, "no release has groups of 3"),
        ({"sensitive": [SensitiveDemand(np.array([0, 1, 2]), np.array([0, 0]), np.array([1, 1]), 2)]}, "distinct"),
        ({"counts": [1, 0]}, "positive"),
        ({"codes": [[0], [2]]}, "outside"),
        ({"columns": [BoundColumn.set(2, 0.5)]}, "sum to 1"),
    ],
)
def test_bad_input_is_refused(change: dict[str, object], words: str) -> None:
    arguments: dict[str, object] = {"codes": [[0], [1]], "counts": [1, 1], "columns": [BoundColumn.set(2, 1.0)], "n": 2}
    arguments.update(change)
    codes, counts = arguments.pop("codes"), arguments.pop("counts")
    with pytest.raises(ValueError, match=words):
        lower_bound(codes, counts, **arguments)  # type: ignore[arg-type]


def test_detail_sharpens_what_several_lines_relax() -> None:
    rng = np.random.default_rng(2)
    columns = [BoundColumn.line(np.arange(30.0), 0.5), BoundColumn.line(np.arange(30.0), 0.5)]
    codes, counts = np.unique(rng.integers(30, size=(40, 2)), axis=0, return_counts=True)
    told: list[float] = []
    bound = lower_bound(codes, counts, columns=columns, n=4, time_limit=60, progress=lambda b: told.append(b.simple))
    # the cheapest box round a record by trying, for each, all pairs of spans: its 3 nearest in some box
    cheapest = []
    for here in codes:
        best = np.inf
        for low in codes[codes[:, 0] <= here[0], 0]:
            for high in codes[codes[:, 0] >= here[0], 0]:
                inside = (codes[:, 0] >= low) & (codes[:, 0] <= high)
                order = np.argsort(codes[inside, 1], kind="stable")
                ys, held = codes[inside, 1][order], np.cumsum(counts[inside][order])
                for i in range(len(ys)):
                    if ys[i] > here[1]:
                        break
                    j = max(np.searchsorted(held, held[i] - counts[inside][order][i] + 4), np.searchsorted(ys, here[1]))
                    if j < len(ys):
                        best = min(best, (high - low + ys[j] - ys[i]) / 58)
        cheapest.append(best)
    exact = float(np.average(cheapest, weights=counts))
    assert told[0] < bound.simple <= exact + 1e-12
    assert bound.simple > 0.7 * exact
