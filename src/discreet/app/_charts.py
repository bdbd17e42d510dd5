"""Charts as plain data: every function returns the options of one ECharts chart, for a light or a dark page.

Series differ in shape as well as in colour, so that nobody needs to tell colours apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.report._plots import ACCENT, INK, PALE, PALETTE, WARN

Options = dict[str, Any]


@dataclass(frozen=True)
class Theme:
    """The colours of a page; those of the reports on a light one."""

    dark: bool = False

    @property
    def ink(self) -> str:
        return "#dfe7ec" if self.dark else INK

    @property
    def soft(self) -> str:
        return "#9fb0bd" if self.dark else "#5b6b78"

    @property
    def accent(self) -> str:
        return "#6cb4dc" if self.dark else ACCENT

    @property
    def warn(self) -> str:
        return "#ef8f79" if self.dark else WARN

    @property
    def pale(self) -> str:
        return "#34414d" if self.dark else PALE

    @property
    def shade(self) -> str:
        """The darkest shade on which ink is still read."""
        return "#2f5d78" if self.dark else "#9cc3da"

    @property
    def paper(self) -> str:
        return "#1c252d" if self.dark else "#ffffff"

    @property
    def palette(self) -> tuple[str, ...]:
        return (self.accent, self.warn, *PALETTE[2:])


@dataclass(frozen=True)
class LevelPoint:
    """A point of a table's frontier: what every group has, at which loss, with what no release can beat."""

    level: int
    loss: float
    bound: float
    groups: int


def _axis(theme: Theme, name: str, **more: Any) -> Options:
    return {
        "name": name,
        "nameLocation": "middle",
        "nameGap": 34,
        "nameTextStyle": {"color": theme.soft, "fontSize": 12},
        "axisLabel": {"color": theme.ink, "hideOverlap": True},
        "axisLine": {"lineStyle": {"color": theme.soft}},
        "splitLine": {"lineStyle": {"color": theme.pale}},
        **more,
    }


def _base(theme: Theme, **more: Any) -> Options:
    return {
        "animation": False,
        "textStyle": {"fontFamily": "system-ui, sans-serif", "color": theme.ink},
        "grid": {"left": 64, "right": 24, "top": 40, "bottom": 52},
        "tooltip": {
            "confine": True,
            "backgroundColor": theme.paper,
            "borderColor": theme.soft,
            "textStyle": {"color": theme.ink},
        },
        "legend": {"top": 4, "textStyle": {"color": theme.ink}},
        **more,
    }


