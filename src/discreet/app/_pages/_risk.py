"""Risk: who is exposed and how much, in plain words with numbers. Sensitive values are hidden until they are asked for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from nicegui import ui

from discreet._text import label_text, number_text
from discreet.app import _charts as charts
from discreet.app._layout import View
from discreet.app._parts import chart, facts, heading, lead, section, table, working
from discreet.auditing import Audit
from discreet.auditing._audit_page import measure_rows
from discreet.auditing._verdict import headline, notes

EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000, 100_000)
WORST = 10


def build(view: View) -> None:
    """The page."""
    session = view.session
    job = session.jobs.get("audit")
    if session.audit is None and (job is None or job.key != session.key() or not job.running):
        session.start_audit()

    @ui.refreshable
    def content() -> None:
        recipe, found = session.recipe, session.audit
        public, sensitive = ", ".join(recipe.public), ", ".join(recipe.sensitive)
        heading(
            "Who is exposed?",
            f"What {public} would give away about {sensitive} if the table were published as it is.",
        )
        working(session.jobs.get("audit"), "Measuring", content.refresh)
        if found is not None:
            _result(view, found)
        elif session.jobs["audit"].state == "stopped":
            lead("Stopped: nothing was measured.")
            ui.button("Measure again", on_click=lambda: (session.start_audit(), content.refresh())).props(
                "no-caps outline"
            )

    content()


def _result(view: View, audit: Audit) -> None:
    risk = audit.risk
    lead(headline(audit), bad=audit.values["k"] < 2)
    for sentence in notes(audit):
        ui.label(sentence).classes("soft")
    facts(
        (
            (f"{risk.uniques:,} of {risk.records:,}", "records are alone with their public values"),
            (f"{risk.below[5]:,}", "records are in groups smaller than 5"),
            (f"{risk.prosecutor:.0%}", "largest probability of being found"),
            (f"{risk.prosecutor_mean:.1%}", "of records found on average"),
            (number_text(audit.values["k"], "count"), "different sensitive values in the worst group"),
        )
    )
    view.next("frontier", "Continue: what protection costs")
    with ui.element("div").classes("two"):
        with ui.element("div").classes("card"):
            section("How many records look alike", "Striped: groups smaller than five.")
            names, records = _sizes(audit)
            small = sum(1 for name in names if int(name.partition("–")[0].replace(",", "")) < 5)
            chart(
                charts.group_sizes(view.theme, names, records, small=small),
                "Records by the size of their group",
                height=280,
            )
        with ui.element("div").classes("card"):
            section("What each column gives away", "Alone, in bits; one bit is half of the candidates.")
            parts = sorted(audit.columns, key=lambda part: part.alone["I"])
            worst = [*(part.alone["L0"] for part in parts), audit.values["L0"]]
            average = [*(part.alone["I"] for part in parts), audit.values["I"]]
            labels = [*(part.column for part in parts), "all together"]
            chart(charts.column_leakage(view.theme, labels, worst, average), "Leakage by column", height=280)
    _worst(audit)
    with ui.expansion("All measures, with what each means here").classes("card"):
        rows = [(row["symbol"], row["value"], row["units"], row["meaning"]) for row in measure_rows(audit)]
        table(("symbol", "value", "", "what it means"), rows, numbers=(1,), caption="All measures")


def _sizes(audit: Audit) -> tuple[list[str], list[int]]:
    sizes = np.asarray(audit.joint.records, dtype=np.int64)
    top = int(sizes.max())
    edges = [*(edge for edge in EDGES if edge <= top), top + 1]
    names = [f"{low:,}" if high == low + 1 else f"{low:,}–{high - 1:,}" for low, high in pairwise(edges)]
    return names, [int(sizes[(sizes >= low) & (sizes < high)].sum()) for low, high in pairwise(edges)]


def _worst(audit: Audit) -> None:
    joint = audit.joint
    with ui.element("div").classes("card"):
        section(
            "The worst groups",
            "Records that share all public values, those with the fewest different sensitive values first.",
        )
        shown = ui.switch("Show sensitive values").mark("show-values")

        @ui.refreshable
        def rows() -> None:
            groups = audit.worst(WORST, show_values=shown.value)
            head = [*joint.public, "records", f"different {', '.join(joint.sensitive)}"]
            body = []
            for group in groups:
                values = group.value if isinstance(group.value, tuple) else (group.value,)
                listed = [f"{group.rows:,}", f"{group.distinct:,}"]
                which = (
                    ["; ".join(label_text(value) for value in group.sensitive[:12])]
                    if group.sensitive is not None
                    else []
                )
                body.append([*(label_text(value) for value in values), *listed, *which])
            if shown.value:
                head.append("which")
            width = len(joint.public)
            table(head, body, numbers=(width, width + 1), caption="Worst groups")

        rows()
        shown.on_value_change(rows.refresh)
        if audit.values["L0"] > 0:
            exposed = audit.exposed()
            what = "the one value" if exposed["joined"] == 1 else f"one of the {exposed['joined']} values"
            ui.label(
                f"Most exposed: whether {', '.join(joint.sensitive)} is {what} seen with {label_text(exposed['x'])}. "
                f"{exposed['bits']:.2f} bits of that question are answered."
            ).classes("soft")
        alike = audit.homogeneity
        if alike.groups:
            ui.label(
                f"{alike.rows:,} records look anonymous and are not: in {alike.groups:,} groups of two or more "
                "all share one sensitive value."
            ).classes("soft")
