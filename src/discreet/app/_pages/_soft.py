"""A soft policy of one column: what it gives away and keeps, what its symbols mean, and one draw from it."""

from __future__ import annotations

from nicegui import ui

from discreet._text import label_text
from discreet.app import _downloads as downloads
from discreet.app._more_tasks import draw_softly
from discreet.app._parts import facts, html, lead, section, table, working
from discreet.app._sessions import Session
from discreet.release import Channel

PUBLISH = {"column-drawn.csv": "the column as it was drawn, once"}
KEEP = {"private-column-channel.json": "the channel: it holds the values and how often each occurs, and no records"}
SHOWN, LIKELY = 12, 3


def details(session: Session, channel: Channel, gain: float) -> None:
    """The card of a soft policy; `gain` is by how many bits it beats every hard one that keeps as much."""
    with ui.element("div").classes("card"):
        lead(
            "This policy draws: a value is released as one of several symbols, at random. "
            "What is released is likely, and no longer true of every person.",
            bad=True,
        )
        facts(
            (
                (f"{channel.leakage:.3f}", "bits of I given away, on average over many draws"),
                (f"{channel.utility:.3f}", "bits of the column kept"),
                (f"{len(channel.symbols):,}", "symbols"),
                (f"{gain:.3f}", "bits better than any policy found here that only coarsens and keeps as much"),
            )
        )
        rows = []
        for symbol in channel.symbols[:SHOWN]:
            behind = list(channel.meaning(symbol).items())[:LIKELY]
            rows.append((symbol, ", ".join(f"{label_text(value)} ({share:.0%})" for value, share in behind)))
        table(("released as", "most likely"), rows, caption="Symbols")
        if len(channel.symbols) > SHOWN:
            ui.label(f"and {len(channel.symbols) - SHOWN:,} more").classes("soft small")
        Drawing(session, channel).build()


class Drawing:
    """One draw, which is not to be repeated: two draws for the same people tell more than one."""

    def __init__(self, session: Session, channel: Channel) -> None:
        self.session, self.channel = session, channel

    def build(self) -> None:
        """The button, and what came of it."""
        ui.button("Draw a release", on_click=self.start).props("no-caps unelevated").mark("draw-softly")
        ui.label("Draw once: two draws for the same people tell more than one.").classes("soft small")
        self.drawn()

    def start(self) -> None:
        """Draw, in another process."""
        recipe = self.session.recipe
        arguments = (recipe.table, self.channel, str(self.session.folder))
        self.session.start("column drawn", self.session.key(), draw_softly, *arguments, files=PUBLISH | KEEP)
        self.drawn.refresh()

    @ui.refreshable_method
    def drawn(self) -> None:
        """What can be taken."""
        working(self.session.jobs.get("column drawn"), "Drawing", self.drawn.refresh)
        done = self.session.result("column drawn", self.session.key())
        if done is not None:
            section("Take it away")
            html(downloads.offered(self.session, PUBLISH, KEEP))
            for line in done:
                ui.label(line).classes("soft small")
