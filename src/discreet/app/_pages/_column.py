"""One column at a proven optimum: leakage against utility, in the worst case or on average, and the policy at each point."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from discreet.app import _downloads as downloads
from discreet.app import _frontier_charts as frontier_charts
from discreet.app._frontier_charts import Curve
from discreet.app._layout import View
from discreet.app._more_tasks import ColumnFound, column_frontier, run_recipe
from discreet.app._pages import _soft as soft
from discreet.app._parts import chart, facts, heading, html, lead, section, table, working
from discreet.app._theme import Options
from discreet.errors import InputError
from discreet.recipe import Recipe
from discreet.release import Channel, Point
from discreet.report._plots import LEAKAGE_NAMES, UTILITY_NAMES

LEAKAGES = {
    "L0": "in the worst case: how far somebody's candidates shrink (L0)",
    "I*": "what can be told apart for certain (I*)",
    "I": "on average: the privacy funnel (I)",
}
PUBLISH = {"column.csv": "the released column"}
KEEP = {
    "private-column-report.html": "a report to read and sign",
    "column-recipe.toml": "the recipe: beside the table, discreet release --recipe does it again",
    "private-column-policy.json": "the policy: it lists the values that occurred",
}
SHOWN = 12
SOFT = "soft policies, which draw at random"


def build(view: View) -> None:
    """The page."""
    Page(view).build()


class Page:
    """The page with what is chosen on it."""

    def __init__(self, view: View) -> None:
        self.view, self.session = view, view.session
        asked: tuple[str, str] | None = self.session.result("column asked", self.session.key())
        self.column, self.leakage = asked or (self.session.recipe.public[0], "L0")
        self.point: Point | Channel | None = None

    def build(self) -> None:
        """Everything from top to bottom."""
        heading(
            "One column, at a proven optimum", "Every policy worth having for one column, and what no policy can beat."
        )
        with ui.element("div").classes("line"):
            names = list(self.session.recipe.public)
            ui.select(
                names, value=self.column, label="column", on_change=lambda event: setattr(self, "column", event.value)
            ).props("outlined dense").style("min-width:12rem;max-width:100%")
            ui.select(
                LEAKAGES,
                value=self.leakage,
                label="what is lowered",
                on_change=lambda event: setattr(self, "leakage", event.value),
            ).props("outlined dense").style("width:24rem;max-width:100%")
            ui.button("Draw the frontier", on_click=self.start).props("no-caps unelevated").mark("draw")
        self.content()

    def recipe(self, **frontier: Any) -> Recipe:
        """The recipe of this column alone."""
        others = {name: {"role": "ignored"} for name in self.session.recipe.public if name != self.column}
        keys = {"leakage": self.leakage, **({"utility": "information"} if self.leakage == "I" else {}), **frontier}
        missing = self.session.preview is not None and self.session.preview.column(self.column).missing > 0
        output: dict[str, Any] = {
            "table": "column.csv",
            "policy": "private-column-policy.json",
            "report": "private-column-report.html",
            "public_policy": None,
            "keep": [],
        }
        recipe = self.session.recipe.override(require=[], columns=others, frontier=keys, output=output)
        return recipe.override(data={"missing": "drop"}) if missing else recipe

    def start(self) -> None:
        """Look for all policies."""
        self.point = None  # one of another frontier
        self.session.start("column", self.session.key(), column_frontier, self.recipe())
        self.session.results["column asked"] = self.session.key(), (self.column, self.leakage)
        self.session.results.pop("column done", None)
        self.content.refresh()

    @ui.refreshable_method
    def content(self) -> None:
        """The frontier, or what is under way."""
        working(self.session.jobs.get("column"), "Looking for policies", self.content.refresh)
        self.found = found = self.session.result("column", self.session.key())
        if found is None:
            return
        frontier = found.frontier
        self.point = self.point or frontier.points[len(frontier.points) // 2]
        with ui.element("div").classes("card"):
            self.chart = chart(self.options(found), "Leakage against utility", height=360, on_click=self.clicked)
            with ui.element("div").classes("two"):
                for symbol, values in (
                    ("max_leakage", frontier.points.leakage),
                    ("min_utility", frontier.points.utility),
                ):
                    self.slider(symbol, float(values.min()), float(values.max()))
        self.details()

    def options(self, found: ColumnFound) -> Options:
        """The chart as it is now."""
        points = found.frontier.points
        bound = points.bound.tolist() if points.bound is not None else None
        curve = Curve("policies found", points.utility.tolist(), points.leakage.tolist(), bound)
        axes = (UTILITY_NAMES[found.frontier.utility], LEAKAGE_NAMES[found.frontier.leakage])
        chosen = (self.point.utility, self.point.leakage) if self.point else None
        drawn = Curve(SOFT, [each.utility for each in found.soft], [each.leakage for each in found.soft])
        return frontier_charts.frontier(
            self.view.theme,
            curve,
            [Curve(*each) for each in found.rivals],
            axes=axes,
            chosen=chosen,
            soft=drawn if found.soft else None,
        )

    def slider(self, name: str, low: float, high: float) -> None:
        """At most so much leakage, or at least so useful."""
        words = "At most this much leakage, bits" if name == "max_leakage" else "At least this useful"
        with ui.element("div"):
            ui.label(words).classes("small")
            bar = ui.slider(
                min=low, max=high, step=(high - low) / 200 or 1, value=high if name == "max_leakage" else low
            )
            bar.props(f'aria-label="{words}" label').on("change", lambda event: self.cut(name, float(event.args)))

    def cut(self, name: str, value: float) -> None:
        """The best policy under a bound."""
        try:
            self.choose(self.found.frontier.point_at(**{name: value}))
        except InputError as problem:
            ui.notify(str(problem), type="warning")

    def clicked(self, event: Any) -> None:
        """A point was clicked."""
        found = self.found
        if event.series_index == 0:
            self.choose(found.frontier.points[event.data_index])
        elif event.series_name == SOFT:
            self.choose(found.soft[event.data_index])

    def choose(self, point: Point | Channel) -> None:
        """Take a point: a policy, or a soft one."""
        self.point = point
        self.chart.options.clear()
        self.chart.options.update(self.options(self.found))
        self.chart.update()
        self.details.refresh()

    @ui.refreshable_method
    def details(self) -> None:
        """The policy that is chosen, and its release."""
        point = self.point
        if point is None:
            return
        if isinstance(point, Channel):
            soft.details(self.session, point, self.found.frontier.gain_of([point]))
            return
        policy = point.policy
        with ui.element("div").classes("card"):
            left = policy.promised_distinct
            lead(
                f"Whoever sees the released {self.column} is left with at least {left} different {', '.join(policy.sensitive)}."
            )
            gap = (
                "not known"
                if point.gap is None
                else "none: it is optimal"
                if point.gap < 1e-9
                else f"{point.gap:.3f} bits"
            )
            facts(
                (
                    (f"{point.leakage:.3f}", f"bits of {self.leakage} given away"),
                    (f"{point.utility:.4g}", UTILITY_NAMES[point.setting.utility]),
                    (f"{len(policy.blocks):,}", "different cells"),
                    (gap, "what any policy could do better"),
                )
            )
            rows = [
                (label[0], f"{len(block):,}")
                for label, block in zip(policy.labels[:SHOWN], policy.blocks[:SHOWN], strict=True)
            ]
            table(("released as", "values"), rows, numbers=(1,), caption="Cells")
            if len(policy.blocks) > SHOWN:
                ui.label(f"and {len(policy.blocks) - SHOWN:,} more").classes("soft small")
            ui.button("Release this column", on_click=self.release).props("no-caps unelevated").mark("release-column")
            self.released()

    def release(self) -> None:
        """Write the recipe of this point, and run it."""
        if not isinstance(self.point, Point):
            return
        path = self.session.folder / "column-recipe.toml"
        self.recipe(max_leakage=round(self.point.leakage + 5e-7, 6)).save(path)
        self.session.start("column done", self.session.key(), run_recipe, str(path), files=PUBLISH | KEEP)
        self.released.refresh()

    @ui.refreshable_method
    def released(self) -> None:
        """What can be taken."""
        working(self.session.jobs.get("column done"), "Releasing", self.released.refresh)
        done = self.session.result("column done", self.session.key())
        if done is not None:
            section("Take it away")
            html(downloads.offered(self.session, PUBLISH, KEEP))
            for line in done:
                if " written to " not in line:
                    ui.label(line).classes("soft small")
