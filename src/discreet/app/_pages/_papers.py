"""The papers: every claim that discreet builds on, checked here, with its verdict."""

from __future__ import annotations

from nicegui import ui

from discreet.app._layout import View
from discreet.app._more_tasks import check_papers
from discreet.app._parts import facts, heading, lead, table, working

PAPERS = ("AC", "SP", "DQ", "PF", "BF")


def build(view: View) -> None:
    """The page."""
    session = view.session
    heading(
        "The papers",
        "Every claim that discreet builds on is computed again: it matches, is a misprint, is refuted, or cannot be checked.",
    )

    def start() -> None:
        session.start("papers", "", check_papers, tuple(chosen.value or ("all",)))
        content.refresh()

    with ui.element("div").classes("line"):
        chosen = (
            ui.select(list(PAPERS), value=["BF"], label="papers", multiple=True)
            .props("outlined dense use-chips")
            .style("min-width:14rem")
        )
        ui.button("Check their claims", on_click=start).props("no-caps unelevated").mark("check-papers")

    @ui.refreshable
    def content() -> None:
        working(session.jobs.get("papers"), "Checking", content.refresh)
        rows = session.results.get("papers")
        if rows is None:
            return
        verdicts = sorted({row["verdict"] for row in rows})
        facts([(str(sum(row["verdict"] == each for row in rows)), each) for each in verdicts])
        if any(row["verdict"] == "mismatch" for row in rows):
            lead("Something does not match, and nobody has explained it yet.", bad=True)
        with ui.element("div").classes("card"):
            body = [(f"{row['paper']} {row['where']}", row["claim"], row["computed"], row["verdict"]) for row in rows]
            table(("where", "the paper says", "computed", "verdict"), body, caption="Claims")

    content()
