"""Volumes of regions: closed forms, exact fractions, enumeration and plain sampling against each kind."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import FloatArray
from discreet.queries import Box, Count, FiniteSet, Function, IntegerBox, Linear, Mean, Quantile, Query, Sum, Variance
from discreet.queries import _poisson_binomial as tails
from discreet.queries._domains import Domain
from discreet.queries._finite_domains import CountedVolumes, _attained, _convolve, _tilted, every_data_set
from discreet.queries._measuring import volumes_of
from discreet.queries._poisson_binomial import log_pmf, log_tails
from discreet.queries._uniform_sums import RationalSum, log2_ratio, log_share, rational
from discreet.queries._volumes import LinearVolumes, Volumes
from tests._oracles.regions import slab_share
from tests.examples import examples

weights = st.lists(st.integers(1, 40).map(lambda w: w / 8), min_size=1, max_size=6)
places = st.tuples(st.integers(0, 49), st.integers(1, 50)).map(
    lambda pair: (Fraction(min(pair), 50), Fraction(max(pair) if pair[0] != pair[1] else pair[0] + 1, 50))
)


def volumes(query: Query, domain: Domain, seed: int = 0) -> Volumes:
    return volumes_of(query, query.view(domain), np.random.default_rng(seed))


def by_sampling(query: Query, domain: Domain, edges: FloatArray, count: int = 20_000) -> FloatArray:
    values = query(domain.draw(count, np.random.default_rng(5)))
    return np.histogram(values, edges)[0] / count


@given(terms=weights, cell=places)
def test_exact_sums_against_all_subsets(terms: list[float], cell: tuple[Fraction, Fraction]) -> None:
    exact = [rational(term) for term in terms]
    total = sum(exact, Fraction(0))
    assert RationalSum(exact).between(*cell) == slab_share(exact, cell[0] * total, cell[1] * total)


def test_irwin_hall_of_ten() -> None:
    # Corner simplex: n^n w^n / n! while n w ≤ 1.
    assert RationalSum([Fraction(1)] * 10).below(Fraction(1, 20)) == Fraction(1, 2) ** 10 / math.factorial(10)
    assert RationalSum([Fraction(1)] * 10).below(Fraction(1)) == 1


@settings(max_examples=examples(40))
@given(terms=st.lists(st.integers(10, 99), min_size=5, max_size=11), cell=places)
def test_the_contour_keeps_its_error(terms: list[int], cell: tuple[Fraction, Fraction]) -> None:
    law = RationalSum([Fraction(term) for term in terms])
    w = np.array(terms, float)
    found, error = log_share(w, np.ones(len(w)), float(cell[0]) * w.sum(), float(cell[1]) * w.sum())
    exact = log2_ratio(law.between(*cell)) * math.log(2)
    assert abs(found - exact) <= error + 1e-13
    assert error < 1e-10


@pytest.mark.parametrize("n", [3, 12, 100, 1000])
@pytest.mark.parametrize("cell", [(0, 1, 4), (1, 2, 4), (0, 1, 50), (9, 10, 20), (0, 1, 2)])
def test_the_contour_against_equal_weights(n: int, cell: tuple[int, int, int]) -> None:
    start, end = Fraction(cell[0], cell[2]), Fraction(cell[1], cell[2])
    exact = log2_ratio(RationalSum([Fraction(1)] * n).between(start, end))
    found, error = log_share(np.ones(1), np.array([float(n)]), float(start) * n, float(end) * n)
    assert found / math.log(2) == pytest.approx(exact, abs=1e-11 * max(1, abs(exact) / 100))
    assert abs(found / math.log(2) - exact) <= error / math.log(2) + 1e-13 * (1 + abs(exact))


def test_a_thousand_unlike_people() -> None:
    rng = np.random.default_rng(3)
    low = rng.uniform(0, 1, 1000)
    box, query = Box(low, low + rng.uniform(0.1, 2, 1000)), Linear(rng.uniform(-1, 1, 1000))
    found = volumes(query, box)
    edges = np.linspace(found.low, found.high, 8)
    cells = found.cells(edges)
    assert cells.error.max() < 1e-10
    assert np.exp2(cells.log2).sum() == pytest.approx(1, abs=1e-10)
    assert cells.log2 == pytest.approx(cells.log2[::-1], rel=1e-9)
    assert cells.log2[0] < -900


def test_very_unlike_weights_are_bracketed() -> None:
    terms = [1.0, *(1e-9 * (1 + i / 7) for i in range(20))]
    found = volumes(Linear(terms), Box(0, 1, people=21))
    assert isinstance(found, LinearVolumes)
    share, error = found.between(Fraction(1, 4), Fraction(1, 2))
    assert error < 1e-6
    assert share == pytest.approx(-2, abs=error + 1e-7)


@settings(max_examples=examples(12))
@given(
    pairs=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=5),
    seed=st.integers(0, 1000),
    q=st.floats(0, 1),
)
def test_regions_by_sampling(pairs: list[tuple[int, int]], seed: int, q: float) -> None:
    rng = np.random.default_rng(seed)
    low = np.array([a for a, _ in pairs], float)
    box = Box(low, low + [b for _, b in pairs])
    named: list[Query] = [Mean(), Linear(rng.integers(-3, 4, len(pairs))), Quantile(q), Count(at_least=3.5)]
    for query in [*named, Variance()] if len(pairs) < 4 else named:
        found = volumes(query, box)
        if found.low == found.high:
            continue
        edges = np.linspace(found.low, found.high, 4) if found.values is None else _parted(found.values)
        share = np.exp2(found.cells(edges).log2)
        assert share.sum() == pytest.approx(1, abs=1e-9)
        assert share == pytest.approx(by_sampling(query, box, edges), abs=0.02)


def _parted(values: FloatArray) -> FloatArray:
    return np.concatenate((values[:1], (values[:-1] + values[1:]) / 2, values[-1:]))


def test_order_statistics_in_closed_form() -> None:
    box = Box([0, 0, 0], [1, 2, 4])
    top = volumes(Quantile(1.0), box).cells(np.array([0, 1, 2, 4.0]))
    assert np.exp2(top.log2) == pytest.approx([1 / 8, 1 / 2 - 1 / 8, 1 / 2])
    edges = np.array([0, 1e-3, 0.4, 0.5, 1])
    alike = volumes(Quantile(0.5), Box(0, 1, people=1001)).cells(edges)
    from scipy.stats import beta

    assert np.exp2(alike.log2[2:]) == pytest.approx(np.diff(beta.cdf([0.4, 0.5, 1], 501, 501)), rel=1e-9)
    # C(1001, 501) .001^501 and the next terms
    tail = sum(
        math.comb(1001, j) * Fraction(1, 1000) ** j * Fraction(999, 1000) ** (1001 - j) for j in range(501, 1002)
    )
    assert alike.log2[0] == pytest.approx(log2_ratio(Fraction(tail)), abs=1e-9)


@given(p=st.lists(st.sampled_from([0.0, 1.0, 0.5, 1e-200, 0.999, 0.3]), min_size=1, max_size=7))
def test_poisson_binomial_against_exact_fractions(p: list[float]) -> None:
    pmf, nought = [Fraction(1)], Fraction(0)
    for one in p:
        chance = Fraction(one)
        pmf = [a * (1 - chance) + b * chance for a, b in zip([*pmf, nought], [nought, *pmf], strict=True)]
    logs = log_pmf(np.array(p))
    for log, exact in zip(logs, pmf, strict=True):
        assert log == pytest.approx(log2_ratio(exact) * math.log(2) if exact else -math.inf, abs=1e-9)
    for k in range(1, len(p) + 1):
        above, below = log_tails(np.array([p]), k)
        for log, exact in ((above[0], sum(pmf[k:], nought)), (below[0], sum(pmf[:k], nought))):
            assert math.exp(log) == pytest.approx(float(exact), abs=1e-14)
            if 0 < exact < Fraction(1, 2):
                assert log == pytest.approx(log2_ratio(exact) * math.log(2), abs=1e-9)


def test_many_people_of_few_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Like people at once, and kind by kind, as person by person and as exact fractions say."""
    p = np.repeat([0.2, 0.9, 1.0, 0.0], [700, 500, 30, 40])
    found = log_pmf(p)
    possible = np.abs(np.arange(len(p) + 1) - 630) <= 600
    assert (np.isfinite(found) == possible).all() and np.exp(found).sum() == pytest.approx(1, abs=1e-11)
    with monkeypatch.context() as patch:
        patch.setattr(tails, "MANY", len(p) + 1)
        assert log_pmf(p)[possible] == pytest.approx(found[possible], abs=1e-9)
    share, n = Fraction(0.013), 2000
    alike = log_pmf(np.full(n, 0.013)) / math.log(2)
    for j in (0, 1, 26, 700, 1999, 2000):
        exact = math.comb(n, j) * share**j * (1 - share) ** (n - j)
        assert alike[j] == pytest.approx(log2_ratio(exact), abs=1e-9)


