"""Exchangeable samples: classes, types, programs over types, and mappings in every order."""

from __future__ import annotations

from itertools import permutations
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy._mapping import ByType, Orbits, Table
from discreet.sample_privacy._problem import make_problem
from discreet.sample_privacy._solving import solve, solve_types
from discreet.sample_privacy._symmetric import exchangeable_types, swap_classes, type_counts, types_of
from tests._oracles.disclosures import best_information, information_of, leak_of
from tests.clocks import Clock
from tests.sample_privacy.strategies import iid, noisy_copies


def binomial(n: int, q: float) -> FloatArray:
    return np.array([comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)])


def test_samples_that_may_be_swapped() -> None:
    same, other = np.array([0.7, 0.3]), np.array([0.6, 0.4])
    p = np.einsum("i,j,k->ijk", same, other, same)
    assert swap_classes(make_problem(p)).tolist() == [0, 1, 0]
    assert swap_classes(make_problem(iid(3, 0.3))).tolist() == [0, 0, 0]
    assert swap_classes(make_problem(iid(3, 0.3), None, [(0, 1), (2,)])).tolist() == [0, 0, 1]
    latent = np.random.default_rng(0).dirichlet([1, 1], size=(2, 2, 2))
    assert swap_classes(make_problem(iid(3, 0.3), latent)).tolist() == [0, 1, 2]
    assert swap_classes(make_problem(iid(3, 0.3), latent + latent.swapaxes(0, 2) - latent)).tolist() == [0, 1, 2]
    symmetric = (latent + latent.swapaxes(0, 2)) / 2
    assert swap_classes(make_problem(iid(3, 0.3), symmetric)).tolist() == [0, 1, 0]
    assert swap_classes(make_problem(np.random.default_rng(1).dirichlet(np.ones(8)).reshape(2, 2, 2))).tolist() == [
        0,
        1,
        2,
    ]


def test_types_of_a_problem_and_from_counts_agree() -> None:
    p = np.ones(())
    for _ in range(4):
        p = np.multiply.outer(p, [0.5, 0.3, 0.2])
    problem = make_problem(p)
    types, kind = types_of(problem, swap_classes(problem))
    assert len(types.p) == 15
    assert types.entropy == pytest.approx(-float((p * np.log2(p)).sum()))
    assert (types.of(problem.cells) == kind).all()
    assert types.value_pmf(0) == pytest.approx([0.5, 0.3, 0.2])
    counts = type_counts(4, 3)
    again = exchangeable_types(
        np.array([types.p[types.of(np.repeat(np.arange(3), row)[None])[0]] for row in counts]), 4, 3
    )
    assert again.entropy == pytest.approx(types.entropy)
    assert again.value_pmf(0) == pytest.approx([0.5, 0.3, 0.2])
    assert again.sizes == pytest.approx(
        np.log2([24 / np.prod([np.prod(range(1, k + 1)) for k in row]) for row in counts])
    )


def test_two_values_are_numbered_by_their_ones() -> None:
    assert type_counts(3, 2).tolist() == [[3, 0], [2, 1], [1, 2], [0, 3]]


@pytest.mark.parametrize("n", [2, 3])
def test_a_latent_that_ignores_order_loses_nothing_over_types(n: int) -> None:
    p, latent = noisy_copies(n, 0.4, 0.2)
    found = solve(p, latent)
    assert isinstance(found.mapping, ByType)
    groups = [(i,) for i in range(n)]
    assert found.information == pytest.approx(best_information(p, latent, groups), abs=1e-9)
    assert information_of(p, latent, found.channel) == pytest.approx(found.information, abs=1e-12)
    assert leak_of(p, groups, found.channel) < 1e-15
    k = np.arange(n + 1)
    joint = np.stack([0.6 * binomial(n, 0.2), 0.4 * binomial(n, 0.8)], 1)
    by_type = solve_types(joint.sum(1), joint / joint.sum(1, keepdims=True), samples=n)
    assert by_type.information == pytest.approx(found.information, abs=1e-12)
    assert len(k) == len(by_type.mapping.table) if isinstance(by_type.mapping, ByType) else False


