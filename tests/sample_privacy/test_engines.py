"""`solve`: published values, the exhaustive oracle, bounds, special cases, bad input."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy import _subset_bounds as subset_bounds
from discreet.sample_privacy._problem import make_problem
from discreet.sample_privacy._solving import solve
from tests._oracles.disclosures import best_information, information_of, leak_of
from tests.clocks import Clock
from tests.examples import examples
from tests.sample_privacy.strategies import iid, noisy_copies, problems

REFERENCE = tomllib.loads((Path(__file__).parents[1] / "reference" / "sample_privacy.toml").read_text())


def check(found: Any, p: FloatArray, latent: FloatArray | None, groups: Sequence[tuple[int, ...]]) -> None:
    """Everything a solution claims, recomputed by the oracle from its channel."""
    channel = found.channel
    assert channel.shape == (*p.shape, found.size)
    assert np.isfinite(channel).all()
    assert channel.min() >= 0
    assert np.abs(channel.sum(-1) - 1).max() < 1e-12
    assert information_of(p, latent, channel) == pytest.approx(found.information, abs=1e-11)
    assert leak_of(p, groups, channel) < 1e-14
    assert 0 <= found.residual < 1e-12
    assert found.information <= found.upper_bound
    assert found.gap == found.upper_bound - found.information


def test_example_2() -> None:
    example = REFERENCE["example_2"]
    p = np.array(example["p"]) / 12
    first = np.array(example["latent_0"])
    latent = np.stack([first, 1 - first], -1)
    for engine in ("auto", "exhaustive", "vertices", "branching"):
        found = solve(p, latent, engine=engine)
        assert found.information == pytest.approx(example["information"], abs=5e-8)
        assert 1 - found.information == pytest.approx(example["uncertainty"], abs=5e-8)
        assert found.p_y == pytest.approx(example["weights"])
        assert found.proven
        check(found, p, latent, [(0,), (1,)])


@pytest.mark.parametrize(("n", "wanted"), REFERENCE["table_1"]["information"])
def test_table_1(n: int, wanted: float) -> None:
    p, latent = noisy_copies(n, REFERENCE["table_1"]["w"], REFERENCE["table_1"]["crossover"])
    found = solve(p, latent)
    assert found.information == pytest.approx(wanted, abs=5e-8)
    assert found.upper_bound == pytest.approx(wanted, abs=5e-8)
    check(found, p, latent, [(i,) for i in range(n)])


@pytest.mark.parametrize(("n", "wanted"), REFERENCE["self_disclosure"]["information"])
def test_iid_samples(n: int, wanted: float) -> None:
    p = iid(n, REFERENCE["self_disclosure"]["q"])
    found = solve(p)
    assert found.information == pytest.approx(wanted, abs=5e-7)
    assert found.proven
    assert found.size <= p.size - n  # nul(P) + 1
    check(found, p, None, [(i,) for i in range(n)])


@pytest.mark.parametrize(("q", "wanted"), REFERENCE["figure_4"]["information"])
def test_figure_4(q: float, wanted: float) -> None:
    assert solve(iid(4, q)).information == pytest.approx(wanted, abs=5e-5)


@settings(max_examples=examples(40))
@given(problems())
def test_random_problems_agree_with_every_basis(
    problem: tuple[FloatArray, FloatArray | None, list[tuple[int, ...]]],
) -> None:
    p, latent, groups = problem
    found = solve(p, latent, groups)
    wanted = best_information(p, latent, groups)
    assert found.proven
    assert found.information == pytest.approx(wanted, abs=2e-6)
    assert found.upper_bound >= wanted - 1e-9
    check(found, p, latent, groups)


@pytest.mark.parametrize("engine", ["exhaustive", "vertices", "columns", "branching"])
@pytest.mark.parametrize("shape", [(2, 2, 2), (3, 3), (2, 2, 2, 2)])
def test_engines_agree(engine: Any, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(shape))
    p = rng.dirichlet(np.ones(int(np.prod(shape)))).reshape(shape)
    groups = [(i,) for i in range(len(shape))]
    wanted = best_information(p, None, groups)
    found = solve(p, engine=engine)
    assert found.information == pytest.approx(wanted, abs=2e-6)
    assert found.upper_bound >= wanted - 1e-9
    check(found, p, None, groups)


@pytest.mark.parametrize("n", [6, 7])
def test_branch_and_bound_proves_iid_samples(n: int) -> None:
    found = solve(iid(n, 0.3))
    assert found.proven
    assert found.gap <= 1e-6
    assert found.information == pytest.approx({6: 3.4122618587, 7: 4.2221050065}[n], abs=1e-6)
    assert found.residual < 1e-12
    assert found.size <= 2**n - n
    check(found, iid(n, 0.3), None, [(i,) for i in range(n)])


def test_swaps_of_some_samples_only() -> None:
    p = np.einsum("i,j,k,l->ijkl", [0.7, 0.3], [0.6, 0.4], [0.7, 0.3], [0.7, 0.3])
    groups = [(i,) for i in range(4)]
    for engine in ("auto", "branching"):
        found = solve(p, engine=engine)
        assert found.information == pytest.approx(best_information(p, None, groups), abs=2e-6)
        check(found, p, None, groups)


@pytest.mark.slow
def test_random_pmfs_on_six_bits_are_proven() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(64)).reshape((2,) * 6)
    found = solve(p)
    assert found.gap < 0.03 * found.information
    check(found, p, None, [(i,) for i in range(6)])


@pytest.mark.slow
def test_all_372647_vertices_of_six_iid_samples() -> None:
    found = solve(iid(6, 0.3), engine="vertices", time_limit=math.inf)
    assert "372,647 vertices" in found.how
    assert found.information == pytest.approx(solve(iid(6, 0.3)).information, abs=1e-6)


# ---------------------------------------------------------------- what discloses nothing


@pytest.mark.parametrize(
    ("p", "latent", "private"),
    [
        ([0.2, 0.3, 0.5], None, None),  # one sample
        ([[0.25, 0.25], [0.25, 0.25]], None, [(0, 1)]),  # all samples together
        ([[1.0, 0.0], [0.0, 0.0]], None, None),  # one possible value
        ([[0.5, 0.0], [0.0, 0.5]], None, None),  # no null space
        ([[0.5, 0.5], [0.0, 0.0]], None, None),  # a sample that is constant: the other is all there is
        ([[0.25, 0.25], [0.25, 0.25]], [[[1.0]] * 2] * 2, None),  # W constant
        ([[0.25, 0.25], [0.25, 0.25]], [[[1, 0], [1, 0]], [[0, 1], [0, 1]]], None),  # W = X1
    ],
)
def test_nothing_to_disclose(p: Any, latent: Any, private: Any) -> None:
    found = solve(p, latent, private)
    assert found.information == found.upper_bound == 0
    assert found.size == 1
    assert found.proven
    assert (found.channel == 1).all()
    assert found.how


def test_a_latent_may_name_the_samples() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(8)).reshape(2, 2, 2)
    named = solve(p, np.eye(8)[np.random.default_rng(1).permutation(8)].reshape(2, 2, 2, 8))
    assert named.information == pytest.approx(solve(p).information)


def test_parity_of_four_fair_bits_takes_two_outcomes() -> None:
    p = np.full((2,) * 4, 1 / 16)
    parity = np.indices((2,) * 4).sum(0) % 2
    found = solve(p, np.eye(2)[parity])
    assert found.information == pytest.approx(1.0)
    assert found.size == 2


def test_values_that_never_occur() -> None:
    p = np.zeros((3, 3, 2))
    p[:2, 1:, :] = np.random.default_rng(4).dirichlet(np.ones(8)).reshape(2, 2, 2)
    found = solve(p)
    assert found.information == pytest.approx(solve(p[:2, 1:, :]).information)
    check(found, p, None, [(0,), (1,), (2,)])
    drawn = found.draw_codes(np.array([[2, 0, 0], [0, 1, 0]]), np.random.default_rng(0))
    assert drawn.shape == (2, 1)


def test_nothing_private_discloses_everything() -> None:
    p = np.random.default_rng(2).dirichlet(np.ones(4)).reshape(2, 2)
    found = solve(p, None, [])
    assert found.information == pytest.approx(-float((p * np.log2(p)).sum()))


def test_rare_cells() -> None:
    p = np.full((2, 2, 2), 1 / 8)
    p[0, 0, 0] += 1 / 8 - 1e-15
    p[1, 1, 1] = 1e-15
    found = solve(p)
    assert found.residual < 1e-12
    assert found.gap < 1e-6
    assert np.isfinite(found.channel).all()


@pytest.mark.parametrize("rare", [1e-6, 1e-8, 3e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-15])
def test_a_rare_value_changes_little(rare: float) -> None:
    p = np.array([[0.3, 0.2, rare], [0.1, 0.4, rare]])
    p /= p.sum()
    found = solve(p)
    without = solve(p[:, :2] / p[:, :2].sum()).information
    assert without == pytest.approx(0.48547529722733, abs=1e-12)
    assert found.information == pytest.approx(without, abs=4 * rare + 1e-11)
    assert found.upper_bound >= without - 2 * rare
    assert found.proven
    check(found, p, None, [(0,), (1,)])


@pytest.mark.parametrize("seed", [1, 8, 10, 15, 20, 22, 23, 26, 30, 43, 46, 58, 59])
def test_probabilities_of_any_size(seed: int) -> None:
    shape = [(3, 3), (2, 2, 2), (3, 4), (2, 2, 2, 2)][seed % 4]
    p = np.random.default_rng(seed).dirichlet(np.full(int(np.prod(shape)), 0.05)).reshape(shape)
    found = solve(p)
    assert found.residual < 1e-14
    assert found.proven
    frequent = np.where(p < 1e-9, 0.0, p)
    assert found.upper_bound > solve(frequent / frequent.sum()).information - 1e-6
    check(found, p, None, [(i,) for i in range(len(shape))])


@pytest.mark.parametrize("seed", [663, 1059, 1331])
def test_what_the_weights_leave_does_not_leak(seed: int) -> None:
    p = np.random.default_rng(seed).dirichlet(np.full(12, 0.05)).reshape(2, 3, 2)
    assert solve(p).residual < 1e-14


def test_a_negligible_cell_when_nothing_is_private() -> None:
    p = np.array([[0.3, 0.2], [0.5, 1e-15]])
    found = solve(p / p.sum(), None, [])
    assert found.information == pytest.approx(1.48547529722733, abs=1e-12)
    assert found.proven


@pytest.mark.parametrize("engine", ["columns", "branching"])
def test_negligible_cells_in_every_engine(engine: Any) -> None:
    p = np.random.default_rng(11).dirichlet(np.ones(16)).reshape((2,) * 4)
    p[0, 1, 1, 0] = 1e-14
    p /= p.sum()
    found, wanted = solve(p, engine=engine), solve(p)
    assert found.information == pytest.approx(wanted.information, abs=1e-6)
    assert found.upper_bound > wanted.information - 1e-9
    assert found.proven == (engine == "branching")
    check(found, p, None, [(i,) for i in range(4)])


def test_exchangeable_samples_with_negligible_types() -> None:
    p = iid(4, 1e-4)
    found = solve(p)
    assert found.proven
    check(found, p, None, [(i,) for i in range(4)])


# ---------------------------------------------------------------- bounds


@settings(max_examples=examples(25))
@given(problems())
def test_bounds_from_parts_hold(problem: tuple[FloatArray, FloatArray | None, list[tuple[int, ...]]]) -> None:
    p, latent, groups = problem
    wanted = best_information(p, latent, groups)
    checked = make_problem(p, latent, groups)
    assert subset_bounds.by_groups(checked) >= wanted - 1e-9
    for samples in [(0,), (1,), (0, 1)]:
        part = subset_bounds.part_of(checked, samples)
        bound = solve(part.p, None, list(part.private)).upper_bound + subset_bounds.rest_information(checked, samples)
        assert bound >= wanted - 1e-9


@pytest.mark.slow
def test_parts_certify_what_is_not_proven() -> None:
    p = np.random.default_rng(3).dirichlet(np.ones(64)).reshape((2,) * 6)
    found = solve(p, engine="columns")
    checked = make_problem(p)
    parts = [tuple(i for i in range(6) if i != left) for left in range(6)]
    bounds = [
        solve(subset_bounds.part_of(checked, part).p).upper_bound + subset_bounds.rest_information(checked, part)
        for part in parts
    ]
    assert found.information <= min(bounds) < 1.05 * found.information
    assert min(bounds) < subset_bounds.by_groups(checked)


def test_a_time_limit_returns_both_bounds(clock: Clock) -> None:
    p = np.random.default_rng(5).dirichlet(np.ones(256)).reshape((2,) * 8)
    found = solve(p, time_limit=1.0)
    assert 1.0 < clock.now < 1.5  # it looks often enough to stop, and stops
    assert 0 < found.information < found.upper_bound < np.inf
    assert not found.proven
    assert found.residual < 1e-12


def test_too_many_cells_look_at_some_samples(clock: Clock) -> None:
    p = np.random.default_rng(6).dirichlet(np.ones(4096)).reshape((2,) * 12)
    found = solve(p, time_limit=2)
    assert "because all have 4,096 cells" in found.how
    assert 0 < found.information < found.upper_bound
    assert found.residual < 1e-12


@pytest.mark.slow
def test_a_short_time_limit_still_discloses(clock: Clock) -> None:
    clock.step = 0.005
    letters = np.random.default_rng(1).dirichlet(np.ones(13))
    found = solve(np.multiply.outer(letters, letters), time_limit=2)
    assert found.information > 1
    assert found.residual < 1e-12
    skewed = np.random.default_rng(2).dirichlet(np.full(128, 0.1)).reshape((2,) * 7)
    assert solve(skewed, time_limit=2).information > 1


@pytest.mark.slow
def test_two_samples_with_too_many_cells_are_merged(clock: Clock) -> None:
    clock.step = 0.1
    p = np.random.default_rng(3).dirichlet(np.ones(46 * 46)).reshape(46, 46)
    found = solve(p, time_limit=3)
    assert "merged values" in found.how
    assert 0.1 < found.information < found.upper_bound
    check(found, p, None, [(0,), (1,)])


@pytest.mark.slow
def test_the_same_input_gives_the_same_mapping() -> None:
    p = np.random.default_rng(7).dirichlet(np.ones(64)).reshape((4,) * 3)
    first, second = (solve(p, engine="columns") for _ in range(2))
    assert (first.channel == second.channel).all()


def test_draws_follow_the_channel() -> None:
    p = np.random.default_rng(8).dirichlet(np.ones(8)).reshape(2, 2, 2)
    found = solve(p)
    drawn = found.draw_codes(np.tile([1, 0, 1], (20_000, 1)), np.random.default_rng(0))[:, 0]
    seen = np.bincount(drawn, minlength=found.size) / len(drawn)
    assert seen == pytest.approx(found.channel[1, 0, 1], abs=0.02)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("p", "latent", "private", "words"),
    [
        ([[0.5, 0.6]], None, None, "sums to"),
        ([[0.5, -0.5], [0.5, 0.5]], None, None, "negative"),
        ([[0.5, np.nan]], None, None, "not finite"),
        ("abc", None, None, "numbers"),
        (1.0, None, None, "axis"),
        ([[0.5, 0.5]], [[1.0, 0.0]], None, "shape"),
        ([[0.5, 0.5]], [[[0.5, 0.2], [1.0, 0.0]]], None, "sum to one"),
        ([[0.5, 0.5]], None, [(2,)], "sample 2"),
        ([[0.5, 0.5]], None, [(0.5,)], "tuples"),
    ],
)
def test_bad_input_is_one_line(p: Any, latent: Any, private: Any, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        solve(p, latent, private)
    assert "\n" not in str(caught.value)


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(InputError, match="engine='magic' is not known"):
        solve([[0.5, 0.5]], engine="magic")  # type: ignore[arg-type]


def test_sums_within_rounding_are_normalised() -> None:
    assert solve(iid(3, 0.3) * (1 + 5e-10)).information == pytest.approx(1.044128, abs=1e-6)
