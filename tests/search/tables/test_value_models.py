"""Bounds on the spread of sensitive values: as the measures have them, compiled and plain alike, kept by unions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.auditing._group_requirements import GroupRequirement, findings
from discreet.columns import Hierarchy
from discreet.release._table_policy_files import Shape
from discreet.search.tables import Letters
from discreet.search.tables._model_kernels import models_fit
from discreet.search.tables._requirements import Requirement, compiled_need, unmet
from discreet.search.tables._value_models import ValueModel, keep_models

SYMBOLS = ("t", "t_ord", "t_hier", "l_ent", "c_2", "c_3", "delta")
CLEAR = 1e-9  # nearer to the bound, two ways of rounding may differ


def asked(symbol: str, bound: float, size: int) -> GroupRequirement:
    """A requirement about a column called s with the values 0, 1, …, in threes under a root."""
    tree = Hierarchy({str(v): (str(v), f"of {v // 3}", "*") for v in range(size)})
    return GroupRequirement(symbol, bound, None, {"s": tree})


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """How often each of some groups has each value; every value occurs, and no group is empty."""
    groups, size = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    counts = np.array(draw(st.lists(st.integers(0, 6), min_size=groups * size, max_size=groups * size)))
    table = counts.reshape(groups, size)
    table[0] += table.sum(axis=0) == 0
    table[:, 0] += table.sum(axis=1) == 0
    return table


def joint_of(table: np.ndarray) -> dc.Joint:
    rows = [(v, g) for g, v in np.argwhere(table > 0) for _ in range(table[g, v])]
    return dc.Joint.from_table({"s": [v for v, _ in rows], "x": [g for _, g in rows]}, "s", "x")


@given(tables(), st.sampled_from(SYMBOLS), st.floats(0, 3), st.booleans())
def test_a_model_is_the_measure_of_its_symbol(table: np.ndarray, symbol: str, bound: float, exactly: bool) -> None:
    joint = joint_of(table)
    values = asked(symbol, 0.0, table.shape[1]).of_groups(joint)
    if exactly and np.isfinite(values[-1]):
        bound = float(values[-1])  # what a group has just keeps it
    wanted = asked(symbol, bound, table.shape[1])
    prior = table.sum(axis=0) / table.sum()
    model = ValueModel.of(wanted, "s", joint.s, prior)
    assert model is not None
    plain = model.holds(table.astype(float))
    letters, _ = Letters.from_records(
        np.zeros((int(table.sum()), 1), dtype=np.int32), [np.repeat(np.arange(table.shape[1]), table.sum(axis=0))]
    )
    need = compiled_need(letters, Requirement(1, (1,), (None,), ((model,),)))
    compiled = [models_fit(need, group.astype(np.int64), int(group.sum())) for group in table]
    clear = np.abs(values - bound) > CLEAR
    assert (plain[clear] == wanted.holds(values)[clear]).all()
    assert (plain[clear] == np.array(compiled)[clear]).all()
    assert wanted.holds(values)[plain].all()  # what is found is never refused
    assert (np.count_nonzero(table, axis=1) >= model.values)[plain].all()
    kept = table[plain]
    if len(kept):
        assert model.holds(kept.sum(axis=0, keepdims=True).astype(float))[0]
        assert keep_models([model], tally_of(kept), len(kept)).all()


def tally_of(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    group, value = np.nonzero(table)
    return group, value, table[group, value]


@given(tables(), st.sampled_from(("t", "t_ord", "t_hier")), st.floats(0, 1), st.integers(0, 4))
def test_withheld_records_are_allowed_for(table: np.ndarray, symbol: str, bound: float, gone: int) -> None:
    size = table.shape[1]
    gone = min(gone, len(table) - 1)
    left = table[gone:]
    if not left.sum(axis=0).all():
        return  # a value that nobody has any more is none of what is left
    share = table[:gone].sum() / table.sum()
    model = ValueModel.of(asked(symbol, bound, size), "s", list(range(size)), table.sum(axis=0) / table.sum(), share)
    assert model is not None
    values = asked(symbol, bound, size).of_groups(joint_of(left))
    assert (values[model.holds(left.astype(float))] <= max(bound, share) + CLEAR).all()


def registry(rows: int) -> dict[str, list[object]]:
    """Many rare illnesses, and one that half of all have."""
    rng = np.random.default_rng(3)
    illness = np.where(rng.random(rows) < 0.5, 0, rng.integers(1, 25, rows))
    return {
        "age": rng.integers(20, 80, rows).tolist(),
        "ward": rng.integers(1, 9, rows).tolist(),
        "illness": illness.tolist(),
    }


@pytest.mark.parametrize("shape", ["local", "disjoint", "global"])
@pytest.mark.parametrize("require", ["t<=0.3", "t_ord<=0.1", "l_ent>=4", "c_2<=1.3", "delta<=4"])
def test_rare_values_do_not_make_everybody_coarse(require: str, shape: Shape) -> None:
    """Caps that would be enough for these are below what the whole table has, or below one record of a group."""
    done = dc.generalise(
        registry(600),
        ["age", "ward"],
        "illness",
        ["n>=3", require],
        shape=shape,
        time_limit=0.5,
    )
    if require != "delta<=4":
        assert len(done.policy.boxes) > 3
    (_, finding) = findings([GroupRequirement.parse(text, ["illness"]) for text in ("n>=3", require)], done.joint)
    assert finding.met


def test_a_grouping_that_lacks_it_is_told() -> None:
    codes, values = np.array([[0], [0], [1], [1]], dtype=np.int32), [np.array([0, 0, 1, 1])]
    letters, _ = Letters.from_records(codes, values)
    model = ValueModel.of(asked("t", 0.2, 2), "s", [0, 1], np.array([0.5, 0.5]))
    assert model is not None
    wanted = Requirement(1, (1,), (None,), ((model,),))
    assert unmet(letters, wanted, np.array([0, 1])) == ["sensitive values are not spread in a group as they must be"]
    assert unmet(letters, wanted, np.array([0, 0])) == []


@pytest.mark.slow
def test_runs_that_must_be_long_end_in_time() -> None:
    """Every group needs all of two hundred values: runs along an order would be looked at for minutes."""
    rng, rows = np.random.default_rng(4), 60_000
    table = {
        "age": rng.integers(0, 90, rows),
        "zip": rng.integers(0, 400, rows),
        "illness": np.concatenate([np.arange(200), rng.integers(0, 200, rows - 200)]),
    }
    done = dc.generalise(table, ["age", "zip"], "illness", "delta<=3", time_limit=0.2)
    assert len(done.policy.boxes) > 1
