"""How coarse a public column may become, by clicks: bands, units, prefixes, an order, groups of categories or a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

from nicegui import events, ui

from discreet.app._layout import View
from discreet.app._preview import MOMENTS
from discreet.app._sessions import safe_name
from discreet.columns import Hierarchy
from discreet.errors import DiscreetError
from discreet.recipe._sections import ColumnSection
from discreet.tables._writing import write_text

Say = Callable[..., None]
BANDS: dict[str, dict[Any, str]] = {
    "number": {None: "as fine as can be", **{width: f"bands of {width:,}" for width in (2, 5, 10, 20, 100, 1000)}},
    "date": {unit: f"{unit}s" for unit in ("day", "week", "month", "quarter", "year")},
    "code": {None: "whole codes", 1: "first character", **{size: f"first {size}" for size in (2, 3, 4, 5)}},
}
MOST_GROUPED = 200  # categories that are grouped by hand


def fields(view: View, name: str, given: ColumnSection, say: Say) -> None:
    """The fields for one column."""
    kind = given.type
    if kind in BANDS and not given.fixed:
        known, band = dict(BANDS[kind]), given.band
        if kind == "date":
            band = band or "day"  # which is what a release takes where nothing is said
            seen = view.session.preview.column(name) if view.session.preview else None
            known = {"hour": "hours", **known} if seen is not None and seen.kind == MOMENTS else known
        if band not in known:
            known[band] = f"bands of {band}"
        ui.select(known, value=band, on_change=lambda event: say(band=event.value)).props(
            'outlined dense options-dense aria-label="finest cell"'
        ).style("min-width:9rem")
    elif kind == "ordered" and not given.fixed:
        _order(view, name, given, say)
    elif kind in ("category", "hierarchy") and not given.fixed:
        words = "Change the groups…" if given.hierarchy else "Group categories…"
        ui.button(words, on_click=lambda: _dialog(view, name, say)).props("outline dense no-caps").mark(f"group-{name}")
        if given.hierarchy:
            ui.label(given.hierarchy).classes("soft small")
    _more(given, say)


def _more(given: ColumnSection, say: Say) -> None:
    """Weight, and leaving the column as it is."""
    weight = ui.number(
        "counts ×", value=float(given.weight), min=0, step=0.5, on_change=lambda event: _weigh(event.value, say)
    )
    weight.props("outlined dense debounce=600").style("width:5.5rem")

    def as_is(event: Any) -> None:
        say(fixed=event.value, band=None, coarsest=None)

    ui.checkbox("as it is", value=given.fixed, on_change=as_is).props("dense")


def _weigh(value: float | None, say: Say) -> None:
    if value is not None and value >= 0:
        say(weight=value)


def _order(view: View, name: str, given: ColumnSection, say: Say) -> None:
    """Ordered categories: lowest first."""
    seen = view.session.preview.column(name) if view.session.preview else None
    start = given.order or list(seen.values if seen else ())
    field = ui.input("lowest < … < highest", value=" < ".join(start)).props("outlined dense").style("min-width:14rem")

    def take() -> None:
        say(order=[part.strip() for part in (field.value or "").split("<") if part.strip()])

    ui.button("Set", on_click=take).props("outline dense no-caps")
    if not given.order:
        ui.label("say the order").classes("small broken")


def _file_name(view: View, name: str) -> str:
    """A file of its own for the groups of a column; private, since groups made by hand list the values of the table."""
    taken = {each.hierarchy for other, each in view.session.recipe.columns.items() if other != name}
    number = 1
    while (found := f"private-hierarchy-{safe_name(name)}{f'-{number}' if number > 1 else ''}.csv") in taken:
        number += 1
    return found


def _dialog(view: View, name: str, say: Say) -> None:
    """Group categories by naming a group for each, or take a file as ARX writes them."""
    session = view.session
    seen = session.preview.column(name) if session.preview else None
    values = seen.values if seen else ()
    file_name = _file_name(view, name)

    def keep(text: str) -> None:
        try:
            Hierarchy.parse(text, name=file_name)  # before it takes the place of one that is good
            write_text(session.folder / file_name, text)
        except DiscreetError as problem:
            ui.notify(str(problem), type="negative")
            return
        dialog.close()
        say(type="hierarchy", hierarchy=file_name, band=None, coarsest=None)

    def grouped() -> None:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=";", lineterminator="\n")
        for value, field in fields_of.items():
            writer.writerow([value, (field.value or "").strip() or value, "*"])
        keep(text.getvalue())

    async def uploaded(event: events.UploadEventArguments) -> None:
        if event.file.size() > 1 << 22:
            ui.notify("A hierarchy has at most 4 MB", type="negative")
            return
        try:
            keep(await event.file.text("utf-8-sig"))
        except UnicodeDecodeError:
            ui.notify("That is not a text file", type="negative")

    fields_of: dict[str, ui.input] = {}
    with ui.dialog() as dialog, ui.card().style("min-width:32rem;max-height:80vh"):
        ui.label(f"Groups of {name}").style("font-weight:650")
        ui.label("Categories with the same group become one when they must. Empty: on its own.").classes("soft small")
        if 0 < len(values) <= MOST_GROUPED:
            with ui.element("div").style("overflow-y:auto;max-height:45vh;width:100%"):
                for value in values:
                    with ui.element("div").classes("line"):
                        ui.label(value).style("width:14rem")
                        fields_of[value] = field = ui.input(placeholder="group").props("outlined dense")
                        field.props["aria-label"] = f"group of {value}"
            ui.button("Use these groups", on_click=grouped).props("no-caps unelevated")
        else:
            ui.label(f"{len(values) or 'Too many'} categories: give a file instead.").classes("soft")
        ui.upload(label="or a file as ARX writes them", on_upload=uploaded, auto_upload=True, max_files=1).props(
            "flat accept=.csv,.txt"
        )
    dialog.open()
