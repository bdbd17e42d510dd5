"""What pages are made of: charts as data, columns at first sight, names of files, sentences."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.app import _charts as charts
from discreet.app import _frontier_charts as frontier_charts
from discreet.app._frontier_charts import Curve, LevelPoint, Span
from discreet.app._preview import BARS, preview_of
from discreet.app._sessions import safe_name
from discreet.app._theme import Theme
from discreet.app._words import spans_of, why_joined
from discreet.recipe import Profile, Recipe, profile
from discreet.search.tables import Workbench
from discreet.search.tables._workbench import Member

PATIENTS = Path(__file__).parents[2] / "docs" / "patients.csv"


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [Theme(), Theme(dark=True)])
def test_text_in_charts_can_be_read_and_marks_can_be_seen(theme: Theme) -> None:
    assert _contrast(theme.ink, theme.paper) >= 4.5
    assert _contrast(theme.soft, theme.paper) >= 4.5
    assert _contrast(theme.ink, theme.shade) >= 4.5
    assert _contrast(theme.accent, theme.paper) >= 3
    assert _contrast(theme.warn, theme.paper) >= 3


# What somebody sees who lacks one kind of cone, on linear RGB (Viénot, Brettel and Mollon 1999; tritan: Machado et al. 2009).
BLIND = {
    "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def _seen(colour: str, eye: list[list[float]]) -> np.ndarray:
    """CIE L*a*b* of a colour as such an eye sees it."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.clip(np.array(eye) @ np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4), 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(to_xyz @ linear / (0.9505, 1.0, 1.089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", [Theme(), Theme(dark=True)])
@pytest.mark.parametrize("eye", list(BLIND))
def test_releases_the_choice_and_neighbouring_cells_differ_for_every_eye(theme: Theme, eye: str) -> None:
    """What differs by colour beside its shape: released and chosen, cells beside each other, the baseline, the table itself."""
    for one, other in (
        (theme.accent, theme.warn),
        (theme.accent, theme.palette[2]),
        (theme.accent, theme.ink),
        (theme.palette[0], theme.palette[1]),
    ):
        assert np.linalg.norm(_seen(one, BLIND[eye]) - _seen(other, BLIND[eye])) >= 12, (eye, one, other)


@pytest.mark.parametrize("theme", [Theme(), Theme(dark=True)])
def test_every_chart_is_plain_data(theme: Theme) -> None:
    points = [LevelPoint(10, 0.2, 0.1, 4), LevelPoint(2, 0.1, 0.05, 20)]
    drawn = [
        frontier_charts.table_frontier(theme, "n", points, words="n", chosen=2),
        charts.spark(theme, [("a", 1), ("b", 2)], named=False),
        charts.paired_bars(theme, ["a", "b"], [1.0, 2.0], [2.0, 1.0], axis="people"),
        charts.group_sizes(theme, ["1", "2–4", "5+"], [1, 2, 3], small=2),
        charts.column_leakage(theme, ["a"], [1.0], [0.5]),
        charts.losses(theme, {"a": 0.1}),
        charts.associations(theme, ["a", "b"], [[1, 0.2], [0.2, 1]]),
        frontier_charts.cells(theme, [Span("1–2", 1, 2, 5)], names=None, axis="a"),
        frontier_charts.cells(theme, [], names=["x"], axis="a"),
        frontier_charts.frontier(
            theme, Curve("a", [1, 2], [2, 1], [1, 1]), [Curve("b", [1], [3])], axes=("u", "l"), chosen=(1, 2)
        ),
        charts.shares(theme, ["1", "2"], [-1.0, float("-inf")]),
    ]
    for each in drawn:
        json.dumps(each, allow_nan=False)
        assert each["animation"] is False


def test_the_frontier_is_in_order_and_marks_what_is_chosen() -> None:
    chart = frontier_charts.table_frontier(
        Theme(),
        "n",
        [LevelPoint(10, 0.2, 0.1, 4), LevelPoint(2, 0.1, 0.05, 20)],
        words="n",
        chosen=10,
        usual=[(2, 0.3)],
    )
    released, bound, now, usual = chart["series"]
    assert [each["value"] for each in usual["data"]] == [[2, 30.0]]
    assert [each["value"] for each in released["data"]] == [[2, 10.0], [10, 20.0]]
    assert [each["symbol"] for each in released["data"]] == ["circle", "diamond"]
    assert bound["data"] == [[2, 5.0], [10, 10.0]]
    assert now["data"][0]["value"] == [1, 0]


def test_values_of_a_hidden_column_are_in_no_chart() -> None:
    assert "secret" not in json.dumps(charts.spark(Theme(), [("secret", 3)], named=False))


def test_a_preview_counts_every_record_once() -> None:
    counted = profile(PATIENTS)
    preview = preview_of(Recipe.guess(PATIENTS, counted=counted), counted)
    assert preview.rows == 400
    for each in preview.columns:
        assert sum(count for _, count in each.bars) + each.missing == 400
        assert len(each.bars) <= BARS


def test_bars_of_numbers_dates_and_odd_ones() -> None:
    days = [dt.date(2025, 1, 1) + dt.timedelta(days=i) for i in range(100)]
    ones = np.ones(100, dtype=np.int64)
    columns: dict[str, Any] = {
        "day": (days, ones),
        "amount": ([Decimal(i) / 3 for i in range(100)], ones),
        "odd": ([float("-inf"), *map(float, range(98)), float("inf")], ones),
        "word": ([f"w{i}" for i in range(99)] + [None], ones),
    }
    preview = preview_of(Recipe(), Profile(100, columns))
    assert [each.kind for each in preview.columns] == ["dates", "numbers", "numbers", "words"]
    assert preview.column("word").missing == 1
    assert sum(count for _, count in preview.column("day").bars) == 100


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "C:\\temp\\x.csv", "", "..", ".", "a/b\x00c.csv", "x" * 500, "<b>.csv"]
)
def test_a_file_name_cannot_leave_its_folder(name: str, tmp_path: Path) -> None:
    safe = safe_name(name)
    assert (tmp_path / safe).resolve().parent == tmp_path.resolve()
    assert 0 < len(safe) <= 100 and not set(safe) & set("<>\"'/\\\x00")


def test_why_values_became_one() -> None:
    work = Workbench.of(Recipe.guess(PATIENTS))
    policy = work.release("n", 5, seconds=0.2, seed=0).policy
    assert "fewer than 5 records; together they are 6 records" in why_joined(
        policy, [Member((1,), 2, 1), Member((2,), 4, 4)]
    )
    assert "fewer than 3 different sensitive values" in why_joined(policy, [Member((1,), 6, 2), Member((2,), 6, 4)])
    assert "nothing was joined" in why_joined(policy, [Member((1,), 9, 4)])
    assert "could stand alone" in why_joined(policy, [Member((1,), 9, 4), Member((2,), 9, 4)])


def test_cells_lie_along_their_column() -> None:
    work = Workbench.of(Recipe.guess(PATIENTS))
    done = work.release("n", 5, seconds=0.2, seed=0)
    for column in done.policy.public:
        spans, names = spans_of(done, column)
        assert sum(each.records for each in spans) == 400
        assert all(each.low <= each.high for each in spans)
        assert (names is None) == (column in ("age", "admission"))
