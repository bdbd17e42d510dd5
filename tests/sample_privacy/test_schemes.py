"""The curves of [SP, Figs 4, 5] against REFERENCE-SP, and their pictures."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.sample_privacy._limits import all_information

sp = dc.sample_privacy
Q = [0.1, 0.2, 0.3, 0.4, 0.5]


def test_figure_4() -> None:
    found = sp.compare_schemes(Q)
    assert found.curves["optimal"] == pytest.approx([0.3432, 1.0655, 1.7911, 2.2278, 3], abs=5e-5)
    assert found.curves["windows of 2"] == pytest.approx([0.1841, 0.6081, 1.1956, 1.9211, 3], abs=5e-5)
    assert found.curves["masks"] == pytest.approx([0.0652, 0.2872, 0.7212, 1.4682, 3], abs=5e-5)
    assert len(found.plot().axes[0].lines) == 3


def test_figure_5() -> None:
    found = sp.efficiencies(Q)
    assert found.curves["optimal"].tolist() == [1.0] * 5
    assert (found.curves["windows of 4"][:-1] > found.curves["windows of 2"][:-1]).all()
    assert [curve[-1] for curve in found.curves.values()] == pytest.approx([1] * 4)
    entropy = -0.3 * np.log2(0.3) - 0.7 * np.log2(0.7)
    assert found.curves["windows of 2"][2] == pytest.approx(0.398529 / entropy, abs=1e-6)
    assert found.plot().axes[0].get_xlabel() == "P(X = 1)"


def test_a_sequence_is_drawn_with_its_limit() -> None:
    joint = np.array([[1 / 3], [2 / 3]]) * np.array([[0.9, 0.1], [0.1, 0.9]])
    lines = all_information(joint, [1, 2, 4, 8]).plot().axes[0].lines
    assert [line.get_label() for line in lines] == ["attained", "limit"]


@pytest.mark.parametrize("q", [[], [0.0], [1.0], [0.3, float("nan")]])
def test_probabilities_that_are_none(q: list[float]) -> None:
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        sp.compare_schemes(q)
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        sp.efficiencies(q)
