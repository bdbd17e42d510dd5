"""The pieces that pages are made of: a lead, facts, tables, charts, and the line that shows work under way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from markupsafe import Markup, escape
from nicegui import ui

from discreet.app._theme import Options
from discreet.app._work import Job

Refresh = Callable[[], Any]


def heading(title: str, subtitle: str = "") -> None:
    """The title of a page."""
    html(Markup("<h1>{}</h1>").format(title) + (Markup("<p class='soft'>{}</p>").format(subtitle) if subtitle else ""))


def section(title: str, subtitle: str = "") -> None:
    """The title of a part of a page."""
    html(Markup("<h2>{}</h2>").format(title) + (Markup("<p class='soft'>{}</p>").format(subtitle) if subtitle else ""))


def html(content: Markup | str) -> ui.html:
    """Markup as it is; a plain text is escaped."""
    return ui.html(str(escape(content)), sanitize=False).classes("html")


def lead(text: str, *, bad: bool = False) -> None:
    """What matters most, in a box."""
    html(Markup("<p class='lead{}'>{}</p>").format(" bad" if bad else "", text))


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Figures with what they are."""
    inner = Markup("").join(Markup("<div><b>{}</b>{}</div>").format(figure, words) for figure, words in pairs)
    html(Markup("<div class='facts'>{}</div>").format(inner))


def table(
    head: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Sequence[int] = (), caption: str = ""
) -> None:
    """A table to read; the columns with these numbers are figures."""

    def cells(row: Sequence[Any], form: Markup) -> Markup:
        parts = (form.format("num" if i in numbers else "", cell) for i, cell in enumerate(row))
        return Markup("<tr>{}</tr>").format(Markup("").join(parts))

    head_cell, body_cell = Markup("<th scope='col' class='{}'>{}</th>"), Markup("<td class='{}'>{}</td>")
    named = Markup("<caption class='sr'>{}</caption>").format(caption) if caption else Markup("")
    body = Markup("").join(cells(row, body_cell) for row in rows)
    html(
        Markup("<div class='scroll' tabindex='0'><table>{}<thead>{}</thead><tbody>{}</tbody></table></div>").format(
            named, cells(head, head_cell), body
        )
    )


def chart(
    options: Options, label: str, *, height: int = 320, on_click: Callable[[Any], Any] | None = None
) -> ui.echart:
    """A chart with a label for those who hear the page."""
    drawn = ui.echart(options, on_point_click=on_click, renderer="svg")
    drawn.props["role"], drawn.props["aria-label"] = "img", label  # as data: a name may hold quotes
    drawn.style(f"height:{height}px;width:100%")
    return drawn


def working(job: Job | None, title: str, again: Refresh) -> bool:
    """Show work under way with a button that ends it, or why it failed; whether it is still under way.

    `again` is called when something new is there.
    """
    if job is None:
        return False
    if job.state == "failed":
        lead(f"{title} did not work: {job.problem}", bad=True)
        return False
    if not job.running:
        return False
    with ui.element("div").classes("working").props("role=status aria-live=polite"):
        ui.spinner(size="1.2em")
        told = ui.label(f"{title}: {job.stage}").classes("stretch")
        ui.button("Stop", on_click=job.stop).props("outline dense no-caps").mark("stop")
    bar = ui.linear_progress(value=job.share or 0, show_value=False).props("aria-label=progress")
    seen = job.version

    def look() -> None:
        nonlocal seen
        told.text = f"{title}: {job.stage}"
        bar.value = job.share or 0
        if job.version != seen:
            seen = job.version
            if not job.running:
                timer.deactivate()
            again()

    timer = ui.timer(0.4, look)
    return True
