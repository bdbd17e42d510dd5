"""Adversaries with a goal, channels, side information and columns together: closed forms, brute force, and refusals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Joint, measures
from discreet.errors import InputError, JointError, MeasureError
from discreet.testing import coarsened_joints, joints
from tests.examples import examples


@settings(max_examples=examples(30))
@given(joints())
def test_guessing_s_itself_is_min_entropy_leakage(joint: Joint) -> None:
    found = measures.vulnerability(joint, np.eye(joint.n_s))
    assert found.leakage == pytest.approx(measures.min_entropy_leakage(joint), abs=1e-12)


@settings(max_examples=examples(30))
@given(joints(), st.integers(0, 2**32 - 1))
def test_no_goal_gains_more_than_maximal_leakage(joint: Joint, seed: int) -> None:
    gain = np.random.default_rng(seed).random((4, joint.n_s))
    assert measures.vulnerability(joint, gain).leakage <= measures.maximal_leakage(joint) + 1e-9


@settings(max_examples=examples(20))
@given(coarsened_joints(), st.integers(0, 2**32 - 1))
def test_no_goal_is_served_better_by_what_was_coarsened(
    case: tuple[Joint, tuple[tuple[object, ...], ...]], seed: int
) -> None:
    joint, blocks = case
    coarse = joint.coarsen(blocks)
    gain = np.random.default_rng(seed).normal(size=(3, joint.n_s))
    assert measures.vulnerability(coarse, gain).after <= measures.vulnerability(joint, gain).after + 1e-12
    found = measures.dominates(joint, coarse)
    assert found.holds and found.garbling is not None
    assert joint.pmf.toarray() @ found.garbling == pytest.approx(coarse.pmf.toarray(), abs=1e-9)


@settings(max_examples=examples(20))
@given(joints(max_s=3, max_x=4), st.integers(0, 2**32 - 1))
def test_either_answer_has_its_evidence(joint: Joint, seed: int) -> None:
    rng = np.random.default_rng(seed)
    channel = rng.dirichlet(np.ones(3), joint.n_s)
    other = Joint.from_channel(joint.s_weight / joint.total, channel, s=joint.s)
    found = measures.dominates(joint, other)
    if found.holds:
        assert found.garbling is not None
        assert joint.pmf.toarray() @ found.garbling == pytest.approx(other.pmf.toarray(), abs=1e-8)
    else:
        won = [measures.vulnerability(each, found.gain).after for each in (joint, other)]
        assert won[1] - won[0] == pytest.approx(found.margin) and found.margin > 0


@pytest.mark.parametrize("seed", range(40))
def test_what_a_channel_makes_of_a_release_never_tells_more(seed: int) -> None:
    """Sparse channels, rare secrets: the answer must not hang on a solver's tolerance."""
    rng = np.random.default_rng(seed)
    n_s, n_x, n_y = rng.integers(2, 12, 3)
    fine = rng.dirichlet(np.full(n_x, rng.choice([0.05, 0.3, 1.0])), n_s)
    made = fine @ rng.dirichlet(np.full(n_y, rng.choice([0.05, 0.3, 1.0])), n_x)
    prior = rng.dirichlet(np.full(n_s, 0.5))
    first, second = Joint.from_channel(prior, fine), Joint.from_channel(prior, made)
    found = measures.dominates(first, second)
    assert found.holds and found.garbling is not None
    assert first.pmf.toarray() @ found.garbling == pytest.approx(second.pmf.toarray(), abs=1e-8)


