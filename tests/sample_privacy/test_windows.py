"""Windows over long data sets, against the joint law of samples and letters written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy._explicit_mappings import two_binary_samples
from discreet.sample_privacy._partial_processing import PartialProcessing, partial_processing
from discreet.sample_privacy._processes import Independent, MarkovChain, Process, RowSampler
from tests._oracles.disclosures_by_enumeration import bits, leak_of, solve
from tests.examples import examples

FIGURE_4 = {0.1: 0.1841, 0.2: 0.6081, 0.3: 1.1956, 0.4: 1.9211, 0.5: 3.0}


def written_out(process: Process, made: PartialProcessing) -> tuple[FloatArray, FloatArray]:
    """p(xⁿ) and p(y|xⁿ) of all letters together, from the tables that `draw` uses."""
    p = process.window(0, process.n)
    sampler = made.sampler
    rows = []
    for x in itertools.product(*map(range, p.shape)):
        together = np.ones(1)
        for j, start in enumerate(made.starts):
            row = made.row_of[made.kind[j]]
            for i in range(min(made.window, process.n - int(start))):
                row += x[start + i] * made.weights[made.kind[j], i]
            one = np.zeros(int(sampler.letters.max()) + 1)
            at = slice(sampler.indptr[row], sampler.indptr[row + 1])
            one[sampler.letters[at]] = np.diff(sampler.reached[at], prepend=0)
            together = np.multiply.outer(together, one).ravel()
        rows.append(together)
    return p, np.array(rows).reshape(*p.shape, -1)


def check(process: Process, window: int, protect: int) -> PartialProcessing:
    made = partial_processing(process, window, protect=protect, solver=solve)
    p, channel = written_out(process, made)
    for i in range(process.n - protect + 1):
        assert leak_of(p, channel, tuple(range(i, i + protect))) < 1e-12
    everything = bits(p) + bits(np.tensordot(p, channel, axes=p.ndim)) - bits(p[..., None] * channel)
    assert made.information == pytest.approx(everything, abs=1e-9)
    assert made.residual < 1e-12
    assert made.error_bar == 0
    assert made.information <= made.upper_bound + 1e-9
    assert made.entropy == pytest.approx(bits(p))
    return made


@pytest.mark.parametrize("q", FIGURE_4)
def test_figure_4(q: float) -> None:
    made = check(Independent.identical([1 - q, q], 4), 2, 1)
    assert made.information == pytest.approx(FIGURE_4[q], abs=5e-5)
    assert made.distinct == 1


@pytest.mark.parametrize(("n", "window"), [(5, 3), (4, 3), (6, 3), (4, 4), (3, 5)])
def test_windows_that_share_one_sample(n: int, window: int) -> None:
    check(Independent.identical([0.7, 0.3], n), window, 1)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=examples(8))
def test_samples_of_different_laws(seed: int) -> None:
    rng = np.random.default_rng(seed)
    check(Independent.of([rng.dirichlet(np.ones(k)) for k in (2, 3, 2, 2)]), 2, 1)


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=examples(8))
def test_markov_chains(seed: int, settled: bool) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.dirichlet(np.ones(2), size=2)
    chain = MarkovChain.stationary(steps, 5) if settled else MarkovChain(rng.dirichlet(np.ones(2)), steps, 5)
    made = check(chain, 3, 1)
    assert not settled or made.distinct == 1


def test_pairs_kept_private_by_windows_that_share_two() -> None:
    check(Independent.identical([0.6, 0.4], 5), 3, 2)
    steps = np.random.default_rng(1).dirichlet(np.ones(2), size=(2, 2))
    check(MarkovChain.stationary(steps, 5), 3, 2)


def test_stride_1_with_windows_of_3_leaks_as_the_paper_builds_it() -> None:
    single = np.array([0.7, 0.3])
    p = np.einsum("a,b,c->abc", single, single, single)
    y = solve(p).channel
    four = np.einsum("abc,d->abcd", p, single)
    both = np.einsum("abcy,bcdz->abcdyz", y, y).reshape(2, 2, 2, 2, -1)
    assert max(leak_of(four, both, (i,)) for i in range(4)) == pytest.approx(0.15, abs=0.005)
    claimed = bits(four) + bits(np.tensordot(four, both, axes=4)) - bits(four[..., None] * both)
    assert claimed == pytest.approx(1.961, abs=5e-4)  # above the optimum of private mappings
    assert claimed > 1.791108


def test_information_of_long_data_sets_adds_up() -> None:
    made = partial_processing(Independent.identical([0.7, 0.3], 1_000_001), 2, solver=solve)
    assert made.information == pytest.approx(1_000_000 * 0.398529, abs=1)
    assert made.efficiency < 1
    chain = MarkovChain(np.array([1.0, 0.0]), np.array([[0.9, 0.1], [0.5, 0.5]]), 100_000)
    moving = partial_processing(chain, 2, solver=lambda p, *_: two_binary_samples(p).mapping)
    assert moving.distinct < 60  # one solve a window until the chain has settled
    short = MarkovChain(chain.initial, chain.transition, 2000)
    assert chain.entropy - short.entropy == pytest.approx(98_000 * (5 * bits(chain.transition[0]) + 1) / 6, rel=1e-9)


def test_draws_follow_the_mapping() -> None:
    made = partial_processing(Independent.of([[0.7, 0.3], [0.2, 0.3, 0.5]] * 3), 2, solver=solve)
    process = Independent.of([[0.7, 0.3], [0.2, 0.3, 0.5]] * 3)
    _, channel = written_out(process, made)
    rng = np.random.default_rng(0)
    x = [1, 2, 0, 1, 1, 0]
    drawn = np.array([made.draw(x, rng) for _ in range(4000)])
    letters = int(made.sampler.letters.max()) + 1
    law = channel[tuple(x)].reshape((letters,) * 5)
    for j in range(5):
        seen = np.bincount(drawn[:, j], minlength=letters) / len(drawn)
        wanted = law.sum(axis=tuple(i for i in range(5) if i != j))
        assert np.abs(seen - wanted).max() < 4 * np.sqrt(0.25 / len(drawn))
    again = made.draw(x, np.random.default_rng(7))
    assert (again == made.draw(np.array(x), np.random.default_rng(7))).all()


def test_the_sampler_inverts_the_distribution() -> None:
    table = np.random.default_rng(2).dirichlet(np.full(7, 0.4), size=5)
    table[1] = [0, 0, 1, 0, 0, 0, 0]
    table[2, 3:] = 0

    class Grid(np.random.Generator):
        def random(self, size: int) -> FloatArray:  # type: ignore[override]
            return (np.arange(size) + 0.5) / size

    sampler = RowSampler.dense(table)
    for row in range(5):
        seen = np.bincount(sampler.draw(np.full(10_000, row), Grid(np.random.PCG64(0))), minlength=7) / 10_000
        np.testing.assert_allclose(seen, table[row] / table[row].sum(), atol=2e-4)


def test_what_is_refused() -> None:
    iid = Independent.identical([0.5, 0.5], 6)
    with pytest.raises(InputError, match="longer window"):
        partial_processing(iid, 2, protect=2, solver=solve)
    chain = MarkovChain.stationary(np.random.default_rng(0).dirichlet(np.ones(2), size=(2, 2)), 6)
    with pytest.raises(InputError, match="order 2"):
        partial_processing(chain, 3, protect=1, solver=solve)
    made = partial_processing(iid, 2, solver=solve)
    with pytest.raises(InputError, match="not a letter"):
        made.draw([0, 1, 2, 0, 0, 0], np.random.default_rng(0))
    with pytest.raises(InputError, match="whole numbers"):
        made.draw([0.0] * 6, np.random.default_rng(0))
    with pytest.raises(InputError, match="6 samples"):
        made.draw([0, 1], np.random.default_rng(0))
    with pytest.raises(InputError, match="sum to one"):
        Independent.identical([0.5, 0.6], 3)
    with pytest.raises(InputError, match="does not settle"):
        partial_processing(
            MarkovChain(np.array([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 0.0]]), 10**6), 2, solver=solve
        )
    with pytest.raises(InputError, match="axes"):
        MarkovChain(np.array([0.5, 0.5]), np.full((3, 3), 1 / 3), 5)
    with pytest.raises(InputError, match="last axis"):
        MarkovChain(np.array([0.5, 0.5]), np.full((2, 2), 0.4), 5)
    with pytest.raises(InputError, match="Generator"):
        made.draw([0] * 6, 0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="whole number"):
        partial_processing(iid, 2.0, solver=solve)  # type: ignore[arg-type]
    for n in (0, -1, 2.0, "3"):
        with pytest.raises(InputError, match="sample"):
            Independent.identical([0.5, 0.5], n)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="probabilities"):
        Independent.identical(["a", "b"], 3)


def test_the_engines_serve_windows() -> None:
    made = partial_processing(Independent.identical([0.7, 0.3], 9), 5)
    assert made.information == pytest.approx(2 * 2.587582, abs=2e-6)
    assert made.residual < 1e-12