def test_pairs_of_exchangeable_samples_are_private_too() -> None:
    p, latent = noisy_copies(3, 0.4, 0.2)
    groups = [(0, 1), (0, 2), (1, 2)]
    found = solve(p, latent, groups)
    assert leak_of(p, groups, found.channel) < 1e-15
    assert found.information == pytest.approx(best_information(p, latent, groups), abs=1e-9)


def test_a_hundred_samples() -> None:
    joint = np.stack([2 / 3 * binomial(100, 0.1), 1 / 3 * binomial(100, 0.9)], 1)
    found = solve_types(joint.sum(1), joint / joint.sum(1, keepdims=True), samples=100)
    assert found.proven
    assert found.residual < 1e-12
    assert 0.0044 < found.information <= found.upper_bound < 0.0047
    rows = np.random.default_rng(0).integers(0, 2, (5, 100))
    assert found.draw_codes(rows, np.random.default_rng(1)).shape == (5, 1)


def exact_channel(orbits: Orbits, x: tuple[int, ...]) -> dict[bytes, float]:
    """p(y|x) by going through every order: π_o u_o(z) spread over the orders that carry z to x."""
    n = len(x)
    found: dict[bytes, float] = {}
    orders = list(permutations(range(n)))
    p = (
        2.0 ** -float(orbits.types.sizes[orbits.types.of(np.array([x]))[0]])
        * orbits.types.p[orbits.types.of(np.array([x]))[0]]
    )
    for pattern, (words, masses) in enumerate(zip(orbits.words, orbits.masses, strict=True)):
        _, name = orbits.places[pattern]
        for order in orders:
            code = np.array([pattern, *name[list(order)]])
            for word, mass in zip(words[:, list(order)], masses, strict=True):
                if tuple(word.tolist()) == x:
                    key = code.tobytes()
                    found[key] = found.get(key, 0.0) + mass / len(orders) / p
    return found


def test_orbits_draw_what_they_say() -> None:
    found = solve(iid(4, 0.3), engine="columns")
    assert isinstance(found.mapping, Table)
    types = exchangeable_types(binomial(4, 0.3), 4, 2)
    words = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]])
    masses = np.array([0.3, 0.2, 0.2, 0.3])
    rest = [[0, 0, 0, 1], [0, 1, 1, 1], [0, 0, 0, 0]]
    scaled = masses * (types.p[types.of(words)] / np.bincount(types.of(words), masses, 6)[types.of(words)])
    others = np.array([types.p[1], types.p[3], 0.0])
    orbits = Orbits(types, (words, np.array(rest)[:2]), (scaled, others[:2]))
    rng = np.random.default_rng(0)
    for x in ((0, 1, 0, 1), (1, 0, 0, 0), (1, 1, 1, 1)):
        wanted = exact_channel(orbits, x)
        assert sum(wanted.values()) == pytest.approx(1.0)
        drawn = orbits.draw(np.tile(x, (20_000, 1)), rng)
        seen = {row.tobytes(): 0 for row in drawn}
        for row in drawn:
            seen[row.tobytes()] += 1
        assert set(seen) <= set(wanted)
        for key, probability in wanted.items():
            assert seen.get(key, 0) / len(drawn) == pytest.approx(
                probability, abs=5 * (probability / len(drawn)) ** 0.5 + 1e-3
            )
        for row in drawn[:20]:
            candidates, pmf = orbits.posterior(row)
            assert pmf.sum() == pytest.approx(1.0)
            assert x in {tuple(word.tolist()) for word in candidates}


