"""Frontier: what protection costs. A chart that improves while releases are looked for; sliders and clicks choose."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from discreet.app import _charts as charts
from discreet.app import _frontier_charts as frontier_charts
from discreet.app._frontier_charts import LevelPoint
from discreet.app._layout import View
from discreet.app._parts import chart, facts, heading, lead, section, working
from discreet.app._theme import Options
from discreet.search.tables import Generalisation

SHAPES = {
    "local": "every group its own cells (least loss)",
    "disjoint": "cells that never overlap",
    "global": "the same cells for everybody",
}


def build(view: View) -> None:
    """The page."""
    session = view.session
    job = session.jobs.get("explore")
    if not session.explored and (job is None or not job.running or job.key != session.key("require", "search")):
        session.start_exploring()
    Page(view).build()


class Page:
    """The page with what is chosen on it."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.session = view.session
        self.symbol = self.session.chosen[0] if self.session.chosen else "n"
        self.shown: list[int] = []  # the levels of the sliders
        self.detailed: Generalisation | None = None  # the release whose details are shown

    def build(self) -> None:
        """Everything from top to bottom."""
        heading(
            "What does protection cost?",
            "Every point is a release that was found. Further right people are safer, further up detail is lost.",
        )
        side = self.session.recipe.having("side")
        if side:
            words = f"What somebody knows already ({', '.join(side)}) is counted in the audit, and not here."
            ui.label(words).classes("soft")
        self.status()
        with ui.element("div").classes("card"):
            with ui.element("div").classes("line"):
                names = {"n": "Records that look alike"}
                if self.session.recipe.sensitive:
                    names["k"] = f"Different {', '.join(self.session.recipe.sensitive)} among them"
                ui.toggle(names, value=self.symbol, on_change=self.turn).props("no-caps unelevated").mark("symbol")
            self.chart = chart(self.options(), self.words(), height=360, on_click=self.clicked)
            self.chart.mark("frontier")
            self.sliders()
        self.onward()
        self.details()
        self.settings()

    @ui.refreshable_method
    def status(self) -> None:
        """What is under way."""
        job = self.session.jobs.get("explore")
        working(job, "Looking for releases", self.news)
        if job is not None and job.state == "stopped" and self.session.points:
            ui.label("Stopped: these are the best found so far.").classes("soft")
        if self.session.ended:
            ui.label(self.session.ended).classes("soft")

    def news(self) -> None:
        """Something was found, or the search is over."""
        session = self.session
        job = session.jobs.get("explore")
        if session.chosen is not None and len(session.history) <= 1 and session.chosen in session.points:
            session.choose(*session.chosen)
        elif session.chosen is None:
            self.suggest()
        self.redraw()
        self.view.news()
        if job is None or not job.running:
            self.status.refresh()

    def suggest(self) -> None:
        """Choose what was asked for, as soon as it is there."""
        wanted = [each for each in self.session.asked().require if each.startswith("n>=")]
        level = (
            int(wanted[0].removeprefix("n>="))
            if wanted
            else min((level for _, level in self.session.points), default=0)
        )
        if ("n", level) in self.session.points:
            self.session.choose("n", level)

    # ------------------------------------------------------------------ the chart

    def levels(self) -> list[int]:
        """The levels that were reached, in order."""
        return sorted(level for symbol, level in self.session.points if symbol == self.symbol)

    def options(self) -> Options:
        """The chart as it is now."""
        found = self.session.points
        points = [
            LevelPoint(
                level,
                found[self.symbol, level].loss,
                found[self.symbol, level].bound or 0.0,
                found[self.symbol, level].groups,
            )
            for level in self.levels()
        ]
        chosen = self.session.chosen
        here = chosen[1] if chosen is not None and chosen[0] == self.symbol else None
        words = {
            "n": "at least so many records look alike (n)",
            "k": f"at least so many different {', '.join(self.session.recipe.sensitive)} among them (k)",
        }
        usual = sorted(
            (level, loss) for (symbol, level), loss in self.session.baseline.items() if symbol == self.symbol
        )
        return frontier_charts.table_frontier(
            self.view.theme, self.symbol, points, words=words[self.symbol], chosen=here, usual=usual
        )

    def words(self) -> str:
        """The chart for those who hear the page."""
        return "Lost detail against protection: " + "; ".join(
            f"{self.symbol} at least {level}: {self.session.points[self.symbol, level].loss:.1%}"
            for level in self.levels()
        )

    def redraw(self) -> None:
        """Chart, sliders and details as things are now."""
        self.chart.options.clear()
        self.chart.options.update(self.options())
        self.chart.update()
        if self.levels() != self.shown:
            self.sliders.refresh()
        self.place()
        self.way.set_visibility(self.session.current is not None)
        if self.session.current is not self.detailed:
            self.details.refresh()

    def turn(self, event: Any) -> None:
        """Look along the other requirement."""
        self.symbol = event.value
        self.redraw()

    def clicked(self, event: Any) -> None:
        """A point was clicked."""
        if event.series_index == 0 and event.data_index < len(self.levels()):
            self.choose(self.levels()[event.data_index])

    def choose(self, level: int) -> None:
        """Take a point."""
        self.session.choose(self.symbol, level)
        self.redraw()
        self.view.news()

    # ------------------------------------------------------------------ sliders

    @ui.refreshable_method
    def sliders(self) -> None:
        """At least so safe, or at most so much lost; a choice leaves them in place, for the keyboard's sake."""
        self.shown = levels = self.levels()
        if len(levels) < 2:
            return
        with ui.element("div").classes("two"):
            with ui.element("div"):
                self.safe_words = ui.label().classes("small")
                self.safe = ui.slider(min=0, max=len(levels) - 1, step=1, value=0)
                self.safe.props('markers aria-label="at least so safe"').mark("safe")
                self.safe.on("change", lambda event: self.choose(levels[int(event.args)]))
            with ui.element("div"):
                self.useful_words = ui.label().classes("small")
                self.useful = ui.slider(min=0, max=1, step=0.01, value=0)
                self.useful.props('aria-label="at most so much lost, in percent"').mark("useful")
                self.useful.on(
                    "change", lambda event: self.choose(levels[_most(self.losses(), float(event.args) / 100)])
                )
        self.place()

    def losses(self) -> list[float]:
        """What each level loses."""
        return [self.session.points[self.symbol, level].loss for level in self.levels()]

    def place(self) -> None:
        """Put the sliders where the choice is."""
        levels, losses, chosen = self.shown, self.losses(), self.session.chosen
        if len(levels) < 2:
            return
        here = levels.index(chosen[1]) if chosen is not None and chosen[0] == self.symbol and chosen[1] in levels else 0
        what = "records look alike" if self.symbol == "n" else "different values"
        self.safe_words.text = f"At least {levels[here]} {what}"
        self.useful_words.text = f"At most {losses[here]:.1%} of the detail lost"
        self.safe.value = here
        self.useful.props(f"max={100 * losses[-1]:.2f}")
        self.useful.value = round(100 * losses[here], 2)

    # ------------------------------------------------------------------ what is chosen

    @ui.refreshable_method
    def details(self) -> None:
        """The release that is chosen."""
        self.detailed = current = self.session.current
        if current is None:
            ui.label("Click a point, or move a slider.").classes("soft")
            return
        with ui.element("div").classes("card"):
            section("The release that is chosen")
            among = (
                f", and have at least {current.k} different {', '.join(self.session.recipe.sensitive)} among them"
                if current.k
                else ""
            )
            lead(
                f"At least {current.n} records look alike in every group{among}. {current.loss:.1%} of the detail is lost."
            )
            gap = (
                "no release loses less"
                if not current.gap
                else f"no release can lose less than {current.bound or 0:.1%} (proven)"
            )
            facts(
                (
                    (f"{current.groups:,}", "groups"),
                    (f"{current.n}", "records in the smallest (n)"),
                    *((((f"{current.k}", "different values in the poorest (k)")),) if current.k else ()),
                    (f"{current.loss:.1%}", f"lost; {gap}"),
                    (f"{1 / current.n:.0%}", "largest probability of being found"),
                )
            )
            chart(
                charts.losses(self.view.theme, current.loss_by_column),
                "Loss by column",
                height=60 + 32 * len(current.loss_by_column),
            )

    def onward(self) -> None:
        """The way on; it stays where it is while better releases come in, so that a click always meets it."""
        with ui.element("div").classes("line end") as self.way:
            ui.button("Look at the groups", on_click=lambda: self.view.to("policy")).props("no-caps outline").mark(
                "to-policy"
            )
            ui.button("Compare and release", icon="arrow_forward", on_click=lambda: self.view.to("release")).props(
                "no-caps unelevated"
            ).mark("to-release")
        self.way.set_visibility(self.session.current is not None)

    # ------------------------------------------------------------------ what is asked for

    def settings(self) -> None:
        """What every group must have beside what rises, and how to look."""
        session = self.session
        asked = {each.partition(">=")[0]: int(each.partition(">=")[2]) for each in session.asked().require}
        search = session.recipe.search
        with (
            ui.expansion("What every group must have, and how long to look").classes("card"),
            ui.element("div").classes("line"),
        ):
            n = ui.number("records that look alike (n)", value=asked.get("n", 1), min=1, step=1).props("outlined dense")
            k = None
            if session.recipe.sensitive:
                k = ui.number("different sensitive values (k)", value=asked.get("k", 1), min=1, step=1).props(
                    "outlined dense"
                )
            shape = (
                ui.select(SHAPES, value=search.shape, label="cells").props("outlined dense").style("min-width:17rem")
            )
            spare = ui.number("records that may be left out", value=search.suppress, min=0, step=1).props(
                "outlined dense"
            )
            seconds = (
                ui.number("seconds", value=search.seconds, min=2, step=5).props("outlined dense").style("width:7rem")
            )

            def again() -> None:
                wanted = {"n": int(n.value or 1), "k": int(k.value or 1) if k is not None else 1}
                require = [f"{symbol}>={least}" for symbol, least in wanted.items() if least > 1] or ["n>=2"]
                keys = {
                    "shape": shape.value,
                    "suppress": int(spare.value or 0),
                    "time_limit": float(seconds.value or 30),
                }
                session.change(require=require, search=keys)
                session.start_exploring()
                self.view.to("frontier")

            ui.button("Look again", on_click=again).props("no-caps unelevated").mark("again")


def _most(losses: list[float], limit: float) -> int:
    """The safest of the levels that loses no more than this."""
    return max((i for i, loss in enumerate(losses) if loss <= limit + 1e-9), default=0)