def test_counts_of_a_hundred_thousand() -> None:
    found = volumes(Count(at_least=0.5), Box(0, 1, people=100_000))
    assert isinstance(found, CountedVolumes)
    assert found.log2[[0, -1]] == pytest.approx([-100_000, -100_000], abs=1e-6)
    assert found.log2[1] == pytest.approx(math.log2(100_000) - 100_000, abs=1e-6)
    assert np.exp2(found.log2).sum() == pytest.approx(1, abs=1e-8)


@settings(max_examples=examples(40))
@given(
    sets=st.lists(st.sets(st.integers(-4, 8), min_size=1, max_size=4), min_size=1, max_size=5),
    seed=st.integers(0, 99),
)
def test_discrete_domains_against_all_data_sets(sets: list[set[int]], seed: int) -> None:
    domain = FiniteSet([sorted(values) for values in sets])
    rng = np.random.default_rng(seed)
    every = every_data_set(domain)
    queries: list[Query] = [Mean(), Sum(), Linear(rng.integers(-3, 4, len(sets)) / 4, offset=0.1)]
    for query in [*queries, Quantile(0.5), Count(at_least=2), Variance()]:
        found = volumes(query, domain)
        values, counts = np.unique(query(every).round(9), return_counts=True)
        assert found.values is not None
        cells = found.cells(_parted(values))
        assert np.exp2(cells.log2) * len(every) == pytest.approx(counts)
        if not isinstance(query, Quantile):
            assert found.values == pytest.approx(values)