@pytest.mark.slow
def test_many_cells_are_drawn_without_a_channel() -> None:
    found = solve(iid(12, 0.3))
    assert isinstance(found.mapping, Orbits)
    assert found.residual < 1e-12
    assert found.information <= found.upper_bound <= 1.02 * found.information
    assert found.p_y.sum() == pytest.approx(1.0)
    with pytest.raises(InputError, match="draw"):
        _ = found.channel
    rows = (np.random.default_rng(2).random((4000, 12)) < 0.3).astype(np.int64)
    codes = found.draw_codes(rows, np.random.default_rng(3))
    assert codes.shape == (4000, 13)
    for row, code in zip(rows[:50], codes[:50], strict=True):
        words, pmf = found.mapping.posterior(code)
        assert (words == row).all(1).any()
        assert words.T @ pmf == pytest.approx(np.full(12, 0.3), abs=1e-12)  # what y says of each sample: nothing


def test_a_type_that_never_occurs_is_drawn_without_a_look() -> None:
    types = exchangeable_types(np.array([0.25, 0.5, 0.25, 0.0]), 3, 2)
    words = (np.array([[0, 0, 0], [0, 1, 1]]), np.array([[0, 0, 1]]))
    orbits = Orbits(types, words, (np.array([0.25, 0.25]), np.array([0.5])))
    drawn = orbits.draw(np.ones((3000, 3), np.int64), np.random.default_rng(0))
    assert (drawn[:, 0] == 1).mean() == pytest.approx(0.5, abs=0.05)


def test_types_of_the_wrong_number_are_refused() -> None:
    with pytest.raises(InputError, match="4 types"):
        solve_types([0.5, 0.5], samples=3)


@pytest.mark.parametrize("law", ["scipy", "comb"])
@pytest.mark.parametrize(
    ("n", "wanted"), [(60, 0.0075063621), (90, 0.0050265805), (100, 0.0045275513), (150, 0.0030265506)]
)
def test_rare_types_however_they_are_computed(n: int, wanted: float, law: str) -> None:
    given = [binom.pmf(np.arange(n + 1), n, q) if law == "scipy" else binomial(n, q) for q in (0.1, 0.9)]
    joint = np.stack([2 / 3 * given[0], 1 / 3 * given[1]], 1)
    p = joint.sum(1)
    found = solve_types(p / p.sum(), joint / p[:, None], samples=n)
    assert found.information == pytest.approx(wanted, abs=1e-10)
    assert found.proven
    assert found.residual < 1e-14


def test_orbits_are_written_out_where_they_are_few() -> None:
    p = iid(8, 0.3)
    found = solve(p, engine="columns", time_limit=5)
    assert isinstance(found.mapping, Orbits)
    channel = found.channel
    assert channel.shape == (*p.shape, found.size)
    assert found.p_y == pytest.approx((p[..., None] * channel).reshape(-1, found.size).sum(0), abs=1e-15)
    assert np.abs(channel.sum(-1) - 1).max() < 1e-12
    assert information_of(p, None, channel) == pytest.approx(found.information, abs=1e-9)
    assert leak_of(p, [(i,) for i in range(8)], channel) < 1e-14


def test_few_samples_by_type_are_proven() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(4))
    found = solve_types(p, samples=3)
    cells = (p / [1, 3, 3, 1])[np.indices((2, 2, 2)).sum(0)]
    assert found.information == pytest.approx(best_information(cells, None, [(0,), (1,), (2,)]), abs=1e-6)
    assert found.proven
    assert found.problem is None


@pytest.mark.slow
def test_turns_disclose_all_but_a_few_bits_when_time_is_short(clock: Clock) -> None:
    n = 50
    found = solve_types(binomial(n, 0.3), samples=n, time_limit=1)
    assert n * 0.8812908992 - np.log2(2 * n) - 6 < found.information < found.upper_bound
    assert found.residual < 1e-12
    rows = (np.random.default_rng(0).random((3, n)) < 0.3).astype(np.int64)
    for row, code in zip(rows, found.draw_codes(rows, np.random.default_rng(1)), strict=True):
        assert isinstance(found.mapping, Orbits)
        words, _ = found.mapping.posterior(code)
        assert (words == row).all(1).any()
