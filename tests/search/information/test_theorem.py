"""Theorem 1 of PF as properties: the identity, submodularity, monotonicity, and the gains that engines use."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.search.information._theorem import Merges, table_of
from discreet.search.information._weights import Weights, information
from tests._oracles.subsets_by_enumeration import (
    Mask,
    dense,
    f_by_definition,
    g_by_definition,
    joints,
    subsets,
    weights_from,
)


def merged(weights: Weights, member: Mask) -> tuple[float, float]:
    block_of = np.arange(weights.n)
    if member.any():
        block_of[member] = np.flatnonzero(member)[0]
    return information(weights, block_of)


@given(joints(), st.floats(0, 1), st.data())
def test_identity(weights: Weights, multiplier: float, data: st.DataObject) -> None:
    member = np.array(data.draw(st.lists(st.booleans(), min_size=weights.n, max_size=weights.n)))
    merges = Merges.of(weights)
    leakage, utility = merged(weights, member)
    f, g = merges.f(member), merges.g(member)
    assert leakage == pytest.approx(weights.leakage + f - g, abs=1e-10)
    assert utility == pytest.approx(weights.entropy + f, abs=1e-10)
    change = leakage - multiplier * utility - (weights.leakage - multiplier * weights.entropy)
    assert merges.change(member, multiplier) == pytest.approx(change, abs=1e-10)
    assert merges.change(member, multiplier, "bottleneck") == pytest.approx(-change, abs=1e-10)


@given(joints(most=5))
def test_definitions_submodular_nonincreasing(weights: Weights) -> None:
    merges, p = Merges.of(weights), dense(weights)
    every = list(subsets(weights.n))
    for function, definition in ((merges.f, f_by_definition), (merges.g, g_by_definition)):
        value = {member.tobytes(): function(member) for member in every}
        for member in every:
            assert value[member.tobytes()] == pytest.approx(definition(p, member), abs=1e-10)
            if member.sum() <= 1:
                assert value[member.tobytes()] == pytest.approx(0, abs=1e-12)
        for one in every:
            for two in every:
                both, either = value[(one & two).tobytes()], value[(one | two).tobytes()]
                assert value[one.tobytes()] + value[two.tobytes()] >= either + both - 1e-10
                assert value[one.tobytes()] >= either - 1e-10  # one ⊆ one ∪ two


@given(joints(), st.integers(0, 1000))
def test_gains_along_an_order_and_at_a_set(weights: Weights, seed: int) -> None:
    merges, rng = Merges.of(weights), np.random.default_rng(seed)
    order = rng.permutation(weights.n)
    for gains, value in ((merges.f_gains, merges.f), (merges.g_gains, merges.g)):
        member = np.zeros(weights.n, bool)
        for gain, element in zip(gains(order), order, strict=True):
            before = value(member)
            member[element] = True
            assert gain == pytest.approx(value(member) - before, abs=1e-10)
    member = rng.random(weights.n) < 0.5
    for at, value in ((merges.f_gains_at, merges.f), (merges.g_gains_at, merges.g)):
        for element, gain in enumerate(at(member)):
            with_it, without = member.copy(), member.copy()
            with_it[element], without[element] = True, False
            assert gain == pytest.approx(value(with_it) - value(without), abs=1e-10)


@given(joints(most=5))
def test_merges_go_on_from_the_merged_alphabet(weights: Weights) -> None:
    merges = Merges.of(weights)
    for member in subsets(weights.n):
        if member.sum() == weights.n - 1 and weights.n > 2:
            after = merges.after(member)
            assert after.n == 2
            assert after.f(np.ones(2, bool)) == pytest.approx(merges.f(np.ones(weights.n, bool)) - merges.f(member))


def test_counts_and_masses_agree() -> None:
    table = np.array([[3.0, 0, 1], [2, 2, 0], [0, 1, 1], [1, 0, 0]])
    counts, masses = weights_from(table), weights_from(table / 7)
    assert len(table_of(counts)) == 12
    assert len(table_of(masses)) == 0
    for member in subsets(4):
        assert Merges.of(counts).f(member) == pytest.approx(Merges.of(masses).f(member), abs=1e-12)
        assert Merges.of(counts).g(member) == pytest.approx(Merges.of(masses).g(member), abs=1e-12)


def test_a_value_by_hand() -> None:
    # Two letters of mass 1/2, one s each: merging loses H(X) = 1 bit and I(S;X) = 1 bit.
    merges = Merges.of(weights_from(np.array([[1.0, 0], [0, 1]])))
    both = np.ones(2, bool)
    assert (merges.f(both), merges.g(both)) == (-1.0, 0.0)
    # The same s: I(S;X̂) stays, and g takes what f does.
    merges = Merges.of(weights_from(np.array([[1.0], [1]])))
    assert (merges.f(both), merges.g(both)) == (-1.0, -1.0)
