"""Data: drop a file, name a path, or take the example; then every column at first sight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import events, ui

from discreet.app import _charts as charts
from discreet.app._layout import View
from discreet.app._parts import Refresh, chart, facts, heading, html, section, working
from discreet.app._preview import ColumnView
from discreet.app._sessions import SUFFIXES, safe_name
from discreet.errors import DiscreetError


def build(view: View) -> None:
    """The page."""
    session = view.session

    def news() -> None:
        if session.preview is None:
            content.refresh()
        else:
            view.to("data")  # the head says another name now

    @ui.refreshable
    def content() -> None:
        running = working(session.jobs.get("open"), "Reading the table", news)
        if session.preview is None and not running:
            _welcome(view, content.refresh)
        elif session.preview is not None:
            _table(view, content.refresh)

    content()


def _welcome(view: View, refresh: Refresh) -> None:
    """What to do first, for somebody who was never here."""
    heading(
        "What does your table give away about people?",
        "Open a table, say which columns are public and which are sensitive, look at the risk, and release a coarser table "
        "that is still true in every cell. Nothing leaves this machine.",
    )
    _sources(view, refresh, first=True)
    with ui.element("div").classes("card"):
        section("What will happen")
        coming = (
            ("Roles", "say what others may know about a person, and what they must not learn"),
            ("Risk", "see who stands alone, and what that gives away"),
            ("Frontier", "see what protection costs, and choose"),
            ("Release", "compare before and after, and download the table with a report and a proof"),
        )
        for name, words in coming:
            with ui.element("div").classes("line"):
                ui.label(name).style("font-weight:600;width:6rem")
                ui.label(words).classes("soft")


def _sources(view: View, refresh: Refresh, *, first: bool) -> None:
    session = view.session

    def example() -> None:
        session.open_example()
        refresh()

    async def uploaded(event: events.UploadEventArguments) -> None:
        name = safe_name(event.file.name)
        if not name.lower().endswith(SUFFIXES):
            ui.notify(f"This kind of file cannot be read: use one of {', '.join(SUFFIXES[:8])}", type="negative")
            return
        path = session.folder / name
        await event.file.save(path)
        session.open(str(path), name, _texts(missing.value))
        refresh()

    def by_path() -> None:
        try:
            session.open_path(where.value or "", _texts(missing.value))
        except DiscreetError as problem:
            ui.notify(str(problem), type="negative")
            return
        refresh()

    with ui.element("div").classes("three"):
        with ui.element("div").classes("card"):
            section("Try the example" if first else "The example")
            html("5,000 made-up patients: age, sex, postcode, day of admission, occupation and diagnosis.")
            ui.button("Open the example", on_click=example, icon="play_arrow").props("no-caps unelevated").mark(
                "example"
            )
        with ui.element("div").classes("card"):
            section("Drop a file")
            _drop_zone(view, uploaded)
        with ui.element("div").classes("card stack"):
            section("On this machine" if view.local else "Missing values")
            if view.local:
                where = ui.input("Path, or database URL#table", placeholder="/data/people.parquet").props(
                    "outlined dense"
                )
                where.on("keydown.enter", by_path)
            missing = ui.input("Texts that mean missing", placeholder="?, n/a").props("outlined dense")
            if view.local:
                ui.button("Open", on_click=by_path).props("no-caps outline").mark("open-path")


def _drop_zone(view: View, uploaded: Callable[[events.UploadEventArguments], Any]) -> None:
    """A place to drop a file on, and a button; what sends the file is hidden behind them."""
    sender = ui.upload(
        on_upload=uploaded,
        on_rejected=lambda: ui.notify("That file is too large: open it by its path", type="negative"),
        auto_upload=True,
        max_files=1,
        max_file_size=view.most_upload,
    ).style("display:none")
    zone = ui.element("div").classes("drop")
    reach = f"getElement({sender.id}).$refs.qRef"
    zone.on("dragover", js_handler="(event) => event.preventDefault()")
    zone.on("drop", js_handler=f"(event) => {{ event.preventDefault(); {reach}.addFiles(event.dataTransfer.files) }}")
    with zone:
        button = ui.button("Choose a file", icon="upload_file").props("no-caps outline").mark("upload")
        button.on("click", js_handler=f"() => {reach}.pickFiles()")
        size = view.most_upload / (1 << 20)
        most = f"{size / 1024:.0f} GB" if size >= 1024 else f"{size:.0f} MB"
        ui.label(f"or drop it here: CSV, Excel, Parquet, Arrow, up to {most}").classes("soft small")


def _texts(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _table(view: View, refresh: Refresh) -> None:
    """Every column at first sight."""
    preview = view.session.preview
    assert preview is not None  # noqa: S101, build looked
    heading(view.session.name, "Every column at first sight. Values of columns that look private are not shown.")
    missing = sum(each.missing > 0 for each in preview.columns)
    facts(
        (
            (f"{preview.rows:,}", "records"),
            (f"{len(preview.columns)}", "columns"),
            (f"{missing}" if missing else "none", "columns with missing values"),
        )
    )
    view.next("roles", "Continue: who may know what")
    with ui.element("div").classes("cols"):
        for each in preview.columns:
            hidden = preview.guess.columns[each.name].role in ("sensitive", "identifier")
            _column(view, each, preview.rows, hidden=hidden, about=each.name in preview.fine)
    with ui.expansion("Open another table").classes("card").style("margin-top:1rem"):
        _sources(view, refresh, first=False)


def _column(view: View, each: ColumnView, rows: int, *, hidden: bool, about: bool) -> None:
    with ui.element("div").classes("card"):
        with ui.element("div").classes("line"):
            html(each.name).style("width:auto;font-weight:650").classes("stretch")
            ui.label(each.kind).classes("guess")
        absent = f", {each.missing:,} missing" if each.missing else ""
        ui.label(f"{'about ' if about else ''}{each.distinct:,} different values{absent}").classes("soft small")
        if each.distinct > 100 and each.distinct + each.missing >= 0.9 * rows:
            ui.label("hardly any value occurs twice").classes("soft small")
            return
        words = f"Histogram of {each.name}: {each.distinct} different values"
        chart(charts.spark(view.theme, each.bars, named=not hidden), words, height=72)
