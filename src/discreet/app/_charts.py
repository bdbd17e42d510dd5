"""Charts as plain data: every function returns the options of one ECharts chart, for a light or a dark page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discreet.app._theme import Options, Theme, base, scale


def spark(theme: Theme, bars: Sequence[tuple[str, int]], *, named: bool) -> Options:
    """The small histogram of a column; without names where its values are not to be shown."""
    data = [{"value": count, "name": name if named else "hidden"} for name, count in bars]
    return {
        "animation": False,
        "grid": {"left": 2, "right": 2, "top": 4, "bottom": 2},
        "tooltip": {**base(theme)["tooltip"], "formatter": "{b}: {c}"},
        "xAxis": {"type": "category", "show": False, "data": [each["name"] for each in data]},
        "yAxis": {"type": "value", "show": False},
        "series": [{"type": "bar", "data": data, "itemStyle": {"color": theme.accent}, "barCategoryGap": "12%"}],
    }


def paired_bars(
    theme: Theme, names: Sequence[str], before: Sequence[float], after: Sequence[float], *, axis: str, unit: str = ""
) -> Options:
    """Two bars per name: before is pale with an outline, after is solid."""
    return base(
        theme,
        tooltip={**base(theme)["tooltip"], "trigger": "axis"},
        xAxis=scale(theme, "", type="category", data=list(names), axisLabel=_turned(theme, names)),
        yAxis=scale(
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
    """Records by the size of their group; the first `small` bars are groups that are too small, and striped."""
    stripes = {"symbol": "rect", "dashArrayX": [1, 0], "dashArrayY": [3, 3], "rotation": 0.8, "color": theme.paper}
    data = [
        {"value": count, "itemStyle": {"color": theme.warn, "decal": stripes}} if i < small else {"value": count}
        for i, count in enumerate(people)
    ]
    return base(
        theme,
        legend={"show": False},
        tooltip={**base(theme)["tooltip"], "formatter": "{c} records are in groups of {b}"},
        grid={"left": 64, "right": 16, "top": 16, "bottom": 48},
        xAxis=scale(theme, "records that look alike (size of the group)", type="category", data=list(names)),
        yAxis=scale(theme, "records", type="value", nameGap=48),
        series=[{"name": "records", "type": "bar", "data": data, "itemStyle": {"color": theme.accent}}],
    )


def column_leakage(theme: Theme, names: Sequence[str], worst: Sequence[float], average: Sequence[float]) -> Options:
    """What each column gives away alone, in the worst case and on average; the last name is all together."""
    return base(
        theme,
        tooltip={**base(theme)["tooltip"], "trigger": "axis"},
        grid={"left": 110, "right": 24, "top": 36, "bottom": 44},
        yAxis=scale(
            theme,
            "",
            type="category",
            data=list(names),
            axisLabel={"color": theme.ink, "width": 95, "overflow": "truncate"},
        ),
        xAxis=scale(theme, "bits given away", type="value", nameGap=28),
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
    return base(
        theme,
        legend={"show": False},
        grid={"left": 110, "right": 24, "top": 8, "bottom": 44},
        yAxis=scale(
            theme, "", type="category", data=names, axisLabel={"color": theme.ink, "width": 95, "overflow": "truncate"}
        ),
        xAxis=scale(theme, "lost detail, %", type="value", min=0, nameGap=28),
        series=[
            {
                "type": "bar",
                "data": [round(100 * by_column[name], 2) for name in names],
                "itemStyle": {"color": theme.accent},
            }
        ],
    )


def shares(theme: Theme, names: Sequence[str], values: Sequence[float]) -> Options:
    """How much of all data sets each answer leaves, as powers of two; nothing is excluded at 0."""
    data = [round(each, 4) if each > float("-inf") else None for each in values]
    return base(
        theme,
        legend={"show": False},
        grid={"left": 72, "right": 16, "top": 16, "bottom": 52},
        xAxis=scale(theme, "answer", type="category", data=list(names), position="bottom", axisLine={"onZero": False}),
        yAxis=scale(theme, "share of data sets left, log2", type="value", max=0, nameGap=48),
        series=[{"type": "bar", "data": data, "itemStyle": {"color": theme.accent}}],
    )


def associations(theme: Theme, names: Sequence[str], values: Sequence[Sequence[float]]) -> Options:
    """How columns go together, 0 to 1, as shades with their figures."""
    data = [[j, i, round(float(values[i][j]), 2)] for i in range(len(names)) for j in range(len(names))]
    labels = {"color": theme.ink, "width": 80, "overflow": "truncate", "rotate": 0}
    return base(
        theme,
        legend={"show": False},
        grid={"left": 90, "right": 12, "top": 8, "bottom": 60},
        xAxis={"type": "category", "data": list(names), "axisLabel": {**labels, "rotate": 35}},
        yAxis={"type": "category", "data": list(names), "axisLabel": labels, "inverse": True},
        visualMap={"min": 0, "max": 1, "show": False, "inRange": {"color": [theme.paper, theme.shade]}},
        series=[{"type": "heatmap", "data": data, "label": {"show": True, "color": theme.ink, "fontSize": 11}}],
    )