@pytest.mark.parametrize(
    "kinds", [{(0, 1): 40}, {(0, 1, 2, 3): 10, (0, 2, 5): 7}, {(0, 3): 5, (0, 1): 2, (0, 7, 9): 4}]
)
def test_tilted_transforms_against_whole_numbers(kinds: dict[tuple[int, ...], int]) -> None:
    size = sum(parts[-1] * people for parts, people in kinds.items()) + 1
    counts = _convolve(kinds)
    attained = np.flatnonzero(_attained(kinds, size))
    assert attained.tolist() == [i for i, count in enumerate(counts) if count]
    found = _tilted(kinds, size, attained)
    assert found is not None
    exact = [log2_ratio(Fraction(counts[i], sum(counts))) for i in attained]
    assert found[0] == pytest.approx(exact, abs=found[1])
    assert found[1] < 1e-8


def test_a_thousand_ages() -> None:
    found = volumes(Mean(), IntegerBox(18, 90, people=1000))
    assert isinstance(found, CountedVolumes) and len(found.values) == 72_001
    assert found.log2[0] == pytest.approx(-1000 * math.log2(73), rel=1e-12)
    assert np.exp2(found.log2).sum() == pytest.approx(1, abs=1e-8)
    # One person one year older: 1000 data sets.
    assert found.log2[1] - found.log2[0] == pytest.approx(math.log2(1000), abs=1e-6)
    voters = volumes(Sum(), IntegerBox(0, 1, people=1000))
    middle = voters.cells(np.array([0, 499.5, 500.5, 1000])).log2[1]
    assert middle == pytest.approx(math.log2(math.comb(1000, 500)) - 1000, abs=1e-9)


def test_certified_areas() -> None:
    query = Function(lambda x: x[..., 0] ** 2 + 2 * x[..., 1] ** 2, 0, 12, lipschitz=12)
    found = volumes(query, Box([-2, -2], [2, 2])).cells(np.arange(13.0))
    area = 16 * np.exp2(found.log2)
    ring = math.pi / math.sqrt(2)  # the ellipse f ≤ t has area π t/√2 and fits while t ≤ 4
    assert area[:4] == pytest.approx([ring] * 4, rel=1e-3)
    from scipy.integrate import quad

    last = 16 - 4 * quad(lambda x: min(2.0, math.sqrt(max(11 - x * x, 0) / 2)), 0, 2, points=[math.sqrt(3)])[0]
    assert area[-1] == pytest.approx(last, rel=5e-3)
    assert abs(found.log2[-1] - math.log2(last / 16)) <= found.error[-1]
    assert found.bounds is not None and not found.certain
    for log2, exact in ((found.bounds[0], -1), (found.bounds[1], 1)):
        assert (exact * (16 * np.exp2(log2[:4]) - ring) >= 0).all()
        assert exact * (16 * np.exp2(log2[-1]) - last) >= 0
    assert area.sum() == pytest.approx(16)


def test_error_bars_hold() -> None:
    query = Function(lambda x: x.sum(axis=-1), 0, 5)
    box, edges = Box(0, 1, people=5), np.array([0, 0.8, 1.6, 3, 5.0])
    exact = volumes(Sum(), box).cells(edges).log2
    misses = 0
    for seed in range(20):
        found = volumes(query, box, seed).cells(edges)
        assert not found.certain
        misses += int((np.abs(found.log2 - exact) > found.error).sum())
    assert misses <= 2  # of 80, at three standard errors of sixteen copies
