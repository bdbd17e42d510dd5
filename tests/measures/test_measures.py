"""Measures: the laws of SPEC section 2, the definitions by brute force, and the published values."""

from __future__ import annotations

import itertools
import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Joint, measures
from discreet.errors import InputError, JointError, MeasureError
from discreet.measures import REGISTRY, Measure
from discreet.testing import ContractError, check_measure, coarsened_joints, joints
from tests._oracles import measures as oracle
from tests.examples import examples

REFERENCE = tomllib.loads((Path(__file__).parents[1] / "reference" / "measures.toml").read_text())
EXAMPLE_1 = [(int(s), int(x)) for x, seen in REFERENCE["example_1"]["range"].items() for s in seen]


CALLABLE = {symbol: each for symbol, each in REGISTRY.items() if not each.needs_hierarchy}


@pytest.mark.hypothesis
@pytest.mark.parametrize("symbol", list(REGISTRY))
def test_every_measure_obeys_the_laws_of_its_role(symbol: str) -> None:
    check_measure(REGISTRY[symbol], max_examples=examples(40))


@pytest.mark.hypothesis
@pytest.mark.parametrize(
    "symbol", ["I_0", "I_0.5", "I_inf", "IA_0", "IA_0.3", "IA_inf", "L_1", "L_1.2", "L_40", "D_0", "D_1", "D_9"]
)
def test_orders_obey_the_laws_too(symbol: str) -> None:
    check_measure(REGISTRY[symbol], max_examples=examples(25))


@pytest.mark.parametrize("symbol", list(oracle.ORACLE))
def test_measures_equal_their_definitions(symbol: str) -> None:
    @settings(max_examples=examples(80))
    @given(joints(max_s=4, max_x=4))
    def compare(joint: Joint) -> None:
        assert REGISTRY[symbol](joint) == pytest.approx(oracle.ORACLE[symbol](oracle.pmf(joint)), abs=1e-9)

    compare()


@given(joints())
def test_the_order_of_measures(joint: Joint) -> None:
    value = {symbol: REGISTRY[symbol](joint) for symbol in ("H0", "L0", "I*", "L*", "K", "I", "eps")}
    tiny = 1e-9
    assert 0 <= value["I*"] <= value["L0"] + tiny
    assert value["L0"] <= value["H0"] + tiny
    assert value["I*"] <= value["L*"] + tiny
    assert value["L*"] <= value["H0"] + tiny
    assert value["K"] <= value["I"] + tiny
    assert value["K"] <= value["I*"] + tiny
    assert value["I*"] == 0 or value["eps"] == math.inf


@given(joints())
def test_l_star_and_l0_determine_each_other(joint: Joint) -> None:
    """[BF, (8)]"""
    n_s = joint.n_s
    left = 2 ** measures.maximal_guessing_leakage(joint) + n_s * 2 ** -measures.worst_case_leakage(joint)
    assert left == pytest.approx(n_s + 1)


@given(joints())
def test_maximin_information_is_symmetric(joint: Joint) -> None:
    assert measures.maximin_information(joint) == measures.maximin_information(joint.transpose())


@given(joints(max_s=4, max_x=4))
def test_maximin_information_is_the_supremum_over_attributes_that_x_determines(joint: Joint) -> None:
    """[BF, Prop 6]"""
    assert measures.maximin_information(joint) == pytest.approx(oracle.i_star_as_supremum(oracle.pmf(joint)))


@given(joints())
def test_the_worst_attribute_attains_the_maximal_guessing_leakage(joint: Joint) -> None:
    attribute = measures.worst_attribute(joint)
    assert measures.identifiability(joint, attribute) == pytest.approx(measures.maximal_guessing_leakage(joint))
    assert set(attribute) == set(joint.s)


@given(joints(max_s=4, max_x=4))
@settings(max_examples=examples(30))
def test_maximal_alpha_leakage_grows_with_the_order(joint: Joint) -> None:
    found = [measures.maximal_alpha_leakage(joint, order=order) for order in (1, 1.1, 1.5, 2, 4, 16, math.inf)]
    assert all(low <= high + 1e-9 for low, high in itertools.pairwise(found))


