"""Policy: the groups as a table and as bars along a column; why values were joined; merging and splitting by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from nicegui import ui

from discreet._text import label_text
from discreet.app import _frontier_charts as frontier_charts
from discreet.app._frontier_charts import Span
from discreet.app._layout import View
from discreet.app._parts import chart, facts, heading, section, table
from discreet.app._words import spans_of, why_joined
from discreet.errors import DiscreetError
from discreet.search.tables import Generalisation

SHOWN = 200  # groups in the table at once
BARS = 60  # cells in the chart at once


def build(view: View) -> None:
    """The page."""
    Page(view).build()


class Page:
    """The page with what is selected on it."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.session = view.session
        self.selected: list[int] = []
        self.column = self.now.policy.public[0]
        self.filter = ""

    @property
    def now(self) -> Generalisation:
        """The release as it is now."""
        found = self.session.current
        assert found is not None  # noqa: S101, the page is not reachable before
        return found

    def build(self) -> None:
        """Everything from top to bottom."""
        heading(
            "Which values become one?",
            "Every line is a group of records that look alike. Merge or split groups where you know better.",
        )
        self.summary()
        with ui.element("div").classes("card"):
            with ui.element("div").classes("line"):
                ui.input("Filter", on_change=self.narrow, placeholder="a value").props(
                    "outlined dense clearable debounce=200"
                ).mark("filter")
                ui.button("Merge", icon="call_merge", on_click=self.merge).props("no-caps outline").mark("merge")
                ui.button("Split…", icon="call_split", on_click=self.split).props("no-caps outline").mark("split")
                self.buttons()
            self.groups()
        self.explained()
        self.bars()
        self.view.next("release", "Continue: compare and release")

    @ui.refreshable_method
    def summary(self) -> None:
        """The figures, recomputed with every change."""
        now, first = self.now, self.session.history[0]
        changes = self.session.place
        facts(
            (
                (f"{now.groups:,}", "groups"),
                (f"{now.n}", "records in the smallest (n)"),
                *(((f"{now.k}", "different values in the poorest (k)"),) if now.k else ()),
                (f"{now.loss:.2%}", f"lost; it was {first.loss:.2%} before your changes" if changes else "lost"),
                (f"{changes}", "changes by hand"),
            )
        )

    @ui.refreshable_method
    def buttons(self) -> None:
        """Back and forth."""
        session = self.session
        undo = ui.button("Undo", icon="undo", on_click=lambda: self.go(session.undo)).props("no-caps flat").mark("undo")
        undo.set_enabled(session.place > 0)
        redo = ui.button("Redo", icon="redo", on_click=lambda: self.go(session.redo)).props("no-caps flat").mark("redo")
        redo.set_enabled(session.place < len(session.history) - 1)

    # ------------------------------------------------------------------ the table

    def rows(self) -> list[dict[str, Any]]:
        """The groups that are shown: those that lose most first, or those that hold what is looked for."""
        policy, joint = self.now.policy, self.now.joint
        records = {label: (int(n), int(k)) for label, n, k in zip(joint.x, joint.records, joint.distinct, strict=True)}
        cost = policy.boxes.ncp @ policy.weights
        found = []
        for group in np.argsort(-cost, kind="stable").tolist():
            cells = policy.labels[group]
            if self.filter and not any(self.filter in cell.lower() for cell in cells):
                continue
            n, k = records.get(cells, (0, 0))
            row = {f"c{i}": cell for i, cell in enumerate(cells)}
            found.append({"id": group, **row, "n": n, "k": k, "loss": f"{cost[group]:.1%}"})
            if len(found) >= SHOWN:
                break
        return found

    @ui.refreshable_method
    def groups(self) -> None:
        """The groups as a table."""
        policy = self.now.policy
        head: list[dict[str, Any]] = [
            {
                "name": f"c{i}",
                "label": name,
                "field": f"c{i}",
                "align": "left",
                "style": "white-space:nowrap" if kind.kind in ("number", "date", "code") else "min-width:9rem",
            }
            for i, (name, kind) in enumerate(zip(policy.public, policy.types, strict=True))
        ]
        numbers = (
            [("n", "records")]
            + ([("k", f"different {', '.join(policy.sensitive)}")] if policy.sensitive else [])
            + [("loss", "lost")]
        )
        head += [
            {
                "name": key,
                "label": words,
                "field": key,
                "align": "right",
                "style": "text-align:right",
                "sortable": key != "loss",
            }
            for key, words in numbers
        ]
        rows = self.rows()
        shown = ui.table(
            columns=head, rows=rows, row_key="id", selection="multiple", pagination=10, on_select=self.select
        )
        shown.props("flat dense wrap-cells").style("width:100%").mark("groups")
        for slot, words in (("body", "Select this group"), ("header", "Select all groups listed")):
            shown.add_slot(f"{slot}-selection", f'<q-checkbox dense v-model="props.selected" aria-label="{words}" />')
        if len(rows) < self.now.groups:
            ui.label(
                f"{len(rows):,} of {self.now.groups:,} groups are listed, those that lose most first; the filter finds others."
            ).classes("soft small")

    def select(self, event: Any) -> None:
        """Groups were ticked."""
        self.selected = [row["id"] for row in event.selection]
        self.explained.refresh()

    def narrow(self, event: Any) -> None:
        """Look for a value."""
        self.filter = (event.value or "").strip().lower()
        self.groups.refresh()

    # ------------------------------------------------------------------ changes

    def go(self, step: Any) -> None:
        """Undo or redo."""
        step()
        self.changed()

    def changed(self) -> None:
        """Show what is there now."""
        self.selected = []
        for part in (self.summary, self.buttons, self.groups, self.explained, self.bars):
            part.refresh()

    def merge(self) -> None:
        """Make one group of those that are ticked."""
        self.attempt(lambda: self.session.work.merge(self.now.policy, self.selected))  # type: ignore[union-attr]

    def attempt(self, change: Any) -> None:
        """A change by hand, or why not."""
        try:
            self.session.edit(change())
        except DiscreetError as problem:
            ui.notify(str(problem), type="warning", multi_line=True)
            return
        self.changed()

    def split(self) -> None:
        """Ask where to cut the one group that is ticked."""
        work, policy = self.session.work, self.now.policy
        if len(self.selected) != 1 or work is None:
            ui.notify("Tick one group to split", type="warning")
            return
        group = self.selected[0]
        cuts = work.cuts(policy, group)
        if not cuts:
            ui.notify("All records in this group have the same values", type="warning")
            return
        with ui.dialog() as dialog, ui.card():
            ui.label("Split the group after a value").style("font-weight:650")
            column = (
                ui.select(list(cuts), value=next(iter(cuts)), label="column")
                .props("outlined dense")
                .style("min-width:14rem")
            )
            after = (
                ui.select(dict(enumerate(cuts[column.value])), value=0, label="after")
                .props("outlined dense")
                .style("min-width:14rem")
            )
            column.on_value_change(lambda event: after.set_options(dict(enumerate(cuts[event.value])), value=0))

            def cut() -> None:
                dialog.close()
                self.attempt(lambda: work.split(policy, group, column.value, int(after.value)))

            ui.button("Split here", on_click=cut).props("no-caps unelevated").mark("split-here")
        dialog.open()

    # ------------------------------------------------------------------ why, and where

    @ui.refreshable_method
    def explained(self) -> None:
        """Why the values of a group became one."""
        work = self.session.work
        if work is None or len(self.selected) != 1:
            ui.label("Tick a group to see why its values became one.").classes("soft")
            return
        policy, group = self.now.policy, self.selected[0]
        members = work.members(policy, group)
        with ui.element("div").classes("card"):
            section("Why these became one", why_joined(policy, members))
            head = [*policy.public, "records"]
            body = [[*(label_text(value) for value in each.values), f"{each.records:,}"] for each in members[:30]]
            table(head, body, numbers=(len(head) - 1,), caption="What is in the group")

    @ui.refreshable_method
    def bars(self) -> None:
        """The cells of one column along its axis."""
        policy = self.now.policy
        with ui.element("div").classes("card"):
            with ui.element("div").classes("line"):
                section("Cells along a column")
                ui.select(list(policy.public), value=self.column, on_change=self.turn).props(
                    'outlined dense aria-label="column"'
                ).mark("axis")
            spans, names = spans_of(self.now, self.column)
            few = _spread(spans)
            if len(few) < len(spans):
                ui.label(f"{len(few)} of {len(spans):,} different cells, evenly chosen.").classes("soft small")
            chart(
                frontier_charts.cells(self.view.theme, few, names=names, axis=self.column),
                f"Cells of {self.column}",
                height=80 + 8 * len(few),
            )

    def turn(self, event: Any) -> None:
        """Look along another column."""
        self.column = event.value
        self.bars.refresh()


def _spread(spans: list[Span]) -> list[Span]:
    if len(spans) <= BARS:
        return spans
    return [spans[round(i * (len(spans) - 1) / (BARS - 1))] for i in range(BARS)]
