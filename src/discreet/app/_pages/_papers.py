"""The papers: every claim that discreet builds on, checked here, with its verdict."""

from __future__ import annotations

from markupsafe import Markup
from nicegui import ui

from discreet.app._layout import View
from discreet.app._more_tasks import Checked, check_papers
from discreet.app._parts import facts, heading, html, lead, section, table, working
from discreet.app._sessions import Session

PAPERS = ("AC", "SP", "DQ", "PF", "BF")


def build(view: View) -> None:
    """The page."""
    session = view.session
    heading(
        "The papers",
        "Every claim that discreet builds on is computed again: it matches, is a misprint, is refuted, or cannot be checked.",
    )

    def start() -> None:
        folder = str(session.folder) if figures.value else None
        session.start("papers", "", check_papers, tuple(chosen.value or ("all",)), folder)
        content.refresh()

    with ui.element("div").classes("line"):
        chosen = (
            ui.select(list(PAPERS), value=["BF"], label="papers", multiple=True)
            .props("outlined dense use-chips")
            .style("min-width:14rem")
        )
        figures = ui.checkbox("draw their figures too", value=True).props("dense")
        ui.button("Check their claims", on_click=start).props("no-caps unelevated").mark("check-papers")

    @ui.refreshable
    def content() -> None:
        working(session.jobs.get("papers"), "Checking", content.refresh)
        found: Checked | None = session.result("papers", "")
        if found is None:
            return
        rows = found.rows
        verdicts = sorted({row["verdict"] for row in rows})
        facts([(str(sum(row["verdict"] == each for row in rows)), each) for each in verdicts])
        if any(row["verdict"] == "mismatch" for row in rows):
            lead("Something does not match, and nobody has explained it yet.", bad=True)
        with ui.element("div").classes("card"):
            body = [(f"{row['paper']} {row['where']}", row["claim"], row["computed"], row["verdict"]) for row in rows]
            table(("where", "the paper says", "computed", "verdict"), body, caption="Claims")
        if found.figures:
            _figures(session, found)

    content()


def _figures(session: Session, found: Checked) -> None:
    """The figures, drawn anew from what is computed here."""
    section("Figures", "Redrawn from our own computation, on white as the papers print them.")
    session.files.update(found.figures)
    form = Markup("<figure class='card'><img src='/s/{}/files/{}' alt='{}'><figcaption>{}: {}</figcaption></figure>")
    drawn = (
        form.format(session.id, name, words, name.removesuffix(".svg").replace("-", ", "), words)
        for name, words in found.figures
    )
    html(Markup("<div class='two'>{}</div>").format(Markup("").join(drawn)))
