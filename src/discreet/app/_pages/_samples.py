"""Sample privacy: tell what several columns say together, and nothing about any one of them."""

from __future__ import annotations

from nicegui import ui

from discreet.app import _downloads as downloads
from discreet.app import _frontier_charts as frontier_charts
from discreet.app._frontier_charts import Curve
from discreet.app._layout import View
from discreet.app._more_tasks import Disclosed, disclose_samples
from discreet.app._parts import chart, facts, heading, html, lead, section, working

FEW = 12  # different values of a sample; the combinations of all of them are what is computed with
PUBLISH = {"disclosed.csv": "y of every row"}
KEEP = {
    "private-disclosure.html": "a report to read and sign",
    "private-mapping.json": "the mapping: as private as the table, it holds its frequencies",
}


def build(view: View) -> None:
    """The page."""
    session, preview = view.session, view.session.preview
    assert preview is not None  # noqa: S101, the page is not reachable before
    heading(
        "Sample privacy",
        "For every row a value y is drawn that tells most about the columns together, and nothing about any one of them.",
    )
    names = [each.name for each in preview.columns if 1 < each.distinct <= FEW]
    if len(names) < 2:
        lead(f"At least two columns with up to {FEW} different values are needed; this table has {len(names)}.")
        return

    @ui.refreshable
    def content() -> None:
        working(session.jobs.get("samples"), "Looking for the best mapping", content.refresh)
        done = session.result("samples", session.table_key())
        if done is not None:
            _result(view, done)

    def start() -> None:
        if len(chosen.value or ()) < 2:
            ui.notify("Choose at least two columns", type="warning")
            return
        about = latent.value or None
        session.start(
            "samples",
            session.table_key(),
            disclose_samples,
            session.recipe.table,
            tuple(chosen.value),
            about,
            str(session.folder),
            files=PUBLISH | KEEP,
        )
        content.refresh()

    with ui.element("div").classes("card line"):
        chosen = (
            ui.select(names, value=names[:2], label="samples to hide one by one", multiple=True)
            .props("outlined dense use-chips")
            .style("min-width:18rem")
        )
        latent = (
            ui.select(["", *names], value="", label="what to tell about (else: all of them)")
            .props("outlined dense")
            .style("min-width:18rem")
        )
        ui.button("Look for the best mapping", on_click=start).props("no-caps unelevated").mark("disclose")
    content()


def _result(view: View, done: Disclosed) -> None:
    share = done.information / done.entropy if done.entropy else 0.0
    lead(f"y tells {done.information:.3f} of {done.entropy:.3f} bits ({share:.0%}), and nothing about any one sample.")
    facts(((f"{done.information:.3f}", "bits told"), (f"{done.entropy:.3f}", "bits there are")))
    if len(done.growth) > 1:
        with ui.element("div").classes("card"):
            section("What more samples could tell")
            curve = Curve("bits told", [n for n, _, _ in done.growth], [bits for _, bits, _ in done.growth])
            drawn = frontier_charts.frontier(view.theme, curve, [], axes=("samples", "bits told"), chosen=None)
            chart(drawn, "Bits told against the number of samples", height=260)
    with ui.element("div").classes("card"):
        section("Take it away")
        html(downloads.offered(view.session, PUBLISH, KEEP))
        for line in done.lines:
            ui.label(line).classes("soft small")
