"""What a notebook shows of a result: a table with a line of meaning to each number, and the cells as a strip."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from discreet.auditing._words import label_text

DRAWN = 120
"""Cells beyond this many are a plain bar: lines would run into each other."""

WIDE, HIGH = 360, 14
"""Pixels of a strip."""


def fact_table(caption: str, rows: Iterable[tuple[str, str, str]], picture: str = "") -> str:
    """An HTML table of (name, value, meaning); texts are escaped, the picture is not."""
    body = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td>"
        f'<td style="text-align:left">{html.escape(meaning)}</td></tr>'
        for name, value, meaning in rows
    )
    return f"<table><caption>{html.escape(label_text(caption))}</caption>{body}</table>{picture}"


def strip(cells: Sequence[tuple[float, float]], told: tuple[float, float] | None = None) -> str:
    """Cells side by side as inline SVG, from the least value to the greatest; the one that was told is filled."""
    from discreet.report._plots import ACCENT, INK, PALE

    low, high = cells[0][0], cells[-1][1]
    scale = WIDE / (high - low) if high > low else 0.0

    def box(start: float, end: float, colour: str) -> str:
        x, wide = (start - low) * scale, max((end - start) * scale, 1.0) if scale else WIDE
        return f'<rect x="{x:.1f}" y="0" width="{wide:.1f}" height="{HIGH}" fill="{colour}"/>'

    edges = [start for start, _ in cells[1:]] if 1 < len(cells) <= DRAWN else []
    lines = "".join(
        f'<line x1="{(at - low) * scale:.1f}" y1="0" x2="{(at - low) * scale:.1f}" y2="{HIGH}" stroke="{INK}"/>'
        for at in edges
    )
    filled = box(*told, ACCENT) if told is not None else ""
    said = f"{len(cells):,} cells from {low:g} to {high:g}" + (f", told {told[0]:g} to {told[1]:g}" if told else "")
    return (
        f'<svg width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{said}">'
        f"<title>{said}</title>{box(low, high, PALE)}{filled}{lines}</svg>"
    )