@given(joints(max_s=3, max_x=3), st.sampled_from([1.3, 2.0, 5.0]), st.integers(0, 2**32 - 1))
@settings(max_examples=examples(60))
def test_maximal_alpha_leakage_is_a_supremum_over_priors(joint: Joint, order: float, seed: int) -> None:
    top = measures.maximal_alpha_leakage(joint, order=order)
    rng = np.random.default_rng(seed)
    channel = joint.counts.toarray() / joint.counts.toarray().sum(axis=1, keepdims=True)
    for _ in range(5):
        prior = rng.dirichlet(np.ones(joint.n_s))
        weighed = Joint.from_array(channel * prior[:, None])
        assert measures.arimoto_information(weighed, order=order) <= top + 1e-9


def test_both_climbers_to_maximal_alpha_leakage_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = Joint.from_array(np.random.default_rng(5).integers(0, 4, (12, 30)))
    by_newton = measures.maximal_alpha_leakage(joint, order=2.5)
    monkeypatch.setattr("discreet.measures._orders.DENSE", 0)
    assert measures.maximal_alpha_leakage(joint, order=2.5) == pytest.approx(by_newton, abs=1e-9)


@given(joints())
def test_renyi_of_order_0_is_l0_for_uniform_s(joint: Joint) -> None:
    """[AC, (10)]: give every s the same weight, without touching the support."""
    counts = joint.counts.toarray().astype(float)
    uniform = Joint.from_array(counts / counts.sum(axis=1, keepdims=True) / len(counts))
    assert measures.renyi_leakage(uniform, order=0) == pytest.approx(measures.worst_case_leakage(joint))


@given(coarsened_joints())
def test_overlap_partition_is_a_partition_that_nothing_crosses(case: tuple[Joint, Any]) -> None:
    joint, _ = case
    parts = measures.overlap_partition(joint)
    assert sorted(s for each, _ in parts for s in each) == list(joint.s)
    assert sorted(x for _, each in parts for x in each) == list(joint.x)
    for s_part, x_part in parts:
        assert all(set(joint.range_of(x)) <= s_part for x in x_part)
    assert [min(x) for _, x in parts] == sorted(min(x) for _, x in parts)


# ---------------------------------------------------------------------- published values


def test_example_1_of_ac() -> None:
    joint = Joint.from_pairs(EXAMPLE_1)
    want = REFERENCE["example_1"]
    assert measures.maximin_information(joint) == pytest.approx(math.log2(want["components"]))
    assert measures.worst_case_leakage(joint) == pytest.approx(math.log2(want["l0"]))
    assert measures.zero_information(joint) == pytest.approx(math.log2(want["i0"]))
    assert [sorted(x) for _, x in measures.overlap_partition(joint)] == want["parts_of_x"]


def majority(n: int) -> list[tuple[tuple[int, ...], int]]:
    return [(votes, int(2 * sum(votes) >= n)) for votes in itertools.product((0, 1), repeat=n)]


@pytest.mark.parametrize("n", range(1, 8))
def test_majority_vote_of_bf(n: int) -> None:
    joint = Joint.from_pairs(majority(n))
    one_vote = measures.identifiability(joint, {votes: votes[0] for votes in joint.s})
    assert one_vote == REFERENCE["majority"]["one_vote"][n - 1]
    if n % 2:
        assert measures.worst_case_leakage(joint) == 1.0
    yes = sum(1 for _, outcome in majority(n) if outcome == 1)
    assert measures.maximal_guessing_leakage(joint) == pytest.approx(math.log2(yes + 1))
    assert measures.maximin_information(joint) == 1.0


