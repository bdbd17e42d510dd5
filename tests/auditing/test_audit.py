"""The audit: its figures, its evidence, its requirements and its outputs."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.auditing._requirements import Requirement
from discreet.errors import InputError, MeasureError, TableError
from discreet.measures import REGISTRY

CLINIC: dict[str, list[Any]] = {
    "illness": ["flu", "cold", "flu", "gout", "gout", "gout", "cold", "flu"],
    "smoker": [True, False, True, True, True, True, False, False],
    "town": ["A", "A", "B", "C", "C", "C", "B", "A"],
    "age": [30, 30, 40, 50, 50, 50, 30, 40],
    "job": ["x", "y", "x", "x", "x", "x", "y", "y"],
}


def test_the_hungarian_data(hungarian: dict[str, list[object]]) -> None:
    found = dc.audit(hungarian, "age", "chol")
    assert (found.joint.n_s, found.joint.n_x, found.joint.counts.nnz) == (38, 154, 281)
    assert found.joint.total == 293
    assert int((found.joint.counts.data == 1).sum()) == 269
    dropped = dc.audit(hungarian, "age", "chol", missing="drop")
    assert (dropped.joint.total, dropped.joint.n_s, dropped.joint.n_x, dropped.joint.counts.nnz) == (271, 37, 153, 266)
    assert "dropped" in dropped.to_dict()["missing"]


def test_every_measure_is_there() -> None:
    found = dc.audit(CLINIC, "illness", "town")
    for symbol, each in REGISTRY.items():
        shown = each.at(2.0).symbol if each.has_order else symbol
        if each.needs_hierarchy:
            assert shown not in found.values
        else:
            assert found.values[shown] == REGISTRY[shown](found.joint)
    assert dc.audit(CLINIC, "illness", "town", orders=[3, 4]).values.keys() >= {"I_3", "D_4"}


def test_a_large_audit_leaves_the_orders_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.auditing._measuring.SMALL", 2)
    assert "I_2" not in dc.audit(CLINIC, "illness", "town").values
    assert "I_2" in dc.audit(CLINIC, "illness", "town", orders=[2]).values


def test_worst_groups_and_homogeneity() -> None:
    found = dc.audit(CLINIC, "illness", "town")
    worst = found.worst(2)
    assert [(group.value, group.rows, group.distinct, group.sensitive) for group in worst] == [
        ("C", 3, 1, None),
        ("A", 3, 2, None),
    ]
    assert found.worst(1, show_values=True)[0].sensitive == ("gout",)
    assert (found.homogeneity.groups, found.homogeneity.rows, found.homogeneity.largest) == (1, 3, 3)
    assert (found.values["n"], found.values["k"]) == (2, 1)  # anonymous by records, known all the same
    assert found.worst(0) == []
    assert len(found.worst(99)) == 3


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=2, max_size=60), st.integers(0, 12))
def test_worst_is_the_head_of_the_sorted_groups(pairs: list[tuple[int, int]], n: int) -> None:
    table = {"s": [s for s, _ in pairs] + [5, 6], "x": [x for _, x in pairs] + [0, 0]}
    found = dc.audit(table, "s", "x", orders=())
    everyone = [(g.distinct, -g.rows, g.value) for g in found.worst(1000)]
    assert everyone == sorted(everyone)
    assert [(g.distinct, -g.rows, g.value) for g in found.worst(n)] == everyone[:n]


def test_columns_alone_and_left_out() -> None:
    found = dc.audit(CLINIC, "illness", ["town", "age", "job"])
    for part in found.columns:
        alone = dc.Joint.from_table(CLINIC, "illness", part.column)
        others = [name for name in ("town", "age", "job") if name != part.column]
        without = dc.Joint.from_table(CLINIC, "illness", others)
        assert part.without is not None
        for symbol in ("L0", "I", "I*", "k"):
            assert part.alone[symbol] == REGISTRY[symbol](alone)
            assert part.without[symbol] == REGISTRY[symbol](without)
        assert part.saved("I", found.values["I"]) == pytest.approx(found.values["I"] - part.without["I"])
    assert dc.audit(CLINIC, "illness", "town").columns[0].saved("I", 1.0) is None


def test_several_sensitive_columns_together_and_one_by_one() -> None:
    found = dc.audit(CLINIC, ["illness", "smoker"], ["town", "age"])
    assert found.joint.s[0] == ("cold", False)
    for name in ("illness", "smoker"):
        one = dc.audit(CLINIC, name, ["town", "age"])
        assert found.sensitive[name]["L0"] == one.values["L0"]
        assert found.sensitive[name]["levels"] == one.joint.n_s


def test_side_information() -> None:
    found = dc.audit(CLINIC, "illness", "town", side="age")
    assert found.values["L0|A"] == dc.measures.worst_case_leakage(found.joint, side=True)
    assert found.values["I*,A"] == dc.measures.maximin_information(found.joint, side=True)
    assert found.check(["L0|A<=5", "I*,A<=5"])[0].met
    with pytest.raises(MeasureError, match="needs side information"):
        dc.audit(CLINIC, "illness", "town").check(["L0|A<=1"])


def test_rows_dtypes_and_partitions_do_not_change_an_audit() -> None:
    frame = pd.DataFrame(CLINIC)
    want = dc.audit(frame, "illness", ["town", "age"]).to_dict()
    shuffled = frame.sample(frac=1, random_state=3)
    shuffled.index = [0] * len(frame)
    variants = [
        shuffled,
        frame.astype({"age": float, "town": "category"}),
        frame.astype(object),
        frame.convert_dtypes(dtype_backend="pyarrow"),
        frame.astype({"age": str}),
    ]
    for variant in variants:
        found = dc.audit(variant, "illness", ["town", "age"]).to_dict()
        assert found == want  # to the last bit


def test_no_sensitive_value_is_shown_unless_asked_for() -> None:
    table = {**CLINIC, "illness": [f"secret-{value}" for value in CLINIC["illness"]]}
    found = dc.audit(table, "illness", ["town", "age"])
    for text in (
        json.dumps(found.to_dict()),
        found.to_html(),
        found._repr_html_(),
        repr(found),
        str(found.check(["k>=9"])),
    ):
        assert "secret" not in text
    assert "secret-gout" in json.dumps(found.to_dict(show_values=True))
    assert "secret-gout" in found.to_html(show_values=True)


def test_the_page_escapes_what_comes_from_data() -> None:
    table = {"s": [1, 2], "<b>x</b>": ["<script>alert(1)</script>", "y"]}
    page = dc.audit(table, "s", "<b>x</b>").to_html()
    assert "<script>" not in page
    assert "<b>x</b>" not in page


def test_the_page_needs_nothing_else() -> None:
    page = dc.audit(CLINIC, ["illness", "smoker"], ["town", "age"]).to_html(
        findings=dc.audit(CLINIC, "illness", "town").check(["k>=2"])
    )
    for mark in ("http://", "https://", "<link", "src="):
        outside = page.replace("http://www.w3.org/", "")
        assert mark not in outside, mark
    assert page.count("<svg") == 3
    assert page == dc.audit(CLINIC, ["illness", "smoker"], ["town", "age"]).to_html(
        findings=dc.audit(CLINIC, "illness", "town").check(["k>=2"])
    )


def test_plots_of_large_and_skewed_groups() -> None:
    rng = np.random.default_rng(0)
    table = {"s": rng.integers(0, 90, 3000), "x": (rng.pareto(1, 3000) * 20).astype(int) % 500}
    page = dc.audit(pd.DataFrame(table), "s", "x").to_html()
    assert page.count("<svg") == 2  # too many letters for the bipartite drawing


def test_json_has_inf_as_a_string() -> None:
    document = dc.audit(CLINIC, "illness", "town").to_dict()
    assert document["values"]["eps"] == "inf"
    json.dumps(document, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("L0<=1.6", True),
        ("L0 <= 1.5849625007211562", True),
        ("L0<1.5849625007211562", False),
        ("L0>=2", False),
        ("k>=1", True),
        ("k>=2", False),
        ("k>1", False),
        ("n>=3", False),
        ("I*=0", False),
        ("I*==1", True),
        ("eps<=5", False),
        ("eps<=inf", True),
        ("L*<=0.5", False),
        ("B0>=1", False),
        ("D_3<=9", True),
        ("I<=0.1", False),
    ],
)
def test_requirements(text: str, met: bool) -> None:
    found = dc.audit(CLINIC, "illness", "town")
    (finding,) = found.check([text])
    assert finding.met is met, finding.value


def test_failing_groups_are_those_that_break_the_bound() -> None:
    found = dc.audit(CLINIC, "illness", "town")
    by_symbol = {
        str(f.requirement): [g.value for g in f.groups]
        for f in found.check(["k>=2", "n>=3", "L0<=0.5", "L*<=0.5", "B0>=1"])
    }
    assert by_symbol == {
        "k >= 2": ["C"],
        "n >= 3": ["B"],
        "L0 <= 0.5": ["C", "A", "B"],
        "L* <= 0.5": ["C", "A", "B"],
        "B0 >= 1": ["C"],
    }
    assert found.check(["k>=99"], most=1)[0].failing == 3
    assert len(found.check(["k>=99"], most=1)[0].groups) == 1


def test_one_open_column_among_several_fails_a_requirement() -> None:
    table = {"illness": ["flu", "flu", "cold", "cold"], "age": [1, 2, 3, 4], "town": ["A", "A", "B", "B"]}
    found = dc.audit(table, ["illness", "age"], "town")
    assert found.values["k"] == 2
    (finding,) = found.check(["k>=2"])
    assert not finding.met
    assert finding.column == "illness"
    assert found.check(["k>=1"])[0].met


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("L0", "does not read as"),
        ("L0<=", "does not read as"),
        ("<=2", "does not read as"),
        ("L0<=two", "'two' is not a number"),
        ("L0<=nan", "'nan' is not a number"),
        ("L9<=2", "no measure 'L9'"),
        ("L0<=2 and k>=3", "does not read as"),
    ],
)
def test_requirements_that_do_not_parse(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Requirement.parse(text)


def test_a_single_sensitive_value_is_refused_and_nothing_is_shown() -> None:
    with pytest.raises(TableError, match="single value") as caught:
        dc.audit({"s": ["secret"] * 3, "x": [1, 2, 3]}, "s", "x")
    assert "secret" not in str(caught.value)


def test_an_audit_needs_records() -> None:
    from discreet.auditing import audit_joint

    with pytest.raises(InputError, match="counts records"):
        audit_joint(dc.Joint.from_array([[0.5, 0.2], [0.2, 0.1]]))


def test_meanings_are_given_for_every_measure() -> None:
    from discreet.auditing._words import explain

    found = dc.audit(CLINIC, "illness", "town", side="age", orders=[2, 0.5])
    for symbol, value in found.values.items():
        assert len(explain(symbol, value, found.joint)) > 20, symbol
        assert not math.isnan(value)


def test_grades_in_letters_say_in_which_order_they_stand() -> None:
    from discreet.auditing._words import explain

    for grades, said in ((["low", "mid", "high"], "alphabet"), ([1, 2, 3], "of their range.")):
        found = dc.audit({"pain": grades * 2, "ward": [1, 1, 1, 2, 2, 2]}, "pain", "ward")
        assert said in explain("t_ord", found.values["t_ord"], found.joint)


@pytest.mark.parametrize(
    ("text", "met"), [("eps<inf", False), ("L0<inf", True), ("L0>=inf", False), ("L0>=-inf", True)]
)
def test_requirements_with_infinite_bounds(text: str, met: bool) -> None:
    assert dc.audit(CLINIC, "illness", "town").check([text])[0].met is met


def test_many_sensitive_values_do_not_stop_an_audit() -> None:
    rng = np.random.default_rng(0)
    table = {"s": rng.integers(0, 2500, 8000), "x": rng.integers(0, 2000, 8000)}
    assert "L0" in dc.audit(table, "s", "x").values


def test_a_column_of_few_values_can_meet_a_bound_on_k() -> None:
    table = {"sex": ["f", "m"] * 6, "age": list(range(12)), "town": ["A"] * 6 + ["B"] * 6}
    found = dc.audit(table, ["age", "sex"], "town")
    assert found.check(["k>=5"])[0].met
    assert found.check(["H>=3"])[0].met


def test_dollar_signs_and_long_names_can_be_drawn() -> None:
    table = {"s": [1, 2, 3], "$x_$": ["$_$", "$a^{$", "漢字" * 40], "y" * 300: [1, 2, 3]}
    page = dc.audit(table, "s", ["$x_$", "y" * 300]).to_html()
    assert "<svg" in page


@pytest.mark.parametrize("order", [0.0, 0.5, 1.0, 2.0, 2.5, 1e9, 1e308, float("inf")])
def test_every_order_can_be_asked_for(order: float) -> None:
    """A measure that is not defined at an order is left out, and none fails."""
    table = {"s": ["a", "b", "c", "a", "b"], "x": [1, 1, 2, 2, 2]}
    values = dc.audit(table, sensitive="s", public="x", orders=[order]).values
    assert f"I_{order:g}" in values
    assert (f"c_{order:g}" in values) == (order >= 2 and order != 2.5)
