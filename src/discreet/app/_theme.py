"""The colours of pages and charts, for light and dark, and what all charts share."""

from __future__ import annotations

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


def scale(theme: Theme, name: str, **more: Any) -> Options:
    """An axis with its name in the middle."""
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


def base(theme: Theme, **more: Any) -> Options:
    """What every chart has."""
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