def test_remark_1_of_bf() -> None:
    joint = Joint.from_pairs([("x1", "y1"), ("x2", "y1"), ("x3", "y2")])
    assert measures.maximal_guessing_leakage(joint) == pytest.approx(math.log2(3))
    assert measures.maximal_guessing_leakage(joint.transpose()) == pytest.approx(math.log2(2))


def test_hungarian_entropies(hungarian: dict[str, list[object]]) -> None:
    """SPEC section 8."""
    # The paper publishes a sensitive column; here a column has one role, so it is named twice.
    table = {**hungarian, "sex_": hungarian["sex"], "age_": hungarian["age"]}
    for setting in REFERENCE["hungarian"].values():
        joint = Joint.from_table(table, setting["s"], setting["x"])
        assert (joint.n_s, joint.n_x) == (setting["n_s"], setting["n_x"])
        assert measures.entropy(joint) == pytest.approx(setting["H_s"], abs=5e-4)
        assert measures.entropy(joint.transpose()) == pytest.approx(setting["H_x"], abs=5e-4)
        assert measures.mutual_information(joint) == pytest.approx(setting["I"], abs=5e-4)


# ---------------------------------------------------------------------- side information


def naive_with_side(rows: list[tuple[int, int, int]]) -> tuple[float, float]:
    """L0(S→X|A) and I*(S;X,A) by their definitions."""
    given_a = {a: {s for s, _, b in rows if b == a} for _, _, a in rows}
    given_both = {(x, a): {s for s, y, b in rows if (y, b) == (x, a)} for _, x, a in rows}
    l0 = max(math.log2(len(given_a[a]) / len(seen)) for (_, a), seen in given_both.items())
    numbered = {pair: i for i, pair in enumerate(sorted(given_both))}
    return l0, oracle.i_star({(s, numbered[x, a]): 1.0 for s, x, a in rows})


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=20), st.data())
def test_side_information(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    table = {"s": [r[0] for r in rows], "x": [r[1] for r in rows], "a": [r[2] for r in rows]}
    joint = Joint.from_table(table, "s", "x", side="a")
    l0, i_star = naive_with_side(rows)
    assert measures.worst_case_leakage(joint, side=True) == pytest.approx(l0)
    assert measures.maximin_information(joint, side=True) == pytest.approx(i_star)
    owner = {x: data.draw(st.integers(0, 1)) for x in joint.x}
    blocks = [block for u in (0, 1) if (block := [x for x in joint.x if owner[x] == u])]
    coarse = naive_with_side([(s, owner[x], a) for s, x, a in rows])
    coarsened = joint.coarsen(blocks)
    assert measures.worst_case_leakage(coarsened, side=True) == pytest.approx(coarse[0])
    assert measures.maximin_information(coarsened, side=True) == pytest.approx(coarse[1])


def test_side_information_must_be_there() -> None:
    with pytest.raises(MeasureError, match="no side information"):
        measures.worst_case_leakage(Joint.from_pairs([(1, 1)]), side=True)


# ---------------------------------------------------------------------- small, odd and bad


def test_one_letter_leaks_nothing() -> None:
    joint = Joint.from_pairs([("s", "x")] * 3)
    for symbol, each in CALLABLE.items():
        ones = ("k", "l_ent", "alpha", "HG", "HG|X")
        expected = {"n": 3.0, "c_alpha": np.inf}.get(symbol, 1.0 if symbol in ones else 0.0)
        assert each(joint) == pytest.approx(expected, abs=1e-12), symbol


def test_a_support_answers_ranges_and_refuses_the_rest() -> None:
    joint = Joint.from_array(np.eye(3, dtype=bool))
    for symbol, each in REGISTRY.items():
        if each.kind == "range":
            each(joint)
        else:
            with pytest.raises(MeasureError, match="counts"):
                each(joint)
        assert each.symbol == symbol


def test_a_pmf_is_as_good_as_counts() -> None:
    counts = np.array([[3, 1, 0], [1, 2, 1]])
    by_counts, by_pmf = Joint.from_array(counts), Joint.from_array(counts / counts.sum())
    for symbol, each in CALLABLE.items():
        if symbol == "n":
            with pytest.raises(MeasureError, match="records"):
                each(by_pmf)
        else:
            assert each(by_pmf) == pytest.approx(each(by_counts), abs=1e-9), symbol


@pytest.mark.parametrize("order", [math.nan, -1.0])
@pytest.mark.parametrize("symbol", ["I_alpha", "IA_alpha", "L_alpha", "D_alpha"])
def test_orders_out_of_range(symbol: str, order: float) -> None:
    with pytest.raises(MeasureError, match="order"):
        REGISTRY[symbol](Joint.from_pairs([(1, 1), (2, 2)]), order=order)


def test_large_orders_neither_overflow_nor_vanish() -> None:
    joint = Joint.from_array(np.random.default_rng(1).integers(0, 3, (30, 40)))
    for symbol, limit in (("I_1e6", "I_inf"), ("D_1e6", "D_inf"), ("IA_1e6", "Lmin"), ("L_1e6", "I_inf")):
        assert REGISTRY[symbol](joint) == pytest.approx(REGISTRY[limit](joint), abs=1e-4)


def test_the_registry_knows_symbols_and_says_which() -> None:
    assert REGISTRY["L0"].function is measures.worst_case_leakage
    assert "I_2.5" in REGISTRY
    assert "I_x" not in REGISTRY
    with pytest.raises(MeasureError, match="'L0'"):
        REGISTRY["nonsense"]
    with pytest.raises(MeasureError, match="taken"):
        measures.measure("L0", "again", kind="range", role="leakage", formula="", reference="")(lambda joint: 0.0)
    for each in REGISTRY.values():
        assert each.kind in ("range", "pmf")
        assert each.direction in (-1, 0, 1)
        assert each.reference.startswith("[")
        assert each.formula
        assert ">>>" in (each.function.__doc__ or "")


def broken(function: Any, role: Any = "leakage") -> Measure:
    return Measure("bad", "bad", "range", role, "", "", function)


@pytest.mark.slow
def test_check_measure_can_fail() -> None:
    """Each law catches a measure made to break it."""
    breaks = {
        "relabelling": broken(lambda joint: float(joint.counts.toarray()[0, 0])),
        "independence": broken(lambda joint: 1.0),
        "data processing": broken(lambda joint: (measures.mutual_information(joint) > 1e-9) / joint.n_x),
        "non-negativity": broken(lambda joint: -float(joint.n_x), "uncertainty"),
        "determinism": broken(lambda joint: float(np.random.default_rng().random()) * 1e-12, "uncertainty"),
    }
    for law, measure in breaks.items():
        with pytest.raises(ContractError, match=law):
            check_measure(measure, max_examples=examples(30))


def test_an_attribute_must_cover_s() -> None:
    with pytest.raises(InputError, match="no value for 1 of 2"):
        measures.identifiability(Joint.from_pairs([(1, 1), (2, 1)]), {1: "a"})


def test_errors_are_one_line() -> None:
    with pytest.raises(JointError) as caught:
        Joint.from_array([[1, -1]])
    assert "\n" not in str(caught.value)


def test_an_edge_that_occurs_256_times_still_joins() -> None:
    """A sum of repeated edges kept in eight bits would come to zero."""
    many = [(s, x) for x in range(256) for s in (0, 1)]
    alone = [(s, 1000 + s) for s in range(2, 100)]
    joint = Joint.from_pairs(many + alone)
    assert joint.n_s**2 > 4 * joint.counts.nnz
    assert joint.components[0] == 99


@pytest.mark.parametrize(
    "name", ["sibson_information", "arimoto_information", "maximal_alpha_leakage", "renyi_leakage"]
)
def test_an_order_beyond_all_numbers_is_infinite(name: str) -> None:
    joint = Joint.from_array(np.array([[5, 1, 0], [2, 2, 7]]))
    measure = getattr(measures, name)
    assert measure(joint, order=1e308) == measure(joint, order=math.inf)
