"""Estimates from rows, and the bound on what a mapping leaks under another p, against a search for the worst one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy._estimating import (
    Estimate,
    _independent_centre,
    _likeliest_strength,
    estimate,
    fill_unseen,
    guarantee,
    leak_bound,
)
from discreet.sample_privacy._leak_bounds import _frequent_part, fresh_leak_bound, group_leak_bound
from tests._oracles.disclosures_by_enumeration import leak_of, solve
from tests.examples import examples


def worst_leak(
    p: FloatArray, channel: FloatArray, groups: Sequence[tuple[int, ...]], radius: float, rng: np.random.Generator
) -> float:
    """The largest leak found within the L1 ball: moves between cells, random laws, and a climb from the best."""

    def value(q: FloatArray) -> float:
        return max(leak_of(q.reshape(p.shape), channel, g) for g in groups)

    flat = p.ravel()
    tried = [flat]
    for x, other in itertools.permutations(range(p.size), 2):
        moved = flat.copy()
        step = min(radius / 2, moved[other])
        moved[x] += step
        moved[other] -= step
        tried.append(moved)
    for _ in range(20):
        q = rng.dirichlet(np.full(p.size, 0.3))
        tried.append(flat + min(1.0, radius / np.abs(q - flat).sum()) * (q - flat))
    best = max(tried, key=value)
    for _ in range(60):
        q = best.copy()
        x, other = rng.choice(p.size, 2, replace=False)
        step = rng.random() * min(radius / 4, q[other])
        q[x] += step
        q[other] -= step
        if np.abs(q - flat).sum() <= radius and value(q) > value(best):
            best = q
    return value(best)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(2, 2), (2, 3), (2, 2, 2)]),
    st.sampled_from([1e-3, 0.02, 0.1, 0.4, 1.5]),
)
@settings(max_examples=examples(40))
def test_no_law_within_the_radius_leaks_more(seed: int, shape: tuple[int, ...], radius: float) -> None:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(math.prod(shape)))
    if seed % 3 == 0:
        p[rng.integers(p.size)] = 0
    p = (p / p.sum()).reshape(shape)
    channel = solve(p).channel
    groups = [(i,) for i in range(p.ndim)]
    found = leak_bound(p, channel, private=None, radius=radius)
    assert found >= worst_leak(p, channel, groups, radius, rng) - 1e-13
    assert found <= leak_bound(p, channel, private=None, radius=min(2.0, 2 * radius)) + 1e-12


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 0.1]))
@settings(max_examples=examples(15))
def test_any_channel_and_any_group(seed: int, radius: float) -> None:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(8)).reshape(2, 2, 2)
    channel = rng.dirichlet(np.ones(3), size=(2, 2, 2))
    for group in [(0,), (0, 2)]:
        found = group_leak_bound(p, channel, group, radius)
        assert found >= worst_leak(p, channel, [group], radius, rng) - 1e-13


def test_the_bound_is_quadratic_and_close_to_the_worst_case() -> None:
    p = np.array([[0.3, 0.2], [0.15, 0.35]])
    channel = solve(p).channel
    rng = np.random.default_rng(0)
    assert leak_bound(p, channel, private=None, radius=0.0) < 1e-12
    for radius in (1e-3, 1e-2):
        worst = worst_leak(p, channel, [(0,), (1,)], radius, rng)
        assert worst <= leak_bound(p, channel, private=None, radius=radius) <= 1.75 * worst
    ratio = leak_bound(p, channel, private=None, radius=2e-3) / leak_bound(p, channel, private=None, radius=1e-3)
    assert ratio == pytest.approx(4, rel=0.02)


@pytest.mark.parametrize("seed", range(6))
def test_the_quadratic_part_is_the_maximum_over_all_moves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(6, 5.0)).reshape(3, 2)
    channel = rng.dirichlet(np.ones(3), size=(3, 2)).reshape(6, 3)
    flat, value, radius = p.ravel(), np.repeat(np.arange(3), 2), 0.05
    s = flat @ channel
    h = channel / s - 1
    worst, dip = 0.0, 0.0
    for x, other in itertools.product(range(6), repeat=2):
        q = flat + radius / 2 * (np.eye(6)[x] - np.eye(6)[other])
        total = 0.0
        for a in range(3):
            u, mass = q[value == a] @ h[value == a], q[value == a].sum()
            total += float(u**2 @ s) / mass
            dip = max(dip, float((-u / mass).max()))
        worst = max(worst, total)
    weight = np.bincount(value, weights=flat).astype(np.float64)
    found = _frequent_part(flat, h, s, value, weight, np.ones(3, dtype=bool), radius)
    assert found == pytest.approx((1 + min(1, dip)) / (2 * math.log(2)) * worst, rel=1e-9)


def test_crowded_values_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(24)).reshape(2, 12)
    channel = rng.dirichlet(np.ones(2), size=(2, 12))
    tight = group_leak_bound(p, channel, (0,), 0.02)
    monkeypatch.setattr("discreet.sample_privacy._leak_bounds.CROWD", 1)
    assert group_leak_bound(p, channel, (0,), 0.02) >= tight


def test_unseen_cells_get_letters_that_say_nothing() -> None:
    p = np.array([[0.25, 0.25, 0.0], [0.25, 0.25, 0.0]])
    channel = solve(p).channel.copy()
    channel[:, 2] = [1.0, 0.0]
    filled = fill_unseen(p, channel)
    np.testing.assert_allclose(filled[:, 2], 0.5)
    np.testing.assert_array_equal(filled[p > 0], channel[p > 0])
    assert leak_bound(p, filled, private=[(1,)], radius=0.05) < leak_bound(p, channel, private=[(1,)], radius=0.05)
    rng = np.random.default_rng(0)
    for mapping in (channel, filled):
        assert leak_bound(p, mapping, private=[(1,)], radius=0.05) >= worst_leak(p, mapping, [(1,)], 0.05, rng) - 1e-13
    lonely = channel.copy()  # a letter that only unseen cells give
    lonely = np.concatenate([lonely, np.zeros((2, 3, 1))], axis=-1)
    lonely[:, 2] = [0.0, 0.0, 1.0]
    assert leak_bound(p, lonely, private=[(1,)], radius=0.05) >= worst_leak(p, lonely, [(1,)], 0.05, rng)


def test_smoothing() -> None:
    rows = np.array([[0, 0], [0, 1], [1, 1], [1, 1]])
    assert estimate(rows, (2, 2)).unseen == 1
    laplace = estimate(rows, (2, 2), smoothing="laplace")
    np.testing.assert_allclose(laplace.p, (np.array([[1, 1], [0, 2]]) + 1) / 8)
    moved = np.abs(laplace.p - estimate(rows, (2, 2)).p).sum()
    many = np.repeat(rows, 1000, axis=0)
    assert laplace.shift == pytest.approx(moved)
    assert estimate(many, (2, 2), smoothing="laplace").radius() == pytest.approx(
        estimate(many, (2, 2)).radius() + estimate(many, (2, 2), smoothing="laplace").shift
    )
    np.testing.assert_allclose(
        estimate(rows, (2, 2), smoothing="laplace", alpha=0.5).p, np.array([[1.5, 1.5], [0.5, 2.5]]) / 6
    )
    bayes = estimate(rows, (2, 2), smoothing="bayes", alpha=2)
    centre = np.outer([2.5, 2.5], [1.5, 3.5]) / 25
    np.testing.assert_allclose(bayes.p, (np.array([[1, 1], [0, 2]]) + 2 * centre) / 6)
    assert (estimate(rows, (2, 2), smoothing="bayes").p > 0).all()


def test_the_prior_is_as_strong_as_the_data_say() -> None:
    rng = np.random.default_rng(0)
    independent = rng.integers(0, 4, size=(400, 3))
    tied = np.repeat(rng.integers(0, 4, size=(400, 1)), 3, axis=1)

    def strength(rows: Any) -> float:
        counts = estimate(rows, (4, 4, 4)).counts
        return _likeliest_strength(counts, _independent_centre(counts))

    assert strength(independent) > 20 * strength(tied)


@pytest.mark.parametrize(("cells", "rows"), [((2, 2), 50), ((4, 5), 200), ((30, 30), 300)])
def test_the_radius_covers_the_truth(cells: tuple[int, ...], rows: int) -> None:
    rng = np.random.default_rng(4)
    truth = rng.dirichlet(np.full(math.prod(cells), 0.05 if rows == 300 else 1.0))
    missed = 0
    for smoothing in ("counts", "laplace", "bayes"):
        for _ in range(40):
            codes = np.column_stack(np.unravel_index(rng.choice(len(truth), size=rows, p=truth), cells))
            found = estimate(codes, cells, smoothing=smoothing)
            missed += int(np.abs(found.p.ravel() - truth).sum() > found.radius(0.9))
    assert missed <= 0.1 * 120


def test_the_radius_is_the_least_of_its_bounds() -> None:
    few = Estimate(np.array([0.5, 0.5]), np.array([500, 500]), 1000, "counts")
    half = 0.025
    assert few.radius(0.95) == pytest.approx(math.sqrt(2 * (math.log(2) + math.log(1 / half)) / 1000))
    counts = np.zeros(10_000, dtype=np.int64)
    counts[:2] = 5000
    sparse = Estimate(counts / 10_000, counts, 10_000, "counts")
    assert sparse.radius() == pytest.approx(
        2 * 2 * math.sqrt(5000) / 10_000 + 3 * math.sqrt(2 * math.log(2 / half) / 10_000)
    )
    assert sparse.radius(0.99) > sparse.radius(0.9)
    assert Estimate(np.ones(1), np.array([5]), 5, "counts").radius() == 0


def test_a_guarantee_from_a_table() -> None:
    rng = np.random.default_rng(0)
    truth = np.array([[0.3, 0.2], [0.15, 0.35]])
    before = math.inf
    for rows in (1_000, 100_000, 10_000_000):
        counts = rng.multinomial(rows, truth.ravel()).reshape(2, 2)
        found = Estimate(counts / rows, counts, rows, "counts")
        channel = fill_unseen(found.p, solve(found.p).channel)
        told = guarantee(found, channel, confidence=0.99)
        assert max(leak_of(truth, channel, (i,)) for i in range(2)) <= told.leak_bound < before
        assert told.leak_bound == max(told.bounds.values()) == told.bounds[told.worst]
        assert (told.rows, told.unseen, told.confidence) == (rows, 0, 0.99)
        before = told.leak_bound
    assert before < 1e-5
    assert guarantee(found, channel, private=[]).leak_bound == 0


def test_fresh_rows_bound_the_leak() -> None:
    rng = np.random.default_rng(7)
    truth = rng.dirichlet(np.ones(16)).reshape(2, 2, 2, 2)
    guess = truth
    channel = rng.dirichlet(np.ones(2), size=truth.shape) * 0.1 + 0.45
    real = max(leak_of(truth, channel, (i,)) for i in range(4))
    missed, found = 0, 0.0
    for _ in range(100):
        fresh = rng.multinomial(2000, truth.ravel()).reshape(truth.shape)
        found = fresh_leak_bound(guess, channel, fresh=fresh, confidence=0.9)
        missed += int(found < real)
    assert missed <= 10
    more = fresh_leak_bound(guess, channel, fresh=rng.multinomial(10**7, truth.ravel()).reshape(truth.shape))
    assert real <= more < found


@pytest.mark.parametrize(
    ("codes", "options", "message"),
    [
        ([[0, 2]], {}, "column 1"),
        ([0, 1], {}, "shape"),
        ([[0.5, 0.5]], {}, "whole numbers"),
        ([[0, 0]], {"smoothing": "kernel"}, "unknown"),
        ([[0, 0]], {"smoothing": "laplace", "alpha": -1}, "positive"),
        ([[0, 0]], {"smoothing": "laplace", "alpha": math.inf}, "alpha must be a positive number"),
        ([[0, 0]], {"smoothing": "bayes", "alpha": math.nan}, "alpha must be a positive number"),
        ([[0, 0]], {"smoothing": "bayes", "alpha": "x"}, "alpha must be a positive number"),
        ([[0, 0]], {"alpha": 1.0}, "of no use to smoothing 'counts'"),
        ([], {}, "the table has no rows"),
        (np.zeros((0, 2), dtype=int), {}, "the table has no rows"),
        ([[0, 0], [0]], {}, "same length"),
    ],
)
def test_bad_rows(codes: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        estimate(codes, (2, 2), **options)


def test_bad_options() -> None:
    with pytest.raises(InputError, match="cells"):
        estimate(np.zeros((1, 30), dtype=int), (2,) * 30)
    found = estimate([[0, 0]], (2, 2))
    for confidence in (1.0, 0, math.nan, "x", None):
        with pytest.raises(InputError, match="confidence"):
            found.radius(confidence)  # type: ignore[arg-type]
    channel = np.full((2, 2, 2), 0.5)
    with pytest.raises(InputError, match="confidence"):
        fresh_leak_bound(found.p, channel, fresh=found.counts, confidence=0)
    with pytest.raises(InputError, match="fresh"):
        fresh_leak_bound(found.p, channel, fresh=np.zeros((2, 2), dtype=np.int64))
    with pytest.raises(InputError, match="channel"):
        fresh_leak_bound(found.p, channel[0], fresh=found.counts)
    with pytest.raises(InputError, match="whole number"):
        estimate([[0, 0]], ("a", 2))  # type: ignore[arg-type]


def test_leak_bound_takes_lists() -> None:
    p, channel = np.full((2, 2), 0.25), np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.2, 0.8], [0.9, 0.1]]])
    assert (
        leak_bound(p.tolist(), channel.tolist(), private=[(0,)], radius=0.1)
        == leak_bound(p, channel, private=[(0,)], radius=0.1)
        > 0
    )


@pytest.mark.parametrize("radius", [-0.1, math.nan, math.inf, "0.1", None])
def test_a_radius_is_a_distance(radius: Any) -> None:
    with pytest.raises(InputError, match="radius"):
        leak_bound(np.full((2, 2), 0.25), np.full((2, 2, 2), 0.5), private=None, radius=radius)


@pytest.mark.parametrize(
    ("p", "channel", "message"),
    [
        ([[0.5, 0.5], [0.5, 0.5]], np.full((2, 2, 2), 0.5), "sums to 2"),
        ([[0.5], [0.2, 0.3]], np.full((2, 2, 2), 0.5), "array"),
        (np.full((2, 2), 0.25), np.full((2, 2), 0.5), "shape"),
        (np.full((2, 2), 0.25), np.full((4, 2), 0.5), "shape"),
        (np.full((2, 2), 0.25), np.full((2, 2, 0), 0.5), "shape"),
        (np.full((2, 2), 0.25), 0.5, "shape"),
        (np.full((2, 2), 0.25), np.full((2, 2, 2), 0.4), "sum to one"),
        (np.full((2, 2), 0.25), np.tile([1.5, -0.5], (2, 2, 1)), "negative"),
        (np.full((2, 2), 0.25), np.full((2, 2, 2), math.nan), "missing"),
        (np.full((2, 2), 0.25), np.full((2, 2, 2), "x"), "probabilities"),
        (np.full((2, 2), 0.25), [[1, 0], [0]], "same length"),
    ],
)
def test_a_bound_needs_a_pmf_and_a_channel(p: Any, channel: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        leak_bound(p, channel)
