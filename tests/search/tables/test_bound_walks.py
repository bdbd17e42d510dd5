"""The walk over boxes against plain enumeration of every box, on tables large enough for all its branches."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from discreet.search.tables._bound_cells import UNIT, BoundColumn, floor_units, line_ends, stretches
from discreet.search.tables._bound_walks import Answer, ask, lay_out

TREE = [[0, 10, 20], [1, 10, 20], [2, 11, 20], [3, 11, 20], [4, 12, 20]]
COLUMNS = [BoundColumn.line(np.arange(12.0) ** 1.2, 0.5), BoundColumn.tree(TREE, 0.25), BoundColumn.set(3, 0.25)]


def table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = np.column_stack([rng.integers(c.size, size=260) for c in COLUMNS] + [rng.integers(4, size=260)])
    types, counts = np.unique(rows, axis=0, return_counts=True)
    y = (rng.normal(0.15, 0.1, len(types)) * UNIT).astype(np.int64)
    return types[:, :3].astype(np.int32), counts, types[:, 3].astype(np.int32), y


def boxes(codes: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """(cost, who is inside) of every box of listed cells."""
    from fractions import Fraction

    line = COLUMNS[0]
    opens, closes = line_ends(line, stretches(line, 256))
    ranges = [
        (max(0, int(closes[b] - opens[a])) if b > a else 0, (codes[:, 0] >= a) & (codes[:, 0] <= b))
        for a in range(12)
        for b in range(a, 12)
    ]
    nodes = []
    for level in range(3):
        for node in sorted({row[level] for row in TREE}):
            under = [leaf for leaf, row in enumerate(TREE) if row[level] == node]
            nodes.append((floor_units(Fraction(0.25) * Fraction(len(under) - 1, 4)), np.isin(codes[:, 1], under)))
    sets = [
        (floor_units(Fraction(0.25) * Fraction(size - 1, 2)), np.isin(codes[:, 2], s))
        for size in (1, 2, 3)
        for s in combinations(range(3), size)
    ]
    return [(a + b + c, p & q & r) for a, p in ranges for b, q in nodes for c, r in sets]


def dearest_mean(y: list[int], values: list[int], n: int, k: int, forced: int | None) -> tuple[int, int] | None:
    """(price, size) of the group with the highest mean: k values first, then the dearest, then while it helps."""
    order = sorted(range(len(y)), key=lambda i: -y[i])
    taken = [] if forced is None else [forced]
    for i in order:
        if len({values[j] for j in taken}) >= k:
            break
        if values[i] not in {values[j] for j in taken}:
            taken.append(i)
    if len({values[j] for j in taken}) < k:
        return None
    price, size = sum(y[i] for i in taken), len(taken)
    for i in order:
        if i not in taken and (size < n or y[i] * size > price):
            price, size = price + y[i], size + 1
    return (price, size) if size >= n else None


def asked(seed: int, n: int, k: int, slack: int, room: int) -> tuple[Answer, np.ndarray]:
    codes, counts, values, y = table(seed)
    layout = lay_out(codes, counts, columns=COLUMNS, values=values)
    return ask(layout, y, n=n, k=k, delta=np.full(len(y), slack), room=room), y


@pytest.mark.parametrize(("seed", "n"), [(0, 2), (1, 5), (2, 30)])
@pytest.mark.parametrize("slack", [0, UNIT // 20])
def test_the_walk_finds_the_least_slack_of_every_type(seed: int, n: int, slack: int) -> None:
    codes, counts, _, y = table(seed)
    expected = np.full(len(y), slack)
    for cost, inside in boxes(codes):
        who = np.flatnonzero(inside)
        if counts[who].sum() < n:
            continue
        who = who[np.argsort(-y[who], kind="stable")]
        records = np.repeat(y[who], counts[who])
        head = int(records[: n - 1].sum())
        cut = records[n - 1]
        for t in who:
            # one record of t and the dearest n - 1 others: if t is among the dearest, these are the dearest n
            price = head + int(cut) if y[t] >= cut else head + int(y[t])
            expected[t] = min(expected[t], (n * cost - price) // n)
    answer, _ = asked(seed, n, 1, slack, 100_000)
    assert answer.done
    assert (answer.delta == expected).all()


@pytest.mark.parametrize(("seed", "n", "k"), [(3, 4, 3), (4, 12, 4)])
def test_the_walk_finds_the_least_slack_with_distinct_values(seed: int, n: int, k: int) -> None:
    codes, counts, values, y = table(seed)
    answer, _ = asked(seed, n, k, 0, 100_000)
    expected = np.zeros(len(y), np.int64)
    for cost, inside in boxes(codes)[::7]:
        who = np.flatnonzero(inside)
        price = np.repeat(y[who], counts[who]).tolist()
        value = np.repeat(values[who], counts[who]).tolist()
        owner = np.repeat(who, counts[who])
        best = dearest_mean(price, value, n, k, None)
        if best is None or best[0] <= best[1] * cost:
            continue
        for i in np.unique(owner, return_index=True)[1][::5]:
            found = dearest_mean(price, value, n, k, int(i))
            if found is not None:
                expected[owner[i]] = min(expected[owner[i]], (found[1] * cost - found[0]) // found[1])
    assert (answer.delta <= expected).all()
    assert (expected < 0).any()


@pytest.mark.parametrize("room", [2_500, 100_000])
@pytest.mark.parametrize(("n", "k"), [(5, 1), (6, 3)])
def test_groups_are_what_they_say(n: int, k: int, room: int) -> None:
    codes, counts, values, _ = table(5)
    answer, y = asked(5, n, k, 0, room)
    groups = answer.groups
    assert len(groups.costs) > 0
    reached = np.zeros(len(y), np.int64)
    for g, cost in enumerate(groups.costs):
        members = groups.types[groups.indptr[g] : groups.indptr[g + 1]]
        times = groups.times[groups.indptr[g] : groups.indptr[g + 1]].astype(np.int64)
        assert len(set(members.tolist())) == len(members)
        assert (times <= counts[members]).all()
        assert times.sum() >= n
        assert len(set(values[members].tolist())) >= k
        least = min(c for c, inside in boxes(codes) if inside[members].all()) if g % 10 == 0 else cost
        assert least <= cost
        slack = (times.sum() * cost - (times * y[members]).sum()) // times.sum()
        reached[members] = np.minimum(reached[members], slack)
    assert (reached >= answer.delta).all()
    assert (reached == answer.delta).mean() > (0.9 if room > 10_000 else 0.05)


def test_a_walk_that_is_cut_short_says_so() -> None:
    codes, counts, values, y = table(6)
    layout = lay_out(codes, counts, columns=COLUMNS, values=values)
    assert not ask(layout, y, n=3, k=1, delta=np.zeros(len(y), np.int64), work=100).done