def table_frontier(
    theme: Theme, symbol: str, points: Sequence[LevelPoint], *, words: str, chosen: int | None
) -> Options:
    """Loss against what every group must have, the proven bound below it, and where the table is now: no loss, and 1.

    Levels lie on a logarithmic axis. The released points are circles, the chosen one is a large diamond.
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
    return _base(
        theme,
        tooltip={**_base(theme)["tooltip"], "trigger": "item", "formatter": "{b}"},
        xAxis=_axis(theme, words, type="log", logBase=2, min=1),
        yAxis=_axis(theme, "lost detail, % of each column", type="value", min=0, nameGap=42),
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
        ],
    )


def spark(theme: Theme, bars: Sequence[tuple[str, int]], *, named: bool) -> Options:
    """The small histogram of a column; without names where its values are not to be shown."""
    data = [{"value": count, "name": name if named else "hidden"} for name, count in bars]
    return {
        "animation": False,
        "grid": {"left": 2, "right": 2, "top": 4, "bottom": 2},
        "tooltip": {**_base(theme)["tooltip"], "formatter": "{b}: {c}"},
        "xAxis": {"type": "category", "show": False, "data": [each["name"] for each in data]},
        "yAxis": {"type": "value", "show": False},
        "series": [{"type": "bar", "data": data, "itemStyle": {"color": theme.accent}, "barCategoryGap": "12%"}],
    }


def paired_bars(
    theme: Theme, names: Sequence[str], before: Sequence[float], after: Sequence[float], *, axis: str, unit: str = ""
) -> Options:
    """Two bars per name: before is pale with an outline, after is solid."""
    return _base(
        theme,
        tooltip={**_base(theme)["tooltip"], "trigger": "axis"},
        xAxis=_axis(theme, "", type="category", data=list(names), axisLabel=_turned(theme, names)),
        yAxis=_axis(
            theme, axis, type="value", nameGap=44, axisLabel={"color": theme.ink, "formatter": "{value}" + unit}
        ),
        grid={"left": 64, "right": 16, "top": 36, "bottom": 64 if _long(names) else 36},
        series=[
            {
                "name": "before",
                "type": "bar",
                "data": [round(each, 3) for each in before],
                "itemStyle": {"color": theme.pale, "borderColor": theme.soft, "borderWidth": 1},
            },
            {
                "name": "after",
                "type": "bar",
                "data": [round(each, 3) for each in after],
                "itemStyle": {"color": theme.accent},
            },
        ],
    )


def _long(names: Sequence[str]) -> bool:
    return sum(map(len, names)) > 60


def _turned(theme: Theme, names: Sequence[str]) -> Options:
    return {
        "color": theme.ink,
        "rotate": 35 if _long(names) else 0,
        "interval": 0,
        "width": 90,
        "overflow": "truncate",
        "fontSize": 11,
    }


def group_sizes(theme: Theme, names: Sequence[str], people: Sequence[int], *, small: int) -> Options:
    """People by the size of their group; the first `small` bars are groups that are too small, and striped."""
    stripes = {"symbol": "rect", "dashArrayX": [1, 0], "dashArrayY": [3, 3], "rotation": 0.8, "color": theme.paper}
    data = [
        {"value": count, "itemStyle": {"color": theme.warn, "decal": stripes}} if i < small else {"value": count}
        for i, count in enumerate(people)
    ]
    return _base(
        theme,
        legend={"show": False},
        tooltip={**_base(theme)["tooltip"], "formatter": "{c} people are in groups of {b}"},
        grid={"left": 64, "right": 16, "top": 16, "bottom": 48},
        xAxis=_axis(theme, "people who look alike (size of the group)", type="category", data=list(names)),
        yAxis=_axis(theme, "people", type="value", nameGap=48),
        series=[{"name": "people", "type": "bar", "data": data, "itemStyle": {"color": theme.accent}}],
    )


def column_leakage(theme: Theme, names: Sequence[str], worst: Sequence[float], average: Sequence[float]) -> Options:
    """What each column gives away alone, in the worst case and on average; the last name is all together."""
    return _base(
        theme,
        tooltip={**_base(theme)["tooltip"], "trigger": "axis"},
        grid={"left": 110, "right": 24, "top": 36, "bottom": 44},
        yAxis=_axis(
            theme,
            "",
            type="category",
            data=list(names),
            axisLabel={"color": theme.ink, "width": 95, "overflow": "truncate"},
        ),
        xAxis=_axis(theme, "bits given away", type="value", nameGap=28),
        series=[
            {
                "name": "worst case",
                "type": "bar",
                "data": [round(each, 3) for each in worst],
                "itemStyle": {"color": theme.accent},
            },
            {
                "name": "average",
                "type": "bar",
                "data": [round(each, 3) for each in average],
                "itemStyle": {"color": theme.pale, "borderColor": theme.soft, "borderWidth": 1},
            },
        ],
    )


def losses(theme: Theme, by_column: Mapping[str, float]) -> Options:
    """The loss of each column."""
    names = list(by_column)[::-1]
    return _base(
        theme,
        legend={"show": False},
        grid={"left": 110, "right": 24, "top": 8, "bottom": 44},
        yAxis=_axis(
            theme, "", type="category", data=names, axisLabel={"color": theme.ink, "width": 95, "overflow": "truncate"}
        ),
        xAxis=_axis(theme, "lost detail, %", type="value", min=0, nameGap=28),
        series=[
            {
                "type": "bar",
                "data": [round(100 * by_column[name], 2) for name in names],
                "itemStyle": {"color": theme.accent},
            }
        ],
    )


def associations(theme: Theme, names: Sequence[str], values: Sequence[Sequence[float]]) -> Options:
    """How columns go together, 0 to 1, as shades with their figures."""
    data = [[j, i, round(float(values[i][j]), 2)] for i in range(len(names)) for j in range(len(names))]
    labels = {"color": theme.ink, "width": 80, "overflow": "truncate", "rotate": 0}
    return _base(
        theme,
        legend={"show": False},
        grid={"left": 90, "right": 12, "top": 8, "bottom": 60},
        xAxis={"type": "category", "data": list(names), "axisLabel": {**labels, "rotate": 35}},
        yAxis={"type": "category", "data": list(names), "axisLabel": labels, "inverse": True},
        visualMap={"min": 0, "max": 1, "show": False, "inRange": {"color": [theme.paper, theme.shade]}},
        series=[{"type": "heatmap", "data": data, "label": {"show": True, "color": theme.ink, "fontSize": 11}}],
    )


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
    return _base(
        theme,
        legend={"show": False},
        tooltip={**_base(theme)["tooltip"], "formatter": "{b}"},
        grid={"left": 16, "right": 24, "top": 8, "bottom": 48},
        xAxis=_axis(
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
