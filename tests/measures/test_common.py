"""Common information between bounds that are held against closed forms, and capacities against all gain functions tried."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Joint, measures
from discreet.measures._products import least_entropy, least_information
from discreet.measures._wyner import _exact, _refitted, _search, _wyner_of
from discreet.testing import joints
from tests.examples import examples


def h(p: float) -> float:
    return 0.0 if p in (0, 1) else -p * math.log2(p) - (1 - p) * math.log2(1 - p)


@settings(max_examples=examples(15))
@given(joints(4, 4), st.integers(0, 5))
def test_a_found_decomposition_is_exact(joint: Joint, seed: int) -> None:
    p = joint.pmf.toarray()
    made = _exact(p, _search(p, 3, np.random.default_rng(seed)))
    assert made.sum(axis=0) == pytest.approx(p, abs=1e-12)
    for part in made:  # given w, S and X are independent
        assert part * part.sum() == pytest.approx(np.outer(part.sum(axis=1), part.sum(axis=0)), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_erasures(p: float) -> None:
    joint = Joint.from_array([[(1 - p) / 2, 0, p / 2], [0, (1 - p) / 2, p / 2]])
    wyner, exact = measures.wyner_information(joint), measures.exact_common_information(joint)
    known, known_exact = (1.0 if p < 0.5 else h(p)), min(1.0, h(p) + 1 - p)
    assert wyner.lower <= known <= wyner.upper + 1e-9
    assert wyner.upper == pytest.approx(known, abs=2e-3)
    assert exact.lower <= known_exact <= exact.upper + 1e-9
    assert exact.upper == pytest.approx(known_exact, abs=2e-3)


def test_what_is_independent_has_nothing_in_common() -> None:
    joint = Joint.from_array(np.outer([0.3, 0.7], [0.2, 0.3, 0.5]))
    for found in (measures.wyner_information(joint), measures.exact_common_information(joint)):
        assert found.upper == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("a", [0.05, 0.2, 0.4])
def test_one_row_less_what_makes_the_rest_a_product(a: float) -> None:
    """Of a doubly symmetric source, W that tells one corner from a product: (1 − 2a)/(2(1 − a)) of all, by hand."""
    joint = Joint.from_array([[(1 - a) / 2, a / 2], [a / 2, (1 - a) / 2]])
    assert measures.exact_common_information(joint).upper <= min(1.0, h((1 - 2 * a) / (2 * (1 - a)))) + 1e-9


@pytest.mark.slow
@settings(max_examples=examples(15))
@given(joints(4, 4), st.integers(0, 5))
def test_better_decompositions_are_exact_too(joint: Joint, seed: int) -> None:
    p, rng = joint.pmf.toarray(), np.random.default_rng(seed)
    q = _search(p, 3, rng)
    refitted, entropy = _refitted(p, q), least_entropy(p, [q * p], rng)
    for made in (refitted, entropy, least_information(p, refitted)):
        assert made.sum(axis=0) == pytest.approx(p, abs=1e-12)
        for part in made:
            assert part * part.sum() == pytest.approx(np.outer(part.sum(axis=1), part.sum(axis=0)), abs=1e-12)
    assert _wyner_of(p, least_information(p, refitted)) <= _wyner_of(p, refitted) + 1e-9


@settings(max_examples=examples(40))
@given(joints(4, 4), st.integers(0, 99))
def test_no_gain_function_exceeds_the_capacities(joint: Joint, seed: int) -> None:
    found = measures.capacities(joint)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        gain = rng.random((4, joint.n_s))
        won = measures.vulnerability(joint, gain)
        assert won.after <= found.multiplicative * won.before + 1e-9
        assert won.additive <= found.additive + 1e-9  # gains lie between 0 and 1
    identity = Joint.from_channel(np.full(joint.n_s, 1 / joint.n_s), joint.counts.toarray() / joint.s_weight[:, None])
    best = measures.vulnerability(identity, np.eye(joint.n_s))
    assert best.after / best.before == pytest.approx(found.multiplicative)  # attained by guessing s, all s alike
    above = joint.pmf.toarray() - np.outer(joint.pmf.sum(axis=1), joint.pmf.sum(axis=0)) > 0
    assert measures.vulnerability(joint, above.T.astype(float)).additive <= found.additive + 1e-9
    assert found.multiplicative == pytest.approx(2 ** measures.maximal_leakage(joint))


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=9))
def test_partitions_are_ordered_by_refinement(blocks: list[tuple[int, int]]) -> None:
    one = Joint.from_pairs([(i, a) for i, (a, _) in enumerate(blocks)])
    other = Joint.from_pairs([(i, b) for i, (_, b) in enumerate(blocks)])
    found = measures.dominates(one, other)
    assert found.holds == (len(set(blocks)) == len({a for a, _ in blocks}))
    if found.holds:
        assert found.garbling is not None
        assert one.pmf @ found.garbling == pytest.approx(other.pmf.toarray())
    else:
        before, after = measures.vulnerability(one, found.gain).after, measures.vulnerability(other, found.gain).after
        assert after - before == pytest.approx(found.margin)
        assert found.margin > 0


def test_large_partitions_are_compared() -> None:
    fine = Joint.from_pairs([(i, i // 2) for i in range(4000)])
    assert measures.dominates(fine, Joint.from_pairs([(i, i // 4) for i in range(4000)])).holds
    assert not measures.dominates(fine, Joint.from_pairs([(i, i // 3) for i in range(4000)])).holds
