"""Masks against the joint law of samples and letters written out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet.sample_privacy._masks as module
from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy._explicit_mappings import Uniformiser, asymptotic_efficiency
from discreet.sample_privacy._masks import Masks, uniform_masks
from discreet.sample_privacy._processes import Independent, MarkovChain
from tests._oracles.disclosures_by_enumeration import bits, leak_of
from tests.examples import examples

FIGURE_4 = {0.1: 0.0652, 0.2: 0.2872, 0.3: 0.7212, 0.4: 1.4682, 0.5: 3.0}


def written_out(process: Independent, made: Masks) -> tuple[FloatArray, FloatArray]:
    """p(xⁿ) and p(y|xⁿ), from the tables that `draw` uses."""
    p, m, n = process.window(0, process.n), made.letters, process.n
    sampler = made.sampler
    dense = np.zeros((len(sampler.indptr) - 1, m))
    for row, (a, b) in enumerate(itertools.pairwise(sampler.indptr)):
        dense[row, sampler.letters[a:b]] = np.diff(sampler.reached[a:b], prepend=0)
    letters = np.indices((m,) * n).reshape(n, -1)
    y = (letters[made.window :] - letters[: -made.window]) % m
    code = np.ravel_multi_index(tuple(y), (m,) * (n - made.window))
    rows = []
    for x in itertools.product(*map(range, p.shape)):
        chance = np.prod([dense[made.row_of[i] + x[i], letters[i]] for i in range(n)], axis=0)
        rows.append(np.bincount(code, weights=chance, minlength=m ** (n - made.window)))
    return p, np.array(rows, dtype=np.float64).reshape(*p.shape, -1)


def check(process: Independent, made: Masks) -> None:
    p, channel = written_out(process, made)
    for i in range(process.n - made.window + 1):
        assert leak_of(p, channel, tuple(range(i, i + made.window))) < 1e-12
    everything = bits(p) + bits(np.tensordot(p, channel, axes=p.ndim)) - bits(p[..., None] * channel)
    assert made.error_bar == 0
    assert made.information == pytest.approx(everything, abs=1e-10)
    assert made.lower_bound - 1e-10 <= everything <= made.upper_bound + 1e-10
    assert made.residual < 1e-12
    assert made.entropy == pytest.approx(bits(p))


@pytest.mark.parametrize("q", FIGURE_4)
def test_figure_4(q: float) -> None:
    process = Independent.identical([1 - q, q], 4)
    made = uniform_masks(process, letters=2)
    check(process, made)
    assert made.information == pytest.approx(FIGURE_4[q], abs=5e-5)
    # (67) as printed undercounts
    beta = (0.5 - q) / (1 - q)
    h = [bits(np.array([b, 1 - b])) for b in (beta, 2 * beta * (1 - beta))]
    printed = 3 * (1 - 2 * q * (1 - q) * h[0] - (1 - q) ** 2 * h[1])
    assert made.information >= printed - 1e-12
    assert q == 0.5 or made.information > printed + 1e-3


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(1, 2))
@settings(max_examples=examples(25))
def test_any_independent_samples(seed: int, letters: int, window: int) -> None:
    rng = np.random.default_rng(seed)
    laws = [rng.dirichlet(np.ones(int(k))) for k in rng.integers(2, 4, size=2)]
    process = Independent.of([laws[int(i)] for i in rng.integers(0, 2, size=4)])
    check(process, uniform_masks(process, window=window, letters=letters))


@pytest.mark.parametrize(("n", "k", "m"), [(4, 1, 3), (5, 2, 2), (4, 3, 3), (1000, 7, 5), (10_000, 1, 97)])
def test_example_3_uniform_samples(n: int, k: int, m: int) -> None:
    process = Independent.identical(np.full(m, 1 / m), n)
    made = uniform_masks(process, window=k, letters=m)
    assert made.information == pytest.approx((n - k) * math.log2(m), rel=1e-13)
    assert made.error_bar == 0
    assert uniform_masks(process, window=k).information >= made.information - 1e-6
    if m**n < 300:
        check(process, made)


def test_asymptotic_efficiency() -> None:
    for q in (0.1, 0.3, 0.45):
        beta = (0.5 - q) / (1 - q)
        wanted = (1 - (1 - q) * bits(np.array([beta, 1 - beta]))) / bits(np.array([q, 1 - q]))
        assert asymptotic_efficiency(np.array([1 - q, q]), 2) == pytest.approx(wanted)
        assert uniform_masks(Independent.identical([1 - q, q], 10**6), letters=2).efficiency == pytest.approx(
            wanted, abs=1e-5
        )


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 9))
@settings(max_examples=examples(50))
def test_the_uniformiser_is_uniform(seed: int, letters: int, values: int) -> None:
    pmf = np.random.default_rng(seed).dirichlet(np.full(values, 0.5))
    found = Uniformiser.of(pmf, letters)
    table = np.zeros((values, letters))
    table[found.x, found.s] = found.mass
    np.testing.assert_allclose(table[pmf > 1e-12].sum(axis=1), 1, atol=1e-9)
    np.testing.assert_allclose(pmf @ table, 1 / letters, atol=1e-13)
    assert len(found.x) <= letters + values
    assert found.divergence < 1e-20
    assert found.rate == pytest.approx(bits(pmf @ table) + bits(pmf) - bits(pmf[:, None] * table), abs=1e-9)
    # a sample loses at most (|X| − 1)/M bits
    assert found.rate >= bits(pmf) - (values - 1) / letters - 1e-9


def test_more_letters_come_close_to_the_entropy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TRIALS", 6)
    pmf = np.array([1 / math.e, 1 - 1 / math.e])
    made = uniform_masks(Independent.identical(pmf, 10**6))
    assert made.letters > 1000
    assert made.entropy - made.lower_bound < 40
    assert made.lower_bound <= made.information <= made.upper_bound
    third = uniform_masks(Independent.identical([0.7, 0.3], 10**6))
    assert third.letters == 10
    assert third.information == pytest.approx(third.entropy - math.log2(10), abs=1e-6)
    assert third.error_bar == 0


def test_monte_carlo_meets_the_exact_value(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Independent.of([[0.8, 0.2], [0.5, 0.3, 0.2]] * 3)
    exact = uniform_masks(process, letters=5)
    assert exact.error_bar == 0
    monkeypatch.setattr(module, "TYPES", 0)
    monkeypatch.setattr(module, "TRIALS", 2000)
    monkeypatch.setattr(module, "_most_shift", lambda *_: math.inf)
    rough = uniform_masks(process, letters=5, rng=np.random.default_rng(3))
    assert 0 < rough.error_bar < 0.1
    assert abs(rough.information - exact.information) < rough.error_bar
    assert "95% confidence" in rough.how


@pytest.mark.parametrize(
    ("law", "n", "letters", "simulated"),
    [
        ([0.7, 0.3], 12, 3, False),
        ([0.7, 0.3], 6, 3, True),
        ([0.2, 0.3, 0.5], 8, 11, True),
        ([0.8, 0.2], 5, 5, True),
    ],
)
def test_the_interval_holds_the_truth(
    monkeypatch: pytest.MonkeyPatch, law: list[float], n: int, letters: int, simulated: bool
) -> None:
    process = Independent.identical(law, n)
    truth = uniform_masks(process, letters=letters)
    assert truth.error_bar == 0
    monkeypatch.setattr(module, "_exact_shift", lambda *_: None)
    missed = 0
    for seed in range(40):
        made = uniform_masks(process, letters=letters, rng=np.random.default_rng(seed))
        assert 0 < made.error_bar < 0.4
        assert ("confidence" in made.how) == simulated
        missed += int(abs(made.information - truth.information) > made.error_bar + 1e-12)
    assert missed <= 2 if simulated else missed == 0


@pytest.mark.parametrize("chance", [0.0, 0.004, 0.03, 0.5, 0.97, 1.0])
def test_the_limit_on_a_mean_is_missed_as_seldom_as_it_says(chance: float) -> None:
    seen = np.arange(module.TRIALS + 1)
    law = np.array([math.comb(module.TRIALS, int(k)) * chance**k * (1 - chance) ** (module.TRIALS - k) for k in seen])
    for miss in (0.025, 0.2):
        edges = np.array([module._edge(k / module.TRIALS, miss) for k in seen])
        assert law[edges < chance].sum() <= miss
        assert (np.diff(edges) >= 0).all()
        assert (edges >= seen / module.TRIALS).all()
        assert edges[0] == pytest.approx(1 - miss ** (1 / module.TRIALS), abs=1e-12)


def test_long_classes_are_bounded_by_shorter_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Independent.identical([0.8, 0.2], 9)
    truth = uniform_masks(process, letters=5).information
    monkeypatch.setattr(module, "_exact_shift", lambda *_: None)
    monkeypatch.setattr(module, "_most_shift", lambda *_: math.inf)
    monkeypatch.setattr(module, "LONG", 4)
    made = uniform_masks(process, letters=5)
    assert made.information - made.error_bar == pytest.approx(made.lower_bound)
    assert made.lower_bound <= truth <= made.information + made.error_bar <= made.upper_bound + 1e-12


def test_the_bound_on_the_shift_is_one() -> None:
    for n in (2, 5, 9):
        process = Independent.of(([[0.8, 0.2], [0.45, 0.35, 0.2]] * n)[:n])
        made = [Uniformiser.of(p, 5) for p in process.pmfs]
        counts = np.bincount(process.kind)
        exact = module._exact_shift(made, counts)
        assert exact is not None
        assert exact <= module._most_shift(made, counts) + 1e-12


def test_nearly_uniform_letters_leak_less_than_the_residual() -> None:
    process, wrong = Independent.identical([0.7, 0.3], 4), Independent.identical([0.66, 0.34], 4)
    p, channel = written_out(wrong, uniform_masks(process, letters=3))
    law = Uniformiser.of(process.pmfs[0], 3)
    at = Uniformiser(wrong.pmfs[0], 3, law.x, law.s, law.mass).divergence
    worst = max(leak_of(p, channel, (i,)) for i in range(4))
    assert 0 < worst <= 4 * at


def test_draws() -> None:
    process = Independent.of([[0.7, 0.3], [0.2, 0.3, 0.5], [0.4, 0.6]])
    made = uniform_masks(process, letters=4)
    _, channel = written_out(process, made)
    rng = np.random.default_rng(1)
    drawn = np.array([made.draw([1, 2, 0], rng) for _ in range(4000)])
    seen = np.bincount(drawn @ [4, 1], minlength=16) / len(drawn)
    assert np.abs(seen - channel[1, 2, 0]).max() < 4 * np.sqrt(0.25 / len(drawn))
    rare = uniform_masks(
        Independent.identical([0.5, 0.5, 0.0], 3), letters=2
    )  # a value of probability zero says nothing
    drawn = np.array([rare.draw([2, 2, 2], rng) for _ in range(2000)])
    assert abs(drawn.mean() - 0.5) < 0.05


def test_what_is_refused() -> None:
    iid = Independent.identical([0.5, 0.5], 4)
    with pytest.raises(InputError, match="between 1 and 3"):
        uniform_masks(iid, window=4)
    with pytest.raises(InputError, match="at least 2"):
        uniform_masks(iid, letters=1)
    with pytest.raises(InputError, match="independent"):
        uniform_masks(MarkovChain.stationary(np.full((2, 2), 0.5), 4))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not a letter"):
        uniform_masks(iid).draw([0, 1, 2, 0], np.random.default_rng(0))
    for samples, message in (([math.inf] * 4, "whole"), ([1e300] * 4, "whole"), ([[0], [0, 1]], "same length")):
        with pytest.raises(InputError, match=message):
            uniform_masks(iid).draw(samples, np.random.default_rng(0))
    for rng in (0, None):
        with pytest.raises(InputError, match="Generator"):
            uniform_masks(iid).draw([0, 1, 1, 0], rng)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="Generator"):
        uniform_masks(iid, rng=0)  # type: ignore[arg-type]
    for options in ({"window": 1.0}, {"window": "1"}, {"letters": 2.0}, {"letters": "2"}):
        with pytest.raises(InputError, match="whole number"):
            uniform_masks(iid, **options)