def test_a_difference_at_a_rare_secret_is_a_difference() -> None:
    prior = [1 - 1e-6, 1e-6]
    blind, telling = (Joint.from_channel(prior, c) for c in ([[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [0.4, 0.6]]))
    assert measures.dominates(telling, blind).holds
    found = measures.dominates(blind, telling)
    assert not found.holds and found.margin > 0


def test_the_capacity_of_known_channels() -> None:
    def h(p: float) -> float:
        return -p * math.log2(p) - (1 - p) * math.log2(1 - p)

    half = [0.5, 0.5]
    for flip in (0.01, 0.1, 0.3):
        joint = Joint.from_channel(half, [[1 - flip, flip], [flip, 1 - flip]])
        assert measures.shannon_capacity(joint) == pytest.approx(1 - h(flip), abs=1e-6)
        erased = Joint.from_channel(half, [[1 - flip, 0.0, flip], [0.0, 1 - flip, flip]])
        assert measures.shannon_capacity(erased) == pytest.approx(1 - flip, abs=1e-6)
    z = Joint.from_channel([0.9, 0.1], [[1.0, 0.0], [0.5, 0.5]])  # the Z-channel: log2(5/4)
    assert measures.shannon_capacity(z) == pytest.approx(math.log2(1.25), abs=1e-6)


def test_a_capacity_that_is_hardly_attained_is_proven_all_the_same() -> None:
    """Two rows that differ by 1e-4 at the optimum: plain updates would need millions of rounds."""
    channel = [[0.99482, 0.00518], [0.994887, 0.005113], [4e-10, 1 - 4e-10], [1.3e-8, 1 - 1.3e-8]]
    found = measures.shannon_capacity(Joint.from_channel(np.full(4, 0.25), channel), gap=1e-9)
    assert found == pytest.approx(measures.maximal_alpha_leakage(Joint.from_array(channel), order=1 + 1e-5), abs=1e-4)
    with pytest.raises(InputError, match="above 0"):
        measures.shannon_capacity(Joint.from_array([[1, 1]]), gap=0)


@settings(max_examples=examples(20))
@given(joints())
def test_the_capacity_lies_between_the_information_and_maximal_leakage(joint: Joint) -> None:
    found = measures.shannon_capacity(joint, gap=1e-4)
    assert measures.mutual_information(joint) <= found + 1e-4
    assert found <= measures.maximal_leakage(joint) + 1e-9


def test_a_metric_is_a_unit() -> None:
    joint = Joint.from_array([[4, 4], [6, 2], [7, 1]], s=[0, 1, 3])
    assert measures.metric_privacy(joint, lambda a, b: float(a != b)) == pytest.approx(measures.local_dp_epsilon(joint))
    assert measures.metric_privacy(Joint.from_array([[1, 0], [1, 1]]), lambda a, b: 1.0) == math.inf
    with pytest.raises(InputError, match="at least 0"):
        measures.metric_privacy(joint, lambda a, b: -1.0)


@settings(max_examples=examples(30))
@given(joints(), st.integers(0, 2**32 - 1))
def test_a_metric_by_the_definition(joint: Joint, seed: int) -> None:
    apart = np.random.default_rng(seed).choice([0.5, 1.0, 3.0, math.inf], (joint.n_s, joint.n_s))
    place = {s: i for i, s in enumerate(joint.s)}
    channel = joint.counts.toarray() / joint.s_weight[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.nan_to_num(np.log2(channel[:, None] / channel[None]), nan=0.0, posinf=math.inf, neginf=0.0).max(
            axis=2
        )
        wanted = np.where(apart < math.inf, odds / apart, 0.0).max()
    found = measures.metric_privacy(joint, lambda a, b: apart[place[a], place[b]])
    assert found == pytest.approx(float(wanted), abs=1e-9)


def test_what_is_refused() -> None:
    joint = Joint.from_pairs([("ill", 1), ("well", 2)])
    with pytest.raises(InputError, match="needs actions"):
        measures.vulnerability(joint, lambda w, s: 1.0)
    with pytest.raises(InputError, match="2 columns"):
        measures.vulnerability(joint, [[1.0, 2.0, 3.0]])
    for odd in (lambda w, s: "much", {"a": 3}, {"a": {"ill": "much"}}, "much", [[1.0, 2.0], [3.0]]):
        with pytest.raises(InputError, match="a gain is a matrix of numbers"):
            measures.vulnerability(joint, odd, ["act"])
    with pytest.raises(InputError, match="finite"):
        measures.vulnerability(joint, [[1.0, math.nan]])
    with pytest.raises(InputError, match="1 values that no record has"):
        measures.vulnerability(joint, {"a": {"dead": 1.0}})
    with pytest.raises(InputError, match="same sensitive values"):
        measures.dominates(joint, Joint.from_pairs([("ill", 1), ("ill", 1), ("well", 2)]))
    with pytest.raises(JointError, match="the prior does not sum"):
        Joint.from_channel([0.5, 0.6], [[1], [1]])
    with pytest.raises(JointError, match="a row of the channel"):
        Joint.from_channel([0.5, 0.5], [[1, 0], [1, 1]])
    with pytest.raises(JointError, match="a row for each"):
        Joint.from_channel([0.5, 0.5], [[1.0]])


# ---------------------------------------------------------------------- with side information


@st.composite
def with_side(draw: st.DrawFn) -> tuple[Joint, np.ndarray]:
    """A joint with side information, and its counts of (s, x, a)."""
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)))
    counts = np.array(draw(st.lists(st.integers(0, 3), min_size=math.prod(shape), max_size=math.prod(shape))))
    counts = counts.reshape(shape)
    counts[0, 0, 0] += 1
    rows = [(s, x, a) for s, x, a in itertools.product(*map(range, shape)) for _ in range(counts[s, x, a])]
    table = dict(zip("sxa", map(list, zip(*rows, strict=True)), strict=True))
    return Joint.from_table(table, "s", "x", "a"), counts


