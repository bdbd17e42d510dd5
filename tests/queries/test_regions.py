"""Regions in the plane, and the figures that show them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.queries import Box, Function, IntegerBox, Max, Mean, QuantisedQuery, quantise, regions, trade_off


def ellipses() -> QuantisedQuery:
    query = Function(lambda x: x[..., 0] ** 2 + 2 * x[..., 1] ** 2, 0, 12, lipschitz=12)
    return quantise(query, Box([-2, -2], [2, 2]), error=0.5)


def test_regions_of_the_mean() -> None:
    # [DQ, (20)]: X_i is -4 + 2(i - 1) ≤ x1 + x2 < -2 + 2(i - 1).
    found = regions(quantise(Mean(), Box([-2, -2], [2, 2]), error=0.5), points=81)
    total = np.add.outer(found.y, found.x)
    assert found.cell.tolist() == np.clip(np.floor((total + 4) / 2 + 1e-9), 0, 3).astype(int).tolist()
    assert found.answers[found.cell] == pytest.approx(found.value, abs=0.5 + 1e-9)


def test_regions_of_the_quadratic() -> None:
    # [DQ, (21)]: X_i is i - 1 ≤ x1² + 2 x2² < i.
    found = regions(ellipses(), points=101)
    assert sorted(set(found.cell.ravel())) == list(range(12))
    assert found.cell[50, 50] == 0 and found.cell[0, 0] == found.cell[-1, -1] == 11
    for cell in range(12):
        x, y = found.middle(cell)
        assert cell <= x**2 + 2 * y**2 <= cell + 1


def test_regions_need_a_plane() -> None:
    plane = Box([0, 0], [[1, 2]])
    assert regions(quantise(Max(column=1), plane, error=0.2), points=5).cell.shape == (5, 5)
    for other in (Box(0, 1, people=3), IntegerBox(0, 5, people=2)):
        with pytest.raises(InputError, match="two entries"):
            regions(quantise(Mean(), other, error=0.3))
    with pytest.raises(InputError, match="at least 2"):
        regions(quantise(Mean(), Box([0, 0], 1), error=0.3), points=1)
    with pytest.raises(InputError, match="use a finer one"):
        regions(quantise(Mean(), Box([0, 0], 1), error=0.01), points=3).middle(3)


def test_figures() -> None:
    pytest.importorskip("matplotlib")
    from discreet.report._plots import to_svg

    assert "<svg" in to_svg(ellipses().plot(points=60), "regions")
    assert "<svg" in to_svg(quantise(Mean(), Box([0, 0], [1, 1]), error=1).plot(points=20), "one region")
    curve = trade_off(Mean(), Box([-2, -2], [2, 2]), gammas=np.linspace(0.6, 5, 12))
    assert "<svg" in to_svg(curve.plot(), "trade-off")
    estimated = trade_off(Function(lambda x: x.prod(axis=-1), 0, 1), Box(0, 1, people=2), gammas=[1, 2])
    assert "<svg" in to_svg(estimated.plot(), "estimated")


def test_figures_of_odd_shapes() -> None:
    pytest.importorskip("matplotlib")
    plain = quantise(Mean(), Box([-2, -2], [2, 2]), error=0.5).plot(points=30).axes[0]
    assert plain.get_aspect() == 1 and len(plain.texts) == 4
    # Lines at negative values are lines, not dashes, which are matplotlib's default for one colour.
    styles = {
        style for drawn in plain.collections for style in drawn.get_linestyle() if drawn.get_linewidth()[0] == 0.8
    }
    assert styles == {(0, None)}
    stretched = quantise(Mean(), Box([0, 100], [1, 250]), error=10).plot(points=30)
    assert stretched.axes[0].get_aspect() == "auto"
    many = quantise(Mean(), Box([0, 0], [1, 1]), error=1e-3).plot(points=30)
    assert len(many.axes) == 2 and "500" in many.axes[1].get_ylabel()


def test_curves_are_stairs_in_the_order_of_their_accuracy() -> None:
    pytest.importorskip("matplotlib")
    curve = trade_off(Mean(), Box([-2, -2], [2, 2]), gammas=[2, 0.6, 0.7, 1.2])
    axes = curve.plot().axes[0]
    leakage = axes.get_lines()[0]
    assert leakage.get_drawstyle() == "steps-mid" and leakage.get_xdata().tolist() == [0.6, 0.7, 1.2, 2]
    assert leakage.get_ydata() == pytest.approx([1, 1, np.log2(4.5), 3])


def test_labels_are_placed_well_inside() -> None:
    found = regions(quantise(Mean(), Box([-2, -2], [2, 2]), error=0.5), points=81)
    for cell, diagonal in enumerate((-1.5, -0.5, 0.5, 1.5)):
        x, y = found.middle(cell)
        assert abs((x + y) / 2 - diagonal) < 0.3 and abs(x - y) < 0.5


def test_nothing_heavy_is_imported() -> None:
    script = "import discreet.queries, sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"numba", "matplotlib", "scipy", "highspy"} & {name.split(".")[0] for name in done.stdout.split()}
