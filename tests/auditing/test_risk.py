"""Risk as stewards know it, recomputed record by record."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.auditing import Risk
from discreet.auditing._verdict import risk_rows
from discreet.errors import ColumnError


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60))
def test_risk_is_that_of_the_records(groups: list[int]) -> None:
    sizes = Counter(groups)
    risk = Risk.of(np.array(list(sizes.values())))
    chance = [1 / sizes[group] for group in groups]
    assert risk.records == len(groups)
    assert risk.uniques == sum(sizes[group] == 1 for group in groups)
    assert risk.below == {m: sum(sizes[group] < m for group in groups) for m in (2, 3, 5, 10)}
    assert risk.prosecutor == max(chance) == risk.journalist
    assert risk.marketer == pytest.approx(sum(chance) / len(groups))
    assert risk.above == sum(each > 0.2 for each in chance)


def test_sample_weights_are_people_of_the_population() -> None:
    table = {"town": ["A", "A", "B"], "ill": ["x", "y", "x"], "weight": [10, 30, 2.5]}
    risk = dc.audit(table, "ill", "town", weights="weight").risk
    assert risk.population == 42.5
    assert risk.prosecutor == 1.0
    assert risk.journalist == 1 / 2.5
    assert risk.marketer == pytest.approx((2 / 40 + 1 / 2.5) / 3)
    assert any("42 people" in words and share == "40.0%" for words, _, share in risk_rows(risk))


@pytest.mark.parametrize("weight", [0, -1, "much", None, float("inf")])
def test_what_is_no_weight_is_refused(weight: object) -> None:
    table = {"town": ["A", "A", "B"], "ill": ["x", "y", "x"], "weight": [1, 2, weight]}
    with pytest.raises(ColumnError, match="weight"):
        dc.audit(table, "ill", "town", weights="weight")
