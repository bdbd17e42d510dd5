"""Frontiers and policies as charts: what protection costs, and where cells lie. Series differ in shape as well as in colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.app._theme import Options, Theme, base, scale

CROSS = "path://M0,2 L2,0 L5,3 L8,0 L10,2 L7,5 L10,8 L8,10 L5,7 L2,10 L0,8 L3,5 Z"


@dataclass(frozen=True)
class LevelPoint:
    """A point of a table's frontier: what every group has, at which loss, with what no release can beat."""

    level: int
    loss: float
    bound: float
    groups: int


def table_frontier(
    theme: Theme,
    symbol: str,
    points: Sequence[LevelPoint],
    *,
    words: str,
    chosen: int | None,
    usual: Sequence[tuple[int, float]] = (),
) -> Options:
    """Loss against what every group must have, the proven bound below it, and where the table is now: no loss, and 1.

    Levels lie on a logarithmic axis. The released points are circles, the chosen one is a large diamond; what the `usual`
    method loses at a level are squares.
    """
    ordered = sorted(points, key=lambda each: each.level)
    loss = [
        {
            "value": [each.level, round(100 * each.loss, 4)],
            "name": f"{symbol} ≥ {each.level}: {each.loss:.1%} lost, at least {each.bound:.1%} must be; {each.groups:,} groups",
            "symbol": "diamond" if each.level == chosen else "circle",
            "symbolSize": 20 if each.level == chosen else 12,
            "itemStyle": {"color": theme.warn if each.level == chosen else theme.accent},
        }
        for each in ordered
    ]
    bound = [[each.level, round(100 * each.bound, 4)] for each in ordered]
    return base(
        theme,
        tooltip={**base(theme)["tooltip"], "trigger": "item", "formatter": "{b}"},
        xAxis=scale(theme, words, type="log", logBase=2, min=1),
        yAxis=scale(theme, "lost detail, % of each column", type="value", min=0, nameGap=42),
        series=[
            {
                "name": "releases found",
                "type": "line",
                "data": loss,
                "lineStyle": {"color": theme.accent, "width": 2},
                "itemStyle": {"color": theme.accent},
                "z": 3,
            },
            {
                "name": "proven: no release lies below",
                "type": "line",
                "data": bound,
                "symbol": "none",
                "lineStyle": {"color": theme.soft, "type": "dashed"},
                "itemStyle": {"color": theme.soft},
                "areaStyle": {"color": theme.pale, "opacity": 0.7},
                "silent": True,
            },
            {
                "name": "the table as it is",
                "type": "scatter",
                "data": [{"value": [1, 0], "name": "the table as it is: nothing lost, nobody protected"}],
                "symbol": "triangle",
                "symbolSize": 14,
                "itemStyle": {"color": theme.ink},
            },
            *([_usual(theme, symbol, usual)] if usual else []),
        ],
    )


def _usual(theme: Theme, symbol: str, points: Sequence[tuple[int, float]]) -> Options:
    """What the usual method loses."""
    return {
        "name": "the usual method (Mondrian)",
        "type": "scatter",
        "data": [
            {"value": [level, round(100 * loss, 4)], "name": f"Mondrian, {symbol} ≥ {level}: {loss:.1%} lost"}
            for level, loss in points
        ],
        "symbol": "rect",
        "symbolSize": 9,
        "itemStyle": {"color": theme.palette[2]},
    }


@dataclass(frozen=True)
class Curve:
    """A frontier of one column: utility and leakage of each policy; the bound of each, where one is proven."""

    name: str
    utility: Sequence[float]
    leakage: Sequence[float]
    bound: Sequence[float] | None = None


