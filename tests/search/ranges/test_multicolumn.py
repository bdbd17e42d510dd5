"""Several columns: bounds and policies against all partitions, starts, determinism."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest

from discreet._typing import Codeword, FloatArray, IntArray
from discreet.release._partitions import canonical
from discreet.search._kernels.geometry import gap, gaps
from discreet.search._letters import Letters
from discreet.search.ranges import _costs as costs
from discreet.search.ranges import _multicolumn as several
from discreet.search.ranges import _multicolumn_kernels as kernels
from tests._oracles.cheapest_policies import letters_of, optima, random_letters
from tests.search.ranges.test_line import CODEWORDS, check, check_optima


@pytest.mark.parametrize("norm", [1.0, 2.0, np.inf])
@pytest.mark.parametrize("codeword", CODEWORDS)
def test_bounds_and_costs_enclose_the_optimum_in_the_plane(codeword: Codeword, norm: float) -> None:
    rng = np.random.default_rng(7)
    ratios = []
    for _ in range(60):
        letters = random_letters(rng, int(rng.integers(2, 8)), columns=2, norm=norm)
        found = several.optimise(letters, codeword)
        exact = optima(letters, codeword)
        check_optima(letters, found, codeword, exact)
        ratios += [found.cost[i] / exact[int(k)] for i, k in enumerate(found.levels) if exact[int(k)] > 0]
    assert np.mean(ratios) < 1.05


def test_starts_are_never_worse_than_what_was_brought() -> None:
    rng = np.random.default_rng(8)
    letters = letters_of([[int(s)] for s in rng.integers(0, 6, 200)], rng.random((200, 2)))
    brought = canonical((costs.required_values(letters)[:, 0] * 10).astype(np.int64))
    k = costs.distinct(letters, brought)
    found = several.optimise(letters, "centroid", starts=[brought])
    assert found.cost[found.levels <= k].max() <= costs.distortion(letters, brought, "centroid")


def test_grids_of_levels() -> None:
    assert several.default_levels(5).tolist() == [2, 3, 4, 5]
    grid = several.default_levels(4_000)
    assert (grid[0], grid[-1]) == (2, 4_000)
    assert len(grid) <= 50
    assert np.all(np.diff(grid) > 0)


def test_same_twice_and_equal_points() -> None:
    rng = np.random.default_rng(9)
    values = rng.integers(0, 4, size=(400, 3)).astype(float)
    letters = letters_of([[int(s)] for s in rng.integers(0, 9, 400)], values, np.inf)
    one, two = several.optimise(letters, "centroid"), several.optimise(letters, "centroid")
    check(letters, one, "centroid")
    for i in range(len(one)):
        assert np.array_equal(one.partition(i), two.partition(i))


def plain_cuts(letters: Letters, values: FloatArray, k: int, norm: float) -> IntArray:
    """Least extent cuts, box by box as one would write them down."""
    ranges = [set(letters.indices[a:b].tolist()) for a, b in pairwise(letters.indptr.tolist())]
    labels, blocks, stack = np.zeros(letters.n, np.int64), 0, [list(range(letters.n))]
    while stack:
        part = stack.pop()
        best, cut = np.inf, None
        for c in range(values.shape[1]):
            along = sorted(part, key=lambda x, c=c: values[x, c])  # type: ignore[misc]
            for t in range(1, len(along)):
                sides = along[:t], along[t:]
                if min(len(set().union(*(ranges[x] for x in side))) for side in sides) >= k:
                    extent = max(float(np.linalg.norm(np.ptp(values[side], axis=0) / 2, norm)) for side in sides)
                    # The last place of several that are as good, in an earlier column than others.
                    if extent < best * (1 - 1e-12) or (cut and cut[2] == c and extent <= best * (1 + 1e-12)):
                        best, cut = extent, (*sides, c)
        if cut is None:
            labels[part], blocks = blocks, blocks + 1
        else:
            stack += cut[:2]
    return labels


@pytest.mark.parametrize("norm", [1.0, 2.0, np.inf])
def test_cuts_are_those_that_leave_the_least_extent(norm: float) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        letters = random_letters(rng, 24)
        values = np.hstack([np.eye(3)[rng.integers(0, 3, 24)] / np.sqrt(2), rng.random((24, 2))])
        for k in (2, 3):
            found = kernels.least_extent_cuts(values, letters.indptr, letters.indices, letters.n_s, k, norm)
            assert found.tolist() == plain_cuts(letters, values, k, norm).tolist()


@pytest.mark.parametrize("norm", [1.0, 2.0, 3.0, np.inf])
@pytest.mark.parametrize("columns", [1, 2, 9])
def test_distances_to_many_are_those_to_each(columns: int, norm: float) -> None:
    rng = np.random.default_rng(columns)
    points, away = rng.normal(size=(40, columns)), np.empty(40)
    gaps(points.T.copy(), points[7], norm, away)
    assert away.tolist() == [gap(points[7], point, norm) for point in points]


def test_balls_take_the_nearest_letters_that_are_free() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        letters = random_letters(rng, 40)
        if letters.n_s < 3:
            continue
        values = np.hstack([np.eye(3)[rng.integers(0, 3, 40)], rng.random((40, 1))])
        ranges = [set(letters.indices[a:b].tolist()) for a, b in pairwise(letters.indptr.tolist())]
        hardest = several.hardest(dataclasses.replace(letters, values=values), 3)
        found = kernels.balls(values, letters.indptr, letters.indices, letters.n_s, 3, 2.0, hardest)
        centres: list[FloatArray] = []
        free = set(range(40))
        for x in hardest.tolist():
            if x not in free or len(set().union(*(ranges[y] for y in free))) < 3:
                continue
            away = {y: gap(values[x], values[y], 2.0) for y in sorted(free)}
            holder = {
                s: min((y for y in away if s in ranges[y]), key=away.__getitem__) for y in away for s in ranges[y]
            }
            block = {x}
            for s in sorted(holder, key=lambda s: (away[holder[s]], s)):
                seen = set().union(*(ranges[y] for y in block))
                if len(seen) < 3 and s not in seen:
                    block.add(holder[s])
            assert {found[y] for y in block} == {len(centres)}
            free -= block
            centres.append(values[sorted(block)].mean(axis=0))
        for x in free:
            least = min(gap(values[x], centre, 2.0) for centre in centres)
            assert gap(values[x], centres[found[x]], 2.0) == pytest.approx(least, rel=1e-12)