@settings(max_examples=examples(40))
@given(with_side())
def test_given_side_information_is_what_is_seen_within_each_a(case: tuple[Joint, np.ndarray]) -> None:
    joint, counts = case
    total = counts.sum()
    slices = [
        (counts[:, :, a].sum() / total, Joint.from_array(counts[:, :, a]))
        for a in range(counts.shape[2])
        if counts[:, :, a].any()
    ]

    def mean(measure: Callable[..., float]) -> float:
        return float(sum(weight * measure(part) for weight, part in slices))

    def worst(measure: Callable[..., float], **options: float) -> float:
        return max(measure(part, **options) for _, part in slices)

    assert measures.mutual_information(joint, side=True) == pytest.approx(mean(measures.mutual_information), abs=1e-9)
    common = measures.gacs_korner_information
    assert common(joint, side=True) == pytest.approx(mean(common), abs=1e-9)
    assert measures.maximal_leakage(joint, side=True) == pytest.approx(worst(measures.maximal_leakage), abs=1e-9)
    sibson, renyi = measures.sibson_information, measures.renyi_leakage
    for order in (0.0, 0.5, 2.0, math.inf):
        assert renyi(joint, order=order, side=True) == pytest.approx(worst(renyi, order=order), abs=1e-9)
    for order in (0.0, 0.5, 2.0):
        power = sum(weight * 2 ** ((order - 1) * sibson(part, order=order)) for weight, part in slices)
        assert sibson(joint, order=order, side=True) == pytest.approx(math.log2(power) / (order - 1), abs=1e-9)
    assert sibson(joint, order=math.inf, side=True) == pytest.approx(worst(measures.maximal_leakage), abs=1e-9)


@settings(max_examples=examples(20))
@given(with_side())
def test_sibson_information_given_side_information_has_no_jumps(case: tuple[Joint, np.ndarray]) -> None:
    joint, _ = case
    orders = [0.0, 1e-3, 0.5, 1 - 1e-5, 1.0, 1 + 1e-5, 3.0, 40.0, math.inf]
    found = [measures.sibson_information(joint, order=order, side=True) for order in orders]
    assert all(one <= other + 1e-9 for one, other in itertools.pairwise(found))
    assert found[3] == pytest.approx(found[4], abs=1e-3) and found[5] == pytest.approx(found[4], abs=1e-3)


@settings(max_examples=examples(20))
@given(with_side())
def test_one_guess_at_s_beside_a(case: tuple[Joint, np.ndarray]) -> None:
    joint, counts = case
    guess = sum(counts[:, x, a].max() for x in range(counts.shape[1]) for a in range(counts.shape[2]))
    before = sum(counts[:, :, a].sum(axis=1).max() for a in range(counts.shape[2]))
    assert measures.min_entropy_leakage(joint, side=True) == pytest.approx(math.log2(guess / before), abs=1e-9)


def test_without_side_information_it_says_so() -> None:
    with pytest.raises(MeasureError, match="no side information"):
        measures.mutual_information(Joint.from_array([[1, 2]]), side=True)


# ---------------------------------------------------------------------- columns together


def test_columns_that_tell_only_together_and_columns_that_tell_the_same() -> None:
    bits = list(itertools.product((0, 1), repeat=3))
    xor = {
        "s": [a ^ b for a, b, _ in bits],
        "a": [a for a, _, _ in bits],
        "b": [b for _, b, _ in bits],
        "c": [c for *_, c in bits],
    }
    first, *others = measures.interactions(Joint.from_table(xor, "s", ["a", "b", "c"]))
    assert first.columns == ("a", "b")
    assert (first.synergy, first.redundancy, first.alone) == (1.0, 0.0, (0.0, 0.0))
    assert all(each.synergy == 0 for each in others)
    same = {"s": [0, 1], "a": [0, 1], "b": [1, 0]}
    (copy,) = measures.interactions(Joint.from_table(same, "s", ["a", "b"]))
    assert (copy.redundancy, copy.synergy, copy.together) == (1.0, 0.0, 1.0)
    assert copy.sentence() == "a and b tell mostly the same: 1.00 of 1.00 bits"
    parity = {"s": [sum(each) % 2 for each in bits], **{n: [each[i] for each in bits] for i, n in enumerate("abc")}}
    top = measures.interactions(Joint.from_table(parity, "s", list("abc")), most=3)[0]
    assert (top.columns, top.synergy) == (("a", "b", "c"), 1.0)


def test_interactions_need_columns() -> None:
    with pytest.raises(InputError, match="two public columns"):
        measures.interactions(Joint.from_array([[1, 2], [2, 1]]))
    joint = Joint.from_table({"s": [0, 1], "a": [0, 1], "b": [1, 0]}, "s", ["a", "b"])
    with pytest.raises(InputError, match="not 4"):
        measures.interactions(joint, most=4)