def frontier(
    theme: Theme,
    curve: Curve,
    baselines: Sequence[Curve],
    *,
    axes: tuple[str, str],
    chosen: tuple[float, float] | None,
    soft: Curve | None = None,
) -> Options:
    """Leakage against utility: policies, what no policy can beat, baselines and soft policies with shapes of their own."""
    shapes = ("rect", "triangle", "pin")
    series: list[Options] = [
        {
            "name": curve.name,
            "type": "line",
            "data": _pairs(curve.utility, curve.leakage),
            "symbolSize": 8,
            "itemStyle": {"color": theme.accent},
            "lineStyle": {"color": theme.accent, "width": 2},
            "z": 3,
        }
    ]
    if curve.bound is not None:
        series.append(
            {
                "name": "proven: no policy lies below",
                "type": "line",
                "data": _pairs(curve.utility, curve.bound),
                "symbol": "none",
                "silent": True,
                "itemStyle": {"color": theme.soft},
                "lineStyle": {"color": theme.soft, "type": "dashed"},
            }
        )
    for i, each in enumerate(baselines):
        series.append(
            {
                "name": each.name,
                "type": "scatter",
                "data": _pairs(each.utility, each.leakage),
                "symbol": shapes[i % len(shapes)],
                "symbolSize": 6,
                "silent": True,
                "itemStyle": {"color": theme.palette[2 + i % 3]},
            }
        )
    if soft is not None:
        series.append(
            {
                "name": soft.name,
                "type": "scatter",
                "data": _pairs(soft.utility, soft.leakage),
                "symbol": CROSS,
                "symbolSize": 9,
                "itemStyle": {"color": theme.palette[3]},
                "z": 3,
            }
        )
    series.append(
        {
            "name": "your choice",
            "type": "scatter",
            "data": _pairs([chosen[0]], [chosen[1]]) if chosen else [],
            "symbol": "diamond",
            "symbolSize": 20,
            "silent": True,
            "itemStyle": {"color": theme.warn},
            "z": 4,
        }
    )
    return base(
        theme,
        tooltip={**base(theme)["tooltip"], "trigger": "item", "formatter": "{b}"},
        xAxis=scale(theme, axes[0], type="value", scale=True),
        yAxis=scale(theme, axes[1], type="value", min=0, nameGap=42),
        series=series,
    )


def _pairs(x: Sequence[float], y: Sequence[float]) -> list[Options]:
    return [
        {"value": [round(float(a), 6), round(float(b), 6)], "name": f"{b:.3f} bits at {a:.4g}"}
        for a, b in zip(x, y, strict=True)
    ]


@dataclass(frozen=True)
class Span:
    """A cell along the axis of its column: what it says, from where to where, and how many records say it."""

    text: str
    low: float
    high: float
    records: int


def cells(theme: Theme, spans: Sequence[Span], *, names: Sequence[str] | None, axis: str) -> Options:
    """The cells of a column as bars along its axis, lowest first; `names` are the values where they are words.

    A bar begins where its cell begins: the part before it is drawn, but not seen. Neighbours differ in colour.
    """
    least = min((each.low for each in spans), default=0.0)
    most = max((each.high for each in spans), default=1.0)
    thin = (most - least) / 150 or 0.5
    return base(
        theme,
        legend={"show": False},
        tooltip={**base(theme)["tooltip"], "formatter": "{b}"},
        grid={"left": 16, "right": 24, "top": 8, "bottom": 48},
        xAxis=scale(
            theme,
            axis,
            type="value",
            min=least,
            max=max(most, least + thin),
            axisLabel={"show": names is None, "color": theme.ink, "hideOverlap": True},
        ),
        yAxis={"type": "category", "show": False, "inverse": True, "data": [each.text for each in spans]},
        series=[
            {
                "type": "bar",
                "stack": "cell",
                "silent": True,
                "data": [each.low - least for each in spans],
                "itemStyle": {"color": "transparent"},
            },
            {
                "type": "bar",
                "stack": "cell",
                "data": [
                    {
                        "value": max(each.high - each.low, thin),
                        "name": f"{each.text}: {each.records:,} records",
                        "itemStyle": {"color": theme.palette[i % 2]},
                    }
                    for i, each in enumerate(spans)
                ],
            },
        ],
    )
