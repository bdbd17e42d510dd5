"""Roles: what others may know, what they must not learn, and how each public column may become coarser."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from discreet.app._layout import View
from discreet.app._pages import _coarseness as coarseness
from discreet.app._parts import heading, html, lead, section, table
from discreet.recipe._sections import ColumnSection

ROLES = {
    "public": "Public",
    "sensitive": "Sensitive",
    "side": "Side information",
    "weight": "Sample weight",
    "household": "Household",
    "identifier": "Identifier",
    "ignored": "Not used",
}
MEANING = (
    ("Public", "others may know it about a person; it is released, coarser"),
    ("Sensitive", "nobody may learn it about a person"),
    ("Side information", "not released, but some know it: the audit counts what the release adds"),
    ("Sample weight", "how many people of the population a record stands for; not released"),
    ("Household", "names those who live together: who is found leads to all of them; not released"),
    ("Identifier", "names a person; never released"),
    ("Not used", "not released, and not known to others"),
)
KINDS: dict[str | None, str] = {
    "number": "Number",
    "date": "Date",
    "code": "Code (prefixes)",
    "category": "Category",
    "ordered": "Ordered categories",
    "hierarchy": "Hierarchy",
}


def build(view: View) -> None:
    """The page."""
    session, preview = view.session, view.session.preview
    assert preview is not None  # noqa: S101, the page is not reachable before
    heading(
        "Who may know what?",
        "Public columns are released, coarser. Sensitive ones are what nobody may learn about a single person. "
        "What was guessed is only offered: take it, or decide yourself.",
    )

    def take_all() -> None:
        for name in preview.guess.columns:
            session.take_guess(name)
        rows.refresh()
        changed()

    def changed() -> None:
        footer.refresh()
        view.news()

    with ui.element("div").classes("line"):
        ui.button("Take all guesses", on_click=take_all, icon="done_all").props("no-caps unelevated").mark("take-all")
        ui.label("and correct what is wrong below").classes("soft")
    with ui.expansion("What the roles mean"):
        table(("role", "what it means"), MEANING, caption="Roles")

    @ui.refreshable
    def rows() -> None:
        with ui.element("div").classes("card roles"):
            with ui.element("div").classes("headrow"):
                for title in ("column", "role", "type", "how coarse", "what was guessed"):
                    ui.label(title)
            for name in session.recipe.columns:
                row(name)

    def row(name: str) -> None:
        @ui.refreshable
        def cells() -> None:
            _row(view, name, cells.refresh, changed)

        with ui.element("div").props(f'role=group aria-label="{name}"' if name.isidentifier() else "role=group"):
            cells()

    @ui.refreshable
    def footer() -> None:
        _footer(view)

    rows()
    footer()


def _row(view: View, name: str, refresh: Any, changed: Any) -> None:
    session = view.session
    given, guess = session.recipe.columns[name], view.session.preview.guess.columns[name]  # type: ignore[union-attr]

    def say(**keys: Any) -> None:
        session.change(columns={name: keys})
        refresh()
        changed()

    def role(event: Any) -> None:
        kind = guess.type if event.value == "public" and given.type is None else given.type
        say(role=event.value, type=kind)

    with ui.element("div"):
        html(name).style("font-weight:650")
        seen = session.preview.column(name)  # type: ignore[union-attr]
        ui.label(f"{seen.distinct:,} values" + (f", {seen.missing:,} missing" if seen.missing else "")).classes(
            "soft small"
        )
    ui.select(ROLES, value=given.role, on_change=role).props(
        f'outlined dense options-dense aria-label="Role of {_plain(name)}"'
    ).mark(f"role-{name}")
    if given.role == "public":
        kinds = {None: "Choose…", **KINDS} if given.type is None else KINDS
        ui.select(
            kinds, value=given.type, on_change=lambda event: say(type=event.value, band=None, coarsest=None)
        ).props(f'outlined dense options-dense aria-label="Type of {_plain(name)}"')
        with ui.element("div").classes("line"):
            coarseness.fields(view, name, given, say)
    else:
        ui.element("div")
        ui.element("div")
    _offer(view, name, given, guess, refresh, changed)


def _offer(view: View, name: str, given: ColumnSection, guess: ColumnSection, refresh: Any, changed: Any) -> None:
    """The guess with its reason, and the button that takes it."""
    session = view.session
    preview = session.preview
    assert preview is not None  # noqa: S101

    def take() -> None:
        session.take_guess(name)
        refresh()
        changed()

    with ui.element("div"):
        reason = preview.guess.notes.get(name, "").partition("; ")[2]
        question = preview.guess.questions.get(name, "") if given.role == "public" and given.type is None else ""
        words = f"{guess.role}{', ' + guess.type if guess.type else ''}: {reason}"
        ui.label(words).classes("soft small")
        if question:
            ui.label(question.replace('(type = "code")', "").replace('(type = "number")', "")).classes("small broken")
        if given.role != guess.role:
            ui.button(f"Take: {guess.role}", on_click=take).props("flat dense no-caps size=sm").mark(f"take-{name}")


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in " _-." else " " for letter in name)


def _footer(view: View) -> None:
    session = view.session
    recipe = session.recipe
    open_types = [
        name for name in recipe.public if recipe.columns[name].type is None and not recipe.columns[name].hierarchy
    ]
    with ui.element("div").classes("card"):
        section("What you have said")
        if not recipe.public:
            lead("No column is public yet: there is nothing to release.")
        else:
            protect = f"protect {', '.join(recipe.sensitive)}" if recipe.sensitive else "protect who is who"
            lead(f"Release {', '.join(recipe.public)}, coarser, and {protect}.")
        if open_types:
            ui.label(f"Say what {', '.join(open_types)} is: only a person can tell.").classes("broken")
        _keep(view)
        ready = bool(recipe.public) and not open_types
        if recipe.sensitive:
            view.next("risk", "Continue: who is exposed", enabled=ready, hint="name a public column and its type first")
        else:
            view.next(
                "frontier",
                "Continue: what protection costs",
                enabled=ready,
                hint="name a public column and its type first",
            )


def _keep(view: View) -> None:
    """Sensitive columns may be published beside the coarse ones; that is a choice of its own."""
    session = view.session
    if not session.recipe.sensitive:
        return
    kept = [name for name in session.recipe.output.keep if name in session.recipe.sensitive]

    def keep(event: Any) -> None:
        names = list(session.recipe.sensitive) if event.value else []
        session.change(output={"keep": names})

    box = ui.checkbox(
        f"Publish {', '.join(session.recipe.sensitive)} too, row by row", value=bool(kept), on_change=keep
    )
    box.mark("keep")
    ui.label("Then what is hidden is which row is whose: every group has several different values.").classes(
        "soft small"
    )
